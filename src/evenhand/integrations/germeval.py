"""`germeval`: the metrics of GermEval 2014, from a file with six columns or from two files with four."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from functools import reduce
from operator import add
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from evenhand.alignment.spans import Feed
from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, Layer
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags, by_level
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, Problem, SettingError, counted, visible
from evenhand.formats.parsing.token_table import TRAILING
from evenhand.formats.read import file_batches
from evenhand.formats.source import Source
from evenhand.formats.storage import to_path
from evenhand.parameters import checked_arguments
from evenhand.report import latex as booktabs
from evenhand.report.document import ReportDocument, Section, row_texts
from evenhand.report.latex import comment
from evenhand.results.display import Displayed
from evenhand.settings import ReadSettings, Repair
from evenhand.tables import Cell, Column, Table
from evenhand.tasks.spans.germeval import (
    CLASS_OF,
    CLASSES,
    LABELS,
    LEVELS,
    LOOSE_TAG,
    TAGS,
    ByLevel,
    Causes,
    Counts,
    Metric,
    Score,
    ScriptCounts,
    by_class,
    by_label,
    metrics,
)
from evenhand.tasks.spans.matching import equal_spans
from evenhand.version import __version__

# == result/germeval.py: The result of `germeval`.


@dataclass(frozen=True)
class Repairs:
    """The ill-formed spans of both sides: how many there are, and the first ones of each file."""

    policy: Repair
    gold: int
    prediction: int
    first: tuple[Problem, ...]

    @property
    def count(self) -> int:
        return self.gold + self.prediction


@dataclass(frozen=True, repr=False)
class GermEval(Displayed):
    """The metrics of GermEval 2014: `result.strict.f1`, `result.inner.recall`, `result.labels["LOCderiv"].outer.f1`."""

    name: str
    """What the prediction is called."""
    gold_name: str
    sentences: int
    tokens: int
    metrics: Mapping[str, Metric]
    labels: Mapping[str, ByLevel]
    """Strict, by label and level."""
    classes: Mapping[str, ByLevel]
    """Loose, by class and level."""
    other_level: int
    """Predictions that are not correct, and would be on the other level."""
    repairs: Repairs
    script: Mapping[str, Metric]
    """What the task's script says, by the rules of `ScriptCounts`."""
    as_script: bool
    """Whether `metrics`, `labels` and `classes` are the script's, too."""
    notes: tuple[str, ...]
    signature: str

    def as_document(self) -> ReportDocument:
        """The metrics and counts as tables, for notebooks."""
        return germeval_document(self)

    @property
    def strict(self) -> Metric:
        """Metric 1, which ranks systems."""
        return self.metrics["strict"]

    @property
    def loose(self) -> Metric:
        """Metric 2."""
        return self.metrics["loose"]

    @property
    def outer(self) -> Metric:
        """Metric 3 on the first level."""
        return self.metrics["outer"]

    @property
    def inner(self) -> Metric:
        """Metric 3 on the second level."""
        return self.metrics["inner"]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python: scores are fractions, counts integers."""
        return {
            "evenhand": __version__,
            "command": "germeval",
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": {
                "name": self.gold_name,
                "sentences": self.sentences,
                "tokens": self.tokens,
                "units": self.strict.gold,
                "labels": {label: levels.outer.gold + levels.inner.gold for label, levels in self.labels.items()},
            },
            "prediction": {"name": self.name, "units": self.strict.found},
            "metrics": _metrics_germeval(self.metrics),
            "script": _metrics_germeval(self.script),
            "labels": _by_level_germeval(self.labels),
            "classes": _by_level_germeval(self.classes),
            "other_level": self.other_level,
            "repaired": {
                "gold": self.repairs.gold,
                "prediction": self.repairs.prediction,
                "first": [
                    {"file": problem.source, "line": problem.line, "finding": problem.finding}
                    for problem in self.repairs.first
                ],
            },
        }

    def __str__(self) -> str:
        # a result shows itself: the report is loaded when asked for

        return text(self)


def _score(score: Score) -> dict[str, float]:
    counts = {"gold": score.gold, "found": score.found, "correct": score.correct}
    return {**counts, "precision": score.precision, "recall": score.recall, "f1": score.f1}


def _metrics_germeval(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    return {name: {"accuracy": metric.accuracy, **_score(metric)} for name, metric in metrics.items()}


def _by_level_germeval(scores: Mapping[str, ByLevel]) -> dict[str, Any]:
    return {name: dict(zip(LEVELS, map(_score, levels), strict=True)) for name, levels in scores.items()}


# == result/germeval_notes.py: Where the figures of GermEval's own script are others than o


def script_note(ours: Counts, script: Counts, causes: Causes, repairs: Repairs, *, as_script: bool) -> Iterator[str]:
    """One sentence, if any printed figure differs: the figures of the other side."""
    other, shown = (metrics(ours), metrics(script)) if as_script else (metrics(script), metrics(ours))
    differing = list(_differences(shown, other)) or _labels_that_differ(ours, script)
    if not differing:
        return
    figures, reason = _listed(differing), _listed(list(_reasons(causes, repairs)))
    if as_script:
        yield f"These are the figures of the official script; Evenhand's are {figures}, since the script {reason}."
    else:
        yield f"The official script prints {figures}, since it {reason}; --as-script gives its figures."


def _differences(shown: Mapping[str, Metric], other: Mapping[str, Metric]) -> Iterator[str]:
    for name, metric in other.items():
        if _printed(metric) != _printed(shown[name]):
            f1, f1_shown = (round(each.percentages.f1, 2) for each in (metric, shown[name]))
            yield f"{f1:.2f} ({f1 - f1_shown:+.2f}) for {name} F1"


def _labels_that_differ(ours: Counts, script: Counts) -> list[str]:
    """For figures by label or class that differ though those over all of them do not."""
    labels = [
        label
        for scores in (by_label, by_class)
        for (label, left), right in zip(scores(ours).items(), scores(script).values(), strict=True)
        if [_printed(score) for score in left] != [_printed(score) for score in right]
    ]
    return [f"other figures for {label}" for label in dict.fromkeys(labels)]


def _printed(score: Score) -> list[str]:
    return [f"{value:.2f}" for value in score.percentages]


def _reasons(causes: Causes, repairs: Repairs) -> Iterator[str]:
    if causes.other_label:
        yield f"continues {_entities(causes.other_label)} over a change of label at I-"
    if causes.sentence_end:
        yield f"continues {_entities(causes.sentence_end)} over the end of a sentence"
    if causes.file_end:
        yield f"counts {_entities(causes.file_end)} at the end of the file as wrong"
    if repairs.policy == "discard" and repairs.count:
        yield f"keeps {_entities(repairs.count)} that --repair discard leaves out"


def _entities(count: int) -> str:
    return counted(count, "entity")


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


# == report/germeval.py: The metrics of GermEval 2014 as text, with the figures of th


_TITLES = {
    "strict": "1. Strict, Combined Evaluation (official):",
    "loose": "2. Loose, Combined Evaluation:",
    "outer": "3.1 Per-Level Evaluation (outer chunks):",
    "inner": "3.2 Per-Level Global Evaluation (inner chunks):",
}
_PER_TYPE = "Evaluation per type and mode:"
_COUNTS = ("gold", "found", "correct")
_ROWS = {"strict": "strict, combined", "loose": "loose, combined", "outer": "strict, outer", "inner": "strict, inner"}


def text(result: GermEval, *, verbose: bool = False) -> str:
    """The script's figures, then what it does not say; with `verbose`, the counts behind the figures."""
    lines = [*_metrics(result), "", "", *_per_type(result), ""]
    if verbose:
        lines += [*_aligned(_counts(result)), ""]
    shown = "\n".join([*lines, *remarks(result), result.signature])
    return "\n".join(map(visible, shown.split("\n"))) + "\n"


def latex(result: GermEval, *, verbose: bool = False) -> str:
    """The four metrics as a table with booktabs; with `verbose`, another one with the counts."""
    lines = [comment(result.signature), *booktabs.lines(_metric_table(result))]
    if verbose:
        lines += ["", *booktabs.lines(_counts(result))]
    return "\n".join(lines) + "\n"


def germeval_document(result: GermEval) -> ReportDocument:
    """The four metrics, and the counts below, for reports that are made of tables."""
    opening = f"GermEval 2014: {result.name} against the gold standard {result.gold_name}"
    said = "" if result.as_script else "; ".join(line.strip() for line in (_other_level(result), *_repairs(result)))
    sections = [
        Section("", [replace(_metric_table(result), remark=said and f"{said}.")]),
        Section("counts by label and level", [_counts(result)]),
    ]
    return ReportDocument(opening, sections, result.notes, result.signature)


def _metric_table(result: GermEval) -> Table:
    columns = [Column("metric", "text"), *(Column(name, "percent") for name in ("accuracy", "P", "R", "F1"))]
    rows: list[list[Cell]] = []
    for name, title in _ROWS.items():
        metric = result.metrics[name]
        scored = result.strict if result.as_script and name == "loose" else metric  # as the script's own table
        rows.append([title, metric.accuracy, scored.precision, scored.recall, scored.f1])
    return Table("", columns, rows)


def remarks(result: GermEval) -> list[str]:
    """What the script does not say: predictions on the wrong level, what was mended, and what is worth a look.

    The first two are about entities as we read them, so that they do not stand below the script's figures.
    """
    ours = [] if result.as_script else [_other_level(result), *_repairs(result)]
    return [*ours, *(f"Note: {note}" for note in result.notes)]


def _other_level(result: GermEval) -> str:
    return f"Predictions right on the other level: {result.other_level:,}"


def _metrics(result: GermEval) -> Iterator[str]:
    outer, inner = result.outer, result.inner
    for mode in ("STRICT", "LOOSE"):
        yield (
            f"{mode}: Found: {outer.found} outer and {inner.found} inner phrases; "
            f"Gold: {outer.gold} (outer) and {inner.gold} (inner)."
        )
    for name, title in _TITLES.items():
        metric = result.metrics[name]
        yield from ("", title, ";\n".join((f"Accuracy: {_accuracy(result, name):6.2f}%", *_figures(metric))))


def _accuracy(result: GermEval, name: str) -> float:
    """In percent, as the script divides counts, so that ties are rounded alike: combined metrics have half tags."""
    accuracy = result.metrics[name].accuracy
    if name in LEVELS or not result.tokens:
        return 100 * accuracy
    return 100 * (round(2 * accuracy * result.tokens) / 2) / result.tokens


def _per_type(result: GermEval) -> Iterator[str]:
    """The strict figures of every label; the loose ones of a class stand with the label that has no suffix.

    The script leaves out what does not occur on either side.
    """
    yield from (_PER_TYPE, "=" * len(_PER_TYPE), "")
    for label, strict in result.labels.items():
        scores = (*strict, *result.classes.get(label, ()))
        if result.as_script and not any(score.gold or score.found for score in scores):
            continue
        yield from (f"==> {label:>10}", "=" * 14)
        for mode, scores in (("strict", strict), ("loose", result.classes.get(label, ()))):
            for level, score in zip(LEVELS, scores, strict=False):
                yield f"{level.title()} {mode}: {'; '.join(_figures(score))}"


def _figures(score: Score) -> tuple[str, str, str]:
    precision, recall, f1 = score.percentages
    return f"Precision: {precision:6.2f}%", f"Recall: {recall:6.2f}%", f"FB1: {f1:6.2f}"


def _counts(result: GermEval) -> Table:
    """Gold, found and correct entities by label and level."""
    names = [f"{level} {count}" for level in LEVELS for count in _COUNTS]
    loose_outer, loose_inner = (sum(each[level].correct for each in result.classes.values()) for level in range(2))
    rows = [
        *((label, *levels) for label, levels in result.labels.items()),
        *((f"{name}, loose", *levels) for name, levels in result.classes.items()),
        ("all", result.outer, result.inner),
        (
            "all, loose",
            Score(result.outer.gold, result.outer.found, loose_outer),
            Score(result.inner.gold, result.inner.found, loose_inner),
        ),
    ]
    cells: list[list[Cell]] = [
        [name, outer.gold, outer.found, outer.correct, inner.gold, inner.found, inner.correct]
        for name, outer, inner in rows
    ]
    return Table("counts", [Column("label", "text"), *(Column(name, "count") for name in names)], cells, summary_rows=2)


def _aligned(table: Table) -> Iterator[str]:
    """Narrow enough for a terminal: the levels stand above the names of their columns."""
    yield f"{table.title:<12}" + "".join(f"{level:>{8 * len(_COUNTS)}}" for level in LEVELS)
    for first, *counts in (("", *_COUNTS * len(LEVELS)), *row_texts(table)):
        yield f"{first:<12}" + "".join(f"{count:>8}" for count in counts)


def _repairs(result: GermEval) -> Iterator[str]:
    """How many spans are ill-formed, and the first ones with their places."""
    repairs = result.repairs
    if not repairs.count:
        yield "Repaired tags: 0"
        return
    done = "left out" if repairs.policy == "discard" else "taken as they stand"
    sides = f"gold {repairs.gold:,}, prediction {repairs.prediction:,}"
    yield f"Repaired tags: {repairs.count:,} ({sides}; spans {done})"
    for problem in repairs.first:
        yield f"  {problem.source}:{problem.line}: {problem.finding}"
    if repairs.count > len(repairs.first):
        yield f"  and {repairs.count - len(repairs.first):,} more"


# == api/germeval.py (primary)


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
        self.source = Source(to_path(path), self._problems, delimiter)
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
            yield f"{file.source.display_name}: dropped the empty columns at the end of {lines}."
        if file.breaks_differ:
            yield f"{file.source.display_name}: its sentences differ from the gold standard's, which were used."
    gold, found, correct = (int(each.sum()) for each in (counts.gold, counts.found, counts.correct))
    for side, file, size in (("the gold standard", files[0], gold), ("the prediction", files[-1], found)):
        if not size:
            yield f"{file.source.display_name}: {side} has no entity at all."
    if gold and gold == found == correct:
        yield f"{files[-1].source.display_name}: the prediction is equal to the gold standard; is it the right file?"


def _checked_delimiter(given: str | None) -> str | None:
    """The delimiter, or None for tabs."""
    if given is None or given == "\t":
        return None
    if not given or any(char.isalnum() or char in "-\n\r\0" for char in given):
        remedy = "choose a mark that is no letter, digit, hyphen or line end"
        raise SettingError(f"The delimiter {given!r} cannot separate columns; {remedy}.")
    return given
