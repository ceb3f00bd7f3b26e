"""Files of records: JSON lines, lists, folders, raw answers, and the message for each problem."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.errors import InputError

GOLD = '{"id": "a", "value": {"x": "one"}, "text": "one"}\n{"id": "b", "value": {"x": "two"}}\n'


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evenhand", *arguments]
    return subprocess.run(command, check=False, capture_output=True, encoding="utf-8")


def score(folder: Path, gold: str, system: str, suffix: str = ".jsonl", **options: Any) -> Any:
    (folder / f"gold{suffix}").write_text(gold)
    (folder / f"gpt{suffix}").write_text(system)
    return eh.score(folder / f"gold{suffix}", folder / f"gpt{suffix}", task="records", **options)


@pytest.mark.parametrize(
    "system",
    [
        '{"id": "b", "output": {"x": "two"}}\n{"id": "a", "output": "```json\\n{\\"x\\": \\"one\\"}\\n```"}\n',
        '{"id": "a", "response": {"x": "one"}}\n\n{"id": "b", "prediction": "{\'x\': \'two\'}"}',
        '{"id": "a", "x": "one"}\n{"id": "b", "x": "two"}\n',
        '{"output": {"x": "one"}}\n{"output": {"x": "two"}}\n',
        '{"id": "a", "content": [{"type": "tool_use", "name": "s", "input": {"x": "one"}}]}\n{"id": "b", "value": {"x": "two"}}',
        '{"custom_id": "a", "response": {"body": {"choices": [{"message": {"role": "assistant", "content": "{\\"x\\": \\"one\\"}"}}]}}}\n'
        '{"custom_id": "b", "output": {"x": "six", "x": "two"}}',
    ],
)
def test_layouts_of_lines(tmp_path: Path, system: str) -> None:
    assert score(tmp_path, GOLD, system)["exact"].f1 == 1


def test_lists_of_documents_and_single_values(tmp_path: Path) -> None:
    listed = json.dumps([json.loads(line) for line in GOLD.split("\n") if line], indent=1)
    assert score(tmp_path, listed, listed, ".json")["exact"].overall["TP"] == 2
    value = '[{"n": 1.10}, {"n": 2}]'
    assert score(tmp_path, value, '[{"n": 2.0}, {"n": 1.1}]', ".json")["records"].overall["right"] == 2


def test_folders(tmp_path: Path) -> None:
    for side, files in {
        "gold": {"a.json": '{"x": "one"}', "a.txt": "There is one.", "b.json": '{"x": "two"}'},
        "gpt": {"b.md": 'Sure: {"x": "ten"}', "a.json": '{"x": "one"}'},
    }.items():
        (tmp_path / side).mkdir()
        for name, text in files.items():
            (tmp_path / side / name).write_text(text)
    result = eh.score(tmp_path / "gold", tmp_path / "gpt", task="records")
    assert (result["exact"].overall["TP"], result["fair"].overall["VE"], result.gold.documents) == (1, 1, 2)
    assert result.facts["grounded"]["gold"] == 1


def test_numbers_keep_all_digits(tmp_path: Path) -> None:
    one, other = "0.12345678901234567890123", "0.12345678901234567890124"
    assert (
        score(tmp_path, f'{{"value": {{"x": {one}}}}}', f'{{"output": {{"x": {other}}}}}')["exact"].overall["TP"] == 0
    )
    long = "9" * 5000
    assert score(tmp_path, f'{{"value": {{"x": {long}}}}}', f'{{"output": {{"x": {long}}}}}')["exact"].f1 == 1


def test_numbers_that_json_lacks(tmp_path: Path) -> None:
    assert score(tmp_path, '{"value": {"x": 1}}', '{"output": {"x": NaN}}')["fair"].overall["VE"] == 1


def test_records_are_recognised_without_the_task(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(GOLD)
    assert eh.score(tmp_path / "gold.jsonl", tmp_path / "gold.jsonl").settings.task == "records"


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            '{"value": 1}\n{"value": 2}\n{"value": {"a": 1 "b"}}',
            "",
            "gold.jsonl:3: invalid JSON at column 19; expected one JSON object per line.",
        ),
        (
            '{"id": "a7", "value": 1}\n{"id": "b", "value": 1}\n{"id": "a7", "value": 2}',
            "",
            "gold.jsonl:3: duplicate id 'a7' (first used on line 1); give every document its own id.",
        ),
        (
            '{"id": "a", "value": 1}\n{"value": 2}\n{"id": "c", "value": 1}',
            '{"id": "a", "output": 1}',
            "gold.jsonl: 2 documents have ids, 1 do not; give ids to all documents or to none.",
        ),
        (
            '{"value": {"a": 1}}',
            '{"output": {"a": 1}}\n{"output": {"a": 1}}',
            "gpt.jsonl: expected 1 document as in gold, got 2; without ids, the numbers must be equal.",
        ),
        (
            '{"id": "a", "value": 1}',
            '{"id": "b", "output": 1}',
            "gpt.jsonl: no id matches gold; check that this is the right file.",
        ),
        ('{"value": {"a": NaN}}', "", "gold.jsonl:1: expected a JSON number, got NaN; use a number or null."),
        (
            '{"value": {"a": -Infinity}}',
            "",
            "gold.jsonl:1: expected a JSON number, got -Infinity; use a number or null.",
        ),
        ("[1, 2]", "", "gold.jsonl:1: expected a JSON object, got [1, ...]; expected one JSON object per line."),
        (
            '{"id": [1], "value": 1}',
            "",
            "gold.jsonl:1: expected a string or a whole number as id, got [1]; give every document its own id.",
        ),
        (
            '{"value": ' + "[" * 101 + "1" + "]" * 101 + "}",
            "",
            "gold.jsonl:1: nested more than 100 levels deep; flatten the value.",
        ),
        ('{"value": ' + "[" * 100_000, "", "gold.jsonl:1: nested more than 100 levels deep; flatten the value."),
    ],
)
def test_messages(tmp_path: Path, gold: str, system: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        score(tmp_path, gold, system or '{"output": {"a": 1}}')
    assert str(error.value) == f"{tmp_path}/{message}"


def test_triples_of_another_size_have_a_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        score(
            tmp_path,
            '{"value": [["a", "b", "c"]]}\n{"value": [["a", "b"]]}',
            '{"output": []}\n{"output": []}',
            preset="triples",
        )
    expected = "gold.jsonl:2: expected a triple of three parts, got 2; write subject, relation and object."
    assert str(error.value) == f"{tmp_path}/{expected}"


def test_values_that_are_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        score(tmp_path, json.dumps({"value": {"a": "x" * 50_000_000}}), '{"output": {"a": "x"}}')
    assert str(error.value).startswith(
        f"{tmp_path}/gold.jsonl:1: a value has 50,000,000 characters; check which file it is"
    )
    with pytest.raises(InputError, match="a key has 20,000 characters"):
        score(tmp_path, json.dumps({"value": {"k" * 20_000: 1}}), '{"output": {"a": "x"}}')


def test_unparsable_answers_are_counted_and_empty(tmp_path: Path) -> None:
    result = score(tmp_path, GOLD, '{"id": "a", "output": "no idea"}\n{"id": "b", "output": {"x": "two"}}')
    assert result.notes[0] == "Warning: system gpt: 1 of 2 answers is unparsable and counts as empty."
    assert (result["fair"].overall["FN"], result.facts["answers"]["unparsable"]) == (1, 1)


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(GOLD)
    (tmp_path / "gpt.jsonl").write_text('{"id": "a", "output": {"x": "One"}}\n{"id": "b", "output": {"x": "two"}}\n')
    files = (str(tmp_path / "gold.jsonl"), str(tmp_path / "gpt.jsonl"), "--task", "records")
    assert (
        run("score", *files, "--field", "x:normalise=case", "--match", "exact", "--as", "value").stdout.strip() == "1.0"
    )
    assert run("check", files[1], "--task", "records").returncode == 0
    assert run("score", *files, "--field", "y:weight=2").stderr.endswith(
        "evenhand: Unknown field 'y': not in gold and not in the schema.\n"
    )
    schema = tmp_path / "s.json"
    schema.write_text('{"properties": {"x": {"x-evenhand": {"compare": "relaxed"}}}}')
    assert run("score", *files, "--schema", str(schema), "--match", "exact", "--as", "value").stdout.strip() == "1.0"
    schema.write_text('{"$ref": "#"}')
    refused = run("score", *files, "--schema", str(schema))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.endswith("s.json: $ref '#' refers to itself; recursive schemas are not supported.\n")
