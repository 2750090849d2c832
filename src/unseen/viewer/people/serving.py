"""Serving an experiment: to this machine alone, unless told otherwise."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unseen.viewer.people.sessions import Experiment
from unseen.viewer.serving import HERE, bound_socket, is_local


@dataclass
class ServedExperiment:
    """An experiment that is about to be served. ``address``: what people open."""

    experiment: Experiment
    host: str
    port: int
    token: str
    bound: socket.socket = field(repr=False)

    @property
    def address(self) -> str:
        name = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/{f'?token={self.token}' if self.token else ''}"

    def app(self) -> Any:
        from unseen.viewer.people.app import make_experiment

        names = frozenset((*HERE, self.host)) if is_local(self.host) else frozenset[str]()
        return make_experiment(self.experiment, names=names, token=self.token)

    def run(self, started: Callable[[], None] = lambda: None) -> None:
        """Serve until Ctrl-C."""
        import uvicorn

        config = uvicorn.Config(
            self.app(), log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=2,
        )  # fmt: skip
        server = uvicorn.Server(config)
        started()
        server.run(sockets=[self.bound])


def served_experiment(experiment: Experiment, *, host: str = "127.0.0.1", port: int | None = None) -> ServedExperiment:
    """An experiment, ready to be served: only to this machine, unless another ``host`` is named; then a token is asked
    for."""
    bound = bound_socket(host, port)
    token = "" if is_local(host) else secrets.token_urlsafe(24)
    return ServedExperiment(experiment, host, bound.getsockname()[1], token, bound)
