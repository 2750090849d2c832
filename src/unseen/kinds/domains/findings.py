"""Is the category recognised in a domain that was never seen? In sentences with numbers.

Of one domain the repeats are seeds, or draws of the images; over domains, which is what a claim about new domains rests
on, they are the domains themselves, each with its mean over repeats. Three or four domains give a wide interval, and
the sentence says so. Beside a gap stand the numbers that it is the difference of: of the images, repeats and domains
that have both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from unseen.kinds.domains.numbers import BOUND, Domain
from unseen.kinds.judged import judged
from unseen.measures import Interval, judge, mean_interval
from unseen.measures.verdicts import LEVEL_SPREAD
from unseen.reports.finding import Finding
from unseen.vocabulary.words import capital

GAP = "gap"
LESS = "known less well where the domain was never seen"
AT_ALL = "recognised in a domain that was never seen"
FEW = 6  # domains below which an interval over them is called wide
MOST = 8  # domains that have findings of their own on the page; of more the table tells
WORDS = {True: "known less well", False: "known better", None: "undecided"}  # what a gap says


def over_domains(domains: Sequence[Domain], key: str) -> Interval:
    """Mean over domains of their means over repeats, with an interval over domains."""
    return mean_interval(_means(domains, key))


def _means(domains: Sequence[Domain], key: str) -> np.ndarray:
    return np.array([mean_interval(getattr(domain, key)).value for domain in domains], np.float64)


def paired(domains: Sequence[Domain]) -> list[Domain]:
    """Those that have a gap."""
    return [domain for domain in domains if np.isfinite(domain.gap).any()]


def domain_findings(
    domains: Sequence[Domain], model: str, factor: str, category: str, reference: str, draws: int = 1
) -> tuple[Finding, ...]:
    """All findings of one model: over domains, then of each. The page corrects those of all models together."""
    over, own = f"levels of {factor}", repeat_words(draws, 2)
    made = [
        replace(one, over=over) for one in (*_less(domains, factor, reference), *_at_all(domains, factor, category))
    ]
    made += [replace(_less_of(domain, reference), over=own) for domain in domains]
    made += [replace(_at_all_of(domain, category), over=own) for domain in domains]
    head = f"{model}: " if model else ""
    return tuple(replace(one, statement=head + one.statement) for one in made if one.n)


def shown(found: Sequence[Finding]) -> list[Finding]:
    """Those that have a line on the page: of many domains only those over them."""
    own = [one for one in found if one.key.startswith(GAP)]
    return list(found) if len(own) <= MOST else [one for one in found if not one.key]


def gap_key(domain: Domain) -> str:
    return f"{GAP} {domain.name}"


def verdicts(found: Sequence[Finding]) -> dict[str, str]:
    """What the gap of each domain says, by the key of its finding, and that over all domains ("")."""
    said = {one.key: WORDS[one.holds] for one in found if one.key.startswith(GAP)}
    return said | {"": next((WORDS[one.holds] for one in found if one.name == LESS), WORDS[None])}


def compared(reference: str) -> str:
    """Which networks a domain is compared by, in words."""
    return "a network trained on all domains" if reference == BOUND else "networks that left out another domain"


def learned(domains: Sequence[Domain]) -> str:
    """Whether the two kinds of networks learned from as many images, in words; "" where it was not noted.

    >>> one = Domain("photo", *[np.array([np.nan])] * 8, {}, frozenset({(80, 100)}))
    >>> learned([one]), learned([replace(one, learned=frozenset({(80, 80)}))])
    ('with 100 training images against 80', 'with as many training images (80)')
    """
    pairs = frozenset[tuple[int, int]]().union(*(domain.learned for domain in domains))
    if not pairs:
        return ""
    own, known = (span(pair[kind] for pair in pairs) for kind in (0, 1))
    if all(one == other for one, other in pairs):
        return f"with as many training images ({own})"
    return f"with {known} training images against {own}"


def span(counts: Iterable[float]) -> str:
    """
    >>> span([24.0, np.nan, 24.0]), span([1200, 80])
    ('24', '80–1,200')
    """
    found = [round(count) for count in counts if np.isfinite(count)]
    if not found:
        return "no"
    low, high = min(found), max(found)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def unpaired_words(domain: Domain, into: str = "any number here") -> str:
    """Which repeats a gap is not of; "" where it is of all."""
    if not domain.unpaired or not np.isfinite(domain.gap).any():
        return ""
    every = int(np.isfinite(domain.left_out).sum())
    lack, do = ("lacks", "does") if domain.unpaired == 1 else ("lack", "do")
    return f"{domain.unpaired} of {every} repeats {lack} the network to compare with and {do} not enter {into}"


def _wide(n: int) -> str:
    return f"; {n} domains give a wide interval" if 1 < n < FEW else "; one domain gives no interval" if n == 1 else ""


def _less(domains: Sequence[Domain], factor: str, reference: str) -> list[Finding]:
    have = paired(domains)
    gap = over_domains(have, "gap")
    if not gap.n:
        return []
    own, known = over_domains(have, "same"), over_domains(have, "trained")
    training = f", {words}" if (words := learned(have)) else ""
    lacking = len(domains) - len(have)
    less = f"; {lacking} more {'has' if lacking == 1 else 'have'} no gap yet" if lacking else ""
    statement = (
        f"over {gap.n} level{'s' * (gap.n != 1)} of {factor}: accuracy is {own.value:.3f} where {factor} was left out, "
        f"and {known.value:.3f} on the same images by {compared(reference)}{training}; the "
        f"interval is over levels of {factor}{_wide(gap.n)}{less}"
    )
    return [_finding(LESS, statement, _means(have, "gap"))]


def _less_of(domain: Domain, reference: str) -> Finding:
    own, known = mean_interval(domain.same), mean_interval(domain.trained)
    training = f", {words}" if (words := learned([domain])) else ""
    statement = (
        f"{own.value:.3f} of {span(domain.shared)} images are named right where it was left out, "
        f"and {known.value:.3f} of the same images by {compared(reference)}{training}, paired by repeat"
    )
    if domain.partly:
        every = mean_interval(domain.left_out)
        statement += f"; of all that was asked where it was left out ({span(domain.images)} images, {every.n} repeats) "
        statement += f"{every.value:.3f}"
    if words := unpaired_words(domain, "the gap"):
        statement += f"; {words}"
    return _finding(f"{LESS}: {domain.name}", statement, domain.gap, gap_key(domain))


def _at_all(domains: Sequence[Domain], factor: str, category: str) -> list[Finding]:
    margins = np.array([mean_interval(domain.left_out - domain.majority).value for domain in domains], np.float64)
    above = mean_interval(margins)
    if not above.n:
        return []
    own, base = over_domains(domains, "left_out"), over_domains(domains, "majority")
    statement = (
        f"over {above.n} level{'s' * (above.n != 1)} of {factor}: accuracy is {own.value:.3f} where {factor} was left "
        f"out, and {base.value:.3f} for always saying its most frequent {category}; the interval is over levels of "
        f"{factor}{_wide(above.n)}"
    )
    return [_finding(AT_ALL, statement, margins, spread=LEVEL_SPREAD)]


def _at_all_of(domain: Domain, category: str) -> Finding:
    own = mean_interval(domain.left_out)
    statement = (
        f"{own.value:.3f} of {span(domain.images)} images are named right where it was left out; always saying its "
        f"most frequent {category} gives {mean_interval(domain.majority).value:.3f}"
    )
    above = domain.left_out - domain.majority  # a level against a margin, and no difference of two like numbers
    return _finding(f"{AT_ALL}: {domain.name}", statement, above, f"all {domain.name}", LEVEL_SPREAD)


def _finding(name: str, statement: str, values: np.ndarray, key: str = "", spread: float = 0.0) -> Finding:
    return judged(name, capital(statement), judge(values, 1, spread=spread).within(-1, 1), key=key)


def domain_answer(
    domains: Sequence[Domain], found: Sequence[Finding], model: str, factor: str, chance: float, draws: int = 1
) -> str:
    """The study's answer in two sentences with numbers. ``found``: the findings of the model; ``draws``: of the images,
    which repeats may be."""
    head = f"{model}: " if model else ""
    have = paired(domains)
    own, known = over_domains(have or domains, "same" if have else "left_out").cut(0, 1), over_domains(have, "trained")
    if not own.n:
        return f"{head}No {factor} that was left out has been asked yet."
    spread = f", interval over them [{own.low:.2f}, {own.high:.2f}]" if np.isfinite(own.low) else ""
    many = f"mean of {own.n} levels{spread}" if own.n > 1 else "one level"
    usual = over_domains(have or domains, "majority").value
    base = f"chance {chance:.2f}, always saying the most frequent {usual:.2f}"
    said = f"{head}Where a {factor} was never seen, accuracy is {own.value:.2f} ({many}; {base})"
    if not have:
        return f"{said}. Accuracy of networks trained on it is not known yet."
    said += f"; where it was trained on, {known.value:.2f} on the same images."
    by_word: dict[str, list[str]] = {}
    said_of = verdicts(found)
    for domain in have:
        by_word.setdefault(said_of[gap_key(domain)], []).append(domain.name)
    parts = [f"{word}: {_named(by_word[word], len(domains))}" for word in WORDS.values() if word in by_word]
    if len(have) < len(domains):
        parts.append(f"not known yet: {_named([one.name for one in domains if one not in have], len(domains))}")
    told = "; ".join(parts)
    repeats = [int(np.isfinite(domain.gap).sum()) for domain in have]
    dropped = f"; {sum(one.unpaired for one in have)} without a pair left out" if any(d.unpaired for d in have) else ""
    return f"{said} {capital(told)} (n = {span(repeats)} {repeat_words(draws, max(repeats))}{dropped})."


def repeat_words(draws: int, n: int) -> str:
    """
    >>> repeat_words(1, 3), repeat_words(4, 4), repeat_words(1, 1)
    ('seeds of one split', 'draws of the images', 'seed of one split')
    """
    return f"draw{'s' * (n != 1)} of the images" if draws > 1 else f"seed{'s' * (n != 1)} of one split"


def _named(names: Sequence[str], every: int) -> str:
    """
    >>> _named(["photo", "sketch"], 4), _named(["photo", "sketch"], 2), _named(list("abcde"), 9)
    ('photo, sketch', 'both', '5 of 9')
    """
    if len(names) == every and every > 1:
        return f"all {every}" if every > 2 else "both"
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} of {every}"
