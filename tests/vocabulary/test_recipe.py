"""A recipe is checked before any work starts, and says what is wrong in a sentence."""

import pytest

from unseen.vocabulary.errors import UnseenError, listed, nearest
from unseen.vocabulary.recipe import Recipe, override, parse, read_recipe, recipe_from, setting

SMALL = """
title = "Small"
targets = ["category", "position"]
seeds = [0, 1]

[world]
name = "digits"
viewpoint = "position"

[design]
name = "hold_out_combinations"
columns = "position"
seen_per_level = 2

[network]
sharing = "separate"

[training]
epochs = 3

[grid]
"design.seen_per_level" = [1, 2]
"""


@pytest.fixture
def written(tmp_path):
    def write(text=SMALL, name="small.toml"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_recipe_reads_as_written_with_defaults_beside(written):
    recipe = read_recipe(written())
    assert recipe.world.arguments == {"viewpoint": "position"}
    assert recipe.design.arguments == {"columns": "position", "seen_per_level": 2}
    assert recipe.design.seed == 0
    assert (recipe.network.sharing, recipe.network.backbone) == ("separate", "resnet18")
    assert (recipe.training.epochs, recipe.training.lr, recipe.training.optimiser) == (3, 1e-3, "adam")
    assert recipe.grid == ({"design.seen_per_level": [1, 2]},)
    assert recipe.seeds == (0, 1)


def test_several_grids_are_kept_apart_and_none_is_one_empty_grid():
    tables = parse(SMALL)
    grids = [{"network.sharing": ["shared"]}, {"seeds": [[0], [1]]}]
    assert recipe_from({**tables, "grid": grids}).grid == tuple(grids)
    del tables["grid"]
    assert recipe_from(tables).grid == ({},)
    assert recipe_from({**tables, "grid": []}).grid == ({},)


def test_a_grid_key_without_quotes_serves_too(written):
    unquoted = SMALL.replace('"design.seen_per_level"', "design.seen_per_level")
    assert read_recipe(written(unquoted)) == read_recipe(written())
    assert read_recipe(written(), ["grid.design.seen_per_level=[2]"]).grid == ({"design.seen_per_level": [2]},)
    with pytest.raises(UnseenError, match=r"this recipe has a grid over 'design.seen_per_level'"):
        read_recipe(written(unquoted), ["design.seen_per_level=1"])


def test_the_least_recipe_has_a_title_a_world_and_a_design():
    recipe = recipe_from({"title": "x", "world": {"name": "digits"}, "design": {"name": "from_lists"}})
    assert isinstance(recipe, Recipe)
    assert recipe.seeds == (0, 1, 2)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("training.epoch", 3, "no key 'training.epoch'; possible: epochs, batch,"),
        ("training.epoch", 3, "Did you mean 'epochs'?"),
        ("trainig", {"epochs": 3}, "no key 'trainig'; possible: title,"),
        ("trainig", {"epochs": 3}, "Did you mean 'training'?"),
        ("network.shared", "yes", "Did you mean 'sharing'?"),
        (
            "training.optimiser",
            "adma",
            "training.optimiser = 'adma'; possible: 'adam', 'adamw', 'sgd' or 'lbfgs'. Did you mean 'adam'?",
        ),
        ("network.stem", "smal", "Did you mean 'small'?"),
        ("network.channels", 2, "network.channels = 2; possible: 1 or 3."),
        ("training.epochs", 0, "training.epochs = 0: input should be greater than or equal to 1."),
        ("training.epochs", "ten", "training.epochs = 'ten': input should be a valid integer"),
        ("training.epochs", 2.5, "training.epochs = 2.5: "),
        ("training.lr", -1, "training.lr = -1: input should be greater than 0."),
        (
            "recordings.layers",
            "lsat",
            "recordings.layers = 'lsat'; possible: 'last', 'all' or 'none', or a list of names.",
        ),
        ("recordings.layers", "lsat", "Did you mean 'last'?"),
        ("recordings.layers", 3, "recordings.layers = 3"),
        ("recordings.threshold", "find", "recordings.threshold = 'find'; possible: 'search', or a number."),
        ("calibration.target", "rel", "calibration.target = 'rel'; possible: 'relative', or a number. Did you mean"),
        ("calibration.steps", [0.5], "calibration.steps = [0.5] must be a table, e.g. { NAME = VALUE }."),
        ("calibration.steps", {"blur": "fast"}, "calibration.steps.blur = 'fast' must be a number."),
        ("world", "digits", "world = 'digits' must be a section, e.g. [world] and name = ... below it."),
        ("training", 3, "training = 3 must be a section"),
        ("seeds", 3, "seeds = 3 must be a list"),
        ("seeds", [], "seeds = []"),
        ("targets", "category", "targets = 'category' must be a list"),
        ("grid", {"design.seen_per_level": 2}, 'grid "design.seen_per_level" = 2 must be a list of values to try'),
        ("grid", {"design.seen_per_level": []}, 'grid "design.seen_per_level" = [] must be a list of values to try'),
        ("grid", "all", "grid = 'all' must be a section of keys with lists to try"),
        ("grid", [1, 2], "grid = [1, 2] must be a section of keys with lists to try"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(key, value, sentence):
    with pytest.raises(UnseenError) as told:
        recipe_from(override(parse(SMALL), key, value), "small.toml")
    assert sentence in str(told.value)
    assert str(told.value).startswith("small.toml: ")


@pytest.mark.parametrize("section", ["title", "world", "design"])
def test_what_is_missing_is_named(section):
    tables = parse(SMALL)
    del tables[section]
    with pytest.raises(UnseenError, match=f"'{section}' is missing; every recipe needs title"):
        recipe_from(tables)


def test_all_faults_are_told_at_once():
    tables = override(override(parse(SMALL), "training.epoch", 3), "network.stem", "smal")
    with pytest.raises(UnseenError) as told:
        recipe_from(tables)
    assert str(told.value).count("\n") == 1


def test_text_that_is_no_toml_is_told_with_its_line(written):
    with pytest.raises(UnseenError, match=r"small.toml is not valid TOML: .*line 2.*Text needs quotes"):
        read_recipe(written("title = 'x'\nworld = digits\n"))


def test_a_missing_or_a_binary_file_is_told(tmp_path):
    with pytest.raises(UnseenError, match=r"no recipe file '.*none.toml'"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(UnseenError, match="is not a recipe: it is not UTF-8 text"):
        read_recipe(tmp_path / "image.png")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("training.epochs=3", "training.epochs", 3),
        (" training.lr = 1e-4 ", "training.lr", 1e-4),
        ("seeds=[0, 1]", "seeds", [0, 1]),
        ("training.compile=true", "training.compile", True),
        ("world.name=digits", "world.name", "digits"),
        ('world.name="fashion mnist"', "world.name", "fashion mnist"),
        ("world.root=/data/a=b", "world.root", "/data/a=b"),
        ("question=", "question", ""),
        ('grid."design.seen_per_level"=[1]', 'grid."design.seen_per_level"', [1]),
    ],
)
def test_a_setting_is_read_as_toml_or_as_plain_text(text, key, value):
    assert setting(text) == (key, value)


@pytest.mark.parametrize("text", ["training.epochs", "=3", ""])
def test_a_setting_without_key_or_value_is_told(text):
    with pytest.raises(UnseenError, match=r"has no key and value; write it as --set training.epochs=5"):
        setting(text)


def test_settings_change_the_recipe_and_make_sections(written):
    recipe = read_recipe(written(), ["training.epochs=7", "measures.variant=as_released", "design.seed=4"])
    assert (recipe.training.epochs, recipe.measures.variant, recipe.design.seed) == (7, "as_released", 4)


def test_a_setting_that_the_grid_would_undo_is_refused_and_its_advice_works(written):
    with pytest.raises(UnseenError) as told:
        read_recipe(written(), ["design.seen_per_level=1"])
    advice = 'grid."design.seen_per_level"'
    assert f"set '{advice}' instead" in str(told.value)
    assert read_recipe(written(), [f"{advice}=[1]"]).grid == ({"design.seen_per_level": [1]},)


def test_override_leaves_the_original_alone():
    tables = {"a": {"b": 1}, "c": 2}
    assert override(tables, "a.d.e", 3) == {"a": {"b": 1, "d": {"e": 3}}, "c": 2}
    assert tables == {"a": {"b": 1}, "c": 2}


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("title.words", "'title.words': 'title' is a value ('Small'), not a section."),
        ("training..epochs", "'training..epochs' is not a key"),
        (".epochs", "'.epochs' is not a key"),
        ('grid."a', "is not a key"),
    ],
)
def test_override_of_what_is_no_section_is_told(key, sentence):
    with pytest.raises(UnseenError) as told:
        override(parse(SMALL), key, 1)
    assert sentence in str(told.value)


def test_long_lists_of_names_are_cut():
    assert listed([]) == "none"
    assert listed(range(14)).endswith("11 … (14 in all)")


def test_only_a_close_name_is_guessed():
    assert nearest("Azimuth", ["azimuth", "model"]) == "azimuth"
    assert nearest("zebra", ["azimuth", "model"]) is None
    assert nearest("", ["azimuth"]) is None
