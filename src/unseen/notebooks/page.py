"""A written page in a notebook: its path, as a link, and the page itself where it is asked for."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from urllib.parse import quote


class WrittenPage(type(Path())):  # a Path of this system, on Python 3.11 too
    """The path of a page; in a notebook a link to it. :meth:`show` puts the page itself into the notebook."""

    def show(self, height: int = 700) -> Shown:
        """The page in a frame of so many pixels. The notebook then holds a copy of it, of a megabyte or more."""
        frame = f'width="100%" height="{height}" style="border:1px solid #8888"'
        return Shown(f'<iframe {frame} srcdoc="{escape(self.read_text(encoding="utf-8"))}"></iframe>', str(self))

    def _repr_html_(self) -> str:
        try:
            place = os.path.relpath(self)
        except ValueError:  # another drive
            place = str(self)
        return f'<a href="{quote(Path(place).as_posix())}" target="_blank">{escape(place)}</a>'


class Shown:
    """HTML that a notebook shows."""

    def __init__(self, html: str, words: str) -> None:
        self.html, self.words = html, words

    def __repr__(self) -> str:
        return f"<page {self.words}>"

    def _repr_html_(self) -> str:
        return self.html
