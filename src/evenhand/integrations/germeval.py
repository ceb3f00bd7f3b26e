"""`germeval`: the report of GermEval 2014's script, from a file with six columns or from two files with four.

The metrics are the measures of `tasks.spans.germeval`, which also has the rules of the script; this module checks the
tags of the files, and prints the figures in the order of the script.
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
from evenhand.results.display import Displayed
from evenhand.scoring.prf import Percentages, percentages, ratio
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, Repair
from evenhand.tables import Cell, Column, DisplayTable
from evenhand.tasks.spans.germeval import (
    CLASSES,
    LABELS,
    SUFFIXES,
    TAGS,
    count_as_script,
    count_on_other_level,
    tally_levels,
    without_suffixes,
)
from evenhand.tasks.spans.measures import GERMEVAL_LEVELS as LEVELS
from evenhand.versions import signed

FIRST_REPAIRS = 5
"""Number of ill-formed spans of a file that are named."""
_ILL_FORMED = "ill-formed span"
_CODE_OF_TAG = {tag: code for code, tag in enumerate(TAGS)}
_LOOSE_TAG = ints([0, *(1 + code // len(SUFFIXES) * len(SUFFIXES) for code in range(len(TAGS) - 1))])
"""For each tag the tag without suffix."""
_MEND = (
    f"fix it: tags are O, or B- or I- with {', '.join(CLASSES[:-1])} or {CLASSES[-1]}, optionally "
    "followed by deriv or part"
)
_SAME_TOKENS = "gold standard and prediction must have the same tokens in the same order"
_TITLES = {
    "strict": "1. Strict, Combined Evaluation (official):",
    "loose": "2. Loose, Combined Evaluation:",
    "outer": "3.1 Per-Level Evaluation (outer chunks):",
    "inner": "3.2 Per-Level Global Evaluation (inner chunks):",
}
_PER_TYPE = "Evaluation per type and mode:"
_COUNTS = ("gold", "found", "correct")
_ROWS = {"strict": "strict, combined", "loose": "loose, combined", "outer": "strict, outer", "inner": "strict, inner"}
_REASONS = {
    "other label": "continues {} over a change of label at I-",
    "sentence end": "continues {} over the end of a sentence",
    "file end": "counts {} at the end of the file as wrong",
    "discarded": "keeps {} that --repair discard leaves out",
}
"""Why the figures of the script differ: its rules, with a number of entities of both sides."""


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

    def to_dict(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in (*_COUNTS, "precision", "recall", "f1")}


@dataclass(frozen=True)
class Metric(Score):
    """A score over all labels, with the accuracy of the tags."""

    accuracy: float

    def to_dict(self) -> dict[str, float]:
        return {"accuracy": self.accuracy, **super().to_dict()}


class ByLevel(NamedTuple):
    """The scores of one label or class."""

    outer: Score
    inner: Score

    def to_dict(self) -> dict[str, dict[str, float]]:
        return {level: score.to_dict() for level, score in self._asdict().items()}


class Figures(NamedTuple):
    """The scores by our definition of entities, or by the script's."""

    metrics: Mapping[str, Metric]
    labels: Mapping[str, ByLevel]
    """Strict, by label and level."""
    classes: Mapping[str, ByLevel]
    """Loose, by class and level."""

    @staticmethod
    def of(strict: Ints, loose: Ints, accuracy: Sequence[float]) -> Figures:
        """Scores of gold, found and correct entities, (labels or classes, levels, counts), and accuracies by metric."""
        sums = [strict.sum(axis=(0, 1)), loose.sum(axis=(0, 1)), *strict.sum(axis=0)]
        gold, found, correct = np.stack(sums).T.tolist()
        metrics = map(Metric, gold, found, correct, accuracy)
        return Figures(dict(zip(_TITLES, metrics, strict=True)), _by_level(LABELS, strict), _by_level(CLASSES, loose))


def _by_level(names: Sequence[str], counts: Ints) -> dict[str, ByLevel]:
    scores = [ByLevel(*(Score(*level) for level in levels)) for levels in counts.tolist()]
    return dict(zip(names, scores, strict=True))


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
    strict: Metric
    """Metric 1, which ranks systems."""
    loose: Metric
    """Metric 2."""
    outer: Metric
    """Metric 3 on the first level."""
    inner: Metric
    """Metric 3 on the second level."""
    labels: Mapping[str, ByLevel]
    """Strict, by label and level."""
    classes: Mapping[str, ByLevel]
    """Loose, by class and level."""
    other_level: int
    """Wrong predictions that would be correct on the other level."""
    repairs: Repairs
    script: Mapping[str, Metric]
    """The figures of the task's script, by the rules of `count_as_script`."""
    as_script: bool
    """Whether the metrics, `labels` and `classes` are the script's, too."""
    notes: tuple[str, ...]
    signature: str

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by name, in the order of the script."""
        return {name: getattr(self, name) for name in _TITLES}

    def as_document(self) -> ReportDocument:
        """The metrics and counts as tables, for notebooks."""
        opening = f"GermEval 2014: {self.name} against the gold standard {self.gold_name}"
        remark = "" if self.as_script else "; ".join(line.strip() for line in (_other_level(self), *_repairs(self)))
        metrics = replace(_metric_table(self), remark=remark and f"{remark}.")
        sections = [Section("", [metrics]), Section("counts by label and level", [_counts(self)])]
        return ReportDocument(opening, sections, self.notes, self.signature)

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python: scores are fractions, counts integers."""
        figures = {name: getattr(self, name) for name in ("metrics", "script", "labels", "classes")}
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
            **{table: {name: score.to_dict() for name, score in scores.items()} for table, scores in figures.items()},
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


@checked_arguments()
def germeval(
    gold: str | PathLike[str],
    prediction: str | PathLike[str] | None = None,
    *,
    delimiter: str | None = None,
    repair: Repair = "begin",
    as_script: bool = False,
    numbers: int | None = None,
) -> GermEval:
    """The metrics of GermEval 2014.

    `gold` has six columns (index, token, gold outer and inner tag, predicted outer and inner tag); with `prediction`,
    both files have four, and the same tokens. (If they have six, the gold tags are read from the gold file and the
    predicted tags from the prediction.) `delimiter` separates columns instead of tabs. `repair` defines the treatment
    of ill-formed spans, which begin with I-: "begin" accepts them, "discard" leaves them out, "error" refuses the file.
    `as_script` gives the figures of the script of the task, which confuses some entities (docs/how-to/germeval.md).
    `numbers` is the numbers version that the figures must have.
    """
    if as_script and repair != "begin":
        raise SettingError(f"The script has its own rule for ill-formed entities; remove --repair {repair}.")
    settings = ReadSettings(format="germeval", encoding="iob2", system_encoding="iob2", repair=repair)
    delimiter, vocabulary = _checked_delimiter(delimiter), Vocabulary()
    sides = [(gold, ["gold", "system"])] if prediction is None else [(gold, ["gold"]), (prediction, ["system"])]
    files = [_read(Source(to_path(path), [], delimiter), layers, settings, vocabulary) for path, layers in sides]
    key, response = files[0].annotation, files[-1].annotation
    spans, breaks_differ = _aligned(key, response)
    tags, bounds = np.stack((files[0].tags["gold"], files[-1].tags["system"])), key.corpus.bounds
    assert bounds is not None
    ours = _figures(key.spans("gold"), spans, tags)
    script, rules = _script_figures(tags, bounds[:-1], ours)
    first = tuple(problem for file in files for problem in file.ill_formed[:FIRST_REPAIRS])
    repairs = Repairs(repair, key.readings["gold"].repaired, response.readings["system"].repaired, first)
    if repair == "discard":
        rules["discarded"] = repairs.count
    reported, other = (script, ours) if as_script else (ours, script)
    defined = {"scope": "file" if as_script else "sentence", "levels": "separate"}
    defined |= {"entities": "script"} if as_script else {}
    repaired = {} if as_script else {"repair": repair}
    return GermEval(
        name=response.name,
        gold_name=key.name,
        sentences=key.corpus.sentences,
        tokens=tags.shape[-1],
        **reported.metrics,
        labels=reported.labels,
        classes=reported.classes,
        other_level=count_on_other_level(key.spans("gold"), spans),
        repairs=repairs,
        script=script.metrics,
        as_script=as_script,
        notes=(
            *_notes([file.annotation for file in files], ours.metrics["strict"], breaks_differ=breaks_differ),
            *_difference(reported, other, rules, as_script=as_script),
        ),
        signature=signed({"task": "germeval", "align": "strict", **defined, "encoding": "iob2", **repaired}),
    )


def _checked_delimiter(delimiter: str | None) -> str | None:
    """The delimiter, or None for tabs."""
    if delimiter is None or delimiter == "\t":
        return None
    if not delimiter or any(char.isalnum() or char in "-\n\r\0" for char in delimiter):
        remedy = "choose a mark other than a letter, digit, hyphen or line end"
        raise SettingError(f"The delimiter {delimiter!r} cannot separate columns; {remedy}.")
    return delimiter


class _File(NamedTuple):
    """A file with known tags."""

    annotation: Annotation
    tags: Mapping[str, Ints]
    """Codes of `TAGS` by layer, one row per level."""
    ill_formed: Sequence[Problem]


def _read(source: Source, layers: Sequence[str], settings: ReadSettings, vocabulary: Vocabulary) -> _File:
    """Read a file, and raise the first problem that cannot be repaired."""
    batches = file_batches(source, settings, vocabulary, dict.fromkeys(layers, ()))
    annotation, codes = Annotation.concatenate(list(batches)), dict[str, Ints]()
    problems = [problem for problem in source.problems or () if problem.kind != "tag"]  # the reader allows more tags
    for layer in layers:
        columns = (annotation.readings[layer].column or "").split("+")
        tags = [annotation[f"{layer}-tags-{level}"] for level in range(1, len(columns) + 1)]
        codes[layer] = np.stack(
            [_coded(*level, annotation.corpus, problems) for level in zip(tags, columns, strict=True)]
        )
    problems.sort(key=lambda problem: problem.line or 0)
    for problem in problems:
        if problem.kind != _ILL_FORMED or settings.repair == "error":
            raise InputError(*astuple(problem))
    return _File(annotation, codes, problems)


def _coded(tags: Layer, column: str, corpus: Corpus, problems: list[Problem]) -> Ints:
    """Tags as codes of `TAGS`; the first unknown tag is a problem."""
    assert isinstance(tags, Tags)
    code = ints([_CODE_OF_TAG.get(name, -1) for name in tags.names])[tags.code]
    unknown = np.flatnonzero(code < 0)
    if len(unknown):
        tag = tags.names[int(tags.code[unknown[0]])]
        prefix, hyphen, label = tag.partition("-")
        finding = f"the tag {tag!r} in column {column} is unknown"
        if not tag:
            finding = f"column {column} has no tag"
        elif hyphen:
            unknown_part = f"class {label!r}" if prefix in ("B", "I") else f"prefix {prefix!r}"
            finding = f"the tag {tag!r} in column {column} has the unknown {unknown_part}"
        problems.append(Problem(corpus.source, corpus.line(int(unknown[0])), finding, _MEND, "tag"))
    return code


def _aligned(gold: Annotation, system: Annotation) -> tuple[Spans, bool]:
    """The predicted spans in the sentences of the gold standard, and whether these differ from the prediction's."""
    follower = SpanFollower(iter([system]), "system", keeps_tags=False)
    try:
        follower.follow([gold], is_last=True)
    except InputError as error:
        problem = error.problem
        raise InputError(problem.source, problem.line, problem.finding, _SAME_TOKENS, problem.kind) from None
    return follower.take([gold]).spans, follower.breaks_differ


def _figures(gold: Spans, system: Spans, tags: Ints) -> Figures:
    """The figures by our definition; `tags` are (sides, levels, tokens)."""
    accuracy, loose_accuracy = (
        ratio((side[0] == side[1]).sum(axis=1), tags.shape[-1]) for side in (tags, _LOOSE_TAG[tags])
    )
    return Figures.of(
        _table(tally_levels(gold, system), LABELS),
        _table(tally_levels(without_suffixes(gold), without_suffixes(system)), CLASSES),
        [float(accuracy.mean()), float(loose_accuracy.mean()), *accuracy.tolist()],
    )


def _table(tally: Tally, names: Sequence[str]) -> Ints:
    """The gold, found and correct entities of each label or class, by level."""
    rows, nothing = tally.by_label().rows, np.zeros(len(tally.kinds))
    tp, fp, fn = np.moveaxis(ints([rows.get(name, nothing) for name in names]).reshape(-1, len(LEVELS), 3), 2, 0)
    return np.stack((tp + fn, tp + fp, tp), axis=2)


def _script_figures(tags: Ints, sentence_starts: Ints, ours: Figures) -> tuple[Figures, Counter[str]]:
    """The figures of the script, and the number of entities to which each of its rules was applied."""
    levels = [count_as_script(tags[:, level], sentence_starts) for level in range(len(LEVELS))]
    strict, loose, rules = zip(*levels, strict=True)
    accuracy = [metric.accuracy for metric in ours.metrics.values()]
    return Figures.of(np.stack(strict, axis=1), np.stack(loose, axis=1), accuracy), reduce(add, rules)


def _notes(files: Sequence[Annotation], strict: Metric, *, breaks_differ: bool) -> Iterator[str]:
    for file in files:
        trailing = file.reading.skipped.get(TRAILING, 0)
        if trailing:
            yield f"{file.corpus.source}: dropped the empty columns at the end of {counted(trailing, 'line')}."
    gold, prediction = files[0].corpus.source, files[-1].corpus.source
    if breaks_differ:
        yield f"{prediction}: its sentences differ from those of the gold standard, which were used."
    if not strict.gold:
        yield f"{gold}: the gold standard has no entities."
    if not strict.found:
        yield f"{prediction}: the prediction has no entities."
    if strict.gold and strict.gold == strict.found == strict.correct:
        yield f"{prediction}: the prediction is identical to the gold standard. Is this the right file?"


def _difference(reported: Figures, other: Figures, rules: Mapping[str, int], *, as_script: bool) -> Iterator[str]:
    """One sentence with the figures by the other definition, if any printed figure differs."""
    differing = list[str]()
    for name, metric in other.metrics.items():
        if _printed(metric) != _printed(reported.metrics[name]):
            f1, reported_f1 = (round(score.percentages.f1, 2) for score in (metric, reported.metrics[name]))
            differing.append(f"{f1:.2f} ({f1 - reported_f1:+.2f}) for {name} F1")
    if not differing:  # the figures over all labels
        tables = (reported.labels, other.labels), (reported.classes, other.classes)
        labels = [
            label for table, others in tables for label in table if _printed(*table[label]) != _printed(*others[label])
        ]
        differing = [f"other figures for {label}" for label in dict.fromkeys(labels)]
    if not differing:
        return
    reasons = [text.format(counted(rules[rule], "entity")) for rule, text in _REASONS.items() if rules[rule]]
    figures, reason = _listed(differing), _listed(reasons)
    if as_script:
        yield f"These are the figures of the official script; Evenhand's are {figures}, since the script {reason}."
    else:
        yield f"The official script prints {figures}, since it {reason}; --as-script gives its figures."


def _printed(*scores: Score) -> list[str]:
    return [f"{value:.2f}" for score in scores for value in score.percentages]


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def text(result: GermEval, *, verbose: bool = False) -> str:
    """The figures in the order of the script, then remarks; with `verbose`, the underlying counts."""
    lines = [*_metrics(result), "", "", *_per_type(result), ""]
    if verbose:
        lines += [*_table_lines(_counts(result)), ""]
    shown = "\n".join([*lines, *remarks(result), result.signature])
    return "\n".join(map(visible, shown.split("\n"))) + "\n"


def latex(result: GermEval, *, verbose: bool = False) -> str:
    """The four metrics as a LaTeX table; with `verbose`, a second table with the counts."""
    lines = [booktabs.comment(result.signature), *booktabs.lines(_metric_table(result))]
    if verbose:
        lines += ["", *booktabs.lines(_counts(result))]
    return "\n".join(lines) + "\n"


def _metric_table(result: GermEval) -> DisplayTable:
    columns = [Column("metric", "text"), *(Column(name, "percent") for name in ("accuracy", "P", "R", "F1"))]
    rows: list[list[Cell]] = []
    for name, title in _ROWS.items():
        metric = result.metrics[name]
        scored = result.strict if result.as_script and name == "loose" else metric  # as in the script's table
        rows.append([title, metric.accuracy, scored.precision, scored.recall, scored.f1])
    return DisplayTable("", columns, rows)


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
        yield from ("", title, ";\n".join((f"Accuracy: {_accuracy(result, name):6.2f}%", *_prf(metric))))


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
                yield f"{level.title()} {mode}: {'; '.join(_prf(score))}"


def _prf(score: Score) -> tuple[str, str, str]:
    precision, recall, f1 = score.percentages
    return f"Precision: {precision:6.2f}%", f"Recall: {recall:6.2f}%", f"FB1: {f1:6.2f}"


def _counts(result: GermEval) -> DisplayTable:
    """Gold, predicted and correct entities by label and level."""
    labels = {name: _cells(levels) for name, levels in result.labels.items()}
    classes = {f"{name}, loose": _cells(levels) for name, levels in result.classes.items()}
    sums = {
        name: list(map(sum, zip(*part.values(), strict=True)))
        for name, part in (("all", labels), ("all, loose", classes))
    }
    rows: list[list[Cell]] = [[name, *counts] for name, counts in {**labels, **classes, **sums}.items()]
    columns = [Column(f"{level} {count}", "count") for level in LEVELS for count in _COUNTS]
    return DisplayTable("counts", [Column("label", "text"), *columns], rows, summary_rows=len(sums))


def _cells(levels: ByLevel) -> list[int]:
    return [count for score in levels for count in (score.gold, score.found, score.correct)]


def _table_lines(table: DisplayTable) -> Iterator[str]:
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
