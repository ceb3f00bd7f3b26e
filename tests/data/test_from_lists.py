"""Annotations from plain lists."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh


def test_inclusive_and_exclusive_ends() -> None:
    half_open = eh.spans([[("PER", 0, 2)]], end="exclusive")
    assert half_open.spans().rows() == eh.spans([[("PER", 0, 1)]], end="inclusive").spans().rows()
    assert half_open.spans().rows() == eh.spans([[("PER", 1, 2)]], end="inclusive", first=1).spans().rows()


def test_gaps() -> None:
    found = eh.spans([[("PER", 0, 3, [0, 2])]]).spans()
    assert found.token_sets() == [{0, 2}]


@pytest.mark.parametrize("span", [("PER", 2, 2), ("PER", 2, 1), ("PER", -1, 1)])
def test_a_span_must_cover_something(span: tuple[str, int, int]) -> None:
    with pytest.raises(eh.InputError, match="covers no tokens"):
        eh.spans([[span]], end="exclusive")


def test_tokens_must_be_as_many_as_tags() -> None:
    with pytest.raises(
        eh.InputError,
        match="sentence 1 has the length 2, but a list of tokens of length 1; use lists of the same lengths",
    ):
        eh.tags([["O", "O"]], tokens=[["a"]])


def test_tokens_are_compared() -> None:
    gold, system = eh.tags([["O", "B-A"]], tokens=[["a", "b"]]), eh.tags([["O", "B-A"]], tokens=[["a", "c"]])
    with pytest.raises(eh.InputError, match="found the token 'c' where tags has 'b'"):
        eh.score(gold, system)


def test_empty_sentences_are_sentences() -> None:
    result = eh.score(eh.tags([["B-A"], [], ["B-A"]]), eh.spans([[("A", 0, 1)], [], [("A", 0, 1)]]))
    assert (result.gold.sentences, result["exact"].f1) == (3, 1.0)


def test_nothing_at_all_is_undefined_without_a_warning() -> None:
    result = eh.score(eh.tags([["O", "O"]]), eh.tags([["O", "O"]]))
    for model in ("exact", "fair"):
        score = result[model]
        assert all(map(isnan, (score.precision, score.recall, score.f1, score.macro.f1, score.weighted.f1)))


def test_lists_and_spans_can_be_mixed() -> None:
    result = eh.score(eh.tags([["B-PER", "I-PER", "O"]]), eh.spans([[("PER", 0, 2)]]))
    assert result["exact"].f1 == 1.0


def test_a_span_beyond_its_sentence_is_an_error() -> None:
    with pytest.raises(eh.InputError, match="ends at token 4, but the sentence has 3 tokens"):
        eh.score(eh.tags([["B-PER", "I-PER", "O"]]), eh.spans([[("PER", 0, 4)]]))


# Tags as ids: arrays and lists, padded, with names


NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
IDS = [[-100, 1, 2, 0, -100], [3, 0, -100, -100, -100]]
BEST = "take the best tag of each token: logits.argmax(axis=-1)"
BY_ID = "pass the tags in the order of their ids, or a mapping from ids to tags (id2label)"
IGNORED = "(ids equal to ignore, -100, are left out)"


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        np.array(IDS),
        np.array(IDS, dtype=np.int32),
        [np.array(row) for row in IDS],
        [[1, 2, 0], [3, 0]],
        ((item for item in row) for row in IDS),
    ],
)
@pytest.mark.parametrize("names", [NAMES, dict(enumerate(NAMES)), {str(at): tag for at, tag in enumerate(NAMES)}])
def test_ids_are_the_tags_that_they_stand_for(ids: Any, names: Any) -> None:
    if not hasattr(ids, "__len__"):  # the first parameter used it up
        ids = ((item for item in row) for row in IDS)
    actual, expected = eh.tags(ids, names=names), eh.tags([["B-PER", "I-PER", "O"], ["B-LOC", "O"]])
    assert actual.spans().rows() == expected.spans().rows() == [("PER", 0, 0, 2), ("LOC", 1, 0, 1)]
    assert actual["tags"].to_list() == expected["tags"].to_list()  # type: ignore[union-attr]
    assert actual.reading == expected.reading


def test_two_ids_may_stand_for_one_tag() -> None:
    assert eh.tags([[0, 1, 2, 1]], names=["O", "B-X", "O"])["tags"].to_list() == ["O", "B-X", "O", "B-X"]  # type: ignore[union-attr]


def test_all_names_tell_the_encoding_whatever_occurs() -> None:
    names = ["O", "B-X", "I-X", "E-X", "S-X"]
    assert eh.tags([[1, 2, 0]], names=names).reading.encoding == "bioes"
    assert eh.tags([["B-X", "I-X", "O"]]).reading.encoding == "iob2"


def test_another_id_can_be_ignored_or_none() -> None:
    assert eh.tags([[1, -1]], names=NAMES, ignore=-1).corpus.token_count == 1
    assert eh.tags([[1, 0]], names=NAMES, ignore=None).corpus.token_count == 2
    assert eh.tags([[-100, -100], [1, 0]], names=NAMES).corpus.bounds.tolist() == [0, 0, 2]  # type: ignore[union-attr]


@given(
    st.lists(st.lists(st.sampled_from([-256, -100, 0, 1, 2, 70_000]), max_size=6), max_size=6),
    st.sampled_from([{-256: "I-X", 0: "O", 1: "B-X", 2: "O"}, {-256: "B-X", 0: "I-Y", 1: "O", 2: "B-X", 70_000: "O"}]),
)
def test_ids_are_what_their_names_are(ids: list[list[int]], names: dict[int, str]) -> None:
    known = [[each for each in row if each in names or each == -100] for row in ids]
    annotation = eh.tags(known, names=names, encoding="iob2")
    spelled = eh.tags([[names[each] for each in row if each != -100] for row in known], encoding="iob2")
    assert annotation["tags"].to_list() == spelled["tags"].to_list()  # type: ignore[union-attr]
    assert annotation["tags"].names == spelled["tags"].names  # type: ignore[union-attr]
    assert annotation.spans().rows() == spelled.spans().rows()
    assert annotation.corpus.bounds.tolist() == spelled.corpus.bounds.tolist()  # type: ignore[union-attr]


def test_tokens_are_those_that_are_not_ignored() -> None:
    found = eh.tags(IDS, names=NAMES, tokens=[["Ada", "Lovelace", "wrote"], ["Paris", "slept"]])
    assert found.corpus.text(1) == "Paris slept"


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        (np.zeros((2, 3, 5)), f"got logits (an array of shape (2, 3, 5) of float64) instead of ids; {BEST}"),
        ([[[0.5, 0.25]]], f"tokens have lists of numbers (logits) instead of ids; {BEST}"),
        (
            np.zeros((2, 3)),
            "found an array of shape (2, 3) of float64; use whole numbers, with one row per sentence",
        ),
        (
            np.zeros(3, dtype=int),
            "found an array of shape (3,) of int64; use whole numbers, with one row per sentence",
        ),
        ([[0.5]], "the id 0.5 is not a whole number; pass a list of ids for each sentence, such as [[1, 0, -100]]"),
        ([[True]], "the id True is not a whole number; pass a list of ids for each sentence, such as [[1, 0, -100]]"),
        ([[0], [5]], f"sentence 2 has the id 5, which is not one of the 5 in names; {BY_ID} {IGNORED}"),
        ([[], [-1]], f"sentence 2 has the id -1, which is not one of the 5 in names; {BY_ID} {IGNORED}"),
    ],
)
def test_what_is_no_array_of_ids_is_refused(given: Any, finding: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.tags(given, names=NAMES)
    assert str(caught.value) == f"tags: {finding}."


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        ({"O": 0}, "names has 0 for the id 'O'"),
        (["O", 3], "names has 3 for the id 1"),
        ("O", "names is 'O', not a list"),
        ({0: "O", "0": "B-X"}, "names has an id twice"),
    ],
)
def test_names_are_tags_by_id(names: Any, finding: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.tags([[0]], names=names)
    assert str(caught.value) == f"tags: {finding}; {BY_ID}."


@pytest.mark.parametrize(
    ("gold", "predicted", "sentence"),
    [
        ([[1, 2, -100]], [[1, -100, 2]], 1),
        ([[1, 2, -100]], [[1, 2, 0]], 1),
        ([[0, -100], [1, -100]], [[0, -100], [-100, 1]], 2),
        ([[0], [-100, 1]], [[0], [1, 1]], 2),
    ],
)
def test_masks_that_differ_are_refused(gold: list[list[int]], predicted: list[list[int]], sentence: int) -> None:
    sides = [eh.tags(each, names=["O", "B-PER", "I-PER"]) for each in (gold, predicted)]
    with pytest.raises(eh.InputError, match=f"sentence {sentence} leaves out other positions .* mask both sides alike"):
        eh.score(*sides)


def test_masks_are_the_same_if_one_side_is_padded_further() -> None:
    names = ["O", "B-PER", "I-PER"]
    gold, predicted = eh.tags([[-100, 1, 2, -100], [0, -100]], names=names), eh.tags([[-100, 1, 2], [0]], names=names)
    assert eh.score(gold, predicted)["exact"].f1 == 1.0


# Plain lists that are not what they should be: one sentence each, never a traceback and never a hang


NAN = float("nan")
TAGS = 'pass a list of tags for each sentence, such as [["B-PER", "O"]]'
IDS_ODD_LISTS = 'use strings, or pass the names of the ids: eh.tags(ids, names=["O", "B-PER", …])'
SPANS = 'pass a list of (label, start, end) for each sentence, such as [[("PER", 0, 2)]]'
TREES = 'pass a list of heads and relations for each sentence, such as [[(2, "nsubj"), (0, "root")]]'
CHAINS = "pass a list of chains for each document, such as [[[(0, 2), (5, 6)]]]"
TOKENS = "list the span's tokens, each once, from the first to the last"
LENGTHS = "pass the number of tokens of every sentence"


def sentence(make: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(eh.InputError) as caught:
        make(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        ([["O"], [1, 2]], f"sentence 2 has the tag 1, not a string; {IDS_ODD_LISTS}"),
        ([[None]], "sentence 1 has the tag None, not a string; use only strings"),
        ([[NAN]], "sentence 1 has the tag nan, not a string; use only strings"),
        ([[b"O"]], "sentence 1 has the tag b'O', not a string; use only strings"),
        ([[["O"]]], "sentence 1 has the tag ['O'], not a string; use only strings"),
        (np.array([[1, 2]]), f"sentence 1 has the tag 1, not a string; {IDS_ODD_LISTS}"),
        ([["B-\ud800"]], r"sentence 1 has the tag 'B-\ud800', not a string; correct how it was decoded"),
        (["B-PER", "O"], f"sentence 1 is 'B-PER', not a list; {TAGS}"),
        (np.array(["B-PER"]), f"sentence 1 is 'B-PER', not a list; {TAGS}"),
        ([["O"], None], f"sentence 2 is None, not a list; {TAGS}"),
        ([{"O": 1}], f"sentence 1 is {{'O': 1}}, not a list; {TAGS}"),
        ([{"O"}], f"sentence 1 is {{'O'}}, not a list; {TAGS}"),
        ("B-PER", f"the argument is 'B-PER', not a list; {TAGS}"),
        (None, f"the argument is None, not a list; {TAGS}"),
        (3, f"the argument is 3, not a list; {TAGS}"),
        ({"a": ["O"]}, f"the argument is {{'a': ['O']}}, not a list; {TAGS}"),
        (np.array(3), f"the argument is 3, not a list; {TAGS}"),
    ],
)
def test_tags(given: Any, finding: str) -> None:
    assert sentence(eh.tags, given) == f"tags: {finding}."


def test_long_values_are_cut() -> None:
    assert len(sentence(eh.tags, "B-PER" * 1000)) < 200


@pytest.mark.parametrize(
    ("tokens", "finding"),
    [
        (["ab"], "sentence 1 is 'ab', not a list; pass a list of tokens for each sentence"),
        ([[1, 2]], "sentence 1 has the token 1, not a string; use only strings"),
        ([["a", None]], "sentence 1 has the token None, not a string; use only strings"),
        ([["a", "\ud800"]], r"sentence 1 has the token '\ud800', not a string; correct how it was decoded"),
        ([["a"]], "sentence 1 has the length 2, but a list of tokens of length 1; use lists of the same lengths"),
        ([["a", "b"], []], "got 1 sentence, but lists of tokens for 2; use lists of the same lengths"),
        (3, "the argument is 3, not a list; pass a list of tokens for each sentence"),
    ],
)
def test_tokens(tokens: Any, finding: str) -> None:
    assert sentence(eh.tags, [["O", "O"]], tokens=tokens) == f"tags: {finding}."


@pytest.mark.parametrize(
    ("span", "finding"),
    [
        (("X", 0, 2**70), f"the position 1180591620717411303424 is beyond 2,147,483,647; {SPANS}"),
        (("X", 0, 2**31), f"the position 2147483648 is beyond 2,147,483,647; {SPANS}"),
        (("X", True, 2), f"the position True is not a whole number; {SPANS}"),
        (("X", 0.0, 2.0), f"the position 0.0 is not a whole number; {SPANS}"),
        (("X", 0, NAN), f"the position nan is not a whole number; {SPANS}"),
        (("X", "0", "2"), f"the position '0' is not a whole number; {SPANS}"),
        (("X", None, 1), f"the position None is not a whole number; {SPANS}"),
        (("X", 0), f"expected a tuple of 3, 4 or 5 in sentence 1, got ('X', 0); {SPANS}"),
        (
            ("X", 0, 1, [0], 5, 6),
            f"expected a tuple of 3, 4 or 5 in sentence 1, got ('X', 0, 1, [0], 5, 6); {SPANS}",
        ),
        ("XYZ", f"expected a tuple of 3, 4 or 5 in sentence 1, got 'XYZ'; {SPANS}"),
        ({"label": "X"}, f"expected a tuple of 3, 4 or 5 in sentence 1, got {{'label': 'X'}}; {SPANS}"),
        (None, f"expected a tuple of 3, 4 or 5 in sentence 1, got None; {SPANS}"),
        ((1, 0, 1), "sentence 1 has the label 1, not a string; use only strings"),
        ((None, 0, 1), "sentence 1 has the label None, not a string; use only strings"),
        (("", 0, 1), "a span has the empty label; give every span a label"),
        (
            ("X", 2, 2),
            "the span ('X', 2, 2) of sentence 1 covers no tokens; ends are exclusive and tokens are counted from 0 here",
        ),
        (
            ("X", -1, 2),
            "the span ('X', -1, 2) of sentence 1 covers no tokens; ends are exclusive and tokens are counted from 0 here",
        ),
    ],
)
def test_spans(span: Any, finding: str) -> None:
    assert sentence(eh.spans, [[span]]) == f"spans: {finding}."


def test_positions_up_to_the_limit() -> None:
    far = eh.spans([[("X", 0, 2**24)]])
    assert eh.score(far, far)["exact"].f1 == 1.0
    assert sentence(eh.spans, [[], [("X", 0, 2**24 + 1)]]).startswith(
        "spans: a span of sentence 2 reaches beyond token 16,777,216; check which file it is, or set EVENHAND_MAX_TOKENS"
    )


@pytest.mark.parametrize(
    ("tokens", "finding"),
    [
        ([0, 9], f"the tokens [0, 9] of the span ('X', 0, 3) do not run from its first to its last; {TOKENS}"),
        ([1, 2], f"the tokens [1, 2] of the span ('X', 0, 3) do not run from its first to its last; {TOKENS}"),
        ([0, 0, 2], f"the tokens [0, 0, 2] of the span ('X', 0, 3) do not run from its first to its last; {TOKENS}"),
        ([], f"the tokens [] of the span ('X', 0, 3) do not run from its first to its last; {TOKENS}"),
        ([0, True, 2], f"the token True is not a whole number; {TOKENS}"),
        (["0", 2], f"the token '0' is not a whole number; {TOKENS}"),
        ("02", f"the list of tokens is '02', not a list; {TOKENS}"),
        ({0: 1}, f"the list of tokens is {{0: 1}}, not a list; {TOKENS}"),
    ],
)
def test_lists_of_tokens_that_files_refuse_too(tokens: Any, finding: str) -> None:
    assert sentence(eh.spans, [[("X", 0, 3, tokens)]]) == f"spans: {finding}."


def test_a_span_that_leaves_out_tokens_has_a_limit() -> None:
    assert sentence(eh.spans, [[("X", 0, 2**24, [0, 2**24 - 1])]]).startswith(
        "spans: the span ('X', 0, 16777216) leaves out more than 1,048,576 tokens; check which file it is, or set "
    )


@pytest.mark.parametrize(
    ("lengths", "finding"),
    [
        ([1, 2], f"got 2 lengths for 1 sentence; {LENGTHS}"),
        (["a"], f"the length 'a' is not a whole number; {LENGTHS}"),
        ([-1], f"sentence 1 has a negative length; {LENGTHS}"),
        ([1], f"a span of sentence 1 ends at token 2, but the sentence has 1 token; {LENGTHS}"),
        (5, f"lengths is 5, not a list; {LENGTHS}"),
    ],
)
def test_lengths(lengths: Any, finding: str) -> None:
    assert sentence(eh.spans, [[("X", 0, 2)]], lengths=lengths) == f"spans: {finding}."


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        ([[("2", "a"), (0, "b")]], f"the head '2' is not a whole number; {TREES}"),
        ([[(False, "a")]], f"the head False is not a whole number; {TREES}"),
        ([[(0.0, "a")]], f"the head 0.0 is not a whole number; {TREES}"),
        ([[(2**70, "a")]], f"the head 1180591620717411303424 is beyond 2,147,483,647; {TREES}"),
        ([[(0,)]], f"expected a tuple of 2 in sentence 1, got (0,); {TREES}"),
        ([(0, "root")], f"expected a tuple of 2 in sentence 1, got 0; {TREES}"),
        ([[(0, "a")], [(0, None)]], "sentence 2 has the relation None, not a string; use only strings"),
        ([{0: "root"}], f"sentence 1 is {{0: 'root'}}, not a list; {TREES}"),
        ([[(0, "a")], [(2, "a")]], "sentence 2 has a head outside the sentence; heads must make a tree"),
        (None, f"the argument is None, not a list; {TREES}"),
    ],
)
def test_trees(given: Any, finding: str) -> None:
    assert sentence(eh.trees, given) == f"trees: {finding}."


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        ([[[(0, 2**70)]]], f"the position 1180591620717411303424 is beyond 2,147,483,647; {CHAINS}"),
        ([[[("0", 1)]]], f"the position '0' is not a whole number; {CHAINS}"),
        ([[[(True, 2)]]], f"the position True is not a whole number; {CHAINS}"),
        ([[[(NAN, 1)]]], f"the position nan is not a whole number; {CHAINS}"),
        ([[[(0, 1, 2)]]], f"expected a mention (start, end) in document 1, got (0, 1, 2); {CHAINS}"),
        ([[(0, 1)]], f"expected a mention (start, end) in document 1, got 0; {CHAINS}"),
        ([[], ["ab"]], f"document 2, chain 1 is 'ab', not a list; {CHAINS}"),
        ([{"a": [(0, 1)]}], f"document 1 is {{'a': [(0, 1)]}}, not a list; {CHAINS}"),
        ("abc", f"the argument is 'abc', not a list; {CHAINS}"),
    ],
)
def test_chains(given: Any, finding: str) -> None:
    assert sentence(eh.chains, given) == f"chains: {finding}."


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"tokens": ["a"]}, "document 1 is 'a', not a list; pass a list of tokens for each document"),
        ({"tokens": [[1]]}, "document 1 has the token 1, not a string; use only strings"),
        ({"tokens": [["a"]], "pos": [[1]]}, "document 1 has the POS 1, not a string; use only strings"),
        ({"names": "a"}, "names is 'a', not a list; give every document a distinct name"),
        ({"names": [1]}, "the name 1 of a document is not a string; give every document a distinct name"),
    ],
)
def test_what_stands_beside_chains(options: dict[str, Any], finding: str) -> None:
    assert sentence(eh.chains, [[[(0, 1)]]], **options) == f"chains: {finding}."


@pytest.mark.parametrize("make", [eh.tags, eh.spans, eh.trees, eh.chains])
def test_names_are_texts(make: Any) -> None:
    for name in (3, None, "", " ", "\ud800"):
        with pytest.raises(eh.SettingError, match=r"^name is .+; it must be a readable string\.$"):
            make([], name=name)


@pytest.mark.parametrize("first", [2, -1, "a", None])
def test_the_first_token_is_0_or_1(first: Any) -> None:
    with pytest.raises(eh.SettingError, match=r"^first is .*; choose one of 0, 1\.$"):
        eh.spans([[("X", 0, 1)]], first=first)


def test_generators_tuples_and_arrays_are_lists_too() -> None:
    expected = eh.tags([["B-X", "O"], ["O"]]).spans().rows()
    assert eh.tags((t for t in sent) for sent in (["B-X", "O"], ["O"])).spans().rows() == expected
    assert eh.tags((("B-X", "O"), ("O",))).spans().rows() == expected
    assert eh.tags([np.array(["B-X", "O"]), np.array(["O"])]).spans().rows() == expected
    assert eh.spans([[("X", np.int64(0), np.uint8(1))], []]).spans().rows() == expected
    assert eh.spans(np.array([[["X", 0, 1]]], dtype=object)).spans().rows() == expected
    assert eh.spans([[("X", 0, 3, np.array([0, 2]))]]).spans().token_sets() == [{0, 2}]
    assert eh.trees([((0, "root") for _ in "a")]).trees().head.tolist() == [0]
    assert eh.chains([[{(0, 1), (2, 3)}]]).chains().clusters(1) == [[[(0, 1), (2, 3)]]]


def test_lists_of_unequal_length() -> None:
    same = "both sides must have the same sentences in the same order."
    gold = eh.tags([["O"], ["O", "O"]])
    assert sentence(eh.score, gold, eh.tags([["O"], ["O"]])) == (
        f"tags: sentence 2 has 2 tags in the gold standard, 1 in the prediction; {same}"
    )
    assert sentence(eh.score, gold, eh.tags([["O"]], name="short")) == (
        f"short: the gold standard has 2 sentences, the prediction 1; {same}"
    )
    assert sentence(eh.score, gold, eh.tags([["O"], ["O", "O"], ["O"]], name="long")) == (
        f"long: the gold standard has 2 sentences, the prediction 3; {same}"
    )


@pytest.mark.parametrize(
    ("tags", "finding"),
    [
        (["B-PER\n", "O"], "has a blank or an invisible character at an end"),
        (["B-PER ", "O"], "has a blank or an invisible character at an end"),
        (["B-PER", "O\u200b"], "has a blank or an invisible character at an end"),
        (["B-PER", "\u041e"], "CYRILLIC CAPITAL LETTER O"),
        (["B-PER", "0"], "the tag '0' is not a prefix"),
        (["B-ORG,B-LOC", "O"], "joins several tags"),
        (["B|PER", "O"], "the tag 'PER' is not a prefix"),
        (["B-O", "O"], "a span with the label O"),
        (["Begin_PER", "Inside_PER", "O"], "tags with an unknown prefix or separator"),
        (["BPER", "IPER", "O"], "tags with an unknown prefix or separator"),
        (["PER", "NONE", "O"], "'NONE' beside O"),
        (["PER", "[PAD]", "O"], "'\\[PAD\\]' beside O"),
    ],
)
def test_odd_tags_are_refused_as_in_files(tmp_path: Path, tags: list[str], finding: str) -> None:
    with pytest.raises(eh.InputError, match=finding):
        eh.score(eh.tags([tags]), eh.tags([tags]))
    if not any(tag[-1] in "\n " for tag in tags):  # which end lines of a file
        path = tmp_path / "tags.conll"
        path.write_text("".join(f"w\t{tag}\n" for tag in tags), encoding="utf-8")
        with pytest.raises(eh.InputError):
            eh.score(path, path)


@pytest.mark.parametrize("sign", "-_:./+=~\u2010\u2011\u2012\u2013\u2014\u2212\uff0d\ufe63")
def test_signs_after_the_prefix(tmp_path: Path, sign: str) -> None:
    tags = [f"B{sign}PER", f"I{sign}PER", "O", f"B{sign}creative-work"]
    path = tmp_path / "tags.conll"
    path.write_text("".join(f"w\t{tag}\n" for tag in tags), encoding="utf-8")
    rows = [("PER", 0, 0, 2), ("creative-work", 0, 3, 4)]
    assert eh.tags([tags]).spans().rows() == eh.read(path).spans().rows() == rows
