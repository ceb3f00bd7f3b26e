"""`evenhand ground`: the strings of answers with offsets; what is counted, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from conftest import EXAMPLE, ROOT
from evenhand.cli import main

GOLD, ANSWERS = EXAMPLE / "gold.conll", EXAMPLE / "prompted.jsonl"
TEXTS = {"a": "Ada met Grace in Paris.", "b": "Ada left Paris."}


class Ran(NamedTuple):
    """How a run ended: its status, what it wrote to its output, and to standard error."""

    status: int
    written: str
    stderr: str


def run(*arguments: object) -> Ran:
    """Run the command, whose output goes to a file: standard output is not Python's own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "output.jsonl"
        command = ["ground", *map(str, arguments), *(() if "-o" in arguments else ("-o", str(target)))]
        result = CliRunner().invoke(main, command, prog_name="evenhand")
        assert result.stdout == ""
        return Ran(result.exit_code, target.read_text(encoding="utf-8") if target.exists() else "", result.stderr)


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def write(path: Path, *rows: object) -> Path:
    """One line a row; a string is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two documents with ids; all labels occur."""
    spans = {"a": [{"start": 0, "end": 3, "label": "PER"}], "b": [{"start": 9, "end": 14, "label": "LOC"}]}
    return write(tmp_path / "texts.jsonl", *({"id": i, "text": t, "spans": spans[i]} for i, t in TEXTS.items()))


def test_spans_have_offsets_into_the_text_and_the_step_that_found_them(texts: Path, tmp_path: Path) -> None:
    answers = write(
        tmp_path / "gpt.jsonl",
        {"id": "a", "output": '[["Ada", "PER"], ["grace", "PER"], ["Rome", "LOC"]]'},
        {"id": "b", "output": '[["Paris", "LOC"], ["Paris", "LOC"]]'},
    )
    result = run(texts, answers)
    assert result.status == 0
    first, second = records(result.written)
    assert first == {
        "id": "a",
        "text": TEXTS["a"],
        "spans": [
            {"start": 0, "end": 3, "label": "PER", "text": "Ada", "status": "exact"},
            {"start": 8, "end": 13, "label": "PER", "text": "grace", "status": "case"},
        ],
        "unplaced": [{"label": "LOC", "text": "Rome", "status": "absent"}],
    }
    assert [(each["start"], each["end"]) for each in second["spans"]] == [(9, 14)]
    assert second["unplaced"] == [{"label": "LOC", "text": "Paris", "status": "repeated"}]


def test_answers_go_to_their_documents_by_id(texts: Path, tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", {"id": "b", "output": []}, {"id": "a", "output": [["Grace", "PER"]]})
    first, second = records(run(texts, answers).written)
    assert (first["id"], first["spans"][0]["start"], second["id"], second["spans"]) == ("a", 8, "b", [])


def test_a_document_without_an_answer_is_empty_and_counted(texts: Path, tmp_path: Path) -> None:
    result = run(texts, write(tmp_path / "gpt.jsonl", {"id": "b", "output": [["Paris", "LOC"]]}))
    assert result.status == 0
    assert [len(each["spans"]) for each in records(result.written)] == [0, 1]
    assert "documents without an answer: 1" in result.stderr.splitlines()


def test_texts_of_column_files_are_tokens_with_blanks_between_and_lines_for_sentences() -> None:
    first = records(run(GOLD, ANSWERS, "-q").written)[0]
    assert first["text"].startswith("Silver Gannet sails home to Lisbon\nLisbon , Portugal — After")
    for span in first["spans"]:
        if span["status"] == "exact":
            assert first["text"][span["start"] : span["end"]] == span["text"]
    assert first["id"] == "1"


def test_the_same_bytes_whatever_the_gold_tags_are(tmp_path: Path) -> None:
    untagged = tmp_path / "untagged.conll"
    lines = GOLD.read_text(encoding="utf-8").splitlines()
    untagged.write_text("".join(f"{line.partition(chr(9))[0]}\tO\n" if line else "\n" for line in lines), "utf-8")
    found = [run(path, ANSWERS, "--labels", "PER,LOC,ORG,MISC", "-q") for path in (GOLD, untagged)]
    tagged, plain = (each.written.replace(str(path), "") for each, path in zip(found, (GOLD, untagged), strict=True))
    assert tagged == plain
    assert sum(len(each["spans"]) for each in records(plain)) == 210


def test_output_goes_to_a_file_and_counts_to_standard_error(tmp_path: Path) -> None:
    target = tmp_path / "grounded.jsonl"
    result = run(GOLD, ANSWERS, "-o", target)
    assert (result.status, result.written) == (0, "")
    assert result.stderr.splitlines() == [
        "documents: 8",
        "answers read without repair: 6",
        "answers read after a repair: 1",
        "answers of which a part was read: 1",
        "items: 212",
        "items found by the step exact: 202",
        "items found by the step tokens: 6",
        "items found by the step fuzzy: 2",
        "items that are not in the text: 1",
        "items named more often than they occur: 1",
        "items whose string occurs more often than it is named: 24",
        "items with a label that the gold standard does not have: 1",
        "items with the unknown label 'GROUP': 1",
    ]
    assert target.read_text(encoding="utf-8") == run(GOLD, ANSWERS, "-q").written


def test_without_a_file_standard_output_is_written() -> None:
    code = "from evenhand.cli import main; main(prog_name='evenhand')"
    command = [sys.executable, "-c", code, "ground", GOLD, ANSWERS, "-q"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    found = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True, env=environment)
    assert (found.stdout, found.stderr) == (run(GOLD, ANSWERS, "-q").written, "")


def test_quiet_says_nothing() -> None:
    assert run(GOLD, ANSWERS, "--quiet").stderr == ""


def test_ids_that_the_texts_do_not_have_are_counted_and_the_order_counts(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada\tB-PER\n\nBo\tB-PER\n\n")
    answers = write(tmp_path / "gpt.jsonl", {"id": "y", "output": [["Ada", "PER"]]}, {"id": "x", "output": []})
    result = run(gold, answers)
    assert [len(each["spans"]) for each in records(result.written)] == [1, 0]
    assert (
        "answers matched by order, because the gold standard does not have their ids: 2" in result.stderr.splitlines()
    )


def test_what_is_written_can_be_scored(tmp_path: Path, texts: Path) -> None:
    target = tmp_path / "grounded.jsonl"
    answers = write(tmp_path / "gpt.jsonl", {"id": "a", "output": [["Ada", "PER"]]}, {"id": "b", "output": []})
    run(texts, answers, "-o", target, "-q")
    arguments = ["score", str(texts), str(target), "--match", "exact", "--as", "value", "-q"]
    assert float(CliRunner().invoke(main, arguments).stdout) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("option", "value", "starts"),
    [("--occurrences", "in-order", [0]), ("--occurrences", "all", [0, 8]), ("--unknown-labels", "drop", [])],
)
def test_options_of_placing(tmp_path: Path, option: str, value: str, starts: list[int]) -> None:
    gold = write(tmp_path / "texts.jsonl", {"text": "Ada saw Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
    label = "HERO" if option == "--unknown-labels" else "PER"
    answers = write(tmp_path / "gpt.jsonl", {"output": [["Ada", label]] if label == "PER" else {label: ["Ada"]}})
    (record,) = records(run(gold, answers, option, value).written)
    assert [span["start"] for span in record["spans"]] == starts


def test_fuzzy_can_be_turned_off(tmp_path: Path) -> None:
    gold = write(tmp_path / "texts.jsonl", {"text": "in Setúbal", "spans": [{"start": 3, "end": 10, "label": "LOC"}]})
    answers = write(tmp_path / "gpt.jsonl", {"output": [["Setubal", "LOC"]]})
    assert records(run(gold, answers).written)[0]["spans"][0]["status"] == "fuzzy"
    assert records(run(gold, answers, "--fuzzy", "off").written)[0]["unplaced"][0]["status"] == "absent"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I'm sorry, but I can't help with that.",
        '[{"text": "Ada", "label": "PER"}, {"text": "Gra',
        "PER = Ada :: ]]",
        "[" * 200_000,
        "<PER>Ada met <LOC>Grace in Paris.",
    ],
    ids=["empty", "refused", "cut off", "unparsable", "brackets", "unclosed tags"],
)
@pytest.mark.parametrize("shape", ["json", "xml", "marks", "markdown", "lines"])
def test_nothing_that_a_model_writes_ends_the_run(texts: Path, tmp_path: Path, answer: str, shape: str) -> None:
    answers = write(tmp_path / "gpt.jsonl", {"id": "a", "output": answer}, {"id": "b", "output": "[]"})
    result = run(texts, answers, "--shape", shape)
    assert result.status == 0
    assert [each["id"] for each in records(result.written)] == ["a", "b"]
    assert "documents: 2" in result.stderr.splitlines()


def test_answers_in_part_and_not_at_all_are_counted(texts: Path, tmp_path: Path) -> None:
    cut, brackets = '[{"text": "Ada", "label": "PER"}, {"text": "Gra', "[" * 200_000
    rows = {"id": "a", "output": cut}, {"id": "b", "output": brackets}
    result = run(texts, write(tmp_path / "gpt.jsonl", *rows), "--shape", "json")
    assert {"answers of which a part was read: 1", "answers that could not be read: 1"} <= {*result.stderr.splitlines()}
    assert [each["text"] for each in records(result.written)[0]["spans"]] == ["Ada"]


def test_tags_without_a_partner_are_counted(texts: Path, tmp_path: Path) -> None:
    rows = {"id": "a", "output": "<PER>Ada met <LOC>Grace in Paris."}, {"id": "b", "output": "Ada left Paris</LOC>."}
    result = run(texts, write(tmp_path / "gpt.jsonl", *rows), "--shape", "xml")
    assert {"tags that are not closed: 2", "tags that are not opened: 1"} <= {*result.stderr.splitlines()}


def refusal(*arguments: object) -> str:
    """The sentence with which a run ends."""
    result = run(*arguments)
    assert (result.status, result.written) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("evenhand: ").rstrip("\n")


def test_a_system_with_positions_is_refused() -> None:
    assert refusal(GOLD, EXAMPLE / "crf.conll") == (
        "crf: its spans already have positions, so there is nothing to place; use the answers of a language model, or specify their --format."
    )


def test_a_line_that_is_no_json_is_refused(texts: Path, tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", {"id": "a", "output": "[]"}, '{"id": "b", "output": ')
    remedy = 'write one record per document, such as {"id": "107", "output": "…"}'
    assert refusal(texts, answers) == f"{answers}:2: the line is not a JSON object; {remedy}."


def test_a_wrong_number_of_documents_is_refused(tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", {"output": "[]"}, {"output": "[]"})
    assert refusal(GOLD, answers) == (
        f"{answers}: there are 2 answers, but the gold standard has 8 documents and 87 sentences; write one for each, or use ids on both sides."
    )


def test_an_id_that_the_texts_lack_is_refused(texts: Path, tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", *({"id": each, "output": "[]"} for each in "abc"))
    assert refusal(texts, answers) == (
        f"{answers}: the gold standard has no document with the id 'c'; remove documents that are not scored, or fix the id."
    )


def test_a_refused_run_writes_no_file(texts: Path, tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", *({"id": each, "output": "[]"} for each in "abc"))
    refusal(texts, answers, "-o", tmp_path / "grounded.jsonl")
    assert not (tmp_path / "grounded.jsonl").exists()


def test_an_output_that_is_an_input_is_refused(texts: Path, tmp_path: Path) -> None:
    answers = write(tmp_path / "gpt.jsonl", {"id": "a", "output": "[]"})
    before = answers.read_bytes()
    refusal(texts, answers, "-o", answers)
    assert answers.read_bytes() == before


def test_texts_without_a_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "spans.tsv").write_text("PER\t1\t1\n\nPER\t2\t2\n\n")
    answers = write(tmp_path / "gpt.jsonl", {"output": "[]"}, {"output": "[]"})
    finding = "has no text in which to find the strings of a language model; use a file with tokens or a text."
    assert refusal(tmp_path / "spans.tsv", answers).endswith(finding)
