"""Worlds, splits, networks and figures as Python and notebooks hold them."""

import shutil
import sys
import types
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import unseen
from small_study import TINY, study
from unseen.engines.progress import Bar, NotebookBar, bar_for
from unseen.notebooks.page import WrittenPage
from unseen.studies.execute import Event
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World

pytest_plugins = ("studies_fixtures",)


@pytest.fixture(scope="module")
def world():
    return unseen.world("digits", viewpoint="position")


@pytest.fixture(scope="module")
def split(world):
    return unseen.split(world, "hold_out_combinations", columns="position", seen_per_level=4, images=90)


def test_a_world_is_a_world_and_shows_its_factors_and_images(world):
    assert isinstance(world, World)
    assert len(world) == len(world.samples)
    html = world._repr_html_()
    assert "middle right" in html
    assert "data:image/png" in html
    assert unseen.world(world) is world
    assert unseen.world(world.inside).name == "digits-position"


def test_rows_are_found_by_levels_whether_stored_or_computed(world):
    rows = world.rows(category=[3, 5], position="top left")
    samples = world.samples
    assert set(samples.levels("category", rows).tolist()) == {3, 5}
    assert set(samples.levels("position", rows).tolist()) == {0}
    every = np.arange(len(world))
    right = np.isin(samples.levels("category", every), [3, 5]) & (samples.levels("position", every) == 0)
    assert rows.tolist() == np.flatnonzero(right).tolist()
    some = world.rows(5, category=3)
    assert len(some) == 5
    assert some.tolist() == world.rows(5, category=3).tolist()
    assert some.tolist() != world.rows(5, category=3, seed=1).tolist()


def test_rows_are_found_in_worlds_of_several_blocks_and_listed_cells():
    varied = unseen.world("natural-variation", instances=2)
    samples = varied.samples
    assert len(samples.blocks) > 1
    name = next(factor.name for factor in varied.factors.values() if factor.kind not in ("category", "instance"))
    level = varied.factors[name].levels[0]
    rows, every = varied.rows(**{name: level}), np.arange(len(samples))
    assert rows.tolist() == np.flatnonzero(samples.levels(name, every) == 0).tolist()


def test_a_rendered_world_waits_to_be_asked_for_pictures():
    assert ".show() draws" in unseen.world("cars")._repr_html_()


def test_pictures_tables_and_images_take_rows_in_any_form(world):
    for rows in ([3, 1], range(3, 5), slice(3, 5), np.array([3, 4]), pl.Series([3, 4]), 3):
        assert len(world.table(rows)) == len(world.images(rows)) <= 2
    assert world.table([3]).to_dicts() == [{"row": 3, "category": 0, "position": 3}]
    one, many = world.show([0]), world.show(range(9))
    assert one.width < many.width
    assert one.height < many.height


def test_a_split_draws_its_grid_and_tells_its_sets(world, split):
    assert split.sets == ("train", "validation", "seen", "unseen", "probe")
    assert len(split.rows("train")) == 90 == split.counts("train")["images"].sum()
    told = split.table().filter(set="train").row(0, named=True)
    assert (told["images"], told["cells"]) == (90, 36)
    html = split._repr_html_()
    assert "data:image/svg+xml" in html
    assert "no leakage" in html
    assert split.show().width > 300
    assert split.audit.problems == ()


def test_a_split_of_many_factors_draws_pairs_of_them():
    split = unseen.split("dsprites", "hold_out_levels", mode="extrapolation", images=500, test_images=100)
    assert "train 500" in repr(split)
    assert len(split.factors) > 2
    assert split.counts("train")["images"].sum() == 500


def test_a_network_alone_is_what_the_trial_of_a_study_is(finished, world):
    settings = {key: value for key, value in TINY["design"].items() if key != "name"}
    split = unseen.split(world, "hold_out_combinations", **settings, seen_per_level=8)
    network = unseen.network("resnet18-w8", split, stem="small").train(**TINY["training"])
    trial = unseen.open_study(finished).trial(seen_per_level=8, seed=0)
    stored = trial.responses().filter(set="unseen")
    mine = network.responses("unseen")
    assert mine["response"].cast(pl.String).to_list() == stored["response"].cast(pl.String).to_list()
    assert np.allclose(network.activity(), trial.activity(), atol=1e-6)
    assert network.curve().height == trial.curve().height == 1
    assert repr(network).endswith("trained>")
    assert network(world.images([0, 1]))["category"].shape == (2, 9)


def test_weights_that_a_study_kept_make_its_network_again(tmp_path):
    opened = unseen.open_study(
        {**TINY, "recordings": {"weights": True}}, out=tmp_path / "kept", settings={"grid.design.seen_per_level": [8]}
    )
    trial = opened.run(workers=1, device="cpu").trial()
    again = trial.network().responses("unseen")["response"].cast(pl.String)
    assert again.to_list() == trial.responses().filter(set="unseen")["response"].cast(pl.String).to_list()
    with pytest.raises(UnseenError, match=r"unseen\.network makes one to be trained"):
        trial.network().train(epochs=1)


def test_a_study_shows_its_question_its_answer_and_what_to_do_next(finished, tmp_path):
    html = unseen.open_study(finished)._repr_html_()
    assert "Does it run?" in html
    assert "never seen in training" in html
    assert "4 of 4 trials finished" in html
    fresh = unseen.open_study(TINY, out=tmp_path / "new")._repr_html_()
    assert "0 of 2 trials finished" in fresh
    assert ".run() runs what is missing" in fresh


def test_weights_that_are_not_kept_are_told(finished):
    shutil.rmtree(finished / "weights")
    with pytest.raises(UnseenError, match=r"no weights of trial .* are kept; run the study with settings"):
        unseen.open_study(finished).trial(0).weights()


def test_figures_show_themselves_and_are_saved_by_the_ending_of_a_name(finished, tmp_path):
    opened = unseen.open_study(finished)
    figure = opened.figure()
    assert (figure.name, figure.title) == ("accuracy", "Accuracy")
    assert figure.chart.to_dict()["$schema"]
    assert "n = 2" in figure._repr_html_()
    for ending in ("svg", "png", "pdf", "html", "json"):
        assert figure.save(tmp_path / f"a.{ending}").stat().st_size > 1000
    units = opened.figure("units")
    assert units.chart is None
    with pytest.raises(UnseenError, match=r"ends with '\.html'; figure 'units' is saved as \.svg, \.png, \.pdf"):
        units.save(tmp_path / "units.html")
    with pytest.raises(UnseenError, match="fewer than two layers were recorded"):
        opened.figure("layers")
    assert {"accuracy", "splits"} <= set(opened.figures()["name"])
    assert "layers" not in opened.figures()["name"]


def test_findings_are_a_table_with_verdicts(finished):
    found = unseen.open_study(finished).findings()
    assert {"verdict", "claim", "statement", "value", "low", "high", "n", "p", "why"} <= set(found.columns)
    assert "○ open" in found["verdict"].to_list()


def test_the_report_is_a_path_that_links_and_can_be_put_into_the_notebook(finished, monkeypatch):
    monkeypatch.chdir(finished)
    page = unseen.open_study(finished).report()
    assert isinstance(page, Path)
    assert isinstance(page.parent, Path)
    assert page._repr_html_() == '<a href="report/report.html" target="_blank">report/report.html</a>'
    assert page.show(300)._repr_html_().startswith('<iframe width="100%" height="300"')
    assert WrittenPage("a b.html")._repr_html_().startswith('<a href="a%20b.html"')


def test_a_trial_is_named_by_number_label_identity_or_settings(finished):
    opened = unseen.open_study(finished)
    trial = opened.trial(seen_per_level=8, seed=1)
    assert trial.settings == {"design.seen_per_level": 8}
    for way in (3, -1, trial.label, trial.identity, trial.identity[:6]):
        assert opened.trial(way).identity == trial.identity
    assert "resnet18-w8" in trial._repr_html_()
    assert trial.units().columns == ["unit", "unit_type", "selectivity", "invariance", "specialization"]
    assert len(opened.split(seen_per_level=8).rows("train")) == 90
    assert opened.world().name == "digits-position"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda w, s, o: w.rows(categry=3), "no factor 'categry'; possible: category, position. Did you mean"),
        (lambda w, s, o: w.rows(category=77), "no level '77' in factor 'category'"),
        (lambda w, s, o: w.rows(0), "most = 0; possible: a whole number of rows from 1"),
        (lambda w, s, o: w.show(range(2000)), "2,000 images asked for; one picture shows 1 to 100"),
        (lambda w, s, o: w.images([10**9]), "row 1000000000 asked of a world of 14553 rows"),
        (lambda w, s, o: w.images("first"), "rows are whole numbers"),
        (lambda w, s, o: unseen.world("digts"), "no world 'digts'.*Did you mean 'digits'"),
        (lambda w, s, o: unseen.world("digits", view=1), "Did you mean 'world.viewpoint'"),
        (lambda w, s, o: unseen.world(3), "a world is its name"),
        (lambda w, s, o: unseen.world(w.inside, canvas=3), "canvas given to a world that is made already"),
        (lambda w, s, o: unseen.split(w, "hold_out"), "no design 'hold_out'"),
        (lambda w, s, o: unseen.split(w, "hold_out_combinations"), "columns, .*seen_per_level must be given"),
        (lambda w, s, o: s.rows("trian"), "no row set 'trian'.*Did you mean 'train'"),
        (lambda w, s, o: unseen.network("resnet18", w), "a network is made for a split"),
        (lambda w, s, o: unseen.network("mlp", s, sharng="x"), "no key 'network.sharng'.*Did you mean 'sharing'"),
        (lambda w, s, o: unseen.network("mlp", s).train(epoch=3), "no key 'training.epoch'.*Did you mean 'epochs'"),
        (lambda w, s, o: unseen.network("mlp", s).curve(), "was not trained here"),
        (lambda w, s, o: o.trial(), "4 trials are meant"),
        (lambda w, s, o: o.trial(9), "trial 9 asked of 4 trials; possible: 0 to 3"),
        (lambda w, s, o: o.trial("nobody"), "no trial 'nobody' in this study"),
        (lambda w, s, o: o.trial(seen_per_level=3), "no trial has seen_per_level = 3; possible here: 1, 8"),
        (lambda w, s, o: o.trial(sharing="shared"), "no setting 'sharing' in this study's grid"),
        (lambda w, s, o: o.trial(0).activity("layer9"), "no layer 'layer9' in what was recorded"),
        (lambda w, s, o: o.figure("accurcy"), "Did you mean 'accuracy'"),
        (lambda w, s, o: unseen.catalogue("world"), "no catalogue 'world'.*Did you mean 'worlds'"),
        (lambda w, s, o: unseen.open_study("demo", settings="seeds=[0]"), "must be a table"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_possible(ask, told, world, split, finished_once):
    with pytest.raises(UnseenError, match=told):
        ask(world, split, unseen.open_study(finished_once))


def test_the_catalogue_lists_what_there_is():
    every = unseen.catalogue()
    assert set(every["of"]) == {"worlds", "designs", "networks", "recipes"}
    assert unseen.catalogue("recipes").filter(name="demo").height == 1
    assert "root!" in unseen.catalogue("worlds").filter(name="mnist")["arguments"][0]


def test_settings_may_be_a_table_or_words(tmp_path):
    table = {"training.epochs": 3, "network.sharing": "separate", "grid.design.seen_per_level": [2]}
    words = ["training.epochs=3", "network.sharing=separate", 'grid."design.seen_per_level"=[2]']
    by_table, by_words = (unseen.open_study(TINY, out=tmp_path, settings=given).recipe for given in (table, words))
    assert by_table == by_words
    assert (by_table.training.epochs, by_table.grid) == (3, ({"design.seen_per_level": [2]},))


def test_a_script_without_a_terminal_has_no_bar_unless_asked(tmp_path, capsys):
    opened = study(tmp_path / "new")
    assert type(bar_for(opened, "cpu", None)) is Bar
    with bar_for(opened, "cpu", True) as bar:
        bar(Event("failed", opened.trials[0].label, "x", {"error": "the cables are crossed"}))
    said = capsys.readouterr().err
    assert "0 of 2 trials, 1 failed" in said
    assert "the cables are crossed" in said


def test_in_a_notebook_the_bar_is_html_that_is_updated_in_place(tmp_path, monkeypatch):
    seen = []

    class Handle:
        def update(self, bundle, raw):
            assert raw
            seen.append(bundle)

    python = types.ModuleType("IPython")
    python.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    python.display = types.SimpleNamespace(display=lambda bundle, raw, display_id: Handle())
    monkeypatch.setitem(sys.modules, "IPython", python)
    unseen.open_study(TINY, out=tmp_path / "new", settings={"grid.design.seen_per_level": [8]}).run(
        workers=1, device="cpu"
    )
    assert "0 of 1 trial, 0:00 elapsed, starting" in seen[0]["text/plain"]
    assert "1 of 1 trial" in seen[-1]["text/plain"]
    assert '<progress value="1" max="1"' in seen[-1]["text/html"]
    assert type(bar_for(study(tmp_path / "other"), "cpu", None)) is NotebookBar
    assert type(bar_for(study(tmp_path / "other"), "cpu", False)) is Bar


def test_a_damaged_trial_is_left_out_of_the_answers_and_named_where_it_is_asked_for(finished):
    opened = unseen.open_study(finished)
    broken = opened.trial(0)
    (finished / "trials" / broken.identity / "responses.parquet").write_bytes(b"no table")
    assert opened.responses()["trial"].n_unique() == 3
    with pytest.raises(UnseenError, match=f"trial '.*{broken.identity}' cannot be read"):
        broken.responses()
