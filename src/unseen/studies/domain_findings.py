"""Is the category recognised in a domain that was never seen? In sentences with numbers.

Of one domain the repeats are seeds; over domains, which is what a claim about new domains rests on, they are the
domains themselves, each with its mean over seeds. Three or four domains make a wide interval, and the sentence says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unseen.measures import Interval, mean_interval
from unseen.reports.contents import Finding
from unseen.studies.domains import BOUND, Domain
from unseen.studies.findings import sign_holds

LESS = "known less well where the domain was never seen"
AT_ALL = "recognised in a domain that was never seen"
FEW = 6  # domains below which an interval over them is called wide
MOST = 8  # domains that have findings of their own; of more the table tells


def over_domains(domains: Sequence[Domain], key: str) -> Interval:
    """Mean over domains of their means over repeats, with an interval over domains."""
    return mean_interval(np.array([mean_interval(getattr(domain, key)).value for domain in domains]))


def clipped(level: Interval) -> Interval:
    """The interval of an accuracy, cut at 0 and 1."""
    low, high = (float(np.clip(end, 0, 1)) for end in (level.low, level.high))
    return replace(level, low=low, high=high)


def domain_findings(
    domains: Sequence[Domain], model: str, factor: str, category: str, reference: str
) -> tuple[Finding, ...]:
    """All findings of one model: over domains, then of each."""
    made = [*_less(domains, factor, reference), *_at_all(domains, factor, category)]
    if len(domains) <= MOST:
        made += [_less_of(domain, factor, reference) for domain in domains]
        made += [_at_all_of(domain, factor, category) for domain in domains]
    head = f"{model}: " if model else ""
    return tuple(replace(finding, statement=head + finding.statement) for finding in made if finding.n)


def verdict(domain: Domain) -> str:
    """
    >>> nothing = np.array([np.nan, np.nan])
    >>> verdict(Domain("photo", nothing, nothing, np.array([0.2, 0.22]), nothing, 9, 9, 0.2, {}))
    'known less well'
    """
    return {True: "known less well", False: "known better", None: "undecided"}[sign_holds(mean_interval(domain.gap), 1)]


def compared(reference: str) -> str:
    """Which networks a domain is compared by, in words."""
    return "a network trained on all domains" if reference == BOUND else "networks that left out another domain"


def _wide(n: int) -> str:
    return f"; {n} domains make a wide interval" if 1 < n < FEW else "; one domain makes no interval" if n == 1 else ""


def _less(domains: Sequence[Domain], factor: str, reference: str) -> list[Finding]:
    gap = over_domains(domains, "gap")
    if not gap.n:
        return []
    own, known = over_domains(domains, "left_out"), over_domains(domains, "trained")
    statement = (
        f"over {gap.n} level{'s' * (gap.n != 1)} of {factor}: accuracy is {own.value:.3f} where {factor} was left out, "
        f"and {known.value:.3f} on the same images by {compared(reference)}, with as many training images; the "
        f"interval is over levels of {factor}{_wide(gap.n)}"
    )
    return [_finding(LESS, statement, gap, sign_holds(gap, 1))]


def _less_of(domain: Domain, factor: str, reference: str) -> Finding:
    gap = mean_interval(domain.gap)
    own, known = mean_interval(domain.left_out), mean_interval(domain.trained)
    part = "" if domain.shared == domain.images else f" ({domain.shared:,} of them)"
    statement = (
        f"{own.value:.3f} of {domain.images:,} images are named right where it was left out, "
        f"and {known.value:.3f} of the same images{part} by {compared(reference)}, paired by repeat: {verdict(domain)}"
    )
    return _finding(f"{LESS}: {domain.name}", statement, gap, sign_holds(gap, 1))


def _at_all(domains: Sequence[Domain], factor: str, category: str) -> list[Finding]:
    above = mean_interval(
        np.array([mean_interval(domain.left_out).value - domain.majority for domain in domains], np.float64)
    )
    if not above.n:
        return []
    own, base = over_domains(domains, "left_out"), float(np.mean([domain.majority for domain in domains]))
    statement = (
        f"over {above.n} level{'s' * (above.n != 1)} of {factor}: accuracy is {own.value:.3f} where {factor} was left "
        f"out, and {base:.3f} for always saying its most frequent {category}; the interval is over levels of "
        f"{factor}{_wide(above.n)}"
    )
    return [_finding(AT_ALL, statement, above, sign_holds(above, 1))]


def _at_all_of(domain: Domain, factor: str, category: str) -> Finding:
    above, own = mean_interval(domain.left_out - domain.majority), mean_interval(domain.left_out)
    statement = (
        f"{own.value:.3f} of {domain.images:,} images are named right "
        f"where it was left out; always saying its most frequent {category} gives {domain.majority:.3f}"
    )
    return _finding(f"{AT_ALL}: {domain.name}", statement, above, sign_holds(above, 1))


def _finding(name: str, statement: str, interval: Interval, holds: bool | None) -> Finding:
    said = statement[:1].upper() + statement[1:]
    return Finding(name, said, interval.value, interval.low, interval.high, interval.n, None, holds)


def domain_answer(domains: Sequence[Domain], model: str, factor: str, chance: float) -> str:
    """The study's answer in two sentences with numbers."""
    head = f"{model}: " if model else ""
    own, known = clipped(over_domains(domains, "left_out")), clipped(over_domains(domains, "trained"))
    if not own.n:
        return f"{head}No {factor} that was left out has been asked yet."
    spread = f", interval over them [{own.low:.2f}, {own.high:.2f}]" if np.isfinite(own.low) else ""
    many = f"mean of {own.n} levels{spread}" if own.n > 1 else "one level"
    said = f"{head}Where a {factor} was never seen, accuracy is {own.value:.2f} ({many}; chance {chance:.2f})"
    if not known.n:
        return f"{said}. What it would be where it was trained on is not known yet."
    said += f"; where it was trained on, {known.value:.2f} on the same images."
    verdicts: dict[str, list[str]] = {}
    for domain in domains:
        verdicts.setdefault(verdict(domain), []).append(domain.name)
    repeats = max(int(np.isfinite(domain.gap).sum()) for domain in domains)
    order = [word for word in ("known less well", "known better", "undecided") if word in verdicts]
    parts = [f"{word}: {_named(verdicts[word], len(domains))}" for word in order]
    told = "; ".join(parts)
    return f"{said} {told[:1].upper()}{told[1:]} (n = {repeats})."


def _named(names: Sequence[str], every: int) -> str:
    """
    >>> _named(["photo", "sketch"], 4), _named(["photo", "sketch"], 2), _named(list("abcde"), 9)
    ('photo, sketch', 'both', '5 of 9')
    """
    if len(names) == every and every > 1:
        return f"all {every}" if every > 2 else "both"
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} of {every}"
