"""What is claimed of a model: that each change costs accuracy, and which costs most; over objects, by Holm's method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.kinds.judged import corrected, judged, left_open, told
from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.scores import Gap, gap
from unseen.measures import Verdict, judge, lowest, paired
from unseen.measures.verdicts import FEWEST
from unseen.reports.finding import Finding
from unseen.vocabulary.varied_sets import CANONICAL
from unseen.vocabulary.words import capital

OVER = "objects"
UNPAIRED = "it is not known which images show one object"


def findings_of_all(every: Sequence[ExaminedModel]) -> tuple[Finding, ...]:
    """Of each model: what each factor costs, which of them costs most, and whether it is surer than it is right."""
    found: list[Finding] = []
    for one in every:
        if one.has_canonical:
            found += _of(one, f"{one.name}: " if len(every) > 1 else "")
    return corrected(found)


def _of(one: ExaminedModel, head: str) -> list[Finding]:
    gaps = [gap(one, name) for name in (*one.alone, *([one.together] if one.together else []))]
    made = [_cost(one, own, head) for own in gaps]
    if len(one.alone) > 1 and one.paired:
        made.append(_most(one, head))
    if one.confidence is not None:
        made.append(_sure(one, head))
    return made


def _cost(one: ExaminedModel, own: Gap, head: str) -> Finding:
    name = "all together" if own.name not in one.varied else own.name
    words = f"{head}accuracy falls where {f'only {name} is changed' if own.name in one.varied else 'all is changed'}"
    words = capital(words)
    title = f"{head}changing {name if own.name in one.varied else 'all together'} costs accuracy"
    key = f"{one.name}/{own.name}"
    if not own.values:
        return left_open(judged(title, words, Verdict(own.interval, None, float("nan")), key=key), UNPAIRED)
    return judged(title, words, judge(np.array(own.values), -1).within(-1, 1), over=OVER, key=key)


def _most(one: ExaminedModel, head: str) -> Finding:
    """Is the factor that costs most surely the one? Over the objects that were asked about each."""
    each = {name: paired(one.right, one.objects, one.of(name), one.of(CANONICAL)) for name in one.alone}
    common = None
    for objects, _ in each.values():
        common = objects if common is None else np.intersect1d(common, objects)
    assert common is not None
    values = {name: gaps[np.isin(objects, common)] for name, (objects, gaps) in each.items()}
    worst = min(values, key=lambda name: float(values[name].mean()) if len(values[name]) else 0.0)
    name, key = f"{head}{worst} costs most", f"{one.name}/most"
    if len(common) < FEWEST:
        nothing = judge(np.zeros(0), -1)
        return left_open(judged(name, f"{head}{worst} costs most", nothing, over=OVER, key=key), "too few objects")
    verdict, rival = lowest(values, worst)
    return judged(
        name,
        capital(f"{head}{worst} costs more than any other change (the nearest is {rival})"),
        verdict,
        over=OVER,
        key=key,
    )


def _sure(one: ExaminedModel, head: str) -> Finding:
    """Confidence minus accuracy on changed images, of each object: nothing is expected of it."""
    assert one.confidence is not None
    known = one.changed & np.isfinite(one.confidence)
    values = []
    for place in np.unique(one.objects[known]).tolist() if one.paired else ():
        mine = known & (one.objects == place)
        values.append(float(one.confidence[mine].mean() - one.right[mine].mean()))
    verdict = judge(np.array(values), 1)
    words = f"{head}confidence minus accuracy on changed images (above zero: surer than right)"
    return told(f"{head}overconfidence", capital(words), verdict, over=OVER)
