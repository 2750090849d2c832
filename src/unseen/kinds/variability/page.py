"""The page of a study of variability."""

from __future__ import annotations

from html import escape

from unseen.kinds.variability.figures import figures
from unseen.kinds.variability.shown import VariabilityContents
from unseen.kinds.variability.tables import gap_sections
from unseen.reports import sections
from unseen.reports.blocks import Page, Pictures, Section
from unseen.reports.legend import HINT
from unseen.reports.palette import themed
from unseen.reports.pictures import large_split, split_sheet


def page(contents: VariabilityContents) -> Page:
    first, others, training = sections.figures(figures(contents), "gaps")
    shown = [_strips(contents), *gap_sections(contents), *others, *sections.answers(contents), training]
    return sections.page_of(contents, first, shown)


def _strips(contents: VariabilityContents) -> Section | str:
    """What varies, in pictures."""
    if not contents.splits:
        return f"Pictures of each factor: {contents.absent or 'there are none'}, so that they are not drawn."
    picture = contents.splits[0]
    lead = large_split(picture)
    least = f' style="--least:{lead.width:.0f}px;--most:{lead.width * 1.5:.0f}px"'
    caption = (
        f"{picture.title}, one factor at a time. Blue frames are canonical: training shows such pictures of other "
        f"objects. Orange dashed frames are asked; some studies show them too, of other objects."
    )
    body = (
        f'<figure id="figure-splits"><div class="picture large scrolls" tabindex="0"{least}>'
        f"{themed(lead.svg())}</div>{HINT}<figcaption>{escape(caption)}</figcaption></figure>"
    )
    return Section("splits", "What varies", (Pictures(body, "splits", split_sheet(contents.splits)),))
