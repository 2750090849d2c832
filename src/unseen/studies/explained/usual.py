"""Which methods are drawn unless others are named, with which settings, and what each costs.

Settings here are for a first look at few images on a CPU: fewer steps than published, patches by the size of the image
(ours). Whatever is set is told beside the maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from unseen.explanations import METHODS, explain
from unseen.explanations.methods import checked
from unseen.studies.explained.looked import Looked
from unseen.vocabulary.errors import UnseenError, unknown

USUAL = (
    "gradient", "smoothgrad", "integrated-gradients", "guided-backprop", "grad-cam", "guided-grad-cam",
    "attention-rollout", "attention-gradient", "occlusion", "edges",
)  # fmt: skip
ANSWERS_ALONE = ("occlusion", "rise", "edges")
BACK = 3  # passes that a pass and its gradient cost, about
LAYERED = ("layers", "attention", "relus")

NO_MATTER = ("batch",)  # settings that change no map

Settings = Mapping[str, Mapping[str, Any]]


def usual_settings(method: str, side: int, *, checks: bool = False) -> dict[str, Any]:
    """Settings by the shorter side of the image; ``checks``: coarser ones, since each map is drawn again after every
    step of a randomisation."""
    patch = max(1, side // 7)
    batch = {"batch": max(8, min(256, 2**21 // side**2))} if "batch" in METHODS[method].settings else {}
    found: dict[str, Any] = {
        "smoothgrad": {"steps": 4 if checks else 16},
        "integrated-gradients": {"steps": 4 if checks else 16},
        "occlusion": {"patch": patch, "stride": patch if checks else max(1, patch // 2)},
        "rise": {"masks": 64 if checks else 400},
    }.get(method, {})
    return {**found, **batch}


def cost(method: str, settings: Mapping[str, Any], size: tuple[int, int]) -> int:
    """Passes of the network for one image, about; a gradient counts as three."""
    told = {**METHODS[method].settings, **settings}
    if method == "occlusion":
        patch, stride = (_pair(told[key]) for key in ("patch", "stride"))
        windows = [-(-max(0, side - one) // max(1, step)) + 1 for side, one, step in zip(size, patch, stride)]
        return windows[0] * windows[1] + 1
    if method == "rise":
        return int(told["masks"])
    if METHODS[method].needs == "nothing":
        return 1
    return BACK * int(told.get("steps", 1)) * (2 if method == "guided-grad-cam" else 1)


def _pair(given: Any) -> tuple[int, int]:
    return (given, given) if isinstance(given, int) else (8, 8) if given is None else tuple(given)


def with_given(
    methods: Sequence[str], given: Settings, size: tuple[int, int], *, checks: bool = False
) -> dict[str, dict[str, Any]]:
    """The usual settings of each method, and over them what was given."""
    for method in given:
        if method not in methods:
            raise unknown("method", method, methods, where="what is drawn")
    side = min(size)
    found = {method: {**usual_settings(method, side, checks=checks), **given.get(method, {})} for method in methods}
    if checks:
        for method, settings in found.items():
            coarse = usual_settings(method, side, checks=True)
            found[method] = {**settings, **{key: value for key, value in coarse.items() if key in ("steps", "masks")}}
            if method == "occlusion":
                found[method]["stride"] = found[method]["patch"]
    for method, settings in found.items():
        checked(method, settings)
    return found


def drawable(
    looked: Looked, picture: Tensor, asked: Any, methods: Sequence[str], given: Settings, *, named: bool
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The methods that can be drawn of this network, tried on one picture, and why the others cannot. One that was
    ``named`` and cannot is an error."""
    able, left = [], {}
    for method in dict.fromkeys(methods):
        row = checked(method, given.get(method, {}))
        small: dict[str, Any] = {"steps": 1, "masks": 1}
        own = {**given.get(method, {}), **{key: value for key, value in small.items() if key in row.settings}}
        if method == "occlusion":
            own.setdefault("patch", tuple(picture.shape[2:]))
        try:
            explain(looked.model, picture, method, asked, **own)
        except UnseenError as error:
            if named:
                raise UnseenError(f"{method}: {error}") from None
            left[method] = str(error)
            continue
        able.append(method)
    if not able:
        raise UnseenError(f"no method can be drawn of {looked.name}: {next(iter(left.values()), 'none was named')}")
    return tuple(able), left
