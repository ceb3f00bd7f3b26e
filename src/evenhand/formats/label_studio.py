"""Label Studio: a JSON list of tasks, each a text with the results of annotators or models; each is a document.

The text is `data.text`, or the only string in `data`. The spans are the results of the first annotation that was not
cancelled, if their values have start, end and labels; without annotations, results of the first prediction. A system's
file with both is read for its predictions. `--column` names `annotations` or `predictions`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand.arrays import empty
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.json_reader import AGAIN
from evenhand.formats.jsonl import LABEL_STUDIO
from evenhand.formats.parsing.confidences import ScoreError, ScoreFields
from evenhand.formats.parsing.json_records import PROBLEM, UNREADABLE, column_key, explain
from evenhand.formats.parsing.json_spans import (
    JsonSpan,
    Offset,
    Quote,
    Quoted,
    check_quotes,
    convention_of,
    on_words,
    repeated,
    spans_of,
    text_records,
)
from evenhand.formats.source import Source
from evenhand.settings import Columns, Convention, PickedAnnotator, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

CANCELLED = "cancelled annotations"
FURTHER = "further annotations of a task"
NOT_ANNOTATED = "tasks without annotations"
NO_SPANS = "results that are not spans"
MEANS = "scores of predictions, which are means of their results"
_ANNOTATOR_FIELD = "completed_by"
_LAYERS = ("annotations", "predictions")
_EXPORT = "export the project from Label Studio as JSON"
_IN_TASK = re.compile(r"\[(\d+)\]\.?(.*)")


class Value(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The span of a result; several labels are several spans. `parts` and `level` are Evenhand's own."""

    start: Offset
    end: Offset
    text: str | None = None
    labels: list[str]
    parts: list[tuple[Offset, Offset]] | None = None
    level: Offset = 0


class AnnotatorResults(msgspec.Struct):
    """One annotator's or model's work on a task."""

    result: list[dict[str, Any]]
    score: Any = None
    """A mean of a prediction's results, which is ignored."""
    completed_by: Any = None
    was_cancelled: bool | None = None
    cancelled: bool | None = None

    @property
    def is_cancelled(self) -> bool:
        return bool(self.was_cancelled or self.cancelled)

    @property
    def annotator(self) -> str:
        """A number, or the address (else the number) of an object."""
        name = self.completed_by
        return str(name.get("email") or name.get("id")) if isinstance(name, dict) else str(name)


class LabelStudioTask(msgspec.Struct):
    data: dict[str, Any]
    id: Any = None
    annotations: list[AnnotatorResults] | None = None
    predictions: list[AnnotatorResults] | None = None


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file as one batch: it is a single JSON value, so it is read as a whole, and messages name tasks."""
    blocks = source.blocks(settings.block_size, cut_after="line")
    tasks = _decode(source, b"".join(block.data[: block.size] for block in blocks))
    numbers, texts, lists, quotes = list[int](), list[str](), list[list[JsonSpan]](), list[list[Quote]]()
    annotator = None if settings.annotator is None else _picked(source, tasks, settings.annotator)
    layer = _layer(source, tasks, settings)
    skipped: Counter[str] = Counter()
    for number, task in enumerate(tasks, 1):
        results = _results(task, layer, skipped) if annotator is None else _last_answer(task, annotator, skipped)
        if results is not None:
            skipped[MEANS] += settings.needs_scores and results.score is not None
            numbers.append(number)
            texts.append(_text(source, number, task))
            spans_of_task, quotes_of_task = _spans(source, number, results, skipped, ScoreFields.of(settings))
            lists.append(spans_of_task)
            quotes.append(quotes_of_task)
    if not texts:
        raise source.error(None, "the file has no annotated tasks", _EXPORT)
    convention = convention_of(settings.offsets, list(map(Quoted.of, texts, quotes, lists)))

    def report(task: int, finding: str, remedy: str) -> None:
        _report(source, numbers[task], finding, remedy)

    check_quotes(texts, quotes, convention, report)
    corpus, offsets = on_words(texts, convention, source.display_name, empty())
    spans = spans_of(lists, offsets, vocabulary, report)
    if annotator is not None:
        ids = [number if tasks[number - 1].id is None else tasks[number - 1].id for number in numbers]
        corpus = replace(corpus, ids=Tokens.of(list(map(str, ids))))
    reading = ReadInfo(
        LABEL_STUDIO.name,
        column=layer,
        offsets=str(convention),
        quotes_show=settings.offsets is None and convention != Convention(),
        repeated=repeated(spans),
        skipped={what: count for what, count in skipped.items() if count},
    )
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, source.name)


def _decode(source: Source, data: bytes) -> list[LabelStudioTask]:
    try:
        return msgspec.json.decode(data, type=list[LabelStudioTask])
    except UNREADABLE as error:
        finding, path = explain(error)
        task = _IN_TASK.fullmatch(path or "")
        if task is None:
            raise source.error(None, f"the file is not a JSON list of tasks ({finding})", _EXPORT) from None
        finding = finding.replace(task[0], task[2] or "the task")
        raise source.error(None, f"in task {int(task[1]) + 1}, {finding}", _EXPORT, PROBLEM) from None


def _layer(source: Source, tasks: list[LabelStudioTask], settings: ReadSettings) -> str | None:
    """The layer to read, if tasks have both or a user names one: a system has predictions."""
    if settings.columns:
        name = column_key(settings)
        if name not in _LAYERS:
            raise source.error(None, f"tasks have no layer {name!r}", f"specify {' or '.join(_LAYERS)} with --column")
        return name
    has_both = any(task.annotations for task in tasks) and any(task.predictions for task in tasks)
    is_sided = has_both and settings.side is not None and settings.annotator is None
    return _LAYERS[settings.side == "system"] if is_sided else None


def _results(task: LabelStudioTask, layer: str | None, skipped: Counter[str]) -> AnnotatorResults | None:
    """The results of a task that count; a task without any is left out.

    If other tasks have predictions, a task without them is one in which the system predicted nothing.
    """
    results = (task.annotations or task.predictions or []) if layer is None else getattr(task, layer) or []
    if layer == _LAYERS[1] and not results and task.annotations:
        return AnnotatorResults([])
    kept = [result for result in results if not result.is_cancelled]
    skipped.update({CANCELLED: len(results) - len(kept), FURTHER: max(len(kept) - 1, 0), NOT_ANNOTATED: not results})
    return kept[0] if kept else None


def annotators(source: Source, named: str | None = None) -> tuple[str, list[str]] | None:
    """The field that names annotators, and their names; predictions and cancelled annotations have none."""
    names = _annotators(_decode(source, source.read_whole()))
    return (_ANNOTATOR_FIELD, names) if names else None


def _annotators(tasks: list[LabelStudioTask]) -> list[str]:
    answers = (answer for task in tasks for answer in task.annotations or ())
    return list(dict.fromkeys(answer.annotator for answer in answers if answer.completed_by is not None))


def _picked(source: Source, tasks: list[LabelStudioTask], picked: PickedAnnotator) -> str:
    names = _annotators(tasks)
    if picked.field not in (None, _ANNOTATOR_FIELD) or picked.name not in names:
        finding = f"there is no annotator {picked.field or _ANNOTATOR_FIELD}={picked.name}"
        choices = ", ".join(f"{_ANNOTATOR_FIELD}={name}" for name in names)
        raise source.error(None, finding, f"choose one of {choices}")
    return picked.name


def _last_answer(task: LabelStudioTask, annotator: str, skipped: Counter[str]) -> AnnotatorResults | None:
    """The last answer of an annotator; None if there is none, or the task was skipped."""
    answers = [answer for answer in task.annotations or () if answer.annotator == annotator]
    if not answers:
        return None
    is_cancelled = answers[-1].is_cancelled
    skipped.update({AGAIN: len(answers) - 1, CANCELLED: is_cancelled})
    return None if is_cancelled else answers[-1]


def _text(source: Source, number: int, task: LabelStudioTask) -> str:
    text = task.data.get("text")
    if isinstance(text, str):
        return text
    strings = [value for value in task.data.values() if isinstance(value, str)]
    if len(strings) != 1:
        finding = f"data has no text, and {len(strings) or 'no'} other strings that could be it"
        _report(source, number, finding, "put the text under the key text")
    return strings[0] if strings else ""


def _spans(
    source: Source, number: int, results: AnnotatorResults, skipped: Counter[str], scores: ScoreFields
) -> tuple[list[JsonSpan], list[Quote]]:
    spans, quotes = list[JsonSpan](), list[Quote]()
    for index, result in enumerate(results.result, 1):
        fields = result.get("value")
        if not isinstance(fields, dict) or not {"start", "end", "labels"} <= fields.keys():
            skipped[NO_SPANS] += 1
            continue
        try:
            value = msgspec.convert(fields, Value)
        except msgspec.ValidationError as error:
            _report(source, number, explain(error)[0], "use offsets into a plain text and a list of labels")
            continue
        if not value.labels:
            _report(source, number, f"the span [{value.start}, {value.end}] has no label", "add its label")
        if value.text is not None:
            quotes.append(Quote([(value.start, value.end)], value.text))
        score = None
        try:
            score = scores.read(result, f"result {index}") if scores.among(result) else None
        except ScoreError as error:
            _report(source, number, str(error), "")
        spans += [JsonSpan(value.start, value.end, label, value.parts, value.level, score) for label in value.labels]
    return spans, quotes


def _report(source: Source, task: int, finding: str, remedy: str) -> None:
    source.report(None, f"in task {task}, {finding}", remedy, PROBLEM)


def task_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, Any]]:
    """Tasks to write: one per sentence (or text), with offsets in code points. Tokens are joined by single spaces."""
    for text, spans in text_records(Annotation.concatenate(list(batches))):
        results = []
        for span in spans:
            bounds, quoted = {"start": span.start, "end": span.end}, text[span.start : span.end]
            value = Value(**bounds, text=quoted, labels=[span.label], parts=span.parts, level=span.level)
            scored = {} if span.score is None else {"score": span.score}
            results.append({"from_name": "label", "to_name": "text", "type": "labels", "value": value, **scored})
        yield {"data": {"text": text}, "annotations": [{"result": results}]}
