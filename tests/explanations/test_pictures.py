"""Pictures that excite: where the best picture is known, and that they climb."""

import numpy as np
import pytest
import torch
from explained import Linear, Small, pictures
from PIL import Image

from unseen.explanations import Score, Unit
from unseen.explanations.drawing import colours_of, over, pictures_of, png, sheet, write_png
from unseen.explanations.dreams import dream
from unseen.explanations.exciting import exciting_patches
from unseen.explanations.maximised import excite_layer, maximise, moved
from unseen.explanations.unit_sheets import patch_sheets, unit_sheets
from unseen.vocabulary.errors import UnseenError


def test_of_a_linear_score_the_best_picture_under_the_penalty_is_its_weights():
    """arg max w·I − λ mean(I²), in units of half the span, is I = w · half · N / 2λ."""
    model = Linear(channels=1)
    found = maximise(
        model, [0, 1], size=(8, 8), space="pixels", channels=1, span=(-50.0, 50.0), steps=400, rate=0.02,
        penalty=3000.0, jitter=0, transform=False,
    )  # fmt: skip
    shares = (found.pictures - 0.5) * 2
    right = model.weight.detach().numpy() * 50 * 64 / (2 * 3000.0)
    np.testing.assert_allclose(shares, right.clip(-1, 1), atol=0.03)
    assert (found.after > found.before).all()


@pytest.mark.parametrize("space", ["fourier", "pixels"])
def test_pictures_climb_alone_as_together_and_again_the_same(space):
    model = Small()
    settings = {"size": (16, 16), "steps": 12, "jitter": 2, "space": space, "rate": 0.02, "penalty": 0.0}
    found = maximise(model, [0, 3, 1], **settings)
    assert found.pictures.shape == (3, 3, 16, 16)
    assert found.pictures.min() >= 0
    assert found.pictures.max() <= 1
    assert (found.after > found.before).all()
    again = maximise(model, [3, Score(1)], batch=1, **settings)
    np.testing.assert_allclose(again.pictures, found.pictures[1:], atol=1e-3)


def test_every_unit_of_a_layer_climbs():
    found = excite_layer(Small(), "relu2", size=(16, 16), steps=8, jitter=1, batch=5)
    assert len(found.pictures) == 8
    assert (found.after >= found.before - 1e-6).all()
    assert found.asked[3] == Unit("relu2", 3)


def test_a_step_that_does_not_move_leaves_the_picture():
    image = pictures(2, 3, 20, 30)
    assert moved(image, 0, 0, 0, False) is image
    shifted = [moved(image, step, 0, 2, False) for step in range(8)]
    kept = [torch.isclose(one, image.roll((-d, -r), (2, 3)), atol=1e-4)[:, :, 3:-3, 3:-3].all() for one in shifted
            for d in range(-2, 3) for r in range(-2, 3)]  # fmt: skip
    assert sum(map(bool, kept)) == 8


def test_a_dream_excites_its_layer_and_keeps_the_image_in_its_span():
    model, images = Small(), pictures(2, 3, 24, 24).clamp(-1, 1)
    for unit in (None, 2):
        dreamt = dream(model, images, "relu2", unit, octaves=3, smallest=12, steps=4, jitter=2)
        assert dreamt.shape == images.shape
        assert images.min() <= dreamt.min()
        assert dreamt.max() <= images.max()
        layer = lambda x: model.relu2(model.norm(model.conv2(model.relu1(model.conv1(x)))))  # noqa: E731
        before, after = (layer(one).detach() for one in (images, torch.from_numpy(dreamt)))
        if unit is None:
            assert after.square().sum() > before.square().sum()
        else:
            assert (after[:, unit].mean((1, 2)) > before[:, unit].mean((1, 2))).all()


def test_the_most_exciting_patches_are_where_the_pattern_is():
    model = Small()
    with torch.no_grad():
        for layer in (model.conv1, model.conv2, model.conv3):
            layer.weight.abs_()
    images = torch.zeros(7, 3, 16, 16)
    for number in range(7):
        images[number, :, 2 * number : 2 * number + 3, 4:7] = 1.0 + number
    patches = exciting_patches(model, lambda rows, device: images[rows], np.arange(7), "relu1", [0, 5], top=3, size=2)
    for found in patches:
        assert [patch.row for patch in found] == [6, 5, 4]
        assert found[0].activity > found[1].activity > found[2].activity
        for patch in found:
            top, left, bottom, right = patch.box
            assert max(bottom - top, right - left) == 3
            assert patch.picture.max() == 1 + patch.row
    whole = exciting_patches(model, lambda rows, device: images[rows], np.arange(7), "fc", [1], top=1)
    assert whole[0][0].box == (0, 0, 16, 16)
    with pytest.raises(UnseenError, match="it has 8, from 0 to 7"):
        exciting_patches(model, lambda rows, device: images[rows], np.arange(7), "relu1", [8])


def test_sheets_of_all_units_are_written_a_page_at_a_time(tmp_path):
    model = Small()
    settings = {"size": (16, 16), "steps": 2, "jitter": 1, "transform": False}
    files = unit_sheets(model, "relu1", tmp_path, most=3, columns=2, **settings)
    assert [file.name for file in files] == ["relu1-001.png", "relu1-002.png", "relu1-003.png"]
    first, last = (np.asarray(Image.open(files[place])) for place in (0, 2))
    assert first.shape == (2 * (16 + 12) + 4, 2 * 16 + 4, 3)
    assert last.shape == (16 + 12, 2 * 16 + 4, 3)  # units 6 and 7
    alone = excite_layer(model, "relu1", [7], **settings)
    assert (last[12:, 20:] == pictures_of(alone.pictures)[0]).all()
    images = torch.rand(5, 3, 16, 16, generator=torch.Generator().manual_seed(1))
    found = patch_sheets(model, "relu1", tmp_path / "p", lambda rows, device: images[rows], np.arange(5), top=4, size=2)
    assert len(found) == 1
    everyone = exciting_patches(model, lambda rows, device: images[rows], np.arange(5), "relu1", top=4)
    assert [patches[0].unit for patches in everyone] == list(range(8))
    with pytest.raises(UnseenError, match="no unit 8 in layer 'relu1'"):
        unit_sheets(model, "relu1", tmp_path, [0, 8], **settings)
    with pytest.raises(UnseenError, match="at least one picture of one unit"):
        unit_sheets(model, "relu1", tmp_path, [], **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"space": "fourrier"}, "Did you mean 'fourier'"),
        ({"steps": 0}, "at least one step"),
    ],
)
def test_what_cannot_climb_is_refused(settings, words):
    with pytest.raises(UnseenError, match=words):
        maximise(Small(), [0], size=(16, 16), **settings)
    with pytest.raises(UnseenError, match="of one layer, or classes of one target"):
        maximise(Small(), [Score(), Unit("relu1", 0)], size=(16, 16))
    with pytest.raises(UnseenError, match="ratio above 1"):
        dream(Small(), pictures(), "relu1", ratio=1.0)


def test_maps_have_colours_for_and_against_and_grey_where_they_are_no_numbers(tmp_path):
    maps = np.array([[[1.0, -1.0], [0.0, np.nan]]])
    paint = colours_of(maps)[0]
    assert paint[0, 0, 0] > paint[0, 0, 2]
    assert paint[0, 1, 2] > paint[0, 1, 0]
    assert (paint[1, 0] == 255).all()
    assert (paint[1, 1] == 128).all()
    assert colours_of(np.zeros((1, 2, 2))).min() == 255
    images = np.zeros((1, 3, 2, 2), np.uint8)
    assert over(images, maps).shape == (1, 2, 2, 3)
    far = colours_of(np.array([[[5.0, 6.0], [5.0, 5.0]]]))[0]
    assert (far[1] == 255).all()
    assert far[0, 1, 1] < 50
    assert (pictures_of(np.full((1, 1, 2, 2), 0.5)) == 128).all()
    page = sheet([paint, paint, paint], 2, gap=1, enlarge=2)
    assert page.shape == (9, 9, 3)
    assert png(page) == write_png(tmp_path / "a.png", page).read_bytes()
