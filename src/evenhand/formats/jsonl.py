"""The formats that are JSON: JSON lines, lists of records, exports of Label Studio, and coreference as JSON lines.

The code that reads and writes them is loaded when a file needs it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from os import PathLike
from typing import Any, TypeGuard, TypeVar

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation
from evenhand.data.names import LINKS
from evenhand.data.overrides import BOUNDS, LABEL, MISSING, POSITIONS, VERDICTS, LabeledBounds, Override, Overrides
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL as LABEL_LIMIT
from evenhand.errors import InputError, long_label
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer, by_batch
from evenhand.formats.parsing import json_lines as json_spans
from evenhand.formats.parsing.json_lines import (
    NUMBERED,
    PROBLEM,
    TEXT_KEYS,
    TOKEN_KEYS,
    UNREADABLE,
    Raw,
    SpanError,
    candidates,
    decode,
    decode_value,
    expanded,
    explain,
    has_numbers_for_labels,
    is_span,
    sample_lines,
    text_of,
    tokens_of,
)
from evenhand.formats.parsing.json_records import SAMPLE, Decoded, RecordReader, accepted, skipping
from evenhand.formats.partition import records
from evenhand.formats.paths import decode_utf8, read_small_data
from evenhand.formats.source import Block, Source
from evenhand.formats.storage import to_path
from evenhand.registry import lazy
from evenhand.settings import Columns, PickedAnnotator, ReadSettings

_CLUSTERS = re.compile(rb'"(?:clusters|predicted_clusters)"\s*:')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\[')
_LINKS = re.compile(rb'"spans"\s*:\s*\[.*?\{[^{}]*"links"\s*:\s*\[', re.DOTALL)
_STRING = rb'"(?:[^"\\]|\\.)*+(?:"\s*,\s*[{\[]|$)'
_PAIR = re.compile(rb"\s*\[\s*" + _STRING, re.DOTALL)
"""A list with a text and an object or a list; the text may be cut off."""
_LIST = re.compile(rb"\s*\[\s*(?:\{|\[\s*(?:\{|\]|" + _STRING + rb"))", re.DOTALL)
_TASK_LIST = re.compile(rb"\s*\[\s*\{")
_DATA = re.compile(rb'"data"\s*:\s*\{')
_RESULTS = re.compile(rb'"(?:annotations|predictions)"\s*:\s*\[\s*\{(?:.*?"result"\s*:)', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|$)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_TEXTS = ("text", "data", "sentence", "content", "raw_text", "Text", "document_text")
_TOKENS = ("tokens", "words", "tokenized_text", "text", "sentence")
_TABLE = re.compile(rb"\{|\[\s*\[|\[\s*\"[^\"]*\s")


def top_level(data: bytes) -> dict[str, bytes]:
    """The keys of the first object of some data, which may be cut off, and the first bytes of their values."""
    found: dict[str, bytes] = {}
    depth, key = 0, None
    for match in _TOKEN.finditer(data):
        token = match[0]
        if depth == 1 and key is None and token.startswith(b'"'):
            key = token[1:-1].decode(errors="replace")
        elif depth == 1 and key is not None and token != b":" and key not in found:
            found[key] = data[match.start() : match.start() + 80]
        if token in b"[{":
            depth += 1
        elif token in b"]}":
            depth -= 1
            if not depth:
                break
        elif depth == 1 and token == b",":
            key = None
    return found


def _has_words(keys: dict[str, bytes]) -> bool:
    """Whether keys are those of a record with a text or tokens."""
    texts = any(keys.get(name, b"").startswith(b'"') for name in _TEXTS)
    return texts or any(keys.get(name, b"").startswith(b"[") for name in _TOKENS)


def _is_table(keys: dict[str, bytes]) -> bool:
    """Whether a text or tokens are a column of a table, as pandas writes it."""
    words = next((keys[name] for name in ("text", *_TOKENS) if name in keys), b"")
    lists = [value for key, value in keys.items() if value.startswith((b"[[", b"[ ["))]
    return words.startswith((b"{", b"[[")) or (words.startswith(b'["') and bool(lists))


def is_json_lines(sample: Block) -> float:
    """1 if the first line is an object with a text or tokens, which may be cut off; less for other objects.

    A line may also be a pair of a text and its annotations, or a list of spans, if others follow it.
    """
    line, _, rest = sample.data[: sample.size].lstrip().partition(b"\n")
    if line.startswith(b"["):
        if _PAIR.match(line) and _is_whole_or_cut(line, rest):
            return 1.0
        return float(rest.lstrip()[:1] == b"[" and _decoded(line) is not None)
    keys = top_level(line) if line.startswith(b"{") else {}
    if _has_words(keys) and not _is_table(keys):
        return 1.0
    return 0.6 if isinstance(_decoded(line), dict) else 0.0


def _is_whole_or_cut(line: bytes, rest: bytes) -> bool:
    return _decoded(line) is not None or not rest


def _decoded(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def is_json(sample: Block) -> float:
    """Whether this begins a list of objects, of pairs or of lists, or an object over many lines or with records in it.

    Label Studio is asked first, and JSON lines where each line is a value.
    """
    text = sample.data[: sample.size].lstrip()
    if text.startswith(b"["):
        return float(_LIST.match(text) is not None and not is_json_lines(sample))
    line, _, rest = text.partition(b"\n")
    whole = _decoded(line)
    if whole is not None:
        # only for objects

        if not isinstance(whole, dict) or rest.strip():
            return 0.0
        try:
            found = contained(whole)
        except ValueError:  # records that cannot be read: the reader says why
            return 1.0
        return float(found is not None and found[1] != [whole])
    keys = top_level(text)
    if rest.strip():
        lists = any(value.startswith((b"[", b"{")) for value in keys.values())
        return float(line.strip() == b"{" and (lists or _has_words(keys)))
    inner = any(_TABLE.match(value) or value.startswith(b"[{") for value in keys.values())
    return float(inner and (not _has_words(keys) or _is_table(keys)))


def is_label_studio(sample: Block) -> float:
    """Whether this begins a list of objects, and data, or results of annotations or predictions, are among the keys."""
    text = sample.data[: sample.size]
    is_list = _TASK_LIST.match(text) is not None
    return float(is_list and (_DATA.search(text) is not None or _RESULTS.search(text) is not None))


def is_coreference(sample: Block) -> float:
    """1 if the first line is an object with clusters, less if it has sentences only; it may be cut off."""
    line = sample.data[: sample.size].lstrip().partition(b"\n")[0]
    if not line.startswith(b"{"):
        return 0.0
    return 1.0 if _CLUSTERS.search(line) else 0.9 if _SENTENCES.search(line) else 0.0


_RECORDS = records(lazy("evenhand.formats.parsing.json_records:kind_of"))
JSON_LINES = Format(
    "jsonl",
    "JSON lines as Prodigy, doccano and others write them: a text or tokens with spans or tags",
    readers={
        "spans": Reader(lazy("evenhand.formats.jsonl:read_json_lines"), partitioning=_RECORDS),
        LINKS: Reader(lazy("evenhand.formats.entity_links:read_json_links"), partitioning=_RECORDS),
    },
    writers={
        "spans": Writer(Capabilities(documents="sentence"), by_batch(lazy("evenhand.formats.jsonl:write"))),
        LINKS: Writer(Capabilities(levels=False), lazy("evenhand.formats.entity_links:write_jsonl")),
    },
    suffixes=(".jsonl",),
    detection=Detection(
        b"{[",
        confidence=is_json_lines,
        task_of=lambda sample: LINKS if _LINKS.search(sample.data) else None,
    ),
    contents=Contents(has_columns=True, annotators=lazy("evenhand.formats.jsonl:annotators")),
)
JSON = Format(
    "json",
    "a JSON list of records like those of JSON lines, or an object with such records (BioC, Azure, pandas, …)",
    readers={"spans": Reader(lazy("evenhand.formats.jsonl:read"))},
    detection=Detection(b"[{", confidence=is_json),
    contents=Contents(has_columns=True),
)
LABEL_STUDIO = Format(
    "label-studio",
    "a JSON export of Label Studio",
    readers={"spans": Reader(lazy("evenhand.formats.label_studio:read"))},
    writers={
        "spans": Writer(
            Capabilities(tokens=False, gaps=False, documents="sentence"), lazy("evenhand.formats.label_studio:write")
        )
    },
    suffixes=(".json",),
    detection=Detection(b"[", confidence=is_label_studio),
    contents=Contents(has_columns=True, annotators=lazy("evenhand.formats.label_studio:annotators")),
)
COREFERENCE = Format(
    "coref-jsonl",
    "a document a line, with its sentences and clusters of mentions",
    readers={
        "chains": Reader(
            lazy("evenhand.formats.coreference:read"),
            partitioning=records(lazy("evenhand.formats.coreference:kind_of")),
        )
    },
    writers={
        "chains": Writer(Capabilities(gaps=False, columns=False), by_batch(lazy("evenhand.formats.coreference:write")))
    },
    suffixes=(".jsonl", ".jsonlines"),
    detection=Detection(b"{", confidence=is_coreference),
    contents=Contents(has_columns=True, file_traits=lazy("evenhand.formats.coreference:traits")),
)


# == formats/json_annotators.py: Several annotators in one file of JSON lines: a field of eac


FIELDS = ("annotator", "_annotator_id", "_session_id", "username")
_IDS = ("id", "doc_id", "document")
_HASH = "_input_hash"
_TEXTS_JSON_ANNOTATORS = ("text", "data")
_BLOCK, _SAMPLE = 1 << 20, 1 << 14
AGAIN = "answers that were given again"
_PICK = "give it to evenhand agree alone to compare them, or to another command with --annotator FIELD=NAME"


@dataclass
class AnnotatorLines:
    """The lines of each annotator in a file, and what their documents are known by."""

    key: str
    """The field that names them."""
    documents: dict[str, dict[str, int]] = field(default_factory=dict)
    """By annotator and document, the line of the last answer."""
    repeated: Counter[str] = field(default_factory=Counter)
    """How many answers of each annotator were given again later."""
    nameless: int | None = None
    """The first line that names nobody."""

    def add(self, number: int, record: dict[str, Any]) -> None:
        who = record.get(self.key)
        if not isinstance(who, str | int) or not str(who).strip():
            self.nameless = self.nameless or number
            return
        mine, document = self.documents.setdefault(str(who), {}), _document(record)
        self.repeated[str(who)] += document in mine
        mine[document] = number

    def lines(self, annotator: str) -> dict[int, str]:
        """The lines of an annotator, and the document in each."""
        return {line: document for document, line in self.documents[annotator].items()}


def annotator_lines(source: Source, named: str | None = None) -> AnnotatorLines | None:
    """Who wrote which lines; None where no field says."""
    return _lines_of(_records(source.whole.blocks(_BLOCK, cut_after="line")), source, named)


def _lines_of(
    records: Iterable[tuple[int, dict[str, Any]]], source: Source, named: str | None = None
) -> AnnotatorLines | None:
    found: AnnotatorLines | None = None
    nameless: int | None = None
    for number, record in records:
        if found is None:
            name = named or next((each for each in FIELDS if each in record), None)
            if name is None and has_numbers_for_labels(record.get("annotations")):
                raise source.error(number, *NUMBERED)
            if name is None:
                nameless = nameless or number
                continue
            found = AnnotatorLines(name, nameless=nameless)
        found.add(number, record)
    return found if found is not None and found.documents else None


def annotators(source: Source, named: str | None = None) -> tuple[str, list[str]] | None:
    """The field that names annotators, and their names, if every record has one."""
    found = annotator_lines(source, named)
    if found is not None and found.nameless is not None:
        remedy = "say who wrote it, or leave it out"
        raise source.error(found.nameless, f"the record names no annotator ({found.key})", remedy)
    return None if found is None else (found.key, list(found.documents))


def picked_lines(source: Source, picked: PickedAnnotator) -> AnnotatorLines:
    """The lines of a file that has the annotator who is picked; else that is an error."""
    lines = annotator_lines(source, picked.field)
    if lines is None:
        finding = f"no record has the field {picked.field!r}, which is to name its annotator"
        raise source.error(None, finding, "name another field with --annotator FIELD=NAME")
    if picked.name not in lines.documents:
        finding = f"there is no annotator {picked.name!r}, only {', '.join(lines.documents)}"
        raise source.error(None, finding, "pick one of these")
    return lines


def refuse_several(source: Source) -> None:
    """Raise an error for a file with several annotators; of what cannot be read again, its first records tell."""
    sample = source.sample(_SAMPLE)
    if not any(f'"{name}"'.encode() in sample.data[: sample.size] for name in FIELDS):
        return
    found = annotator_lines(source) if source.is_here else _lines_of(_records([sample]), source)
    if found is not None and len(found.documents) > 1:
        names = list(found.documents)
        finding = f"has records of {len(names)} annotators ({found.key}: {', '.join(names[:10])})"
        raise source.error(None, finding, _PICK)


def chosen(records: list[Raw], lines: np.ndarray[Any, Any], kept: dict[int, str]) -> tuple[list[Raw], Any]:
    """The records in some lines, with what their documents are known by as ids."""
    rows = [row for row, line in enumerate(lines.tolist()) if line in kept]
    for row in rows:
        records[row]["id"] = kept[int(lines[row])]
    return [records[row] for row in rows], lines[rows]


def _records(blocks: Iterable[Block]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of blocks with their lines; what cannot be read is left to the reader."""
    for block in blocks:
        for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
            if line.strip():
                try:
                    record = msgspec.json.decode(line)
                except UNREADABLE:
                    continue
                if isinstance(record, dict):
                    yield number, record


def _document(record: dict[str, Any]) -> str:
    keys = (_HASH, *_IDS) if "_task_hash" in record else _IDS
    known = next((record[key] for key in keys if isinstance(record.get(key), str | int)), None)
    if known is None:
        known = next((record[key] for key in _TEXTS_JSON_ANNOTATORS if isinstance(record.get(key), str)), None)
    return msgspec.json.encode(record.get("tokens")).decode() if known is None else str(known)


# == formats/json_lines.py: JSON lines: one record a line, as Prodigy, doccano and other


_BLOCKS = 4
"""How many times larger than elsewhere blocks are: each is gone through many times, and has few lines."""


def read_json_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole records."""

    def first() -> Iterator[Decoded]:
        return (decode(source, block) for block in source.first_blocks(SAMPLE, cut_after="line"))

    records = RecordReader(JSON_LINES.name, source, settings, vocabulary, first, lambda: sample_lines(source, SAMPLE))

    def blocks() -> Iterator[Block]:
        yield from source.blocks(_BLOCKS * settings.block_size, cut_after="line")  # which an error closes

    if settings.annotator is None:
        refuse_several(source)
        return accepted(source, (records.read(block) for block in blocks()))
    found, name = picked_lines(source, settings.annotator), settings.annotator.name
    kept, again = found.lines(name), found.repeated[name]
    batches = accepted(source, (records.take(chosen(*decode(source, block), kept)) for block in blocks()))
    return (skipping(batch, {AGAIN: 0 if number else again}) for number, batch in enumerate(batches))


def write(annotation: Annotation) -> Iterator[str]:
    """A record a sentence (or text), with its id. Offsets are code points in the text, or positions of tokens."""
    ids = annotation.corpus.ids
    for number, (text, spans) in enumerate(json_spans.records(annotation)):
        known = {} if ids is None or not ids[number] else {"id": ids[number]}
        key = "text" if isinstance(text, str) else "tokens"
        yield msgspec.json.encode({**known, key: text, "spans": spans}).decode() + "\n"


# == formats/json_array.py: JSON files that are one value: a list of records, `[{"text":


T = TypeVar("T")
_BATCH = 1 << 13
"""How many records are read together."""
_SAMPLE_JSON_ARRAY = 1000
"""How many records show how they are read."""
_WRITE = "mend it, or write one record a line"
_DEEPEST = 3
"""How many objects may be around a list of records."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole records."""
    blocks = source.blocks(settings.block_size, cut_after="line")
    data = b"".join(block.data[: block.size] for block in blocks)
    elements, lines = _elements(source, data)

    def decoded() -> Iterator[Decoded]:
        for first in range(0, max(len(elements), 1), _BATCH):
            yield _decoded_json_array(source, elements[first : first + _BATCH], lines[first : first + _BATCH])

    def sample() -> Iterator[Raw]:
        for element in islice(elements, _SAMPLE_JSON_ARRAY):
            try:
                yield from expanded(element) or ()
            except SpanError:
                continue

    records = RecordReader(JSON.name, source, settings, vocabulary, decoded, sample)
    return accepted(source, map(records.take, decoded()))


def _elements(source: Source, data: bytes) -> tuple[list[Any], list[int]]:
    """The records of a file, and the line that each begins on."""
    try:
        value = decode_value(data)
    except UNREADABLE as error:
        what = "list of records" if data.lstrip()[:1] == b"[" else "object"
        finding = f"the file is no JSON {what} ({explain(error)[0]})"
        raise source.error(None, finding, _WRITE, PROBLEM) from None
    try:
        found = contained(value)
    except SpanError as error:
        raise source.error(None, *error.fault, PROBLEM) from None
    if found is None:
        keys = f" with the keys {', '.join(map(repr, islice(value, 5)))}" if isinstance(value, dict) else ""
        finding = f"found a JSON object{keys}, and no records in it"
        raise source.error(None, finding, "write a list of records with a text or tokens, and spans or tags", PROBLEM)
    path, elements = found
    lines = [1] * len(elements)
    if path is not None:
        values = _list_at(data, path)
        lines = _lines(data, values).tolist() if len(values) == len(elements) else lines
    kept = [at for at, element in enumerate(elements) if element is not None]
    return [elements[at] for at in kept], [lines[at] for at in kept]


Found = tuple[Sequence[str] | None, list[Any]]
"""The keys that lead to a list of records, None where there is no such list, and the records."""


def contained(value: Any, depth: int = 0) -> Found | None:
    """The records of a JSON value; None where it has none."""
    if isinstance(value, list):
        is_one = bool(value) and all(map(is_span, value))
        return (None, [value]) if is_one else ((), value)
    if not isinstance(value, dict):
        return None
    for key in ("errors", "ErrorList"):
        if isinstance(value.get(key), list) and value[key]:
            finding = f"the file reports {len(value[key]):,} errors under {key!r}, so documents are missing"
            raise SpanError(finding, "annotate these documents again, or leave them out of the gold standard")
    if (table := _table(value)) is not None:
        return None, table
    if is_record(value):
        return None, [value]
    return _under_key(value, depth)


def _under_key(value: Raw, depth: int) -> Found | None:
    """The records under a key of an object."""
    lists = {key: each for key, each in value.items() if isinstance(each, list) and _are_records(each)}
    if len(lists) > 1:
        names = ", ".join(map(repr, lists))
        raise SpanError(f"the file has several lists of records: {names}", "write each list into its own file")
    if lists:
        ((key, found),) = lists.items()
        return (key,), sorted(found, key=_index) if all(map(_has_index, found)) else found
    rows = list(value.values())
    if rows and all(isinstance(row, dict) and is_record(row) for row in rows):
        return None, [{"id": key, **each} for key, each in value.items()]
    inner = {key: each for key, each in value.items() if isinstance(each, dict)}
    for key, each in inner.items() if depth < _DEEPEST else ():
        found_inside = contained(each, depth + 1)
        if found_inside is not None and found_inside[1]:
            path, records = found_inside
            return None if path is None else (key, *path), records
    return None


def _has_index(element: Any) -> bool:
    return isinstance(element, dict) and type(element.get("Index")) is int


def _index(element: Raw) -> int:
    """The place of a result of Comprehend among the texts."""
    index: int = element["Index"]
    return index


def is_record(value: Raw) -> bool:
    """Whether an object is a record: it has a text or tokens, or spans with offsets."""
    try:
        has_words = text_of(value)[1] is not None or tokens_of(value)[1] is not None
    except SpanError:
        has_words = False
    layers = candidates(value)
    if has_words and (layers or "answer" in value):
        return True
    if isinstance(value.get("passages"), list) or isinstance(value.get("paragraphs"), list):
        return True
    spans = [key for key, kind in layers.items() if kind == "spans" and any(map(is_span, value[key]))]
    empty = [key for key, kind in layers.items() if kind == "empty" and key.lower() in ("entities", "ents", "spans")]
    return bool(spans or empty)


def _are_records(values: list[Any]) -> bool:
    """Whether a list has records, pairs of a text and its annotations, or lists of spans."""
    some = [value for value in values[:_SAMPLE_JSON_ARRAY] if value is not None]
    return bool(some) and all(_is_element(each) for each in some)


def _is_element(value: Any) -> bool:
    if isinstance(value, dict):
        return is_record(value)
    if not isinstance(value, list):
        return False
    is_pair = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    return is_pair or (bool(value) and all(map(is_span, value)))


def _table(value: Raw) -> list[Raw] | None:
    """The rows of a table, as pandas writes it by columns (objects or lists) or split."""
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        rows = [row for row in value["data"] if isinstance(row, list) and len(row) == len(value["columns"])]
        found = [dict(zip(map(str, value["columns"]), row, strict=True)) for row in rows]
        return found if len(rows) == len(value["data"]) and any(map(is_record, found)) else None
    words = next((key for key in (*TEXT_KEYS, *TOKEN_KEYS) if isinstance(value.get(key), dict | list)), None)
    if words is None:
        return None
    if isinstance(value[words], dict):
        names = list(value[words])
        columns: dict[str, Any] = {
            key: each for key, each in value.items() if isinstance(each, dict) and each.keys() == value[words].keys()
        }
        found = [{key: column[name] for key, column in columns.items()} for name in names]
    else:
        size = len(value[words])
        columns = {key: each for key, each in value.items() if isinstance(each, list) and len(each) == size}
        found = [{key: column[at] for key, column in columns.items()} for at in range(size)]
    is_table = bool(found) and all(isinstance(row[words], str | list) for row in found) and all(map(is_record, found))
    return found if is_table else None


def _list_at(data: bytes, path: Sequence[str]) -> list[msgspec.Raw]:
    """The elements of the list that keys lead to, as they are written."""
    raw: bytes | msgspec.Raw = data
    for key in path:
        raw = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[key]
    return msgspec.json.decode(raw, type=list[msgspec.Raw])


def _values(source: Source, data: bytes) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except UNREADABLE as error:
        finding = f"the file is no JSON list of records ({explain(error)[0]})"
        raise source.error(None, finding, _WRITE, PROBLEM) from None


def _lines(data: bytes, values: list[msgspec.Raw]) -> Ints:
    """The line that each value begins on."""
    lines, line, before = [], 1, 0
    for value in values:
        text = bytes(value)
        place = data.index(text, before)
        line += data.count(b"\n", before, place)
        lines.append(line)
        line += text.count(b"\n")
        before = place + len(text)
    return ints(lines)


def _decoded_json_array(source: Source, elements: Sequence[Any], lines: Sequence[int]) -> Decoded:
    """The records among some values, and their lines; a value that is not a record is a problem."""
    found, numbers = list[Raw](), list[int]()
    for element, line in zip(elements, lines, strict=True):
        try:
            records = expanded(element)
        except SpanError as error:
            source.report(line, *error.fault, PROBLEM)
            continue
        if records is None:
            finding = f"expected a record, got {'a list' if isinstance(element, list) else repr(element)[:40]}"
            source.report(line, finding, "write an object with a text or tokens, and spans or tags", PROBLEM)
            continue
        found += records
        numbers += [line] * len(records)
    return found, ints(numbers)


def decoded_values(
    source: Source, data: bytes, decode: Callable[[bytes], T], whole: bytes | None = None
) -> Iterator[tuple[int, T]]:
    """The lines and records of a JSON list, which may be a part of a `whole` file."""
    values = _values(source, data)
    return _records_json_array(source, values, _lines(data if whole is None else whole, values), decode)


def _records_json_array(
    source: Source, values: list[msgspec.Raw], lines: Ints, decode: Callable[[bytes], T]
) -> Iterator[tuple[int, T]]:
    for value, line in zip(values, lines.tolist(), strict=True):
        try:
            yield line, decode(bytes(value))
        except UNREADABLE as error:
            finding, place = explain(error)
            source.report(line, finding if place else f"a record is no JSON object ({finding})", "mend it", PROBLEM)


# == formats/override_lines.py: Files of overrides: JSON lines, each about one span of a gol


_PARTS = ("start", "end", "label")
_NEEDED = {LABEL: ("label",), BOUNDS: ("start", "end"), MISSING: _PARTS}
"""The verdicts that have a `to`, and what it must name: one of the bounds, or all."""
_LARGEST = 1 << 31
"""No file has so many sentences, and no sentence so many tokens."""
_EXAMPLE = '{"sentence": 12, "start": 3, "end": 5, "label": "ORG", "verdict": "spurious"}'


def read_overrides(path: str | PathLike[str]) -> Overrides:
    """All lines of a file, checked one by one; whether they fit a gold standard is checked when they act on it."""
    where = to_path(path)
    data = read_small_data(where, "file of overrides")
    lines = [_override(str(where), number, line) for number, line in _numbered(decode_utf8(data, where))]
    from hashlib import sha256  # rare

    return Overrides(where.name, sha256(data).hexdigest(), lines)


def written(lines: Iterable[Override]) -> str:
    """Overrides as the lines of a file, with all of their keys."""
    return "".join(json.dumps(line.record, ensure_ascii=False) + "\n" for line in lines)


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _override(source: str, number: int, line: str) -> Override:
    """One line, or an error that says what is wrong with it."""
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise InputError(source, number, f"is no JSON ({reason})", f"write an object a line: {_EXAMPLE}") from None
    try:
        return _parsed(source, number, record)
    except _WrongError as error:
        raise InputError(source, number, str(error), error.remedy) from None


class _WrongError(Exception):
    """What a record lacks, and what to do."""

    def __init__(self, finding: str, remedy: str) -> None:
        super().__init__(finding)
        self.remedy = remedy


def _parsed(source: str, number: int, record: Any) -> Override:
    if not isinstance(record, dict):
        raise _WrongError("is no object", f"write one: {_EXAMPLE}")
    verdict = record.get("verdict")
    if verdict not in VERDICTS:
        raise _WrongError(f"the verdict is {verdict!r}", f"choose one of {', '.join(VERDICTS)}")
    positions = record.get("positions")
    if positions is not None and positions not in POSITIONS:
        raise _WrongError(f"positions is {positions!r}", f"choose one of {', '.join(POSITIONS)}, or leave it out")
    span = None if verdict == MISSING else _bounds(record, "the gold span")
    return Override(source, number, verdict, *_place(record), span, _target(record, verdict), record, positions)


def _place(record: Mapping[str, Any]) -> tuple[int | None, str | int | None]:
    """The sentence and the document, one of which must be named."""
    sentence, document = record.get("sentence"), record.get("document")
    if sentence is not None and not _is_number(sentence, 1):
        raise _WrongError(f"sentence is {sentence!r}", "give its number in the file, from 1")
    if document is not None and not isinstance(document, str) and not _is_number(document, 1):
        raise _WrongError(f"document is {document!r}", "give its name, or its number in the file, from 1")
    if sentence is None and document is None:
        raise _WrongError("names neither a sentence nor a document", "give its number or, of a document, its name")
    return sentence, document


def _target(record: Mapping[str, Any], verdict: str) -> dict[str, Any]:
    """What `to` names; empty where the verdict has none."""
    to = record.get("to")
    needed = _NEEDED.get(verdict)
    if needed is None:
        if to is not None:
            raise _WrongError(f"has `to`, which {verdict!r} does not take", "leave it out")
        return {}
    if not isinstance(to, dict):
        raise _WrongError(f"has the verdict {verdict!r} and no `to`", "say there what the span should be")
    strange = [key for key in to if key not in _PARTS]
    if strange:
        raise _WrongError(f"`to` has {strange[0]!r}", f"name {', '.join(_PARTS)} there, and other keys beside it")
    if not any(part in to for part in needed):
        raise _WrongError(f"has the verdict {verdict!r}, and `to` does not name {' or '.join(needed)}", "name it there")
    _bounds(to if verdict == MISSING else {**record, **to}, "`to`")
    return to


def _bounds(record: Mapping[str, Any], what: str) -> LabeledBounds:
    """Start, end and label, if they are such."""
    start, end, label = (record.get(part) for part in _PARTS)
    if not _is_number(start, 0) or not _is_number(end, 0) or start >= end:
        finding = f"start and end of {what} are {start!r} and {end!r}"
        raise _WrongError(finding, "count from 0, with the end exclusive, in tokens or characters")
    if not isinstance(label, str) or not label:
        raise _WrongError(f"the label of {what} is {label!r}", "give its name")
    if len(label) > LABEL_LIMIT.value:
        error = long_label(label)
        raise _WrongError(error.finding, error.remedy)
    return LabeledBounds(start, end, label)


def _is_number(value: Any, least: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _LARGEST
