"""Parquet and Arrow files: which columns are read, how lists and strings may be stored, documents, and recognition."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from arrow_files import FORMS, NAMES, NUMBERS, SPANS, TAGS, TOKENS, class_label, error, facts, pyarrow, save
from arrow_files import FORMS as FILES
from damaged_tables import CONTENTS
from damaged_tables import FORMS as FORMS_DAMAGED_TABLES
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.arrow import arrow, distinct, lists, tokens_of
from evenhand.formats.check import check
from evenhand.formats.convert import Conversion
from evenhand.formats.format import FORMATS
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

TEXTS = ["Ada lived.", "in “London” now"]
STRUCTS = [[{"start": 0, "end": 2, "label": "PER"}], [], [{"start": 1, "end": 2, "label": "LOC"}]]


@pytest.mark.parametrize("form", FORMS)
def test_tokens_and_tags(tmp_path: Path, form: str) -> None:
    annotation = eh.read(save(tmp_path, {"id": [1, 2, 3], "tokens": TOKENS, "ner_tags": TAGS}, form))
    assert annotation.spans().rows() == SPANS
    assert annotation["tags"].to_list() == ["B-PER", "I-PER", "O", "O", "B-LOC"]
    assert annotation.corpus.documents.tolist() == [0, 1, 2]
    assert [annotation.corpus.text(row) for row in range(3)] == ["Ada Lovelace lived", "", "in “London”"]
    assert [annotation.corpus.line(token) for token in range(5)] == [1, 1, 1, 3, 3]
    reading = annotation.reading
    name = "parquet" if form == "parquet" else "arrow"
    assert (reading.format, reading.encoding, reading.column) == (name, "iob2", "ner_tags")


@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_named_by_the_metadata_that_datasets_writes(tmp_path: Path, form: str) -> None:
    features = {"tokens": {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"}}
    features |= {"ner_tags": class_label(NAMES)}
    path = save(tmp_path, {"tokens": TOKENS, "ner_tags": NUMBERS}, form, features=features)
    assert eh.read(path).spans().rows() == SPANS
    old = {"ner_tags": {"feature": {"num_classes": 5, "names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}}
    assert eh.read(save(tmp_path, {"tokens": TOKENS, "ner_tags": NUMBERS}, form, features=old)).spans().rows() == SPANS


def list_types() -> list[Any]:
    arrow = pytest.importorskip("pyarrow")
    strings = [arrow.string(), arrow.large_string(), arrow.dictionary(arrow.int8(), arrow.string())]
    strings += [arrow.string_view()] if hasattr(arrow, "string_view") else []
    lists = [arrow.list_, arrow.large_list, *([arrow.list_view] if hasattr(arrow, "list_view") else [])]
    return [make(item) for make in lists for item in strings]


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("form", ["arrow", "stream"])
def test_lists_and_strings_of_every_kind(tmp_path: Path, form: str, number: int) -> None:
    kinds = list_types()
    if number >= len(kinds):
        pytest.skip("this version of pyarrow has fewer types")
    kind = kinds[number]
    path = save(tmp_path, {"tokens": TOKENS, "tags": TAGS}, form, types={"tokens": kind, "tags": kind})
    annotation = eh.read(path)
    assert annotation.spans().rows() == SPANS
    assert annotation.corpus.text(2) == "in “London”"


def test_lists_of_a_fixed_size(tmp_path: Path) -> None:
    arrow = pyarrow()
    types = {"tokens": arrow.list_(arrow.string(), 2), "tags": arrow.list_(arrow.string(), 2)}
    columns = {"tokens": [["in", "London"], ["Ada", "L."]], "tags": [["O", "B-LOC"], ["B-PER", "I-PER"]]}
    assert eh.read(save(tmp_path, columns, "arrow", types=types)).spans().rows() == [("LOC", 0, 1, 2), ("PER", 1, 0, 2)]


def test_a_dictionary_with_entries_that_no_row_has(tmp_path: Path) -> None:
    arrow = pyarrow()
    tags = arrow.DictionaryArray.from_arrays(arrow.array([1, 2, 3], arrow.int8()), ["?!", "B-PER", "I-PER", "O"])
    lists = arrow.ListArray.from_arrays(arrow.array([0, 3]), tags)
    path = save(tmp_path, {"tokens": TOKENS[:1], "tags": lists}, "arrow")
    assert eh.read(path).spans().rows() == SPANS[:1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "fields",
    [("start", "end", 0), ("start_offset", "end_offset", 0), ("token_start", "token_end", 1)],
    ids=["exclusive", "doccano", "prodigy"],
)
def test_spans_on_tokens(tmp_path: Path, form: str, fields: tuple[str, str, int]) -> None:
    start, end, less = fields
    spans = [[{start: s["start"], end: s["end"] - less, "label": s["label"]} for s in row] for row in STRUCTS]
    annotation = eh.read(save(tmp_path, {"tokens": TOKENS, "spans": spans}, form))
    assert (annotation.spans().rows(), annotation.corpus.atoms) == (SPANS, "tokens")


def test_token_positions_of_prodigy_go_before_its_characters_where_there_are_tokens_only(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 12, "token_start": 0, "token_end": 1, "label": "PER"}], [], []]
    assert eh.read(save(tmp_path, {"tokens": TOKENS, "spans": spans})).spans().rows() == SPANS[:1]
    texts = ["Ada Lovelace lived", "", "in “London”"]
    annotation = eh.read(save(tmp_path, {"text": texts, "tokens": TOKENS, "spans": spans}))
    assert (annotation.spans().rows(), annotation.corpus.atoms) == ([("PER", 0, 0, 11)], "characters")


@pytest.mark.parametrize("form", FORMS)
def test_spans_on_texts(tmp_path: Path, form: str) -> None:
    spans = [[{"start": 0, "end": 3, "label": "PER"}], [{"start": 4, "end": 10, "label": "LOC"}]]
    annotation = eh.read(save(tmp_path, {"text": TEXTS, "entities": spans}, form))
    assert annotation.spans().rows() == [("PER", 0, 0, 3), ("LOC", 1, 3, 9)]
    assert (annotation.corpus.atoms, annotation.corpus.text(1)) == ("characters", "in “London” now")


def test_offsets_in_utf16_units(tmp_path: Path) -> None:
    path = save(tmp_path, {"text": ["😀 Ada"], "spans": [[{"start": 3, "end": 6, "label": "PER"}]]})
    assert eh.read(path, offsets="utf16").spans().rows() == [("PER", 0, 1, 4)]
    assert "choose --offsets utf16 if its tool counts UTF-16 units" in error(path)


def test_labels_of_spans_may_be_numbers_with_names_or_a_dictionary(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 2, "label": 1}], [], [{"start": 1, "end": 2, "label": 0}]]
    label = {"names": ["LOC", "PER"], "_type": "ClassLabel"}
    path = save(tmp_path, {"tokens": TOKENS, "spans": spans}, features={"spans": [{"label": label}]})
    assert eh.read(path).spans().rows() == SPANS
    arrow = pyarrow()
    fields = [
        ("start", arrow.int16()),
        ("end", arrow.uint32()),
        ("label", arrow.dictionary(arrow.int8(), arrow.string())),
    ]
    path = save(
        tmp_path, {"tokens": TOKENS, "spans": STRUCTS}, "arrow", types={"spans": arrow.list_(arrow.struct(fields))}
    )
    assert eh.read(path).spans().rows() == SPANS


def test_spans_of_a_system_that_found_none_may_have_lost_their_type(tmp_path: Path) -> None:
    gold = save(tmp_path, {"tokens": TOKENS, "spans": STRUCTS}, name="gold")
    system = save(tmp_path, {"tokens": TOKENS, "spans": [[], [], []]}, "arrow", name="system")
    assert eh.score(gold, system)["exact"].overall["FN"] == 2


def test_levels_and_gaps(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 3, "label": "A", "level": 1, "parts": [[0, 1], [2, 3]]}], [], []]
    found = eh.read(save(tmp_path, {"tokens": TOKENS, "spans": spans})).spans()
    assert (found.level.tolist(), found.token_sets()) == ([1], [{0, 2}])


@pytest.mark.parametrize("values", [["a", "a", "b"], [7, 7, 9]], ids=["names", "numbers"])
@pytest.mark.parametrize("column", ["document", "doc_id", "document_id"])
@pytest.mark.parametrize("rows", [1, 3])
def test_rows_with_the_same_value_are_one_document(tmp_path: Path, values: list[Any], column: str, rows: int) -> None:
    path = save(tmp_path, {column: values, "tokens": TOKENS, "tags": TAGS}, "arrow", rows=rows)
    annotation = eh.read(path)
    assert annotation.corpus.documents.tolist() == [0, 2]
    assert annotation.corpus.names == (str(values[0]), str(values[2]))


def test_spans_go_before_tags_and_a_column_can_be_named(tmp_path: Path) -> None:
    other = [["O", "B-LOC", "O"], [], ["O", "O"]]
    path = save(tmp_path, {"tokens": TOKENS, "spans": STRUCTS, "ner_tags": other})
    assert eh.read(path).spans().rows() == SPANS
    assert eh.read(path, column="ner_tags").spans().rows() == [("LOC", 0, 1, 2)]


def test_tags_as_they_stand(tmp_path: Path) -> None:
    """Rows without tokens are no sentences of words."""
    gold = save(tmp_path, {"tokens": TOKENS, "tags": [["NOUN", "B", "VERB"], [], ["ADP", "NOUN"]]}, name="gold")
    system = save(tmp_path, {"tokens": TOKENS, "tags": [["NOUN", "NOUN", "VERB"], [], ["ADP", "NOUN"]]}, name="system")
    result = eh.score(gold, system, task="tags")
    assert (result["accuracy"].overall["correct"], result.gold.tokens, result.gold.sentences) == (4, 5, 2)


def test_gold_and_prediction_as_two_columns_of_one_file(tmp_path: Path) -> None:
    columns = {"tokens": TOKENS, "ner_tags": TAGS, "predicted": [["B-PER", "I-PER", "O"], [], ["B-LOC", "I-LOC"]]}
    path = save(tmp_path, columns)
    result = eh.score(path, column={"gold": "ner_tags", "system": "predicted"})
    assert (result["exact"].overall["TP"], result["fair"].overall["BEL"]) == (1, 1)
    assert error_of_score(path) == "specify them with --column gold:NAME --column system:NAME."


def error_of_score(path: Path) -> str:
    with pytest.raises(eh.InputError) as raised:
        eh.score(path)
    return str(raised.value).split("; ")[-1]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_files_are_recognised_by_their_first_bytes(tmp_path: Path, form: str) -> None:
    path = save(tmp_path, {"tokens": TOKENS, "tags": TAGS}, form)
    assert eh.read(path.rename(tmp_path / "data.bin")).spans().rows() == SPANS
    (tmp_path / "data.gz").write_bytes(gzip.compress((tmp_path / "data.bin").read_bytes()))
    assert eh.read(tmp_path / "data.gz").spans().rows() == SPANS


def test_a_folder_of_files_is_one_text(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save(tmp_path, {"tokens": TOKENS, "tags": TAGS}, name=name)
    assert len(eh.read(tmp_path).spans()) == 4


def test_one_huge_row_group_is_read_in_slices(tmp_path: Path) -> None:
    for form in FORMS:
        path = save(tmp_path, {"tokens": TOKENS * 20_000, "tags": TAGS * 20_000}, form)
        sizes = [len(batch.corpus.tokens or ()) for batch in batches(path, ReadSettings(), Vocabulary())]
        assert sum(sizes) == 100_000
        assert max(sizes) < 50_000


@pytest.mark.parametrize("rows", [1, 7, 50_000])
def test_row_groups_of_any_size_and_dictionaries_that_overflow(tmp_path: Path, rows: int) -> None:
    """Lists of strings that are coded by two dictionaries, or in part by none, take ways of their own."""
    pyarrow()
    tokens = [[f"word-{number}-{item}" for item in range(5)] for number in range(200 if rows < 100 else 60_000)]
    tags = [["B-PER", "I-PER", "O", "O", f"B-{number % 40}"] for number in range(len(tokens))]
    path = save(tmp_path, {"tokens": tokens, "tags": tags}, rows=rows)
    items = list(batches(path, ReadSettings(), Vocabulary()))
    words = [batch.corpus.tokens for batch in items]
    assert [each[item] for each in words if each for item in range(len(each))] == [w for row in tokens for w in row]
    assert [tag for batch in items for tag in batch["tags"].to_list()] == [tag for row in tags for tag in row]


def test_a_text_that_is_repeated_thousands_of_times_takes_little_room(tmp_path: Path) -> None:
    """Its Parquet file has it once, in a dictionary."""
    texts = ["Ada " * 10_000] * 1_000
    path = save(tmp_path, {"text": texts, "spans": [[{"start": 0, "end": 3, "label": "PER"}]] * 1_000})
    assert path.stat().st_size < 1_000_000
    found = [len(batch.spans()) for batch in batches(path, ReadSettings(), Vocabulary())]
    assert sum(found) == 1_000


def test_the_signature_of_a_score_names_the_column(tmp_path: Path) -> None:
    path = save(tmp_path, {"tokens": TOKENS, "tags": TAGS})
    other = tmp_path / "other.parquet"
    other.write_bytes(path.read_bytes())
    assert "gold:parquet/iob2/column-tags" in eh.score(path, other).signature
    assert json.loads(eh.score(path, other).to_json())["gold"]["tokens"] == 5


# Parquet and Arrow files that cannot be read as they are: one sentence with file, row and remedy


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
            ":2: the number of tokens in this row is 0, the number of tags is 1; give every token one tag.",
        ),
        (
            {"document": ["a", None, "b"], "tokens": TOKENS, "tags": TAGS},
            ":2: found a null in the column 'document'; fill it in.",
        ),
        (
            {"tokens": TOKENS, "spans": [[span(0, 4)], [], []]},
            ":1: the span [0, 4] 'PER' ends after the tokens of its record, which has 3; "
            "count from 0, with exclusive ends.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(-1, 1)]]},
            ":3: the span [-1, 1] 'PER' begins before its text; count from 0, with exclusive ends.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(1, 1)]]},
            ":3: the span [1, 1] 'PER' covers nothing; count from 0, with exclusive ends.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(0, 1), span(0, 1, "")]]},
            ":3: the span [0, 1] '' has an empty label; add its label.",
        ),
        (
            {"tokens": TOKENS, "spans": [[], [], [span(0, 1), span(0, None)]]},
            ":3: found a null in the column 'spans'; fill it in.",
        ),
        (
            {"text": ["Ada", "“Ada” "], "spans": [[], [span(0, 7)]]},
            ":2: the span [0, 7] 'PER' ends after its text, which has 6 characters; count from 0, with exclusive ends.",
        ),
        (
            {"text": ["Ada", "“Ada” "], "spans": [[], [span(5, 6)]]},
            ":2: the span [5, 6] 'PER' covers only spaces; fix its offsets, or remove it.",
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
        f":3: expected tag numbers from 0 to 4 in 'tags', got {number}; "
        "give every token a tag (-1 and -100 mean no tag)."
    )
    assert error(save(tmp_path, columns)) == (
        ": the column 'tags' has numbers, and the metadata of the schema has no names for them; store its names in the metadata, as datasets does for a list of ClassLabel, or write tags as strings."
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
            ": several columns may hold the tags: a, b; specify one of them with --column.",
        ),
        (
            {"tokens": TOKENS},
            ": no column of tags with lists of numbers or strings is among tokens; specify the column of tags with --column.",
        ),
        (
            {"text": ["Ada"], "tags": [["O"]]},
            ": no column 'tags' with lists of structs is among text, tags; "
            "specify the column with lists of structs (start, end, label) with --column.",
        ),
        (
            {"tokens": TOKENS, "spans": [[{"from": 0, "to": 1, "label": "A"}], [], []]},
            ": the spans in the column 'spans' have the fields from, to, label; "
            "use the fields start, end (whole numbers) and label.",
        ),
        (
            {"tokens": TOKENS, "spans": [[{"start": 0.0, "end": 1.0, "label": "A"}], [], []]},
            ": the spans in the column 'spans' have the fields start, end, label; "
            "use the fields start, end (whole numbers) and label.",
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
    name = "a Parquet file" if form == "parquet" else "an Arrow file or stream"
    for content in (whole[:-8], whole[: len(whole) // 2], whole[:4], whole[:8], b"text"):
        path.write_bytes(content)
        assert error(path) == f": is not {name}, or is broken; write it again."
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
    remedy = "need pyarrow, which is not installed; run: pip install evenhand[arrow]."
    assert error(tmp_path / "data.parquet") == f": Parquet files {remedy}"
    assert error(tmp_path / "data.arrow") == f": Arrow files {remedy}"
    with pytest.raises(eh.SettingError, match=r"pip install evenhand\[arrow\]"):
        eh.score(eh.tags([["O"]]), eh.tags([["O"]])).tallies_to_arrow()


# What holds for all tables: the same corpus gives the same results as columns, as Parquet and as Arrow


WORDS = st.sampled_from(["Ada", "lived", "“in”", "London", "é", "x" * 40, ".", "Straße"])
TAGS_ARROW_PROPERTIES = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
Sentence = list[tuple[str, str, str]]
SENTENCES = st.lists(
    st.lists(st.tuples(WORDS, TAGS_ARROW_PROPERTIES, TAGS_ARROW_PROPERTIES), min_size=1, max_size=8),
    min_size=1,
    max_size=12,
)
STORED = st.sampled_from(["string", "large_string", "dictionary"])


def item_type(arrow: Any, name: str) -> Any:
    if name == "dictionary":
        return arrow.dictionary(arrow.int16(), arrow.string())
    return getattr(arrow, name)()


def column_file(path: Path, sentences: list[Sentence], position: int, documents: list[int]) -> Path:
    lines = []
    for number, sentence in enumerate(sentences):
        if number and documents[number] != documents[number - 1]:
            lines.append("-DOCSTART-\tO\n\n")
        lines += [f"{token[0]}\t{token[position]}\n" for token in sentence] + ["\n"]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def scores(result: eh.Result) -> Any:
    return result.to_dict()["systems"][0]["scores"]


@settings(max_examples=60)
@given(SENTENCES, st.sampled_from(FORMS), STORED, st.integers(1, 5), st.data())
def test_columns_and_tables_give_the_same_results(
    sentences: list[Sentence], form: str, stored: str, rows: int, data: st.DataObject
) -> None:
    arrow = pyarrow()
    steps = data.draw(st.lists(st.booleans(), min_size=len(sentences), max_size=len(sentences)))
    documents = [sum(steps[: number + 1]) for number in range(len(sentences))]
    with TemporaryDirectory() as folder:
        plain, tables = [], []
        for item, name in ((1, "gold"), (2, "system")):
            plain.append(column_file(Path(folder, f"{name}.conll"), sentences, item, documents))
            columns = {
                "doc_id": documents,
                "tokens": [[token[0] for token in sentence] for sentence in sentences],
                "ner_tags": [[token[item] for token in sentence] for sentence in sentences],
            }
            types = dict.fromkeys(("tokens", "ner_tags"), arrow.list_(item_type(arrow, stored)))
            tables.append(save(Path(folder), columns, form, types=types, rows=rows, name=name))
        for path, table in zip(plain, tables, strict=True):
            assert facts(eh.read(path)) == facts(eh.read(table))
        wanted, actual = (eh.score(*pair, groups="document") for pair in (plain, tables))
        assert wanted.tallies == actual.tallies
        assert scores(wanted) == scores(actual)
        assert wanted.gold.documents == actual.gold.documents


@settings(max_examples=60)
@given(SENTENCES, st.sampled_from(FORMS), st.integers(1, 200))
def test_no_number_depends_on_how_much_is_read_at_a_time(sentences: list[Sentence], form: str, size: int) -> None:
    pyarrow()
    documents = [number // 3 for number in range(len(sentences))]
    columns = {
        "document": [f"d{number}" for number in documents],
        "tokens": [[token[0] for token in sentence] for sentence in sentences],
        "tags": [[token[1] for token in sentence] for sentence in sentences],
    }
    with TemporaryDirectory() as folder:
        path = save(Path(folder), columns, form)
        small = list(batches(path, ReadSettings(block_size=size, encoding="iob2"), Vocabulary()))
        whole = eh.read(path, encoding="iob2")
    joined = Annotation.concatenate(small)
    assert facts(joined) == facts(whole)
    assert joined.corpus.names == whole.corpus.names
    assert joined["tags"].to_list() == whole["tags"].to_list()


@given(
    st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=10),
    STORED,
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_slices_of_lists(rows: list[list[str]], stored: str, begin: int, size: int) -> None:
    """Arrays may be parts of others: what stands before and behind them does not count."""
    arrow = pyarrow()
    column = arrow.array(rows, arrow.list_(item_type(arrow, stored))).slice(begin, size)
    wanted = rows[begin : begin + size]
    layers = lists(column)
    assert layers.lengths.tolist() == [len(row) for row in wanted]
    flat = [word for row in wanted for word in row]
    tokens = tokens_of(layers.values)
    assert [tokens[place] for place in range(len(tokens))] == flat
    names, place = distinct(layers.values)
    assert [names[each] for each in place.tolist()] == flat
    assert sorted(names) == sorted(set(flat))


@st.composite
def records(draw: st.DrawFn) -> str:
    """JSON lines with spans that nest, cross, repeat and have gaps."""
    lines = []
    for sentence in draw(st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=5)):
        spans = []
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(sentence) - 1))
            end = draw(st.integers(start + 1, len(sentence)))
            inner = [at for at in range(start + 1, end - 1) if draw(st.booleans())]
            parts = [[at, at + 1] for at in sorted({start, *inner, end - 1})]
            label = draw(st.sampled_from(["A", "A", "B|C", "É"]))
            spans.append({"start": start, "end": end, "label": label} | ({"parts": parts} if inner else {}))
        lines.append(json.dumps({"tokens": sentence, "spans": spans}))
    return "\n".join(lines)


@settings(max_examples=60)
@given(records(), st.sampled_from(["parquet", "arrow"]), st.sampled_from(["iob2", "io", "bioes"]), st.booleans())
def test_what_is_written_is_read_again(lines: str, form: str, encoding: str, stacked: bool) -> None:
    pyarrow()
    with TemporaryDirectory() as folder:
        Path(folder, "data.jsonl").write_text(lines)
        annotation = eh.read(Path(folder, "data.jsonl"))
        path = Path(folder, f"data.{form}")
        Conversion(FORMATS[form], "spans", encoding, stacked).write(path, lambda: iter([annotation]))
        outcome = eh.read(path)
    texts, _, spans = facts(annotation)
    assert facts(outcome)[0] == texts
    if not stacked:
        assert facts(outcome)[2] == spans
    else:  # levels are where tags are stacked
        assert sorted(outcome.spans().rows()) == sorted(annotation.spans().rows())


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_full_disk_is_one_sentence(form: str) -> None:
    pyarrow()
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this system")
    annotation = eh.tags([["B-PER"]], tokens=[["Ada"]])
    with pytest.raises(eh.InputError, match="/dev/full: cannot be written because the disk is full"):
        Conversion(FORMATS[form], "spans").write(Path("/dev/full"), lambda: iter([annotation]))


# Damaged Parquet and Arrow files and datasets: a sentence or a score, never a traceback or the end of the


SCRIPT = Path(__file__).parent.parent / "damaged_tables.py"


def damage(folder: Path, content: str, form: str, step: int) -> None:
    pyarrow()
    run = [sys.executable, str(SCRIPT), str(folder), content, form, str(step)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "form",
    [FORMS_DAMAGED_TABLES[0], *(pytest.param(form, marks=pytest.mark.long) for form in FORMS_DAMAGED_TABLES[1:])],
)
@pytest.mark.parametrize("content", [pytest.param("numbers", marks=pytest.mark.long), "spans"])
def test_some_flipped_bits(tmp_path: Path, content: str, form: str) -> None:
    damage(tmp_path, content, form, 29)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS_DAMAGED_TABLES)
@pytest.mark.parametrize("content", CONTENTS)
def test_every_flipped_bit(tmp_path: Path, content: str, form: str) -> None:
    damage(tmp_path, content, form, 1)


@pytest.mark.parametrize("form", FILES)
def test_one_damaged_file_says_so(tmp_path: Path, form: str) -> None:
    path = save(tmp_path, {"tokens": TOKENS, "tags": TAGS}, form)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    name = "a Parquet file" if form == "parquet" else "an Arrow file or stream"
    assert error(path) == f": is not {name}, or is broken; write it again."


def test_a_part_that_is_not_two_numbers(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 3, "label": "PER", "parts": [[0], [2, 3]]}], [], []]
    path = save(tmp_path, {"tokens": TOKENS, "spans": spans})
    with pytest.raises(eh.EvenhandError) as raised:
        eh.read(path)
    sentence = ":1: a part of the span [0, 3] 'PER' is not two numbers; list parts as [start, end]."
    assert str(raised.value) == f"{path}{sentence}"
