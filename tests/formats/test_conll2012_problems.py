"""Problems of files in CoNLL-2012: each with its line and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import Problem
from evenhand.formats.check import check
from evenhand.formats.read import file_batches
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

BEGIN, END = "#begin document (a); part 000\n", "#end document\n"
SECOND = "#begin document (b); part 000\n"
NEVER_CLOSED = "a mention opens here that is never closed in its document; close it."
UNOPENED = "a mention closes here that was not opened in its document; open it before."
BEHIND = "found words behind the end of a document; begin a new one with #begin document."
BEFORE = "found words before the first document; begin it with #begin document."
NO_NAME = "the document has no name; write #begin document (name); part 000."
TWICE = "the document a_0 began in line 1 already; give every document a name of its own."
NO_CELL = "is no coreference annotation; write -, or brackets such as (12, 12) or (12), with bars between them."
CUT = "mend the line (a cut one shows that the file was not written to its end)."


def document(*cells: str, begin: str = BEGIN, end: str = END) -> str:
    """Words with these cells, a line each."""
    return begin + "".join(f"a 0 {number} w{number} {cell}\n" for number, cell in enumerate(cells)) + end


LONG = document(*["(1)"] * 1100, end="")
PROBLEMS: dict[str, tuple[str, int, str]] = {
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
    "too few columns": (LONG + "a 0 (1)\n" + END, 1102, f"found 3 columns where 5 are needed at least; {CUT}"),
    "a line that was cut": (LONG + "a 0 0 w", 1102, f"found 4 columns where 5 are needed at least; {CUT}"),
    "too few tabs": (
        LONG.replace(" ", "\t").replace("#begin\t", "#begin ") + "a\t0 0 w\t(1)\n",
        1102,
        f"found 3 columns where 5 are needed at least; {CUT}",
    ),
    "one column": (f"{BEGIN}x (1)\ny\n{END}", 3, f"found 1 column where 2 are needed at least; {CUT}"),
}  # fmt: skip
GARBAGE = ("x", "1", "(", ")", "()", ")(", "((1)", "(1))", "|", "*", "--", "(1)|-", "(1)x", "x(1)", "1|(2)", "(a)b")
PROBLEMS |= {f"the cell {cell}": (document("(1)", cell, "-"), 3, f"{cell!r} {NO_CELL}") for cell in GARBAGE}


def problems(path: Path, settings: ReadSettings) -> list[Problem]:
    """All problems that reading a file meets, by line."""
    found: list[Problem] = []
    for _ in file_batches(Source(path, found), settings, Vocabulary(), {}):
        pass
    return sorted(found, key=lambda problem: problem.line or 0)


def lines(found: Sequence[Problem]) -> list[int | None]:
    return [problem.line for problem in found]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_first_problem_is_an_error(tmp_path: Path, problem: str) -> None:
    text, line, sentence = PROBLEMS[problem]
    path = tmp_path / "bad.conll"
    path.write_text(text)
    with pytest.raises(eh.InputError) as error:
        eh.read(path, format="conll2012")
    assert str(error.value) == f"{path}:{line}: {sentence}"


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("side", ["gold", "system"])
def test_scoring_says_the_same(tmp_path: Path, problem: str, side: str) -> None:
    text, line, sentence = PROBLEMS[problem]
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
    found = problems(path, ReadSettings(block_size=size))
    assert lines(found) == [2, 3, 4, 6, 7, 11, 12]
    kinds = ["chain", "chain", "chain", "document", "document", "document", "chain"]
    assert [problem.kind for problem in found] == kinds


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
