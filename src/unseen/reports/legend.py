"""Words of the page that a newcomer may not know, explained where the page begins; only those that it uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape, unescape

WORDS: Mapping[str, tuple[str, str]] = {  # word: how it is found in the page, what it means
    "cell": (r"\bcells?\b", "one combination of levels: this category at that viewpoint."),
    "seen": (r"\bseen\b", "cells that the network had training images of. Test images of them are new images."),
    "unseen, OOD": (r"\bOOD\b|\bunseen\b|held-out", "cells without any training image (out of distribution)."),
    "asked": (r"\basked\b", "shown to the trained network as a test image, to see what it answers."),
    "world": (r"\bworlds?\b", "where the images come from: a folder, a data set or a renderer, with known factors."),
    "trial": (r"\btrials?\b", "one trained network: one condition with one seed."),
    "n": (
        r"\bn = \d",
        "how many repeats (choices of held-out cells, draws, models or seeds) a number rests on. Intervals in brackets "
        "are 95 % intervals over them.",
    ),
    "chance": (r"\bchance\b", "accuracy of guessing among all classes."),
    "geometric mean": (r"geometric mean", "of the accuracies of all targets: low as soon as one of them is."),
    "specialization": (
        r"specialization",
        "how much a unit prefers one level of a factor (selectivity) whatever the other factor is (invariance).",
    ),
    "ours": (
        r"\(ours\)|beside ours|\bours −",
        "our own numbers beside published ones; of a choice: ours, not a paper's.",
    ),
}


def legend(body: str) -> str:
    """The words that occur in a page's body, in a fold."""
    words = unescape(re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", body, flags=re.DOTALL))
    items = "".join(
        f"<dt>{escape(word)}</dt><dd>{escape(meaning)}</dd>"
        for word, (pattern, meaning) in WORDS.items()
        if re.search(pattern, words, re.IGNORECASE)
    )
    if not items:
        return ""
    return f'<details class="legend"><summary>Words on this page</summary><dl>{items}</dl></details>'


MARKS: Mapping[str, str] = {
    "✓ holds": "the number lies on the side that was expected, and chance would put it there in fewer than 5 of 100 "
    "such pages.",
    "✗ does not hold": "it lies on the other side, as surely.",
    "○ open": "neither is sure, and the finding says why: the interval includes zero, there are fewer than three "
    "repeats, all repeats coincide or share one draw, or it could be chance among so many comparisons.",
    "no claim": "a number told beside the others; nothing was expected of it.",
    "n": "repeats that the finding rests on, and what they are. Networks that share a draw of cells or categories, or "
    "differ by their seed alone, are one repeat of it: they are averaged first.",
    "p, corrected": "how often chance alone gives such a number; among many comparisons some are bound to be rare, so "
    "p is corrected for how many the page makes (Holm), and the corrected one decides.",
    "the rules": "docs/guide/verdicts.md has each with its reason, its false alarms and what it can find.",
}
HINT = '<p class="scroll-hint">The picture goes on to the right: scroll it sideways.</p>'
POINT = '<span class="mouse"> Point at a cell for its name and count.</span>'  # hidden where there is no mouse
