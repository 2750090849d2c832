"""What a report shows of single answers: accuracy in each cell, what is taken for what, the most confident mistakes."""

from __future__ import annotations

from unseen.kinds.cell_accuracy import Cells
from unseen.kinds.confusions import Confusions
from unseen.kinds.mistakes import Mistakes
from unseen.kinds.trial_answers import read_trial_answers
from unseen.reports.answer_pictures import AnswerPictures
from unseen.studies.study import Study


def gather_answers(study: Study) -> AnswerPictures | None:
    """What the report shows of single answers; None where networks answer with numbers. Trials are read one at a time:
    the answers of a hundred networks would fill the memory."""

    if study.recipe.task == "regression":
        return None
    cells, confusions, mistakes = Cells(), Confusions(), Mistakes(study)
    conditions: set[str] = set()
    for one in read_trial_answers(study):
        conditions.add(one.condition)
        for part in (cells, confusions, mistakes):
            part.add(one)
    if not conditions:
        return AnswerPictures(left=("Single answers: none are stored that can be read.",))
    shown, pictures = cells.pictures(), mistakes.galleries()
    left = tuple(reason for reason in (cells.lacking, mistakes.lacking) if reason)
    return AnswerPictures(shown, confusions.pictures(), pictures, left, mistakes.pictureless, len(conditions))
