"""From any model's labels to a world's categories: by WordNet, names, a table, or a guess that is shown."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.answer_spaces import AnswerSpace, answer_space
from unseen.vocabulary.class_maps import ClassMap, class_map, imagenet_classes, mapped
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.label_names import normal, synonyms
from unseen.worlds.shapes.categories import CATEGORIES

LABELS = tuple(one.names[0] for one in imagenet_classes())
FULL = tuple(", ".join(one.names) for one in imagenet_classes())
CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def test_imagenets_classes_go_by_wordnet_and_score_as_the_class_map_does():
    space = answer_space(list(CATEGORIES), LABELS, "imagenet-1k")
    assert set(space.without) >= {"windmill", "giraffe"}
    p = np.random.default_rng(0).dirichlet(np.ones(1000), 3)
    np.testing.assert_allclose(space.scores_of(p), mapped(p, class_map(), space.categories))
    assert "class map 'everyday' (sum of probabilities); not scored, for want of a counterpart: windmill" in space.words


def test_names_forgive_case_plural_underscores_and_synonyms():
    labels = ["Mugs", "wine_glass", "COUCH", "pocket knives", "Automobile", "lamp post"]
    space = answer_space(["mug", "wine glasses", "sofa", "car", "lamp"], labels)
    assert dict(zip(space.categories, space.classes)) == {
        "mug": (0,), "wine glasses": (1,), "sofa": (2,), "car": (4,),
    }  # fmt: skip
    assert space.without == ("lamp",)
    assert ("COUCH", "sofa", "a synonym") in space.why


@given(
    st.lists(st.sampled_from(sorted(class_map().classes)), min_size=1, max_size=8, unique_by=normal),
    st.randoms(use_true_random=False),
)
def test_every_category_is_found_among_labels_of_its_own_name_in_any_order(categories, random):
    labels = [one.upper().replace(" ", "_") for one in categories]
    random.shuffle(labels)
    space = answer_space(categories, labels)
    for name, numbers in zip(space.categories, space.classes):
        assert normal(name) in {normal(labels[number]) for number in numbers}
    assert space.without == ()


def test_a_guess_agrees_with_wordnet_where_both_speak_and_tells_why():
    guessed, known = (answer_space(list(CATEGORIES), FULL, by=by) for by in ("guess", "everyday"))
    ours, theirs = (dict(zip(one.categories, one.classes)) for one in (guessed, known))
    alike = sum(set(ours.get(name, ())) == set(theirs[name]) for name in theirs)
    assert alike >= 0.85 * len(theirs)  # 29 of 32
    reasons = {why for _, _, why in guessed.why}
    assert reasons >= {"the same name", "a kind of it"}


def test_a_guess_is_a_table_that_may_be_given_back(tmp_path):
    world = ["aeroplane", "car", "bird", "cat", "horse", "boat", "truck"]
    guessed = answer_space(world, CIFAR, by="guess")
    assert guessed.without == ("boat",)
    (tmp_path / "map.csv").write_text(guessed.table() + "ship,boat,mine\n", encoding="utf-8")
    assert next(csv.reader(io.StringIO(guessed.table()))) == ["label", "category", "why"]
    mended = answer_space(world, CIFAR, by=tmp_path / "map.csv")
    assert mended.without == ()
    assert dict(zip(mended.categories, mended.classes))["boat"] == (8,)
    assert dict(zip(mended.categories, mended.classes))["car"] == (1,)


def test_a_table_that_is_no_csv_is_told(tmp_path):
    (tmp_path / "map.csv").write_text('label,category\n"' + "x" * 200_000 + '",mug\n')
    with pytest.raises(UnseenError, match="is no CSV"):
        answer_space(["mug"], ["a", "b"], by=tmp_path / "map.csv")


def test_a_table_may_name_outputs_by_number_and_several_for_one_category(tmp_path):
    (tmp_path / "map.csv").write_text("Category,Label\nvehicle,1\nvehicle,truck\nelse,cat\nanimal,\n")
    space = answer_space(["vehicle", "animal"], CIFAR, by=str(tmp_path / "map.csv"))
    assert (space.categories, space.classes, space.without) == (("vehicle",), ((1, 9),), ("animal",))
    p = np.eye(10)[[1, 9, 3]]
    assert space.scores_of(p).tolist() == [[1], [1], [0]]


def test_a_mean_is_the_sum_by_the_number_of_outputs():
    own = ClassMap("own", {"a": (0, 1), "b": (2,)}, ("x", "y", "z"))
    p = np.array([[0.2, 0.4, 0.4]])
    np.testing.assert_allclose(answer_space(["a", "b"], "xyz", by=own).scores_of(p), [[0.6, 0.4]])
    np.testing.assert_allclose(answer_space(["b", "a"], "xyz", by=own, how="mean").scores_of(p), [[0.4, 0.3]])


def test_a_label_that_two_categories_claim_alike_counts_for_none_and_exact_names_come_first():
    space = answer_space(["couch", "sofa", "chair"], ["lounge", "sofa", "chair"])
    assert dict(zip(space.categories, space.classes)) == {"sofa": (1,), "chair": (2,)}
    assert "couch" in space.without


def test_an_answer_space_is_told_for_provenance():
    said = answer_space(["mug", "giraffe"], ["mug", "b"]).facts()
    assert said == {"origin": "names", "how": "sum", "outputs": 2, "classes": {"mug": [0]}, "without": ["giraffe"]}


def test_synonyms_are_those_of_wordnet():
    assert {"airplane", "aeroplane"} <= synonyms("airplane")
    assert synonyms("no such thing") == {"no such thing"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda _: answer_space(["mug"], ["a"] * 10, "imagenet-1k"), r"models with 1000 classes, and this one has 10"),
        (
            lambda _: answer_space(["mug", "cup"], ["mugg", "x"]),
            r"none of the model's 2 labels.*'mugg' and 'mug'.*guess",
        ),
        (lambda _: answer_space(["mug"], ["alpha"], by="guess"), r"Give a CSV with the columns label and category\."),
        (
            lambda _: answer_space(["mug", "cup"], [], outputs=2),
            r"labels of this model's 2 outputs are not known.*\['mug', 'cup'\]",
        ),
        (lambda _: answer_space(["giraffe"], LABELS, "imagenet-1k"), r"no counterpart of any"),
        (lambda _: answer_space(["mug"], ["mug"], outputs=3), r"1 labels were given for a model with 3 outputs"),
        (lambda _: answer_space(["mug", "mug"], ["mug"]), r"there twice: mug"),
        (lambda _: answer_space(["mug"], ["mug"], by="everyday2"), r"no class map 'everyday2'.*names, guess"),
        (lambda _: answer_space(["mug"], ["mug"], how="max"), r"no way to join probabilities 'max'"),
        (lambda f: answer_space(["mug"], CIFAR, by=f / "none.csv"), r"could not be read \(No such file"),
        (
            lambda f: answer_space(["mug"], CIFAR, by=written(f, "a,b\n1,2\n")),
            r"no column label, category; its first line",
        ),
        (
            lambda f: answer_space(["cat"], CIFAR, by=written(f, "label,category\nship,boat\n")),
            r"names none of the world's",
        ),
        (lambda f: answer_space(["cat"], CIFAR, by=written(f, "label,category\nkat,cat\n")), r"line 2: .*mean 'cat'"),
        (lambda f: answer_space(["cat"], CIFAR, by=written(f, "label,category\n10,cat\n")), r"0 to 9"),
        (
            lambda f: answer_space(["a", "b"], CIFAR, by=written(f, "label,category\ncat,a\ncat,b\n")),
            r"counts for 'a' already",
        ),
        (lambda _: answer_space(["mug"], ["mug"]).scores_of(np.ones((2, 3))), r"a model with 1 outputs"),
        (lambda _: answer_space(["mug"], ["mug"]).scores_of(-np.ones((2, 1))), r"softmax"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path, call, words):
    with pytest.raises(UnseenError, match=words):
        call(tmp_path)


def written(folder, text):
    (folder / "map.csv").write_text(text)
    return folder / "map.csv"


def test_an_answer_space_cannot_be_changed():
    space = answer_space(["mug"], ["mug"])
    assert isinstance(space, AnswerSpace)
    with pytest.raises(AttributeError):
        space.how = "mean"
