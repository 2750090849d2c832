"""Designs say which cells of the factor grid are seen in training and which are asked at test. No torch, no I/O."""

from unseen.designs.ask import ask
from unseen.designs.audit import Audit, audit
from unseen.designs.combinations import hold_out_combinations
from unseen.designs.decorrelate import decorrelate
from unseen.designs.exposure import expose, paired_rows, shown_levels
from unseen.designs.leave_one_out import leave_one_out
from unseen.designs.levels import hold_out_levels
from unseen.designs.lists import from_lists
from unseen.designs.matrix import matrix
from unseen.designs.replicate import replicate
from unseen.designs.variability import vary_some
from unseen.designs.vary_each import vary_each

DESIGNS = {
    design.__name__: design
    for design in (
        hold_out_combinations,
        hold_out_levels,
        leave_one_out,
        expose,
        matrix,
        decorrelate,
        replicate,
        vary_some,
        from_lists,
        ask,
        vary_each,
    )
}

__all__ = [
    "DESIGNS",
    "Audit",
    "ask",
    "audit",
    "decorrelate",
    "expose",
    "from_lists",
    "hold_out_combinations",
    "hold_out_levels",
    "leave_one_out",
    "matrix",
    "paired_rows",
    "replicate",
    "shown_levels",
    "vary_each",
    "vary_some",
]
