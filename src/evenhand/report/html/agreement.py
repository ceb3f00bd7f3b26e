"""The page of an agreement: its figures, and all places with a lane for each annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from evenhand.report.agreement_tables import summary_of_agreement
from evenhand.report.html import STYLES, one_function, packed, sentence_data, style_sheet, template
from evenhand.report.html.sections import HtmlTable, html_table
from evenhand.results.agreement import STATES, Agreement, DrawnRegions
from evenhand.tables import Cell, Column, Table

SCRIPTS = ("nodes", "unpack", "lanes", "places")
MAX_DOCUMENTS = 100
"""Maximum number of documents in the table; those with most conflicts come first."""


def render(agreement: Agreement, places: DrawnRegions, title: str) -> str:
    """The page; the template escapes all texts, or they are JSON data."""
    return template("agreement.html").render(
        title=title,
        agreement=agreement,
        style=style_sheet((*STYLES, "places")),
        script=Markup(one_function(SCRIPTS)),
        data=packed(_data(agreement, places)),
        total=places.by_state.total(),
        included=len(places.included()),
        conflicts=places.by_state["undecided"] + places.by_state["decided"],
        tables=[_figures(table, agreement) for table in summary_of_agreement(agreement)],
        counts=list(_counts(agreement, places)),
    )


def _data(agreement: Agreement, places: DrawnRegions) -> dict[str, Any]:
    included = places.included()
    indexes = {number: index for index, number in enumerate(dict.fromkeys(number for number, _ in included))}
    sentences = [places.sentences[number] for number in indexes]
    return {
        "annotators": agreement.annotators,
        "labels": places.labels,
        "space": "" if any(sentence.pieces for sentence in sentences) else " ",
        "sentences": list(map(sentence_data, sentences)),
        "places": [
            {
                "at": indexes[number],
                **{name: getattr(drawn, name) for name in ("state", "start", "end", "offsets", "accepted")},
                "answers": [drawn.answers.get(name) for name in agreement.annotators],
            }
            for number, drawn in included
        ],
    }


def _counts(agreement: Agreement, places: DrawnRegions) -> Iterator[HtmlTable]:
    yield _by_state("places", {"all": {}}, Counter({("all", state): places.by_state[state] for state in STATES}))
    columns = [Column("differ", "text"), Column("places", "count")]
    pairs = [(f"{a} – {b}", places.by_pair[a, b], {"pair": f"{a}\t{b}"}) for a, b in agreement.pairs]
    rows: list[list[Cell]] = [[name, count] for name, count, _ in pairs]
    yield _with_links(html_table(Table("", columns, rows), ""), [[None, query] for _, _, query in pairs])
    labels = sorted({label for label, _ in places.by_label})
    yield _by_state("label", {label: {"label": label} for label in labels}, places.by_label)
    conflicts = Counter[str]()
    for (document, state), count in places.by_document.items():
        conflicts[document] += count if state != "agreed" else 0
    documents = [document for document, _ in conflicts.most_common(MAX_DOCUMENTS)]
    if len(conflicts) > 1:
        yield _by_state("document", {document: {"document": document} for document in documents}, places.by_document)


def _figures(table: Table, agreement: Agreement) -> HtmlTable:
    """A table of figures, with links from labels, pairs and documents to their places."""
    pairs = {f"{a} – {b}": f"{a}\t{b}" for a, b in agreement.pairs}
    name, *_ = (column.name for column in table.columns)
    figures = html_table(table, "")
    if name not in ("label", "pair", "document"):
        return figures
    queries = [{name: pairs.get(row[0].text, row[0].text)} for row in figures.rows]
    return _with_links(figures, [[query, *[None] * (len(table.columns) - 1)] for query in queries])


def _by_state(name: str, queries: Mapping[str, Mapping[str, str]], counts: Counter[tuple[str, str]]) -> HtmlTable:
    """One row per name, with the numbers of places by state."""
    columns = [Column(name, "text"), *(Column(state, "count") for state in STATES)]
    rows: list[list[Cell]] = [[query, *(counts[query, state] for state in STATES)] for query in queries]
    links = [[None, *({**query, "state": state} for state in STATES)] for query in queries.values()]
    return _with_links(html_table(Table("", columns, rows), ""), links)


def _with_links(table: HtmlTable, queries: Sequence[Sequence[Mapping[str, str] | None]]) -> HtmlTable:
    rows = [
        [
            replace(cell, href=f"#places?{urlencode(query)}") if query is not None and cell.text != "0" else cell
            for cell, query in zip(row, links, strict=True)
        ]
        for row, links in zip(table.rows, queries, strict=True)
    ]
    return replace(table, rows=rows)
