"""What a recipe says about a readout that no trial has is refused; what it inherits is left in peace."""

import pytest

from unseen.engines import open_study
from unseen.studies.recipe_files import recipe_toml
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import read_recipe, shipped

NOTHING = "does nothing: it is for the readout of an encoder that learned without labels"
ENCODER = {"network": {"backbone": "vae"}, "training": {"objective": "beta-vae", "normalise": "none"}}


def tables(**more):
    return {"title": "x", "world": {"name": "dsprites"}, "design": {"name": "hold_out_levels"}, **more}


def test_a_readout_beside_labels_is_refused_with_what_it_says():
    with pytest.raises(UnseenError, match=r"^recipe: \[readout\] \(epochs = 3, lr = 0.01\) does nothing"):
        open_study(tables(readout={"epochs": 3, "lr": 0.01}))
    assert open_study(tables(readout={"epochs": 3}, **ENCODER)).recipe.readout.epochs == 3


def test_one_grid_with_an_encoder_is_enough():
    grids = [{"network.backbone": ["cnn"]}, {"training.objective": ["supervised", "pcl"]}]
    assert open_study(tables(readout={"epochs": 3}, grid=grids)).recipe.readout.epochs == 3
    with pytest.raises(UnseenError, match=NOTHING):
        open_study(tables(readout={"epochs": 3}, grid=[{}, {"training.objective": ["supervised"]}]))


def test_a_setting_of_a_readout_that_no_trial_has_is_refused_from_a_file_and_from_a_notebook(tmp_path):
    words = rf"--set readout.epochs {NOTHING}.*training.objective = 'supervised', the default"
    with pytest.raises(UnseenError, match=words):
        open_study("schott2022/small", settings=["readout.epochs=3"])
    with pytest.raises(UnseenError, match=words):
        open_study(tables(), settings=["readout.epochs=3"])
    with pytest.raises(UnseenError, match=words):
        read_recipe(shipped()["demo"], ["readout.epochs=3"])


def test_a_setting_may_bring_the_encoder_that_a_readout_waits_for():
    settings = ["training.objective=beta-vae", "network.backbone=vae", "readout.epochs=4"]
    assert open_study(tables(readout={"epochs": 3}), settings=settings).recipe.readout.epochs == 4


def test_a_recipe_narrowed_to_labels_keeps_its_readout_and_one_that_extends_it_may_inherit_it(tmp_path):
    alone = 'grid={"design.mode"=["random"], "network.backbone"=["cnn"]}'
    assert open_study("schott2022/dsprites", settings=[alone]).recipe.readout.epochs == 8
    (tmp_path / "mine.toml").write_text('extends = "schott2022/small"')
    assert open_study(tmp_path / "mine.toml").recipe.readout.epochs == 8
    (tmp_path / "mine.toml").write_text('extends = "schott2022/small"\n[readout]\nepochs = 3')
    with pytest.raises(UnseenError, match=rf"mine.toml: \[readout\] \(epochs = 3\) {NOTHING}"):
        open_study(tmp_path / "mine.toml")


def test_a_recipe_with_every_default_written_out_says_nothing_about_a_readout(tmp_path):
    (tmp_path / "whole.toml").write_text(recipe_toml(read_recipe(shipped()["demo"])))
    assert open_study(tmp_path / "whole.toml").recipe == read_recipe(shipped()["demo"])


@pytest.mark.parametrize(
    ("readout", "words"),
    [
        ({"epoks": 3}, r"no key 'readout.epoks'; possible: epochs, .* Did you mean 'epochs'\?"),
        ({"epochs": "ten"}, "readout.epochs = 'ten': input should be a valid integer"),
        (3, r"readout = 3 must be a section, e.g. \[readout\] and its keys below it"),
    ],
)
def test_a_key_of_a_readout_is_checked_as_those_of_training_are(readout, words):
    with pytest.raises(UnseenError, match=words):
        open_study(tables(readout=readout, **ENCODER))


def test_the_stored_recipe_of_a_study_without_encoders_runs_again_as_a_recipe(tmp_path):
    study = open_study("schott2022/small")
    assert study.recipe.readout.epochs == 8
    (tmp_path / "again.toml").write_text(recipe_toml(study.recipe))
    again = open_study(tmp_path / "again.toml").recipe
    assert again.model_copy(update={"readout": study.recipe.readout}) == study.recipe
