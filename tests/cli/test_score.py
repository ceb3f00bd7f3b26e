"""`evenhand score` and `evenhand demo` as a user calls them."""

from __future__ import annotations

import json
import re
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
    assert "needs one measure" in result.stderr


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
        "ragged.conll:3: expected 2 columns as in line 1, got 1; fix the line, or start it with # if it is a comment.",
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
        "gold.conll:4: found the token 'Bo' after the end of the gold standard short.conll; " + SAME_TOKENS,
    ),
    "other token": (
        ["score", "gold.conll", "other.conll"],
        "other.conll:2: found the token 'saw' where gold.conll:2 has 'sees'; " + SAME_TOKENS,
    ),
    "no such column": (
        ["score", "gold.conll", "other.conll", "--column", "7"],
        "gold.conll:1: column 7 does not exist, this line has 2 columns; specify another column.",
    ),
    "weights": (
        ["score", "gold.conll", "gold.conll", "--weights", "LE is bad"],
        "'LE is bad' in the weights: write one of LE, BES, BEL, BEO, LBE, BE, GE before an equals sign, as in 'LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN'.",
    ),
    "map": (
        ["score", "gold.conll", "gold.conll", "--map", "PER"],
        "'PER' is not a label map; write OLD=NEW, or system:OLD=NEW for one side only.",
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
        ("--encoding", "system:iob"),
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


NER = [Path(eh.__file__).parent / "examples" / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger")]


def test_several_systems_have_a_summary_or_all_tables() -> None:
    summary, full = run("score", *NER).stdout, run("score", *NER, "--full").stdout
    assert summary.startswith("tagger leads crf by 14.52 points")
    assert "crf: 212 spans" in full
    assert "crf: 212 spans" not in summary
    assert run("score", *NER[:2], "--full").stdout == run("score", *NER[:2]).stdout
    assert "summary" not in json.loads(run("score", *NER, "--as", "json").stdout)
    assert json.loads(run("score", *NER, "--as", "json", "--against", "first").stdout)["summary"]["against"] == "crf"


def test_slices_of_several_systems_have_all_tables() -> None:
    assert "slice: length (exact)" in run("score", *NER, "--slice", "length").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (*NER[:2], "--summary"),
        (*NER[:2], "--against", "first"),
        (*NER, "--full", "--against", "first"),
        (*NER, "--summary", "--as", "value"),
        (*NER, "--summary", "--slice", "length"),
        (*NER, "--against", "nobody"),
        (*NER, "--vocabulary", "words.txt"),
    ],
)
def test_options_of_summaries_that_do_nothing_are_errors(arguments: tuple[object, ...]) -> None:
    result = run("score", *arguments, "--quiet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1


def test_demo() -> None:
    result = run("demo")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("tagger leads crf by 14.52 points, p = 0.023: a significant difference.")
    assert [line.split()[:2] for line in lines[-3:]] == [["evenhand", each] for each in ("report", "compare", "errors")]


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


# `evenhand score --as conlleval`: the layout that programs read, as conlleval (Tjong Kim Sang 2000) prints it


BOTH = """\
Ada NNP B-PER B-PER
Lovelace NNP I-PER I-PER
met VBD O O
Babbage NNP B-PER O
in IN O O
London NNP B-LOC B-ORG
. . O O
"""


def run_conlleval(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["score", *map(str, arguments), "--as", "conlleval"], prog_name="evenhand")


@pytest.fixture
def both(tmp_path: Path) -> Path:
    path = tmp_path / "both.conll"
    path.write_text(BOTH)
    return path


def test_one_file(both: Path) -> None:
    """Five of seven tags are equal; one of three phrases is found, among two."""
    assert run_conlleval(both, "-q").stdout == (
        "processed 7 tokens with 3 phrases; found: 2 phrases; correct: 1.\n"
        "accuracy:  71.43%; precision:  50.00%; recall:  33.33%; FB1:  40.00\n"
        "              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
        "              ORG: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"
        "              PER: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n"
    )


def test_ties_are_rounded_as_conlleval_does(tmp_path: Path) -> None:
    """F1 is 2 / 64 = 3.125 %; Perl's 2*P*R/(P+R) of P = 100*1/1 and R = 100*1/63 lies a bit above."""
    path = tmp_path / "both.conll"
    path.write_text("w B-X B-X\n" + "w B-X O\n" * 62)
    assert run_conlleval(path, "-q").stdout.splitlines()[1:] == [
        "accuracy:   1.59%; precision: 100.00%; recall:   1.59%; FB1:   3.13",
        "                X: precision: 100.00%; recall:   1.59%; FB1:   3.13  1",
    ]


def test_ties_of_recall_and_accuracy(tmp_path: Path) -> None:
    """23 of 160 are 14.375 %; Perl prints 100*23/160 as 14.38, and 100*(23/160) would be 14.37."""
    path = tmp_path / "both.conll"
    path.write_text("w B-X B-X\n" * 23 + "w B-X O\n" * 137)
    assert run_conlleval(path, "-q").stdout.splitlines()[1] == (
        "accuracy:  14.38%; precision: 100.00%; recall:  14.38%; FB1:  25.14"
    )


TREE = "1\ta\ta\tNOUN\tN\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (
            TREE,
            (),
            "the gold standard has trees; choose another --as, or specify --task spans and the --column of the tags",
        ),
        (TREE, ("--task", "trees"), "the task is trees; choose another --as"),
        (TREE, ("--task", "tags"), "the task is tags; choose another --as"),
        (
            "#begin document (d);\na (0)\n#end document\n",
            (),
            "the gold standard has chains; choose another --as, or specify --task spans and the --column of the tags",
        ),
    ],
)
def test_other_tasks_are_refused(tmp_path: Path, text: str, options: tuple[str, ...], sentence: str) -> None:
    path = tmp_path / "gold.conll"
    path.write_text(text)
    result = run_conlleval(path, path, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"evenhand: The conlleval layout is for spans, but {sentence}; see evenhand score --help.\n"
    )


def test_spans_in_a_column_of_conllu(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(TREE.replace("_\n", "B-PER\n"))
    (system := tmp_path / "system.conllu").write_text(path.read_text())
    assert run_conlleval(path, system, "--task", "spans", "-q").stdout.startswith(
        "processed 1 tokens with 1 phrases; found: 1 "
    )


def test_several_systems_stand_behind_their_names(tmp_path: Path) -> None:
    for name, tags in {"gold": "B-A I-A O", "one": "B-A I-A O", "two": "B-A O B-A"}.items():
        (tmp_path / f"{name}.conll").write_text("".join(f"w {tag}\n" for tag in tags.split()))
    assert run_conlleval(*(tmp_path / f"{name}.conll" for name in ("gold", "one", "two")), "-q").stdout == (
        "system: one\n"
        "processed 3 tokens with 1 phrases; found: 1 phrases; correct: 1.\n"
        "accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n"
        "                A: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
        "system: two\n"
        "processed 3 tokens with 1 phrases; found: 2 phrases; correct: 0.\n"
        "accuracy:  33.33%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
        "                A: precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
    )


def test_labels_end_in_column_17_and_longer_ones_push_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("a B-SEVENTEEN-LETTERS B-SEVENTEEN-LETTERS\nb B-X B-X\nc B-EIGHTEEN-LETTERS-X O\n")
    eighteen, seventeen, one = (line.partition(":")[0] for line in run_conlleval(path, "-q").stdout.splitlines()[2:])
    assert (eighteen, seventeen, one) == ("EIGHTEEN-LETTERS-X", "SEVENTEEN-LETTERS", " " * 16 + "X")


def test_nothing_found(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("a B-X O\nb O O\n")
    assert run_conlleval(path, "-q").stdout == (
        "processed 2 tokens with 1 phrases; found: 0 phrases; correct: 0.\n"
        "accuracy:  50.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
        "                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
    )


def test_expressions_that_programs_read_it_with(both: Path) -> None:
    """Those of scripts that take the overall F1 and the accuracy out of conlleval's second line."""
    second = run_conlleval(both, "-q").stdout.splitlines()[1]
    assert float(second.split()[-1]) == 40.0
    found = re.match(r"accuracy:\s+([\d.]+)%; precision:\s+([\d.]+)%; recall:\s+([\d.]+)%; FB1:\s+([\d.]+)$", second)
    assert found is not None
    assert found.groups() == ("71.43", "50.00", "33.33", "40.00")


def test_match_models_and_beta_change_nothing(both: Path) -> None:
    plain = run_conlleval(both, "-q").stdout
    assert (
        run_conlleval(both, "-q", "--match", "fair,ts").stdout
        == run_conlleval(both, "-q", "--beta", "2").stdout
        == plain
    )


def test_labels_can_be_chosen(both: Path) -> None:
    assert run_conlleval(both, "-q", "--labels", "PER").stdout == (
        "processed 7 tokens with 2 phrases; found: 1 phrases; correct: 1.\n"
        "accuracy:  85.71%; precision: 100.00%; recall:  50.00%; FB1:  66.67\n"
        "              PER: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n"
    )


def test_notes_go_to_standard_error(both: Path) -> None:
    result = run_conlleval(both)
    assert result.stdout.startswith("processed ")
    assert "Note: gold both: the label 'LOC' (1 span) does not occur in the system" in result.stderr


def test_it_can_be_written_to_a_file(both: Path, tmp_path: Path) -> None:
    assert run_conlleval(both, "-q", "-o", tmp_path / "scores.txt").stdout == ""
    assert (tmp_path / "scores.txt").read_text() == run_conlleval(both, "-q").stdout


def test_span_tables_have_no_tokens_to_count(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("PER\t1\t2\n")
    result = run_conlleval(gold, gold, "-q")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert "tokens" in result.stderr
    assert result.stderr.count("\n") == 1
