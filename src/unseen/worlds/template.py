"""Path templates: how the factors of an image are read from where it lies.

``{category}/{azimuth}/*.png`` says: the first folder is the category, the second the azimuth. ``*`` stands for anything
within one name, ``**`` for any number of folders, ``?`` for one character. ``{view:d}`` matches digits only, which
parts two fields that touch (``{model}{view:d}.png``). Where a delimiter occurs more often than the template has it, the
last one counts: ``{instance}-{view}.png`` reads ``cup-2-90.png`` as instance ``cup-2``, view ``90``. ``{view:bins=8}``
reads as ``{view}`` does and puts the views into eight bins; ``{view:d:bins=8}`` does both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.bins import option

_PIECES = re.compile(r"\{([^{}]*)\}|(\*\*/)|(\*\*)|(\*)|(\?)|([^{}*?]+)|([{}])")
_WILD = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


@dataclass(frozen=True)
class Template:
    """A compiled path template.

    >>> coil = Template("obj{object}__{view}.png")
    >>> coil.fields, coil.match("obj7__355.png"), coil.match("readme.txt")
    (('object', 'view'), ('7', '355'), None)
    >>> coil.format(object=7, view=355)
    'obj7__355.png'
    """

    text: str
    fields: tuple[str, ...] = field(init=False)
    bins: dict[str, int] = field(init=False, repr=False, compare=False)
    pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pieces = _pieces(self.text)
        fields: list[str] = []
        bins: dict[str, int] = {}
        pattern = ""
        for number, (kind, piece) in enumerate(pieces):
            if kind == "literal":
                pattern += re.escape(piece)
            elif kind == "wild":
                pattern += _WILD[piece]
            else:
                named = _field(piece, self.text)
                bins |= {} if named.bins is None else {named.name: named.bins}
                if named.name in fields:
                    pattern += f"(?P={named.name})"  # named twice: the same text both times
                else:
                    fields.append(named.name)
                    pattern += f"(?P<{named.name}>{_body(pieces, number, self.text)})"
        object.__setattr__(self, "fields", tuple(fields))
        object.__setattr__(self, "bins", bins)
        object.__setattr__(self, "pattern", re.compile(pattern))

    def match(self, path: str) -> tuple[str, ...] | None:
        """The values of :attr:`fields` in a path with forward slashes, or None."""
        found = self.pattern.fullmatch(path)
        return None if found is None else tuple(found.group(name) for name in self.fields)

    def format(self, wild: str = "x", **values: object) -> str:
        """The path of given values: the inverse of :meth:`match`; every wildcard becomes ``wild``."""
        parts = []
        for kind, piece in _pieces(self.text):
            if kind == "field":
                parts.append(str(values[_field(piece, self.text).name]))
            else:
                any_text = {"**/": "", "?": wild[:1]}.get(piece, wild)
                parts.append(piece if kind == "literal" else any_text)
        return "".join(parts)

    def read(self, paths: Iterable[str]) -> tuple[list[str], dict[str, list[str]], list[str]]:
        """Paths that match, their values field by field, and the paths that do not match."""
        columns: dict[str, list[str]] = {name: [] for name in self.fields}
        matched, rest = [], []
        for path in paths:
            values = self.match(path)
            if values is None:
                rest.append(path)
                continue
            matched.append(path)
            for column, value in zip(columns.values(), values):
                column.append(value)
        return matched, columns, rest


def _pieces(text: str) -> list[tuple[str, str]]:
    pieces = []
    for found in _PIECES.finditer(text):
        if found.group(7):
            raise UnseenError(f"template '{text}' has an unmatched '{found.group(7)}'; a factor is written {{name}}.")
        if found.group(1) is not None:
            pieces.append(("field", found.group(1)))
        else:
            pieces.append(("literal" if found.group(6) else "wild", found.group(0)))
    return pieces


class _Field(NamedTuple):
    name: str
    digits: bool = False
    bins: int | None = None


def _field(piece: str, text: str) -> _Field:
    name, *forms = piece.split(":")
    counts = [count for form in forms if (count := option(form)) is not None]
    if (
        not name.isidentifier()
        or forms.count("d") > 1
        or len(counts) > 1
        or len(forms) > forms.count("d") + len(counts)
    ):
        raise UnseenError(
            f"template '{text}' has the field {{{piece}}}; a factor's name is letters, digits and '_', "
            "as in {azimuth}, {azimuth:d} for digits only, or {azimuth:bins=8} for eight bins."
        )
    return _Field(name, "d" in forms, counts[0] if counts else None)


def _body(pieces: list[tuple[str, str]], number: int, text: str) -> str:
    own = _field(pieces[number][1], text)
    following = pieces[number + 1] if number + 1 < len(pieces) else ("literal", "")
    if own.digits:
        return r"\d+"
    if following[0] == "field" and not _field(following[1], text).digits:
        raise UnseenError(
            f"template '{text}': nothing parts {{{own.name}}} from {{{following[1]}}}; write a delimiter between them, "
            f"or {{{following[1]}:d}} if it is a number."
        )
    return r"[^/]+?" if following[0] == "field" else r"[^/]+"
