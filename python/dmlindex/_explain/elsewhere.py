"""How other libraries differ: the one place that knows, for explanations and the fuzzer's peers.

A difference is a sentence by a stable name; a library lists its dtypes and reductions.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmlindex._explain.form import Form

WHY = {
    "out-of-range": "what an index out of range does is the library's own choice, or undefined",
    "modes": "torch has no mode for indices out of range",
    "never-raises": (
        "no index raises: what one out of range reads is NaN or another number, what it updates is "
        "left out"
    ),
    "clamps": "an index out of range is always clamped",
    "negative-indices": "torch.gather and torch.scatter refuse negative indices",
    "index-dtypes": "the library's indices have fewer dtypes",
    "one-update": "updates has all of its shape there, so one value is expanded first, to",
    "duplicate-targets": "which of several updates of one target wins is not promised",
    "any-order": "updates of one target are combined in any order, so the last bits may differ",
    "cut-indices": "indices are cut to 32 bits first",
    "subnormals": "numbers below the smallest normal one count as 0 on the CPU",
    "passed-nans": "a NaN among the numbers may be passed over",
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
    more_dtypes: tuple[str, ...] = ()  # which no peer is asked for
    tuple_dtypes: tuple[str, ...] = ()  # of the *_nd operators' indices, where they are fewer

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
    (
        "out-of-range", "one-update", "duplicate-targets", "any-order", "zero-signs", "passed-nans",
    ),
    ("bfloat16", "complex64", "complex128", "str"),
    ("int64",),
)  # fmt: skip
TORCH = Library(
    "PyTorch",
    (
        "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
        "complex64", "complex128",
    ),
    ("int64",),
    {"scatter_elements": _ALL, "scatter_nd": ("add",)},
    (
        "modes", "negative-indices", "duplicate-targets", "complex-reductions", "any-order",
        "zero-signs",
    ),
    ("bfloat16",),
)  # fmt: skip
JAX = Library(
    "JAX",
    (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128", "bfloat16",
    ),
    ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    {"scatter_elements": _ALL, "scatter_nd": _ALL},
    ("never-raises", "cut-indices", "duplicate-targets", "any-order", "zero-signs", "subnormals"),
    (
        "float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
        "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int2", "int4",
        "uint2", "uint4",
    ),
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
    is_float = form.dtype.kind in "fcV"  # ml_dtypes' are V
    resolves = form.mode in ("clamp", "wrap")  # which the code does itself
    about = {
        "out-of-range": True,
        "never-raises": form.mode == "raise",
        "cut-indices": form.mode in ("fill", "drop") and form.index_dtype.itemsize == 8,
        "clamps": form.mode != "clamp",
        "modes": form.mode != "raise" and not resolves,
        "negative-indices": (
            form.operator.endswith("_elements") and form.index_dtype.kind == "i" and not resolves
        ),
        "one-update": form.has_one_update,
        "duplicate-targets": form.scatters and form.reduction == "none",
        "any-order": form.reduction in ("add", "mul") and is_float,
        "zero-signs": form.reduction in ("min", "max") and is_float,
        "passed-nans": form.reduction in ("min", "max") and is_float,
        "subnormals": form.reduction != "none" and is_float,
        "complex-reductions": form.reduction != "none" and form.dtype.kind == "c",
        "batch-dims": form.operator == "gather_nd" and form.position > 0,
    }
    found = []
    name = "str" if form.dtype.kind == "U" else form.dtype.name
    if name not in library.dtypes + library.more_dtypes or not form.dtype.isnative:
        found.append(f"{WHY['dtypes']} ({name if form.dtype.isnative else form.dtype.str})")
    index_dtypes = (form.has_tuples and library.tuple_dtypes) or library.index_dtypes
    if form.index_dtype.name not in index_dtypes or not form.index_dtype.isnative:
        name = form.index_dtype.name if form.index_dtype.isnative else form.index_dtype.str
        found.append(f"{WHY['index-dtypes']}: {', '.join(index_dtypes)}, and not {name}")
    if not library.has_reduction(form):
        found.append(f"{WHY['reductions']} ({form.reduction})")
        return found
    shape = {"one-update": f" {form.items}"}
    return found + [WHY[each] + shape.get(each, "") for each in library.differs if about[each]]


def lacks(library: Library, form: Form) -> bool:
    """Whether the library has no such call at all."""
    return not library.has_reduction(form) or (
        "batch-dims" in library.differs and form.operator == "gather_nd" and form.position > 0
    )
