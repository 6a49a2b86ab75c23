"""Our rules against what DirectML itself answered to 11,042 descriptors (see data/README.md)."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import dmlindex

VERDICTS = Path(__file__).parents[1] / "data" / "directml_verdicts.jsonl.gz"

# DirectML accepts these and then answers unreliably; here they are refused. The counts are of lines
# that DirectML accepts; some break two of the rules.
STRICTER = {
    ("GATHER", "cropped-index-dims"): 143,
    ("GATHER", "cropped-sizes"): 240,
    ("GATHER", "indices-leading-ones"): 6,
    ("GATHER", "output-leading-ones"): 25,
    ("GATHER", "output-overlap"): 4,
    ("GATHER_ELEMENTS", "output-overlap"): 9,
    ("GATHER_ND", "output-overlap"): 3,
    ("GATHER_ND1", "batch-sizes"): 39,
    ("GATHER_ND1", "output-overlap"): 3,
    ("SCATTER_ELEMENTS", "output-overlap"): 4,
    ("SCATTER_ND", "output-overlap"): 5,
}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    with gzip.open(VERDICTS, "rt", encoding="utf-8") as file:
        return list(file)


def test_accepted_there_is_accepted_here(lines: list[str]) -> None:
    table: Counter[str] = Counter()
    stricter: Counter[tuple[str, str]] = Counter()
    unexplained = []
    for line in lines:
        desc = dmlindex.desc_from_json(line)
        accepted_there = json.loads(line)["verdict"] == "S_OK"
        rules = {violation.rule for violation in desc.violations()}
        by_rule = {(desc.operator, rule) for rule in rules}
        if accepted_there and rules and by_rule <= STRICTER.keys():
            table["stricter by rule"] += 1
            stricter.update(by_rule)
        elif accepted_there == (not rules):
            table["accepted by both" if accepted_there else "refused by both"] += 1
        else:
            unexplained.append(line)
    assert unexplained == []
    assert table == {
        "accepted by both": 5125,
        "refused by both": 5585,
        "stricter by rule": 332,
    }
    assert stricter == STRICTER


def test_json_keeps_a_desc(lines: list[str]) -> None:
    for line in lines:
        desc = dmlindex.desc_from_json(line)
        assert dmlindex.desc_from_json(dmlindex.desc_to_json(desc)) == desc


def test_what_is_accepted_compiles(lines: list[str]) -> None:
    device = dmlindex.Device()
    for line in lines[::10]:
        desc = dmlindex.desc_from_json(line)
        if desc.violations():
            with pytest.raises(dmlindex.DescriptorError):
                device.compile(desc)
        else:
            assert device.compile(desc).desc is desc
