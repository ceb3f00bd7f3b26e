"""A column of the gold file that says what tokens weigh in `ts` and `t`."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

GOLD = "Ada B-PER 2\nLovelace I-PER 1\nsees O 1\nBo B-PER 0.5\n"
SYSTEM = "Ada B-PER\nLovelace O\nsees O\nBo B-PER\n"
COLUMN = {"gold": 2}
KINDS = ("TP", "FP", "FN", "TN")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return written(tmp_path, "system.conll", SYSTEM)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_tokens_by_hand(tmp_path: Path, system: Path) -> None:
    """TP 2 + .5, FN 1, TN 1: P = 1, R = 2.5 / 3.5, F1 = 5 / 6; and accuracy = 3.5 / 4.5, as all tokens weigh."""
    gold = written(tmp_path, "gold.conll", GOLD)
    row = eh.score(gold, system, match="t", token_weight=3, column=COLUMN)["t"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2.5, 0, 1, 1]
    assert (row.precision, row.recall, row.f1) == (1, pytest.approx(5 / 7), pytest.approx(5 / 6))
    assert row["accuracy"] == pytest.approx(3.5 / 4.5)
    assert row["positive"] == pytest.approx(3.5 / 4.5)


def test_separators_weigh_1_beside_them(tmp_path: Path, system: Path) -> None:
    """The separator between the names is missed, the other two are TN: TP 2.5, FN 2, TN 3, F1 = 5 / 7."""
    gold = written(tmp_path, "gold.conll", GOLD)
    row = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN)["ts"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2.5, 0, 2, 3]
    assert row.f1 == pytest.approx(5 / 7)
    half = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN, separator_weight=0.5)["ts"].labels["PER"]
    assert [half[kind] for kind in KINDS] == [2.5, 0, 1.5, 2]


def test_spurious_tokens_weigh_too(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", "Ada O 4\nLovelace O 1\nsees O 1\nBo B-PER 2\n")
    row = eh.score(gold, system, match="t", token_weight=3, column=COLUMN)["t"].labels["PER"]
    assert [row[kind] for kind in KINDS] == [2, 4, 0, 2]


@pytest.mark.parametrize("column", [3, -1, "WEIGHT"])
def test_the_column_by_number_and_by_name(tmp_path: Path, system: Path, column: int | str) -> None:
    gold = written(tmp_path, "gold.conll", "TOKEN NER WEIGHT\n" + GOLD)
    result = eh.score(gold, system, match="t", token_weight=column, column={"gold": "NER"})
    assert result["t"].f1 == pytest.approx(5 / 6)
    assert f"|token-weights:column-{column}" in result.signature


def test_equal_weights_change_no_score(tmp_path: Path, example: Path) -> None:
    weighed = written(tmp_path, "gold.conll", _with_weights(example / "gold.conll", "1.0"))
    plain = eh.score(example / "gold.conll", example / "tagger.conll", match="ts,t")
    same = eh.score(weighed, example / "tagger.conll", match="ts,t", token_weight=3, column=COLUMN)
    for model in ("ts", "t"):
        assert (same[model].macro, same[model].labels) == (plain[model].macro, plain[model].labels)


def _with_weights(path: Path, weight: str) -> str:
    return "".join(f"{line}\t{weight}\n" if line else "\n" for line in path.read_text().splitlines())


def test_weights_concern_no_other_model(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD)
    match = "exact,fair,overlap,semeval,accuracy"
    plain, weighed = (eh.score(gold, system, match=match, token_weight=w, column=COLUMN) for w in (None, 3))
    assert plain.to_dict() == weighed.to_dict()


def test_separate_levels_have_the_weights_each(tmp_path: Path) -> None:
    """LOC is on the second level only: 2 missed of 2 + 3 there, and 2 + 3 units on the first level that are none."""
    gold = written(tmp_path, "gold.conll", "York B-ORG|B-LOC 2\nTimes I-ORG|O 3\n")
    system = written(tmp_path, "system.conll", "York B-ORG\nTimes I-ORG\n")
    labels = eh.score(gold, system, match="t", token_weight=3, column=COLUMN, levels="separate")["t"].labels
    assert [labels["LOC"][kind] for kind in KINDS] == [0, 0, 2, 8]
    assert [labels["ORG"][kind] for kind in KINDS] == [5, 0, 0, 5]


def test_a_long_file_has_the_weights_of_its_own_tokens(tmp_path: Path) -> None:
    """More than one batch and more than one portion."""
    gold = written(tmp_path, "gold.conll", (GOLD + "\n") * 12_000)
    system = written(tmp_path, "system.conll", (SYSTEM + "\n") * 12_000)
    row = eh.score(gold, system, match="ts", token_weight=3, column=COLUMN)["ts"].labels["PER"]
    assert [row[kind] / 12_000 for kind in KINDS] == [2.5, 0, 2, 3]


def test_supertags_and_baselines_weigh_too(tmp_path: Path, system: Path) -> None:
    """The acceptor's F1 is 2 f / (1 + f) with f = 3.5 / 4.5 positive units."""
    gold = written(tmp_path, "gold.conll", GOLD)
    score = eh.score(gold, system, match="t", token_weight=3, column=COLUMN, supertag="ENTITY", baselines=True)["t"]
    assert score.supertags["ENTITY"].f1 == pytest.approx(5 / 6)
    assert score.baselines["acceptor"] == pytest.approx(2 * 3.5 / (4.5 + 3.5))


@pytest.mark.parametrize("weight", ["x", "-1", "nan", "inf", "1,5"])
def test_a_weight_that_is_no_number_of_0_or_more(tmp_path: Path, system: Path, weight: str) -> None:
    gold = written(tmp_path, "gold.conll", GOLD.replace("sees O 1", f"sees O {weight}"))
    with pytest.raises(eh.InputError) as error:
        eh.score(gold, system, match="t", token_weight=3, column=COLUMN)
    assert str(error.value) == (
        f"{gold}:3: the weight {weight!r} in column 3 is no number of 0 or more; mend it, or name another column."
    )


def test_a_column_that_is_not_there(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD)
    with pytest.raises(eh.InputError, match=r"gold\.conll:1: there is no column 4, this line has 3 columns"):
        eh.score(gold, system, match="t", token_weight=4, column=COLUMN)
    with pytest.raises(eh.InputError, match=r"there is no column 'WEIGHT', the file has no header line"):
        eh.score(gold, system, match="t", token_weight="WEIGHT", column=COLUMN)


@pytest.mark.parametrize(
    ("name", "text"),
    [("gold.tsv", "PER\t1\t2\n"), ("gold.jsonl", '{"tokens": ["Ada"], "tags": ["B-PER"]}\n')],
)
def test_a_format_without_columns_has_no_weights(tmp_path: Path, name: str, text: str) -> None:
    gold = written(tmp_path, name, text)
    with pytest.raises(eh.SettingError, match=rf"{name} has no columns, and so no weights of tokens\."):
        eh.score(gold, gold, match="t", token_weight=3)


def test_characters_have_no_weights(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD)
    with pytest.raises(eh.SettingError):
        eh.score(gold, system, match="t", token_weight=3, column=COLUMN, align="characters")


def test_a_line_that_names_the_column_of_weights_is_a_header(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", "TEXT NER WEIGHT\n" + GOLD)
    result = eh.score(gold, system, match="t", token_weight="WEIGHT", column=COLUMN)
    assert result["t"].f1 == pytest.approx(5 / 6)


def test_the_column_of_weights_is_not_taken_for_the_tags(tmp_path: Path, system: Path) -> None:
    gold = written(tmp_path, "gold.conll", GOLD)
    assert eh.score(gold, system, match="t", token_weight=3)["t"].f1 == pytest.approx(5 / 6)
