"""One trial of a study, opened from Python: its answers, the activity of its units, its curve, its network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.notebooks import OpenedNetwork, OpenedSplit, OpenedWorld
from unseen.notebooks.handed import handed
from unseen.notebooks.html import card, line, table
from unseen.studies.study import Study
from unseen.studies.trials import Trial, setting_text
from unseen.vocabulary.errors import UnseenError, listed, unknown

if TYPE_CHECKING:
    import polars as pl
    from torch import Tensor

WEIGHTS = "weights.safetensors"


class OpenedTrial:
    """What ``study.trial`` gives: one network, with what was recorded of it."""

    label: str = handed("inner.label", "Its settings and its seed in words.")
    seed: int = handed("inner.seed")

    def __init__(self, study: Study, inner: Trial) -> None:
        self.study, self.inner = study, inner

    @property
    def settings(self) -> dict[str, Any]:
        """The values of the recipe's grid that make it this trial."""
        return dict(self.inner.condition)

    @property
    def identity(self) -> str:
        """The name of its folder; "" as long as it is not finished."""
        return self.study.find(self.inner) or ""

    @property
    def world(self) -> OpenedWorld:
        """The world of its images."""
        return OpenedWorld(self.study.world(self.inner))

    @property
    def split(self) -> OpenedSplit:
        """What it was trained on and what it is asked."""
        return OpenedSplit.of(self.study, self.inner)

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """All that was noted of it: machine, seconds, flags, sizes of its sets."""
        return self.study.store.read(self._folder.name)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers whose units were recorded, from input to output."""
        return tuple(self.facts["tasks"])

    def responses(self, *, keys: bool = False) -> pl.DataFrame:
        """Its answers: one row per test image and question, with the image's factor levels. ``keys``: with the key of
        each image, its name outside the world."""
        from unseen.kinds.every_answer import answers, with_keys

        found = answers(self._folder, self.label, self.seed)
        if not keys:
            return found
        return with_keys(found, None if self.study.absent else self.study.world(self.inner).samples)

    def activity(self, layer: str | None = None) -> np.ndarray:
        """Mean activity ``[units, rows, columns]`` of a layer in each cell of the split's two factors; by default of
        the last layer that was recorded. :mod:`unseen.measures` takes it as it is."""
        from unseen.kinds.trial_numbers import read_activity

        found = read_activity(self._folder)
        if not found:
            raise UnseenError(
                f"no activity of trial '{self.label}' is stored; it is kept where the design has two factors and "
                f'recordings.layers is not "none".'
            )
        kept = [name for name in self.layers if name in found]
        if layer is not None and layer not in kept:
            raise unknown("layer", layer, kept, where="what was recorded")
        return found[kept[-1] if layer is None else layer].astype(np.float64)

    def units(self, layer: str | None = None) -> pl.DataFrame:
        """One row per unit of a layer: the factor it prefers, selectivity, invariance and specialization."""
        import polars as pl

        from unseen.measures import unit_scores

        scores = unit_scores(self.activity(layer), **self.inner.recipe.measures.model_dump(exclude={"similarity"}))
        rows, columns = self.facts["factors"]
        kinds = [
            (rows if by_rows else columns) if typed else None
            for by_rows, typed in zip(scores.prefers_rows.tolist(), scores.typed.tolist())
        ]
        numbers = {name: getattr(scores, name) for name in ("selectivity", "invariance", "specialization")}
        made = pl.DataFrame({"unit": np.arange(len(kinds)), "unit_type": pl.Series(kinds, dtype=pl.String), **numbers})
        return made.fill_nan(None)

    def curve(self) -> pl.DataFrame:
        """Losses and accuracies of every epoch."""
        import polars as pl

        return pl.DataFrame(list(self.facts["curve"]), infer_schema_length=None)

    def weights(self) -> dict[str, Tensor]:
        """The weights of its network, by name, where the study kept them."""
        from unseen.studies.kept_weights import Unusable, read
        from unseen.studies.missing_trials import kept_of

        kept = kept_of(self.study, self.inner)
        if kept is None:
            raise UnseenError(
                f"no weights of trial '{self.label}' are kept; run the study with "
                f'settings={{"recordings.weights": True}} to keep them.'
            )
        try:
            return read(kept)[1]
        except Unusable as error:
            raise UnseenError(f"the weights of trial '{self.label}' cannot be used: {error}.") from None

    def network(self) -> OpenedNetwork:
        """Its trained network, to be asked more: ``network.responses("probe")``, ``network(world.images(rows))``."""
        import torch

        from unseen.studies.kept_weights import Unusable
        from unseen.studies.learners import with_weights

        try:
            made = with_weights(self.study, self.inner, self.weights(), torch.device("cpu"))
        except Unusable as error:
            raise UnseenError(f"the weights of trial '{self.label}' cannot be used: {error}.") from None
        return OpenedNetwork(self.study, self.inner, made)

    def __repr__(self) -> str:
        return f"<trial '{self.label}': {'finished, ' + self.identity if self.identity else 'not finished'}>"

    def _repr_html_(self) -> str:
        if not self.identity:
            return card(f"Trial {self.label}", line("Not finished yet: study.run() runs it.", muted=True))
        about, epochs = self.facts["network"], len(self.facts["curve"])
        taken = f"{epochs} epoch{'s' * (epochs != 1)}, kept {self._kept}"
        facts = [
            ("network", f"{about['backbone']}, {about['parameters']:,.0f} weights"),
            ("training", f"{self.facts['sets']['train']:,} images, {taken}"),
            ("layers recorded", listed(self.layers, 8)),
            *((flag, detail) for flag, detail in self.facts["flags"].items()),
        ]
        return card(f"Trial {self.label}", line(self.identity, muted=True), table(("", ""), facts))

    @property
    def _kept(self) -> str:
        best = self.facts["best_epoch"]
        return f"epoch {best + 1}" if best >= 0 else "none"

    @property
    def _folder(self) -> Path:
        name = self.identity
        if not name:
            raise UnseenError(f"trial '{self.label}' is not finished yet; run() the study first.")
        return self.study.store.trials / name


def chosen(trials: list[Trial], names: list[str | None], which: Any, settings: Mapping[str, Any]) -> Trial:
    """The one trial that a number, a label, an identity (or how it begins) or settings mean."""
    found = list(enumerate(trials))
    if isinstance(which, int) and not isinstance(which, bool):
        if not -len(trials) <= which < len(trials):
            raise UnseenError(f"trial {which} asked of {len(trials)} trials; possible: 0 to {len(trials) - 1}.")
        found = [found[which]]
    elif isinstance(which, str) and which:
        found = [(place, one) for place, one in found if one.label == which or (names[place] or "").startswith(which)]
        if not found:
            raise unknown("trial", which, [one.label for one in trials], where="this study")
    elif which is not None:
        raise UnseenError(f"a trial is its number, its label or its identity; {which!r} was given.")
    for key, value in settings.items():
        possible = {_short(name) for one in trials for name in one.condition} | {"seed"}
        if _short(key) not in possible:
            raise unknown("setting", key, sorted(possible), where="this study's grid")
        kept = [(place, one) for place, one in found if _matches(one, key, value)]
        if not kept:
            there = dict.fromkeys(_value(one, key) for _, one in found)
            raise UnseenError(f"no trial has {key} = {value!r}; possible here: {listed(there)}.")
        found = kept
    if len(found) != 1:
        labels = listed((one.label for _, one in found), 6)
        raise UnseenError(
            f"{len(found)} trials are meant: {labels}. Give its number, its label or more of its settings."
        )
    return found[0][1]


def _short(key: str) -> str:
    """A key of a grid as it is called from Python.

    >>> _short("design.seen_per_level"), _short("design.seed")
    ('seen_per_level', 'draw')
    """
    return "draw" if key == "design.seed" else key.rpartition(".")[2]


def _value(trial: Trial, key: str) -> str:
    if _short(key) == "seed":
        return str(trial.seed)
    return listed(repr(value) for name, value in trial.condition.items() if _short(name) == _short(key))


def _matches(trial: Trial, key: str, value: Any) -> bool:
    if _short(key) == "seed":
        return trial.seed == value
    given = {name: one for name, one in trial.condition.items() if _short(name) == _short(key)}
    return any(one == value or setting_text(name, one) == value for name, one in given.items())
