"""How far a long look at files is, told aside while it lasts: on a terminal one line, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time

from unseen.vocabulary.spans import clock

QUIET = 2.0  # seconds before anything is said: most are over by then
OFTEN, SELDOM = 0.2, 10.0  # seconds between two looks: on a terminal, in a log


class ProgressLine:
    """``line(done, total)``, with rate and time left. It clears its line when it is over."""

    def __init__(self, what: str) -> None:
        self.what, self.live = what, sys.stderr.isatty()
        self.started = time.perf_counter()
        self.said = self.started + QUIET - OFTEN if self.live else self.started
        self.shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *error: object) -> None:
        if self.live and self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def __call__(self, done: int, total: int) -> None:
        now = time.perf_counter()
        if now - self.said < (OFTEN if self.live else SELDOM):
            return
        self.said, self.shown = now, True
        line = self.line(done, total, now - self.started)
        sys.stderr.write(f"\r\x1b[2K{line}" if self.live else f"{line}\n")
        sys.stderr.flush()

    def line(self, done: int, total: int, spent: float) -> str:
        """
        >>> ProgressLine("reading meshes").line(120, 1574, 4.0)
        'reading meshes: 120/1,574, 30/s, 0:48 left'
        """
        head = f"{self.what}: {done:,}/{total:,}"
        if not done or spent <= 0:
            return head
        rate = done / spent
        speed = f"{rate:,.0f}/s, " if rate >= 1 else ""
        return f"{head}, {speed}{clock((total - done) / rate)} left"
