"""The page of suspects: a card for each, with both readings and the reason, to review the proposals."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from evenhand.errors import announced
from evenhand.report.html import STYLES, one_function, packed, style_sheet, template
from evenhand.report.html.sections import html_table
from evenhand.report.suspect_tables import EXPECTED, described, opening, place, truth_table, voters_table
from evenhand.results.suspects import Reading, Suspect, Suspects

SCRIPTS = ("unpack", "review")


def render(suspects: Suspects, title: str = "") -> str:
    """The page; the template escapes all texts, or they are JSON data."""
    overrides: list[dict[str, Any] | None] = [None] * len(suspects.suspects)
    if suspects.writes_overrides:
        overrides = [
            None if suspect.has_gaps else suspect.override(tuple(suspects.systems)) for suspect in suspects.suspects
        ]
    key = sha256(f"{suspects.gold}|{suspects.signature}|{overrides}".encode()).hexdigest()[:16]
    tables = [voters_table(suspects)]
    if suspects.truth is not None:
        tables.insert(0, truth_table(suspects.truth, suspects.rule))
    return template("suspects.html").render(
        title=title or f"Suspects in {suspects.gold.name}",
        opening=opening(suspects),
        expected=EXPECTED,
        suspects=suspects,
        cards=list(_cards(suspects)),
        notes=list(map(announced, suspects.notes)),
        tables=[html_table(table, "") for table in tables],
        style=style_sheet((*STYLES, "suspects")),
        script=Markup(one_function(SCRIPTS)),
        data=packed({"key": key, "overrides": overrides, "name": f"{suspects.gold.name}-overrides.jsonl"}),
    )


def _cards(suspects: Suspects) -> Iterator[dict[str, Any]]:
    for suspect in suspects.suspects:
        yield {
            "suspect": suspect,
            "place": place(suspect),
            "change": f"{described(suspect.gold, None if suspect.gold is None else suspect.gold_reading)} → "
            f"{described(suspect.to, suspect.proposed_reading)}",
            "readings": _readings(suspect),
            "can_decide": suspects.writes_overrides and not suspect.has_gaps,
        }


def _readings(suspect: Suspect) -> Iterator[tuple[str, str, str, Reading | None]]:
    """For each side: its name, its class, its label, and its span in the sentence."""
    sides = (
        ("Gold standard", "gold", suspect.gold, suspect.gold_reading),
        ("Proposal", "proposal", suspect.to, suspect.proposed_reading),
    )
    other = suspect.gold_reading or suspect.proposed_reading
    for name, kind, span, reading in sides:
        if span is None:  # the sentence without a mark
            yield name, kind, "nothing", None if other is None else Reading("".join(other), "", "")
        else:
            yield name, kind, span.label, reading
