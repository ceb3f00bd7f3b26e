"""`germeval`: the report of GermEval 2014's script, from a file with six columns or from two files with four.

The metrics are the measures of `tasks.spans.germeval`, which also has the rules of the script; this module reads the
files, checks their tags, and prints the figures in the order of the script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from functools import reduce
from operator import add
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from evenhand import __version__
from evenhand.alignment.parts import Alignment
from evenhand.alignment.spans import SpanFollower
from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, Layer
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
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
from evenhand.scoring.prf import Percentages, percentages, ratio
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, Repair
from evenhand.tables import Cell, Column, Table
from evenhand.tasks.spans.germeval import (
    CLASSES,
    LABELS,
    SUFFIXES,
    TAGS,
    Causes,
    ScriptCounts,
    count_on_other_level,
    tally_levels,
    without_suffixes,
)
from evenhand.tasks.spans.measures import GERMEVAL_LEVELS as LEVELS

FIRST_REPAIRS = 5
"""Number of ill-formed spans of a file that are named."""
_ILL_FORMED = "ill-formed span"
_CODE_OF_TAG = {tag: code for code, tag in enumerate(TAGS)}
_LOOSE_TAG = ints([0, *(1 + code // len(SUFFIXES) * len(SUFFIXES) for code in range(len(TAGS) - 1))])
"""For each tag the tag without suffix."""
_MEND = (
    f"mend it: tags are O, or B- or I- with {', '.join(CLASSES[:-1])} or {CLASSES[-1]}, which deriv or part may follow"
)
_TITLES = {
    "strict": "1. Strict, Combined Evaluation (official):",
    "loose": "2. Loose, Combined Evaluation:",
    "outer": "3.1 Per-Level Evaluation (outer chunks):",
    "inner": "3.2 Per-Level Global Evaluation (inner chunks):",
}
_PER_TYPE = "Evaluation per type and mode:"
_COUNTS = ("gold", "found", "correct")
_ROWS = {"strict": "strict, combined", "loose": "loose, combined", "outer": "strict, outer", "inner": "strict, inner"}


@dataclass(frozen=True)
class Score:
    """The numbers of gold, predicted (`found`) and correct entities."""

    gold: int
    found: int
    correct: int

    @property
    def precision(self) -> float:
        return float(ratio(self.correct, self.found))

    @property
    def recall(self) -> float:
        return float(ratio(self.correct, self.gold))

    @property
    def f1(self) -> float:
        return float(ratio(2 * self.correct, self.found + self.gold))

    @property
    def percentages(self) -> Percentages:
        """Precision, recall and F1 by the divisions of the script, so ties are rounded alike."""
        return percentages(self.correct, self.found, self.gold)


@dataclass(frozen=True)
class Metric(Score):
    """A score over all labels, with the accuracy of the tags."""

    accuracy: float


class ByLevel(NamedTuple):
    """The scores of one label or class."""

    outer: Score
    inner: Score


@dataclass(frozen=True)
class Counts:
    """Entities by level (row) and label or class (column), and equal tags by level."""

    gold: Ints
    found: Ints
    correct: Ints
    loosely_correct: Ints
    """By class."""
    tokens: int
    equal_tags: Ints
    loosely_equal_tags: Ints

    def metrics(self) -> dict[str, Metric]:
        """Metric 1 (strict), metric 2 (loose) and metric 3 (outer, inner), each with its accuracy (metric 4)."""
        gold, predicted, correct = (counts.sum(axis=1).tolist() for counts in (self.gold, self.found, self.correct))
        accuracy = ratio(self.equal_tags, self.tokens).tolist()
        loosely_correct, loose_accuracy = int(self.loosely_correct.sum()), ratio(self.loosely_equal_tags, self.tokens)
        return {
            "strict": Metric(sum(gold), sum(predicted), sum(correct), float(np.mean(accuracy))),
            "loose": Metric(sum(gold), sum(predicted), loosely_correct, float(np.mean(loose_accuracy))),
            **dict(zip(LEVELS, map(Metric, gold, predicted, correct, accuracy), strict=True)),
        }

    def by_label(self) -> dict[str, ByLevel]:
        """Strict scores of the 12 labels."""
        return _by_level(LABELS, self.gold, self.found, self.correct)

    def by_class(self) -> dict[str, ByLevel]:
        """Loose scores of the 4 classes."""
        shape = len(LEVELS), len(CLASSES), len(SUFFIXES)
        gold, predicted = (counts.reshape(shape).sum(axis=2) for counts in (self.gold, self.found))
        return _by_level(CLASSES, gold, predicted, self.loosely_correct)


def _by_level(names: tuple[str, ...], gold: Ints, predicted: Ints, correct: Ints) -> dict[str, ByLevel]:
    counts = np.stack((gold, predicted, correct), axis=2).tolist()
    return {name: ByLevel(*(Score(*level[column]) for level in counts)) for column, name in enumerate(names)}


@dataclass(frozen=True)
class Repairs:
    """The number of ill-formed spans of both sides, and the first ones of each file."""

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
    """The name of the prediction."""
    gold_name: str
    sentences: int
    tokens: int
    metrics: Mapping[str, Metric]
    labels: Mapping[str, ByLevel]
    """Strict, by label and level."""
    classes: Mapping[str, ByLevel]
    """Loose, by class and level."""
    other_level: int
    """Wrong predictions that would be correct on the other level."""
    repairs: Repairs
    script: Mapping[str, Metric]
    """The figures of the task's script, by the rules of `ScriptCounts`."""
    as_script: bool
    """Whether `metrics`, `labels` and `classes` are the script's, too."""
    notes: tuple[str, ...]
    signature: str

    def as_document(self) -> ReportDocument:
        """The metrics and counts as tables, for notebooks."""
        opening = f"GermEval 2014: {self.name} against the gold standard {self.gold_name}"
        remark = "" if self.as_script else "; ".join(line.strip() for line in (_other_level(self), *_repairs(self)))
        metrics = replace(_metric_table(self), remark=remark and f"{remark}.")
        sections = [Section("", [metrics]), Section("counts by label and level", [_counts(self)])]
        return ReportDocument(opening, sections, self.notes, self.signature)

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
            "metrics": _metrics_json(self.metrics),
            "script": _metrics_json(self.script),
            "labels": _levels_json(self.labels),
            "classes": _levels_json(self.classes),
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
        return text(self)


def _score(score: Score) -> dict[str, float]:
    counts = {"gold": score.gold, "found": score.found, "correct": score.correct}
    return {**counts, "precision": score.precision, "recall": score.recall, "f1": score.f1}


def _metrics_json(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    return {name: {"accuracy": metric.accuracy, **_score(metric)} for name, metric in metrics.items()}


def _levels_json(scores: Mapping[str, ByLevel]) -> dict[str, Any]:
    return {name: dict(zip(LEVELS, map(_score, levels), strict=True)) for name, levels in scores.items()}


@checked_arguments()
def germeval(
    gold: str | PathLike[str],
    prediction: str | PathLike[str] | None = None,
    *,
    delimiter: str | None = None,
    repair: Repair = "begin",
    as_script: bool = False,
) -> GermEval:
    """The metrics of GermEval 2014.

    `gold` has six columns (index, token, gold outer and inner tag, predicted outer and inner tag); with `prediction`,
    both files have four, and the same tokens. (If they have six, the gold tags are read from the gold file and the
    predicted tags from the prediction.) `delimiter` separates columns instead of tabs. `repair` defines the treatment
    of ill-formed spans, which begin with I-: "begin" accepts them, "discard" leaves them out, "error" refuses the file.
    `as_script` gives the figures of the script of the task, which confuses some entities (docs/how-to/germeval.md).
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
    return _result(files, _Run.of(steps), repair, as_script=as_script)


class _File:
    """A file whose tags are checked and whose repairs are counted, batch by batch."""

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
        """The batches with tags as codes of `TAGS`; the first problem that cannot be repaired is raised."""
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
        """Raise the first problem that cannot be repaired, and keep the first of the others."""
        problems = [problem for problem in self._problems if problem.kind != "tag"]  # the reader allows more tags
        problems += wrong_tags
        self._problems.clear()
        problems.sort(key=lambda problem: problem.line or 0)
        for problem in problems:
            if problem.kind != _ILL_FORMED or self._settings.repair == "error":
                raise InputError(*astuple(problem))
        self.first_repairs += problems[: FIRST_REPAIRS - len(self.first_repairs)]


def _recoded(tags: Layer, corpus: Corpus, column: str) -> tuple[Tags, Problem | None]:
    """Tags as codes of `TAGS`, and the first unknown tag."""
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
    """The same part of the text on both sides; tags have one row per level."""

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
    """Both files in step; tags of the prediction wait for the corresponding part of the gold standard."""
    waiting = [np.stack([ints([])] * len(LEVELS))]

    def passing() -> Iterator[Annotation]:
        for batch in system.batches():
            waiting.append(_tags(batch, "system"))
            yield batch

    follower = SpanFollower(passing(), "system", keeps_tags=False)
    try:
        for (batch,), aligned in Alignment(gold.batches(), {"system": follower}).parts():
            tags, size = np.concatenate(waiting, axis=1), batch.corpus.token_count
            waiting[:] = [tags[:, size:]]
            spans = batch.spans("gold"), aligned["system"].spans
            yield _Step(batch.corpus, *spans, _tags(batch, "gold"), tags[:, :size])
    except InputError as error:
        problem = error.problem
        if problem.kind != "text":
            raise
        remedy = "gold standard and prediction must have the same tokens in the same order"
        raise InputError(problem.source, problem.line, problem.finding, remedy, problem.kind) from None
    system.breaks_differ = follower.breaks_differ


def _tags(batch: Annotation, layer: str) -> Ints:
    """The tags of both levels, as codes of `TAGS`."""
    levels = [batch[f"{layer}-tags-{level}"] for level in range(1, len(LEVELS) + 1)]
    return np.stack([tags.code for tags in levels if isinstance(tags, Tags)])


@dataclass(frozen=True)
class _Run:
    """Everything counted in both files: tallies of the measures, and the tags as rows of levels."""

    strict: Tally
    loose: Tally
    gold_tags: Ints
    system_tags: Ints
    sentence_starts: Ints
    other_level: int

    @staticmethod
    def of(steps: Iterator[_Step]) -> _Run:
        strict, loose, gold_tags, system_tags, starts = [], [], [], [], []
        other_level = tokens = 0
        for step in steps:
            assert step.corpus.bounds is not None
            strict.append(tally_levels(step.gold, step.system))
            loose.append(tally_levels(without_suffixes(step.gold), without_suffixes(step.system)))
            gold_tags.append(step.gold_tags)
            system_tags.append(step.system_tags)
            starts.append(step.corpus.bounds[:-1] + tokens)
            other_level += count_on_other_level(step.gold, step.system)
            tokens += step.gold_tags.shape[1]
        return _Run(
            Tally.merge(strict),
            Tally.merge(loose),
            np.concatenate(gold_tags, axis=1),
            np.concatenate(system_tags, axis=1),
            np.concatenate(starts),
            other_level,
        )

    def counts(self) -> Counts:
        tp, fp, fn = (_table(self.strict, kind, LABELS) for kind in ("TP", "FP", "FN"))
        gold, system = self.gold_tags, self.system_tags
        return Counts(
            gold=tp + fn,
            found=tp + fp,
            correct=tp,
            loosely_correct=_table(self.loose, "TP", CLASSES),
            tokens=gold.shape[1],
            equal_tags=(gold == system).sum(axis=1),
            loosely_equal_tags=(_LOOSE_TAG[gold] == _LOOSE_TAG[system]).sum(axis=1),
        )

    def as_script(self, counts: Counts) -> tuple[Counts, Causes]:
        """The counts of the script, and why they differ."""
        tags = zip(self.gold_tags, self.system_tags, strict=True)
        levels = [ScriptCounts.of(np.stack(sides), self.sentence_starts) for sides in tags]
        script = replace(
            counts,
            gold=np.stack([level.gold for level in levels]),
            found=np.stack([level.predicted for level in levels]),
            correct=np.stack([level.correct for level in levels]),
            loosely_correct=np.stack([level.loosely_correct for level in levels]),
        )
        return script, Causes(*map(sum, zip(*(astuple(level.causes) for level in levels), strict=True)))


def _table(tally: Tally, kind: str, labels: Sequence[str]) -> Ints:
    """The counts of one kind, by level (row) and label (column)."""
    rows, columns = tally.by_label().rows, [tally.kinds.index(f"{level}.{kind}") for level in LEVELS]
    return ints([[rows[label][column] if label in rows else 0 for label in labels] for column in columns])


def _result(files: Sequence[_File], run: _Run, repair: Repair, *, as_script: bool) -> GermEval:
    repaired = reduce(add, (file.repaired for file in files))
    first = tuple(problem for file in files for problem in file.first_repairs)
    repairs = Repairs(repair, repaired["gold"], repaired["system"], first)
    counts = run.counts()
    script, causes = run.as_script(counts)
    reported = script if as_script else counts
    rules = "scope:file|levels:separate|entities:script" if as_script else "scope:sentence|levels:separate"
    settings = f"align:strict|{rules}|encoding:iob2" + ("" if as_script else f"|repair:{repair}")
    difference = script_note(counts, script, causes, repairs, as_script=as_script)
    return GermEval(
        name=files[-1].source.name,
        gold_name=files[0].source.name,
        sentences=len(run.sentence_starts),
        tokens=counts.tokens,
        metrics=reported.metrics(),
        labels=reported.by_label(),
        classes=reported.by_class(),
        other_level=run.other_level,
        repairs=repairs,
        script=script.metrics(),
        as_script=as_script,
        notes=(*_notes(files, counts), *difference),
        signature=f"evenhand:{__version__}|task:germeval|{settings}",
    )


def _notes(files: Sequence[_File], counts: Counts) -> Iterator[str]:
    for file in files:
        if file.trailing:
            lines = counted(file.trailing, "line")
            yield f"{file.source.display_name}: dropped the empty columns at the end of {lines}."
        if file.breaks_differ:
            yield f"{file.source.display_name}: its sentences differ from the gold standard's, which were used."
    gold, predicted, correct = (int(column.sum()) for column in (counts.gold, counts.found, counts.correct))
    for side, file, size in (("the gold standard", files[0], gold), ("the prediction", files[-1], predicted)):
        if not size:
            yield f"{file.source.display_name}: {side} has no entity at all."
    if gold and gold == predicted == correct:
        yield f"{files[-1].source.display_name}: the prediction is equal to the gold standard; is it the right file?"


def _checked_delimiter(delimiter: str | None) -> str | None:
    """The delimiter, or None for tabs."""
    if delimiter is None or delimiter == "\t":
        return None
    if not delimiter or any(char.isalnum() or char in "-\n\r\0" for char in delimiter):
        remedy = "choose a mark other than a letter, digit, hyphen or line end"
        raise SettingError(f"The delimiter {delimiter!r} cannot separate columns; {remedy}.")
    return delimiter


def script_note(ours: Counts, script: Counts, causes: Causes, repairs: Repairs, *, as_script: bool) -> Iterator[str]:
    """One sentence with the figures of the other side, if any printed figure differs."""
    other, reported = (ours, script) if as_script else (script, ours)
    differing = list(_differences(reported.metrics(), other.metrics())) or _labels_that_differ(ours, script)
    if not differing:
        return
    figures, reason = _listed(differing), _listed(list(_reasons(causes, repairs)))
    if as_script:
        yield f"These are the figures of the official script; Evenhand's are {figures}, since the script {reason}."
    else:
        yield f"The official script prints {figures}, since it {reason}; --as-script gives its figures."


def _differences(reported: Mapping[str, Metric], other: Mapping[str, Metric]) -> Iterator[str]:
    for name, metric in other.items():
        if _printed(metric) != _printed(reported[name]):
            f1, reported_f1 = round(metric.percentages.f1, 2), round(reported[name].percentages.f1, 2)
            yield f"{f1:.2f} ({f1 - reported_f1:+.2f}) for {name} F1"


def _labels_that_differ(ours: Counts, script: Counts) -> list[str]:
    """Labels and classes whose figures differ, if the figures over all labels do not."""
    labels = [
        label
        for scores in (Counts.by_label, Counts.by_class)
        for (label, left), right in zip(scores(ours).items(), scores(script).values(), strict=True)
        if [_printed(score) for score in left] != [_printed(score) for score in right]
    ]
    return [f"other figures for {label}" for label in dict.fromkeys(labels)]


def _printed(score: Score) -> list[str]:
    return [f"{value:.2f}" for value in score.percentages]


def _reasons(causes: Causes, repairs: Repairs) -> Iterator[str]:
    if causes.other_label:
        yield f"continues {counted(causes.other_label, 'entity')} over a change of label at I-"
    if causes.sentence_end:
        yield f"continues {counted(causes.sentence_end, 'entity')} over the end of a sentence"
    if causes.file_end:
        yield f"counts {counted(causes.file_end, 'entity')} at the end of the file as wrong"
    if repairs.policy == "discard" and repairs.count:
        yield f"keeps {counted(repairs.count, 'entity')} that --repair discard leaves out"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def text(result: GermEval, *, verbose: bool = False) -> str:
    """The figures in the order of the script, then remarks; with `verbose`, the underlying counts."""
    lines = [*_metrics(result), "", "", *_per_type(result), ""]
    if verbose:
        lines += [*_aligned(_counts(result)), ""]
    shown = "\n".join([*lines, *remarks(result), result.signature])
    return "\n".join(map(visible, shown.split("\n"))) + "\n"


def latex(result: GermEval, *, verbose: bool = False) -> str:
    """The four metrics as a LaTeX table; with `verbose`, a second table with the counts."""
    lines = [comment(result.signature), *booktabs.lines(_metric_table(result))]
    if verbose:
        lines += ["", *booktabs.lines(_counts(result))]
    return "\n".join(lines) + "\n"


def _metric_table(result: GermEval) -> Table:
    columns = [Column("metric", "text"), *(Column(name, "percent") for name in ("accuracy", "P", "R", "F1"))]
    rows: list[list[Cell]] = []
    for name, title in _ROWS.items():
        metric = result.metrics[name]
        scored = result.strict if result.as_script and name == "loose" else metric  # as in the script's table
        rows.append([title, metric.accuracy, scored.precision, scored.recall, scored.f1])
    return Table("", columns, rows)


def remarks(result: GermEval) -> list[str]:
    """Predictions on the wrong level, repairs and notes, which the script does not print.

    The first two refer to our definition of entities, so the figures of the script come without them.
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
    """In percent, by the divisions of the script, so ties are rounded alike: combined metrics have half tags."""
    accuracy = result.metrics[name].accuracy
    if name in LEVELS or not result.tokens:
        return 100 * accuracy
    return 100 * (round(2 * accuracy * result.tokens) / 2) / result.tokens


def _per_type(result: GermEval) -> Iterator[str]:
    """The strict figures of every label; the label without suffix also has the loose figures of its class.

    The script omits labels that neither side has.
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
    """Gold, predicted and correct entities by label and level."""
    names = [f"{level} {count}" for level in LEVELS for count in _COUNTS]
    correct = [sum(levels[row].correct for levels in result.classes.values()) for row in range(len(LEVELS))]
    levels = zip((result.outer, result.inner), correct, strict=True)
    loose = ByLevel(*(Score(level.gold, level.found, count) for level, count in levels))
    rows = [
        *((label, *levels) for label, levels in result.labels.items()),
        *((f"{name}, loose", *levels) for name, levels in result.classes.items()),
        ("all", result.outer, result.inner),
        ("all, loose", *loose),
    ]
    cells: list[list[Cell]] = [
        [name, outer.gold, outer.found, outer.correct, inner.gold, inner.found, inner.correct]
        for name, outer, inner in rows
    ]
    return Table("counts", [Column("label", "text"), *(Column(name, "count") for name in names)], cells, summary_rows=2)


def _aligned(table: Table) -> Iterator[str]:
    """The table as text, with the levels above the names of their columns."""
    yield f"{table.title:<12}" + "".join(f"{level:>{8 * len(_COUNTS)}}" for level in LEVELS)
    for first, *counts in (("", *_COUNTS * len(LEVELS)), *row_texts(table)):
        yield f"{first:<12}" + "".join(f"{count:>8}" for count in counts)


def _repairs(result: GermEval) -> Iterator[str]:
    """The number of ill-formed spans, and the first ones with file and line."""
    repairs = result.repairs
    if not repairs.count:
        yield "Repaired tags: 0"
        return
    done = "left out" if repairs.policy == "discard" else "kept"
    sides = f"gold {repairs.gold:,}, prediction {repairs.prediction:,}"
    yield f"Repaired tags: {repairs.count:,} ({sides}; spans {done})"
    for problem in repairs.first:
        yield f"  {problem.source}:{problem.line}: {problem.finding}"
    if repairs.count > len(repairs.first):
        yield f"  and {repairs.count - len(repairs.first):,} more"
