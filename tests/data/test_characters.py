"""Characters as atoms: offsets, other tokens of the same text, and the way back to tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.characters import Texts, to_characters, to_tokens

TEXT = st.text(st.sampled_from("ab é世😀 \t\n\u00a0\u3000x"), max_size=20)


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_atoms_are_the_characters_without_spaces(texts: list[str]) -> None:
    outcome = Texts.of(texts)
    atoms = [outcome.tokens[i] for i in range(len(outcome.tokens))]
    assert atoms == [char for text in texts for char in text if not char.isspace()]
    for number, text in enumerate(texts):
        for offset in range(len(text) + 1):
            place = outcome.positions(np.array([number]), np.array([offset]))[0]
            assert place == sum(not char.isspace() for char in text[:offset])
        assert outcome.positions(np.array([number]), np.array([len(text) + 1]))[0] == -1


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_utf16_offsets(texts: list[str]) -> None:
    outcome = Texts.of(texts, "utf16")
    for number, text in enumerate(texts):
        for offset in range(len(text) + 1):
            units = len(text[:offset].encode("utf-16-le")) // 2
            place = outcome.positions(np.array([number]), np.array([units]))[0]
            assert place == sum(not char.isspace() for char in text[:offset])


def test_an_offset_inside_a_surrogate_pair_is_none() -> None:
    assert Texts.of(["😀"], "utf16").positions(np.array([0]), np.array([1])).tolist() == [-1]


GOLD = eh.tags([["B-LOC", "I-LOC", "O"]], tokens=[["New", "York-based", "x"]], name="gold")


def test_other_tokens_of_the_same_text() -> None:
    """No prediction vanishes: one that ends inside a gold token is a boundary error."""
    same = eh.tags([["B-LOC", "I-LOC", "I-LOC", "O"]], tokens=[["New", "York", "-based", "x"]])
    shorter = eh.tags([["B-LOC", "I-LOC", "O", "O"]], tokens=[["New", "York", "-based", "x"]])
    with pytest.raises(eh.InputError, match="choose --align position"):
        eh.score(GOLD, same)
    assert eh.score(GOLD, same, align="characters")["exact"].f1 == 1.0
    result = eh.score(GOLD, shorter, align="characters")
    assert (result["fair"].overall["BES"], result.gold.characters, result.gold.tokens) == (1, 14, None)
    assert "align:characters|atoms:characters" in result.signature


def test_texts_that_differ_show_where_they_part() -> None:
    other = eh.tags([["O", "O"]], tokens=[["New", "Yorkshire"]], name="other")
    with pytest.raises(
        eh.InputError,
        match="found the text 'New Yorkshire' where gold has 'New York-base'; both sides must have the same text, spaces aside",
    ):
        eh.score(GOLD, other, align="characters")


def test_what_has_no_text_cannot_be_counted_in_characters() -> None:
    with pytest.raises(eh.InputError, match="it contains no text"):
        eh.score(GOLD, eh.spans([[("LOC", 0, 2)]]), align="characters")


def test_position_ignores_what_tokens_are_but_not_how_many() -> None:
    assert (
        eh.score(GOLD, eh.tags([["B-LOC", "I-LOC", "O"]], tokens=[["a", "b", "c"]]), align="position")["exact"].f1
        == 1.0
    )
    with pytest.raises(eh.InputError, match="sentence 1 has 3 tags in the gold standard, 1 in the prediction"):
        eh.score(GOLD, eh.tags([["O"], ["O", "O"]], tokens=[["a"], ["b", "c"]]), align="position")


@pytest.mark.parametrize("sentences", [[["O"]], [["O", "O", "O"], ["O"]]], ids=["shorter", "longer"])
def test_by_position_nobody_is_advised_to_align_by_position(sentences: list[list[str]]) -> None:
    gold = eh.tags([["B-LOC", "I-LOC", "O"]], tokens=[["New", "York-based", "x"]], name="gold")
    system = eh.tags(sentences, tokens=[["a" for _ in tags] for tags in sentences], name="system")
    with pytest.raises(eh.InputError, match="both sides must have the same sentences in the same order") as error:
        eh.score(gold, system, align="position")
    assert "--align" not in str(error.value)


WORDS = st.lists(
    st.lists(st.text(st.sampled_from("aé世😀"), min_size=1, max_size=4), min_size=1, max_size=4), min_size=1, max_size=3
)


@given(WORDS, st.data())
def test_gaps_become_characters(words: list[list[str]], data: st.DataObject) -> None:
    """A span with a gap keeps its text when tokens turn into characters."""
    length = len(words[0])
    start = data.draw(st.integers(0, length - 1))
    end = data.draw(st.integers(start + 1, length))
    inside = sorted({start, end - 1} | data.draw(st.sets(st.sampled_from(range(start, end)))))
    gold = eh.spans([[("A", start, end, inside)], *[[]] * (len(words) - 1)])
    tagged = eh.tags([["O"] * len(each) for each in words], tokens=words)
    joined = eh.Annotation(tagged.corpus, {"spans": gold.spans()}, gold.readings)
    changed = to_characters(joined)
    kept = sorted(changed.spans().token_sets()[0])
    assert "".join(changed.corpus.tokens[at] for at in kept) == "".join(words[0][token] for token in inside)


def test_back_to_tokens_between_spaces() -> None:
    texts = Texts.of(["Ada  Lovelace,", " x"])
    from evenhand.data.corpus import Corpus
    from evenhand.data.layers import Spans
    from evenhand.data.vocabulary import Vocabulary

    vocabulary = Vocabulary()
    code = vocabulary.labels.code("PER")
    spans = Spans.of(vocabulary, *(np.array(c) for c in ([0, 0, 1], [0, 3, 0], [3, 11, 1], [code] * 3)))
    corpus = Corpus("text", 2, texts.bounds, texts.tokens, raw=texts.raw, atoms="characters")
    back, misfits = to_tokens(eh.Annotation(corpus, {"spans": spans}))
    tokens = back.corpus.tokens
    assert [tokens[i] for i in range(len(tokens))] == ["Ada", "Lovelace,", "x"]
    assert back.spans().rows() == [("PER", 0, 0, 1), ("PER", 0, 1, 2), ("PER", 1, 0, 1)]
    assert misfits.tolist() == [1], "Lovelace without its comma grows"
