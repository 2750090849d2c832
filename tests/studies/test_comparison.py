"""Subjects side by side: from files, from studies, and both."""

import re

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.engines import open_study
from unseen.kinds.comparison.page import page
from unseen.kinds.comparison.parting import partings
from unseen.kinds.comparison.sources import How, gathered
from unseen.kinds.comparison.tables import numbers_of, tidy
from unseen.measures import mcnemar
from unseen.studies.given_answers import SubjectDetails
from unseen.studies.subjects import add_answers, asked_rows
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys

ASK = {
    "title": "Who knows?",
    "seeds": [0],
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "ask", "images_per_cell": 2},
}
CLASSES = ("bird", "cat", "dog", "oven")
N = 120


def asking(path):
    return open_study(ASK, out=path)


def frame_of(study, wrong=()):
    """Right answers to everything that is asked, but for the rows at these places."""
    samples = study.world(study.points[0]).samples
    rows = asked_rows(study)
    said = [(level + (place in wrong)) % 3 for place, level in enumerate(samples.levels("category", rows).tolist())]
    return pl.DataFrame({"key": sample_keys(samples, rows), "response": [str(one) for one in said]})


def put(study, frame, name="answers.csv", subject="model"):
    frame.write_csv(study.path.parent / name)
    return add_answers(study, [study.path.parent / name], SubjectDetails(subject))


def told(rng, skill, truth):
    """Answers that are right with a probability of their own for each image."""
    return np.where(rng.random(len(truth)) < skill, truth, rng.integers(0, 4, len(truth)))


def made(path, subjects, names=None, truth=None):
    """A file with the answers of several subjects about the same images; skill varies over images."""
    rng = np.random.default_rng(0)
    truth = np.arange(N) % 4 if truth is None else truth
    hard = rng.random(N)
    frames = []
    for name, skill in subjects.items():
        said = told(rng, np.clip(skill + hard - 0.5, 0, 1), truth)
        frames.append(
            pl.DataFrame(
                {
                    "subj": [name] * N,
                    "imagename": names or [f"picture{k}.png" for k in range(N)],
                    "category": [CLASSES[k] for k in truth],
                    "object_response": [CLASSES[k] for k in said],
                    "condition": [f"c{k % 3}" for k in range(N)],
                }
            )
        )
    pl.concat(frames).write_csv(path)
    return path


def compared(*paths, **how):
    return gathered([str(path) for path in paths], open_study, How(**how))


def test_two_models_of_a_file_have_sklearns_kappa_and_mcnemars_p(tmp_path):
    one = compared(made(tmp_path / "a.csv", {"x": 0.8, "y": 0.5})).answers
    (pair,) = numbers_of(one).pairs
    x, y = one.right
    assert pair.kappa.value == pytest.approx(cohen_kappa_score(x, y))
    assert pair.p == mcnemar(int((x & ~y).sum()), int((~x & y).sum()))
    assert pair.difference.value == pytest.approx(x.mean() - y.mean())
    assert pair.images == N


def test_people_are_one_subject_with_intervals_over_people(tmp_path):
    subjects = {f"subject-0{k}": 0.7 + 0.02 * k for k in range(6)} | {"net": 0.5}
    found = numbers_of(compared(made(tmp_path / "a.csv", subjects)).answers)
    (pair,) = found.pairs
    assert pair.over == "people"
    assert pair.difference.n == 6
    own = next(own for own in found.owns if own.group.name == "people")
    assert own.accuracy.n == 6
    assert found.inside["people"].n == 6
    alone = numbers_of(compared(tmp_path / "a.csv", each_person=True).answers)
    assert len(alone.pairs) == 21


def test_kappa_of_people_and_a_model_is_the_mean_over_people(tmp_path):
    subjects = {f"subject-0{k}": 0.7 for k in range(4)} | {"net": 0.5}
    one = compared(made(tmp_path / "a.csv", subjects)).answers
    net = one.right[one.who.index("net")]
    each = [cohen_kappa_score(one.right[place], net) for place, who in enumerate(one.who) if who != "net"]
    assert numbers_of(one).pairs[0].kappa.value == pytest.approx(np.mean(each))


def test_all_correct_subjects_have_no_kappa_and_are_counted(tmp_path):
    found = numbers_of(compared(made(tmp_path / "a.csv", {"x": 2.0, "y": 2.0})).answers)
    assert found.undefined == 1
    said = CliRunner().invoke(app, ["compare", str(tmp_path / "a.csv"), "--format", "table"])
    assert said.exit_code == 0
    assert "undefined" in said.output
    assert "1 of 1 pairs" in re.sub(r"\s+", " ", said.output)


def test_an_observer_with_too_few_answers_is_named_with_how_many_and_what_to_do(tmp_path):
    file = made(tmp_path / "a.csv", {"x": 0.8, "subject-01": 0.7})
    frame = pl.read_csv(file)
    few = frame.filter(pl.col("subj") == "subject-01")[:4]
    pl.concat([frame.filter(pl.col("subj") == "x"), few]).write_csv(file)
    with pytest.raises(UnseenError, match=r"of 'subject-01' \(4\); at least 10 are needed. Leave their rows out"):
        compared(file)


def test_equal_subjects_are_tied_and_unequal_ones_parted(tmp_path):
    found = numbers_of(compared(made(tmp_path / "a.csv", {"best": 1.4, "good": 1.35, "bad": 0.2})).answers)
    assert any({"best", "good"} <= set(group) for group in found.groups)
    assert not any({"best", "bad"} <= set(group) for group in found.groups)


def test_agreement_is_told_by_level(tmp_path):
    found = numbers_of(compared(made(tmp_path / "a.csv", {"x": 0.8, "y": 0.5})).answers)
    levels = found.levels["condition", "y"]
    assert [level for level, _ in levels] == ["c0", "c1", "c2"]
    assert sum(pair.images for _, pair in levels) == N


def test_cue_conflicts_have_a_shape_bias(tmp_path):
    names = [f"{CLASSES[k % 4]}{k}-{CLASSES[(k + 1 + k // 60) % 4]}1.png" for k in range(N)]
    found = numbers_of(compared(made(tmp_path / "a.csv", {"x": 0.9, "y": 0.1}, names)).answers)
    assert found.biases["x"][""].bias.value > 0.8
    assert set(found.biases["x"]) == {"", *CLASSES}


def test_subjects_without_a_common_image_are_refused(tmp_path):
    first = made(tmp_path / "a.csv", {"x": 0.8})
    second = made(tmp_path / "b.csv", {"y": 0.8}, [f"photo{k}.png" for k in range(N)])
    with pytest.raises(UnseenError, match="no image in common"):
        compared(first, second)


def _without(column):
    return lambda frame: frame.drop(column)


def _twice(response):
    return lambda frame: pl.concat([frame, frame[:1].with_columns(pl.lit(response).alias("object_response"))])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_without("imagename"), "no column that says which image was asked"),
        (_without("category"), "no column says what an image shows"),
        (_without("object_response"), "no column that says what was answered"),
        (_twice("oven"), "answered twice by the same subject, differently"),
    ],
)
def test_a_file_that_lacks_a_column_or_doubles_a_trial_is_refused_with_what_to_do(tmp_path, spoil, told):
    first, second = made(tmp_path / "a.csv", {"x": 0.8}), made(tmp_path / "b.csv", {"y": 0.5})
    frame = pl.read_csv(first)
    if frame["object_response"][0] == "oven":
        frame = frame[::-1]
    spoil(frame).write_csv(first)
    with pytest.raises(UnseenError, match=told):
        compared(first, second)


def test_columns_may_stand_in_any_order(tmp_path):
    first, second = made(tmp_path / "a.csv", {"x": 0.8}), made(tmp_path / "b.csv", {"y": 0.5})
    before = compared(first, second).answers.right
    frame = pl.read_csv(first)
    frame.select(frame.columns[::-1]).write_csv(first)
    np.testing.assert_array_equal(compared(first, second).answers.right, before)


def test_one_subject_alone_and_two_truths_are_refused(tmp_path):
    first = made(tmp_path / "a.csv", {"x": 0.8})
    with pytest.raises(UnseenError, match="nothing to compare it with"):
        compared(first)
    second = made(tmp_path / "b.csv", {"y": 0.8}, truth=(np.arange(N) + 1) % 4)
    with pytest.raises(UnseenError, match="different true classes"):
        compared(first, second)


def test_a_page_shows_pairs_errors_levels_and_where_they_part(tmp_path):
    what = compared(made(tmp_path / "a.csv", {"x": 0.8, "y": 0.5, "z": 0.4}))
    found = numbers_of(what.answers)
    shown = page(found, partings(what, found), title="t", command="", written="")
    assert {"accuracy", "pairs", "consistency", "levels", "parting", "confusion", "read"} <= set(shown.names)
    frame = tidy(found)
    assert frame.filter(pl.col("measure") == "error consistency")["n"].null_count() == 0


def test_pictures_of_a_files_images_are_found_in_a_folder_by_name(tmp_path):
    from PIL import Image

    folder = tmp_path / "pictures"
    folder.mkdir()
    for k in range(N):
        Image.new("RGB", (8, 8), (k, 0, 0)).save(folder / f"picture{k}.png")
    what = compared(made(tmp_path / "a.csv", {"x": 0.8, "y": 0.5}))
    found = numbers_of(what.answers)
    (one,) = partings(what, found, folder)
    assert all(p is not None and p[0, 0, 0] == int(n.removeprefix("picture").removesuffix(".png"))
               for p, n in zip(one.pictures, one.images))  # fmt: skip
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnseenError, match="no picture"):
        partings(what, found, folder.parent / "empty")


def test_a_study_and_a_file_meet_on_the_studys_images(tmp_path):
    study = asking(tmp_path / "s")
    put(study, frame_of(study, wrong={0, 5}), subject="model")
    frame_of(study, wrong={0, 7, 9}).with_columns(pl.lit("other").alias("subject")).write_csv(tmp_path / "other.csv")
    what = gathered([str(study.path), str(tmp_path / "other.csv")], lambda path: study, How())
    found = numbers_of(what.answers)
    assert {group.name for group in what.answers.groups} == {"model", "other"}
    assert found.pairs[0].only_first * found.pairs[0].images == pytest.approx(2)
    assert {"category", "position"} & set(what.answers.factors)
    (one,) = partings(what, found)
    assert all(picture is not None for picture in one.pictures)


def test_one_subject_of_a_study_is_named_behind_a_colon(tmp_path):
    study = asking(tmp_path / "s")
    for name, wrong in (("a", {0}), ("b", {1}), ("c", {2})):
        put(study, frame_of(study, wrong=wrong), f"{name}.csv", subject=name)
    what = gathered([f"{study.path}:a", f"{study.path}:c"], lambda path: study, How())
    assert [group.name for group in what.answers.groups] == ["a", "c"]
    with pytest.raises(UnseenError, match="no subject 'd'"):
        gathered([f"{study.path}:d"], lambda path: study, How())


def test_answers_go_out_in_the_layout_of_model_vs_human_and_come_back(tmp_path):
    study = asking(tmp_path / "s")
    put(study, frame_of(study, wrong={0, 5}), subject="model")
    to = tmp_path / "theirs.csv"
    said = CliRunner().invoke(
        app, ["answers", "export", str(study.path), "--to", str(to), "--layout", "model-vs-human"]
    )
    assert said.exit_code == 0, said.output
    assert pl.read_csv(to).columns[0] == "subj"
    other = frame_of(study, wrong={3}).with_columns(pl.lit("other").alias("subject"))
    other.write_csv(tmp_path / "o.csv")
    what = gathered([str(to), str(tmp_path / "o.csv"), str(study.path)], lambda path: study, How())
    found = numbers_of(what.answers)
    assert {own.accuracy.n for own in found.owns} == {len(other)}
    assert sorted(round(own.accuracy.n * (1 - own.accuracy.value)) for own in found.owns) == [1, 2, 2]


def test_the_command_writes_a_page_and_numbers_in_every_form(tmp_path):
    file = str(made(tmp_path / "a.csv", {"x": 0.8, "y": 0.5}))
    run = CliRunner().invoke
    said = run(app, ["compare", file, "--out", str(tmp_path / "page")])
    assert said.exit_code == 0, said.output
    assert (tmp_path / "page" / "report.html").is_file()
    assert "error consistency" in run(app, ["compare", file, "--format", "csv"]).output
    assert run(app, ["compare", file, "--format", "parquet", "--to", str(tmp_path / "n.parquet")]).exit_code == 0
    assert pl.read_parquet(tmp_path / "n.parquet").height > 10
    assert run(app, ["compare", file, "--format", "parquet"]).exit_code == 1
    assert run(app, ["compare", file, "--format", "pdf"]).exit_code == 1


def test_repeats_of_networks_are_members_and_unseen_images_are_compared(tmp_path):
    from pathlib import Path

    from unseen.studies.store import Store

    Store(tmp_path / "golden").unpack(Path(__file__).resolve().parents[1] / "golden" / "combinations.unseen")
    what = gathered([str(tmp_path / "golden")], open_study, How())
    assert "sets unseen" in what.answers.notes[0]
    assert {len(group.members) for group in what.answers.groups} == {3}
    found = numbers_of(what.answers)
    assert all(pair.over == "repeats" for pair in found.pairs)
    both = gathered([str(tmp_path / "golden")], open_study, How(sets=("seen", "unseen")))
    assert both.answers.asked.sum() > what.answers.asked.sum()
