"""Pictures restored by an untrained network: what is fitted, when it stops, what stands beside it."""

import csv

import numpy as np
import pytest
import torch
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.engines.damage import Damage, classical, damaged, shrinking, text_mask
from unseen.engines.restorations import learning_curves, loaded, restoration
from unseen.engines.restoring import Fit, psnr, restore
from unseen.models.hourglass import KINDS, prior_network
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make

SMALL = Fit(steps=40, scales=2, width=8)


@pytest.fixture(scope="module")
def pictures():
    world = make("objects", categories=["mug", "dog"], instances=1, pose=1, side=32)
    return world.images(np.arange(2)).numpy().astype(np.float32) / 255


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_shows_pictures_of_its_inputs_size_and_comes_from_its_seed(kind):
    one, again, other = (prior_network(kind, scales=2, width=6, inputs=5, seed=seed) for seed in (4, 4, 5))
    noise = torch.rand(1, 5, 16, 24)
    assert one(noise).shape == (1, 3, 16, 24)
    assert torch.equal(one(noise), again(noise))
    assert not torch.equal(one(noise), other(noise))


def test_only_the_skip_network_has_what_skips_across():
    size = {kind: sum(p.numel() for p in prior_network(kind, scales=3, width=16).parameters()) for kind in KINDS}
    assert size["skip"] > size["plain"]
    default = sum(p.numel() for p in prior_network("skip").parameters())
    assert 2_100_000 < default < 2_400_000  # the paper's default has about 2.2 million


def test_a_picture_comes_out_the_same_in_company(pictures):
    given, damage = damaged(pictures, "denoise", 25.0)
    both = restore(given, damage, Fit(steps=6, scales=2, width=6), truth=pictures)
    one = restore(given[1:], damage, Fit(steps=6, scales=2, width=6), truth=pictures[1:])
    np.testing.assert_array_equal(both.last[1:], one.last)
    np.testing.assert_array_equal(both.psnr[:, 1:], one.psnr)


def test_fitting_lowers_the_error_and_psnr_is_scikit_images(pictures):
    given, damage = damaged(pictures, "denoise", 25.0)
    found = restore(given, damage, SMALL, truth=pictures)
    assert found.last.shape == pictures.shape
    assert (found.loss[-1] < found.loss[0]).all()
    assert found.steps.tolist() == [10, 20, 30, 40]
    wanted = [peak_signal_noise_ratio(a, b, data_range=1) for a, b in zip(pictures, found.last)]
    assert found.psnr[-1] == pytest.approx(wanted, abs=1e-3)
    assert psnr(given, pictures) == pytest.approx(
        [peak_signal_noise_ratio(a, b, data_range=1) for a, b in zip(pictures, given)], abs=1e-3
    )


@pytest.mark.slow
def test_the_stop_is_where_the_last_outputs_vary_least_without_looking_at_the_truth(pictures):
    given, damage = damaged(pictures, "denoise", 25.0)
    found = restore(given, damage, Fit(steps=110, scales=2, width=6))
    assert found.psnr is None
    finite = np.isfinite(found.variance[:, 0])
    assert finite.tolist() == [False] * 9 + [True] * 2
    for place in range(2):
        assert found.chosen_step[place] == found.steps[found.variance[:, place].argmin()]


@pytest.mark.parametrize("size", [(30, 45), (17, 33)], ids=str)
def test_any_size_is_restored_and_pixels_that_are_missing_do_not_count(size):
    rng = np.random.default_rng(0)
    picture = rng.random((1, 3, *size)).astype(np.float32)
    mask = np.ones(size, bool)
    mask[4:9, 3:12] = False
    spoiled = picture.copy()
    spoiled[..., ~mask] = 7.0
    one, other = (restore(x, Damage("inpaint", 0, mask), Fit(steps=10, scales=3, width=4)) for x in (picture, spoiled))
    assert one.last.shape == (1, 3, *size)
    np.testing.assert_allclose(one.loss, other.loss, atol=1e-5)


def test_super_resolution_compares_with_pillows_lanczos(pictures):
    given, damage = damaged(pictures, "super-resolve", 4)
    assert given.shape[-2:] == (8, 8)
    plane = Image.fromarray(pictures[0, 0]).resize((8, 8), Image.Resampling.LANCZOS)
    np.testing.assert_allclose(given[0, 0], np.clip(np.asarray(plane), 0, 1), atol=1e-4)
    assert np.allclose(shrinking(32, 4).sum(1), 1, atol=1e-5)
    exact = damage.operator(torch.device("cpu"))(torch.from_numpy(pictures), torch.from_numpy(given))
    assert (exact < 1e-4).all()
    assert set(classical(given, damage)) == {"bicubic", "Lanczos"}


def test_every_classical_way_does_better_than_nothing(pictures):
    for task, amount, ways in (("denoise", 25.0, 2), ("inpaint", 0.5, 1)):
        given, damage = damaged(pictures, task, amount)
        made = classical(given, damage)
        assert len(made) == ways
        for restored in made.values():
            assert (psnr(restored, pictures) > psnr(given, pictures)).all()


@pytest.mark.slow
def test_natural_pictures_are_learned_before_noise(pictures):
    found = learning_curves(pictures[0], Fit(steps=60, scales=2, width=8))
    natural, noisy, scrambled, white = found.loss[-1]
    assert natural < noisy < white
    assert natural < scrambled < white


def test_a_text_mask_leaves_most_pixels_and_covers_some():
    mask = text_mask(64, 80)
    assert mask.shape == (64, 80)
    assert 0.03 < 1 - mask.mean() < 0.6


def saved(tmp_path, pictures):
    paths = []
    for place, picture in enumerate(pictures):
        path = tmp_path / f"picture-{place}.png"
        Image.fromarray(np.rint(picture * 255).astype(np.uint8).transpose(1, 2, 0)).save(path)
        paths.append(path)
    return paths


def test_the_command_writes_pictures_numbers_and_a_sheet(tmp_path, pictures):
    paths = saved(tmp_path, pictures)
    out = tmp_path / "out"
    ask = ["restore", *map(str, paths), "--task", "inpaint", "--mask", "text", "--steps", "20", "--scales", "2"]
    done = CliRunner().invoke(app, [*ask, "--width", "4", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "biharmonic" in done.output
    with (out / "psnr.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["picture"] for row in rows} == {"picture-0", "picture-1"}
    with Image.open(out / "sheet.png") as sheet:
        assert sheet.width > 300
    assert (out / "picture-0 skip, stopped.png").exists()
    with (out / "curves.csv").open() as file:
        assert [row["step"] for row in csv.DictReader(file)] == ["10", "10", "20", "20"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--task", "denoize"], "no task 'denoize'.*Did you mean 'denoise'"),
        (["--network", "unet"], "no network 'unet'.*possible: skip, plain, resnet"),
        (["--amount", "-3"], "not possible with --task denoise"),
        (["--task", "super-resolve", "--amount", "1"], "how many times smaller"),
        (["--task", "inpaint", "--mask", "none.png"], 'no such picture.*or "text"'),
        (["--task", "inpaint", "--as-is"], "needs --mask"),
        (["--steps", "0"], "at least one step"),
        (["--size", "4"], "at least 16 pixels"),
        (["--task", "curves"], "takes one picture"),
    ],
)
def test_what_cannot_be_restored_is_explained(tmp_path, pictures, options, says):
    paths = saved(tmp_path, pictures)
    ask = ["restore", *map(str, paths), "--scales", "2", "--width", "4", "--out", str(tmp_path / "out"), *options]
    with pytest.raises(UnseenError, match=f"(?s){says}"):
        CliRunner().invoke(app, ask, catch_exceptions=False)


def test_a_file_that_is_no_picture_is_named(tmp_path, pictures):
    wrong = tmp_path / "notes.txt"
    wrong.write_text("hello")
    with pytest.raises(UnseenError, match=r"notes\.txt cannot be read as a picture"):
        loaded([wrong], 64)
    with pytest.raises(UnseenError, match="no file"):
        loaded([tmp_path / "nothing.png"], 64)


def test_pictures_that_are_damaged_already_have_no_psnr(pictures):
    found = restoration(["a", "b"], pictures, "denoise", Fit(steps=10, scales=2, width=4), as_is=True)
    assert found.table == ()
    assert "picture" not in found.ways
