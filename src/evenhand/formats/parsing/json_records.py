"""JSON records of annotation tools, pipelines and services: decoding, layouts, and the layer to read.

The contents of a record follow from its keys:

==============================  ==========================================================================
text, spans                     spans as objects, with character offsets (Prodigy; also with tokens and answer)
text or data, entities          the same with the keys of newer doccano: start_offset, end_offset; or as lists
text or data, label or labels   spans as lists: [start, end, label] (doccano), or as objects (Label Studio's JSON-MIN)
text, ents                      spaCy's Doc.to_json
text, {"entities": …}           a pair, the training data of spaCy 2
tokens, spans                   spans as objects, with token offsets
tokens, tags or ner_tags        one tag per token; also under label or labels
tokenized_text, ner             GLiNER's training data: [first token, last token, label]
passages                        a BioC document, with offsets into the document
paragraphs                      a document of spaCy 2, with tags of tokens
entities or a list of spans     offsets without a text: the output of GLiNER, Hugging Face or a service
==============================  ==========================================================================

`words` is another name for tokens, `sentence` and others for the text; `json_spans` reads the spans. Records with an
`id`, a string or a whole number, are matched by it.

A record may have several layers. Names with `pred`, `predicted`, `system` and the like are predictions, names with
`gold`, `true` or `reference` are gold standards. A system is read from its predictions, a gold standard from another
layer; `--column` names a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import msgspec
import numpy as np

from evenhand.arrays import Ints, bit_positions, bits_equal, ints
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, reason_of
from evenhand.formats.parsing.confidences import USUAL, ScoreError, ScoreFields
from evenhand.formats.parsing.json_spans import (
    KEY_WORDS,
    TYPE_NAMES,
    JsonSpan,
    ListedSpan,
    OffsetMap,
    Quote,
    SpanError,
    Words,
    check_quotes,
    has_offsets,
    merge_tokens,
    name_of_type,
    occurs,
    on_words,
    read_span,
    span_fields,
    spans_of,
)
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.settings import Convention, Offsets, ReadSettings

T = TypeVar("T")
UNREADABLE = (msgspec.DecodeError, RecursionError)
"""Raised for JSON that is broken, has other types than expected, or is nested too deeply."""
PROBLEM = "record"
"""The type of problems of records, for `check`."""
NUMBERED = (
    "its labels are numbers, as doccano's old JSONL has them, without their names",
    "export the project as JSONL (text label), with one file per user",
)
"""The problem of records of old doccano, and its remedy."""
TEXT, TOKENS, TAGS, OFFSETS = "a text", "tokens and spans", "tokens and tags", "offsets without a text"
"""The kinds of records."""
TEXT_KEYS = ("text", "data", "sentence", "content", "raw_text", "Text", "document_text", "raw", "document", "context")
TOKEN_KEYS = ("tokens", "words", "tokenized_text", "token", "sentence", "text")
SPAN_LIST = "spans"
"""The layer of a record that is only a list of spans."""
DOCUMENT_KEYS = ("passages", "paragraphs", "documents")
"""The keys of objects that hold several records."""
SAMPLE_RECORDS = 1000
"""The number of records of a JSON value that show how to read it."""
_MAX_DEPTH = 3
"""The number of objects that may surround a list of records."""
_ONE_PER_LINE = "write one JSON object per line"
_WRITE = "fix it, or write one record per line"
_NAME_IT = "or specify the layer with --column"
Raw = dict[str, Any]
"""A decoded record."""
Decoded = tuple[list[Raw], Ints]
"""Decoded records, and the line of each."""


class ContinuedRecord(dict[str, Any]):
    """A record that belongs to the document of the one before it."""


class SpanRecord(msgspec.Struct, gc=False):
    """The contents of a record: a text or tokens, with spans or tags."""

    kind: str
    text: str | None = None
    tokens: Sequence[str] | None = None
    spans: Sequence[JsonSpan] | None = None
    tags: Sequence[Any] | None = None
    quotes: Sequence[Quote] = ()
    id: Any = None
    continues: bool = False
    merged: int = 0
    """The number of tokens that were merged into spans."""

    @property
    def words(self) -> Words | None:
        return self.tokens if self.text is None else self.text


# Decoding


_DECODER = msgspec.json.Decoder()
decode_value = _DECODER.decode


def decode(source: Source, block: Block) -> Decoded:
    """The records of a block of JSON lines; lines without a record are reported."""
    try:
        values = _DECODER.decode_lines(memoryview(block.data)[: block.size])
        is_plain = has_one_object_per_line(values, block)
    except UNREADABLE:
        values, is_plain = [], False
    if is_plain and all(type(value) is dict and is_simple(value) for value in values):
        return values, np.arange(block.first_line, block.first_line + len(values))
    return expand_all(source, decoded_lines(source, block, _decode_record), _ONE_PER_LINE)


def _decode_record(line: bytes) -> Any:
    """The value of a line, which may have the numbers NaN and Infinity, as Python's `json` writes them."""
    try:
        return decode_value(line)
    except msgspec.DecodeError:
        if b"NaN" in line or b"Infinity" in line:
            with suppress(ValueError):
                return json.loads(line)
        raise


def has_one_object_per_line(values: Sequence[Any], block: Block) -> bool:
    """Whether each line has one of the decoded objects: the decoder ignores line ends between and within them."""
    text = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    begins = np.append(0, bit_positions(bits_equal(text[:-1], LINE_FEED)) + 1)
    return len(values) == len(begins) and bool((text[begins] == ord("{")).all())


def numbered_lines(block: Block) -> Iterator[tuple[int, bytes]]:
    """The lines of a block that are not blank, with their numbers."""
    for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
        if line.strip():
            yield number, line


def decoded_lines(source: Source, block: Block, decode_line: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """The decoded lines of a block with their numbers; lines that cannot be read are reported."""
    return _decode_each(source, numbered_lines(block), decode_line, "the line", _ONE_PER_LINE)


def decoded_values(
    source: Source, data: bytes, decode_one: Callable[[bytes], T], whole: bytes | None = None
) -> Iterator[tuple[int, T]]:
    """The lines and decoded records of a JSON list, which may be part of a `whole` file."""
    try:
        values = list_at(data, ())
    except UNREADABLE as error:
        raise not_json(source, "list of records", error) from None
    lines = zip(lines_of(data if whole is None else whole, values), map(bytes, values), strict=True)
    return _decode_each(source, lines, decode_one, "a record", "fix it")


def _decode_each(
    source: Source, values: Iterable[tuple[int, bytes]], decode_one: Callable[[bytes], T], what: str, remedy: str
) -> Iterator[tuple[int, T]]:
    for line, value in values:
        try:
            yield line, decode_one(value)
        except ScoreError as error:
            source.report(line, str(error), "", PROBLEM)
        except UNREADABLE as error:
            finding, key = explain(error)
            if key is None:
                source.report(line, f"{what} is not a JSON object ({finding})", remedy, PROBLEM)
            else:
                source.report(line, finding, "fix the record", PROBLEM)


def not_json(source: Source, what: str, error: Exception) -> Exception:
    """The error for a file that is not the JSON value that it should be."""
    return source.error(None, f"the file is not a JSON {what} ({explain(error)[0]})", _WRITE, PROBLEM)


def list_at(data: bytes, path: Sequence[str]) -> list[msgspec.Raw]:
    """The elements of the list under some keys, undecoded."""
    raw: bytes | msgspec.Raw = data
    for key in path:
        raw = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[key]
    return msgspec.json.decode(raw, type=list[msgspec.Raw])


def lines_of(data: bytes, values: list[msgspec.Raw]) -> list[int]:
    """The line that each value begins on."""
    lines, line, end = [], 1, 0
    for value in values:
        text = bytes(value)
        start = data.index(text, end)
        line += data.count(b"\n", end, start)
        lines.append(line)
        line += text.count(b"\n")
        end = start + len(text)
    return lines


_PATH = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
_NO_FIELD = re.compile(r"Object missing required field `(.+)`")
_NAME = re.compile(r"`(\w+)`")


def explain(error: Exception) -> tuple[str, str | None]:
    """The problem of a JSON value, and the path of the key that has it; None for the value as a whole."""
    matched = _PATH.fullmatch(reason_of(error))
    assert matched is not None
    message, path = matched.groups()
    if wrong := _WRONG_TYPE.fullmatch(message):
        got = TYPE_NAMES.get(wrong[2], wrong[2])
        expected = " or ".join(TYPE_NAMES.get(name, name) for name in wrong[1].split(" | ") if name != "null")
        return f"expected {expected} for {path}, got {got}" if path else f"it is {got}", path
    if missing := _NO_FIELD.fullmatch(message):
        return f"{path or 'it'} has no {missing[1]!r}", path
    message = _NAME.sub(lambda name: TYPE_NAMES.get(name[1], name[1]), message.removeprefix("JSON is malformed: "))
    return message[:1].lower() + message[1:] + (f" for {path}" if path else ""), path


class KindCheck:
    """Refuses records of another kind than the first one of the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.kind: str | None = None

    def check(self, line: int, kind: str) -> None:
        self.kind = self.kind or kind
        if kind != self.kind:
            finding = f"the record has {kind}, but the file began with {self.kind}"
            raise self._source.error(line, finding, "put the two into separate files", PROBLEM)


# Records with known fields


_UNITS_ONLY = ("choose --offsets codepoints", "choose --offsets utf16,")


def read_known(
    source: Source,
    lines: Ints,
    words: Sequence[Words | None],
    lists: Sequence[Sequence[JsonSpan]],
    unit: Offsets,
    vocabulary: Vocabulary,
) -> tuple[Corpus, OffsetMap, Spans]:
    """Records as documents, the map from their offsets, and their spans.

    Offsets count from 0 with exclusive ends. Spans of texts that quote something else in a field `text` are reported.
    """

    def report(record: int, finding: str, remedy: str) -> None:
        source.report(int(lines[record]), finding, remedy, PROBLEM)

    corpus, offsets = on_words(words, Convention(unit), source.display_name, lines)
    if corpus.atoms == "characters":
        texts = [[(span, getattr(span, "text", None)) for span in spans] for spans in lists]
        quotes = [
            [Quote(span.parts or [(span.start, span.end)], text) for span, text in quoted if text] for quoted in texts
        ]
        check_quotes(words, quotes, Convention(unit), report, _UNITS_ONLY)
    return corpus, offsets, spans_of(lists, offsets, vocabulary, report)


# Values that hold several records


def is_simple(value: Raw) -> bool:
    """Whether an object is one record, and does not hold several."""
    is_task = "data" in value and isinstance(value["data"], dict)
    return not is_task and "passages" not in value and "paragraphs" not in value and "documents" not in value


def expand_all(source: Source, values: Iterable[tuple[int, Any]], remedy: str) -> Decoded:
    """The records in some values, which have their lines; values without a record are reported."""
    records, lines = list[Raw](), list[int]()
    for line, value in values:
        try:
            members = expand(value)
        except SpanError as error:
            source.report(line, *error.fault, PROBLEM)
            continue
        if members is None:
            source.report(line, f"expected a record, got {name_of_type(value)}", remedy, PROBLEM)
            continue
        records += members
        lines += [line] * len(members)
    return records, ints(lines)


def expand_readable(values: Iterable[Any]) -> Iterator[Raw]:
    """The records in some values; those that cannot be read are left to the reader."""
    for value in values:
        try:
            yield from expand(decode_value(value) if isinstance(value, bytes) else value) or ()
        except (*UNREADABLE, SpanError):
            continue


def expand(value: Any) -> list[Raw] | None:
    """The records in a line or in an element of a list; None if it is not a record."""
    if isinstance(value, list):
        return _expand_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("documents"), list):
        if not all(isinstance(document, dict) for document in value["documents"]):
            raise SpanError("some documents are not objects")
        return [record for document in value["documents"] for record in expand(document) or ()]
    if isinstance(value.get("passages"), list):
        return _expand_bioc(value)
    if isinstance(value.get("paragraphs"), list):
        return _expand_paragraphs(value)
    if isinstance(value.get("data"), dict) and ("annotations" in value or "predictions" in value):
        finding = "the record is a task of Label Studio"
        raise SpanError(finding, "write the tasks as one JSON list, as its export does")
    return [value]


def _expand_list(value: list[Any]) -> list[Raw] | None:
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict | list):
        annotations = value[1] if isinstance(value[1], dict) else {"entities": value[1]}
        return [{**annotations, "text": value[0]}]
    return [{SPAN_LIST: value}] if all(is_span(item) for item in value) else None


def is_span(value: Any) -> bool:
    """Whether this is a span with offsets, and not a record with spans."""
    if not isinstance(value, dict):
        return False
    return has_offsets(value) and not any(isinstance(field, list) and role_of(key) for key, field in value.items())


def _expand_bioc(document: Raw) -> list[Raw]:
    """The passages of a BioC document, whose offsets count from the beginning of the document."""
    records: list[Raw] = []
    begins: list[tuple[int, int]] = []
    for passage in document["passages"]:
        if not isinstance(passage, dict):
            raise SpanError("a passage is not an object")
        sentences = passage.get("sentences")
        has_sentences = not isinstance(passage.get("text"), str) and isinstance(sentences, list)
        for piece in sentences if has_sentences and sentences else [passage]:
            annotations = (piece.get("annotations") or []) if isinstance(piece, dict) else None
            if not isinstance(annotations, list):
                raise SpanError("a passage has no list of annotations")
            text, first = piece.get("text"), piece.get("offset", 0)
            if not isinstance(text, str):
                if annotations:
                    raise SpanError("a passage has annotations but no text", "add its text")
                continue
            if type(first) is not int:
                raise SpanError("the offset of a passage is not a whole number")
            spans = [_move(annotation, first) for annotation in annotations]
            begins.append((first, len(records)))
            records.append((ContinuedRecord if records else dict)(text=text, spans=spans))
    further = document.get("annotations") or []
    if further and (not records or not isinstance(further, list)):
        raise SpanError("a document has annotations but no text", "add its passages")
    for annotation in further:
        start = _move(annotation, 0)["locations"][0]["offset"]
        first, index = max((pair for pair in begins if pair[0] <= start), default=begins[0])
        records[index]["spans"].append(_move(annotation, first))
    return records


def _move(annotation: Any, first: int) -> Any:
    """A BioC annotation with offsets into its passage, which begins at `first`."""
    locations = annotation.get("locations") if isinstance(annotation, dict) else None
    if not isinstance(locations, list) or not locations or not all(map(_is_location, locations)):
        raise SpanError("an annotation of a passage has no locations", "add their offset and length")
    return {**annotation, "locations": [{**each, "offset": each["offset"] - first} for each in locations]}


def _is_location(value: Any) -> bool:
    return isinstance(value, dict) and type(value.get("offset")) is int and type(value.get("length")) is int


def _expand_paragraphs(document: Raw) -> list[Raw]:
    """The sentences of a spaCy 2 document, whose tokens have their tags."""
    records: list[Raw] = []
    for sentence in _members(document["paragraphs"], "sentences"):
        tokens = list(_members([sentence], "tokens"))
        if not all(isinstance(token, dict) and isinstance(token.get("orth"), str) for token in tokens):
            raise SpanError("a token of a paragraph has no 'orth'")
        tags = [token.get("ner", "O") for token in tokens]
        words = [token["orth"] for token in tokens]
        records.append(
            (ContinuedRecord if records else dict)(tokens=words, ner_tags=["O" if tag == "-" else tag for tag in tags])
        )
    return records


def _members(objects: Sequence[Any], key: str) -> Iterator[Any]:
    for parent in objects:
        children = parent.get(key) if isinstance(parent, dict) else None
        yield from children if isinstance(children, list) else ()


Contents = tuple[Sequence[str] | None, list[Any]]
"""The path to a list of records (None without such a list), and the records."""


def contained(value: Any, depth: int = 0) -> Contents | None:
    """The records of a JSON value; None if it has none."""
    if isinstance(value, list):
        is_one = bool(value) and all(map(is_span, value))
        return (None, [value]) if is_one else ((), value)
    if not isinstance(value, dict):
        return None
    for key in ("errors", "ErrorList"):
        if isinstance(value.get(key), list) and value[key]:
            finding = f"the file reports {len(value[key]):,} errors under {key!r}, so documents are missing"
            raise SpanError(finding, "annotate these documents again, or remove them from the gold standard")
    if (table := _table(value)) is not None:
        return None, table
    if _is_record(value):
        return None, [value]
    return _contained_in_keys(value, depth)


def _contained_in_keys(value: Raw, depth: int) -> Contents | None:
    samples = {
        key: [item for item in child[:SAMPLE_RECORDS] if item is not None]
        for key, child in value.items()
        if isinstance(child, list)
    }
    lists = {key: value[key] for key, sample in samples.items() if sample and all(map(_is_element, sample))}
    if len(lists) > 1:
        names = ", ".join(map(repr, lists))
        raise SpanError(f"the file has several lists of records: {names}", "write each list into its own file")
    if lists:
        ((key, elements),) = lists.items()
        if all(isinstance(element, dict) and type(element.get("Index")) is int for element in elements):
            elements = sorted(elements, key=lambda element: element["Index"])  # results of Comprehend
        return (key,), elements
    rows = list(value.values())
    if rows and all(isinstance(row, dict) and _is_record(row) for row in rows):
        return None, [{"id": key, **row} for key, row in value.items()]
    for key, child in value.items() if depth < _MAX_DEPTH else ():
        contents = contained(child, depth + 1) if isinstance(child, dict) else None
        if contents is not None and contents[1]:
            path, records = contents
            return None if path is None else (key, *path), records
    return None


def _is_record(value: Raw) -> bool:
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


def _is_element(value: Any) -> bool:
    """Whether this is a record, a pair of a text and its annotations, or a list of spans."""
    if isinstance(value, dict):
        return _is_record(value)
    if not isinstance(value, list):
        return False
    is_pair = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    return is_pair or (bool(value) and all(map(is_span, value)))


def _table(value: Raw) -> list[Raw] | None:
    """The rows of a table, as pandas writes it by columns (objects or lists) or split."""
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        names = list(map(str, value["columns"]))
        if not all(isinstance(row, list) and len(row) == len(names) for row in value["data"]):
            return None
        rows = [dict(zip(names, row, strict=True)) for row in value["data"]]
        return rows if any(map(_is_record, rows)) else None
    words = next((key for key in (*TEXT_KEYS, *TOKEN_KEYS) if isinstance(value.get(key), dict | list)), None)
    if words is None:
        return None
    indices = _indices(value[words])
    columns = {key: column for key, column in value.items() if _indices(column) == indices}
    rows = [{key: column[index] for key, column in columns.items()} for index in indices]
    has_words = bool(rows) and all(isinstance(row[words], str | list) for row in rows)
    return rows if has_words and all(map(_is_record, rows)) else None


def _indices(column: Any) -> Iterable[Any]:
    """The keys of an object, the indexes of a list; otherwise none."""
    return column.keys() if isinstance(column, dict) else range(len(column) if isinstance(column, list) else 0)


# Layers


def _words(*names: str) -> frozenset[str]:
    return frozenset(" ".join(names).split())


_PREDICTED = _words(
    "pred preds predicted prediction predictions predict hyp hypothesis hypotheses system sys output outputs model",
    "response guess auto",
)
_GOLD = _words("gold golden true truth ground reference ref target targets expected")
_LAYER = _words(
    "spans span entities entity ents labels label tags tag ner annotations annotation mentions named bio iob bioes",
    "iobes bilou seq sequence list y data layer",
)
_ALONE = _words("data list layer y entity span named seq sequence tag model auto")
"""Words that do not name a layer without others."""
_TAGGED = _words("tags bio iob bioes iobes bilou")
_NOT_LAYERS = _words("tokens sents sentences relations meta tokenized_text words")
_PREFERENCE = ("spans", "entities", "ents", "label", "labels", "annotations")


@cache
def role_of(key: str) -> str | None:
    """The owner of the layer with this key: `gold`, `system` or `any`; None if the key does not name a layer."""
    words = [word.lower() for word in KEY_WORDS.findall(key)]
    others = [word for word in words if word not in _PREDICTED and word not in _GOLD]
    if not words or not all(word in _LAYER for word in others) or (len(words) == 1 and words[0] in _ALONE):
        return None
    if not _PREDICTED.isdisjoint(words):
        return "system"
    return "any" if _GOLD.isdisjoint(words) else "gold"


@cache
def _names_tags(key: str) -> bool:
    """Whether a key names tags, so an empty list under it has no tags rather than no spans."""
    return not _TAGGED.isdisjoint(word.lower() for word in KEY_WORDS.findall(key))


def _kind_of_layer(value: Any, tokens: Sequence[Any] | None) -> str | None:
    """The kind of a layer: `spans`, `tags`, `empty` or `null`; None if the value is not a layer."""
    if value is None:
        return "null"
    if not isinstance(value, list):
        return None
    if not value:
        return "empty"
    first = value[0]
    if isinstance(first, dict | list):
        return "spans"
    if tokens is None or not isinstance(first, str | int) or isinstance(first, bool):
        return None
    return "tags"


@dataclass(frozen=True)
class Layers:
    """Chooses the layer to read, by the side of the file (gold or system) and by its first records."""

    side: str | None
    column: str | None
    predicted: str | None = None
    """The key of the predictions in the first records of a system."""
    several: bool = False
    """Whether records have several layers, so reports should name the one that is read."""
    scores: ScoreFields = USUAL
    """The fields of confidences of spans."""
    score_of_span: str = "min"
    """How a span gets its confidence from those of its tokens."""

    @staticmethod
    def of(settings: ReadSettings, records: Sequence[Raw]) -> Layers:
        """From the first records of a file."""
        scores, score_of_span = ScoreFields.of(settings), str(settings.parameters.get("score_of_span", "min"))
        if settings.columns:
            column = column_key(settings)
            return Layers(settings.side, column, scores=scores, score_of_span=score_of_span)
        roles: dict[str, set[str]] = {"system": set(), "gold": set(), "any": set()}
        for record in records:
            for key in candidates(record):
                roles[role_of(key) or "any"].add(key)
        several = sum(map(len, roles.values())) > 1 and bool(roles["system"] or roles["gold"])
        predicted = next(iter(roles["system"])) if len(roles["system"]) == 1 and settings.side == "system" else None
        return Layers(settings.side, None, predicted, several, scores, score_of_span)

    def choose(self, record: Raw) -> tuple[str, str] | None:
        """The key and the kind of the layer to read, if there is one. It is an error if several are possible."""
        layers = candidates(record)
        if self.column is not None:
            if self.column not in record:
                raise SpanError(f"the record has no {self.column!r}", _name_one(layers))
            kind = _kind_of_layer(record[self.column], tokens_of(record)[1])
            if kind is None:
                finding = f"{self.column!r} is neither a list of spans nor one tag for each token"
                raise SpanError(finding, _name_one(layers))
            return self.column, kind
        if len(layers) == 1 and self.predicted is None:  # as in most files
            ((key, kind),) = layers.items()
            if role_of(key) in ("any", None):
                self._check_rivals(record, key)
                return key, kind
        roles = ("gold", "system", "any")
        gold, system, other = ([key for key in layers if (role_of(key) or "any") == role] for role in roles)
        if self.side == "system" and (system or self.predicted is not None):
            self._check_predictions(system, layers)
            return system[0], layers[system[0]]
        if self.side == "system" and gold and not other:
            raise SpanError(f"the record of a system has only {gold[0]!r}", _NAME_IT)
        keys = other if self.side == "system" else gold or other
        keys = _preferred(record, {key: layers[key] for key in keys})
        if len(keys) > 1:
            raise _ambiguous(keys, layers)
        return (keys[0], layers[keys[0]]) if keys else None

    def _check_rivals(self, record: Raw, layer: str) -> None:
        """Refuse the record of a system whose output may be another layer than the one with a known name."""
        if self.side != "system":
            return
        for key, value in record.items():
            if role_of(key) == "system" and _is_unread(key, value):
                finding = f"the record has {key!r}, which is {name_of_type(value)}, next to {layer!r}"
                raise SpanError(finding, f"write spans or tags under {key!r}, {_NAME_IT}")
        if others := rivals(record, layer):
            finding = f"the record has {layer!r} and {others[0]!r}, and either could be meant"
            raise SpanError(finding, f"specify the layer with --column, such as --column system:{others[0]}")

    def _check_predictions(self, keys: Sequence[str], layers: dict[str, str]) -> None:
        """Refuse the record of a system that has several predictions, or other ones than the first records."""
        if len(keys) > 1:
            raise _ambiguous(keys, layers)
        if not keys:
            finding = f"the record has no {self.predicted!r}, which the first records have"
            raise SpanError(finding, f"write an empty list for no predictions, {_NAME_IT}")
        others = [key for key in layers if key not in keys]
        if self.predicted is None and others:
            finding = f"the record has {keys[0]!r} next to {others[0]!r}, but the first records do not"
            raise SpanError(finding, _name_one(layers))


def _ambiguous(keys: Sequence[str], layers: dict[str, str]) -> SpanError:
    names = " and ".join(map(repr, keys))
    return SpanError(f"the record has {names}, and either could be meant", _name_one(layers))


def _name_one(layers: dict[str, str]) -> str:
    names = ", ".join(layers) or "none of this record"
    return f"specify the layer with --column, such as --column system:{next(reversed(layers), 'KEY')} (layers: {names})"


def column_key(settings: ReadSettings) -> str:
    """The key that a user names with `--column`."""
    if len(settings.columns) > 1 or isinstance(settings.columns[0], int):
        names = ",".join(map(str, settings.columns))
        raise SettingError(f"column is {names}; for JSON, specify the key of one layer, such as labels or predictions.")
    return str(settings.columns[0])


def _is_unread(key: str, value: Any) -> bool:
    """Whether this is a prediction in a form that is not read: an object, or JSON in a string."""
    if isinstance(value, dict):
        return bool(value)
    if not isinstance(value, str) or not value.strip():
        return False
    return value.lstrip()[:1] in "[{" or key.lower().startswith(("pred", "hyp"))


def candidates(record: Raw) -> dict[str, str]:
    """The layers of a record by key, with their kinds: `spans`, `tags`, `empty` or `null`."""
    layers: dict[str, str] = {}
    tokens: Sequence[Any] | None = None
    for key, value in record.items():
        if role_of(key) is None:
            continue
        if tokens is None:
            tokens = tokens_of(record)[1] or ()
        kind = _kind_of_layer(value, tokens or None)
        if kind is not None and (kind != "null" or role_of(key) == "system"):
            layers[key] = kind
    return layers or _unnamed_layer(record)


def _unnamed_layer(record: Raw) -> dict[str, str]:
    """The only list of spans with offsets and labels in a record, if its key is not the name of a layer."""
    lists = {key: value for key, value in record.items() if isinstance(value, list) and value}
    keys = [key for key, value in lists.items() if key not in _NOT_LAYERS and all(map(_is_labeled, value))]
    return {keys[0]: "spans"} if len(keys) == 1 else {}


def _is_labeled(span: Any) -> bool:
    return isinstance(span, dict) and has_offsets(span) and span_fields(span).label is not None


def rivals(record: Raw, layer: str) -> list[str]:
    """Further layers of a record whose keys are not names of layers: the output of this or another system."""
    spans = record.get(layer)
    if not isinstance(spans, list) or not spans:
        return []
    tokens = tokens_of(record)[1]
    rivals = []
    for key, value in record.items():
        if key == layer or role_of(key) or key in _NOT_LAYERS or not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], str):
            is_tagged = tokens is not None and value is not tokens and len(value) == len(tokens)
            is_layer = is_tagged and _are_entity_tags(value)
        else:
            is_layer = all(map(_is_labeled, value)) and not _labels(value).isdisjoint(_labels(spans))
        rivals += [key] * is_layer
    return rivals


def _labels(spans: list[Any]) -> set[str]:
    labels = set[str]()
    for span in spans:
        if isinstance(span, dict) and isinstance(value := span.get(span_fields(span).label or ""), str):
            labels.add(value)
    return labels


def _preferred(record: Raw, layers: dict[str, str]) -> list[str]:
    """The most likely of several layers: the one that is not empty, or all that differ."""
    full = [key for key, kind in layers.items() if kind in ("spans", "tags")]
    keys = full or list(layers)
    if len(keys) < 2:
        return keys
    if not full:
        rank = {key: at for at, key in enumerate(_PREFERENCE)}
        return sorted(keys, key=lambda key: rank.get(key, len(rank)))[:1]
    if isinstance(record.get("text"), str) and any(layers[key] == "spans" for key in keys):
        keys = [key for key in keys if layers[key] == "spans"]
    entities = [key for key in keys if layers[key] == "tags" and _are_entity_tags(record[key])]
    if entities and all(layers[key] == "tags" for key in keys):
        keys = entities
    different = [key for at, key in enumerate(keys) if not any(record[key] == record[other] for other in keys[:at])]
    return ["ner_tags"] if "ner_tags" in different and set(different) <= {"ner_tags", "tags"} else different


def _are_entity_tags(tags: Sequence[Any]) -> bool:
    return any(isinstance(tag, str) and re.match(r"[BIESLU]-", tag) for tag in tags)


def text_of(record: Raw) -> tuple[str | None, str | None]:
    """The key of the text of a record, and the text."""
    for key in TEXT_KEYS:
        value = record.get(key)
        if isinstance(value, str):
            return key, value
        if key == "text" and value is not None and not _are_words(value):
            raise SpanError(f"expected a string for text, got {name_of_type(value)}")
    others = [key for key, value in record.items() if isinstance(value, str) and len(value.split()) > 1]
    return (others[0], record[others[0]]) if len(others) == 1 else (None, None)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def tokens_of(record: Raw) -> tuple[str | None, list[Any] | None]:
    """The key of the tokens of a record, and the tokens: strings, or objects with offsets."""
    for key in TOKEN_KEYS:
        value = record.get(key)
        if isinstance(value, list) and (key == TOKEN_KEYS[0] or _are_words(value)):
            return key, value
    return None, None


# Reading one record


def settle(record: Raw, layers: Layers, *, prefixed: bool = False, plain: bool = False) -> SpanRecord:
    """The contents of a record; a `SpanError` if it cannot be read.

    With `prefixed` labels, tokens are merged into spans. With `plain` offsets (code points from 0, exclusive ends),
    correct quotes are left out.
    """
    _, text = text_of(record)
    _, tokens = tokens_of(record)
    if tokens is None and record.get("tokens") is not None:
        raise SpanError(f"expected a list for tokens, got {name_of_type(record['tokens'])}")
    has_words = tokens is not None and all(isinstance(token, str) for token in tokens)
    key, kind = layers.choose(record) or ("", "")
    _check_layer(record, layers, key, kind)
    identifier, continues = record.get("id"), type(record) is ContinuedRecord
    if has_words and (kind == "tags" or (kind == "empty" and _names_tags(key))):
        return SpanRecord(TAGS, tokens=tokens, tags=record[key], id=identifier, continues=continues)
    if text is None and not has_words:
        if tokens is not None:
            raise SpanError("the record has tokens with offsets but no text", "add its text")
        return _settle_textless(record, key, kind, prefixed, layers)
    spans = _read_spans(_without_layer(record, text) if kind in ("", "tags") else record[key], key, layers.scores)
    quotes = [
        span.quote
        for span in spans
        if span.quoted is not None and not (plain and text is not None and text[span.start : span.end] == span.quoted)
        if not span.is_value or text is None or occurs(span.quoted, text)
    ]
    merged = len(spans) if prefixed else 0
    if prefixed:
        spans = merge_tokens(spans, tokens if text is None else text, layers.score_of_span)
    if text is None:
        return SpanRecord(TOKENS, None, tokens, _labeled(spans), None, quotes, identifier, continues, merged)
    if tokens and not has_words and not (plain and _are_at_their_offsets(tokens, text)):
        quotes = [*_token_quotes(tokens), *quotes]
    return SpanRecord(TEXT, text, None, _labeled(spans), None, quotes, identifier, continues, merged)


def _check_layer(record: Raw, layers: Layers, key: str, kind: str) -> None:
    """Refuse a layer if another key of the record shows that it may not be the right one."""
    groups = record.get("spans")
    is_unsided = role_of(key) == "any" and layers.column is None
    if groups == [] and kind == "spans" and key != "spans" and is_unsided:
        finding = "the record has an empty list of spans next to another key that lists some"
        raise SpanError(finding, "remove one of the two")
    if kind == "empty" and isinstance(groups, dict) and any(groups.values()):
        names = ", ".join(map(repr, groups))
        raise SpanError(f"the record has no entities, but span groups ({names})", "write the group under the key spans")
    if key == "annotations" and has_numbers_for_labels(record[key]):
        raise SpanError(*NUMBERED)


def _without_layer(record: Raw, text: str | None) -> list[Any]:
    """The spans of a record without a layer: none if Prodigy wrote it, otherwise an error."""
    for key, value in record.items():
        if role_of(key) == "any" and isinstance(value, dict) and key in ("spans", "entities", "ents"):
            raise SpanError(f"expected a list for {key}, got an object")
    if text is None:
        finding = "the record has tokens but no spans, tags or ner_tags"
        raise SpanError(finding, "list its spans or tags under one of these keys")
    if has_numbers_for_labels(record.get("annotations")):
        raise SpanError(*NUMBERED)
    if record.get("answer") is not None:  # Prodigy omits the key if nothing was marked
        return []
    predicted = [key for key, kind in candidates(record).items() if role_of(key) == "system" and kind != "null"]
    if predicted:
        finding = f"the record has only {predicted[0]!r}, which is the layer of a system"
        raise SpanError(finding, f"specify it with --column {predicted[0]}")
    finding = "the record has a text but no spans, entities, label or labels"
    raise SpanError(finding, "list its spans under one of these keys")


def _settle_textless(record: Raw, key: str, kind: str, prefixed: bool, layers: Layers) -> SpanRecord:
    """Spans with offsets into a text that the record does not have."""
    is_output = key == SPAN_LIST or key.lower() in ("entities", "ents", "spans")
    if kind not in ("spans", "empty", "null") or (kind != "spans" and not is_output):
        finding = "the record has no text, data, tokens or words"
        raise SpanError(finding, "write a text and spans, or tokens with spans or tags")
    spans = _read_spans(record[key], key, layers.scores)
    quotes = [span.quote for span in spans if span.quoted is not None]
    merged = len(spans) if prefixed else 0
    spans = merge_tokens(spans, None, layers.score_of_span) if prefixed else spans
    identifier = record.get("id")
    if identifier is None and type(record.get("Line")) is int:  # Comprehend, whose lines may be in any order
        identifier = f"{record.get('File', '')}:{record['Line']}"
    return SpanRecord(OFFSETS, spans=_labeled(spans), quotes=quotes, id=identifier, merged=merged)


def _read_spans(values: Sequence[Any] | None, key: str, scores: ScoreFields) -> list[ListedSpan]:
    return [read_span(value, f"{key}[{at}]", scores, at + 1) for at, value in enumerate(values or ())]


def _labeled(spans: Sequence[ListedSpan]) -> list[JsonSpan]:
    return [
        JsonSpan(span.start, span.end, label, span.parts, span.level, span.score)
        for span in spans
        for label in span.labels
    ]


def _are_at_their_offsets(tokens: Sequence[Any], text: str) -> bool:
    """Whether the text has all tokens at their offsets; odd tokens are found elsewhere."""
    try:
        quoted = [token["text"] for token in tokens]
        return [text[token["start"] : token["end"]] for token in tokens] == quoted
    except (TypeError, KeyError):
        return False


def _token_quotes(tokens: Sequence[Any]) -> list[Quote]:
    quotes = []
    for at, token in enumerate(tokens):
        if not isinstance(token, dict) or type(token.get("start")) is not int or type(token.get("end")) is not int:
            raise SpanError(f"tokens[{at}] has no 'start' and 'end'")
        if isinstance(token.get("text"), str):
            quotes.append(Quote([(token["start"], token["end"])], token["text"]))
    return quotes


def labels_of(records: Sequence[Raw], layers: Layers) -> set[str]:
    """The labels of the spans in some records; records that cannot be read are left out."""
    labels: set[str] = set()
    for record in records:
        try:
            key, kind = layers.choose(record) or ("", "")
            if kind == "spans":
                labels.update(label for span in record[key] for label in read_span(span, "").labels)
        except SpanError:
            continue
    return labels


def has_numbers_for_labels(annotations: Any) -> bool:
    """Whether these are annotations of old doccano, which does not export the names of labels."""
    spans = annotations if isinstance(annotations, list) else []
    return any(isinstance(span, dict) and isinstance(span.get("label"), int) and "user" in span for span in spans)
