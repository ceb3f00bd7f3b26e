"""Leakage: the sensitive text that remains legible if everything that a system marks is masked.

Labels and levels do not matter: an atom (a token, or a non-space character) is covered by any system span. G are the
atoms in gold spans, S the atoms in system spans, A all atoms of the text.

- Atoms: `sensitive` = |G|, `leaked` = |G \\ S|, leak_rate = leaked / sensitive. An atom under several labels counts for
  each of them, and once overall.
- Gold spans are `covered`, `partial` or `exposed`: all, some or none of their atoms are in S. Tokens in the gaps of a
  span do not belong to it. The headline is recall = covered / gold spans.
- Too much: `redacted` = |S|, `over` = |S \\ G|, over_rate = over / redacted, over_text = over / (|A| - |G|).
- `values` are the different triples of document, label and words in lower case; `values_safe` are values whose mentions
  are all covered, because one uncovered mention reveals the value. values_safe_share = values_safe / values.
- `documents` are the documents with gold spans; `documents_safe` are documents without any leaked atom.
  documents_safe_share = documents_safe / documents.

Any 0/0 is 0. Surplus of the system, and documents, have no label. Files without words have no values, and files without
the lengths of sentences have no over_text.

Source: values are after Pilán et al. 2022, who require that all mentions of an entity are masked; all else is sets of
atoms.
"""

# The plain version is in tests/tasks/test_leakage.py.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from evenhand.arrays import Bools, Count, Ints, empty
from evenhand.data.layers import Spans
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.spans.matching import SpanPair, Text
from evenhand.tasks.spans.measures import COVERED, EXPOSED, PARTIAL, STATES
from evenhand.tasks.spans.token_separator import Runs, runs, segments, within_scopes
from evenhand.tasks.spans.values import PartValues
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.units import Locations

HIDDEN = "█"
"""Replaces neighbouring atoms that are covered."""
LEAK_KINDS = (
    *(*STATES, "sensitive", "leaked", "redacted", "over"),
    *("values", "values_safe", "documents", "documents_safe", "atoms", "worded"),
)
"""The counts, the atoms of the text, and the sentences with known words."""
_KIND = {name: code for code, name in enumerate(LEAK_KINDS)}
_NO_LABEL = -1


@dataclass(frozen=True)
class _CoverageCounts:
    """Counts of one kind by sentence and label; a single label or number applies to all rows."""

    kind: str
    scope: Ints
    label: Ints | int = _NO_LABEL
    count: Ints | int = 1


@dataclass(frozen=True)
class Cover:
    """The atoms of a part that are in spans of either side."""

    gold: Runs
    """The runs of atoms in gold spans, with the rows of the spans as labels."""
    in_gold: Bools
    in_system: Bools
    text: Text

    @staticmethod
    def of(gold: Spans, system: Spans, text: Text) -> Cover:
        gold_runs, system_runs = _runs(gold, text), _runs(system, text)
        size = max(int(side.end.max(initial=0)) for side in (gold_runs, system_runs))
        return Cover(gold_runs, _in_runs(gold_runs, size), _in_runs(system_runs, size), text)

    def states(self, count: int) -> Ints:
        """Whether the system covers all, some or none of the atoms of each gold span, as codes of `STATES`."""
        gold = self.gold
        size = np.bincount(gold.label, gold.end - gold.begin, minlength=count)
        covered = np.bincount(gold.label, self._covered(gold), minlength=count)
        return np.where(covered == size, COVERED, np.where(covered > 0, PARTIAL, EXPOSED))

    def counts(self, label_of: Ints) -> Iterator[_CoverageCounts]:
        """Atoms of each side and of one side only; `label_of` has the label of every gold span."""
        gold = within_scopes(replace(self.gold, label=label_of[self.gold.label]), self.text)
        if (gold.begin[1:] < gold.end[:-1]).any():
            gold = _once_per_label(gold)
        scope, length = self.text.scope_of(gold.begin), gold.end - gold.begin
        is_repeated = length.sum() > np.count_nonzero(self.in_gold)
        exposed = self.in_gold & ~self.in_system
        for kind, atoms, count in (
            ("sensitive", self.in_gold, length),
            ("leaked", exposed, length - self._covered(gold)),
        ):
            rows = np.flatnonzero(count)
            yield _CoverageCounts(kind, scope[rows], gold.label[rows], count[rows])
            if is_repeated:  # an atom with several labels counts once overall
                yield _CoverageCounts(kind, scope[rows], count=-count[rows])
                yield self._by_scope(kind, atoms)
        yield self._by_scope("redacted", self.in_system)
        yield self._by_scope("over", self.in_system & ~self.in_gold)

    def _covered(self, gold: Runs) -> Ints:
        """The number of atoms of each run in system spans."""
        covered: Ints = self._before[gold.end] - self._before[gold.begin]
        return covered

    @cached_property
    def _before(self) -> Ints:
        """The number of atoms in system spans before each position."""
        return _count_before(self.in_system)

    def _by_scope(self, kind: str, atoms: Bools) -> _CoverageCounts:
        bounds = np.minimum(np.append(self.text.first, len(atoms)), len(atoms))
        count = np.diff(_count_before(atoms)[bounds])
        scope = np.flatnonzero(count)
        return _CoverageCounts(kind, scope, count=count[scope])


def _runs(spans: Spans, text: Text) -> Runs:
    """The runs of atoms in spans, up to the end of the text."""
    atoms = runs(replace(spans, label=np.arange(len(spans))), text.first, "token")
    return atoms if text.lengths is None else atoms.before(int(text.lengths.sum()))


def _in_runs(runs: Runs, size: int) -> Bools:
    """Which of the first `size` atoms are in runs."""
    begins, ends = (np.bincount(bounds, minlength=size + 1) for bounds in (runs.begin, runs.end))
    return np.cumsum(begins - ends)[:size] > 0


def _once_per_label(runs: Runs) -> Runs:
    """Disjoint runs of each label with the same atoms."""
    parts = segments(runs, runs.take(empty()))
    return Runs(parts.begin, parts.begin + parts.length, parts.label)


def _count_before(atoms: Bools) -> Ints:
    return np.append(0, np.cumsum(atoms))


def count_leakage(pair: SpanPair) -> Tally:
    (gold, system), text = pair.placed, pair.text
    cover = Cover.of(gold, system, text)
    state = cover.states(len(gold))
    counts = [
        _CoverageCounts(kind, gold.scope[state == code], gold.label[state == code]) for code, kind in enumerate(STATES)
    ]
    counts += cover.counts(gold.label)
    if text.lengths is not None:
        counts.append(_CoverageCounts("atoms", np.arange(len(text.lengths)), count=text.lengths))
    if pair.values is not None:
        counts += _count_values(pair.values, gold.scope, state != COVERED)
        if pair.values.has_words:
            counts.append(_CoverageCounts("worded", np.arange(len(pair.groups))))
    return _tally(counts, pair)


def states(pair: SpanPair) -> Ints:
    """The state of each gold span, as codes of `STATES`."""
    gold, system = pair.placed
    return Cover.of(gold, system, pair.text).states(len(gold))


def leakage_units(pair: SpanPair) -> UnitRows:
    """The gold spans, by their states."""
    gold, _ = pair.placed
    shapes = gold.vocabulary.shapes.values
    place = Places.of(gold.scope, gold.start, gold.end, gold.shape)
    return UnitRows.of(STATES, states(pair), place, gold.label, shapes=shapes)


def _count_values(values: PartValues, scope: Ints, is_exposed: Bools) -> Iterator[_CoverageCounts]:
    """All values and documents, and without the exposed ones the safe ones; each counts where it occurs first."""
    new, exposed = values.first(np.ones_like(is_exposed)), values.first(is_exposed)
    for (label, row), change in ((new, 1), (exposed, -1)):
        for kind, chosen in (("documents", label < 0), ("values", label >= 0)):
            if change > 0:
                yield _CoverageCounts(kind, scope[row[chosen]], label[chosen])
            yield _CoverageCounts(f"{kind}_safe", scope[row[chosen]], label[chosen], change)


def _tally(counts: Sequence[_CoverageCounts], pair: SpanPair) -> Tally:
    sizes = [len(rows.scope) for rows in counts]
    scope = np.concatenate([rows.scope for rows in counts])
    label, count = (
        np.concatenate([np.broadcast_to(value, size) for value, size in zip(values, sizes, strict=True)])
        for values in ([rows.label for rows in counts], [rows.count for rows in counts])
    )
    kind = np.repeat([_KIND[rows.kind] for rows in counts], sizes)
    no_system = np.full(len(scope), _NO_LABEL)
    return Tally.of(pair.labels, LEAK_KINDS, pair.groups[scope], label, no_system, kind, count)


@dataclass(frozen=True)
class LeakedSpan:
    """A gold span that is not fully covered."""

    place: str
    document: str
    """Its name or, if it has none, its number from 1."""
    sentence: Count
    start: Count
    """Its start from 0: in characters of the input text, or in tokens of the sentence (see `positions`)."""
    end: Count
    """Its end, exclusive."""
    label: str
    words: str
    visible: str
    """The words, with a block for covered atoms."""
    state: str
    """`partial` or `exposed`."""
    positions: str = "tokens"
    """The unit of `start` and `end`: characters or tokens."""
    token_start: Count | None = None
    """The first token in the sentence, if the gold standard has tokens."""
    token_end: Count | None = None
    parts: list[tuple[Count, Count]] | None = None
    """Start and end of each part of a span with gaps, in the unit of `positions`."""
    text_place: str | None = None
    """File and line of the text of `start` and `end`, if it is a system's text and not the gold standard's."""


@dataclass
class LeakObserver:
    """Collects the spans that leak from every evaluation, by system."""

    limit: int | None = None
    """Maximum number of spans per system."""
    spans: dict[str, list[LeakedSpan]] = field(default_factory=dict)

    def __call__(self, evaluation: Evaluation) -> None:
        from evenhand.tasks.spans.evaluation import SpanEvaluation  # which imports this module

        assert isinstance(evaluation, SpanEvaluation)
        for name, pair in evaluation.pairs.items():
            spans = self.spans.setdefault(name, [])
            for span in leaked_spans(pair, evaluation.locations):
                if self.limit is not None and len(spans) >= self.limit:
                    break
                spans.append(span)


def leaked_spans(pair: SpanPair, locations: Locations) -> Iterator[LeakedSpan]:
    """The spans that leak, in text order."""
    gold, system = pair.placed
    cover = Cover.of(gold, system, pair.text)
    state = cover.states(len(gold))
    order = np.lexsort((gold.label, gold.end, gold.start, gold.scope))
    rows = order[state[order] != COVERED]
    spans = gold.take(rows)
    tokens = locations.of_tokens(spans.scope, spans.start)
    positions = locations.positions(spans.scope, spans.start, spans.end)
    shapes = [gold.vocabulary.shapes[shape] for shape in spans.shape.tolist()]
    columns = zip(spans.rows(), tokens, state[rows].tolist(), positions.rows(), shapes, strict=True)
    for (label, scope, start, end), location, code, (first, stop, token, last_token), gaps in columns:
        skipped = set(gaps)
        atoms = [atom for atom in range(start, end) if atom - start not in skipped]
        hidden = cover.in_system[pair.text.first[scope] + np.array(atoms)].tolist()
        assert first is not None
        assert stop is not None
        yield LeakedSpan(
            location,
            locations.document(int(locations.document_of[scope])),
            locations.number(scope),
            first,
            stop,
            label,
            locations.words(scope, start, end, gaps) or "",
            _visible(locations, scope, atoms, hidden),
            STATES[code],
            positions.of,
            token,
            last_token,
            locations.parts(scope, start, end, gaps) if gaps else None,
            locations.text_location(scope, start),
        )


def _visible(locations: Locations, scope: int, atoms: list[int], hidden: list[bool]) -> str:
    """The words of a span with a block for each run of hidden atoms; spaces of the text separate blocks."""
    visible = ""
    for _, group in groupby(range(len(atoms)), key=lambda at: (hidden[at], atoms[at] - at)):
        run = list(group)
        first, stop = atoms[run[0]], atoms[run[-1]] + 1
        if run[0]:
            before = atoms[run[0] - 1]
            both = locations.words(scope, before, first + 1) or "" if before + 1 == first else " "
            visible += " " if any(map(str.isspace, both)) else ""
        visible += HIDDEN if hidden[run[0]] else locations.words(scope, first, stop) or ""
    return visible
