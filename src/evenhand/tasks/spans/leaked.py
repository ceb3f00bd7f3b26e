"""Gold spans that a system does not cover, one by one, with what a reader sees of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import groupby

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
    """Where it starts, from 0: in characters of the input text, or in tokens of the sentence (see `positions`)."""
    end: Count
    """Where it ends, exclusive."""
    label: str
    words: str
    visible: str
    """The words, with a block for what is covered."""
    state: str
    """`partial` or `exposed`."""
    positions: str = "tokens"
    """What `start` and `end` count: characters or tokens."""
    token_start: Count | None = None
    """The first token in the sentence, where the gold standard has tokens."""
    token_end: Count | None = None
    parts: list[tuple[Count, Count]] | None = None
    """Of a span with gaps: start and end of each part, counted as `positions` says."""
    text_place: str | None = None
    """File and line of the text that `start` and `end` count in, where that is a system's; else it is the gold one."""


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
    mine = gold.take(rows)
    where, positions = places.places(mine.scope, mine.start), places.positions(mine.scope, mine.start, mine.end)
    shapes = [gold.vocabulary.shapes[shape] for shape in mine.shape.tolist()]
    found = zip(mine.rows(), where, state[rows].tolist(), positions.rows(), shapes, strict=True)
    for (label, scope, start, end), place, code, (first, stop, token, last_token), gaps in found:
        among = set(gaps)
        atoms = [atom for atom in range(start, end) if atom - start not in among]
        hidden = cover.in_system[question.text.first[scope] + np.array(atoms)].tolist()
        assert first is not None
        assert stop is not None
        yield LeakedSpan(
            place,
            places.document(int(places.document_of[scope])),
            places.number(scope),
            first,
            stop,
            label,
            places.words(scope, start, end, gaps) or "",
            _visible(places, scope, atoms, hidden),
            STATES[code],
            positions.of,
            token,
            last_token,
            places.parts(scope, start, end, gaps) if gaps else None,
            places.text_place(scope, start),
        )


def _visible(places: Places, scope: int, atoms: list[int], hidden: list[bool]) -> str:
    """The words of a span; runs of hidden atoms are a block each, and stay apart where the text has a space."""
    found = ""
    for _, each in groupby(range(len(atoms)), key=lambda at: (hidden[at], atoms[at] - at)):
        run = list(each)
        first, stop = atoms[run[0]], atoms[run[-1]] + 1
        if run[0]:
            before = atoms[run[0] - 1]
            both = places.words(scope, before, first + 1) or "" if before + 1 == first else " "
            found += " " if any(map(str.isspace, both)) else ""
        found += HIDDEN if hidden[run[0]] else places.words(scope, first, stop) or ""
    return found
