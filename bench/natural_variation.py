"""All of Ibrahim et al. 2022 that needs a GPU, in calls of some minutes: what is finished is not done again.

    python -m bench.natural_variation --minutes 9 --out results   # on a GPU; again until it says that all is done
    python -m bench.natural_variation --toy --out toy --device cpu --studies runs/toy   # the same stages, tiny
    python -m bench.natural_variation --list

A stage is a study (run without a report, so that a machine which only trains needs no polars) or a bench. Studies lie
in ``--studies``, one folder each; after every stage its table goes into ``tables.tar`` in ``--out``, with ``--packs``
all answers into ``packs.tar``, which ``--results`` takes on another machine. Benches write one line each into
``benches.jsonl``. When the minutes are over, a stage is interrupted as by Ctrl-C: a finished trial stays, an encoder in
the making is made again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

UNSEEN = [sys.executable, "-c", "from unseen.cli import main; main()"]
SHARE = 0.15  # of the minutes, that a stage is not begun in
PAPER = ("world.classes=54", "world.instances=50", "world.levels=21", "world.backgrounds=25", "world.combinations=20",
         "design.folds=10", "design.asked_per_object=20")  # fmt: skip
FOLDS = 'grid."design.fold"=[0,1,2,3,4,5,6,7,8,9]'
TINY = ("world.classes=3", "world.instances=6", "world.levels=3", "world.backgrounds=3", "world.side=32",
        "design.folds=3", "design.images_per_object=4")  # fmt: skip
TINY_FOLDS = 'grid."design.fold"=[0,1,2]'
TINY_MODEL = 'grid."network.preprocessing"=[{size=32,crop=1.0}]'


@dataclass(frozen=True)
class Stage:
    """``recipe`` with ``settings``, or a bench as ``module`` with its words; ``toy`` settings are added for a try."""

    name: str
    shows: str
    recipe: str = ""
    settings: tuple[str, ...] = ()
    toy: tuple[str, ...] = ()
    module: str = ""
    words: tuple[str, ...] = ()
    toy_words: tuple[str, ...] = ()


def stages(meshes: str) -> tuple[Stage, ...]:
    """In the order in which they are worth having."""
    small = (*TINY, TINY_FOLDS)
    lite = 'grid."network.model"=["efficientnet-lite0"]'
    pre = (*TINY, 'world.classes=["mug","chair","car"]', TINY_FOLDS,
           "pretraining.images=64", "pretraining.epochs=1", "pretraining.batch=32",
           "pretraining.warmup=0", "pretraining.world.side=32", 'grid."pretraining.seed"=[0]',
           'grid."pretraining.world.instances"=[1]', "network.arguments={}")  # fmt: skip
    real = (
        "world.collection=first",
        f"world.meshes={meshes}",
        "world.classes=20",
        "world.instances=10",
        "design.folds=5",
    )
    whole = 'world.blocks=["single"]'
    made = [
        Stage("table-1a", "Table 1a: Lite0 to 2 and random weights, linear", "ibrahim2022/imagenet-small",
              (*PAPER, FOLDS), (*small, lite, TINY_MODEL, 'grid."network.arguments"=[{side=32}]')),
        Stage("variation", "Figs 4 to 7, Table 3, linear", "ibrahim2022/imagenet-variation-small", (*PAPER, FOLDS),
              (*small, "network.preprocessing={size=32,crop=1.0}", 'grid."design.vary"=["pose"]')),
        Stage("pretraining", "Table 1, Figs 2, 3: seven kinds of own pretraining at two sizes, random; n = 3",
              "ibrahim2022/pretraining", (), pre),
        Stage("causal", "one factor varied in pretraining alone; three encoders each", "ibrahim2022/causal", (),
              tuple(one for one in pre if "pretraining.world.instances" not in one)),
        Stage("finetune", "Table 1b: finetuned and linear, five folds", "ibrahim2022/finetune", (),
              (*small, "training.epochs=1", "network.arguments={side=32}", whole)),
        Stage("classes", "Table 3, finetuned: half of the classes vary", "ibrahim2022/classes",
              ("protocol=finetune", "network.frozen=false", "training.lr=3e-4", "training.epochs=10",
               'grid."design.fold"=[0,1,2]'),
              (*small, "training.epochs=1", "network.arguments={side=32}", whole,
               'grid."design.vary"=["pose"]')),
        Stage("probes", "bench: 1,650 probes against scikit-learn", module="bench.probes_many", toy_words=(
            "--factors", "1", "--shares", "2", "--regimes", "1", "--folds", "2", "--classes", "4", "--features", "16")),
        Stage("features", "bench: features of a drawn world against a plain forward pass",
              module="bench.model_features", toy_words=("--networks", "efficientnet_lite0",
                                                         "--images", "24", "--side", "32")),
        Stage("examine", "bench: 20,000 images of 224 px with ViT-B/16", module="bench.examining",
              words=("--model", "vit_base_patch16_224", "--images", "20000"),
              toy_words=("--model", "vit_tiny_patch16_224", "--images", "90", "--side", "32")),
    ]  # fmt: skip
    if meshes:
        made[2:2] = [
            Stage("meshes-1a", "Table 1a on real meshes", "ibrahim2022/imagenet-small", real,
                  (*small, lite, TINY_MODEL)),
            Stage("meshes-variation", "Figs 4 to 7, Table 3 on real meshes", "ibrahim2022/imagenet-variation-small",
                  real, (*small, "network.preprocessing={size=32,crop=1.0}", 'grid."design.vary"=["pose"]')),
        ]  # fmt: skip
    return tuple(made)


def command(stage: Stage, args: argparse.Namespace) -> list[str]:
    if stage.module:
        words = stage.toy_words if args.toy else stage.words
        return [sys.executable, "-m", stage.module, *words, "--device", args.device]
    settings = (*stage.settings, *(stage.toy if args.toy else ()))
    said = [word for one in settings for word in ("--set", one)]
    place = str(Path(args.studies) / stage.name)
    return [*UNSEEN, "run", stage.recipe, "--out", place, "--device", args.device, "--no-report", *said]


def done(stage: Stage, args: argparse.Namespace) -> bool:
    return (Path(args.studies) / f"{stage.name}.done").is_file()


def attempt(stage: Stage, args: argparse.Namespace, seconds: float) -> str:
    """One stage for at most so long: "done", "to go on" or "failed"."""
    started = time.perf_counter()
    log = Path(args.out) / "log.txt"
    print(f"{stage.name}: {stage.shows}", flush=True)
    with log.open("a", encoding="utf-8") as told:
        told.write(f"\n== {stage.name}\n")
        told.flush()
        running = subprocess.Popen(
            command(stage, args), stdout=subprocess.PIPE if stage.module else told, stderr=told, text=True
        )
        try:
            said, _ = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
            return "to go on"
        if said:
            told.write(said)
    if running.returncode:
        return "failed"
    if stage.module:
        line = {
            "bench": stage.name,
            "command": " ".join(command(stage, args)[1:]),
            "toy": args.toy,
            "said": said.splitlines(),
        }
        with (Path(args.out) / "benches.jsonl").open("a", encoding="utf-8") as kept:
            kept.write(json.dumps(line, ensure_ascii=False) + "\n")
    (Path(args.studies) / f"{stage.name}.done").write_text(f"{time.perf_counter() - started:.0f} s in the last call\n")
    return "done"


def keep(stage: Stage, args: argparse.Namespace) -> None:
    """The stage's table, and with ``--packs`` its answers, into one file each for all stages: few files come back from
    a machine that is lent."""
    place = Path(args.studies) / stage.name
    if stage.module or not any((place / "trials").glob("*")):
        return
    table = Path(args.studies) / f"{stage.name}.parquet"
    subprocess.run([*UNSEEN, "results", str(place), "--format", "parquet", "--to", str(table)], check=False)
    together(Path(args.studies), "*.parquet", Path(args.out) / "tables.tar")
    if args.packs:
        file = Path(args.studies) / f"{stage.name}.unseen"
        file.unlink(missing_ok=True)
        subprocess.run([*UNSEEN, "pack", str(place), str(file)], check=False)
        together(Path(args.studies), "*.unseen", Path(args.out) / "packs.tar")


def together(folder: Path, pattern: str, to: Path) -> None:
    aside = to.with_suffix(".part")
    with tarfile.open(aside, "w") as made:
        for file in sorted(folder.glob(pattern)):
            made.add(file, file.name)
    aside.replace(to)


def unpack(args: argparse.Namespace) -> None:
    """What an earlier machine packed; studies that are here already stay."""
    if not args.results:
        return
    with tarfile.open(args.results) as packed:
        packed.extractall(args.studies, filter="data")
    for file in sorted(Path(args.studies).glob("*.unseen")):
        if not file.with_suffix("").exists():
            subprocess.run([*UNSEEN, "unpack", str(file), str(file.with_suffix(""))], check=False)


def wanted(args: argparse.Namespace) -> Iterator[Stage]:
    for stage in stages(args.meshes):
        if not args.only or stage.name in args.only:
            yield stage


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--out", default=os.environ.get("OUT", "natural-variation"))
    parser.add_argument("--studies", default="runs/natural-variation")
    parser.add_argument("--packs", action="store_true", help="also bring back all answers, to go on elsewhere")
    parser.add_argument("--results", default="", help="the packs.tar of an earlier machine")
    parser.add_argument("--meshes", default="", help="folder of 3D models, for the stages on real meshes")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args(words)
    if args.list:
        for stage in stages(args.meshes):
            words = command(stage, args)[1 if stage.module else 3 :]
            print(f"{stage.name:17} {stage.shows}\n{'':17} {' '.join(words)}")
        return 0
    Path(args.out).mkdir(parents=True, exist_ok=True)
    Path(args.studies).mkdir(parents=True, exist_ok=True)
    unpack(args)
    until, left = time.perf_counter() + 60 * args.minutes, []
    for stage in wanted(args):
        if done(stage, args):
            continue
        remaining = until - time.perf_counter()
        ended = attempt(stage, args, remaining) if remaining > 60 * SHARE * args.minutes else "not begun"
        print(f"  {ended}", flush=True)
        if ended != "not begun":
            keep(stage, args)
        if ended != "done":
            left.append(stage.name)
    print(f"left: {', '.join(left)}; the same command goes on" if left else "all done")
    return 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
