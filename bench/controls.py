"""Controls of what studies say: one with a planted effect must say "holds", the same one on shuffled pictures must not.

    python -m bench.controls [--kinds KIND ...] [--shuffles N] [--write docs/results/controls.md]

For every kind of study a tiny recipe is run from its tables to its page's findings, with networks that are trained (an
MLP on 8×8 pictures): once on a world in which the truth is known by construction (``bench/control_worlds.py``), and
once on the same world through ``shuffled``, where nothing can be known. Nothing in between is replaced: store,
measures, rules and Holm's correction are those of any study. Beside every planted claim stand its number, interval, n,
corrected p and verdict in both. ``--shuffles`` deals the pictures several times and counts the pages on which anything
"holds".
"""

from __future__ import annotations

import argparse
import platform
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import control_worlds
from unseen import worlds
from unseen.engines import open_study
from unseen.engines.local import run_study
from unseen.kinds.checks import check
from unseen.kinds.results import gather
from unseen.reports.finding import Finding
from unseen.studies import tables
from unseen.worlds import Entry

WORLDS = {"scrambled": "scrambled", "two-cues": "two_cues", "falling-back": "falling_back", "patched": "patched"}
WORLDS |= {"turned": "turned", "textured": "textured", "marred": "marred"}
DESIGNS = {"tied_choices": control_worlds.tied_choices}
NAMES = {True: "holds", False: "does not hold", None: "open"}
CHOICES, DRAWS, NETWORKS = list(range(5)), list(range(5)), list(range(5))
CONDITIONS = ["pixels-a", "pixels-b", "white-noise", "salt-and-pepper"]  # the rules about noise go by these names
TRANSFORMATIONS = ["inversion", "rotation-90"]  # by their names one of them is geometric
FOLDS = list(range(5))
DOMAINS = ["a", "b", "c", "d"]


@dataclass(frozen=True)
class Control:
    """One study. ``claims``: what is planted, as a finding's name and words of its statement (all such must hold);
    ``why`` it is true by construction."""

    kind: str
    why: str
    recipe: Mapping[str, Any]
    claims: tuple[tuple[str, str], ...]


def recipe(
    title: str,
    world: Mapping[str, Any],
    design: Mapping[str, Any],
    grid: Any,
    *,
    targets: Sequence[str] = ("category",),
    widths: Sequence[int] = (64, 32),
    training: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Tables of a recipe for a perceptron."""
    return {
        "title": title, "seeds": [0], "world": dict(world), "design": dict(design), "targets": list(targets),
        "network": {"backbone": "mlp", "channels": 1, "arguments": {"widths": list(widths)}},
        "training": {"epochs": 15, "batch": 32, "normalise": "half", **(training or {})},
        "recordings": {"layers": "none"}, "grid": grid,
    } | more  # fmt: skip


def domains(alike: bool) -> dict[str, Any]:
    world = {"name": "scrambled", "levels": DOMAINS, "factor": "domain", "stored": True, "alike": alike}
    design = {"name": "leave_one_out", "factor": "domain"}
    return recipe("domains", world, design, {"design.left_out": [*DOMAINS, "none"]}, seeds=[0, 1, 2])


CONTROLS = {
    "combinations": Control(
        "combinations",
        "category and place are two patterns that can be told apart once both were seen with several of the other; "
        "four units are too few for both tasks, and enough for one",
        recipe("combinations", {"name": "two-cues"},
               {"name": "hold_out_combinations", "columns": "place", "probe_per_cell": 8},
               {"design.seen_per_level": [1, 3, 5], "network.sharing": ["shared", "separate"], "design.seed": CHOICES},
               targets=("category", "place"), widths=(32, 4), training={"epochs": 40, "lr": 3e-3},
               recordings={"layers": "last"}),
        (("diversity helps OOD", "separate:"), ("separate against shared", "held-out")),
    ),
    "specialization": Control(
        "combinations",
        "within one diversity, a share of the training images ties category to place, another one for each choice of "
        "cells: it costs both specialization and generalisation",
        recipe("specialization", {"name": "two-cues"},
               {"name": "tied_choices", "columns": "place", "tied": [0.0, 0.5, 0.8, 0.93, 1.0]},
               {"design.seen_per_level": [2, 3, 4, 5], "design.seed": CHOICES},
               targets=("category", "place"), training={"epochs": 30, "batch": 24}, seeds=[0, 1, 2],
               recordings={"layers": "last"}) | {"network": {"backbone": "mlp", "channels": 1, "sharing": "separate",
                                                             "arguments": {"widths": [64, 8]}}},
        (("specialization and OOD category, diversity and architecture held fixed", ""),
         ("specialization and OOD place, diversity and architecture held fixed", "")),
    ),
    "levels": Control(
        "in-domain regression",
        "two lights grow with their level as far as was trained, and then no more",
        recipe("levels", {"name": "falling-back", "noise": 60.0},
               {"name": "hold_out_levels", "mode": "random", "share": 0.3, "protect": ["instance"]},
               {"design.mode": ["random", "interpolation", "extrapolation"]},
               targets=("left", "right"), training={"epochs": 30}, task="regression", seeds=NETWORKS,
               recordings={"layers": "none", "sets": ["validation", "test", "one-out-*"]}),
        (("extrapolation is hardest", ""), ("the factor out of range is lost more than the others", ""),
         ("answers are drawn to the mean", "")),
    ),
    "exposure": Control(
        "exposure to transformations",
        "a transformation lights the lower half of the picture, which hides nothing of the category and is a mark of "
        "those seen with it, the weaker the more they are; the geometric one lights it more",
        recipe("exposure", {"name": "patched", "levels": TRANSFORMATIONS},
               {"name": "expose", "images_per_category": 20, "test_images_per_category": 20, "probe_per_category": 10},
               {"design.level": TRANSFORMATIONS, "design.seen": [8, 18, 27], "design.seed": DRAWS},
               training={"epochs": 10},
               recordings={"sets": ["within*", "across*", "plain"], "layers": "last", "cells": False,
                           "invariance": True, "threshold": 0.1}),
        (("across rises with the number of categories seen transformed", ""),
         ("geometric transformations are lowest", ""), ("the transformation becomes a cue", ""),
         ("invariance rises with the number of categories seen transformed", "")),
    ),
    "matrix": Control(
        "matrix of conditions",
        "each condition has an order of the pixels of its own: for a perceptron all are as easy, and none helps with "
        "another",
        recipe("matrix", {"name": "scrambled", "levels": CONDITIONS, "factor": "condition", "stored": False},
               {"name": "matrix", "factor": "condition"},
               [{"design.train": [[level] for level in CONDITIONS]},
                {"design.train": [[level, CONDITIONS[-1]] for level in CONDITIONS[:-1]]},
                {"design.train_all_but": CONDITIONS[-2:]}],
               seeds=NETWORKS, recordings={"sets": ["test-*"], "layers": "none"}),
        (("trained conditions are near the ceiling", ""), ("a condition never seen is not known", ""),
         ("salt-and-pepper does not help with other noise", ""), ("all but one fails on the one left out", "")),
    ),
    "domains": Control(
        "leaving one domain out",
        "each domain has an order of the pixels of its own",
        domains(alike=False),
        (("known less well where the domain was never seen", ""),),
    ),
    "alike": Control(
        "leaving one domain out",
        "domains differ by nothing but their name",
        domains(alike=True),
        (("recognised in a domain that was never seen", ""),),
    ),
    "variability": Control(
        "variability",
        "pose, background and size off their canonical level show the category in an order of pixels that must be seen "
        "to be known, position and light change what says nothing of it",
        recipe("variability", {"name": "turned"},
               {"name": "vary_some", "folds": 5, "images_per_object": 12},
               [{"design.fold": FOLDS, "design.regime": ["canonical"]},
                {"design.fold": FOLDS, "design.regime": ["samples"], "design.vary": ["pose", "background", "size"],
                 "design.share": [0.25, 0.75]},
                {"design.fold": FOLDS, "design.regime": ["classes"], "design.vary": ["pose"]}],
               training={"epochs": 10},
               recordings={"layers": "none", "sets": ["canonical*", "varying-*", "trained-canonical*"]}),
        (("pose, background and size are the worst", ""), ("variation in all objects closes the gap", ""),
         ("classes never seen varying have the larger gap", "")),
    ),
    "cues": Control(
        "two cues",
        "the texture is a louder pattern than the category's own: who may go by either goes by it, and who finds no "
        "help in it does not",
        recipe("cues", {"name": "textured"}, {"name": "decorrelate", "shares": [0.6, 0.1, 0.3]},
               {"design.decorrelated": [0.0, 0.5, 1.0], "design.seed": DRAWS},
               recordings={"sets": ["agreeing", "conflicting"], "layers": "none"}),
        (("texture decides where it always agreed", ""), ("shape decides where texture told nothing", ""),
         ("shape bias rises with decorrelation", "")),
    ),
    "replica": Control(
        "replicas of a test set",
        "a light that was never shown puts the pixels in an order of its own, and every second object lies under six "
        "times the noise",
        recipe("replica", {"name": "marred"}, {"name": "replicate", "factor": "light", "shifted": ["night"]},
               {"training.epochs": [4, 8, 16, 32], "design.seed": DRAWS},
               recordings={"sets": ["original", "replica", "shifted"], "layers": "none"}),
        (("'shifted' lowers accuracy", ""), ("'harder' lowers accuracy", ""), ("'easier' raises accuracy", "")),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A planted claim and what was found, beside the same claim on shuffled pictures."""

    control: Control
    claim: str
    planted: Finding
    shuffled: Finding


@contextmanager
def known_worlds() -> Iterator[None]:
    """The worlds and the design of the controls by name, as an entry point would give them."""
    made = {name: Entry(f"bench.control_worlds:{function}") for name, function in WORLDS.items()}
    places: list[tuple[dict[str, Any], dict[str, Any]]] = [(worlds.worlds(), made), (tables.designs(), DESIGNS)]  # pyright: ignore
    for table, own in places:
        table.update(own)
    try:
        yield
    finally:
        for table, own in places:
            for name in own:
                table.pop(name)


def shuffled(tables: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """The same recipe with its pictures dealt by chance."""
    return {**tables, "world": {"name": "shuffled", "of": dict(tables["world"]), "seed": seed}}


def findings(recipe: Mapping[str, Any], folder: Path) -> tuple[Finding, ...]:
    """From a recipe to the findings of its page, in this process."""
    with known_worlds():
        study = open_study(dict(recipe), out=folder)
        check(study)
        run_study(study, device="cpu", workers=1, watch=lambda event: None)
        if study.failures() or study.missing():
            raise RuntimeError(f"{recipe['title']}: {study.failures() or 'trials are missing'}")
        return gather(study).findings


def matched(found: Sequence[Finding], name: str, words: str) -> list[int]:
    """Places of the findings that a claim is about: those of its name, else those that add of what."""
    exact = any(one.name == name for one in found)
    mine = (one.name == name if exact else one.name.startswith(f"{name}: ") for one in found)
    return [place for place, (one, own) in enumerate(zip(found, mine)) if own and words in one.statement and one.judged]


def compared(control: Control, planted: Sequence[Finding], null: Sequence[Finding]) -> list[Line]:
    """Every planted claim with its counterpart: findings of the two studies come in the same order."""
    lines = []
    for name, words in control.claims:
        pairs = [[found[at] for at in matched(found, name, words)] for found in (planted, null)]
        if not pairs[0] or len(pairs[0]) != len(pairs[1]):
            raise RuntimeError(f"{control.kind}: '{name}' was found {len(pairs[0])} and {len(pairs[1])} times")
        lines += [Line(control, name + detail(one.statement), one, two) for one, two in zip(*pairs)]
    return lines


def detail(statement: str) -> str:
    """What tells apart findings of one name: the target, or what was trained on."""
    found = re.search(r"\((\w+ alone)\)|^(Trained on [^:,]+):", statement)
    return f" ({found[1] or found[2].lower()})" if found else ""


def holding(found: Sequence[Finding]) -> list[Finding]:
    return [one for one in found if one.judged and one.holds]


def run(control: Control, folder: Path, shuffles: int = 1) -> tuple[list[Line], list[tuple[Finding, ...]]]:
    """The lines of a control, and all findings on each way of shuffling."""
    planted = findings(control.recipe, folder / "planted")
    nulls = [findings(shuffled(control.recipe, seed), folder / f"shuffled-{seed}") for seed in range(shuffles)]
    return compared(control, planted, nulls[0]), nulls


def cell(one: Finding) -> str:
    """Verdict, number, interval, n and corrected p of a finding."""
    interval = f" [{one.low:.2f}, {one.high:.2f}]" if one.low == one.low else ""
    p = "" if one.corrected is None else ", p < .001" if one.corrected < 0.001 else f", p = {one.corrected:.3f}"
    why = f" ({one.why})" if one.holds is None and one.why else ""
    return f"**{NAMES[one.holds]}**: {one.value:.2f}{interval}, n = {one.n}{p}{why}".replace("-", "−")


def markdown(lines: Sequence[Line]) -> str:
    """One table."""
    head = ["| kind | claim | planted | shuffled |", "|---|---|---|---|"]
    rows = [f"| {one.control.kind} | {one.claim} | {cell(one.planted)} | {cell(one.shuffled)} |" for one in lines]
    return "\n".join([*head, *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=list(CONTROLS), default=list(CONTROLS))
    parser.add_argument("--shuffles", type=int, default=1)
    parser.add_argument("--write", type=Path, help="a page whose part between the two marks is written anew")
    given = parser.parse_args(arguments)
    started, lines, counts = time.perf_counter(), [], []
    for name in given.kinds:
        with tempfile.TemporaryDirectory() as folder:
            own, nulls = run(CONTROLS[name], Path(folder), given.shuffles)
        lines += own
        pages, judged = sum(bool(holding(found)) for found in nulls), sum(one.judged for one in nulls[0])
        counts.append(f'- {name}: {pages} of {given.shuffles} shuffled pages with {judged} judged claims say "holds"')
        print(counts[-1], *(f"\n    {one.name}: {cell(one)}" for found in nulls for one in holding(found)), flush=True)
    words = f"{time.perf_counter() - started:.0f} s on {platform.machine()}, CPU, one process"
    made = "\n\n".join([markdown(lines), "\n".join(counts), f"Made in {words}, with `python -m bench.controls "
                        f"--shuffles {given.shuffles}`."])  # fmt: skip
    print(made)
    if given.write:
        before, mark, rest = given.write.read_text(encoding="utf-8").partition("<!-- made by bench.controls -->\n")
        _, end, after = rest.partition("<!-- end -->")
        given.write.write_text(f"{before}{mark}\n{made}\n\n{end}{after}", encoding="utf-8")
    wrong = [one for one in lines if one.planted.holds is not True or one.shuffled.holds]
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
