"""Files as they come: compressed, from standard input, in folders."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ZSTD, zstd_module
from evenhand.data.tokens import PADDING
from evenhand.formats.source import Source, is_plainly_utf8

TEXT = b"Ada B-PER\nsees O\n\nBo B-PER\n"


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compressed_files_are_recognised_by_their_content(tmp_path: Path, suffix: str, compress) -> None:
    path, other = tmp_path / f"gold.conll.{suffix}", tmp_path / "no-suffix"
    for each in (path, other):
        each.write_bytes(compress(TEXT * 20_000))
        assert len(eh.read(each).spans()) == 40_000
    assert eh.read(path).name == "gold"


def test_zstd_is_in_the_standard_library_or_an_extra(tmp_path: Path) -> None:
    zstd = zstd_module()
    path = tmp_path / "gold.conll.zst"
    path.write_bytes(zstd.compress(TEXT))
    assert len(eh.read(path).spans()) == 2


def test_zstd_of_the_standard_library_is_used_where_it_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Python 3.14, for which there is no `backports.zstd`."""
    zstd = zstd_module()
    path = tmp_path / "gold.conll.zst"
    path.write_bytes(zstd.compress(TEXT))
    monkeypatch.setitem(sys.modules, "compression", ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", zstd)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    assert len(eh.read(path).spans()) == 2


def test_zstd_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gold.conll.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\0\0")
    for module in ZSTD:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(sys, "version_info", (3, 13))
    with pytest.raises(eh.InputError, match=r"zstd, which is not installed; run: pip install 'evenhand\[zstd\]'"):
        eh.read(path)
    monkeypatch.setattr(sys, "version_info", (3, 14))  # no package helps
    with pytest.raises(eh.InputError, match="with zstd, which this Python does not support; decompress the file"):
        eh.read(path)


def test_a_python_without_bzip2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gold.conll.bz2"
    path.write_bytes(bz2.compress(TEXT))
    monkeypatch.setitem(sys.modules, "bz2", None)
    with pytest.raises(eh.InputError, match="with bzip2, which this Python does not support; decompress the file"):
        eh.read(path)


def test_a_broken_archive(tmp_path: Path) -> None:
    path = tmp_path / "gold.conll.gz"
    path.write_bytes(gzip.compress(TEXT * 1000)[:-20])
    with pytest.raises(eh.InputError, match=r"gold\.conll\.gz: the compressed file is broken"):
        eh.read(path)


def test_standard_input(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_bytes(TEXT)
    command = [
        Path(sys.executable).with_name("evenhand"),
        "score",
        gold,
        "-",
        "--match",
        "exact",
        "--as",
        "value",
        "-q",
    ]
    for content in (TEXT, gzip.compress(TEXT)):
        done = subprocess.run(command, input=content, capture_output=True, check=True)
        assert done.stdout == b"1.0\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for name in ("b.conll", "a.conll"):
            (tmp_path / side / name).write_bytes(TEXT.replace(b"Ada", name.encode()))
    return tmp_path / "gold", tmp_path / "system"


def test_folders_with_the_same_file_names_are_one_text(folders: tuple[Path, Path]) -> None:
    result = eh.score(*folders)
    assert (result.name, result.gold.name, result.gold.documents, result.gold.units) == ("system", "gold", 2, 4)
    assert eh.score(str(folders[0] / "*.conll"), str(folders[1] / "*.conll"))["exact"].f1 == 1.0


def test_folders_must_have_the_same_file_names(folders: tuple[Path, Path]) -> None:
    (folders[1] / "a.conll").rename(folders[1] / "c.conll")
    with pytest.raises(eh.InputError, match=r"lacks the file 'a\.conll', which .*gold has; both sides must have files"):
        eh.score(*folders)


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(eh.InputError, match="contains no file; check the path"):
        eh.read(tmp_path / "empty")


# Bytes that are UTF-8, told without a decoder


PIECES = [bytes([byte]) for byte in (0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xFF)]
CHARACTERS = [text.encode() for text in ("a", "é", "ß", "€", "北", "\ufeff")]


@given(st.lists(st.sampled_from(PIECES + CHARACTERS), max_size=8))
def test_what_is_not_utf8_is_never_taken_for_it(pieces: list[bytes]) -> None:
    data = b"".join(pieces) + PADDING
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_plainly_utf8(data)


@given(st.lists(st.sampled_from(CHARACTERS), max_size=30))
def test_characters_of_up_to_three_bytes_are_told(characters: list[bytes]) -> None:
    assert is_plainly_utf8(b"".join(characters) + PADDING)


@pytest.mark.parametrize("text", ["😀", "ไทย", "퟿"])
def test_other_characters_are_left_to_a_decoder(text: str) -> None:
    assert not is_plainly_utf8(text.encode() + PADDING)


# Damaged compressed files: one sentence, whichever byte is wrong, and no text is lost silently


TEXT_COMPRESSED = b"Ada\tB-PER\nLovelace\tI-PER\nlived\tO\n\nin\tO\nLondon\tB-LOC\n\n" * 20
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: bytes(zstd_module().compress(data)),
}


def compressed(kind: str) -> bytes:
    return COMPRESS[kind](TEXT_COMPRESSED)


def finding(path: Path, data: bytes) -> str | None:
    """The sentence that comes of a file, if one does."""
    path.write_bytes(data)
    try:
        eh.read(path)
    except eh.EvenhandError as error:
        return str(error).removeprefix(str(path))
    return None


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_file_that_is_cut_anywhere(tmp_path: Path, kind: str) -> None:
    data, path = compressed(kind), tmp_path / f"gold.conll.{kind}"
    sentences = {finding(path, data[:size]) for size in range(6, len(data))}
    assert sentences == {": the compressed file is broken (it ends too early); write it again."}


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", COMPRESS)
def test_flipped_bits(tmp_path: Path, kind: str, step: int) -> None:
    data, path = compressed(kind), tmp_path / f"gold.conll.{kind}"
    broken = 0
    bits = range(0, 8 * len(data), step)
    for bit in bits:
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        broken += "the compressed file is broken" in (finding(path, bytes(flipped)) or "")
    # zstd writes no checksum by default, so that a wrong letter is a letter.
    assert broken > (0.2 if kind == "zst" else 0.8) * len(bits)


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("more", [b"g", b"garbage behind the end", b"\0\0\0\0garbage"])
def test_garbage_behind_the_end(tmp_path: Path, kind: str, more: bytes) -> None:
    sentence = finding(tmp_path / f"gold.conll.{kind}", compressed(kind) + more)
    assert sentence is not None
    assert sentence.startswith(": the compressed file is broken (")


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("zeros", [0, 512])
def test_several_parts_and_zeros_behind_them(tmp_path: Path, kind: str, zeros: int) -> None:
    path = tmp_path / f"gold.conll.{kind}"
    path.write_bytes(2 * compressed(kind) + bytes(zeros))
    assert eh.read(path).corpus.token_count == 200


def test_a_folder_that_windows_reports_as_not_permitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(eh.InputError, match="is a folder; specify a file in it"):
        Source(tmp_path).open()
    (tmp_path / "gold.conll").touch()
    with pytest.raises(eh.InputError, match=r"cannot be opened \(permission denied\)"):
        Source(tmp_path / "gold.conll").open()
