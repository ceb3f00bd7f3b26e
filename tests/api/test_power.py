"""`eh.power` and `evenhand power`: pairs, one system, and inputs that cannot be estimated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main

NER = Path(eh.__file__).parent / "examples" / "ner"
RELATIONS = NER.parent / "relations"
GOLD, CRF, TAGGER, GAZETTEER = (NER / f"{name}.conll" for name in ("gold", "crf", "tagger", "gazetteer"))


def power(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(main, ["power", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


def test_identical_outputs_have_no_difference_to_detect(tmp_path: Path) -> None:
    copy = tmp_path / "copy.conll"
    copy.write_bytes(CRF.read_bytes())
    assert "The two outputs are identical; there is no difference to detect." in power(
        GOLD, CRF, copy, "--of", "sentences"
    )


def test_few_documents_are_refused() -> None:
    message = "evenhand: 8 documents are too few to estimate power. Use --by-sentence if sentences can be treated as "
    assert power(GOLD, CRF, TAGGER, status=2).startswith(message)


@pytest.mark.parametrize("points", [0, -1, 101])
def test_delta_is_in_points(points: float) -> None:
    with pytest.raises(eh.SettingError, match="points above 0 and at most 100"):
        eh.power(GOLD, CRF, TAGGER, delta=points)


def test_a_small_delta_may_be_a_fraction() -> None:
    result = eh.power(GOLD, CRF, TAGGER, delta=0.01, of="sentences")
    assert result.notes == ("--delta 0.01 means 0.01 points. Did you mean --delta 1?",)


def test_one_system_needs_a_difference() -> None:
    with pytest.raises(eh.SettingError, match="needs a difference"):
        eh.power(GOLD, CRF, of="sentences")


def test_like_needs_one_system() -> None:
    with pytest.raises(eh.SettingError, match="like needs a single system"):
        eh.power(GOLD, [CRF, TAGGER], like=GAZETTEER, of="sentences", delta=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "0"], "--delta: expected points above 0 and at most 100, got 0."),
        (["--groups", "5"], "--groups: expected a whole number, 10 or more, got 5."),
        (["--power", "0.04"], "--power: expected a number above alpha (0.05) and below 1, got 0.04."),
        (["--by", "ap"], "by is 'ap'; choose one of exact, fair,"),
        (["--worst"], "--worst needs a single system;"),
    ],
)
def test_bad_options_are_refused_with_what_is_expected(options: list[str], message: str) -> None:
    assert power(GOLD, CRF, TAGGER, "--by-sentence", *options, status=2).startswith(f"evenhand: {message}")


def conll(sentences: list[list[str]]) -> str:
    return "\n\n".join("\n".join(f"w {tag}" for tag in tags) for tags in sentences) + "\n"


def test_equal_differences_in_all_groups_are_refused(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("gold.conll", "a.conll", "b.conll")]
    for file, tags in zip(files, (["B-X", "B-Y"], ["B-X", "B-Y"], ["B-X", "B-X"]), strict=True):
        file.write_text(conll([tags] * 12))
    with pytest.raises(eh.SettingError, match="12 sentences are too few to estimate power: a and b differ alike"):
        eh.power(*files, of="sentences")


def test_the_power_of_equal_scores_is_alpha(tmp_path: Path) -> None:
    gold, a, b = (tmp_path / name for name in ("gold.conll", "a.conll", "b.conll"))
    gold.write_text(conll([["B-X"]] * 12))
    a.write_text(conll([["O"], ["B-X"]] * 6))
    b.write_text(conll([["B-X"], ["O"]] * 6))
    pair = eh.power(gold, a, b, of="sentences").pair
    assert (pair.observed, pair.power, pair.needed_groups) == (0, 0.05, None)
    assert pair.detectable is not None


def test_a_difference_may_not_be_detectable_at_all() -> None:
    assert "A difference is not detectable with 10 sentences (99 % power)." in power(
        GOLD, CRF, TAGGER, "--by-sentence", "--groups", "10", "--power", "0.99", "--alpha", "1e-7"
    )


def test_the_order_of_the_systems_does_not_matter() -> None:
    one, other = (eh.power(GOLD, *pair, of="sentences").pair for pair in ((CRF, TAGGER), (TAGGER, CRF)))
    assert one.delta == -other.delta
    assert (one.power, one.detectable, one.needed_groups) == (other.power, other.detectable, other.needed_groups)


def test_every_measure_has_power() -> None:
    by_group = eh.power(GOLD, CRF, TAGGER, by="ts", of="sentences")
    assert by_group.observed == pytest.approx(
        eh.score(GOLD, TAGGER, match="ts")["ts"].headline - eh.score(GOLD, CRF, match="ts")["ts"].headline
    )
    fair = eh.power(GOLD, CRF, TAGGER, by="fair", of="sentences")
    assert fair.by == "fair"


def test_text_that_is_needed_is_in_proportion() -> None:
    pair = eh.power(GOLD, CRF, TAGGER, of="sentences", delta=3).pair
    size = pair.needed_size
    assert size is not None
    assert (size.sentences, size.tokens, size.units) == (
        None,
        round(size.groups / 87 * 1449),
        round(size.groups / 87 * 285),
    )


def test_identical_older_outputs_say_nothing_about_a_planned_system() -> None:
    (row,) = eh.power(GOLD, TAGGER, like=TAGGER, of="sentences", delta=1).expected
    assert (row.detectable, row.power, row.needed_groups) == (None, None, None)


def test_compare_and_rank_state_the_detectable_difference_of_power() -> None:
    gold, *systems = (RELATIONS / f"{name}.jsonl" for name in ("gold", "joint", "pipeline", "rules"))
    compared = eh.compare(gold, systems, trials=500, resamples=0)
    ranked = eh.rank(gold, systems, trials=500, match="fair", resamples=10)
    power = eh.power(gold, systems)
    detectable = {names: pair.detectable for names, pair in compared.pairs.items()}
    assert detectable["joint", "rules"] is None  # significant
    assert ranked.clusters is not None
    for names in (("joint", "pipeline"), ("pipeline", "rules")):
        stated = detectable[names]
        assert stated is not None
        assert (stated.difference, stated.alpha) == (power.pairs[names].detectable, power.pairs[names].alpha)
    assert ranked.clusters.systems["pipeline"].detectable == detectable["joint", "pipeline"]


def test_verdicts_state_what_the_test_set_can_show() -> None:
    trees = Path(eh.__file__).parent / "examples" / "constituents"
    comparison = eh.compare(trees / "gold.mrg", [trees / "neural.mrg", trees / "pcfg.mrg"], trials=200)
    (pair,) = comparison.pairs.values()
    assert pair.detectable is not None
    assert pair.detectable.estimate == "rough"
    sentence = (
        "not significant; this test set can detect differences of about 14.0 points or more (rough: only 24 sentences)"
    )
    assert sentence in str(comparison)
    assert comparison.to_dict()["pairs"][0]["detectable"]["groups"] == 24
    assert eh.Comparison.from_json(comparison.to_json()).pairs == comparison.pairs


def test_too_few_groups_have_no_detectable_difference(tmp_path: Path) -> None:
    gold, a, b = (tmp_path / name for name in ("gold.conll", "a.conll", "b.conll"))
    gold.write_text(conll([["B-X"]] * 9))
    a.write_text(conll([["O"], ["B-X"], ["B-X"]] * 3))
    b.write_text(conll([["B-X"], ["O"], ["O"]] * 3))
    comparison = eh.compare(gold, [a, b])
    detectable = comparison.pair("a", "b").detectable
    assert detectable is not None
    assert (detectable.difference, detectable.estimate) == (None, "refused")
    assert "not significant; 9 sentences are too few to estimate which differences this test set can detect" in str(
        comparison
    )


def test_power_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = eh.power(GOLD, CRF, TAGGER, of="sentences").plot(tmp_path / "power.svg")
    left, right = figure.axes
    assert [line.get_label() for line in left.get_lines()[:3]] == ["2.8 points", "5.7 points", "11 points"]
    assert right.get_xlabel() == "true difference in points,\nwith 87 sentences"
    assert eh.power(GOLD, CRF, of="sentences", delta=2).plot().axes
    with pytest.raises(eh.SettingError, match="Expected two systems"):
        eh.power(GOLD, [CRF, TAGGER, GAZETTEER], of="sentences").plot()


def test_like_takes_the_correlation_of_an_older_system() -> None:
    result = eh.power(GOLD, TAGGER, like=CRF, of="sentences", delta=1)
    (row,) = result.expected
    assert 0 < row.correlation < 1
    assert row.reason == "as of crf"
    same = eh.power(GOLD, TAGGER, like=TAGGER, of="sentences", delta=1)
    assert same.expected[0].correlation == pytest.approx(1)


def test_several_pairs_share_alpha() -> None:
    result = eh.power(GOLD, [CRF, TAGGER, GAZETTEER], of="sentences")
    assert result.alpha == pytest.approx(0.05 / 3)
    assert len(result.pairs) == 3
    with pytest.raises(eh.SettingError, match="3 pairs"):
        _ = result.power


def test_power_grows_with_the_difference_and_with_the_size() -> None:
    result = eh.power(GOLD, CRF, TAGGER, of="sentences", delta=3)
    curve = result.curve([20, 87, 400])
    assert curve == sorted(curve)
    assert result.detectable is not None
    assert result.curve([87], delta=result.detectable)[0] == pytest.approx(0.8, abs=0.001)
    needed = result.needed(0.05)
    assert needed is not None
    assert result.curve([needed], delta=0.05)[0] >= 0.8


def test_full_simulations_agree_with_the_power() -> None:
    result = eh.power(GOLD, TAGGER, NER / "prompted.jsonl", by="exact", of="sentences", simulate=400, seed=1)
    assert result.pair.simulated == pytest.approx(result.power, abs=0.06)


def test_simulations_need_the_observed_difference() -> None:
    with pytest.raises(eh.SettingError, match="remove delta"):
        eh.power(GOLD, CRF, TAGGER, of="sentences", delta=1, simulate=10)


def test_mcnemar_is_reported_for_accuracies() -> None:
    trees = Path(eh.__file__).parent / "examples" / "trees"
    systems = [trees / "neural.conllu", trees / "transition.conllu"]
    result = eh.power(trees / "gold.conllu", systems, task="tags", of="sentences")
    assert result.pair.mcnemar is not None
    assert eh.power(GOLD, CRF, TAGGER, of="sentences").pair.mcnemar is None


def test_json_has_the_figures() -> None:
    saved = json.loads(power(GOLD, CRF, TAGGER, "--by-sentence", "--width", "1", "--as", "json"))
    (pair,) = saved["pairs"]
    assert saved["of"] == "sentences"
    assert pair["observed"] == pytest.approx(pair["scores"]["tagger"] - pair["scores"]["crf"])
    assert 0 < pair["power"] <= 1
    assert saved["needed_for_width"]["crf and tagger"] > saved["groups"]
    assert "|alpha:0.05|power:0.8|groups:87|method:drawing" in saved["signature"]
