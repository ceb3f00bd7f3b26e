"""Queries as addresses of a page."""

from __future__ import annotations

import pytest

from evenhand.report.html.sections import address, html_table
from evenhand.tables import Column, Query, Table


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        (Query("crf", kind="LE", gold="PER"), "#units?system=crf&kind=LE&gold=PER"),
        (Query("crf", right=False, gold="", predicted="a&b=c"), "#units?system=crf&right=0&gold=&predicted=a%26b%3Dc"),
        (Query(from_="a", to="b", different=True, label="É"), "#units?from=a&to=b&different=1&label=%C3%89"),
        (Query(of="gold", solved="some"), "#units?of=gold&solved=some"),
    ],
)
def test_what_is_asked_for_is_spelled_in_one_order(query: Query, spelled: str) -> None:
    assert address(query, "fair") == spelled


def test_verdicts_of_another_score_are_not_in_the_page() -> None:
    query = Query("crf", kind="wl", by="arcs_any")
    assert address(query, "arcs_any") == "#units?system=crf&kind=wl"
    assert address(query, "arcs_nom") is None
    assert address(None, "arcs_any") is None


def test_cells_without_a_figure_have_no_link() -> None:
    columns = [Column("label", "text"), Column("a", "count"), Column("b", "bar"), Column("c", "percent")]
    asked = [Query(label=name) for name in "wxyz"]
    table = html_table(Table("", columns, [["PER", 0, 0.5, 0.5]], queries=[asked]), "fair")
    assert [(cell.text, cell.href) for cell in table.rows[0]] == [
        ("PER", "#units?label=w"),
        ("0", None),
        ("50.00", "#units?label=z"),
    ]
