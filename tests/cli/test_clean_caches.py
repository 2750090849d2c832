"""Kept features and objects go when they are told to, and results stay."""

import numpy as np
import pytest
import torch

from small_study import tiny
from unseen.engines import open_study
from unseen.recordings.features import plainly
from unseen.studies.kept_features import features_home, features_of
from unseen.studies.recipe_files import recipe_toml
from unseen.worlds.kept_objects import objects_at_hand, objects_home

pytest_plugins = ("studies_fixtures",)


@pytest.fixture
def opened(tmp_path):
    study = open_study(tiny(), out=tmp_path / "study")
    study.path.mkdir()
    (study.path / "recipe.toml").write_text(recipe_toml(study.recipe), encoding="utf-8")
    return study


def test_clean_removes_objects_only_when_told_to(opened, say):
    objects_at_hand([("mug", 0)], 0, "first")
    assert say("clean", opened.path).code == 0
    assert len(list(objects_home().glob("*/*/*.objects"))) == 1
    told = say("clean", opened.path, "--objects")
    assert told.code == 0
    assert "KB of objects in" in told.flat
    assert not list(objects_home().glob("*/*/*.objects"))
    assert "removed 0 B of objects" in say("clean", opened.path, "--objects").flat


def test_clean_removes_features_only_when_told_to(opened, say):
    world = opened.world(opened.trials[0])
    kept = features_of({"digest": "d"}, "features", world, "float32", {"model": "m"})
    cpu = torch.device("cpu")
    kept.add(np.arange(5), plainly(world.images, cpu), lambda x: x.float().mean((2, 3)), device=cpu)
    assert say("clean", opened.path).code == 0
    assert len(list(features_home().iterdir())) == 1
    told = say("clean", opened.path, "--features", "--yes")
    assert told.code == 0
    assert "of features in" in told.flat
    assert list(features_home().iterdir()) == []
