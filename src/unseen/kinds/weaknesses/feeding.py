"""Whether a model is fed as it was trained: accuracy of canonical images under other usual preprocessing."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from unseen.measures import proportion_interval
from unseen.vocabulary.whole_files import put_whole

FILE = "feeding.json"
MARGIN = 0.05  # of accuracy by which another feeding must be better to be named (ours)
FAR = 0.25  # below a model's own claim: canonical pictures are drawn ones, which costs some (ours)


@dataclass(frozen=True)
class Feeding:
    """One way to feed a model, and how many of the same ``n`` canonical images it then knows. ``better``: of the images
    on which it and the model's own way differ, how many it is right about."""

    name: str
    right: int
    n: int
    differs: int = 0
    better: int = 0
    settings: str = ""  # as the command takes it


@dataclass(frozen=True)
class FeedingCheck:
    """How a model was fed, what else was tried, and the accuracy that it claims (of its own test set), if it does."""

    model: str
    own: Feeding
    others: tuple[Feeding, ...]
    claim: float | None = None
    claimed_of: str = ""
    digest: str = ""  # of model, feeding and images

    @property
    def best(self) -> Feeding | None:
        """Another way that is surely better: more right answers, by a margin, and a test of signs over the images on
        which the two differ, corrected for the number of ways (Bonferroni)."""
        from scipy.stats import binomtest

        found = None
        for way in self.others:
            ahead = (way.right - self.own.right) / max(1, self.own.n)
            if ahead < MARGIN or not way.differs:
                continue
            p = float(binomtest(way.better, way.differs, alternative="greater").pvalue) * len(self.others)
            if p <= 0.05 and (found is None or way.right > found.right):
                found = way
        return found

    @property
    def words(self) -> str:
        """What is said of it, plainly."""
        own = self.own
        share = own.right / own.n if own.n else float("nan")
        said = f"{self.model} gets {100 * share:.0f} % of {own.n} canonical images right as preprocessed ({own.name})"
        if self.best is not None:
            other = self.best
            how = f" To set it: {other.settings}." if other.settings else ""
            return (
                f"WRONG PREPROCESSING? {said}, and {100 * other.right / other.n:.0f} % with {other.name}, which is "
                f"better on {other.better} of the {other.differs} images on which the two differ.{how}"
            )
        if self.claim is not None and own.n:
            high = proportion_interval(own.right, own.n).high
            if high < self.claim - FAR:
                return (
                    f"{said}, far below the {100 * self.claim:.0f} % that it claims{self._of}: either these pictures "
                    f"are hard for it, or its preprocessing is wrong, or its labels are those of another set. No "
                    "other usual preprocessing that was tried "
                    f"({', '.join(way.name for way in self.others) or 'none'}) is better."
                )
        tried = ", ".join(f"{way.name} {100 * way.right / way.n:.0f} %" for way in self.others if way.n)
        return f"{said}; no other usual preprocessing is surely better ({tried})." if tried else f"{said}."

    @property
    def _of(self) -> str:
        return f" of {self.claimed_of}" if self.claimed_of else ""

    @property
    def wrong(self) -> bool:
        """Whether there is something to be told above all else."""
        return self.best is not None or " far below " in self.words


def note_feeding(path: Path, fed: FeedingCheck) -> None:
    """Keep what was found beside a study; of one model the newest."""
    path.mkdir(parents=True, exist_ok=True)
    kept = [one for one in feedings(path) if one.model != fed.model]
    put_whole(path / FILE, json.dumps([asdict(one) for one in [*kept, fed]], indent=1, ensure_ascii=False))


def feedings(path: Path) -> tuple[FeedingCheck, ...]:
    """What was found of the models of a study; nothing where it was not looked for, or cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads((path / FILE).read_text(encoding="utf-8"))
        return tuple(
            FeedingCheck(
                one["model"], Feeding(**one["own"]), tuple(Feeding(**way) for way in one["others"]), one.get("claim"),
                one.get("claimed_of", ""), one.get("digest", ""),
            )
            for one in found
        )  # fmt: skip
    return ()
