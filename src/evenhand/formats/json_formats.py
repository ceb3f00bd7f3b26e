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

_KEY = re.compile(rb'"(text|data|tokens|words)"\s*:')
_CLUSTERS = re.compile(rb'"(?:clusters|predicted_clusters)"\s*:')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\[')
_LINKS = re.compile(rb'"spans"\s*:\s*\[.*?\{[^{}]*"links"\s*:\s*\[', re.DOTALL)
_LIST = re.compile(rb"\s*\[\s*\{")
_TASKS = re.compile(rb'\s*\[\s*\{.*("data"\s*:\s*\{|"(annotations|predictions)"\s*:)', re.DOTALL)


def is_json_lines(sample: Block) -> float:
    """1 if the first line is an object with a text or tokens, which may be cut off; less for other objects."""
    line = sample.data[: sample.size].lstrip().partition(b"\n")[0]
    if line.startswith(b"{") and _KEY.search(line):
        return 1.0
    try:
        return 0.6 if isinstance(msgspec.json.decode(line), dict) else 0.0
    except (msgspec.DecodeError, RecursionError):
        return 0.0


def is_list(sample: Block) -> float:
    """Whether this begins a list of objects; Label Studio is asked first."""
    return 0.9 if _LIST.match(sample.data[: sample.size]) else 0.0


def is_label_studio(sample: Block) -> float:
    """Whether this begins a list of objects, and data, annotations or predictions are among the first keys."""
    return float(_TASKS.match(sample.data[: sample.size]) is not None)


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
    begins=b"{",
    recognise=is_json_lines,
    annotators=late("evenhand.formats.json_annotators:annotators"),
    division=records(late("evenhand.formats.parsing.record_reader:kind_of")),
)
JSON = Format(
    "json",
    "a JSON list of records like those of JSON lines",
    tasks=("spans",),
    read=late("evenhand.formats.json_array:read"),
    begins=b"[",
    recognise=is_list,
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
