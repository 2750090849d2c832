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


def rate_text(steps: float, seconds: float) -> str:
    """Epochs a second, or a minute where they take longer; "" where none has ended.

    >>> rate_text(8, 4), rate_text(1, 20), rate_text(0, 3)
    ('2 epochs/s', '3 epochs/min', '')
    """
    if not steps or not seconds:
        return ""
    return f"{steps / seconds:.3g} epochs/s" if seconds < steps else f"{60 * steps / seconds:.3g} epochs/min"


def memory_text(count: float) -> str:
    """Bytes as people say them; "" where they are not known.

    >>> memory_text(825_000_000), memory_text(0)
    ('0.8 GB', '')
    """
    return f"{count / 1e9:.1f} GB" if count else ""
