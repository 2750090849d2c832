"""Tables 1 and 3 of a study of variability, with the published ones beside them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unseen.kinds.variability.points import percent
from unseen.kinds.variability.shown import ClassHalves, NetworkRow, VariabilityContents
from unseen.measures import Interval
from unseen.reports.blocks import Html, Section
from unseen.reports.tables import table
from unseen.reports.words import has_interval

PAPER = ("pose", "background", "size", "position", "light")  # the order of Table 1


def ordered(factors: Sequence[str]) -> list[str]:
    """
    >>> ordered(["light", "pose", "hat"])
    ['pose', 'light', 'hat']
    """
    return [name for name in PAPER if name in factors] + [name for name in factors if name not in PAPER]


def whole(value: float) -> str:
    """Points without decimals, for the ends of intervals."""
    text = f"{100 * value:+.0f}"
    return "0" if text[1:] == "0" else text.replace("-", "−")


def points(one: Interval | None, *, ends: bool = True) -> str:
    """
    >>> points(Interval(-0.42, -0.5, -0.34, 5)), points(Interval(-0.42, float("nan"), float("nan"), 1)), points(None)
    ('−42.0 [−50, −34]', '−42.0', '–')
    """
    if one is None or one.value != one.value:
        return "–"
    bounds = f" [{whole(one.low)}, {whole(one.high)}]" if ends and has_interval(one.low, one.high) else ""
    return f"{percent(one.value)}{bounds}"


def level(one: Interval | None) -> str:
    """
    >>> level(Interval(0.7226, 0.7, 0.74, 5)), level(None)
    ('72.3', '–')
    """
    return "–" if one is None or one.value != one.value else f"{100 * one.value:.1f}"


def gap_sections(contents: VariabilityContents) -> list[Section]:
    made = []
    if contents.networks:
        made.append(Section("networks", "Shown canonical pictures only", (Html(_networks(contents)),)))
    if contents.halves:
        made.append(Section("classes", "Classes seen varying, and the others", (Html(_halves(contents)),)))
    return made


def _networks(contents: VariabilityContents) -> str:
    factors = ordered(contents.factors)
    heads = ["network", "trained", "held out", *factors, "average", "n"]
    rows = [_line(row, factors, str(row.held_out.n)) for row in contents.networks]
    objects = max((one.n for row in contents.networks for one in row.over_objects.values()), default=0)
    n = max(row.held_out.n for row in contents.networks)
    first = (
        f"Accuracy in % on canonical pictures of trained and of held-out objects, and the gap of each factor in points "
        f"(Ibrahim et al. 2022, Table 1). Intervals are 95 % t intervals over {n} {contents.over}."
    )
    if n == 1:
        first = first.replace(f"95 % t intervals over {n} {contents.over}", "below, over objects: there is one repeat")
    body = table(heads, rows, right=heads[1:]) + f'<p class="small">{escape(first)}</p>'
    if objects:
        own = [[row.name, *(points(row.over_objects.get(name)) for name in factors)] for row in contents.networks]
        words = (
            f"The same gaps with bootstrap intervals over all {objects} objects asked, resampled within their "
            f"classes, then over pictures: they say what other objects would change, not what other training would."
        )
        body += table(["network", *factors], own, right=factors) + f'<p class="small">{escape(words)}</p>'
    if contents.beside:
        theirs = [_line(row, factors, "") for row in contents.beside]
        body += (
            f"<details><summary>The published table ({len(theirs)} lines)</summary>"
            f"{table(heads[:-1], [line[:-1] for line in theirs], right=heads[1:-1])}"
            f'<p class="small">Source: {escape(contents.published_source)}.</p></details>'
        )
    return body


def _line(row: NetworkRow, factors: Sequence[str], n: str) -> list[str]:
    gaps = [points(row.gaps.get(name)) for name in factors]
    return [row.name or "one network", level(row.trained), level(row.held_out), *gaps, points(row.average), n]


def _halves(contents: VariabilityContents) -> str:
    factors = ordered(contents.factors)
    heads = ["network", "classes", *factors]
    rows = [line for half in contents.halves for line in _of_half(half, factors)]
    words = (
        "Gap in points, in the factor that varied in training, of held-out objects of the classes that were seen "
        "varying and of the others (Ibrahim et al. 2022, Table 3)."
    )
    body = table(heads, rows, right=factors) + f'<p class="small">{escape(words)}</p>'
    if contents.published_halves:
        theirs = [
            [half.name, *(points(half.others.get(name)) for name in factors)] for half in contents.published_halves
        ]
        body += (
            f"<details><summary>The published table ({len(theirs)} lines; the paper calls it the gap when half of the "
            f"classes were seen varying)</summary>{table(['network', *factors], theirs, right=factors)}</details>"
        )
    return body


def _of_half(half: ClassHalves, factors: Sequence[str]) -> list[list[str]]:
    name = half.name or "one network"
    groups = (("seen varying", half.exposed), ("never", half.others))
    return [[name, words, *(points(own.get(factor)) for factor in factors)] for words, own in groups]
