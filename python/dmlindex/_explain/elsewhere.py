"""How other libraries differ: the one place that knows, for explanations and the fuzzer's peers.

A difference is a sentence by a stable name; a library lists its dtypes and reductions.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmlindex._explain.form import Form

WHY = {
    "out-of-range": "what an index out of range does is the library's own choice, or undefined",
    "modes": "torch has no mode for indices out of range",
    "clamps": "an index out of range is always clamped",
    "negative-indices": "torch.gather and torch.scatter refuse negative indices",
    "index-dtypes": "the library's indices have fewer dtypes",
    "duplicate-targets": "which of several updates of one target wins is not promised",
    "dtypes": "the library has no such dtype",
    "reductions": "the library has no such reduction, or not of bool",
    "complex-reductions": "torch's scatter_reduce has no complex ones",
    "float16-reductions": "ONNX Runtime's ScatterND reduces no float16",
    "batch-dims": "the library has no batch dims",
    "nan-bits": "which NaN comes out of an operation is the processor's choice",
    "zero-signs": "a minimum or maximum may be either of two zeros",
    "signalling-nans": "the library moves these through another type, which quiets signalling NaNs",
    "empty-input": "arrays of size 0 are refused, or not indexed at all",
}
ONNX_NODES = {
    "gather": "Gather",
    "gather_elements": "GatherElements",
    "gather_nd": "GatherND",
    "scatter_elements": "ScatterElements",
    "scatter_nd": "ScatterND",
}
_ALL = ("add", "mul", "min", "max")


@dataclass(frozen=True)
class Library:
    """What a library has: names of dtypes, reductions by operator, and how it differs by name."""

    title: str
    dtypes: tuple[str, ...]
    index_dtypes: tuple[str, ...]
    reductions: dict[str, tuple[str, ...]]
    differs: tuple[str, ...]  # in each call that they are about

    def has_reduction(self, form: Form) -> bool:
        """Whether it has the call's reduction, if there is one."""
        names = ("none", *self.reductions.get(form.operator, ()))
        return form.reduction in names and (form.reduction == "none" or form.dtype.kind != "b")


ONNX = Library(
    "ONNX",
    (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64",
    ),
    ("int32", "int64"),
    {"scatter_elements": _ALL, "scatter_nd": _ALL},
    ("out-of-range", "duplicate-targets"),
)  # fmt: skip
TORCH = Library(
    "PyTorch",
    (
        "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
        "complex64", "complex128",
    ),
    ("int64",),
    {"scatter_elements": _ALL, "scatter_nd": ("add",)},
    ("modes", "negative-indices", "duplicate-targets", "complex-reductions"),
)  # fmt: skip
JAX = Library(
    "JAX",
    (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128", "bfloat16",
    ),
    ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    {"scatter_elements": _ALL, "scatter_nd": _ALL},
    ("out-of-range", "duplicate-targets"),
)  # fmt: skip
WEBNN = Library(
    "WebNN",
    ("int8", "int32", "int64", "uint8", "uint32", "uint64", "float16", "float32"),
    ("int32", "uint32", "int64"),
    {},
    ("clamps", "batch-dims", "duplicate-targets"),
)
LIBRARIES = {"onnx": ONNX, "torch": TORCH, "jax": JAX, "webnn": WEBNN}


def differences(library: Library, form: Form) -> list[str]:
    """In how far the library's call is another one than this, in words."""
    about = {
        "out-of-range": True,
        "clamps": form.mode != "clamp",
        "modes": form.mode != "raise",
        "negative-indices": form.operator.endswith("_elements") and form.index_dtype.kind == "i",
        "duplicate-targets": form.scatters and form.reduction == "none",
        "complex-reductions": form.reduction != "none" and form.dtype.kind == "c",
        "batch-dims": form.operator == "gather_nd" and form.position > 0,
    }
    found = []
    name = form.dtype.name
    if name not in library.dtypes or not form.dtype.isnative:
        found.append(f"{WHY['dtypes']} ({name})")
    if form.index_dtype.name not in library.index_dtypes:
        names = ", ".join(library.index_dtypes)
        found.append(f"{WHY['index-dtypes']}: {names}, and not {form.index_dtype.name}")
    if not library.has_reduction(form):
        found.append(f"{WHY['reductions']} ({form.reduction})")
    return found + [WHY[each] for each in library.differs if about[each]]


def lacks(library: Library, form: Form) -> bool:
    """Whether the library has no such call at all."""
    return not library.has_reduction(form) or (
        "batch-dims" in library.differs and form.operator == "gather_nd" and form.position > 0
    )
