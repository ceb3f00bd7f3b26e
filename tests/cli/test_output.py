"""Options for what tables look like, and text on a terminal, as users meet them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import EXAMPLE
from evenhand.cli import main
from evenhand.cli import output as progress
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
    assert r"\caption{R\&D" in shown
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
    assert on_a_terminal(500, *COMPARE, "--signature", NO_COLOR="1") == run(*COMPARE).stdout


def test_a_terminal_gets_a_short_signature() -> None:
    """Only settings that differ from their defaults; pipes and files have all of them."""
    *_, last = on_a_terminal(100, *COMPARE, "--labels", "PER,ORG", NO_COLOR="1").splitlines()
    shown = f"evenhand:{eh.__version__}|numbers:1|task:spans|match:fair|labels:ORG,PER|by:fair (--signature: all)"
    assert last == shown
    *_, last = run(*COMPARE, "--labels", "PER,ORG").stdout.splitlines()
    assert last.endswith("|by:fair|of:documents|trials:0|resamples:0|interval:percentile|level:0.95|seed:0")
    assert run(*COMPARE, "--signature", "--as", "json").exit_code == 2


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
    """A file whose labels look the same where control characters are left out or obeyed, with a copy beside it."""
    for name in ("copy.conll", "odd.conll"):
        (tmp_path / name).write_text("".join(f"w B-{label}\n" for label in ODD_LABELS), encoding="utf-8")
    return tmp_path / "odd.conll"


def test_csv_keeps_labels_apart(odd: Path, tmp_path: Path) -> None:
    arguments = ("score", odd, odd.with_stem("copy"), "--match", "exact", "--as", "csv", "-q")
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", *map(str, arguments)]
    piped = subprocess.run(command, capture_output=True, check=True, env=environment).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(piped)))
    assert {row["label"] for row in rows} >= set(ODD_LABELS)
    run(*arguments, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == piped == run(*arguments).stdout


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown", "latex", "conlleval"])
def test_no_form_controls_a_terminal(odd: Path, form: str) -> None:
    shown = on_a_terminal(80, "score", odd, odd.with_stem("copy"), "--match", "exact", "--as", form, "-q")
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
    named, output = ("--as", "csv"), ("-o", str(tmp_path / "x.txt"))
    assert ran("score", *(named + output if in_front else output + named)).exit_code == 0
    assert (tmp_path / "x.txt").read_text().startswith("system,")


def test_a_name_that_asks_for_a_form_which_the_command_lacks(tmp_path: Path) -> None:
    result = ran("score", "-o", str(tmp_path / "x.jsonl"))
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "x.jsonl: this command does not write jsonl; use a name ending in .txt, .json, " in result.stderr


def test_html_has_all_tables_and_rows(tmp_path: Path) -> None:
    page = ran("compare", "--show", "unsolved", "--as", "html").stdout
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    units = len(ran("compare", "--show", "unsolved", "--as", "jsonl").stdout.splitlines())
    assert units > 0
    assert page.count("<tr>") > units
    assert "to_pandas" not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "-o", "x.xlsx"], "x.xlsx: this command does not write xlsx; use a name ending in"),
        (["score", "-o", "x.json.gz"], "x.json.gz: this command does not write gz; use a name ending"),
        (["gate", "--only", "--max-drop", "1", "-o", "x.csv"], "x.csv: this command does not write csv"),
        (["score", "--as", "json", "-o", "x.csv"], "x.csv: its suffix means csv, but json would be written; use a name ending"),
        (["score", "-o", "x.csv", "--as", "json"], "x.csv: its suffix means csv, but json would be written; use a name ending"),
        (["rank", "--as", "latex", "-o", "x.md"], "x.md: its suffix means markdown, but latex would be written; use"),
        (["score", "--match", "fair", "--as", "value", "-o", "x.json"], "but value would be written; use a name ending in .txt."),
        (["report", "-o", "x.pdf"], "x.pdf: its suffix means pdf, but html would be written; use a name ending in .html."),
        (["report", "-o", "x.json"], "x.json: its suffix means json, but html would be written; use a name ending in .html."),
        (["score", "-o", "missing/x.json"], "x.json: cannot be written (no such file or directory); check the folder."),
        (["report", "-o", "."], ".: is a folder; specify a file in it."),
        (["score", "--as", "value"], "A bare value needs one measure, but exact, fair were scored; name one with"),
        (["compare", "--as", "jsonl"], "JSON lines contain units; add --show"),
        (["agree", "--page", "x.pdf"], "x.pdf: its suffix means pdf, but html would be written; use a name ending in .html."),
        (["agree", "--conflicts", "x.csv"], "x.csv: its suffix means csv, but jsonl would be written; use a name ending in"),
        (["agree", "--adjudicate", "x.pdf"], "The name 'x.pdf' does not indicate a format; specify one with --to"),
        (["agree", "--page", "x.html", "--vote", "no"], "vote is 'no'"),
        (["germeval", "-l", "-o", "x.json"], "--latex and --as json cannot be combined"),
    ],
)  # fmt: skip
def test_outputs_that_cannot_be_are_refused_before_files_are_read(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second system is broken, which nobody notices."""
    monkeypatch.chdir(tmp_path)
    broken = tmp_path / "broken.conll"
    broken.write_bytes(TAGGER.read_bytes() + b"\na\tb\tc\td\n\xff\n")
    command, *options = arguments
    result = run(command, GOLD, *([broken] if command == "germeval" else [CRF, broken]), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["broken.conll"]


@pytest.mark.parametrize("name", ["x", "x.txt", "x.out", "x.log", "scores.2024-05"])
def test_other_names_hold_text(name: str, tmp_path: Path) -> None:
    assert ran("score", "-o", str(tmp_path / name)).exit_code == 0
    assert (tmp_path / name).read_text(encoding="utf-8") == ran("score").stdout
    assert ran("score", "--as", "json", "-o", str(tmp_path / "x.txt")).exit_code == 0


# Colours on a terminal: the best scores are bold, significant differences green or red; nowhere else


GOLD_COLOUR, CRF_COLOUR, TAGGER_COLOUR = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
BOLD, GREEN, RED, NORMAL = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"
COMPARE_COLOUR = ("compare", GOLD_COLOUR, CRF_COLOUR, TAGGER_COLOUR, "-q")


def output(*arguments: object, **environment: str) -> str:
    """What a command prints into a pipe."""
    return CliRunner(env=environment).invoke(main, [*map(str, arguments)], catch_exceptions=False).stdout


def test_the_best_score_is_bold_and_a_significant_gain_green() -> None:
    shown = on_a_terminal(200, *COMPARE_COLOUR)
    assert f"tagger  {BOLD}91.01{NORMAL}\n" in shown
    assert "crf     76.50\n" in shown
    assert f"{GREEN}+14.52**{NORMAL}" in shown
    assert "** p < 0.01" in " ".join(shown.split())


def test_a_significant_loss_is_red() -> None:
    shown = output("compare", GOLD_COLOUR, TAGGER_COLOUR, CRF_COLOUR, "-q", FORCE_COLOR="1")
    assert f"{RED}-14.52**{NORMAL}" in shown


@pytest.mark.parametrize(
    "settings", [{"NO_COLOR": "1"}, {"TERM": "dumb", "FORCE_COLOR": "0"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}]
)
def test_terminals_without_colours(settings: dict[str, str]) -> None:
    shown = on_a_terminal(200, *COMPARE_COLOUR, **settings)
    assert "\x1b" not in shown
    assert "+14.52 " in shown


def test_pipes_and_files_have_none(tmp_path: Path) -> None:
    assert "\x1b" not in output(*COMPARE_COLOUR)
    assert output(*COMPARE_COLOUR, "-o", tmp_path / "out.txt", FORCE_COLOR="1") == ""
    assert "\x1b" not in (tmp_path / "out.txt").read_text()


def test_columns_are_aligned_as_without_colours() -> None:
    coloured = output(*COMPARE_COLOUR, FORCE_COLOR="1")
    for look in (BOLD, GREEN, RED, NORMAL):
        coloured = coloured.replace(look, "")
    table = [line.split() for line in output(*COMPARE_COLOUR).splitlines()[2:6]]
    assert [line.split() for line in coloured.splitlines()[2:6]] == table


def test_commands_in_data_stay_visible(tmp_path: Path) -> None:
    for name, tag in (("gold", "B-\x1b[31mPER"), ("a", "B-\x1b[31mPER"), ("b", "O")):
        (tmp_path / f"{name}.conll").write_text(f"Ada\t{tag}\nran\tO\n")
    files = [tmp_path / f"{name}.conll" for name in ("gold", "a", "b")]
    shown = output("score", *files, "-q", FORCE_COLOR="1")
    assert "\\x1b[31mPER" in shown
    assert f"{BOLD}100.00{NORMAL}" in shown
    assert RED not in shown


# The line that counts: on a terminal only, and only for work that takes a while


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False, patience: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    with progress.counter("file pairs", quiet=quiet) as count:
        if count is not None:
            count(999, 1000)
            count(1000, 1000)
    return stream.getvalue()


def test_the_line_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    wiped = " " * len("1,000 of 1,000 file pairs")
    expected = f"\r999 of 1,000 file pairs\r1,000 of 1,000 file pairs\r{wiped}\r"
    assert shown(Terminal(), monkeypatch) == expected


def test_nothing_is_shown_where_it_would_be_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch) == ""
    assert shown(Terminal(), monkeypatch, quiet=True) == ""
    assert shown(Terminal(), monkeypatch, patience=1000) == ""


def watched(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    """What a command shows on standard error, without patience."""
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    shown: list[str] = []
    monkeypatch.setattr(progress.Line, "_write", lambda line, text: shown.append(text))
    monkeypatch.setattr(progress, "sys", type("streams", (), {"stderr": stream, "stdout": sys.stdout}))
    result = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")
    assert result.exit_code == 0
    return "".join(shown)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_bytes_of_all_files_as_they_are_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str
) -> None:
    files = [tmp_path / f"{name}.conll{ending}" for name in ("gold", "system")]
    for file in files:
        data = b"a\tO\nb\tB-PER\n\n" * 200_000
        file.write_bytes(gzip.compress(data) if ending else data)
    size = f"{sum(file.stat().st_size for file in files) / 1e6:,.1f}"
    shown = watched(Terminal(), monkeypatch, "score", *files)
    assert f"\r[{'#' * 30}] {size} of {size} MB read" in shown
    assert shown.endswith("\r")
    assert watched(Terminal(), monkeypatch, "score", *files, "--quiet") == ""
    assert watched(io.StringIO(), monkeypatch, "score", *files) == ""


def test_what_files_are_taken_for_is_said_before_the_work(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("a\tO\n\n" * 200_000)
    system.write_text("a\tO\n\n" * 199_999 + "b\tO\n")
    result = CliRunner().invoke(main, ["score", str(gold), str(system)], prog_name="evenhand")
    assert result.exit_code == 2
    said, taken, error = result.stderr.splitlines()
    assert (said, taken) == ("gold: conll, tags in IOB2, column 2", "system: conll, tags in IOB2, column 2")
    assert error.startswith("evenhand: ")
