"""Tables and paragraphs on a terminal, within its width."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.table import Table
from rich.text import Text


def bare_table(*columns: str) -> Table:
    """Columns under bold heads, without lines around them."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_table(console: Console, table: Table) -> None:
    """A table without the blanks that rich leaves at the end of its lines."""
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.print(Text.from_ansi(line.rstrip()), no_wrap=True, overflow="ignore", crop=False)


def print_hanging(console: Console, text: str) -> None:
    """Lines that are too long go on below their own beginning, not at the margin; paths stay whole."""
    indent = " " * (len(text) - len(text.lstrip()))
    lines = textwrap.wrap(text, console.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
