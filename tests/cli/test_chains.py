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
    found = {}
    for name in NAMES:
        pairs = slow_chains.paired(*(slow_chains.read_columns(texts[side]) for side in ("gold", name)))
        scores = {model: each.f1 for model, each in slow_chains.scores(pairs, singletons).items()}
        cleaned = [[slow_chains.first_only(side)[0] for side in pair] for pair in pairs]
        for mode in ("any", "nom"):
            counts = [slow_arcs.arcs_counts(*pair, mode, tags) for pair, tags in zip(cleaned, pos, strict=True)]
            scores[f"arcs_{mode}"] = slow_arcs.arcs_prf(counts).f1
        found[name] = {**scores, "mela": slow_chains.mela(pairs, singletons)}
    return found


# What is printed


def test_golden_score(example: Path, golden: Golden) -> None:
    golden(run("score", *FILES).stdout, "chains.txt")


def test_golden_csv(example: Path, golden: Golden) -> None:
    golden(run("score", *FILES, "--as", "csv").stdout, "chains.csv")


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
    found = run(*arguments)
    assert found.exit_code == 0, found.output
    assert all(name in found.stdout for name in NAMES)
    written = run(*arguments, "-o", "out")
    assert (written.exit_code, written.stdout) == (0, "")
    assert Path("out").read_text(encoding="utf-8") == found.stdout
    assert "1 mention repeats the span of another" in found.output


def test_a_bare_value(example: Path) -> None:
    expected = expected_f1()["rules"]
    for model in ("mela", "arcs_nom", "blanc"):
        found = run("score", *FILES[:2], "--match", model, "--as", "value")
        assert float(found.stdout) == pytest.approx(expected[model])
    several = run("score", *FILES[:2], "--match", "arcs", "--as", "value")
    assert several.exit_code == 2
    assert "A bare value needs one match model, but arcs_any, arcs_nom were scored" in several.stderr


def test_units_as_json_lines(example: Path) -> None:
    found = run("compare", *FILES, "--as", "jsonl", "--show", "unsolved", *FAST)
    units = [json.loads(line) for line in found.stdout.splitlines()]
    whole = json.loads(run("compare", *FILES, "--as", "json", "--show", "unsolved", *FAST).stdout)
    assert units == whole["units"]
    assert len(units) == whole["difficulty"]["0"]
    assert units[0]["document_name"] == "news/ferry_0"
    rows = list(csv.DictReader(io.StringIO(run("compare", *FILES, "--as", "csv", "--show", "unsolved").stdout)))
    assert [row["words"] for row in rows] == [unit["words"] for unit in units]


def test_units_with_their_antecedents(example: Path) -> None:
    found = run(
        "compare", "gold.conll", "rules.conll", "neural.conll", "--by", "arcs_nom", "--show", "new_error", *FAST
    )
    line = next(line for line in found.stdout.splitlines() if line.startswith("gold.conll:343"))
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
    found = scored(*FILES[:2])
    assert (found["task"], list(found["systems"][0]["scores"])) == ("chains", list(CHAIN_MODELS))
    named = scored(*FILES[:2], "--task", "chains", "--format", "conll2012")
    assert named == found
    assert run("score", *FILES[:2]).stderr == "gold: conll2012\nrules: conll2012\n"


def test_without_singletons(example: Path) -> None:
    found = scored(*FILES, "--no-singletons")
    expected = expected_f1(singletons=False)
    for system in found["systems"]:
        figures = {model: each["headline"] for model, each in system["scores"].items()}
        assert figures == pytest.approx(expected[system["name"]])
    assert "|singletons:removed|" in found["signature"]
    assert found["systems"][2]["scores"]["b_cubed"] != scored(*FILES)["systems"][2]["scores"]["b_cubed"]


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
    found = run("demo", "--task", "chains")
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[: len(lines) - 3] == (GOLDEN / "chains.txt").read_text().splitlines()
    assert lines[-1].startswith("  evenhand score ")
    assert lines[-1].endswith("neural.conll")


def test_formats_may_be_mixed_and_columns_named_for_a_side(folder: Path) -> None:
    Path("key.conll").write_text(columns([["(1)", "-", "(1)"]], names=["a"]).replace("; part 000", ""))
    both = {"doc_key": "a", "sentences": [["w0", "w1", "w2"]], "clusters": [], "predicted_clusters": [[[0, 0], [2, 2]]]}
    Path("response.jsonl").write_text(json.dumps(both))
    found = scored("key.conll", "response.jsonl", "--column", "system:predicted_clusters")
    assert found["systems"][0]["scores"]["lea"]["headline"] == 1
    refused = run("score", "key.conll", "response.jsonl")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        "evenhand: response.jsonl:1: the document has clusters and predicted_clusters; name one of them with --column.\n"
    )
