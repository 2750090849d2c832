"""The loop: the same for a seed, the same in any company, the same as the loop anyone would write in plain PyTorch."""

import contextlib
import copy

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, log_loss
from small_learners import CPU, TARGETS, Small, fetching, learner, normalised, of, same, toy, trained, weights
from torch import nn

from unseen.models import Preprocessed, build
from unseen.training import Learner, reproducible, train
from unseen.training.augment import augment
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import seed_of, stream


def plain(network, data, *, seed, epochs, batch, lr, weight_decay=0.0, optimiser=torch.optim.Adam, schedule=None):
    """The training loop of any tutorial, with the order of images that the seed gives."""
    dataset = torch.utils.data.TensorDataset(data[0], torch.from_numpy(data[1]))
    steps = len(dataset) // batch
    adam = optimiser(network.parameters(), lr=lr, weight_decay=weight_decay)
    scheduler = schedule(adam, epochs * steps) if schedule else None
    network.train()
    for epoch in range(epochs):
        order = stream(seed, "training", "order", epoch).permutation(len(dataset)).tolist()
        for images, labels in torch.utils.data.DataLoader(dataset, batch, sampler=order, drop_last=True):
            outputs = network(images)
            loss = sum(nn.functional.cross_entropy(outputs[t], labels[:, i]) for i, t in enumerate(network.targets))
            adam.zero_grad()
            loss.backward()
            adam.step()
            if scheduler:
                scheduler.step()
    return network.eval()


def close(a, b, rtol=1e-4, atol=1e-6):
    for name, tensor in a.state_dict().items():
        torch.testing.assert_close(
            tensor, b.state_dict()[name], rtol=rtol, atol=atol, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.parametrize(
    ("settings", "rival"),
    [
        ({}, {}),
        ({"weight_decay": 0.1}, {"weight_decay": 0.1}),
        ({"optimiser": "adamw", "weight_decay": 0.1}, {"optimiser": torch.optim.AdamW, "weight_decay": 0.1}),
        ({"schedule": "cosine"}, {"schedule": torch.optim.lr_scheduler.CosineAnnealingLR}),
    ],
)
def test_the_loop_is_the_plain_pytorch_loop_to_rounding(settings, rival):
    network, data = normalised(seed=3), toy(44)
    theirs = plain(copy.deepcopy(network), data, seed=5, epochs=3, batch=8, lr=0.01, **rival)
    ours = trained(network, data, seed=5, epochs=3, batch=8, lr=0.01, select="last", **settings)
    close(ours.network, theirs)


def test_a_small_resnet_in_the_loop_is_the_plain_loop_to_rounding():
    network = Preprocessed(build("resnet18-w8", dict.fromkeys(TARGETS, 3), stem="small", seed=0), normalise="mnist")
    data = toy(32)
    theirs = plain(copy.deepcopy(network), data, seed=0, epochs=2, batch=16, lr=1e-3)
    ours = trained(network, data, seed=0, epochs=2, batch=16, lr=1e-3, select="last")
    close(ours.network, theirs, rtol=1e-2, atol=1e-3)


def test_momentum_and_decay_of_sgd_are_those_of_torch():
    def sgd(parameters, lr, weight_decay):
        return torch.optim.SGD(parameters, lr=lr, momentum=0.8, weight_decay=weight_decay)

    network, data = normalised(), toy()
    theirs = plain(copy.deepcopy(network), data, seed=0, epochs=2, batch=8, lr=0.05, weight_decay=0.01, optimiser=sgd)
    settings = {"epochs": 2, "lr": 0.05, "weight_decay": 0.01, "optimiser": "sgd", "momentum": 0.8}
    close(trained(network, data, select="last", **settings).network, theirs)


def test_a_seed_gives_the_same_weights_and_curves_to_the_bit_and_another_seed_does_not():
    first, again, other = (trained(normalised(), seed=seed, augment={"shift": 1.0}) for seed in (1, 1, 2))
    assert same(first.network, again.network)
    assert first.curve == again.curve
    assert not same(first.network, other.network)
    assert first.curve != other.curve


def test_learners_side_by_side_are_each_what_it_is_alone():
    variants = [
        {"seed": 0, "epochs": 2},
        {"seed": 1, "epochs": 3, "augment": {"flip": 0.5, "brightness": 0.3}},
        {"seed": 2, "epochs": 1, "batch": 16, "lr": 0.1, "schedule": "cosine"},
    ]
    alone = [trained(normalised(seed=k), **variant) for k, variant in enumerate(variants)]
    together = train([learner(normalised(seed=k), **variant) for k, variant in enumerate(variants)])
    for a, b, variant in zip(alone, together, variants):
        assert same(a.network, b.network)
        assert a.curve == b.curve
        assert len(b.curve) == variant["epochs"]


def test_dropout_is_drawn_from_the_learners_own_stream_and_leaves_torchs_as_it_was():
    def noisy():
        return Small(between=(nn.Dropout(0.5),))

    torch.manual_seed(1)
    alone = trained(noisy(), seed=4)
    torch.manual_seed(2)
    before = torch.get_rng_state()
    _, beside = train([learner(noisy(), seed=5), learner(noisy(), seed=4)])
    assert torch.equal(before, torch.get_rng_state())
    assert same(alone.network, beside.network)
    assert not same(alone.network, trained(noisy(), seed=6).network)


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("asked", [7, 8, 23, 1024])
def test_validation_figures_are_those_of_scikit_learn_whatever_the_evaluation_batch(monkeypatch, asked, hold):
    monkeypatch.setattr("unseen.training.learner.EVALUATION_BATCH", asked)
    questions = toy(23, seed=9)
    done = trained(normalised(), asked=questions, epochs=2, lr=0.01, select="last", hold=hold)
    with torch.no_grad():
        outputs = done.network(questions[0])
    total = 0.0
    for place, target in enumerate(TARGETS):
        truth, probability = questions[1][:, place], outputs[target].softmax(1).double().numpy()
        expected = log_loss(truth, probability / probability.sum(1, keepdims=True), labels=[0, 1, 2])
        total += expected
        assert done.curve[-1][f"validation loss {target}"] == pytest.approx(expected, rel=1e-5)
        assert done.curve[-1][f"validation accuracy {target}"] == accuracy_score(truth, probability.argmax(1))
    assert done.curve[-1]["validation loss total"] == pytest.approx(total, rel=1e-5)


def test_training_figures_are_the_means_over_the_epochs_images_as_they_were_trained_on():
    network, data = Small(), toy(40)
    rival = copy.deepcopy(network)
    done = trained(network, data, epochs=1, batch=20, lr=1e-9, seed=3)  # weights hardly move: one forward pass tells
    outputs = rival(data[0])
    for place, target in enumerate(TARGETS):
        truth = torch.from_numpy(data[1][:, place])
        expected = nn.functional.cross_entropy(outputs[target], truth).item()
        assert done.curve[0][f"train loss {target}"] == pytest.approx(expected, rel=1e-4)
        right = (outputs[target].argmax(1) == truth).double().mean().item()
        assert done.curve[0][f"train accuracy {target}"] == pytest.approx(right)


def test_a_batch_larger_than_the_set_becomes_the_set_and_a_rest_waits_for_the_next_epoch():
    whole = learner(data=toy(12), batch=256)
    assert (whole.batch, whole.steps_per_epoch) == (12, 1)
    some = learner(data=toy(23), batch=8, epochs=2)
    assert (some.batch, some.steps_per_epoch, len(some.order)) == (8, 2, 16)
    for epoch in range(2):
        some.begin_epoch(epoch)
        assert some.order.unique().numel() == 16
    first, second = (set(stream(0, "training", "order", e).permutation(23)[16:].tolist()) for e in range(2))
    assert first != second  # not the same images are left out each time
    assert len(train([whole])[0].curve) == 3


def test_every_image_is_visited_once_an_epoch_in_an_order_of_its_own():
    seen = []
    images, labels = toy(24)

    def fetch(rows, device):
        seen.extend(rows.tolist() if len(rows) == 8 else [])
        return images[torch.from_numpy(rows)].to(device)

    data = of(images, labels, hold=False, fetch=fetch)
    settings = TrainingSection(epochs=2, batch=8)
    asked = of(*toy(5))
    train([Learner(normalised(), TARGETS, data, asked, settings, seed=0, device=CPU, precision="float32")])
    first, second = seen[:24], seen[24:]
    assert sorted(first) == sorted(second) == list(range(24))
    assert first != second


@pytest.mark.parametrize("hold", [True, False])
def test_the_network_sees_each_image_as_its_own_place_and_visit_augment_it(hold):
    plan = {"shift": 2.0, "flip": 0.5}
    data = toy(20)
    one = learner(normalised(), data, batch=8, augment=plan, seed=3, hold=hold)
    seen = []
    one.network.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0].clone()))
    for epoch in range(2):
        one.begin_epoch(epoch)
        order = torch.from_numpy(stream(3, "training", "order", epoch).permutation(20))
        for step in range(2):
            one.step()
            places, visit = order[8 * step : 8 * step + 8], torch.tensor(2 * epoch + step)
            expected = augment(data[0][places], plan, places, visit, seed_of(3, "training", "augment"))
            assert torch.equal(seen[-1], expected)
    one.leave()


def test_a_target_of_weight_nought_does_not_move_the_shared_trunk():
    both = Small(seed=1)
    alone = Small(targets=("category",), seed=1)
    alone.load_state_dict({name: t for name, t in both.state_dict().items() if not name.startswith("heads.1")})
    images, labels = toy()
    asked = toy(23, seed=1)
    start = weights(both)
    settings = {"lr": 0.01, "select": "last"}
    deaf = trained(both, (images, labels), loss_weights={"position": 0.0}, **settings)
    single = trained(alone, (images, labels[:, :1]), (asked[0], asked[1][:, :1]), **settings)
    for name, tensor in single.network.state_dict().items():
        torch.testing.assert_close(tensor, deaf.network.state_dict()[name], rtol=1e-5, atol=1e-7)
    assert torch.equal(deaf.network.state_dict()["heads.1.weight"], start["heads.1.weight"])
    figures = deaf.curve[-1]
    assert figures["validation loss total"] == pytest.approx(figures["validation loss category"])
    assert figures["validation loss position"] > 0


def test_loss_weights_scale_the_gradient_of_their_target():
    gradients = []
    for weight in (1.0, 3.0):
        one = learner(Small(), loss_weights={"category": weight, "position": 0.0})
        one.begin_epoch(0)
        one.step()
        gradients.append(one.network.trunk[0].weight.grad.clone())
    torch.testing.assert_close(gradients[1], 3 * gradients[0])


def test_unknown_augmentations_and_targets_are_refused_with_what_is_possible():
    with pytest.raises(UnseenError, match=r"no augmentation 'shfit'.*Did you mean 'shift'"):
        learner(augment={"shfit": 1.0})
    with pytest.raises(UnseenError, match=r"no target 'positon'.*Did you mean 'position'"):
        learner(loss_weights={"positon": 1.0})


def test_nothing_to_train_on_or_to_ask_is_said_so():
    empty = (torch.zeros(0, 1, 8, 8, dtype=torch.uint8), np.zeros((0, 2), dtype=int))
    with pytest.raises(UnseenError, match="no rows for training"):
        learner(data=empty)
    with pytest.raises(UnseenError, match="no rows for validation"):
        learner(asked=empty)
    assert train([]) == []


def test_threads_are_those_of_the_recipe_while_training_and_the_callers_afterwards():
    before = torch.get_num_threads()
    during = []
    train([learner(threads=2, epochs=1)], lambda place, figures: during.append(torch.get_num_threads()))
    assert during == [2]
    assert torch.get_num_threads() == before


def test_reproducible_gives_the_callers_settings_back_even_after_an_error():
    cudnn = torch.backends.cudnn
    before = (torch.get_num_threads(), cudnn.deterministic, cudnn.benchmark)
    try:
        cudnn.deterministic, cudnn.benchmark = False, True
        inside = None
        with contextlib.suppress(ZeroDivisionError), reproducible(2):
            inside = (torch.get_num_threads(), cudnn.deterministic, cudnn.benchmark)
            raise ZeroDivisionError
        assert inside == (2, True, False)
        assert (torch.get_num_threads(), cudnn.deterministic, cudnn.benchmark) == (before[0], False, True)
    finally:
        cudnn.deterministic, cudnn.benchmark = before[1:]


def test_a_watcher_hears_of_every_epoch_of_every_learner():
    heard = []
    train([learner(epochs=1), learner(epochs=2)], lambda place, figures: heard.append((place, figures["epoch"])))
    assert heard == [(0, 0), (1, 0), (1, 1)]


def test_patience_stops_a_learner_once_its_best_epoch_is_that_old_and_keeps_it_while_others_go_on():
    settings = {"epochs": 40, "lr": 0.1}
    whole = trained(**settings)
    done, beside = train([learner(**settings, patience=3), learner(**settings)])
    assert len(done.curve) - 1 - done.best_epoch == 3 < 40 - len(done.curve)
    assert done.curve == whole.curve[: len(done.curve)]
    losses = [figures["validation loss total"] for figures in done.curve]
    assert done.best_epoch == int(np.argmin(losses))
    assert same(done.network, trained(epochs=done.best_epoch + 1, lr=0.1).network)
    assert "unconverged" not in done.flags
    assert beside.curve == whole.curve


def test_patience_without_a_best_epoch_to_wait_for_is_refused():
    tables = {"title": "t", "world": {"name": "digits"}, "design": {"name": "d"}}
    with pytest.raises(UnseenError, match=r'\[training\] patience = 3 .* leave patience out or set select = "best"'):
        recipe_from({**tables, "training": {"patience": 3, "select": "last"}})


def test_a_trained_network_is_in_evaluation_mode_and_keeps_no_gradients():
    done = trained(epochs=1)
    assert not any(module.training for module in done.network.modules())
    assert all(p.grad is None for p in done.network.parameters())
    assert done.seconds > 0


def test_bf16_on_the_cpu_runs_and_keeps_weights_in_float32():
    done = trained(normalised(), precision="bf16", lr=0.01)
    full = trained(normalised(), precision="float32", lr=0.01)
    assert all(t.dtype == torch.float32 for name, t in done.network.named_parameters())
    assert done.curve[-1]["validation loss total"] == pytest.approx(full.curve[-1]["validation loss total"], rel=0.05)
    assert done.curve != full.curve
    assert same(done.network, trained(normalised(), precision="bf16", lr=0.01).network)


def test_frozen_parameters_stay_as_they_are():
    network = Small()
    network.trunk[0].weight.requires_grad_(False)
    start = weights(network)
    done = trained(network, lr=0.1, select="last")
    assert torch.equal(done.network.state_dict()["trunk.0.weight"], start["trunk.0.weight"])
    assert not torch.equal(done.network.state_dict()["trunk.0.bias"], start["trunk.0.bias"])


def test_learning_happens():
    done = trained(normalised(), toy(200), toy(100, seed=1), epochs=30, lr=0.01)
    assert done.curve[-1]["validation accuracy category"] > 0.95


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.compile imports what torch itself deprecates
def test_a_compiled_learner_is_the_eager_one_to_rounding():
    eager, compiled = (trained(normalised(), lr=0.01, select="last", compile=c) for c in (False, True))
    close(compiled.network, eager.network, rtol=1e-3, atol=1e-5)


def test_pictures_fetched_for_a_device_are_asked_for_that_device():
    asked = []
    images, labels = toy(4)

    def fetch(rows, device):
        asked.append(device)
        return fetching(images)(rows, device)

    of(images, labels, fetch=fetch)
    assert set(asked) == {"cpu"}
