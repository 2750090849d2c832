"""Spans of time in words."""

from __future__ import annotations


def clock(seconds: float) -> str:
    """A span of time as people say it.

    >>> clock(75), clock(4000)
    ('1:15', '1:06:40')
    """
    seconds = round(seconds)
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
