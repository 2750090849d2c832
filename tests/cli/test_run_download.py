"""`unseen run --download`: weights that a recipe's models lack are fetched because somebody said so, and only then."""

import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from typer.testing import CliRunner

from unseen.cli.app import app
from unseen.models.given.hub import Published, obtained
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


def test_where_nothing_may_be_fetched_run_says_so_before_anything_is_asked(tmp_path):
    words = ["run", "ibrahim2022/catalogue", "--out", str(tmp_path / "study"), "--device", "cpu", "--download",
             "--set", 'grid."network.model"=["timm:resnet10t.c3_in1k"]', "--no-report"]  # fmt: skip
    said = CliRunner().invoke(app, words)
    assert said.exit_code
    assert "HF_HUB_OFFLINE is set, so that nothing is fetched" in str(said.exception)
    assert not list((tmp_path / "study").glob("trials/*"))


def test_a_hub_that_is_not_reached_is_not_one_without_the_file(monkeypatch):
    tried = []

    def unreachable(*given, **said):
        tried.append(given)
        raise LocalEntryNotFoundError("cannot connect")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", unreachable)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with pytest.raises(UnseenError, match=r"could not be fetched .*Is there a network here"):
        obtained(Published("resnet10t", "timm/resnet10t.c3_in1k"), download=True)
    assert len(tried) == 1
