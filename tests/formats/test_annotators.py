"""Files with several annotators: who is picked, what is refused, which answers count."""

from __future__ import annotations

import gzip
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
    agreement = eh.agree(both)
    assert agreement.annotators == ("ana", "ben")
    assert [(each.name, each.exact) for each in agreement.documents.values()] == [("1", 1.0), ("2", 0.0)]
    assert "left out of ana: answers that were given again (1)." in agreement.notes


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


def test_a_file_with_several_annotators_is_not_compared_beside_others(both: Path) -> None:
    result = CliRunner().invoke(
        main, ["agree", str(both), str(write(both.with_name("eva.jsonl"), record("eva", "Ada")))]
    )
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "both.jsonl: has records of 2 annotators (annotator: ana, ben); pass it to evenhand agree alone to compare them, or choose one with --annotator FIELD=NAME.\n"
    )


def test_compressed_files_with_several_annotators_are_refused_too(both: Path) -> None:
    packed = both.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(both.read_bytes()))
    with pytest.raises(eh.InputError, match=r"has records of 2 annotators \(annotator: ana, ben\)"):
        eh.score(packed, packed)


def test_the_first_records_of_standard_input_are_looked_at(both: Path) -> None:
    found = CliRunner().invoke(main, ["score", "-", str(both)], input=both.read_bytes())
    assert found.exit_code == 2
    assert "standard input: has records of 2 annotators (annotator: ana, ben)" in found.stderr


@pytest.mark.parametrize(
    ("picked", "message"),
    [
        ("annotator=eva", "there is no annotator 'eva', only ana, ben; choose one of these."),
        ("user=ana", "no record has the field 'user' for its annotator"),
        ("ana", "annotator is 'ana'; write FIELD=NAME, such as annotator=ana."),
    ],
)
def test_who_is_not_there_cannot_be_picked(both: Path, picked: str, message: str) -> None:
    with pytest.raises(eh.EvenhandError, match=message.replace(".", r"\.")):
        eh.read(both, annotator=picked)


def test_a_file_of_one_annotator_is_read_as_ever(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", record("ana", "Ada ran", (0, 3, "PER"), id=1))
    same = write(tmp_path / "same.jsonl", record("ana", "Ada ran", (0, 3, "PER"), id=1))
    assert eh.score(one, same)["exact"].f1 == 1
    with pytest.raises(eh.InputError, match="has only one annotator, ana"):
        eh.agree(one)


def test_formats_without_annotators_have_none_to_pick(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada B-PER\n")
    with pytest.raises(eh.InputError, match="read as conll, which has no annotators"):
        eh.read(tmp_path / "a.conll", annotator="annotator=ana")
    with pytest.raises(eh.SettingError, match="at least two annotators"):
        eh.agree(tmp_path / "a.conll")


def test_a_folder_of_documents_has_no_annotators(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("Ada")
        (tmp_path / f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    with pytest.raises(eh.InputError, match="neither a folder nor a file for each annotator"):
        eh.agree(tmp_path)


def test_a_read_me_file_in_a_folder_is_no_annotator(tmp_path: Path) -> None:
    for name in ("ana", "ben"):
        write(tmp_path / f"{name}.jsonl", {"text": "Ada ran", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
    (tmp_path / "README.md").write_text("# Two annotators\n")
    (tmp_path / "LICENSE").write_text("Free to use.\n")
    assert eh.agree(tmp_path).annotators == ("ana", "ben")


def test_numbers_for_labels_of_old_doccano_are_refused(tmp_path: Path) -> None:
    marked = [{"label": 4, "start_offset": 0, "end_offset": 3, "user": user} for user in (1, 2)]
    path = write(tmp_path / "old.jsonl", {"id": 1, "text": "Ada ran", "annotations": marked, "meta": {}})
    for command in (["agree", path], ["score", path, path]):
        result = CliRunner().invoke(main, list(map(str, command)))
        assert result.exit_code == 2
        assert result.stderr == (
            f"evenhand: {path}:1: its labels are numbers, as doccano's old JSONL has them, without their names; "
            "export the project as JSONL (text label), with one file per user.\n"
        )


def brat(folder: Path, *names: str) -> None:
    """Documents with the same text and one span each."""
    for name in names:
        path = folder / f"{name}.ann"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("T1\tPER 0 3\tAda\n")
        path.with_suffix(".txt").write_text("Ada ran")


def test_paths_in_folders_of_brat_name_documents(tmp_path: Path) -> None:
    brat(tmp_path / "project" / "ana", "news/a", "news/b", "blogs/a", "top")
    brat(tmp_path / "project" / "ben", "news/b", "blogs/a", "top")
    agreement = eh.agree(tmp_path / "project")
    assert agreement.annotators == ("ana", "ben")
    assert list(agreement.documents) == ["blogs/a", "news/b", "top"]
    assert agreement.coverage.by_annotator == {"ana": 4, "ben": 3}
    target = tmp_path / "gold"
    arguments = ["agree", tmp_path / "project", "--adjudicate", target, "--to", "brat"]
    assert CliRunner().invoke(main, list(map(str, arguments))).exit_code == 0
    assert (target / "news" / "a.ann").read_text() == "T1\tPER 0 3\tAda\n"
    for name, recall in (("ana", 1), ("ben", 0.75)):
        assert eh.score(target, tmp_path / "project" / name)["exact"].recall == recall


def test_folders_of_brat_without_a_common_file_are_refused(tmp_path: Path) -> None:
    brat(tmp_path / "gold", "a")
    brat(tmp_path / "crf", "b")
    with pytest.raises(eh.InputError, match=r"lacks the file 'a\.ann', which .*gold has; both sides must have files"):
        eh.score(tmp_path / "gold", tmp_path / "crf")


def test_files_that_a_folder_of_brat_lacks_count_as_empty(tmp_path: Path) -> None:
    brat(tmp_path / "gold", "a", "b")
    brat(tmp_path / "crf", "b")
    result = eh.score(tmp_path / "gold", tmp_path / "crf")
    assert result["exact"].overall.counts == {"TP": 1, "FP": 0, "FN": 1}
    assert any("lacks documents a.ann" in note for note in result.notes)


def test_files_that_the_gold_standard_lacks_are_refused(tmp_path: Path) -> None:
    brat(tmp_path / "gold", "a", "b")
    brat(tmp_path / "crf", "b", "c")
    with pytest.raises(eh.InputError, match=r"both sides must have files"):
        eh.score(tmp_path / "gold", tmp_path / "crf")


def test_texts_that_name_themselves_are_no_ids(tmp_path: Path) -> None:
    records = [{"text": text, "spans": [{"start": 0, "end": 2, "label": "PER"}]} for text in ("Bo sat", "Cy ran")]
    sides = [write(tmp_path / f"{name}.jsonl", *records) for name in ("ana", "ben")]
    target = tmp_path / "gold.jsonl"
    assert CliRunner().invoke(main, ["agree", *map(str, sides), "--adjudicate", str(target)]).exit_code == 0
    assert [list(json.loads(line)) for line in target.read_text().splitlines()] == [["text", "spans"]] * 2
    assert eh.score(target, sides[1])["exact"].f1 == 1


def test_a_folder_without_annotations_is_no_annotator(tmp_path: Path) -> None:
    brat(tmp_path / "ana", "a")
    brat(tmp_path / "ben", "a")
    brat(tmp_path / "cyd", "a")
    (tmp_path / "cyd" / "a.ann").unlink()
    with pytest.raises(eh.InputError, match=r"cyd: has texts but no annotations \(\.ann\), unlike ana"):
        eh.agree(tmp_path)


def test_users_of_label_studio_without_an_address_have_numbers(tmp_path: Path) -> None:
    def answer(who: Any, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
        values = [{"start": start, "end": end, "labels": [label]} for start, end, label in spans]
        agreement = [{"type": "labels", "from_name": "label", "to_name": "text", "value": value} for value in values]
        return {"completed_by": who, "result": agreement, **more}

    ana, ben = {"id": 7}, {"id": 8, "email": "ben@example.org"}
    first = [answer(ana, (0, 3, "LOC")), answer(ben, (0, 3, "PER")), answer(ana, (0, 3, "PER"))]
    second = [answer(ana, (0, 2, "PER"), was_cancelled=True), answer(ben)]
    tasks = [
        {"id": 1, "data": {"text": "Ada ran"}, "annotations": first, "predictions": [answer(ana)]},
        {"id": 2, "data": {"text": "Bo sat"}, "annotations": second},
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    agreement = eh.agree(tmp_path / "export.json")
    assert agreement.coverage.by_annotator == {"7": 1, "ben@example.org": 2}
    assert agreement.f1["exact"].mean == 1
    assert any(note.startswith("left out of 7: ") and "given again" in note for note in agreement.notes)


@pytest.mark.parametrize("line", [1, 3])
@pytest.mark.parametrize("nobody", [{}, {"annotator": None}, {"annotator": ["a"]}, {"annotator": " "}])
def test_records_that_name_no_annotator_are_refused(tmp_path: Path, line: int, nobody: dict[str, object]) -> None:
    records = [record("a", "Ada"), record("b", "Ada")]
    records.insert(line - 1, {"text": "Bo", "spans": [], **nobody})
    path = write(tmp_path / "all.jsonl", *records)
    with pytest.raises(eh.InputError, match=rf"all\.jsonl:{line}: the record has no annotator \(annotator\)"):
        eh.agree(path)
    with pytest.raises(eh.InputError, match="has records of 2 annotators"):
        eh.score(path, path)


def test_a_field_that_no_record_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(eh.InputError, match="no record has the field 'who'"):
        eh.agree(write(tmp_path / "all.jsonl", record("a", "Ada"), record("b", "Ada")), annotator="who")
