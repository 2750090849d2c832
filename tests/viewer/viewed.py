"""Studies to be looked at: unpacked golden ones, one of them with a failure and with a trial that is missing."""

import json
import shutil
from pathlib import Path

import pytest

from unseen.studies.store import Store
from unseen.viewer.app import make_app
from unseen.viewer.serving import HERE
from unseen.viewer.shelf import Shelf

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FAILURE = "its network asks for 9 GB"


@pytest.fixture(scope="session")
def studies(tmp_path_factory):
    """A folder with studies of three kinds; the photos of one are not at hand."""
    folder = tmp_path_factory.mktemp("viewed") / "runs"
    for name in ("combinations", "regression", "domains"):
        Store(folder / "here" / name).unpack(GOLDEN / f"{name}.unseen")
    unfinished(folder)
    return folder


def unfinished(folder):
    """A copy of a study in which two trials are missing, one of them because it failed."""
    place = folder / "unfinished"
    shutil.copytree(folder / "here" / "combinations", place)
    store = Store(place)
    for number, name in enumerate(sorted(store.finished())[:2]):
        facts = store.read(name)
        shutil.rmtree(store.trials / name)
        if number == 0:
            record = {"identity": name, "label": facts["label"], "condition": facts["condition"], "seed": facts["seed"]}
            store.fail(
                name, {**record, "error": FAILURE, "traceback": "Traceback: line 1", "when": "2026-01-01T00:00:00"}
            )
    return place


@pytest.fixture(scope="session")
def client(studies):
    from starlette.testclient import TestClient

    app = make_app(Shelf(studies), names=frozenset(HERE))
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as made:
        yield made


@pytest.fixture(scope="session")
def ask(client):
    """Ask an address of the interface: its plain data. One that must be refused: ``refused=404`` gives the sentence."""

    def asked(name, refused=0, **parameters):
        answer = client.get(f"/api/{name}", params=parameters)
        assert answer.status_code == (refused or 200), answer.text
        found = json.loads(answer.text)
        return found["error"] if refused else found

    return asked
