"""Gold spans that a system does not cover, one by one, with what a reader sees of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import groupby, pairwise

import numpy as np

from evenhand.dataclass import dataclass
from evenhand.ranges import Count
from evenhand.tasks.passage import Judgement
from evenhand.tasks.places import Places
from evenhand.tasks.spans.kinds import COVERED, STATES
from evenhand.tasks.spans.leak import Cover
from evenhand.tasks.spans.passage import SpanJudgement
from evenhand.tasks.spans.question import Question

HIDDEN = "█"
"""Stands for neighbouring atoms that are covered."""


@dataclass(frozen=True)
class LeakedSpan:
    """A gold span that is not covered entirely."""

    place: str
    document: str
    """Its name or, where it has none, its number from 1."""
    sentence: Count
    start: Count
    end: Count
    label: str
    words: str
    visible: str
    """The words, with a block for what is covered."""
    state: str
    """`partial` or `exposed`."""


@dataclass
class LeakWatch:
    """Looks at every judgement, and keeps the spans that leak, by system."""

    limit: int | None = None
    """How many spans of each system are kept."""
    found: dict[str, list[LeakedSpan]] = field(default_factory=dict)

    def __call__(self, judgement: Judgement) -> None:
        assert isinstance(judgement, SpanJudgement)
        for name, question in judgement.questions.items():
            mine = self.found.setdefault(name, [])
            for span in leaked_spans(question, judgement.places):
                if self.limit is not None and len(mine) >= self.limit:
                    break
                mine.append(span)


def leaked_spans(question: Question, places: Places) -> Iterator[LeakedSpan]:
    """The spans that leak, in the order of the text."""
    gold, system = question.covering
    cover = Cover.of(gold, system, question.text)
    state = cover.states(len(gold))
    order = np.lexsort((gold.label, gold.end, gold.start, gold.scope))
    rows = order[state[order] != COVERED]
    where = places.places(gold.scope[rows], gold.start[rows])
    found = zip(gold.take(rows).rows(), where, state[rows].tolist(), strict=True)
    for (label, scope, start, end), place, code in found:
        hidden = cover.in_system[question.text.first[scope] + np.arange(start, end)].tolist()
        yield LeakedSpan(
            place,
            places.document(int(places.document_of[scope])),
            places.number(scope),
            start,
            end,
            label,
            places.words(scope, start, end) or "",
            _visible(places, scope, start, hidden),
            STATES[code],
        )


def _visible(places: Places, scope: int, start: int, hidden: list[bool]) -> str:
    """The words of a span; runs of hidden atoms are a block each, and stay apart where the text has a space."""
    runs = [(is_hidden, len(list(atoms))) for is_hidden, atoms in groupby(hidden)]
    edges = np.append(0, np.cumsum([size for _, size in runs])) + start
    bounds = list(pairwise(edges.tolist()))
    found = ""
    for (is_hidden, _), (first, behind) in zip(runs, bounds, strict=True):
        if first > start:
            both = places.words(scope, first - 1, first + 1) or ""
            found += " " if any(map(str.isspace, both)) else ""
        found += HIDDEN if is_hidden else places.words(scope, first, behind) or ""
    return found
