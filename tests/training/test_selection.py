"""Which weights are kept, and what a reader is told: diverged, untrained, unconverged."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
import torch
from small_learners import CPU, TARGETS, Small, fetching, learner, normalised, of, same, toy, trained, weights
from torch import nn

from unseen.models import Preprocessed, build
from unseen.training import Learner, labelled_data, train
from unseen.training.loop import _trained, drops_out, flags_of, guessing
from unseen.vocabulary.sections import TrainingSection


def contradicted(n=40):
    """Validation asks the opposite of what is trained: each epoch is worse than the last."""
    images, labels = toy(n)
    return (images, labels), (images, (labels + 1) % 3)


def loss_of(network, data):
    with torch.no_grad():
        outputs = network(data[0])
    truth = torch.from_numpy(data[1])
    return sum(torch.nn.functional.cross_entropy(outputs[t], truth[:, i]).item() for i, t in enumerate(TARGETS))


def test_the_weights_of_the_lowest_validation_loss_are_kept_though_training_went_on():
    data, asked = contradicted()
    done = trained(normalised(), data, asked, epochs=8, lr=0.02)
    losses = [figures["validation loss total"] for figures in done.curve]
    assert done.best_epoch == int(np.argmin(losses)) < 7
    assert losses[-1] > 1.5 * min(losses)
    assert loss_of(done.network, asked) == pytest.approx(min(losses), rel=1e-5)


def test_select_last_keeps_the_last():
    data, asked = contradicted()
    done = trained(normalised(), data, asked, epochs=8, lr=0.02, select="last")
    assert done.best_epoch == 7
    assert loss_of(done.network, asked) == pytest.approx(done.curve[-1]["validation loss total"], rel=1e-5)


def test_stopping_at_the_best_epoch_gives_the_same_weights_as_going_on():
    data, asked = contradicted()
    on = trained(normalised(), data, asked, epochs=8, lr=0.02)
    stopped = trained(normalised(), data, asked, epochs=on.best_epoch + 1, lr=0.02)
    assert same(on.network, stopped.network)


def test_a_learner_that_never_had_a_finite_loss_is_flagged_and_keeps_its_first_weights():
    network = normalised()
    start = weights(network)
    images, labels = toy()
    done = trained(network, (images.float() * math.nan, labels))
    assert done.flags == {"diverged": "loss was no number in epoch 1; it keeps its first weights"}
    assert done.best_epoch == -1
    assert len(done.curve) == 1  # it stops there
    assert same(done.network, start)


def test_a_loss_that_is_finite_but_far_above_a_guess_is_flagged_as_diverged():
    one = learner(loss_weights={"category": 2.0, "position": 0.0})
    assert guessing(one) == pytest.approx(2 * math.log(3))
    one.best_epoch = 0
    for loss, flags in ((9.9, set()), (10.1, {"diverged"})):
        one.curve = [{"train loss total": loss * 2 * math.log(3), "validation loss total": 1.0}]
        assert set(flags_of(one)) == flags


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_a_rate_of_a_million_diverges_is_flagged_and_leaves_finite_weights(optimiser):
    done = trained(Small(), lr=1e6, optimiser=optimiser, epochs=5)
    assert "diverged" in done.flags
    assert "it keeps" in done.flags["diverged"]
    assert all(torch.isfinite(t).all() for t in done.network.state_dict().values())


def breaks_in_epoch(epoch, seed=0):
    """A learner whose pictures stop being numbers in the middle of training."""
    images, labels = toy()
    calls = 0

    def fetch(rows, device):
        nonlocal calls
        calls += len(rows) == 8
        return fetching(images.float() * (math.nan if calls > 5 * epoch else 1))(rows, device)

    data = labelled_data(np.arange(40), labels, fetch, CPU, hold=False)
    settings = TrainingSection(epochs=5, batch=8, lr=0.01)
    return Learner(
        normalised(), TARGETS, data, of(*toy(23, seed=1)), settings, seed=seed, device=CPU, precision="float32"
    )


def test_a_learner_that_diverges_later_keeps_its_best_weights_and_its_pack_mates_go_on():
    good = [trained(normalised(seed=k), seed=k, epochs=5) for k in (1, 2)]
    first, broken, second = train(
        [
            learner(normalised(seed=1), seed=1, epochs=5),
            breaks_in_epoch(3),
            learner(normalised(seed=2), seed=2, epochs=5),
        ]
    )
    assert broken.flags["diverged"].startswith("loss was no number in epoch 4; it keeps weights of epoch ")
    assert len(broken.curve) == 4
    assert not math.isfinite(broken.curve[-1]["train loss total"])
    assert same(broken.network, trained(normalised(), epochs=3, lr=0.01).network)
    for alone, beside in zip(good, (first, second)):
        assert same(alone.network, beside.network)
        assert alone.curve == beside.curve
        assert len(beside.curve) == 5


def test_a_loss_that_was_still_falling_at_the_end_is_flagged_as_unconverged():
    data = toy(80)
    short = trained(normalised(), data, data, epochs=2, lr=0.02)
    assert set(short.flags) == {"unconverged"}
    assert "in the last epoch" in short.flags["unconverged"]


def test_a_target_of_which_nothing_is_learned_is_named_and_one_that_was_not_to_be_learned_is_not():
    images, labels = toy(90)
    labels[:, 1] = np.random.default_rng(5).permutation(labels[:, 1])
    blank = torch.full_like(images, 100)
    stuck = trained(normalised(), (blank, labels), (blank, labels), epochs=4, lr=0.01)
    blind = scipy.stats.entropy(np.bincount(labels[:, 0]))
    assert stuck.flags["untrained"].startswith("loss of category never fell below 1.")
    assert f"the best constant answer has {blind:.3g}; " in stuck.flags["untrained"]
    assert "loss of position" in stuck.flags["untrained"]
    asked = trained(normalised(), (blank, labels), (blank, labels), epochs=4, loss_weights={"category": 0.0})
    assert "category" not in asked.flags["untrained"]
    assert "untrained" not in trained(normalised(), toy(90), epochs=4, lr=0.02).flags


def test_the_published_start_of_alexnet_stays_at_chance_where_that_by_he_learns():
    data = toy(90, 16)
    arguments = {"widths": [16, 16, 16, 16, 16], "hidden": 32}
    done = {}
    for start in ("krizhevsky", "he"):
        network = build("alexnet-no-early-pools", dict.fromkeys(TARGETS, 3), channels=1, input_size=(16, 16), seed=0,
                        arguments=arguments | {"start": start})  # fmt: skip
        whole = Preprocessed(network, normalise="per-image", channels=1)
        done[start] = trained(whole, data, data, optimiser="sgd", lr=0.01, epochs=10)
    assert "loss of category never fell below" in done["krizhevsky"].flags["untrained"]
    assert "category" not in done["he"].flags.get("untrained", "")
    assert done["he"].curve[-1]["validation accuracy category"] > 0.8


def test_numbers_of_which_only_the_mean_was_learned_are_untrained():
    one = learner()
    one.tolerances, one.train = torch.tensor([0.1, 0.1]), replace(one.train, labels=torch.rand(40, 2))
    spread = one.train.labels.var(0, correction=0).tolist()
    for share, flags in ((1.0, {"untrained"}), (0.9, set())):
        losses = {f"train loss {target}": share * loss for target, loss in zip(TARGETS, spread)}
        one.curve = [{"train loss total": 0.1, "validation loss total": 0.1, **losses}]
        assert set(flags_of(one)) == flags


def test_flags_look_at_the_last_tenth_of_training():
    def flagged(losses, select="best"):
        one = learner(epochs=len(losses), select=select)
        one.curve = [{"train loss total": 0.0, "validation loss total": loss} for loss in losses]
        one.best_epoch = int(np.argmin(losses))
        return set(flags_of(one))

    assert flagged([2.0, 1.0]) == {"unconverged"}
    assert flagged([1.0, 0.96]) == set()  # less than 5 %
    assert flagged([2.0, 0.9, 1.0]) == set()  # the best was not the last
    assert flagged([1.0]) == set()  # one epoch tells nothing
    assert flagged([1.0] * 28 + [0.97, 0.93]) == {"unconverged"}  # 7 % over the last three of thirty
    assert flagged([2.0, 1.0], select="last") == set()


@pytest.mark.parametrize(
    ("layer", "draws"),
    [
        (nn.Dropout(0.5), True),
        (nn.Dropout2d(0.1), True),
        (nn.Dropout(0.0), False),
        (nn.MultiheadAttention(4, 2, dropout=0.1), True),
        (nn.MultiheadAttention(4, 2), False),
        (nn.ReLU(), False),
    ],
)
def test_a_network_that_draws_while_it_learns_is_known(layer, draws):
    assert drops_out(Small(between=(nn.Sequential(layer),))) is draws


@pytest.mark.parametrize(
    ("name", "asked"),
    [("vit_tiny_patch16_224", "drop_path_rate"), ("densenet121", "drop_rate"), ("resnet18", "drop_rate")],
)
def test_so_is_one_of_timm_with_stochastic_depth_or_dropout_of_its_own(name, asked):
    import timm

    assert drops_out(timm.create_model(name, **{asked: 0.2}))
    assert not drops_out(timm.create_model(name))


def test_dropout_is_flagged_where_its_draws_are_not_seeded():
    one = learner(Small(between=(nn.Dropout(0.5),)), epochs=1)
    one.begin_epoch(0)
    one.ask()
    one.end_epoch(0)
    assert "unseeded" not in _trained(one, 0.0).flags
    one.device = torch.device("cuda")
    assert _trained(one, 0.0).flags["unseeded"] == "its dropout draws are not reproducible on CUDA"
