"""Votes on places: what a majority of flat annotations accepts is flat."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.agreement.annotators import Annotators
from evenhand.agreement.disagreements import Vote, Voting
from evenhand.data.layers import Spans, is_flat
from evenhand.data.vocabulary import Vocabulary
from evenhand.settings import ScoreSettings


def flat_spans(chance: random.Random, length: int) -> list[tuple[str, int, int]]:
    """Spans that do not overlap."""
    all_spans, start = [], 0
    while start < length:
        end = start + chance.randint(1, 3)
        if end <= length and chance.random() < 0.6:
            all_spans.append((chance.choice("AB"), start, end))
        start = end
    return all_spans


def voted(sides: dict[str, eh.Annotation]) -> list[Spans]:
    """What a majority accepts, part by part."""
    streams = {name: iter([side]) for name, side in sides.items()}
    shared = Annotators(streams, [None] * len(sides), ScoreSettings(("exact",), "spans"), Vocabulary())
    voting = Voting(list(sides), Vote())
    return [batch.spans() for text in shared.parts() for batch in voting.annotations(text)]


@pytest.mark.parametrize("studies", [50, pytest.param(500, marks=pytest.mark.long)])
def test_flat_annotations_give_a_flat_majority(studies: int) -> None:
    """Random studies of two to five annotators, some of whom lack a document."""
    chance, spans = random.Random(0), 0
    for _ in range(studies):
        documents = {f"d{number}": chance.randint(1, 9) for number in range(3)}
        sides = {}
        for name in "vwxyz"[: chance.randint(2, 5)]:
            has = {each: length for each, length in documents.items() if each == "d0" or chance.random() < 0.7}
            given = {each: flat_spans(chance, length) for each, length in has.items()}
            sides[name] = eh.spans(given, lengths=has, name=name)
        for found in voted(sides):
            assert is_flat(found)
            spans += len(found)
    assert spans > studies / 2


def test_spans_keep_their_gaps() -> None:
    side = eh.spans([[("A", 0, 3, [0, 2])]], lengths=[3])
    found = eh.agree({"x": side, "y": side}, resamples=0).adjudicated.spans()
    assert found.token_sets() == [{0, 2}]


def test_documents_of_one_annotator_are_taken_over_whatever_the_vote() -> None:
    sides = {
        "x": eh.spans({"a": [("A", 0, 1)], "b": [("A", 0, 1)]}, lengths={"a": 1, "b": 1}),
        "y": eh.spans({"a": [("A", 0, 1)]}, lengths={"a": 1}),
        "z": eh.spans({"a": []}, lengths={"a": 1}),
    }
    agreement = eh.agree(sides, resamples=0)
    assert agreement.adjudicate(2).spans().rows() == [("A", 0, 0, 1), ("A", 1, 0, 1)]
    assert agreement.adjudicate(3).spans().rows() == [("A", 1, 0, 1)]
    assert [place.accepted for place in agreement.conflicts(3)] == [[]]
    with pytest.raises(eh.SettingError, match="vote is 4, but there are only 3 annotators; choose fewer"):
        agreement.conflicts(4)


def test_spans_that_differ_in_their_gaps_are_a_conflict() -> None:
    gapped, whole = (eh.spans([[("A", 0, 5, atoms)]], lengths=[5]) for atoms in ([0, 3, 4], [0, 1, 2, 3, 4]))
    agreement = eh.agree({"x": whole, "y": gapped, "z": gapped}, resamples=0)
    (position,) = agreement.conflicts()
    parts = ((0, 1), (3, 5))
    assert position.answers == {"x": [(0, 5, "A")], "y": [(0, 5, "A", parts)], "z": [(0, 5, "A", parts)]}
    assert position.decided
    assert agreement.adjudicated.spans().token_sets() == [{0, 3, 4}]
    assert "A 0-1+3-5" in str(agreement.listing_conflicts())


# Coefficients that are undefined, and why


def test_gamma_is_undefined_where_samples_have_no_disorder() -> None:
    one, other = (eh.spans([[(label, 0, 1)]], lengths=[1]) for label in "AB")
    found = eh.agree({"x": one, "y": other}, gamma=True, samples=1, seed=1, resamples=0)
    assert found.unitizing.gamma is None
    assert found.undefined["unitizing.gamma"] == "no disagreement is expected by chance"


def test_reasons_say_what_is_lacking() -> None:
    whole = eh.spans({"d": [("A", 0, 2)]}, lengths={"d": 2})
    one_code = "all codes are the same, so chance agreement cannot be distinguished from true agreement"
    assert eh.agree({"x": whole, "y": whole}).undefined["labels.A.kappa"] == one_code
    other = eh.spans({"e": [("A", 0, 2)]}, lengths={"e": 2})
    undefined = eh.agree({"x": whole, "y": other}, alpha_u=True, gamma=True).undefined
    apart = "the two have no document in common"
    assert [undefined[f"unitizing.{name}"] for name in ("u_alpha", "cu_alpha", "alpha_U", "gamma")] == [apart] * 4
    one = eh.spans([[("A", 0, 1)]], lengths=[1])
    undefined = eh.agree({"x": one, "y": one}, alpha_u=True).undefined
    assert (
        undefined["unitizing.alpha_U"]
        == undefined["unitizing.alpha_U_labels.A"]
        == "no disagreement is expected by chance"
    )
    stacked = eh.spans([[("A", 0, 2), ("A", 1, 3), ("B", 0, 1)]], lengths=[3])
    other = eh.spans([[("A", 0, 2), ("B", 0, 2), ("B", 1, 3)]], lengths=[3])
    undefined = eh.agree({"x": stacked, "y": other}, alpha_u=True).undefined
    for label, name in (("A", "x"), ("B", "y")):
        assert undefined[f"unitizing.alpha_U_labels.{label}"].endswith(f", and some of {name} do")
    nothing = eh.spans({"d": [], "e": [("A", 0, 1)]}, lengths={"d": 2, "e": 1})
    undefined = eh.agree({"x": eh.spans({"d": []}, lengths={"d": 2}), "y": nothing}).undefined
    assert undefined["labels.A.f1.mean"] == "no annotator uses the label in a document of two annotators"


# Nobody is the gold standard: figures stay the same when annotators change places


NER = ROOT / "src" / "evenhand" / "examples" / "ner"
FILES = {name: NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")}


def figures(order: tuple[str, ...], files: dict[str, Path]) -> dict[str, Any]:
    """All figures that have no order of annotators."""
    agreement = eh.agree({name: files[name] for name in order}, resamples=0, alpha_u=True)
    shared = {name: agreement.to_dict()[name] for name in ("codes", "f1", "unitizing", "labels", "documents")}
    pairs = {frozenset(pair): each.f1 for pair, each in agreement.pairs.items()}
    conflicts = {(each.document, each.sentence, each.start, each.state) for each in agreement.conflicts()}
    return {**shared, "pairs": pairs, "conflicts": conflicts, "spans": len(agreement.adjudicated.spans())}


def assert_close(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_close(one[name], other[name])
    elif isinstance(one, list):
        for each, its in zip(one, other, strict=True):
            assert_close(each, its)
    else:
        assert one == (pytest.approx(other) if isinstance(other, float) else other)


def test_figures_do_not_depend_on_the_order_of_annotators() -> None:
    names = tuple(FILES)
    first = figures(names, FILES)
    for order in (names[::-1], (*names[1:], names[0])):
        assert_close(figures(order, FILES), first)
