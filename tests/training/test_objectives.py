"""Losses against torch.distributions, sums by hand and hand-made posteriors."""

import math

import pytest
import torch
from torch import nn
from torch.distributions import Bernoulli, Laplace, Normal, kl_divergence

from unseen.training.objectives import OBJECTIVES, ada_gvae, beta_vae, check_settings, contrast, normal, pcl, slow_vae
from unseen.training.objectives.gaussians import (
    entropy,
    kl_between,
    kl_to_standard,
    laplace_cross_entropy,
    reconstruction,
)
from unseen.training.objectives.variational import shared_averaged, shared_dimensions
from unseen.vocabulary.errors import UnseenError

N, D = 5, 4


def gaussians(seed=0, n=N):
    generator = torch.Generator().manual_seed(seed)
    mean, logvar = torch.randn(2, n, D, generator=generator)
    return mean, logvar


def of(mean, logvar):
    return Normal(mean, (0.5 * logvar).exp())


class Coder(nn.Module):
    """Linear maps in place of networks: images of 2×2, four latents."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.inward, self.outward = nn.Linear(4, 2 * D), nn.Linear(D, 4)
        self.scale = nn.Parameter(torch.ones(D))

    def encode(self, images):
        mean, logvar = self.inward(images.flatten(1)).chunk(2, 1)
        return mean, logvar

    def decode(self, latents):
        return self.outward(latents).reshape(-1, 1, 2, 2)


class Scorer(Coder):
    def encode(self, images):
        return super().encode(images)[0]

    def score(self, now, before):
        return -((now - self.scale * before).abs()).sum(1) + 1


def batch(seed=0):
    generator = torch.Generator().manual_seed(seed)
    images, partners = torch.rand(2, N, 1, 2, 2, generator=generator)
    return images, partners, torch.randn(2 * N, D, generator=generator)


def test_divergences_are_those_of_torch_distributions():
    one, two = gaussians(0), gaussians(1)
    standard = Normal(torch.zeros(N, D), torch.ones(N, D))
    torch.testing.assert_close(kl_to_standard(*one), kl_divergence(of(*one), standard))
    torch.testing.assert_close(kl_between(*one, *two), kl_divergence(of(*one), of(*two)))
    torch.testing.assert_close(entropy(one[1]), of(*one).entropy())


@pytest.mark.parametrize("rate", [0.5, 6.0])
def test_the_cross_entropy_with_a_laplace_is_its_integral(rate):
    mean, logvar = gaussians()
    z = torch.linspace(-30, 30, 60001, dtype=torch.float64)
    density = of(mean.double(), logvar.double()).log_prob(z[:, None, None]).exp()
    prior = Laplace(torch.zeros((), dtype=torch.float64), 1 / rate).log_prob(z)[:, None, None]
    by_integral = torch.trapezoid(-density * prior, z, dim=0)
    torch.testing.assert_close(laplace_cross_entropy(mean, logvar, rate).double(), by_integral, atol=1e-5, rtol=1e-4)


def test_reconstruction_is_a_negative_log_likelihood_summed_over_pixels():
    generator = torch.Generator().manual_seed(0)
    logits, images = torch.randn(2, N, 3, 4, 4, generator=generator)
    images = (images > 0).float()
    bernoulli = -Bernoulli(logits=logits).log_prob(images).sum((1, 2, 3))
    torch.testing.assert_close(reconstruction(images, logits, "bernoulli"), bernoulli)
    gaussian = -Normal(logits.sigmoid(), math.sqrt(0.5)).log_prob(images).sum((1, 2, 3))
    constant = 3 * 4 * 4 * 0.5 * math.log(math.pi)
    torch.testing.assert_close(reconstruction(images, logits, "gaussian") + constant, gaussian)
    with pytest.raises(UnseenError, match=r"no likelihood 'poisson'.*bernoulli, gaussian"):
        reconstruction(images, logits, "poisson")


def test_the_beta_vaes_loss_is_written_out():
    model, (images, _, noise) = Coder(), batch()
    mean, logvar = model.encode(images)
    latents = mean + torch.exp(logvar / 2) * noise[:N]
    errors = nn.functional.binary_cross_entropy_with_logits(model.decode(latents), images, reduction="none")
    kl = kl_divergence(of(mean, logvar), Normal(torch.zeros_like(mean), 1.0))
    expected = errors.sum((1, 2, 3)) + 4 * kl.sum(1)
    torch.testing.assert_close(beta_vae(model, images, None, noise[:N], beta=4.0).loss, expected)


def test_a_latent_is_shared_where_it_moved_less_than_half_way_to_the_most():
    """Unit variances: the divergence is half of the squared step, so 0, 1, 2, 3 give 0, .5, 2, 4.5; half: 2.25."""
    start, unit = torch.zeros(3, D), torch.zeros(3, D)
    moved = torch.tensor([[0.0, 1, 2, 3], [3.0, 0, 0, 3], [1.0, 1, 1, 1]])
    shared = shared_dimensions((start, unit), (moved, unit))
    assert shared.tolist() == [[True, True, True, False], [False, True, True, False], [True] * 4]


def test_the_divergence_is_taken_from_the_first_to_the_second_as_in_the_paper():
    narrow, wide = torch.full((1, 2), -4.0), torch.zeros(1, 2)
    one = (torch.tensor([[0.0, 0.0]]), torch.cat([wide[:, :1], narrow[:, :1]], 1))
    two = (torch.tensor([[0.0, 0.0]]), torch.cat([narrow[:, :1], wide[:, :1]], 1))
    assert shared_dimensions(one, two).tolist() == [[False, True]], "a wide one seen from a narrow one is far"
    assert shared_dimensions(two, one).tolist() == [[True, False]]


def test_shared_posteriors_are_averaged_and_the_others_kept():
    one, two = gaussians(0), gaussians(1)
    shared = shared_dimensions(one, two)
    first, second = shared_averaged(one, two)
    mean, variance = (one[0] + two[0]) / 2, (one[1].exp() + two[1].exp()) / 2
    for kept, averaged in ((one, first), (two, second)):
        torch.testing.assert_close(averaged[0], torch.where(shared, mean, kept[0]))
        torch.testing.assert_close(averaged[1].exp(), torch.where(shared, variance, kept[1].exp()))
    assert shared.any()
    assert not shared.all()


def test_ada_gvae_is_half_of_two_beta_vaes_with_averaged_posteriors():
    model, (images, partners, noise) = Coder(), batch()
    first, second = shared_averaged(model.encode(images), model.encode(partners))
    expected = torch.zeros(N)
    for (mean, logvar), pictures, eps in ((first, images, noise[:N]), (second, partners, noise[N:])):
        logits = model.decode(mean + torch.exp(logvar / 2) * eps)
        errors = nn.functional.binary_cross_entropy_with_logits(logits, pictures, reduction="none").sum((1, 2, 3))
        expected = expected + 0.5 * (errors + 3 * kl_to_standard(mean, logvar).sum(1))
    torch.testing.assert_close(ada_gvae(model, images, partners, noise, beta=3.0).loss, expected)
    same = ada_gvae(model, images, images, torch.cat([noise[:N]] * 2)).loss
    torch.testing.assert_close(same, beta_vae(model, images, None, noise[:N]).loss)


@pytest.mark.parametrize("as_released", [False, True])
def test_slow_vae_is_its_bound_averaged_over_both_orders(as_released):
    model, (images, partners, noise) = Coder(), batch()
    beta, gamma, rate = 2.0, 10.0, 6.0
    (m0, v0), (m1, v1) = model.encode(images), model.encode(partners)
    expected = torch.zeros(N)
    entropies, crossed = [], []
    for mean, logvar, other, pictures, eps in ((m0, v0, m1, images, noise[:N]), (m1, v1, m0, partners, noise[N:])):
        logits = model.decode(mean + torch.exp(logvar / 2) * eps)
        errors = nn.functional.binary_cross_entropy_with_logits(logits, pictures, reduction="none").sum((1, 2, 3))
        expected = expected + errors + beta / 2 * kl_to_standard(mean, logvar).sum(1)
        s, m = torch.exp(logvar / 2), mean - other  # the released formula, with the normal's distribution function
        folded = s * math.sqrt(2 / math.pi) * torch.exp(-(m**2) / (2 * s**2)) - m * (
            1 - 2 * Normal(0.0, 1.0).cdf(m / s)
        )
        crossed.append((-math.log(rate / 2) + rate * folded).sum(1))
        entropies.append(of(mean, logvar).entropy().sum(1))
    weight = 1.0 if as_released else 0.5
    expected = expected + gamma * (weight * (crossed[0] + crossed[1]) - (entropies[0] + entropies[1]) / 2)
    options = {"beta": beta, "gamma": gamma, "rate": rate, "as_released": as_released}
    torch.testing.assert_close(slow_vae(model, images, partners, noise, **options).loss, expected, rtol=1e-4, atol=1e-4)


def test_pcl_is_logistic_regression_of_real_against_turned_pairs():
    model, (images, partners, _) = Scorer(), batch()
    before, now = model.encode(images), model.encode(partners)
    logits = torch.cat([model.score(now, before), model.score(now, before[[4, 0, 1, 2, 3]])])
    labels = torch.cat([torch.ones(N), torch.zeros(N)])
    expected = nn.functional.binary_cross_entropy_with_logits(logits, labels)
    terms = pcl(model, images, partners)
    torch.testing.assert_close(terms.loss.mean(), expected)
    assert terms.parts["right"].mean() == ((logits > 0).float() == labels).float().mean()
    assert contrast(torch.tensor([9.0]), torch.tensor([-9.0])).loss < 1e-3


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_gives_a_loss_per_example_and_gradients_to_all_it_uses(name):
    row, (images, partners, noise) = OBJECTIVES[name], batch()
    model = Scorer() if row.encoder == "pcl" else Coder()
    terms = row.loss(model, images, partners, noise[: row.noisy * N])
    assert terms.loss.shape == (N,)
    assert terms.loss.isfinite().all()
    assert all(part.shape == (N,) and not part.requires_grad for part in terms.parts.values())
    terms.loss.mean().backward()
    unused = {"outward.weight", "outward.bias"} if row.encoder == "pcl" else {"scale"}
    assert {key for key, p in model.named_parameters() if p.grad is None} == unused
    again = row.loss(model, images, partners, noise[: row.noisy * N])
    assert torch.equal(again.loss, terms.loss)


@pytest.mark.parametrize("name", ["beta-vae", "ada-gvae", "slow-vae"])
def test_an_examples_loss_does_not_depend_on_its_company(name):
    """But for PCL, whose shuffled pairs are its company."""
    row, (images, partners, noise) = OBJECTIVES[name], batch()
    halves = noise.unflatten(0, (2, N))
    whole = row.loss(Coder(), images, partners, halves[: row.noisy].flatten(0, 1)).loss
    part = row.loss(Coder(), images[2:4], partners[2:4], halves[: row.noisy, 2:4].flatten(0, 1)).loss
    torch.testing.assert_close(part, whole[2:4])


def test_half_precision_networks_are_judged_in_full():
    class Half(Coder):
        def encode(self, images):
            return tuple(part.bfloat16() for part in super().encode(images))

        def decode(self, latents):
            return super().decode(latents).bfloat16()

    images, partners, noise = batch()
    for name in ("beta-vae", "ada-gvae", "slow-vae"):
        row = OBJECTIVES[name]
        assert row.loss(Half(), images, partners, noise[: row.noisy * N]).loss.dtype == torch.float32


def test_noise_is_standard_normal_and_keyed_by_row_and_visit():
    from scipy.stats import kstest

    rows = torch.arange(4000)
    draws = normal(rows, torch.tensor(3), 5, 10)
    assert draws.shape == (4000, 10)
    assert kstest(draws.flatten().numpy(), "norm").pvalue > 1e-3
    correlation = torch.corrcoef(draws.T) - torch.eye(10)
    assert correlation.abs().max() < 5 / math.sqrt(4000)
    assert torch.equal(normal(rows[100:200], torch.tensor(3), 5, 10), draws[100:200])
    for other in (normal(rows, torch.tensor(4), 5, 10), normal(rows, torch.tensor(3), 6, 10)):
        assert abs(float((other * draws).mean())) < 5 / math.sqrt(40000)
    assert normal(rows[:2], torch.tensor(0), 0, 3).shape == (2, 3)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_objectives_never_wait_for_the_device(name):
    """On the meta device there are no numbers to wait for: what runs there can be captured as a CUDA graph."""
    row, (images, partners, _) = OBJECTIVES[name], (part.to("meta") for part in batch())
    model = (Scorer() if row.encoder == "pcl" else Coder()).to("meta")
    noise = normal(torch.arange(N, device="meta"), torch.tensor(0, device="meta"), 0, row.noisy * D)
    row.loss(model, images, partners, noise.reshape(row.noisy * N, D)).loss.mean().backward()
    assert model.inward.weight.grad is not None


def test_settings_of_an_objective_are_those_that_its_loss_is_told_by_name():
    assert OBJECTIVES["beta-vae"].settings == {"beta": 1.0, "likelihood": "bernoulli"}
    assert list(OBJECTIVES["slow-vae"].settings) == ["beta", "gamma", "rate", "likelihood", "as_released"]
    assert OBJECTIVES["pcl"].settings == {}
    for name, objective in OBJECTIVES.items():
        check_settings(name, {})
        check_settings(name, objective.settings)
    check_settings("slow-vae", {"beta": 0, "gamma": 0.0, "rate": 1e-3, "likelihood": "gaussian", "as_released": True})


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        (
            "beta-vae",
            {"betta": 3},
            r"no setting 'betta' .*'beta-vae'\); possible: beta, likelihood. Did you mean 'beta'",
        ),
        ("pcl", {"beta": 3}, r"no setting 'beta' .*'pcl'\); possible: none"),
        ("beta-vae", {"beta": "x"}, r"beta = 'x'; 'beta-vae' takes a finite number of at least 0 \(without it: 1.0\)"),
        ("ada-gvae", {"beta": -3}, "beta = -3; 'ada-gvae' takes a finite number of at least 0"),
        ("beta-vae", {"beta": True}, "beta = True; 'beta-vae' takes a finite number"),
        ("beta-vae", {"beta": math.nan}, "beta = nan"),
        ("beta-vae", {"beta": math.inf}, "beta = inf"),
        ("beta-vae", {"beta": 10**400}, "takes a finite number"),
        ("beta-vae", {"beta": [1, 4]}, r"beta = \[1, 4\]"),
        ("slow-vae", {"gamma": -0.1}, "gamma = -0.1"),
        ("slow-vae", {"rate": 0}, "rate = 0; 'slow-vae' takes a finite number above 0"),
        ("slow-vae", {"rate": -math.inf}, "rate = -inf"),
        ("slow-vae", {"as_released": 1}, r"as_released = 1; 'slow-vae' takes true or false \(without it: false\)"),
        ("beta-vae", {"likelihood": "gausian"}, "no likelihood 'gausian' .* Did you mean 'gaussian'"),
        ("beta-vae", {"likelihood": 3}, "no likelihood '3' .*possible: bernoulli, gaussian"),
    ],
)
def test_a_setting_that_an_objective_cannot_follow_is_refused(name, given, words):
    with pytest.raises(UnseenError, match=words):
        check_settings(name, given)
