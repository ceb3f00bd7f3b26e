"""Windows and macOS: every call that depends on the system is on the page, and commands run without those of POSIX."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import EXAMPLE, ROOT

PAGE, SOURCE = ROOT / "docs" / "explanation" / "systems.md", ROOT / "src" / "evenhand"
UNIX = frozenset(["curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"])
WINDOWS = frozenset(["_winapi", "msvcrt", "nt", "winreg", "winsound"])
DIFFERENT = UNIX | WINDOWS | {"ctypes", "locale", "mmap", "multiprocessing", "os", "select", "signal", "subprocess"}
"""Modules that are missing on a system or have functions that are."""
SAME = frozenset(
    [
        *(
            "os.PathLike",
            "os.cpu_count",
            "os.curdir",
            "os.environ",
            "os.fsdecode",
            "os.fspath",
            "os.getpid",
            "os.strerror",
        ),
        *("os.urandom", "os.stat_result", "os.path", "os.scandir", "os.listdir", "os.stat", "os.close", "os.open"),
        *("os.makedirs", "os.mkdir", "os.rmdir", "os.unlink", "multiprocessing.current_process"),
    ]
)
"""What is the same everywhere; constants are, too."""
PATHS = re.compile(r"/(dev|proc)\b")
ROW = re.compile(
    r"\| (?P<names>`[^|]+`) \| (?P<places>[^|]*?) ?\| (?P<windows>[^|]+) \| (?P<macos>[^|]+) \| (?P<test>`\w+`|–) \|"
)


def calls(path: Path) -> Iterator[tuple[str, int]]:
    """The calls of a file that depend on the system, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    texts = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module in DIFFERENT
        for alias in node.names
    }
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in DIFFERENT and not name.isupper():
                found = f"{module}.{name}"
            case ast.Attribute(value=ast.Name(id="sys"), attr="platform"):
                found = "sys.platform"
            case ast.Attribute(attr=("st_dev" | "st_ino") as found):
                pass
            case ast.Name(id=name) if name in imported:
                found = imported[name]
            case ast.Constant(value="winerror"):
                found = "winerror"
            case ast.Constant(value=str(text)) if PATHS.search(text) and id(node) not in texts:
                found = "/dev/"
            case _:
                continue
        if found not in SAME and not re.fullmatch(r"signal\.SIG_?[A-Z]+|\w+\.[A-Z_]+", found):
            yield found, node.lineno


def uses() -> dict[str, list[str]]:
    places: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for name, line in calls(path):
            places[name].add((path.relative_to(SOURCE).as_posix(), line))
    return {name: [f"`{file}:{line}`" for file, line in sorted(found)] for name, found in places.items()}


def with_places(page: str, places: dict[str, list[str]]) -> str:
    """The page with the present places of each call."""

    def filled(row: re.Match[str]) -> str:
        first = re.findall(r"`([^`]+)`", row["names"])[0]
        where = ", ".join(places.get(first, ["nowhere"]))
        return f"| {row['names']} | {where} | {row['windows']} | {row['macos']} | {row['test']} |"

    return ROW.sub(filled, page)


def test_the_page_lists_every_call_with_file_and_line(renews: bool) -> None:
    places = uses()
    if renews:
        PAGE.write_text(with_places(PAGE.read_text(encoding="utf-8"), places), encoding="utf-8", newline="\n")
    page = PAGE.read_text(encoding="utf-8")
    listed = {name for row in ROW.finditer(page) for name in re.findall(r"`([^`]+)`", row["names"])}
    missing = {name: where for name, where in places.items() if name not in listed}
    assert not missing, f"add a row to {PAGE.name}, with what happens on Windows and macOS: {missing}"
    assert listed - places.keys() == {"/proc/"}, "rows of calls that are not in the source"
    assert page == with_places(page, places), "lines have moved: run `make golden`"


def test_every_call_has_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = {row["test"].strip("`") for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))} - {"–"}
    assert len(named) > 10
    assert [test for test in named if f"def {test}(" not in tests] == []


def test_a_new_call_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    path.write_text('import os\nfrom resource import getrusage\nos.fork()\ngetrusage(0)\nopen("/proc/self/status")\n')
    assert list(calls(path)) == [("os.fork", 3), ("resource.getrusage", 4), ("/dev/", 5)]


WITHOUT = """
import os, signal, sys
for module in {modules!r}:
    sys.modules[module] = None
for name in ("fork", "forkpty", "geteuid", "getuid", "killpg", "mkfifo", "register_at_fork", "sched_getaffinity", "setsid"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "alarm", "pthread_sigmask", "setitimer"):
    delattr(signal, name)
sys.platform = "darwin"
from evenhand.cli import main
main()
"""
"""A command without what Windows lacks. Only the code that starts processes must know on which system it is."""


@pytest.mark.skipif(sys.platform != "linux", reason="takes from Linux what other systems lack")
@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "gold.conll", "crf.conll", "--as", "json"),
        ("score", "gold.conll", "crf.conll", "--as", "json", "--jobs", "2"),
        ("errors", "gold.conll", "crf.conll", "--as", "jsonl"),
        ("compare", "gold.conll", "crf.conll", "tagger.conll", "--as", "json", "--resamples", "100"),
        ("convert", "gold.conll", "-", "--to", "jsonl"),
    ],
    ids=" ".join,
)
def test_commands_without_the_calls_of_posix(arguments: tuple[str, ...]) -> None:
    modules = sorted(UNIX - {"posix"})  # which is `os` on Linux
    runs = {
        "without": [sys.executable, "-c", WITHOUT.format(modules=modules), *arguments],
        "with": [sys.executable, "-m", "evenhand", *arguments],
    }
    done = {
        name: subprocess.run(run, cwd=EXAMPLE, capture_output=True, text=True, check=False)
        for name, run in runs.items()
    }
    assert (done["without"].returncode, done["without"].stderr) == (done["with"].returncode, done["with"].stderr)
    assert done["without"].stdout == done["with"].stdout
    assert (done["with"].returncode, done["with"].stdout != "") == (0, True)
