"""The class map from ImageNet-1k to everyday categories, and to the 16 of Geirhos et al."""

import csv
import importlib.util
import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unseen.vocabulary.class_maps import (
    ClassMap,
    class_map,
    classes_of,
    classes_under,
    counterparts,
    imagenet_classes,
    imagenet_synsets,
    mapped,
    shared,
    with_counterpart,
)
from unseen.vocabulary.errors import UnseenError
from unseen.worlds.shapes.categories import CATEGORIES

MESHES_LARGE = [
    "aircraft", "armchair", "axe_hammer", "bag", "barrel", "bed", "bench", "bicycle_motorbike", "bin_basket",
    "bird", "boat", "book", "bookshelf", "boot", "bottle", "bowl", "building", "bush", "cabinet", "cactus",
    "candle_torch", "car", "ceiling_lamp", "chair", "chest", "conifer", "crate_box", "desk", "dessert",
    "dinosaur", "dog", "door", "fence", "fish", "flowerpot", "fridge", "fruit_vegetable", "glass", "hat",
    "hoofed_animal", "horse", "house", "kitchen_appliance", "knife", "lamp", "loafer", "mug", "mushroom",
    "palm_tree", "pan_pot", "person", "pill_bottle", "pistol", "plate", "potted_plant", "rifle", "rock",
    "sandwich_bread", "screen", "shield", "sink", "sneaker", "sofa", "spaceship", "speaker_radio", "stool",
    "stove", "street_lamp", "sword", "table", "toilet", "tower", "toy_figure", "train", "tree", "truck_bus",
    "vase", "wardrobe", "window",
]  # fmt: skip
EVERYDAY = [  # 54 classes, as many as Ibrahim et al. have
    "mug", "cup", "bowl", "vase", "jug", "teapot", "pot", "pan", "bottle", "wine glass", "bucket", "chair",
    "armchair", "stool", "bench", "sofa", "table", "desk", "bed", "bookcase", "wardrobe", "dog", "wolf", "fox",
    "cat", "horse", "cow", "sheep", "pig", "elephant", "bear", "car", "van", "bus", "truck", "tractor",
    "locomotive", "bicycle", "motorbike", "boat", "aeroplane", "duck", "hen", "fish", "guitar", "violin", "book",
    "laptop", "umbrella", "lamp", "clock", "hat", "shoe", "bag",
]  # fmt: skip
WORLDS = {"objects": list(CATEGORIES), "meshes_large": MESHES_LARGE, "everyday": EVERYDAY}
SHARED = {("flowerpot", "potted_plant")}  # ImageNet's flowerpots are photographed with their plants

# Geirhos et al. 2018 and 2019: the class numbers published with their code.
GEIRHOS = {
    "airplane": [404],
    "bear": [294, 295, 296, 297],
    "bicycle": [444, 671],
    "bird": [8, *range(10, 17), 18, 19, 20, 22, 23, 24, *range(80, 84), *range(87, 97), 98, 99, 100, *range(127, 134),
             *range(135, 146)],
    "boat": [472, 554, 625, 814, 914],
    "bottle": [440, 720, 737, 898, 899, 901, 907],
    "car": [436, 511, 817],
    "cat": [281, 282, 283, 284, 285, 286],
    "chair": [423, 559, 765, 857],
    "clock": [409, 530, 892],
    "dog": [*range(152, 192), *range(193, 204), *range(205, 227), *range(228, 242), *range(243, 251), *range(252, 258),
            259, 261, 262, 263, 265, 266, 267, 268],
    "elephant": [385, 386],
    "keyboard": [508, 878],
    "knife": [499],
    "oven": [766],
    "truck": [555, 569, 656, 675, 717, 734, 864, 867],
}  # fmt: skip


def test_the_thousand_classes_are_in_the_order_of_their_synsets_and_all_hang_on_one_tree():
    classes = imagenet_classes()
    assert [one.number for one in classes] == list(range(1000))
    assert [one.id for one in classes] == sorted(one.id for one in classes)
    tree = imagenet_synsets()
    assert all(above in tree for one in tree.values() for above in one.above)
    assert classes_under("n00001740") == frozenset(range(1000))  # entity


def test_the_classes_are_those_that_timm_lists():
    (folder,) = importlib.util.find_spec("timm").submodule_search_locations
    listed = Path(folder) / "data" / "_info" / "imagenet_synsets.txt"
    assert [one.id for one in imagenet_classes()] == listed.read_text().split()


def test_every_synset_of_a_map_exists_bears_the_name_beside_it_and_holds_a_class():
    tables = tomllib.loads(files("unseen.vocabulary").joinpath("class_maps.toml").read_text("utf-8"))
    for category, said in ((key, one) for table in tables.values() for key, words in table.items() for one in words):
        synset, name = said.removeprefix("-").split(" ", 1)
        assert name in imagenet_synsets()[synset].names, (category, said)
        assert classes_under(synset), (category, said)


def test_what_is_taken_away_was_there():
    tables = tomllib.loads(files("unseen.vocabulary").joinpath("class_maps.toml").read_text("utf-8"))
    for category, said in ((key, words) for table in tables.values() for key, words in table.items()):
        taken = set().union(*(classes_under(one.split()[0]) for one in said if not one.startswith("-")))
        for one in said:
            if one.startswith("-"):
                assert classes_under(one.split()[0][1:]) <= taken, (category, one)


@pytest.mark.parametrize("world", WORLDS)
def test_every_category_of_our_worlds_is_in_the_map_and_no_class_counts_for_two_of_a_world_unless_marked(world):
    everyday = class_map()
    for name in WORLDS[world]:
        assert name in everyday.classes or name.replace("_", " ") in everyday.classes, name
    known, _ = with_counterpart(everyday, WORLDS[world])
    assert all(counterparts(everyday, known).values()), "a narrower category left nothing"
    assert set(shared(everyday, WORLDS[world])) <= SHARED


def test_the_list_of_mesh_classes_is_that_of_the_shared_data():
    index = Path(__file__).resolve().parents[3] / "shared" / "data" / "meshes_large" / "index.csv"
    if not index.is_file():
        pytest.skip("needs ../shared/data/meshes_large, which is not here")
    with index.open(encoding="utf-8") as file:
        assert sorted({row["category"] for row in csv.DictReader(file)}) == sorted(MESHES_LARGE)


def test_six_of_the_38_procedural_categories_have_no_counterpart():
    without = with_counterpart(class_map(), list(CATEGORIES))[1]
    assert set(without) >= {"windmill", "helicopter", "giraffe", "tree", "cactus", "scissors"}


def test_the_sixteen_classes_of_geirhos_are_the_published_ones_and_are_averaged():
    ours = class_map("geirhos16")
    assert {name: list(numbers) for name, numbers in ours.classes.items()} == GEIRHOS
    assert ours.how == "mean"


def test_the_narrower_of_two_categories_has_a_class_that_both_claim():
    everyday = class_map()
    alone = counterparts(everyday, ["bird"])["bird"]
    both = counterparts(everyday, ["bird", "duck"])
    assert both["duck"] == classes_of(everyday, "duck")
    assert set(both["bird"]) == set(alone) - set(both["duck"])


# Shares of numbers under the least normal one are rounded to nothing, whoever computes them.
SHARES = st.just(0.0) | st.floats(1e-300, 1)
PROBABILITIES = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(6)), elements=SHARES)
SMALL = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.integers(0, 5), min_size=1, unique=True).map(tuple), min_size=1
)


@given(p=PROBABILITIES, classes=SMALL)
def test_a_sum_is_the_sum_over_classes_and_a_mean_is_that_sum_by_their_number(p, classes):
    small = ClassMap("small", classes, tuple("uvwxyz"))
    names = [name for name, numbers in counterparts(small, list(classes)).items() if numbers]
    own = counterparts(small, names)
    if not all(own.values()):
        return
    sums, means = mapped(p, small, names), mapped(p, small, names, "mean")
    for place, name in enumerate(names):
        np.testing.assert_allclose(sums[:, place], p[:, list(own[name])].sum(1))
        np.testing.assert_allclose(means[:, place], p[:, list(own[name])].mean(1))


@given(p=PROBABILITIES, classes=SMALL, data=st.data())
def test_the_order_of_categories_orders_the_columns_and_changes_nothing_else(p, classes, data):
    small = ClassMap("small", classes, tuple("uvwxyz"))
    names = [name for name, numbers in counterparts(small, list(classes)).items() if numbers]
    if not all(counterparts(small, names).values()):
        return
    other = data.draw(st.permutations(names))
    plain, turned = mapped(p, small, names), mapped(p, small, other)
    np.testing.assert_array_equal(turned, plain[:, [names.index(name) for name in other]])


@given(p=PROBABILITIES)
def test_categories_that_split_all_classes_share_out_all_probability(p):
    split = ClassMap("split", {"a": (0, 3), "b": (1, 2, 4), "c": (5,)}, tuple("uvwxyz"))
    np.testing.assert_allclose(mapped(p, split, ["a", "b", "c"]).sum(1), p.sum(1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: mapped(p, class_map(), ["giraffe", "mug"]), "no counterpart of giraffe"),
        (lambda p: mapped(p, class_map(), ["jabberwock"]), "no counterpart of jabberwock"),
        (lambda p: mapped(p[:, :10], class_map(), ["mug"]), "1000 classes"),
        (lambda p: mapped(p - 1, class_map(), ["mug"]), "softmax"),
        (lambda p: mapped(p * np.nan, class_map(), ["mug"]), "finite"),
        (lambda p: class_map("every-day"), "everyday"),
        (lambda p: classes_under("n00000000"), "n00000000"),
    ],
)
def test_what_does_not_fit_is_said(call, words):
    with pytest.raises(UnseenError, match=words):
        call(np.full((2, 1000), 0.001))
