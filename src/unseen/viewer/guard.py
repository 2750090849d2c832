"""Who may ask a page that is served here: whoever names it as it is called and, where there is one, knows its token.

A page of another site may point a browser at this machine. It gets nothing: the name in the address must be ours (one
that an attacker's server rebinds to 127.0.0.1 is not), and answers tell browsers to hand them to no other site. Served
to other machines, a token is asked for, too.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}


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
    """Asks for the right name and, where there is one, the token; tells browsers what may be done with answers.

    Browsers keep cookies by host, whatever the port: each page has a ``cookie`` of its own, and each port, so that
    several pages of one machine do not take each other's token.
    """

    def __init__(
        self, app: ASGIApp, cookie: str, names: frozenset[str], token: str, methods: tuple[str, ...] = ("GET", "HEAD")
    ) -> None:
        self.app, self.cookie, self.names, self.token, self.methods = app, cookie, names, token, methods

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
        cookie = f"{self.cookie}_{(request.scope.get('server') or ('', 0))[1]}"
        given = request.query_params.get("token", "")
        if given and _same(given, self.token):
            left = [(key, value) for key, value in request.query_params.multi_items() if key != "token"]
            there = request.url.replace(query="").include_query_params(**dict(left))
            answer = RedirectResponse(f"{there.path}{f'?{there.query}' if there.query else ''}", 303)
            answer.set_cookie(cookie, self.token, httponly=True, samesite="strict")
            return answer
        if _same(request.cookies.get(cookie, ""), self.token):
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
