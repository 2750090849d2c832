"""Any world painted in styles drawn by row, by small networks read from a file (after Geirhos et al. 2019)."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from unseen.designs import matrix
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make
from unseen.worlds.objects import objects
from unseen.worlds.transforms.styles import LAYERS, paint, styles_of
from unseen.worlds.transforms.stylised import stylised

SIZES = [(3, 4, 9), (4, 8, 3), (8, 16, 3), *[(16, 16, 3)] * 10, (16, 8, 3), (8, 4, 3), (4, 3, 9)]


def arrays(seed=0, names=("dusk", "noon", "rain")):
    """Weights of the released form, and random."""
    made = {}
    for name in names:
        rng = np.random.default_rng([seed, *name.encode()])
        for layer, (inside, outside, kernel) in enumerate(SIZES):
            shape = (inside, outside) if layer in (13, 14) else (outside, inside)
            parts = (
                rng.normal(size=(*shape, kernel, kernel)),
                rng.normal(size=(1, outside, 1, 1)),
                rng.normal(size=(1, outside, 1, 1)),
            )
            for k, part in enumerate(parts):
                number = 3 * layer + k
                key = f"{name}/Variable_{number}_read__cf__0" if number else f"{name}/Variable_read__0__cf__0_0"
                made[key] = part.astype(np.float32)
    return made


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("styles") / "styles.npz"
    np.savez(path, **arrays())
    return path


@pytest.fixture(scope="module")
def world(file):
    return stylised(objects(["mug", "chair"], 4, pose=2, side=32), str(file))


def test_a_row_is_the_same_in_any_batch_and_plain_rows_are_those_of_the_world(world):
    rows = np.arange(len(world.samples))
    together = world.images(rows)
    assert together.shape == (32, 3, 32, 32)
    assert torch.equal(together[0::2], world.inner.images(np.arange(16)).float())
    alone = torch.cat([world.images(rows[k : k + 1]) for k in (5, 1, 30)])
    assert torch.equal(alone, together[[5, 1, 30]])
    assert torch.equal(together, together.round())


def test_every_style_is_used_and_which_one_does_not_depend_on_the_category(file):
    many = stylised(objects(["mug", "chair"], 300, pose=1, side=32), file)
    drawn = many.style(np.arange(600)).reshape(2, 300)
    counts = np.stack([np.bincount(row, minlength=3) for row in drawn])
    assert (counts > 60).all()


def test_a_halving_and_a_doubling_layer_pad_as_tensorflow_does():
    """SAME pads the end of an even side, and a transposed convolution is the adjoint of the plain one."""
    rng = np.random.default_rng(1)
    weight, x, y = (torch.from_numpy(rng.normal(size=s)) for s in ((5, 2, 3, 3), (1, 2, 8, 8), (1, 5, 4, 4)))
    down = functional.conv2d(functional.pad(x, (0, 1, 0, 1)), weight, stride=2)
    up = functional.conv_transpose2d(y, weight, stride=2)[..., :8, :8]
    assert float((down * y).sum()) == pytest.approx(float((x * up).sum()))


def test_sides_that_are_no_multiple_of_four_are_kept(file):
    layers = styles_of(str(file))
    images = torch.randint(0, 256, (2, 3, 30, 33), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    assert layers.painted(images, np.array([0, 2])).shape == images.shape
    assert len(layers.layers["dusk"]) == LAYERS


def test_contrast_and_offset_of_a_flat_layer_are_those_of_instance_normalisation():
    layers = [tuple(torch.from_numpy(np.asarray(p, np.float64)) for p in layer) for layer in _flat()]
    shown = paint(torch.rand(2, 3, 16, 16, dtype=torch.float64) * 255, layers)
    assert torch.equal(shown, torch.full_like(shown, round(150 * np.tanh(0.25) + 127.5)))


def _flat():
    """All scales are none, so that only the last shift is seen."""
    for layer, (inside, outside, kernel) in enumerate(SIZES):
        shape = (inside, outside) if layer in (13, 14) else (outside, inside)
        yield (
            np.ones((*shape, kernel, kernel)),
            np.full((1, outside, 1, 1), 0.25 * (layer == LAYERS - 1)),
            np.zeros((1, outside, 1, 1)),
        )


def test_styles_are_a_factor_that_a_matrix_trains_on_and_asks(world):
    split = matrix(world.samples, factor="transformation", train=["stylised"], shares=(0.5, 0.25, 0.25), seed=0)
    assert {"test-none", "test-stylised"} <= set(split.sets)


def test_another_file_is_another_world_and_its_place_is_none(file, tmp_path):
    inner = {"name": "objects", "categories": 2, "instances": 3, "side": 32}
    np.savez(tmp_path / "copy.npz", **arrays())
    (tmp_path / "folder").mkdir()
    np.savez(tmp_path / "folder" / "other.npz", **arrays(seed=1))
    one, same, other = (
        make("stylised", of=inner, root=str(path)).fingerprint for path in (file, file.parent, tmp_path / "folder")
    )
    assert one == same
    assert one != other


def test_the_released_styles_paint_what_is_there(shared_data):
    place = shared_data / "fast_style_weights"
    if not place.is_dir():
        pytest.skip("the released weights are not beside this checkout")
    shown = stylised(objects(["mug"], 3, pose=1, side=64), str(place))
    assert len(shown.styles.names) == 9
    plain, painted = shown.images(np.arange(6)).double().reshape(3, 2, 3, 64, 64).unbind(1)
    assert (painted.std((-2, -1)) > 5).all()
    assert ((painted - plain).abs().mean((1, 2, 3)) > 20).all()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda made: made.pop("dusk/Variable_7_read__cf__0"), "has 47 arrays and needs 48"),
        (lambda made: made.update({"dusk/Variable_3_read__cf__0": np.zeros((8, 5, 3, 3))}), "do not follow its 4"),
        (lambda made: made.update({"dusk/Variable_4_read__cf__0": np.full((1, 8, 1, 1), np.nan)}), "no numbers"),
    ],
)
def test_spoilt_weights_are_told(tmp_path, spoil, told):
    made = arrays(names=("dusk",))
    spoil(made)
    np.savez(tmp_path / "bad.npz", **made)
    with pytest.raises(UnseenError, match=told):
        styles_of(str(tmp_path / "bad.npz"))


def test_errors_teach(file, tmp_path):
    colour = objects(["mug"], 2, pose=1, side=32)
    (tmp_path / "words.npz").write_text("no weights")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for make_it, told in (
        (lambda: stylised(colour, "nowhere.npz"), "no file 'nowhere.npz' here"),
        (lambda: stylised(colour, str(tmp_path / "words.npz")), "cannot be read as an .npz file"),
        (lambda: stylised(colour, str(tmp_path / "other.npz")), "holds no style"),
        (lambda: stylised(colour, str(tmp_path)), "has 2 .npz files"),
        (lambda: stylised({"name": "digits"}, str(file)), "1 channels"),
        (lambda: make("stylised", of=stylised(colour, file), root=file), "has a factor 'transformation' already"),
        (lambda: stylised(objects(["mug"], 2, side=8), str(file)), "too small"),
    ):
        with pytest.raises(UnseenError, match=told):
            make_it()
