"""Settings that would do nothing are refused where a recipe or ``--set`` says them; inherited ones pass."""

import pytest

from small_study import CALIBRATED, tiny
from unseen.engines import open_study
from unseen.studies.recipe_files import recipe_toml
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import shipped

UNUSED = {
    "calibration.target": (0.2, "nothing is calibrated", {"calibration": {"steps": {"blur": 0.5}}}),
    "calibration.images": (9, "nothing is calibrated", {"calibration": {"steps": {"blur": 0.5}}}),
    "search.share": (0.2, "nothing is searched for", {"search": {"lr": [0.1, 0.2]}}),
    "recordings.threshold": (0.2, "not recorded", {"recordings": {"invariance": True}}),
    "recordings.negative": ("keep", "not recorded", {"recordings": {"invariance": True}}),
    "network.as_released": (True, "shared-wide", {"network": {"sharing": "shared-wide"}}),
    "training.momentum": (0.5, "sgd", {"training": {"optimiser": "sgd"}}),
}


@pytest.mark.parametrize("key", UNUSED)
def test_a_setting_that_does_nothing_is_refused_and_passes_beside_what_it_is_for(key):
    value, why, beside = UNUSED[key]
    section, _, name = key.partition(".")
    (other, more), *_ = beside.items()
    own = tiny()
    own[section] = {**own.get(section, {}), name: value}
    with pytest.raises(UnseenError, match=rf"recipe: \[{section}\] \({name} = .*does nothing: .*{why}"):
        open_study(own)
    own[other] = {**own[other], **more}
    assert getattr(getattr(open_study(own).recipe, section), name) == value


@pytest.mark.parametrize("key", UNUSED)
def test_so_is_one_that_is_set_on_the_command_line(key):
    value, why, _ = UNUSED[key]
    text = str(value).lower() if isinstance(value, bool) else value
    with pytest.raises(UnseenError, match=rf"--set {key} does nothing: .*{why}"):
        open_study(tiny(), settings=[f"{key}={text}"])


def test_a_grid_may_bring_what_a_setting_is_for():
    grid = {"network.sharing": ["shared", "shared-wide"], "design.seen_per_level": [1]}
    assert open_study(tiny(network__as_released=True, grid=grid)).recipe.network.as_released


def test_a_default_written_out_and_what_is_inherited_say_nothing(tmp_path):
    assert open_study(tiny(calibration={"target": 0.1}, search={"share": 0.1})).recipe.search.share == 0.1
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "zaidi2020/small"\n[calibration]\nsteps = {}\n[recordings]\ninvariance = false')
    assert open_study(mine).recipe.recordings.threshold == 0.1


@pytest.mark.parametrize("name", shipped())
def test_the_stored_recipe_of_every_shipped_one_may_be_run_again(name, tmp_path):
    recipe = open_study(name).recipe
    (tmp_path / "again.toml").write_text(recipe_toml(recipe), encoding="utf-8")
    again = open_study(tmp_path / "again.toml").recipe
    assert again.model_copy(update={"readout": recipe.readout}) == recipe


def test_a_calibrated_recipe_may_say_its_target():
    assert open_study(CALIBRATED).recipe.calibration.target == "relative"
