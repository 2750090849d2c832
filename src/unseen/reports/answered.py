"""What a report shows of single answers: accuracy in each cell, what is taken for what, the most confident mistakes."""

from __future__ import annotations

from collections.abc import Iterator

from unseen.reports.answer_pictures import AnswerPictures
from unseen.reports.blocks import Pictures, Section
from unseen.reports.cells import cell_body, cell_sheet
from unseen.reports.confusion import confusion_body, confusion_sheet
from unseen.reports.mistakes import gallery_body


def parts(found: AnswerPictures) -> Iterator[Section | str]:
    """The sections about single answers, or why one is not there. The gallery is in the page alone."""
    if found.cells:
        yield Section("cells", "Accuracy in each cell", (Pictures(cell_body(found), "cells", cell_sheet(found)),))
    if found.confusions:
        sheet = Pictures(confusion_body(found), "confusion", confusion_sheet(found))
        yield Section("confusion", "What is taken for what", (sheet,))
    if found.galleries:
        yield Section("mistakes", "The most confident mistakes", (Pictures(gallery_body(found)),))
    yield from found.left
