"""Data frames as gold standards and systems: pandas, polars and Arrow tables, one row per token or per span."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.formats.arrow import arrow

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
MAKERS = {
    "pandas": pandas.DataFrame,
    "pandas with strings": lambda data: pandas.DataFrame(data).astype(dict.fromkeys(["token", "tag"], "string")),
    "pandas with categories": lambda data: pandas.DataFrame(data).astype("category"),
    "pandas with an index": lambda data: pandas.DataFrame(data).set_index("tag", drop=False),
    "polars": polars.DataFrame,
    "polars with categories": lambda data: polars.DataFrame(data).with_columns(
        polars.col("tag").cast(polars.Categorical)
    ),
    "arrow": pyarrow.table,
    "arrow in chunks": lambda data: pyarrow.concat_tables(
        [pyarrow.table(data).slice(0, 7), pyarrow.table(data).slice(7)]
    ),
    "any stream": lambda data: Stream(pyarrow.table(data)),
}


class Stream:
    """An object with nothing but the Arrow stream interface, such as a relation of DuckDB."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def columns_of(path: Path) -> dict[str, list[Any]]:
    """The tokens of a CoNLL file as columns: document, sentence, token, tag."""
    columns: dict[str, list[Any]] = {"document": [], "sentence": [], "token": [], "tag": []}
    document, sentence = 0, 0
    for line in path.read_text().splitlines():
        if line.startswith("-DOCSTART-"):
            document += 1
        elif not line:
            sentence += 1
        else:
            token, *_, tag = line.split("\t")
            for name, value in zip(columns, (document, sentence, token, tag), strict=True):
                columns[name].append(value)
    return columns


GOLD, CRF = (columns_of(EXAMPLES / "ner" / f"{name}.conll") for name in ("gold", "crf"))
ONE = {
    "sentence": [1, 1, 1, 2, 2],
    "token": ["Ada", "Lovelace", "wrote", "in", "London"],
    "tag": ["B-PER", "I-PER", "O", "O", "B-LOC"],
}
OTHER = {**ONE, "tag": ["B-PER", "O", "O", "O", "B-LOC"]}


def scores(result: eh.Result) -> Any:
    return result.to_dict()["systems"][0]["scores"]


@pytest.fixture(scope="module")
def expected() -> Any:
    return scores(eh.score(EXAMPLES / "ner" / "gold.conll", EXAMPLES / "ner" / "crf.conll"))


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_frame_of_tokens_has_the_scores_of_the_file(make: Callable[[Any], Any], expected: Any) -> None:
    result = eh.score(make(GOLD), make(CRF))
    assert scores(result) == expected
    assert (result.name, result.gold.documents, result.gold.sentences) == ("frame", 8, 87)


def test_a_frame_is_scored_against_a_file(expected: Any) -> None:
    assert scores(eh.score(EXAMPLES / "ner" / "gold.conll", pandas.DataFrame(CRF))) == expected
    assert scores(eh.score(pandas.DataFrame(GOLD), EXAMPLES / "ner" / "crf.conll")) == expected


def test_gold_and_prediction_are_two_columns_of_a_frame(expected: Any) -> None:
    both = pandas.DataFrame({**GOLD, "prediction": CRF["tag"]})
    assert scores(eh.score(both)) == expected
    assert scores(eh.score(both, column={"gold": "tag", "system": "prediction"})) == expected
    named = both.rename(columns={"token": "t", "tag": "a", "prediction": "b", "sentence": "s"})
    columns = {"token": "t", "sentence": "s", "gold": "a", "system": "b"}
    assert scores(eh.score(named, column=columns)) == expected
    assert scores(eh.score(named, {"frame": named}, column=columns)) == expected
    by_side = {
        "gold": {"token": "t", "sentence": "s", "tag": "a"},
        "system": {"token": "t", "sentence": "s", "tag": "b"},
    }
    assert scores(eh.score(named, {"frame": named}, column=by_side)) == expected


def test_every_function_takes_frames() -> None:
    gold, system = pandas.DataFrame(ONE), polars.DataFrame(OTHER)
    systems = {"a": system, "b": gold}
    assert eh.score(gold, systems)["b"]["exact"].f1 == 1
    assert eh.compare(gold, systems).pair("a", "b").corrections.count == 1
    assert eh.rank(gold, systems).standings["exact"]["b"].rank == 1
    assert eh.gate(gold, system, gold).passed
    assert eh.gate(gold, candidate=gold, floor={"f1": 1}).passed
    assert eh.agree(systems).f1["exact"].mean == pytest.approx(0.5)
    assert eh.report(gold, systems).ranking is not None
    assert [verdict.type for verdict in eh.evaluate(gold, system)] == ["BES", "TP"]
    assert eh.read(gold).corpus.sentences == 2
    assert eh.score(eh.read(gold), eh.read(system))["exact"].f1 == 0.5


def test_tags_of_words() -> None:
    gold = pandas.DataFrame({**ONE, "tag": ["PROPN", "PROPN", "VERB", "ADP", "PROPN"]})
    system = gold.assign(tag=["PROPN", "NOUN", "VERB", "ADP", "PROPN"])
    assert eh.score(gold, system, task="tags")["accuracy"].headline == 0.8


def test_several_columns_of_tags_are_levels() -> None:
    gold = pandas.DataFrame({**ONE, "inner": ["O", "O", "O", "O", "B-ORG"]})
    result = eh.score(gold, gold, column=["tag", "inner"])
    assert result.gold.labels == {"LOC": 1, "ORG": 1, "PER": 1}


def test_ids_may_be_in_the_first_rows_only() -> None:
    gold = pandas.DataFrame({**ONE, "sentence": ["s1", None, None, "s2", None]})
    assert eh.score(gold, pandas.DataFrame(ONE)).gold.sentences == 2


def test_sentences_may_begin_again_in_each_document() -> None:
    gold = pandas.DataFrame({**ONE, "sentence": [1, 1, 1, 1, 1], "doc_id": list("aaabb")})
    annotation = eh.read(gold)
    assert (annotation.corpus.sentences, annotation.corpus.names) == (2, ("a", "b"))
    assert annotation.corpus.ids is not None
    assert annotation.corpus.ids.texts(0, 2) == ["a/1", "b/1"]


def test_sentences_are_matched_by_id() -> None:
    gold, system = pandas.DataFrame(ONE), pandas.DataFrame(OTHER)
    result = eh.score(gold, system.iloc[[3, 4, 0, 1, 2]])
    assert result["exact"].overall["TP"] == 1
    assert "lacks documents 1" in eh.score(gold, system.iloc[3:]).notes[0]


def test_rows_with_lists_are_read_as_in_parquet() -> None:
    gold = {"tokens": [["Ada", "wrote"], ["London"]], "ner_tags": [["B-PER", "O"], ["B-LOC"]]}
    system = {**gold, "ner_tags": [["B-PER", "O"], ["O"]]}
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        assert eh.score(make(gold), make(system))["exact"].recall == 0.5
    spans = pandas.DataFrame({"text": ["Ada wrote"], "spans": [[{"start": 0, "end": 3, "label": "PER"}]]})
    assert eh.score(spans, spans)["exact"].f1 == 1


@pytest.mark.parametrize("name", ["table.parquet", "table.feather"])
def test_flat_tables_in_files(name: str, tmp_path: Path, expected: Any) -> None:
    frame = pandas.DataFrame({**GOLD, "prediction": CRF["tag"]})
    (frame.to_parquet if name.endswith("parquet") else frame.to_feather)(tmp_path / name)
    assert scores(eh.score(tmp_path / name, column={"gold": "tag", "system": "prediction"})) == expected


# One row per span

LETTERS = [msgspec.json.decode(line) for line in (EXAMPLES / "letters" / "gold.jsonl").read_bytes().splitlines()]
MODEL = [msgspec.json.decode(line) for line in (EXAMPLES / "letters" / "model.jsonl").read_bytes().splitlines()]


def span_frame(records: list[Any], *, text: bool = False, quote: bool = False, shift: int = 0) -> Any:
    rows = [
        {
            "document": record["id"],
            **{key: span[key] + (shift if key == "end" else 0) for key in ("start", "end")},
            "label": span["label"],
            **({"text": record["text"]} if text else {}),
            **({"mention": record["text"][span["start"] : span["end"]]} if quote else {}),
        }
        for record in records
        for span in record["spans"]
    ]
    empty = [
        {"document": record["id"]} | ({"text": record["text"]} if text else {})
        for record in records
        if not record["spans"]
    ]
    return pandas.DataFrame([*rows, *empty])


@pytest.fixture(scope="module")
def expected_spans() -> Any:
    return scores(eh.score(EXAMPLES / "letters" / "gold.jsonl", EXAMPLES / "letters" / "model.jsonl"))


@pytest.mark.parametrize("system_has", [{"text": True}, {}, {"quote": True}, {"quote": True, "shift": -1}])
@pytest.mark.parametrize("gold_is_file", [True, False])
def test_a_frame_of_spans_has_the_scores_of_the_file(system_has: Any, gold_is_file: bool, expected_spans: Any) -> None:
    """Systems without texts are placed in the gold texts; quotes show that ends are inclusive."""
    gold = EXAMPLES / "letters" / "gold.jsonl" if gold_is_file else span_frame(LETTERS, text=True)
    assert scores(eh.score(gold, span_frame(MODEL, **system_has))) == expected_spans


def test_spans_only_on_both_sides() -> None:
    gold, system = span_frame(LETTERS), span_frame(MODEL)
    counts = eh.score(EXAMPLES / "letters" / "gold.jsonl", EXAMPLES / "letters" / "model.jsonl")["exact"].overall
    for one, other in ((gold, system), (gold, system.sample(frac=1, random_state=1))):
        result = eh.score(one, other)["exact"].overall
        assert [result[kind] for kind in ("TP", "FP", "FN")] == [counts[kind] for kind in ("TP", "FP", "FN")]


def test_a_document_without_spans_has_a_row() -> None:
    gold = pandas.DataFrame({"document": ["a", "b"], "start": [0, None], "end": [3, None], "label": ["PER", None]})
    system = pandas.DataFrame({"document": ["a", "b"], "start": [0, 1], "end": [3, 2], "label": ["PER", "PER"]})
    result = eh.score(gold, system)
    assert (result["exact"].overall["FP"], result.gold.documents) == (1, 2)
    assert eh.score(system, gold)["exact"].overall["FN"] == 1
    with pytest.raises(eh.InputError) as error:
        eh.score(gold.iloc[:1], system)
    assert str(error.value) == (
        "frame: has spans in the document 'b', which has no row in the gold standard; if it has no gold spans, add a"
        " row there with this document, and without start, end and label."
    )


def test_columns_of_spans_by_role() -> None:
    data = {"case": [1, 1], "from_char": [0, 4], "to_char": [3, 9], "kind of thing": ["PER", "VERB"]}
    columns = {"document": "case", "start": "from_char", "end": "to_char", "label": "kind of thing"}
    assert eh.score(pandas.DataFrame(data), polars.DataFrame(data), column=columns)["exact"].f1 == 1


# Messages

SPANS = {"document": ["a", "a"], "start": [0, 4], "end": [3, 9], "label": ["PER", "VERB"]}
MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "missing token": (
        {**ONE, "token": ["Ada", None, "wrote", "in", "London"]},
        {},
        ":2: found a missing value in the column 'token'; fill it in; pandas reads the words NA and null as missing,"
        " unless keep_default_na=False.",
    ),
    "missing tag": (
        {**ONE, "tag": ["B-PER", "I-PER", "O", np.nan, "B-LOC"]},
        {},
        ":4: found a missing value in the column 'tag'; fill it in, or remove the row.",
    ),
    "missing sentence": (
        {**ONE, "sentence": [1, 1, None, 2, 2]},
        {},
        ":3: found a missing value in the column 'sentence'; give every row an id, or only the first row of each sentence.",
    ),
    "numbers as tags": (
        {**ONE, "tag": [1, 2, 0, 0, 3]},
        {},
        ": expected strings in the column 'tag', got numbers; replace numbers by their names.",
    ),
    "dates as tokens": (
        {**ONE, "token": [np.datetime64("2024-01-01")] * 5},
        {},
        ": expected strings in the column 'token', got values of type timestamp",
    ),
    "mixed tokens": (
        {**ONE, "token": ["Ada", 3, "wrote", "in", "London"]},
        {},
        ":2: expected strings in the column 'token', got a value of type int; convert it with .astype(str).",
    ),
    "sentences in pieces": (
        {**ONE, "sentence": [1, 1, 2, 1, 2]},
        {},
        ":4: the sentence '1' occurs again after another one; put the rows of each sentence together, in the order of the tokens.",
    ),
    "documents in pieces": (
        {**ONE, "sentence": [1, 1, 2, 3, 3], "document": ["a", "a", "b", "a", "a"]},
        {},
        ":4: the document 'a' occurs again after another one; put the rows of each document together, in the order of the tokens.",
    ),
    "no tokens": (
        {"sentence": ONE["sentence"], "t": ONE["token"], "tag": ONE["tag"]},
        {},
        ": no column of tokens is recognised among sentence, t, tag; specify it with column={'token': NAME}.",
    ),
    "no sentences": (
        {"s": ONE["sentence"], "token": ONE["token"], "tag": ONE["tag"]},
        {},
        ": no column of sentence ids is recognised among s, token, tag; specify it with column={'sentence': NAME}.",
    ),
    "no tags": (
        {"sentence": ONE["sentence"], "token": ONE["token"]},
        {},
        ": no column of tags is recognised among sentence, token; specify it with column={'tag': NAME}.",
    ),
    "several columns of tags": (
        {**{name: ONE[name] for name in ("sentence", "token")}, "ner": ONE["tag"], "ent": OTHER["tag"]},
        {},
        ": several columns may hold the tags: ner, ent; specify it with column={'tag': NAME}.",
    ),
    "an unknown column": (
        ONE,
        {"column": "tags"},
        ": there is no column 'tags' among sentence, token, tag; specify one of these.",
    ),
    "an unknown number": (
        ONE,
        {"column": 4},
        ": there is no column 4 among 3: sentence, token, tag; specify one of these.",
    ),
    "two kinds of rows": (
        {**SPANS, "token": ["Ada", "wrote"]},
        {},
        ": the columns document, start, end, label, token fit one row per token and one row per span; choose one kind:"
        " column={'token': …, 'tag': …} or column={'start': …, 'end': …, 'label': …}.",
    ),
    "roles of two kinds": (
        {**SPANS, "token": ["Ada", "wrote"]},
        {"column": {"token": "token", "start": "start"}},
        ": the roles token, start are of rows per token and of rows per span; choose one kind.",
    ),
    "no documents": (
        {name: SPANS[name] for name in ("start", "end", "label")},
        {},
        ": no column of document ids is recognised among start, end, label; specify it with column={'document': NAME}.",
    ),
    "no labels": (
        {name: SPANS[name] for name in ("document", "start", "end")},
        {},
        ": no column of labels is recognised among document, start, end; specify it with column={'label': NAME}.",
    ),
    "documents and sentences": (
        {**SPANS, "sentence": [1, 2]},
        {},
        ": start and end may count in 'document' or in 'sentence'; specify which one with column={'document': 'document'}.",
    ),
    "missing label": (
        {**SPANS, "label": ["PER", None]},
        {},
        ":2: found a missing value in the column 'label'; fill it in, or remove the row; a document without spans has"
        " none of start, end and label.",
    ),
    "missing document": (
        {**SPANS, "document": ["a", None]},
        {},
        ":2: found a missing value in the column 'document'; fill it in, or remove the row.",
    ),
    "a negative offset": (
        {**SPANS, "start": [0, -4]},
        {},
        ":2: the span [-4, 9] begins before its text; count from 0.",
    ),
    "an empty span": (
        {**SPANS, "end": [3, 4]},
        {},
        ": in the document 'a', the span [4, 4] 'VERB' covers nothing; count from 0, with exclusive ends.",
    ),
    "after the text": (
        {**SPANS, "text": ["Ada ran"] * 2},
        {},
        ": in the document 'a', the span [4, 9] 'VERB' ends after its text, which has 7 characters; count from 0, with"
        " exclusive ends.",
    ),
    "two texts of a document": (
        {**SPANS, "text": ["Ada wrote", "Ada reads"]},
        {},
        ":2: the column 'text' has another text for the document 'a' than before; specify its role with column={'text': NAME} or"
        " column={'quote': NAME}.",
    ),
    "a wrong quote": (
        {**SPANS, "text": ["Ada wrote"] * 2, "mention": ["Ada", "ote"]},
        {"column": {"text": "text", "quote": "mention"}},
        ": in the document 'a', 'ote' is quoted at [4, 9], where the text has 'wrote'; fix the offsets.",
    ),
    "offsets as text": (
        {**SPANS, "start": ["0", "4"]},
        {"column": {"start": "start"}},
        ": expected offsets in the column 'start', got strings; use whole numbers.",
    ),
    "several labels": (
        SPANS,
        {"column": ["label", "document"]},
        ": several columns of labels are specified: label, document; specify one, and others by their roles: column={'start': NAME}.",
    ),
    "no rows": ({"sentence": [], "token": [], "tag": []}, {}, ": it has no rows; check how it was made."),
}


@pytest.mark.parametrize(("data", "options", "message"), MESSAGES.values(), ids=MESSAGES)
def test_messages(data: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(eh.EvenhandError) as error:
        eh.read(pandas.DataFrame(data), **options)
    assert str(error.value).startswith(f"frame{message}")


def test_messages_about_two_sides() -> None:
    frame = pandas.DataFrame(ONE)
    with pytest.raises(eh.InputError, match=r"expected two columns of tags \(gold and prediction\), got one, 'tag'"):
        eh.score(frame)
    with pytest.raises(
        eh.SettingError, match=r"column has no side 'tokn'; the sides are gold and system, and the roles"
    ):
        eh.score(frame, frame, column={"tokn": "token"})
    with pytest.raises(eh.SettingError, match="A file read alone has no sides"):
        eh.read(frame, column={"gold": "tag"})
    with pytest.raises(
        eh.InputError, match=r"frame: is a lazy frame, which has no rows yet; collect it: frame.collect"
    ):
        eh.score(polars.LazyFrame(ONE), frame)
    with pytest.raises(eh.InputError, match=r"several columns are called 'tag'; rename all but one"):
        eh.score(pandas.concat([frame, frame[["tag"]]], axis=1), frame)
    with pytest.raises(eh.InputError, match=r"frame: is read as arrow, which has no trees"):
        eh.score(frame, frame, task="trees")
    with pytest.raises(eh.InputError, match=r"several columns may hold the system tags: model1, model2"):
        eh.score(frame, frame.drop(columns="tag").assign(model1=ONE["tag"], model2=OTHER["tag"]))


def test_pyarrow_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pandas.DataFrame(ONE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    vars(arrow).clear()  # what it loaded before
    with pytest.raises(eh.InputError) as error:
        eh.score(frame, frame)
    assert (
        str(error.value) == "frame: data frames need pyarrow, which is not installed; run: pip install evenhand[arrow]."
    )
