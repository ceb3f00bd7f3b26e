"""Links of the gold standard and of a system: spans with identifiers of a knowledge base, as columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeVar

import numpy as np

from evenhand.arrays import Bools, Ints, concatenate, distinct, ints
from evenhand.data.layers import Spans
from evenhand.data.structures import Link
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.settings import NIL, is_nil
from evenhand.tasks.spans.matching import rows_of_windows
from evenhand.tasks.unit_rows import UnitRows

UNLINKED, RESPELLED = "unlinked", "respelled"
"""Counts for notes: spans without links, and pairs that are wrong only because of their spelling."""
NIL_CODE, BLANK_CODE = 0, 1
"""The code of all identifiers outside the knowledge base, if they are compared, and of the empty identifier."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Linked:
    """Spans with links: columns of equal length."""

    spans: Spans
    """Scopes are documents; positions are counted from the first token of each."""
    ranked: Ints
    """The identifiers as written, one column per rank; -1 if there are fewer."""
    same: Ints
    """The same, with one code for all that are NIL."""
    spelling: Ints
    """The code of its tokens as its file spells them; -1 if files must spell them alike."""

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def answer(self) -> Ints:
        return self.same[:, 0]

    @property
    def is_nil(self) -> Bools:
        is_nil: Bools = self.answer == NIL_CODE
        return is_nil

    @property
    def blank(self) -> Bools:
        """Which spans have the empty identifier, which most measures take for the lack of a link."""
        is_blank: Bools = self.ranked[:, 0] == BLANK_CODE
        return is_blank

    def take(self, rows: Ints | Bools) -> Linked:
        spans = self.spans.take(np.flatnonzero(rows) if rows.dtype == np.bool_ else ints(rows))
        return Linked(spans, self.ranked[rows], self.same[rows], self.spelling[rows])


class Identifiers:
    """The codes of identifiers, which all sides of a run share."""

    def __init__(self) -> None:
        self.names: StringIndex[str] = StringIndex([NIL, ""])
        self._spellings: StringIndex[str] = StringIndex()
        self._same_as: list[int] = []
        """The code that each identifier is compared by: NIL_CODE for all that are NIL, else its own."""

    def linked(self, spans: Spans, rules: LinkRules) -> Linked:
        """The spans that have links, with their identifiers."""
        extras = spans.vocabulary.extras
        known = spans.extra if spans.extra is not None else np.zeros(len(spans), dtype=np.int64)
        spans = spans.take(np.flatnonzero(known))
        links = [link for code in known[known > 0].tolist() if isinstance(link := extras[code], Link)]
        lists = [rules.identifiers(link) for link in links]
        nil_labels = [spans.vocabulary.labels.find(name) for name in rules.nil_labels]
        for row in np.flatnonzero(np.isin(spans.label, [code for code in nil_labels if code is not None])).tolist():
            lists[row] = (NIL,)
        ranked = np.full((len(lists), max(map(len, lists), default=1)), -1)
        for row, names in enumerate(lists):
            ranked[row, : len(names)] = [self.names.code(name) for name in names]
        spelling = ints([self._spellings.code(link.spelling) if link.spelling else -1 for link in links])
        return Linked(spans, ranked, self._same(ranked), spelling)

    def _same(self, ranked: Ints) -> Ints:
        known = len(self._same_as)
        new = enumerate(self.names.values[known:], known)
        self._same_as += [NIL_CODE if is_nil(name) else code for code, name in new]
        return ints([*self._same_as, -1])[ranked]


@dataclass(frozen=True)
class LinkRules:
    """How the links of one side are read."""

    aliases: Mapping[str, str]
    """Identifiers that are replaced by others."""
    nil_labels: Collection[str] = ()
    """Labels of spans whose links are treated as NIL."""
    only_first: bool = False
    """Whether a span has one identifier only, as in a gold standard."""

    def identifiers(self, link: Link) -> tuple[str, ...]:
        names = link.candidates[:1] if self.only_first else link.candidates
        return tuple(self.aliases.get(name, name) for name in names) if self.aliases else names


def link_units(
    kinds: Sequence[str],
    kind: Ints,
    gold_row: Ints,
    system_row: Ints,
    gold: Linked,
    system: Linked,
    is_extra: Bools | None = None,
) -> UnitRows:
    """Links as rows (see `UnitRows.of_pairs`), with identifiers as labels, and the labels of spans as names."""
    one, other = (replace(side.spans, label=side.ranked[:, 0]) for side in (gold, system))
    rows = UnitRows.of_pairs(kinds, kind, gold_row, system_row, one, other, is_extra)
    labels = np.append(gold.spans.label, -1)[gold_row], np.append(system.spans.label, -1)[system_row]
    return replace(rows, names={"label": np.where(gold_row >= 0, *labels)})


@dataclass
class LinkPair:
    """Gold standard and one system side by side."""

    gold: Linked
    system: Linked
    groups: Ints
    """The group of each document."""
    mentions: tuple[Linked, Linked] | None = None
    """Both sides with the spans whose identifier is empty, if there are any."""
    extra_tallies: dict[str, Tally] = field(default_factory=dict)
    """Tallies in addition to those that scorers return."""
    _cache: dict[Hashable, Any] = field(default_factory=dict)

    def cached(self, function: Callable[..., Result], *arguments: Hashable) -> Result:
        """The value of `function(pair, *arguments)`, which several scorers share."""
        key = (function, *arguments)
        if key not in self._cache:
            self._cache[key] = function(self, *arguments)
        result: Result = self._cache[key]
        return result

    @property
    def scored(self) -> Spans:
        """The units of the system that have confidences; their scopes are the matching windows."""
        return self.system.spans

    @property
    def windows(self) -> Ints:
        """The group of each matching window."""
        return self.groups

    def copies(self, source: Ints, rows: Ints, copy: Ints) -> LinkPair:
        """A virtual collection of copied documents; see `SpanPair.copies`."""
        gold_rows, gold_copy = rows_of_windows(self.gold.spans.scope, source, len(self.groups))
        gold, system = self.gold.take(gold_rows), self.system.take(rows)
        gold, system = (
            replace(side, spans=replace(side.spans, scope=scope)) for side, scope in ((gold, gold_copy), (system, copy))
        )
        return LinkPair(gold, system, np.arange(len(source)))

    def cached_values(self, kind: type[Result]) -> list[Result]:
        """All cached values of a type."""
        return [value for value in self._cache.values() if isinstance(value, kind)]

    @property
    def types(self) -> tuple[tuple[str, ...], Ints]:
        """The names of labels that occur, and for each label code its index among them; the last entry is -1."""
        labels = self.gold.spans.vocabulary.labels
        used = distinct(concatenate([self.gold.spans.label, self.system.spans.label]))
        index = np.full(len(labels) + 1, -1)
        index[used] = np.arange(len(used))
        return tuple(labels[code] for code in used.tolist()), index

    def per_document(self, documents: Ints) -> Ints:
        """The number of units of each document, given the document of each unit."""
        return np.bincount(documents, minlength=len(self.groups))
