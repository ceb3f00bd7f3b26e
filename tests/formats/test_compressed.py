"""Damaged compressed files: one sentence, whichever byte is wrong, and no text is lost silently."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from conftest import zstd_module

TEXT = b"Ada\tB-PER\nLovelace\tI-PER\nlived\tO\n\nin\tO\nLondon\tB-LOC\n\n" * 20
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: bytes(zstd_module().compress(data)),
}


def compressed(kind: str) -> bytes:
    return COMPRESS[kind](TEXT)


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


@pytest.mark.parametrize("kind", COMPRESS)
def test_every_flipped_bit(tmp_path: Path, kind: str) -> None:
    data, path = compressed(kind), tmp_path / f"gold.conll.{kind}"
    broken = 0
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        broken += "the compressed file is broken" in (finding(path, bytes(flipped)) or "")
    # zstd writes no checksum by default, so that a wrong letter is a letter.
    assert broken > (0.2 if kind == "zst" else 0.8) * 8 * len(data)


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
