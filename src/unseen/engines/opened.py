"""A study as a notebook uses it: what is finished, its numbers, its answers, its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.studies.overview import Overview, overview
from unseen.studies.stored import at_hand
from unseen.studies.study import Study

if TYPE_CHECKING:
    import polars as pl

    from unseen.vocabulary.recipe import Recipe


class OpenedStudy:
    """What :func:`unseen.open_study` gives. Every method reads the folder anew, so a study that is still running shows
    what it has by now. ``inner`` is the study as the library has it: its worlds, splits and targets."""

    def __init__(self, inner: Study) -> None:
        self.inner = inner

    @property
    def path(self) -> Path:
        """The study's folder."""
        return self.inner.path

    @property
    def recipe(self) -> Recipe:
        """The resolved recipe, every default filled in."""
        return self.inner.recipe

    def __repr__(self) -> str:
        now = self.status()
        state = f"{now.finished} of {now.trials} trials finished"
        state += f", {now.failed} failed" if now.failed else ""
        state += f", running: {now.running}" if now.running else ""
        return f"<study {_short(self.recipe.title)!r} in {self.path}: {now.trouble or state}>"

    def status(self) -> Overview:
        """How many trials are finished and how many failed, who runs it now, when it last changed, its size."""
        return overview(self.path, self.recipe)

    def results(self) -> pl.DataFrame:
        """The tidy table: one row per finished trial and number."""
        from unseen.kinds.collect import collect

        return collect(self._stored())

    def summary(self) -> pl.DataFrame:
        """Means over repeats with their 95 % intervals, as the report shows them."""
        from unseen.kinds.results import summary_of

        return summary_of(self._stored())

    def responses(self) -> pl.DataFrame:
        """The answers of every finished trial: one row per trial, test image and question, with its factor levels."""
        import polars as pl

        from unseen.kinds.collect import finished_trials
        from unseen.studies.sound import damaged
        from unseen.vocabulary.errors import UnseenError

        frames = []
        for facts, folder in finished_trials(self._stored()):
            head = {"trial": facts["identity"], "label": facts["label"], "seed": facts["seed"]}
            try:
                found = pl.read_parquet(folder / "responses.parquet")
            except (OSError, pl.exceptions.PolarsError) as error:
                raise damaged(folder, error) from None
            frames.append(found.select(*(pl.lit(value).alias(key) for key, value in head.items()), pl.exclude(*head)))
        if not frames:
            raise UnseenError(f"study '{self.path}' has no finished trial yet; run() it first.")
        return pl.concat(frames, how="diagonal_relaxed")

    def trials(self) -> pl.DataFrame:
        """One row per trial: its settings in words, its seed, whether it is finished, and why it failed if it did."""
        import polars as pl

        from unseen.vocabulary.errors import UnseenError

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

    def report(self) -> Path:
        """Write the report; the path of its page."""
        from unseen.kinds.results import page_of
        from unseen.reports import write_report

        return write_report(page_of(self._stored()), self.path / "report")

    def run(
        self,
        *,
        device: str = "auto",
        workers: int | None = None,
        pack: int | None = None,
        watch: Callable[[Any], None] | None = None,
    ) -> OpenedStudy:
        """Run what is missing; the study itself, so that ``.run().summary()`` can follow."""
        from unseen.engines.local import run_study
        from unseen.kinds.checks import check
        from unseen.studies.trusting import settle

        settle(self.recipe, f"recipe '{self.recipe.title}'", trust=False)
        check(self.inner)
        run_study(self.inner, device=device, workers=workers, pack=pack, watch=watch or (lambda event: None))
        return self

    def _stored(self) -> Study:
        """The study, or what is stored of it where its images are not at hand."""
        self.inner.refresh()
        return at_hand(self.inner)


def opened(
    recipe: Any, out: str | Path | None = None, settings: Sequence[str] = (), trust: bool = False
) -> OpenedStudy:
    from unseen.engines import open_study

    return OpenedStudy(open_study(recipe, out=out, settings=settings, trust=trust))


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
