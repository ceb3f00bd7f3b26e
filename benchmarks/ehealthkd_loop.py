"""eHealth-KD's score as a plain loop over objects, which stands in for the official scorer: that is in no registry.

Run as `python ehealthkd_loop.py GOLD.ann SYSTEM.ann`: reads both documents with their texts, aligns the lines, and
prints the score of scenario 1. It takes the steps of the official scorer: all lines are compared by their letters and
digits, once for entities and once for relations.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Entity:
    """An entity, whose parts count from the begin of its sentence."""

    label: str
    parts: list[tuple[int, int]]

    @property
    def bounds(self) -> tuple[list[int], list[int]]:
        return [start for start, _ in self.parts], [end for _, end in self.parts]


@dataclass
class Sentence:
    """A line of the text."""

    text: str
    entities: list[Entity] = field(default_factory=list)
    relations: list[tuple[str, Entity, Entity]] = field(default_factory=list)


def read(path: Path) -> list[Sentence]:
    """The sentences of a document with their entities and relations."""
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    sentences, begins, position = list[Sentence](), list[int](), 0
    for line in text.split("\n"):
        if line.strip():
            sentences.append(Sentence(line))
            begins.append(position)
        position += len(line) + 1
    entities: dict[str, tuple[int, Entity]] = {}
    links: list[tuple[str, str, str]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("T"):
            name, middle, quoted = line.split("\t")
            label, _, offsets = middle.partition(" ")
            parts = []
            for part in offsets.split(";"):
                start, end = part.split()
                parts.append((int(start), int(end)))
            parts.sort()
            number = bisect_right(begins, parts[0][0]) - 1
            begin = begins[number]
            parts = [(start - begin, end - begin) for start, end in parts]
            held = " ".join(sentences[number].text[start:end] for start, end in parts)
            if " ".join(held.split()) != " ".join(quoted.split()):
                raise ValueError(f"{name} quotes {quoted!r} for {held!r}")
            if len(parts) == 1:
                parts = words(held, parts[0][0])
            entity = Entity(label, parts)
            sentences[number].entities.append(entity)
            entities[name] = number, entity
        elif line.startswith("R"):
            _, middle = line.split("\t")
            label, head, tail = middle.split()
            links.append((label, head.partition(":")[2], tail.partition(":")[2]))
        elif line.startswith("*"):
            label, first, *others = line.split("\t")[1].split()
            links += [(label, first, other) for other in others]
    for label, head, tail in links:
        number, entity = entities[head]
        sentences[number].relations.append((label, entity, entities[tail][1]))
    return sentences


def words(text: str, start: int) -> list[tuple[int, int]]:
    parts = []
    for word in text.split(" "):
        parts.append((start, start + len(word)))
        start += len(word) + 1
    return parts


def plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def aligned(gold: list[Sentence], system: list[Sentence]) -> list[tuple[Sentence, Sentence]]:
    pairs, at = [], 0
    for sentence in gold:
        if at < len(system) and plain(sentence.text) == plain(system[at].text):
            pairs.append((sentence, system[at]))
            at += 1
        else:
            pairs.append((sentence, Sentence(sentence.text)))
    return pairs


def overlaps(one: Entity, other: Entity) -> bool:
    pairs = [(a, b) for a in one.parts for b in other.parts]
    return any(a[0] <= b[0] < a[1] or b[0] <= a[0] < b[1] for a, b in pairs)


def entities(gold: Sentence, system: Sentence, stands_for: dict[int, int], counts: Counter[str]) -> None:
    mine = sorted(gold.entities, key=lambda entity: entity.bounds)
    theirs = sorted(system.entities, key=lambda entity: entity.bounds)
    tests = {
        "correct_A": lambda a, b: a.parts == b.parts and a.label == b.label,
        "incorrect_A": lambda a, b: a.parts == b.parts,
        "partial_A": lambda a, b: a.label == b.label and overlaps(a, b),
    }
    for kind, fits in tests.items():
        for entity in list(theirs):
            match = next((each for each in mine if fits(each, entity)), None)
            if match is not None:
                mine.remove(match)
                theirs.remove(entity)
                counts[kind] += 1
                if kind != "incorrect_A":
                    stands_for[id(entity)] = id(match)
    counts["missing_A"] += len(mine)
    counts["spurious_A"] += len(theirs)


def relations(gold: Sentence, system: Sentence, stands_for: dict[int, int], counts: Counter[str]) -> None:
    class_of = {id(entity): id(entity) for entity in gold.entities}
    for label, head, tail in gold.relations:
        if label == "same-as":
            one, other = class_of[id(head)], class_of[id(tail)]
            class_of = {key: one if value == other else value for key, value in class_of.items()}
    mine = {(label, id(head), id(tail)) for label, head, tail in gold.relations}
    theirs = {(label, id(head), id(tail)) for label, head, tail in system.relations}
    wanted = Counter((label, class_of[head], class_of[tail]) for label, head, tail in mine)
    outcome: Counter[tuple[str, int, int]] = Counter()
    for label, head, tail in theirs:
        if head in stands_for and tail in stands_for:
            outcome[label, class_of[stands_for[head]], class_of[stands_for[tail]]] += 1
    correct = sum(min(number, wanted[key]) for key, number in outcome.items())
    counts["correct_B"] += correct
    counts["spurious_B"] += len(theirs) - correct
    counts["missing_B"] += len(mine) - correct


def f1(gold: Path, system: Path) -> float:
    counts, stands_for = Counter[str](), dict[int, int]()
    mine, theirs = read(gold), read(system)
    for count in (entities, relations):
        for one, other in aligned(mine, theirs):
            if one.entities:
                count(one, other, stands_for, counts)
    right = counts["correct_A"] + counts["correct_B"] + counts["partial_A"] / 2
    paired = counts["correct_A"] + counts["correct_B"] + counts["partial_A"] + counts["incorrect_A"]
    precision = right / (paired + counts["spurious_A"] + counts["spurious_B"])
    recall = right / (paired + counts["missing_A"] + counts["missing_B"])
    return 2 * precision * recall / (precision + recall)


if __name__ == "__main__":
    print(f1(Path(sys.argv[1]), Path(sys.argv[2])))
