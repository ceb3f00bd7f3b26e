"""The passage of tasks whose units are there before anybody annotates them, and get one label each.

Sentences with a label, documents with a class, given mentions with a type: gold standard and systems have the same
units, and a system is right where its label is. A task says where its units are (`units`) and has the rest from here:
alignment of tokens, portions, verdicts (right, wrong, missing), comparisons and the page. Units of a task are handed
over as spans, each with its label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from evenhand.arrays import Ints, pack
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.passage import Numbering, Outcome, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.spans.exact import equal_keys
from evenhand.tasks.spans.portion import Portion, Portions
from evenhand.tasks.spans.question import Relabeling
from evenhand.tasks.units import Units
from evenhand.tasks.words.answers import answers_on_words, word_units
from evenhand.tasks.words.kinds import MISSING, TAG_KINDS
from evenhand.tasks.words.verdicts import JudgedUnits
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans

KINDS = (*TAG_KINDS, MISSING)
"""The verdicts on units."""
UnitsOf = Callable[[Annotation, Vocabulary], Spans]
"""The units of a batch, as spans with labels."""


class LabeledUnitPassage:
    """One pass over the gold standard and all systems."""

    def __init__(self, asked: Question, judge: str, units: UnitsOf) -> None:
        """`judge` is the name under which the counts are kept."""
        self._asked, self._judge_name, self._units = asked, judge, units
        opened = (asked.sides.gold, *asked.sides.systems.values())
        self._portions = Portions(asked, [self._as_spans(open_side()) for open_side in opened], ("spans", "spans"))
        self._relabel = {name: Relabeling(asked.settings, "system", name) for name in asked.sides.systems}
        self._relabel_gold = Relabeling(asked.settings, "gold", "gold")

    def _as_spans(self, stream: Iterator[Annotation]) -> Iterator[Annotation]:
        """Batches whose only layer of spans are the units."""
        for batch in stream:
            units = self._units(batch, self._asked.vocabulary)
            readings = {"spans": batch.reading}
            yield replace(batch, layers={**batch.layers, "spans": units}, readings=readings)

    def judgements(self, number: Numbering) -> Iterator[LabeledUnitJudgement]:
        yield from map(self._judge, self._portions.take(number))

    def finish(self) -> Outcome:
        return Outcome()

    def _judge(self, portion: Portion) -> LabeledUnitJudgement:
        asked, names = self._asked, self._asked.vocabulary.labels.values
        gold = self._relabel_gold(portion.gold(keeps_tags=False).spans)
        asked.gold_count.add(gold.label, names)
        found = LabeledUnitJudgement(portion, [gold])
        for name, feed in self._portions.feeds.items():
            system = self._relabel[name](portion.take(feed).spans)
            units = _side_by_side(gold, system, portion.groups)
            side = asked.system_counts[name]
            side.add(system.label, names)
            side.missing += len(gold) - len(units.rows[0])
            found.sides.append(system)
            found.systems[name], found.tallies[name] = units, {}
            if asked.asks(self._judge_name):
                mine, theirs = units.rows
                verdicts = units.verdicts(TAG_KINDS, np.where(units.gold[mine] == units.system[theirs], 0, 1))
                found.tallies[name][self._judge_name] = verdicts.tally(names, portion.groups)
        return found


def _side_by_side(gold: Spans, system: Spans, groups: Ints) -> JudgedUnits:
    """The units of both sides; those with the same bounds are the same."""
    columns = [(gold.scope, system.scope), (gold.start, system.start), (gold.end, system.end)]
    rows = equal_keys(*pack(*columns))
    every, other = np.ones(len(gold), dtype=np.bool_), np.ones(len(system), dtype=np.bool_)
    places = (gold.scope, gold.start, gold.end, system.scope)
    return JudgedUnits(rows, gold.label, system.label, every, other, *places, groups)


@dataclass
class LabeledUnitJudgement:
    """What is said of one portion."""

    portion: Portion
    sides: list[Spans]
    """The gold standard's units, and those of every system."""
    systems: dict[str, JudgedUnits] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def places(self) -> Places:
        return self.portion.places

    def answers(self, by: str) -> Answers:
        """Of the units that all systems have."""
        return answers_on_words(by, list(self.systems.values()))

    def units(self, by: str) -> Units:
        """All units of the gold standard, also those that not all systems have."""
        return word_units(by, list(self.systems.values()))

    def drawing(self) -> SpanDrawing:
        return SpanDrawing(self.sides)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        return self.portion.rows(word_units(judge, [self.systems[system]]))
