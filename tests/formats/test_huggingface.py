"""Hugging Face datasets on disk: columns, names of tags, rows as sentences, and folders that cannot be read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError
from evenhand.formats import arrow as huggingface
from evenhand.formats.arrow import is_dataset
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TOKENS = [["Ada", "Lovelace", "lived"], [], ["in", "“London”"]]
NUMBERS = [[1, 2, 0], [], [0, 3]]
SPANS = [("PER", 0, 0, 2), ("LOC", 2, 1, 2)]
VALUE = {"dtype": "string", "_type": "Value"}
CLASS_LABEL = {"names": NAMES, "_type": "ClassLabel"}
"""As datasets 5 writes it."""
OLD_CLASS_LABEL = {"num_classes": len(NAMES), "names": NAMES, "id": None, "_type": "ClassLabel"}
"""As datasets 1 writes it."""


def list_of(feature: dict[str, Any]) -> dict[str, Any]:
    return {"feature": feature, "_type": "List"}


def save(
    folder: Path,
    columns: dict[str, list[Any]],
    features: dict[str, Any] | None = None,
    *,
    sizes: tuple[int, ...] = (2, 1),
    types: dict[str, Any] | None = None,
    names: tuple[str, ...] = ("data-00000-of-00001.arrow",),
) -> Path:
    """A folder as `Dataset.save_to_disk` leaves it, with record batches of these sizes, dealt out to these files."""
    arrow = pytest.importorskip("pyarrow")
    folder.mkdir(exist_ok=True)
    arrays = {name: arrow.array(rows, (types or {}).get(name)) for name, rows in columns.items()}
    table = arrow.table(arrays)
    begin, batches = 0, []
    for size in sizes:
        batches.append(table.slice(begin, size))
        begin += size
    for number, name in enumerate(names):
        with arrow.OSFile(str(folder / name), "wb") as file, arrow.ipc.new_stream(file, table.schema) as writer:
            for batch in batches[number :: len(names)]:
                writer.write_table(batch)
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    (folder / "dataset_info.json").write_text(json.dumps(info, indent=2))
    state = {
        "_data_files": [{"filename": name} for name in names],
        "_fingerprint": "91769633b0bc8b4f",
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    (folder / "state.json").write_text(json.dumps(state, indent=2))
    return folder


def save_numbers(folder: Path, numbers: list[Any] = NUMBERS, tokens: list[Any] = TOKENS, **options: Any) -> Path:
    features = {"tokens": list_of(VALUE), "ner_tags": list_of(CLASS_LABEL)}
    return save(folder, {"tokens": tokens, "ner_tags": numbers}, features, **options)


def parts(folder: Path, columns: dict[str, Any] | None = None, **settings: Any) -> list[Annotation]:
    return list(
        huggingface.read_huggingface(Source(folder), ReadSettings(**settings), Vocabulary(), columns or {"spans": ()})
    )


def read(folder: Path, columns: dict[str, Any] | None = None, **settings: Any) -> Annotation:
    return Annotation.concatenate(parts(folder, columns, **settings))


def error(folder: Path, columns: dict[str, Any] | None = None, **settings: Any) -> str:
    with pytest.raises(InputError) as raised:
        parts(folder, columns, **settings)
    return str(raised.value).removeprefix(str(folder))


def test_rows_are_sentences_and_documents(tmp_path: Path) -> None:
    annotation = read(save_numbers(tmp_path / "conll2003"))
    assert annotation.name == "conll2003"
    assert annotation.spans().rows() == SPANS
    assert annotation["tags"].to_list() == ["B-PER", "I-PER", "O", "O", "B-LOC"]
    assert annotation.corpus.bounds.tolist() == [0, 3, 3, 5]
    assert annotation.corpus.documents.tolist() == [0, 1, 2]
    assert [annotation.corpus.text(row) for row in range(3)] == ["Ada Lovelace lived", "", "in “London”"]
    assert [annotation.corpus.line(token) for token in range(5)] == [1, 1, 1, 3, 3]
    reading = annotation.readings["spans"]
    assert (reading.format, reading.encoding, reading.column) == ("huggingface", "iob2", "ner_tags")


@pytest.mark.parametrize(
    "feature",
    [
        list_of(CLASS_LABEL),
        {"feature": CLASS_LABEL, "_type": "LargeList"},
        {"feature": OLD_CLASS_LABEL, "length": -1, "id": None, "_type": "Sequence"},
        [OLD_CLASS_LABEL],
    ],
    ids=["list", "large list", "sequence", "plain list"],
)
def test_every_spelling_of_a_list_of_class_labels(tmp_path: Path, feature: Any) -> None:
    folder = save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": NUMBERS}, {"ner_tags": feature})
    assert read(folder).spans().rows() == SPANS


def test_tags_as_strings_need_no_names(tmp_path: Path) -> None:
    tags = [[NAMES[number] for number in row] for row in NUMBERS]
    assert read(save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": tags})).spans().rows() == SPANS


def test_large_and_fixed_size_lists(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    large = {"tokens": arrow.large_list(arrow.large_string()), "ner_tags": arrow.large_list(arrow.uint8())}
    assert read(save_numbers(tmp_path / "large", types=large)).spans().rows() == SPANS
    fixed = {"tokens": arrow.list_(arrow.string(), 2), "ner_tags": arrow.list_(arrow.int64(), 2)}
    folder = save_numbers(tmp_path / "fixed", [[0, 3], [1, 2]], [["in", "London"], ["Ada", "L."]], types=fixed)
    assert read(folder).spans().rows() == [("LOC", 0, 1, 2), ("PER", 1, 0, 2)]


@pytest.mark.parametrize("sizes", [(3,), (1, 1, 1), (0, 2, 1), (1, 2)])
def test_record_batches_of_any_size_read_the_same(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    folder = save_numbers(tmp_path / "data", sizes=sizes)
    assert len(parts(folder)) == len([size for size in sizes if size])
    annotation = read(folder)
    assert annotation.spans().rows() == SPANS
    assert [annotation.corpus.line(token) for token in range(5)] == [1, 1, 1, 3, 3]


def test_the_files_are_those_that_the_state_lists(tmp_path: Path) -> None:
    """`Dataset.map` leaves cache files in the folder; older versions of datasets call the only file dataset.arrow."""
    folder = save_numbers(tmp_path / "data", names=("data-00000-of-00002.arrow", "data-00001-of-00002.arrow"))
    (folder / "cache-0123456789abcdef.arrow").write_bytes(b"left over")
    assert read(folder).spans().rows() == SPANS
    assert read(save_numbers(tmp_path / "old", names=("dataset.arrow",))).spans().rows() == SPANS


@pytest.mark.parametrize(
    ("others", "column"),
    [(["pos_tags", "ner_tags", "tags"], "ner_tags"), (["pos_tags", "tags"], "tags"), (["labels"], "labels")],
)
def test_which_column_has_the_tags(tmp_path: Path, others: list[str], column: str) -> None:
    columns: dict[str, Any] = {"id": ["0", "1", "2"], "tokens": TOKENS}
    columns |= dict.fromkeys(others, NUMBERS)
    folder = save(tmp_path / "data", columns, {name: list_of(CLASS_LABEL) for name in others})
    assert read(folder).readings["spans"].column == column


def test_the_column_of_tags_can_be_named(tmp_path: Path) -> None:
    columns = {"tokens": TOKENS, "ner_tags": NUMBERS, "predicted": [["O", "B-LOC", "O"], [], ["O", "O"]]}
    folder = save(tmp_path / "data", columns, {"ner_tags": list_of(CLASS_LABEL)})
    assert read(folder, {"spans": ("predicted",)}).spans().rows() == [("LOC", 0, 1, 2)]


def test_the_encoding_is_recognised_from_names_that_the_first_rows_do_not_use(tmp_path: Path) -> None:
    names = ["O", "B-PER", "I-PER", "E-PER", "S-PER"]
    features = {"ner_tags": list_of({"names": names, "_type": "ClassLabel"})}
    columns = {"tokens": [["Ada", "L."], ["Ada", "L."], ["Ada", "L."]], "ner_tags": [[1, 2], [1, 3], [4, 0]]}
    annotation = read(save(tmp_path / "data", columns, features, sizes=(1, 2)))
    assert annotation.readings["spans"].encoding == "bioes"
    assert (annotation.readings["spans"].repaired, annotation.readings["spans"].first_repair) == (1, "line 1, 'B-PER'")
    assert annotation.spans().rows() == [("PER", 0, 0, 2), ("PER", 1, 0, 2), ("PER", 2, 0, 1)]


def test_iob1_is_told_from_iob2_by_the_data(tmp_path: Path) -> None:
    annotation = read(save_numbers(tmp_path / "data", [[2, 2, 0], [], [0, 4]]))
    assert annotation.readings["spans"].encoding == "iob1"
    assert annotation.spans().rows() == SPANS


def test_names_without_prefixes_are_plain_labels(tmp_path: Path) -> None:
    feature = list_of({"names": ["O", "PER", "LOC"], "_type": "ClassLabel"})
    columns = {"tokens": TOKENS, "ner_tags": [[1, 1, 0], [], [0, 2]]}
    annotation = read(save(tmp_path / "data", columns, {"ner_tags": feature}))
    assert annotation.readings["spans"].encoding == "plain"
    assert annotation.spans().rows() == SPANS


def test_a_dataset_without_spans(tmp_path: Path) -> None:
    annotation = read(save_numbers(tmp_path / "data", [[0, 0, 0], [], [0, 0]]))
    assert (annotation.spans().rows(), annotation.readings["spans"].encoding) == ([], "iob2")


def test_a_name_that_is_no_tag_matters_only_if_a_token_has_it(tmp_path: Path) -> None:
    features = {"ner_tags": list_of({"names": [*NAMES, "X"], "_type": "ClassLabel"})}
    folder = save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": NUMBERS}, features)
    assert read(folder).spans().rows() == SPANS
    save(folder, {"tokens": TOKENS, "ner_tags": [[1, 2, 0], [], [0, 5]]}, features)
    assert error(folder) == (
        ":3: the tag 'X' is not a prefix such as B- or I- with a label after it; "
        "fix it, or specify the encoding (--encoding plain for labels without prefixes)."
    )


def test_encoding_and_repair_can_be_named(tmp_path: Path) -> None:
    folder = save_numbers(tmp_path / "data", [[1, 2, 0], [], [0, 4]])
    assert read(folder, encoding="iob2").spans().rows() == SPANS
    assert read(folder, encoding="iob2", repair="discard").spans().rows() == SPANS[:1]
    assert error(folder, encoding="iob2", repair="error") == (
        ":3: the span that begins here with 'I-LOC' is ill-formed in IOB2; fix it, or choose --repair begin or discard."
    )
    assert error(folder, encoding="io") == (
        ":1: the tag 'B-PER' does not occur in IO, the encoding named; specify the file's encoding with --encoding."
    )


def test_a_tag_that_the_recognised_encoding_does_not_have(tmp_path: Path) -> None:
    tags = [["B-PER", "I-PER", "O"], [], ["O", "S-LOC"]]
    assert error(save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": tags})) == (
        ":3: the tag 'S-LOC' does not occur in IOB2, the encoding recognised from the first ones; "
        "specify the file's encoding with --encoding."
    )


def test_rows_with_more_or_fewer_tags_than_tokens(tmp_path: Path) -> None:
    assert error(save_numbers(tmp_path / "data", [[1, 2, 0], [], [0]])) == (
        ":3: the number of tokens in this row is 2, the number of tags is 1; give every token one tag."
    )
    assert error(save_numbers(tmp_path / "data", [[1, 2, 0], [0, 0], []])) == (
        ":2: the number of tokens in this row is 0, the number of tags is 2; give every token one tag."
    )


@pytest.mark.parametrize("number", [-100, -1, 5])
def test_numbers_without_a_name(tmp_path: Path, number: int) -> None:
    assert error(save_numbers(tmp_path / "data", [[1, 2, 0], [], [0, number]])) == (
        f":3: expected tag numbers from 0 to 4 in 'ner_tags', got {number}; "
        "give every token a tag (-1 and -100 mean no tag)."
    )


@pytest.mark.parametrize(
    ("tokens", "numbers", "sentence"),
    [
        ([*TOKENS[:2], None], NUMBERS, ":3: found a null in the column 'tokens'; fill it in."),
        (TOKENS, [NUMBERS[0], None, NUMBERS[2]], ":2: found a null in the column 'ner_tags'; fill it in."),
        ([*TOKENS[:2], ["in", None]], NUMBERS, ":3: found a null in the column 'tokens'; fill it in."),
        (TOKENS, [[1, None, 0], [], [0, 3]], ":1: found a null in the column 'ner_tags'; fill it in."),
    ],
)
def test_nulls(tmp_path: Path, tokens: list[Any], numbers: list[Any], sentence: str) -> None:
    assert error(save_numbers(tmp_path / "data", numbers, tokens)) == sentence


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"words": TOKENS, "ner_tags": NUMBERS},
            ": no column 'tokens' with lists of strings is among words, ner_tags; rename the column with the tokens to tokens.",
        ),
        (
            {"tokens": ["Ada", "", "in"], "ner_tags": NUMBERS},
            ": no column 'tokens' with lists of strings is among tokens, ner_tags; rename the column with the tokens to tokens.",
        ),
        (
            {"tokens": TOKENS, "pos_tags": NUMBERS, "chunk_tags": NUMBERS},
            ": several columns may hold the tags: pos_tags, chunk_tags; specify one of them with --column.",
        ),
        (
            {"tokens": TOKENS, "id": ["0", "1", "2"]},
            ": no column of tags with lists of numbers or strings is among tokens, id; specify the column of tags with --column.",
        ),
        (
            {"tokens": TOKENS, "ner_tags": [[[0]], [], [[1]]], "pos_tags": NUMBERS},
            ": no column 'ner_tags' with lists of numbers or strings is among tokens, ner_tags, pos_tags; specify the column of tags with --column.",
        ),
    ],
)
def test_columns_that_do_not_fit(tmp_path: Path, columns: dict[str, list[Any]], sentence: str) -> None:
    assert error(save(tmp_path / "data", columns)) == sentence


@pytest.mark.parametrize("column", ["labels", 3, "tokens"])
def test_a_named_column_that_has_no_tags(tmp_path: Path, column: str | int) -> None:
    assert error(save_numbers(tmp_path / "data"), {"spans": (column,)}) == (
        f": no column {column!r} with lists of numbers or strings is among tokens, ner_tags; "
        "specify the column of tags with --column."
    )


@pytest.mark.parametrize(
    "features",
    [
        None,
        {"ner_tags": list_of({"dtype": "int64", "_type": "Value"})},
        {"ner_tags": list_of({"names": ["0", "1", "2", "3", "4"], "_type": "ClassLabel"})},
    ],
    ids=["no features", "numbers", "class label without names"],
)
def test_numbers_that_nothing_names(tmp_path: Path, features: dict[str, Any] | None) -> None:
    assert error(save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": NUMBERS}, features)) == (
        ": the column 'ner_tags' has numbers, and dataset_info.json has no names for them; "
        "cast it to a list of ClassLabel with names, and save the dataset again."
    )


def test_a_folder_of_splits(tmp_path: Path) -> None:
    save_numbers(tmp_path / "train")
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "validation", "test"]}')
    assert is_dataset(Source(tmp_path), None)
    assert error(tmp_path) == (": is a folder of splits (train, validation, test); specify the folder of one split.")


def test_a_folder_is_recognised_by_its_description_and_arrow_files(tmp_path: Path) -> None:
    folder = save_numbers(tmp_path / "data")
    assert is_dataset(Source(folder), None)
    assert not is_dataset(Source(tmp_path), None)
    assert not is_dataset(Source(folder / "state.json"), None)
    assert not is_dataset(Source(tmp_path / "nothing"), None)
    (folder / "data-00000-of-00001.arrow").unlink()
    assert not is_dataset(Source(folder), None)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("state.json", None, ": there is no state.json in this folder"),
        ("state.json", b"{", ": state.json is broken"),
        ("state.json", b"{}", ": state.json is broken"),
        ("state.json", b'{"_data_files": [{}]}', ": state.json is broken"),
        ("state.json", b'{"_data_files": [{"filename": "x.arrow"}]}', ": there is no x.arrow in this folder"),
        (
            "state.json",
            b'{"_data_files": [], "_indices_data_files": [{"filename": "indices.arrow"}]}',
            ": the rows are chosen by a file of indices",
        ),
        ("dataset_info.json", b"[]", ": dataset_info.json is broken"),
        ("dataset_info.json", b'{"features": 1}', ": dataset_info.json is broken"),
        ("data-00000-of-00001.arrow", None, ": there is no data-00000-of-00001.arrow in this folder"),
        ("data-00000-of-00001.arrow", b"", ": data-00000-of-00001.arrow is not an Arrow stream, or is broken"),
        ("data-00000-of-00001.arrow", b"text", ": data-00000-of-00001.arrow is not an Arrow stream, or is broken"),
    ],
)
def test_broken_folders(tmp_path: Path, name: str, content: bytes | None, sentence: str) -> None:
    folder = save_numbers(tmp_path / "data")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    assert error(folder) == f"{sentence}; save the dataset again with save_to_disk."


def test_a_stream_cut_off_between_two_record_batches_is_not_taken_for_a_shorter_one(tmp_path: Path) -> None:
    folder = save_numbers(tmp_path / "data")
    file = folder / "data-00000-of-00001.arrow"
    file.write_bytes(file.read_bytes()[:-8])
    assert error(folder) == (
        ": data-00000-of-00001.arrow is not an Arrow stream, or is broken; save the dataset again with save_to_disk."
    )


def test_files_with_different_columns(tmp_path: Path) -> None:
    names = ("data-00000-of-00002.arrow", "data-00001-of-00002.arrow")
    tags = [["O", "O", "O"], [], ["O", "O"]]
    folder = save(tmp_path / "data", {"tokens": TOKENS, "ner_tags": tags}, names=names)
    other = save_numbers(tmp_path / "other", names=names)
    (folder / names[1]).write_bytes((other / names[1]).read_bytes())
    (folder / "dataset_info.json").write_bytes((other / "dataset_info.json").read_bytes())
    assert error(folder) == ": the Arrow files have different columns; save the dataset again with save_to_disk."


def test_a_dataset_without_rows(tmp_path: Path) -> None:
    folder = save_numbers(tmp_path / "data", sizes=(0,))
    assert error(folder) == ": the dataset has no rows; check how it was saved."
    (folder / "state.json").write_text('{"_data_files": []}')
    assert error(folder) == ": the dataset has no rows; check how it was saved."


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert error(tmp_path / "nothing") == ": there is no such folder; check the path."


def test_pyarrow_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert error(tmp_path) == (
        ": datasets on disk need pyarrow, which is not installed; run: pip install evenhand[arrow]."
    )
