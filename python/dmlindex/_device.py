"""Devices: what a descriptor is compiled for."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dmlindex import _core
from dmlindex._core import CompiledOperator, DeviceError, DeviceTensor
from dmlindex._tracebacks import short_traceback
from dmlindex._types import CompiledMode, Scalar
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.duplicates import refuse_duplicates
from dmlindex.directml.values import FeatureLevel, descriptor_error


class Device:
    """A device that operators run on, held to a feature level.

    Parameters
    ----------
    name
        "cpu", or another name that `dmlindex.devices()` lists; "d3d12" is the first of those
        adapters that is hardware, else the first.
    feature_level
        what descriptors may use; DirectML itself does not hold them to it, this does.

    Notes
    -----
    The functions take a Device, too (`device=`). Two are equal when name and feature level are. A
    wrong type is a TypeError, a name that no device can have a ValueError, one that is not there a
    DeviceError.

    A name means one device in a process, opened once. When a D3D12 device is removed (its driver
    crashed, say), all that uses it is a DeviceError from then on, and so is its name, until a new
    Device opens it again. So is all use of D3D12 in a child that was forked from a process that has
    used it.

    Examples
    --------
    >>> Device()
    Device('cpu', feature_level=FeatureLevel.FL_6_4)
    """

    __slots__ = ("_feature_level", "_name")

    @short_traceback
    def __init__(
        self, name: str = "cpu", *, feature_level: FeatureLevel = FeatureLevel.FL_6_4
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"Device: name is of type {type(name).__name__}, expected a str")
        if not isinstance(feature_level, FeatureLevel):
            raise TypeError(
                f"Device: feature_level is of type {type(feature_level).__name__}, "
                "expected a FeatureLevel"
            )
        self._name = _core.check_device("Device", name)
        self._feature_level = feature_level

    @property
    def name(self) -> str:
        """The name that `dmlindex.devices()` lists: "d3d12:0", say, if "d3d12" means that."""
        return self._name

    @property
    def feature_level(self) -> FeatureLevel:
        """The level that descriptors are held to."""
        return self._feature_level

    @short_traceback
    def compile(
        self,
        desc: OperatorDesc,
        *,
        mode: CompiledMode | None = None,
        fill_value: Scalar = 0,
        duplicates: Literal["allow", "raise"] = "allow",
    ) -> CompiledOperator:
        """Checks the desc and lowers it once; calling the result does the rest.

        Parameters
        ----------
        desc
            an operator desc.
        mode
            what an index out of range does: "raise", "clamp", "wrap", "fill" in a gather, "drop" in
            a scatter, or "directml": exactly what DirectML computes there, which may be another
            row's element (docs/directml_numerics.md). None is "directml"; while developing, "raise"
            finds such indices.
        fill_value
            what mode="fill" puts there; see `dmlindex.gather`.
        duplicates
            what several updates of one element do in a scatter: "allow", the last one wins; or
            "raise", as in DirectML any of them may: every call looks for them first, and raises an
            IndexError that leaves out as it was. See `desc.find_duplicates`.

        Raises
        ------
        DescriptorError
            With every rule that the desc breaks, where it is not valid at the device's feature
            level.
        TypeError
            For what is no desc.
        ValueError
            For a mode or a fill value that the operator does not have.

        Notes
        -----
        Source:
        https://learn.microsoft.com/windows/win32/api/directml/nf-directml-idmldevice-createoperator

        Examples
        --------
        >>> import numpy as np
        >>> from dmlindex import DataType, GatherNDOperatorDesc, TensorDesc
        >>> x = TensorDesc(DataType.FLOAT32, (2, 3))
        >>> i = TensorDesc(DataType.INT64, (1, 2))
        >>> y = TensorDesc(DataType.FLOAT32, (1, 1))
        >>> op = Device().compile(GatherNDOperatorDesc(x, i, y, 2, 2))
        >>> op(np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[1, -1]]))
        array([[5.]], dtype=float32)
        """
        if not isinstance(desc, OperatorDesc):
            raise TypeError(f"compile: desc is a {type(desc).__name__}, expected an operator desc")
        if broken := desc.violations(self._feature_level):
            raise descriptor_error(broken)
        check = None
        if duplicates == "raise":
            if not hasattr(desc, "updates_tensor"):
                raise ValueError(
                    f"{desc.operator}: duplicates is 'raise', expected 'allow': a gather writes "
                    "each element once"
                )
            check = partial(refuse_duplicates, desc, mode)
        elif duplicates != "allow":
            raise ValueError(
                f"{desc.operator}: duplicates is {duplicates!r}, expected 'allow' or 'raise'"
            )
        return _core.compile(desc, self._name, self._feature_level, mode, fill_value, check)

    @short_traceback
    def tensor(self, array: ArrayLike) -> DeviceTensor:
        """Copies an array, or what NumPy makes one of, into the device's memory.

        The functions and compiled operators take and return such tensors without a copy to the
        host; `numpy()` of a tensor copies it back; see `DeviceTensor`. Of any dtype without Python
        objects, else a TypeError; MemoryError where the device has no room; DeviceError on the CPU,
        where arrays are the tensors.
        """
        self._require_memory("tensor")
        return _core.device_tensor(self._name, array)

    def synchronize(self) -> None:
        """Waits until the device has done all that is queued on it; on the CPU nothing ever is.

        Raises the IndexError of the first operator that failed since the last call and of which
        nobody has been told.
        """
        if self._name != "cpu":
            _core.synchronize(self._name)

    def has_reduction(self, dtype: DTypeLike, reduction: str) -> bool:
        """Whether scatters on this device have the reduction on a dtype.

        The CPU has all that there are: "add", "mul", "min" and "max" on bool, integers and floats,
        ml_dtypes' included, and "add" and "mul" on complex numbers. D3D12 devices have them on
        all of them, bit for bit as the CPU, but long doubles, real or complex: there a scatter
        raises a DeviceError.

        >>> Device().has_reduction("float64", "add")
        True
        """
        if not _core.has_reduction(dtype, reduction):
            return False
        return self._name == "cpu" or _core.d3d12_has_reductions(dtype)

    def _require_memory(self, method: str) -> None:
        if self._name == "cpu":
            raise DeviceError(f"{method}: the CPU has no memory of its own; use the array itself")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return (self._name, self._feature_level) == (other._name, other._feature_level)

    def __hash__(self) -> int:
        return hash((self._name, self._feature_level))

    def __repr__(self) -> str:
        return f"Device({self._name!r}, feature_level={self._feature_level!r})"


def restore_operator(
    desc: Any,
    device: str,
    feature_level: FeatureLevel,
    mode: CompiledMode,
    fill: bytes,
    duplicates: Literal["allow", "raise"],
) -> CompiledOperator:
    """The operator that pickle or copy took apart; fill is the element that fills, or empty."""
    fill_value: Scalar = 0
    if fill:
        fill_value = np.frombuffer(fill, desc.input_tensor.data_type.dtype)[0]
    return Device(device, feature_level=feature_level).compile(
        desc, mode=mode, fill_value=fill_value, duplicates=duplicates
    )


def operator_repr(operator: CompiledOperator) -> str:
    """Python that compiles an equal operator, in a namespace that has dmlindex's names."""
    desc, device, level, mode, fill, duplicates = operator.__reduce__()[1]
    options = [f"mode={mode!r}"]
    if fill and any(fill):
        value = np.frombuffer(fill, desc.input_tensor.data_type.dtype)[0]
        options.append(f"fill_value={_number_text(value)}")
    if duplicates != "allow":
        options.append(f"duplicates={duplicates!r}")
    return f"{Device(device, feature_level=level)!r}.compile({desc!r}, {', '.join(options)})"


def _number_text(value: np.generic) -> str:
    """The number as Python writes it; NaN of any bits is one NaN there."""
    number = value.item()
    return repr(number) if np.isfinite(number) else f"float({str(number)!r})"
