"""`Download these rows`: the CSV of the listed units, with the counts of the scores, and safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import QUICK, TASKS, Open, count, go

COLUMNS = [
    *("system", "document", "line", "sentence", "start", "end", "left", "string", "right"),
    *("gold", "predicted", "type", "side", "matched"),
]


def download(page: Any) -> list[dict[str, str]]:
    with page.expect_download() as started:
        page.click("#download")
    text = Path(started.value.path()).read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("task", TASKS)
def test_every_listed_unit_of_a_system_has_a_row(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    system = page.locator(".all-systems tbody th bdi").last.get_attribute("title")
    go(page, f"#units?system={system}&right=0")
    rows = download(page)
    assert list(rows[0]) == COLUMNS
    assert len(rows) == count(page) > 0
    assert {row["system"] for row in rows} == {system}
    assert all(row["type"] and row["document"] and row["sentence"] for row in rows)


def test_rows_have_the_counts_of_the_score(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    page = open_page(example_pages["spans"], "#units")
    rows = download(page)
    for name, result in example_reports["spans"].results.items():
        for kind in ("LE", "BES", "BEL", "FN", "FP"):
            of_kind = [row for row in rows if (row["system"], row["type"]) == (name, kind)]
            assert len(of_kind) == result["fair"].overall[kind], (name, kind)


def test_a_row_has_the_string_its_context_and_its_match(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units?system=crf&kind=BES&gold=ORG&text=almeida")
    first = next(row for row in download(page) if row["line"] == "45")
    assert first == {
        "system": "crf",
        "document": "1",
        "line": "45",
        "sentence": "3",
        "start": "8",
        "end": "12",
        "left": "Museum bought the ship from",
        "string": "Almeida & Daughters Ltd",
        "right": ", a scrapyard in Setúbal",
        "gold": "ORG",
        "predicted": "ORG",
        "type": "BES",
        "side": "gold",
        "matched": "Almeida & Daughters",
    }


def test_rows_are_those_of_the_command_errors(open_page: Open, example_pages: dict[str, Path], example: Path) -> None:
    rows = download(open_page(example_pages["spans"], "#units?system=crf&right=0"))
    listed = eh.errors(example / "gold.conll", example / "crf.conll")
    columns = {name: ["" if value is None else str(value) for value in listed[name]] for name in COLUMNS}
    wanted = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    key = lambda row: tuple(row.values())  # noqa: E731
    assert sorted(rows, key=key) == sorted(wanted, key=key)


def test_a_pair_has_rows_of_both_systems(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units?from=crf&to=tagger&change=new_error")
    rows = download(page)
    assert {row["system"] for row in rows} == {"crf", "tagger"}
    assert sum(row["system"] == "tagger" for row in rows) == count(page)


def test_offsets_are_those_of_the_text(open_page: Open, tmp_path: Path, example: Path) -> None:
    folder = example.parent / "letters"
    systems = [folder / "model.jsonl", folder / "rules.jsonl"]
    eh.report(folder / "gold.jsonl", systems, **QUICK).to_html(tmp_path / "page.html")
    texts = [eh.read(folder / "gold.jsonl").corpus.text(number) for number in range(5)]
    page = open_page(tmp_path / "page.html", "#units?right=any")
    rows = [row for row in download(page) if row["start"]]
    assert len(rows) > 20
    for row in rows:
        assert texts[int(row["sentence"]) - 1][int(row["start"]) : int(row["end"])] == row["string"]


def test_no_cell_is_a_formula(open_page: Open, tmp_path: Path) -> None:
    """Spreadsheets run cells that begin with =, +, - or @; a quote, a comma and a line break stay in their cell."""
    words = ["=cmd|'/C calc'!A0", "+1", "-x", "@SUM(A1)", 'a "b", c']
    gold = eh.spans([[("=LOC", at, at + 1) for at in range(len(words))]], tokens=[words], end="exclusive")
    system = eh.spans([[]], tokens=[words], end="exclusive")
    eh.report(gold, {"=2+5": system}, **QUICK).to_html(tmp_path / "page.html")
    rows = download(open_page(tmp_path / "page.html", "#units"))
    assert [row["string"] for row in rows] == [*(f"'{word}" for word in words[:4]), words[4]]
    assert {row["system"] for row in rows} == {"'=2+5"}
    assert {row["gold"] for row in rows} == {"'=LOC"}
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in rows for cell in row.values())


def test_confidences_are_in_the_table_the_details_and_the_rows(open_page: Open, tmp_path: Path) -> None:
    words = [["Ada", "met", "Babbage"]]
    gold = eh.spans([[("PER", 0, 1), ("PER", 2, 3)]], tokens=words, end="exclusive")
    system = eh.spans([[("LOC", 0, 1, 0.12345), ("ORG", 1, 2, -2.5)]], tokens=words, end="exclusive")
    eh.report(gold, {"crf": system}, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    assert page.locator("#list .score").all_inner_texts() == ["0.12", "−2.5"]
    assert "score 0.123" in page.inner_text("#detail")
    rows = download(page)
    assert list(rows[0]) == [*COLUMNS, "score"]
    assert [row["score"] for row in rows] == ["0.12345", "-2.5", ""]
