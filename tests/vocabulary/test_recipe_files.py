"""Whatever stands where a recipe should stand, or in it, is told in words."""

import os

import pytest

from unseen.engines import open_study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import override, read_recipe, recipe_from, setting

LEAST = 'title = "x"\n[world]\nname = "digits"\n[design]\nname = "from_lists"\n'
TABLES = {"title": "x", "world": {"name": "digits"}, "design": {"name": "from_lists"}}


def told(path):
    with pytest.raises(UnseenError) as error:
        read_recipe(path)
    return str(error.value)


def written(path, text=LEAST, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, **({"encoding": "utf-8"} | how))
    return path


def test_a_mark_of_byte_order_at_the_beginning_is_passed_over(tmp_path):
    assert read_recipe(written(tmp_path / "a.toml", encoding="utf-8-sig")).title == "x"


def test_a_recipe_in_utf_16_is_told_how_to_be_saved(tmp_path):
    assert "is written in UTF-16" in told(written(tmp_path / "a.toml", encoding="utf-16"))
    assert "save it as UTF-8" in told(tmp_path / "a.toml")


def test_a_folder_a_pipe_and_a_device_are_no_recipes(tmp_path):
    written(tmp_path / "kept" / "mine.toml")
    assert "is a folder, not a recipe; name a recipe in it: mine.toml" in told(tmp_path / "kept")
    os.mkfifo(tmp_path / "pipe.toml")
    assert "a device or a pipe" in told(tmp_path / "pipe.toml")
    with pytest.raises(
        UnseenError, match=r"is not a study: it has no recipe\.toml\. If a recipe in it is meant, name that: mine"
    ):
        open_study(tmp_path / "kept")
    with pytest.raises(UnseenError, match="a device or a pipe"):
        open_study("/dev/zero")


def test_a_recipe_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path / "a.toml")
    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    assert "cannot be read: Permission denied" in told(path)


def test_a_name_that_no_file_can_have_is_told(tmp_path):
    for name in ("a" * 5000, "a\0b"):
        with pytest.raises(UnseenError):
            open_study(name)
        with pytest.raises(UnseenError, match="no recipe"):
            read_recipe(written(tmp_path / "b.toml", f'extends = "{name}"'.replace("\0", "")))


def test_very_large_files_are_not_read(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"#" * 11_000_000)
    assert "it has 11 MB" in told(tmp_path / "a.toml")


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 3000 + "]" * 3000, "a = " + "{b = " * 600 + "1" + "}" * 600, ".".join("a" * 2000) + " = 1"],
)
def test_what_is_nested_very_deeply_is_told(tmp_path, text):
    assert "nested" in told(written(tmp_path / "a.toml", text))


def test_tables_of_a_notebook_may_not_be_nested_deeply_either():
    deep = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(UnseenError, match="nested more than"):
        recipe_from({**TABLES, "world": deep})
    with pytest.raises(UnseenError, match="is not a key"):
        override(TABLES, ".".join("a" * 5000), 1)


# Loops and chains


def test_a_loop_through_folders_is_found(tmp_path):
    written(tmp_path / "a" / "x.toml", 'extends = "../b/y"')
    written(tmp_path / "b" / "y.toml", 'extends = "../a/x"')
    assert "extends it in turn" in told(tmp_path / "a" / "x.toml")
    written(tmp_path / "a" / "x.toml", 'extends = "../a/x"')
    assert "extends it in turn" in told(tmp_path / "a" / "x.toml")


def test_a_long_chain_is_followed_to_its_end(tmp_path):
    for number in range(1100):
        written(tmp_path / f"r{number}.toml", f'extends = "r{number + 1}"')
    written(tmp_path / "r1100.toml", LEAST)
    assert read_recipe(tmp_path / "r0.toml").title == "x"


@pytest.mark.parametrize("name", ["3", "true", '["demo"]', "{ a = 1 }", '""', "1979-05-27"])
def test_what_is_extended_is_a_name(tmp_path, name):
    assert "extends = " in told(written(tmp_path / "a.toml", f"extends = {name}"))


# Values that no key takes


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("nan", "world.x = nan is no finite number"),
        ("[1, inf]", "world.x = inf is no finite number"),
        ("{ y = -inf }", "world.x.y = -inf is no finite number"),
        ("1979-05-27", "world.x = 1979-05-27 is a date or a time"),
        ("07:32:00", "world.x = 07:32:00 is a date or a time"),
        ("1979-05-27T07:32:00Z", "is a date or a time"),
        (str(2**63), "too large; whole numbers go up to 2^63 − 1"),
        ('"a\\u0007"', r"holds the control character '\x07'"),
        ('{ "a\\u001b" = 1 }', r"the key 'a\x1b' holds a control character"),
    ],
)
def test_what_no_key_takes_is_refused_also_where_nothing_reads_it(tmp_path, value, words):
    assert words in told(written(tmp_path / "a.toml", LEAST.replace('"digits"\n', f'"digits"\nx = {value}\n')))


NUMBERS = ("training.epochs", "training.lr", "training.warmup", "training.threads", "design.seed", "search.share")


@pytest.mark.parametrize("key", [*NUMBERS, "calibration.most", "training.patience", "recordings.threshold"])
@pytest.mark.parametrize("value", [True, "3", float("nan"), float("inf")])
def test_truth_values_text_and_what_is_not_finite_are_no_numbers(key, value):
    with pytest.raises(UnseenError, match=key):
        recipe_from(override(TABLES, key, value))


@pytest.mark.parametrize("value", [1, 0, "true", "yes"])
@pytest.mark.parametrize("key", ["network.frozen", "training.compile", "recordings.cells"])
def test_numbers_and_text_are_no_truth_values(key, value):
    with pytest.raises(UnseenError, match=f"{key} = .* must be true or false"):
        recipe_from(override(TABLES, key, value))


def test_lists_and_tables_hold_plain_numbers_too():
    for key, value in (("seeds", [True]), ("seeds", ["0"]), ("search.lr", [True]), ("calibration.steps", {"a": True})):
        with pytest.raises(UnseenError, match=key):
            recipe_from(override(TABLES, key, value))
    with pytest.raises(UnseenError, match=r"network\.channels = true"):
        recipe_from(override(TABLES, "network.channels", True))


def test_a_setting_of_several_lines_is_text():
    assert setting("title=3\nseeds=[1]") == ("title", "3\nseeds=[1]")


def test_a_long_value_is_cut_in_an_error():
    with pytest.raises(UnseenError) as error:
        recipe_from({**TABLES, "seeds": "x" * 10_000})
    assert len(str(error.value)) < 400
