"""The kinds of question that studies ask. A package of your own adds rows by the entry point ``unseen.kinds``:

```toml
[project.entry-points."unseen.kinds"]
symmetry = "my_package.symmetry:KIND"
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.places import added, row_at

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from unseen.kinds.planned import PlannedVerdicts
    from unseen.reports.blocks import Page
    from unseen.reports.contents import Contents
    from unseen.reports.finding import Finding
    from unseen.studies.records import Record
    from unseen.studies.study import Study
    from unseen.studies.trials import Trial
    from unseen.vocabulary.recipe import Recipe

Row = dict[str, Any]  # a number with what it is of: measure, value, n, set, target, layer, unit_type


def later(place: str) -> Callable[..., Any]:
    """A function by where it is ("module:function"), imported when it is first called: a command that lists kinds needs
    no polars and no charts."""

    def call(*arguments: Any) -> Any:
        module, _, name = place.partition(":")
        return getattr(import_module(module), name)(*arguments)

    return call


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _no_detail(record: Record, row: Row) -> None:
    """Numbers speak for themselves."""


def _no_words(console: Console, contents: Any) -> None:
    """The answer says it all."""


@dataclass(frozen=True)
class Kind:
    """What one sort of study asks of its recordings.

    ``designs``: those whose studies are of this kind unless a recipe says otherwise (``kind = "..."``); ``task``: the
    task that it is for, "" where any is.

    ``check(study, trial)``: refuse what could not be answered, before anything is trained.
    ``plan(study)``: over what it will be judged.
    ``numbers(record, options)``: all numbers of one finished trial, from its files alone; ``options`` are the recipe's
    ``[measures]``. It imports no polars: a machine that only trains writes them too.
    ``extra_rows(study, records)``: rows of the whole table (``unseen results --format parquet``) that no number holds;
    ``detail(record, row)``: words to a number in it.
    ``summary(study)``: means with intervals over repeats.
    ``findings(study)``: the claims, judged.
    ``contents(study)``: all that the page shows, ``page(contents)`` the page.
    ``show(console, summary, study)``: the summary on a terminal of 80 columns.
    ``show_end(console, contents)``: what a run ends with, after its answer.
    ``subject_rows(study)``: rows of the tidy table about subjects from elsewhere, where the kind tells of them as of
    networks; else they stand beside its networks, as the kind ``subjects`` tells of them.
    """

    name: str
    asks: str
    designs: tuple[str, ...]
    numbers: Callable[[Record, Mapping[str, Any]], Iterable[Row]]
    summary: Callable[[Study], pl.DataFrame]
    findings: Callable[[Study], Sequence[Finding]]
    contents: Callable[[Study], Contents]
    page: Callable[[Any], Page]
    show: Callable[[Console, pl.DataFrame, Study], None]
    plan: Callable[[Study], PlannedVerdicts]
    check: Callable[[Study, Trial], Any] = _nothing
    extra_rows: Callable[[Study, Sequence[Record]], Iterable[Row]] = _nothing
    detail: Callable[[Record, Row], str | None] = _no_detail
    show_end: Callable[[Console, Any], None] = _no_words
    subject_rows: Callable[[Study], Iterable[Row]] | None = None
    task: str = "classification"


def kind_in(
    folder: str,
    asks: str,
    *,
    designs: tuple[str, ...] = (),
    numbers: Callable[[Record, Mapping[str, Any]], Iterable[Row]],
    task: str = "classification",
    **others: str,
) -> Kind:
    """The kind of a folder whose files have the usual names: ``contents.py`` with ``summary_of``, ``findings_of`` and
    ``contents_of`` a study, ``page.py`` with ``page``, ``terminal.py`` with ``show``, ``plan.py`` with ``plan``.
    Without ``designs`` only studies that name it are of it. ``others``: what not every kind has, by where it is in the
    folder (``check="checks:check"``)."""

    def part(place: str) -> Callable[..., Any]:
        return later(f"{folder}.{place}")

    study = (part(f"contents:{what}_of") for what in ("summary", "findings", "contents"))
    shown = (part(place) for place in ("page:page", "terminal:show", "plan:plan"))
    more = {name: part(place) for name, place in others.items()}
    return Kind(folder.rpartition(".")[2], asks, designs, numbers, *study, *shown, task=task, **more)


# Name, and where it is: loaded when a study needs it.
KINDS: dict[str, str] = {
    "combinations": "unseen.kinds.combinations:KIND",
    "in_domain": "unseen.kinds.in_domain:KIND",
    "exposure": "unseen.kinds.exposure:KIND",
    "conditions": "unseen.kinds.conditions:KIND",
    "domains": "unseen.kinds.domains:KIND",
    "variability": "unseen.kinds.variability:KIND",
    "cues": "unseen.kinds.cues:KIND",
    "replica": "unseen.kinds.replica:KIND",
    "subjects": "unseen.kinds.subjects:KIND",
    "weaknesses": "unseen.kinds.weaknesses:KIND",
    "sanity": "unseen.kinds.sanity:KIND",
    "looking": "unseen.kinds.looking:KIND",
    "concepts": "unseen.kinds.concepts:KIND",
}
EVERY = "*"  # in ``designs``: all that no other kind claims
ANY = "combinations"  # of a design that no kind claims: accuracy on what was seen and on what was not


def places() -> dict[str, str]:
    """Every kind and where it is, those of installed packages too; ours keep their names."""
    return {**added("unseen.kinds"), **KINDS}


def _loaded(name: str, place: str) -> Kind:
    return row_at(name, place, Kind, "kind")


def kind_named(name: str) -> Kind:
    """A kind by its name."""
    there = places()
    if name not in there:
        raise unknown("kind", name, there, where="recipe key 'kind'")
    return _loaded(name, there[name])


def kind_of(recipe: Recipe) -> Kind:
    """The kind of a study: as its recipe says, else the default of its design and task."""
    if not recipe.kind:
        return default_kind(recipe.design.name, recipe.task)
    kind = kind_named(recipe.kind)
    if kind.task not in ("", recipe.task):
        raise UnseenError(
            f"kind = '{recipe.kind}' is for task = '{kind.task}', and this recipe has task = '{recipe.task}'. "
            f"Leave kind out, or change the task."
        )
    return kind


def kind_of_trial(record: Record, recipe: Recipe) -> Kind:
    """The kind by which a trial's numbers are computed: that of the study, unless the trial is of another design."""
    design, task = record.facts["description"].get("design", {}).get("name", ""), record.facts.get("task")
    same = (design, task or "classification") == (recipe.design.name, recipe.task)
    return kind_of(recipe) if same else default_kind(design, task or "classification")


def default_kind(design: str, task: str) -> Kind:
    """The kind that claims a design; else the one that takes any design of its task."""
    found = [kind for name, place in places().items() if (kind := _loaded(name, place)).task in ("", task)]
    own = next((kind for kind in found if design in kind.designs), None)
    return own or next((kind for kind in found if EVERY in kind.designs), None) or kind_named(ANY)
