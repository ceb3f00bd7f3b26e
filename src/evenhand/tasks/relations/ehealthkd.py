"""The score of eHealth-KD 2020: entities and relations in one number.

Sentences whose gold side has no entity are left out. The *parts* of an entity are those that its file lists, in the
order of the text; an entity listed as one part is cut at every blank. Nothing is merged: `0 7;7 8` is not `0 8`. Where
files count tokens, each token is a part. Entities are ordered by the list of all starts, then by the list of all ends.

*Entities* (A): three passes over the system's entities in order, each taking the first free gold entity that fits.
Correct: equal parts and label. Incorrect: equal parts. Partial: equal label, and a part of one contains the start of a
part of the other. The others are spurious and missing.

*Relations* (B): repeats of type, head and tail are one. The gold entities of a sentence fall into classes, the closure
of its gold relations `same-as`. A system entity represents the gold entity that it is correct or partial with. With k =
(type, class of the head, class of the tail), correct = Σ min(S(k), G(k)) over the numbers of system and gold relations
with k; a system relation has no k unless both of its ends represent gold entities. The others are spurious and missing.

With C, I, P, M and S as sums of correct, incorrect, partial, missing and spurious, over entities and relations
(scenarios 1 and 4) or, with `--ehealthkd-counts`, over entities (scenario 2) or relations (scenario 3) alone:

- precision = (C + P/2) / (C + P + I + S), recall = (C + P/2) / (C + P + I + M)

By label, entities count for their labels and relations for their types; the macro average is over types.

Source: Piad-Morffis et al. 2020; where the paper leaves a choice open, the counts follow its scorer.
"""

# The literal definition, which the tests compare with, is in tests/slow_relations.py.

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from evenhand.arrays import distinct, ints
from evenhand.data.structures import Parts
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.matching import RelationPair, Side
from evenhand.tasks.relations.task import EQUIVALENCE

EHEALTHKD_KINDS = (
    *("correct_A", "incorrect_A", "partial_A", "spurious_A", "missing_A"),
    *("correct_B", "spurious_B", "missing_B"),
)
_CORRECT_A, _INCORRECT_A, _PARTIAL_A, _SPURIOUS_A, _MISSING_A, _CORRECT_B, _SPURIOUS_B, _MISSING_B = range(8)
Row = tuple[int, int, int]
"""Gold label, system label and kind of a unit; -1 without a label."""


class Entity(NamedTuple):
    """A span of a sentence."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    label: int
    row: int


def count_ehealthkd(pair: RelationPair) -> Tally:
    if len({side.parts is None for side in pair.as_read}) > 1:
        remedy = "give both sides with offsets into a text, or both with tokens"
        raise SettingError(f"ehealthkd compares the parts of entities as files list them; {remedy}.")
    gold, system = map(_Sentences, pair.as_read)
    scopes = distinct(pair.as_read[0].spans.scope).tolist()
    rows = [(scope, *unit) for scope in scopes for unit in _units(gold[scope], system[scope])]
    scope, *columns = ints(rows).reshape(-1, 4).T
    return Tally.of(pair.as_read[0].spans.vocabulary.labels.values, EHEALTHKD_KINDS, pair.groups[scope], *columns)


@dataclass(frozen=True)
class _Sentence:
    """The entities of one side in a sentence, in order, and its relations without repeats: type, head and tail."""

    entities: list[Entity]
    relations: list[tuple[int, int, int]]
    equivalence: int | None
    """The code of the type that makes classes of entities."""


class _Sentences:
    def __init__(self, side: Side) -> None:
        self._side, self._scopes = side, (side.spans.scope, side.scope)
        self._orders = [np.argsort(scope, kind="stable") for scope in self._scopes]
        self._sorted = [scope[order] for scope, order in zip(self._scopes, self._orders, strict=True)]

    def __getitem__(self, scope: int) -> _Sentence:
        side = self._side
        spans, relations = (
            order[slice(*np.searchsorted(scopes, (scope, scope + 1)))]
            for scopes, order in zip(self._sorted, self._orders, strict=True)
        )
        entities = sorted(map(partial(_entity, side), spans.tolist()), key=attrgetter("starts", "ends"))
        columns = (side.label[relations], side.head[relations], side.tail[relations])
        triples = dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True))
        return _Sentence(entities, list(triples), side.spans.vocabulary.labels.find(EQUIVALENCE))


def _entity(side: Side, row: int) -> Entity:
    if side.parts is None:
        (tokens,) = side.spans.take(slice(row, row + 1)).token_sets()
        parts: Parts = tuple((token, token + 1) for token in sorted(tokens))
    else:
        parts = side.parts[int(side.spans.level[row])]
    starts, ends = zip(*parts, strict=True)
    return Entity(starts, ends, int(side.spans.label[row]), row)


def _units(gold: _Sentence, system: _Sentence) -> Iterator[Row]:
    free_gold, free_system = list(gold.entities), list(system.entities)
    represents: dict[int, int] = {}
    for kind, fits in ((_CORRECT_A, _is_correct), (_INCORRECT_A, _has_parts), (_PARTIAL_A, _is_partial)):
        for one, other in list(_match_entities(free_gold, free_system, fits)):
            yield one.label, other.label, kind
            if kind != _INCORRECT_A:
                represents[other.row] = one.row
    yield from ((-1, entity.label, _SPURIOUS_A) for entity in free_system)
    yield from ((entity.label, -1, _MISSING_A) for entity in free_gold)
    yield from _relations(gold, system, represents)


def _match_entities(
    gold: list[Entity], system: list[Entity], fits: Callable[[Entity, Entity], bool]
) -> Iterator[tuple[Entity, Entity]]:
    """Match each system entity in order with the first gold entity that fits; remove both from the lists."""
    for other in list(system):
        one = next((entity for entity in gold if fits(entity, other)), None)
        if one is not None:
            gold.remove(one)
            system.remove(other)
            yield one, other


def _has_parts(one: Entity, other: Entity) -> bool:
    return one.starts == other.starts and one.ends == other.ends


def _is_correct(one: Entity, other: Entity) -> bool:
    return one.label == other.label and _has_parts(one, other)


def _is_partial(one: Entity, other: Entity) -> bool:
    return one.label == other.label and (_begins_in(one, other) or _begins_in(other, one))


def _begins_in(one: Entity, other: Entity) -> bool:
    """Whether a part of one contains the start of a part of the other."""
    parts = list(zip(one.starts, one.ends, strict=True))
    return any(start <= position < end for start, end in parts for position in other.starts)


def _relations(gold: _Sentence, system: _Sentence, represents: dict[int, int]) -> Iterator[Row]:
    class_of = _classes(gold)
    expected = Counter((label, class_of[head], class_of[tail]) for label, head, tail in gold.relations)
    predicted = Counter(
        (label, class_of[represents[head]], class_of[represents[tail]])
        for label, head, tail in system.relations
        if head in represents and tail in represents
    )
    correct: Counter[int] = Counter()
    for key, count in predicted.items():
        correct[key[0]] += min(count, expected[key])
    yield from ((label, label, _CORRECT_B) for label in correct.elements())
    yield from ((-1, label, _SPURIOUS_B) for label in (_types(system) - correct).elements())
    yield from ((label, -1, _MISSING_B) for label in (_types(gold) - correct).elements())


def _types(sentence: _Sentence) -> Counter[int]:
    return Counter(label for label, _, _ in sentence.relations)


def _classes(gold: _Sentence) -> dict[int, int]:
    """The class of each gold entity, named by one of its members."""
    class_of = {entity.row: entity.row for entity in gold.entities}
    for label, head, tail in gold.relations:
        if label == gold.equivalence:
            one, other = class_of.setdefault(head, head), class_of.setdefault(tail, tail)
            class_of = {row: one if name == other else name for row, name in class_of.items()}
    for _, *ends in gold.relations:
        for row in ends:
            class_of.setdefault(row, row)
    return class_of
