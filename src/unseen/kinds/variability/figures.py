"""The figures of a study of variability, after Ibrahim et al. 2022. As in ``figures.py`` of reports a maker takes the
contents and gives a figure, or the reason why there is none."""

from __future__ import annotations

from unseen.kinds.variability.panels import dots, heat, over_similarity, strongest
from unseen.kinds.variability.read import INSTANCES, SAMPLES
from unseen.kinds.variability.shown import ShownGap, VariabilityContents
from unseen.reports import charts
from unseen.reports.figure import by_name, keys_of, made_by
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import OTHERS, SERIES, role

PAINTS = tuple(
    light for light, _ in (SERIES["separate"], SERIES["shared"], SERIES["split-2"], SERIES["split-3"], *OTHERS)
)
CLOSING = (
    Key("closes the gap", colour=role("heat"), shape="square"),
    Key("opens it", colour=role("asked"), shape="square"),
)
POINTS = "change in accuracy, points"
REGIMES = {SAMPLES: "samples vary", INSTANCES: "objects vary"}
OF = {SAMPLES: "of every object's samples", INSTANCES: "of the objects"}


def painted(names: list[str]) -> dict[str, str]:
    return {name: PAINTS[place % len(PAINTS)] for place, name in enumerate(names)}


def _over(contents: VariabilityContents) -> str:
    n = max((one.held_out.n for one in contents.networks), default=0)
    return f"bars are 95 % t intervals over {n} {contents.over}" if n > 1 else "one repeat gives no interval here"


def gaps(contents: VariabilityContents) -> Figure | str:
    """Fig. 1: the gap of every factor, by what training showed of it."""
    found = contents.by_training
    if not found:
        return "Gaps: no network that is asked off the canonical view has finished."
    colours = painted(list(dict.fromkeys(one.shown for one in found)))
    protocols = list(dict.fromkeys(one.protocol for one in found))
    known = {name: _published_average(contents, name) for name in protocols}
    panels = tuple(
        Panel(
            protocol if len(protocols) > 1 else f"gap by factor ({protocol})",
            dots([one for one in found if one.protocol == protocol], colours, POINTS, known[protocol]),
            large=len(protocols) == 1,
        )
        for protocol in protocols
    )
    keys = [*keys_of(colours, "circle")]
    beside = ""
    if any(known.values()):
        keys.append(Key("published average", colour=role("muted"), shape="diamond"))
        beside = " Diamonds: the published average of networks shown canonical pictures only, on other objects."
    many = f"; means of {len(contents.networks)} networks" if len(contents.networks) > 1 else ""
    caption = (
        f"Accuracy off the canonical view less accuracy at it, of the same objects, none of them trained on, one "
        f"factor at a time{many}; {_over(contents)}. Colours say what training showed of the factor that is asked."
        f"{beside}"
    )
    return Figure("gaps", "Which changes break it, and what training shows", caption, panels, tuple(keys))


def _published_average(contents: VariabilityContents, protocol: str) -> dict[str, float]:
    own = next((row for row in contents.beside if row.name == f"Average, {protocol}"), None)
    return {} if own is None else {name: one.value for name, one in own.gaps.items()}


def _shares(contents: VariabilityContents, regime: str, name: str, figure: str) -> Figure | str:
    found = [one for one in contents.curves_over_shares if one.regime == regime]
    what = OF[regime]
    if not found:
        return f"Gap over the share {what} that varies: no trial varies a share of {regime}."
    colours = painted(list(dict.fromkeys(one.protocol for one in found)))
    every = [end for one in found for _, e in one.points for end in (e.value, e.low, e.high)]
    ends = [end for end in every if charts.finite(end) is not None]
    domain = [max(min([*ends, -0.05]), -1) - 0.01, min(max([*ends, 0.02]), 1) + 0.01]
    panels = []
    for factor in [name for name in contents.factors if any(one.factor == name for one in found)]:
        rows = [
            {"x": share, "series": one.protocol, "set": "", "value": e.value, "low": e.low, "high": e.high, "n": e.n}
            for one in found if one.factor == factor for share, e in one.points
        ]  # fmt: skip
        chart = charts.curves(
            rows, charts.Series(colours, "network", "% that varies"), domain=domain, height=170, y_title="gap",
            percent=True,
        )  # fmt: skip
        panels.append(Panel(factor, chart))
    caption = (
        f"The gap of the factor that varies, over the share {what} that shows it varying (Ibrahim et al. 2022, "
        f"{figure}); 0: canonical pictures only. Bands are 95 % t intervals over {contents.over}."
    )
    return Figure(name, f"Gap over the share {what} that varies", caption, tuple(panels), keys_of(colours))


def over_samples(contents: VariabilityContents) -> Figure | str:
    """Fig. 4."""
    return _shares(contents, SAMPLES, "over-samples", "Fig. 4")


def over_objects(contents: VariabilityContents) -> Figure | str:
    """Fig. A14."""
    return _shares(contents, INSTANCES, "over-objects", "Fig. A14")


def cross_factors(contents: VariabilityContents) -> Figure | str:
    """Fig. 5."""
    if not contents.crosses:
        return "Slopes across factors: they need a factor that varies in two or more shares."
    most = strongest(contents.crosses)
    panels = tuple(Panel(f"{one.protocol}, {REGIMES[one.regime]}", heat(one, most)) for one in contents.crosses)
    caption = (
        "The slope of the line of best fit through the gap of the factor asked (across), over the share in which "
        "another varies in training (down): +0.30 means that the gap would close by 30 points from none to all. On the "
        "diagonal, the factor asked is the one that varied. Shares of 0 are left out of the line (ours)."
    )
    return Figure("cross-factors", "Does one factor help with another?", caption, panels, CLOSING, wide=True)


def by_pretraining(contents: VariabilityContents) -> Figure | str:
    """The causal question."""
    found = contents.by_pretraining
    if not found:
        return "What varied in pretraining: it needs encoders made here that differ in this alone."
    most = strongest(found)
    panels = tuple(Panel(one.protocol or "encoders", heat(one, most, "pretraining", "change")) for one in found)
    caption = (
        "The change of the gap of the factor asked (across) where one more circumstance varied in pretraining alone "
        "(down), against the encoder for which fewest varied: +0.06 means that the gap is 6 points smaller. Encoders "
        "are read out from canonical pictures only. On the diagonal, the factor asked is the one that varied. Means "
        f"over {contents.over}."
    )
    return Figure("by-pretraining", "Does variation in pretraining close the gap?", caption, panels, CLOSING, wide=True)


def all_together(contents: VariabilityContents) -> Figure | str:
    """Fig. 6."""
    found = contents.closed
    if not found:
        return "All factors together: no trial varies all of them in training."
    colours = painted(list(dict.fromkeys(one.protocol for one in found)))
    shown = [ShownGap(one.protocol, one.protocol, one.factor, one.gap) for one in found]
    caption = (
        f"By how many points the gap of each factor is smaller where training varies all factors together "
        f"({found[0].shown}), against canonical pictures only (Ibrahim et al. 2022, Fig. 6): above zero is better."
    )
    panel = Panel(found[0].shown, dots(shown, colours, "gap closed, points"), large=True)
    keys = keys_of(colours, "circle")
    return Figure("all-together", "All factors varying together", caption, (panel,), keys)


def by_similarity(contents: VariabilityContents) -> Figure | str:
    """Fig. 7."""
    if not contents.bins:
        return "Gap by similarity: it needs classes that were never seen varying beside others that were."
    why = "have no features kept (probes that are fitted together keep them)"
    why = why if contents.similarity.startswith("features") else "have no place in the tree"
    unknown = f" {contents.unknown_classes} {why} and are left out." if contents.unknown_classes else ""
    caption = (
        f"The gap of classes never seen varying, by their similarity to the nearest class that was: mean and standard "
        f"error over classes, repeats of a class averaged (Ibrahim et al. 2022, Fig. 7, who compare words by "
        f"spaCy's vectors).{unknown}"
    )
    panel = Panel("classes never seen varying", over_similarity(contents.bins, contents.similarity), large=True)
    return Figure("by-similarity", "Do similar classes gain?", caption, (panel,), ())


MAKERS = (gaps, by_pretraining, over_samples, over_objects, cross_factors, all_together, by_similarity)
FIGURES = by_name(*MAKERS)


def figures(contents: VariabilityContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents)}
