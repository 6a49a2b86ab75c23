"""What DirectML's six operator descriptors share: frozen values to check and to compile.

The rules are those of the real DirectML; `violations()` lists every one that a descriptor breaks,
with the reason. Field names are DirectML's in snake_case, enum values are DirectML's own.

Source: https://learn.microsoft.com/windows/win32/api/directml/
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar, Self

from numpy.typing import ArrayLike

from dmlindex import _core
from dmlindex._core import DeviceTensor
from dmlindex._tracebacks import short_traceback
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import FeatureLevel, Violation, Violations, set_field, unsigned

if TYPE_CHECKING:
    from dmlindex._explain.explanation import Explanation
    from dmlindex.directml.audit import Finding


class OperatorDesc:
    """What the six operator descs share. A tensor may be None: a violation, not an error.

    A desc is a value: it compares, hashes, copies and pickles by its fields, and
    `dataclasses.replace(desc, axis=1)` is a desc with another field.
    """

    operator: ClassVar[str]

    @short_traceback
    def __post_init__(self) -> None:
        for field in (f.name for f in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, field)
            if not field.endswith("_tensor"):
                set_field(self, field, unsigned(self, field, value))
            elif value is not None and not isinstance(value, TensorDesc):
                raise TypeError(
                    f"{type(self).__name__}: {field} is of type {type(value).__name__}, "
                    "expected a TensorDesc or None"
                )

    @short_traceback
    def violations(self, feature_level: FeatureLevel = FeatureLevel.FL_6_4) -> Violations:
        """Every rule that the desc breaks on a device of that level; empty when it is valid.

        >>> from dmlindex import DataType, GatherElementsOperatorDesc
        >>> x = TensorDesc(DataType.FLOAT32, (4, 3))
        >>> i = TensorDesc(DataType.INT64, (2, 3))
        >>> [v.rule for v in GatherElementsOperatorDesc(x, i, x, axis=2).violations()]
        ['axis', 'output-sizes']
        """
        if not isinstance(feature_level, FeatureLevel):
            raise TypeError(
                f"violations: feature_level is of type {type(feature_level).__name__}, "
                "expected a FeatureLevel"
            )
        return Violations(Violation(*each) for each in _core.violations(self, feature_level))

    def _repr_html_(self) -> str:
        from dmlindex._display.tables import desc_html

        return desc_html(self)

    def explain(self) -> Explanation:
        """What the desc means, in words, index algebra and code; or the rules that it breaks.

        See `dmlindex.explain`.

        >>> from dmlindex import GatherNDOperatorDesc
        >>> GatherNDOperatorDesc.infer((3, 4), (5, 1)).explain().formula
        'output[q, s] = input[indices[q, 0], s]'
        """
        from dmlindex._explain.explanation import explain

        return explain(self)

    @short_traceback
    def audit(
        self,
        input: ArrayLike | DeviceTensor,
        indices: ArrayLike | DeviceTensor,
        updates: ArrayLike | DeviceTensor | None = None,
        *,
        limit: int | None = 100,
    ) -> list[Finding]:
        """Everything in these data whose result DirectML does not promise; see `Finding`.

        That is indices out of range, and where DirectML's arithmetic takes them; sums that wrap;
        items behind the last element; different updates of one element; buffers that are not at a
        multiple of 16 bytes, or hold less than the total size. Arrays are the desc's, as a compiled
        operator takes them. Of each rule at most `limit` findings come, and one that counts the
        rest; None is all. DescriptorError for a desc that is not valid.

        >>> import numpy as np
        >>> from dmlindex import GatherElementsOperatorDesc
        >>> x, i = np.zeros((2, 3), np.float32), np.array([[0], [3]])
        >>> print(GatherElementsOperatorDesc.infer(x, i, 1).audit(x, i)[0])
        ... # doctest: +NORMALIZE_WHITESPACE
        GATHER_ELEMENTS: indices[1, 0] is 3, out of range for axis 1 of size 3:
        output[1, 0] is the last element, input[1, 2] [index-out-of-range]
        """
        from dmlindex.directml.audit import audit

        return audit(self, input, indices, updates, limit)

    def to_json(self) -> str:
        """The desc as one line of JSON, without what has its default value; see `from_json`.

        >>> from dmlindex import GatherElementsOperatorDesc
        >>> GatherElementsOperatorDesc(None, None, None, 1).to_json()
        '{"operator": "GATHER_ELEMENTS", "input": null, "indices": null, "output": null, "axis": 1}'
        """
        from dmlindex.directml.desc_json import desc_to_json  # which imports the six descs

        return desc_to_json(self)

    @classmethod
    @short_traceback
    def from_json(cls, text: str) -> Self:
        """The desc that `to_json` wrote; ValueError with one clear line where the text holds none.

        Of a class for one operator, a desc of another is a ValueError, too.

        >>> from dmlindex import GatherElementsOperatorDesc
        >>> desc = GatherElementsOperatorDesc.infer((4, 3), (2, 3))
        >>> OperatorDesc.from_json(desc.to_json()) == desc
        True
        """
        from dmlindex.directml.desc_json import desc_from_json

        desc = desc_from_json(text)
        if not isinstance(desc, cls):
            raise ValueError(f"operator is {desc.operator}, expected {cls.operator}")
        return desc

    @short_traceback
    def to_cpp(self, name: str = "desc") -> str:
        """C++ that fills DirectML's own structs; `name` is that of the DML_OPERATOR_DESC.

        The lines go into a function: name, an identifier, is how all their variables begin, so that
        several descs fit in one. A null tensor is nullptr. The header is DirectML.h, of any version
        that has the operator.

        >>> from dmlindex import GatherOperatorDesc
        >>> print(GatherOperatorDesc.infer((4, 3), (2,)).to_cpp().splitlines()[-1])
        const DML_OPERATOR_DESC desc = {DML_OPERATOR_GATHER, &desc_fields};
        """
        from dmlindex.directml.cpp import desc_to_cpp

        return desc_to_cpp(self, name)
