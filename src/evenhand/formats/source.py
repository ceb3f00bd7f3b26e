"""A file as blocks of checked bytes: whole sentences, valid UTF-8, with line numbers."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from functools import cached_property, partial
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np

from evenhand.data.annotation import Annotation
from evenhand.data.tokens import PADDING
from evenhand.dataclass import dataclass
from evenhand.errors import FILE, PIECE, InputError, LimitError, Problem
from evenhand.formats.storage import (
    SIZE,
    STANDARD_INPUT,
    AnyPath,
    compression,
    decompressed,
    is_pipe,
    open_pipe,
    status_at,
)

# == formats/head.py: The beginning of a file: read once, for all who look at it t


class FileHead:
    """The first bytes of a file, decompressed."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Become one that was not read yet."""
        self.data = b""
        self.is_read = self.is_whole = self.is_compressed = False


class HeadSample:
    """A file for those who look at its beginning: its head and, only if that is not enough, the file itself."""

    def __init__(self, head: FileHead, open_file: Callable[[], BinaryIO]) -> None:
        self._head, self._open, self._place = head, open_file, 0
        self._file: BinaryIO | None = None

    def tell(self) -> int:
        return self._place

    def read(self, size: int) -> bytes:
        if self._place < len(self._head.data) or self._head.is_whole:
            found = self._head.data[self._place : self._place + size]
            self._place += len(found)
            return found
        if self._file is None:
            self._file = self._open()
            self._file.read(self._place)
        return self._file.read(size)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


# == formats/parsing/cuts.py: Where a file can be cut into blocks: behind a line, behind a


BlockEnd = Literal["blank line", "line", "document", "table"]
"""Behind what blocks end."""
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")


def _last_line(data: bytes) -> int:
    """Where the text behind the last line begins; 0 without one."""
    return data.rfind(b"\n") + 1


def _last_blank_line(data: bytes) -> int:
    """Where the text behind the last blank line begins; 0 without one."""
    for ending in (b"\n\n", b"\n\r\n"):
        place = data.rfind(ending)
        if place >= 0:
            return place + len(ending)
    return max((match.end() for match in _BLANK_LINE.finditer(data)), default=0)


def _last_document(data: bytes) -> int:
    """Where the last document begins, in files with coreference chains; 0 where it is the first one."""
    place = data.rfind(b"\n#begin document")
    if place >= 0:
        return place + 1
    place = max(data.rfind(b"\n# newdoc" + behind) for behind in (b" ", b"\n", b"\r"))
    return _last_blank_line(data[: place + 1]) if place >= 0 else 0


def _last_table(data: bytes) -> int:
    """Where the last document of a table of HIPE begins; 0 where it is the first one."""
    return max(data.rfind(b"\n# hipe2022:document_id"), data.rfind(b"\n# document")) + 1


CUTS: dict[BlockEnd, Callable[[bytes], int]] = {
    "blank line": _last_blank_line,
    "line": _last_line,
    "document": _last_document,
    "table": _last_table,
}
ENDS: dict[BlockEnd, str] = {
    "blank line": "a blank line",
    "line": "a line end",
    "document": "a new document",
    "table": "a new document",
}
"""What stands behind a block, in messages."""


# == formats/rest.py: The rest of a block: what belongs to the next one, as it is


@dataclass
class Rest:
    """What was read of a sentence, line or document whose end was not yet met."""

    source: Source
    cut: BlockEnd
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def begin(self, data: bytes) -> None:
        self.parts, self.size = [data], len(data)

    def add(self, data: bytes, first_line: int) -> None:
        """Take some more; it is an error where that can be no text, or is more than the limit."""
        self.source.refuse_nul(data, len(data), first_line)
        self.parts.append(data)
        self.size += len(data)
        most = PIECE.value
        if self.size > most:
            finding = f"found more than {most:,} bytes without {ENDS[self.cut]}"
            raise self.source.error(first_line, finding, PIECE.remedy)


# == formats/utf8.py: Whether bytes are UTF-8, without making a text of them.


_NO_FIRST, _RARE = (b"\xc0", b"\xc1"), (b"\xe0", b"\xed")
"""Bytes that begin no character, and those of three bytes behind which only some bytes may follow."""
_TWO, _THREE, _FOUR = 0xC0, 0xE0, 0xF0
"""From which byte on characters have so many bytes."""
_LAST_TO_FOLLOW = -0x41
"""The last of the bytes that follow a first one, as a number with a sign; they are the least ones."""


def is_plainly_utf8(data: bytes) -> bool:
    """Whether bytes that end with ASCII are UTF-8, with characters of up to three bytes.

    All bytes are looked at together: a byte follows if, and only if, the one before begins a character, or the one
    before that a character of three. False says nothing: some characters are left to a decoder.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    largest = int(text.max())
    if largest >= _FOUR or any(each in data for each in (_NO_FIRST if largest < _THREE else _NO_FIRST + _RARE)):
        return False
    follows, wanted = text.view(np.int8) <= _LAST_TO_FOLLOW, text[:-1] >= _TWO
    if largest >= _THREE:
        wanted[1:] |= text[:-2] >= _THREE
    wanted ^= follows[1:]
    return not (follows[0] or wanted.any())


# == formats/delimiters.py: Columns that something else than tabs separates.


_BLANKS = re.compile(rb"[ \t]+")


def with_tabs(data: bytes, delimiter: str) -> bytes:
    """The text with a tab for every delimiter; a tab that was none becomes a space."""
    if not delimiter.strip(" \t"):
        return _BLANKS.sub(b"\t", data)
    return b"\t".join(part.replace(b"\t", b" ") for part in data.split(delimiter.encode()))


# == formats/watching.py: Who is told how files are read: what each was taken for, and


class ReadObserver(Protocol):
    def on_detected(self, name: str, batch: Annotation) -> None:
        """The first batch of a side says what its files were taken for."""

    def on_progress(self, file: Path, place: int) -> None:
        """So many bytes of a file are read, as it stands on the disk."""


_WATCHER: ContextVar[ReadObserver | None] = ContextVar("watcher", default=None)


@contextmanager
def observe_reading(watcher: ReadObserver) -> Iterator[None]:
    """Let somebody know of all that is read."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def open_observed(place: AnyPath) -> BufferedReader:
    """A file to read bytes from."""
    watcher = _WATCHER.get()
    if watcher is None or not isinstance(place, Path):
        return place.open("rb")
    return BufferedReader(_Followed(place, watcher))


class _Followed(FileIO):
    """A file that tells how far it is read."""

    def __init__(self, path: Path, watcher: ReadObserver) -> None:
        super().__init__(path)
        self._path, self._watcher = path, watcher

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._watcher.on_progress(self._path, self.tell())
        return count


def notify_observers(name: str, batches: Iterator[Annotation]) -> Iterator[Annotation]:
    """The batches of a side; the first is shown to whoever watches."""
    is_first = True
    for batch in batches:
        watcher = _WATCHER.get()
        if is_first and watcher is not None:
            watcher.on_detected(name, batch)
        is_first = False
        yield batch


# == formats/source.py (primary)


LINE_FEED = 10
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
BYTE_ORDER_MARK = "\ufeff"
_BYTE_ORDER_MARK = BYTE_ORDER_MARK.encode()
_SIZE_ELSEWHERE = 1 << 20
_LARGEST_READ = 1 << 20


_ZIP = b"PK\x03\x04"
_AS_TEXT = "export it as text: one token and its tag per line, with a tab between"
_OTHER_FILES = {
    _ZIP: ("a zip archive", "unpack it, or export the table as text with tabs"),
    b"PK\x05\x06": ("an empty zip archive", "check how it was written"),
    b"%PDF-": ("a PDF", _AS_TEXT),
    b"\xd0\xcf\x11\xe0": ("an old file of Word or Excel", _AS_TEXT),
    b"{\\rtf": ("rich text (RTF)", "save it as plain text in UTF-8"),
    b"\x93NUMPY": ("a NumPy array", "load it with numpy.load, and give its rows to eh.tags(ids, names=…)"),
    **{
        b"\x80" + bytes([version]): ("a Python pickle", "load it in Python, and give its lists to eh.tags or eh.spans")
        for version in range(2, 6)
    },
    b"SQLite format 3\0": ("an SQLite database", _AS_TEXT),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", "unpack it"),
    b"\x89HDF": ("an HDF5 file", _AS_TEXT),
    b"\x89PNG": ("an image", _AS_TEXT),
    b"\xff\xd8\xff": ("an image", _AS_TEXT),
}
"""Files that are not text, by their first bytes: what they are, and what to do."""
_PARTS = {
    b"[Content_Types].xml": "a file of Word, Excel or PowerPoint",
    b"xl/": "an Excel workbook (xlsx)",
    b"word/": "a Word document (docx)",
    b"mimetypeapplication/vnd.oasis": "a file of LibreOffice or OpenOffice",
    b".npy": "NumPy arrays (npz)",
    b"data.pkl": "a file of PyTorch",
}
"""What is in a zip archive, by the names of its first parts; later ones are more exact."""


def _zipped(data: bytes) -> str:
    """What a zip archive holds."""
    return next((name for part, name in reversed(_PARTS.items()) if part in data), "a zip archive")


@dataclass(frozen=True)
class Block:
    """Some lines of a file; `data` ends with a line feed and, behind `size`, with padding."""

    data: bytes
    size: int
    first_line: int

    @cached_property
    def lines(self) -> int:
        """How many lines there are."""
        return int(np.count_nonzero(np.frombuffer(self.data, dtype=np.uint8)[: self.size] == LINE_FEED))

    def has_lines(self, count: int) -> None:
        """Say how many lines there are, where a reader found out anyway: that saves counting them."""
        self.__dict__["lines"] = count


@dataclass(frozen=True)
class Part:
    """Some whole lines of a file, by their bytes. Unless they are the first, a sentence of their document precedes."""

    start: int
    end: int
    first_line: int


@dataclass(frozen=True)
class Source:
    """A file that a user named: maybe compressed, or `-` for standard input."""

    path: AnyPath
    problems: list[Problem] | None = None
    """Where problems that a reader can go on behind are collected; without it, the first one is raised."""
    delimiter: str | None = None
    """What separates columns instead of tabs; blanks stand for runs of them."""
    part: Part | None = None
    """What is read of it, where that is not all. What the file is like is always told by its first lines."""
    alias: str | None = None
    """What messages call it, where its path is spelled otherwise than the user did."""
    _head: FileHead = field(default_factory=FileHead, compare=False, repr=False)

    @property
    def display_name(self) -> str:
        """What messages call it."""
        return self.alias or ("standard input" if self._is_standard_input else str(self.path))

    @property
    def name(self) -> str:
        """What results call it: the file's name without its last extension (and that of a compression)."""
        if self._is_standard_input:
            return "stdin"
        return self.plain_path.stem

    @cached_property
    def suffix(self) -> str:
        """How the name of the file ends."""
        return self.path.suffix

    @cached_property
    def plain_path(self) -> AnyPath:
        """The path without the extension of a compression."""
        return self.path.with_suffix("") if self.suffix in COMPRESSIONS else self.path

    @property
    def whole(self) -> Source:
        """The same file without bounds."""
        return self if self.part is None else replace(self, part=None)

    @property
    def head(self) -> FileHead:
        """The first bytes of the file."""
        found = self._head
        if not found.is_read:
            file, found.is_compressed = self._open()
            with file:
                found.data = self.whole.read(file, SIZE)
            found.is_read, found.is_whole = True, len(found.data) < SIZE
        return found

    def forget(self) -> None:
        """Let go of the first bytes; who asks for them reads them again."""
        self._head.forget()

    @property
    def begins_inside(self) -> bool:
        """Whether what is read begins behind a sentence, whose document may go on."""
        return self.part is not None and self.part.start > 0

    @property
    def size(self) -> int:
        """How many bytes the file has, or is taken to have where it is not on this machine."""
        return self._status.st_size if self._status is not None and self.is_here else _SIZE_ELSEWHERE

    @property
    def is_plain(self) -> bool:
        """Whether one can begin to read anywhere: it is on this machine, and not compressed."""
        return self.is_here and not self.head.is_compressed

    @property
    def is_here(self) -> bool:
        """Whether it is a file on this machine, which can be read again."""
        return self._status is not None and stat.S_ISREG(self._status.st_mode) and not self._is_standard_input

    @cached_property
    def _status(self) -> os.stat_result | None:
        """What the system says of its path, once; None where nothing is there, or it is not on this machine."""
        return status_at(self.path)

    @property
    def _is_standard_input(self) -> bool:
        return isinstance(self.path, Path) and str(self.path) == str(STANDARD_INPUT)

    def open(self) -> BinaryIO:
        """The file, or what it says when it is decompressed."""
        return self._open()[0]

    def _open(self) -> tuple[BinaryIO, bool]:
        """The same, and whether it is compressed: its first bytes tell, not its name."""
        try:
            file = self._opened()
            kind = compression(file)
        except IsADirectoryError:
            raise self.error(None, "is a folder", "name a file in it") from None
        except FileNotFoundError:
            raise self.error(None, "there is no such file", "check the path") from None
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise self.error(None, f"cannot be opened ({reason})", "check the path and the permissions") from None
        return (file, False) if kind is None else (decompressed(file, kind, partial(self.error, None)), True)

    def _opened(self) -> BufferedReader:
        """The file as it stands."""
        if isinstance(self.path, Path) and not self.is_here and is_pipe(self.path):
            return open_pipe(self.path)
        return open_observed(self.path)

    def read(self, file: BinaryIO | HeadSample, size: int) -> bytes:
        """The next bytes."""
        if self.part is not None:
            size = max(min(size, self.part.end - file.tell()), 0)
        try:
            return file.read(size)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise self.error(None, f"cannot be read ({reason})", "check the file and the disk") from None

    def read_whole(self) -> bytes:
        """All bytes of a file whose format must be held in memory whole."""
        blocks, size, most = [], 0, FILE.value
        for block in self._pieces():
            blocks.append(block)
            size += len(block)
            if size > most:
                raise self.error(None, f"the file has more than {most:,} bytes, decompressed", FILE.remedy)
        return b"".join(blocks)

    def _pieces(self) -> Iterator[bytes]:
        """The bytes of the file, in pieces as they come."""
        if self.part is None and self.head.is_whole:
            yield self.head.data
            return
        with self.open() as file:
            while block := self.read(file, _LARGEST_READ):
                yield block

    def error(self, line: int | None, finding: str, remedy: str, kind: str = "format") -> InputError:
        return InputError(self.display_name, line, finding, remedy, kind)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Tell what is above a limit with the file that it is in."""
        try:
            yield
        except LimitError as error:
            raise self.error(error.line, error.finding, error.remedy) from None

    def report(self, line: int | None, finding: str, remedy: str, kind: str) -> None:
        """Raise a problem, or collect it where somebody wants to see them all."""
        error = self.error(line, finding, remedy, kind)
        if self.problems is None:
            raise error
        self.problems.append(error.problem)

    def sample(self, size: int) -> Block:
        """The first block of the file, of about `size` bytes."""
        return next(self.first_blocks(size, cut_after="line"))

    def first_blocks(self, size: int, *, cut_after: BlockEnd = "blank line") -> Iterator[Block]:
        """Blocks from the beginning of the file, for a look: the file is opened again only if that takes many."""
        return self.whole._blocks(HeadSample(self.head, self.whole.open), size, cut_after)

    def blocks(self, size: int, *, cut_after: BlockEnd = "blank line", of_lines: bool = True) -> Iterator[Block]:
        """Blocks of about `size` bytes, each cut behind a blank line, any line, or a document; one, or an error.

        A text that is not `of_lines` may have no line feeds but carriage returns.
        """
        with self.open() as file:
            if self.part is not None:
                file.seek(self.part.start)
            yield from self._blocks(file, size, cut_after, of_lines=of_lines)

    def _blocks(
        self, file: BinaryIO | HeadSample, size: int, cut_after: BlockEnd, *, of_lines: bool = True
    ) -> Iterator[Block]:
        find_cut = CUTS[cut_after]
        rest, is_empty = Rest(self, cut_after), True
        first_line = 1 if self.part is None else self.part.first_line
        more = self.read(file, max(size, len(_BYTE_ORDER_MARK)))
        more = more if self.begins_inside else self._begin(more)
        if of_lines and b"\n" not in more and b"\r" in more[:-1]:
            raise self.error(1, "lines end with CR alone", "save the file with the line ends LF or CRLF")
        while more:
            after = self.read(file, max(size, min(rest.size, _LARGEST_READ)))
            cut = find_cut(more) if after else len(more)
            if cut:
                block = self._block(rest.parts, more, cut, first_line)
                yield block
                first_line, is_empty = first_line + block.lines, False
                rest.begin(more[cut:])
            else:
                rest.add(more, first_line)
            more = after
        if is_empty:
            raise self.error(None, "the file is empty", "check how it was written")

    def _begin(self, data: bytes) -> bytes:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self.error(1, "the file is in UTF-16", "save it as UTF-8")
        for mark, (finding, remedy) in _OTHER_FILES.items():
            if data.startswith(mark):
                found = _zipped(data) if mark == _ZIP else finding
                raise self.error(None, f"the file is {found}, not text", remedy)
        return data.removeprefix(_BYTE_ORDER_MARK)

    def _block(self, rest: list[bytes], more: bytes, cut: int, first_line: int) -> Block:
        """`rest` and the first `cut` bytes of `more`, if they are text in UTF-8."""
        ending = b"" if more[cut - 1] == LINE_FEED else b"\n"
        data = b"".join((*rest, memoryview(more)[:cut], ending, PADDING))
        if not (data.isascii() or is_plainly_utf8(data)):
            data = self._valid(data, first_line)
        self.refuse_nul(data, len(data) - len(PADDING), first_line)
        if self.delimiter is not None:
            data = with_tabs(data, self.delimiter)
        return Block(data, len(data) - len(PADDING), first_line)

    def refuse_nul(self, data: bytes, size: int, first_line: int) -> None:
        """Raise an error where one of the first `size` bytes is NUL."""
        nul = data.find(b"\0", 0, size)
        if nul >= 0:
            line = first_line + data.count(b"\n", 0, nul)
            raise self.error(line, "found a NUL byte, so this is no text file", "check which file it is", "characters")

    def _valid(self, data: bytes, first_line: int) -> bytes:
        """The bytes, if they are UTF-8; where problems are collected, with marks for those that are not."""
        begin = 0
        while True:
            try:
                data[begin:].decode()
                return data.decode(errors="replace").encode() if begin else data
            except UnicodeDecodeError as error:
                place = begin + error.start
                finding = f"the byte 0x{data[place]:02x} is not valid UTF-8"
                line = first_line + data.count(b"\n", 0, place)
                self.report(line, finding, "save the file as UTF-8", "characters")
                begin = data.find(b"\n", place) + 1
