"""Clusters of significance: who shares a letter, by hand, and on the systems of shared tasks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.comparison.counts import GroupTables
from evenhand.comparison.ranking import Placement, placements

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
    assert found == {"a": Placement("A", None, None), "b": Placement("A", "a", 0.05)}


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
    assert found.systems["other"] == Placement("A", "one", 0.5)


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
        GroupTables.of(model, {"crf": tallies[model.judge]}, results.gold.documents, labels)
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
    assert ranking.to_dict()["clusters"]["systems"]["crf"] == {"cluster": "B", "against": "tagger", "p_holm": 0.0078125}
