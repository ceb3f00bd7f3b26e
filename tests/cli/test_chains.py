"""Commands on coreference chains: score, rank, compare, gate, check, demo."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import slow_arcs
import slow_chains
from build_chains import columns
from conftest import GOLDEN, ROOT, Golden
from declared import CHAIN_MODELS
from evenhand.cli import main

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
NAMES = ("rules", "pairs", "neural")
FILES = ("gold.conll", *(f"{name}.conll" for name in NAMES))
FAST = ("--trials", 1000, "--resamples", 200)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def scored(*arguments: object) -> dict:
    result = run("score", *arguments, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the bundled example, which is the current one."""
    monkeypatch.chdir(CHAINS)
    return CHAINS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example_texts() -> tuple[dict[str, str], list[list[str]]]:
    """The example's files, and the POS of the key's documents."""
    texts = {name: (CHAINS / f"{name}.conll").read_text() for name in ("gold", *NAMES)}
    documents = texts["gold"].split("#begin document")[1:]
    return texts, [[row.split()[4] for row in each.splitlines()[1:] if row and row[0] != "#"] for each in documents]


def expected_f1(*, singletons: bool = True) -> dict[str, dict[str, float]]:
    """The F1 of the example's systems under every score, straight from the definitions."""
    texts, pos = example_texts()
    by_name = {}
    for name in NAMES:
        pairs = slow_chains.paired(*(slow_chains.read_columns(texts[side]) for side in ("gold", name)))
        scores = {model: each.f1 for model, each in slow_chains.scores(pairs, singletons).items()}
        cleaned = [[slow_chains.first_only(side)[0] for side in pair] for pair in pairs]
        for mode in ("any", "nom"):
            counts = [slow_arcs.arcs_counts(*pair, mode, tags) for pair, tags in zip(cleaned, pos, strict=True)]
            scores[f"arcs_{mode}"] = slow_arcs.arcs_prf(counts).f1
        by_name[name] = {**scores, "mela": slow_chains.mela(pairs, singletons)}
    return by_name


# What is printed


def test_golden_score(example: Path, golden: Golden) -> None:
    golden(run("score", *FILES, "--full").stdout, "chains.txt")


def test_golden_csv(example: Path, golden: Golden) -> None:
    golden(run("score", *FILES, "--as", "csv", "--full").stdout, "chains.csv")


def test_golden_comparison(example: Path, golden: Golden) -> None:
    golden(run("compare", *FILES, "--by", "arcs_nom", *FAST).stdout, "chains-compare.txt")


def test_the_golden_scores_are_those_of_the_definitions() -> None:
    lines = (GOLDEN / "chains.txt").read_text().splitlines()
    assert lines[2].split() == ["F1", *NAMES]
    expected = expected_f1()
    for model, line in zip(CHAIN_MODELS, lines[4:14], strict=True):
        assert line.split()[-3:] == [f"{100 * expected[name][model]:.2f}" for name in NAMES]
    with (GOLDEN / "chains.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["row"] == "overall"]
    assert len(rows) == 30
    for row in rows:
        assert float(row["f1"]) == pytest.approx(expected[row["system"]][row["model"]])


def test_the_golden_comparison_is_that_of_the_definitions() -> None:
    """The first rows of every table that names systems, and how the verdicts change from one to another."""
    lines = (GOLDEN / "chains-compare.txt").read_text().splitlines()
    expected = expected_f1()
    heads = [at for at, line in enumerate(lines) if line.startswith("F1 ")]
    for line in lines[heads[0] + 2 : heads[0] + 5]:
        name, *values = line.split()
        assert values == [f"{100 * expected[name][model]:.2f}" for model in CHAIN_MODELS]
    texts, pos = example_texts()
    sides = {name: list(slow_chains.read_columns(text).values()) for name, text in texts.items()}
    cleaned = {name: [slow_chains.first_only(each)[0] for each in side] for name, side in sides.items()}
    for before, after in (("rules", "pairs"), ("rules", "neural"), ("pairs", "neural")):
        changes: Counter[tuple[str, str]] = Counter()
        for at, tags in enumerate(pos):
            key, one, other = (cleaned[name][at] for name in ("gold", before, after))
            changes += slow_arcs.transitions(key, one, other, "nom", tags)
        shown = {}
        for kind in ("corrections", "new errors", "changed errors"):
            begin = next(at for at, line in enumerate(lines) if line.startswith(f"{before} to {after}, {kind}"))
            for line in lines[begin + 4 :]:
                if not line:
                    break
                was, became, count = line.split()[:3]
                shown[was, became] = int(count)
        assert shown == {change: count for change, count in changes.items() if change[0] != change[1]}
        different = sum(shown.values())
        assert any(line.startswith(f"{before} to {after}, {different} of {changes.total()} units") for line in lines)


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_every_form_of_output(example: Path, folder: Path, command: str, form: str) -> None:
    """On standard output and in a file alike, with a note on the repeated span."""
    arguments = [command, *(CHAINS / name for name in FILES), "--as", form]
    arguments += [] if command == "score" else ["--trials", "50", "--resamples", "50"]
    outcome = run(*arguments)
    assert outcome.exit_code == 0, outcome.output
    assert all(name in outcome.stdout for name in NAMES)
    written = run(*arguments, "-o", "out")
    assert (written.exit_code, written.stdout) == (0, "")
    assert Path("out").read_text(encoding="utf-8") == outcome.stdout
    assert "1 mention repeats the span of another" in outcome.output


def test_a_bare_value(example: Path) -> None:
    expected = expected_f1()["rules"]
    for model in ("mela", "arcs_nom", "blanc"):
        found = run("score", *FILES[:2], "--match", model, "--as", "value")
        assert float(found.stdout) == pytest.approx(expected[model])
    several = run("score", *FILES[:2], "--match", "arcs", "--as", "value")
    assert several.exit_code == 2
    assert "A bare value needs one measure, but arcs_any, arcs_nom were scored" in several.stderr


def test_units_as_json_lines(example: Path) -> None:
    found = run("compare", *FILES, "--as", "jsonl", "--show", "unsolved", *FAST)
    units = [json.loads(line) for line in found.stdout.splitlines()]
    whole = json.loads(run("compare", *FILES, "--as", "json", "--show", "unsolved", *FAST).stdout)
    assert {unit.pop("signature") for unit in units} == {whole["signature"]}
    assert units == whole["units"]
    assert len(units) == whole["difficulty"]["0"]
    assert units[0]["document_name"] == "news/ferry_0"
    rows = list(csv.DictReader(io.StringIO(run("compare", *FILES, "--as", "csv", "--show", "unsolved").stdout)))
    assert [row["words"] for row in rows] == [unit["words"] for unit in units]


def test_units_with_their_antecedents(example: Path) -> None:
    outcome = run(
        "compare", "gold.conll", "rules.conll", "neural.conll", "--by", "arcs_nom", "--show", "new_error", *FAST
    )
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("gold.conll:343"))
    assert [part.strip() for part in line.split("  ") if part.strip()] == [
        "gold.conll:343",
        "it",
        "PRP to his number",
        "tp to his number",
        "wl to my bicycle",
        "I do , but it is an old one .",
    ]


# Options


def test_the_task_is_recognised(example: Path) -> None:
    result = scored(*FILES[:2])
    assert (result["task"], list(result["systems"][0]["scores"])) == ("chains", list(CHAIN_MODELS))
    named = scored(*FILES[:2], "--task", "chains", "--format", "conll2012")
    assert named == result
    assert run("score", *FILES[:2]).stderr == "gold: conll2012\nrules: conll2012\n"


def test_without_singletons(example: Path) -> None:
    result = scored(*FILES, "--no-singletons")
    expected = expected_f1(singletons=False)
    for system in result["systems"]:
        figures = {model: each["headline"] for model, each in system["scores"].items()}
        assert figures == pytest.approx(expected[system["name"]])
    assert "|singletons:removed|" in result["signature"]
    assert result["systems"][2]["scores"]["b_cubed"] != scored(*FILES)["systems"][2]["scores"]["b_cubed"]


def test_other_nouns(example: Path) -> None:
    """If names are none, single ones of them are a type of their own."""
    labels = scored(*FILES[:2], "--nominal", "NN,NNS")["gold"]["labels"]
    assert labels == {"nouns": 128, "PRP": 80, "PRP$": 38, "NNP": 18, "DT": 1, "VBD": 1}
    assert sum(labels.values()) == 266


def test_arcs_are_two_models(example: Path) -> None:
    found = scored(*FILES[:2], "--match", "arcs")
    assert list(found["systems"][0]["scores"]) == ["arcs_any", "arcs_nom"]


def test_ranking(example: Path) -> None:
    ranking = json.loads(run("rank", *FILES, "--as", "json").stdout)
    assert (ranking["task"], ranking["models"]) == ("chains", ["mela", "lea", "arcs_any", "arcs_nom"])
    assert ranking["resampling"]["of"] == "documents"
    expected = expected_f1()
    for model in ranking["models"]:
        ranks = {system["name"]: system["standings"][model]["rank"] for system in ranking["systems"]}
        order = sorted(NAMES, key=lambda name: -expected[name][model])
        assert ranks == {name: place for place, name in enumerate(order, 1)}
    assert run("rank", *FILES, "--match", "muc,blanc", "--as", "csv").stdout.count(",muc,") == 3


@pytest.mark.parametrize("options", [(), ("--by", "arcs_any"), ("--by", "arcs_nom")], ids=["default", "any", "nom"])
def test_a_gate(example: Path, options: tuple[str, ...]) -> None:
    files = ("gold.conll", "neural.conll", "rules.conll")
    failed = run("gate", *files, "--max-new-errors", 10, *options)
    assert failed.exit_code == 1
    compared = json.loads(run("compare", *files, *options, "--as", "json", *FAST).stdout)
    count = compared["pairs"][0]["classes"]["new_error"]["count"]
    assert f"{count} new errors; the limit is 10" in failed.stdout
    assert run("gate", "gold.conll", "rules.conll", "neural.conll", "--max-drop", 0, *options).exit_code == 0


def test_demo() -> None:
    outcome = run("demo", "--task", "chains")
    assert outcome.exit_code == 0
    assert len(outcome.stdout.splitlines()) <= 40
    assert outcome.stdout.startswith("neural leads pairs by 20.68 points")


def test_formats_may_be_mixed_and_columns_named_for_a_side(folder: Path) -> None:
    Path("key.conll").write_text(columns([["(1)", "-", "(1)"]], names=["a"]).replace("; part 000", ""))
    both = {"doc_key": "a", "sentences": [["w0", "w1", "w2"]], "clusters": [], "predicted_clusters": [[[0, 0], [2, 2]]]}
    Path("response.jsonl").write_text(json.dumps(both))
    found = scored("key.conll", "response.jsonl", "--column", "system:predicted_clusters")
    assert found["systems"][0]["scores"]["lea"]["headline"] == 1
    refused = run("score", "key.conll", "response.jsonl")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        "evenhand: response.jsonl:1: the document has clusters and predicted_clusters; specify one of them with --column.\n"
    )


# Commands on chains that something is wrong with: notes, errors in one sentence, and what a check reports


CELLS = ["(1)", "-", "(1)"]
KEY = columns([CELLS] * 3, names=["a", "b", "c"])
"""Documents of six lines: the mark, three words, a blank line, the end."""


@pytest.fixture(autouse=True)
def folder_chain_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.conll").write_text(KEY)


def response(*names: str, cells: list[str] = CELLS, words: str = "w") -> str:
    Path("response.conll").write_text(columns([cells] * len(names), names=names, words=words))
    return "response.conll"


# Notes


def test_notes_are_on_standard_error_or_in_the_report() -> None:
    """Under the tables of a text; beside all that programs read."""
    response("b", "x", "a")
    notes = [
        "Note: system response: lacks documents c_0; they count as empty.",
        "Note: system response: has extra documents, which are ignored: x_0.",
    ]
    text = run("score", "key.conll", "response.conll")
    assert text.exit_code == 0
    assert [line for line in text.stdout.splitlines() if "document" in line and line.startswith("Note")] == notes
    table = run("score", "key.conll", "response.conll", "--as", "csv")
    assert [line for line in table.stderr.splitlines() if "document" in line and line.startswith("Note")] == notes
    found = json.loads(run("score", "key.conll", "response.conll", "--as", "json").stdout)
    assert [f"Note: {note}" for note in found["notes"] if "document" in note] == notes
    ranked = run("rank", "key.conll", "response.conll")
    assert all(note in ranked.stdout for note in notes)


def test_other_words_are_noted_or_refused() -> None:
    response("a", "b", "c", words="v")
    found = run("score", "key.conll", "response.conll")
    first = "the first one: response.conll:2: found 'v0' where the gold standard has 'w0'; --align strict rejects them"
    assert f"Note: system response: 9 words differ from the gold standard ({first})." in found.stdout.splitlines()
    strict = run("score", "key.conll", "response.conll", "--align", "strict")
    assert (strict.exit_code, strict.stdout) == (2, "")


# Errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("score", "key.conll"),
            "Gold and prediction of chains are in two files; add the system's file.",
        ),
        (
            ("score", "key.conll", "key.conll", "--match", "arcs_nom"),
            "arcs_nom needs the POS of words, which the gold standard does not have; remove it.",
        ),
        (
            ("compare", "key.conll", "key.conll", "twin=key.conll", "--by", "arcs_nom"),
            "arcs_nom needs the POS of words, which the gold standard does not have; remove it.",
        ),
        (("compare", "key.conll", "key.conll"), "A comparison needs at least two systems."),
        (
            ("compare", "key.conll", "key.conll", "twin=key.conll", "--by", "las"),
            "by is 'las'; choose one of mela, lea, ceaf_e, b_cubed, muc, arcs_any, arcs_nom for chains.",
        ),
        (("score", "key.conll", "none.conll"), "none.conll: there is no such file; check the path."),
        (("score", "key.conll", "key.conll", "--labels", "PRP"), "labels has no effect on chains; remove it."),
        (
            ("score", "key.conll", "cut.conll"),
            "cut.conll:2: a mention opens here that is never closed in its document; close it.",
        ),
        (
            ("score", "key.conll", "long.conll"),
            "long.conll:5: the document a_0 has 4 tokens, in the gold standard 3; use the same tokens in all files.",
        ),
    ],
)
def test_errors_are_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    Path("cut.conll").write_text(columns([["(1", "-", "(2)"]], names=["a"]))
    Path("long.conll").write_text(columns([[*CELLS, "-"]], names=["a"]).replace("w2\t(1)\n\n", "w2\t(1)\n"))
    found = run(*arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.splitlines()[-1] == f"evenhand: {sentence}"


def test_conlleval_is_for_spans() -> None:
    """Brackets are no labels."""
    found = run("score", "key.conll", "key.conll", "--as", "conlleval")
    assert (found.exit_code, found.stdout) == (2, "")


@pytest.mark.parametrize("option", [("--stacked",), ("--to-encoding", "bioes")], ids=["stacked", "encoding"])
def test_options_of_spans_are_refused_in_conversions(option: tuple[str, ...]) -> None:
    found = run("convert", "key.conll", "out.jsonl", *option)
    assert (found.exit_code, Path("out.jsonl").exists()) == (2, False)
    assert f"{option[0]} needs spans written as tags, which coref-jsonl does not have" in found.stderr


# Checks


def test_a_check_of_chains() -> None:
    found = run("check", CHAINS / "gold.conll", CHAINS / "rules.conll")
    assert found.exit_code == 0
    assert [line.split(": ", 1)[-1] for line in found.stdout.splitlines()] == [
        "conll2012; 69 sentences, 266 mentions; no problems",
        "conll2012; 69 sentences, 191 mentions; no problems",
        "2 of 2 files can be scored",
    ]


def test_a_check_reports_all_problems() -> None:
    Path("bad.conll").write_text(columns([["(1", "x", "(2)"], ["3)", "(4)", "-"]], names=["a", "a"]))
    found = run("check", "bad.conll")
    assert found.exit_code == 1
    *lines, last = found.stdout.splitlines()
    assert [int(line.split(":")[1]) for line in lines] == [2, 3, 7, 8]
    assert last == "bad.conll: conll2012; 2 sentences, 2 mentions; problems: chain (3), document (1)"
    rows = [json.loads(line) for line in run("check", "bad.conll", "--as", "jsonl").stdout.splitlines()]
    assert [(row["line"], row["kind"]) for row in rows] == [(2, "chain"), (3, "chain"), (7, "document"), (8, "chain")]
    assert {row["file"] for row in rows} == {"bad.conll"}


def against(*options: str, text: str = "key.conll") -> list[str]:
    """The problems, without the summary; a check fails just where a score does."""
    outcome = run("check", "response.conll", "--against", text, *options)
    *lines, last = outcome.stdout.splitlines()
    assert last.startswith("response.conll: conll2012; ")
    if text == "key.conll":
        assert (outcome.exit_code == 1) == (run("score", "key.conll", "response.conll", *options).exit_code == 2)
    return lines


def test_a_check_against_the_key() -> None:
    response("a", "b", "c", cells=["-", "(1", "1)"])
    assert against() == []
    assert run("check", CHAINS / "rules.conll", "--against", CHAINS / "gold.conll").exit_code == 0


def test_documents_may_stand_in_another_order() -> None:
    response("c", "a", "b")
    assert against() == []


def test_missing_and_extra_documents() -> None:
    response("x", "b", "y")
    assert against() == [
        "response.conll: warning: the document a_0 of key.conll is missing; add it, with or without chains.",
        "response.conll: warning: the document c_0 of key.conll is missing; add it, with or without chains.",
        "response.conll: warning: the document x_0 is not in key.conll; remove it, or fix its name.",
        "response.conll: warning: the document y_0 is not in key.conll; remove it, or fix its name.",
    ]
    found = run("check", "response.conll", "--against", "key.conll")
    assert found.exit_code == 0
    assert found.stdout.endswith(" mentions; no problems; scored with a note: other document (4)\n")


def test_other_words() -> None:
    path = Path(response("a", "b", "c"))
    path.write_text(path.read_text().replace("b\t0\t1\tw1", "b\t0\t1\tv1"))
    remedy = "use the same words, or --align position"
    found = run("check", "response.conll", "--against", "key.conll")
    assert found.exit_code == 0
    assert found.stdout.endswith(" mentions; no problems; scored with a note: other word (1)\n")
    strict = run("check", "response.conll", "--against", "key.conll", "--align", "strict")
    assert strict.exit_code == 1
    assert strict.stdout.endswith(" mentions; problems: text (1)\n")
    assert against() == [f"response.conll:9: warning: found 'v1' where the gold standard has 'w1'; {remedy}."]
    assert against("--align", "position") == []


def test_another_number_of_tokens() -> None:
    path = Path(response("c", "b", "a"))
    path.write_text(
        path.read_text().replace("b\t0\t2\tw2\t(1)\n", "").replace("(1)\nb\t0\t1\tw1\t-", "(1)\nb\t0\t1\tw1\t(1)")
    )
    (problem,) = against()
    assert problem == (
        "response.conll:9: error: the document b_0 has 2 tokens, in the gold standard 3; use the same tokens in all files."
    )


def test_every_word_that_differs_is_reported() -> None:
    path = Path(response("a", "b", "c"))
    path.write_text(path.read_text().replace("b\t0\t1\tw1", "b\t0\t1\tv1").replace("c\t0\t0\tw0", "c\t0\t0\tv0"))
    assert [line.split(":")[1] for line in against()] == ["9", "14"]


def test_problems_of_texts_and_of_brackets_are_reported_together() -> None:
    path = Path(response("x", "c", "a"))
    path.write_text(path.read_text().replace("c\t0\t1\tw1\t-", "c\t0\t1\tw1\t(7"))
    scores = against()
    assert "response.conll:9: error: a mention opens here that is never closed in its document; close it." in scores
    assert (
        "response.conll: warning: the document b_0 of key.conll is missing; add it, with or without chains." in scores
    )
    assert "response.conll: warning: the document x_0 is not in key.conll; remove it, or fix its name." in scores
    assert len(scores) == 3


def test_a_text_without_mentions_will_do() -> None:
    response("a", "b", "c")
    Path("text.conll").write_text(columns([["-"] * 3] * 3, names=["a", "b", "c"]))
    assert against(text="text.conll") == []


def test_a_text_that_has_no_chains_at_all_will_do() -> None:
    """As one without tags does, of which the help speaks."""
    response("a", "b", "c")
    words = "".join(f"{number}\tw{number - 1}" + 8 * "\t_" + "\n" for number in (1, 2, 3))
    Path("text.conllu").write_text("".join(f"# newdoc id = {name}_0\n{words}\n" for name in "abc"))
    assert against(text="text.conllu") == []


def test_the_text_must_be_there() -> None:
    response("a")
    assert against(text="none.conll") == ["none.conll: error: there is no such file; check the path."]
