"""`germeval`: the metrics of GermEval 2014, from a file with six columns or from two files with four."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from functools import reduce
from operator import add
from os import PathLike
from typing import NamedTuple

import numpy as np

from evenhand.arguments import checked_arguments
from evenhand.arrays import Ints, ints
from evenhand.formats.addresses import place
from evenhand.formats.parsing.layout import TRAILING
from evenhand.formats.read import file_batches
from evenhand.formats.source import Source
from evenhand.problems import InputError, Problem, SettingError, counted
from evenhand.result.germeval import GermEval, Repairs
from evenhand.result.germeval_notes import script_note
from evenhand.scores.germeval import (
    CLASS_OF,
    CLASSES,
    LABELS,
    LEVELS,
    LOOSE_TAG,
    TAGS,
    Counts,
    by_class,
    by_label,
    metrics,
)
from evenhand.scores.germeval_script import ScriptCounts
from evenhand.settings import ReadSettings, Repair
from evenhand.tasks.spans.exact import equal_spans
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Layer
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags, by_level
from evenhand.version import __version__

FIRST_REPAIRS = 5
"""How many ill-formed spans of a file are named."""
_ILL_FORMED = "ill-formed span"
_CODE_OF_TAG = {tag: code for code, tag in enumerate(TAGS)}
_MEND = (
    f"mend it: tags are O, or B- or I- with {', '.join(CLASSES[:-1])} or {CLASSES[-1]}, maybe with deriv or part behind"
)


@checked_arguments()
def germeval(
    gold: str | PathLike[str],
    prediction: str | PathLike[str] | None = None,
    *,
    delimiter: str | None = None,
    repair: Repair = "begin",
    as_script: bool = False,
) -> GermEval:
    """The metrics of GermEval 2014; files are read in bounded memory.

    `gold` has six columns (index, token, gold outer and inner tag, predicted outer and inner tag); with `prediction`,
    both files have four, and the same tokens. (Of six columns, a gold file then gives its gold tags, a prediction its
    predicted ones.) `delimiter` separates columns instead of tabs. `repair` says what becomes of ill-formed spans,
    which begin with I-: "begin" takes them as they stand, "discard" leaves them out, "error" refuses the file.
    `as_script` gives the figures of the script of the task, which takes some entities for others
    (docs/how-to/germeval.md).
    """
    if as_script and repair != "begin":
        raise SettingError(f"The script has its own rule for ill-formed entities; leave out --repair {repair}.")
    settings = ReadSettings(format="germeval", encoding="iob2", system_encoding="iob2", repair=repair)
    delimiter, vocabulary = _checked_delimiter(delimiter), Vocabulary()
    if prediction is None:
        files = [_File(gold, ("gold", "system"), delimiter, settings, vocabulary)]
    else:
        sides = ((gold, "gold"), (prediction, "system"))
        files = [_File(path, (side,), delimiter, settings, vocabulary) for path, side in sides]
    steps = _one_file(*files) if prediction is None else _two_files(*files)
    script = ScriptCounts()
    ours = reduce(add, (_count(step, script) for step in steps))
    return _result(files, ours, script, repair, as_script=as_script)


class _File:
    """A file whose batches are checked as they pass by; what is mended in it is counted."""

    def __init__(
        self,
        path: str | PathLike[str],
        layers: Sequence[str],
        delimiter: str | None,
        settings: ReadSettings,
        vocabulary: Vocabulary,
    ) -> None:
        self._problems: list[Problem] = []
        self.source = Source(place(path), self._problems, delimiter)
        self.repaired: Counter[str] = Counter()
        self.first_repairs: list[Problem] = []
        self.trailing = 0
        self.breaks_differ = False
        self._layers, self._settings, self._vocabulary = layers, settings, vocabulary

    def batches(self) -> Iterator[Annotation]:
        """The batches, with tags in the codes of `TAGS`; the first problem of each that nothing can mend is raised."""
        columns = dict.fromkeys(self._layers, ())
        for batch in file_batches(self.source, self._settings, self._vocabulary, columns):
            wrong, layers = [], dict(batch.layers)
            for layer in self._layers:
                for level, column in enumerate((batch.readings[layer].column or "").split("+"), 1):
                    name = f"{layer}-tags-{level}"
                    layers[name], problem = _recoded(batch[name], batch.corpus, column)
                    wrong += [problem] if problem else []
                self.repaired[layer] += batch.readings[layer].repaired
            self.trailing += batch.readings[self._layers[0]].skipped.get(TRAILING, 0)
            self._settle(wrong)
            yield replace(batch, layers=layers)
        self._settle([])

    def _settle(self, wrong_tags: list[Problem]) -> None:
        """Raise the first problem that nothing can mend; keep the first of the others."""
        problems = [each for each in self._problems if each.kind != "tag"] + wrong_tags  # the reader allows more tags
        self._problems.clear()
        problems.sort(key=lambda problem: problem.line or 0)
        for problem in problems:
            if problem.kind != _ILL_FORMED or self._settings.repair == "error":
                raise InputError(*astuple(problem))
        self.first_repairs += problems[: FIRST_REPAIRS - len(self.first_repairs)]


def _recoded(tags: Layer, corpus: Corpus, column: str) -> tuple[Tags, Problem | None]:
    """Tags in the codes of `TAGS`, and the first one that has none."""
    assert isinstance(tags, Tags)
    code = ints([_CODE_OF_TAG.get(name, -1) for name in tags.names])[tags.code]
    unknown = np.flatnonzero(code < 0)
    if not len(unknown):
        return Tags(code, TAGS), None
    tag = tags.names[int(tags.code[unknown[0]])]
    prefix, hyphen, label = tag.partition("-")
    if not tag:
        finding = f"there is no tag in column {column}"
    elif hyphen and prefix in ("B", "I"):
        finding = f"the tag {tag!r} in column {column} has the unknown class {label!r}"
    elif hyphen:
        finding = f"the tag {tag!r} in column {column} has the unknown prefix {prefix!r}"
    else:
        finding = f"the tag {tag!r} in column {column} is unknown"
    return tags, Problem(corpus.source, corpus.line(int(unknown[0])), finding, _MEND, "tag")


class _Step(NamedTuple):
    """The same part of the text on both sides; tags have a row a level."""

    corpus: Corpus
    gold: Spans
    system: Spans
    gold_tags: Ints
    system_tags: Ints


def _one_file(file: _File) -> Iterator[_Step]:
    for batch in file.batches():
        gold, system = batch.spans("gold"), batch.spans("system")
        yield _Step(batch.corpus, gold, system, _tags(batch, "gold"), _tags(batch, "system"))


def _two_files(gold: _File, system: _File) -> Iterator[_Step]:
    """Both files in step; the prediction's tags wait until the gold standard's batch has been taken from it."""
    waiting = [np.stack([ints([])] * len(LEVELS))]

    def passing() -> Iterator[Annotation]:
        for batch in system.batches():
            waiting.append(_tags(batch, "system"))
            yield batch

    feed = Feed(passing(), "system")
    try:
        for batch in gold.batches():
            spans, size = feed.take(batch.corpus), batch.corpus.token_count
            tags = np.concatenate(waiting, axis=1)
            waiting[:] = [tags[:, size:]]
            yield _Step(batch.corpus, batch.spans("gold"), spans, _tags(batch, "gold"), tags[:, :size])
        feed.finish(batch.corpus)
    except InputError as error:
        problem = error.problem
        if problem.kind != "text":
            raise
        remedy = "gold standard and prediction must have the same tokens in the same order"
        raise InputError(problem.source, problem.line, problem.finding, remedy, problem.kind) from None
    system.breaks_differ = feed.breaks_differ


def _tags(batch: Annotation, layer: str) -> Ints:
    """The tags of both levels, as codes of `TAGS`."""
    levels = [batch[f"{layer}-tags-{level}"] for level in range(1, len(LEVELS) + 1)]
    return np.stack([tags.code for tags in levels if isinstance(tags, Tags)])


def _count(step: _Step, script: ScriptCounts) -> Counts:
    """Match spans within their level, once with labels and once with classes; then what is left across levels.

    The script counts the same tags in its own way.
    """
    assert step.corpus.bounds is not None
    script.add(step.gold_tags, step.system_tags, step.corpus.bounds[:-1])
    names = step.gold.vocabulary.labels.values
    labels = ints([LABELS.index(name) for name in names])
    gold, system = (by_level(spans.relabel(labels), len(LEVELS)) for spans in (step.gold, step.system))
    mine, theirs = equal_spans(gold, system)
    loosely = equal_spans(gold.relabel(CLASS_OF), system.relabel(CLASS_OF))[0]
    missed, wrong = (
        spans.take(np.delete(np.arange(len(spans)), rows)) for spans, rows in ((gold, mine), (system, theirs))
    )
    moved = replace(wrong, scope=wrong.scope + 1 - 2 * wrong.level)
    return Counts(
        gold=_by_level(gold),
        found=_by_level(system),
        correct=_by_level(gold.take(mine)),
        loosely_correct=_by_level(gold.take(loosely).relabel(CLASS_OF), len(CLASSES)),
        sentences=step.corpus.sentences,
        tokens=step.gold_tags.shape[1],
        equal_tags=(step.gold_tags == step.system_tags).sum(axis=1),
        loosely_equal_tags=(LOOSE_TAG[step.gold_tags] == LOOSE_TAG[step.system_tags]).sum(axis=1),
        other_level=len(equal_spans(missed, moved)[0]),
    )


def _by_level(spans: Spans, labels: int = len(LABELS)) -> Ints:
    """How many spans there are, a row a level and a column a label."""
    counted = np.bincount(spans.level * labels + spans.label, minlength=len(LEVELS) * labels)
    return counted.reshape(len(LEVELS), labels)


def _result(files: Sequence[_File], ours: Counts, script: ScriptCounts, repair: Repair, *, as_script: bool) -> GermEval:
    repaired = reduce(add, (file.repaired for file in files))
    first = tuple(problem for file in files for problem in file.first_repairs)
    repairs = Repairs(repair, repaired["gold"], repaired["system"], first)
    theirs = script.counts(ours)
    counts = theirs if as_script else ours
    rules = "scope:file|levels:separate|entities:script" if as_script else "scope:sentence|levels:separate"
    settings = f"align:strict|{rules}|encoding:iob2" + ("" if as_script else f"|repair:{repair}")
    difference = script_note(ours, theirs, script.causes(), repairs, as_script=as_script)
    return GermEval(
        name=files[-1].source.name,
        gold_name=files[0].source.name,
        sentences=counts.sentences,
        tokens=counts.tokens,
        metrics=metrics(counts),
        labels=by_label(counts),
        classes=by_class(counts),
        other_level=counts.other_level,
        repairs=repairs,
        script=metrics(theirs),
        as_script=as_script,
        notes=(*_notes(files, ours), *difference),
        signature=f"evenhand:{__version__}|task:germeval|{settings}",
    )


def _notes(files: Sequence[_File], counts: Counts) -> Iterator[str]:
    """One sentence for everything that is worth a look."""
    for file in files:
        if file.trailing:
            lines = counted(file.trailing, "line")
            yield f"{file.source.shown}: dropped the empty columns at the end of {lines}."
        if file.breaks_differ:
            yield f"{file.source.shown}: its sentences differ from the gold standard's, which were used."
    gold, found, correct = (int(each.sum()) for each in (counts.gold, counts.found, counts.correct))
    for side, file, size in (("the gold standard", files[0], gold), ("the prediction", files[-1], found)):
        if not size:
            yield f"{file.source.shown}: {side} has no entity at all."
    if gold and gold == found == correct:
        yield f"{files[-1].source.shown}: the prediction is equal to the gold standard; is it the right file?"


def _checked_delimiter(given: str | None) -> str | None:
    """The delimiter, or None for tabs."""
    if given is None or given == "\t":
        return None
    if not given or any(char.isalnum() or char in "-\n\r\0" for char in given):
        remedy = "choose a mark that is no letter, digit, hyphen or line end"
        raise SettingError(f"The delimiter {given!r} cannot separate columns; {remedy}.")
    return given
