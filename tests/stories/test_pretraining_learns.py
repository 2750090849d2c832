"""An encoder that was pretrained tells new categories apart better than the same network with its first weights."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from small_study import ran
from unseen.engines import open_study

PROBED = {
    "title": "Probe after pretraining",
    "seeds": [0, 1, 2],
    "targets": ["category"],
    "protocol": "probe",
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "hold_out_combinations", "columns": "position", "seen_per_level": 6, "images": 270}
    | {"validation_images": 36, "test_images": 90, "probe_per_cell": 1},
    "network": {"backbone": "resnet18-w8", "stem": "medium"},
    "training": {"epochs": 60, "batch": 32, "lr": 1e-2, "schedule": "cosine", "normalise": "half"},
    "recordings": {"layers": "none"},
    "pretraining": {
        "world": {"name": "digits", "viewpoint": "position", "categories": [3, 4, 5, 6, 7, 8, 9]},
        "images": 1000, "epochs": 20, "batch": 50, "lr": 2e-3, "warmup": 1,
    },
}  # fmt: skip
VIEWS = {"crop": 0.5, "flip": 0.0}  # of a small digit more must be seen than of a photo, and it has a left and a right


def accuracy(opened, objective, asked):
    """Of each encoder's probes, the mean over their seeds."""
    found = {}
    for trial in opened.trials:
        if trial.recipe.pretraining.objective != objective:
            continue
        table = pq.read_table(opened.store.trials / opened.find(trial) / "responses.parquet").to_pydict()
        here = np.array(table["set"]) == asked
        right = np.array(table["truth"])[here] == np.array(table["response"])[here]
        found.setdefault(trial.recipe.pretraining.seed, []).append(right.mean())
    return [float(np.mean(one)) for one in found.values()]


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "asked", "more"), [("simclr", "seen", 0.05), ("supervised", "unseen", 0.15)])
def test_a_probe_on_a_pretrained_encoder_beats_one_on_its_first_weights(tmp_path, objective, asked, more):
    grid = [
        {"pretraining.objective": [objective], "pretraining.objective_arguments": [VIEWS]},
        {"pretraining.objective": ["none"]},
    ]
    grid = [{**one, "pretraining.seed": [0, 1, 2]} for one in grid]
    opened = open_study({**PROBED, "grid": grid}, out=tmp_path / "a")
    assert ran(opened).failed == 0
    learned, random = accuracy(opened, objective, asked), accuracy(opened, "none", asked)
    assert np.mean(learned) > np.mean(random) + more, (learned, random)
