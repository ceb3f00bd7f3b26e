"""The feeds of all systems: what hands out a system's spans for each batch of the gold standard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from evenhand.problems import InputError, SettingError
from evenhand.tasks.passage import Open, Question
from evenhand.tasks.spans.answer_feed import AnswersById, AnswersByOrder
from evenhand.tasks.spans.gold_survey import GoldSurvey
from evenhand.tasks.spans.grounding_parameters import GROUNDING
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.characters import peeked
from evenhand.text.corpus import Corpus
from evenhand.text.extractions import OFFSET_LISTS, OffsetLists
from evenhand.text.id_feed import IdFeed

if TYPE_CHECKING:
    from evenhand.tasks.spans.grounded_feed import GroundedFeed

Stream = Iterator[Annotation]


class Feeds:
    """Feeds for the streams of systems, and the gold standard's stream as they need it."""

    def __init__(self, asked: Question, gold: Stream, systems: Mapping[str, Stream], layers: tuple[str, str]) -> None:
        self._asked, self._layers = asked, layers
        self._first, self.gold = peeked(gold)
        _check_gold(self._first)
        self.systems = {name: self._feed(name, stream) for name, stream in systems.items()}
        grounded = [feed for feed in self.systems.values() if not isinstance(feed, Feed)]
        if not grounded:
            _check_settings(asked)
        asks_strings = any(judge.takes_strings for judge in asked.judges)
        self.texts_are_documents = asks_strings and self._survey.by_document
        """Whether strings are compared by document, not by sentence."""
        takes_texts = any(judge.takes_texts for judge in asked.judges)
        if takes_texts or self.texts_are_documents or any(feed.by_document for feed in grounded):
            self.gold = whole_documents(self.gold)

    def _feed(self, name: str, stream: Stream) -> Feed | GroundedFeed:
        """A system's batches; where both sides have ids, in the order of the gold standard's."""
        sides, by_position = self._asked.sides, self._asked.settings.align == "position"
        first, stream = peeked(stream)
        if first is not None and first.extractions is not None:
            return self._grounded(name, first, stream)
        if self._first is not None and first is not None:
            _check_layers(self._first, first)
            if _has_offsets_only(first) != _has_offsets_only(self._first):
                first, stream = peeked(self._placed(first, stream))
        gold = None if self._first is None else self._first.corpus
        if gold is None or first is None or not _are_by_id(gold, first.corpus):
            return Feed(stream, self._layers[1], by_position=by_position)
        by_id = IdFeed(stream, (sides.systems[name], sides.gold), self._layers[1])
        return Feed(iter(()), self._layers[1], by_position=by_position, by_id=by_id)

    def _grounded(self, name: str, first: Annotation, stream: Stream) -> GroundedFeed:
        """A system whose strings are placed in the text, which the gold standard must have."""
        from evenhand.tasks.spans.grounded_feed import GroundedFeed  # with much else that no tagger needs

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
        from evenhand.tasks.spans.placed_offsets import on_gold_texts  # rare

        assert self._first is not None
        gold = self._first.corpus
        if not _has_offsets_only(first) or gold.tokens is None:
            finding = "has offsets without texts, and the other side does not"
            raise InputError(
                gold.source if gold.tokens is None else first.corpus.source, None, finding, "give its texts, too"
            )
        return on_gold_texts(Annotation.concatenate(list(stream)), self._asked.sides.gold(), self._asked.vocabulary)

    @cached_property
    def _survey(self) -> GoldSurvey:
        return GoldSurvey.of(self._asked.sides.gold(), self._layers[0])


def _contents(open_side: Open) -> Iterator[object]:
    """All that a model wrote, in its order; nothing is opened before somebody asks."""
    for batch in open_side():
        assert batch.extractions is not None
        yield from batch.extractions.contents()


def whole_documents(batches: Stream) -> Stream:
    """Batches that end with a document, so that no document is in two of them."""
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
    found = f"{_listed(of_system.layers)} here, {_listed(of_gold.layers)} there"
    remedy = (
        f"both sides have {_listed(shared)}: name one with --column (column= in Python)"
        if shared
        else f"there are {found}; give {sides}"
    )
    raise InputError(system.corpus.source, None, finding, remedy)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _check_settings(asked: Question) -> None:
    """Refuse settings that only systems without positions have."""
    for parameter in GROUNDING:
        if asked.settings.parameters.get(parameter.name, parameter.default) != parameter.default:
            finding = f"{parameter.option} does nothing, as no system is a file of extractions"
            raise SettingError(f"{finding}; leave it out, or name the --format.")
