"""Evaluate span systems part by part: align their batches with the gold standard, collect parts, count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.alignment.documents import IdFeed
from evenhand.alignment.spans import Feed
from evenhand.arrays import Ints, Values, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus, complete, join_columns
from evenhand.data.encodings import SETTLE
from evenhand.data.layers import Spans, Tags
from evenhand.data.structures import OffsetLists
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.scoring.tally import Tally
from evenhand.settings import OFFSET_LISTS, LabelGroup
from evenhand.tasks.evaluation import (
    OTHER_SENTENCES,
    EvaluationRequest,
    LabelFilter,
    Numbering,
    Offsets,
    Open,
    Outcome,
    SideSummary,
    VerdictRows,
)
from evenhand.tasks.spans.comparison import (
    SpanDrawing,
    cover_predictions,
    span_predictions,
    span_units,
    without_gold_errors,
)
from evenhand.tasks.spans.fair import matches
from evenhand.tasks.spans.matching import Context, SpanPair, equal_spans
from evenhand.tasks.spans.measures import LEAK
from evenhand.tasks.spans.strings import Form, Strings, StringSides, UnplacedStrings
from evenhand.tasks.spans.task import GROUNDING
from evenhand.tasks.spans.token_separator import all_units, tally_units
from evenhand.tasks.units import Locations, Predictions, Units, matched_columns

if TYPE_CHECKING:
    from evenhand.tasks.spans.grounding import AnswersById, AnswersByOrder, GoldScan, GroundedFeed
    from evenhand.tasks.spans.overrides import Overriding
    from evenhand.tasks.spans.values import GoldValues, PartValues
    from evenhand.tasks.spans.values import Values as SensitiveValues

Stream = Iterator[Annotation]


class Feeds:
    """Feeds for the streams of systems, and the gold standard's stream as they need it."""

    def __init__(
        self, asked: EvaluationRequest, gold: Stream, systems: Mapping[str, Stream], layers: tuple[str, str]
    ) -> None:
        self._asked, self._layers = asked, layers
        self._first, self.gold = peek(gold)
        _check_gold(self._first)
        self.systems = {name: self._feed(name, stream) for name, stream in systems.items()}
        grounded = [feed for feed in self.systems.values() if not isinstance(feed, Feed)]
        if not grounded:
            _check_settings(asked)
        asks_strings = any("strings" in judge.needs for judge in asked.scorers)
        self.texts_are_documents = asks_strings and self._survey.by_document
        """Whether strings are compared by document, not by sentence."""
        takes_texts = any("document_text" in judge.needs for judge in asked.scorers)
        if takes_texts or self.texts_are_documents or any(feed.by_document for feed in grounded):
            self.gold = whole_documents(self.gold)

    def _feed(self, name: str, stream: Stream) -> Feed | GroundedFeed:
        """A system's batches; where both sides have ids, in the order of the gold standard's."""
        sides, by_position = self._asked.sides, self._asked.settings.align == "position"
        first, stream = peek(stream)
        if first is not None and first.extractions is not None:
            return self._grounded(name, first, stream)
        if self._first is not None and first is not None:
            _check_layers(self._first, first)
            if _has_offsets_only(first) != _has_offsets_only(self._first):
                first, stream = peek(self._placed(first, stream))
        gold = None if self._first is None else self._first.corpus
        if gold is None or first is None or not _are_by_id(gold, first.corpus):
            return Feed(stream, self._layers[1], by_position=by_position)
        by_id = IdFeed(stream, (sides.systems[name], sides.gold), self._layers[1])
        return Feed(iter(()), self._layers[1], by_position=by_position, by_id=by_id)

    def _grounded(self, name: str, first: Annotation, stream: Stream) -> GroundedFeed:
        """A system whose strings are placed in the text, which the gold standard must have."""
        from evenhand.tasks.spans.grounding import AnswersById, AnswersByOrder, GroundedFeed  # rare, and slow to load

        asked, survey = self._asked, self._survey
        gold = None if self._first is None else self._first.corpus
        if gold is None or gold.tokens is None:
            finding = "has no text in which the strings of a language model could be found"
            raise InputError(
                "the gold standard" if gold is None else gold.source, None, finding, "give tokens or a text"
            )
        sides = asked.sides
        answers: AnswersByOrder | AnswersById
        count, has_ids = 0, first.corpus.ids is not None
        if survey.naming is None or not has_ids:
            count = sum(batch.corpus.sentences for batch in sides.systems[name]())
            answers = AnswersByOrder(stream, count, survey, first.corpus.source)
        else:
            answers = AnswersById(stream, (sides.systems[name], sides.gold), survey.naming)
        written = _contents(sides.systems[name])
        feed = GroundedFeed(answers, first, written, survey.labels, asked.settings, asked.vocabulary)
        feed.grounding.counts["unused_ids"] += count if has_ids else 0
        return feed

    def _placed(self, first: Annotation, stream: Stream) -> Stream:
        """A system whose file has offsets and no texts, on the texts of the gold standard."""
        from evenhand.tasks.spans.grounding import on_gold_texts  # rare

        assert self._first is not None
        gold = self._first.corpus
        if not _has_offsets_only(first) or gold.tokens is None:
            finding = "has offsets without texts, and the other side does not"
            raise InputError(
                gold.source if gold.tokens is None else first.corpus.source, None, finding, "give its texts, too"
            )
        return on_gold_texts(Annotation.concatenate(list(stream)), self._asked.sides.gold(), self._asked.vocabulary)

    @cached_property
    def _survey(self) -> GoldScan:
        from evenhand.tasks.spans.grounding import GoldScan  # rare, and slow to load

        return GoldScan.of(self._asked.sides.gold(), self._layers[0])


def _contents(open_side: Open) -> Iterator[object]:
    """All answers of a model in order, opened lazily."""
    for batch in open_side():
        assert batch.extractions is not None
        yield from batch.extractions.contents()


def whole_documents(batches: Stream) -> Stream:
    """Join batches so that no document is divided between two of them."""
    held: list[Annotation] = []
    for batch in batches:
        if held and not batch.corpus.continues:
            yield Annotation.concatenate(held)
            held = []
        held.append(batch)
    if held:
        yield Annotation.concatenate(held)


def _are_by_id(gold: Corpus, system: Corpus) -> bool:
    """Whether both sides have ids; if only one has, words must tell what belongs together."""
    if (gold.ids is None) != (system.ids is None) and (gold.tokens is None or system.tokens is None):
        finding = "one side has ids, the other has none, and no words tell which documents belong together"
        raise InputError(system.source, None, finding, "give ids on both sides")
    return gold.ids is not None and system.ids is not None


def _has_offsets_only(annotation: Annotation) -> bool:
    """Whether spans have offsets into texts that their file does not have."""
    return isinstance(annotation.layers.get(OFFSET_LISTS), OffsetLists)


def _check_gold(first: Annotation | None) -> None:
    if first is not None and first.extractions is not None:
        finding = "holds answers of a language model, which have no text and no positions"
        raise InputError(first.corpus.source, None, finding, "give them as a system, beside a gold standard")


def _check_layers(gold: Annotation, system: Annotation) -> None:
    """Refuse to compare one layer of documents with another one, unless the user named both."""
    of_gold, of_system = gold.reading, system.reading
    for side in (gold, system):
        layers, column = side.reading.layers, side.reading.column
        if layers is not None and column not in layers:
            others = f", only {_listed(layers)}" if layers else ""
            remedy = "annotate it in one document at least, if only as empty, or name a layer that both sides have"
            raise InputError(side.corpus.source, None, f"no document has the layer {column}{others}", remedy)
    is_named = of_gold.is_layer_named and of_system.is_layer_named
    if of_gold.layers is None or of_system.layers is None or of_gold.column == of_system.column or is_named:
        return
    finding = f"{of_system.column} would be compared with {of_gold.column} of {gold.corpus.source}"
    shared = [name for name in of_gold.layers if name in of_system.layers]
    sides = f"column={{'gold': {of_gold.column!r}, 'system': {of_system.column!r}}} if that is meant"
    both = f"{_listed(of_system.layers)} here, {_listed(of_gold.layers)} there"
    remedy = (
        f"both sides have {_listed(shared)}: name one with --column (column= in Python)"
        if shared
        else f"there are {both}; give {sides}"
    )
    raise InputError(system.corpus.source, None, finding, remedy)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _check_settings(asked: EvaluationRequest) -> None:
    """Refuse settings that only systems without positions have."""
    for parameter in GROUNDING:
        if asked.settings.parameters.get(parameter.name, parameter.default) != parameter.default:
            finding = f"{parameter.option} does nothing, as no system is a file of extractions"
            raise SettingError(f"{finding}; leave it out, or name the --format.")


PORTION = 1 << 16
"""Number of gold spans in a part, large enough to make the cost of a call negligible."""
_LARGEST = 1 << 22
"""Maximum number of atoms in a part with few spans."""


@dataclass(frozen=True)
class AlignedSpans:
    """The spans of one side in a part, and its tags if the file has one per token."""

    spans: Spans
    tags: Tags | None
    continued: Spans | None = None
    """The tokens of this part in spans that begin in an earlier one."""
    unplaced: Spans | None = None
    """Strings of a language model that are not in the text, at positions outside all sentences."""
    items: Strings | None = None
    """All strings of its answers, placed or not."""
    best: Spans | None = None
    """The same at their best-scoring positions, with unplaced ones: an upper bound."""


class Portion:
    """Batches of the gold standard that are evaluated together; sentences are numbered from the first one."""

    def __init__(self, vocabulary: Vocabulary, layer: str) -> None:
        self.sentences = self.size = 0
        """The numbers of sentences and atoms."""
        self._vocabulary, self._layer = vocabulary, layer
        self.batches: list[Annotation] = []
        self.numbers: list[Offsets] = []
        """The offsets of each batch."""
        self._texts: dict[int, Corpus] = {}
        """Batches with tokens only: their characters in the text of the first system that has a text."""

    def add(self, batch: Annotation, numbers: Offsets) -> None:
        """Add a batch."""
        self.batches.append(batch)
        self.numbers.append(numbers)
        self.sentences += batch.corpus.sentences
        self.size += batch.corpus.token_count or 0

    def gold(self, *, keeps_tags: bool = True) -> AlignedSpans:
        """The gold standard, with tags if required."""
        return self.side(self._layer, keeps_tags=keeps_tags)

    def side(self, layer: str, *, keeps_tags: bool = False) -> AlignedSpans:
        """What a layer of the gold standard has."""
        batches = self.batches
        tags = [batch.tags(layer) if keeps_tags else None for batch in batches]
        return self._side([batch.spans(layer) for batch in batches], tags)

    def take(self, feed: Feed | GroundedFeed) -> AlignedSpans:
        """The same sentences of a system."""
        if not isinstance(feed, Feed):
            return self._grounded(feed)
        spans, tags = [], []
        for number, corpus in enumerate(self._corpora):
            spans.append(feed.take(corpus))
            tags.append(feed.tags)
            if feed.text is not None:
                self._texts.setdefault(number, feed.text)
        side, lengths = self._side(spans, tags), self.lengths
        return side if lengths is None else _carried(side, feed, lengths)

    def use_texts(self) -> None:
        """Show units in the text of a system if the gold standard has none; call after taking all systems."""
        for number, corpus in self._texts.items():
            self.batches[number] = replace(self.batches[number], corpus=corpus)

    def _grounded(self, feed: GroundedFeed) -> AlignedSpans:
        """The same of a system whose strings get their locations here."""
        taken, first = [feed.take(batch.corpus, batch.spans(self._layer)) for batch in self.batches], self._firsts
        best = Spans.concatenate([batch.best for batch in taken], first)
        missed = self.nowhere.spans(Strings.concatenate([batch.best_unplaced for batch in taken], first))
        return AlignedSpans(
            Spans.concatenate([batch.spans for batch in taken], first),
            None,
            unplaced=self.nowhere.spans(Strings.concatenate([batch.unplaced for batch in taken], first)),
            items=Strings.concatenate([batch.items for batch in taken], first),
            best=Spans.concatenate([best, missed], [0, 0]),
        )

    @cached_property
    def nowhere(self) -> UnplacedStrings:
        """The positions of what the text does not have."""
        assert self.lengths is not None
        return UnplacedStrings(self.lengths)

    @property
    def _firsts(self) -> list[int]:
        """The first sentence of each batch."""
        first: list[int] = np.cumsum([0, *(corpus.sentences for corpus in self._corpora)])[:-1].tolist()
        return first

    def _side(self, spans: Sequence[Spans], tags: Sequence[Tags | None]) -> AlignedSpans:
        joined = Spans.concatenate([span.into(self._vocabulary) for span in spans], self._firsts)
        known = complete(tags)
        return AlignedSpans(joined, None if known is None else Tags.concatenate(known))

    @property
    def _corpora(self) -> list[Corpus]:
        return [batch.corpus for batch in self.batches]

    def text_of(self, *, by_document: bool) -> Ints:
        """For each sentence the first one of its text, which is its document or itself."""
        if not by_document:
            return np.arange(self.sentences)
        firsts = [corpus.documents + first for corpus, first in zip(self._corpora, self._firsts, strict=True)]
        begins = np.concatenate(firsts)
        first: Ints = begins[np.searchsorted(begins, np.arange(self.sentences), side="right") - 1]
        return first

    def strings(self, spans: Spans) -> Strings:
        """The words of spans, without those that they leave out."""
        words = [self.locations.words(scope, start, end) or "" for _, scope, start, end in spans.rows()]
        gapped = np.flatnonzero(spans.shape).tolist()
        if gapped:
            from evenhand.tasks.spans.values import words_without_gaps  # rare
        for row in gapped:
            words[row] = words_without_gaps(spans, row, self.locations)
        return Strings(spans.vocabulary, spans.scope, spans.label, tuple(words))

    def values(self, gold: Spans, seen: GoldValues) -> PartValues:
        """The values of gold spans, which may have been seen before; without words there are documents only."""
        documents = np.concatenate([number.documents for number in self.numbers])
        from evenhand.tasks.spans.values import words_in_lower_case  # rare

        words = words_in_lower_case(self.batches, gold, self.locations)
        return seen.take(documents[gold.scope], gold.label, words, int(documents[-1]) if len(documents) else -1)

    def __len__(self) -> int:
        return sum(len(batch.spans(self._layer)) for batch in self.batches)

    @property
    def groups(self) -> Ints:
        """The group of each sentence."""
        return np.concatenate([number.groups for number in self.numbers])

    @cached_property
    def locations(self) -> Locations:
        """Where its sentences are."""
        documents = np.concatenate([number.documents for number in self.numbers])
        first = int(documents[0]) if len(documents) else 0
        nowhere = self.__dict__.get("nowhere")
        return Locations(self.batches, self.numbers[0].sentences, documents, first, nowhere)

    @property
    def lengths(self) -> Ints | None:
        """The number of tokens of each sentence, if known."""
        return join_columns([corpus.lengths for corpus in self._corpora])

    @property
    def weights(self) -> Values | None:
        """The weights of tokens, if a column has them."""
        return join_columns([corpus.weights for corpus in self._corpora])

    def _nowhere_texts(self, start: Ints) -> Tokens:
        """The strings of unplaced units; empty for others."""
        return Tokens.of([self.locations.unplaced_text(position) or "" for position in start.tolist()])

    def rows(self, units: Units, more: Mapping[str, Ints] | None = None) -> Iterator[tuple[VerdictRows, int]]:
        """The units of one system for a unit table, by batch and in text order."""
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        first = 0
        for batch, numbers in zip(self.batches, self.numbers, strict=True):
            corpus, document = batch.corpus, numbers.first_document
            bounds = np.searchsorted(units.sentence[order], (first, first + corpus.sentences))
            rows = order[slice(*bounds)]
            sentence = units.sentence[rows] - first
            nowhere = self.locations.is_unplaced(units.start[rows])
            table = VerdictRows(
                corpus,
                sentence,
                np.where(nowhere, -1, units.start[rows]),
                np.where(nowhere, -1, units.end[rows]),
                corpus.document_of(sentence) + document,
                dict(enumerate(corpus.document_names, document)),
                units.gold[0, rows],
                units.predicted[0, rows],
                units.kind[0, rows],
                {
                    name: column[rows] - (first if name in OTHER_SENTENCES else 0)
                    for name, column in (more or {}).items()
                },
                self._nowhere_texts(units.start[rows]) if nowhere.any() else None,
                units.gaps(rows),
            )
            yield table, numbers.sentences
            first += corpus.sentences


class Portions:
    """One pass over the gold standard in parts; every system has its own feed."""

    def __init__(
        self, asked: EvaluationRequest, streams: Sequence[Iterator[Annotation]], layers: tuple[str, str]
    ) -> None:
        """`streams` are the gold standard and all systems, and `layers` hold the spans of each."""
        self._asked, self._layer = asked, layers[0]
        gold, *systems = same_atoms(streams, asked.settings.align)
        feeds = Feeds(asked, gold, dict(zip(asked.sides.systems, systems, strict=True)), layers)
        self._gold, self.feeds, self.texts_are_documents = feeds.gold, feeds.systems, feeds.texts_are_documents

    def take(self, number: Numbering, check: Callable[[Corpus], None] = lambda corpus: None) -> Iterator[Portion]:
        """All portions; `check` may refuse a batch, and systems must end where the gold standard does."""
        portion, corpus = self._portion(), None
        for batch in self._gold:
            corpus = batch.corpus
            check(corpus)
            portion.add(batch, number(batch))
            if len(portion) >= PORTION or portion.size >= _LARGEST:
                yield portion
                portion = self._portion()
        assert corpus is not None  # a reader yields one batch at least, or raises
        if portion.sentences:
            yield portion
        for name, feed in self.feeds.items():
            feed.finish(corpus)
            side = self._asked.system_counts[name]
            side.reading, side.breaks_differ, side.mismatches = feed.reading, feed.breaks_differ, feed.mismatches
            side.grounding = None if isinstance(feed, Feed) else feed.grounding

    def _portion(self) -> Portion:
        return Portion(self._asked.vocabulary, self._layer)


def _carried(side: AlignedSpans, feed: Feed, lengths: Ints) -> AlignedSpans:
    """The side with what reaches into it from before; what reaches beyond it is left to the next portion."""
    spans, before = side.spans, feed.reaching
    first, size = np.cumsum(lengths) - lengths, int(lengths.sum())
    if before is None and not (first[spans.scope] + spans.end > size).any():
        return side
    whole = spans.in_text(first)
    if before is not None:
        whole = Spans.concatenate([whole, before], [0, 0])
        inside = before.take(np.flatnonzero(before.start < size))
        scope = np.searchsorted(first, inside.start, side="right") - 1
        side = replace(side, continued=inside.in_scopes(scope, first))
    feed.reaching = overhang(whole, size) if (whole.end > size).any() else None
    return side


def overhang(spans: Spans, size: int) -> Spans:
    """The tokens of spans after the first `size` tokens, relative to that end.

    A system may have other sentence boundaries, so one of its spans may continue in the next part of the gold standard.
    The span belongs where it begins; measures that count tokens count its other tokens in the next part.
    """
    rest = spans.take(np.flatnonzero(spans.end > size))
    start, end = np.maximum(rest.start - size, 0), rest.end - size
    shape = rest.shape.copy()
    shapes = rest.vocabulary.shapes
    for row in np.flatnonzero(shape).tolist():
        first = int(rest.start[row]) - size
        gaps = {first + gap for gap in shapes[int(shape[row])]}
        covered = [token for token in range(int(start[row]), int(end[row])) if token not in gaps]
        start[row] = covered[0]
        shape[row] = shapes.code(tuple(gap - covered[0] for gap in sorted(gaps) if gap > covered[0]))
    return replace(rest, scope=np.zeros_like(start), start=start, end=end, shape=shape)


@dataclass(frozen=True)
class Reference:
    """Gold spans with selected labels, and additional input of scorers."""

    side: AlignedSpans
    values: SensitiveValues | None
    """The values of its spans, for the measure `leak`."""
    targets: Spans | None = None
    """The spans that the gold standard should have, if its errors are an error type."""

    @property
    def spans(self) -> Spans:
        return self.side.spans

    @staticmethod
    def of(
        portion: Portion, side: AlignedSpans, values: SensitiveValues | None, targets: Spans | None = None
    ) -> Reference:
        """That of the next portion, whose values are entered."""
        if values is not None:
            values.enter(portion.values(side.spans, values.gold))
        return Reference(side, values, targets)


Parts = dict[str, list[Tally]]
"""The tallies of portions by judge."""


class SpanEvaluator:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: EvaluationRequest) -> None:
        settings = asked.settings
        self._takes_tags = any("token_tags" in judge.needs for judge in asked.scorers)
        self._relabel_gold = LabelFilter(settings, "gold", "gold")
        self._overriding: Overriding | None = None
        if settings["overrides"] is not None:
            from evenhand.tasks.spans.overrides import Overriding, overridden  # slow to load, and rare

            asked = overridden(asked, keeps_tags=self._takes_tags)
            self._overriding = Overriding(asked, self._relabel_gold, keeps_tags=self._takes_tags)
        self._asked = asked
        first, gold = peek(asked.sides.gold())
        encoding = None if first is None else first.readings[asked.sides.layers[0]].encoding
        streams = [open_side(reference=encoding) for open_side in asked.sides.systems.values()]
        self._portions = Portions(asked, [gold, *streams], asked.sides.layers)
        self._drops_unplaced = settings["unplaced"] == "drop"
        self._takes_strings = any("strings" in judge.needs for judge in asked.scorers)
        self._values: SensitiveValues | None = None
        if asked.asks(LEAK):
            from evenhand.tasks.spans.values import Values as SensitiveValues  # rare

            self._values = SensitiveValues(asked.sides.systems)
        self._takes_texts = any("document_text" in judge.needs for judge in asked.scorers)
        self._relabel = {name: LabelFilter(settings, "system", name) for name in asked.sides.systems}
        self._text: list[Tally] = []
        self._levels = dict.fromkeys(asked.sides.systems, 1)
        self._supertags: dict[str, dict[str, Parts]] = {
            name: {tag.name: {} for tag in settings["supertag"]} for name in asked.sides.systems
        }

    def evaluations(self, number: Numbering) -> Iterator[SpanEvaluation]:
        yield from map(self._judge, self._portions.take(number, self._check))

    def finish(self) -> Outcome:
        shared = {"text": Tally.merge(self._text)} if self._text else {}
        supertags = {
            name: {
                tag: {judge: Tally.merge(tallies) for judge, tallies in parts.items()} for tag, parts in tags.items()
            }
            for name, tags in self._supertags.items()
        }
        before = None if self._overriding is None else self._overriding.finish()
        return Outcome(shared=shared, supertags=supertags, levels=self._levels, before=before)

    def _check(self, corpus: Corpus) -> None:
        """Reject texts that the requested measures cannot be computed on."""
        weighs = self._asked.settings["token_weight"] is not None
        if weighs and corpus.weights is None:
            raise SettingError(f"{corpus.source} has no columns, and so no weights of tokens.")
        if self._takes_tags and (corpus.atoms == "characters" or corpus.bounds is None):
            raise SettingError(
                f"The accuracy of tags counts tokens, which {corpus.source} and its systems do not share."
            )
        if self._takes_texts and (corpus.tokens is None or corpus.bounds is None):
            raise SettingError(f"{corpus.source} has no text, in which meddocan and i2b2 look; give tokens or a text.")
        if weighs and corpus.atoms == "characters":
            raise SettingError("Weights are those of tokens; they cannot be used where characters are compared.")

    def _judge(self, portion: Portion) -> SpanEvaluation:
        """Evaluate a part, one system after the other."""
        asked, overriding = self._asked, self._overriding
        side = portion.gold(keeps_tags=self._takes_tags)
        targets = None if overriding is None else overriding.targets(portion)
        gold = Reference.of(portion, replace(side, spans=self._relabel_gold(side.spans)), self._values, targets)
        as_read = None if overriding is None else overriding.as_read(portion)
        texts = None
        if self._takes_texts:
            from evenhand.tasks.spans.deidentification import DocumentTexts  # rare

            texts = DocumentTexts(portion.batches)
        context = Context(portion.groups, portion.lengths, portion.weights, asked.settings, texts)
        if asked.asks("units"):
            self._text.append(tally_units(all_units(context.text), (), context.groups))
        evaluation = SpanEvaluation(portion, gold.spans)
        for name, feed in self._portions.feeds.items():
            system = self._taken(name, feed, portion)
            try:
                if overriding is not None and as_read is not None:
                    overriding.score_uncorrected(name, self._question(name, portion, as_read, system, context))
                    system = overriding.left_out(name, portion, system, gold.spans)
                self._count(name, self._question(name, portion, gold, system, context), evaluation)
            except LimitError as error:  # judges do not know in which file spans are
                source = portion.batches[0].corpus.source
                raise InputError(source, None, error.finding, error.remedy) from None
            self._bound(feed, gold.spans, system.best)
        asked.gold_count.add(gold.spans.label, asked.vocabulary.labels.values)
        portion.use_texts()
        return evaluation

    def _count(self, name: str, pair: SpanPair, evaluation: SpanEvaluation) -> None:
        asked = self._asked
        asked.system_counts[name].add(pair.original[1].label, asked.vocabulary.labels.values)
        evaluation.tallies[name] = {judge.name: judge.count(pair) for judge in asked.scorers if judge.count is not None}
        for tag in asked.settings["supertag"]:
            self._judge_supertag(tag, name, pair)
        if asked.keep_units:
            evaluation.pairs[name] = pair
        self._levels[name] = max(self._levels[name], pair.levels)

    def _taken(self, name: str, feed: Feed | GroundedFeed, portion: Portion) -> AlignedSpans:
        """The spans of a system in a part, with selected labels, and with tags if they can be compared."""
        feed.keeps_tags = self._takes_tags
        side, relabel = portion.take(feed), self._relabel[name]
        encoding = self._asked.gold_count.reading.encoding if self._asked.gold_count.reading else None
        same = feed.reading is not None and feed.reading.encoding == encoding
        return replace(
            side,
            spans=relabel(side.spans),
            tags=side.tags if same else None,
            continued=None if side.continued is None else relabel(side.continued),
            unplaced=None if side.unplaced is None or self._drops_unplaced else relabel(side.unplaced),
            best=None if side.best is None else relabel(side.best),
        )

    def _question(
        self, name: str, portion: Portion, gold: Reference, system: AlignedSpans, context: Context
    ) -> SpanPair:
        unplaced = system.unplaced
        return SpanPair(
            *(gold.spans, _joined(system.spans, unplaced), context, system.continued, (gold.side.tags, system.tags)),
            unplaced=0 if unplaced is None else len(unplaced),
            strings=self._strings(name, portion, gold.spans, system) if self._takes_strings else None,
            values=None if gold.values is None else gold.values.systems[name],
            keep_units=self._asked.keep_units,
            targets=gold.targets,
        )

    def _bound(self, feed: Feed | GroundedFeed, gold: Spans, best: Spans | None) -> None:
        """Update the upper bound of a language model."""
        if not isinstance(feed, Feed) and feed.has_choice and best is not None:
            feed.grounding.bound.update(TP=len(equal_spans(gold, best)[0]), found=len(best), wanted=len(gold))

    def _strings(self, name: str, portion: Portion, gold: Spans, system: AlignedSpans) -> StringSides:
        """The strings of both sides: the answers of a language model, otherwise the words of spans."""

        def coded(codes: StringIndex[str], form: Form) -> Spans:
            if system.items is None:
                return portion.strings(system.spans).formed(form).spans(codes)
            return self._relabel[name](system.items.formed(form).spans(codes))

        by_document = self._portions.texts_are_documents
        return StringSides(portion.strings(gold), coded, portion.text_of(by_document=by_document))

    def _judge_supertag(self, tag: LabelGroup, name: str, pair: SpanPair) -> None:
        """Count a group of labels as one label, without the others."""
        gold, system = pair.original
        labels = gold.vocabulary.labels
        code = labels.code(tag.name)
        new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
        rest = None if pair.continued is None else pair.continued.relabel(new)
        targets = None if pair.targets is None else pair.targets.relabel(new)
        as_one = SpanPair(gold.relabel(new), system.relabel(new), pair.context, rest, targets=targets)
        for judge in self._asked.scorers:
            if judge.count is not None and "token_tags" not in judge.needs and not judge.by_document:
                self._supertags[name][tag.name].setdefault(judge.name, []).append(judge.count(as_one))


def _joined(spans: Spans, unplaced: Spans | None) -> Spans:
    """The spans, followed by the unplaced ones."""
    return spans if unplaced is None or not len(unplaced) else Spans.concatenate([spans, unplaced], [0, 0])


@dataclass
class SpanEvaluation:
    """The evaluation of one part."""

    portion: Portion
    gold: Spans
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    pairs: dict[str, SpanPair] = field(default_factory=dict)
    """Gold and system by system, if units are kept."""

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def locations(self) -> Locations:
        return self.portion.locations

    def answers(self, by: str) -> Predictions:
        if by == LEAK:
            from evenhand.tasks.spans.leakage import states  # rare

            return cover_predictions(self.gold, [states(pair) for pair in self.pairs.values()])
        return without_gold_errors(self._all_answers(by))

    def units(self, by: str) -> Units:
        return span_units(self._all_answers(by))

    def _all_answers(self, by: str) -> Predictions:
        return span_predictions(self.gold, [(pair.original[1], matches(pair, by)) for pair in self.pairs.values()])

    def drawing(self) -> SpanDrawing:
        return SpanDrawing([self.gold, *(pair.placed[1] for pair in self.pairs.values())])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        pair = self.pairs[system]
        units = span_units(span_predictions(self.gold, [(pair.original[1], matches(pair, judge))]))
        return self.portion.rows(units, matched_columns(units))


def check_kinds(gold: SideSummary, systems: Mapping[str, SideSummary]) -> None:
    """Raise an error if labels without prefixes were taken for spans by their looks, and may be something else.

    So they may if they do not look like labels, or if the other side's spans have another form: then they may be in the
    wrong column.
    """
    for name, system in systems.items():
        sides = {"gold": gold, "system": system}
        readings = {which: side.reading or ReadInfo() for which, side in sides.items()}
        for reading in readings.values():
            if reading.doubt is not None:
                what, advice = reading.doubt
                finding = f"found {what}, where tags such as B-PER and O were expected"
                raise InputError(name, None, finding, "; ".join(filter(None, (advice, SETTLE))))
        plain = [which for which, reading in readings.items() if reading.encoding == "plain"]
        if len(plain) != 1 or readings[plain[0]].is_named or not all(side.units for side in sides.values()):
            continue
        (which,) = plain
        other = "system" if which == "gold" else "gold"
        finding = f"the {which} file ({readings[which]}) and the {other} file ({readings[other]}) differ in kind"
        remedy = f"choose the column of tags with --column {which}:N, or say --encoding {which}:plain"
        raise InputError(name, None, finding, remedy)
