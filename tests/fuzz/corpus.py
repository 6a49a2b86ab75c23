"""The fuzz targets' seeds: one Python bytes literal a line, so that JSON can be read.

usage: corpus.py unpack TARGET FOLDER    writes each seed to a file of its own
       corpus.py pack TARGET FOLDER      makes the folder's files the seeds
"""

import ast
import hashlib
import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def unpack(target: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    seeds = CORPUS / f"{target}.txt"
    for line in seeds.read_text().splitlines() if seeds.exists() else []:
        seed: bytes = ast.literal_eval(line)
        folder.joinpath(hashlib.sha256(seed).hexdigest()).write_bytes(seed)


def pack(target: str, folder: Path) -> None:
    seeds = sorted(file.read_bytes() for file in folder.iterdir())
    CORPUS.joinpath(f"{target}.txt").write_text("".join(f"{seed!r}\n" for seed in seeds))


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
