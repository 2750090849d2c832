"""Stored answers are read by the places of their words, and mean what the words say."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.kinds.collect import collect
from unseen.studies.answers import read_answers, words
from unseen.studies.recorded import write_files
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)

WORDS = st.lists(st.sampled_from(["test", "across", "plain", "within", "über"]), min_size=1, max_size=40)


@given(WORDS, st.booleans())
def test_a_column_of_words_is_the_same_by_spelling_and_by_places(column, coded):
    array = pa.array(column)
    table = pa.table({"set": array.dictionary_encode() if coded else array})
    read = words(table, "set")
    assert [read.names[place] for place in read.places] == column
    assert read.found() == list(dict.fromkeys(column))
    for name in ("test", "nowhere"):
        assert read.is_(name).tolist() == [one == name for one in column]
    order = ["nowhere", "über", "within", "plain", "across", "test"]
    assert read.numbered(order).tolist() == [order.index(one) for one in column]


def test_a_word_outside_the_order_is_refused():
    with pytest.raises(pa.ArrowInvalid, match="'dog' is none of the 1 words that were asked"):
        words(pa.table({"truth": ["cat", "dog"]}), "truth").numbered(["cat"])


def test_numbers_of_samples_come_back_as_they_were_and_take_little_room(tmp_path):
    samples = np.tile(np.sort(np.random.default_rng(0).permutation(400_000)[:20_000]), 6)
    table = pa.table({"sample": samples, "set": pa.array(["test"] * len(samples)).dictionary_encode()})
    write_files({"responses": table}, {}, {}, tmp_path)
    assert read_answers(tmp_path, "sample")["sample"].to_numpy().tolist() == samples.tolist()
    pq.write_table(table, tmp_path / "plain.parquet", compression="zstd")
    assert (tmp_path / "responses.parquet").stat().st_size < 0.5 * (tmp_path / "plain.parquet").stat().st_size


@pytest.mark.parametrize("column", [
    pa.array(["cat", None]), pa.array(["cat", None]).dictionary_encode(),
    pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["cat", None])),
])  # fmt: skip
def test_a_column_that_lacks_words_is_refused(column):
    with pytest.raises(pa.ArrowException, match="column 'truth' lacks 1 of its 2 words"):
        words(pa.table({"truth": column}), "truth")


def test_a_trial_whose_answers_lack_words_is_called_damaged(finished):
    path = next((finished / "trials").iterdir()) / "responses.parquet"
    table = pq.read_table(path)
    gaps = pa.array([None, *table["response"].to_pylist()[1:]], pa.string())
    pq.write_table(table.set_column(table.column_names.index("response"), "response", gaps), path)
    study = load_study(finished)
    assert path.parent.name not in collect(study)["trial"].unique().to_list()
    (error,) = study.left_out.values()
    assert "cannot be read (column 'response' lacks 1 of its" in str(error)
