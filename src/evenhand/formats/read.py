"""Reading: files that are recognised once and read as batches, or whole."""

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
from typing import Any

from evenhand.data.annotation import LISTS, Annotation
from evenhand.data.characters import peeked
from evenhand.data.encodings import OUTSIDE_TAGS, SEPARATORS, parse
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.conllu import share_of_words
from evenhand.formats.format import Format, Reader
from evenhand.formats.objects import WrappedObject
from evenhand.formats.parsing.token_table import ROWS, numbered_rows, rows_of_sample
from evenhand.formats.paths import FileList, files_of, folder_name
from evenhand.formats.registry import FORMATS, by_precedence, format_named, in_order, serving
from evenhand.formats.source import Block, Source
from evenhand.formats.storage import AnyPath, to_path
from evenhand.formats.text_formats import DELIMITERS, short_lines
from evenhand.parameters import Parameter, check_choice, checked_arguments
from evenhand.settings import ColumnName, Columns, PickedAnnotator, ReadSettings, Repair, Task, column_names

# == formats/recognition.py: Recognition: which format a file has, by its path and its fi


SURE = 0.5
"""From which confidence on a format is taken for a file's."""
_LFS_POINTER = b"version https://git-lfs"
_NUMBER = re.compile(r"[0-9]+")
_WEBANNO_TOKEN = re.compile(r"[0-9]+-[0-9]+")
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_ITEM = re.compile(
    r"(?:[-*+•–]|[0-9]+[.)])\s+(?:\S.*(?::|->|→|=>|=| - | – )\s*\S.*|.*\S\s*[(\[][^()\[\]]+[)\]]|\S+\s+\S+)[.,;]?"
)
_BETWEEN = re.compile(r"\t| *\|\|\| *| *=> *| *<=> *")
_JOINED = re.compile(rf".+[/|_\\](?:O|[BIESLUMW][{re.escape(SEPARATORS)}][^/|\\]+)")
_MOST = 0.8
"""Which share of lines must be alike."""
_IF_COLUMNS = "write it in a format that Evenhand reads, or say --format conll if it is a column file"
_ANSWER = "or --format system:extractions if a language model wrote it"
_MARKUP: tuple[tuple[str, tuple[bytes, ...], str], ...] = (
    ("BioC XML", (b"<collection", b"BioC.dtd"), "convert it to BioC JSON or PubTator"),
    ("UIMA CAS XMI", (b"<xmi:XMI", b"xmlns:xmi", b"http://www.omg.org/XMI"), "export WebAnno TSV 3 instead"),
    ("TEI", (b"<TEI", b"http://www.tei-c.org"), "write one token and its tag per line"),
)
"""What files that begin with `<` are, how to tell, and what to do."""
_SPANS = "a span table has label, first token and last token (inclusive, counted from 1)"


def recognise(source: Source, name: str | None, task: str | None = None) -> tuple[Format, float]:
    """The format of a file, and how much of its first lines fits: 1 where somebody named it, or the path shows it."""
    with source.located():
        if name is not None:
            return _named(source, name, task), 1.0
        asked = []
        for each in in_order():  # which are loaded one by one: a path may tell at once
            serves = task is None or task in each.tasks
            if each.contents.is_table and not serves:
                continue
            if each.detection.certain is not None and each.detection.certain(source, task):
                return serving_format(source, each, task), 1.0
            asked += [(each, serves)] if each.detection.confidence is not None else []
        own = [each for each, serves in asked if serves]
        if task is not None and len(own) == 1:
            return own[0], 1.0
        return _by_content(source, [*own, *(each for each, serves in asked if not serves)], task)


def _named(source: Source, name: str, task: str | None) -> Format:
    found = format_named(name)
    if task is not None and task not in found.tasks:
        remedy = f"name one of these with --format: {', '.join(serving(task))}"
        raise source.error(None, f"files in {name} hold no {task}", remedy)
    return found


def serving_format(source: Source, found: Format, task: str | None) -> Format:
    """The format, if it serves the task."""
    if task is not None and task not in found.tasks:
        finding = f"is read as {found.name}, which has no {task}"
        raise source.error(None, finding, "leave out the task, or name another format")
    return found


def _by_content(source: Source, formats: list[Format], task: str | None) -> tuple[Format, float]:
    """The format that is surest of the first lines; those that serve the task come first."""
    sample = source.sample(1 << 12)
    first = sample.data.lstrip()[:1]
    sure: dict[str, float] = {}
    for each in formats:
        detection = each.detection
        if detection.confidence is not None and (detection.first_bytes is None or first in detection.first_bytes):
            sure[each.name] = detection.confidence(sample)
    best = max(sure, key=lambda name: sure[name], default="")
    if sure.get(best, 0.0) >= SURE:
        return serving_format(source, FORMATS[best], task), sure[best]
    _refuse(source, sample)
    fallback = next((each for each in by_precedence() if task in each.detection.fallback_for), None)
    if fallback is None:
        remedy = f"name one of these with --format: {', '.join(serving(task or ''))}"
        raise source.error(None, f"the file is in no format that holds {task}", remedy)
    return fallback, 1.0


def _refuse(source: Source, sample: Block) -> None:
    """Raise an error if the first lines of a file look like something that is not read."""
    text = sample.data[: sample.size].lstrip()
    line = sample.first_line + sample.data[: sample.size - len(text)].count(b"\n")
    if text.startswith(_LFS_POINTER):
        raise source.error(line, "the file is a Git LFS pointer, not the data itself", "run: git lfs pull")
    if text.startswith(b"<"):
        raise source.error(line, *_markup(text))
    if text.startswith((b"{", b"[")):
        finding = f"the file begins with {text[:1].decode()!r}, but it is no JSON that Evenhand reads"
        raise source.error(line, finding, _IF_COLUMNS)
    if share_of_words(sample, tabs=False) >= _MOST:
        remedy = "write tabs, or say --format conllx, which takes both"
        raise source.error(line, "the file looks like CoNLL-U with blanks between its columns", remedy)
    numbered = [cells for _, _, cells in numbered_rows(sample)]
    if numbered and sum(map(_is_start_end_label, numbered)) >= _MOST * len(rows_of_sample(sample)):
        finding = "the file looks like a table of start, end and label"
        raise source.error(line, finding, f"put the columns in another order: {_SPANS}")
    if numbered and all(_WEBANNO_TOKEN.fullmatch(cells[0]) for cells in numbered):
        finding = "the file looks like WebAnno TSV 1 or 2"
        raise source.error(line, finding, "export the document again as WebAnno TSV 3")
    delimiter = _delimiter(sample)
    if delimiter is not None:
        finding = f"the columns look separated by {DELIMITERS[delimiter]}"
        remedy = "separate them with tabs, without quotation marks, or name them in the first line (Word,Tag)"
        raise source.error(line, finding, remedy)
    lines = short_lines(sample)
    for finding, remedy, fits in _LAYOUTS:
        if fits(lines):
            raise source.error(line, f"the file looks like {finding}", remedy)


def _markup(text: bytes) -> tuple[str, str]:
    """What a file that begins with `<` is, and what to do."""
    for name, marks, remedy in _MARKUP:
        if any(mark in text for mark in marks):
            return f"the file is {name}, which Evenhand does not read", remedy
    return "the file begins with '<', so it looks like HTML or XML", f"{_IF_COLUMNS}, {_ANSWER}"


def _is_start_end_label(cells: list[str]) -> bool:
    if len(cells) not in (3, 4) or _NUMBER.fullmatch(cells[0]) is None:
        return False
    return _NUMBER.fullmatch(cells[1]) is not None and _NUMBER.fullmatch(cells[2]) is None


def _delimiter(sample: Block) -> str | None:
    """The comma or semicolon that separates columns: most lines have no blank, and as many of them."""
    lines = list(islice(filter(str.strip, sample.data[: sample.size].decode().split("\n")), ROWS))
    if any("\t" in line for line in lines) or sum(" " not in line.strip() for line in lines) <= len(lines) / 2:
        return None
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter))
        except csv.Error:  # a cell longer than any table has
            return None
        (width, count), *_ = widths.most_common(1)
        if width > 1 and count >= _MOST * len(lines):
            return delimiter
    return None


def _is_tag(word: str) -> bool:
    return word in OUTSIDE_TAGS or (parse(word) is not None and len(word) > 2)


def _are_tags(words: list[str]) -> bool:
    """Whether all words are tags, some of them with a label."""
    return bool(words) and all(map(_is_tag, words)) and any(len(word) > 2 for word in words)


def _is_markdown(lines: list[str]) -> bool:
    """A table of Markdown: most lines begin with a bar, and one is of hyphens."""
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    return len(rows) >= _MOST * len(lines) and any(map(_RULE.fullmatch, rows))


def _is_list(lines: list[str]) -> bool:
    """A list with bullets or numbers, each item with a label behind a colon, dash or arrow, or in brackets."""
    items = [line for line in lines if _ITEM.fullmatch(line.strip()) is not None]
    return len(items) > len(lines) / 2


def _is_fenced(lines: list[str]) -> bool:
    return bool(lines) and lines[0].strip().startswith("```")


def _is_sentence_with_tags(lines: list[str]) -> bool:
    """A sentence and its tags on one line, with a tab or bars between."""
    found = 0
    for line in lines:
        parts = _BETWEEN.split(line.strip())
        words, tags = (parts[0].split(), parts[1].split()) if len(parts) == 2 else ([], [])
        found += len(words) > 1 and len(words) == len(tags) and all(map(_is_tag, tags)) and not _are_tags(words)
    return found > len(lines) / 2


def _is_alternating(lines: list[str]) -> bool:
    """A line with a sentence, a line with as many tags, and so on."""
    rows = [line.split() for line in lines if "\t" not in line]
    if len(rows) < len(lines) or max(map(len, rows), default=0) < 3:
        return False
    pairs = list(zip(rows[::2], rows[1::2], strict=False))
    fits = [len(words) == len(tags) > 1 and all(map(_is_tag, tags)) and not _are_tags(words) for words, tags in pairs]
    return bool(pairs) and all(fits) and any(_are_tags(tags) for _, tags in pairs)


def _is_joined(lines: list[str]) -> bool:
    """Tokens with tags behind a sign: Ada/B-PER saw/O."""
    words = [word for line in lines for word in line.split()]
    fits = [_JOINED.fullmatch(word) is not None for word in words]
    return len(words) > len(lines) and sum(fits) >= _MOST * len(words)


_ONE_PER_LINE = "write one token and its tag per line, with a tab between, and a blank line between sentences"
_AS_JSON = "ask the model for JSON, or say --format system:extractions to look for its answers in the gold texts"
_LAYOUTS: tuple[tuple[str, str, Callable[[list[str]], bool]], ...] = (
    ("a table in Markdown", f"{_ONE_PER_LINE}; {_AS_JSON}", _is_markdown),
    ("a list with bullets, as language models write it", _AS_JSON, _is_list),
    ("Markdown with a code block", f"remove the lines with ``` ; {_AS_JSON}", _is_fenced),
    ("sentences with their tags on the same line", _ONE_PER_LINE, _is_sentence_with_tags),
    ("lines of words and lines of tags in turns", _ONE_PER_LINE, _is_alternating),
    ("sentences with a tag joined to each token", _ONE_PER_LINE, _is_joined),
)
"""What files may look like, what to do, and how to tell by their lines."""


# == formats/read.py (primary)


_TOGETHER, _BYTES = 256, 1 << 20
"""How many files are opened at a time, at most, and from how many bytes on no further one is."""


def _read_parameters() -> dict[str, Parameter]:
    """What tasks declare and readers look at, by name."""
    from evenhand.tasks.registry import all_parameters  # tasks stand on formats, but users set both at once

    return {name: parameter for name, parameter in all_parameters().items() if parameter.effect.reads}


@checked_arguments(_read_parameters)
def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    column: ColumnName | Sequence[ColumnName] | None = None,
    encoding: str | None = None,
    repair: Repair | None = None,
    offsets: str | None = None,
    functions: bool = False,
    task: Task | None = None,
    annotator: str | None = None,
    **parameters: Any,
) -> Annotation:
    """Read a file into an annotation: the text and its layers.

    `format` ("conll", "spans", …) and `encoding` ("iob2", "bioes", …) are recognised from the content unless they are
    given. `column` is the column of tags in a column file: its number (1 is the first, -1 the last), its
    name in the header, or several of these as levels of nesting. `repair` decides about ill-formed tags: "begin" a span
    as conlleval does (the default), "discard" it, or raise an "error"; without it, the `repair` of `score` applies.
    `offsets` states how texts are counted: "codepoints", "utf16" units or "bytes", and "1-based" or "inclusive" after a
    comma; without it, quotes in JSON show it, else they are code points from 0 with exclusive ends. `functions` states
    whether the labels of bracketed trees keep theirs (NP-SBJ). `task` ("tags", "trees", "spans") says what a file is
    read for, if its content does not show it: columns of tags that spell no spans, or trees in columns that `column`
    names ("form=2,head=7,deprel=8"). `annotator`, such as "annotator=ana", picks one of several annotators of a file by
    a field of its records. Tasks have further keywords, such as `sentences="lines"` of relations in brat's files.
    """
    for name, value in (("format", format), ("column", column), ("encoding", encoding), ("offsets", offsets)):
        if isinstance(value, Mapping):
            raise SettingError(f"A file that is read alone has no sides; give its {name}.")
    check_choice("task", task, sorted({name for each in FORMATS.values() for name in each.tasks}), optional=True)
    if format is not None:
        format_named(format)
    settings = ReadSettings(
        format, column_names(column), encoding, "begin" if repair is None else repair, offsets, functions, task=task
    )
    settings = replace(settings, annotator=PickedAnnotator.of(annotator))
    if parameters:
        declared = _read_parameters()
        values = {name: declared[name].value(given) for name, given in parameters.items()}
        settings = replace(settings, parameters=values)
    found = Annotation.concatenate(list(batches(to_path(path), settings, Vocabulary())))
    readings = {name: replace(reading, repair=repair) for name, reading in found.readings.items()}
    return found if repair is None else replace(found, readings=readings)


@dataclass(frozen=True)
class OpenFile:
    """A file whose format is known."""

    source: Source
    settings: ReadSettings
    format: Format
    confidence: float
    """Which share of its first lines fits the format."""
    value: Any = None
    """The object of another package that is read instead of a file, if it is one."""

    @cached_property
    def task(self) -> str:
        """What the file is read for: the task that is named, that its first lines show, or the format's default."""
        task_of = self.format.detection.task_of
        if self.settings.task is not None or self.value is not None or task_of is None:
            return self.settings.task or self.format.tasks[0]
        with self.source.located():
            return task_of(self.source.sample(1 << 12)) or self.format.tasks[0]

    @cached_property
    def traits(self) -> frozenset[str]:
        """What the file has beyond its task."""
        contents = self.format.contents
        if contents.file_traits is None:
            return contents.traits
        with self.source.located():
            return contents.file_traits(self.source, self.settings)

    @property
    def reader(self) -> Reader:
        return self.format.readers[self.task]

    def read_as(self, settings: ReadSettings) -> OpenFile:
        """The same file, read with other settings for the same format and task."""
        return replace(self, settings=settings)

    def batches(
        self, vocabulary: Vocabulary, columns: Columns | None = None, read: Iterator[Annotation] | None = None
    ) -> Iterator[Annotation]:
        """The file in batches of whole sentences, one at least; `columns` names the columns of each layer of spans.

        The next batch of `read` is the file, where it is read together with others.
        """
        first, stream = peeked(self._batches(vocabulary, columns, read))
        if first is None:
            finding = "the file has no sentences"
            raise self.source.error(None, finding, "check how it was written, or name its --format")
        return stream

    def _batches(
        self, vocabulary: Vocabulary, columns: Columns | None, together: Iterator[Annotation] | None
    ) -> Iterator[Annotation]:
        settings, source = self.settings, self.source
        if settings.columns and not self.format.contents.has_columns:
            finding = f"--column is given, but this file is read as {self.format.name}, which has no columns"
            raise source.error(None, finding, "leave --column out for it, or name its --format")
        if settings.annotator is not None and self.format.contents.annotators is None:
            finding = f"--annotator is given, but this file is read as {self.format.name}, which names no annotators"
            raise source.error(None, finding, "leave --annotator out for it, or name a side: gold:FIELD=NAME")
        wanted = {"spans": settings.columns} if columns is None else columns
        objects = self.format.objects
        read = self.reader.read if objects is None or self.value is None else partial(objects.read, self.value)
        with source.located():
            for batch in read(source, settings, vocabulary, wanted) if together is None else islice(together, 1):
                if any(
                    reading.format == LISTS for reading in batch.readings.values()
                ):  # a reader that makes lists of lines
                    readings = {
                        name: replace(reading, format=self.format.name) for name, reading in batch.readings.items()
                    }
                    batch = replace(batch, readings=readings)
                if settings.annotator is not None:
                    name = settings.annotator.name
                    batch = replace(
                        batch,
                        readings={key: replace(reading, annotator=name) for key, reading in batch.readings.items()},
                    )
                yield batch if self.confidence == 1 else batch.recognised(self.confidence)


def open_file(source: Source, settings: ReadSettings) -> OpenFile:
    """Recognise a file."""
    return OpenFile(source, settings, *recognise(source, settings.format, settings.task))


def open_object(found: WrappedObject, settings: ReadSettings) -> OpenFile:
    """An object that a format adopts, as a file of this format."""
    source, own = found.source, found.format
    if settings.format not in (None, own.name):
        remedy = "leave the format out for this side"
        raise source.error(None, f"is read as {own.name}, not as {settings.format}", remedy)
    return OpenFile(source, settings, serving_format(source, own, settings.task), 1.0, found.value)


class OpenFiles:
    """A file, or the files of a folder, pattern or list, which follow each other as one text; or an adopted object.

    Each is recognised once, when it is first asked about or read, however often it is read.
    """

    def __init__(self, where: AnyPath | FileList | WrappedObject, settings: ReadSettings) -> None:
        files = None if isinstance(where, WrappedObject) else files_of(where)
        self.name = None if files is None or isinstance(where, WrappedObject) else folder_name(where) or ""
        """What several files are called together; None for a single one."""
        self._object = where if isinstance(where, WrappedObject) else None
        if isinstance(where, WrappedObject):
            self.sources = [where.source]
        elif isinstance(where, FileList):
            self.sources = list(where.sources())
        else:
            self.sources = [Source(where)] if files is None else list(map(Source, files))
        self._settings = settings
        self._opened: dict[int, OpenFile] = {}

    @property
    def first(self) -> OpenFile:
        return self._file(0)

    def _file(self, number: int) -> OpenFile:
        if number not in self._opened:
            found, source = self._object, self.sources[number]
            opened = open_file(source, self._settings) if found is None else open_object(found, self._settings)
            self._opened[number] = opened
        return self._opened[number]

    def read_as(self, settings: ReadSettings) -> OpenFiles:
        """The same files, read with other settings for the same format and task."""
        found = copy(self)
        found._settings = settings
        found._opened = {number: each.read_as(settings) for number, each in self._opened.items()}
        return found

    def batches(self, vocabulary: Vocabulary, columns: Columns | None = None) -> Iterator[Annotation]:
        """The files in batches of whole sentences; `columns` names the columns of each layer of spans."""
        if self.name is None:
            return self.first.batches(vocabulary, columns)
        return (
            Annotation(batch.corpus, batch.layers, batch.readings, self.name)
            for files in self._groups()
            for batch in _together(files, vocabulary, columns)
        )

    def _groups(self) -> Iterator[list[OpenFile]]:
        """The files, as many together as are read together at most."""
        most = 1 if self.first.reader.read_many is None else _TOGETHER
        group, size = list[OpenFile](), 0
        for number in range(len(self.sources)):
            group.append(self._file(number))
            size += self.sources[number].size
            if len(group) == most or size > _BYTES:
                yield group
                group, size = [], 0
        if group:
            yield group


def _together(files: list[OpenFile], vocabulary: Vocabulary, columns: Columns | None) -> Iterator[Annotation]:
    """The batches of some files, which are read together if they have one format that can do that."""
    together, read = files[0].reader.read_many, None
    if together is not None and all(file.format is files[0].format for file in files):
        read = together([file.source for file in files], files[0].settings, vocabulary, columns or {})
    for file in files:
        yield from file.batches(vocabulary, columns, read)
        file.source.forget()


def batches(
    path: AnyPath | FileList, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """The file or files in batches of whole sentences."""
    return OpenFiles(path, settings).batches(vocabulary, columns)


def file_batches(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns | None = None
) -> Iterator[Annotation]:
    """One file in batches; one at least, or an error."""
    return open_file(source, settings).batches(vocabulary, columns)
