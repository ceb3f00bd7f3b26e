"""Fair evaluation of relations as its definition reads, one sentence at a time, for comparison with the fast one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

ORDER = ("TP", "AL", "DE", "TE", "AB", "ALB", "XE")


class Argument(NamedTuple):
    """A span: its tokens as a sorted list, and its label."""

    tokens: tuple[int, ...]
    label: str


class Relation(NamedTuple):
    """A relation between two arguments."""

    type: str
    head: Argument
    tail: Argument

    @property
    def key(self) -> tuple[object, ...]:
        return self.head.tokens, self.tail.tokens, self.type, self.head.label, self.tail.label


class Sentence(NamedTuple):
    """What one side has in a sentence."""

    spans: list[Argument]
    relations: list[Relation]


def in_order(relations: list[Relation], symmetric: frozenset[str]) -> list[Relation]:
    """Relations without repeats, the ends of symmetric types in a fixed order."""
    items = []
    for relation in relations:
        ends = sorted((relation.head, relation.tail)) if relation.type in symmetric else relation[1:]
        items.append(Relation(relation.type, *ends))
    return list(dict.fromkeys(items))


def shared(one: Argument, other: Argument) -> int:
    return len(set(one.tokens) & set(other.tokens))


def verdicts_on(gold: Relation, system: Relation, symmetric: frozenset[str]) -> Iterator[tuple[int, int, int]]:
    """For each orientation in which arguments overlap: place of the verdict, shared tokens (negative), other tokens."""
    for crossed in (False, True):
        head, tail = (system.tail, system.head) if crossed else (system.head, system.tail)
        common = shared(gold.head, head), shared(gold.tail, tail)
        if not all(common):
            continue
        bounds = gold.head.tokens == head.tokens and gold.tail.tokens == tail.tokens
        labels = gold.head.label == head.label and gold.tail.label == tail.label
        same = gold.type == system.type
        if same and (not crossed or gold.type in symmetric):
            verdict = "TP" if bounds and labels else "AL" if bounds else "AB" if labels else "ALB"
        else:
            verdict = ("DE" if same else "TE") if bounds and labels else "XE"
        size = sum(len(each.tokens) for each in (*gold[1:], *system[1:]))
        yield ORDER.index(verdict), -sum(common), size - 2 * sum(common)


def kinds(gold: Sentence, system: Sentence, symmetric: frozenset[str]) -> Counter[str]:
    """How many relations have each verdict."""
    mine, theirs = in_order(gold.relations, symmetric), in_order(system.relations, symmetric)
    pairs = []
    for one in mine:
        for other in theirs:
            found = min(verdicts_on(one, other, symmetric), default=None)
            if found is not None:
                pairs.append((*found, *sorted((one.key, other.key)), one, other))
    counts: Counter[str] = Counter()
    free, free_system = set(mine), set(theirs)
    for verdict, *_, one, other in sorted(pairs):
        if one in free and other in free_system:
            free.remove(one)
            free_system.remove(other)
            counts[ORDER[verdict]] += 1
    for kind, other_kind, left, spans in (("AM", "FN", free, system.spans), ("AS", "FP", free_system, gold.spans)):
        for relation in left:
            met = all(any(shared(end, span) for span in spans) for end in relation[1:])
            counts[other_kind if met else kind] += 1
    return counts
