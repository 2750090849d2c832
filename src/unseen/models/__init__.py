"""Names become networks: a table of backbones, sharing patterns between tasks, layers that can be recorded."""

from unseen.models.catalogue import BACKBONES, SHARING, STEMS, Backbone, describe_models
from unseen.models.inputs import NORMALISE, Seeing
from unseen.models.network import Network
from unseen.models.sharing import build, layer_names

__all__ = [
    "BACKBONES",
    "NORMALISE",
    "SHARING",
    "STEMS",
    "Backbone",
    "Network",
    "Seeing",
    "build",
    "describe_models",
    "layer_names",
]
