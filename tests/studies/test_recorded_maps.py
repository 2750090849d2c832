"""Maps that a recipe asks for: recorded of what was learned, without learning it again; their section in the report."""

import numpy as np
import pytest

from small_study import TINY, ran, study, tiny
from unseen.engines import open_study
from unseen.kinds.results import gather, page_of
from unseen.studies.explained.stored_maps import arrays_of, columns_of, similarities
from unseen.studies.identities import identity, learned_identity
from unseen.studies.trials import describe
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("studies_fixtures",)
ONE = {"design.seen_per_level": [8]}
ASKED = {"methods": ["gradient", "grad-cam", "edges"], "images": 4, "checked": 3}


def described(done):
    trial = done.trials[0]
    return describe(trial, done.world(trial), "float32")


def test_maps_are_a_part_of_what_is_recorded_and_not_of_what_is_learned(tmp_path):
    plain, with_maps = study(tmp_path / "a", grid=ONE), study(tmp_path / "b", grid=ONE, explanations=ASKED)
    assert identity(described(plain)) != identity(described(with_maps))
    assert learned_identity(described(plain)) == learned_identity(described(with_maps))
    assert "explanations" not in described(plain)  # results of before are found as they are


def test_a_finished_study_is_asked_for_maps_without_training_and_the_report_shows_them(finished, untrainable):
    untrainable()
    asked = open_study(tiny(explanations=ASKED, seeds=[0], grid=ONE), out=finished)
    outcome = ran(asked)
    assert (outcome.trials, outcome.failed) == (1, 0)
    folder = asked.store.trials / asked.find(asked.trials[0])
    arrays, facts = arrays_of(folder), asked.store.read(folder.name)
    assert facts["explanations"]["methods"] == ASKED["methods"]
    shown = facts["explanations"]["shown"]
    assert 0 < len(shown) <= 4
    assert arrays["pictures"].shape[0] == arrays["maps.gradient"].shape[0] == len(shown)
    assert [(one.method, one.alike["ssim"].shape[1]) for one in similarities(folder)] == [
        ("gradient", 3), ("grad-cam", 3), ("edges", 3),
    ]  # fmt: skip
    edges = similarities(folder)[2]
    np.testing.assert_allclose(edges.alike["spearman"], 1)  # it looks at no network
    page = page_of(asked, gather(asked))
    assert "What it looks at" in [section.title for section in page.whole]
    assert "maps" in page.sheets


BAD = [
    ({"methods": ["gradcam"]}, "no method 'gradcam' in explanations.methods"),
    ({"methods": ["occlusion"], "settings": {"occlusion": {"pach": 3}}}, "no setting 'pach'"),
    ({"methods": ["occlusion"], "settings": {"rise": {"masks": 3}}}, "no method 'rise' in what is drawn"),
    ({"methods": ["gradient"], "scored": 4}, "which rendered worlds know and 'digits' does not"),
]


@pytest.mark.parametrize(("section", "words"), BAD)
def test_maps_that_cannot_be_recorded_are_refused_before_training(section, words, tmp_path):
    from unseen.kinds.checks import check

    with pytest.raises(UnseenError, match=words):
        check(study(tmp_path / "study", grid=ONE, explanations=section))


def test_settings_without_a_method_do_nothing_and_are_refused(tmp_path):
    with pytest.raises(UnseenError, match="no method is named, so no map is recorded"):
        open_study(tiny(explanations={"scored": 5}), out=tmp_path / "study")


def test_kinds_about_maps_need_them(tmp_path):
    from unseen.kinds.checks import check

    with pytest.raises(UnseenError, match=r"name explanations\.methods"):
        check(study(tmp_path / "study", grid=ONE, kind="sanity"))
    with pytest.raises(UnseenError, match=r"set explanations\.scored to a number"):
        check(study(tmp_path / "study", grid=ONE, kind="looking", explanations={"methods": ["gradient"]}))


WORLD = {"name": "objects", "categories": ["mug", "chair"], "instances": 12, "pose": 1, "backgrounds": 2, "side": 24}
DESIGN = {"name": "hold_out_combinations", "columns": "background", "images": 8, "validation_images": 2,
          "test_images": 4, "probe_per_cell": 1, "seen_per_level": 1}  # fmt: skip


def test_to_check_a_study_of_a_rendered_world_makes_no_objects(tmp_path, monkeypatch):
    from unseen.kinds.checks import check
    from unseen.worlds.rendered import RenderedWorld

    def made(world):
        raise AssertionError("a check made the objects")

    monkeypatch.setattr(RenderedWorld, "furnished", property(made))
    tables = {**TINY, "world": WORLD, "design": DESIGN, "explanations": {"methods": ["gradient"], "scored": 4},
              "kind": "looking", "grid": {}, "recordings": {"layers": "none"}, "targets": ["category"]}  # fmt: skip
    check(open_study(tables, out=tmp_path / "study"))


def test_maps_of_a_rendered_world_are_compared_with_what_its_pixels_show(tmp_path):
    told = {"methods": ["gradient", "centre"], "images": 0, "checked": 0, "scored": 4}
    tables = {**TINY, "world": WORLD, "design": DESIGN, "explanations": told, "kind": "looking", "grid": {},
              "recordings": {"layers": "none"}, "targets": ["category"]}  # fmt: skip
    done = open_study(tables, out=tmp_path / "study")
    ran(done)
    folder = done.store.trials / done.find(done.trials[0])
    table = columns_of(folder, "explanations.parquet")
    assert set(table["method"]) == {"gradient", "centre"}
    area, centre = table["area of object"], table["method"] == "centre"
    assert ((area > 0) & (area < 1)).all()
    # The blob's share on the object, by what the renderer says of its pixels.
    from unseen.explanations import explain
    from unseen.worlds.rendering.renderer import layers

    world = done.world(done.trials[0])
    rows = table["sample"][centre]
    mask = layers(world.scenes(rows), world.furnished, 24).label.numpy() == 0
    blob = explain(lambda images: images.mean((2, 3)), world.images(rows), "centre", 0).maps
    np.testing.assert_allclose(
        table["energy on object"][centre], (blob * mask).sum((1, 2)) / blob.sum((1, 2)), rtol=1e-5
    )
    contents = gather(done)
    assert set(contents.summary["series"]) == {"gradient", "centre"}
    assert page_of(done, contents).figures
