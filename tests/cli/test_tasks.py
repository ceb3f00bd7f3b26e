"""Commands on tags and trees: score, rank, check, convert, demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT, Golden
from divided import check_same, write
from evenhand.cli import main
from evenhand.report.html import unit_data

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
    result = scored(GOLD, TREES / "neural.conllu")
    assert result["task"] == "trees"
    assert list(result["systems"][0]["scores"])[:4] == ["uas", "ls", "las", "conll18-tokens"]
    assert len(result["systems"][0]["scores"]) == 16
    assert (result["gold"]["sentences"], result["gold"]["units"]) == (68, 855)
    assert "align:characters" in result["signature"]


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
        "evenhand: levels has no effect on trees; remove it, or choose the task spans.\n",
    )


def test_match_models_are_those_of_the_task() -> None:
    outcome = run("score", GOLD, TREES / "rules.conllu", "--match", "fair")
    assert outcome.exit_code == 2
    assert (
        "match is 'fair', which is not a measure of trees; it is a measure of spans; choose from uas, ls, las"
        in outcome.stderr
    )


def test_gold_alone_is_refused() -> None:
    found = run("score", GOLD)
    assert found.exit_code == 2
    assert "add the system's file" in found.stderr


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
    lines = found.stdout.splitlines()
    assert len(lines) <= 40, "one screen"
    assert [line.split()[1] for line in lines[-3:]] == ["report", "compare", "errors"]


def test_tags_without_words_cannot_be_converted(tmp_path: Path) -> None:
    (tmp_path / "tags.tsv").write_text("NOUN\nVERB\n\n")
    found = run("convert", tmp_path / "tags.tsv", tmp_path / "new.conll", "--task", "tags")
    assert found.exit_code == 2
    assert "tags.tsv has no text, which conll needs; use a file with words." in found.stderr


# Every command on entity links


FOLDER = ROOT / "src" / "evenhand" / "examples" / "links"
GOLD_LINKS, POPULARITY, CONTEXT, RERANKER = (
    str(FOLDER / f"{name}.jsonl") for name in ("gold", "popularity", "context", "reranker")
)
FEW = ("--trials", "50", "--resamples", "50")


def test_score_shows_kinds_ranks_and_means_over_documents() -> None:
    shown = run("score", GOLD_LINKS, CONTEXT).stdout
    assert "gold standard gold: 39 links in 10 documents" in shown
    assert "LE.missed NIL for an entry" in shown
    for heading in ("means over documents", "kinds of errors (fair)", "ranks"):
        assert heading in shown


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "html"])
def test_every_form_of_output_links(form: str) -> None:
    found = run("score", GOLD_LINKS, CONTEXT, RERANKER, "--match", "links,links@2,hipe@3,weak_all,fair", "--as", form)
    assert found.exit_code == 0
    assert "links@2" in found.stdout


def test_one_value() -> None:
    assert run("score", GOLD_LINKS, CONTEXT, "--match", "links@2", "--as", "value").stdout == "0.8615384615384616\n"


def test_the_json_has_documents_and_ranks() -> None:
    found = json.loads(run("score", GOLD_LINKS, CONTEXT, "--match", "hipe-fuzzy@3,fair", "--as", "json").stdout)
    scores = found["systems"][0]["scores"]
    assert scores["hipe-fuzzy@3"]["further"]["documents"]["f1"]["documents"] == 10
    assert scores["fair"]["further"]["ranks"] == {"other": {"2": 3, "none": 2}, "missed": {"2": 1, "none": 2}}


def test_rank_has_intervals_under_every_model() -> None:
    shown = run("rank", GOLD_LINKS, POPULARITY, CONTEXT, RERANKER, *FEW).stdout
    assert shown.index("reranker") < shown.index("context") < shown.index("popularity")
    assert "95% intervals" in shown


def test_compare_and_gate() -> None:
    assert "LE.missed  TP" in run("compare", GOLD_LINKS, CONTEXT, RERANKER, *FEW).stdout
    worse = run("gate", GOLD_LINKS, RERANKER, POPULARITY, "--trials", "50")
    assert worse.exit_code == 1
    assert run("gate", GOLD_LINKS, POPULARITY, RERANKER, "--trials", "50").exit_code == 0


@pytest.mark.parametrize(
    ("criterion", "status"),
    [("links=0.8", 0), ("links@2=0.99", 1), ("hipe-strict@3.recall=0.9", 0), ("PER:links=0.9", 0), ("TP=36", 1)],
)
def test_floors_of_match_models_with_several_answers(criterion: str, status: int) -> None:
    assert run("gate", GOLD_LINKS, RERANKER, "--floor", criterion, "--trials", "10").exit_code == status


def test_a_ceiling_of_a_kind_of_error() -> None:
    outcome = run(
        "gate", GOLD_LINKS, RERANKER, "--ceiling", "LE.other=2", "--ceiling", "fair.LE.missed=0", "--trials", "10"
    )
    assert outcome.exit_code == 1
    assert "LE.other is 3 (a count); the ceiling is 2" in outcome.stdout
    assert "fair.LE.missed is 0 (a count); the ceiling is 0" in outcome.stdout


def test_report_and_plot(tmp_path: Path) -> None:
    assert run("report", GOLD_LINKS, CONTEXT, RERANKER, "-o", tmp_path / "page.html", *FEW).exit_code == 0
    assert "LE.other" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("plot", "errors", GOLD_LINKS, CONTEXT, "-o", tmp_path / "errors.svg").exit_code == 0


def test_check_with_and_without_another_text(tmp_path: Path) -> None:
    assert "39 links; no problems" in run("check", GOLD_LINKS).stdout
    assert run("check", CONTEXT, "--against", GOLD_LINKS).exit_code == 0
    other = tmp_path / "other.jsonl"
    other.write_text(Path(CONTEXT).read_text(encoding="utf-8").replace("Rotterdam", "Amsterdam"), encoding="utf-8")
    found = run("check", other, "--against", GOLD_LINKS)
    assert found.exit_code == 1
    assert "other.jsonl:1: error: found 'A' where the gold standard has 'R'" in found.stdout


def test_several_processes_count_the_same() -> None:
    one, two = (run("score", GOLD_LINKS, POPULARITY, "--as", "json", "--jobs", jobs).stdout for jobs in (1, 2))
    assert one == two


def test_a_link_to_an_unknown_span_is_one_sentence_and_status_2(tmp_path: Path) -> None:
    (tmp_path / "doc.txt").write_text("Paris", encoding="utf-8")
    (tmp_path / "doc.ann").write_text("T1\tLOC 0 5\tParis\nN1\tReference T2 Q90\tParis\n", encoding="utf-8")
    outcome = run("score", tmp_path / "doc.ann", tmp_path / "doc.ann", "--task", "links")
    assert outcome.exit_code == 2
    message = "doc.ann:2: no line defines T2; add a line that starts with it, or fix the link.\n"
    assert outcome.stderr.endswith(message)


# All commands on the bundled example of relations


FOLDER_RELATION_COMMANDS = ROOT / "src" / "evenhand" / "examples" / "relations"
GOLD_RELATION_COMMANDS, RULES, PIPELINE, JOINT = (
    str(FOLDER_RELATION_COMMANDS / f"{name}.jsonl") for name in ("gold", "rules", "pipeline", "joint")
)


def run_relation_commands(*arguments: object, code: int = 0) -> Result:
    found = CliRunner().invoke(main, [*map(str, arguments)])
    assert found.exit_code == code, found.output
    return found


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex", "json"])
def test_the_task_is_recognised_and_scored(form: str) -> None:
    shown = run_relation_commands("score", GOLD_RELATION_COMMANDS, RULES, JOINT, "--as", form).stdout
    assert ("0.66666" if form in ("csv", "json") else "66.67") in shown
    assert "boundaries" in shown


def test_kinds_of_errors_and_whose_fault_they_are() -> None:
    shown = run_relation_commands("score", GOLD_RELATION_COMMANDS, JOINT, "--match", "fair").stdout
    assert "AM  argument missing                  entities      5  23.81" in shown
    assert "Fault of: entities 62%, relation 38%, both 0%." in shown


def test_one_value_relation_commands() -> None:
    value = run_relation_commands("score", GOLD_RELATION_COMMANDS, JOINT, "--match", "strict", "--as", "value").stdout
    assert float(value) == pytest.approx(2 / 3)


def test_ranks_with_intervals() -> None:
    ranked = json.loads(
        run_relation_commands(
            "rank", GOLD_RELATION_COMMANDS, RULES, PIPELINE, JOINT, "--resamples", 50, "--as", "json"
        ).stdout
    )
    assert ranked["models"] == ["strict", "boundaries", "fair"]
    assert [system["name"] for system in ranked["systems"]] == ["joint", "pipeline", "rules"]


def test_a_comparison_and_its_units() -> None:
    options = ("--trials", 50, "--resamples", 50, "--show", "new_error")
    data = json.loads(
        run_relation_commands("compare", GOLD_RELATION_COMMANDS, PIPELINE, JOINT, *options, "--as", "json").stdout
    )
    (pair,) = data["pairs"]
    wrong = [eh.score(GOLD_RELATION_COMMANDS, item, match="fair")["fair"].overall for item in (PIPELINE, JOINT)]
    errors = [sum(row.counts.values()) - row["TP"] for row in wrong]
    classes = pair["classes"]
    assert classes["correction"]["count"] - classes["new_error"]["count"] == errors[0] - errors[1]
    unit = next(item for item in data["units"] if item["words"].startswith("Bergen lies"))
    assert (unit["gold"], unit["words"]) == ("located_in", "Bergen lies on the west coast of Norway")
    assert unit["answers"] == {"pipeline": "TP located_in", "joint": "DE located_in"}


def test_a_gate() -> None:
    assert "passed" in run_relation_commands("gate", GOLD_RELATION_COMMANDS, RULES, JOINT, "--trials", 50).stdout
    assert (
        "failed" in run_relation_commands("gate", GOLD_RELATION_COMMANDS, JOINT, RULES, "--max-drop", 1, code=1).stdout
    )
    assert (
        "failed"
        in run_relation_commands(
            "gate", GOLD_RELATION_COMMANDS, "--floor", "works_for:recall=0.9", JOINT, code=1
        ).stdout
    )


@pytest.mark.parametrize("kind", ["errors", "confusion", "ranks", "comparison"])
def test_figures(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = tmp_path / "figure.svg"
    run_relation_commands("plot", kind, GOLD_RELATION_COMMANDS, PIPELINE, JOINT, "-o", figure)
    assert "<svg" in figure.read_text()


def test_a_page_carries_spans_and_links(tmp_path: Path) -> None:
    report = eh.report(GOLD_RELATION_COMMANDS, [PIPELINE, JOINT], trials=0, resamples=0)
    report.to_html(tmp_path / "page.html")
    data = unit_data(report)
    assert (data["drawing"], data["kinds"][:4]) == ("links", ["TP", "AL", "AB", "ALB"])
    first = next(each for each in data["sentences"] if each["n"] == 1)
    labels = data["labels"]
    assert [labels[code] for code, *_ in first["s"][0]] == ["PER", "ORG", "LOC"]
    assert [(labels[code], head, tail) for code, head, tail in first["l"][0]] == [("founded", 0, 1), ("based_in", 1, 2)]
    assert "kinds of errors (fair)" in (tmp_path / "page.html").read_text()


def test_check_and_convert(tmp_path: Path) -> None:
    assert (
        "relation-jsonl; 36 sentences, 43 relations; no problems"
        in run_relation_commands("check", GOLD_RELATION_COMMANDS).stdout
    )
    for name, target in (("spert", "gold.json"), ("dygie", "gold.jsonlines"), ("brat", "gold")):
        run_relation_commands("convert", GOLD_RELATION_COMMANDS, tmp_path / target, "--to", name)
    for target in ("gold.json", "gold.jsonlines"):
        options = ("--match", "strict", "--symmetric", "married_to", "--as", "value", "-q")
        assert float(run_relation_commands("score", GOLD_RELATION_COMMANDS, tmp_path / target, *options).stdout) == 1


def test_several_processes_give_the_same(tmp_path: Path) -> None:
    sides = []
    for name in ("gold", "joint"):
        run_relation_commands("convert", FOLDER_RELATION_COMMANDS / f"{name}.jsonl", tmp_path / name, "--to", "brat")
        sides.append(tmp_path / name)
    options = ("--task", "relations", "--match", "strict,boundaries,dygie,relaxed,fair,ehealthkd", "--as", "json", "-q")
    one, two = (run_relation_commands("score", *sides, *options, *more).stdout for more in ((), ("--jobs", 2)))
    assert one == two


def test_verdicts_as_a_table(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run_relation_commands("score", GOLD_RELATION_COMMANDS, JOINT, "--verdicts", tmp_path / "verdicts.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(tmp_path / "verdicts.parquet").to_pylist()
    assert len(rows) == 43 + 5
    first = rows[0]
    assert (first["gold_label"], first["verdict"], first["text"]) == (
        "founded",
        "TP",
        "Mira Okafor founded Lumen Works",
    )
    assert [first[f"{end}_{edge}"] for end in ("head", "tail") for edge in ("start", "end")] == [0, 2, 3, 5]


def test_settings_that_do_nothing_are_refused() -> None:
    ner = ROOT / "src" / "evenhand" / "examples" / "ner"
    wrong = run_relation_commands("score", ner / "gold.conll", ner / "crf.conll", "--sentences", "lines", code=2)
    assert wrong.stderr == "evenhand: sentences has no effect on spans; remove it, or choose the task relations.\n"


def test_the_signature_has_what_changes_numbers() -> None:
    result = eh.score(GOLD_RELATION_COMMANDS, JOINT, match="strict", symmetric=("married_to",), unannotated="skip")
    assert "|symmetric:married_to|unannotated:skip|" in result.signature
    assert "|sentences:text|newlines:two|quotes:error|" in result.signature


def test_a_saved_result(tmp_path: Path) -> None:
    result = eh.score(GOLD_RELATION_COMMANDS, JOINT, symmetric=("married_to",))
    result.to_json(tmp_path / "result.json")
    again = eh.Result.from_json(tmp_path / "result.json")
    assert again["fair"].overall.counts == result["fair"].overall.counts
    assert again.settings["symmetric"] == ("married_to",)


# Commands on constituents: score, rank, compare, gate, report, plot, check, convert, verdicts, processes


FOLDER_CONSTITUENTS = ROOT / "src" / "evenhand" / "examples" / "constituents"
FILES = ("gold.mrg", "chunks.mrg", "pcfg.mrg", "neural.mrg")
TASK = ("--task", "constituents")
FAST = ("--trials", 200, "--resamples", 50)
GATE = ("--trials", 200)


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER_CONSTITUENTS)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_score_in_all_forms(form: str, golden: Golden) -> None:
    result = run("score", *FILES[:3], *TASK, "--as", form, "-q", "--full")
    assert result.exit_code == 0, result.output
    golden(result.stdout, f"constituents.score.{form}")


def test_short_sentences_are_cut_off() -> None:
    data = json.loads(run("score", *FILES[:2], *TASK, "--cutoff", 8, "--as", "json", "-q").stdout)
    scores = data["systems"][0]["scores"]
    assert (scores["complete"]["overall"]["valid"], scores["complete-short"]["overall"]["valid"]) == (22, 4)
    assert "|cutoff:8|" in data["signature"]


def test_rank_compare_and_gate(golden: Golden) -> None:
    ranked = run("rank", *FILES, *TASK, *FAST, "-q")
    assert ranked.exit_code == 0, ranked.output
    golden(ranked.stdout, "constituents.rank.txt")
    compared = run("compare", "gold.mrg", "pcfg.mrg", "neural.mrg", *TASK, *FAST, "-q")
    assert compared.exit_code == 0, compared.output
    golden(compared.stdout, "constituents.compare.txt")
    assert run("gate", "gold.mrg", "pcfg.mrg", "neural.mrg", *TASK, *GATE).exit_code == 0
    assert run("gate", "gold.mrg", "neural.mrg", "chunks.mrg", *TASK, *GATE).exit_code == 1


def test_a_page_and_a_figure(tmp_path: Path) -> None:
    assert run("report", *FILES, *TASK, *FAST, "-o", tmp_path / "page.html").exit_code == 0
    assert "sentences left out" in (tmp_path / "page.html").read_text()
    assert run("plot", "errors", *FILES, *TASK, "-o", tmp_path / "errors.svg").exit_code == 0
    assert "too narrow" in (tmp_path / "errors.svg").read_text()


def test_check_lists_trees_and_sentences_that_are_left_out() -> None:
    found = run("check", "chunks.mrg", "--against", "gold.mrg", *TASK)
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert lines[0].startswith("chunks.mrg:22: error: not all brackets are closed; fix the tree")
    assert lines[1].startswith("chunks.mrg:24: warning: the sentence has the word 'cafe', and the other file 'café'")


def test_check_refuses_another_number_of_sentences(tmp_path: Path) -> None:
    file = tmp_path / "short.mrg"
    file.write_text("(S (N x))\n")
    found = run("check", file, "--against", "gold.mrg", *TASK)
    assert found.exit_code == 1
    assert "the file has fewer sentences" in found.stdout


def test_convert_writes_a_tree_a_line(tmp_path: Path) -> None:
    spread, flat = tmp_path / "spread.mrg", tmp_path / "flat.mrg"
    spread.write_text(Path("gold.mrg").read_text().replace(" (VP", "\n   (VP"))
    assert run("convert", spread, flat, *TASK, "--functions").exit_code == 0
    assert flat.read_text() == Path("gold.mrg").read_text()


def test_verdicts_are_written(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("score", "gold.mrg", "pcfg.mrg", *TASK, "--verdicts", tmp_path / "verdicts.parquet").exit_code == 0
    rows = parquet.read_table(tmp_path / "verdicts.parquet").to_pylist()
    kinds = [row["verdict"] for row in rows]
    assert {kind: kinds.count(kind) for kind in ("TP", "LE", "BES", "BEL", "FN", "FP")} == {
        "TP": 167,
        "LE": 2,
        "BES": 2,
        "BEL": 3,
        "FN": 10,
        "FP": 7,
    }


def test_parts_of_files_count_the_same(tmp_path: Path) -> None:
    """Files of lines are divided; a tree over several lines keeps its file whole."""
    lines = [Path(name).read_text().splitlines() * 3 for name in FILES[:3]]
    gold, *systems = (write(tmp_path, name, each) for name, each in zip(FILES, lines, strict=False))
    engine = check_same(gold, systems, 4, task="constituents")
    assert engine.parts > 2
    assert not engine.whole
    spread = tmp_path / "spread.mrg"
    spread.write_text(gold.read_text().replace(" (VP", "\n   (VP"))
    assert check_same(spread, systems, 4, task="constituents").parts < 2


def test_models_and_parameters_are_listed() -> None:
    assert "labeled-short" in run("models", *TASK).output
    wrong = run("score", *FILES[:2], *TASK, "--match", "labelled")
    assert wrong.exit_code == 2
    assert "labeled" in wrong.output
    missing = run("score", *FILES[:2], *TASK, "--prm", "none.prm")
    assert missing.exit_code == 2
    assert missing.output.count("\n") == 1
