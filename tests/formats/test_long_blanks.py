"""Lines of very many blanks or brackets are read, or refused, at once: none of these tests would end in time otherwise."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from time import process_time

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from evenhand.errors import BRACKETS

BLANKS = " " * 100_000
DECLARED = "# global.Entity = eid\n"
WORD = "\t".join(["1", "w", *"_______", "Entity=(e1)"]) + "\n"


def names(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(text)
    return eh.read(path).corpus.names


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (f"(a){BLANKS};{BLANKS}part{BLANKS}007{BLANKS};{BLANKS}", "a_7"),
        (f"{BLANKS}a{BLANKS}", "a"),
        (f"{BLANKS}a b;{BLANKS}", "a b"),
        (f"(a{BLANKS}", f"(a{BLANKS}".strip()),
        (f"a{BLANKS}b", f"a{BLANKS}b"),
        (f"a part 0{'0' * 5000}1", "a_1"),
        (f"a part {'9' * 5000}", f"a_{'9' * 5000}"),
    ],
    ids=["everywhere", "around", "with a semicolon", "no parenthesis", "within", "long part", "longer part"],
)
def test_marks_of_conll2012(tmp_path: Path, mark: str, name: str) -> None:
    assert names(tmp_path / "file.conll", f"#begin document {mark}\na 0 0 w (1)\n#end document\n") == (name,)


def test_a_mark_of_blanks_has_no_name(tmp_path: Path) -> None:
    with pytest.raises(eh.InputError, match=r"file.conll:1: the document has no name"):
        names(tmp_path / "file.conll", f"#begin document{BLANKS}\na 0 0 w (1)\n")


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        (f"#{BLANKS}newdoc{BLANKS}id{BLANKS}={BLANKS}a{BLANKS}", "a"),
        (f"# newdoc id ={BLANKS}", "1"),
        (f"# newdoc{BLANKS}", "1"),
        (f"# newdoc id{BLANKS}x", ""),
        (f"#{BLANKS}x", ""),
    ],
    ids=["everywhere", "without a name", "without anything", "without an equals sign", "another comment"],
)
def test_marks_of_corefud(tmp_path: Path, comment: str, name: str) -> None:
    assert names(tmp_path / "file.conllu", f"{comment}\n{DECLARED}{WORD}") == (name,)


@pytest.mark.parametrize("separator", ["\t", " "])
def test_blanks_at_the_end_of_one_of_many_lines(tmp_path: Path, separator: str) -> None:
    line = separator.join(["a", "0", "0", "w", "(1)"])
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\n{line}{BLANKS}\r\n" + f"{line}\n" * 20_000)
    assert len(eh.read(path).chains()) == 20_001


def test_blanks_between_cells(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\na{BLANKS}0{BLANKS}0{BLANKS}w{BLANKS}(1)\n{BLANKS}\n")
    found = eh.read(path)
    assert found.corpus.tokens is not None
    assert (found.corpus.tokens[0], len(found.chains())) == ("w", 1)


@pytest.mark.parametrize(
    "cell",
    ["(" * 3_000_000, ")" * 3_000_000, "(1)" * 1_000_000, "(" + "x" * 3_000_000, "|" * 3_000_000],
    ids=["open", "closed", "whole", "name", "bars"],
)
def test_cells_of_megabytes_are_refused(tmp_path: Path, cell: str) -> None:
    conll, conllu = tmp_path / "file.conll", tmp_path / "file.conllu"
    conll.write_text(f"#begin document (a)\na 0 0 w {cell}\n")
    with pytest.raises(eh.InputError) as error:
        eh.read(conll)
    size = f"{len(cell):,}"
    sentence = f"the coreference annotation of a word has {size} bytes, more than 100,000; {BRACKETS.remedy}."
    assert str(error.value) == f"{conll}:2: {sentence}"
    entity = cell.replace("|", "x")
    conllu.write_text(DECLARED + WORD.replace("(e1)", entity))
    with pytest.raises(eh.InputError, match="the coreference annotation of a word has"):
        eh.read(conllu)


@pytest.mark.parametrize(
    ("cell", "count"),
    [("(1)" * 33_000, 33_000), ("(1" * 25_000 + "1)" * 25_000, 25_000)],
    ids=["whole", "nested"],
)
def test_thousands_of_brackets_are_read(tmp_path: Path, cell: str, count: int) -> None:
    assert len(cell) <= BRACKETS.value
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document (a)\na 0 0 w {cell}\n")
    assert len(eh.read(path).chains()) == count


@pytest.mark.parametrize("cell", ["(" * 99_000, "x" * 99_000, "(x" + ")" * 99_000])
def test_thousands_of_other_characters_are_refused_and_not_all_shown(tmp_path: Path, cell: str) -> None:
    for name, text in (
        ("file.conll", f"#begin document (a)\na 0 0 w {cell}\n"),
        ("file.conllu", DECLARED + WORD.replace("(e1)", cell)),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(eh.InputError, match="is no coreference annotation") as error:
            eh.read(tmp_path / name)
        assert len(error.value.problem.finding) < 150


def test_thousands_of_parts_of_one_entity(tmp_path: Path) -> None:
    """Two tokens each, which follow each other, are a mention; and so are the first and the last, around all."""
    rows = []
    for number in range(1, 40_001):
        entity = f"Entity=(e1[{2 - number % 2}/2])"
        rows.append("\t".join([str(number), "w", *"_______", entity]) + "\n")
    path = tmp_path / "file.conllu"
    path.write_text(DECLARED + "".join(rows))
    assert len(eh.read(path).chains()) == 20_000


@pytest.mark.parametrize(
    ("name", "line"),
    [
        *product(("file.txt", "file.conllu"), ("\n", "\r\n", "    \n", "\t\t\n", "# a comment\n")),
        ("file.conllu", "#\n"),
    ],
)
def test_millions_of_lines_without_tokens(tmp_path: Path, name: str, line: str) -> None:
    """50 MB of line ends took 23 s of CPU time; 8 MB took up to 5 s, and take less than one."""
    (tmp_path / name).write_text(line * (8_000_000 // len(line)), newline="")
    begin = process_time()
    CliRunner().invoke(main, ["check", str(tmp_path / name)])
    assert process_time() - begin < 2
