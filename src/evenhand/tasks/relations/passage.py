"""The way of relations through their files: spans are aligned as those of any task, and carry their relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.limits import LimitError
from evenhand.problems import InputError
from evenhand.tally import Tally
from evenhand.tasks import passage
from evenhand.tasks.answers import Answers
from evenhand.tasks.passage import Numbering, Outcome, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.relations.answers import answers_on_relations, ends_of, relation_units
from evenhand.tasks.relations.carried import Carried
from evenhand.tasks.relations.drawing import RelationDrawing
from evenhand.tasks.relations.question import Question, without_repeats
from evenhand.tasks.relations.relabeling import RelationRelabeling
from evenhand.tasks.relations.side import Side
from evenhand.tasks.spans.portion import Portion, Portions
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.characters import same_atoms
from evenhand.text.line_feed import LineFeed


class _LinePortions(Portions):
    """Portions of texts with a sentence a line, of which a system may lack some."""

    def __init__(
        self, asked: passage.Question, streams: Sequence[Iterator[Annotation]], layers: tuple[str, str]
    ) -> None:
        self._asked, self._layer, self.texts_are_documents = asked, layers[0], False
        self._gold, *systems = same_atoms(streams, asked.settings.align)
        feeds = zip(asked.sides.systems, systems, strict=True)
        self.feeds = {name: LineFeed(stream, layers[1]) for name, stream in feeds}


class RelationPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        self._asked, settings = asked, asked.settings
        keeps_parts = asked.asks("ehealthkd")
        names = ("", *asked.sides.systems)
        self._carried = {name: Carried(asked.vocabulary, keeps_parts=keeps_parts) for name in names}
        opened = (asked.sides.gold, *asked.sides.systems.values())
        streams = [self._carried[name].stream(open_side()) for name, open_side in zip(names, opened, strict=True)]
        of_lines = settings["sentences"] == "lines"
        self._portions = (_LinePortions if of_lines else Portions)(asked, streams, ("spans", "spans"))
        self._relabel = {name: RelationRelabeling(settings, "system", name) for name in asked.sides.systems}
        self._relabel_gold = RelationRelabeling(settings, "gold", "gold")

    def judgements(self, number: Numbering) -> Iterator[RelationJudgement]:
        yield from map(self._judge, self._portions.take(number))

    def finish(self) -> Outcome:
        return Outcome()

    def _judge(self, portion: Portion) -> RelationJudgement:
        """Judge a portion, one system after the other."""
        asked, labels = self._asked, self._asked.vocabulary.labels.values
        gold = self._relabel_gold(self._carried[""].take(portion.gold(keeps_tags=False).spans))
        annotated = np.zeros(portion.sentences, dtype=np.bool_)
        annotated[gold.spans.scope] = True
        documents = portion.places.document_of - int(portion.places.document_of.min(initial=0))
        kept = without_repeats(gold, documents, asked.settings)
        asked.gold_count.add(gold.label[kept], labels)
        asked.gold_count.repeated += len(gold) - len(kept)
        found = RelationJudgement(portion)
        for name, feed in self._portions.feeds.items():
            system = self._relabel[name](self._carried[name].take(portion.take(feed).spans))
            if asked.settings["unannotated"] == "skip":
                system = system.within(annotated)
            question = Question(gold, kept, system, documents, portion.groups, asked.settings)
            side = asked.system_counts[name]
            side.add(question.system.label, labels)
            side.repeated += question.repeated
            found.questions[name] = question
            found.tallies[name] = self._tallies(question, portion)
        portion.use_texts()
        return found if asked.is_watched else replace(found, questions={})

    def _tallies(self, question: Question, portion: Portion) -> dict[str, Tally]:
        try:
            return {judge.name: judge.count(question) for judge in self._asked.judges if judge.count is not None}
        except LimitError as error:  # judges do not know in which file spans are
            source = portion.batches[0].corpus.source
            raise InputError(source, None, error.finding, error.remedy) from None


@dataclass
class RelationJudgement:
    """What is said of one portion."""

    portion: Portion
    questions: dict[str, Question] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def places(self) -> Places:
        return self.portion.places

    @property
    def gold(self) -> Side:
        return next(iter(self.questions.values())).gold

    def answers(self, by: str) -> Answers:
        return answers_on_relations(by, list(self.questions.values()))

    def units(self, by: str) -> Units:
        return relation_units(self.answers(by))

    def drawing(self) -> RelationDrawing:
        return RelationDrawing([self.gold, *(each.system for each in self.questions.values())])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        question = self.questions[system]
        units = relation_units(answers_on_relations(judge, [question]))
        return self.portion.rows(units, {"side": units.surplus.astype(np.int64), **ends_of(judge, question)})
