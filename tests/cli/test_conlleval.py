"""`evenhand score --as conlleval`: the layout that programs read, as conlleval (Tjong Kim Sang 2000) prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evenhand.cli import main

BOTH = """\
Ada NNP B-PER B-PER
Lovelace NNP I-PER I-PER
met VBD O O
Babbage NNP B-PER O
in IN O O
London NNP B-LOC B-ORG
. . O O
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["score", *map(str, arguments), "--as", "conlleval"], prog_name="evenhand")


@pytest.fixture
def both(tmp_path: Path) -> Path:
    path = tmp_path / "both.conll"
    path.write_text(BOTH)
    return path


def test_one_file(both: Path) -> None:
    """Five of seven tags are equal; one of three phrases is found, among two."""
    assert run(both, "-q").stdout == (
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
    assert run(path, "-q").stdout.splitlines()[1:] == [
        "accuracy:   1.59%; precision: 100.00%; recall:   1.59%; FB1:   3.13",
        "                X: precision: 100.00%; recall:   1.59%; FB1:   3.13  1",
    ]


def test_ties_of_recall_and_accuracy(tmp_path: Path) -> None:
    """23 of 160 are 14.375 %; Perl prints 100*23/160 as 14.38, and 100*(23/160) would be 14.37."""
    path = tmp_path / "both.conll"
    path.write_text("w B-X B-X\n" * 23 + "w B-X O\n" * 137)
    assert run(path, "-q").stdout.splitlines()[1] == (
        "accuracy:  14.38%; precision: 100.00%; recall:  14.38%; FB1:  25.14"
    )


TREE = "1\ta\ta\tNOUN\tN\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (
            TREE,
            (),
            "the gold standard has trees; choose another --as, or name --task spans and the --column of the tags",
        ),
        (TREE, ("--task", "trees"), "the task is trees; choose another --as"),
        (TREE, ("--task", "tags"), "the task is tags; choose another --as"),
        (
            "#begin document (d);\na (0)\n#end document\n",
            (),
            "the gold standard has chains; choose another --as, or name --task spans and the --column of the tags",
        ),
    ],
)
def test_other_tasks_are_refused(tmp_path: Path, text: str, options: tuple[str, ...], sentence: str) -> None:
    path = tmp_path / "gold.conll"
    path.write_text(text)
    result = run(path, path, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"evenhand: The layout of conlleval is for spans, but {sentence}; see evenhand score --help.\n"
    )


def test_spans_in_a_column_of_conllu(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(TREE.replace("_\n", "B-PER\n"))
    (system := tmp_path / "system.conllu").write_text(path.read_text())
    assert run(path, system, "--task", "spans", "-q").stdout.startswith("processed 1 tokens with 1 phrases; found: 1 ")


def test_several_systems_stand_behind_their_names(tmp_path: Path) -> None:
    for name, tags in {"gold": "B-A I-A O", "one": "B-A I-A O", "two": "B-A O B-A"}.items():
        (tmp_path / f"{name}.conll").write_text("".join(f"w {tag}\n" for tag in tags.split()))
    assert run(*(tmp_path / f"{name}.conll" for name in ("gold", "one", "two")), "-q").stdout == (
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
    eighteen, seventeen, one = (line.partition(":")[0] for line in run(path, "-q").stdout.splitlines()[2:])
    assert (eighteen, seventeen, one) == ("EIGHTEEN-LETTERS-X", "SEVENTEEN-LETTERS", " " * 16 + "X")


def test_nothing_found(tmp_path: Path) -> None:
    path = tmp_path / "both.conll"
    path.write_text("a B-X O\nb O O\n")
    assert run(path, "-q").stdout == (
        "processed 2 tokens with 1 phrases; found: 0 phrases; correct: 0.\n"
        "accuracy:  50.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
        "                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
    )


def test_expressions_that_programs_read_it_with(both: Path) -> None:
    """Those of scripts that take the overall F1 and the accuracy out of conlleval's second line."""
    second = run(both, "-q").stdout.splitlines()[1]
    assert float(second.split()[-1]) == 40.0
    found = re.match(r"accuracy:\s+([\d.]+)%; precision:\s+([\d.]+)%; recall:\s+([\d.]+)%; FB1:\s+([\d.]+)$", second)
    assert found is not None
    assert found.groups() == ("71.43", "50.00", "33.33", "40.00")


def test_match_models_and_beta_change_nothing(both: Path) -> None:
    plain = run(both, "-q").stdout
    assert run(both, "-q", "--match", "fair,ts").stdout == run(both, "-q", "--beta", "2").stdout == plain


def test_labels_can_be_chosen(both: Path) -> None:
    assert run(both, "-q", "--labels", "PER").stdout == (
        "processed 7 tokens with 2 phrases; found: 1 phrases; correct: 1.\n"
        "accuracy:  85.71%; precision: 100.00%; recall:  50.00%; FB1:  66.67\n"
        "              PER: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n"
    )


def test_notes_go_to_standard_error(both: Path) -> None:
    result = run(both)
    assert result.stdout.startswith("processed ")
    assert "Note: gold both: the label 'LOC' (1 span) does not occur in the system" in result.stderr


def test_it_can_be_written_to_a_file(both: Path, tmp_path: Path) -> None:
    assert run(both, "-q", "-o", tmp_path / "scores.txt").stdout == ""
    assert (tmp_path / "scores.txt").read_text() == run(both, "-q").stdout


def test_span_tables_have_no_tokens_to_count(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("PER\t1\t2\n")
    result = run(gold, gold, "-q")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert "tokens" in result.stderr
    assert result.stderr.count("\n") == 1
