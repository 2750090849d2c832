"""A study whose networks train on every domain but one (design ``leave_one_out``): answers by domain.

What a network knows of a domain that it never saw is compared with what a network knows of it that did, on the same
images and, unless the design says otherwise, trained on as many: else a domain that was never seen could not be told
from one that is hard.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import damaged
from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.responses import COLUMNS

DESIGN, NOTHING = "leave_one_out", "none"
BOUND, OTHERS = (
    "all domains",
    "another domain left out",
)  # what the networks were trained on that a domain is compared by


@dataclass(frozen=True, eq=False)
class DomainAnswers:
    """The answers of one network to new images. ``unseen`` marks those of the domain left out; ``domain`` and
    ``category`` are places in ``domains`` and ``categories``."""

    model: str
    repeat: int
    left_out: str
    domains: tuple[str, ...]
    categories: tuple[str, ...]
    sample: Int[np.ndarray, " images"]
    domain: Int[np.ndarray, " images"]
    category: Int[np.ndarray, " images"]
    right: Bool[np.ndarray, " images"]
    unseen: Bool[np.ndarray, " images"]
    facts: LeftOut


@dataclass(frozen=True, eq=False)
class Domain:
    """One domain, of one model. Numbers are by repeat, NaN where there is no such trial.

    ``left_out``: of networks that never saw it, on the ``images`` they were asked. ``same``: of these networks,
    ``trained``: of networks that did see it, and ``gap``, how much more these know: all three on the ``shared`` images
    that both were asked, and NaN in a repeat that lacks one of the two. ``others``: of the networks that never saw it,
    on new images of the domains they were trained on. ``majority``: of who always says the most frequent category.
    ``by_category``: of ``left_out``, with the images of each. ``learned``: how many training images the networks
    had, those that never saw it and those that did, of each pair.
    """

    name: str
    left_out: Float[np.ndarray, " repeats"]
    same: Float[np.ndarray, " repeats"]
    trained: Float[np.ndarray, " repeats"]
    gap: Float[np.ndarray, " repeats"]
    others: Float[np.ndarray, " repeats"]
    images: Float[np.ndarray, " repeats"]
    shared: Float[np.ndarray, " repeats"]
    majority: Float[np.ndarray, " repeats"]
    by_category: Mapping[str, tuple[np.ndarray, int]]
    learned: frozenset[tuple[int, int]] = frozenset()
    not_asked: tuple[str, ...] = ()
    not_asked_images: int = 0

    @property
    def unpaired(self) -> int:
        """Repeats that have no gap, though the domain was left out in them."""
        return int((np.isfinite(self.left_out) & ~np.isfinite(self.gap)).sum())

    @property
    def partly(self) -> bool:
        """Whether a gap is of fewer images, or fewer repeats, than were asked where the domain was left out."""
        paired = np.isfinite(self.gap)
        return bool(paired.any()) and (self.unpaired > 0 or bool((self.shared[paired] < self.images[paired]).any()))


def read_trial(record: Record, model: str, repeat: int) -> DomainAnswers:
    """The answers of one finished trial."""
    from pyarrow import ArrowException

    about, category, folder = LeftOut.of(record.split_facts), record.facts["factors"][0], record.folder
    column = about.factor if about.factor not in COLUMNS else f"factor_{about.factor}"
    try:
        table = read_answers(folder, "set", "target", "sample", "truth", "response", column)
        asked, targets, truth, response, domain = (
            words(table, name) for name in ("set", "target", "truth", "response", column)
        )
        sample = np.asarray(table["sample"].combine_chunks())
    except (OSError, KeyError, ArrowException) as error:
        raise damaged(folder, error) from error
    right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
    kept = targets.is_(category) & (asked.is_("seen") | asked.is_("unseen"))
    return DomainAnswers(
        model, repeat, str(about.left_out), domain.names, truth.names, sample[kept], domain.places[kept],
        truth.places[kept], right[kept], asked.is_("unseen")[kept], about,
    )  # fmt: skip


def by_domain(record: Record) -> Iterator[dict[str, Any]]:
    """Accuracy of one trial in each domain (``level``) that it was asked, for the tidy table."""
    one, category = read_trial(record, "", 0), record.facts["factors"][0]
    for place, name in enumerate(one.domains):
        for asked, of in (("seen", ~one.unseen), ("unseen", one.unseen)):
            right = one.right[of & (one.domain == place)]
            if len(right):
                head = {"measure": "accuracy by domain", "set": asked, "target": category, "level": name}
                yield {**head, "value": float(right.mean()), "n": len(right)}


def domain_numbers(answered: Sequence[DomainAnswers]) -> tuple[list[Domain], str]:
    """What is known of each domain that was left out, of one model, and by which networks it is compared: those of all
    domains or, where there are none, those that left out another."""
    repeats = sorted({one.repeat for one in answered})
    bound = any(one.left_out == NOTHING for one in answered)
    order = dict.fromkeys(name for one in answered for name in one.domains)
    found = []
    for name in order:
        mine = [one for one in answered if one.left_out == name]
        if not mine or not any(one.unseen.any() for one in mine):
            continue
        rest = [one for one in answered if (one.left_out == NOTHING if bound else one.left_out not in (NOTHING, name))]
        found.append(_domain(name, mine, rest, repeats))
    return found, BOUND if bound else OTHERS


def _domain(name: str, mine: Sequence[DomainAnswers], rest: Sequence[DomainAnswers], repeats: Sequence[int]) -> Domain:
    keys = ("left_out", "same", "trained", "gap", "others", "images", "shared", "majority")
    numbers = {key: np.full(len(repeats), np.nan) for key in keys}
    learned: set[tuple[int, int]] = set()
    for place, repeat in enumerate(repeats):
        own = [one for one in mine if one.repeat == repeat]
        known = [one for one in rest if one.repeat == repeat and name in one.domains]
        if not own:
            continue
        found = {
            "left_out": _mean([one.right[one.unseen] for one in own]),
            "others": _mean([one.right[~one.unseen] for one in own]),
            "images": float(np.mean([one.unseen.sum() for one in own])),
            "majority": float(np.mean([_majority(one) for one in own])),
        }
        here = [~one.unseen & (one.domain == one.domains.index(name)) for one in known]
        both = set.intersection(
            *(set(one.sample[one.unseen].tolist()) for one in own),
            *(set(one.sample[at].tolist()) for one, at in zip(known, here)),
        )
        if known and both:
            images = np.array(sorted(both))
            trained = _mean([one.right[at & np.isin(one.sample, images)] for one, at in zip(known, here)])
            same = _mean([one.right[one.unseen & np.isin(one.sample, images)] for one in own])
            found |= {"same": same, "trained": trained, "gap": trained - same, "shared": float(len(images))}
            learned |= set(itertools.product(_learned(own), _learned(known)))
        for key, value in found.items():
            numbers[key][place] = value
    facts = [one.facts for one in mine]
    return Domain(
        name, **numbers, by_category=_by_category(mine, repeats), learned=frozenset(learned),
        not_asked=tuple(dict.fromkeys(str(kind) for one in facts for kind in one.not_asked)),
        not_asked_images=max(one.not_asked_images for one in facts),
    )  # fmt: skip


def _learned(networks: Sequence[DomainAnswers]) -> set[int]:
    """How many training images they had, where it was noted."""
    return {one.facts.images for one in networks if one.facts.images is not None}


def _majority(one: DomainAnswers) -> float:
    """The share of the most frequent category among the images of the domain left out."""
    asked = one.category[one.unseen]
    return float(np.bincount(asked).max() / len(asked)) if len(asked) else float("nan")


def _by_category(mine: Sequence[DomainAnswers], repeats: Sequence[int]) -> dict[str, tuple[np.ndarray, int]]:
    """Accuracy by repeat and images (their mean) of each category, by name: its number may be another in each trial."""
    found = {}
    for name in dict.fromkeys(name for one in mine for name in one.categories):
        at = [
            one.unseen & (one.category == (one.categories.index(name) if name in one.categories else -1))
            for one in mine
        ]
        if not any(here.any() for here in at):
            continue
        values = [_mean([one.right[here] for one, here in zip(mine, at) if one.repeat == r]) for r in repeats]
        found[name] = (np.array(values), round(float(np.mean([here.sum() for here in at]))))
    return found


def _mean(parts: Sequence[np.ndarray]) -> float:
    """The mean over networks (training seeds of one split) of their accuracies; NaN where nothing was asked."""
    values = [float(part.mean()) for part in parts if len(part)]
    return float(np.mean(values)) if values else float("nan")
