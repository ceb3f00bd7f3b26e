"""Counts of parts that are saved, and merged to the result of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyarrow import parquet

import evenhand as eh
from evenhand.cli.main import main
from evenhand.pipeline.saved_runs import encode
from evenhand.results.counts import SUFFIXES
from evenhand.results.json import load_counts
from evenhand.tasks.registry import TASKS
from shards import cut, cut_example


def write(path: Path, *tags: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"w{number}\t{tag}\n" if tag else "\n" for number, tag in enumerate(tags)))
    return path


def count(folder: Path, name: str, *tags: str, **options: Any) -> Path:
    """The counts of a system that finds nothing."""
    gold, system = write(folder / name / "gold.conll", *tags), write(folder / name / "system.conll", *["O"] * len(tags))
    path = folder / f"{name}.json"
    eh.score(gold, {"crf": system}, engine=eh.engines.recording_counts(path), **options)
    return path


def without_name(plain: dict[str, Any]) -> str:
    """As JSON; notes name the gold standard after its first file."""
    name = plain["gold"].pop("name")
    return json.dumps(plain).replace(f"gold {name}", "gold")


@pytest.mark.parametrize("task", list(TASKS))
def test_parts_of_an_example_merge_to_one_run(task: str, tmp_path: Path) -> None:
    """All scores, intervals and tests are the same, bit by bit, from files of both forms."""
    parts, whole = cut_example(task, tmp_path, seed=2, cuts=3)
    files = [tmp_path / f"{number}{SUFFIXES[number % 2]}" for number in range(len(parts))]
    for file, (gold, systems) in zip(files, parts, strict=True):
        eh.score(gold, systems, task=task, engine=eh.engines.recording_counts(file))
    expected, found = eh.summarize(*whole, task=task, resamples=50), eh.merge(files, resamples=50)
    assert isinstance(found, eh.Summary)
    assert without_name(found.to_dict()) == without_name(expected.to_dict())
    assert without_name(found.results.to_dict()) == without_name(expected.results.to_dict())
    one = {name: result.tallies for name, result in expected.results.items()}
    assert {name: result.tallies for name, result in found.results.items()} == one


@pytest.mark.parametrize("task", list(TASKS))
def test_both_forms_have_the_same_counts(task: str, tmp_path: Path) -> None:
    _, (gold, systems) = cut_example(task, tmp_path, seed=2, cuts=3)
    files = [tmp_path / f"part{suffix}" for suffix in SUFFIXES]
    for file in files:
        eh.score(gold, systems, task=task, engine=eh.engines.recording_counts(file))
    plain, table = (load_counts(file) for file in files)
    assert encode(plain.saved()) == encode(table.saved())


def test_a_table_of_counts_has_one_row_per_group_labels_and_kind(tmp_path: Path) -> None:
    """A span that is missed, one with a wrong label, and one that is correct."""
    gold, system = write(tmp_path / "gold.conll", "B-PER", "", "B-LOC", "O"), tmp_path / "crf.conll"
    write(system, "O", "", "B-PER", "O")
    status, _ = run("score", gold, system, "--match", "fair", "--counts", tmp_path / "part.parquet")
    assert status == 0
    rows = parquet.read_table(tmp_path / "part.parquet").to_pylist()
    common = {"system": "crf", "judge": "fair", "supertag": None, "count": 1}
    assert rows == [
        {**common, "group": 0, "gold_label": "PER", "system_label": None, "kind": "FN"},
        {**common, "group": 1, "gold_label": "LOC", "system_label": "PER", "kind": "LE"},
    ]


def test_other_tables_are_refused(tmp_path: Path) -> None:
    gold, system = (write(tmp_path / f"{name}.conll", "B-PER") for name in ("gold", "crf"))
    eh.score(gold, system).tallies_to_parquet(tmp_path / "tallies.parquet")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1, and nothing else")
    for name, detail in (("tallies", "it contains a different table"), ("damaged", "footer")):
        with pytest.raises(eh.InputError, match=rf"{name}\.parquet: is not a saved result of evenhand .*{detail}"):
            eh.merge(tmp_path / f"{name}.parquet")


@pytest.mark.parametrize("name", ["florian", "chieu"])
@pytest.mark.parametrize("seed", [0, 1])
def test_parts_of_conll_2003_merge_to_one_run(name: str, seed: int, data: Path, tmp_path: Path) -> None:
    """Cut before random sentences. The parts have one document each, and so do the files of all parts together."""
    folder = data / "conll2003"
    sides = []
    for path in (folder / "gold.testb.tags", folder / "systems" / f"{name}.testb.tags"):
        sides.append(tmp_path / path.name.replace(".tags", ".conll"))
        sides[-1].write_text(path.read_text())
    parts, whole = cut(sides[0], sides[1:], tmp_path, seed, cuts=6)
    options: dict[str, Any] = {"match": "exact,fair,accuracy", "encoding": {"gold": "iob2", "system": "iob1"}}
    files = [tmp_path / f"{number}{SUFFIXES[number % 2]}" for number in range(len(parts))]
    for file, (gold, systems) in zip(files, parts, strict=True):
        eh.score(gold, systems, **options, engine=eh.engines.recording_counts(file))
    expected, found = eh.score(*whole, **options), eh.merge(files)
    assert isinstance(expected, eh.Results)
    (result,) = expected.values()
    assert isinstance(found, eh.Result)
    assert without_name(eh.Results({found.name: found}).to_dict()) == without_name(expected.to_dict())
    assert found.tallies == result.tallies
    assert found.gold.sentences == 3684


def test_one_system_has_a_result(tmp_path: Path) -> None:
    """Two documents of one span each, of which the system finds none."""
    found = eh.merge([count(tmp_path, "a", "B-PER"), count(tmp_path, "b", "B-LOC", "O")])
    assert isinstance(found, eh.Result)
    assert found["exact"].overall.counts == {"TP": 0, "FP": 0, "FN": 2}
    assert found.gold.sizes() | {} == {"documents": 2, "sentences": 2, "tokens": 3, "characters": None, "units": 2}
    with pytest.raises(eh.SettingError, match="was loaded, and has no units"):
        found.errors()


def test_a_folder_of_parts(tmp_path: Path) -> None:
    (tmp_path / "counts").mkdir()
    for name, tag in (("a", "B-PER"), ("b", "B-LOC")):
        count(tmp_path, name, tag).rename(tmp_path / "counts" / f"{name}.json")
    found = eh.merge(tmp_path / "counts")
    assert isinstance(found, eh.Result)
    assert found.gold.labels == {"LOC": 1, "PER": 1}


def test_counts_do_not_depend_on_the_groups_of_the_score(tmp_path: Path) -> None:
    gold, system = write(tmp_path / "gold.conll", "B-PER", "", "O"), write(tmp_path / "system.conll", "O", "", "B-X")
    for groups in ("total", "sentence", "document", "finest"):
        options: dict[str, Any] = {"groups": groups}
        expected = eh.score(gold, system, **options)
        found = eh.score(gold, system, engine=eh.engines.recording_counts(tmp_path / f"{groups}.json"), **options)
        assert found.to_json() == expected.to_json()
        assert found.tallies == expected.tallies
    files = {json.dumps({**json.loads(path.read_text()), "files": []}) for path in tmp_path.glob("*.json")}
    assert len(files) == 1


@pytest.mark.parametrize(
    ("options", "expected", "got"),
    [
        ({"match": "exact"}, "match:exact,fair", "match:exact"),
        ({"beta": 2.0}, "beta:1", "beta:2"),
        ({"repair": "discard"}, "repair:begin", "repair:discard"),
    ],
)
def test_parts_with_other_settings_are_refused(tmp_path: Path, options: Any, expected: str, got: str) -> None:
    one, other = count(tmp_path, "a", "B-PER"), count(tmp_path, "b", "B-LOC", **options)
    with pytest.raises(
        eh.InputError, match=rf"b\.json: expected {expected} as in .*a\.json, got {got}; score all parts"
    ):
        eh.merge([one, other])


def test_parts_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    one, other = count(tmp_path, "a", "B-PER"), count(tmp_path, "b", "B-LOC")
    with pytest.raises(
        eh.InputError, match=r"a\.json: has the same gold standard as .*a\.json; list every part only once"
    ):
        eh.merge([one, other, one])
    eh.score(*[tmp_path / "b" / f"{side}.conll" for side in ("gold", "system")]).to_json(tmp_path / "scores.json")
    with pytest.raises(eh.InputError, match=r"is a result of evenhand score, not of score --counts"):
        eh.merge([one, tmp_path / "scores.json"])
    renamed = tmp_path / "renamed.json"
    renamed.write_text(other.read_text().replace('"crf"', '"flair"'))
    with pytest.raises(eh.InputError, match=r"has the systems flair, but .*a\.json has crf; use the same system names"):
        eh.merge([one, renamed])
    older = tmp_path / "older.json"
    older.write_text(other.read_text().replace(f'"evenhand":"{eh.__version__}"', '"evenhand":"0.0.9"', 1))
    with pytest.raises(eh.InputError, match=r"was written by Evenhand 0\.0\.9, and this is .*; score the files again"):
        eh.merge([one, older])
    other_numbers = tmp_path / "numbers.json"
    other_numbers.write_text(other.read_text().replace("|numbers:1|", "|numbers:2|", 1))
    with pytest.raises(
        eh.InputError, match=r"has numbers version 2, and this Evenhand computes 1; score the files again"
    ):
        eh.merge([one, other_numbers])
    damaged = tmp_path / "damaged.json"
    damaged.write_text(other.read_text()[:-50])
    with pytest.raises(eh.InputError, match=r"damaged\.json: is not a saved result of evenhand score --counts"):
        eh.merge([damaged])
    with pytest.raises(eh.SettingError, match="Nothing to merge"):
        eh.merge([])


def test_counts_that_cannot_be_saved_are_refused(tmp_path: Path) -> None:
    with pytest.raises(eh.SettingError, match="The function same cannot be saved with the counts"):
        count(tmp_path, "a", "B-PER", match=same)


def same(gold: eh.Span, system: eh.Span) -> bool:
    return gold.label == system.label


def test_documents_that_have_their_counterpart_in_another_part_are_refused(tmp_path: Path) -> None:
    """The system lacks document b in the first part and has it in the second: one run would match it."""
    files = []
    for number, (gold, system) in enumerate([("ab", "a"), ("c", "bc")]):
        sides = []
        for name, ids in (("gold", gold), ("system", system)):
            path = tmp_path / f"{name}{number}.jsonl"
            rows = [{"id": each, "text": "Ada", "spans": [{"start": 0, "end": 3, "label": "X"}]} for each in ids]
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
            sides.append(path)
        files.append(tmp_path / f"{number}.json")
        eh.score(sides[0], {"crf": sides[1]}, engine=eh.engines.recording_counts(files[-1]))
    with pytest.raises(eh.InputError, match="cannot be merged because the two sides have different documents"):
        eh.merge(files)


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    return result.exit_code, result.output


def test_the_command_prints_what_score_prints(tmp_path: Path) -> None:
    one, other = (write(tmp_path / name, "B-PER", "O", "", "B-LOC") for name in ("gold.conll", "a.conll"))
    write(tmp_path / "b.conll", "O", "O", "", "B-LOC")
    sides = [one, f"a={other}", f"b={tmp_path / 'b.conll'}"]
    status, expected = run("score", *sides, "--counts", tmp_path / "part.json")
    assert status == 0
    assert run("merge", tmp_path / "part.json") == (0, expected)
    assert run("merge", tmp_path / "part.json", "--as", "json") == run("score", *sides, "--as", "json")
    assert run("merge", tmp_path / "part.json", "--full", "-q") == run("score", *sides, "--full", "-q")


def test_counts_exclude_options_that_need_the_units(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conll", "B-PER")
    write(tmp_path / "a.conll", "B-PER")
    for option in (("--slice", "length"), ("--verdicts", tmp_path / "v.parquet")):
        status, output = run("score", gold, tmp_path / "a.conll", "--counts", tmp_path / "part.json", *option)
        assert status == 2
        assert f"--counts cannot be combined with {option[0]}" in output


@pytest.mark.parametrize("name", ["part.arrow", "part.csv", "part"])
def test_counts_are_saved_as_json_or_parquet(name: str) -> None:
    with pytest.raises(eh.SettingError, match=f"{name} must end in .json or .parquet."):
        eh.engines.recording_counts(name)
