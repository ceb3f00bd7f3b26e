"""`rank`: ranks, intervals, what is resampled, and a ranking as plain data."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import evenhand as eh
from build_chains import columns
from conftest import ROOT

SYSTEMS = ("crf", "gazetteer", "tagger")


def corpus(sentences: int, seed: int = 1) -> list[list[str]]:
    chance = random.Random(seed)
    return [[chance.choice(["O", "O", "B-A", "B-B"]) for _ in range(6)] for _ in range(sentences)]


def noisy(gold: list[list[str]], share: float, seed: int) -> eh.Annotation:
    """A system that has this share of the tags right."""
    chance = random.Random(seed)
    return eh.tags([[tag if chance.random() < share else chance.choice(["O", "B-A"]) for tag in row] for row in gold])


@pytest.fixture(scope="module")
def example_ranking() -> eh.Ranking:
    folder = Path(eh.__file__).parent / "examples" / "ner"
    return eh.rank(folder / "gold.conll", [folder / f"{name}.conll" for name in SYSTEMS], resamples=200)


def test_systems_and_models(example_ranking: eh.Ranking) -> None:
    assert example_ranking.systems == ("tagger", "crf", "gazetteer"), "by rank under the first model"
    assert example_ranking.models == ("exact", "fair", "ts", "t")
    assert [example_ranking["exact"][name].rank for name in SYSTEMS] == [2, 3, 1]
    with pytest.raises(KeyError, match="no measure 'overlap' was ranked; there are exact, fair, ts, t"):
        example_ranking["overlap"]


def test_scores_are_the_headlines(example_ranking: eh.Ranking, example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "crf.conll", match="exact,fair,ts,t")
    for model in example_ranking.models:
        assert example_ranking[model]["crf"].score == result[model].headline


def test_ranks_follow_f_beta() -> None:
    """The cautious system has P = 1 and R = 1/2, the eager one P = 1/2 and R = 1."""
    gold, cautious = eh.tags([["B-A", "B-A", "O", "O"]]), eh.tags([["B-A", "O", "O", "O"]])
    systems = {"cautious": cautious, "eager": eh.tags([["B-A"] * 4])}
    ranks = {
        beta: [each.rank for each in eh.rank(gold, systems, match="exact", beta=beta)["exact"].values()]
        for beta in (1, 2, 0.5)
    }
    assert ranks == {1: [1, 1], 2: [2, 1], 0.5: [1, 2]}


def test_models_that_disagree() -> None:
    """One system finds half of the spans, the other all but with a token too few each."""
    gold = eh.tags([["B-A", "I-A", "O"]] * 4)
    half = eh.tags([["B-A", "I-A", "O"]] * 2 + [["O", "O", "O"]] * 2)
    ranking = eh.rank(gold, {"half": half, "short": eh.tags([["B-A", "O", "O"]] * 4)}, match="exact,overlap")
    assert [(each.score, each.rank, each.change) for each in ranking["exact"].values()] == [(2 / 3, 1, 0), (0, 2, 0)]
    assert [(each.score, each.rank, each.change) for each in ranking["overlap"].values()] == [(2 / 3, 2, -1), (1, 1, 1)]
    (correlation,) = ranking.correlations
    assert (correlation.models, correlation.spearman, correlation.kendall) == (("exact", "overlap"), -1, -1)


# Intervals


@pytest.mark.parametrize("model", ["exact", "fair", "ts", "t", "overlap", "iou", "semeval-partial", "accuracy"])
def test_intervals_hold_the_score_of_a_large_sample(model: str) -> None:
    gold = corpus(1000)
    ranking = eh.rank(eh.tags(gold), {"a": noisy(gold, 0.9, 2), "b": noisy(gold, 0.6, 3)}, match=model, resamples=300)
    for standing in ranking[model].values():
        low, high = standing.interval
        assert low < standing.score < high
        assert high - low < 0.06


def intervals(sentences: int, **options: object) -> list[tuple[float, float]]:
    gold = corpus(sentences)
    systems = {"a": noisy(gold, 0.9, 2), "b": noisy(gold, 0.6, 3)}
    ranking = eh.rank(eh.tags(gold), systems, match="exact,ts", **{"resamples": 300, **options})  # type: ignore[arg-type]
    return [each.interval for model in ranking.models for each in ranking[model].values()]


def test_a_seed_gives_the_same_intervals_and_another_one_others() -> None:
    assert intervals(50, seed=5) == intervals(50, seed=5)
    assert all(one != other for one, other in zip(intervals(50, seed=5), intervals(50, seed=6), strict=True))


def test_intervals_narrow_as_data_grows() -> None:
    """Sixteen times the sentences: about a quarter of the width."""
    for few, many in zip(intervals(50, resamples=2000), intervals(800, resamples=2000), strict=True):
        assert 2.5 < (few[1] - few[0]) / (many[1] - many[0]) < 6


def test_a_higher_level_gives_wider_intervals() -> None:
    for narrow, wide in zip(intervals(50, level=0.5), intervals(50, level=0.99), strict=True):
        assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_no_resamples_no_intervals() -> None:
    assert intervals(5, resamples=0) == [None] * 4


def test_groups_are_documents_where_there_are_several(example_ranking: eh.Ranking) -> None:
    assert example_ranking.groups == "documents"
    assert example_ranking.signature.endswith("|resamples:200|of:documents|level:0.95|seed:0")


def test_groups_are_sentences_in_a_single_document(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("-DOCSTART- O\n\nAda B-PER\n\nBo B-PER\n")
    (tmp_path / "system.conll").write_text("Ada B-PER\n\nBo O\n")
    ranking = eh.rank(tmp_path / "gold.conll", [tmp_path / "system.conll"], match="exact")
    assert ranking.groups == "sentences"
    assert ranking["exact"]["system"].interval == (0, 1), "none, one or both of the sentences are right"


def test_documents_that_are_all_alike_leave_nothing_to_chance(tmp_path: Path) -> None:
    """Within each document sentences differ, so that resampling them would give an interval."""
    document = "-DOCSTART- O\n\nAda {0}\n\nBo {1}\n\n"
    (tmp_path / "gold.conll").write_text(document.format("B-PER", "B-PER") * 6)
    (tmp_path / "system.conll").write_text(document.format("B-PER", "O") * 6)
    ranking = eh.rank(tmp_path / "gold.conll", [tmp_path / "system.conll"], match="exact,ts")
    for model in ranking.models:
        assert ranking[model]["system"].interval == pytest.approx((2 / 3, 2 / 3))


def test_fifty_systems() -> None:
    gold = corpus(200)
    systems = {f"s{i:02}": noisy(gold, 0.4 + i / 100, i) for i in range(50)}
    ranking = eh.rank(eh.tags(gold), systems, resamples=100, trials=0)
    assert len(ranking.systems) == 50
    for model in ranking.models:
        scores = [ranking[model][name].score for name in systems]
        assert [ranking[model][name].rank for name in systems] == [1 + sum(o > s for o in scores) for s in scores]
    assert min(each.spearman for each in ranking.correlations) > 0.9


def test_a_gold_standard_without_spans() -> None:
    nothing = eh.tags([["O", "O"]])
    ranking = eh.rank(nothing, {"a": nothing})
    assert [ranking[model]["a"].interval for model in ranking.models] == [None] * 4


@pytest.mark.parametrize("options", [{"resamples": -1}, {"level": 0}, {"level": 1}, {"level": 95}])
def test_resamples_and_levels_out_of_range(options: dict[str, float]) -> None:
    side = eh.tags([["B-A"]])
    with pytest.raises(eh.SettingError, match="it must be a "):
        eh.rank(side, [side], **options)


def test_notes_are_those_of_the_scores(example_ranking: eh.Ranking) -> None:
    (note,) = example_ranking.notes
    assert note.startswith("system tagger: 2 spans are ill-formed in IOB2")


# As plain data


def test_to_dict() -> None:
    gold, system = (eh.tags([["B-A", "O"]] * 2, name=name) for name in ("gold", "a"))
    data = eh.rank(gold, [system], match="exact,ts", resamples=10, level=0.9, seed=3).to_dict()
    signature = data.pop("signature")
    assert signature.endswith("|resamples:10|of:sentences|level:0.9|seed:3")
    standing = {"score": 1.0, "rank": 1, "change": 0, "interval": {"low": 1.0, "high": 1.0}}
    assert data == {
        "evenhand": eh.__version__,
        "command": "rank",
        "task": "spans",
        "notes": ["system a: its spans are identical to the gold standard's. Is this the right file?"],
        "name": "gold",
        "models": ["exact", "ts"],
        "resampling": {"resamples": 10, "of": "sentences", "few_documents": None, "level": 0.9, "seed": 3},
        "systems": [{"name": "a", "standings": {"exact": standing, "ts": standing}}],
        "correlations": [{"models": ["exact", "ts"], "spearman": None, "kendall": None}],
        "clusters": None,
        "skipped": [],
    }


def test_to_json(example_ranking: eh.Ranking, tmp_path: Path) -> None:
    path = tmp_path / "ranking.json"
    text = example_ranking.to_json(path)
    assert json.loads(text) == example_ranking.to_dict()
    assert path.read_text() == text


def test_without_resamples_intervals_are_null() -> None:
    side = eh.tags([["B-A"]])
    found = eh.rank(side, {"a": side}, match="exact", resamples=0).to_dict()
    assert found["systems"][0]["standings"]["exact"]["interval"] is None


def test_a_ranking_shows_itself(example_ranking: eh.Ranking) -> None:
    assert repr(example_ranking) == str(example_ranking)
    verdict, opening, *_ = str(example_ranking).splitlines()
    assert verdict.startswith("tagger leads crf by 15.38 points (exact), p = 0.023: a significant difference.")
    assert opening == "3 systems on the gold standard gold"


# Known defects


def test_a_perfect_system_is_perfect_in_every_resample() -> None:
    gold = eh.tags([["B-A"]] * 20 + [["B-RARE"]])
    assert eh.rank(gold, {"a": gold}, match="ts")["ts"]["a"].interval == (1, 1)


def test_a_single_system_can_be_ranked() -> None:
    side = eh.tags([["B-A"]], name="a")
    assert eh.rank(side, side).systems == ("a",)


def test_a_negative_seed_is_a_setting_error() -> None:
    side = eh.tags([["B-A"]])
    with pytest.raises(eh.SettingError):
        eh.rank(side, [side], seed=-1)


def test_the_title_of_the_intervals_has_the_level_that_was_set() -> None:
    side = eh.tags([["B-A"]] * 2)
    assert "97.5% intervals" in str(eh.rank(side, [side], match="exact", level=0.975))


# Ranking coreference resolvers: models, intervals from documents, and suites of data sets


CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
SYSTEMS_RANK_CHAINS = {name: CHAINS / f"{name}.conll" for name in ("rules", "pairs", "neural")}


def test_models_of_a_ranking(tmp_path: Path) -> None:
    ranking = eh.rank(CHAINS / "gold.conll", SYSTEMS_RANK_CHAINS, resamples=50)
    assert tuple(ranking.models) == ("mela", "lea", "arcs_any", "arcs_nom")
    by = eh.rank(CHAINS / "gold.conll", SYSTEMS_RANK_CHAINS, by="ceaf_e", match="conll,lea", resamples=0)
    assert tuple(by.models) == ("ceaf_e", "mela", "lea")
    (tmp_path / "bare.conll").write_text(columns([["(1)", "(1)", "-"]] * 2))
    bare = eh.rank(tmp_path / "bare.conll", tmp_path / "bare.conll", resamples=50)
    assert tuple(bare.models) == ("mela", "lea", "arcs_any")
    with pytest.raises(eh.SettingError, match="arcs_nom needs the POS of words"):
        eh.rank(tmp_path / "bare.conll", tmp_path / "bare.conll", match="arcs_nom")


def test_scores_and_places_are_those_of_score() -> None:
    ranking, results = (
        eh.rank(CHAINS / "gold.conll", SYSTEMS_RANK_CHAINS, resamples=50),
        eh.score(CHAINS / "gold.conll", SYSTEMS_RANK_CHAINS),
    )
    for model in ranking.models:
        order = sorted(SYSTEMS_RANK_CHAINS, key=lambda name: -results[name][model].f1)
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
    note = "nothing can be resampled because the gold standard has 1 document: no intervals and no tests."
    assert [item for item in ranking.notes if "resampled" in item] == [
        f"{number}: {note}" for number, size in enumerate(sizes) if size == 1
    ]
    assert ranking.resamples == 0
    assert {item.interval for model in ranking.models for item in ranking[model].values()} == {None}
    assert str(ranking)
