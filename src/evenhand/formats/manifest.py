"""A manifest: a table of file pairs. It has a column `gold` and one for each system, named by the system.

Tabs or commas stand between the cells, or each line is a JSON object. Paths count from the manifest's folder; addresses
are taken as they are. Blank lines and those that begin with `#` are passed over.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import msgspec

from evenhand.arguments import check_path
from evenhand.formats.addresses import Place, beside, place
from evenhand.formats.folders import FileList
from evenhand.formats.source import Source

GOLD = "gold"
_BLOCK = 1 << 18
_RECORD = msgspec.json.Decoder(dict[str, str])


class Manifest(NamedTuple):
    """What functions take: `eh.score(*eh.manifest("pairs.tsv"))`."""

    gold: FileList
    systems: dict[str, FileList]


class _Row(NamedTuple):
    line: int
    cells: list[str]


def manifest(path: str | PathLike[str]) -> Manifest:
    """The file pairs that a table names, as gold standard and systems.

    The pairs follow each other as one text, in the order of the table, and each begins a document.
    """
    source = Source(place(path))
    header, *rows = _rows(source)
    if not rows:
        raise source.error(None, "there is no row below the header", "name the files of one pair in each row")
    _check_header(source, header)
    columns: list[list[Place]] = [[] for _ in header.cells]
    lines: dict[tuple[Place, ...], int] = {}
    for row in rows:
        if len(row.cells) != len(header.cells):
            finding = f"the number of cells is {len(row.cells)}, that of the header is {len(header.cells)}"
            raise source.error(row.line, finding, "give every row a cell for each column")
        named = zip(header.cells, row.cells, strict=True)
        files = tuple(_file(source, row.line, name, cell) for name, cell in named)
        if lines.setdefault(files, row.line) != row.line:
            finding = f"this row names the files of line {lines[files]} again, which would count twice"
            raise source.error(row.line, finding, "remove one of the two")
        for column, file in zip(columns, files, strict=True):
            column.append(file)
    found = {name: FileList(name, tuple(files)) for name, files in zip(header.cells, columns, strict=True)}
    return Manifest(found.pop(GOLD), found)


def _rows(source: Source) -> Iterator[_Row]:
    """The header and the rows; one of them at least, or an error."""
    lines = list(_lines(source))
    if not lines:
        raise source.error(
            None, "there is no row in it", "write a header (gold and the systems) and a row for each pair"
        )
    first = lines[0][1]
    if first.startswith("{"):
        yield from _records(source, lines)
        return
    has_commas = source.path.suffix == ".csv" or "\t" not in first
    for number, line in lines:
        try:
            cells = next(csv.reader([line])) if has_commas else line.split("\t")
        except csv.Error as error:
            raise source.error(
                number, f"this line is no row of a table ({error})", "mend its commas and quotes"
            ) from None
        yield _Row(number, [cell.strip() for cell in cells])


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    for block in source.blocks(_BLOCK, cut_behind="line"):
        for number, line in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
            if line.strip() and not line.startswith("#"):
                yield number, line.rstrip("\r")


def _records(source: Source, lines: list[tuple[int, str]]) -> Iterator[_Row]:
    """JSON lines as rows: the keys of the first one are the header."""
    keys: list[str] = []
    for number, line in lines:
        try:
            record = _RECORD.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            record = {}
        if not record:
            finding = "this line is no JSON object of names and files"
            raise source.error(number, finding, 'write {"gold": FILE, "SYSTEM": FILE}')
        names = [name for name, _ in json.loads(line, object_pairs_hook=list)]
        if len(names) > len(record):
            twice = next(name for at, name in enumerate(names) if name in names[:at])
            raise source.error(number, f"the key {twice!r} is there twice", "give every file a key of its own")
        if not keys:
            keys = list(record)
            yield _Row(number, keys)
        if record.keys() != set(keys):
            finding = f"the keys are {', '.join(record)}, in the first line {', '.join(keys)}"
            raise source.error(number, finding, "give every line the same keys")
        yield _Row(number, [record[key].strip() for key in keys])


def _check_header(source: Source, header: _Row) -> None:
    line, names = header
    for at, name in enumerate(names):
        if not name:
            raise source.error(line, f"column {at + 1} has no name", "name it after its system")
        if name in names[:at]:
            raise source.error(line, f"there are two columns {name!r}", "give every system one, with a name of its own")
    if GOLD not in names:
        finding = f"there is no column {GOLD!r}, but {', '.join(map(repr, names))}"
        raise source.error(line, finding, "write a header: gold and the names of the systems")
    if len(names) == 1:
        raise source.error(line, "there is no column of a system", "add one, named by the system")


def _file(source: Source, line: int, column: str, cell: str) -> Place:
    """The file that a cell names. Whether an address is right shows when it is read: to ask for each takes long."""
    if not cell:
        raise source.error(line, f"the cell of {column!r} is empty", "name a file")
    found = beside(source.path, cell)
    if isinstance(found, Path) and not found.exists():
        remedy = "check the path, which counts from the manifest's folder"
        check_path(cell)  # a text must not be shown as a path
        raise source.error(line, f"there is no file {cell!r}, for {column!r}", remedy)
    return found
