"""What each entity contributes to a score: the alignment of CEAF, gains by entity, and the parts of a difference.

**Alignment.** CEAF_e aligns chains of key and response one to one, with the largest sum S of φ = 2n / (|K| + |R|). S is
unique, its pairs are not: chains are ordered by their first mentions, so the same input has the same pairs, and a pair
is *certain* if every best alignment has it.

**Parts of a difference.** With k chains of the key and r of the response, F1 of CEAF_e is 2S / (k + r). So the
difference of two systems A and B has two parts, which add up exactly: 2 (S_B - S_A) / (k + r_B) from matches, and
2 S_A (1 / (k + r_B) - 1 / (k + r_A)) from the number of chains. MUC has the same parts, with common links for S and the
links of both sides for k and r. The difference of MELA is a third of the sum of those of MUC, B³ and CEAF_e.

**Slices.** B³ by type of mention: recall over mentions of the key, precision over those of the response. CEAF_e and LEA
by size of the entity (2, 3-4, 5-9, 10+ mentions): recall over chains of the key, precision over those of the response;
LEA weights chains by their sizes. So recall and precision have units of their own, and F1 needs both. MUC and MELA have
no value for a type of mention. An error by entity counts as name if one of its mentions is a name, else as nominal if
one is, else as pronoun.

Sources: Luo 2005 for CEAF; the parts and slices are this project's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints, Values, ints, ranges
from evenhand.data.structures import mention_spans
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.scores import headline
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks.assignment import best_cells
from evenhand.tasks.chains.entity_errors import (
    COUNTS,
    MENTION_TYPES,
    EntityErrors,
    EntityMentions,
    count_table,
    f1_of,
)
from evenhand.tasks.chains.measures import Overlap
from evenhand.tasks.chains.mentions import ChainSizes, MentionMatch, without_repeats, without_singletons
from evenhand.tasks.chains.task import ENTITY_MEASURES, MELA, chain_formula
from evenhand.tasks.evaluation import DifferencePart, SwappableGroups

if TYPE_CHECKING:
    from evenhand.tasks.chains.evaluation import ChainEvaluation

SIZES = ("2", "3-4", "5-9", "10+")
_SIZE_BOUNDS = (3, 5, 10)
_SAME = 1e-9
"""Sums of similarities are equal up to this difference."""
_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class ChainCells:
    """The cells of the overlap of two sides, sorted by their connected component; chains are numbered from 0."""

    key_size: Ints
    response_size: Ints
    key: Ints
    response: Ints
    common: Ints
    component: Ints
    key_component: Ints
    response_component: Ints
    """The component of each chain; each chain without cells is one of its own."""

    @staticmethod
    def of(key: Ints, response: Ints) -> ChainCells:
        """The cells of chains, given the chain of each mention on both sides, or -1."""
        sizes = [np.bincount(chain[chain >= 0]).astype(np.int64) for chain in (key, response)]
        both = (key >= 0) & (response >= 0)
        width = max(len(sizes[1]), 1)
        cell, common = np.unique(key[both] * width + response[both], return_counts=True)
        rows, columns = cell // width, cell % width
        label = components(len(sizes[0]) + len(sizes[1]), rows, columns + len(sizes[0]))
        order = np.argsort(label[rows], kind="stable")
        rows, columns, common = rows[order], columns[order], common[order]
        of_key, of_response = label[: len(sizes[0])], label[len(sizes[0]) :]
        return ChainCells(sizes[0], sizes[1], rows, columns, common, label[rows], of_key, of_response)

    @property
    def similarity(self) -> Values:
        """φ of each cell."""
        similarity: Values = 2 * self.common / (self.key_size[self.key] + self.response_size[self.response])
        return similarity

    @property
    def components(self) -> int:
        return len(self.key_size) + len(self.response_size)

    def counts(self) -> Values:
        """The counts of `COUNTS` by component."""
        sides = ChainSizes(self.key_size, self.key_component), ChainSizes(self.response_size, self.response_component)
        return count_table(Overlap(self.components, *sides, self.key, self.response, self.common))


def components(size: int, one: Ints, other: Ints) -> Ints:
    """The connected component of each node: the number of its first node."""
    label = np.arange(size)
    while True:
        least = np.minimum(label[one], label[other])
        before = label.copy()
        np.minimum.at(label, one, least)
        np.minimum.at(label, other, least)
        label = label[label]
        if np.array_equal(label, before):
            return label


@dataclass(frozen=True)
class AlignedPair:
    """A chain of the key and its partner under CEAF_e."""

    key: int
    response: int
    similarity: float
    certain: bool


def aligned_pairs(cells: ChainCells) -> list[AlignedPair]:
    """The alignment of CEAF_e in the order of the key's chains."""
    value = cells.similarity
    order = np.lexsort((cells.response, cells.key))
    chosen = order[best_cells(cells.key[order], cells.response[order], value[order])]
    chosen = chosen[np.argsort(cells.key[chosen])]
    certain = _certain(cells, value, chosen)
    columns = (cells.key[chosen], cells.response[chosen], value[chosen], certain)
    return [AlignedPair(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _certain(cells: ChainCells, value: Values, chosen: Ints) -> Bools:
    """Which chosen cells are in every best alignment: without the cell, the sum of its component is lower."""
    best = np.bincount(cells.component[chosen], value[chosen], minlength=cells.components)
    certain = np.ones(len(chosen), dtype=np.bool_)
    sizes = np.bincount(cells.component, minlength=cells.components)[cells.component[chosen]]
    for part in _batches(np.where(sizes > 1, sizes, 0)):
        rows = part[sizes[part] > 1]
        first = np.searchsorted(cells.component, cells.component[chosen[rows]])
        copied, of = ranges(first, sizes[rows]), np.repeat(np.arange(len(rows)), sizes[rows])
        kept = copied != chosen[rows][of]
        copied, of = copied[kept], of[kept]
        found = best_cells(
            of * len(cells.key_size) + cells.key[copied],
            of * len(cells.response_size) + cells.response[copied],
            value[copied],
        )
        sums = np.bincount(of[found], value[copied[found]], minlength=len(rows))
        certain[rows] = sums < best[cells.component[chosen[rows]]] - _SAME
    return certain


def _batches(sizes: Ints) -> list[Ints]:
    """Rows in batches whose sizes do not add up to too much."""
    batch = np.cumsum(sizes) // _CELLS_AT_ONCE
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(batch)) + 1)


@dataclass(frozen=True)
class EntityGains:
    """The entities that are not found exactly, and how the counts change if one of them is repaired."""

    key: Ints
    """The chain of the key, or -1."""
    response: Ints
    """A chain of the response without mentions of the key, or -1."""
    change: Values
    """The changes of `COUNTS` by entity."""


def entity_gains(errors: EntityErrors) -> EntityGains:
    """The effect of repairing each entity, from its component alone."""
    cells = ChainCells.of(errors.mentions.key, errors.response)
    old = cells.counts()
    is_exact = np.zeros(len(cells.key_size), dtype=np.bool_)
    exact = (cells.common == cells.key_size[cells.key]) & (cells.common == cells.response_size[cells.response])
    is_exact[cells.key[exact]] = True
    entities, invented = np.flatnonzero(~is_exact), np.array(errors.invented, dtype=np.int64)
    sizes = np.bincount(cells.component, minlength=cells.components)[cells.key_component[entities]]
    parts = [_changes(cells, old, entities[part]) for part in _batches(sizes)] if len(entities) else []
    none = np.zeros((0, len(COUNTS)))
    change = np.concatenate([*parts, -old[cells.response_component[invented]] if len(invented) else none])
    nothing = np.full(len(entities), -1), np.full(len(invented), -1)
    return EntityGains(np.append(entities, nothing[1]), np.append(nothing[0], invented), change)


def _changes(cells: ChainCells, old: Values, entities: Ints) -> Values:
    """The changes of counts if each of some chains of the key is found: each has a copy of its component."""
    component = cells.key_component[entities]
    copies = [_copies(labels, component) for labels in (cells.key_component, cells.response_component)]
    (key, key_copy, key_place), (response, response_copy, response_place) = copies
    first, size = (
        np.searchsorted(cells.component, component),
        np.bincount(cells.component, minlength=cells.components)[component],
    )
    cell, of = ranges(first, size), np.repeat(np.arange(len(entities)), size)
    column = response_place(of, cells.response[cell])
    of_entity = cells.key[cell] == entities[of]
    sizes = cells.response_size[response] - np.bincount(column[of_entity], cells.common[cell[of_entity]], len(response))
    kept = ~of_entity & (sizes[column] > 1)
    sizes = np.where(sizes > 1, sizes, 0).astype(np.int64)
    rank = np.cumsum(sizes > 0) - 1
    present, whole = np.flatnonzero(sizes), cells.key_size[entities]
    overlap = Overlap(
        len(entities),
        ChainSizes(cells.key_size[key], key_copy),
        ChainSizes(np.append(sizes[present], whole), np.append(response_copy[present], np.arange(len(entities)))),
        np.append(key_place(of[kept], cells.key[cell[kept]]), key_place(np.arange(len(entities)), entities)),
        np.append(rank[column[kept]], len(present) + np.arange(len(entities))),
        np.append(cells.common[cell[kept]], whole),
    )
    changes: Values = count_table(overlap) - old[component]
    return changes


def _copies(labels: Ints, component: Ints) -> tuple[Ints, Ints, Callable[[Ints, Ints], Ints]]:
    """The chains of components, the copy that each belongs to, and a function from copies and chains to places."""
    order = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels[order], component)
    size = np.searchsorted(labels[order], component, side="right") - first
    begin, rank = np.cumsum(size) - size, np.argsort(order)
    chains = order[ranges(first, size)]
    return (
        chains,
        np.repeat(np.arange(len(component)), size),
        lambda copy, chain: begin[copy] + rank[chain] - first[copy],
    )


# Parts of a difference


def parts_of_differences(
    settings: ScoreSettings, before: Mapping[str, Tally], after: Mapping[str, Tally]
) -> dict[str, list[DifferencePart]]:
    """The parts of the differences of MELA, CEAF_e and MUC, from the tallies of two systems; none without F1."""
    if "chains" not in before or settings.beta != 1:
        return {}
    tallies = [side["chains"] for side in (before, after)]
    sums = [dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True)) for tally in tallies]
    parts = {}
    if all(f"{name}.common" in sums[0] or f"{name}.key" in sums[0] for name in MELA):
        titles = {"muc": "MUC", "b_cubed": "B³", "ceaf_e": "CEAF_e"}
        scores = [{name: headline(chain_formula(name, settings), tally, []) for name in MELA} for tally in tallies]
        parts["mela"] = [DifferencePart(name, (scores[1][name] - scores[0][name]) / 3, titles[name]) for name in MELA]
    if "ceaf_e.common" in sums[0]:
        matched, number = _two_parts(*(_sizes(side, "ceaf_e", "chains") for side in sums))
        parts["ceaf_e"] = [
            DifferencePart("similarity", matched, f"{_than(matched, 'better', 'worse')} matches"),
            DifferencePart("number_of_chains", number, _number(sums, "chains", "chains")),
        ]
    # With copies of mentions, the sides of MUC have different numerators.
    if "muc.common" in sums[0] and "muc.common_response" not in sums[0]:
        common, number = _two_parts(*(_sizes(side, "muc", "muc") for side in sums))
        parts["muc"] = [
            DifferencePart("common_links", common, f"{_than(common, 'more', 'fewer')} common links"),
            DifferencePart("number_of_links", number, _number(sums, "muc", "links")),
        ]
    return parts


def _sizes(counts: Mapping[str, float], name: str, unit: str) -> tuple[float, float, float]:
    return counts[f"{name}.common"], counts[f"{unit}.key"], counts[f"{unit}.response"]


def _number(sums: Sequence[Mapping[str, float]], unit: str, noun: str) -> str:
    """`fewer chains (170 instead of 286)`."""
    old, new = (int(side[f"{unit}.response"]) for side in sums)
    return f"{_than(new - old, 'more', 'fewer')} {noun} ({new:,} instead of {old:,})"


def _than(difference: float, more: str, less: str) -> str:
    return more if difference > 0 else less if difference < 0 else "equal"


def swappable_groups(evaluation: ChainEvaluation, first: str, second: str) -> SwappableGroups:
    """The connected components of the chains of the key and of two responses, with the counts of each response.

    Every chain lies in one component, so the counts of MUC, B³, CEAF and LEA add up over components, and swapping the
    responses in some of them gives two valid responses. BLANC's do not add up, and antecedents are left out, too.
    The test is about this document only: in simulations of documents with differing quality, it rejects a true null
    hypothesis at 5 % in 42 to 51 % of cases.

    Source: this project.
    """
    key = evaluation.key
    sides = [key, *(evaluation.pairs[name] for name in (first, second))]
    if not MentionMatch.of(evaluation.request.settings).is_plain or evaluation.request.settings["repeats"] == "last":
        raise SettingError("Groups within a document need mentions that match exactly; resample documents.")
    sides = [key, *(without_repeats(key, side) for side in sides[1:])]
    settings = evaluation.request.settings
    sides = sides if settings["singletons"] else [without_singletons(side) for side in sides]
    numbers = mention_spans(*sides)
    chains, before = [], 0
    for side in sides:
        chains.append(np.unique(side.chain, return_inverse=True)[1] + before)
        before += len(np.unique(side.chain))
    spans = before + np.unique(np.concatenate(numbers), return_inverse=True)[1]
    label = components(before + int(spans.max(initial=-1)) + 1, np.concatenate(chains), spans)
    _, group = np.unique(label[np.concatenate(chains)], return_inverse=True)
    groups = int(group.max(initial=-1)) + 1
    parts = np.split(group, np.cumsum([len(side) for side in sides])[:-1])
    grouped = []
    for side, of_mention in zip(sides, parts, strict=True):
        order = np.lexsort((np.arange(len(side)), of_mention))
        grouped.append(replace(side, words=None, document=of_mention).take(order))
    tallies = [
        evaluation.counts(grouped[0], response, [*ENTITY_MEASURES, "mentions", "ceaf_m"], (), np.arange(groups))
        for response in grouped[1:]
    ]
    units = np.unique(np.stack((group, spans)), axis=1)[0]
    sizes = np.bincount(units, minlength=groups)
    return SwappableGroups((tallies[0], tallies[1]), groups, len(units), int(sizes.max(initial=0)))


def difference_parts(before: Values, after: Values) -> dict[str, dict[str, float]]:
    """The parts of the differences of CEAF_e, MUC and MELA, from the sums of `COUNTS` of two systems."""
    old, new = (dict(zip(COUNTS, counts.tolist(), strict=True)) for counts in (before, after))
    one, other = f1_of(before), f1_of(after)
    parts = {
        name: _two_parts(
            *((side[f"{name}.common"], side[f"{unit}.key"], side[f"{unit}.response"]) for side in (old, new))
        )
        for name, unit in (("ceaf_e", "chains"), ("muc", "muc"))
    }
    return {
        "mela": {name: float(other[name] - one[name]) / 3 for name in ("muc", "b_cubed", "ceaf_e")},
        "ceaf_e": dict(zip(("similarity", "number_of_chains"), parts["ceaf_e"], strict=True)),
        "muc": dict(zip(("common_links", "number_of_links"), parts["muc"], strict=True)),
    }


def _two_parts(before: tuple[float, float, float], after: tuple[float, float, float]) -> tuple[float, float]:
    (old, key, old_size), (new, _, new_size) = before, after
    inverse = [1 / (key + size) if key + size else 0.0 for size in (old_size, new_size)]
    return 2 * (new - old) * inverse[1], 2 * old * (inverse[1] - inverse[0])


# Slices


@dataclass(frozen=True)
class SliceSide:
    """One side of a slice: what its units contribute to recall or precision, and the sum of their weights."""

    parts: Sequence[float]
    units: int
    weight: int

    @property
    def share(self) -> float | None:
        """Recall or precision; None without units."""
        return fsum(self.parts) / self.weight if self.weight else None

    @staticmethod
    def total(sides: Sequence[SliceSide]) -> SliceSide:
        return SliceSide(
            [part for side in sides for part in side.parts],
            sum(side.units for side in sides),
            sum(side.weight for side in sides),
        )


@dataclass(frozen=True)
class SliceSums:
    """Recall and precision of a slice, which have units of their own; slices of documents add up."""

    key: SliceSide
    response: SliceSide

    @staticmethod
    def total(slices: Sequence[SliceSums]) -> SliceSums:
        return SliceSums(
            SliceSide.total([one.key for one in slices]), SliceSide.total([one.response for one in slices])
        )

    def saved(self) -> dict[str, float | None]:
        """Recall, precision and the numbers of their units; F1 if both are defined. No sum depends on an order."""
        recall, precision = self.key.share, self.response.share
        f1 = None
        if recall is not None and precision is not None:
            f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        return {
            "recall": recall,
            "key": self.key.units,
            "precision": precision,
            "response": self.response.units,
            "f1": f1,
        }


def b_cubed_by_type(mentions: EntityMentions) -> dict[str, SliceSums]:
    """B³ of the mentions of each type."""
    key, response = mentions.key, mentions.response
    cells = ChainCells.of(key, response)
    both = np.flatnonzero((key >= 0) & (response >= 0))
    width = max(len(cells.response_size), 1)
    codes = cells.key * width + cells.response
    order = np.argsort(codes)
    cell = order[np.searchsorted(codes[order], key[both] * width + response[both])]
    sides = []
    for chain, size in ((key, cells.key_size), (response, cells.response_size)):
        number = np.bincount(mentions.type[chain >= 0], minlength=len(MENTION_TYPES))
        sides.append(_sides(mentions.type[both], cells.common[cell] / size[chain[both]], number, number))
    return _slices(MENTION_TYPES, sides)


def ceaf_e_by_size(cells: ChainCells, pairs: Sequence[AlignedPair]) -> dict[str, SliceSums]:
    """CEAF_e of the entities of each size: the similarity of each chain to its partner."""
    similarity = np.array([pair.similarity for pair in pairs])
    chains = ints([pair.key for pair in pairs]), ints([pair.response for pair in pairs])
    sides = []
    for chain, size in zip(chains, (cells.key_size, cells.response_size), strict=True):
        sizes = np.digitize(size, _SIZE_BOUNDS)
        number = np.bincount(sizes, minlength=len(SIZES))
        sides.append(_sides(sizes[chain], similarity, number, number))
    return _slices(SIZES, sides)


def lea_by_size(cells: ChainCells) -> dict[str, SliceSums]:
    """LEA of the entities of each size: the share of resolved links of each chain, weighted by its size."""
    sides = []
    for chain, size in ((cells.key, cells.key_size), (cells.response, cells.response_size)):
        sizes = np.digitize(size, _SIZE_BOUNDS)
        resolved = cells.common * (cells.common - 1) / (size[chain] - 1)  # size · (common links / links)
        number, weight = (np.bincount(sizes, values, minlength=len(SIZES)) for values in (None, size))
        sides.append(_sides(sizes[chain], resolved, number, weight.astype(np.int64)))
    return _slices(SIZES, sides)


def _sides(slice_of: Ints, parts: Values, units: Ints, weights: Ints) -> list[SliceSide]:
    """One side of all slices; `slice_of` is the slice of each part."""
    rows = zip(units.tolist(), weights.tolist(), strict=True)
    return [SliceSide(parts[slice_of == number].tolist(), *row) for number, row in enumerate(rows)]


def _slices(names: Sequence[str], sides: Sequence[Sequence[SliceSide]]) -> dict[str, SliceSums]:
    return {name: SliceSums(*pair) for name, pair in zip(names, zip(*sides, strict=True), strict=True)}
