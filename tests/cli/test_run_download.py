"""`unseen run --download`: weights that a recipe's models lack are fetched because somebody said so, and only then."""

import pytest
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.studies import given_models
from unseen.studies.given_models import fetch
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import NetworkSection


@pytest.fixture
def asked(monkeypatch):
    """What is brought, and whether it may be fetched; a model of timm's lies nowhere until then."""
    calls = []

    def fake(name, *, download=False, **said):
        calls.append((name, download))
        if not download and name.startswith("timm:"):
            raise UnseenError(f"the weights of '{name}' are not on this machine")
        return object()

    given_models._opened.cache_clear()
    monkeypatch.setattr("unseen.models.given.bring", fake)
    yield calls
    given_models._opened.cache_clear()


def test_what_is_not_here_is_fetched_once_and_what_is_here_is_not(asked, tmp_path):
    file = tmp_path / "mine.onnx"
    file.write_bytes(b"")
    networks = [
        NetworkSection(model=name) for name in ("timm:resnet10t", "efficientnet-lite0", "timm:resnet10t", str(file))
    ]
    networks += [NetworkSection(backbone="resnet18"), NetworkSection(model="held:x"), NetworkSection(model="mine:net")]
    assert fetch(networks) == ["timm:resnet10t"]
    assert asked == [("timm:resnet10t", False), ("timm:resnet10t", True), ("efficientnet-lite0", False)]


def test_without_a_network_run_says_why_nothing_could_be_fetched(tmp_path, monkeypatch):
    def unreachable(*given, **said):
        raise ConnectionError("no route to host")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", unreachable)
    words = ["run", "ibrahim2022/catalogue", "--out", str(tmp_path / "study"), "--device", "cpu", "--download",
             "--set", 'grid."network.model"=["timm:resnet10t.c3_in1k"]', "--no-report"]  # fmt: skip
    said = CliRunner().invoke(app, words)
    assert said.exit_code
    assert "could not be fetched" in str(said.exception) + said.output
    assert not list((tmp_path / "study").glob("trials/*"))
