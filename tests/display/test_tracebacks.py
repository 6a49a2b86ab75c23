"""In notebooks an error of the caller's ends at its line; elsewhere nothing is left out."""

from __future__ import annotations

import pickle
import subprocess
import sys
import traceback

import pytest

import dmlindex as dml
from dmlindex._tracebacks import _Rendered

CELLS = {
    "dml.TensorDesc(1, 2)": "TypeError: TensorDesc: data_type is of type int, expected a DataType",
    "dml.GatherOperatorDesc(1, 2, 3, 0, 0)": "TypeError: GatherOperatorDesc: input_tensor is of",
    "dml.GatherOperatorDesc.infer((4, 3), (2, 5), axis=7)": "ValueError: GatherOperatorDesc: axis",
    "dml.Device().compile(None)": "TypeError: compile: desc is a NoneType",
    "dml.Device().compile(dml.GatherOperatorDesc(None, None, None, 0, 0))": "DescriptorError: GATH",
    "OP(X, None, X[:3])": "TypeError: SCATTER_ND: indices has dtype",
    "OP(X, np.array([[1], [0], [1]]), X[:3])": "IndexError: SCATTER_ND: updates[0, 0] and a later",
    "dml.desc_to_json(3)": "TypeError: desc_to_json: desc is a int, expected an operator desc",
    "dml.desc_from_json('{}')": 'ValueError: the descriptor has no "operator"',
    "dml.draw('gather', X, [0]).save('x')": "ValueError: save: path is 'x', expected a name",
    "legalize('take')": "ValueError: legalize: no function 'take'",
    "dml.draw('take')": "TypeError: draw: op_or_function is 'take'",
    "dml.explain('take')": "TypeError: explain: what is 'take'",
}
SETUP = """
import dmlindex as dml, numpy as np
from dmlindex.directml import legalize
X = np.zeros((4, 2), np.float32)
OP = dml.Device().compile(dml.ScatterNDOperatorDesc.infer((4, 2), (3, 1)), duplicates="raise")
"""


def test_notebooks_show_the_callers_line_alone() -> None:
    pytest.importorskip("IPython")
    code = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='NoColor')\n"
        f"assert shell.run_cell({SETUP!r}).success\n"
        f"for cell in {list(CELLS)!r}:\n"
        "    assert not shell.run_cell(cell).success\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    parts = result.stdout.split("-" * 75)[1:]
    assert len(parts) == len(CELLS)
    for part, (cell, message) in zip(parts, CELLS.items(), strict=True):
        assert f"----> 1 {cell}\n\n{message}" in part, part
        assert ".py" not in part, part


def test_elsewhere_nothing_is_left_out() -> None:
    with pytest.raises(ValueError, match="axis is 7") as raised:
        dml.GatherOperatorDesc.infer((4, 3), (2, 5), axis=7)
    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert names[-2:] == ["infer", "axis_of"]
    assert not hasattr(raised.value, "_render_traceback_")


def test_errors_of_notebooks_pickle() -> None:
    error = ValueError("wrong")
    error._render_traceback_ = _Rendered(error)  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "wrong"
    assert again._render_traceback_() == []
