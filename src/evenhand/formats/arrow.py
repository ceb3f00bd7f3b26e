"""Tables of Arrow's: Parquet files, Arrow files and streams, and Hugging Face datasets on disk.

See `arrow_layout` for their columns. The code that reads and writes them, and the library that it takes, are loaded
when a file needs them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.formats.format import Adoption, Carry, Format, Writing
from evenhand.formats.source import Source
from evenhand.problems import EvenhandError, SettingError
from evenhand.registry import late

INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
"""The files that describe a dataset, and a folder of its splits."""
_TASKS = ("spans", "tags")


class _Library:
    """The module `pyarrow`, which may be absent: it is loaded when something in it is asked for."""

    def load(self) -> Any:
        """The module, or an error; before work that would be in vain without it."""
        try:
            return import_module("pyarrow")
        except ImportError:
            raise SettingError("pyarrow is not installed, which this takes; run: pip install evenhand[arrow]") from None

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self.load(), name)
        return found


arrow: Any = _Library()


def _is_table(suffixes: tuple[str, ...], mark: bytes, source: Source, task: str | None) -> bool:
    """Whether a file has a name of the format or, on this machine, begins with bytes that no text begins with."""
    path = source.path
    if source.suffix in suffixes:
        return not (isinstance(path, Path) and path.is_dir())
    if not isinstance(path, Path):
        return False
    try:
        return source.head.data.startswith(mark)
    except (EvenhandError, OSError, EOFError):  # a folder, or whoever reads it finds the words
        return False


def is_dataset(source: Source, task: str | None) -> bool:
    """Whether this is a folder with a dataset's description and Arrow files, or a folder of splits."""
    path = source.path
    if not isinstance(path, Path) or source.is_here or not path.is_dir():  # what is elsewhere cannot be read anyway
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
    suffixes=(".parquet", ".pq"),
    certain=partial(_is_table, (".parquet", ".pq"), b"PAR1"),
    has_columns=True,
)
ARROW = replace(
    PARQUET,
    name="arrow",
    help="Arrow IPC files, also called Feather, and streams; the same columns",
    read=late("evenhand.formats.arrow_ipc:read"),
    suffixes=(".arrow", ".feather", ".ipc"),
    certain=partial(_is_table, (".arrow", ".feather", ".ipc", ".arrows"), b"ARROW1"),
)
HUGGINGFACE = Format(
    "huggingface",
    "a Hugging Face dataset as save_to_disk writes it",
    tasks=_TASKS,
    read=late("evenhand.formats.huggingface:read"),
    certain=is_dataset,
    has_columns=True,
    adopts=Adoption(
        "dataset",
        tuple(f"datasets.{kind}" for kind in ("Dataset", "DatasetDict", "IterableDataset", "IterableDatasetDict")),
        late("evenhand.formats.huggingface:read_object"),
    ),
)
