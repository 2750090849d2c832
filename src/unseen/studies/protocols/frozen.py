"""Networks that keep their weights but for the heads, and what their weights are known by."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from unseen.studies.protocols.labelled import labelled_network
from unseen.studies.study import Study
from unseen.studies.trials import Trial

if TYPE_CHECKING:
    from unseen.models import Network, Seeing


def probe_network(study: Study, trial: Trial) -> Seeing:
    seeing = labelled_network(study, trial)
    network: Any = seeing.network
    network.freeze()
    return seeing


def digest_of(network: Network) -> str:
    """Of the weights that are frozen: random ones are each seed's own, pretrained ones the same for all."""
    made = hashlib.blake2b(digest_size=16)
    for part in (network.trunk, network.branches):
        for tensor in part.state_dict().values():
            made.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return made.hexdigest()
