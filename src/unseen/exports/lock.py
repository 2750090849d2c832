"""One run at a time in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.locks import Held, NoLocks, held_alone

LOCK = ".lock"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Only one run at a time. The lock goes with its process, however that ends; its file stays, empty."""
    with ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            stack.enter_context(held_alone(out / LOCK))
        except Held as held:
            raise StoreBusy(
                f"'{out}' is being written by {held.who}; wait for it, or give this export another folder with --out."
            ) from None
        except NoLocks:
            raise UnseenError(
                f"the file system of '{out}' has no locks, which keep two exports from writing over each other. Choose "
                f"another --out, on a disk of this machine."
            ) from None
        except OSError as error:
            raise UnseenError(f"cannot write to '{out}': {error.strerror or error}. Choose another --out.") from error
        yield
