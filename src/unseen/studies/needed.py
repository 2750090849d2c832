"""Which encoders a study lacks, and what a plan says of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unseen.studies.encoders import BadEncoder, Encoder, encoder_record, encoders_kept
from unseen.studies.missing_trials import kept_of

if TYPE_CHECKING:
    from unseen.studies.study import Study


def encoders_to_make(
    study: Study, device: str = "cpu", note: Callable[[str], None] = lambda text: None
) -> list[Encoder]:
    """The encoders that trials need which are still to be trained, and that are not here; not those of trials that are
    finished, or whose own weights are kept. ``note`` is told of one that is damaged."""
    if not study.encoders:
        return []
    found: dict[str, Encoder] = {}
    for trial in study.missing(device):
        needed = study.encoder(trial)
        if needed is None or needed.identity in found or kept_of(study, trial, device) is not None:
            continue
        try:
            if encoder_record(study.store, needed.identity) is not None:
                continue
        except BadEncoder as error:
            note(f"{needed.label}: {error}")
        found[needed.identity] = needed
    return list(found.values())


def encoders_left_behind(study: Study) -> list[str]:
    """Encoders that no trial of the recipe needs."""
    return [name for name in encoders_kept(study.store) if name not in study.encoders]


def encoder_words(study: Study, device: str = "cpu") -> list[str]:
    """What a plan says of the encoders that come before the trials."""
    needed, to_make = study.encoders, encoders_to_make(study, device)
    if not needed:
        return []
    here = len(set(needed) & set(encoders_kept(study.store)))
    count = f"{len(needed)} encoder{'s' * (len(needed) != 1)}"
    lines = [f"{count} to pretrain before the trials that share them, {here} here already, {len(to_make)} to make"]
    for one in to_make:
        section = one.trial.recipe.pretraining
        images = section.images or len(study.learned_world(one.trial).samples)
        lines.append(f"  {one.label}: {images:,} images, {section.epochs} epochs")
    return lines
