"""Check files: list every problem of reading and aligning, not only the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.alignment.documents import SAME_WORDS, Open
from evenhand.alignment.links import LinkFollower
from evenhand.alignment.mentions import ChainFollower
from evenhand.alignment.parts import Alignment
from evenhand.alignment.records import RecordFollower
from evenhand.alignment.spans import LineFollower, SpanFollower
from evenhand.alignment.words import GoldWords, WordFollower, only_layers
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.characters import peek, same_atoms
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import (
    NOTED,
    OTHER_DOCUMENTS,
    OTHER_LABELS,
    OTHER_WORDS,
    TAKEN,
    UNKNOWN_LABELS,
    EvenhandError,
    InputError,
    Problem,
    counted,
    nearest,
)
from evenhand.formats.format import FORMATS
from evenhand.formats.penn_trees import compare_sentences
from evenhand.formats.read import file_batches
from evenhand.formats.source import Source
from evenhand.formats.storage import AnyPath
from evenhand.settings import CONSTITUENTS, LINKS, RECORDS, Align, ReadSettings, Repair


@dataclass
class Checked:
    """Result of a check: the problems by line, and counts of what could be read."""

    problems: list[Problem]
    repair: Repair = "begin"
    reading: ReadInfo | None = None
    sentences: int = 0
    units: int = 0
    """Number of spans, words or mentions."""
    unit: str = "spans"
    labels: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    covered: int = 0
    """Number of tokens in spans."""

    @property
    def units_cover_all(self) -> bool:
        """Whether every token is in a span."""
        return bool(self.tokens) and self.covered >= self.tokens

    def is_error(self, problem: Problem) -> bool:
        """Whether a score would refuse the file for this problem."""
        return problem.kind not in NOTED and (self.repair == "error" or problem.kind not in TAKEN)

    def severity(self, problem: Problem) -> str:
        """`error`, or `warning` for problems that a score accepts, repairs or notes."""
        return "error" if self.is_error(problem) else "warning"

    @property
    def errors(self) -> list[Problem]:
        """The problems for which a score would refuse the file."""
        return list(filter(self.is_error, self.problems))

    def add(self, batch: Annotation) -> None:
        self.sentences += batch.corpus.sentences
        if batch.is_of_chains:
            self.unit = "mentions"
            self.units += len(batch.chains())
        elif batch.is_of_words:
            self.unit = "words"
            self.units += batch.corpus.token_count or 0
        elif batch.extractions is not None:
            self.unit = "answers"
            self.units += len(batch.extractions)
        else:
            self.unit = next(iter(batch.readings))
            layer = batch[self.unit]
            self.units += len(layer)
            self.labels += labels_of(layer)
            self.tokens += batch.corpus.token_count or 0
            if isinstance(layer, Spans):
                self.covered += int((layer.end - layer.start).sum())
        self.reading = self.reading.plus(batch.reading) if self.reading else batch.reading


def labels_of(layer: Any) -> Counter[str]:
    """Return the number of units by label; empty for a layer without labels."""
    if not hasattr(layer, "label"):
        return Counter()
    codes, counts = np.unique(layer.label, return_counts=True)
    names = layer.vocabulary.labels.values
    return Counter({names[code]: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)})


def check(
    path: AnyPath,
    settings: ReadSettings,
    against: AnyPath | None = None,
    align: Align | None = None,
    labels: Sequence[str] = (),
) -> Checked:
    """List all problems of a file; with `against`, also differences from the text of another file.

    Labels are checked if `labels` names those that are known, or the other file has some.
    """
    problems: list[Problem] = []
    source = Source(path, problems)
    result = Checked(problems, settings.repair)
    try:
        counted = _counted(file_batches(source, settings, Vocabulary(), {"spans": settings.columns}), result)
        if against is None:
            _exhaust(counted)
        else:
            first, counted = peek(counted)
            if first is not None and first.extractions is not None:
                remedy = "remove --against, and use evenhand ground to find their strings in the text"
                raise source.error(None, "contains answers, which have no text to compare", remedy)
            if first is not None and CONSTITUENTS in first.readings:
                texts = file_batches(Source(against), replace(settings, task=CONSTITUENTS), Vocabulary(), {})
                compare_sentences(counted, texts, source)
            elif first is not None and next(iter(first.readings)) in _FOLLOWERS:
                _compare_documents(counted, source, against, replace(settings, task=next(iter(first.readings))), align)
            elif first is not None and first.is_of_words:
                _compare_words(counted, against, settings, align)
            else:
                _compare(counted, source, against, settings, align)
            if not labels:
                _compare_labels(result, source, against, settings)
        if labels:
            _report_labels(result, source, Counter(labels))
    except InputError as error:
        problems.append(error.problem)
    # The first lines are read more than once, so their problems occur several times.
    result.problems = sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
    return result


def _counted(batches: Iterator[Annotation], result: Checked) -> Iterator[Annotation]:
    for batch in batches:
        result.add(batch)
        yield batch


def _exhaust(batches: Iterator[Annotation]) -> None:
    """Read to the end, so all problems are listed."""
    for _ in batches:
        pass


def _follow_records(batches: Iterator[Annotation], sides: tuple[Open, Open], *, strict: bool) -> RecordFollower:
    """Records have no words, so there is nothing to be strict about."""
    return RecordFollower(batches, sides)


_FOLLOWERS: Mapping[str, Callable[..., ChainFollower | LinkFollower | RecordFollower]] = {
    "chains": ChainFollower,
    LINKS: LinkFollower,
    RECORDS: _follow_records,
}
"""Classes that match the documents of two files by name, for annotations of documents."""


def _compare_documents(
    batches: Iterator[Annotation], source: Source, against: AnyPath, settings: ReadSettings, align: Align | None
) -> None:
    """Compare documents. Missing documents, and different words unless `align` is strict, are listed, but scored."""
    texts = partial(file_batches, Source(against), replace(settings, columns=(), format=None), Vocabulary(), {})
    again = partial(file_batches, Source(source.path, []), settings, Vocabulary(), {})
    on_texts, opened = same_atoms([batches, texts()], "characters" if align == "characters" else "strict")
    follower = _FOLLOWERS[str(settings.task)](on_texts, (again, texts), strict=False)
    try:
        for (text, *_), _ in Alignment(opened, {source.name: follower}).parts():
            if align is None and "heads" in FORMATS[text.reading.format].contents.traits:
                align = "strict"  # as in `score`
    finally:
        _exhaust(batches)
    kind = "text" if align == "strict" else OTHER_WORDS
    for line, finding in follower.issues.findings if align != "position" else ():
        source.report(line, finding, SAME_WORDS, kind)
    for name in follower.issues.missing:
        finding = f"the document {name} of {against} is missing"
        source.report(None, finding, f"add it, with or without {settings.task}", OTHER_DOCUMENTS)
    for name in follower.issues.extra:
        finding = f"the document {name} is not in {against}"
        source.report(None, finding, "remove it, or fix its name", OTHER_DOCUMENTS)


def _compare_words(
    batches: Iterator[Annotation], against: AnyPath, settings: ReadSettings, align: Align | None
) -> None:
    """Compare words, which need only cover the same characters by default."""
    opened = file_batches(Source(against), replace(settings, columns=()), Vocabulary(), {"spans": ()})
    (first, batches), (first_text, texts) = peek(batches), peek(opened)
    if first_text is not None and first_text.corpus.bounds is None:
        finding = "has no words to compare with the checked file"
        raise Source(against).error(None, finding, "use a file with words, or specify the --format of both")
    lacks_tokens = any(batch is not None and batch.corpus.tokens is None for batch in (first, first_text))
    by_position = align == "position" or lacks_tokens
    words = GoldWords(1, by_position=by_position)
    follower = WordFollower(only_layers(batches, ()), words, align or "characters")
    try:
        for _ in Alignment(only_layers(texts, ()), {str(against): follower}).parts():
            pass
    finally:
        _exhaust(batches)


def _compare_labels(result: Checked, source: Source, against: AnyPath, settings: ReadSettings) -> None:
    """Report labels if none of them occurs in the other file, and that has labels where the settings expect them."""
    if not result.labels:
        return
    labels: Counter[str] = Counter()
    try:
        for batch in file_batches(Source(against), settings, Vocabulary(), {"spans": settings.columns}):
            if result.unit not in batch:  # the other file has the text, and labels of other units
                return
            labels += labels_of(batch[result.unit])
    except EvenhandError:  # a text without tags
        return
    _report_labels(result, source, labels)


def _report_labels(result: Checked, source: Source, labels: Mapping[str, int]) -> None:
    for severity, finding in label_problems(result.labels, labels):
        sentence, _, remedy = finding.partition(". ")
        kind = UNKNOWN_LABELS if severity == "error" else OTHER_LABELS
        source.report(None, sentence, remedy.removesuffix("."), kind)


def label_problems(
    labels: Mapping[str, int], known: Mapping[str, int], suggestions: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """The severity and the message for each unknown label; an error if no label is known.

    `suggestions` has the label that is probably meant; without it, the label with the most similar name is suggested.
    """
    unknown = {label: count for label, count in labels.items() if label not in known}
    if not known or not unknown:
        return
    names = ", ".join(known)
    if len(unknown) == len(labels):
        listed = ", ".join(f"{label!r}" for label in sorted(unknown)[:5])
        finding = f"expected labels such as {names}, got only others ({listed})"
        yield "error", f"{finding}. Rename them with --map system:OLD=NEW, or choose another --column."
        return
    for label, count in unknown.items():
        near = (suggestions or {}).get(label) or nearest(label, known)
        rename = f"rename it with --map system:{label}={near}" if near else "rename it with --map"
        finding = f"expected one of the labels {names}, got {label!r} ({counted(count, 'span')})"
        yield "warning", f"{finding}. If it is another name for one of them, {rename}."


def _compare(
    batches: Iterator[Annotation], source: Source, against: AnyPath, settings: ReadSettings, align: Align | None
) -> None:
    """Raise an error if the text of `batches` differs from the other file. Lines of only one file are listed."""
    align = align or "strict"
    read_as = ReadSettings(offsets=settings.offsets, parameters=settings.parameters)
    texts = file_batches(Source(against), read_as, Vocabulary(), {})
    batches, texts = same_atoms([batches, texts], align)
    by_line = settings.parameters.get("sentences") == "lines"
    follower: LineFollower | SpanFollower
    follower = LineFollower(batches) if by_line else SpanFollower(batches, by_position=align == "position")
    try:
        for _ in Alignment(texts, {source.name: follower}).parts():
            pass
    finally:
        _exhaust(batches)
    if isinstance(follower, LineFollower):
        for line in follower.issues.missing:
            source.report(None, f"the line {line} of {against} is missing", "add it", OTHER_DOCUMENTS)
        for line in follower.issues.extra:
            finding = f"the line {line} is not in {against}, or not in this order"
            source.report(None, finding, "remove it", OTHER_DOCUMENTS)
