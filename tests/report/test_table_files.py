"""Tables of rows: text, HTML, CSV, Excel, JSON lines, Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from evenhand.report.table_files import text

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "{=1}", "http://example.org", "1,5", "007"]
"""Texts that spreadsheets may run, link or convert."""


@pytest.fixture
def table() -> eh.Table:
    numbers = list(range(len(FORMULAS)))
    return eh.Table({"string": "text", "start": "count"}, [FORMULAS, numbers], "Eleven rows.")


@pytest.fixture
def errors(example: Path) -> eh.Table:
    return eh.score(example / "gold.conll", example / "tagger.conll").errors()


def opened(path: Path) -> Any:
    return pytest.importorskip("openpyxl").load_workbook(path)["rows"]


def test_rows_and_columns(table: eh.Table) -> None:
    assert (len(table), table.columns) == (11, ("string", "start"))
    assert (table[0].string, table[-1].start, table["start"][1]) == ("=1+1", 10, 1)
    assert [row.start for row in table[:2]] == [0, 1]
    assert [string for string, _ in table][:2] == ["=1+1", "+1"]
    with pytest.raises(KeyError, match="no column 'strin'; did you mean string"):
        table["strin"]


def test_no_text_becomes_a_formula_in_excel(table: eh.Table, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    table.write(tmp_path / "rows.xlsx")
    sheet = opened(tmp_path / "rows.xlsx")
    cells = [cell for (cell,) in sheet["A2:A12"]]
    assert {cell.data_type for cell in cells} == {"s"}
    assert not any(cell.hyperlink for cell in cells)
    # Excel files, which are XML, spell a carriage return as an escape that openpyxl does not decode.
    assert [cell.value.replace("_x000D_", "\r") for cell in cells] == FORMULAS


def test_a_workbook_of_errors(errors: eh.Table, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    errors.write(tmp_path / "errors.xlsx")
    sheet = opened(tmp_path / "errors.xlsx")
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == errors.columns
    assert rows == list(map(tuple, errors))
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:P49")
    line, string = (header.index(name) for name in ("line", "string"))
    assert {type(row[line]) for row in rows} == {int}
    widths = [sheet.column_dimensions[chr(ord("A") + column)].width for column in (line, string)]
    assert 6 <= widths[0] < widths[1] <= 61


def test_texts_that_spreadsheets_would_run_get_a_quote_in_csv(table: eh.Table, tmp_path: Path) -> None:
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        table.write(tmp_path / f"rows{suffix}")
        with (tmp_path / f"rows{suffix}").open(newline="") as file:
            _, *rows = csv.reader(file, delimiter=delimiter)
        assert [row[0] for row in rows] == [
            *("'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx", "''=1"),
            *("{=1}", "http://example.org", "1,5", "007"),
        ]
        assert [row[1] for row in rows] == [str(number) for number in range(11)]


def test_json_lines_keep_texts_and_leave_out_missing_values(tmp_path: Path) -> None:
    rows = eh.Table({"string": "text", "start": "count"}, [["=1", "é"], [None, 3]])
    rows.write(tmp_path / "rows.jsonl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"string": "=1"}, {"string": "é", "start": 3}]


def test_frames(errors: eh.Table) -> None:
    frame = pytest.importorskip("pandas") and errors.to_pandas()
    assert (len(frame), str(frame.dtypes["line"]), frame["type"].value_counts()["FN"]) == (48, "Int64", 18)
    assert errors.to_polars()["string"].to_list() == errors["string"]
    assert errors.to_arrow().column("start").to_pylist() == errors["start"]


def test_parquet(errors: eh.Table, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    errors.write(tmp_path / "errors.parquet")
    read = parquet.read_table(tmp_path / "errors.parquet")
    assert read.drop_columns(["signature"]).equals(errors.to_arrow())
    assert set(read["signature"].to_pylist()) == {errors.signature}


def test_every_file_has_the_signature(errors: eh.Table, tmp_path: Path) -> None:
    """As the last column of plain files, on a second sheet of a workbook, and below the table of a page."""
    pandas = pytest.importorskip("pandas")
    signature = errors.signature
    assert signature.startswith(f"evenhand:{eh.__version__}|numbers:1|task:spans|match:fair|align:strict|")
    for suffix, separator in ((".csv", ","), (".tsv", "\t")):
        errors.write(tmp_path / f"errors{suffix}")
        frame = pandas.read_csv(tmp_path / f"errors{suffix}", sep=separator)
        assert list(frame.columns) == [*errors.columns, "signature"]
        assert (len(frame), set(frame["signature"])) == (len(errors), {signature})
    errors.write(tmp_path / "errors.jsonl")
    lines = (tmp_path / "errors.jsonl").read_text().splitlines()
    assert {json.loads(line)["signature"] for line in lines} == {signature}
    errors.write(tmp_path / "errors.html")
    assert signature in (tmp_path / "errors.html").read_text()
    pytest.importorskip("xlsxwriter")
    errors.write(tmp_path / "errors.xlsx")
    workbook = pytest.importorskip("openpyxl").load_workbook(tmp_path / "errors.xlsx")
    assert workbook.sheetnames == ["rows", "about"]
    assert [cell.value for (cell,) in workbook["about"]] == [errors.caption, signature]


def test_a_sample_is_in_the_signature(example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "tagger.conll")
    assert result.errors(sample=5, seed=3).signature == f"{result.errors().signature}|sample:5|seed:3"
    assert result.errors()[:3].signature == result.errors().signature


def test_html_escapes_markup(tmp_path: Path) -> None:
    rows = eh.Table({"string": "text"}, [["<script>"] * 200], "200 & more")
    assert "<script>" not in rows._repr_html_()
    assert "200 &amp; more" in rows._repr_html_()
    assert rows._repr_html_().count("&lt;script&gt;") == 100
    rows.write(tmp_path / "rows.html")
    page = (tmp_path / "rows.html").read_text()
    assert page.count("&lt;script&gt;") == 200
    assert page.startswith("<!doctype html>")


def test_unknown_suffixes_are_refused_before_files_are_read(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["errors", "missing.conll", "x.conll", "-o", str(tmp_path / "errors.docx")])
    assert (found.exit_code, "Use one of .csv, .tsv, .xlsx" in found.stderr) == (2, True)


def test_text_fits_and_states_what_it_leaves_out(errors: eh.Table) -> None:
    for width in (80, 100, 140):
        lines = text(errors, width, 5).splitlines()
        assert max(map(len, lines[1:])) <= width
        assert lines[-1] == "… 43 more"
    assert repr(errors).startswith("tagger: 48 errors by fair (18 FN, 9 LE, 7 BEL")


def test_the_command(example: Path, tmp_path: Path) -> None:
    sides = [str(example / name) for name in ("gold.conll", "crf.conll", "tagger.conll")]
    outcome = CliRunner().invoke(main, ["errors", *sides, "--type", "FN", "--limit", "2"])
    first, header, *_ = outcome.stdout.splitlines()
    assert first == "crf: 69 errors by fair (69 FN); tagger: 18 errors by fair (18 FN). Positions count tokens."
    assert header.split()[:3] == ["system", "document", "line"]
    assert outcome.stdout.splitlines()[-1] == "… 85 more; -o FILE writes all rows"
    outcome = CliRunner().invoke(main, ["errors", *sides, "--as", "jsonl", "--system", "crf", "--sample", "3"])
    assert [json.loads(line)["system"] for line in outcome.stdout.splitlines()] == ["crf"] * 3
    outcome = CliRunner().invoke(main, ["errors", *sides, "--all", "-o", str(tmp_path / "units.csv")])
    assert outcome.stderr.startswith(f"{tmp_path / 'units.csv'}: 580 rows. crf: 289 units by fair")
    assert len((tmp_path / "units.csv").read_text().splitlines()) == 581
