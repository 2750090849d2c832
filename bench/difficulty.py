"""Difficulty: how well a linear probe knows objects that it was not trained on, and what each factor costs it.

    python -m bench.difficulty natural-variation --set classes=38 --objects 12
    python -m bench.difficulty natural-variation --set classes=38 --objects 50 --device cuda
    python -m bench.difficulty meshes --set root=FOLDER --least 15 --objects 20 --device cuda

Features are those of EfficientNet-Lite0 (extra ``transfer``) with its ImageNet weights, and of the same network
untrained (``bench/lite0.py`` says how it starts). The probe is trained on one canonical picture of each training object
and asked of the held-out objects: canonical, and with one factor varying at a time. Folds are over objects, so that
every object is asked once; the penalty is chosen on the objects of one further fold. Gap: accuracy with a factor
varying less canonical accuracy, of the same objects. Intervals are over objects.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from bench.canonical import category_of, objects_of, rows_with, some_of_each, varying
from bench.intervals import check_table_file, object_means, over_objects, short, write_table
from bench.lite0 import pretrained, seen_by, untrained
from bench.yardstick_worlds import batch_of, common_options, opened, settings
from unseen.training.probes import L2, fit_validated_probes
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream

CANONICAL = "canonical"
LEAST = 3  # objects of a class: one to train on, one to choose the penalty by, one to ask
USUAL = {"pose": 24, "position": 11, "size": 11, "light": 11, "backgrounds": 25, "blocks": ["single"]}


@dataclass(frozen=True, eq=False)
class Asked:
    """The pictures to draw, each of an object at a ``condition``: 0 is canonical, then the factors in turn."""

    rows: Int[np.ndarray, " n"]
    objects: Int[np.ndarray, " n"]
    condition: Int[np.ndarray, " n"]
    conditions: tuple[str, ...]
    classes: Int[np.ndarray, " objects"]
    names: tuple[str, ...]


def asked_of(samples: Samples, *, objects: int | None, views: int, least: int, seed: int) -> Asked:
    """One canonical row of each object and up to ``views`` of each factor; at most ``objects`` of a class, and only
    classes that have ``least``."""
    category, factors = category_of(samples), varying(samples)
    rows = rows_with(samples)
    rows = rows[np.unique(objects_of(samples, rows), return_index=True)[1]]  # a world may list a cell more than once
    of = samples.levels(category.name, rows)
    counts = np.bincount(of, minlength=len(category))
    rows = rows[np.isin(of, np.flatnonzero(counts >= least))]
    if objects is not None:
        rows = some_of_each(samples.levels(category.name, rows), rows, objects, seed, "objects")
    of = samples.levels(category.name, rows)
    present, classes = np.unique(of, return_inverse=True)
    few = [f"{category.levels[one]} has {n}" for one, n in zip(present, np.bincount(classes)) if n < LEAST]
    if len(present) < 2 or few:
        wrong = listed(few, 10) if few else f"{len(present)} classes are left"
        raise UnseenError(
            f"at least two classes with {LEAST} objects each are needed: to train on, to choose by, to ask; {wrong}. "
            f"Ask for more objects (--set instances=12), or leave classes out with --least {LEAST}."
        )
    numbers = objects_of(samples, rows)
    parts, conditions = [rows], [CANONICAL]
    for factor in factors:
        own = rows_with(samples, factor.name)
        own = own[np.isin(objects_of(samples, own), numbers)]
        if len(own):
            parts.append(some_of_each(objects_of(samples, own), own, views, seed, factor.name))
            conditions.append(factor.name)
    order = np.argsort(numbers)
    every = np.concatenate(parts)
    place = order[np.searchsorted(numbers, objects_of(samples, every), sorter=order)]
    condition = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    names = tuple(str(category.levels[one]) for one in present)
    return Asked(every, place, condition, tuple(conditions), classes, names)


def folds_of(classes: Int[np.ndarray, " objects"], folds: int, seed: int) -> Int[np.ndarray, " objects"]:
    """A fold for each object, dealt out class by class: no fold has two more of a class than another."""
    found = np.empty(len(classes), np.int64)
    rng, next_fold = stream(seed, "folds"), 0
    for one in np.unique(classes):
        own = rng.permutation(np.flatnonzero(classes == one))
        found[own] = (next_fold + np.arange(len(own))) % folds
        next_fold = (next_fold + len(own)) % folds
    return found


def answers(
    features: Float[Tensor, "n features"], asked: Asked, fold: Int[np.ndarray, " objects"], folds: int
) -> tuple[Int[np.ndarray, " n"], list[float]]:
    """What the probe that did not see an object says of each of its pictures, and the penalties chosen."""
    canonical = torch.from_numpy(np.flatnonzero(asked.condition == 0)).to(features.device)
    middle = features[canonical].mean(0)
    scaled = features - middle
    scaled = scaled / scaled[canonical].square().sum(1).mean().sqrt().clamp(min=1e-12)
    own = torch.from_numpy(fold[asked.objects[asked.condition == 0]]).to(features.device)
    number = torch.arange(folds, device=features.device)[:, None]
    validation = (own == (number + 1) % folds).to(features)
    train = (own != number).to(features) - validation
    labels = torch.from_numpy(asked.classes[asked.objects[asked.condition == 0]]).to(features.device)
    probes = fit_validated_probes(scaled[canonical], labels, train, validation, L2, classes=len(asked.names))
    if not probes.converged.all():
        print(f"note: {int((~probes.converged).sum())} of {folds} probes stopped before they converged")
    said = np.empty(len(asked.rows), np.int64)
    for one in range(folds):
        mine = np.flatnonzero(fold[asked.objects] == one)
        said[mine] = probes.scores(scaled[torch.from_numpy(mine).to(features.device)], one)[0].argmax(1).cpu().numpy()
    return said, probes.l2[:, 0].tolist()


def table_of(asked: Asked, said: Int[np.ndarray, " n"], features: str) -> list[dict[str, Any]]:
    """A row per class (and one for all) and condition: accuracy and gap, each with its interval."""
    right = (said == asked.classes[asked.objects]).astype(float)
    count, found = len(asked.classes), []
    means = [
        object_means(right[asked.condition == at], asked.objects[asked.condition == at], count)
        for at in range(len(asked.conditions))
    ]
    for place, name in [*enumerate(asked.names), (-1, "all")]:
        mine = asked.classes == place if place >= 0 else np.ones(count, bool)
        for at, condition in enumerate(asked.conditions):
            pictures = int(((asked.condition == at) & mine[asked.objects]).sum())
            found.append({
                "features": features, "class": name, "condition": condition, "pictures": pictures,
                "accuracy": over_objects(means[at][mine], asked.classes[mine]),
                "gap": over_objects((means[at] - means[0])[mine], asked.classes[mine]),
            })  # fmt: skip
    return found


def taken_for(asked: Asked, said: Int[np.ndarray, " n"]) -> dict[str, str]:
    """For each class the wrong answers most often given to it, with their share of its pictures."""
    found = {}
    for place, name in enumerate(asked.names):
        own = said[asked.classes[asked.objects] == place]
        counts = np.bincount(own, minlength=len(asked.names))
        share = np.where(np.arange(len(counts)) == place, 0, counts) / len(own)
        first = [one for one in np.argsort(-share, kind="stable")[:2] if share[one] > 0]
        found[name] = ", ".join(f"{asked.names[one]} {share[one]:.2f}" for one in first)
    return found


def show(table: Sequence[Mapping[str, Any]], wrong: Mapping[str, str]) -> None:
    """By factor, then by class, the least known first."""
    conditions = list(dict.fromkeys(row["condition"] for row in table))
    cells = {(row["class"], row["condition"]): row for row in table}
    print(
        f"\n{table[0]['features']} features\n{'condition':<12}{'objects':>8}{'pictures':>9}{'accuracy':>22}{'gap':>24}"
    )
    for one in conditions:
        row = cells["all", one]
        gap = f"{short(row['gap']):>24}" if one != CANONICAL else ""
        print(f"{one:<12}{row['accuracy'].n:>8}{row['pictures']:>9}{short(row['accuracy']):>22}{gap}")
    known = {name: np.mean([cells[name, one]["accuracy"].value for one in conditions]) for name in wrong}
    heads = "".join(f"{'gap ' + one if one != CANONICAL else one:>22}" for one in conditions)
    print(f"\n{'class':<18}{'n':>4}{heads}  taken for")
    for name in sorted(wrong, key=lambda name: [cells[name, CANONICAL]["accuracy"].value, known[name]]):
        row = [cells[name, one]["gap" if one != CANONICAL else "accuracy"] for one in conditions]
        print(f"{name:<18}{row[0].n:>4}{''.join(f'{short(one, 2):>22}' for one in row)}  {wrong[name]}")


def plain_rows(table: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The table with plain values, one measure a row."""
    return [
        {
            "features": row["features"], "class": row["class"], "condition": row["condition"], "measure": name,
            "value": row[name].value, "low": row[name].low, "high": row[name].high, "objects": row[name].n,
            "pictures": row["pictures"],
        }
        for row in table for name in ("accuracy", "gap")
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world")
    common_options(parser, side=160)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--objects", type=int, help="of each class, at most (default: all that the world has)")
    parser.add_argument("--least", type=int, default=0, help="leave out classes with fewer objects")
    parser.add_argument("--views", type=int, default=4, help="pictures of each object for each factor (default 4)")
    parser.add_argument("--seed", type=int, default=0)
    try:
        return measure(parser.parse_args(argv))
    except UnseenError as problem:
        print(problem, file=sys.stderr)
        return 1


def measure(arguments: argparse.Namespace) -> int:
    for name, least in (("folds", LEAST), ("views", 1), ("objects", LEAST)):
        if getattr(arguments, name) is not None and getattr(arguments, name) < least:
            raise UnseenError(f"--{name} is a whole number from {least}; {getattr(arguments, name)} was given.")
    check_table_file(arguments.out)
    started, device, batch = time.perf_counter(), arguments.device, batch_of(arguments.batch, arguments.device)
    made = {"instances": arguments.objects} if arguments.objects else {}
    world = opened(arguments.world, settings(arguments.set), {**USUAL, **made}, arguments.side)
    asked = asked_of(world.samples, objects=arguments.objects, views=arguments.views, least=arguments.least,
                     seed=arguments.seed)  # fmt: skip
    side = world.size[0]
    networks = {"ImageNet": pretrained(side, device), "random": untrained(side, device, arguments.seed)}
    found = seen_by(list(networks.values()), world, asked.rows, batch=batch, device=device)
    fold = folds_of(asked.classes, arguments.folds, arguments.seed)
    seconds, lines, written = time.perf_counter() - started, [], []
    for name, features in zip(networks, found):
        said, penalties = answers(features, asked, fold, arguments.folds)
        table = table_of(asked, said, name)
        show(table, taken_for(asked, said))
        print(f"penalties chosen: {', '.join(f'{one:.0e}' for one in penalties)}")
        whole = [row for row in table if row["class"] == "all"]
        gaps = " ".join(f"{row['condition']} {short(row['gap'])}" for row in whole[1:])
        lines.append(f"{name} {short(whole[0]['accuracy'])}, gaps {gaps}")
        written += plain_rows(table)
    took = time.perf_counter() - started
    print(
        f"\ndifficulty of {arguments.world} ({len(asked.names)} classes, {len(asked.classes)} objects, {side} px, "
        f"{arguments.folds} folds, {len(asked.rows)} pictures; {seconds:.0f} s to draw and see, {took:.0f} s in all): "
        + "; ".join(lines)
    )
    if arguments.out:
        write_table(arguments.out, written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
