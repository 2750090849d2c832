"""Which values are numbers: Python's and numpy's alike, truth values not. Keep them as ``int`` or ``float``."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeGuard


def is_whole(given: object) -> TypeGuard[int]:
    """
    >>> import numpy as np
    >>> is_whole(np.int64(3)), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(given, Integral) and not isinstance(given, bool)


def is_number(given: object) -> TypeGuard[float]:
    """
    >>> import numpy as np
    >>> is_number(np.float32(3)), is_number("3"), is_number(True)
    (True, False, False)
    """
    return isinstance(given, Real) and not isinstance(given, bool)
