"""What a study's own encoders show of pretraining: what closes where one more factor varied in it alone.

Our question, not the paper's, which asks models as they are. A claim about pretraining is about other encoders, so that
it stays open where each was made once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unseen.kinds.judged import judged, left_open
from unseen.kinds.variability.points import Values, in_points, mean_of
from unseen.kinds.variability.read import ANEW, Gaps, Network
from unseen.measures import judge
from unseen.reports.finding import Finding
from unseen.vocabulary.words import capital


def changes_by_pretraining(gaps: Gaps) -> dict[str, dict[tuple[str, str], Values]]:
    """Of encoders that differ in what varied in pretraining alone: by how much each gap is smaller than where least
    varied, by the factor that varied besides (or "all", of several) and the factor asked; by the encoder's name."""
    found: dict[tuple[str, str], dict[frozenset[str], Network]] = {}
    for network in gaps.judged:
        own = gaps.traits(network)
        if own.varied is not None and gaps.alone(network):
            found.setdefault((own.apart_from_varied, network[1]), {})[own.varied] = network
    made = {}
    for (encoder, protocol), each in found.items():
        name = f"{encoder} {protocol}".strip() if len(gaps.protocols) > 1 else encoder
        least = min(each, key=len)
        before, changes = gaps.alone(each[least]), {}
        for varied, network in each.items():
            more = varied - least
            if not more or not least < varied:
                continue
            what = next(iter(more)) if len(more) == 1 else "all"
            after = gaps.alone(network)
            changes |= {(what, asked): after[asked] - before[asked] for asked in before if asked in after}
        if changes:
            made[name] = changes
    return made


def own_changes(changes: Mapping[tuple[str, str], Values]) -> dict[str, Values]:
    """Of each factor that varied in pretraining, the change of its own gap."""
    return {varied: values for (varied, asked), values in changes.items() if varied == asked}


def pretrained_findings(gaps: Gaps) -> Iterator[Finding]:
    """What varied in pretraining alone closes its gap, and its own more than others' (our question, not the paper's).

    The second tells a factor from variety: more of anything that varies may make features better."""
    for name, changes in changes_by_pretraining(gaps).items():
        own = own_changes(changes)
        if not own:
            continue
        others = [changes[one, other] for one in own for other in own if one != other]
        start = f"{name}: " if name else ""
        each = ", ".join(f"{varied} {in_points(values)}" for varied, values in own.items())
        mean = mean_of(list(own.values()))
        statement = (
            f"with one factor varying in pretraining its own gap closes by {each}; mean {in_points(mean)} points"
        )
        claim = f"{start}what varies in pretraining closes its gap"
        yield of_encoders(gaps, judged(claim, capital(statement), judge(mean, 1)))
        if others:
            rest = mean_of(others)
            statement = f"with one factor varying in pretraining gaps of the others close by {in_points(rest)} points"
            claim = f"{start}a factor's own gap closes more than the others'"
            yield of_encoders(gaps, judged(claim, capital(statement), judge(mean - rest, 1)))


def of_encoders(gaps: Gaps, finding: Finding) -> Finding:
    """A claim about pretraining, open where each encoder was made once: other objects say nothing of other encoders."""
    if gaps.encoders and gaps.over != ANEW:
        return left_open(finding, "each encoder was made once: vary pretraining.seed")
    return finding
