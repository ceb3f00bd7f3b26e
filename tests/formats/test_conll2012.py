"""CoNLL-2011 and CoNLL-2012: documents and their names, columns, and what a file may look like."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation

Read = Callable[..., Annotation]
BEGIN, END = "#begin document (a); part 000\n", "#end document\n"
TWELVE = "{0}\t0\t{1}\t{2}\t{3}\t(TOP*)\tlemma\t-\t-\tada\t*\t{4}"
TOKENS = [("Ada", "NNP", "(1"), ("Li", "NNP", "1)"), ("said", "VBD", "-"), ("she", "PRP", "(1)")]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(text: str | bytes, name: str = "file.conll", **options: object) -> Annotation:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return eh.read(path, **options)

    return read


def chains(annotation: Annotation) -> list[list[list[tuple[int, int]]]]:
    return annotation.chains().clusters(len(annotation.corpus.names))


def words(annotation: Annotation) -> list[str] | None:
    tokens = annotation.corpus.tokens
    return None if tokens is None else [tokens[place] for place in range(len(tokens))]


def pos(annotation: Annotation) -> list[str] | None:
    return annotation["pos"].to_list() if "pos" in annotation.layers else None  # type: ignore[union-attr]


def test_a_document_of_twelve_columns(read: Read) -> None:
    lines = [TWELVE.format("a", number, *token) for number, token in enumerate(TOKENS)]
    found = read(f"{BEGIN}{lines[0]}\n{lines[1]}\n\n{lines[2]}\n{lines[3]}\n\n{END}")
    assert found.corpus.names == ("a_0",)
    assert found.corpus.bounds is not None
    assert found.corpus.bounds.tolist() == [0, 2, 4]
    assert (words(found), pos(found)) == (["Ada", "Li", "said", "she"], ["NNP", "NNP", "VBD", "PRP"])
    assert chains(found) == [[[(0, 2), (3, 4)]]]
    assert found.reading.format == "conll2012"
    assert [found.corpus.line(token) for token in range(4)] == [2, 3, 5, 6]


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        ("(bc/cctv/00/cctv_0000); part 000", "bc/cctv/00/cctv_0000_0"),
        ("(bc/cctv/00/cctv_0000); part 012", "bc/cctv/00/cctv_0000_12"),
        ("(LuoTestCase);", "LuoTestCase"),
        ("(LuoTestCase); ", "LuoTestCase"),
        ("(name)", "name"),
        ("(two words); part 1", "two words_1"),
        ("name", "name"),
        ("name;", "name"),
        ("name; part 3", "name_3"),
        ("name part 3", "name_3"),
        ("name; part 003;", "name_3"),
        ("  name\t", "name"),
        ("38_1ecbplus.xml", "38_1ecbplus.xml"),
    ],
)
def test_names(read: Read, mark: str, name: str) -> None:
    assert read(f"#begin document {mark}\na 0 0 x -\n{END}").corpus.names == (name,)


def test_parts_are_documents_of_their_own(read: Read) -> None:
    found = read(f"{BEGIN}a 0 0 x (1)\n{END}#begin document (a); part 001\na 1 0 y (1\na 1 1 z 1)\n{END}")
    assert found.corpus.names == ("a_0", "a_1")
    assert chains(found) == [[[(0, 1)]], [[(0, 2)]]]
    assert len(set(found.chains().chain.tolist())) == 2


COLUMNS: dict[str, tuple[list[str], list[str] | None, list[str] | None]] = {
    "two": (["x (1", "y 1)"], None, None),
    "three, names first": (["a x (1", "a y 1)"], ["x", "y"], None),
    "three, numbers first": (["1 x (1", "2 y 1)"], ["x", "y"], None),
    "four": (["a 0 x (1", "a 1 y 1)"], ["x", "y"], None),
    "five": (["a 0 0 x (1", "a 0 1 y 1)"], ["x", "y"], None),
    "six, a number more before the word": (["a 0 0 0 x (1", "a 0 0 1 y 1)"], ["x", "y"], None),
    "eight, as those of ECB+": (
        ["38 38_1 38_1.xml 0 7 x True (1", "38 38_1 38_1.xml 0 8 y False 1)"],
        ["x", "y"],
        None,
    ),
    "eight, as those of the first topic of ECB+": (
        ["1 1_1 1_1.xml 0 7 x True (1", "1 1_1 1_1.xml 0 8 y False 1)"],
        ["x", "y"],
        None,
    ),
    "five, of a document called 1": (["1 0 0 x (1", "1 0 1 y 1)"], ["x", "y"], None),
    "nine": (["a 0 0 x NN * - - (1", "a 0 1 y NN * - - 1)"], ["x", "y"], None),
    "ten": (["a 0 0 x NN * - - - (1", "a 0 1 y VB * - - - 1)"], ["x", "y"], ["NN", "VB"]),
    "twelve": ([TWELVE.format("a", 0, "x", "NN", "(1"), TWELVE.format("a", 1, "y", "VB", "1)")], ["x", "y"], ["NN", "VB"]),
    "a number that varies": (
        [TWELVE.format("a", 0, "x", "NN", "*\t(V*)\t(1"), "", TWELVE.format("a", 0, "y", "VB", "1)")],
        ["x", "y"],
        ["NN", "VB"],
    ),
    "those of SemEval-2010": (
        ["1\tx\tl\tl\tNN\tNN\tf\tf\t2\t2\ts\ts\t_\t_\t_\t(1", "2\ty\tl\tl\tVB\tVB\tf\tf\t0\t0\ts\ts\t_\t_\t_\t1)"],
        ["x", "y"],
        ["NN", "VB"],
    ),
    "numbers as words, among others": (["a 0 0 1984 (1", "a 0 1 y 1)"], ["1984", "y"], None),
}  # fmt: skip


@pytest.mark.parametrize("number", COLUMNS)
def test_the_number_of_columns(read: Read, number: str) -> None:
    lines, expected_words, expected_pos = COLUMNS[number]
    found = read(BEGIN + "\n".join(lines) + f"\n{END}")
    assert (words(found), pos(found), chains(found)) == (expected_words, expected_pos, [[[(0, 2)]]])


def test_words_are_no_pos(read: Read) -> None:
    """With a column more before the word, the fifth is the word."""
    found = read(f"{BEGIN}a 0 0 0 x NN * - - - (1\na 0 0 1 y VB * - - - 1)\n{END}")
    assert words(found) == ["x", "y"]
    assert pos(found) != ["x", "y"]


def test_columns_that_are_named(read: Read) -> None:
    text = f"{BEGIN}1 2 3 4 5 x NN (9 (1\n1 2 3 4 5 y VB 9) 1)\n{END}"
    found = read(text, column="word=6,pos=7")
    assert (words(found), pos(found), chains(found)) == (["x", "y"], ["NN", "VB"], [[[(0, 2)]]])
    both = read(text.replace("(1", "z").replace("1)", "z"), column=["word=6", "coref=8"])
    assert (words(both), pos(both), chains(both)) == (["x", "y"], None, [[[(0, 2)]]])
    assert chains(read(text, column="coref=-1")) == [[[(0, 2)]]]


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("word=10", "there is no column for word in lines of 9; name another column."),
        ("pos=-1", "there is no column for pos in lines of 9; name another column."),
        ("lemma=2", "'lemma=2' names no column of chains; write word=4, pos=5 or coref=-1."),
        ("word", "'word' names no column of chains; write word=4, pos=5 or coref=-1."),
        ("word=x", "'word=x' names no column of chains; write word=4, pos=5 or coref=-1."),
        ("coref=-2", "The coreference column is the last one (-1), or counted from the first: coref=7."),
        (4, "4 names no column of chains; write word=4, pos=5 or coref=-1."),
    ],
)
def test_columns_that_are_not_there(read: Read, column: str | int, sentence: str) -> None:
    with pytest.raises(eh.EvenhandError) as error:
        read(f"{BEGIN}1 2 3 4 5 x NN (9 (1)\n{END}", column=column)
    assert str(error.value).endswith(sentence)


FILE = f"""{BEGIN}a\t0\t0\tAda\tNNP\t*\t-\t-\t-\t-\t*\t(1
a\t0\t1\tLi\tNNP\t*\t-\t-\t-\t-\t*\t1)

a\t0\t0\tshe\tPRP\t*\t-\t-\t-\t-\t*\t(1)|(2)
{END}#begin document (b); part 000
b\t0\t0\té世\tNN\t*\t-\t-\t-\t-\t*\t(1)
{END}"""
SPELLINGS: dict[str, bytes] = {
    "blanks": FILE.replace("\t", "   ").encode(),
    "blanks before lines": FILE.replace("\t", "  ").replace("\na", "\n  a").replace("\nb", "\n b").encode(),
    "blanks behind lines": FILE.replace("\t", " ").replace("\n", "   \n").encode(),
    "blanks behind tabs": FILE.replace("\n", "  \n").encode(),
    "a tab behind a line": FILE.replace("(1)|(2)\n", "(1)|(2)\t\n").encode(),
    "a tab behind every line": FILE.replace("(1\n", "(1\t\n").replace(")\n", ")\t\n").encode(),
    "tabs in some lines": FILE.replace("\t", " ", 24).encode(),
    "CRLF": FILE.replace("\n", "\r\n").encode(),
    "a byte order mark": b"\xef\xbb\xbf" + FILE.encode(),
    "gzip": gzip.compress(FILE.encode()),
    "no #end document": FILE.replace(END, "").encode(),
    "no line feed at the end": FILE.removesuffix(f"\n{END}").encode(),
    "many blank lines": FILE.replace("\n\n", "\n\n \n\n").replace(END, f"\n{END}\n\n").encode(),
    "a line of separators": FILE.replace("\n\n", f"\n{11 * chr(9)}\n").encode(),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_a_file_make_no_difference(read: Read, spelling: str) -> None:
    plain, other = read(FILE), read(SPELLINGS[spelling], "other.conll")
    for found in (plain, other):
        assert found.corpus.names == ("a_0", "b_0")
        assert found.corpus.bounds is not None
        assert found.corpus.bounds.tolist() == [0, 2, 3, 4]
        assert found.corpus.documents.tolist() == [0, 2]
        assert words(found) == ["Ada", "Li", "she", "é世"]
        assert pos(found) == ["NNP", "NNP", "PRP", "NN"]
        assert chains(found) == [[[(0, 2), (2, 3)], [(2, 3)]], [[(0, 1)]]]


def test_empty_documents(read: Read) -> None:
    empty = "#begin document (e{}); part 000\n{}#end document\n"
    found = read(f"{empty.format(1, '')}{BEGIN}a 0 0 x (1)\n{END}{empty.format(2, chr(10))}")
    assert (found.corpus.names, chains(found)) == (("e1_0", "a_0", "e2_0"), [[], [[(0, 1)]], []])
    assert read(empty.format(1, "")).corpus.token_count == 0


def test_comments_are_no_words(read: Read) -> None:
    assert chains(read(f"{BEGIN}a 0 0 x (1\n# comment\na 0 1 y 1)\n{END}# the end\n")) == [[[(0, 2)]]]


@pytest.mark.parametrize("option", [{"format": "conll2012"}, {"task": "chains"}])
def test_a_file_without_marks_is_one_document(read: Read, option: dict[str, str]) -> None:
    found = read("a 0 0 x (1\n\na 0 1 y 1)\n", **option)
    assert (found.corpus.names, chains(found)) == (("",), [[[(0, 2)]]])


def test_a_format_that_the_content_shows(read: Read) -> None:
    assert read(f"\n# made by hand\n{BEGIN}a 0 0 x -\n").reading.format == "conll2012"
