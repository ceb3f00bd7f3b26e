"""Bracketed trees for constituents: lines as sentences, trees over several lines, broken lines, writing."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.structures import Constituents
from evenhand.formats.penn_trees import write_bracket_lines


def layer(annotation: eh.Annotation) -> Constituents:
    found = annotation["constituents"]
    assert isinstance(found, Constituents)
    return found


def read(tmp_path: Path, text: str, **options: bool) -> eh.Annotation:
    file = tmp_path / "trees.mrg"
    file.write_text(text)
    return eh.read(file, task="constituents", **options)


def test_a_line_is_a_sentence_with_all_that_is_in_it(tmp_path: Path) -> None:
    found = read(tmp_path, "( (S-X (NP-SBJ (-NONE- *)) (VP (V go))))\r\n\r\n(A b) (C d)\r\n")
    assert found.corpus.bounds.tolist() == [0, 2, 2, 4]
    assert layer(found).brackets.rows() == [("()", 0, 0, 2), ("S", 0, 0, 2), ("NP", 0, 0, 1), ("VP", 0, 1, 2)]
    assert found["pos"].to_list() == ["-NONE-", "V", "A", "C"]
    assert layer(found).lines.tolist() == [1, 2, 3]
    kept = read(tmp_path, "(S-X (NP-SBJ (N x)))\n", functions=True)
    assert [row[0] for row in layer(kept).brackets.rows()] == ["S-X", "NP-SBJ"]


def test_trees_over_several_lines(tmp_path: Path) -> None:
    text = "\n( (S \n    (NP (N rain))\n    (VP (V falls)) ))\n\n( (FRAG (N yes)))\n( (S\n\t(V go)))\n"
    found = read(tmp_path, text)
    assert found.corpus.sentences == 3
    assert layer(found).lines.tolist() == [2, 6, 7]
    assert [row[:2] for row in layer(found).brackets.rows() if row[0] != "()"] == [
        *(("S", 0), ("NP", 0), ("VP", 0)),
        *(("FRAG", 1), ("S", 2)),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("(S (N x)", "not all brackets are closed"),
        ("(S (N x)))", "a bracket closes nothing"),
        (")S (N x)(", "a bracket closes nothing"),
        ("(S (N x) word)", "the word 'word' is not alone under a tag"),
        ("(S (N x y))", "the word 'x' is not alone under a tag"),
        ("word", "the word 'word' is not alone under a tag"),
    ],
)
def test_a_broken_line_is_a_sentence_without_a_tree(line: str, problem: str) -> None:
    found = layer(eh.constituents(["(S (N x))", line, "(S (N y))"]))
    assert found.problems == {1: problem}
    assert found.brackets.scope.tolist() == [0, 2]


def test_empty_brackets_are_read() -> None:
    assert layer(eh.constituents(["(S (NP ) () (N x))"])).brackets.rows() == [
        *(("S", 0, 0, 1), ("NP", 0, 0, 0), ("()", 0, 0, 0)),
    ]


@pytest.mark.parametrize("size", [16, 64, 1 << 19])
def test_blocks_of_any_size_give_the_same(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.settings import ReadSettings

    monkeypatch.setattr(ReadSettings, "block_size", size, raising=False)
    line = "(S (NP (N rain)) (VP (V falls)))"
    lines = [line, "", line, "(S", line] * 5
    found = layer(read(tmp_path, "\n".join(lines) + "\n"))
    assert found.brackets.rows() == layer(eh.constituents(lines)).brackets.rows()
    assert list(found.problems) == [3, 8, 13, 18, 23]
    indented = read(tmp_path, (line.replace(" (VP", "\n  (VP") + "\n") * 7)
    assert layer(indented).brackets.rows() == layer(eh.constituents([line] * 7)).brackets.rows()


def test_what_is_written_is_read_again() -> None:
    lines = [
        "( (S-X (NP (-NONE- *)) (VP (V go))))",
        "",
        "(A b) (C d)",
        "(S (NP (N y)) (N x)) (X (Y (Z z)))",
        "(S (NP ))",
    ]
    first = eh.constituents(lines, functions=True)
    written = list(write_bracket_lines(first))
    assert written[:4] == [f"{line}\n" for line in lines[:4]]
    again = eh.constituents(written, functions=True)
    assert layer(again).brackets.rows() == layer(first).brackets.rows()
    with pytest.raises(eh.InputError, match="not all brackets are closed; mend the tree"):
        list(write_bracket_lines(eh.constituents(["(S"])))


@pytest.mark.parametrize(
    ("given", "message"),
    [("(S (N x))", "is a text, not a list of trees"), ([["S"]], "which is not a text")],
)
def test_lists_that_are_no_trees(given: object, message: str) -> None:
    with pytest.raises(eh.InputError, match=message):
        eh.constituents(given)  # type: ignore[arg-type]
