"""Tables of Arrow's: Parquet files, Arrow files and streams, and Hugging Face datasets on disk.

See `arrow_layout` for their columns. The code that reads and writes them is loaded when a file needs it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.source import Source
from evenhand.problems import EvenhandError
from evenhand.registry import late

SUFFIXES = {"parquet": (".parquet", ".pq"), "arrow": (".arrow", ".feather", ".ipc")}
INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
"""The files that describe a dataset, and a folder of its splits."""
_STREAM = ".arrows"
_MARKS = {"parquet": b"PAR1", "arrow": b"ARROW1"}
_TASKS = ("spans", "tags")


def _is_table(name: str, source: Source) -> bool:
    """Whether a file has a name of the format or, on this machine, begins with bytes that no text begins with."""
    path = source.path
    if path.suffix in SUFFIXES[name] or (name == "arrow" and path.suffix == _STREAM):
        return not (isinstance(path, Path) and path.is_dir())
    if not isinstance(path, Path) or path.is_dir():
        return False
    try:
        return source.head.data.startswith(_MARKS[name])
    except (EvenhandError, OSError, EOFError):  # whoever reads it finds the words
        return False


def is_parquet(source: Source, task: str | None) -> bool:
    return _is_table("parquet", source)


def is_arrow(source: Source, task: str | None) -> bool:
    return _is_table("arrow", source)


def is_dataset(source: Source, task: str | None) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    path = source.path
    if not isinstance(path, Path) or not path.is_dir():  # elsewhere, to ask takes time, and datasets cannot be read
        return False
    return ((path / INFO).is_file() and any(path.glob("*.arrow"))) or (path / SPLITS).is_file()


_WRITE = late("evenhand.formats.arrow_write:write")
PARQUET = Format(
    "parquet",
    "Parquet: a row a sentence or text, with tags or spans",
    tasks=_TASKS,
    read=late("evenhand.formats.parquet:read"),
    writes={
        "spans": Writing(Carry(tags=True, stacks=True), file=_WRITE),
        "tags": Writing(Carry(columns=False, comments=False), file=_WRITE),
    },
    suffixes=SUFFIXES["parquet"],
    certain=is_parquet,
    has_columns=True,
)
ARROW = replace(
    PARQUET,
    name="arrow",
    help="Arrow IPC files, also called Feather, and streams; the same columns",
    read=late("evenhand.formats.arrow_ipc:read"),
    suffixes=SUFFIXES["arrow"],
    certain=is_arrow,
)
HUGGINGFACE = Format(
    "huggingface",
    "a Hugging Face dataset as save_to_disk writes it",
    tasks=_TASKS,
    read=late("evenhand.formats.huggingface:read"),
    certain=is_dataset,
    has_columns=True,
)
