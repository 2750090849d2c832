"""Bringing a model by a name, a file of weights, code or as Python has it, and what goes wrong with that."""

import argparse
import copy
import json
import pickle
import re

import numpy as np
import pytest
import timm
import torch
from torch import nn

from unseen.models.given import GivenModel, bring
from unseen.models.given.code import from_network
from unseen.models.given.labels import imagenet_labels
from unseen.vocabulary.errors import UnseenError

PICTURES = torch.randint(0, 256, (5, 3, 40, 30), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
SMALL = {"img_size": 32, "patch_size": 16, "embed_dim": 24, "depth": 2, "num_heads": 2}


class Tiny(nn.Module):
    def __init__(self, outputs: int = 4) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)
        self.head = nn.Linear(6, outputs)

    def forward(self, images):
        return self.head(self.conv(images).relu().mean((2, 3)))


@pytest.fixture
def tiny():
    torch.manual_seed(0)
    return Tiny().eval()


def test_a_model_of_timm_answers_as_timms_own_does_with_the_same_weights(tmp_path):
    net = timm.create_model("resnet10t", num_classes=7).eval()
    torch.save(net.state_dict(), tmp_path / "w.pth")
    given = bring("timm:resnet10t", checkpoint=tmp_path / "w.pth")
    assert (given.outputs, given.labels, given.source) == (7, (), "timm")
    with torch.no_grad():
        fed = given.preprocessing(PICTURES)
        torch.testing.assert_close(given.scores(PICTURES), net(fed), rtol=1e-4, atol=1e-5)
        want = net.forward_head(net.forward_features(fed), pre_logits=True)
        torch.testing.assert_close(given.features(PICTURES), want, rtol=1e-4, atol=1e-5)
    assert given.probabilities(PICTURES).sum(1).allclose(torch.ones(5))


def test_a_bare_name_of_timm_is_that_model_and_names_imagenets_labels():
    given = bring("resnet10t", checkpoint=None, random=3)
    assert given.outputs == 1000
    assert given.labels == ()  # random weights mean nothing by their outputs
    assert bring("timm:resnet10t", random=3).digest == given.digest != bring("resnet10t", random=4).digest


def test_a_model_of_torchvision_gives_features_and_tells_its_makers_claim(tmp_path):
    from torchvision.models import get_model

    torch.save(get_model("squeezenet1_1").state_dict(), tmp_path / "w.pth")
    given = bring("torchvision:squeezenet1_1", checkpoint=tmp_path / "w.pth", features="features")
    assert given.label_space == "imagenet-1k"
    assert given.features(PICTURES).shape == (5, 512)
    with pytest.raises(UnseenError, match=r"does not end in a Linear layer.*name a layer"):
        bring("torchvision:squeezenet1_1", checkpoint=tmp_path / "w.pth").features(PICTURES)
    assert bring("torchvision:resnet18", random=0).features(PICTURES).shape == (5, 512)


def test_answers_do_not_depend_on_what_is_asked_beside():
    given = bring("resnet10t", random=0, preprocessing={"size": 64})
    whole = given.scores(PICTURES)
    assert given.scores(PICTURES[:0]).shape == (0, 1000)
    torch.testing.assert_close(given.scores(PICTURES[3:4]), whole[3:4], rtol=1e-4, atol=1e-5)


def test_many_pictures_are_answered_in_chunks(monkeypatch):
    seen = []
    given = bring(lambda images: seen.append(len(images)) or images.float().mean((2, 3)), outputs=3)
    monkeypatch.setitem(__import__("unseen.models.given.model", fromlist=["CHUNK"]).CHUNK, "cpu", 2)
    seen.clear()
    assert given.scores(PICTURES).shape == (5, 3)
    assert seen == [2, 2, 1]


def test_any_function_of_pictures_is_a_model():
    given = bring(lambda images: images.float().mean((2, 3)).numpy().astype(np.float64), labels=["r", "g", "b"])
    assert isinstance(given, GivenModel)
    assert (given.source, given.outputs, given.labels) == ("callable", 3, ("r", "g", "b"))
    torch.testing.assert_close(given.scores(PICTURES), PICTURES.float().mean((2, 3)))
    prepared = bring(lambda images: images.mean((2, 3)), outputs=3, preprocessing={"dtype": "float32", "range": 1})
    torch.testing.assert_close(prepared.scores(PICTURES), PICTURES.float().mean((2, 3)) / 255)


def test_a_function_counts_by_its_source_or_by_what_it_is_called():
    def one(images):
        return images.float().mean((2, 3))

    def two(images):
        return images.float().amax((2, 3))

    assert bring(one).digest == bring(one).digest != bring(two).digest
    assert bring(one, digest="v2").digest == "v2"


def test_a_function_that_holds_a_network_counts_as_itself_since_its_source_does_not_tell_which():
    def around(held):
        return lambda images: held(images.float()).mean((2, 3))

    def scaled(by):
        return lambda images: by * images.float().mean((2, 3))

    assert bring(around(nn.Conv2d(3, 4, 1)), outputs=4).digest == ""
    assert bring(around(torch.relu)).digest != ""
    assert bring(scaled(2)).digest == bring(scaled(2)).digest != bring(scaled(3)).digest


def test_outputs_that_are_probabilities_already_are_left_alone(tiny):
    class Softmaxed(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, images):
            return self.inner(images).softmax(1)

    given, raw = bring(Softmaxed(tiny)), bring(tiny)
    assert given.are_probabilities
    assert not raw.are_probabilities
    torch.testing.assert_close(given.probabilities(PICTURES), raw.probabilities(PICTURES))
    assert not bring(Softmaxed(tiny), are_probabilities=False).are_probabilities


def test_a_network_as_python_holds_it_counts_by_its_weights(tiny):
    other = copy.deepcopy(tiny)
    assert bring(tiny).digest == bring(other).digest
    with torch.no_grad():
        other.head.bias += 1
    assert bring(tiny).digest != bring(other).digest
    tiny.train()
    assert not bring(tiny).module.training
    assert tiny.training  # a copy is asked: whoever trains it may go on
    assert bring(tiny).features(PICTURES).shape == (5, 6)
    assert bring(tiny, features="conv").features(PICTURES).shape == (5, 6)
    with pytest.raises(UnseenError, match=r"no layer 'cov'.*Did you mean 'conv'"):
        bring(tiny, features="cov")


def test_what_no_weight_shows_counts_too(tmp_path, monkeypatch, tiny):
    class Doubled(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, images):
            return 2 * self.inner(images)

    class Halved(Doubled):
        def forward(self, images):
            return self.inner(images) / 2

    linear = nn.Linear(3, 3)
    nets = [nn.Sequential(inner, linear) for inner in (nn.ReLU(), nn.GELU(), Doubled(nn.ReLU()), Halved(nn.ReLU()))]
    assert len({from_network(net).digest for net in nets}) == 4
    assert from_network(nets[0]).digest == from_network(copy.deepcopy(nets[0])).digest
    (tmp_path / "my_scaled_net.py").write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, times):\n        super().__init__()\n        self.times = times\n"
        "    def forward(self, images):\n        return self.times * images.mean((2, 3))\n"
        "def scaled(times=1):\n    return Net(times)\n"
        "def function(times=1):\n    return lambda images: times * images.float().mean((2, 3))\n"
    )
    monkeypatch.chdir(tmp_path)
    for name in ("scaled", "function"):
        one, two = (bring(f"my_scaled_net:{name}", arguments={"times": times}) for times in (1, 2))
        assert one.digest != two.digest
        assert one.digest == bring(f"my_scaled_net:{name}", arguments={"times": 1}).digest


def test_code_of_ones_own_is_made_and_filled(tmp_path, monkeypatch, tiny):
    (tmp_path / "my_given_net.py").write_text(
        "from torch import nn\n"
        "def small(outputs=4):\n"
        "    return nn.Sequential(nn.Conv2d(3, 6, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, outputs))\n"
        "def broken():\n    raise RuntimeError('no')\n"
        "def number():\n    return 3\n"
    )
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5))
    torch.save({"state_dict": {f"module.{key}": value for key, value in net.state_dict().items()}}, "w.pth")
    given = bring("my_given_net:small", checkpoint="w.pth", arguments={"outputs": 5})
    assert (given.source, given.outputs) == ("module", 5)
    with torch.no_grad():
        torch.testing.assert_close(given.scores(PICTURES), net(given.preprocessing(PICTURES)), rtol=1e-4, atol=1e-5)
    with pytest.raises(UnseenError, match=r"does not fit.*another shape"):
        bring("my_given_net:small", checkpoint="w.pth")
    with pytest.raises(UnseenError, match="its factory failed: RuntimeError: no"):
        bring("my_given_net:broken")
    with pytest.raises(UnseenError, match=r"gave a int; possible: a torch.nn.Module"):
        bring("my_given_net:number")
    with pytest.raises(UnseenError, match="names Python code"):
        bring("my_given_net:small", trust=False)


def test_weights_of_another_architecture_a_truncated_file_and_pickled_code_are_told(tmp_path):
    torch.save(timm.create_model("resnet10t").state_dict(), tmp_path / "w.pth")
    with pytest.raises(UnseenError, match=r"does not fit: .* missing in the file"):
        bring("mobilenetv3_small_050", checkpoint=tmp_path / "w.pth")
    whole = (tmp_path / "w.pth").read_bytes()
    (tmp_path / "cut.pth").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnseenError, match=r"could not be read.*Is the file complete"):
        bring("resnet10t", checkpoint=tmp_path / "cut.pth")
    torch.save({"state_dict": {}, "net": Tiny()}, tmp_path / "code.pth")
    with pytest.raises(UnseenError, match=r"holds more than tensors.*could run code.*weights_only=False"):
        bring("resnet10t", checkpoint=tmp_path / "code.pth")
    with pytest.raises(UnseenError, match=r"no checkpoint .*beside it: .*w.pth"):
        bring("resnet10t", checkpoint=tmp_path / "other.pth")
    (tmp_path / "model.onnx").write_bytes(whole[:100])
    with pytest.raises(UnseenError, match="give it as the model itself"):
        bring("resnet10t", checkpoint=tmp_path / "model.onnx")
    with pytest.raises(UnseenError, match="is a file of weights, and does not say of which network"):
        bring(str(tmp_path / "w.pth"))


def test_no_code_in_a_file_is_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    with (tmp_path / "trap.pth").open("wb") as file:
        pickle.dump({"state_dict": Trap()}, file)
    torch.save({"state_dict": Trap()}, tmp_path / "trap2.pth")
    for name in ("trap.pth", "trap2.pth"):
        with pytest.raises(UnseenError):
            bring("resnet10t", checkpoint=tmp_path / name)
    assert not (tmp_path / "ran").exists()


def test_namespaces_of_official_files_are_read_and_numpy_numbers_refused_with_a_way_out(tmp_path):
    net = timm.create_model("resnet10t", num_classes=3)
    file = tmp_path / "w.pth"
    torch.save({"model": net.state_dict(), "args": argparse.Namespace(lr=0.1), "epoch": 3}, file)
    assert bring("resnet10t", checkpoint=file).outputs == 3
    torch.save({"model": net.state_dict(), "best": np.float64(1)}, file)
    with pytest.raises(UnseenError, match=re.escape("torch.save({'state_dict':")):
        bring("resnet10t", checkpoint=file)


def test_nan_outputs_are_named_with_their_number_and_the_first_key():
    def broken(images):
        made = images.float().mean((2, 3))
        made[images[:, 0, 0, 0] == 7] = float("nan")
        return made

    images = PICTURES.clone()
    images[:, 0, 0, 0] = 0
    given = bring(broken, outputs=3)
    images[[2, 4], 0, 0, 0] = 7
    with pytest.raises(UnseenError, match="NaN or infinite for 2 of 5 images, the first of them number 2"):
        given.scores(images)
    with pytest.raises(UnseenError, match="the first of them 'mug-0002'"):
        given.probabilities(images, keys=[f"mug-{n:04}" for n in range(5)])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda images: "mug", "not numbers"),
        (lambda images: None, "not numbers"),
        (lambda images: images.float().mean((2, 3))[:1], r"shape \[1, 3\] for 2 pictures; expected \[2, d\]"),
        (lambda images: images.float(), r"shape \[2, 3, 224, 224\]"),
        (lambda images: [[1.0], [1.0, 2.0]], "no array of numbers"),
        (lambda images: 1 / 0, r"failed on torch.uint8 pictures of shape \[2, 3, 224, 224\]: ZeroDivisionError"),
    ],
)
def test_a_function_that_gives_something_else_is_told_so(function, words):
    with pytest.raises(UnseenError, match=words):
        bring(function)


def test_a_function_that_changes_its_mind_is_told_so():
    given = bring(lambda images: torch.zeros((len(images), 3 if images.shape[-1] == 224 else 4)))
    with pytest.raises(UnseenError, match=r"gave outputs of shape \[5, 4\] for 5 pictures; expected \[5, 3\]"):
        given.scores(PICTURES)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("resnet5o", {}, "no model 'resnet5o'; possible: .*Did you mean 'resnet50'"),
        ("timm:resnet5o", {}, "timm has no 'resnet5o'.*Did you mean 'resnet50'"),
        ("resnet18.a1_in1kk", {}, "no weights called 'a1_in1kk'.*Did you mean 'resnet18.a1_in1k'"),
        ("torchvision:resnet19", {}, "no classifier 'resnet19' in torchvision.*Did you mean 'resnet1"),
        ("torchvision:resnet18/V9", {}, "no weights 'V9' in torchvision's 'resnet18'"),
        ("no/such/file.onnx", {}, "no file"),
        ("huggingface:./nowhere", {}, "no folder"),
        ("os:system", {}, "a part of Python"),
        ("resnet10t", {"random": 0, "checkpoint": "w.pth"}, "exclude each other"),
        ("resnet10t", {"random": 0, "precision": "half"}, "possible: float32, bfloat16"),
        ("resnet10t", {"random": 0, "labels": ["a", "b"]}, "has 1000 outputs, and 2 labels were given"),
        ("resnet10t", {"random": 0, "arguments": {"wings": 2}}, "timm could not build 'resnet10t' with wings = 2"),
        ("efficientnet-lite0", {"random": 0}, "takes no random"),
    ],
)
def test_what_is_no_model_is_told_with_what_is_possible(name, options, words):
    with pytest.raises(UnseenError, match=words):
        bring(name, **options)


def test_labels_come_as_texts_or_from_a_file(tmp_path, tiny):
    (tmp_path / "labels.txt").write_text("mug\ncup\n\nbowl\nvase\n")
    (tmp_path / "labels.json").write_text('{"1": "cup", "0": "mug", "2": "bowl", "10": "vase"}')
    want = ("mug", "cup", "bowl", "vase")
    assert bring(tiny, labels=tmp_path / "labels.txt").labels == want
    assert bring(tiny, labels=str(tmp_path / "labels.json")).labels == want
    with pytest.raises(UnseenError, match=r"gives 4 outputs; labels or outputs for 2"):
        bring(tiny, labels=["a", "b"])
    with pytest.raises(UnseenError, match="no file of labels"):
        bring(tiny, labels=tmp_path / "none.txt")
    keras = {number: [f"n0{number}", name] for number, name in enumerate(want)}
    (tmp_path / "keras.json").write_text(json.dumps(keras))
    assert bring(tiny, labels=tmp_path / "keras.json").labels == want
    (tmp_path / "latin.txt").write_bytes("tasse à café".encode("latin-1"))
    with pytest.raises(UnseenError, match="could not be read: it is no text in UTF-8"):
        bring(tiny, labels=tmp_path / "latin.txt")


def test_a_thousand_outputs_are_taken_for_imagenets_and_that_is_told():
    given = bring(Tiny(1000).eval())
    assert given.labels == imagenet_labels()
    assert given.label_space == "imagenet-1k"
    assert "assumed" in given.facts()["labels_are"]
    assert given.facts()["preprocessing_is"] == "assumed"


def test_what_the_file_of_an_encoder_has_no_head_for_has_features_only(tmp_path):
    encoder = timm.create_model("resnet10t", num_classes=0)
    torch.save(encoder.state_dict(), tmp_path / "w.pth")
    given = bring("resnet10t", checkpoint=tmp_path / "w.pth")
    assert given.outputs == 0
    assert given.features(PICTURES).shape == (5, 512)
    with pytest.raises(UnseenError, match=r"has no answers of its own; put a head on its features"):
        given.scores(PICTURES)
    with pytest.raises(UnseenError, match="has no text encoder"):
        given.text_features(["a mug"])


def test_half_precision_gives_nearly_the_same(tiny):
    plain, half = bring(tiny), bring(tiny, precision="bfloat16")
    assert half.scores(PICTURES).dtype == torch.float32
    torch.testing.assert_close(half.scores(PICTURES), plain.scores(PICTURES), rtol=0.05, atol=0.05)
