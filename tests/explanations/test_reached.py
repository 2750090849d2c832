"""What a patch reaches is computed and nothing else, and answers are those of whole pictures."""

import numpy as np
import pytest
import torch
from explained import Small, pictures, tiny_vit
from torch import nn
from torch.nn import functional as F

from unseen.explanations import Difference, Score, Unit, explain
from unseen.explanations.anatomy import Anatomy
from unseen.explanations.asked import settled
from unseen.explanations.boxes import Boxes
from unseen.explanations.class_token import answering_alone
from unseen.explanations.reached import Convolution, Known, Maps, Reached, can_resume
from unseen.models import Preprocessed, build


class Everything(nn.Module):
    """Steps of every sort: in place, dilated, grouped, strided with small kernels, joined, pooled, gated."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Conv2d(3, 8, 5, stride=2, padding=1)
        self.dilated = nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=4)
        self.skipping = nn.Conv2d(8, 8, 1, stride=2)
        self.tall = nn.Conv2d(8, 8, (3, 1), padding=(1, 0))
        self.even = nn.Conv2d(16, 8, 2, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(8).eval()
        self.norm.running_mean.normal_()
        self.fc = nn.Linear(8, 4)

    def forward(self, images):
        found = F.relu(self.first((images - 0.5) / torch.full((1, 3, 1, 1), 0.3)))
        other = found + self.dilated(found)
        found = F.max_pool2d(other, 3, 2, 1)
        down = self.skipping(other)
        found += self.norm(down)
        found.relu_()
        found = torch.cat([F.avg_pool2d(found, 2, 1, 1)[:, :, :-1, :-1], self.tall(found)], 1)
        found = F.silu(self.even(found), inplace=True)
        found = found * torch.sigmoid(found.mean((2, 3), keepdim=True))
        return self.fc(found.mean((2, 3)))


class Whole(nn.Module):
    """The same network where nothing can be resumed."""

    def __init__(self, model):
        super().__init__()
        self.model = self._orig_mod = model

    def forward(self, images):
        return self.model(images)


def sides(model):
    return build(model, {"category": 4}, input_size=(40, 40), seed=0).eval()


NETWORKS = {
    "small": Small,
    "in place": lambda: Small(in_place=True),
    "everything": Everything,
    "vit": tiny_vit,
    "resnet": lambda: Preprocessed(sides("resnet18-w8")).eval(),
    "bagnet": lambda: build("bagnet-17", {"category": 4}, input_size=(40, 40), seed=0, arguments={"width": 2}).eval(),
}


@pytest.mark.parametrize(
    ("name", "patch", "stride", "batch"),
    [
        *((name, 9, 6, 40) for name in NETWORKS),
        *(
            pytest.param(name, (7, 5), (7, 5), 256, marks=pytest.mark.slow if name in ("resnet", "bagnet") else ())
            for name in NETWORKS
        ),
    ],
)
def test_occlusion_is_that_of_whole_pictures(name, patch, stride, batch):
    model = NETWORKS[name]().double()
    side = 32 if name == "vit" else 40
    images = pictures(2, 3, side, side).double()
    settings = {"patch": patch, "stride": stride, "batch": batch, "fill": 0.25}
    seen = explain(model, images, "occlusion", 1, **settings)
    told = explain(Whole(model), images, "occlusion", 1, **settings)
    np.testing.assert_allclose(seen.maps, told.maps, atol=1e-5 * abs(told.maps).max())
    assert abs(told.maps).max() > 0


@pytest.mark.parametrize("asked", [Score((0, 2)), Difference(0, 1), Unit("conv3", 3)])
def test_classes_differences_and_units_are_asked_of_boxes_too(asked):
    images, model = pictures(2, 3, 40, 24).double(), Small().double()
    other = -pictures(2, 3, 40, 24, seed=1).double()
    found = explain(model, images, "occlusion", asked, patch=8, fill=other)
    with torch.no_grad():
        whole = images.clone()
        whole[:, :, :8, :8] = other[:, :, :8, :8]
        kept = {}
        model.conv3.register_forward_hook(lambda _m, _i, out: kept.update(out=out))

        def answer(given):
            scores = model(given)
            if isinstance(asked, Unit):
                return kept["out"][:, 3].mean((1, 2))
            return scores[:, 0] - scores[:, 1] if isinstance(asked, Difference) else scores[[0, 1], [0, 2]]

        fall = answer(images) - answer(whole)
    # the corner is covered by the first patch alone
    np.testing.assert_allclose(found.maps[:, 0, 0], fall, atol=1e-5 * abs(found.maps).max())


def test_less_is_convolved_than_of_whole_pictures():
    model, counted = sides("resnet18-w8"), []
    x, corner = pictures(1, 3, 40, 40), np.array([0, 12, 32])
    boxes = Boxes(corner, corner[::-1].copy(), 8, 8, torch.device("cpu"))
    which = torch.zeros(3, dtype=torch.long)
    known = Known()
    given = Reached(Maps(known, which, x, torch.zeros(3, 3, 8, 8), boxes))
    assert given.shape == (3, 3, 40, 40)
    plain = Convolution.__call__

    def counting(self, maps, border):
        counted.append(maps.numel())
        return plain(self, maps, border)

    with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Convolution, "__call__", counting)
        found = model(given)["category"]
        first = sum(counted)
        model(Reached(Maps(known, which, x, torch.zeros(3, 3, 8, 8), boxes)))
        held = sum(counted)
        assert held < 2 * first  # what the image itself gives is known by then
        whole = given.whole()
        assert int((whole != x).any(1).sum()) == 3 * 64
        right = model(whole)["category"]
    torch.testing.assert_close(found, right, atol=1e-6, rtol=1e-5)
    sizes = []
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            module.register_forward_hook(lambda _m, given, _o: sizes.append(given[0].numel()))
    with torch.no_grad():
        model(whole)
    assert first < sum(sizes)
    assert held - first < 0.7 * sum(sizes)


@pytest.mark.filterwarnings("ignore:`torch.jit")
def test_what_is_scripted_is_answered_by_whole_pictures():
    images, model = pictures().double(), Small().double()
    scripted = torch.jit.trace(model, images)
    assert (can_resume(scripted), can_resume(Whole(model)), can_resume(len)) == (False, False, False)
    assert can_resume(model)
    found = explain(scripted, images, "occlusion", 1, patch=8)
    np.testing.assert_allclose(found.maps, explain(model, images, "occlusion", 1, patch=8).maps, atol=1e-9)


@pytest.mark.parametrize(
    ("settings", "short"),
    [
        ({}, True),
        ({"reg_tokens": 2, "qk_norm": True, "init_values": 0.1}, True),
        ({"num_heads": 2, "qkv_bias": False, "scale_attn_norm": True}, True),
        ({"global_pool": "avg"}, False),
        ({"class_token": False, "global_pool": "avg"}, False),
    ],
)
def test_a_last_block_gives_the_class_token_alone_where_nothing_else_is_read(settings, short):
    model, images = tiny_vit(**settings).double(), pictures(2, 3, 32, 32).double()
    question = settled(Anatomy(model), images, Score(1), 8)
    which = torch.arange(2)
    with torch.no_grad():
        whole = question(images, which)
        with answering_alone(question, images) as shortened:
            assert shortened is short
            torch.testing.assert_close(question(images, which), whole, atol=1e-12, rtol=1e-12)
            tokens = model.blocks[-1](torch.randn(1, model.pos_embed.shape[1], 24).double())
        assert (tokens.shape[1] == 1) is short
        assert "forward" not in vars(model.blocks[-1])


def test_a_last_block_stays_whole_for_who_listens_or_reads_all_tokens():
    class Mean(nn.Module):
        """Of all tokens, though the network inside would have read one."""

        def __init__(self):
            super().__init__()
            self.inside = tiny_vit()

        def forward(self, images):
            return self.inside.head(self.inside.forward_features(images).mean(1))

    images, which = pictures(2, 3, 32, 32), torch.arange(2)
    for model, heard in ((Mean(), False), (tiny_vit(), True)):
        seen = []
        if heard:
            model.blocks[-1].attn.proj.register_forward_hook(lambda _m, _i, out, seen=seen: seen.append(out.shape[1]))
        with torch.no_grad():
            question = settled(Anatomy(model), images, Score(1), 8)
            with answering_alone(question, images) as shortened:
                question(images, which)
        assert not shortened
        assert set(seen) <= {17}


def test_pixels_that_a_network_changes_itself_are_seen():
    class Blind(Small):
        def forward(self, images):
            images = self.conv1(images)
            images[:, :, :4] = 0
            images = images.sub_(1)
            return super().forward(images[:, :3])

    model, images = Blind().double(), pictures(1, 3, 16, 16).double()
    found, told = (explain(one, images, "occlusion", 1, patch=4, stride=4, fill=1.0) for one in (model, Whole(model)))
    assert abs(told.maps).max() > 0
    np.testing.assert_allclose(found.maps, told.maps, atol=1e-9)


@pytest.mark.slow  # python -m pytest -m slow tests/explanations/test_reached.py
@pytest.mark.parametrize("name", ["densenet121", "regnetx_002", "res2net50_14w_8s", "hrnet_w18_small", "xception41"])
def test_networks_of_many_makes_are_answered_as_whole(name):
    import timm

    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=4).double().eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d) and module.running_mean is not None and module.running_var is not None:
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    images, settings = pictures(1, 3, 96, 96).double(), {"patch": (19, 24), "stride": (16, 19), "batch": 40}
    found, told = (explain(one, images, "occlusion", 1, **settings) for one in (model, Whole(model)))
    assert abs(told.maps).max() > 0
    np.testing.assert_allclose(found.maps, told.maps, atol=1e-6 * abs(told.maps).max())
