"""Which address answers what. Everything is read-only, and nothing outside the served folder is read."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from unseen.reports.vega import vega
from unseen.viewer import answers, maps, numbers, pair, pictures, splits, trials, units, written
from unseen.viewer.asked import Asked
from unseen.viewer.guard import Guard
from unseen.viewer.page_files import CHECKED, FRESH, page_routes, told
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
    "maps": maps.maps,
    "pair": pair.pair,
    "units": units.units,
    "exciting": units.exciting,
    "split": splits.split,
}
REPORT_POLICY = (  # a written report holds its own scripts, and Vega in them makes functions
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "frame-ancestors 'none'; base-uri 'none'; sandbox allow-scripts allow-downloads"
)


def make_app(shelf: Shelf, *, names: frozenset[str] = frozenset(), token: str = "") -> Starlette:
    """The application over a shelf of studies. ``names``: those by which it may be called, all where there are none;
    ``token``: what whoever asks must know."""
    routes = [
        *page_routes("unseen.viewer"),
        Route("/vega.js", _vega),
        Route("/report", _report),
        Route("/api/{name}", _answer),
    ]
    app = Starlette(routes=routes, exception_handlers={404: _absent})
    app.state.shelf = shelf
    app.add_middleware(Guard, cookie="unseen_view", names=names, token=token)
    return app


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


async def _absent(request: Request, error: Exception) -> Response:
    words = str(error) if isinstance(error, UnseenError) else "there is no such address here."
    return _trouble(words, 404)


def _trouble(words: str, code: int) -> Response:
    return told({"error": words}, code)


async def _vega(request: Request) -> Response:
    made = await run_in_threadpool(vega)
    return Response(made, media_type="text/javascript", headers={"cache-control": "private, max-age=86400"})


async def _report(request: Request) -> Response:
    asked = Asked(tuple(request.query_params.multi_items()))
    try:
        path: Path = await run_in_threadpool(written.page_file, request.app.state.shelf, asked)
    except UnseenError as error:
        return PlainTextResponse(str(error), 404)
    return FileResponse(path, headers={"content-security-policy": REPORT_POLICY, **CHECKED})
