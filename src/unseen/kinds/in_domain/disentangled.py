"""How well the latents of an encoder are disentangled (DCI, MIG), for the tidy table; kept beside the trial.

Latents are those of training rows (``studies/latents.py``): what a readout has to work with, before anything is out of
range. MIG depends on the rows: perfect latents score .85 on those of dSprites' composition, .88 to .91 on the others;
so scores are compared within a split only.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from unseen.measures import dci, mig
from unseen.vocabulary.whole_files import put_whole

DISENTANGLEMENT, COMPLETENESS = "DCI disentanglement", "DCI completeness"
INFORMATIVENESS, GAP = "DCI informativeness", "MIG"
SCORES = (DISENTANGLEMENT, COMPLETENESS, INFORMATIVENESS, GAP)
ACTIVE, COLLAPSED = "active latents", "collapsed encoders"

LATENTS, KEPT = "latents.safetensors", "disentanglement.json"
VERSION = 1  # raise it when a score changes: what was kept is then measured again
FEW = 5_000  # rows of DCI, ours: 2 s a trial; 10,000 take twice as long and moved D by .001, C by .006 in a trial of it
LEAST = 100  # rows with finite latents below which nothing is measured (ours)
ALIVE = 0.01  # variance of the means over rows above which a latent of a VAE is active (Burda et al. 2016, appendix C)


def disentangled(facts: Mapping[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """The scores of one trial's encoder. One that collapsed (no active latent) has none, and is counted."""
    if not (folder / LATENTS).is_file():
        return
    found = _kept(folder)
    if found is None:
        found = measured_latents(folder, variational=facts["description"]["network"]["backbone"] == "vae")
        _keep(folder, found)
    for name in SCORES:
        if found["scores"].get(name) is not None:
            yield {"measure": name, "value": found["scores"][name], "n": found["rows"]}
    yield {"measure": ACTIVE, "value": found["active"], "n": found["latents"]}
    yield {"measure": COLLAPSED, "value": int(not found["scores"]), "n": 1}


def measured_latents(folder: Path, *, variational: bool) -> dict[str, Any]:
    """``rows`` with finite latents, how many of the ``latents`` are ``active``, and ``scores`` (none if none is)."""
    from safetensors.numpy import load_file

    tables = load_file(folder / LATENTS)
    codes, levels = tables["codes"].astype(np.float64), tables["levels"].astype(np.int64)
    whole = np.isfinite(codes).all(axis=1)
    codes, levels = codes[whole], levels[whole]
    spread = codes.var(axis=0) if len(codes) else np.zeros(codes.shape[1])
    # A latent without a posterior has no scale of its own: it is active unless it is constant but for rounding.
    floor = ALIVE if variational else 1e-12 * np.square(codes).mean(axis=0) if len(codes) else 0.0
    found = {"rows": len(codes), "latents": codes.shape[1], "active": int((spread > floor).sum()), "scores": {}}
    if not found["active"] or len(codes) < LEAST:
        return found
    tree = dci(codes[:FEW], levels[:FEW], seed=0)
    scores = dict(
        zip(SCORES, (tree.disentanglement, tree.completeness, tree.informativeness, mig(codes, levels).value))
    )
    found["scores"] = {name: value if math.isfinite(value) else None for name, value in scores.items()}
    return found


def _kept(folder: Path) -> dict[str, Any] | None:
    """What an earlier report measured, if it was this version; a damaged file is as good as none."""
    try:
        record = json.loads((folder / KEPT).read_text(encoding="utf-8"))
        return record if record["version"] == VERSION and isinstance(record["scores"], dict) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(folder: Path, found: Mapping[str, Any]) -> None:
    """Beside the trial, which stays as old as it is: finished trials are listed by age. A store that cannot be written
    (somebody else's, a full disk) costs the time of measuring again, nothing more."""
    with suppress(OSError):
        there = folder.stat()
        put_whole(folder / KEPT, json.dumps({"version": VERSION, **found}, indent=1))
        os.utime(folder, ns=(there.st_atime_ns, there.st_mtime_ns))
