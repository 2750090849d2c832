"""A matrix of conditions in a terminal: what does not fit across goes down, and no name is broken into letters."""

from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl
from matrix_example import tables
from rich.console import Console

from unseen.kinds.conditions.asked import AskedMatrix, Condition, short_names
from unseen.kinds.conditions.corruption import corruption_findings
from unseen.kinds.conditions.findings import matrix_findings
from unseen.kinds.conditions.terminal import show
from unseen.measures.corruption import CORRUPTIONS, SEVERITIES
from unseen.studies.study import Study
from unseen.vocabulary.recipe import recipe_from

CORRUPTED = ["none", *(f"hendrycks-{name}@{level}" for name in CORRUPTIONS for level in SEVERITIES)]


def printed(trained, levels, value):
    rows = [
        {"x": "one", "series": one, "set": f"test-{level}", "value": value(r, c), "n": 3}
        for r, one in enumerate(trained)
        for c, level in enumerate(levels)
    ]
    console = Console(width=80, record=True, file=StringIO())
    show(console, pl.DataFrame(rows), Study(recipe_from(tables()), Path()))  # the study tells the table nothing
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def test_76_levels_asked_have_a_line_for_each_corruption_with_the_mean_over_its_severities():
    trained = ("plain only", "plain + gaussian-noise@3", "plain + defocus-blur@3")
    lines = printed(trained, CORRUPTED, lambda row, column: (10 * row + (column - 1) % 5) / 100 if column else 0.9)
    table = {line.split()[0]: line.split()[1:] for line in lines if line}
    assert table["plain"] == ["90", "90", "90"]
    assert {name: table[name] for name in CORRUPTIONS} == {name: ["2", "12", "22"] for name in CORRUPTIONS}
    assert any(all(name in line for name in trained) for line in lines)
    assert any("mean over the levels" in line for line in lines)


def test_many_networks_are_numbered_and_parted_in_tables_that_fit():
    trained = [f"network with a long name {place}" for place in range(30)]
    lines = printed(trained, CORRUPTED, lambda row, column: row / 100)
    found = [cell for line in lines if line.startswith("fog ") for cell in line.split()[1:]]
    assert found == [str(place) for place in range(30)]
    assert "1 network with a long name 0" in " ".join(lines)


def test_a_matrix_that_fits_keeps_its_networks_as_rows():
    lines = printed(["grey", "colour"], ["geirhos-grey", "geirhos-colour"], lambda row, column: (row + 2 * column) / 10)
    assert [line.split() for line in lines[1:4]] == [
        ["trained", "on", "grey", "colour"], ["grey", "0", "20"], ["colour", "10", "30"],
    ]  # fmt: skip


def corrupted(groups):
    rows = tuple(Condition((0,) if name == "plain only" else (0, 3), name, name) for name in groups)
    level = np.full((3, len(rows), len(CORRUPTED)), 0.5) + np.array([-0.01, 0, 0.01])[:, None, None]
    level[:, :, 0] = 0.9
    return AskedMatrix(rows, tuple(CORRUPTED), short_names(CORRUPTED), level, 0.1)


def test_findings_of_several_groups_say_which_they_are_of():
    found = matrix_findings(corrupted(("plain only", "plain plus one transformation")), "")
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    assert "trained conditions are near the ceiling: trained on plain only" in names
    assert names.count("mean corruption error: trained on plain only") == 1


def test_corruption_error_relative_to_plain_pictures_is_told_where_those_are_asked():
    one, _ = corruption_findings(corrupted(("plain only", "plain + fog@3")))
    assert "relative to the error on plain images it is" in one.statement
