"""Recipes become results in this process: lists, withheld levels, notebooks, edited folders."""

import itertools
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

import unseen
from small_study import ran, study, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect, finished_trials
from unseen.kinds.results import gather
from unseen.studies.asked import layers_to_record, matching
from unseen.studies.recipe_files import find_recipe, shipped, summary_of
from unseen.studies.study import Study
from unseen.studies.trials import expand
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import read_recipe, recipe_from

pytest_plugins = ("studies_fixtures",)


def told(**changes):
    with pytest.raises(UnseenError) as error:
        check(Study(recipe_from(tiny(**changes)), Path("nowhere")))
    return str(error.value)


def test_run_from_a_notebook_gives_the_tidy_table_and_the_second_time_does_nothing_new(tmp_path):
    events = []
    table = unseen.run(tiny(), out=tmp_path / "study", workers=1, device="cpu", watch=events.append)
    assert isinstance(table, pl.DataFrame)
    assert set(table["design.seen_per_level"]) == {1, 8}
    assert {"trial", "seed", "set", "target", "layer", "unit_type", "measure", "value", "n"} <= set(table.columns)
    assert [event.kind for event in events].count("finished") == 2
    again = []
    assert unseen.run(tiny(), out=tmp_path / "study", workers=1, device="cpu", watch=again.append).equals(table)
    assert again == []
    more = unseen.run(
        recipe_from(tiny()),
        out=tmp_path / "study",
        workers=1,
        device="cpu",
        settings=["seeds=[0, 1]"],
        watch=again.append,
    )
    assert [event.kind for event in again].count("finished") == 2
    assert set(more["seed"]) == {0, 1}


def test_settings_that_the_grid_would_overrule_are_refused_from_a_notebook_too(tmp_path):
    with pytest.raises(UnseenError, match=r"this recipe has a grid over 'design.seen_per_level'"):
        unseen.run(tiny(), out=tmp_path, settings=["design.seen_per_level=3"])


def test_the_same_recipe_and_seed_give_the_same_numbers(finished_once, tmp_path):
    ran(study(tmp_path, seeds=[1, 0]))
    by = ["trial", "set", "target", "layer", "unit_type", "measure"]
    one, two = (
        collect(study(path, seeds=[0, 1])).filter(pl.col("measure") != "device seconds").sort(by)
        for path in (finished_once, tmp_path)
    )
    assert one.equals(two)


def test_every_finished_trial_tells_what_ran_and_on_what(finished_once):
    done = study(finished_once, seeds=[0, 1])
    facts = done.store.read(done.store.finished()[0])
    assert facts["identity"] == done.store.finished()[0]
    assert facts["description"]["training"]["precision"] == "float32"
    assert facts["sets"]["train"] == 90
    assert facts["machine"]["device"].startswith("cpu")
    assert set(facts["tasks"]) == {"layer4"}
    assert len(facts["curve"]) == 1


def test_a_split_read_from_list_files_runs_like_any_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = open_study(tiny(), out=tmp_path / "made")
    trial = made.trials[1]
    lists = {}
    for name in ("train", "validation", "seen", "unseen"):
        rows = made.split(trial).rows(made.world(trial).samples, name)
        (tmp_path / f"{name}.txt").write_text("# rows\n" + "\n".join(f"{row},label" for row in rows))
        lists[name] = f"{name}.txt"
    design = {"name": "from_lists", "columns": "position", "lists": lists, "probe_per_cell": 1}
    listed = study(tmp_path / "listed", design=design, grid={})
    assert ran(listed).finished == 1
    contents = gather(listed)
    assert set(contents.summary["x"]) == {72.0}
    (picture,) = contents.splits
    assert picture.seen.sum() == 72
    assert picture.asked.sum() == 9


def test_a_trial_without_validation_rows_says_on_what_its_epoch_was_chosen(tmp_path):
    lists = {"train": [str(row) for row in range(90)], "unseen": [str(row) for row in range(200, 240)]}
    design = {"name": "from_lists", "columns": "position", "lists": lists, "probe_per_cell": 1}
    grid, recordings = {"training.select": ["best", "last"]}, {"sets": ["unseen"], "layers": "none"}
    listed = study(tmp_path / "listed", design=design, grid=grid, recordings=recordings)
    events = []
    ran(listed, watch=events.append)
    best, last = (event.figures["flags"]["no validation"] for event in events if event.kind == "finished")
    assert best == "the epoch was chosen on training images; the curves named validation are of training images"
    assert last == "the curves named validation are of training images"
    stored = [facts["flags"]["no validation"] for facts, _ in finished_trials(listed)]
    assert sorted(stored) == sorted([best, last])


def test_levels_kept_out_of_training_are_asked_for_the_other_factor_only(tmp_path):
    sets = ["seen", "unseen", "new-rows", "new-columns"]
    withheld = study(
        tmp_path,
        design__withhold_rows=[8],
        design__withhold_columns=["8"],
        recordings={"sets": sets},
        grid={"design.seen_per_level": [1, 7]},
    )
    assert ran(withheld).finished == 2
    accuracy = collect(withheld).filter(pl.col("measure") == "accuracy")
    targets = {asked: set(accuracy.filter(pl.col("set") == asked)["target"]) for asked in sets}
    assert targets == {
        "seen": {"category", "position", "geometric mean"},
        "unseen": {"category", "position", "geometric mean"},
        "new-rows": {"position"},
        "new-columns": {"category"},
    }
    assert gather(withheld).answer.startswith("On combinations never seen in training, accuracy of category")


def test_one_target_may_be_asked_alone(tmp_path):
    alone = study(tmp_path, targets=["category"], grid={"design.seen_per_level": [8]})
    assert ran(alone).finished == 1
    contents = gather(alone)
    assert set(contents.summary["target"]) == {"", "category"}
    assert not contents.summary.filter(pl.col("measure") == "share of units").is_empty()


def photos(folder, copies=8):
    rng = np.random.default_rng(0)
    for kind, view, copy in itertools.product("abc", "xyz", range(copies)):
        place = folder / kind / view / f"{copy}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 255, (12, 12, 3), dtype=np.uint8)).save(place)
    return folder


def photo_study(root, out, **world):
    tables = tiny(
        world={"name": "folder", "root": str(root), "template": "{category}/{view}/*.png", "size": 12, **world},
        design={"name": "hold_out_combinations", "columns": "view", "shares": [0.5, 0.25, 0.25], "probe_per_cell": 1},
        training={"epochs": 1, "batch": 4},
        grid={"design.seen_per_level": [2]},
    )
    return open_study(tables, out=out)


def test_an_edited_folder_gets_new_results_and_the_old_ones_are_kept_but_not_used(tmp_path):
    root = photos(tmp_path / "photos")
    assert ran(photo_study(root, tmp_path / "study")).finished == 1
    assert ran(photo_study(root, tmp_path / "study")).finished == 0
    Image.new("RGB", (12, 12), "red").save(root / "a" / "x" / "0.png")
    edited = photo_study(root, tmp_path / "study")
    (old,) = edited.store.finished()
    assert len(edited.missing()) == 1
    assert ran(edited).finished == 1
    assert set(edited.store.finished()) > {old}
    assert set(collect(edited)["trial"]) == {edited.find(edited.trials[0])} != {old}
    assert set(collect(edited, everything=True)["trial"]) == set(edited.store.finished())


def test_a_missing_folder_and_an_empty_cell_are_told_before_anything_is_trained(tmp_path):
    with pytest.raises(UnseenError, match=r"nowhere"):
        check(photo_study(tmp_path / "nowhere", tmp_path / "study"))
    root = photos(tmp_path / "photos")
    for picture in (root / "b" / "y").iterdir():
        picture.unlink()
    with pytest.raises(UnseenError, match=r"cells this design needs have no image.*b.*y"):
        check(photo_study(root, tmp_path / "study"))
    assert not (tmp_path / "study").exists()


def test_a_broken_picture_is_left_out_and_listed_by_name(tmp_path):
    root = photos(tmp_path / "photos", copies=9)
    (root / "a" / "x" / "0.png").write_bytes(b"no picture")
    opened = photo_study(root, tmp_path / "study")
    assert ran(opened).finished == 1
    assert any("a/x/0.png" in line for line in opened.world(opened.trials[0]).problems.lines())


# What is checked before any work starts


def test_check_gives_one_audit_for_each_distinct_split():
    grid = {"design.seen_per_level": [1, 8], "training.lr": [0.1, 0.2]}
    opened = Study(recipe_from(tiny(seeds=[0, 1], grid=grid)), Path("nowhere"))
    assert [trial.label for trial, _ in check(opened)] == [
        "seen_per_level 1 · lr 0.1 · seed 0",
        "seen_per_level 8 · lr 0.1 · seed 0",
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"world__name": "digit"}, "no world 'digit'; possible: digits, .* Did you mean 'digits'?"),
        ({"world__viewpont": "scale"}, "no key 'world.viewpont'.* Did you mean 'world.viewpoint'?"),
        ({"design__name": "hold_out_combination"}, "no design 'hold_out_comb.* Did you mean 'hold_out_combinations'?"),
        ({"design__collumns": "position"}, "no key 'design.collumns'.* Did you mean 'design.columns'?"),
        ({"design__columns": "positon"}, "no factor 'positon'.* Did you mean 'position'?"),
        ({"design__images": "many"}, "design.images = 'many': input should be a valid integer"),
        ({"design__withhold_rows": 3}, r"design.withhold_rows = 3 must be a list, e.g. \[3\]"),
        ({"design__withhold_rows": ["12"]}, "no level '12'.*category"),
        ({"design__images": 100_000}, "100000"),
        ({"design__images": 3}, "design.images = 3; 9 cells need at least one image each"),
        ({"grid": {"design.seen_per_level": [9]}}, "seen_per_level = 9"),
        ({"grid": {"design.seen_per_level": [0]}}, "seen_per_level = 0"),
        ({"network__backbone": "resnet81"}, "resnet81.* Did you mean 'resnet18'?"),
        ({"network__sharing": "seperate"}, "no sharing 'seperate'.* Did you mean 'separate'?"),
        ({"targets": ["categori"]}, "no factor 'categori'.* Did you mean 'category'?"),
        ({"recordings": {"sets": ["unsee"]}}, "no .*'unsee'.* Did you mean 'unseen'?"),
        ({"recordings": {"layers": ["layer5"]}}, "no layer 'layer5' in network 'resnet18-w8' .* Did you mean 'layer"),
        ({"training__augment": {"flop": 0.5}}, "no augmentation 'flop'.* Did you mean 'flip'?"),
        ({"training__loss_weights": {"kategory": 2}}, "no target 'kategory'.* Did you mean 'category'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_with_the_likely_fix(changes, sentence):
    assert re.search(sentence.replace("?", r"\?"), told(**changes)), told(**changes)


def test_a_design_argument_that_must_be_given_is_named():
    assert told(grid={}) == "design.seen_per_level must be given: hold_out_combinations has no default for it."


def test_layers_are_meant_by_their_own_name_or_in_every_branch():
    names = ("stem", "category.blocks.1", "category.blocks.11", "position.blocks.1", "position.blocks.11")
    assert matching("blocks.1", names) == ["category.blocks.1", "position.blocks.1"]
    assert matching("position.blocks.1", names) == ["position.blocks.1"]
    assert layers_to_record("last", names) == ["category.blocks.11", "position.blocks.11"]
    assert layers_to_record("none", names) == []
    assert layers_to_record("all", names) == list(names)
    assert layers_to_record(("stem", "blocks.1", "stem"), names) == ["stem", "category.blocks.1", "position.blocks.1"]


# The recipes that ship


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_recipe_parses_expands_and_opens_with_what_a_reader_needs(name):
    recipe = read_recipe(find_recipe(name))
    opening = list(itertools.takewhile(lambda line: line.startswith("#"), shipped()[name].read_text().splitlines()))
    for word in ("Shows:", "Run:", "Takes:", "Expect:"):
        assert any(line.startswith(f"# {word}") for line in opening), word
    assert any(f"unseen run {name}" in line or f"unseen {name}" in line for line in opening)
    assert summary_of(shipped()[name])
    assert recipe.title
    assert recipe.question
    trials = expand(recipe)
    assert len(trials) == len({trial.label for trial in trials})
    if recipe.world.name == "digits":
        assert check(Study(recipe, shipped()[name]))


def test_the_demo_has_four_diversities_and_five_choices_of_held_out_cells():
    recipe = read_recipe(find_recipe("demo"))
    assert len(recipe.grid[0]["design.seen_per_level"]) == 4
    assert len(recipe.grid[0]["design.seed"]) == 5
    assert recipe.seeds == (0,)


def test_a_misspelt_recipe_is_told_with_the_likely_one():
    with pytest.raises(UnseenError, match=r"no recipe 'dmeo'; possible: .*Did you mean 'demo'"):
        find_recipe("dmeo")
    with pytest.raises(UnseenError, match=r"no recipe file 'here/mine.toml'"):
        find_recipe("here/mine.toml")
