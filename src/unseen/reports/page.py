"""One HTML file that opens from disk with no network, and its figures as SVG and PNG beside it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from unseen.reports.answered import ANSWER_SHEETS, answer_sheets
from unseen.reports.contents import Contents
from unseen.reports.files import put, removed
from unseen.reports.palette import role, style_sheet
from unseen.reports.pictures import split_sheet, unit_sheet

if TYPE_CHECKING:
    from unseen.reports.figures import Figure


LIBRARIES = "window.vegaEmbed = vegaEmbed;"  # what the page calls; it brings Vega and Vega-Lite along


def write_report(contents: Contents, out: Path) -> Path:
    """Write ``out/report.html`` and ``out/figures/*``; give the page's path.

    Files appear whole or not at all; a report that was there before stays until the new one is complete.
    """
    from unseen.reports.figures import figures

    made = figures(contents)
    drawn = drawings(contents, made)
    whole = page(contents, made, drawn)
    _put_figures(drawn, Path(out))
    return put(Path(out) / "report.html", whole)


def figure_files(contents: Contents, out: Path) -> dict[str, Path]:
    """Write every figure as ``out/figures/NAME.svg`` and ``NAME.png`` (scale 2); give the SVG files by name.

    Figures of an earlier report that these contents do not have are removed, lest they be taken for theirs.
    """
    from unseen.reports.figures import figures

    return _put_figures(drawings(contents, figures(contents)), Path(out))


def drawings(contents: Contents, made: dict[str, Figure | str]) -> dict[str, str]:
    """Every figure as SVG, in light colours."""
    import vl_convert

    paper = role("paper")
    drawn = {"splits": split_sheet(contents.splits).svg(background=paper)} if contents.splits else {}
    for name, figure in made.items():
        if not isinstance(figure, str):
            drawn[name] = vl_convert.vegalite_to_svg(figure.whole().to_dict(), vl_version="6.4")
    drawn |= {name: sheet.svg(background=paper) for name, sheet in answer_sheets(contents).items()}
    if contents.units:
        drawn["units"] = unit_sheet(contents.units).svg(background=paper)
    return drawn


def _put_figures(drawn: dict[str, str], out: Path) -> dict[str, Path]:
    import vl_convert

    from unseen.kinds.conditions.figures import MATRIX_FIGURES
    from unseen.kinds.domains.figures import DOMAIN_FIGURES
    from unseen.kinds.exposure.figures import EXPOSURE_FIGURES
    from unseen.kinds.in_domain.figures import REGRESSION_FIGURES
    from unseen.reports.figures import FIGURES

    folder = out / "figures"
    known = {*FIGURES, *REGRESSION_FIGURES, *EXPOSURE_FIGURES, *MATRIX_FIGURES, *DOMAIN_FIGURES}
    for name in {"splits", "units", *ANSWER_SHEETS, *known} - set(drawn):
        removed(folder / f"{name}.svg", folder / f"{name}.png")
    for name, svg in drawn.items():
        put(folder / f"{name}.png", vl_convert.svg_to_png(svg, scale=2))
    return {name: put(folder / f"{name}.svg", svg) for name, svg in drawn.items()}


def page(contents: Contents, made: dict[str, Figure | str], drawn: dict[str, str]) -> str:
    """The whole page as text."""
    import vl_convert

    from unseen.reports.legend import legend
    from unseen.reports.sections import header, sections, written

    whole = sections(contents, made, drawn)
    body = [
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n'
        f'<h2 id="{section.name}-title">{escape(section.title)}</h2>\n{section.body}\n</section>'
        for section in whole
    ]
    words = legend("\n".join(body))
    body.append(
        f"<footer>{written(contents)} Every figure is also in the folder <code>figures</code> beside this page, "
        "as SVG and PNG.</footer>"
    )
    toc = "\n".join(f'<li><a href="#{section.name}">{escape(section.title)}</a></li>' for section in whole)
    scripts = ""
    if any(not isinstance(figure, str) for figure in made.values()):
        library = vl_convert.javascript_bundle(LIBRARIES, "6.4").replace("</script", "<\\/script")
        scripts = f"<script>{library}</script>\n<script>\n{_resource('page.js')}</script>"
    return Template(_resource("page.html")).substitute(
        title=escape(contents.title),
        style=style_sheet() + _resource("style.css"),
        header=header(contents, words),
        toc=toc,
        body="\n".join(body),
        scripts=scripts,
    )


def _resource(name: str) -> str:
    return files("unseen.reports").joinpath(name).read_text(encoding="utf-8")
