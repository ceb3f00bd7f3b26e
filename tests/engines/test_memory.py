"""Memory does not grow with the input: peaks of `evenhand score` at two sizes, in fresh processes."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peaks import PEAK

pytestmark = pytest.mark.long

SMALL, LARGE = 500, 3000
"""Numbers of documents with a thousand tokens."""
SCRIPT = f"""
import sys
from evenhand.cli import main

try:
    main(["score", *sys.argv[1:]])
except SystemExit as exit:
    assert not exit.code
{PEAK}
"""
SENTENCE = [f"{word}{number}" for number in range(5) for word in ("the", "committee", "of", "Ada", "met")]
"""Forty of these are a document. Every fifth of its tokens but one begins a span of two tokens in the gold standard."""
SPANS = {"gold": [(3, 5), (8, 10), (13, 15), (18, 20)], "system": [(3, 5), (8, 9), (18, 20)]}


def columns(side: str) -> str:
    tags = ["O"] * len(SENTENCE)
    for start, end in SPANS[side]:
        tags[start:end] = ["B-PER", "I-PER"][: end - start]
    return "".join(f"{word}\t{tag}\n" for word, tag in zip(SENTENCE, tags, strict=True)) + "\n"


def json_line(side: str) -> str:
    spans = [{"start": start, "end": end, "label": "PER"} for start, end in SPANS[side]]
    return json.dumps({"tokens": SENTENCE, "spans": spans}) + "\n"


def conllu(side: str) -> str:
    step = {"gold": 1, "system": 2}[side]
    heads = [0, *(max(at - step, 1) for at in range(2, len(SENTENCE) + 1))]
    rows = zip(SENTENCE, heads, strict=True)
    lines = (f"{at}\t{word}\t{word}\tX\tX\t_\t{head}\tdep\t_\t_\n" for at, (word, head) in enumerate(rows, 1))
    return "".join(lines) + "\n"


def conll2012(side: str) -> str:
    cells = ["-"] * len(SENTENCE)
    for chain, (start, end) in enumerate(SPANS[side]):
        cells[start] = f"({chain % 2}"
        cells[end - 1] = f"{chain % 2})" if end - 1 > start else f"({chain % 2})"
    return "".join(f"d\t0\t{at}\t{word}\tNN\t{cells[at]}\n" for at, word in enumerate(SENTENCE)) + "\n"


SENTENCES: dict[str, tuple[str, Callable[[str], str]]] = {
    "columns": ("conll", columns),
    "JSON lines": ("jsonl", json_line),
    "CoNLL-U": ("conllu", conllu),
    "CoNLL-2012": ("conll", conll2012),
}


def documents(layout: str, side: str, count: int) -> Iterator[str]:
    text = SENTENCES[layout][1](side) * 40
    for number in range(count):
        yield f"#begin document (d{number}); part 000\n{text}#end document\n" if layout == "CoNLL-2012" else text


def file(folder: Path, layout: str, side: str, count: int) -> Path:
    path = folder / f"{side}-{count}.{SENTENCES[layout][0]}"
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(documents(layout, side, count))
    return path


def brat(folder: Path, side: str, count: int, sentences: int) -> Path:
    """A folder with documents of this many sentences."""
    path = folder / f"{side}-{count}"
    path.mkdir()
    words, annotations, begin = " ".join(SENTENCE), list[str](), 0
    for _ in range(sentences):
        for start, end in SPANS[side]:
            first = begin + len(" ".join([*SENTENCE[:start], ""]))
            quoted = " ".join(SENTENCE[start:end])
            annotations.append(f"T{len(annotations) + 1}\tPER {first} {first + len(quoted)}\t{quoted}\n")
        begin += len(words) + 1
    for number in range(count):
        (path / f"{number:05}.txt").write_text(f"{words}\n" * sentences, encoding="utf-8")
        (path / f"{number:05}.ann").write_text("".join(annotations), encoding="utf-8")
    return path


def peak(*arguments: object, piped: Path | None = None) -> float:
    """The peak of `evenhand score` in MB."""
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    with (piped or Path("/dev/null")).open("rb") as stream:
        return float(subprocess.run(command, check=True, stdin=stream, capture_output=True).stdout.split()[-1])


@pytest.mark.parametrize("layout", SENTENCES)
def test_files(layout: str, tmp_path: Path) -> None:
    small, large = (
        peak(*(file(tmp_path, layout, side, size) for side in ("gold", "system"))) for size in (SMALL, LARGE)
    )
    assert large < 1.1 * small
    assert large < 120


def test_compressed_columns(tmp_path: Path) -> None:
    peaks = []
    for size in (SMALL, LARGE):
        paths = [tmp_path / f"{side}-{size}.conll.gz" for side in ("gold", "system")]
        for path, side in zip(paths, ("gold", "system"), strict=True):
            path.write_bytes(gzip.compress("".join(documents("columns", side, size)).encode(), 1))
        peaks.append(peak(*paths))
    assert peaks[1] < 1.1 * peaks[0]


def test_columns_from_standard_input(tmp_path: Path) -> None:
    small, large = (
        peak(file(tmp_path, "columns", "gold", size), "-", piped=file(tmp_path, "columns", "system", size))
        for size in (SMALL, LARGE)
    )
    assert large < 1.1 * small


@pytest.mark.parametrize(("sentences", "small", "large"), [(80, 250, 1500), (12, 500, 3000)])
def test_folders_of_brat(sentences: int, small: int, large: int, tmp_path: Path) -> None:
    """Documents of 2,000 and of 300 tokens."""
    peaks = [peak(*(brat(tmp_path, side, size, sentences) for side in ("gold", "system"))) for size in (small, large)]
    assert peaks[1] < 1.1 * peaks[0]


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_eight_systems_take_at_most_twice_the_memory_of_one(tmp_path: Path, size: int) -> None:
    gold, system = (file(tmp_path, "columns", side, size) for side in ("gold", "system"))
    others = [tmp_path / f"system{number}.conll" for number in range(8)]
    for path in others:
        path.hardlink_to(system)
    assert peak(gold, *others) < 2 * peak(gold, system)
