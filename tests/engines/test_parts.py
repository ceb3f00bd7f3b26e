"""How work is divided, and what is not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from build_chains import columns
from divided import Divided, check_same, write
from evenhand.formats.paths import FileList
from evenhand.pipeline.inputs import prepare
from evenhand.pipeline.partition import parts
from evenhand.pipeline.run import Job

SENTENCES = [line for number in range(20) for line in (f"w{number} B-X", "v O", "")]


def work_on(gold: Any, systems: Any, **options: Any) -> Job:
    prepared = prepare(gold, systems, options)
    return Job(gold, systems, prepared, prepared.settings.match, "total")


def divided(gold: Any, system: Any, jobs: int = 1, smallest: int = 1, **options: Any) -> list[Job]:
    return list(parts(work_on(gold, {"system": system}, **options), jobs, smallest))


def files(part: Job) -> list[str]:
    assert isinstance(part.gold, FileList)
    return [file.name for file in part.gold.files]


def pair(folder: Path, lines: list[str] = SENTENCES) -> tuple[Path, Path]:
    return write(folder, "gold.conll", lines), write(folder, "system.conll", lines)


def test_parts_follow_each_other_and_become_smaller(tmp_path: Path) -> None:
    gold, system = pair(tmp_path, SENTENCES * 20)
    found = divided(gold, system)
    for side in ("gold", "system"):
        sides = [part.gold if side == "gold" else (part.systems or {})["system"] for part in found]
        parts = [each.part for each in sides if isinstance(each, FileList) and each.part is not None]
        assert len(parts) == len(found)
        assert [each.start for each in parts[1:]] == [each.end for each in parts[:-1]]
        assert parts[0].start == 0
        assert parts[-1].end == gold.stat().st_size
        sizes = [each.end - each.start for each in parts]
        assert sizes[:-1] == sorted(sizes[:-1], reverse=True)
        assert sizes[0] < gold.stat().st_size / 3


def test_small_work_is_not_divided(tmp_path: Path) -> None:
    gold, system = pair(tmp_path)
    assert len(divided(gold, system, smallest=10_000)) == 1
    assert len(divided(gold, system)) > 4


def folders(folder: Path, names: dict[str, int], others: dict[str, int] | None = None) -> tuple[Path, Path]:
    """Two folders with files of so many sentences."""
    for side, sizes in (("gold", names), ("system", names if others is None else others)):
        (folder / side).mkdir()
        for name, size in sizes.items():
            write(folder / side, name, SENTENCES * size)
    return folder / "gold", folder / "system"


def test_small_files_are_put_together(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {f"{number}.conll": 1 for number in range(32)})
    found = divided(gold, system)
    assert [len(files(part)) for part in found][:4] == [8, 6, 4, 3]
    engine = check_same(gold, system, 1, groups="document")
    assert engine.parts == len(found)


def test_a_large_file_among_small_ones_is_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 1, "b.conll": 1, "c.conll": 40, "d.conll": 1})
    found = [files(part) for part in divided(gold, system)]
    assert found[0] == ["a.conll", "b.conll"]
    assert len(found) > 7
    assert found[-1] == ["d.conll"]
    assert not check_same(gold, system, 1, groups="document").whole


def test_lists_of_files_are_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 3, "b.conll": 3})
    lists = [FileList("list", (folder / "a.conll", folder / "b.conll")) for folder in (gold, system)]
    assert check_same(lists[0], {"s": lists[1]}, 1).parts > 2


def test_folders_with_other_names_are_not_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 3}, {"b.conll": 3})
    assert len(divided(gold, system)) == 1


def test_what_cannot_be_divided(tmp_path: Path) -> None:
    gold, _ = pair(tmp_path)
    packed = tmp_path / "system.conll.gz"
    packed.write_bytes(gzip.compress(gold.read_bytes()))
    brackets = write(tmp_path, "trees.mrg", ["(S (NP (NN a)) (VP (VB b)))"] * 50)
    for system in (packed, eh.read(gold), Path("-")):
        assert len(divided(gold, system)) == 1
    assert len(divided(brackets, brackets, task="spans")) == 1


def test_documents_of_chains_stay_whole(tmp_path: Path) -> None:
    text = columns([["(1", "-", "1)", "-", "(1)", "-"]] * 20)
    key = write(tmp_path, "key.conll", text.splitlines())
    assert 1 < len(divided(key, key)) <= 20
    assert not check_same(key, key, 1000).whole


@pytest.mark.parametrize("change", ["missing", "renamed", "last"])
def test_documents_that_one_side_has_not(tmp_path: Path, change: str) -> None:
    """Their counterparts may be anywhere, so that all is one work."""
    documents = [["(1", "-", "1)", "-", "(1)", "-"]] * 20
    names = [f"d{number}" for number in range(20)]
    others = {"missing": [*names[:9], *names[10:]], "renamed": [*names[:9], "x", *names[10:]], "last": names[:-1]}[
        change
    ]
    key = write(tmp_path, "key.conll", columns(documents, names=names).splitlines())
    response = write(tmp_path, "response.conll", columns(documents[: len(others)], names=others).splitlines())
    assert check_same(key, response, 1000).whole


def test_json_documents_without_names_are_one_work(tmp_path: Path) -> None:
    """They are numbered, from the first line on."""
    record = json.dumps({"sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]})
    key = write(tmp_path, "key.jsonl", [record] * 20)
    assert check_same(key, key, 1000).whole


def test_corefud(tmp_path: Path) -> None:
    def document(name: str, fields: str = "eid-etype") -> list[str]:
        entity = {"eid-etype": ("(e1-x", "e1)"), "etype-eid": ("(x-e1", "e1)")}[fields]
        rows = [
            [str(at + 1), f"w{at}", "_", "NOUN", "_", "_", "_", "_", "_", f"Entity={entity[at]}"] for at in range(2)
        ]
        return [f"# newdoc id = {name}", *map("\t".join, rows), ""]

    for fields, is_divided in (("eid-etype", True), ("etype-eid", False)):
        lines = [line for number in range(9) for line in document(f"d{number}", fields)]
        lines.insert(1, f"# global.Entity = {fields}")
        key = write(tmp_path, f"{fields}.conllu", lines)
        engine = check_same(key, key, 1000)
        assert engine.whole is not is_divided


def test_a_file_scored_against_itself_is_refused(tmp_path: Path) -> None:
    """The parts themselves show no single file, only all of them together."""
    gold = write(tmp_path, "gold.conll", ["a B-X", "b O", ""] * 20)
    engine = Divided(1000)
    with pytest.raises(eh.InputError, match=r"gold\.conll: gold standard and system are the same layer of one file"):
        eh.score(gold, gold, engine=engine)
    assert engine.parts > 1


def test_germeval_with_separate_levels(tmp_path: Path) -> None:
    """A stack in one column moves the levels of the next, from there on."""
    lines = ["1\ta\tB-PER\tB-LOC", "2\tb\tO\tI-LOC", ""] * 20
    gold = write(tmp_path, "gold.tsv", lines)
    system = write(tmp_path, "system.tsv", lines)
    engine = check_same(gold, system, 1000, levels="separate")
    assert not engine.whole
    lines = [*lines, "1\ta\tB-PER|B-LOC\tB-ORG", "", *lines]
    stacked = [write(tmp_path, f"stacked-{side}.tsv", lines) for side in ("gold", "system")]
    assert check_same(*stacked, 1000, levels="separate").whole


TAGGED = {"tokens": ["a", "b"], "tags": ["B-X", "O"]}
SPANS = {"tokens": ["a", "b"], "spans": [{"start": 0, "end": 1, "label": "X"}]}
RAW = {"text": "a b", "spans": [{"start": 0, "end": 1, "label": "X"}]}
PLAIN = {"doc_key": "d", "tokens": ["a", "b"], "clusters": [[[0, 0], [1, 1]]]}
WITH_POS = {**PLAIN, "pos": ["NN", "PRP"]}


@pytest.mark.parametrize(
    ("gold", "first", "second", "message"),
    [
        (TAGGED, TAGGED, SPANS, "the record has tokens and spans where the file began with tokens and tags"),
        (RAW, RAW, SPANS, "the record has tokens and spans where the file began with a text"),
        (SPANS, SPANS, RAW, "the record has a text where the file began with tokens and spans"),
        (PLAIN, PLAIN, WITH_POS, "the document has no pos where others have some"),
    ],
)
def test_kinds_of_records_that_change_are_seen(
    tmp_path: Path, gold: dict[str, Any], first: dict[str, Any], second: dict[str, Any], message: str
) -> None:
    """A file has one kind of records, though parts of it could be read for themselves."""

    def lines(*records: dict[str, Any]) -> list[str]:
        every = [record for record in records for _ in range(20)]
        return [
            json.dumps({**each, "doc_key": f"d{place}"} if "doc_key" in each else each)
            for place, each in enumerate(every)
        ]

    key, response = write(tmp_path, "gold.jsonl", lines(gold, gold)), write(tmp_path, "s.jsonl", lines(first, second))
    with pytest.raises(eh.InputError, match=rf"s\.jsonl:21: {message}"):
        eh.score(key, response, engine=Divided(1))
    same = write(tmp_path, "same.jsonl", lines(gold, gold))
    assert not check_same(key, same, 1).whole


def test_encodings_of_files_that_differ(tmp_path: Path) -> None:
    """Whether tags are compared as they stand is told by the first files."""
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for number in range(8):
            bioes = number > 3 and side == "gold"
            write(tmp_path / side, f"{number}.conll", ["a S-X" if bioes else "a B-X", "b O", ""] * 5)
    assert check_same(tmp_path / "gold", tmp_path / "system", 1, match="accuracy").whole
    assert not check_same(tmp_path / "gold", tmp_path / "system", 1, match="exact").whole
