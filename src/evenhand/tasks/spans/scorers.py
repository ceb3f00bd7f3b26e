"""The counts of what judges say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Values, complement, concatenate, empty, ones, zeros
from evenhand.data.layers import Spans, Tags, by_level
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally, tally_table
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.fair import exact as exact_exact
from evenhand.tasks.spans.fair import fair as fair_fair
from evenhand.tasks.spans.fair import with_gold_errors
from evenhand.tasks.spans.matching import AllPairs, SpanMatches, equal_spans
from evenhand.tasks.spans.overlap import PAIR_KINDS, Hits, Paired, hits
from evenhand.tasks.spans.overlap import semeval as semeval_pairs
from evenhand.tasks.spans.strings import StringSides, normalised, once
from evenhand.tasks.spans.task import EDGES, SPAN_KINDS
from evenhand.tasks.spans.token_separator import (
    UNIT_KINDS,
    Text,
    Units,
    by_sentence,
    close_and_missed,
    equal_tags,
    equal_tokens,
)
from evenhand.tasks.spans.token_separator import units as tokens_and_separators
from evenhand.tasks.spans.values import DocumentSpans, DocumentTexts, SystemValues

HIT_KINDS = ("gold_hits", "gold_others", "system_hits", "system_others")
ACCURACY_KINDS = ("correct", "wrong")


def tally_spans(verdicts: SpanMatches, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """The counts of a judge's verdicts on spans; `groups` is the group of each scope, without it there is one."""
    kind = verdicts.kind * len(EDGES) + verdicts.edge
    return _tally_pairs(SPAN_KINDS, kind, verdicts.gold, verdicts.system, gold, system, groups)


def tally_rest(
    equal: Ints, verdicts: SpanMatches, others: tuple[Ints, Ints], gold: Spans, system: Spans, groups: Ints
) -> Tally:
    """The counts of equal spans, which are many: in a total, one count a label; and of verdicts on the `others`."""
    labels, right = gold.vocabulary.labels.values, SPAN_KINDS.index("TP")
    if groups.any():
        label, group, count = gold.label[equal], groups[gold.scope[equal]], ones(len(equal))
    else:
        counted = np.bincount(gold.label[equal], minlength=1)
        label = np.flatnonzero(counted)
        group, count = np.zeros_like(label), counted[label]
    every = np.arange(len(labels))
    cell = Tally.cell_of(labels, SPAN_KINDS, every, every, right).take(label)
    gold_row, system_row = np.append(others[0], -1)[verdicts.gold], np.append(others[1], -1)[verdicts.system]
    rest, gold_label, system_label = _groups_and_labels(gold_row, system_row, gold, system, groups)
    kind = verdicts.kind * len(EDGES) + verdicts.edge
    return Tally.of_cells(
        labels,
        SPAN_KINDS,
        np.concatenate((group, rest)),
        np.concatenate((cell, Tally.cell_of(labels, SPAN_KINDS, gold_label, system_label, kind))),
        concatenate((count, ones(len(kind)))),
    )


def _groups_and_labels(
    gold_row: Ints, system_row: Ints, gold: Spans, system: Spans, groups: Ints
) -> tuple[Ints, Ints, Ints]:
    """The group, the gold label and the system label of each unit: a gold span, a system span (-1: none), or both."""
    scope = np.where(gold_row >= 0, np.append(gold.scope, 0)[gold_row], np.append(system.scope, 0)[system_row])
    return groups[scope], np.append(gold.label, -1)[gold_row], np.append(system.label, -1)[system_row]


def tally_semeval(paired: Paired, gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """The counts of the pairs that SemEval's measures count."""
    return _tally_pairs(PAIR_KINDS, paired.kind, paired.gold, paired.system, gold, system, groups)


def _tally_pairs(
    kinds: Sequence[str],
    kind: Ints,
    gold_row: Ints,
    system_row: Ints,
    gold: Spans,
    system: Spans,
    groups: Ints | None,
) -> Tally:
    """One unit a row: a gold span, a system span (-1 for none), or both."""
    if groups is None:
        groups = zeros(int(max(gold.scope.max(initial=0), system.scope.max(initial=0))) + 1)
    columns = _groups_and_labels(gold_row, system_row, gold, system, groups)
    return Tally.of(gold.vocabulary.labels.values, kinds, *columns, kind)


def tally_hits(hits: Hits, gold: Spans, system: Spans, groups: Ints) -> Tally:
    """The spans of each side that hit one of the other, and the others."""
    nothing, no_gold = np.full(len(gold), -1), np.full(len(system), -1)
    return Tally.of(
        gold.vocabulary.labels.values,
        HIT_KINDS,
        np.concatenate((groups[gold.scope], groups[system.scope])),
        np.concatenate((gold.label, no_gold)),
        np.concatenate((nothing, system.label)),
        np.concatenate((np.where(hits.gold, 0, 1), np.where(hits.system, 2, 3))),
    )


def tally_units(units: Units, labels: Sequence[str], groups: Ints) -> Tally:
    """The counts of tokens and separators; those that belong to no label (how many there are) have none."""
    nothing = np.full(len(units.scope), -1)
    return Tally.of(labels, UNIT_KINDS, groups[units.scope], units.label, nothing, units.kind, units.count)


def tally_accuracy(correct: Ints, lengths: Ints, groups: Ints) -> Tally:
    """How many tokens of each scope have the right tag, and how many have not."""
    return tally_table(ACCURACY_KINDS, np.stack((correct, lengths - correct), axis=1), groups)


# == tasks/spans/question.py: One system against the gold standard in one portion: what th


class LabelFilter:
    """`--map` for one side, then `--labels` and `--exclude`: a new code for each label, -1 where it is left out."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, *, chooses: bool = True) -> None:
        """Unless it `chooses`, no label is left out."""
        self._map = settings.new_names(side, name)
        self._chooses = settings.chooses if chooses and (settings.labels or settings.exclude) else None
        self._new: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not self._map and self._chooses is None:
            return spans
        labels = spans.vocabulary.labels
        while len(self._new) < len(labels):
            name = labels[len(self._new)]
            name = self._map.get(name, name)
            kept = self._chooses is None or self._chooses(name)
            self._new.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._new, dtype=np.int64))


@dataclass(frozen=True)
class Context:
    """What all systems of a portion are judged by: the text, and how."""

    groups: Ints
    """The group of each sentence."""
    lengths: Ints | None
    """How many tokens each sentence has, where the files say."""
    weights: Values | None
    settings: ScoreSettings
    texts: DocumentTexts | None = None
    """The texts of documents, where judges take these."""

    @cached_property
    def text(self) -> Text:
        return Text.of(self.lengths, len(self.groups), 0, self.weights)


class SpanPair:
    """What a judge of spans looks at; what several judges need is worked out once.

    `gold` and `system` are the spans to be matched (where levels are separate, levels count as scopes), `given` the
    same spans as they were read.
    """

    def __init__(
        self,
        gold: Spans,
        system: Spans,
        context: Context,
        continued: Spans | None = None,
        tags: tuple[Tags | None, Tags | None] = (None, None),
        *,
        unplaced: int = 0,
        strings: StringSides | None = None,
        values: SystemValues | None = None,
        is_watched: bool = False,
        targets: Spans | None = None,
    ) -> None:
        """`continued` is what spans that begin in an earlier portion cover of this one: tokens, but no spans.

        The last `unplaced` spans of the system have no place in the text. `targets` are spans that the gold standard
        should have, where its errors are a kind; the spans that are wrong have an extra.
        """
        self.given, self.context, self.continued, self.tags = (gold, system), context, continued, tags
        self.strings = strings
        """What both sides have as strings, where somebody asks."""
        self.values = values
        """What the system exposes of the gold standard's values, where somebody asks."""
        self.targets = targets
        self.placed = (gold, system.take(slice(len(system) - unplaced)))
        """The spans that have a place."""
        self.is_watched = is_watched
        """Whether somebody will ask for the verdicts on all spans."""
        self.levels = 1
        if context.settings["levels"] == "separate":
            self.levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, self.levels), by_level(system, self.levels)
        self.gold, self.system = gold, system

    @property
    def covering(self) -> tuple[Spans, Spans]:
        """The spans that have a place, with what reaches into this portion from an earlier one."""
        gold, system = self.placed
        return gold, system if self.continued is None else Spans.concatenate([system, self.continued], [0, 0])

    @cached_property
    def documents(self) -> list[DocumentSpans]:
        """The spans that have a place, by document and in characters, for judges that take the texts."""
        assert self.context.texts is not None
        return self.context.texts.both(*self.placed)

    @property
    def settings(self) -> ScoreSettings:
        return self.context.settings

    @property
    def groups(self) -> Ints:
        return self.context.groups

    @cached_property
    def equal(self) -> tuple[Ints, Ints]:
        """The rows of equal spans."""
        return equal_spans(self.gold, self.system)

    @property
    def equal_given(self) -> tuple[Ints, Ints]:
        """The same, regardless of level."""
        return self.equal if self.levels == 1 else equal_spans(*self.given)

    @cached_property
    def others(self) -> tuple[Ints, Ints]:
        """The rows of spans that are on one side only."""
        return complement(len(self.gold), self.equal[0]), complement(len(self.system), self.equal[1])

    @cached_property
    def rest(self) -> tuple[Spans, Spans]:
        """These spans themselves."""
        return self.gold.take(self.others[0]), self.system.take(self.others[1])

    @cached_property
    def pairs(self) -> AllPairs:
        """All pairs of spans that share a token."""
        return AllPairs(self.gold, self.system)

    @cached_property
    def fair(self) -> SpanMatches:
        return self._with_gold_errors(fair_fair(self.gold, self.system, self.equal))

    @cached_property
    def exact(self) -> SpanMatches:
        return self._with_gold_errors(exact_exact(self.gold, self.system, self.equal))

    def verdicts(self, judge: str) -> SpanMatches:
        """What the judges `fair` and `exact` say of every span."""
        return self.fair if judge == "fair" else self.exact

    def _with_gold_errors(self, verdicts: SpanMatches) -> SpanMatches:
        return verdicts if self.targets is None else with_gold_errors(verdicts, *self.given, self.targets)

    @property
    def text(self) -> Text:
        """The tokens and separators of the portion, as far as files know them."""
        if self.context.lengths is not None:
            return self.context.text
        width = max(int(side.end.max(initial=0)) for side in self.placed)
        return Text.of(None, len(self.groups), width)


# == tasks/spans/judges.py: The judges of spans: each takes a question and gives a tally


def exact(question: SpanPair) -> Tally:
    if question.targets is not None:
        return tally_spans(question.exact, *question.given, question.groups)
    return _tally_rest(question, exact_exact)


def fair(question: SpanPair) -> Tally:
    """Unless somebody asks for all verdicts, equal spans are out of the way of the others, which are few."""
    if question.is_watched or question.targets is not None:
        return tally_spans(question.fair, *question.given, question.groups)
    return _tally_rest(question, fair_fair)


def _tally_rest(question: SpanPair, judge: Callable[[Spans, Spans, tuple[Ints, Ints]], SpanMatches]) -> Tally:
    """Equal spans are right, and a judge is asked about the others."""
    verdicts = judge(*question.rest, (empty(), empty()))
    return tally_rest(question.equal[0], verdicts, question.others, *question.given, question.groups)


def semeval(question: SpanPair) -> Tally:
    found = semeval_pairs(question.gold, question.system, question.pairs)
    return tally_semeval(found, *question.given, question.groups)


def overlap(question: SpanPair) -> Tally:
    return _hits(question, "overlap")


def contain(question: SpanPair) -> Tally:
    return _hits(question, "contain")


def constrained(question: SpanPair) -> Tally:
    limits = {name: question.settings[f"constrained_{name}"] for name in ("spurious", "missing")}
    return _hits(question, "constrained", **limits)


def iou(question: SpanPair) -> Tally:
    return _hits(question, "iou", threshold=question.settings["iou"])


def _hits(question: SpanPair, name: str, **limits: Any) -> Tally:
    found = hits(name, question.gold, question.system, question.pairs, **limits)
    return tally_hits(found, *question.given, question.groups)


def string_set(question: SpanPair) -> Tally:
    return _strings(question, normalised, is_set=True)


def string_multiset(question: SpanPair) -> Tally:
    return _strings(question, str, is_set=False)


def _strings(question: SpanPair, form: Callable[[str], str], *, is_set: bool) -> Tally:
    """Exact match of strings in one form; of a set, each label and string counts once a text."""
    assert question.strings is not None
    gold, system = question.strings.spans(form)
    if is_set:
        gold, system = once(gold), once(system)
    return tally_spans(exact_exact(gold, system), gold, system, question.groups)


def units(question: SpanPair) -> Tally:
    """Tokens and separators."""
    return _units(question, tokens_and_separators, *question.covering)


def near(question: SpanPair) -> Tally:
    """Spans that are close to a gold span, and gold spans that have none near."""
    return _units(question, close_and_missed, *question.placed)


def _units(question: SpanPair, ask: Any, gold: Spans, system: Spans) -> Tally:
    """Where levels are separate, each label is one for every level."""
    levels = question.levels
    if levels > 1:
        gold, system = (replace(side, label=side.label * levels + side.level % levels) for side in (gold, system))
    judged: Units = ask(gold, system, question.text, question.equal)
    if levels > 1:
        judged = replace(judged, label=judged.label // levels)
    return tally_units(judged, question.gold.vocabulary.labels.values, question.groups)


def accuracy(question: SpanPair) -> Tally:
    """How many tokens have the right tag: by the tags as they stand, where both are known, else by the spans."""
    context, (gold, system) = question.context, question.tags
    assert context.lengths is not None
    if gold is None or system is None or not context.settings.keeps_labels:
        right = equal_tokens(*question.placed, context.text, question.continued)
    else:
        right = equal_tags(gold, system)
    return tally_accuracy(by_sentence(right, context.lengths), context.lengths, context.groups)
