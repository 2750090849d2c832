"""Pages that other commands wrote, and maps that were recorded, as `unseen view` tells them."""

import base64
import io
import json
import shutil

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save_file

from unseen.studies.store import Store
from unseen.viewer.asked import Asked
from unseen.viewer.maps import maps
from unseen.viewer.shelf import NotServed, Shelf
from unseen.viewer.written import page_file, pages, title_of

pytest_plugins = ("viewed",)
PAGE = "<!doctype html><html><head><title>{}</title></head><body></body></html>"


def put(folder, title):
    folder.mkdir(parents=True)
    (folder / "report.html").write_text(PAGE.format(title))


@pytest.fixture
def shelf(studies, tmp_path):
    """A study with a report and a page of maps, a comparison, and a page that a link leads out to."""
    folder = tmp_path / "runs"
    shutil.copytree(studies / "here" / "combinations", folder / "combinations")
    put(folder / "combinations" / "report", "The study")
    put(folder / "combinations" / "explained", "Its maps")
    put(folder / "compare" / "a-b", "a &amp; b")
    put(tmp_path / "elsewhere", "Not served")
    (folder / "compare" / "out").symlink_to(tmp_path / "elsewhere")
    return Shelf(folder)


def asked(**words):
    return Asked(tuple(words.items()))


def test_pages_that_belong_to_no_study_are_listed_by_their_titles(shelf):
    (found,) = pages(shelf)
    assert (found["name"], found["title"]) == ("compare/a-b", "a & b")
    assert title_of(page_file(shelf, asked(page="compare/a-b"))) == "a & b"


def test_a_study_has_its_report_and_what_was_explained_of_it(shelf):
    assert title_of(page_file(shelf, asked(study="combinations"))) == "The study"
    assert title_of(page_file(shelf, asked(study="combinations", page="explained"))) == "Its maps"
    shutil.rmtree(shelf.folder / "combinations" / "explained")
    with pytest.raises(NotServed, match=r"`unseen explain .*` writes it"):
        page_file(shelf, asked(study="combinations", page="explained"))


@pytest.mark.parametrize("name", ["", "compare/out", "../elsewhere", "compare/../../elsewhere", "combinations/report"])
def test_no_other_page_is_read(shelf, name):
    with pytest.raises(NotServed, match="no page"):
        page_file(shelf, asked(page=name))


def test_a_study_has_no_page_by_another_name(shelf):
    with pytest.raises(NotServed, match="report and explained"):
        page_file(shelf, asked(study="combinations", page="../compare/a-b"))


def test_recorded_maps_are_told_by_image_and_method(shelf):
    store = Store(shelf.folder / "combinations")
    now = shelf["combinations"].reading()
    name = now.identities[0]
    with pytest.raises(NotServed, match="no maps of this trial were recorded"):
        maps(shelf, asked(study="combinations", trial="0"))
    rng = np.random.default_rng(0)
    arrays = {"rows": np.array([7, 9]), "pictures": rng.integers(0, 255, (2, 1, 12, 12)).astype(np.uint8)}
    save_file(
        {**arrays, "maps.edges": rng.random((2, 12, 12)).astype(np.float16)}, store.trials / name / "maps.safetensors"
    )
    told = [{"title": title, "words": "right", "group": "", "right": True} for title in ("a one", "a two")]
    facts = json.loads((store.trials / name / "trial.json").read_text())
    facts["explanations"] = {"methods": ["edges"], "settings": {}, "shown": told}
    (store.trials / name / "trial.json").write_text(json.dumps(facts))
    found = maps(Shelf(shelf.folder), asked(study="combinations", trial="0"))
    assert [one["name"] for one in found["methods"]] == ["edges"]
    assert [(one["row"], one["title"]) for one in found["rows"]] == [(7, "a one"), (9, "a two")]
    picture = Image.open(io.BytesIO(base64.b64decode(found["rows"][0]["maps"][0]["picture"].partition(",")[2])))
    assert picture.size == (12, 12)
    (alone,) = maps(Shelf(shelf.folder), asked(study="combinations", trial="0", row="9"))["rows"]
    assert alone["title"] == "a two"
    assert maps(Shelf(shelf.folder), asked(study="combinations", trial="0", row="8"))["rows"] == []
