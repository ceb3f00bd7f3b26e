"""Tables as data: rows and their queries stay together."""

from __future__ import annotations

from evenhand.tables import Column, DisplayTable, LazyQueries, Query

COLUMNS = [Column("label", "text"), Column("count", "count"), Column("%", "share")]


def table(labels: int) -> DisplayTable:
    """The last label is the most frequent; a row sums up."""
    names = [f"L{number}" for number in range(labels)]
    rows = [*([name, number, 0.5] for number, name in enumerate(names)), ["overall", labels, 1.0]]
    queries = [*([Query(label=name)] * 3 for name in names), [Query(), Query(), None]]
    return DisplayTable("", COLUMNS, rows, 1, "Said below.", weights=list(range(labels)), queries=queries)


def test_columns_keep_their_queries() -> None:
    outcome = table(2).with_columns([0, 2])
    assert [column.name for column in outcome.columns] == ["label", "%"]
    assert outcome.rows == [["L0", 0.5], ["L1", 0.5], ["overall", 1.0]]
    assert outcome.queries[-1] == [Query(), None]


def test_a_table_without_queries_stays_so() -> None:
    assert DisplayTable("", COLUMNS, [["a", 1, 1.0]]).with_columns([0]).queries == []


def test_the_most_frequent_rows_and_the_last_ones_stay() -> None:
    outcome = table(60).folded()
    assert [row[0] for row in outcome.rows] == [*(f"L{number}" for number in range(10, 60)), "overall"]
    assert [asked[0].label for asked in outcome.queries if asked[0]] == [
        *(f"L{number}" for number in range(10, 60)),
        None,
    ]
    assert outcome.remark == "The 50 most frequent of 60; --as json writes all of them. Said below."
    assert table(50).folded() == table(50)


def test_late_queries_are_made_once_and_only_for_who_asks() -> None:
    made = []

    def queries() -> list[list[Query | None]]:
        made.append(True)
        return [[Query(label="a"), None, None]]

    table = DisplayTable("", COLUMNS, [["a", 1, 1.0]], queries=LazyQueries(queries))
    assert table.folded().rows == [["a", 1, 1.0]]
    assert not made
    assert table.queries[0] == [Query(label="a"), None, None]
    assert table.with_columns([0, 2]).queries == [[Query(label="a"), None]]
    assert len(table.queries) == len(made) == 1
