"""How often the audit calls near-copies a fault: where nothing leaks, and where some copies do.

    python -m bench.near_copy_alarms --repeats 400

Things look alike in clusters: every picture of one thing resembles every picture of the others of its cluster. Things
go to training, validation and test by chance (7 : 1 : 2), and a share of them is in clusters so that the rate of
near-copies in training is the baseline. An alarm is one in any of the three pairs of sets. A leak gives test images a
copy in training. ``before`` is the rule that was replaced: more than the expected number and
three times its square root, with the baseline of training for all pairs, from 2,000 images. Copies that are as good as
the same picture are told whatever this rule says, and not simulated.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unseen.measures.near_copies import Resemblance, counted_as
from unseen.studies.resembling import LOOKED_AT

BASELINES = (0.0, 0.001, 0.01, 0.05, 0.4)
ASKED = (100, 1000, 4000, 20_000)  # test images
KINDS = {"pairs": (2, 1), "clusters of 10": (10, 1), "pairs, 8 images each": (2, 8), "clusters of 10, 8 each": (10, 8)}
PLANTED = (1, 3, 10, 50)
SHARES = (0.7, 0.1, 0.2)


@dataclass(frozen=True, eq=False)
class Dealt:
    """Things with their set (0 training, 1 validation, 2 test) and cluster (-1 for none), each in ``images``."""

    where: np.ndarray
    cluster: np.ndarray
    images: int

    def alike(self, rng: np.random.Generator, some: np.ndarray, among: np.ndarray) -> np.ndarray:
        """For each of ``some`` things one of its cluster, but itself, in ``among``; -1 where there is none."""
        order = among[np.argsort(self.cluster[among], kind="stable")]
        own = self.cluster[some]
        start, end = (np.searchsorted(self.cluster[order], own, side=side) for side in ("left", "right"))
        itself = np.isin(some, among)
        others = np.where(own >= 0, end - start - itself, 0)
        place = start + (rng.random(len(some)) * np.maximum(others, 1)).astype(np.int64)
        found = order[np.minimum(place, len(order) - 1)]
        return np.where(others > 0, np.where(found == some, order[np.minimum(end - 1, len(order) - 1)], found), -1)


def dealt(rng: np.random.Generator, asked: int, baseline: float, cluster: int, images: int) -> Dealt:
    things = max(10, round(asked / SHARES[2] / images))
    share = min(1.0, baseline / (1 - (1 - SHARES[0]) ** (cluster - 1)))
    number = np.full(things, -1)
    alike = rng.permutation(things)[: rng.binomial(things, share)]
    number[alike] = np.arange(len(alike)) // cluster
    cuts = np.cumsum([round(one * things) for one in SHARES[:2]])
    where = np.digitize(np.arange(things), cuts)
    return Dealt(rng.permutation(where), number, images)


def resemblances(
    rng: np.random.Generator, world: Dealt, planted: int, looked_at: int = LOOKED_AT, own_baseline: bool = True
) -> list[Resemblance]:
    """What an audit would count in each pair of sets."""
    train, validation, test = (np.flatnonzero(world.where == one) for one in range(3))
    looked = np.repeat(train, world.images)
    looked = looked[rng.choice(len(looked), looked_at, replace=False)] if len(looked) > looked_at else looked
    found = []
    for left, rights in ((train, (validation, test)), (validation, (test,))):
        among = rng.choice(train, min(len(train), len(left)), replace=False) if own_baseline else train
        of = world.alike(rng, looked, among)
        clumped = counted_as(looked[of >= 0], of[of >= 0])
        for right in rights:
            asked = np.repeat(right, world.images)
            theirs = world.alike(rng, asked, left)
            if planted and right is test and left is train:
                copied = rng.permutation(np.flatnonzero(theirs < 0))[:planted]
                theirs[copied] = rng.choice(train, len(copied))
            near = theirs >= 0
            found.append(
                Resemblance(
                    int(near.sum()), len(asked), int((of >= 0).sum()), len(looked),
                    counted_as(asked[near], theirs[near]), clumped, judged=3,
                )
            )  # fmt: skip
    return found


def rates(
    asked: int, baseline: float, kind: tuple[int, int], planted: int, repeats: int, seed: int = 0
) -> Mapping[str, float]:
    """The share of audits that alarm, by the rule before and now."""
    rng = np.random.default_rng([seed, asked, round(1000 * baseline), *kind, planted])
    before = now = 0
    for _ in range(repeats):
        world = dealt(rng, asked, baseline, *kind)
        old = resemblances(rng, world, planted, looked_at=2000, own_baseline=False)
        before += any(one.near > one.expected + 3 * math.sqrt(one.expected) for one in old)
        now += not all(one.natural for one in resemblances(rng, world, planted))
    return {"before": before / repeats, "now": now / repeats}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--asked", type=int, nargs="*", default=ASKED)
    parser.add_argument("--planted", type=int, nargs="*", default=PLANTED)
    arguments = parser.parse_args()
    print(f"alarms in % of {arguments.repeats} audits, before → now")
    print(f"{'kind':<24}{'asked':>7}{'base':>7}" + "".join(f"{f'{n} planted':>14}" for n in (0, *arguments.planted)))
    worst = {"before": 0.0, "now": 0.0}
    for name, kind in KINDS.items():
        for asked in arguments.asked:
            for baseline in BASELINES:
                cells = []
                for planted in (0, *arguments.planted):
                    one = rates(asked, baseline, kind, planted, arguments.repeats)
                    cells.append(f"{100 * one['before']:>6.0f} → {100 * one['now']:<4.0f}")
                    worst = {rule: max(worst[rule], one[rule]) for rule in worst} if not planted else worst
                print(f"{name:<24}{asked:>7,}{baseline:>7g}" + "".join(f"{cell:>14}" for cell in cells), flush=True)
    print(f"most false alarms: before {100 * worst['before']:.1f} %, now {100 * worst['now']:.1f} %")


if __name__ == "__main__":
    main()
