"""Workers as a job array of Slurm: one `sbatch` starts them, and the store is where results are looked for.

Nothing but ``sbatch``, ``squeue`` and ``scancel`` is asked (no accounting). A node that is lost gives its task back to
the queue (``--requeue``); before the time limit a worker hears SIGUSR1, ends its pack, and asks to be queued again.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from unseen.engines.starting import LOGS, worker_words
from unseen.studies.heartbeats import ask_to_stop, living
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.whole_files import put_whole

CONFIG = "config.toml"
USUAL = 4  # workers where nobody says how many
REQUEUE = "UNSEEN_REQUEUE"
MISSING = (
    "no `sbatch` on this machine ({host}): `--engine slurm` is for a login node of a Slurm cluster. On another "
    "machine, `--engine local` starts workers, or `unseen work STUDY` in whatever your scheduler runs."
)


@dataclass(frozen=True)
class SlurmOptions:
    """What is asked of Slurm, as its own options say it. ``environment``: lines of shell before a worker (modules, an
    environment to activate); ``warning``: seconds before the time limit at which a worker takes nothing new; ``more``:
    further options of ``sbatch``, as they are; ``python``: that of the nodes, where it is another."""

    workers: int = 0
    partition: str = ""
    time: str = ""
    gpus: str = ""
    memory: str = ""
    cpus: int = 0
    account: str = ""
    qos: str = ""
    environment: str = ""
    python: str = ""
    warning: int = 120
    more: str = ""


def config_path() -> Path:
    """The user's settings."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "unseen" / CONFIG


def slurm_options(said: Sequence[str] = ()) -> SlurmOptions:
    """The table ``[slurm]`` of the user's settings, changed by what was said (``partition=gpu``)."""
    path = config_path()
    table: dict[str, Any] = {}
    if path.is_file():
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8")).get("slurm", {})
        except (OSError, ValueError) as error:
            raise UnseenError(f"'{path}' cannot be read: {error}.") from None
        if not isinstance(table, dict):
            raise UnseenError(f"'{path}': slurm must be a table, [slurm].")
    found = _changed(SlurmOptions(), table, f"'{path}' [slurm]")
    for text in said:
        key, equals, value = text.partition("=")
        if not equals:
            raise UnseenError(f"--slurm {text}: write KEY=VALUE, e.g. --slurm partition=gpu.")
        found = _changed(found, {key.strip(): value.strip()}, "--slurm")
    return found


def _changed(options: SlurmOptions, table: Mapping[str, Any], where: str) -> SlurmOptions:
    known = {one.name: type(getattr(options, one.name)) for one in fields(options)}
    for key, value in table.items():
        if key not in known:
            raise unknown("key", key, list(known), where=where)
        if isinstance(value, list) and key in ("environment", "more"):
            value = ("\n" if key == "environment" else " ").join(map(str, value))
        try:
            settled = known[key](value)
        except (TypeError, ValueError):
            raise UnseenError(f"{where}: {key} = {value!r} must be a number.") from None
        if known[key] is str and key != "environment" and any(ord(letter) < 32 for letter in str(settled)):
            raise UnseenError(f"{where}: {key} = {value!r} must be one line of text.")
        options = replace(options, **{key: settled})
    return options


def script(study: Study, options: SlurmOptions, workers: int, *, device: str = "auto", pack: int | None = None) -> str:
    """The script that is submitted."""
    logs = study.path.absolute() / LOGS
    asked = {
        "job-name": f"unseen-{study.path.name}", "array": f"1-{workers}", "partition": options.partition,
        "time": options.time, "gres": f"gpu:{options.gpus}" if options.gpus else "", "mem": options.memory,
        "cpus-per-task": options.cpus or study.recipe.training.threads, "account": options.account, "qos": options.qos,
        "chdir": str(Path.cwd()), "output": f"{logs}/slurm-%A_%a.log", "open-mode": "append",
        "signal": f"B:USR1@{options.warning}" if options.time else "",
    }  # fmt: skip
    lines = [f"#SBATCH --{name}={_quoted(value)}" for name, value in asked.items() if value]
    lines += ["#SBATCH --requeue", *(f"#SBATCH {one}" for one in shlex.split(options.more))]
    words = worker_words(study, device, pack)
    words[0] = options.python or words[0]
    return "\n".join(
        [
            "#!/bin/bash", *lines, "",
            f"export UNSEEN_ENGINE=slurm {REQUEUE}=1",
            f'export UNSEEN_LOG={shlex.quote(str(logs))}/slurm-"${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}".log',
            *options.environment.splitlines(),
            f"exec {shlex.join(words)}", "",
        ]
    )  # fmt: skip


def _quoted(value: object) -> str:
    """As a line of ``#SBATCH`` takes it: spaces in double quotes."""
    text = str(value)
    return f'"{text}"' if any(letter.isspace() for letter in text) else text


@dataclass
class SlurmWorkers:
    """An array of workers that was submitted."""

    study: Study
    job: str
    workers: int
    _unknown: int = 0

    def words(self) -> str:
        n = self.workers
        return f"job {self.job} submitted: {n} worker{'s' * (n != 1)}; logs in {self.study.path / LOGS}"

    def running(self) -> list[str]:
        """Tasks that wait or run; while the controller does not answer, the last word counts."""
        asked = ["squeue", "-h", "-r", "-j", self.job, "-o", "%i"]
        try:
            done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return [self.job]
        if done.returncode and "Invalid job id" not in done.stderr:
            return [self.job]
        return done.stdout.split()

    def end(self) -> None:
        """Those that run end in good order, those that wait are taken from the queue."""
        ask_to_stop(
            self.study.path, [one.name for one in living(self.study.path) if one.job.partition("_")[0] == self.job]
        )
        subprocess.run(["scancel", "--state=PENDING", self.job], capture_output=True, check=False)
        subprocess.run(["scancel", "--batch", "--signal=TERM", self.job], capture_output=True, check=False)

    def troubles(self) -> list[str]:
        """What workers that ended otherwise than in good order said last."""
        found = []
        for log in sorted((self.study.path / LOGS).glob(f"slurm-{self.job}_*.log")):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            if errors := [line for line in lines[-20:] if line.startswith(("error:", "slurmstepd: error:"))]:
                found.append(f"{log.name}: {errors[-1]}")
        return found


def submit(
    study: Study, options: SlurmOptions, workers: int, *, device: str = "auto", pack: int | None = None
) -> SlurmWorkers:
    """Submit workers; what Slurm says against it is told."""
    if shutil.which("sbatch") is None:
        raise UnseenError(MISSING.format(host=os.uname().nodename if hasattr(os, "uname") else sys.platform))
    text = script(study, options, workers, device=device, pack=pack)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SBATCH_")}
    done = subprocess.run(
        ["sbatch", "--parsable"], input=text, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        lines = (line.removeprefix("sbatch: ").removeprefix("error: ") for line in done.stderr.splitlines())
        why = "; ".join(line.strip().rstrip(".") for line in lines if line.strip())
        raise UnseenError(
            f"Slurm refused the job: {why or 'it does not say why'}. `unseen plan --engine slurm` shows the script; "
            f"`sinfo` lists partitions. Options: --slurm KEY=VALUE, or [slurm] in '{config_path()}'."
        )
    job = done.stdout.strip().partition(";")[0]
    put_whole(study.path / LOGS / f"slurm-{job}.sh", text)
    return SlurmWorkers(study, job, workers)


def queue_again(finished: int) -> bool:
    """At the time limit, with work left: ask Slurm to queue this task again. Not where nothing was finished in the
    time there was: the next one would finish nothing either."""
    job = os.environ.get("SLURM_JOB_ID")
    if not job or not os.environ.get(REQUEUE) or not finished or shutil.which("scontrol") is None:
        return False
    done = subprocess.run(["scontrol", "requeue", job], capture_output=True, check=False)
    time.sleep(5)  # it is ended by Slurm meanwhile
    return done.returncode == 0
