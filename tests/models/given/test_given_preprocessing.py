"""What a given model is fed is what the transforms of its makers feed it, picture by picture."""

import numpy as np
import pytest
import timm
import torch
import torchvision
from PIL import Image
from sklearn.datasets import load_sample_images
from timm.data import create_transform, resolve_data_config

from unseen.models.given import Preprocessing, torchvision_models
from unseen.models.given.preprocessing import scaled, shaped, with_settings
from unseen.models.given.timm_models import preprocessing_of
from unseen.vocabulary.errors import UnseenError

LEVEL = 1 / 255


@pytest.fixture(scope="module")
def photos():
    """Two photos, as they are, upright, and smaller than what is asked for."""
    whole = load_sample_images().images
    return [np.ascontiguousarray(part) for one in whole for part in (one, one[:, :300], one[:100, :130])]


def as_batch(photo):
    return torch.from_numpy(photo.copy()).permute(2, 0, 1)[None]


def apart(got, want, deviation):
    """The largest and the mean difference, in levels of 255."""
    assert got.shape == want.shape
    off = (got - want).abs() * deviation / LEVEL
    return float(off.max()), float(off.mean())


@pytest.mark.parametrize(
    "name",
    [
        "resnet18.a1_in1k",  # crop .95
        "mixer_s16_224.",  # timm's own default
        "efficientnet_b0.ra_in1k",
        "resnet18.tv_in1k",  # bilinear
        "crossvit_9_240.in1k",
    ],
)
def test_it_feeds_what_timms_own_transform_feeds(photos, name):
    net = timm.create_model(
        name.rstrip(".").partition(".")[0], pretrained_cfg=timm.get_pretrained_cfg(name.rstrip("."))
    )
    said = resolve_data_config(model=net)
    theirs, ours = create_transform(**said, is_training=False), preprocessing_of(net)
    for photo in photos:
        largest, mean = apart(ours(as_batch(photo))[0], theirs(Image.fromarray(photo)), max(said["std"]))
        assert largest < 2.5, ours.words
        assert mean < 0.05, ours.words


@pytest.mark.parametrize("mode", ["squash", "border", "center"])
def test_timms_other_ways_to_crop_are_kept(photos, mode):
    net = timm.create_model("resnet18", pretrained_cfg_overlay={"crop_mode": mode, "crop_pct": 1.0})
    said = resolve_data_config(model=net)
    theirs, ours = create_transform(**said, is_training=False), preprocessing_of(net)
    for photo in photos[:2]:
        got, want = ours(as_batch(photo))[0], theirs(Image.fromarray(photo))
        assert got.shape == want.shape
        assert float((got - want).abs().mean()) < 0.02, ours.words


@pytest.mark.parametrize("name", ["resnet18", "vit_b_32", "efficientnet_b1", "inception_v3"])
def test_it_feeds_what_torchvisions_own_transforms_feed(photos, name):
    weights = torchvision.models.get_model_weights(name).DEFAULT
    ours, theirs = torchvision_models.preprocessing_of(weights), weights.transforms()
    for photo in photos:
        largest, mean = apart(ours(as_batch(photo))[0], theirs(Image.fromarray(photo)), max(ours.std))
        assert largest < 2.5, ours.words
        assert mean < 0.05, ours.words


def test_a_picture_is_fed_the_same_in_any_batch(photos):
    ours, batch = Preprocessing(), torch.cat([as_batch(photos[0]), as_batch(photos[3])])
    both = ours(batch)
    for place in range(2):
        assert torch.equal(ours(batch[place : place + 1])[0], both[place])


def test_what_has_the_right_size_already_is_only_scaled():
    images = torch.randint(0, 256, (2, 3, 32, 32), dtype=torch.uint8)
    ours = Preprocessing(size=(32, 32), crop=1.0)
    assert torch.equal(shaped(images, ours), images)
    want = (images / 255 - torch.tensor(ours.mean).view(1, 3, 1, 1)) / torch.tensor(ours.std).view(1, 3, 1, 1)
    torch.testing.assert_close(ours(images), want)


def test_channels_layout_range_and_type_are_as_said():
    images = torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
    plain = Preprocessing(size=(8, 8), resize="none", mean=(0.0,), std=(1.0,))
    as_said = with_settings(plain, {"range": 255, "channels": "BGR", "layout": "NHWC"}, "here")(images)
    torch.testing.assert_close(as_said, images.flip(1).permute(0, 2, 3, 1).float())
    whole = with_settings(plain, {"dtype": "uint8"}, "here")(images)
    assert torch.equal(whole, images)


def test_the_same_normalisation_on_another_range_gives_the_same_numbers():
    images = torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
    ours = Preprocessing(size=(8, 8), crop=1.0)
    torch.testing.assert_close(with_settings(ours, {"range": 255}, "here")(images), ours(images))


def test_grey_pictures_feed_colour_models_and_the_other_way_round():
    grey, colour = torch.full((1, 1, 8, 8), 90, dtype=torch.uint8), torch.full((1, 3, 8, 8), 90, dtype=torch.uint8)
    ours = Preprocessing(size=(8, 8), crop=1.0)
    assert torch.equal(ours(grey), ours(colour))
    one = with_settings(ours, {"channels": "grey"}, "here")
    assert torch.equal(one(colour), one(grey))
    assert one(grey).shape == (1, 1, 8, 8)


def test_scaling_lets_gradients_through():
    images = torch.full((1, 3, 8, 8), 90.0, requires_grad=True)
    scaled(images, Preprocessing()).sum().backward()
    assert (images.grad > 0).all()


def test_no_pictures_are_no_fault():
    assert Preprocessing()(torch.zeros((0, 3, 10, 12), dtype=torch.uint8)).shape == (0, 3, 224, 224)


def test_another_size_brings_the_shorter_side_along_unless_that_is_said_too():
    ours = Preprocessing(resize_to=232, crop=224 / 232)
    assert with_settings(ours, {"size": 112}, "here").side == 116
    assert with_settings(ours, {"size": 112, "resize_to": 200}, "here").side == 200
    assert with_settings(ours, {"mean": 0.5}, "here").side == 232


def test_what_is_done_is_said_in_one_line():
    assert Preprocessing(crop=1.0, size=(96, 96)).words.startswith("shorter side to 96 (bicubic, antialiased)")
    said = Preprocessing(size=None, resize="none", mean=(0.0,), std=(1.0,), channels="any", dtype="uint8").words
    assert said == "taken as they are, channels as they come 0–255, uint8"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sise": 224}, "no preprocessing key 'sise'.*Did you mean 'size'"),
        ({"size": "big"}, "size = 'big'.*a side in pixels"),
        ({"size": [224]}, "height and width"),
        ({"crop": 1.5}, "crop = 1.5.*possible"),
        ({"crop": "half"}, "a share such as 0.875"),
        ({"interpolation": "lanczos"}, "no preprocessing interpolation 'lanczos'.*bicubic"),
        ({"mean": [0.5, 0.5]}, "2 numbers for 3 channels"),
        ({"mean": [127, 127, 127]}, "outside of the range 0–1.*range = 255"),
        ({"std": [0, 1, 1]}, "above 0"),
        ({"antialias": "yes"}, "true or false"),
        ({"channels": "RGBA"}, "no preprocessing channels 'RGBA'"),
        ({"resize": "exact", "size": "any"}, "needs a size"),
        ({"fill": 300}, "0 to 255"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_with_what_is_possible(settings, words):
    with pytest.raises(UnseenError, match=words):
        with_settings(Preprocessing(), settings, "model 'mine'")


def test_pictures_of_another_kind_are_refused():
    with pytest.raises(UnseenError, match="takes pictures as uint8"):
        Preprocessing()(torch.zeros((1, 3, 8, 8)))
    with pytest.raises(UnseenError, match="4 channels were given to a model that takes RGB"):
        Preprocessing()(torch.zeros((1, 4, 8, 8), dtype=torch.uint8))
    with pytest.raises(UnseenError, match="9×8 were given to a model that takes 8×8"):
        Preprocessing(size=(8, 8), resize="none")(torch.zeros((1, 3, 9, 8), dtype=torch.uint8))
