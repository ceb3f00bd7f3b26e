"""Scores of chains: their definitions taken literally, and what must hold whatever the chains are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_chains
import slow_corefud
from build_chains import Pair, Rows, annotation, clusters, layer, pairs, rows, sides
from build_corefud import HEAD, Drawn, corefud_pairs, sentence
from declared import CHAIN_MODELS
from evenhand.data.structures import Chains, mention_spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.tasks.chains import corefud, mentions
from evenhand.tasks.chains.measures import count_chains
from evenhand.tasks.chains.mentions import first_only, repeats, without_repeats, without_singletons

CLUSTER_MODELS = CHAIN_MODELS[:-2]
ONE_WHERE_IDENTICAL = ("mentions", "b_cubed", "ceaf_m", "ceaf_e", "lea")
Figures = dict[str, tuple[float, float, float]]


def scored(documents: Sequence[Pair], match: Sequence[str] = CLUSTER_MODELS, *, singletons: bool = True) -> Figures:
    """Precision, recall and F1 of each score."""
    key, response = sides(documents)
    result = eh.score(annotation(key), annotation(response), match=match, singletons=singletons)
    return {name: (score.precision, score.recall, score.f1) for name, score in result.scores.items()}


def slow(documents: Sequence[Pair]) -> list[slow_chains.Document]:
    return [slow_chains.Document(clusters(key), clusters(response)) for key, response in documents]


def close(figures: Figures) -> dict[str, object]:
    return {name: pytest.approx(values, rel=0, abs=1e-9, nan_ok=True) for name, values in figures.items()}


def defined(documents: Sequence[Pair], figures: Figures) -> Figures:
    """The figures, which are undefined if the key has no mention."""
    has_units = any(key for key, _ in documents)
    return figures if has_units else dict.fromkeys(figures, (nan, nan, nan))


@pytest.mark.parametrize("singletons", [True, False])
@given(documents=pairs())
def test_fast_equals_slow(singletons: bool, documents: list[Pair]) -> None:
    """Spans repeat within a chain and across chains, on both sides, in the key and not."""
    expected = {name: tuple(row) for name, row in slow_chains.scores(slow(documents), singletons).items()}
    expected["mela"] = (
        *np.mean([expected[name][:2] for name in ("muc", "b_cubed", "ceaf_e")], axis=0).tolist(),
        slow_chains.mela(slow(documents), singletons),
    )
    assert scored(documents, singletons=singletons) == close(defined(documents, expected))


@settings(max_examples=50)
@given(st.tuples(rows(size=30, most=40, chains=8), rows(size=30, most=40, chains=8)))
def test_larger_documents(document: Pair) -> None:
    key, response = document
    result = eh.score(annotation([key], size=30), annotation([response], size=30), match=CLUSTER_MODELS[:-1])
    found = {name: (score.precision, score.recall, score.f1) for name, score in result.scores.items()}
    expected = {name: tuple(row) for name, row in slow_chains.scores(slow([document])).items()}
    assert found == close(defined([document], expected))


@settings(max_examples=40)
@given(pairs(most=4), st.booleans())
def test_documents_are_counted_apart(documents: list[Pair], singletons: bool) -> None:
    key, response = (layer(each) for each in sides(documents))
    kinds, table = count_chains(first_only(key), response, len(documents), CLUSTER_MODELS, singletons=singletons)
    assert table.shape == (len(documents), len(kinds))
    for row, (one_key, one_response) in zip(table, documents, strict=True):
        alone = count_chains(
            first_only(layer([one_key])), layer([one_response]), 1, CLUSTER_MODELS, singletons=singletons
        )
        assert (alone[0], alone[1].tolist()) == (kinds, [pytest.approx(row.tolist())])


@settings(max_examples=100)
@given(pairs())
def test_repeats_are_told_and_dropped(documents: list[Pair]) -> None:
    for key, response in documents:
        expected = slow_chains.clean(clusters(key), clusters(response))
        (span,) = mention_spans(fast := layer([response]))
        first = first_only(layer([key]))
        assert len(key) - len(first) == expected.key_repeats
        assert np.count_nonzero(repeats(fast, span)) == expected.response_repeats
        kept = without_repeats(first, fast)
        assert len(fast) - len(kept) == expected.dropped
        spans = [[mention[:2] for mention in chain] for chain in expected.response]
        assert _plain(kept) == sorted(sorted(chain) for chain in spans)
        assert _plain(first) == sorted(sorted(mention[:2] for mention in chain) for chain in expected.key)
        assert _plain(without_singletons(kept)) == sorted(sorted(chain) for chain in spans if len(chain) > 1)


def _plain(chains: Chains) -> list[list[tuple[int, ...]]]:
    return sorted(sorted((start, end - 1) for start, end in chain) for chain in chains.clusters(1)[0])


@settings(max_examples=80)
@given(pairs(unique=True))
def test_arcs_any_equals_muc_without_repeats(documents: list[Pair]) -> None:
    found = scored(documents, ["muc", "arcs_any"])
    assert found["arcs_any"] == pytest.approx(found["muc"], rel=0, abs=1e-12, nan_ok=True)


@settings(max_examples=40)
@given(st.lists(rows(unique=True), min_size=1, max_size=3), st.booleans())
def test_identical_outputs(documents: list[Rows], singletons: bool) -> None:
    """All are 1 where something is left; MUC where there is a link, BLANC where there are two mentions."""
    result = scored([(list(document), list(document)) for document in documents], singletons=singletons)
    assume(any(documents))
    counted = [chain for document in documents for chain in clusters(document) if singletons or len(chain) > 1]
    assert {result[name] for name in ONE_WHERE_IDENTICAL} == {(1.0, 1.0, 1.0) if counted else (0.0, 0.0, 0.0)}
    assert result["muc"][2] == any(len(chain) > 1 for chain in counted)
    pairs_of_mentions = any(
        sum(len(chain) for chain in clusters(document) if singletons or len(chain) > 1) > 1 for document in documents
    )
    assert result["blanc"][2] == pairs_of_mentions


@settings(max_examples=40)
@given(pairs(unique=True), st.randoms(use_true_random=False), st.booleans())
def test_names_and_order_of_chains_change_nothing(documents: list[Pair], chance, singletons: bool) -> None:
    """Without repeats, that is: of these the first chain in the file keeps one."""

    def changed(mentions: Rows) -> list:
        names = chance.sample(range(10), 3)
        moved = [(names[chain], first, last) for chain, first, last in mentions]
        chance.shuffle(moved)
        return moved

    other = [(changed(key), changed(response)) for key, response in documents]
    first, second = (scored(each, CHAIN_MODELS[:-1], singletons=singletons) for each in (documents, other))
    assert second == close(first)


@settings(max_examples=40)
@given(pairs(unique=True), st.randoms(use_true_random=False))
def test_order_of_documents_changes_nothing(documents: list[Pair], chance) -> None:
    shuffled = list(documents)
    chance.shuffle(shuffled)
    assert scored(shuffled) == close(scored(documents))


@settings(max_examples=40)
@given(pairs(unique=True), st.booleans())
def test_swapping_sides_swaps_precision_and_recall(documents: list[Pair], singletons: bool) -> None:
    """BLANC aside, which leaves out links of a kind that the key has none of."""
    models = [model for model in CHAIN_MODELS[:-1] if model != "blanc"]
    assume(all(map(any, sides(documents))))
    swapped = scored([(response, key) for key, response in documents], models, singletons=singletons)
    expected = {name: (recall, precision, f1) for name, (precision, recall, f1) in swapped.items()}
    assert scored(documents, models, singletons=singletons) == close(expected)


@settings(max_examples=40)
@given(pairs(unique=True))
def test_blanc_swaps_where_both_sides_have_links_of_both_kinds(documents: list[Pair]) -> None:
    whole = eh.score(*map(annotation, sides(documents)), match="blanc")["blanc"].overall
    assume(all(part["key"] and part["response"] for part in whole.parts.values()))
    (precision, recall, f1) = scored([(response, key) for key, response in documents], ["blanc"])["blanc"]
    assert (whole.precision, whole.recall, whole.f1) == pytest.approx((recall, precision, f1))


def test_mela_of_identical_singletons_is_two_thirds() -> None:
    """MUC is 0 where there is no link, as it is defined."""
    alone = [(0, 0, 0), (1, 2, 3), (2, 3, 3)]
    result = scored([(alone, alone)])
    assert (result["muc"][2], result["b_cubed"][2], result["ceaf_e"][2]) == (0, 1, 1)
    assert result["mela"] == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert result["lea"] == result["blanc"] == (1, 1, 1)
    assert set(scored([(alone, alone)], singletons=False).values()) == {(0, 0, 0)}


@pytest.mark.parametrize("empty", ["key", "response", "both"])
def test_an_empty_response_is_zero_and_an_empty_key_undefined(empty: str) -> None:
    full: list = [(0, 0, 0), (0, 2, 2), (1, 4, 4)]
    document: Pair = ([] if empty in ("key", "both") else full, [] if empty in ("response", "both") else full)
    figures = {value for each in scored([document], CHAIN_MODELS[:-1]).values() for value in each}
    assert figures == {0} if empty == "response" else all(map(isnan, figures))


def test_the_example_of_moosavi_and_strube_2016() -> None:
    """The key is {a, b, c} and {d, e, f, g}, the response {a, b}, {c, d} and {f, g, h, i}."""
    key = [*((0, at, at) for at in range(3)), *((1, at, at) for at in range(3, 7))]
    response = [(0, 0, 0), (0, 1, 1), (1, 2, 2), (1, 3, 3), (2, 5, 5), (2, 6, 6), (2, 7, 7), (2, 8, 8)]
    result = eh.score(annotation([key], size=9), annotation([response], size=9), match="lea")["lea"]
    assert result.recall == pytest.approx((3 * 1 / 3 + 4 * 1 / 6) / 7)
    assert result.precision == pytest.approx((2 * 1 + 2 * 0 + 4 * 1 / 6) / 8)


def test_the_first_chain_keeps_a_repeated_span() -> None:
    """Chain 1 begins first, so it keeps the span (2, 2), though chain 0 has it earlier in the order of spans."""
    key = [(0, 0, 0), (0, 2, 2)]
    kept = scored([(key, [(1, 0, 0), (1, 2, 2), (0, 2, 2), (0, 4, 4)])], ["muc"])["muc"]
    lost = scored([(key, [(0, 2, 2), (0, 4, 4), (1, 0, 0), (1, 2, 2)])], ["muc"])["muc"]
    assert (kept, lost) == ((1, 1, 1), (0, 0, 0))


def test_repeats_that_the_key_does_not_have_stay() -> None:
    key, response = [(0, 0, 0), (0, 1, 1)], [(0, 0, 0), (0, 1, 1), (0, 3, 3), (1, 3, 3)]
    mentions = eh.score(annotation([key]), annotation([response]), match="mentions")["mentions"].overall
    assert (mentions["common"], mentions["key"], mentions["response"]) == (2, 2, 4)


def test_repeats_are_dropped_before_singletons_are() -> None:
    """The second chain loses the span that the first one has, and is a singleton then."""
    key, response = [(0, 0, 0), (0, 1, 1)], [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 3, 3)]
    mentions = eh.score(annotation([key]), annotation([response]), match="mentions", singletons=False)["mentions"]
    assert mentions.overall["response"] == 2


def test_mentions_with_other_gaps_are_others() -> None:
    """They begin and end at the same tokens, but leave out different ones."""
    vocabulary = Vocabulary()
    gap = vocabulary.shapes.code((1,))
    whole = layer([[(0, 0, 2), (0, 4, 4)]], vocabulary)
    other = Chains(vocabulary, whole.document, whole.start, whole.end, whole.chain, np.array([gap, 0]))
    kinds, table = count_chains(whole, other, 1, ["mentions"], singletons=True)
    assert dict(zip(kinds, table[0].tolist(), strict=True))["mentions.common"] == 1
    assert not repeats(both := Chains.concatenate([whole, other], [0, 0]), *mention_spans(both))[2]


# Mentions of CorefUD under all ways of matching, against slow definitions, and facts that must hold for an


MODELS = ("mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "mela", "mor", "zero")
WAYS = [
    slow_corefud.Way(*each) for each in product(("head", "partial", "exact"), ("dependent", "linear"), (True, False))
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("corefud")
    return folder / "key.conllu", folder / "response.conllu"


def scored_mention_match(files: tuple[Path, Path], texts: tuple[str, str], **options: object) -> eh.Result:
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    return eh.score(*files, **options)


def prf(result: eh.Result) -> dict[str, tuple[float, ...]]:
    return {name: (result[name].precision, result[name].recall, result[name].f1) for name in MODELS}


@settings(max_examples=75)
@given(texts=corefud_pairs(), way=st.sampled_from(WAYS))
def test_scores_are_those_of_the_definition(
    files: tuple[Path, Path], texts: tuple[str, str], way: slow_corefud.Way
) -> None:
    options = {"mention_match": way.match, "zeros": way.zeros, "singletons": way.singletons}
    result = scored_mention_match(files, texts, match=MODELS, **options)
    actual, expected = prf(result), slow_corefud.scores(*map(slow_corefud.read_corefud, texts), way)
    for name in MODELS:
        wanted = tuple(expected[name]) if result.gold.units else (nan, nan, nan)
        assert actual[name] == pytest.approx(wanted, rel=0, abs=1e-9, nan_ok=True), name


@settings(max_examples=40)
@given(texts=corefud_pairs(), way=st.sampled_from(WAYS))
def test_large_documents_have_matchings_of_the_same_sum(
    files: tuple[Path, Path], texts: tuple[str, str], way: slow_corefud.Way
) -> None:
    """In documents that are too large for a matrix, or too dense for cells, what does not depend on ties is the same."""
    options = {
        "mention_match": way.match,
        "zeros": way.zeros,
        "singletons": way.singletons,
        "match": ("mentions", "mor"),
    }
    whole = scored_mention_match(files, texts, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mentions, "_MAX_CELLS", 0)
        patch.setattr(corefud, "_MIN_DENSE_CELLS", 0)
        patch.setattr(mentions, "_WORDS_AT_ONCE", 3)
        parts = scored_mention_match(files, texts, **options)
    assert parts["mor"].f1 == pytest.approx(whole["mor"].f1, rel=0, abs=0, nan_ok=True)
    if way.match == "exact" and way.zeros == "linear":
        assert parts["mentions"].f1 == pytest.approx(whole["mentions"].f1, rel=0, abs=0, nan_ok=True)


@settings(max_examples=40)
@given(texts=corefud_pairs(), way=st.sampled_from(WAYS))
def test_a_text_against_itself_is_right(
    files: tuple[Path, Path], texts: tuple[str, str], way: slow_corefud.Way
) -> None:
    options = {"mention_match": way.match, "zeros": "linear", "singletons": way.singletons}
    scores = scored_mention_match(files, (texts[0], texts[0]), **options)
    assume(scores.gold.units)
    has_any = bool(scores["mentions"].overall["key"])
    assert scores["mentions"].f1 == scores["mor"].f1 == has_any


@settings(max_examples=40)
@given(texts=corefud_pairs())
def test_partial_mentions_are_exact_ones_and_more(files: tuple[Path, Path], texts: tuple[str, str]) -> None:
    """Equal mentions come first, and whatever is left can only add pairs."""
    common = {
        how: scored_mention_match(files, texts, match="mentions", mention_match=how, zeros="linear")[
            "mentions"
        ].overall["common"]
        for how in ("partial", "exact")
    }
    assert common["exact"] <= common["partial"]


@settings(max_examples=60)
@given(texts=corefud_pairs(), how=st.sampled_from(["head", "partial", "exact"]))
def test_arcs_any_is_muc_where_no_mention_is_repeated(
    files: tuple[Path, Path], texts: tuple[str, str], how: str
) -> None:
    """A mention that is matched is the one of the key, for both."""
    result = scored_mention_match(files, texts, mention_match=how, match=("muc", "arcs_any", "mentions", "b_cubed"))
    counts = [result[name].overall for name in ("mentions", "b_cubed")]
    assume(all(counts[0][side] == counts[1][side] for side in ("key", "response")))
    muc, arcs = result["muc"], result["arcs_any"]
    expected = pytest.approx((muc.precision, muc.recall, muc.f1), nan_ok=True)
    assert (arcs.precision, arcs.recall, arcs.f1) == expected


def text(*mentions: Drawn, tokens: str = "1 2 3 4 5") -> str:
    ids = [(each.partition("/")[0], each.partition("/")[2] or "_") for each in tokens.split()]
    return HEAD.format("d") + sentence(ids, mentions)


def mention(entity: str, first: int, last: int, head: int = 1) -> Drawn:
    return Drawn(entity, ((first, last),), head)


def common(files: tuple[Path, Path], key: str, response: str, **options: object) -> float:
    return scored_mention_match(files, (key, response), match="mentions", **options)["mentions"].overall["common"]


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        (mention("a", 0, 2, 2), mention("a", 0, 2, 2), {"head": 1, "partial": 1, "exact": 1}),
        (mention("a", 0, 2, 2), mention("a", 1, 1), {"head": 1, "partial": 1, "exact": 0}),
        (mention("a", 0, 2, 2), mention("a", 0, 2, 1), {"head": 0, "partial": 1, "exact": 1}),
        (mention("a", 0, 2, 2), mention("a", 1, 3), {"head": 1, "partial": 0, "exact": 0}),
        (mention("a", 0, 2, 2), mention("a", 2, 2), {"head": 0, "partial": 0, "exact": 0}),
        (mention("a", 0, 2, 2), Drawn("a", ((0, 0), (2, 2)), 1), {"head": 0, "partial": 0, "exact": 0}),
        (Drawn("a", ((0, 0), (2, 2)), 2), mention("a", 2, 2), {"head": 1, "partial": 1, "exact": 0}),
    ],
    ids=["equal", "its head", "another head", "longer", "without its head", "with a gap", "a part of one with a gap"],
)
def test_which_mentions_match(files: tuple[Path, Path], key: Drawn, response: Drawn, expected: dict[str, int]) -> None:
    for how, number in expected.items():
        assert common(files, text(key), text(response), mention_match=how) == number, how


@pytest.mark.parametrize(
    ("key", "response", "dependent", "linear"),
    [
        ("1 1.1/1:nsubj 2", "1 2 2.1/1:nsubj", 1, 0),
        ("1 1.1/1:nsubj 2", "1 1.1/2:nsubj 2", 1, 1),
        ("1 1.1/1:nsubj 2", "1 2 2.1/1:obj", 1, 0),
        ("1 1.1/1:nsubj 2", "1 2 2.1/2:nsubj", 0, 0),
        ("1 1.1 2", "1 2 2.1", 0, 0),
    ],
    ids=["elsewhere", "in the same place", "another relation", "another parent", "without DEPS"],
)
def test_which_zeros_match(files: tuple[Path, Path], key: str, response: str, dependent: int, linear: int) -> None:
    def zero(tokens: str) -> str:
        place = next(at for at, each in enumerate(tokens.split()) if "." in each)
        return text(mention("a", place, place), tokens=tokens)

    for zeros, number in (("dependent", dependent), ("linear", linear)):
        assert common(files, zero(key), zero(response), mention_match="exact", zeros=zeros) == number, zeros


@pytest.mark.parametrize(
    ("key", "response", "counts"),
    [
        ("a0 a2", "a0 a2 b0 b3", {"tp": 0, "wl": 1, "fn": 0, "fp": 0}),  # the last chain of 0 is b, that of 2 is a
        ("a0 a2", "a0 a2 b2 b3", {"tp": 0, "wl": 0, "fn": 1, "fp": 0}),  # 2 is the first mention of b
        ("a0 a2", "a0 b0 b2", {"tp": 1, "wl": 0, "fn": 0, "fp": 0}),
        ("a0 a1", "a0 a2 b2 b3", {"tp": 0, "wl": 0, "fn": 0, "fp": 0}),
        ("a0 a1", "a0 a2 b1 b2", {"tp": 0, "wl": 0, "fn": 0, "fp": 2}),  # all copies count
    ],
)
def test_the_last_chain_of_a_mention_decides_on_zeros(
    files: tuple[Path, Path], key: str, response: str, counts: dict[str, int]
) -> None:
    """Mentions are written as chain and place; the token in place 2 is an empty node."""
    sides = [
        text(*(mention(name, int(at), int(at)) for name, at in side.split()), tokens="1 2 2.1/2:nsubj 3")
        for side in (key, response)
    ]
    overall = scored_mention_match(files, (sides[0], sides[1]), match="zero")["zero"].overall
    assert {name: overall[name] for name in counts} == counts


def test_many_mentions_with_the_same_head_take_no_time_to_speak_of(files: tuple[Path, Path]) -> None:
    """A thousand nested mentions, each of which shares words with all others; word by word, that took minutes."""
    size = 1000
    tokens = [(str(number), "_") for number in range(1, size + 1)]
    sides = []
    for shift in (0, 1):
        nested = [Drawn(f"e{(at + shift) % (size // 2)}", ((at, size - 1),), size - at) for at in range(size)]
        sides.append(HEAD.format("d") + sentence(tokens, nested[shift:]))
    found = scored_mention_match(files, (sides[0], sides[1]), match=("mentions", "mor"))
    assert (found["mentions"].recall, found["mentions"].precision) == (0.999, 1.0)
    assert found["mor"].precision == 1
