"""Paths that cannot be opened, formats that do not serve a task, and old line ends: one sentence each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE
from evenhand.cli import main
from evenhand.formats.registry import FORMATS

GOLD = EXAMPLE / "gold.conll"
TREES = EXAMPLE.parent / "trees" / "transition.conllu"


def sentence(*paths: str | Path, **options: str) -> str:
    with pytest.raises(eh.InputError) as raised:
        eh.score(*paths, **options)
    return str(raised.value)


def test_a_name_that_is_too_long() -> None:
    told = "cannot be opened (file name too long); check the path and the permissions."
    assert sentence("x" * 300, GOLD) == f"{'x' * 80}…: {told}"
    assert sentence(GOLD, "x/" * 3000) == f"{'x/' * 40}…: {told}"


def test_a_name_with_a_nul() -> None:
    assert sentence("a\0b", GOLD).endswith("cannot be opened (it holds a NUL); check the path and the permissions.")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"caf\xe9.conll"))
    Path(path).write_bytes(GOLD.read_bytes())
    assert eh.score(path, GOLD)["exact"].overall.counts["TP"] == 285
    assert sentence(path + "x", GOLD).endswith(": there is no such file; check the path.")


def test_folders_and_files_in_each_others_place(tmp_path: Path) -> None:
    assert sentence(tmp_path, GOLD) == f"{tmp_path}: there is no file in it; check the path."
    inside = GOLD / "x"
    told = "cannot be opened (not a directory); check the path and the permissions."
    assert sentence(inside, GOLD) == f"{inside}: {told}"


def test_an_empty_brat_document(tmp_path: Path) -> None:
    for name in ("empty.ann", "empty.txt"):
        (tmp_path / name).write_bytes(b"")
    assert eh.score(tmp_path, tmp_path)["exact"].overall.counts == {"TP": 0, "FP": 0, "FN": 0}


@pytest.mark.parametrize("task", ["spans", "tags", "trees", "chains"])
@pytest.mark.parametrize("name", list(FORMATS))
def test_a_format_that_does_not_serve_the_task(name: str, task: str) -> None:
    for path in (GOLD, TREES):
        try:
            eh.score(path, path, format=name, task=task)
        except eh.EvenhandError as error:
            told = str(error)
        else:
            assert task in FORMATS[name].tasks
            continue
        assert "\n" not in told


def test_chains_of_a_format_without_any() -> None:
    told = "files in brat hold no chains; name one of these with --format: conll2012, coref-jsonl, corefud."
    assert sentence(GOLD, GOLD, format="brat", task="chains") == f"{GOLD}: {told}"


@pytest.mark.parametrize(
    "content", ["Ada\tB-PER\r\rlived\tO\r", "PER\t1\t2\r\rLOC\t1\t1\r", '{"tokens":["a"],"tags":["O"]}\r{}\r']
)
def test_lines_that_end_with_cr_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mac.txt"
    path.write_bytes(content.encode())
    assert sentence(path, path) == f"{path}:1: lines end with CR alone; save the file with the line ends LF or CRLF."


def test_a_text_of_brat_may_have_cr_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Ada\rlived")
    (tmp_path / "a.ann").write_bytes(b"T1\tPER 0 3\tAda\n")
    assert len(eh.read(tmp_path / "a.ann").spans()) == 1


RECORD = "Patient Margarethe Hollerbach was seen on 3 May"
RECORDS: dict[str, str] = {
    "a sentence": RECORD,
    "many": f"{RECORD}. " * 100,
    "lines": f"{RECORD}\nHollerbach, Margarethe",
    "a slash": f"{RECORD}, n/a Hollerbach",
    "a full stop inside": "The patient came to St.Hollerbach",
    "an address inside": "https://clinic.org/\nPatient Hollerbach",
    "no blanks": "患者王小明于三月三日入院复查后出院随访正常情况良好Hollerbach",
    "short": "Ada Byron",
}


@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS)
def test_a_text_is_not_shown_as_a_path(text: str) -> None:
    """Redacted texts that a caller takes for systems must not get into a log."""
    calls: list[Callable[[], object]] = [
        lambda: eh.score(GOLD, text),
        lambda: eh.score(GOLD, [text, text]),
        lambda: eh.score(GOLD, {"model": text}),
        lambda: eh.score(text, GOLD),
        lambda: eh.score(GOLD, [[text, text]]),
        lambda: eh.rank(GOLD, [text]),
        lambda: eh.compare(GOLD, [text, text]),
        lambda: eh.report(GOLD, [text]),
        lambda: eh.gate(GOLD, GOLD, text),
        lambda: eh.agree([text, text]),
        lambda: eh.adjudicate(GOLD, text),
        lambda: eh.score(GOLD, GOLD, overrides=text),
        lambda: eh.compare(GOLD, [GOLD, GOLD], slices="vocabulary", vocabulary=text),
        lambda: eh.germeval(text),
        lambda: eh.read(text),
        lambda: eh.manifest(text),
        lambda: eh.rank_suite(text),
        lambda: eh.Result.from_json(text),
        lambda: eh.read(Path(text)),
    ]
    for call in calls:
        with pytest.raises(eh.EvenhandError) as raised:
            call()
        message = str(raised.value)
        assert "\n" not in message
        assert not any(text[place : place + 21] in message for place in range(max(len(text) - 20, 0)))
        assert "file" in message
        assert "no such file" not in message


def test_a_text_as_an_argument_of_a_command(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["score", str(GOLD), RECORD])
    assert (found.exit_code, found.stdout) == (2, "")
    finding = "Expected the path of a file, got a text of 47 characters ('Patient Margarethe H…'); give a path,"
    assert found.stderr.startswith(f"evenhand: {finding}")
    manifest = tmp_path / "pairs.tsv"
    manifest.write_text(f"gold\tmodel\n{GOLD}\t{RECORD}\n")
    found = CliRunner().invoke(main, ["score", "--manifest", str(manifest)])
    assert found.exit_code == 2
    assert "Hollerbach" not in found.stderr


@pytest.mark.parametrize(
    "name", ["no such.conll", "missing", "no/such/folder/file name.json", "a-file-that-is-not-there.xyz"]
)
def test_paths_without_a_file_are_shown(name: str, tmp_path: Path) -> None:
    assert sentence(GOLD, name) == f"{name}: there is no such file; check the path."
    there = tmp_path / "a file without an ending"
    assert sentence(GOLD, there) == f"{there}: there is no such file; check the path."
