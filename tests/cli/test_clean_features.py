"""Kept features go when they are told to, and results stay."""

import numpy as np
import torch

from small_study import tiny
from unseen.engines import open_study
from unseen.recordings.features import plainly
from unseen.studies.kept_features import features_home, features_of

pytest_plugins = ("studies_fixtures",)


def test_clean_removes_features_only_when_told_to(tmp_path, monkeypatch, say):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    opened = open_study(tiny(), out=tmp_path / "study")
    opened.path.mkdir()
    from unseen.studies.describe import recipe_toml

    (opened.path / "recipe.toml").write_text(recipe_toml(opened.recipe), encoding="utf-8")
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
