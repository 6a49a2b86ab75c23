"""Hypothesis strategies for calls of the operators, and a check: fuzz your own implementation.

    import numpy as np
    from dmlindex import reference, testing
    from hypothesis import given

    def my_gather(input, indices, axis=0, *, mode="raise"):
        return np.take(input, indices, axis, mode=mode)

    @given(testing.calls("gather", modes=["raise", "wrap"], with_out=False, with_lists=False))
    def test_my_gather(call):
        testing.check_same(my_gather, reference.gather, call)

A call holds arrays of any layout, dtype and content that the operator takes. `check_same` runs both
functions on copies of them and wants the same answer bit for bit, or an exception of the same type,
and no other byte written. Where they differ it says how, and prints code that shows it again.
numpy.take above is caught at once: it refuses uint64 indices, for example.

`invalid_calls` gives calls with exactly one mistake in them: wrong types, shapes, axes, an index
out of range. Needs Hypothesis (`pip install dmlindex[testing]`).
"""

from dmlindex.reference.reductions import is_reducible
from dmlindex.testing.adapters import from_jax, from_torch
from dmlindex.testing.call import Call
from dmlindex.testing.compare import check_same
from dmlindex.testing.fuzzing import fuzz
from dmlindex.testing.ingredients import arrays, dtypes, index_dtypes, indices, shapes
from dmlindex.testing.report import Difference, Report
from dmlindex.testing.strategies import calls, invalid_calls

__all__ = [
    "Call",
    "Difference",
    "Report",
    "arrays",
    "calls",
    "check_same",
    "dtypes",
    "from_jax",
    "from_torch",
    "fuzz",
    "index_dtypes",
    "indices",
    "invalid_calls",
    "is_reducible",
    "shapes",
]
