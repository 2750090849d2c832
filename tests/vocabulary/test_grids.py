"""Keys that grids vary are changed there, and what a refusal advises works as it is written."""

import datetime
import shlex
from itertools import pairwise

import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.grids import inline, setting_value
from unseen.vocabulary.recipe import changed, parse, read_recipe, recipe_from, shipped

BASE = {"title": "x", "world": {"name": "digits"}, "design": {"name": "from_lists"}, "training": {"epochs": 8}}
SOME = [{"network.backbone": ["a", "b"]}, {"network.backbone": ["c"], "training.epochs": [4]}]
ALL = [{"training.lr": [0.1]}, {"training.lr": [0.2], "network.stem": ["small"]}]


def advised(message):
    """The settings of every command line in a message."""
    return [
        [word for before, word in pairwise(words) if before == "--set"]
        for line in message.splitlines()
        if (words := shlex.split(line[line.rindex(": --set") :]))
    ]


def refused(grids, setting):
    with pytest.raises(UnseenError) as told:
        changed({**BASE, "grid": grids}, [setting], "recipe")
    return str(told.value)


def test_a_key_that_some_grids_have_is_set_in_both_places_as_the_refusal_says():
    said = refused(SOME, "training.epochs=3")
    assert said.startswith("--set training.epochs: 1 of this recipe's 2 grids have their own 'training.epochs' = [4]")
    (settings,) = advised(said)
    assert settings == ["training.epochs=3", 'grid."training.epochs"=[3]']
    for order in (settings, settings[::-1]):
        tables = changed({**BASE, "grid": SOME}, order, "recipe")
        assert tables["training"]["epochs"] == 3
        assert tables["grid"] == [SOME[0], {"network.backbone": ["c"], "training.epochs": [3]}]


def test_a_key_that_all_grids_have_is_set_in_all_or_in_one_grid_as_the_refusal_says():
    in_all, in_one = advised(refused(ALL, "training.lr=0.5"))
    lrs = [grid["training.lr"] for grid in changed({**BASE, "grid": ALL}, in_all, "recipe")["grid"]]
    assert lrs == [[0.5], [0.5]]
    assert changed({**BASE, "grid": ALL}, in_one, "recipe")["grid"] == {"training.lr": [0.5]}


@pytest.mark.parametrize("value", ["sgd", '"it is"', "[1, 2]", "{shift = 2}", "true", "1e-5", "2020-01-01", "it's"])
def test_advice_survives_the_shell_and_toml_whatever_the_value(value):
    grids = [{"training.lr": [0.1]}, {"training.lr": [{"a": ["b"]}], "network.stem": ["small"]}]
    for settings in advised(refused(grids, f"training.lr={value}")):
        grid = changed({**BASE, "grid": grids}, settings, "recipe")["grid"]
        for one in grid if isinstance(grid, list) else [grid]:
            assert one["training.lr"] == [setting_value(f"x={value}")]


def test_a_key_that_no_grid_has_is_varied_in_all_of_them():
    tables = changed({**BASE, "grid": SOME}, ['grid."design.seed"=[0, 1]'], "recipe")
    assert [one["design.seed"] for one in tables["grid"]] == [[0, 1], [0, 1]]
    assert [one["network.backbone"] for one in tables["grid"]] == [["a", "b"], ["c"]]


def test_a_recipe_that_was_read_can_have_its_grid_changed_too():
    recipe = recipe_from({**BASE, "grid": {"training.lr": [0.1]}})
    tables = changed(recipe.model_dump(), ['grid."training.lr"=[0.5]'], "recipe")
    assert recipe_from(tables).grid == ({"training.lr": [0.5]},)


def test_the_epochs_of_a_shipped_recipe_of_several_grids_can_be_set_by_following_the_advice():
    path = shipped()["schott2022/mpi3d"]
    with pytest.raises(UnseenError) as told:
        read_recipe(path, ["training.epochs=3"])
    (settings,) = advised(str(told.value))
    recipe = read_recipe(path, settings)
    assert recipe.training.epochs == 3
    assert [one["training.epochs"] for one in recipe.grid if "training.epochs" in one] == [[3], [3]]


def test_plain_data_is_written_as_toml_on_one_line():
    data = {"a.b": [1, -0.5, True, 'say "x"'], "c": {"d": []}, "e": datetime.date(2020, 1, 1)}
    assert parse(f"x = {inline(data)}") == {"x": data}
