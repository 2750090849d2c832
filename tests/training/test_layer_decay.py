"""Layers learn the slower the deeper they lie, and norms do not decay, as timm has it."""

import pytest
import timm
import torch
from timm.optim import param_groups_layer_decay

from small_study import ran, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.models import Preprocessed, build
from unseen.training.learner import optimiser_for, parameter_groups, rate
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sections import TrainingSection

pytest_plugins = ("studies_fixtures",)

CPU = torch.device("cpu")
VIT = {"embed_dim": 24, "depth": 3, "num_heads": 2, "patch_size": 8, "img_size": 32}
MIXER = {"img_size": 32}  # timm fixes its width and depth
WORLD = {"name": "digits", "viewpoint": "position", "canvas": 32}
SETTINGS = TrainingSection(optimiser="adamw", lr=0.01, weight_decay=0.05, layer_decay=0.6, decays="weights")


def ours(network):
    """(scale, decay) of each parameter, by its name below the stages."""
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    found = {}
    for group in parameter_groups(network, SETTINGS):
        for parameter in group["params"]:
            name = names[id(parameter)]
            for before in ("network.", "trunk.", "network.", *(("stem.",) if "layer1" in str(names.values()) else ())):
                name = name.removeprefix(before)
            found[name] = pytest.approx((group["scale"], group["weight_decay"]))
    return found


def theirs(net, head):
    names = {id(parameter): name for name, parameter in net.named_parameters()}
    groups = param_groups_layer_decay(
        net, weight_decay=0.05, layer_decay=0.6,
        no_weight_decay_list=net.no_weight_decay() if hasattr(net, "no_weight_decay") else (),
    )  # fmt: skip
    found = {}
    for group in groups:
        for parameter in group["params"]:
            name = names[id(parameter)].replace(head, "heads.0")
            found[name] = group["lr_scale"], group["weight_decay"]
    return found


@pytest.mark.parametrize(
    ("name", "arguments", "head"),
    [("vit_tiny_patch16_224", VIT, "head"), ("mixer_s16_224", MIXER, "head"), ("resnet18", {}, "fc")],
)
def test_layers_learn_and_decay_as_timm_has_it(name, arguments, head):
    side = arguments.get("img_size", 0)
    size = {"input_size": (side, side)} if side else {}
    network = build(
        name, {"category": 5}, seed=0, stem="auto" if arguments else "standard", arguments=arguments, **size
    )
    net = timm.create_model(name, num_classes=5, **arguments)
    assert ours(Preprocessed(network)) == theirs(net, head)


def test_the_heads_of_branches_learn_at_the_full_rate_and_their_stems_slowest():
    network = Preprocessed(build("resnet18-w8", {"a": 3, "b": 4}, sharing="split-1", stem="small", seed=0))
    found = network.depths()
    assert {depth for name, depth in found.items() if "heads" in name} == {max(found.values())}
    assert found["network.trunk.stem.conv1.weight"] == 0
    assert found["network.branches.0.layer4.1.bn2.weight"] == found["network.branches.1.layer4.1.bn2.weight"]
    assert set(found) == {name for name, _ in network.named_parameters()}


def test_without_these_keys_all_weights_are_one_group_as_before():
    network = Preprocessed(build("resnet18-w8", {"a": 3}, stem="small", seed=0))
    (group,) = optimiser_for(network, TrainingSection(lr=0.1), CPU).param_groups
    assert "scale" not in group
    assert len(group["params"]) == len(list(network.parameters()))


def test_each_step_scales_the_rate_of_every_layer_and_the_schedule_holds_for_all(tmp_path):
    training = {"epochs": 2, "batch": 45, "optimiser": "adamw", "weight_decay": 0.05, "warmup": 0.5}
    changes = {"layer_decay": 0.5, "decays": "weights", "schedule": "cosine", "normalise": "half"}
    opened = open_study(
        tiny(training={**training, **changes}, grid={"design.seen_per_level": [8]}, targets=["category"]),
        out=tmp_path / "study",
    )
    check(opened)
    from unseen.studies.learners import learner_of

    learner = learner_of(opened, opened.trials[0], "float32", CPU, {})
    learner.begin_epoch(0)
    learner.step()
    wanted = rate(learner.settings, 0, 4, 2)
    assert all(group["lr"] == pytest.approx(wanted * group["scale"]) for group in learner.optimiser.param_groups)
    assert len({group["scale"] for group in learner.optimiser.param_groups}) > 5
    learner.leave()


@pytest.mark.parametrize(
    ("backbone", "arguments"),
    [("vit_tiny_patch16_224", VIT), pytest.param("mixer_s16_224", MIXER, marks=pytest.mark.slow)],
)
def test_a_vision_transformer_and_a_mixer_are_finetuned_with_a_decay_of_their_layers(backbone, arguments, tmp_path):
    own = {key: value for key, value in arguments.items() if key != "img_size"}
    whole = build(backbone, {"category": 9}, seed=3, input_size=(32, 32), arguments=own)
    torch.save(whole.state_dict(), tmp_path / "start.pt")
    opened = open_study(
        tiny(
            world=WORLD, protocol="finetune", targets=["category"], grid={"design.seen_per_level": [8]},
            network={"backbone": backbone, "arguments": own, "checkpoint": str(tmp_path / "start.pt")},
            training={"epochs": 1, "batch": 45, "normalise": "half", "layer_decay": 0.7, "decays": "weights",
                      "weight_decay": 0.05, "optimiser": "adamw", "warmup": 0.5},
        ),
        out=tmp_path / "study",
    )  # fmt: skip
    check(opened)
    assert ran(opened).finished == 1, opened.failures()


def test_what_has_no_layers_that_learn_is_refused(tmp_path):
    with pytest.raises(UnseenError, match=r"layer_decay = 0\.5 does nothing where protocol = 'probe'"):
        check(open_study(tiny(network__frozen=True, training__layer_decay=0.5), out=tmp_path / "study"))
    with pytest.raises(UnseenError, match="what learns here has none"):
        parameter_groups(torch.nn.Linear(2, 2), TrainingSection(layer_decay=0.5))
