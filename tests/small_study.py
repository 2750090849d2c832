"""A study that trains in about a second, and the command line as a process of its own."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import tomli_w

from unseen.engines import open_study
from unseen.engines.local import Outcome, run_study
from unseen.studies.study import Study

TINY: dict[str, Any] = {
    "title": "Tiny",
    "question": "Does it run?",
    "seeds": [0],
    "world": {"name": "digits", "viewpoint": "position"},
    "design": {"name": "hold_out_combinations", "columns": "position", "images": 90}
    | {"validation_images": 72, "test_images": 72, "probe_per_cell": 1},
    "network": {"backbone": "resnet18-w8", "stem": "small"},
    "training": {"epochs": 1, "batch": 45, "normalise": "half"},
    "grid": {"design.seen_per_level": [1, 8]},
}

ENCODER: dict[str, Any] = {  # learns without labels, then a readout
    "title": "Encoder", "task": "regression", "seeds": [0], "world": {"name": "dsprites"},
    "design": {"name": "hold_out_levels", "mode": "random", "images": 128, "test_images": 64, "validation": 0.2},
    "network": {"backbone": "vae", "channels": 1}, "recordings": {"sets": ["test"], "layers": "none"},
    "training": {"epochs": 1, "batch": 64, "normalise": "none", "objective": "beta-vae"},
    "readout": {"epochs": 2, "batch": 64},
}  # fmt: skip

CALIBRATED: dict[str, Any] = {  # its strength of blur is found before anything is trained
    "title": "Calibrated",
    "seeds": [0],
    "world": {"name": "transformed", "levels": ["blur"], "of": {"name": "digits", "viewpoint": "none"}},
    "design": {"name": "expose", "level": "blur", "images_per_category": 20, "probe_per_category": 2},
    "targets": ["category"],
    "network": {"backbone": "mlp", "channels": 1},
    "training": {"epochs": 3, "batch": 32, "normalise": "half"},
    "calibration": {"steps": {"blur": 0.5}, "target": "relative"},
    "recordings": {"sets": ["plain", "across"], "layers": "none"},
    "grid": {"design.seen": [0, 3]},
}

NETWORK = """
import os, signal, torch
from torch import nn


class Small(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.how, self.layer = how, nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())

    def forward(self, images):
        if len(images) > 2:  # the look at one image that every new network takes is let through
            if self.how == "raise":
                raise RuntimeError("the cables are crossed")
            if self.how == "leave":
                raise SystemExit(0)
            if self.how == "exit":
                os._exit(3)
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
        return self.layer(images).mean((2, 3))


def small(how="fine"):
    return Small(how)
"""


def tiny(**changes: Any) -> dict[str, Any]:
    """The tables of the tiny recipe; ``training__lr=0.1`` changes a key, ``grid={...}`` a whole section."""
    tables = copy.deepcopy(TINY)
    for key, value in changes.items():
        section, _, name = key.partition("__")
        if name:
            tables.setdefault(section, {})[name] = value
        else:
            tables[section] = value
    return tables


def own_network(folder: Path, *hows: str) -> dict[str, Any]:
    """A recipe on a user's network that misbehaves in the ways asked for; the module lies in ``folder``."""
    sys.modules.pop("mine_for_tests", None)  # another test's, from another folder
    (folder / "mine_for_tests.py").write_text(NETWORK)
    arguments = [{"how": how} for how in hows]
    return tiny(
        design__seen_per_level=8,
        network={"backbone": "mine_for_tests:small"},
        grid={"network.arguments": arguments},
        recordings={"layers": "none"},
    )


def written(path: Path, tables: dict[str, Any]) -> Path:
    path.write_text(tomli_w.dumps(tables), encoding="utf-8")
    return path


def study(path: Path, **changes: Any) -> Study:
    return open_study(tiny(**changes), out=path)


def ran(study: Study, **options: Any) -> Outcome:
    options = {"device": "cpu", "workers": 1, "watch": lambda event: None} | options
    return run_study(study, **options)


def surroundings(compiled: Path | None) -> dict[str, str]:
    """The environment of processes: 80 columns, compiled modules kept where the fixture ``compiled`` says."""
    if compiled is None:
        return {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(compiled), "COLUMNS": "80", "TERM": "dumb"}


def command(*words: object) -> list[str]:
    return [sys.executable, "-c", "from unseen.cli import main; main()", *map(str, words)]


def unseen(*words: object, cwd: Path, compiled: Path | None, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=cwd,
        env=surroundings(compiled),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
