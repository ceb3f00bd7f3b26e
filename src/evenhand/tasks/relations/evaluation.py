"""The way of relations through their files: spans are aligned as those of any task, and carry their relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.alignment.spans import LineFeed
from evenhand.arrays import Bools, Ints, empty, ints, pack
from evenhand.data.annotation import Annotation
from evenhand.data.characters import same_atoms
from evenhand.data.layers import Spans
from evenhand.data.names import RELATIONS
from evenhand.data.structures import ListedParts, Parts, Relations
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError, SettingError
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings
from evenhand.tasks import evaluation as passage
from evenhand.tasks.evaluation import Numbering, Outcome, VerdictRows
from evenhand.tasks.relations.comparison import RelationDrawing, answers_on_relations, ends_of, relation_units
from evenhand.tasks.relations.error_types import fair
from evenhand.tasks.relations.matching import Candidates, Ends, RelationMatches, Side, SpanPairs, candidates
from evenhand.tasks.relations.strict import strict
from evenhand.tasks.spans.evaluation import Portion, Portions
from evenhand.tasks.units import Locations, Predictions, Units

# == tasks/relations/question.py: One system against the gold standard in one portion: what th


class RelationPair:
    """What a judge looks at; what several judges need is worked out once.

    `given` are both sides as they were read, `gold` and `system` the same without repeats.
    """

    def __init__(
        self, gold: Side, kept: Ints, system: Side, documents: Ints, groups: Ints, settings: ScoreSettings
    ) -> None:
        """`kept` are the gold relations that are no repeats; `documents` and `groups` are those of each scope."""
        self.given, self.groups, self.settings = (gold, system), groups, settings
        self.ends = Ends.of(gold.spans, system.spans)
        symmetric = _symmetric(self.given, documents, settings)
        sides = _in_order(self.given, self.ends, symmetric)
        keys = _keys(sides, self.ends)
        rows = kept, _first_of_each(keys[1])
        self.gold, self.system = (side.take(mine) for side, mine in zip(sides, rows, strict=True))
        self.key = keys[0][rows[0]], keys[1][rows[1]]
        """A number for each relation: equal for equal ones, and ordered by head, tail, type and labels."""
        self.symmetric = symmetric[0][rows[0]], symmetric[1][rows[1]]
        self.repeated = len(system) - len(self.system)

    @cached_property
    def pairs(self) -> SpanPairs:
        """All spans of both sides that share a token."""
        return SpanPairs.of(self.gold.spans, self.system.spans)

    @cached_property
    def candidates(self) -> Candidates:
        """All relations of both sides whose arguments overlap pairwise."""
        return candidates(self.gold, self.system, self.pairs, self.ends, self.symmetric)

    @cached_property
    def fair(self) -> RelationMatches:
        return fair(self)

    def verdicts(self, judge: str) -> RelationMatches:
        """What the judges `fair` and `strict` say of every relation."""
        return self.fair if judge == "fair" else strict(self)


def without_repeats(side: Side, documents: Ints, settings: ScoreSettings) -> Ints:
    """The relations of a side that repeat no earlier one, by the types that it marks itself."""
    nothing = side.within(np.zeros(len(documents), dtype=np.bool_))
    symmetric = _symmetric((side, nothing), documents, settings)
    ends = Ends.of(side.spans, nothing.spans)
    sides = _in_order((side, nothing), ends, symmetric)
    return _first_of_each(_keys(sides, ends)[0])


def _in_order(sides: tuple[Side, Side], ends: Ends, symmetric: tuple[Bools, Bools]) -> list[Side]:
    """Both sides with the ends of symmetric types in their order."""
    found = []
    for side, bounds, is_symmetric in zip(sides, ends.bounds, symmetric, strict=True):
        name = ends.names[side.spans.label]
        head, tail = bounds[side.head], bounds[side.tail]
        after = (head > tail) | ((head == tail) & (name[side.head] > name[side.tail]))
        found.append(side.swapped(after & is_symmetric))
    return found


def _keys(sides: Sequence[Side], ends: Ends) -> tuple[Ints, Ints]:
    """A number for each relation of both sides."""
    columns = []
    for side, bounds in zip(sides, ends.bounds, strict=True):
        name = ends.names[side.spans.label]
        told = (bounds[side.head], bounds[side.tail], ends.names[side.label])
        columns.append((*told, name[side.head], name[side.tail]))
    return pack(*zip(*columns, strict=True))


def _symmetric(sides: tuple[Side, Side], documents: Ints, settings: ScoreSettings) -> tuple[Bools, Bools]:
    """Which relations of each side have a symmetric type."""
    find = sides[0].spans.vocabulary.labels.find
    named = [code for code in map(find, settings["symmetric"]) if code is not None]
    keys = pack(*zip(*((documents[side.scope], side.label) for side in sides), strict=True))
    marked = np.concatenate([key[side.marked] for key, side in zip(keys, sides, strict=True)])
    gold, system = (np.isin(key, marked) | np.isin(side.label, named) for key, side in zip(keys, sides, strict=True))
    return gold, system


def _first_of_each(key: Ints) -> Ints:
    """The first row with each key, in the order of rows."""
    order = np.argsort(key, kind="stable")
    is_new = np.append(True, key[order][1:] != key[order][:-1])[: len(key)]
    return np.sort(order[is_new]) if len(key) else empty()


# == tasks/relations/relabeling.py: `--map`, `--labels` and `--exclude` for relations.


class RelationRelabeling:
    """The choices of a user for one side."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._settings, self._map = settings, settings.new_names(side, name)

    def __call__(self, side: Side) -> Side:
        if self._settings.keeps_labels:
            return side
        labels = side.spans.vocabulary.labels
        names = [self._map.get(name, name) for name in labels.values]
        new = ints([labels.code(name) for name in names])
        chosen = np.array([self._settings.chooses(name) for name in names], dtype=np.bool_)
        kept = side.take(np.flatnonzero(chosen[side.label]) if len(side) else ints([]))
        spans = replace(side.spans, label=new[side.spans.label])
        return replace(kept, label=new[kept.label], spans=spans)


# == tasks/relations/carried.py: Relations on their way past the alignment of texts, which kn


@dataclass
class _Waiting:
    """Relations whose spans have not yet come out: ends are numbers of spans."""

    label: Ints
    head: Ints
    tail: Ints
    marked: Bools

    def take(self, rows: Ints | Bools) -> _Waiting:
        return _Waiting(self.label[rows], self.head[rows], self.tail[rows], self.marked[rows])


class Carried:
    """The relations of one side."""

    def __init__(self, vocabulary: Vocabulary, *, keeps_parts: bool) -> None:
        self._vocabulary, self._keeps_parts = vocabulary, keeps_parts
        self._waiting = _Waiting(empty(), empty(), empty(), np.zeros(0, dtype=np.bool_))
        self._count, self._source = 0, ""
        self._parts: list[tuple[int, ListedParts]] = []
        self._counts_tokens = False

    def stream(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        """The same batches with spans only, which are numbered."""
        for batch in batches:
            layer = batch.layers.get(RELATIONS)
            if not isinstance(layer, Relations):
                raise SettingError(f"{batch.corpus.source} has no relations; give a file that has some.")
            spans, self._source = batch.spans(), batch.corpus.source
            self._add(layer.into(self._vocabulary))
            number = np.arange(self._count, self._count + len(spans))
            self._count += len(spans)
            yield replace(batch, layers={"spans": replace(spans, level=number)}, readings={"spans": batch.reading})

    def _add(self, layer: Relations) -> None:
        codes = [code for code in map(self._vocabulary.labels.find, layer.symmetric) if code is not None]
        marked, before = np.isin(layer.label, codes), self._waiting
        self._waiting = _Waiting(
            np.concatenate((before.label, layer.label)),
            np.concatenate((before.head, layer.head + self._count)),
            np.concatenate((before.tail, layer.tail + self._count)),
            np.concatenate((before.marked, marked)),
        )
        if layer.parts is None:
            self._counts_tokens = True
        elif self._keeps_parts:
            self._parts.append((self._count, layer.parts))

    def take(self, spans: Spans) -> Side:
        """The relations between these spans, which come from the stream."""
        order = np.argsort(spans.level, kind="stable")
        number, waiting = spans.level[order], self._waiting
        head, here = _rows(waiting.head, number, order)
        tail, is_tail_here = _rows(waiting.tail, number, order)
        if (here != is_tail_here).any():
            finding = "a relation has its ends in two documents of the gold standard"
            raise InputError(self._source, None, finding, "give documents that hold whole relations on both sides")
        self._waiting = waiting.take(~here)
        found = waiting.take(here)
        return Side(spans, found.label, head[here], tail[here], found.marked, self._listed())

    def _listed(self) -> Callable[[int], Parts] | None:
        return None if self._counts_tokens or not self._keeps_parts else self._part

    def _part(self, number: int) -> Parts:
        first, parts = next((first, parts) for first, parts in reversed(self._parts) if first <= number)
        return parts[number - first]


def _rows(wanted: Ints, number: Ints, order: Ints) -> tuple[Ints, Bools]:
    """Where spans with the wanted numbers are, and whether they are there; `number` is sorted."""
    place = np.searchsorted(number, wanted)
    inside = np.minimum(place, max(len(number) - 1, 0))
    here = (number[inside] == wanted) if len(number) else np.zeros(len(wanted), dtype=np.bool_)
    return (order[inside] if len(order) else inside), here


# == tasks/relations/passage.py (primary)


class _LinePortions(Portions):
    """Portions of texts with a sentence a line, of which a system may lack some."""

    def __init__(
        self, asked: passage.EvaluationRequest, streams: Sequence[Iterator[Annotation]], layers: tuple[str, str]
    ) -> None:
        self._asked, self._layer, self.texts_are_documents = asked, layers[0], False
        self._gold, *systems = same_atoms(streams, asked.settings.align)
        feeds = zip(asked.sides.systems, systems, strict=True)
        self.feeds = {name: LineFeed(stream, layers[1]) for name, stream in feeds}


class RelationPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.EvaluationRequest) -> None:
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

    def evaluations(self, number: Numbering) -> Iterator[RelationJudgement]:
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
            question = RelationPair(gold, kept, system, documents, portion.groups, asked.settings)
            side = asked.system_counts[name]
            side.add(question.system.label, labels)
            side.repeated += question.repeated
            found.questions[name] = question
            found.tallies[name] = self._tallies(question, portion)
        portion.use_texts()
        return found if asked.keep_units else replace(found, questions={})

    def _tallies(self, question: RelationPair, portion: Portion) -> dict[str, Tally]:
        try:
            return {judge.name: judge.count(question) for judge in self._asked.scorers if judge.count is not None}
        except LimitError as error:  # judges do not know in which file spans are
            source = portion.batches[0].corpus.source
            raise InputError(source, None, error.finding, error.remedy) from None


@dataclass
class RelationJudgement:
    """What is said of one portion."""

    portion: Portion
    questions: dict[str, RelationPair] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @property
    def places(self) -> Locations:
        return self.portion.places

    @property
    def gold(self) -> Side:
        return next(iter(self.questions.values())).gold

    def answers(self, by: str) -> Predictions:
        return answers_on_relations(by, list(self.questions.values()))

    def units(self, by: str) -> Units:
        return relation_units(self.answers(by))

    def drawing(self) -> RelationDrawing:
        return RelationDrawing([self.gold, *(question.system for question in self.questions.values())])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        question = self.questions[system]
        units = relation_units(answers_on_relations(judge, [question]))
        return self.portion.rows(units, {"side": units.surplus.astype(np.int64), **ends_of(judge, question)})
