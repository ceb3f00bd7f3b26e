"""Several files as one text: a folder, a pattern such as `parts/*.conll`, in the order of their names, or a list."""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from glob import glob
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import msgspec

from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, InputError, counted
from evenhand.formats.source import COMPRESSIONS, Part, Source
from evenhand.formats.storage import Address, AnyPath, beside, to_path
from evenhand.parameters import check_path

INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
"""The files that describe a dataset, and a folder of its splits."""


_PATTERN = frozenset("*?[")
_ANNOTATIONS = ".ann"
"""How the names of brat's annotations end."""


@dataclass(frozen=True)
class FileList:
    """Files that follow each other as one text, under a name; two sides are matched file by file, in this order."""

    name: str
    files: tuple[AnyPath, ...]
    part: Part | None = None
    """What is read of the file, where it is a single one and not all of it is."""
    base: Path | None = None
    """The folder that paths count from, where that may be another one than the process is in."""

    def sources(self) -> Iterator[Source]:
        for file in self.files:
            if self.base is None or isinstance(file, Address):
                yield Source(file, part=self.part)
            else:
                yield Source(self.base / file, part=self.part, alias=str(file))


def files_of(where: AnyPath | FileList) -> list[AnyPath] | None:
    """The files that a folder, pattern or list stands for; None for a single file."""
    if isinstance(where, FileList):
        return list(where.files)
    files = _at_address(where) if isinstance(where, Address) else _at_path(where)
    if files is not None and not files:
        raise InputError(str(where), None, "there is no file in it", "check the path")
    return files


def folder_name(where: AnyPath | FileList) -> str | None:
    """What several files are called together; None for a single file."""
    if isinstance(where, FileList):
        return where.name
    if where.is_dir():
        return where.name
    return where.parent.name if files_of(where) is not None else None


def check_same_names(gold: AnyPath | FileList, system: AnyPath | FileList) -> None:
    """Raise an error unless two folders or patterns stand for files with the same names, or lists for as many."""
    mine, theirs = files_of(gold), files_of(system)
    if mine is None or theirs is None:
        return
    if isinstance(gold, FileList) or isinstance(system, FileList):
        if len(mine) != len(theirs):
            finding = f"got {counted(len(theirs), 'file')}, where {_shown(gold)} has {len(mine):,}"
            raise InputError(_shown(system), None, finding, "both sides must have as many files")
        return
    names, others = set(names_in(gold, mine)), set(names_in(system, theirs))
    for missing in sorted(names - others):
        raise InputError(str(system), None, f"there is no file {missing!r}, which {gold} has", _REMEDY)
    for extra in sorted(others - names):
        raise InputError(str(system), None, f"found the file {extra!r}, which {gold} does not have", _REMEDY)


def names_in(where: AnyPath, files: Sequence[AnyPath]) -> list[str]:
    """What files of a folder or pattern are called; those in folders below have paths."""
    if isinstance(where, Path) and where.is_dir():
        return [file.relative_to(where).as_posix() for file in files if isinstance(file, Path)]
    return [file.name for file in files]


def _at_path(path: Path) -> list[AnyPath] | None:
    if path.is_dir() and not any((path / name).exists() for name in (INFO, SPLITS)):
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.name for entry in entries if entry.is_file())
            return _with_folders_below(path, [path / name for name in _to_read(names)])
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise InputError(str(path), None, f"cannot be opened ({reason})", "check the permissions") from None
    if not path.exists() and _PATTERN & set(str(path)):
        return [Path(each) for each in sorted(map(Path, glob(str(path))))]
    return None


def _at_address(address: Address) -> list[AnyPath] | None:
    if address.is_pattern and not address.exists():
        return sorted(address.matches())
    if not address.is_dir():
        return None
    found = {file.name: file for file in sorted(address.files())}
    if not {INFO, SPLITS}.isdisjoint(found):
        finding = "this is a dataset of Hugging Face, which can be read from a disk only"
        raise InputError(str(address), None, finding, "copy the folder")
    return [found[name] for name in _to_read(list(found))]


def _to_read(names: list[str]) -> list[str]:
    """Of the files in a folder, those to read: of brat's, the `.ann`; and no hidden ones."""
    shown = [name for name in names if not name.startswith(".")]
    return [name for name in shown if name.endswith(_ANNOTATIONS)] or shown


def _with_folders_below(folder: Path, found: list[AnyPath]) -> list[AnyPath]:
    """The files to read; where these are brat's, or there are none, also the annotations in folders below."""
    if not all(each.name.endswith((_ANNOTATIONS, ".conf")) for each in found):
        return found
    below: list[AnyPath] = [
        each
        for each in folder.glob("*/**/*.ann")
        if not any(part.startswith(".") for part in each.relative_to(folder).parts)
    ]
    return sorted([*(each for each in found if each.name.endswith(_ANNOTATIONS)), *below]) if below else found


def _shown(where: AnyPath | FileList) -> str:
    return where.name if isinstance(where, FileList) else str(where)


_REMEDY = "both sides must have files with the same names"


# == formats/file_names.py: Names of files for documents: their own names where these fi


_FITTING = re.compile(r"[\w-][\w. -]*")


class FileNames:
    """Gives each document a name of its own."""

    def __init__(self, spare: str = "{:05}") -> None:
        """`spare` is the name of a document whose own one does not fit, with a place for its number."""
        self._spare, self._used = spare, set[str]()

    def of(self, document: str) -> str:
        """The name for the next document, whose own may be a path in a folder, or empty."""
        fits = all(map(_FITTING.fullmatch, document.split("/")))
        number, name = len(self._used) + 1, document if fits else self._spare.format(len(self._used) + 1)
        while name.lower() in self._used:
            name, number = self._spare.format(number), number + 1
        self._used.add(name.lower())
        return name


# == formats/manifest.py: A manifest: a table of file pairs. It has a column `gold` an


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
    source = Source(to_path(path))
    header, *rows = _rows(source)
    if not rows:
        raise source.error(None, "there is no row below the header", "name the files of one pair in each row")
    _check_header(source, header)
    columns: list[list[AnyPath]] = [[] for _ in header.cells]
    lines: dict[tuple[AnyPath, ...], int] = {}
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
    for block in source.blocks(_BLOCK, cut_after="line"):
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


def _file(source: Source, line: int, column: str, cell: str) -> AnyPath:
    """The file that a cell names. Whether an address is right shows when it is read: to ask for each takes long."""
    if not cell:
        raise source.error(line, f"the cell of {column!r} is empty", "name a file")
    found = beside(source.path, cell)
    if isinstance(found, Path) and not found.exists():
        remedy = "check the path, which counts from the manifest's folder"
        check_path(cell)  # a text must not be shown as a path
        raise source.error(line, f"there is no file {cell!r}, for {column!r}", remedy)
    return found


# == formats/overwriting.py: Which files stand behind the inputs of a command, so that no


_HERE = ("file", "local")
"""Protocols of addresses that are files of this machine."""
_PAIRED = {".ann": ".txt", ".txt": ".ann"}
"""brat's files are read in pairs."""


def refuse_overwriting(output: str | PathLike[str], inputs: Iterable[AnyPath | FileList]) -> None:
    """Raise an error if the output is a file that one of the inputs stands for, whatever the spelling of its path.

    A link to an input counts as the input. What is no regular file (a pipe, a device) can be both.
    """
    target = _identity(output)
    if target is None:
        return
    for where in inputs:
        for file in _files_behind(where):
            if _identity(file) == target:
                called = "" if str(file) == str(output) else f" ({file})"
                finding = f"is one of the input files{called} and would be overwritten"
                raise InputError(str(output), None, finding, "choose another place for the output")


def _identity(path: str | PathLike[str]) -> tuple[int, int] | None:
    """What tells a regular file from all others; None for what is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _files_behind(where: AnyPath | FileList) -> Iterator[Path]:
    """The files of this machine that are read for an input: those of a folder, a pattern, a list, a pair."""
    if isinstance(where, FileList):
        for source in where.sources():
            yield from _files_behind(source.path)
        return
    if isinstance(where, Address):
        if where.protocol not in _HERE:
            return
        where = Path(where.text.partition("://")[2])
    files: list[AnyPath] | None = None
    with suppress(EvenhandError, OSError, ValueError):  # which reading will say
        files = files_of(where)
    if files is None:
        files = [each for each in where.rglob("*") if each.is_file()] if where.is_dir() else [where]
    for file in files:
        if isinstance(file, Path):
            yield file
            yield from _pair(file)


def _pair(file: Path) -> Iterator[Path]:
    """The other file of a pair of brat's, compressed or not."""
    plain = file.with_suffix("") if file.suffix in COMPRESSIONS else file
    other = _PAIRED.get(plain.suffix)
    if other is not None:
        for suffix in ("", *COMPRESSIONS):
            yield plain.with_suffix(other + suffix)


# == formats/short_text.py: Short files that say what to do: suites, weights, lists of w


LIMIT = 1 << 24
"""How many bytes such a file may have."""


def short_text(path: AnyPath, what: str) -> str:
    """The text of a file; `what` says what it is for, in messages."""
    return decoded(short_data(path, what), path)


def short_data(path: AnyPath, what: str) -> bytes:
    """The bytes of a file."""
    shown = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path of a file"
        raise InputError(shown, None, f"cannot be read ({reason.lower()})", f"check the path of the {what}") from None
    if len(data) > LIMIT:
        finding = f"has more than {LIMIT >> 20} MB, which is too much for a {what}"
        raise InputError(shown, None, finding, "check which file it is")
    return data


def decoded(data: bytes, path: AnyPath) -> str:
    """Bytes as a text, without the mark that a file may begin with."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        finding = f"the byte 0x{data[error.start]:02x} is not valid UTF-8"
        raise InputError(str(path), line, finding, "save the file as UTF-8", "characters") from None


def names_a_file(path: Path) -> bool:
    """Whether a text that may be something else is the path of a file or a pipe that is there."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a path, or with characters that none has
        return False
