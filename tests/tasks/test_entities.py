"""Errors by entity: types, gains of repairs, slices, link errors and parts of differences, in small documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import evenhand as eh
import slow_chains
from ada import ADA, BABBAGE, CHARLES, HE, HER, HIS, KEY, MACHINE, SHE, WORK, Mention, document
from build_chains import Pair, Row, annotation, clusters, pairs, sides
from evenhand.errors import SettingError


def entities(
    tmp_path: Path, response: list[list[Mention]], key: list[list[Mention]] = KEY, **options: Any
) -> dict[str, Any]:
    sides = document(tmp_path / "key.conll", key), document(tmp_path / "response.conll", response)
    result = eh.score(*sides, entities=True, **options)
    assert result.entities is not None
    return dict(result.entities)


def counts(found: dict[str, Any]) -> dict[str, int]:
    return {name: row["count"] for name, row in found["errors"].items() if row["count"]}


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (KEY, {}),
        ([[ADA, SHE, HER], [BABBAGE, HE, HIS], [WORK, MACHINE]], {"span": 1}),
        ([[ADA, SHE, HER, CHARLES, HE, HIS], [WORK, MACHINE]], {"conflated": 1}),
        ([[ADA, SHE], [CHARLES, HE, HIS], [WORK, MACHINE]], {"missing_mention": 1}),
        ([[ADA, SHE, HER, (2, 3)], [CHARLES, HE, HIS], [WORK, MACHINE]], {"extra_mention": 1}),
        ([*KEY, [(2, 3), (5, 6)]], {"extra_entity": 1}),
        ([[ADA, SHE, HER], [CHARLES, HE, HIS]], {"missing_entity": 1}),
        ([[ADA, CHARLES], [SHE, HER], [HE, HIS], [WORK, MACHINE]], {"conflated": 1, "divided": 2}),
        ([[ADA, HER, SHE], [HE, HIS], [WORK, MACHINE]], {"divided": 1}),
    ],
    ids=lambda value: " ".join(value) or "none" if isinstance(value, dict) else "",
)
def test_error_types(tmp_path: Path, response: list[list[Mention]], expected: dict[str, int]) -> None:
    """A missing first mention makes the rest of its chain divided (the last case)."""
    assert counts(entities(tmp_path, response)) == expected


def test_swapping_the_sides_swaps_the_types(tmp_path: Path) -> None:
    response = [[ADA, SHE, CHARLES], [HE, HER, (2, 3)], [(5, 6), (12, 13)]]
    one, other = entities(tmp_path, response), entities(tmp_path, KEY, response)
    swapped = {"conflated": "divided", "extra_mention": "missing_mention", "extra_entity": "missing_entity"}
    swapped |= {other: one for one, other in swapped.items()}
    assert counts(one)
    assert counts(other) == {swapped.get(name, name): count for name, count in counts(one).items()}


def test_an_error_has_the_type_of_its_first_name_else_nominal_else_pronoun(tmp_path: Path) -> None:
    found = entities(tmp_path, [[ADA, CHARLES, HE], [SHE, HER], [(2, 3), (5, 6)]])
    assert {name: {kind: n for kind, n in row.items() if n} for name, row in found["errors_by_type"].items()} == {
        "name": {"conflated": 1},
        "nominal": {"extra_entity": 1, "missing_entity": 1},
        "pronoun": {"divided": 1, "missing_mention": 1},
    }
    assert {name: sum(row.values()) for name, row in found["errors_by_document"].items()} == {"a_0": 5}


def test_slices_have_recall_precision_and_f1_where_both_exist(tmp_path: Path) -> None:
    slices = entities(tmp_path, [[ADA, SHE], [CHARLES, HE, HIS], [WORK, MACHINE]])["slices"]
    assert slices["b_cubed_by_type"]["name"] == pytest.approx(
        {"recall": (2 / 3 + 1) / 2, "key": 2, "precision": 1, "response": 2, "f1": 10 / 11}
    )
    assert slices["lea_by_size"] == {
        "2": pytest.approx({"recall": 1, "key": 1, "precision": 1, "response": 2, "f1": 1}),
        "3-4": pytest.approx({"recall": (1 + 3) / 6, "key": 2, "precision": 1, "response": 1, "f1": 0.8}),
        "5-9": {"recall": None, "key": 0, "precision": None, "response": 0, "f1": None},
        "10+": {"recall": None, "key": 0, "precision": None, "response": 0, "f1": None},
    }
    assert slices["ceaf_e_by_size"]["3-4"] == pytest.approx(
        {"recall": (0.8 + 1) / 2, "key": 2, "precision": 1, "response": 1, "f1": 18 / 19}
    )


def test_an_entity_has_the_partner_of_ceaf_and_the_mentions_that_either_lacks(tmp_path: Path) -> None:
    chains = entities(tmp_path, [[ADA, SHE, CHARLES, HE], [WORK, (2, 3)]])["chains"]
    by_name = {row["name"]: row for row in chains}
    ada, work = by_name["Ada Lovelace"], by_name["her work"]
    assert [ada[name] for name in ("partner", "certain", "missing_mentions", "foreign_mentions")] == [
        *(1, False, ["3:2-3"]),
        ["2:2-4", "3:0-1"],
    ]
    assert [work[name] for name in ("partner", "similarity", "missing_mentions", "foreign_mentions")] == [
        *(2, 0.5, ["3:5-7"]),
        ["1:2-3"],
    ]


def test_the_antecedent_of_a_missing_link_is_a_name_if_there_is_one_or_the_closest_mention(tmp_path: Path) -> None:
    """`machine` is apart from its chain, whose closest mention is a pronoun."""
    key = [[ADA, SHE, HER, MACHINE]]
    files = document(tmp_path / "key.conll", key), document(tmp_path / "response.conll", [[ADA, SHE, HER]])
    by_rule = {}
    for rule in ("accessibility", "closest"):
        (row,) = eh.errors(*files, match="muc", antecedents=rule)
        by_rule[rule] = [row.type, row.string, row.antecedent, row.antecedent_type, row.mentions]
    assert by_rule == {
        "accessibility": ["missing_link", "his machine", "Ada Lovelace", "name", 3],
        "closest": ["missing_link", "his machine", "her", "pronoun", 1],
    }
    found = entities(tmp_path, [[ADA, SHE, HER]], key, antecedents="closest")
    assert found["links"]["missing"] == {"nominal": {"pronoun": 1}}
    assert (found["link_distances"]["missing"], found["link_mentions"]["missing"]) == ({"0": 1}, {"1": 1})


def test_the_rule_for_antecedents_is_in_the_signature_and_needs_entities(tmp_path: Path) -> None:
    path = document(tmp_path / "key.conll", KEY)
    assert "antecedents:closest" in eh.score(path, path, entities=True, antecedents="closest").signature
    assert "antecedents" not in eh.score(path, path, entities=True).signature
    with pytest.raises(SettingError, match=r"^antecedents needs entities\.$"):
        eh.score(path, path, antecedents="closest")


@given(documents=pairs())
def test_links_are_what_muc_counts(documents: list[Pair]) -> None:
    """Repeated spans aside, missing links are the key's links minus the common ones."""
    key, response = (annotation(side) for side in sides(_distinct(documents)))
    muc = eh.score(key, response, match="muc")["muc"].overall
    types = eh.errors(key, response, match="muc")["type"]
    assert types.count("missing_link") == muc["key"] - muc["common"]
    assert types.count("wrong_link") == muc["response"] - muc["common"]


@given(documents=pairs())
def test_repairs_end_at_the_key_and_shares_add_up(documents: list[Pair]) -> None:
    key, response = (annotation(side) for side in sides(_distinct(documents)))
    found = eh.score(key, response, entities=True, shares=True).entities
    assert found is not None
    if not any(row["key_chain"] for row in found["chains"] if "key_chain" in row):
        return  # nothing but singletons
    for measure in ("mela", "muc", "b_cubed", "ceaf_e", "lea"):
        left = 1 - found["scores"]["none"][measure]["f1"]
        for way in ("in_order", "share"):
            assert sum(row[way][measure] for row in found["errors"].values()) == pytest.approx(left, abs=1e-9)


@given(documents=pairs())
def test_the_gain_of_an_entity_is_that_of_scoring_it_again(documents: list[Pair]) -> None:
    """All mentions are single tokens, so no span is corrected."""
    sides = [[(chain, first, first) for chain, first, _ in side] for side in documents[0]]
    key_rows, rows = _distinct([(sides[0], sides[1])])[0]
    found = eh.score(annotation([key_rows]), annotation([rows]), entities=True).entities
    assert found is not None
    key, response = ([{*chain} for chain in clusters(side) if len(chain) > 1] for side in (key_rows, rows))
    gains = []
    for chain in key:
        if chain not in response:
            repaired = [other - chain for other in response]
            gains.append(_lea(key, [chain, *(other for other in repaired if len(other) > 1)]) - _lea(key, response))
    gains += [
        _lea(key, [other for other in response if other is not chain]) - _lea(key, response)
        for chain in response
        if not any(chain & other for other in key)
    ]
    listed = [row["gain"]["lea"] for row in found["chains"] if row["verdict"] != "exact"]
    assert sorted(listed) == pytest.approx(sorted(gains), abs=1e-9)


def _lea(key: list[set[tuple[int, ...]]], response: list[set[tuple[int, ...]]]) -> float:
    document = slow_chains.Document(*([sorted(chain) for chain in side] for side in (key, response)))
    return slow_chains.scores([document], singletons=False)["lea"].f1


def _distinct(documents: list[Pair]) -> list[Pair]:
    """Documents in which no span is repeated."""
    return [_pair([*{row[1:]: row for row in side}.values()] for side in pair) for pair in documents]


def _pair(sides: Iterable[list[Row]]) -> Pair:
    key, response = sides
    return key, response
