"""Serving the page: a port that is free, who may ask, and what is made ready before anybody does."""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.viewer.shelf import Shelf
from unseen.vocabulary.errors import UnseenError

PORT = 8765
TRIES = 20  # ports after the first that are tried before any free one is taken
QUIET = 0.8  # seconds without a question, after which things are made ready
HERE = ("127.0.0.1", "localhost", "::1")


@dataclass
class ServedPage(ABC):
    """A page that is about to be served. ``address``: what a browser is to open."""

    host: str
    port: int
    token: str
    bound: socket.socket = field(repr=False)

    @property
    def address(self) -> str:
        name = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/{f'?token={self.token}' if self.token else ''}"

    @property
    def names(self) -> frozenset[str]:
        """By which it may be called; none: by any."""
        return frozenset((*HERE, self.host)) if is_local(self.host) else frozenset()

    @abstractmethod
    def app(self) -> Any:
        """The application that answers."""

    def run(self, started: Callable[[], None] = lambda: None) -> None:
        """Serve until Ctrl-C."""
        import uvicorn

        config = uvicorn.Config(
            self.app(), log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=2,
        )  # fmt: skip
        server = uvicorn.Server(config)
        started()
        server.run(sockets=[self.bound])


@dataclass
class Served(ServedPage):
    """The page over studies."""

    shelf: Shelf

    def app(self) -> Any:
        from unseen.viewer.app import make_app

        return make_app(self.shelf, names=self.names, token=self.token)

    def run(self, started: Callable[[], None] = lambda: None) -> None:
        threading.Thread(target=_make_ready, daemon=True).start()
        super().run(started)


def served(folder: Path, *, host: str = "127.0.0.1", port: int | None = None) -> Served:
    """The studies of a folder, ready to be served: only to this machine, unless another ``host`` is named; then a
    token is asked for. A ``port`` that is named must be free; else the first free one from 8765 on is taken."""
    shelf = Shelf(folder)
    return Served(*address_of(host, port), shelf)


def address_of(host: str, port: int | None) -> tuple[str, int, str, socket.socket]:
    """Where a page is served: host, port, the token that other machines are asked for, and the socket."""
    bound = bound_socket(host, port)
    return host, bound.getsockname()[1], "" if is_local(host) else secrets.token_urlsafe(24), bound


def is_local(host: str) -> bool:
    """Whether only this machine can ask.

    >>> is_local("localhost"), is_local("127.0.0.2"), is_local("0.0.0.0"), is_local("::1")
    (True, True, False, True)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bound_socket(host: str, port: int | None) -> socket.socket:
    if port is not None and not 0 <= port <= 65535:
        raise UnseenError(f"--port {port} is no port; possible: 1 to 65535, or 0 for any that is free.")
    for number in [port] if port is not None else [*range(PORT, PORT + TRIES), 0]:
        try:
            return _open(host, number)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            raise _no_port(host, number, error) from None
    raise AssertionError("port 0 is always free")


def _open(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made


def _no_port(host: str, port: int, error: OSError) -> UnseenError:
    if error.errno == errno.EADDRINUSE:
        return UnseenError(
            f"port {port} is in use, perhaps by another `unseen view`. Leave --port out and a free one is taken."
        )
    if error.errno == errno.EACCES:
        return UnseenError(f"port {port} is not yours to take; ports from 1024 on are. Leave --port out.")
    return UnseenError(
        f"cannot serve at '{host}' ({error.strerror or error}); --host is an address of this machine: 127.0.0.1 (the "
        f"default: this machine alone) or 0.0.0.0 (whoever can reach it, with a token)."
    )


def _make_ready() -> None:
    """What takes long to import or make, while nobody waits for anything."""
    from functools import partial
    from importlib import import_module

    from unseen.reports.vega import vega
    from unseen.viewer.guard import BUSY

    polars, scipy, torch = (partial(import_module, name) for name in ("polars", "scipy.special", "torch"))
    for make in (polars, scipy, vega, torch):
        while BUSY.idle() < QUIET:
            time.sleep(QUIET / 4)
        make()
