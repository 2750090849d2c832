"""How similar two categories are by WordNet, from the tree over ImageNet-1k that ships."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.class_maps import imagenet_synsets, synsets_of


def path_similarity(categories: Sequence[str]) -> Float[np.ndarray, "classes classes"]:
    r"""Path similarity of categories: :math:`1 / (1 + d)`, with :math:`d` the steps of the shortest path between two
    synsets up and down the hierarchy (Rada et al. 1989, as in WordNet::Similarity). A category of several synsets
    takes its nearest; one that has no counterpart in the tree is like nothing (NaN).

    The paper compares words by spaCy's vectors (Honnibal & Montani 2017), which do not come with this library. The tree
    has only what is above a class of ImageNet-1k, so that some paths are longer than in the whole of WordNet.

    >>> path_similarity(["mug", "teapot", "dog"]).round(2).tolist()[0]
    [1.0, 0.2, 0.08]
    """
    own = [[_steps_up(synset) for synset in synsets_of(name)] for name in categories]
    found = np.full((len(own), len(own)), np.nan)
    for i, mine in enumerate(own):
        for j, other in enumerate(own):
            paths = [_path(a, b) for a in mine for b in other]
            if paths:
                found[i, j] = 1 / (1 + min(paths))
    return found


def _path(one: Mapping[str, int], other: Mapping[str, int]) -> int:
    """Steps from one synset up to what both are, and down to the other."""
    return min(one[name] + other[name] for name in one.keys() & other.keys())


@lru_cache(maxsize=512)
def _steps_up(synset: str) -> Mapping[str, int]:
    """Every synset above this one, with the least number of steps to it."""
    tree, found, todo = imagenet_synsets(), {synset: 0}, [synset]
    for name in todo:  # grows while it is walked: nearest first
        for above in tree[name].above:
            if above not in found:
                found[above] = found[name] + 1
                todo.append(above)
    return found
