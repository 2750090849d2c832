"""`unseen explain`: pages, pictures and arrays of what a network looks at; what it cannot explain is said in words."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from given_stubs import patches
from small_study import ran, study
from unseen.engines.explaining import Wanted, explain, opened
from unseen.models.given import Preprocessing, bring
from unseen.studies.explained.kept_maps import KeptMaps

pytest_plugins = ("studies_fixtures",)

SMALL = Preprocessing(size=(24, 24), resize="exact", mean=(0.5,), std=(0.25,))
FEW = ("gradient", "grad-cam", "occlusion", "edges")


class Net(nn.Module):
    """Two convolutions, in-place ReLUs, a classifier of four."""

    def __init__(self, flaw=""):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(0)
            self.conv = nn.Sequential(
                nn.Conv2d(3, 6, 3), nn.ReLU(inplace=True), nn.Conv2d(6, 6, 3), nn.ReLU(inplace=True)
            )
            self.head = nn.Linear(6, 4)
        self.flaw, self.seen = flaw, 0

    def forward(self, images):
        self.seen += len(images)
        maps = self.conv(images)
        scores = self.head(maps.mean((2, 3)))
        if self.flaw == "saturated":
            return scores.clamp(-1e-9, 1e-9) * 0
        if self.flaw == "nan":
            return scores + (scores - scores.detach()).abs().sqrt()
        return scores


def brought(flaw="", **how):
    return bring(Net(flaw), preprocessing={"size": 24, "resize": "exact", "mean": [0.5], "std": [0.25]}, **how)


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    (folder / "dog").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for number, name in enumerate(("a.png", "dog/b.jpg", "c.webp")):
        pixels = rng.integers(0, 256, (30 + number, 40, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((60, 44 + number)).save(folder / name)
    (folder / "broken.png").write_bytes(b"no picture")
    return folder


@pytest.fixture
def named(monkeypatch):
    """Whatever is brought by the name "mine" is this model."""

    def be(given):
        import unseen.models.given as place

        real = place.bring
        monkeypatch.setattr(place, "bring", lambda name, **how: given if str(name) == "mine" else real(name, **how))
        return given

    return be


def subject(photos, home, wanted, given, named):
    named(given)
    return opened("mine", wanted, out=home, device=torch.device("cpu"), trust=False)


def test_a_model_and_a_folder_of_photos_become_a_page_pictures_and_arrays(photos, tmp_path, say, named):
    named(brought())
    out = tmp_path / "out"
    told = say("explain", "mine", photos, "--methods", ",".join(FEW), "--format", "page,png,arrays", "--out", out,
               "--device", "cpu")  # fmt: skip
    assert told.code == 0, told.flat
    assert "3 images" in told.flat
    assert "Not read: broken.png (not an image)" in told.flat
    assert "edges: a baseline" in told.flat
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(f"<b>{name}</b>" in page for name in FEW)
    assert "the weights" in page
    assert "dog/<wbr>b.jpg" in page
    images = np.load(out / "arrays" / "images.npy")
    assert images.shape == (3, 3, 24, 24)
    assert np.load(out / "arrays" / "gradient.npy").shape == (3, 24, 24)
    lines = (out / "arrays" / "images.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["image", "a.png", "c.webp", "dog/b.jpg"]
    assert len(list((out / "png").glob("*_grad-cam.png"))) == 3
    assert (out / "png" / "sheet.png").is_file()
    assert (out / "figures" / "maps.png").stat().st_size > 2000


def test_asked_again_nothing_is_drawn_that_was_drawn_and_one_photo_more_costs_itself(photos, tmp_path, named):
    given = brought()
    wanted = Wanted(images=(str(photos),), methods=("occlusion",), checks=False)

    def passes():
        before = given.module.seen
        made = explain(subject(photos, tmp_path / "out", wanted, given, named), wanted, forms=())
        return given.module.seen - before, made.explained.maps.maps["occlusion"]

    first, maps = passes()
    again, same = passes()
    assert again < first / 10
    np.testing.assert_array_equal(maps, same)
    Image.new("RGB", (30, 30), (200, 30, 60)).save(photos / "d.png")
    more, _ = passes()
    assert again < more < first / 2


def test_maps_of_many_images_stream_in_pieces_of_bounded_size(tmp_path, named):
    from unseen.explanations import Score
    from unseen.studies.explained.album import Album
    from unseen.studies.explained.drawn import CHUNK, draw
    from unseen.studies.explained.looked import given_looked

    asked = []

    def fetch(places):
        asked.append(len(places))
        return torch.stack([torch.full((3, 24, 24), place % 251, dtype=torch.uint8) for place in places])

    album = Album(("",) * 120, ("",) * 120, fetch)
    count = 0
    for part in draw(given_looked(brought()), album, Score(1), {"gradient": {}}, tmp_path):
        assert len(part.maps["gradient"]) <= CHUNK
        count += len(part.places)
    assert count == 120
    assert max(asked) <= CHUNK
    kept = sorted((tmp_path / "maps").glob("*/part-*"))
    assert max(file.stat().st_size for file in kept) < 2 * CHUNK * 24 * 24 * 4


def test_a_part_that_was_damaged_is_drawn_again(photos, tmp_path, named):
    given = brought()
    wanted = Wanted(images=(str(photos),), methods=("gradient",), checks=False)
    first = explain(subject(photos, tmp_path / "out", wanted, given, named), wanted, forms=())
    part = next((tmp_path / "out" / "maps").glob("*/part-*"))
    part.write_bytes(part.read_bytes()[:40])
    again = explain(subject(photos, tmp_path / "out", wanted, given, named), wanted, forms=())
    np.testing.assert_array_equal(first.explained.maps.maps["gradient"], again.explained.maps.maps["gradient"])


def test_what_is_asked_by_name_number_difference_and_unit_are_four_recordings(photos, tmp_path, named):
    given = brought(labels=["cat", "dog", "car", "jug, pitcher"])
    homes = set()
    for how in ({"label": "dog"}, {"label": "2"}, {"label": "pitcher", "against": "cat"}, {"unit": "conv.2:3"}):
        wanted = Wanted(images=(str(photos / "a.png"),), methods=("gradient",), checks=False, **how)
        explain(subject(photos, tmp_path / "out", wanted, given, named), wanted, forms=())
        homes.add(frozenset(path.name for path in (tmp_path / "out" / "maps").iterdir()))
    assert max(map(len, homes)) == 4
    told = [json.loads(path.read_text()) for path in (tmp_path / "out" / "maps").glob("*/about.json")]
    assert {one["asked"] for one in told} == {"Score", "Difference", "Unit"}


def test_the_identity_of_maps_leaves_out_what_changes_no_map(tmp_path):
    from unseen.explanations import Score
    from unseen.studies.explained.drawn import described
    from unseen.studies.explained.looked import given_looked

    looked = given_looked(brought())
    one, two, three = (
        KeptMaps(tmp_path, described(looked, "occlusion", own, Score(1))).identity
        for own in ({"patch": 4, "batch": 8}, {"patch": 4, "batch": 64}, {"patch": 5, "batch": 8})
    )
    assert one == two != three


BAD = [
    (("--methods", "gradcam"), "no method 'gradcam'; possible: gradient"),
    (("--class", "9"), "no class 9 in what"),
    (("--class", "camel"), "no class 'camel' in what"),
    (("--unit", "conv.2"), "must be LAYER:CHANNEL"),
    (("--unit", "conv.2:9", "--methods", "gradient"), "no unit 9 in layer 'conv.2'; it has 6"),
    (("--unit", "cnv.2:1", "--methods", "gradient"), "no layer 'cnv.2'"),
    (("--unit", "conv.2:1", "--class", "1"), "a unit and a class were both asked about"),
    (("--methods", "occlusion", "--set", "occlusion.patch=99"), "larger than images of 24×24"),
    (("--methods", "occlusion", "--set", "occlusion.pach=9"), "no setting 'pach'"),
    (("--methods", "gradient", "--set", "occlusion.patch=9"), "no method 'occlusion' in what is drawn"),
    (("--set", "patch=9"), "must be METHOD.SETTING=VALUE"),
    (("--methods", "grad-cam", "--set", "grad-cam.layer=head"), "has no places on the image"),
    (("--methods", "attention-rollout"), "attention-rollout:"),
    (("--format", "pdf"), "no format 'pdf' in --format; possible: page, png, arrays"),
    (("--trial", "1"), "--trial and --rows are of a study"),
    (("--rows", "x"), "is no row"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_what_cannot_be_explained_is_said_in_words(options, words, photos, tmp_path, say, named):
    named(brought(labels=["cat", "dog", "car", "jug"]))
    told = say(
        "explain", "mine", photos / "a.png", *options, "--no-checks", "--out", tmp_path / "out", "--device", "cpu"
    )
    assert told.code == 2, told.flat
    assert words in told.flat
    assert "Traceback" not in told.flat


@pytest.mark.parametrize(
    ("name", "images", "words"),
    [
        ("mine", (), "no images to explain"),
        ("mine", ("nowhere.png",), "no file or folder 'nowhere.png'"),
        ("mine", ("{photos}/broken.png",), "no image could be read"),
        ("{photos}", (), "neither a study (it has no recipe.toml) nor a model"),
        ("answers.csv", ("{photos}",), "is a table of answers"),
    ],
)
def test_images_and_subjects_that_are_none_are_said(name, images, words, photos, tmp_path, say, named):
    named(brought())
    given = [one.format(photos=photos) for one in (name, *images)]
    told = say("explain", *given, "--out", tmp_path / "out", "--device", "cpu")
    assert told.code == 2
    assert words in told.flat


def test_a_saturated_score_and_gradients_that_are_no_number_are_said_and_not_drawn(photos, tmp_path, say, named):
    for flaw, words in (("saturated", "No evidence: zero everywhere"), ("nan", "Not a number:")):
        named(brought(flaw))
        out = tmp_path / flaw
        told = say("explain", "mine", photos / "a.png", "--methods", "gradient", "--no-checks", "--out", out,
                   "--format", "page,png", "--device", "cpu")  # fmt: skip
        assert told.code == 0, told.flat
        assert f"gradient has nothing to show for 1 image: {words.lower().replace(':', ',')}" in told.flat
        page = (out / "report.html").read_text(encoding="utf-8")
        assert f'<td class="none">{words}' in page
        assert not list((out / "png").glob("*_gradient.png"))


def test_a_function_is_explained_by_what_it_answers_and_refuses_gradients(photos, tmp_path, say, named):
    net = Net().eval()

    def answers(images):
        with torch.no_grad():
            return net(images.float()).numpy()

    named(bring(answers, outputs=4, preprocessing={"size": 24, "resize": "exact"}))
    told = say("explain", "mine", photos, "--out", tmp_path / "out", "--device", "cpu")
    assert told.code == 0, told.flat
    assert "occlusion: not checked: its weights are not at hand" in told.flat
    refused = say("explain", "mine", photos, "--methods", "gradient", "--out", tmp_path / "out", "--device", "cpu")
    assert refused.code == 2
    assert "a function from images to answers has neither; possible for it: occlusion, rise" in refused.flat


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"reg_tokens": 2}, {"class_token": False, "global_pool": "avg"}])
def test_transformers_with_a_class_token_registers_or_neither_are_explained(settings, photos, tmp_path, named):
    import timm

    torch.manual_seed(0)
    small = {"img_size": 24, "patch_size": 8, "embed_dim": 24, "depth": 1, "num_heads": 3, "num_classes": 4}
    given = bring(timm.create_model("vit_tiny_patch16_224", **small, **settings).eval(),
                  preprocessing={"size": 24, "resize": "exact"})  # fmt: skip
    methods = ("grad-cam", "attention-rollout", "attention-gradient")
    wanted = Wanted(images=(str(photos),), methods=methods, check_images=2)
    made = explain(subject(photos, tmp_path / "out", wanted, given, named), wanted, forms=())
    assert set(made.explained.checks) == set(methods)
    assert all(maps.shape == (3, 24, 24) for maps in made.explained.maps.maps.values())


def test_a_model_on_pictures_of_many_sizes_is_refused_in_words(photos, tmp_path, say, named):
    named(patches(outputs=4, labels=list("abcd"), space=""))
    told = say("explain", "mine", photos, "--methods", "gradient", "--out", tmp_path / "out", "--device", "cpu")
    assert told.code == 2
    assert "--preprocessing size=" in told.flat


def test_an_onnx_like_model_of_probabilities_is_asked_for_their_logarithm():
    from unseen.models.given.looked_into import looked_into

    given = bring(nn.Sequential(Net(), nn.Softmax(1)).eval(), preprocessing={"size": 24, "resize": "exact"})
    assert given.are_probabilities
    pictures = torch.randint(0, 256, (2, 3, 24, 24)).float()
    scores = looked_into(given)(pictures)
    torch.testing.assert_close(scores.softmax(1), given.probabilities(pictures.to(torch.uint8)), atol=1e-5, rtol=1e-4)


@pytest.mark.slow
def test_a_studys_network_is_explained_from_its_weights_over_its_most_telling_images(finished, say):
    told = say("explain", finished, "--methods", "gradient", "--images", "4", "--device", "cpu")
    assert told.code == 0, told.flat
    page = (finished / "explained" / "report.html").read_text(encoding="utf-8")
    assert "Right on what was seen" in page or "Wrong on what was not" in page
    assert "trained" not in told.flat
    other = say(
        "explain", finished, "--trial", "1", "--rows", "3,17", "--methods", "gradient", "--no-checks", "--device", "cpu"
    )
    assert other.code == 0, other.flat
    assert "2 images" in other.flat
    none = say("explain", finished, "--trial", "99")
    assert none.code == 2
    assert "trial 99 asked of 4 trials" in none.flat
    beyond = say("explain", finished, "--rows", "99999999", "--device", "cpu")
    assert beyond.code == 2
    assert "row 99999999 asked of a world of" in beyond.flat
    target = say("explain", finished, "--target", "colour", "--device", "cpu")
    assert target.code == 2
    assert "no target 'colour'" in target.flat


def test_a_study_without_weights_says_so(tmp_path, say):
    done = study(tmp_path / "bare", recordings={"weights": False}, grid={"design.seen_per_level": [8]})
    ran(done)
    told = say("explain", tmp_path / "bare", "--device", "cpu")
    assert told.code == 2
    assert "kept no weights, so there is no network to look into" in told.flat


def test_a_study_explains_photos_of_ones_own(finished, photos, say):
    told = say("explain", finished, photos, "--methods", "gradient", "--no-checks", "--device", "cpu")
    assert told.code == 0, told.flat
    assert "3 images" in told.flat


def test_the_list_says_what_each_method_needs_and_what_can_be_set(say):
    told = say("explain", "--list")
    assert told.code == 0
    assert "occlusion needs answers; Zeiler & Fergus 2014" in told.flat
    assert "--set rise.…: masks=1000" in told.flat
