"""Confidences of units are read from every format that has them, and survive what rearranges layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.data.layers import Spans

TOKENS = {"tokens": ["Ada", "Lovelace", "met", "Babbage"]}


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def scores(annotation: eh.Annotation) -> list[float | None] | None:
    column = annotation.spans().score
    return None if column is None else [None if np.isnan(value) else value for value in column.tolist()]


def spans(*scores: object, key: str = "score") -> list[dict[str, object]]:
    return [{"start": at, "end": at + 1, "label": "PER", key: score} for at, score in enumerate(scores)]


@pytest.mark.parametrize("key", ["score", "confidence", "probability", "prob"])
def test_json_lines_have_scores_under_four_names(tmp_path: Path, key: str) -> None:
    records = [{**TOKENS, "spans": spans(0.25, 1, 1e-07, -7.5, key=key)}, {**TOKENS, "spans": spans(0.1, key=key)}]
    read = eh.read(lines(tmp_path / "crf.jsonl", *records))
    assert scores(read) == [0.25, 1.0, 1e-07, -7.5, 0.1]


def test_spans_as_lists_have_a_score_after_the_label(tmp_path: Path) -> None:
    record = {"text": "Ada met Babbage", "label": [[0, 3, "PER", 0.5], [8, 15, "PER", 0.75]]}
    assert scores(eh.read(lines(tmp_path / "crf.jsonl", record, record))) == [0.5, 0.75] * 2


def test_spans_without_a_score_have_none(tmp_path: Path) -> None:
    some = [*spans(0.5), {"start": 2, "end": 3, "label": "PER"}]
    assert scores(eh.read(lines(tmp_path / "a.jsonl", {**TOKENS, "spans": some}))) == [0.5, None]
    assert scores(eh.read(lines(tmp_path / "b.jsonl", {**TOKENS, "spans": spans(None)}))) is None


def test_bad_scores_count_as_missing_while_no_score_is_used(tmp_path: Path) -> None:
    path = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.5, "high", True, {"a": 1})})
    assert scores(eh.read(path)) == [0.5, None, None, None]


def test_columns_and_records_read_the_same_scores(tmp_path: Path) -> None:
    """A record with another order of keys is read by the decoder, not as columns."""
    values = [0.1, 0.30000000000000004, 123456789012345678, 5e-324, 1.7976931348623157e308, -0.0, 2.5e-3]
    uniform = [{**TOKENS, "spans": spans(value)} for value in values]
    odd = {"spans": spans(0.5), **TOKENS}
    columns, records = lines(tmp_path / "a.jsonl", *uniform), lines(tmp_path / "b.jsonl", *uniform, odd)
    assert scores(eh.read(columns)) == [float(value) for value in values]
    assert scores(eh.read(records)) == [*(float(value) for value in values), 0.5]


def test_lists_have_scores() -> None:
    read = eh.spans([[("PER", 0, 2, 0.9), ("LOC", 3, 4)], [("PER", 0, 3, [0, 2], 0.4), ("PER", 5, 6, None, 1)]])
    assert scores(read) == [0.9, None, 0.4, 1.0]
    assert read.spans().token_sets() == [{0, 1}, {3}, {0, 2}, {5}]
    with pytest.raises(ValueError, match="expected a finite number as the score of a span of sentence 2, got nan"):
        eh.spans([[], [("PER", 0, 2, float("nan"))]])


def test_frames_have_scores() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"sentence": [1, 1, 2], "start": [0, 2, 0], "end": [1, 3, 2], "label": "PER", "score": [0.5, None, 0.75]}
    )
    assert scores(eh.read(frame)) == [0.5, None, 0.75]


def test_layers_keep_scores_when_they_are_rearranged() -> None:
    some = eh.spans([[("A", 0, 1, 0.1), ("B", 1, 2, 0.2)], [("A", 0, 1, 0.3)]]).spans()
    none = eh.spans([[("A", 0, 1)]]).spans()
    assert some.score is not None
    assert some.take(np.array([2, 0])).score.tolist() == [0.3, 0.1]  # type: ignore[union-attr]
    joined = Spans.concatenate([none, some, none], [0, 1, 3])
    assert joined.score is not None
    np.testing.assert_array_equal(joined.score, [np.nan, 0.1, 0.2, 0.3, np.nan])
    assert Spans.concatenate([none, none], [0, 1]).score is None
    assert some.relabel(np.array([-1, 0])).score.tolist() == [0.2]  # type: ignore[union-attr]
