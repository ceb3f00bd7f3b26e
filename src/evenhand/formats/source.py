"""A file as blocks of checked bytes: whole sentences, valid UTF-8, with line numbers.

`Source.blocks()` is how every text format is read; `Source.head` keeps the first bytes for format detection. Observers
can follow how files are read; there are none by default, and the command line registers one to show progress.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from functools import cached_property, partial
from io import BufferedReader, FileIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np

from evenhand.data.annotation import Annotation
from evenhand.data.tokens import PADDING
from evenhand.dataclass import dataclass
from evenhand.errors import FILE, PIECE, InputError, LimitError, Problem, nearest
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

LINE_FEED = 10
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
BYTE_ORDER_MARK = "\ufeff"
_BYTE_ORDER_MARK = BYTE_ORDER_MARK.encode()
_LARGEST_READ = 1 << 20
_MAX_ENTRIES = 10_000
"""Maximum number of files of a folder whose names are compared with a missing one."""
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_BLANKS = re.compile(rb"[ \t]+")
_ZIP = b"PK\x03\x04"
_AS_TEXT = "export it as text: one token and its tag per line, with a tab between"
_OTHER_FILES = {
    _ZIP: ("a zip archive", "unpack it, or export the table as text with tabs"),
    b"PK\x05\x06": ("an empty zip archive", "check how it was written"),
    b"%PDF-": ("a PDF", _AS_TEXT),
    b"\xd0\xcf\x11\xe0": ("an old file of Word or Excel", _AS_TEXT),
    b"{\\rtf": ("rich text (RTF)", "save it as plain text in UTF-8"),
    b"\x93NUMPY": ("a NumPy array", "load it with numpy.load, and pass its rows to eh.tags(ids, names=…)"),
    **{
        b"\x80" + bytes([version]): ("a Python pickle", "load it in Python, and pass its lists to eh.tags or eh.spans")
        for version in range(2, 6)
    },
    b"SQLite format 3\0": ("an SQLite database", _AS_TEXT),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", "unpack it"),
    b"\x89HDF": ("an HDF5 file", _AS_TEXT),
    b"\x89PNG": ("an image", _AS_TEXT),
    b"\xff\xd8\xff": ("an image", _AS_TEXT),
}
"""Files that are not text: description and remedy by first bytes."""
_PARTS = {
    b"[Content_Types].xml": "a file of Word, Excel or PowerPoint",
    b"xl/": "an Excel workbook (xlsx)",
    b"word/": "a Word document (docx)",
    b"mimetypeapplication/vnd.oasis": "a file of LibreOffice or OpenOffice",
    b".npy": "NumPy arrays (npz)",
    b"data.pkl": "a file of PyTorch",
}
"""Contents of zip archives by the names of their first members; later entries are more specific."""


BlockEnd = Literal["blank line", "line", "document", "table"]


_TAIL = 1 << 14
"""Number of bytes at the end of a block in which there is nearly always a blank line."""


def _after_last_blank_line(data: bytes) -> int:
    # CRLF files have no "\n\n", so search the last bytes before the whole block.
    for start in (max(len(data) - _TAIL, 0), 0):
        for ending in (b"\n\n", b"\n\r\n"):
            offset = data.rfind(ending, start)
            if offset >= 0:
                return offset + len(ending)
    return max((match.end() for match in _BLANK_LINE.finditer(data)), default=0)


def _last_document(data: bytes) -> int:
    """Where the last document of a coreference file begins."""
    offset = data.rfind(b"\n#begin document")
    if offset >= 0:
        return offset + 1
    offset = max(data.rfind(b"\n# newdoc" + after) for after in (b" ", b"\n", b"\r"))
    return _after_last_blank_line(data[: offset + 1]) if offset >= 0 else 0


_BLOCK_ENDS: dict[BlockEnd, tuple[Callable[[bytes], int], str]] = {
    "blank line": (_after_last_blank_line, "a blank line"),
    "line": (lambda data: data.rfind(b"\n") + 1, "a line end"),
    "document": (_last_document, "a new document"),
    "table": (
        lambda data: max(data.rfind(b"\n# hipe2022:document_id"), data.rfind(b"\n# document")) + 1,  # of HIPE
        "a new document",
    ),
}
"""Functions that find the last offset at which bytes can be cut (0 if there is none), and what messages call it."""


def missing_file_remedy(path: AnyPath) -> str:
    """The remedy for a file that does not exist: the nearest name in its folder, if one is similar."""
    try:
        with os.scandir(path.parent if isinstance(path, Path) else "") as entries:
            names = [entry.name for entry in islice(entries, _MAX_ENTRIES)]
    except OSError:
        return "check the path"
    stem = nearest(path.stem, (Path(name).stem for name in names), 0.7)  # endings that all files share are not evidence
    near = None if stem is None else nearest(path.name, (name for name in names if Path(name).stem == stem), 0.0)
    return "check the path" if near is None else f"did you mean {path.with_name(near)}? Check the path"


class ReadObserver(Protocol):
    def on_detected(self, name: str, batch: Annotation) -> None:
        """Called with the first batch of a gold standard or system, which shows the format of its files."""

    def on_progress(self, file: Path, offset: int) -> None:
        """Called with the number of bytes read so far from a file, before decompression."""


_OBSERVER: ContextVar[ReadObserver | None] = ContextVar("observer", default=None)


@contextmanager
def observe_reading(observer: ReadObserver) -> Iterator[None]:
    """Register an observer of everything that is read."""
    token = _OBSERVER.set(observer)
    try:
        yield
    finally:
        _OBSERVER.reset(token)


def stop_observing() -> None:
    """Forget the observer, in a process that is a copy of another one."""
    _OBSERVER.set(None)


class _ObservedFile(FileIO):
    """A file that reports how far it has been read."""

    def __init__(self, path: Path, observer: ReadObserver) -> None:
        super().__init__(path)
        self._path, self._observer = path, observer

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._observer.on_progress(self._path, self.tell())
        return count


def notify_observers(name: str, batches: Iterator[Annotation]) -> Iterator[Annotation]:
    """Yield the batches, and show the first one to the observer."""
    is_first = True
    for batch in batches:
        observer = _OBSERVER.get()
        if is_first and observer is not None:
            observer.on_detected(name, batch)
        is_first = False
        yield batch
        del batch  # so it is freed before the next one is read


class FileHead:
    """The first bytes of a file, decompressed."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.data = b""
        self.is_read = self.is_whole = self.is_compressed = False


class _HeadReader:
    """Reads the head of a file, and opens the file itself only if more is needed."""

    def __init__(self, head: FileHead, open_file: Callable[[], BinaryIO]) -> None:
        self._head, self._open, self._offset = head, open_file, 0
        self._file: BinaryIO | None = None

    def tell(self) -> int:
        return self._offset

    def read(self, size: int) -> bytes:
        if self._offset < len(self._head.data) or self._head.is_whole:
            data = self._head.data[self._offset : self._offset + size]
            self._offset += len(data)
            return data
        if self._file is None:
            self._file = self._open()
            self._file.read(self._offset)
        return self._file.read(size)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


@dataclass(frozen=True, eq=False)
class Block:
    """Some lines of a file; `data` ends with a line feed and, after `size`, with padding."""

    data: bytes
    size: int
    first_line: int

    @cached_property
    def lines(self) -> int:
        return int(np.count_nonzero(np.frombuffer(self.data, dtype=np.uint8)[: self.size] == LINE_FEED))

    def has_lines(self, count: int) -> None:
        """Set the line count if the reader already knows it."""
        self.__dict__["lines"] = count


@dataclass(frozen=True)
class FilePart:
    """Whole lines of a file as a byte range. Unless they are the first, a sentence of their document precedes."""

    start: int
    end: int
    first_line: int


@dataclass(frozen=True)
class Source:
    """A file that a user named: maybe compressed, or `-` for standard input."""

    path: AnyPath
    problems: list[Problem] | None = None
    """Collects recoverable problems. If None, the first problem is raised."""
    delimiter: str | None = None
    """Separates columns instead of tabs; a blank means any run of blanks."""
    part: FilePart | None = None
    """The part to read, if not the whole file. Formats are always detected from the first lines of the file."""
    alias: str | None = None
    """The path as the user wrote it, if `path` is different."""
    _head: FileHead = field(default_factory=FileHead, compare=False, repr=False)

    @property
    def display_name(self) -> str:
        """Name in messages."""
        return self.alias or ("standard input" if self._is_standard_input else str(self.path))

    @property
    def name(self) -> str:
        """Name in results: the file name without its last extension and without the extension of a compression."""
        return "stdin" if self._is_standard_input else self.plain_path.stem

    @cached_property
    def suffix(self) -> str:
        return self.path.suffix

    @cached_property
    def plain_path(self) -> AnyPath:
        """The path without the extension of a compression."""
        return self.path.with_suffix("") if self.suffix in COMPRESSIONS else self.path

    @property
    def whole(self) -> Source:
        return self if self.part is None else replace(self, part=None)

    @property
    def head(self) -> FileHead:
        head = self._head
        if not head.is_read:
            file, head.is_compressed = self._open()
            with file:
                head.data = self.whole.read(file, SIZE)
            head.is_read, head.is_whole = True, len(head.data) < SIZE
        return head

    def forget(self) -> None:
        """Free the memory of the first bytes; they are read again if needed."""
        self._head.forget()

    @property
    def begins_inside(self) -> bool:
        """Whether reading begins after a sentence, whose document may continue."""
        return self.part is not None and self.part.start > 0

    @property
    def size(self) -> int:
        """Size in bytes; an assumed one if the file is not on this machine."""
        return self._status.st_size if self._status is not None and self.is_here else 1 << 20

    @property
    def is_plain(self) -> bool:
        """Whether reading can begin anywhere: the file is on this machine, and not compressed."""
        return self.is_here and not self.head.is_compressed

    @property
    def is_here(self) -> bool:
        """Whether it is a file on this machine, which can be read again."""
        return self._status is not None and stat.S_ISREG(self._status.st_mode) and not self._is_standard_input

    @cached_property
    def _status(self) -> os.stat_result | None:
        return status_at(self.path)

    @property
    def _is_standard_input(self) -> bool:
        return isinstance(self.path, Path) and str(self.path) == str(STANDARD_INPUT)

    def open(self) -> BinaryIO:
        """Open the file; its bytes are decompressed if needed."""
        return self._open()[0]

    def _open(self) -> tuple[BinaryIO, bool]:
        """Also return whether it is compressed, by its first bytes and not by its name."""
        try:
            file = self._open_raw()
            kind = compression(file)
        except FileNotFoundError:
            raise self.error(None, "there is no such file", missing_file_remedy(self.path)) from None
        except OSError as error:
            if isinstance(error, IsADirectoryError) or self.path.is_dir():  # Windows reports missing permissions
                raise self.error(None, "is a folder", "specify a file in it") from None
            reason = (error.strerror or "unknown reason").lower()
            raise self.error(None, f"cannot be opened ({reason})", "check the path and the permissions") from None
        return (file, False) if kind is None else (decompressed(file, kind, partial(self.error, None)), True)

    def _open_raw(self) -> BufferedReader:
        if not isinstance(self.path, Path):
            return self.path.open("rb")
        if not self.is_here and is_pipe(self.path):
            return open_pipe(self.path)
        observer = _OBSERVER.get()
        return self.path.open("rb") if observer is None else BufferedReader(_ObservedFile(self.path, observer))

    def read(self, file: BinaryIO | _HeadReader, size: int) -> bytes:
        """Read the next bytes of an open file, at most up to the end of the part."""
        if self.part is not None:
            size = max(min(size, self.part.end - file.tell()), 0)
        try:
            return file.read(size)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise self.error(None, f"cannot be read ({reason})", "check the file and the disk") from None

    def read_whole(self) -> bytes:
        """Return all bytes of a file, for formats that cannot be read in blocks."""
        if self.part is None and self.head.is_whole:
            self._check_size(self.head.data)
            return self.head.data
        data = bytearray()
        with self.open() as file:
            while block := self.read(file, _LARGEST_READ):
                data += block
                self._check_size(data)
        return bytes(data)

    def _check_size(self, data: bytes | bytearray) -> None:
        if len(data) > FILE.value:
            raise self.error(None, f"the file has more than {FILE.value:,} bytes, decompressed", FILE.remedy)

    def error(self, line: int | None, finding: str, remedy: str, kind: str = "format") -> InputError:
        return InputError(self.display_name, line, finding, remedy, kind)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the file to errors about limits."""
        try:
            yield
        except LimitError as error:
            raise self.error(error.line, error.finding, error.remedy) from None

    def report(self, line: int | None, finding: str, remedy: str, kind: str) -> None:
        """Raise a problem, or collect it if all problems are requested."""
        error = self.error(line, finding, remedy, kind)
        if self.problems is None:
            raise error
        self.problems.append(error.problem)

    def sample(self, size: int) -> Block:
        """Return the first block of the file, of about `size` bytes."""
        return next(self.first_blocks(size, cut_after="line"))

    def first_blocks(self, size: int, *, cut_after: BlockEnd = "blank line") -> Iterator[Block]:
        """Yield blocks from the beginning of the file. It is opened again only if the head is not enough."""
        return self.whole._blocks(_HeadReader(self.head, self.whole.open), size, cut_after)

    def blocks(self, size: int, *, cut_after: BlockEnd = "blank line", of_lines: bool = True) -> Iterator[Block]:
        """Yield blocks of about `size` bytes, each cut after a blank line, a line or a document; at least one.

        A text that is not `of_lines` may have carriage returns instead of line feeds.
        """
        with self.open() as file:
            if self.part is not None:
                file.seek(self.part.start)
            yield from self._blocks(file, size, cut_after, of_lines=of_lines)

    def _blocks(
        self, file: BinaryIO | _HeadReader, size: int, cut_after: BlockEnd, *, of_lines: bool = True
    ) -> Iterator[Block]:
        find_cut, end_name = _BLOCK_ENDS[cut_after]
        remainder, remainder_size, is_empty = list[bytes](), 0, True
        first_line = 1 if self.part is None else self.part.first_line
        data = self.read(file, max(size, len(_BYTE_ORDER_MARK)))
        data = data if self.begins_inside else self._begin(data)
        if of_lines and b"\n" not in data and b"\r" in data[:-1]:
            raise self.error(1, "lines end with CR alone", "save the file with the line ends LF or CRLF")
        while data:
            following = self.read(file, max(size, min(remainder_size, _LARGEST_READ)))
            cut = find_cut(data) if following else len(data)
            if cut:
                block = self._block(remainder, data, cut, first_line)
                yield block
                first_line, is_empty = first_line + block.lines, False
                remainder, remainder_size = [data[cut:]], len(data) - cut
            else:
                self._refuse_nul(data, len(data), first_line)
                remainder.append(data)
                remainder_size += len(data)
                if remainder_size > PIECE.value:
                    finding = f"found more than {PIECE.value:,} bytes without {end_name}"
                    raise self.error(first_line, finding, PIECE.remedy)
            data = following
        if is_empty:
            raise self.error(None, "the file is empty", "check how it was written")

    def _begin(self, data: bytes) -> bytes:
        """Refuse files that are not text, and remove a byte order mark."""
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self.error(1, "the file is in UTF-16", "save it as UTF-8")
        for mark, (description, remedy) in _OTHER_FILES.items():
            if data.startswith(mark):
                if mark == _ZIP:
                    description = next((name for part, name in reversed(_PARTS.items()) if part in data), description)
                raise self.error(None, f"the file is {description}, not text", remedy)
        return data.removeprefix(_BYTE_ORDER_MARK)

    def _block(self, remainder: list[bytes], data: bytes, cut: int, first_line: int) -> Block:
        """Return a block of `remainder` and the first `cut` bytes of `data`, if they are text in UTF-8."""
        data = b"".join((*remainder, memoryview(data)[:cut], b"" if data[cut - 1] == LINE_FEED else b"\n", PADDING))
        if not (data.isascii() or is_plainly_utf8(data)):
            data = self._decodable(data, first_line)
        self._refuse_nul(data, len(data) - len(PADDING), first_line)
        if self.delimiter is not None and self.delimiter.strip(" \t"):
            data = b"\t".join(part.replace(b"\t", b" ") for part in data.split(self.delimiter.encode()))
        elif self.delimiter is not None:
            data = _BLANKS.sub(b"\t", data)
        return Block(data, len(data) - len(PADDING), first_line)

    def _refuse_nul(self, data: bytes, size: int, first_line: int) -> None:
        nul = data.find(b"\0", 0, size)
        if nul >= 0:
            line, finding = first_line + data.count(b"\n", 0, nul), "found a NUL byte, so this is not a text file"
            raise self.error(line, finding, "check which file it is", "characters")

    def _decodable(self, data: bytes, first_line: int) -> bytes:
        """Return bytes that are UTF-8; invalid ones are reported and replaced."""
        begin = 0
        while True:
            try:
                data[begin:].decode()
                return data.decode(errors="replace").encode() if begin else data
            except UnicodeDecodeError as error:
                offset = begin + error.start
                finding = f"the byte 0x{data[offset]:02x} is not valid UTF-8"
                self.report(first_line + data.count(b"\n", 0, offset), finding, "save the file as UTF-8", "characters")
                begin = data.find(b"\n", offset) + 1


_INVALID_FIRST, _RESTRICTED_FIRST = (b"\xc0", b"\xc1"), (b"\xe0", b"\xed")
"""Bytes that cannot begin a character, and first bytes of three that restrict their second byte."""
_TWO, _THREE, _FOUR = 0xC0, 0xE0, 0xF0
"""The smallest first bytes of characters with two, three and four bytes."""
_LAST_CONTINUATION = -0x41
"""The largest continuation byte as a signed number; continuation bytes are the smallest signed numbers."""


def is_plainly_utf8(data: bytes) -> bool:
    """Return whether bytes that end with ASCII are certainly UTF-8, with characters of up to three bytes.

    The test is vectorised: a byte continues a character if, and only if, the byte before it is a first byte, or the
    byte before that is a first byte of three. False is inconclusive: some characters are left to a decoder.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    largest = int(text.max())
    excluded = _INVALID_FIRST if largest < _THREE else _INVALID_FIRST + _RESTRICTED_FIRST
    if largest >= _FOUR or any(byte in data for byte in excluded):
        return False
    continues, mismatch = text.view(np.int8) <= _LAST_CONTINUATION, text[:-1] >= _TWO
    if largest >= _THREE:
        mismatch[1:] |= text[:-2] >= _THREE
    mismatch ^= continues[1:]
    return not (continues[0] or mismatch.any())


def whole_text(source: Source) -> str:
    """The text of a file, which may be empty (an answer, a document without spans), unlike the blocks of a file."""
    return whole_data(source).decode()


def whole_data(source: Source) -> bytes:
    """The same as UTF-8 bytes, without a byte order mark."""
    data = source.read_whole()
    if data in (b"", codecs.BOM_UTF8):
        return b""
    if source.delimiter is None and b"\0" not in data and _is_utf8(data):
        return data.removeprefix(codecs.BOM_UTF8)
    text = b"".join(block.data[: block.size] for block in source.blocks(len(data), cut_after="line", of_lines=False))
    return text if data.endswith(b"\n") else text[:-1]


def _is_utf8(data: bytes) -> bool:
    # Fewer bytes than this are decoded faster than checked.
    if data.isascii() or (len(data) > 1 << 12 and data[-1:].isascii() and is_plainly_utf8(data)):
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
