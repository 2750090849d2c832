"""Arrays of maps on a disk that is full: told in words, with nothing left behind."""

import os
import sys

import numpy as np
import pytest

from unseen.engines import map_files
from unseen.engines.map_files import ArrayFiles
from unseen.studies.explained.album import Album
from unseen.studies.explained.drawn import Maps
from unseen.studies.store import DiskTrouble

SIZE = (64, 64)
NAMES = tuple(f"{n}.png" for n in range(40))
ALBUM = Album(NAMES, NAMES, fetch=lambda places: None)


def part(*places):
    maps = np.ones((len(places), *SIZE), np.float32)
    keys, ones = tuple(map(str, places)), np.ones(len(places))
    return Maps(np.array(places), keys, maps[:, None], ones, ones, {"gradient": maps}, {})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for blocks")
def test_all_room_is_taken_before_the_first_map_is_written(tmp_path):
    with ArrayFiles(tmp_path, ALBUM, ["gradient"]) as files:
        files.add(part(0, 1), ["3", "4"])
        (aside,) = (one for one in tmp_path.iterdir() if "gradient" in one.name)
        assert aside.stat().st_blocks * 512 >= 40 * 64 * 64 * 4
    assert np.load(tmp_path / "gradient.npy").shape == (40, *SIZE)
    assert np.load(tmp_path / "gradient.npy")[1].min() == 1


@pytest.mark.parametrize("way", ["reserved", "filled"])
def test_a_full_disk_is_told_before_maps_are_written_and_leaves_nothing(tmp_path, monkeypatch, way):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    if way == "reserved":
        monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    else:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
        monkeypatch.setattr(map_files, "bytes", full, raising=False)
    with pytest.raises(DiskTrouble, match="is full"), ArrayFiles(tmp_path, ALBUM, ["g"]) as files:
        files.add(part(0), ["3"])
    assert list(tmp_path.iterdir()) == []
