"""Agreement of real annotators: brat4 (bratiaa), WNUT-17, CoNLL-2003, and the layouts of annotation tools."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.agreement.coefficients import AnnotatorSpans
from evenhand.agreement.unitizing import disorder
from evenhand.cli import main

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "agreement.json").read_text())
STUDIES, GAMMA = FIGURES["studies"], FIGURES["gamma"]
SYSTEMS = ("arcada", "flytxt", "uh_ritual")


def inputs(name: str, data: Path) -> dict[str, Any]:
    """The annotators of a study, by name."""
    study, folder = STUDIES[name], data / "agreement"
    if name == "wnut17":
        systems = {item: data / "wnut17" / "systems" / f"{item}.conll" for item in SYSTEMS}
        return {"gold": data / "wnut17" / "gold.conll", **systems}
    if name == "conll2003":
        systems = {item: data / name / "systems" / f"{item}.testb.tags" for item in study["annotators"][1:]}
        return {"gold": data / name / "gold.testb.tags", **systems}
    if name == "nested":
        position = study["documents_given"]
        lengths = {document: length for document, length, _ in position}
        spans = {
            side: {
                document: [(label, start, end) for start, end, label in found[side]] for document, _, found in position
            }
            for side in study["annotators"]
        }
        return {side: eh.spans(item, lengths=lengths, name=side) for side, item in spans.items()}
    return {item: folder / ("layouts/brat" if name == "layouts" else name) / item for item in study["annotators"]}


@cache
def agreed(name: str, data: Path) -> eh.Agreement:
    return eh.agree(inputs(name, data), resamples=0, alpha_u=name != "conll2003")


def assert_equal(actual: Any, expected: Any, path: str = "") -> None:
    """All figures that are expected, nulls included."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert_equal(actual[name], value, f"{path}.{name}")
    else:
        assert actual == (None if expected is None else pytest.approx(expected, abs=1e-8)), path


def without(figures: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if name not in names}


@pytest.mark.parametrize("name", STUDIES)
def test_coefficients_over_codes(data: Path, name: str) -> None:
    found, expected = agreed(name, data).to_dict(), STUDIES[name]["coefficients"]
    assert_equal(found["codes"], without(expected, "labels"))
    assert_equal(found["labels"], expected["labels"])


@pytest.mark.parametrize("name", [name for name in STUDIES if "unitizing" in STUDIES[name]])
def test_coefficients_over_units(data: Path, name: str) -> None:
    found, expected = agreed(name, data).to_dict()["unitizing"], STUDIES[name]["unitizing"]
    assert_equal(found, without(expected, "L"))
    assert found["atoms"] == expected.get("L", found["atoms"])


@pytest.mark.parametrize("name", [name for name in STUDIES if "pairs" in STUDIES[name]])
def test_pairs(data: Path, name: str) -> None:
    found = {(each["a"], each["b"]): each for each in agreed(name, data).to_dict()["pairs"]}
    for pair in STUDIES[name]["pairs"]:
        mine = found[pair["a"], pair["b"]]
        assert_equal(mine["codes"], pair["coefficients"])
        assert_equal(mine["unitizing"], without(pair["unitizing"], "L"))
        assert mine["unitizing"]["atoms"] == pair["unitizing"]["L"]


@pytest.mark.parametrize("name", [name for name in STUDIES if "f1" in STUDIES[name]])
def test_f1_of_pairs(data: Path, name: str) -> None:
    actual, expected = agreed(name, data), STUDIES[name]["f1"]
    for pair in expected["pairs"]:
        assert_equal(actual.pairs[pair["a"], pair["b"]].f1, pair["f1"])
    for model in ("exact", "fair", "overlap"):
        spread = actual.f1[model]
        assert_equal({"mean": spread.mean, "sd": spread.sd}, {key: expected[key][model] for key in ("mean", "sd")})
    for label, spread in expected["labels"].items():
        f1 = actual.labels[label].f1
        assert_equal({"mean": f1.mean, "sd": f1.sd}, spread)


@pytest.mark.parametrize("name", ["layouts", "brat4"])
def test_documents_and_coverage(data: Path, name: str) -> None:
    actual, expected = agreed(name, data).to_dict(), STUDIES[name]
    assert_equal(actual["coverage"], expected["coverage"])
    assert_equal({each["name"]: each for each in actual["documents"]}, expected["documents"])
    assert len(actual["documents"]) == len(expected["documents"])


def test_iob2_codes(data: Path) -> None:
    found = eh.agree(inputs("wnut17", data), coding="iob2", resamples=0).to_dict()
    assert_equal(found["codes"]["all"], STUDIES["wnut17"]["iob2"])


def test_codes_of_tags(data: Path) -> None:
    found, expected = eh.agree(inputs("wnut17", data), task="tags", resamples=0), STUDIES["wnut17"]["tags"]
    assert_equal(found.to_dict()["codes"]["all"], without(expected, "annotators"))
    assert found.annotators == tuple(expected["annotators"])


def test_verdicts_on_pairs_are_those_of_score(data: Path) -> None:
    sides = inputs("wnut17", data)
    found = eh.agree(sides, resamples=0)
    for (a, b), pair in found.pairs.items():
        score = eh.score(sides[a], sides[b], match="fair")["fair"]
        assert pair.verdicts is not None
        assert pair.verdicts.counts == score.overall.counts
        assert pair.verdicts.confusion == score.confusion


def test_what_is_undefined_has_a_reason(data: Path) -> None:
    nested, layouts = agreed("nested", data), agreed("layouts", data)
    reason = nested.undefined["unitizing.u_alpha"]
    assert reason.startswith("u-alpha needs spans that do not overlap; ana has ")
    assert layouts.undefined["documents.d3.exact"] == "no annotator has a span"
    assert "all codes are the same" in layouts.undefined["documents.d3.alpha"]


@pytest.mark.parametrize("name", STUDIES)
def test_an_agreement_is_saved_and_loaded(data: Path, name: str) -> None:
    text = agreed(name, data).to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    assert eh.Agreement.from_json(text) == agreed(name, data)


LAYOUTS = {
    "brat": ("ana", "ben", "cyd"),
    "annotator.jsonl": ("ana", "ben", "cyd"),
    "prodigy.jsonl": ("news-ana", "news-ben", "news-cyd"),
    "label_studio_ids.json": ("1", "2", "3"),
    "label_studio_users.json": ("ana@example.org", "ben@example.org", "cyd@example.org"),
    "doccano_username.jsonl": ("ana", "ben", "cyd"),
    "doccano": ("ana", "ben", "cyd"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_give_the_same_figures(data: Path, layout: str) -> None:
    agreement = eh.agree(data / "agreement" / "layouts" / layout, resamples=0)
    expected = STUDIES["layouts"]
    assert agreement.annotators == LAYOUTS[layout]
    figures = agreement.to_dict()
    assert_equal(figures["codes"], without(expected["coefficients"], "labels"))
    assert_equal(figures["labels"], expected["coefficients"]["labels"])
    assert_equal({name: item.mean for name, item in agreement.f1.items()}, expected["f1"]["mean"])
    assert_equal(figures["coverage"]["by_number"], {"1": 1, "2": 1, "3": 5})
    assert [item["exact"] for item in figures["documents"]] == [
        None if item["exact"] is None else pytest.approx(item["exact"]) for item in expected["documents"].values()
    ]


def in_text(conflict: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same conflict with offsets into its text, spaces included."""
    text = (folder / f"{conflict['document']}.txt").read_text(encoding="utf-8")
    offsets = [at for at, character in enumerate(text) if not character.isspace()]

    def moved(start: int, end: int, *rest: str) -> list[Any]:
        return [offsets[start], offsets[end - 1] + 1, *rest]

    start, end = moved(conflict["start"], conflict["end"])
    answers = {who: [moved(*span) for span in spans] for who, spans in conflict["answers"].items()}
    accepted = [moved(*span) for span in conflict["accepted"]]
    return {**conflict, "start": start, "end": end, "answers": answers, "accepted": accepted}


@pytest.mark.parametrize("name", ["layouts", "nested"])
def test_conflicts_field_by_field(data: Path, name: str) -> None:
    """The reference counts characters without spaces; positions of conflicts are offsets into the texts."""
    expected = STUDIES[name]["adjudicated"]["list"]
    if name == "layouts":
        expected = [in_text(each, data / "agreement" / "layouts" / "brat" / "ana") for each in expected]
    found = [each.to_dict() for each in agreed(name, data).conflicts()]
    assert [{key: each[key] for key in expected[0]} for each in found] == expected


@pytest.mark.parametrize("name", [name for name in STUDIES if "adjudicated" in STUDIES[name]])
def test_numbers_of_conflicts(data: Path, name: str) -> None:
    conflicts, expected = agreed(name, data).conflicts(), STUDIES[name]["adjudicated"]
    decided = sum(each.decided for each in conflicts)
    assert (len(conflicts), decided) == (expected["conflicts"], expected["decided"])


@pytest.mark.long
def test_gamma_of_two_annotators(data: Path) -> None:
    both = {name: data / "agreement" / "brat4" / name for name in ("Lisa", "Max")}
    agreement = eh.agree(both, gamma=True, samples=300, resamples=0)
    assert agreement.unitizing.gamma == pytest.approx(0.9242, abs=0.002)
    assert agreement == eh.agree(both, gamma=True, samples=300, resamples=0)
    assert "|samples:300" in agreement.signature


def test_disorders_of_documents(data: Path) -> None:
    example = next(item for item in GAMMA if "by_document" in item)
    folder = data / "agreement" / "brat4"
    assert len(example["by_document"]) == 7
    for name, expected in example["by_document"].items():
        sides = [eh.read(folder / who / f"{name}.ann") for who in example["pair"]]
        rows = [side.spans().rows() for side in sides]
        codes = {label: code for code, label in enumerate(sorted({row[0] for item in rows for row in item}))}
        sets = [AnnotatorSpans.of([(start, end, codes[label]) for label, _, start, end in item]) for item in rows]
        assert disorder(sets[0], sets[1]) == pytest.approx(expected, abs=1e-5)


def test_gamma_of_more_annotators_is_the_mean_of_pairs(data: Path) -> None:
    agreement = eh.agree(inputs("layouts", data), gamma=True, samples=20, resamples=0)
    gammas = [each.unitizing.gamma for each in agreement.pairs.values()]
    assert agreement.unitizing.gamma is None
    assert agreement.unitizing.gamma_pairs == pytest.approx(sum(filter(None, gammas)) / 3)


@pytest.mark.parametrize("name", [name for name in STUDIES if "adjudicated" in STUDIES[name]])
def test_adjudicated_spans(data: Path, name: str) -> None:
    actual, expected = agreed(name, data).adjudicated, STUDIES[name]["adjudicated"]
    assert len(actual.spans()) == expected["gold_spans"]
    names, spans = actual.corpus.names, {item: [] for item in actual.corpus.names}  # type: ignore[var-annotated]
    for label, document, start, end in actual.spans().rows() if "gold" in expected else ():
        spans[names[document]].append([start, end, label])
    assert {item: sorted(listed) for item, listed in spans.items()} == expected.get("gold", spans)


@pytest.mark.parametrize("name", ["layouts", "brat4"])
def test_the_adjudicated_folder_scores_against_every_annotator(data: Path, tmp_path: Path, name: str) -> None:
    """Also against those who lack documents, and without an option."""
    target, sides, study = tmp_path / "gold", inputs(name, data), STUDIES[name]
    arguments = ["agree", *sides.values(), "--adjudicate", target, "--to", "brat", "--resamples", "0"]
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 0
    alone = study["coverage"]["by_number"]["1"]
    assert ("1 document with only one annotator accepted without a vote" in result.stderr) == (alone == 1)
    for side in sides.values():
        scored = eh.score(target, side)
        assert scored.gold.units == study["adjudicated"]["gold_spans"]
        assert scored["exact"].overall["TP"] > 0


@pytest.mark.parametrize(
    ("layout", "field"), [("label_studio_ids.json", "completed_by"), ("label_studio_users.json", "completed_by")]
)
def test_the_adjudicated_file_scores_against_label_studio(data: Path, tmp_path: Path, layout: str, field: str) -> None:
    source, target = data / "agreement" / "layouts" / layout, tmp_path / "gold.jsonl"
    assert CliRunner().invoke(main, ["agree", str(source), "--adjudicate", str(target)]).exit_code == 0
    for name in LAYOUTS[layout]:
        assert eh.score(target, source, annotator={"system": f"{field}={name}"}).gold.units == 11


def test_the_adjudicated_file_scores_against_the_files_of_doccano(data: Path, tmp_path: Path) -> None:
    source, target = data / "agreement" / "layouts" / "doccano", tmp_path / "gold.jsonl"
    assert CliRunner().invoke(main, ["agree", str(source), "--adjudicate", str(target)]).exit_code == 0
    for file in sorted(source.iterdir()):
        assert eh.score(target, file).gold.units == 11


@pytest.mark.parametrize("layout", ["annotator.jsonl", "doccano_username.jsonl", "prodigy.jsonl"])
def test_the_adjudicated_file_scores_against_every_annotator(data: Path, tmp_path: Path, layout: str) -> None:
    source, target = data / "agreement" / "layouts" / layout, tmp_path / "gold.jsonl"
    result = CliRunner().invoke(main, ["agree", str(source), "--adjudicate", str(target), "--as", "json"])
    assert result.exit_code == 0
    field = {"annotator.jsonl": "annotator", "prodigy.jsonl": "_annotator_id"}.get(layout, "username")
    for name in LAYOUTS[layout]:
        scored = eh.score(target, source, annotator={"system": f"{field}={name}"}, match="exact")
        assert scored.gold.units == 11
    assert json.loads(target.read_text().splitlines()[0])["text"] == "Ada Keller flew from Oslo to Lima on Monday."


def test_the_adjudicated_columns_score_against_every_annotator(data: Path, tmp_path: Path) -> None:
    target, sides = tmp_path / "gold.conll", inputs("wnut17", data)
    arguments = ["agree", *sides.values(), "--adjudicate", target, "--resamples", "0"]
    assert CliRunner().invoke(main, list(map(str, arguments))).exit_code == 0
    for side in sides.values():
        assert eh.score(target, side)["exact"].overall["TP"] > 0
