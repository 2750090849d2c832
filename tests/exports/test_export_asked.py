"""What can be asked of an export, and what is told when it cannot be had."""

import numpy as np
import pytest
from export_worlds import Arithmetic, samples

from unseen.exports import export
from unseen.exports.selection import select
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.samples import Block, Samples


def rows_of(chosen):
    return chosen.part(0, len(chosen)).tolist()


def test_rows_are_all_a_range_a_list_or_a_sample():
    assert rows_of(select(5)) == rows_of(select(5, "all")) == rows_of(select(5, ":")) == [0, 1, 2, 3, 4]
    assert rows_of(select(9, "7:")) == rows_of(select(9, slice(7, 9))) == [7, 8]
    assert rows_of(select(9, np.array([5, 1]))) == [1, 5]
    assert select(10**12, "5:10").part(2, 99).tolist() == [7, 8, 9]
    some = rows_of(select(1000, sample=50, seed=1))
    assert some == sorted(set(some)) == rows_of(select(1000, sample=50, seed=1))
    assert len(some) == 50
    assert some != rows_of(select(1000, sample=50, seed=2))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"rows": "0:73"}, "rows 0:73 asked of a world of 72 rows; possible: 0:72"),
        ({"rows": "80:90"}, "rows 80:90 asked"),
        ({"rows": "5:5"}, "rows 5:5 hold no row"),
        ({"rows": "many"}, "rows 'many'; write them as 0:1000"),
        ({"rows": slice(0, 10, 2)}, "a step of 2"),
        ({"rows": []}, "an empty list of rows"),
        ({"rows": [1, 72]}, "row 72 asked of a world of 72 rows"),
        ({"rows": [-1, 2]}, "row -1 asked"),
        ({"rows": [3, 3]}, "row 3 is listed more than once"),
        ({"rows": np.array([0.5])}, "whole numbers"),
        ({"rows": "0:5", "sample": 3}, "both asked for"),
        ({"sample": 73}, "a sample of 73 rows was asked for; possible: 1 to 72"),
        ({"sample": 0}, "a sample of 0 rows"),
        ({"format": "jpeg"}, "no format 'jpeg'; possible: png, webp, webdataset, parquet"),
        ({"shard": 0}, "shard = 0"),
        ({"batch": -1}, "batch = -1"),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_is(tmp_path, asked, told):
    with pytest.raises(UnseenError, match=told):
        export(Arithmetic(), tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


def test_out_that_is_a_file_is_told(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(UnseenError, match="is a file; --out is the folder"):
        export(Arithmetic(), tmp_path / "out")


def test_a_place_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnseenError, match=r"cannot write to .*another --out"):
        export(Arithmetic(), tmp_path / "file" / "out")


@pytest.mark.parametrize("format", ["png", "webp"])
@pytest.mark.parametrize(
    ("world", "what"), [(Arithmetic(dtype="float32"), "float32"), (Arithmetic(channels=4), "4 channels")]
)
def test_numbers_that_are_no_picture_are_refused_as_pictures(tmp_path, format, world, what):
    with pytest.raises(UnseenError, match=f"pictures of {what}.*possible: webdataset .*npy.* or parquet"):
        export(world, tmp_path / "out", format=format)


def test_a_factor_that_takes_the_name_of_a_column_is_told(tmp_path):
    space = samples().space
    renamed = type(space)([type(f)("pool" if f.name == "code" else f.name, f.levels) for f in space.factors])
    block = Block(1, {"shape": np.array([0]), "pool": np.array([1])}, grid=("azimuth", "size"))
    with pytest.raises(UnseenError, match="a factor called 'pool', which is a column of every export"):
        export(Arithmetic(samples=Samples(renamed, (block,))), tmp_path / "out")


def test_a_world_without_rows_is_told(tmp_path):
    empty = Samples(samples().space.select(["shape"]), (Block(0, {"shape": np.array([], int)}),))
    with pytest.raises(UnseenError, match="no rows"):
        export(Arithmetic(samples=empty), tmp_path / "out")


def test_a_world_that_breaks_its_word_is_told(tmp_path):
    class Wrong(Arithmetic):
        def images(self, rows, device="cpu", draw=0):
            return super().images(rows, device, draw)[:, :, :5]

    with pytest.raises(UnseenError, match=r"gave uint8 of shape \[16, 3, 5, 7\] where it promises"):
        export(Wrong(), tmp_path / "out")
