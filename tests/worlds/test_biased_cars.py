"""The official release of Biased-Cars, in its true layout, written small."""

import os
import pickle
import pickletools

import numpy as np
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.biased_cars import biased_cars


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def release(tmp_path):
    """data/biased_cars as the download script leaves it: five models × five bins, one image each."""
    base, labels = tmp_path / "data" / "biased_cars", {}
    folders = ("GREEN_CARS", "BLUE_CARS_9_SCALE_4_ROTATION", "RED_CARS")
    for number in range(25):
        model, azimuth = divmod(number, 5)
        name = f"frame_0005_0_5_{754460 + number:07}_2020-02-03_K1VW81KB.png"
        pool = ("train", "val", "test")[number % 3]
        place = base / folders[number % 3] / pool
        for kind, file in (("images", name), ("labels", f"label_{name}")):
            (place / kind).mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (12, 12), (number * 9, 0, 0)).save(place / kind / file)
        labels[name] = [number % 2, azimuth, 1, model]
    (base / "att_dict_simplified.p").write_bytes(pickle.dumps(labels))
    (base / "__MACOSX").mkdir()
    return tmp_path / "data"


def test_models_and_azimuth_bins_are_read_from_the_label_file(release):
    world = biased_cars(release)
    assert world.samples.space.shape == (5, 5)
    assert world.samples.space.names == ("model", "azimuth")
    assert world.samples.space["azimuth"].levels == ("0–18", "18–36", "36–54", "54–72", "72–90")
    assert [factor.kind for factor in world.samples.space.factors] == ["category", "ordinal"]
    for row in range(25):
        number = int(world.samples.name(row).split("_")[-3]) - 754460
        assert tuple(world.samples.cells(np.array([row]))[0]) == divmod(number, 5)
        assert int(world.images(np.array([row]))[0, 0, 0, 0]) == number * 9


def test_names_are_those_of_the_released_lists_and_semantic_maps_are_no_images(release):
    world = biased_cars(release / "biased_cars")
    names = list(world.samples.blocks[0].names or ())
    assert len(names) == 25
    assert "biased_cars/GREEN_CARS/train/images/frame_0005_0_5_0754460_2020-02-03_K1VW81KB.png" in names
    assert biased_cars(release).fingerprint == world.fingerprint
    assert world.size == (224, 224)


def test_the_folders_are_pools_only_when_asked(release):
    assert set(biased_cars(release).samples.pools) == {""}
    assert set(biased_cars(release, pool="folders").samples.pools) == {"train", "validation", "test"}


def test_other_attributes_may_be_factors(release):
    world = biased_cars(release, factors=("model", "azimuth", "scale"), size=12)
    assert world.samples.space.shape == (5, 5, 2)
    with pytest.raises(UnseenError, match="no factor 'zenith'"):
        biased_cars(release, factors=("zenith",))


def test_numpy_labels_are_read_and_code_in_the_pickle_is_not_run(release):
    path = release / "biased_cars" / "att_dict_simplified.p"
    labels = pickle.loads(path.read_bytes())
    path.write_bytes(pickle.dumps({f"/om5/{name}": np.array(value) for name, value in labels.items()}))
    assert len(biased_cars(release).samples) == 25
    path.write_bytes(pickle.dumps({name: np.array(value) for name, value in labels.items()}, protocol=2))
    assert len(biased_cars(release).samples) == 25

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(release / "owned"),)

    path.write_bytes(pickle.dumps({"x.png": Evil()}))
    assert any(op.name == "REDUCE" for op, *_ in pickletools.genops(path.read_bytes()))
    with pytest.raises(UnseenError, match="which a label file has no need of"):
        biased_cars(release)
    assert not (release / "owned").exists()


def test_missing_labels_are_named(release):
    path = release / "biased_cars" / "att_dict_simplified.p"
    labels = pickle.loads(path.read_bytes())
    name, _ = labels.popitem()
    path.write_bytes(pickle.dumps(labels))
    with pytest.raises(UnseenError, match=f"no labels for 1 images: {name}"):
        biased_cars(release)
    path.unlink()
    with pytest.raises(UnseenError, match=r"no att_dict_simplified.p"):
        biased_cars(release)
