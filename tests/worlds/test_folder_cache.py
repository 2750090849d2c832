"""Images are decoded once: after a kill, an edit, a move, by two processes, on a full disk."""

import errno
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import decoded_pixels
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.decode import Decoding
from unseen.worlds.decoded_pixels import Pixels
from unseen.worlds.folder import folder

TEMPLATE = "{category}/{azimuth}/*.png"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def photos(tmp_path):
    rng = np.random.default_rng(0)
    for category in ("car", "bus"):
        for azimuth in (0, 90):
            for number in range(5):
                path = tmp_path / "set" / category / str(azimuth) / f"{number}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(rng.integers(0, 255, (16, 16, 3), np.uint8)).save(path)
    return tmp_path / "set"


@pytest.fixture
def decoded(monkeypatch):
    """The names of the files decoded, in order."""
    names = []
    original = decoded_pixels._decoded

    def spy(path, content, how):
        names.append(f"{path.parent.parent.name}/{path.parent.name}/{path.name}")
        return original(path, content, how)

    monkeypatch.setattr(decoded_pixels, "_decoded", spy)
    return names


def everything(photos, **options):
    world = folder(photos, template=TEMPLATE, **options)
    return world, world.images(np.arange(len(world.samples))).numpy()


def test_nothing_is_decoded_before_it_is_asked_for_and_then_once(photos, decoded):
    world = folder(photos, template=TEMPLATE)
    assert decoded == []
    progress = []
    world.prepare(progress=lambda done, total: progress.append((done, total)))
    assert len(decoded) == 20
    assert progress[-1] == (20, 20)
    _, first = everything(photos)
    assert len(decoded) == 20
    assert (first == world.images(np.arange(20)).numpy()).all()


def test_an_edited_an_added_and_a_removed_file_are_noticed_and_only_new_content_is_decoded(photos, decoded):
    before, old = everything(photos)
    decoded.clear()
    target = photos / "car/0/3.png"
    Image.new("RGB", (16, 16), "teal").save(target)
    edited, new = everything(photos)
    assert decoded == ["car/0/3.png"]
    assert edited.fingerprint != before.fingerprint
    row = list(edited.paths).index("car/0/3.png")
    assert (new[row][1] == 128).all()
    assert (np.delete(new, row, 0) == np.delete(old, row, 0)).all()
    target.unlink()
    removed, rest = everything(photos)
    assert len(rest) == 19
    assert removed.fingerprint not in (before.fingerprint, edited.fingerprint)
    (photos / "bus/0/4.png").rename(photos / "bus/0/44.png")
    assert everything(photos)[0].fingerprint != removed.fingerprint
    assert decoded == ["car/0/3.png"]  # a renamed file is known by its content


def test_an_edit_within_one_tick_of_the_clock_and_of_the_same_length_is_noticed(photos):
    path = photos / "car/0/3.png"
    Image.new("RGB", (16, 16), (1, 2, 3)).save(path, compress_level=0)
    stat = path.stat()
    before = folder(photos, template=TEMPLATE).fingerprint
    Image.new("RGB", (16, 16), (1, 2, 4)).save(path, compress_level=0)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert folder(photos, template=TEMPLATE).fingerprint != before


def test_neither_a_touch_nor_a_move_of_the_folder_changes_the_fingerprint(photos, tmp_path):
    before = folder(photos, template=TEMPLATE).fingerprint
    os.utime(photos / "car/0/3.png", ns=(1, 10**18))
    assert folder(photos, template=TEMPLATE).fingerprint == before
    photos.rename(tmp_path / "elsewhere")
    assert folder(tmp_path / "elsewhere", template=TEMPLATE).fingerprint == before
    assert folder(tmp_path / "elsewhere", template=TEMPLATE, cache=tmp_path / "c2", workers=1).fingerprint == before
    assert folder(tmp_path / "elsewhere", template=TEMPLATE, size=8).fingerprint != before


def test_unchanged_files_are_not_read_again(photos, monkeypatch):
    for path in photos.rglob("*.png"):
        os.utime(path, ns=(10**18, 10**18))
    monkeypatch.setattr("unseen.worlds.scan.FRESH_NS", 0)
    time.sleep(0.02)
    first = folder(photos, template=TEMPLATE).fingerprint
    monkeypatch.setattr("unseen.worlds.scan.inspect", lambda path: pytest.fail(f"read {path} again"))
    assert folder(photos, template=TEMPLATE).fingerprint == first


def test_two_settings_have_two_caches(photos):
    _, plain = everything(photos)
    _, small = everything(photos, size=8, channels=1)
    assert (plain.shape, small.shape) == ((20, 3, 16, 16), (20, 1, 8, 8))
    assert (everything(photos)[1] == plain).all()


KILLED = """
import os, signal, sys
import numpy as np
from unseen.worlds import decoded_pixels
from unseen.worlds.folder import folder
decoded_pixels.CHUNK_IMAGES = 4
original = decoded_pixels.Pixels._append
def append(self, records, count=[0]):
    count[0] += 1
    if count[0] == 3:
        with self.file.open("ab") as file:  # half of a chunk is on disk, the journal does not know it
            file.write(b"\\x99" * 1000)
        os.kill(os.getpid(), signal.SIGKILL)
    original(self, records)
decoded_pixels.Pixels._append = append
folder(sys.argv[1], template=sys.argv[2], workers=1).images(np.array([0]))
"""


def test_a_decode_killed_midway_is_resumed_and_never_trusted_beyond_its_journal(photos, decoded):
    done = subprocess.run([sys.executable, "-c", KILLED, str(photos), TEMPLATE], check=False)
    assert done.returncode == -signal.SIGKILL
    world, found = everything(photos)
    assert len(decoded) == 12  # two chunks of four were finished
    for row, name in enumerate(world.paths):
        with Image.open(photos / name) as original:
            assert (np.asarray(original).transpose(2, 0, 1) == found[row]).all()


def test_a_torn_journal_and_a_cut_pixel_file_are_rebuilt(photos, decoded):
    world, first = everything(photos)
    pixels = world.pixels
    with pixels.journal.open("ab") as file:
        file.write(b"\1\2\3")
    os.truncate(pixels.file, pixels.record * 7 + 5)
    decoded.clear()
    _, again = everything(photos)
    assert len(decoded) == 13
    assert (again == first).all()


def test_two_at_once_share_the_work(photos, decoded):
    with ThreadPoolExecutor(2) as pool:
        (_, one), (_, two) = pool.map(lambda _: everything(photos), range(2))
    assert (one == two).all()
    assert len(decoded) == 20


def test_a_full_disk_names_the_folder_the_bytes_and_the_way_out(photos, monkeypatch):
    world = folder(photos, template=TEMPLATE)
    usage = type("Usage", (), {"free": 100})()
    with monkeypatch.context() as patch:
        patch.setattr(decoded_pixels.shutil, "disk_usage", lambda path: usage)
        with pytest.raises(UnseenError, match=r"15,360 bytes.*UNSEEN_CACHE") as fault:
            world.prepare()
        assert str(world.pixels.folder) in str(fault.value)
    with monkeypatch.context() as patch:

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        patch.setattr(Pixels, "_append", full)
        with pytest.raises(UnseenError, match="UNSEEN_CACHE"):
            world.prepare()
    assert world.images(np.arange(20)).shape == (20, 3, 16, 16)


def test_a_file_that_changes_between_scan_and_decode_is_an_error(photos):
    world = folder(photos, template=TEMPLATE)
    Image.new("RGB", (16, 16), "teal").save(photos / "car/0/3.png")
    with pytest.raises(UnseenError, match=r"car/0/3.png' changed"):
        world.prepare()


def test_the_cache_lies_where_the_argument_or_the_environment_says(monkeypatch, tmp_path):
    assert cache_folder(tmp_path) == tmp_path
    monkeypatch.setenv("UNSEEN_CACHE", "/a")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("UNSEEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == Path("/b/unseen")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache/unseen"


LARGE = """
import resource, sys
from pathlib import Path
import numpy as np
from unseen.worlds.decoded_pixels import Pixels
from unseen.worlds.decode import Decoding
pixels = Pixels(Path(sys.argv[1]), Decoding((256, 256)))
n = len(pixels.contents())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rng = np.random.default_rng(0)
for _ in range(40):
    pixels.read(rng.integers(0, n, 32))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_reading_a_set_larger_than_the_bound_needs_memory_for_one_batch_only(tmp_path):
    pixels = Pixels(tmp_path / "large", Decoding((256, 256)))
    pixels.folder.mkdir()
    n = 1500  # 295 MB on paper, sparse on disk
    np.arange(n, dtype="<u8").tofile(pixels.journal)
    with pixels.file.open("wb") as file:
        file.truncate(n * pixels.record)
    done = subprocess.run([sys.executable, "-c", LARGE, str(pixels.folder)], capture_output=True, text=True, check=True)
    batch = 32 * pixels.record / 1024
    assert int(done.stdout) < 3 * batch + 4096
