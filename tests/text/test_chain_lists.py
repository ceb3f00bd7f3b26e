"""Annotations from lists of chains: with and without words, POS and names, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

import evenhand as eh

CHAINS = [[[(0, 2), (5, 6)], [(3, 4)]], [], [[(0, 1)]]]
TOKENS = [["The", "cat", "saw", "Ada", "and", "it"], ["Rain"], ["Snow"]]
POS = [["DT", "NN", "VBD", "NNP", "CC", "PRP"], ["NN"], ["NN"]]


def test_ends_are_exclusive_unless_they_are_said_to_be_inclusive() -> None:
    exclusive, inclusive = eh.chains([[[(0, 2), (5, 6)]]]), eh.chains([[[(0, 1), (5, 5)]]], end="inclusive")
    for found in (exclusive, inclusive):
        assert found.chains().clusters(1) == [[[(0, 2), (5, 6)]]]
    assert eh.score(exclusive, inclusive)["mela"].f1 == 1


def test_documents_chains_and_mentions_keep_their_order() -> None:
    found = eh.chains([[[(5, 6), (0, 1)], [(0, 1)]], [], [[(2, 3)]]])
    assert found.chains().clusters(3) == [[[(5, 6), (0, 1)], [(0, 1)]], [], [[(2, 3)]]]
    assert found.chains().chain.tolist() == [0, 0, 1, 2]
    assert found.corpus.names == ("1", "2", "3")


def test_the_first_chain_of_a_list_keeps_a_repeated_span() -> None:
    key = eh.chains([[[(0, 1), (2, 3)], [(4, 5), (6, 7)]]])
    first = eh.chains([[[(0, 1), (2, 3)], [(2, 3), (4, 5), (6, 7)]]])
    other = eh.chains([[[(2, 3), (4, 5), (6, 7)], [(0, 1), (2, 3)]]])
    assert eh.score(key, first)["lea"].f1 == 1
    assert eh.score(key, other)["lea"].f1 < 1
    assert any("1 mention repeats the span of another" in note for note in eh.score(key, first).notes)


def test_without_words_any_text_will_do() -> None:
    bare, full = eh.chains(CHAINS), eh.chains(CHAINS, tokens=TOKENS)
    for key, response in ((bare, full), (full, bare), (bare, bare)):
        assert eh.score(key, response, align="strict")["mela"].f1 == 1
    assert "arcs_nom" not in eh.score(full, full).scores


def test_words_are_compared() -> None:
    other = [["A", *TOKENS[0][1:]], *TOKENS[1:]]
    key, response = eh.chains(CHAINS, tokens=TOKENS), eh.chains(CHAINS, tokens=other, name="mine")
    assert any("1 word is not that of the gold standard" in note for note in eh.score(key, response).notes)
    with pytest.raises(eh.InputError, match="mine: found 'A' where the gold standard has 'The'"):
        eh.score(key, response, align="strict")
    with pytest.raises(eh.InputError, match="the document 2 has 2 tokens, in the gold standard 1"):
        eh.score(key, eh.chains(CHAINS, tokens=[TOKENS[0], ["More", "rain"], TOKENS[2]]))


def test_pos_tell_nouns_from_pronouns() -> None:
    found = eh.score(eh.chains(CHAINS, tokens=TOKENS, pos=POS), eh.chains(CHAINS))
    assert found.gold.labels == {"nouns": 3, "PRP": 1}
    assert (found["arcs_nom"].labels["PRP"]["tp"], found["arcs_nom"].labels["nouns"]["tp"]) == (1, 0)
    assert eh.chains(CHAINS, tokens=TOKENS, pos=POS)["pos"].to_list() == [tag for tags in POS for tag in tags]  # type: ignore[union-attr]


def test_documents_are_matched_by_names() -> None:
    key = eh.chains(CHAINS, names=["a", "b", "c"])
    moved = eh.chains([CHAINS[2], CHAINS[0], []], names=["c", "a", "b"])
    assert eh.score(key, moved)["mela"].f1 == 1
    assert eh.score(key, eh.chains(CHAINS))["mela"].f1 == 1  # by their order, as the other side has no names
    fewer = eh.score(key, eh.chains(CHAINS[:1], names=["a"]))
    assert "system chains: lacks documents b, c; they count as empty." in fewer.notes


def test_lists_may_be_anything_that_can_be_looped_over() -> None:
    found = eh.chains(
        (((span for span in chain) for chain in document) for document in CHAINS),  # type: ignore[misc]
        tokens=(tuple(words) for words in TOKENS),
    )
    assert found.chains().clusters(3) == CHAINS


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"documents": [[[(0, 0)]]]}, r"covers \[0, 0\)"),
        ({"documents": [[[(2, 1)]]]}, r"covers \[2, 1\)"),
        ({"documents": [[], [[(-1, 1)]]]}, r"covers \[-1, 1\)"),
        ({"documents": [[[(0, 2)]]], "tokens": [["a"]]}, r"covers \[0, 2\)"),
        ({"documents": [[]], "tokens": [["a"], ["b"]]}, "not as many lists of tokens as documents; give one for each"),
        ({"documents": [[]], "pos": [["X"]]}, "there are POS but no tokens; give both"),
        (
            {"documents": [[]], "tokens": [["a"]], "pos": [["X", "Y"]]},
            "document 1 has the length 1, but a list of POS of length 2",
        ),
        ({"documents": [[]], "names": ["a", "b"]}, "names and documents do not match"),
        ({"documents": [[], []], "names": ["a", "a"]}, "names and documents do not match"),
    ],
    ids=["empty", "backwards", "negative", "outside", "tokens", "pos", "lengths", "names", "twice"],
)
def test_what_is_wrong(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(eh.InputError, match=f"^mine: .*{what}"):
        eh.chains(**arguments, name="mine")


def test_ends_are_one_of_two() -> None:
    with pytest.raises(eh.SettingError, match="end is 'last'; choose one of exclusive, inclusive"):
        eh.chains([[]], end="last")  # type: ignore[arg-type]
