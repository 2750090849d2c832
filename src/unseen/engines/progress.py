"""How far a run is and how long it will take; in a notebook, and on a terminal that runs a script, as one bar."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from unseen.engines.pace import BEFORE, ENDS, EPOCHS, WHOLE, Pace
from unseen.studies.beating import memory_now
from unseen.studies.needed import encoders_to_make
from unseen.studies.together import goes_together
from unseen.vocabulary.spans import clock, memory_text, rate_text

if TYPE_CHECKING:
    from unseen.studies.execute import Event
    from unseen.studies.missing_trials import MissingTrials
    from unseen.studies.study import Study

OFTEN = 0.3  # seconds between two looks of the bar
STARTS = ("started", "calibrating", "pretraining")
Piece = tuple[str, int] | tuple[str, int, str]  # a label, how many steps it takes, and of which sort


class Followed:
    """Counts the events of a run. Time left comes from what steps of the same sort took so far.

    ``epochs``: each trial's label and how many it will take, and, where it is not trained in epochs, "whole";
    ``first``: the same of what comes before (calibrations). Two trials may have one label, so they are counted by
    identity.
    """

    def __init__(
        self, epochs: Sequence[Piece], first: Sequence[Piece] = (), now: Callable[[], float] = time.perf_counter
    ) -> None:
        pieces = [*((label, count, BEFORE) for label, count, *_ in first)]
        pieces += [(label, count, sort[0] if sort else EPOCHS) for label, count, *sort in epochs]
        self.epochs, self.trials = {label: count for label, count, _ in pieces}, len(epochs)
        self.sorts = {label: sort for label, _, sort in pieces}
        self.steps: Counter[str] = Counter()
        for _, count, sort in pieces:
            self.steps[sort] += count
            self.steps[ENDS] += sort == EPOCHS
        self.total = max(1, self.steps.total() - self.steps[ENDS])
        self.now, self.pace = now, Pace()
        self.started, self.finished, self.failed = now(), 0, 0
        self.per_trial: dict[str, int] = {}
        self.sort_of: dict[str, str] = {}
        self.at_work: set[str] = set()
        self.ended = 0  # of those that are trained in epochs

    @property
    def done(self) -> int:
        """Epochs done."""
        return sum(self.per_trial.values())

    @property
    def elapsed(self) -> float:
        return self.now() - self.started

    def left(self) -> str:
        """Time passed, and time left as far as it can be told."""
        elapsed = f"{clock(self.elapsed)} elapsed"
        if not self.done:
            return f"{elapsed}, starting"
        steps = self.steps.copy()
        for one, count in self.per_trial.items():
            steps[self.sort_of[one]] -= count
        steps[ENDS] -= self.ended
        seconds, known = self.pace.left(steps, self.now(), len(self.at_work))
        if known:
            return f"{elapsed}, {clock(seconds)} left"
        return f"{elapsed}, at least {clock(seconds)} left" if round(seconds) else f"{elapsed}, too early to tell"

    def rate(self) -> str:
        """Epochs a second, or a minute; "" where none has ended."""
        return rate_text(self.pace.steps[EPOCHS], self.pace.spent.get(EPOCHS, 0.0))

    def also(self) -> list[str]:
        """What else is worth a look: the rate, and the memory that this process and those it started take."""
        host, device = memory_now()
        told = [self.rate(), memory_text(host), f"{memory_text(device)} on the device" * bool(device)]
        return [words for words in told if words]

    def __call__(self, event: Event) -> None:
        name, one, now = event.trial, event.identity or event.trial, self.now()
        if event.kind in STARTS:
            self.per_trial[one] = 0  # one that did not fit in memory starts again
            self.sort_of[one] = BEFORE if event.kind != "started" else self.sorts.get(name, EPOCHS)
            self.at_work.add(one)
            self.pace.begin(self.sort_of[one], now)
        elif event.kind == "epoch":
            sort = self.sort_of.setdefault(one, self.sorts.get(name, EPOCHS))
            self.per_trial[one] = min(self.per_trial.get(one, 0) + 1, self.epochs.get(name, 1))
            if event.figures.get("earlier"):
                self.pace.skip(now)
            else:
                self.pace.step(sort, now)
        elif event.kind == "strength":
            self.pace.step(BEFORE, now, 0)
        elif event.kind in ("finished", "failed", "calibrated", "pretrained"):
            self._ended(event.kind, name, one, now)
        self.finished += event.kind == "finished"
        self.failed += event.kind == "failed"

    def _ended(self, kind: str, name: str, one: str, now: float) -> None:
        sort = self.sort_of.setdefault(one, self.sorts.get(name, EPOCHS))
        rest = self.epochs.get(name, 0) - self.per_trial.get(one, 0)
        self.per_trial[one] = self.epochs.get(name, 0)
        self.at_work.discard(one)
        self.ended += sort == EPOCHS
        if kind == "failed":
            self.pace.step(sort, now, 0)
        elif rest > 0 or sort != EPOCHS:
            self.pace.step(sort, now, max(0, rest))
        else:
            self.pace.step(ENDS, now)


def to_follow(study: Study, left: MissingTrials) -> tuple[list[Piece], list[Piece]]:
    """What :class:`Followed` is given: the trials that are missing, and the encoders and calibrations before them. One
    that is only asked counts as an epoch."""
    epochs: list[Piece] = [(trial.label, 1, WHOLE) for trial in left.ask]
    for trial in (*left.again, *left.new):
        together = goes_together(trial)
        epochs.append((trial.label, 1, WHOLE) if together else (trial.label, trial.recipe.training.epochs))
    needed = [one for name, one in study.calibrations.items() if study.store.calibration(name) is None]
    first: list[Piece] = [(one.label, one.trial.recipe.pretraining.epochs) for one in encoders_to_make(study)]
    return epochs, [*first, *((one.label, one.trial.recipe.training.epochs) for one in needed)]


class Bar(Followed):
    """One bar for a whole run from Python. It stays where it is, and tells the last failure."""

    def __init__(self, epochs: Sequence[Piece], first: Sequence[Piece] = ()) -> None:
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
        time_told = f"{clock(self.elapsed)} in all" if over else self.left()
        failed = f", {self.failed} failed" if self.failed else ""
        also = "" if over else "".join(f", {words}" for words in self.also()) * bool(self.done)
        return f"{self.finished} of {self.trials} trial{'s' * (self.trials != 1)}{failed}, {time_told}{also}"

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
