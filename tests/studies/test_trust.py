"""Python code that a recipe names runs once its user said so, and never to look at a study."""

import functools
import hashlib
import importlib.util
import os
import py_compile
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import unseen
from small_study import command, own_network, ran, surroundings, tiny, written
from unseen.engines import open_study, run_recipe
from unseen.kinds.checks import check
from unseen.models import build
from unseen.models.factories import code_of, factory_of
from unseen.studies.study import load_study
from unseen.vocabulary import trust
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sources import defining_files, find_source, run_by
from unseen.vocabulary.trust import CodeUnknown, Untrusted

pytest_plugins = ("studies_fixtures",)

EVIL = """
from pathlib import Path

Path(__file__).with_name("it-ran").write_text("with all your rights")


def make():
    raise SystemExit(0)
"""
READING = ("status", "results", "report", "clean")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory that is not on Python's path, as a console script has it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if not getattr(sys.modules[name], "__file__", None) or str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


@pytest.fixture
def received(here, finished):
    """A study from elsewhere: its recipe names code that lies beside it."""
    (here / "evil.py").write_text(EVIL)
    recipe = written(here / "study" / "recipe.toml", tiny(network={"backbone": "evil:make"}))
    return recipe.parent


@pytest.mark.parametrize("word", READING)
def test_looking_at_a_study_runs_none_of_the_code_it_names(received, say, word):
    said = say(word, received)
    assert not (received.parent / "it-ran").exists()
    assert "evil" not in sys.modules
    assert said.code == (0 if word in ("status", "clean") else 2), said


def test_packing_and_auditing_run_none_of_it_either(received, say):
    assert say("pack", received, "packed").code == 0
    assert say("audit", received / "recipe.toml").code == 0
    assert not (received.parent / "it-ran").exists()


@pytest.mark.parametrize("words", [("check",), ("plan", "--no-time"), ("run",)])
def test_code_that_was_not_trusted_is_told_with_its_file_and_the_command_that_trusts_it(received, say, words):
    said = say(words[0], received / "recipe.toml", *words[1:])
    assert said.code == 2
    assert "names Python code as its network: 'evil:make', in 'evil.py'" in said.flat
    assert "is not imported before you say so" in said.flat
    assert " --trust`" in said.flat
    assert f"unseen {words[0]} " in said.flat
    assert not (received.parent / "it-ran").exists()


def test_a_name_in_a_grid_is_asked_for_too(here, say):
    (here / "evil.py").write_text(EVIL)
    recipe = written(here / "r.toml", tiny(grid={"network.backbone": ["resnet18-w8", "evil:make"]}, design__images=90))
    assert "'evil:make'" in say("check", recipe).flat
    assert not (here / "it-ran").exists()


def test_trusted_code_is_remembered_until_it_changes(here, say):
    recipe = written(here / "mine.toml", own_network(here, "fine"))
    assert say("check", recipe).code == 2
    assert say("check", recipe, "--trust").code == 0
    trust._allowed.clear()
    assert say("check", recipe).code == 0, "remembered"
    trust._allowed.clear()
    module = here / "mine_for_tests.py"
    module.write_text(module.read_text() + "\n# edited\n")
    said = say("check", recipe)
    assert said.code == 2
    assert "It was changed since you trusted it" in said.flat
    other = written(here / "other.toml", tiny(network={"backbone": "mine_for_tests:Small"}))
    assert say("check", other).code == 2, "another factory of a file that was trusted"


def test_what_trusted_code_imports_of_its_own_place_counts_too(here, say):
    recipe = written(here / "mine.toml", own_network(here, "fine"))
    (here / "mine_for_tests.py").write_text("from parts_for_tests import small\n")
    (here / "parts_for_tests.py").write_text((Path(__file__).parents[1] / "small_study.py").read_text().split('"""')[3])
    assert say("check", recipe, "--trust").code == 0
    trust._allowed.clear()
    assert say("check", recipe).code == 0
    trust._allowed.clear()
    (here / "parts_for_tests.py").write_text(EVIL)
    assert say("check", recipe).code == 2
    assert not (here / "it-ran").exists()


def test_what_the_packages_above_trusted_code_import_counts_too(here):
    for folder in ("pk", "qk"):
        (here / folder / "inside").mkdir(parents=True)
    (here / "pk" / "__init__.py").write_text("from . import other\nimport qk.inside")
    (here / "pk" / "net.py").write_text("def small(): pass")
    (here / "pk" / "other.py").write_text("from pk import third")
    (here / "pk" / "third.py").write_text("")
    (here / "qk" / "__init__.py").write_text("")
    trust.remember(["pk.net:small"])
    for changed in ("pk/other.py", "pk/third.py", "pk/__init__.py", "qk/__init__.py"):
        trust._allowed.clear()
        trust.require(["pk.net:small"], "the recipe")
        trust._allowed.clear()
        before = (here / changed).read_text()
        (here / changed).write_text(before + "\n# edited")
        with pytest.raises(Untrusted, match="was changed since you trusted it"):
            trust.require(["pk.net:small"], "the recipe")
        (here / changed).write_text(before)


def test_a_compiled_file_beside_trusted_source_does_not_run_also_where_it_is_imported_late(here):
    def spoil(name, text):
        source = here / "evil_source.py"
        source.write_text(EVIL)
        (here / f"{name}.py").write_text(text)
        cached = importlib.util.cache_from_source(str(here / f"{name}.py"))
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), cached, dfile=str(here / f"{name}.py"), invalidation_mode=mode)
        source.unlink()

    (here / "spoilt").mkdir()
    spoil("spoilt/__init__", "")
    spoil("spoilt/net", "def make():\n    from spoilt import late\n    return late.VALUE")
    spoil("spoilt/late", "VALUE = 'from source'")
    factory = factory_of("spoilt.net:make")
    assert factory() == "from source"
    assert not list(here.rglob("it-ran"))


def test_two_that_trust_at_once_are_both_remembered(here, monkeypatch):
    for name in ("one_net", "two_net"):
        (here / f"{name}.py").write_text("def make(): pass")
    kept, other = trust._kept, threading.Thread(target=trust.remember, args=(["two_net:make"],))

    def slow():
        found = kept()
        if threading.current_thread() is not other and not other.is_alive():
            other.start()
            other.join(0.3)
        return found

    monkeypatch.setattr(trust, "_kept", slow)
    trust.remember(["one_net:make"])
    other.join()
    assert {entry["name"] for entry in kept().values()} == {"one_net:make", "two_net:make"}


def test_a_name_that_the_user_types_was_said(here, say):
    own_network(here)
    recipe = written(here / "r.toml", tiny(recordings={"layers": "none"}, network={}))
    said = say("check", recipe, "--set", "network.backbone=mine_for_tests:small")
    assert said.code == 0, said
    assert say("models", "mine_for_tests:small").code == 0


def test_in_python_tables_were_said_and_files_are_trusted_by_an_argument(here):
    tables = own_network(here, "fine")
    recipe = written(here / "mine.toml", tables)
    with pytest.raises(Untrusted, match="give trust=True"):
        run_recipe(recipe, device="cpu", workers=1)
    with pytest.raises(Untrusted, match="give trust=True"):
        ran(open_study(recipe))
    with pytest.raises(Untrusted, match="give trust=True"):
        unseen.open_study(recipe).run(device="cpu", workers=1)
    with pytest.raises(Untrusted, match="mine_for_tests"):
        check(open_study(recipe))
    assert "mine_for_tests" not in sys.modules
    assert len(run_recipe(recipe, device="cpu", workers=1, trust=True))
    trust._allowed.clear()
    assert len(run_recipe(tables, out="runs/other", device="cpu", workers=1))


@pytest.mark.slow
def test_workers_may_import_what_their_parent_may_and_nothing_else_that_lies_here(here, processes):
    study = open_study(own_network(here, "fine", "other"), out=here / "study")
    for name in ("multiprocessing", "pickle", "numpy", "torch"):
        (here / f"{name}.py").write_text(EVIL)
    assert ran(study, workers=2).finished == 2
    assert not (here / "it-ran").exists()
    assert "PYTHONSAFEPATH" not in os.environ


def test_where_nothing_can_be_remembered_this_is_said(here, say, monkeypatch):
    recipe = written(here / "mine.toml", own_network(here, "fine"))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    said = say("check", recipe, "--trust")
    assert said.code == 0
    assert "this cannot be remembered (Not a directory): give --trust again next time" in said.flat
    trust._allowed.clear()
    assert say("check", recipe).code == 2


@pytest.mark.parametrize("name", ["os:system", "builtins:exit", "sys:exit", "subprocess:run", "posix:abort"])
def test_parts_of_python_are_no_networks_whoever_trusts_them(here, say, name):
    recipe = written(here / "r.toml", tiny(network={"backbone": name}))
    for words in (("check", recipe), ("check", recipe, "--trust"), ("models", name)):
        said = say(*words)
        assert said.code == 2
        assert "is a part of Python, which holds no networks" in said.flat


@pytest.mark.parametrize("name", ["a b:c", "x:", ":y", "a..b:c", "../evil:make", "evil:a.b", "évil:\x1b[2J", "a:b:c"])
def test_what_is_no_name_of_code_is_told(here, name):
    with pytest.raises(UnseenError, match="is no name of code; write it as module:factory"):
        build(name, {"category": 2}, seed=0)


def test_a_part_of_python_by_another_name_is_no_factory(here):
    (here / "mine_of_os.py").write_text("from os import system\nfrom subprocess import run\n")
    for name in ("system", "run"):
        with pytest.raises(UnseenError, match="is a part of Python"):
            build(f"mine_of_os:{name}", {"category": 2}, seed=0)


def test_code_that_leaves_is_a_failure_and_no_success(here):
    (here / "leaving_module.py").write_text("raise SystemExit(0)")
    (here / "leaving_factory.py").write_text("def make(): raise SystemExit(0)")
    with pytest.raises(UnseenError, match="importing 'leaving_module' failed: SystemExit"):
        build("leaving_module:make", {"category": 2}, seed=0)
    with pytest.raises(UnseenError, match="failed: SystemExit: 0"):
        build("leaving_factory:make", {"category": 2}, seed=0)


def test_code_that_leaves_while_it_trains_fails_its_trial_alone(here):
    tables = own_network(here, "raise", "fine")
    module = here / "mine_for_tests.py"
    module.write_text(module.read_text().replace('RuntimeError("the cables are crossed")', "SystemExit(0)"))
    study = open_study(tables, out=here / "study")
    outcome = ran(study)
    assert (outcome.finished, outcome.failed) == (1, 1), study.store.failures()
    (record,) = study.failures().values()
    assert "SystemExit: 0" in record["error"]


# What is told of code without importing it


def test_modules_are_found_as_python_finds_them_and_nothing_is_imported(here):
    (here / "deep" / "er").mkdir(parents=True)  # folders without a file of their own, as the trials of a study are
    (here / "deep" / "er" / "evil.py").write_text(EVIL)
    (here / "pack").mkdir()
    (here / "pack" / "__init__.py").write_text("raise SystemExit")
    (here / "pack" / "net.py").write_text("")
    assert find_source("deep.er.evil").file == here / "deep" / "er" / "evil.py"
    assert [one.file for one in find_source("pack.net").above] == [here / "pack" / "__init__.py"]
    assert set(run_by(find_source("pack.net"))) == {here / "pack" / "__init__.py", here / "pack" / "net.py"}
    assert find_source("pack.net.more") is None
    assert find_source("nowhere") is None
    assert find_source("unseen.models").file.name == "__init__.py"
    assert not {"deep", "pack", "pack.net"} & set(sys.modules)


RESOLVED = {
    "def make(): pass": {"own_code.py"},
    "class make: pass": {"own_code.py"},
    "class Net: pass\nmake = Net": {"own_code.py"},
    "from other_code import make": {"own_code.py", "other_code.py"},
    "from other_code import net as make": {"own_code.py", "other_code.py"},
    "import functools\n@functools.cache\ndef make(): pass": None,
    "make = print": None,
    "if True:\n    def make(): pass": None,
    "def make(): pass\nmake = str(make)": None,
    "from other_code import *": None,
    "def other(): pass": None,
    "def (": None,
}


@pytest.mark.parametrize("text", RESOLVED)
def test_the_files_of_a_factory_are_told_from_its_text_where_that_tells(here, text):
    (here / "own_code.py").write_text(text)
    (here / "other_code.py").write_text("def make(): pass\ndef net(): pass")
    found, expected = defining_files("own_code", "make"), RESOLVED[text]
    assert found == (expected and {here / name for name in expected})
    assert "own_code" not in sys.modules
    if expected:  # what identities of older results were made of
        parts = sorted((here / name).read_bytes() for name in expected)
        digest = hashlib.blake2b(b"\0".join(parts), digest_size=8).hexdigest()
        assert code_of("own_code:make") == {"version": None, "source": digest}
    else:
        with pytest.raises(CodeUnknown):
            code_of("own_code:make")


def test_a_factory_that_only_running_tells_counts_once_it_may_run(here):
    (here / "own_code.py").write_text("import functools\n@functools.cache\ndef make(): pass")
    trust.allow(["own_code:make"])
    parts = sorted(Path(file).read_bytes() for file in ("own_code.py", functools.__file__))
    assert code_of("own_code:make")["source"] == hashlib.blake2b(b"\0".join(parts), digest_size=8).hexdigest()


def test_results_are_read_where_their_code_is_missing_or_cannot_be_told(here, say):
    study = open_study(own_network(here, "fine"), out=here / "study")
    ran(study)
    module = here / "mine_for_tests.py"
    for change in (module.read_text() + "\nsmall = small\n", None):
        trust._allowed.clear()
        sys.modules.pop("mine_for_tests", None)
        module.write_text(change) if change else module.unlink()
        assert load_study(here / "study").missing() == []
        said = say("status", "study")
        assert "1 of 1 trial finished" in said.flat
        assert "the code of 'mine_for_tests:small' is not here" in said.flat
        assert say("results", "study").code == 0
        assert "nothing was removed" in say("clean", "study", "--everything", "--yes").flat
        assert len(load_study(here / "study").store.finished()) == 1


def test_an_edited_network_is_another_one_also_to_those_who_only_look(here):
    ran(open_study(own_network(here, "fine"), out=here / "study"))
    module = here / "mine_for_tests.py"
    trust._allowed.clear()
    sys.modules.pop("mine_for_tests")
    assert load_study(here / "study").missing() == []
    module.write_text(module.read_text() + "\n# edited\n")
    assert len(load_study(here / "study").missing()) == 1


@pytest.mark.slow
def test_a_process_of_its_own_imports_nothing_either(received, compiled):
    for word in READING:
        subprocess.run(command(word, received), cwd=received.parent, env=surroundings(compiled), check=False)
        assert not (received.parent / "it-ran").exists()
