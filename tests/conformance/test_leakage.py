"""Leakage of WNUT-17's systems and of de-identified texts of MEDDOCAN, by brute force over sets of atoms."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from peaks import PEAK

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "agreement.json").read_text())["leak"]
TOLERANCE = 1e-9


def assert_figures(score: eh.ModelScore, expected: dict[str, Any]) -> None:
    """All figures, overall and by label, and no other label."""
    assert set(score.labels) == set(expected["labels"])
    rows = {label: (score.labels[label], figures) for label, figures in expected["labels"].items()}
    for row, figures in (*rows.values(), (score.overall, expected)):
        expected_row = {name: figure for name, figure in figures.items() if name != "labels"}
        by_name = {**row.counts, **row.more}
        assert {name: by_name[name] for name in expected_row} == pytest.approx(expected_row, abs=TOLERANCE)
        shares = {name: by_name[name] for name in by_name.keys() - expected_row.keys()}
        assert shares == (
            {}
            if row is not score.overall
            else {
                f"{name}_safe_share": pytest.approx(by_name[f"{name}_safe"] / by_name[name])
                for name in ("values", "documents")
            }
        )


@pytest.mark.parametrize("system", FIGURES["wnut17"])
def test_wnut_17(data: Path, system: str) -> None:
    result = eh.score(data / "wnut17" / "gold.conll", data / "wnut17" / "systems" / f"{system}.conll", match="leak")
    assert_figures(result["leak"], FIGURES["wnut17"][system])
    assert result["leak"].headline == result["leak"].overall.recall


SYSTEMS = ("baseline", "disturbed")


def meddocan(data: Path, system: str, match: str, **options: Any) -> eh.Result:
    folder = data / "agreement" / "meddocan"
    return eh.score(folder / "gold", folder / system, match=match, **options)


@pytest.mark.parametrize("system", SYSTEMS)
def test_leakage_of_meddocan(data: Path, system: str) -> None:
    """Four of the eight texts begin with a byte order mark that offsets count."""
    assert_figures(meddocan(data, system, "leak")["leak"], FIGURES[f"meddocan {system}"]["leak"])


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("family", ["meddocan", "i2b2"])
def test_scripts_of_shared_tasks(data: Path, family: str, system: str) -> None:
    """TP, FP, FN, precision, recall and F1 of MEDDOCAN's script and of i2b2's."""
    expected = {name: item for name, item in FIGURES[f"meddocan {system}"][family].items() if name != "leak"}
    outcome = meddocan(data, system, family).to_dict()["systems"][0]["scores"]
    assert set(outcome) == {f"{family}-{name}" for name in expected}
    for name, figures in expected.items():
        overall = outcome[f"{family}-{name}"]["overall"]
        assert {item: overall[item] for item in figures} == pytest.approx(figures, abs=TOLERANCE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_missing_spans_a_sentence(data: Path, system: str) -> None:
    sentences = (data / "agreement" / "meddocan" / "sentences.tsv").read_text()
    found = meddocan(data, system, "meddocan-ner", sentences=sentences)["meddocan-ner"].overall["leak"]
    assert found == pytest.approx(FIGURES[f"meddocan {system}"]["meddocan"]["leak"], abs=TOLERANCE)
    assert meddocan(data, system, "meddocan-ner")["meddocan-ner"].overall.more == {"leak": None}


def gate(data: Path, *criteria: str) -> Any:
    """MEDDOCAN, disturbed, without a baseline."""
    folder = data / "agreement" / "meddocan"
    return CliRunner().invoke(main, ["gate", str(folder / "gold"), str(folder / "disturbed"), *criteria])


RECALL, LEAK_RATE = ("--floor", "recall=0.7"), ("--ceiling", "leak_rate=0.17")


def test_a_gate_that_passes(data: Path) -> None:
    assert gate(data, *RECALL, *LEAK_RATE).exit_code == 0


@pytest.mark.parametrize(
    ("criteria", "lines"),
    [
        (["--floor", "recall=0.71", *LEAK_RATE], ["leak.recall is 0.7021 (70.21 %); the floor is 0.71 (71 %)."]),
        ([*RECALL, "--ceiling", "leak_rate=0.16"], ["leak.leak_rate is 0.1644 (16.44 %); the ceiling is 0.16 (16 %)."]),
        (
            ["--floor", "recall=0.71", "--floor", "HOSPITAL:recall=1", *LEAK_RATE],
            [
                "leak.recall is 0.7021 (70.21 %); the floor is 0.71 (71 %).",
                "HOSPITAL:leak.recall is 0.8000 (80.00 %); the floor is 1 (100 %).",
            ],
        ),
    ],
)
def test_a_gate_that_fails_names_every_failure_and_the_value_reached(
    data: Path, criteria: list[str], lines: list[str]
) -> None:
    found = gate(data, *criteria)
    assert found.exit_code == 1
    failed = [line for line in found.stdout.splitlines() if " FAILED " in line]
    assert [line.rpartition("FAILED")[2].strip() for line in failed] == lines


def test_what_a_user_compares_by_is_the_model_of_all_names(data: Path) -> None:
    found = gate(data, "--by", "leak", "--floor", "recall=0.71")
    assert "leak" in found.stdout
    assert "recall is 0.7021 (70.21 %); the floor is 0.71 (71 %)." in found.stdout
    other = gate(data, "--by", "exact", *RECALL, *LEAK_RATE)
    assert other.exit_code == 2
    assert other.stderr.startswith("evenhand: 'leak_rate' is not a score: exact has no figure 'leak_rate', only ")


@pytest.mark.parametrize("name", ["NOBODY:recall", "leak.recal", "NOBODY:leak_rate"])
def test_an_unknown_label_or_measure_is_bad_usage(data: Path, name: str) -> None:
    found = gate(data, "--floor", f"{name}=0.5", *LEAK_RATE)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"evenhand: '{name}' is not a score: ")


def tiled(data: Path, folder: Path, times: int) -> list[Path]:
    """WNUT-17's gold standard and a system, many times behind each other."""
    items = []
    for path in (data / "wnut17" / "gold.conll", data / "wnut17" / "systems" / "arcada.conll"):
        text = path.read_text("utf-8").rstrip("\n") + "\n\n"
        (folder / path.name).write_text(text * times, "utf-8")
        items.append(folder / path.name)
    return items


def peak(files: list[Path], match: str) -> float:
    """The MB of memory that a command takes at most."""
    script = f"import sys; from evenhand.cli import main; main(sys.argv[1:], standalone_mode=False)\n{PEAK}"
    command = [sys.executable, "-c", script, "score", *files, "--match", match, "--as", "value", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


@pytest.mark.long
def test_leakage_of_longer_files_takes_no_more_memory(data: Path, tmp_path: Path) -> None:
    once, more = (peak(tiled(data, tmp_path, times), "leak") for times in (43, 5 * 43))
    assert more < 1.1 * once < 1.1 * 120


@pytest.mark.long
def test_leakage_is_the_same_in_several_processes(data: Path, tmp_path: Path) -> None:
    gold, system = tiled(data, tmp_path, 43)
    found = [eh.score(gold, system, match="leak,exact", jobs=jobs).to_json() for jobs in (None, 2)]
    assert found[0] == found[1]
