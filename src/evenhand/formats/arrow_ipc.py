"""Arrow IPC: files (also called Feather) and streams as record batches, and the errors for broken ones.

A file that is not compressed is mapped into memory, so that its record batches may be of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import msgspec

from evenhand.formats.arrow import ARROW
from evenhand.formats.arrow_layout import Batches, Table
from evenhand.formats.arrow_lists import pyarrow, without_characters
from evenhand.formats.arrow_tables import read_table
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

END = b"\xff\xff\xff\xff\0\0\0\0"
"""How a whole stream ends; without it, Arrow reads what is there and says nothing."""
FILE_MARK = b"ARROW1"
WRITE_AGAIN = "write it again"
_MEND = "give its names in the metadata, as datasets writes a list of ClassLabel, or write tags as strings"
_FEATURES = b"huggingface"
"""Under what `datasets` keeps the features of columns."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole rows."""
    arrow = pyarrow(source, "Arrow files")
    is_broken = partial(broken, source, arrow, "is no Arrow file or stream, or a broken one")

    def selected(columns: Sequence[str], size: int) -> Iterator[Any]:
        with is_broken(), random_access(source, arrow, mapped=True) as opened:
            yield from record_batches(arrow, opened, columns)[1]

    with is_broken(), random_access(source, arrow, mapped=True) as opened:
        schema, _ = record_batches(arrow, opened)
    table = described(source, schema, selected, is_broken)
    return read_table(ARROW.name, arrow, table, source, settings, vocabulary, columns)


@contextmanager
def broken(source: Source, arrow: Any, finding: str, remedy: str = WRITE_AGAIN) -> Iterator[None]:
    """What Arrow finds wrong here is the user's to mend."""
    try:
        yield
    except arrow.ArrowNotImplementedError as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise source.error(None, f"pyarrow cannot read what is in it ({reason})", remedy) from None
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise source.error(None, finding, remedy) from None


@contextmanager
def random_access(source: Source, arrow: Any, *, mapped: bool) -> Iterator[Any]:
    """A file as Arrow opens it; one that is compressed, or is not on this machine's disk, is held in memory."""
    if not source.is_plain:
        yield arrow.BufferReader(source.read_whole())
        return
    if not source.size:
        raise source.error(None, "the file is empty", "check how it was written")
    with arrow.memory_map(str(source.path)) if mapped else arrow.OSFile(str(source.path)) as opened:
        yield opened


def record_batches(arrow: Any, opened: Any, columns: Sequence[str] = ()) -> tuple[Any, Iterator[Any]]:
    """The schema of a stream or an IPC file, and its checked record batches with some columns."""
    if opened.read_at(len(FILE_MARK), 0) == FILE_MARK:
        reader = arrow.ipc.open_file(opened)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        if opened.read_at(len(END), max(opened.size() - len(END), 0)) != END:
            raise arrow.ArrowInvalid("the end is missing")
        opened.seek(0)
        reader = arrow.ipc.open_stream(opened)
        batches = iter(reader)
    return reader.schema, checked(arrow, (batch.select(list(columns)) for batch in batches))


def checked(arrow: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """Record batches whose offsets, lengths and codes fit; Arrow's error at the first one where they do not.

    Slices of other ones end the process, or read what is not theirs.
    """
    for batch in batches:
        batch.validate()
        for column in batch.columns:
            column.view(without_characters(arrow, column.type)).validate(full=True)
        yield batch


def described(
    source: Source,
    schema: Any,
    batches: Batches,
    is_broken: Callable[[], AbstractContextManager[None]],
) -> Table:
    """A file that describes itself, in the metadata of its schema."""
    features = partial(_features, source, schema)
    return Table("the file", schema, features, "the metadata of the schema", _MEND, batches, is_broken)


def _features(source: Source, schema: Any) -> dict[str, Any]:
    """What the metadata of a schema says about columns, where `datasets` wrote it."""
    try:
        found = msgspec.json.decode((schema.metadata or {}).get(_FEATURES, b"{}"), type=dict[str, Any])
        return msgspec.convert(found.get("info", {}), dict[str, Any]).get("features") or {}
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError):
        raise source.error(None, "the metadata of the schema is broken", WRITE_AGAIN) from None
