"""What `unseen run` would refuse, `unseen check` finds, and what cannot be meant is not accepted without a word."""

import json
import re
from pathlib import Path

import pytest
import torch

from small_study import ran, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.results import gather
from unseen.models import build
from unseen.studies.checks import check_study
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from

ONE = {"grid": {"design.seen_per_level": [8]}}
RECORDED = {"sets": ["unseen"], "layers": "none"}


def told(tables):
    with pytest.raises(UnseenError) as error:
        check(open_study(tables, out=Path("nowhere")))
    return str(error.value)


# Weights


@pytest.fixture
def weights(tmp_path):
    """Those of the tiny study's network, and a file of another."""
    net = build("resnet18-w8", {"category": 9, "position": 9}, stem="small", seed=1)
    torch.save(net.state_dict(), tmp_path / "fits.pt")
    torch.save(build("resnet18-w16", {"category": 9}, stem="small", seed=1).state_dict(), tmp_path / "wider.pt")
    torch.save(net, tmp_path / "pickled.pt")
    (tmp_path / "torn.pt").write_bytes((tmp_path / "fits.pt").read_bytes()[:1000])
    return tmp_path


def test_a_checkpoint_that_fits_passes(weights):
    assert check(open_study(tiny(**ONE, network__checkpoint=str(weights / "fits.pt")), out=weights / "study"))


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("none.pt", r"none\.pt"),
        ("wider.pt", r"wider\.pt' does not fit: .* of another shape \("),
        ("pickled.pt", r"pickled\.pt' holds more than tensors"),
        ("torn.pt", r"torn\.pt' could not be read"),
    ],
)
def test_a_checkpoint_that_is_missing_pickled_torn_or_of_another_network_is_found(weights, file, words):
    assert re.search(words, told(tiny(**ONE, network__checkpoint=str(weights / file))))


def test_weights_that_cannot_be_fetched_are_told_with_where_they_were_looked_for():
    said = told(tiny(**ONE, network={"backbone": "resnet18", "stem": "small", "pretrained": True}))
    assert "'timm/resnet18.a1_in1k' of the Hugging Face hub" in said
    assert re.search(r"are not in /.*hub, and cannot be fetched from here \(HF_HUB_OFFLINE is set\)", said)
    assert "network.checkpoint" in said
    assert "has no weights for 'mixer_s32_224'" in told(
        tiny(**ONE, network={"backbone": "mixer_s32_224", "pretrained": True})
    )


def test_a_finished_study_is_reported_where_its_weights_are_gone(weights):
    study = open_study(tiny(**ONE, network__checkpoint=str(weights / "fits.pt")), out=weights / "study")
    assert ran(study).finished == 1
    study = open_study(tiny(**ONE, network__checkpoint=str(weights / "fits.pt")), out=weights / "study")
    check_study(study)
    assert gather(study).splits


# Networks


@pytest.mark.parametrize(
    ("network", "words"),
    [
        ({"backbone": "levit_128"}, "'levit_128' cannot take images of 24×24"),
        ({"backbone": "resnet18-w8", "arguments": {"zero_init_lats": True}}, "zero_init_lats"),
        ({"backbone": "mlp", "arguments": {"widht": 3}}, "no argument 'widht'.*Did you mean 'width"),
        ({"backbone": "resnet50", "stem": "small"}, "'resnet50' keeps its own stem"),
        ({"backbone": "resnet50.a1_in1"}, "no weights 'a1_in1' in timm's 'resnet50'.* Did you mean 'a1_in1k'"),
        ({"backbone": "resnet18.a1_in1"}, "no weights 'a1_in1' in timm's 'resnet18'.* Did you mean 'a1_in1k'"),
        (
            {"backbone": "mlp", "arguments": {"widths": [10**7, 10**7]}},
            "weights for these images, which no machine can",
        ),
    ],
)
def test_a_network_that_cannot_be_is_found(network, words):
    assert re.search(words, told(tiny(**ONE, network=network))), told(tiny(**ONE, network=network))


def test_batches_of_one_image_are_refused_where_a_network_cannot_learn_from_them():
    said = told(tiny(**ONE, training__batch=1, network={"backbone": "resnet18-w8", "stem": "standard"}))
    assert "'resnet18-w8' cannot learn from one image at a time" in said
    assert check(open_study(tiny(**ONE, training__batch=1), out=Path("nowhere")))  # the small stem leaves positions


# Numbers


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"design__probe_per_cell": -1}, "design.probe_per_cell = -1"),
        ({"design__images": True}, "design.images = true"),
        ({"design__images": "90"}, "design.images = '90' would be read as 90"),
        ({"world__canvas": 100_000}, "a canvas of 100,000 pixels is too large"),
        ({"world__cell": 100_000}, "`cell` = 100,000 makes|too large"),
        ({"seeds": [2**63]}, "too large"),
        ({"seeds": [-1]}, "go from 0; -1 was given"),
        ({"design__seed": -4}, "go from 0; -4 was given"),
        ({"seeds": [0, 1, 0]}, "seeds names 0 more than once"),
        ({"targets": ["category", "category"]}, "targets names category more than once"),
        ({"recordings": {"sets": ["unseen", "unseen"]}}, "recordings.sets names unseen more than once"),
        ({"training__loss_weights": {"category": 0, "position": 0}}, "are 0 for all targets"),
        ({"training__loss_weights": {"category": -1}}, "loss_weights.category = -1: a weight below 0"),
        ({"training__warmup": 5}, "training.warmup = 5 epochs is longer than the 1 epochs"),
        ({"training__threads": 10_000}, "training.threads = 10,000; possible: 1 to 1,024"),
        ({"training__lr": 1e30}, "training.lr = 1e.30 is too large"),
        ({"training__epochs": 10**12}, "makes [0-9,]+ steps"),
        ({"world__canvas": 4000, "training__batch": 100_000, "design__images": 900}, "takes .* GiB before|too large"),
        ({"grid": {f"world.{key}": list(range(100)) for key in "abcdef"}}, "makes 1,000,000,000,000 trials"),
        ({"recordings": {"sets": ["unseen"]}, "design__test_images": 0}, "test_images = 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes, words):
    said = told(tiny(**({} if "grid" in changes else ONE), **changes))
    assert re.search(words, said), said


def test_recipes_of_old_studies_with_such_settings_are_still_read():
    recipe = recipe_from(tiny(seeds=[-1, -1], training__loss_weights={"category": 0, "position": 0}, **ONE))
    assert len(Study(recipe, Path("nowhere")).trials) == 1


def test_a_target_may_have_no_weight_as_long_as_another_has():
    assert check(open_study(tiny(**ONE, training__loss_weights={"category": 0}), out=Path("nowhere")))


# What was told in the middle of a run


def test_pairs_in_a_world_that_is_no_grid_are_told_before_training():
    tables = tiny(
        **ONE,
        network={"backbone": "pcl", "channels": 1},
        training={"epochs": 1, "objective": "pcl", "normalise": "none"},
        recordings={"layers": "none"},
    )
    assert "training.objective = 'pcl' learns from pairs" in told(tables)


def test_a_search_among_too_few_images_is_told_before_training():
    design = {"name": "from_lists", "columns": "position", "lists": {"train": ["0"], "unseen": ["1"]}}
    assert "[search] holds out a part" in told(
        tiny(design=design, search={"lr": [0.1, 0.2]}, grid={}, recordings=RECORDED)
    )


@pytest.mark.parametrize("inner", [["digits"], "digits", 3, None])
def test_a_world_within_a_world_is_a_section(inner):
    world = {"name": "transformed", "levels": ["blur"], "of": inner}
    assert "world.of = " in told(tiny(**ONE, world=world))
    assert "must be a section, e.g. [world.of] and name" in told(tiny(**ONE, world=world))


def test_a_matrix_must_be_asked_for_its_category():
    tables = {
        "title": "Matrix", "seeds": [0], "targets": ["transformation"],
        "world": {"name": "transformed", "levels": ["blur"], "of": {"name": "digits", "viewpoint": "none"}},
        "design": {"name": "matrix", "factor": "transformation", "train": ["none"], "images_per_category": 10},
        "network": {"backbone": "mlp", "channels": 1}, "recordings": {"layers": "none"},
    }  # fmt: skip
    assert 'Add it to targets: targets = ["category", "transformation"]' in told(tables)
    tables["targets"] = ["category"]
    assert check(open_study(tables, out=Path("nowhere")))


def test_seeds_as_large_as_can_be_are_trained_and_come_back(tmp_path):
    study = open_study(tiny(**ONE, seeds=[2**63 - 1]), out=tmp_path / "study")
    check(study)
    assert ran(study).finished == 1
    from unseen.kinds.collect import collect

    assert set(collect(study)["seed"]) == {2**63 - 1}
    assert json.loads(json.dumps(study.trials[0].seed)) == 2**63 - 1
