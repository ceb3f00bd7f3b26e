"""Several files as one text: a folder, a pattern such as `parts/*.conll`, in the order of their names, or a list."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path

from evenhand.dataclass import dataclass
from evenhand.formats.addresses import Address, Place
from evenhand.formats.arrow import INFO, SPLITS
from evenhand.formats.source import Part, Source
from evenhand.problems import InputError, counted

_PATTERN = frozenset("*?[")
_ANNOTATIONS = ".ann"
"""How the names of brat's annotations end."""


@dataclass(frozen=True)
class FileList:
    """Files that follow each other as one text, under a name; two sides are matched file by file, in this order."""

    name: str
    files: tuple[Place, ...]
    part: Part | None = None
    """What is read of the file, where it is a single one and not all of it is."""
    base: Path | None = None
    """The folder that paths count from, where that may be another one than the process is in."""

    def sources(self) -> Iterator[Source]:
        for file in self.files:
            if self.base is None or isinstance(file, Address):
                yield Source(file, part=self.part)
            else:
                yield Source(self.base / file, part=self.part, called=str(file))


def files_of(where: Place | FileList) -> list[Place] | None:
    """The files that a folder, pattern or list stands for; None for a single file."""
    if isinstance(where, FileList):
        return list(where.files)
    found = _at_address(where) if isinstance(where, Address) else _at_path(where)
    if found is not None and not found:
        raise InputError(str(where), None, "there is no file in it", "check the path")
    return found


def folder_name(where: Place | FileList) -> str | None:
    """What several files are called together; None for a single file."""
    if isinstance(where, FileList):
        return where.name
    if where.is_dir():
        return where.name
    return where.parent.name if files_of(where) is not None else None


def check_same_names(gold: Place | FileList, system: Place | FileList) -> None:
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


def names_in(where: Place, files: Sequence[Place]) -> list[str]:
    """What files of a folder or pattern are called; those in folders below have paths."""
    if isinstance(where, Path) and where.is_dir():
        return [each.relative_to(where).as_posix() for each in files if isinstance(each, Path)]
    return [each.name for each in files]


def _at_path(path: Path) -> list[Place] | None:
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


def _at_address(address: Address) -> list[Place] | None:
    if address.is_pattern and not address.exists():
        return sorted(address.matches())
    if not address.is_dir():
        return None
    found = {each.name: each for each in sorted(address.files())}
    if not {INFO, SPLITS}.isdisjoint(found):
        finding = "this is a dataset of Hugging Face, which can be read from a disk only"
        raise InputError(str(address), None, finding, "copy the folder")
    return [found[name] for name in _to_read(list(found))]


def _to_read(names: list[str]) -> list[str]:
    """Of the files in a folder, those to read: of brat's, the `.ann`; and no hidden ones."""
    shown = [name for name in names if not name.startswith(".")]
    return [name for name in shown if name.endswith(_ANNOTATIONS)] or shown


def _with_folders_below(folder: Path, found: list[Place]) -> list[Place]:
    """The files to read; where these are brat's, or there are none, also the annotations in folders below."""
    if not all(each.name.endswith((_ANNOTATIONS, ".conf")) for each in found):
        return found
    below: list[Place] = [
        each
        for each in folder.glob("*/**/*.ann")
        if not any(part.startswith(".") for part in each.relative_to(folder).parts)
    ]
    return sorted([*(each for each in found if each.name.endswith(_ANNOTATIONS)), *below]) if below else found


def _shown(where: Place | FileList) -> str:
    return where.name if isinstance(where, FileList) else str(where)


_REMEDY = "both sides must have files with the same names"
