"""Tables as Parquet and Arrow files, for the tests of both."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.errors import InputError

FORMS = ("parquet", "arrow", "stream")
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TOKENS = [["Ada", "Lovelace", "lived"], [], ["in", "“London”"]]
TAGS = [["B-PER", "I-PER", "O"], [], ["O", "B-LOC"]]
NUMBERS = [[1, 2, 0], [], [0, 3]]
SPANS = [("PER", 0, 0, 2), ("LOC", 2, 1, 2)]


def pyarrow() -> Any:
    return pytest.importorskip("pyarrow", reason="pyarrow, the extra `arrow`, is not installed")


def class_label(names: list[str]) -> dict[str, Any]:
    return {"feature": {"names": names, "_type": "ClassLabel"}, "_type": "List"}


def save(
    folder: Path,
    columns: dict[str, Any],
    form: str = "parquet",
    *,
    types: dict[str, Any] | None = None,
    features: dict[str, Any] | None = None,
    rows: int | None = None,
    name: str = "data",
) -> Path:
    """A table as a file; `features` are written as `datasets` does, and batches or row groups have so many rows."""
    arrow = pyarrow()
    arrays = {
        column: values if isinstance(values, arrow.Array) else arrow.array(values, (types or {}).get(column))
        for column, values in columns.items()
    }
    table = arrow.table(arrays)
    if features is not None:
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    path = folder / f"{name}.{'parquet' if form == 'parquet' else 'arrow'}"
    if form == "parquet":
        import_module("pyarrow.parquet").write_table(table, path, row_group_size=rows)
        return path
    new: Callable[..., Any] = arrow.ipc.new_file if form == "arrow" else arrow.ipc.new_stream
    with arrow.OSFile(str(path), "wb") as file, new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def error(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as raised:
        eh.read(path, **options)
    return str(raised.value).removeprefix(str(path))


def facts(annotation: Annotation) -> tuple[Any, ...]:
    """All that a text and its spans say, whatever file they are from."""
    corpus, spans = annotation.corpus, annotation.spans()
    texts = [corpus.text(sentence) for sentence in range(corpus.sentences)]
    order = sorted(zip(spans.rows(), spans.level.tolist(), map(sorted, spans.token_sets()), strict=True))
    return texts, corpus.documents.tolist(), order
