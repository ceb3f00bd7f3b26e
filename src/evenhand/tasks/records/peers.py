"""Measures of other tools for JSON and triples, under their own definitions."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from evenhand.arrays import ints
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.assignment import first_pairs
from evenhand.tasks.records.alignment import remaining
from evenhand.tasks.records.answers import plain, triples
from evenhand.tasks.records.fields import read_json
from evenhand.tasks.records.measures import RecordPair, count_table
from evenhand.tasks.records.values import MILLION, anls

_WORD_KINDS = ("found", "gold", "right", "system")
_TEXT2KG_KINDS = ("documents", "dropped", "f1", "precision", "recall", "conformance", "relation_hallucination")
_NONE: tuple[Any, ...] = None, "", [], {}
_LINK = "|||"
"""Between the root and another field, in the names of links."""


def anls_star(gold: Any, system: Any) -> float:
    """ANLS*: the similarity of two values, from 0 to 1.

    ANLS* = Σ scores / length, with these scores and lengths:

    - None against None, "", [] or {}: 1 of 1; against anything else, 0 of the number of leaves of the other, at least 1
    - a leaf: its ANLS as text (0 below 0.5), of 1
    - a list: the items are assigned with the largest sum of their ANLS*, identical ones first; each item that is left
      over adds its number of leaves to the length
    - an object: the sum over the union of the keys, with missing values as None; a key that only the system has, with
      an empty value, adds to the length but not to the score
    - values of different shapes: 0 of the larger number of leaves

    In gold, `{"x-any": [...]}` lists alternatives, of which the best one counts; its number of leaves is the largest of
    them. Both sides empty is 1. Options of fields are not used.

    Source: Peer et al. 2024.
    """
    score, length = _anls_star(plain(gold), plain(system))
    return score / length if length else 1.0


def _anls_star(gold: Any, system: Any) -> tuple[float, int]:
    if options := _options(gold):
        scored = [(*_anls_star(option, system), option == system) for option in options]
        score, length, _ = max(scored, key=lambda one: (one[0] / one[1] if one[1] else 1.0, one[2]))
        return score, length
    if gold is None:
        return (1.0, 1) if system in _NONE else (0.0, max(_size(system), 1))
    if isinstance(gold, dict) and isinstance(system, dict):
        return _of_objects(gold, system)
    if isinstance(gold, list) and isinstance(system, list):
        return _of_lists(gold, system)
    if isinstance(gold, dict | list) or isinstance(system, dict | list) or system is None:
        return 0.0, max(_size(gold), _size(system))
    similarity = anls(str(gold), str(system))
    return (similarity if similarity >= 0.5 else 0.0), 1


def _options(value: Any) -> list[Any]:
    """The alternatives of a gold value, if it has some."""
    options = value.get("x-any") if isinstance(value, dict) and len(value) == 1 else None
    return options if isinstance(options, list) else []


def _of_objects(gold: dict[str, Any], system: dict[str, Any]) -> tuple[float, int]:
    total, length = 0.0, 0
    for key in dict.fromkeys((*gold, *system)):
        one, other = gold.get(key), system.get(key)
        score, size = _anls_star(one, other)
        total += 0.0 if key not in gold and other in _NONE else score
        length += size
    return total, length


def _of_lists(gold: list[Any], system: list[Any]) -> tuple[float, int]:
    cells = [[_anls_star(one, other) for other in system] for one in gold]
    means = [[score / size if size else 1.0 for score, size in row] for row in cells]
    table = np.rint(np.array(means).reshape(len(gold), len(system)) * MILLION * MILLION).astype(np.int64)
    table += 1 + table // (MILLION * MILLION)  # items are paired even if they have nothing in common; identical first
    pairs = first_pairs(table) if table.size else []
    rows, columns = remaining(range(len(gold)), range(len(system)), pairs)
    left = sum(_size(gold[row]) for row in rows) + sum(_size(system[column]) for column in columns)
    return sum(cells[pair[0]][pair[1]][0] for pair in pairs), left + sum(cells[pair[0]][pair[1]][1] for pair in pairs)


def _size(value: Any) -> int:
    """The number of leaves; None and empty values of objects count as one."""
    if options := _options(value):
        return max(map(_size, options))
    if isinstance(value, dict):
        return sum(max(_size(inner), 1) for inner in value.values())
    if isinstance(value, list):
        return sum(map(_size, value))
    return 1


def count_anls_star(pair: RecordPair) -> Tally:
    table = np.array([(anls_star(*values), 1.0) for values in pair.values]).reshape(-1, 2)
    return tally_table(("score", "documents"), table, pair.groups)


def count_word_set(pair: RecordPair) -> Tally:
    """NERRE, general materials and MOFs: sets of words.

    For each document and field, the words of all its values, split at blanks, form a set. precision = words of the
    system that gold has / words of the system, recall = words of gold that the system has / words of gold; counts are
    summed over documents. With `--root FIELD`, a link is the string of this field, as a whole, and a word of another
    field of the same record, unless both are equal; links of each field form a set, too, named `FIELD|||OTHER`. Answers
    that are not valid JSON count as empty.

    Source: Dagdelen et al. 2024, evaluation of NERRE; they report the mean over five folds.
    """
    read = [status == "ok" for status in pair.statuses]
    values = [(gold, system if is_read else None) for (gold, system), is_read in zip(pair.values, read, strict=True)]
    sides = [[_word_sets(value, pair.settings["root"]) for value in both] for both in values]
    return _word_tally(pair, sides, _set_counts)


def _set_counts(gold: set[Any] | None, system: set[Any] | None) -> tuple[int, ...]:
    shared = len((gold or set()) & (system or set()))
    return shared, len(gold or ()), shared, len(system or ())


def _word_sets(value: Any, root: str | None) -> dict[str, set[Any]]:
    sets: defaultdict[str, set[Any]] = defaultdict(set)
    for record in value if isinstance(value, list) else [value]:
        if not isinstance(record, dict):
            continue
        words = {
            key: {word for text in _texts(inner) for word in text.split(" ")} - {""} for key, inner in record.items()
        }
        for key, own in words.items():
            sets[key] |= own
        whole = record.get(root) if root is not None else None
        if isinstance(whole, str) and whole:
            for key in words.keys() - {root}:
                sets[f"{root}{_LINK}{key}"] |= {(whole, word) for word in words[key] if word != whole}
    return sets


def count_word_list(pair: RecordPair) -> Tally:
    """NERRE, doping: lists of words.

    For each document and field, gold words that occur anywhere among the system's words are found, and system words
    that occur among gold's are right. precision = found / (found + system words that are not in gold), recall = found /
    gold words. The values of a list of objects are links: pairs of a word of the first field and a word of the second
    one; precision = found gold pairs / system pairs. Repeated words are not penalised.

    Source: Dagdelen et al. 2024, evaluation of the doping task.
    """
    sides = [[value if isinstance(value, dict) else {} for value in both] for both in pair.values]
    return _word_tally(pair, sides, _list_counts)


def _list_counts(gold: Any, system: Any) -> tuple[int, ...]:
    if _is_links(gold) or _is_links(system):
        links, system_links = list(_links(gold)), list(_links(system))
        matched = sum(link in system_links for link in links)
        return matched, len(links), matched, len(system_links)
    golds, systems = ([word for text in _texts(side) for word in text.split()] for side in (gold, system))
    found = sum(word in systems for word in golds)
    return found, len(golds), found, found + sum(word not in golds for word in systems)


def _is_links(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(member, dict) for member in value)


def _links(value: Any) -> Iterator[tuple[str, ...]]:
    for member in value if _is_links(value) else ():
        parts = [text for inner in member.values() for text in _texts(inner)]
        if len(parts) == 2:
            yield from ((word, other) for word in parts[0].split() for other in parts[1].split())


def _texts(value: Any) -> Iterator[str]:
    """The strings of a value; numbers as text."""
    if isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)


def _word_tally(
    pair: RecordPair, sides: list[list[dict[str, Any]]], counts_of: Callable[[Any, Any], tuple[int, ...]]
) -> Tally:
    """The counts of fields, by document; `sides` are the fields of gold standard and system."""
    rows = [
        (group, pair.labels.code(name), kind, count)
        for group, (gold, system) in zip(pair.groups.tolist(), sides, strict=True)
        for name in gold | system
        for kind, count in enumerate(counts_of(gold.get(name), system.get(name)))
        if count
    ]
    group, label, kind, count = ints(rows).reshape(-1, 4).T
    return Tally.of(tuple(pair.labels.values), _WORD_KINDS, group, label, np.full_like(label, -1), kind, count)


@dataclass(frozen=True)
class Ontology:
    """The relations of an ontology, by the names of ontologies if a file has several."""

    name: str
    digest: str
    relations: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}#{self.digest}".lower()


def parse_ontology(path: Any) -> Ontology:
    """Read a JSON file with a list of relations, or with one under the key `relations`."""
    if isinstance(path, Ontology):
        return path
    source, data, value = read_json(path, "a list of relations")
    relations = value.get("relations") if isinstance(value, dict) else value
    if not isinstance(relations, list) or not all(isinstance(name, str) for name in relations):
        raise source.error(
            None, "has no list of relations", "write a list of strings, or an object with such a list under relations"
        )
    return Ontology(source.name, hashlib.sha256(data).hexdigest()[:8], tuple(relations))


def count_text2kg(pair: RecordPair) -> Tally:
    """Text2KGBench: triples of subject, relation and object.

    Triples are compared as sets of strings: subject, relation and object joined, in lower case, without `_` and white
    space. *System triples whose relation, as written, is not among the gold relations of the document (blanks as `_`)
    are dropped first*, which flatters precision. P, R and F1 of a document are 0 if nothing is left of the system.
    `conformance` is the share of all its triples whose relation is in the ontology (`--ontology`), 1 without triples;
    `relation_hallucination` is 1 - conformance. All figures are means over the gold documents; a document without an
    answer counts 0 everywhere.

    The hallucination of subjects and objects, which needs a stemmer, is not offered.

    Source: Mihindukulasooriya et al. 2023.
    """
    ontology = pair.settings["ontology"]
    if ontology is None:
        raise SettingError(
            "The measure text2kg needs the relations of the ontology; specify their file with --ontology."
        )
    relations = {name.replace(" ", "_") for name in ontology.relations}
    rows = [
        {"documents": 1.0} if status == "missing" else _text2kg(*values, relations)
        for values, status in zip(pair.values, pair.statuses, strict=True)
    ]
    return count_table(_TEXT2KG_KINDS, rows, pair.groups)


def _text2kg(gold: Any, system: Any, ontology: set[str]) -> dict[str, float]:
    golds, systems = (
        [["" if part is None else str(part) for part in record.values()] for record in triples(value)[0]]
        for value in (gold, system)
    )
    known = {relation.replace(" ", "_") for _, relation, _ in golds}
    kept = [triple for triple in systems if triple[1].replace(" ", "_") in known]
    one, other = ({_joined(triple) for triple in side} for side in (golds, kept))
    shared = len(one & other)
    precision, recall = (shared / len(side) if side and other else 0.0 for side in (other, one))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    conforming = sum(triple[1].replace(" ", "_") in ontology for triple in systems)
    conformance = conforming / len(systems) if systems else 1.0
    scores = 1.0, float(len(systems) - len(kept)), f1, precision, recall, conformance, 1 - conformance
    return dict(zip(_TEXT2KG_KINDS, scores, strict=True))


def _joined(triple: list[str]) -> str:
    return "".join("".join(triple).replace("_", "").lower().split())
