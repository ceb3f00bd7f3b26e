"""Records: one JSON value per document, as JSON lines, as a JSON list, or as a folder with one file per document.

A line of a gold standard is `{"id": …, "value": …, "text": …}`, a line of a system `{"id": …, "output": …}`. The value
is under the first of `GOLD_KEYS` or `SYSTEM_KEYS`; without one, it is the whole object except `id` and `text`. A string
of a system is what a language model wrote; it is parsed when it is compared. In a folder, `NAME.json` is the value
itself, `NAME.txt` next to it is the text, and `NAME` is the id.

Numbers are decimals with all digits. Of a repeated key, the last value counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import PurePath
from typing import Any

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Records, answer_in, is_message
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import LABEL, InputError
from evenhand.formats.parsing.json_records import numbered_lines
from evenhand.formats.source import COMPRESSIONS, Source, whole_text
from evenhand.parameters import quote_briefly
from evenhand.settings import RECORDS, Columns, ReadSettings

GOLD_KEYS = ("value", "gold", "expected", "output", "answer", "record", "records", "data")
SYSTEM_KEYS = ("output", "response", "completion", "prediction", "answer", "value", "arguments")
MAX_DEPTH = 100
WHOLE, REPEATED = "documents read as whole objects", "repeated keys, of which the last one counts"
"""Unusual input that is accepted, for notes."""
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_ONE_PER_LINE = "expected one JSON object per line"
Document = tuple[str | None, Any, str | None, int]
"""Id, value, text and line."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The documents of a file in batches."""
    reader, seen = _RecordsReader(source, is_system=settings.side == "system"), dict[str, int]()
    without = 0
    for documents in reader.batches(settings.block_size):
        for identifier, _, _, line in documents:
            if identifier is not None and seen.setdefault(identifier, line) != line:
                finding = f"duplicate id {identifier!r} (first used on line {seen[identifier]})"
                source.report(line, finding, "give every document its own id", "document")
            without += identifier is None
        if documents:
            yield _annotation(source, documents, reader.counts())
    if without and seen:
        finding = f"{len(seen)} documents have ids, {without} do not"
        raise source.error(None, finding, "give ids to all documents or to none", "document")


def read_many(
    sources: Sequence[Source], settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The files of a folder, which are one document each."""
    for source in sources:
        reader = _RecordsReader(source, is_system=settings.side == "system")
        with source.located():
            yield _annotation(source, [reader.file()], reader.counts())


def json_decoder(
    constant: Callable[[str], Any] = str, from_pairs: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> json.JSONDecoder:
    """A decoder that keeps all digits of numbers; `constant` receives NaN and Infinity."""
    return json.JSONDecoder(
        strict=False,
        parse_float=Decimal,
        parse_int=lambda digits: int(digits) if len(digits) < 600 else Decimal(digits),
        parse_constant=constant,
        object_pairs_hook=from_pairs,
    )


class _RecordsReader:
    """Reads the documents of one file."""

    def __init__(self, source: Source, *, is_system: bool) -> None:
        self._source, self._is_system = source, is_system
        self._keys = SYSTEM_KEYS if is_system else GOLD_KEYS
        self._noted: Counter[str] = Counter()
        self._decoder = json_decoder(str if is_system else _refuse_constant, self._object)

    def counts(self) -> dict[str, int]:
        """Unusual input since the last call."""
        counts, self._noted = self._noted, Counter()
        return dict(counts)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            self._noted[REPEATED] += len(pairs) - len(value)
        return value

    def batches(self, block_size: int) -> Iterator[list[Document]]:
        if self._has_lines():
            for block in self._source.blocks(block_size, cut_after="line"):
                yield [self._document(self._decode(text.decode(), at), at) for at, text in numbered_lines(block)]
            return
        text = whole_text(self._source)
        value = self._decode(text, None)
        if isinstance(value, list) and value and all(map(self._is_document, value)):
            yield [self._document(member, number) for number, member in enumerate(value, 1)]
        else:
            yield [(None, value, None, 1)]

    def _is_document(self, member: Any) -> bool:
        """Whether a member of a list is a document with its id, not a record."""
        return isinstance(member, dict) and "id" in member and any(key in member for key in self._keys)

    def file(self) -> Document:
        """A file of a folder: the value itself or, for a system, what a model wrote."""
        value: Any = whole_text(self._source)
        path = self._source.plain_path
        if not self._is_system:
            value = self._decode(value, None)
        elif path.suffix == ".json":
            with suppress(InputError):
                value = self._decode(value, None)
        beside = path.with_suffix(".txt")
        has_text = not self._is_system and path.suffix == ".json" and beside.exists()
        return self._source.name, value, whole_text(Source(beside)) if has_text else None, 1

    def _has_lines(self) -> bool:
        suffixes = [suffix for suffix in PurePath(self._source.display_name).suffixes if suffix not in COMPRESSIONS]
        if suffixes and suffixes[-1].lower() in _LINE_SUFFIXES:
            return True
        first, _, others = self._source.sample(1 << 16).data.strip().partition(b"\n")
        with suppress(ValueError, RecursionError):
            return bool(others.strip()) and isinstance(json.loads(first), dict)
        return False

    def _decode(self, text: str, line: int | None) -> Any:
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            number, remedy = (error.lineno, "expected one JSON value") if line is None else (line, _ONE_PER_LINE)
            raise self._source.error(number, f"invalid JSON at column {error.colno}", remedy) from None
        except ValueError as error:  # of `_refuse_constant`
            raise self._source.error(line, f"expected a JSON number, got {error}", "use a number or null") from None
        except RecursionError:
            raise self._too_deep(line) from None
        if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH + (line is not None):
            raise self._too_deep(line)
        return value

    def _too_deep(self, line: int | None) -> InputError:
        return self._source.error(line, f"nested more than {MAX_DEPTH} levels deep", "flatten the value")

    def _document(self, value: Any, line: int) -> Document:
        if not isinstance(value, dict):
            raise self._source.error(line, f"expected a JSON object, got {quote_briefly(value)}", _ONE_PER_LINE)
        is_response = is_message(value) and ("object" in value or value.get("type") == "message")
        identifier = value.get("custom_id", None if is_response else value.get("id"))  # of the document
        if identifier is not None and (isinstance(identifier, bool) or not isinstance(identifier, str | int)):
            finding = f"expected a string or a whole number as id, got {quote_briefly(identifier)}"
            raise self._source.error(line, finding, "give every document its own id")
        text = value.get("text")
        key = next((key for key in self._keys if key in value), None)
        if key is not None:
            content = value[key]
        elif self._is_system and is_message(value):
            content = value
        else:
            content = {name: member for name, member in value.items() if name not in ("id", "text", "custom_id")}
            self._noted[WHOLE] += 1
        if self._is_system and isinstance(content, dict | list):
            content = answer_in(content)
        own = None if identifier is None else str(identifier)
        return own, content, text if isinstance(text, str) else None, line


def _refuse_constant(name: str) -> Any:
    """Raise an error for NaN or Infinity in a gold standard."""
    raise ValueError(name)


def _depth(value: Any) -> int:
    """The number of levels of a value, each container being one."""
    depth, level = 0, [value]
    while level := [inner for inner in level if isinstance(inner, dict | list)]:
        depth += 1
        level = [part for inner in level for part in (inner.values() if isinstance(inner, dict) else inner)]
    return depth


def _annotation(source: Source, documents: Sequence[Document], counts: dict[str, int]) -> Annotation:
    ids, values, texts, lines = zip(*documents, strict=True)
    longest = max((len(name) for name in ids if name is not None), default=0)
    if longest > LABEL.value:
        raise source.error(None, f"an id has {longest:,} characters", LABEL.remedy)
    layer = Records(values, texts if any(text is not None for text in texts) else ())
    corpus = Corpus(
        source.display_name,
        len(documents),
        lines=ints(lines),
        documents=np.arange(len(documents)),
        ids=None if None in ids else Tokens.of([str(name) for name in ids]),
    )
    return Annotation(corpus, {RECORDS: layer}, {RECORDS: ReadInfo(RECORDS, kept=counts)}, source.name)
