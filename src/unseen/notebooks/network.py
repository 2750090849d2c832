"""A network in a notebook: made for a split, trained on it, asked about it, with no study around it.

It is what a study's trial of the same settings is, number by number: the same functions make and train it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.notebooks.html import card, line, table
from unseen.notebooks.split import GivenStudy, OpenedSplit
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.target import Target

if TYPE_CHECKING:
    import polars as pl
    from torch import Tensor, nn

    from unseen.training import Trained

NEEDS_SPLIT = "a network is made for a split, as unseen.split gives it; {given} was given."


def open_network(
    backbone: str, split: object, *, targets: str | Sequence[str] = (), seed: int = 0, **settings: Any
) -> OpenedNetwork:
    """A network for the questions of a split, with its first weights. ``settings`` are those of a recipe's
    ``[network]``: ``sharing``, ``stem``, ``checkpoint``."""
    if not isinstance(split, OpenedSplit):
        raise UnseenError(NEEDS_SPLIT.format(given=repr(split)))
    from unseen.studies.trusting import code_names
    from unseen.vocabulary.trust import allow

    names = [targets] if isinstance(targets, str) else list(targets)
    study = split.as_study(network={"backbone": backbone, **settings}, targets=names, seeds=[seed])
    allow(code_names(study.recipe))  # a network of one's own is named by whoever calls
    return OpenedNetwork(study, study.trials[0])


class OpenedNetwork:
    """What :func:`unseen.network` gives. ``module`` is the torch module: images in, outputs by target out."""

    def __init__(
        self, study: Any, trial: Trial, module: nn.Module | None = None, trained: Trained | None = None
    ) -> None:
        from unseen.studies.learners import network_of

        self.study, self.trial, self.trained = study, trial, trained
        self.module: Any = network_of(study, trial) if module is None else module

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers whose units can be recorded, from input to output."""
        return tuple(self.module.layers)

    @property
    def targets(self) -> tuple[Target, ...]:
        """What it is asked: for each target its factor and classes."""
        return self.study.targets(self.trial)

    def train(self, *, device: str = "cpu", **settings: Any) -> OpenedNetwork:
        """The same network, trained on the split's ``train`` rows from its first weights. ``settings`` are those of a
        recipe's ``[training]``: ``epochs``, ``batch``, ``lr``, ``normalise``."""
        import torch

        from unseen.studies.learners import finished, learner_of
        from unseen.training import reproducible, train

        if not isinstance(self.study, GivenStudy):
            raise UnseenError("this network comes from a study, trained; unseen.network makes one to be trained.")
        study = self.study.changed(training=settings)
        trial = study.trials[0]
        with reproducible(trial.recipe.training.threads):
            learner = learner_of(study, trial, "float32", torch.device(device), {})
            trained = finished(study, trial, learner, train([learner])[0])
        return OpenedNetwork(study, trial, trained.network, trained)

    def curve(self) -> pl.DataFrame:
        """Losses and accuracies of every epoch."""
        import polars as pl

        if self.trained is None:
            raise UnseenError("this network was not trained here; network.train(epochs=5) does it.")
        return pl.DataFrame(list(self.trained.curve), infer_schema_length=None)

    def responses(self, asked: str = "unseen", *, split: OpenedSplit | None = None) -> pl.DataFrame:
        """Its answers to a row set: one row per image and question, with the image's factor levels."""
        import polars as pl

        from unseen.recordings import respond
        from unseen.vocabulary.responses import responses_table

        about = self._split(split)
        rows, asks = about.rows(asked), about.inside[asked].asks
        wanted = [target for target in self.targets if asks is None or target.factor in asks]
        answers = respond(
            self.module, [target.name for target in wanted], about.world.images, rows, device=self._device,
            numbers=self.trial.recipe.task == "regression",
        )  # fmt: skip
        told = {"subject": self.trial.recipe.network.backbone, "trial": "", "asked": asked}
        found = responses_table(about.world.samples, wanted, rows=rows, answers=answers, **told)
        made = pl.from_arrow(found)
        assert isinstance(made, pl.DataFrame)
        return made.drop("trial")

    def activity(self, layer: str | None = None, *, split: OpenedSplit | None = None) -> np.ndarray:
        """Mean activity ``[units, rows, columns]`` of a layer (by default the last) in each cell of the split's two
        factors, on its ``probe`` rows. :mod:`unseen.measures` takes it as it is."""
        from unseen.recordings import activity_per_cell

        about, layer = self._split(split), self.layers[-1] if layer is None else layer
        if layer not in self.layers:
            raise unknown("layer", layer, self.layers, where="this network")
        if len(about.factors) != 2:
            raise UnseenError(f"activity is laid out over two factors; this split has {listed(about.factors)}.")
        samples, rows = about.world.samples, about.rows("probe")
        space = samples.space.select(about.factors)
        cells = space.numbers(samples.cells(rows, about.factors))
        means, _ = activity_per_cell(
            self.module, [layer], about.world.images, rows, cells, space.size, device=self._device
        )
        return means[layer].reshape(-1, *space.shape)

    def __call__(self, images: Tensor) -> dict[str, Tensor]:
        """Outputs of each target for some images, as ``world.images`` gives them."""
        import torch

        with torch.inference_mode():
            return self.module.eval()(images.to(self._device))

    def __repr__(self) -> str:
        about, told = self.module.description, ", ".join(target.name for target in self.targets)
        state = "trained" if self.trained is not None or not isinstance(self.study, GivenStudy) else "not trained"
        return f"<network '{about['backbone']}' for {told}: {about['parameters']:,} weights, {state}>"

    def _repr_html_(self) -> str:
        about = self.module.description
        rows = [
            ("weights", f"{about['parameters']:,}"),
            ("asked", "; ".join(f"{target.name} ({target.outputs} outputs)" for target in self.targets)),
            ("layers", listed(self.layers, 12)),
        ]
        state = "" if self.trained is None else f"Trained for {len(self.trained.curve)} epochs."
        return card(f"Network {about['backbone']}", table(("", ""), rows), line(state, muted=True))

    @property
    def _device(self) -> Any:
        return next(self.module.parameters()).device

    def _split(self, split: OpenedSplit | None) -> OpenedSplit:
        if split is not None and not isinstance(split, OpenedSplit):
            raise UnseenError(NEEDS_SPLIT.format(given=repr(split)))
        if split is not None:
            return split
        return OpenedSplit.of(self.study, self.trial)
