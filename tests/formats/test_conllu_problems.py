"""Problems of files in CoNLL-U: each with its line and one sentence, and those of two files that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.formats.check import check
from evenhand.settings import ReadSettings

Write = Callable[..., Path]
GOOD = "1 a 0 root\n2 b 1 obj\n\n"
NO_ID = "numbers no word (3), no token of several (3-4) and no empty node (3.1)"
LATE = "does not stand before its first word"
PROBLEMS: dict[str, dict[str, tuple[str, int, str]]] = {
    "mend the line (a cut one shows that the file was not written to its end)": {
        "nine columns": ("1\ta\t_\t_\t_\t_\t0\troot\t_\n", 4, "found 9 columns where conllu has 10"),
        "eleven columns": ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\t_\n", 4, "found 11 columns where conllu has 10"),
        "a cut line": ("1 a 0 root\n2\tb\t_\tX", 5, "found 4 columns where conllu has 10"),
    },
    "number the words of every sentence from 1 on": {
        "an ID that is none": ("x a 0 root\n", 4, f"'x' {NO_ID}"),
        "half a range": ("1- a 0 root\n", 4, f"'1-' {NO_ID}"),
        "three numbers": ("1-2-3 a 0 root\n", 4, f"'1-2-3' {NO_ID}"),
        "no ID": ("\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", 4, f"'' {NO_ID}"),
    },
    "number the words of every sentence from 1 on, without gaps": {
        "a gap": ("1 a 0 root\n3 b 1 obj\n", 5, "found the word 3 where 2 is next"),
        "words from 0 on": ("0 a 0 root\n1 b 0 obj\n", 4, "found the word 0 where 1 is next"),
        "an ID twice": ("1 a 0 root\n1 b 1 obj\n", 5, "found the word 1 where 2 is next"),
        "a token with a gap": ("1-3 abc\n1 a 0 root\n3 c 1 x\n", 6, "found the word 3 where 2 is next"),
    },
    "write it before its words, which have the numbers of its range": {
        "a token behind its words": ("1 a 0 root\n2 b 1 x\n1-2 ab\n", 6, f"the multi-word token 1-2 {LATE}"),
        "a token among its words": ("1 a 0 root\n1-2 ab\n2 b 1 x\n", 5, f"the multi-word token 1-2 {LATE}"),
        "a token too early": ("2-3 bc\n1 a 0 x\n2 b 1 x\n3 c 1 x\n", 4, f"the multi-word token 2-3 {LATE}"),
        "a token without words": ("1-2 ab\n\n1 c 0 root\n2 d 1 x\n", 4, f"the multi-word token 1-2 {LATE}"),
        "a token alone at the end": ("1-2 ab", 4, f"the multi-word token 1-2 {LATE}"),
        "a token at the end": ("1 a 0 root\n2-3 bc", 5, f"the multi-word token 2-3 {LATE}"),
        "a token beyond its sentence": (
            "1-3 abc\n1 a 0 root\n2 b 1 x\n\n1 c 0 root\n",
            4,
            "the multi-word token 1-3 reaches beyond its sentence",
        ),
        "tokens that overlap": (
            "1-2 ab\n1 a 0 root\n2-3 bc\n2 b 1 x\n3 c 1 x\n",
            6,
            "the multi-word token 2-3 overlaps the one before",
        ),
        "a token reversed": ("2-1 ab\n1 a 0 root\n2 b 1 x\n", 4, "the multi-word token 2-1 ends before it begins"),
    },
    "write it behind its word": {
        "an empty node too early": ("1 a 0 root\n2.1 x\n2 b 1 x\n", 5, "found an empty node of word 2 behind word 1"),
        "an empty node too late": ("1 a 0 root\n0.1 x\n", 5, "found an empty node of word 0 behind word 1"),
    },
    "move it before the sentence": {
        "a comment inside": ("1 a 0 root\n# x\n2 b 1 x\n", 5, "found a comment inside a sentence"),
        "a comment within a token": ("1-2 ab\n# x\n1 a 0 x\n2 b 1 x\n", 5, "found a comment inside a sentence"),
    },
    "give the number of a word of the sentence, or 0 for the root": {
        "a head outside": ("1 a 0 x\n2 b 3 x\n", 5, "the head 3 is outside the sentence, which has 2 words"),
        "a head far outside": (
            "1 a 0 x\n2 b 1234567890 x\n",
            5,
            "the head 1234567890 is outside the sentence, which has 2 words",
        ),
        "a head that is no number": ("1 a 0 root\n2 b x x\n", 5, "the head 'x' is no number"),
        "a head below zero": ("1 a 0 root\n2 b -1 x\n", 5, "the head '-1' is no number"),
        "an empty node as head": ("1 a 0 root\n1.1 x\n2 b 1.1 x\n", 6, "the head '1.1' is no number"),
        "an underscore as head": ("1 a 0 root\n2 b _ x\n", 5, "the head '_' is no number"),
        "an empty head": ("1 a 0 root\n2\tb\t_\t_\t_\t_\t\tx\t_\t_\n", 5, "the head '' is no number"),
    },
    "give one word the head 0": {
        "no root": ("1 a 2 x\n2 b 1 x\n", 4, "no word is the root of the sentence that begins here"),
        "the only word below itself": ("1 a 1 x\n", 4, "no word is the root of the sentence that begins here"),
    },
    "every word must lead to the root by its heads": {
        "a word below itself": ("1 a 0 root\n2 b 2 x\n", 5, "the word is its own head"),
        "a cycle of two": ("1 a 0 root\n2 b 3 x\n3 c 2 x\n", 5, "the words 2, 3 are a cycle"),
        "a cycle of three": ("1 a 3 x\n2 b 1 x\n3 c 2 x\n4 d 0 x\n", 4, "the words 1, 2, 3 are a cycle"),
        "words below a cycle": ("1 a 2 x\n2 b 3 x\n3 c 4 x\n4 d 3 x\n5 e 0 x\n", 6, "the words 3, 4 are a cycle"),
    },
}
"""By remedy: a sentence, the line of the problem behind a good sentence of three lines, and the finding."""


def rows(text: str) -> str:
    """Lines of ten columns from `id form head relation`; comments, blank lines and lines with tabs stay as they are."""
    lines = []
    for line in text.split("\n"):
        number, form, head, relation = [*line.split(), *"____"][:4]
        is_row = line and not line.startswith("#") and "\t" not in line
        lines.append("\t".join([number, form, "_", "X", "Y", "_", head, relation, "_", "_"]) if is_row else line)
    return "\n".join(lines)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "file.conllu") -> Path:
        Path(name).write_text(rows(text))
        return Path(name)

    return write


def refusal(*paths: Path, **options: Any) -> str:
    with pytest.raises(eh.InputError) as error:
        eh.score(*paths, **options) if len(paths) > 1 else eh.read(*paths, **options)
    return str(error.value)


CASES = [
    pytest.param(text, line, f"{finding}; {remedy}.", id=name)
    for remedy, problems in PROBLEMS.items()
    for name, (text, line, finding) in problems.items()
]


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem(file: Write, text: str, line: int, sentence: str) -> None:
    assert refusal(file(GOOD + text)) == f"file.conllu:{line}: {sentence}"


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem_leaves_other_sentences_as_they_are(file: Write, text: str, line: int, sentence: str) -> None:
    found = check(file(GOOD + text), ReadSettings())
    assert f"file.conllu:{line}: {sentence}" in [str(problem) for problem in found.problems]
    assert found.units >= 2


@pytest.mark.parametrize(("text", "line", "sentence"), CASES)
def test_a_problem_beside_another_file(file: Write, text: str, line: int, sentence: str) -> None:
    """A check against the text of a gold standard finds it too, whatever the words that are left."""
    found = check(file(GOOD + text), ReadSettings(), against=file(GOOD, "gold.conllu"))
    assert f"file.conllu:{line}: {sentence}" in [str(problem) for problem in found.problems]


def test_a_multi_word_token_without_words_is_not_taken_for_one_of_the_next_sentence(file: Write) -> None:
    found = check(file(f"{GOOD}1-2 xy\n\n{GOOD}"), ReadSettings(), against=file(GOOD + GOOD, "gold.conllu"))
    assert [problem.line for problem in found.problems] == [4]


def test_all_problems_are_found_at_once(file: Write) -> None:
    text = f"1 a 0 x\n2 b 3 x\n\n{GOOD}1 a 2 x\n2 b 1 x\n\n1-2 ab\n\n2 a 0 x\n"
    found = check(file(GOOD + text), ReadSettings())
    assert [problem.line for problem in found.problems] == [5, 10, 13, 15]
    assert (found.sentences, found.units) == (2, 4)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("1 a x root\n", "the head 'x' is no number"),
        ("2 a 0 root\n", "found the word 2 where 1 is next"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\n", "found 9 columns where conllu has 10"),
    ],
    ids=["head", "ID", "columns"],
)
def test_a_problem_of_the_first_word_does_not_make_it_another_format(file: Write, text: str, finding: str) -> None:
    assert refusal(file(text + "\n" + GOOD)).startswith(f"file.conllu:1: {finding}")
    assert refusal(file(text + "\n" + GOOD), format="conllu").startswith(f"file.conllu:1: {finding}")


SAME = "both sides must have the same text, spaces aside."


@pytest.mark.parametrize(
    ("gold", "system", "sentence"),
    [
        (
            "1 x 0 root\n2 y 1 x\n3 z 1 x\n4 q 1 x\n",
            "1 x 0 root\n2 yw 1 x\n3 q 1 x\n",
            "system.conllu:5: found the text 'b x yw q' where gold.conllu:6 has 'x y z q'",
        ),
        (
            "1 c 0 root\n2 d 1 x\n",
            "1 c 0 root\n",
            "system.conllu:4: the system ends here, but gold.conllu:5 has the word 'd'",
        ),
        ("1 c 0 root\n", "", "system.conllu:2: the system ends here, but gold.conllu:4 has the word 'c'"),
        ("", "1 c 0 root\n", "system.conllu:4: found the word 'c' behind the end of the gold standard"),
        (
            "1 c 0 root\n",
            "1 c 0 root\n2 d 1 x\n",
            "system.conllu:5: found the word 'd' behind the end of the gold standard",
        ),
    ],
    ids=["other text", "too short", "a sentence too short", "a sentence too long", "too long"],
)
def test_texts_that_differ(file: Write, gold: str, system: str, sentence: str) -> None:
    paths = file(GOOD + gold, "gold.conllu"), file(GOOD + system, "system.conllu")
    assert refusal(*paths) == f"{sentence}; {SAME}"


def test_multi_word_tokens_that_differ_are_shown_and_not_their_words(file: Write) -> None:
    gold = file("1-2 im\n1 in 0 root\n2 dem 1 x\n", "gold.conllu")
    system = file("1-2 am\n1 in 0 root\n2 dem 1 x\n", "system.conllu")
    message = refusal(gold, system)
    assert "'am'" in message
    assert "'im'" in message


@pytest.mark.parametrize("form", ["", " ", "\u00a0"], ids=["none", "blank", "no-break space"])
def test_a_word_without_characters(file: Write, form: str) -> None:
    path = file(f"{GOOD}1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n")
    assert refusal(path, path) == "file.conllu:4: this word has no characters; every word needs a form."


def test_a_multi_word_token_without_characters(file: Write) -> None:
    path = file(f"{GOOD}1-2\t" + "\t_" * 8 + f"\n{GOOD}")
    assert refusal(path, path).startswith("file.conllu:4: ")


def test_strictly_the_same_words_are_named_where_one_side_has_more(file: Write) -> None:
    """The system's token has a third word."""
    gold = file("1-2 ab\n1 a 0 root\n2 b 1 x\n", "gold.conllu")
    system = file("1-3 ab\n1 a 0 root\n2 b 1 x\n3 c 1 x\n", "system.conllu")
    assert "found the word 'c'" in refusal(gold, system, align="strict")
