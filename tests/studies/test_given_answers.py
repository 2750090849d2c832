"""Answers that were made elsewhere: joined, counted, refused, kept."""

import json
import shutil

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unseen
from unseen.engines import open_study
from unseen.kinds.results import summary_of, tidy_of
from unseen.studies.answer_names import SEVERAL, UNKNOWN, rows_named
from unseen.studies.given_answers import JoiningRules, SubjectDetails
from unseen.studies.store import Store
from unseen.studies.stored import at_hand
from unseen.studies.subjects import add_answers, answers_of, asked_rows, remove_answers, subjects_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.samples import Block, Samples

ASK = {
    "title": "Who knows?",
    "seeds": [0],
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "ask", "images_per_cell": 2},
}


def asking(path, **design):
    return open_study({**ASK, "design": {**ASK["design"], **design}}, out=path)


def frame_of(study, wrong=()):
    """Right answers to everything that is asked, but for the rows at these places."""
    samples = study.world(study.points[0]).samples
    rows = asked_rows(study)
    levels = samples.levels("category", rows)
    said = [(level + (place in wrong)) % 3 for place, level in enumerate(levels.tolist())]
    return pl.DataFrame({"key": sample_keys(samples, rows), "response": [str(one) for one in said]})


def put(study, frame, name="answers.csv", subject="model", kind="", **how):
    path = study.path.parent / name
    frame.write_parquet(path) if name.endswith("parquet") else frame.write_csv(path)
    return add_answers(study, [path], SubjectDetails(subject, kind), **how)


def accuracy(study):
    return {row["series"]: row["value"] for row in summary_of(study).iter_rows(named=True)}


def test_answers_are_joined_by_key_row_or_file_name_to_the_same_images(tmp_path):
    study = asking(tmp_path / "s")
    frame, rows = frame_of(study, wrong={0, 5}), asked_rows(study)
    numbered = frame.select(pl.Series("row", rows), "response")
    files = frame.select(pl.Series("path", [f"out/images/000000/{row:06}.png" for row in rows]), "response")
    for name, one in (("a.csv", frame), ("b.parquet", numbered), ("c.tsv", files.select(pl.all()))):
        put(study, one, name.replace("tsv", "csv"), name[0])
    assert list(accuracy(study).values()) == [pytest.approx(1 - 2 / len(rows))] * 3
    tables = [
        answers_of(study, record).select(["sample", "truth", "response"]).to_pydict()
        for record in subjects_of(study)[0]
    ]
    assert tables[0] == tables[1] == tables[2]


def test_a_study_may_consist_of_answers_alone_from_check_to_report(tmp_path):
    study = unseen.open_study(ASK, out=tmp_path / "s")
    assert len(study.inner.trials) == 0
    study.add_answers(frame_of(study.inner, wrong={1}), "model")
    assert study.subjects().select("subject", "kind", "answers").rows() == [("model", "model", 54)]
    assert "model 0.981" in study.answer()
    assert study.results().filter(measure="accuracy")["value"].to_list() == [pytest.approx(53 / 54)]
    assert study.responses(keys=True)["key"].to_list() == frame_of(study.inner)["key"].to_list()
    page = study.report()
    text = (
        page.read_text(encoding="utf-8")
        if hasattr(page, "read_text")
        else (tmp_path / "s/report/report.html").read_text()
    )
    assert "Who is right how often" in text
    assert study.findings().is_empty()


def test_people_are_one_subject_with_an_interval_over_persons_and_missing_answers_count_as_wrong(tmp_path):
    study = asking(tmp_path / "s")
    frames = []
    for person, wrong in (("subject-01", range(0)), ("subject-02", range(6)), ("subject-03", range(12))):
        frame = frame_of(study, wrong=set(wrong))
        said = frame["response"].to_list()
        said[-1] = "na" if person == "subject-03" else said[-1]
        frames.append(
            frame.with_columns(pl.Series("response", said), pl.lit(person).alias("subj"), pl.lit("1").alias("rt"))
        )
    put(study, pl.concat(frames), subject="")
    put(study, pl.concat(frames), "again.csv", "skipping", "people", rules=JoiningRules(no_answer="skip"))
    record = subjects_of(study)[0][0]
    assert (record.subject.name, record.subject.kind, record.subject.persons) == ("people", "people", 3)
    assert record.facts["counts"]["no answer"] == 1
    row, skipped = summary_of(study).to_dicts()
    n = len(asked_rows(study))
    assert row["value"] == pytest.approx(np.mean([1, 1 - 6 / n, 1 - 13 / n]))
    assert (row["n"], row["over"], row["asked"]) == (3, "people", 3 * n)
    assert row["low"] < row["value"] < row["high"]
    assert skipped["value"] == pytest.approx(np.mean([1, 1 - 6 / n, 1 - 12 / (n - 1)]))
    tidy = tidy_of(study)
    assert tidy.filter(measure="accuracy of one person", subject="people")["participant"].to_list() == [
        "subject-01", "subject-02", "subject-03",
    ]  # fmt: skip
    assert tidy.filter(measure="share without an answer")["value"].to_list() == [pytest.approx(1 / (3 * n))]


def test_one_model_has_an_interval_over_images(tmp_path):
    study = asking(tmp_path / "s")
    put(study, frame_of(study, wrong={0}))
    (row,) = summary_of(study).to_dicts()
    assert (row["over"], row["n"]) == ("images", 54)


def broken(frame):
    """Faults, and the words by which they are refused."""
    first = frame["key"][0]
    return {
        "no image": (frame.rename({"key": "thing"}), "no column that says which image"),
        "no response": (frame.rename({"response": "thing"}), "no column that says what was answered"),
        "unknown image": (frame.with_columns(pl.col("key").replace(first, "nine-0000")), "1 of 54 names mean no image"),
        "all unknown": (frame.with_columns(pl.lit("x").alias("key")), "1 of 1 names mean no image"),
        "no class": (frame.with_columns(pl.lit("cat").alias("response")), "54 responses are no class of 'category'"),
        "twice": (pl.concat([frame, frame[:1].with_columns(pl.lit("?").alias("response"))]), "answered twice"),
        "confidence": (frame.with_columns(pl.lit(80).alias("confidence")), "confidences up to 80"),
        "negative": (frame.with_columns(pl.lit(-0.5).alias("confidence")), "negative confidences"),
        "no number": (frame.with_columns(pl.lit("high").alias("confidence")), "'high', which is no number"),
        "other truth": (frame.with_columns(pl.lit("2").alias("category")), "says '2' of .* shows 'the digit 0' there"),
        "target": (frame.with_columns(pl.lit("colour").alias("target")), "no target 'colour'"),
        "several": (frame.with_columns(pl.Series("model", ["a", "b"] * 27)), "answers of 2 subjects: a .model., b"),
        "nothing": (frame[:0], "no row of answers"),
    }  # fmt: skip


@pytest.mark.parametrize("fault", broken(pl.DataFrame({"key": ["a"] * 54, "response": ["0"] * 54})))
def test_broken_tables_are_refused_in_words_and_nothing_is_kept(tmp_path, fault):
    study = asking(tmp_path / "s")
    frame, words = broken(frame_of(study))[fault]
    with pytest.raises(UnseenError, match=words):
        put(study, frame.with_columns(pl.col("response").replace("?", "na") if "response" in frame.columns else []))
    assert study.store.subjects() == []


def test_files_that_are_no_tables_are_refused(tmp_path):
    study = asking(tmp_path / "s")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "odd.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "x.txt").write_text("key,response")
    (tmp_path / "folder").mkdir()
    for name, words in (
        ("empty.csv", "is empty"),
        ("odd.parquet", "cannot be read as PARQUET"),
        ("x.txt", "no table of answers"),
        ("gone.csv", "no file"),
        ("folder", "no table of answers in folder"),
    ):
        with pytest.raises(UnseenError, match=words):
            add_answers(study, [tmp_path / name], SubjectDetails("m"))


def test_what_is_odd_may_be_told_what_to_do_with(tmp_path):
    study = asking(tmp_path / "s")
    frame = frame_of(study)
    at = frame["response"].to_list().index("0")
    more = pl.DataFrame({"key": ["nowhere", frame["key"][at]], "response": ["1", "2"]})
    whole = pl.concat([frame, more]).with_columns(pl.col("response").replace({"1": "one", "2": "?"}))
    rules = JoiningRules("skip", "last", "wrong", {"one": "1", "?": ""})
    ((record, found),) = put(study, whole, rules=rules)
    assert record.facts["counts"] == {
        "answers": 54, "images": 54, "no answer": 19, "doubled": 1, "unknown images left out": 1,
    }  # fmt: skip
    assert any("1 row names no image" in note for note in found.notes)
    assert accuracy(study)["model"] == pytest.approx(35 / 54)


def test_the_same_answers_are_one_subject_and_others_need_a_word(tmp_path):
    study = asking(tmp_path / "s")
    put(study, frame_of(study))
    put(study, frame_of(study), "again.csv")
    assert len(study.store.subjects()) == 1
    with pytest.raises(UnseenError, match=r"other answers of 'model' already.*--replace"):
        put(study, frame_of(study, wrong={0}))
    put(study, frame_of(study, wrong={0}), replace=True)
    assert len(study.store.subjects()) == 1
    assert accuracy(study) == {"model": pytest.approx(53 / 54)}
    with pytest.raises(UnseenError, match=r"no subject 'modell'.*Did you mean 'model'"):
        remove_answers(study, "modell")
    remove_answers(study, "model")
    assert study.store.subjects() == []


def test_answers_are_sorted_into_the_sets_of_the_study_as_it_is_now(tmp_path):
    study = asking(tmp_path / "s")
    put(study, frame_of(study))
    narrow = asking(tmp_path / "s", only={"position": [0, 1]})
    (record,), _ = subjects_of(narrow)
    asked = set(asked_rows(narrow).tolist())
    table = pl.from_arrow(answers_of(narrow, record))
    assert set(table.filter(pl.col("set").cast(str) == "asked")["sample"].to_list()) <= asked
    assert table["answer"].n_unique() == 54  # none is lost
    assert summary_of(narrow)["asked"].to_list() == [12.0]


def test_a_study_of_several_worlds_takes_no_answers(tmp_path):
    tables = {**ASK, "grid": {"world.viewpoint": ["position", "scale"]}}
    study = open_study(tables, out=tmp_path / "s")
    with pytest.raises(UnseenError, match=r"2 worlds \(its grid varies world.viewpoint\)"):
        add_answers(study, [tmp_path / "x.csv"], SubjectDetails("m"))


def test_answers_about_other_images_are_left_out_and_told(tmp_path):
    study = asking(tmp_path / "s")
    ((record, _),) = put(study, frame_of(study))
    facts = json.loads((record.folder / "subject.json").read_text())
    facts["description"]["world"]["fingerprint"] = "another"
    (record.folder / "subject.json").write_text(json.dumps(facts))
    found, left = subjects_of(study)
    assert not found
    assert "about other images" in left[record.identity]
    with pytest.raises(UnseenError, match="about other images"):
        summary_of(study)


@pytest.mark.parametrize("spoil", ["facts", "table", "gone"])
def test_damaged_answers_are_told_and_do_not_hide_others(tmp_path, spoil):
    study = asking(tmp_path / "s")
    ((bad, _),) = put(study, frame_of(study), subject="bad")
    put(study, frame_of(study), "good.csv", "good")
    if spoil == "facts":
        (bad.folder / "subject.json").write_text('{"identity": 3}')
    elif spoil == "table":
        (bad.folder / "responses.parquet").write_bytes(b"nothing")
    else:
        (bad.folder / "responses.parquet").unlink()
    found, left = subjects_of(study)
    assert [record.subject.name for record in found] == ["good"]
    assert "cannot be read" in left[bad.identity]
    assert accuracy(study) == {"good": 1.0}
    remove_answers(study, bad.identity)
    assert len(study.store.subjects()) == 1


def test_packed_answers_come_back_whole_also_where_the_images_are_not(tmp_path):
    photos = tmp_path / "photos"
    from PIL import Image

    for category in ("cat", "dog"):
        (photos / category).mkdir(parents=True)
        for number in range(4):
            Image.new("RGB", (8, 8), (number * 20, 90, 10)).save(photos / category / f"{category}{number}.png")
    tables = {
        **ASK,
        "world": {"name": "folder", "root": str(photos), "template": "{category}/*.png"},
        "design": {"name": "ask"},
    }
    study = open_study(tables, out=tmp_path / "s")
    names = [f"{one}/{one}{number}" for one in ("cat", "dog") for number in range(4)]
    put(study, pl.DataFrame({"stimulus": names, "answer": ["cat"] * 4 + ["cat", "dog", "dog", "dog"]}))
    assert accuracy(study) == {"model": pytest.approx(7 / 8)}
    study.store.pack(tmp_path / "p.unseen")
    notes = []
    Store(tmp_path / "t").unpack(tmp_path / "p.unseen", note=notes.append)
    assert "were added" in notes[0]
    shutil.rmtree(photos)
    again = at_hand(open_study(tmp_path / "t"))
    assert again.absent
    assert accuracy(again) == {"model": pytest.approx(7 / 8)}
    Store(tmp_path / "t").unpack(tmp_path / "p.unseen")
    assert len(Store(tmp_path / "t").subjects()) == 1


def test_an_exported_table_can_be_added_to_another_study_of_the_same_images(tmp_path):
    study = unseen.open_study(ASK, out=tmp_path / "s")
    study.add_answers(frame_of(study.inner, wrong={3}), "model")
    people = pl.concat([frame_of(study.inner).with_columns(pl.lit(f"p{n}").alias("participant")) for n in range(2)])
    study.add_answers(people, "observers")
    study.responses(keys=True).write_csv(tmp_path / "all.csv")
    other = unseen.open_study(ASK, out=tmp_path / "other")
    other.add_answers(tmp_path / "all.csv")
    assert other.subjects().select("subject", "kind", "persons").rows() == [
        ("model", "model", 0),
        ("observers", "people", 2),
    ]
    assert other.summary().drop("x").equals(study.summary().drop("x"))


@given(st.data())
def test_names_lead_to_their_image_whatever_is_before_and_after_them(data):
    stems = data.draw(
        st.lists(
            st.text("abc12", min_size=1, max_size=4).filter(lambda s: not s.isdigit()),
            min_size=1,
            max_size=6,
            unique=True,
        )
    )
    samples = Samples(
        FactorSpace({"category": ("cat", "dog")}),
        (
            Block(
                len(stems), {"category": np.zeros(len(stems), dtype=np.int64)}, names=[f"x/{one}.png" for one in stems]
            ),
        ),
    )
    place = data.draw(st.integers(0, len(stems) - 1))
    before = data.draw(
        st.sampled_from(["", "y/z/", "C:\\stimuli\\", "0001_cop_s01_c30_knife_10_", "a/0042_x_dnn_0_dog_00_"])
    )
    after = data.draw(st.sampled_from(["", ".png", ".webp", ".JPEG"]))
    assert rows_named(samples, [f"{before}{stems[place]}{after}"]).rows.tolist() == [place]


def test_a_name_that_means_several_images_means_none():
    names = ["a/1.png", "b/1.png", "b/2.png"]
    samples = Samples(
        FactorSpace({"category": ("c", "d")}), (Block(3, {"category": np.array([0, 1, 1])}, names=names),)
    )
    assert rows_named(samples, ["1.png", "2.png", "3.png", "b/1.png"]).rows.tolist() == [SEVERAL, 2, UNKNOWN, 1]
