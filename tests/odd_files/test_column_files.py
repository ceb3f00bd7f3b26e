"""Files as people have them: broken, odd or merely different. Each gives the right score or one clear sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.formats.check import check
from evenhand.settings import ENCODINGS, ReadSettings

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
    "the same file": (GOLD.encode(), {}, 1.0, "its spans are identical to the gold standard's"),
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
    "no span at all": (table("O O O O O O O O O O").encode(), {}, 0.0, "has no spans"),
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
        "system.conll:5: expected 2 columns as in line 1, got 1",
        "",
    ),
    "something behind the end": (
        GOLD.encode() + b"more\tO\n",
        {},
        "system.conll:13: found the token 'more' after the end",
        "",
    ),
    "one column more on one line": (
        changed("in\tO", "in\tO\tx"),
        {},
        "system.conll:4: expected 2 columns as in line 1, got 3",
        "",
    ),
    "one column less on one line": (
        changed("in\tO", "in"),
        {},
        "system.conll:4: expected 2 columns as in line 1, got 1",
        "",
    ),
    "spaces for a tab on one line": (
        changed("in\tO", "in O"),
        {},
        "system.conll:4: expected 2 columns as in line 1, got 1",
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
    "no such column": (GOLD.encode(), {"column": {"system": 3}}, "system.conll:1: column 3 does not exist", ""),
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


# One bad line in an otherwise good file is an error at that line, be it among the first lines or far behin


WORD = "{}\tw\tw\tNOUN\tNN\t_\t{}\t{}\t_\t_"
TEXT = json.dumps({"text": "Ada lives", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
GOOD = {
    "conll": (["Ada\tB-PER", "x\tO", ""], "Ada"),
    "conll with blanks": (["Ada   NNP  B-PER", "x  NN    O", ""], "x NN O O"),
    "conll of tags alone": (["B-PER", "O", ""], "Ada O"),
    "germeval": (["1\tBank\tB-ORG\tO", "2\tTurin\tI-ORG\tB-LOCpart", ""], "2\tTurin\tI-ORG"),
    "spans": (["PER\t1\t2", "LOC\t4\t4", ""], "LOC\t5\t4"),
    "spans with lists of tokens": (["PER\t1\t3\t1, 3", "LOC\t4\t4\t4", ""], "LOC\t5\t6\t5, 7"),
    "spans between blanks": (["PER 1 2", "LOC 4 4", ""], "LOC 4"),
    "jsonl": ([TEXT] * 3, "{"),
    "jsonl with tags": (['{"tokens": ["a", "b"], "tags": ["O", "B-X"]}'] * 3, '{"tokens": ["a", "b"], "tags": ["O"]}'),
    "conllu": (
        [WORD.format(1, 0, "root"), WORD.format(2, 1, "obj"), WORD.format(3, 1, "obj"), ""],
        WORD.format("x", 1, "obj"),
    ),
    "brackets": (["(S (NP (NN a)) (VP (VB b)))"] * 3, "(S (NP a b))"),
}
"""Some good lines of each kind of file, again and again, and a bad one."""


@pytest.mark.parametrize("number", [2, 2000])
@pytest.mark.parametrize("kind", GOOD)
def test_a_bad_line(tmp_path: Path, kind: str, number: int) -> None:
    good, bad = GOOD[kind]
    lines = (good * 3000)[:3000]
    at = number - 1
    lines[at] = bad if lines[at] else bad + "\n"
    path = tmp_path / "file.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(path, path, task="spans" if kind == "brackets" else None)
    assert str(error.value).startswith(f"{path}:{number}: "), error.value


@pytest.mark.parametrize("number", [2, 2000])
def test_a_bad_line_of_brat(tmp_path: Path, number: int) -> None:
    (tmp_path / "d.txt").write_text("Ada " * 3000)
    lines = [f"T{at}\tPER {4 * at} {4 * at + 3}\tAda" for at in range(3000)]
    lines[number - 1] = "T1\tPER 0\tAda"
    (tmp_path / "d.ann").write_text("\n".join(lines) + "\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.read(tmp_path / "d.ann")
    assert str(error.value).startswith(f"{tmp_path / 'd.ann'}:{number}: "), error.value


@pytest.mark.parametrize("number", [2, 2000])
def test_a_bad_record_of_a_list(tmp_path: Path, number: int) -> None:
    records = [TEXT] * 3000
    records[number - 1] = '{"text": 5}'
    path = tmp_path / "list.json"
    path.write_text("[" + ",\n".join(records) + "]\n")
    with pytest.raises(eh.EvenhandError) as error:
        eh.read(path)
    assert str(error.value).startswith(f"{path}:{number}: "), error.value


# Where ill-formed tags are not repaired, a system is judged by the encoding of its gold standard


GOLD_REPAIRS = "Ada\tB-PER\nLovelace\tI-PER\nin\tO\nLondon\tB-LOC\n\nParis\tB-LOC\n\n"
INSIDE = GOLD_REPAIRS.replace("B-", "I-")
"""Tags with I- alone: well-formed in IOB1, and worse than a file with some B-."""
ENDS = GOLD_REPAIRS.replace("I-PER", "E-PER").replace("B-LOC", "S-LOC")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD_REPAIRS)
    Path("inside.conll").write_text(INSIDE)
    Path("ends.conll").write_text(ENDS)


def test_a_system_without_b_is_repaired_by_default() -> None:
    result = eh.score("gold.conll", "inside.conll")
    assert (result["exact"].f1, result.reading.encoding, result.reading.looks_like) == (1.0, "iob1", None)


def test_a_system_without_b_loses_its_spans_under_discard() -> None:
    result = eh.score("gold.conll", "inside.conll", repair="discard")
    assert (result["exact"].f1, result.predicted) == (0.0, 0)
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
    rows = zip(GOLD_REPAIRS.split("\n"), INSIDE.split("\n"), strict=True)
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
    assert eh.score(gold, system).predicted == 2
    discarded = eh.score(gold, system, repair="discard")
    assert (discarded.predicted, "|repair:discard|" in discarded.signature) == (1, True)
    with pytest.raises(eh.InputError, match="a span is ill-formed in IOB2: 'I-B' in sentence 1"):
        eh.score(gold, system, repair="error")


def test_a_repair_that_is_named_with_the_tags_is_kept() -> None:
    gold, system = eh.tags([["B-B", "I-B"]]), eh.tags([["I-B", "B-B"]], encoding="iob2", repair="discard")
    result = eh.score(gold, system)
    assert (result.predicted, "|repair:gold-begin/system-discard|" in result.signature) == (1, True)
    assert "left out (repair: discard" in " ".join(result.notes)
    with pytest.raises(eh.SettingError, match="were made with repair='discard', but here repair='error'"):
        eh.score(gold, system, repair="error")


def test_a_file_that_was_read_takes_the_repair_of_the_scorer() -> None:
    gold, system = eh.read("gold.conll"), eh.read("inside.conll")
    result = eh.score(gold, system, repair="discard")
    assert (result["exact"].f1, result.predicted) == (0.0, 0)
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
    return (str(scores), result.gold.units, result.predicted, readings, signature)


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
