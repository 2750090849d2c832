"""A study opened from Python: how far it is, its numbers, trials, figures and report, without running it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.engines.opened_trial import OpenedTrial, chosen
from unseen.notebooks import OpenedFigure, OpenedSplit, OpenedWorld
from unseen.notebooks.handed import handed
from unseen.notebooks.html import card, line
from unseen.notebooks.page import WrittenPage
from unseen.studies.overview import Overview, overview
from unseen.studies.stored import at_hand
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError, unknown

if TYPE_CHECKING:
    import polars as pl

    from unseen.reports import Contents, Page
    from unseen.vocabulary.recipe import Recipe


class OpenedStudy:
    """What :func:`unseen.open_study` gives. Every method reads the folder anew, so a study that is still running shows
    what it has by now. ``inner`` is the study as the library has it: its worlds, splits and targets."""

    path: Path = handed("inner.path", "The study's folder.")
    recipe: Recipe = handed("inner.recipe", "The resolved recipe, every default filled in.")

    def __init__(self, inner: Study) -> None:
        self.inner = inner
        self._gathered: tuple[object, Contents] | None = None

    def __repr__(self) -> str:
        return f"<study {_short(self.recipe.title)!r} in {self.path}: {self._state()}>"

    def _repr_html_(self) -> str:
        now = self.status()
        answer = ""
        if now.finished or now.subjects:
            try:
                answer = self.answer()
            except UnseenError as error:
                answer = f"No answer: {error}"
        todo = ".run() runs what is missing" if now.missing and not now.running else ""
        have = ".summary(), .findings(), .figure(), .trial(0), .report() show more" if now.finished else ""
        hint = "; ".join(filter(None, (todo, have)))
        state = line(f"{self._state(now)}; in {self.path}", muted=True)
        return card(self.recipe.title, line(self.recipe.question), line(answer), state, line(hint, muted=True))

    def _state(self, now: Overview | None = None) -> str:
        now = now or self.status()
        state = f"{now.finished} of {now.trials} trials finished"
        state += f", {now.failed} failed" if now.failed else ""
        state += (
            f", answers of {now.subjects} subject{'s' * (now.subjects != 1)} from elsewhere" if now.subjects else ""
        )
        state += f", running: {now.running}" if now.running else ""
        return now.trouble or state

    def status(self) -> Overview:
        """How many trials are finished and how many failed, who runs it now, when it last changed, its size."""
        return overview(self.path, self.recipe)

    def results(self) -> pl.DataFrame:
        """The tidy table: one row per finished trial and number, then one per subject from elsewhere and number."""
        from unseen.kinds.results import tidy_of

        return tidy_of(self._stored())

    def summary(self) -> pl.DataFrame:
        """Means over repeats with their 95 % intervals, as the report shows them."""
        from unseen.kinds.results import summary_of

        return summary_of(self._stored())

    def findings(self) -> pl.DataFrame:
        """What the study found: each claim with its verdict, number, interval, n and p."""
        import polars as pl

        from unseen.kinds.results import findings_of
        from unseen.reports.words import verdict_words

        keys = ["name", "statement", "value", "low", "high", "n", "over", "p", "corrected", "why"]
        rows = [
            {"verdict": verdict_words(one)[1], **{key: getattr(one, key) for key in keys}}
            for one in findings_of(self._stored())
        ]
        schema = None if rows else dict.fromkeys(["verdict", *keys], pl.String)
        return pl.DataFrame(rows, schema=schema, infer_schema_length=None).rename({"name": "claim"}).fill_nan(None)

    def rules(self, *, longest: int = 5, conditions: int = 2) -> pl.DataFrame:
        """When does it fail? Short rules over the images' factors that tell wrong answers from right ones, found on
        half of the objects and judged on the other half: one row per rule of everyone who answered, or one that says
        that nothing tells their failures apart. At most ``longest`` rules of so many ``conditions``."""
        from unseen.kinds.failures.sentences import frame_of
        from unseen.kinds.failures.subject_rules import rules_of

        return frame_of(rules_of(self._stored(), longest=longest, conditions=conditions, compare=False))

    def answer(self) -> str:
        """The answer in a few sentences, as the report begins."""
        return self._contents().answer

    def figures(self) -> pl.DataFrame:
        """One row per figure of the report: its name, its title and what it shows."""
        import polars as pl

        page = self._page()
        rows = [(name, one.title, one.caption) for name, one in page.figures.items()]
        titles = {section.name: section.title for section in page.whole}
        rows += [(name, titles.get(name, name), "") for name in page.sheets]
        return pl.DataFrame(rows, schema=["name", "title", "shows"], orient="row")

    def figure(self, name: str | None = None) -> OpenedFigure:
        """One of the report's figures, by its name (``figures()`` lists them); by default the first."""
        from unseen.reports.page import drawn

        page = self._page()
        there = [*page.figures, *page.sheets]
        if not there:
            raise UnseenError(f"there is no figure of this study yet. {' '.join(page.reasons)}".strip())
        name = there[0] if name is None else name
        if name not in there:
            error = unknown("figure", name, there, where="this study")
            raise UnseenError(" ".join([str(error), *page.reasons]))
        one = page.figures.get(name)
        if one is None:
            title = next((section.title for section in page.whole if section.name == name), name)
            return OpenedFigure(name, drawn(page.sheets[name]), title=title)
        return OpenedFigure(name, drawn(one), title=one.title, caption=one.caption, chart=one.whole())

    def report(self) -> WrittenPage:
        """Write the report; the path of its page."""
        from unseen.reports import write_report

        return WrittenPage(write_report(self._page(), self.path / "report"))

    def _page(self) -> Page:
        from unseen.kinds.results import page_of

        return page_of(self.inner, self._contents())

    def _contents(self) -> Contents:
        """What report and figures are made of, gathered once for what is finished now."""
        from unseen.kinds.results import gather

        study = self._stored()
        now = [(name, (study.store.trials / name / "trial.json").stat().st_mtime_ns) for name in study.store.finished()]
        key = (now, sorted(study.store.failures()), study.store.subjects())
        if self._gathered is None or self._gathered[0] != key:
            self._gathered = key, gather(study)
        return self._gathered[1]

    def responses(self, *, keys: bool = False) -> pl.DataFrame:
        """The answers of every finished trial, and of subjects from elsewhere: one row per subject, test image and
        question, with its factor levels. ``study.trial(0).responses()`` gives those of one. ``keys``: with the key of
        each image, its name outside the world."""
        from unseen.kinds.every_answer import every_answer

        return every_answer(self._stored(), keys=keys)

    def subjects(self) -> pl.DataFrame:
        """One row per subject whose answers were made elsewhere."""
        import polars as pl

        from unseen.studies.subjects import subjects_of

        rows = []
        for record in subjects_of(self._stored())[0]:
            one, facts = record.subject, record.facts
            counts = {key.replace(" ", "_"): facts["counts"].get(key, 0) for key in ("answers", "images", "no answer")}
            rows.append({"subject": one.name, "kind": one.kind, "persons": one.persons, **counts,
                         "missing_count_as": facts["no_answer"], "source": one.source, "citation": one.citation,
                         "added": facts["added"]})  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    def add_answers(
        self,
        answers: str | Path | Sequence[str | Path] | pl.DataFrame,
        subject: str = "",
        *,
        kind: str = "",
        columns: Mapping[str, str] | None = None,
        target: str = "",
        words: Mapping[str, str] | None = None,
        no_answer: str = "wrong",
        unknown: str = "refuse",
        doubled: str = "refuse",
        source: str = "",
        citation: str = "",
        replace: bool = False,
    ) -> pl.DataFrame:
        """Add answers that were made elsewhere: a file (CSV, TSV, Parquet), several, a folder, or a polars frame, as
        ``unseen answers add`` does. ``kind``: "people" or "model"; ``columns``: which column is what, as in
        ``{"image": "stimulus", "response": "said"}``; ``words``: what responses mean, ``{"aeroplane": "airplane"}``.
        Gives the table of all subjects."""
        from unseen.studies.given_answers import JoiningRules, SubjectDetails
        from unseen.studies.subjects import add_answers

        rules = JoiningRules(unknown, doubled, no_answer, dict(words or {}))
        how = {"rules": rules, "columns": columns, "target": target, "replace": replace}
        with _files(answers) as files:
            add_answers(self.inner, files, SubjectDetails(subject, kind, source, citation), **how)
        return self.subjects()

    def remove_answers(self, subject: str) -> pl.DataFrame:
        """Remove the answers of a subject; gives the table of those that are left."""
        from unseen.studies.subjects import remove_answers

        remove_answers(self._stored(), subject)
        return self.subjects()

    def trials(self) -> pl.DataFrame:
        """One row per trial: its settings in words, its seed, whether it is finished, and why it failed if it did."""
        import polars as pl

        study = self._stored()
        failed = {(record["label"], record["seed"]): record["error"] for record in study.failures().values()}
        rows = []
        for trial in study.trials:
            name = study.find(trial)
            error = None if name else failed.get((trial.label, trial.seed))
            state = "finished" if name else "failed" if error else "missing"
            flags = ""
            if name:
                try:
                    flags = ", ".join(study.store.read(name)["flags"])
                except UnseenError as damage:
                    state, error = "damaged", str(damage)
            rows.append({"label": trial.label, "seed": trial.seed, "state": state, "trial": name or "",
                         "flags": flags, "error": error or ""})  # fmt: skip
        return pl.DataFrame(rows)

    def trial(self, which: int | str | None = None, **settings: Any) -> OpenedTrial:
        """One trial: by its number in ``trials()``, its label, its identity, or settings that it alone has, as in
        ``study.trial(seen_per_level=8, seed=0)``. ``draw`` is the seed of its design."""
        study = self._stored()
        return OpenedTrial(study, chosen(study.trials, [study.find(one) for one in study.trials], which, settings))

    def world(self, which: int | str | None = None, **settings: Any) -> OpenedWorld:
        """The world of a trial; of the first, if none is named."""
        return self._one(which, settings).world

    def split(self, which: int | str | None = None, **settings: Any) -> OpenedSplit:
        """The split of a trial; of the first, if none is named."""
        return self._one(which, settings).split

    def _one(self, which: int | str | None, settings: Mapping[str, Any]) -> OpenedTrial:
        """A trial of the study itself: its images must be at hand. Trials of several seeds may be meant: they share
        world and split."""
        self.inner.refresh()
        first = {"seed": self.recipe.seeds[0]} if settings and "seed" not in settings else {}
        which = 0 if which is None and not settings else which
        trials = self.inner.trials or self.inner.points  # a design that only asks has points
        names = [self.inner.find(one) if isinstance(which, str) else None for one in trials]
        return OpenedTrial(self.inner, chosen(trials, names, which, {**settings, **first}))

    def run(
        self,
        *,
        device: str = "auto",
        workers: int | None = None,
        pack: int | None = None,
        watch: Callable[[Any], None] | None = None,
        progress: bool | None = None,
    ) -> OpenedStudy:
        """Run what is missing; the study itself, so that ``.run().summary()`` can follow. ``progress``: a bar, by
        default in a notebook and on a terminal."""
        from unseen.engines import run_watched

        run_watched(self.inner, device=device, workers=workers, pack=pack, watch=watch, progress=progress)
        return self

    def _stored(self) -> Study:
        """The study, or what is stored of it where its images are not at hand."""
        self.inner.refresh()
        return at_hand(self.inner)


def opened(
    recipe: Any,
    out: str | Path | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    trust: bool = False,
) -> OpenedStudy:
    from unseen.engines import open_study

    return OpenedStudy(open_study(recipe, out=out, settings=settings, trust=trust))


@contextmanager
def _files(answers: Any) -> Iterator[list[Path]]:
    """The files with answers; a frame is written to one, which is read as any other."""
    import polars as pl

    if isinstance(answers, pl.DataFrame):
        with tempfile.TemporaryDirectory() as folder:
            answers.write_parquet(Path(folder) / "answers.parquet")
            yield [Path(folder) / "answers.parquet"]
    else:
        yield [Path(one) for one in ([answers] if isinstance(answers, str | Path) else answers)]


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
