"""Generators that were learned, in the cache: ``generators/<identity>.safetensors``, with their history inside.

The identity is what they learned from and how, so that every trial of a study, and every worker, shares one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.locks import NoLocks, in_turn
from unseen.vocabulary.whole_files import put_whole
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.generators.adversarial import Learned, Watch
from unseen.worlds.progress_line import ProgressLine


def generator_file(identity: str) -> Path:
    return cache_folder() / "generators" / f"{identity}.safetensors"


def kept_or_learned(identity: str, what: str, learn: Callable[[Watch], Learned]) -> Learned:
    """The generator of this identity; who asks first has it learned, and others wait for it. Who asks may be recording,
    where torch keeps no gradients: it does while the generator learns."""
    import torch

    file = generator_file(identity)
    if file.is_file():
        return read(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            with suppress(NoLocks):  # then two may learn the same, and the later one is kept
                stack.enter_context(in_turn(file.with_suffix(".lock")))
            if file.is_file():
                return read(file)
            with torch.inference_mode(False), torch.enable_grad(), ProgressLine(f"learning {what}") as line:
                made = learn(line)
            put_whole(file, _bytes(made))
            return made
    except OSError as error:
        raise UnseenError(
            f"no place to keep a generator, {file.parent}: {error.strerror or error}. Set UNSEEN_CACHE to a folder "
            f"that can be written."
        ) from None


def _bytes(made: Learned) -> bytes:
    from safetensors.torch import save

    return save(dict(made.weights), {"history": json.dumps(list(made.history))})


def read(file: Path) -> Learned:
    """A generator from its file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "pt") as opened:
            weights = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            history = json.loads((opened.metadata() or {}).get("history", "[]"))
    except (SafetensorError, OSError, ValueError):
        raise UnseenError(f"the generator {file} cannot be read; delete it, and it is learned anew.") from None
    return Learned(weights, tuple(history))
