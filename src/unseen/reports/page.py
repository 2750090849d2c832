"""One HTML file that opens from disk with no network, and its figures as SVG and PNG beside it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from unseen.reports.blocks import Page
from unseen.reports.files import put, removed
from unseen.reports.palette import role, style_sheet
from unseen.version import __version__

if TYPE_CHECKING:
    from unseen.reports.drawing import Drawing
    from unseen.reports.figure import Figure

OURS = ".figures"  # in the folder of figures: the names of those that we wrote
FIGURE = re.compile(r'id="figure-([\w-]+)"')


def write_report(page: Page, out: Path) -> Path:
    """Write ``out/report.html`` and ``out/figures/*``; give the page's path.

    Files appear whole or not at all; a report that was there before stays until the new one is complete.
    """
    stills = drawings(page)
    whole = page_html(page, stills)
    _put_figures(stills, Path(out))
    return put(Path(out) / "report.html", whole)


def figure_files(page: Page, out: Path) -> dict[str, Path]:
    """Write every figure as ``out/figures/NAME.svg`` and ``NAME.png`` (scale 2); give the SVG files by name.

    Figures of an earlier report that this page does not have are removed, lest they be taken for its own.
    """
    return _put_figures(drawings(page), Path(out))


def drawings(page: Page) -> dict[str, str]:
    """Every figure and every sheet of pictures as SVG, in light colours."""
    return {name: drawn(one) for name, one in {**page.sheets, **page.figures}.items()}


def drawn(one: Figure | Drawing) -> str:
    """A figure or a sheet of pictures as SVG, in light colours."""
    import vl_convert

    from unseen.reports.figure import Figure

    if isinstance(one, Figure):
        return vl_convert.vegalite_to_svg(one.whole().to_dict(validate=False), vl_version="6.4")
    return one.svg(background=role("paper"))


def _put_figures(drawn: Mapping[str, str], out: Path) -> dict[str, Path]:
    import vl_convert

    folder = out / "figures"
    for name in _earlier(out) - set(drawn):
        removed(folder / f"{name}.svg", folder / f"{name}.png")
    for name, svg in drawn.items():
        put(folder / f"{name}.png", vl_convert.svg_to_png(svg, scale=2))
    files = {name: put(folder / f"{name}.svg", svg) for name, svg in drawn.items()}
    if folder.is_dir():
        put(folder / OURS, "\n".join(files))
    return files


def _earlier(out: Path) -> set[str]:
    """The figures that were written here before: as they were noted, else as the page names them. Other files in the
    same folder are none of ours."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return set((out / "figures" / OURS).read_text(encoding="utf-8").split())
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return set(FIGURE.findall((out / "report.html").read_text(encoding="utf-8")))
    return set()


def page_html(page: Page, drawn: Mapping[str, str]) -> str:
    """The whole page as text."""
    from unseen.reports.blocks_html import section_html
    from unseen.reports.legend import legend
    from unseen.reports.vega import vega

    body = [section_html(section, drawn) for section in page.whole]
    words = legend("\n".join(body))
    body.append(
        f"<footer>{written(page)} Every figure is also in the folder <code>figures</code> beside this page, "
        "as SVG and PNG.</footer>"
    )
    toc = "\n".join(f'<li><a href="#{section.name}">{escape(section.title)}</a></li>' for section in page.whole)
    scripts = ""
    if page.figures:
        library = vega().replace("</script", "<\\/script")
        scripts = f"<script>{library}</script>\n<script>\n{_resource('page.js')}</script>"
    return Template(_resource("page.html")).substitute(
        title=escape(page.title),
        style=style_sheet() + _resource("style.css"),
        header=header(page, words),
        toc=toc,
        body="\n".join(body),
        scripts=scripts,
    )


def header(page: Page, legend: str = "") -> str:
    shows = f'<p class="small">{escape(page.shows)}</p>' if page.shows else ""
    run, command = page.made.get("run", ""), page.made.get("command", "")
    how = f"Run {escape(run)}" if run else ""
    how += f"{' by' if how else 'Run by'} <code>{escape(command)}</code>" if command else ""
    return (
        f"<header>\n<h1>{escape(page.title)}</h1>\n"
        f'<p class="question">{escape(page.question)}</p>\n'
        f'<p class="answer">{escape(page.answer)}</p>\n{shows}'
        f"{f'<p class=small>{how}.</p>' if how else ''}{legend}\n</header>"
    )


def written(page: Page) -> str:
    """Who made the page, and when."""
    when = page.made.get("written", "")
    return f"Written by unseen {__version__}{f' on {escape(when)}' if when else ''}."


def _resource(name: str) -> str:
    return files("unseen.reports").joinpath(name).read_text(encoding="utf-8")
