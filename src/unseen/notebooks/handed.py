"""What an opened thing hands on, as it is, from what it holds."""

from __future__ import annotations

from operator import attrgetter
from typing import Any


def handed(place: str, says: str = "") -> Any:
    """A property that reads ``place`` of its owner (``"inner.seed"``); ``says`` is what ``help`` tells of it.

    >>> class Opened:
    ...     real: float = handed("inner.real", "Its real part.")
    ...     def __init__(self, inner): self.inner = inner
    >>> Opened(2 + 1j).real, Opened.real.__doc__
    (2.0, 'Its real part.')
    """
    return property(attrgetter(place), doc=says or None)
