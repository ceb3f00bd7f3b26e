"""Entities on a page of coreference chains: the data of the section, and the text that is shown without a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from evenhand.results.comparison import Report

_MAX_TOKENS = 5_000
"""The number of tokens that are shown without a script."""
_COLORS = 12
"""The number of colours of the style sheet."""
_ALL = ("key_chain", "system_chain", "document", "name", "size", "verdict")


def entity_data(report: Report) -> dict[str, Any]:
    """The documents with all mentions, the errors by type, and the chains of each system; systems by score."""
    assert report.drawn is not None
    names = list(report.ordered)
    reports = [report.results[name].entities or {} for name in names]
    documents = [{**document, "s": [document["s"][name] for name in names]} for document in report.drawn.documents]
    return {
        "documents": documents,
        "left_out": report.drawn.left_out,
        "errors": [
            [
                [name, row["count"], row["alone"]["mela"], row["in_order"]["mela"]]
                for name, row in found["errors"].items()
            ]
            for found in reports
        ],
        "chains": [[_chain(chain) for chain in found["chains"]] for found in reports],
    }


def _chain(chain: dict[str, Any]) -> list[Any]:
    """A row: both numbers (0: none), document, name, size, verdict, similarity, whether it is certain, points."""
    similarity = chain.get("similarity")
    return [
        *(chain.get(name, 0) for name in _ALL),
        None if similarity is None else round(similarity, 4),
        int(chain.get("certain", True)),
        round(100 * chain["gain"]["mela"], 4),
    ]


def entity_text(report: Report) -> Markup:
    """The first documents as coloured text, key and best system side by side, for readers without a script."""
    assert report.drawn is not None
    best, size, parts = next(iter(report.ordered)), 0, list[Markup]()
    for document in report.drawn.documents:
        size += sum(map(len, document["t"]))
        if parts and size > _MAX_TOKENS:
            break
        rows = document["s"][best]["m"]
        key = [(sentence, start, end, chain, "") for sentence, start, end, chain, _, _ in rows if chain]
        response = []
        for sentence, start, end, own, chain, other in rows:
            entity = own or (rows[other][3] if other >= 0 else 0)
            if chain:
                response.append((sentence, start, end, entity, "" if entity else "+"))
        texts = [
            Markup("<tr><td>{}</td><td>{}</td></tr>").format(
                *(_sentence(tokens, number, side) for side in (key, response))
            )
            for number, tokens in enumerate(document["t"])
        ]
        head = Markup("<tr><th>{}, key</th><th>{}</th></tr>").format(document["d"], best)
        parts.append(Markup('<table class="threads">{}{}</table>').format(head, Markup("").join(texts)))
    return Markup("").join(parts)


def _sentence(tokens: Sequence[str], number: int, mentions: Sequence[tuple[int, int, int, int, str]]) -> Markup:
    """A sentence with brackets around mentions; each has the number and the colour of its entity."""
    inside = sorted((row for row in mentions if row[0] == number), key=lambda row: (row[1], -row[2]))
    opens: dict[int, list[Markup]] = {}
    closes: dict[int, int] = {}
    for _, start, end, entity, mark in inside:
        label = f"{mark or entity}"
        opens.setdefault(start, []).append(
            Markup('<span class="m e{}"><sup>{}</sup>[').format(entity and (entity - 1) % _COLORS + 1, label)
        )
        last = min(end, len(tokens)) - 1
        closes[last] = closes.get(last, 0) + 1
    words = [
        Markup("").join(opens.get(at, [])) + escape(token) + Markup("]</span>" * closes.get(at, 0))
        for at, token in enumerate(tokens)
    ]
    return Markup(" ").join(words)
