"""Each pretext is what its paper says, by another route: numpy, loops, torchvision, timm's own forward pass."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torchvision.transforms import functional as vision

from unseen.models import build
from unseen.training.pretexts import PRETEXTS, PretextBatch, check_options
from unseen.training.pretexts.captioned import symmetric
from unseen.training.pretexts.contrast import nt_xent
from unseen.training.pretexts.distilled import distillation
from unseen.training.pretexts.masked import masked_errors, patches, waves
from unseen.training.pretexts.views import ViewRecipe, blurred, cropped, hue_turned, jittered, view
from unseen.vocabulary.captions import phrases_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace

SPACE = FactorSpace(
    [
        Factor("category", ("mug", "chair"), kind="category", texts=("a mug", "a chair")),
        Factor("object", ("mug 1", "chair 1"), kind="instance"),
        Factor("size", (0.5, 1.0, 1.5), kind="ordinal"),
    ]
)


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def pictures(n=6, side=16, channels=3, seed=0):
    return torch.randint(0, 256, (n, channels, side, side), generator=torch.Generator().manual_seed(seed)).byte()


def made(name, backbone="vit-nano-p8", side=16, **options):
    network = build(backbone, {"category": 2}, input_size=(side, side), seed=1)
    given = {"supervised": {"classes": 2, "factor": 0}, "clip": {"phrases": phrases_of(SPACE)}}.get(name, {})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return PRETEXTS[name].make(network, network.description["features"], options, **given)


def asked(images, visit=1, seed=3, progress=0.5, learns=True):
    n = len(images)
    levels = torch.stack([torch.arange(n) % 2, torch.arange(n) % 2, torch.arange(n) % 3], 1)
    there = torch.tensor(visit), torch.tensor(progress)
    return PretextBatch(
        images, torch.arange(n) + 10, levels, *there, seed, lambda seen: seen.float() / 255 - 0.5, learns
    )


def test_nt_xent_is_equation_1_of_simclr():
    first, second = drawn(5, 7).numpy().astype(np.float64), drawn(5, 7, seed=1).numpy().astype(np.float64)
    views = np.concatenate([first, second])
    views /= np.linalg.norm(views, axis=1, keepdims=True)
    expected = np.zeros(5)
    for i in range(10):
        partner = (i + 5) % 10
        others = [math.exp(views[i] @ views[k] / 0.3) for k in range(10) if k != i]
        expected[i % 5] += -math.log(math.exp(views[i] @ views[partner] / 0.3) / sum(others)) / 2
    losses, right = nt_xent(torch.tensor(first), torch.tensor(second), 0.3)
    np.testing.assert_allclose(losses.numpy(), expected, rtol=1e-5)
    nearest = [np.argmax([-9 if k == i else views[i] @ views[k] for k in range(10)]) == i + 5 for i in range(5)]
    assert right.tolist() == nearest


def test_pictures_that_are_told_apart_have_a_lower_loss_than_those_that_are_not():
    far, near = torch.eye(6), torch.ones(6, 6) + 1e-3 * torch.eye(6)
    assert nt_xent(far, far, 0.5)[0].mean() < nt_xent(near, near, 0.5)[0].mean() - 0.5
    assert nt_xent(near, near, 0.5)[0].mean() == pytest.approx(math.log(11), abs=1e-3)


def test_mae_takes_the_error_of_hidden_patches_less_their_mean_by_their_deviation():
    images, given = drawn(2, 3, 8, 12).double(), drawn(2, 6, 48, seed=1).double()
    hidden = torch.tensor([[1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 0, 1]]).double()
    for normalise in (True, False):
        expected = []
        for n in range(2):
            errors = []
            for place in range(6):
                y, x = divmod(place, 3)
                part = images[n, :, 4 * y : 4 * y + 4, 4 * x : 4 * x + 4].numpy()
                target = np.array([part[c, i, j] for i in range(4) for j in range(4) for c in range(3)])
                if normalise:
                    target = (target - target.mean()) / np.sqrt(target.var(ddof=1) + 1e-6)
                if hidden[n, place]:
                    errors.append(np.mean((given[n, place].numpy() - target) ** 2))
            expected.append(np.mean(errors))
        found = masked_errors(images, given, hidden, (4, 4), normalise=normalise)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


def test_patches_are_those_that_timm_embeds_in_the_same_order():
    vit = build("vit-nano-p8", {"category": 2}, input_size=(16, 24), seed=1).trunk.network
    images = drawn(2, 3, 16, 24)
    weight = vit.patch_embed.proj.weight.permute(0, 2, 3, 1).flatten(1)  # a patch's channels last, as ours
    expected = patches(images, (8, 8)) @ weight.T + vit.patch_embed.proj.bias
    torch.testing.assert_close(vit.patch_embed(images), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pool", ["token", "avg"])
def test_an_encoder_of_which_nothing_is_hidden_is_timms_own(pool):
    network = build("vit-nano-p8", {"category": 2}, input_size=(16, 16), seed=1, arguments={"pool": pool})
    mae = PRETEXTS["mae"].make(network, 96, {})
    images = drawn(3, 3, 16, 16)
    every = torch.arange(4).expand(3, 4)
    torch.testing.assert_close(mae.encoded(images, every), network.trunk.network.forward_features(images))


def test_what_is_hidden_has_no_part_in_what_is_given_back():
    mae, images = made("mae", side=32).eval(), drawn(1, 3, 32, 32)
    order = torch.tensor([[3, 7, 2, 5, 0, 1, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15]])
    changed = images.clone()
    changed[:, :, :8, :8] += 5  # patch 0, hidden
    outputs = [mae.decoded(mae.encoded(one, order[:, : mae.visible]), order) for one in (images, changed)]
    assert torch.equal(*outputs)
    changed[:, :, :8, 24:] += 5  # patch 3, seen
    assert not torch.equal(outputs[0], mae.decoded(mae.encoded(changed, order[:, : mae.visible]), order))
    assert mae.visible == 4


def test_the_places_of_a_decoder_are_sines_and_cosines_of_columns_and_rows():
    found = waves((2, 3), 8)
    for place in range(6):
        row, column = divmod(place, 3)
        speeds = [1.0, 0.01]
        expected = [f(axis * s) for axis in (column, row) for f in (math.sin, math.cos) for s in speeds]
        np.testing.assert_allclose(found[place].numpy(), expected, atol=1e-6)


def test_dinos_loss_is_the_cross_entropy_with_the_centred_and_sharpened_teacher():
    student, teacher = [drawn(4, 6, seed=k) for k in range(3)], [drawn(4, 6, seed=k + 9) for k in range(2)]
    centre = drawn(1, 6, seed=20)
    found = distillation(student, teacher, centre, student_temperature=0.1, teacher_temperature=0.04)
    total, terms = np.zeros(4), 0
    for i, q in enumerate(teacher):
        sharp = np.exp((q - centre).numpy().astype(np.float64) / 0.04)
        sharp /= sharp.sum(1, keepdims=True)
        for j, p in enumerate(student):
            if i == j:
                continue
            raised = p.numpy().astype(np.float64) / 0.1
            total += -(sharp * (raised - np.log(np.exp(raised).sum(1, keepdims=True)))).sum(1)
            terms += 1
    assert terms == 4
    np.testing.assert_allclose(found.numpy(), total / terms, rtol=1e-4)


def test_dinos_teacher_and_centre_follow_by_their_momenta_and_learn_nothing_themselves():
    dino = made("dino", local=1, momentum=0.9)
    batch = asked(pictures(), progress=0.25)
    dino.loss(batch).loss.mean().backward()
    assert all(one.grad is None for one in [*dino.teacher.parameters(), *dino.teacher_head.parameters()])
    assert dino.encoder.trunk.network.blocks[0].attn.qkv.weight.grad.abs().sum() > 0
    with torch.no_grad():
        dino.encoder.trunk.network.pos_embed.add_(1.0)
    before, own = dino.teacher.trunk.network.pos_embed.clone(), dino.encoder.trunk.network.pos_embed
    shown = dino.shown.clone()
    dino.after_step(torch.tensor(0.25))
    momentum = 1 - (1 - 0.9) * (math.cos(math.pi * 0.25) + 1) / 2
    expected = momentum * before + (1 - momentum) * own
    torch.testing.assert_close(dino.teacher.trunk.network.pos_embed, expected)
    torch.testing.assert_close(dino.centre, 0.1 * shown)
    assert dino.delivered is dino.teacher


def test_dinos_prototypes_stay_in_the_first_stretch():
    grads = []
    for progress in (0.05, 0.5):
        dino = made("dino", local=0, freeze=0.1)
        dino.loss(asked(pictures(), progress=progress)).loss.mean().backward()
        grads.append(float(dino.head.prototypes.weight.grad.abs().sum()))
        assert dino.head.layers[0].weight.grad.abs().sum() > 0
    assert grads[0] == 0 < grads[1]


def test_asking_for_the_loss_changes_no_teacher_and_no_centre():
    dino = made("dino", local=0).eval()
    before = {name: one.clone() for name, one in [*dino.state_dict().items(), ("shown", dino.shown)]}
    dino.loss(asked(pictures(), learns=False))
    assert all(torch.equal(one, before[name]) for name, one in [*dino.state_dict().items(), ("shown", dino.shown)])


def test_clips_loss_is_the_mean_of_both_cross_entropies():
    images, texts = drawn(5, 4), drawn(5, 4, seed=1)
    one, other = (x.numpy().astype(np.float64) for x in (images, texts))
    one, other = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (one, other))
    scores = 14.0 * one @ other.T

    def cross_entropy(rows):
        return np.array([-math.log(math.exp(row[k]) / sum(map(math.exp, row))) for k, row in enumerate(rows)])

    losses, right = symmetric(images, texts, torch.tensor(14.0))
    np.testing.assert_allclose(losses.numpy(), (cross_entropy(scores) + cross_entropy(scores.T)) / 2, rtol=1e-4)
    assert right.tolist() == (scores.argmax(1) == np.arange(5)).tolist()


def test_clips_temperature_starts_at_the_papers_and_is_cut_at_a_hundred():
    clip = made("clip")
    assert float(clip.scale.detach().exp()) == pytest.approx(1 / 0.07)
    with torch.no_grad():
        clip.scale.fill_(9.0)
    hot = clip.loss(asked(pictures())).loss
    with torch.no_grad():
        clip.scale.fill_(math.log(100))
    torch.testing.assert_close(clip.loss(asked(pictures())).loss, hot)


def test_captions_name_the_category_always_and_the_rest_as_often_as_told():
    clip, batch = made("clip", mention=0.5), asked(pictures(64))
    tokens, there = clip.captions(batch)
    words = phrases_of(SPACE).words
    for row in range(64):
        said = [words[int(t)] for t, shown in zip(tokens[row, 1:], there[row, 1:]) if shown]
        assert said[:2] == ["a", ("mug", "chair")[row % 2]]
        assert said[2:] in ([], [("small", "medium", "large")[row % 3]])
    assert 16 < int(there[:, 3].sum()) < 48
    assert bool(there[:, 0].all())


def test_a_word_that_is_not_said_has_no_part_in_what_a_text_means():
    clip = made("clip").eval()
    tokens, there = clip.captions(asked(pictures(4)))
    there[:, 3] = False
    other = tokens.clone()
    other[:, 3] = 2
    torch.testing.assert_close(clip.texts(tokens, there), clip.texts(other, there))


def test_labels_are_learned_by_cross_entropy_and_asked_on_pictures_as_they_are():
    named, batch = made("supervised").eval(), asked(pictures(), learns=False)
    logits = named.head(named.encoder.features(batch.prepare(batch.images)))
    expected = nn.functional.cross_entropy(logits, batch.levels[:, 0], reduction="none")
    torch.testing.assert_close(named.loss(batch).loss, expected)


# Views


def test_a_view_does_not_depend_on_its_batch_and_differs_from_visit_to_visit():
    images, rows = pictures(8), torch.arange(8) * 5
    whole = ViewRecipe(colour=1.0, grey=0.2, blur=0.5, solarize=0.3)
    every = view(images, whole, rows, torch.tensor(4), 7, 0)
    alone = view(images[5:6], whole, rows[5:6], torch.tensor(4), 7, 0)
    assert torch.equal(every[5:6], alone)
    for other in (view(images, whole, rows, torch.tensor(5), 7, 0), view(images, whole, rows, torch.tensor(4), 7, 1)):
        assert not any(torch.equal(a, b) for a, b in zip(every, other))


def test_a_crop_of_everything_is_the_picture_and_a_flip_mirrors_it():
    images, u = pictures(4).float(), torch.rand(4, 5, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(cropped(images, ViewRecipe(1.0, 0.0), u), images, atol=1e-3, rtol=0)
    torch.testing.assert_close(cropped(images, ViewRecipe(1.0, 1.0), u), images.flip(-1), atol=1e-3, rtol=0)


def test_a_crop_is_torchvisions_of_the_same_box():
    images = pictures(1, side=16).float()
    u = torch.tensor([[0.25, 0.5, 1.0, 0.0, 0.9]])  # a quarter of the area, square, right and above
    expected = vision.resized_crop(images, 0, 8, 8, 8, [16, 16], antialias=False)
    found = cropped(images, ViewRecipe(0.0, 0.0), u)
    torch.testing.assert_close(found[:, :, 1:-1, 2:-1], expected[:, :, 1:-1, 2:-1], atol=1e-2, rtol=0)  # edges differ


def test_colours_change_as_torchvision_changes_them():
    images = (pictures(1).float() * 0.5 + 30).round()
    u = torch.tensor([[0.7, 0.2, 0.9, 0.5, 0.0]])
    light, contrast, colours = (0.6 + 0.8 * float(x) for x in u[0, :3])
    scaled = vision.adjust_brightness(images / 255, light)
    scaled = vision.adjust_contrast(scaled, contrast)
    scaled = vision.adjust_saturation(scaled, colours)
    torch.testing.assert_close(jittered(images, 0.5, u) / 255, scaled, atol=2e-3, rtol=0)
    assert torch.equal(jittered(images, 0.5, torch.tensor([[0.7, 0.2, 0.9, 0.5, 0.81]])), images)


def test_turning_hues_keeps_grey_and_comes_round():
    images = pictures(2).float()
    grey = images.mean(1, keepdim=True).expand(-1, 3, -1, -1)
    angle = torch.tensor([1.0, 2.0])
    torch.testing.assert_close(hue_turned(grey, angle), grey, atol=1e-3, rtol=0)
    torch.testing.assert_close(hue_turned(hue_turned(images, angle), -angle), images, atol=1e-2, rtol=0)


def test_blur_is_torchvisions_of_the_same_width():
    images, u = pictures(1, side=64).float(), torch.tensor([0.8])
    sigma = (0.1 + 1.9 * 0.8) * 64 / 224
    expected = vision.gaussian_blur(images, [7, 7], [sigma, sigma])
    torch.testing.assert_close(blurred(images, u), expected, atol=1e-2, rtol=0)


def test_grey_pictures_have_views_too():
    seen = view(pictures(4, channels=1), ViewRecipe(colour=1.0, grey=1.0), torch.arange(4), torch.tensor(1), 0, 0)
    assert seen.shape == (4, 1, 16, 16)
    assert torch.isfinite(seen).all()
    assert float(seen.min()) >= 0
    assert float(seen.max()) <= 255


# What can be said of them


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("simclr", {"temperatur": 0.1}, "Did you mean 'temperature'"),
        ("simclr", {"temperature": 0}, "above 0"),
        ("simclr", {"crop": 1.5}, "at most 1"),
        ("mae", {"width": 100}, "a multiple of 32"),
        ("mae", {"normalise": 1}, "true or false"),
        ("dino", {"local": -1}, "from 0 to 12"),
        ("none", {"crop": 0.5}, "pretraining.objective = 'none'"),
        ("ibot", {}, "no objective 'ibot'"),
    ],
)
def test_what_an_objective_cannot_be_told_is_refused_with_what_it_can(name, given, words):
    with pytest.raises(UnseenError) as error:
        check_options(name, given)
    assert words in str(error.value)


@pytest.mark.parametrize("backbone", ["resnet18-w8", "mixer-nano-p8"])
def test_a_network_without_patches_to_hide_is_refused_for_mae(backbone):
    with pytest.raises(UnseenError, match="ResNets and mixers take simclr"):
        made("mae", backbone, side=32)
