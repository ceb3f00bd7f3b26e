"""Spans with the identifiers that they are linked to, as columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

import numpy as np

from evenhand.arrays import Bools, Ints, concatenate, distinct, ints
from evenhand.data.layers import Spans
from evenhand.data.names import NIL, is_nil
from evenhand.data.structures import Link
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally

UNLINKED, RESPELLED = "unlinked", "respelled"
"""What is counted for notes: spans without links, and pairs that are wrong only by their spelling."""


NIL_CODE = 0
"""The code of all identifiers that stand for no entry of the knowledge base, where these are taken as one."""


@dataclass(frozen=True)
class Linked:
    """Spans with links: columns of equal length."""

    spans: Spans
    """In documents as scopes, counted from the first token of each."""
    ranked: Ints
    """The identifiers as written, a column a rank; -1 where there are fewer."""
    same: Ints
    """The same, with one code for all that are NIL."""
    spelling: Ints
    """The code of its tokens as its file spells them; -1 where files must spell them alike."""

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def answer(self) -> Ints:
        """The first identifier."""
        found: Ints = self.same[:, 0]
        return found

    @property
    def is_nil(self) -> Bools:
        found: Bools = self.answer == NIL_CODE
        return found

    def take(self, rows: Ints | Bools) -> Linked:
        spans = self.spans.take(np.flatnonzero(rows) if rows.dtype == np.bool_ else ints(rows))
        return Linked(spans, self.ranked[rows], self.same[rows], self.spelling[rows])


class Identifiers:
    """The codes of identifiers, which all sides of a run share."""

    def __init__(self) -> None:
        self.names: StringIndex[str] = StringIndex([NIL])
        self._spellings: StringIndex[str] = StringIndex()
        self._same_as: list[int] = []
        """For each identifier the one that it is equal to: all that are NIL are one."""

    def linked(self, spans: Spans, side: SideLinks) -> Linked:
        """The spans that have links, with these."""
        extras = spans.vocabulary.extras
        known = spans.extra if spans.extra is not None else np.zeros(len(spans), dtype=np.int64)
        spans = spans.take(np.flatnonzero(known))
        links = [extras[code] for code in known[known > 0].tolist()]
        found = [link for link in links if isinstance(link, Link)]
        lists = [side.identifiers(link) for link in found]
        for row in side.nil_rows(spans):
            lists[row] = (NIL,)
        depth = max(map(len, lists), default=1)
        ranked = np.full((len(lists), depth), -1)
        for row, names in enumerate(lists):
            ranked[row, : len(names)] = [self.names.code(name) for name in names]
        spelling = ints([self._spellings.code(link.spelling) if link.spelling else -1 for link in found])
        return Linked(spans, ranked, self._same(ranked), spelling)

    def _same(self, ranked: Ints) -> Ints:
        known = len(self._same_as)
        new = enumerate(self.names.values[known:], known)
        self._same_as += [NIL_CODE if is_nil(name) else code for code, name in new]
        return ints([*self._same_as, -1])[ranked]


@dataclass(frozen=True)
class SideLinks:
    """How the links of one side are taken."""

    aliases: Mapping[str, str]
    """Identifiers that stand for others."""
    nil_labels: Collection[str] = ()
    """Labels of spans whose links are taken as NIL."""
    only_first: bool = False
    """Whether one identifier a span counts, as in a gold standard."""

    def identifiers(self, link: Link) -> tuple[str, ...]:
        names = link.candidates[:1] if self.only_first else link.candidates
        return tuple(self.aliases.get(name, name) for name in names) if self.aliases else names

    def nil_rows(self, spans: Spans) -> list[int]:
        codes = [spans.vocabulary.labels.find(name) for name in self.nil_labels]
        return list(np.flatnonzero(np.isin(spans.label, [code for code in codes if code is not None])).tolist())


# == tasks/links/question.py: One system against the gold standard in one portion: what th


@dataclass
class LinkPair:
    """What a judge of links looks at."""

    gold: Linked
    system: Linked
    groups: Ints
    """The group of each document."""
    kept: dict[object, object] = field(default_factory=dict)
    """What several judges need, by what it is."""
    more: dict[str, Tally] = field(default_factory=dict)
    """Counts beside those that judges return."""

    @property
    def documents(self) -> int:
        return len(self.groups)

    @property
    def types(self) -> tuple[tuple[str, ...], Ints]:
        """The names of labels that occur, and for each label code its place among them; the last one is -1 for none."""
        labels = self.gold.spans.vocabulary.labels
        used = distinct(concatenate([self.gold.spans.label, self.system.spans.label]))
        place = np.full(len(labels) + 1, -1)
        place[used] = np.arange(len(used))
        return tuple(labels[code] for code in used.tolist()), place

    def per_document(self, scopes: Ints) -> Ints:
        """How many of some units each document has, given the document of each."""
        found: Ints = np.bincount(scopes, minlength=self.documents)
        return found
