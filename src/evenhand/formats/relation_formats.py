"""The formats of relations that are JSON. The code that reads and writes them is loaded when a file needs it."""

from __future__ import annotations

import re

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.source import Block
from evenhand.registry import late

_TASKS = ("relations", "spans")
_ENTITIES = re.compile(rb'"entities"\s*:\s*\[\s*(?:\]|\{\s*"(?:type|start|end)"\s*:)')
_TOKENS = re.compile(rb'"tokens"\s*:\s*\[')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\[')
_NER = re.compile(rb'"(?:predicted_)?(?:ner|relations)"\s*:\s*\[\s*[\[\]]')
_RELATIONS = re.compile(rb'"relations"\s*:\s*\[')
_SPANS = re.compile(rb'"spans"\s*:\s*\[')
_WRITE = "evenhand.formats.relation_write"


def is_spert(sample: Block) -> float:
    """Whether tokens and entities with a type, a start and an end are among the first keys."""
    text = sample.data[: sample.size].lstrip()
    return float(_TOKENS.search(text) is not None and _ENTITIES.search(text) is not None)


def is_dygie(sample: Block) -> float:
    """Whether the first line is an object with sentences, and entities or relations a sentence."""
    line = _first_line(sample)
    return float(_SENTENCES.search(line) is not None and _NER.search(line) is not None)


def is_relation_lines(sample: Block) -> float:
    """Whether the first line is an object with spans and relations."""
    line = _first_line(sample)
    return float(_SPANS.search(line) is not None and _RELATIONS.search(line) is not None)


def _first_line(sample: Block) -> bytes:
    return sample.data[: sample.size].lstrip().partition(b"\n")[0]


SPERT = Format(
    "spert",
    "JSON of SpERT and CoNLL04: sentences of tokens with entities and relations",
    tasks=_TASKS,
    read=late("evenhand.formats.spert:read"),
    writes={"relations": Writing(Carry(documents="none", gaps=False), late(f"{_WRITE}:write_spert"))},
    suffixes=(".json",),
    begins=b"[{",
    recognise=is_spert,
    has_columns=True,
)
DYGIE = Format(
    "dygie",
    "JSON lines of DyGIE++ and SciERC: a document a line, with entities and relations",
    tasks=_TASKS,
    read=late("evenhand.formats.dygie:read"),
    writes={"relations": Writing(Carry(gaps=False), late(f"{_WRITE}:write_dygie"))},
    suffixes=(".jsonlines",),
    begins=b"{",
    recognise=is_dygie,
    has_columns=True,
)
RELATION_LINES = Format(
    "relation-jsonl",
    "JSON lines: a text or tokens with spans that have an id, and relations between them",
    tasks=_TASKS,
    read=late("evenhand.formats.relation_lines:read"),
    writes={"relations": Writing(Carry(documents="sentence"), late(f"{_WRITE}:write_lines"))},
    suffixes=(".jsonl",),
    begins=b"{",
    recognise=is_relation_lines,
)
