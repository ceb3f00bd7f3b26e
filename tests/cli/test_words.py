"""Commands on tags and trees: score, rank, check, convert, demo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import ROOT
from evenhand.cli import main

TREES = ROOT / "src" / "evenhand" / "examples" / "trees"
TAGS = ROOT / "src" / "evenhand" / "examples" / "tags"
GOLD = TREES / "gold.conllu"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def scored(*arguments: object) -> dict:
    result = run("score", *arguments, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_conllu_is_scored_as_trees() -> None:
    found = scored(GOLD, TREES / "neural.conllu")
    assert found["task"] == "trees"
    assert list(found["systems"][0]["scores"])[:4] == ["uas", "ls", "las", "conll18-tokens"]
    assert len(found["systems"][0]["scores"]) == 16
    assert (found["gold"]["sentences"], found["gold"]["units"]) == (68, 855)
    assert "align:characters" in found["signature"]


def test_official_scores_have_four_figures() -> None:
    """The figures of udtools 0.2.9 for the bundled example."""
    scores = scored(GOLD, TREES / "neural.conllu")["systems"][0]["scores"]
    las = scores["conll18-las"]["overall"]
    assert set(las) == {"correct", "gold", "system", "aligned", "precision", "recall", "f1", "aligned_accuracy"}
    assert [round(100 * las[name], 2) for name in ("precision", "recall", "f1")] == [90.54, 90.64, 90.59]
    assert "aligned_accuracy" not in scores["conll18-words"]["overall"]


def test_attachment_has_sentences_labels_and_distances() -> None:
    las = scored(GOLD, TREES / "neural.conllu")["systems"][0]["scores"]["las"]
    assert set(las) == {"headline", "overall", "macro", "support", "labels", "sentences", "distances"}
    assert las["headline"] == las["overall"]["accuracy"] == las["overall"]["correct"] / 855
    assert list(las["distances"]) == ["root", "1", "2", "3-6", "7+"]
    assert las["sentences"] == {"correct": 31, "total": 68, "share": 31 / 68}


def rows(name: str) -> list[list[str]]:
    """The words of a bundled treebank, by a plain loop."""
    lines = (TREES / f"{name}.conllu").read_text().splitlines()
    return [line.split("\t") for line in lines if line.partition("\t")[0].isdecimal()]


def test_a_bare_value() -> None:
    """The rules have the gold standard's words, so that a plain loop can count."""
    words = [(mine, other) for mine, other in zip(rows("gold"), rows("rules"), strict=True) if mine[7] != "punct"]
    right = [mine[6] == other[6] and mine[7].split(":")[0] == other[7].split(":")[0] for mine, other in words]
    found = run("score", GOLD, TREES / "rules.conllu", "--match", "las", "--punctuation", "relation", "--as", "value")
    assert found.exit_code == 0
    assert float(found.stdout) == sum(right) / len(words)


def test_tags_of_two_columns() -> None:
    found = scored(TAGS / "gold.tsv", TAGS / "hmm.tsv", "--task", "tags")
    accuracy = found["systems"][0]["scores"]["accuracy"]
    assert found["task"] == "tags"
    assert (accuracy["overall"]["correct"], accuracy["overall"]["gold"]) == (820, 906)
    assert accuracy["headline"] == accuracy["overall"]["accuracy"] == 820 / 906
    assert accuracy["confusion"]["ADV"]


def test_any_column_of_conllu_can_be_tags() -> None:
    for column in ("xpos", "5"):
        found = scored(GOLD, TREES / "neural.conllu", "--task", "tags", "--column", column)
        assert found["gold"]["labels"]["NN"] == sum(row[4] == "NN" for row in rows("gold"))
        assert "gold:conllu/column-5" in found["signature"]


def test_a_tagger_of_two_columns_against_conllu(tmp_path: Path) -> None:
    """Its tokens are aligned through their characters."""
    assert run("convert", TREES / "neural.conllu", tmp_path / "a.conll", "--task", "tags").exit_code == 0
    found = scored(GOLD, tmp_path / "a.conll", "--task", "tags")
    official = scored(GOLD, TREES / "neural.conllu")["systems"][0]["scores"]["conll18-upos"]["overall"]
    assert found["systems"][0]["scores"]["accuracy"]["overall"]["gold"] == official["gold"]


def test_spans_of_conllu_are_its_last_column(tmp_path: Path) -> None:
    path = tmp_path / "ner.conllu"
    path.write_text("1\tAda\t_\t_\t_\t_\t0\troot\t_\tB-PER\n2\tslept\t_\t_\t_\t_\t1\tdep\t_\tO\n")
    (system := tmp_path / "system.conllu").write_text(path.read_text())
    assert scored(path, system, "--task", "spans")["gold"]["labels"] == {"PER": 1}


def test_ranking_of_parsers() -> None:
    ranking = json.loads(run("rank", GOLD, *sorted(TREES.glob("[rtn]*.conllu")), "--as", "json").stdout)
    assert ranking["task"] == "trees"
    assert ranking["models"] == ["conll18-las", "conll18-mlas", "conll18-blex"]
    assert [system["name"] for system in ranking["systems"]] == ["neural", "transition", "rules"]
    assert (ranking["resampling"]["of"], ranking["resampling"]["few_documents"]) == ("sentences", 5)
    las = ranking["systems"][0]["standings"]["conll18-las"]
    assert las["interval"]["low"] < las["score"] < las["interval"]["high"]


def test_ranking_of_taggers() -> None:
    ranking = json.loads(
        run("rank", TAGS / "gold.tsv", *TAGS.glob("[hln]*.tsv"), "--task", "tags", "--as", "json").stdout
    )
    assert [system["name"] for system in ranking["systems"]] == ["neural", "hmm", "lexicon"]
    assert ranking["systems"][2]["standings"]["accuracy"]["score"] == 752 / 906


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex"])
@pytest.mark.parametrize("command", ["score", "rank"])
def test_every_form_of_output(form: str, command: str) -> None:
    for files in (
        (GOLD, *TREES.glob("[rtn]*.conllu")),
        (TAGS / "gold.tsv", *TAGS.glob("[hln]*.tsv"), "--task", "tags"),
    ):
        found = run(command, *files, "--as", form)
        assert found.exit_code == 0, found.output
        assert "neural" in found.stdout


def test_options_of_spans_are_refused() -> None:
    found = run("score", GOLD, TREES / "rules.conllu", "--levels", "separate")
    assert (found.exit_code, found.stderr) == (
        2,
        "evenhand: levels does nothing for trees; leave it out, or choose the task spans.\n",
    )


def test_match_models_are_those_of_the_task() -> None:
    found = run("score", GOLD, TREES / "rules.conllu", "--match", "fair")
    assert found.exit_code == 2
    assert (
        "match is 'fair', which is no match model of trees; it is a model of spans; choose from uas, ls, las"
        in found.stderr
    )


def test_gold_alone_is_refused() -> None:
    found = run("score", GOLD)
    assert found.exit_code == 2
    assert "name the system's file, too" in found.stderr


def test_check_reports_all_problems_of_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def word(number: object, head: object) -> str:
        return f"{number}\tw\t_\tX\t_\t_\t{head}\tdep\t_\t_\n"

    sentences = [
        word(1, 0) + word(2, 9),
        word(1, 0) + word(3, 1),
        word(1, 0) + "2\tw\n",
        word(1, 2) + word(2, 1),
        word(1, 0) + word(2, 3) + word(3, 2),
        word(1, 0) + word(2, 0),
        word(1, 0),
    ]
    Path("bad.conllu").write_text("\n".join(sentences))
    found = run("check", "bad.conllu")
    lines = found.stdout.splitlines()
    assert found.exit_code == 1
    assert [line.split(":")[1] for line in lines[:-1]] == ["2", "5", "8", "10", "14", "17"]
    problems = "problems: tree (3), number (1), columns (1); accepted with --repair begin: several roots (1)"
    assert lines[-1] == f"bad.conllu: conllu; 2 sentences, 3 words; {problems}"


def test_check_against_a_treebank() -> None:
    assert run("check", TREES / "transition.conllu", "--against", GOLD).exit_code == 0
    other = run("check", TREES / "transition.conllu", "--against", GOLD, "--align", "strict")
    assert other.exit_code == 1
    assert "found the word" in other.stdout


@pytest.mark.parametrize("task", ["spans", "tags", "trees"])
def test_demo(task: str) -> None:
    found = run("demo", "--task", task)
    assert found.exit_code == 0
    assert "evenhand score" in found.stdout.splitlines()[-1]


def test_tags_without_words_cannot_be_converted(tmp_path: Path) -> None:
    (tmp_path / "tags.tsv").write_text("NOUN\nVERB\n\n")
    found = run("convert", tmp_path / "tags.tsv", tmp_path / "new.conll", "--task", "tags")
    assert found.exit_code == 2
    assert "tags.tsv has no text, which conll needs; give a file with words." in found.stderr
