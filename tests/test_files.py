"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from conftest import has_full_device, posix
from evenhand import files
from evenhand.errors import InputError
from evenhand.files import RESERVED, check_target, is_unread, refusal, whole_file, whole_folder, write_file


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def stopped(path: Path, stop: BaseException) -> None:
    with whole_file(path) as file:
        file.write(b"half of")
        raise stop


def stopped_folder(path: Path, stop: BaseException) -> None:
    with whole_folder(path) as write:
        write("1.txt", "new")
        raise stop


def fill(path: str) -> None:
    with whole_file(path) as file:
        for _ in range(100):
            file.write(b"x" * 10_000)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_text_is_utf8_and_bytes_are_bytes(tmp_path: Path) -> None:
    write_file(tmp_path / "text", "Zoë\n")
    write_file(str(tmp_path / "bytes"), b"\xff")
    assert (tmp_path / "text").read_bytes() == b"Zo\xc3\xab\n"
    assert (tmp_path / "bytes").read_bytes() == b"\xff"
    assert names(tmp_path) == ["bytes", "text"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
def test_whatever_stops_it_leaves_the_old_file_and_nothing_else(tmp_path: Path, stop: type[BaseException]) -> None:
    path = tmp_path / "scores.json"
    path.write_text("old")
    with pytest.raises(stop):
        stopped(path, stop())
    assert (names(tmp_path), path.read_text()) == (["scores.json"], "old")


def test_text_that_has_no_bytes_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_file(tmp_path / "half", "\ud800")
    assert names(tmp_path) == []


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    with whole_file(path) as file:
        file.write(b"x" * 1_000_000)
        assert not path.exists()
        assert all(name.startswith(".") for name in names(tmp_path))
    assert path.stat().st_size == 1_000_000


def test_permissions_are_those_of_any_new_file_or_of_the_one_replaced(tmp_path: Path) -> None:
    plain, new, old = tmp_path / "plain", tmp_path / "new", tmp_path / "old"
    plain.write_text("")
    old.write_text("")
    old.chmod(0o640)
    write_file(new, "x")
    write_file(old, "x")
    assert (mode(new), mode(old)) == (mode(plain), 0o640)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    (tmp_path / "far" / "file").write_text("old")
    link.symlink_to("far/file")
    dangling.symlink_to("far/new")
    write_file(link, "new")
    write_file(dangling, "new")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert names(tmp_path / "far") == ["file", "new"]
    assert {path.read_text() for path in (tmp_path / "far").iterdir()} == {"new"}


@posix
def test_a_pipe_is_simply_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_file(pipe, "through")
        assert reader.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_file("/dev/null", "away")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_path_goes_on_where_it_was(tmp_path: Path, path: str) -> None:
    code = f"from evenhand.files import write_file; write_file({path!r}, 'b')"
    file = tmp_path / "file"
    subprocess.run(f'(printf a; "{sys.executable}" -c "{code}"; printf c) > {file}', shell=True, check=True)
    assert file.read_text() == "abc"


@has_full_device
def test_a_full_disk() -> None:
    sentence = "/dev/full: cannot be written because the disk is full; free some space or choose another place."
    with pytest.raises(InputError) as raised:
        write_file("/dev/full", "x")
    assert str(raised.value) == sentence
    with pytest.raises(InputError) as raised:
        fill("/dev/full")
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EDQUOT, "cannot be written because your disk quota is used up; free some space or choose another place"),
        (errno.EROFS, "cannot be written (read-only file system); choose another place"),
        (errno.EACCES, "cannot be written (permission denied); check the permissions or choose another place"),
        (errno.EFBIG, "cannot be written (file too large); choose another place"),
    ],
)
def test_other_refusals(number: int, sentence: str) -> None:
    assert str(refusal("a.json", OSError(number, os.strerror(number)))) == f"a.json: {sentence}."


def test_a_folder_and_a_missing_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; specify a file in it"):
        write_file(tmp_path, "x")
    with pytest.raises(InputError, match=r"cannot be written \(no such file or directory\); check the folder"):
        write_file(tmp_path / "no" / "file", "x")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written \(not a directory\); check the folder"):
        write_file(tmp_path / "file" / "file", "x")


@posix
def test_a_file_that_must_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o400)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(InputError, match="permission denied"):
        write_file(path, "new")
    assert (names(tmp_path), path.read_text()) == (["file"], "old")


def test_an_error_of_another_file_is_not_taken_for_one_of_this(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "file"):
        (tmp_path / "other").read_text()
    assert names(tmp_path) == []


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    with pytest.raises(KeyboardInterrupt):
        stopped_folder(target, KeyboardInterrupt())
    assert names(tmp_path) == []
    with whole_folder(target) as write:
        write("1.txt", "Zoë")
        write("2.txt", b"y")
        assert not target.exists()
    assert names(tmp_path / "a") == ["b"]
    assert names(target) == ["1.txt", "2.txt"]


def test_a_folder_that_is_there_keeps_its_other_files(tmp_path: Path) -> None:
    target = tmp_path / "brat"
    target.mkdir()
    (target / "annotation.conf").write_text("mine")
    (target / "1.txt").write_text("old")
    with pytest.raises(ValueError, match="stop"):
        stopped_folder(target, ValueError("stop"))
    assert (target / "1.txt").read_text() == "old"
    with whole_folder(target) as write:
        write("1.txt", "new")
    assert (names(tmp_path), names(target)) == (["brat"], ["1.txt", "annotation.conf"])
    assert (target / "1.txt").read_text() == "new"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "brat").write_text("")
    with pytest.raises(InputError, match=r"cannot be written \(a file is there\)"), whole_folder(tmp_path / "brat"):
        pass
    assert names(tmp_path) == ["brat"]


def test_a_folder_may_have_folders(tmp_path: Path) -> None:
    """Those that are there keep their other files."""
    target = tmp_path / "brat"
    (target / "news").mkdir(parents=True)
    (target / "news" / "old.txt").write_text("old")
    with whole_folder(target) as write:
        write("news/a.txt", "a")
        write("blogs/a.txt", "b")
    assert (names(tmp_path), names(target / "news")) == (["brat"], ["a.txt", "old.txt"])
    assert (target / "blogs" / "a.txt").read_text() == "b"


# Windows and macOS, simulated


def test_standard_output_can_be_named_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-o -` is `/dev/stdout` inside Evenhand, and Windows has no such folder."""
    monkeypatch.setattr(files, "Path", PureWindowsPath)
    check_target(PureWindowsPath("/dev/stdout"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="check the folder"):
        check_target("/dev/nowhere/else")


@pytest.mark.parametrize(
    ("system", "error", "is_closed"),
    [
        ("linux", BrokenPipeError(errno.EPIPE, "Broken pipe"), True),
        ("linux", OSError(errno.EINVAL, "Invalid argument"), False),
        ("win32", OSError(errno.EINVAL, "Invalid argument"), True),
        ("win32", OSError(errno.EINVAL, "Invalid argument", "a?b"), False),
    ],
)
def test_closed_pipes_by_system(monkeypatch: pytest.MonkeyPatch, system: str, error: OSError, is_closed: bool) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert is_unread(error) == is_closed


@pytest.mark.skipif(
    not hasattr(os, "eventfd"), reason="needs a descriptor that refuses bytes as a pipe on Windows does"
)
def test_a_closed_pipe_on_windows_is_not_an_error_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    descriptor = os.eventfd(0)  # writing anything but eight bytes is an invalid argument
    try:
        with pytest.raises(InputError, match="invalid argument"):
            fill(f"/dev/fd/{descriptor}")
        monkeypatch.setattr(sys, "platform", "win32")
        with pytest.raises(BrokenPipeError):
            fill(f"/dev/fd/{descriptor}")
    finally:
        os.close(descriptor)


def test_a_file_that_another_program_has_open_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows does not replace open files."""

    def replace(source: str, target: str) -> None:
        raise PermissionError(errno.EACCES, "Access is denied")

    (tmp_path / "scores.json").write_text("old")
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(InputError, match=r"cannot be written \(access is denied\); check the permissions or choose"):
        write_file(tmp_path / "scores.json", "new")
    assert (names(tmp_path), (tmp_path / "scores.json").read_text()) == (["scores.json"], "old")


def test_a_folder_that_cannot_be_replaced_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows does not rename folders of which a file is open."""
    rename, target = os.rename, tmp_path / "board"
    target.mkdir()
    (target / "index.html").write_text("old")
    calls = []

    def second_fails(source: str, to: str) -> None:
        calls.append(to)
        if len(calls) == 2:
            raise PermissionError(errno.EACCES, "Access is denied")
        rename(source, to)

    monkeypatch.setattr(os, "rename", second_fails)
    with pytest.raises(InputError, match="access is denied"), whole_folder(target, replacing="index.html") as write:
        write("index.html", "new")
    assert (names(tmp_path), (target / "index.html").read_text()) == (["board"], "old")


@pytest.mark.parametrize("name", ["con", "NUL", "aux.txt", "Com1", "lpt9.tar.gz", "com²"])
def test_names_of_devices_on_windows(name: str) -> None:
    assert RESERVED.match(name) is not None


@pytest.mark.parametrize("name", ["console", "con-2", "a.con", "com", "nul_1"])
def test_names_that_are_not_devices(name: str) -> None:
    assert RESERVED.match(name) is None
