"""Who is at a study now and how far they are: a file for each process, ``workers/<name>.json``, written every 15 s.

A file is JSON (``format`` 1) with the fields of :class:`Heartbeat`; ``doing`` lists what is in progress, each with the
fields of :class:`Doing`. It is replaced as a whole, so that a reader never meets half of it. A process that ends in
good order removes its file; one that was killed leaves it. ``workers/<name>.stop`` asks a worker to end.

>>> from pathlib import Path
>>> heartbeats(Path("no/such/study"))
[]
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unseen.vocabulary.whereabouts import Whereabouts, surely_gone
from unseen.vocabulary.whole_files import time_there

FORMAT = 1
FOLDER = "workers"
BEAT = 15.0  # seconds between two beats
STALE = 180.0  # seconds without one after which a worker counts as lost; several times NFS's attribute cache (60 s)
RUN, WORK = "run", "work"  # kinds: `unseen run`, which has the study to itself, and `unseen work`
WORKING, WAITING, LAST = "working", "waiting", "takes nothing new"  # states
MOST_POINTS = 60  # of a curve, in a heartbeat


def beat_seconds() -> float:
    """Seconds between two beats; ``UNSEEN_HEARTBEAT`` changes them, for tests."""
    return _seconds("UNSEEN_HEARTBEAT", BEAT)


def stale_seconds() -> float:
    """Seconds after which a worker that does not beat is lost; ``UNSEEN_STALE`` changes them, for tests."""
    return _seconds("UNSEEN_STALE", STALE)


def _seconds(name: str, usual: float) -> float:
    try:
        return max(0.01, float(os.environ.get(name, "")))
    except ValueError:
        return usual


@dataclass(frozen=True)
class Doing:
    """Something in progress. ``kind``: "trial", "encoder" or "calibration"; ``epoch`` of ``epochs`` are done;
    ``curve``: figures of epochs so far, each with its ``epoch`` (long curves are thinned); ``began``: local time."""

    identity: str
    label: str
    kind: str = "trial"
    epoch: int = 0
    epochs: int = 0
    began: str = ""
    curve: Sequence[Mapping[str, float]] = ()


@dataclass(frozen=True)
class Heartbeat:
    """One process that is at a study.

    ``finished``, ``failed``, ``asked`` (of those finished, from kept weights) and ``epochs`` (of trials) count what it
    has done since it ``started``, busy with trials for ``seconds``; ``memory``: bytes it takes (the most so far),
    ``device_memory`` those on its device; ``engine``: who started it ("" by hand, "local", "slurm", "ray"), ``job``:
    its name there, ``log``: where its words go, as far as known; ``note``: its last word of trouble; ``age``: seconds
    since it was written, by the clock of the disk."""

    name: str
    kind: str = WORK
    host: str = ""
    pid: int = 0
    realm: str = ""
    born: str = ""
    unseen: str = ""
    device: str = ""
    engine: str = ""
    job: str = ""
    log: str = ""
    started: str = ""
    beat: int = 0
    state: str = WORKING
    doing: Sequence[Doing] = field(default=())
    finished: int = 0
    failed: int = 0
    asked: int = 0
    epochs: int = 0
    seconds: float = 0.0
    memory: int = 0
    device_memory: int = 0
    note: str = ""
    age: float = 0.0

    @property
    def where(self) -> Whereabouts:
        return Whereabouts(self.host, self.pid, self.realm, self.born)

    @property
    def living(self) -> bool:
        """Whether it seems to live: it beat not long ago, and is not known to be gone."""
        return self.age <= stale_seconds() and not surely_gone(self.where)

    @property
    def words(self) -> str:
        """Which process it is.

        >>> Heartbeat("a", host="node7", pid=12, engine="slurm", job="81_3").words
        'process 12 on node7 (slurm 81_3)'
        """
        return f"process {self.pid} on {self.host}" + (
            f" ({self.engine} {self.job})".replace(" )", ")") * bool(self.engine)
        )


def folder_of(study: Path) -> Path:
    """Where the heartbeats of a study are."""
    return study / FOLDER


def heartbeats(study: Path) -> list[Heartbeat]:
    """All processes that are at a study or were lost there, the oldest first. One whose file cannot be read is told by
    its name alone."""
    folder = folder_of(study)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
    except OSError:
        return []
    if not names:
        return []
    now = time_there(folder)
    found = [read(folder / name, now) for name in names]
    return sorted((one for one in found if one is not None), key=lambda one: (one.started, one.name))


def living(study: Path) -> list[Heartbeat]:
    """The processes that seem to be at a study now."""
    return [one for one in heartbeats(study) if one.living]


def read(path: Path, now: float) -> Heartbeat | None:
    """One heartbeat; None where it is gone. ``now``: the time by the clock of its folder."""
    try:
        with open(path, "rb") as file:  # opening asks a file server, looking alone may not
            text, written = file.read(), os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    told: dict[str, Any] = {}
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(text)
        told = found if isinstance(found, dict) else {}
    return _heartbeat(path.stem, told, max(0.0, now - written))


def _heartbeat(name: str, told: Mapping[str, Any], age: float) -> Heartbeat:
    """What is of another kind than it should be is left out: a heartbeat is a courtesy, and nothing rests on it."""
    plain = Heartbeat(name)
    known = {key: told[key] for key, usual in asdict(plain).items() if type(told.get(key)) is type(usual)}
    known |= {key: float(told[key]) for key in ("seconds",) if isinstance(told.get(key), int | float)}
    known |= {"name": name, "age": age, "doing": tuple(_doing(told.get("doing")))}
    return Heartbeat(**known)


def _doing(told: Any) -> list[Doing]:
    plain, found = asdict(Doing("", "")), []
    for one in told if isinstance(told, list) else ():
        if isinstance(one, dict) and isinstance(one.get("identity"), str) and isinstance(one.get("label"), str):
            known = {key: one[key] for key, usual in plain.items() if type(one.get(key)) is type(usual)}
            curve = one.get("curve")
            points = curve if isinstance(curve, list) and all(isinstance(point, dict) for point in curve) else ()
            found.append(Doing(**{**known, "curve": tuple(points)}))
    return found


def as_json(one: Heartbeat) -> str:
    """As it is written."""
    told = {key: value for key, value in asdict(one).items() if key not in ("age", "name")}
    return json.dumps({"format": FORMAT, **told}, default=str)


def thinned(curve: Sequence[Mapping[str, float]], most: int = MOST_POINTS) -> list[Mapping[str, float]]:
    """A curve of at most so many points, the last one among them.

    >>> [point["epoch"] for point in thinned([{"epoch": n} for n in range(1, 8)], 3)]
    [1, 4, 7]
    """
    step = -(-len(curve) // most) if len(curve) > most else 1
    kept = list(curve[::-1][::step])
    return kept[::-1]


def forget(study: Path, *, lost_only: bool = True) -> int:
    """Remove heartbeats of processes that do not seem to live (or all); give their number."""
    gone = [one for one in heartbeats(study) if not (lost_only and one.living)]
    for one in gone:
        for end in (".json", ".stop"):
            with contextlib.suppress(OSError):
                (folder_of(study) / f"{one.name}{end}").unlink(missing_ok=True)
    return len(gone)


def ask_to_stop(study: Path, names: Sequence[str] | None = None) -> list[str]:
    """Ask living workers, or these, to end in good order; give their names. They hear it within a beat or two."""
    asked = [one.name for one in living(study) if one.kind == WORK] if names is None else list(names)
    for name in asked:
        (folder_of(study) / f"{name}.stop").touch()
    return asked
