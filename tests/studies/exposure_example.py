"""Studies of transformations with finished trials written by hand through the real store; no network is trained."""

from __future__ import annotations

import json

import numpy as np

from unseen.kinds.exposure.numbers import levels_of

LEVELS = ("blur", "rotation-90", "white-noise")
LAYERS = ("layer1", "layer2", "layer3")
EASE = {"geometric": 0.25, "noise": 0.6, "convolutional": 0.8, "colour": 0.95}


def tables(levels=LEVELS, seen=(2, 5, 8), baseline=True, draws=(), **changes):
    """A recipe: digits under some transformations, several numbers of categories seen transformed; with ``draws`` of
    these categories in the place of seeds."""
    grids = [{"design.level": list(levels), "design.seen": list(seen)}]
    if baseline:
        grids.append({"design.level": list(levels), "design.seen": [0]})
    if draws:
        grids, changes = [grid | {"design.seed": list(draws)} for grid in grids], {"seeds": [0]} | changes
    made = {
        "title": "Transformed by hand", "question": "Do categories help each other?", "seeds": [0, 1, 2],
        "world": {"name": "transformed", "levels": list(levels), "of": {"name": "digits"}},
        "design": {"name": "expose", "level": levels[0], "seen": 2, "probe_per_category": 4}
        | {"test_images_per_category": 12},
        "targets": ["category"], "network": {"backbone": "resnet18", "channels": 1},
        "recordings": {"sets": ["within*", "across*", "plain"], "layers": "all", "invariance": True},
        "grid": grids,
    }  # fmt: skip
    return made | changes


def plausible(level, seen, total, seed):
    """Within, across and plain accuracy, and the middle of the units' coefficients, as the paper would have them;
    within, one seed leaves the order, since repeats that coincide have no interval."""
    from unseen.worlds.transforms import TRANSFORMATIONS

    ease = EASE[TRANSFORMATIONS[level].family] + 0.04 * (len(level) % 3 - 1)
    wobble = 0.02 * (seed - 1)
    across = 0.1 + (ease - 0.1) * (0.15 + 0.85 * (seen / total) ** 0.7) * 0.9 + wobble
    return {
        "within": 0.99 - 0.12 * seen / total + wobble / 4 - 0.05 * ((seen, seed) == (5, 0)),
        "across": across, "plain": 0.95 + wobble / 4, "invariance": 0.15 + 0.65 * across,
    }  # fmt: skip


def by_hand(study, accuracy=plausible, units=24, thresholds=True, invariance=True):
    """Write every trial of a study as finished."""
    for trial in study.trials:
        write_trial(study, trial, accuracy, units, thresholds, invariance)
    return study


def repeat_of(trial):
    """The seed of a draw of categories where there are several, else that of the network."""
    return trial.condition.get("design.seed", trial.seed)


def write_trial(study, trial, accuracy, units, thresholds, invariance):
    import pyarrow as pa
    import pyarrow.parquet as pq

    split, samples = study.split(trial), study.world(trial).samples
    category = split.factors[0]
    (target,) = study.targets(trial)
    classes = [str(name) for name in target.classes]  # words for the levels, as answers have them
    facts, seen = dict(split.facts), split.facts["seen"]
    levels = levels_of(split.facts)
    number = [repeat_of(trial), seen, len(levels[0])]
    rng = np.random.default_rng(number)
    shown = [classes[number] for number in facts["exposed_numbers"]]
    rows = []
    for asked in study.asked(trial):
        level = asked.removeprefix("across-") if asked.startswith("across-") else levels[0]
        right = accuracy(level, seen, len(classes), repeat_of(trial))[asked.partition("-")[0]]
        sample = split.rows(samples, asked)
        truth = samples.cells(sample, [category])[:, 0]
        hits = np.arange(len(sample)) < round(right * len(sample))
        near = shown if shown and rng.random() < 0.9 else classes
        for row, place, hit in zip(sample, truth, rng.permutation(hits)):
            wrong = [name for name in near if name != classes[place]] or [n for n in classes if n != classes[place]]
            said = classes[place] if hit else wrong[int(rng.integers(len(wrong)))]
            rows.append((asked, category, int(row), classes[place], said))
    names = ("set", "target", "sample", "truth", "response")
    answers = pa.table(dict(zip(names, map(list, zip(*rows)))))
    scores, curves, told = unit_tables(rng, levels, seen, len(classes), repeat_of(trial), accuracy, units)
    point = {f"{phase} {what} {name}": 0.5 + 0.5 * (what == "loss") for phase in ("train", "validation")
             for what in ("loss", "accuracy") for name in ("total", category)}  # fmt: skip
    name = study.identity(trial, "float32")
    whole = {
        "identity": name, "label": trial.label, "condition": dict(trial.condition), "seed": trial.seed,
        "description": {
            "network": {"sharing": "shared", "backbone": "resnet18"}, "training": {"precision": "float32"},
            "world": {"name": "transformed"}, "design": {"name": "expose", "seed": repeat_of(trial)},
        },
        "facts": facts, "factors": list(split.factors), "task": "classification", "targets": {category: classes},
        "tasks": {layer: [category] for layer in LAYERS}, "sets": {s: split.count(samples, s) for s in split.sets},
        "network": {"backbone": "resnet18", "parameters": 1, "sharing": "shared", "stem": "small"},
        "curve": [{"epoch": e, **{k: v / (e + 1) for k, v in point.items()}} for e in range(4)], "best_epoch": 1,
        "flags": {}, "seconds": 2.0, "packed": 1, "seconds_together": 2.0,
        "machine": {"device": "cpu", "system": "s", "python": "3", "torch": "2", "unseen": "0"},
    }  # fmt: skip
    if invariance:
        images = {"seen": 4 * len(shown), "unseen": 4 * (len(classes) - len(shown))}
        whole["invariance"] = {"negative": "error", "images": images, "layers": told}

    def write(folder):
        pq.write_table(answers, folder / "responses.parquet")
        if invariance:
            pq.write_table(scores, folder / "invariance.parquet")
        if thresholds and invariance:
            pq.write_table(curves, folder / "thresholds.parquet")
        (folder / "trial.json").write_text(json.dumps(whole, default=str))

    study.store.save(name, write)


def unit_tables(rng, levels, seen, total, seed, accuracy, units):
    """The two tables and the facts of a trial's invariance, in the form of the recordings. Unit 0 is dead, unit 1
    silent where categories were not seen, unit 2 not finite."""
    import pyarrow as pa

    rows, curves, told = [], [], {}
    for level in levels:
        middle = accuracy(level, seen, total, seed)["invariance"]
        for depth, layer in enumerate(LAYERS):
            told.setdefault(layer, {})[level] = {"threshold": 0.1, "reason": "", "units_per_image": 0.15 + 0.01 * depth}
            groups = [g for g, n in (("seen", seen), ("unseen", total - seen), ("all", total)) if n]
            for group in groups:
                at = middle * (0.5 + 0.25 * depth) + 0.03 * (group == "seen")
                value = np.clip(rng.beta(8 * at + 0.3, 8 * (1 - at) + 0.3, units), 0, 1)
                for unit in range(units):
                    state = {0: "dead", 2: "not finite"}.get(unit, "scored")
                    state = "silent" if unit == 1 and group == "unseen" else state
                    score = float(value[unit]) if state == "scored" else None
                    fires = 100 * float(value[unit]) if group == "all" and state == "scored" else None
                    rows.append((level, layer, group, unit, score, 0.1, fires, state))
            for step in range(21):
                t = step / 20
                kept, removed = 0.9 - 0.8 * max(0, t - 0.1) ** 0.7, 0.1 + 0.8 * t**0.5
                curves.append((level, layer, t, kept, removed, 0.9, 40, step == 2))
    first = [("level", pa.string()), ("layer", pa.string()), ("group", pa.string()), ("unit", pa.int32())]
    first += [("coefficient", pa.float32()), ("images_active", pa.float32()), ("firing", pa.float32())]
    second = [("level", pa.string()), ("layer", pa.string()), ("threshold", pa.float32()), ("kept", pa.float32())]
    second += [("removed", pa.float32()), ("full", pa.float32()), ("images", pa.int32()), ("chosen", pa.bool_())]
    return _table(rows, [*first, ("state", pa.string())]), _table(curves, second), told


def _table(rows, fields):
    import pyarrow as pa

    return pa.table([pa.array(column, kind) for column, (_, kind) in zip(zip(*rows), fields)],
                    names=[name for name, _ in fields])  # fmt: skip


def calibration(study):
    """Write what every calibration of a study would have found, in the form of the store; the study looks again."""
    for name, one in study.calibrations.items():
        made = {}
        for level, step in one.section.steps.items():
            strengths = [step * (place + 1) for place in range(8)]
            accuracy = [max(0.12, 0.95 - 0.13 * place) for place in range(8)]
            chosen = strengths[6] if level == "blur" else strengths[7]
            made[level] = {"strengths": strengths, "accuracy": accuracy, "n": 400, "chosen": chosen, "reason": ""}
        record = {"identity": name, "levels": made, "plain": 0.95, "n": 400, "chance": 0.1, "target": 0.185}
        study.store.keep_calibration(name, record | {"label": one.label, "flags": {}, "seconds": 3.0})
    study.refresh()
