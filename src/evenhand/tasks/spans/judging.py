"""Asks the judges: every system of a portion under every match model, each question once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values, empty, ints, others
from evenhand.relabeling import Supertag
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.spans.accuracy import by_sentence, equal_tags, equal_tokens
from evenhand.tasks.spans.exact import equal_spans, exact
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.overlap import HIT_MODELS, hits
from evenhand.tasks.spans.pairs import AllPairs
from evenhand.tasks.spans.portion import Portion
from evenhand.tasks.spans.semeval import semeval
from evenhand.tasks.spans.tallies import (
    tally_accuracy,
    tally_exact,
    tally_hits,
    tally_rest,
    tally_semeval,
    tally_spans,
    tally_units,
)
from evenhand.tasks.spans.token_separator import Text, Units, all_units, close_and_missed, units
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.text.align import Feed
from evenhand.text.layers import Spans, Tags, by_level

Watch = Callable[[Portion, Spans, Mapping[str, "Question"]], None]
Parts = dict[str, list[Tally]]
"""The tallies of portions by judge."""


class Relabeling:
    """`--map`, then `--labels` and `--exclude`, for one side: a new code for each label, -1 where it is left out."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._map = {each.old: each.new for each in settings.maps if each.applies_to(side, name)}
        self._labels, self._exclude = frozenset(settings.labels), frozenset(settings.exclude)
        self._new: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not (self._map or self._labels or self._exclude):
            return spans
        labels = spans.vocabulary.labels
        while len(self._new) < len(labels):
            name = labels[len(self._new)]
            name = self._map.get(name, name)
            kept = (not self._labels or name in self._labels) and name not in self._exclude
            self._new.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._new, dtype=np.int64))


@dataclass(frozen=True)
class Context:
    """What all systems of a portion are judged by: the text, and how."""

    groups: Ints
    lengths: Ints | None
    weights: Values | None
    settings: ScoreSettings

    @cached_property
    def text(self) -> Text:
        return Text.of(self.lengths, len(self.groups), 0, self.weights)


class Question:
    """One system against the gold standard, in one portion; what several judges need is worked out once."""

    def __init__(
        self,
        gold: Spans,
        system: Spans,
        context: Context,
        continued: Spans | None = None,
        *,
        is_watched: bool = False,
    ) -> None:
        """`continued` is what spans that begin in an earlier portion cover of this one: tokens, but no spans."""
        self.given, self._context, self._is_watched = (gold, system), context, is_watched
        self._continued = continued
        self.levels = 1
        if context.settings.levels == "separate":
            self.levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, self.levels), by_level(system, self.levels)
        self.gold, self.system = gold, system

    @cached_property
    def equal(self) -> tuple[Ints, Ints]:
        """The rows of equal spans."""
        return equal_spans(self.gold, self.system)

    @property
    def equal_given(self) -> tuple[Ints, Ints]:
        """The same, whatever their levels."""
        return self.equal if self.levels == 1 else equal_spans(*self.given)

    @cached_property
    def pairs(self) -> AllPairs:
        return AllPairs(self.gold, self.system)

    @cached_property
    def _fair(self) -> Verdicts:
        return fair(self.gold, self.system, self.equal)

    @cached_property
    def _others(self) -> tuple[Ints, Ints]:
        """The rows of spans that are on one side only."""
        return others(len(self.gold), self.equal[0]), others(len(self.system), self.equal[1])

    def verdicts(self, judge: str) -> Verdicts:
        """What the judges `fair` and `exact` say of every span."""
        return self._fair if judge == "fair" else exact(self.gold, self.system, self.equal)

    def tally(self, judge: str) -> Tally:
        """The counts of one judge."""
        settings, groups = self._context.settings, self._context.groups
        if judge == "exact":
            return tally_exact(self.equal[0], self._others, *self.given, groups)
        if judge == "fair" and self._is_watched:
            return tally_spans(self._fair, *self.given, groups)
        if judge == "fair":  # equal spans are right and out of the way of the others, which are few
            gold, system = self.gold.take(self._others[0]), self.system.take(self._others[1])
            verdicts = fair(gold, system, (empty(), empty()))
            return tally_rest(self.equal[0], verdicts, self._others, *self.given, groups)
        if judge == "semeval":
            return tally_semeval(semeval(self.gold, self.system, self.pairs), *self.given, groups)
        if judge in HIT_MODELS:
            found = hits(
                judge,
                self.gold,
                self.system,
                self.pairs,
                spurious=settings.spurious,
                missing=settings.missing,
                threshold=settings.iou,
            )
            return tally_hits(found, *self.given, groups)
        return tally_units(self._units(judge), self.gold.vocabulary.labels.values, groups)

    def accuracy(self, gold: Tags | None, system: Tags | None) -> Tally:
        """How many tokens have the right tag: by the tags as they stand, where both are known, else by the spans."""
        context = self._context
        assert context.lengths is not None
        if gold is None or system is None or not context.settings.keeps_labels:
            right = equal_tokens(*self.given, context.text, self._continued)
        else:
            right = equal_tags(gold, system)
        return tally_accuracy(by_sentence(right, context.lengths), context.lengths, context.groups)

    def _units(self, judge: str) -> Units:
        """What is said of tokens and separators; where levels are separate, each label is one for every level."""
        ask = close_and_missed if judge == "near" else units
        gold, system = self.given
        if judge != "near" and self._continued is not None:
            system = Spans.concatenate([system, self._continued], [0, 0])
        if self.levels == 1:
            return ask(gold, system, self._text, self.equal)
        gold, system = (
            replace(side, label=side.label * self.levels + side.level % self.levels) for side in (gold, system)
        )
        judged = ask(gold, system, self._text, self.equal)
        return replace(judged, label=judged.label // self.levels)

    @property
    def _text(self) -> Text:
        if self._context.lengths is not None:
            return self._context.text
        width = max(int(side.end.max(initial=0)) for side in self.given)
        return Text.of(None, len(self._context.groups), width)


class Judging:
    """Judges portions and adds up the tallies, by system and judge."""

    def __init__(self, settings: ScoreSettings, judges: Sequence[str], systems: Sequence[str]) -> None:
        self._settings, self._judges = settings, tuple(judges)
        self.watch: Watch | None = None
        """Somebody who looks at every portion when all systems are judged."""
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._relabel = {name: Relabeling(settings, "system", name) for name in systems}
        self._tallies: dict[str, Parts] = {name: {} for name in systems}
        self._text: list[Tally] = []
        self.levels = dict.fromkeys(systems, 1)
        """On how many levels a system's spans and the gold standard's are, where levels are separate."""
        self._supertags: dict[str, dict[str, Parts]] = {
            name: {tag.name: {} for tag in settings.supertags} for name in systems
        }

    def tallies(self) -> dict[str, dict[str, Tally]]:
        """For every system, the sum of all portions by judge; under `text`, how many units there are."""
        text = {"text": Tally.merge(self._text)} if self._text else {}
        return {name: _merged(parts) | text for name, parts in self._tallies.items()}

    def supertags(self) -> dict[str, dict[str, dict[str, Tally]]]:
        """For every system and supertag, the same."""
        return {name: {tag: _merged(parts) for tag, parts in tags.items()} for name, tags in self._supertags.items()}

    def __call__(self, portion: Portion, feeds: Mapping[str, Feed], encoding: str | None) -> dict[str, Spans]:
        """Judge a portion, one system after the other; the spans of all sides as they were judged, gold as `""`.

        `encoding` is that of the gold standard.
        """
        given = portion.gold(keeps_tags="accuracy" in self._judges)
        gold = self._relabel_gold(given.spans)
        context = Context(portion.groups, portion.lengths, portion.weights, self._settings)
        judged = {"": gold}
        if "units" in self._judges:
            self._text.append(tally_units(all_units(context.text), (), context.groups))
        questions = {}
        for name, feed in feeds.items():
            feed.keeps_tags = "accuracy" in self._judges
            side = portion.take(feed)
            system = judged[name] = self._relabel[name](side.spans)
            continued = None if side.continued is None else self._relabel[name](side.continued)
            question = Question(gold, system, context, continued, is_watched=self.watch is not None)
            questions[name] = question
            self.levels[name] = max(self.levels[name], question.levels)
            for judge in self._judges:
                if judge != "accuracy":
                    _add(self._tallies[name], judge, question.tally(judge))
            if "accuracy" in self._judges:
                same = feed.reading is not None and feed.reading.encoding == encoding
                _add(self._tallies[name], "accuracy", question.accuracy(given.tags, side.tags if same else None))
            for tag in self._settings.supertags:
                self._judge_supertag(tag, name, gold, system, context, continued)
            if self.watch is None:
                questions.clear()  # what a question keeps is let go
        if self.watch is not None:
            self.watch(portion, gold, questions)
        return judged

    def _judge_supertag(
        self, tag: Supertag, name: str, gold: Spans, system: Spans, context: Context, continued: Spans | None
    ) -> None:
        """The same questions, with several labels taken as one and all others left out."""
        labels = gold.vocabulary.labels
        code = labels.code(tag.name)
        new = ints([code if not tag.labels or label in tag.labels else -1 for label in labels.values])
        rest = None if continued is None else continued.relabel(new)
        question = Question(gold.relabel(new), system.relabel(new), context, rest)
        for judge in self._judges:
            if judge != "accuracy":
                _add(self._supertags[name][tag.name], judge, question.tally(judge))


def _add(parts: Parts, judge: str, tally: Tally) -> None:
    parts.setdefault(judge, []).append(tally)


def _merged(parts: Parts) -> dict[str, Tally]:
    """The sums; parts are given up as they are added, so that both are not held at once."""
    return {judge: Tally.merge(parts.pop(judge)) for judge in list(parts)}
