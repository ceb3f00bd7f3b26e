"""Mentions of CorefUD under all ways of matching, against slow definitions, and facts that must hold for any files."""

from __future__ import annotations

from itertools import product
from math import nan
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_corefud
from build_corefud import HEAD, Drawn, corefud_pairs, sentence
from evenhand.tasks.chains import mentions as common_words
from evenhand.tasks.chains import mentions as mention_match
from evenhand.tasks.chains import mentions as mention_overlap

MODELS = ("mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "mela", "mor", "zero")
WAYS = [
    slow_corefud.Way(*each) for each in product(("head", "partial", "exact"), ("dependent", "linear"), (True, False))
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("corefud")
    return folder / "key.conllu", folder / "response.conllu"


def scored(files: tuple[Path, Path], texts: tuple[str, str], **options: object) -> eh.Result:
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
    result = scored(files, texts, match=MODELS, **options)
    found, expected = prf(result), slow_corefud.scores(*map(slow_corefud.read_corefud, texts), way)
    for name in MODELS:
        wanted = tuple(expected[name]) if result.gold.units else (nan, nan, nan)
        assert found[name] == pytest.approx(wanted, rel=0, abs=1e-9, nan_ok=True), name


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
    whole = scored(files, texts, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mention_match, "_MOST_CELLS", 0)
        patch.setattr(mention_overlap, "_MANY_CELLS", 0)
        patch.setattr(common_words, "_AT_ONCE", 3)
        parts = scored(files, texts, **options)
    assert parts["mor"].f1 == pytest.approx(whole["mor"].f1, rel=0, abs=0, nan_ok=True)
    if way.match == "exact" and way.zeros == "linear":
        assert parts["mentions"].f1 == pytest.approx(whole["mentions"].f1, rel=0, abs=0, nan_ok=True)


@settings(max_examples=40)
@given(texts=corefud_pairs(), way=st.sampled_from(WAYS))
def test_a_text_against_itself_is_right(
    files: tuple[Path, Path], texts: tuple[str, str], way: slow_corefud.Way
) -> None:
    options = {"mention_match": way.match, "zeros": "linear", "singletons": way.singletons}
    found = scored(files, (texts[0], texts[0]), **options)
    assume(found.gold.units)
    has_any = bool(found["mentions"].overall["key"])
    assert found["mentions"].f1 == found["mor"].f1 == has_any


@settings(max_examples=40)
@given(texts=corefud_pairs())
def test_partial_mentions_are_exact_ones_and_more(files: tuple[Path, Path], texts: tuple[str, str]) -> None:
    """Equal mentions come first, and whatever is left can only add pairs."""
    common = {
        how: scored(files, texts, match="mentions", mention_match=how, zeros="linear")["mentions"].overall["common"]
        for how in ("partial", "exact")
    }
    assert common["exact"] <= common["partial"]


@settings(max_examples=60)
@given(texts=corefud_pairs(), how=st.sampled_from(["head", "partial", "exact"]))
def test_arcs_any_is_muc_where_no_mention_is_repeated(
    files: tuple[Path, Path], texts: tuple[str, str], how: str
) -> None:
    """A mention that is matched is the one of the key, for both."""
    result = scored(files, texts, mention_match=how, match=("muc", "arcs_any", "mentions", "b_cubed"))
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
    return scored(files, (key, response), match="mentions", **options)["mentions"].overall["common"]


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
    overall = scored(files, (sides[0], sides[1]), match="zero")["zero"].overall
    assert {name: overall[name] for name in counts} == counts


def test_many_mentions_with_the_same_head_take_no_time_to_speak_of(files: tuple[Path, Path]) -> None:
    """A thousand nested mentions, each of which shares words with all others; word by word, that took minutes."""
    size = 1000
    tokens = [(str(number), "_") for number in range(1, size + 1)]
    sides = []
    for shift in (0, 1):
        nested = [Drawn(f"e{(at + shift) % (size // 2)}", ((at, size - 1),), size - at) for at in range(size)]
        sides.append(HEAD.format("d") + sentence(tokens, nested[shift:]))
    found = scored(files, (sides[0], sides[1]), match=("mentions", "mor"))
    assert (found["mentions"].recall, found["mentions"].precision) == (0.999, 1.0)
    assert found["mor"].precision == 1
