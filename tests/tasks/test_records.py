"""Records: properties of alignment and verdicts, values, fields and schemas, and the task from objects in memory."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from itertools import pairwise, permutations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import InputError, SettingError
from evenhand.tasks.assignment import first_pairs
from evenhand.tasks.records import alignment
from evenhand.tasks.records.alignment import greedy_pairs, in_order
from evenhand.tasks.records.fields import FieldOptions, parse_fields, parse_path, path_text, schema_of
from evenhand.tasks.records.values import (
    anls,
    is_formatting,
    is_right,
    levenshtein,
    number_key,
    parse_boolean,
    parse_date,
    parse_number,
    scalar_key,
    token_f1,
)

KINDS = ("TP", "FE", "VE", "HE", "KE", "RE", "FN", "RN", "FP", "RP", "HP")
PAIRED = KINDS[:6]
PLAIN = FieldOptions()
SCALARS = st.sampled_from(
    ["red", "Red", "crimson", "crimsn", "1,200", "2020-05-12", "12 May 2020", "", 5, 5.0, 1200, True, None]
)
RECORDS = st.dictionaries(st.sampled_from("abc"), SCALARS, max_size=3)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "x": SCALARS,
        "t": st.lists(SCALARS, max_size=4) | SCALARS,
        "o": RECORDS,
        "i": st.lists(RECORDS | st.fixed_dictionaries({"n": st.lists(RECORDS, max_size=2), "a": SCALARS}), max_size=4),
    },
)


def kinds(gold: Any, system: Any, **options: Any) -> dict[str, int]:
    overall = eh.score(eh.records([gold]), eh.records([system]), match="fair", **options)["fair"].overall
    return {kind: int(overall[kind]) for kind in (*KINDS, "split", "merged", "moved") if overall[kind]}


def shuffled(value: Any, random: Random) -> Any:
    """The value with keys and lists in another order."""
    if isinstance(value, dict):
        keys = random.sample(list(value), len(value))
        return {key: shuffled(value[key], random) for key in keys}
    if isinstance(value, list):
        return [shuffled(inner, random) for inner in random.sample(value, len(value))]
    return value


# Properties


@given(VALUES, VALUES, st.randoms(use_true_random=False))
def test_no_verdict_depends_on_the_order_of_keys_and_lists(gold: Any, system: Any, random: Random) -> None:
    expected = kinds(gold, system)
    assert kinds(shuffled(gold, random), shuffled(system, random)) == expected


@given(VALUES, st.randoms(use_true_random=False))
def test_a_shuffled_copy_is_all_right(gold: Any, random: Random) -> None:
    result = eh.score(eh.records([gold]), eh.records([shuffled(gold, random)]))
    found = {kind for kind in KINDS if result["fair"].overall[kind]}
    assert found <= {"TP"}
    assert result["documents"].overall["right"] == 1
    records = result["records"].overall
    assert records["right"] == records["aligned"] == records["gold"] == records["system"]


@given(VALUES, VALUES)
def test_each_leaf_has_one_verdict(gold: Any, system: Any) -> None:
    result = eh.score(eh.records([gold]), eh.records([system]))
    counts, exact = result["fair"].overall, result["exact"].overall
    paired = sum(counts[kind] for kind in PAIRED)
    assert exact["gold"] == paired + counts["FN"] + counts["RN"] == result.gold.units
    assert exact["system"] == paired + counts["FP"] + counts["RP"] + counts["HP"] == result.predicted
    assert counts["split"] + counts["merged"] + counts["moved"] == counts["RE"]


@given(VALUES, VALUES)
def test_swapping_sides_keeps_right_values_and_swaps_missing_and_spurious(gold: Any, system: Any) -> None:
    one, other = (Counter(kinds(*sides)) for sides in ((gold, system), (system, gold)))
    assert one["TP"] + one["FE"] == other["TP"] + other["FE"]
    assert one["TP"] == other["TP"]


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, draw(st.sampled_from([1, 2, 9]))), min_size=columns, max_size=columns)
    return np.array(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype=np.int64)


def first_best(table: np.ndarray) -> list[tuple[int, int]]:
    """All pairings, by sum and then by the columns of the rows; `none` is last."""
    rows, columns = table.shape
    candidates = [*range(columns), *[columns] * rows]
    best = min(
        (-sum(int(table[row, column]) for row, column in enumerate(pairing) if column < columns), pairing)
        for pairing in set(permutations(candidates, rows))
        if all(column == columns or table[row, column] > 0 for row, column in enumerate(pairing))
    )
    return [(row, column) for row, column in enumerate(best[1]) if column < columns]


@given(tables())
def test_the_assignment_equals_exhaustive_search(table: np.ndarray) -> None:
    assert first_pairs(table) == first_best(table)
    assert first_pairs(table.astype(object)) == first_best(table)


@given(tables())
def test_pairs_in_order_do_not_cross_and_have_the_largest_sum(table: np.ndarray) -> None:
    pairs = in_order(table)
    assert all(one[1] < other[1] for one, other in pairwise(pairs))
    best = np.zeros((table.shape[0] + 1, table.shape[1] + 1), dtype=int)
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            ways = (best[row, column] + table[row, column], best[row + 1, column], best[row, column + 1])
            best[row + 1, column + 1] = max(ways)
    assert sum(int(table[pair]) for pair in pairs) == best[-1, -1]


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_levenshtein(one: str, other: str) -> None:
    row = list(range(len(other) + 1))
    for number, character in enumerate(one, 1):
        cells = [number]
        for at, letter in enumerate(other, 1):
            cells.append(min(cells[-1] + 1, row[at] + 1, row[at - 1] + (letter != character)))
        row = cells
    assert levenshtein(one, other) == row[-1]


# Large lists


def test_greedy_pairs_go_by_weight_then_by_order() -> None:
    table = np.array([[1, 3, 3], [3, 3, 1], [5, 0, 0]])
    assert greedy_pairs(3, lambda row: table[row].copy()) == [(0, 1), (1, 2), (2, 0)]


def test_a_component_that_is_too_large_is_paired_greedily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MAX_SIDE", 2)
    gold = [{"c": "same", "n": f"name {number}"} for number in range(4)]
    result = eh.score(eh.records([{"i": gold}]), eh.records([{"i": [*gold[:3], {"c": "same", "n": "x"}]}]))
    assert result["fair"].overall["TP"] == 7
    assert not any("greedily" in note for note in result.notes)  # identical records are paired before
    other = [{"c": "same", "n": f"other {number}"} for number in range(4)]
    result = eh.score(eh.records([{"i": gold}]), eh.records([{"i": other}]))
    assert result["fair"].overall["TP"] == 4
    expected = "Warning: system records: lists i[] are too long for exact alignment and are paired greedily."
    assert expected in result.notes


def test_near_rounds_of_long_lists_are_skipped_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "NEAR_CELLS", 1)
    gold, system = ([f"{word} {number}" for number in range(2)] for word in ("crimson", "crimsn"))
    result = eh.score(eh.records([gold]), eh.records([system]))
    assert (result["fair"].overall["FN"], result["fair"].overall["FP"]) == (2, 2)
    assert "system records: lists [] are too long for a search of similar values." in result.notes


def test_records_with_other_keys_are_never_paired() -> None:
    gold = [{"id": f"k{number}", "v": "same value"} for number in range(5)]
    system = [{"id": f"k{number + 1}", "v": "same value"} for number in range(5)]
    assert kinds(gold, system, fields={"[].id": {"key": True}}) == {"TP": 8, "RE": 1, "RN": 1, "RP": 1, "split": 1}


# Values


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        *(
            ("5", "5", None),
            ("-5", "-5", None),
            ("+5", "5", None),
            ("(12)", "-12", None),
            ("1,234.50", "1234.50", None),
        ),
        *(
            ("1'234", "1234", None),
            ("1 234", "1234", None),
            ("$5", "5", "usd"),
            ("5 EUR", "5", "eur"),
            ("12%", "12", "%"),
        ),
        *(("-$5", "-5", "usd"), ("€ 5", "5", "eur"), ("1e3", "1E+3", None), ("１２", "12", None), ("−5", "-5", None)),
    ],
)
def test_numbers(text: str, value: str, unit: str | None) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.key, number.unit) == (number_key(Decimal(value)), unit)


@pytest.mark.parametrize(
    "text", ["12,34", "1,23,456", "1,234'567", "3-5", "--5", "$5 EUR", "(-5)", "five", "1.2.3", "", "5)"]
)
def test_other_strings_are_not_numbers(text: str) -> None:
    assert parse_number(text) is None


def test_decimal_comma() -> None:
    number = parse_number("1.234,50", "comma")
    assert number is not None
    assert number.key == number_key(Decimal("1234.5")) == number_key(1234.5)


@pytest.mark.parametrize(
    ("text", "first", "expected"),
    [
        *(("2020-05-12", None, "2020-05-12"), ("2020/5/12", None, "2020-05-12"), ("2020.05.12", None, "2020-05-12")),
        *(("2020-05", None, "2020-05"), ("12.05.2020", None, "2020-05-12"), ("12 May 2020", None, "2020-05-12")),
        *(
            ("12th of May 2020", None, "2020-05-12"),
            ("May 12, 2020", None, "2020-05-12"),
            ("May 2020", None, "2020-05"),
        ),
        *(("Sept. 3, 2020", None, "2020-09-03"), ("3/4/2020", None, None), ("3/4/2020", "day", "2020-04-03")),
        *(("3/4/2020", "month", "2020-03-04"), ("14/3/2020", "month", "2020-03-14"), ("4/4/2020", None, "2020-04-04")),
        *(("2020-05-12T10:30:00Z", None, "2020-05-12"), ("2020-02-30", None, None), ("2021-02-29", None, None)),
        *(("12 Mai 2020", None, None), ("2020-13-01", None, None)),
    ],
)
def test_dates(text: str, first: str | None, expected: str | None) -> None:
    assert parse_date(text, first) == expected


def test_booleans() -> None:
    assert [parse_boolean(value) for value in (True, "Yes", "y", 1, "1")] == [True] * 5
    assert [parse_boolean(value) for value in (False, "NO", "n", 0)] == [False] * 4
    assert [parse_boolean(value) for value in ("maybe", 2, None, [])] == [None] * 4


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        *(("New York", "NEW  york", True), ("e-mail", "email", True), ("1,234", 1234, True), ("$5", "5", True)),
        *(("$5", "€5", False), ("1.5 mm", "15 mm", False), ("Fe2+", "Fe2-", False), ("C++", "C", False)),
        *(("3-5", "35", False), ("-5", "5", False), (True, "yes", True), ("yes", "y", False), ("!!", "??", False)),
        *(("x -5", "x 5", False), ("10:30", "1030", False), ("Acme, Inc.", "ACME Inc", True)),
    ],
)
def test_formatting(one: object, other: object, expected: bool) -> None:
    assert is_formatting(one, other, PLAIN) is expected
    assert is_formatting(other, one, PLAIN) is expected


def test_equal_decimals_have_equal_keys() -> None:
    assert number_key(5) == number_key(5.0) == number_key(Decimal("5.000")) == scalar_key(5)
    assert number_key(0) == number_key(-0.0)
    assert len({scalar_key(value) for value in (1, True, "1", 1.5, "true", None)}) == 6
    assert number_key(10**30) == number_key(Decimal("1e30"))


def test_comparators_with_normalisers() -> None:
    options = FieldOptions(normalise=("underscores", "case", "articles"))
    assert is_right("The_New_York", "new york", options)
    assert is_right("5,00 EUR", "€5,00", FieldOptions(compare="currency", decimal="comma"))
    assert not is_right("5", 6, FieldOptions(compare="number", tolerance=0.5))
    assert is_right("abcd", "abxy", FieldOptions(compare="anls"))
    assert anls("Ab  c", "ab c") == 1
    assert token_f1("the red car", "a red fast car") == pytest.approx(0.8)


# Fields and schemas


@given(st.lists(st.text(min_size=1, max_size=5) | st.just("[]"), min_size=1, max_size=4))
def test_paths_survive_writing_and_reading(steps: list[str]) -> None:
    path = tuple(step if step == "[]" else f".{step}" for step in steps)
    assert parse_path(path_text(path)) == path


def test_fields_from_texts_and_mappings_are_the_same() -> None:
    texts = ["items[].price:compare=number,tolerance=0.01", '["a:b"]:key', "t:normalise=case+spaces,order=true"]
    mapping = {
        "items[].price": {"compare": "number", "tolerance": 0.01},
        '["a:b"]': {"key": True},
        "t": {"normalise": ["case", "spaces"], "order": True},
    }
    assert parse_fields(texts) == parse_fields(mapping)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("a:compare=fuzzy", "Unknown value 'fuzzy' for compare. Choose one of exact, number, currency,"),
        ("a:threshold=0", "threshold: expected a number above 0 and at most 1, got 0."),
        ("a:weight=-1", "weight: expected a number from 0 on, got -1."),
        ("a:key=maybe", "key: expected true or false, got maybe."),
        ("a:wieght=2", "Unknown value 'wieght' for option of a field."),
        ("a:normalise=upper", "Unknown value 'upper' for normalise."),
        ("a", "'a' is not a field with options; write FIELD:OPTION=VALUE"),
        ("a..b:weight=1", "'a..b' is not a field"),
    ],
)
def test_wrong_options(fields: str, message: str) -> None:
    with pytest.raises(SettingError) as error:
        eh.score(eh.records([{"a": 1}]), eh.records([{"a": 1}]), fields=[fields])
    assert str(error.value).startswith(message)


def test_unknown_fields_are_an_error_with_a_suggestion() -> None:
    gold = eh.records([{"items": [{"price": 1}]}])
    with pytest.raises(SettingError) as error:
        eh.score(gold, gold, fields={"items[].prise": {"weight": 2}})
    expected = "Unknown field 'items[].prise': not in gold and not in the schema. Did you mean 'items[].price'?"
    assert str(error.value) == expected


def test_recursive_schemas_are_refused() -> None:
    node = {"properties": {"children": {"items": {"$ref": "#/$defs/Node"}}}}
    with pytest.raises(InputError) as error:
        schema_of({"$ref": "#/$defs/Node", "$defs": {"Node": node}}, "s.json")
    assert str(error.value) == "s.json: $ref '#/$defs/Node' refers to itself; recursive schemas are not supported."


def test_schemas_without_an_end_are_refused() -> None:
    """Each definition refers to the next one twice, so there are two to the power of fifty fields."""
    definitions = {
        f"d{number}": {"properties": {key: {"$ref": f"#/$defs/d{number + 1}"} for key in "ab"}} for number in range(50)
    }
    with pytest.raises(InputError, match="more than 100,000 fields"):
        schema_of({"$ref": "#/$defs/d0", "$defs": {**definitions, "d50": {}}}, "s.json")
    with pytest.raises(InputError, match="has no target"):
        schema_of({"$ref": "#/$defs/none"}, "s.json")


def test_options_are_in_the_signature() -> None:
    gold = eh.records([{"a": 1, "b": "x"}])
    signature = eh.score(
        gold,
        gold,
        fields={"a": {"compare": "number", "tolerance": 0.1}},
        absent=["N/A"],
        schema={"properties": {"b": {}}},
    ).signature
    for part in ("fields:a:number(tolerance=0.1)", "absent:N/A", "schema:schema#", "empty:absent", "near:0.5"):
        assert part in signature


def test_unknown_fields_are_spurious_or_dropped() -> None:
    gold, system = eh.records([{"a": "one"}]), eh.records([{"a": "one", "b": {"c": "two"}}])
    kept = eh.score(gold, system)
    assert (kept["fair"].overall["FP"], kept.notes) == (
        1,
        ("system records: has 1 field that the gold standard lacks, counted as spurious: b.c.",),
    )
    assert eh.score(gold, system, unknown_fields="drop")["fair"].overall["FP"] == 0
    schema = {"properties": {"b": {"properties": {"c": {}}}}}
    assert eh.score(gold, system, unknown_fields="drop", schema=schema)["fair"].overall["FP"] == 1


# Objects


class Colour(Enum):
    RED = "red"


@dataclass
class Item:
    name: str
    price: Decimal
    colour: Colour = Colour.RED
    day: date | None = None


class Model:
    """As pydantic's models."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def model_dump(self, mode: str = "python") -> dict[str, Any]:
        return json.loads(json.dumps(self._values)) if mode == "json" else self._values

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {"properties": {"price": {"x-evenhand": {"compare": "number"}}}}


def test_objects_are_converted() -> None:
    gold = eh.records([{"name": "lamp", "price": 5, "colour": "red", "day": "2024-05-12"}])
    system = eh.records([Item("lamp", Decimal("5.0"), day=date(2024, 5, 12))])
    assert eh.score(gold, system)["exact"].overall["TP"] == 4
    models = eh.score(eh.records([Model(price="5.00")]), eh.records([Model(price=5)]), schema=Model)
    assert models["exact"].f1 == 1


def test_messages_of_apis_and_tools() -> None:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        return {"function": {"name": name, "arguments": json.dumps(arguments)}}

    gold = eh.records([{"a": "one"}])
    message = {"choices": [{"message": {"tool_calls": [call("log", b="x"), call("save", a="one")]}}]}
    assert eh.score(gold, eh.records([message]), tool="save")["exact"].f1 == 1
    wrapped = eh.records([{"result": {"a": "one"}}])
    result = eh.score(gold, wrapped)
    assert "system records: the values of 1 answer are under 'result'; try --at result." in result.notes
    assert eh.score(gold, wrapped, at="result")["exact"].f1 == 1


def test_triples_in_all_spellings() -> None:
    gold = eh.records([[{"sub": "Ada", "rel": "born in", "obj": "London"}, ["Ada", "died in", "Marylebone"]]])
    system = eh.records([["Ada | died in | Marylebone", {"s": "Ada", "p": "born in", "o": "London"}, "Ada | wrote"]])
    result = eh.score(gold, system, preset="triples")
    assert (result["exact"].f1, result["records"].overall["right"]) == (1, 2)
    assert "system records: left out 1 malformed triple." in result.notes
    with pytest.raises(InputError, match="expected a triple of three parts, got 2"):
        eh.score(eh.records([[["Ada", "London"]]]), system, preset="triples")


def test_the_relaxed_preset_accepts_other_formatting() -> None:
    assert kinds({"a": "May 12, 2020", "b": "X"}, {"a": "2020-05-12", "b": "y"}, preset="relaxed") == {"TP": 1, "VE": 1}


def test_word_lists_of_links_and_strings() -> None:
    """A string where gold has links has no links: recall 0 of 1, precision undefined, so 0."""
    row = eh.score(eh.records([{"a": [{"x": "one", "y": "two"}]}]), eh.records([{"a": "one"}]), match="word-list")
    assert (row["word-list"].labels["a"]["gold"], row["word-list"].labels["a"]["system"]) == (1, 0)


def test_a_formatting_difference_counts_once_for_two_records() -> None:
    """`1` and `yes` are equal as booleans; `1` and `1.0` as numbers, too, which does not make them a better pair."""
    system = [{"a": "1", "b": "p", "c": "q"}, {"a": "8", "b": "RED", "c": "SKY"}]
    assert kinds([{"a": 1, "b": "Red", "c": "Sky"}], system) == {"FE": 2, "VE": 1, "RP": 3}


def test_declared_strings_are_absent() -> None:
    assert kinds({"a": "N/A"}, {"a": "one"}) == {"VE": 1}
    assert kinds({"a": "N/A"}, {"a": "one"}, absent="N/A") == {"FP": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": 1},), "expected a list of documents"),
        (([{"a": float("nan")}],), "expected a JSON number, got NaN"),
        (([{"a": object()}],), "type object, which cannot be read"),
    ],
)
def test_wrong_objects(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        eh.score(eh.records(*arguments), eh.records([{"a": 1}]))


def test_numbers_that_json_lacks_are_strings_of_a_system() -> None:
    assert kinds({"a": 5}, {"a": float("nan")}) == {"VE": 1}


def test_depth() -> None:
    def nested(depth: int) -> Any:
        value: Any = "x"
        for _ in range(depth):
            value = [value]
        return value

    assert eh.score(eh.records([nested(100)]), eh.records([nested(100)]))["exact"].f1 == 1
    with pytest.raises(InputError, match="nested more than 100 levels deep"):
        eh.score(eh.records([nested(101)]), eh.records([nested(1)]))


def test_ids_texts_and_numbers_of_documents() -> None:
    gold = eh.records([{"a": "one"}, {"a": "two"}], ids=["x", "y"], texts=["one", None])
    result = eh.score(gold, eh.records([{"a": "two"}, {"a": "ten"}], ids=["y", "z"]))
    assert (result["exact"].overall["TP"], result.facts["answers"]["missing"]) == (1, 1)
    assert any("left out 1 document that gold does not have (z)" in note for note in result.notes)
    with pytest.raises(InputError, match="expected 2 documents as in gold, got 3; without ids"):
        eh.score(gold, eh.records([{}, {}, {}]))
    with pytest.raises(InputError, match="no id matches gold; check that this is the right file"):
        eh.score(gold, eh.records([{}, {}], ids=["p", "q"]))
    with pytest.raises(InputError, match="duplicate id 'p'"):
        eh.records([{}, {}], ids=["p", "p"])
    with pytest.raises(InputError, match="got 1 texts for 2 documents"):
        eh.records([{}, {}], texts=["one"])


def test_slices_by_the_depth_of_paths() -> None:
    """`a` has depth 1, `i[].n` depth 3; the spurious `o.x` depth 2."""
    gold = eh.records([{"a": "one", "i": [{"n": "two"}, {"n": "six"}]}])
    system = eh.records([{"a": "one", "i": [{"n": "two"}], "o": {"x": "new"}}])
    depths = eh.score(gold, system, slices="depth").slices["depth"]
    assert {name: piece.units for name, piece in depths.items()} == {"1": 1, "2": 0, "3": 2}
    assert (depths["1"]["exact"].f1, depths["2"]["exact"].precision, depths["3"]["exact"].recall) == (1, 0, 0.5)


def test_weights_change_scores_but_not_counts() -> None:
    result = eh.score(
        eh.records([{"a": "one", "b": "two"}]), eh.records([{"a": "one", "b": "six"}]), fields={"b": {"weight": 3}}
    )
    assert (result["exact"].overall["gold"], result["exact"].overall["TP"], result["exact"].f1) == (2, 1, 0.25)


def test_a_comparison_has_units_with_paths() -> None:
    gold = eh.records([{"i": [{"n": "apple", "q": 3}]}, {"x": "red"}])
    one, other = eh.records([{"i": [{"n": "apple", "q": 4}]}, {"x": "red", "z": "new"}]), gold
    pair = eh.compare(gold, {"one": one, "other": other}, by="fair").pair("one", "other")
    assert sorted(str(unit.words) for unit in pair.corrections.units()) == ["i[0].q: 3", "z: new"]


def test_saved_results_keep_everything() -> None:
    gold = eh.records([{"a": "one", "t": [1, 2]}, {"b": "two"}], texts=["one", "two"])
    options: dict[str, Any] = {
        "fields": {"a": {"compare": "anls", "threshold": 0.7}},
        "schema": {"properties": {"b": {"x-evenhand": {"weight": 2}}}},
    }
    results = eh.score(
        gold, {"x": eh.records([{"a": "on", "c": 5}, "no idea"])}, match="exact,fair,soft,documents", **options
    )
    loaded = eh.Results.from_json(results.to_json())
    assert loaded.to_json() == results.to_json()
    assert loaded["x"].settings == results["x"].settings
    assert loaded["x"].facts == {
        "answers": {"ok": 1, "repaired": 0, "salvaged": 0, "unparsable": 1, "missing": 0},
        "grounded": {"gold": 0.5, "system": 0.0},
    }
    saved = json.loads(results.to_json())["systems"][0]
    assert saved["answers"]["unparsable"] == 1
    assert saved["scores"]["exact"]["labels"]["b"]["precision"] is None


def test_texts_of_units_spell_values_as_json() -> None:
    gold, system = eh.records([{"paid": True, "total": 12.5}]), eh.records([{"paid": False, "total": 12.5}])
    (error,) = eh.score(gold, system).errors()
    assert (error.string, error.matched) == ("paid: true", "paid: false")
