"""Small networks and pictures for the training tests: a step takes a millisecond."""

import numpy as np
import torch
from torch import nn

from unseen.training import Learner, labelled_data, train
from unseen.vocabulary.sections import TrainingSection

CPU = torch.device("cpu")
TARGETS = ("category", "position")


class Small(nn.Module):
    """A convolution, what follows it, and a linear head per target. No normalisation: nothing tames a divergence."""

    def __init__(self, targets=TARGETS, classes=3, seed=0, between=(), features=16):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            # A bias before a normalisation has no gradient but rounding, which Adam blows up.
            self.trunk = nn.Sequential(
                nn.Conv2d(1, 4, 3, padding=1, bias=not between),
                *between,
                nn.ReLU(),
                nn.AdaptiveAvgPool2d(2),
                nn.Flatten(),
            )
            self.targets = tuple(targets)
            self.heads = nn.ModuleList(nn.Linear(features, classes) for _ in targets)

    def forward(self, images):
        features = self.trunk(images.float() / 255)
        return {target: head(features) for target, head in zip(self.targets, self.heads)}


def normalised(seed=0, **options):
    return Small(seed=seed, between=(nn.BatchNorm2d(4),), **options)


def toy(n=40, side=8, classes=3, seed=0):
    """Noise with a bright quarter: which one is the first label; how bright is the second."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, (n, 2))
    images = rng.integers(0, 60, (n, 1, side, side), dtype=np.uint8)
    for image, (where, strength) in zip(images, labels):
        y, x = divmod(int(where), 2)
        half = side // 2
        image[0, y * half : (y + 1) * half, x * half : (x + 1) * half] += np.uint8(60 * (1 + strength))
    return torch.from_numpy(images), labels


def fetching(images):
    return lambda rows, device: images[torch.from_numpy(rows)].to(device)


def of(images, labels, hold=True, device=CPU, fetch=None):
    return labelled_data(np.arange(len(labels)), labels, fetch or fetching(images), device, hold)


class Noisy:
    """Toy pictures; those of odd rows are noise of their row and the draw. It counts what it is asked."""

    def __init__(self, n=20, side=8):
        self.images, self.labels = toy(n, side)
        self.asked = []

    def fresh(self, rows):
        return rows % 2 == 1

    def __call__(self, rows, device, draw=0):
        self.asked += [(int(row), draw) for row in rows]
        found = self.images[torch.from_numpy(rows)].float()
        for place, row in enumerate(rows):
            if row % 2:
                noise = torch.randn(found.shape[1:], generator=torch.Generator().manual_seed(int(1000 * draw + row)))
                found[place] += 50 * noise
        return found.to(device)

    def pictures(self, rows, hold=True, fresh=True, device=CPU):
        new = self.fresh(rows) if fresh else None
        return labelled_data(rows, self.labels[rows], self, device, hold=hold, fresh=new)


def learner(network=None, data=None, asked=None, *, hold=True, seed=0, precision="float32", device=CPU, **settings):
    """A learner on toy pictures; keywords that are not named here are the recipe's."""
    network = normalised() if network is None else network
    capture = settings.pop("capture", None)
    section = TrainingSection(**{"epochs": 3, "batch": 8, **settings})
    train_on = of(*(data or toy()), hold=hold, device=device)
    ask = of(*(asked or toy(23, seed=1)), hold=hold, device=device)
    options = {"seed": seed, "device": device, "precision": precision, "capture": capture}
    return Learner(network, network.targets, train_on, ask, section, **options)


def trained(*args, **settings):
    return train([learner(*args, **settings)])[0]


def weights(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def same(a, b):
    """Whether two networks (or dicts of weights) agree to the bit."""
    a, b = (x if isinstance(x, dict) else x.state_dict() for x in (a, b))
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
