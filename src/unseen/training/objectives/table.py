"""The table of objectives: which network each trains and which pairs it wants."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from unseen.training.objectives.contrastive import pcl
from unseen.training.objectives.gaussians import LIKELIHOODS
from unseen.training.objectives.terms import Terms
from unseen.training.objectives.variational import ada_gvae, beta_vae, slow_vae
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.plain_numbers import is_number

WORDS = {"likelihood": LIKELIHOODS}  # what settings that are words may be
ABOVE_ZERO = ("rate",)  # numbers that may not be 0; no number may be below


@dataclass(frozen=True)
class Objective:
    """``loss(model, images, partners, noise, **settings)``; ``encoder`` is a name of the models' table of encoders,
    ``pairs`` of the table of pair samplers (none: images alone), ``noisy`` how many samples of latents an example
    takes.

    ``alike``: both images of a pair are augmented by one draw, so that it counts among what they share. Ada-GVAE and
    SlowVAE learn from what changes in a pair, all else being equal (Locatello et al. 2020: few factors differ; Klindt
    et al. 2021: steps are sparse); with a draw each, a shift or a brightness would change in every pair. PCL is to tell
    pairs from shuffled ones, whose images have two draws: one draw for a pair would give it away without a look at its
    factors. With a draw each, augmentation is a source that does not depend on its past, and such drop out of the ratio
    of densities that is learned (Hyvärinen & Morioka 2017). Which goes with which is ours; the papers augment nothing.
    """

    loss: Callable[..., Terms]
    encoder: str
    pairs: str | None
    noisy: int
    alike: bool = True

    @property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of what its loss can be told: the arguments that are given by name only."""
        taken = inspect.signature(self.loss).parameters.values()
        return {one.name: one.default for one in taken if one.kind is one.KEYWORD_ONLY}


OBJECTIVES: Mapping[str, Objective] = {
    "beta-vae": Objective(beta_vae, "vae", None, 1),
    "ada-gvae": Objective(ada_gvae, "vae", "few", 2),
    "slow-vae": Objective(slow_vae, "vae", "laplace", 2),
    "pcl": Objective(pcl, "pcl", "laplace", 0, alike=False),
}


def check_settings(name: str, given: Mapping[str, Any], where: str = "training.objective_arguments") -> None:
    """Settings of an objective are those that its loss has, each of its default's kind and in its range.

    >>> check_settings("beta-vae", {"beta": 4, "likelihood": "gaussian"})
    """
    possible = OBJECTIVES[name].settings
    for key, value in given.items():
        if key not in possible:
            raise unknown("setting", key, possible, where=f"{where} (training.objective = '{name}')")
        default = possible[key]
        if isinstance(default, str):
            if value not in WORDS[key]:
                raise unknown(key, value, WORDS[key], where=where)
            continue
        if isinstance(default, bool):
            wanted, fits = "true or false", isinstance(value, bool)
        else:
            wanted = f"a finite number {'above 0' if key in ABOVE_ZERO else 'of at least 0'}"
            fits = is_number(value) and 0 <= value <= sys.float_info.max and (value > 0 or key not in ABOVE_ZERO)
        if not fits:
            raise UnseenError(
                f"{where}: {key} = {value!r}; '{name}' takes {wanted} (without it: {str(default).lower()})."
            )
