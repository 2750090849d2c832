"""What cannot be explained is said, with what can."""

import numpy as np
import pytest
import torch
from explained import Linear, Small, pictures, tiny_vit
from torch import nn

from unseen.explanations import Difference, Score, Unit, curves, dream, explain, maximise
from unseen.explanations.methods import as_asked
from unseen.vocabulary.errors import UnseenError


@pytest.mark.parametrize(
    ("make", "method", "asked", "settings", "words"),
    [
        (Small, "grad-camp", 0, {}, "Did you mean 'grad-cam"),
        (Small, "gradient", 0, {"step": 3}, "no setting 'step' in method 'gradient'"),
        (Small, "gradient", 5, {}, "no class '5' in what this network answers"),
        (Small, "gradient", Score((0, 1)), {}, "2 classes were given for 4 images"),
        (Small, "gradient", Score(0, "pose"), {}, "no target 'pose'"),
        (Small, "gradient", Unit("relu9", 0), {}, "Did you mean 'relu"),
        (Small, "gradient", Unit("relu1", 8), {}, "it has 8, from 0 to 7"),
        (Small, "grad-cam", 0, {"layer": "fc"}, "has no places on the image"),
        (Small, "grad-cam", Unit("relu1", 0), {"layer": "relu3"}, "does not run before what is asked"),
        (Small, "attention-rollout", 0, {}, "no attention layers"),
        (Small, "occlusion", 0, {"patch": 17}, "larger than images of 16×16"),
        (Small, "occlusion", 0, {"patch": 2, "stride": 3}, "leave pixels uncovered"),
        (Small, "rise", 0, {"share": 1.5}, "a share between 0 and 1"),
        (Small, "smoothgrad", 0, {"steps": 0}, "at least one step"),
        (Small, "integrated-gradients", 0, {"reference": torch.zeros(2, 2)}, "a reference is a number"),
        (Linear, "grad-cam", 0, {}, "no layer of this network has places"),
        (Linear, "guided-backprop", 0, {}, "no ReLU"),
        (lambda: tiny_vit(), "guided-backprop", 0, {}, "cannot take images of 3×16×16"),
        (lambda: Linear(classes=1), "gradient", Difference(), {}, "needs two classes"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(make, method, asked, settings, words):
    side = 8 if isinstance(model := make(), Linear) else 16
    with pytest.raises(UnseenError, match=words):
        explain(model, pictures(height=side, width=side), method, asked, **settings)


def test_a_function_is_told_what_it_can_be_asked():
    with pytest.raises(UnseenError, match="possible for it: occlusion, rise"):
        explain(lambda images: np.zeros((len(images), 2)), pictures(), "gradient", 0)
    with pytest.raises(UnseenError, match="scores \\[4, classes\\] were expected"):
        explain(lambda images: np.zeros(len(images)), pictures(), "occlusion", 0, patch=8)
    with pytest.raises(UnseenError, match="images\\[None\\]"):
        explain(Small(), pictures()[0], "gradient", 0)


def test_several_targets_ask_for_one():
    class Two(nn.Module):
        def forward(self, images):
            return {"shape": images.mean((2, 3)), "colour": images.mean((2, 3))}

    with pytest.raises(UnseenError, match="say which one as 'target'"):
        explain(Two(), pictures(), "gradient", 0)
    with pytest.raises(UnseenError, match="Did you mean 'shape'"):
        explain(Two(), pictures(), "gradient", Score(0, "shap"))


def test_a_saturated_score_is_said_and_so_is_what_is_not_a_number():
    dead = Small()
    with torch.no_grad():
        dead.conv3.bias.fill_(-1e6)
    assert "zero everywhere" in explain(dead, pictures(), "gradient", 0).notes[0]
    broken = Small()
    with torch.no_grad():
        broken.fc.weight[0, 0] = torch.nan
    assert "not a number" in explain(broken, pictures(), "gradient", 0).notes[3]
    assert explain(Small(), pictures(), "gradient", 0).notes == ("",) * 4


def test_what_is_asked_is_a_class_a_difference_or_a_unit():
    for asked in (1.5, "cat"):
        with pytest.raises(UnseenError, match="the number of a class, Score, Difference or Unit"):
            as_asked(asked)
    images = pictures()
    images[1, 0, 3, 3] = torch.nan
    with pytest.raises(UnseenError, match="image 1 has pixels that are no number"):
        explain(Small(), images, "gradient", 0)


def test_a_map_that_ranks_nothing_has_no_curve():
    maps = np.random.default_rng(0).random((4, 16, 16))
    maps[2] = 0
    maps[3, 1, 1] = np.nan
    with pytest.raises(UnseenError, match="map 2, 3 puts no pixel before another"):
        curves(Small(), pictures(), maps, 0, steps=3)
    drawn = curves(Small(), pictures(), maps, 0, steps=3, missing=True)
    assert np.isfinite(drawn["deletion"][:2]).all()
    assert np.isnan(drawn["insertion"][2:]).all()


def test_pictures_of_a_network_that_answers_with_no_number_are_refused():
    broken = Small()
    with torch.no_grad():
        broken.conv1.weight[0] = torch.nan
    for space in ("fourier", "pixels"):
        with pytest.raises(UnseenError, match="no picture can excite it"):
            maximise(broken, [0], size=(16, 16), steps=2, space=space)
    with pytest.raises(UnseenError, match="no picture can excite it"):
        dream(broken, pictures(), "relu3", octaves=1, steps=2)
    with pytest.raises(UnseenError, match="nothing was asked"):
        maximise(Small(), [], size=(16, 16))
    with pytest.raises(UnseenError, match="has none; give the network"):
        maximise(lambda images: np.zeros((len(images), 2)), [0], size=(16, 16))
