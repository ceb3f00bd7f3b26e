"""Text on a terminal: what is folded, how wide characters are, and what never gets there."""

from __future__ import annotations

from pathlib import Path
from unicodedata import category

import pytest

import evenhand as eh
from evenhand.errors import visible
from evenhand.report import text
from evenhand.tables import TableStyle

FOLDER = Path(eh.__file__).parent / "examples"
NASTY = "\x1b[31mred\x07\x9b2J\u202eabc\u2066x\u2029y\nz\t\udc80"
SPELLED = r"\x1b[31mred\x07\x9b2J\u202eabc\u2066x\u2029y\nz\t\udc80"
LABEL, LABEL_SPELLED = NASTY.removesuffix("\udc80"), SPELLED.removesuffix(r"\udc80")
"""The same without half a character, which no label can have."""
NARROW = TableStyle(width=80)


@pytest.fixture(scope="module")
def comparison() -> eh.Comparison:
    files = [FOLDER / "ner" / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")]
    return eh.compare(FOLDER / "ner" / "gold.conll", files, trials=50, resamples=50)


def printed(subject: eh.Comparison | eh.Results, style: TableStyle) -> list[str]:
    return text.render(subject, style).splitlines()


def test_everything_but_the_signature_fits(comparison: eh.Comparison) -> None:
    *lines, signature = printed(comparison, NARROW)
    assert max(map(len, lines)) <= 80
    assert signature == comparison.signature
    assert max(len(line) for line in printed(comparison, TableStyle())[:-1]) > 80


def test_a_wide_table_becomes_two_with_what_rows_are_about_in_both(comparison: eh.Comparison) -> None:
    lines = printed(comparison, NARROW)
    first, second = (number for number, line in enumerate(lines) if line.startswith("from "))
    assert lines[first].split()[:3] == ["from", "to", "delta"]
    assert lines[second].split()[:2] == ["from", "to"]
    assert [line.split()[0] for line in lines[first + 2 : first + 5]] == ["crf", "crf", "gazetteer"]
    assert [line.split()[0] for line in lines[second + 2 : second + 5]] == ["crf", "crf", "gazetteer"]
    assert {*lines[first].split(), *lines[second].split()} >= {"delta", "corrected", "changed"}
    remark = [line for line in lines if line.startswith("diff.: ")]
    assert len(remark) == 1


def test_nothing_is_folded_without_a_width_or_with_enough_of_it(comparison: eh.Comparison) -> None:
    assert text.render(comparison) == str(comparison)
    assert text.render(comparison, TableStyle(width=1000)) == str(comparison)


def test_a_column_wider_than_the_terminal_stands_alone() -> None:
    sides = eh.spans([[("L" * 100, 0, 1)]]), eh.spans([[("L" * 100, 0, 1)]])
    lines = text.render(eh.Results({"s": eh.score(*sides, match="exact")}), NARROW).splitlines()
    assert any(line.startswith("L" * 100) for line in lines)


@pytest.mark.parametrize(
    ("label", "width"),
    [
        ("人名", 4),
        ("e\u0301", 1),
        ("กำ", 2),
        ("ที่", 1),
        ("\u200bx", 1),
        ("😀", 2),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),
        ("x\ufe0f", 1),
        ("ｱ", 1),
    ],
)
def test_widths(label: str, width: int) -> None:
    """Beside a label of five letters, numbers stand as far to the right as its own width needs."""
    sides = eh.spans([[(label, 0, 1), ("ABCDE", 2, 3)]]), eh.spans([[(label, 0, 1)]])
    lines = str(eh.score(*sides, match="exact")).splitlines()
    wide, narrow = (next(line for line in lines if line.startswith(each)) for each in (label, "ABCDE"))
    assert len(wide) - len(label) + width == len(narrow)


def test_control_characters_are_spelled() -> None:
    assert visible(NASTY) == SPELLED
    assert visible("\u202a\u202b\u202c\u202d\u2067\u2068\u2069\u200e\u200f\u061c") == (
        r"\u202a\u202b\u202c\u202d\u2067\u2068\u2069\u200e\u200f\u061c"
    )
    assert visible("人名 – é 😀 العربية") == "人名 – é 😀 العربية"


def is_safe(shown: str) -> bool:
    return not any(category(char) in ("Cc", "Cs") or char in "\u202e\u2066\u2029" for char in shown.replace("\n", ""))


@pytest.mark.parametrize("style", [TableStyle(), NARROW], ids=["piped", "terminal"])
def test_nothing_from_data_controls_the_terminal(style: TableStyle) -> None:
    """Names of systems and of the gold standard, labels, and notes, which name both."""
    gold = eh.spans([[(LABEL, 0, 1), ("A", 2, 3)]], name=LABEL)
    systems = {NASTY: eh.spans([[(f"{LABEL}2", 0, 1)]]), "b": eh.spans([[]])}
    shown = text.render(eh.score(gold, systems), style)
    assert is_safe(shown)
    assert SPELLED in shown
    compared = eh.compare(gold, systems, trials=20, resamples=20, show="unsolved")
    assert is_safe(text.render(compared, style))
    assert is_safe(text.render(eh.rank(gold, systems, resamples=0), style))


def test_many_labels_of_spans_are_folded() -> None:
    """The fifty most frequent are shown in their order, what sums up stays, and the rest is named."""
    labels = [f"L{number:02}" for number in range(60)]
    spans = [[(label, place, place + 1) for place in range(1 + number)] for number, label in enumerate(labels)]
    shown = str(eh.score(eh.spans(spans), eh.spans(spans), match="exact"))
    assert "The 50 most frequent of 60; --as json has them all." in shown
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("L")]
    assert listed == labels[10:]
    assert "macro average" in shown


def test_fifty_labels_are_not_folded() -> None:
    spans = [[(f"L{number:02}", number, number + 1) for number in range(50)]]
    assert "most frequent" not in str(eh.score(eh.spans(spans), eh.spans(spans), match="exact"))


def test_many_types_of_mentions_are_folded(tmp_path: Path) -> None:
    words = [f"doc 0 {place} w{place} T{place:02} - - - - - - ({place // 2})" for place in range(120)]
    file = tmp_path / "key.conll"
    file.write_text("#begin document (doc); part 000\n" + "\n".join(words) + "\n\n#end document\n")
    shown = str(eh.score(file, file, match="arcs"))
    assert shown.count("The 50 most frequent of 120; --as json has them all.") == 2
