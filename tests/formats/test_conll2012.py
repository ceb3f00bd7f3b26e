"""CoNLL-2011 and CoNLL-2012: documents and their names, columns, and what a file may look like."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_chains
from build_chains import TAGS, brackets, columns
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import Problem
from evenhand.formats.check import check
from evenhand.formats.read import batches, file_batches
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

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
    annotation = read(f"{BEGIN}{lines[0]}\n{lines[1]}\n\n{lines[2]}\n{lines[3]}\n\n{END}")
    assert annotation.corpus.names == ("a_0",)
    assert annotation.corpus.bounds is not None
    assert annotation.corpus.bounds.tolist() == [0, 2, 4]
    assert (words(annotation), pos(annotation)) == (["Ada", "Li", "said", "she"], ["NNP", "NNP", "VBD", "PRP"])
    assert chains(annotation) == [[[(0, 2), (3, 4)]]]
    assert annotation.reading.format == "conll2012"
    assert [annotation.corpus.line(token) for token in range(4)] == [2, 3, 5, 6]


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
    annotation = read(f"{BEGIN}a 0 0 x (1)\n{END}#begin document (a); part 001\na 1 0 y (1\na 1 1 z 1)\n{END}")
    assert annotation.corpus.names == ("a_0", "a_1")
    assert chains(annotation) == [[[(0, 1)]], [[(0, 2)]]]
    assert len(set(annotation.chains().chain.tolist())) == 2


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
        ("word=10", "lines of 9 columns have no column for word; specify another column."),
        ("pos=-1", "lines of 9 columns have no column for pos; specify another column."),
        ("lemma=2", "'lemma=2' is not a column of chains; write word=4, pos=5 or coref=-1."),
        ("word", "'word' is not a column of chains; write word=4, pos=5 or coref=-1."),
        ("word=x", "'word=x' is not a column of chains; write word=4, pos=5 or coref=-1."),
        ("coref=-2", "The coreference column is the last one (-1), or counted from the first: coref=7."),
        (4, "4 is not a column of chains; write word=4, pos=5 or coref=-1."),
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
    for item in (plain, other):
        assert item.corpus.names == ("a_0", "b_0")
        assert item.corpus.bounds is not None
        assert item.corpus.bounds.tolist() == [0, 2, 3, 4]
        assert item.corpus.documents.tolist() == [0, 2]
        assert words(item) == ["Ada", "Li", "she", "é世"]
        assert pos(item) == ["NNP", "NNP", "PRP", "NN"]
        assert chains(item) == [[[(0, 2), (2, 3)], [(2, 3)]], [[(0, 1)]]]


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


# Problems of files in CoNLL-2012: each with its line and one sentence


BEGIN_CONLL2012_PROBLEMS, END_CONLL2012_PROBLEMS = "#begin document (a); part 000\n", "#end document\n"
SECOND = "#begin document (b); part 000\n"
NEVER_CLOSED = "a mention opens here that is never closed in its document; close it."
UNOPENED = "a mention closes here that was not opened in its document; open it before."
BEHIND = "found words after the end of a document; begin a new one with #begin document."
BEFORE = "found words before the first document; begin it with #begin document."
NO_NAME = "the document has no name; write #begin document (name); part 000."
TWICE = "the document a_0 already began in line 1; give every document a different name."
NO_CELL = "is not a coreference annotation; write -, or brackets such as (12, 12) or (12), with bars between them."
CUT = "fix the line (if it is cut off, the file was not written completely)."


def document(*cells: str, begin: str = BEGIN_CONLL2012_PROBLEMS, end: str = END_CONLL2012_PROBLEMS) -> str:
    """Words with these cells, a line each."""
    return begin + "".join(f"a 0 {number} w{number} {cell}\n" for number, cell in enumerate(cells)) + end


LONG = document(*["(1)"] * 1100, end="")
PROBLEMS_CONLL2012_PROBLEMS: dict[str, tuple[str, int, str]] = {
    "never closed": (document("-", "(1", "-"), 3, NEVER_CLOSED),
    "one of two never closed": (document("(1", "(1", "1)"), 2, NEVER_CLOSED),
    "never closed in its document": (document("(1") + document("1)", begin=SECOND), 2, NEVER_CLOSED),
    "never closed at the end of the file": (document("-", "(1", end=""), 3, NEVER_CLOSED),
    "closes unopened": (document("-", "-", "1)"), 4, UNOPENED),
    "closes before it opens": (document("1)", "(1", "1)", "-"), 2, UNOPENED),
    "closes, and opens too late": (document("-", "1)", "(1"), 3, UNOPENED),
    "closes twice": (document("(1", "1)", "1)"), 4, UNOPENED),
    "closes another chain": (document("(1)|2)", "-"), 2, UNOPENED),
    "closes a name with zeros": (document("(1", "01)", "1)"), 3, UNOPENED),
    "words behind the end": (document("(1)") + "a 0 1 x -\na 0 2 y -\n", 4, BEHIND),
    "words between documents": (document("(1)") + "\na 0 1 x -\n" + document("-", begin=SECOND), 5, BEHIND),
    "words behind the end and a comment": (document("(1)") + "# comment\na 0 1 x -\n", 5, BEHIND),
    "words before the first document": ("a 0 0 x -\n" + document("-"), 1, BEFORE),
    "a document twice": (document("-") + document("-"), 4, TWICE),
    "a part twice": (document("-") + document("-", begin="#begin document a; part 0\n"), 4, TWICE),
    "no name": (document("-") + document("-", begin="#begin document\n"), 4, NO_NAME),
    "no name in parentheses": (document("-", begin="#begin document (); part 000\n"), 1, NO_NAME),
    "a part without a name": (document("-", begin="#begin document ; part 000\n"), 1, NO_NAME),
    "too few columns": (LONG + "a 0 (1)\n" + END_CONLL2012_PROBLEMS, 1102, f"expected at least 5 columns, got 3; {CUT}"),
    "a line that was cut": (LONG + "a 0 0 w", 1102, f"expected at least 5 columns, got 4; {CUT}"),
    "too few tabs": (
        LONG.replace(" ", "\t").replace("#begin\t", "#begin ") + "a\t0 0 w\t(1)\n",
        1102,
        f"expected at least 5 columns, got 3; {CUT}",
    ),
    "one column": (f"{BEGIN_CONLL2012_PROBLEMS}x (1)\ny\n{END_CONLL2012_PROBLEMS}", 3, f"expected at least 2 columns, got 1; {CUT}"),
}  # fmt: skip
GARBAGE = ("x", "1", "(", ")", "()", ")(", "((1)", "(1))", "|", "*", "--", "(1)|-", "(1)x", "x(1)", "1|(2)", "(a)b")
PROBLEMS_CONLL2012_PROBLEMS |= {
    f"the cell {cell}": (document("(1)", cell, "-"), 3, f"{cell!r} {NO_CELL}") for cell in GARBAGE
}


def problems(path: Path, settings: ReadSettings) -> list[Problem]:
    """All problems that reading a file meets, by line."""
    all_problems: list[Problem] = []
    for _ in file_batches(Source(path, all_problems), settings, Vocabulary(), {}):
        pass
    return sorted(all_problems, key=lambda problem: problem.line or 0)


def lines(found: Sequence[Problem]) -> list[int | None]:
    return [problem.line for problem in found]


@pytest.mark.parametrize("problem", PROBLEMS_CONLL2012_PROBLEMS)
def test_the_first_problem_is_an_error(tmp_path: Path, problem: str) -> None:
    text, line, sentence = PROBLEMS_CONLL2012_PROBLEMS[problem]
    path = tmp_path / "bad.conll"
    path.write_text(text)
    with pytest.raises(eh.InputError) as error:
        eh.read(path, format="conll2012")
    assert str(error.value) == f"{path}:{line}: {sentence}"


@pytest.mark.parametrize("problem", PROBLEMS_CONLL2012_PROBLEMS)
@pytest.mark.parametrize("side", ["gold", "system"])
def test_scoring_says_the_same(tmp_path: Path, problem: str, side: str) -> None:
    text, line, sentence = PROBLEMS_CONLL2012_PROBLEMS[problem]
    good, bad = tmp_path / "good.conll", tmp_path / "bad.conll"
    bad.write_text(text)
    good.write_text(document(*["-"] * text.count("a 0 ")))
    with pytest.raises(eh.InputError) as error:
        eh.score(*((bad, good) if side == "gold" else (good, bad)), format="conll2012")
    assert str(error.value) == f"{bad}:{line}: {sentence}"


MANY = (
    document("(1", "x", "2)")  # lines 2, 3 and 4
    + "a 0 0 w -\n"  # 6, behind the end
    + document("-", "(1)")  # 7, twice
    + document("1)", begin="#begin document\n")  # 11 and 12
)


@pytest.mark.parametrize("size", [1, 8, 1 << 18])
def test_all_problems_are_collected(tmp_path: Path, size: int) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(MANY)
    outcome = problems(path, ReadSettings(block_size=size))
    assert lines(outcome) == [2, 3, 4, 6, 7, 11, 12]
    kinds = ["chain", "chain", "chain", "document", "document", "document", "chain"]
    assert [problem.kind for problem in outcome] == kinds


def test_check_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(MANY)
    found = check(path, ReadSettings())
    assert lines(found.problems) == [2, 3, 4, 6, 7, 11, 12]
    assert [str(problem) for problem in found.problems][:2] == [f"{path}:2: {NEVER_CLOSED}", f"{path}:3: 'x' {NO_CELL}"]
    path.write_text(document("(1", "1)", "(2)"))
    good = check(path, ReadSettings())
    assert (good.problems, good.units, good.sentences) == ([], 2, 1)


def test_what_is_wrong_is_left_out(tmp_path: Path) -> None:
    """Behind a problem, reading goes on with the rest."""
    path = tmp_path / "bad.conll"
    path.write_text(document("(1", "(2)", "((3)", "(4", "4)1)5)", "(6") + "a 0 6 w6 (2)\n")
    found: list[Problem] = []
    (batch,) = file_batches(Source(path, found), ReadSettings(), Vocabulary(), {})
    assert sorted(lines(found)) == [4, 6, 7, 9]
    assert batch.chains().clusters(1) == [[[(0, 5)], [(1, 2)], [(3, 5)]]]


@pytest.mark.parametrize("size", [1, 1 << 18])
def test_words_before_the_first_document_are_one_problem(tmp_path: Path, size: int) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(
        "a 0 0 x -\n" * 20 + document("-") + document("(1)", begin=SECOND) + document("-", begin="#begin document c\n")
    )
    assert lines(problems(path, ReadSettings("conll2012", block_size=size))) == [1]


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_files_without_any_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.conll"
    path.write_text(text)
    with pytest.raises(eh.InputError, match="the file is empty" if not text else "the file has no sentences"):
        eh.read(path, format="conll2012")


# Brackets of mentions, in all their spellings, and random files against the slow reader, whatever the blocks


Clusters = list[list[tuple[int, int]]]


def plain(annotation: Annotation) -> dict[str, Clusters]:
    """By document the chains, with inclusive ends."""
    names = annotation.corpus.names
    clusters = annotation.chains().clusters(len(names))
    return {
        name: [sorted((start, end - 1) for start, end in chain) for chain in chains]
        for name, chains in zip(names, clusters, strict=True)
    }


def read_mention_brackets(folder: Path, cells: list[str], separator: str = "\t") -> Clusters:
    """The chains of one document with these cells."""
    path = folder / "file.conll"
    path.write_text(columns([cells], separator=separator))
    (chains,) = plain(eh.read(path)).values()
    return chains


SPELLINGS_MENTION_BRACKETS: dict[str, tuple[list[str], Clusters]] = {
    "nothing": (["-", "_", "-"], []),
    "one token": (["-", "(1)", "-"], [[(1, 1)]]),
    "several tokens": (["(1", "-", "1)"], [[(0, 2)]]),
    "two that open together, joined": (["(1(3", "3)", "1)"], [[(0, 2)], [(0, 1)]]),
    "two that close together, joined": (["(1", "(3", "3)1)"], [[(0, 2)], [(1, 2)]]),
    "joined in another order": (["(3(1", "-", "3)1)"], [[(0, 2)], [(0, 2)]]),
    "bars": (["(1|(2)", "(3)|1)", "-"], [[(0, 0)], [(0, 1)], [(1, 1)]]),
    "bars at the ends": (["|(1)|", "(2)||(3)", "-"], [[(0, 0)], [(1, 1)], [(1, 1)]]),
    "brackets without bars": (["(1)(2)", "(3(4)", "3)"], [[(0, 0)], [(0, 0)], [(1, 1)], [(1, 2)]]),
    "one closes where another opens": (["(1", "1)(2", "2)"], [[(0, 1)], [(1, 2)]]),
    "a chain closes where it opens": (["(1", "1)(1", "1)"], [[(0, 1), (1, 2)]]),
    "a chain opens, then closes": (["(1", "(1|1)", "1)"], [[(0, 2), (1, 1)]]),
    "nested in the same chain": (["(1(1", "1)", "1)"], [[(0, 1), (0, 2)]]),
    "nested thrice": (["(1(1", "(1)", "1)1)"], [[(0, 2), (0, 2), (1, 1)]]),
    "the last one opened closes first": (["(1", "(1", "1)1)"], [[(0, 2), (1, 2)]]),
    "crossing in the same chain is nesting": (["(1", "(1", "1)", "1)"], [[(0, 3), (1, 2)]]),
    "crossing in other chains": (["(1", "(2", "1)", "2)"], [[(0, 2)], [(1, 3)]]),
    "across sentences": (["-", "(7", "-", "-", "7)"], [[(1, 4)]]),
    "the same span twice in a chain": (["(1)|(1)", "-"], [[(0, 0), (0, 0)]]),
    "names that are no numbers": (["(e12", "e12)(x-y)", "(é)|(*)"], [[(0, 1)], [(1, 1)], [(2, 2)], [(2, 2)]]),
    "a name that begins as another": (["(1", "(12)", "(12", "12)1)"], [[(0, 3)], [(1, 1), (2, 3)]]),
    "17 digits": (
        ["(17740950239373139", "17740950239373139)(17740950239373138)", "(17740950239373139)"],
        [[(0, 1), (2, 2)], [(1, 1)]],
    ),
    "20 digits": (
        ["(12345678901234567890", "12345678901234567890)(12345678901234567891)"],
        [[(0, 1)], [(1, 1)]],
    ),
    "zeros before a number": (["(01)|(1)|(001)", "(1)", "(01)"], [[(0, 0), (2, 2)], [(0, 0), (1, 1)], [(0, 0)]]),
    "numbers and others": (["(1)|(a)", "(a)", "(1)"], [[(0, 0), (2, 2)], [(0, 0), (1, 1)]]),
}  # fmt: skip


@pytest.mark.parametrize("separator", ["\t", " ", "    "], ids=["tabs", "blanks", "runs of blanks"])
@pytest.mark.parametrize("spelling", SPELLINGS_MENTION_BRACKETS)
def test_spellings(tmp_path: Path, spelling: str, separator: str) -> None:
    cells, expected = SPELLINGS_MENTION_BRACKETS[spelling]
    assert read_mention_brackets(tmp_path, cells, separator) == [sorted(chain) for chain in expected]


def test_an_empty_cell_between_tabs_has_no_mention(tmp_path: Path) -> None:
    assert read_mention_brackets(tmp_path, ["(1", "", "1)", "(2)", ""]) == [[(0, 2)], [(3, 3)]]
    assert read_mention_brackets(tmp_path, ["", "(1)"]) == [[(1, 1)]]


def test_chains_of_the_same_name_in_two_documents_are_two(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text(columns([["(1)", "-"], ["(1", "1)"]]))
    chains = eh.read(path).chains()
    assert chains.document.tolist() == [0, 1]
    assert len(set(chains.chain.tolist())) == 2


def test_mentions_are_in_the_order_of_their_brackets(tmp_path: Path) -> None:
    """By which the first of several chains is told: (9 opens before (1."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(9|(1", "(1)", "9)|1)|(9)"]]))
    chains = eh.read(path).chains()
    assert list(zip(chains.start.tolist(), chains.end.tolist(), strict=True)) == [(0, 3), (0, 3), (1, 2), (2, 3)]
    assert chains.chain[0] == chains.chain[3] != chains.chain[1] == chains.chain[2]


def test_brackets_of_one_token_are_the_first_of_their_cell(tmp_path: Path) -> None:
    """As the official scorer reads a cell: `(1)` and `(2)` before `(9`, and these from left to right."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(9|(1)|(5|(2)", "9)|5)"]]))
    chains = eh.read(path).chains()
    assert list(zip(chains.start.tolist(), chains.end.tolist(), strict=True)) == [(0, 1), (0, 1), (0, 2), (0, 2)]


@pytest.mark.parametrize(("first", "recall"), [("(1|(2)", 0), ("(2)|(1", 0), ("(1|(2|2)", 1)])
def test_the_chain_that_keeps_a_repeated_span(tmp_path: Path, first: str, recall: int) -> None:
    """(3, 3) is in chains 1 and 2: that of the one-token bracket keeps it, be it written before the other or behind."""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(columns([["(1|(2)", "-", "1)", "(1)"]]))
    response.write_text(columns([[first, "-", "1)", "(1)|(2)"]]))
    assert eh.score(key, response)["muc"].recall == recall


@settings(max_examples=100)
@given(
    documents=st.lists(st.integers(1, 7).flatmap(brackets), min_size=1, max_size=4),
    separator=st.sampled_from(["\t", " ", "   ", " \t"]),
)
def test_random_files(tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], separator: str) -> None:
    text = columns(documents, separator=separator)
    path = tmp_path_factory.getbasetemp() / "random.conll"
    path.write_text(text)
    slow = slow_chains.read_columns(text)
    expected = [[sorted(chain) for chain in chains] for chains in slow.values()]
    assert list(plain(eh.read(path)).values()) == expected


def _layers(annotation: Annotation) -> dict[str, object]:
    corpus, chains = annotation.corpus, annotation.chains()
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    return {
        "names": corpus.names,
        "documents": corpus.documents.tolist(),
        "bounds": corpus.bounds.tolist(),
        "words": [corpus.tokens[place] for place in range(len(corpus.tokens))],
        "lines": [corpus.line(token) for token in range(len(corpus.tokens))],
        "pos": annotation["pos"].to_list(),  # type: ignore[union-attr]
        "rows": list(zip(*(each.tolist() for each in (chains.document, chains.start, chains.end)), strict=True)),
        "chains": chains.clusters(len(corpus.names)),
    }


@settings(max_examples=40)
@given(
    documents=st.lists(brackets(), min_size=1, max_size=6),
    tags=st.lists(st.sampled_from(TAGS), min_size=6, max_size=6),
    size=st.integers(1, 80),
)
def test_layers_do_not_depend_on_blocks_or_separators(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], tags: list[str], size: int
) -> None:
    folder, actual = tmp_path_factory.getbasetemp(), []
    for separator in ("\t", "  "):
        path = folder / "blocks.conll"
        path.write_text(columns(documents, pos=[tags] * len(documents), separator=separator))
        parts = [list(batches(path, each, Vocabulary())) for each in (ReadSettings(), ReadSettings(block_size=size))]
        actual += [_layers(Annotation.concatenate(each)) for each in parts]
    assert actual[1:] == actual[:1] * 3


def test_small_blocks_are_several_batches(tmp_path: Path) -> None:
    """Or the test above would say nothing."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(1)"] * 6] * 40))
    found = list(batches(path, ReadSettings(block_size=16), Vocabulary()))
    assert len(found) > 10
    assert sum(len(batch.corpus.names) for batch in found) == 40
