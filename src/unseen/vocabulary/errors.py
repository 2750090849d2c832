"""Errors that teach: what was given, what is possible, the likely fix.

Everything a user can get wrong raises an :class:`UnseenError`; the command line prints its message and no traceback.
Our own invariants are plain ``assert``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnseenError(Exception):
    """Something the user can mend; the message says how."""


class StoreBusy(UnseenError):
    """Another process is running this study."""


def listed(names: Iterable[object], most: int = 12) -> str:
    """Names in a row, cut where there are too many to read.

    >>> listed(["a", "b", "c"], most=2)
    'a, b … (3 in all)'
    """
    words = [str(name) for name in names]
    if len(words) <= most:
        return ", ".join(words) if words else "none"
    return f"{', '.join(words[:most])} … ({len(words)} in all)"


def nearest(given: object, possible: Iterable[object]) -> str | None:
    """The possible name most like the given one, if any is close; else the only one that it begins.

    >>> nearest("azimut", ["azimuth", "model"]), nearest("val", ["train", "validation"])
    ('azimuth', 'validation')
    """
    words = {str(name).lower(): str(name) for name in possible}
    word = str(given).lower()
    found = difflib.get_close_matches(word, list(words), n=1, cutoff=0.5)
    if not found and len(begun := [name for name in words if word and name.startswith(word)]) == 1:
        found = begun
    return words[found[0]] if found else None


def unknown(kind: str, given: object, possible: Iterable[object], where: str = "") -> UnseenError:
    """The error for a name that is not in a table.

    >>> print(unknown("factor", "azimut", ["model", "azimuth"], where="world 'cars'"))
    no factor 'azimut' in world 'cars'; possible: model, azimuth. Did you mean 'azimuth'?
    """
    names = list(possible)
    place = f" in {where}" if where else ""
    guess = nearest(given, names)
    hint = f" Did you mean '{guess}'?" if guess else ""
    return UnseenError(f"no {kind} '{given}'{place}; possible: {listed(names)}.{hint}")
