"""Colours: one table, light and dark, told apart with every common kind of colour vision.

Figures are drawn once, with the light colours. On the page each colour becomes a CSS variable, so that a figure follows
the reader's light or dark setting by itself; the files in ``figures/`` keep the light ones.
"""

from __future__ import annotations

from collections.abc import Iterable

# name: (light, dark). No two light colours may be equal, or themed() could not tell them apart.
ROLES = {
    "paper": ("#fffffd", "#15181b"),
    "ink": ("#1d2125", "#e4e7ea"),
    "muted": ("#5d666e", "#9ba5ae"),
    "grid": ("#e2e5e8", "#30363c"),
    "heat": ("#15568f", "#7cc0f5"),
    "seen": ("#1c6fb1", "#62aeea"),
    "asked": ("#c2500a", "#f2914f"),
}
# From networks that share nothing to networks that share all: blue to vermilion (after Okabe and Ito).
SERIES = {
    "separate": ("#0072b2", "#4fa9e6"),
    "split-1": ("#4aa5d8", "#9ad4f7"),
    "split-2": ("#008f68", "#2fc397"),
    "split-3": ("#c98a00", "#f0bb45"),
    "shared": ("#d55e00", "#f58a45"),
    "shared-wide": ("#b0568d", "#e095c2"),
}
OTHERS = (
    ("#4b3fa0", "#a69bf0"),
    ("#7b7a1c", "#c5c45a"),
    ("#8a2f4f", "#e07f9f"),
    ("#1f7f80", "#5cc4c5"),
    ("#8c5a3c", "#d3a283"),
    ("#6c6f73", "#b3b7bb"),
)


def series_order(names: Iterable[str]) -> list[str]:
    """Known architectures from separate to shared, then the others as they come.

    >>> series_order(["shared", "mine", "separate"])
    ['separate', 'shared', 'mine']
    """
    given = list(dict.fromkeys(names))
    return [name for name in SERIES if name in given] + [name for name in given if name not in SERIES]


def series_colours(names: Iterable[str]) -> dict[str, str]:
    """A light colour for each series: its own where it has one, else the next that is free.

    >>> series_colours(["shared"])
    {'shared': '#d55e00'}
    """
    order = series_order(names)
    taken = [name for name in order if name in SERIES]
    free = [SERIES[name][0] for name in SERIES if name not in taken] + [light for light, _ in OTHERS]
    if taken:  # beside known architectures, the colours of the absent ones would mislead
        free = [light for light, _ in OTHERS]
    others = iter(name for name in order if name not in SERIES)
    return {name: SERIES[name][0] for name in taken} | {
        name: free[index % len(free)] for index, name in enumerate(others)
    }


def role(name: str) -> str:
    return ROLES[name][0]


def _variables() -> dict[str, tuple[str, str, str]]:
    named = {**ROLES, **SERIES, **{f"other-{index}": pair for index, pair in enumerate(OTHERS)}}
    return {light: (f"--{name}", light, dark) for name, (light, dark) in named.items()}


def themed(text: str) -> str:
    """The same drawing or specification, with each colour of the table as a CSS variable."""
    for light, (variable, _, _) in _variables().items():
        text = text.replace(light, f"var({variable})")
    return text


def style_sheet() -> str:
    """The variables' values, light and dark."""
    light = "".join(f"{name}:{value};" for name, value, _ in _variables().values())
    dark = "".join(f"{name}:{value};" for name, _, value in _variables().values())
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"@media print{{:root{{color-scheme:light;{light}}}}}\n"
    )
