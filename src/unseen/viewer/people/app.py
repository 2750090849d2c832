"""Which address answers what, in an experiment with people. Answers are the only thing that is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unseen.exports.encoding import png
from unseen.kinds.stretched import visible
from unseen.viewer.guard import Guard
from unseen.viewer.page_files import FRESH, page_routes, told
from unseen.viewer.people.masks import pink_noise
from unseen.viewer.people.sessions import Experiment
from unseen.vocabulary.errors import UnseenError

MASKS = 16  # different masks
MOST = 10_000  # bytes of an answer


def make_experiment(experiment: Experiment, *, names: frozenset[str] = frozenset(), token: str = "") -> Starlette:
    """The application that asks people."""
    routes = [
        *page_routes("unseen.viewer.people"),
        Route("/api/about", _about),
        Route("/api/begin", _begin, methods=["POST"]),
        Route("/api/state", _state),
        Route("/api/answer", _answer, methods=["POST"]),
        Route("/image/{code}/{trial:int}.png", _image),
        Route("/mask/{number:int}.png", _mask),
    ]
    app = Starlette(routes=routes)
    app.state.experiment = experiment
    methods = ("GET", "HEAD", "POST")
    app.add_middleware(Guard, cookie="unseen_ask", names=names, token=token, methods=methods)
    return app


async def _about(request: Request) -> Response:
    one: Experiment = request.app.state.experiment
    return told(await run_in_threadpool(about, one))


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
        given = json.loads(body) if len(body) <= MOST else None
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return told({"error": "an answer is a JSON object."}, 400)
    return await _tried(request.app.state.experiment.answer, str(given.get("code", "")), given)


def _no_json(request: Request) -> Response | None:
    """A page of another site cannot send JSON here without being asked first."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return told({"error": "answers are sent as application/json."}, 415)
    return None


async def _tried(function: Any, *given: Any) -> Response:
    try:
        return told(await run_in_threadpool(function, *given))
    except UnseenError as error:
        return told({"error": str(error)}, 400)
    except OSError as error:
        return told({"error": f"the answer could not be kept: {error.strerror or error}."}, 500)


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
        return told({"error": str(error)}, 404)
    return Response(body, media_type="image/png", headers=FRESH)


async def _mask(request: Request) -> Response:
    body = await run_in_threadpool(lambda: png(pink_noise(256, request.path_params["number"] % MASKS)))
    return Response(body, media_type="image/png", headers={"cache-control": "private, max-age=86400"})
