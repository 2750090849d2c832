"""Progress with time left: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from unseen.engines.progress import Followed, Piece
from unseen.reports.console import print_hanging

if TYPE_CHECKING:
    from unseen.studies.execute import Event


QUIET = 60.0  # seconds after which a log without a terminal is told how far it is, though no trial has ended


class Progress(Followed):
    """Follows the events of a run, and tells each."""

    def __init__(
        self,
        console: Console,
        epochs: Sequence[Piece],
        first: Sequence[Piece] = (),
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(epochs, first, now)
        self.console = console
        self.bar: Any = None
        self._told = now()

    def __enter__(self) -> Progress:
        if self.console.is_terminal and self.trials:
            from rich.progress import BarColumn, ProgressColumn, TextColumn
            from rich.progress import Progress as Bar
            from rich.text import Text

            whole = self

            class Left(ProgressColumn):
                def render(self, task: Any) -> Text:
                    also = ", ".join(["", *whole.also()]) if whole.done else ""
                    return Text(whole.left() + also, overflow="ellipsis", no_wrap=True)

            text = TextColumn("{task.description}")
            self.bar = Bar(
                text, BarColumn(bar_width=12 if self.console.width < 100 else 24), Left(), console=self.console
            )
            self.bar.start()
            self.task = self.bar.add_task(f"0/{self.trials} trials", total=self.total)
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        name = event.trial
        if event.kind == "finished":
            flags = ", ".join(event.figures.get("flags", {}))
            how = "asked" if event.figures.get("asked") else "done"  # from weights that were kept, or trained
            self._say(f"  {how}  {name}" + (f"  [{flags}]" if flags else ""))
        elif event.kind == "failed":
            self._say(f"  failed  {name}")
            self._say(f"    {event.figures['error']}", tail=False)
        elif event.kind == "calibrating":
            self._say(f"  {name}: strength of {', '.join(event.figures['levels'])}")
        elif event.kind == "calibrated":
            self._say(f"  calibrated  {event.figures['text']}")
        elif event.kind == "pretraining":
            self._say(f"  {name}: {event.figures['epochs']} epochs")
        elif event.kind == "pretrained":
            self._say(f"  pretrained  {event.figures['text']}")
        elif event.kind == "note":
            self._say(f"  note: {name}", tail=False)
        elif event.kind == "computing" and self.bar is None:
            self._say(f"  {name}", tail=False)
        elif self.bar is None and self.trials and self.now() - self._told >= QUIET:
            words = [f"{self.finished}/{self.trials}", self.left(), *self.also()]
            self._say(f"  {', '.join(words)}", tail=False)
        if self.bar is not None and event.kind == "computing":
            self.bar.update(self.task, description=name)
        elif self.bar is not None:
            self.bar.update(self.task, completed=self.done, description=f"{self.finished}/{self.trials} trials")

    def _say(self, text: str, tail: bool = True) -> None:
        """On a terminal the bar below tells the time; elsewhere each line ends with it, where there is room."""
        after = f"  ({self.finished + self.failed}/{self.trials}, {self.left()})" if self.bar is None and tail else ""
        self._told = self.now()
        fits = len(text) + len(after) <= self.console.width
        print_hanging(self.console, text + (after if fits else ""))
        if after and not fits:
            print_hanging(self.console, f"      {after.strip()}")
