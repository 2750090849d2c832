"""What a model makes of pictures is computed once for each row, survives a kill, and takes no more than allowed."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from unseen.recordings import features as cache
from unseen.recordings.features import BUDGET, Features, allowed, kept, plainly, remove_features
from unseen.vocabulary.errors import UnseenError

CPU = torch.device("cpu")


def images(rows, device="cpu"):
    """A picture of each row that tells its number."""
    return torch.from_numpy(np.asarray(rows, dtype=np.float32))[:, None, None, None].expand(-1, 3, 2, 2)


def encode(pictures):
    number = pictures[:, 0, 0, 0]
    return torch.stack([number, number * 2, -number], 1)


def add(features, rows, made=None, **options):
    seen = [] if made is None else made

    def look(pictures):
        seen.extend(pictures[:, 0, 0, 0].int().tolist())
        return encode(pictures)

    return features.add(np.asarray(rows), plainly(images, CPU), look, device=CPU, batch=4, **options)


def test_features_are_computed_once_for_each_row_and_read_in_the_order_asked(tmp_path):
    features, seen = Features(tmp_path, {"model": "m"}), []
    assert features.shape() is None
    assert add(features, [5, 3, 3, 9], seen) == 3
    assert features.shape() == (3,)
    assert features.read(np.array([9, 3, 9])).tolist() == [[9, 18, -9], [3, 6, -3], [9, 18, -9]]
    assert add(features, [3, 4, 5], seen) == 1
    assert add(features, [3, 4, 5], seen) == 0
    assert sorted(seen) == [3, 4, 5, 9]


def test_another_model_another_world_and_another_precision_have_features_of_their_own(tmp_path):
    told = {"model": "m", "world": "w", "precision": "float32"}
    folders = {Features(tmp_path, {**told, **other}).folder for other in ({}, {"model": "n"}, {"world": "v"})}
    folders.add(Features(tmp_path, {**told, "precision": "bf16"}).folder)
    assert len(folders) == 4
    assert Features(tmp_path, {**told, "names": {"model": "other words"}}).folder in folders


def test_what_is_kept_does_not_depend_on_how_many_pictures_are_shown_at_a_time(tmp_path):
    rows = np.arange(50)
    for batch in (1, 7, 50):
        features = Features(tmp_path, {"batch": batch})
        features.add(rows, plainly(images, CPU), encode, device=CPU, batch=batch)
        assert (features.read(rows)[:, 1] == 2 * rows).all()


def test_a_batch_that_does_not_fit_in_memory_is_halved(tmp_path):
    sizes = []

    def hungry(pictures):
        sizes.append(len(pictures))
        if len(pictures) > 3:
            raise torch.OutOfMemoryError("too many")
        return encode(pictures)

    features = Features(tmp_path, {})
    assert features.add(np.arange(10), plainly(images, CPU), hungry, device=CPU, batch=16) == 10
    assert sizes == [10, 8, 4, 2, 2, 2, 2, 2]
    assert features.read(np.arange(10))[:, 0].tolist() == list(range(10))


def test_progress_counts_rows_up_to_all_that_were_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "CHUNK_SECONDS", 0.0)
    told, features = [], Features(tmp_path, {})
    add(features, range(6))
    add(features, range(10), progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 4)]


KILLED = """
import os, signal, sys
import numpy as np, torch
from pathlib import Path
from unseen.recordings import features as cache
cache.CHUNK_SECONDS = 0.0
count = 0
def show(batches):
    for rows in batches:
        yield torch.from_numpy(rows.astype(np.float32))[:, None]
original = cache.Journal.append
def append(self, keys, records):
    global count
    count += 1
    if count == 3:
        with self.file.open("ab") as file:  # half of a chunk is on disk, the journal does not know it
            file.write(b"\\x99" * 10)
        os.kill(os.getpid(), signal.SIGKILL)
    original(self, keys, records)
cache.Journal.append = append
made = cache.Features(Path(sys.argv[1]), {"model": "m"})
made.add(np.arange(20), show, lambda x: x.repeat(1, 3), device=torch.device("cpu"), batch=4)
"""


def test_a_kill_loses_the_chunk_that_was_being_added_and_no_other(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    features, seen = Features(tmp_path, {"model": "m"}), []
    assert len(features.missing(np.arange(20))) == 12
    assert add(features, range(20), seen) == 12
    assert sorted(seen) == list(range(8, 20))
    found = features.read(np.arange(20))
    assert found[:8].tolist() == [[float(n)] * 3 for n in range(8)]
    assert found[8:].tolist() == [[float(n), 2.0 * n, -1.0 * n] for n in range(8, 20)]


# Room


def test_what_was_used_least_recently_gives_way(tmp_path):
    most = 3.5 * 1000 * (12 + 8) / 1e9  # three sets of a thousand rows
    old, used, new, last = (Features(tmp_path, {"set": n}) for n in range(4))
    for age, one in ((300, old), (200, used), (100, new)):
        add(one, range(1000), most=most)
        os.utime(one.folder / "about.json", (1e9 - age, 1e9 - age))
    add(old, range(10))  # asked again, nothing is missing: it is the one used last
    add(last, range(1000), most=most)
    assert [one.shape() is not None for one in (old, used, new, last)] == [True, False, True, True]
    assert sum(size for _, size, _ in kept(tmp_path)) <= most * 1e9


def test_more_than_is_allowed_is_refused_with_the_variable_that_allows_it(tmp_path, monkeypatch):
    monkeypatch.setenv(BUDGET, "0.0000001")
    with pytest.raises(UnseenError, match=r"all features may take 1e-07 GB; allow more by UNSEEN_FEATURES=1"):
        add(Features(tmp_path, {}), range(100))
    monkeypatch.setenv(BUDGET, "much")
    with pytest.raises(UnseenError, match="'much' is no number of GB"):
        allowed()
    monkeypatch.delenv(BUDGET)
    assert allowed() == cache.MOST


def test_all_can_be_removed(tmp_path):
    add(Features(tmp_path, {}), range(10))
    assert remove_features(tmp_path) > 10 * 12
    assert kept(tmp_path) == []
    assert remove_features(tmp_path / "none") == 0


# What goes wrong


def test_numbers_that_are_none_are_refused_and_what_came_before_stays(tmp_path):
    def broken(pictures):
        return encode(pictures) / (pictures[:, 0, 0, :1] != 6)

    features = Features(tmp_path, {"names": {"model": "mine"}})
    with pytest.raises(UnseenError, match=r"'mine' made NaN or infinity of 1 of 4 pictures \(row 6\)"):
        features.add(np.arange(12), plainly(images, CPU), broken, device=CPU, batch=4)
    assert features.missing(np.arange(12)).tolist() == list(range(4, 12))


@pytest.mark.parametrize(
    ("made", "words"),
    [(lambda x: x.sum(), "given \\[\\]"), (lambda x: encode(x)[:1], "given \\[1, 3\\]"), (lambda x: "no", "given str")],
)
def test_what_is_no_row_for_each_picture_is_refused(made, words, tmp_path):
    with pytest.raises(UnseenError, match=words):
        Features(tmp_path, {}).add(np.arange(4), plainly(images, CPU), made, device=CPU, batch=4)


def test_a_model_that_gives_other_numbers_than_before_is_refused(tmp_path):
    features = Features(tmp_path, {})
    add(features, range(4))
    with pytest.raises(UnseenError, match=r"gave \[3\] numbers of a picture before and gives \[2\] now"):
        features.add(np.arange(8), plainly(images, CPU), lambda x: encode(x)[:, :2], device=CPU, batch=4)


def test_a_cache_that_is_gone_or_cut_short_is_told(tmp_path):
    features = Features(tmp_path, {})
    with pytest.raises(UnseenError, match="is gone"):
        features.read(np.arange(2))
    add(features, range(4))
    with pytest.raises(UnseenError, match="lacks 1 rows"):
        features.read(np.array([2, 7]))
    os.truncate(features.folder / "features.f32", 13)
    assert len(features.missing(np.arange(4))) == 3


def test_a_cache_that_makes_room_for_another_while_it_is_read_is_told(tmp_path, monkeypatch):
    features = Features(tmp_path, {"model": "m"})
    add(features, range(6))
    slots = cache.Journal.slots

    def removed_after(self, wanted):
        found = slots(self, wanted)
        remove_features(tmp_path)
        return found

    monkeypatch.setattr(cache.Journal, "slots", removed_after)
    with pytest.raises(UnseenError, match="was removed while it was read"):
        features.read(np.arange(3))
