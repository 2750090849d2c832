"""What a split really holds: leakage, balance and counts, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split


@dataclass(frozen=True, eq=False)
class Audit:
    """Facts about a split. ``problems`` are what a reviewer would ask about; empty is good."""

    counts: Mapping[str, Int[np.ndarray, "rows columns"]]  # images per cell, for each row set
    per_row: Mapping[str, tuple[int, int]]  # least and most seen cells per level, by factor
    shared_images: Mapping[tuple[str, str], int]  # rows that two sets share: train or validation with a later one
    shared_instances: Mapping[tuple[str, str], int]  # source instances that two sets share
    copies: Mapping[tuple[str, str], int]  # instances of the second set that are other files of the first one's
    reused: int  # training instances used in more than one cell
    problems: tuple[str, ...]


def audit(split: Split, samples: Samples) -> Audit:
    """Enumerate a split and look for what should not be there. Probe rows are measured only, and left out; those that
    are listed must not be training rows."""
    names = [name for name in split.sets if name != "probe"]
    rows = {name: split.rows(samples, name) for name in names}
    instances = {name: _instances(samples, rows[name]) for name in names}
    counts = {name: _counts(samples, split, rows[name]) for name in names}
    content = _content(samples)
    shared_images, shared_instances, copies = {}, {}, {}
    if "probe" in split.sets and split["probe"].listed is not None:  # a rule draws its probe from the test pool
        listed = split.rows(samples, "probe")
        shared_images["train", "probe"] = len(np.intersect1d(rows["train"], listed))
    for left, right in _pairs(names):
        pair = (left, right)
        shared_images[pair] = len(np.intersect1d(rows[left], rows[right]))
        shared_instances[pair] = len(np.intersect1d(instances[left], instances[right]))
        if content is not None:
            others = np.setdiff1d(instances[right], instances[left])
            copies[pair] = int(np.isin(content[others], content[instances[left]]).sum())
    withheld = split.facts.get("withheld", {})
    kept = [np.delete(np.arange(n), withheld.get(f, [])) for f, n in zip(split.factors, counts["train"].shape)]
    seen = (counts["train"] > 0)[np.ix_(*kept)]  # what a design keeps out of training on purpose is no imbalance
    per_row = {
        split.factors[0]: (int(seen.sum(1).min()), int(seen.sum(1).max())),
        split.factors[1]: (int(seen.sum(0).min()), int(seen.sum(0).max())),
    }
    reused = _reused(samples, split, rows["train"], instances["train"])
    problems = _problems(split, counts, shared_images, shared_instances, copies, per_row, reused)
    return Audit(counts, per_row, shared_images, shared_instances, copies, reused, problems)


def _pairs(names: list[str]) -> list[tuple[str, str]]:
    """Training and validation against everything after them; test sets may share instances with each other."""
    return [
        (left, right)
        for place, left in enumerate(("train", "validation"))
        for right in names
        if left in names and right not in ("train", "validation")[: place + 1]
    ]


def _reused(samples: Samples, split: Split, rows: np.ndarray, instances: np.ndarray) -> int:
    """Instances that training shows in more than one cell."""
    numbers = samples.space.select(split.factors).numbers(samples.cells(rows, split.factors))
    _, cells = np.unique(np.unique(np.stack([instances, numbers]), axis=1)[0], return_counts=True)
    return int((cells > 1).sum())


def _instances(samples: Samples, rows: np.ndarray) -> np.ndarray:
    block, instance, _ = samples.locate(rows)
    starts = np.cumsum([0, *(b.instances for b in samples.blocks)])[:-1]
    return starts[block] + instance if len(rows) else rows


def _content(samples: Samples) -> np.ndarray | None:
    if any(block.content is None for block in samples.blocks):
        return None
    return np.concatenate([np.asarray(block.content) for block in samples.blocks])


def _counts(samples: Samples, split: Split, rows: np.ndarray) -> np.ndarray:
    space = samples.space.select(split.factors)
    numbers = space.numbers(samples.cells(rows, split.factors))
    return np.bincount(numbers, minlength=space.size).reshape(space.shape)


def _problems(
    split: Split,
    counts: Mapping[str, np.ndarray],
    shared_images: Mapping[tuple[str, str], int],
    shared_instances: Mapping[tuple[str, str], int],
    copies: Mapping[tuple[str, str], int],
    per_row: Mapping[str, tuple[int, int]],
    reused: int,
) -> tuple[str, ...]:
    found = []
    for (left, right), n in shared_images.items():
        if n:
            found.append(f"{n} images are in both '{left}' and '{right}'")
    for (left, right), n in shared_instances.items():
        if n and not shared_images[left, right]:
            found.append(f"{n} instances are in both '{left}' and '{right}' (disjoint by {split.pools.by})")
    for (left, right), n in copies.items():
        if n:
            found.append(f"{n} images of '{right}' are identical copies of images of '{left}'")
    if "validation" not in counts:
        found.append("no validation set: the epoch would be chosen on training images")
    if reused:
        found.append(f"{reused} training instances are used in more than one cell (diversity is confounded with reuse)")
    for name, (least, most) in per_row.items():
        if most > least:
            asked = split.facts.get("balance") == "nearly_balanced"
            words = "nearly balanced, as asked" if asked else "not exactly balanced"
            found.append(f"levels of {name} are seen in {least} to {most} cells ({words})")
    train = counts["train"][counts["train"] > 0]
    if len(train) and train.max() - train.min() > 1:
        found.append(f"training cells hold {train.min()} to {train.max()} images")
    if "unseen" in counts and ((counts["train"] > 0) & (counts["unseen"] > 0)).any():
        overlap = int(((counts["train"] > 0) & (counts["unseen"] > 0)).sum())
        found.append(f"{overlap} cells are both trained on and asked as 'unseen'")
    return tuple(found)
