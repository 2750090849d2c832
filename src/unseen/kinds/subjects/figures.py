"""The figures of subjects: accuracy of each in every set, and by the levels of each factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from unseen.kinds.subjects.scores import by_level
from unseen.kinds.subjects.shown import SubjectAccuracy, SubjectContents
from unseen.reports.charts import DOT_TIPS, dot, finite, set_title, tips
from unseen.reports.figure import Figure, Key, Panel, keys_of
from unseen.reports.palette import role, series_colours
from unseen.vocabulary.subjects import TRAINED

MOST_LEVELS = 40  # of a factor that has a panel
ROW = 26  # pixels of a subject
OVER = {"people": "over people (t)", "images": "over images (exact binomial)", "repeats": "over repeats (t)"}


def over_words(all_of: Sequence[str]) -> str:
    """Over what intervals are."""
    return " and ".join(OVER[over] for over in OVER if over in all_of)


def accuracy(contents: SubjectContents) -> Figure | str:
    """Accuracy of every subject, a colour for each set."""
    who = contents.accuracies
    if not who:
        return "Subjects: no answer is about an image that this study asks."
    sets = list(dict.fromkeys(one.asked for one in who))
    targets = list(dict.fromkeys(one.target for one in who if one.kind != TRAINED)) or [who[0].target]
    colours = dict(zip(sets, series_colours(sets).values())) if len(sets) > 2 else {}
    colours = colours or dict(zip(sets, (role("seen"), role("asked")) if len(sets) == 2 else (role("asked"),)))
    made = tuple(Panel(target, _dots([one for one in who if one.target == target], colours)) for target in targets)
    networks = any(one.kind == TRAINED for one in who)
    own = " Networks trained here are asked every image of a set; the others answered some of them." if networks else ""
    gone = f" {contents.networks_left} more conditions of networks are not drawn." if contents.networks_left else ""
    over = over_words([one.over for one in who])
    bars = f" Bars are 95 % intervals {over}." if over else ""
    caption = f"Accuracy of each subject.{bars}{own}{gone} The dotted line is chance."
    keys = tuple(Key(set_title(name), colour=colour, shape="circle") for name, colour in colours.items())
    return Figure("subjects", "Who is right how often", caption, made, keys, wide=True)


def _dots(who: Sequence[SubjectAccuracy], colours: dict[str, str]) -> alt.LayerChart:
    names = list(dict.fromkeys(one.name for one in who))
    sets = list(colours)
    base = alt.Chart(alt.Data(values=[_point(one, {"who": one.name, "set": set_title(one.asked)}) for one in who]))
    named = [set_title(name) for name in sets]
    y = alt.Y("who:N", sort=names, title=None, axis=alt.Axis(labelLimit=220, grid=True), scale=alt.Scale(domain=names))
    side = alt.YOffset("set:N", sort=named, scale=alt.Scale(domain=named))
    scale = alt.Scale(domain=[0, 1], nice=False)
    colour = alt.Color("set:N", scale=alt.Scale(domain=named, range=list(colours.values())), title=None)
    x = alt.X("value:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.2, opacity=0.55, tooltip=None)
    dots = base.mark_point(filled=True, opacity=1, size=75, strokeWidth=12, strokeOpacity=0)
    pointed = tips({"who": "subject", "set": "images", "shown": "accuracy", **DOT_TIPS})
    layers = [
        _chance(who[0].chance, scale),
        bars.encode(y, alt.X("low:Q", scale=scale), alt.X2("high:Q"), side, colour),
        dots.encode(y, x, side, colour, tooltip=pointed),
    ]
    return alt.LayerChart(layer=layers, height=max(70, ROW * len(names) * max(1, len(sets) * 0.7)))


def _chance(value: float, scale: alt.Scale) -> alt.Chart:
    line = alt.Chart(alt.Data(values=[{"chance": finite(value)}])).transform_filter("isValid(datum.chance)")
    rule = line.mark_rule(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None)
    return rule.encode(alt.X("chance:Q", scale=scale))


def _point(one: Any, more: dict[str, Any]) -> dict[str, Any]:
    return more | dot(one.value, one.low, one.high, one.n, one.over)


def levels(contents: SubjectContents) -> Figure | str:
    """Accuracy of every subject from elsewhere at each level of a factor, over all sets; a panel for each factor."""
    if not contents.answers:
        return "Accuracy by level: no answers from elsewhere."
    first = contents.answers[0]
    target = first.targets.found()[0] if first.targets.found() else ""
    factors = [name for name in first.levels if 1 < len(first.levels[name]) <= MOST_LEVELS]
    colours = series_colours(one.subject.name for one in contents.answers)
    made, overs = [], set()
    for factor in factors:
        points = []
        for one in contents.answers:
            if factor not in one.places or target not in one.targets.found():
                continue
            here = one.targets.is_(target) & one.first
            for level, found in by_level(one, factor, here):
                overs.add(found.over)
                points.append(_point(found, {"who": one.subject.name, "level": level}))
        if points:
            made.append(Panel(factor, _by_level(points, first.levels[factor], factor, colours, first.chance(target))))
    if not made:
        return "Accuracy by level: the stored answers lack the levels of their images."
    caption = (
        f"Accuracy of {target} at each level of each factor, over all sets, whatever the others are. "
        f"Bars are 95 % intervals {over_words([*overs])}. The dotted line is chance."
    )
    keys = keys_of(colours, "circle")
    return Figure("levels", "Accuracy by level", caption, tuple(made), keys)


def _by_level(
    points: Sequence[dict[str, Any]], names: Sequence[str], factor: str, colours: dict[str, str], guess: float
) -> alt.LayerChart:
    base = alt.Chart(alt.Data(values=list(points)))
    there = [name for name in names if any(point["level"] == name for point in points)]
    angle = 0 if sum(map(len, there)) < 34 else -40
    axis = alt.Axis(title=factor, labelAngle=angle, labelLimit=120)
    x = alt.X("level:N", sort=there, axis=axis, scale=alt.Scale(domain=there))
    side = alt.XOffset("who:N", sort=list(colours), scale=alt.Scale(domain=list(colours)))
    scale = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    colour = alt.Color("who:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.8, opacity=0.5, tooltip=None)
    low = alt.Y("low:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    dots = base.mark_point(filled=True, opacity=1, size=50, strokeWidth=10, strokeOpacity=0)
    pointed = tips({"who": "subject", "level": factor, "shown": "accuracy", **DOT_TIPS})
    line = alt.Chart(alt.Data(values=[{"chance": finite(guess)}])).mark_rule(
        strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None
    )
    layers = [
        line.encode(alt.Y("chance:Q", scale=scale)),
        bars.encode(x, low, alt.Y2("high:Q"), side, colour),
        dots.encode(x, y, side, colour, tooltip=pointed),
    ]
    return alt.LayerChart(layer=layers, height=190)
