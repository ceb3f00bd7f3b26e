"""Arrow IPC: files (also called Feather) and streams as record batches.

A file that is not compressed is mapped into memory, so that its record batches may be of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from evenhand.formats.arrow import ARROW, arrow
from evenhand.formats.arrow_files import read_file

END = b"\xff\xff\xff\xff\0\0\0\0"
"""How a whole stream ends; without it, Arrow reads what is there and says nothing."""
FILE_MARK = b"ARROW1"


def record_batches(opened: Any, columns: Sequence[str] = (), size: int = 0) -> tuple[Any, Iterator[Any]]:
    """The schema of a stream or an IPC file, and its record batches with some columns, of whatever size they are."""
    if opened.read_at(len(FILE_MARK), 0) == FILE_MARK:
        reader = arrow.ipc.open_file(opened)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        if opened.read_at(len(END), max(opened.size() - len(END), 0)) != END:
            raise arrow.ArrowInvalid("the end is missing")
        opened.seek(0)
        reader = arrow.ipc.open_stream(opened)
        batches = iter(reader)
    return reader.schema, (batch.select(list(columns)) for batch in batches)


read = partial(read_file, ARROW, "Arrow file or stream", record_batches, mapped=True)
