"""A format from outside: it is recognised, read, checked, converted and named in help, as those of Evenhand are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.convert import Conversion
from evenhand.formats.format import FORMATS, Capabilities, Detection, Format, Reader, Writer
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings


def recognise(sample: Block) -> float:
    return float(b'"words"' in sample.data)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    found = json.loads(source.read_whole())
    yield eh.tags([found["marks"]], tokens=[found["words"]], name=source.name)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    words = [word for batch in batches for word in batch.corpus.tokens.texts(0, 9999)]  # type: ignore[union-attr]
    yield json.dumps({"words": words, "marks": ["O"] * len(words)})


OURS = Format(
    "ours",
    "words and marks in one JSON document",
    readers={"spans": Reader(read)},
    writers={"spans": Writer(Capabilities(characters=False, gaps=False, levels=False, documents="none"), write)},
    suffixes=(".ours",),
    detection=Detection(b"{", confidence=recognise),
)


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS.__dict__, "_plugins", {"ours": OURS})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.ours"
    path.write_text('{"words": ["Ada", "left"], "marks": ["B-PER", "O"]}')
    return path


def test_it_is_recognised_and_read(path: Path) -> None:
    assert [row[0] for row in eh.read(path).spans().rows()] == ["PER"]
    assert [row[0] for row in eh.read(path, format="ours").spans().rows()] == ["PER"]
    copy = shutil.copy(path, path.with_name("b.ours"))
    assert eh.score(path, copy)["exact"].overall.counts == {"TP": 1, "FP": 0, "FN": 0}


def test_commands(path: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert "no problems" in run(main, ["check", str(path)]).stdout
    assert run(main, ["convert", str(path), str(tmp_path / "a.conll")]).exit_code == 0
    assert (tmp_path / "a.conll").read_text() == "Ada\tB-PER\nleft\tO\n\n"
    done = run(main, ["convert", str(EXAMPLE / "gold.conll"), str(tmp_path / "b.ours"), "-q"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert len(json.loads((tmp_path / "b.ours").read_text())["words"]) > 1000
    for command in ("score", "convert", "check"):
        assert "words and marks in one JSON document" in run(main, [command, "--help-all"]).stdout


def test_what_it_cannot_carry_is_told(tmp_path: Path) -> None:
    nested = tmp_path / "nested.jsonl"
    nested.write_text('{"text": "Ada left", "spans": [{"start": 1, "end": 3, "label": "X"}]}\n')
    done = CliRunner().invoke(main, ["convert", str(nested), str(tmp_path / "b.ours")])
    finding = "ours cannot represent 1 span beginning or ending inside a token, which would grow"
    assert done.stderr == f"evenhand: {finding}; use --lossy to convert anyway.\n"


def test_it_holds_no_chains(path: Path) -> None:
    with pytest.raises(eh.InputError, match="is read as ours, which has no chains"):
        eh.read(path, task="chains")
