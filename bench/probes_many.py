"""The probes of one model in a study of variation, fitted together, against scikit-learn's one after another.

    python -m bench.probes_many                                # a GPU: 1,650 probes; a CPU: a few small ones
    python -m bench.probes_many --factors 5 --shares 11 --regimes 3 --folds 10 --classes 54 --features 1280

A probe is one of (factor, share of samples, instances or classes that vary, fold of instances); its penalty is chosen
among seven on validation instances. Features are drawn: a middle per class, what each instance and each change adds to
it, and noise, along axes whose lengths fall as those of real features do. scikit-learn fits a sample of the same probes
with the same penalties as people do it (``LogisticRegression``, L-BFGS, on all cores). Seconds of both are of whole
probes: all penalties, choice included. Accuracies are on varying images of instances that were held out.

They are compared twice. As people run it, scikit-learn stops where no number of the gradient is above 1e-4: with a weak
penalty that is long before its solution (25 of 80 steps, scores up to 16 apart), other penalties seem best, and of
equal ones it was given the strongest. So its accuracy is also taken at our penalty, let on until 1e-6: that is the
same problem, solved.
"""

from __future__ import annotations

import itertools
import json
import time
import warnings

import numpy as np
import torch

from bench.machine import CUDA, arguments, settle
from unseen.training.probes import L2, fit_validated_probes

FOLDS = 10


def drawn(args, rng: np.random.Generator):
    """Features ``[1 + factors, classes, instances, samples, features]``: canonical, then each factor varying."""
    axes = np.arange(1, args.features + 1) ** -0.6
    classes = rng.normal(size=(args.classes, 1, 1, args.features))
    instances = 1.2 * rng.normal(size=(args.classes, args.instances, 1, args.features))
    whole = []
    for factor in range(args.factors + 1):
        turned = rng.normal(size=(8, args.features)) * (1.5 if factor else 0.0)
        which = rng.integers(0, 8, (args.classes, args.instances, args.samples))
        noise = 1.5 * rng.normal(size=(args.classes, args.instances, args.samples, args.features))
        # a change moves every class by the same, and each class by something of its own
        own = rng.normal(size=(args.classes, 1, 1, args.features)) * (0.8 if factor else 0.0)
        whole.append(((classes + instances + turned[which] + own + noise) * axes).astype(np.float32))
    x = np.stack(whole)
    return x / np.sqrt(np.square(x).sum(-1).mean())


def problems(args, rng: np.random.Generator):
    """Of each probe the rows it learns, those it chooses by and those it is asked, as masks over all rows."""
    shape = (args.factors + 1, args.classes, args.instances, args.samples)
    order = rng.random(shape[1:])
    shares = np.linspace(0, 0.95, args.shares) if args.shares > 1 else np.array([0.5])
    for factor, share, regime, fold in itertools.product(
        range(1, args.factors + 1), shares, range(args.regimes), range(args.folds)
    ):
        held = np.arange(args.instances) % FOLDS == fold % FOLDS
        chosen = np.arange(args.instances) % FOLDS == (fold + 1) % FOLDS
        varies = order < share  # of samples
        if regime == 1:
            varies = np.broadcast_to((order[:, :, :1] < share), order.shape)
        elif regime == 2:
            varies = np.broadcast_to((order[:, :1, :1] < share), order.shape)
        rows = np.zeros(shape, bool)
        rows[0], rows[factor] = ~varies, varies
        train = rows & ~(held | chosen)[None, None, :, None]
        validation = rows & chosen[None, None, :, None]
        asked = np.zeros(shape, bool)
        asked[factor] = held[None, :, None]
        yield train.ravel(), validation.ravel(), asked.ravel()


def regression(x: np.ndarray, y: np.ndarray, rows: np.ndarray, penalty: float, tolerance: float = 1e-4):
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps = 1000 if tolerance == 1e-4 else 20_000
        made = LogisticRegression(C=1 / (penalty * rows.sum()), max_iter=steps, tol=tolerance)
        return made.fit(x[rows], y[rows])


def theirs(x: np.ndarray, y: np.ndarray, train: np.ndarray, validation: np.ndarray):
    """One probe as people fit it: every penalty, the best on validation, then on both."""

    def fit(rows, penalty):
        return regression(x, y, rows, penalty)

    tried = [(fit(train, penalty).score(x[validation], y[validation]), penalty) for penalty in L2]
    return fit(train | validation, max(tried)[1])


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--factors", type=int, default=5 if CUDA else 2)
    parser.add_argument("--shares", type=int, default=11 if CUDA else 3)
    parser.add_argument("--regimes", type=int, default=3 if CUDA else 1)
    parser.add_argument("--folds", type=int, default=10 if CUDA else 2)
    parser.add_argument("--classes", type=int, default=54 if CUDA else 12)
    parser.add_argument("--features", type=int, default=1280 if CUDA else 128)
    parser.add_argument("--instances", type=int, default=50 if CUDA else 20)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--rivals", type=int, default=3, help="probes that scikit-learn fits")
    args = parser.parse_args()
    device, rng = torch.device(args.device), np.random.default_rng(0)
    x = drawn(args, rng)
    y = np.broadcast_to(np.arange(args.classes)[None, :, None, None], x.shape[:-1]).ravel().copy()
    x = x.reshape(-1, args.features)
    masks = list(problems(args, rng))
    train, validation, asked = (np.stack([one[place] for one in masks]) for place in range(3))
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(
        f"{len(masks):,} probes of {args.classes} classes on {args.features:,} features, {int(train[0].sum()):,} rows "
        f"each of {len(x):,}, {len(L2)} penalties; {where}"
    )
    features, labels = torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)
    each = 4 * len(L2) * args.features * args.classes
    size = max(1, int((8e9 if device.type == "cuda" else 5e8) // each))
    settle(device)
    started = time.perf_counter()
    right, chosen, converged = [], [], 0
    for start in range(0, len(masks), size):
        own, other = (
            torch.from_numpy(some[start : start + size].astype(np.float32)).to(device) for some in (train, validation)
        )
        fitted = fit_validated_probes(features, labels, own, other, classes=args.classes)
        converged += int(fitted.converged.sum())
        chosen.append(fitted.l2[:, 0])
        for number in range(len(own)):
            rows = torch.from_numpy(np.flatnonzero(asked[start + number])).to(device)
            said = fitted.scores(features[rows], number)[0].argmax(1)
            right.append((said == labels[rows]).float().mean())
    accuracy = torch.stack(right).tolist()
    settle(device)
    ours = time.perf_counter() - started
    print(
        f"  ours, together   {ours:8.1f} s   {ours / len(masks) * 1e3:8.1f} ms a probe   {converged} converged",
        flush=True,
    )
    sample = np.unique(np.linspace(0, len(masks) - 1, args.rivals).round().astype(int))
    started = time.perf_counter()
    rival = {int(one): theirs(x, y, train[one], validation[one]).score(x[asked[one]], y[asked[one]]) for one in sample}
    each_rival = (time.perf_counter() - started) / len(sample)
    penalties = torch.cat(chosen).tolist()
    solved = {
        int(one): regression(x, y, train[one] | validation[one], penalties[one], 1e-6).score(
            x[asked[one]], y[asked[one]]
        )
        for one in sample
    }
    usual, apart = ([accuracy[one] - score for one, score in some.items()] for some in (rival, solved))
    ratio = each_rival / (ours / len(masks))
    print(
        f"  scikit-learn     {each_rival * len(masks):8.1f} s   {each_rival * 1e3:8.1f} ms a probe   "
        f"(n = {len(sample)})"
    )
    print(
        f"  {ratio:.1f} times; mean accuracy of all {np.mean(accuracy):.3f}; of the sample ours less theirs, solved: "
        f"mean {np.mean(apart):+.4f}, most {max(map(abs, apart)):.4f}; as people run it: mean {np.mean(usual):+.4f}, "
        f"most {max(map(abs, usual)):.4f}"
    )
    told = {"probes": len(masks), "seconds": ours, "rival": each_rival, "ratio": ratio}
    print(json.dumps({**told, "apart": apart, "apart_as_people_run_it": usual}))


if __name__ == "__main__":
    main()
