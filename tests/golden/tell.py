"""What `unseen` says about a packed study, as files: through the command line and `unseen.open_study`, nothing else.

    python tests/golden/tell.py PACK FOLDER [--report]

writes FOLDER/tidy.csv, summary.csv, terminal.txt, api-tidy.csv and api-summary.csv; with --report also report.txt,
findings.txt and figures.csv, all three read off report.html. Days, paths and the words of a machine are left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

BLOCKS = {"p", "li", "tr", "h1", "h2", "h3", "dt", "dd", "summary", "figcaption", "footer", "section", "details", "br"}
SKIPPED = {"script", "style", "svg", "pre", "nav"}  # pre: the recipe, whose every default is written out
MACHINE = re.compile(r"^((training time|machine|system|python|torch) \|| ?unseen \| \d+\.\d+\.)")
DAYS = re.compile(r"^(Run|Written by unseen) .*\d{4}-\d\d-\d\d")


def said(*words: object) -> str:
    """What a command prints on a terminal of 80 columns."""
    from unseen.cli import main

    sys.argv = ["unseen", *map(str, words)]
    out, code = io.StringIO(), 0
    with contextlib.redirect_stdout(out):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code
    assert not code, (words, code, out.getvalue())
    return out.getvalue()


class Page(HTMLParser):
    """The text of a page, a line for each block; its findings; the specification of each chart under its name."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.findings: list[str] = []
        self.charts: list[tuple[str, str]] = []
        self.skipping, self.listing, self.specified, self.label = 0, False, False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in SKIPPED:
            self.skipping += 1
            self.specified = given.get("class") == "specification"
            if self.specified:
                self.charts.append((self.label, ""))
        if given.get("class") == "chart":
            self.label = given.get("aria-label") or ""
        if tag == "ul":
            self.listing = given.get("class") == "findings"
        if tag in BLOCKS:
            self._end()
        if tag == "section":
            self.lines += [f"[{given.get('id')}]", ""]
        if tag in ("td", "th", "span") and self.lines[-1]:
            self.lines[-1] += " | "

    def handle_endtag(self, tag: str) -> None:
        if tag in SKIPPED:
            self.skipping, self.specified = self.skipping - 1, False
        if tag == "li" and self.listing:
            self.findings.append(_flat(self.lines[-1]))
        if tag == "ul":
            self.listing = False
        if tag in BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if self.specified:
            name, text = self.charts[-1]
            self.charts[-1] = (name, text + data)
        if not self.skipping:
            self.lines[-1] += data

    def _end(self) -> None:
        if self.lines[-1].strip():
            self.lines.append("")


def _flat(text: str) -> str:
    return " ".join(text.split())


def text_of(page: Page) -> str:
    lines = filter(None, map(_flat, page.lines))
    return "\n".join(line for line in lines if not MACHINE.match(line) and not DAYS.match(line)) + "\n"


def drawn(page: Page) -> str:
    """What every chart draws: of each field of its data the number of rows, of different values, and the sum."""
    told = ["chart,data,field,rows,different,sum"]

    def values(part: object) -> list[list[dict]]:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        own = [part["values"]] if isinstance(part, dict) and isinstance(part.get("values"), list) else []
        return [o for o in own if o and all(isinstance(row, dict) for row in o)] + [v for i in inner for v in values(i)]

    for name, text in page.charts:
        for place, rows in enumerate(values(json.loads(text))):
            for field in dict.fromkeys(key for row in rows for key in row):
                found = [row.get(field) for row in rows]
                total = sum(v for v in found if isinstance(v, int | float) and not isinstance(v, bool))
                told.append(f'"{name}",{place},"{field}",{len(found)},{len(set(map(str, found)))},{total!r}')
    return "\n".join(told) + "\n"


def tell(pack: Path, folder: Path, report: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pack, before = pack.resolve(), Path.cwd()
    os.chdir(folder)
    try:
        if not Path("study").exists():
            said("unpack", pack, "study")
        if report:
            answer = said("report", "study").partition("report: ")[0]
            page = Page()
            page.feed(Path("study/report/report.html").read_text(encoding="utf-8"))
            figures = sorted(path.name for path in Path("study/report/figures").glob("[!.]*"))
            whole = f"{answer}\n{text_of(page)}[files]\n" + "\n".join(figures) + "\n"
            Path("report.txt").write_text(whole, encoding="utf-8")
            Path("findings.txt").write_text("\n".join(page.findings) + "\n", encoding="utf-8")
            Path("figures.csv").write_text(drawn(page), encoding="utf-8")
            return
        import unseen

        Path("tidy.csv").write_text(said("results", "study", "--tidy", "--format", "csv"), encoding="utf-8")
        Path("summary.csv").write_text(said("results", "study", "--format", "csv"), encoding="utf-8")
        Path("terminal.txt").write_text(said("results", "study"), encoding="utf-8")
        opened = unseen.open_study("study")
        Path("api-tidy.csv").write_text(opened.results().fill_nan(None).write_csv(), encoding="utf-8")
        Path("api-summary.csv").write_text(opened.summary().fill_nan(None).write_csv(), encoding="utf-8")
    finally:
        os.chdir(before)


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "TERM": "dumb"}  # before the terminal is made
    tell(Path(sys.argv[1]), Path(sys.argv[2]), "--report" in sys.argv[3:])
