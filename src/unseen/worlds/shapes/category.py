"""A row of a table of things: where the function lives that makes an instance, and what it looks like."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from unseen.worlds.rendering.mesh import Mesh


@dataclass(frozen=True)
class Category:
    """``function`` is ``module:function``; ``text`` says what an instance looks like and where its front (+x) is."""

    name: str
    function: str
    text: str

    @cached_property
    def make(self) -> Callable[[np.random.Generator], Mesh]:
        """The function itself, imported when it is first asked for."""
        module, _, name = self.function.partition(":")
        return cast(Callable[[np.random.Generator], Mesh], getattr(importlib.import_module(module), name))
