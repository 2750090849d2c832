"""Workers as tasks of a Ray cluster, which starts one again for ever if its process or its node is lost.

A cluster that is lost altogether leaves a study that can go on anywhere. Ray is an extra: ``pip install unseen[ray]``.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.engines.starting import LOGS
from unseen.studies.heartbeats import ask_to_stop, living
from unseen.studies.study import Study
from unseen.studies.trusting import code_names
from unseen.vocabulary.errors import UnseenError

ADDRESS = "RAY_ADDRESS"
LACKS = "`--engine ray` needs Ray: pip install 'unseen[ray]' here and on the nodes of the cluster."


def be_worker(
    path: str, folder: str, device: str, pack: int | None, allowed: list[str], number: int, settings: dict[str, str]
) -> int:
    """What a task does: work on a study until nothing is left; gives how many trials it finished. Its words go to a
    log of its own in the study's folder."""
    from unseen.engines.working import work_on
    from unseen.studies.study import load_study
    from unseen.vocabulary.trust import allow

    os.environ.update(settings)
    os.chdir(folder)
    allow(allowed)
    log = Path(path) / LOGS / f"ray-{number}-{os.getpid()}.log"
    log.parent.mkdir(exist_ok=True)
    with open(log, "a", buffering=1, encoding="utf-8") as out:

        def watch(event: Any) -> None:
            if event.kind in ("finished", "failed", "note"):
                print(event.kind, event.trial, event.figures.get("error", ""), file=out)

        try:
            return work_on(
                load_study(Path(path)), device=device, pack=pack, watch=watch, hears=False,
                engine="ray", job=str(number), log=str(log),
            ).finished  # fmt: skip
        except UnseenError as error:  # Ray would try for ever what a person must mend
            print(f"error: {error}", file=out)
            return 0


@dataclass
class RayWorkers:
    """Tasks that were started on a cluster."""

    study: Study
    ray: Any
    tasks: list[Any]
    address: str

    def words(self) -> str:
        n = len(self.tasks)
        where = f"on the Ray cluster at {self.address}; logs in {self.study.path / LOGS}"
        return f"{n} worker{'s' * (n != 1)} started {where}"

    def running(self) -> list[str]:
        """Tasks that have not ended; none where the cluster is gone."""
        with contextlib.suppress(Exception):
            _, waiting = self.ray.wait(self.tasks, num_returns=len(self.tasks), timeout=0)
            return [str(one) for one in waiting]
        return []

    def end(self) -> None:
        """Ask all to end in good order, and take those that wait from the queue."""
        ask_to_stop(self.study.path, [one.name for one in living(self.study.path) if one.engine == "ray"])
        for one in self.tasks:
            with contextlib.suppress(Exception):
                self.ray.cancel(one, force=False)

    def troubles(self) -> list[str]:
        """What workers said that could not work."""
        found = []
        for log in sorted((self.study.path / LOGS).glob("ray-*.log")):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [f"{log.name}: {line}" for line in lines[-1:] if line.startswith("error:")]
        return found


def start_tasks(study: Study, workers: int | None, *, device: str = "auto", pack: int | None = None) -> RayWorkers:
    """Start workers on the cluster that ``RAY_ADDRESS`` names, or the one that this machine is part of: as many as
    asked for, or as fit. Each takes a GPU where the cluster has any (``--device cpu``: none), else as many cores as a
    trial has threads."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise UnseenError(LACKS) from None
    address = os.environ.get(ADDRESS, "auto")
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    except Exception as error:
        raise UnseenError(
            f"no Ray cluster at '{address}' ({str(error).splitlines()[0][:200]}). `ray start --head` begins one; "
            f"{ADDRESS}=HOST:PORT names another, and a cluster with a token wants RAY_AUTH_MODE and RAY_AUTH_TOKEN "
            "here too."
        ) from None
    has: Any = ray.cluster_resources()
    threads = study.recipe.training.threads
    gpus = 1 if device in ("auto", "cuda") and has.get("GPU") else 0
    if device == "cuda" and not gpus:
        raise UnseenError(
            f"--device cuda: the Ray cluster at '{address}' has no GPU, only {has.get('CPU', 0):g} cores."
        )
    count = workers or max(1, int(has["GPU"] if gpus else has.get("CPU", 1) // threads))
    on = "cuda" if gpus else ("cpu" if device == "auto" else device)
    settings = {name: value for name, value in os.environ.items() if name.startswith(("UNSEEN_", "OMP_", "MKL_"))}
    # One that dies is started again, for ever: what it had is stored, or taken over.
    task = ray.remote(num_cpus=threads, num_gpus=gpus, max_retries=-1, scheduling_strategy="SPREAD")(be_worker)
    given = (str(study.path.absolute()), str(Path.cwd()), on, pack, code_names(study.recipe))
    return RayWorkers(study, ray, [task.remote(*given, number, settings) for number in range(count)], address)
