"""Comparing coreference resolvers: responses as keys for each other, tests by document, units, slices, and gates."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations, permutations, product
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import TAGS, Row, annotation, clusters, columns, rows
from conftest import ROOT
from declared import CHAIN_MODELS
from evenhand.comparison.slices import natural_order
from evenhand.comparison.units import Unit
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.results.comparison import Pair, Significance
from evenhand.settings import ReadSettings

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
GOLD, NAMES = CHAINS / "gold.conll", ("rules", "pairs", "neural")
SYSTEMS = {name: CHAINS / f"{name}.conll" for name in NAMES}
COMPARED = "mela, lea, ceaf_e, b_cubed, muc, arcs_any, arcs_nom"
NONE: Any = {"trials": 0, "resamples": 0}
POS = [["NNP", "NN", "PRP", "PRP$", "PRP", "DT"]]
KEY = [(0, 0, 0), (0, 2, 2), (0, 4, 4), (1, 1, 1), (1, 3, 3)]


def significance(pair: Pair) -> Significance:
    assert pair.significance is not None
    return pair.significance


def defined(score: float) -> float:
    """The score in tables of pairs, where a response without chains that is the key has 0, not nan."""
    return 0.0 if isnan(score) else score


# Scores, and responses as keys


@pytest.mark.parametrize("by", ["arcs_any", "arcs_nom"])
@pytest.mark.parametrize("singletons", [True, False])
def test_scores_are_those_of_score(by: str, singletons: bool) -> None:
    comparison = eh.compare(GOLD, SYSTEMS, by=by, singletons=singletons, **NONE)
    for name, result in eh.score(GOLD, SYSTEMS, singletons=singletons).items():
        assert comparison.scores[name] == pytest.approx(result[by].f1)
        assert comparison.further_scores[name] == pytest.approx({model: result[model].f1 for model in CHAIN_MODELS})
    for (before, after), pair in comparison.pairs.items():
        assert pair.further["mela"].delta == pytest.approx(
            comparison.further_scores[after]["mela"] - comparison.further_scores[before]["mela"]
        )


def sides(draw: st.DrawFn, size: int, *, unique: bool) -> list[list[Row]]:
    return [draw(rows(unique=unique)) for _ in range(size)]


@settings(max_examples=25)
@given(st.data(), st.booleans())
def test_pairs_are_scored_with_the_first_as_the_key(data: st.DataObject, singletons: bool) -> None:
    """Table 13 of Tuggener 2017; with repeated spans, too."""
    size = data.draw(st.integers(1, 2))
    pos = [data.draw(st.lists(st.sampled_from(TAGS), min_size=6, max_size=6)) for _ in range(size)]
    names = NAMES[: data.draw(st.integers(2, 3))]
    key, *systems = (annotation(sides(data.draw, size, unique=False), pos=pos) for _ in range(len(names) + 1))
    for by in ("arcs_any", "arcs_nom"):
        comparison = eh.compare(key, dict(zip(names, systems, strict=True)), by=by, singletons=singletons, **NONE)
        assert list(comparison.paired) == [by, "lea", "mela"]
        for a, b in combinations(range(len(names)), 2):
            expected = eh.score(systems[a], systems[b], singletons=singletons)
            for model, table in comparison.paired.items():
                assert table[a, b] == pytest.approx(defined(expected[model].f1))
        assert (comparison.all_answers == comparison.paired[by]).all()


@settings(max_examples=25)
@given(st.data())
def test_without_repeats_most_scores_are_the_same_both_ways(data: st.DataObject) -> None:
    one, other = (annotation(sides(data.draw, 1, unique=True)) for _ in range(2))
    found = eh.compare(annotation([[]]), {"a": one, "b": other}, **NONE)
    backwards = eh.score(other, one)
    for model, table in found.paired.items():
        assert (table[0, 0], table[1, 1]) == (1, 1)
        for both in (table[0, 1], table[1, 0]):  # sums in another order may differ in the last digit
            assert both == pytest.approx(defined(backwards[model].f1))


def test_arcs_nom_is_not_the_same_both_ways() -> None:
    """The closest noun of the response must be in the key's chain, but not the other way: token 2 is tp, or wl."""
    systems = {
        "long": annotation([[(0, 0, 0), (0, 1, 1), (0, 2, 2)]], pos=POS),
        "short": annotation([[(0, 0, 0), (0, 2, 2)]], pos=POS),
    }
    table = eh.compare(annotation([KEY], pos=POS), systems, by="arcs_nom", **NONE).paired["arcs_nom"]
    for (a, key), (b, response) in permutations(enumerate(systems), 2):
        assert table[a, b] == eh.score(systems[key], systems[response])["arcs_nom"].f1


def test_pairs_of_the_example() -> None:
    comparison = eh.compare(GOLD, SYSTEMS, by="arcs_nom", **NONE)
    texts = {name: slow_chains.read_columns(path.read_text()) for name, path in SYSTEMS.items()}
    for (a, one), (b, other) in combinations(enumerate(NAMES), 2):
        pairs = slow_chains.paired(texts[one], texts[other])
        assert comparison.paired["mela"][a, b] == pytest.approx(slow_chains.mela(pairs))
        assert comparison.paired["lea"][a, b] == pytest.approx(slow_chains.scores(pairs)["lea"].f1)
        nominal = eh.score(SYSTEMS[one], SYSTEMS[other], match="arcs_nom")["arcs_nom"]
        assert comparison.paired["arcs_nom"][a, b] == pytest.approx(nominal.f1)
    assert round(100 * float(comparison.paired["arcs_nom"][0, 1]), 2) == 47.14
    assert [(a, b) for a, b, _ in comparison.alike] == [("pairs", "neural"), ("rules", "neural"), ("rules", "pairs")]


# Tests and intervals


def f1(model: str, keys: list[list[Row]], responses: list[list[Row]], pos: list[list[str]]) -> float:
    cleaned = [
        [slow_chains.first_only(clusters(each))[0] for each in pair] for pair in zip(keys, responses, strict=True)
    ]
    if model.startswith("arcs"):
        mode = model.removeprefix("arcs_")
        counts = [slow_arcs.arcs_counts(*pair, mode, tags) for pair, tags in zip(cleaned, pos, strict=True)]
        return slow_arcs.arcs_prf(counts).f1
    documents = [slow_chains.Document(clusters(a), clusters(b)) for a, b in zip(keys, responses, strict=True)]
    return slow_chains.mela(documents) if model == "mela" else slow_chains.scores(documents)[model].f1


@settings(max_examples=12)
@given(st.data())
def test_p_values_swap_whole_documents(data: st.DataObject) -> None:
    """Exact ones, of every score, from all ways to swap the responses of four documents."""
    pos = [data.draw(st.lists(st.sampled_from(TAGS), min_size=6, max_size=6)) for _ in range(4)]
    key, one, other = (sides(data.draw, 4, unique=True) for _ in range(3))
    systems = {"a": annotation(one), "b": annotation(other)}
    pair = eh.compare(annotation(key, pos=pos), systems, by="arcs_nom", resamples=0).pair("a", "b")
    assert pair.further["arcs_nom"].significance == pair.significance
    for model in ("arcs_nom", "mela", "b_cubed", "blanc"):
        reached = []
        for swaps in product([False, True], repeat=4):
            parts = [(b, a) if swap else (a, b) for swap, a, b in zip(swaps, one, other, strict=True)]
            first, second = ([part[side] for part in parts] for side in (0, 1))
            reached.append(abs(f1(model, key, second, pos) - f1(model, key, first, pos)))
        expected = sum(value >= reached[0] - 1e-9 for value in reached) / 16
        test = pair.further[model].significance
        if not any(key):  # scores are undefined
            assert (test, isnan(pair.further[model].delta)) == (None, True)
            continue
        assert test is not None
        assert (test.p, test.exact) == (pytest.approx(expected), True)


def test_documents_are_resampled() -> None:
    comparison = eh.compare(GOLD, SYSTEMS, by="arcs_nom", resamples=200)
    assert (comparison.resampling["of"], comparison.gold.documents) == ("documents", 9)
    for pair in comparison.pairs.values():
        test = significance(pair)
        assert (test.groups, test.trials, test.exact) == (9, 2**9, True)
        assert pair.interval is not None
        assert pair.interval[0] < pair.delta < pair.interval[1]
        assert list(pair.further) == list(CHAIN_MODELS)
        for each in pair.further.values():
            assert each.interval is not None
            assert each.interval[0] < each.delta < each.interval[1]
    assert significance(comparison.pair("rules", "neural")).p < 0.05 < significance(comparison.pair("rules", "pairs")).p
    bca = eh.compare(GOLD, SYSTEMS, by="arcs_nom", resamples=200, interval="bca").pair("rules", "neural")
    assert bca.interval is not None
    assert bca.interval != comparison.pair("rules", "neural").interval
    assert bca.interval[0] < bca.delta < bca.interval[1]


def test_one_document_tells_nothing() -> None:
    """Sentences are no groups, as chains are not sums over them."""
    other = annotation([[(0, 0, 0), (0, 2, 2)]])
    comparison = eh.compare(annotation([KEY], pos=POS), {"a": annotation([KEY]), "b": other}, by="arcs_any")
    pair = comparison.pair("a", "b")
    assert (pair.significance, pair.interval, pair.delta) == (None, None, -0.5)
    assert {(item.significance, item.interval) for item in pair.further.values()} == {(None, None)}
    note = "nothing can be resampled because the gold standard has 1 document: no intervals and no tests."
    assert comparison.notes == (note,)
    assert comparison.resampling["of"] is None
    assert "interval" not in comparison.to_dict()["pairs"][0]
    ranking = eh.rank(annotation([KEY], pos=POS), {"a": annotation([KEY]), "b": other})
    assert note in ranking.notes
    assert (ranking.resamples, ranking.groups) == (0, None)
    assert "|resamples:0|of:none|" in ranking.signature
    standings = [item for system in ranking.to_dict()["systems"] for item in system["standings"].values()]
    assert [item["interval"] for item in standings] == [None] * 8


@pytest.mark.parametrize("by", ["arcs_any", "arcs_nom"])
def test_a_system_never_differs_from_itself(by: str) -> None:
    comparison = eh.compare(GOLD, {"a": SYSTEMS["pairs"], "copy": SYSTEMS["pairs"]}, by=by, resamples=50)
    pair = comparison.pair("a", "copy")
    assert (pair.different, pair.moved, pair.delta, pair.interval) == (0, 0, 0, (0, 0))
    assert (significance(pair).p, significance(pair).p_holm) == (1, 1)
    assert {each.significance and each.significance.p for each in pair.further.values()} == {1}
    assert "no difference at all: a and copy." in comparison.notes
    assert "100.00" in str(comparison)
    neural = {"a": SYSTEMS["neural"], "b": SYSTEMS["neural"]}
    assert {float(table[0, 1]) for table in eh.compare(GOLD, neural, by=by, **NONE).paired.values()} == {1}


# Units


def test_units_have_place_words_document_and_antecedents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pos = [POS[0], ["NN", "PRP", "PRP", "DT", "NN", "NN"]]
    Path("key.conll").write_text(
        columns([["(1", "1)", "(1)", "(2)", "(2)", "-"], ["(1)", "-", "(1)", "-", "-", "-"]], pos=pos)
    )
    Path("a.conll").write_text(columns([["(1", "1)", "(1)", "(2)", "(2)", "-"], ["(1)", "-", "(1)", "-", "-", "-"]]))
    Path("b.conll").write_text(columns([["(1", "1)", "-", "-", "(1)", "-"], ["(1)", "-", "-", "-", "(2", "2)"]]))
    comparison = eh.compare("key.conll", ["a.conll", "b.conll"], by="arcs_any", **NONE)
    units = comparison.pair("a", "b").units("new_error")
    lost, wrong, far = units
    assert [unit.place for unit in units] == ["key.conll:4", "key.conll:7", "key.conll:14"]
    assert [(unit.words, unit.gold, unit.gold_antecedent) for unit in units] == [
        ("w2", "PRP", "w0 w1"),
        ("w4", "PRP", "w3"),
        ("w2", "PRP", "w0"),
    ]
    assert lost.answers == {"a": "tp to w0 w1", "b": "fn"}
    assert wrong.answers == {"a": "tp to w3", "b": "wl to w0 w1"}
    assert (wrong.sentence, wrong.document, wrong.document_name, wrong.start, wrong.end) == (2, 1, "d0_0", 1, 2)
    assert (far.sentence, far.document, far.document_name, far.text) == (3, 2, "d1_0", "w0 w1 w2")
    assert wrong.pair == ("a", "b")
    assert wrong.to_dict()["gold_antecedent"] == "w3"
    assert comparison.pair("a", "b").units("correction") == []
    assert (Counter(unit.kind for unit in units), units[0].gold_head) == (Counter(new_error=3), None)


def test_units_without_an_antecedent_in_the_key() -> None:
    systems = {"a": annotation([KEY]), "b": annotation([[(0, 0, 0), (0, 1, 1)]])}
    found = eh.compare(
        annotation([KEY], pos=POS, words=["Ada", "it", "she", "its", "her", "."]), systems, by="arcs_any", **NONE
    )
    added = found.pair("a", "b").units("new_error")[0]
    assert (added.words, added.gold, added.gold_antecedent) == ("it", "nouns", None)
    assert added.answers == {"a": "tn", "b": "fp to Ada"}
    assert "gold_antecedent" not in added.to_dict()


def test_units_at_the_begin_of_a_sentence() -> None:
    unit = eh.compare(GOLD, SYSTEMS, by="arcs_nom", **NONE).pair("rules", "neural").units("new_error")[0]
    assert unit.place == f"{GOLD}:44"
    assert (unit.sentence, unit.start, unit.end, unit.words) == (3, 0, 1, "Her")
    assert unit.text is not None
    assert unit.text.startswith("Her council has found money")


def test_mentions_across_sentences_have_all_their_words(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text(columns([["(1)", "-", "(1", "-", "1)", "-"]]))
    nothing = tmp_path / "nothing.conll"
    nothing.write_text(columns([["-"] * 6]))
    (unit,) = eh.compare(path, [path, nothing], by="arcs_any", **NONE).pair("key", "nothing").units("new_error")
    assert (unit.words, unit.sentence, unit.text) == ("w2 w3 w4", 1, "w0 w1 w2")


def test_units_that_are_shown() -> None:
    comparison = eh.compare(GOLD, SYSTEMS, by="arcs_any", show="unsolved", limit=3, **NONE)
    whole = eh.compare(GOLD, SYSTEMS, by="arcs_any", show="unsolved", **NONE).shown_units
    assert (len(comparison.shown_units), list(comparison.shown_units)) == (3, list(whole[:3]))
    assert len(whole) == comparison.difficulty[0]
    assert all({answer.split()[0] for answer in unit.answers.values()} <= {"wl", "fn", "fp"} for unit in whole)
    once = eh.compare(GOLD, SYSTEMS, by="arcs_any", show="solved_once", **NONE)
    assert len(once.shown_units) == comparison.difficulty[1]


@pytest.mark.parametrize("by", ["arcs_any", "arcs_nom"])
def test_units_of_every_class_are_as_many_as_are_counted(by: str) -> None:
    found = eh.compare(GOLD, SYSTEMS, by=by, **NONE)
    for pair in found.pairs.values():
        for name, difference in pair.classes.items():
            units: list[Unit] = difference.units()
            transitions = Counter(
                (unit.gold, *(unit.answers[side].split()[0] for side in (pair.before, pair.after))) for unit in units
            )
            assert transitions == {(row.gold, row.before, row.after): row.count for row in difference.transitions}
            assert {unit.kind for unit in units} <= {name}


def test_batches_do_not_change_a_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the places and documents of units."""
    options: Any = {"by": "arcs_nom", "slices": "document", "show": "solved_once", "trials": 50, "resamples": 50}
    whole = eh.compare(GOLD, SYSTEMS, **options)
    defaults = ReadSettings.__init__.__defaults__ or ()
    small = tuple(600 if value == ReadSettings().block_size and value is not True else value for value in defaults)
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", small)
    assert ReadSettings().block_size == 600
    assert len(list(batches(GOLD, ReadSettings(), Vocabulary()))) > 5
    assert eh.compare(GOLD, SYSTEMS, **options).to_dict() == whole.to_dict()


# Comparisons of chains by slices, without POS, in the JSON contract, and as a gate


GOLD_CHAIN_SLICES, NAMES_CHAIN_SLICES = CHAINS / "gold.conll", ("rules", "pairs", "neural")
Slices = dict[str, tuple[int, dict[str, float]]]
"""By slice, the key's mentions that have an antecedent, and the F1 of each system."""


def documents() -> list[tuple[str, list[tuple[str, str]]]]:
    """The example's documents: their names, and the words with their POS."""
    all_documents: list[tuple[str, list[tuple[str, str]]]] = []
    for line in GOLD_CHAIN_SLICES.read_text().splitlines():
        if line.startswith("#begin"):
            name, part = line.removeprefix("#begin document (").split("); part ")
            all_documents.append((f"{name}_{int(part)}", []))
        elif line.strip() and not line.startswith("#"):
            all_documents[-1][1].append((line.split()[3], line.split()[4]))
    return all_documents


def sliced(mode: str, slice_of: Any) -> Slices:
    """Scores by slice, straight from the definition; `slice_of` takes a mention, the words and the name."""
    sides = [slow_chains.read_columns(path.read_text()) for path in (GOLD_CHAIN_SLICES, *SYSTEMS.values())]
    counts: dict[str, list[dict[str, int]]] = defaultdict(
        lambda: [dict.fromkeys(slow_arcs.CLASSES, 0) for _ in NAMES_CHAIN_SLICES]
    )
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
    by_name: Slices = {}
    for value, by_system in counts.items():
        scores = {name: slow_arcs.arcs_prf([row]).f1 for name, row in zip(NAMES_CHAIN_SLICES, by_system, strict=True)}
        by_name[value] = (sum(by_system[0][kind] for kind in ("tp", "wl", "fn")), scores)
    return by_name


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
    return eh.compare(GOLD_CHAIN_SLICES, SYSTEMS, by=f"arcs_{mode}", slices=slices, vocabulary=SEEN, **NONE)


@pytest.mark.parametrize("name", SLICERS)
def test_slices_are_those_of_the_definition(comparison: eh.Comparison, mode: str, name: str) -> None:
    expected = {value: (units, pytest.approx(scores)) for value, (units, scores) in sliced(mode, SLICERS[name]).items()}
    assert listed(comparison, name) == expected


def test_slices_are_in_natural_order(comparison: eh.Comparison) -> None:
    for found in comparison.slices.values():
        assert list(found) == sorted(found, key=natural_order)


def test_pronouns_are_there_wherever_there_are_pos(comparison: eh.Comparison) -> None:
    assert list(comparison.slices) == ["document", "length", "vocabulary", "pos", "pronoun"]
    assert list(eh.compare(GOLD_CHAIN_SLICES, SYSTEMS, by="arcs_any", slices="pronoun", **NONE).slices) == ["pronoun"]


def test_documents_have_the_names_of_the_key(comparison: eh.Comparison) -> None:
    assert set(comparison.slices["document"]) == {name for name, _ in documents()}


def test_labels_are_types_of_mentions(comparison: eh.Comparison, mode: str) -> None:
    results = eh.score(GOLD_CHAIN_SLICES, SYSTEMS)
    assert {label: item.units for label, item in comparison.labels.items()} == dict(results.gold.labels)
    assert list(comparison.labels)[:3] == ["nouns", "PRP", "PRP$"]
    for label, item in comparison.labels.items():
        expected = {name: result[f"arcs_{mode}"].labels[label].f1 for name, result in results.items()}
        assert item.scores == pytest.approx(expected)


# Without POS


KEY_CHAIN_SLICES, OTHER = [["(1)", "-", "(1)", "(2)", "-", "(2)"]], [["(1)", "-", "(1)", "-", "-", "-"]]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Key, and two systems, in files without POS."""
    monkeypatch.chdir(tmp_path)
    for name, cells in (("key", KEY_CHAIN_SLICES), ("a", KEY_CHAIN_SLICES), ("b", OTHER)):
        Path(f"{name}.conll").write_text(columns(cells))
    return ["key.conll", "a.conll", "b.conll"]


def test_without_pos_there_are_no_types(bare: list[str]) -> None:
    comparison = eh.compare(bare[0], bare[1:], by="arcs_any", **NONE)
    assert (comparison.by, comparison.slices, comparison.labels) == ("arcs_any", {}, {})
    assert list(comparison.further_scores["a"]) == [model for model in CHAIN_MODELS if model != "arcs_nom"]
    assert list(comparison.paired) == ["arcs_any", "lea", "mela"]
    assert comparison.oracle.overall.right == (2, 1)
    assert "gold key: has no POS, so types of mentions and arcs_nom are not available." in comparison.notes
    assert "by type of mention" not in str(comparison)
    lines = str(comparison).splitlines()
    heading = next(at for at, line in enumerate(lines) if line.startswith("a to b, new errors: 1 of 1"))
    assert lines[heading + 2].split() == ["a", "b", "count", "%", "of", "these", "%", "of", "all"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"by": "arcs_nom"},
            "arcs_nom needs the POS of words, which the gold standard does not have; remove it.",
        ),
        ({"slices": "pronoun"}, "The slice 'pronoun' needs mentions; compare by arcs_any, or remove it."),
        (
            {"slices": "pronoun", "by": "arcs_any"},
            "The slice 'pronoun' needs the POS of words, which the gold standard does not have; remove it.",
        ),
        ({"slices": "pos"}, "The gold standard has no column 'pos' to slice by."),
        ({"by": "blanc"}, f"by is 'blanc'; choose one of {COMPARED} for chains."),
        ({"match": "zero"}, f"by is 'zero'; choose one of {COMPARED} for chains."),
        ({"labels": "PRP"}, "labels has no effect on chains; remove it."),
    ],
    ids=["arcs_nom", "pronoun", "pronoun-arcs", "pos", "blanc", "match", "labels"],
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
    data = json.loads(
        eh.compare(GOLD_CHAIN_SLICES, SYSTEMS, by="arcs_nom", trials=50, resamples=50, show="unsolved").to_json()
    )
    assert (data["command"], data["task"], data["by"]) == ("compare", "chains", "arcs_nom")
    assert data["systems"] == list(NAMES_CHAIN_SLICES)
    for name, result in eh.score(GOLD_CHAIN_SLICES, SYSTEMS).items():
        assert data["scores"][name] == pytest.approx({model: result[model].f1 for model in CHAIN_MODELS})
    assert list(data["agreement"]["paired"]) == ["arcs_nom", "lea", "mela"]
    assert data["agreement"]["all"] == data["agreement"]["paired"]["arcs_nom"]
    for pair in data["pairs"]:
        assert {"units", "different", "difference", "delta", "classes", "moved", "significance", "interval"} <= set(
            pair
        )
        assert "mcnemar" not in pair
        assert list(pair["further"]) == list(CHAIN_MODELS)
        assert {"delta", "significance", "interval"} == set(pair["further"]["mela"])
        assert pair["further"]["arcs_nom"]["delta"] == pytest.approx(pair["delta"])
        assert sum(each["count"] for each in pair["classes"].values()) == pair["different"]
    assert "exact" not in data["oracle"]
    assert {"gold_antecedent", "document_name", "answers", "place", "words"} <= set(data["units"][0])
    expected = {"name": "gold", "documents": 9, "sentences": 69, "tokens": 1085, "units": 266, "left_out": 0}
    assert expected.items() <= data["gold"].items()


def test_a_missing_document_is_empty_and_said() -> None:
    key = annotation([[(0, 0, 0), (0, 2, 2)]] * 2, names=["x", "y"])
    one, other = annotation([[(0, 0, 0), (0, 2, 2)]], names=["x"]), annotation([[]] * 3, names=["z", "y", "x"])
    comparison = eh.compare(key, {"a": one, "b": other}, **NONE)
    pair = comparison.pair("a", "b")
    assert (pair.size, pair.new_errors.count, comparison.difficulty) == (2, 1, {0: 1, 1: 1, 2: 0})
    assert "system a: lacks documents y; they count as empty." in comparison.notes
    assert "system b: has extra documents, which are ignored: z." in comparison.notes


# Gates


@pytest.mark.parametrize("by", ["arcs_any", "arcs_nom"])
def test_a_better_system_passes_a_gate(by: str) -> None:
    gate = eh.gate(GOLD_CHAIN_SLICES, SYSTEMS["rules"], SYSTEMS["neural"], by=by)
    pair = eh.compare(GOLD_CHAIN_SLICES, {"rules": SYSTEMS["rules"], "neural": SYSTEMS["neural"]}, by=by).pair(
        "rules", "neural"
    )
    assert gate.passed
    assert (gate.pair.delta, gate.pair.new_errors.count) == (pair.delta, pair.new_errors.count)
    assert "by type of mention" not in str(gate)


def test_a_worse_system_fails_a_gate() -> None:
    gate = eh.gate(GOLD_CHAIN_SLICES, SYSTEMS["neural"], SYSTEMS["rules"], max_drop=1, max_new_errors=5, alpha=0.05)
    assert not gate.passed
    assert [criterion.passed for criterion in gate.criteria] == [False, False, False]
    drop = 100 * (
        eh.score(GOLD_CHAIN_SLICES, SYSTEMS["neural"])["mela"].f1
        - eh.score(GOLD_CHAIN_SLICES, SYSTEMS["rules"])["mela"].f1
    )
    assert gate.criteria[0].value == pytest.approx(drop)
    loose = eh.gate(GOLD_CHAIN_SLICES, SYSTEMS["neural"], SYSTEMS["rules"], max_drop=50, max_new_errors=500, only=True)
    assert loose.passed
    assert [criterion.passed for criterion in loose.criteria] == [True, True]
