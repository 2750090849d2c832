"""Answers as model-vs-human and texture-vs-shape have them."""

from pathlib import Path

import polars as pl
import pytest

from unseen.studies.given_answers import JoiningRules
from unseen.studies.trial_files import LAYOUT, layout_of, read_trials
from unseen.vocabulary.errors import UnseenError

HEAD = "subj,session,trial,rt,object_response,category,condition,imagename"
CLASSES = ("cat", "dog", "oven")


def people(number, answers=None, condition="c30"):
    """Trials of one observer in the layout of Geirhos et al., 12 images by default."""
    said = answers or [CLASSES[k % 3] for k in range(12)]
    rows = [
        f"subject-0{number},1,{k + 1},0.8,{word},{CLASSES[k % 3]},{condition},"
        f"{k + 1:04}_cop_s0{number}_{condition}_{CLASSES[k % 3]}_10_n0{k}_{k}.png"
        for k, word in enumerate(said)
    ]
    return "\n".join([HEAD, *rows])


def network(answers=None):
    said = answers or ["cat"] * 12
    rows = [f"net,1,{k + 1},NaN,{word},{CLASSES[k % 3]},NaN,n0{k}_{k}.png" for k, word in enumerate(said)]
    return "\n".join([HEAD, *rows])


def put(folder, *texts):
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number}.csv").write_text(text)
    return folder


def test_observers_and_networks_meet_by_the_pictures_own_name(tmp_path):
    found = read_trials([put(tmp_path / "a", people(1), people(2), network())])
    assert found.frame["image"].n_unique() == 12
    assert set(found.frame["group"]) == {"people", "net"}
    assert set(found.frame["who"]) == {"subject-01", "subject-02", "net"}
    assert "picture's own name" in found.notes[1]


def test_columns_come_in_any_order_and_case(tmp_path):
    order = ["imagename", "Category", "condition", "object_response", "subj", "Session", "trial", "rt"]
    frame = pl.read_csv(people(1).encode(), infer_schema=False)
    renamed = frame.rename({"category": "Category", "session": "Session"}).select(order)
    (tmp_path / "x.csv").write_text(renamed.write_csv())
    assert read_trials([tmp_path / "x.csv"]).frame["truth"].to_list() == frame["category"].to_list()


def test_missing_answers_are_kept_and_counted_or_left_out(tmp_path):
    file = put(tmp_path / "a", people(1, ["na", "NaN", *["cat"] * 10]))
    assert (read_trials([file]).frame["response"] == "").sum() == 2
    assert read_trials([file], JoiningRules(no_answer="skip")).frame.height == 10


def test_response_times_and_sessions_stay(tmp_path):
    frame = read_trials([put(tmp_path / "a", people(1))]).frame
    assert frame["seconds"][0] == "0.8"
    assert frame["session"][0] == "1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (people(1, ["cat"] * 3), "too few answers.*subject-01"),
        (people(1, ["whale", *["cat"] * 11]), "1 response is no category.*whale.*--map"),
        (people(1).replace("object_response", "said"), "no column that says what was answered"),
        (people(1).replace("category", "thing"), "no column says what an image shows"),
        (people(1).replace("imagename", "thing"), "no column that says which image"),
        (HEAD, "no row of answers"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, text, says):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(UnseenError, match=f"(?s){says}"):
        read_trials([tmp_path / "x.csv"])


def test_doubled_trials_are_refused_unless_it_is_said_which_counts(tmp_path):
    lines = network().splitlines()
    (tmp_path / "x.csv").write_text("\n".join([*lines, lines[1].replace(",cat,", ",dog,", 1)]))
    with pytest.raises(UnseenError, match=r"answered twice.*--doubled"):
        read_trials([tmp_path / "x.csv"])
    first, last = (read_trials([tmp_path / "x.csv"], JoiningRules(doubled=which)).frame for which in ("first", "last"))
    assert first.height == last.height == 12
    assert set(first["response"]) == {"cat"}
    assert "dog" in set(last["response"])


def test_one_image_under_several_conditions_is_several_images(tmp_path):
    one, two = people(1), people(1, condition="c10").replace("subject-01", "subject-02")
    keep = "cat"  # as in experiments with sessions: names without what was done to the picture
    texts = [text.replace("_c30_", "_0_").replace("_c10_", "_0_") for text in (one, two)]
    texts = [
        f"{text}\nsubject-0{k + 1},1,99,0.8,{keep},cat,c50,0099_cop_s0{k + 1}_0_cat_10_n99_9.png"
        for k, text in enumerate(texts)
    ]
    found = read_trials([put(tmp_path / "a", *texts)])
    assert found.frame["image"].n_unique() == 2 * 12 + 1
    assert found.factors == ("condition",)


def test_images_under_several_conditions_are_refused_where_a_subject_tells_none(tmp_path):
    one = people(1) + "\nsubject-01,1,99,0.8,cat,cat,c50,0099_cop_s01_c50_cat_10_n99_9.png"
    two = people(2, condition="c10") + "\nsubject-02,1,99,0.8,cat,cat,c50,0099_cop_s02_c50_cat_10_n99_9.png"
    with pytest.raises(UnseenError, match="several conditions"):
        read_trials([put(tmp_path / "a", one, two, network())])


def test_a_condition_that_a_network_has_throughout_is_not_its_images(tmp_path):
    found = read_trials([put(tmp_path / "a", people(1), network().replace(",NaN,n", ",3,n"))])
    assert found.frame["image"].n_unique() == 12
    assert "others name another" in " ".join(found.notes)


def test_cue_conflicts_have_their_shape_and_texture_from_their_names(tmp_path):
    rows = [f"net,1,{k},NaN,cat,cat,0,cat{k}-dog{k % 4}.png" for k in range(10)]
    rows += [f"net,1,{k},NaN,dog,dog,0,dog{k}-cat1.png" for k in range(10)]
    (tmp_path / "x.csv").write_text("\n".join([HEAD, *rows]))
    found = read_trials([tmp_path / "x.csv"])
    assert found.factors == ("shape", "texture")
    assert found.frame.row(0, named=True)["texture"] == "dog"


def test_what_is_written_in_their_layout_is_read_back_alike(tmp_path):
    first = read_trials([put(tmp_path / "a", people(1, ["na", *["cat"] * 11]), network())])
    written = layout_of(first.frame)
    assert tuple(written.columns) == LAYOUT
    written.write_csv(tmp_path / "again.csv")
    again = read_trials([tmp_path / "again.csv"])
    keys = ["group", "who", "image", "truth", "response"]
    assert again.frame.select(keys).equals(first.frame.select(keys))


RELEASED = Path(__file__).resolve().parents[3] / "shared" / "data" / "human_model_vs_human"


@pytest.mark.slow
@pytest.mark.skipif(not RELEASED.is_dir(), reason="needs ../shared/data/human_model_vs_human, which is not here")
def test_the_released_trials_load_as_they_are(tmp_path):
    import tarfile

    with tarfile.open(next(RELEASED.glob("raw*.tar.xz"))) as packed:
        packed.extractall(tmp_path, filter="data")
    sets = [path for path in sorted((tmp_path / "raw-data").iterdir()) if path.name != "performances"]
    assert len(sets) == 17
    for folder in sets:
        found = read_trials([folder])
        images = found.frame["image"].n_unique()
        assert set(found.frame.group_by("who").len()["len"]) == {images}
