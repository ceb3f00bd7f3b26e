"""`--jobs` on the command line: what it prints, and what becomes of processes when it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from clusters import write_pairs
from conftest import EXAMPLE
from evenhand.cli import main as main_manifest
from evenhand.cli.main import main

EVENHAND = str(Path(sys.executable).with_name("evenhand"))
MATCH = "exact,fair"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files that are large enough to be divided."""
    folder = tmp_path_factory.mktemp("large")
    for name in ("gold", "crf"):
        (folder / f"{name}.conll").write_text((EXAMPLE / f"{name}.conll").read_text() * 1500)
    return [str(folder / "gold.conll"), str(folder / "crf.conll")]


def started(large: list[str]) -> subprocess.Popen[str]:
    """A command that has processes under way: two beside its own."""
    command = [EVENHAND, "score", *large, "-q", "--jobs", "3", "--match", MATCH]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True)
    for _ in range(2000):
        if len(workers(process.pid)) == 2:
            time.sleep(0.1)
            return process
        time.sleep(0.01)
    raise AssertionError("no processes were started")


def stopped(large: list[str], number: signal.Signals, *, to_all: bool) -> subprocess.Popen[str]:
    """A command that a signal has ended. One that was done before the signal came shows nothing, and is run again."""
    for _ in range(10):
        process = started(large)
        with suppress(ProcessLookupError):
            (os.killpg if to_all else os.kill)(process.pid, number)
        if process.wait(60) != 0:
            return process
        process.communicate()
    raise AssertionError("the command was always done before the signal came")


def group(leader: int) -> Iterator[int]:
    """The processes of a command, its own one included."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == leader and fields[0] != "Z":
                yield int(folder.name)


def workers(leader: int) -> list[int]:
    """The processes that a command has started, without the tracker of multiprocessing."""
    return [pid for pid in group(leader) if pid != leader and b"resource_tracker" not in command_line(pid)]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def none_is_left(leader: int) -> bool:
    """Whether all processes are gone; the tracker of multiprocessing goes when it sees that the others are."""
    for _ in range(1000):
        if not list(group(leader)):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize(
    ("number", "to_all", "status", "said"),
    [
        (signal.SIGINT, True, 130, "evenhand: interrupted\n"),
        (signal.SIGINT, False, 130, "evenhand: interrupted\n"),
        (signal.SIGTERM, False, 143, ""),
        (signal.SIGKILL, False, -9, ""),
    ],
)
def test_a_signal_leaves_no_processes(
    large: list[str], number: signal.Signals, to_all: bool, status: int, said: str
) -> None:
    """Ctrl-C goes to all processes of a terminal, `kill` to one."""
    process = stopped(large, number, to_all=to_all)
    output, errors = process.communicate()
    assert (process.returncode, output) == (status, "")
    assert errors == said or number == signal.SIGKILL  # of which Python's tracker has a word to say
    assert none_is_left(process.pid)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes through /proc")
def test_a_worker_that_is_killed_is_replaced(large: list[str]) -> None:
    process = started(large)
    for pid in workers(process.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors == ""
    plain = [EVENHAND, "score", *large, "-q", "--match", MATCH]
    assert output == subprocess.run(plain, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize("command", ["score", "rank"])
def test_small_files_need_no_processes(command: str) -> None:
    arguments = [command, str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll")]
    plain, divided = (CliRunner().invoke(main, [*arguments, *more]) for more in ([], ["--jobs", "auto"]))
    assert divided.exit_code == 0
    assert divided.output == plain.output


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--jobs", "0"], "'0' is not a number of processes; use 1 or more, or auto"),
        (["--jobs", "many"], "'many' is not a number of processes"),
        (["--jobs", "2", "--engine", "dask"], "Specify --jobs or --engine, but not both"),
    ],
)
def test_numbers_of_jobs_that_make_no_sense(options: list[str], message: str) -> None:
    files = [str(EXAMPLE / "gold.conll"), str(EXAMPLE / "crf.conll")]
    found = CliRunner().invoke(main, ["score", *files, *options])
    assert found.exit_code == 2
    assert message in found.output


# Manifests: tables of file pairs, which are scored as one text


FILES = ("a.conll", "b.conll", "c.conll")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main_manifest, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for side in ("gold", "crf", "flair"):
        (tmp_path / side).mkdir()
        for name in FILES:
            tag = "O" if (side, name) == ("crf", "b.conll") else "B-PER"
            (tmp_path / side / name).write_text(f"{name}\t{tag}\nsees\tO\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_the_files_of_folders_as_a_manifest(folder: Path) -> None:
    rows = (f"gold/{name}\tcrf/{name}\tflair/{name}" for name in FILES)
    manifest = write(folder, "pairs.tsv", "# made by hand", "gold\tcrf\tflair", "", *rows)
    found = json.loads(run("score", "--manifest", manifest, "--as", "json").stdout)
    assert found == eh.score("gold", ["crf", "flair"]).to_dict()
    assert (found["gold"]["name"], found["gold"]["documents"]) == ("gold", 3)


def test_the_order_is_that_of_the_table_and_names_need_not_be_equal(folder: Path) -> None:
    manifest = write(folder, "pairs.csv", "gold,crf", "gold/c.conll,crf/c.conll", '"gold/a.conll",flair/a.conll')
    results = eh.score(*eh.manifest(manifest), groups="document")
    assert list(results) == ["crf"]
    assert results["crf"]["exact"].f1 == 1.0
    gold, systems = eh.manifest(manifest)
    assert gold.files == (folder / "gold/c.conll", folder / "gold/a.conll")
    assert systems["crf"].files == (folder / "crf/c.conll", folder / "flair/a.conll")


def test_json_lines(folder: Path) -> None:
    rows = [json.dumps({"crf": f"crf/{name}", "gold": f"gold/{name}"}) for name in FILES]
    manifest = write(folder, "pairs.jsonl", *rows)
    assert eh.score(*eh.manifest(manifest)).to_dict() == eh.score("gold", ["crf"]).to_dict()


def test_addresses(folder: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is an extra: pip install evenhand[remote]")
    write(folder, "pairs.tsv", "gold\tcrf", f"file://{folder}/gold/a.conll\tcrf/a.conll")
    assert eh.score(*eh.manifest(f"file://{folder}/pairs.tsv"))["crf"]["exact"].f1 == 1.0
    write(folder, "pairs.tsv", "gold\tcrf", f"gold/a.conll\tfile://{folder}/nothing.conll")
    with pytest.raises(eh.InputError, match=r"/nothing\.conll: there is no such file; check the path"):
        eh.score(*eh.manifest("pairs.tsv"))


def test_ranking(folder: Path) -> None:
    rows = (f"gold/{name}\tcrf/{name}\tflair/{name}" for name in FILES)
    manifest = write(folder, "pairs.tsv", "gold\tcrf\tflair", *rows)
    found = json.loads(run("rank", "--manifest", manifest, "--resamples", "100", "--as", "json").stdout)
    assert found == eh.rank("gold", ["crf", "flair"], resamples=100).to_dict()


def test_several_processes(tmp_path: Path) -> None:
    manifest = write_pairs(tmp_path / "files", 6)
    serially = eh.score(*eh.manifest(manifest))
    engine = eh.engines.processes(2, smallest=1)
    assert eh.score(*eh.manifest(manifest), engine=engine).to_dict() == serially.to_dict()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (
            ("gold\tcrf", "gold/a.conll\tcrf/no.conll"),
            "pairs.tsv:2: the file 'crf/no.conll', for 'crf', does not exist; check",
        ),
        (("gold\tcrf", "", "gold/a.conll"), "pairs.tsv:3: the row has 1 cell, but the header has 2; give"),
        (("gold\tcrf", "gold/a.conll\t "), "pairs.tsv:2: the cell of 'crf' is empty; write the name of a file."),
        (
            ("# x", "gold\tcrf\tcrf", "a\tb\tc"),
            "pairs.tsv:2: two columns have the name 'crf'; give every system a different",
        ),
        (("gold\t", "a\tb"), "pairs.tsv:1: column 2 has no name; name it after its system."),
        (
            ("key\tcrf", "a\tb"),
            "pairs.tsv:1: the column 'gold' is missing; the columns are 'key', 'crf'; write a header",
        ),
        (("gold", "gold/a.conll"), "pairs.tsv:1: there are no columns for systems; add one"),
        (("gold\tcrf",), "pairs.tsv: has no row below the header; write the files"),
        (("# nothing", ""), "pairs.tsv: the manifest has no rows; write a header"),
        ((), "pairs.tsv: the file is empty; check how it was written."),
        (('{"gold": "a"', "{}"), "pairs.tsv:1: expected a JSON object of names and files; write"),
        (('{"gold": "gold/a.conll", "crf": "crf/a.conll"}', '{"gold": "a"}'), "pairs.tsv:2: the keys are gold, in the"),
        (("{}",), "pairs.tsv:1: expected a JSON object of names and files; write"),
        (('{"gold": 1, "crf": "a"}',), "pairs.tsv:1: expected a JSON object of names and files; write"),
        (('{"gold": ["a"], "crf": "a"}',), "pairs.tsv:1: expected a JSON object of names and files; write"),
        (('{"a":' * 5000,), "pairs.tsv:1: expected a JSON object of names and files; write"),
        (
            ('{"gold": "gold/a.conll", "crf": "crf/a.conll", "crf": "crf/b.conll"}',),
            "pairs.tsv:1: the key 'crf' occurs twice; give every file a different key.",
        ),
        (
            ("gold\tcrf", "gold/a.conll\tcrf/a.conll", "", "gold/a.conll\tcrf/a.conll"),
            "pairs.tsv:4: this row repeats the files of line 2, which would count twice; remove one of the two.",
        ),
        (
            ("gold,crf", "gold/a.conll," + "x" * 200_000),
            "pairs.tsv:2: this line is not a row of a table (field larger than",
        ),
        (("gold\tcrf", "gold/a.conll\t" + "x" * 5000), "xxxxxx"),
        (
            ('{"gold": "gold/a.conll", "crf": "crf\\u0000"}',),
            "crf\\x00: cannot be opened (it holds a NUL)",
        ),
    ],
)
def test_what_is_wrong_with_a_manifest_is_one_sentence(lines: tuple[str, ...], sentence: str, folder: Path) -> None:
    write(folder, "pairs.tsv", *lines)
    result = run("score", "--manifest", "pairs.tsv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"evenhand: {sentence}")
    assert result.stderr.count("\n") == 1


def test_a_manifest_that_is_not_utf8(folder: Path) -> None:
    (folder / "pairs.tsv").write_bytes(b"gold\tcrf\ngold/\xe4.conll\tcrf/a.conll\n")
    result = run("score", "--manifest", "pairs.tsv")
    sentence = "pairs.tsv:2: the byte 0xe4 is not valid UTF-8; save the file as UTF-8."
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("score",), "Specify a GOLD file or a --manifest"),
        (("score", "gold", "--manifest", "pairs.tsv"), "Specify GOLD and SYSTEM files or a --manifest, but not both"),
        (("score", "gold", "crf", "--scheduler", "tcp://127.0.0.1:1"), "--scheduler needs --engine dask"),
        (
            ("score", "gold", "crf", "--engine", "dask", "--jobs", "2"),
            "Specify --jobs or --engine, but not both",
        ),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], sentence: str, folder: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"evenhand: {sentence}; see evenhand {arguments[0]} --help.\n"


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_engines_by_name(engine: str, folder: Path) -> None:
    result = run("score", "gold", "crf", "--engine", engine, "--as", "json")
    assert json.loads(result.stdout) == eh.score("gold", ["crf"]).to_dict()
