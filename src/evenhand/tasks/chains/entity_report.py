"""The report of `score --entities`: errors by entity with the gains of repairs, link errors, slices and entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from evenhand.arrays import Values
from evenhand.data.corpus import Corpus
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entities import EntityNames, entity_type, numbers_in_documents
from evenhand.tasks.chains.entity_drawing import EntityDrawing
from evenhand.tasks.chains.entity_errors import (
    MENTION_TYPES,
    REPAIRED,
    SPAN,
    EntityErrors,
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
    lea_by_size,
)
from evenhand.tasks.chains.link_errors import DISTANCES, SIDES, distance_bin, link_errors
from evenhand.tasks.chains.task import ENTITIES, ENTITY_ERRORS


@dataclass
class EntityCounts:
    """What the report on one system adds up, part by part."""

    errors: Counter[str]
    operations: Counter[str]
    verdicts: Counter[str]
    singletons: Counter[str]
    links: dict[str, Counter[tuple[str, str]]]
    """Missing and wrong links by the types of mention and antecedent."""
    distances: dict[str, dict[str, Counter[str]]]
    """The same links by their distance in sentences, and in mentions of the chain."""
    by_type: dict[str, Counter[str]]
    """Errors by type of mention."""
    by_document: dict[str, Counter[str]]
    slices: dict[str, dict[str, list[SliceSums]]]
    stages: dict[tuple[str, ...], list[Values]]
    """Counts by document, by the types that are repaired."""
    chains: list[dict[str, Any]]
    changes: list[Values]
    """By chain: how the counts change if it is repaired."""

    @staticmethod
    def none() -> EntityCounts:
        return EntityCounts(
            errors=Counter(),
            operations=Counter(),
            verdicts=Counter(),
            singletons=Counter(),
            links={side: Counter() for side in SIDES},
            distances={unit: {side: Counter() for side in SIDES} for unit in ("sentences", "mentions")},
            by_type={name: Counter() for name in MENTION_TYPES},
            by_document={},
            slices={},
            stages={},
            chains=[],
            changes=[],
        )

    def add(self, errors: EntityErrors, corpus: Corpus, *, shares: bool, closest: bool) -> None:
        mentions = errors.mentions
        self.errors.update({name: int(counts.sum()) for name, counts in errors.counts.items()})
        self.operations.update(errors.operations)
        self.verdicts.update(errors.verdicts)
        self.verdicts["invented"] += len(errors.invented)
        self.singletons.update(errors.singletons)
        for name, by_error in errors.counts_by_type.items():
            self.by_type[name].update(by_error)
        for number, name in enumerate(corpus.names):
            of_document = self.by_document.setdefault(name, Counter())
            of_document.update({kind: int(counts[number]) for kind, counts in errors.counts.items()})
        for side in SIDES:
            links = link_errors(mentions, wrong=side == "wrong", closest=closest)
            self.links[side].update((link.type, link.antecedent_type) for link in links)
            self.distances["sentences"][side].update(distance_bin(link.sentences) for link in links)
            self.distances["mentions"][side].update(distance_bin(link.mentions) for link in links)
        for types, counts in (errors.subsets if shares else errors.stages).items():
            self.stages.setdefault(types, []).append(counts)
        cells = ChainCells.of(mentions.key, mentions.response)
        pairs = aligned_pairs(cells)
        for name, slices in (
            ("b_cubed_by_type", b_cubed_by_type(mentions)),
            ("ceaf_e_by_size", ceaf_e_by_size(cells, pairs)),
            ("lea_by_size", lea_by_size(cells)),
        ):
            known = self.slices.setdefault(name, {})
            for value, sums in slices.items():
                known.setdefault(value, []).append(sums)
        self._add_chains(errors, corpus, {pair.key: pair for pair in pairs})

    def _add_chains(self, errors: EntityErrors, corpus: Corpus, pairs: Mapping[int, Any]) -> None:
        mentions, name = errors.mentions, EntityNames(errors.mentions, corpus)
        own = members(mentions.response)
        numbers = [numbers_in_documents(mentions, chains) for chains in (errors.key_chains, errors.response_chains)]
        for number, (chain, verdict) in enumerate(zip(errors.key_chains, errors.verdicts, strict=True)):
            pair = pairs.get(number)
            partner = set() if pair is None else set(own[pair.response])
            missing, foreign = sorted({*chain} - partner), sorted(partner - {*chain})
            row = self._chain(errors, corpus, name, chain, verdict)
            row |= {
                "key_chain": numbers[0][number],
                "similarity": 0.0 if pair is None else pair.similarity,
                "certain": pair is None or pair.certain,
                "partner": None if pair is None else numbers[1][pair.response],
                "missing": len(missing),
                "foreign": len(foreign),
                "missing_mentions": [name.position(mention) for mention in missing],
                "foreign_mentions": [name.position(mention) for mention in foreign],
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
        errors: EntityErrors, corpus: Corpus, name: EntityNames, chain: tuple[int, ...], verdict: str
    ) -> dict[str, Any]:
        return {
            "document": corpus.names[int(errors.mentions.document[chain[0]])],
            "mention": name.position(chain[0]),
            "name": name.of(chain),
            "type": MENTION_TYPES[entity_type(errors, chain)],
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
            "link_distances": {side: _binned(counts) for side, counts in self.distances["sentences"].items()},
            "link_mentions": {side: _binned(counts) for side, counts in self.distances["mentions"].items()},
            "errors_by_type": {name: dict(counts) for name, counts in self.by_type.items()},
            "errors_by_document": {name: dict(counts) for name, counts in self.by_document.items()},
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


def _binned(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in DISTANCES if counts[name]}


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
        corpus, closest = evaluation.annotation.corpus, evaluation.has_closest_antecedents
        for name in evaluation.pairs:
            counts = self.counts.setdefault(name, EntityCounts.none())
            counts.add(evaluation.entities(name), corpus, shares=self._shares, closest=closest)
        if self.drawing is not None:
            systems = {name: evaluation.entities(name) for name in evaluation.pairs}
            self.drawing.add(corpus, systems)

    def facts(self, system: str) -> dict[str, dict[str, Any]]:
        """The report on a system as a fact of its result."""
        return {ENTITIES: self.counts[system].saved()}

    def notes(self) -> tuple[str, ...]:
        return () if self.has_tags else ("The key has no POS, so errors by entity treat all mentions as nominal.",)
