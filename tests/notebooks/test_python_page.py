"""The guide to Python and notebooks, run as it stands there."""

import ast
import re
from pathlib import Path

import polars as pl
import pytest

import unseen

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
SHOWN = ("_repr_html_", "_repr_png_", "_repr_mimebundle_")

pytest_plugins = ("studies_fixtures",)


def as_a_cell(block, names):
    """Run a block as a notebook would: what its last line gives, if that is an expression."""
    tree = ast.parse(block)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(PAGE), "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), str(PAGE), "eval"), names)


SMALLER = {  # the same page in seconds: one epoch, four trials, no process of its own
    '"epochs": 4': '"epochs": 1',
    "epochs=4": "epochs=1",
    "[0, 1, 2]": "[0, 1]",
    "[1, 4, 8]": "[1, 8]",
    'device="cpu"': 'device="cpu", workers=1',
}


@pytest.mark.parametrize(("changes", "trials"), [(SMALLER, 4), pytest.param({}, 9, marks=pytest.mark.slow)])
def test_the_page_runs_from_top_to_bottom_and_everything_shows_itself(
    changes, trials, tmp_path, monkeypatch, request, capsys
):
    if "workers=1" not in "".join(changes.values()):
        request.getfixturevalue("processes")
    monkeypatch.chdir(tmp_path)
    names, shown = {}, []
    with pl.Config():
        for block in BLOCKS:
            for words, instead in changes.items():
                block = block.replace(words, instead)
            given = as_a_cell(block, names)
            how = next((getattr(given, name) for name in SHOWN if hasattr(given, name)), None)
            shown.append(type(given).__name__ if how is None else len(how()) > 0)
    assert set(shown) <= {True, "NoneType", "Tensor", "ndarray", "tuple"}
    assert shown.count(True) >= 12
    opened = names["study"].status()
    assert (opened.finished, opened.missing) == (trials, 0)
    assert names["problems"] == ()
    assert names["page"].is_file()
    assert "Did you mean 'category'?" in capsys.readouterr().out


@pytest.mark.parametrize("words", SMALLER)
def test_no_change_that_makes_the_page_small_outlives_its_words(words):
    assert any(words in block for block in BLOCKS)


def test_the_page_names_every_name_of_the_api():
    text = PAGE.read_text(encoding="utf-8")
    missing = [name for name in unseen.__all__ if f"unseen.{name}" not in text and name != "__version__"]
    assert missing == []


@pytest.mark.parametrize("name", [name for name in unseen.__all__ if name != "run"])
def test_every_name_of_the_api_is_there_and_explains_itself(name):
    thing = getattr(unseen, name)
    assert name == "__version__" or (thing.__doc__ or "").strip()
