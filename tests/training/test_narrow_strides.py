"""A convolution that oneDNN gets wrong on a CPU is gone round: nothing crashes, and gradients are right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from small_learners import TARGETS, learner, toy, trained
from torch import nn
from torch.nn import functional

from unseen.models import Preprocessed, build
from unseen.training.narrow_strides import avoid_narrow_strides, meets_fault

CHECKER = Path("/lib/x86_64-linux-gnu/libc_malloc_debug.so.0")  # glibc's: it finds writes behind a block's end
TRAINED = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from small_learners import TARGETS, toy, trained
from unseen.models import Preprocessed, build
network = build("resnet18-w8", dict.fromkeys(TARGETS, 3), stem="small", input_size=(64, 64), seed=0)
done = trained(Preprocessed(network, normalise="half"), toy(n=8, side=64), epochs=2, batch=8)
print(all(bool(value.isfinite().all()) for value in done.network.state_dict().values()))
"""


@pytest.mark.slow
def test_the_narrowest_resnet_trains_on_photos_and_writes_nowhere_else():
    checked = {"LD_PRELOAD": str(CHECKER), "MALLOC_CHECK_": "3"} if CHECKER.is_file() else {}
    done = subprocess.run(
        [sys.executable, "-c", TRAINED, str(Path(__file__).parent)],
        env={**os.environ, **checked},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize(("channels", "groups", "stride", "side"), [(8, 1, 2, 8), (3, 1, 3, 7), (24, 2, (1, 2), 6)])
def test_what_goes_round_the_fault_computes_the_same(channels, groups, stride, side):
    torch.manual_seed(0)
    plain = nn.Conv2d(channels, 16, 1, stride, groups=groups).double()
    images = torch.randn(3, channels, side, side, dtype=torch.float64)
    expected = plain(images)
    expected.square().sum().backward()
    gradient, plain.weight.grad = plain.weight.grad, None
    names = list(plain.state_dict())
    assert avoid_narrow_strides(plain) == 1
    assert avoid_narrow_strides(plain) == 0
    assert plain.stride == ((stride, stride) if isinstance(stride, int) else stride), "who reads it reads what it is"
    answer = plain(input=images)
    torch.testing.assert_close(plain.forward(images), answer)
    answer.square().sum().backward()
    torch.testing.assert_close(answer, expected)
    torch.testing.assert_close(plain.weight.grad, gradient)
    assert list(plain.state_dict()) == names


def test_convolutions_that_the_fault_cannot_meet_are_left_as_they_are():
    fine = [nn.Conv2d(16, 16, 1, 2), nn.Conv2d(8, 16, 1), nn.Conv2d(8, 16, 3, 2), nn.Conv2d(8, 16, 1, 2, padding=1)]
    assert avoid_narrow_strides(nn.Sequential(*fine)) == 0
    assert [one.stride for one in fine] == [(2, 2), (1, 1), (2, 2), (2, 2)]
    outputs = {"category": 3}
    for name, met in (("resnet18-w8", 1), ("resnet18-w16", 0)):
        network = build(name, outputs, stem="small", input_size=(32, 32), seed=0)
        assert avoid_narrow_strides(Preprocessed(network)) == met


class Calling(nn.Module):
    """A user's network that calls its convolutions itself."""

    def __init__(self, channels=8):
        super().__init__()
        self.first = nn.Conv2d(1, channels, 3, padding=1)
        self.weight = nn.Parameter(torch.randn(16, channels, 1, 1) / 8)
        self.heads = nn.ModuleDict({name: nn.Linear(16, 3) for name in TARGETS})
        self.targets = TARGETS
        self.used = []

    def forward(self, images):
        self.used.append(torch.backends.mkldnn.enabled)
        features = functional.conv2d(self.first(images.float() / 255), self.weight, stride=2).mean((2, 3))
        return {name: head(features) for name, head in self.heads.items()}


def test_a_network_that_calls_such_a_convolution_itself_trains_without_onednn():
    images, _ = toy()
    assert meets_fault(Calling(), images[:1])
    assert not meets_fault(Calling(16), images[:1])
    assert learner(Calling()).faulty
    assert not learner(Calling(16)).faulty
    network = Calling()
    trained(network, epochs=1, batch=40)
    assert network.used[:2] == [True, False]  # the look, the step
    assert torch.backends.mkldnn.enabled
