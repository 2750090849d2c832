"""A trial counts by the stem that its images give it; results of before the rule are not mistaken for others."""

import json
from pathlib import Path

import pytest

from small_study import ran, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.results import gather
from unseen.studies.stored import StoredStudy
from unseen.studies.study import Study
from unseen.studies.trials import expand
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import Recipe, recipe_from
from unseen.vocabulary.whole_files import put_whole

NOWHERE = Path("nowhere")  # nothing is stored

# Written down by the code before the rule, whose default was "standard": (side, backbone, stem by name) → identity.
BEFORE = {
    (24, "resnet18-w8", "standard"): "e470683074d45412",
    (24, "resnet18-w8", "small"): "14448483f6bb8951",
    (24, "mlp", "standard"): "a5ad3ce0178b77b4",
    (64, "resnet18-w8", "standard"): "56c7a7b3571a984b",
    (64, "resnet18-w8", "small"): "8376b2e7b7af0302",
    (64, "densenet121", "standard"): "e450a9f5736398c8",
    (64, "resnet50", "standard"): "06adebec6334ed37",
    (96, "resnet18-w8", "standard"): "57cba8c506314020",
    (96, "densenet121", "standard"): "a2307511f2fc3ca2",
    (96, "inception_v3", "standard"): "d0b1709aa9255885",
}
PRETRAINED = {24: "6cf38822562c8f68", 64: "ad16a3f5d5f62f5a", 96: "15a242a0b452b921"}  # by the old default


def recipe(side: int, instances: int = 8, **network) -> Recipe:
    own = side == 24  # the digits' own size
    world = {"name": "objects", "categories": 4, "instances": instances, "pose": 4, "side": side}
    design = {"name": "hold_out_combinations", "columns": "position" if own else "pose", "seen_per_level": 2}
    return recipe_from(
        tiny(
            world={"name": "digits", "viewpoint": "position"} if own else world, design=design, grid={}, network=network
        )
    )


def identity(side: int, **network) -> str:
    study = Study(recipe(side, **network), NOWHERE)
    return study.identity(study.trials[0], "float32")


@pytest.mark.parametrize(("side", "backbone", "stem"), BEFORE)
def test_a_stem_by_name_is_the_trial_it_always_was(side, backbone, stem):
    assert identity(side, backbone=backbone, stem=stem) == BEFORE[side, backbone, stem]


@pytest.mark.parametrize(
    ("side", "backbone", "chosen"),
    [
        (24, "resnet18-w8", "small"), (96, "resnet18-w8", "standard"), (96, "densenet121", "standard"),
        (64, "resnet50", "standard"), (24, "mlp", "standard"),
    ],
)  # fmt: skip
def test_the_rule_finds_old_results_where_it_chooses_their_stem(side, backbone, chosen):
    assert identity(side, backbone=backbone) == BEFORE[side, backbone, chosen]


@pytest.mark.parametrize(("side", "backbone"), [(24, "resnet18-w8"), (64, "resnet18-w8"), (64, "densenet121")])
def test_the_rule_takes_no_old_result_of_another_stem(side, backbone):
    assert identity(side, backbone=backbone) != BEFORE[side, backbone, "standard"]


def test_the_same_stem_by_rule_and_by_name_is_one_trial():
    assert identity(64, backbone="resnet18-w8") == identity(64, backbone="resnet18-w8", stem="medium")
    assert identity(96, backbone="inception_v3") == identity(96, backbone="inception_v3", stem="medium")
    assert identity(24, backbone="resnet18-w8", stem="medium") not in BEFORE.values()


@pytest.mark.parametrize("side", PRETRAINED)
def test_pretrained_networks_keep_their_stem_and_their_results(side):
    assert identity(side, backbone="resnet18-w8", pretrained=True) == PRETRAINED[side]


@pytest.mark.parametrize(("side", "stem", "left"), [(40, "medium", 3), (120, "standard", 4)])
def test_the_size_that_enters_the_network_is_what_is_told(side, stem, left):
    study = Study(recipe(side, 40, backbone="resnet18-w8"), NOWHERE)
    check(study)
    text = f"{stem} stem, chosen for {side}×{side} pixels: the last block sees {left}×{left} positions"
    assert study.networks == {"resnet18-w8, from scratch": {text: ""}}


ONE = {"design__seen_per_level": 8, "grid": {}}


def test_the_report_says_which_stem_was_chosen_and_warns_of_one_by_hand(tmp_path):
    by_rule = open_study(tiny(**ONE, network={"backbone": "resnet18-w8"}), out=tmp_path / "rule")
    ran(by_rule)
    (told,) = gather(by_rule).facts["Networks"].values()
    assert "small stem, chosen for 24×24 pixels: the last block sees 3×3 positions" in told
    assert "fewer than" not in told
    by_hand = open_study(tiny(**ONE, network={"backbone": "resnet18-w8", "stem": "standard"}), out=tmp_path / "hand")
    ran(by_hand)
    (told,) = gather(by_hand).facts["Networks"].values()
    assert "standard stem: the last block sees 1×1 positions" in told
    assert 'stem = "small" would leave 3×3' in told


def test_without_images_a_trial_is_found_by_the_stem_that_the_rule_would_choose(tmp_path):
    old = open_study(tiny(**ONE, network={"backbone": "resnet18-w8", "stem": "standard"}), out=tmp_path)
    new = open_study(tiny(**ONE, network={"backbone": "resnet18-w8"}), out=tmp_path)

    def stored() -> str | None:
        study = StoredStudy(new.recipe, tmp_path, "gone")
        return study.find(expand(new.recipe)[0])

    ran(old)
    assert stored() is None  # standard, where the rule chooses the small one
    path = old.store.trials / old.find(old.trials[0]) / "trial.json"
    facts = json.loads(path.read_text())
    del facts["network"]["input_size"], facts["network"]["positions"]  # as it was before the rule
    put_whole(path, json.dumps(facts))
    assert stored() is None
    ran(new)
    assert stored() == new.find(new.trials[0]) is not None
    assert StoredStudy(old.recipe, tmp_path, "gone").find(expand(old.recipe)[0]) == old.find(old.trials[0])


def test_an_encoder_of_an_older_recipe_that_says_standard_is_let_through_and_small_is_not():
    tables = tiny(world={"name": "dsprites"}, task="regression", grid={}, readout={"epochs": 1})
    tables["design"] = {"name": "hold_out_levels", "mode": "random", "images": 200}
    tables["recordings"] = {"sets": ["test"], "layers": "none"}
    for stem, passes in (("standard", True), ("auto", True), ("small", False)):
        tables["network"] = {"backbone": "vae", "stem": stem, "channels": 1}
        tables["training"] = {"objective": "beta-vae", "normalise": "none", "epochs": 1, "batch": 16}
        study = open_study(tables, out=NOWHERE)
        if passes:
            assert check(study)
        else:
            with pytest.raises(UnseenError, match=r'network.stem = "small" does nothing'):
                check(study)
