"""The way of links through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.alignment.documents import LinkFeed, names_of
from evenhand.arrays import Ints, empty, ints
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.names import LINKS
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.registry import lazy
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks import evaluation as passage
from evenhand.tasks.evaluation import LabelFilter, Numbering, Offsets, Open, Outcome, SideSummary, VerdictRows
from evenhand.tasks.links import task as kinds
from evenhand.tasks.links.error_types import by_identifier, link_kinds, verdicts
from evenhand.tasks.links.hipe import Walked
from evenhand.tasks.links.identifiers import table
from evenhand.tasks.links.matching import RESPELLED, UNLINKED, Identifiers, Linked, LinkPair, SideLinks
from evenhand.tasks.spans.comparison import SpanDrawing, span_class, span_predictions
from evenhand.tasks.units import Locations, Predictions, Units, units_of

# == tasks/links/shown.py: What systems say of links, in words: `Q5 for Q90`.


@dataclass(frozen=True)
class Shown:
    """What tells units and answers in words: the codes of identifiers, and those of labels that files share."""

    identifiers: Identifiers
    labels: StringIndex[str]

    def words(self, kind: Ints, gold: Ints, system: Ints) -> Ints:
        """The labels that stand for what a system says: its identifier and, where it is wrong, the right one."""
        names = self.identifiers.names
        wrong = np.isin(kind, (kinds.OTHER, kinds.MISSED, kinds.OVER, kinds.LBE))
        words = np.full(kind.shape, -1)
        columns = (column.ravel().tolist() for column in (kind, gold, system, wrong))
        for at, (verdict, right, said, is_wrong) in enumerate(zip(*columns, strict=True)):
            if verdict not in (kinds.FN, kinds.TN) and said >= 0:
                text = f"{names[said]} for {names[right]}" if is_wrong and right >= 0 else names[said]
                words.flat[at] = self.labels.code(text)
        return words


# == tasks/links/judgement.py: What is said of some documents with links: counts, and on de


answers_on_links_judgement = lazy("evenhand.tasks.links.evaluation:answers_on_links")
link_units_judgement = lazy("evenhand.tasks.links.evaluation:link_units")


@dataclass(frozen=True)
class Portion:
    """Batches of the gold standard that are judged together, and where each stands."""

    batches: Sequence[Annotation]
    numbers: Sequence[Offsets]

    @cached_property
    def annotation(self) -> Annotation:
        return Annotation.concatenate(self.batches)


@dataclass
class LinkJudgement:
    """What is said of some documents of the gold standard."""

    portion: Portion
    gold: Linked
    shown: Shown
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, LinkPair] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self._corpus.documents)) + self.portion.numbers[0].first_document

    @cached_property
    def places(self) -> Locations:
        numbers = self.portion.numbers
        documents = np.concatenate([number.documents for number in numbers])
        return Locations(self.portion.batches, numbers[0].sentences, documents, numbers[0].first_document)

    @property
    def _corpus(self) -> Corpus:
        return self.portion.annotation.corpus

    def answers(self, by: str) -> Predictions:
        questions = list(self.questions.values())
        answers: Predictions = answers_on_links_judgement(self.gold, questions, self._corpus, self.shown)
        return answers

    def units(self, by: str) -> Units:
        units: Units = link_units_judgement(self.answers(by))
        return units

    def drawing(self) -> SpanDrawing:
        """Spans with their identifiers as labels."""
        return SpanDrawing(
            [self._drawn(side) for side in (self.gold, *(question.system for question in self.questions.values()))]
        )

    def _drawn(self, side: Linked) -> Spans:
        names, labels = self.shown.identifiers.names, self.shown.labels
        codes = {code: labels.code(names[code]) for code in set(side.answer.tolist())}
        sentence, start = self._corpus.in_sentences(side.spans.scope, side.spans.start)
        end = side.spans.end - side.spans.start + start
        if self._corpus.lengths is not None:  # a system's span may go on in the next sentence
            end = np.minimum(end, self._corpus.lengths[sentence])
        label = np.array([codes[code] for code in side.answer.tolist()], dtype=np.int64)
        return replace(side.spans, scope=sentence, start=start, end=end, label=label)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self._corpus, self.portion.numbers[0].first_document
        answers = answers_on_links_judgement(self.gold, [self.questions[system]], corpus, self.shown)
        units = link_units_judgement(answers)
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        bounds = units.partner[0]
        more: Mapping[str, Ints] = {
            "side": units.surplus.astype(np.int64),
            "matched_start": np.where(bounds < 0, -1, bounds >> 32),
            "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
        }
        rows = VerdictRows(
            corpus=corpus,
            sentence=units.sentence[order],
            start=units.start[order],
            end=units.end[order],
            document=corpus.document_of(units.sentence[order]) + document,
            names=dict(enumerate(corpus.document_names, document)),
            gold=units.gold[0][order],
            system=units.predicted[0][order],
            kind=units.kind[0][order],
            more={name: column[order] for name, column in more.items()},
            gaps=units.gaps(order),
        )
        yield rows, self.portion.numbers[0].sentences


# == tasks/links/other_documents.py: Documents that only systems have, where a gold standard has


def with_other_documents(gold: Iterator[Annotation], systems: Sequence[Open]) -> Iterator[Annotation]:
    """The batches of a gold standard; where it has no texts, with one of documents that it lacks."""
    first, gold = peek(gold)
    if first is None or not _has_no_texts(first):
        yield from gold
        return
    known = dict.fromkeys(_names(first))
    for batch in gold:
        known.update(dict.fromkeys(_names(batch)))
        yield batch
    found = dict.fromkeys(name for system in systems for batch in system() for name in _names(batch))
    others = [name for name in found if name and name not in known]
    if others:
        corpus = replace(
            first.corpus,
            sentences=len(others),
            lines=empty(),
            documents=np.arange(len(others)),
            names=tuple(others),
        )
        yield replace(first, corpus=corpus, layers={LINKS: no_spans(first.spans(LINKS).vocabulary)})


def _has_no_texts(batch: Annotation) -> bool:
    """Whether a batch counts the characters of texts that it does not have, and names their documents."""
    return batch.corpus.atoms == "characters" and batch.corpus.bounds is None and bool(batch.corpus.names)


def _names(batch: Annotation) -> list[str]:
    names = names_of(batch.corpus)
    return names.texts(0, len(names))


# == tasks/links/passage.py (primary)


_PORTION = 1 << 12
"""How many documents and links are judged at a time: enough that the cost of a call does not count."""


class LinkPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.EvaluationRequest) -> None:
        self._asked, settings = asked, asked.settings
        opened = [asked.sides.gold(), *(system() for system in asked.sides.systems.values())]
        gold, *systems = same_atoms(opened, "characters" if settings.align == "characters" else "strict")
        others = list(asked.sides.systems.values())
        self._gold = with_other_documents(gold, others)
        strict = settings.align != "position"

        def again() -> Iterator[Annotation]:
            return with_other_documents(asked.sides.gold(), others)

        self._feeds = {
            name: LinkFeed(asked.sides.systems[name], again, strict=strict, stream=stream)
            for name, stream in zip(asked.sides.systems, systems, strict=True)
        }
        self._identifiers, self._names = Identifiers(), dict[str, str]()
        self._gold_side = _Side(settings, "gold", "gold", self._identifiers)
        self._sides = {name: _Side(settings, "system", name, self._identifiers) for name in asked.sides.systems}

    def judgements(self, number: Numbering) -> Iterator[LinkJudgement]:
        batches, numbers, size = list[Annotation](), list[Offsets](), 0
        for batch in self._gold:
            batches.append(batch)
            numbers.append(number(batch))
            size += len(batch.spans(LINKS)) + len(batch.corpus.documents)
            if size >= _PORTION:
                yield self._judge(Portion(batches, numbers))
                batches, numbers, size = [], [], 0
        if batches:
            yield self._judge(Portion(batches, numbers))
        for name, feed in self._feeds.items():
            feed.finish()
            side = self._asked.system_counts[name]
            side.reading, side.mismatches = feed.reading, feed.found

    def finish(self) -> Outcome:
        return Outcome(self._names)

    def _judge(self, portion: Portion) -> LinkJudgement:
        asked, batch = self._asked, portion.annotation
        corpus = batch.corpus
        for each in portion.batches:
            self._note_names(each)
        own = to_documents(batch.spans(LINKS).into(asked.vocabulary), corpus.documents, corpus.bounds)
        gold = self._gold_side.linked(own, asked.gold_count)
        shown = Shown(self._identifiers, asked.vocabulary.labels)
        found = LinkJudgement(portion, gold, shown)
        for name, feed in self._feeds.items():
            spans = feed.take(batch).into(asked.vocabulary)
            system = self._sides[name].linked(spans, asked.system_counts[name])
            question = LinkPair(gold, system, found.groups)
            found.tallies[name] = {
                judge.name: judge.count(question) for judge in asked.scorers if judge.count is not None
            }
            found.tallies[name] |= question.more
            walks = [each.respelled for each in question.kept.values() if isinstance(each, Walked)]
            asked.system_counts[name].noted[RESPELLED] += max(walks, default=0)
            if asked.keep_units:
                found.questions[name] = question
        return found

    def _note_names(self, batch: Annotation) -> None:
        """The names of documents, numbers where they have none."""
        names = names_of(batch.corpus)
        for name in names.texts(0, len(names)):
            self._names.setdefault(name or str(len(self._names) + 1), batch.corpus.source)


class _Side:
    """How the spans of one side become links, which are counted."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, identifiers: Identifiers) -> None:
        self._relabel = LabelFilter(settings, side, name)
        nil_labels = settings["nil_labels"] if side == "system" else ()
        self._links = SideLinks(table(settings["same_ids"], side), nil_labels, only_first=side == "gold")
        self._identifiers = identifiers

    def linked(self, spans: Spans, count: SideSummary) -> Linked:
        kept = self._relabel(spans)
        found = self._identifiers.linked(kept, self._links)
        count.add(found.spans.label, spans.vocabulary.labels.values)
        count.noted[UNLINKED] += len(kept) - len(found)
        return found


# == tasks/links/answers.py: What several systems say of the same links.


_KIND_BITS = 4
_SPAN_KIND = (1 << _KIND_BITS) - 1


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the identifier that the system gave, where it gave one."""
    kind, label = kinds.CLASS_KINDS[code & _SPAN_KIND], (code >> _KIND_BITS) - 1
    return kind if label < 0 else f"{kind} {labels[label]}"


def answers_on_links(gold: Linked, questions: Sequence[LinkPair], corpus: Corpus, shown: Shown) -> Predictions:
    """What several systems say of the same links.

    A unit is a link of the gold standard, or one that no verdict on a gold link used up: surplus, which is TN under the
    systems that do not have it. What a system says of it is its verdict under `fair`, with its identifier and, where
    that is wrong, the right one: `LE.other Q5 for Q90`. Right is TP and TN. Units have the labels of their spans.
    Tables of transitions sum over identifiers.

    Sources: Tuggener 2017, section 2; Ortmann 2022 for the verdicts.
    """
    judged = [(by_identifier(question.system), verdicts(question)) for question in questions]
    found = span_predictions(by_identifier(gold), judged)
    assert found.gold_label is not None
    said, right = (found.shown >> _KIND_BITS) - 1, found.gold_label
    kind = link_kinds(found.shown & _SPAN_KIND, right, said)
    code = span_class(kind, shown.words(kind, right, said))
    label = np.append(gold.spans.label, _surplus_labels(found, questions, len(gold)))
    sentence, start = corpus.in_sentences(found.sentence, found.start)
    shift = found.start - start
    known = found.part >= 0
    part = np.where(known, ((found.part >> 32) - shift << 32) | ((found.part & 0xFFFFFFFF) - shift), -1)
    return replace(
        found,
        label=label,
        answer=code,
        shown=code,
        part=part,
        sentence=sentence,
        start=start,
        end=found.end - shift,
        gold_label=np.where(right < 0, -1, _labels_of(gold, found, label)),
        kinds=kinds.KINDS,
        verdict=kind,
    )


def _labels_of(gold: Linked, found: Predictions, label: Ints) -> Ints:
    """The label that a verdict counts for: that of the unit; of surplus, that of the gold link it overlaps."""
    labels = np.tile(label, (found.systems, 1))
    places = {
        (scope, start, end): row
        for row, (scope, start, end) in enumerate(
            zip(gold.spans.scope.tolist(), gold.spans.start.tolist(), gold.spans.end.tolist(), strict=True)
        )
    }
    scope = found.sentence.tolist()
    assert found.gold_label is not None
    for system, unit in zip(*np.nonzero(found.is_surplus & (found.gold_label >= 0)), strict=True):
        bounds = int(found.part[system, unit])
        row = places.get((scope[unit], bounds >> 32, bounds & 0xFFFFFFFF))
        if row is not None:
            labels[system, unit] = gold.spans.label[row]
    return labels


def _surplus_labels(found: Predictions, questions: Sequence[LinkPair], first: int) -> Ints:
    """The labels of the spans that surplus is, of the first system that has it."""
    labels: dict[tuple[int, ...], int] = {}
    for question in reversed(questions):
        side = question.system
        columns = (side.spans.scope, side.spans.start, side.spans.end, side.answer, side.spans.label)
        for *place, label in zip(*(column.tolist() for column in columns), strict=True):
            labels[tuple(place)] = label
    units = (column[first:].tolist() for column in (found.sentence, found.start, found.end, found.label))
    return ints([labels[place] for place in zip(*units, strict=True)])


def link_units(answers: Predictions) -> Units:
    """The units as an error browser shows them."""
    kind, label = answers.shown & _SPAN_KIND, (answers.shown >> _KIND_BITS) - 1
    assert answers.gold_label is not None
    nothing = kind == kinds.TN
    return units_of(answers, kind, np.where(nothing, -1, answers.gold_label), label, answers.part)
