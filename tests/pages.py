"""The page of any contents: each kind has its own contents, and knows its page."""

from unseen.kinds.combinations.page import combinations_page
from unseen.kinds.combinations.shown import CombinationContents
from unseen.kinds.conditions.page import conditions_page
from unseen.kinds.conditions.shown import ConditionContents
from unseen.kinds.domains.page import domains_page
from unseen.kinds.domains.shown import DomainContents
from unseen.kinds.exposure.page import exposure_page
from unseen.kinds.exposure.shown import ExposureContents
from unseen.kinds.in_domain.page import in_domain_page
from unseen.kinds.in_domain.shown import InDomainContents

PAGES = {
    CombinationContents: combinations_page,
    ConditionContents: conditions_page,
    DomainContents: domains_page,
    ExposureContents: exposure_page,
    InDomainContents: in_domain_page,
}


def page_of(contents):
    return PAGES[type(contents)](contents)
