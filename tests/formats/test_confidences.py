"""Confidences of units are read from every format that has them, and survive what rearranges layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main
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


def test_a_bad_score_is_an_error_with_its_line_once_scores_are_used(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.jsonl", {**TOKENS, "spans": []}, {**TOKENS, "spans": []})
    for written, shown in (("NaN", "NaN"), ("Infinity", "infinity"), ("-Infinity", "-infinity"), ('"high"', "'high'")):
        crf = tmp_path / "crf.jsonl"
        good, bad = ({**TOKENS, "spans": spans(0.5, score)} for score in (0.5, "BAD"))
        crf.write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n".replace('"BAD"', written))
        with pytest.raises(eh.InputError) as error:
            eh.score(gold, crf, min_score=0.1)
        assert str(error.value) == f"{crf}:2: expected a finite number as the score of span 2, got {shown}."
        assert scores(eh.read(crf)) == [0.5, 0.5, 0.5, None]


def test_two_fields_with_different_scores_are_an_error(tmp_path: Path) -> None:
    span = {"start": 0, "end": 1, "label": "PER", "score": 0.5, "prob": 0.4}
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": [span]})
    with pytest.raises(
        eh.InputError, match=r":1: span 1 has the scores 'score' \(0.5\) and 'prob' \(0.4\), which differ"
    ):
        eh.score(crf, crf, min_score=0.1)
    assert eh.score(eh.read(crf), crf, min_score=0.45, score="prob")["exact"].f1 == 0
    assert eh.score(eh.read(crf), crf, min_score=0.45, score="score")["exact"].f1 == 1


def test_hugging_face_output_has_the_least_score_of_its_tokens(tmp_path: Path) -> None:
    tokens = [("B-PER", 0, 3, "Ada", 0.9), ("I-PER", 4, 12, "Lovelace", 0.7), ("B-PER", 17, 24, "Babbage", 0.8)]
    record = [
        {"entity": tag, "start": start, "end": end, "word": word, "score": score, "index": at}
        for at, (tag, start, end, word, score) in enumerate(tokens)
    ]
    path = lines(tmp_path / "hf.jsonl", {"text": "Ada Lovelace met Babbage", "entities": record})
    assert scores(eh.read(path)) == [0.7, 0.8]
    assert scores(eh.read(path, score_of_span="mean")) == [pytest.approx(0.8), 0.8]
    aggregated = [{"entity_group": "PER", "start": 0, "end": 12, "word": "Ada Lovelace", "score": 0.6}]
    assert scores(eh.read(lines(tmp_path / "a.jsonl", {"text": "Ada Lovelace", "entities": aggregated}))) == [0.6]


def test_label_studio_has_scores_of_results_not_of_predictions(tmp_path: Path) -> None:
    value = {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}
    results = [{"value": value, "score": 0.5}, {"value": {**value, "labels": ["ORG"]}}]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"data": {"text": "Ada"}, "predictions": [{"result": results, "score": 0.1}]}]))
    assert scores(eh.read(path)) == [0.5, None]
    gold = eh.spans([[("PER", 0, 3)]], text=["Ada"])
    notes = eh.score(gold, path, missing_score="drop").notes
    assert "system export: skipped scores of predictions, which are means of their results (1)." in notes


def test_brat_has_scores_in_notes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada met Babbage in London")
    (tmp_path / "a.ann").write_text(
        "T1\tPER 0 3\tAda\n#1\tAnnotatorNotes T1\t0.93\nT2\tPER 8 15\tBabbage\n#2\tAnnotatorNotes T2\tsure; score: 0.5\n"
        "T3\tLOC 19 25\tLondon\n#3\tAnnotatorNotes T3\ta city of 9 million\n"
        "R1\tknows Arg1:T1 Arg2:T2\n#4\tAnnotatorNotes R1\tscore=0.25\n"
    )
    assert scores(eh.read(tmp_path / "a.ann")) == [0.93, 0.5, None]
    relations = eh.read(tmp_path / "a.ann", task="relations")
    assert relations["relations"].score.tolist() == [0.25]  # type: ignore[union-attr]


def test_columns_have_one_score_per_token(tmp_path: Path) -> None:
    path = tmp_path / "crf.conll"
    path.write_text("Ada\tB-PER\t0.8\nLovelace\tI-PER\t0.5\nmet\tO\t_\nBabbage\tB-PER\t0.9\n")
    expected = {"min": [0.5, 0.9], "mean": [0.65, 0.9], "product": [0.4, 0.9], "first": [0.8, 0.9]}
    for how, values in expected.items():
        assert scores(eh.read(path, score=3, score_of_span=how)) == pytest.approx(values)
    tags = eh.read(path, task="tags", score=3)["tags"]
    np.testing.assert_array_equal(tags.score, [0.8, 0.5, np.nan, 0.9])  # type: ignore[union-attr]


def test_csv_has_a_named_column_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "crf.csv"
    path.write_text("sentence,word,tag,prob\n1,Ada,B-PER,0.8\n1,Lovelace,I-PER,0.5\n2,Babbage,B-PER,0.9\n")
    assert scores(eh.read(path, score="prob")) == [0.5, 0.9]


def test_relations_and_links_have_scores(tmp_path: Path) -> None:
    named = [{"id": at, "start": at, "end": at + 1, "label": "PER", "score": 0.5 + at / 10} for at in (0, 1)]
    relation = {"head": 0, "tail": 1, "label": "knows", "probability": 0.25}
    path = lines(tmp_path / "re.jsonl", {**TOKENS, "spans": named, "relations": [relation]})
    read = eh.read(path, task="relations")
    assert read["relations"].score.tolist() == [0.25]  # type: ignore[union-attr]
    assert scores(read) == [0.5, 0.6]
    linked = {**TOKENS, "spans": [{"start": 0, "end": 1, "links": ["Q7259"], "confidence": 0.75}]}
    assert eh.read(lines(tmp_path / "el.jsonl", linked), task="links").spans("links").score.tolist() == [0.75]  # type: ignore[union-attr]


def test_extractions_keep_scores_when_they_are_placed(tmp_path: Path) -> None:
    gold = lines(
        tmp_path / "gold.jsonl", {"text": "Ada met Babbage", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    )
    items = [
        {"text": name, "label": "PER", "score": score} for name, score in (("Ada", 0.9), ("Babbage", 0.4), ("X", 0.3))
    ]
    llm = lines(tmp_path / "llm.jsonl", {"output": {"entities": items}})
    results = [eh.score(gold, llm, min_score=least) for least in (0.0, 0.35, 0.5)]
    assert [result.predicted for result in results] == [3, 2, 1]
    assert [result["exact"].precision for result in results] == [pytest.approx(1 / 3), 0.5, 1.0]


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_convert_keeps_scores(tmp_path: Path, suffix: str) -> None:
    source = lines(
        tmp_path / "crf.jsonl",
        {"text": "Ada met Babbage", "spans": [{"start": 0, "end": 3, "label": "PER", "score": 0.25}]},
    )
    assert scores(eh.read(converted(source, tmp_path / f"new{suffix}"))) == [0.25]


def test_convert_keeps_scores_in_notes_of_brat(tmp_path: Path) -> None:
    source = lines(
        tmp_path / "crf.jsonl", {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER", "score": 0.25}]}
    )
    assert scores(eh.read(converted(source, tmp_path / "new.ann").with_suffix(""))) == [0.25]


def converted(source: Path, target: Path) -> Path:
    run = CliRunner().invoke(main, ["convert", str(source), str(target)])
    assert run.exit_code == 0, run.output
    assert "scores" not in run.output
    return target


def test_convert_names_the_scores_that_a_format_cannot_carry(tmp_path: Path) -> None:
    source = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.25)})
    run = CliRunner().invoke(main, ["convert", str(source), str(tmp_path / "new.conll")])
    assert (
        "Cannot be represented in conll: documents, scores." in run.output
        or "Cannot be represented in conll: scores." in run.output
    )


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


TABLE = "sentence\tstart\tend\tlabel\tscore\n1\t0\t2\tPER\t0.9\n1\t3\t4\tPER\t0.4\n"
KEY = "Ada\tB-PER\nLovelace\tI-PER\nmet\tO\nBabbage\tB-PER\n\nHe\tO\n"


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_tables_with_a_header_have_a_column_of_scores(tmp_path: Path, delimiter: str) -> None:
    key, table = tmp_path / "key.tags", tmp_path / "crf.tsv"
    key.write_text("".join(line.split("\t")[-1] + "\n" for line in KEY.split("\n")))
    table.write_text(TABLE.replace("\t", delimiter))
    assert scores(eh.read(table)) == [0.9, 0.4]
    result = eh.score(key, table, min_score=0.5)
    assert (result["exact"].precision, result["exact"].recall) == (1, 0.5)
    assert "system:csv/column-label" in result.signature
    assert eh.errors(key, table, match="exact", all=True)["score"] == [0.9, 0.4]


def test_offsets_of_a_table_that_may_be_tokens_or_characters_are_asked_for(tmp_path: Path) -> None:
    key, table = tmp_path / "key.conll", tmp_path / "crf.tsv"
    key.write_text(KEY)
    table.write_text(TABLE)
    finding = "all offsets fit tokens and, as characters, some begin or end inside a token"
    with pytest.raises(eh.EvenhandError, match=f"crf.tsv: {finding}; choose --offsets system:tokens or"):
        eh.score(key, table)
    assert eh.score(key, table, offsets={"system": "tokens"})["exact"].f1 == 1
    with pytest.raises(eh.EvenhandError, match=r"the span \[3, 4\] 'PER' covers only spaces"):
        eh.score(key, table, offsets={"system": "codepoints"})
    table.write_text("sentence\tstart\tend\tlabel\n1\t0\t12\tPER\n1\t17\t24\tPER\n")
    assert eh.score(key, table)["exact"].f1 == 1  # characters of "Ada Lovelace met Babbage"


@pytest.mark.parametrize(
    ("row", "message"),
    {
        "score": ("2\t0\t1\tPER\thigh\n", "crf.tsv:4: expected a finite number as the score of this span, got 'high'."),
        "NaN": ("2\t0\t1\tPER\tnan\n", "crf.tsv:4: expected a finite number as the score of this span, got NaN."),
        "sentence": ("3\t0\t1\tPER\t1\n", "crf.tsv: has the sentence 3; the gold standard has the sentences 1 to 2"),
        "token": ("2\t0\t2\tPER\t1\n", "ends after the tokens of its record, which has 1"),
        "cells": ("2\t0\t1\tPER\n", "crf.tsv:4: expected 5 cells as in the header, got 4"),
        "no start": ("2\t\t1\tPER\t1\n", "crf.tsv:4: found a missing value in the column 'start'"),
    }.values(),
)
def test_bad_rows_of_a_table_are_errors_with_their_lines(tmp_path: Path, row: str, message: str) -> None:
    key, table = tmp_path / "key.tags", tmp_path / "crf.tsv"
    key.write_text("B-PER\nI-PER\nO\nB-PER\n\nO\n")
    table.write_text(TABLE + row)
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(key, table, min_score=0)
    assert message in str(error.value)


def test_the_table_of_a_crf_has_the_hits_of_the_conformance_data(data: Path) -> None:
    """The counts of scikit-learn in `conformance/confidences.json`: hits of all spans, and the best F1."""
    key, table = data / "conll2003/gold.testb.tags", data / "confidences/conll2003.rich.one.tsv"
    exact = eh.score(key, table, match="exact")["exact"]
    assert (exact.overall.counts["TP"], exact.overall.counts["FP"], exact.overall.counts["FN"]) == (
        4689,
        5547 - 4689,
        5648 - 4689,
    )
    best = eh.score(key, table, match="exact", min_score=0.36181)["exact"]
    assert best.f1 == pytest.approx(0.8395283952839527, abs=1e-12)


def test_span_tables_have_a_further_column_of_scores(tmp_path: Path) -> None:
    four, five = tmp_path / "four.tsv", tmp_path / "five.tsv"
    four.write_text("PER\t1\t2\t0.9\nPER\t4\t4\t0.4\n\nLOC\t3\t3\n")
    five.write_text("PER\t1\t3\t1, 3\t0.9\nPER\t4\t4\t4\t0.4\n\nNONE\t999\t999\t999\n\nLOC\t3\t3\t3\t-\n")
    assert scores(eh.read(four, score=4)) == scores(eh.read(five, score=5)) == [0.9, 0.4, None]
    for path, column in ((four, 4), (five, 5)):
        with pytest.raises(eh.EvenhandError, match=rf"tsv:1: .* specify .*--score {column}\."):
            eh.read(path)
    with pytest.raises(eh.EvenhandError, match="--score is prob, but a span table without a header has scores in"):
        eh.read(four, score="prob")


def test_the_score_of_a_task_of_prodigy_is_not_of_a_span(tmp_path: Path) -> None:
    record = {"text": "Ada met Babbage", "spans": spans(0.75), "score": 0.1, "answer": "accept"}
    others = [{**record, "answer": "reject"}, {"text": "He left", "spans": [], "answer": "accept"}]
    files = {"s.jsonl": lines(tmp_path / "s.jsonl", record, *others), "l.jsonl": lines(tmp_path / "l.jsonl", record)}
    files["s.json"] = tmp_path / "s.json"
    files["s.json"].write_text(json.dumps([record, *others]))
    for path in files.values():
        result = eh.score(eh.read(path), path, min_score=0.5)
        assert (
            f"system {path.stem}: skipped scores of whole records, which are not scores of spans (1)." in result.notes
        )
        assert result["exact"].overall.counts["TP"] == 1
        assert not any("skipped scores" in note for note in eh.score(eh.read(path), path).notes)


@pytest.mark.parametrize(
    ("name", "text", "task"),
    [
        ("germeval", "1\tAda\tB-PER\tO\n2\tmet\tO\tO\n\n", "spans"),
        ("conllu", "1\tAda\tAda\tPROPN\t_\t_\t2\tnsubj\t_\t0.5\n2\tmet\tmeet\tVERB\t_\t_\t0\troot\t_\t0.7\n\n", "tags"),
        ("hipe", "TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC\nAda\tB-pers\tQ7259\t0.5\n", "spans"),
        ("pubtator", "1|t|Ada met Babbage\n1\t0\t3\tAda\tPER\t0.5\n", "spans"),
        ("tag-lines", "B-PER O O\nO O\n", "spans"),
    ],
)
def test_formats_without_scores_refuse_a_field_of_scores(tmp_path: Path, name: str, text: str, task: Any) -> None:
    path = tmp_path / "system.tsv"
    path.write_text(text)
    column = {"column": "upos"} if name == "conllu" else {}
    with pytest.raises(eh.EvenhandError, match=f"--score is misc, but this file is read as {name}, whose confidences"):
        eh.read(path, format=name, task=task, score="misc", **column)
