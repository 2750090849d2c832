"""A study on a real Ray of two nodes, with a node lost, a worker killed and one suspended past its lease.

uv run pytest -n 0 -m slow -s tests/clusters/test_on_ray.py
"""

import importlib.util
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

from disturbed import QUICK, TRIALS, forty, in_peace, kill_one, numbers, suspend_one, until, what_happened, workers
from ray_here import RayHere

from small_study import command, surroundings

pytest_plugins = ("studies_fixtures",)
able = sys.platform.startswith("linux") and importlib.util.find_spec("ray") is not None
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not able, reason="needs Ray: uv sync --extra ray")]


@pytest.fixture
def ray_cluster():
    cluster = RayHere()
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def test_forty_trials_survive_a_lost_node_a_killed_worker_and_one_suspended_past_its_lease(
    ray_cluster, tmp_path, compiled
):
    from unseen.studies.recipe_files import recipe_toml

    path = tmp_path / "study"
    (tmp_path / "forty.toml").write_text(recipe_toml(forty(path).recipe))
    environment = {**surroundings(compiled), **ray_cluster.environment, **QUICK}
    words = command("run", "forty.toml", "--engine", "ray", "--workers", 3, "--device", "cpu", "--out", path)
    words += ["--no-report"]
    said = (tmp_path / "said.txt").open("w")
    follower = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=said, stderr=said)
    try:
        until(path, 3, follower)
        print(f"\n{len(workers(path))} workers")
        print(f"kill -9 of worker {kill_one(path)}")
        until(path, 7, follower)
        ray_cluster.lose(1)
        print("the second node is lost")
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
