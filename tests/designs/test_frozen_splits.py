"""Rows that must never change: of worlds without an instance factor, and of those with one that is called so.

Results in stores rest on them. A change here raises a VERSION, and is a reviewed act.
"""

import hashlib

import numpy as np
import pytest
from grids import digits, photos

from unseen.designs import (
    decorrelate,
    expose,
    from_lists,
    hold_out_combinations,
    hold_out_levels,
    leave_one_out,
    matrix,
)
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples


def transformed():
    space = FactorSpace({"category": range(4), "transformation": ("none", "blur", "flip")})
    return Samples(space, (Block(120, {"category": np.arange(120) % 4}, grid=("transformation",)),))


def named_instance():
    category, instance, view, _ = (axis.ravel() for axis in np.indices((4, 20, 4, 2)))
    space = FactorSpace(
        [Factor("category", tuple("abcd"), "category"), Factor("instance", tuple(range(20)), "instance"),
         Factor("view", tuple(range(4)))]
    )  # fmt: skip
    return Samples(space, (Block(len(view), {"category": category, "instance": instance, "view": view}),))


def textured():
    space = FactorSpace({"category": tuple("abcd"), "texture": tuple("dcba"), "pose": (0, 90)})
    return Samples(space, (Block(120, {"category": np.arange(120) % 4}, grid=("texture", "pose")),))


SPLITS = {
    "digits": lambda: (digits(), hold_out_combinations(digits(), columns="view", seen_per_level=2, seed=1)),
    "photos": lambda: _on(photos(np.full((4, 4), 20)), hold_out_combinations, columns="view", seen_per_level=2, seed=1),
    "photos, by nothing": lambda: _on(
        photos(np.full((4, 4), 5)), hold_out_combinations, columns="view", seen_per_level=2, images=16,
        disjoint_by="nothing", seed=1,
    ),
    "a factor called instance": lambda: _on(
        named_instance(), hold_out_combinations, columns="view", seen_per_level=2, seed=1
    ),
    "levels": lambda: _on(photos(np.full((5, 6), 4)), hold_out_levels, mode="extrapolation", seed=1),
    "random levels": lambda: _on(photos(np.full((5, 6), 4)), hold_out_levels, mode="random", seed=1),
    "one out": lambda: _on(photos(np.full((4, 4), 20)), leave_one_out, factor="view", left_out=2, seed=1),
    "one out, instances": lambda: _on(named_instance(), leave_one_out, factor="view", left_out=2, seed=1),
    "exposed": lambda: _on(transformed(), expose, level="blur", seen=2, seed=1),
    "matrix": lambda: _on(transformed(), matrix, factor="transformation", train=["blur"], seed=1),
    "decorrelated": lambda: _on(textured(), decorrelate, decorrelated=0.4, seed=1),
    "matrix, instances": lambda: _on(named_instance(), matrix, factor="view", train=[1, 2], seed=1),
    "lists": lambda: _on(
        photos(np.full((3, 3), 4)), from_lists, columns="view", lists={"train": [0, 1, 16], "unseen": [4, 5]}, seed=1
    ),
}  # fmt: skip


def _on(samples, design, **arguments):
    return samples, design(samples, **arguments)


def rows_hash(samples, split):
    digest = hashlib.blake2b(digest_size=8)
    for name in split.sets:
        digest.update(name.encode())
        digest.update(split.rows(samples, name).astype("<i8").tobytes())
    return digest.hexdigest()


FROZEN = {
    "digits": "cd08369ec9529be9",
    "photos": "f7b8a9574bdd02b1",
    "photos, by nothing": "b345f7553e8bf53b",
    "a factor called instance": "bb4af6179c953bf8",
    "levels": "691e58d498da50d4",
    "random levels": "e20f8a2003514212",
    "one out": "be72b82a4a2e6226",
    "one out, instances": "e68695857c3699ca",
    "exposed": "cc56569ae4685ca2",
    "matrix": "6b23e3627012d069",
    "decorrelated": "c0978914a4802ae6",
    "matrix, instances": "81331a6d25c534ec",
    "lists": "227f9f0c73d8f45b",
}


@pytest.mark.parametrize("name", SPLITS)
def test_the_rows_of_a_split_are_what_they_were(name):
    assert rows_hash(*SPLITS[name]()) == FROZEN[name]
