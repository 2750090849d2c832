"""The files of a folder as they are looked at: what each shows, and what is to be told of those that show nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unseen.vocabulary.errors import UnseenError, listed
from unseen.worlds.meshes.converted import MeshFacts, known_facts
from unseen.worlds.meshes.crew import Job, convert
from unseen.worlds.meshes.layouts.entries import Entry, Listing
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.references import Unreadable, content_of
from unseen.worlds.progress_line import ProgressLine


@dataclass(frozen=True)
class Source:
    """A file that shows a mesh, and how it is read."""

    entry: Entry
    content: str
    how: Reading


def usually(how: Reading, found: Listing) -> Reading:
    """The axes that were asked for, else those of the layout."""
    up = how.up or found.up
    front = how.front or ("" if up.strip("-") == found.front.strip("-") else found.front)
    return replace(how, up=up, front=front)


def read_as(one: Entry, how: Reading) -> Reading:
    """What an index or a catalogue says of a file goes before."""
    up = one.up or how.up
    front = one.front or ("" if up.strip("-") == how.front.strip("-") else how.front)
    return replace(how, up=up, front=front, yaw=one.yaw, rotation=one.rotation)


class Files:
    """What is known so far, by path: ``facts`` (None where a file shows no mesh) and ``sources``."""

    def __init__(self, found: Listing, cache: Path, how: Reading, workers: int | None = None) -> None:
        self.base, self.cache, self.workers = found.base, cache, workers
        self.how = usually(how, found)
        self.facts: dict[str, MeshFacts | None] = {}
        self.sources: dict[str, Source] = {}
        self.reasons: dict[str, str] = {}  # why a file shows nothing

    def look_at(self, entries: Sequence[Entry]) -> None:
        """Read what is not in the cache, side by side, and remember what each shows."""
        jobs: list[tuple[Entry, Job]] = []
        with ProgressLine("looking for meshes") as tell:
            for number, one in enumerate(entries):
                job = self._found(one)
                if job is not None:
                    jobs.append((one, job))
                tell(number + 1, len(entries))
        with ProgressLine("reading meshes") as tell:
            outcomes = convert([job for _, job in jobs], self.cache, workers=self.workers, tell=tell)
        for (one, _), outcome in zip(jobs, outcomes):
            self._know(one, outcome)

    def _found(self, one: Entry) -> Job | None:
        """What is to be converted; None where all is known of it already."""
        path = self.base / one.path
        try:
            how = read_as(one, self.how)
            if not path.is_file():
                raise Unreadable("no such file")
            content = content_of(path)
            size = path.stat().st_size
        except (Unreadable, UnseenError) as fault:
            self._know(one, str(fault))
            return None
        except OSError as fault:
            self._know(one, f"cannot be read: {fault.strerror}")
            return None
        self.sources[one.path] = Source(one, content, how)
        facts = known_facts(content, how, self.cache)
        if facts is not None:
            self._know(one, facts)
            return None
        return Job(path, content, how, size)

    def _know(self, one: Entry, outcome: MeshFacts | str) -> None:
        self.facts[one.path] = None if isinstance(outcome, str) else outcome
        if isinstance(outcome, str):
            self.reasons[one.path] = outcome

    def told(self) -> list[str]:
        """Lines on what is left out or lacks something; an error where no file at all shows a mesh."""
        skipped = [f"{path} ({reason})" for path, reason in sorted(self.reasons.items())]
        shown = {path: facts for path, facts in sorted(self.facts.items()) if facts is not None}
        if self.facts and not shown:
            raise UnseenError(f"none of {len(self.facts)} files in {self.base} shows a mesh: {listed(skipped, 10)}.")
        noted = [f"{path} ({note})" for path, facts in shown.items() for note in facts.notes]
        degenerate = sum(facts.degenerate for facts in shown.values())
        told = {
            f"left out: {len(skipped)} files: {listed(skipped, 10)}": skipped,
            f"drawn with something missing: {len(noted)}: {listed(noted, 10)}": noted,
            f"{degenerate:,} faces without an area were dropped": degenerate,
        }
        return [line for line, applies in told.items() if applies]
