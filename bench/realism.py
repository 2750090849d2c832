"""Realism: how much of a world an ImageNet network names right that was never trained on it.

    python -m bench.realism                                        # the procedural objects
    python -m bench.realism meshes --set root=FOLDER --device cuda

EfficientNet-Lite0 (extra ``transfer``) answers with one of ImageNet's 1,000 classes; the class map says which of them
are right for each category. ``top-1`` and ``top-5``: the first answer, one of the first five, among all 1,000;
``choice``: the category with the largest sum of probabilities, among those of the world that have a counterpart.
Objects stand on a plain floor, then before backgrounds, seen from 8 azimuths. Intervals are over objects.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from bench.canonical import category_of, objects_of, rows_with
from bench.intervals import check_table_file, object_means, over_objects, short, write_table
from bench.lite0 import classifier, pretrained, seen_by
from bench.yardstick_worlds import batch_of, common_options, opened, settings
from unseen.vocabulary.class_maps import ClassMap, class_map, classes_of, mapped, shared, with_counterpart
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.world import World
from unseen.worlds import signature

AZIMUTHS, OBJECTS, BACKGROUNDS = 8, 6, 25
PLAIN, BEFORE = "plain floor", "backgrounds"
MEASURES = ("top-1", "top-5", "choice")


def conditions(name: str, given: Mapping[str, Any], side: int) -> dict[str, World]:
    """The world on a plain floor, and before backgrounds that change from picture to picture."""
    takes = signature(name).parameters
    missing = [one for one in ("pose", "backgrounds", "drawn") if one not in takes]
    if missing:
        raise UnseenError(
            f"world '{name}' has no argument {listed(missing)}, so its things cannot stand on a plain floor and before "
            f"backgrounds; take one that has, such as objects or meshes."
        )
    usual = {"pose": AZIMUTHS, "instances": OBJECTS, "per_category": OBJECTS}
    found = {PLAIN: opened(name, given, {**usual, "backgrounds": 0}, side)}
    behind = {"backgrounds": BACKGROUNDS, "drawn": ["background"]}
    if not any(key in given for key in behind):
        found[BEFORE] = opened(name, given, {**usual, **behind}, side)
    return found


def scores(
    probabilities: Float[np.ndarray, "n 1000"], truth: Int[np.ndarray, " n"], names: Sequence[str], own: ClassMap
) -> dict[str, Float[np.ndarray, " n"]]:
    """For each picture of category ``names[truth]`` whether it was named right. A name may be right for two categories
    (a day bed is a bed and a sofa); a choice has it for one, or, where two share their classes, for both."""
    right = np.zeros((len(names), probabilities.shape[1]), bool)
    for place, name in enumerate(names):
        right[place, list(classes_of(own, name))] = True
    best = np.argsort(-probabilities, axis=1, kind="stable")[:, :5]
    hits = np.take_along_axis(right[truth], best, axis=1)
    choice = mapped(probabilities, own, names)
    chosen = choice[np.arange(len(truth)), truth] >= choice.max(1)
    return {"top-1": hits[:, 0].astype(float), "top-5": hits.any(1).astype(float), "choice": chosen.astype(float)}


def usual_answers(probabilities: Float[np.ndarray, "n 1000"], own: ClassMap, most: int = 3) -> str:
    """What the network most often says of these pictures."""
    numbers, counts = np.unique(probabilities.argmax(1), return_counts=True)
    first = np.argsort(-counts, kind="stable")[:most]
    return ", ".join(f"{own.labels[numbers[at]]} {counts[at] / len(probabilities):.2f}" for at in first)


def measured(world: World, own: ClassMap, batch: int, device: str) -> tuple[list[dict[str, Any]], list[str]]:
    """A row per category and one for all, and the categories without a counterpart."""
    samples = world.samples
    category = category_of(samples)
    names = [str(level) for level in category.levels]
    known, without = with_counterpart(own, names)
    if not known:
        raise UnseenError(f"class map '{own.name}' has a counterpart of none of {listed(names, 10)}.")
    rows = np.sort(np.concatenate([rows_with(samples), rows_with(samples, "pose")]))
    of = samples.levels(category.name, rows)
    scored = np.isin(of, [names.index(one) for one in known])
    rows, of = rows[scored], of[scored]
    network, last = pretrained(world.size[0], device), classifier(device)
    (found,) = seen_by([lambda pictures: last(network(pictures)).softmax(1)], world, rows, batch=batch, device=device)
    probabilities = found.double().cpu().numpy()
    truth = np.array([known.index(names[one]) for one in of])
    right = scores(probabilities, truth, known, own)
    numbers, objects = np.unique(objects_of(samples, rows), return_inverse=True)
    classes = np.zeros(len(numbers), np.int64)
    classes[objects] = truth
    means = {name: object_means(values, objects, len(numbers)) for name, values in right.items()}
    table = []
    for place, name in [*enumerate(known), (-1, "all")]:
        mine = classes == place if place >= 0 else np.ones(len(classes), bool)
        pictures = np.isin(objects, np.flatnonzero(mine))
        row = {"category": name, "objects": int(mine.sum()), "pictures": int(pictures.sum())}
        row |= {one: over_objects(means[one][mine], classes[mine]) for one in MEASURES}
        row["said"] = usual_answers(probabilities[pictures], own) if place >= 0 else ""
        table.append(row)
    return table, list(without)


def show(condition: str, table: Sequence[Mapping[str, Any]]) -> None:
    print(
        f"\n{condition}\n{'category':<20}{'objects':>8}" + "".join(f"{name:>22}" for name in MEASURES) + "  most said"
    )
    for row in sorted(table, key=lambda row: (row["category"] == "all", row["top-1"].value)):
        numbers = "".join(f"{short(row[name]):>22}" for name in MEASURES)
        print(f"{row['category']:<20}{row['objects']:>8}{numbers}  {row['said']}")


def plain_rows(condition: str, table: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The table with plain values, one measure a row."""
    return [
        {
            "condition": condition, "category": row["category"], "measure": name, "value": row[name].value,
            "low": row[name].low, "high": row[name].high, "objects": row["objects"], "pictures": row["pictures"],
        }
        for row in table for name in MEASURES
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", nargs="?", default="objects")
    common_options(parser, side=224)
    arguments = parser.parse_args(argv)
    try:
        check_table_file(arguments.out)
        own, started, lines, written = class_map(), time.perf_counter(), [], []
        batch = batch_of(arguments.batch, arguments.device)
        for condition, world in conditions(arguments.world, settings(arguments.set), arguments.side).items():
            table, without = measured(world, own, batch, arguments.device)
            show(condition, table)
            whole = table[-1]
            lines.append(f"{condition} " + " ".join(f"{name} {short(whole[name])}" for name in MEASURES))
            written += plain_rows(condition, table)
            told = f"{len(table) - 1} categories × objects = {whole['objects']}, {whole['pictures']} pictures each"
            known = [row["category"] for row in table[:-1]]
    except UnseenError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"\nwithout a counterpart in ImageNet-1k, not scored: {listed(without, 20) if without else 'none'}")
    for a, b in shared(own, known):
        print(f"counts for both: {a} and {b}")
    seconds = time.perf_counter() - started
    print(f"\nrealism of {arguments.world} ({told}, {arguments.side} px, {seconds:.0f} s): {'; '.join(lines)}")
    if arguments.out:
        write_table(arguments.out, written)
    return 0


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main())
