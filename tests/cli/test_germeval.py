"""`evenhand germeval` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main

ROWS = "1 a B-PER O B-PER O\n2 b I-PER B-LOC I-PER O\n\n1 c B-ORGpart O B-ORG O\n2 d O O I-LOC O\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["germeval", *map(str, arguments)], prog_name="evenhand")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "both.tsv"
    path.write_text(ROWS.replace(" ", "\t"))
    return path


def test_text(path: Path) -> None:
    result = run(path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == str(eh.germeval(path))
    assert result.stdout.startswith(
        "STRICT: Found: 3 outer and 0 inner phrases; Gold: 2 (outer) and 1 (inner).\n"
        "LOOSE: Found: 3 outer and 0 inner phrases; Gold: 2 (outer) and 1 (inner).\n"
        "\n"
        "1. Strict, Combined Evaluation (official):\n"
        "Accuracy:  62.50%;\n"
        "Precision:  33.33%;\n"
        "Recall:  33.33%;\n"
        "FB1:  33.33\n"
    )


def test_two_files(path: Path, tmp_path: Path) -> None:
    rows = [line.split(" ") for line in ROWS.splitlines()]
    for name, columns in (("gold.tsv", (0, 1, 2, 3)), ("system.tsv", (0, 1, 4, 5))):
        lines = ["\t".join(row[column] for column in columns) if len(row) > 1 else "" for row in rows]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    two = json.loads(run(tmp_path / "gold.tsv", tmp_path / "system.tsv", "--as", "json").stdout)
    assert two["metrics"] == json.loads(run(path, "--as", "json").stdout)["metrics"]
    assert (two["gold"]["name"], two["prediction"]["name"]) == ("gold", "system")


def test_json(path: Path, tmp_path: Path) -> None:
    result = run(path, "--as", "json", "--repair", "discard")
    assert json.loads(result.stdout) == eh.germeval(path, repair="discard").to_dict()
    target = tmp_path / "scores.json"
    assert run(path, "--as", "json", "-o", target).stdout == ""
    assert json.loads(target.read_text())["command"] == "germeval"


def test_as_script_gives_the_figures_of_the_official_script(path: Path) -> None:
    ours, script = run(path).stdout, run(path, "--as-script").stdout
    assert "STRICT: Found: 3 outer and 0 inner phrases; " in ours
    assert "STRICT: Found: 2 outer and 0 inner phrases; " in script
    assert script == str(eh.germeval(path, as_script=True))
    refused = run(path, "--as-script", "--repair", "error")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "evenhand: The script has its own rule for ill-formed entities; remove --repair error.\n",
    )


def test_latex_is_a_table_with_rules_and_remarks_are_on_standard_error(path: Path) -> None:
    result = run(path, "-l")
    assert result.stdout.splitlines()[1:] == [
        r"\begin{center}\small\setlength{\tabcolsep}{4pt}",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"metric & accuracy & P & R & F1 \\",
        r"\midrule",
        r"strict, combined & 62.50 & 33.33 & 33.33 & 33.33 \\",
        r"loose, combined & 75.00 & 66.67 & 66.67 & 66.67 \\",
        r"strict, outer & 50.00 & 33.33 & 50.00 & 40.00 \\",
        r"strict, inner & 75.00 & 0.00 & 0.00 & 0.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{center}",
    ]
    assert "Repaired tags: 1 (gold 0, prediction 1; spans kept)" in result.stderr
    assert run(path, "-l", "-q").stderr == ""


def test_verbose_adds_counts(path: Path) -> None:
    lines = run(path, "-v").stdout.splitlines()
    start = lines.index("counts                         outer                   inner")
    assert lines[start + 1].split() == ["gold", "found", "correct"] * 2
    assert lines[start + 2].split() == ["LOC", "0", "1", "0", "1", "0", "0"]
    assert lines[start + 7].split() == ["ORGpart", "1", "0", "0", "0", "0", "0"]
    assert lines[start + 15].split() == ["ORG,", "loose", "1", "1", "1", "0", "0", "0"]
    assert lines[start + 19].split() == ["all,", "loose", "2", "3", "2", "1", "0", "0"]
    assert r"all, loose & 2 & 3 & 2 & 1 & 0 & 0 \\" in run(path, "-l", "-v").stdout


@pytest.mark.parametrize(("option", "delimiter"), [(";", ";"), (" ", " "), (r"\t", "\t")])
def test_delimiter(path: Path, tmp_path: Path, option: str, delimiter: str) -> None:
    other = tmp_path / "other.txt"
    other.write_text(ROWS.replace(" ", delimiter))
    result = run(other, "-d", option, "--as", "json")
    assert json.loads(result.stdout)["metrics"] == eh.germeval(path).to_dict()["metrics"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bad.tsv"], "bad.tsv:1: the tag 'B-MISC' in column 5 has the unknown class 'MISC'; fix it: tags are O, or "),
        (
            ["both.tsv", "--repair", "error"],
            "both.tsv:5: the span that begins here with 'I-LOC' in column 5 is ill-formed ",
        ),
        (["both.tsv", "-d", ";"], "both.tsv:1: expected ';' between columns, got none; use another --delimiter"),
        (["both.tsv", "-d", "x"], "The delimiter 'x' cannot separate columns; "),
        (["nothing.tsv"], "nothing.tsv: there is no such file; check the path."),
        (["both.tsv", "bad.tsv"], "bad.tsv:1: the tag 'B-MISC' in column 5 has the unknown class 'MISC'; "),
        (["both.tsv", "-l", "--as", "json"], "--latex and --as json cannot be combined; see evenhand germeval --help."),
        ([], "Missing argument 'GOLD'; see evenhand germeval --help."),
    ],
)
def test_errors_are_one_sentence_with_status_2_and_no_scores(
    path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(path.parent)
    Path("bad.tsv").write_text("1\ta\tO\tO\tB-MISC\tO\n")
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"evenhand: {sentence}")
    assert result.stderr.count("\n") == 1
