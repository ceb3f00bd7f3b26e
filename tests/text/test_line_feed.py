"""Lines of a system's text on the gold standard's: missing, extra and spelled otherwise; several files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

LINES = ["Ada left.", "Bob slept.", "Cy ran."]
OPTIONS: Any = {"task": "relations", "sentences": "lines", "match": "strict"}


def write(path: Path, lines: list[str], *, words: int = 2) -> Path:
    """A document with two spans and a relation in every line of several words."""
    path.parent.mkdir(parents=True, exist_ok=True)
    spans, relations, at = [], [], 0
    for number, line in enumerate(lines):
        first, second = line.index(" "), len(line.rstrip("."))
        spans.append(f"T{2 * number}\tA {at} {at + first}\t{line[:first]}\n")
        spans.append(f"T{2 * number + 1}\tB {at + first + 1} {at + second}\t{line[first + 1 : second]}\n")
        relations.append(f"R{number}\tr Arg1:T{2 * number} Arg2:T{2 * number + 1}\n")
        at += len(line) + 1
    path.with_suffix(".txt").write_text("".join(f"{line}\n" for line in lines))
    path.with_suffix(".ann").write_text("".join(spans + relations))
    return path.with_suffix(".ann")


def scored(gold: Path, system: Path) -> tuple[list[float], list[str]]:
    result = eh.score(gold, system, **OPTIONS)
    notes = [note for note in result.notes if "line" in note]
    return [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")], notes


@pytest.mark.parametrize(
    ("lines", "counts", "note"),
    [
        (LINES, [3, 0, 0], None),
        ([LINES[0], LINES[2]], [2, 0, 1], "lacks lines 2; they count as empty"),
        ([*LINES, "Di sang."], [3, 0, 0], "has more lines, which are ignored: 4"),
        ([LINES[1], LINES[0], LINES[2]], [1, 0, 2], "lacks lines 1, 3; they count as empty"),
        (["Ada left!", LINES[1], LINES[2]], None, "1 line is spelled otherwise"),
        (["ADA LEFT.", LINES[1], LINES[2]], [3, 0, 0], "1 line is spelled otherwise"),
    ],
)
def test_lines(tmp_path: Path, lines: list[str], counts: list[float] | None, note: str | None) -> None:
    gold, system = write(tmp_path / "gold" / "doc", LINES), write(tmp_path / "system" / "doc", lines)
    found, notes = scored(gold, system)
    assert counts is None or found == counts
    assert note is None or any(note in each for each in notes)


def test_an_extra_line_stops_the_file_but_not_the_next_one(tmp_path: Path) -> None:
    """A line that is not the gold standard's waits for a later one, to the end of its file."""
    for name in ("a", "b"):
        write(tmp_path / "gold" / name, LINES)
    write(tmp_path / "system" / "a", ["Zoe sang.", *LINES])
    write(tmp_path / "system" / "b", LINES)
    found, notes = scored(tmp_path / "gold", tmp_path / "system")
    assert found == [3, 0, 3]
    assert any("lacks lines 1, 2, 3; they count as empty" in note for note in notes)
    assert any("has more lines, which are ignored: 1, 2, 3, 4" in note for note in notes)


def test_offsets_count_as_they_stand_where_a_space_is_another_character(tmp_path: Path) -> None:
    """The gold line has a zero-width space where the system's has a blank: what stands behind is at the same place."""
    gold = write(tmp_path / "gold" / "doc", ["Ada \u200b left.", LINES[1]])
    system = write(tmp_path / "system" / "doc", ["Ada   left.", LINES[1]])
    gold.write_text("T0\tA 0 3\tAda\nT1\tB 6 10\tleft\nR0\tr Arg1:T0 Arg2:T1\n")
    system.write_text("T0\tA 0 3\tAda\nT1\tB 6 10\tleft\nR0\tr Arg1:T0 Arg2:T1\n")
    assert scored(gold, system)[0] == [1, 0, 0]


def test_a_system_without_any_line(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold" / "doc", LINES)
    system = write(tmp_path / "system" / "doc", ["Zoe sang."])
    assert scored(gold, system)[0] == [0, 0, 3]
