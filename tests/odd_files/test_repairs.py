"""Where ill-formed tags are not repaired, a system is judged by the encoding of its gold standard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.settings import ENCODINGS

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


def test_lists_take_the_repair_of_the_scorer() -> None:
    gold, system = eh.tags([["B-B", "I-B"]]), eh.tags([["I-B", "B-B"]], encoding="iob2", name="system")
    assert eh.score(gold, system).units == 2
    discarded = eh.score(gold, system, repair="discard")
    assert (discarded.units, "|repair:discard|" in discarded.signature) == (1, True)
    with pytest.raises(eh.InputError, match="a span is ill-formed in IOB2: 'I-B' in sentence 1"):
        eh.score(gold, system, repair="error")


def test_a_repair_that_is_named_with_the_tags_is_kept() -> None:
    gold, system = eh.tags([["B-B", "I-B"]]), eh.tags([["I-B", "B-B"]], encoding="iob2", repair="discard")
    result = eh.score(gold, system)
    assert (result.units, "|repair:gold-begin/system-discard|" in result.signature) == (1, True)
    assert "left out (repair: discard" in " ".join(result.notes)
    with pytest.raises(eh.SettingError, match="were made with repair='discard', but repair='error' is given here"):
        eh.score(gold, system, repair="error")


def test_a_file_that_was_read_takes_the_repair_of_the_scorer() -> None:
    gold, system = eh.read("gold.conll"), eh.read("inside.conll")
    result = eh.score(gold, system, repair="discard")
    assert (result["exact"].f1, result.units) == (0.0, 0)
    assert result.notes == eh.score("gold.conll", "inside.conll", repair="discard").notes
    with pytest.raises(eh.InputError, match=r"inside.conll:1: a span is ill-formed in IOB2: 'I-PER' in sentence 1"):
        eh.score(gold, system, repair="error")


PREFIXES = {"bi": "BI", "i": "I", "ie": "IE", "all": "BIES"}
Sentences = list[list[str]]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Sentences, Sentences]:
    """Tags of a gold standard and a system, with prefixes of one encoding or of any, well-formed or not."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    sides = []
    for _ in range(2):
        letters = PREFIXES[draw(st.sampled_from(list(PREFIXES)))]
        tags = ["O", *(f"{letter}-{label}" for letter in letters for label in "XY")]
        sides.append([[draw(st.sampled_from(tags)) for _ in range(length)] for length in lengths])
    return sides[0], sides[1]


def outcome(*sides: object, **options: object) -> tuple[object, ...]:
    """All that a score says of tags, or that it refuses them."""
    try:
        result = eh.score(*sides, match=["exact", "fair"], **options)
    except eh.EvenhandError:
        return ("refused",)
    readings = [(each.encoding, each.looks_like, each.repaired) for each in (result.gold.reading, result.reading)]
    signature = [part for part in result.signature.split("|") if part.startswith("repair:")]
    scores = [result[name].overall for name in ("exact", "fair")]
    return (str(scores), result.gold.units, result.units, readings, signature)


@settings(max_examples=150)
@given(sentences(), st.sampled_from(["begin", "discard", "error"]), st.sampled_from([None, *ENCODINGS[:-1]]))
def test_files_and_lists_agree_under_all_repairs_and_encodings(
    tmp_path_factory: pytest.TempPathFactory, text: tuple[Sentences, Sentences], repair: str, encoding: str | None
) -> None:
    """Files, files that were read before, and lists, with the repair given here or there."""
    folder = tmp_path_factory.mktemp("repairs")
    paths = []
    for name, side in zip(("gold", "system"), text, strict=True):
        paths.append(folder / f"{name}.conll")
        paths[-1].write_text("".join("".join(f"w\t{tag}\n" for tag in tags) + "\n" for tags in side))
    files = outcome(*paths, repair=repair, encoding=encoding)

    def built(make: Callable[[int], object]) -> tuple[object, ...]:
        try:
            return outcome(make(0), make(1), repair=repair)
        except eh.EvenhandError:
            return ("refused",)

    def tagged(side: int, **named: object) -> eh.Annotation:
        return eh.tags(text[side], encoding=encoding, **named)

    assert built(tagged) == files
    assert built(partial(tagged, repair=repair)) == files
    assert built(lambda side: eh.read(paths[side], encoding=encoding)) == files
    assert built(lambda side: eh.read(paths[side], encoding=encoding, repair=repair)) == files
