"""Parquet and Arrow files: which columns are read, how lists and strings may be stored, documents, and recognition."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from arrow_files import FORMS, NAMES, NUMBERS, SPANS, TAGS, TOKENS, class_label, error, pyarrow, save
from evenhand.data.vocabulary import Vocabulary
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
    assert error_of_score(path) == "name them: --column gold:NAME --column system:NAME."


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
    tokens = [[f"word-{number}-{place}" for place in range(5)] for number in range(200 if rows < 100 else 60_000)]
    tags = [["B-PER", "I-PER", "O", "O", f"B-{number % 40}"] for number in range(len(tokens))]
    path = save(tmp_path, {"tokens": tokens, "tags": tags}, rows=rows)
    found = list(batches(path, ReadSettings(), Vocabulary()))
    words = [batch.corpus.tokens for batch in found]
    assert [each[place] for each in words if each for place in range(len(each))] == [w for row in tokens for w in row]
    assert [tag for batch in found for tag in batch["tags"].to_list()] == [tag for row in tags for tag in row]


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
