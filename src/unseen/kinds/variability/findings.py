"""The findings of Ibrahim et al. 2022 as claims about a study's own networks, each where the study has what it needs.

A claim is one number for each repeat: a fold of the objects, or a draw of those held out, so that it is about other
objects; with training seeds alone it is about other networks on these objects, and where a study makes its encoders
anew about other encoders, and says so. Networks are averaged before: they answer about the same objects. Factors are
averaged, too, unless the claim is about one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unseen.kinds.judged import judged, told
from unseen.kinds.variability.points import Values, in_points, mean_of
from unseen.kinds.variability.pretrained import of_encoders, pretrained_findings
from unseen.kinds.variability.read import ACCURACY, CANONICAL, CLASSES, INSTANCES, SAMPLES, Gaps, Network, Off
from unseen.measures import Verdict, all_lower, judge, mean_interval, slope, spearman
from unseen.reports.finding import Finding
from unseen.vocabulary.words import capital

WORST = ("pose", "background", "size")


def variability_findings(gaps: Gaps, nearest: Callable[[Any, str], float] | None = None) -> list[Finding]:
    """All of them; the page corrects. ``nearest``: how similar a class is to the nearest
    one seen varying in a repeat."""
    made = [*_worst(gaps), *_protocols(gaps), *_models(gaps), *_samples(gaps), *_instances(gaps), *_together(gaps)]
    made += [*pretrained_findings(gaps), *_classes(gaps), *(_similar(gaps, nearest) if nearest is not None else ())]
    return [replace(one, over=gaps.over) for one in made if one.n]


def _average(gaps: Gaps, network: Network) -> Values:
    """The mean gap over factors, shown canonical pictures only."""
    return mean_of(list(gaps.alone(network).values()))


def _over_networks(gaps: Gaps, number: Callable[[Network], Values | None]) -> tuple[Values, int]:
    """A number by repeat, averaged over the networks that have it, and how many these are."""
    found = [values for network in gaps.judged if (values := number(network)) is not None and np.isfinite(values).any()]
    return mean_of(found), len(found)


def _many(n: int) -> str:
    return f"; mean of {n} networks" if n > 1 else ""


def _controls(gaps: Gaps) -> str:
    left = len(gaps.networks) - len(gaps.judged)
    return "; features of random weights are shown and not judged" if left else ""


def _worst(gaps: Gaps) -> Iterator[Finding]:
    """Pose, background and size have larger gaps than position and light (Table 1)."""
    networks = [network for network in gaps.judged if gaps.alone(network)]
    if not networks:
        return
    names = [name for name in gaps.factors if all(name in gaps.alone(network) for network in networks)]
    values = {name: mean_of([gaps.alone(network)[name] for network in networks]) for name in names}
    order = sorted(names, key=lambda name: np.nan_to_num(mean_interval(values[name]).value))
    words = ", ".join(f"{name} {in_points(values[name])}" for name in order)
    statement = f"shown canonical pictures only, gaps in points are {words}{_many(len(networks))}{_controls(gaps)}"
    worst = [name for name in WORST if name in values]
    if len(worst) == len(WORST) and len(values) > len(worst):
        found, one, other = all_lower(values, worst)
        tail = f"; {one} and {other} are the closest pair of the two groups"
        yield judged(f"{WORST[0]}, {WORST[1]} and {WORST[2]} are the worst", capital(statement + tail), found)
    else:
        mean = judge(mean_of(list(values.values())), -1)
        yield judged("what is off its canonical view is known less well", capital(statement), mean)


def _pairs(gaps: Gaps, first: str, second: str) -> list[tuple[Network, Network]]:
    return [
        ((model, first), (model, second))
        for model in dict.fromkeys(model for model, _ in gaps.judged)
        if (model, first) in gaps.judged and (model, second) in gaps.judged
    ]


def _protocols(gaps: Gaps) -> Iterator[Finding]:
    """Finetuning is better in place and worse in gap (Table 1)."""
    pairs = [(a, b) for a, b in _pairs(gaps, "linear", "finetune") if gaps.alone(a) and gaps.alone(b)]
    if not pairs:
        return

    def home(network: Network) -> Values:
        return gaps.of(network, CANONICAL, (), measure=ACCURACY)

    change = mean_of([home(b) - home(a) for a, b in pairs])
    levels = [mean_of([home(pair[side]) for pair in pairs]) for side in (0, 1)]
    statement = (
        f"accuracy on canonical pictures of held-out objects is {100 * mean_interval(levels[1]).value:.1f} % finetuned "
        f"and {100 * mean_interval(levels[0]).value:.1f} % linear{_many(len(pairs))}"
    )
    yield judged("finetuning is better on canonical pictures", capital(statement), judge(change, 1))
    change = mean_of([_average(gaps, b) - _average(gaps, a) for a, b in pairs])
    levels = [mean_of([_average(gaps, pair[side]) for pair in pairs]) for side in (0, 1)]
    statement = f"the gap, averaged over factors, is {in_points(levels[1])} finetuned and {in_points(levels[0])} linear"
    yield judged("finetuning has the larger gap", capital(statement + _many(len(pairs))), judge(change, -1))
    by_labels = {
        kind: mean_of([_average(gaps, b) - _average(gaps, a) for a, b in pairs if gaps.traits(a).labelled is kind])
        for kind in (True, False)
    }
    if all(map(len, by_labels.values())):
        statement = (
            f"finetuning changes the gap by {in_points(by_labels[True])} of networks pretrained with labels, and by "
            f"{in_points(by_labels[False])} where not"
        )
        more = judge(by_labels[True] - by_labels[False], 1)
        yield judged("finetuning helps supervised networks more", capital(statement), more)


def _models(gaps: Gaps) -> Iterator[Finding]:
    """Objective more than architecture; more data help (sections 4.1 and 4.3)."""
    known = {network: gaps.traits(network) for network in gaps.judged if gaps.alone(network)}
    apart: dict[str, list[Values]] = {"objective": [], "architecture": []}
    more = []
    every = list(known)
    for place, one in enumerate(every):
        for other in every[place + 1 :]:
            a, b = known[one], known[other]
            if one[1] != other[1] or not (a.objective and a.architecture and b.objective and b.architecture):
                continue
            by_factor = zip(gaps.alone(one).values(), gaps.alone(other).values())
            far = mean_of([np.abs(x - y) for x, y in by_factor])
            if a.data == b.data and a.architecture == b.architecture and a.objective != b.objective:
                apart["objective"].append(far)
            if a.data == b.data and a.objective == b.objective and a.architecture != b.architecture:
                apart["architecture"].append(far)
            if {a.data, b.data} == {"more", "less"} and a.apart_from_data == b.apart_from_data:
                sign = 1 if a.data == "more" else -1
                more.append(sign * (_average(gaps, one) - _average(gaps, other)))
    if all(apart.values()):
        means = {name: mean_of(values) for name, values in apart.items()}
        statement = (
            f"gaps of networks that differ in objective alone are {in_points(means['objective']).lstrip('+')} points "
            f"apart, in architecture alone {in_points(means['architecture']).lstrip('+')} "
            f"({len(apart['objective'])} and {len(apart['architecture'])} pairs)"
        )
        found = judge(means["objective"] - means["architecture"], 1)
        name = "the objective matters more than the architecture"
        yield of_encoders(gaps, judged(name, capital(statement), found))
    if more:
        statement = f"learned from more data the gap is {in_points(mean_of(more))} points smaller ({len(more)} pairs)"
        yield of_encoders(gaps, judged("more data help", capital(statement), judge(mean_of(more), 1)))


def slopes_of(gaps: Gaps, network: Network, regime: str, vary: Off, tested: Off) -> Values | None:
    """The slope over shares, by repeat; None where there are fewer than two."""
    shares = [share for share in gaps.shares(regime) if share]
    found = [gaps.of(network, regime, tested, vary=vary, share=share) for share in shares]
    kept = [place for place, values in enumerate(found) if np.isfinite(values).any()]
    if len(kept) < 2:
        return None
    return slope(np.array([shares[place] for place in kept]), np.stack([found[place] for place in kept], -1))


def _cross(gaps: Gaps, regime: str, *, same: bool) -> tuple[Values, int]:
    """Slopes averaged over factors: of the factor that varied, or of the others."""

    def number(network: Network) -> Values | None:
        found = [
            values
            for vary in gaps.shown(regime)
            if len(vary) == 1
            for factor in gaps.factors
            if (factor == vary[0]) is same and (values := slopes_of(gaps, network, regime, vary, (factor,))) is not None
        ]
        return mean_of(found) if found else None

    return _over_networks(gaps, number)


def _change(gaps: Gaps, regime: str, share: float) -> tuple[Values, int]:
    """How much the gap of the factor that varies changes against none varying, averaged over factors."""

    def number(network: Network) -> Values | None:
        changes = [
            gaps.of(network, regime, vary, vary=vary, share=share) - gaps.of(network, CANONICAL, vary)
            for vary in gaps.shown(regime)
            if len(vary) == 1
        ]
        return mean_of(changes) if changes else None

    return _over_networks(gaps, number)


def _samples(gaps: Gaps) -> Iterator[Finding]:
    """The more samples vary, the smaller the gap (Fig. 4); of one share the change against none."""
    values, n = _cross(gaps, SAMPLES, same=True)
    shares = [share for share in gaps.shares(SAMPLES) if share]
    statement = (
        f"from none to all of the samples varying, the line through the gaps of the factor that varies rises by "
        f"{in_points(values)} points{_many(n)}"
    )
    if not len(values) and shares:
        values, n = _change(gaps, SAMPLES, shares[-1])
        statement = (
            f"with {100 * shares[-1]:g} % of the samples varying, the gap of the factor that varies changes by "
            f"{in_points(values)} points against none varying{_many(n)}"
        )
    if len(values):
        yield judged("variation in all objects closes the gap", capital(statement), judge(values, 1))


def _instances(gaps: Gaps) -> Iterator[Finding]:
    """Few varying objects hurt (Fig. A14); what varies in one factor helps with others (Fig. 5)."""
    shares = [share for share in gaps.shares(INSTANCES) if share]
    least = shares[0] if shares else 0.0

    values, n = _change(gaps, INSTANCES, least)
    if len(values) and np.isfinite(values).any():
        statement = (
            f"with {100 * least:g} % of the objects varying, the gap of the factor that varies changes by "
            f"{in_points(values)} points against none varying{_many(n)}"
        )
        yield judged("few varying objects are worse than none", capital(statement), judge(values, -1))
    for regime, words in ((INSTANCES, "objects"), (SAMPLES, "samples")):
        values, n = _cross(gaps, regime, same=False)
        if len(values):
            change = in_points(values)
            statement = f"from none to all of the {words} varying in one factor, gaps of the others change by {change}"
            yield judged(
                f"one factor varying in {words} helps with others", capital(statement + _many(n)), judge(values, 1)
            )
    both = _linear_slopes(gaps)
    if both is not None:
        linear, finetuned = both
        statement = (
            f"the slope over shares of varying objects is {mean_interval(finetuned).value:.3f} finetuned and "
            f"{mean_interval(linear).value:.3f} linear (the paper: .359 and .441, and says that finetuning gains more)"
        )
        yield told("slopes finetuned against linear", capital(statement), judge(finetuned - linear, 1))


def _linear_slopes(gaps: Gaps) -> tuple[Values, Values] | None:
    found: dict[str, list[Values]] = {"linear": [], "finetune": []}
    for a, b in _pairs(gaps, "linear", "finetune"):
        for vary in gaps.shown(INSTANCES):
            for factor in gaps.factors:
                for network in (a, b):
                    values = slopes_of(gaps, network, INSTANCES, vary, (factor,)) if len(vary) == 1 else None
                    if values is not None:
                        found[network[1]].append(values)
    return (mean_of(found["linear"]), mean_of(found["finetune"])) if all(found.values()) else None


def together(gaps: Gaps) -> list[tuple[str, float, Off]]:
    """Where training varied all factors together: regime, largest share, factors."""
    return [
        (regime, max(gaps.shares(regime)), vary)
        for regime in (SAMPLES, INSTANCES)
        for vary in gaps.shown(regime)
        if len(vary) == len(gaps.factors) > 2
    ]


def improvements(gaps: Gaps, network: Network, regime: str, share: float, vary: Off) -> dict[str, Values]:
    """By how much the gap of each factor closes (Fig. 6)."""
    found = {
        factor: gaps.of(network, regime, (factor,), vary=vary, share=share) - gaps.of(network, CANONICAL, (factor,))
        for factor in gaps.factors
    }
    return {factor: values for factor, values in found.items() if np.isfinite(values).any()}


def _together(gaps: Gaps) -> Iterator[Finding]:
    """Varying all factors helps with each (Fig. 6)."""
    for regime, share, vary in together(gaps)[:1]:

        def number(network: Network, given: tuple[str, float, Off] = (regime, share, vary)) -> Values | None:
            found = improvements(gaps, network, *given)
            return mean_of(list(found.values())) if found else None

        values, n = _over_networks(gaps, number)
        if not len(values):
            continue
        statement = (
            f"with all factors varying together in {100 * share:g} % of {regime}, gaps close by {in_points(values)} "
            f"points, averaged over factors{_many(n)}"
        )
        yield judged("all factors varying helps with each", capital(statement), judge(values, 1))


def _of_classes(gaps: Gaps, group: str) -> tuple[Values, int]:
    """The gap, in the factor that varied, of classes seen varying ("exposed"), or of the others."""
    share = max(gaps.shares(CLASSES), default=0.0)

    def number(network: Network) -> Values | None:
        found = [
            gaps.of(network, CLASSES, vary, vary=vary, share=share, group=group)
            for vary in gaps.shown(CLASSES)
            if len(vary) == 1
        ]
        return mean_of(found) if found else None

    return _over_networks(gaps, number)


def _classes(gaps: Gaps) -> Iterator[Finding]:
    """Half of the classes varying is worse than none (Table 3)."""
    others, n = _of_classes(gaps, "others")
    exposed, _ = _of_classes(gaps, "exposed")
    if not len(others):
        return

    def none(network: Network) -> Values | None:
        found = [gaps.of(network, CANONICAL, vary) for vary in gaps.shown(CLASSES) if len(vary) == 1]
        return mean_of(found) if found else None

    before, _ = _over_networks(gaps, none)
    if len(before):
        statement = (
            f"where objects of some classes vary, the gap of the other classes is {in_points(others)} points, and "
            f"{in_points(before)} where nothing varies{_many(n)}"
        )
        found = judge(others - before, -1)
        yield judged("half of the classes varying is worse than none", capital(statement), found)
    statement = (
        f"the gap is {in_points(exposed)} points in classes of which objects were seen varying, and "
        f"{in_points(others)} in the others{_many(n)}"
    )
    yield judged("classes never seen varying have the larger gap", capital(statement), judge(exposed - others, 1))


def of_each_class(gaps: Gaps) -> dict[tuple[object, Off, str], float]:
    """The gap of each class never seen varying, in the factor that varied: by repeat, factor and class."""
    found: dict[tuple[object, Off, str], list[float]] = {}
    for one in gaps.points:
        if one.level and one.regime == CLASSES and one.group == "others" and one.vary == one.tested and not one.trained:
            found.setdefault((one.repeat, one.vary, one.level), []).append(one.value)
    return {key: float(np.mean(values)) for key, values in found.items()}


def _similar(gaps: Gaps, nearest: Callable[[Any, str], float]) -> Iterator[Finding]:
    """Robustness carries over to similar classes (Fig. 7): ranks within one repeat and factor."""
    found = of_each_class(gaps)
    if not found:
        return
    near = np.array([nearest(repeat, level) for repeat, _, level in found])
    # A stratum is a repeat and factor: within it classes differ in similarity alone. Repeats are the clusters.
    verdict = _ranked(near, np.array(list(found.values())), [(key[0], key[1]) for key in found])
    known = int(np.isfinite(near).sum())
    statement = (
        f"Spearman's correlation of a class's gap with its similarity to the nearest class seen varying, within one "
        f"repeat and factor; {known} of {len(found)} gaps are of classes whose similarity is known"
    )
    yield judged("classes like those seen varying have the smaller gap", capital(statement), verdict)


def _ranked(near: Values, own: Values, strata: Sequence[tuple[object, Off]]) -> Verdict:
    """One correlation for each repeat, averaged over factors, and t over repeats."""
    by_repeat: dict[object, list[float]] = {}
    for stratum in dict.fromkeys(strata):
        here = np.array([one == stratum for one in strata]) & np.isfinite(near) & np.isfinite(own)
        if here.sum() >= 4 and np.ptp(near[here]) > 0 and np.ptp(own[here]) > 0:
            by_repeat.setdefault(stratum[0], []).append(float(spearman(near[here], own[here])))
    return judge(np.array([np.mean(values) for values in by_repeat.values()]), 1)
