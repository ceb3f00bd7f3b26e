"""Answers of language models as files: what is recognised, records, documents, folders, and what is refused."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.structures import Answer
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError
from evenhand.formats.extractions import read
from evenhand.formats.jsonl import EXTRACTIONS, is_extractions
from evenhand.formats.source import Block, Source
from evenhand.settings import ReadSettings

ITEM = {"text": "Ada", "label": "PER"}
REMEDY = 'write one record per document, such as {"id": "107", "output": "…"}'


def write(path: Path, *rows: object) -> Path:
    """One line a row; a string is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def confidence(*rows: object) -> float:
    """How sure the format is of these first lines."""
    data = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows).encode()
    return is_extractions(Block(data, len(data), 1))


def parts_of(path: Path, **settings: Any) -> list[Annotation]:
    return list(read(Source(path), ReadSettings(**settings), Vocabulary(), {}))


def answers(path: Path, **settings: Any) -> dict[str, tuple[Answer, ...]]:
    """The answers by the ids of their documents, which must have some."""
    joined = Annotation.concatenate(parts_of(path, **settings))
    assert joined.extractions is not None
    assert joined.corpus.ids is not None
    return dict(zip(joined.corpus.ids.texts(0, joined.corpus.sentences), joined.extractions.answers, strict=True))


# Recognition


@pytest.mark.parametrize("key", ["output", "response", "completion", "prediction", "answer", "entities", "extractions"])
@pytest.mark.parametrize("value", ["PER: Ada", [ITEM], [["Ada", "PER"]], {"PER": ["Ada"]}, [], None])
def test_a_record_with_an_answer_is_recognised(key: str, value: object) -> None:
    assert confidence({"id": "1", key: value}) == 1


@pytest.mark.parametrize(
    "record",
    [
        {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"},
        {"text": "Ada", "answer": "accept"},
        {"text": "Ada", "answer": "reject"},
        {"text": "Ada", "answer": "ignore"},
        {"text": "Ada", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]},
        {"text": "Ada", "entities": [{"start": 0, "end": 3, "label": "PER"}]},
        {"text": "Ada", "entities": [[0, 3, "PER"]]},
        {"text": "Ada", "labels": [[0, 3, "PER"]], "entities": [ITEM]},
        {"tokens": ["Ada"], "ner_tags": ["B-PER"], "prediction": "PER: Ada"},
        {"tokens": ["Ada"], "tags": ["B-PER"]},
        {"text": "Ada"},
    ],
    ids=",".join,
)
def test_annotations_with_positions_are_no_answers(record: object) -> None:
    assert confidence(record) == 0


def test_empty_lists_beside_a_text_do_not_tell() -> None:
    empty = {"text": "Ada", "entities": []}
    assert confidence(empty) == 0
    assert confidence(empty, {"text": "Ada", "entities": [ITEM]}) == 1
    doccano = {"text": "Ada", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]}
    assert confidence(empty, doccano) == 0


def test_one_record_with_positions_decides() -> None:
    assert confidence({"output": "[]"}, {"text": "Ada", "spans": []}) == 0


def test_a_long_first_line_that_is_cut_off_is_recognised_by_its_key() -> None:
    assert confidence('{"id": 1, "output": "' + "x" * 1000) == 1
    assert confidence('{"id": 1, "text": "' + "x" * 1000) == 0


@pytest.mark.parametrize("line", ["", "Ada\tB-PER", "[1, 2]", '"Ada"', "{"])
def test_other_lines_are_not_recognised(line: str) -> None:
    assert confidence(line) == 0


def test_a_file_of_records_is_read_in_its_format(tmp_path: Path) -> None:
    assert eh.read(write(tmp_path / "gpt.jsonl", {"output": "PER: Ada"})).reading.format == EXTRACTIONS.name
    prodigy = {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
    assert eh.read(write(tmp_path / "gold.jsonl", prodigy)).reading.format == "jsonl"


# Records


def test_the_first_key_in_order_is_the_answer(tmp_path: Path) -> None:
    path = write(tmp_path / "gpt.jsonl", {"extractions": [ITEM], "id": 7, "output": "PER: Bo", "prompt": "Who?"})
    assert answers(path) == {"7": (Answer("PER: Bo"),)}


def test_records_of_one_document_by_label(tmp_path: Path) -> None:
    rows = (
        {"id": "a", "label": "PER", "output": '["Ada"]'},
        {"id": "a", "label": "LOC", "output": '["Rome"]'},
        {"id": "b", "label": "PER", "output": "[]"},
    )
    path = write(tmp_path / "gpt.jsonl", *rows)
    assert answers(path) == {
        "a": (Answer('["Ada"]', "PER"), Answer('["Rome"]', "LOC")),
        "b": (Answer("[]", "PER"),),
    }
    assert answers(path, block_size=1) == answers(path)


def test_records_by_label_are_scored_as_one_document(tmp_path: Path) -> None:
    texts = {"a": "Ada in Rome", "b": "Bo"}
    gold = eh.spans({"a": [("PER", 0, 3), ("LOC", 7, 11)], "b": [("PER", 0, 2)]}, end="exclusive", text=texts)
    rows = [
        {"id": i, "label": label, "output": f'["{s}"]'} for i, label, s in (("b", "PER", "Bo"), ("a", "PER", "Ada"))
    ]
    rows.append({"id": "a", "label": "LOC", "output": '["Rome"]'})
    result = eh.score(gold, write(tmp_path / "gpt.jsonl", *rows), match="exact")
    assert result["exact"].f1 == 1


@pytest.mark.parametrize("labels", [("PER", "PER"), (None, None), ("PER", None)])
def test_several_records_of_one_id_need_different_labels(tmp_path: Path, labels: tuple[str | None, ...]) -> None:
    rows = [{"id": "a", "output": "[]"} | ({"label": label} if label else {}) for label in labels]
    path = write(tmp_path / "gpt.jsonl", *rows)
    with pytest.raises(InputError) as caught:
        parts_of(path)
    remedy = "give every document one record, or one for each requested label"
    assert str(caught.value) == f"{path}:2: several records have the id 'a'; {remedy}."


def test_batches_end_with_a_document(tmp_path: Path) -> None:
    rows = [{"id": str(number // 3), "label": "ABC"[number % 3], "output": "[]"} for number in range(30)]
    parts = parts_of(write(tmp_path / "gpt.jsonl", *rows), block_size=100)
    assert len(parts) > 1
    assert [len(each) for part in parts for each in part.extractions.answers] == [3] * 10  # type: ignore[union-attr]


def test_records_without_ids_are_documents_of_their_own(tmp_path: Path) -> None:
    (part,) = parts_of(write(tmp_path / "gpt.jsonl", {"output": "[]"}, "", {"output": None}))
    assert (part.corpus.sentences, part.corpus.ids, part.corpus.lines.tolist()) == (2, None, [1, 3])  # type: ignore[union-attr]


def test_half_a_surrogate_becomes_a_replacement_character(tmp_path: Path) -> None:
    path = write(
        tmp_path / "gpt.jsonl", r'{"id": "a", "output": "PER: A\ud83d da"}', r'{"id": "b", "output": {"\ude00": [1]}}'
    )
    assert answers(path) == {"a": (Answer("PER: A\ufffd da"),), "b": (Answer({"\ufffd": [1]}),)}


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ('{"output": ', "the line is not a JSON object"),
        ("PER: Ada", "the line is not a JSON object"),
        ("[1]", "the line is not a JSON object"),
        ("[" * 100_000, "the line is not a JSON object"),
        ('{"id": 1}', f"the record has none of the keys {', '.join(('output', 'response', 'completion'))}, prediction"),
        ('{"id": 1.5, "output": ""}', "the id 1.5 is neither a string nor a whole number"),
        ('{"id": true, "output": ""}', "the id True is neither a string nor a whole number"),
        ('{"id": ["a"], "output": ""}', "the id ['a'] is neither a string nor a whole number"),
        ('{"label": 3, "output": ""}', "the label 3 is not a string"),
        ('{"label": " ", "output": ""}', "the label ' ' is not a string"),
    ],
    ids=range(10),
)
def test_a_bad_line_is_refused_with_its_number(tmp_path: Path, line: str, finding: str) -> None:
    path = write(tmp_path / "gpt.jsonl", {"output": "[]"}, line)
    with pytest.raises(InputError) as caught:
        parts_of(path)
    assert str(caught.value).startswith(f"{path}:2: {finding}")
    assert str(caught.value).endswith(f"; {REMEDY}.")


def test_check_reports_every_bad_line(tmp_path: Path) -> None:
    from evenhand.formats.check import check

    path = write(tmp_path / "gpt.jsonl", {"output": "[]"}, "x", {"output": "[]"}, {"id": 1})
    found = check(path, ReadSettings("extractions"))
    assert [problem.line for problem in found.problems] == [2, 4]
    good = check(write(tmp_path / "gpt.jsonl", {"output": "[]"}, {"output": "[]"}), ReadSettings())
    assert (good.problems, good.units, good.unit) == ([], 2, "answers")


# Files and folders


def test_a_compressed_file_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "output": "PER: Ada"}\n'))
    assert answers(path) == {"a": (Answer("PER: Ada"),)}


@pytest.mark.parametrize("name", ["107.html", "107.txt", "107.json", "107.md"])
def test_any_other_file_is_one_answer_and_its_name_the_id(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"output": 1}\n\nsecond', encoding="utf-8")
    assert answers(tmp_path / name) == {"107": (Answer('{"output": 1}\n\nsecond'),)}


@pytest.fixture
def gold_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "1.conll").write_text("Ada\tB-PER\nslept\tO\n\n")
    (folder / "2.conll").write_text("Rome\tB-LOC\nslept\tO\n\n")
    return folder


def folder_of(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "gpt"
    folder.mkdir()
    for stem, text in files.items():
        (folder / f"{stem.removeprefix('f')}.html").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_has_a_file_a_document(tmp_path: Path, gold_folder: Path) -> None:
    folder = folder_of(tmp_path, f1="<PER>Ada</PER> slept", f2="<LOC>Rome</LOC> slept")
    result = eh.score(gold_folder, folder, format={"system": "extractions"}, match="exact")
    assert result["exact"].f1 == 1
    assert result.grounding is not None
    assert (result.grounding["documents"], result.grounding["aligned"]) == (2, 2)


def test_files_of_a_folder_are_matched_by_their_names(tmp_path: Path, gold_folder: Path) -> None:
    folder = folder_of(tmp_path, f2="<LOC>Rome</LOC> slept")
    result = eh.score(gold_folder, folder, format={"gpt": "extractions"}, match="exact")
    assert (result["exact"].precision, result["exact"].recall) == (1, 0.5)
    assert "system gpt: 1 document without an answer counts as empty." in result.notes


def test_a_file_that_the_gold_standard_lacks_is_refused(tmp_path: Path, gold_folder: Path) -> None:
    folder = folder_of(tmp_path, f1="", f2="", f3="")
    with pytest.raises(InputError, match="the gold standard has no document with the id '3'"):
        eh.score(gold_folder, folder, format={"system": "extractions"})


def test_answers_are_no_gold_standard(tmp_path: Path, gold_folder: Path) -> None:
    path = write(tmp_path / "gpt.jsonl", {"output": "[]"})
    sentence = f"{path}: contains answers of a language model, which have no text and no positions; pass them as a system, with a gold standard."
    with pytest.raises(InputError) as caught:
        eh.score(path, gold_folder / "1.conll")
    assert str(caught.value) == sentence


def test_answers_are_not_converted(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from evenhand.cli import main

    path = write(tmp_path / "gpt.jsonl", {"output": "[]"})
    result = CliRunner().invoke(main, ["convert", str(path), str(tmp_path / "x.conll")])
    assert (result.exit_code, result.stderr) == (
        2,
        f"evenhand: {path} contains answers of a language model, which have no positions; find them with evenhand ground, "
        "and convert its output.\n",
    )


def test_a_list_of_records_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text('[{"id": "a", "output": "[]"}, {"id": "b", "output": "[]"}]')
    with pytest.raises(eh.InputError, match="the file is a JSON list of records, but may contain only one answer"):
        eh.score(eh.spans([[]], tokens=[["Ada"]]), path, format={"system": "extractions"})


# Messages of APIs

ARGUMENTS = json.dumps({"entities": [ITEM]})
CALL = {"id": "call_1", "type": "function", "function": {"name": "extract", "arguments": ARGUMENTS}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RECORDS: dict[str, tuple[dict[str, Any], str | None]] = {
    "tool calls": ({"id": "a", "tool_calls": [CALL]}, "a"),
    "a message": ({"id": "a", **MESSAGE}, "a"),
    "a message under a key": ({"id": "a", "response": MESSAGE}, "a"),
    "a completion": ({"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"message": MESSAGE}]}, None),
    "a batch": (
        {"id": "b", "custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": MESSAGE}]}}},
        "a",
    ),
    "a response": (
        {"id": "resp_1", "object": "response", "output": [{"type": "function_call", "arguments": ARGUMENTS}]},
        None,
    ),
    "output items": ({"id": "a", "output": [{"type": "function_call", "name": "e", "arguments": ARGUMENTS}]}, "a"),
    "legacy": ({"id": "a", "function_call": {"name": "extract", "arguments": ARGUMENTS}}, "a"),
    "Anthropic": (
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "input": {"entities": [ITEM]}}],
        },
        None,
    ),
    "an Anthropic batch": (
        {
            "custom_id": "a",
            "result": {
                "type": "succeeded",
                "message": {"role": "assistant", "content": [{"type": "text", "text": ARGUMENTS}]},
            },
        },
        "a",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_messages_are_recognised_and_read(tmp_path: Path, name: str) -> None:
    record, own = RECORDS[name]
    assert confidence(record) == 1.0
    (batch,) = parts_of(write(tmp_path / "gpt.jsonl", record))
    assert (None if batch.corpus.ids is None else batch.corpus.ids.texts(0, 1)[0]) == own
    gold = eh.spans([[("PER", 0, 3)]], end="exclusive", text=["Ada slept."])
    assert eh.score(gold, write(tmp_path / "gpt.jsonl", record), match="exact")["exact"].f1 == 1


def test_the_command_line_shows_a_system_without_spans_once(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", {"text": "Ada slept.", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
    system = write(tmp_path / "gpt.jsonl", {"output": "I cannot say."})
    command = [sys.executable, "-W", "always", "-m", "evenhand", "score", str(gold), str(system)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout + done.stderr).count("no answer has a readable span") == 1
    assert "Warning: system gpt: no answer" in done.stdout
    assert "EvenhandWarning" not in done.stderr
