"""Files as people have them: broken, odd or merely different. Each gives the right score or one clear sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.formats.check import check
from evenhand.settings import ReadSettings

GOLD = """Ada\tB-PER
Lovelace\tI-PER
lives\tO
in\tO
London\tB-LOC
.\tO

"\tO
#paris\tB-LOC
"\tO
.\tO

"""
WORDS = ["Ada", "Lovelace", "lives", "in", "London", ".", "", '"', "#paris", '"', ".", ""]


def table(tags: str, separator: str = "\t") -> str:
    """The gold standard's words with other tags."""
    found = iter(tags.split())
    return "".join(f"{word}{separator}{next(found)}\n" if word else "\n" for word in WORDS)


def changed(old: str, new: str) -> bytes:
    assert old in GOLD
    return GOLD.replace(old, new, 1).encode()


Case = tuple[bytes, dict[str, Any], float | str, str]
"""The system's file, options, the exact F1 or a part of the error, and a part of a note (or nothing)."""

SAME: dict[str, Case] = {
    "the same file": (GOLD.encode(), {}, 1.0, "its spans are just those of the gold standard"),
    "CRLF": (GOLD.replace("\n", "\r\n").encode(), {}, 1.0, ""),
    "spaces for tabs": (GOLD.replace("\t", " ").encode(), {}, 1.0, ""),
    "runs of spaces": (GOLD.replace("\t", "    ").encode(), {}, 1.0, ""),
    "spaces and CRLF": (GOLD.replace("\t", "  ").replace("\n", " \r\n").encode(), {}, 1.0, ""),
    "a byte order mark": (b"\xef\xbb\xbf" + GOLD.encode(), {}, 1.0, ""),
    "no blank line at the end": (GOLD.rstrip("\n").encode(), {}, 1.0, ""),
    "no line feed at the end": (GOLD[:-2].encode(), {}, 1.0, ""),
    "several blank lines": (GOLD.replace("\n\n", "\n\n\n\n").encode(), {}, 1.0, ""),
    "blank lines at the beginning": (b"\n\n" + GOLD.encode(), {}, 1.0, ""),
    "blank lines of spaces": (GOLD.replace("\n\n", "\n  \n").encode(), {}, 1.0, ""),
    "blank lines of tabs": (GOLD.replace("\n\n", "\n\t\n").encode(), {}, 1.0, ""),
    "spaces at the ends of lines": (GOLD.replace("\tO\n", "\tO  \n").encode(), {}, 1.0, ""),
    "a comment on one side": (b"# id = 7 from somewhere\n" + GOLD.encode(), {}, 1.0, ""),
    "comments between sentences": (GOLD.replace("\n\n", "\n\n# next one here\n").encode(), {}, 1.0, ""),
    "document marks on one side": (b"-DOCSTART-\tO\n\n" + GOLD.encode(), {}, 1.0, ""),
    "bare document marks": (b"-DOCSTART-\n\n" + GOLD.encode(), {}, 1.0, ""),
    "four columns": (GOLD.replace("\t", "\tX\tY\t").encode(), {}, 1.0, ""),
    "tags in the second of three": (
        GOLD.replace("\n", "\tz\n").replace("\n\tz\n", "\n\n").encode(),
        {"column": {"system": 2}},
        1.0,
        "",
    ),
    "IOB1": (table("I-PER I-PER O O I-LOC O O I-LOC O O").encode(), {}, 1.0, ""),
    "IOE1": (table("I-PER I-PER O O I-LOC O O I-LOC O O").encode(), {"encoding": {"system": "ioe1"}}, 1.0, ""),
    "IOE2": (table("I-PER E-PER O O E-LOC O O E-LOC O O").encode(), {}, 1.0, ""),
    "BIOES": (table("B-PER E-PER O O S-LOC O O S-LOC O O").encode(), {}, 1.0, ""),
    "BILOU": (table("B-PER L-PER O O U-LOC O O U-LOC O O").encode(), {}, 1.0, ""),
    "BMES": (table("B-PER E-PER O O S-LOC O O S-LOC O O").encode(), {"encoding": {"system": "bmes"}}, 1.0, ""),
    "IO": (table("I-PER I-PER O O I-LOC O O I-LOC O O").encode(), {"encoding": {"system": "io"}}, 1.0, ""),
    "labels without prefixes": (
        table("PER PER O O LOC O O LOC O O").encode(),
        {"encoding": {"system": "plain"}},
        1.0,
        "",
    ),
    "underscores for hyphens": (table("B_PER I_PER O O B_LOC O O B_LOC O O").encode(), {}, 1.0, ""),
    "underscores for O": (table("B-PER I-PER _ _ B-LOC _ _ B-LOC _ _").encode(), {}, 1.0, ""),
    "empty tags for O": (GOLD.replace("\tO\n", "\t\n").encode(), {}, 1.0, ""),
    "empty cells behind some lines": (
        changed("lives\tO\n", "lives\tO\t\t\n"),
        {},
        1.0,
        "skipped empty cells at the ends of lines (1)",
    ),
    "other sentence breaks": (GOLD.replace(".\tO\n\n", ".\tO\n").encode(), {}, 1.0, "its sentences differ"),
    "a break too many": (changed("in\tO\n", "in\tO\n\n"), {}, 1.0, "its sentences differ"),
    "one tag a line": ("".join(line.split("\t")[-1] + "\n" for line in GOLD.split("\n")[:-1]).encode(), {}, 1.0, ""),
    "a span table": (b"PER\t1\t2\nLOC\t5\t5\n\nLOC\t2\t2\n\n", {}, 1.0, ""),
    "a span table with lists": (b"PER\t1\t2\t1, 2\nLOC\t5\t5\t5\n\nLOC\t2\t2\t2\n", {}, 1.0, ""),
    "a header": (b"TOKEN\tNER\n" + GOLD.encode(), {}, 1.0, ""),
    "a header with names to choose from": (
        b"TOKEN\tNER\tNEL\n" + GOLD.replace("\n", "\t_\n").replace("\n\t_\n", "\n\n").encode(),
        {"column": {"system": "NER"}},
        1.0,
        "",
    ),
    "other tokens, the same text": (
        changed("London\tB-LOC\n", "Lon\tB-LOC\ndon\tI-LOC\n"),
        {"align": "characters"},
        1.0,
        "",
    ),
    "other words by position": (changed("Ada\t", "ADA\t"), {"align": "position"}, 1.0, ""),
    "stacked tags": (changed("London\tB-LOC", "London\tB-LOC|B-LOC"), {}, 2 * 3 / 7, ""),
}
DIFFERENT: dict[str, Case] = {
    "no span at all": (table("O O O O O O O O O O").encode(), {}, 0.0, "has no span at all"),
    "lower-case labels": (
        table("B-PER I-PER O O B-loc O O B-loc O O").encode(),
        {},
        1 / 3,
        "the nearest one there is 'LOC'",
    ),
    "lower-case labels, mapped": (
        table("B-PER I-PER O O B-loc O O B-loc O O").encode(),
        {"map": ["system:loc=LOC"]},
        1.0,
        "",
    ),
    "lower-case prefixes": (table("b-PER i-PER o o b-LOC o o b-LOC o o").encode(), {}, 1.0, ""),
    "I- without B-": (
        table("B-PER I-LOC O O I-LOC O O B-LOC O O").encode(),
        {"encoding": {"system": "iob2"}},
        2 * 2 / 7,
        "2 spans are ill-formed in IOB2",
    ),
    "I- without B-, discarded": (
        table("B-PER I-LOC O O I-LOC O O B-LOC O O").encode(),
        {"encoding": {"system": "iob2"}, "repair": "discard"},
        2 * 1 / 5,
        "and left out",
    ),
    "bare prefixes": (
        table("B I O O B O O B O O").encode(),
        {},
        0.0,
        "none of its labels ('_') occurs in the gold standard ('LOC', 'PER')",
    ),
    "labels with hyphens": (table("B-PER I-PER O O B-geo-loc O O B-geo-loc O O").encode(), {}, 1 / 3, "'geo-loc'"),
}
ERRORS: dict[str, Case] = {
    "empty": (b"", {}, "system.conll: the file is empty", ""),
    "only blank lines": (b"\n\n", {}, "the file has no tokens", ""),
    "a token lost": (
        changed("in\tO\n", ""),
        {},
        "system.conll:4: found the token 'London' where gold.conll:4 has 'in'",
        "",
    ),
    "a token more": (
        changed("in\tO\n", "in\tO\nin\tO\n"),
        {},
        "system.conll:5: found the token 'in' where gold.conll:5 has 'London'",
        "",
    ),
    "a token changed": (
        changed("London", "Londres"),
        {},
        "system.conll:5: found the token 'Londres' where gold.conll:5 has 'London'",
        "",
    ),
    "a token decomposed": (
        changed("Ada", "A\u0308da"),
        {},
        "found the token 'A\u0308da' where gold.conll:1 has 'Ada'",
        "",
    ),
    "cut off": (
        GOLD[: GOLD.index("#paris")].encode(),
        {},
        "system.conll:8: the system ends here, but gold.conll:9 has the token '#paris'",
        "",
    ),
    "cut off in a line": (
        GOLD[: GOLD.index("\tB-LOC")].encode(),
        {},
        "system.conll:5: found 1 column where line 1 has 2",
        "",
    ),
    "something behind the end": (
        GOLD.encode() + b"more\tO\n",
        {},
        "system.conll:13: found the token 'more' behind the end",
        "",
    ),
    "one column more on one line": (
        changed("in\tO", "in\tO\tx"),
        {},
        "system.conll:4: found 3 columns where line 1 has 2",
        "",
    ),
    "one column less on one line": (
        changed("in\tO", "in"),
        {},
        "system.conll:4: found 1 column where line 1 has 2",
        "",
    ),
    "spaces for a tab on one line": (
        changed("in\tO", "in O"),
        {},
        "system.conll:4: found 1 column where line 1 has 2",
        "",
    ),
    "Latin-1": (
        changed("Ada", "Äda").decode().encode("latin-1"),
        {},
        "system.conll:1: the byte 0xc4 is not valid UTF-8",
        "",
    ),
    "UTF-16": (GOLD.encode("utf-16"), {}, "system.conll:1: the file is in UTF-16", ""),
    "a NUL byte": (changed("in\t", "i\0n\t"), {}, "system.conll:4: found a NUL byte", ""),
    "an empty label": (changed("London\tB-LOC", "London\tB-"), {}, "system.conll:5: the tag 'B-' is not a prefix", ""),
    "a tag without prefix among others": (
        changed("London\tB-LOC", "London\tLOC"),
        {},
        "system.conll:5: the tag 'LOC' is not a prefix",
        "",
    ),
    "a digit for O": (changed("in\tO", "in\t0"), {}, "system.conll:4: the tag '0' is not a prefix", ""),
    "an encoding that does not fit": (
        table("B-PER E-PER O O S-LOC O O S-LOC O O").encode(),
        {"encoding": {"system": "iob2"}},
        "system.conll:2: the tag 'E-PER' does not occur in IOB2",
        "",
    ),
    "ill-formed under error": (
        table("B-PER I-PER O O I-LOC O O B-LOC O O").encode(),
        {"repair": "error"},
        "system.conll:5: the span that begins here with 'I-LOC' is ill-formed",
        "",
    ),
    "tags of other lengths": (
        b"O\nO\n\nO\n",
        {},
        "system.conll:1: this sentence has 2 tokens where the one at gold.conll:1 has 6",
        "",
    ),
    "no such column": (GOLD.encode(), {"column": {"system": 3}}, "system.conll:1: there is no column 3", ""),
    "a span beyond its sentence": (
        b"PER\t1\t2\n\nLOC\t2\t9\n\n",
        {},
        "system.conll:3: a span of this sentence ends at token 9",
        "",
    ),
    "a span that ends before it begins": (
        b"PER\t1\t2\nLOC\t5\t4\n",
        {"format": {"system": "spans"}},
        "system.conll:2: 'LOC\\t5\\t4' has no first and last token",
        "",
    ),
    "another text in characters": (
        changed("London", "Londen"),
        {"align": "characters"},
        "system.conll:5: found the text ",
        "",
    ),
    "other lengths by position": (
        changed("in\tO\n", "in\tO\n\n"),
        {"align": "position"},
        "system.conll:1: this sentence has 4 tokens",
        "",
    ),
    "a broken archive": (b"\x1f\x8b\x08\x00broken", {}, "the compressed file is broken", ""),
    "text in an empty archive": (b"BZh9\x17rE8P\x90\x00\x00\x00\x00", {}, "the file is empty", ""),
}
CASES = {**SAME, **DIFFERENT, **ERRORS}


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES)
def test_odd_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    content, options, expected, note = CASES[case]
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    Path("system.conll").write_bytes(content)
    if isinstance(expected, str):
        with pytest.raises(eh.EvenhandError) as error:
            eh.score("gold.conll", "system.conll", **options)
        assert expected in str(error.value)
        assert "\n" not in str(error.value)
        return
    result = eh.score("gold.conll", "system.conll", **options)
    assert result["exact"].f1 == pytest.approx(expected)
    assert note in " ".join(result.notes)


def test_a_file_without_sentences_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "empty.tsv"
    path.write_text("-DOCSTART-\tX\tO\tO\n")
    (problem,) = check(path, ReadSettings(format="germeval")).problems
    assert problem.finding == "the file has no sentences"
