"""The figures of a study that leaves one domain out: dots with intervals, left out beside trained on.

As in ``figures.py`` a maker takes the contents and gives a figure, or the reason why there is none.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from unseen.kinds.domains.shown import DomainContents, DomainRow, Domains
from unseen.kinds.domains.tables import same_images
from unseen.reports.charts import finite, interval_tips
from unseen.reports.figure import by_name, made_by
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import role
from unseen.reports.words import has_interval, interval, number, repeats

KINDS = {"trained on": "seen", "left out": "asked"}
HEIGHT = 260


def domains(contents: DomainContents) -> Figure | str:
    """Accuracy in each domain where it was left out, and where it was trained on."""
    found = contents.domains
    if not any(row.left_out.n for one in found for row in one.rows):
        return "Accuracy by domain: no trial that leaves a domain out has finished, so there is none."
    first = found[0]
    counts = [row.left_out.n for one in found for row in one.rows if row.left_out.n]
    spread = any(has_interval(row.left_out.low, row.left_out.high) for one in found for row in one.rows)
    bars = "bars are 95 % t intervals over repeats, cut at 0 and 1" if spread else "one repeat gives no interval"
    mean = "; that of the mean over domains is over domains" if any(len(one.rows) > 1 for one in found) else ""
    training = f", {first.learned}" if first.learned and len(found) == 1 else ""
    caption = (
        f"Accuracy on new images of each {first.factor}, by networks that never saw it (left out) and, on the same "
        f"images, by {first.compared} (trained on){training}: means over repeats "
        f"({repeats(counts)}), {bars}{mean}. "
        f"Diamonds: always saying the most frequent {first.category}. {same_images(max(one.draws for one in found))}"
    )
    keys = [Key(name, colour=role(colour), shape="circle") for name, colour in KINDS.items()]
    keys.append(Key(f"most frequent {first.category}", colour=role("muted"), shape="diamond"))
    made = tuple(Panel(one.model or f"accuracy by {one.factor}", dots(one), large=len(found) == 1) for one in found)
    return Figure("domains", f"Left out and trained on, by {first.factor}", caption, made, tuple(keys))


def points(found: Domains) -> list[dict[str, Any]]:
    """One entry per domain and kind of network; the mean over domains comes last."""
    made = []
    for row in _shown(found):
        for kind, one in (("trained on", row.trained), ("left out", row.left_out)):
            if finite(one.value) is None:
                continue
            bounded = has_interval(one.low, one.high)
            made.append(
                {
                    "domain": row.name,
                    "kind": kind,
                    "value": one.value,
                    "low": one.low if bounded else None,
                    "high": one.high if bounded else None,
                    "shown": number(one.value),
                    "interval": interval(one.low, one.high, one.n),
                    "n": one.n,
                    "images": row.counted,
                }
            )
    return made


def _shown(found: Domains) -> tuple[DomainRow, ...]:
    return (*found.rows, found.whole) if len(found.rows) > 1 else found.rows


def dots(found: Domains) -> alt.LayerChart:
    names = [row.name for row in _shown(found)]
    base = alt.Chart(alt.Data(values=points(found)))
    angle = 0 if sum(map(len, names)) < 34 else -30
    axis = alt.Axis(title=found.factor, labelAngle=angle, labelLimit=130, labelOverlap=False)
    x = alt.X("domain:N", sort=names, axis=axis, scale=alt.Scale(domain=names, paddingInner=0.35, paddingOuter=0.2))
    scale = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    side = alt.XOffset("kind:N", sort=list(KINDS), scale=alt.Scale(domain=list(KINDS)))
    usual = f"most frequent {found.category}"
    painted = {**{kind: role(name) for kind, name in KINDS.items()}, usual: role("muted")}
    colour = alt.Color("kind:N", scale=alt.Scale(domain=list(painted), range=list(painted.values())), title=None)
    tips = [
        alt.Tooltip("domain:N", title=found.factor),
        alt.Tooltip("kind:N", title="networks"),
        alt.Tooltip("shown:N", title="accuracy"),
        *interval_tips(),
        alt.Tooltip("images:N", title="images"),
    ]
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.2, opacity=0.55, tooltip=None)
    low = alt.Y("low:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    dot = base.mark_point(filled=True, opacity=1, size=85, strokeWidth=12, strokeOpacity=0)
    often = [
        {"domain": row.name, "majority": row.majority, "kind": usual}
        for row in _shown(found)
        if finite(row.majority) is not None
    ]
    most = alt.Chart(alt.Data(values=often)).mark_point(
        filled=True, shape="diamond", size=42, opacity=0.9, tooltip=None
    )
    guess = alt.Chart(alt.Data(values=[{"chance": found.chance}]))
    line = guess.mark_rule(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None)
    word = guess.mark_text(text="chance", align="left", dx=5, fontSize=10.5, color=role("muted"), tooltip=None)
    at = alt.Y("chance:Q", scale=scale)
    layers = [
        line.encode(at),
        word.encode(at, x=alt.value("width")),  # beside the line, where nothing is drawn
        most.encode(x, alt.Y("majority:Q", scale=scale), colour),
        bars.encode(x, low, alt.Y2("high:Q"), side, colour),
        dot.encode(x, y, side, colour, tooltip=tips),
    ]
    return alt.LayerChart(layer=layers, height=HEIGHT)


FIGURES = by_name(domains)


def figures(contents: DomainContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents)}
