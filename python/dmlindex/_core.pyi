from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

__version__: str

class DescriptorError(ValueError): ...
class DeviceError(RuntimeError): ...

def gather(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | None = None,
) -> npt.NDArray[Any]: ...
def gather_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | None = None,
) -> npt.NDArray[Any]: ...
def gather_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: npt.NDArray[Any] | None = None,
    device: str | None = None,
) -> npt.NDArray[Any]: ...
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
    device: str | None = None,
) -> npt.NDArray[Any]: ...
def scatter_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: npt.NDArray[Any] | None = None,
    device: str | None = None,
) -> npt.NDArray[Any]: ...
def find_duplicates(
    input_shape: Any, indices: npt.ArrayLike, *, axis: SupportsIndex | None = None
) -> npt.NDArray[np.int64]: ...
def set_num_threads(n: SupportsIndex) -> None: ...
def get_num_threads() -> int: ...
def has_threads() -> bool: ...
def cpu_isa() -> str: ...
def cpu_isas() -> list[str]: ...
