"""Documents of coreference without names: they are matched by their order, or refused, but never scored as missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from build_chains import columns
from evenhand.cli import main

WORDS = ["w0", "w1", "w2"]
FIRST, SECOND = [[[0, 0], [2, 2]]], [[[0, 1], [2, 2]]]
CELLS = [["(1)", "-", "(1)"], ["(1", "1)", "(1)"]]


def lines(path: Path, *clusters: list, names: list[str | None] | None = None) -> Path:
    """JSON lines, without names unless they are given."""
    records = []
    for number, each in enumerate(clusters):
        name = None if names is None else names[number]
        more = {} if name is None else {"doc_key": name}
        records.append({**more, "sentences": [WORDS], "clusters": each})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def brackets(path: Path, cells: list[list[str]], names: list[str]) -> Path:
    path.write_text(columns(cells, names=names))
    return path


def corefud(path: Path, *documents: list[str], mark: str = "") -> Path:
    text = "# global.Entity = eid\n"
    for cells in documents:
        rows = [[str(n), f"w{n - 1}", *"_______", cell] for n, cell in enumerate(cells, 1)]
        text += mark + "".join("\t".join(row) + "\n" for row in rows) + "\n"
    path.write_text(text)
    return path


def test_json_lines_without_names_against_names(tmp_path: Path) -> None:
    key = brackets(tmp_path / "key.conll", CELLS, ["a", "b"])
    response = lines(tmp_path / "response.jsonl", FIRST, SECOND)
    for one, other in ((key, response), (response, key)):
        result = eh.score(one, other)
        assert result["mela"].f1 == 1
        assert not [note for note in result.notes if "documents" in note]
    other = lines(tmp_path / "other.jsonl", SECOND, FIRST)
    assert round(eh.score(key, other)["mentions"].f1, 4) == 0.5


def test_documents_of_both_sides_without_names(tmp_path: Path) -> None:
    """One is called nothing, and the other 1."""
    key = corefud(tmp_path / "key.conllu", ["Entity=(e1)", "_", "Entity=(e1)"])
    response = lines(tmp_path / "response.jsonl", FIRST)
    assert eh.score(key, response, mention_match="exact")["mela"].f1 == 1
    assert eh.score(key, eh.chains([[[(0, 1), (2, 3)]]]), mention_match="exact")["mela"].f1 == 1


def test_an_empty_name_is_none(tmp_path: Path) -> None:
    key = brackets(tmp_path / "key.conll", CELLS[:1], ["a"])
    assert eh.score(key, lines(tmp_path / "response.jsonl", FIRST, names=[""]))["mela"].f1 == 1


def test_marks_without_names_are_numbered(tmp_path: Path) -> None:
    entities = [["Entity=(e1)", "_", "Entity=(e1)"], ["Entity=(e1", "Entity=e1)", "Entity=(e1)"]]
    response = corefud(tmp_path / "response.conllu", *entities, mark="# newdoc\n")
    key = brackets(tmp_path / "key.conll", CELLS, ["a", "b"])
    assert eh.score(key, response)["mela"].f1 == 1


@pytest.mark.parametrize("size", [1, 1 << 18])
def test_order_counts_over_all_batches(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.settings import ReadSettings

    defaults = tuple(size if value == 1 << 18 else value for value in ReadSettings.__init__.__defaults__ or ())
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", defaults)
    key = brackets(tmp_path / "key.conll", CELLS * 20, [f"n{number}" for number in range(40)])
    response = lines(tmp_path / "response.jsonl", *[FIRST, SECOND] * 20)
    assert eh.score(key, response)["mela"].f1 == 1


def test_names_that_are_on_both_sides_count_more_than_the_order(tmp_path: Path) -> None:
    """Though those of the response are only numbers that its documents got."""
    key = brackets(tmp_path / "key.conll", CELLS[::-1], ["2", "1"])
    key.write_text(key.read_text().replace("; part 000", ""))
    assert eh.score(key, lines(tmp_path / "response.jsonl", FIRST, SECOND))["mela"].f1 == 1


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", "b", "c"], "no document of the gold standard is here: the first one is '1', there 'a'; give documents the same names in all files."),
        (None, "documents have no names, and are not as many as in the gold standard; name them, or give as many in all files."),
    ],
)  # fmt: skip
def test_other_numbers_of_documents_without_names_are_refused(
    tmp_path: Path, names: list[str | None] | None, sentence: str
) -> None:
    key = lines(tmp_path / "key.jsonl", FIRST, SECOND, FIRST, names=names)
    response = lines(tmp_path / "response.jsonl", FIRST, SECOND)
    with pytest.raises(eh.InputError) as error:
        eh.score(key, response)
    assert str(error.value).endswith(sentence)


def test_other_names_are_an_error_of_score_compare_and_check(tmp_path: Path) -> None:
    key = brackets(tmp_path / "key.conll", CELLS, ["a", "b"])
    response = brackets(tmp_path / "response.conll", CELLS, ["x/a", "x/b"])
    sentence = (
        f"{response}:1: no document of the gold standard is here: the first one is 'x/a_0', there 'a_0'; "
        "give documents the same names in all files.\n"
    )
    for arguments in (["score", "-q", key, response], ["compare", "-q", key, response, key]):
        found = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")
        assert (found.exit_code, found.stdout, found.stderr) == (2, "", f"evenhand: {sentence}")
    found = CliRunner().invoke(main, ["check", str(response), "--against", str(key)], prog_name="evenhand")
    assert found.exit_code == 1
    assert sentence.replace(":1: ", ":1: error: ", 1) in found.stdout + found.stderr


def test_one_document_of_the_same_name_is_enough(tmp_path: Path) -> None:
    """The others may be missing, which is said."""
    key = brackets(tmp_path / "key.conll", CELLS, ["a", "b"])
    result = eh.score(key, brackets(tmp_path / "response.conll", CELLS, ["a", "B"]))
    assert "system response: lacks documents b_0; they count as empty." in result.notes
