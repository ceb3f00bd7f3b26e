"""Entities on a page of coreference chains: the data of the section, and the text that is shown without a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from evenhand.dataclass import dataclass
from evenhand.results.comparison import Report

_MAX_TOKENS = 5_000
"""The number of tokens that are shown without a script."""
_COLORS = 12
"""The number of colours of the style sheet."""
_ALL = ("key_chain", "system_chain", "document", "name", "size", "verdict")
"""The columns of chains, before the similarity."""


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
    """A row: both numbers (0: none), document, name, size, verdict, similarity, whether it is certain, points, type,
    partner."""
    similarity = chain.get("similarity")
    return [
        *(chain.get(name, 0) for name in _ALL),
        None if similarity is None else round(similarity, 4),
        int(chain.get("certain", True)),
        round(100 * chain["gain"]["mela"], 4),
        chain["type"],
        chain.get("partner") or 0,
    ]


def entity_text(report: Report) -> dict[str, Any]:
    """For readers without a script: the first documents as coloured text, key and best system side by side."""
    assert report.drawn is not None
    best, size, parts, documents = next(iter(report.ordered)), 0, list[Markup](), report.drawn.documents
    for document in documents:
        size += sum(map(len, document["t"]))
        if parts and size > _MAX_TOKENS:
            break
        key, response = _text_mentions(document["s"][best]["m"])
        texts = [
            Markup("<tr><td>{}</td><td>{}</td></tr>").format(
                *(
                    _sentence(tokens, [mention for mention in side if mention.sentence == number])
                    for side in (key, response)
                )
            )
            for number, tokens in enumerate(document["t"])
        ]
        head = Markup("<tr><th>{}, key</th><th>{}</th></tr>").format(document["d"], best)
        parts.append(Markup('<table class="threads">{}{}</table>').format(head, Markup("").join(texts)))
    return {"text": Markup("").join(parts), "left_out": len(parts) < len(documents)}


@dataclass(frozen=True)
class _TextMention:
    """A mention as it is shown: the number of its entity (0: none), a label, and a class of the style sheet."""

    sentence: int
    start: int
    end: int
    entity: int
    label: str
    style: str = ""


def _text_mentions(rows: Sequence[Sequence[int]]) -> tuple[list[_TextMention], list[_TextMention]]:
    """The mentions of the key, and those of the response with the ones that it misses."""
    key, response = [], []
    for sentence, start, end, entity, chain, other in rows:
        place, corrected = (sentence, start, end), other >= 0
        if entity:
            key.append(_TextMention(*place, entity, str(entity)))
        if chain:
            own = entity or (rows[other][3] if corrected else 0)
            label = str(own) if own else f"+{chain}"
            response.append(_TextMention(*place, own, label, "differs" if corrected else ""))
        elif not corrected:
            response.append(_TextMention(*place, entity, f"{entity}?", "absent"))
    return key, response


def _sentence(tokens: Sequence[str], mentions: Sequence[_TextMention]) -> Markup:
    """A sentence with brackets around mentions."""
    opens: dict[int, list[Markup]] = {}
    closes: dict[int, int] = {}
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        color = mention.entity and (mention.entity - 1) % _COLORS + 1
        opens.setdefault(mention.start, []).append(
            Markup('<span class="m e{}{}"><sup>{}</sup>[').format(
                color, f" {mention.style}" if mention.style else "", mention.label
            )
        )
        last = min(mention.end, len(tokens)) - 1
        closes[last] = closes.get(last, 0) + 1
    words = [
        Markup("").join(opens.get(at, [])) + escape(token) + Markup("]</span>" * closes.get(at, 0))
        for at, token in enumerate(tokens)
    ]
    return Markup(" ").join(words)
