"""Exported programs and ONNX files: free and fixed batches, sizes, layouts, several outputs, files that are traps."""

import io
import json
import warnings
import zipfile

import numpy as np
import pytest
import torch
from torch import nn

from unseen.models.given import bring
from unseen.models.given.exported import arithmetic, is_guard
from unseen.models.given.onnx_models import files_of
from unseen.vocabulary.errors import UnseenError

SIDE = 12
PICTURES = torch.randint(0, 256, (5, 3, SIDE, SIDE), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
PLAIN = {"crop": 1.0}


class Tiny(nn.Module):
    """Answers, and if asked for also its features."""

    def __init__(self, *, both: bool = False) -> None:
        super().__init__()
        self.conv, self.head, self.both = nn.Conv2d(3, 6, 3), nn.Linear(6, 4), both

    def forward(self, images):
        features = self.conv(images).relu().mean((2, 3))
        return (self.head(features), features) if self.both else self.head(features)


def exported(folder, net, example, free=False):
    file = folder / "model.pt2"
    sizes = ({0: torch.export.Dim("batch")},) if free else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(net, (example,), dynamic_shapes=sizes), file)
    return file


@pytest.fixture(scope="module")
def nets():
    torch.manual_seed(0)
    one = Tiny().eval()
    two = Tiny(both=True).eval()
    two.load_state_dict(one.state_dict())
    return one, two


def wanted(net, given):
    with torch.no_grad():
        return net(given.preprocessing(PICTURES))


@pytest.mark.parametrize(("free", "batch"), [(True, 2), (False, 2), (False, 1)])
def test_an_exported_program_answers_as_its_network_does_whatever_its_batch(tmp_path, nets, free, batch):
    file = exported(tmp_path, nets[0], torch.zeros(batch, 3, SIDE, SIDE), free)
    given = bring(file, preprocessing=PLAIN)
    assert (given.source, given.outputs, given.module) == ("exported", 4, None)
    assert given.preprocessing.size == (SIDE, SIDE)
    torch.testing.assert_close(given.scores(PICTURES), wanted(nets[0], given))
    with pytest.raises(UnseenError, match="only its outputs are known"):
        given.features(PICTURES)
    assert bring(file).digest == given.digest


def test_an_output_of_a_program_may_be_its_features(tmp_path, nets):
    given = bring(exported(tmp_path, nets[1], torch.zeros(2, 3, SIDE, SIDE)), features="1", preprocessing=PLAIN)
    answers, features = wanted(nets[1], given)
    torch.testing.assert_close(given.scores(PICTURES), answers)
    torch.testing.assert_close(given.features(PICTURES), features)


def test_a_program_of_another_size_than_it_is_fed_is_told(tmp_path, nets):
    given = bring(exported(tmp_path, nets[0], torch.zeros(2, 3, SIDE, SIDE)))
    with pytest.raises(UnseenError, match=r"takes pictures of shape 2×3×12×12 and is fed .*10×10.*fixed in the file"):
        bring(given.name, preprocessing={"size": 10})


def test_a_truncated_or_foreign_program_is_told(tmp_path, nets):
    whole = exported(tmp_path, nets[0], torch.zeros(2, 3, SIDE, SIDE)).read_bytes()
    (tmp_path / "cut.pt2").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnseenError, match=r"could not be read.*is it complete"):
        bring(tmp_path / "cut.pt2")
    with zipfile.ZipFile(tmp_path / "other.pt2", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(UnseenError, match="holds no exported program"):
        bring(tmp_path / "other.pt2")


def changed(file, to, change):
    """A copy of a program with members changed: ``change`` gives new content, or None to keep it."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(name, content) or content)
    return to


class Trap:
    def __init__(self, file) -> None:
        self.file = file

    def __reduce__(self):
        return (open, (str(self.file), "w"))


def test_what_a_program_would_run_beyond_torchs_operators_is_refused_and_not_run(tmp_path, nets):
    file = exported(tmp_path, nets[0], torch.zeros(2, 3, SIDE, SIDE), free=True)
    pickled = io.BytesIO()
    torch.save((Trap(tmp_path / "ran"),), pickled)

    def in_inputs(name, content):
        return pickled.getvalue() if "sample_inputs" in name else None

    def in_graph(name, content):
        if "models/" not in name:
            return None
        return content.replace(b"Symbol('s", b"__import__('os').system('s", 1)

    def in_guards(name, content):
        return json.dumps({**json.loads(content), "guards_code": ["L.__class__"]}) if "models/" in name else None

    def in_targets(name, content):
        if "models/" not in name:
            return None
        return content.replace(b"torch.ops.aten.relu.default", b"torch.hub.load", 1)

    for change, words in (
        (in_inputs, "more than tensors"),
        (in_graph, "the expression"),
        (in_guards, "more than comparisons"),
        (in_targets, "a call of 'torch.hub.load'"),
    ):
        with pytest.raises(UnseenError, match=f"{words}.*refused"):
            bring(changed(file, tmp_path / f"{change.__name__}.pt2", change))
    assert not (tmp_path / "ran").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("change", [str, str.upper])
def test_a_program_whose_parts_hide_behind_one_name_is_refused(tmp_path, nets, change):
    """Who looks it through might see the one, who loads it the other."""
    file = exported(tmp_path, nets[0], torch.zeros(2, 3, SIDE, SIDE))
    with zipfile.ZipFile(file, "a") as archive:
        name = next(name for name in archive.namelist() if name.endswith(".json"))
        archive.writestr(change(name), archive.read(name))
    with pytest.raises(UnseenError, match="two of its parts have the same name"):
        bring(file)


def test_sizes_are_arithmetic_and_conditions_compare_them():
    assert arithmetic("Max(1, 2*Symbol('s0', positive=True, integer=True)) + 3//u1") is True
    assert not any(map(arithmetic, ("open('x')", "s0.__class__", "[1 for x in s0]", "exec('1')", "lambda: 0")))
    assert is_guard("L['args'][0].size()[2] == 32")
    assert not any(map(is_guard, ("__import__('os')", "L['args'][0].data", "open('x')", "x := 3", "not a guard")))


onnx = pytest.importorskip("onnx", reason="writes ONNX files")
pytest.importorskip("onnxruntime", reason="the extra onnx")


def written(file, batch, *, side=SIDE, kind="float", layout="NCHW", softmax=False):
    """A small ONNX model: the mean of each channel, times a matrix, perhaps a softmax."""
    from onnx import TensorProto, helper, numpy_helper

    matrix = np.arange(12, dtype=np.float32).reshape(3, 4) / 12
    shape = [batch, 3, side, side] if layout == "NCHW" else [batch, side, side, 3]
    of = {"float": TensorProto.FLOAT, "uint8": TensorProto.UINT8}[kind]
    axes = numpy_helper.from_array(np.array([2, 3] if layout == "NCHW" else [1, 2]), "axes")
    nodes = [
        helper.make_node("Cast", ["images"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["numbers", "axes"], ["features"], keepdims=0),
        helper.make_node("MatMul", ["features", "matrix"], ["raw" if softmax else "scores"]),
        *([helper.make_node("Softmax", ["raw"], ["scores"])] if softmax else []),
    ]
    graph = helper.make_graph(
        nodes, "tiny", [helper.make_tensor_value_info("images", of, shape)],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [batch, 4]),
         helper.make_tensor_value_info("features", TensorProto.FLOAT, [batch, 3])],
        [axes, numpy_helper.from_array(matrix, "matrix")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, file)
    return torch.from_numpy(matrix)


@pytest.mark.parametrize("batch", ["any", 1, 2, 8])
def test_an_onnx_file_answers_alike_in_free_and_fixed_batches(tmp_path, batch):
    matrix = written(tmp_path / "m.onnx", batch)
    given = bring(tmp_path / "m.onnx", preprocessing=PLAIN, features="features")
    assert (given.source, given.outputs, given.are_probabilities) == ("onnx", 4, False)
    means = given.preprocessing(PICTURES).mean((2, 3))
    torch.testing.assert_close(given.scores(PICTURES), means @ matrix)
    torch.testing.assert_close(given.features(PICTURES), means)


def test_an_onnx_file_tells_its_size_type_and_layout(tmp_path):
    written(tmp_path / "m.onnx", "any", side=9, kind="uint8", layout="NHWC", softmax=True)
    given = bring(tmp_path / "m.onnx")
    said = given.preprocessing
    assert (said.size, said.layout, said.dtype) == ((9, 9), "NHWC", "uint8")
    assert given.are_probabilities
    assert given.facts()["input"] == "any×9×9×3"
    torch.testing.assert_close(given.probabilities(PICTURES).sum(1), torch.ones(5))


def test_an_onnx_file_of_another_size_is_fed_that_size_and_one_that_is_set_wrongly_is_told(tmp_path):
    written(tmp_path / "m.onnx", "any", side=20)
    assert bring(tmp_path / "m.onnx").scores(PICTURES).shape == (5, 4)
    with pytest.raises(UnseenError, match="takes pictures of shape any×3×20×20 and is fed 2×3×12×12"):
        bring(tmp_path / "m.onnx", preprocessing={"size": 12})
    with pytest.raises(UnseenError, match=r"no output 'feature'.*Did you mean 'features'"):
        bring(tmp_path / "m.onnx", features="feature")


def test_an_onnx_file_counts_by_the_weights_that_lie_outside_of_it_too(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"... location weights.bin ...")
    for name in ("weights.bin", "other.bin"):
        (tmp_path / name).write_bytes(b"1")
    assert files_of(tmp_path / "m.onnx") == [tmp_path / "m.onnx", tmp_path / "weights.bin"]


def test_a_broken_onnx_file_is_told(tmp_path):
    written(tmp_path / "m.onnx", "any")
    whole = (tmp_path / "m.onnx").read_bytes()
    (tmp_path / "cut.onnx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnseenError, match=r"onnxruntime could not load.*Is the file complete"):
        bring(tmp_path / "cut.onnx")
    with pytest.raises(UnseenError, match=r"Did you mean 'm.onnx'"):
        bring(tmp_path / "mm.onnx")


def test_without_onnxruntime_the_extra_is_named(tmp_path, monkeypatch):
    written(tmp_path / "m.onnx", "any")
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(UnseenError, match=r"needs the package onnxruntime, in the optional extra 'onnx'"):
        bring(tmp_path / "m.onnx")
