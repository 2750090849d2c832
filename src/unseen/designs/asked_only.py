"""What is told of a split without training rows: all is asked, of models as they are and of people.

What a subject has learned from elsewhere is not known here, so that no leak can be looked for. What can be: images that
count more than once, because a set lists them again or holds files that are the same to the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from unseen.designs.sharing import SHOWN, Sharing, content_of, named_files
from unseen.vocabulary.samples import Samples

NO_TRAINING = (
    "no training set: all rows are asked. What the subjects have seen before is not known here, so leakage "
    "cannot be checked"
)


def asked_twice(samples: Samples, rows: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Sets in which an image counts more than once; ``rows`` are theirs."""
    content = content_of(samples)
    for name, found in rows.items():
        once, times = np.unique(found, return_counts=True)
        if again := int((times > 1).sum()):
            are = "images are" if again > 1 else "image is"
            yield f"{again:,} {are} more than once in '{name}', and would count that many times"
        if content is None or any(block.grid for block in samples.blocks):  # an image at two levels is two questions
            continue
        files = samples.instance_numbers(once)
        _, first = np.unique(content[files], return_index=True)
        copies = np.setdiff1d(files, files[first])
        if len(copies):
            one = f"image of '{name}' is an identical copy of another in it"
            are = one if len(copies) == 1 else f"images of '{name}' are identical copies of others in it"
            pairs = "; ".join(
                f"{copy} = {other}" for copy, other in named_files(samples, files[first], content, copies)
            )
            told = f": {pairs}{' …' * (len(copies) > SHOWN)}" if pairs else ""
            yield f"{len(copies):,} {are}{told}"


def asked_notes(shared: Sharing) -> tuple[str, ...]:
    """What is so: that nothing is trained on, and which sets ask the same images."""
    both = [
        f"{n:,} image{'s are' if n > 1 else ' is'} in both '{one}' and '{other}'"
        for (one, other), n in shared.images.items()
        if n
    ]
    copied = [
        f"{n:,} image{'s' * (n > 1)} of '{other}' {'have' if n > 1 else 'has'} an identical copy in '{one}'"
        for (one, other), n in shared.copies.items()
        if n
    ]
    return (NO_TRAINING, *both, *copied)
