"""A study on a real Slurm of two nodes, with a node lost, a worker killed and one suspended past its lease.

    uv run pytest -n 0 -m slow -s tests/clusters/test_on_slurm.py

As root, on Debian or Ubuntu (Slurm is installed where it lacks); elsewhere it is skipped.
"""

import os
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

from disturbed import QUICK, TRIALS, forty, in_peace, kill_one, numbers, suspend_one, until, what_happened, workers
from slurm_here import SlurmHere

from small_study import command, surroundings

pytest_plugins = ("studies_fixtures",)
able = sys.platform.startswith("linux") and os.geteuid() == 0 and (shutil.which("sbatch") or shutil.which("apt-get"))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not able, reason="needs root, and Slurm or apt-get")]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    cluster = SlurmHere(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
    except RuntimeError as error:
        cluster.stop()
        pytest.skip(f"no Slurm here: {error}")
    yield cluster
    cluster.stop()


def test_forty_trials_survive_a_lost_node_a_killed_worker_and_one_suspended_past_its_lease(slurm, tmp_path, compiled):
    from unseen.studies.recipe_files import recipe_toml

    path = tmp_path / "study"
    (tmp_path / "forty.toml").write_text(recipe_toml(forty(path).recipe))
    environment = {**surroundings(compiled), **slurm.environment, **QUICK}
    words = command("run", "forty.toml", "--engine", "slurm", "--workers", 3, "--device", "cpu", "--out", path)
    words += ["--no-report", "--slurm", "partition=low", "--slurm", "memory=1500"]
    said = (tmp_path / "said.txt").open("w")
    follower = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=said, stderr=said)
    try:
        until(path, 3, follower)
        print(f"\n{len(workers(path))} workers; queue {slurm.queue()}")
        print(f"kill -9 of worker {kill_one(path)}")
        until(path, 7, follower)
        slurm.lose("node1")
        print(f"node1 is lost; queue {slurm.queue()}")
        slurm.back("node1")
        until(path, 12, follower)
        print(f"suspended past its lease, until another took over: {suspend_one(path)}")
        until(path, TRIALS, follower)
        assert follower.wait(300) == 0, (tmp_path / "said.txt").read_text()
    finally:
        follower.kill()
        follower.wait()
        said.close()
    happened = what_happened(path)
    print(happened, (tmp_path / "said.txt").read_text()[-600:])
    assert happened["stored"] == happened["finished"] == TRIALS
    assert happened["failed"] == 0
    assert happened["taken more than once"] >= 2
    assert numbers(path).equals(numbers(in_peace(tmp_path / "peace")))


def test_a_partition_that_does_not_exist_is_told_with_the_way_out(slurm, tmp_path, compiled):
    environment = {**surroundings(compiled), **slurm.environment}
    words = command("run", "demo", "--engine", "slurm", "--slurm", "partition=fast", "--out", "study")
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    told = " ".join(done.stderr.split())
    assert "Slurm refused the job" in told
    assert "invalid partition" in told.lower()
    assert "sinfo" in told
