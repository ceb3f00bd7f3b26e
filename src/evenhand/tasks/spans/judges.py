"""The judges of spans: each takes a question and gives a tally. Those of other packages have the same form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evenhand.arrays import Ints, empty
from evenhand.tally import Tally
from evenhand.tasks.spans.accuracy import by_sentence, equal_tags, equal_tokens
from evenhand.tasks.spans.exact import exact as exact_verdicts
from evenhand.tasks.spans.fair import fair as fair_verdicts
from evenhand.tasks.spans.overlap import hits
from evenhand.tasks.spans.question import Question
from evenhand.tasks.spans.semeval import semeval as semeval_pairs
from evenhand.tasks.spans.string_match import normalised, once
from evenhand.tasks.spans.tallies import (
    tally_accuracy,
    tally_hits,
    tally_rest,
    tally_semeval,
    tally_spans,
    tally_units,
)
from evenhand.tasks.spans.token_separator import Units, close_and_missed
from evenhand.tasks.spans.token_separator import units as tokens_and_separators
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.text.layers import Spans


def exact(question: Question) -> Tally:
    if question.targets is not None:
        return tally_spans(question.exact, *question.given, question.groups)
    return _tally_rest(question, exact_verdicts)


def fair(question: Question) -> Tally:
    """Unless somebody asks for all verdicts, equal spans are out of the way of the others, which are few."""
    if question.is_watched or question.targets is not None:
        return tally_spans(question.fair, *question.given, question.groups)
    return _tally_rest(question, fair_verdicts)


def _tally_rest(question: Question, judge: Callable[[Spans, Spans, tuple[Ints, Ints]], Verdicts]) -> Tally:
    """Equal spans are right, and a judge is asked about the others."""
    verdicts = judge(*question.rest, (empty(), empty()))
    return tally_rest(question.equal[0], verdicts, question.others, *question.given, question.groups)


def semeval(question: Question) -> Tally:
    found = semeval_pairs(question.gold, question.system, question.pairs)
    return tally_semeval(found, *question.given, question.groups)


def overlap(question: Question) -> Tally:
    return _hits(question, "overlap")


def contain(question: Question) -> Tally:
    return _hits(question, "contain")


def constrained(question: Question) -> Tally:
    limits = {name: question.settings[f"constrained_{name}"] for name in ("spurious", "missing")}
    return _hits(question, "constrained", **limits)


def iou(question: Question) -> Tally:
    return _hits(question, "iou", threshold=question.settings["iou"])


def _hits(question: Question, name: str, **limits: Any) -> Tally:
    found = hits(name, question.gold, question.system, question.pairs, **limits)
    return tally_hits(found, *question.given, question.groups)


def string_set(question: Question) -> Tally:
    return _strings(question, normalised, is_set=True)


def string_multiset(question: Question) -> Tally:
    return _strings(question, str, is_set=False)


def _strings(question: Question, form: Callable[[str], str], *, is_set: bool) -> Tally:
    """Exact match of strings in one form; of a set, each label and string counts once a text."""
    assert question.strings is not None
    gold, system = question.strings.spans(form)
    if is_set:
        gold, system = once(gold), once(system)
    return tally_spans(exact_verdicts(gold, system), gold, system, question.groups)


def units(question: Question) -> Tally:
    """Tokens and separators."""
    return _units(question, tokens_and_separators, *question.covering)


def near(question: Question) -> Tally:
    """Spans that are close to a gold span, and gold spans that have none near."""
    return _units(question, close_and_missed, *question.placed)


def _units(question: Question, ask: Any, gold: Spans, system: Spans) -> Tally:
    """Where levels are separate, each label is one for every level."""
    levels = question.levels
    if levels > 1:
        gold, system = (replace(side, label=side.label * levels + side.level % levels) for side in (gold, system))
    judged: Units = ask(gold, system, question.text, question.equal)
    if levels > 1:
        judged = replace(judged, label=judged.label // levels)
    return tally_units(judged, question.gold.vocabulary.labels.values, question.groups)


def accuracy(question: Question) -> Tally:
    """How many tokens have the right tag: by the tags as they stand, where both are known, else by the spans."""
    context, (gold, system) = question.context, question.tags
    assert context.lengths is not None
    if gold is None or system is None or not context.settings.keeps_labels:
        right = equal_tokens(*question.placed, context.text, question.continued)
    else:
        right = equal_tags(gold, system)
    return tally_accuracy(by_sentence(right, context.lengths), context.lengths, context.groups)
