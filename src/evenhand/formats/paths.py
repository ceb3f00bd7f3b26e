"""Inputs and outputs of several files: names, folders, patterns, lists, manifests, and short settings files.

A folder, or a pattern such as `parts/*.conll`, is read as one text, in the order of the file names. A manifest is a
table of file pairs: a column `gold` and one column per system, one row per pair, as TSV, CSV or JSON lines.
"""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
import stat
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from glob import glob
from itertools import accumulate, compress
from os import PathLike
from pathlib import Path, PurePath
from typing import NamedTuple, overload

import msgspec

from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, InputError, counted
from evenhand.files import RESERVED
from evenhand.formats.source import COMPRESSIONS, FilePart, Source, missing_file_remedy
from evenhand.formats.storage import STANDARD_INPUT, Address, AnyPath, beside, to_path
from evenhand.parameters import check_path

INFO, SPLITS = "dataset_info.json", "dataset_dict.json"
"""Files that describe a Hugging Face dataset, and a folder of its splits."""
GOLD = "gold"
_ANNOTATIONS = ".ann"
_BRAT_PAIRS = {_ANNOTATIONS: ".txt", ".txt": _ANNOTATIONS}
_SAFE_NAME = re.compile(r"[\w-](?:[\w. -]*[\w-])?")
"""A step of a path on every system; Windows drops final dots and blanks."""
_BLOCK = 1 << 18
_SHORT_FILE = 1 << 24
_RECORD = msgspec.json.Decoder(dict[str, str])
_SAME_NAMES = "both sides must have files with the same names"
_ARCHIVE = re.compile(r"(?i)(\.zip|\.tgz|\.tar(\.\w+)?)?!$")
_MAX_STEPS = 3
"""Maximum number of path steps in the name of a system, if fewer tell the systems apart."""
_DRIVE = re.compile(r"^/(?=[A-Za-z]:)")
"""What precedes a drive of Windows in an address: `file:///C:/gold.conll`."""
_ENDING = re.compile(r"(?<=.)\.[^\W\d][^.]*$")
"""A suffix that begins with a letter: `.2` in `crf-1.2` is part of the name."""


@dataclass(frozen=True)
class FileList:
    """Files that are read as one text, under a name; two sides are matched file by file, in this order."""

    name: str
    files: tuple[AnyPath, ...]
    part: FilePart | None = None
    """The part to read, if there is one file and only a part of it is read."""
    base: Path | None = None
    """Folder that paths are relative to, if it may differ from the working directory."""

    def sources(self) -> Iterator[Source]:
        return map(self.source, self.files)

    def source(self, file: AnyPath) -> Source:
        """Return one of the files, opened relative to `base`."""
        if self.base is None or isinstance(file, Address):
            return Source(file, part=self.part)
        return Source(self.base / file, part=self.part, alias=str(file))


class FilesOfFolder(Sequence[AnyPath]):
    """The files of a folder, in order. All names are one string, and paths are made on demand, to save memory."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder, self._text = folder, "\0".join(names)
        self._ends = array("q", accumulate(len(name) + 1 for name in names))

    @property
    def names(self) -> list[str]:
        return self._text.split("\0") if self._ends else []

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> Path: ...
    @overload
    def __getitem__(self, index: slice) -> FilesOfFolder: ...
    def __getitem__(self, index: int | slice) -> Path | FilesOfFolder:
        if isinstance(index, slice):
            return FilesOfFolder(self._folder, self.names[index])
        number = range(len(self))[index]
        return self._folder / self._text[self._ends[number - 1] if number else 0 : self._ends[number] - 1]


def files_of(path: AnyPath | FileList) -> Sequence[AnyPath] | None:
    """Return the files of a folder, pattern or list; None for a single file."""
    if isinstance(path, FileList):
        return path.files
    files = _at_address(path) if isinstance(path, Address) else _at_path(path)
    if files is not None and not files:
        raise InputError(str(path), None, "contains no file", "check the path")
    return files


def folder_name(path: AnyPath | FileList) -> str | None:
    """Return the common name of several files; None for a single file."""
    if isinstance(path, Address) and path.local is not None and path.is_dir():
        return _ARCHIVE.sub("", path.local.name)
    if isinstance(path, FileList) or path.is_dir():
        return path.name
    return path.parent.name if files_of(path) is not None else None


def check_same_names(gold: AnyPath | FileList, system: AnyPath | FileList) -> None:
    """Refuse folders and patterns whose files have different names, and lists of different lengths."""
    gold_files, system_files = files_of(gold), files_of(system)
    if gold_files is None or system_files is None:
        return
    if isinstance(gold, FileList) or isinstance(system, FileList):
        if len(gold_files) != len(system_files):
            gold_name, name = (side.name if isinstance(side, FileList) else str(side) for side in (gold, system))
            finding = f"got {counted(len(system_files), 'file')}, but {gold_name} has {len(gold_files):,}"
            raise InputError(name, None, finding, "both sides must have the same number of files")
        return
    listed, system_listed = names_in(gold, gold_files), names_in(system, system_files)
    if listed == system_listed:
        return
    gold_names, names = set(listed), set(system_listed)
    for missing in sorted(gold_names - names):
        raise InputError(str(system), None, f"lacks the file {missing!r}, which {gold} has", _SAME_NAMES)
    for extra in sorted(names - gold_names):
        raise InputError(str(system), None, f"found the file {extra!r}, which {gold} does not have", _SAME_NAMES)


def check_single_file(gold: AnyPath | FileList, system: AnyPath | FileList) -> None:
    """Refuse an archive with several files if the gold standard is one file."""
    if not isinstance(system, Address) or system.local is None or not system.is_dir() or files_of(gold) is not None:
        return
    files = files_of(system) or ()
    if len(files) > 1:
        finding = f"expected one file, got {' and '.join(names_in(system, files[:2]))}"
        raise InputError(str(system), None, finding, "Keep only one")


def names_in(path: AnyPath, files: Sequence[AnyPath]) -> list[str]:
    """Return the names of files of a folder or pattern; files in subfolders have paths."""
    if isinstance(files, FilesOfFolder):
        return files.names
    if isinstance(path, Path) and path.is_dir():
        return [file.relative_to(path).as_posix() for file in files if isinstance(file, Path)]
    if isinstance(path, Address) and not path.is_pattern:
        return [file.name_below(path) for file in files if isinstance(file, Address)]
    return [file.name for file in files]


def _at_path(path: Path) -> Sequence[AnyPath] | None:
    if path.is_dir() and not any((path / name).exists() for name in (INFO, SPLITS)):
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.name for entry in entries if entry.is_file())
            return FilesOfFolder(path, _with_subfolders(path, _to_read(names)))
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise InputError(str(path), None, f"cannot be opened ({reason})", "check the permissions") from None
    if not path.exists() and not frozenset("*?[").isdisjoint(str(path)):
        return _matches(path)
    return None


def _matches(path: Path) -> list[AnyPath]:
    """The files that match a pattern; none if this is not a pattern."""
    return sorted(map(Path, glob(str(path))), key=_steps_of) if not frozenset("*?[").isdisjoint(str(path)) else []


def _steps_of(path: PurePath | Address) -> tuple[str, ...]:
    """The order of paths on every system; on Windows, paths themselves are compared without case."""
    return path.parts


def _at_address(address: Address) -> list[AnyPath] | None:
    if address.is_pattern and not address.exists():
        return sorted(address.matches())
    if not address.is_dir():
        return None
    files = {file.name_below(address): file for file in sorted(address.files())}
    if not {INFO, SPLITS}.isdisjoint(files):
        finding = "this is a Hugging Face dataset, which can be read only from a disk"
        raise InputError(str(address), None, finding, "copy the folder")
    return [files[name] for name in _to_read(list(files))]


def _to_read(names: list[str]) -> list[str]:
    """The files of a folder that are read: not hidden, without the text `X.txt` of `X.json`, and only `.ann` if any."""
    visible = [name for name in names if not name.startswith(".")]
    records = {name.removesuffix(".json") + ".txt" for name in visible if name.endswith(".json")}
    visible = [name for name in visible if name not in records]
    return [name for name in visible if name.endswith(_ANNOTATIONS)] or visible


def _with_subfolders(folder: Path, names: list[str]) -> list[str]:
    """Add annotations in subfolders if the files of the folder are brat's, or if it has none."""
    if not all(name.endswith((_ANNOTATIONS, ".conf")) for name in names):
        return names
    paths = (file.relative_to(folder) for file in folder.glob("*/**/*.ann"))
    below = [path.as_posix() for path in paths if not any(part.startswith(".") for part in path.parts)]
    return (
        sorted([*(name for name in names if name.endswith(_ANNOTATIONS)), *below], key=lambda name: name.split("/"))
        if below
        else names
    )


def distinct_names(paths: Sequence[AnyPath]) -> list[str]:
    """Return the parts of paths that differ, as names of systems; the file name if there is one path.

    Path steps that all paths share at the same position are left out (with unequal depths, common first and last
    steps), as are endings, unless only these differ, and then dot-separated suffixes that all names share. Equal paths
    have equal names.
    """
    steps = dict(zip(_steps(paths), paths, strict=True))
    if len(steps) < 2:
        return list(map(file_name, paths))
    short = [
        (*(_ARCHIVE.sub("", step) for step in full[:-1]), _without_ending(path, full[-1]))
        for full, path in steps.items()
    ]
    names = ["/".join(kept) for kept in _differing(short if len(set(short)) == len(short) else list(steps))]
    while len({_ending(name) for name in names}) == 1 and _ending(names[0]):
        names = [_ENDING.sub("", name) for name in names]
    name_of = dict(zip(steps, names, strict=True))
    return [name_of[full] for full in _steps(paths)]


def file_name(path: AnyPath) -> str:
    """Return the name of a file in results, without its ending; of a folder or pattern, the folder's name."""
    return folder_name(path) or Source(path).name


def _steps(paths: Sequence[AnyPath]) -> list[tuple[str, ...]]:
    """The normalised steps of each path; all are absolute if one is."""
    locals = [path if isinstance(path, Path) else path.local for path in paths]
    is_absolute = any(path is not None and path.is_absolute() for path in locals)
    steps = []
    for path, local in zip(paths, locals, strict=True):
        if isinstance(path, Address) and local is None:
            steps.append(path.parts)
        elif path == STANDARD_INPUT:
            steps.append((Source(path).name,))
        elif local is not None:
            steps.append(_named_steps(Path(os.path.normpath(local.absolute() if is_absolute else local))))
    return steps


def _named_steps(path: PurePath) -> tuple[str, ...]:
    """The steps of a path; a drive of Windows without its backslash."""
    return (path.drive, *path.parts[1:]) if path.drive and path.root else path.parts


def _without_ending(path: AnyPath, name: str) -> str:
    if path.is_dir():
        return _ARCHIVE.sub("", name)
    plain = os.path.splitext(name)[0] if path.suffix in COMPRESSIONS else name
    return _ENDING.sub("", plain)


def _ending(name: str) -> str:
    match = _ENDING.search(name)
    return "" if match is None else match[0]


def _differing(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The steps in which paths differ, at least one of each path; of deep ones, the last that tell them apart."""
    depths = {len(steps) for steps in paths}
    if len(depths) == 1:
        differs = [len(set(column)) > 1 for column in zip(*paths, strict=True)]
        kept = [tuple(compress(steps, differs)) for steps in paths]
    else:
        first = _shared(paths, min(depths) - 1)
        last = _shared([steps[::-1] for steps in paths], min(depths) - 1 - first)
        kept = [steps[first : len(steps) - last] for steps in paths]
    depth = max(map(len, kept))
    if depth <= _MAX_STEPS:
        return kept
    return next(ends for n in range(1, depth + 1) if len({*(ends := [steps[-n:] for steps in kept])}) == len(kept))


def _shared(paths: Sequence[tuple[str, ...]], most: int) -> int:
    """The number of first steps that all paths share, at most `most`."""
    return next((n for n in range(most) if len({steps[n] for steps in paths}) > 1), most)


def submissions_in(path: AnyPath) -> list[AnyPath] | None:
    """Return the submissions in a folder that has only folders and archives; None for anything else.

    A folder with files, and an archive, is one submission. So is a folder of brat's, which may have subfolders.
    """
    if not isinstance(path, Path) or not path.is_dir() or any((path / name).exists() for name in (INFO, SPLITS)):
        return None
    entries = sorted((entry for entry in path.iterdir() if not entry.name.startswith(".")), key=_steps_of)
    below = [to_path(entry) for entry in entries]
    if not below or any(isinstance(entry, Path) and not entry.is_dir() for entry in below):
        return None
    if _with_subfolders(path, []):
        return None
    inner = [submissions_in(entry) or _single_file(entry) for entry in below]
    return [submission for submissions in inner for submission in submissions]


def _single_file(path: AnyPath) -> list[AnyPath]:
    """The file of a folder with only one; the folder itself if there are several, and nothing if it is empty."""
    try:
        files = files_of(path) or ()
    except InputError:  # reported when it is read
        return [path] if isinstance(path, Address) else []
    return list(files) if len(files) == 1 else [path] if files else []


def _folded(name: str) -> str:
    """A key that is equal for names of one file on Windows or macOS, which ignore case and how accents are encoded."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize  # rare

    return normalize("NFC", name.casefold())


class FileNames:
    """Gives each document a unique file name: the document's name if possible, else a number."""

    def __init__(self, spare: str = "{:05}") -> None:
        """`spare` is the pattern of names with a number."""
        self._spare, self._used = spare, set[str]()

    def of(self, document: str) -> str:
        """Return the name for the next document, whose own name may be a path or empty."""
        steps = f"{document}.x".split("/")  # the caller adds a suffix
        is_safe = all(_SAFE_NAME.fullmatch(step) and not RESERVED.match(step) for step in steps)
        number, name = len(self._used) + 1, document if is_safe else self._spare.format(len(self._used) + 1)
        while (key := _folded(name)) in self._used:
            name, number = self._spare.format(number), number + 1
        self._used.add(key)
        return name


class Manifest(NamedTuple):
    """Gold standard and systems, as functions take them: `eh.score(*eh.manifest("pairs.tsv"))`."""

    gold: FileList
    systems: dict[str, FileList]


class _Row(NamedTuple):
    line: int
    cells: list[str]


def manifest(path: str | PathLike[str]) -> Manifest:
    """Read a table of file pairs as gold standard and systems.

    The pairs are read as one text, in the order of the table, and each begins a document. A cell may name a folder or a
    pattern if all cells of its row do: files with the same names are pairs.
    """
    source = Source(to_path(path))
    header, *rows = _rows(source)
    _check_header(source, header)
    if GOLD not in header.cells:
        finding = f"the column {GOLD!r} is missing; the columns are {', '.join(map(repr, header.cells))}"
        raise source.error(header.line, finding, "write a header: gold and the names of the systems")
    systems = _columns(source, header, rows)
    return Manifest(systems.pop(GOLD), systems)


def annotator_manifest(path: str | PathLike[str]) -> dict[str, FileList]:
    """Read a table of files with one column per annotator; none is the gold standard."""
    source = Source(to_path(path))
    header, *rows = _rows(source)
    _check_header(source, header)
    return _columns(source, header, rows)


def _columns(source: Source, header: _Row, rows: Sequence[_Row]) -> dict[str, FileList]:
    """The files of each column of a manifest."""
    if not rows:
        raise source.error(None, "has no row below the header", "write the files of one pair in each row")
    columns: list[list[AnyPath]] = [[] for _ in header.cells]
    lines: dict[tuple[AnyPath, ...], int] = {}
    for row in rows:
        if len(row.cells) != len(header.cells):
            finding = f"the row has {counted(len(row.cells), 'cell')}, but the header has {len(header.cells)}"
            raise source.error(row.line, finding, "give every row one cell per column")
        cells = tuple(_file(source, row.line, name, cell) for name, cell in zip(header.cells, row.cells, strict=True))
        if lines.setdefault(cells, row.line) != row.line:
            finding = f"this row repeats the files of line {lines[cells]}, which would count twice"
            raise source.error(row.line, finding, "remove one of the two")
        for column, files in zip(columns, _files_of_row(source, row, cells), strict=True):
            column.extend(files)
    return {name: FileList(name, tuple(files)) for name, files in zip(header.cells, columns, strict=True)}


def _files_of_row(source: Source, row: _Row, paths: Sequence[AnyPath]) -> list[Sequence[AnyPath]]:
    """The files that each cell of a row names: one file, or the files of a folder or pattern."""
    listed = [files_of(path) for path in paths]
    several = [files is not None for files in listed]
    if any(several) and not all(several):
        folder, file = row.cells[several.index(True)], row.cells[several.index(False)]
        finding = f"the row has several files ({folder}) and one file ({file})"
        raise source.error(row.line, finding, "use folders or patterns in all cells of a row, or files in all")
    for path in paths[1:] if all(several) else ():
        check_same_names(paths[0], path)
    return [[path] if files is None else files for path, files in zip(paths, listed, strict=True)]


def _rows(source: Source) -> Iterator[_Row]:
    lines = [
        (number, line.rstrip("\r"))
        for block in source.blocks(_BLOCK, cut_after="line")
        for number, line in enumerate(block.data[: block.size].decode().split("\n"), block.first_line)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        remedy = "write a header (gold and the systems) and one row per pair"
        raise source.error(None, "the manifest has no rows", remedy)
    first = lines[0][1]
    if first.startswith("{"):
        yield from _records(source, lines)
        return
    has_commas = source.path.suffix == ".csv" or "\t" not in first
    for number, line in lines:
        try:
            cells = next(csv.reader([line])) if has_commas else line.split("\t")
        except csv.Error as error:
            finding = f"this line is not a row of a table ({error})"
            raise source.error(number, finding, "fix its commas and quotes") from None
        yield _Row(number, [cell.strip() for cell in cells])


def _records(source: Source, lines: list[tuple[int, str]]) -> Iterator[_Row]:
    """JSON lines as rows: the keys of the first one are the header."""
    keys: list[str] = []
    for number, line in lines:
        try:
            record = _RECORD.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            record = {}
        if not record:
            finding = "expected a JSON object of names and files"
            raise source.error(number, finding, 'write {"gold": FILE, "SYSTEM": FILE}')
        names = [name for name, _ in json.loads(line, object_pairs_hook=list)]
        if len(names) > len(record):
            twice = next(name for index, name in enumerate(names) if name in names[:index])
            raise source.error(number, f"the key {twice!r} occurs twice", "give every file a different key")
        if not keys:
            keys = list(record)
            yield _Row(number, keys)
        if record.keys() != set(keys):
            finding = f"the keys are {', '.join(record)}, in the first line {', '.join(keys)}"
            raise source.error(number, finding, "give every line the same keys")
        yield _Row(number, [record[key].strip() for key in keys])


def _check_header(source: Source, header: _Row) -> None:
    line, names = header
    for index, name in enumerate(names):
        if not name:
            raise source.error(line, f"column {index + 1} has no name", "name it after its system")
        if name in names[:index]:
            raise source.error(line, f"two columns have the name {name!r}", "give every system a different name")
    if len(names) == 1:
        raise source.error(line, "there are no columns for systems", "add one with the name of the system")


def _file(source: Source, line: int, column: str, cell: str) -> AnyPath:
    """The file that a cell names. Addresses are checked when they are read, because many requests take long."""
    if not cell:
        raise source.error(line, f"the cell of {column!r} is empty", "write the name of a file")
    path = beside(source.path, cell)
    if isinstance(path, Path) and not path.exists() and not _matches(path):
        check_path(cell)  # a text must not be shown as a path
        remedy = f"{missing_file_remedy(path)}, which is relative to the manifest's folder"
        raise source.error(line, f"the file {cell!r}, for {column!r}, does not exist", remedy)
    return path


def check_output_not_input(output: str | PathLike[str], inputs: Iterable[AnyPath | FileList]) -> None:
    """Refuse an output that is an input file, also under another path or as a link; pipes and devices can be both."""
    target = _identity(output)
    if target is None:
        return
    for path in inputs:
        for file in _local_files(path):
            if _identity(file) == target:
                name = "" if str(file) == str(output) else f" ({file})"
                finding = f"is one of the input files{name} and would be overwritten"
                raise InputError(str(output), None, finding, "choose another path for the output")


def _identity(path: str | PathLike[str]) -> tuple[int, int | str] | None:
    """Device and inode of a regular file, its real path if the system has no inodes; None for anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    # Network drives of Windows have the number 0 for all files.
    return status.st_dev, status.st_ino or os.path.normcase(os.path.realpath(path))


def _local_files(path: AnyPath | FileList) -> Iterator[Path]:
    """The local files that are read for an input, including the other file of brat's pairs."""
    if isinstance(path, FileList):
        for source in path.sources():
            yield from _local_files(source.path)
        return
    if isinstance(path, Address) and path.local is not None:
        path = Path(path.text.partition("!/")[0])
    elif isinstance(path, Address):
        if path.protocol not in ("file", "local"):
            return
        text = path.text.partition("://")[2]
        path = Path(_DRIVE.sub("", text) if sys.platform == "win32" else text)
    files: Sequence[AnyPath] | None = None
    with suppress(EvenhandError, OSError, ValueError):  # reported when the input is read
        files = files_of(path)
    if files is None:
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    for file in files:
        if isinstance(file, Path):
            yield file
            plain = file.with_suffix("") if file.suffix in COMPRESSIONS else file
            if (other := _BRAT_PAIRS.get(plain.suffix)) is not None:
                yield from (plain.with_suffix(other + suffix) for suffix in ("", *COMPRESSIONS))


def read_small_file(path: AnyPath, purpose: str) -> str:
    """Read a suite, weights, a list of words or the like; `purpose` names it in messages."""
    return decode_utf8(read_small_data(path, purpose), path)


def read_small_data(path: AnyPath, purpose: str) -> bytes:
    """Read a small file as bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(_SHORT_FILE + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not the path of a file").lower()
        raise InputError(str(path), None, f"cannot be read ({reason})", f"check the path of the {purpose}") from None
    if len(data) > _SHORT_FILE:
        finding = f"has more than {_SHORT_FILE >> 20} MB, which is too much for a {purpose}"
        raise InputError(str(path), None, finding, "check which file it is")
    return data


def decode_utf8(data: bytes, path: AnyPath) -> str:
    """Decode bytes, without a byte order mark."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        finding = f"the byte 0x{data[error.start]:02x} is not valid UTF-8"
        raise InputError(str(path), line, finding, "save the file as UTF-8", "characters") from None


def names_a_file(path: Path) -> bool:
    """Return whether a string, which may be something else, is the path of an existing file or pipe."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a path, or with invalid characters
        return False
