"""What every test stands on: shapes checked at run time, no network, a cache of its own, no deadlines."""

import gc
import itertools
import os
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from shapes import install as check_shapes

# Every annotated array of `unseen` is checked at each call, and by beartype what is no array. The hook acts on import,
# so it must come first; pytest reads this file before it collects (tests and doctests alike), and so does each worker
# of pytest-xdist.
assert "unseen" not in sys.modules, "unseen was imported before tests/conftest.py: its shapes would go unchecked"
check_shapes()

# Some libraries read these when they are imported.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

# On a busy machine a deadline would fail tests at random; so few examples keep the whole suite quick on two cores.
# CI takes the same thirty every time, so that its answer is about the change; people draw new ones at every run.
patient: dict = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("unseen", max_examples=40, **patient)
settings.register_profile("ci", max_examples=30, derandomize=True, **patient)
settings.register_profile("thorough", max_examples=1000, **patient)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "unseen"))

HERE = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "", None, socket.gethostname()}
_numbers = itertools.count()


def pytest_configure(config):
    # beartype looks at random members of a list, which hypothesis does not like to see while it draws: harmless.
    config.addinivalue_line("filterwarnings", "ignore:Do not use the `random` module inside strategies")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """A thousand modules and tests are there to stay: the garbage collector need not go through them, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    """No test reaches another machine or another test's cache, or runs code that another allowed."""
    cache = tmp_path_factory.getbasetemp() / f"cache-{next(_numbers)}"  # made by whoever writes to it
    monkeypatch.setenv("UNSEEN_CACHE", str(cache / "unseen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(cache / "config"))
    monkeypatch.setattr("unseen.vocabulary.trust._allowed", set())
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def connect_here(self, address):
        if self.family != socket.AF_UNIX and str(address[0]) not in HERE:
            raise ConnectionRefusedError(f"tests are offline, and one tried to reach {address}")
        return connect(self, address)

    def look_up_here(host, *arguments, **options):
        name = host.decode() if isinstance(host, bytes) else host
        if name not in HERE:
            raise socket.gaierror(socket.EAI_FAIL, f"tests are offline, and one tried to look up {name}")
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Public data sets next to the repository, where they are."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}")
    return folder
