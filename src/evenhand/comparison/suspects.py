"""Suspects: places where the gold standard is probably wrong, because systems and its other annotations contradict it.

Candidates are all gold spans and all system spans with a label that the gold standard has. For tags, there is one
candidate per token and label. Two candidates are *rivals* if they share an atom. System s has the weight
w_s ∝ max(.05, ln(F / (1 - F))), where F is its exact F1 (of tags: its accuracy), clipped to [.02, .98]; the weights add
up to 1. A system whose output equals an earlier one's is left out. One system alone needs confidences: its weight for a
candidate is the confidence.

| feature of candidate x | |
| ---------------------- | ------------------------------------------------------------------------------------------- |
| `votes`, `votes2`      | v, the weight of the systems that have x; v²                                                |
| `rival`                | the largest v of a rival                                                                    |
| `none`                 | the weight of the systems that have neither x nor a rival                                   |
| `lead`                 | v - max(`rival`, `none`)                                                                    |
| `doc`, `all`           | (c_l + 1/q) / (c + 1) over other occurrences of its words in its document, in the corpus    |
| `frame`                | the same share over gold spans of its document with the same context                        |
| `lcap`, `rcap`         | whether the word before x (unless it begins the sentence), after x, begins with a capital   |
| `length`               | min(4, number of words)                                                                     |
| labels, systems        | one indicator each                                                                          |

q is the number of labels. An occurrence of the words, in lower case, counts for c if a gold span has its bounds, or if
no gold span shares a word with it; c_l of them have x's label. For `frame`, c counts gold spans that share no atom with
x, and c_l those with x's label.

A context is the word before and the word after: `<s>` or `</s>` at the edges of a sentence, `0` for a word that begins
with a digit, `AA` for capitals, `Aa` for an initial capital, `a` for another letter, otherwise the word itself.

p(x) is the probability that *the gold standard* has x, by cross-fitted ridge logistic regression
(`statistics.logistic`). A fold has every tenth document (or sentence, if there is one document). The model learns only
from candidates of at least one system: a candidate without votes is one only because the gold standard has it, so "no
votes" would mean "gold". `frame`, `doc` and `all` never count a gold span at the candidate's own position.

| rule    | p(x)                                     | p of nothing, instead of gold span g                            |
| ------- | ---------------------------------------- | --------------------------------------------------------------- |
| `fit`   | as above                                 | ½ max(0, 1 - p(g) - sum of p(r)), over the system rivals r of g |
| `plain` | v + ½ `all` + ½ `frame`                  | `none` + ½ `all` of unlabelled occurrences + ½ · 1/q            |
| `votes` | u(x), the share of systems that have x   | 0                                                               |

suspicion of a gold span g = max(h p(r) of its system rivals r, p of nothing) - p(g)
suspicion of a system span x = h p(x) - max p of the gold spans that share an atom - ½ p of the best rival above p(x)

A system rival is a system span that no gold span equals. h is ½ if the system span is strictly inside the gold span,
because systems cut names short, otherwise 1. Under `votes`, h is 1 and nothing is subtracted, so suspicion is the share
of systems that have the proposal. In tags, nothing is not an answer.

The list has one suspect per place, most suspicious first; equal suspicions are in the order of the text. A place is a
gold span, or a system span without an overlapping gold span. Each proposal is used only once. A gold span that all
systems have, without rivals, is not a suspect. The verdict is `missing` (no gold span overlaps), `spurious` (nothing is
best), `label` (equal bounds) or `bounds`.

Given a corrected gold standard, average precision ranks all gold spans by the suspicion that they are wrong (under
`votes`: 1 - u), and all other candidates by the suspicion that they are missing (u). Ties are taken together:
AP = sum over distinct scores of (errors with this score) · precision down to it / errors.

Sources: Northcutt et al. 2021 for out-of-sample probabilities of the given label; Wang et al. 2019, Reiss et al. 2020,
and Rücker and Akbik 2023 for errors of CoNLL-2003; Dickinson and Meurers 2003 for repeated strings with different
labels; Larson et al. 2020 and Klie et al. 2023 for comparisons of methods; the rule: this project.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, Values, distinct, empty, ints, pack, zeros
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.overrides import BOUNDS, LABEL, MISSING, SPURIOUS
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, StringIndex
from evenhand.dataclass import dataclass
from evenhand.statistics.logistic import cross_fitted
from evenhand.tasks.spans.matching import AllPairs, sizes

Rule = Literal["fit", "plain", "votes"]
Counts = npt.NDArray[np.int32]
FOLDS = 10
FEWEST_SPANS, FEWEST_DOCUMENTS, FEWEST_SENTENCES = 200, 10, 200
"""With fewer gold spans, or with fewer documents and sentences, the rule is `plain` by default."""
WEAK, LEAST_WEIGHT = 0.02, 0.05
_LONGEST = 4
_DIGITS = 9
"""Suspicions that agree in this number of decimals are equal."""


# The text


_IS_WORD_BYTE = np.array([chr(byte).isalnum() for byte in range(128)] + [True] * 128)
"""First bytes of the characters that words consist of."""


@dataclass(frozen=True)
class Words:
    """The words of a text, as codes. Texts without tokens are cut into runs of letters and digits, and other marks."""

    bounds: Ints
    """The first word of each sentence, and the end."""
    lower: Ints
    """The code of each word in lower case."""
    context: Ints
    """The code of each word as the context of a span; 0 and 1 are the edges of a sentence."""
    is_capital: Bools
    """Which words begin with a capital."""
    first: Ints
    """The first atom of each sentence."""
    of_atom: Ints | None = None
    """The word of each atom, if atoms are characters."""

    @staticmethod
    def of(corpus: Corpus, spans: Spans) -> Words | None:
        """The words of a corpus; None if it has no text. Words of characters are also cut at the edges of spans."""
        if corpus.tokens is None or corpus.bounds is None:
            return None
        tokens, bounds, of_atom = corpus.tokens, corpus.bounds, None
        if corpus.atoms == "characters":
            is_part = _IS_WORD_BYTE[np.frombuffer(tokens.data, dtype=np.uint8)[tokens.start]]
            begins = np.ones(len(tokens) + 1, dtype=np.bool_)
            begins[1:-1] = ~(is_part[1:] & is_part[:-1] & (tokens.start[1:] == tokens.end[:-1]))
            begins[bounds] = True
            begins[bounds[spans.scope] + spans.start] = begins[bounds[spans.scope] + spans.end] = True
            starts, of_atom = np.flatnonzero(begins[:-1]), np.cumsum(begins[:-1]) - 1
            tokens = Tokens(tokens.data, tokens.start[starts], tokens.end[np.append(starts[1:], len(tokens)) - 1])
            bounds = np.searchsorted(starts, bounds)
        coder = StringCoder()
        code = coder(tokens)
        forms, contexts = StringIndex[str](), StringIndex[str](("<s>", "</s>"))
        lower = ints([forms.code(name.lower()) for name in coder.names])
        context = ints([contexts.code(_context(name)) for name in coder.names])
        is_capital = np.array([name[:1].isupper() for name in coder.names], dtype=np.bool_)
        return Words(bounds, lower[code], context[code], is_capital[code], corpus.bounds[:-1], of_atom)

    def place(self, spans: Spans) -> tuple[Ints, Ints]:
        """The first word of each span, and the word after it."""
        start, end = self.first[spans.scope] + spans.start, self.first[spans.scope] + spans.end
        return (start, end) if self.of_atom is None else (self.of_atom[start], self.of_atom[end - 1] + 1)


def _context(word: str) -> str:
    first = word[:1]
    if first.isdigit():
        return "0"
    if word.isupper():
        return "AA"
    if first.isupper():
        return "Aa"
    return "a" if first.isalpha() else word


# Candidates


@dataclass(frozen=True)
class SpanTable:
    """The distinct spans of a gold standard and its systems, and which sides have them."""

    spans: Spans
    has: Bools
    """Which sides (rows; the gold standard first) have which spans."""
    score: Values | None = None
    """The confidence of each span, if there is one system and it has confidences; NaN if the system lacks it."""

    @staticmethod
    def of(gold: Spans, systems: Sequence[Spans]) -> SpanTable:
        """The table of some sentences; spans without atoms are left out."""
        sides = [side.take(np.flatnonzero(side.end > side.start)) for side in (gold, *systems)]
        plain = [replace(side, level=zeros(len(side)), extra=None, score=None) for side in sides]
        every = Spans.concatenate(plain, [0] * len(sides))
        columns = (every.scope, every.start, every.end, every.shape, every.label)
        key, _ = pack(*((column, empty()) for column in columns))
        _, first, code = np.unique(key, return_index=True, return_inverse=True)
        has = np.zeros((len(sides), len(first)), dtype=np.bool_)
        has[np.repeat(np.arange(len(sides)), [len(side) for side in sides]), code] = True
        score = None
        if len(systems) == 1:
            score = np.full(len(first), np.nan)
            if sides[1].score is not None:
                np.fmax.at(score, code[len(sides[0]) :], sides[1].score)
        return SpanTable(every.take(first), has, score)

    @staticmethod
    def concatenate(parts: Sequence[SpanTable], scopes: Sequence[int]) -> SpanTable:
        """The table of consecutive parts in the order of the text; `scopes` has the sentences before each part."""
        spans = Spans.concatenate([part.spans for part in parts], scopes)
        names = spans.vocabulary.labels.values
        rank = ints(sorted(range(len(names)), key=names.__getitem__)).argsort()
        order = np.lexsort((rank[spans.label], spans.shape, spans.end, spans.start, spans.scope))
        scores = [part.score for part in parts if part.score is not None]
        return SpanTable(
            spans.take(order),
            np.concatenate([part.has for part in parts], axis=1)[:, order],
            np.concatenate(scores)[order] if scores else None,
        )

    def take(self, rows: Ints) -> SpanTable:
        return SpanTable(self.spans.take(rows), self.has[:, rows], None if self.score is None else self.score[rows])

    def without_foreign(self) -> tuple[SpanTable, Ints]:
        """The table without labels that the gold standard never has, and the number of such spans of each system."""
        known = np.zeros(len(self.spans.vocabulary.labels), dtype=np.bool_)
        known[self.spans.label[self.has[0]]] = True
        is_known = known[self.spans.label]
        return self.take(np.flatnonzero(is_known)), self.has[1:, ~is_known].sum(axis=1)

    def without_systems(self, numbers: Sequence[int]) -> SpanTable:
        """The table without some systems, and without the spans that only they have."""
        has = np.delete(self.has, [number + 1 for number in numbers], axis=0)
        return replace(self, has=has).take(np.flatnonzero(has.any(axis=0)))


@dataclass(frozen=True)
class Candidates:
    """All gold and system spans in the order of the text, without repetitions."""

    spans: Spans
    is_gold: Bools
    has: Bools
    """Which systems (rows) have which candidates."""
    f1: Values
    """The exact F1 of each system."""
    weight: Values
    left: Ints
    """Pairs of candidates that share an atom, sorted; each candidate is paired with itself, too."""
    right: Ints
    document_of: Ints
    """The document of each sentence."""
    one_label: bool = False
    """Whether every unit has exactly one label, as in tags."""
    confidence: Values | None = None
    """The confidence of each candidate, of one system alone."""

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def systems(self) -> int:
        return len(self.has)

    @cached_property
    def labels(self) -> int:
        """The number of labels of the gold standard."""
        return len(distinct(self.spans.label[self.is_gold]))

    @cached_property
    def votes(self) -> Values:
        return self.weight @ self.has if self.confidence is None else self.confidence

    @cached_property
    def is_voted(self) -> Bools:
        return np.asarray(self.has.any(axis=0))

    @cached_property
    def none(self) -> Values:
        """The weight of the systems that have nothing at the place of each candidate."""
        if self.confidence is not None:
            return np.asarray(1 - self.largest(self.votes, self.left, self.right))
        return self.weight @ self.has_nothing

    @cached_property
    def has_nothing(self) -> Bools:
        """Which systems have neither a candidate nor a rival."""
        if not len(self):
            return np.zeros_like(self.has)
        first = np.searchsorted(self.left, np.arange(len(self)))
        return ~np.logical_or.reduceat(self.has[:, self.right], first, axis=1)

    def largest(self, values: Values, left: Ints, right: Ints, default: float = 0.0) -> Values:
        """For each candidate the largest value of its partners in sorted pairs."""
        result = np.full(len(self), default)
        if len(left):
            first = np.flatnonzero(np.append(True, left[1:] != left[:-1]))
            result[left[first]] = np.maximum.reduceat(values[right], first)
        return result

    @cached_property
    def has_gold_bounds(self) -> Bools:
        """Which candidates have the bounds of a gold span, regardless of label."""
        columns = (self.spans.scope, self.spans.start, self.spans.end, self.spans.shape)
        key, _ = pack(*((column, empty()) for column in columns))
        return np.isin(key, key[self.is_gold])

    def rivals(self, chosen: Bools | None = None) -> tuple[Ints, Ints]:
        """The pairs of rivals, or those that are chosen among all pairs."""
        are_rivals = self.left != self.right
        rows = are_rivals if chosen is None else are_rivals & chosen
        return self.left[rows], self.right[rows]

    def is_inside(self, inner: Ints, outer: Ints) -> Bools:
        """Which candidates are strictly inside others."""
        start, end = self.spans.start, self.spans.end
        is_same = (start[inner] == start[outer]) & (end[inner] == end[outer])
        inside: Bools = (start[outer] <= start[inner]) & (end[inner] <= end[outer]) & ~is_same
        return inside

    @cached_property
    def document(self) -> Ints:
        """The document of each candidate."""
        return self.document_of[self.spans.scope]


def candidates_of(table: SpanTable, document_of: Ints, *, one_label: bool = False) -> Candidates:
    """The candidates of a table, and the weights of its systems."""
    is_gold, has = table.has[0], table.has[1:]
    left, right = _sharing(table.spans)
    f1 = 2 * (has & is_gold).sum(axis=1) / np.maximum(has.sum(axis=1) + is_gold.sum(), 1)
    clipped = np.clip(f1, WEAK, 1 - WEAK)
    weight = np.maximum(LEAST_WEIGHT, np.log(clipped / (1 - clipped)))
    confidence = None
    if table.score is not None and not np.isnan(table.score[has[0]]).any():
        confidence = np.where(has[0], table.score, 0)
    weight = weight / weight.sum()
    return Candidates(table.spans, is_gold, has, f1, weight, left, right, document_of, one_label, confidence)


def _sharing(spans: Spans) -> tuple[Ints, Ints]:
    """All pairs of rows that share an atom, sorted, each row with itself."""
    pairs = list(AllPairs(spans, spans))
    if not pairs:
        return empty(), empty()
    return np.concatenate([part.left for part in pairs]), np.concatenate([part.right for part in pairs])


# Features


@dataclass(frozen=True)
class Evidence:
    """How often the gold standard labels the same words, or the same context, as each candidate."""

    elsewhere: Counts
    """Number of other occurrences of its words in the corpus with its label (c_l of `all`)."""
    occurrences: Counts
    """Number of other occurrences that are labelled with these bounds, or not covered (c of `all`)."""
    unlabelled: Counts
    """Number of those that are not covered."""
    doc_elsewhere: Counts
    doc_occurrences: Counts
    in_context: Counts
    """Number of gold spans of the document with the same context and label (c_l of `frame`)."""
    contexts: Counts
    lcap: Bools
    rcap: Bools
    length: Ints


def evidence_of(candidates: Candidates, words: Words) -> Evidence:
    spans, document = candidates.spans, candidates.document
    start, end = words.place(spans)
    strings = _Occurrences.of(candidates, words, start, end)
    of_word = np.repeat(np.arange(len(words.bounds) - 1), np.diff(words.bounds))
    document_of_word = candidates.document_of[of_word]
    elsewhere, occurrences, unlabelled = strings.counts(zeros(len(strings.string)), zeros(len(spans)), candidates)
    doc_elsewhere, doc_occurrences, _ = strings.counts(document_of_word[strings.position], document, candidates)
    first, stop = words.bounds[spans.scope], words.bounds[spans.scope + 1]
    before = np.where(start > first, words.context[np.maximum(start - 1, 0)], 0)
    after = np.where(end < stop, np.append(words.context, 1)[end], 1)
    frame = np.unique(pack(*((column, empty()) for column in (document, before, after)))[0], return_inverse=True)[1]
    contexts, in_context = _others(frame, candidates)
    return Evidence(
        elsewhere=elsewhere.astype(np.int32),
        occurrences=occurrences.astype(np.int32),
        unlabelled=unlabelled.astype(np.int32),
        doc_elsewhere=doc_elsewhere.astype(np.int32),
        doc_occurrences=doc_occurrences.astype(np.int32),
        in_context=in_context.astype(np.int32),
        contexts=contexts.astype(np.int32),
        lcap=(start > first + 1) & words.is_capital[np.maximum(start - 1, 0)],
        rcap=(end < stop) & np.append(words.is_capital, False)[end],
        length=end - start,
    )


def _others(key: Ints, candidates: Candidates) -> tuple[Ints, Ints]:
    """The numbers of gold spans with the key of each candidate that share no atom with it: all, and with its label."""
    gold, label, left, right = candidates.is_gold, candidates.spans.label, candidates.left, candidates.right
    number = int(key.max(initial=-1)) + 1
    labelled = np.unique(pack((key, empty()), (label, empty()))[0], return_inverse=True)[1]
    own = gold[right] & (key[left] == key[right])
    own_label = own & (label[left] == label[right])
    size = len(key)
    count = np.bincount(key[gold], minlength=number)[key] - np.bincount(left[own], minlength=size)
    same = np.bincount(labelled[gold], minlength=size)[labelled] - np.bincount(left[own_label], minlength=size)
    return count, same


@dataclass(frozen=True)
class _Occurrences:
    """Where the words of candidates occur; occurrences count that are labelled with their bounds, or free."""

    string: Ints
    """The string of each occurrence that counts."""
    position: Ints
    """Its first word."""
    is_free: Bools
    """Whether it shares no word with a gold span."""
    of_candidate: Ints
    """The string of each candidate."""
    counts_own: Bools
    """Whether the occurrence at the candidate's own position counts."""

    @staticmethod
    def of(candidates: Candidates, words: Words, start: Ints, end: Ints) -> _Occurrences:
        spans, gold = candidates.spans, candidates.is_gold
        covered = _covered(candidates, words)
        before = np.append(0, np.cumsum(covered))
        has_gaps = spans.shape != 0
        of_candidate = np.zeros(len(spans), dtype=np.int64)
        strings, positions, are_free, are_labelled = [], [], [], []
        strings_before = 0

        def add(rows: Ints, string: Ints, position: Ints, of_row: Ints, is_free: Bools, size: int) -> None:
            """Add the occurrences of the candidates `rows`, which have the strings `of_row`."""
            nonlocal strings_before
            of_candidate[rows] = of_row + strings_before
            labelled_rows = rows[gold[rows]]
            keys = pack((string, of_candidate[labelled_rows] - strings_before), (position, start[labelled_rows]))
            strings.append(string + strings_before)
            positions.append(position)
            are_free.append(is_free)
            are_labelled.append(np.isin(*keys))
            strings_before += size

        rows = np.flatnonzero(~has_gaps)
        string, position, length, of_row, number = _runs_of_words(words, start[rows], end[rows])
        add(rows, string, position, of_row, before[position + length] == before[position], number)
        # Spans with gaps are rare: each form is looked up by itself.
        forms: dict[tuple[int, ...], list[int]] = {}
        for row in np.flatnonzero(has_gaps).tolist():
            forms.setdefault(_offsets(spans, words, row), []).append(row)
        for form, members in forms.items():
            rows, offsets = ints(members), ints(form)
            string, position, of_row, number = _patterns(words, start[rows], offsets)
            is_free = ~covered[position[:, None] + offsets].any(axis=1)
            add(rows, string, position, of_row, is_free, number)
        string, position = np.concatenate(strings), np.concatenate(positions)
        is_free, is_labelled = np.concatenate(are_free), np.concatenate(are_labelled)
        counted = is_free | is_labelled
        own = pack((string[counted], of_candidate), (position[counted], start))
        return _Occurrences(
            string[counted], position[counted], (is_free & ~is_labelled)[counted], of_candidate, np.isin(own[1], own[0])
        )

    def counts(self, group: Ints, of_candidate: Ints, candidates: Candidates) -> tuple[Ints, Ints, Ints]:
        """Numbers of other occurrences of each candidate's words in its group: with its label, all, and free ones.

        Groups are those of occurrences and of candidates.
        """
        mine, theirs = pack((self.of_candidate, self.string), (of_candidate, group))
        number, index = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
        own, others = index[: len(mine)], index[len(mine) :]
        count = np.bincount(others, minlength=len(number))[own] - self.counts_own
        free = np.bincount(others[self.is_free], minlength=len(number))[own]
        free -= self.counts_own & ~candidates.has_gold_bounds
        gold = candidates.is_gold
        labelled = np.unique(pack((own, empty()), (candidates.spans.label, empty()))[0], return_inverse=True)[1]
        same = np.bincount(labelled[gold], minlength=len(gold))[labelled] - gold
        return same, count, free


def _covered(candidates: Candidates, words: Words) -> Bools:
    """Which words belong to a gold span."""
    gold = candidates.spans.take(np.flatnonzero(candidates.is_gold))
    start, end = words.place(gold)
    edges = np.bincount(start, minlength=len(words.lower) + 1) - np.bincount(end, minlength=len(words.lower) + 1)
    gapped = np.flatnonzero(gold.shape)
    for row in gapped.tolist():
        edges[start[row]] -= 1
        edges[end[row]] += 1
    covered: Bools = np.cumsum(edges[:-1]) > 0
    for row in gapped.tolist():
        covered[start[row] + ints(_offsets(gold, words, row))] = True
    return covered


def _offsets(spans: Spans, words: Words, row: int) -> tuple[int, ...]:
    """The words of a span with gaps, counted from its first word."""
    (atoms,) = spans.take(ints([row])).token_sets()
    numbers = ints(sorted(atoms)) + words.first[spans.scope[row]]
    numbers = numbers if words.of_atom is None else distinct(words.of_atom[numbers])
    return tuple((numbers - numbers[0]).tolist())


def _runs_of_words(words: Words, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Ints, int]:
    """All occurrences of strings of adjacent words within sentences.

    Returns the string, the first word and the length of each occurrence, the string of each row, and the number of
    strings. Words are added one by one; a position is dropped once its words do not begin a string.
    """
    sizes = end - start
    stop = np.repeat(words.bounds[1:], np.diff(words.bounds))
    strings, positions, lengths = [empty()], [empty()], [empty()]
    of_row, number = np.zeros(len(start), dtype=np.int64), 0
    longer, position = np.arange(len(start)), np.arange(len(words.lower))
    state = words.lower
    length = 0
    while len(longer):
        length += 1
        if length > 1:
            inside = position + length - 1 < stop[position]
            position, state = position[inside], state[inside]
            pairs, _ = pack((state, empty()), (words.lower[position + length - 1], empty()))
            state = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
        of_longer = state[np.searchsorted(position, start[longer])]
        is_prefix = np.zeros(int(state.max()) + 1, dtype=np.bool_)
        is_prefix[of_longer] = True
        kept = is_prefix[state]
        position, state = position[kept], state[kept]
        ends = sizes[longer] == length
        if ends.any():
            known, of_row[longer[ends]] = np.unique(of_longer[ends], return_inverse=True)
            of_row[longer[ends]] += number
            code = np.full(len(is_prefix), -1)
            code[known] = np.arange(number, number + len(known))
            string = code[state]
            strings.append(string[string >= 0])
            positions.append(position[string >= 0])
            lengths.append(np.full(len(positions[-1]), length))
            number += len(known)
        longer = longer[~ends]
    return np.concatenate(strings), np.concatenate(positions), np.concatenate(lengths), of_row, number


def _patterns(words: Words, start: Ints, offsets: Ints) -> tuple[Ints, Ints, Ints, int]:
    """All occurrences of words at the same distances: string and first word of each, string of each row, number."""
    position = np.flatnonzero(np.isin(words.lower, words.lower[start]))
    stop = np.repeat(words.bounds[1:], np.diff(words.bounds))
    position = position[position + offsets[-1] < stop[position]]
    columns = words.lower[position[:, None] + offsets], words.lower[start[:, None] + offsets]
    text, mine = pack(*zip(columns[0].T, columns[1].T, strict=True))
    known, of_row = np.unique(mine, return_inverse=True)
    code = np.minimum(np.searchsorted(known, text), len(known) - 1)
    found = known[code] == text
    return code[found], position[found], of_row, len(known)


def share(with_label: Counts, count: Counts, labels: int) -> Values:
    """(c_l + 1/q) / (c + 1)"""
    return np.asarray((with_label + 1 / labels) / (count + 1))


# Rules


def features(candidates: Candidates, evidence: Evidence | None) -> Callable[[Ints], Values]:
    """The features of some rows, without the indicators of labels; they are computed on demand to save memory."""
    votes, none, labels = candidates.votes, candidates.none, candidates.labels
    rival = candidates.largest(votes, *candidates.rivals())
    has_documents = len(distinct(candidates.document_of)) > 1
    length = sizes(candidates.spans) if evidence is None else evidence.length

    def rows(chosen: Ints) -> Values:
        v, largest, nothing = votes[chosen], rival[chosen], none[chosen]
        columns = [v, v**2, largest, nothing, v - np.maximum(largest, nothing), np.minimum(length[chosen], _LONGEST)]
        if evidence is not None:
            if has_documents:
                columns.append(share(evidence.doc_elsewhere[chosen], evidence.doc_occurrences[chosen], labels))
            columns.append(share(evidence.elsewhere[chosen], evidence.occurrences[chosen], labels))
            columns.append(share(evidence.in_context[chosen], evidence.contexts[chosen], labels))
            columns += [evidence.lcap[chosen], evidence.rcap[chosen]]
        return np.column_stack([*columns, candidates.has[:, chosen].T])

    return rows


def folds(candidates: Candidates) -> Ints:
    """The fold of each candidate: its document, or its sentence if there is one document."""
    group = candidates.document
    if len(distinct(candidates.document_of)) == 1:
        group = candidates.spans.scope
    return np.asarray(group % FOLDS)


@dataclass(frozen=True)
class Suspicion:
    """The suspicion of each candidate: that a gold span is wrong, or that another candidate is missing."""

    value: Values
    """Ranks candidates for average precision."""
    listed: Values
    """Orders the list; equal to `value` except under `votes`."""
    best: Ints
    """For each gold span the best rival; -1 if nothing is best."""


def suspicion_of(candidates: Candidates, evidence: Evidence | None, rule: Rule) -> Suspicion:
    if rule == "votes":
        return _by_votes(candidates)
    if rule == "fit":
        label = np.unique(candidates.spans.label, return_inverse=True)[1]
        columns = features(candidates, evidence)
        p = cross_fitted(columns, label, candidates.is_gold, candidates.is_voted, folds(candidates))
    else:
        p = candidates.votes.copy()
        if evidence is not None:
            p += share(evidence.elsewhere, evidence.occurrences, candidates.labels) / 2
            p += share(evidence.in_context, evidence.contexts, candidates.labels) / 2
    best_value, best, of_rivals = _best_rivals(candidates, p)
    if candidates.one_label:
        nothing = np.full(len(p), -np.inf)
    elif rule == "fit":
        nothing = np.maximum(0, 1 - p - of_rivals) / 2
    else:
        nothing = candidates.none.copy()
        if evidence is not None:
            nothing += share(evidence.unlabelled, evidence.occurrences, candidates.labels) / 2
            nothing += 1 / (2 * candidates.labels)
    of_gold = np.maximum(best_value, nothing) - p
    value = np.where(candidates.is_gold, of_gold, _of_missing(candidates, p))
    value = _rounded(value)
    return Suspicion(value, value, np.where(best_value >= nothing, best, -1))


def _by_votes(candidates: Candidates) -> Suspicion:
    u = candidates.has.mean(axis=0) if candidates.confidence is None else candidates.confidence
    best_value, best, _ = _best_rivals(candidates, u, halved=False)
    listed = np.where(candidates.is_gold, np.where(best >= 0, best_value, 0), u)
    value = np.where(candidates.is_gold, 1 - u, u)
    return Suspicion(_rounded(value), _rounded(listed), best)


def _rounded(value: Values) -> Values:
    return np.asarray(np.round(value, _DIGITS), dtype=np.float64)


def _best_rivals(candidates: Candidates, p: Values, *, halved: bool = True) -> tuple[Values, Ints, Values]:
    """For each gold span the largest h p(r) of its system rivals, this rival (-1 if none), and the sum of p(r)."""
    gold, right_is_rival = candidates.is_gold[candidates.left], _are_system_spans(candidates)[candidates.right]
    left, right = candidates.rivals(gold & right_is_rival)
    h = np.where(candidates.is_inside(right, left), 0.5, 1) if halved else np.ones(len(left))
    value, best = np.full(len(p), -np.inf), np.full(len(p), -1, dtype=np.int64)
    order = np.lexsort((right, -_rounded(h * p[right]), left))
    first = order[np.append(True, left[order][1:] != left[order][:-1])[: len(order)]]
    value[left[first]], best[left[first]] = (h * p[right])[first], right[first]
    return value, best, np.bincount(left, p[right], minlength=len(p)).astype(np.float64)


def _are_system_spans(candidates: Candidates) -> Bools:
    """Which candidates are system spans that no gold span equals."""
    return candidates.is_voted & ~candidates.is_gold


def _of_missing(candidates: Candidates, p: Values) -> Values:
    left, right = candidates.rivals()
    is_gold, is_system = candidates.is_gold[right], _are_system_spans(candidates)[right]
    inside = np.zeros(len(p), dtype=np.bool_)
    inside[left[is_gold & candidates.is_inside(left, right)]] = True
    gold = candidates.largest(p, left[is_gold], right[is_gold])
    above = is_system & (p[right] > p[left])
    rival = candidates.largest(p, left[above], right[above])
    return np.asarray(np.where(inside, p / 2, p) - gold - rival / 2)


# The list


@dataclass(frozen=True)
class SuspectList:
    """Suspects, most suspicious first: rows of candidates, -1 for none."""

    gold: Ints
    proposal: Ints
    suspicion: Values
    verdict: list[str]

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, rows: Ints) -> SuspectList:
        verdict = [self.verdict[row] for row in rows.tolist()]
        return SuspectList(self.gold[rows], self.proposal[rows], self.suspicion[rows], verdict)


def listed(candidates: Candidates, suspicion: Suspicion) -> SuspectList:
    """One suspect per place."""
    left, right = candidates.rivals()
    has_rival = np.zeros(len(candidates), dtype=np.bool_)
    has_rival[left[_are_system_spans(candidates)[right]]] = True
    overlaps_gold = candidates.is_gold.copy()
    overlaps_gold[left[candidates.is_gold[right]]] = True
    one_label = candidates.one_label
    disputed = candidates.is_gold & (has_rival | (~candidates.has.all(axis=0) & (not one_label)))
    missing = ~overlaps_gold
    rows = np.flatnonzero(disputed | missing)
    rows = rows[np.argsort(-suspicion.listed[rows], kind="stable")]
    gold = np.where(candidates.is_gold[rows], rows, -1)
    proposal = np.where(gold >= 0, suspicion.best[rows], rows)
    proposed = np.flatnonzero(proposal >= 0)
    is_first = proposal < 0
    is_first[proposed[np.unique(proposal[proposed], return_index=True)[1]]] = True
    rows, gold, proposal = rows[is_first], gold[is_first], proposal[is_first]
    spans = candidates.spans
    same = (spans.start[gold] == spans.start[proposal]) & (spans.end[gold] == spans.end[proposal])
    verdicts = np.where(gold < 0, 0, np.where(proposal < 0, 1, np.where(same, 2, 3)))
    names = (MISSING, SPURIOUS, LABEL, BOUNDS)
    return SuspectList(gold, proposal, suspicion.listed[rows], [names[verdict] for verdict in verdicts.tolist()])


# Against a corrected gold standard


@dataclass(frozen=True)
class Ranking:
    """How well a rule finds the errors that a corrected gold standard shows."""

    ap_wrong: float | None
    """Average precision of gold spans, by the suspicion that they are wrong; None without an error."""
    ap_missing: float | None
    """The same for all other candidates, by the suspicion that they are missing."""
    found: tuple[int, ...]
    """Number of errors among the first 1, 2, … suspects."""

    def found_at(self, suspects: int) -> int:
        """Number of errors among the first suspects."""
        return self.found[min(suspects, len(self.found)) - 1] if self.found and suspects > 0 else 0


@dataclass(frozen=True)
class SuspectCurve:
    """The errors of the gold standard that a review of suspects finds, given a corrected gold standard."""

    gold_spans: int
    wrong: int
    """Gold spans that the corrected gold standard does not have."""
    others: int
    """Candidates that are not in the gold standard."""
    missing: int
    """Those that are in the corrected one."""
    places: int
    """Wrong gold spans, and spans of the corrected gold standard without an overlapping gold span."""
    rule: Ranking
    votes: Ranking
    """The baseline."""

    def saved(self) -> dict[str, Any]:
        sizes = {name: getattr(self, name) for name in ("gold_spans", "wrong", "others", "missing", "places")}
        return {**sizes, "rule": self._ranking(self.rule), "votes": self._ranking(self.votes)}

    def _ranking(self, ranking: Ranking) -> dict[str, Any]:
        found = {str(number): ranking.found_at(number) for number in self.steps}
        return {"ap_wrong": ranking.ap_wrong, "ap_missing": ranking.ap_missing, "found": found}

    @property
    def steps(self) -> list[int]:
        """Numbers of reviewed suspects that are shown: round numbers, and 5 % and 10 % of the gold spans."""
        shares = (round(self.gold_spans / 20), round(self.gold_spans / 10))
        return sorted({10, 25, 50, 100, 200, *(number for number in shares if number)})


def compared(candidates: Candidates, evidence: Evidence | None, suspicion: Suspicion, truth: Spans) -> SuspectCurve:
    spans, gold = candidates.spans, candidates.is_gold
    columns = ("scope", "start", "end", "shape", "label")
    mine, theirs = pack(*((getattr(spans, name), getattr(truth, name)) for name in columns))
    is_true = np.isin(mine, theirs)
    overlapping = [pairs.right for pairs in AllPairs(spans.take(np.flatnonzero(gold)), truth)]
    omitted = len(distinct(theirs)) - len(distinct(theirs[np.concatenate([empty(), *overlapping])]))

    def ranking(values: Suspicion) -> Ranking:
        suspects = listed(candidates, values)
        found = np.where(suspects.gold >= 0, ~is_true[suspects.gold], is_true[suspects.proposal])
        of_gold, of_others = (average_precision(values.value[kind], hit[kind]) for kind, hit in kinds)
        return Ranking(of_gold, of_others, tuple(np.cumsum(found).tolist()))

    kinds = ((gold, ~is_true), (~gold, is_true))
    return SuspectCurve(
        gold_spans=int(gold.sum()),
        wrong=int((gold & ~is_true).sum()),
        others=int((~gold).sum()),
        missing=int((is_true & ~gold).sum()),
        places=int((gold & ~is_true).sum()) + omitted,
        rule=ranking(suspicion),
        votes=ranking(suspicion_of(candidates, evidence, "votes")),
    )


def average_precision(score: Values, hit: Bools) -> float | None:
    """Ties are taken together; None without a hit."""
    order = np.argsort(-score, kind="stable")
    last = np.append(score[order][1:] != score[order][:-1], True)[: len(order)]
    hits, ranks = np.cumsum(hit[order])[last], np.flatnonzero(last) + 1
    if not len(hits) or not hits[-1]:
        return None
    return float((np.diff(np.append(0, hits)) * hits / ranks).sum() / hits[-1])
