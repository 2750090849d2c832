"""How a network comes to its weights, by name: as a recipe says (``protocol = "probe"``), or as its other keys say.

Recipes of before protocols had names said it by combination; they still do, and mean the same trials.
"""

from __future__ import annotations

SCRATCH, FINETUNE, PROBE, READOUT = "scratch", "finetune", "probe", "readout"
GIVEN, ZERO_SHOT = "given", "zero-shot"
AS_THEY_ARE = (GIVEN, ZERO_SHOT)  # nothing is trained
BY_LABELS = (SCRATCH, FINETUNE, PROBE, *AS_THEY_ARE)  # of ours: they have no use for [readout]
SUPERVISED = "supervised"  # the objective of learning by labels


def implied(*, objective: str, frozen: bool, start: bool, given: bool = False) -> str:
    """The protocol of a recipe that names none. ``start``: its network starts from weights that are there; ``given``:
    it is a model that comes with them.

    >>> implied(objective="supervised", frozen=False, start=False), implied(objective="pcl", frozen=False, start=False)
    ('scratch', 'readout')
    >>> [implied(objective="supervised", frozen=frozen, start=True) for frozen in (False, True)]
    ['finetune', 'probe']
    >>> implied(objective="supervised", frozen=False, start=False, given=True)
    'given'
    """
    if given:
        return PROBE if frozen else GIVEN
    if objective != SUPERVISED:
        return READOUT
    if frozen:
        return PROBE
    return FINETUNE if start else SCRATCH
