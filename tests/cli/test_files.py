"""`evenhand check`: every problem, with its line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from arrow_files import pyarrow
from conftest import EXAMPLE
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
        "finding": "expected 2 columns as in line 1, got 3",
        "remedy": "fix the line, or start it with # if it is a comment",
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
    assert result.stderr.endswith("contains no file; check the path.\n")


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
    assert found.exit_code == 1
    assert "system.conll: error: expected labels such as PER, got only others ('per')" in found.stdout
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
    assert "spans.tsv: error: has no words to compare with the checked file; use a file with" in found.stdout


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


# `evenhand convert IN -`: the new file on standard output, in every format but brat's folders


EVENHAND = str(Path(sys.executable).with_name("evenhand"))
GOLD = str(EXAMPLE / "gold.conll")


def convert(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([EVENHAND, "convert", *arguments], capture_output=True, check=False)


@pytest.mark.parametrize(
    "form", ["conll", "germeval", "spans", "jsonl", "label-studio", "brackets", "parquet", "arrow"]
)
def test_standard_output_has_what_a_file_has(form: str, tmp_path: Path) -> None:
    if form in ("parquet", "arrow"):
        pyarrow()
    file = tmp_path / "file"
    written = convert(GOLD, str(file), "--to", form, "--lossy")
    shown = convert(GOLD, "-", "--to", form, "--lossy")
    assert (written.returncode, shown.returncode, shown.stderr) == (0, 0, written.stderr)
    assert len(shown.stdout) > 1000
    assert shown.stdout == file.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Standard output has no file name; specify the format with --to; see evenhand convert --help."),
        (("--to", "brat"), "brat needs several files; specify a folder; see evenhand convert --help."),
    ],
)
def test_what_standard_output_cannot_be(arguments: tuple[str, ...], sentence: str) -> None:
    done = convert(GOLD, "-", *arguments)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"evenhand: {sentence}\n")


def test_from_standard_input_to_standard_output() -> None:
    texts = convert(GOLD, "-", "--to", "jsonl", "-q").stdout
    command = [EVENHAND, "convert", "-", "-", "--to", "conll", "--stacked", "-q"]
    done = subprocess.run(command, input=texts, capture_output=True, check=True)
    assert done.stdout.startswith(b"Silver\tB-MISC\nGannet\tI-MISC\n")


# No command overwrites what it reads: an output that is an input is refused, whatever the spelling of its path


FILES = {"gold.conll": "gold.conll", "crf.conll": "crf.conll", "tagger.conll": "tagger.conll"}
GOLD_OVERWRITING, SYSTEM, OTHER = FILES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        shutil.copy(EXAMPLE / name, tmp_path)
        for suffix in ("svg", "parquet"):
            shutil.copy(EXAMPLE / name, tmp_path / f"{name}.{suffix}")
    for side in ("gold", "crf"):
        (tmp_path / side).mkdir()
        shutil.copy(EXAMPLE / f"{side}.conll", tmp_path / side / "a.conll")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_overwriting(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_refused(folder: Path, output: str, *arguments: str, called: str = "") -> None:
    before = contents(folder)
    result = run_overwriting(*arguments)
    sentence = (
        f"{output}: is one of the input files{called} and would be overwritten; choose another path for the output."
    )
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("output", "arguments"),
    [
        (GOLD_OVERWRITING, ("score", GOLD_OVERWRITING, SYSTEM, "-o", GOLD_OVERWRITING)),
        (SYSTEM, ("score", "-o", SYSTEM, GOLD_OVERWRITING, SYSTEM)),
        ("gold.conll.parquet", ("score", "gold.conll.parquet", SYSTEM, "--verdicts", "gold.conll.parquet")),
        ("crf.conll.parquet", ("score", GOLD_OVERWRITING, "crf.conll.parquet", "--tallies", "crf.conll.parquet")),
        (OTHER, ("rank", GOLD_OVERWRITING, SYSTEM, OTHER, "-o", OTHER)),
        (OTHER, ("compare", GOLD_OVERWRITING, SYSTEM, OTHER, "-o", OTHER)),
        (
            SYSTEM,
            ("compare", GOLD_OVERWRITING, OTHER, OTHER, "--slice", "vocabulary", "--vocabulary", SYSTEM, "-o", SYSTEM),
        ),
        (SYSTEM, ("report", GOLD_OVERWRITING, SYSTEM, "-o", SYSTEM)),
        (OTHER, ("gate", GOLD_OVERWRITING, SYSTEM, OTHER, "-o", OTHER)),
        (GOLD_OVERWRITING, ("germeval", GOLD_OVERWRITING, SYSTEM, "-o", GOLD_OVERWRITING)),
        (GOLD_OVERWRITING, ("convert", GOLD_OVERWRITING, GOLD_OVERWRITING)),
        *(
            ("crf.conll.svg", ("plot", kind, GOLD_OVERWRITING, OTHER, "crf.conll.svg", "-o", "crf.conll.svg"))
            for kind in ("errors", "confusion", "comparison", "ranks")
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_every_command(folder: Path, output: str, arguments: tuple[str, ...]) -> None:
    check_refused(folder, output, *arguments)


def test_other_spellings_and_links(folder: Path) -> None:
    (folder / "link").symlink_to(GOLD_OVERWRITING)
    os.link(folder / GOLD_OVERWRITING, folder / "hard")
    whole = str(folder / GOLD_OVERWRITING)
    for output in ("./gold.conll", "crf/../gold.conll", whole, "link", "hard"):
        shown = str(Path(output))
        check_refused(
            folder,
            shown,
            "score",
            GOLD_OVERWRITING,
            SYSTEM,
            "-o",
            output,
            called="" if shown == GOLD_OVERWRITING else f" ({GOLD_OVERWRITING})",
        )
    check_refused(folder, GOLD_OVERWRITING, "score", "link", SYSTEM, "-o", GOLD_OVERWRITING, called=" (link)")
    check_refused(
        folder, GOLD_OVERWRITING, "score", f"file://{whole}", SYSTEM, "-o", GOLD_OVERWRITING, called=f" ({whole})"
    )


def test_files_of_folders_patterns_manifests_suites_and_weights(folder: Path) -> None:
    (folder / "pairs.tsv").write_text("gold\tcrf\ngold/a.conll\tcrf/a.conll\n")
    (folder / "suite.toml").write_text('[[data]]\ngold = "gold.conll"\nsystems = { crf = "crf.conll" }\n')
    (folder / "weights.txt").write_text("LE = FP")
    check_refused(folder, "crf/a.conll", "score", "gold", "crf", "-o", "crf/a.conll")
    check_refused(folder, "gold/a.conll", "score", "gold/*.conll", "crf", "-o", "gold/a.conll")
    check_refused(folder, "crf/a.conll", "score", "--manifest", "pairs.tsv", "-o", "crf/a.conll")
    check_refused(folder, "pairs.tsv", "rank", "--manifest", "pairs.tsv", "-o", "pairs.tsv")
    check_refused(folder, "suite.toml", "rank", "--suite", "suite.toml", "-o", "suite.toml")
    check_refused(folder, SYSTEM, "rank", "--suite", "suite.toml", "-o", SYSTEM)
    check_refused(
        folder, "weights.txt", "score", GOLD_OVERWRITING, SYSTEM, "--weights", "weights.txt", "-o", "weights.txt"
    )


def test_both_files_of_brat(folder: Path) -> None:
    (folder / "brat").mkdir()
    (folder / "brat" / "00001.txt").write_text("Ada slept")
    (folder / "brat" / "00001.ann").write_text("T1\tPER 0 3\tAda\n")
    check_refused(folder, "brat/00001.txt", "convert", "brat/00001.ann", "brat/00001.txt", "--to", "spans", called="")
    check_refused(folder, "brat/00001.txt", "convert", "brat/00001.ann", "brat", "--to", "brat")
    shutil.copy(folder / GOLD_OVERWRITING, folder / "brat")
    assert (
        run_overwriting("convert", "brat/gold.conll", "brat", "--to", "brat", "--lossy").exit_code == 0
    )  # which is beside them


def test_two_outputs_in_one_file(folder: Path) -> None:
    result = run_overwriting("score", GOLD_OVERWRITING, SYSTEM, "--tallies", "t.parquet", "--verdicts", "./t.parquet")
    assert (result.exit_code, result.stderr) == (
        2,
        "evenhand: t.parquet: is specified for two outputs; use a separate file for each.\n",
    )


def test_what_can_be_both(folder: Path) -> None:
    assert run_overwriting("score", GOLD_OVERWRITING, SYSTEM, "-q", "-o", "/dev/null").exit_code == 0
    (folder / "old.json").write_text("old")
    assert run_overwriting("score", GOLD_OVERWRITING, SYSTEM, "-q", "-o", "old.json").exit_code == 0
    assert (folder / "old.json").read_text() != "old"


def test_verdicts_in_python(folder: Path) -> None:
    pyarrow()
    before = contents(folder)
    with pytest.raises(eh.InputError, match=r"crf\.conll\.parquet: is one of the input files and would be overwritten"):
        eh.score(GOLD_OVERWRITING, "crf.conll.parquet", engine=eh.engines.recording("crf.conll.parquet"))
    assert contents(folder) == before
