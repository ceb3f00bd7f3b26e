"""CorefUD that cannot be read: what was found, in which line, and what a check reports of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.formats.check import Checked, check
from evenhand.settings import ReadSettings

Check = Callable[[str], Checked]
HEAD = "# newdoc id = d\n# global.Entity = eid-etype\n"
"""The words of a file begin in line 3."""
REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"


def word(number: object, misc: str = "_", form: str = "w") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def sentence(*brackets: str) -> str:
    cells = ["_" if each == "-" else f"Entity={each}" for each in brackets]
    return "".join(word(number, cell) for number, cell in enumerate(cells, 1)) + "\n"


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)

    def checked(text: str) -> Checked:
        Path("file.conllu").write_text(text)
        return check(Path("file.conllu"), ReadSettings())

    return checked


PROBLEMS: dict[str, tuple[str, str]] = {
    "never closed": (
        sentence("-", "(e1-x", "-"),
        "4: a mention opens here that is never closed in its document; close it.",
    ),
    "never opened": (
        sentence("-", "e1)"),
        "4: a mention closes here that was not opened in its document; open it before.",
    ),
    "another name": (
        sentence("(e1", "e2)"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "another part": (
        sentence("(e1[1/2]", "e1[2/2])"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "in another document": (
        sentence("(e1") + "# newdoc id = e\n" + sentence("e1)"),
        "3: a mention opens here that is never closed in its document; close it.",
    ),
    "no bracket": (sentence("-", "e1"), f"4: 'Entity=e1' is no coreference annotation; {REMEDY}."),
    "an empty bracket": (sentence("()"), f"3: 'Entity=()' is no coreference annotation; {REMEDY}."),
    "something behind": (sentence("(e1)x"), f"3: 'Entity=(e1)x' is no coreference annotation; {REMEDY}."),
    "two closings": (sentence("(e1))"), f"3: 'Entity=(e1))' is no coreference annotation; {REMEDY}."),
    "columns": (
        sentence("-") + "1\tw\t_\n",
        "5: found 3 columns where corefud has 10; mend the line (a cut one shows that the file was not written to its "
        "end).",
    ),
    "numbers": (
        sentence("-") + word(1) + word(3),
        "6: found the word 3 where 2 is next; number the words of every sentence from 1 on, without gaps.",
    ),
    "a document twice": (
        sentence("-") + "# newdoc id = d\n" + sentence("-"),
        "5: the document d began in line 1 already; give every document a name of its own.",
    ),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_are_raised_and_reported(checked: Check, case: str) -> None:
    text, problem = PROBLEMS[case]
    found = checked(HEAD + text)
    assert str(found.problems[0]) == f"file.conllu:{problem}"
    with pytest.raises(eh.InputError) as error:
        eh.read("file.conllu")
    assert str(error.value) == f"file.conllu:{problem}"


@pytest.mark.parametrize(
    "brackets",
    [
        ["(e1[1/2])", "(e1)"],
        ["(e1[2/2])", "(e1)"],
        ["(e1[1/3])", "(e1[2/3])"],
        ["(e1[1/2])", "(e1[1/2])", "-", "(e1[2/2])"],
    ],
    ids=["the first only", "the second only", "two of three", "two firsts"],
)
def test_a_mention_must_have_all_of_its_parts(checked: Check, brackets: list[str]) -> None:
    found = checked(HEAD + sentence(*brackets))
    assert [problem.line for problem in found.problems] == [3]


def test_a_field_too_few(checked: Check) -> None:
    text = sentence("(p-e1-1)", "(p)").join(["# newdoc id = d\n# global.Entity = etype-eid\n", ""])
    assert [str(each) for each in checked(text).problems] == [
        f"file.conllu:4: 'Entity=(p)' is no coreference annotation; {REMEDY}."
    ]


def test_a_check_reports_all_problems(checked: Check) -> None:
    sentences = [sentence("(e1", "x", "e2)"), sentence("()", "(e3)"), word(1) + word(2).replace("\t_\n", "\n") + "\n"]
    again = "# newdoc id = d\n" + sentence("(e1)", "e1)")
    found = checked(HEAD + "".join(sentences) + sentence("(e4)") + again)
    assert [(each.line, each.kind) for each in found.problems] == [
        (3, "chain"),
        (4, "chain"),
        (5, "chain"),
        (7, "chain"),
        (11, "columns"),
        (15, "document"),
        (17, "chain"),
    ]
    assert (found.units, found.unit, found.sentences) == (3, "mentions", 4)


def test_fields_hold_behind_a_sentence_that_is_left_out(checked: Check) -> None:
    broken = "# newdoc id = d\n# global.Entity = etype-eid\n1\tw\n\n"
    found = checked(broken + sentence("(p-e1", "e1)"))
    assert [problem.line for problem in found.problems] == [3]


def test_documents_begin_with_a_sentence_that_is_left_out(checked: Check) -> None:
    found = checked(HEAD + sentence("(e1", "-") + "# newdoc id = e\n1\tw\n\n" + sentence("e1)"))
    assert [problem.line for problem in found.problems] == [3, 7, 9]


def test_a_document_three_times(checked: Check) -> None:
    again = "# newdoc id = d\n" + sentence("-")
    finding = "the document d began in line 1 already"
    assert [(each.line, each.finding) for each in checked(HEAD + sentence("-") + again + again).problems] == [
        (5, finding),
        (8, finding),
    ]


def test_no_word_at_all(checked: Check) -> None:
    assert [str(each) for each in checked(HEAD).problems] == [
        "file.conllu: the file has no sentences; check how it was written, or name its --format."
    ]


@pytest.mark.parametrize("column", ["xpos", "pos=lemma", "pos=4", "word=upos", 4])
def test_other_columns_are_refused(checked: Check, column: int | str) -> None:
    checked(HEAD + sentence("(e1)"))
    with pytest.raises(eh.SettingError, match=f"{column!r} names no column of CorefUD; write pos=upos or pos=xpos"):
        eh.read("file.conllu", column=column)
