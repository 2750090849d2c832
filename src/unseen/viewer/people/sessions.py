"""Who was asked what, and what they said: a journal for each person, which survives a closed page and a killed server.

A journal (``STUDY/people/subject-01.jsonl``) has a line for the start and one for each answer, synced as it is written.
What a person is shown, and in which order, follows from the study and the person's number, so that a page that is
opened again goes on where it was left. Finished people become one subject of the study, as answers from elsewhere do.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from unseen.studies.given_answers import JoiningRules, SubjectDetails
from unseen.studies.study import Study
from unseen.studies.subjects import add_answers, asked_rows
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.subjects import PEOPLE

FOLDER = "people"
CODE = re.compile(r"(subject-\d{2,4})-([a-z0-9]{8})")
PERSON = re.compile(r"subject-\d{2,4}")
CONSENT = (
    "You will see pictures for a moment each, and say what was on them. Your answers, your response times and how long "
    "each picture was on the screen are kept on this computer, under a number and without your name. You may stop at "
    "any time by closing the page; open the same address again to go on."
)
TIMES = ("rt", "shown", "refresh")  # numbers that a page reports of a trial, in milliseconds


@dataclass(frozen=True)
class Timing:
    """Milliseconds of a trial; ``within`` is the time for an answer, 0 without end. Fixation, image and mask are those
    of Geirhos et al. 2018 (300, 200, 200); they gave 1,500 for the answer."""

    fixation: int = 300
    image: int = 200
    mask: int = 200
    within: int = 0

    def __post_init__(self) -> None:
        for name in ("fixation", "image", "mask", "within"):
            if not 0 <= getattr(self, name) <= 60_000:
                raise UnseenError(f"{name} = {getattr(self, name)} ms; possible: 0 to 60,000.")
        if self.image == 0:
            raise UnseenError("an image that is shown for 0 ms is not seen; --duration is in milliseconds, e.g. 200.")


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is asked of people: a study's images, one question, the timing, pauses every so many trials."""

    study: Study
    name: str = "people"
    images: int = 0
    pause: int = 64
    timing: Timing = field(default_factory=Timing)
    consent: str = CONSENT
    lock: threading.Lock = field(default_factory=threading.Lock)
    drawing: threading.Lock = field(default_factory=threading.Lock)  # worlds are made for one thread
    collecting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.study.recipe.task == "regression":
            raise UnseenError("this study asks for numbers (task = 'regression'); people are asked for classes.")
        if len(self.target.classes) < 2:
            raise UnseenError("there is one class, and nothing to choose.")
        if self.pause < 1:
            raise UnseenError(f"--pause {self.pause}: a pause comes after at least one trial.")

    @property
    def folder(self) -> Path:
        return self.study.path / FOLDER

    @property
    def target(self) -> Any:
        return self.study.targets(self.study.points[0])[0]

    @property
    def rows(self) -> np.ndarray:
        return asked_rows(self.study)

    def order(self, person: str) -> np.ndarray:
        """The rows that a person is shown, in order: all, or so many drawn for this person."""
        drawn = stream(0, "ask", person).permutation(self.rows)
        return drawn[: self.images] if self.images else drawn

    def journals(self) -> dict[str, Path]:
        """Where each person's answers are; a copy of a journal under another name is nobody's."""
        found = sorted(self.folder.glob("subject-*.jsonl"))
        return {path.stem: path for path in found if PERSON.fullmatch(path.stem)}

    def begin(self) -> dict[str, Any]:
        """A new person."""
        with self.lock:
            self.folder.mkdir(parents=True, exist_ok=True)
            numbers = [int(name.removeprefix("subject-")) for name in self.journals()]
            person = self._free(max(numbers, default=0) + 1)
            head = {"person": person, "code": secrets.token_hex(4), "consent": self.consent, "began": _now()}
            _append(self.folder / f"{person}.jsonl", {"kind": "start", **head})
        return self.state(f"{person}-{head['code']}")

    def _free(self, number: int) -> str:
        """The first person from this number on whom nobody has: another server may ask for this study, too."""
        while True:
            with contextlib.suppress(FileExistsError):
                open(self.folder / f"subject-{number:02}.jsonl", "x").close()
                return f"subject-{number:02}"
            number += 1

    def state(self, code: str) -> dict[str, Any]:
        """How far a person is, and what comes next."""
        person = self.person(code)
        order = self.order(person)
        done = {line["trial"] for line in answers_in(self.folder / f"{person}.jsonl")}
        left = [trial for trial in range(len(order)) if trial not in done]
        return {"code": code, "person": person, "trials": len(order), "done": len(done), "left": left}

    def person(self, code: str) -> str:
        """Whose code this is."""
        found = CODE.fullmatch(code)
        path = self.folder / f"{found[1]}.jsonl" if found else None
        if found is None or path is None or not path.is_file() or not secrets.compare_digest(_code(path), found[2]):
            raise UnseenError("no person has started with this code here; start again.")
        return found[1]

    def row(self, code: str, trial: int) -> int:
        order = self.order(self.person(code))
        if not 0 <= trial < len(order):
            raise UnseenError(f"this person has no trial {trial}; there are {len(order)}, from 0.")
        return int(order[trial])

    def answer(self, code: str, told: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer. The first to a trial counts: a page that sends it again changes nothing."""
        trial, said = told.get("trial"), told.get("response", "")
        if not isinstance(trial, int) or isinstance(trial, bool):
            raise UnseenError("an answer says which trial it is of.")
        row, person = self.row(code, trial), self.person(code)
        if said not in (*self.target.classes, ""):
            raise UnseenError(f"'{str(said)[:60]}' is no class of this study.")
        path = self.folder / f"{person}.jsonl"
        with self.lock:
            if trial not in {line["trial"] for line in answers_in(path)}:
                key = sample_keys(self.study.world(self.study.points[0]).samples, np.array([row]))[0]
                line = {"kind": "answer", "trial": trial, "key": key, "response": said, "when": _now()}
                line |= {name: _number(told.get(name)) for name in TIMES}
                line |= {name: int(_number(told.get(name)) or 0) for name in ("frames", "dropped")}
                _append(path, line)
        state = self.state(code)
        if not state["left"]:  # the answers are kept: a study that is busy takes them in when the page is ended
            with contextlib.suppress(UnseenError, OSError):
                collect(self)
        return state


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S")


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e7:
        return float(value)
    return None


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with open(path, "a+b") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        cut_off = file.read(1) not in (b"", b"\n")  # by a kill or a full disk: this line is none of it
        file.write((b"\n" if cut_off else b"") + json.dumps(line).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def lines_in(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a journal; one that was cut off while it was written is left out."""
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def answers_in(path: Path) -> list[dict[str, Any]]:
    return [line for line in lines_in(path) if line.get("kind") == "answer" and isinstance(line.get("trial"), int)]


def _code(path: Path) -> str:
    return next((str(line.get("code", "")) for line in lines_in(path) if line.get("kind") == "start"), "")


def collect(experiment: Experiment, *, partial: bool = False) -> tuple[int, int]:
    """Put the answers of all who finished (with ``partial`` of all) into the study, in place of those from before;
    gives how many people that are, and how many have not finished.

    One after another in this process; another server of the study may have put newer answers there meanwhile, which
    these would replace. So whoever has written looks again whether the journals are still what was read."""
    with experiment.collecting:
        while True:
            read = _lengths(experiment)
            told = _collected(experiment, partial)
            if not told[0] or read == _lengths(experiment):
                return told


def _lengths(experiment: Experiment) -> dict[str, int]:
    """Journals only grow."""
    return {person: path.stat().st_size for person, path in experiment.journals().items()}


def _collected(experiment: Experiment, partial: bool) -> tuple[int, int]:
    import polars as pl

    frames, unfinished = [], 0
    for person, path in experiment.journals().items():
        found = answers_in(path)
        whole = len({line["trial"] for line in found}) >= len(experiment.order(person))
        unfinished += not whole
        if found and (whole or partial):
            times = [None if line.get("rt") is None else line["rt"] / 1000 for line in found]
            columns = {"key": [line["key"] for line in found], "response": [line["response"] for line in found]}
            frames.append(pl.DataFrame({"participant": [person] * len(found), **columns, "rt": times}))
    if frames:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "asked.parquet"
            pl.concat(frames, how="vertical_relaxed").write_parquet(file)
            about = SubjectDetails(experiment.name, PEOPLE, source="unseen ask")
            add_answers(
                experiment.study, [file], about, rules=JoiningRules(), target=experiment.target.name, replace=True
            )
    return len(frames), unfinished


def timing_of(experiment: Experiment) -> dict[str, Any]:
    """How long images really were on the screen, over all answers, and how many trials dropped a frame."""
    found = [line for path in experiment.journals().values() for line in answers_in(path)]
    shown = [line["shown"] for line in found if line.get("shown") is not None]
    if not shown:
        return {"trials": len(found), "shown": 0}
    cuts = np.quantile(shown, (0.05, 0.95))
    refresh = [line["refresh"] for line in found if line.get("refresh")]
    return {
        "trials": len(found), "shown": len(shown), "median": statistics.median(shown), "low": float(cuts[0]),
        "high": float(cuts[1]), "dropped": sum(line.get("dropped", 0) > 0 for line in found),
        "refresh": statistics.median(refresh) if refresh else None,
    }  # fmt: skip
