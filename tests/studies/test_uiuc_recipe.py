"""`madan2022/uiuc-3d` on a folder laid out as the data set is, with small pictures of noise."""

import numpy as np
import pytest
from PIL import Image

from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.vocabulary.recipe import read_recipe, shipped

KINDS = ("bicycle", "car", "cellphone", "head", "iron", "monitor", "mouse", "shoe", "stapler", "toaster")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root, rng = tmp_path_factory.mktemp("uiuc"), np.random.default_rng(0)
    for kind in KINDS:
        for number in range(1, 11):
            folder = root / kind / f"{kind}_{number}"
            (folder / "mask").mkdir(parents=True)
            for azimuth in range(1, 9):
                if (kind, azimuth) == ("iron", 3):  # never photographed
                    continue
                for height, distance in ((1, 1), (2, 1), (1, 2), (3, 3)):
                    name = f"{kind}_A{azimuth}_H{height}_S{distance}"
                    Image.fromarray(rng.integers(0, 255, (6, 8, 3), dtype=np.uint8)).save(folder / f"{name}.bmp")
                (folder / "mask" / f"{kind}_A{azimuth}_H1_S1.mask").write_text("not a picture")
    settings = [f"world.root={root}", "design.images=200", f"world.cache={root / 'cache'}"]
    return open_study(read_recipe(shipped()["madan2022/uiuc-3d"], settings), out=root / "study")


def test_eight_categories_and_eight_azimuths_are_read_and_the_gap_is_built_around(study):
    space = study.world(study.trials[0]).samples.space
    assert len(space["category"].levels) == len(space["azimuth"].levels) == 8
    assert not {"head", "monitor"} & set(space["category"].levels)
    assert space["azimuth"].kind == "circular"
    gap = space["category"].levels.index("iron"), 2
    for trial, found in check(study):
        assert found.problems == ()
        split, samples = study.split(trial), study.world(trial).samples
        assert not any(split.mask(samples, name)[gap] for name in ("train", "unseen"))
        assert split.count(samples, "train") == 200


def test_no_object_is_in_two_pools(study):
    split, samples = study.split(study.trials[0]), study.world(study.trials[0]).samples
    objects = {}
    for name in ("train", "validation", "seen", "unseen"):
        cells = samples.cells(split.rows(samples, name), ["category", "object"])
        objects[name] = {tuple(cell) for cell in np.asarray(cells).tolist()}
    assert objects["train"]
    assert not objects["train"] & (objects["seen"] | objects["unseen"] | objects["validation"])
    assert not objects["validation"] & (objects["seen"] | objects["unseen"])
