"""All of Ibrahim et al. 2022 that needs a GPU, in calls of some minutes: what is finished is not done again.

    python -m bench.natural_variation --minutes 9 --together 8 --out results   # on a GPU; again until all is done
    python -m bench.natural_variation --toy --out toy --device cpu --studies runs/toy   # the same stages, tiny
    python -m bench.natural_variation --list

A stage (``bench/natural_stages.py``) is a study, run without a report so that a machine which only trains needs no
polars, or a bench. Up to ``--together`` processes run side by side; a bench that tells times has the machine to itself
while it measures. Studies lie in ``--studies``, one folder each: on the same machine the same command goes on. After
every stage its table goes into ``tables.tar`` in ``--out``, with ``--packs`` answers into ``packs-1.tar`` and so on, as
many as fit 15 MiB each, which ``--results`` takes on another machine. Benches write one line each into
``benches.jsonl``; ``times.jsonl`` says how long each stage took and how it ended. When the minutes are over, stages are
interrupted as by Ctrl-C: a finished trial stays, an encoder in the making is made again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.natural_stages import Stage, stages

UNSEEN = [sys.executable, "-c", "from unseen.cli import main; main()"]
SHARE = 0.06  # of the minutes, that a stage is not begun in
KEEPING = 45  # seconds before the end in which stages are ended and tables are made
PACKED = 15 * 2**20  # bytes of a file that comes back
PATIENCE = 25.0  # seconds that an interrupted stage has to end: its workers have 20


def command(stage: Stage, args: argparse.Namespace) -> list[str]:
    if stage.module:
        words = stage.toy_words if args.toy else stage.words
        return [sys.executable, "-m", stage.module, *words, "--device", args.device]
    settings = (*stage.settings, *(stage.toy if args.toy else ()))
    said = [word for one in settings for word in ("--set", one)]
    place = str(Path(args.studies) / stage.name)
    crew = ["--engine", "local", "--workers", str(stage.workers)] if stage.workers > 1 else []
    return [*UNSEEN, "run", stage.recipe, "--out", place, "--device", args.device, "--no-report", *crew, *said]


def done(stage: Stage, args: argparse.Namespace) -> bool:
    return (Path(args.studies) / f"{stage.name}.done").is_file()


@dataclass
class Running:
    """A stage under way, and its log."""

    stage: Stage
    process: subprocess.Popen[str]
    log: Path
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def measuring(self) -> bool:
        """Whether what it measures would suffer from company: until it has said what it waits for, or its end."""
        stage = self.stage
        said = self.log.read_text(encoding="utf-8", errors="replace") if stage.alone_until else ""
        return stage.alone and not (stage.alone_until and stage.alone_until in said)


def begin(stage: Stage, args: argparse.Namespace) -> Running:
    encoders = Path(args.studies) / stage.encoders_of / "encoders" if stage.encoders_of else None
    own = Path(args.studies) / stage.name / "encoders"
    if encoders is not None and encoders.is_dir():
        own.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(encoders, own, dirs_exist_ok=True)
    log = Path(args.studies) / f"{stage.name}.log"
    print(f"{clock()} {stage.name}: {stage.shows}", flush=True)
    # Rivals of a bench may use all cores; studies side by side would tread on each other's threads.
    environment = {**os.environ, **({"OMP_NUM_THREADS": "2"} if stage.recipe and args.together > 1 else {})}
    # without a session of its own a stage would be hit by an interrupt of this process before its workers are asked
    with log.open("w", encoding="utf-8") as told:
        process = subprocess.Popen(
            command(stage, args), env=environment, stdin=subprocess.DEVNULL, stdout=told, stderr=told, text=True,
            start_new_session=True,
        )  # fmt: skip
    return Running(stage, process, log)


BEGAN = time.perf_counter()


def clock() -> str:
    return f"[{time.perf_counter() - BEGAN:5.0f} s]"


def ended(one: Running, args: argparse.Namespace, how: str) -> str:
    """Write down how a stage ended."""
    out, stage = Path(args.out), one.stage
    said = one.log.read_text(encoding="utf-8", errors="replace")
    if not how:
        how = "failed" if one.process.returncode else "done"
    with (out / "log.txt").open("a", encoding="utf-8") as told:
        told.write(f"\n== {stage.name}: {how} after {one.seconds:.0f} s\n{said[-6000:]}")
    with (out / "times.jsonl").open("a", encoding="utf-8") as told:
        line = {"stage": stage.name, "ended": how, "seconds": round(one.seconds, 1), "toy": args.toy}
        told.write(json.dumps({**line, "together": args.together, "device": args.device}) + "\n")
    if stage.module and how == "done":
        spoken = " ".join(command(stage, args)[1:])
        line = {"bench": stage.name, "command": spoken, "toy": args.toy, "said": said.splitlines()}
        with (out / "benches.jsonl").open("a", encoding="utf-8") as kept:
            kept.write(json.dumps(line, ensure_ascii=False) + "\n")
    if how == "done":
        (Path(args.studies) / f"{stage.name}.done").write_text(f"{one.seconds:.0f} s in the last call\n")
    print(f"{clock()} {stage.name}: {how} after {one.seconds:.0f} s", flush=True)
    return how


def interrupt(some: Sequence[Running]) -> None:
    """End stages as Ctrl-C does; kill those that do not end, with all they started."""
    for one in some:
        one.process.send_signal(signal.SIGINT)
    until = time.perf_counter() + PATIENCE
    for one in some:
        try:
            one.process.wait(max(0.1, until - time.perf_counter()))
        except subprocess.TimeoutExpired:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()


def table(stage: Stage, args: argparse.Namespace) -> subprocess.Popen[bytes] | None:
    """Make the stage's table, of what is finished, in a process beside the others."""
    place = Path(args.studies) / stage.name
    if stage.module or not any((place / "trials").glob("*")):
        return None
    to = Path(args.studies) / f"{stage.name}.parquet"
    words = [*UNSEEN, "results", str(place), "--format", "parquet", "--to", str(to)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL)


def tables(args: argparse.Namespace) -> None:
    """All tables in one file: few files come back from a machine that is lent."""
    if found := sorted(Path(args.studies).glob("*.parquet")):
        together(found, Path(args.out) / "tables.tar")


def pack(args: argparse.Namespace) -> None:
    """Answers of the stages, by worth, into files that may come back; what is too large for one is told."""
    piles: list[list[Path]] = [[]]
    for stage in stages(args.meshes):
        place, file = Path(args.studies) / stage.name, Path(args.studies) / f"{stage.name}.unseen"
        if stage.module or not any((place / "trials").glob("*")):
            continue
        file.unlink(missing_ok=True)
        subprocess.run(
            [*UNSEEN, "pack", "--without-encoders", str(place), str(file)], check=False, stdout=subprocess.DEVNULL
        )
        size = file.stat().st_size if file.is_file() else 0
        if size > PACKED:
            print(f"{stage.name}: its answers take {size / 2**20:.0f} MiB and stay here", flush=True)
            continue
        if size + sum(one.stat().st_size for one in piles[-1]) > PACKED:
            piles.append([])
        piles[-1].append(file)
    for number, some in enumerate(piles[:4], 1):
        together(some, Path(args.out) / f"packs-{number}.tar")


def together(files: Sequence[Path], to: Path) -> None:
    aside = to.with_suffix(".part")
    with tarfile.open(aside, "w") as made:
        for file in files:
            made.add(file, file.name)
    aside.replace(to)


def unpack(args: argparse.Namespace) -> None:
    """What an earlier machine packed; studies that are here already stay."""
    for results in args.results:
        with tarfile.open(results) as packed:
            packed.extractall(args.studies, filter="data")
    for file in sorted(Path(args.studies).glob("*.unseen")) if args.results else []:
        if not file.with_suffix("").exists():
            subprocess.run([*UNSEEN, "unpack", str(file), str(file.with_suffix(""))], check=False)


def wanted(args: argparse.Namespace) -> Iterator[Stage]:
    for stage in stages(args.meshes):
        if (not args.only or stage.name in args.only) and stage.name not in args.without:
            yield stage


def next_of(waiting: Sequence[Stage], running: Sequence[Running], args: argparse.Namespace) -> Stage | None:
    """The stage of most worth that may begin now: not while another measures, nor before what it builds on has ended
    here."""
    if any(one.measuring for one in running):
        return None
    free = args.together - sum(one.stage.workers for one in running)
    blocked = {stage.name for stage in waiting} | {one.stage.name for one in running}
    for stage in waiting:
        if stage.after and stage.after in blocked:
            continue
        if running and (stage.alone or stage.workers > free):
            return None  # what is worth less waits, too: else many workers would never find a place
        return stage
    return None


def run(todo: list[Stage], args: argparse.Namespace, until: float) -> list[str]:
    """Run stages side by side until then; names of those that are left."""
    waiting, left = list(todo), []
    running: list[Running] = []
    making: list[subprocess.Popen[bytes] | None] = []
    shortest = 60 * SHARE * args.minutes
    while waiting or running:
        for one in [one for one in running if one.process.poll() is not None]:
            running.remove(one)
            if ended(one, args, "") != "done":
                left.append(one.stage.name)
            making.append(table(one.stage, args))
        if any(one is not None and one.poll() is not None for one in making):
            making = [one for one in making if one is not None and one.poll() is None]
            tables(args)
        remaining = until - time.perf_counter()
        if remaining <= 0:
            interrupt(running)
            for one in running:
                left.append(one.stage.name)
                ended(one, args, "to go on")
                making.append(table(one.stage, args))
            break
        while remaining > shortest and (stage := next_of(waiting, running, args)) is not None:
            waiting.remove(stage)
            running.append(begin(stage, args))
        if not running and remaining <= shortest:
            break
        time.sleep(0.5)
    for one in making:
        if one is not None:
            one.wait()
    tables(args)
    return [*left, *(stage.name for stage in waiting)]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--together", type=int, default=1, help="processes side by side")
    parser.add_argument("--out", default=os.environ.get("OUT", "natural-variation"))
    parser.add_argument("--studies", default="runs/natural-variation")
    parser.add_argument("--packs", action="store_true", help="also bring back answers, to go on elsewhere")
    parser.add_argument("--results", nargs="*", default=[], help="the packs of an earlier machine")
    parser.add_argument("--meshes", default="", help="folder of 3D models, for the stages on real meshes")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args(words)
    began = time.perf_counter()
    if args.list:
        for stage in stages(args.meshes):
            words = command(stage, args)[1 if stage.module else 3 :]
            print(f"{stage.name:20} {stage.shows}\n{'':20} {' '.join(words)}")
        return 0
    # A shell that starts this in the background has it ignore interrupts, and stages would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Path(args.out).mkdir(parents=True, exist_ok=True)
    Path(args.studies).mkdir(parents=True, exist_ok=True)
    unpack(args)
    todo = [stage for stage in wanted(args) if not done(stage, args)]
    left = run(todo, args, began + 60 * args.minutes - KEEPING)
    if args.packs:
        pack(args)
    print(f"left: {', '.join(left)}; the same command goes on" if left else "all done")
    return 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
