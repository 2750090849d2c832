"""Commands say what they should, within 80 columns."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest

from small_study import own_network, ran, study, surroundings, tiny, written
from unseen.cli.app import app
from unseen.engines import open_study
from unseen.studies.study import load_study

pytest_plugins = ("studies_fixtures",)

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]


def fits(text):
    """No line is longer than 80 columns, but for paths, which must stay whole to be copied."""
    return [line for line in text.splitlines() if len(line) > 80 and "/" not in line] == []


@pytest.fixture
def recipe(tmp_path):
    return written(tmp_path / "tiny.toml", tiny(seeds=[0, 1]))


def test_help_lists_every_command_and_where_to_start(say):
    said = say("--help")
    assert said.code == 0
    for name in COMMANDS:
        assert re.search(rf"\b{name}\b", said.out), name
    assert "unseen demo" in said.out
    assert fits(said.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_teaches_its_use(say, command):
    said = say(command, "--help")
    assert said.code == 0
    assert f"unseen {command}" in said.out
    assert len(said.out.split()) > 12
    assert fits(said.out)


def test_help_is_quick_and_imports_nothing_heavy(compiled):
    words = (
        "import sys, time; started = time.perf_counter(); sys.argv = ['unseen', '--help']\n"
        "from unseen.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'polars', 'pydantic', 'numpy', 'altair', 'pyarrow', 'timm', 'sklearn', 'scipy'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)), time.perf_counter() - started)"
    )
    done = subprocess.run(
        [sys.executable, "-c", words],
        env=surroundings(compiled),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    last = done.stdout.splitlines()[-1]
    assert last.startswith("heavy: [] ")
    assert float(last.split()[-1]) < 5  # half a second on an idle machine


def test_version(say):
    assert re.fullmatch(r"unseen \d+\.\d+\.\d+\n", say("--version").out)


def test_check_counts_trials_and_splits_and_trains_nothing(say, recipe, tmp_path):
    said = say("check", recipe)
    assert (said.code, "4 trials, 2 splits." in said.out, "the splits are sound." in said.out) == (0, True, True)
    assert not (tmp_path / "runs").exists()


def test_check_warns_in_the_words_of_the_plan_where_no_verdict_will_be_possible(say, recipe):
    shared = 'verdicts: none will be possible, all seeds share one choice of held-out cells: give grid."design.seed"'
    few = "verdicts: none will be possible, 2 choices of held-out cells are fewer than 3 repeats"
    for choices, words in (([0], shared), ([0, 1], few), ([0, 1, 2], None)):
        settings = ("--set", f'grid."design.seed"={choices}')
        checked, planned = say("check", recipe, *settings), say("plan", recipe, "--no-time", *settings)
        assert (checked.code, fits(checked.out)) == (0, True)
        if words is None:
            assert "verdicts" not in checked.flat
            assert "verdicts: over 3 choices of held-out cells" in planned.flat
        else:
            assert words in checked.flat
            assert words in planned.flat
            assert len(checked.out.partition("verdicts")[2].partition("the splits")[0].splitlines()) <= 2


def test_plan_shows_trials_images_splits_and_time_and_trains_nothing(say, recipe, tmp_path):
    said = say("plan", recipe, "--picture", "splits.png", "--device", "cpu")
    assert said.code == 0
    assert "4 trials (2 seeds), 0 finished already" in said.out
    assert "seen_per_level 8  90     72          72    72      72" in said.out
    assert "72 of 81 combinations: category (rows) × position (columns)" in said.out
    assert "○ tested only (OOD)" in said.out
    assert "less than a minute on cpu for the 4 trials left: 360 images to train on" in said.flat
    assert (tmp_path / "splits.png").stat().st_size > 1000
    assert not (tmp_path / "runs").exists()
    assert fits(said.out)


def test_plan_tells_the_stem_and_check_warns_of_one_that_leaves_few_positions(say, recipe):
    assert "small stem: the last block sees 3×3 positions" in say("plan", recipe, "--no-time").flat
    assert "positions" not in say("check", recipe).out
    told = say("check", recipe, "--set", "network.stem=standard").flat
    assert (
        'the last block sees 1×1 positions, fewer than 3×3: little is left of where things are; stem = "small"' in told
    )


def test_plan_of_a_finished_study_says_so(say, finished):
    said = say("plan", finished, "--device", "cpu")
    assert "4 trials (2 seeds), 4 finished already" in said.out
    assert "nothing is left to run" in said.out


def test_audit_shows_balance_leakage_and_distance(say, recipe):
    said = say("audit", recipe)
    assert said.code == 0
    assert "train       90      9      10" in said.out
    assert "seen cells per level of position: 8" in said.out
    assert "mean distance of held-out cells to the nearest seen position: 1\n" in said.out
    assert "no leakage, no imbalance found" in said.out
    assert fits(said.out)


def test_status_of_a_finished_study(say, finished):
    said = say("status", finished)
    assert "4 of 4 trials finished, 0 failed\nnot running\n" in said.out
    assert fits(said.out)


def test_status_before_anything_ran(say, recipe):
    said = say("status", recipe)
    assert "0 of 4 trials finished, 0 failed" in said.out
    assert "4 to do" in said.out


def test_status_names_results_of_other_settings(say, finished):
    said = say("status", finished, "--set", "seeds=[0]")
    assert "2 of 2 trials finished" in said.out
    assert "2 more finished trials here belong to other settings" in said.out


@pytest.mark.parametrize("command", ["results", "report"])
def test_trials_of_other_settings_are_counted_and_how_to_see_them_is_told(say, finished, recipe, command):
    said = say(command, recipe, "--set", "training.lr=0.5", "--out", finished)
    assert said.code == 2
    assert "has no finished trial of these settings, and 4 of other settings. Give the same --set" in said.flat
    assert "or no --set and the folder itself in place of the recipe" in said.flat
    assert say("results", finished).code == 0


def test_results_as_a_table_for_people(say, finished):
    said = say("results", finished)
    assert said.code == 0
    assert re.search(r"geometric mean, unseen +shared +72 +0\.\d{3} \[\d\.\d{3}, \d\.\d{3}\] +2", said.out)
    assert re.search(r"layer4, category +shared +9 ", said.out)
    assert fits(said.out)
    tidy = say("results", finished, "--tidy").out
    assert "more rows; all of them with --format csv, json or markdown" in tidy
    assert fits(tidy)


def parsed(form, text):
    if form == "csv":
        return list(csv.DictReader(io.StringIO(text)))
    if form == "json":
        return json.loads(text)
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()]
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.mark.parametrize("form", ["csv", "json", "markdown"])
@pytest.mark.parametrize("kind", ["--summary", "--tidy"])
def test_results_in_other_forms_read_back(say, finished_once, form, kind):
    said = say("results", finished_once, "--format", form, kind)
    assert (said.code, said.err) == (0, "")
    rows = parsed(form, said.out)
    accuracies = [row for row in rows if row["measure"] == "accuracy"]
    assert len(accuracies) == (12 if kind == "--summary" else 24)
    assert all(0 <= float(row["value"]) <= 1 for row in accuracies)
    assert {int(row["n"]) for row in accuracies} == ({2} if kind == "--summary" else {72})


def test_report_writes_one_page_and_prints_the_answer(say, finished):
    said = say("report", finished)
    assert said.code == 0
    assert "On combinations never seen in training, " in said.flat
    page = said.out.rpartition("report: ")[2].strip()
    assert page == str((finished / "report" / "report.html").resolve())
    assert "<html" in (finished / "report" / "report.html").read_text()[:500].lower()
    assert fits(said.out)


def test_pack_and_unpack(say, finished, tmp_path):
    assert re.match(r"4 trials in tiny.unseen \(0\.\d MB\)\n", say("pack", finished, "tiny.unseen").out)
    assert "4 trials added to other, 0 were there already" in say("unpack", "tiny.unseen", "other").out
    assert "0 trials added to other, 4 were there already" in say("unpack", "tiny.unseen", "other").out
    assert say("results", "other", "--format", "csv").out == say("results", finished, "--format", "csv").out


def test_clean_removes_leftovers_and_asks_before_it_removes_results(say, finished, monkeypatch):
    store = load_study(finished).store
    (store.trials / f".half-{2**22 + 1}").mkdir()  # of a process that cannot live
    store.fail("a1", {"error": "no"})
    assert "removed 1 half-written, 1 failure records, 0 trials no longer needed" in say("clean", finished).out
    assert len(store.finished()) == 4
    say("status", finished)
    load_recipe = (finished / "recipe.toml").read_text()
    (finished / "recipe.toml").write_text(re.sub(r"seeds = \[[^]]*\]", "seeds = [0]", load_recipe))
    assert "0 trials no longer needed" in say("clean", finished).out
    monkeypatch.setattr("typer.confirm", lambda text: False)
    assert "0 trials no longer needed" in say("clean", finished, "--everything").out
    assert len(store.finished()) == 4
    assert "2 trials no longer needed" in say("clean", finished, "--everything", "--yes").out
    assert len(store.finished()) == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("worlds", ("digits", "fashion-mnist", "folder", "root!")),
        (
            "designs",
            ("hold_out_combinations", "from_lists", "seen_per_level: must be given", 'balance: default "exact"'),
        ),
        ("models", ("resnet18-w8", "split-1", "shared-wide", "module:factory", "Encoders", "beta-vae, ada-gvae")),
        ("models", ("Models that come with their weights", "efficientnet-lite1", "ibot-21k", "CC-BY-NC-4.0", "94 MB")),
        ("recipes", ("demo", "madan2022/mnist-position", "unseen plan NAME")),
    ],
)
def test_lists(say, command, words):
    said = say(command)
    assert said.code == 0
    for word in words:
        assert word in said.out
    assert fits(said.out)


def test_layers_of_one_backbone_and_the_text_of_one_recipe(say):
    said = say("models", "resnet18-w8")
    assert "separate: category." in said.flat
    assert "layer4" in said.flat
    text = say("recipes", "demo").out
    assert text.startswith("# Nine handwritten digits")
    assert 'name = "digits"' in text


@pytest.mark.parametrize(("name", "objectives"), [("vae", "beta-vae, ada-gvae, slow-vae"), ("pcl", "pcl")])
def test_an_encoder_is_shown_with_its_layers_its_objectives_and_where_it_is_from(say, name, objectives):
    said = say("models", name)
    assert said.code == 0
    assert "encoder and readout: latents, readout1, readout2" in said.flat
    assert f"training.objective: {objectives}\n" in said.out
    assert "layer table: Schott et al. 2022, released code" in said.out
    assert fits(said.out)


def test_run_says_what_it_does_and_the_second_time_that_all_is_finished(say, recipe, tmp_path):
    said = say("run", recipe, "--device", "cpu", "--workers", 1, "--set", "seeds=[0]", "--no-report")
    assert said.code == 0
    assert "2 trials, 0 finished already; on cpu\nkept in runs/tiny\n" in said.out
    done = r"^  done  seen_per_level 8 · seed 0(?:  \[untrained\])?  \(2/2, 0:\d\d elapsed, 0:00 left\)$"
    assert re.search(done, said.out, re.M)
    assert fits(said.out)
    assert "2 trials, 2 finished already" in say("run", recipe, "--set", "seeds=[0]", "--no-report").out
    assert not (tmp_path / "runs" / "tiny" / "report").exists()


def test_a_folder_that_happens_to_be_called_as_a_recipe_is_not_taken_for_a_study(say, tmp_path):
    (tmp_path / "demo").mkdir()
    assert "kept in runs/demo" in say("plan", "demo", "--no-time").out


def test_a_failed_trial_gives_exit_code_one_and_status_tells_why(say, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine_for_tests", raising=False)
    recipe = written(tmp_path / "mine.toml", own_network(tmp_path, "fine", "raise"))
    said = say("run", recipe, "--device", "cpu", "--workers", 1, "--no-report", "--trust")
    assert said.code == 1
    assert "failed how raise · seed 0" in said.flat
    assert "RuntimeError: the cables are crossed" in said.flat
    assert "1 failed. The same command tries them again" in said.flat
    assert fits(said.out)
    status = say("status", recipe)
    assert "1 of 2 trials finished, 1 failed" in status.out
    assert "RuntimeError: the cables are crossed" in status.flat
    again = say("run", recipe, "--device", "cpu", "--workers", 1, "--no-report")
    assert (again.code, "2 trials, 1 finished already" in again.out) == (1, True)


def test_ctrl_c_says_that_nothing_is_lost(say, recipe, monkeypatch):
    import unseen.engines.local as local

    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "run_study", stopped)
    said = say("run", recipe, "--device", "cpu")
    assert said.code == 130
    assert "stopped. Finished trials are kept; the same command goes on from here." in said.flat


def test_on_a_terminal_a_bar_tells_the_time(tmp_path):
    from rich.console import Console

    from unseen.cli.progress import Progress

    screen = io.StringIO()
    opened = study(tmp_path, training__epochs=2)
    console = Console(file=screen, force_terminal=True, width=80, color_system=None)
    with Progress(console, [(trial.label, 2) for trial in opened.trials]) as progress:
        assert ran(opened, watch=progress).finished == 2
        assert progress.done == progress.total == 4
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue()).replace("\r", "\n").splitlines()
    assert any(re.match(r"2/2 trials ━+ 0:\d\d elapsed, 0:00 left", line) for line in lines)
    assert any(line.strip() == "done  seen_per_level 1 · seed 0" for line in lines)
    assert max(map(len, lines)) <= 80


def test_trials_with_one_label_are_counted_apart():
    from rich.console import Console

    from unseen.cli.progress import Progress
    from unseen.studies.execute import Event

    screen = io.StringIO()
    with Progress(Console(file=screen, width=80), [("4 levels · seed 0", 3)] * 2) as progress:
        for identity in ("a", "b"):
            for kind in ("started", "epoch", "epoch", "epoch", "finished"):
                progress(Event(kind, "4 levels · seed 0", identity))
    assert progress.done == progress.total == 6
    assert "(1/2, 0:00 elapsed, 0:00 left)" in screen.getvalue()
    assert "(2/2, 0:00 elapsed, 0:00 left)" in screen.getvalue()


def test_long_lines_go_on_below_their_beginning():
    from rich.console import Console

    from unseen.reports.console import print_hanging

    screen = io.StringIO()
    print_hanging(Console(file=screen, width=40), "    " + "word " * 20 + "[not markup]")
    lines = screen.getvalue().splitlines()
    assert len(lines) > 2
    assert all(line.startswith("    ") and len(line) <= 40 for line in lines)
    assert lines[-1] == "    markup]"


def test_names_of_studies_from_tables_are_fit_for_a_folder():
    assert str(open_study(tiny(title="Ω / 3: what?")).path) == "runs/ω---3--what"
    assert str(open_study(tiny(title="///")).path) == "runs/study"


def test_python_m_unseen_is_the_command_line():
    import subprocess
    import sys

    said = subprocess.run([sys.executable, "-m", "unseen", "--version"], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout.split()[0]) == (0, "unseen")
