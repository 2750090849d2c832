"""Recipes that extend others."""

import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import extended, read_recipe, recipe_from, shipped

BASE = """
title = "base"
[world]
name = "digits"
[design]
name = "hold_out_combinations"
columns = "position"
[training]
epochs = 7
lr = 0.5
[grid]
"design.seen_per_level" = [1, 2]
"""


def test_a_recipe_takes_what_it_does_not_say_from_the_one_it_extends(tmp_path):
    (tmp_path / "base.toml").write_text(BASE)
    own = tmp_path / "own.toml"
    own.write_text('extends = "base"\ntitle = "own"\n[training]\nlr = 0.25\n[grid]\n"training.lr" = [1, 2]')
    found = read_recipe(own)
    assert (found.title, found.training.epochs, found.training.lr) == ("own", 7, 0.25)
    assert found.grid == ({"training.lr": [1, 2]},)


def test_an_empty_table_empties_an_inherited_one_and_an_empty_section_says_nothing(tmp_path):
    (tmp_path / "base.toml").write_text(BASE.replace("lr = 0.5", "lr = 0.5\naugment = { shift = 2 }"))
    own = tmp_path / "own.toml"
    own.write_text('extends = "base"\n[training]\naugment = {}\n[world]\n')
    found = read_recipe(own)
    assert (found.training.augment, found.training.epochs, found.world.name) == ({}, 7, "digits")


def test_settings_are_applied_after_extending(tmp_path):
    (tmp_path / "base.toml").write_text(BASE)
    own = tmp_path / "own.toml"
    own.write_text('extends = "base"')
    assert read_recipe(own, ["training.epochs=3"]).training.epochs == 3


def test_a_shipped_recipe_saved_elsewhere_still_finds_what_it_extends(tmp_path):
    saved = tmp_path / "mine.toml"
    saved.write_text(shipped()["madan2022/mnist-scale"].read_text())
    assert read_recipe(saved) == read_recipe(shipped()["madan2022/mnist-scale"])


def test_tables_may_extend_a_shipped_recipe():
    found = recipe_from(extended({"extends": "madan2022/mnist-position", "title": "mine", "seeds": [7]}))
    assert (found.title, found.seeds, found.training.epochs) == ("mine", (7,), 10)


def test_two_recipes_that_extend_each_other_are_refused(tmp_path):
    (tmp_path / "a.toml").write_text('extends = "b"')
    (tmp_path / "b.toml").write_text('extends = "a"')
    with pytest.raises(UnseenError, match="extends it in turn"):
        read_recipe(tmp_path / "a.toml")


def test_an_unknown_base_is_named_with_the_nearest_one(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('extends = "madan2022/mnist-positon"')
    with pytest.raises(UnseenError, match=r"Did you mean 'madan2022/mnist-position'\?"):
        read_recipe(own)
