"""Addresses, which fsspec opens: they are read as local files are."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import evenhand as eh
from evenhand.formats.paths import check_output_not_input
from evenhand.formats.storage import Address, beside, to_path

TEXT = b"Ada B-PER\nsees O\n\nBo B-PER\n"


@pytest.fixture
def memory() -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is an extra: pip install evenhand[remote]")
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield files
    files.store.clear()


def test_parts_of_addresses() -> None:
    address = Address("s3://bucket/gold/a.conll.gz")
    assert (address.name, address.stem, address.suffix) == ("a.conll.gz", "a.conll", ".gz")
    assert address.suffixes == [".conll", ".gz"]
    assert address.parent == Address("s3://bucket/gold")
    assert address.parent / "b.conll" == Address("s3://bucket/gold/b.conll")
    assert address.with_suffix("") == Address("s3://bucket/gold/a.conll")
    assert os.fspath(address) == "s3://bucket/gold/a.conll.gz"
    assert pickle.loads(pickle.dumps(address)) == address


@pytest.mark.parametrize(
    ("text", "name", "parent"),
    [
        ("https://host/x/gold.conll?token=1", "gold.conll", "https://host/x?token=1"),
        ("simplecache::s3://bucket/gold.conll", "gold.conll", "simplecache::s3://bucket"),
        ("zip://x/gold.conll::https://host/a.zip", "gold.conll", "zip://x::https://host/a.zip"),
        ("file:///gold.conll", "gold.conll", "file:///"),
        ("memory://gold.conll", "gold.conll", "memory://"),
    ],
)
def test_queries_and_chains(text: str, name: str, parent: str) -> None:
    assert (Address(text).name, os.fspath(Address(text).parent)) == (name, parent)


def test_passwords_and_queries_are_not_shown() -> None:
    assert str(Address("ftp://ada:secret@host/gold.conll")) == "ftp://…@host/gold.conll"
    assert str(Address("https://host/gold.conll?signature=secret")) == "https://host/gold.conll?…"


def test_what_is_an_address() -> None:
    assert to_path("s3://bucket/x") == Address("s3://bucket/x")
    for text in ("gold.conll", "-", "a:b/c", "C:\\gold.conll", "/a//b"):
        assert to_path(text) == Path(text)
    assert beside(Path("lists/pairs.tsv"), "gold.conll") == Path("lists/gold.conll")
    assert beside(Address("s3://b/pairs.tsv"), "gold.conll") == Address("s3://b/gold.conll")
    assert beside(Path("pairs.tsv"), "s3://b/gold.conll") == Address("s3://b/gold.conll")


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_maybe_compressed(memory: Any, compress: Any) -> None:
    memory.pipe("/x/gold.conll", compress(TEXT * 20_000))
    found = eh.read("memory://x/gold.conll")
    assert (found.name, len(found.spans())) == ("gold", 40_000)


def test_a_broken_archive(memory: Any) -> None:
    memory.pipe("/gold.conll.gz", gzip.compress(TEXT * 1000)[:-20])
    with pytest.raises(eh.InputError, match=r"memory://gold\.conll\.gz: the compressed file is broken"):
        eh.read("memory://gold.conll.gz")


def test_folders_and_patterns(memory: Any) -> None:
    for side in ("gold", "crf"):
        for name in ("b.conll", "a.conll", ".hidden"):
            memory.pipe(f"/{side}/{name}", TEXT)
    result = eh.score("memory://gold", "memory://crf")
    assert (result.name, result.gold.name, result.gold.documents, result.gold.units) == ("crf", "gold", 2, 4)
    assert eh.score("memory://gold/*.conll", "memory://crf/?.conll").gold.documents == 2
    memory.rm("/crf/a.conll")
    with pytest.raises(eh.InputError, match=r"memory://crf: lacks the file 'a\.conll', which memory://gold has"):
        eh.score("memory://gold", "memory://crf")
    with pytest.raises(eh.InputError, match="contains no file"):
        eh.read("memory://gold/*.nothing")


def test_a_pair_of_brat_files(memory: Any) -> None:
    memory.pipe("/brat/1.txt", b"Ada sees Bo")
    memory.pipe("/brat/1.ann", b"T1\tPER 0 3\tAda\n")
    assert len(eh.read("memory://brat").spans()) == len(eh.read("memory://brat/1.txt").spans()) == 1


def test_no_such_file(memory: Any) -> None:
    with pytest.raises(eh.InputError, match=r"^memory://gold.conll: there is no such file; check the path\.$"):
        eh.read("memory://gold.conll")


def test_what_a_file_system_raises_is_one_sentence(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class NetworkError(Exception):
        pass

    def fail(*_: object, **__: object) -> None:
        raise NetworkError("no route to host.\nand more")

    monkeypatch.setattr(type(memory), "isdir", fail)
    sentence = (
        "memory://gold.conll: cannot be read (no route to host); check the address, the network and your permissions."
    )
    with pytest.raises(eh.InputError) as found:
        eh.read("memory://gold.conll")
    assert str(found.value) == sentence


def test_protocols_that_are_not_there() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(eh.InputError, match=r"nowhere://x: cannot be read \(Protocol not known: nowhere"):
        eh.read("nowhere://x")


def test_protocols_that_take_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(eh.InputError, match="s3:// need a package that is not installed; run: pip install s3fs"):
        eh.read("s3://bucket/gold.conll")


def test_fsspec_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(eh.InputError, match=r"fsspec, which is not installed; run: pip install evenhand\[remote\]"):
        eh.read("s3://bucket/gold.conll")


def test_the_command_line_keeps_slashes(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    for name in ("gold", "system"):
        (tmp_path / f"{name}.conll").write_bytes(TEXT)
    command = [
        Path(sys.executable).with_name("evenhand"),
        "score",
        f"file://{tmp_path}/gold.conll",
        f"file://{tmp_path}/system.conll",
        "--match",
        "exact",
        "--as",
        "value",
    ]
    done = subprocess.run([*command, "-q"], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0\n"


class Quiet(SimpleHTTPRequestHandler):
    """A server that gives whole files only, as Python's does, and says nothing."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("aiohttp", reason="the web is an extra: pip install evenhand[remote]")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_web(server: str, tmp_path: Path) -> None:
    (tmp_path / "gold.conll.gz").write_bytes(gzip.compress(TEXT * 50_000, compresslevel=0))
    found = eh.read(f"{server}/gold.conll.gz?query=1")
    assert (found.name, len(found.spans())) == ("gold", 100_000)
    with pytest.raises(eh.InputError, match=rf"^{server}/other.conll: there is no such file; check the path\.$"):
        eh.read(f"{server}/other.conll")


# Windows, simulated


def test_a_drive_is_not_a_protocol() -> None:
    assert to_path("C://gold.conll") == Path("C:/gold.conll")
    assert to_path("C:\\data\\gold.conll") == Path("C:\\data\\gold.conll")


def test_an_address_with_a_drive_is_the_file_on_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("C:").mkdir()
    Path("C:/gold.conll").write_bytes(TEXT)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(eh.InputError, match="is one of the input files"):
        check_output_not_input("C:/gold.conll", [Address("file:///C:/gold.conll")])


@pytest.mark.parametrize("number", [123, 1921])
def test_names_that_windows_refuses_are_missing_files(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as patterns, which Windows's command line does not resolve."""

    def refuse(path: Any, *_: Any, **__: Any) -> None:
        error = OSError(errno.EINVAL, "The filename, directory name, or volume label syntax is incorrect")
        error.winerror = number  # type: ignore[attr-defined,unused-ignore]
        raise error

    with monkeypatch.context() as windows:
        windows.setattr(os, "stat", refuse)
        path = to_path("parts/*.conll")
    assert path == Path("parts/*.conll")
