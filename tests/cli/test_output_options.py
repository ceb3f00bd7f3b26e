"""Options for what tables look like, and text on a terminal, as users meet them."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main
from terminals import on_a_terminal

NER = Path(eh.__file__).parent / "examples" / "ner"
GOLD, CRF, TAGGER = (NER / f"{name}.conll" for name in ("gold", "crf", "tagger"))
FAST = {
    "score": (),
    "rank": ("--resamples", "0"),
    "compare": ("--trials", "0", "--resamples", "0"),
    "gate": ("--max-drop", "100"),
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def ran(command: str, *more: str) -> Result:
    return run(command, GOLD, CRF, TAGGER, *FAST[command], "-q", *more)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
@pytest.mark.parametrize("command", list(FAST))
def test_fractions_and_decimals(command: str, form: str) -> None:
    percent = ran(command, "--as", form, "--percent", "--decimals", "3").stdout
    fractions = ran(command, "--as", form, "--fractions", "--decimals", "3").stdout
    assert ("91.011" in percent, "0.910" in percent) == (True, False)
    assert ("91.011" in fractions, "0.910" in fractions) == (False, True)
    assert ran(command, "--as", form, "--percent", "--decimals", "2").stdout == ran(command, "--as", form).stdout


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_columns(form: str) -> None:
    shown = ran("score", "--as", form, "--show-columns", "model,F1").stdout
    assert "F1" in shown
    assert "recall" not in shown


@pytest.mark.parametrize("command", list(FAST))
def test_a_column_that_no_table_has(command: str) -> None:
    result = ran(command, "--show-columns", "F9")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: no table has a column 'F9'; there are ")


@pytest.mark.parametrize("command", list(FAST))
def test_caption_and_label(command: str) -> None:
    shown = ran(command, "--as", "latex", "--caption", "R&D", "--latex-label", "tab:x").stdout
    assert r"\caption{R\&D}" in shown
    assert r"\label{tab:x}" in shown


@pytest.mark.parametrize("command", list(FAST))
def test_tables_for_pages_of_two_columns(command: str) -> None:
    one, two = (ran(command, "--as", "latex", "--columns", columns).stdout for columns in ("1", "2"))
    assert one == ran(command, "--as", "latex").stdout
    assert two != one


@pytest.mark.parametrize(
    ("command", "form", "options", "message"),
    [
        ("score", "text", ["--columns", "2"], "--columns can only be used with --as latex"),
        ("score", "text", ["--caption", "x"], "--caption can only be used with --as latex"),
        ("score", "markdown", ["--latex-label", "x"], "--latex-label can only be used with --as latex"),
        ("score", "value", ["--decimals", "3"], "--decimals can only be used with --as text or markdown or latex"),
        (
            "rank",
            "csv",
            ["--fractions"],
            "--percent and --fractions can only be used with --as text or markdown or latex",
        ),
        (
            "rank",
            "json",
            ["--percent"],
            "--percent and --fractions can only be used with --as text or markdown or latex",
        ),
        (
            "compare",
            "jsonl",
            ["--show-columns", "p"],
            "--show-columns can only be used with --as text or markdown or latex",
        ),
        ("gate", "json", ["--caption", "x"], "--caption can only be used with --as latex"),
    ],
)
def test_options_that_would_do_nothing(command: str, form: str, options: list[str], message: str) -> None:
    result = ran(command, "--as", form, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"evenhand: {message}; see evenhand {command} --help.\n"


@pytest.mark.parametrize(
    ("option", "value"), [("--decimals", "-1"), ("--decimals", "x"), ("--latex-label", "a b"), ("--columns", "3")]
)
def test_values_that_cannot_be(option: str, value: str) -> None:
    result = ran("score", "--as", "latex", option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")


COMPARE = ("compare", GOLD, CRF, TAGGER, *FAST["compare"], "--quiet")


def test_a_terminal_gets_folded_tables_and_a_file_does_not(tmp_path: Path) -> None:
    *lines, _ = on_a_terminal(80, *COMPARE, NO_COLOR="1").splitlines()
    assert max(map(len, lines)) <= 80
    assert max(map(len, run(*COMPARE).stdout.splitlines()[:-1])) > 80
    written = tmp_path / "out.txt"
    on_a_terminal(80, *COMPARE, "-o", written)
    assert written.read_text(encoding="utf-8") == run(*COMPARE).stdout


def test_a_terminal_has_at_least_eighty_columns() -> None:
    assert on_a_terminal(20, *COMPARE) == on_a_terminal(80, *COMPARE)
    assert on_a_terminal(500, *COMPARE, NO_COLOR="1") == run(*COMPARE).stdout


def test_errors_and_readings_spell_control_characters(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "a\x1b[31m\u202e.conll"
    gold.write_text("Ada B-PER\n\n")
    system.write_text("Ada B-PER\n\n")
    result = run("score", gold, system)
    assert result.exit_code == 0
    assert r"a\x1b[31m\u202e: " in result.stderr
    assert not {"\x1b", "\u202e"} & {*result.stderr, *result.stdout}
    system.write_text("E\x1b[31mva B-PER\n\n")
    for command in ("score", "check"):
        failed = run(command, gold, system) if command == "score" else run(command, system, "--against", gold)
        assert failed.exit_code > 0
        assert r"\x1b[31m" in failed.stderr + failed.stdout
        assert not {"\x1b", "\u202e"} & {*failed.stderr, *failed.stdout}


def test_usage_errors_spell_control_characters() -> None:
    result = run("score", GOLD, CRF, "--match", "\x1b[31mexact")
    assert (result.exit_code, "\x1b" in result.stderr) == (2, False)


ODD_LABELS = ("\x1b[31mPER", "PER", "\u202ePER", "\u200fPER", "\x9bPER")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A file whose labels look the same where control characters are left out or obeyed."""
    path = tmp_path / "odd.conll"
    path.write_text("".join(f"w B-{label}\n" for label in ODD_LABELS), encoding="utf-8")
    return path


def test_csv_keeps_labels_apart(odd: Path, tmp_path: Path) -> None:
    arguments = ("score", odd, odd, "--match", "exact", "--as", "csv", "-q")
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", *map(str, arguments)]
    piped = subprocess.run(command, capture_output=True, check=True, env=environment).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(piped)))
    assert {row["label"] for row in rows} >= set(ODD_LABELS)
    run(*arguments, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == piped == run(*arguments).stdout


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown", "latex", "conlleval"])
def test_no_form_controls_a_terminal(odd: Path, form: str) -> None:
    shown = on_a_terminal(80, "score", odd, odd, "--match", "exact", "--as", form, "-q")
    assert not {"\x1b", "\x9b", "\u202e", "\u200f"} & set(shown)
    spelled = (r"\x1b", r"\x9b", r"\u202e", r"\u200f")
    if form == "json":
        assert set(json.loads(shown)["gold"]["labels"]) == set(ODD_LABELS)
    else:
        assert all(each in shown.replace("\\\\", "\\").replace(r"\textbackslash{}", "\\") for each in spelled)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *(("x.json", "json"), ("x.csv", "csv"), ("x.md", "markdown"), ("x.tex", "latex"), ("x.HTML", "html")),
        *(("x.txt", "text"), ("x", "text"), ("x.other", "text")),
    ],
)
@pytest.mark.parametrize("command", ["score", "rank"])
def test_the_name_of_the_output_chooses_the_form(command: str, name: str, form: str, tmp_path: Path) -> None:
    assert ran(command, "-o", str(tmp_path / name)).exit_code == 0
    assert (tmp_path / name).read_text() == ran(command, "--as", form).stdout


@pytest.mark.parametrize("in_front", [True, False])
def test_the_form_that_is_named_counts(tmp_path: Path, in_front: bool) -> None:
    named, output = ("--as", "csv"), ("-o", str(tmp_path / "x.json"))
    assert ran("score", *(named + output if in_front else output + named)).exit_code == 0
    assert (tmp_path / "x.json").read_text().startswith("system,")


def test_a_name_that_asks_for_a_form_which_the_command_lacks(tmp_path: Path) -> None:
    result = ran("score", "-o", str(tmp_path / "x.jsonl"))
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert (
        "x.jsonl: its name asks for jsonl, which this command does not write; choose another name, or " in result.stderr
    )


def test_html_has_all_tables_and_rows(tmp_path: Path) -> None:
    page = ran("compare", "--show", "unsolved", "--as", "html").stdout
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    units = len(ran("compare", "--show", "unsolved", "--as", "jsonl").stdout.splitlines())
    assert units > 0
    assert page.count("<tr>") > units
    assert "to_pandas" not in page
