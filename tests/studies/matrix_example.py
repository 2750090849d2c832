"""Studies of distortions with finished trials written by hand through the real store; no network is trained."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from trials_by_hand import facts_of

from unseen.kinds.published_distortions import CONDITIONS, HUMAN, lecture_table
from unseen.studies.records import Record

LEVELS = ("none", "rotation-90", "white-noise", "salt-and-pepper")


def tables(levels=LEVELS, out=("white-noise", "salt-and-pepper"), **changes):
    """A recipe: digits under some distortions; train on one, on one plus the last, on all but one."""
    last = levels[-1]
    grids = [
        {"design.train": [[level] for level in levels]},
        {"design.train": [[level, last] for level in levels[:-1]]},
        {"design.train": [[last]], "design.visits_per_image": [2]},
        {"design.train_all_but": list(out)},
    ]
    made = {
        "title": "Distorted by hand", "question": "Does one help another?", "seeds": [0, 1, 2],
        "world": {"name": "transformed", "levels": [name for name in levels if name != "none"],
                  "of": {"name": "digits", "viewpoint": "none"}},
        "design": {"name": "matrix", "factor": "transformation", "test_images_per_category": 20},
        "targets": ["category"], "recordings": {"sets": ["test-*"], "layers": "none"}, "grid": grids,
    }  # fmt: skip
    return made | changes


def lectured(trained, asked, seed):
    """The lecture's accuracy, a little off for each seed; what it does not tell is chance."""
    numbers = {
        (series, asked.removeprefix("test-geirhos-")): value
        for (_, series, asked), points in lecture_table().items()
        for value in points.values()
        if series != HUMAN
    }
    return numbers.get((trained, asked), 0.0625) + 0.004 * (seed - 1)


def known(trained, asked, seed):
    """What is trained on is known, noise helps nobody else."""
    named = trained.removeprefix("all but ") != trained
    seen = asked not in trained if named or trained == "all" else asked in trained
    return (0.9 if seen else 0.2) + 0.02 * (seed - 1)


def by_hand(study, accuracy=known):
    """Write every trial of a study as finished."""
    for trial in study.trials:
        write_trial(study, trial, accuracy)
    return study


def write_trial(study, trial, accuracy):
    import pyarrow as pa
    import pyarrow.parquet as pq

    split, samples = study.split(trial), study.world(trial).samples
    category = split.factors[0]
    classes = [str(level) for level in samples.space[category].levels]
    rows = []
    for asked in study.asked(trial):
        sample = split.rows(samples, asked)
        truth = samples.cells(sample, [category])[:, 0]
        right = accuracy(split.facts["trained"], asked.removeprefix("test-"), trial.seed)
        for place, (row, true) in enumerate(zip(sample, truth)):
            said = classes[true] if place < round(right * len(sample)) else classes[true - 1]
            rows.append((asked, category, int(row), classes[true], said))
    names = ("set", "target", "sample", "truth", "response")
    name = study.identity(trial, "float32")
    whole = facts_of(study, trial, name, "transformed")

    def write(folder):
        pq.write_table(pa.table(dict(zip(names, map(list, zip(*rows))))), folder / "responses.parquet")
        (folder / "trial.json").write_text(json.dumps(whole, default=str))

    study.store.save(name, write)


def lecture(seeds=(0, 1, 2)):
    """Twenty networks as finished trials, and the tidy table of their accuracies: the lecture's own numbers."""
    import polars as pl

    names = [f"geirhos-{name}" for name in CONDITIONS]
    last, noises = names[-1], names[-2:]
    wanted = [([name], 1) for name in names] + [([name, last], 2) for name in names[:-1]] + [([last], 2)]
    wanted += [([name for name in names if name != out], 8) for out in reversed(noises)]
    labels = [key for key in dict.fromkeys(figure for figure, _, _ in lecture_table()) if key != HUMAN]
    numbers = {(figure, asked): value for (figure, _, asked), points in lecture_table().items()
               for value in points.values()}  # fmt: skip
    trials, rows = [], []
    for (trained, visits), label in zip(wanted, labels):
        for seed in seeds:
            identity = f"{label} {seed}"
            facts = {"trained_levels": trained, "visits_per_image": visits, "factor": "transformation"}
            sets = {"train": 1, **{f"test-{name}": 16 for name in names}}
            told = {"identity": identity, "facts": facts, "condition": {}, "sets": sets}
            trials.append(Record(told, Path(identity)))
            head = {"trial": identity, "seed": seed, "target": "category"}
            rows += [
                {**head, "set": f"test-{name}", "measure": "accuracy"}
                | {"value": numbers[label, f"test-{name}"] + 0.004 * (seed - 1) * len(trained)}
                for name in names
            ]
            rows.append({**head, "set": "", "measure": "chance", "value": 1 / 16})
    return trials, pl.DataFrame(rows), np.array(labels)
