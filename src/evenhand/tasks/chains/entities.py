"""Entities: the units of comparisons by MELA, its errors as rows, and the report of `score --entities`.

Each chain of the key has a verdict, on corrected spans: *missing* if the response has none of its mentions, *exact*, or
those that apply of *divided* (several chains of the response have its mentions), *conflated* (one of these has mentions
of another chain of the key), *extra* (one of these has mentions that are not in the key), *incomplete* (mentions are
missing) and *span* (spans were corrected). A chain of the response without mentions of the key is *invented* under the
systems that have it, and *none* under others. A change to exact or none is a correction, a change from there a new
error, and any other a changed error.

Source: this project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Values, ints
from evenhand.data.corpus import Corpus
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entity_errors import (
    MENTION_TYPES,
    NAME,
    NOMINAL,
    REPAIRED,
    SPAN,
    EntityErrors,
    EntityMentions,
    f1_of,
    gains,
    members,
    scores_of,
)
from evenhand.tasks.chains.entity_scores import (
    ChainCells,
    SliceSums,
    aligned_pairs,
    b_cubed_by_type,
    ceaf_e_by_size,
    entity_gains,
)
from evenhand.tasks.chains.link_errors import by_distance, by_types, link_errors
from evenhand.tasks.chains.task import ARCS_KINDS, ENTITIES, ENTITY_ERRORS, ENTITY_VERDICTS
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.units import Predictions

_RIGHT = ("exact", "none")
_SHOWN = len(ARCS_KINDS)
"""Verdicts follow the error types of ARCS among the answers of the task."""


@dataclass(frozen=True)
class _Unit:
    """An entity of the key, or an invented chain: its place, its type, and the verdict on it under each system."""

    place: tuple[int, int, int]
    """Document, first token and end of its first mention."""
    type: int
    is_surplus: bool
    verdicts: list[int]


def entity_predictions(systems: Sequence[EntityErrors], corpus: Corpus, labels: StringIndex[str]) -> Predictions:
    """The verdicts of systems on all entities of the key, and on the chains that systems invent."""
    code = {verdict: index for index, verdict in enumerate(ENTITY_VERDICTS)}
    units = [
        _Unit(_place(systems[0], chain), _type(systems[0], chain), is_surplus=False, verdicts=[])
        for chain in (systems[0].key_chains if systems else ())
    ]
    for errors in systems:
        for unit, verdict in zip(units, errors.verdicts, strict=True):
            unit.verdicts.append(code[verdict])
    invented: dict[tuple[tuple[int, int, int], ...], _Unit] = {}
    for number, errors in enumerate(systems):
        for chain in (errors.response_chains[index] for index in errors.invented):
            places = tuple(_place(errors, (row,)) for row in chain)
            nothing = [code["none"]] * len(systems)
            invented.setdefault(places, _Unit(places[0], _type(errors, chain), is_surplus=True, verdicts=nothing))
            invented[places].verdicts[number] = code["invented"]
    units += invented.values()
    kind = ints([unit.verdicts for unit in units]).reshape(len(units), len(systems)).T
    label = ints([labels.code(MENTION_TYPES[unit.type]) for unit in units])
    document, start, end = ints([unit.place for unit in units]).reshape(-1, 3).T
    sentence, begin = corpus.in_sentences(document, start)
    right = np.isin(kind, [code[verdict] for verdict in _RIGHT])
    return Predictions(
        label=label,
        is_surplus=np.array([unit.is_surplus for unit in units], dtype=np.bool_),
        answer=kind + _SHOWN,
        shown=kind + _SHOWN,
        right=right,
        part=np.full(kind.shape, -1),
        gold_label=np.broadcast_to(label, kind.shape),
        predicted=np.full(kind.shape, -1),
        sentence=sentence,
        start=begin,
        end=begin + end - start,
        absent=kind == code["none"],
        kinds=ENTITY_VERDICTS,
        verdict=kind,
    )


def _place(errors: EntityErrors, chain: Sequence[int]) -> tuple[int, int, int]:
    mentions, row = errors.mentions, chain[0]
    return int(mentions.document[row]), int(mentions.start[row]), int(mentions.end[row])


def _type(errors: EntityErrors, chain: Sequence[int]) -> int:
    """The type of an entity: name if one of its mentions is a name; else nominal if one of them is; else pronoun."""
    return int(min(errors.mentions.type[row] for row in chain))


def error_rows(errors: EntityErrors, corpus: Corpus) -> UnitRows:
    """The errors of a response as units, with their mentions; positions are those of their first mentions."""
    mentions, name = errors.mentions, _Names(errors.mentions, corpus)
    first = ints([error.mentions[0] for error in errors.errors])
    types = ints([ENTITY_ERRORS.index(error.type) for error in errors.errors])
    own = {"conflated", "extra_mention", "extra_entity", SPAN}
    place = [column[first] for column in (mentions.document, mentions.start, mentions.end)]
    nowhere = Places.of(*[np.full(len(first), -1)] * 3)
    texts: dict[str, list[str | None]] = {
        "mentions": [name.positions(error.mentions) for error in errors.errors],
        "mention_texts": [name.texts(error.mentions) for error in errors.errors],
        "mention_types": [
            " ".join(MENTION_TYPES[mentions.type[row]] for row in error.mentions) for error in errors.errors
        ],
        "whole": [name.positions(error.whole) for error in errors.errors],
        "entity": [None if error.key < 0 else name.of(errors.key_chains[error.key]) for error in errors.errors],
    }
    return UnitRows(
        ENTITY_ERRORS,
        types,
        Places.of(*place),
        np.full(len(first), -1),
        np.full(len(first), -1),
        np.array([error.type in own for error in errors.errors], dtype=np.bool_),
        np.ones(len(first), dtype=np.bool_),
        nowhere,
        numbers={"key_chain": _chain_numbers(errors, "key"), "system_chain": _chain_numbers(errors, "response")},
        texts={column: np.array(values, dtype=np.object_) for column, values in texts.items()},
    ).in_sentences(corpus)


def _chain_numbers(errors: EntityErrors, side: str) -> Ints:
    """The chain of each error on one side, numbered from 1 in its document by first mentions; -1 without one."""
    numbers = [*_in_documents(errors, errors.key_chains if side == "key" else errors.response_chains), -1]
    return ints([numbers[getattr(error, side)] for error in errors.errors])


def _in_documents(errors: EntityErrors, chains: Sequence[Sequence[int]]) -> list[int]:
    """The number of each chain in its document, from 1; chains are in the order of documents."""
    document = ints([int(errors.mentions.document[chain[0]]) for chain in chains])
    numbers: list[int] = (np.arange(len(chains)) - np.searchsorted(document, document) + 1).tolist()
    return numbers


class _Names:
    """The texts of mentions, and the names of entities."""

    def __init__(self, mentions: EntityMentions, corpus: Corpus) -> None:
        self._corpus, self._types = corpus, mentions.type.tolist()
        sentence, start = corpus.in_sentences(mentions.document, mentions.start)
        first = corpus.documents[mentions.document] if corpus.bounds is not None else mentions.document
        self._places = list(
            zip(sentence.tolist(), start.tolist(), (start + mentions.end - mentions.start).tolist(), strict=True)
        )
        self._in_document = (sentence - first).tolist()

    def text(self, row: int) -> str:
        has_text = self._corpus.tokens is not None and self._corpus.bounds is not None
        return (self._corpus.quoted(*self._places[row]) if has_text else None) or self.position(row)

    def position(self, row: int) -> str:
        """Sentence of the document, from 1, first token, from 0, and end: `3:5-7`."""
        _, start, end = self._places[row]
        return f"{self._in_document[row] + 1}:{start}-{end}"

    def positions(self, rows: Sequence[int]) -> str:
        return " ".join(map(self.position, rows))

    def texts(self, rows: Sequence[int]) -> str:
        return " | ".join(map(self.text, rows))

    def of(self, chain: Sequence[int]) -> str:
        """The name of an entity: its longest name, else its first nominal, else its first mention."""
        names = [row for row in chain if self._types[row] == NAME]
        if names:
            return max(map(self.text, names), key=len)
        return self.text(next((row for row in chain if self._types[row] == NOMINAL), chain[0]))


# The report


@dataclass
class EntityCounts:
    """What the report on one system adds up, part by part."""

    errors: Counter[str]
    operations: Counter[str]
    verdicts: Counter[str]
    singletons: Counter[str]
    links: dict[str, Counter[tuple[str, str]]]
    distances: dict[str, Counter[str]]
    slices: dict[str, dict[str, list[SliceSums]]]
    stages: dict[tuple[str, ...], list[Values]]
    """Counts by document, by the types that are repaired."""
    chains: list[dict[str, Any]]
    changes: list[Values]
    """By chain: how the counts change if it is repaired."""

    @staticmethod
    def none() -> EntityCounts:
        links = {"missing": Counter[tuple[str, str]](), "wrong": Counter[tuple[str, str]]()}
        distances = {side: Counter[str]() for side in links}
        return EntityCounts(Counter(), Counter(), Counter(), Counter(), links, distances, {}, {}, [], [])

    def add(self, errors: EntityErrors, corpus: Corpus, *, shares: bool) -> None:
        mentions = errors.mentions
        self.errors.update({name: int(counts.sum()) for name, counts in errors.counts.items()})
        self.operations.update(errors.operations)
        self.verdicts.update(errors.verdicts)
        self.verdicts["invented"] += len(errors.invented)
        self.singletons.update(errors.singletons)
        for side in self.links:
            found = link_errors(mentions, wrong=side == "wrong")
            self.links[side].update(by_types(found))
            self.distances[side].update(by_distance(found))
        for types, counts in (errors.subsets if shares else errors.stages).items():
            self.stages.setdefault(types, []).append(counts)
        cells = ChainCells.of(mentions.key, mentions.response)
        pairs = aligned_pairs(cells)
        for name, slices in (
            ("b_cubed_by_type", b_cubed_by_type(mentions)),
            ("ceaf_e_by_size", ceaf_e_by_size(cells, pairs)),
        ):
            known = self.slices.setdefault(name, {})
            for value, sums in slices.items():
                known.setdefault(value, []).append(sums)
        self._add_chains(errors, corpus, {pair.key: pair for pair in pairs})

    def _add_chains(self, errors: EntityErrors, corpus: Corpus, pairs: Mapping[int, Any]) -> None:
        mentions, name = errors.mentions, _Names(errors.mentions, corpus)
        own = members(mentions.response)
        numbers = [_in_documents(errors, chains) for chains in (errors.key_chains, errors.response_chains)]
        for number, (chain, verdict) in enumerate(zip(errors.key_chains, errors.verdicts, strict=True)):
            pair = pairs.get(number)
            partner = set() if pair is None else set(own[pair.response])
            row = self._chain(errors, corpus, name, chain, verdict)
            row |= {
                "key_chain": numbers[0][number],
                "similarity": 0.0 if pair is None else pair.similarity,
                "certain": pair is None or pair.certain,
                "missing": len(set(chain) - partner),
                "foreign": len(partner - set(chain)),
            }
            self.chains.append(row)
        for number in errors.invented:
            row = self._chain(errors, corpus, name, errors.response_chains[number], "invented")
            self.chains.append({**row, "system_chain": numbers[1][number]})
        repaired = entity_gains(errors)
        changes = np.zeros((len(errors.key_chains) + len(errors.invented), repaired.change.shape[1]))
        is_key = repaired.key >= 0
        changes[repaired.key[is_key]] = repaired.change[is_key]
        changes[len(errors.key_chains) :] = repaired.change[~is_key]
        self.changes.append(changes)

    @staticmethod
    def _chain(
        errors: EntityErrors, corpus: Corpus, name: _Names, chain: tuple[int, ...], verdict: str
    ) -> dict[str, Any]:
        return {
            "document": corpus.names[int(errors.mentions.document[chain[0]])],
            "mention": name.position(chain[0]),
            "name": name.of(chain),
            "size": len(chain),
            "verdict": verdict,
        }

    def saved(self) -> dict[str, Any]:
        """The report: all figures under the keys of the JSON. Scores and gains are fractions."""
        totals = {types: np.concatenate(parts).sum(axis=0) for types, parts in self.stages.items()}
        effects = gains(totals)
        table = {
            name: {"count": self.errors[name]}
            | {way.replace(" ", "_"): values for way, values in effects[name].items()}
            for name in ENTITY_ERRORS
        }
        corrected = totals[(SPAN,)]
        before = f1_of(corrected)
        changes = np.concatenate(self.changes) if self.changes else np.zeros((0, len(corrected)))
        after = f1_of(corrected + changes)
        rows = [
            {
                **chain,
                "gain": {
                    name: float(after[name][row] - before[name]) if changes[row].any() else 0.0 for name in REPAIRED
                },
            }
            for row, chain in enumerate(self.chains)
        ]
        order = sorted(range(len(rows)), key=lambda row: -rows[row]["gain"]["mela"])
        return {
            "errors": table,
            "operations": dict(self.operations),
            "scores": {_stage(types): _saved_scores(counts) for types, counts in totals.items() if _is_shown(types)},
            "verdicts": dict(sorted((+self.verdicts).items(), key=lambda item: (-item[1], item[0]))),
            "singletons": dict(self.singletons),
            "links": {side: _nested(counts) for side, counts in self.links.items()},
            "link_distances": {side: dict(counts) for side, counts in self.distances.items()},
            "slices": {
                name: {value: SliceSums.total(sums).saved() for value, sums in slices.items()}
                for name, slices in self.slices.items()
            },
            "chains": [rows[row] for row in order],
        }


def _is_shown(types: tuple[str, ...]) -> bool:
    """Whether a stage is alone or in order, not one of the other subsets of shares."""
    is_single = len(types) == 2 and types[0] == SPAN
    return is_single or types == ENTITY_ERRORS[: len(types)]


def _stage(types: tuple[str, ...]) -> str:
    """The name of a stage: none, span, conflated, … for single types, and to_extra_mention, … in order."""
    if len(types) < 3:
        return types[-1] if types else "none"
    return f"to_{types[-1]}"


def _saved_scores(counts: Values) -> dict[str, dict[str, float]]:
    names = ("recall", "precision", "f1")
    return {
        measure: dict(zip(names, values.tolist(), strict=True)) if measure != "mela" else {"f1": float(values[2])}
        for measure, values in scores_of(counts).items()
    }


def _nested(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Counts by type of the mention, then by type of the antecedent."""
    return {
        one: {other: counts[one, other] for other in MENTION_TYPES if counts[one, other]}
        for one in MENTION_TYPES
        if any(counts[one, other] for other in MENTION_TYPES)
    }


class EntityObserver:
    """Collects the reports on all systems: an observer of evaluations."""

    def __init__(self, *, shares: bool = False, draws: bool = False) -> None:
        """`draws`: documents are collected for a page, too."""
        self._shares = shares
        self.drawing = EntityDrawing() if draws else None
        self.counts: dict[str, EntityCounts] = {}
        self.has_tags = False

    def __call__(self, evaluation: Any) -> None:
        self.has_tags |= "pos" in evaluation.annotation.layers
        for name in evaluation.pairs:
            counts = self.counts.setdefault(name, EntityCounts.none())
            counts.add(evaluation.entities(name), evaluation.annotation.corpus, shares=self._shares)
        if self.drawing is not None:
            systems = {name: evaluation.entities(name) for name in evaluation.pairs}
            self.drawing.add(evaluation.annotation.corpus, systems)

    def facts(self, system: str) -> dict[str, dict[str, Any]]:
        """The report on a system as a fact of its result."""
        return {ENTITIES: self.counts[system].saved()}

    def notes(self) -> tuple[str, ...]:
        return () if self.has_tags else ("The key has no POS, so errors by entity treat all mentions as nominal.",)


# Documents, as a page draws them

MAX_DRAWN = 200_000
"""The number of tokens after which a page draws no further documents."""
_CONTEXT = 4


@dataclass
class EntityDrawing:
    """The documents of the key with the mentions of all sides; only the first ones of a large corpus."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    """By document: its name `d`, the tokens `t` of its sentences, and by system its mentions and errors `s`.

    Mentions `m` are rows of sentence, first token, end, chain of the key, chain of the response (numbered from 1 in the
    document; 0: none), and the number of the mention that it is a corrected span of, or that is corrected to it (-1).
    Errors `e` are rows of the type, the mentions, the chain of the key and that of the response.
    """
    size: int = 0
    left_out: int = 0
    """The number of documents that are not drawn."""

    def add(self, corpus: Corpus, systems: Mapping[str, EntityErrors]) -> None:
        if corpus.bounds is None:  # mentions of a text that is not known
            self.left_out += len(corpus.names)
            return
        bounds, edges = corpus.bounds.tolist(), np.append(corpus.documents, corpus.sentences).tolist()
        sides = {name: _drawn_system(errors, corpus) for name, errors in systems.items()}
        for number, name in enumerate(corpus.names):
            first, end = edges[number : number + 2]
            tokens = bounds[end] - bounds[first]
            if self.size + tokens > MAX_DRAWN and self.documents:
                self.left_out += 1
                continue
            self.size += tokens
            texts = [_tokens(corpus, *bounds[sentence : sentence + 2]) for sentence in range(first, end)]
            drawn = {system: documents[number] for system, documents in sides.items()}
            self.documents.append({"d": name, "t": texts, "s": drawn})

    def examples(self, system: str, kind: str, most: int) -> list[dict[str, Any]]:
        """The first errors of a type with different words, in their contexts."""
        found: dict[str, dict[str, Any]] = {}
        for document in self.documents:
            side = document["s"][system]
            for error in side["e"]:
                if ENTITY_ERRORS[error[0]] != kind or len(found) == most:
                    continue
                sentence, start, end = side["m"][error[1][0]][:3]
                tokens = document["t"][sentence]
                words = " ".join(tokens[start : min(end, start + _CONTEXT)]) + (" …" if end > start + _CONTEXT else "")
                before, after = tokens[max(0, start - _CONTEXT) : start], tokens[end : end + _CONTEXT]
                found.setdefault(
                    words,
                    {"words": words, "parts": [(words, True)], "before": " ".join(before), "after": " ".join(after)},
                )
        return list(found.values())


def _tokens(corpus: Corpus, begin: int, end: int) -> list[str]:
    return ["·"] * (end - begin) if corpus.tokens is None else list(corpus.tokens.texts(begin, end))


def _drawn_system(errors: EntityErrors, corpus: Corpus) -> list[dict[str, Any]]:
    """The mentions and errors of a response by document."""
    mentions = errors.mentions
    sentence, start = corpus.in_sentences(mentions.document, mentions.start)
    sentence = sentence - corpus.documents[mentions.document]
    partner = np.full(len(mentions), -1)
    for own, correct in errors.spans:
        partner[own], partner[correct] = correct, own
    before = np.searchsorted(mentions.document, np.arange(len(corpus.names) + 1))
    first = before[mentions.document]
    chains = [
        np.append(ints(_in_documents(errors, members(chain))), 0)[chain] for chain in (mentions.key, mentions.response)
    ]
    end = start + mentions.end - mentions.start
    table = np.stack((sentence, start, end, *chains, np.where(partner < 0, -1, partner - first)), axis=1)
    drawn: list[dict[str, Any]] = [
        {"m": table[begin:stop].tolist(), "e": []} for begin, stop in pairwise(before.tolist())
    ]
    key, response = _chain_numbers(errors, "key"), _chain_numbers(errors, "response")
    for error, of_key, of_response in zip(errors.errors, key.tolist(), response.tolist(), strict=True):
        document = int(mentions.document[error.mentions[0]])
        rows = [row - int(before[document]) for row in error.mentions]
        drawn[document]["e"].append([ENTITY_ERRORS.index(error.type), rows, max(of_key, 0), max(of_response, 0)])
    return drawn
