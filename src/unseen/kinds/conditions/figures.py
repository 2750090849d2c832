"""The figures of a study whose networks train on some levels of a factor and are asked on all.

As in ``figures.py`` a maker takes the contents and gives a figure, or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unseen.kinds.conditions.panels import heat_map
from unseen.kinds.conditions.shown import ConditionContents
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import role
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


FIGURES: Mapping[str, Callable[[ConditionContents], Figure | str]] = {
    maker.__name__.replace("_", "-"): maker for maker in (matrix,)
}


def figures(contents: ConditionContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    made = {name: maker(contents) for name, maker in FIGURES.items()}
    return {**made, "losses": losses(contents, order=_groups(contents))}


def _groups(contents: ConditionContents) -> tuple[str, ...]:
    return tuple(dict.fromkeys(group for picture in contents.matrices for _, group in picture.rows))
