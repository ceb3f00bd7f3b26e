"""The way of spans through their files: batches are collected to portions, and every system is judged on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
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
from evenhand.tasks.spans.answers import answers_on_cover, answers_on_spans, span_units, without_gold_errors
from evenhand.tasks.spans.document_spans import DocumentTexts
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.spans.exact import equal_spans
from evenhand.tasks.spans.leak import states
from evenhand.tasks.spans.portion import Portion, Portions, SideSpans
from evenhand.tasks.spans.privacy_models import LEAK
from evenhand.tasks.spans.question import Context, Question, Relabeling
from evenhand.tasks.spans.reference import Reference
from evenhand.tasks.spans.strings import Form, StringSides
from evenhand.tasks.spans.tallies import tally_units
from evenhand.tasks.spans.token_separator import all_units
from evenhand.tasks.spans.values import Values
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
    from evenhand.tasks.spans.overrides import Overriding

Parts = dict[str, list[Tally]]
"""The tallies of portions by judge."""


class SpanPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        settings = asked.settings
        self._takes_tags = any(judge.takes_tags for judge in asked.judges)
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._overriding: Overriding | None = None
        if settings["overrides"] is not None:
            from evenhand.tasks.spans.overrides import Overriding, overridden  # slow to load, and rare

            asked = overridden(asked, keeps_tags=self._takes_tags)
            self._overriding = Overriding(asked, self._relabel_gold, keeps_tags=self._takes_tags)
        self._asked = asked
        first, gold = peeked(asked.sides.gold())
        encoding = None if first is None else first.readings[asked.sides.layers[0]].encoding
        streams = [open_side(reference=encoding) for open_side in asked.sides.systems.values()]
        self._portions = Portions(asked, [gold, *streams], asked.sides.layers)
        self._drops_unplaced = settings["unplaced"] == "drop"
        self._takes_strings = any(judge.takes_strings for judge in asked.judges)
        self._values = Values(asked.sides.systems) if asked.asks(LEAK) else None
        self._takes_texts = any(judge.takes_texts for judge in asked.judges)
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
        before = None if self._overriding is None else self._overriding.finish()
        return Outcome(shared=shared, supertags=supertags, levels=self._levels, before=before)

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
        asked, overriding = self._asked, self._overriding
        side = portion.gold(keeps_tags=self._takes_tags)
        targets = None if overriding is None else overriding.targets(portion)
        gold = Reference.of(portion, replace(side, spans=self._relabel_gold(side.spans)), self._values, targets)
        as_read = None if overriding is None else overriding.as_read(portion)
        texts = DocumentTexts(portion.batches) if self._takes_texts else None
        context = Context(portion.groups, portion.lengths, portion.weights, asked.settings, texts)
        if asked.asks("units"):
            self._text.append(tally_units(all_units(context.text), (), context.groups))
        found = SpanJudgement(portion, gold.spans)
        for name, feed in self._portions.feeds.items():
            system = self._taken(name, feed, portion)
            try:
                if overriding is not None and as_read is not None:
                    overriding.judge_before(name, self._question(name, portion, as_read, system, context))
                    system = overriding.left_out(name, portion, system, gold.spans)
                self._count(name, self._question(name, portion, gold, system, context), found)
            except LimitError as error:  # judges do not know in which file spans are
                source = portion.batches[0].corpus.source
                raise InputError(source, None, error.finding, error.remedy) from None
            self._bound(feed, gold.spans, system.best)
        asked.gold_count.add(gold.spans.label, asked.vocabulary.labels.values)
        portion.use_texts()
        return found

    def _count(self, name: str, question: Question, found: SpanJudgement) -> None:
        """Ask all judges about a system."""
        asked = self._asked
        asked.system_counts[name].add(question.given[1].label, asked.vocabulary.labels.values)
        found.tallies[name] = {judge.name: judge.count(question) for judge in asked.judges if judge.count is not None}
        for tag in asked.settings["supertag"]:
            self._judge_supertag(tag, name, question)
        if asked.is_watched:
            found.questions[name] = question
        self._levels[name] = max(self._levels[name], question.levels)

    def _taken(self, name: str, feed: Feed | GroundedFeed, portion: Portion) -> SideSpans:
        """What a system has of a portion, with the labels that count, and tags where they can be compared."""
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

    def _question(self, name: str, portion: Portion, gold: Reference, system: SideSpans, context: Context) -> Question:
        unplaced = system.unplaced
        return Question(
            *(gold.spans, _joined(system.spans, unplaced), context, system.continued, (gold.side.tags, system.tags)),
            unplaced=0 if unplaced is None else len(unplaced),
            strings=self._strings(name, portion, gold.spans, system) if self._takes_strings else None,
            values=None if gold.values is None else gold.values.systems[name],
            is_watched=self._asked.is_watched,
            targets=gold.targets,
        )

    def _bound(self, feed: Feed | GroundedFeed, gold: Spans, best: Spans | None) -> None:
        """Count what a language model would have at best."""
        if not isinstance(feed, Feed) and feed.has_choice and best is not None:
            feed.grounding.bound.update(TP=len(equal_spans(gold, best)[0]), found=len(best), wanted=len(gold))

    def _strings(self, name: str, portion: Portion, gold: Spans, system: SideSpans) -> StringSides:
        """What both sides have as strings: of a language model all that it wrote, else the words of spans."""

        def coded(codes: Codes[str], form: Form) -> Spans:
            if system.items is None:
                return portion.strings(system.spans).formed(form).spans(codes)
            return self._relabel[name](system.items.formed(form).spans(codes))

        by_document = self._portions.texts_are_documents
        return StringSides(portion.strings(gold), coded, portion.text_of(by_document=by_document))

    def _judge_supertag(self, tag: Supertag, name: str, question: Question) -> None:
        """The same questions, with several labels taken as one and all others left out."""
        gold, system = question.given
        labels = gold.vocabulary.labels
        code = labels.code(tag.name)
        new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
        rest = None if question.continued is None else question.continued.relabel(new)
        targets = None if question.targets is None else question.targets.relabel(new)
        as_one = Question(gold.relabel(new), system.relabel(new), question.context, rest, targets=targets)
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
        if by == LEAK:
            return answers_on_cover(self.gold, [states(each) for each in self.questions.values()])
        return without_gold_errors(self._all_answers(by))

    def units(self, by: str) -> Units:
        return span_units(self._all_answers(by))

    def _all_answers(self, by: str) -> Answers:
        return answers_on_spans(self.gold, [(each.given[1], each.verdicts(by)) for each in self.questions.values()])

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
