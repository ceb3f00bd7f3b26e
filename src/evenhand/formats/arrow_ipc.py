"""Arrow IPC: files (also called Feather) and streams, whose columns are told in `arrow_layout`.

A file that is not compressed is mapped into memory, so that its record batches may be of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evenhand.formats.arrow_lists import pyarrow
from evenhand.formats.arrow_opened import broken, described, random_access, record_batches
from evenhand.formats.arrow_tables import read_table
from evenhand.formats.source import Source
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

NAME = "arrow"


def recognise_path(path: Path) -> bool:
    """The registry has seen its name or its first bytes."""
    return True


def batches(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole rows."""
    arrow = pyarrow(source, "Arrow files")
    is_broken = partial(broken, source, arrow, "is no Arrow file or stream, or a broken one")

    def read(columns: Sequence[str], size: int) -> Iterator[Any]:
        with is_broken(), random_access(source, arrow, mapped=True) as opened:
            yield from record_batches(arrow, opened, columns)[1]

    with is_broken(), random_access(source, arrow, mapped=True) as opened:
        schema, _ = record_batches(arrow, opened)
    table = described(source, schema, read, is_broken)
    return read_table(NAME, arrow, table, source, settings, vocabulary, columns)
