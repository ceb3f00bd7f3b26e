"""Odd coreference files: each has its right score, or the sentence that says what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main

WORDS = ["w0", "w1", "w2", "w3"]
CELLS = ["(1)", "(2", "2)", "(1)"]


def conll(cells: list[str] | None = None, mark: str = "#begin document (d)", separator: str = "\t") -> str:
    """A document of CoNLL-2012 with these cells."""
    rows = [separator.join(["d", "0", str(n), f"w{n}", each]) for n, each in enumerate(cells or CELLS)]
    return "\n".join([mark, *rows, "", "#end document", ""])


def conllu(cells: list[str] | None = None, head: str = "# newdoc id = d\n# global.Entity = eid\n") -> str:
    """The same in CorefUD; a number before a colon is that of an empty node (`1.1:(3)`)."""
    rows, number = [], 0
    for cell in cells or ["(1)", "(2", "2)", "(1)"]:
        node, colon, entity = cell.rpartition(":")
        number += not colon
        misc = "_" if entity == "-" else f"Entity={entity}"
        rows.append("\t".join([node or str(number), f"w{number - 1}", *"_______", misc]))
    return head + "\n".join(rows) + "\n\n"


def jsonl(**changed: object) -> str:
    record = {"doc_key": "d", "sentences": [WORDS], "clusters": [[[0, 0], [3, 3]], [[1, 2]]], **changed}
    return json.dumps({key: value for key, value in record.items() if value is not None}) + "\n"


KEY = conll()


def files(folder: Path, name: str, text: str | bytes) -> tuple[Path, Path]:
    """The key, and a response of this text."""
    key, response = folder / "key.conll", folder / name
    key.write_text(KEY)
    response.write_bytes(text.encode() if isinstance(text, str) else text)
    return key, response


READ: dict[str, tuple[str, str | bytes, str]] = {
    "the key itself": ("r.conll", KEY, "100.00"),
    "CRLF": ("r.conll", KEY.replace("\n", "\r\n"), "100.00"),
    "a byte order mark": ("r.conll", b"\xef\xbb\xbf" + KEY.encode(), "100.00"),
    "no line feed at the end": ("r.conll", KEY.rstrip("\n"), "100.00"),
    "no end of the document": ("r.conll", KEY.replace("#end document\n", ""), "100.00"),
    "blanks for tabs": ("r.conll", conll(separator="   "), "100.00"),
    "a tab at the end of every line": ("r.conll", KEY.replace(")\n", ")\t\n").replace("(2\n", "(2\t\n"), "100.00"),
    "a comment within": ("r.conll", KEY.replace("d\t0\t2", "# note\nd\t0\t2"), "100.00"),
    "a part where the key has none, alone": ("r.conll", conll(mark="#begin document (d);"), "100.00"),
    "no mark at all, named as the format": ("r.conll", conll(mark=""), "100.00"),
    "chains that are named": ("r.conll", conll(["(a)", "(b", "b)", "(a)"]), "100.00"),
    "zeros before numbers": ("r.conll", conll(["(01)", "(1", "1)", "(01)"]), "100.00"),
    "no mention": ("r.conll", conll(["-"] * 4), "0.00"),
    "one wrong mention": ("r.conll", conll(["(1)", "(2)", "-", "(1)"]), "72.22"),
    "CorefUD": ("r.conllu", conllu(), "100.00"),
    "CorefUD without a name": ("r.conllu", conllu(head="# global.Entity = eid\n"), "100.00"),
    "CorefUD with an empty node": ("r.conllu", conllu(["(1)", "1.1:-", "(2", "2)", "(1)"]), "100.00"),
    "CorefUD with a zero": ("r.conllu", conllu(["(1)", "(2", "2)", "(1)", "4.1:(2)"]), "75.64"),
    "CorefUD with other fields": (
        "r.conllu", conllu(["(x-1-1)", "(y-2-1", "2)", "(x-1-1)"], "# newdoc id = d\n# global.Entity = etype-eid-head\n"),
        "100.00",
    ),
    "JSON lines": ("r.jsonl", jsonl(), "100.00"),
    "JSON lines without a name": ("r.jsonl", jsonl(doc_key=None), "100.00"),
    "JSON lines with an empty name": ("r.jsonl", jsonl(doc_key=""), "100.00"),
    "JSON lines with tokens": ("r.jsonl", jsonl(sentences=None, tokens=WORDS), "100.00"),
    "JSON lines with blank lines": ("r.jsonl", "\n\n" + jsonl() + "\n \n", "100.00"),
    "JSON lines with an empty sentence": ("r.jsonl", jsonl(sentences=[WORDS[:1], [], WORDS[1:]]), "100.00"),
    "JSON lines with an empty cluster": ("r.jsonl", jsonl(clusters=[[[0, 0], [3, 3]], [], [[1, 2]]]), "100.00"),
    "JSON lines with a repeated mention": ("r.jsonl", jsonl(clusters=[[[0, 0], [3, 3], [0, 0]], [[1, 2]]]), "100.00"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_odd_files_that_are_read(tmp_path: Path, name: str) -> None:
    file, text, mela = READ[name]
    format = "conll2012" if "no mark" in name else None
    found = eh.score(*files(tmp_path, file, text), format=format)
    assert f"{100 * found['mela'].f1:.2f}" == mela


REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "a mention that is never closed": (
        "r.conll", conll(["(1)", "(2", "-", "(1)"]),
        "r.conll:3: a mention opens here that is never closed in its document; close it.",
    ),
    "a mention that was never opened": (
        "r.conll", conll(["(1)", "-", "2)", "(1)"]),
        "r.conll:4: a mention closes here that was not opened in its document; open it before.",
    ),
    "a bracket without a name": (
        "r.conll", conll(["()", "(2", "2)", "(1)"]),
        "r.conll:2: '()' is not a coreference annotation; write -, or brackets such as (12, 12) or (12), with bars between them.",
    ),
    "a word too few": (
        "r.conll", conll(CELLS[:3]), "r.conll:4: the document d has 3 tokens, in the gold standard 4; use the same tokens in all files.",
    ),
    "a document twice": (
        "r.conll", KEY + KEY, "r.conll:8: the document d already began in line 1; give every document a different name.",
    ),
    "a mark without a name": (
        "r.conll", conll(mark="#begin document"), "r.conll:1: the document has no name; write #begin document (name); part 000.",
    ),
    "another name": (
        "r.conll", conll(mark="#begin document (e)"),
        "r.conll:1: no document of the gold standard is here: the first one is 'e', there 'd'; give documents the same names in all files.",
    ),
    "words behind the end": (
        "r.conll", KEY + "d\t0\t0\tw0\t-\n", "r.conll:8: found words after the end of a document; begin a new one with #begin document.",
    ),
    "a line cut off": (
        "r.conll", KEY.replace("d\t0\t3\tw3\t(1)", "d\t0"),
        "r.conll:5: '0' is not a coreference annotation; write -, or brackets such as (12, 12) or (12), with bars between them.",
    ),
    "CorefUD with part of a mention": (
        "r.conllu", conllu(["(1[1/2])", "(2", "2)", "(1)"]),
        "r.conllu:3: a mention of '1' has 1 of its 2 parts; write all parts, from [1/n] to [n/n].",
    ),
    "CorefUD with a number twice": (
        "r.conllu", conllu().replace("3\tw2", "2\tw2"),
        "r.conllu:5: expected the word 3 next, got 2; number the words of every sentence from 1, without gaps.",
    ),
    "CorefUD with a word more": (
        "r.conllu", conllu([*CELLS, "-"]),
        "r.conllu:7: the document d has 5 tokens, in the gold standard 4; use the same tokens in all files.",
    ),
    "JSON lines with a mention outside": (
        "r.jsonl", jsonl(clusters=[[[0, 4]]]),
        "r.jsonl:1: the mention [0, 4] is outside the document, which has 4 tokens; use the first and the last token of each mention, counted from 0.",
    ),
    "JSON lines with a mention that ends first": (
        "r.jsonl", jsonl(clusters=[[[2, 1]]]),
        "r.jsonl:1: the mention [2, 1] is outside the document, which has 4 tokens; use the first and the last token of each mention, counted from 0.",
    ),
    "JSON lines without words": (
        "r.jsonl", jsonl(sentences=None), "r.jsonl:1: the document has no sentences or tokens; add its words.",
    ),
    "JSON lines with two kinds of clusters": (
        "r.jsonl", jsonl(predicted_clusters=[]),
        "r.jsonl:1: the document has clusters and predicted_clusters; specify one of them with --column.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_odd_files_that_are_refused(tmp_path: Path, name: str) -> None:
    file, text, sentence = REFUSED[name]
    arguments = ["score", "--quiet", *map(str, files(tmp_path, file, text))]
    found = CliRunner().invoke(main, arguments, prog_name="evenhand")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.replace(f"{tmp_path}/", "") == f"evenhand: {sentence}\n"


@pytest.mark.parametrize("name", [name for name in (*READ, *REFUSED) if "no mark" not in name])
def test_a_check_fails_where_a_score_does(tmp_path: Path, name: str) -> None:
    file, text, _ = (READ | REFUSED)[name]
    key, response = files(tmp_path, file, text)
    found = CliRunner().invoke(main, ["check", str(response), "--against", str(key)], prog_name="evenhand")
    assert found.exit_code == (1 if name in REFUSED else 0), found.output


def many(good: str, bad: str, line: int) -> str:
    """2,500 lines, of which one is bad."""
    return "".join(bad if number == line else good for number in range(1, 2501))


def bad_conll(line: int) -> str:
    return "#begin document (d)\n" + many("d\t0\t0\tw\t(1)\n", "d\t0\t0\tw\t(1\n", line - 1)


def bad_conllu(line: int) -> str:
    row = "1\tw" + 7 * "\t_" + "\tEntity=(e1)\n\n"
    text = "# global.Entity = eid\n" + many(row, row.replace("(e1)", "(e1))"), line // 2)
    return text if line % 2 == 0 else text.replace("eid\n", "eid\n\n", 1)


def bad_jsonl(line: int) -> str:
    lines = [json.dumps({"doc_key": str(n), "sentences": [["w"]], "clusters": []}) + "\n" for n in range(1, 2501)]
    lines[line - 1] = lines[line - 1].replace("[]}", "[[[0, 7]]]}")
    return "".join(lines)


@pytest.mark.parametrize("line", [2, 2000])
@pytest.mark.parametrize(
    ("name", "write", "finding"),
    [
        ("r.conll", bad_conll, "a mention opens here that is never closed in its document"),
        ("r.conllu", bad_conllu, "'Entity=(e1))' is not a coreference annotation"),
        ("r.jsonl", bad_jsonl, "the mention [0, 7] is outside the document, which has 1 token"),
    ],
)
def test_one_bad_line_is_an_error_at_that_line(
    tmp_path: Path, name: str, write: Callable[[int], str], finding: str, line: int
) -> None:
    path = tmp_path / name
    path.write_text(write(line))
    for command, status, severity in ((["score", path, path], 2, ""), (["check", path], 1, "error: ")):
        found = CliRunner().invoke(main, [*map(str, command)], prog_name="evenhand")
        assert found.exit_code == status
        assert f"{path}:{line}: {severity}{finding}" in found.output
