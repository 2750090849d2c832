"""What a study of two cues says, in sentences with numbers.

Every number is of one repeat (other objects and first weights, or a seed), then a t interval over repeats. Expectations
are those of Geirhos et al. 2019: networks follow texture where it agreed in training, and shape where it told nothing.
That a network of small patches follows shape least is Brendel & Bethge's (2019). The middle, .5, is ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.kinds.cues.read import Cues, StudyOfCues
from unseen.kinds.judged import corrected, judged
from unseen.kinds.learned import learned, unless_learned
from unseen.measures import judge, judge_level, lowest, mean_interval, slope
from unseen.reports.finding import Finding
from unseen.reports.words import number

MIDDLE = 0.5
PATCHES = "bagnet"


def findings(found: StudyOfCues) -> tuple[Finding, ...]:
    made = [one for model in found.models for one in _of_model(found, model)]
    return corrected([*made, *_patches(found)])


def _of_model(found: StudyOfCues, model: Cues) -> list[Finding]:
    head = f"{model.model}: " if len(found.models) > 1 else ""
    made = []
    for share, side, name, words in (
        (0.0, -1, f"{found.cue} decides where it always agreed", f"always agrees with the {found.category}"),
        (1.0, 1, f"shape decides where {found.cue} told nothing", f"tells nothing of the {found.category}"),
    ):
        values = model.at(share, model.bias)
        if not np.isfinite(values).any():
            continue
        level, rest = mean_interval(values), mean_interval(model.at(share, model.followed))
        statement = (
            f"{head}Where {found.cue} {words} in training, {number(level.value)} of the decisions for either cue are "
            f"for shape, and {'less' if side < 0 else 'more'} than {MIDDLE:g} is expected ({number(rest.value)} of the "
            f"images have such a decision)"
        )
        known = learned(model.at(share, model.agreeing), found.chance)
        one = judged(name, statement, judge_level(values, side, MIDDLE), over=found.over)
        made += unless_learned([one], known, "an image whose cues agree")
    if len(model.shares) > 1:
        rises = trend(model)
        level = mean_interval(rises)
        statement = (
            f"{head}Shape bias rises as {found.cue} decorrelates in training: by {number(level.value)} from none to "
            f"all of the images, along the line of best fit through {len(model.shares)} shares"
        )
        one = judged("shape bias rises with decorrelation", statement, judge(rises, 1), over=found.over)
        made += unless_learned([one], learned(model.agreeing[:, 0], found.chance), "an image whose cues agree")
    return [replace(one, name=f"{head}{one.name}", key=f"{model.model}: {one.name}") for one in made if one.n]


def trend(model: Cues) -> np.ndarray:
    """The slope of shape bias over the share, for each repeat that has every share."""
    whole = np.isfinite(model.bias).all(axis=1)
    return np.array([slope(np.array(model.shares), row) for row in model.bias[whole]])


def _patches(found: StudyOfCues) -> list[Finding]:
    """Is the network of small patches the one that goes least by shape, mean over the shares that all models have?"""
    there = [one for one in found.models if np.isfinite(one.bias).any()]
    shared = [share for share in there[0].shares if all(share in one.shares for one in there)] if there else []
    means = {one.model: np.mean([one.at(share, one.bias) for share in shared], axis=0) for one in there if shared}
    names = [name for name in means if PATCHES in name.lower()]
    if len(names) != 1 or len(means) < 2 or len({len(one) for one in means.values()}) > 1:
        return []
    verdict, rival = lowest(means, names[0])
    statement = (
        f"{names[0]}, which sees small patches only, goes least by shape: its shape bias, mean over the shares, is "
        f"{number(abs(verdict.interval.value))} {'below' if verdict.interval.value < 0 else 'above'} that of {rival}, "
        f"its nearest rival"
    )
    return [judged("small patches go least by shape", statement, verdict, over=found.over)]
