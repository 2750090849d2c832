"""Whatever lies in a folder of images, a user reads a sentence: no traceback, no hanging, no program started."""

import os
import random
import shutil
import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.decode import Decoding, Unreadable, decode, opened, quiet
from unseen.worlds.folder import folder
from unseen.worlds.propose import propose

pytest_plugins = ("studies_fixtures",)

TEMPLATE = "{category}/{view}.png"
POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n9 9 moveto showpage\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def photos(tmp_path):
    for shade, (category, view) in enumerate([(c, v) for c in ("bus", "car") for v in (0, 90)]):
        path = tmp_path / "photos" / category / f"{view}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (6, 5), (shade, 7, 9)).save(path)
    return tmp_path / "photos"


def reasons(root, **arguments):
    world = folder(root, **({"template": TEMPLATE} | arguments))
    assert len(world.images(np.arange(len(world.samples)))) == len(world.samples)
    return dict(world.problems.unreadable)


def png(width, height, body=b""):
    """A PNG whose header says one thing, whatever its body holds."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


def test_postscript_that_calls_itself_a_picture_starts_no_program(photos, monkeypatch):
    import subprocess

    def never(*words, **options):
        raise AssertionError(f"started {words}")

    monkeypatch.setattr(subprocess, "Popen", never)
    monkeypatch.setattr(subprocess, "check_call", never)
    (photos / "car" / "180.png").write_bytes(POSTSCRIPT)
    assert reasons(photos) == {"car/180.png": "PostScript, not an image"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"%PDF-1.7", "a PDF, not an image"),
        (b"8BPS\0\1", "a Photoshop file, not an image"),
        (b"\0\0\1\0\1\0\x10\x10", "not an image"),  # an icon: Pillow reads it, our suffixes do not name it
        (png(100_000, 100_000), "more than 100,000,000 pixels"),
        (png(12_000, 9_000), "12000×9000 is more than 100,000,000 pixels"),
        (png(0, 5), "size|broken|not an image|tile|truncated"),
    ],
)
def test_what_is_no_picture_or_too_large_a_one_is_said(data, said):
    with quiet(), pytest.raises(Unreadable, match=said):
        decode(data, Decoding((4, 4)))


def test_every_suffix_has_its_format():
    for form in ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "PPM", "JPEG2000", "AVIF"):
        if form in Image.SAVE or (Image.init() and form in Image.SAVE):
            buffer = BytesIO()
            Image.new("RGB", (8, 8), (9, 90, 200)).save(buffer, form)
            assert opened(buffer.getvalue()).size == (8, 8)


def test_pipes_devices_and_folders_are_told_and_never_waited_for(photos):
    os.mkfifo(photos / "car" / "pipe.png")
    os.symlink("/dev/zero", photos / "car" / "zero.png")
    (photos / "car" / "folder.png").mkdir()
    expected = {"car/pipe.png": "a pipe, not a file", "car/zero.png": "a device, not a file"}
    assert reasons(photos) == expected
    (photos / "m.csv").write_text(
        "path,category\ncar/0.png,a\nbus/0.png,b\ncar/pipe.png,a\ncar/zero.png,a\ncar/folder.png,b\n"
    )
    told = reasons(photos, manifest="m.csv", template=None)
    assert told["car/pipe.png"] == "a pipe, not a file"
    assert set(told) == {"car/pipe.png", "car/zero.png", "car/folder.png"}
    assert any("a pipe" in problem for problem in propose(photos).problems)


def test_links_to_themselves_and_to_nothing_are_told(photos):
    os.symlink("self.png", photos / "car" / "self.png")
    os.symlink("nowhere", photos / "car" / "gone.png")
    os.symlink("loop", photos / "loop")
    expected = {
        "car/self.png": "a link that leads to itself",
        "car/gone.png": "a link to a file that is not there",
    }
    assert reasons(photos) == expected
    assert propose(photos).images == 4


def test_a_name_that_is_not_utf8_is_told_and_printed_anywhere(photos, say, monkeypatch):
    shutil.copy(photos / "car" / "0.png", os.fsencode(photos) + b"/car/caf\xe9.png")
    (photos / "car" / "\U0001f697.png").write_bytes(b"")
    world = folder(photos, template=TEMPLATE)
    assert dict(world.problems.unreadable)["car/caf\\xe9.png"] == "its name is not UTF-8; rename it"
    said = say("init", photos)
    assert said.code == 1, "one factor is no study yet"
    assert "Traceback" not in said.out + said.err
    with pytest.raises(UnseenError, match=r"caf\\xe9.png \(its name is not UTF-8"):
        folder(photos, template=TEMPLATE, on_unreadable="error")
    only = Path(os.fsdecode(os.fsencode(photos.parent) + b"/\xff"))
    shutil.copytree(photos, only)
    with pytest.raises(UnseenError, match=r"\\xff' has a name that is not UTF-8"):
        folder(only, template=TEMPLATE)


def test_names_that_would_steer_a_terminal_are_shown_as_codes(photos):
    (photos / "car" / "\x1b[31m.png").write_bytes(b"")
    line = folder(photos, template=TEMPLATE).problems.lines()[0]
    assert "\x1b" not in line
    assert r"\x1b[31m.png" in line


def test_a_folder_that_may_not_be_read_is_told_and_the_rest_is_used(photos, monkeypatch):
    real = os.scandir

    def locked(place):
        if str(place).endswith("bus"):
            raise PermissionError(13, "Permission denied", str(place))
        return real(place)

    monkeypatch.setattr(os, "scandir", locked)
    world = folder(photos, template=TEMPLATE)
    assert world.problems.unreadable == (("bus/", "a folder that cannot be read: Permission denied"),)
    assert len(world.samples) == 2
    monkeypatch.setattr(os, "scandir", lambda place: real("/nowhere"))
    with pytest.raises(UnseenError, match="photos cannot be read: No such file"):
        folder(photos, template=TEMPLATE)


def test_a_folder_and_files_that_vanish_while_they_are_read_are_told(photos, monkeypatch):
    from unseen.worlds import scan

    real = os.stat

    def vanishing(place, **more):
        if str(place).endswith("bus"):
            shutil.rmtree(photos / "bus", ignore_errors=True)
        return real(place, **more)

    monkeypatch.setattr(os, "stat", vanishing)
    assert reasons(photos) == {"bus/": "a folder that cannot be read: No such file or directory"}
    monkeypatch.undo()
    inspect = scan.inspect

    def late(path):
        path.unlink()
        return inspect(path)

    monkeypatch.setattr(scan, "inspect", late)
    with pytest.raises(UnseenError, match=r"cannot be read as images: car/0.png \(cannot be read: No such file"):
        folder(photos, template=TEMPLATE, cache=photos.parent / "other")


@pytest.mark.parametrize("what", ["root", "manifest", "cache"])
def test_nul_and_unknown_homes_in_paths_are_explained(photos, what):
    given = {"root": photos, "template": TEMPLATE} if what == "cache" else {"root": photos, "manifest": "m.csv"}
    for path, said in (("a\0b", "has a NUL character in it"), ("~no-such-user/x", "home folder is not known")):
        with pytest.raises(UnseenError, match=said):
            folder(**(given | {what: path}))


def test_a_cache_that_cannot_be_written_names_the_variable(photos, monkeypatch, tmp_path):
    monkeypatch.delenv("UNSEEN_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/dev/null")
    world = folder(photos, template=TEMPLATE)  # scanning works without a cache
    with pytest.raises(UnseenError, match=r"/dev/null/.cache.*cannot be written: Not a directory. Set UNSEEN_CACHE"):
        world.prepare()
    monkeypatch.setattr(Path, "expanduser", lambda self: (_ for _ in ()).throw(RuntimeError("no home")))
    with pytest.raises(UnseenError, match="set UNSEEN_CACHE to a folder"):
        cache_folder()


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        place = rng.randrange(len(data))
        way = rng.randrange(4)
        if way == 0:
            data[place] = rng.randrange(256)
        elif way == 1:
            del data[place : place + rng.randint(1, 30)]
        elif way == 2:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 9)))
        else:
            data[place:] = b""
        if not data:
            break
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000"])
def test_mutated_pictures_are_read_or_refused_in_words(form):
    rng, buffer = random.Random(form), BytesIO()
    picture = np.random.default_rng(0).integers(0, 255, (24, 20, 3), dtype=np.uint8)
    Image.fromarray(picture).save(buffer, form)
    read = 0
    with quiet():
        for _ in range(400):
            try:
                read += decode(mutated(buffer.getvalue(), rng), Decoding((8, 8))).shape == (3, 8, 8)
            except Unreadable as said:
                assert 0 < len(str(said)) < 300  # noqa: PT017
    assert read < 400


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_mutated_tables_are_read_or_refused_in_words(photos, form):
    import polars as pl

    rng = random.Random(form)
    files = [f"{category}/{view}.png" for category in ("bus", "car") for view in (0, 90)]
    table = pl.DataFrame({"path": files, "category": ["a", "b", "a", "b"], "view:bins=2": [0, 0, 90, 90]})
    good = photos / f"good.{form}"
    table.write_csv(good) if form == "csv" else table.write_parquet(good)
    bad = photos / f"bad.{form}"
    for _ in range(300):
        bad.write_bytes(mutated(good.read_bytes(), rng))
        try:
            folder(photos, manifest=bad.name)
        except UnseenError as said:
            assert str(said)  # noqa: PT017
