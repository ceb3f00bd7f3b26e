"""`evenhand check`: every problem, with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evenhand.cli import main

BAD = """Ada B-PER
sees O x
Bo I-PER

in LOC
London B-
Paris I-LOC
Rome LOC
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bad.conll").write_text(BAD)
    return Path("bad.conll")


def test_every_problem_is_reported(bad: Path) -> None:
    result = run("check", bad)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.split(":")[1] for line in lines[:-1]] == ["2", "5", "6", "7", "8"]
    assert lines[-1] == (
        "bad.conll: conll, tags in IOB2, column 2; 2 sentences, 2 spans; problems: tag (3), columns (1); "
        "accepted with --repair begin: ill-formed span (1)"
    )


def test_a_tag_of_another_encoding_is_wrong_and_those_behind_it_are_not(tmp_path: Path) -> None:
    path = tmp_path / "late.conll"
    path.write_text("a B-PER\nb I-PER\n\n" * 2000 + "c S-PER\n\nd B-LOC\n\ne S-PER\nf B-ORG\n")
    rows = [json.loads(line) for line in run("check", path, "--as", "jsonl").stdout.splitlines()]
    assert [row["line"] for row in rows if row["kind"] == "tag"] == [6001, 6005]


def test_as_json_lines(bad: Path) -> None:
    rows = [json.loads(line) for line in run("check", bad, "--as", "jsonl").stdout.splitlines()]
    assert rows[0] == {
        "file": "bad.conll",
        "line": 2,
        "kind": "columns",
        "finding": "found 3 columns where line 1 has 2",
        "remedy": "mend the line, or begin it with # if it is a comment",
        "error": True,
        "severity": "error",
    }
    assert len(rows) == 5


def test_a_folder_and_how_many_of_its_files_can_be_scored(tmp_path: Path) -> None:
    files = {"a.conll": "a O\nb B-PER\n", "b.conll": BAD, "c.conll": "a O\nb I-PER\n\nc B-LOC\n", ".hidden": "x y z\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = run("check", tmp_path)
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[-1]) == (1, "2 of 3 files can be scored")
    severities = {line.split(": ")[0].rpartition("/")[2]: line.split(": ")[1] for line in lines if "conll:" in line}
    assert (severities["b.conll:2"], severities["b.conll:7"], severities["c.conll:2"]) == (
        "error",
        "warning",
        "warning",
    )
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, text in files.items():
        (copy / name).write_text(text)
    scored = [name for name in files if run("score", tmp_path / name, copy / name).exit_code == 0]
    assert scored == ["a.conll", "c.conll"]
    assert "can be scored" not in run("check", tmp_path / "a.conll").stdout


def test_an_empty_folder(tmp_path: Path) -> None:
    result = run("check", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("there is no file in it; check the path.\n")


def test_every_line_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.conll"
    path.write_bytes("a O\nü O\nb O\n\né O\n".encode("latin-1"))
    rows = [json.loads(line) for line in run("check", path, "--as", "jsonl").stdout.splitlines()]
    assert [(row["line"], row["kind"]) for row in rows] == [(2, "characters"), (5, "characters")]


def test_a_good_file(example: Path) -> None:
    result = run("check", example / "gold.conll")
    assert (result.exit_code, result.stdout.endswith("87 sentences, 285 spans; no problems\n")) == (0, True)


def test_against_a_test_file_without_tags(example: Path, tmp_path: Path) -> None:
    words = [line.split("\t")[0] for line in (example / "gold.conll").read_text().splitlines()]
    test_file = tmp_path / "test.txt"
    test_file.write_text("\n".join(words) + "\n")
    assert run("check", example / "crf.conll", "--against", test_file).exit_code == 0
    test_file.write_text("\n".join(words).replace("Ada", "Eve").replace(words[2], "Other", 1) + "\n")
    result = run("check", example / "crf.conll", "--against", test_file)
    assert result.exit_code == 1
    assert "found the token" in result.stdout
    assert "problems: text (1)" in result.stdout


def test_against_gold_with_tags(example: Path) -> None:
    assert run("check", example / "crf.conll", "--against", example / "gold.conll").exit_code == 0


def test_what_score_takes_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "system.conll"
    path.write_text("a O\nb I-PER\n\nc B-LOC\n")
    other = tmp_path / "other.conll"
    other.write_text(path.read_text())
    taken = run("check", path)
    assert (taken.exit_code, run("score", other, path).exit_code) == (0, 0)
    assert taken.stdout.endswith("no problems; accepted with --repair begin: ill-formed span (1)\n")
    refused = run("check", path, "--repair", "error")
    assert (refused.exit_code, run("score", other, path, "--repair", "error").exit_code) == (1, 2)


def test_labels_that_the_gold_standard_does_not_have(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("a O\nb B-PER\n")
    system.write_text("a O\nb B-per\n")
    found = run("check", system, "--against", gold)
    assert found.exit_code == 0
    assert "system.conll: warning: none of its labels ('per') occurs in the gold standard ('PER')" in found.stdout
    assert run("score", gold, system).exit_code == 0


def test_labels_are_compared_in_the_column_that_is_named(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("a O O\nb B-PER B-NP\n")
    system.write_text("a O\nb B-PER\n")
    assert run("check", system, "--against", gold, "--column", "2").exit_code == 0
    assert run("score", gold, system, "--column", "2").exit_code == 0


def test_words_against_a_span_table(tmp_path: Path) -> None:
    words, spans = tmp_path / "words.txt", tmp_path / "spans.tsv"
    words.write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    spans.write_text("PER\t1\t1\n")
    found = run("check", words, "--against", spans)
    assert found.exit_code == 1
    assert (
        "spans.tsv: error: has no words to compare with those of the file that is checked; give a file with"
        in found.stdout
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    result = run("check", tmp_path / "nothing.conll")
    assert result.exit_code == 1
    assert "there is no such file; check the path." in result.stdout
    assert "could not be read; problems: format (1)" in result.stdout


@pytest.mark.parametrize(("text", "lines"), [("PER\t1\t2\nLOC\tx\t1\nLOC\t1\n\nORG\t3\t1\n", [2, 3, 5])])
def test_span_tables(tmp_path: Path, text: str, lines: list[int]) -> None:
    path = tmp_path / "spans.tsv"
    path.write_text(text)
    rows = [json.loads(line) for line in run("check", path, "--format", "spans", "--as", "jsonl").stdout.splitlines()]
    assert sorted(row["line"] for row in rows) == lines
