"""Which files stand behind the inputs of a command, so that none of them is overwritten by its output."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path

from evenhand.formats.addresses import Address, Place
from evenhand.formats.folders import FileList, files_of
from evenhand.formats.source import COMPRESSIONS
from evenhand.problems import EvenhandError, InputError

_HERE = ("file", "local")
"""Protocols of addresses that are files of this machine."""
_PAIRED = {".ann": ".txt", ".txt": ".ann"}
"""brat's files are read in pairs."""


def refuse_overwriting(output: str | PathLike[str], inputs: Iterable[Place | FileList]) -> None:
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


def _files_behind(where: Place | FileList) -> Iterator[Path]:
    """The files of this machine that are read for an input: those of a folder, a pattern, a list, a pair."""
    if isinstance(where, FileList):
        for source in where.sources():
            yield from _files_behind(source.path)
        return
    if isinstance(where, Address):
        if where.protocol not in _HERE:
            return
        where = Path(where.text.partition("://")[2])
    files: list[Place] | None = None
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
