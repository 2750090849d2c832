"""What can be done where whole objects do not fill three pools. Only what helps is offered: each way is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unseen.vocabulary.instances import IMAGE, NOTHING, alone
from unseen.vocabulary.pools import POOLS, Pools, things
from unseen.vocabulary.samples import Samples

THIRDS = (0.34, 0.33, 0.33)
MORE_EVEN = ((0.6, 0.2, 0.2), (0.5, 0.25, 0.25), THIRDS)


def keeps_groups(samples: Samples, pools: Pools) -> bool:
    """Whether images stay together by a factor, so that a pool has whole objects."""
    return pools.by != NOTHING and not alone(samples, pools.by)


def things_told(samples: Samples, pools: Pools) -> str:
    """How many objects there are to share out, in a sentence; "" where every image stands alone."""
    if not keeps_groups(samples, pools):
        return ""
    groups, row = things(samples, pools.by, pools.within), next(iter(pools.within or ()), None)
    if row is None or not all(row in block.stored for block in samples.blocks):
        return f"Pools are disjoint by {pools.by}, of which there are {len(np.unique(groups))}."
    pairs = np.unique(np.stack([samples.groups(row), groups]), axis=1)[0]
    each = np.bincount(pairs, minlength=len(samples.space[row]))
    least = int(each.argmin())
    fewest = f"{row} {samples.space[row].texts[least]} has {each[least]}"
    short = f", and {len(POOLS)} pools need {len(POOLS)} at least" if each[least] < len(POOLS) else ""
    return f"Pools are disjoint by {pools.by}: {fewest}{short}."


def ways_apart(samples: Samples, pools: Pools, factors: tuple[str, ...], works: Callable[[Pools], bool]) -> list[str]:
    """Other shares, or images in place of objects, where these fill what a design needs."""
    if not keeps_groups(samples, pools):
        return []
    ways = []
    shares = next((one for one in MORE_EVEN if works(replace(pools, shares=one))), None)
    if shares is not None:
        ways.append(f"share them out more evenly (design.shares = {list(shares)})")
    if works(replace(pools, by=IMAGE, within=factors)):
        ways.append(f'set design.disjoint_by = "{IMAGE}" (training and testing then share every {pools.by})')
    return ways
