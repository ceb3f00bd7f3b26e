"""Converting words: what is written is what was read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main

TREES = ROOT / "src" / "evenhand" / "examples" / "trees"
TAGS = ROOT / "src" / "evenhand" / "examples" / "tags"


def convert(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


@pytest.mark.parametrize("name", ["gold", "rules", "transition", "neural"])
def test_conllu_is_written_as_it_was(tmp_path: Path, name: str) -> None:
    """Comments, multi-word tokens, empty nodes, enhanced dependencies and all."""
    target = tmp_path / "again.conllu"
    assert convert(TREES / f"{name}.conllu", target).exit_code == 0
    assert target.read_bytes() == (TREES / f"{name}.conllu").read_bytes()


def test_published_treebanks_are_written_as_they_were(tmp_path: Path, data: Path) -> None:
    for treebank in ("ud_en_pud", "ud_de_gsd"):
        target = tmp_path / "again.conllu"
        assert convert(data / treebank / "gold.conllu", target).exit_code == 0
        assert target.read_bytes() == (data / treebank / "gold.conllu").read_bytes()


def test_an_empty_node_at_the_end_stays_in_its_sentence(tmp_path: Path) -> None:
    word, node = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n", "1.1\tb\t_\tX\t_\t_\t_\t_\t0:root\t_\n"
    text = f"# one\n{word}{node}\n# two\n0.1\tc\t_\tX\t_\t_\t_\t_\t0:root\t_\n{word}\n"
    (tmp_path / "a.conllu").write_text(text)
    assert convert(tmp_path / "a.conllu", tmp_path / "b.conllu").exit_code == 0
    assert (tmp_path / "b.conllu").read_text() == text


def test_conllx_has_words_only(tmp_path: Path) -> None:
    target = tmp_path / "gold.conllx"
    found = convert(TREES / "gold.conllu", target)
    assert found.stderr == "Not carried by conllx: comments, multi-word tokens and empty nodes.\n"
    lines = [line for line in target.read_text().splitlines() if line]
    assert len(lines) == 855
    assert all(line.split("\t")[0].isdecimal() for line in lines)
    gold, again = eh.read(TREES / "gold.conllu"), eh.read(target, format="conllx")
    assert again["upos"].to_list() == gold["upos"].to_list()
    assert again.trees().head.tolist() == gold.trees().head.tolist()


def test_trees_are_not_lost_unasked(tmp_path: Path) -> None:
    found = convert(TREES / "gold.conllu", tmp_path / "gold.conll")
    assert found.exit_code == 2
    assert found.stderr == (
        "evenhand: conll cannot carry trees; give --task tags to convert the tags alone, or --lossy.\n"
    )


def test_tags_become_two_columns_and_come_back(tmp_path: Path) -> None:
    assert convert(TREES / "gold.conllu", tmp_path / "tags.conll", "--task", "tags", "--column", "xpos").exit_code == 0
    assert convert(tmp_path / "tags.conll", tmp_path / "tags.conllu", "--task", "tags").exit_code == 0
    again, gold = eh.read(tmp_path / "tags.conllu"), eh.read(TREES / "gold.conllu")
    assert again["xpos"].to_list() == gold["xpos"].to_list()
    assert set(again["upos"].to_list()) == {"_"}
    assert len(again.corpus.documents) == len(gold.corpus.documents) == 5


def test_universal_tags_become_upos(tmp_path: Path) -> None:
    assert convert(TAGS / "gold.tsv", tmp_path / "gold.conllu", "--task", "tags").exit_code == 0
    again = eh.read(tmp_path / "gold.conllu")
    tags = [line.split("\t")[1] for line in (TAGS / "gold.tsv").read_text().splitlines() if line]
    assert again["upos"].to_list() == tags
    assert "trees" not in again.layers


def test_a_file_without_heads_has_no_trees_to_score(tmp_path: Path) -> None:
    convert(TAGS / "gold.tsv", tmp_path / "gold.conllu", "--task", "tags")
    with pytest.raises(eh.InputError, match="the words have no heads; give --task tags to score its tags alone"):
        eh.score(tmp_path / "gold.conllu", tmp_path / "gold.conllu")


def test_spans_have_no_place_in_conllu(tmp_path: Path, example: Path) -> None:
    found = convert(example / "gold.conll", tmp_path / "gold.conllu")
    assert found.exit_code == 2
    assert "conllu has no place for spans" in found.stderr


def test_words_have_no_place_in_span_tables(tmp_path: Path) -> None:
    found = convert(TREES / "gold.conllu", tmp_path / "gold.tsv", "--to", "spans")
    assert found.exit_code == 2
    assert "spans has no place for trees" in found.stderr
