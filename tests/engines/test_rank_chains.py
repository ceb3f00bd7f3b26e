"""Ranking coreference resolvers: models, intervals from documents, and suites of data sets."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from build_chains import columns
from conftest import ROOT

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
SYSTEMS = {name: CHAINS / f"{name}.conll" for name in ("rules", "pairs", "neural")}


def test_models_of_a_ranking(tmp_path: Path) -> None:
    ranking = eh.rank(CHAINS / "gold.conll", SYSTEMS, resamples=50)
    assert tuple(ranking.models) == ("mela", "lea", "arcs_any", "arcs_nom")
    (tmp_path / "bare.conll").write_text(columns([["(1)", "(1)", "-"]] * 2))
    bare = eh.rank(tmp_path / "bare.conll", tmp_path / "bare.conll", resamples=50)
    assert tuple(bare.models) == ("mela", "lea", "arcs_any")
    with pytest.raises(eh.SettingError, match="arcs_nom takes the POS of words"):
        eh.rank(tmp_path / "bare.conll", tmp_path / "bare.conll", match="arcs_nom")


def test_scores_and_places_are_those_of_score() -> None:
    ranking, results = eh.rank(CHAINS / "gold.conll", SYSTEMS, resamples=50), eh.score(CHAINS / "gold.conll", SYSTEMS)
    for model in ranking.models:
        order = sorted(SYSTEMS, key=lambda name: -results[name][model].f1)
        for name, standing in ranking[model].items():
            assert standing.score == pytest.approx(results[name][model].f1)
            assert standing.rank == order.index(name) + 1
            assert standing.interval is not None
            assert standing.interval[0] < standing.score < standing.interval[1]
    assert ranking.groups == "documents"


def test_intervals_come_from_documents(tmp_path: Path) -> None:
    """One of two documents is right: resamples have none, one or both of them, also of sentences without mentions."""
    key = columns([["(1)", "(1)", "-", "-", "-", "-"]] * 2)
    (tmp_path / "key.conll").write_text(key)
    (tmp_path / "half.conll").write_text(columns([["(1)", "(1)", "-", "-", "-", "-"], ["-"] * 6]))
    ranking = eh.rank(tmp_path / "key.conll", tmp_path / "half.conll", match="mela", resamples=200)
    standing = ranking["mela"]["half"]
    assert (standing.score, standing.interval) == (pytest.approx(2 / 3), (0, 1))


def suite(folder: Path, *documents: int) -> Path:
    """Data sets with the first documents of the example."""
    entries = []
    for number, size in enumerate(documents):
        for name in ("gold", "rules", "neural"):
            parts = (CHAINS / f"{name}.conll").read_text().split("#begin document")[1 : size + 1]
            text = "".join(f"#begin document{part}" for part in parts)
            (folder / f"{number}-{name}.conll").write_text(text)
        systems = ", ".join(f'{name} = "{number}-{name}.conll"' for name in ("rules", "neural"))
        entries.append(f'[[data]]\nname = "{number}"\ngold = "{number}-gold.conll"\nsystems = {{{systems}}}\n')
    (folder / "suite.toml").write_text("\n".join(entries))
    return folder / "suite.toml"


def test_a_suite_has_the_mean_of_its_data_sets(tmp_path: Path) -> None:
    ranking = eh.rank_suite(suite(tmp_path, 3, 5), resamples=50)
    assert ranking.data_sets is not None
    for model in ranking.models:
        for name, standing in ranking[model].items():
            parts = [part[model][name].score for part in ranking.data_sets.values()]
            assert standing.score == pytest.approx(sum(parts) / 2)
            assert standing.interval is not None


@pytest.mark.parametrize("sizes", [(3, 1), (1, 3), (1, 1)])
def test_a_suite_may_have_data_sets_of_one_document(tmp_path: Path, sizes: tuple[int, int]) -> None:
    """Which cannot be resampled."""
    ranking = eh.rank_suite(suite(tmp_path, *sizes), resamples=50)
    assert ranking["mela"]["neural"].score > ranking["mela"]["rules"].score
    note = "nothing can be resampled, as the gold standard has 1 document: no intervals and no tests."
    assert [each for each in ranking.notes if "resampled" in each] == [
        f"{number}: {note}" for number, size in enumerate(sizes) if size == 1
    ]
    assert ranking.resamples == 0
    assert {each.interval for model in ranking.models for each in ranking[model].values()} == {None}
    assert str(ranking)
