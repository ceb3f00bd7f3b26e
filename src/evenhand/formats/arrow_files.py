"""Files with a table of Arrow's: how they are opened and checked, what they say of their columns, and broken ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec

from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_layout import Table
from evenhand.formats.arrow_lists import without_characters
from evenhand.formats.arrow_tables import read_table
from evenhand.formats.format import Format
from evenhand.formats.source import Source
from evenhand.problems import SettingError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

Read = Callable[[Any, Sequence[str], int], tuple[Any, Iterator[Any]]]
"""Takes an open file, and gives its schema and record batches with some columns, of about so many bytes."""
_WRITE_AGAIN = "write it again"
_MEND = "give its names in the metadata, as datasets writes a list of ClassLabel, or write tags as strings"
_FEATURES = b"huggingface"
"""Under what `datasets` keeps the features of columns."""


def read_file(
    form: Format,
    what: str,
    record_batches: Read,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    columns: Columns,
    *,
    mapped: bool = False,
) -> Iterator[Annotation]:
    """A file in batches of whole rows; `what` says what it should be, `mapped` whether it is mapped into memory."""
    check_pyarrow(source, f"{form.name.capitalize()} files")
    is_broken = partial(broken, source, f"is no {what}, or a broken one")

    @contextmanager
    def opened(columns: Sequence[str] = (), size: int = 0) -> Iterator[tuple[Any, Iterator[Any]]]:
        with is_broken(), _random_access(source, mapped=mapped) as file:
            yield record_batches(file, columns, size)

    def batches(columns: Sequence[str], size: int) -> Iterator[Any]:
        with opened(columns, size) as (_, found):
            yield from checked(found)

    with opened() as (schema, _):
        features = partial(_features, source, schema)
    table = Table("the file", schema, features, "the metadata of the schema", _MEND, batches, is_broken)
    return read_table(form.name, table, source, settings, vocabulary, columns)


def check_pyarrow(source: Source, what: str) -> None:
    """Raise an error where pyarrow is absent, which `what` take."""
    try:
        arrow.load()
    except SettingError:
        finding = f"{what} take pyarrow, which is not installed"
        raise source.error(None, finding, "run: pip install evenhand[arrow]") from None


@contextmanager
def broken(source: Source, finding: str, remedy: str = _WRITE_AGAIN) -> Iterator[None]:
    """What Arrow finds wrong here is the user's to mend."""
    try:
        yield
    except arrow.ArrowNotImplementedError as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise source.error(None, f"pyarrow cannot read what is in it ({reason})", remedy) from None
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise source.error(None, finding, remedy) from None


@contextmanager
def _random_access(source: Source, *, mapped: bool) -> Iterator[Any]:
    """A file as Arrow opens it; one that is compressed, or is not on this machine's disk, is held in memory."""
    if not source.is_plain:
        yield arrow.BufferReader(source.read_whole())
        return
    if not source.size:
        raise source.error(None, "the file is empty", "check how it was written")
    with arrow.memory_map(str(source.path)) if mapped else arrow.OSFile(str(source.path)) as opened:
        yield opened


def checked(batches: Iterator[Any]) -> Iterator[Any]:
    """Record batches whose offsets, lengths and codes fit; Arrow's error at the first one where they do not.

    Slices of other ones end the process, or read what is not theirs.
    """
    for batch in batches:
        batch.validate()
        for column in batch.columns:
            column.view(without_characters(column.type)).validate(full=True)
        yield batch


def _features(source: Source, schema: Any) -> dict[str, Any]:
    """What the metadata of a schema says about columns, where `datasets` wrote it."""
    try:
        found = msgspec.json.decode((schema.metadata or {}).get(_FEATURES, b"{}"), type=dict[str, Any])
        return msgspec.convert(found.get("info", {}), dict[str, Any]).get("features") or {}
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError):
        raise source.error(None, "the metadata of the schema is broken", _WRITE_AGAIN) from None
