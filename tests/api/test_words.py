"""Scores of words from lists, annotations and files, however they are cut into batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from evenhand.settings import ReadSettings
from evenhand.tasks.words import evaluation as words

TREES = ROOT / "src" / "evenhand" / "examples" / "trees"


def test_tags_from_lists() -> None:
    gold, system = eh.tags([["DET", "NOUN", "VERB"]]), eh.tags([["DET", "VERB", "VERB"]])
    result = eh.score(gold, system, task="tags")
    assert result["accuracy"].headline == 2 / 3
    assert (result["accuracy"].labels["VERB"].precision, result["accuracy"].labels["VERB"].recall) == (1 / 2, 1)
    assert result["accuracy"].confusion == {"NOUN": {"VERB": 1}}


def test_trees_from_lists() -> None:
    """Without words, sentences must have the same lengths."""
    gold = eh.trees([[(2, "nsubj"), (0, "root"), (2, "obj")]])
    result = eh.score(gold, eh.trees([[(2, "nsubj"), (0, "root"), (1, "obj")]]))
    assert [result[name].headline for name in ("uas", "ls", "las")] == [2 / 3, 1, 2 / 3]
    assert list(result.scores) == ["uas", "ls", "las"]
    with pytest.raises(eh.InputError, match="sentence 1 has 3 words in the gold standard, 2 in the prediction"):
        eh.score(gold, eh.trees([[(2, "nsubj"), (0, "root")]]))


def test_lists_with_words_must_have_the_same() -> None:
    gold = eh.trees([[(2, "nsubj"), (0, "root")]], tokens=[["They", "sing"]])
    with pytest.raises(eh.InputError, match="found the text 'They sang' where trees has 'They sing'"):
        eh.score(gold, eh.trees([[(2, "nsubj"), (0, "root")]], tokens=[["They", "sang"]]))


@pytest.mark.parametrize(
    ("heads", "what"),
    [
        ([(5, "x")], "sentence 2 has a head outside the sentence"),
        ([(-1, "x")], "sentence 2 has a head outside the sentence"),
        ([(2, "x"), (1, "y")], "sentence 2 has words that do not lead to the root"),
    ],
)
def test_lists_that_are_no_trees(heads: list[tuple[int, str]], what: str) -> None:
    with pytest.raises(eh.InputError, match=what):
        eh.trees([[(0, "root")], heads])


def test_conll18_takes_all_columns() -> None:
    tree = eh.trees([[(0, "root")]], tokens=[["Sing"]])
    with pytest.raises(eh.SettingError, match="need the column upos, which trees does not have"):
        eh.score(tree, tree, match="conll18")


def test_annotations_score_as_files_do() -> None:
    files = eh.score(TREES / "gold.conllu", TREES / "transition.conllu")
    read = eh.score(eh.read(TREES / "gold.conllu"), eh.read(TREES / "transition.conllu"))
    assert read.tallies == files.tallies
    assert read.to_dict()["systems"][0]["scores"] == files.to_dict()["systems"][0]["scores"]


def test_tags_of_annotations_by_column() -> None:
    gold, system = eh.read(TREES / "gold.conllu"), eh.read(TREES / "rules.conllu")
    by_file = eh.score(TREES / "gold.conllu", TREES / "rules.conllu", task="tags", column="xpos")
    assert eh.score(gold, system, task="tags", column="xpos").tallies == by_file.tallies
    official = eh.score(gold, system, match="conll18-xpos")["conll18-xpos"]
    assert by_file["accuracy"].headline == official.recall


@pytest.mark.parametrize("groups", ["total", "sentence", "document", "finest"])
def test_groups_add_up(groups: str) -> None:
    whole = eh.score(TREES / "gold.conllu", TREES / "neural.conllu")
    parts = eh.score(TREES / "gold.conllu", TREES / "neural.conllu", groups=groups)
    for judge, tally in parts.tallies.items():
        assert tally.total() == whole.tallies[judge].total()
    sizes = {"total": 1, "sentence": 68, "document": 5, "finest": 5}
    assert parts.tallies["conll18"].group.max() + 1 == sizes[groups]


@settings(max_examples=20)
@given(
    size=st.integers(64, 40_000),
    many_words=st.sampled_from([1, 50, 400]),
    system=st.sampled_from(["neural", "transition"]),
)
def test_no_number_depends_on_blocks_and_parts(size: int, many_words: int, system: str) -> None:
    whole = eh.score(TREES / "gold.conllu", TREES / f"{system}.conllu", groups="sentence")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReadSettings.__init__, "__defaults__", _with_block_size(size))
        patch.setattr(words, "MANY_WORDS", many_words)
        parts = eh.score(TREES / "gold.conllu", TREES / f"{system}.conllu", groups="sentence")
    assert parts.tallies == whole.tallies
    assert parts.to_dict() == whole.to_dict()


def _with_block_size(size: int) -> tuple:
    default = ReadSettings().block_size
    return tuple(size if value == default else value for value in ReadSettings.__init__.__defaults__ or ())


def test_a_system_that_is_one_sentence(tmp_path: Path) -> None:
    """No sentence end is shared before the last one."""
    rows = [line.split("\t") for line in (TREES / "rules.conllu").read_text().splitlines() if line[:1].isdigit()]
    plain = [row for row in rows if row[0].isdecimal()]
    gold = "".join(f"1\t{row[1]}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for row in plain)
    chain = "".join(
        f"{number}\t{row[1]}\t_\tX\t_\t_\t{number - 1}\troot\t_\t_\n" for number, row in enumerate(plain, 1)
    )
    (tmp_path / "gold.conllu").write_text(gold)
    (tmp_path / "one.conllu").write_text(chain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "MANY_WORDS", 10)
        result = eh.score(tmp_path / "gold.conllu", tmp_path / "one.conllu")
    assert result["uas"].overall["correct"] == 1
    assert result["ls"].headline == 1
    assert result["conll18-sentences"].overall["correct"] == 0


@pytest.mark.parametrize("call", [eh.score, eh.rank, eh.compare])
def test_columns_are_named_in_all_commands(tmp_path: Path, call: Callable) -> None:
    """Form, head and relation in the first columns, with spaces between."""
    (tmp_path / "gold.txt").write_text("They 2 nsubj\nsing 0 root\n")
    (tmp_path / "a.txt").write_text("They 2 nsubj\nsing 0 root\n")
    (tmp_path / "b.txt").write_text("They 2 obj\nsing 0 root\n")
    systems = [tmp_path / "a.txt", tmp_path / "b.txt"]
    found = call(tmp_path / "gold.txt", systems, task="trees", column="form=1,head=2,deprel=3")
    assert found.to_dict()["task"] == "trees"
    with pytest.raises(eh.InputError, match="the file does not have the columns of CoNLL-U; specify the columns"):
        call(tmp_path / "gold.txt", systems, task="trees")
