"""What a study of regression found, in sentences with numbers: the findings of Schott et al. 2022, on our networks.

The unit is a trained network, never an image: all models and seeds of a world together, paired where the same model and
seed met two splits. Seeds of one model are alike, so an interval over several models takes each by the mean of its
seeds: it speaks of networks like these, not of one model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.in_domain.disentanglement import disentanglement_predicts
from unseen.kinds.in_domain.learned_levels import learned_levels
from unseen.kinds.in_domain.meanings import meanings
from unseen.kinds.in_domain.numbers import (
    DISTANCE,
    KEPT,
    MEAN,
    ONE_OUT,
    OPPOSITE,
    OTHERS,
    OUT,
    R2,
    SPREAD,
    TOWARDS,
    Transfer,
)
from unseen.kinds.in_domain.pull import drawn, share_alone
from unseen.kinds.in_domain.shown import LatentPoint
from unseen.kinds.judged import corrected, doubted, judged
from unseen.kinds.learned import learned, unless_learned
from unseen.measures import Interval, judge, lowest, mean_interval
from unseen.reports.finding import Finding
from unseen.reports.words import number

if TYPE_CHECKING:
    import polars as pl

FAR = "extrapolation"
WORTH_TELLING = 0.05  # a difference of R²
WORDS = {
    "random": "rows left out at random",
    "composition": "new combinations of levels",
    "interpolation": "levels in between",
    "extrapolation": "levels beyond the trained range",
}
Network = tuple[str, int]  # series and repeat


def regression_findings(
    tidy: pl.DataFrame,
    worlds: Mapping[str, tuple[str, str]],
    protected: Mapping[str, Sequence[str]],
    asked: str,
    latents: Sequence[LatentPoint] = (),
    transferred: Mapping[str, Transfer] | None = None,
) -> tuple[Finding, ...]:
    """All findings. ``tidy``: per trial ``series, x, repeat, set, target, measure, value``; ``worlds``: world and model
    of each series; ``protected``: the factors of each world that no split holds out; ``asked``: the set of R²;
    ``latents``: the trained encoders; ``transferred``: series that start from weights of other images."""
    found: list[Finding | None] = []
    for world in dict.fromkeys(world for world, _ in worlds.values()):
        mine = [series for series, (name, _) in worlds.items() if name == world]
        part = tidy.filter(tidy["series"].is_in(mine))
        known = learned_levels(part, asked, FAR)
        beyond = [
            *beside(part, hardest, asked, answer_key(world)),
            *beside(part, falls_off, asked, answer_key(world)),
            *beside(part, modular),
            *_listed(drawn_to_the_mean(part)),
        ]
        own = [
            *unless_learned(beyond, learned(np.array(list(known.values()))) if known else None, "what was in range"),
            *beside(part, colour, protected.get(world, ()), asked),
            *beside(part, transfer, {series: worlds[series][1] for series in mine}, transferred or {}, asked),
            *disentanglement_predicts([point for point in latents if point.world == world], asked),
        ]
        found += [one if one is None or not world else replace(one, name=f"{world}: {one.name}") for one in own]
    return corrected([one for one in found if one is not None])


def beside(tidy: pl.DataFrame, find: Callable[..., Finding | list[Finding] | None], *about: Any) -> Iterator[Finding]:
    """Findings about R², each with what it is where answers are kept to the range of their factor, if that makes a
    difference. R² as the paper has it decides whether they hold; a few networks that answer far outside may decide it.
    """
    plain, kept = (_listed(find(table, *about)) for table in (tidy, kept_to_the_range(tidy)))
    for found, other in zip(plain, kept if len(kept) == len(plain) else [None] * len(plain)):
        if other is None or abs(found.value - other.value) < WORTH_TELLING:
            yield found
            continue
        told = other.statement.rpartition(", over ")[0] or other.statement
        interval = f" ({number(other.value)} [{number(other.low)}, {number(other.high)}])" if other.n > 1 else ""
        said = f"{found.statement}. With answers kept to the range of each factor: {told[0].lower()}{told[1:]}"
        yield replace(found, statement=f"{said}{interval}")


def _listed(found: Finding | list[Finding] | None) -> list[Finding]:
    return found if isinstance(found, list) else [] if found is None else [found]


def kept_to_the_range(tidy: pl.DataFrame) -> pl.DataFrame:
    """The table with R² of answers kept to the range in the place of R² as it is."""
    import polars as pl

    kept = tidy.filter(pl.col("measure").str.ends_with(KEPT))
    return kept.with_columns(pl.col("measure").str.strip_suffix(KEPT))


def by_network(tidy: pl.DataFrame, **where: str) -> dict[Network, float]:
    """One number per trained network, of the rows that match; what is not finite is left out."""
    import polars as pl

    kept = tidy.filter(*(pl.col(key) == value for key, value in where.items()), pl.col("value").is_finite())
    means = kept.group_by("series", "repeat", maintain_order=True).agg(pl.col("value").mean())
    return {(series, repeat): value for series, repeat, value in means.iter_rows()}


def repeats_of(values: Mapping[Network, float]) -> np.ndarray:
    """One number for each model, the mean of its seeds; of one model, one for each seed.

    >>> repeats_of({("cnn", 0): 1.0, ("cnn", 1): 3.0, ("mlp", 0): 2.0, ("mlp", 1): 2.0}).tolist()
    [2.0, 2.0]
    >>> repeats_of({("cnn", 0): 1.0, ("cnn", 1): 3.0}).tolist()
    [1.0, 3.0]
    """
    models: dict[str, list[float]] = {}
    for (series, _), value in values.items():
        models.setdefault(series, []).append(value)
    one = list(models.values())
    return np.array([np.mean(seeds) for seeds in one] if len(one) > 1 else one[0])


def interval_of(values: Mapping[Network, float]) -> Interval:
    """Over models, each by the mean of its seeds; of one model, over its seeds."""
    return mean_interval(repeats_of(values))


def answer_key(world: str) -> str:
    """What the answer finds a change of R² by."""
    return f"answer {world}"


def hardest(tidy: pl.DataFrame, asked: str, key: str = "") -> Finding | None:
    """Extrapolation is the most difficult of the splits: its R² is lower than that of every other. Of two splits this
    is the change that the answer tells, found by ``key``."""
    r2 = {split: by_network(tidy, measure=R2, set=asked, target=MEAN, x=split) for split in WORDS}
    r2 = {split: values for split, values in r2.items() if values}
    if FAR not in r2 or len(r2) < 2:
        return None
    both = [key for key in r2[FAR] if all(key in values for values in r2.values())]  # networks that met all splits
    if not both:
        return None
    means = {split: float(np.mean([values[key] for key in both])) for split, values in r2.items()}
    each = {split: repeats_of({key: values[key] for key in both}) for split, values in r2.items()}
    change, other = lowest(each, FAR)
    told = ", ".join(f"{split} {number(value)}" for split, value in means.items())
    verb = "below" if change.interval.value < 0 else "above"
    apart = f"{FAR} is {number(abs(change.interval.value))} {verb} {other}, the hardest of the others"
    statement = f"Mean R² is {told}; {apart}, {_over(both)}"
    key = key if len(r2) == 2 else ""
    return judged("extrapolation is hardest", statement, change, over=_units(both), key=key)


def falls_off(tidy: pl.DataFrame, asked: str, key: str = "") -> Finding | None:
    """From the easiest split to the hardest (the paper's order) R² falls: what the answer tells. None where there are
    two splits, of which ``hardest`` tells the same."""
    splits = ordered(tidy, asked)
    if len(splits) < 2 or (len(splits) == 2 and splits[-1] == FAR):
        return None
    changes = _changes(tidy, asked, splits[0], splits[-1])
    if not changes:
        return None
    statement = (
        f"From {WORDS.get(splits[0], splits[0])} to {WORDS.get(splits[-1], splits[-1])}, mean R² of a network changes "
        f"by {number(float(np.mean(list(changes.values()))))}, {_over(list(changes))}"
    )
    change = judge(repeats_of(changes), -1)
    return judged("R² falls from the easiest split to the hardest", statement, change, over=_units(changes), key=key)


def ordered(tidy: pl.DataFrame, asked: str) -> list[str]:
    """The splits that were asked, from the easiest to the hardest, as the paper has them; others come last."""
    rows = tidy.filter((tidy["measure"] == R2) & (tidy["set"] == asked) & (tidy["target"] == MEAN))
    there = rows["x"].unique(maintain_order=True).to_list()
    return [split for split in WORDS if split in there] + [split for split in there if split not in WORDS]


def modular(tidy: pl.DataFrame) -> Finding | None:
    """With one factor out of range that factor is lost and the others are kept: each is compared with itself in range
    (validation images), since some factors are hard anywhere. It holds if it does for the mean of the factors, and for
    none of them the other way round."""
    known, out, others = in_and_out(tidy)
    both = list(out)
    if not both:
        return None
    if not known:
        gap = judge(repeats_of({key: others[key] - out[key] for key in both}), 1)
        told = f"its R² is {_mean(out, both)}, that of the other factors {_mean(others, both)}"
    else:
        lost = {key: (known[key][0] - out[key], known[key][1] - others[key]) for key in both}
        gap = judge(repeats_of({key: one - other for key, (one, other) in lost.items()}), 1)
        first, second = ({key: known[key][side] for key in both} for side in (0, 1))
        told = (
            f"its R² falls from {_mean(first, both)} in range to {_mean(out, both)}, that of the other factors from "
            f"{_mean(second, both)} to {_mean(others, both)}"
        )
    each, mixed = falls(tidy, both), False
    if each and min(each.values()) < 0 < max(each.values()):
        parts = [f"{factor} {number(value)}" for factor, value in sorted(each.items(), key=lambda item: -item[1])]
        told += f" (differences of the falls by factor: {', '.join(parts)})"
        mixed = gap.holds is True
    statement = f"Where one factor alone is beyond the trained range, {told}, {_over(both)}"
    found = judged("the factor out of range is lost more than the others", statement, gap, over=_units(both))
    return doubted(found, "for some factors it is the other way round") if mixed else found


def falls(tidy: pl.DataFrame, networks: Sequence[Network]) -> dict[str, float]:
    """By factor out of range, mean over networks: how much farther its R² falls than that of the others; empty where
    it was not asked in range."""
    rows = tidy.filter((tidy["measure"] == R2) & (tidy["set"] == "validation") & (tidy["x"] == FAR))
    names = [name for name in rows["target"].unique(maintain_order=True).to_list() if name != MEAN]
    inside = {name: by_network(rows, target=name) for name in names}
    found: dict[str, float] = {}
    for factor in names:
        own, rest = (by_network(tidy, measure=measure, target=factor, x=FAR) for measure in (OUT, OTHERS))
        if len(names) < 2 or any(key not in one for key in networks for one in (own, rest, *inside.values())):
            continue
        known = {key: np.mean([inside[name][key] for name in names if name != factor]) for key in networks}
        gaps = [(inside[factor][key] - own[key]) - (known[key] - rest[key]) for key in networks]
        found[factor] = float(np.mean(gaps))
    return found


def in_and_out(
    tidy: pl.DataFrame,
) -> tuple[dict[Network, tuple[float, float]], dict[Network, float], dict[Network, float]]:
    """By network, means over the factors that are out in turn: R² of (the factor, the others) in range, where that was
    asked of every network; R² of the factor out of range; R² of the others then."""
    at = {"set": f"{ONE_OUT}*", "target": MEAN, "x": FAR}
    out, others = by_network(tidy, measure=OUT, **at), by_network(tidy, measure=OTHERS, **at)
    both = [key for key in out if key in others]
    rows = tidy.filter((tidy["measure"] == R2) & (tidy["set"] == "validation") & (tidy["x"] == FAR))
    names = [name for name in rows["target"].unique(maintain_order=True).to_list() if name != MEAN]
    inside = {name: by_network(rows, target=name) for name in names}
    sets = tidy.filter((tidy["measure"] == OUT) & (tidy["x"] == FAR))["target"].unique(maintain_order=True).to_list()
    tried = [name for name in sets if name != MEAN]
    if len(names) < 2 or any(key not in inside.get(name, {}) for key in both for name in {*names, *tried}):
        return {}, {key: out[key] for key in both}, {key: others[key] for key in both}
    known = {}
    for key in both:
        own = np.mean([inside[name][key] for name in tried])
        rest = np.mean([np.mean([inside[other][key] for other in names if other != name]) for name in tried])
        known[key] = float(own), float(rest)
    return known, {key: out[key] for key in both}, {key: others[key] for key in both}


def drawn_to_the_mean(tidy: pl.DataFrame) -> Finding | None:
    """Answers about the factor out of range are nearer to the mean than the edge of what was trained, and no draws."""
    at = {"set": f"{ONE_OUT}*", "target": MEAN, "x": FAR}
    found = [by_network(tidy, measure=name, **at) for name in (TOWARDS, DISTANCE, SPREAD)]
    both = [key for key in found[0] if all(key in one for one in found)]
    if not both:
        return share_alone(repeats_of(found[0]), _over(list(found[0])), units=_units(found[0])) if found[0] else None
    share, distance, spread = (repeats_of({key: one[key] for key in both}) for one in found)
    opposite = by_network(tidy, measure=OPPOSITE, **at)
    beyond = float(np.mean(list(opposite.values()))) if opposite else float("nan")
    return drawn(share, distance, spread, beyond, _over(both), units=_units(dict.fromkeys(both, 0.0)))


def colour(tidy: pl.DataFrame, protected: Sequence[str], asked: str) -> Finding | None:
    """Colour composes and interpolates better than other factors (the paper: on Shapes3D, fairly well)."""
    targets = tidy.filter((tidy["measure"] == R2) & (tidy["set"] == asked))["target"].unique(maintain_order=True)
    names = [name for name in targets.to_list() if name != MEAN and name not in protected]
    hues = [name for name, meaning in meanings("", names).items() if meaning == "colour"]
    rest = [name for name in names if name not in hues]
    if not hues or not rest:
        return None
    gaps: dict[Network, list[float]] = {}
    values: dict[bool, list[float]] = {True: [], False: []}
    told: dict[str, None] = {}
    for split in ("composition", "interpolation"):
        each = {name: by_network(tidy, measure=R2, set=asked, target=name, x=split) for name in names}
        for key in each[hues[0]]:
            if all(key in found for found in each.values()):
                mean = {
                    side: float(np.mean([each[n][key] for n in group])) for side, group in ((True, hues), (False, rest))
                }
                told[split] = None
                gaps.setdefault(key, []).append(mean[True] - mean[False])
                for side, value in mean.items():
                    values[side].append(value)
    if not gaps:
        return None
    gap = judge(repeats_of({key: float(np.mean(found)) for key, found in gaps.items()}), 1)
    statement = (
        f"In {joined(list(told))}, R² of {', '.join(hues)} is {number(float(np.mean(values[True])))}, of the "
        f"other factors split on {number(float(np.mean(values[False])))}, {_over(list(gaps))}"
    )
    return judged("colour is easier than other factors", statement, gap, over=_units(gaps))


def transfer(
    tidy: pl.DataFrame, models: Mapping[str, str], transferred: Mapping[str, Transfer], asked: str
) -> list[Finding]:
    """Weights from other images help to extrapolate (the paper: most on MPI3D); paired by seed with the same network
    from scratch, where it was run. ``models`` are those of each series."""
    found = []
    for series, (scratch, kept) in transferred.items():
        if not {series, scratch} <= set(models):
            continue
        at, model, plain = {"measure": R2, "set": asked, "target": MEAN, "x": FAR}, models[series], models[scratch]
        mine, theirs = (by_network(tidy, **at, series=name) for name in (series, scratch))
        pairs = {repeat: (value, theirs[scratch, repeat]) for (_, repeat), value in mine.items()
                 if (scratch, repeat) in theirs}  # fmt: skip
        if not pairs:
            continue
        gain = judge(np.array([one - other for one, other in pairs.values()]), 1)
        statement = (
            f"{model} has R² {number(float(np.mean([one for one, _ in pairs.values()])))} under {FAR}, {plain} from "
            f"scratch {number(float(np.mean([other for _, other in pairs.values()])))}, paired by seed"
        )
        frozen = " (frozen)" if kept else ""
        found.append(judged(f"transfer{frozen} helps to extrapolate", statement, gain, over="seeds"))
    return found


def _changes(tidy: pl.DataFrame, asked: str, first: str, last: str) -> dict[Network, float]:
    """How R² changes from one split to another, for every network that met both."""
    at = [by_network(tidy, measure=R2, set=asked, target=MEAN, x=split) for split in (first, last)]
    return {key: at[1][key] - at[0][key] for key in at[0] if key in at[1]}


def joined(parts: Sequence[str]) -> str:
    """
    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _over(networks: Sequence[Network]) -> str:
    """What an interval is over.

    >>> _over([("cnn", 0), ("mlp", 0)]), _over([("cnn", 0), ("cnn", 1)])
    ('over 2 networks (2 models × 1 seed)', 'over 2 networks (1 model × 2 seeds)')
    >>> _over([("cnn", 0), ("cnn", 1), ("mlp", 0), ("mlp", 1)])
    'over 4 networks (2 models × 2 seeds; the interval is over models)'
    """
    models, seeds = len({series for series, _ in networks}), len({repeat for _, repeat in networks})
    made = f"{models} model{'s' * (models != 1)} × {seeds} seed{'s' * (seeds != 1)}"
    made += "; the interval is over models" * (models > 1 and seeds > 1)
    return f"over {len(networks)} network{'s' * (len(networks) != 1)}" + f" ({made})" * (
        models * seeds == len(networks)
    )


def _units(networks: Iterable[Network]) -> str:
    """What repeats are: models, or seeds of one of them."""
    return "models" if len({series for series, _ in networks}) > 1 else "seeds"


def _mean(values: Mapping[Network, float], networks: Sequence[Network]) -> str:
    return number(float(np.mean([values[key] for key in networks])))
