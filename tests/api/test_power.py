"""`eh.power` and `evenhand power`: pairs, one system, and inputs that cannot be estimated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main

NER = Path(eh.__file__).parent / "examples" / "ner"
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
    with pytest.raises(eh.SettingError, match="like is for one system"):
        eh.power(GOLD, [CRF, TAGGER], like=GAZETTEER, of="sentences", delta=1)


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
    with pytest.raises(eh.SettingError, match="leave delta out"):
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
