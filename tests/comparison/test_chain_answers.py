"""Differences, bounds and difficulty of mentions: against the definitions of ARCS, mention by mention."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import TAGS, Row, annotation, clusters, rows
from evenhand.results.comparison import Differences

NONE: Any = {"trials": 0, "resamples": 0}
SIZE = 6
NAMES = "abcd"
Chains = list[list[tuple[int, ...]]]
Change = tuple[str, str, str]
"""The type of a mention, what it was and what it became."""


class Case(NamedTuple):
    """Documents of six tokens: their POS, the key, and each system, which may have not all of them."""

    pos: list[list[str]]
    key: list[list[Row]]
    systems: list[list[list[Row] | None]]

    def compared(self, by: str, **options: Any) -> eh.Comparison:
        names = [f"d{number}" for number in range(len(self.key))]
        systems = {}
        for system, documents in zip(NAMES, self.systems, strict=False):
            there = [number for number, each in enumerate(documents) if each is not None]
            systems[system] = annotation([documents[at] or [] for at in there], names=[names[at] for at in there])
        return eh.compare(annotation(self.key, pos=self.pos, names=names), systems, by=by, **{**NONE, **options})

    def cleaned(self) -> list[tuple[list[str], Chains, list[Chains]]]:
        """By document its POS, and the chains of key and systems without repeats."""
        return [
            (pos, _first(key), [_first(system[at] or []) for system in self.systems])
            for at, (pos, key) in enumerate(zip(self.pos, self.key, strict=True))
        ]


def _first(found: list[Row]) -> Chains:
    return slow_chains.first_only(clusters(found))[0]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size, systems = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    tags = st.lists(st.sampled_from(TAGS), min_size=SIZE, max_size=SIZE)
    pos = [draw(tags) for _ in range(size)]
    key = [draw(rows(size=SIZE)) for _ in range(size)]
    side = st.lists(st.one_of(rows(size=SIZE), rows(size=SIZE), st.none()), min_size=size, max_size=size)
    found = [draw(side.filter(lambda each: any(part is not None for part in each))) for _ in range(systems)]
    return Case(pos, key, found)


def kind_of(mention: tuple[int, ...], pos: list[str]) -> str:
    return "nouns" if slow_arcs.is_nominal(mention, pos) else pos[mention[0]]


def changes(case: Case, mode: str, a: int, b: int) -> Counter[Change]:
    """Of all mentions that are not tn under both."""
    counts: Counter[Change] = Counter()
    for pos, key, systems in case.cleaned():
        for mention, classes in slow_arcs.arcs_classes(key, [systems[a], systems[b]], mode, pos).items():
            counts[kind_of(mention, pos), *classes] += 1
    return Counter({change: count for change, count in counts.items() if change[1:] != ("tn", "tn")})


def listed(found: Differences) -> Counter[Change]:
    return Counter({(each.gold, each.before, each.after): each.count for each in found.transitions})


@settings(max_examples=40)
@given(cases(), st.sampled_from(["any", "nom"]))
def test_differences_are_those_of_the_definition(case: Case, mode: str) -> None:
    found = case.compared(f"arcs_{mode}")
    for (before, after), pair in found.pairs.items():
        expected = changes(case, mode, NAMES.index(before), NAMES.index(after))
        by_document = (
            slow_arcs.transitions(key, systems[NAMES.index(before)], systems[NAMES.index(after)], mode, pos)
            for pos, key, systems in case.cleaned()
        )
        assert sum(by_document, Counter()) == sum(
            (Counter({change[1:]: count}) for change, count in expected.items()), Counter()
        )
        different = Counter({change: n for change, n in expected.items() if change[1] != change[2]})
        assert (pair.size, pair.different) == (expected.total(), different.total())
        assert pair.difference == (different.total() / expected.total() if expected else 0)
        for name, difference in pair.classes.items():
            wanted = {c: n for c, n in different.items() if slow_arcs.kind_of_change(c[1], c[2]) == name}
            assert listed(difference) == Counter(wanted)
            assert difference.count == sum(wanted.values())
            assert sum(row.share_of_class for row in difference.transitions) == pytest.approx(int(bool(wanted)))
            for row in difference.transitions:
                assert row.share_of_differences == row.count / pair.different


@settings(max_examples=40)
@given(cases(), st.sampled_from(["any", "nom"]))
def test_what_must_hold_for_every_pair(case: Case, mode: str) -> None:
    """Corrections less new errors are (tp2 - fp2) - (tp1 - fp1); of errors, only wl and fn become each other."""
    comparison = case.compared(f"arcs_{mode}")
    for (before, after), pair in comparison.pairs.items():
        balance = {}
        for system in (before, after):
            counts = [
                slow_arcs.arcs_counts(key, systems[NAMES.index(system)], mode, pos)
                for pos, key, systems in case.cleaned()
            ]
            balance[system] = sum(transition["tp"] - transition["fp"] for transition in counts)
        assert pair.corrections.count - pair.new_errors.count == balance[after] - balance[before]
        changed = {(transition.before, transition.after) for transition in pair.changed_errors.transitions}
        assert changed <= {("wl", "fn"), ("fn", "wl")}
        assert {transition.after for transition in pair.corrections.transitions} <= {"tp", "tn"}
        assert {transition.before for transition in pair.new_errors.transitions} <= {"tp", "tn"}
        assert pair.delta == pytest.approx(comparison.scores[after] - comparison.scores[before], nan_ok=True)


@settings(max_examples=40)
@given(cases(), st.sampled_from(["any", "nom"]))
def test_upper_bounds_are_those_of_the_definition(case: Case, mode: str) -> None:
    oracle = case.compared(f"arcs_{mode}").oracle
    size = len(case.systems)
    expected: dict[str, list[int]] = {"overall": [0] * (size + 2)}
    for pos, key, systems in case.cleaned():
        for name, bound in slow_arcs.upper_bounds(key, systems, mode, pos).items():
            row = expected.setdefault(name, [0] * (size + 2))
            expected[name] = [a + b for a, b in zip(row, [bound.units, *bound.systems, bound.any_system], strict=True)]
    found = {name: [bound.units, *bound.right, bound.solved] for name, bound in oracle.labels.items()}
    assert {"overall": [oracle.overall.units, *oracle.overall.right, oracle.overall.solved], **found} == expected


@settings(max_examples=25)
@given(cases(), st.sampled_from(["any", "nom"]))
def test_difficulty_and_what_is_right_alike(case: Case, mode: str) -> None:
    """Mentions by the number of systems that have them right; alike is over those with an antecedent in the key."""
    actual, size = case.compared(f"arcs_{mode}"), len(case.systems)
    difficulty, both = Counter(dict.fromkeys(range(size + 1), 0)), Counter[tuple[int, int]]()
    for pos, key, systems in case.cleaned():
        for classes in slow_arcs.arcs_classes(key, systems, mode, pos).values():
            if set(classes) != {"tn"}:
                difficulty[sum(each in ("tp", "tn") for each in classes)] += 1
            if not {"fp", "tn"} & set(classes):
                both.update((a, b) for a in range(size) for b in range(size) if classes[a] == classes[b] == "tp")
    assert dict(actual.difficulty) == dict(difficulty)
    for a in range(size):
        for b in range(size):
            right = both[a, a] + both[b, b]
            assert actual.correct_answers[a, b] == pytest.approx(2 * both[a, b] / right if right else 0)


# Small examples


KEY = [(0, 0, 0), (0, 2, 2), (0, 4, 4), (1, 1, 1), (1, 3, 3)]
"""Two chains, of the tokens 0, 2 and 4, and of 1 and 3."""
POS = [["NNP", "NN", "PRP", "PRP$", "PRP", "DT"]]


def compared(a: list[Row], b: list[Row], by: str = "arcs_any", pos: Any = POS) -> Any:
    systems = {"a": annotation([a]), "b": annotation([b])}
    return eh.compare(annotation([KEY], pos=pos), systems, by=by, **NONE)


def test_all_kinds_of_transitions() -> None:
    """Token 2 is found, 3 is linked to a wrong one, 4 is lost, 5 is added."""
    a = [(0, 0, 0), (0, 4, 4), (1, 1, 1), (1, 3, 3)]
    b = [(0, 0, 0), (0, 2, 2), (0, 3, 3), (1, 1, 1), (1, 5, 5)]
    pair = compared(a, b).pair("a", "b")
    assert listed(pair.corrections) == Counter({("PRP", "fn", "tp"): 1})
    assert listed(pair.new_errors) == Counter({("PRP$", "tp", "wl"): 1, ("PRP", "tp", "fn"): 1, ("DT", "tn", "fp"): 1})
    assert (pair.size, pair.different, pair.changed_errors.count) == (4, 4, 0)
    back = compared(b, a).pair("a", "b")
    assert (back.corrections.count, back.new_errors.count) == (3, 1)


def test_wrong_linkage_and_no_linkage_are_changed_errors() -> None:
    a, b = [(0, 0, 0), (0, 3, 3)], [(0, 0, 0), (0, 1, 1)]
    pair = compared(a, b).pair("a", "b")
    assert listed(pair.changed_errors) == Counter({("PRP$", "wl", "fn"): 1})
    assert listed(pair.new_errors) == Counter({("nouns", "tn", "fp"): 1})
    back = compared(b, a).pair("a", "b")
    assert listed(back.changed_errors) == Counter({("PRP$", "fn", "wl"): 1})


def test_another_antecedent_under_the_same_verdict_is_no_difference() -> None:
    """Token 4 goes to 0 or to 2, which are both right; token 3 to 0 or to 2, which are both wrong."""
    a = [(0, 0, 0), (0, 4, 4), (1, 2, 2), (1, 3, 3)]
    b = [(0, 2, 2), (0, 4, 4), (1, 0, 0), (1, 3, 3)]
    pair = compared(a, b).pair("a", "b")
    assert (pair.size, pair.different, pair.moved) == (3, 0, 2)


def test_the_closest_nominal_antecedent_counts() -> None:
    """Token 4 has the right noun 0 before it in both, but a pronoun between them in a, and a wrong noun in b."""
    a, b = [(0, 0, 0), (0, 3, 3), (0, 4, 4)], [(0, 0, 0), (0, 1, 1), (0, 4, 4)]
    loose, strict = (compared(a, b, by).pair("a", "b") for by in ("arcs_any", "arcs_nom"))
    assert not any(row.gold == "PRP" for each in loose.classes.values() for row in each.transitions)
    assert listed(strict.new_errors)["PRP", "tp", "wl"] == 1


def test_without_pos_all_mentions_are_of_one_type() -> None:
    comparison = compared([(0, 0, 0), (0, 2, 2)], [], pos=None)
    (row,) = comparison.pair("a", "b").new_errors.transitions
    assert (row.before, row.after, row.count) == ("tp", "fn", 1)
    assert (comparison.labels, comparison.gold.labels) == ({}, {})
    assert comparison.oracle.overall.right == (1, 0)
