"""Which address answers what, in an experiment with people. Answers are the only thing that is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unseen.exports.encoding import png
from unseen.kinds.stretched import visible
from unseen.reports.palette import style_sheet
from unseen.viewer.app import KINDS, Guard
from unseen.viewer.people.masks import pink_noise
from unseen.viewer.people.sessions import Experiment
from unseen.viewer.plain import as_json
from unseen.vocabulary.errors import UnseenError

MASKS = 16  # different masks
MOST = 10_000  # bytes of an answer
FRESH = {"cache-control": "no-store"}


def make_experiment(experiment: Experiment, *, names: frozenset[str] = frozenset(), token: str = "") -> Starlette:
    """The application that asks people."""
    routes = [
        Route("/", _page),
        Route("/page/{name}", _part),
        Route("/palette.css", _palette),
        Route("/api/about", _about),
        Route("/api/begin", _begin, methods=["POST"]),
        Route("/api/state", _state),
        Route("/api/answer", _answer, methods=["POST"]),
        Route("/image/{code}/{trial:int}.png", _image),
        Route("/mask/{number:int}.png", _mask),
    ]
    app = Starlette(routes=routes)
    app.state.experiment = experiment
    app.add_middleware(Guard, names=names, token=token, methods=("GET", "HEAD", "POST"))
    return app


def _told(found: Any, code: int = 200) -> Response:
    return Response(as_json(found), code, media_type="application/json", headers=FRESH)


async def _about(request: Request) -> Response:
    one: Experiment = request.app.state.experiment
    return _told(await run_in_threadpool(about, one))


def about(one: Experiment) -> Mapping[str, Any]:
    world = one.study.world(one.study.points[0])
    timing = one.timing
    return {
        "title": one.study.recipe.title, "question": f"Which {one.target.name}?", "classes": list(one.target.classes),
        "consent": one.consent, "pause": one.pause, "masks": MASKS, "side": int(max(world.size)),
        "timing": {name: getattr(timing, name) for name in ("fixation", "image", "mask", "within")},
        "trials": one.images or len(one.rows),
    }  # fmt: skip


async def _begin(request: Request) -> Response:
    if (wrong := _no_json(request)) is not None:
        return wrong
    return await _tried(request.app.state.experiment.begin)


async def _state(request: Request) -> Response:
    return await _tried(request.app.state.experiment.state, request.query_params.get("code", ""))


async def _answer(request: Request) -> Response:
    if (wrong := _no_json(request)) is not None:
        return wrong
    body = await request.body()
    try:
        told = json.loads(body) if len(body) <= MOST else None
    except ValueError:
        told = None
    if not isinstance(told, dict):
        return _told({"error": "an answer is a JSON object."}, 400)
    return await _tried(request.app.state.experiment.answer, str(told.get("code", "")), told)


def _no_json(request: Request) -> Response | None:
    """A page of another site cannot send JSON here without being asked first."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return _told({"error": "answers are sent as application/json."}, 415)
    return None


async def _tried(function: Any, *given: Any) -> Response:
    try:
        return _told(await run_in_threadpool(function, *given))
    except UnseenError as error:
        return _told({"error": str(error)}, 400)
    except OSError as error:
        return _told({"error": f"the answer could not be kept: {error.strerror or error}."}, 500)


async def _image(request: Request) -> Response:
    one: Experiment = request.app.state.experiment

    def drawn() -> bytes:
        row = one.row(request.path_params["code"], request.path_params["trial"])
        with one.drawing:
            picture = one.study.world(one.study.points[0]).images(np.array([row])).cpu().numpy()
        return png(visible(picture)[0])

    try:
        body = await run_in_threadpool(drawn)
    except UnseenError as error:
        return _told({"error": str(error)}, 404)
    return Response(body, media_type="image/png", headers=FRESH)


async def _mask(request: Request) -> Response:
    body = await run_in_threadpool(lambda: png(pink_noise(256, request.path_params["number"] % MASKS)))
    return Response(body, media_type="image/png", headers={"cache-control": "private, max-age=86400"})


async def _page(request: Request) -> Response:
    return _file("index.html")


async def _part(request: Request) -> Response:
    name = request.path_params["name"]
    return _file(name) if name in _parts() else _told({"error": "there is no such address here."}, 404)


def _parts() -> Mapping[str, Any]:
    return {one.name: one for one in files("unseen.viewer.people").joinpath("page").iterdir() if one.is_file()}


def _file(name: str) -> Response:
    kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    return Response(_parts()[name].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


async def _palette(request: Request) -> Response:
    return Response(style_sheet(), media_type="text/css", headers={"cache-control": "no-cache"})
