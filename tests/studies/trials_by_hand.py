"""What ``trial.json`` says of a finished trial, for trials that are written by hand: no network is trained."""

from __future__ import annotations


def facts_of(study, trial, name, world, **design):
    """Of the trial ``name`` in a world of that name; ``design``: what else is told of its design."""
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
