"""Progress with time left: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from unseen.reports.console import print_hanging

if TYPE_CHECKING:
    from unseen.studies.execute import Event


def clock(seconds: float) -> str:
    """A span of time as people say it.

    >>> clock(75), clock(4000)
    ('1:15', '1:06:40')
    """
    seconds = round(seconds)
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


class Progress:
    """Follows the events of a run. Time left comes from the epochs done so far.

    ``epochs``: each trial's label and how many it will take; ``first``: the same of what comes before (calibrations).
    Two trials may have one label, so they are counted by identity.
    """

    def __init__(
        self, console: Console, epochs: Sequence[tuple[str, int]], first: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.console, self.epochs, self.trials = console, dict([*first, *epochs]), len(epochs)
        self.total = max(1, sum(count for _, count in [*first, *epochs]))
        self.started, self.finished, self.failed = time.perf_counter(), 0, 0
        self.per_trial: dict[str, int] = {}
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if self.console.is_terminal and self.trials:
            from rich.progress import BarColumn, ProgressColumn, TextColumn
            from rich.progress import Progress as Bar
            from rich.text import Text

            whole = self

            class Left(ProgressColumn):
                def render(self, task: Any) -> Text:
                    return Text(whole.left())

            text = TextColumn("{task.description}")
            self.bar = Bar(text, BarColumn(bar_width=24), Left(), console=self.console)
            self.bar.start()
            self.task = self.bar.add_task(f"0/{self.trials} trials", total=self.total)
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    @property
    def done(self) -> int:
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
        if event.kind == "finished":
            self.finished += 1
            flags = ", ".join(event.figures.get("flags", {}))
            how = "asked" if event.figures.get("asked") else "done"  # from weights that were kept, or trained
            self._say(f"  {how}  {name}" + (f"  [{flags}]" if flags else ""))
        elif event.kind == "failed":
            self.failed += 1
            self._say(f"  failed  {name}")
            self._say(f"    {event.figures['error']}", tail=False)
        elif event.kind == "calibrating":
            self._say(f"  {name}: strength of {', '.join(event.figures['levels'])}")
        elif event.kind == "calibrated":
            self._say(f"  calibrated  {event.figures['text']}")
        elif event.kind == "note":
            self._say(f"  note: {name}", tail=False)
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, description=f"{self.finished}/{self.trials} trials")

    def _say(self, text: str, tail: bool = True) -> None:
        """On a terminal the bar below tells the time; elsewhere each line ends with it, where there is room."""
        after = f"  ({self.finished + self.failed}/{self.trials}, {self.left()})" if self.bar is None and tail else ""
        fits = len(text) + len(after) <= self.console.width
        print_hanging(self.console, text + (after if fits else ""))
        if after and not fits:
            print_hanging(self.console, f"      {after.strip()}")
