"""`unseen.explain` from Python: what it takes, what it gives, what it shows."""

import numpy as np
import pytest
import torch
from torch import nn

import unseen
from unseen.explanations import Unit
from unseen.models.given import bring


def net(classes=3):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, classes)
        ).eval()


IMAGES = torch.rand(3, 3, 16, 16, generator=torch.Generator().manual_seed(1)) * 255


def test_an_explanation_shows_images_answers_and_a_hint_and_later_the_verdict():
    found = unseen.explain(net(), IMAGES, "grad-cam", 1)
    shown = found._repr_html_()
    assert shown.count("data:image/png") == 3
    assert ".check()" in shown
    assert "the score of 'class 1'" in shown.replace("&#x27;", "'")
    words = found.check()
    assert words.startswith(("depends", "does not", "open"))
    assert words in found._repr_html_()
    assert found.similarity()["ssim"].shape[1] == 3
    assert repr(found) == "<grad-cam of 3 images by Sequential>"


def test_a_class_may_be_named_and_a_unit_asked_and_the_result_saved(tmp_path):
    given = bring(net(), labels=["cat", "dog", "jug, pitcher"], preprocessing={"size": 16, "resize": "exact"})
    by_name, by_number = (unseen.explain(given, IMAGES.to(torch.uint8), "gradient", one) for one in ("pitcher", 2))
    np.testing.assert_array_equal(by_name.maps, by_number.maps)
    assert set(by_name.answers) <= {"cat", "dog", "jug, pitcher"}
    unit = unseen.explain(net(), IMAGES, "gradient", Unit("0", 2))
    assert unit.save(tmp_path / "unit.png").stat().st_size > 500
    np.testing.assert_array_equal(np.load(unit.save(tmp_path / "unit.npy")), unit.maps)
    with pytest.raises(unseen.UnseenError, match=r"saved as .png or .npy"):
        unit.save(tmp_path / "unit.pdf")


def test_a_saturated_score_is_said_in_place_of_its_map():
    class Flat(nn.Module):
        def forward(self, images):
            return images.mean((2, 3)) * 0

    found = unseen.explain(Flat(), IMAGES, "gradient", 0)
    assert found.notes[0].startswith("no evidence")
    assert "no evidence" in found._repr_html_()
    assert "3 not to be looked at" in repr(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((3, IMAGES), "3 is no model"),
        ((net(), "photo.png"), "how image files are fed to this Sequential is not known"),
        ((net(), 7), "images are a tensor or an array"),
        ((net(), IMAGES[0]), r"for one image write images\[None\]"),
        ((net(), IMAGES, "gradient", "cat"), "no class 'cat'"),
        ((net(), IMAGES, "gradient", 3), "no class .3."),
        ((net(), IMAGES, "gradient", 1.5), "must be a class"),
        ((net(), IMAGES, "gradcam"), "no method 'gradcam'"),
        ((net(), IMAGES[:, :2], "gradient"), "cannot take images of 2×16×16"),
        ((lambda images: images.mean((2, 3)), IMAGES, "gradient"), "possible for it: occlusion, rise"),
    ],
)
def test_what_cannot_be_explained_is_said(given, words):
    with pytest.raises(unseen.UnseenError, match=words):
        unseen.explain(*given)


def test_an_edge_detector_has_no_weights_to_check():
    found = unseen.explain(net(), IMAGES, "edges")
    with pytest.raises(unseen.UnseenError, match="it does not use the network"):
        found.check()
