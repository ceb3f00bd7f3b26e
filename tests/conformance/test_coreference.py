"""Coreference scores: the test cases of the official CoNLL scorer, and a large document that public scorers agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT

HERE = Path(__file__).parent
MODELS = {"muc": "muc", "bcub": "b_cubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
"""The names of the official scorer, and ours."""
TYPES = ("precision", "recall", "f1")


def _cases() -> list[Any]:
    rows = json.loads((HERE / "coref_testcases.json").read_text())
    assert len(rows) == 91
    return [pytest.param(row, id=f"{row['id']}-{row['metric']}") for row in rows]


def _large() -> list[Any]:
    figures = json.loads((HERE / "coref_ecbp.json").read_text())
    return [
        pytest.param(name, kind == "with_singletons", figures[kind][name], id=f"{name}-{kind}")
        for kind in ("with_singletons", "without_singletons")
        for name in figures[kind]
    ]


@pytest.mark.parametrize("row", _cases())
def test_cases_of_the_official_scorer(data: Path, row: dict[str, Any]) -> None:
    folder, model = data / "coref_official", MODELS[row["metric"]]
    found = eh.score(folder / row["key"], folder / row["response"])[model]
    expected = [row[each] for each in TYPES]
    assert [getattr(found, each) for each in TYPES] == pytest.approx(expected, rel=0, abs=1e-4)


@pytest.mark.parametrize(("name", "singletons", "figures"), _large())
def test_one_document_of_805_chains(
    data: Path, name: str, singletons: bool, figures: dict[str, dict[str, float]]
) -> None:
    folder = data / "coref_ecbp"
    result = eh.score(folder / "key.conll", folder / f"{name}.conll", singletons=singletons)
    figures = dict(figures)
    matched = figures.pop("ceaf_m", None)
    if matched is not None:
        overall = result["ceaf_m"].overall
        expected = (matched["correct"], matched["key"], matched["response"])
        assert (overall["common"], overall["key"], overall["response"]) == expected
    by_name = {model: {each: round(getattr(result[model], each), 6) for each in row} for model, row in figures.items()}
    assert by_name == figures
    assert {"muc", "b_cubed", "ceaf_e", "lea"} <= set(by_name)
    assert ("blanc" in by_name, matched is not None) == (singletons, singletons)


def test_the_document_has_what_it_should(data: Path) -> None:
    key = data / "coref_ecbp" / "key.conll"
    result = eh.score(key, key)
    assert (result.gold.documents, result.gold.chains, result.gold.units) == (1, 805, 1780)
    assert {result[model].f1 for model in result.scores} == {1.0}


# Mentions of CorefUD: the numbers that the scorer of CRAC counts with exact matching and zeros matched by


@pytest.mark.parametrize(
    ("response", "matched", "recall"),
    [
        ("gum-a-1", 396, 0.8898876404),
        ("gum-a-2", 352, 0.791011236),
        ("gum-a-3", 289, 0.6494382022),
        ("gum-b-1", 350, 0.9162303665),
        ("gum-b-2", 287, 0.7513089005),
        ("gum-b-3", 247, 0.6465968586),
    ],
)
def test_mentions_with_other_empty_nodes(data: Path, response: str, matched: int, recall: float) -> None:
    """corefud-scorer 1.2, `-x`, `-s`, `--zero-match-method linear`: empty nodes are added, lost and moved."""
    folder = data / "shared_tasks" / "coref" / "gum"
    files = folder / f"{response[:5]}.key", folder / f"{response}.response"
    found = eh.score(*files, match="mentions", mention_match="exact", zeros="linear")["mentions"]
    assert found.overall["common"] == matched
    assert found.recall == pytest.approx(recall, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("TC-ZA", "TC-ZA-2", (0.6667, 0.5, 0.56, 0.72, 0.5)),
        ("TC-ZA", "TC-ZA-4", (0.6154, 0.3333, 0.4683, 0.6286, 0.3636)),
        ("TC-ZB", "TC-ZB-2", (0.6667, 0.5, 0.56, 0.72, 0.5)),
        ("TC-ZF", "TC-ZF-5", (0.9091, 0.8571, 0.8387, 0.9, 0.8)),
        ("TC-ZG", "TC-ZG-3", (0.9091, 0.5714, 0.5946, 0.7333, 0.4286)),
    ],
)
def test_cases_with_zeros(data: Path, key: str, response: str, expected: tuple[float, ...]) -> None:
    folder = data / "shared_tasks" / "coref" / "tests" / "zeros"
    found = eh.score(folder / f"{key}.key", folder / f"{response}.response", mention_match="exact", zeros="linear")
    models = ("mentions", "muc", "b_cubed", "ceaf_e", "lea")
    assert tuple(round(found[model].f1, 4) for model in models) == expected


# Coreference as the scorer of CorefUD 1.2 has it (`corefud-scorer`, commit 4fd7b0e), on its tests and on GUM


MODELS_SHARED_TASKS_COREFERENCE = {"bcub": "b_cubed", "ceafe": "ceaf_e", "ceafm": "ceaf_m", "conll": "mela"}
FIGURES = ROOT / "tests" / "conformance" / "shared_tasks.json"


def runs() -> dict[str, list[dict[str, Any]]]:
    """All runs of the file, by response."""
    all_runs: dict[str, list[dict[str, Any]]] = {}
    for each in json.loads(FIGURES.read_text())["coref"]:
        all_runs.setdefault(Path(each["response"]).stem, []).append(each)
    return all_runs


RUNS = runs()


def scored(folder: Path, run: dict[str, Any], **options: Any) -> eh.Result:
    files = folder / run["key"], folder / run["response"]
    chosen = {"mention_match": run["match"], "zeros": run["zero_match"], "singletons": run["singletons"]}
    return eh.score(*files, **chosen, **options)


def test_how_many_runs_there_are() -> None:
    every = [run for several in RUNS.values() for run in several]
    assert len([run for run in every if "reference" in run]) == 528
    assert len([run for run in every if "reference" not in run]) == 36
    assert len([run for run in every if run.get("tie")]) == 3


@pytest.mark.parametrize("response", RUNS)
def test_figures_of_the_scorer(data: Path, response: str) -> None:
    """Within 1e-9, also where several matchings are best, and by definition where the scorer has a bug or crashes."""
    for run in RUNS[response]:
        result = scored(data / "shared_tasks", run)
        for name, expected in {**run.get("reference", {}), **run.get("by_definition", {})}.items():
            score = result[MODELS_SHARED_TASKS_COREFERENCE.get(name, name)]
            found = {"r": score.recall, "p": score.precision, "f1": score.f1}
            wanted = {"f1": expected} if name == "conll" else {key: expected[key] for key in found}
            assert {key: found[key] for key in wanted} == pytest.approx(wanted, rel=0, abs=1e-9), (run, name)
            if name == "mentions":
                counts = [score.overall[kind] for kind in ("key", "response", "common")]
                assert counts == [expected[kind] for kind in ("key", "response", "matched")]


def gum(data: Path, name: str) -> Path:
    return data / "shared_tasks" / "coref" / "gum" / name


def test_the_preset_of_crac_2024(data: Path) -> None:
    """The scorer prints a CoNLL score of 62.65, as it takes two zeros that are not matched for a pair."""
    result = eh.score(gum(data, "gum-a.key"), gum(data, "gum-a-2.response"), preset="crac2024")
    found = {name: f"{100 * result[name].f1:.2f}" for name in ("mela", "mor", "mentions", "zero")}
    assert found == {"mela": "62.66", "mor": "73.74", "mentions": "79.53", "zero": "80.00"}
    for setting in ("mention-match:head", "zeros:dependent", "singletons:removed", "repeats:last-chain"):
        assert f"|{setting}|" in f"{result.signature}|"


@pytest.mark.parametrize(
    ("preset", "match", "zeros"),
    [("crac2022", "partial", "linear"), ("crac2023", "head", "linear"), ("crac2024", "head", "dependent")],
)
def test_what_presets_set(data: Path, preset: str, match: str, zeros: str) -> None:
    wanted = {"match": match, "zero_match": zeros, "singletons": False}
    run = next(each for each in RUNS["gum-b-3"] if {name: each[name] for name in wanted} == wanted)
    result = eh.score(gum(data, "gum-b.key"), gum(data, "gum-b-3.response"), preset=preset)
    expected = {**run["reference"], **run.get("by_definition", {})}["conll"]
    assert result["mela"].f1 == pytest.approx(expected, rel=0, abs=1e-9)


def test_crac_ranks_by_the_mean_over_data_sets(data: Path, tmp_path: Path) -> None:
    """The mean of the CoNLL scores, whatever the sizes of data sets."""
    lines = []
    for name in "ab":
        key, files = (
            gum(data, f"gum-{name}.key"),
            {each: gum(data, f"gum-{name}-{each[1]}.response") for each in SYSTEMS},
        )
        lines += ["[[data]]", f'name = "{name}"', f"gold = '{key}'", "[data.systems]"]
        lines += [f"{system} = '{file}'" for system, file in files.items()]
    (tmp_path / "suite.toml").write_text("\n".join(lines))
    ranking = eh.rank_suite(tmp_path / "suite.toml", preset="crac2024", match="mela", resamples=0)
    for system in SYSTEMS:
        wanted = [_conll(f"gum-{name}-{system[1]}") for name in "ab"]
        assert ranking["mela"][system].score == pytest.approx(sum(wanted) / 2, rel=0, abs=1e-9)
    assert [ranking["mela"][system].rank for system in SYSTEMS] == [1, 2, 3]


SYSTEMS = ("s1", "s2", "s3")


def _conll(response: str) -> float:
    chosen = {"match": "head", "zero_match": "dependent", "singletons": False}
    run = next(each for each in RUNS[response] if {name: each[name] for name in chosen} == chosen)
    return float({**run["reference"], **run.get("by_definition", {})}["conll"])


def test_other_words_are_an_error(data: Path, tmp_path: Path) -> None:
    text = gum(data, "gum-a-1.response").read_text()
    (tmp_path / "other.conllu").write_text(text.replace("\tByron\t", "\tBertha\t", 1))
    with pytest.raises(eh.InputError, match=r"found 'Bertha' where the gold standard has 'Byron'"):
        eh.score(gum(data, "gum-a.key"), tmp_path / "other.conllu")
    (tmp_path / "longer.conllu").write_text(f"{text}1\tmore\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(eh.InputError, match="words apart from empty nodes, in the gold standard"):
        eh.score(gum(data, "gum-a.key"), tmp_path / "longer.conllu")
