"""Entities: the units of comparisons by MELA, and errors by entity and wrong links as rows.

Each chain of the key has a verdict, on corrected spans: *missing* if the response has none of its mentions, *exact*, or
those that apply of *divided* (several chains of the response have its mentions), *conflated* (one of these has mentions
of another chain of the key), *extra* (one of these has mentions that are not in the key), *incomplete* (mentions are
missing) and *span* (spans were corrected). A chain of the response without mentions of the key is *invented* under the
systems that have it, and *none* under others. A change to exact or none is a correction, a change from there a new
error, and any other a changed error.

Source: this project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.corpus import Corpus
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entity_errors import (
    MENTION_TYPES,
    NAME,
    NOMINAL,
    SPAN,
    EntityErrors,
    EntityMentions,
    members,
)
from evenhand.tasks.chains.link_errors import link_errors
from evenhand.tasks.chains.task import ARCS_KINDS, ENTITY_ERRORS, ENTITY_VERDICTS, LINK_ERRORS
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
        _Unit(_place(systems[0], chain), entity_type(systems[0], chain), is_surplus=False, verdicts=[])
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
            invented.setdefault(places, _Unit(places[0], entity_type(errors, chain), is_surplus=True, verdicts=nothing))
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


def entity_type(errors: EntityErrors, chain: Sequence[int]) -> int:
    """The type of an entity: name if one of its mentions is a name; else nominal if one of them is; else pronoun."""
    return int(min(errors.mentions.type[row] for row in chain))


def error_rows(errors: EntityErrors, corpus: Corpus) -> UnitRows:
    """The errors of a response as units, with their mentions; positions are those of their first mentions."""
    mentions, name = errors.mentions, EntityNames(errors.mentions, corpus)
    first = ints([error.mentions[0] for error in errors.errors])
    types = ints([ENTITY_ERRORS.index(error.type) for error in errors.errors])
    own = {"conflated", "extra_mention", "extra_entity", SPAN}
    texts: dict[str, list[str | None]] = {
        "mentions": [name.positions(error.mentions) for error in errors.errors],
        "mention_texts": [name.texts(error.mentions) for error in errors.errors],
        "mention_types": [
            " ".join(MENTION_TYPES[mentions.type[row]] for row in error.mentions) for error in errors.errors
        ],
        "whole": [name.positions(error.whole) for error in errors.errors],
        "entity": [None if error.key < 0 else name.of(errors.key_chains[error.key]) for error in errors.errors],
    }
    rows = UnitRows.of(
        *(ENTITY_ERRORS, types, _places(mentions, first)),
        is_extra=np.array([error.type in own for error in errors.errors], dtype=np.bool_),
        numbers={"key_chain": chain_numbers(errors, "key"), "system_chain": chain_numbers(errors, "response")},
        texts={column: np.array(values, dtype=np.object_) for column, values in texts.items()},
    )
    return replace(rows, is_error=np.ones(len(rows), dtype=np.bool_)).in_sentences(corpus)


def _places(mentions: EntityMentions, rows: Ints) -> Places:
    return Places.of(mentions.document[rows], mentions.start[rows], mentions.end[rows])


def link_rows(errors: EntityErrors, corpus: Corpus, *, closest: bool) -> UnitRows:
    """The links that only one side has as units: mentions of the key, then of the response, with their antecedents."""
    mentions = errors.mentions
    links = [(kind, link) for kind in (0, 1) for link in link_errors(mentions, wrong=kind == 1, closest=closest)]
    row, antecedent = (ints([getattr(link, name) for _, link in links]) for name in ("mention", "antecedent"))
    kind = ints([kind for kind, _ in links])
    numbers = {"sentences": ints([link.sentences for _, link in links])}
    numbers |= {"mentions": ints([link.mentions for _, link in links])}
    for name, chain in (("key_chain", mentions.key), ("system_chain", mentions.response)):
        number = ints([*numbers_in_documents(mentions, members(chain)), -1])
        numbers[name] = number[chain[row]]
    texts = {"mention_type": [link.type for _, link in links]}
    texts |= {"antecedent_type": [link.antecedent_type for _, link in links]}
    rows = UnitRows.of(
        *(LINK_ERRORS, kind, _places(mentions, row)),
        is_extra=kind == 1,
        places={"antecedent": _places(mentions, antecedent)},
        numbers=numbers,
        texts={name: np.array(values, dtype=np.object_) for name, values in texts.items()},
    )
    return replace(rows, is_error=np.ones(len(rows), dtype=np.bool_)).in_sentences(corpus)


def chain_numbers(errors: EntityErrors, side: str) -> Ints:
    """The chain of each error on one side, numbered from 1 in its document by first mentions; -1 without one."""
    chains = errors.key_chains if side == "key" else errors.response_chains
    numbers = [*numbers_in_documents(errors.mentions, chains), -1]
    return ints([numbers[getattr(error, side)] for error in errors.errors])


def numbers_in_documents(mentions: EntityMentions, chains: Sequence[Sequence[int]]) -> list[int]:
    """The number of each chain in its document, from 1; chains are in the order of documents."""
    document = ints([int(mentions.document[chain[0]]) for chain in chains])
    numbers: list[int] = (np.arange(len(chains)) - np.searchsorted(document, document) + 1).tolist()
    return numbers


class EntityNames:
    """The texts of mentions, and the names of entities."""

    def __init__(self, mentions: EntityMentions, corpus: Corpus) -> None:
        self._corpus, self._types = corpus, mentions.type.tolist()
        sentence, start = corpus.in_sentences(mentions.document, mentions.start)
        first = corpus.documents[mentions.document] if corpus.bounds is not None else mentions.document
        self._places = list(
            zip(sentence.tolist(), start.tolist(), (start + mentions.end - mentions.start).tolist(), strict=True)
        )
        self._sentence = (sentence - first).tolist()

    def text(self, row: int) -> str:
        has_text = self._corpus.tokens is not None and self._corpus.bounds is not None
        return (self._corpus.quoted(*self._places[row]) if has_text else None) or self.position(row)

    def position(self, row: int) -> str:
        """Sentence of the document, from 1, first token, from 0, and end: `3:5-7`."""
        _, start, end = self._places[row]
        return f"{self._sentence[row] + 1}:{start}-{end}"

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
