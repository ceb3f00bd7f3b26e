"""Reading: each file is recognised once, opened once for that, and read once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import BinaryIO

import pytest

import evenhand as eh
from conftest import EXAMPLE
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.format import Format
from evenhand.formats.read import OpenFiles
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

EXAMPLES = EXAMPLE.parent


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is opened."""
    counts: Counter[str] = Counter()
    opened = Source._opened

    def counted(source: Source) -> BinaryIO:
        counts[source.path.name] += 1
        return opened(source)

    monkeypatch.setattr(Source, "_opened", counted)
    return counts


@pytest.mark.parametrize(
    "path", ["ner/gold.conll", "tags/gold.tsv", "trees/gold.conllu", "chains/gold.conll"], ids=lambda path: path[:4]
)
def test_a_file_is_opened_once_to_recognise_it_and_once_to_read_it(opens: Counter[str], path: str) -> None:
    eh.read(EXAMPLES / path, task="tags" if path.endswith("tsv") else None)
    assert opens == {Path(path).name: 2}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"tokens": ["Ada"], "tags": ["B-PER"]}\n'),
        ("a.json", '[{"text": "Ada", "spans": []}]'),
        ("a.tsv", "PER\t1\t2\n\n"),
        ("a.mrg", "(S (NN a))\n"),
        ("a.txt", '{"doc_key": "a", "sentences": [["He"]], "clusters": []}\n'),
    ],
)
def test_other_formats_are_opened_as_often(tmp_path: Path, opens: Counter[str], name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    eh.read(tmp_path / name)
    assert opens == {name: 2}


def test_a_file_whose_first_tags_come_late_is_opened_once_more(tmp_path: Path, opens: Counter[str]) -> None:
    path = tmp_path / "late.conll"
    path.write_text("word\tO\n\n" * 20_000 + "Ada\tS-PER\n\n")
    assert eh.read(path).reading.encoding == "bioes"
    assert opens == {"late.conll": 3}


def test_files_that_are_opened_can_be_asked_and_read_again(opens: Counter[str]) -> None:
    opened = OpenFiles(EXAMPLES / "trees" / "gold.conllu", ReadSettings())
    assert (opened.first.format.name, opened.first.task, opened.first.confidence) == ("conllu", "trees", 1.0)
    assert opened.first.traits == {"universal", "conllu"}
    assert opens == {"gold.conllu": 1}
    for task in ("trees", "tags"):
        batches = list(opened.read_as(ReadSettings(task=task)).batches(Vocabulary()))
        assert ("trees" in batches[0].layers) == (task == "trees")
    assert opens == {"gold.conllu": 3}


@pytest.mark.parametrize(
    ("path", "traits"), [("ner/gold.conll", set()), ("chains/gold.conll", {"pos"}), ("tags/gold.tsv", set())]
)
def test_traits(path: str, traits: set[str]) -> None:
    assert OpenFiles(EXAMPLES / path, ReadSettings()).first.traits == traits


def test_a_folder_is_recognised_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada\tB-PER\n\n")
    (tmp_path / "b.jsonl").write_text('{"tokens": ["Ada"], "tags": ["B-PER"]}\n')
    opened = OpenFiles(tmp_path, ReadSettings())
    assert [batch.reading.format for batch in opened.batches(Vocabulary())] == ["conll", "jsonl"]
    assert isinstance(opened.first.format, Format)
    assert opened.name == tmp_path.name
