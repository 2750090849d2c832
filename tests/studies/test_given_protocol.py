"""A model that somebody brings is asked as it is, by its labels or by texts; what it has no word for is told."""

import dataclasses

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from given_stubs import Body, Patches, held, patches, text_model
from small_study import ran, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.recordings import features as cache
from unseen.studies import given_models
from unseen.studies.given_models import hold, model_told
from unseen.studies.missing_trials import missing_trials
from unseen.studies.protocols.zero_shot import templates, texts_of
from unseen.vocabulary.class_maps import class_map, mapped
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.target import Target

pytest_plugins = ("studies_fixtures",)

OBJECTS = {"name": "objects", "categories": ["mug", "giraffe", "chair"], "instances": 2, "pose": 2, "side": 24}
ASKED = {
    "title": "As it is", "world": OBJECTS, "design": {"name": "ask", "factors": ["pose"]}, "targets": ["category"],
}  # fmt: skip
PLACED = {
    "title": "By texts", "protocol": "zero-shot", "targets": ["position"],
    "world": {"name": "digits", "viewpoint": "position"},
    "design": {"name": "ask", "factors": ["position"], "images_per_cell": 1},
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def asked(path, model, tables=ASKED, **changes):
    return open_study({**tables, "network": held(model), **changes}, out=path)


def answers(opened, number=0):
    name = opened.find(opened.trials[number])
    return opened.store.read(name), pq.read_table(opened.store.trials / name / "responses.parquet").to_pydict()


def test_a_given_model_is_asked_the_categories_it_has_words_for_and_the_others_are_told(tmp_path):
    model = patches()
    opened = asked(tmp_path / "study", model)
    check(opened)
    (told,) = opened.networks
    assert told.endswith(", as it is")
    assert ran(opened).finished == 1, opened.failures()
    facts, table = answers(opened)
    world = opened.world(opened.trials[0])
    rows = np.array(table["sample"])
    assert set(table["truth"]) == {"a mug", "a chair"}
    assert len(rows) == 2 * 2 * 2, "categories × instances × poses"
    probabilities = model.probabilities(world.images(rows)).double().numpy()
    wanted = mapped(probabilities, class_map(), ["mug", "chair"])
    assert table["response"] == [("a mug", "a chair")[place] for place in wanted.argmax(1)]
    np.testing.assert_allclose(table["confidence"], wanted.max(1), atol=6e-5)
    assert facts["flags"] == {
        "category without counterpart": "1 of 3 are not among this model's answers and are not asked: a giraffe",
        "not asked": "4 of 12 images, whose answer the model has no word for",
    }
    assert facts["answers"]["category"]["classes"]["a mug"] == ["coffee mug"]
    assert facts["answers"]["category"]["without"] == ["a giraffe"]
    assert facts["network"]["model"]["digest"] == "patches"
    assert "taken as they are" in facts["network"]["input"]
    (right,) = [row["value"] for row in collect(opened).to_dicts() if row["measure"] == "accuracy"]
    assert right == pytest.approx(np.mean([a == b for a, b in zip(table["truth"], table["response"])]))


def test_chance_has_no_part_in_it_so_that_one_seed_is_enough(tmp_path):
    assert len(asked(tmp_path / "study", patches(), seeds=[0, 1, 2]).trials) == 1


def test_another_map_asks_no_picture_again_and_a_model_with_other_weights_does(tmp_path):
    model = patches()
    opened = asked(tmp_path / "study", model, grid={"answers.how": ["sum", "mean"]})
    assert ran(opened).finished == 2
    seen = model.body.seen
    assert seen == 8
    assert ran(asked(tmp_path / "more", model, answers={"map": "everyday", "how": "sum"})).finished == 1
    assert model.body.seen == seen
    assert ran(asked(tmp_path / "other", patches(digest="other", seed=1))).finished == 1
    assert len(cache.kept(tmp_path / "cache" / "features")) == 2


def test_a_model_of_which_more_is_asked_is_not_said_to_be_trained(tmp_path):
    model = patches()
    ran(asked(tmp_path / "study", model))
    more = asked(tmp_path / "study", model, explanations={"methods": ["occlusion"], "images": 2})
    (said,) = missing_trials(more).words()
    assert said == "1 finished trial is asked for something new: its model is asked again, and nothing is trained"


def changed(**what):
    """The same weights, and something else of a model that decides what it answers."""
    model = patches()
    for key, value in what.items():
        setattr(model, key, value)
    return model


def test_what_is_said_of_a_model_that_python_brought_is_not_passed_over(tmp_path):
    network = {**held(patches()), "preprocessing": {"range": 255.0}}
    with pytest.raises(UnseenError, match=r"network.preprocessing would do nothing; say that where it is brought"):
        check(asked(tmp_path / "study", patches(), network=network))


def test_models_of_unknown_code_share_no_features(tmp_path):
    told = [model_told(patches(digest="")) for _ in range(3)]
    assert len({one["digest"] for one in told}) == 3, "an address in memory is used again"
    one = patches(digest="")
    assert model_told(one) == model_told(one)


def test_a_folder_or_file_of_labels_that_is_written_again_is_read_again(tmp_path):
    (tmp_path / "model").mkdir()
    file = tmp_path / "model" / "config.json"
    file.write_text("{}")
    before = given_models._state(str(tmp_path / "model"))
    file.write_text("{ }")
    assert given_models._state(str(tmp_path / "model")) != before
    assert given_models._state("timm:resnet50") == []


def test_identity_is_of_the_weights_the_preprocessing_and_the_answer_space(tmp_path):
    def name(model, **changes):
        opened = asked(tmp_path / "study", model, **changes)
        return opened.identity(opened.trials[0], "float32")

    plain = name(patches())
    assert name(patches()) == plain
    others = {
        name(patches(digest="other")),
        name(patches(), answers={"how": "mean"}),
        name(patches(), answers={"map": "geirhos16"}),
        name(changed(preprocessing=dataclasses.replace(patches().preprocessing, range=255.0))),
        name(changed(labels=tuple(reversed(patches().labels)))),
        name(changed(are_probabilities=True)),
    }
    assert len(others) == 6
    assert plain not in others
    assert name(patches(), training={"epochs": 99}, seeds=[0]) == plain, "nothing is trained"


def test_a_kill_between_model_and_store_asks_no_picture_twice(tmp_path, monkeypatch):
    model, opened = patches(), None
    opened = asked(tmp_path / "study", model)
    with monkeypatch.context() as patch:
        patch.setattr(
            "unseen.studies.together._store", lambda *told: (_ for _ in ()).throw(KeyboardInterrupt), raising=True
        )
        with pytest.raises(KeyboardInterrupt):
            ran(opened)
    seen = model.body.seen
    assert ran(asked(tmp_path / "study", model)).finished == 1
    assert model.body.seen == seen == 8


def test_a_model_may_be_asked_beside_a_design_that_trains(tmp_path):
    model = patches(9, [str(n) for n in range(9)], "", digest="digits")
    opened = open_study(
        tiny(network=held(model), protocol="zero-shot", targets=["category"], grid={"design.seen_per_level": [8]}),
        out=tmp_path / "study",
    )
    model.body.of_text = lambda text: torch.eye(9)[int(text[-2])]
    check(opened)
    assert ran(opened).finished == 1, opened.failures()
    assert set(answers(opened)[1]["set"]) == {"seen", "unseen"}


def test_labels_that_are_names_of_levels_need_no_map_and_a_file_may_be_one(tmp_path):
    digits = {
        "world": {"name": "digits", "viewpoint": "position"},
        "design": {"name": "ask", "factors": ["position"], "images_per_cell": 1},
    }
    model = patches(4, ["the digit 1", "the digit 2", "7", "a dog"], "", digest="four")
    opened = asked(tmp_path / "study", model, **digits)
    assert ran(opened).finished == 1, opened.failures()
    facts, table = answers(opened)
    assert set(table["truth"]) >= {"the digit 1", "the digit 2"}
    assert set(facts["answers"]["category"]["classes"]) >= {"the digit 1", "the digit 2"}
    (tmp_path / "map.csv").write_text("label,category\nthe digit 1,5\nthe digit 2,6\n7,7\n", encoding="utf-8")
    mapped = asked(tmp_path / "mapped", model, answers={"map": str(tmp_path / "map.csv")}, **digits)
    assert ran(mapped).finished == 1, mapped.failures()
    facts, table = answers(mapped)
    assert set(table["truth"]) == {"the digit 5", "the digit 6", "the digit 7"}
    before = mapped.identity(mapped.trials[0], "float32")
    (tmp_path / "map.csv").write_text("label,category\nthe digit 1,5\n7,7\n", encoding="utf-8")
    assert mapped.identity(mapped.trials[0], "float32") != before, "a map counts by what it holds"


# By texts


def test_a_model_that_knows_texts_finds_places_it_was_never_trained_on(tmp_path):
    opened = asked(tmp_path / "study", text_model(), PLACED)
    check(opened)
    assert next(iter(opened.networks)).endswith(", asked by texts (1 template)")
    assert ran(opened).finished == 1, opened.failures()
    facts, table = answers(opened)
    assert np.mean([a == b for a, b in zip(table["truth"], table["response"])]) == 1.0
    assert len(table["truth"]) == 81
    assert facts["answers"]["position"]["texts"]["top left"] == ["a photo of a top left."]
    assert 1 / 9 < min(table["confidence"]) <= 1


def test_how_sure_it_is_follows_the_models_own_scale_where_that_is_known(tmp_path):
    model = text_model()
    model.body.logit_scale = 7.0
    opened = asked(tmp_path / "study", model, PLACED)
    assert ran(opened).finished == 1, opened.failures()
    assert answers(opened)[0]["answers"]["position"]["scale"] == 7.0


def test_other_templates_ask_no_picture_again(tmp_path):
    model = text_model()
    grid = {"answers.templates": [["photo"], ["seven"], ["word", "a {category} at the {position}"]]}
    opened = asked(tmp_path / "study", model, PLACED, grid=grid)
    assert ran(opened).finished == 3, opened.failures()
    assert model.body.seen == 81
    assert len({opened.identity(trial, "float32") for trial in opened.trials}) == 3


def test_templates_have_names_or_are_written_out_and_other_factors_fill_theirs():
    assert templates(["photo", "photo", "art of {}"]) == ("a photo of a {}.", "art of {}")
    space = FactorSpace({"animal": ("cat", "sea_lion"), "hue": ("red", "blue")})
    found = texts_of(Target("animal", "animal", ("cat", "sea_lion")), space, ["{hue} {animal}", "word"])
    assert found == [["red cat", "blue cat", "cat"], ["red sea lion", "blue sea lion", "sea lion"]]


def test_texts_may_say_what_captions_say_of_every_other_factor():
    space = FactorSpace(
        [
            Factor("category", ("mug", "sofa"), kind="category", texts=("a mug", "a sofa")),
            Factor("object", ("mug 0", "sofa 0"), kind="instance"),
            Factor("size", (0.5, 1.0, 1.5), kind="ordinal"),
            Factor("background", ("sky 1", "sky 2", "city 1")),
        ]
    )
    found = texts_of(Target("category", "category", ("a mug", "a sofa")), space, ["factors"])
    said = ["a mug.", "a mug, small.", "a mug, medium.", "a mug, large.", "a mug, before sky.", "a mug, before city."]
    assert found[0] == [f"a photo of {one}" for one in said]
    assert len(found[1]) == 6


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["foto"], "no templates 'foto' in answers.templates .*Did you mean 'photo'"),
        ([], "answers.templates is empty"),
        (["a {hue} thing"], "has no place for the class of 'animal'"),
        (["a {colour} {}"], "no factor 'colour' in template"),
    ],
)
def test_templates_that_cannot_be_filled_are_refused(said, words):
    space = FactorSpace({"animal": ("cat", "dog"), "hue": ("red", "blue")})
    with pytest.raises(UnseenError, match=words):
        texts_of(Target("animal", "animal", ("cat", "dog")), space, said)


# Bad input


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"protocol": "given", "network": {}}, "none is named; set network.model"),
        ({"task": "regression"}, "names classes, and task = 'regression' asks for numbers"),
        ({"protocol": "finetune"}, "protocol = 'finetune' trains, and design 'ask' only asks"),
        ({"recordings": {"layers": "all"}}, "protocol = 'given' answers from features and outputs that are kept"),
        ({"recordings": {"invariance": True}}, "needs the activity of units, which protocol = 'given' does not record"),
        ({"protocol": "zero-shot", "answers": {"map": "everyday"}}, "answers.map = 'everyday' is for a model with"),
        ({"answers": {"how": "most"}}, "answers.how"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_of_a_model_is_refused_before_anything_runs(changes, words, tmp_path):
    with pytest.raises(UnseenError, match=words):
        check(asked(tmp_path / "study", patches(), **changes))


def test_a_protocol_that_trains_a_backbone_does_not_train_a_model_that_comes_as_it_is(tmp_path):
    with pytest.raises(UnseenError, match=r'network.model = \'held:.* is asked as it comes; set protocol = "given"'):
        check(open_study(tiny(network=held(patches()), protocol="finetune"), out=tmp_path / "study"))


def test_labels_that_match_nothing_name_what_would(tmp_path):
    opened = asked(tmp_path / "study", patches(3, ["rock", "sand", "air"], "", digest="nothing"), targets=[])
    with pytest.raises(UnseenError, match=r"(?s)has no label for what is asked .*answers.map = \"FILE.csv\""):
        check(opened)
    assert ran(opened).failed == 1
    assert "has no label for what is asked" in next(iter(opened.store.failures().values()))["error"]


def test_outputs_that_are_no_numbers_are_recorded_as_a_failure_of_that_trial_alone(tmp_path):
    model = patches()
    model.body = Body(Broken().eval())
    opened = asked(
        tmp_path / "study",
        model,
        network={},
        grid=[{"network.model": [hold(model), hold(patches(seed=2, digest="w"))]}],
    )
    outcome = ran(opened)
    assert (outcome.failed, outcome.finished) == (1, 1)
    assert "NaN" in next(iter(opened.store.failures().values()))["error"]


class Broken(Patches):
    def forward(self, images):
        return super().forward(images) / 0.0 * 0.0


def test_answers_that_cannot_be_stored_are_a_failure_of_that_trial_alone(tmp_path, monkeypatch):
    from unseen.studies import together

    opened, whole = asked(tmp_path / "study", patches(), grid={"answers.how": ["sum", "mean"]}), together._store

    def store(study, trial, *told):
        if trial.recipe.answers.how == "sum":
            raise UnseenError("nothing to store")
        whole(study, trial, *told)

    monkeypatch.setattr(together, "_store", store)
    found = ran(opened)
    assert (found.finished, found.failed) == (1, 1)
    (failure,) = opened.failures().values()
    assert "sum" in failure["label"]
    assert failure["error"] == "nothing to store"


def test_a_model_of_another_process_is_asked_for_again(tmp_path):
    tables = {**ASKED, "network": {"model": "held:gone-0123"}}
    with pytest.raises(UnseenError, match="was a model of another Python process"):
        check(open_study(tables, out=tmp_path / "study"))


def test_results_are_read_where_the_model_is_gone(tmp_path, monkeypatch):
    opened = asked(tmp_path / "study", patches())
    assert ran(opened).finished == 1
    monkeypatch.setattr("unseen.studies.given_models._held", {})
    again = open_study(tmp_path / "study")
    assert collect(again).height > 0


def test_a_subject_of_the_same_questions_stands_beside_it(tmp_path):
    """A trial of a design that only asks is read like any other: its facts have no training rows."""
    opened = asked(tmp_path / "study", patches())
    ran(opened)
    facts, _ = answers(opened)
    assert "train" not in facts["sets"]
    assert facts["curve"] == []
    assert dataclasses.is_dataclass(opened.trials[0])
