r"""Maps from the gradient of the score: as it is, times the input, smoothed, integrated.

All give signed attributions ``[n, c, h, w]`` on the images' own scale. For a linear score they are known in closed
form: the weights :math:`w` (gradient, SmoothGrad), :math:`w \odot (x - x_0)` (gradient × input, integrated gradients).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from unseen.explanations.anatomy import passes
from unseen.explanations.asked import Question
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of

BATCH = 64
Reference = Tensor | float | None


def slope(question: Question, pictures: Tensor, which: Tensor) -> Tensor:
    """The gradient of each picture's own score with respect to it."""
    question.anatomy.module  # noqa: B018 - refuses what has no gradients
    with torch.enable_grad():
        pictures = pictures.detach().requires_grad_()
        score = question(pictures.clone(), which).sum()  # a copy: a network may begin in place
        if not score.requires_grad:
            raise UnseenError(
                "this score does not depend on the image by any gradient (is it computed under no_grad, or by a "
                "runtime without gradients?); possible: occlusion, rise."
            )
        return torch.autograd.grad(score, pictures)[0]


def gradient(question: Question, images: Tensor, *, batch: int = BATCH) -> Tensor:
    """The gradient of the score (Simonyan et al. 2013). Their map is its largest absolute value over channels."""
    return torch.cat([slope(question, pictures, which) for pictures, which in question.batches(images, batch)])


def reference_of(question: Question, pictures: Tensor, reference: Reference) -> Tensor:
    """The picture that attributions are counted from: what the network sees as zero, unless one is given."""
    if reference is None:
        return question.anatomy.neutral(pictures)
    if not isinstance(reference, Tensor):
        return pictures.new_full((1, 1, 1, 1), float(reference))
    found = question.anatomy.taken(reference)
    found = found[None] if found.ndim == 3 else found
    try:
        torch.broadcast_shapes(found.shape, pictures.shape)
    except RuntimeError as error:
        raise UnseenError(
            f"a reference is a number, one picture or one for each image; given {list(reference.shape)} for images "
            f"{list(pictures.shape)}."
        ) from error
    return found


def gradient_times_input(
    question: Question, images: Tensor, *, reference: Reference = None, batch: int = BATCH
) -> Tensor:
    """Gradient × (input − reference) (Shrikumar et al. 2016). On what the network sees as zero it is counted from zero,
    so for fixed normalisation this is the usual product of gradient and normalised input."""
    pictures = question.anatomy.taken(images)
    return gradient(question, images, batch=batch) * (pictures - reference_of(question, pictures, reference))


def smoothgrad(
    question: Question,
    images: Tensor,
    *,
    steps: int = 50,
    noise: float = 0.15,
    squared: bool = False,
    seed: int = 0,
    batch: int = BATCH,
) -> Tensor:
    """The mean gradient over noisy copies (Smilkov et al. 2017): σ is ``noise`` times the image's range (10–20 % in the
    paper, n = 50). Step k adds the same unit noise to every image, drawn on the CPU, so that a map depends neither on
    the batch nor on the device. ``squared`` averages squares (Hooker et al. 2019)."""
    _check_steps(steps)
    taken = question.anatomy.taken(images)
    sigma = noise * (taken.amax((1, 2, 3), keepdim=True) - taken.amin((1, 2, 3), keepdim=True))
    total = torch.zeros_like(taken)
    for some, these in passes(len(images), steps, batch):
        added = unit_noise(taken.shape[1:], these, seed, "smoothgrad").to(taken)
        noisy = taken[some][None] + sigma[some][None] * added[:, None]
        found = _slopes(question, noisy, some)
        total[some] += (found.square() if squared else found).sum(0)
    return total / steps


def unit_noise(shape: torch.Size, these: slice, seed: int, name: str) -> Tensor:
    """Standard normal noise ``[steps, *shape]``, each step a stream of its own: several threads draw at once."""
    drawn = torch.empty(these.stop - these.start, *shape)

    def draw(step: int) -> None:
        generator = torch.Generator().manual_seed(seed_of(seed, name, step))
        drawn[step - these.start].normal_(generator=generator)

    steps, threads = range(these.start, these.stop), min(len(drawn), torch.get_num_threads())
    if threads == 1:
        for step in steps:
            draw(step)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(draw, steps))
    return drawn


def integrated_gradients(
    question: Question,
    images: Tensor,
    *,
    steps: int = 50,
    reference: Reference = None,
    rule: str = "gauss-legendre",
    batch: int = BATCH,
) -> Tensor:
    r"""The gradient integrated along the line from a reference (Sundararajan et al. 2017), times that line. The sum of
    a map is :math:`S(x) - S(x_0)` up to the error of the rule ("gauss-legendre" as captum, or "midpoint")."""
    import numpy as np

    _check_steps(steps)
    if rule == "gauss-legendre":
        places, weights = np.polynomial.legendre.leggauss(steps)
        places, weights = (places + 1) / 2, weights / 2
    elif rule == "midpoint":
        places, weights = (np.arange(steps) + 0.5) / steps, np.full(steps, 1 / steps)
    else:
        raise UnseenError(f"no rule '{rule}' of integration; possible: gauss-legendre, midpoint.")
    taken = question.anatomy.taken(images)
    start = reference_of(question, taken, reference).expand_as(taken)
    alphas = torch.as_tensor(places).to(taken)
    shares = torch.as_tensor(weights).to(taken)
    total = torch.zeros_like(taken)
    for some, these in passes(len(images), steps, batch):
        line = start[some][None] + alphas[these].reshape(-1, 1, 1, 1, 1) * (taken[some] - start[some])[None]
        total[some] += (_slopes(question, line, some) * shares[these].reshape(-1, 1, 1, 1, 1)).sum(0)
    return total * (taken - start)


def _slopes(question: Question, pictures: Tensor, some: slice) -> Tensor:
    """Gradients of ``[steps, images, c, h, w]``."""
    steps, n = pictures.shape[:2]
    which = torch.arange(some.start, some.stop, device=pictures.device).repeat(steps)
    return slope(question, pictures.flatten(0, 1), which).unflatten(0, (steps, n))


def _check_steps(steps: int) -> None:
    if steps < 1:
        raise UnseenError(f"at least one step is needed; given {steps}.")
