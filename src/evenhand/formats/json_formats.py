"""The formats that are JSON: JSON lines, lists of records, exports of Label Studio, and coreference as JSON lines.

The code that reads and writes them is loaded when a file needs it.
"""

from __future__ import annotations

import re

import msgspec

from evenhand.formats.format import Carry, Format, Writing, by_batch
from evenhand.formats.parsing.scan import records
from evenhand.formats.source import Block
from evenhand.registry import late
from evenhand.text.link_names import LAYER as LINKS

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
        from evenhand.formats.json_array import contained  # only for objects

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


JSON_LINES = Format(
    "jsonl",
    "JSON lines as Prodigy, doccano and others write them: a text or tokens with spans or tags",
    tasks=("spans", LINKS),
    read=late("evenhand.formats.json_lines:read"),
    reads={LINKS: late("evenhand.formats.json_links:read")},
    shows=lambda sample: LINKS if _LINKS.search(sample.data) else None,
    writes={
        "spans": Writing(Carry(documents="sentence"), by_batch(late("evenhand.formats.json_lines:write"))),
        LINKS: Writing(Carry(levels=False), late("evenhand.formats.link_write:write_jsonl")),
    },
    suffixes=(".jsonl",),
    begins=b"{[",
    recognise=is_json_lines,
    has_columns=True,
    annotators=late("evenhand.formats.json_annotators:annotators"),
    division=records(late("evenhand.formats.parsing.record_reader:kind_of")),
)
JSON = Format(
    "json",
    "a JSON list of records like those of JSON lines, or an object with such records (BioC, Azure, pandas, …)",
    tasks=("spans",),
    read=late("evenhand.formats.json_array:read"),
    begins=b"[{",
    recognise=is_json,
    has_columns=True,
)
LABEL_STUDIO = Format(
    "label-studio",
    "a JSON export of Label Studio",
    tasks=("spans",),
    read=late("evenhand.formats.label_studio:read"),
    writes={
        "spans": Writing(
            Carry(tokens=False, gaps=False, documents="sentence"), late("evenhand.formats.label_studio:write")
        )
    },
    suffixes=(".json",),
    begins=b"[",
    recognise=is_label_studio,
    has_columns=True,
    annotators=late("evenhand.formats.label_studio:annotators"),
)
COREFERENCE = Format(
    "coref-jsonl",
    "a document a line, with its sentences and clusters of mentions",
    tasks=("chains",),
    read=late("evenhand.formats.coref_jsonl:read"),
    writes={"chains": Writing(Carry(gaps=False, columns=False), by_batch(late("evenhand.formats.coref_jsonl:write")))},
    suffixes=(".jsonl", ".jsonlines"),
    begins=b"{",
    recognise=is_coreference,
    has_columns=True,
    division=records(late("evenhand.formats.coref_jsonl:kind_of")),
    traits=late("evenhand.formats.coref_jsonl:traits"),
)
