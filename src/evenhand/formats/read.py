"""Detect the format of files, and read them as batches or as a whole. The format of a file is detected once.

The format is the one that the user names, that the path identifies, or that fits the first lines best. If no format
fits well enough, a file is refused with a remedy if it looks like something that Evenhand does not read. Otherwise it
is read in the fallback format of the task (plain columns).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from evenhand.data.annotation import LISTS, Annotation
from evenhand.data.characters import peek
from evenhand.data.encodings import OUTSIDE_TAGS, SEPARATORS, parse
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, SettingError
from evenhand.formats.conllu import COLUMNS, share_of_words
from evenhand.formats.csv_table import DELIMITERS
from evenhand.formats.format import (
    FORMATS,
    Detection,
    Format,
    Frame,
    Reader,
    WrappedObject,
    format_named,
    serving,
    wrap_object,
)
from evenhand.formats.parsing.token_table import ROWS, numbered_rows, rows_of_sample, short_lines
from evenhand.formats.paths import FileList, files_of, folder_name
from evenhand.formats.source import Block, Source
from evenhand.formats.storage import AnyPath, to_path
from evenhand.parameters import SIDES, Parameter, checked_arguments
from evenhand.settings import (
    ColumnName,
    Columns,
    PickedAnnotator,
    ReadSettings,
    Repair,
    Task,
    column_names,
    encoding_named,
)

if TYPE_CHECKING:
    from evenhand.keywords import ReadParameters

_MIN_CONFIDENCE = 0.5
"""Minimum share of the first lines that must fit a format."""
_MAX_FILES, _MAX_BYTES = 256, 1 << 20
"""Files are read together in groups; a group ends at the first limit reached."""
_NUMBER = re.compile(r"[0-9]+")
_WEBANNO_TOKEN = re.compile(r"[0-9]+-[0-9]+")
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
"""The line below the header of a table in Markdown."""
_ITEM = re.compile(
    r"(?:[-*+•–]|[0-9]+[.)])\s+(?:\S.*(?::|->|→|=>|=| - | – )\s*\S.*|.*\S\s*[(\[][^()\[\]]+[)\]]|\S+\s+\S+)[.,;]?"
)
"""An item of a list with its label."""
_BETWEEN = re.compile(r"\t| *\|\|\| *| *=> *| *<=> *")
"""Separators of a sentence and its tags on one line."""
_JOINED = re.compile(rf".+[/|_\\](?:O|[BIESLUMW][{re.escape(SEPARATORS)}][^/|\\]+)")
"""A token with its tag, joined by a separator."""
_MOST = 0.8
"""Minimum share of lines that must look like something that Evenhand does not read."""
_IF_COLUMNS = "write it in a format that Evenhand reads, or specify --format conll if it is a column file"
_MARKUP: tuple[tuple[str, tuple[bytes, ...], str], ...] = (
    ("BioC XML", (b"<collection", b"BioC.dtd"), "convert it to BioC JSON or PubTator"),
    ("UIMA CAS XMI", (b"<xmi:XMI", b"xmlns:xmi", b"http://www.omg.org/XMI"), "export WebAnno TSV 3 instead"),
    ("TEI", (b"<TEI", b"http://www.tei-c.org"), "write one token and its tag per line"),
)
"""Kinds of files that begin with `<`: name, characteristic strings, remedy."""
_SPAN_COLUMNS = "a span table has label, first token and last token (inclusive, counted from 1)"


def recognise(source: Source, name: str | None, task: str | None = None) -> tuple[Format, float]:
    """Return the format of a file, and its confidence: the share of the first lines that fit.

    `name` is the format that the user names. The confidence is 1 if the lines did not have to decide.
    """
    with source.located():
        if name is not None:
            format = format_named(name)
            if task is not None and task not in format.readers:
                remedy = f"specify one of these with --format: {', '.join(serving(task))}"
                raise source.error(None, f"files in {name} contain no {task}", remedy)
            return format, 1.0
        serving_task = list[Format]()
        others = list[Format]()
        for format in FORMATS.plugins_first():  # formats are loaded one by one, and the path may identify an early one
            serves = task is None or task in format.readers
            if format.contents.is_table and not serves:
                continue
            if _is_certain(source, format.detection, task):
                return check_serves(source, format, task), 1.0
            if format.detection.confidence is not None:
                (serving_task if serves else others).append(format)
        if task is not None and len(serving_task) == 1:
            return serving_task[0], 1.0
        return _by_content(source, serving_task + others, task)


def _is_certain(source: Source, detection: Detection, task: str | None) -> bool:
    """Whether the path or the first bytes of a file identify the format."""
    path = source.path
    may_be = detection.suffixes is None or not {*detection.suffixes}.isdisjoint(path.suffixes[-2:])
    if may_be and detection.is_folder:
        may_be = isinstance(path, Path) and not source.is_here and path.is_dir()
    if may_be and detection.certain is not None and detection.certain(source, task):
        return True
    if detection.magic is None or not isinstance(path, Path):
        return False
    try:
        return source.head.data.startswith(detection.magic)
    except (EvenhandError, OSError, EOFError):  # a folder, or an error that the reader reports
        return False


def check_serves(source: Source, format: Format, task: str | None) -> Format:
    """Return the format; raise an error if it has no reader for the task."""
    if task is not None and task not in format.readers:
        finding = f"is read as {format.name}, which has no {task}"
        raise source.error(None, finding, "remove the task, or specify another format")
    return format


def _by_content(source: Source, formats: list[Format], task: str | None) -> tuple[Format, float]:
    """The format that most of the first lines fit; of several such formats, the first.

    If too few lines fit any format: the fallback of the task, unless the lines look like something not read.
    """
    sample = source.sample(1 << 12)
    first_byte = sample.data.lstrip()[:1]
    confidences: dict[str, float] = {}
    for format in formats:
        detection = format.detection
        may_fit = detection.first_bytes is None or first_byte in detection.first_bytes
        may_fit = may_fit and (detection.pattern is None or detection.pattern.search(sample.data) is not None)
        if may_fit and detection.confidence is not None:
            confidences[format.name] = detection.confidence(sample)
    best = max(confidences, key=lambda name: confidences[name], default="")
    if confidences.get(best, 0.0) >= _MIN_CONFIDENCE:
        return check_serves(source, FORMATS[best], task), confidences[best]
    _refuse(source, sample)
    fallback = next((format for format in FORMATS.plugins_first() if task in format.detection.fallback_for), None)
    if fallback is None:
        remedy = f"specify one of these with --format: {', '.join(serving(task or ''))}"
        raise source.error(None, f"not in a format that contains {task}", remedy)
    return fallback, 1.0


def _refuse(source: Source, sample: Block) -> None:
    """Raise an error if the first lines look like something that Evenhand does not read."""
    text = sample.data[: sample.size].lstrip()
    line = sample.first_line + sample.data[: sample.size - len(text)].count(b"\n")
    if text.startswith(b"version https://git-lfs"):
        raise source.error(line, "the file is a Git LFS pointer, not the data itself", "run: git lfs pull")
    if text.startswith(b"<"):
        for name, strings, remedy in _MARKUP:
            if any(string in text for string in strings):
                raise source.error(line, f"the file is {name}, which Evenhand does not read", remedy)
        finding = "the file begins with '<', so it looks like HTML or XML"
        raise source.error(line, finding, f"{_IF_COLUMNS}, or --format system:extractions if a language model wrote it")
    if text.startswith((b"{", b"[")):
        finding = f"the file begins with {text[:1].decode()!r}, but it is not JSON that Evenhand reads"
        raise source.error(line, finding, _IF_COLUMNS)
    numbered = [cells for _, _, cells in numbered_rows(sample)]
    if any(len(cells) == len(COLUMNS) for cells in numbered) and share_of_words(sample, tabs=False) >= _MOST:
        remedy = "write tabs, or specify --format conllx, which accepts both"
        raise source.error(line, "the file looks like CoNLL-U with blanks between its columns", remedy)
    if numbered and sum(map(_is_start_end_label, numbered)) >= _MOST * len(rows_of_sample(sample)):
        finding = "the file looks like a table of start, end and label"
        raise source.error(line, finding, f"put the columns in another order: {_SPAN_COLUMNS}")
    if numbered and all(_WEBANNO_TOKEN.fullmatch(cells[0]) for cells in numbered):
        finding = "the file looks like WebAnno TSV 1 or 2"
        raise source.error(line, finding, "export the document again as WebAnno TSV 3")
    delimiter = _delimiter(sample)
    if delimiter is not None:
        finding = f"the columns seem to be separated by {DELIMITERS[delimiter]}"
        remedy = "separate them with tabs, without quotation marks, or name them in the first line (Word,Tag)"
        raise source.error(line, finding, remedy)
    lines = short_lines(sample)
    for finding, remedy, fits in _LAYOUTS:
        if fits(lines):
            raise source.error(line, f"the file looks like {finding}", remedy)


def _is_start_end_label(cells: list[str]) -> bool:
    if len(cells) not in (3, 4) or _NUMBER.fullmatch(cells[0]) is None:
        return False
    return _NUMBER.fullmatch(cells[1]) is not None and _NUMBER.fullmatch(cells[2]) is None


def _delimiter(sample: Block) -> str | None:
    """The comma or semicolon that separates columns, if one does.

    Most lines must have the same number of columns, more than half of them no blank, and none a tab.
    """
    lines = list(islice(filter(str.strip, sample.data[: sample.size].decode().split("\n")), ROWS))
    if any("\t" in line for line in lines) or sum(" " not in line.strip() for line in lines) <= len(lines) / 2:
        return None
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter))
        except csv.Error:  # a cell that is too long for a table
            return None
        (width, count), *_ = widths.most_common(1)
        if width > 1 and count >= _MOST * len(lines):
            return delimiter
    return None


# The tests of `_LAYOUTS`: whether lines look like a layout that is not read.


def _is_markdown(lines: list[str]) -> bool:
    """A table in Markdown: most lines begin with a bar, and one consists of bars and hyphens."""
    rows = [line for line in lines if line.startswith("|")]
    return len(rows) >= _MOST * len(lines) and any(map(_RULE.fullmatch, rows))


def _is_list(lines: list[str]) -> bool:
    """A list with bullets or numbers, each item with a label after a colon, dash or arrow, or in brackets."""
    return sum(_ITEM.fullmatch(line) is not None for line in lines) > len(lines) / 2


def _is_sentence_with_tags(lines: list[str]) -> bool:
    """A sentence and its tags on one line, with a tab or bars between."""
    halves = [parts for parts in map(_BETWEEN.split, lines) if len(parts) == 2]
    return sum(_is_tagged(words.split(), tags.split()) for words, tags in halves) > len(lines) / 2


def _is_alternating(lines: list[str]) -> bool:
    """A line with a sentence, a line with its tags, and so on."""
    rows = [line.split() for line in lines if "\t" not in line]
    if len(rows) < len(lines) or max(map(len, rows), default=0) < 3:
        return False
    pairs = list(zip(rows[::2], rows[1::2], strict=False))
    return all(_is_tagged(words, tags) for words, tags in pairs) and any(_are_tags(tags) for _, tags in pairs)


def _is_joined(lines: list[str]) -> bool:
    """Tokens with tags after a separator: Ada/B-PER saw/O."""
    words = [word for line in lines for word in line.split()]
    return len(words) > len(lines) and sum(_JOINED.fullmatch(word) is not None for word in words) >= _MOST * len(words)


def _is_tagged(words: list[str], tags: list[str]) -> bool:
    """Whether these are the words of a sentence and their tags, one per word."""
    return len(words) == len(tags) > 1 and all(map(_is_tag, tags)) and not _are_tags(words)


def _are_tags(words: list[str]) -> bool:
    """Whether all words are tags, and at least one has a label."""
    return bool(words) and all(map(_is_tag, words)) and any(len(word) > 2 for word in words)


def _is_tag(word: str) -> bool:
    return word in OUTSIDE_TAGS or (parse(word) is not None and len(word) > 2)


_ONE_PER_LINE = "write one token and its tag per line, with a tab between, and a blank line between sentences"
_AS_JSON = "ask the model for JSON, or specify --format system:extractions to look for its answers in the gold texts"
_LAYOUTS: tuple[tuple[str, str, Callable[[list[str]], bool]], ...] = (
    ("a table in Markdown", f"{_ONE_PER_LINE}; {_AS_JSON}", _is_markdown),
    ("a list with bullets, as language models write it", _AS_JSON, _is_list),
    (
        "Markdown with a code block",
        f"remove the lines with ``` ; {_AS_JSON}",
        lambda lines: "".join(lines[:1]).startswith("```"),
    ),
    ("sentences with their tags on the same line", _ONE_PER_LINE, _is_sentence_with_tags),
    ("lines of words and lines of tags in turns", _ONE_PER_LINE, _is_alternating),
    ("sentences with a tag joined to each token", _ONE_PER_LINE, _is_joined),
)
"""Layouts that are not read: description, remedy, and a test of the first lines."""


def _read_parameters() -> dict[str, Parameter]:
    """The parameters of tasks that readers use."""
    from evenhand.tasks.registry import all_parameters  # a later room, but users set parameters of both together

    return {name: parameter for name, parameter in all_parameters().items() if parameter.effect.reads}


@checked_arguments(_read_parameters)
def read(
    path: str | PathLike[str] | Frame,
    *,
    format: str | None = None,
    column: ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName] | None = None,
    encoding: str | None = None,
    repair: Repair | None = None,
    offsets: str | None = None,
    functions: bool = False,
    task: Task | None = None,
    annotator: str | None = None,
    **parameters: Unpack[ReadParameters],
) -> Annotation:
    """Read a file, or a data frame of pandas or polars, into an annotation: the text and its layers.

    `format` ("conll", "spans", …) and `encoding` ("iob2", "bioes", …) are detected from the content by default.
    `column` is the column of tags in a column file: its number (1 is the first, -1 the last), its name in the header,
    or several of these as levels of nesting. Columns of a data frame are named by role, unless their names or contents
    show it: {"sentence": "sid", "token": "word", "tag": "ner"} for one row per token, {"document": …, "start": …,
    "end": …, "label": …, "text": …} for one row per span; its index is ignored. `repair` decides about ill-formed tags:
    "begin" a span as conlleval does (the default), "discard" it, or raise an "error"; without it, the `repair` of
    `score` applies. `offsets` is the unit of offsets: "codepoints", "utf16" units, "bytes" or, in tables of spans,
    "tokens", and "1-based" or "inclusive" after a comma; without it, quotes in JSON show it, else offsets are code
    points from 0 with exclusive ends. `functions` keeps the functions in labels of bracketed trees (NP-SBJ). `task`
    ("tags", "trees", "spans") is the task to read the file for, if its content does not show it: columns of tags that
    are not spans, or trees in columns that `column` names ("form=2,head=7,deprel=8"). `annotator`, such as
    "annotator=ana", picks one of several annotators of a file by a field of its records. Tasks have further keywords,
    such as `sentences="lines"` for relations in brat files.
    """
    for name, value in (("format", format), ("column", column), ("encoding", encoding), ("offsets", offsets)):
        if isinstance(value, Mapping) and (name != "column" or not value or not {*SIDES}.isdisjoint(value)):
            raise SettingError(f"A file read alone has no sides; specify only one {name}.")
    if task is not None:
        from evenhand.tasks.registry import task_named  # a later room, but users name tasks here, too

        task = task_named(task)
    if format is not None:
        format_named(format)
    settings = ReadSettings(
        format,
        column_names(column),
        encoding_named(encoding),
        "begin" if repair is None else repair,
        offsets,
        functions,
        task=task,
    )
    settings = replace(settings, annotator=PickedAnnotator.of(annotator))
    if parameters:
        declared = _read_parameters()
        values = {name: declared[name].value(value) for name, value in parameters.items()}
        settings = replace(settings, parameters=values)
    wrapped = None if isinstance(path, str | PathLike) else wrap_object(path)
    side = to_path(cast("str | PathLike[str]", path)) if wrapped is None else wrapped
    annotation = Annotation.concatenate(list(OpenFiles(side, settings).batches(Vocabulary())))
    # Without `repair` in the readings, the `repair` of `score` applies.
    return annotation if repair is None else _with_readings(annotation, repair=repair)


def _with_readings(annotation: Annotation, **changes: Any) -> Annotation:
    """The annotation, where the `ReadInfo` of every layer is changed."""
    readings = {name: replace(reading, **changes) for name, reading in annotation.readings.items()}
    return replace(annotation, readings=readings)


@dataclass(frozen=True)
class OpenFile:
    """A file whose format is known, or an object of another library."""

    source: Source
    settings: ReadSettings
    format: Format
    confidence: float
    """The share of the first lines that fit the format."""
    value: Any = None
    """The object that is read instead of a file, if it is one."""

    @cached_property
    def task(self) -> str:
        """The task that the user names, else the one that the first lines show, else the format's first one."""
        task_of = self.format.detection.task_of
        if self.settings.task is not None or self.value is not None or task_of is None:
            return self.settings.task or next(iter(self.format.readers))
        with self.source.located():
            return task_of(self.source.sample(1 << 12)) or next(iter(self.format.readers))

    @cached_property
    def traits(self) -> frozenset[str]:
        """What the file contains, such as heads of mentions; see `Format`."""
        contents = self.format.contents
        if contents.file_traits is None:
            return contents.traits
        with self.source.located():
            return contents.file_traits(self.source, self.settings)

    @property
    def reader(self) -> Reader:
        return self.format.readers[self.task]

    def read_as(self, settings: ReadSettings) -> OpenFile:
        """Return the same file with other settings, for the same format and task."""
        return replace(self, settings=settings)

    def batches(
        self, vocabulary: Vocabulary, columns: Columns | None = None, together: Iterator[Annotation] | None = None
    ) -> Iterator[Annotation]:
        """Yield the file in batches of whole sentences, at least one; `columns` are the columns of each layer of spans.

        If several files are read together, `together` yields one batch per file, and the next one is this file's.
        """
        first, stream = peek(self._batches(vocabulary, columns, together))
        if first is None:
            raise self.source.error(
                None, "the file has no sentences", "check how it was written, or specify its --format"
            )
        return stream

    def _batches(
        self, vocabulary: Vocabulary, columns: Columns | None, together: Iterator[Annotation] | None
    ) -> Iterator[Annotation]:
        settings = self.settings
        source = self.source
        if settings.columns and not self.format.contents.has_columns:
            finding = f"--column is set, but this file is read as {self.format.name}, which has no columns"
            raise source.error(None, finding, "remove --column for this file, or specify its --format")
        named = settings.parameters.get("score")
        if named is not None and settings.side != "gold" and not self.format.contents.has_scores:
            finding = f"--score is {named}, but this file is read as {self.format.name}, whose confidences are not read"
            raise source.error(None, finding, "remove --score, or write JSON lines with a score for each unit")
        if settings.annotator is not None and self.format.contents.annotators is None:
            finding = f"--annotator is set, but this file is read as {self.format.name}, which has no annotators"
            raise source.error(None, finding, "remove --annotator for this file, or specify a side: gold:FIELD=NAME")
        columns = {"spans": settings.columns} if columns is None else columns
        objects = self.format.objects
        read = self.reader.read if objects is None or self.value is None else partial(objects.read, self.value)
        with source.located():
            for batch in read(source, settings, vocabulary, columns) if together is None else islice(together, 1):
                # Some readers make annotations of Python lists, which do not know the format.
                if any(reading.format == LISTS for reading in batch.readings.values()):
                    batch = _with_readings(batch, format=self.format.name)
                if settings.annotator is not None:
                    batch = _with_readings(batch, annotator=settings.annotator.name)
                yield batch if self.confidence == 1 else batch.recognised(self.confidence)
                del batch  # so it is freed before the next one is read


def open_file(source: Source, settings: ReadSettings) -> OpenFile:
    """Detect the format of a file."""
    format, confidence = recognise(source, settings.format, settings.task)
    return OpenFile(source, settings, format, confidence)


def open_object(wrapped: WrappedObject, settings: ReadSettings) -> OpenFile:
    """Return an object of another library as if it were a file of its format."""
    source = wrapped.source
    format = wrapped.format
    if settings.format not in (None, format.name):
        finding = f"is read as {format.name}, not as {settings.format}"
        raise source.error(None, finding, "remove the format for this side")
    return OpenFile(source, settings, check_serves(source, format, settings.task), 1.0, wrapped.value)


class OpenFiles:
    """One side of an evaluation: a file, several files as one text, or an object of another library.

    Several files belong to a folder, a pattern or a list. The format of each is detected once, when it is needed.
    """

    def __init__(self, path: AnyPath | FileList | WrappedObject, settings: ReadSettings) -> None:
        self.name: str | None = None
        """Common name of several files; None for a single one."""
        self.paths: Sequence[AnyPath] = ()
        """All files; empty for an object."""
        self._object = path if isinstance(path, WrappedObject) else None
        self._source: Callable[[AnyPath], Source] = path.source if isinstance(path, FileList) else Source
        """Return the source of a path."""
        if not isinstance(path, WrappedObject):
            files = files_of(path)
            self.name = None if files is None else folder_name(path) or ""
            self.paths = (cast("AnyPath", path),) if files is None else files
        self._settings = settings
        self._first: OpenFile | None = None
        self._recognised: list[tuple[Format, float]] = []
        """Format and confidence of the files opened so far. Only the first file is kept open: folders have many."""

    @property
    def first(self) -> OpenFile:
        """The first file, or the object."""
        if self._first is None:
            self._first = self._open(0) if self._object is None else open_object(self._object, self._settings)
        return self._first

    def _open(self, number: int) -> OpenFile:
        """Open a file; files are opened in order."""
        source = self._source(self.paths[number])
        recognised = self._recognised
        if number == len(recognised):
            format, confidence = recognise(source, self._settings.format, self._settings.task)
            # Files with the same format and confidence share a tuple, which saves memory.
            is_same = bool(recognised) and recognised[-1][0] is format and recognised[-1][1] == confidence
            recognised.append(recognised[-1] if is_same else (format, confidence))
        format, confidence = recognised[number]
        return OpenFile(source, self._settings, format, confidence)

    def read_as(self, settings: ReadSettings) -> OpenFiles:
        """Return the same files with other settings, for the same format and task."""
        files = copy(self)
        files._settings = settings
        files._first = None if self._first is None else self._first.read_as(settings)
        return files

    def batches(self, vocabulary: Vocabulary, columns: Columns | None = None) -> Iterator[Annotation]:
        """Yield the files in batches of whole sentences; `columns` are the columns of each layer of spans."""
        if self.name is None:
            return self.first.batches(vocabulary, columns)
        return (
            Annotation(batch.corpus, batch.layers, batch.readings, self.name)
            for files in self._groups()
            for batch in _read_group(files, vocabulary, columns)
        )

    def __iter__(self) -> Iterator[OpenFile]:
        """Yield each file, or the object."""
        if self._object is not None:
            yield self.first
            return
        for number in range(len(self.paths)):
            yield self._open(number) if number else self.first

    def _groups(self) -> Iterator[list[OpenFile]]:
        """Yield the files in groups that may be read together."""
        max_files = 1 if self.first.reader.read_many is None else _MAX_FILES
        group = list[OpenFile]()
        size = 0
        for number in range(len(self.paths)):
            group.append(self._open(number) if number else self.first)
            size += group[-1].source.size
            if len(group) == max_files or size > _MAX_BYTES:
                yield group
                group = []
                size = 0
        if group:
            yield group


def _read_group(files: list[OpenFile], vocabulary: Vocabulary, columns: Columns | None) -> Iterator[Annotation]:
    """Yield the batches of some files. They are read together if they have one format, and it supports that."""
    read_many = files[0].reader.read_many
    together = None
    if read_many is not None and all(file.format is files[0].format for file in files):
        together = read_many([file.source for file in files], files[0].settings, vocabulary, columns or {})
    for file in files:
        yield from file.batches(vocabulary, columns, together)
        file.source.forget()


def batches(
    path: AnyPath | FileList, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """Yield a file or several files in batches of whole sentences."""
    return OpenFiles(path, settings).batches(vocabulary, columns)


def file_batches(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """Yield one file in batches, at least one."""
    return open_file(source, settings).batches(vocabulary, columns)
