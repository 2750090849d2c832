"""Finished trials that are written by hand: no network is trained."""

from __future__ import annotations

import json

import numpy as np

from unseen.vocabulary.responses import responses_table


def facts_of(study, trial, name, world, **design):
    """What ``trial.json`` says of a trial in the world of that name; ``design``: what else is told of its design."""
    split, samples, targets = study.split(trial), study.world(trial).samples, study.targets(trial)
    point = {f"{phase} {what} {of}": 0.5 for phase in ("train", "validation") for what in ("loss", "accuracy")
             for of in ("total", *(target.name for target in targets))}  # fmt: skip
    return {
        "identity": name, "label": trial.label, "condition": dict(trial.condition), "seed": trial.seed,
        "description": {
            "network": {"sharing": "shared", "backbone": "resnet18"}, "training": {"precision": "float32"},
            "world": {"name": world},
            "design": {"name": trial.recipe.design.name, **design},
        },
        "facts": dict(split.facts), "factors": list(split.factors), "task": "classification",
        "targets": {target.name: [str(one) for one in target.classes] for target in targets}, "tasks": {},
        "sets": {s: split.count(samples, s) for s in split.sets},
        "network": {"backbone": "resnet18", "parameters": 1, "sharing": "shared"},
        "curve": [{"epoch": e, **{k: v / (e + 1) for k, v in point.items()}} for e in range(3)], "best_epoch": 1,
        "flags": {}, "seconds": 2.0, "packed": 1, "seconds_together": 2.0,
        "machine": {"device": "cpu", "system": "s", "python": "3", "torch": "2", "unseen": "0"},
    }  # fmt: skip


def write_by_hand(study, trial, world, answer):
    """Save a trial of one target as finished, in the world of that name: ``answer(asked, rows, truth)`` is what it
    answers of each set that it is asked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    split, samples, (target,) = study.split(trial), study.world(trial).samples, study.targets(trial)
    name, made = study.identity(trial, "float32"), []
    for asked in study.asked(trial):
        rows = split.rows(samples, asked)
        if len(rows):
            answers = {target.name: (answer(asked, rows, target.truth(samples, rows)), np.full(len(rows), 0.5))}
            made.append(
                responses_table(samples, [target], subject="x", trial=name, asked=asked, rows=rows, answers=answers)
            )
    whole = facts_of(study, trial, name, world, seed=trial.recipe.design.seed)

    def write(folder):
        pq.write_table(pa.concat_tables(made, promote_options="permissive"), folder / "responses.parquet")
        (folder / "trial.json").write_text(json.dumps(whole, default=str))

    study.store.save(name, write)
