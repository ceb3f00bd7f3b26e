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

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, ints
from evenhand.data.structures import Parts
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally
from evenhand.tasks.relations.matching import RelationPair, RelationSide, relation_units
from evenhand.tasks.relations.task import EQUIVALENCE
from evenhand.tasks.unit_rows import UnitRows

EHEALTHKD_KINDS = (
    *("correct_A", "incorrect_A", "partial_A", "spurious_A", "missing_A"),
    *("correct_B", "spurious_B", "missing_B"),
)
_CORRECT_A, _INCORRECT_A, _PARTIAL_A, _SPURIOUS_A, _MISSING_A, _CORRECT_B, _SPURIOUS_B, _MISSING_B = range(8)
Row = tuple[int, int, int]
"""Kind of a unit, and its rows on both sides, or -1: spans of entities, or relations."""
_PARTS, _PARTS_AND_LABEL = attrgetter("starts", "ends"), attrgetter("starts", "ends", "label")


class Entity(NamedTuple):
    """A span of a sentence."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    label: int
    row: int


def count_ehealthkd(pair: RelationPair) -> Tally:
    gold, system = pair.as_read
    scope, kind, gold_row, system_row = pair.cached(_all_units)
    is_entity = kind < _CORRECT_B
    gold_label, system_label = _labels(gold, gold_row, is_entity), _labels(system, system_row, is_entity)
    labels = gold.spans.vocabulary.labels.values
    return Tally.of(labels, EHEALTHKD_KINDS, pair.groups[scope], gold_label, system_label, kind)


def ehealthkd_units(pair: RelationPair) -> UnitRows:
    """Entities and relations; relations have arguments."""
    gold, system = pair.as_read
    _, kind, gold_row, system_row = pair.cached(_all_units)
    of_entities, of_relations = (np.flatnonzero(chosen) for chosen in (kind < _CORRECT_B, kind >= _CORRECT_B))
    columns = [(kind[rows], gold_row[rows], system_row[rows]) for rows in (of_entities, of_relations)]
    entities = UnitRows.of_pairs(EHEALTHKD_KINDS, *columns[0], gold.spans, system.spans)
    return entities.joined(relation_units(EHEALTHKD_KINDS, *columns[1], gold, system))


def _labels(side: RelationSide, rows: Ints, is_entity: Bools) -> Ints:
    """The labels of entities and the types of relations, given their rows; -1 for none."""
    entities, relations = np.append(side.spans.label, -1), np.append(side.label, -1)
    return np.where(is_entity, entities[np.where(is_entity, rows, -1)], relations[np.where(is_entity, -1, rows)])


def _all_units(pair: RelationPair) -> tuple[Ints, Ints, Ints, Ints]:
    """Scope, kind, and rows on both sides of all units."""
    if len({side.parts is None for side in pair.as_read}) > 1:
        remedy = "use files with text offsets on both sides, or with tokens on both"
        raise SettingError(f"ehealthkd compares the parts of entities as files list them; {remedy}.")
    gold, system = map(_Sentences, pair.as_read)
    scopes = distinct(pair.as_read[0].spans.scope).tolist()
    rows = [(scope, *unit) for scope in scopes for unit in _units(gold[scope], system[scope])]
    scope, kind, gold_row, system_row = ints(rows).reshape(-1, 4).T
    return scope, kind, gold_row, system_row


@dataclass(frozen=True)
class _Sentence:
    """The entities of one side in a sentence, in order, and its relations without repeats: type, head, tail and row."""

    entities: list[Entity]
    relations: list[tuple[int, int, int, int]]
    equivalence: int | None
    """The code of the type that makes classes of entities."""


class _Sentences:
    def __init__(self, side: RelationSide) -> None:
        self._side, self._scopes = side, (side.spans.scope, side.scope)
        self._orders = [np.argsort(scope, kind="stable") for scope in self._scopes]
        self._sorted = [scope[order] for scope, order in zip(self._scopes, self._orders, strict=True)]

    def __getitem__(self, scope: int) -> _Sentence:
        side = self._side
        spans, relations = (
            order[slice(*np.searchsorted(scopes, (scope, scope + 1)))]
            for scopes, order in zip(self._sorted, self._orders, strict=True)
        )
        entities = sorted(map(partial(_entity, side), spans.tolist()), key=_PARTS)
        first: dict[tuple[int, int, int], int] = {}
        columns = (side.label[relations], side.head[relations], side.tail[relations], relations)
        for label, head, tail, row in zip(*(column.tolist() for column in columns), strict=True):
            first.setdefault((label, head, tail), row)
        triples = [(*triple, row) for triple, row in first.items()]
        return _Sentence(entities, triples, side.spans.vocabulary.labels.find(EQUIVALENCE))


def _entity(side: RelationSide, row: int) -> Entity:
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
    for kind, key in ((_CORRECT_A, _PARTS_AND_LABEL), (_INCORRECT_A, _PARTS), (_PARTIAL_A, None)):
        pairs = list(_overlapping(free_gold, free_system) if key is None else _equal(free_gold, free_system, key))
        for one, other in pairs:
            yield kind, one.row, other.row
            if kind != _INCORRECT_A:
                represents[other.row] = one.row
        free_gold, free_system = (
            [entity for entity in entities if entity.row not in matched]
            for entities, matched in (
                (free_gold, {one.row for one, _ in pairs}),
                (free_system, {o.row for _, o in pairs}),
            )
        )
    yield from ((_SPURIOUS_A, -1, entity.row) for entity in free_system)
    yield from ((_MISSING_A, entity.row, -1) for entity in free_gold)
    yield from _relations(gold, system, represents)


def _equal(
    gold: list[Entity], system: list[Entity], key: Callable[[Entity], object]
) -> Iterator[tuple[Entity, Entity]]:
    """Match each system entity in order with the first free gold entity that has the same key."""
    free = defaultdict[object, deque[Entity]](deque)
    for one in gold:
        free[key(one)].append(one)
    for other in system:
        if candidates := free.get(key(other)):
            yield candidates.popleft(), other


def _overlapping(gold: list[Entity], system: list[Entity]) -> Iterator[tuple[Entity, Entity]]:
    """Match each system entity in order with the first free gold entity of its label that it partly overlaps."""
    free = defaultdict[int, list[Entity]](list)
    for one in gold:
        free[one.label].append(one)
    for other in system:
        candidates = free.get(other.label, [])
        partner = next((one for one in candidates if _begins_in(one, other) or _begins_in(other, one)), None)
        if partner is not None:
            candidates.remove(partner)
            yield partner, other


def _begins_in(one: Entity, other: Entity) -> bool:
    """Whether a part of one contains the start of a part of the other."""
    parts = list(zip(one.starts, one.ends, strict=True))
    return any(start <= position < end for start, end in parts for position in other.starts)


def _relations(gold: _Sentence, system: _Sentence, represents: dict[int, int]) -> Iterator[Row]:
    class_of, expected, matched = _classes(gold), defaultdict[tuple[int, int, int], list[int]](list), set[int]()
    for label, head, tail, row in gold.relations:
        expected[label, class_of[head], class_of[tail]].append(row)
    for label, head, tail, row in system.relations:
        ends = [class_of[represents[end]] for end in (head, tail) if end in represents]
        free = expected[label, ends[0], ends[1]] if len(ends) == 2 else []
        if free:
            matched.add(free[0])
            yield _CORRECT_B, free.pop(0), row
        else:
            yield _SPURIOUS_B, -1, row
    yield from ((_MISSING_B, row, -1) for *_, row in gold.relations if row not in matched)


def _classes(gold: _Sentence) -> dict[int, int]:
    """The class of each gold entity, named by one of its members."""
    class_of = {entity.row: entity.row for entity in gold.entities}
    for label, head, tail, _ in gold.relations:
        if label == gold.equivalence:
            one, other = class_of.setdefault(head, head), class_of.setdefault(tail, tail)
            class_of = {row: one if name == other else name for row, name in class_of.items()}
    for _, *ends, _ in gold.relations:
        for row in ends:
            class_of.setdefault(row, row)
    return class_of
