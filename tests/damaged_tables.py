"""Reads a table again and again, each time with another bit flipped or cut shorter; run in a process of its own.

A damaged file may end the process that reads it. What is allowed is a score or a sentence: all else is printed.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import evenhand as eh
from arrow_files import TAGS, TOKENS

SPANS = [
    [{"start": 0, "end": 3, "label": "PER", "parts": [[0, 1], [2, 3]]}],
    [],
    [{"start": 1, "end": 2, "label": "LOC", "parts": []}],
]
FEATURES = {"ner_tags": {"feature": {"names": ["O", "B-PER", "I-PER"], "_type": "ClassLabel"}, "_type": "List"}}
CONTENTS = ("tags", "numbers", "spans", "texts", "coded", "views")
FORMS = ("parquet", "snappy", "arrow", "lz4", "stream", "folder")


def table(arrow: Any, content: str) -> Any:
    """A small table of each kind that can be read."""
    if content == "spans":
        return arrow.table({"document": ["a", "a", "b"], "tokens": TOKENS, "spans": SPANS})
    if content == "texts":
        spans = [[{"start": 0, "end": 3, "label": "PER"}], [], [{"start": 3, "end": 9, "label": "LOC"}]]
        return arrow.table({"text": ["Ada lived", "", "in London"], "spans": spans})
    if content == "numbers":
        numbers = arrow.array([[1, 2, 0], [], [0, 1]], arrow.list_(arrow.int8()))
        info = json.dumps({"info": {"features": FEATURES}})
        return arrow.table({"tokens": TOKENS, "ner_tags": numbers}).replace_schema_metadata({"huggingface": info})
    if content == "coded":
        coded = arrow.list_(arrow.dictionary(arrow.int16(), arrow.string()))
        return arrow.table(
            {"doc_id": [1, 1, 2], "tokens": arrow.array(TOKENS, coded), "tags": arrow.array(TAGS, coded)}
        )
    if content == "views":
        tokens = arrow.array(TOKENS, arrow.list_(arrow.string_view()))
        return arrow.table({"tokens": tokens, "tags": arrow.array(TAGS, arrow.large_list(arrow.large_string()))})
    return arrow.table({"tokens": TOKENS, "tags": TAGS})


def save(folder: Path, content: str, form: str) -> tuple[Path, Path]:
    """The file to damage, and what is read: the file itself, or the folder that it is in."""
    arrow = import_module("pyarrow")
    rows = table(arrow, content)
    if form in ("parquet", "snappy"):
        path = folder / "data.parquet"
        import_module("pyarrow.parquet").write_table(rows, path, compression=form if form == "snappy" else "none")
        return path, path
    path = folder / "data.arrow"
    new = arrow.ipc.new_file if form in ("arrow", "lz4") else arrow.ipc.new_stream
    options = arrow.ipc.IpcWriteOptions(compression="lz4" if form == "lz4" else None)
    with arrow.OSFile(str(path), "wb") as file, new(file, rows.schema, options=options) as writer:
        writer.write_table(rows)
    if form != "folder":
        return path, path
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": path.name}]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    return path, folder


def damaged(whole: bytes, step: int) -> list[bytes]:
    """The file with every `step`-th bit flipped, and cut behind every `step`-th byte."""
    items = []
    for bit in range(0, 8 * len(whole), step):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        items.append(bytes(flipped))
    return items + [whole[:size] for size in range(0, len(whole), step)]


def main(folder: Path, content: str, form: str, step: int) -> None:
    path, shown = save(folder, content, form)
    eh.read(shown)
    for number, data in enumerate(damaged(path.read_bytes(), step)):
        path.unlink()
        path.write_bytes(data)
        try:
            eh.read(shown)
        except eh.EvenhandError as error:
            if "\n" in str(error):
                sys.stdout.write(f"{number}: {error!r}\n")
        except Exception as error:
            sys.stdout.write(f"{number}: {error!r}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
