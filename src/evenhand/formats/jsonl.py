"""The formats that are JSON: declarations, recognition, and the writer of records.

JSON lines and lists of records, exports of Label Studio, coreference, relations, and answers of language models. The
code that reads them is loaded when a file needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand.data.structures import is_message
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.partition import records
from evenhand.formats.source import Block
from evenhand.registry import lazy
from evenhand.settings import EXTRACTIONS as EXTRACTIONS_LAYER
from evenhand.settings import LINKS
from evenhand.settings import RECORDS as RECORDS_LAYER

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion
    from evenhand.formats.format import Batches

ANSWER_KEYS = ("output", "response", "completion", "prediction", "answer", "entities", "extractions")
"""The keys of answers of language models."""
WRITTEN_KEYS = frozenset(ANSWER_KEYS[:4])
"""The answer keys that items never have."""
_CLUSTERS = re.compile(rb'"(?:clusters|predicted_clusters)"\s*:')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\[')
_LINKS = re.compile(rb'"spans"\s*:\s*\[.*?\{[^{}]*"links"\s*:\s*\[', re.DOTALL)
_STRING = rb'"(?:[^"\\]|\\.)*+(?:"\s*,\s*[{\[]|$)'
_PAIR = re.compile(rb"\s*\[\s*" + _STRING, re.DOTALL)
"""A list with a text and an object or a list; the text may be cut off."""
_LIST = re.compile(rb"\s*\[\s*(?:\{|\[\s*(?:\{|\]|" + _STRING + rb"))", re.DOTALL)
_DATA = re.compile(rb'"data"\s*:\s*\{')
_RESULTS = re.compile(rb'"(?:annotations|predictions)"\s*:\s*\[\s*\{(?:.*?"result"\s*:)', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|$)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_TABLE = re.compile(rb"\{|\[\s*\[|\[\s*\"[^\"]*\s")
_ENTITIES = re.compile(rb'"entities"\s*:\s*\[\s*(?:\]|\{\s*"(?:type|start|end)"\s*:)')
_TOKENS = re.compile(rb'"tokens"\s*:\s*\[')
_NER = re.compile(rb'"(?:predicted_)?(?:ner|relations)"\s*:\s*\[\s*[\[\]]')
_RELATIONS = re.compile(rb'"relations"\s*:\s*\[')
_SPANS = re.compile(rb'"spans"\s*:\s*\[')
_ANSWER = re.compile(rb'\{.{0,200}?"(output|response|completion|prediction)"\s*:\s*"', re.DOTALL)
_TEXT_KEYS = ("text", "data", "sentence", "content", "raw_text", "Text", "document_text")
_TOKEN_KEYS = ("tokens", "words", "tokenized_text", "text", "sentence")
_ANNOTATED_KEYS = ("spans", "tags", "ner_tags", "labels")
"""Keys of annotations with positions."""
_TEXTUAL_KEYS = frozenset(("text", "data", "tokens", "words"))
_RECORD_KEYS = ("value", "gold", "expected", "record", "records")
"""Keys of the values of a gold standard of records."""
_OTHER_KEYS = frozenset(
    ("spans", "tags", "ner_tags", "labels", "label", "entities", "tokens", "relations", "annotations")
)
"""Keys of other annotations."""


# Recognition


def _text(sample: Block) -> bytes:
    return sample.data[: sample.size].lstrip()


def _first_line(sample: Block) -> bytes:
    return _text(sample).partition(b"\n")[0]


def _decoded(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def top_level(data: bytes) -> dict[str, bytes]:
    """The keys of the first object of some data, which may be cut off, and the first bytes of their values."""
    values: dict[str, bytes] = {}
    depth, key = 0, None
    for match in _TOKEN.finditer(data):
        token = match[0]
        if depth == 1 and key is None and token.startswith(b'"'):
            key = token[1:-1].decode(errors="replace")
        elif depth == 1 and key is not None and token != b":" and key not in values:
            values[key] = data[match.start() : match.start() + 80]
        if token in b"[{":
            depth += 1
        elif token in b"]}":
            depth -= 1
            if not depth:
                break
        elif depth == 1 and token == b",":
            key = None
    return values


def _has_words(keys: dict[str, bytes]) -> bool:
    """Whether these are the keys of a record with a text or tokens."""
    has_text = any(keys.get(name, b"").startswith(b'"') for name in _TEXT_KEYS)
    return has_text or any(keys.get(name, b"").startswith(b"[") for name in _TOKEN_KEYS)


def _is_table(keys: dict[str, bytes]) -> bool:
    """Whether a text or tokens are a column of a table, as pandas writes it."""
    words = next((keys[name] for name in ("text", *_TOKEN_KEYS) if name in keys), b"")
    has_lists = any(value.startswith((b"[[", b"[ [")) for value in keys.values())
    return words.startswith((b"{", b"[[")) or (words.startswith(b'["') and has_lists)


def is_json_lines(sample: Block) -> float:
    """1 if the first line is an object with a text or tokens, which may be cut off; less for other objects.

    A line may also be a pair of a text and its annotations, or a list of spans if others follow it.
    """
    line, _, remainder = _text(sample).partition(b"\n")
    if line.startswith(b"["):
        if _PAIR.match(line) and (_decoded(line) is not None or not remainder):
            return 1.0
        return float(remainder.lstrip()[:1] == b"[" and _decoded(line) is not None)
    keys = top_level(line) if line.startswith(b"{") else {}
    if _has_words(keys) and not _is_table(keys):
        return 1.0
    return 0.6 if isinstance(_decoded(line), dict) else 0.0


def is_json(sample: Block) -> float:
    """Whether this begins a list of objects, pairs or lists, or an object over several lines or with records in it.

    Label Studio is tried first, and JSON lines if each line is a value.
    """
    text = _text(sample)
    if text.startswith(b"["):
        return float(_LIST.match(text) is not None and not is_json_lines(sample))
    line, _, remainder = text.partition(b"\n")
    value = _decoded(line)
    if value is not None:
        return _has_records(value) if isinstance(value, dict) and not remainder.strip() else 0.0
    keys = top_level(text)
    if remainder.strip():
        has_lists = any(child.startswith((b"[", b"{")) for child in keys.values())
        return float(line.strip() == b"{" and (has_lists or _has_words(keys)))
    has_inner = any(_TABLE.match(child) or child.startswith(b"[{") for child in keys.values())
    return float(has_inner and (not _has_words(keys) or _is_table(keys)))


def _has_records(value: dict[str, Any]) -> float:
    from evenhand.formats.parsing.json_records import contained  # only for objects

    try:
        contents = contained(value)
    except ValueError:  # records that cannot be read; the reader reports why
        return 1.0
    return float(contents is not None and contents[1] != [value])


def is_label_studio(sample: Block) -> float:
    """Whether this begins a list of objects with `data`, or with results of annotations or predictions."""
    text = sample.data[: sample.size]
    is_list = re.match(rb"\s*\[\s*\{", text) is not None
    return float(is_list and (_DATA.search(text) is not None or _RESULTS.search(text) is not None))


def is_coreference(sample: Block) -> float:
    """1 if the first line is an object with clusters, less if it has only sentences; it may be cut off."""
    line = _first_line(sample)
    if not line.startswith(b"{"):
        return 0.0
    return 1.0 if _CLUSTERS.search(line) else 0.9 if _SENTENCES.search(line) else 0.0


def _has_all(*keys: re.Pattern[bytes], of: Callable[[Block], bytes] = _first_line) -> Callable[[Block], float]:
    """Return a test whether the first line, or another part of the sample, has all of these keys."""
    return lambda sample: float(all(key.search(of(sample)) for key in keys))


def is_extractions(sample: Block) -> float:
    """1 if the first records have answers without positions; the last record may be cut off."""
    lines = [line for line in sample.data[: sample.size].split(b"\n") if line.strip()]
    records = [record for record in map(_decoded, lines) if isinstance(record, dict)]
    if not records:
        return float(bool(lines) and _ANSWER.match(lines[0]) is not None)
    are_answers = list(map(_is_answer, records))
    if False in are_answers:
        return 0.0
    return float(any(are_answers) or all(_TEXTUAL_KEYS.isdisjoint(record) for record in records))


def is_records(sample: Block) -> float:
    """1 if the first line is a record with a nested value and no other annotation; it may be cut off."""
    keys = top_level(_first_line(sample))
    has_value = any(keys.get(name, b"").startswith((b"{", b"[")) for name in _RECORD_KEYS)
    # Spans with positions may be in records under `records`.
    return float(has_value and _OTHER_KEYS.isdisjoint(keys) and not _SPANS.search(_first_line(sample)))


def _is_answer(record: dict[str, Any]) -> bool | None:
    """Whether a record has an answer without positions; None for an empty answer, which does not show it."""
    if any(key in record for key in _ANNOTATED_KEYS):
        return False
    if is_message(record):
        return True
    key = next((key for key in ANSWER_KEYS if key in record), None)
    is_table = not all(isinstance(record.get(text, ""), str | list) for text in _TEXTUAL_KEYS)
    if key is None or is_table:
        return False
    answer = record[key]
    if isinstance(answer, str):
        return answer not in ("accept", "reject", "ignore")  # the answers of Prodigy
    if isinstance(answer, list):
        has_text = not _TEXTUAL_KEYS.isdisjoint(record)
        is_written = key == ANSWER_KEYS[-1] or (key in WRITTEN_KEYS and not has_text)
        return all(_is_item(item, is_written) for item in answer) if answer else None
    return answer is None or isinstance(answer, dict)


def _is_item(item: Any, is_written: bool) -> bool:
    """Whether this names a string without a position. Positions that a model wrote are ignored."""
    from evenhand.formats.parsing.json_spans import has_offsets
    from evenhand.grounding.items import TEXT_KEYS  # slow to load

    if isinstance(item, list):
        return sum(isinstance(part, str) for part in item) > 1 and not has_offsets(item)
    if isinstance(item, dict):
        return not has_offsets(item) or (is_written and any(key in item for key in TEXT_KEYS))
    return isinstance(item, str)


# Writing


def _writer(address: str, *, as_list: bool = False, **capabilities: Any) -> Writer:
    """Return a writer of JSON records: one per line, or as a list. `address` is the function that makes them."""
    records: Callable[[Batches, Conversion], Iterable[Any]] = lazy(address)

    def text(batches: Batches, conversion: Conversion) -> Iterator[str]:
        lines = (msgspec.json.encode(record).decode() for record in records(batches, conversion))
        if not as_list:
            yield from (f"{line}\n" for line in lines)
            return
        first = next(lines, None)
        yield "[]\n" if first is None else f"[\n{first}"
        yield from (f",\n{line}" for line in lines)
        yield "" if first is None else "\n]\n"

    return Writer(Capabilities(**capabilities), text)


# Declarations


_RELATION_TASKS = ("relations", "spans")
_RECORDS = records(lazy("evenhand.formats.json_reader:kind_of"))
JSON_LINES = Format(
    "jsonl",
    "JSON lines as Prodigy, doccano and others write them: a text or tokens with spans or tags",
    readers={
        "spans": Reader(lazy("evenhand.formats.json_reader:read_json_lines"), partitioning=_RECORDS),
        LINKS: Reader(lazy("evenhand.formats.entity_links:read_json_links"), partitioning=_RECORDS),
    },
    writers={
        "spans": _writer("evenhand.formats.parsing.json_spans:span_records", documents="sentence", scores=True),
        LINKS: _writer("evenhand.formats.entity_links:link_records", levels=False, scores=True),
    },
    suffixes=(".jsonl",),
    detection=Detection(
        b"{[", confidence=is_json_lines, task_of=lambda sample: LINKS if _LINKS.search(sample.data) else None
    ),
    contents=Contents(has_columns=True, has_scores=True, annotators=lazy("evenhand.formats.json_reader:annotators")),
)
JSON = Format(
    "json",
    "a JSON list of records as in JSON lines, or an object with such records (BioC, Azure, pandas, …)",
    readers={"spans": Reader(lazy("evenhand.formats.json_reader:read_json"))},
    detection=Detection(b"[{", confidence=is_json),
    contents=Contents(has_columns=True, has_scores=True),
)
LABEL_STUDIO = Format(
    "label-studio",
    "a JSON export of Label Studio",
    readers={"spans": Reader(lazy("evenhand.formats.label_studio:read"))},
    writers={
        "spans": _writer(
            "evenhand.formats.label_studio:task_records",
            as_list=True,
            tokens=False,
            gaps=False,
            documents="sentence",
            scores=True,
        )
    },
    suffixes=(".json",),
    detection=Detection(b"[", confidence=is_label_studio),
    contents=Contents(has_columns=True, has_scores=True, annotators=lazy("evenhand.formats.label_studio:annotators")),
)
COREFERENCE = Format(
    "coref-jsonl",
    "one document per line, with its sentences and clusters of mentions",
    readers={
        "chains": Reader(
            lazy("evenhand.formats.coreference:read"),
            partitioning=records(lazy("evenhand.formats.coreference:kind_of")),
        )
    },
    writers={"chains": _writer("evenhand.formats.coreference:chain_records", gaps=False, columns=False)},
    suffixes=(".jsonl", ".jsonlines"),
    detection=Detection(b"{", confidence=is_coreference),
    contents=Contents(has_columns=True, file_traits=lazy("evenhand.formats.coreference:traits")),
)
SPERT = Format(
    "spert",
    "JSON of SpERT and CoNLL04: sentences of tokens with entities and relations",
    readers=dict.fromkeys(_RELATION_TASKS, Reader(lazy("evenhand.formats.relations:read_spert"))),
    writers={
        "relations": _writer("evenhand.formats.relations:spert_records", as_list=True, documents="none", gaps=False)
    },
    suffixes=(".json",),
    detection=Detection(b"[{", confidence=_has_all(_TOKENS, _ENTITIES, of=_text)),
    contents=Contents(has_columns=True),
)
DYGIE = Format(
    "dygie",
    "JSON lines of DyGIE++ and SciERC: one document per line, with entities and relations",
    readers=dict.fromkeys(_RELATION_TASKS, Reader(lazy("evenhand.formats.relations:read_dygie"))),
    writers={"relations": _writer("evenhand.formats.relations:dygie_records", gaps=False)},
    suffixes=(".jsonlines",),
    detection=Detection(b"{", confidence=_has_all(_SENTENCES, _NER)),
    contents=Contents(has_columns=True),
)
RELATION_LINES = Format(
    "relation-jsonl",
    "JSON lines: a text or tokens with spans that have an id, and relations between them",
    readers=dict.fromkeys(_RELATION_TASKS, Reader(lazy("evenhand.formats.relations:read_relation_lines"))),
    writers={"relations": _writer("evenhand.formats.relations:relation_records", documents="sentence", scores=True)},
    suffixes=(".jsonl",),
    detection=Detection(b"{", confidence=_has_all(_SPANS, _RELATIONS)),
    contents=Contents(has_scores=True),
)
EXTRACTIONS = Format(
    EXTRACTIONS_LAYER,
    "answers of a language model, without positions: JSON lines, or one file per document",
    readers={"spans": Reader(lazy("evenhand.formats.extractions:read"))},
    detection=Detection(b"{", confidence=is_extractions),
    contents=Contents(has_scores=True, matches_documents=True, traits=frozenset({"answers"})),
)
RECORDS = Format(
    RECORDS_LAYER,
    "one JSON value per document: JSON lines, a JSON list, or a folder with one file per document",
    readers={
        RECORDS_LAYER: Reader(
            lazy("evenhand.formats.records:read"), read_many=lazy("evenhand.formats.records:read_many")
        )
    },
    detection=Detection(b"{", confidence=is_records, certain=lambda source, task: task == RECORDS_LAYER),
    contents=Contents(matches_documents=True),
)
