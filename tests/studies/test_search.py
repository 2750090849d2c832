"""Learning rate and weight decay found on held-out training images: what is tried, what is chosen, what is recorded."""

import json

import numpy as np
import polars as pl
import pytest
import torch

from small_study import ran, study, tiny
from unseen.engines import open_study
from unseen.studies.execute import execute
from unseen.studies.search import at_edge, chosen, held_out, pairs_to_try
from unseen.studies.trials import describe
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from
from unseen.worlds import make

SMALL = {"design__seen_per_level": 8, "grid": {}, "network": {"backbone": "resnet18-w8", "stem": "small"}}


def facts_of(finished):
    (name,) = finished.store.finished()
    return finished.store.read(name)


def answers_of(finished):
    (name,) = finished.store.finished()
    table = pl.read_parquet(finished.store.path / "trials" / name / "responses.parquet")
    return table.drop("trial", "subject")


def row(lr, decay=0.0, accuracy=0.5, loss=1.0, diverged=""):
    return {"lr": lr, "weight_decay": decay, "accuracy": accuracy, "loss": loss, "diverged": diverged}


def test_every_rate_is_tried_with_every_decay_once_and_what_is_not_listed_is_the_recipes():
    pairs = pairs_to_try(recipe_from(tiny(search={"lr": [0.1, 0.01, 0.1], "weight_decay": [0, 0.5]})))
    assert pairs == [(0.1, 0), (0.1, 0.5), (0.01, 0), (0.01, 0.5)]
    assert pairs_to_try(recipe_from(tiny(search={"weight_decay": [0.5]}, training__lr=0.3))) == [(0.3, 0.5)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lr": [0.1, 0]}, r"search\.lr\.1 = 0: input should be greater than 0"),
        ({"weight_decay": [-1]}, r"search\.weight_decay\.0 = -1: input should be greater than or equal to 0"),
        ({"lr": [float("inf")]}, r"search\.lr = inf is no finite number"),
    ],
)
def test_impossible_values_are_refused_before_anything_is_trained(given, said):
    with pytest.raises(UnseenError, match=said):
        recipe_from(tiny(search=given))


def test_a_share_of_the_images_is_held_out_plain_and_transformed_together():
    samples = make("transformed", of={"name": "digits", "viewpoint": "none"}, levels=["blur"]).samples
    images = np.arange(0, 400, 2)
    rows = np.sort(np.concatenate([images, images, images[::2] + 1]))  # plain twice, some transformed once
    out = held_out(samples, rows, 0.1, seed=3)
    gone, kept = (set((rows[where] // 2).tolist()) for where in (out, ~out))
    assert len(gone) == 20
    assert not gone & kept
    assert len(gone | kept) == 200
    assert (out == held_out(samples, rows, 0.1, seed=3)).all()
    assert (out != held_out(samples, rows, 0.1, seed=4)).any()


def test_at_least_one_image_is_held_out_and_one_is_left():
    samples = make("digits", viewpoint="none").samples
    assert held_out(samples, np.arange(3), 0.01, seed=0).sum() == 1
    assert held_out(samples, np.arange(3), 0.99, seed=0).sum() == 2
    with pytest.raises(UnseenError, match="holds out a part of the training images, and there are 1"):
        held_out(samples, np.array([5, 5]), 0.5, seed=0)


def test_the_most_accurate_is_chosen_then_the_one_of_lower_loss_and_never_one_that_diverged():
    table = [row(1, accuracy=0.9, diverged="loss was no number"), row(2, accuracy=0.6), row(3, accuracy=0.6, loss=0.9)]
    assert chosen(table, "accuracy")["lr"] == 3
    assert chosen([*table, row(4, accuracy=0.1, loss=0.2)], "accuracy")["lr"] == 3
    assert chosen([*table, row(4, accuracy=0.1, loss=0.2)], "loss")["lr"] == 4
    with pytest.raises(
        UnseenError, match=r"tried 2 pairs .* every one diverged \(no number\).*were 5, 6: list smaller"
    ):
        chosen([row(6, accuracy=None, loss=None, diverged="no number"), row(5, diverged="too")], "accuracy")


def test_a_choice_at_the_end_of_a_list_is_said():
    pairs = [(0.1, 0.0), (0.01, 0.0), (0.001, 0.0), (0.1, 0.5), (0.01, 0.5), (0.001, 0.5)]
    assert at_edge(row(0.01, 0.0), pairs) == [], "there is no decay below zero"
    assert at_edge(row(0.001, 0.5), pairs) == ["lr", "weight_decay"]
    assert at_edge(row(0.1, 0.5), pairs[:1]) == []


def test_the_best_pair_trains_on_all_rows_as_if_it_had_been_written_in_the_recipe(tmp_path):
    given = {"lr": [1e-6, 3e-3], "weight_decay": [0.0, 0.5], "share": 0.2}
    searched = study(tmp_path / "a", search=given, **SMALL)
    assert not ran(searched).failed
    found = facts_of(searched)["search"]
    assert [(one["lr"], one["weight_decay"]) for one in found["tries"]] == [
        (1e-6, 0.0),
        (1e-6, 0.5),
        (3e-3, 0.0),
        (3e-3, 0.5),
    ]
    assert all(one["n"] == 18 and 0 <= one["accuracy"] <= 1 and one["loss"] > 0 for one in found["tries"])
    assert found["trained_on"] == 72
    best = max(found["tries"], key=lambda one: (one["accuracy"], -one["loss"]))
    assert found["chosen"] == {"lr": best["lr"], "weight_decay": best["weight_decay"]}
    assert (found["by"], found["share"]) == ("accuracy", 0.2)
    written = study(tmp_path / "b", training__lr=best["lr"], training__weight_decay=best["weight_decay"], **SMALL)
    assert not ran(written).failed
    assert "search" not in facts_of(written)
    assert answers_of(searched).equals(answers_of(written))
    assert facts_of(searched)["curve"] == facts_of(written)["curve"]


def test_a_search_that_diverges_everywhere_is_a_failure_of_its_trial_that_says_so(tmp_path):
    opened = study(tmp_path, search={"lr": [1e30, 1e25]}, **{**SMALL, "training__optimiser": "sgd"})
    assert ran(opened).failed == 1
    (failure,) = opened.failures().values()
    assert "tried 2 pairs of learning rate and weight decay and every one diverged" in failure["error"]
    assert "list smaller ones in search.lr" in failure["error"]


def test_numbers_are_chosen_by_their_loss(tmp_path):
    opened = study(tmp_path, search={"lr": [1e-5, 1e-2]}, task="regression", targets=["position"], **SMALL)
    if ran(opened).failed:
        pytest.fail(json.dumps(opened.failures(), default=str))
    found = facts_of(opened)["search"]
    assert found["by"] == "loss"
    assert found["chosen"]["lr"] == min(found["tries"], key=lambda one: one["loss"])["lr"]


def test_a_search_is_part_of_the_identity_and_no_search_is_not():
    def told(**changes):
        opened = open_study(tiny(**SMALL, **changes), out="nowhere")
        return describe(opened.trials[0], opened.world(opened.trials[0]), "float32")

    assert "search" not in told()
    with pytest.raises(UnseenError, match=r"\[search\] \(share = 0.2\) does nothing"):
        told(search={"share": 0.2})
    assert told(search={"lr": [0.1]})["search"] == {"lr": [0.1]}
    assert told(search={"lr": [0.1], "share": 0.2}) != told(search={"lr": [0.1]})


def test_categories_exposed_to_noise_train_with_fresh_noise_and_a_search(tmp_path, monkeypatch):
    recipe = {
        "title": "Noise",
        "seeds": [0, 1],
        "world": {"name": "transformed", "levels": ["white-noise"], "of": {"name": "digits", "viewpoint": "none"}},
        "design": {"name": "expose", "level": "white-noise", "seen": 4, "images_per_category": 6}
        | {"test_images_per_category": 2, "probe_per_category": 1},
        "targets": ["category"],
        "network": {"backbone": "resnet18-w8", "stem": "small"},
        "training": {"epochs": 2, "batch": 30, "normalise": "per-image"},
        "search": {"lr": [1e-3, 1e-2]},
        "recordings": {"sets": ["within", "across", "plain"], "layers": "none"},
    }
    packed, alone = (open_study(recipe, out=tmp_path / name) for name in ("packed", "alone"))
    events = []
    execute(packed, packed.trials, torch.device("cpu"), events.append)
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 0)  # streamed, and nothing kept below noise
    for trial in alone.trials:
        execute(alone, [trial], torch.device("cpu"), events.append)
    assert [event.kind for event in events].count("finished") == 4
    for name in packed.store.finished():
        a, b = packed.store.read(name), alone.store.read(name)
        assert a["curve"] == b["curve"]
        assert a["search"]["tries"] == b["search"]["tries"]
        assert a["search"]["tries"][0]["n"] == 12, "six of sixty images, each visited twice"
