"""The worlds that the yardsticks measure: opened by name, with factors that vary, at a side in pixels."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.grids import setting_value
from unseen.vocabulary.world import World
from unseen.worlds import make, signature


def common_options(parser: argparse.ArgumentParser, side: int) -> None:
    """What both yardsticks take."""
    parser.add_argument("--set", action="append", default=[], metavar="ARGUMENT=VALUE", help="an argument of the world")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or mps")
    parser.add_argument("--side", type=int, default=side, help=f"of the pictures, in pixels (default {side})")
    parser.add_argument("--batch", type=int, default=None, help="pictures at a time (default: 64, on a GPU 1,024)")
    parser.add_argument("--out", metavar="FILE", help="the table as .parquet or .csv")


def settings(texts: Sequence[str]) -> dict[str, Any]:
    """``--set`` of the command line; values are read as TOML, or as plain text.

    >>> settings(["instances=6", "root=data/chairs"])
    {'instances': 6, 'root': 'data/chairs'}
    """
    found = {}
    for text in texts:
        key, equals, _ = text.partition("=")
        if not equals or not key.strip():
            raise UnseenError(f"--set {text!r} has no argument and value; write it as --set instances=12.")
        found[key.strip().removeprefix("world.")] = setting_value(text)
    return found


def opened(name: str, given: Mapping[str, Any], usual: Mapping[str, Any], side: int) -> World:
    """A world with the arguments ``given``; of the ``usual`` ones, those that it takes and that are not given."""
    takes = signature(name).parameters
    usual = {**usual, "side": side}
    world = make(name, **{key: value for key, value in usual.items() if key in takes and key not in given}, **given)
    for line in getattr(getattr(world, "problems", None), "lines", list)():
        print(f"note: {line}")
    return world


def batch_of(given: int | None, device: str) -> int:
    if given is not None and given < 1:
        raise UnseenError(f"--batch is a whole number from 1; {given} was given.")
    return given or (64 if device == "cpu" else 1024)
