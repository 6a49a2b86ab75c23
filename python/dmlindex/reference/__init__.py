"""What the operators mean, in plain NumPy loops: the specification, for reading.

Read `gathers.py` and `scatters.py` first. Each function is its formula, one loop over the indices,
and it is slow on purpose: nothing is clever, so that it can be checked by eye. The package's own
functions (and any implementation of yours, see `dmlindex.testing`) must give the same bits, or an
exception of the same type.

An operator sees its arrays in three steps:

1. The arguments are checked, all before anything is written (`checks.py`).
2. Every index is resolved, in C order of indices: `resolve` is the meaning of the modes
   (`places.py`).
3. Elements move as bytes. `as_bytes` views an array as elements without a type, so that no NaN, no
   padding and no byte order is touched. Only a reduction looks at values
   (`reductions.py`).

The answer is built in fresh memory and copied to `out` at the very end. Hence an error leaves `out`
as it was, and an `out` that overlaps an input changes nothing.

The operators are DirectML's. Source pages: DML_GATHER_OPERATOR_DESC,
DML_GATHER_ELEMENTS_OPERATOR_DESC, DML_GATHER_ND_OPERATOR_DESC, DML_GATHER_ND1_OPERATOR_DESC,
DML_SCATTER_OPERATOR_DESC and DML_SCATTER_ND_OPERATOR_DESC.
"""

from dmlindex.reference.descs import run
from dmlindex.reference.gathers import gather, gather_elements, gather_nd
from dmlindex.reference.places import resolve
from dmlindex.reference.scatters import find_duplicates, scatter_elements, scatter_nd

__all__ = [
    "find_duplicates",
    "gather",
    "gather_elements",
    "gather_nd",
    "resolve",
    "run",
    "scatter_elements",
    "scatter_nd",
]
