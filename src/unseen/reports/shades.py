"""Shares as shades of text, for a terminal of 80 columns: what training shows of each level, and of two at a time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

WIDTH = 80
SHADES = "░▒▓█"
NEVER, NONE = "·", " "
MOST_LEVELS = 48  # of a factor in one line; more are drawn in runs of equal length
ROWS, COLUMNS = 12, 40  # of the grid of a pair, at most
SHARES = f"{' '.join(SHADES)}  up to ¼, ½, ¾, all of the largest share"
LEGEND, ASKED_LEGEND = f"{NEVER} never in training   {SHARES}", f"{NEVER} never asked   {SHARES}"


def shade(shares: np.ndarray, most: float) -> str:
    """One letter per share, by quarters of the largest.

    >>> shade(np.array([0, 0.1, 0.4, np.nan]), 0.4)
    '·░█ '
    """
    places = np.ceil(4 * np.nan_to_num(shares) / max(most, 1e-12) - 1e-9).astype(int)
    letters = NEVER + SHADES
    return "".join(
        NONE if np.isnan(share) else letters[max(place, int(share > 0))] for share, place in zip(shares, places)
    )


def strips(shares: Mapping[str, np.ndarray], notes: Mapping[str, str] | None = None) -> str:
    """One line per factor: its name, its number of levels, and a shade for each level, with a note behind.

    >>> print(strips({"scale": np.array([0.5, 0.5, 0]), "x": np.full(12, 0.4)}, {"scale": "1 held out"}))
    scale   3 levels  ██·  1 held out
    x      12 levels  ████████████
    """
    most = max((float(np.nanmax(share, initial=0)) for share in shares.values()), default=0)
    label = min(max(map(len, shares), default=0), 18)
    digits = max((len(str(len(share))) for share in shares.values()), default=1)
    lines = []
    for name, share in shares.items():
        step = -(-len(share) // MOST_LEVELS)
        drawn = shade(_means(share, step), most)
        note = (notes or {}).get(name, "")
        said = [*([f"{step} levels a letter"] if step > 1 else []), *([note] if note else [])]
        line = f"{_cut(name, label):{label}}  {len(share):>{digits}} levels  {drawn}"
        tail = ", ".join(said)
        if tail:
            line += f"  {tail}" if len(line) + 2 + len(tail) <= WIDTH else f"\n{'':{label + digits + 11}}{tail}"
        lines.append(line)
    return "\n".join(lines)


def pair_grids(pairs: Sequence[tuple[str, np.ndarray]]) -> str:
    """Grids of shades with a line above each, side by side where two fit: at most ``ROWS`` × ``COLUMNS`` letters each.

    >>> print(pair_grids([("x × y", np.eye(2)), ("x × z", np.ones((2, 2)))]))
    x × y                                   x × z
    █·                                      ██
    ·█                                      ██
    """
    most = max((float(np.nanmax(share, initial=0)) for _, share in pairs), default=0)
    blocks = [[_cut(title, COLUMNS), *(shade(row, most) for row in share)] for title, share in pairs]
    lines: list[str] = []
    while blocks:
        left, right = blocks.pop(0), []
        start = max(max(map(len, left)) + 2, WIDTH // 2)
        if blocks and start + max(map(len, blocks[0])) <= WIDTH:
            right = blocks.pop(0)
        lines += [f"{a:{start}}{b}".rstrip() for a, b in itertools.zip_longest(left, right, fillvalue="")]
        lines.append("")
    return "\n".join(lines[:-1])


def _means(shares: np.ndarray, step: int) -> np.ndarray:
    if step == 1:
        return shares
    runs = [shares[start : start + step] for start in range(0, len(shares), step)]
    return np.array([np.nan if np.isnan(run).all() else np.nanmean(run) for run in runs])


def _cut(words: str, width: int) -> str:
    return words if len(words) <= width else f"{words[: width - 1]}…"
