"""Label Studio: a JSON list of tasks, each a text with the results of annotators or models; each is a document.

The text is `data.text`, or the only string in `data`. The spans are those results of the first annotation that was not
cancelled whose value has start, end and labels; of the first prediction, where there are no annotations. The file of a
system with both is read for its predictions. `--column` names `annotations` or `predictions`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.jsonl import AGAIN, LABEL_STUDIO
from evenhand.formats.parsing.json_lines import (
    PROBLEM,
    UNREADABLE,
    Offset,
    Quote,
    Quoted,
    Span,
    column_key,
    convention_of,
    edges,
    explain,
    misquoted,
    on_texts,
    repeated,
    spans_of,
    to_write,
    with_offsets,
)
from evenhand.formats.source import Source
from evenhand.settings import Columns, Convention, PickedAnnotator, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

CANCELLED = "cancelled annotations"
FURTHER = "further annotations of a task"
NOT_ANNOTATED = "tasks without annotations"
NO_SPANS = "results that are no spans"
_FIELD = "completed_by"
_LAYERS = ("annotations", "predictions")
_EXPORT = "export the project from Label Studio as JSON"
_IN_TASK = re.compile(r"\[(\d+)\]\.?(.*)")


class Value(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a result says of a span; several labels are several spans. `parts` and `level` are this library's own."""

    start: Offset
    end: Offset
    text: str | None = None
    labels: list[str]
    parts: list[tuple[Offset, Offset]] | None = None
    level: Offset = 0


class Result(msgspec.Struct):
    value: Any = None


class Results(msgspec.Struct):
    """One annotator's or model's work on a task."""

    result: list[Result]
    completed_by: Any = None
    was_cancelled: bool | None = None
    cancelled: bool | None = None


class Task(msgspec.Struct):
    data: dict[str, Any]
    id: Any = None
    annotations: list[Results] | None = None
    predictions: list[Results] | None = None


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file as one batch: it is a single JSON value, so that it is read whole and has no lines to name."""
    blocks = source.blocks(settings.block_size, cut_after="line")
    tasks = _decode(source, b"".join(block.data[: block.size] for block in blocks))
    numbers, texts, lists, quotes = list[int](), list[str](), list[list[Span]](), list[list[Quote]]()
    picked = None if settings.annotator is None else _picked(source, tasks, settings.annotator)
    layer = _layer(source, tasks, settings)
    skipped: Counter[str] = Counter()
    for number, task in enumerate(tasks, 1):
        results = _chosen(task, layer, skipped) if picked is None else _answer(task, picked, skipped)
        if results is not None:
            numbers.append(number)
            texts.append(_text(source, number, task))
            listed, quoted = _spans(source, number, results, skipped)
            lists.append(listed)
            quotes.append(quoted)
    if not texts:
        raise source.error(None, "the file has no annotated tasks", _EXPORT)

    def report(task: int, finding: str, remedy: str) -> None:
        _report(source, numbers[task], finding, remedy)

    convention = convention_of(settings, list(map(Quoted.of, texts, quotes, lists)))
    for task_number, text, quoted in zip(numbers, texts, quotes, strict=True):
        fault = misquoted(text, quoted, convention)
        if fault is not None:
            _report(source, task_number, *fault)
    atoms, ground = on_texts(texts, convention)
    spans = spans_of(lists, ground, vocabulary, report)
    corpus = atoms.corpus(source.display_name)
    if picked is not None:
        known = [number if tasks[number - 1].id is None else tasks[number - 1].id for number in numbers]
        corpus = replace(corpus, ids=Tokens.of(list(map(str, known))))
    reading = ReadInfo(
        LABEL_STUDIO.name,
        column=layer,
        offsets=str(convention),
        quotes_show=settings.offsets is None and convention != Convention(),
        repeated=repeated(spans),
        skipped=dict(skipped),
    )
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, source.name)


def _layer(source: Source, tasks: list[Task], settings: ReadSettings) -> str | None:
    """The layer that is read, if tasks have both or a user names one: a system has predictions."""
    if settings.columns:
        named = column_key(settings)
        if named not in _LAYERS:
            finding = f"tasks have no layer {named!r}"
            raise source.error(None, finding, f"name {' or '.join(_LAYERS)} with --column")
        return named
    has_both = any(task.annotations for task in tasks) and any(task.predictions for task in tasks)
    is_sided = has_both and settings.side is not None and settings.annotator is None
    return _LAYERS[settings.side == "system"] if is_sided else None


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """One list with a task a sentence (or text); offsets are code points. Tokens are joined by single spaces."""
    annotation = Annotation.concatenate(list(batches))
    for sentence, spans in to_write(annotation):
        text, start, end = edges(annotation.corpus, sentence)
        results = [
            {
                "from_name": "label",
                "to_name": "text",
                "type": "labels",
                "value": Value(
                    start=span.start,
                    end=span.end,
                    text=text[span.start : span.end],
                    labels=[span.label],
                    parts=span.parts,
                    level=span.level,
                ),
            }
            for span in with_offsets(spans, start, end)
        ]
        task = {"data": {"text": text}, "annotations": [{"result": results}]}
        yield ("[\n" if sentence == 0 else ",\n") + msgspec.json.encode(task).decode()
    yield "\n]\n" if annotation.corpus.sentences else "[]\n"


def _report(source: Source, task: int, finding: str, remedy: str) -> None:
    source.report(None, f"in task {task}, {finding}", remedy, PROBLEM)


def _decode(source: Source, data: bytes) -> list[Task]:
    try:
        return msgspec.json.decode(data, type=list[Task])
    except UNREADABLE as error:
        finding, place = explain(error)
        task = _IN_TASK.fullmatch(place or "")
        if task is None:
            raise source.error(None, f"the file is not a JSON list of tasks ({finding})", _EXPORT) from None
        finding = finding.replace(task[0], task[2] or "the task")
        raise source.error(None, f"in task {int(task[1]) + 1}, {finding}", _EXPORT, PROBLEM) from None


def _chosen(task: Task, layer: str | None, skipped: Counter[str]) -> Results | None:
    """The results of a task that count; None where there are none, and then the task is left out.

    A task without predictions counts as one in which a system found nothing, if others have some.
    """
    given = (task.annotations or task.predictions or []) if layer is None else getattr(task, layer) or []
    if layer == _LAYERS[1] and not given and task.annotations:
        return Results([])
    kept = [each for each in given if not (each.was_cancelled or each.cancelled)]
    found = {CANCELLED: len(given) - len(kept), FURTHER: max(len(kept) - 1, 0), NOT_ANNOTATED: int(not given)}
    skipped.update({what: count for what, count in found.items() if count})
    return kept[0] if kept else None


def annotators(source: Source, named: str | None = None) -> tuple[str, list[str]] | None:
    """The field that names annotators, and their names; predictions and cancelled annotations have none."""
    names = _names(_decode(source, source.read_whole()))
    return (_FIELD, names) if names else None


def _names(tasks: list[Task]) -> list[str]:
    answers = (each for task in tasks for each in task.annotations or ())
    return list(dict.fromkeys(_name(answer) for answer in answers if answer.completed_by is not None))


def _name(results: Results) -> str:
    """A number, or of an object the address, else the number."""
    who = results.completed_by
    return str(who.get("email") or who.get("id")) if isinstance(who, dict) else str(who)


def _picked(source: Source, tasks: list[Task], picked: PickedAnnotator) -> str:
    if picked.field not in (None, _FIELD) or picked.name not in _names(tasks):
        finding = f"there is no annotator {picked.field or _FIELD}={picked.name}"
        raise source.error(None, finding, f"pick one of {_FIELD}={f', {_FIELD}='.join(_names(tasks))}")
    return picked.name


def _answer(task: Task, annotator: str, skipped: Counter[str]) -> Results | None:
    """The last answer of an annotator; None where there is none, or the task was skipped."""
    mine = [each for each in task.annotations or () if _name(each) == annotator]
    is_cancelled = bool(mine) and bool(mine[-1].was_cancelled or mine[-1].cancelled)
    found = {AGAIN: len(mine) - 1, CANCELLED: int(is_cancelled)}
    skipped.update({what: count for what, count in found.items() if count > 0})
    return mine[-1] if mine and not is_cancelled else None


def _text(source: Source, number: int, task: Task) -> str:
    text = task.data.get("text")
    if isinstance(text, str):
        return text
    strings = [value for value in task.data.values() if isinstance(value, str)]
    if len(strings) != 1:
        finding = f"data has no text, and {len(strings) or 'no'} other strings where one could stand for it"
        _report(source, number, finding, "put the text under the key text")
    return strings[0] if strings else ""


def _spans(source: Source, number: int, results: Results, skipped: Counter[str]) -> tuple[list[Span], list[Quote]]:
    """The spans of a task, and what they quote."""
    spans, quotes = list[Span](), list[Quote]()
    for result in results.result:
        value = result.value
        if not isinstance(value, dict) or not {"start", "end", "labels"} <= value.keys():
            skipped[NO_SPANS] += 1
            continue
        try:
            found = msgspec.convert(value, Value)
        except msgspec.ValidationError as error:
            _report(source, number, explain(error)[0], "give offsets into a plain text and a list of labels")
            continue
        if not found.labels:
            _report(source, number, f"the span [{found.start}, {found.end}] has no label", "name its label")
        if found.text is not None:
            quotes.append(Quote([(found.start, found.end)], found.text))
        spans += [Span(found.start, found.end, label, found.parts, found.level) for label in found.labels]
    return spans, quotes
