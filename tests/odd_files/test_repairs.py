"""Where ill-formed tags are not repaired, a system is judged by the encoding of its gold standard."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

GOLD = "Ada\tB-PER\nLovelace\tI-PER\nin\tO\nLondon\tB-LOC\n\nParis\tB-LOC\n\n"
INSIDE = GOLD.replace("B-", "I-")
"""Tags with I- alone: well-formed in IOB1, and worse than a file with some B-."""
ENDS = GOLD.replace("I-PER", "E-PER").replace("B-LOC", "S-LOC")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    Path("inside.conll").write_text(INSIDE)
    Path("ends.conll").write_text(ENDS)


def test_a_system_without_b_is_repaired_by_default() -> None:
    result = eh.score("gold.conll", "inside.conll")
    assert (result["exact"].f1, result.reading.encoding, result.reading.looks_like) == (1.0, "iob1", None)


def test_a_system_without_b_loses_its_spans_under_discard() -> None:
    result = eh.score("gold.conll", "inside.conll", repair="discard")
    assert (result["exact"].f1, result.units) == (0.0, 0)
    assert (
        "system inside: its tags look like IOB1 but are judged as IOB2, the gold standard's encoding "
        "(--encoding system:iob1 overrides)." in result.notes
    )


def test_a_system_without_b_is_refused_under_error() -> None:
    with pytest.raises(eh.EvenhandError, match=r"inside.conll:1: the span that begins here with 'I-PER' is ill-formed"):
        eh.score("gold.conll", "inside.conll", repair="error")


def test_the_user_can_name_the_encoding() -> None:
    result = eh.score("gold.conll", "inside.conll", repair="error", encoding={"system": "iob1"})
    assert result["exact"].f1 == 1.0


def test_tags_that_the_gold_standard_cannot_have_keep_their_own_encoding() -> None:
    result = eh.score("gold.conll", "ends.conll", repair="error")
    assert (result["exact"].f1, result.reading.encoding) == (1.0, "bioes")
    assert any(
        "its tags are judged as BIOES, since the gold standard's encoding has no such tags" in note
        for note in result.notes
    ), result.notes


def test_two_columns_of_one_file() -> None:
    rows = zip(GOLD.split("\n"), INSIDE.split("\n"), strict=True)
    lines = [f"{gold}\t{system.split()[1]}" if gold else "" for gold, system in rows]
    Path("both.conll").write_text("\n".join(lines))
    assert eh.score("both.conll")["exact"].f1 == 1.0
    assert eh.score("both.conll", repair="discard")["exact"].f1 == 0.0


def test_each_column_of_one_file_can_have_its_encoding() -> None:
    Path("both.conll").write_text("a\tB-X\tS-X\nb\tO\tO\nc\tB-Y\tB-Y\nd\tI-Y\tE-Y\n\n")
    result = eh.score("both.conll", encoding={"gold": "iob2", "system": "bioes"}, repair="error")
    assert (result.gold.reading.encoding, result.reading.encoding) == ("iob2", "bioes")
    with pytest.raises(eh.EvenhandError, match="the tag 'S-X' does not occur in IOB2, the encoding named"):
        eh.score("both.conll", encoding={"system": "iob2"})
