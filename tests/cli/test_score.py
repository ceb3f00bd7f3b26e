"""`evenhand score` and `evenhand demo` as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import EXAMPLE
from evenhand.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def paths(example: Path) -> tuple[Path, Path]:
    return example / "gold.conll", example / "tagger.conll"


def test_text(paths: tuple[Path, Path]) -> None:
    result = run("score", *paths)
    assert result.exit_code == 0
    assert result.stdout == str(eh.score(*paths))
    assert result.stderr == "gold: conll, tags in IOB2, column 2\ntagger: conll, tags in IOB2, column 2\n"
    assert run("score", *paths, "--quiet").stderr == ""


def test_json(paths: tuple[Path, Path]) -> None:
    result = run("score", *paths, "--as", "json", "--match", "exact,fair,weighted")
    assert json.loads(result.stdout) == eh.score(*paths, match="exact,fair,weighted").to_dict()


def test_csv_puts_notes_on_standard_error(paths: tuple[Path, Path]) -> None:
    result = run("score", *paths, "--as", "csv")
    assert result.stdout.startswith("system,model,row,label,")
    assert "Note: system tagger: 2 spans are ill-formed" in result.stderr
    assert run("score", *paths, "--as", "csv", "--quiet").stderr == ""


def test_a_bare_value_for_scripts(paths: tuple[Path, Path]) -> None:
    result = run("score", *paths, "--as", "value", "--match", "fair", "-q")
    assert float(result.stdout) == eh.score(*paths)["fair"].f1
    assert result.stdout.count("\n") == 1


def test_a_bare_value_needs_one_model(paths: tuple[Path, Path]) -> None:
    result = run("score", *paths, "--as", "value")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "needs one match model" in result.stderr


def test_a_file_is_written_whole(paths: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    assert run("score", *paths, "--as", "json", "-o", target).stdout == ""
    assert json.loads(target.read_text())["command"] == "score"
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


def test_a_file_that_cannot_be_written(paths: tuple[Path, Path], tmp_path: Path) -> None:
    result = run("score", *paths, "-o", tmp_path / "missing" / "scores.txt")
    assert result.exit_code == 2
    assert "cannot be written (no such file or directory); check the folder." in result.stderr


def test_a_failed_run_leaves_the_old_file_alone(paths: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")
    assert run("score", paths[0], tmp_path / "nothing", "--as", "json", "-o", target).exit_code == 2
    assert target.read_text() == "old"


def test_options_do_what_the_keywords_do(paths: tuple[Path, Path]) -> None:
    options = ["--labels", "PER,LOC", "--map", "ORG=LOC", "--map", "system:MISC=PER", "--levels", "separate"]
    options += ["--focus", "system", "--beta", "2", "--weights", "BE = TP", "--repair", "discard", "--encoding", "iob2"]
    result = run("score", *paths, "--as", "json", *options)
    expected = eh.score(
        *paths,
        labels="PER,LOC",
        map=["ORG=LOC", "system:MISC=PER"],
        levels="separate",
        focus="system",
        beta=2,
        weights="BE = TP",
        repair="discard",
        encoding="iob2",
    )
    assert json.loads(result.stdout) == expected.to_dict()
    assert (
        json.loads(run("score", *paths, "--as", "json", "--exclude", "PER").stdout)
        == eh.score(*paths, exclude="PER").to_dict()
    )


def test_weights_from_a_file(paths: tuple[Path, Path], tmp_path: Path) -> None:
    formula = tmp_path / "weights.txt"
    formula.write_text("# close calls count\nBE = 0.5 TP + 0.25 FP + 0.25 FN\n")
    by_file, by_name = (run("score", *paths, "--weights", given, "--as", "json") for given in (formula, "lenient"))
    assert json.loads(by_file.stdout) == json.loads(by_name.stdout)


def test_one_file_with_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "both.txt"
    path.write_text("Ada B-PER B-PER x\nsees O B-LOC x\n")
    result = run("score", path, "--column", "gold:2", "--column", "system:3", "--as", "json")
    system = json.loads(result.stdout)["systems"][0]
    assert (system["name"], system["scores"]["exact"]["overall"]["TP"], system["units"]) == ("both", 1, 2)


SAME_TOKENS = "both sides must have the same tokens in the same order, unless you choose --align position (other spellings) or --align characters (other tokens of the same text)."
BAD = {
    "wrong path": (["score", "gold.conll", "nothing.conll"], "nothing.conll: there is no such file; check the path."),
    "empty file": (["score", "gold.conll", "empty.conll"], "empty.conll: the file is empty; check how it was written."),
    "one column too few": (
        ["score", "gold.conll", "ragged.conll"],
        "ragged.conll:3: found 1 column where line 1 has 2; mend the line, or begin it with # if it is a comment.",
    ),
    "invalid UTF-8": (
        ["score", "gold.conll", "latin.conll"],
        "latin.conll:2: the byte 0xe9 is not valid UTF-8; save the file as UTF-8.",
    ),
    "too short": (
        ["score", "gold.conll", "short.conll"],
        "short.conll:2: the system ends here, but gold.conll:4 has the token 'Bo'; " + SAME_TOKENS,
    ),
    "too long": (
        ["score", "short.conll", "gold.conll"],
        "gold.conll:4: found the token 'Bo' behind the end of the gold standard short.conll; " + SAME_TOKENS,
    ),
    "other token": (
        ["score", "gold.conll", "other.conll"],
        "other.conll:2: found the token 'saw' where gold.conll:2 has 'sees'; " + SAME_TOKENS,
    ),
    "no such column": (
        ["score", "gold.conll", "other.conll", "--column", "7"],
        "gold.conll:1: there is no column 7, this line has 2 columns; name another column.",
    ),
    "weights": (
        ["score", "gold.conll", "gold.conll", "--weights", "LE is bad"],
        "'LE is bad' in the weights: name one of LE, BES, BEL, BEO, LBE, BE, GE before an equals sign, as in 'LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN'.",
    ),
    "map": (
        ["score", "gold.conll", "gold.conll", "--map", "PER"],
        "'PER' is no label map; write OLD=NEW, or system:OLD=NEW for one side only.",
    ),
    "beta": (
        ["score", "gold.conll", "gold.conll", "--beta", "0"],
        "beta is 0.0; it must be above 0, from 0.000001 to 1,000,000 (at 1, precision and recall weigh alike).",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_gives_one_sentence_and_status_2(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "gold.conll": b"Ada B-PER\nsees O\n\nBo B-PER\n",
        "empty.conll": b"",
        "ragged.conll": b"Ada B-PER\nsees O\nBo\n",
        "latin.conll": b"Ada B-PER\nJos\xe9 O\n",
        "short.conll": b"Ada B-PER\nsees O\n",
        "other.conll": b"Ada B-PER\nsaw O\n\nBo B-PER\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    arguments, sentence = BAD[kind]
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    *said, error = result.stderr.splitlines()
    assert error == f"evenhand: {sentence}"
    assert all(": conll, tags in " in line for line in said)  # what the files were taken for


@pytest.mark.parametrize(
    "option",
    [
        ("--as", "xml"),
        ("--repair", "guess"),
        ("--encoding", "system:bio"),
        ("--nothing",),
        ("--align", "near"),
    ],
)
def test_unknown_option_values_are_usage_errors(paths: tuple[Path, Path], option: tuple[str, ...]) -> None:
    result = run("score", *paths, *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert "see evenhand score --help." in result.stderr or "hoose one of " in result.stderr
    assert result.stderr.count("\n") == 1


def test_demo() -> None:
    result = run("demo")
    assert result.exit_code == 0
    assert "gazetteer: 195 spans" in result.stdout


def test_help_and_version() -> None:
    assert "score" in run("--help").stdout
    assert run("--version").stdout == f"evenhand {eh.__version__}\n"
    assert (run("nothing").exit_code, run("nothing").stderr) == (
        2,
        "evenhand: No such command 'nothing'; see evenhand --help.\n",
    )


def test_the_installed_command(paths: tuple[Path, Path]) -> None:
    command = Path(sys.executable).with_name("evenhand")
    done = subprocess.run(
        [command, "score", *paths, "--as", "value", "--match", "exact", "-q"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert round(float(done.stdout), 4) == 0.8741


def test_weights_from_files(tmp_path: Path) -> None:
    gold, system, weights = (
        str(path) for path in (EXAMPLE / "gold.conll", EXAMPLE / "crf.conll", tmp_path / "weights")
    )
    Path(weights).write_bytes("\ufeffLE = FP  # Ünlü\nBE = FN\n".encode())
    assert run("score", gold, system, "--weights", weights).exit_code == 0
    Path(weights).write_bytes(b"LE = FP\nBE = FN # \xfc")
    result = run("score", gold, system, "--weights", weights)
    sentence = f"{weights}:2: the byte 0xfc is not valid UTF-8; save the file as UTF-8."
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")
    for odd in (str(tmp_path), "x" * 5000, "no\nfile"):
        result = run("score", gold, system, "--weights", odd)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert len(result.stderr) < 300


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000], ids=["name", "path"])
@pytest.mark.parametrize("command", ["score", "compare", "rank", "report", "gate", "germeval", "check", "convert"])
def test_names_that_are_too_long_for_a_file(command: str, name: str, tmp_path: Path) -> None:
    gold, new = EXAMPLE / "gold.conll", tmp_path / "new.jsonl"
    more = {"gate": [gold], "report": ["-o", new], "check": [], "convert": [new]}.get(command, [gold])
    more = [gold, *more] if command in ("gate", "compare") else more
    result = run(command, name, *more)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "cannot be opened (file name too long); check the path and the permissions." in result.stderr
    assert len(result.stderr) < 300
