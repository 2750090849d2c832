"""Probes fitted together are those that scikit-learn fits one by one."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from unseen.training.probes import fit_probes, fit_validated_probes
from unseen.vocabulary.errors import UnseenError


def clouds(n=400, features=30, classes=5, noise=2.0, seed=0):
    """Rows around a middle per class, with axes of very different lengths, as features have."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    x = rng.normal(size=(classes, features))[labels] + noise * rng.normal(size=(n, features))
    x = x * np.arange(1, features + 1) ** -0.7 + 3.0
    return torch.from_numpy(x), torch.from_numpy(labels)


def masks(n, problems, share=0.7, seed=1):
    return torch.from_numpy(np.random.default_rng(seed).random((problems, n)) < share)


def theirs(x, y, weights, l2):
    """In float64 and by Newton's method: its L-BFGS stops before such features are fitted, or takes long."""
    used = weights > 0
    fitted = LogisticRegression(C=1 / (l2 * float(weights.sum())), solver="newton-cholesky", tol=1e-8)
    return fitted.fit(x[used].numpy(), y[used].numpy(), sample_weight=weights[used].numpy())


@pytest.mark.parametrize("share", [0.8, 0.1], ids=["problems that share their rows", "problems of rows apart"])
def test_probes_are_scikit_learns(share):
    x, y = clouds()
    weights, l2 = masks(len(x), 3, share).double(), [1e-3, 1.0]
    ours = fit_probes(x, y, weights, l2, tolerance=1e-7)
    assert ours.converged.all()
    for problem in range(3):
        scores = ours.scores(x, problem)
        for place, one in enumerate(l2):
            other = theirs(x, y, weights[problem], one).decision_function(x.numpy())
            mine = scores[place] - scores[place].mean(1, keepdim=True)
            np.testing.assert_allclose(mine.numpy(), other - other.mean(1, keepdims=True), atol=2e-3)


@pytest.mark.parametrize("shape", [{}, {"trained": 80, "features": 120}], ids=["many rows", "more features"])
def test_in_single_precision_accuracies_are_within_half_a_percent_of_scikit_learns(shape):
    shape = {"n": 3000, "trained": 300, **shape}
    trained = shape.pop("trained")
    every, names = clouds(**shape)
    x, y, asked, labels = every[:trained], names[:trained], every[trained:], names[trained:]
    weights = masks(trained, 2).float()
    ours = fit_probes(x.float(), y, weights, [1e-5, 1e-3, 1e-1])
    for problem in range(2):
        named = (ours.scores(asked.float(), problem).argmax(-1) == labels).double().mean(1)
        for place, l2 in enumerate(ours.l2[problem].tolist()):
            other = theirs(x, y, weights[problem], l2).score(asked.numpy(), labels.numpy())
            assert abs(float(named[place]) - other) <= 0.005, (problem, l2)


def test_with_a_weak_penalty_scikit_learn_stops_early_and_solved_further_says_what_ours_does():
    """Why accuracies of the two may differ by an image or two: its default tolerance, not another problem."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    axes, classes = np.arange(1, 65) ** -0.6, 8
    names = np.arange(classes).repeat(40)
    middles, own = rng.normal(size=(classes, 64)), rng.normal(size=(classes, 20, 64)).repeat(2, 1).reshape(-1, 64)
    x = ((middles[names] + 1.2 * own + 1.5 * rng.normal(size=own.shape)) * axes).astype(np.float32)
    x /= np.sqrt(np.square(x).sum(1).mean())
    learnt = np.arange(len(x)) % 40 < 28
    ours = fit_probes(torch.from_numpy(x), torch.from_numpy(names), torch.from_numpy(learnt[None]).float(), [1e-6])
    mine = ours.scores(torch.from_numpy(x[~learnt]), 0)[0].double().numpy()
    mine -= mine.mean(1, keepdims=True)

    def other(tolerance):
        made = LogisticRegression(C=1 / (1e-6 * learnt.sum()), max_iter=5000, tol=tolerance)
        scores = made.fit(x[learnt].astype(float), names[learnt]).decision_function(x[~learnt])
        return scores - scores.mean(1, keepdims=True)

    assert np.abs(other(1e-4) - mine).max() > 1
    assert np.abs(other(1e-9) - mine).max() < 0.3
    right = names[~learnt]
    assert (mine.argmax(1) == right).mean() == (other(1e-9).argmax(1) == right).mean()


def test_a_problem_is_fitted_alike_alone_with_others_and_in_small_parts():
    x, y = clouds()
    weights = masks(len(x), 5).double()
    whole = fit_probes(x, y, weights, [1e-3, 1e-1], tolerance=1e-7)
    parts = fit_probes(x, y, weights, [1e-3, 1e-1], tolerance=1e-7, memory=1.0)
    alone = fit_probes(x, y, weights[3:4], [1e-3, 1e-1], tolerance=1e-7)
    torch.testing.assert_close(whole.weight, parts.weight, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(whole.weight[3:4], alone.weight, atol=1e-3, rtol=1e-3)


def test_a_row_that_weighs_two_is_a_row_twice():
    x, y = clouds(n=200)
    twice = torch.ones(1, 200).double()
    twice[0, :50] = 2
    weighed = fit_probes(x, y, twice, [1e-2], tolerance=1e-8)
    doubled = fit_probes(
        torch.cat([x, x[:50]]), torch.cat([y, y[:50]]), torch.ones(1, 250).double(), [1e-2], tolerance=1e-8
    )
    torch.testing.assert_close(weighed.weight, doubled.weight, atol=1e-5, rtol=1e-4)


def test_a_class_without_a_training_row_is_never_answered():
    x, y = clouds()
    weights = torch.stack([y != 2, torch.ones_like(y).bool()])
    fitted = fit_probes(x, y, weights, [1e-3])
    assert not (fitted.scores(x, 0).argmax(-1) == 2).any()
    assert (fitted.scores(x, 1).argmax(-1) == 2).any()


def test_each_problem_may_have_penalties_of_its_own():
    x, y = clouds(n=300)
    weights = masks(300, 2).double()
    own = fit_probes(x, y, weights, torch.tensor([[1e-3], [1.0]]).double(), tolerance=1e-7)
    both = fit_probes(x, y, weights, [1e-3, 1.0], tolerance=1e-7)
    torch.testing.assert_close(own.weight[:, 0], both.weight[[0, 1], [0, 1]], atol=1e-4, rtol=1e-3)


def test_the_penalty_is_the_one_that_knows_the_validation_rows_best_and_both_sets_are_then_learned():
    x, y = clouds(n=300, features=100, noise=4.0)
    fold = torch.arange(300) % 5
    validation = torch.stack([fold == (one + 1) % 5 for one in range(5)]).double()
    train = torch.stack([fold != one for one in range(5)]).double() - validation
    grid = [1e-6, 1e-3, 1e-1, 10.0]
    fitted = fit_validated_probes(x, y, train, validation, grid)
    tried = fit_probes(x, y, train, grid)
    for problem in range(5):
        rows = validation[problem] > 0
        right = (tried.scores(x[rows], problem).argmax(-1) == y[rows]).sum(1)
        assert right[grid.index(float(fitted.l2[problem, 0]))] == right.max()
    again = fit_probes(x, y, train + validation, fitted.l2)
    torch.testing.assert_close(fitted.weight, again.weight)


def test_validation_rows_of_a_class_that_was_never_learned_choose_no_penalty():
    x, y = clouds(n=300, features=100, noise=4.0)
    known = torch.arange(300) % 5 != 0
    train, validation = (known & (y != 4))[None].double(), (~known & (y != 4))[None].double()
    grid = [1e-6, 1e-3, 1e-1, 10.0]
    wanted = fit_validated_probes(x, y, train, validation, grid, refit=False)
    strange = fit_validated_probes(x, y, train, (~known)[None].double(), grid, refit=False)
    assert strange.l2 == wanted.l2 != grid[0]


def test_features_without_any_difference_give_the_most_frequent_class():
    fitted = fit_probes(torch.ones(10, 3), torch.tensor([0] * 3 + [1] * 7), torch.ones(1, 10), [1e-2])
    assert fitted.scores(torch.ones(1, 3), 0).argmax().item() == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": torch.full((4, 2), torch.nan)}, "NaN or infinity"),
        ({"labels": torch.tensor([0, 1, 2, 9]), "classes": 3}, "from 0 to 2"),
        ({"weights": torch.zeros(1, 4)}, "every problem needs a row"),
        ({"weights": -torch.ones(1, 4)}, "at least 0"),
        ({"l2": [0.0]}, "above 0"),
        ({"l2": []}, "above 0"),
    ],
)
def test_what_cannot_be_fitted_is_said(change, words):
    given = {"features": torch.eye(4)[:, :2], "labels": torch.tensor([0, 1, 0, 1]), "weights": torch.ones(1, 4)}
    with pytest.raises(UnseenError, match=words):
        fit_probes(**(given | change))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_probes_on_a_gpu_are_those_on_the_cpu():
    x, y = clouds()
    weights = masks(len(x), 3).double()
    here = fit_probes(x, y, weights, [1e-3, 1e-1], tolerance=1e-7)
    there = fit_probes(x.cuda(), y.cuda(), weights.cuda(), [1e-3, 1e-1], tolerance=1e-7)
    torch.testing.assert_close(there.weight.cpu(), here.weight, atol=1e-4, rtol=1e-3)
    train, validation = weights.clone(), weights.clone()
    train[:, ::2], validation[:, 1::2] = 0, 0
    chosen = [fit_validated_probes(x.to(at), y.to(at), train.to(at), validation.to(at)) for at in ("cpu", "cuda")]
    assert chosen[0].l2.tolist() == chosen[1].l2.cpu().tolist()
