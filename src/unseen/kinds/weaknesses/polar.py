"""Accuracy around a circle: how far out, the more are known; the canonical level at the top."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from unseen.kinds.weaknesses.scores import AtLevel
from unseen.reports.drawing import Drawing, text
from unseen.reports.palette import role
from unseen.reports.words import interval, whole_percent

RADIUS, MARGIN = 118, 34
RINGS = (0.25, 0.5, 0.75, 1.0)
FEWEST = 5  # levels of a circle that is worth drawing


def polar(
    found: Mapping[str, Sequence[AtLevel]],
    at: Mapping[str, float],
    period: float,
    colours: Mapping[str, str],
    factor: str,
) -> Drawing:
    """A closed line for each model; ``at`` gives each level's number, ``period`` what a whole turn is."""
    side = 2 * (RADIUS + MARGIN)
    middle = side / 2
    stand = next((at[one.level] for own in found.values() for one in own if one.canonical), 0.0)

    def place(level: str, value: float) -> tuple[float, float]:
        angle = 2 * math.pi * (at[level] - stand) / period
        return middle + RADIUS * value * math.sin(angle), middle - RADIUS * value * math.cos(angle)

    parts = [
        f'<circle cx="{middle:g}" cy="{middle:g}" r="{RADIUS * ring:g}" fill="none" stroke="{role("grid")}" '
        f'stroke-width="{1.4 if ring == 1 else 1}"/>'
        for ring in RINGS
    ]
    levels = [one.level for one in max(found.values(), key=len, default=[])]
    for level in levels:
        x, y = place(level, 1.0)
        ending = f'stroke="{role("muted") if at[level] == stand else role("grid")}" stroke-width="1"'
        parts.append(f'<line x1="{middle:g}" y1="{middle:g}" x2="{x:.1f}" y2="{y:.1f}" {ending}/>')
        x, y = place(level, 1.12)
        parts.append(text(x, y + 3.5, _degree(at[level]), size=9.5, colour=role("muted"), anchor="middle"))
    for ring in RINGS[:-1]:
        words = f"{whole_percent(ring)} %"
        parts.append(text(middle + 4, middle + RADIUS * ring - 2, words, size=8.5, colour=role("muted")))
    for model, own in found.items():
        shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(one.level, one.score.value) for one in own))
        parts.append(
            f'<polygon points="{shape}" fill="{colours[model]}" fill-opacity="0.10" stroke="{colours[model]}" '
            f'stroke-width="2" stroke-linejoin="round"/>'
        )
        parts += [_dot(place(one.level, one.score.value), one, model, colours[model]) for one in own]
    return Drawing(side, side, "".join(parts), f"Accuracy at each level of {factor} around a circle")


def _dot(place: tuple[float, float], one: AtLevel, model: str, colour: str) -> str:
    i = one.score.interval
    words = f"{model}, {one.level}: {whole_percent(i.value)} % {interval(i.low, i.high, i.n)}, n = {i.n}"
    size = 4.6 if one.canonical else 2.8
    return f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{size}" fill="{colour}"><title>{words}</title></circle>'


def _degree(value: float) -> str:
    """
    >>> _degree(-27.6923), _degree(0.5)
    ('−28', '0.5')
    """
    shown = f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return shown.replace("-", "−") if float(shown) else "0"
