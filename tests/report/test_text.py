"""The text report, golden files, and how a result shows itself."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from build_chains import annotation
from conftest import ROOT, Golden
from evenhand.cli.output import RENDERERS
from evenhand.registry import load
from evenhand.report import data as csv_report
from evenhand.report import latex
from evenhand.report import text as markdown
from evenhand.report import text as text_report
from evenhand.report.comparison_tables import pair_tables, summary_of_comparison
from evenhand.report.text import markdown_lines as lines
from evenhand.tables import Column, DisplayTable
from evenhand.tasks.chains.tables import details
from evenhand.tasks.chains.tables import summary as summary_chains
from evenhand.tasks.tables import summary as summary_markdown
from evenhand.tasks.trees.tables import summary


@pytest.fixture
def results(example: Path) -> eh.Results:
    return eh.score(example / "gold.conll", [example / f"{name}.conll" for name in ("crf", "tagger")])


@pytest.mark.parametrize("name", ["one.txt", "two.txt"])
def test_golden_text(results: eh.Results, name: str, golden: Golden) -> None:
    """Rendered output, read and approved by hand; its figures are tested elsewhere."""
    shown = str(results["crf"]) if name == "one.txt" else str(results)
    golden(shown, name)


def test_golden_text_of_other_models(example: Path, golden: Golden) -> None:
    """Tables with true negatives, with hits and with SemEval's counts, a supertag and the trivial baselines."""
    match = "ts,overlap,semeval-partial"
    result = eh.score(example / "gold.conll", example / "crf.conll", match=match, supertag="ENTITY", baselines=True)
    golden(str(result), "models.txt")


def test_golden_csv(results: eh.Results, golden: Golden) -> None:
    golden(csv_report.render(results), "two.csv")


def test_csv_has_a_row_for_every_system_model_and_label(results: eh.Results) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report.render(results))))
    assert len(rows) == 2 * 2 * (3 + 4)
    (row,) = [r for r in rows if (r["system"], r["model"], r["row"]) == ("tagger", "fair", "overall")]
    assert float(row["f1"]) == results["tagger"]["fair"].f1
    assert (row["gold"], row["predicted"], row["TP"]) == ("285", "271", "243")


def test_lines_fit_into_eighty_columns(results: eh.Results) -> None:
    lines = [line for line in str(results).splitlines() if not line.startswith(("Note:", "evenhand:"))]
    assert max(map(len, lines)) <= 80


def test_wide_characters_are_aligned() -> None:
    sides = eh.spans([[("人名", 0, 1), ("LOC", 2, 3)]]), eh.spans([[("人名", 0, 1)]])
    lines = str(eh.score(*sides, match="exact")).splitlines()
    wide, narrow = (next(line for line in lines if line.startswith(label)) for label in ("人名", "LOC"))
    assert len(wide) + 2 == len(narrow)


def test_a_confusion_matrix_of_many_labels_says_what_it_leaves_out() -> None:
    gold = eh.spans([[(f"L{i:02}", i, i + 1)] for i in range(30)])
    system = eh.spans([[(f"L{(i + 1) % 30:02}", i, i + 1)] for i in range(30)])
    assert "The 10 labels with the most errors of 30; --as json writes all of them." in str(eh.score(gold, system))


def test_a_result_shows_itself(results: eh.Results) -> None:
    assert repr(results) == str(results) == text_report.render(results)
    assert repr(eh.spans([[("A", 0, 1)]] * 3, name="gold")) == "<Annotation gold: 3 sentences, 3 spans>"


# The reports of a ranking, as golden files


@pytest.fixture(scope="module")
def ranking() -> eh.Ranking:
    folder = Path(eh.__file__).parent / "examples" / "ner"
    return eh.rank(folder / "gold.conll", [folder / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")], seed=0)


@pytest.mark.parametrize(("form", "name"), [("text", "rank.txt"), ("markdown", "rank.md"), ("latex", "rank.tex")])
def test_golden_ranking(ranking: eh.Ranking, form: str, name: str, golden: Golden) -> None:
    """Rendered output, read by hand; its figures are tested elsewhere, and the intervals are those of seed 0."""
    golden(load(RENDERERS[form])(ranking), name)


def test_lines_fit_into_eighty_columns_ranking(ranking: eh.Ranking) -> None:
    _, *lines = str(ranking).splitlines()
    assert max(len(line) for line in lines if not line.startswith(("±:", "Note:", "evenhand:"))) <= 80


# The reports of tags and trees, as golden files


EXAMPLES = ROOT / "src" / "evenhand" / "examples"


@pytest.fixture(scope="module")
def tags() -> eh.Results:
    folder = EXAMPLES / "tags"
    return eh.score(folder / "gold.tsv", [folder / f"{name}.tsv" for name in ("hmm", "neural")], task="tags")


def test_golden_trees(golden: Golden) -> None:
    """Rendered output, read by hand; its figures are tested elsewhere."""
    folder = EXAMPLES / "trees"
    golden(str(eh.score(folder / "gold.conllu", folder / "transition.conllu")), "trees.txt")


def test_golden_tags(tags: eh.Results, golden: Golden) -> None:
    golden(str(tags), "tags.txt")


def test_golden_csv_words(tags: eh.Results, golden: Golden) -> None:
    golden(csv_report.render(tags), "tags.csv")


def test_many_parsers_have_a_row_each() -> None:
    folder = EXAMPLES / "trees"
    systems = {f"parser {number}": folder / "rules.conllu" for number in range(6)}
    table = list(summary(eh.score(folder / "gold.conllu", systems)))[1]
    assert [column.name for column in table.columns][:3] == ["CoNLL 2018, F1", "Tokens", "Sentences"]
    assert len(table.rows) == 6


def test_many_labels_are_folded() -> None:
    """Lemmas as tags: only the most frequent are listed, and the rest is named."""
    folder = EXAMPLES / "trees"
    shown = str(eh.score(folder / "gold.conllu", folder / "rules.conllu", task="tags", column="lemma"))
    assert "The 50 most frequent of " in shown
    assert len(shown.splitlines()) < 100


# Tables as Markdown


COLUMNS = [Column("label", "text"), Column("gold", "count"), Column("F1", "percent"), Column("", "bar")]


def test_a_table_with_everything() -> None:
    rows = [["LOC", 12345, 0.87654, 0.9], ["PER", 2, 1.0, 1.0], ["macro average", None, 0.5, None]]
    assert lines(DisplayTable("fair", COLUMNS, rows, summary_rows=1, remark="There is more.")) == [
        "| fair | gold | F1 |",
        "| :--- | ---: | ---: |",
        "| LOC | 12,345 | 87.65 |",
        "| PER | 2 | 100.00 |",
        "| macro average |  | 50.00 |",
        "",
        "There is more.",
    ]


def test_without_title_the_first_column_has_its_name() -> None:
    assert lines(DisplayTable("", COLUMNS[:2], [])) == ["| label | gold |", "| :--- | ---: |"]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("a|b", r"a\|b"),
        ("a\nb\r\nc", "a<br>b<br>c"),
        ("gold \\ system", "gold \\\\ system"),
        ("\\|", r"\\\|"),
        ("<unk>", r"\<unk>"),
        ("_A_*", r"\_A\_\*"),
        ("`$[R&D]~", r"\`\$\[R\&D]\~"),
        ("人名 – 5 %", "人名 – 5 %"),
    ],
)
def test_markup_in_cells_is_text(cell: str, shown: str) -> None:
    assert lines(DisplayTable("", [Column(cell, "text")], [[cell]])) == [f"| {shown} |", "| :--- |", f"| {shown} |"]


def test_the_summary_of_two_systems(example: Path) -> None:
    results = eh.score(example / "gold.conll", [example / f"{name}.conll" for name in ("crf", "tagger")])
    header, alignment, *rows = lines(next(summary_markdown(results)))
    assert header == "| system | model | prec. | recall | F1 |"
    assert alignment == "| :--- | :--- | ---: | ---: | ---: |"
    assert len(rows) == 4
    assert rows[0].startswith("| crf | ")


# The tables of coreference chains: what they list, in which order, with few systems and with many


CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
GOLD, NAMES = CHAINS / "gold.conll", ("rules", "pairs", "neural")
SYSTEMS = {name: CHAINS / f"{name}.conll" for name in NAMES}
SCORES = ["mentions", "MUC", "B³", "CEAFm", "CEAFe", "BLANC", "LEA", "MELA", "ARCS any", "ARCS nom"]
NONE: Any = {"trials": 0, "resamples": 0}


def names(table: DisplayTable) -> list[str]:
    return [column.name for column in table.columns]


def first(table: DisplayTable) -> list[object]:
    """The first cells of its rows."""
    return [row[0] for row in table.rows]


@pytest.fixture(scope="module")
def results_chains() -> eh.Results:
    return eh.score(GOLD, SYSTEMS)


@pytest.fixture(scope="module")
def comparison() -> eh.Comparison:
    return eh.compare(GOLD, SYSTEMS, by="arcs_nom", trials=100, resamples=50)


# Scores


def test_one_system_has_precision_recall_and_f1() -> None:
    (table,) = summary_chains(eh.score(GOLD, {"rules": SYSTEMS["rules"]}))
    assert names(table) == ["score", "prec.", "recall", "F1"]
    assert first(table) == SCORES


def test_some_systems_have_a_column_each(results_chains: eh.Results) -> None:
    (table,) = summary_chains(results_chains)
    assert (names(table), first(table)) == (["F1", *NAMES], SCORES)
    assert table.rows[7][1:] == [result["mela"].f1 for result in results_chains.values()]


def test_many_systems_have_a_row_each() -> None:
    systems = {f"copy {number}": SYSTEMS["rules"] for number in range(6)}
    (table,) = summary_chains(eh.score(GOLD, systems, match="lea,mela"))
    assert (names(table), first(table)) == (["F1", "LEA", "MELA"], list(systems))


def test_other_weights_of_recall_show() -> None:
    shown = eh.score(GOLD, SYSTEMS, beta=2.0, match="mela")
    (table,) = summary_chains(shown)
    assert names(table) == ["F2", *NAMES]
    assert table.rows[0][1:] == [result["mela"].headline for result in shown.values()]
    assert table.rows[0][1] != shown["rules"]["mela"].f1


def test_nouns_come_first_and_others_by_frequency(results_chains: eh.Results) -> None:
    whole, *arcs = details(results_chains["rules"], alone=False)
    assert first(whole) == SCORES
    for table in arcs:
        assert first(table) == ["nouns", "PRP", "PRP$", "DT", "VBD", "micro avg"]
        assert names(table)[1:] == ["tp", "wl", "fn", "fp", "tn", "prec.", "recall", "F1"]
        for place in range(1, 6):
            column = [row[place] for row in table.rows]
            assert sum(column[:-1]) == column[-1]  # type: ignore[arg-type]
    assert [table.title for table in arcs] == ["ARCS any", "ARCS nom"]
    assert [bool(table.remark) for table in arcs] == [False, True]
    assert len(list(details(results_chains["rules"], alone=True))) == 2


FEW_NOUNS = annotation([[(0, 0, 0), (0, 1, 2), (0, 3, 3), (0, 4, 4), (0, 5, 5)]], pos=[["PRP"] * 6])


def test_nouns_come_first_even_where_they_are_few() -> None:
    (table, *_) = details(eh.score(FEW_NOUNS, FEW_NOUNS), alone=True)
    assert (first(table), [row[1] for row in table.rows]) == (["nouns", "PRP", "micro avg"], [1, 3, 4])
    found = eh.compare(FEW_NOUNS, {"a": annotation([[]]), "b": FEW_NOUNS}, by="arcs_any", **NONE)
    (_, corrections), *_ = pair_tables(found, found.pair("a", "b"))
    assert (names(corrections)[5:], corrections.rows[0][5:]) == (["nouns", "PRP"], [1, 3])


def test_without_pos_there_is_one_row() -> None:
    result = eh.score(annotation([[(0, 0, 0), (0, 2, 2)]]), annotation([[(0, 0, 0)]]))
    (table,) = details(result, alone=True)
    assert (first(table), table.rows[0][1:6]) == (["micro avg"], [0, 0, 1, 0, 1])


# Comparisons


def test_tables_of_a_comparison(comparison: eh.Comparison) -> None:
    tables = list(summary_of_comparison(comparison))
    scores = tables[0]
    assert (names(scores)[1:], first(scores)) == (SCORES, ["rules", "pairs", "neural"])
    key = next(table for table in tables if names(table)[:2] == ["key", "response"])
    assert names(key)[2:] == ["ARCS nom", "LEA", "MELA"]
    found = [(one, other) for one, other, *_ in key.rows]
    assert {("rules", "pairs"), ("rules", "neural"), ("pairs", "neural")} <= set(found)
    for one, other, *values in key.rows:
        a, b = (comparison.systems.index(str(name)) for name in (one, other))
        assert values == [float(table[a, b]) for table in comparison.paired.values()]


def test_changes_of_all_scores_have_marks(comparison: eh.Comparison) -> None:
    table = next(each for each in summary_of_comparison(comparison) if names(each)[:3] == ["from", "to", "mentions"])
    for (before, after, *cells), pair in zip(table.rows, comparison.pairs.values(), strict=True):
        assert (before, after) == (pair.before, pair.after)
        for cell, change in zip(cells, pair.further.values(), strict=True):
            assert change.significance is not None
            p = change.significance.p_holm
            assert cell == f"{100 * change.delta:+.2f}" + ("**" if p < 0.01 else "*" if p < 0.05 else "")
    marks = {cell.lstrip("+-.0123456789") for row in table.rows for cell in map(str, row[2:])}
    assert marks == {"", "*"}


def test_transitions_have_types_beside_them(comparison: eh.Comparison) -> None:
    pair = comparison.pair("rules", "pairs")
    (_, corrections), (_, new), (_, changed), (heading, types) = pair_tables(comparison, pair)
    assert names(corrections) == ["rules", "pairs", "count", "% of these", "% of all", "nouns", "PRP", "PRP$"]
    for table, difference in zip((corrections, new, changed), pair.classes.values(), strict=True):
        assert sum(row[2] for row in table.rows) == difference.count  # type: ignore[misc]
        for _, _, count, these, of_all, *by_type in table.rows:
            assert count == sum(by_type)  # type: ignore[arg-type]
            assert (these, of_all) == (count / difference.count, count / pair.different)  # type: ignore[operator]
        assert [row[2] for row in table.rows] == sorted((row[2] for row in table.rows), reverse=True)  # type: ignore[type-var]
    assert heading == (
        f"rules to pairs, {pair.different} of {pair.size} units "
        f"(with the same verdict, but another antecedent: {pair.moved} more), by type of mention:"
    )
    assert set(first(types)) == {"nouns", "PRP", "PRP$", "DT", "VBD"}


def test_no_more_than_five_types_have_a_column() -> None:
    """The most frequent ones, and of those the first by name."""
    pos = [["NN", "A", "B", "C", "D", "E", "F"]]
    key = annotation([[(0, at, at) for at in range(7)]], size=7, pos=pos)
    found = eh.compare(key, {"a": annotation([[]], size=7), "b": key}, by="arcs_any", **NONE)
    table = next(table for _, table in pair_tables(found, found.pair("a", "b")))
    assert names(table)[5:] == ["A", "B", "C", "D", "E"]
    assert table.rows[0][2:3] == [6]


def test_many_systems_have_a_list_of_those_alike() -> None:
    systems = {f"copy {number}": SYSTEMS["rules"] for number in range(6)}
    tables = list(summary_of_comparison(eh.compare(GOLD, systems, by="arcs_any", **NONE)))
    assert not any(names(table)[:2] == ["key", "response"] for table in tables)
    alike = next(table for table in tables if names(table)[:2] == ["agreement", "and"])
    assert len(alike.rows) == 15
    assert "F1 of arcs_any" in alike.remark


def test_signs_are_escaped(results_chains: eh.Results, comparison: eh.Comparison) -> None:
    for subject in (results_chains, comparison):
        assert r"| PRP\$ |" in markdown.render_markdown(subject)
        assert r"PRP\$ &" in latex.render(subject)
        assert "PRP$ " not in markdown.render_markdown(subject).replace(r"PRP\$", "")
    assert r"compared by arcs\_nom" in markdown.render_markdown(comparison)
