"""Tables of HIPE: what they hold, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.structures import links_of
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

HEADER = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNEL-LIT\tNEL-METO\tMISC\n"
Write = Callable[[str], Path]


@pytest.fixture
def table(tmp_path: Path) -> Write:
    """Writes a table under a header; columns are separated by blanks here."""

    def write(text: str, name: str = "table.tsv", header: str = HEADER) -> Path:
        path = tmp_path / name
        path.write_text(header + text.replace(" ", "\t").replace("#\t", "# "), encoding="utf-8")
        return path

    return write


def rows(annotation: Annotation) -> list[tuple[str, int, int, int, tuple[str, ...]]]:
    """Label, sentence, start, end and identifiers of every span."""
    spans = annotation.spans("links")
    return [
        (*row, () if link is None else link.candidates) for row, link in zip(spans.rows(), links_of(spans), strict=True)
    ]


def as_response(path: Path) -> Annotation:
    settings = ReadSettings(side="system", task="links")
    return Annotation.concatenate(list(batches(path, settings, Vocabulary())))


def test_tags_and_identifiers_count_in_capitals(table: Write) -> None:
    path = table("Jane B-pers O q1|Nil _ _\nDoe I-PERS O q1|nil _ _\nleft O O _ _ _\n")
    annotation = eh.read(path)
    assert rows(annotation) == [("PERS", 0, 0, 2, ("Q1", "NIL"))]
    assert annotation.reading.format == "hipe"
    assert annotation.reading.column == "NE-COARSE-LIT+NEL-LIT"


def test_which_tags_begin_a_span(table: Write) -> None:
    """I- and E- of the same type go on; everything else but O begins a span."""
    tags = ("B-x", "I-x", "E-x", "I-y", "I-y", "B-y", "S-y", "O", "I-x", "x", "x", "-", "_")
    path = table("".join(f"w{at} {tag} O Q{at} _ _\n" for at, tag in enumerate(tags)))
    bounds = [(label, start, end) for label, _, start, end, _ in rows(eh.read(path))]
    assert bounds == [
        *(("X", 0, 3), ("Y", 3, 5), ("Y", 5, 6), ("Y", 6, 7), ("_", 7, 8)),
        *(("X", 8, 9), ("X", 9, 10), ("X", 10, 11), ("_", 11, 12), ("_", 12, 13)),
    ]


def test_another_identifier_begins_a_span_in_a_response_only(table: Write) -> None:
    path = table("Bad B-loc O Q9 _ _\nEms I-loc O Q8 _ _\nam I-loc O _ _ _\nRhein I-loc O - _ _\n")
    assert rows(eh.read(path)) == [("LOC", 0, 0, 4, ("Q9",))]
    split = [("LOC", 0, 0, 1, ("Q9",)), ("LOC", 0, 1, 2, ("Q8",)), ("LOC", 0, 2, 4, ())]
    assert rows(as_response(path)) == split


def test_a_token_outside_with_an_identifier_is_a_span(table: Write) -> None:
    assert rows(eh.read(table("Rom O O Q220 _ _\nRom O O Q220 _ _\n"))) == [
        ("_", 0, 0, 1, ("Q220",)),
        ("_", 0, 1, 2, ("Q220",)),
    ]


def test_documents_sentences_and_skipped_lines(table: Write) -> None:
    path = table(
        "# hipe2022:document_id = a\n# hipe2022:date = x\nOne O O _ _ EndOfSentence\n\n#Two O O _ _ _\n O O _ _ _\n"
        "Three B-x O Q3 _ NoSpaceAfter|EndOfSentence\nFour I-x O Q3 _ _\n# hipe2022:document_id = b\n"
        "# document_id = c\nFive O O _ _ _\n"
    )
    annotation = eh.read(path)
    corpus = annotation.corpus
    assert corpus.names == ("a", "b", "c")
    assert corpus.tokens is not None
    assert corpus.tokens.texts(0, 4) == ["One", "Three", "Four", "Five"]
    assert corpus.bounds is not None
    assert corpus.bounds.tolist() == [0, 1, 3, 3, 4]
    assert corpus.documents.tolist() == [0, 2, 3]
    assert [corpus.line(token) for token in range(4)] == [4, 8, 9, 12]


def test_columns_by_name_or_number(table: Write) -> None:
    path = table("Bern B-loc B-org Q70 Q39 _\n")
    assert rows(eh.read(path, column=["NE-COARSE-METO", "NEL-METO"])) == [("ORG", 0, 0, 1, ("Q39",))]
    assert rows(eh.read(path, column=[3, -2])) == [("ORG", 0, 0, 1, ("Q39",))]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            "NEL-LIT",
            "1: expected one column of tags and one of links, got 1; specify two, such as --column NE-COARSE-LIT,NEL-LIT",
        ),
        (
            ["NE-COARSE-LIT", "NEL"],
            "1: column 'NEL' does not exist; specify one of these with --column: TOKEN, NE-COARSE-LIT",
        ),
        ([2, 9], "1: column 9 does not exist; specify one of these"),
    ],
)
def test_columns_that_are_not_there(table: Write, column: str | list[str], message: str) -> None:
    with pytest.raises(eh.InputError, match=f"table.tsv:{message}"):
        eh.read(table("Bern B-loc O Q70 _ _\n"), column=column)


def test_a_line_with_too_few_columns(table: Write) -> None:
    with pytest.raises(eh.InputError, match=r"table.tsv:3: found 2 columns, but NE-COARSE-LIT\+NEL-LIT are up to 4"):
        eh.read(table("Bern B-loc O Q70 _ _\nund O\n"))


def test_a_token_before_the_first_document(table: Write) -> None:
    with pytest.raises(eh.InputError, match=r"table.tsv:2: found a token before the first document; begin each"):
        eh.read(table("Bern B-loc O Q70 _ _\n# document_id = a\nund O O _ _ _\n"))


def test_two_documents_of_one_name(table: Write) -> None:
    with pytest.raises(eh.InputError, match=r"table.tsv:4: the document a already began in line 2"):
        eh.read(table("# document_id = a\nBern O O _ _ _\n# document_id = a\nund O O _ _ _\n"))


GOLD = '# document_id = a\nIn O O _ _ _\nBern B-loc O Q70 _ _\n# document_id = b\n" O O _ _ _\nBad B-loc O Q9 _ _\n'


def test_a_response_without_documents_is_cut_as_the_gold_standard_is(table: Write) -> None:
    response = table('In O O _ _ _\nBern B-loc O Q70 _ _\n" I-loc O Q70 _ _\nBad I-loc O Q70 _ _\n', "system.tsv")
    found = eh.score(table(GOLD), response, match=["mentions", "all"])
    assert [found["mentions"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 1, 1]
    assert found["all"].further["documents"]["recall"]["mean"] == 0.5


def test_files_without_documents_are_cut_as_those_of_the_gold_standard_are(table: Write, tmp_path: Path) -> None:
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for number, words in enumerate((("In", "Bern"), ("Rom",))):
            rows = "".join(f"{word} B-loc O Q{number} _ _\n" for word in words)
            table(f"# document_id = d{number}\n{rows}" if side == "gold" else rows, f"{side}/{number}.tsv")
    found = eh.score(tmp_path / "gold", tmp_path / "system", match="all", task="links")
    assert [found["all"].overall[kind] for kind in ("TP", "FP", "FN")] == [3, 0, 0]
    table("Rom B-loc O Q1 _ _\nund O O _ _ _\n", "system/1.tsv")
    with pytest.raises(eh.InputError, match=r"1.tsv:3: the gold standard ends before this token, with 3 tokens"):
        eh.score(tmp_path / "gold", tmp_path / "system", match="all", task="links")


def test_a_response_without_documents_and_a_gold_standard_without_tokens(table: Write) -> None:
    found = eh.score(eh.links([[("loc", 1, 2, "Q70")]]), table("In O O _ _ _\nBern B-loc O Q70 _ _\n"), match="all")
    assert found["all"].f1 == 1


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ("In O O _ _ _\nBern O O _ _ _\n", "system.tsv:3: the file has 2 tokens, but the gold standard has more"),
        ("x O O _ _ _\n" * 5, "system.tsv:6: the gold standard ends before this token, with 4 tokens"),
        ("# document_id = a\nIn O O _ _ _\n", "system.tsv:3: the document 'a' has 1 token, in the gold standard 2"),
        ("# document_id = x\nIn O O _ _ _\n", "no document of the gold standard is here: the first one is 'x'"),
    ],
)
def test_other_numbers_of_tokens(table: Write, response: str, message: str) -> None:
    with pytest.raises(eh.InputError, match=message):
        eh.score(table(GOLD), table(response, "system.tsv"))


def test_a_missing_document_counts_as_empty(table: Write) -> None:
    found = eh.score(table(GOLD), table('# document_id = b\n" O O _ _ _\nBad B-loc O Q9 _ _\n', "s.tsv"), match="all")
    assert [found["all"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 1]
    assert "system s: lacks documents a; they count as empty." in found.notes


def test_links_that_are_spelled_otherwise_are_wrong_under_strict_bounds_and_noted(table: Write) -> None:
    response = table(GOLD.replace("Bad", '"Bad"').replace('\n" ', '\n"""" '), "system.tsv")
    result = eh.score(table(GOLD), response, match=["hipe", "all"])
    assert [result[model].overall["TP"] for model in ("hipe-strict", "hipe-fuzzy", "all")] == [1, 2, 2]
    assert any(note.startswith("system system: 2 tokens are spelled differently in the gold") for note in result.notes)
    assert (
        "system system: under hipe-strict, 1 link is wrong only because tokens are spelled differently." in result.notes
    )
    with pytest.raises(eh.InputError, match=r"system.tsv:6: found '\"\"\"\"' where the gold standard has '\"'"):
        eh.score(table(GOLD), response, align="strict")


def test_small_blocks_read_the_same(table: Write) -> None:
    path = table("".join(f"# document_id = {at}\nBern B-loc O Q{at} _ _\nund O O _ _ _\n" for at in range(50)))
    whole = Annotation.concatenate(list(batches(path, ReadSettings(), Vocabulary())))
    cut = list(batches(path, ReadSettings(block_size=8), Vocabulary()))
    assert len(cut) > 10
    assert rows(Annotation.concatenate(cut)) == rows(whole)
    assert Annotation.concatenate(cut).corpus.names == whole.corpus.names
