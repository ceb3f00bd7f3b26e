"""CorefUD as convert writes it: what other tools ask for (udapi 0.5.2, and the validator of Universal Dependencies)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from chain_files import Document, content, converted, written
from evenhand.cli import main

HEAD = "# newdoc id = d\n# global.Entity = eid\n"


def misc(path: Path) -> list[tuple[str, str]]:
    """The number and the last cell of every word."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(cells[0], cells[-1].removeprefix("Entity=")) for cells in lines]


def rewritten(folder: Path, text: str, head: str = HEAD) -> Path:
    """A file of words with numbers and brackets (`1 a (e1)`), once more."""
    rows = [line.split() for line in text.splitlines()]
    misc = ["_" if row[2:] in ([], ["-"]) else f"Entity={row[2]}" for row in rows]
    lines = ["\t".join([*row[:2], *"_______", cell]) if row else "" for row, cell in zip(rows, misc, strict=True)]
    source = folder / "source.conllu"
    source.write_text(head + "\n".join(lines) + "\n")
    return converted(source, "corefud")[0]


def test_fields_are_declared_and_every_mention_has_a_head(tmp_path: Path) -> None:
    found = [Document(name, [["a", "b", "c"]], [], [[(0, 2), (1, 1)], [(2, 2)]]) for name in "xy"]
    path, _ = converted(written(tmp_path, found, tagged=False), "corefud")
    lines = path.read_text().splitlines()
    assert lines[:2] == ["# newdoc id = x", "# global.Entity = eid-etype-head-other"]
    assert [cell for _, cell in misc(path)][:3] == ["(e1--1", "(e1--1)", "(e2--1)e1)"]


def test_no_entity_is_in_two_documents(tmp_path: Path) -> None:
    """Whatever the batches are: other tools take all entities of one name for the same."""
    found = [Document(name, [["a", "b"]], [], [[(0, 0)], [(1, 1)]]) for name in "xyz"]
    source = written(tmp_path, found, tagged=False)
    cells = [cell for _, cell in misc(converted(source, "corefud")[0])]
    assert cells == ["(e1--1)", "(e2--1)", "(e3--1)", "(e4--1)", "(e5--1)", "(e6--1)"]
    assert [cell for _, cell in misc(converted(source, "corefud", size=1)[0])] == cells


def test_all_parts_of_a_mention_have_its_head(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "1 a (e1[1/2]\n2 b e1[1/2])\n3 c -\n4 d (e1[2/2])\n")
    assert [cell for _, cell in misc(path)] == ["(e1[1/2]--1", "e1[1/2])", "_", "(e1[2/2]--1)"]


@pytest.mark.parametrize(("fields", "head"), [("", 1), ("-x-2", 2), ("-x-3", 3)])
def test_heads_are_kept(tmp_path: Path, fields: str, head: int) -> None:
    """Without a head, a mention that begins with an empty node is a zero, and stays one."""
    text = f"1 a -\n1.1 b (e1{fields}(e2)\n1.2 c -\n2 d e1)\n"
    path = rewritten(tmp_path, text, HEAD + "# global.Entity = eid-etype-head\n")
    assert [cell for _, cell in misc(path)] == ["_", f"(e1--{head}(e2--1)", "_", "e1)"]
    assert eh.score(tmp_path / "source.conllu", path)["mentions"].f1 == 1


def test_empty_nodes_stay_empty_nodes(tmp_path: Path) -> None:
    path = rewritten(tmp_path, "0.1 a (e1)\n1 b (e2\n1.1 c -\n1.3 d e2)\n2 e (e1)\n\n1 f -\n1.1 g (e1)\n")
    assert [number for number, _ in misc(path)] == ["0.1", "1", "1.1", "1.3", "2", "1", "1.1"]
    source = tmp_path / "source.conllu"
    kept = Document("d", [list("abcde"), list("fg")], [], [[(0, 0), (4, 4), (6, 6)], [(1, 3)]])
    assert content(source) == content(path) == [kept]
    assert eh.score(source, path)["mentions"].f1 == 1


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        ([[(0, 0)], [(0, 1)]], ["(e2--1(e1--1)", "e2)", "_"]),
        ([[(1, 1)], [(0, 1)]], ["(e2--1", "(e1--1)e2)", "_"]),
        ([[(0, 1)], [(1, 1)], [(1, 2)]], ["(e1--1", "e1)(e3--1(e2--1)", "e3)"]),
        ([[(0, 0), (2, 2)], [(0, 1), (2, 2)]], ["(e1--1)(e2--1", "e2)", "(e1--1)(e2--1)"]),
    ],
    ids=["behind those that open", "before those that close", "both", "in order where spans repeat"],
)
def test_where_brackets_of_one_word_stand(tmp_path: Path, mentions: list, expected: list[str]) -> None:
    source = written(tmp_path, [Document("d", [["a", "b", "c"]], [], mentions)], tagged=False)
    assert [cell for _, cell in misc(converted(source, "corefud")[0])] == expected


@pytest.mark.parametrize(
    ("mentions", "said"),
    [
        ([[(0, 1)]], "Note: 1 mention reaches across sentences, which "),
        ([[(0, 1)], [(0, 2)]], "Note: 2 mentions reach across sentences, which "),
        ([[(1, 2)]], ""),
    ],
)
def test_mentions_across_sentences_are_kept_and_said(tmp_path: Path, mentions: list, said: str) -> None:
    source = written(tmp_path, [Document("d", [["a"], ["b", "c"]], [], mentions)], tagged=False)
    target = tmp_path / "out.conllu"
    found = CliRunner().invoke(main, ["convert", str(source), str(target)], prog_name="evenhand")
    more = "corefud can hold, but udapi and its scorer refuse.\n" if said else ""
    assert (found.exit_code, found.stderr) == (0, said + more)
    assert eh.score(source, target)["mentions"].f1 == 1
