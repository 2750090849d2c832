"""A pack may come from anywhere: only what a study is made of leaves it, within bounds, and whatever else is told."""

import io
import json
import lzma
import os
import socket
import subprocess
import sys
import tarfile
import tracemalloc

import pytest
from packs import A1, B2, archive, facts, packed_trial

from unseen.studies import unpacking
from unseen.studies.store import Store
from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.visible import visible

pytest_plugins = ("studies_fixtures",)
MARK = "unseen-study"


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refused(tmp_path, files, match, **options):
    """Nothing is left of a pack that is refused."""
    packed = files if not isinstance(files, dict) else archive(tmp_path / "packed", files)
    with pytest.raises(UnseenError, match=match) as told:
        Store(tmp_path / "into").unpack(packed, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["packed"]
    assert visible(told.value) == str(told.value), "fit to be shown"


def test_names_that_no_study_has_stay_in_the_pack_and_are_told(tmp_path):
    notes = []
    strange = {
        f"{MARK}/trials/{A1}/evil.py": "import os",
        f"{MARK}/trials/{A1}/weights.safetensors": "weights",
        f"{MARK}/trials/{A1}/deeper/trial.json": "{}",
        f"{MARK}/evil.py": "import os",
        f"{MARK}/__init__.py": "",
        "elsewhere/recipe.toml": "",
        f"{MARK}/trials/{A1}/\x1b[2J.json": "{}",
        ".": "no name",
    }
    packed = archive(tmp_path / "packed", {**packed_trial(), **strange})
    assert Store(tmp_path / "into").unpack(packed, note=notes.append) == (1, 0)
    assert everything(tmp_path / "into") == [".lock", f"trials/{A1}/responses.parquet", f"trials/{A1}/trial.json"]
    assert notes[0].startswith("left out 8 files that no study has: ")
    assert "\x1b" not in notes[0]


@pytest.mark.parametrize("name", ["a1", "A1" * 8, "a1" * 9, "evil.py", "\x1b[2Jaaaaaaaaaaaa", "a1a1a1a1a1a1a1a ", "."])
def test_only_identities_name_trials_and_calibrations(tmp_path, name):
    if name != ".":
        refused(tmp_path, {f"{MARK}/trials/{name}/trial.json": facts(name)}, "no identity of ours: refused")
        (tmp_path / "packed").unlink()
    refused(tmp_path, {f"{MARK}/calibrations/{name}.json": "{}"}, "no identity of ours: refused")


def test_a_name_that_comes_twice_is_refused(tmp_path):
    with tarfile.open(tmp_path / "packed", "w:xz") as tar:
        for name, data in (*packed_trial().items(), *packed_trial(label="another").items()):
            info = tarfile.TarInfo(name if "responses" not in name else f"./{name}")
            data = data.encode() if isinstance(data, str) else data
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    refused(tmp_path, tmp_path / "packed", "twice: refused")


def test_folders_and_dots_are_no_files(tmp_path):
    with tarfile.open(tmp_path / "packed", "w:xz") as tar:
        for name in (".", "", MARK, f"{MARK}/trials"):
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
    refused(tmp_path, tmp_path / "packed", "holds no finished trial")


@pytest.mark.parametrize("file", ["trial.json", "recipe.toml", "calibration"])
def test_what_is_nested_too_deep_is_told(tmp_path, file):
    deep = "[" * 100_000 + "]" * 100_000
    if file == "trial.json":
        refused(tmp_path, {**packed_trial(), f"{MARK}/trials/{A1}/trial.json": deep}, "nested too deep")
    elif file == "recipe.toml":
        refused(
            tmp_path, {**packed_trial(), f"{MARK}/recipe.toml": f"x = {deep}"}, "holds a recipe that cannot be read"
        )
    else:
        refused(tmp_path, {**packed_trial(), f"{MARK}/calibrations/{A1}.json": deep}, "nested too deep")


def claiming(path, size, name=f"{MARK}/trials/{A1}/responses.parquet"):
    """A header that promises more than there is."""
    info = tarfile.TarInfo(name)
    info.size = size
    path.write_bytes(lzma.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))
    return path


def test_a_header_that_claims_terabytes_is_refused_before_anything_is_read(tmp_path):
    refused(tmp_path, claiming(tmp_path / "packed", 8 * 10**12), r"has 8,000 GB; it may have 16 GB \(--limit GB allows")
    claiming(tmp_path / "packed", 10**9, f"{MARK}/trials/{A1}/trial.json")
    refused(tmp_path, tmp_path / "packed", "has 1,000 MB; it may have 64 MB. Refused")
    claiming(tmp_path / "packed", 10**9)
    refused(tmp_path, tmp_path / "packed", "is not a packed study, or is damaged")


class Zeros:
    """So many bytes of nothing, for tarfile to read."""

    def __init__(self, size):
        self.left = size

    def read(self, size):
        size, self.left = min(size, self.left), self.left - min(size, self.left)
        return bytes(size)


def bomb(path, size, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w:xz", preset=0) as tar:
        info = tarfile.TarInfo(f"{MARK}/trials/{A1}/responses.parquet")
        info.size, info.type = size, kind
        tar.addfile(info, Zeros(size))
    return path


def test_an_archive_that_grows_out_of_all_proportion_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "FREE", 2_000_000)
    packed = bomb(tmp_path / "packed", 40_000_000)
    assert packed.stat().st_size < 20_000
    refused(tmp_path, packed, r"unpacks to .* 200 times its size: refused. If you trust it, unpack it with --limit GB")
    refused(tmp_path, packed, "has 40 MB; it may have 10 MB", limit=0.01)
    refused(tmp_path, packed, "it has no trial.json", limit=1)  # read whole


def test_reading_takes_little_memory_whatever_the_pack_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "FREE", 10**9)
    packed = bomb(tmp_path / "packed", 60_000_000)
    tracemalloc.start()
    refused(tmp_path, packed, "it has no trial.json")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30_000_000


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_name_of_many_megabytes_is_refused_without_being_read(tmp_path, kind):
    refused(
        tmp_path, bomb(tmp_path / "packed", 60_000_000, kind), "holds a name or a header of more than 1 MB: refused"
    )


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 20)
    many = {f"{MARK}/{number}": "" for number in range(30)}
    refused(tmp_path, many, "holds more than 20 files, as no study does: refused")


def test_files_with_holes_are_refused(tmp_path):
    info = tarfile.TarInfo(f"{MARK}/trials/{A1}/responses.parquet")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 512
    (tmp_path / "packed").write_bytes(lzma.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(2048)))
    refused(tmp_path, tmp_path / "packed", "which is no plain file: refused")


def test_xz_that_wants_much_memory_is_refused(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    (tmp_path / "packed").write_bytes(lzma.compress(bytes(10_240), filters=filters))
    refused(tmp_path, tmp_path / "packed", "is not a packed study, or is damaged: .*emory")


def test_salvage_leaves_out_what_is_damaged_and_says_so(tmp_path):
    notes = []
    packed = archive(
        tmp_path / "packed", {**packed_trial(A1), **packed_trial(B2, seed="one"), f"{MARK}/recipe.toml": "title = "}
    )
    assert Store(tmp_path / "into").unpack(packed, salvage=True, note=notes.append) == (1, 0)
    assert f"left out trial {B2}: it has trial.json, in which seed = 'one' is not a whole number" in notes
    assert any(note.startswith("left out the recipe: its recipe.toml is not valid TOML") for note in notes)


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
def test_a_pack_that_was_put_together_by_another_tar_is_read(tmp_path, mode):
    with tarfile.open(tmp_path / "packed", mode) as tar:
        for name, data in packed_trial().items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data.encode() if isinstance(data, str) else data))
    assert Store(tmp_path / "into").unpack(tmp_path / "packed") == (1, 0)


def test_streams_of_xz_may_be_padded(tmp_path):
    packed = archive(tmp_path / "packed", packed_trial())
    packed.write_bytes(packed.read_bytes() + bytes(8) + lzma.compress(bytes(512)) + bytes(4))
    assert Store(tmp_path / "into").unpack(packed) == (1, 0)


def test_control_characters_of_a_pack_are_spelt_out_when_it_is_read(tmp_path):
    changes = {"label": "\x1b[2Jcleared", "flags": {"\x1b]0;title\x07": "a\u202eb"}}
    Store(tmp_path / "into").unpack(archive(tmp_path / "packed", packed_trial(**changes)))
    read = Store(tmp_path / "into").read(A1)
    assert (read["label"], read["flags"]) == ("\\x1b[2Jcleared", {"\\x1b]0;title\\x07": "a\\u202eb"})
    (tmp_path / "into" / "failed").mkdir()
    (tmp_path / "into" / "failed" / f"{B2}.json").write_text(
        json.dumps({"error": "\x1b[31m", "label": ["x"], "seed": "z"})
    )
    record = Store(tmp_path / "into").failures()[B2]
    assert (record["error"], record["label"], record["seed"]) == ("\\x1b[31m", "['x']", None)


# Writing one


def test_what_a_killed_pack_left_is_removed_by_the_next_one(tmp_path, finished_once):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = socket.gethostname()
    left = [tmp_path / f".x.unseen-{host}-{gone.pid}", tmp_path / f".x.unseen-{gone.pid}"]
    others = [tmp_path / f".x.unseen-{host}-{os.getppid()}", tmp_path / f".y.unseen-{gone.pid}"]
    others += [tmp_path / f".x.unseen-other-host-{gone.pid}", tmp_path / ".x.unseen-notes"]
    for path in (*left, *others):
        path.write_bytes(b"half")
    Store(finished_once).pack(tmp_path / "x.unseen")
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "x.unseen"])


def test_what_a_killed_unpack_left_is_removed_by_the_next_one(tmp_path, finished_once):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f".unseen-unpack-{socket.gethostname()}-{gone.pid}-abcdef01"
    (left / "trials").mkdir(parents=True)
    Store(finished_once).pack(tmp_path / "x.unseen")
    Store(tmp_path / "into").unpack(tmp_path / "x.unseen")
    assert not left.exists()


def test_what_a_killed_unpack_left_is_removed_also_where_the_study_is_there_by_now(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = socket.gethostname()
    into = tmp_path / "into"
    left = [folder / f".unseen-unpack-{host}-{gone.pid}-abcdef01" for folder in (tmp_path, into)]
    left.append(into / "trials" / f".{A1}-{gone.pid}")
    living = tmp_path / f".unseen-unpack-{host}-{os.getppid()}-abcdef01"
    for folder in (*left, living):
        folder.mkdir(parents=True)
    Store(into).unpack(archive(tmp_path / "packed", packed_trial()))
    assert [folder.exists() for folder in left] == [False] * 3
    assert living.exists()


def test_a_study_of_links_packs_what_they_lead_to(tmp_path, finished):
    store = Store(finished)
    one, two = (store.trials / name / "responses.parquet" for name in store.finished()[:2])
    two.unlink()
    os.link(one, two)
    (finished / "recipe.toml").rename(tmp_path / "elsewhere.toml")
    (finished / "recipe.toml").symlink_to(tmp_path / "elsewhere.toml")
    (finished / "calibrations" / f"{A1}.json").mkdir(parents=True)
    assert store.pack(tmp_path / "x.unseen") == 4
    with tarfile.open(tmp_path / "x.unseen") as tar:
        assert all(member.isreg() for member in tar)
    assert Store(tmp_path / "into").unpack(tmp_path / "x.unseen") == (4, 0)
    assert (tmp_path / "into" / "recipe.toml").read_text() == (tmp_path / "elsewhere.toml").read_text()


@pytest.mark.parametrize("spoilt", ["trial.json", "responses.parquet"])
def test_a_trial_that_cannot_be_read_here_is_taken_from_the_pack_and_the_old_one_is_kept(tmp_path, spoilt):
    store, notes = Store(tmp_path / "into"), []
    packed = archive(tmp_path / "packed", {**packed_trial(A1), **packed_trial(B2)})
    assert store.unpack(packed) == (2, 0)
    (store.trials / A1 / spoilt).write_text("{")
    assert store.unpack(packed, note=notes.append) == (1, 1)
    assert store.read(A1)
    assert (store.trials / A1 / "responses.parquet").read_bytes() == (
        store.trials / B2 / "responses.parquet"
    ).read_bytes()
    (kept,) = (store.path / "damaged").iterdir()
    assert (kept / spoilt).read_text() == "{"
    assert notes == [f"trial {A1} here could not be read and is taken from the pack; it is kept in '{kept}'"]
    assert store.unpack(packed) == (0, 2)


def test_a_limit_that_is_no_size_is_refused(tmp_path, say):
    packed = archive(tmp_path / "packed", packed_trial())
    said = say("unpack", "packed", "into", "--limit", "inf")
    assert said.code == 2
    assert "--limit inf is no size; give a number of GB" in said.flat
    refused(tmp_path, packed, "--limit nan is no size", limit=float("nan"))


def test_the_second_of_two_unpacks_is_told_what_unpack_can_do(tmp_path):
    packed = archive(tmp_path / "packed", packed_trial())
    store = Store(tmp_path / "into")
    with store.locked(), pytest.raises(StoreBusy) as told:
        store.unpack(packed)
    assert "or unpack into another folder" in str(told.value)
    assert "--out" not in str(told.value)


def test_a_pack_takes_no_other_files_place(tmp_path, finished):
    store = Store(finished)
    (tmp_path / "notes.txt").write_text("mine")
    for out, why in (
        (tmp_path, "is a folder; name the file to write"),
        (tmp_path / "notes.txt", "is there already and is no packed study"),
        (finished / "recipe.toml", "is there already and is no packed study"),
        (type(tmp_path)("/dev/null"), "is no plain file"),
    ):
        with pytest.raises(UnseenError, match=why):
            store.pack(out)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert store.pack(tmp_path / "x.unseen") == store.pack(tmp_path / "x.unseen") == 4


def test_stray_files_of_a_study_are_not_packed(tmp_path, finished):
    store = Store(finished)
    name = store.finished()[0]
    (store.trials / name / ".DS_Store").write_bytes(b"x")
    (store.trials / name / "evil.py").write_text("import os")
    (store.trials / f"{name} copy").mkdir()
    (store.trials / f"{name} copy" / "trial.json").write_text("{}")
    notes = []
    assert store.pack(tmp_path / "x.unseen") == 4
    assert Store(tmp_path / "into").unpack(tmp_path / "x.unseen", note=notes.append) == (4, 0)
    assert notes == []


@pytest.mark.parametrize(
    "words",
    [
        ("pack", "STUDY", ""), ("unpack", "", "x"), ("unpack", "x", " "), ("run", "demo", "--out", ""),
        ("status", ""), ("results", ""), ("check", ""), ("init", "."
        , "--to", ""), ("render", "digits", "--out", ""), ("plan", "demo", "--picture", ""),
    ],
)  # fmt: skip
def test_an_empty_place_is_refused_and_the_working_directory_stays_empty(say, tmp_path, finished_once, words):
    said = say(*(finished_once if word == "STUDY" else word for word in words))
    assert said.code == 2
    assert "it is empty; name a file or a folder" in said.flat.replace("│ ", "")
    assert list(tmp_path.iterdir()) == []
