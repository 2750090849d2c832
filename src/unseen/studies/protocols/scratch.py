"""All weights learn by labels, from random ones."""

from __future__ import annotations

from unseen.studies.protocol_table import Protocol
from unseen.studies.protocols.labelled import (
    check_all_learn,
    check_labels,
    check_no_start,
    labelled_learner,
    labelled_network,
    labelled_tried,
)
from unseen.studies.study import Study
from unseen.studies.trials import Trial


def check(trial: Trial) -> None:
    check_labels(trial)
    check_no_start(trial.recipe)
    check_all_learn(trial.recipe)


def words(study: Study, trial: Trial) -> str:
    return "from scratch"


PROTOCOL = Protocol(
    "scratch", "all weights learn, from random ones",
    check=check, network=labelled_network, learner=labelled_learner, words=words, tried=labelled_tried,
)  # fmt: skip
