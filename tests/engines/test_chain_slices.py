"""Comparisons of chains by slices, without POS, in the JSON contract, and as a gate."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import annotation, columns
from conftest import ROOT
from declared import CHAIN_MODELS

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
GOLD, NAMES = CHAINS / "gold.conll", ("rules", "pairs", "neural")
SYSTEMS = {name: CHAINS / f"{name}.conll" for name in NAMES}
NONE: Any = {"trials": 0, "resamples": 0}
Slices = dict[str, tuple[int, dict[str, float]]]
"""By slice, the key's mentions that have an antecedent, and the F1 of each system."""


def documents() -> list[tuple[str, list[tuple[str, str]]]]:
    """The example's documents: their names, and the words with their POS."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in GOLD.read_text().splitlines():
        if line.startswith("#begin"):
            name, part = line.removeprefix("#begin document (").split("); part ")
            found.append((f"{name}_{int(part)}", []))
        elif line.strip() and not line.startswith("#"):
            found[-1][1].append((line.split()[3], line.split()[4]))
    return found


def sliced(mode: str, slice_of: Any) -> Slices:
    """Scores by slice, straight from the definition; `slice_of` takes a mention, the words and the name."""
    sides = [slow_chains.read_columns(path.read_text()) for path in (GOLD, *SYSTEMS.values())]
    counts: dict[str, list[dict[str, int]]] = defaultdict(lambda: [dict.fromkeys(slow_arcs.CLASSES, 0) for _ in NAMES])
    for (name, words), (key, *systems) in zip(
        documents(), zip(*(side.values() for side in sides), strict=True), strict=True
    ):
        cleaned = [slow_chains.first_only(side)[0] for side in (key, *systems)]
        pos = [tag for _, tag in words]
        for mention, classes in slow_arcs.arcs_classes(cleaned[0], cleaned[1:], mode, pos).items():
            if set(classes) == {"tn"}:
                continue
            for system, each in enumerate(classes):
                counts[slice_of(mention, words, name)][system][each] += 1
    found: Slices = {}
    for value, rows in counts.items():
        scores = {name: slow_arcs.arcs_prf([row]).f1 for name, row in zip(NAMES, rows, strict=True)}
        found[value] = (sum(rows[0][kind] for kind in ("tp", "wl", "fn")), scores)
    return found


def listed(comparison: eh.Comparison, name: str) -> Slices:
    return {value: (each.units, dict(each.scores)) for value, each in comparison.slices[name].items()}


def pronoun(mention: tuple[int, int], words: list[tuple[str, str]], name: str) -> str:
    pos = [tag for _, tag in words]
    return "nouns" if slow_arcs.is_nominal(mention, pos) else words[mention[0]][0].lower()


def text(mention: tuple[int, int], words: list[tuple[str, str]]) -> str:
    return " ".join(word for word, _ in words[mention[0] : mention[1] + 1])


SEEN = ["it", "he", "The museum", "Her", "the flesh"]
SLICERS: dict[str, Any] = {
    "pronoun": pronoun,
    "document": lambda mention, words, name: name,
    "length": lambda mention, words, name: "5+" if mention[1] - mention[0] > 3 else str(mention[1] - mention[0] + 1),
    "vocabulary": lambda mention, words, name: "seen" if text(mention, words) in SEEN else "unseen",
    "pos": lambda mention, words, name: words[mention[0]][1],
}


@pytest.fixture(scope="module", params=["any", "nom"])
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def comparison(mode: str) -> eh.Comparison:
    slices = ["document", "length", "vocabulary", "pos"]
    return eh.compare(GOLD, SYSTEMS, by=f"arcs_{mode}", slices=slices, vocabulary=SEEN, **NONE)


@pytest.mark.parametrize("name", SLICERS)
def test_slices_are_those_of_the_definition(comparison: eh.Comparison, mode: str, name: str) -> None:
    expected = {value: (units, pytest.approx(scores)) for value, (units, scores) in sliced(mode, SLICERS[name]).items()}
    assert listed(comparison, name) == expected


def test_slices_on_which_systems_differ_most_come_first(comparison: eh.Comparison) -> None:
    for found in comparison.slices.values():
        spread = [max(each.scores.values()) - min(each.scores.values()) for each in found.values()]
        assert spread == sorted(spread, reverse=True)


def test_pronouns_are_there_wherever_there_are_pos(comparison: eh.Comparison) -> None:
    assert list(comparison.slices) == ["document", "length", "vocabulary", "pos", "pronoun"]
    assert list(eh.compare(GOLD, SYSTEMS, slices="pronoun", **NONE).slices) == ["pronoun"]


def test_documents_have_the_names_of_the_key(comparison: eh.Comparison) -> None:
    assert set(comparison.slices["document"]) == {name for name, _ in documents()}


def test_labels_are_types_of_mentions(comparison: eh.Comparison, mode: str) -> None:
    results = eh.score(GOLD, SYSTEMS)
    assert {label: each.units for label, each in comparison.labels.items()} == dict(results.gold.labels)
    assert list(comparison.labels)[:3] == ["nouns", "PRP", "PRP$"]
    for label, each in comparison.labels.items():
        expected = {name: result[f"arcs_{mode}"].labels[label].f1 for name, result in results.items()}
        assert each.scores == pytest.approx(expected)


# Without POS


KEY, OTHER = [["(1)", "-", "(1)", "(2)", "-", "(2)"]], [["(1)", "-", "(1)", "-", "-", "-"]]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Key, and two systems, in files without POS."""
    monkeypatch.chdir(tmp_path)
    for name, cells in (("key", KEY), ("a", KEY), ("b", OTHER)):
        Path(f"{name}.conll").write_text(columns(cells))
    return ["key.conll", "a.conll", "b.conll"]


def test_without_pos_there_are_no_types(bare: list[str]) -> None:
    found = eh.compare(bare[0], bare[1:], **NONE)
    assert (found.by, found.slices, found.labels) == ("arcs_any", {}, {})
    assert list(found.further_scores["a"]) == [model for model in CHAIN_MODELS if model != "arcs_nom"]
    assert list(found.paired) == ["arcs_any", "lea", "mela"]
    assert found.oracle.overall.right == (2, 1)
    assert "gold key: has no POS, so that there are no types of mentions and no arcs_nom." in found.notes
    assert "by type of mention" not in str(found)
    lines = str(found).splitlines()
    heading = next(at for at, line in enumerate(lines) if line.startswith("a to b, new errors: 1 of 1"))
    assert lines[heading + 2].split() == ["a", "b", "count", "%", "of", "these", "%", "of", "all"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"by": "arcs_nom"},
            "arcs_nom takes the POS of words, which the gold standard does not have; leave it out.",
        ),
        ({"slices": "pronoun"}, "The slice 'pronoun' is for mentions, and takes the POS of words; leave it out."),
        ({"slices": "pos"}, "The gold standard has no column 'pos' to slice by."),
        ({"by": "mela"}, "by is 'mela'; choose one of arcs_any, arcs_nom for chains."),
        ({"match": "mela"}, "match does nothing in a comparison; leave it out."),
        ({"labels": "PRP"}, "labels does nothing for chains; leave it out."),
    ],
    ids=["arcs_nom", "pronoun", "pos", "mela", "match", "labels"],
)
def test_what_is_refused(bare: list[str], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.compare(bare[0], bare[1:], **options, **NONE)
    assert str(error.value) == sentence


def test_pronouns_are_for_chains_only(example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    with pytest.raises(eh.SettingError, match="The slice 'pronoun' is for chains"):
        eh.compare(example / "gold.conll", systems, slices="pronoun", **NONE)


# The contract


def test_the_keys_of_the_contract() -> None:
    found = json.loads(eh.compare(GOLD, SYSTEMS, by="arcs_nom", trials=50, resamples=50, show="unsolved").to_json())
    assert (found["command"], found["task"], found["by"]) == ("compare", "chains", "arcs_nom")
    assert found["systems"] == list(NAMES)
    for name, result in eh.score(GOLD, SYSTEMS).items():
        assert found["scores"][name] == pytest.approx({model: result[model].f1 for model in CHAIN_MODELS})
    assert list(found["agreement"]["paired"]) == ["arcs_nom", "lea", "mela"]
    assert found["agreement"]["all"] == found["agreement"]["paired"]["arcs_nom"]
    for pair in found["pairs"]:
        assert {"units", "different", "difference", "delta", "classes", "moved", "significance", "interval"} <= set(
            pair
        )
        assert "mcnemar" not in pair
        assert list(pair["further"]) == list(CHAIN_MODELS)
        assert {"delta", "significance", "interval"} == set(pair["further"]["mela"])
        assert pair["further"]["arcs_nom"]["delta"] == pytest.approx(pair["delta"])
        assert sum(each["count"] for each in pair["classes"].values()) == pair["different"]
    assert "exact" not in found["oracle"]
    assert {"gold_antecedent", "document_name", "answers", "place", "words"} <= set(found["units"][0])
    expected = {"name": "gold", "documents": 9, "sentences": 69, "tokens": 1085, "units": 266, "left_out": 0}
    assert expected.items() <= found["gold"].items()


def test_a_missing_document_is_empty_and_said() -> None:
    key = annotation([[(0, 0, 0), (0, 2, 2)]] * 2, names=["x", "y"])
    one, other = annotation([[(0, 0, 0), (0, 2, 2)]], names=["x"]), annotation([[]] * 3, names=["z", "y", "x"])
    found = eh.compare(key, {"a": one, "b": other}, **NONE)
    pair = found.pair("a", "b")
    assert (pair.size, pair.new_errors.count, found.difficulty) == (2, 1, {0: 1, 1: 1, 2: 0})
    assert "system a: lacks documents y; they count as empty." in found.notes
    assert "system b: has more documents, which are ignored: z." in found.notes


# Gates


@pytest.mark.parametrize("by", ["arcs_any", "arcs_nom"])
def test_a_better_system_passes_a_gate(by: str) -> None:
    found = eh.gate(GOLD, SYSTEMS["rules"], SYSTEMS["neural"], by=by)
    pair = eh.compare(GOLD, {"rules": SYSTEMS["rules"], "neural": SYSTEMS["neural"]}, by=by).pair("rules", "neural")
    assert found.passed
    assert (found.pair.delta, found.pair.new_errors.count) == (pair.delta, pair.new_errors.count)
    assert "by type of mention" not in str(found)


def test_a_worse_system_fails_a_gate() -> None:
    found = eh.gate(GOLD, SYSTEMS["neural"], SYSTEMS["rules"], max_drop=1, max_new_errors=5, alpha=0.05)
    assert not found.passed
    assert [criterion.passed for criterion in found.criteria] == [False, False, False]
    drop = 100 * (eh.score(GOLD, SYSTEMS["neural"])["arcs_any"].f1 - eh.score(GOLD, SYSTEMS["rules"])["arcs_any"].f1)
    assert found.criteria[0].value == pytest.approx(drop)
    loose = eh.gate(GOLD, SYSTEMS["neural"], SYSTEMS["rules"], max_drop=50, max_new_errors=500, only=True)
    assert loose.passed
    assert [criterion.passed for criterion in loose.criteria] == [True, True]
