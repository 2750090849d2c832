"""Rules about failures as a section of a page, and on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rich.console import Console
from rich.markup import escape as plain

from unseen.kinds.failures.sentences import answer, length_rows, mark, percent, sentences
from unseen.kinds.failures.subject_rules import SubjectRules
from unseen.reports.blocks import Block, Html, Section, Table, Text
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import whole_percent

HEADS = ("rule", "wrong [95 %]", "answers", "objects", "of all failures", "by itself")
NOTE = (
    "Rules are found on half of the objects and judged on the other half; the first rule that fits takes an answer. "
    "Intervals are over objects. By itself: whether a rule's answers fail more often than those after it, corrected "
    "for the number of rules. Without rules nothing in the factors tells failures apart, as far as these answers show."
)
LENGTHS = ("rules", "conditions", "ranks failures (AUC)", "explains")
LENGTHS_NOTE = (
    "On the held-out half. AUC: how often, of a wrong and a right answer, the wrong one has the higher risk (0.5: by "
    "chance). Explains: share of the deviance. Boosted trees, which nobody can read, say what the same factors could "
    "tell."
)


def section(every: Sequence[SubjectRules]) -> Section | str:
    """When does it fail? One list for everyone who answered."""
    if not every:
        return "Rules about failures: there are no answers."
    several = len({one.target for one in every}) > 1
    blocks: list[Block] = []
    for one in every:
        if len(every) > 1:
            title = f"{one.name}: {one.target}" if several else one.name
            blocks.append(Html(f"<h3>{escape(title)}</h3>"))
        blocks.append(Text(answer(one)))
        if rows := _rows(one):
            blocks.append(Table(HEADS, rows, right=HEADS[1:5], wrap=("rule",)))
        if one.found.lengths:
            lengths = tuple(length_rows(one.found))
            blocks.append(Table(LENGTHS, lengths, right=LENGTHS[1:], fold="Shorter and longer lists"))
    notes = [Text(NOTE, small=True)] if any(one.found.lengths for one in every) else []
    notes += [Text(LENGTHS_NOTE, small=True)] if notes else []
    return Section("rules", "When does it fail? Rules", (*blocks, *notes))


def _rows(one: SubjectRules) -> tuple[tuple[str, ...], ...]:
    if not one.tells or one.found.otherwise is None:
        return ()
    made = []
    for place, rule in enumerate((*one.found.rules, one.found.otherwise)):
        words = "otherwise" if rule.rule is None else f"{'else if' if place else 'if'} {rule.rule}"
        share = f"{whole_percent(rule.share)}\u00a0%"
        made.append((words, percent(rule.wrong), f"{rule.rows:,}", f"{rule.wrong.n:,}", share, mark(rule)))
    return tuple(made)


def show(console: Console, every: Sequence[SubjectRules]) -> None:
    """Every list in sentences, within 80 columns, and what other lengths would do."""
    for number, one in enumerate(every):
        if number:
            console.print()
        console.print(f"[bold]{plain(one.name)}[/], {plain(one.target)}", highlight=False)
        print_hanging(console, answer(one))
        for words, rule in zip(sentences(one), (*one.found.rules, None)):
            print_hanging(console, f"  {words}{f' ({mark(rule)})' if rule is not None else ''}")
        if one.found.lengths:
            table = bare_table("  rules", "conditions", "AUC [95 %]", "explains")
            for row in length_rows(one.found):
                table.add_row(f"  {row[0]}", *row[1:])
            print_table(console, table)
    console.print()
    print_hanging(console, NOTE)
