"""Brackets of mentions, in all their spellings, and random files against the slow reader, whatever the blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_chains
from build_chains import TAGS, brackets, columns
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

Clusters = list[list[tuple[int, int]]]


def plain(annotation: Annotation) -> dict[str, Clusters]:
    """By document the chains, with inclusive ends."""
    names = annotation.corpus.names
    found = annotation.chains().clusters(len(names))
    return {
        name: [sorted((start, end - 1) for start, end in chain) for chain in chains]
        for name, chains in zip(names, found, strict=True)
    }


def read(folder: Path, cells: list[str], separator: str = "\t") -> Clusters:
    """The chains of one document with these cells."""
    path = folder / "file.conll"
    path.write_text(columns([cells], separator=separator))
    (chains,) = plain(eh.read(path)).values()
    return chains


SPELLINGS: dict[str, tuple[list[str], Clusters]] = {
    "nothing": (["-", "_", "-"], []),
    "one token": (["-", "(1)", "-"], [[(1, 1)]]),
    "several tokens": (["(1", "-", "1)"], [[(0, 2)]]),
    "two that open together, joined": (["(1(3", "3)", "1)"], [[(0, 2)], [(0, 1)]]),
    "two that close together, joined": (["(1", "(3", "3)1)"], [[(0, 2)], [(1, 2)]]),
    "joined in another order": (["(3(1", "-", "3)1)"], [[(0, 2)], [(0, 2)]]),
    "bars": (["(1|(2)", "(3)|1)", "-"], [[(0, 0)], [(0, 1)], [(1, 1)]]),
    "bars at the ends": (["|(1)|", "(2)||(3)", "-"], [[(0, 0)], [(1, 1)], [(1, 1)]]),
    "brackets without bars": (["(1)(2)", "(3(4)", "3)"], [[(0, 0)], [(0, 0)], [(1, 1)], [(1, 2)]]),
    "one closes where another opens": (["(1", "1)(2", "2)"], [[(0, 1)], [(1, 2)]]),
    "a chain closes where it opens": (["(1", "1)(1", "1)"], [[(0, 1), (1, 2)]]),
    "a chain opens, then closes": (["(1", "(1|1)", "1)"], [[(0, 2), (1, 1)]]),
    "nested in the same chain": (["(1(1", "1)", "1)"], [[(0, 1), (0, 2)]]),
    "nested thrice": (["(1(1", "(1)", "1)1)"], [[(0, 2), (0, 2), (1, 1)]]),
    "the last one opened closes first": (["(1", "(1", "1)1)"], [[(0, 2), (1, 2)]]),
    "crossing in the same chain is nesting": (["(1", "(1", "1)", "1)"], [[(0, 3), (1, 2)]]),
    "crossing in other chains": (["(1", "(2", "1)", "2)"], [[(0, 2)], [(1, 3)]]),
    "across sentences": (["-", "(7", "-", "-", "7)"], [[(1, 4)]]),
    "the same span twice in a chain": (["(1)|(1)", "-"], [[(0, 0), (0, 0)]]),
    "names that are no numbers": (["(e12", "e12)(x-y)", "(é)|(*)"], [[(0, 1)], [(1, 1)], [(2, 2)], [(2, 2)]]),
    "a name that begins as another": (["(1", "(12)", "(12", "12)1)"], [[(0, 3)], [(1, 1), (2, 3)]]),
    "17 digits": (
        ["(17740950239373139", "17740950239373139)(17740950239373138)", "(17740950239373139)"],
        [[(0, 1), (2, 2)], [(1, 1)]],
    ),
    "20 digits": (
        ["(12345678901234567890", "12345678901234567890)(12345678901234567891)"],
        [[(0, 1)], [(1, 1)]],
    ),
    "zeros before a number": (["(01)|(1)|(001)", "(1)", "(01)"], [[(0, 0), (2, 2)], [(0, 0), (1, 1)], [(0, 0)]]),
    "numbers and others": (["(1)|(a)", "(a)", "(1)"], [[(0, 0), (2, 2)], [(0, 0), (1, 1)]]),
}  # fmt: skip


@pytest.mark.parametrize("separator", ["\t", " ", "    "], ids=["tabs", "blanks", "runs of blanks"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings(tmp_path: Path, spelling: str, separator: str) -> None:
    cells, expected = SPELLINGS[spelling]
    assert read(tmp_path, cells, separator) == [sorted(chain) for chain in expected]


def test_an_empty_cell_between_tabs_has_no_mention(tmp_path: Path) -> None:
    assert read(tmp_path, ["(1", "", "1)", "(2)", ""]) == [[(0, 2)], [(3, 3)]]
    assert read(tmp_path, ["", "(1)"]) == [[(1, 1)]]


def test_chains_of_the_same_name_in_two_documents_are_two(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text(columns([["(1)", "-"], ["(1", "1)"]]))
    chains = eh.read(path).chains()
    assert chains.document.tolist() == [0, 1]
    assert len(set(chains.chain.tolist())) == 2


def test_mentions_are_in_the_order_of_their_brackets(tmp_path: Path) -> None:
    """By which the first of several chains is told: (9 opens before (1."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(9|(1", "(1)", "9)|1)|(9)"]]))
    chains = eh.read(path).chains()
    assert list(zip(chains.start.tolist(), chains.end.tolist(), strict=True)) == [(0, 3), (0, 3), (1, 2), (2, 3)]
    assert chains.chain[0] == chains.chain[3] != chains.chain[1] == chains.chain[2]


def test_brackets_of_one_token_are_the_first_of_their_cell(tmp_path: Path) -> None:
    """As the official scorer reads a cell: `(1)` and `(2)` before `(9`, and these from left to right."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(9|(1)|(5|(2)", "9)|5)"]]))
    chains = eh.read(path).chains()
    assert list(zip(chains.start.tolist(), chains.end.tolist(), strict=True)) == [(0, 1), (0, 1), (0, 2), (0, 2)]


@pytest.mark.parametrize(("first", "recall"), [("(1|(2)", 0), ("(2)|(1", 0), ("(1|(2|2)", 1)])
def test_the_chain_that_keeps_a_repeated_span(tmp_path: Path, first: str, recall: int) -> None:
    """(3, 3) is in chains 1 and 2: that of the one-token bracket keeps it, be it written before the other or behind."""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(columns([["(1|(2)", "-", "1)", "(1)"]]))
    response.write_text(columns([[first, "-", "1)", "(1)|(2)"]]))
    assert eh.score(key, response)["muc"].recall == recall


@settings(max_examples=100)
@given(
    documents=st.lists(st.integers(1, 7).flatmap(brackets), min_size=1, max_size=4),
    separator=st.sampled_from(["\t", " ", "   ", " \t"]),
)
def test_random_files(tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], separator: str) -> None:
    text = columns(documents, separator=separator)
    path = tmp_path_factory.getbasetemp() / "random.conll"
    path.write_text(text)
    slow = slow_chains.read_columns(text)
    expected = [[sorted(chain) for chain in chains] for chains in slow.values()]
    assert list(plain(eh.read(path)).values()) == expected


def _layers(annotation: Annotation) -> dict[str, object]:
    corpus, chains = annotation.corpus, annotation.chains()
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    return {
        "names": corpus.names,
        "documents": corpus.documents.tolist(),
        "bounds": corpus.bounds.tolist(),
        "words": [corpus.tokens[place] for place in range(len(corpus.tokens))],
        "lines": [corpus.line(token) for token in range(len(corpus.tokens))],
        "pos": annotation["pos"].to_list(),  # type: ignore[union-attr]
        "rows": list(zip(*(each.tolist() for each in (chains.document, chains.start, chains.end)), strict=True)),
        "chains": chains.clusters(len(corpus.names)),
    }


@settings(max_examples=40)
@given(
    documents=st.lists(brackets(), min_size=1, max_size=6),
    tags=st.lists(st.sampled_from(TAGS), min_size=6, max_size=6),
    size=st.integers(1, 80),
)
def test_layers_do_not_depend_on_blocks_or_separators(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], tags: list[str], size: int
) -> None:
    folder, found = tmp_path_factory.getbasetemp(), []
    for separator in ("\t", "  "):
        path = folder / "blocks.conll"
        path.write_text(columns(documents, pos=[tags] * len(documents), separator=separator))
        parts = [list(batches(path, each, Vocabulary())) for each in (ReadSettings(), ReadSettings(block_size=size))]
        found += [_layers(Annotation.concatenate(each)) for each in parts]
    assert found[1:] == found[:1] * 3


def test_small_blocks_are_several_batches(tmp_path: Path) -> None:
    """Or the test above would say nothing."""
    path = tmp_path / "file.conll"
    path.write_text(columns([["(1)"] * 6] * 40))
    found = list(batches(path, ReadSettings(block_size=16), Vocabulary()))
    assert len(found) > 10
    assert sum(len(batch.corpus.names) for batch in found) == 40
