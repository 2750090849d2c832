"""Ctrl-C, however often it is pressed: one sentence, one code, and nothing torn apart."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

INTERRUPTED = 130  # what a shell expects of a program that Ctrl-C ended
PATIENCE = 10.0  # seconds in which a second Ctrl-C is the same as the first
TRIALS = "stopped. Finished trials are kept; the same command goes on from here."

_words = TRIALS


def hear_once() -> None:
    """Ctrl-C ends the program in good order once: pressed again while workers are ended and files closed, it would only
    tear that apart. One that was lost on its way (in a callback that nobody watches) can be pressed again later."""
    global _words
    heard, _words = -PATIENCE, TRIALS

    def interrupt(number: int, frame: Any) -> None:
        nonlocal heard
        if (now := time.monotonic()) - heard > PATIENCE:
            heard = now
            raise KeyboardInterrupt

    if _hears() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where ignored, as under nohup
        signal.signal(signal.SIGINT, interrupt)


@contextlib.contextmanager
def stopped_with(words: str) -> Iterator[None]:
    """The last words of a program that is interrupted in here."""
    global _words
    try:
        yield
    except KeyboardInterrupt:
        _words = words
        raise


def last_words(words: str) -> None:
    """What is said at the end of a program that was interrupted."""
    global _words
    _words = words


def say_stopped() -> int:
    """The last words after Ctrl-C, and the code. What comes after them, nothing can interrupt."""
    from unseen.cli.terminal import heard

    if _hears():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with heard():
        sys.stderr.write(f"\n{_words}\n")
    return INTERRUPTED


def _hears() -> bool:
    return threading.current_thread() is threading.main_thread()
