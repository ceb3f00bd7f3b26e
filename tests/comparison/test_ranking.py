"""Ranks, their changes, intervals, and how match models agree."""

from __future__ import annotations

import random
from itertools import combinations
from math import isnan
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from evenhand.comparison import ranking
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.ranking import (
    ClusterPlacement,
    Correlation,
    TypicalGroups,
    correlations,
    placements,
    rank_intervals,
    resample_headlines,
)
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import headline
from evenhand.scoring.tally import Tally

SCORES = {
    "exact": {"a": 0.9, "b": 0.8, "c": 0.8, "d": 0.1},
    "ts": {"a": 0.7, "b": 0.9, "c": 0.8, "d": 0.1},
}


def placed(scores: dict[str, dict[str, float]], model: str) -> dict[str, tuple[int, int]]:
    """Rank and change of each system."""
    return {name: (each.rank, each.change) for name, each in rank_intervals(scores, {}, 0.95)[model].items()}


def test_systems_with_equal_scores_share_the_best_of_their_ranks() -> None:
    assert {name: rank for name, (rank, _) in placed(SCORES, "exact").items()} == {"a": 1, "b": 2, "c": 2, "d": 4}


def test_the_change_is_the_places_gained_against_the_first_model() -> None:
    assert placed(SCORES, "ts") == {"a": (3, -2), "b": (1, 1), "c": (2, 0), "d": (4, 0)}
    assert {change for _, change in placed(SCORES, "exact").values()} == {0}


def test_all_alike_are_first() -> None:
    assert placed({"exact": dict.fromkeys("abc", 0.5)}, "exact") == dict.fromkeys("abc", (1, 0))


def test_scores_stay_as_they_are() -> None:
    found = rank_intervals(SCORES, {}, 0.95)
    assert {model: {name: each.score for name, each in row.items()} for model, row in found.items()} == SCORES


def test_an_interval_holds_its_share_of_the_resamples() -> None:
    """Of 0, .01, …, 1, nine tenths lie between .05 and .95."""
    samples = {"exact": {"a": np.arange(101) / 100}}
    found = rank_intervals({"exact": {"a": 0.5}}, samples, 0.9)["exact"]["a"].interval
    assert found == pytest.approx((0.05, 0.95))


def test_without_resamples_there_are_no_intervals() -> None:
    assert all(each.interval is None for row in rank_intervals(SCORES, {}, 0.95).values() for each in row.values())


def test_correlations_of_every_two_models_by_hand() -> None:
    """Differences of ranks 1, -1, 0, 1, -1: rho = 1 - 6 · 4 / 120; two of ten pairs discordant: tau = .6."""
    x, y, z = [5, 4, 3, 2, 1], [4, 5, 3, 1, 2], [1, 2, 3, 4, 5]
    scores = {model: dict(zip("abcde", values, strict=True)) for model, values in (("x", x), ("y", y), ("z", z))}
    assert [(each.models, each.spearman, each.kendall) for each in correlations(scores)] == [
        (("x", "y"), pytest.approx(0.8), pytest.approx(0.6)),
        (("x", "z"), -1, -1),
        (("y", "z"), pytest.approx(-0.8), pytest.approx(-0.6)),
    ]


def test_correlations_are_none_where_a_model_sees_no_difference() -> None:
    scores = {"x": {"a": 0.5, "b": 0.5}, "y": {"a": 0.1, "b": 0.2}}
    assert correlations(scores) == [Correlation(("x", "y"), None, None)]
    assert correlations({"x": {"a": 0.5}, "y": {"a": 0.1}}) == [Correlation(("x", "y"), None, None)]
    assert correlations({"x": {"a": 0.5, "b": 0.1}}) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_a_rank_is_one_more_than_the_number_of_better_systems(pairs: list[tuple[int, int]]) -> None:
    scores = {model: {str(i): pair[place] for i, pair in enumerate(pairs)} for place, model in enumerate("xy")}
    for model, row in rank_intervals(scores, {}, 0.95).items():
        for name, each in row.items():
            better = {m: sum(other > scores[m][name] for other in scores[m].values()) for m in "xy"}
            assert (each.rank, each.change) == (better[model] + 1, better["x"] - better[model])


# Resamples


def tallied(systems: int, sentences: int) -> tuple[eh.Results, list[Formula]]:
    """Random systems by sentence, the first and the last of which are alike."""
    chance = random.Random(7)
    gold = [[chance.choice(["O", "B-A", "B-B"]) for _ in range(5)] for _ in range(sentences)]

    def other(share: float) -> eh.Annotation:
        return eh.tags([[tag if chance.random() < share else "O" for tag in tags] for tags in gold])

    named = {f"s{i}": other(0.9 - i / 10) for i in range(systems)}
    named |= {"twin": named["s0"]}
    results = eh.score(eh.tags(gold), named, match="exact,ts,overlap,accuracy", groups="sentence")
    return results, [each.model for each in results["s0"].scores.values()]


def drawn(results: eh.Results, models: list[Formula], groups: int, seed: int = 0) -> dict:
    tallies = {name: result.tallies for name, result in results.items()}
    return resample_headlines(models, TypicalGroups.of(models, tallies, groups), ["A", "B"], 200, seed)


def test_every_system_has_resamples_under_every_model() -> None:
    results, models = tallied(3, 40)
    found = drawn(results, models, 40)
    assert list(found) == ["exact", "ts", "overlap", "accuracy"]
    for model, row in found.items():
        assert {name: values.shape for name, values in row.items()} == dict.fromkeys(results, (200,))
        for name, values in row.items():
            assert values.mean() == pytest.approx(results[name][model].headline, abs=0.02)


def test_how_many_systems_are_resampled_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draws are the same for all of them."""
    results, models = tallied(3, 40)
    together = drawn(results, models, 40)
    monkeypatch.setattr(ranking, "_MAX_CELLS", 1)
    apart = drawn(results, models, 40)
    for model, row in together.items():
        for name, values in row.items():
            assert apart[model][name] == pytest.approx(values)


def test_systems_are_resampled_together() -> None:
    """Twins stay twins; and overlap, which is exact match where all spans have one token, gets the same draws."""
    results, models = tallied(2, 40)
    drawing = drawn(results, models, 40)
    for row in drawing.values():
        assert (row["s0"] == row["twin"]).all()
    assert drawing["exact"]["s1"] == pytest.approx(drawing["overlap"]["s1"])


def test_one_group_is_always_drawn() -> None:
    results, models = tallied(1, 1)
    for model, row in drawn(results, models, 1).items():
        assert set(row["s0"].tolist()) == {results["s0"][model].headline}


def test_types_of_groups_add_up_to_all_of_them() -> None:
    results, models = tallied(3, 200)
    tallies = {name: result.tallies for name, result in results.items()}
    typical = TypicalGroups.of(models, tallies, 200)
    assert len(typical.sizes) < typical.sizes.sum() == 200
    for name, totals in typical.totals(tallies).items():
        for model in models:
            assert headline(model, totals[model.scorer], ["A", "B"]) == results[name][model.name].headline


def test_totals_of_fractions_are_added_up_one_by_one() -> None:
    model = next(model for model in tallied(1, 1)[1] if model.name == "exact")
    tally = Tally.of(("A",), ("TP",), np.arange(3), *np.zeros((3, 3), dtype=np.int64), np.array([0.1, 0.1, 0.3]))
    tallies = {"s": {"exact": tally}}
    assert TypicalGroups.of([model], tallies, 3).totals(tallies)["s"]["exact"] is tally


# Clusters of significance: who shares a letter, by hand, and on the systems of shared tasks


NER = ROOT / "src" / "evenhand" / "examples" / "ner"


def letters(order: str, significant: set[str]) -> str:
    """The letters of systems that are called by one character; pairs in `significant` differ."""
    p_values = {(a, b): 0.01 if a + b in significant else 0.4 for a, b in combinations(order, 2)}
    return "".join(each.cluster for each in placements(order, p_values, 0.05).values())


def test_systems_share_the_letter_of_the_best_that_they_do_not_differ_from() -> None:
    assert letters("wxyz", {"wy", "wz", "xz"}) == "AABB"


def test_only_the_best_of_the_open_cluster_counts() -> None:
    """x and z differ, but z is compared with w and y alone; a later system joins no cluster that is closed."""
    assert letters("wxyz", {"xz"}) == "AAAA"
    assert letters("wxyz", {"wx"}) == "ABBB"


def test_p_equal_to_alpha_is_not_significant() -> None:
    found = placements("ab", {("a", "b"): 0.05}, 0.05)
    assert found == {"a": ClusterPlacement("A", None, None), "b": ClusterPlacement("A", "a", 0.05)}


def test_after_z_come_two_letters() -> None:
    order = [f"s{number:02}" for number in range(54)]
    found = placements(order, dict.fromkeys(combinations(order, 2), 0.0), 0.05)
    assert [found[order[place]].cluster for place in (0, 25, 26, 27, 51, 52, 53)] == [
        "A",
        "Z",
        "AA",
        "AB",
        "AZ",
        "BA",
        "BB",
    ]


def test_the_p_values_are_those_of_a_comparison() -> None:
    systems = [NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")]
    clusters = eh.rank(NER / "gold.conll", systems, match="fair,exact").clusters
    compared = eh.compare(NER / "gold.conll", systems, by="fair")
    assert clusters is not None
    assert (clusters.model, clusters.alpha, clusters.trials) == ("fair", 0.05, 10_000)
    assert {name: each.cluster for name, each in clusters.systems.items()} == {
        "tagger": "A",
        "crf": "B",
        "gazetteer": "C",
    }
    assert clusters.systems["crf"].p_holm == compared.pair("crf", "tagger").significance.p_holm == 3 * 2 / 2**8


def test_macro_averages_are_tested_label_by_label() -> None:
    """Two sentences can be swapped in four ways, of which two are as extreme as what was found."""
    gold = eh.spans([[("A", 0, 1), ("B", 2, 3)], [("A", 0, 1), ("B", 2, 3)]])
    one = eh.spans([[("A", 0, 1), ("B", 2, 3)], [("A", 0, 1), ("B", 2, 3)]])
    other = eh.spans([[("A", 0, 1)], [("B", 2, 3)]])
    found = eh.rank(gold, {"one": one, "other": other}, match="t").clusters
    assert found is not None
    placement = found.systems["other"]
    assert (placement.cluster, placement.against, placement.p_holm) == ("A", "one", 0.5)


def test_sixteen_systems_of_conll_2003(data: Path) -> None:
    folder = data / "conll2003"
    systems = {path.name.partition(".")[0]: path for path in sorted((folder / "systems").iterdir())}
    clusters = eh.rank(folder / "gold.testb.tags", systems, match="exact", resamples=0, trials=10_000).clusters
    assert clusters is not None
    assert "".join(each.cluster for each in clusters.systems.values()) == "AABBBCCCCCDDEEFG"
    assert clusters.systems["klein"].against == "florian"
    assert clusters.systems["zhang"].against == "klein"


def test_a_mean_over_data_sets_is_tested_on_all_of_their_groups() -> None:
    """The score of joined tables is the mean of their scores, whatever their columns are."""
    gold, crf = NER / "gold.conll", NER / "crf.conll"
    results = eh.score(gold, {"crf": crf}, match="exact,t", groups="document")
    tallies, labels = results["crf"].tallies, list(results.gold.labels)
    tables = [
        GroupTables.of(model, {"crf": tallies[model.scorer]}, results.gold.documents, labels)
        for model in results["crf"].models
    ]
    joined = GroupTables.joined(tables)
    assert joined.columns == 3 + 3 * len(labels)
    assert joined.score("crf") == pytest.approx(np.mean([results["crf"]["exact"].f1, results["crf"]["t"].macro.f1]))


@pytest.mark.parametrize("options", [{"resamples": 0}, {"trials": 0}])
def test_no_tests_no_clusters(options: dict[str, int]) -> None:
    assert (
        eh.rank(NER / "gold.conll", [NER / "crf.conll", NER / "tagger.conll"], match="exact", **options).clusters
        is None
    )


def test_a_single_system_has_no_clusters() -> None:
    assert eh.rank(NER / "gold.conll", NER / "crf.conll", match="exact").clusters is None


def test_a_ranking_keeps_its_clusters_in_json() -> None:
    ranking = eh.rank(NER / "gold.conll", [NER / "crf.conll", NER / "tagger.conll"], match="exact,fair")
    assert eh.Ranking.from_json(ranking.to_json()).to_dict() == ranking.to_dict()
    assert ranking.to_dict()["clusters"]["systems"]["crf"] == {
        "cluster": "B",
        "against": "tagger",
        "p_holm": 0.0078125,
        "detectable": None,
    }


# Macro averages over very many labels are resample_headlines without a table of all groups and labels


def annotation(seed: int) -> eh.Annotation:
    chance = random.Random(seed)
    labels = [f"L{number}" for number in range(30)]
    return eh.spans(
        [[(chance.choice(labels), place, place + 2) for place in range(0, 9, 3)] for _ in range(40)],
        end="exclusive",
        lengths=[10] * 40,
    )


def test_the_intervals_are_those_of_the_table() -> None:
    gold, systems = annotation(0), {"a": annotation(1), "b": annotation(2)}
    expected = eh.rank(gold, systems, match="exact,ts,t", resamples=300)
    with patch.object(ranking, "_MAX_CELLS", 0):
        found = eh.rank(gold, systems, match="exact,ts,t", resamples=300)
    assert found.to_dict() == expected.to_dict()


def test_without_gold_labels() -> None:
    empty = eh.spans([[], []], end="exclusive", lengths=[3, 3])
    with patch.object(ranking, "_MAX_CELLS", -1):
        found = eh.rank(empty, {"a": empty}, match="ts", resamples=10)
    assert isnan(found["ts"]["a"].score)
    assert found["ts"]["a"].rank is None
