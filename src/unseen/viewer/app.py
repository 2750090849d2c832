"""Which address answers what. Everything is read-only; nothing outside the served folder is read, and nobody else asks.

A page of another site may point a browser at this machine. It gets nothing: the name in the address must be ours (one
that an attacker's server rebinds to 127.0.0.1 is not), and answers tell browsers to hand them to no other site. Served
to other machines, a token is asked for, too.
"""

from __future__ import annotations

import secrets
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from unseen.reports.palette import style_sheet
from unseen.viewer import answers, numbers, pair, pictures, splits, trials, units
from unseen.viewer.asked import Asked
from unseen.viewer.charts import vega
from unseen.viewer.plain import as_json
from unseen.viewer.shelf import NotServed, Shelf
from unseen.vocabulary.errors import UnseenError

# What the page asks for, by address: each gives plain data, or a whole answer.
ANSWERS: dict[str, Callable[[Shelf, Asked], Any]] = {
    "studies": trials.studies,
    "study": trials.study,
    "trial": trials.trial,
    "answers": answers.page,
    "accuracies": answers.accuracies,
    "choices": answers.choices,
    "numbers": numbers.numbers,
    "download": numbers.download,
    "sheet": pictures.sheet,
    "image": pictures.image,
    "worlds": pictures.worlds,
    "pair": pair.pair,
    "units": units.units,
    "exciting": units.exciting,
    "split": splits.split,
}
KINDS = {"css": "text/css", "js": "text/javascript", "html": "text/html", "svg": "image/svg+xml"}
COOKIE = "unseen_view"
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'"
)
REPORT_POLICY = (  # a written report holds its own scripts, and Vega in them makes functions
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "frame-ancestors 'none'; base-uri 'none'; sandbox allow-scripts allow-downloads"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}


def make_app(shelf: Shelf, *, names: frozenset[str] = frozenset(), token: str = "") -> Starlette:
    """The application over a shelf of studies. ``names``: those by which it may be called, all where there are none;
    ``token``: what whoever asks must know."""
    routes = [
        Route("/", _page),
        Route("/page/{name}", _part),
        Route("/palette.css", _palette),
        Route("/vega.js", _vega),
        Route("/report", _report),
        Route("/api/{name}", _answer),
    ]
    app = Starlette(routes=routes, exception_handlers={404: _absent})
    app.state.shelf = shelf
    app.add_middleware(Guard, names=names, token=token)
    return app


class Busy:
    """Whether anybody waits for an answer; what is made ready ahead of need keeps out of the way."""

    def __init__(self) -> None:
        self._waiting, self._last = 0, time.monotonic()

    def begin(self) -> None:
        self._waiting += 1

    def end(self) -> None:
        self._waiting -= 1
        self._last = time.monotonic()

    def idle(self) -> float:
        """Seconds since the last answer; 0 while one is awaited."""
        return 0.0 if self._waiting else time.monotonic() - self._last


BUSY = Busy()


class Guard:
    """Asks for the right name and, where there is one, the token; tells browsers what may be done with answers."""

    def __init__(
        self, app: ASGIApp, names: frozenset[str], token: str, methods: tuple[str, ...] = ("GET", "HEAD")
    ) -> None:
        self.app, self.names, self.token, self.methods = app, names, token, methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        answer = self._refusal(request, Headers(scope=scope))

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {key.lower() for key, _ in message["headers"]}
                more = {**HEADERS, "content-security-policy": POLICY}
                message["headers"] += [
                    (key.encode(), value.encode()) for key, value in more.items() if key.encode() not in there
                ]
            await send(message)

        BUSY.begin()
        try:
            await (answer or self.app)(scope, receive, sent)
        finally:
            BUSY.end()

    def _refusal(self, request: Request, headers: Headers) -> Response | None:
        name = _name_in(headers.get("host", ""))
        if self.names and name not in self.names:
            return PlainTextResponse(f"this page is not called '{name[:80]}'; open it by the address it printed.", 421)
        if request.method not in self.methods:
            return PlainTextResponse("this page is only read; nothing can be changed here.", 405)
        if not self.token:
            return None
        given = request.query_params.get("token", "")
        if given and _same(given, self.token):
            left = [(key, value) for key, value in request.query_params.multi_items() if key != "token"]
            there = request.url.replace(query="").include_query_params(**dict(left))
            answer = RedirectResponse(f"{there.path}{f'?{there.query}' if there.query else ''}", 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return answer
        if _same(request.cookies.get(COOKIE, ""), self.token):
            return None
        return PlainTextResponse(
            "a token is asked for: open the whole address that was printed, with ?token= at its end.", 401
        )


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(), token.encode())


def _name_in(host: str) -> str:
    """The name in a Host header, without its port.

    >>> _name_in("localhost:8765"), _name_in("[::1]:80"), _name_in("10.0.0.1")
    ('localhost', '::1', '10.0.0.1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


async def _answer(request: Request) -> Response:
    made = ANSWERS.get(request.path_params["name"])
    if made is None:
        return await _absent(request, NotServed("there is no such address here."))
    asked = Asked(tuple(request.query_params.multi_items()))
    try:
        found = await run_in_threadpool(made, request.app.state.shelf, asked)
        if isinstance(found, Response):
            return found
        return Response(await run_in_threadpool(as_json, found), media_type="application/json", headers=FRESH)
    except UnseenError as error:
        return _trouble(str(error), 404 if isinstance(error, NotServed) else 400)
    except OSError as error:
        return _trouble(f"cannot read '{error.filename or '?'}': {error.strerror or error}.", 500)
    except Exception as error:  # told to who looks, and to who serves
        traceback.print_exc(file=sys.stderr)
        return _trouble(f"this is a fault of unseen: {type(error).__name__}: {error}", 500)


FRESH = {"cache-control": "no-store"}


def _trouble(words: str, code: int) -> Response:
    return Response(as_json({"error": words}), code, media_type="application/json", headers=FRESH)


async def _absent(request: Request, error: Exception) -> Response:
    words = str(error) if isinstance(error, UnseenError) else "there is no such address here."
    return _trouble(words, 404)


async def _page(request: Request) -> Response:
    return _file("index.html")


async def _part(request: Request) -> Response:
    if request.path_params["name"] not in parts():
        return await _absent(request, NotServed("there is no such address here."))
    return _file(request.path_params["name"])


def parts() -> Mapping[str, Any]:
    """The files of the page, by name: nothing else of the package is served."""
    return {one.name: one for one in files("unseen.viewer").joinpath("page").iterdir() if one.is_file()}


def _file(name: str) -> Response:
    kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    return Response(parts()[name].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


async def _palette(request: Request) -> Response:
    return Response(style_sheet(), media_type="text/css", headers={"cache-control": "no-cache"})


async def _vega(request: Request) -> Response:
    made = await run_in_threadpool(vega)
    return Response(made, media_type="text/javascript", headers={"cache-control": "private, max-age=86400"})


async def _report(request: Request) -> Response:
    asked = Asked(tuple(request.query_params.multi_items()))
    try:
        path: Path = await run_in_threadpool(trials.report_file, request.app.state.shelf, asked)
    except UnseenError as error:
        return PlainTextResponse(str(error), 404)
    return FileResponse(path, headers={"content-security-policy": REPORT_POLICY, "cache-control": "no-cache"})
