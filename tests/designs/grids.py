"""Toy worlds for the designs: digits that can be shown anywhere, and photos that are as they are."""

import numpy as np

from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples


def digits(rows=4, columns=4, each=40, **options):
    """``each`` instances of every category; every instance can be shown at every viewpoint."""
    space = FactorSpace({"category": range(rows), "view": range(columns)})
    return Samples(space, (Block(rows * each, {"category": np.arange(rows * each) % rows}, grid=("view",), **options),))


def photos(counts, **options):
    """As many photos in every cell as ``counts`` says."""
    counts = np.asarray(counts)
    rows, columns = (np.repeat(level.ravel(), counts.ravel()) for level in np.indices(counts.shape))
    space = FactorSpace({"category": range(counts.shape[0]), "view": range(counts.shape[1])})
    return Samples(space, (Block(len(rows), {"category": rows, "view": columns}, **options),))


def counts(split, samples, name):
    """Images per cell."""
    space = samples.space.select(split.factors)
    numbers = space.numbers(samples.cells(split.rows(samples, name), split.factors))
    return np.bincount(numbers, minlength=space.size).reshape(space.shape)


def instances(split, samples, name):
    return samples.locate(split.rows(samples, name))[1]


def listed(split, samples, name):
    """Rows per category and level, repeated ones included."""
    shape = samples.space.select(split.factors).shape
    found = np.zeros(shape, int)
    np.add.at(found, tuple(samples.cells(split.rows(samples, name), split.factors).T), 1)
    return found


def images(split, samples, name):
    """The instances that a set shows."""
    return set(samples.locate(split.rows(samples, name))[1].tolist())
