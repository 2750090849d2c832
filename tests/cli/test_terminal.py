"""Whatever the terminal is, and whatever a study's names hold, commands print and nothing breaks."""

import io
import json
import os
import subprocess
import sys

import pytest

from small_study import command, own_network, surroundings, tiny, written
from unseen.cli.printable import printable, shown
from unseen.cli.terminal import Terminal
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)

FULL = "error: cannot write the output: No space left on device. What was finished is kept.\n"
EVIL = "\x1b]0;evil\x07\x1b[2J\u202eback\u2066 \x9b31m"
ALL = """
import json, sys
from unseen.cli import main
for words in json.loads(sys.argv.pop()):
    sys.argv = ["unseen", *words]
    try:
        main()
    except SystemExit as leaving:
        if leaving.code:
            sys.exit(f"{words}: {leaving.code}")
"""


def in_one_process(commands, cwd, compiled, **environment):
    """Many commands for the price of one start of Python."""
    words = [[str(word) for word in one] for one in commands]
    return subprocess.run(
        [sys.executable, "-c", ALL, json.dumps(words)],
        cwd=cwd,
        env={**surroundings(compiled), "PYTHONUTF8": "0", **environment},
        capture_output=True,
        timeout=120,
        check=False,
    )


def every_command(recipe, finished):
    return [
        ["--help"], ["run", "--help"], ["worlds"], ["recipes"], ["recipes", "demo"], ["models"], ["designs"],
        ["check", recipe], ["plan", recipe, "--no-time"], ["audit-split", recipe], ["status", finished],
        ["results", finished], ["results", finished, "--tidy"], ["results", finished, "--format", "markdown"],
        ["run", recipe, "--workers", "1", "--device", "cpu", "--no-report"],
    ]  # fmt: skip


def test_every_command_prints_in_ascii(finished, tmp_path, compiled):
    recipe = written(
        tmp_path / "green.toml", tiny(title="Grün × 2 – … ≥ 名", seeds=[0], grid={}, design__seen_per_level=8)
    )
    done = in_one_process(every_command(recipe, finished), tmp_path, compiled, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode("ascii", "replace")[-2000:]
    out = done.stdout.decode("ascii")
    assert "Gr\\xfcn x 2 - ... >= \\u540d" in out
    assert "# seen in training   o " in out
    assert "(1/1," in out
    assert "8x8" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "environment"),
    [
        ("cp1252", {"PYTHONIOENCODING": "cp1252"}),
        ("ascii", {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}),
    ],
    ids=["cp1252", "C locale"],
)
def test_every_command_prints_in_the_encoding_of_its_terminal(finished, tmp_path, compiled, encoding, environment):
    recipe = written(tmp_path / "green.toml", tiny(title="Grün × 2 – … ≥ 名", seeds=[0]))
    done = in_one_process(every_command(recipe, finished), tmp_path, compiled, **environment)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode("ascii", "replace")[-2000:]
    out = done.stdout.decode(encoding)
    assert ("Grün × 2 – … >= \\u540d" if encoding == "cp1252" else "Gr\\xfcn x 2 - ... >= \\u540d") in out
    assert "(2/2," in out


@pytest.mark.parametrize("columns", ["0", "abc", "-3", "1", "20", "³"])
def test_a_terminal_of_odd_width_is_no_reason_to_fail(say, monkeypatch, finished_once, columns):
    from unseen.cli import root

    monkeypatch.setattr(root.console, "_width", None)
    monkeypatch.setenv("TERM", "xterm")
    for words in (["--help"], ["worlds"], ["status", finished_once], ["results", finished_once]):
        monkeypatch.setenv("COLUMNS", columns)
        said = say(*words)
        assert (said.code, said.err) == (0, "")
    monkeypatch.setenv("COLUMNS", columns)
    assert say("plan", finished_once, "--no-time").code == 0
    assert "4 of 4 trials" in say("status", finished_once).flat


def through_shell(line, cwd, compiled):
    words = " ".join(f"'{word}'" for word in command())
    return subprocess.run(
        ["bash", "-c", line.replace("unseen", words, 1)],
        cwd=cwd,
        env=surroundings(compiled),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("unseen recipes >&-", 0, ""),
        ("unseen recipes >&- 2>&- <&-", 0, ""),
        ("unseen recipes > /dev/full", 74, FULL),
        ("unseen --help > /dev/full", 74, FULL),
        ("unseen recipes demo > /dev/full 2>&1", 74, ""),
        ("unseen recipes | true", 0, ""),
    ],
)
def test_output_that_leads_nowhere_gives_no_traceback(tmp_path, compiled, line, code, said):
    if "/dev/full" in line and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    done = through_shell(line, tmp_path, compiled)
    assert (done.returncode, done.stderr) == (code, said)


def test_hidden_characters_of_a_recipe_and_of_a_stored_failure_are_shown_as_numbers(say, finished, tmp_path):
    recipe = written(tmp_path / "evil.toml", tiny(title=f"Title {EVIL}", question=f"Why {EVIL}?", seeds=[0]))
    planned = say("plan", recipe, "--no-time")  # refused since, but what is refused is shown too
    study = load_study(finished)
    missing = study.trials[0]
    identity = study.find(missing)
    (study.store.trials / identity / "trial.json").unlink()
    study.store.fail(identity, {"label": f"label {EVIL}", "seed": 0, "error": f"error {EVIL}"})
    told = say("status", finished)
    for said in (planned, told, say("check", f"{EVIL}.toml"), say(f"rum{EVIL}")):
        text = said.out + said.err
        assert not set(text) & set("\x1b\x07\x9b\u202e\u2066"), ascii(text)
        assert "\\x1b]0;evil\\x07" in " ".join(text.replace("│", "").split())
    assert "error \\x1b]0;evil\\x07\\x1b[2J\\u202eback\\u2066 \\x9b31m" in told.out


def test_hidden_characters_of_a_flag_are_shown_as_numbers(say, finished):
    study = load_study(finished)
    path = study.store.trials / study.find(study.trials[0]) / "trial.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, "flags": {f"flag{EVIL}": f"detail {EVIL}"}}))
    said = say("status", finished)
    assert "\x1b" not in said.out
    assert "detail \\x1b]0;evil" in said.out


def test_a_file_whose_name_is_no_text_is_named(tmp_path, compiled):
    name = os.fsencode(tmp_path) + b"/gr\xfcn.toml"
    try:
        with open(name, "wb") as file:
            file.write(b"world = {\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    done = subprocess.run(
        [*command("check"), name], cwd=tmp_path, env=surroundings(compiled), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"gr\\xfcn.toml" in done.stderr
    assert b"Traceback" not in done.stderr


def test_numbers_for_a_program_keep_every_character(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdout", screen)
    Terminal().data(f"a,b\n1,{EVIL}\n")
    assert screen.getvalue() == f"a,b\n1,{EVIL}\n"


def test_numbers_for_a_person_do_not_reach_the_terminal_raw(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    Terminal().data(f"1,{EVIL}")
    assert screen.getvalue() == f"1,{printable(EVIL)}\n"


def test_words_between_colons_are_no_pictures(capsys):
    Terminal().print("a :thumbs_up: b")
    assert capsys.readouterr().out == "a :thumbs_up: b\n"


def test_what_a_terminal_can_show_stays_as_it_is():
    text = "Käse 名 × – … ■\n\ttab"
    assert shown(text) == text


def test_a_fault_of_ours_is_a_line_with_the_details_in_a_file(say, finished, monkeypatch):
    import unseen.cli.planning as planning

    def broken(*anything):
        raise KeyError(f"a bug {EVIL}")

    monkeypatch.delenv("UNSEEN_DEBUG", raising=False)
    monkeypatch.setattr(planning, "show_status", broken)
    said = say("status", finished)
    assert said.code == 70
    assert "error: unseen has a fault and stopped: KeyError: " in said.flat
    assert "Please report it with that file" in said.flat
    (kept,) = finished.glob("unseen-error-*.txt")
    assert str(kept) in said.err.replace("\n", "")
    assert "Traceback (most recent call last)" in kept.read_text()
    assert "status" in kept.read_text()


def test_a_fault_before_any_study_is_kept_in_the_temporary_folder(say, tmp_path, monkeypatch):
    import tempfile

    import unseen.cli.listing as listing

    monkeypatch.delenv("UNSEEN_DEBUG", raising=False)
    monkeypatch.setattr("unseen.cli.faults.place", [])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(listing, "list_designs", lambda console: 1 / 0)
    said = say("designs")
    assert said.code == 70
    assert "ZeroDivisionError: division by zero" in said.flat
    assert len(list(tmp_path.glob("unseen-error-*.txt"))) == 1


def test_whoever_debugs_sees_the_traceback(say, monkeypatch):
    import unseen.cli.listing as listing

    monkeypatch.setenv("UNSEEN_DEBUG", "1")
    monkeypatch.setattr(listing, "list_designs", lambda console: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        say("designs")


@pytest.mark.slow
def test_a_network_that_prints_in_a_worker_does_not_fail_for_its_signs(tmp_path, compiled):
    recipe = written(tmp_path / "mine.toml", own_network(tmp_path, "fine") | {"seeds": [0, 1]})
    module = tmp_path / "mine_for_tests.py"
    module.write_text(
        module.read_text().replace("return Small(how)", "print('8×8 – 名', flush=True); return Small(how)")
    )
    done = subprocess.run(
        command("run", recipe, "--device", "cpu", "--workers", 2, "--no-report"),
        cwd=tmp_path,
        env={**surroundings(compiled), "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, b"2/2," in done.stdout) == (0, True), done
