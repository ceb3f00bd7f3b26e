"""Systems without positions: strings of language models placed in the gold text, and offsets without texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evenhand.alignment.documents import AlignmentIssues, DocumentsByName, no_row_of
from evenhand.alignment.documents import Naming as DocumentNaming
from evenhand.alignment.parts import Batches, Follower, first_sentences
from evenhand.alignment.spans import AlignedSpans
from evenhand.arrays import distinct, ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import Answer, OffsetLists
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted
from evenhand.grounding.grounder import NOWHERE, Grounded, Grounder, GroundingCounts, Rules
from evenhand.grounding.items import KnownLabels
from evenhand.settings import IN_TOKENS, OFFSET_LISTS, UNITS, Convention, ScoreSettings
from evenhand.tasks.spans.strings import LabeledOffsets, LabeledStrings, Row, UnitText, UnitTexts, known_scores

if TYPE_CHECKING:
    from evenhand.grounding.placement import Placement

Naming = Literal["ids", "documents", "files"]
About = tuple[str, tuple[Answer, ...] | None]
"""The id of a text, which may be empty, and the answers about it, or None."""
Open = Callable[[], Iterator[Annotation]]
_SAME_IDS = "give every record the id of its document, or omit ids to match by order"
_SEARCHED = "fix the offsets, or search for the strings instead with --format system:extractions"


@dataclass(frozen=True)
class GoldScan:
    """Labels, sizes and names of the whole gold standard, needed before the first batch is placed."""

    labels: tuple[str, ...]
    documents: int
    sentences: int
    naming: Naming | None
    """How its texts are identified: ids of sentences, names of documents, or names of files with one document each."""

    @property
    def by_document(self) -> bool:
        """Whether there are several documents; otherwise sentences are the texts."""
        return self.documents > 1

    @staticmethod
    def of(batches: Iterable[Annotation], layer: str) -> GoldScan:
        labels, sources = set[str](), set[str]()
        documents = sentences = names = 0
        has_ids = True
        for batch in batches:
            corpus, spans = batch.corpus, batch.spans(layer)
            labels.update(spans.vocabulary.labels[code] for code in distinct(spans.label).tolist())
            sources.add(corpus.source)
            first = int(corpus.continues)
            documents += len(corpus.documents) - first
            names += 0 if corpus.unnamed else len(corpus.names[first:])
            sentences += corpus.sentences
            has_ids &= corpus.ids is not None
        naming: Naming | None = "ids" if has_ids else "documents" if names == documents else None
        if naming is None and 1 < len(sources) == documents:
            naming = "files"
        return GoldScan(tuple(sorted(labels)), documents, sentences, naming)


def names_of(corpus: Corpus, naming: Naming) -> Tokens:
    """The names of the texts in a batch of the gold standard."""
    if naming == "ids":
        assert corpus.ids is not None
        return corpus.ids
    return Tokens.of(list(corpus.names) if naming == "documents" else [PurePath(corpus.source).stem])


class AnswersByOrder:
    """Answers in the order of the texts."""

    def __init__(self, stream: Iterator[Annotation], count: int, survey: GoldScan, source: str) -> None:
        """There must be one answer per document or per sentence."""
        if count not in (survey.documents, survey.sentences):
            documents = f"{counted(survey.documents, 'document')} and " if survey.by_document else ""
            answers = "there is 1 answer" if count == 1 else f"there are {counted(count, 'answer')}"
            finding = f"{answers}, but the gold standard has {documents}{counted(survey.sentences, 'sentence')}"
            raise InputError(source, None, finding, "write one for each, or use ids on both sides", "document")
        self.by_document = count == survey.documents
        self._answers = (about for batch in stream for about in _about(batch, 0, batch.corpus.sentences))

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch."""
        return list(islice(self._answers, len(gold.documents) if self.by_document else gold.sentences))

    def finish(self) -> None:
        """Answers were counted beforehand, so none is left."""


class AnswersById:
    """Answers with the ids of texts; some may be missing, but all must have a text."""

    def __init__(self, stream: Iterator[Annotation], sides: tuple[Open, Open], naming: Naming) -> None:
        """`sides` reopen system and gold standard."""
        self.by_document, self._naming = naming != "ids", naming
        self._issues, self._source = AlignmentIssues(), ""
        match = DocumentNaming(self._names, lambda corpus: False, may_repeat=True, remedy=_SAME_IDS)
        self._documents = DocumentsByName(map(self._receive, stream), sides, match, self._issues)

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch; None if an answer is missing."""
        answers: list[About] = []
        for piece in self._documents.pieces(names_of(gold, self._naming)):
            if isinstance(piece, str):
                answers.append((piece, None))
            else:
                answers += _about(piece.batch, piece.first, piece.first + piece.size)
        return answers

    def finish(self) -> None:
        self._documents.finish()
        if self._issues.extra:
            more = len(self._issues.extra) - 1
            others = f" (and {more:,} more)" if more else ""
            finding = f"the gold standard has no document with the id {self._issues.extra[0]!r}{others}"
            raise InputError(
                self._source, None, finding, "remove documents that are not scored, or fix the id", "document"
            )

    def _names(self, corpus: Corpus) -> Tokens:
        if corpus.tokens is not None:
            return names_of(corpus, self._naming)
        return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids

    def _receive(self, batch: Annotation) -> Annotation:
        self._source = batch.corpus.source
        return batch


def _about(batch: Annotation, first: int, end: int) -> Iterator[About]:
    """Some answers of a batch with their ids."""
    assert batch.extractions is not None
    ids = [""] * (end - first) if batch.corpus.ids is None else batch.corpus.ids.texts(first, end)
    return zip(ids, batch.extractions.answers[first:end], strict=True)


@dataclass(frozen=True)
class GroundedAnswers:
    """The strings of a language model in some texts, apart from the spans at which they were placed."""

    unplaced: LabeledStrings
    items: LabeledStrings
    """All strings, placed or not."""
    best: Spans
    """The placed items at their best-scoring occurrences, chosen by the gold spans: an upper bound."""
    best_unplaced: LabeledStrings
    has_choice: bool
    """Whether one occurrence of each string is chosen; otherwise all count, and none is the best."""


class GroundedFollower(Follower):
    """The answers of a system as spans of the gold texts."""

    grounding: GroundingCounts

    def __init__(
        self,
        answers: AnswersByOrder | AnswersById,
        first: Annotation,
        written: Iterator[object],
        labels: Sequence[str],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
        layer: str,
    ) -> None:
        """`first` is the first batch of the system, and `written` has all of its answers.

        `labels` are the gold labels, and `layer` has the gold spans.
        """
        self._layer = layer
        self._answers, self._vocabulary, self._settings = answers, vocabulary, settings
        shape: Any = settings["shape"] or first.reading.shape
        if shape is None:
            from evenhand.grounding.answers import shape_of  # slow to load

            shape = shape_of(written)
        self.reading = replace(first.reading, shape=shape)
        known = dict.fromkeys([*labels, *settings.labels, *(renamed.old for renamed in settings.maps)])
        rules = Rules(shape, settings["occurrences"], settings["fuzzy"] or None, settings["unknown_labels"])
        self._ground = Grounder(rules, KnownLabels(known))
        self.grounding = self._ground.counts

    @property
    def by_document(self) -> bool:
        """Whether an answer is about a document, not a sentence."""
        return self._answers.by_document

    def ground(self, gold: Corpus, texts: UnitTexts | None = None) -> Iterator[tuple[str, Grounded]]:
        """The items of the next batch by text, with its id, which may be empty."""
        texts = texts or UnitTexts(gold, by_document=self.by_document)
        for unit, (identifier, answers) in zip(texts.units, self._answers.take(gold), strict=True):
            self.grounding.counts["missing"] += answers is None
            yield identifier, self._ground(unit.document(), answers or (), identifier or _location(gold, unit))

    def take(self, gold: Batches) -> AlignedSpans:
        first = first_sentences(gold)
        placed, answers = zip(*(self._placed(batch.corpus, batch.spans(self._layer)) for batch in gold), strict=True)
        joined = GroundedAnswers(
            LabeledStrings.concatenate([batch.unplaced for batch in answers], first),
            LabeledStrings.concatenate([batch.items for batch in answers], first),
            Spans.concatenate([batch.best for batch in answers], first),
            LabeledStrings.concatenate([batch.best_unplaced for batch in answers], first),
            self._has_choice,
        )
        return AlignedSpans(Spans.concatenate(placed, first), answers=joined)

    def _placed(self, gold: Corpus, spans: Spans) -> tuple[Spans, GroundedAnswers]:
        """The items of the next batch; the gold spans are for the upper bound only."""
        texts = UnitTexts(gold, by_document=self.by_document)
        placed, best, rows = _Items(texts), _Items(texts), list[Row]()
        gold_offsets = texts.offsets(spans)
        for number, (_, grounded) in enumerate(self.ground(gold, texts)):
            placed.add(number, grounded.placements)
            best.add(number, self._best(grounded, gold_offsets[number]))
            rows += [(texts.units[number].first, item.label, item.text, item.score) for item in grounded.items]
        is_strict = self._settings["snap"] == "strict"
        placed_spans, unplaced, grew = placed.spans(self._vocabulary, is_strict=is_strict)
        self.grounding.counts["outside" if is_strict else "widened"] += grew
        best_spans, best_unplaced, _ = best.spans(self._vocabulary, is_strict=is_strict)
        items = LabeledStrings.of(self._vocabulary, rows)
        return placed_spans, GroundedAnswers(unplaced, items, best_spans, best_unplaced, self._has_choice)

    @property
    def _has_choice(self) -> bool:
        return self._ground.rules.occurrences != "all"

    def _best(self, grounded: Grounded, gold: Sequence[LabeledOffsets]) -> Sequence[Placement]:
        """The items of a text at their best-scoring occurrences, or unchanged without a choice."""
        if not gold or grounded.is_forced or not self._has_choice:
            return grounded.placements
        from evenhand.grounding.placement import place_best  # slow to load

        best = place_best(grounded.document, grounded.sought, set(gold), self._ground.rules.fuzzy)
        return (*grounded.marked, *best.placements)

    def finish(self) -> None:
        """Raise an error if answers are left."""
        self._answers.finish()


class _Items:
    """Collects the items of a batch to convert them to spans."""

    def __init__(self, texts: UnitTexts) -> None:
        self._texts = texts
        self._unit, self._offsets = list[int](), list[tuple[int, int]]()
        self._labels, self._strings = list[str](), list[str]()
        self._scores, self._unplaced = list[float | None](), list[Row]()

    def add(self, unit: int, placements: Sequence[Placement]) -> None:
        for placement in placements:
            for span in placement.spans:
                self._unit.append(unit)
                self._offsets.append(span)
                self._labels.append(placement.item.label)
                self._strings.append(placement.item.text)
                self._scores.append(placement.item.score)
            if placement.status in NOWHERE:
                item = placement.item
                self._unplaced.append((self._texts.units[unit].first, item.label, item.text, item.score))

    def spans(self, vocabulary: Vocabulary, *, is_strict: bool) -> tuple[Spans, LabeledStrings, int]:
        """Placed items as spans, unplaced items, and the number of items that begin or end inside a token.

        The latter are expanded to whole tokens or, if `is_strict`, left unplaced.
        """
        scope, start, end, grew = self._texts.atoms(self._unit, self._offsets)
        spans = Spans.of(vocabulary, scope, start, end, vocabulary.labels.codes(self._labels))
        spans = replace(spans, score=known_scores(self._scores))
        rows, unplaced = np.flatnonzero(grew), self._unplaced
        if is_strict and len(rows):
            firsts = ((self._texts.units[self._unit[row]].first, row) for row in rows.tolist())
            unplaced = unplaced + [
                (first, self._labels[row], self._strings[row], self._scores[row]) for first, row in firsts
            ]
            spans = spans.without(rows)
        return spans, LabeledStrings.of(vocabulary, unplaced), len(rows)


def _location(gold: Corpus, unit: UnitText) -> str:
    """File and line of the begin of a text."""
    return gold.location(unit.first if gold.bounds is None else int(gold.bounds[unit.first]))


def on_gold_texts(system: Annotation, gold: Iterator[Annotation], vocabulary: Vocabulary) -> Iterator[Annotation]:
    """The offsets of a system without texts as spans of the gold texts, one per sentence.

    A text is a record of the gold standard or, if it has tokens, a sentence joined by blanks. Quotes of spans must
    occur in it, and determine how offsets count. If the gold standard has tags alone, offsets count tokens.
    """
    from evenhand.formats.parsing.json_spans import Quoted, convention_of, misquoted, on_texts, on_tokens, spans_of

    lists = system.layers[OFFSET_LISTS]
    assert isinstance(lists, OffsetLists)
    batches = [batch.corpus for batch in gold]
    in_tokens = _counts_tokens(lists.counting, batches[0], system.corpus.source)
    quotes = ((),) * len(lists) if batches[0].tokens is None else lists.quotes
    lists = replace(lists, spans=(*lists.spans, ()), quotes=(*quotes, ()))  # the last one is of missing documents
    texts = [words for corpus in batches for words in _words(corpus, in_tokens)]
    order = _order(system.corpus, batches, len(texts), lists.has_sentence_numbers)
    if lists.counting is None and not in_tokens and not any(lists.quotes):
        _check_edges(system.corpus, batches, lists, order)
    rows = [(text, lists.quotes[row], lists.spans[row]) for row, text in zip(order, texts, strict=True)]
    convention = convention_of(lists.counting, [Quoted.of(*row) for row in rows])
    for row, text in zip(order, texts, strict=True):
        fault = misquoted(text, lists.quotes[row], convention)
        if fault is not None:
            line = _line(system.corpus, row)
            remedy = fault[1] if "--offsets" in fault[1] else _SEARCHED
            raise InputError(system.corpus.source, line, fault[0], remedy, "text")

    def report(at: int, finding: str, remedy: str) -> None:
        raise InputError(system.corpus.source, _line(system.corpus, order[at]), finding, remedy, "text")

    is_shown, whole = lists.counting is None and convention != Convention(), Corpus.concatenate(batches)
    if in_tokens:
        convention = replace(convention, unit=IN_TOKENS)
        ground = on_tokens(ints(list(map(len, texts))), convention)
        corpus = replace(whole, source=system.corpus.source, ids=None)
    else:
        atoms, ground = on_texts([text for text in texts if isinstance(text, str)], convention)
        corpus = replace(atoms.corpus(system.corpus.source), documents=whole.documents)
    spans = spans_of([lists.spans[row] for row in order], ground, vocabulary, report)
    reading = replace(system.readings["spans"], offsets=str(convention), quotes_show=is_shown)
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, system.name)


def _line(corpus: Corpus, row: int) -> int | None:
    """The line of a record. None for a table of spans, whose rows are not documents."""
    return None if corpus.omits_empty else corpus.line(row)


def _counts_tokens(counting: str | None, gold: Corpus, source: str) -> bool:
    """Whether offsets count tokens of the gold standard: as specified, or because it has only tags."""
    units = [] if counting is None else [part.strip() for part in counting.split(",")]
    if gold.tokens is None and not {*units}.isdisjoint(UNITS):
        finding = f"has offsets without texts, and {gold.source} has no text"
        raise InputError(source, None, finding, "use offsets that count tokens: --offsets system:tokens")
    if IN_TOKENS in units and gold.atoms == "characters":
        finding = f"has offsets that count tokens, but {gold.source} has a text without tokens"
        raise InputError(source, None, finding, "use offsets that count characters")
    return gold.tokens is None or IN_TOKENS in units


def _words(corpus: Corpus, in_tokens: bool) -> Iterator[str | list[str]]:
    """The text of each sentence, or its tokens, which are empty in a file of tags."""
    for sentence in range(corpus.sentences):
        if not in_tokens:
            yield corpus.text(sentence)
            continue
        assert corpus.bounds is not None
        first, last = corpus.bounds[sentence : sentence + 2].tolist()
        yield [""] * (last - first) if corpus.tokens is None else corpus.tokens.texts(first, last)


def _check_edges(system: Corpus, gold: Sequence[Corpus], lists: OffsetLists, order: Sequence[int]) -> None:
    """Refuse offsets of a table that do not show what they count.

    All of them are offsets of gold tokens, but as characters some begin or end within a token.
    """
    if not system.omits_empty or any(corpus.atoms == "characters" or corpus.raw is not None for corpus in gold):
        return
    is_within, sentences = False, (words for corpus in gold for words in _words(corpus, in_tokens=True))
    for row, tokens in zip(order, sentences, strict=True):
        if not lists.spans[row]:
            continue
        ends = np.cumsum([len(token) + 1 for token in tokens]) - 1
        starts, stops = {0, *(ends + 1).tolist()}, {*ends.tolist()}
        for span in lists.spans[row]:
            if span.end > len(tokens):
                return
            is_within |= span.start not in starts or span.end not in stops
    if is_within:
        finding = "all offsets fit tokens and, as characters, some begin or end inside a token"
        raise InputError(system.source, None, finding, "choose --offsets system:tokens or system:codepoints")


def _order(system: Corpus, gold: Sequence[Corpus], texts: int, has_numbers: bool) -> list[int]:
    """The index of the system's list for each text of the gold standard.

    A table of spans has no list for a document without spans, for which the index is one after the last list. Its
    sentences may be numbers, from 1, of the sentences of a gold standard without ids.
    """
    names = [] if system.ids is None else system.ids.texts(0, system.sentences)
    gold_names = [text for corpus in gold if corpus.ids is not None for text in corpus.ids.texts(0, corpus.sentences)]
    if not set(names).isdisjoint(gold_names) and len(set(names)) == len(names) and len(gold_names) == texts:
        known, missing = {name: at for at, name in enumerate(names)}, set(gold_names) ^ set(names)
        if system.omits_empty:
            missing &= set(names)
        if missing and gold[0].omits_empty:
            raise no_row_of(sorted(missing)[0], system.source)
        if missing:
            finding = f"the ids of texts differ from the gold standard's: {sorted(missing)[0]!r}"
            raise InputError(system.source, None, finding, "pass one list for each text", "document")
        return [known.get(name, len(names)) for name in gold_names]
    if has_numbers and not gold_names:
        numbered = {int(name): at for at, name in enumerate(names)}
        odd = next((name for name in names if not 1 <= int(name) <= texts or name != str(int(name))), None)
        if odd is not None:
            finding = f"has the sentence {odd}; the gold standard has the sentences 1 to {texts:,}"
            raise InputError(system.source, None, finding, "number each sentence in its order there", "document")
        return [numbered.get(number, len(names)) for number in range(1, texts + 1)]
    if system.sentences != texts:
        documents = sum(len(corpus.documents) for corpus in gold)
        finding = f"got lists of spans for {system.sentences:,} texts, but the gold standard has {texts:,}"
        more = f" in {documents:,} documents" if documents < texts else ""
        raise InputError(system.source, None, f"{finding}{more}", "pass one list for each text", "document")
    return list(range(texts))
