"""How a number of images is spread over cells that differ in size, each image once."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from unseen.designs.quotas import even

BALANCES = ("images", "domains", "cells")


def largest(supply: Int[np.ndarray, "rows columns"], balance: str) -> int:
    """The largest total that cells can give in the balance asked for; columns without any image do not count.

    >>> supply = np.array([[4, 10], [6, 2]])
    >>> largest(supply, "images"), largest(supply, "domains"), largest(supply, "cells")
    (22, 20, 8)
    """
    if balance == "images":
        return int(supply.sum())
    sizes = supply.sum(axis=0) if balance == "domains" else supply.ravel()
    filled = sizes[sizes > 0]
    return int(filled.min() * len(filled)) if len(filled) else 0


def spread(supply: Int[np.ndarray, "rows columns"], total: int, balance: str) -> Int[np.ndarray, "rows columns"]:
    """``total`` images over the cells that have any: in proportion to what is there, equally many of each column
    ("domains", in proportion within it), or equally many of each cell.

    >>> spread(np.array([[4, 10], [6, 2]]), 11, "images").tolist()
    [[2, 5], [3, 1]]
    >>> spread(np.array([[4, 10], [6, 2]]), 10, "domains").tolist()
    [[2, 4], [3, 1]]
    """
    taken = np.zeros_like(supply)
    if balance == "domains":
        filled = np.flatnonzero(supply.any(axis=0))
        for column, share in zip(filled, even(total, len(filled)).tolist()):
            taken[:, column] = _in_proportion(supply[:, column], share)
    elif balance == "cells":
        taken[supply > 0] = even(total, int((supply > 0).sum()))
    else:
        taken = _in_proportion(supply.ravel(), total).reshape(supply.shape)
    return taken


def _in_proportion(supply: Int[np.ndarray, " cells"], total: int) -> Int[np.ndarray, " cells"]:
    """One of each cell that has any, the largest first; the rest goes by largest remainders."""
    first = (supply > 0).astype(np.int64)
    rest, more = supply - first, total - int(first.sum())
    if more < 0:
        first[np.argsort(-supply, kind="stable")[total:]] = 0
        return first
    if not rest.sum():
        return first
    exact = rest * more / rest.sum()
    taken = np.floor(exact + 1e-9).astype(np.int64)
    order = np.argsort(taken - exact, kind="stable")[: more - int(taken.sum())]
    taken[order] += 1
    return first + taken
