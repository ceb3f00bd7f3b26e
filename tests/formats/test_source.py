"""Files as they come: compressed, from standard input, in folders."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import evenhand as eh
from conftest import ZSTD, zstd_module

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
    with pytest.raises(eh.InputError, match="with zstd, which this Python was built without; decompress the file"):
        eh.read(path)


def test_a_python_without_bzip2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gold.conll.bz2"
    path.write_bytes(bz2.compress(TEXT))
    monkeypatch.setitem(sys.modules, "bz2", None)
    with pytest.raises(eh.InputError, match="with bzip2, which this Python was built without; decompress the file"):
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
    with pytest.raises(
        eh.InputError, match=r"there is no file 'a\.conll', which .*gold has; both sides must have files"
    ):
        eh.score(*folders)


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(eh.InputError, match="there is no file in it; check the path"):
        eh.read(tmp_path / "empty")
