"""A grid becomes trials, and a trial's identity is the hash of what could change its result, and of nothing else."""

import hashlib
import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from small_study import tiny, written
from unseen.engines import open_study
from unseen.models.factories import factory_of
from unseen.studies.study import Study
from unseen.studies.tables import component_versions
from unseen.studies.trials import describe, expand
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import read_recipe, recipe_from

NOWHERE = Path("nowhere")  # nothing is stored


def trials(**changes):
    return expand(recipe_from(tiny(**changes)))


def opened(**changes):
    return Study(recipe_from(tiny(**changes)), NOWHERE)


def identities(study, precision="float32"):
    return [study.identity(trial, precision) for trial in study.trials]


def identity(precision="float32", grid=None, **changes):
    """Of the only trial of the tiny recipe at eight seen cells per level."""
    study = opened(**{"design__seen_per_level": 8, "grid": grid or {}, **changes})
    (name,) = identities(study, precision)
    return name


def test_a_grid_becomes_every_combination_for_every_seed():
    found = trials(seeds=[3, 4], grid={"design.seen_per_level": [1, 2, 4], "network.sharing": ["shared", "separate"]})
    asked = {(t.recipe.design.arguments["seen_per_level"], t.recipe.network.sharing, t.seed) for t in found}
    assert asked == set(itertools.product([1, 2, 4], ["shared", "separate"], [3, 4]))
    assert len(found) == 12
    assert all(t.recipe.grid == ({},) for t in found)


def test_several_grids_are_joined_and_what_is_named_twice_is_one_trial():
    grids = [
        {"design.seen_per_level": [1, 8], "network.sharing": ["shared", "separate"]},
        {"design.seen_per_level": [8], "network.sharing": ["split-1", "shared"]},
        {"design.seen_per_level": [8]},  # shared, by default: named before
    ]
    found = trials(grid=grids, seeds=[0, 0])
    assert [t.label for t in found] == [
        "seen_per_level 1 · shared · seed 0",
        "seen_per_level 1 · separate · seed 0",
        "seen_per_level 8 · shared · seed 0",
        "seen_per_level 8 · separate · seed 0",
        "seen_per_level 8 · split-1 · seed 0",
    ]


def test_a_recipe_without_a_grid_is_one_trial_for_each_seed():
    assert [t.label for t in trials(grid={}, seeds=[5, 7])] == ["seed 5", "seed 7"]


def test_labels_say_what_varies_and_leave_out_the_section():
    (trial,) = trials(grid={"training.lr": [0.1], "design.withhold_rows": [["3"]], "network.stem": ["small"]})
    assert trial.label == "lr 0.1 · withhold_rows 3 · small · seed 0"


def test_labels_count_long_lists_and_say_which_key_of_the_design_a_name_belongs_to():
    many = list("abcde")
    grids = [
        {"design.level": [many], "network.sharing": ["shared"]},
        {"design.train": [["blur"], ["blur", "hue"], many, []]},
        {"design.train_all_but": ["blur"]},
        {"recordings.layers": [many]},
    ]
    assert [t.label for t in trials(grid=grids, seeds=[0])] == [
        "5 levels · shared · seed 0",
        "train blur · seed 0",
        "train blur + hue · seed 0",
        "train 5 levels · seed 0",
        "train none · seed 0",
        "train_all_but blur · seed 0",
        "layers 5 values · seed 0",
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [("seen_per_level", "design.seen_per_level"), ("trainin.lr", "training.lr"), ("seeds", ""), ("training", "")],
)
def test_a_grid_key_that_leads_nowhere_is_refused_with_the_likely_one(key, hint):
    with pytest.raises(UnseenError, match=r"must be section.key") as told:
        trials(grid={key: [1]}, design__seen_per_level=1)
    assert hint in str(told.value)


def test_a_grid_value_that_is_not_possible_names_the_key():
    with pytest.raises(UnseenError, match=r"training\.epochs.*greater than or equal to 1"):
        trials(grid={"training.epochs": [1, 0]})


CHANGES = {
    "lr": {"training__lr": 0.5},
    "epochs": {"training__epochs": 2},
    "batch": {"training__batch": 30},
    "threads": {"training__threads": 2},  # sums are split differently
    "loss weights": {"training__loss_weights": {"category": 2.0}},
    "sharing": {"network__sharing": "separate"},
    "backbone": {"network__backbone": "resnet18-w16"},
    "stem": {"network__stem": "standard"},
    "images": {"design__images": 180},
    "seen cells": {"design__seen_per_level": 4},
    "design seed": {"design__seed": 1},
    "targets": {"targets": ["category"]},
    "layers": {"recordings": {"layers": "all"}},
    "sets": {"recordings": {"sets": ["seen"]}},
    "viewpoint": {"world__viewpoint": "scale", "design__columns": "scale"},
    "digits": {"world__categories": [0, 1, 2, 3, 4, 5, 6, 7, 9]},
    "seed": {"seeds": [1]},
}


@pytest.mark.parametrize("change", CHANGES)
def test_identity_changes_with_everything_that_matters(change):
    assert identity(**CHANGES[change]) != identity()


def test_all_these_identities_are_different_from_each_other():
    names = [identity(**change) for change in CHANGES.values()]
    assert len(set(names)) == len(names)
    assert all(len(name) == 16 for name in names)


def test_identity_changes_with_precision_and_auto_says_which_was_used():
    assert identity("bf16") != identity("float32")
    assert identity("float32", training__precision="float32") == identity("float32")


NOTHING = {
    "the title": {"title": "Other"},
    "the question": {"question": "Why?"},
    "the citation": {"citation": "A. Nonymous"},
    "published numbers": {"published": "madan2022/ilab"},
    "measures, which are computed afterwards": {"measures": {"variant": "as_released"}},
    "a default written out": {"training__optimiser": "adam", "network__sharing": "shared", "recordings": {}},
    "the other seeds": {"seeds": [0, 0]},
}


@pytest.mark.parametrize("change", NOTHING)
def test_identity_does_not_change_with(change):
    assert identity(**NOTHING[change]) == identity()


def test_identity_does_not_depend_on_the_grid_that_led_to_it_nor_on_the_order_of_keys():
    plain = identity()
    assert identity(grid={"design.seen_per_level": [8]}) == plain
    assert identity(grid={"network.sharing": ["shared"], "design.seen_per_level": [8]}) == plain
    backwards = {key: dict(reversed(v.items())) if isinstance(v, dict) else v for key, v in reversed(tiny().items())}
    study = Study(
        recipe_from({**backwards, "design": {**backwards["design"], "seen_per_level": 8}, "grid": {}}), NOWHERE
    )
    assert identities(study) == [plain]


def test_identity_follows_a_checkpoint_by_what_it_holds_not_by_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.pt").write_bytes(b"weights")
    (tmp_path / "two.pt").write_bytes(b"weights")
    first = identity(network__checkpoint="one.pt")
    assert first == identity(network__checkpoint=str(tmp_path / "two.pt")) != identity()
    (tmp_path / "one.pt").write_bytes(b"weighty")
    assert identity(network__checkpoint="one.pt") != first
    with pytest.raises(UnseenError, match=r"checkpoint = 'three.pt' is not a file here"):
        identity(network__checkpoint="three.pt")


def test_a_checkpoint_is_found_below_the_home_folder_and_hashed_once_for_all_trials(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "start.pt").write_bytes(b"first weights")
    times, hashing = [], hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *words: times.append(words) or hashing(*words))
    found = identities(opened(network__checkpoint="~/start.pt", seeds=[0, 1, 2]))
    assert len(set(found)) == 6
    assert len(times) == 1


OWN = """
from helpers_for_tests import made

def small():
    return 1
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Writes the user's module and says the identity of a trial on a network of it, as a new process would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text, backbone="own_for_tests:small", helper=""):
        (tmp_path / "helpers_for_tests.py").write_text(f"def made(): return 0  # {helper}")
        (tmp_path / "own_for_tests.py").write_text(text)
        for name in ("own_for_tests", "helpers_for_tests"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return identity(network={"backbone": backbone})

    return write


def test_identity_follows_the_code_of_a_users_own_network(own):
    first = own(OWN)
    assert own(OWN) == first
    assert own(OWN.replace("1", "2")) != first
    assert own(OWN, "own_for_tests:made") != own(OWN, "own_for_tests:made", helper="of another file")


def test_a_file_that_is_edited_after_its_import_counts_as_it_was_imported(own, tmp_path):
    first = own(OWN)
    factory_of("own_for_tests:small")
    (tmp_path / "own_for_tests.py").write_text(OWN.replace("1", "2"))
    assert identity(network={"backbone": "own_for_tests:small"}) == first


def test_identity_follows_the_version_and_the_code_of_an_installed_backbone(own, tmp_path, monkeypatch):
    package = tmp_path / "nets_for_tests.dist-info"
    package.mkdir()
    names = ("small-of-mine", "resnet18-w8")
    points = "\n".join(f"{name} = own_for_tests:small" for name in names)
    (package / "entry_points.txt").write_text(f"[unseen.backbones]\n{points}\n")

    def found(version, text=OWN, backbone=names[0]):
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: nets-for-tests\nVersion: {version}\n")
        return own(text, backbone)

    first = found("1.0")
    assert first == found("1.0")
    assert len({first, found("1.1"), found("1.0", OWN.replace("1", "2"))}) == 3
    assert found("1.0", backbone=names[1]) == found("1.1", backbone=names[1])  # a name of ours stays ours


def test_identity_does_not_follow_the_order_in_which_augmentations_are_named():
    two = {"flip": 0.5, "shift": 2.0}
    assert identity(training__augment=two) == identity(training__augment=dict(reversed(two.items())))


def test_what_was_mended_orphans_only_the_trials_that_use_it():
    def versions(**changes):
        study = opened(**{"design__seen_per_level": 8, "grid": {}, **changes})
        return set(describe(study.trials[0], study.world(study.trials[0]), "float32")["versions"])

    plain = {"design", "training", "models", "recordings"}
    assert versions() == plain
    assert versions(training__augment={"flip": 0.5}) == {*plain, "augment"}
    assert versions(training__augment={"brightness": 0.5}) == {*plain, "augment"}
    tables = {"title": "t", "world": {"name": "transformed"}, "design": {"name": "matrix"}}
    for plan, named in (({"brightness": 0.5}, True), ({"flip": 0.5}, False)):
        assert ("brightness" in component_versions(recipe_from({**tables, "training": {"augment": plan}}), ())) == named
    assert versions(design__disjoint_by="nothing") == {*plain, "pools"}


def photos(folder, shade=0):
    for number, (kind, view) in enumerate(itertools.product("abc", "xyz")):
        for copy in range(8):
            place = folder / kind / view / f"{copy}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            colour = (25 * number + shade, 10 * copy, 0)
            Image.fromarray(np.full((8, 8, 3), colour, np.uint8)).save(place)
    return folder


def folder_study(root, tmp_path):
    tables = tiny(
        world={"name": "folder", "root": str(root), "template": "{category}/{view}/*.png", "size": 8},
        design={"name": "hold_out_combinations", "columns": "view", "shares": [0.5, 0.25, 0.25]},
        grid={"design.seen_per_level": [1, 2]},
    )
    return open_study(tables, out=tmp_path / "study")


def test_identity_follows_the_pictures_of_a_folder_not_its_place(tmp_path):
    one, two = photos(tmp_path / "one"), photos(tmp_path / "elsewhere" / "two")
    first = identities(folder_study(one, tmp_path))
    assert identities(folder_study(two, tmp_path)) == first
    photos(two, shade=3)
    assert set(identities(folder_study(two, tmp_path))).isdisjoint(first)


def test_identity_follows_lists_by_what_they_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def listed(where, train):
        (tmp_path / where).mkdir(exist_ok=True)
        for name, rows in {"train": train, "unseen": range(200, 240)}.items():
            (tmp_path / where / f"{name}.txt").write_text("\n".join(map(str, rows)))
        lists = {name: f"{where}/{name}.txt" for name in ("train", "unseen")}
        design = {"name": "from_lists", "columns": "position", "lists": lists}
        (name,) = identities(opened(design=design, grid={}))
        return name

    first = listed("here", range(100))
    assert listed("there", range(100)) == first
    assert listed("there", range(101)) != first
    (tmp_path / "there" / "train.txt").unlink()
    gone = {"train": "there/train.txt", "unseen": "there/unseen.txt"}
    study = opened(design={"name": "from_lists", "columns": "position", "lists": gone}, grid={})
    with pytest.raises(UnseenError, match=r"design.lists names 'there/train.txt', which is not a file here"):
        identities(study)


def finish(study, trial, precision):
    study.store.save(study.identity(trial, precision), lambda folder: (folder / "trial.json").write_text("{}") and None)


def test_auto_precision_is_content_with_a_trial_finished_in_another(tmp_path):
    study = open_study(tiny(), out=tmp_path)
    one, two = study.trials
    assert (study.find(one), study.find(two)) == (None, None)
    finish(study, one, "bf16")  # as a GPU does
    assert study.find(one, "cpu") == study.find(one, "cuda") == study.identity(one, "bf16")
    assert study.missing("cpu") == study.missing("cuda") == [two]
    finish(study, one, "float32")
    assert study.find(one, "cpu") == study.identity(one, "float32")
    assert study.find(one, "cuda") == study.identity(one, "bf16")


def test_a_named_precision_is_not_content_with_another(tmp_path):
    study = open_study(tiny(training__precision="float32"), out=tmp_path)
    finish(study, study.trials[0], "bf16")
    assert len(study.missing()) == 2


def test_a_recipe_gives_the_same_trials_from_a_file_as_from_tables(tmp_path):
    written(tmp_path / "tiny.toml", tiny())
    from_file = Study(read_recipe(tmp_path / "tiny.toml"), NOWHERE)
    assert identities(from_file) == identities(opened())
    assert identities(open_study(from_file.recipe, out=tmp_path)) == identities(opened())
