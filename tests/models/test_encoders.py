"""Encoders and readouts: shapes, weights, what is frozen, and the interface of every other network."""

import copy

import pytest
import torch

from unseen.models import (
    ENCODERS,
    build,
    build_encoder,
    build_readout,
    describe_encoders,
    encoder_layers,
    with_encoder,
)
from unseen.models.readout import Latents
from unseen.vocabulary.errors import UnseenError

TARGETS = {"shape": 1, "x": 1, "y": 1}


def images(n=2, channels=1):
    return torch.rand(n, channels, 64, 64, generator=torch.Generator().manual_seed(0))


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


def conv(before, after):
    return 16 * before * after + after


ENCODER = conv(32, 32) + conv(32, 64) + conv(64, 64) + conv(64, 256)
DECODER = conv(256, 64) + conv(64, 64) + conv(64, 32) + conv(32, 32)


@pytest.mark.parametrize("channels", [1, 3])
def test_a_vae_gives_mean_and_variance_of_ten_latents_and_logits_of_the_image(channels):
    vae = build_encoder("vae", channels=channels, seed=0).to(memory_format=torch.channels_last)
    mean, logvar = vae.encode(images(channels=channels))
    assert mean.shape == logvar.shape == (2, 10)
    assert torch.equal(vae(images(channels=channels)), mean)
    assert vae.decode(mean).shape == (2, channels, 64, 64)
    assert count(vae.encoder) == conv(channels, 32) + ENCODER + 257 * 20
    assert count(vae.decoder) == 11 * 256 + DECODER + conv(32, channels)


def test_a_contrastive_encoder_scores_pairs_by_its_formula():
    pcl = build_encoder("pcl", channels=1, seed=0)
    assert count(pcl) == conv(1, 32) + ENCODER + 257 * 10 + 3 * 10 + 1
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in (pcl.a, pcl.b, pcl.c, pcl.m):
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
        now, before = torch.randn(2, 5, 10, generator=generator)
        for k, score in enumerate(pcl.score(now, before).tolist()):
            by_hand = float(pcl.m)
            for i in range(10):
                by_hand += float(now[k, i] ** 2 - abs(pcl.a[i] * now[k, i] + pcl.b[i] * before[k, i] + pcl.c[i]))
            assert score == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize("name", ENCODERS)
def test_first_weights_depend_on_the_seed_alone(name):
    one, again, other = (build_encoder(name, channels=1, seed=seed) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), again.parameters(), strict=True))
    assert not torch.equal(one.encoder.last.weight, other.encoder.last.weight)


def test_the_readout_has_five_layers_of_256_and_a_head_per_target():
    readout = build_readout(TARGETS, latents=10, seed=0)
    assert count(readout) == 11 * 256 + 4 * 257 * 256 + 3 * 257
    assert readout.layers == tuple(f"readout{k}" for k in range(1, 6))
    answers = readout(torch.randn(4, 10))
    assert {target: tuple(value.shape) for target, value in answers.items()} == dict.fromkeys(TARGETS, (4, 1))
    again = build_readout(TARGETS, latents=10, seed=0)
    assert all(torch.equal(a, b) for a, b in zip(readout.parameters(), again.parameters(), strict=True))


@pytest.mark.parametrize("name", ENCODERS)
def test_a_readout_behind_its_encoder_answers_images_as_any_network_does(name):
    encoder = build_encoder(name, channels=1, seed=0)
    readout = build_readout(TARGETS, latents=10, seed=0)
    whole = with_encoder(encoder, readout)
    latents = encoder(images())
    for target, value in whole(images()).items():
        torch.testing.assert_close(value, readout(latents)[target])
    assert whole.targets == tuple(TARGETS)
    assert whole.layers[:2] == ("latents", "readout1")
    assert torch.equal(whole.layer("latents")(images()), latents)
    assert whole.tasks_of("latents") == tuple(TARGETS)
    assert whole.description["outputs"] == TARGETS


def test_what_is_behind_the_encoder_learns_and_the_encoder_does_not():
    encoder = build_encoder("vae", channels=1, seed=0)
    before = copy.deepcopy(encoder.state_dict())
    whole = with_encoder(encoder, build_readout(TARGETS, latents=10, seed=0)).train()
    assert not whole.layer("latents").training
    optimiser = torch.optim.SGD([p for p in whole.parameters() if p.requires_grad], 0.1)
    sum(value.square().sum() for value in whole(images()).values()).backward()
    optimiser.step()
    assert all(torch.equal(before[key], value) for key, value in encoder.state_dict().items())
    assert all(p.grad is not None for p in [*whole.heads.parameters(), *whole.layer("readout1").parameters()])
    assert isinstance(whole.layer("latents"), Latents)


@pytest.mark.parametrize(
    ("options", "taught"),
    [
        ({"name": "vea"}, "no encoder 'vea'.*Did you mean 'vae'"),
        ({"input_size": (32, 32)}, "made for images of 64×64; 32×32 were given"),
        ({"latents": 0}, "latents = 0"),
    ],
)
def test_what_can_go_wrong_with_an_encoder_is_told(options, taught):
    options = {"channels": 1, "seed": 0, **options}
    with pytest.raises(UnseenError, match=taught):
        build_encoder(options.pop("name", "vae"), **options)
    with pytest.raises(UnseenError, match="a readout needs targets"):
        build_readout({}, latents=10, seed=0)


def test_an_encoder_is_listed_with_what_it_has_and_is_no_backbone():
    rows = {row["name"]: row for row in describe_encoders()}
    assert list(rows) == list(ENCODERS)
    assert (rows["vae"]["parameters"], rows["vae"]["side"], rows["vae"]["latents"]) == (0.77, 64, 10)
    assert encoder_layers("pcl") == ("latents", *(f"readout{k}" for k in range(1, 6)))
    with pytest.raises(UnseenError, match=r"'vae' is an encoder that learns without labels.*`unseen models vae`"):
        build("vae", {"category": 2}, seed=0)
    with pytest.raises(UnseenError, match=r"encoders, for training.objective: vae, pcl.*Did you mean 'pcl'\?"):
        build("pcll", {"category": 2}, seed=0)
