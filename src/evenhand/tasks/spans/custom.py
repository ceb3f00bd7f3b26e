"""Custom match: a function of the user decides how well a system span matches a gold span.

The function gets a gold span and a system span (`Span`: label, start, end, text, sentence, document) and returns their
credit c: True or 1 for a match, False or 0 for none, or a number between 0 and 1 for a partial match. It is called for
every pair of spans in one matching window (the sentence, otherwise the document) that share a token; with the attribute
`function.all_pairs = True`, for every pair in one window.

Spans are then assigned one to one, by the assignment with the largest sum of credits. Among assignments with equal
sums, the order of the text decides: start, end, label and gaps of the gold span, then of the system span. So the result
does not depend on the order of spans in a file.

| error type | the pair                                                     |
| ---------- | ------------------------------------------------------------ |
| TP         | assigned, c = 1                                              |
| PAR        | assigned, 0 < c < 1                                          |
| FN, FP     | a gold span, a system span without a partner                 |

- credit = TP + the sum of c over all PAR
- precision P = credit / (TP + PAR + FP), recall R = credit / (TP + PAR + FN)

By label, a pair counts for the label of its gold span, an FP for its label. c is rounded to a multiple of `2**-30`, so
sums do not depend on how files are divided.

Source: this project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, Values, equal_pairs
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.errors import PAIRS, LimitError, SettingError
from evenhand.parameters import quote_briefly
from evenhand.scoring.tally import Tally
from evenhand.tasks.assignment import best_cells
from evenhand.tasks.spans.matching import Matching, SpanMatches, SpanPair, groups_and_labels
from evenhand.tasks.spans.measures import CLASS_KINDS, PAR, TP
from evenhand.tasks.spans.overlap import span_ranks
from evenhand.tasks.unit_rows import UnitRows

Match = Callable[["Span", "Span"], bool | float]
_KINDS = (*CLASS_KINDS, "credit")
_CREDIT = _KINDS.index("credit")
_ROUNDING = 2.0**30


class Span(NamedTuple):
    """A span as a match function gets it."""

    label: str
    start: int
    """The first position, from 0: a character of the text if there is one, else a token of the sentence."""
    end: int
    """The end, exclusive."""
    text: str | None
    """Its text, or its tokens with spaces between them; None if the gold standard has neither."""
    sentence: int
    """The number of the sentence, from 1."""
    document: str
    """The name of the document or, if it has none, its number from 1."""


@dataclass(frozen=True)
class CustomMatches:
    """The error types of all spans, and the credit of each."""

    matches: SpanMatches
    credit: Values
    """The credit of each unit, 0 without a partner."""


def count_custom(pair: SpanPair, measure: str) -> Tally:
    decided = pair.cached(custom_matches, measure)
    units = decided.matches
    group, gold, system = groups_and_labels(units.gold, units.system, *pair.original, pair.groups)
    partial = np.flatnonzero(units.kind == PAR)
    rows = np.append(np.arange(len(units)), partial)
    kind = np.append(units.kind, np.full(len(partial), _CREDIT))
    count = np.append(np.ones(len(units)), decided.credit[partial]) if len(partial) else None
    return Tally.of(pair.labels, _KINDS, group[rows], gold[rows], system[rows], kind, count)


def custom_units(pair: SpanPair, measure: str) -> UnitRows:
    units = pair.cached(custom_matches, measure).matches
    return UnitRows.of_pairs(_KINDS, units.kind, units.gold, units.system, *pair.original)


def custom_matches(pair: SpanPair, name: str) -> CustomMatches:
    """The best assignment under a function of the settings."""
    function = pair.settings.functions[name]
    matching, credit_of = Matching(pair.gold, pair.system), np.zeros(len(pair.gold))
    for left, right in _windows(pair, all_pairs=bool(getattr(function, "all_pairs", False))):
        order = np.lexsort((span_ranks(pair.system, right), span_ranks(pair.gold, left), pair.gold.scope[left]))
        left, right = left[order], right[order]
        credit = _ask(pair, name, function, left, right)
        matched = np.flatnonzero(credit)
        left, right, credit = left[matched], right[matched], credit[matched]
        best = best_cells(left, right, credit)
        matching.pair(left[best], right[best], np.where(credit[best] == 1, TP, PAR))
        credit_of[left[best]] = credit[best]
    units = matching.matches()
    return CustomMatches(units, np.append(credit_of, np.zeros(len(units) - len(pair.gold))))


def _windows(pair: SpanPair, *, all_pairs: bool) -> Iterator[tuple[Ints, Ints]]:
    """The rows of the pairs to ask about, each list with all pairs of its windows."""
    if not all_pairs:
        for pairs in pair.pairs:
            yield pairs.left, pairs.right
        return
    gold, system = pair.gold.scope, pair.system.scope[: len(pair.placed[1])]
    windows = int(max(gold.max(initial=0), system.max(initial=0))) + 1
    most = int((np.bincount(gold, minlength=windows) * np.bincount(system, minlength=windows)).max())
    if most > PAIRS.value:
        raise LimitError(f"a sentence or document has {most:,} pairs of a gold and a system span", PAIRS.remedy)
    yield equal_pairs(gold, system)


def _ask(pair: SpanPair, name: str, function: Match, left: Ints, right: Ints) -> Values:
    """The credit of each pair."""
    gold, system = (_described(pair, side, rows) for side, rows in zip(pair.original, (left, right), strict=True))
    credit = np.empty(len(left))
    for row, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        value = function(gold[one], system[other])
        if not _is_credit(value):
            spans = f"the gold span {_shown(gold[one])} and the system span {_shown(system[other])}"
            finding = f"{name} returned {quote_briefly(value)} for {spans}"
            raise SettingError(f"{finding}; expected True, False or a number from 0 to 1.")
        credit[row] = value
    return np.where(
        (credit > 0) & (credit < 1), (credit * _ROUNDING).round().clip(1, _ROUNDING - 1) / _ROUNDING, credit
    )


def _is_credit(value: object) -> bool:
    if type(value).__name__ in ("bool", "bool_"):
        return True
    return isinstance(value, Real) and 0 <= float(value) <= 1


def _shown(span: Span) -> str:
    text = "" if span.text is None else f" {quote_briefly(span.text)}"
    return f"{span.label} {span.start}-{span.end}{text} in sentence {span.sentence}"


def _described(pair: SpanPair, spans: Spans, rows: Ints) -> dict[int, Span]:
    """The spans of some rows as the function gets them."""
    assert pair.context.locations is not None
    locations, distinct = pair.context.locations(), np.unique(rows)
    chosen = spans.take(distinct)
    positions, shapes = locations.positions(chosen.scope, chosen.start, chosen.end), spans.vocabulary.shapes
    columns = (distinct, chosen.scope, chosen.start, chosen.end, chosen.shape, positions.start, positions.end)
    described = {}
    labels = spans.vocabulary.labels.values
    label_of = spans.label
    for row, scope, start, end, shape, begin, stop in zip(*(column.tolist() for column in columns), strict=True):
        text = locations.words(scope, start, end, shapes[shape])
        document = locations.document(int(locations.document_of[scope]))
        described[row] = Span(labels[label_of[row]], begin, stop, text, locations.number(scope), document)
    return described
