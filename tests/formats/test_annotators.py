"""Files with several annotators: who is picked, what is refused, which answers count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main


def record(who: str, text: str, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    found = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return {"text": text, "spans": found, "annotator": who, **more}


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """Ana answers the first document twice, and Ben knows documents in another order."""
    return write(
        tmp_path / "both.jsonl",
        record("ana", "Ada ran", (0, 3, "LOC"), id=1),
        record("ben", "Bo sat", (0, 2, "PER"), id=2),
        record("ana", "Ada ran", (0, 3, "PER"), id=1),
        record("ana", "Bo sat", id=2),
        record("ben", "Ada ran", (0, 3, "PER"), id=1),
    )


def test_one_annotator_is_read(both: Path) -> None:
    ana = eh.read(both, annotator="annotator=ana")
    assert ana.spans().rows() == [("PER", 0, 0, 3)]
    assert ana.corpus.sentences == 2
    assert ana.reading.skipped == {"answers that were given again": 1}


def test_the_last_answer_counts_and_that_is_said(both: Path) -> None:
    found = eh.agree(both)
    assert found.annotators == ("ana", "ben")
    assert [(each.name, each.exact) for each in found.documents.values()] == [("1", 1.0), ("2", 0.0)]
    assert "left out of ana: 1 answers that were given again." in found.notes


def test_sides_of_a_score_are_picked(both: Path) -> None:
    picked = {"gold": "annotator=ana", "system": "annotator=ben"}
    assert eh.score(both, both, annotator=picked)["exact"].precision == 0.5
    assert "|gold:jsonl/annotator-ana|system:jsonl/annotator-ben|" in eh.score(both, both, annotator=picked).signature
    arguments = ["score", both, both, "--annotator", "gold:annotator=ana", "--annotator", "system:annotator=ben"]
    result = CliRunner().invoke(main, [*map(str, arguments), "--match", "exact", "--as", "value"])
    assert (result.exit_code, result.stdout) == (0, f"{2 / 3}\n")


def test_the_field_may_have_any_name(tmp_path: Path) -> None:
    records = [{**record("x", "Ada ran", (0, 3, "PER")), "who": who} for who in "ab"]
    found = eh.agree(write(tmp_path / "all.jsonl", *records), annotator="who")
    assert found.annotators == ("a", "b")
    assert found.alpha == 1


def test_documents_without_ids_are_known_by_their_texts(tmp_path: Path) -> None:
    records = [record("a", "Ada", (0, 3, "X")), record("b", "Bo"), record("b", "Ada"), record("a", "Bo")]
    assert eh.agree(write(tmp_path / "all.jsonl", *records)).coverage.by_number == {"1": 0, "2": 2}


@pytest.mark.parametrize("command", [["score"], ["compare", "--resamples", "0"], ["check"], ["rank"]])
def test_commands_refuse_files_with_several_annotators_and_name_them(both: Path, command: list[str]) -> None:
    result = CliRunner().invoke(main, [command[0], *[str(both)] * 3, *command[1:]])
    assert result.exit_code in (1, 2)
    assert "has records of 2 annotators (annotator: ana, ben)" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("picked", "message"),
    [
        ("annotator=eva", "there is no annotator 'eva', only ana, ben; pick one of these."),
        ("user=ana", "no record has the field 'user', which is to name its annotator"),
        ("ana", "annotator is 'ana'; give FIELD=NAME, such as annotator=ana."),
    ],
)
def test_who_is_not_there_cannot_be_picked(both: Path, picked: str, message: str) -> None:
    with pytest.raises(eh.EvenhandError, match=message.replace(".", r"\.")):
        eh.read(both, annotator=picked)


def test_a_file_of_one_annotator_is_read_as_ever(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", record("ana", "Ada ran", (0, 3, "PER"), id=1))
    assert eh.score(one, one)["exact"].f1 == 1
    with pytest.raises(eh.InputError, match="has one annotator only, ana"):
        eh.agree(one)


def test_formats_without_annotators_have_none_to_pick(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada B-PER\n")
    with pytest.raises(eh.InputError, match="read as conll, which names no annotators"):
        eh.read(tmp_path / "a.conll", annotator="annotator=ana")
    with pytest.raises(eh.SettingError, match="two annotators at least"):
        eh.agree(tmp_path / "a.conll")


def test_a_folder_of_documents_has_no_annotators(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("Ada")
        (tmp_path / f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    with pytest.raises(eh.InputError, match="neither a folder nor a file for each annotator"):
        eh.agree(tmp_path)
