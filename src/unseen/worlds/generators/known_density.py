"""A game whose end is known: real numbers from a normal density, a generator whose density is known at every step.

The generator is ``G(z) = a·z + b`` with z standard normal, so that p_g is the normal density of mean b and deviation
|a|, and the critic that is best against it is ``D*(x) = p(x) / (p(x) + p_g(x))`` (Goodfellow et al. 2014, Eq. 2, their
Proposition 1); at the end p_g = p and D* = 1/2 everywhere (Theorem 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.seeds import seed_of

MEAN, DEVIATION = 1.0, 0.5  # of the real numbers
START = (1.0, -0.5)  # a and b before the game
GRID = np.linspace(-3.5, 3.5, 281)


@dataclass(frozen=True, eq=False)
class Game:
    """D and D* at ``GRID``, against the first generator and at the end; a and b at the end; and how far D is from D*,
    and from 1/2, on average over numbers that are real and generated equally often."""

    first: np.ndarray
    first_best: np.ndarray
    last: np.ndarray
    last_best: np.ndarray
    scale: float
    shift: float
    first_error: float
    last_error: float
    last_from_half: float


def density(x: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def best_critic(x: np.ndarray, scale: float, shift: float) -> np.ndarray:
    """D* against the generator ``scale · z + shift``.

    >>> best_critic(np.array([0.3, 2.0]), DEVIATION, MEAN)
    array([0.5, 0.5])
    """
    real, made = density(x, MEAN, DEVIATION), density(x, shift, abs(scale))
    return real / (real + made)


def play(seed: int = 0, *, critic_first: int = 1500, steps: int = 400, critic_steps: int = 5, batch: int = 512) -> Game:
    """The critic alone against the first generator, then both in turn: ``critic_steps`` of the critic to one of the
    generator, whose rate falls to zero, as the theorem wants a critic that is at its best all along."""
    import torch
    from torch import nn
    from torch.nn.functional import softplus

    chance = torch.Generator().manual_seed(seed_of(seed, "known density"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_of(seed, "known density", "weights"))
        critic = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    generator = nn.Parameter(torch.tensor(START))
    second = torch.optim.Adam(critic.parameters(), 3e-3, betas=(0.5, 0.999))
    first = torch.optim.Adam([generator], 2e-2, betas=(0.5, 0.999))

    def drawn() -> tuple[torch.Tensor, torch.Tensor]:
        one, two = torch.randn(2, batch, 1, generator=chance)
        return one * DEVIATION + MEAN, two * generator[0] + generator[1]

    def judge(rate: float) -> None:
        second.param_groups[0]["lr"] = rate
        real, fake = drawn()
        loss = softplus(-critic(real)).mean() + softplus(critic(fake.detach())).mean()
        second.zero_grad()
        loss.backward()
        second.step()

    def said() -> np.ndarray:
        with torch.no_grad():
            return critic(torch.from_numpy(GRID).float()[:, None])[:, 0].sigmoid().numpy().astype(float)

    for step in range(critic_first):
        judge(3e-3 * (1 - step / critic_first))
    at_first = said()
    for step in range(steps):
        for _ in range(critic_steps):
            judge(3e-3 * max(0.02, 1 - step / steps))
        first.param_groups[0]["lr"] = 2e-2 * (1 - step / steps)
        loss = softplus(-critic(drawn()[1])).mean()
        first.zero_grad()
        loss.backward()
        first.step()
    scale, shift = (float(value) for value in generator.detach())
    best_first, best_last, at_last = best_critic(GRID, *START), best_critic(GRID, scale, shift), said()
    return Game(
        at_first, best_first, at_last, best_last, abs(scale), shift,
        _apart(at_first, best_first, *START), _apart(at_last, best_last, scale, shift),
        _apart(at_last, np.full(len(GRID), 0.5), scale, shift),
    )  # fmt: skip


def _apart(said: np.ndarray, best: np.ndarray, scale: float, shift: float) -> float:
    weight = density(GRID, MEAN, DEVIATION) + density(GRID, shift, abs(scale))
    return float(np.average(np.abs(said - best), weights=weight))
