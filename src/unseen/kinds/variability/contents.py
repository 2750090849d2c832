"""A study of variability, gathered for its report and its table of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected
from unseen.kinds.published import published_numbers
from unseen.kinds.published_variation import HALF_SHOWN, HOME
from unseen.kinds.recipe_words import words_of
from unseen.kinds.summaries import summarise
from unseen.kinds.variability.answer import answer
from unseen.kinds.variability.findings import (
    improvements,
    of_each_class,
    slopes_of,
    together,
    variability_findings,
)
from unseen.kinds.variability.numbers import read_trial
from unseen.kinds.variability.pictures import strips
from unseen.kinds.variability.points import mean_of
from unseen.kinds.variability.pretrained import changes_by_pretraining
from unseen.kinds.variability.read import (
    ACCURACY,
    CANONICAL,
    CLASSES,
    INSTANCES,
    SAMPLES,
    Gaps,
    Network,
    Off,
    StudyGaps,
    network_name,
    read,
)
from unseen.kinds.variability.shown import (
    Bin,
    ClassHalves,
    CrossedSlopes,
    Curve,
    NetworkRow,
    ShownGap,
    VariabilityContents,
)
from unseen.measures import Interval, by_similarity, gap_interval, mean_interval, nearest_seen, path_similarity
from unseen.reports.finding import Finding
from unseen.studies.class_likeness import LIKENESS
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.seeds import stream

NAN = float("nan")
HALF = 0.5
FEATURES = "features"
SIMILARITY = {"wordnet": "WordNet path", "sentences": "sentence encoder", FEATURES: "features of the network"}
REGIME_WORDS = {SAMPLES: "{:g} % of samples vary", INSTANCES: "{:g} % of objects vary"}


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    found = read(study)
    return summarise(found.tidy, found.trials)


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone."""
    found = read(study)
    return _found(found, nearest_of(found, study.recipe.measures.similarity))


def _found(found: StudyGaps, near: Callable[[Any, str], float]) -> tuple[Finding, ...]:
    return corrected(variability_findings(found.gaps, near))


def similarity_of(names: Sequence[str], by: str) -> np.ndarray:
    """How alike classes are: by WordNet's tree, or by a sentence encoder."""
    if by == "wordnet":
        return path_similarity(names)
    from unseen.models.sentences import sentence_similarity

    return sentence_similarity([name.replace("_", " ") for name in names])


def bare(name: str) -> str:
    """A class as a factor's level says it: its words may have an article.

    >>> bare("a mug"), bare("an elephant"), bare("animal")
    ('mug', 'elephant', 'animal')
    """
    return name.removeprefix("a ").removeprefix("an ")


def nearest_of(found: StudyGaps, by: str = "wordnet") -> Callable[[Any, str], float]:
    """The similarity of a class to the nearest one seen varying, by the repeat and the class; NaN where unknown."""
    known: dict[tuple[Any, str], float] = {}
    of_draw: dict[frozenset[str], list[tuple[Any, dict[str, float]]]] = {}
    repeats = {row["trial"]: row["repeat"] for row in found.rows}
    for record in found.trials:
        facts = Varied.of(record.split_facts)
        words = [str(name) for name in record.facts["targets"][record.facts["factors"][0]]]
        names = [bare(word) for word in words]
        repeat = repeats.get(record.identity)
        if not facts.exposed or (repeat, words[0]) in known:
            continue
        exposed = {bare(str(name)) for name in facts.exposed}
        if by == FEATURES:
            told = {bare(name): value for name, value in record.facts.get(LIKENESS, {}).items()}
            kept = {word: told[name] for word, name in zip(words, names) if name in told}
            of_draw.setdefault(frozenset(exposed), []).append((repeat, kept))
            known |= {(repeat, word): float(kept.get(word, NAN)) for word in words}
            continue
        near = nearest_seen(similarity_of(names, by), np.array([name in exposed for name in names]))
        known |= {(repeat, word): float(value) for word, value in zip(words, near)}
    for some in of_draw.values():  # folds show other objects of the same classes: the mean of what they find
        for name in {name for _, kept in some for name in kept}:
            mean = float(np.mean([kept[name] for _, kept in some if name in kept]))
            known |= {(repeat, name): mean for repeat, _ in some}
    return lambda repeat, name: known.get((repeat, name), NAN)


def contents_of(study: Study) -> VariabilityContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    found = read(study)
    gaps, frame = found.gaps, summarise(found.tidy, found.trials)
    published, source = published_numbers(study.recipe.published)
    near = nearest_of(found, study.recipe.measures.similarity)
    findings = _found(found, near)
    several = {name: name if len(set(found.named.values())) > 1 else "all networks" for name in found.named.values()}
    series = {identity: several[name] for identity, name in found.named.items()}
    bins, unknown = _bins(gaps, near)
    rows = networks_of(found)
    return VariabilityContents(
        **words_of(study.recipe),
        answer=answer(gaps, rows, findings),
        x_title="training",
        series_title="network",
        summary=frame,
        curves=curves(found.trials, series, lambda record: found.shows[record.identity]),
        flags=flags(study, found.trials, series, lambda record: found.shows[record.identity]),
        splits=strips(study),
        findings=findings,
        published=published,
        published_source=source,
        facts=facts_tables(study, found.trials),
        answered=gather_answers(study),
        factors=gaps.factors,
        over=gaps.over,
        networks=rows,
        beside=_published_rows(published),
        curves_over_shares=tuple(_curves(gaps)),
        crosses=tuple(_crosses(gaps)),
        by_pretraining=tuple(_by_pretraining(gaps)),
        by_training=tuple(_by_training(gaps)),
        closed=tuple(_closed(gaps)),
        halves=tuple(_halves(gaps)),
        published_halves=_published_halves(published),
        bins=bins,
        similarity=SIMILARITY[study.recipe.measures.similarity],
        unknown_classes=unknown,
    )


def estimate(found: Interval | np.ndarray) -> Interval:
    return found if isinstance(found, Interval) else mean_interval(found)


def networks_of(found: StudyGaps) -> tuple[NetworkRow, ...]:
    """Table 1: every network that was shown canonical pictures only."""
    gaps, several = found.gaps, len(found.gaps.protocols) > 1
    made = []
    for network in gaps.networks:
        alone = gaps.alone(network)
        if not alone:
            continue
        trained = gaps.of(network, CANONICAL, (), trained=True, measure=ACCURACY)
        made.append(
            NetworkRow(
                network_name(network, several=several),
                estimate(trained) if np.isfinite(trained).any() else None,
                estimate(gaps.of(network, CANONICAL, (), measure=ACCURACY)),
                {factor: estimate(values) for factor, values in alone.items()},
                _over_objects(found, network, tuple(alone)),
                estimate(mean_of(list(alone.values()))),
            )
        )
    return tuple(made)


def _over_objects(found: StudyGaps, network: Network, factors: Sequence[str]) -> dict[str, Interval]:
    """Gaps with intervals over all objects that any repeat asked; an object's trials are averaged before."""
    wanted = network_name(network)
    parts: dict[str, dict[str, list[tuple[float, float]]]] = {factor: {} for factor in factors}
    classes: dict[str, str] = {}
    for record in found.trials:
        if found.named[record.identity] != wanted or found.shows[record.identity] != HOME:
            continue
        one = read_trial(record)
        home = one.sets.get("canonical")
        for factor in factors:
            away = one.sets.get(f"varying-{factor}")
            if home is None or away is None:
                continue
            for place in np.flatnonzero(np.isfinite(home.accuracy) & np.isfinite(away.accuracy)).tolist():
                name = one.objects[place]
                classes[name] = one.categories[int(one.classes[place])]
                numbers = float(home.accuracy[place]), float(away.accuracy[place])
                parts[factor].setdefault(name, []).append(numbers)
    made = {}
    for factor, objects in parts.items():
        if objects:
            means = np.array([np.mean(values, axis=0) for values in objects.values()])
            _, of = np.unique([classes[name] for name in objects], return_inverse=True)
            made[factor] = estimate(
                gap_interval(
                    means[:, 0], means[:, 1], of.astype(np.int64), rng=stream(0, "variability", "objects", factor)
                )
            )  # fmt: skip
    return made


def _mean_over(gaps: Gaps, protocol: str, number: Callable[[Network], np.ndarray]) -> Interval | None:
    """A number averaged over the networks of a protocol that have it."""
    found = [number(network) for network in gaps.networks if network[1] == protocol]
    found = [values for values in found if np.isfinite(values).any()]
    return estimate(mean_of(found)) if found else None


def _number(
    gaps: Gaps, regime: str, factor: Off, share: float = 0.0, group: str = ""
) -> Callable[[Network], np.ndarray]:
    """The gap of a factor that varied in training, or of any where nothing did."""
    vary = () if regime == CANONICAL else factor
    return lambda network: gaps.of(network, regime, factor, vary=vary, share=share, group=group)


def _curves(gaps: Gaps) -> Iterable[Curve]:
    """Fig. 4 (samples) and A14 (objects): the gap of the factor that varies; 0 is canonical pictures only."""
    for protocol in gaps.protocols:
        for regime in (SAMPLES, INSTANCES):
            for vary in gaps.shown(regime):
                if len(vary) != 1:
                    continue
                points = [(0.0, _mean_over(gaps, protocol, _number(gaps, CANONICAL, vary)))]
                points += [
                    (100 * share, _mean_over(gaps, protocol, _number(gaps, regime, vary, share)))
                    for share in gaps.shares(regime)
                ]
                kept = tuple((share, value) for share, value in points if value is not None)
                if len(kept) > 1:
                    yield Curve(protocol, regime, vary[0], kept)


def _crosses(gaps: Gaps) -> Iterable[CrossedSlopes]:
    """Fig. 5."""
    for protocol in gaps.protocols:
        for regime in (INSTANCES, SAMPLES):
            found = {}
            for vary in gaps.shown(regime):
                for factor in gaps.factors if len(vary) == 1 else ():
                    each = [
                        values
                        for network in gaps.networks
                        if network[1] == protocol
                        and (values := slopes_of(gaps, network, regime, vary, (factor,))) is not None
                        and np.isfinite(values).any()
                    ]
                    if each:
                        found[vary[0], factor] = estimate(mean_of(each))
            if found:
                yield CrossedSlopes(protocol, regime, gaps.factors, found)


def _by_pretraining(gaps: Gaps) -> Iterable[CrossedSlopes]:
    """Change of each gap by what varied in pretraining alone."""
    for name, changes in changes_by_pretraining(gaps).items():
        yield CrossedSlopes(name, "pretraining", gaps.factors, {key: estimate(own) for key, own in changes.items()})


def _nearest_share(gaps: Gaps, regime: str) -> float | None:
    """The share that is nearest to a half, which is what the paper's first figure tells."""
    shares = [share for share in gaps.shares(regime) if share]
    return min(shares, key=lambda share: (abs(share - HALF), share)) if shares else None


def _by_training(gaps: Gaps) -> Iterable[ShownGap]:
    """The first figure: gaps by what training showed of the factor that is asked."""
    for protocol in gaps.protocols:
        for factor in gaps.factors:
            own = (factor,)
            shown = [("canonical only", _number(gaps, CANONICAL, own))]
            for regime, words in REGIME_WORDS.items():
                if (share := _nearest_share(gaps, regime)) is not None:
                    shown.append((words.format(100 * share), _number(gaps, regime, own, share)))
            if gaps.has(CLASSES):
                share = max(gaps.shares(CLASSES))
                shown.append(("other classes vary", _number(gaps, CLASSES, own, share, "others")))
            for words, number in shown:
                if (value := _mean_over(gaps, protocol, number)) is not None:
                    yield ShownGap(protocol, words, factor, value)


def _closed(gaps: Gaps) -> Iterable[ShownGap]:
    """Fig. 6."""
    for regime, share, vary in together(gaps)[:1]:
        for protocol in gaps.protocols:
            for factor in gaps.factors:

                def number(
                    network: Network, f: str = factor, given: tuple[str, float, Off] = (regime, share, vary)
                ) -> Any:
                    return improvements(gaps, network, *given).get(f, np.full(len(gaps.repeats), np.nan))

                if (value := _mean_over(gaps, protocol, number)) is not None:
                    yield ShownGap(protocol, f"all vary in {100 * share:g} % of {regime}", factor, value)


def _halves(gaps: Gaps) -> Iterable[ClassHalves]:
    """Table 3."""
    if not gaps.has(CLASSES):
        return
    share, several = max(gaps.shares(CLASSES)), len(gaps.protocols) > 1
    for network in gaps.networks:
        groups: list[dict[str, Interval]] = []
        for group in ("exposed", "others"):
            values = {
                factor: gaps.of(network, CLASSES, (factor,), vary=(factor,), share=share, group=group)
                for factor in gaps.factors
            }
            groups.append({factor: estimate(own) for factor, own in values.items() if np.isfinite(own).any()})
        if any(groups):
            yield ClassHalves(network_name(network, several=several), *groups)


def _bins(gaps: Gaps, near: Callable[[Any, str], float]) -> tuple[tuple[Bin, ...], int]:
    """Fig. 7: a class counts once for each similarity that it has, with its mean over factors and repeats: where folds
    show the same classes varying, ten folds of one class are not ten classes."""
    by_class: dict[tuple[str, float | None], list[float]] = {}
    for (repeat, _, level), value in of_each_class(gaps).items():
        known = near(repeat, level)
        by_class.setdefault((level, None if np.isnan(known) else known), []).append(value)
    similarity = np.array([np.nan if known is None else known for _, known in by_class])
    if not len(similarity):
        return (), 0
    found = by_similarity(np.array([np.mean(values) for values in by_class.values()]), similarity)
    lines = zip(found.middle, found.mean, found.error, found.n)
    made = (Bin(float(middle), float(mean), float(error), int(n)) for middle, mean, error, n in lines)
    return tuple(made), int(np.isnan(similarity).sum())


def _known(published: pl.DataFrame | None, shown: str) -> Mapping[str, Mapping[str, float]]:
    """Published numbers of a table by network and set."""
    found: dict[str, dict[str, float]] = {}
    for row in published.to_dicts() if published is not None else ():
        if row["x"] == shown:
            found.setdefault(row["series"], {})[row["set"]] = row["value"]
    return found


def _alone(value: float) -> Interval:
    return Interval(value, NAN, NAN, 0)


def _published_rows(published: pl.DataFrame | None) -> tuple[NetworkRow, ...]:
    made = []
    for name, own in _known(published, HOME).items():
        gaps = {key.removeprefix("varying-"): _alone(value) for key, value in own.items() if key.startswith("varying-")}
        mean = float(np.mean([one.value for one in gaps.values()]))
        made.append(
            NetworkRow(name, _alone(own["trained-canonical"]), _alone(own["canonical"]), gaps, {}, _alone(mean))
        )
    return tuple(made)


def _published_halves(published: pl.DataFrame | None) -> tuple[ClassHalves, ...]:
    return tuple(
        ClassHalves(name, {}, {key.removeprefix("varying-"): _alone(value) for key, value in own.items()})
        for name, own in _known(published, HALF_SHOWN).items()
    )


__all__ = ["contents_of", "findings_of", "summary_of"]
