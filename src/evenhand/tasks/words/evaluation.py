"""Evaluate tags and trees: align the words of systems with the gold standard's, and score the words of a part.

Enhanced dependencies are scored by the same mechanism: their units are edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Protocol, TypeVar
from unicodedata import category

import numpy as np

from evenhand.alignment.parts import Alignment, Batches
from evenhand.alignment.words import Aligned, GoldWords, WordFollower, Words, only_layers
from evenhand.arrays import Bools, Ints, Values, distinct, empty, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.layers import Spans, Tags
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringCoder, StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, Measure
from evenhand.scoring.tally import Tally
from evenhand.settings import MISSING, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, Part, ScoreFilter, SideSummary
from evenhand.tasks.unit_rows import UnitRows, without_units
from evenhand.tasks.units import Predictions, SentenceView, unit_scores
from evenhand.tasks.words.comparison import drawn_words, word_predictions
from evenhand.tasks.words.matching import Heads, UnitMatches, UnitPair, gold_sentences
from evenhand.tasks.words.measures import SPACY_PUNCTUATION, Punctuation, without_subtype

MANY_WORDS = 1 << 13
"""Number of words in a part, large enough to make the cost of a call negligible."""
_MAY_BE_PUNCTUATION = np.array([not chr(byte).isalnum() for byte in range(128)] + [True] * 128)
"""First bytes of possible punctuation; characters beyond ASCII are looked up one by one."""


def align(request: EvaluationRequest, layers: Sequence[str]) -> Alignment:
    """Open the gold standard and all systems, to be read in step; `layers` are those that scorers read."""
    sides = (request.sides.gold, *request.sides.systems.values())
    firsts, streams = zip(*(peek(open_side()) for open_side in sides), strict=True)
    lacks_tokens = any(first is not None and first.corpus.tokens is None for first in firsts)
    by_position = request.settings.align == "position" or lacks_tokens
    gold, *systems = (only_layers(stream, (*layers, MISSING, *request.extra_layers)) for stream in streams)
    by_overlap = request.settings.align == "overlap" and not by_position
    words = GoldWords(len(systems), by_position=by_position, by_overlap=by_overlap)
    followers = {
        name: WordFollower(stream, words, request.settings.align)
        for name, stream in zip(request.sides.systems, systems, strict=True)
    }
    return Alignment(gold, followers, _is_full, by_position=by_position)


def _is_full(batches: Batches) -> bool:
    return sum(batch.corpus.token_count or 0 for batch in batches) >= MANY_WORDS


@dataclass(frozen=True)
class WordSide:
    """The words of one side in a part, as they are scored."""

    words: Words
    labels: Ints
    counted: Bools
    """Which words count."""
    heads: Ints | None = None
    """The head of each word, as an index of words; -1 is the root. None without trees."""
    annotated: frozenset[str] = frozenset()
    """The optional layers that a system has; see `Measure.annotation`."""
    score: Values | None = None
    """The confidence of each tag, NaN without one."""
    missing: Bools | None = None
    """Which words of the gold standard are unannotated."""


Side = TypeVar("Side", bound=WordSide)


class WordScorer(Protocol[Side]):
    """Scores words; tags and trees have one each."""

    def side(self, words: Words, system: str | None = None) -> Side:
        """The words of a system or, without a name, of the gold standard."""

    def score(self, pair: UnitPair, gold: Side, system: Side) -> tuple[dict[str, Tally], UnitMatches | None]:
        """Counts by scorer, and the error types of all words."""


def evaluate(
    part: Part, request: EvaluationRequest, make_scorer: Callable[[EvaluationRequest], WordScorer[Side]]
) -> WordEvaluation:
    """Count the words of a part under all scorers, one system after the other."""
    scorer: WordScorer[Side] = request.tables.get("words") or make_scorer(request)
    request.tables["words"] = scorer  # it looks up every string once
    evaluation, names = WordEvaluation(part=part), request.vocabulary.labels.values
    gold: Side | None = None
    for name, aligned in part.systems.items():
        gold = gold or _annotated(scorer.side(aligned.gold))
        system = scorer.side(aligned.system, name)
        summary, repeated, only = evaluation.system_counts[name], None, None
        if aligned.overlap is None:
            summary.missing = len(aligned.gold) - len(aligned.rows[0])
        else:
            only = aligned.overlap.only
            summary.missing = len(aligned.gold) - len(distinct(only[only >= 0]))
            by_own_label = request.settings["punctuation"].by == "spacy"
            aligned, system, repeated = one_partner_each(aligned, gold, system, by_own_label=by_own_label)
        aligned, system = _by_score(aligned, system, ScoreFilter(request, name), summary)
        if system.score is not None and request.keep_units:
            evaluation.scores[name] = system.score
        pair = replace(_pair(aligned, gold, system, part.groups), repeated=repeated, only=only)
        evaluation.tallies[name], matches = scorer.score(pair, gold, system)
        evaluation.pairs[name] = pair
        if matches is not None and request.keep_units:
            evaluation.matches[name] = matches
        summary.add(pair.system[pair.system_counted], names)
        summary.annotated |= system.annotated
    if gold is not None:
        evaluation.gold_count.add(gold.labels[gold.counted], names)
    return evaluation


def _annotated(gold: Side) -> Side:
    """The words of the gold standard; those that it leaves unannotated do not count."""
    missing = gold.words.annotation.layers.get(MISSING)
    if not isinstance(missing, Spans) or not len(missing):
        return gold
    is_missing = np.zeros(len(gold.words), dtype=np.bool_)
    is_missing[gold.words.bounds[missing.scope] + missing.start] = True
    return replace(gold, counted=gold.counted & ~is_missing, missing=is_missing)


def one_partner_each(
    aligned: Aligned, gold: WordSide, system: Side, *, by_own_label: bool
) -> tuple[Aligned, Side, Bools]:
    """Align each gold word with one of the system's words that overlap it alone: one with the right label, if any.

    As in spaCy, the labels (heads, relations) of one gold word are a set: equal ones count once, and further ones are
    extra. Words that overlap several gold words, or that are white space, do not count; but an arc with such a
    dependent is extra. With `by_own_label`, a word counts if its own label does, else if its gold word's does. Also
    return which extra arcs repeat a head: they count for LAS, but not for UAS.
    """
    overlap = aligned.overlap
    assert overlap is not None
    only = overlap.only
    counted = system.counted & ~overlap.is_blank
    left_out = np.zeros(len(gold.words) + 1, dtype=np.bool_)
    if gold.missing is not None:
        left_out[:-1] = gold.missing
    if not by_own_label:
        left_out[:-1] |= ~gold.counted
    counted &= ~left_out[only]
    if system.heads is None:
        counted &= only >= 0
    rows = np.flatnonzero(counted & (only >= 0))
    word, label = only[rows], system.labels[rows]
    head, is_right_head = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows), dtype=np.bool_)
    if gold.heads is not None and system.heads is not None:
        head = aligned.heads_in_gold(system.heads[rows])
        head = np.where(head == word, -1, head)  # another part of the same gold word
        is_right_head = head == gold.heads[word]
    is_right = is_right_head & (label == gold.labels[word])
    order = np.lexsort((rows, ~is_right_head, ~is_right, word))
    rows, word, label, head = (column[order] for column in (rows, word, label, head))
    is_first_arc = _is_first(word, label, head)
    is_unknown = head == -2  # arcs whose head has no gold word are not equal to any other arc
    is_kept = is_first_arc | is_unknown
    repeats = np.zeros(len(system.labels), dtype=np.bool_)
    repeats[rows[is_kept & ~_is_first(word, head) & ~is_unknown]] = system.heads is not None
    is_partner = _is_first(word) & gold.counted[word]
    counted[rows] = is_kept
    pairs = word[is_partner], rows[is_partner]
    return replace(aligned, rows=pairs), replace(system, counted=counted), repeats


def _is_first(*columns: Ints) -> Bools:
    """Which rows are the first with their values."""
    keys, _ = pack(*((column, empty()) for column in columns))
    is_first = np.zeros(len(keys), dtype=np.bool_)
    is_first[np.unique(keys, return_index=True)[1]] = True
    return is_first


def _by_score(aligned: Aligned, system: Side, by_score: ScoreFilter, summary: SideSummary) -> tuple[Aligned, Side]:
    """The words of a system with the confidences of their tags; a word whose tag is left out counts as missing."""
    score, rows = by_score(system.score, system.labels, summary)
    system = system if score is system.score else replace(system, score=score)
    if rows is None:
        return aligned, system
    kept = np.zeros(len(system.labels), dtype=np.bool_)
    kept[rows] = True
    gold_rows, system_rows = (column[kept[aligned.rows[1]]] for column in aligned.rows)
    return replace(aligned, rows=(gold_rows, system_rows)), replace(system, counted=system.counted & kept)


def _pair(aligned: Aligned, gold: WordSide, system: WordSide, groups: Ints) -> UnitPair:
    words = aligned.gold
    start = np.arange(len(words)) - words.bounds[words.sentence]
    heads = None
    if gold.heads is not None and system.heads is not None:
        heads = Heads(aligned, gold.heads, system.heads)
    return UnitPair(
        rows=aligned.rows,
        gold=gold.labels,
        system=system.labels,
        counted=gold.counted,
        extra_counted=system.counted,
        sentence=words.sentence,
        start=start,
        end=start + 1,
        system_sentence=gold_sentences(aligned),
        groups=groups,
        heads=heads,
    )


@dataclass(kw_only=True)
class WordEvaluation(Evaluation):
    """The words of a part and their error types."""

    matches: dict[str, UnitMatches] = field(default_factory=dict)
    """The error types by system, if units are kept."""
    scores: dict[str, Values] = field(default_factory=dict)
    """The confidences of tags by system, if units are kept."""

    def predictions(self, by: str, pairs: Sequence[UnitPair]) -> Predictions:
        """Words or, if the score counts edges, edges."""
        return word_predictions(by, [pair.edges.get(by, pair) for pair in pairs])

    def units(self, by: str) -> Predictions:
        """All words, with the confidences of their tags."""
        predictions = super().units(by)
        if not self.scores:
            return predictions
        rows = np.flatnonzero(next(iter(self.pairs.values())).counted)
        scored = [
            (self.scores.get(name), [(np.arange(len(rows)), pair.partner[rows])]) for name, pair in self.pairs.items()
        ]
        return replace(predictions, score=unit_scores(scored, len(predictions)))

    def annotations(self, vocabulary: Vocabulary) -> tuple[Spans, dict[str, Spans]]:
        """One span per word of the gold standard that counts."""
        systems = {}
        gold: Spans | None = None
        for name, pair in self.pairs.items():
            counted = np.flatnonzero(pair.counted)
            place = pair.sentence[counted], pair.start[counted], pair.end[counted]
            gold = Spans.of(vocabulary, *place, pair.gold[counted])
            score = np.append(self.scores[name], np.nan)[pair.partner[counted]] if name in self.scores else None
            words = Spans.of(vocabulary, *place, pair.predicted[counted])
            systems[name] = replace(words, score=score).take(np.flatnonzero(words.label >= 0))
        assert gold is not None  # there is a system
        return gold, systems

    def drawing(self, by: str) -> SentenceView:
        aligned: Aligned = next(iter(self.part.systems.values()))
        return drawn_words(by, list(self.pairs.values()), aligned.gold)

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """Words or, if the score counts edges, edges; words that only the system has have no position."""
        pair: UnitPair = self.pairs[system]
        aligned: Aligned = self.part.systems[system]
        sides, scorer, heads = (aligned.gold, aligned.system), measure.scorer.name, list[Ints]()
        words: tuple[Ints, Ints] = (np.arange(len(aligned.gold)), np.arange(len(aligned.system)))
        if scorer in pair.listed:
            return pair.listed[scorer](formula.name)
        if scorer in pair.edge_matches:
            edges = pair.edge_matches[scorer]
            matches, words = edges.matches, (edges.gold[0], edges.system[0])
            heads = [_head_numbers(side, *ends) for side, ends in zip(sides, (edges.gold, edges.system), strict=True)]
        elif system in self.matches:
            matches = self.matches[system]
            heads = [side.annotation.trees().head for side in sides] if pair.heads is not None else []
        else:
            raise without_units(measure)
        rows = zip(("gold_head", "system_head"), heads, (matches.gold, matches.system), strict=False)
        numbers = {name: np.append(head, -1)[chosen] for name, head, chosen in rows}
        listed = matches.rows(aligned, words, numbers=numbers)
        if system in self.scores and not heads:
            listed = replace(listed, score=np.append(self.scores[system], np.nan)[matches.system])
        return listed.under(formula)


def _head_numbers(words: Words, word: Ints, head: Ints) -> Ints:
    """Heads as in files: 1 is the first word of the sentence, 0 the root."""
    return np.where(head < 0, 0, head - words.bounds[words.sentence[word]] + 1)


class WordLabelFilter:
    """Renames the tags of a column and returns codes of a table; each name is looked up once."""

    def __init__(self, coder: StringCoder, table: StringIndex[str], rename: Callable[[str], str]) -> None:
        self._coder, self._table, self._rename = coder, table, rename
        self._new: list[int] = []

    def __call__(self, tags: Tags) -> Ints:
        code = tags.coded(self._coder)
        self._new += self._table.codes([self._rename(name) for name in self._coder.names[len(self._new) :]]).tolist()
        return np.array(self._new, dtype=np.int64)[code]


def counted_words(settings: ScoreSettings, words: Words, labels: Ints, names: list[str]) -> Bools:
    """Which words count: not punctuation, and with a chosen label."""
    counted = ~is_punctuation(settings["punctuation"], words.annotation)
    if settings.labels or settings.exclude:
        counted &= np.array([settings.chooses(name) for name in names], dtype=np.bool_)[labels]
    return counted


def is_punctuation(policy: Punctuation, annotation: Annotation) -> Bools:
    """Which words of an annotation are punctuation."""
    marks = np.zeros(annotation.corpus.token_count or 0, dtype=np.bool_)
    if policy.by == "relation":
        relation = annotation.trees().relation
        return _has_tag(relation, [name for name in relation.names if without_subtype(name) == "punct"])
    if policy.by == "spacy":
        return _has_tag(annotation.trees().relation, SPACY_PUNCTUATION)
    if policy.by == "form" and annotation.corpus.tokens is not None:
        return _has_only_punctuation(annotation.corpus.tokens)
    if policy.by == "pos":
        for column in ("upos", "xpos", "tags"):
            tags = annotation.layers.get(column)
            if isinstance(tags, Tags):
                marks |= _has_tag(tags, policy.tags)
    return marks


def _has_tag(tags: Tags, names: Sequence[str]) -> Bools:
    code = tags.code  # read before the names, which are complete only when all cells are coded
    return np.array([name in names for name in tags.names], dtype=np.bool_)[code]


def _has_only_punctuation(tokens: Tokens) -> Bools:
    first = np.frombuffer(tokens.data, dtype=np.uint8)[tokens.start]
    marks = np.zeros(len(tokens), dtype=np.bool_)
    maybe = np.flatnonzero(_MAY_BE_PUNCTUATION[first])
    coder = StringCoder()
    code = coder(tokens.take(maybe))
    is_mark = np.array([all(category(char)[0] == "P" for char in name) for name in coder.names], dtype=np.bool_)
    marks[maybe] = is_mark[code]
    return marks
