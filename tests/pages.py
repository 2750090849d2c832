"""The page of any contents: each kind has its own contents, and knows its page."""

from unseen.kinds.combinations import page as combinations
from unseen.kinds.combinations.shown import CombinationContents
from unseen.kinds.conditions import page as conditions
from unseen.kinds.conditions.shown import ConditionContents
from unseen.kinds.cues import page as cues
from unseen.kinds.cues.shown import CuesContents
from unseen.kinds.domains import page as domains
from unseen.kinds.domains.shown import DomainContents
from unseen.kinds.exposure import page as exposure
from unseen.kinds.exposure.shown import ExposureContents
from unseen.kinds.in_domain import page as in_domain
from unseen.kinds.in_domain.shown import InDomainContents
from unseen.kinds.replica import page as replica
from unseen.kinds.replica.contents import ReplicaContents
from unseen.kinds.variability import page as variability
from unseen.kinds.variability.shown import VariabilityContents

PAGES = {
    CombinationContents: combinations.page,
    ConditionContents: conditions.page,
    CuesContents: cues.page,
    DomainContents: domains.page,
    ExposureContents: exposure.page,
    InDomainContents: in_domain.page,
    ReplicaContents: replica.page,
    VariabilityContents: variability.page,
}


def page_of(contents):
    return PAGES[type(contents)](contents)
