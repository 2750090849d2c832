"""Who is at a study now, what they are doing, and how long it will take: by the heartbeats of its processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.studies.heartbeats import Heartbeat, heartbeats
from unseen.studies.protocol_table import recipe_goes_together
from unseen.studies.trials import Trial
from unseen.vocabulary.spans import clock


@dataclass(frozen=True)
class Now:
    """The processes at a study: ``living`` ones, and those that stopped without a word."""

    living: tuple[Heartbeat, ...] = ()
    lost: tuple[Heartbeat, ...] = ()

    @property
    def doing(self) -> Mapping[str, tuple[int, int]]:
        """Trials in progress by their label: epochs done, and how many there will be."""
        return {one.label: (one.epoch, one.epochs) for beat in self.living for one in beat.doing if one.kind == "trial"}


def at_work(path: Path) -> Now:
    """Who is at the study in a folder."""
    found = heartbeats(path)
    return Now(tuple(one for one in found if one.living), tuple(one for one in found if not one.living))


def told(now: Now) -> list[dict[str, Any]]:
    """Each process with what it does, the curves of its trials so far, and what it takes."""
    return [
        {
            "words": one.words,
            "device": one.device,
            "state": one.state if one.living else "lost",
            "started": one.started,
            "finished": one.finished,
            "failed": one.failed,
            "seconds": one.seconds,
            "epochs": one.epochs,
            "memory": one.memory,
            "device_memory": one.device_memory,
            "note": one.note,
            "doing": [
                {
                    "label": work.label,
                    "kind": work.kind,
                    "epoch": work.epoch,
                    "epochs": work.epochs,
                    "curve": curve_points(work.curve),
                }
                for work in one.doing
            ],
        }
        for one in (*now.living, *now.lost)
    ]


def time_left(now: Now, missing: Sequence[Trial]) -> str:
    """How long what is missing will take at the rate of the living processes; "" where none is at it."""
    if not now.living:
        return ""
    if not missing:
        return "almost done"
    doing, jointly = now.doing, [trial for trial in missing if recipe_goes_together(trial.recipe)]
    trained = [trial for trial in missing if not recipe_goes_together(trial.recipe)]
    epochs = sum(max(0, trial.recipe.training.epochs - doing.get(trial.label, (0, 0))[0]) for trial in trained)
    busy = [one for one in now.living if one.seconds > 0]
    per_second = sum(one.finished / one.seconds for one in busy), sum(one.epochs / one.seconds for one in busy)
    parts = [(count, rate) for count, rate in zip((len(jointly), epochs), per_second) if count]
    if all(rate for _, rate in parts):
        return f"about {clock(sum(count / rate for count, rate in parts))} left"
    return f"{len(missing)} to do; the time left is known once {'a trial' if jointly else 'an epoch'} is done"


def curve_points(curve: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The curves of training, a row per number: which quantity, in which phase, of which target.

    >>> curve_points([{"epoch": 0, "train loss total": 0.5, "validation accuracy category": 1.0}])[0]
    {'epoch': 1, 'phase': 'train', 'quantity': 'loss', 'of': 'total', 'value': 0.5}
    """
    rows = []
    for place, point in enumerate(curve):
        for key, value in point.items():
            phase, _, rest = key.partition(" ")
            quantity, _, of = rest.partition(" ")
            if phase in ("train", "validation") and isinstance(value, int | float):
                rows.append({"epoch": place + 1, "phase": phase, "quantity": quantity, "of": of, "value": value})
    return rows
