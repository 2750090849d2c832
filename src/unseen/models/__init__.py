"""Names become networks: a table of backbones, sharing patterns between tasks, layers that can be recorded."""

from unseen.models.catalogue import BACKBONES, CONCEPTS, SHARING, Backbone, describe_models
from unseen.models.encoders import ENCODERS, Autoencoder, Contrastive, build_encoder, describe_encoders
from unseen.models.feasible import feasible, without_numbers
from unseen.models.inputs import NORMALISE, Preprocessed
from unseen.models.network import Heads, Network
from unseen.models.readout import build_readout, encoder_layers, with_encoder
from unseen.models.sharing import build, layer_names
from unseen.models.small import SMALL, Small, describe_small
from unseen.vocabulary.stems import STEMS

__all__ = [
    "BACKBONES",
    "CONCEPTS",
    "ENCODERS",
    "NORMALISE",
    "SHARING",
    "SMALL",
    "STEMS",
    "Autoencoder",
    "Backbone",
    "Contrastive",
    "Heads",
    "Network",
    "Preprocessed",
    "Small",
    "build",
    "build_encoder",
    "build_readout",
    "describe_encoders",
    "describe_models",
    "describe_small",
    "encoder_layers",
    "feasible",
    "layer_names",
    "with_encoder",
    "without_numbers",
]
