"""brat: offsets, gaps, the quoted text, what is skipped, and writing."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, SettingError
from evenhand.formats import brat, brat_reader
from evenhand.formats.brat import FORMAT, IDENTIFIER, TEXT_BOUND, recognise
from evenhand.formats.brat_reader import PlacedSpans, TextLines, read_many, standoff
from evenhand.formats.convert import Conversion
from evenhand.formats.parsing.json_spans import slices
from evenhand.formats.read import _MIN_CONFIDENCE as SURE
from evenhand.formats.source import Source
from evenhand.settings import Offsets, ReadSettings

TEXT = "Ada Lovelace lived in\nSt James's Square, London.\n"
ANN = "T1\tPER 0 12\tAda Lovelace\nT2\tLOC 22 39\tSt James's Square\nT3\tLOC 41 47\tLondon\n"
MISPLACED = "fix the offsets, or check that this is the annotated text"
LINE = "write identifier, tab, label, start and end with spaces between, tab, quoted text"

Pair = Callable[[str, str], Path]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    def write(text: str, ann: str) -> Path:
        (tmp_path / "doc.txt").write_bytes(text.encode())
        (tmp_path / "doc.ann").write_bytes(ann.encode())
        return tmp_path / "doc.ann"

    return write


def read(path: Path, offsets: Offsets = "codepoints") -> Annotation:
    (found,) = brat_reader.read(Source(path), ReadSettings(offsets=offsets), Vocabulary(), {})
    return found


def words(annotation: Annotation) -> list[tuple[str, str]]:
    """Label and characters of each span."""
    spans, tokens = annotation.spans(), annotation.corpus.tokens
    sets = zip(spans.rows(), spans.token_sets(), strict=True)
    return [(row[0], "".join(tokens[at] for at in sorted(atoms))) for row, atoms in sets]


def sample(path: Path) -> bool:
    return recognise(Source(path).sample(1 << 12)) >= SURE


def test_a_document_is_one_scope_of_characters_without_spaces(pair: Pair) -> None:
    annotation = read(pair(TEXT, ANN))
    assert annotation.spans().rows() == [("PER", 0, 0, 11), ("LOC", 0, 18, 33), ("LOC", 0, 34, 40)]
    assert words(annotation) == [("PER", "AdaLovelace"), ("LOC", "StJames'sSquare"), ("LOC", "London")]
    corpus = annotation.corpus
    assert (corpus.atoms, corpus.sentences, corpus.token_count) == ("characters", 1, 41)
    assert corpus.text(0) == TEXT
    assert annotation.name == "doc"
    assert annotation.readings["spans"].format == "brat"
    assert annotation.readings["spans"].skipped == {}


def test_the_text_may_be_named_instead_of_the_annotations(pair: Pair) -> None:
    path = pair(TEXT, ANN).with_suffix(".txt")
    assert read(path).spans().rows() == read(path.with_suffix(".ann")).spans().rows()
    assert read(path).corpus.source == str(path)


def test_either_file_may_be_compressed(pair: Pair) -> None:
    path = pair(TEXT, ANN)
    text = path.with_suffix(".txt")
    path.with_suffix(".txt.gz").write_bytes(gzip.compress(text.read_bytes()))
    text.unlink()
    assert len(read(path).spans()) == 3
    assert len(read(path.with_suffix(".txt.gz")).spans()) == 3


def test_parts_make_a_span_with_gaps(pair: Pair) -> None:
    annotation = read(pair("North and South America", "T1\tLOC 0 5;16 23\tNorth America\n"))
    assert annotation.spans().rows() == [("LOC", 0, 0, 20)]
    assert words(annotation) == [("LOC", "NorthAmerica")]


def test_parts_may_come_in_any_order(pair: Pair) -> None:
    annotation = read(pair("North and South America", "T1\tLOC 16 23;0 5\tAmerica North\n"))
    assert words(annotation) == [("LOC", "NorthAmerica")]


@pytest.mark.parametrize("offsets", ["0 3;4 12", "0 12", "0 3;3 12", "0 3;3 4;4 12"])
def test_parts_with_only_spaces_between_leave_no_gap(pair: Pair, offsets: str) -> None:
    annotation = read(pair(TEXT, f"T1\tPER {offsets}\tAda Lovelace\n"))
    assert annotation.spans().rows() == [("PER", 0, 0, 11)]
    assert annotation.spans().shape.tolist() == [0]


def test_nested_crossing_and_repeated_spans_are_kept(pair: Pair) -> None:
    ann = "T1\tA 0 3\ta b\nT2\tB 2 5\tb c\nT3\tA 0 5\ta b c\nT4\tA 0 3\ta b\n"
    assert read(pair("a b c", ann)).spans().rows() == [("A", 0, 0, 2), ("B", 0, 1, 3), ("A", 0, 0, 3), ("A", 0, 0, 2)]


@pytest.mark.parametrize("text", ["St\nJames", "St\r\nJames", "St \tJames", "St\u00a0 James"])
def test_line_breaks_and_other_spaces_are_quoted_as_spaces(pair: Pair, text: str) -> None:
    assert words(read(pair(text, f"T1\tLOC 0 {len(text)}\tSt James\n"))) == [("LOC", "StJames")]
    assert words(read(pair(text, f"T1\tLOC 0 {len(text)}\tSt  James\n"))) == [("LOC", "StJames")]


def test_lines_without_spans_are_counted(pair: Pair) -> None:
    others = (
        "R1\tLives Arg1:T1 Arg2:T3\nE1\tMove:T1 To:T3\nA1\tNegated E1\nM1\tNegated E1\nN1\tReference T3 W:Q84\tLondon\n"
        "*\tEquiv T2 T3\n#1\tAnnotatorNotes T1\tsure?\nR2\tIn Arg1:T2 Arg2:T3\n"
    )
    annotation = read(pair(TEXT, ANN + others))
    assert len(annotation.spans()) == 3
    assert annotation.readings["spans"].skipped == {
        "relations": 2,
        "events": 1,
        "attributes": 2,
        "normalizations": 1,
        "equivalences": 1,
        "notes": 1,
    }


@pytest.mark.parametrize("ann", ["", "\n", "\ufeff"])
@pytest.mark.parametrize("text", [TEXT, "", "no line end"])
def test_no_annotations_are_a_document_without_spans(pair: Pair, text: str, ann: str) -> None:
    annotation = read(pair(text, ann))
    assert len(annotation.spans()) == 0
    assert annotation.corpus.sentences == 1
    assert annotation.corpus.text(0) == text


def test_byte_order_marks_crlf_blank_lines_and_a_missing_last_line_end(pair: Pair) -> None:
    annotation = read(pair("\ufeffAda lived", "\ufeffT1\tPER 0 3\tAda\r\n\r\nT2\tACT 4 9\tlived"))
    assert words(annotation) == [("PER", "Ada"), ("ACT", "lived")]


@pytest.mark.parametrize("offsets", ["codepoints", "utf16"])
def test_offsets_may_count_a_byte_order_mark(pair: Pair, offsets: Offsets) -> None:
    """As in MEDDOCAN: only so do the quotations fit. The mark is no atom."""
    counted = "T1\tPER 1 13\tAda Lovelace\nT2\tLOC 23 40\tSt James's Square\nT3\tLOC 42 48\tLondon\n"
    found = eh.read(pair(f"\ufeff{TEXT}", counted), offsets=offsets)
    assert found.spans().rows() == eh.read(pair(TEXT, ANN)).spans().rows()
    assert found.corpus.token_count == eh.read(pair(TEXT, ANN)).corpus.token_count


def test_a_byte_order_mark_helps_no_wrong_offsets(pair: Pair) -> None:
    mixed = "T1\tPER 1 13\tAda Lovelace\nT2\tLOC 22 39\tSt James's Square\n"
    with pytest.raises(InputError, match=r"doc\.ann:1: the text has .da Lovelace. at 1 13, but"):
        eh.read(pair(f"\ufeff{TEXT}", mixed))
    with pytest.raises(InputError, match=r"doc\.ann:1: the text has"):
        eh.read(pair(TEXT, mixed))


def test_code_points_and_utf16_units_differ_behind_an_emoji(pair: Pair) -> None:
    text = "😀 Ada 😀😀 Bob"
    by_points = pair(text, "T1\tPER 2 5\tAda\nT2\tPER 9 12\tBob\nT3\tFUN 6 8\t😀😀\n")
    rows = [("PER", 0, 1, 4), ("PER", 0, 6, 9), ("FUN", 0, 4, 6)]
    assert read(by_points).spans().rows() == rows
    by_units = pair(text, "T1\tPER 3 6\tAda\nT2\tPER 12 15\tBob\nT3\tFUN 7 11\t😀😀\n")
    assert read(by_units, "utf16").spans().rows() == rows


@pytest.mark.parametrize(
    ("text", "line", "offsets", "sentence"),
    [
        (
            "😀 Ada Lovelace",
            "T1\tPER 3 6\tAda",
            "codepoints",
            "the text has 'da' at 3 6, but 'Ada' is quoted; use --offsets utf16, which fits",
        ),
        (
            "😀 Ada",
            "T1\tPER 3 6\tAda",
            "codepoints",
            "the text has 'da' at 3 6, but 'Ada' is quoted; use --offsets utf16, which fits",
        ),
        (
            "😀 Ada",
            "T1\tPER 2 5\tAda",
            "utf16",
            "the text has 'Ad' at 2 5, but 'Ada' is quoted; use --offsets codepoints, which fits",
        ),
        (
            "😀 Ada",
            "T1\tPER 1 3\t😀",
            "utf16",
            f"the text has '\ufffd' at 1 3, but '😀' is quoted; {MISPLACED}",
        ),
        (
            "a\r\nAda Lovelace",
            "T1\tPER 2 5\tAda",
            "codepoints",
            "the text has 'Ad' at 2 5, but 'Ada' is quoted; "
            "save the text with LF instead of CRLF line ends, which fits",
        ),
        (
            "Ada Lovelace",
            "T1\tPER 0 2;4 8\tAda Love",
            "codepoints",
            f"the text has 'Ad Love' at 0 2;4 8, but 'Ada Love' is quoted; {MISPLACED}",
        ),
        (
            "Ada",
            "T1\tPER 1 4\tdax",
            "codepoints",
            f"the text has 'da' at 1 4, but 'dax' is quoted; {MISPLACED}",
        ),
        (
            "Ada",
            "T1\tPER 2 2\t",
            "codepoints",
            "the offsets '2 2' cover nothing; ends are exclusive, so each must be above its start",
        ),
        (
            "Ada",
            "T1\tPER 0 1;3 2\tA",
            "codepoints",
            "the offsets '0 1;3 2' cover nothing; ends are exclusive, so each must be above its start",
        ),
        (
            "Ada",
            "T1\tPER 0 2;1 3\tAd da",
            "codepoints",
            "the parts '0 2;1 3' overlap; list each character of the span once",
        ),
        (
            "Ada  Bob",
            "T1\tPER 3 5\t  ",
            "codepoints",
            "the span [3, 5] 'PER' covers only spaces; fix its offsets, or remove it",
        ),
        ("Ada", "T1\tPER 0\tAda", "codepoints", f"'T1\\tPER 0\\tAda' has no label, offsets and text; {LINE}"),
        ("Ada", "T1\tPER 0 3", "codepoints", f"'T1\\tPER 0 3' has no label, offsets and text; {LINE}"),
        ("Ada", "T1\tPER -1 3\tAda", "codepoints", f"'T1\\tPER -1 3\\tAda' has no label, offsets and text; {LINE}"),
        (
            "Ada",
            "Ada\tPER",
            "codepoints",
            "'Ada\\tPER' is not an annotation of brat; begin each line with an identifier such as T1 and a tab",
        ),
        (
            "Ada",
            "T1 PER 0 3 Ada",
            "codepoints",
            "'T1 PER 0 3 Ada' is not an annotation of brat; begin each line with an identifier such as T1 and a tab",
        ),
    ],
)
def test_bad_lines(pair: Pair, text: str, line: str, offsets: Offsets, sentence: str) -> None:
    path = pair(text, f"#1\tAnnotatorNotes T1\tlook\n{line}\n")
    with pytest.raises(InputError) as error:
        read(path, offsets)
    assert str(error.value) == f"{path}:2: {sentence}."


def test_errors_name_the_annotations_also_where_the_text_was_named(pair: Pair) -> None:
    path = pair("Ada", "T1\tPER 0 2\tAda\n")
    with pytest.raises(InputError) as error:
        read(path.with_suffix(".txt"))
    assert str(error.value) == f"{path}:1: the text has 'Ad' at 0 2, but 'Ada' is quoted; {MISPLACED}."


def test_one_of_the_two_files_is_missing(pair: Pair) -> None:
    path = pair(TEXT, ANN)
    text = path.with_suffix(".txt")
    text.unlink()
    with pytest.raises(InputError) as error:
        read(path)
    both = "put DOC.ann and DOC.txt into the same folder"
    assert str(error.value) == f"{path}: the text doc.txt is not in the same folder; {both}."
    path.rename(text)
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == f"{text}: the annotations doc.ann is not in the same folder; {both}."


def test_files_that_are_no_text(pair: Pair) -> None:
    path = pair(TEXT, ANN)
    path.with_suffix(".txt").write_bytes(b"a\nb\xff")
    with pytest.raises(InputError, match=r"doc.txt:2: the byte 0xff is not valid UTF-8; save the file as UTF-8."):
        read(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (ANN, True),
        ("\n#1\tAnnotatorNotes T1\tsure?\nT1\tPER 0 5;6 9\tAda\n", True),
        ("T1\tPER 0 3\tAda\nbroken\n", True),
        ("R1\tIn Arg1:T2 Arg2:T3\n*\tEquiv T1 T2\n", True),
        ("T1\tPER 0\tAda\n", True),
        ("A1\tB-ROAD\nE40\tB-ROAD\n", False),
        ("#tag\tO\nT1\tB-PER\n", False),
        ("PER\t1\t2\n", False),
        ("Ada Lovelace\n", False),
    ],
)
def test_recognition(tmp_path: Path, content: str, expected: bool) -> None:
    (tmp_path / "x.ann").write_text(content)
    assert sample(tmp_path / "x.ann") == expected


def test_writing_a_text_with_gaps_and_line_breaks(pair: Pair) -> None:
    ann = "T1\tLOC 22 39\tSt James's Square\nT2\tX 0 3;19 24;41 47\tAda in St London\n"
    assert list(brat._documents(read(pair(TEXT, ann)))) == [(TEXT, ann)]


def test_writing_sentences_of_tokens(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text("Ada\tB-PER\nLovelace\tI-PER\nlived\tO\n\nÉire\tB-LOC\n😀\tO\nBob\tB-PER\n\nno\tO\n\n")
    assert list(brat._documents(eh.read(path))) == [
        ("Ada Lovelace lived", "T1\tPER 0 12\tAda Lovelace\n"),
        ("Éire 😀 Bob", "T1\tLOC 0 4\tÉire\nT2\tPER 7 10\tBob\n"),
        ("no", ""),
    ]


def test_what_cannot_be_written() -> None:
    with pytest.raises(SettingError) as no_text:
        Conversion(FORMAT, "spans").fit(eh.spans([[("PER", 0, 1)]]))
    assert str(no_text.value) == "spans has no text, which brat needs; convert to spans instead."
    with pytest.raises(SettingError) as label:
        list(brat._documents(annotated("Ada", [("a person", {0})])))
    sentence = "The label 'a person' cannot be written for brat because brat labels have no spaces; map it to another."
    assert str(label.value) == sentence


def annotated(text: str, spans: list[tuple[str, set[int]]]) -> Annotation:
    """A text whose spans are labels and sets of characters that are no spaces."""
    vocabulary, texts = Vocabulary(), Texts.of([text])
    rows = []
    for label, atoms in spans:
        first, last = min(atoms), max(atoms)
        gaps = tuple(at - first for at in range(first, last) if at not in atoms)
        rows.append((first, last + 1, vocabulary.labels.code(label), vocabulary.shapes.code(gaps)))
    start, end, label, shape = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    layer = Spans.of(vocabulary, np.zeros_like(start), start, end, label, shape=shape)
    corpus = Corpus("text", 1, texts.bounds, texts.tokens, atoms="characters", raw=texts.raw)
    return Annotation(corpus, {"spans": layer})


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    text = draw(st.text(st.sampled_from("ab é😀語 \u00a0\n\r\t"), max_size=30))
    atoms = range(sum(not character.isspace() for character in text))
    sets = st.sets(st.sampled_from(atoms), min_size=1) if atoms else st.nothing()
    spans = st.tuples(st.sampled_from(["PER", "creative-work", "ü"]), sets)
    return annotated(text, draw(st.lists(spans, max_size=5)) if atoms else [])


@given(annotations())
def test_what_is_written_reads_the_same(tmp_path_factory: pytest.TempPathFactory, annotation: Annotation) -> None:
    folder = tmp_path_factory.mktemp("brat")
    ((text, ann),) = brat._documents(annotation)
    (folder / "doc.txt").write_bytes(text.encode())
    (folder / "doc.ann").write_bytes(ann.encode())
    again = read(folder / "doc.ann")
    assert again.corpus.text(0) == text
    assert again.spans().rows() == annotation.spans().rows()
    assert again.spans().token_sets() == annotation.spans().token_sets()


# The lines of brat that are cut all at once have the cells that a pattern finds in each; quotations likewise


SOURCE = Source(Path("doc.ann"))
PIECES = [
    "T",
    "1",
    "22",
    "12345678",
    "123456789",
    "\t",
    " ",
    ";",
    "X",
    "é",
    "\u2028",
    "\r",
    "0 3",
    "#",
    "*",
    "R",
    "Tx1",
]
LINE_BRAT_CELLS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.builds(
        "{}\t{} {}\t{}".format,
        st.sampled_from(["T1", "T23", "T999999999", "Ta1b", "T", "T1;", "#1", "*"]),
        st.sampled_from(["X", "LABEL-of-many", "Ü;x", "a\u00a0b", ""]),
        st.sampled_from(["0 3", "1 3;5 9", "0 1;2 3;4 5", "123456789 1234567890", "0  3", "0 3;", "a 3", "0 1 2"]),
        st.sampled_from(["", "quoted", "with; a\ttab", "人 \r"]),
    ),
)


def cells(line: str) -> tuple[str, str, list[tuple[int, int]], str] | None:
    """Identifier, label, parts and quotation, by the pattern."""
    match = TEXT_BOUND.fullmatch(line)
    if match is None or not re.match(IDENTIFIER, line):
        return None
    identifier, label, offsets, quoted = match.groups()
    return identifier, label, [(int(a), int(b)) for a, b in (part.split(" ") for part in offsets.split(";"))], quoted


@pytest.mark.property
@given(st.lists(LINE_BRAT_CELLS, max_size=6), st.sampled_from(["\n", "\r\n", "\r\r\n"]))
def test_lines_have_the_cells_that_the_pattern_finds(given_lines: list[str], ending: str) -> None:
    content = ending.join(given_lines)
    lines = TextLines.of(content.encode())
    plain = re.sub(r"\r+$", "", content, flags=re.MULTILINE).split("\n")
    rows = np.arange(len(plain))
    assert lines.texts(rows) == plain
    assert lines.are_identified.tolist() == [re.match(IDENTIFIER, line) is not None for line in plain]
    spans = [row for row, line in enumerate(plain) if line.startswith("T") and lines.are_identified[row]]
    bounds = lines.text_bounds(np.array(spans, dtype=np.int64))
    expected = [cells(plain[row]) for row in spans]
    if bounds is None:
        assert any(item is None or ";" in item[0] + item[1] for item in expected)
        return
    parts = list(zip(bounds.start.tolist(), bounds.end.tolist(), strict=True))
    for at, item in enumerate(expected):
        mine = parts[bounds.first[at] : bounds.first[at + 1]]
        assert (bounds.identifiers[at], bounds.names[int(bounds.label[at])], mine, bounds.quoted[at]) == item


@st.composite
def texts_and_lines(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and spans that quote it as it stands, with other spaces, or not at all."""
    text = draw(st.text(st.sampled_from("ab é人𝔸\n\t\u2028"), min_size=1, max_size=24))
    lines = []
    for number in range(draw(st.integers(1, 4))):
        bounds = sorted(draw(st.sets(st.integers(0, len(text) + 1), min_size=2, max_size=6)))
        parts = list(zip(bounds[0::2], bounds[1::2], strict=False))
        parts = draw(st.permutations(parts))
        quoted = " ".join(text[start:end] for start, end in parts)
        quoted = draw(st.sampled_from([quoted, " ".join(quoted.split()), quoted.replace(" ", "x"), quoted[1:], "a b"]))
        quoted = quoted.replace("\n", " ")
        lines.append(f"T{number + 1}\tX {';'.join(f'{start} {end}' for start, end in parts)}\t{quoted}")
    return text, "\n".join(lines)


@pytest.mark.property
@given(st.lists(texts_and_lines(), min_size=1, max_size=3), st.sampled_from(["codepoints", "utf16"]))
def test_quotations_are_those_of_the_text(documents: list[tuple[str, str]], offsets: Offsets) -> None:
    """A span quotes its parts with blanks between, and spaces may be of any kind."""
    spans = standoff(SOURCE, "\n".join(lines for _, lines in documents).encode()).spans
    texts = [text for text, _ in documents]
    text_of = np.repeat(np.arange(len(documents)), [lines.count("\n") + 1 for _, lines in documents])
    placed = PlacedSpans.of(spans, [text.encode() for text in texts], text_of, offsets)
    if len(documents) > 1 and placed.is_outside.any():
        return  # such documents are read one by one
    held = [" ".join(slices(texts[each], spans.parts(row), offsets)) for row, each in enumerate(text_of.tolist())]
    expected = [row for row in range(len(spans)) if held[row].split() != spans.quoted[row].split()]
    assert placed.misquoted() == expected


def test_many_returns_at_the_end_of_a_line_are_no_part_of_it() -> None:
    lines = TextLines.of(b"T1\tX 0 1\ta" + b"\r" * 100_000 + b"\n\r\r\n")
    assert lines.texts(np.arange(3)) == ["T1\tX 0 1\ta", "", ""]


def test_the_first_wrong_line_is_told() -> None:
    with pytest.raises(InputError, match=r"doc\.ann:2: 'T2 x' is not an annotation of brat"):
        standoff(SOURCE, b"T1\tX 0 1\ta\nT2 x\nwhat is this\n")


# Documents of brat that are read together are those that are read one by one, as are their errors


Document = tuple[str, str]
"""The contents of .txt and .ann."""
ADA: Document = ("Ada é\nwrote", "T1\tPER 0 3\tAda\nT2\tACT 6 11\twrote\n#1\tAnnotatorNotes T1\tx\n")
GAPS: Document = ("big 人 and old", "T7\tADJ 0 3;10 13\tbig old\n")
EMPTY: Document = ("", "")
MARKED: Document = ("\ufeffAda", "T1\tPER 1 4\tAda\n")
"""Offsets count the byte order mark."""
BARE: Document = ("no spans here", "")


def written(folder: Path, documents: list[Document]) -> list[Source]:
    for number, (text, lines) in enumerate(documents):
        (folder / f"{number}.txt").write_bytes(text.encode())
        (folder / f"{number}.ann").write_bytes(lines.encode())
    return [Source(folder / f"{number}.ann") for number in range(len(documents))]


def told(annotation: Annotation) -> object:
    """Everything about a document."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    assert corpus.raw is not None
    assert corpus.tokens is not None
    texts = [corpus.text(sentence) for sentence in range(corpus.sentences)]
    return (
        *(annotation.name, corpus.source, corpus.sentences, corpus.atoms, texts, corpus.bounds.tolist()),
        *(
            corpus.raw.tolist(),
            corpus.documents.tolist(),
            list(corpus.lines),
            corpus.names,
            corpus.tokens.texts(0, len(corpus.tokens)),
        ),
        *(spans.rows(), spans.token_sets(), spans.level.tolist(), annotation.readings),
    )


def outcome(annotations: Iterable[Annotation]) -> list[object]:
    """What each document is, up to the first error, and its sentence."""
    items: list[object] = []
    try:
        for each in annotations:
            items.append(told(each))  # noqa: PERF401 (what stands before an error counts)
    except InputError as error:
        items.append(str(error))
    return items


def both(documents: list[Document], settings: ReadSettings) -> tuple[list[object], list[object]]:
    with TemporaryDirectory() as folder:
        sources = written(Path(folder), documents)
        one_by_one = (each for source in sources for each in brat_reader.read(source, settings, Vocabulary(), {}))
        expected = outcome(one_by_one)
        return outcome(read_many(sources, settings, Vocabulary(), {})), expected


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A text and lines that mostly fit it."""
    text = draw(st.text(st.sampled_from("\ufeffab é人𝔸\n\r\t\u2028"), max_size=12))
    is_wrong = draw(st.integers(0, 9)) == 0
    lines = []
    for number in range(draw(st.integers(0, 3))):
        bounds = sorted(draw(st.sets(st.integers(0, len(text) + 2 * is_wrong), max_size=4)))
        parts = list(zip(bounds[0::2], bounds[1::2], strict=False))
        texts = [text[start:end] for start, end in parts]
        if is_wrong or (texts and any(each.strip() for each in texts)):
            quoted = "other" if is_wrong and draw(st.booleans()) else " ".join(" ".join(texts).split())
            lines.append(f"T{number + 1}\tX {';'.join(f'{start} {end}' for start, end in parts)}\t{quoted}")
    lines += draw(st.lists(st.sampled_from(["R1\tof Arg1:T1 Arg2:T2", "", "#1\tNote T1\tx"]), max_size=2))
    lines += draw(st.lists(st.just("no annotation"), max_size=1)) if is_wrong else []
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return text, ending.join(lines) + draw(st.sampled_from(["", ending]))


@pytest.mark.property
@given(st.lists(documents(), max_size=5), st.sampled_from(["codepoints", "utf16"]))
def test_documents_are_the_same_one_by_one(given_documents: list[Document], offsets: str) -> None:
    found, expected = both(given_documents, ReadSettings(offsets=offsets))  # type: ignore[arg-type]
    assert found == expected


@pytest.mark.parametrize(
    "settings",
    [
        ReadSettings(),
        ReadSettings(offsets="utf16"),
        ReadSettings(parameters={"sentences": "lines"}),
        ReadSettings(parameters={"newlines": "one"}),
    ],
)
def test_some_documents(settings: ReadSettings) -> None:
    found, expected = both([ADA, EMPTY, GAPS, MARKED, BARE], settings)
    assert found == expected
    assert len(found) == 5


def test_what_is_skipped_is_counted_in_all(tmp_path: Path) -> None:
    written(tmp_path, [ADA, BARE, ADA])
    assert eh.read(tmp_path).readings["spans"].skipped == {"notes": 2}


def test_what_is_skipped_is_counted_where_it_is(tmp_path: Path) -> None:
    attributes = ("Ada", "T1\tPER 0 3\tAda\nA1\tOld T1\nM2\tFamous T1\n#1\tNote T1\tx")
    sources = written(tmp_path, [BARE, ADA, BARE, attributes])
    found = read_many(sources, ReadSettings(), Vocabulary(), {})
    skipped = [each.readings["spans"].skipped for each in found]
    assert skipped == [{}, {"notes": 1}, {}, {"attributes": 2, "notes": 1}]


def test_an_error_names_its_file_and_line(tmp_path: Path) -> None:
    wrong = ("Ada", "T1\tPER 0 3\tAda\nT2\tPER 0 3\tBob\n")
    written(tmp_path, [ADA, ADA, wrong, ADA])
    with pytest.raises(InputError, match=r"2\.ann:2: the text has 'Ada' at 0 3, but 'Bob' is quoted"):
        eh.read(tmp_path)


def test_documents_before_a_missing_text_are_read(tmp_path: Path) -> None:
    sources = written(tmp_path, [ADA, ADA, ADA])
    (tmp_path / "2.txt").unlink()
    found = outcome(read_many(sources, ReadSettings(), Vocabulary(), {}))
    assert len(found) == 3
    assert "2.txt is not in the same folder" in str(found[2])


def test_large_documents_are_not_held_together(tmp_path: Path) -> None:
    """The first ones are given while the last one is not even there."""
    long = "a" * (1 << 20)
    sources = written(tmp_path, [(long, ""), (long, ""), ADA])
    (tmp_path / "2.txt").unlink()
    stream = read_many(sources, ReadSettings(), Vocabulary(), {})
    assert next(stream).corpus.token_count == len(long)
    (tmp_path / "2.txt").write_text(ADA[0])
    assert [each.name for each in stream] == ["1", "2"]
