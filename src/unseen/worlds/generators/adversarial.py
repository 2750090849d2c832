"""Two networks learn against each other: a generator, and a critic that tells its pictures from real ones.

The value is that of Goodfellow et al. (2014, Eq. 1), ``E[log D(x)] + E[log(1 − D(G(z)))]``, of which the critic takes
the maximum; the generator maximises ``log D(G(z))`` instead of minimising ``log(1 − D(G(z)))``, as their section 3
advises. With pictures given, D sees them too and L1 is added (Isola et al. 2017, Eq. 1, 3 and 4, λ = 100).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of
from unseen.worlds.generators import networks

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

Watch = Callable[[int, int], None]
RECORDS = 50  # of a history
L1 = 100.0  # λ of Isola et al. 2017


@dataclass(frozen=True)
class Fit:
    """How both learn: Adam with β₁ = 0.5 (Radford et al. 2016; Isola et al. 2017). ``average`` is the decay of the mean
    of the generator's weights, which is what is kept (ours: after Yazıcı et al. 2019); ``critic_steps`` is the k of
    Goodfellow et al. (2014, Algorithm 1)."""

    steps: int
    batch: int = 64
    lr: float = 2e-4
    width: int = 32
    latents: int = 64
    average: float = 0.999
    critic_steps: int = 1
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Learned:
    """Weights of a generator by name, and what both said while they learned: mean D of real and of generated pictures
    (one half, where they cannot be told apart), and L1 where pictures were given."""

    weights: Mapping[str, Tensor]
    history: tuple[Mapping[str, float], ...]


def generator_for(size: tuple[int, int], channels: int, classes: int, fit: Fit) -> nn.Module:
    return networks.from_noise(size, channels, classes, latents=fit.latents, width=fit.width)


def translator_for(size: tuple[int, int], given: int, made: int, fit: Fit) -> nn.Module:
    return networks.from_pictures(size, given, made, width=fit.width)


def learn_from_noise(
    pictures: Tensor, labels: Tensor | None, classes: int, fit: Fit, device: str, watch: Watch | None = None
) -> Learned:
    """A generator of pictures like these (uint8 ``[n, c, h, w]``), of each class where there are labels."""
    import torch

    size, channels = (pictures.shape[-2], pictures.shape[-1]), pictures.shape[1]
    classes = classes if labels is not None else 0

    def made(draw: Callable[..., Tensor], chosen: Tensor, generator: nn.Module) -> tuple[Tensor, Tensor | None]:
        named = None if labels is None else labels[chosen].to(device)
        z = draw(torch.randn, len(chosen), fit.latents)
        return generator(z, named), named

    generator, critic = _both(
        fit, device,
        lambda: generator_for(size, channels, classes, fit),
        lambda: networks.critic(size, channels, classes, width=fit.width),
    )  # fmt: skip

    def batch(chosen: Tensor, draw: Callable[..., Tensor]) -> _Round:
        real = signed(pictures[chosen].to(device))
        fake, named = made(draw, chosen, generator)
        return _Round(real, fake, lambda shown: critic(shown, named))

    kept, history = _play(generator, critic, len(pictures), fit, device, batch, watch)

    def settle(draw: Callable[..., Tensor], chosen: Tensor) -> None:
        made(draw, chosen, kept)

    _settle_norms(kept, len(pictures), fit, device, settle)
    return Learned(_weights(kept), history)


def learn_from_pictures(given: Tensor, wanted: Tensor, fit: Fit, device: str, watch: Watch | None = None) -> Learned:
    """A generator of ``wanted`` pictures from ``given`` ones, row by row (uint8 ``[n, c, h, w]``)."""
    import torch

    size = (wanted.shape[-2], wanted.shape[-1])
    both = given.shape[1] + wanted.shape[1]
    generator, critic = _both(
        fit, device,
        lambda: translator_for(size, given.shape[1], wanted.shape[1], fit),
        lambda: networks.patch_critic(size, both, width=fit.width),
    )  # fmt: skip

    def batch(chosen: Tensor, draw: Callable[..., Tensor]) -> _Round:
        x, y = signed(given[chosen].to(device)), signed(wanted[chosen].to(device))
        if bool(draw(torch.rand, 1) < 0.5):  # mirrored, as in the paper
            x, y = x.flip(-1), y.flip(-1)
        fake = generator(x)
        return _Round(y, fake, lambda shown: critic(torch.cat([x, shown], 1)), (fake - y).abs().mean())

    kept, history = _play(generator, critic, len(given), fit, device, batch, watch)
    return Learned(_weights(kept), history)


def signed(pictures: Tensor) -> Tensor:
    """0…255 → −1…1."""
    return pictures.float() / 127.5 - 1


def unsigned(pictures: Tensor) -> Tensor:
    """−1…1 → whole numbers 0…255."""
    import torch

    return ((pictures.float() + 1) * 127.5).round().clamp(0, 255).to(torch.uint8)


@dataclass(frozen=True, eq=False)
class _Round:
    """Real and generated pictures, who judges them, and how far they are apart where they should be the same."""

    real: Tensor
    fake: Tensor
    judge: Callable[[Tensor], Tensor]
    apart: Tensor | None = None


def _both(
    fit: Fit, device: str, generator: Callable[[], nn.Module], critic: Callable[[], nn.Module]
) -> tuple[nn.Module, nn.Module]:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_of(fit.seed, "generator", "weights"))
        return generator().to(device), critic().to(device)


def _play(
    generator: nn.Module, critic: nn.Module, n: int, fit: Fit, device: str,
    batch: Callable[[Tensor, Callable[..., Tensor]], _Round], watch: Watch | None,
) -> tuple[nn.Module, tuple[Mapping[str, float], ...]]:  # fmt: skip
    """One step of each in turn. Gives the generator whose weights are the mean of the latest."""
    import torch
    from torch.nn.functional import softplus

    chance = torch.Generator().manual_seed(seed_of(fit.seed, "generator", "draws"))

    def draw(how: Callable[..., Tensor], *shape: int) -> Tensor:
        return how(*shape, generator=chance).to(device)

    first, second = (torch.optim.Adam(one.parameters(), fit.lr, betas=(0.5, 0.999)) for one in (generator, critic))
    kept, history = copy.deepcopy(generator), []
    every = max(1, fit.steps // RECORDS)
    with torch.random.fork_rng(devices=[device] if device.startswith("cuda") else []):  # dropout
        torch.manual_seed(seed_of(fit.seed, "generator", "dropout"))
        for step in range(1, fit.steps + 1):
            here = real = fake = None
            for _ in range(fit.critic_steps):
                here = batch(torch.randint(n, (min(fit.batch, n),), generator=chance), draw)
                real, fake = here.judge(here.real), here.judge(here.fake.detach())
                loss = softplus(-real).mean() + softplus(fake).mean()  # −log D(x) − log(1 − D(G(z))), of logits
                second.zero_grad(set_to_none=True)
                loss.backward()
                second.step()
            assert here is not None and real is not None and fake is not None  # noqa: PT018
            fooled = softplus(-here.judge(here.fake)).mean()
            first.zero_grad(set_to_none=True)
            (fooled if here.apart is None else fooled + L1 * here.apart).backward()
            first.step()
            _follow(kept, generator, min(fit.average, step / (step + 10)))
            if step % every == 0 or step == fit.steps:
                row = {"step": float(step), "real": float(real.detach().sigmoid().mean()),
                       "generated": float(fake.detach().sigmoid().mean())}  # fmt: skip
                if here.apart is not None:
                    row["l1"] = float(here.apart.detach())
                if not all(map(_finite, row.values())):
                    raise UnseenError(
                        f"the generator's numbers were no longer finite at step {step}; lower its learning rate (lr "
                        f"{fit.lr:g})."
                    )
                history.append(row)
            if watch is not None:
                watch(step, fit.steps)
    return kept.eval(), tuple(history)


def _finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")


def _follow(kept: nn.Module, now: nn.Module, decay: float) -> None:
    import torch

    with torch.no_grad():
        for mean, latest in zip(kept.parameters(), now.parameters()):
            mean.lerp_(latest, 1 - decay)


def _settle_norms(
    kept: nn.Module, n: int, fit: Fit, device: str, show: Callable[[Callable[..., Tensor], Tensor], None]
) -> None:
    """Batch norms of averaged weights get statistics of their own, so that a picture never depends on its batch."""
    import torch

    norms = [one for one in kept.modules() if isinstance(one, torch.nn.BatchNorm2d)]
    chance = torch.Generator().manual_seed(seed_of(fit.seed, "generator", "norms"))
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        norm.train()
    with torch.no_grad():
        for _ in range(20):
            chosen = torch.randint(n, (max(fit.batch, 64),), generator=chance)
            show(lambda how, *shape: how(*shape, generator=chance).to(device), chosen)
    kept.eval()


def _weights(network: nn.Module) -> dict[str, torch.Tensor]:
    return {name: values.detach().cpu().contiguous() for name, values in network.state_dict().items()}
