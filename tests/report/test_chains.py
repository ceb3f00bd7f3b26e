"""The tables of coreference chains: what they list, in which order, with few systems and with many."""

from __future__ import annotations

from typing import Any

import pytest

import evenhand as eh
from build_chains import annotation
from conftest import ROOT
from evenhand.report import latex
from evenhand.report import text as markdown
from evenhand.report.comparison_tables import pair_tables, summary_of_comparison
from evenhand.tables import Table
from evenhand.tasks.chains.tables import details, summary

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
GOLD, NAMES = CHAINS / "gold.conll", ("rules", "pairs", "neural")
SYSTEMS = {name: CHAINS / f"{name}.conll" for name in NAMES}
SCORES = ["mentions", "MUC", "B³", "CEAFm", "CEAFe", "BLANC", "LEA", "MELA", "ARCS any", "ARCS nom"]
NONE: Any = {"trials": 0, "resamples": 0}


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def first(table: Table) -> list[object]:
    """The first cells of its rows."""
    return [row[0] for row in table.rows]


@pytest.fixture(scope="module")
def results() -> eh.Results:
    return eh.score(GOLD, SYSTEMS)


@pytest.fixture(scope="module")
def comparison() -> eh.Comparison:
    return eh.compare(GOLD, SYSTEMS, by="arcs_nom", trials=100, resamples=50)


# Scores


def test_one_system_has_precision_recall_and_f1() -> None:
    (table,) = summary(eh.score(GOLD, {"rules": SYSTEMS["rules"]}))
    assert names(table) == ["score", "prec.", "recall", "F1"]
    assert first(table) == SCORES


def test_some_systems_have_a_column_each(results: eh.Results) -> None:
    (table,) = summary(results)
    assert (names(table), first(table)) == (["F1", *NAMES], SCORES)
    assert table.rows[7][1:] == [result["mela"].f1 for result in results.values()]


def test_many_systems_have_a_row_each() -> None:
    systems = {f"copy {number}": SYSTEMS["rules"] for number in range(6)}
    (table,) = summary(eh.score(GOLD, systems, match="lea,mela"))
    assert (names(table), first(table)) == (["F1", "LEA", "MELA"], list(systems))


def test_other_weights_of_recall_show() -> None:
    shown = eh.score(GOLD, SYSTEMS, beta=2.0, match="mela")
    (table,) = summary(shown)
    assert names(table) == ["F2", *NAMES]
    assert table.rows[0][1:] == [result["mela"].headline for result in shown.values()]
    assert table.rows[0][1] != shown["rules"]["mela"].f1


def test_nouns_come_first_and_others_by_frequency(results: eh.Results) -> None:
    whole, *arcs = details(results["rules"], alone=False)
    assert first(whole) == SCORES
    for table in arcs:
        assert first(table) == ["nouns", "PRP", "PRP$", "DT", "VBD", "overall"]
        assert names(table)[1:] == ["tp", "wl", "fn", "fp", "tn", "prec.", "recall", "F1"]
        for place in range(1, 6):
            column = [row[place] for row in table.rows]
            assert sum(column[:-1]) == column[-1]  # type: ignore[arg-type]
    assert [table.title for table in arcs] == ["ARCS any", "ARCS nom"]
    assert [bool(table.remark) for table in arcs] == [False, True]
    assert len(list(details(results["rules"], alone=True))) == 2


FEW_NOUNS = annotation([[(0, 0, 0), (0, 1, 2), (0, 3, 3), (0, 4, 4), (0, 5, 5)]], pos=[["PRP"] * 6])


def test_nouns_come_first_even_where_they_are_few() -> None:
    (table, *_) = details(eh.score(FEW_NOUNS, FEW_NOUNS), alone=True)
    assert (first(table), [row[1] for row in table.rows]) == (["nouns", "PRP", "overall"], [1, 3, 4])
    found = eh.compare(FEW_NOUNS, {"a": annotation([[]]), "b": FEW_NOUNS}, **NONE)
    (_, corrections), *_ = pair_tables(found, found.pair("a", "b"))
    assert (names(corrections)[5:], corrections.rows[0][5:]) == (["nouns", "PRP"], [1, 3])


def test_without_pos_there_is_one_row() -> None:
    result = eh.score(annotation([[(0, 0, 0), (0, 2, 2)]]), annotation([[(0, 0, 0)]]))
    (table,) = details(result, alone=True)
    assert (first(table), table.rows[0][1:6]) == (["overall"], [0, 0, 1, 0, 1])


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
    for table, found in zip((corrections, new, changed), pair.classes.values(), strict=True):
        assert sum(row[2] for row in table.rows) == found.count  # type: ignore[misc]
        for _, _, count, these, of_all, *by_type in table.rows:
            assert count == sum(by_type)  # type: ignore[arg-type]
            assert (these, of_all) == (count / found.count, count / pair.different)  # type: ignore[operator]
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
    found = eh.compare(key, {"a": annotation([[]], size=7), "b": key}, **NONE)
    table = next(table for _, table in pair_tables(found, found.pair("a", "b")))
    assert names(table)[5:] == ["A", "B", "C", "D", "E"]
    assert table.rows[0][2:3] == [6]


def test_many_systems_have_a_list_of_those_alike() -> None:
    systems = {f"copy {number}": SYSTEMS["rules"] for number in range(6)}
    tables = list(summary_of_comparison(eh.compare(GOLD, systems, **NONE)))
    assert not any(names(table)[:2] == ["key", "response"] for table in tables)
    alike = next(table for table in tables if names(table)[:2] == ["agreement", "and"])
    assert len(alike.rows) == 15
    assert "F1 of arcs_any" in alike.remark


def test_signs_are_escaped(results: eh.Results, comparison: eh.Comparison) -> None:
    for subject in (results, comparison):
        assert r"| PRP\$ |" in markdown.render_markdown(subject)
        assert r"PRP\$ &" in latex.render(subject)
        assert "PRP$ " not in markdown.render_markdown(subject).replace(r"PRP\$", "")
    assert r"compared by arcs\_nom" in markdown.render_markdown(comparison)
