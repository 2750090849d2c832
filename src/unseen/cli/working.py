"""`unseen work`, and `unseen run --engine`: workers, and one look at all of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from unseen.cli.terminal import Terminal
from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.spans import memory_text, rate_text

if TYPE_CHECKING:
    from unseen.studies.execute import Event
    from unseen.studies.heartbeats import Heartbeat

ENGINES = ("here", "local", "slurm", "ray")
AGAIN = 75  # EX_TEMPFAIL of sysexits.h: it was asked to end, and there is more to do


class Said:
    """A worker's words, for its log: a line for what it has done, and none for epochs."""

    def __init__(self, console: Terminal) -> None:
        self.console, self.finished, self.failed = console, 0, 0

    def __call__(self, event: Event) -> None:
        name = event.trial
        if event.kind == "finished":
            self.finished += 1
            flags = ", ".join(event.figures.get("flags", {}))
            how = "asked" if event.figures.get("asked") else "done"
            print_hanging(self.console, f"  {how}  {name}" + (f"  [{flags}]" if flags else ""))
        elif event.kind == "failed":
            self.failed += 1
            print_hanging(self.console, f"  failed  {name}")
            print_hanging(self.console, f"    {event.figures.get('error', '')}")
        elif event.kind == "pretraining":
            print_hanging(self.console, f"  {name}: {event.figures['epochs']} epochs")
        elif event.kind in ("calibrated", "pretrained"):
            print_hanging(self.console, f"  {event.kind}  {event.figures['text']}")
        elif event.kind == "calibrating":
            print_hanging(self.console, f"  {name}: strength of {', '.join(event.figures['levels'])}")
        elif event.kind == "note":
            print_hanging(self.console, f"  note: {name}")


def work(study: Any, console: Terminal, device: str, pack: int | None, *, wait: bool, again: bool) -> int:
    """Be one of a study's workers; the exit code."""
    from unseen.cli.interrupts import stopped_with
    from unseen.engines.starting import prepare
    from unseen.engines.working import Stop, work_on
    from unseen.studies.heartbeats import living

    if again:
        if others := living(study.path):
            raise UnseenError(
                f"--again forgets what failed and was lost, and {others[0].words} is at '{study.path}'; end the "
                f"workers first (`unseen work --stop {study.path}`), or let them end."
            )
        prepare(study)
    told: dict[str, Any] = {"engine": os.environ.get("UNSEEN_ENGINE", ""), "job": job_name(os.environ)}
    told |= {"log": os.environ.get("UNSEEN_LOG", "")}
    console.print(f"working on {study.path}", markup=False, soft_wrap=True)
    try:
        with stopped_with("stopped. What was in progress is given back to the other workers; the rest is kept."):
            done = work_on(study, device=device, pack=pack, watch=Said(console), wait=wait, **told)
    except Stop:
        console.print("asked to end: what was in progress is given back")
        return AGAIN
    count = f"{done.finished} trial{'s' * (done.finished != 1)} done here, {done.failed} failed"
    console.print(f"{count}; {'nothing is left' if not done.left else f'{done.left} left to others'}")
    if done.gave_up:
        told_why = f"{done.gave_up} failed and {'is' if done.gave_up == 1 else 'are'} left alone"
        print_hanging(console, f"{told_why}: `unseen status {study.path}` tells why, `unseen work --again` tries again")
    if done.last and done.left:
        from unseen.engines.slurm import queue_again

        if queue_again(done.finished):
            console.print("the time limit is near: queued again")
        elif job_name(os.environ):
            console.print("the time limit is near, and nothing was finished in that time: not queued again")
        return AGAIN
    return 1 if done.failed else 0


def job_name(environment: Any) -> str:
    """What a scheduler calls this job.

    >>> job_name({"SLURM_JOB_ID": "83", "SLURM_ARRAY_JOB_ID": "81", "SLURM_ARRAY_TASK_ID": "2"})
    '81_2'
    """
    array = [environment.get(f"SLURM_ARRAY_{part}_ID", "") for part in ("JOB", "TASK")]
    return "_".join(array) if all(array) else environment.get("SLURM_JOB_ID", environment.get("UNSEEN_JOB", ""))


def stop_workers(path: Path, console: Terminal) -> None:
    """Ask all workers of a study to end in good order."""
    from unseen.studies.heartbeats import ask_to_stop

    asked = ask_to_stop(path)
    if not asked:
        console.print(f"nobody works on {path}", markup=False, soft_wrap=True)
        return
    count = f"{len(asked)} worker{'s' * (len(asked) != 1)}"
    told = f"{count} asked to end; each gives back what it has, within a beat or two (`unseen status {path}`)"
    console.print(told, markup=False, soft_wrap=True)


def run_with_workers(
    study: Any,
    console: Terminal,
    engine: str,
    *,
    device: str,
    workers: int | None,
    pack: int | None,
    start: Callable[[Any], Any] | None = None,
) -> Any:
    """Start workers, follow all of them in one place, and give what was done."""
    from unseen.cli.progress import Progress
    from unseen.engines.following import Followed, follow
    from unseen.engines.local import Outcome
    from unseen.engines.progress import to_follow
    from unseen.engines.starting import LocalWorkers, placed_here, prepare
    from unseen.kinds.checks import check
    from unseen.studies.commands import typed_command
    from unseen.studies.missing_trials import missing_trials

    check(study)
    prepare(study, typed_command())
    todo, first = to_follow(study, missing_trials(study))
    total = len(study.trials)
    console.print(study.recipe.title, style="bold", markup=False)
    console.print(f"{total} trial{'s' * (total != 1)}, {total - len(todo)} finished already")
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    if not todo and not first:
        return Outcome(total, total, 0, 0)
    if start is None:
        crew: Any = LocalWorkers(study)
        crew.start(placed_here(study, device, workers)[: max(1, len(todo) + len(first))], pack)
    else:
        crew = start(study)
    console.print(started(crew), markup=False, soft_wrap=True)
    with Progress(console, todo, first) as progress:
        followed = Followed(study, progress)
        told: list[int] = []

        def show(alive: list[Heartbeat]) -> None:
            if not told and alive:
                told.append(len(alive))
                where = ", ".join(f"{one.words} on {one.device}" for one in alive[:4])
                progress(_note(f"{len(alive)} at work: {where}{' …' * (len(alive) > 4)}"))

        try:
            follow(followed, crew.running, show=show)
        except KeyboardInterrupt:
            progress.__exit__()
            interrupted(study, crew, console, engine)
            raise
    for line in crew.troubles():
        print_hanging(console, f"  note: {line}")
    left = sum(len(job.trials) for job in followed.open.values())
    if left:
        count = f"{left} trial{'s' * (left != 1)} left, and nobody is at work"
        print_hanging(console, f"{count}: the same command goes on (`unseen status {study.path}` tells of workers).")
    return Outcome(total, total - len(todo), followed.finished, followed.failed + left, followed.asked)


def _note(text: str) -> Event:
    from unseen.studies.execute import Event

    return Event("note", text)


def started(crew: Any) -> str:
    """What was started, in a line."""
    if hasattr(crew, "words"):
        return crew.words()
    n = len(crew.processes)
    return f"{n} worker{'s' * (n != 1)} started on this machine; logs in {crew.study.path / 'logs'}"


def starter(engine: str, said: list[str], workers: int | None, device: str, pack: int | None) -> Any:
    """How an engine starts workers of a study; None for this machine's."""
    if engine == "slurm":
        from unseen.engines.slurm import USUAL, slurm_options, submit

        options = slurm_options(said)
        count = workers or options.workers or USUAL
        return lambda study: submit(study, options, count, device=device, pack=pack)
    if engine == "ray":
        from unseen.engines.ray_tasks import start_tasks

        return lambda study: start_tasks(study, workers, device=device, pack=pack)
    return None


def show_script(study: Any, console: Terminal, said: list[str], workers: int | None, device: str) -> None:
    """The script that `unseen run --engine slurm` would submit."""
    from unseen.engines.slurm import USUAL, script, slurm_options

    options = slurm_options(said)
    console.data(script(study, options, workers or options.workers or USUAL, device=device))


def interrupted(study: Any, crew: Any, console: Terminal, engine: str) -> None:
    """Ctrl-C: leave the workers, or end them. Asked of a person; else those of this machine end and others stay."""
    from unseen.cli import interrupts

    n = len(crew.running())
    if not n:
        return
    ends = engine == "local"
    if sys.stdin is not None and sys.stdin.isatty():
        try:
            said = typer.prompt(f"\nend the {n} worker{'s' * (n != 1)}, or leave them at work? [end/leave]", "end")
            ends = not said.strip().lower().startswith("l")
        except (KeyboardInterrupt, typer.Abort):
            ends = True
    if ends:
        console.print(f"ending {n} worker{'s' * (n != 1)}: what they have is given back")
        crew.end()
        interrupts.last_words(interrupts.TRIALS)
        return
    interrupts.last_words(
        f"left at work: `unseen status {study.path}` tells how far they are, `unseen work --stop {study.path}` ends "
        f"them, and the same command follows them again."
    )


def show_workers(study: Any, missing: Sequence[Any], console: Any) -> None:
    """Who is at a study, how far they are, how long what is missing will take, and who was lost there."""
    from unseen.viewer.running import at_work, time_left

    now = at_work(study.path)
    for one in sorted((*now.living, *now.lost), key=lambda one: (one.started, one.name)):
        print_hanging(console, f"  {worker_line(one)}")
        if one.log:
            print_hanging(console, f"    log: {one.log}")
        if one.note and one.living:
            print_hanging(console, f"    {one.note}")
    if now.living:
        print_hanging(console, f"  {time_left(now, missing)}")


def worker_line(one: Heartbeat) -> str:
    """One worker in a line.

    >>> from unseen.studies.heartbeats import Doing, Heartbeat
    >>> doing = (Doing("1", "seed 0", epoch=2, epochs=5),)
    >>> worker_line(Heartbeat("a", host="node7", pid=12, finished=3, age=4, doing=doing))
    'process 12 on node7: working, 3 done; seed 0 (epoch 2 of 5); beat 4 s ago'
    >>> worker_line(Heartbeat("a", host="h", pid=1, device="cuda:0", epochs=8, seconds=4, memory=3 * 10**9))
    'process 1 on h: working, 0 done; on cuda:0, 2 epochs/s, 3.0 GB; beat 0 s ago'
    """
    doing = ", ".join(
        f"{each.label} (epoch {each.epoch} of {each.epochs})" if each.epochs else each.label for each in one.doing[:4]
    )
    state = one.state if one.living else "lost; what it had is taken over"
    parts = [f"{one.words}: {state}, {one.finished} done" + (f", {one.failed} failed" if one.failed else "")]
    takes = [f"on {one.device}" if one.device else "", rate_text(one.epochs, one.seconds), memory_text(one.memory)]
    takes.append(f"{memory_text(one.device_memory)} on the device" * bool(one.device_memory))
    parts += [doing] if doing else []
    parts += [", ".join(filter(None, takes))] if one.living and any(takes) else []
    return "; ".join([*parts, f"beat {one.age:.0f} s ago"])


def engine_named(name: str) -> str:
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    return name
