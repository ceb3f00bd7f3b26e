"""A gold standard without any unit: overall scores are undefined, in every command, and a gate fails."""

from __future__ import annotations

import csv
import io
import json
import re
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main
from evenhand.tasks.registry import models_of

WORDS = {"task": "tags", "labels": ["X"]}
TREE = "1\tHens\then\tNOUN\t_\t_\t{head}\t{relation}\t_\t_\n\n"
ANY = ("conll18-", "meddocan", "i2b2", "complete", "crossing", "tagging", "accuracy", "ehealthkd")
"""Models that count something else, such as tokens or sentences, or that take texts."""


def spans(*sentences: list) -> eh.Annotation:
    return eh.spans(list(sentences), end="exclusive", tokens=[["a", "b"] for _ in sentences])


def trees(folder: Path, relation: str) -> Path:
    path = folder / f"{relation}.conllu"
    path.write_text("".join(TREE.format(head=0, relation=relation) for _ in range(3)))
    return path


def sides(task: str, folder: Path) -> tuple[Any, Any, dict[str, Any]]:
    """A gold standard without a unit that counts, a system with one, and options."""
    ends = [("A", 0, 1), ("B", 1, 2)]
    tree = "(TOP (S (X a) (Y b)))", "(TOP (S (NP (X a)) (Y b)))"
    all_sides: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "spans": (spans([], []), spans([("PER", 0, 1)], []), {}),
        "tags": (eh.tags([["A", "B"]], encoding="plain"), eh.tags([["X", "B"]], encoding="plain"), WORDS),
        "relations": (eh.relations([ends], [[]]), eh.relations([ends], [[("R", 0, 1)]]), {}),
        "links": (eh.links([[]], lengths=[4]), eh.links([[("LOC", 0, 1, ["Q90"])]], lengths=[4]), {}),
        "chains": (eh.chains([[]]), eh.chains([[[(0, 1), (2, 3)]]]), {}),
        "constituents": (eh.constituents([tree[0]]), eh.constituents([tree[1]]), {"labels": ["NP"]}),
    }
    if task == "trees":
        return trees(folder, "root"), trees(folder, "dep"), {"labels": ["dep"]}
    return all_sides[task]


CASES = [
    (task, model.name)
    for task in ("spans", "tags", "trees", "relations", "links", "chains", "constituents")
    for model in models_of(task)
    if not model.requires and not model.name.startswith(ANY) and model.name not in ("elas", "eulas")
]


@pytest.mark.parametrize(("task", "model"), [*CASES, ("tags", "accuracy")])
def test_overall_scores_are_undefined_for_all_tasks_and_measures(task: str, model: str, tmp_path: Path) -> None:
    gold, system, options = sides(task, tmp_path)
    result = eh.score(gold, system, match=[model], **options)
    score = result[model]
    assert result.gold.units == 0
    assert isnan(score.headline)
    assert isnan(score.overall.recall)
    assert all(not isnan(row.f1) for row in score.labels.values() if not score.model.has_ratios_only)
    saved = json.loads(result.to_json())["systems"][0]["scores"][model]
    assert saved["headline"] is None
    assert saved["overall"].get("recall") is None
    assert set(saved.get("macro", {"f1": None}).values()) == {None}
    loaded = eh.Result.from_json(result.to_json())
    assert isnan(loaded[model].headline)
    assert loaded.to_json() == result.to_json()
    assert all(isinstance(value, float) for value in result.metrics().values())
    assert not re.search(r"\bnan\b", str(result))
    rank = eh.rank(gold, {"a": system, "b": system}, match=[model], **options)
    standing = rank[model]["a"]
    assert isnan(standing.score)
    assert (standing.rank, standing.change, standing.interval, rank.clusters) == (None, 0, None, None)
    assert eh.Ranking.from_json(rank.to_json()).to_json() == rank.to_json()


@pytest.mark.parametrize("task", ["spans", "tags", "trees", "relations", "links", "chains", "constituents"])
def test_comparisons_are_undefined_and_gates_fail(task: str, tmp_path: Path) -> None:
    gold, system, options = sides(task, tmp_path)
    systems = {"a": gold, "b": system}
    comparison = eh.compare(gold, systems, **options)
    (pair,) = comparison.pairs.values()
    assert all(map(isnan, (*comparison.scores.values(), pair.delta)))
    assert (pair.significance, pair.interval, comparison.resampling["of"]) == (None, None, None)
    saved = json.loads(comparison.to_json())
    assert saved["scores"]["a"][comparison.by] is saved["pairs"][0]["delta"] is saved["resampling"]["of"] is None
    assert eh.Comparison.from_json(comparison.to_json()).to_json() == comparison.to_json()
    assert "has no" in comparison.notes[0]
    page = eh.report(gold, systems, **options).to_html()
    assert "has no" in page
    assert ">nan<" not in page
    with pytest.raises(eh.InputError, match="no score is defined and the gate cannot pass"):
        eh.gate(gold, gold, system, **options)
    with pytest.raises(eh.InputError, match="no score is defined and the gate cannot pass"):
        eh.gate(gold, candidate=system, floor={comparison.by: 0}, **options)


# The command line


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    tags = {"empty": ("O", "O"), "one": ("B-PER", "O"), "two": ("B-PER", "B-LOC")}
    for name, (first, second) in tags.items():
        (tmp_path / f"{name}.conll").write_text(f"Ada {first}\nwrote O\n\nto O\nBob {second}\n")
    return {name: str(tmp_path / f"{name}.conll") for name in tags}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, [*arguments, "--quiet"], prog_name="evenhand")


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
def test_no_output_has_a_nan(command: str, form: str, files: dict[str, str]) -> None:
    result = run(command, files["empty"], files["one"], files["two"], "--as", form)
    assert result.exit_code == 0, result.stderr
    assert not re.search(r"\bnan\b", result.stdout.lower())


def test_tables_have_dashes_and_labels_keep_zeros(files: dict[str, str]) -> None:
    lines = [
        line.split() for line in run("score", files["empty"], files["one"], "--match", "exact").stdout.splitlines()
    ]
    assert ["exact", "–", "–", "–"] in lines
    assert ["micro", "avg", "0", "0", "1", "0", "–", "–", "–"] in lines
    assert ["PER", "0", "0", "1", "0", "0.00", "0.00", "0.00"] in lines


def test_csv_has_empty_cells(files: dict[str, str]) -> None:
    text = run("score", files["empty"], files["one"], "--match", "exact", "--as", "csv").stdout
    rows = {row["row"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["overall"]["f1"], rows["macro"]["f1"], rows["label"]["f1"]) == ("", "", "0.0")


def test_a_bare_value_is_null_as_in_json(files: dict[str, str]) -> None:
    assert run("score", files["empty"], files["one"], "--match", "exact", "--as", "value").stdout == "null\n"


@pytest.mark.parametrize("options", [(), ("--max-drop", "1"), ("--floor", "exact=0"), ("--max-new-errors", "5")])
def test_a_gate_is_bad_input(options: tuple[str, ...], files: dict[str, str]) -> None:
    result = run("gate", files["empty"], files["empty"], files["one"], *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "evenhand: empty: the gold standard has no span that counts, so no score is defined and the gate cannot pass; "
        "use a gold standard with spans.\n"
    )


def test_labels_that_leave_no_gold_unit(files: dict[str, str]) -> None:
    data = json.loads(run("score", files["one"], files["two"], "--labels", "LOC", "--as", "json").stdout)
    assert data["gold"]["units"] == 0
    assert data["systems"][0]["scores"]["exact"]["overall"]["f1"] is None
    data = json.loads(run("score", files["one"], files["two"], "--exclude", "PER", "--as", "json").stdout)
    assert data["systems"][0]["scores"]["fair"]["headline"] is None


def test_plots_are_drawn(files: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for kind in ("ranks", "comparison", "errors"):
        result = run("plot", kind, files["empty"], files["one"], files["two"], "-o", str(tmp_path / f"{kind}.svg"))
        assert result.exit_code == 0, result.stderr
        assert "nan<" not in (tmp_path / f"{kind}.svg").read_text()


def test_front_ends_of_other_scorers_keep_zero(files: dict[str, str]) -> None:
    from evenhand.integrations import seqeval

    assert seqeval.f1_score([["O", "O"]], [["B-PER", "O"]]) == 0
    assert "FB1:   0.00" in run("score", files["empty"], files["one"], "--as", "conlleval").stdout
