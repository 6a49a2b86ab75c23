"""`dmlindex.explain`: what a call or a descriptor means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dmlindex._core import CompiledOperator
from dmlindex._explain import report
from dmlindex._explain.elsewhere import LIBRARIES, differences, lacks
from dmlindex._explain.elsewhere_calls import CALLS
from dmlindex._explain.form import Form, form_of_call, form_of_desc, form_of_operator
from dmlindex._explain.formula import GENERAL, formula
from dmlindex._explain.numpy_idiom import numpy_idiom
from dmlindex._explain.words import GENERAL_WORDS, words
from dmlindex._operators import PARAMETERS
from dmlindex._tracebacks import short_traceback
from dmlindex._types import CompiledMode
from dmlindex.directml.descs import OperatorDesc


@dataclass(frozen=True)
class Equivalent:
    """The same call in another library: its code, if it has such a call, and how it differs."""

    library: str
    code: tuple[str, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """What a call or a descriptor means; `print` it, or let a notebook show it.

    Attributes
    ----------
    title
        the operator.
    words
        sentences.
    formula
        index algebra; empty for a desc that is not valid.
    ranges
        the letters of the formula, and where each ends.
    numpy
        lines of NumPy that equal the call: arrays x, i and u go in, u of x's dtype; y comes out.
    equivalents
        the call in ONNX, PyTorch, JAX and WebNN.
    report
        of a desc, as plain data: valid, tensors, violations, feature level, plan.
    """

    title: str
    words: tuple[str, ...]
    formula: str = ""
    ranges: tuple[str, ...] = ()
    numpy: tuple[str, ...] = ()
    equivalents: tuple[Equivalent, ...] = ()
    report: dict[str, Any] | None = None

    def __str__(self) -> str:
        lines = [self.title] if self.report is None else report.shapes_in_words(self.report)
        lines += [f"  {sentence}" for sentence in self.words]
        if self.formula:
            lines += ["", f"  {self.formula}", *(f"    {line}" for line in self.ranges)]
        if self.report is not None and self.report["valid"]:
            lines += ["", *report.plan_in_words(self.report)]
        if self.numpy:
            lines += ["", "NumPy:", *(f"  {line}" for line in self.numpy)]
        for each in self.equivalents:
            lines += ["", f"{each.library}:", *(f"  {line}" for line in each.code)]
            lines += [f"  ({sentence})" for sentence in each.differences]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dmlindex._display.explanation import explanation_html

        return explanation_html(self)


@short_traceback
def explain(what: Any, *arrays: Any, **options: Any) -> Explanation:
    """What a call, an operator or a descriptor means, in words, index algebra and code.

    Parameters
    ----------
    what
        a function of dmlindex or its name, an operator desc, or a compiled operator.
    arrays
        what a function would be called with; nothing runs, and only shapes and types count. None of
        them for what it means in general.
    options
        the rest of the call: axis, mode, reduction, …

    Returns
    -------
    Explanation
        Print it, or let a notebook show it. A desc that is not valid is explained by its broken
        rules.

    Raises
    ------
    TypeError, ValueError
        Where the function would refuse such arrays or options.

    Examples
    --------
    >>> import numpy as np
    >>> x, i = np.zeros((2, 4, 3)), np.zeros((2, 5, 1), np.int64)
    >>> found = explain("gather_nd", x, i, batch_dims=1)
    >>> found.formula
    'output[b, q, s] = input[b, indices[b, q, 0], s]'
    >>> print(*found.numpy)
    y = x[(*np.indices((2, 5), sparse=True)[:1], *np.moveaxis(i, -1, 0))]
    """
    if isinstance(what, CompiledOperator):
        _refuse_arrays(what, arrays, options)
        return _of_desc(what.desc, what.mode, form_of_operator(what))
    if isinstance(what, OperatorDesc):
        _refuse_arrays(what, arrays, options)
        form = None if what.violations() else form_of_desc(what, "directml")
        return _of_desc(what, "directml", form)
    name = what if isinstance(what, str) else getattr(what, "__name__", "")
    if name not in PARAMETERS:
        shown = repr(what) if isinstance(what, str) else f"a {type(what).__name__}"
        raise TypeError(
            f"explain: what is {shown}, expected a function of dmlindex ({', '.join(PARAMETERS)}), "
            "its name, a CompiledOperator or an operator desc"
        )
    if not arrays and not options:
        return Explanation(name, GENERAL_WORDS[name], GENERAL[name])
    return _of_form(name, form_of_call(name, arrays, options))


def _refuse_arrays(what: Any, arrays: tuple[Any, ...], options: dict[str, Any]) -> None:
    if arrays or options:
        raise TypeError(f"explain: a {type(what).__name__} takes no more arguments: it has its own")


def _of_form(title: str, form: Form) -> Explanation:
    algebra = formula(form)
    found = tuple(
        Equivalent(
            library.title,
            () if lacks(library, form) else tuple(CALLS[name](form)),
            tuple(differences(library, form)),
        )
        for name, library in LIBRARIES.items()
    )
    return Explanation(
        title, words(form), algebra.text, tuple(algebra.legend()), tuple(numpy_idiom(form)), found
    )


def _of_desc(desc: OperatorDesc, mode: CompiledMode, form: Form | None) -> Explanation:
    """Of a desc that is not valid there is no form."""
    told = report.desc_report(desc, mode)
    if form is None:
        return Explanation(desc.operator, (), report=told)
    return replace(_of_form(desc.operator, form), report=told)
