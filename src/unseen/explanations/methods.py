"""The table of methods, and the one function that draws a map by any of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor, nn

from unseen.explanations import cams
from unseen.explanations.anatomy import Anatomy, as_images, still
from unseen.explanations.asked import Asked, Difference, Question, Score, Unit, settled
from unseen.explanations.attention import attention_gradient, attention_rollout
from unseen.explanations.cams import cam, guided_grad_cam
from unseen.explanations.covered import occlusion, rise
from unseen.explanations.gradients import BATCH, gradient, gradient_times_input, integrated_gradients, smoothgrad
from unseen.explanations.rectified import deconvolution, guided_backprop
from unseen.explanations.seen import centred_blob, edges
from unseen.vocabulary.errors import UnseenError, unknown


@dataclass(frozen=True)
class Method:
    """One row: what ``draws`` the map, what it ``needs`` of a network ("answers", "gradients", "relus", "layers",
    "attention", or "nothing": it looks at the image alone), and where it is from."""

    draws: Callable[..., Tensor]
    needs: str
    source: str
    note: str = ""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What can be set, with defaults."""
        found = inspect.signature(self.draws).parameters.values()
        return {one.name: one.default for one in found if one.kind is inspect.Parameter.KEYWORD_ONLY}


METHODS: Mapping[str, Method] = {
    "gradient": Method(gradient, "gradients", "Simonyan et al. 2013"),
    "gradient-times-input": Method(gradient_times_input, "gradients", "Shrikumar et al. 2016"),
    "smoothgrad": Method(smoothgrad, "gradients", "Smilkov et al. 2017"),
    "integrated-gradients": Method(integrated_gradients, "gradients", "Sundararajan et al. 2017"),
    "guided-backprop": Method(guided_backprop, "relus", "Springenberg et al. 2015"),
    "deconvolution": Method(deconvolution, "relus", "Zeiler & Fergus 2014"),
    "grad-cam": Method(partial(cam, weigh=cams.grad_cam_weights), "layers", "Selvaraju et al. 2017"),
    "grad-cam++": Method(partial(cam, weigh=cams.grad_cam_plus_plus_weights), "layers", "Chattopadhyay et al. 2018"),
    "hires-cam": Method(partial(cam, weigh=cams.hires_cam_weights), "layers", "Draelos & Carin 2020"),
    "guided-grad-cam": Method(guided_grad_cam, "relus", "Selvaraju et al. 2017"),
    "attention-rollout": Method(attention_rollout, "attention", "Abnar & Zuidema 2020", "explains no class"),
    "attention-gradient": Method(attention_gradient, "attention", "Chefer et al. 2021"),
    "occlusion": Method(occlusion, "answers", "Zeiler & Fergus 2014"),
    "rise": Method(rise, "answers", "Petsiuk et al. 2018"),
    "edges": Method(edges, "nothing", "Adebayo et al. 2018", "a baseline: it does not use the network"),
    "centre": Method(centred_blob, "nothing", "ours", "a baseline: it uses neither network nor image"),
}

CHANNELS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda found: found.sum(1),
    "largest": lambda found: found.abs().amax(1),
    "length": lambda found: found.square().sum(1).sqrt(),
}


@dataclass(frozen=True, eq=False)
class Explanation:
    """Maps ``[n, h, w]`` by one method: more where there is more evidence. ``signed`` says whether there is evidence
    against. ``notes`` says of each image why its map should not be looked at, or nothing."""

    maps: np.ndarray
    method: str
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def signed(self) -> bool:
        return bool((self.maps < 0).any())

    def __len__(self) -> int:
        return len(self.maps)


def explain(
    model: nn.Module | Callable[[Tensor], Any],
    images: Tensor | np.ndarray,
    method: str = "gradient",
    asked: Asked | int | None = None,
    *,
    channels: str = "sum",
    **settings: Any,
) -> Explanation:
    """Maps over images by one method (:data:`METHODS`), for what is ``asked``: a class, a :class:`Score`, a
    :class:`Difference`, a :class:`Unit`; by default the score of the class that is answered.

    Images are as the network takes them: [n, channels, height, width]. Attributions to pixels become a map by their
    ``channels``: their "sum" (signed), their "largest" absolute value (Simonyan et al. 2013) or their "length".
    ``settings`` are the method's own (``METHODS[method].settings``); ``batch`` bounds the memory.
    """
    row = checked(method, settings, channels)
    anatomy, given = Anatomy(model), as_images(images)
    with still(anatomy):
        looks = row.needs not in ("gradients", "answers")  # these ask first of all
        question = settled(anatomy, given, as_asked(asked), settings.get("batch") or BATCH, look=looks)
        return explained(question, given, method, row, channels, settings)


def explained(
    question: Question, images: Tensor, method: str, row: Method, channels: str, settings: Mapping[str, Any]
) -> Explanation:
    """The same, once it is settled what is asked; the network is still."""
    found = row.draws(question, images, **settings)
    maps = CHANNELS[channels](found) if found.ndim == 4 else found
    maps = maps.detach().float().cpu().numpy()
    return Explanation(maps, method, dict(settings), noted(maps))


def noted(maps: np.ndarray) -> tuple[str, ...]:
    """What must be said of a map instead of drawing it."""

    def said(one: np.ndarray) -> str:
        if not np.isfinite(one).all():
            return "not a number: the network's answer or its gradient is not finite"
        if not one.any():
            return "no evidence: zero everywhere (a saturated score, dead units, or a layer that does not count)"
        return ""

    return tuple(said(one) for one in maps)


def explain_rows(
    model: nn.Module | Callable[[Tensor], Any],
    fetch: Callable[[np.ndarray, str], Tensor],
    rows: np.ndarray,
    method: str = "gradient",
    asked: Callable[[np.ndarray], Asked] | Asked | int | None = None,
    *,
    size: int = 64,
    **settings: Any,
) -> Iterator[tuple[np.ndarray, Explanation]]:
    """Maps for any number of rows of a world, ``size`` at a time: (places in ``rows``, their maps). Memory does not
    grow. ``fetch`` gives pictures for rows and a device; ``asked`` may be a function of places, where each image is
    asked about its own class."""
    device = str(Anatomy(model).device)
    for start in range(0, len(rows), size):
        places = np.arange(start, min(start + size, len(rows)))
        here = asked(places) if callable(asked) else asked
        yield places, explain(model, fetch(rows[places], device), method, here, **settings)


def as_asked(asked: Any) -> Asked:
    if asked is None or isinstance(asked, int | np.integer):
        return Score(None if asked is None else int(asked))
    if not isinstance(asked, Score | Difference | Unit):
        raise UnseenError(
            f"what is asked is the number of a class, Score, Difference or Unit; given {asked!r}. unseen.explain takes "
            "the name of a class, too."
        )
    return asked


def checked(method: str, settings: Mapping[str, Any], channels: str = "sum") -> Method:
    """The method's row, where its name and its settings are known."""
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if channels not in CHANNELS:
        raise unknown("way to put channels together", channels, CHANNELS)
    for name in settings:
        if name not in METHODS[method].settings:
            raise unknown("setting", name, METHODS[method].settings, where=f"method '{method}'")
    return METHODS[method]


def possible(model: nn.Module | Callable[[Tensor], Any], images: Tensor | np.ndarray) -> Sequence[str]:
    """The methods that can be drawn for this network, tried on one image."""
    images, able = as_images(images)[:1], []
    for name, row in METHODS.items():
        small: dict[str, Any] = {"steps": 1, "masks": 1, "patch": tuple(images.shape[2:])}
        try:
            explain(model, images, name, **{key: value for key, value in small.items() if key in row.settings})
        except UnseenError:
            continue
        able.append(name)
    return able
