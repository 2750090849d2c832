"""The figures of a study whose networks answer with numbers (Schott et al. 2022), in the order of the page.

As in ``figures.py`` a maker takes the contents and gives a figure, or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unseen.kinds.in_domain.disentanglement_figure import disentanglement
from unseen.kinds.in_domain.numbers import MEAN as FACTORS
from unseen.kinds.in_domain.panels import (
    LOWEST,
    PARTS,
    greatest_share,
    modularity_dots,
    predicted_against_true,
    r2_bars,
    r2_rows,
    towards_mean_bars,
)
from unseen.kinds.in_domain.shown import InDomainContents, Regression
from unseen.reports.charts import finite
from unseen.reports.figure import by_name, made_by
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import SERIES, role, series_colours
from unseen.reports.selection import Row, measure_rows, ordered
from unseen.reports.words import repeats

R2, OUT, OTHERS = "R²", "R² of the factor out of range", "R² of the other factors"
KEPT = f"{R2} (answers kept to the range)"
WORTH_SHOWING = 0.05  # a difference of R² between answers as they are and kept to the range
MOST_SMALL = 12  # panels of one figure; a page of more is read by nobody
# From rows like those trained on to rows beyond them: blue to vermilion.
SPLITS = dict(
    zip(
        ("random", "composition", "interpolation", "extrapolation"),
        (SERIES[name][0] for name in ("separate", "split-1", "split-2", "shared")),
    )
)


def r2(contents: InDomainContents) -> Figure | str:
    """The paper's figure of all models: mean R² by model and split."""
    about = contents.regression
    rows = [row for row in measure_rows(contents, R2) if row["target"] == FACTORS and row["set"] == about.asked]
    if not rows:
        return "R² by split: no trial has finished, so there is none."
    known, kept = _published(contents), _kept(contents, rows)
    made = []
    for world in ordered(world for world, _ in about.series.values()):
        for title, some, ticks_of in (("", rows, known), ("answers kept to the range", kept, ())):
            mine = [row for row in some if about.series[row["series"]][0] == world]
            data = [_bar(row, about.series[row["series"]][1], row["x"]) for row in mine]
            if data:
                chart = r2_bars(data, splits=_splits(about), colours=_colours(about), published=ticks_of)
                named = ", ".join(filter(None, [world, title]))
                made.append(Panel(named or "mean over all factors", chart))
    ticks = (
        " Ticks are published numbers, also of models that were not run here; they are of the official images."
        if known
        else ""
    )
    caption = (
        f"Mean R² of all factors asked, on the {about.asked} rows of each split: 1 is perfect, 0 is what always "
        f"answering the mean would score, below 0 is worse. {_interval_words([*rows, *kept])}{ticks}"
    )
    if kept:
        caption += (
            " R² has no lower end, and some networks answer far outside a factor's range: beside it, R² with such "
            "answers moved to the nearer end of the range."
        )
    if any(row["value"] < LOWEST for row in known):
        caption += " An open arrow tip with its number is a published one below the axis."
    keys = [*_split_keys(about), *([Key("published", tick=True)] if known else []), *_beyond([*rows, *kept])]
    return Figure("r2", "R² by split", caption, tuple(made), tuple(keys))


def _kept(contents: InDomainContents, rows: list[Row]) -> list[Row]:
    """R² with answers kept to the range, if that makes a difference anywhere."""
    plain = {(row["series"], row["x"]): finite(row["value"]) for row in rows}
    kept = [row for row in measure_rows(contents, KEPT) if row["target"] == FACTORS and row["set"] == rows[0]["set"]]
    pairs = [(plain.get((row["series"], row["x"])), finite(row["value"])) for row in kept]
    told = any(a is not None and b is not None and b - a > WORTH_SHOWING for a, b in pairs)
    return kept if told else []


def kinds(contents: InDomainContents) -> Figure | str:
    """Which kinds of factor are hard for all networks alike: a row per kind."""
    about = contents.regression
    if not about.by_kind:
        return "R² by kind of factor: no trial has finished, so there is none."
    rows = [{"n": row.n, "low": row.low, "high": row.high} for row in about.by_kind]
    made = []
    for world in ordered(row.world for row in about.by_kind):
        mine = [row for row in about.by_kind if row.world == world]
        data = [_bar(vars(row), row.kind, row.split) for row in mine]
        models = sum(where == world for where, _ in about.series.values())
        title = f"all {models} models" if models > 1 else next(iter(about.series.values()))[1]
        chart = r2_bars(data, splits=_splits(about), colours=_colours(about))
        made.append(Panel(f"{world}, {title}" if world else title, chart))
    told: dict[str, list[str]] = {}
    for name, kind in about.kinds.items():
        told.setdefault(kind, []).append(name)
    meant = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in told.items() if names != [kind])
    count = repeats([row["n"] for row in rows])
    over = "models, each by the mean of its seeds" if len(about.series) > 1 else "seeds"
    spread = f"Means with 95 % t intervals over {over} ({count})" if any(
        finite(row["low"]) is not None for row in rows
    ) else f"One network ({count}): no interval"  # fmt: skip
    caption = (
        f"Mean R² of the factors of one kind on the {about.asked} rows of each split, all models together. "
        f"{spread}{f'. {meant}' if meant else ''}.{_cut_words(map(vars, about.by_kind))}"
    )
    keys = [*_split_keys(about), *_beyond(vars(row) for row in about.by_kind)]
    return Figure("kinds", "R² by kind of factor", caption, tuple(made), tuple(keys))


def factors(contents: InDomainContents) -> Figure | str:
    """Which factors are hard: a panel per model, a row per factor."""
    about = contents.regression
    rows = [row for row in measure_rows(contents, R2) if row["target"] != FACTORS and row["set"] == about.asked]
    if not rows:
        return "R² of each factor: no trial has finished, so there is none."
    order = sorted(ordered(row["target"] for row in rows), key=_order(about))
    series = ordered(row["series"] for row in rows)
    made = []
    for name in series[:MOST_SMALL]:
        data = [_bar(row, _factor(about, row["target"]), row["x"]) for row in rows if row["series"] == name]
        models = [
            _factor(about, factor) for factor in order if any(row["model"] == _factor(about, factor) for row in data)
        ]
        made.append(Panel(name, r2_bars(data, models=models, splits=_splits(about), colours=_colours(about))))
    caption = (
        f"R² of each factor on the {about.asked} rows of each split, factors of one kind together. Under interpolation "
        f"and extrapolation a row is out of range in some factors, in the others not. {_interval_words(rows)}"
        f"{_more(series)}"
    )
    keys = [*_split_keys(about), *_beyond(rows)]
    return Figure("factors", "R² of each factor", caption, tuple(made), tuple(keys), wide=True)


def modularity(contents: InDomainContents) -> Figure | str:
    """The paper's error analysis: one factor out of range, its R² and that of the others."""
    about = contents.regression
    rows = {part: measure_rows(contents, measure) for part, measure in (("out", OUT), ("others", OTHERS))}
    found = [row for part in rows.values() for row in part]
    if not found:
        return "One factor out of range: no split has such rows (one-out-*), or none were asked."
    splits = [name for name in reversed(_splits(about)) if any(row["x"] == name for row in found)]
    series = ordered(row["series"] for row in found)

    def dots(split: str, model: str | None) -> list[Row]:
        """Of every model, its mean over factors; of one, its factors."""
        return [
            _dot(row, row["series"] if model is None else _factor(about, row["target"]), part)
            for part in PARTS
            for row in rows[part]
            if row["x"] == split and (row["target"] == FACTORS) == (model is None) and model in (None, row["series"])
        ]

    made = []
    for split in splits:
        data = dots(split, None)
        names = [name for name in series if any(row["name"] == name for row in data)]
        made.append(Panel(f"{split}, mean over factors", modularity_dots(data, names=names)))
    for name in series[:MOST_SMALL]:
        data = dots(splits[0], name)
        if data:
            made.append(Panel(f"{splits[0]}, {name}", modularity_dots(data)))
    caption = (
        "Test rows with exactly one factor out of range: R² of that factor, and the mean R² of all the others. If "
        "only the first falls, the network is modular. By model, then by the "
        f"factor that is out. Some factors are hard anywhere and pull the mean of the others down; the finding above "
        f"compares each with itself in range. {_interval_words(found)}{_more(series)}"
    )
    keys = [Key(f"R² of {PARTS['out']}", colour=role("asked")), Key(f"R² of {PARTS['others']}", colour=role("seen"))]
    return Figure("modularity", "One factor out of range", caption, tuple(made), (*keys, *_beyond(found)), wide=True)


def answers(contents: InDomainContents) -> Figure | str:
    """The paper's qualitative figure: predicted against true."""
    about = contents.regression
    if not about.answers:
        return "Predicted against true: no network was asked on rows with one factor out of range."
    one = len({picture.series for picture in about.answers}) == 1
    made = tuple(
        Panel(
            picture.factor if one else f"{picture.series}: {picture.factor}",
            predicted_against_true(
                picture.predicted,
                picture.true,
                levels=picture.levels,
                out=picture.out,
                mean=picture.mean,
                height=200,
            ),
        )
        for picture in about.answers
    )
    whose = f"What {about.answers[0].series} answers" if one else "What networks answer, by model and factor,"
    caption = (
        f"{whose} under {about.answers_of} (the first seed). Levels on a shaded ground were "
        "never trained on; the other factors are in range. The fuller, the more images; dots are medians. On the "
        "diagonal: right. Flat over the shaded ground: the network stops at the edge of what it knows. The dotted line "
        "is the mean of the levels trained on."
    )
    return Figure("answers", "Predicted against true", caption, made, (), columns=0 if one else _across(about))


def towards_mean(contents: InDomainContents) -> Figure | str:
    """The paper's histogram of |f − ȳ| / |y − ȳ|."""
    about = contents.regression
    if not about.ratios:
        return "Towards the mean: no network was asked on rows with one factor out of range."
    shown = about.ratios[:MOST_SMALL]
    most = max(greatest_share(picture.counts, picture.overflow) for picture in shown)
    made = tuple(
        Panel(
            picture.title,
            towards_mean_bars(picture.edges, picture.counts, picture.overflow, undefined=picture.undefined, most=most),
        )
        for picture in shown
    )
    caption = (
        f"Answers about the factor out of range under {about.answers_of}: their distance from the mean of the levels "
        "trained on, divided by that of the truth; all factors and seeds together. On the shaded ground, within "
        "[0, 1], the answer is nearer to the mean than the truth; a network that is right on average would have half "
        f"of its answers there.{_more(about.ratios)}"
    )
    return Figure("towards-mean", "Towards the mean", caption, made, ())


def _splits(about: Regression) -> list[str]:
    return [name for name in SPLITS if name in about.splits] + [name for name in about.splits if name not in SPLITS]


def _colours(about: Regression) -> dict[str, str]:
    """The four splits of the paper always have the same colours."""
    own = [name for name in about.splits if name not in SPLITS]
    return {name: SPLITS[name] for name in SPLITS if name in about.splits} | series_colours(own)


def _split_keys(about: Regression) -> list[Key]:
    return [Key(name, colour=_colours(about)[name]) for name in _splits(about)]


def _beyond(rows: Iterable[Row]) -> list[Key]:
    """What an arrow tip means, where there is one."""
    values = [finite(row["value"]) for row in rows]
    below = any(value is not None and value < LOWEST for value in values)
    return [Key("below the axis: its value beside it", shape="triangle-left")] if below else []


def _across(about: Regression) -> int:
    """How many panels of answers make a line, so that each network starts one; 0 where that would not look well."""
    counts = {sum(other.series == picture.series for other in about.answers) for picture in about.answers}
    return next((n for n in (5, 4, 3) if all(count % n == 0 for count in counts)), 0)


def _bar(row: Row, model: str, split: str) -> Row:
    return {"model": model, "split": split, **{key: row[key] for key in ("value", "low", "high", "n")}}


def _dot(row: Row, name: str, part: str) -> Row:
    return {"name": name, "part": part, **{key: row[key] for key in ("value", "low", "high", "n")}}


def _factor(about: Regression, name: str) -> str:
    """A factor with its kind, where the name does not say it."""
    kind = about.kinds.get(name, "other")
    return name if kind in name or kind == "other" else f"{name} ({kind})"


def _order(about: Regression) -> Callable[[str], int]:
    kinds = ordered(about.kinds.values())
    return lambda name: kinds.index(about.kinds[name]) if name in about.kinds else len(kinds)


def _published(contents: InDomainContents) -> list[Row]:
    """Published numbers of splits that are ours too, named as our models are where they are the same."""
    if contents.published is None or not contents.published.height:
        return []
    about = contents.regression
    names = {model.casefold(): model for _, model in about.series.values()}
    return [
        {
            "model": names.get(row["series"].casefold(), row["series"]),
            "split": row["x"],
            "value": row["value"],
            "source": row["figure"],
        }
        for row in contents.published.to_dicts()
        if row["x"] in about.splits and row["set"] == about.asked
    ]


def _interval_words(rows: Iterable[Row]) -> str:
    found = list(rows)
    count = repeats([row["n"] for row in found])
    if not any(finite(row["low"]) is not None for row in found):
        return f"One network each ({count}): no interval."
    return f"Means over repeats with 95 % t intervals ({count}).{_cut_words(found)}"


def _cut_words(rows: Iterable[Row]) -> str:
    """What an open arrow tip means, where there is one."""
    cut = any(row["under"] or row["over"] for row in r2_rows(list(rows), LOWEST) if not row["beyond"])
    return " An open arrow tip ends an interval that goes on beyond the axis." if cut else ""


def _more(items: Iterable[object]) -> str:
    left = len(list(items)) - MOST_SMALL
    return f" {left} more panels are left out; the table of numbers has all." if left > 0 else ""


FIGURES = by_name(r2, kinds, factors, modularity, answers, towards_mean, disentanglement)


def figures(contents: InDomainContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents, order=contents.regression.splits)}
