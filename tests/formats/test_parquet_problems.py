"""Parquet and Arrow files that cannot be read as they are: one sentence with file, row and remedy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from arrow_files import FORMS, NAMES, NUMBERS, TAGS, TOKENS, class_label, error, pyarrow, save
from evenhand.formats.arrow_columns import arrow
from evenhand.formats.check import check
from evenhand.settings import ReadSettings


def span(start: int | None, end: int | None, label: str | None = "PER") -> dict[str, Any]:
    return {"start": start, "end": end, "label": label}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"tokens": [*TOKENS[:2], ["in", None]], "tags": TAGS},
            ":3: found a null in the column 'tokens'; fill it in.",
        ),
        ({"tokens": TOKENS, "tags": [TAGS[0], None, TAGS[2]]}, ":2: found a null in the column 'tags'; fill it in."),
        (
            {"tokens": TOKENS, "tags": [TAGS[0], ["O"], TAGS[2]]},
            ":2: the number of tokens in this row is 0, that of tags is 1; give every token one tag.",
        ),
        (
            {"document": ["a", None, "b"], "tokens": TOKENS, "tags": TAGS},
            ":2: found a null in the column 'document'; fill it in.",
        ),
        (
            {"tokens": TOKENS, "spans": [[span(0, 4)], [], []]},
            ":1: the span [0, 4] 'PER' ends behind the tokens of its record, which has 3; "
            "count from 0, and let the end stand behind the span.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(-1, 1)]]},
            ":3: the span [-1, 1] 'PER' begins before its text; count from 0, and let the end stand behind the span.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(1, 1)]]},
            ":3: the span [1, 1] 'PER' covers nothing; count from 0, and let the end stand behind the span.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(0, 1), span(0, 1, "")]]},
            ":3: the span [0, 1] '' has an empty label; name its label.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(0, 1), span(0, None)]]},
            ":3: found a null in the column 'spans'; fill it in.",
        ),
        (
            {"text": ["Ada", "“Ada” "], "spans": [[], [span(0, 7)]]},
            ":2: the span [0, 7] 'PER' ends behind its text, which has 6 characters; "
            "count from 0, and let the end stand behind the span.",
        ),
        (
            {"text": ["Ada", "“Ada” "], "spans": [[], [span(5, 6)]]},
            ":2: the span [5, 6] 'PER' covers only spaces; mend its offsets, or remove it.",
        ),
        ({"text": ["Ada", None], "spans": [[span(0, 3)], []]}, ":2: found a null in the column 'text'; fill it in."),
    ],
)
def test_rows_that_do_not_fit(tmp_path: Path, form: str, columns: dict[str, Any], sentence: str) -> None:
    assert error(save(tmp_path, columns, form)) == sentence


@pytest.mark.parametrize("number", [-100, 5])
def test_numbers_without_a_name(tmp_path: Path, number: int) -> None:
    columns = {"tokens": TOKENS, "tags": [*NUMBERS[:2], [0, number]]}
    assert error(save(tmp_path, columns, features={"tags": class_label(NAMES)})) == (
        f":3: found the tag number {number} where the names of 'tags' are for 0 to 4; "
        "give every token a tag (-1 and -100 stand for none)."
    )
    assert error(save(tmp_path, columns)) == (
        ": the column 'tags' has numbers, and the metadata of the schema has no names for them; give its names in the "
        "metadata, as datasets writes a list of ClassLabel, or write tags as strings."
    )


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"words": TOKENS, "tags": TAGS},
            ": no column 'tokens' with lists of strings is among words, tags; rename the column with the tokens to tokens.",
        ),
        (
            {"tokens": TOKENS, "a": TAGS, "b": TAGS},
            ": several columns could have the tags: a, b; name one of them with --column.",
        ),
        (
            {"tokens": TOKENS},
            ": no column of tags with lists of numbers or strings is among tokens; name the column with the tags with --column.",
        ),
        (
            {"text": ["Ada"], "tags": [["O"]]},
            ": no column 'tags' with lists of structs is among text, tags; "
            "name the column with lists of structs (start, end, label) with --column.",
        ),
        (
            {"tokens": TOKENS, "spans": [[{"from": 0, "to": 1, "label": "A"}], [], []]},
            ": the spans in the column 'spans' have the fields from, to, label; "
            "give them start, end (whole numbers) and label.",
        ),
        (
            {"tokens": TOKENS, "spans": [[{"start": 0.0, "end": 1.0, "label": "A"}], [], []]},
            ": the spans in the column 'spans' have the fields start, end, label; "
            "give them start, end (whole numbers) and label.",
        ),
    ],
)
def test_columns_that_do_not_fit(tmp_path: Path, columns: dict[str, Any], sentence: str) -> None:
    assert error(save(tmp_path, columns)) == sentence


def test_two_columns_with_one_name(tmp_path: Path) -> None:
    arrow = pyarrow()
    table = arrow.table([arrow.array(TOKENS), arrow.array(TAGS), arrow.array(TAGS)], ["tokens", "tags", "tags"])
    path = tmp_path / "data.arrow"
    with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert error(path) == ": several columns are called 'tags'; rename all but one of them."


@pytest.mark.parametrize("form", FORMS)
def test_broken_files(tmp_path: Path, form: str) -> None:
    path = save(tmp_path, {"tokens": TOKENS * 500, "tags": TAGS * 500}, form)
    whole = path.read_bytes()
    name = "Parquet file" if form == "parquet" else "Arrow file or stream"
    for content in (whole[:-8], whole[: len(whole) // 2], whole[:4], whole[:8], b"text"):
        path.write_bytes(content)
        assert error(path) == f": is no {name}, or a broken one; write it again."
    path.write_bytes(b"")
    assert error(path) == ": the file is empty; check how it was written."
    path.unlink()
    assert error(path) == ": there is no such file; check the path."


@pytest.mark.parametrize("form", FORMS)
def test_strings_that_are_no_utf_8(tmp_path: Path, form: str) -> None:
    arrow = pyarrow()
    offsets, data = arrow.py_buffer(arrow.array([0, 1, 2, 3], arrow.int32()).buffers()[1]), arrow.py_buffer(b"a\xffb")
    words = arrow.Array.from_buffers(arrow.string(), 3, [None, offsets, data])
    tokens = arrow.ListArray.from_arrays(arrow.array([0, 1, 3], arrow.int32()), words)
    path = save(tmp_path, {"tokens": tokens, "tags": [["O"], ["O", "O"]]}, form)
    assert error(path) == ":2: the column 'tokens' is broken here, or not in UTF-8; write it again."


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows(tmp_path: Path, form: str) -> None:
    arrow = pyarrow()
    types = {"tokens": arrow.list_(arrow.string()), "tags": arrow.list_(arrow.string())}
    assert error(save(tmp_path, {"tokens": [], "tags": []}, form, types=types)) == (
        ": the file has no rows; check how it was saved."
    )


def test_broken_metadata(tmp_path: Path) -> None:
    arrow = pyarrow()
    table = arrow.table({"tokens": TOKENS, "tags": NUMBERS}).replace_schema_metadata({"huggingface": "{"})
    path = tmp_path / "data.arrow"
    with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert error(path) == ": the metadata of the schema is broken; write it again."


def test_a_check_reports_every_row(tmp_path: Path) -> None:
    columns = {"tokens": [["a"], ["b", None], ["c"], ["d"]], "tags": [["O", "O"], ["O", "O"], ["X"], ["B-PER"]]}
    found = check(save(tmp_path, columns, "arrow", rows=2), ReadSettings())
    assert [(problem.line, problem.kind) for problem in found.problems] == [(1, "row"), (2, "row"), (3, "tag")]
    assert (found.sentences, found.units) == (2, 1)


def test_a_check_reports_every_span(tmp_path: Path) -> None:
    spans = [[span(0, 9), span(0, 1)], [], [span(2, 3), span(0, 2)]]
    found = check(save(tmp_path, {"tokens": TOKENS, "spans": spans}), ReadSettings())
    assert [problem.line for problem in found.problems] == [1, 3]
    assert found.units == 2


def test_pyarrow_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    (tmp_path / "data.arrow").write_bytes(b"ARROW1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    vars(arrow).clear()  # what it loaded before
    remedy = "take pyarrow, which is not installed; run: pip install evenhand[arrow]."
    assert error(tmp_path / "data.parquet") == f": Parquet files {remedy}"
    assert error(tmp_path / "data.arrow") == f": Arrow files {remedy}"
    with pytest.raises(eh.SettingError, match=r"pip install evenhand\[arrow\]"):
        eh.score(eh.tags([["O"]]), eh.tags([["O"]])).tallies_to_arrow()
