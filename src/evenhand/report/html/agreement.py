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
from evenhand.report.html.sections import HtmlTable, html_table, short_names, with_minus
from evenhand.results.agreement import STATES, Agreement, DrawnRegions
from evenhand.tables import Cell, Column, DisplayTable

SCRIPTS = ("nodes", "unpack", "lanes", "places")
MAX_DOCUMENTS = 100
"""Maximum number of documents in the table; those with most conflicts come first."""
_MAX_ROWS = 10
"""Maximum number of rows of a table of counts; the others are folded."""


def render(agreement: Agreement, places: DrawnRegions, title: str) -> str:
    """The page; the template escapes all texts, or they are JSON data."""
    return template("agreement.html").render(
        title=title,
        short=_short_names(agreement),
        agreement=agreement,
        style=style_sheet((*STYLES, "places")),
        script=Markup(one_function(SCRIPTS)),
        data=packed(_data(agreement, places)),
        total=places.by_state.total(),
        included=len(places.included()),
        documents=sum(agreement.coverage.by_number.values()),
        conflicts=places.by_state["undecided"] + places.by_state["decided"],
        verdict=verdict(agreement),
        headlines=list(_headlines(agreement)),
        tables=[_figures(table, agreement) for table in summary_of_agreement(agreement)],
        counts=list(_counts(agreement, places)),
    )


def _short_names(agreement: Agreement) -> dict[str, str]:
    """Short names of annotators and of pairs."""
    short = short_names(agreement.annotators)
    return short | {f"{a} – {b}": f"{short[a]} – {short[b]}" for a, b in agreement.pairs}


# The first screen


_RELIABLE, _TENTATIVE = 0.8, 0.667
"""Alpha from which data are reliable, and from which they allow tentative conclusions (Krippendorff 2004, p. 241)."""
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def verdict(agreement: Agreement) -> str:
    """One sentence: `Four annotators agree well: alpha 0.97, exact F1 89.0; weakest label: LOC.`"""
    number = len(agreement.annotators)
    opening = f"{_NUMBERS[number] if number < len(_NUMBERS) else number} annotators"
    if agreement.alpha is not None:
        alpha = agreement.alpha
        opening += f" agree {'well' if alpha >= _RELIABLE else 'moderately' if alpha >= _TENTATIVE else 'poorly'}"
    measure, mean = _first_score(agreement)
    figures = [] if agreement.alpha is None else [f"alpha {_coefficient(agreement.alpha)}"]
    figures += [] if mean is None else [f"{measure} {100 * mean:.1f}"]
    weakest = _weakest_label(agreement)
    ending = "" if weakest is None else f"; weakest label: {weakest}"
    return f"{opening}{': ' if figures else ''}{', '.join(figures)}{ending}."


def _headlines(agreement: Agreement) -> Iterator[dict[str, str]]:
    """The three figures below the sentence: name, value, interval, and a link to the places of the weakest label."""
    level = f"{100 * agreement.figures.resampling.level:g} % interval"

    def interval(path: str, form: str, factor: float = 1.0) -> str:
        bounds = agreement.intervals.get(path)
        if bounds is None:
            return ""
        return with_minus(f"{level} {format(factor * bounds.low, form)} to {format(factor * bounds.high, form)}")

    if agreement.alpha is not None:
        yield {
            "name": "Krippendorff's alpha",
            "value": _coefficient(agreement.alpha),
            "remark": interval("codes.all.alpha", "z.2f"),
        }
    measure, mean = _first_score(agreement)
    if mean is not None:
        remark = interval(f"f1.{next(iter(agreement.f1))}.mean", ".1f", 100)
        yield {"name": f"{measure}, mean of pairs", "value": f"{100 * mean:.1f}", "remark": remark}
    label = _weakest_label(agreement)
    if label is not None:
        figures = agreement.labels[label]
        score = measure if agreement.is_unitized else "F1"
        parts = [] if figures.f1.mean is None else [f"{score} {100 * figures.f1.mean:.1f}"]
        parts += [] if figures.alpha is None else [f"alpha {_coefficient(figures.alpha)}"]
        href = f"#places?{urlencode({'label': label})}"
        yield {"name": "weakest label", "value": label, "remark": ", ".join(parts), "href": href}


def _coefficient(value: float) -> str:
    """A coefficient with a minus sign if it rounds to less than 0.00."""
    return with_minus(f"{value:z.2f}")


def _first_score(agreement: Agreement) -> tuple[str, float | None]:
    """The first score of pairs in words, and its mean."""
    name, score = next(iter(agreement.f1.items()))
    return (name if not agreement.is_unitized and agreement.codes else f"{name} F1"), score.mean


def _weakest_label(agreement: Agreement) -> str | None:
    """The label with the lowest F1 of pairs or, without F1, with the lowest alpha; None if there are fewer than two."""
    labels = agreement.labels.items()
    by_f1 = {name: label.f1.mean for name, label in labels if label.f1.mean is not None}
    by_alpha = {name: label.alpha for name, label in labels if label.alpha is not None}
    for figures in (by_f1, by_alpha):
        if len(figures) > 1:
            return min(figures, key=lambda name: figures[name])
    return None


# Places


def _data(agreement: Agreement, places: DrawnRegions) -> dict[str, Any]:
    included = places.included()
    indexes = {number: index for index, number in enumerate(dict.fromkeys(number for number, _ in included))}
    sentences = [places.sentences[number] for number in indexes]
    return {
        "annotators": agreement.annotators,
        "short_names": list(short_names(agreement.annotators).values()),
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


def _counts(agreement: Agreement, places: DrawnRegions) -> Iterator[tuple[HtmlTable, HtmlTable | None]]:
    """Numbers of places in all, by pair, label and document: tables of the first rows and of the others, which fold."""
    yield _by_state("places", {"all": {}}, Counter({("all", state): places.by_state[state] for state in STATES})), None
    columns = [Column("differ", "text"), Column("places", "count")]
    pairs = [(f"{a} – {b}", places.by_pair[a, b], {"pair": f"{a}\t{b}"}) for a, b in agreement.pairs]
    pairs.sort(key=lambda pair: -pair[1])
    rows: list[list[Cell]] = [[name, count] for name, count, _ in pairs]
    yield _split(_with_links(html_table(DisplayTable("", columns, rows), ""), [[None, query] for _, _, query in pairs]))
    labels = _by_conflicts(places.by_label)
    yield _split(_by_state("label", {label: {"label": label} for label in labels}, places.by_label))
    documents = _by_conflicts(places.by_document)
    if len(documents) > 1:
        shown = {document: {"document": document} for document in documents[:MAX_DOCUMENTS]}
        yield _split(_by_state("document", shown, places.by_document))


def _by_conflicts(counts: Counter[tuple[str, str]]) -> list[str]:
    """Labels or documents, those with most conflicts first."""
    conflicts = Counter[str]()
    for (name, state), count in sorted(counts.items()):
        conflicts[name] += count if state != "agreed" else 0
    return [name for name, _ in conflicts.most_common()]


def _split(table: HtmlTable) -> tuple[HtmlTable, HtmlTable | None]:
    more = table.rows[_MAX_ROWS:]
    return replace(table, rows=table.rows[:_MAX_ROWS]), replace(table, rows=more) if more else None


def _figures(table: DisplayTable, agreement: Agreement) -> HtmlTable:
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
    return _with_links(html_table(DisplayTable("", columns, rows), ""), links)


def _with_links(table: HtmlTable, queries: Sequence[Sequence[Mapping[str, str] | None]]) -> HtmlTable:
    rows = [
        [
            replace(cell, href=f"#places?{urlencode(query)}") if query is not None and cell.text != "0" else cell
            for cell, query in zip(row, links, strict=True)
        ]
        for row, links in zip(table.rows, queries, strict=True)
    ]
    return replace(table, rows=rows)
