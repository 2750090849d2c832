"""What a recipe may hold at all, whichever key it stands at: finite numbers, truth values, text, lists and tables.

Keys that nothing reads are looked at too: a NaN there is a slip of the pen, and would be kept with the results.
"""

from __future__ import annotations

import datetime
import math
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticKnownError

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.plain_numbers import is_number, is_whole

DEEPEST = 32  # tables within tables; a recipe has about four
LARGEST = 2**63 - 1  # what tables of results can hold
LONGEST = 120  # characters of a value in an error
WHITE = "\n\r\t"


def _no_text_nor_truth(given: Any) -> Any:
    """A truth value is no number, and neither is a number in quotes."""
    if isinstance(given, bool | str | bytes):
        raise PydanticKnownError("int_type")
    return given


NoTruth = BeforeValidator(_no_text_nor_truth)
Whole = Annotated[int, NoTruth]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Truth = Annotated[bool, Field(strict=True)]


def shown(given: object) -> str:
    """A value in an error: as TOML has it where that differs, and cut where it is long.

    >>> shown(True), shown("ten"), shown("x" * 1000)[-3:]
    ('true', "'ten'", 'x …')
    """
    if isinstance(given, bool):
        return str(given).lower()
    try:
        text = repr(given)
    except (RecursionError, ValueError):  # nested without end; or a number of too many digits to print
        return f"(a {type(given).__name__} too large to show)"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def check_plain(tables: Mapping[Any, Any], where: str) -> None:
    """Refuse what no key can take, and say where it stands.

    >>> check_plain({"training": {"lr": float("nan")}}, "mine.toml")
    Traceback (most recent call last):
    unseen.vocabulary.errors.UnseenError: mine.toml: training.lr = nan is no finite number; give one, or leave the key \
out.
    """
    waiting: list[tuple[tuple[str, ...], Any]] = [((), tables)]  # not by calling itself: tables may be nested deeply
    while waiting:
        path, value = waiting.pop()
        if len(path) > DEEPEST:
            raise UnseenError(
                f"{where}: '{'.'.join(path[:3])}…' is nested more than {DEEPEST} deep; a recipe has sections, their "
                "keys and little below. Is a bracket missing?"
            )
        if isinstance(value, Mapping):
            for key, below in value.items():
                _check_key(key, where)
                waiting.append(((*path, key), below))
        elif isinstance(value, list | tuple):
            waiting += [((*path, ""), below) for below in value]
        else:
            _check_value(".".join(filter(None, path)), value, where)


def _check_key(key: object, where: str) -> None:
    if not isinstance(key, str):
        raise UnseenError(f"{where}: the key {shown(key)} is no text; keys are names, such as 'epochs'.")
    if _controls(key):
        raise UnseenError(
            f"{where}: the key {shown(key)} holds a control character, which is not seen in an editor; type it again."
        )


def _check_value(key: str, value: object, where: str) -> None:
    if isinstance(value, str):
        if found := _controls(value.translate(dict.fromkeys(map(ord, WHITE)))):
            raise UnseenError(f"{where}: {key} = {shown(value)} holds the control character {found!r}; leave it out.")
    elif isinstance(value, datetime.date | datetime.time):
        raise UnseenError(
            f"{where}: {key} = {value.isoformat()} is a date or a time, and no key takes one. A number has no dashes "
            "or colons; text needs quotes."
        )
    elif is_whole(value):
        if abs(int(value)) > LARGEST:
            raise UnseenError(f"{where}: {key} = {shown(value)} is too large; whole numbers go up to 2^63 − 1 here.")
    elif is_number(value):
        if not math.isfinite(value):
            raise UnseenError(f"{where}: {key} = {shown(value)} is no finite number; give one, or leave the key out.")
    elif not isinstance(value, bool | Path | None):
        raise UnseenError(
            f"{where}: {key} is a {type(value).__name__}, which a recipe cannot keep; it holds numbers, truth values, "
            "text, lists and tables of them."
        )


def _controls(text: str) -> str:
    """Characters that are not to be seen: controls, and halves of a character."""
    return "".join(one for one in text if unicodedata.category(one) in ("Cc", "Cs"))
