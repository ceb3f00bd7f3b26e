"""Suspects as tables: the list with its reasons, the voters, and the comparison with a corrected gold standard."""

from __future__ import annotations

from evenhand.comparison.suspects import SuspectCurve
from evenhand.data.overrides import LabeledBounds
from evenhand.errors import counted
from evenhand.report.document import ReportDocument, Section
from evenhand.results.suspects import Reading, Suspect, Suspects
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle

EXPECTED = (
    "Expect about 2 of 3 among the first 25 to be right: 18 of 25 on data that did not influence the rule. "
    "The first suspects are the best; the list is long, and most of its end is wrong."
)


def opening(suspects: Suspects) -> str:
    shown = f"{len(suspects.suspects):,} of {counted(suspects.found, 'suspect')}"
    return (
        f"{shown} in {suspects.gold.name}, by the rule {suspects.rule} from {counted(len(suspects.systems), 'system')}"
    )


def suspects_document(suspects: Suspects, style: TableStyle) -> ReportDocument:
    sections = [Section("", [_list(suspects), _reasons(suspects)])] if suspects.suspects else []
    if suspects.truth is not None:
        sections.append(Section("Against the corrected gold standard:", [truth_table(suspects.truth, suspects.rule)]))
    sections.append(Section("Voters:", [voters_table(suspects)]))
    hint = EXPECTED if suspects.suspects and suspects.truth is None else ""
    return ReportDocument(opening(suspects), sections, suspects.notes, suspects.signature, hint=hint)


def _list(suspects: Suspects) -> DisplayTable:
    columns = [
        Column("", "label"),
        Column("place", "text"),
        Column("suspicion", "label"),
        Column("gold standard", "text"),
        Column("proposal", "text"),
    ]
    rows: list[list[Cell]] = [
        [
            str(suspect.rank),
            place(suspect),
            f"{suspect.suspicion:.2f}",
            described(suspect.gold, suspect.gold_reading),
            described(suspect.to, suspect.proposed_reading),
        ]
        for suspect in suspects.suspects
    ]
    return DisplayTable("", columns, rows)


def _reasons(suspects: Suspects) -> DisplayTable:
    columns = [Column("", "label"), Column("reason", "text")]
    return DisplayTable("", columns, [[str(suspect.rank), suspect.note] for suspect in suspects.suspects])


def place(suspect: Suspect) -> str:
    """The line in the file or, without lines, the sentence."""
    return f"sentence {suspect.sentence:,}" if suspect.line is None else f"line {suspect.line:,}"


def described(span: LabeledBounds | None, reading: Reading | None) -> str:
    """A label and its text or, without a text, its tokens, counted from 1."""
    if span is None:
        return "nothing"
    if reading is not None:
        return f"{span.label} {' '.join(reading.string.split())}"
    tokens = f"token {span.end}" if span.end == span.start + 1 else f"tokens {span.start + 1}-{span.end}"
    return f"{span.label}, {tokens}"


def voters_table(suspects: Suspects) -> DisplayTable:
    columns = [
        Column("system", "text"),
        Column("F1", "percent"),
        Column("weight", "label"),
        Column("proposals", "count"),
    ]
    rows: list[list[Cell]] = [
        [name, voter.f1, f"{voter.weight:.3f}", voter.proposals] for name, voter in suspects.systems.items()
    ]
    remark = (
        "Proposals: listed suspects with the system's answer. A voter gains from its own proposals: before you rank a "
        "system on the corrected gold standard, leave it out with --leave-out."
    )
    return DisplayTable("", columns, rows, remark=remark)


def truth_table(truth: SuspectCurve, rule: str) -> DisplayTable:
    columns = [
        Column("rule", "text"),
        Column("AP wrong", "percent"),
        Column("AP missing", "percent"),
        *(Column(f"first {number:,}", "count") for number in truth.steps),
    ]
    rankings = {rule: truth.rule, **({} if rule == "votes" else {"votes": truth.votes})}
    rows: list[list[Cell]] = [
        [
            name,
            UNDEFINED if ranking.ap_wrong is None else ranking.ap_wrong,
            UNDEFINED if ranking.ap_missing is None else ranking.ap_missing,
            *(ranking.found_at(number) for number in truth.steps),
        ]
        for name, ranking in rankings.items()
    ]
    remark = (
        f"{truth.wrong:,} of {truth.gold_spans:,} gold spans are wrong, {truth.missing:,} of {truth.others:,} other "
        f"candidates are missing; {counted(truth.places, 'place')} in total. First N: number of places found."
    )
    return DisplayTable("", columns, rows, remark=remark)
