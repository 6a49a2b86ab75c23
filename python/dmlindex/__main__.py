"""The command line: `python -m dmlindex`, also installed as `dmlindex`.

dmlindex devices                                  what there is, and why not what is missing
dmlindex versions                                 what a bug report should say
dmlindex demo --out sheet.png                     every operator on a pair of photos
dmlindex run gather_nd x.npy i.npy -o y.npy       one operator on .npy files (- for pipes)
dmlindex explain desc.json                        a descriptor's broken rules, or its plan
dmlindex check model.onnx                         an ONNX model's gathers and scatters on DirectML
dmlindex dxdispatch run model.json                DirectML's test program: run, write, compare
"""

from __future__ import annotations

import sys

from dmlindex.cli import main

if __name__ == "__main__":
    sys.exit(main())
