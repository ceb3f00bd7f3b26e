"""A system whose strings are placed in the gold standard's text, batch by batch: it is fed as any other system is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePath
from typing import Literal, cast

import numpy as np

from evenhand.alignment.documents import AlignmentIssues, DocumentFeed
from evenhand.alignment.documents import Naming as DocumentNaming
from evenhand.arrays import Ints, distinct
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.names import OFFSET_LISTS
from evenhand.data.structures import Answer, OffsetLists
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted
from evenhand.grounding.answers import shape_of
from evenhand.grounding.grounder import NOWHERE, Grounded, Grounder, GroundingCounts, Rules
from evenhand.grounding.items import KnownLabels, Shape
from evenhand.grounding.placement import Placement, place_best
from evenhand.settings import Convention, ScoreSettings
from evenhand.tasks.spans.strings import LabeledOffsets, Strings, UnitText, UnitTexts

# == tasks/spans/gold_survey.py: What must be known of a whole gold standard before its first


Naming = Literal["ids", "documents", "files"]


@dataclass(frozen=True)
class GoldScan:
    """The gold standard as a whole."""

    labels: tuple[str, ...]
    documents: int
    sentences: int
    naming: Naming | None
    """What its texts are called by: ids of sentences, names of documents, or those of files with a document each."""

    @property
    def by_document(self) -> bool:
        """Whether there are several documents; else sentences are the texts."""
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
            own = int(corpus.continues)
            documents += len(corpus.documents) - own
            names += 0 if corpus.unnamed else len(corpus.names[own:])
            sentences += corpus.sentences
            has_ids &= corpus.ids is not None
        naming: Naming | None = "ids" if has_ids else "documents" if names == documents else None
        if naming is None and 1 < len(sources) == documents:
            naming = "files"
        return GoldScan(tuple(sorted(labels)), documents, sentences, naming)


def names_of(corpus: Corpus, naming: Naming) -> Tokens:
    """What the texts of a batch of the gold standard are called."""
    if naming == "ids":
        assert corpus.ids is not None
        return corpus.ids
    return Tokens.of(list(corpus.names) if naming == "documents" else [PurePath(corpus.source).stem])


# == tasks/spans/answer_feed.py: The answers of a language model in the order of the gold sta


About = tuple[str, tuple[Answer, ...] | None]
"""The id of a text, which may be empty, and the answers about it; None where there are none."""
Open = Callable[[], Iterator[Annotation]]
_SAME_IDS = "give every record the id of its document, or leave ids out, so that the order counts"


class AnswersByOrder:
    """Answers that belong to the texts one by one."""

    def __init__(self, stream: Iterator[Annotation], count: int, survey: GoldScan, source: str) -> None:
        """There are as many answers as the gold standard has documents or sentences, or that is an error."""
        if count not in (survey.documents, survey.sentences):
            documents = f"{counted(survey.documents, 'document')} and " if survey.by_document else ""
            answers = "there is 1 answer" if count == 1 else f"there are {counted(count, 'answer')}"
            finding = f"{answers}, where the gold standard has {documents}{counted(survey.sentences, 'sentence')}"
            raise InputError(source, None, finding, "give one for each, or give ids on both sides", "document")
        self.by_document = count == survey.documents
        self._answers = (found for batch in stream for found in _about(batch, 0, batch.corpus.sentences))

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch."""
        return list(islice(self._answers, len(gold.documents) if self.by_document else gold.sentences))

    def finish(self) -> None:
        """Nothing is left: they were counted."""


class AnswersById:
    """Answers that have the ids of the texts; some may be missing, but none may be left."""

    def __init__(self, stream: Iterator[Annotation], sides: tuple[Open, Open], naming: Naming) -> None:
        """`sides` open system and gold standard anew."""
        self.by_document, self._naming = naming != "ids", naming
        self._found, self._source = AlignmentIssues(), ""
        match = DocumentNaming(self._names, lambda corpus: False, may_repeat=True, remedy=_SAME_IDS)
        self._documents = DocumentFeed(sides, match, self._found, self._receive, stream)

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch; None where one is missing."""
        found: list[About] = []
        for piece in self._documents.pieces(names_of(gold, self._naming)):
            if isinstance(piece, str):
                found.append((piece, None))
            else:
                found += _about(piece.batch, piece.first, piece.first + piece.size)
        return found

    def finish(self) -> None:
        self._documents.finish()
        if self._found.extra:
            more = len(self._found.extra) - 1
            others = f" (and {more:,} more)" if more else ""
            finding = f"the gold standard has no document with the id {self._found.extra[0]!r}{others}"
            raise InputError(
                self._source, None, finding, "leave out what is not to be scored, or mend the id", "document"
            )

    def _names(self, corpus: Corpus) -> Tokens:
        if corpus.tokens is not None:
            return names_of(corpus, self._naming)
        return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids

    def _receive(self, batch: Annotation) -> None:
        self._source = batch.corpus.source


def _about(batch: Annotation, first: int, behind: int) -> Iterator[About]:
    """Some answers of a batch, with their ids."""
    assert batch.extractions is not None
    ids = [""] * (behind - first) if batch.corpus.ids is None else batch.corpus.ids.texts(first, behind)
    return zip(ids, batch.extractions.answers[first:behind], strict=True)


# == tasks/spans/grounded_feed.py (primary)


@dataclass(frozen=True)
class GroundedBatch:
    """The items of a batch: those with a place as spans, the others, and all of them."""

    spans: Spans
    unplaced: Strings
    items: Strings
    best: Spans
    """The items with a place where they would score best, for which gold spans are looked at: an upper bound."""
    best_unplaced: Strings


class GroundedFeed:
    """Answers about the texts of the gold standard, as spans where their strings stand."""

    tags: Tags | None = None
    breaks_differ = False
    reaching: Spans | None = None
    mismatches: AlignmentIssues | None = None

    def __init__(
        self,
        answers: AnswersByOrder | AnswersById,
        first: Annotation,
        written: Iterator[object],
        labels: Sequence[str],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
    ) -> None:
        """`labels` are those of the gold standard; `first` is the first batch of the system, `written` all of it."""
        self.keeps_tags = False
        self._answers, self._vocabulary, self._settings = answers, vocabulary, settings
        shape = cast("Shape", settings["shape"] or first.reading.shape or shape_of(written))
        self.reading: ReadInfo | None = replace(first.reading, shape=shape)
        known = dict.fromkeys([*labels, *settings.labels, *(each.old for each in settings.maps)])
        rules = Rules(shape, settings["occurrences"], settings["fuzzy"] or None, settings["unknown_labels"])
        self._ground = Grounder(rules, KnownLabels(known))
        self.grounding: GroundingCounts = self._ground.counts

    @property
    def by_document(self) -> bool:
        """Whether an answer is about a document, not about a sentence."""
        return self._answers.by_document

    @property
    def has_choice(self) -> bool:
        """Whether one occurrence of each string is chosen, so that there is a best choice; not where all count."""
        return self._ground.rules.occurrences != "all"

    def ground(self, gold: Corpus, texts: UnitTexts | None = None) -> Iterator[tuple[str, Grounded]]:
        """The items of the next batch, text by text, with the id of each, which may be empty."""
        texts = texts or UnitTexts(gold, by_document=self.by_document)
        for unit, (own, answers) in zip(texts.units, self._answers.take(gold), strict=True):
            self.grounding.counts["missing"] += answers is None
            yield own, self._ground(unit.document(), answers or (), own or _place(gold, unit))

    def take(self, gold: Corpus, spans: Spans) -> GroundedBatch:
        """The items of the next batch; the gold standard's spans are for the upper bound only."""
        texts = UnitTexts(gold, by_document=self.by_document)
        placed, best, rows = _Items(texts), _Items(texts), list[tuple[int, str, str]]()
        wanted = texts.offsets(spans)
        for number, (_, grounded) in enumerate(self.ground(gold, texts)):
            placed.add(number, grounded.placements)
            best.add(number, self._best(grounded, wanted[number]))
            rows += [(texts.units[number].first, item.label, item.text) for item in grounded.items]
        is_strict = self._settings["snap"] == "strict"
        found, unplaced, grew = placed.spans(self._vocabulary, is_strict=is_strict)
        self.grounding.counts["outside" if is_strict else "widened"] += grew
        others, missed, _ = best.spans(self._vocabulary, is_strict=is_strict)
        return GroundedBatch(found, unplaced, Strings.of(self._vocabulary, rows), others, missed)

    def _best(self, grounded: Grounded, gold: Sequence[LabeledOffsets]) -> Sequence[Placement]:
        """The items of a text where they would score best; where they are already, if they have no choice."""
        if not gold or grounded.is_forced or not self.has_choice:
            return grounded.placements
        best = place_best(grounded.document, grounded.sought, set(gold), self._ground.rules.fuzzy)
        return (*grounded.marked, *best.placements)

    def finish(self, gold: Corpus) -> None:
        """Raise an error if answers are left."""
        self._answers.finish()


class _Items:
    """The items of a batch, on their way to spans."""

    def __init__(self, texts: UnitTexts) -> None:
        self._texts = texts
        self._unit, self._offsets = list[int](), list[tuple[int, int]]()
        self._labels, self._strings = list[str](), list[str]()
        self._nowhere = list[tuple[int, str, str]]()

    def add(self, unit: int, placements: Sequence[Placement]) -> None:
        for placement in placements:
            for span in placement.spans:
                self._unit.append(unit)
                self._offsets.append(span)
                self._labels.append(placement.item.label)
                self._strings.append(placement.item.text)
            if placement.status in NOWHERE:
                self._nowhere.append((self._texts.units[unit].first, placement.item.label, placement.item.text))

    def spans(self, vocabulary: Vocabulary, *, is_strict: bool) -> tuple[Spans, Strings, int]:
        """Items in the atoms of the text, those without a place, and how many do not end with tokens.

        These grow to whole tokens, or have no place where somebody `is_strict`.
        """
        scope, start, end, grew = self._texts.atoms(self._unit, self._offsets)
        spans = Spans.of(vocabulary, scope, start, end, vocabulary.labels.codes(self._labels))
        rows, nowhere = np.flatnonzero(grew), self._nowhere
        if is_strict and len(rows):
            firsts = ((self._texts.units[self._unit[row]].first, row) for row in rows.tolist())
            nowhere = nowhere + [(first, self._labels[row], self._strings[row]) for first, row in firsts]
            spans = spans.without(rows)
        return spans, Strings.of(vocabulary, nowhere), len(rows)


def _place(gold: Corpus, unit: UnitText) -> str:
    """The file and line in which a text begins."""
    return gold.location(unit.first if gold.bounds is None else int(gold.bounds[unit.first]))


# == tasks/spans/placed_offsets.py: Offsets of a system whose file has no texts, put on those of


_SEARCHED = "mend the offsets, or search for the strings instead with --format system:extractions"


def on_gold_texts(system: Annotation, gold: Iterator[Annotation], vocabulary: Vocabulary) -> Iterator[Annotation]:
    """The lists of a system as spans of the gold standard's texts, which are those of its sentences.

    A text is a record of the gold standard or, where this has tokens, a sentence with blanks between them. What spans
    quote must be there, and shows how offsets count.
    """
    from evenhand.formats.parsing.json_spans import Quoted, convention_of, misquoted, on_texts, spans_of

    lists = system.layers[OFFSET_LISTS]
    assert isinstance(lists, OffsetLists)
    batches = [batch.corpus for batch in gold]
    texts = [corpus.text(at) for corpus in batches for at in range(corpus.sentences)]
    order = _order(system.corpus, batches, len(texts))
    rows = [(text, lists.quotes[row], lists.spans[row]) for row, text in zip(order, texts, strict=True)]
    convention = convention_of(lists.counting, [Quoted.of(*each) for each in rows])
    for row, text in zip(order, texts, strict=True):
        fault = misquoted(text, lists.quotes[row], convention)
        if fault is not None:
            line = system.corpus.line(row)
            remedy = fault[1] if "--offsets" in fault[1] else _SEARCHED
            raise InputError(system.corpus.source, line, fault[0], remedy, "text")

    def report(at: int, finding: str, remedy: str) -> None:
        raise InputError(system.corpus.source, system.corpus.line(order[at]), finding, remedy, "text")

    atoms, ground = on_texts(texts, convention)
    spans = spans_of([lists.spans[row] for row in order], ground, vocabulary, report)
    is_shown = lists.counting is None and convention != Convention()
    reading = replace(system.readings["spans"], offsets=str(convention), quotes_show=is_shown)
    corpus = replace(atoms.corpus(system.corpus.source), documents=_documents(batches))
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, system.name)


def _documents(batches: Sequence[Corpus]) -> Ints:
    return Corpus.concatenate(batches).documents


def _order(system: Corpus, gold: Sequence[Corpus], texts: int) -> list[int]:
    """The list of a system for each text of the gold standard."""
    mine = [] if system.ids is None else system.ids.texts(0, system.sentences)
    theirs = [text for corpus in gold if corpus.ids is not None for text in corpus.ids.texts(0, corpus.sentences)]
    if not set(mine).isdisjoint(theirs) and len(set(mine)) == len(mine) and len(theirs) == texts:
        known, missing = {name: at for at, name in enumerate(mine)}, set(theirs) ^ set(mine)
        if missing:
            finding = f"the ids of texts differ from those of the gold standard: {sorted(missing)[0]!r}"
            raise InputError(system.source, None, finding, "give one list for each text", "document")
        return [known[name] for name in theirs]
    if system.sentences != texts:
        documents = sum(len(corpus.documents) for corpus in gold)
        finding = f"found lists of spans for {system.sentences:,} texts, where the gold standard has {texts:,}"
        more = f" in {documents:,} documents" if documents < texts else ""
        raise InputError(system.source, None, f"{finding}{more}", "give one list for each text", "document")
    return list(range(texts))
