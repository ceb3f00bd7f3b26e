"""Leakage: what a reader still sees of sensitive text if everything that a system marks is made illegible.

Labels and levels do not protect: an atom (a token, or a character that is no space) is covered by any span of the
system. G are the atoms in gold spans, S those in system spans, A all atoms of the text.

- Atoms: `sensitive` = |G|, `leaked` = |G \\ S|, leak_rate = leaked / sensitive. An atom under several labels counts for
  each of them, and once overall.
- Gold spans are `covered`, `partial` or `exposed`: all, some or none of their atoms are in S. Tokens in the gaps of a
  span do not belong to it. The headline is recall = covered / gold spans.
- Too much: `redacted` = |S|, `over` = |S \\ G|, over_rate = over / redacted, over_text = over / (|A| - |G|).
- `values` are the different triples of document, label and words in lower case; `values_safe` are those all of whose
  mentions are covered. One uncovered mention is enough for a reader. values_safe_share = values_safe / values.
- `documents` are those with gold spans; `documents_safe` are those of which nothing leaked.
  documents_safe_share = documents_safe / documents.

Any 0/0 is 0. What the system has more than the gold standard, and documents, have no label. Without words in the files
there are no values, and without the lengths of sentences no over_text.

Source: values are after Pilán et al. 2022, who ask that all mentions of an entity be masked; all else is sets of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Bytes, Count, Ints, empty, ranges
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import PADDING, Tokens
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.spans.scorers import SpanPair
from evenhand.tasks.spans.task import COVERED, EXPOSED, PARTIAL, STATES
from evenhand.tasks.spans.token_separator import Runs, Text, runs, segments, within_scopes
from evenhand.tasks.spans.values import SystemValues
from evenhand.tasks.units import Locations

if TYPE_CHECKING:
    pass

LEAK_KINDS = (
    *(*STATES, "sensitive", "leaked", "redacted", "over"),
    *("values", "values_safe", "documents", "documents_safe", "atoms", "worded"),
)
"""The counts, the atoms of the text, and the sentences whose words are known."""
_KIND = {name: code for code, name in enumerate(LEAK_KINDS)}
_NO_LABEL = -1


@dataclass(frozen=True)
class Counted:
    """Counts of one kind: the sentence, the label and the number of each; one label or number may be for all."""

    kind: str
    scope: Ints
    label: Ints | int = _NO_LABEL
    count: Ints | int = 1


@dataclass(frozen=True)
class Cover:
    """Which atoms of a portion are in spans of either side."""

    gold: Runs
    """The runs of atoms in gold spans, with the rows of the spans for labels."""
    in_gold: Bools
    in_system: Bools
    text: Text

    @staticmethod
    def of(gold: Spans, system: Spans, text: Text) -> Cover:
        mine, theirs = _runs(gold, text), _runs(system, text)
        size = max(int(each.end.max(initial=0)) for each in (mine, theirs))
        return Cover(mine, _in_runs(mine, size), _in_runs(theirs, size), text)

    def states(self, count: int) -> Ints:
        """Whether the system covers all, some or none of the atoms of each gold span, as codes of `STATES`."""
        gold = self.gold
        size, met = (
            np.bincount(gold.label, each, minlength=count) for each in (gold.end - gold.begin, self._covered(gold))
        )
        return np.where(met == size, COVERED, np.where(met > 0, PARTIAL, EXPOSED))

    def counted(self, label_of: Ints) -> Iterator[Counted]:
        """Atoms of either side, and those of one side only; `label_of` has the label of every gold span."""
        gold = within_scopes(replace(self.gold, label=label_of[self.gold.label]), self.text)
        if (gold.begin[1:] < gold.end[:-1]).any():
            gold = _once_a_label(gold)
        scope, length = self.text.scope_of(gold.begin), gold.end - gold.begin
        is_repeated = length.sum() > np.count_nonzero(self.in_gold)
        exposed = self.in_gold & ~self.in_system
        for kind, atoms, count in (
            ("sensitive", self.in_gold, length),
            ("leaked", exposed, length - self._covered(gold)),
        ):
            rows = np.flatnonzero(count)
            yield Counted(kind, scope[rows], gold.label[rows], count[rows])
            if is_repeated:  # what several labels have counts once in the sum
                yield Counted(kind, scope[rows], count=-count[rows])
                yield self._by_scope(kind, atoms)
        yield self._by_scope("redacted", self.in_system)
        yield self._by_scope("over", self.in_system & ~self.in_gold)

    def _covered(self, gold: Runs) -> Ints:
        """How many atoms of each run are in spans of the system."""
        found: Ints = self._before[gold.end] - self._before[gold.begin]
        return found

    @cached_property
    def _before(self) -> Ints:
        """How many atoms in spans of the system stand before each place."""
        return _counted_before(self.in_system)

    def _by_scope(self, kind: str, atoms: Bools) -> Counted:
        bounds = np.minimum(np.append(self.text.first, len(atoms)), len(atoms))
        count = np.diff(_counted_before(atoms)[bounds])
        scope = np.flatnonzero(count)
        return Counted(kind, scope, count=count[scope])


def _runs(spans: Spans, text: Text) -> Runs:
    """The runs of atoms in spans; what reaches beyond the text is left to the next portion."""
    found = runs(replace(spans, label=np.arange(len(spans))), text.first, "token")
    return found if text.lengths is None else found.before(int(text.lengths.sum()))


def _in_runs(found: Runs, size: int) -> Bools:
    """Which of the first atoms are in runs, so many of them."""
    begins, ends = (np.bincount(places, minlength=size + 1) for places in (found.begin, found.end))
    return np.cumsum(begins - ends)[:size] > 0


def _once_a_label(found: Runs) -> Runs:
    """Runs that share no atoms with others of their labels, for runs that may."""
    parts = segments(found, found.take(empty()))
    return Runs(parts.begin, parts.begin + parts.length, parts.label)


def _counted_before(atoms: Bools) -> Ints:
    return np.append(0, np.cumsum(atoms))


def leak(question: SpanPair) -> Tally:
    """The counts of a portion."""
    (gold, system), text = question.covering, question.text
    cover = Cover.of(gold, system, text)
    state = cover.states(len(gold))
    counted = [Counted(kind, gold.scope[state == code], gold.label[state == code]) for code, kind in enumerate(STATES)]
    counted += cover.counted(gold.label)
    if text.lengths is not None:
        counted.append(Counted("atoms", np.arange(len(text.lengths)), count=text.lengths))
    if question.values is not None:
        counted += _of_values(question.values, gold.scope, state != COVERED)
        words = question.values.here.has_words
        counted += [Counted("worded", np.arange(len(question.groups)))] if words else []
    return _tally(counted, question)


def states(question: SpanPair) -> Ints:
    """What becomes of each gold span, as codes of `STATES`."""
    gold, system = question.covering
    return Cover.of(gold, system, question.text).states(len(gold))


def _of_values(values: SystemValues, scope: Ints, is_exposed: Bools) -> Iterator[Counted]:
    """Values and documents that are met first here, and those that are exposed first here."""
    new, exposed = values.first_met(), values.first_exposed(is_exposed)
    for label, row, change in ((*new, 1), (*exposed, -1)):
        for kind, chosen in (("documents", label < 0), ("values", label >= 0)):
            if change > 0:
                yield Counted(kind, scope[row[chosen]], label[chosen])
            yield Counted(f"{kind}_safe", scope[row[chosen]], label[chosen], change)


def _tally(counted: Sequence[Counted], question: SpanPair) -> Tally:
    sizes = [len(each.scope) for each in counted]
    scope = np.concatenate([each.scope for each in counted])
    label, count = (
        np.concatenate([np.broadcast_to(value, size) for value, size in zip(values, sizes, strict=True)])
        for values in ([each.label for each in counted], [each.count for each in counted])
    )
    kind = np.repeat([_KIND[each.kind] for each in counted], sizes)
    nothing = np.full(len(scope), _NO_LABEL)
    labels = question.gold.vocabulary.labels.values
    return Tally.of(labels, LEAK_KINDS, question.groups[scope], label, nothing, kind, count)


# == tasks/spans/leaked.py: Gold spans that a system does not cover, one by one, with wh


HIDDEN = "█"
"""Stands for neighbouring atoms that are covered."""


@dataclass(frozen=True)
class LeakedSpan:
    """A gold span that is not covered entirely."""

    place: str
    document: str
    """Its name or, where it has none, its number from 1."""
    sentence: Count
    start: Count
    """Where it starts, from 0: in characters of the input text, or in tokens of the sentence (see `positions`)."""
    end: Count
    """Where it ends, exclusive."""
    label: str
    words: str
    visible: str
    """The words, with a block for what is covered."""
    state: str
    """`partial` or `exposed`."""
    positions: str = "tokens"
    """What `start` and `end` count: characters or tokens."""
    token_start: Count | None = None
    """The first token in the sentence, where the gold standard has tokens."""
    token_end: Count | None = None
    parts: list[tuple[Count, Count]] | None = None
    """Of a span with gaps: start and end of each part, counted as `positions` says."""
    text_place: str | None = None
    """File and line of the text that `start` and `end` count in, where that is a system's; else it is the gold one."""


@dataclass
class LeakWatch:
    """Looks at every judgement, and keeps the spans that leak, by system."""

    limit: int | None = None
    """How many spans of each system are kept."""
    found: dict[str, list[LeakedSpan]] = field(default_factory=dict)

    def __call__(self, judgement: Evaluation) -> None:
        from evenhand.tasks.spans.evaluation import SpanJudgement  # which imports this module

        assert isinstance(judgement, SpanJudgement)
        for name, question in judgement.questions.items():
            mine = self.found.setdefault(name, [])
            for span in leaked_spans(question, judgement.places):
                if self.limit is not None and len(mine) >= self.limit:
                    break
                mine.append(span)


def leaked_spans(question: SpanPair, places: Locations) -> Iterator[LeakedSpan]:
    """The spans that leak, in the order of the text."""
    gold, system = question.covering
    cover = Cover.of(gold, system, question.text)
    state = cover.states(len(gold))
    order = np.lexsort((gold.label, gold.end, gold.start, gold.scope))
    rows = order[state[order] != COVERED]
    mine = gold.take(rows)
    where, positions = places.places(mine.scope, mine.start), places.positions(mine.scope, mine.start, mine.end)
    shapes = [gold.vocabulary.shapes[shape] for shape in mine.shape.tolist()]
    found = zip(mine.rows(), where, state[rows].tolist(), positions.rows(), shapes, strict=True)
    for (label, scope, start, end), place, code, (first, stop, token, last_token), gaps in found:
        among = set(gaps)
        atoms = [atom for atom in range(start, end) if atom - start not in among]
        hidden = cover.in_system[question.text.first[scope] + np.array(atoms)].tolist()
        assert first is not None
        assert stop is not None
        yield LeakedSpan(
            place,
            places.document(int(places.document_of[scope])),
            places.number(scope),
            first,
            stop,
            label,
            places.words(scope, start, end, gaps) or "",
            _visible(places, scope, atoms, hidden),
            STATES[code],
            positions.of,
            token,
            last_token,
            places.parts(scope, start, end, gaps) if gaps else None,
            places.text_place(scope, start),
        )


def _visible(places: Locations, scope: int, atoms: list[int], hidden: list[bool]) -> str:
    """The words of a span; runs of hidden atoms are a block each, and stay apart where the text has a space."""
    found = ""
    for _, each in groupby(range(len(atoms)), key=lambda at: (hidden[at], atoms[at] - at)):
        run = list(each)
        first, stop = atoms[run[0]], atoms[run[-1]] + 1
        if run[0]:
            before = atoms[run[0] - 1]
            both = places.words(scope, before, first + 1) or "" if before + 1 == first else " "
            found += " " if any(map(str.isspace, both)) else ""
        found += HIDDEN if hidden[run[0]] else places.words(scope, first, stop) or ""
    return found


# == tasks/spans/wording.py: The words of many spans in lower case, as they stand in the


_FIRST_WIDE = 0x80
"""The first byte that is not ASCII."""


def words_in_lower_case(batches: list[Annotation], spans: Spans, places: Locations) -> Tokens | None:
    """The words of spans that follow each other batch by batch; None where a file has none."""
    if any(batch.corpus.tokens is None or batch.corpus.bounds is None for batch in batches):
        return None
    first = np.cumsum([0, *(batch.corpus.sentences for batch in batches)])
    bounds = np.searchsorted(spans.scope, first).tolist()
    found = []
    for (begin, behind), sentences, batch in zip(pairwise(bounds), first.tolist(), batches, strict=False):
        mine = slice(begin, behind)
        text, start, end = _written(batch.corpus, spans.scope[mine] - sentences, spans.start[mine], spans.end[mine])
        found.append(_lowered(text, start, end))
    words = Tokens.concatenate(found)
    rows = np.flatnonzero(spans.shape)
    whole = [words_without_gaps(spans, row, places).lower() for row in rows.tolist()]
    return _changed(words, rows, Tokens.of(whole))


def words_without_gaps(spans: Spans, row: int, places: Locations) -> str:
    """The words of a span without those that it leaves out."""
    (tokens,) = spans.take(slice(row, row + 1)).token_sets()
    scope = int(spans.scope[row])
    return " ".join(places.words(scope, token, token + 1) or "" for token in sorted(tokens))


def _written(corpus: Corpus, scope: Ints, start: Ints, end: Ints) -> tuple[Bytes, Ints, Ints]:
    """Tokens with blanks between them, or what the text has between the first and the last character.

    These are bytes behind each other, and where those of each span begin and end.
    """
    tokens = corpus.tokens
    assert tokens is not None
    assert corpus.bounds is not None
    first, behind = corpus.bounds[scope] + start, corpus.bounds[scope] + end
    if corpus.atoms == "characters":
        text, edges = Tokens(tokens.data, tokens.start[first], tokens.end[behind - 1]).spaced()
        return text, edges[:-1], edges[1:] - 1
    text, place = tokens.take(ranges(first, behind - first)).spaced()
    size = np.append(0, np.cumsum(behind - first))
    return text, place[size[:-1]], place[size[1:]] - 1


def _lowered(text: Bytes, start: Ints, end: Ints) -> Tokens:
    """The same in lower case; letters that are not ASCII may have other lengths then, or depend on their neighbours."""
    text += ((text - np.uint8(ord("A"))) < 26).view(np.uint8) << np.uint8(5)
    words = Tokens(text.tobytes() + PADDING, start, end)
    rows = np.flatnonzero(np.maximum.reduceat(text, start) >= _FIRST_WIDE) if len(start) else start
    return _changed(words, rows, _lowered_together(words.take(rows)))


def _lowered_together(words: Tokens) -> Tokens:
    """The words in lower case. A NUL between them keeps letters apart that depend on their neighbours."""
    text, edges = words.spaced()
    text[edges[1:] - 1] = 0
    found = text.tobytes().decode().lower().encode()
    behind = np.flatnonzero(np.frombuffer(found, dtype=np.uint8) == 0)
    if len(behind) != len(words):  # there is one within words, too
        return Tokens.of([words[row].lower() for row in range(len(words))])
    return Tokens(found + PADDING, np.append(0, behind[:-1] + 1)[: len(words)], behind)


def _changed(words: Tokens, rows: Ints, others: Tokens) -> Tokens:
    """Words of which some are others."""
    if not len(rows):
        return words
    joined = Tokens.concatenate([words, others])
    start, end = joined.start[: len(words)], joined.end[: len(words)]
    start[rows], end[rows] = joined.start[len(words) :], joined.end[len(words) :]
    return Tokens(joined.data, start, end)
