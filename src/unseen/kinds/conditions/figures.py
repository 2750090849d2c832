"""The figures of a study whose networks train on some levels of a factor and are asked on all.

As in ``figures.py`` a maker takes the contents and gives a figure, or the reason why there is none.
"""

from __future__ import annotations

from unseen.kinds.conditions.panels import heat_map
from unseen.kinds.conditions.shown import ConditionContents
from unseen.kinds.conditions.strengths import MOST_LINES, by_strength, lines
from unseen.reports.figure import by_name, keys_of, made_by
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import role, series_colours
from unseen.reports.words import has_interval, number, repeats


def matrix(contents: ConditionContents) -> Figure | str:
    """Trained on (rows) × asked (columns), ours and, where it is known, what is published beside it."""
    found = contents.matrices
    if not any(picture.n.any() for picture in found):
        return "Matrix: no trial has finished, so there is none."
    made = [Panel(picture.model or "this study", heat_map(picture, published=False)) for picture in found]
    first = found[0]
    known = first.published is not None
    if known:
        made.append(Panel("published", heat_map(first, published=True)))
    counts = [int(n) for picture in found for n in picture.n.ravel() if n]
    spread = any(has_interval(low, high) for p in found for low, high in zip(p.low.ravel(), p.high.ravel()))
    caption = (
        f"Accuracy in per cent on new images, by what was trained on (rows) and the {first.factor} asked (columns): "
        f"means over repeats ({repeats(counts)}); chance is {number(first.chance, percent=True)}. Framed cells were "
        f"trained on. "
        f"{'The 95 % t intervals are in the tooltips and the table.' if spread else 'One repeat gives no interval.'}"
    )
    if known:
        caption += " The published numbers are of other pictures and networks; a dash is a number that is not known."
    keys = [Key("trained on", colour=role("asked")), Key("more correct, fuller", colour=role("heat"))]
    return Figure("matrix", "What was trained on and what was asked", caption, tuple(made), tuple(keys))


def strengths(contents: ConditionContents) -> Figure | str:
    """Accuracy against level, a panel for each distortion that is asked at several strengths."""
    made, drawn = [], dict[str, None]()
    for picture in contents.matrices:
        names = [name for (name, _), n in zip(picture.rows, picture.n) if n.any()][:MOST_LINES]
        colours = series_colours(names)
        for base, levels in by_strength(picture.columns).items():
            people = {at: contents.observed[at] for _, at in levels if at in contents.observed}
            title = f"{picture.model}: {base}" if picture.model else base
            made.append(Panel(title, lines(picture, levels, colours, people)))
            drawn |= dict.fromkeys(names)
    if not made:
        return "Accuracy against level: no distortion is asked at several strengths (levels such as name@0.1)."
    first = contents.matrices[0]
    counts = [int(n) for picture in contents.matrices for n in picture.n.ravel() if n]
    caption = (
        f"Accuracy on new images against the strength of a distortion, in the order of the recipe, by what was "
        f"trained on (at most {MOST_LINES} conditions): means over repeats ({repeats(counts)}) with 95 % t "
        f"intervals; dotted is chance, {number(first.chance, percent=True)}."
    )
    keys = [*keys_of(series_colours(drawn))]
    if contents.observed:
        caption += " Diamonds are human observers of photographs, with the range from the lowest to the highest."
        keys.append(Key(first.observers_name or "observers", colour=role("ink"), shape="diamond"))
    return Figure("strengths", "Accuracy against level", caption, tuple(made), tuple(keys))


FIGURES = by_name(matrix, strengths)


def figures(contents: ConditionContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents, order=_groups(contents))}


def _groups(contents: ConditionContents) -> tuple[str, ...]:
    return tuple(dict.fromkeys(group for picture in contents.matrices for _, group in picture.rows))
