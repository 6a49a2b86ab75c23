from typing import Any, Never, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt

from dmlindex._descs import FeatureLevel, OperatorDesc, TensorDesc, Violation
from dmlindex._device import Device

__version__: str

class DescriptorError(ValueError):
    violations: tuple[Violation, ...]

class DeviceError(RuntimeError): ...

@overload
def gather(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | Device | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gather(
    input: npt.ArrayLike | DeviceTensor,
    indices: npt.ArrayLike | DeviceTensor,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | DeviceTensor | None = None,
    device: str | Device | None = None,
) -> Any: ...
@overload
def gather_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | Device | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gather_elements(
    input: npt.ArrayLike | DeviceTensor,
    indices: npt.ArrayLike | DeviceTensor,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | DeviceTensor | None = None,
    device: str | Device | None = None,
) -> Any: ...
@overload
def gather_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | Device | None = None,
) -> npt.NDArray[Any]: ...
@overload
def gather_nd(
    input: npt.ArrayLike | DeviceTensor,
    indices: npt.ArrayLike | DeviceTensor,
    batch_dims: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | DeviceTensor | None = None,
    device: str | Device | None = None,
) -> Any: ...
@overload
def scatter_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: npt.NDArray[Any] | None = None,
    device: str | Device | None = None,
) -> npt.NDArray[Any]: ...
@overload
def scatter_elements(
    input: npt.ArrayLike | DeviceTensor,
    indices: npt.ArrayLike | DeviceTensor,
    updates: npt.ArrayLike | DeviceTensor,
    axis: SupportsIndex = 0,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: npt.NDArray[Any] | DeviceTensor | None = None,
    device: str | Device | None = None,
) -> Any: ...
@overload
def scatter_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: npt.NDArray[Any] | None = None,
    device: str | Device | None = None,
) -> npt.NDArray[Any]: ...
@overload
def scatter_nd(
    input: npt.ArrayLike | DeviceTensor,
    indices: npt.ArrayLike | DeviceTensor,
    updates: npt.ArrayLike | DeviceTensor,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: npt.NDArray[Any] | DeviceTensor | None = None,
    device: str | Device | None = None,
) -> Any: ...
def find_duplicates(
    input_or_shape: Any,
    indices: npt.ArrayLike | DeviceTensor,
    *,
    axis: SupportsIndex | None = None,
    mode: str = "raise",
) -> npt.NDArray[np.int64]: ...
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
def check_device(operation: str, device: object) -> None: ...
def d3d12_adapters() -> tuple[list[tuple[str, str, int, bool]], str]: ...
def d3d12_binding(device: str) -> str: ...
def d3d12_kernels(device: str) -> list[str]: ...
def d3d12_used_bytes(device: str) -> int: ...
def d3d12_remove(device: str) -> None: ...
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
    mode: str | None,
    fill_value: Any,
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
    @overload
    def __call__(
        self,
        input: npt.ArrayLike,
        indices: npt.ArrayLike,
        updates: npt.ArrayLike = ...,
        *,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    @overload
    def __call__(
        self,
        input: npt.ArrayLike | DeviceTensor,
        indices: npt.ArrayLike | DeviceTensor,
        updates: npt.ArrayLike | DeviceTensor = ...,
        *,
        out: npt.NDArray[Any] | DeviceTensor | None = None,
    ) -> Any: ...

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
    def release(self) -> None: ...
    def __enter__(self) -> DeviceTensor: ...
    def __exit__(self, *args: object) -> None: ...
