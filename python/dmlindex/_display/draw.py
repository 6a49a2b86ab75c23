"""`dmlindex.draw`: a call as a picture."""

from __future__ import annotations

from typing import Any

from dmlindex._display.call import Call, call_of
from dmlindex._display.compose import composed
from dmlindex._display.picture import Picture
from dmlindex._display.story import story_of
from dmlindex._tracebacks import short_traceback


@short_traceback
def draw(op_or_function: Any, *arrays: Any, **options: Any) -> Picture:
    """The call `op_or_function(*arrays, **options)` as a picture: cells coloured by their origin.

    Parameters
    ----------
    op_or_function
        a function of dmlindex or its name, a function of yours with such a name, a compiled
        operator, or an operator desc (which runs on the CPU).
    arrays
        what it is called with. Of large ones the corners are shown, and what the indices that are
        shown point to.
    options
        the rest of the call: axis, mode, reduction, …

    Returns
    -------
    Picture
        A notebook shows it, `save("call.svg")` writes it, `svg` and `text` are the picture and what
        it says in words.

    Raises
    ------
    TypeError
        Where it is no call of an operator.

    Notes
    -----
    Each index and all that it reads or writes have one colour and one letter. Updates that a later
    one overwrites are hatched; an index out of range has a dashed edge, and so has the place that
    it points to, where nothing is. The call itself is made: where it raises, the picture shows the
    arguments and says why.

    Examples
    --------
    >>> import dmlindex
    >>> print(dmlindex.draw("gather", [[10, 11], [20, 21], [30, 31]], [2, 0]))
    gather(input, indices)
    input int64 (3, 2), indices int64 (2,), output int64 (2, 2)
    a: indices[0] = 2 reads input[2, :]
    b: indices[1] = 0 reads input[0, :]
    >>> print(dmlindex.draw("gather", [1, 2, 3], [5]).text.splitlines()[-1][:70])
    IndexError: gather: indices[0] = 5 is out of range for axis 0 of input
    """
    call: Call = call_of(op_or_function, arrays, options)
    return Picture(*composed(call, story_of(call)))
