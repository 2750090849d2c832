"""What pages are made of, as browsers ask for it: the files of a package's folder ``page``, the colours, plain data."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unseen.reports.palette import style_sheet
from unseen.viewer.plain import as_json

KINDS = {"css": "text/css", "js": "text/javascript", "html": "text/html", "svg": "image/svg+xml"}
FRESH = {"cache-control": "no-store"}
CHECKED = {"cache-control": "no-cache"}  # kept, and asked about before it is used again


def parts(package: str) -> Mapping[str, Any]:
    """The files of a package's page, by name: nothing else of the package is served."""
    return {one.name: one for one in files(package).joinpath("page").iterdir() if one.is_file()}


def page_routes(package: str) -> list[Route]:
    """The page itself, its parts and its colours."""

    async def page(request: Request) -> Response:
        return sent("index.html")

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        return sent(name) if name in parts(package) else told({"error": "there is no such address here."}, 404)

    def sent(name: str) -> Response:
        kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")
        return Response(parts(package)[name].read_bytes(), media_type=kind, headers=CHECKED)

    return [Route("/", page), Route("/page/{name}", part), Route("/palette.css", _palette)]


async def _palette(request: Request) -> Response:
    return Response(style_sheet(), media_type="text/css", headers=CHECKED)


def told(found: Any, code: int = 200) -> Response:
    """Plain data as JSON, which no browser keeps."""
    return Response(as_json(found), code, media_type="application/json", headers=FRESH)
