"""Hundreds of spoilt packs: each is taken whole or refused in a sentence, and nothing lands anywhere else."""

import copy
import json
import random
import shutil
import tarfile

import pytest
from packs import archive

from unseen.kinds.collect import collect
from unseen.studies.archives import IDENTITY, PACKED
from unseen.studies.store import Store
from unseen.studies.study import load_study
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.visible import visible

pytest_plugins = ("studies_fixtures",)
CASES = 60  # of each kind

VALUES = (None, [], {}, "", "x", -1, 0, 1e308, True, [[]], {"a": {}}, "\x1b[2J", float("nan"), 10**30)
NAMES = (
    "",
    ".",
    "..",
    "/etc/passwd",
    "a/../../b",
    "evil.py",
    "\x1b[2J",
    "trial.json",
    "x" * 300,
    "unseen-study",
    "\u202e",
)


def flipped(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def paths(value, before=()):
    """Every place in nested tables and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield (*before, key)
        yield from paths(below, (*before, key))


def edited(data, chance, remove):
    told = json.loads(data)
    place = chance.choice(list(paths(told)))
    inside = told
    for key in place[:-1]:
        inside = inside[key]
    if remove:
        del inside[place[-1]]
    else:
        inside[place[-1]] = copy.deepcopy(chance.choice(VALUES))
    return json.dumps(told).encode()


def renamed(name, chance):
    parts = name.split("/")
    parts[chance.randrange(len(parts))] = chance.choice(NAMES)
    return "/".join(parts)


def spoilt(kind, path, members, whole, chance):
    """A pack that went wrong in one way."""
    facts = [name for name in members if name.endswith("trial.json")]
    name = chance.choice(list(members))
    if kind == "bits":
        path.write_bytes(flipped(whole, chance))
    elif kind == "cut":
        path.write_bytes(whole[: chance.randrange(len(whole))])
    elif kind == "names":
        archive(path, {renamed(one, chance) if one == name else one: data for one, data in members.items()})
    elif kind == "inside":
        archive(path, {**members, name: flipped(members[name], chance)})
    elif kind == "nested":
        deep = chance.choice(("[", '{"a":')) * chance.choice((900, 5_000, 60_000))
        archive(path, {**members, name: deep.encode()})
    else:
        name = chance.choice(facts)
        archive(path, {**members, name: edited(members[name], chance, remove=kind == "removed")})
    return path


def said(act, *given, **options):
    """The sentence in which something was refused; any other error is ours."""
    try:
        act(*given, **options)
    except UnseenError as error:
        return str(error)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("salvage", [False, True])
@pytest.mark.parametrize("kind", ["bits", "cut", "names", "inside", "nested", "types", "removed"])
def test_a_spoilt_pack_is_taken_whole_or_refused_in_a_sentence(tmp_path, finished_once, kind, salvage):
    chance = random.Random(f"{kind} {salvage}")
    Store(finished_once).pack(tmp_path / "packed")
    whole = (tmp_path / "packed").read_bytes()
    with tarfile.open(tmp_path / "packed") as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}
    taken = 0
    for _ in range(CASES // 2):
        packed, into = spoilt(kind, tmp_path / "packed", members, whole, chance), tmp_path / "into"
        told = said(Store(into).unpack, packed, salvage=salvage)
        if told is not None:
            assert visible(told) == told
            assert sorted(path.name for path in tmp_path.iterdir()) == ["packed"], told
            continue
        assert sorted(path.name for path in tmp_path.iterdir()) == ["into", "packed"]
        for path in (into / "trials").rglob("*"):
            assert IDENTITY.fullmatch(path.name) if path.is_dir() else path.name in PACKED
        assert {path.name for path in into.iterdir()} <= {".lock", "recipe.toml", "trials"}
        if (into / "recipe.toml").is_file():
            told = said(collect, load_study(into), everything=True)
            assert told is None or visible(told) == told
            taken += told is None
        shutil.rmtree(into)
    assert taken < CASES // 2 or kind in ("names", "inside", "types", "removed", "cut")
