"""How far a run is and how long it will take; in a notebook, and on a terminal that runs a script, as one bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from unseen.studies.needed import encoders_to_make
from unseen.studies.together import goes_together
from unseen.vocabulary.spans import clock

if TYPE_CHECKING:
    from unseen.studies.execute import Event
    from unseen.studies.missing_trials import MissingTrials
    from unseen.studies.study import Study

OFTEN = 0.3  # seconds between two looks of the bar


class Followed:
    """Counts the events of a run. Time left comes from the epochs done so far.

    ``epochs``: each trial's label and how many it will take; ``first``: the same of what comes before (calibrations).
    Two trials may have one label, so they are counted by identity.
    """

    def __init__(self, epochs: Sequence[tuple[str, int]], first: Sequence[tuple[str, int]] = ()) -> None:
        self.epochs, self.trials = dict([*first, *epochs]), len(epochs)
        self.total = max(1, sum(count for _, count in [*first, *epochs]))
        self.started, self.finished, self.failed = time.perf_counter(), 0, 0
        self.per_trial: dict[str, int] = {}

    @property
    def done(self) -> int:
        """Epochs done."""
        return sum(self.per_trial.values())

    def left(self) -> str:
        elapsed, done = time.perf_counter() - self.started, self.done
        if not done:
            return f"{clock(elapsed)} elapsed, starting"
        return f"{clock(elapsed)} elapsed, {clock(elapsed / done * max(0, self.total - done))} left"

    def __call__(self, event: Event) -> None:
        name, one = event.trial, event.identity or event.trial
        if event.kind == "started":
            self.per_trial[one] = 0  # one that did not fit in memory starts again
        elif event.kind == "epoch":
            self.per_trial[one] = min(self.per_trial.get(one, 0) + 1, self.epochs.get(name, 1))
        elif event.kind in ("finished", "failed"):
            self.per_trial[one] = self.epochs.get(name, 0)
        self.finished += event.kind == "finished"
        self.failed += event.kind == "failed"


def to_follow(study: Study, left: MissingTrials) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """What :class:`Followed` is given: the trials that are missing, and the encoders and calibrations before them. One
    that is only asked counts as an epoch."""
    epochs = [(trial.label, 1) for trial in left.ask]
    rest = (*left.again, *left.new)
    epochs += [(trial.label, 1 if goes_together(trial) else trial.recipe.training.epochs) for trial in rest]
    needed = [one for name, one in study.calibrations.items() if study.store.calibration(name) is None]
    first = [(one.label, one.trial.recipe.pretraining.epochs) for one in encoders_to_make(study)]
    return epochs, [*first, *((one.label, one.trial.recipe.training.epochs) for one in needed)]


class Bar(Followed):
    """One bar for a whole run from Python. It stays where it is, and tells the last failure."""

    def __init__(self, epochs: Sequence[tuple[str, int]], first: Sequence[tuple[str, int]] = ()) -> None:
        super().__init__(epochs, first)
        self.trouble, self._shown = "", 0.0

    def __enter__(self) -> Bar:
        if self.trials:
            self._open()
        return self

    def __exit__(self, *error: object) -> None:
        if self.trials:
            self._show(over=True)

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        if event.kind == "failed":
            self.trouble = f"{event.trial}: {event.figures.get('error', '')}"
        if self.trials and time.perf_counter() - self._shown > OFTEN:
            self._show()
            self._shown = time.perf_counter()

    def words(self, over: bool = False) -> str:
        """Where it is.

        >>> Bar([("a", 3)]).words()
        '0 of 1 trial, 0:00 elapsed, starting'
        """
        time_told = f"{clock(time.perf_counter() - self.started)} in all" if over else self.left()
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.finished} of {self.trials} trial{'s' * (self.trials != 1)}{failed}, {time_told}"

    def _open(self) -> None: ...

    def _show(self, over: bool = False) -> None: ...


class NotebookBar(Bar):
    """A bar in the cell's output: HTML's own, so that it needs no widget, and shows in a notebook that was saved."""

    def _open(self) -> None:
        self._display: Any = sys.modules["IPython"].display.display({}, raw=True, display_id=True)
        self._show()

    def _show(self, over: bool = False) -> None:
        bar = f'<progress value="{self.done}" max="{self.total}" style="width:18em;vertical-align:middle"></progress>'
        trouble = f'<div style="opacity:.7">failed: {escape(self.trouble)}</div>' if self.trouble else ""
        words = self.words(over)
        html = f'<div style="font-variant-numeric:tabular-nums">{bar} {escape(words)}{trouble}</div>'
        self._display.update({"text/html": html, "text/plain": words}, raw=True)


class TerminalBar(Bar):
    """One line on a terminal, written over and over."""

    def _open(self) -> None:
        self._show()

    def _show(self, over: bool = False) -> None:
        width, filled = 24, round(24 * self.done / self.total)
        line = f"{'#' * filled}{'-' * (width - filled)} {self.words(over)}"
        trouble = f"\n  failed: {self.trouble}" if over and self.trouble else ""
        sys.stderr.write(f"\r\x1b[2K{line}{trouble}" + "\n" * over)
        sys.stderr.flush()


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; nothing is imported to find out."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def bar_for(study: Study, device: str, progress: bool | None) -> Bar:
    """The bar that suits: in a notebook its own, on a terminal a line, elsewhere (a log, a test) none. ``progress``
    True or False settles it."""
    from unseen.studies.missing_trials import missing_trials

    kind: type[Bar] = NotebookBar if in_notebook() else TerminalBar
    if progress is False or (progress is None and kind is TerminalBar and not sys.stderr.isatty()):
        kind = Bar
    return kind(*to_follow(study, missing_trials(study, device)))
