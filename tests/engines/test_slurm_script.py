"""What is asked of Slurm: the script, its options, and what is said where it cannot be had."""

import os
import stat
import subprocess

import pytest

from small_study import study
from unseen.engines import slurm
from unseen.engines.ray_tasks import start_tasks
from unseen.engines.slurm import REQUEUE, SlurmOptions, SlurmWorkers, queue_again, script, slurm_options, submit
from unseen.engines.starting import prepare
from unseen.studies.beating import Beating
from unseen.vocabulary.errors import UnseenError


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "unseen" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def pretended(folder, monkeypatch, name, body):
    """A command of Slurm's that does as it is told."""
    tool = folder / "bin" / name
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(f"#!/bin/bash\n{body}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")


def test_the_script_asks_for_what_was_said_and_starts_a_worker_that_bash_understands(tmp_path):
    opened = study(tmp_path / "my study")
    options = SlurmOptions(
        partition="gpu", time="4:00:00", gpus="1", memory="16G", account="vision", cpus=4, more="--constraint='a b'",
        environment="module load cuda\nsource env/bin/activate",
    )  # fmt: skip
    text = script(opened, options, 8)
    for line in ("--array=1-8", "--partition=gpu", "--time=4:00:00", "--gres=gpu:1", "--mem=16G", "--account=vision"):
        assert f"#SBATCH {line}\n" in text
    assert "#SBATCH --requeue\n" in text
    assert "#SBATCH --signal=B:USR1@120\n" in text
    assert f'#SBATCH --output="{tmp_path}/my study/logs/slurm-%A_%a.log"\n' in text
    assert "#SBATCH --constraint=a b\n" in text
    assert text.index("module load cuda") < text.index("exec ")
    assert f"'{tmp_path}/my study'" in text.partition("exec ")[2]
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


def test_without_a_time_limit_nothing_is_heard_before_it(tmp_path):
    assert "signal" not in script(study(tmp_path / "s"), SlurmOptions(), 2)


def test_options_come_from_the_users_table_and_what_is_said_goes_before(config):
    config.write_text(
        '[slurm]\npartition = "gpu"\nworkers = 8\nenvironment = ["module load cuda", "conda activate x"]\n'
    )
    found = slurm_options(["partition=long", "time=1:00:00"])
    assert (found.partition, found.workers, found.time) == ("long", 8, "1:00:00")
    assert found.environment == "module load cuda\nconda activate x"


@pytest.mark.parametrize(
    ("text", "said", "told"),
    [
        ('[slurm]\npartitoin = "gpu"', [], "Did you mean 'partition'"),
        ("[slurm", [], "cannot be read"),
        ("slurm = 3", [], "must be a table"),
        ("", ["partition"], "write KEY=VALUE"),
        ("", ["cpus=many"], "must be a number"),
        ("", ["account=a\n#SBATCH --uid=0"], "must be one line"),
    ],
)
def test_what_cannot_be_meant_is_told(config, text, said, told):
    config.write_text(text)
    with pytest.raises(UnseenError, match=told):
        slurm_options(said)


def test_without_sbatch_the_way_out_is_told(tmp_path, monkeypatch):
    opened = study(tmp_path / "s")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnseenError, match=r"no `sbatch` on this machine .*--engine local"):
        submit(opened, SlurmOptions(), 2)


def test_what_slurm_says_against_it_is_told(tmp_path, monkeypatch):
    opened = study(tmp_path / "s")
    prepare(opened)
    pretended(tmp_path, monkeypatch, "sbatch", "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1")
    with pytest.raises(UnseenError, match=r"Slurm refused the job: invalid partition specified: x\. .*sinfo"):
        submit(opened, SlurmOptions(partition="x"), 2)


def test_what_was_submitted_is_kept_and_asked_for_without_accounting(tmp_path, monkeypatch):
    opened = study(tmp_path / "s")
    prepare(opened)
    pretended(tmp_path, monkeypatch, "sbatch", "cat > $(dirname $0)/said; echo '81;here'")
    pretended(tmp_path, monkeypatch, "squeue", "echo 81_1; echo 81_2")
    crew = submit(opened, SlurmOptions(), 2)
    assert (crew.job, crew.running()) == ("81", ["81_1", "81_2"])
    assert (opened.path / "logs" / "slurm-81.sh").read_text() == (tmp_path / "bin" / "said").read_text()
    pretended(tmp_path, monkeypatch, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
    assert crew.running() == []
    pretended(tmp_path, monkeypatch, "squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    assert crew.running() == ["81"]
    (opened.path / "logs" / "slurm-81_2.log").write_text(
        "working on s\nerror: this machine cannot work on 's': no images\n"
    )
    assert crew.troubles() == ["slurm-81_2.log: error: this machine cannot work on 's': no images"]


def test_a_task_is_queued_again_at_its_time_limit_only_if_it_got_something_done(tmp_path, monkeypatch):
    monkeypatch.setattr(slurm.time, "sleep", lambda seconds: None)
    pretended(tmp_path, monkeypatch, "scontrol", 'echo "$@" >> $(dirname $0)/said')
    monkeypatch.setenv("SLURM_JOB_ID", "83")
    assert not queue_again(3)
    monkeypatch.setenv(REQUEUE, "1")
    assert not queue_again(0)
    assert queue_again(3)
    assert (tmp_path / "bin" / "said").read_text() == "requeue 83\n"


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(UnseenError, match=r"pip install 'unseen\[ray\]'"):
        start_tasks(study(tmp_path / "s"), 2)


def test_ending_a_job_leaves_one_alone_whose_number_begins_alike(tmp_path, monkeypatch):
    opened = study(tmp_path / "s")
    prepare(opened)
    pretended(tmp_path, monkeypatch, "scancel", "exit 0")
    with (
        Beating(opened.path, engine="slurm", job="81_1") as mine,
        Beating(opened.path, engine="slurm", job="812_1") as other,
    ):
        SlurmWorkers(opened, "81", 1).end()
        assert mine.path.with_suffix(".stop").exists()
        assert not other.path.with_suffix(".stop").exists()
