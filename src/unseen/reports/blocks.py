"""What a page is made of: sections of text, charts, tables and pictures. Reports draw them and know no study.

>>> from unseen.reports.blocks import Page, Section, Table, Text
>>> section = Section("numbers", "Numbers", (Text("Two networks."), Table(("network", "accuracy"), (("a", "0.5"),))))
>>> Page("A study", "Does it?", "It does.", sections=(section,)).names
('numbers',)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.reports.drawing import Drawing
    from unseen.reports.figure import Figure


@dataclass(frozen=True)
class Text:
    """A paragraph of plain words; ``small`` ones stand below what they explain."""

    words: str
    small: bool = False


@dataclass(frozen=True)
class Table:
    """Plain cells under their heads. ``right``: heads of columns of numbers; ``wrap``: of long words. With ``fold`` the
    table is folded away behind these words."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[str, ...] = ()
    wrap: tuple[str, ...] = ()
    fold: str = ""


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure: drawn by the browser, and written as SVG and PNG beside the page under its own name."""

    figure: Figure


@dataclass(frozen=True, eq=False)
class Pictures:
    """A grid of pictures, already drawn as HTML; with a ``sheet`` it is also a file called ``name``."""

    body: str
    name: str = ""
    sheet: Drawing | None = None


@dataclass(frozen=True)
class Html:
    """What no other block says, already escaped."""

    body: str


Block = Text | Table | Chart | Pictures | Html


@dataclass(frozen=True, eq=False)
class Section:
    """A part of the page with a title. ``name`` is its anchor."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Page:
    """A whole report. In place of a section there may be a sentence that says why it is not there; all of these are
    told together, after the section ``flags`` or at the end. ``made``: "command", "run" and "written", how and when."""

    title: str
    question: str
    answer: str
    shows: str = ""
    sections: tuple[Section | str, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> tuple[Section, ...]:
        """The sections that are there, and one that says what was left out and why."""
        there = [part for part in self.sections if isinstance(part, Section)]
        if self.reasons:
            items = "\n".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
            names = [part.name for part in there]
            place = names.index("flags") + 1 if "flags" in names else len(names)
            body = Html(f'<ul class="left-out">\n{items}\n</ul>')
            there.insert(place, Section("left-out", "Left out", (body,)))
        return tuple(there)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why sections are not there."""
        return tuple(part for part in self.sections if isinstance(part, str))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(section.name for section in self.whole)

    @property
    def figures(self) -> dict[str, Figure]:
        """The charts of the page by name, in its order."""
        blocks = (block for section in self.whole for block in section.blocks)
        return {block.figure.name: block.figure for block in blocks if isinstance(block, Chart)}

    @property
    def sheets(self) -> dict[str, Drawing]:
        """Pictures that are also files, by name."""
        blocks = (block for section in self.whole for block in section.blocks)
        return {block.name: block.sheet for block in blocks if isinstance(block, Pictures) and block.sheet is not None}
