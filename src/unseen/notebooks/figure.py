"""A figure of a study in a notebook: drawn here and now, so that it shows without a network, with its caption."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unseen.notebooks.html import card, line, picture
from unseen.vocabulary.errors import UnseenError, listed

if TYPE_CHECKING:
    import altair as alt

FORMS = (".svg", ".png", ".pdf")
CHART_FORMS = (*FORMS, ".html", ".json")


class OpenedFigure:
    """What ``study.figure`` gives. ``svg`` is what it shows; ``chart`` the Altair chart behind it, to be changed or
    joined with others (None for grids and images, which are no charts); ``caption`` says what is drawn, with its
    intervals and n."""

    def __init__(self, name: str, svg: str, *, title: str, caption: str = "", chart: alt.TopLevelMixin | None = None):
        self.name, self.svg, self.title, self.caption, self.chart = name, svg, title, caption, chart

    def save(self, path: str | Path) -> Path:
        """Write it as SVG, PNG or PDF, a chart also as HTML (interactive) or JSON (Vega-Lite), by the name's ending."""
        import vl_convert

        path, forms = Path(path), FORMS if self.chart is None else CHART_FORMS
        kind = path.suffix.lower()
        if kind not in forms:
            raise UnseenError(f"'{path}' ends with '{path.suffix}'; figure '{self.name}' is saved as {listed(forms)}.")
        if not path.parent.is_dir():
            raise UnseenError(f"'{path}' would lie in '{path.parent}', which is no folder here.")
        if kind in FORMS:
            made = {
                ".svg": self.svg.encode,
                ".png": lambda: vl_convert.svg_to_png(self.svg, scale=2),
                ".pdf": lambda: vl_convert.svg_to_pdf(self.svg),
            }
            path.write_bytes(made[kind]())
        else:
            assert self.chart is not None
            self.chart.save(str(path), inline=True) if kind == ".html" else self.chart.save(str(path))
        return path

    def __repr__(self) -> str:
        return f"<figure '{self.name}': {self.title}>"

    def _repr_html_(self) -> str:
        """As a PNG of double size: the letters of an SVG have other widths on every machine, and would overlap."""
        import vl_convert

        png = vl_convert.svg_to_png(self.svg, scale=2)
        shown = picture(png, self.title, width=int.from_bytes(png[16:20]) / 2)  # as its header says
        return card(self.title, shown, line(self.caption, muted=True))
