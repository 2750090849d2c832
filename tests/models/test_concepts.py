"""Concept bottlenecks: the class is read from the concepts, and from nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from unseen.models import build
from unseen.recordings.concepts import intervene
from unseen.vocabulary.errors import UnseenError

OUTPUTS = {"category": 5, "legs": 2, "colour": 3}
CPU = torch.device("cpu")


def network(sharing: str = "concepts", backbone: str = "resnet18-w8", outputs=OUTPUTS):
    return build(backbone, outputs, sharing=sharing, stem="small", channels=1, input_size=(16, 16), seed=3).eval()


def pictures(n: int = 6) -> torch.Tensor:
    return torch.rand(n, 1, 16, 16, generator=torch.Generator().manual_seed(0))


def test_the_class_depends_on_the_concepts_alone():
    made = network()
    with torch.no_grad():
        before = made(pictures())
        heads: Any = list(made.heads)[1:]
        for head in heads:  # whatever the picture, the same concepts are said
            head.weight.zero_()
        after = made(pictures())
    assert before["category"].std(0).max() > 0
    assert torch.allclose(after["category"], after["category"][:1].expand(6, -1), atol=1e-6)
    assert made.heads[0].weight.shape == (5, 2 + 3)


def test_the_class_is_a_linear_layer_of_probable_levels():
    made = network()
    head: Any = made.heads[0]
    with torch.no_grad():
        said = made(pictures())
        shares = torch.cat([said[name].softmax(1) for name in ("legs", "colour")], 1)
        expected = shares @ head.weight.T + head.bias
    assert torch.allclose(said["category"], expected, atol=1e-6)


def test_the_class_teaches_the_concepts_together_and_not_apart():
    for sharing, teaches in (("concepts", True), ("concepts-apart", False)):
        made = network(sharing).train()
        made(pictures())["category"].sum().backward()
        learned = [p.grad is not None and bool(p.grad.abs().sum() > 0) for p in made.trunk.parameters()]
        assert any(learned) is teaches
        assert made.heads[0].weight.grad is not None


def test_concepts_start_as_those_of_a_shared_network_do():
    one, other = network("concepts"), network("shared")
    with torch.no_grad():
        assert torch.equal(one(pictures())["legs"], other(pictures())["legs"])


def test_true_concepts_decide_the_class_whatever_the_picture():
    made = network()
    truth = {"legs": np.array([0, 1, 1, 0, 1, 0]), "colour": np.array([2, 0, 1, 1, 0, 2])}
    every = np.ones(6, dtype=bool)
    told = [{}, {"legs": every}, {"legs": every, "colour": every}, {"colour": np.array([True] + [False] * 5)}]
    rows = np.arange(6)
    found = intervene(made, lambda rows, device: pictures()[rows], rows, truth, told, device=CPU, size=4)
    turned = intervene(made, lambda rows, device: 1 - pictures()[rows], rows, truth, told, device=CPU)
    with torch.no_grad():
        own = made(pictures())["category"].argmax(1).numpy()
        hot = [
            torch.nn.functional.one_hot(torch.from_numpy(truth[k]), n).float() for k, n in (("legs", 2), ("colour", 3))
        ]
        known = made.from_concepts(dict(zip(("legs", "colour"), hot))).argmax(1).numpy()
    assert (found[0] == own).all()
    assert (found[2] == known).all()
    assert (turned[2] == known).all()
    assert (found[3][1:] == own[1:]).all()


@pytest.mark.parametrize("backbone", ["vit-nano-p8", "mlp"])
def test_any_backbone_can_have_a_bottleneck(backbone):
    made = build(backbone, OUTPUTS, sharing="concepts", channels=1, input_size=(16, 16), seed=1).eval()
    assert made(pictures())["category"].shape == (6, 5)
    assert made.description["concepts"] == ["legs", "colour"]


def test_a_network_without_concepts_and_a_concept_that_does_not_exist_are_told():
    with pytest.raises(UnseenError, match="there are none; name further factors"):
        network(outputs={"category": 5})
    rows = np.arange(2)

    def fetch(rows, device):
        return pictures()[rows]

    with pytest.raises(UnseenError, match="has no concepts that could be set"):
        intervene(network("shared"), fetch, rows, {}, [{}], device=CPU)
    with pytest.raises(UnseenError, match="no concept 'wings'"):
        intervene(network(), fetch, rows, {"wings": rows}, [{"wings": rows > 0}], device=CPU)
