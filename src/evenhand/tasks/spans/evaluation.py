"""Evaluate span systems: align them with the gold standard, and count the spans of a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import tee
from typing import TYPE_CHECKING

import numpy as np

from evenhand.alignment.documents import SentencesById
from evenhand.alignment.parts import Alignment, Batches, first_sentences
from evenhand.alignment.spans import SpanFollower
from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, check_same_layer
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.structures import OffsetLists
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.formats.format import FORMATS
from evenhand.grounding.grounder import GroundingCounts
from evenhand.scoring.measure import Formula, Measure
from evenhand.settings import MISSING, OFFSET_LISTS, LabelGroup, ReadSettings, ScoreSettings
from evenhand.tasks.evaluation import Evaluation, EvaluationRequest, LabelFilter, Open, Part, ScoreFilter, SideSummary
from evenhand.tasks.spans.comparison import cover_predictions, drawn_spans, span_predictions, without_gold_errors
from evenhand.tasks.spans.fair import matches
from evenhand.tasks.spans.matching import Context, SpanMatches, SpanPair, equal_spans
from evenhand.tasks.spans.measures import LEAK
from evenhand.tasks.spans.strings import Form, LabeledStrings, StringSides, UnplacedStrings
from evenhand.tasks.spans.task import GROUNDING
from evenhand.tasks.spans.token_separator import all_units, tally_units
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import Locations, Predictions, SentenceView

if TYPE_CHECKING:
    from evenhand.tasks.spans.grounding import GoldScan, GroundedFollower
    from evenhand.tasks.spans.values import PartValues

Stream = Iterator[Annotation]
PART_SPANS = 1 << 12
"""Number of gold spans in a part, large enough to make the cost of a call negligible."""
PART_ATOMS = 1 << 19
"""Number of atoms in a part with few spans."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems, to be read in step."""
    sides, open_gold = request.sides, request.sides.gold
    if request.settings["overrides"] is not None:
        from evenhand.tasks.spans.overrides import overridden  # slow to load, and rare

        open_gold = overridden(request)
    first, gold = peek(open_gold())
    encoding = None if first is None else first.readings[sides.layers[0]].encoding
    systems = {name: open_side(reference=encoding) for name, open_side in sides.systems.items()}
    return align_streams(replace(request, sides=replace(sides, gold=open_gold)), gold, systems)


def align_streams(request: EvaluationRequest, gold: Stream, systems: Mapping[str, Stream]) -> Alignment:
    """Read these streams of annotations in step; `request` opens them again if their order differs."""
    first, gold = peek(gold)
    _check_gold(first)
    placed = [_on_gold(request, first, stream) for stream in systems.values()]
    if request.settings.align == "overlap":
        placed = [_on_gold_tokens(request, stream) for stream in placed]
    gold, *streams = same_atoms([gold, *placed], request.settings.align)
    first, gold = peek(gold)
    layer = request.sides.layers[0]
    opened = _Followers(request, first, gold)
    followers = {name: opened.follower(name, stream) for name, stream in zip(systems, streams, strict=True)}
    grounded = [follower for follower in followers.values() if not isinstance(follower, SpanFollower)]
    if not grounded:
        _check_settings(request)
    texts_are_documents = request.needs("strings") and opened.scan.by_document
    by_document = texts_are_documents or any(follower.by_document for follower in grounded)

    def is_full(batches: Batches) -> bool:
        if sum(len(batch.spans(layer)) for batch in batches) >= PART_SPANS:
            return True
        return sum(batch.corpus.token_count or 0 for batch in batches) >= PART_ATOMS

    return Alignment(
        (_checked(batch, request) for batch in opened.gold),
        followers,
        is_full,
        whole_documents=by_document or request.needs("document_text") or request.asks(LEAK),
        texts_are_documents=texts_are_documents,
    )


def labeled_spans(
    annotation: Annotation, layer: str, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> tuple[Spans]:
    """The spans of an annotation, from one of its layers."""
    return (annotation.spans(layer).into(vocabulary),)


class _Followers:
    """Makes a follower for each system, depending on what its first batch contains."""

    def __init__(self, request: EvaluationRequest, first: Annotation | None, gold: Stream) -> None:
        self.gold, self._request, self._first = gold, request, first

    def follower(self, name: str, stream: Stream) -> SpanFollower | GroundedFollower:
        request, layer = self._request, self._request.sides.layers[1]
        first, stream = peek(stream)
        if first is not None and first.extractions is not None:
            return self._grounded(name, first, stream)
        if self._first is not None and first is not None:
            check_same_layer(self._first, first)
        by_id = None
        if self._first is not None and first is not None and _are_by_id(self._first.corpus, first.corpus):
            # A system is reordered by batches of the gold standard, which both therefore read.
            sides = (request.sides.systems[name], request.sides.gold)
            by_id = SentencesById(stream, sides, layer, all_known=not self._first.corpus.omits_empty)
            self.gold, copy = tee(self.gold)
            stream = (by_id.take(batch.corpus) for batch in copy)
        by_position, keeps_tags = request.settings.align == "position", request.needs("token_tags")
        return SpanFollower(stream, layer, by_position=by_position, keeps_tags=keeps_tags, by_id=by_id)

    def _grounded(self, name: str, first: Annotation, stream: Stream) -> GroundedFollower:
        """A system whose strings are placed in the text, which the gold standard must have."""
        from evenhand.tasks.spans.grounding import AnswersById, AnswersByOrder, GroundedFollower  # slow to load

        request, sides = self._request, self._request.sides
        gold = None if self._first is None else self._first.corpus
        if gold is None or gold.tokens is None:
            finding = "has no text in which to find the strings of a language model"
            raise InputError(
                "the gold standard" if gold is None else gold.source, None, finding, "use a file with tokens or a text"
            )
        answers: AnswersByOrder | AnswersById
        count, has_ids = 0, first.corpus.ids is not None
        if self.scan.naming is None or not has_ids:
            count = sum(batch.corpus.sentences for batch in sides.systems[name]())
            answers = AnswersByOrder(stream, count, self.scan, first.corpus.source)
        else:
            answers = AnswersById(stream, (sides.systems[name], sides.gold), self.scan.naming)
        written, labels = _contents(sides.systems[name]), self.scan.labels
        follower = GroundedFollower(
            answers, first, written, labels, request.settings, request.vocabulary, sides.layers[0]
        )
        follower.grounding.counts["unused_ids"] += count if has_ids else 0
        return follower

    @cached_property
    def scan(self) -> GoldScan:
        from evenhand.tasks.spans.grounding import GoldScan  # rare, and slow to load

        return GoldScan.of(self._request.sides.gold(), self._request.sides.layers[0])


def _on_gold(request: EvaluationRequest, gold: Annotation | None, stream: Stream) -> Stream:
    """A system; if its file has offsets and no texts, on the texts or tokens of the gold standard."""
    first, stream = peek(stream)
    if gold is None or first is None or _has_offsets_only(first) == _has_offsets_only(gold):
        return stream
    if first.extractions is not None:
        return stream
    if not _has_offsets_only(first) or gold.corpus.bounds is None:
        finding = "has offsets without texts, unlike the other side"
        source = first.corpus.source if _has_offsets_only(first) else gold.corpus.source
        raise InputError(source, None, finding, "add its texts")
    from evenhand.tasks.spans.grounding import on_gold_texts  # rare

    return on_gold_texts(Annotation.concatenate(list(stream)), request.sides.gold(), request.vocabulary)


def _on_gold_tokens(request: EvaluationRequest, stream: Stream) -> Stream:
    """A system, read as a whole, with the tokens of the gold standard, which is read again."""
    from evenhand.alignment.words import in_gold_tokens  # rare

    _, layer = request.sides.layers
    system, gold = Annotation.concatenate(list(stream)), Annotation.concatenate(list(request.sides.gold()))
    reading = system.readings[layer]
    fits = FORMATS[reading.format].contents.fits if reading.format in FORMATS else {}
    yield in_gold_tokens(system, gold, layer, fits.get(reading.column or "", "equal"))


def _contents(open_side: Open) -> Iterator[object]:
    """All answers of a model in order, opened lazily."""
    for batch in open_side():
        assert batch.extractions is not None
        yield from batch.extractions.contents()


def _are_by_id(gold: Corpus, system: Corpus) -> bool:
    """Whether both sides have ids; if only one has, words must tell what belongs together."""
    if (gold.ids is None) != (system.ids is None) and (gold.tokens is None or system.tokens is None):
        finding = "one side has ids, the other has none, and no words show which documents match"
        raise InputError(system.source, None, finding, "use ids on both sides")
    return gold.ids is not None and system.ids is not None


def _has_offsets_only(annotation: Annotation) -> bool:
    """Whether spans have offsets into texts that their file does not have."""
    return isinstance(annotation.layers.get(OFFSET_LISTS), OffsetLists)


def _check_gold(first: Annotation | None) -> None:
    if first is not None and first.extractions is not None:
        finding = "contains answers of a language model, which have no text and no positions"
        raise InputError(first.corpus.source, None, finding, "pass them as a system, with a gold standard")


def _check_settings(request: EvaluationRequest) -> None:
    """Refuse settings that only systems without positions have."""
    for parameter in GROUNDING:
        if request.settings.parameters.get(parameter.name, parameter.default) != parameter.default:
            finding = f"{parameter.option} has no effect because no system is a file of extractions"
            raise SettingError(f"{finding}; remove it, or specify the --format.")


def _checked(batch: Annotation, request: EvaluationRequest) -> Annotation:
    """Reject texts that the requested measures cannot be computed on."""
    corpus, weighs = batch.corpus, request.settings.parameters.get("token_weight") is not None
    if weighs and corpus.weights is None:
        raise SettingError(f"{corpus.source} has no columns and therefore no token weights.")
    if request.needs("token_tags") and (corpus.atoms == "characters" or corpus.bounds is None):
        raise SettingError(f"The accuracy of tags counts tokens, which {corpus.source} and its systems do not share.")
    if request.needs("document_text") and (corpus.tokens is None or corpus.bounds is None):
        raise SettingError(
            f"{corpus.source} has no text, which meddocan and i2b2 need; use a file with tokens or a text."
        )
    if weighs and corpus.atoms == "characters":
        raise SettingError("Token weights cannot be used if characters are compared.")
    return batch


@dataclass(frozen=True)
class GoldReference:
    """The gold spans that systems are compared with, and additional input of scorers."""

    spans: Spans
    tags: Tags | None = None
    values: PartValues | None = None
    """The values of its spans, for the measure `leak`."""
    targets: Spans | None = None
    """The spans that the gold standard should have, if its errors are an error type."""
    scored: int = 0
    """Number of spans with a confidence, which is ignored."""


def reference(part: Part, request: EvaluationRequest, layer: str, targets: Spans | None = None) -> GoldReference:
    """The spans of a layer of the gold standard, with selected labels."""
    spans = LabelFilter(request.settings, "gold", "gold")(part.spans(layer, request.vocabulary))
    scored = 0 if spans.score is None else int(np.count_nonzero(~np.isnan(spans.score)))
    spans = spans if spans.score is None else replace(spans, score=None)
    values = None
    if request.asks(LEAK):
        from evenhand.tasks.spans.values import part_values  # rare

        values = part_values(part, spans)
    return GoldReference(spans, part.tags(layer) if request.needs("token_tags") else None, values, targets, scored)


def evaluate(part: Part, request: EvaluationRequest) -> SpanEvaluation:
    """Count the spans of a part under all scorers, one system after the other."""
    overriding = None
    if request.settings["overrides"] is not None:
        from evenhand.tasks.spans.overrides import Overriding  # slow to load, and rare

        overriding = Overriding(part, request)
    gold = reference(part, request, request.sides.layers[0], None if overriding is None else overriding.targets)
    pairing = _Pairing(part, request)
    evaluation = SpanEvaluation(part=part, gold=gold.spans, unplaced=pairing.unplaced)
    evaluation.gold_count.add(gold.spans.label, request.vocabulary.labels.values)
    evaluation.gold_count.scored = gold.scored
    if request.asks("units"):
        evaluation.shared["text"] = tally_units(all_units(pairing.context.text), (), part.groups)
    for name in part.systems:
        system = pairing.system(name, evaluation.system_counts[name])
        try:
            if overriding is not None:
                overriding.score_uncorrected(name, pairing.pair(name, overriding.as_read, system))
                system = overriding.left_out(system, gold.spans)
            _count(evaluation, request, name, pairing.pair(name, gold, system))
        except LimitError as error:  # scorers do not know in which file spans are
            raise InputError(part.gold[0].corpus.source, None, error.finding, error.remedy) from None
        if system.best is not None:
            counts = evaluation.system_counts[name].grounding = GroundingCounts()
            equal, _ = equal_spans(gold.spans, system.best)
            counts.bound.update(TP=len(equal), found=len(system.best), wanted=len(gold.spans))
    evaluation.before = None if overriding is None else overriding.before
    texts = next((system.texts for system in part.systems.values() if system.texts is not None), None)
    evaluation.part = part.in_texts(texts)
    return evaluation


def _count(evaluation: SpanEvaluation, request: EvaluationRequest, name: str, pair: SpanPair) -> None:
    evaluation.system_counts[name].add(pair.original[1].label, request.vocabulary.labels.values)
    evaluation.levels[name] = pair.levels
    evaluation.tallies[name] = {scorer.name: scorer.count(pair) for scorer in request.scorers if scorer.count}
    evaluation.supertags[name] = {}
    for tag in request.settings["supertag"]:
        as_one = _as_one_label(tag, pair)
        evaluation.supertags[name][tag.name] = {
            scorer.name: scorer.count(as_one)
            for scorer in request.scorers
            if scorer.count and "token_tags" not in scorer.needs and not scorer.by_document
        }
    if request.keep_units:
        evaluation.pairs[name] = pair


def _as_one_label(tag: LabelGroup, pair: SpanPair) -> SpanPair:
    """The spans of a group of labels with one label, without the others."""
    gold, system = pair.original
    labels = gold.vocabulary.labels
    code = labels.code(tag.name)
    new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
    targets = None if pair.targets is None else pair.targets.relabel(new)
    return SpanPair(gold.relabel(new), system.relabel(new), pair.context, targets=targets)


@dataclass(frozen=True)
class System:
    """The spans of a system in a part, with selected labels."""

    spans: Spans
    tags: Tags | None
    """Its tags, if they have the encoding of the gold standard's."""
    unplaced: Spans | None = None
    """Strings of a language model that are not in the text, at positions outside all sentences."""
    items: LabeledStrings | None = None
    """All strings of its answers, placed or not."""
    best: Spans | None = None
    """The same at their best-scoring positions, with unplaced ones: an upper bound; None if nothing is ambiguous."""


class _Pairing:
    """Pairs the gold standard with each system of a part."""

    def __init__(self, part: Part, request: EvaluationRequest) -> None:
        self._part, self._request = part, request
        texts = None
        if request.needs("document_text"):
            from evenhand.tasks.spans.deidentification import DocumentTexts  # rare

            texts = DocumentTexts(part.gold)
        self.context = Context(part.groups, part.lengths, part.weights, request.settings, texts, part.locations)
        self.unplaced: UnplacedStrings | None = None
        if any(system.answers is not None for system in part.systems.values()):
            assert self.context.lengths is not None  # the text was searched
            self.unplaced = UnplacedStrings(self.context.lengths)

    def system(self, name: str, summary: SideSummary) -> System:
        """The spans of a system, whose confidences are counted in its summary."""
        request, aligned = self._request, self._part.systems[name]
        relabel, spans = LabelFilter(request.settings, "system", name), aligned.spans.into(request.vocabulary)
        by_score = ScoreFilter(request, name)
        if aligned.answers is None:
            spans = self._without_missing(spans, summary)
            encoding = self._part.gold[0].readings[request.sides.layers[0]].encoding
            return System(
                by_score.spans(relabel(spans), summary), aligned.tags if aligned.encoding == encoding else None
            )
        assert self.unplaced is not None
        answers = aligned.answers
        missed, best_missed = (self.unplaced.spans(strings) for strings in (answers.unplaced, answers.best_unplaced))
        best = Spans.concatenate([answers.best, best_missed], [0, 0]) if answers.has_choice else None
        is_dropped = request.settings["unplaced"] == "drop"
        return System(
            by_score.spans(relabel(spans), summary),
            None,
            unplaced=None if is_dropped else by_score.spans(relabel(missed), summary),
            items=answers.items,
            best=None if best is None else by_score.spans(relabel(best), SideSummary()),
        )

    def _without_missing(self, spans: Spans, summary: SideSummary) -> Spans:
        """The spans of a system without those that touch a position that the gold standard leaves unannotated."""
        gold = self._part.gold
        if MISSING not in gold[0].layers or self._part.lengths is None:
            return spans
        first = np.append(0, np.cumsum(self._part.lengths))
        missing = self._part.spans(MISSING, self._request.vocabulary).in_text(first)
        change = np.zeros(first[-1] + 2, dtype=np.int64)
        np.add.at(change, missing.start, 1)
        np.add.at(change, missing.end, -1)
        before = np.append(0, np.cumsum(np.cumsum(change) > 0))
        whole = spans.in_text(first)
        touches = before[np.minimum(whole.end, first[-1])] > before[whole.start]
        summary.noted[MISSING] += int(np.count_nonzero(touches))
        return spans.take(np.flatnonzero(~touches)) if touches.any() else spans

    def pair(self, name: str, gold: GoldReference, system: System) -> SpanPair:
        spans, unplaced = system.spans, system.unplaced
        if unplaced is not None and len(unplaced):
            spans = Spans.concatenate([spans, unplaced], [0, 0])
        return SpanPair(
            *(gold.spans, spans, self.context, (gold.tags, system.tags)),
            unplaced=0 if unplaced is None else len(unplaced),
            strings=self._strings(name, gold.spans, system) if self._request.needs("strings") else None,
            values=gold.values,
            keep_units=self._request.keep_units,
            targets=gold.targets,
        )

    def _strings(self, name: str, gold: Spans, system: System) -> StringSides:
        """The strings of both sides: the answers of a language model, otherwise the words of spans."""

        def coded(codes: StringIndex[str], form: Form) -> Spans:
            if system.items is None:
                return self._words(system.spans).formed(form).spans(codes)
            spans = LabelFilter(self._request.settings, "system", name)(system.items.formed(form).spans(codes))
            return ScoreFilter(self._request, name).spans(spans, SideSummary())

        return StringSides(self._words(gold), coded, self._text_of(), has_positions=system.items is None)

    def _text_of(self) -> Ints:
        """For each sentence the first one of its text, which is its document or itself."""
        part = self._part
        sentences = np.arange(part.sentences)
        if not part.texts_are_documents:
            return sentences
        firsts = zip(part.gold, first_sentences(part.gold), strict=True)
        begins = np.concatenate([batch.corpus.documents + first for batch, first in firsts])
        first: Ints = begins[np.searchsorted(begins, sentences, side="right") - 1]
        return first

    def _words(self, spans: Spans) -> LabeledStrings:
        """The words of spans, without those that they leave out."""
        locations = self._part.locations(self.unplaced)
        words = [locations.words(scope, start, end) or "" for _, scope, start, end in spans.rows()]
        gapped = np.flatnonzero(spans.shape).tolist()
        if gapped:
            from evenhand.tasks.spans.values import words_without_gaps  # rare
        for row in gapped:
            words[row] = words_without_gaps(spans, row, locations)
        return LabeledStrings(spans.vocabulary, spans.scope, spans.label, tuple(words))


@dataclass(kw_only=True)
class SpanEvaluation(Evaluation):
    """The spans of a part and their error types."""

    gold: Spans
    unplaced: UnplacedStrings | None = None
    """The strings of language models that are not in the text."""

    @cached_property
    def locations(self) -> Locations:
        return self.part.locations(self.unplaced)

    def predictions(self, by: str, pairs: Sequence[SpanPair]) -> Predictions:
        if by == LEAK:
            from evenhand.tasks.spans.leakage import states  # rare

            return cover_predictions(self.gold, [states(pair) for pair in pairs])
        return span_predictions(self.gold, [(pair.original[1], _matches(pair, by)) for pair in pairs])

    def answers(self, by: str) -> Predictions:
        return self.units(by) if by == LEAK else without_gold_errors(self.units(by))

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """Strings of a language model that are not in the text have no position."""
        rows = super().unit_rows(system, measure, formula)
        unplaced = np.flatnonzero(self.locations.is_unplaced(rows.start))
        if not len(unplaced):
            return rows
        assert self.unplaced is not None
        strings = {row: self.unplaced.text(int(rows.start[row])) for row in unplaced.tolist()}
        position = rows.position.take(np.arange(len(rows)))
        position.start[unplaced] = position.end[unplaced] = -1
        return replace(rows, position=position, strings={**rows.strings, **strings})

    def annotations(self, vocabulary: Vocabulary) -> tuple[Spans, dict[str, Spans]]:
        return self.gold, {name: pair.placed[1] for name, pair in self.pairs.items()}

    def drawing(self, by: str) -> SentenceView:
        return SentenceView(list(map(drawn_spans, (self.gold, *(pair.placed[1] for pair in self.pairs.values())))))


def _matches(pair: SpanPair, by: str) -> SpanMatches:
    """The error types of spans under a measure."""
    if by not in pair.settings.functions:
        return matches(pair, by)
    from evenhand.tasks.spans.custom import custom_matches  # rare

    return pair.cached(custom_matches, by).matches
