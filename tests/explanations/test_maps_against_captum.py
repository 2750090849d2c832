"""Maps equal captum's, method by method."""

import pytest
import torch
from explained import Small, pictures, tiny_vit

from unseen.explanations import Score, explain
from unseen.explanations.anatomy import Anatomy, still
from unseen.explanations.asked import settled
from unseen.explanations.cams import cam, guided_grad_cam
from unseen.explanations.covered import occlusion
from unseen.explanations.gradients import gradient, gradient_times_input, integrated_gradients
from unseen.explanations.rectified import deconvolution, guided_backprop

captum = pytest.importorskip("captum.attr")
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{words}")
    for words in ("Input Tensor 0 did not", "Setting backward hooks on ReLU", "Setting forward, backward hooks")
]
LABELS = (0, 3, 1, 2)


def ours(draws, model, images, labels=LABELS, **settings):
    anatomy = Anatomy(model)
    with still(anatomy):
        return draws(settled(anatomy, images, Score(labels), 64), images, **settings).detach()


def networks():
    return [pytest.param(Small, 16, id="cnn"), pytest.param(tiny_vit, 32, id="vit")]


def alike(a, b, tolerance=1e-6):
    scale = b.abs().max()
    assert scale > 0
    torch.testing.assert_close(a / scale, b / scale, atol=tolerance, rtol=0)


@pytest.mark.parametrize(("make", "side"), networks())
@pytest.mark.parametrize("batch", [64, 3])
def test_gradients_are_captums_in_any_batch(make, side, batch):
    model, images, labels = make(), pictures(height=side, width=side), torch.tensor(LABELS)
    alike(ours(gradient, model, images, batch=batch), captum.Saliency(model).attribute(images, labels, abs=False))
    theirs = captum.InputXGradient(model).attribute(images.requires_grad_(), labels)
    alike(ours(gradient_times_input, model, images.detach(), batch=batch), theirs.detach())


@pytest.mark.parametrize(("make", "side"), networks())
@pytest.mark.parametrize(
    "batch", [64, pytest.param(7, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.slow)]
)
def test_integrated_gradients_are_captums_and_add_up_to_the_score(make, side, batch):
    model, images, labels = make(), pictures(height=side, width=side), torch.tensor(LABELS)
    found = ours(integrated_gradients, model, images, steps=32, batch=batch)
    alike(found, captum.IntegratedGradients(model).attribute(images, target=labels, n_steps=32).float(), 1e-5)
    rise = model(images) - model(torch.zeros_like(images))
    torch.testing.assert_close(
        found.sum((1, 2, 3)), rise.gather(1, labels[:, None])[:, 0].detach(), atol=2e-2, rtol=0.05
    )


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(("draws", "theirs"), [(guided_backprop, "GuidedBackprop"), (deconvolution, "Deconvolution")])
def test_rectified_gradients_are_captums_and_do_not_mind_relus_in_place(draws, theirs, in_place):
    images = pictures()
    right = getattr(captum, theirs)(Small()).attribute(images.requires_grad_(), torch.tensor(LABELS))
    alike(ours(draws, Small(in_place=in_place), images.detach()), right.detach())


@pytest.mark.parametrize("in_place", [False, True])
def test_grad_cam_is_captums_on_a_layer_that_a_relu_changes_in_place(in_place):
    images, model = pictures(), Small()
    right = captum.LayerGradCam(model, model.conv3).attribute(images, torch.tensor(LABELS))[:, 0].detach()
    model = Small(in_place=in_place)
    alike(ours(cam, model, images, layer="conv3", signed=True, size="layer", batch=3), right)
    positive = ours(cam, model, images, layer="conv3", size="layer")
    alike(positive, right.clamp(min=0))
    assert ours(cam, model, images, layer="conv3").shape == (4, 16, 16)


def test_guided_grad_cam_is_captums():
    images, model = pictures(), Small()
    theirs = captum.GuidedGradCam(model, model.relu3)
    right = theirs.attribute(images.requires_grad_(), torch.tensor(LABELS), interpolate_mode="bilinear")
    alike(ours(guided_grad_cam, Small(), images.detach(), layer="relu3"), right.detach())


def tiny_mixer():
    from timm.models.mlp_mixer import MlpMixer

    torch.manual_seed(0)
    model = MlpMixer(num_classes=4, img_size=32, patch_size=8, num_blocks=2, embed_dim=24).eval()
    torch.nn.init.normal_(model.head.weight)  # zero as it comes
    return model


@pytest.mark.parametrize(("make", "side"), [*networks(), pytest.param(tiny_mixer, 32, id="mixer")])
@pytest.mark.parametrize(
    ("patch", "stride", "fill"), [(5, 4, None), ((4, 6), (4, 2), 0.5), (16, 16, -1.0), (7, 4, 0.0)]
)
def test_occlusion_is_captums_for_any_patch_stride_and_fill(make, side, patch, stride, fill):
    images, model = pictures(height=side, width=side), make()
    whole = (3, *(patch if isinstance(patch, tuple) else (patch, patch)))
    steps = (3, *(stride if isinstance(stride, tuple) else (stride, stride)))
    with torch.no_grad():
        right = captum.Occlusion(model).attribute(
            images, whole, steps, baselines=fill or 0.0, target=torch.tensor(LABELS)
        )
    found = ours(occlusion, model, images, patch=patch, stride=stride, fill=fill, batch=13)
    alike(found, right[:, 0], 1e-5)


def test_explain_sums_channels_and_gives_numpy():
    images, model = pictures(), Small()
    right = captum.Saliency(model).attribute(images, torch.tensor(LABELS), abs=False)
    found = explain(model, images, "gradient", Score(LABELS))
    alike(torch.from_numpy(found.maps), right.sum(1))
    largest = explain(model, images.numpy(), "gradient", Score(LABELS), channels="largest")
    alike(torch.from_numpy(largest.maps), right.abs().amax(1))
    assert largest.signed is False
    assert found.notes == ("",) * 4
