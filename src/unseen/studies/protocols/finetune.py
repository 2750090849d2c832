"""All weights learn by labels, from weights that are there: pretrained ones, or those of a checkpoint."""

from __future__ import annotations

from unseen.studies.protocol_table import Protocol
from unseen.studies.protocols.labelled import (
    check_all_learn,
    check_labels,
    checkpoint_name,
    labelled_learner,
    labelled_network,
    labelled_tried,
    pretraining_words,
)
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError


def check(trial: Trial) -> None:
    check_labels(trial)
    check_all_learn(trial.recipe)
    if not trial.recipe.start:
        raise UnseenError(
            "protocol = 'finetune' starts from weights that are there, and none are given; set network.pretrained = "
            'true or network.checkpoint = "FILE", give it a [pretraining.world], or set protocol = "scratch".'
        )


def words(study: Study, trial: Trial) -> str:
    pretrained = trial.recipe.network.pretrained
    if trial.recipe.start == "pretraining":
        return f"finetuned from {pretraining_words(trial.recipe)}"
    return f"finetuned from {'pretrained weights' if pretrained else checkpoint_name(trial.recipe)}"


PROTOCOL = Protocol(
    "finetune", "all weights learn, from pretrained ones or a checkpoint",
    check=check, network=labelled_network, learner=labelled_learner, words=words, tried=labelled_tried,
)  # fmt: skip
