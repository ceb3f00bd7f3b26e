"""The way of spans through their files: batches are collected to portions, and every system is judged on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.dataclass import dataclass
from evenhand.limits import LimitError
from evenhand.problems import InputError, SettingError
from evenhand.relabeling import Supertag
from evenhand.tally import Tally
from evenhand.tasks import passage
from evenhand.tasks.answers import Answers
from evenhand.tasks.passage import Numbering, Outcome, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.spans.answers import answers_on_spans, span_units
from evenhand.tasks.spans.document_spans import DocumentTexts
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.spans.exact import equal_spans
from evenhand.tasks.spans.portion import Portion, Portions
from evenhand.tasks.spans.question import Context, Question, Relabeling
from evenhand.tasks.spans.strings import Form, Strings, StringSides
from evenhand.tasks.spans.tallies import tally_units
from evenhand.tasks.spans.token_separator import all_units
from evenhand.tasks.spans.values import GoldValues, SystemValues
from evenhand.tasks.units import Units
from evenhand.text.align import Feed
from evenhand.text.annotation import Reading
from evenhand.text.characters import peeked
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Codes
from evenhand.text.layers import Spans
from evenhand.text.plain_labels import SETTLE

if TYPE_CHECKING:
    from evenhand.tasks.spans.grounded_feed import GroundedFeed

Parts = dict[str, list[Tally]]
"""The tallies of portions by judge."""


class SpanPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        self._asked, settings = asked, asked.settings
        first, gold = peeked(asked.sides.gold())
        encoding = None if first is None else first.readings[asked.sides.layers[0]].encoding
        streams = [open_side(reference=encoding) for open_side in asked.sides.systems.values()]
        self._portions = Portions(asked, [gold, *streams], asked.sides.layers)
        self._takes_tags = any(judge.takes_tags for judge in asked.judges)
        self._drops_unplaced = settings["unplaced"] == "drop"
        self._takes_strings = any(judge.takes_strings for judge in asked.judges)
        self._gold_values = GoldValues() if asked.asks("leak") else None
        self._values = {name: SystemValues() for name in asked.sides.systems}
        self._takes_texts = any(judge.takes_texts for judge in asked.judges)
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._relabel = {name: Relabeling(settings, "system", name) for name in asked.sides.systems}
        self._text: list[Tally] = []
        self._levels = dict.fromkeys(asked.sides.systems, 1)
        self._supertags: dict[str, dict[str, Parts]] = {
            name: {tag.name: {} for tag in settings["supertag"]} for name in asked.sides.systems
        }

    def judgements(self, number: Numbering) -> Iterator[SpanJudgement]:
        yield from map(self._judge, self._portions.take(number, self._check))

    def finish(self) -> Outcome:
        shared = {"text": Tally.merge(self._text)} if self._text else {}
        supertags = {
            name: {tag: {judge: Tally.merge(found) for judge, found in parts.items()} for tag, parts in tags.items()}
            for name, tags in self._supertags.items()
        }
        return Outcome(shared=shared, supertags=supertags, levels=self._levels)

    def _check(self, corpus: Corpus) -> None:
        """Refuse what cannot be counted on this text."""
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

    def _judge(self, portion: Portion) -> SpanJudgement:
        """Judge a portion, one system after the other."""
        asked = self._asked
        names = asked.vocabulary.labels.values
        side = portion.gold(keeps_tags=self._takes_tags)
        gold = self._relabel_gold(side.spans)
        context = Context(portion.groups, portion.lengths, portion.weights, asked.settings)
        if asked.asks("units"):
            self._text.append(tally_units(all_units(context.text), (), context.groups))
        if self._gold_values is not None:
            values = portion.values(gold, self._gold_values)
            for each in self._values.values():
                each.enter(values)
        texts = DocumentTexts(portion.batches) if self._takes_texts else None
        found = SpanJudgement(portion, gold)
        for name, feed in self._portions.feeds.items():
            question = self._question(name, feed, portion, gold, side.tags, context, texts)
            asked.system_counts[name].add(question.given[1].label, names)
            try:
                found.tallies[name] = {
                    judge.name: judge.count(question) for judge in asked.judges if judge.count is not None
                }
                for tag in asked.settings["supertag"]:
                    self._judge_supertag(tag, name, question)
            except LimitError as error:  # judges do not know in which file spans are
                source = portion.batches[0].corpus.source
                raise InputError(source, None, error.finding, error.remedy) from None
            if asked.is_watched:
                found.questions[name] = question
        asked.gold_count.add(gold.label, names)
        return found

    def _question(
        self,
        name: str,
        feed: Feed | GroundedFeed,
        portion: Portion,
        gold: Spans,
        tags: object,
        context: Context,
        texts: DocumentTexts | None,
    ) -> Question:
        feed.keeps_tags = self._takes_tags
        side, relabel = portion.take(feed), self._relabel[name]
        continued = None if side.continued is None else relabel(side.continued)
        encoding = self._asked.gold_count.reading.encoding if self._asked.gold_count.reading else None
        same = feed.reading is not None and feed.reading.encoding == encoding
        both = (tags, side.tags if same else None)
        system = relabel(side.spans)
        unplaced = None if side.unplaced is None or self._drops_unplaced else relabel(side.unplaced)
        strings = self._strings(portion, gold, system, side.items, relabel) if self._takes_strings else None
        question = Question(
            *(gold, _joined(system, unplaced), context, continued, both),  # type: ignore[arg-type]
            unplaced=0 if unplaced is None else len(unplaced),
            strings=strings,
            texts=texts,
            values=None if self._gold_values is None else self._values[name],
            is_watched=self._asked.is_watched,
        )
        if not isinstance(feed, Feed) and feed.has_choice and side.best is not None:
            best = relabel(side.best)
            feed.grounding.bound.update(TP=len(equal_spans(gold, best)[0]), found=len(best), wanted=len(gold))
        self._levels[name] = max(self._levels[name], question.levels)
        return question

    def _strings(
        self, portion: Portion, gold: Spans, system: Spans, items: Strings | None, relabel: Relabeling
    ) -> StringSides:
        """What both sides have as strings: of a language model all that it wrote, else the words of spans."""

        def coded(codes: Codes[str], form: Form) -> Spans:
            if items is None:
                return portion.strings(system).formed(form).spans(codes)
            return relabel(items.formed(form).spans(codes))

        by_document = self._portions.texts_are_documents
        return StringSides(portion.strings(gold), coded, portion.text_of(by_document=by_document))

    def _judge_supertag(self, tag: Supertag, name: str, question: Question) -> None:
        """The same questions, with several labels taken as one and all others left out."""
        gold, system = question.given
        labels = gold.vocabulary.labels
        code = labels.code(tag.name)
        new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
        rest = None if question.continued is None else question.continued.relabel(new)
        as_one = Question(gold.relabel(new), system.relabel(new), question.context, rest)
        for judge in self._asked.judges:
            if judge.count is not None and not judge.takes_tags and not judge.by_document:
                self._supertags[name][tag.name].setdefault(judge.name, []).append(judge.count(as_one))


def _joined(spans: Spans, unplaced: Spans | None) -> Spans:
    """The spans, and behind them those that have no place."""
    return spans if unplaced is None or not len(unplaced) else Spans.concatenate([spans, unplaced], [0, 0])


@dataclass
class SpanJudgement:
    """What is said of one portion."""

    portion: Portion
    gold: Spans
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def places(self) -> Places:
        return self.portion.places

    def answers(self, by: str) -> Answers:
        return answers_on_spans(self.gold, [(each.given[1], each.verdicts(by)) for each in self.questions.values()])

    def units(self, by: str) -> Units:
        return span_units(self.answers(by))

    def drawing(self) -> SpanDrawing:
        return SpanDrawing([self.gold, *(each.placed[1] for each in self.questions.values())])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        question = self.questions[system]
        units = span_units(answers_on_spans(self.gold, [(question.given[1], question.verdicts(judge))]))
        bounds = units.partner[0]
        more = {
            "side": units.surplus.astype(np.int64),
            "matched_start": np.where(bounds < 0, -1, bounds >> 32),
            "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
        }
        return self.portion.rows(units, more)


def check_kinds(gold: SideCount, systems: Mapping[str, SideCount]) -> None:
    """Raise an error if labels without prefixes were taken for spans by their looks, and may be something else.

    So they may if they do not look like labels, or if the other side's spans have another form: then they may be in the
    wrong column.
    """
    for name, system in systems.items():
        sides = {"gold": gold, "system": system}
        readings = {which: side.reading or Reading() for which, side in sides.items()}
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
