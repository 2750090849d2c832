"""Small networks for tests of explanations."""

import torch
from torch import nn


class Small(nn.Module):
    """Three convolutions with normalisation and ReLUs, in place where asked, then a classifier."""

    def __init__(self, classes=5, channels=3, width=8, in_place=False):
        super().__init__()
        torch.manual_seed(0)
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1)
        self.relu1 = nn.ReLU(inplace=in_place)
        self.conv2 = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.relu2 = nn.ReLU(inplace=in_place)
        self.conv3 = nn.Conv2d(width, width, 3, padding=1)
        self.relu3 = nn.ReLU(inplace=in_place)
        self.fc = nn.Linear(width, classes)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)
        self.eval()

    def forward(self, images):
        found = self.relu1(self.conv1(images))
        found = self.relu2(self.norm(self.conv2(found)))
        found = self.relu3(self.conv3(found))
        return self.fc(found.mean((2, 3)))


class Linear(nn.Module):
    """Scores that are weighted sums of pixels: every map is known."""

    def __init__(self, channels=3, height=8, width=8, classes=2):
        super().__init__()
        torch.manual_seed(1)
        self.weight = nn.Parameter(torch.randn(classes, channels, height, width))

    def forward(self, images):
        return torch.einsum("nchw,kchw->nk", images, self.weight)


class Quadratic(Linear):
    """Half the sum of weighted squares: its gradient is weight times image."""

    def forward(self, images):
        return torch.einsum("nchw,kchw->nk", images.square() / 2, self.weight)


def pictures(n=4, channels=3, height=16, width=16, seed=0):
    return torch.randn(n, channels, height, width, generator=torch.Generator().manual_seed(seed))


def tiny_vit(**settings):
    import timm

    torch.manual_seed(0)
    with torch.no_grad():
        return timm.create_model(
            "vit_tiny_patch16_224",
            **{"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 3, "num_heads": 3, "num_classes": 4}
            | settings,
        ).eval()
