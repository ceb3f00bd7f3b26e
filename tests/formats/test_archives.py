"""Archives of submissions: read in memory, and refused if they could do harm."""

from __future__ import annotations

import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import zstd_module
from evenhand.formats import archives
from evenhand.formats.archives import Member
from evenhand.formats.storage import to_path
from evenhand.pipeline.inputs import unique_names

GOLD = "Ada B-PER\nsees O\nBo B-PER\n"
SYSTEM = "Ada B-PER\nsees O\nBo O\n"


def make_zip(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name, text)
    return path


def make_tar(path: Path, mode: str, members: dict[str, str]) -> Path:
    with tarfile.open(path, mode) as file:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            file.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "mode"), [("a.tar", "w"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz")]
)
def test_tar_archives_are_read_like_files(folder: Path, name: str, mode: str) -> None:
    make_tar(folder / name, mode, {"test.conll": SYSTEM})
    assert eh.score("gold.conll", [name])["a"]["exact"].f1 == pytest.approx(2 / 3)
    assert eh.score("gold.conll", f"{name}!/test.conll")["exact"].f1 == pytest.approx(2 / 3)


def test_tar_of_zstd(folder: Path) -> None:
    zstd = zstd_module()
    plain = make_tar(folder / "plain.tar", "w", {"first.conll": GOLD, "test.conll": SYSTEM})
    Path("a.tar.zst").write_bytes(zstd.compress(plain.read_bytes()))
    assert eh.score("gold.conll", "a.tar.zst!/test.conll")["exact"].f1 == pytest.approx(2 / 3)


def test_zip_archives_are_named_after_their_files(folder: Path) -> None:
    for team in "ab":
        make_zip(folder / f"{team}.zip", **{"test.conll": SYSTEM})
    assert list(eh.score("gold.conll", ["a.zip", "b.zip"])) == ["a", "b"]
    assert unique_names([to_path("a.zip!/test.conll"), Path("sub/b/test.conll")]) == ["a", "sub/b"]


def test_a_top_level_folder_and_files_of_operating_systems_are_left_out(folder: Path) -> None:
    others = {"__MACOSX/run/._test.conll": "?", "run/.DS_Store": "?", "run/Thumbs.db": "?", "run/.git/x.conll": "?"}
    path = make_zip(folder / "a.zip", **{"run/de/test.conll": SYSTEM, "run/en/test.conll": SYSTEM}, **others)
    assert [str(file) for file in Member(str(path)).files()] == [f"{path}!/de/test.conll", f"{path}!/en/test.conll"]


def test_an_archive_of_a_folder_is_matched_by_names(folder: Path) -> None:
    Path("gold").mkdir()
    for name in ("1.conll", "2.conll"):
        (folder / "gold" / name).write_text(GOLD)
    make_zip(folder / "a.zip", **{"run/1.conll": SYSTEM, "run/2.conll": GOLD})
    assert eh.score("gold", "a.zip")["exact"].f1 == pytest.approx(6 / 7)


def test_two_files_for_one_gold_standard(folder: Path) -> None:
    make_zip(folder / "a.zip", **{"x/test.conll": SYSTEM, "y/test.conll": SYSTEM})
    with pytest.raises(
        eh.InputError, match=r"^a\.zip: expected one file, got x/test\.conll and y/test\.conll\. Keep only one\.$"
    ):
        eh.score("gold.conll", "a.zip")


def test_nothing_is_unpacked_to_disk(folder: Path) -> None:
    """Python reports every file that is opened; none is opened to be written."""
    make_zip(folder / "a.zip", **{"test.conll": SYSTEM})
    make_tar(folder / "b.tgz", "w:gz", {"test.conll": SYSTEM})
    written, is_watching = [], True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:  # an audit hook cannot be removed
        is_write = is_watching and event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if is_write and "__pycache__" not in str(arguments[0]):
            written.append(arguments[0])

    sys.addaudithook(watch)
    before = sorted(folder.rglob("*"))
    eh.score("gold.conll", ["a.zip", "b.tgz"])
    assert (sorted(folder.rglob("*")), written) == (before, [])
    (folder / "seen").write_text("")
    is_watching = False
    assert written == [str(folder / "seen")]  # the watch works


def tar_with(info: tarfile.TarInfo) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        with tarfile.open(folder / "a.tar", "w") as file:
            file.addfile(info)
        return folder / "a.tar"

    return make


def tar_info(name: str, type: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = type, target
    return info


def zip_link(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as file:
        info = zipfile.ZipInfo("test.conll")
        info.external_attr = 0o120777 << 16
        file.writestr(info, "/etc/passwd")
    return folder / "a.zip"


def encrypted_zip(folder: Path) -> Path:
    path = make_zip(folder / "a.zip", **{"test.conll": SYSTEM})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)
    return path


def bomb_of_tar(folder: Path) -> Path:
    return make_tar(folder / "a.tgz", "w:gz", {"test.conll": "O" * 60_000_000})


def twice(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as file:
        file.writestr("test.conll", SYSTEM)
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("test.conll", GOLD)
    return folder / "a.zip"


def broken(folder: Path) -> Path:
    path = make_zip(folder / "a.zip", **{"test.conll": SYSTEM})
    path.write_bytes(path.read_bytes()[:-30])
    return path


def cut(folder: Path) -> Path:
    path = make_tar(folder / "a.tgz", "w:gz", {"test.conll": "".join(f"{n} O\n" for n in range(9999))})
    path.write_bytes(path.read_bytes()[:-500])
    return path


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "parent": (
        lambda path: make_zip(path / "a.zip", **{"../x.conll": SYSTEM}),
        "'../x.conll' points outside the archive",
    ),
    "inner parent": (
        lambda path: make_zip(path / "a.zip", **{"a/../../x.conll": SYSTEM}),
        "points outside the archive",
    ),
    "absolute": (
        lambda path: make_zip(path / "a.zip", **{"/tmp/x.conll": SYSTEM}),
        "'/tmp/x.conll' points outside the archive",
    ),
    "drive": (lambda path: make_zip(path / "a.zip", **{"C:\\x.conll": SYSTEM}), "points outside the archive"),
    "backslashes": (lambda path: make_zip(path / "a.zip", **{"..\\x.conll": SYSTEM}), "points outside the archive"),
    "parent in a tar": (
        lambda path: make_tar(path / "a.tar", "w", {"../x": SYSTEM}),
        "'../x' points outside the archive",
    ),
    "absolute in a tar": (
        lambda path: make_tar(path / "a.tar", "w", {"/x": SYSTEM}),
        "'/x' points outside the archive",
    ),
    "ignored and leaving": (
        lambda path: make_zip(path / "a.zip", **{"__MACOSX/../../x": ""}),
        "points outside the archive",
    ),
    "link in a zip": (zip_link, "the member 'test.conll' is a link"),
    "symbolic link": (tar_with(tar_info("x.conll", tarfile.SYMTYPE, "/etc/passwd")), "the member 'x.conll' is a link"),
    "hard link": (tar_with(tar_info("x.conll", tarfile.LNKTYPE, "y.conll")), "the member 'x.conll' is a link"),
    "device": (tar_with(tar_info("x.conll", tarfile.CHRTYPE)), "the member 'x.conll' is not a regular file"),
    "pipe": (tar_with(tar_info("x.conll", tarfile.FIFOTYPE)), "the member 'x.conll' is not a regular file"),
    "nested zip": (lambda path: make_zip(path / "a.zip", **{"run/b.zip": "?"}), "'run/b.zip' is an archive or a"),
    "nested tar": (lambda path: make_zip(path / "a.zip", **{"b.tar": "?"}), "'b.tar' is an archive or a"),
    "nested gz": (lambda path: make_tar(path / "a.tar", "w", {"b.conll.gz": "?"}), "'b.conll.gz' is an archive or a"),
    "bomb": (
        lambda path: make_zip(path / "a.zip", **{"x.conll": "O" * 9_000_000}),
        "unpacks to more than 100 times its size",
    ),
    "bomb of tar": (bomb_of_tar, "unpacks to more than 100 times its size"),
    "encrypted": (encrypted_zip, "the member 'test.conll' is encrypted"),
    "twice": (twice, "has two members 'test.conll'"),
    "empty": (lambda path: make_zip(path / "a.zip"), "contains no file"),
    "only ignored": (lambda path: make_zip(path / "a.zip", **{".DS_Store": "?"}), "contains no file"),
    "broken": (broken, "the archive is broken"),
    "cut": (cut, "the compressed file is broken"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_archives(folder: Path, case: str) -> None:
    make, finding = REFUSED[case]
    path = make(folder)
    with pytest.raises(eh.InputError) as caught:
        eh.score("gold.conll", [path.name])
    assert str(caught.value).startswith(f"{path.name}: ")
    assert finding in str(caught.value)
    assert sorted(file.name for file in folder.iterdir()) == sorted(["gold.conll", path.name])


def test_more_than_10_000_members(folder: Path) -> None:
    for path in (
        make_zip(folder / "a.zip", **{f"{number}.conll": "" for number in range(10_001)}),
        make_tar(folder / "a.tgz", "w:gz", {f"{number}.conll": "" for number in range(10_001)}),
    ):
        with pytest.raises(eh.InputError, match="has more than 10,000 members"):
            eh.score("gold.conll", [path])


def test_more_than_4_gb(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes are those of the list of members, so nothing is read."""
    assert archives.MAX_BYTES == 4 << 30
    monkeypatch.setattr(archives, "MAX_BYTES", 100)
    files = {"1.conll": SYSTEM * 3, "2.conll": GOLD * 3}
    for path in (make_zip(folder / "a.zip", **files), make_tar(folder / "a.tar", "w", files)):
        with pytest.raises(eh.InputError, match="unpacks to more than 4 GB"):
            eh.score("gold.conll", [path])


def test_a_zip_that_understates_its_size(folder: Path) -> None:
    path = make_zip(folder / "a.zip", **{"test.conll": SYSTEM * 1000})
    data, size = bytearray(path.read_bytes()), len(SYSTEM * 1000).to_bytes(4, "little")
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + offset
        assert data[at : at + 4] == size
        data[at : at + 4] = len(SYSTEM).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(eh.InputError, match=r"^a\.zip: the archive is broken \(bad crc-32"):
        eh.score("gold.conll", [path.name])


@pytest.mark.parametrize(
    "data",
    [b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"\0" * 257 + b"ustar"],
)
def test_archives_in_archives_under_another_name(folder: Path, data: bytes) -> None:
    with zipfile.ZipFile("a.zip", "w") as file:
        file.writestr("test.conll", data + bytes(300))
    with pytest.raises(
        eh.InputError, match=r"^a\.zip: the member 'test\.conll' is an archive or a compressed file itself"
    ):
        eh.score("gold.conll", ["a.zip"])


def test_a_folder_of_folders_and_archives_has_submissions(folder: Path) -> None:
    for team, run in (("ann", "run1"), ("ann", "run2"), ("bo", "run1")):
        (folder / "sub" / team / run).mkdir(parents=True)
        (folder / "sub" / team / run / "test.conll").write_text(SYSTEM)
    make_zip(folder / "sub" / "cy.zip", **{"out/test.conll": GOLD})
    assert list(eh.rank("gold.conll", "sub", resamples=0).systems) == ["cy", "ann/run1", "ann/run2", "bo/run1"]
    assert list(eh.score("gold.conll", "sub")) == ["ann/run1", "ann/run2", "bo/run1", "cy"]


def test_a_file_that_is_listed_twice(folder: Path) -> None:
    (folder / "a.conll").write_text(SYSTEM)
    assert list(eh.score("gold.conll", ["a.conll", "a.conll"])) == ["a", "a (2)"]


@pytest.mark.parametrize("name", ["a.zip!\\run\\test.conll", "a.zip!/run/test.conll"])
def test_members_are_named_with_backslashes_on_windows(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_zip(folder / "a.zip", **{"run/test.conll": SYSTEM, "other.conll": GOLD})
    monkeypatch.setattr(os, "sep", "\\")
    member = to_path(name)
    assert isinstance(member, Member)
    assert (member.text, member.name, member.read_bytes()) == ("a.zip!/run/test.conll", "test.conll", SYSTEM.encode())


def make(path: Path, **members: str) -> Path:
    return make_zip(path, **members) if path.suffix == ".zip" else make_tar(path, "w", members)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The files that are opened."""
    files, real = list[Any](), io.open

    def watched(*arguments: Any, **options: Any) -> Any:
        files.append(real(*arguments, **options))
        return files[-1]

    monkeypatch.setattr(io, "open", watched)
    return files


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_archives_are_closed_after_errors(folder: Path, opened: list[Any], name: str) -> None:
    """Windows does not replace or remove open files."""
    make(folder / name, **{"fine": GOLD, "../outside": SYSTEM})
    with pytest.raises(eh.InputError, match="points outside the archive") as raised:
        to_path(f"{name}!/fine").read_bytes()
    assert raised.tb is not None  # it holds what is suspended
    assert opened
    assert all(file.closed for file in opened)


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_archives_are_closed_after_reading(folder: Path, opened: list[Any], name: str) -> None:
    make(folder / name, fine=GOLD)
    with to_path(f"{name}!/fine").open("rb") as file:
        assert file.read() == GOLD.encode()
    assert opened
    assert all(file.closed for file in opened)
