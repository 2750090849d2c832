"""Progress with time left: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console

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
    """Follows the events of a run. Time left comes from the epochs done so far."""

    def __init__(self, console: Console, trials: int, epochs: int) -> None:
        self.console, self.trials, self.epochs = console, trials, max(1, trials * epochs)
        self.started, self.done, self.finished, self.failed = time.perf_counter(), 0, 0, 0
        self.per_trial: dict[str, int] = {}
        self.epochs_each = epochs
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if self.console.is_terminal and self.trials:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            text = TextColumn("{task.description}")
            self.bar = Bar(text, BarColumn(bar_width=24), TextColumn("{task.fields[left]}"), console=self.console)
            self.bar.start()
            self.task = self.bar.add_task(f"0/{self.trials} networks", total=self.epochs, left="")
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def left(self) -> str:
        elapsed = time.perf_counter() - self.started
        if not self.done:
            return "starting"
        return f"{clock(elapsed)} gone, {clock(elapsed / self.done * (self.epochs - self.done))} left"

    def __call__(self, event: Event) -> None:
        if event.kind == "epoch":
            self.done += 1
            self.per_trial[event.identity] = self.per_trial.get(event.identity, 0) + 1
        elif event.kind == "finished":
            self.done += self.epochs_each - self.per_trial.get(event.identity, self.epochs_each)
            self.finished += 1
            flags = ", ".join(event.figures.get("flags", {}))
            self._say(f"  done  {event.trial}" + (f"  [{flags}]" if flags else ""))
        elif event.kind == "failed":
            self.done += self.epochs_each - self.per_trial.get(event.identity, 0)
            self.failed += 1
            self._say(f"  failed  {event.trial}: {event.figures['error']}")
        elif event.kind == "note":
            self._say(f"  note: {event.trial}")
        if self.bar is not None:
            name = f"{self.finished}/{self.trials} networks"
            self.bar.update(self.task, completed=self.done, description=name, left=self.left())

    def _say(self, text: str) -> None:
        ended = self.finished + self.failed
        tail = f"  ({ended}/{self.trials}, {self.left()})" if self.bar is None else ""
        self.console.print(text + tail, markup=False, highlight=False)
