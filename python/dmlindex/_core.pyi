from collections.abc import Callable
from typing import Any, Never, SupportsIndex, TypeAlias, TypeVar, final, overload

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike, NDArray

from dmlindex._device import Device
from dmlindex._types import (
    CompiledMode,
    DaskArray,
    GatherMode,
    Indices,
    Reduction,
    Scalar,
    ScatterMode,
)
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import FeatureLevel, Violation

_T = TypeVar("_T", bound=np.generic)
_Out = TypeVar("_Out", bound=NDArray[Any] | DeviceTensor)
_Lazy = TypeVar("_Lazy", bound=DaskArray)
_Held = TypeVar("_Held", bound=DeviceTensor | DaskArray)
_Operand: TypeAlias = ArrayLike | DeviceTensor | DaskArray
_Places: TypeAlias = Indices | DeviceTensor | DaskArray

__version__: str

class DescriptorError(ValueError):
    violations: tuple[Violation, ...]

class DeviceError(RuntimeError): ...

# Each function has overloads: with out, which it returns; with a device's tensor or a Dask array,
# as which the result comes; for an array, whose dtype it has; and for what NumPy makes an array of.
# fmt: off

@overload
def gather(
    input: _Operand, indices: _Places,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: _Out, device: str | Device | None = None,
) -> _Out: ...
@overload
def gather(
    input: _Held, indices: _Places,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather(
    input: ArrayLike, indices: _Held,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather(
    input: NDArray[_T], indices: Indices,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[_T]: ...
@overload
def gather(
    input: ArrayLike, indices: Indices,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[Any]: ...
@overload
def gather_elements(
    input: _Operand, indices: _Places,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: _Out, device: str | Device | None = None,
) -> _Out: ...
@overload
def gather_elements(
    input: _Held, indices: _Places,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather_elements(
    input: ArrayLike, indices: _Held,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather_elements(
    input: NDArray[_T], indices: Indices,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[_T]: ...
@overload
def gather_elements(
    input: ArrayLike, indices: Indices,
    axis: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[Any]: ...
@overload
def gather_nd(
    input: _Operand, indices: _Places,
    batch_dims: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: _Out, device: str | Device | None = None,
) -> _Out: ...
@overload
def gather_nd(
    input: _Held, indices: _Places,
    batch_dims: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather_nd(
    input: ArrayLike, indices: _Held,
    batch_dims: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def gather_nd(
    input: NDArray[_T], indices: Indices,
    batch_dims: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[_T]: ...
@overload
def gather_nd(
    input: ArrayLike, indices: Indices,
    batch_dims: SupportsIndex = 0, *, mode: GatherMode = "raise", fill_value: Scalar = 0,
    out: None = None, device: str | Device | None = None,
) -> NDArray[Any]: ...
@overload
def scatter_elements(
    input: _Operand, indices: _Places, updates: _Operand,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: _Out, device: str | Device | None = None,
) -> _Out: ...
@overload
def scatter_elements(
    input: _Held, indices: _Places, updates: _Operand,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_elements(
    input: ArrayLike, indices: _Held, updates: _Operand,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_elements(
    input: ArrayLike, indices: Indices, updates: _Held,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_elements(
    input: NDArray[_T], indices: Indices, updates: ArrayLike,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> NDArray[_T]: ...
@overload
def scatter_elements(
    input: ArrayLike, indices: Indices, updates: ArrayLike,
    axis: SupportsIndex = 0, *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> NDArray[Any]: ...
@overload
def scatter_nd(
    input: _Operand, indices: _Places, updates: _Operand,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: _Out, device: str | Device | None = None,
) -> _Out: ...
@overload
def scatter_nd(
    input: _Held, indices: _Places, updates: _Operand,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_nd(
    input: ArrayLike, indices: _Held, updates: _Operand,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_nd(
    input: ArrayLike, indices: Indices, updates: _Held,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> _Held: ...
@overload
def scatter_nd(
    input: NDArray[_T], indices: Indices, updates: ArrayLike,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> NDArray[_T]: ...
@overload
def scatter_nd(
    input: ArrayLike, indices: Indices, updates: ArrayLike,
    *, reduction: Reduction = "none", mode: ScatterMode = "raise",
    unique_indices: bool = False, out: None = None, device: str | Device | None = None,
) -> NDArray[Any]: ...
@overload
def find_duplicates(
    input_or_shape: Any, indices: _Lazy,
    *, axis: SupportsIndex | None = None, mode: ScatterMode = "raise",
) -> _Lazy: ...
@overload
def find_duplicates(
    input_or_shape: Any, indices: Indices | DeviceTensor,
    *, axis: SupportsIndex | None = None, mode: ScatterMode = "raise",
) -> npt.NDArray[np.int64]: ...
# fmt: on

def has_reduction(dtype: npt.DTypeLike, reduction: str) -> bool: ...
def set_num_threads(n: SupportsIndex) -> None: ...
def get_num_threads() -> int: ...
def set_buffer_cache(bytes: SupportsIndex) -> None: ...
def get_buffer_cache() -> int: ...
def buffer_cache_held() -> int: ...

environment_error: str

def has_threads() -> bool: ...
def cpu_isa() -> str: ...
def cpu_isas() -> list[str]: ...
def check_device(operation: str, device: object) -> str: ...
def d3d12_adapters() -> tuple[list[tuple[str, str, int, bool]], str]: ...
def d3d12_binding(device: str) -> str: ...
def d3d12_kernels(device: str) -> list[str]: ...
def d3d12_used_bytes(device: str) -> int: ...
def d3d12_remove(device: str) -> None: ...
def d3d12_fail_allocations(device: str, passing: int, failing: int) -> int: ...
def d3d12_hold(device: str, body: Callable[[], object]) -> None: ...
def d3d12_mark_time(device: str) -> None: ...
def d3d12_take_times(device: str) -> list[float]: ...
def d3d12_has_reductions(dtype: npt.DTypeLike) -> bool: ...
def device_tensor(device: str, array: npt.ArrayLike) -> DeviceTensor: ...
def synchronize(device: str) -> None: ...
def violations(
    desc: OperatorDesc, feature_level: FeatureLevel
) -> list[tuple[str, str, str, str, str, str, str]]: ...
def tensor_violations(desc: TensorDesc) -> list[tuple[str, str, str, str, str, str, str]]: ...
def needed_feature_level(desc: OperatorDesc) -> int: ...
def buffer_elements(desc: TensorDesc) -> int: ...
def compile(
    desc: OperatorDesc,
    device: str,
    feature_level: FeatureLevel,
    mode: CompiledMode | None,
    fill_value: Scalar,
) -> CompiledOperator: ...

@final
class CompiledOperator:
    @property
    def desc(self) -> OperatorDesc: ...
    @property
    def mode(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def plan(self) -> dict[str, Any]: ...
    # fmt: off
    @overload
    def __call__(
        self, input: npt.ArrayLike, indices: Indices, updates: npt.ArrayLike = ...,
        *, out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    @overload
    def __call__(
        self, input: npt.ArrayLike | DeviceTensor, indices: Indices | DeviceTensor,
        updates: npt.ArrayLike | DeviceTensor = ...,
        *, out: npt.NDArray[Any] | DeviceTensor | None = None,
    ) -> Any: ...
    # fmt: on

@final
class DeviceTensor:  # Device.tensor makes them
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    # All of these raise; with Never it is no ArrayLike to a type checker either.
    def __array__(self, dtype: Never, copy: Never) -> Never: ...
    def __array_ufunc__(self, *args: Never, **kwargs: Never) -> Never: ...
    def __array_function__(self, *args: Never, **kwargs: Never) -> Never: ...
    def __dlpack__(self, *args: Never, **kwargs: Never) -> Never: ...
    def __dlpack_device__(self, *args: Never) -> Never: ...
    def release(self) -> None: ...
    def __enter__(self) -> DeviceTensor: ...
    def __exit__(self, *args: object) -> None: ...
