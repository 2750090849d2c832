"""Maps from the activity of a layer: Grad-CAM, Grad-CAM++, HiResCAM, and Guided Grad-CAM.

The layer may give maps (a CNN), or tokens (a ViT, a Mixer), which are laid out on the image where they came from. Only
what comes after the layer is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from unseen.explanations.anatomy import Anatomy
from unseen.explanations.asked import Question, Unit
from unseen.explanations.gradients import BATCH
from unseen.explanations.rectified import guided_backprop
from unseen.vocabulary.errors import UnseenError

Weigh = Callable[[Tensor, Tensor], Tensor]


def grad_cam_weights(activity: Tensor, slopes: Tensor) -> Tensor:
    """Each channel by the mean of its gradient over places (Selvaraju et al. 2017, Eq. 1–2)."""
    return slopes.mean((2, 3), keepdim=True) * activity


def grad_cam_plus_plus_weights(activity: Tensor, slopes: Tensor) -> Tensor:
    """Each channel by its positive gradients, weighed as in Chattopadhyay et al. 2018, Eq. 19 (for an exponential of
    the score, where higher derivatives are powers of the first). The activity is summed over all places, the third
    derivative is that of the place that is weighed."""
    square = slopes.square()
    below = 2 * square + activity.sum((2, 3), keepdim=True) * slopes.pow(3)
    alpha = torch.where(below != 0, square / torch.where(below != 0, below, 1), 0)
    return (alpha * slopes.clamp(min=0)).sum((2, 3), keepdim=True) * activity


def hires_cam_weights(activity: Tensor, slopes: Tensor) -> Tensor:
    """Each place by its own gradient (Draelos & Carin 2020): it shows nothing that the score does not use."""
    return slopes * activity


def cam(
    question: Question,
    images: Tensor,
    weigh: Weigh = grad_cam_weights,
    *,
    layer: str | None = None,
    signed: bool = False,
    size: str = "image",
    batch: int = BATCH,
) -> Tensor:
    """A map ``[n, h, w]`` from a layer's activity, by default the last one whose places the score depends on.

    Positive evidence only, as published, unless ``signed``; enlarged to the ``image`` (bilinear), or as large as the
    ``layer``.
    """
    if size not in ("image", "layer"):
        raise UnseenError(f"a map is as large as the 'image' or the 'layer'; given size = '{size}'.")
    anatomy = question.anatomy
    name = last_layer(question, images[:1]) if layer is None else layer
    module = anatomy.layer(name)
    parts = []
    for pictures, which in question.batches(images, batch):
        activity, slopes = _at(question, pictures, which, name, module)
        found = weigh(anatomy.maps(activity, name, pictures), anatomy.maps(slopes, name, pictures)).sum(1)
        found = found if signed else found.clamp(min=0)
        parts.append(enlarged(found, pictures) if size == "image" else found)
    return torch.cat(parts)


def guided_grad_cam(question: Question, images: Tensor, *, layer: str | None = None, batch: int = BATCH) -> Tensor:
    """Guided backpropagation times Grad-CAM (Selvaraju et al. 2017, §3.2), ``[n, c, h, w]``."""
    coarse = cam(question, images, layer=layer, batch=batch)
    return guided_backprop(question, images, batch=batch) * coarse[:, None]


def enlarged(maps: Tensor, pictures: Tensor) -> Tensor:
    """Maps ``[n, h, w]`` in the size of the pictures."""
    return F.interpolate(maps[:, None], size=pictures.shape[2:], mode="bilinear", align_corners=False)[:, 0]


def _at(question: Question, pictures: Tensor, which: Tensor, name: str, module: nn.Module) -> tuple[Tensor, Tensor]:
    """A layer's output and the gradient of the score with respect to it."""
    if isinstance(question.asked, Unit) and question.asked.layer == name:
        raise UnseenError(f"a map of a unit of '{name}' needs an earlier layer; given '{name}' itself.")
    with torch.enable_grad(), question.anatomy.keeping(module, cut=True) as kept:
        score = question(pictures, which).sum()
    if not kept:
        raise UnseenError(f"layer '{name}' does not run before what is asked; name an earlier one.")
    if not score.requires_grad:
        raise UnseenError(f"the score does not depend on layer '{name}'; name one on the way to it.")
    slopes = torch.autograd.grad(score, kept[-1], allow_unused=True)[0]
    if slopes is None:
        raise UnseenError(f"the score does not depend on layer '{name}'; name one on the way to it.")
    return kept[-1].detach(), slopes


def last_layer(question: Question, images: Tensor) -> str:
    """The last layer to give places on the image that the score depends on, outside of attention. Of a ViT with a class
    token that is the normalisation before the last attention: behind it only the class token counts."""
    anatomy = question.anatomy
    network = anatomy.module
    pictures = anatomy.taken(images)
    given = _outputs(anatomy, question, pictures)
    inside = {
        inner for module in network.modules() if "attention" in type(module).__name__.lower()
        for inner in module.modules()
    }  # fmt: skip
    flat = None
    for module, (path, output) in reversed(given.items()):
        if module in inside:
            continue
        try:
            anatomy.maps(output, path, pictures)
        except UnseenError:
            continue
        try:
            slopes = _at(question, pictures, torch.zeros(1, dtype=torch.long, device=pictures.device), path, module)[1]
        except UnseenError:
            continue
        if bool(anatomy.maps(slopes, path, pictures).any()):
            return path
        flat = path if flat is None else flat
    if flat is not None:  # a saturated score: its map will be zero, and said to be
        return flat
    raise UnseenError(
        "no layer of this network has places on the image that the score depends on; Grad-CAM needs one (possible "
        "without: gradient, integrated-gradients, occlusion)."
    )


def _outputs(anatomy: Anatomy, question: Question, pictures: Tensor) -> dict[nn.Module, tuple[str, Tensor]]:
    """Shapes of what all modules give, in the order in which they finish; tensors of no memory stand for them."""
    given: dict[nn.Module, tuple[str, Tensor]] = {}

    def finish(path: str) -> Callable[..., None]:
        def hook(module: nn.Module, _inputs: Any, output: Any) -> None:
            if isinstance(output, Tensor):
                given.pop(module, None)
                given[module] = path, output.new_empty(()).expand(output.shape)

        return hook

    hooks = [m.register_forward_hook(finish(path)) for path, m in anatomy.module.named_modules() if path]
    try:
        with torch.no_grad():
            question(pictures, torch.zeros(1, dtype=torch.long, device=pictures.device))
    finally:
        for hook in hooks:
            hook.remove()
    return given
