"""What the whole table of a study that leaves a domain out holds besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from unseen.kinds.domains.numbers import domain_numbers
from unseen.kinds.domains.read import read
from unseen.studies.records import Record
from unseen.studies.study import Study

DOMAIN = "domain: "
Row = dict[str, Any]


def extra_rows(study: Study, trials: Sequence[Record]) -> Iterator[Row]:
    """What is known of each domain left out, by repeat (``seed``) and model (``detail``): accuracies on the images that
    networks with and without it were both asked need the answers, and no mean of the tidy table gives them."""
    if not trials:
        return
    _, _, answered = read(study)
    for model in dict.fromkeys(one.model for one in answered):
        mine = [one for one in answered if one.model == model]
        found, reference = domain_numbers(mine)
        for domain in found:
            for place, repeat in enumerate(sorted({one.repeat for one in mine})):
                head = {"seed": repeat, "level": domain.name, "detail": f"{model or 'one model'}; against {reference}"}
                for key in ("left_out", "same", "trained", "gap", "others", "images", "shared", "majority"):
                    value = float(getattr(domain, key)[place])
                    if np.isfinite(value):
                        yield {**head, "measure": f"{DOMAIN}{key}", "value": value}
