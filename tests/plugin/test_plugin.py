"""A package from outside adds a match model, a format and a task through entry points, and all commands know them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from conftest import EXAMPLE, ROOT
from evenhand import plugins

PACKAGE = Path(__file__).with_name("package")
SENTENCES = PACKAGE / "src" / "evenhand_example" / "examples" / "sentences"
GOLD, RULES, MODEL = (str(SENTENCES / f"{name}.jdoc") for name in ("gold", "rules", "model"))
ENTITIES, CRF, TAGGER = (str(EXAMPLE / f"{name}.conll") for name in ("gold", "crf", "tagger"))


def install(folder: Path, project: dict) -> Path:
    """What installing a package leaves beside its code: the metadata with its entry points."""
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = project["entry-points"].items()
    points = (f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in each.items()) for group, each in groups)
    (metadata / "entry_points.txt").write_text("\n".join(points))
    return folder


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    installed = install(tmp_path_factory.mktemp("site"), project)
    return os.pathsep.join(map(str, (installed, PACKAGE / "src", ROOT / "src")))


def run(path: str, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from evenhand.cli import main; main()", *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert found.returncode == code, found.stderr
    return found


# A match model: a span is right if its last token and its label are


def test_a_model_with_a_parameter_is_scored(path: str) -> None:
    strict = json.loads(run(path, "score", ENTITIES, CRF, "--match", "exact,Last Token", "--as", "json").stdout)
    scores = strict["systems"][0]["scores"]["last-token"]["overall"]
    assert (scores["gold_hits"], scores["gold"], scores["system_hits"], scores["system"]) == (192, 285, 191, 212)
    assert strict["signature"].endswith("|last-token-tolerance:0")
    options = ("--match", "last-token", "--last-token-tolerance", 1)
    loose = json.loads(run(path, "score", ENTITIES, CRF, *options, "--as", "json").stdout)
    assert loose["systems"][0]["scores"]["last-token"]["overall"]["gold_hits"] == 201
    assert loose["settings"]["last_token_tolerance"] == 1


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex", "value"])
def test_a_model_in_all_outputs(path: str, form: str) -> None:
    found = run(path, "score", ENTITIES, CRF, "--match", "head", "--as", form).stdout
    assert "0.7709" in found if form == "value" else "last-token" in found


def test_a_model_ranks_and_a_bad_parameter_is_a_sentence(path: str) -> None:
    data = json.loads(
        run(path, "rank", ENTITIES, CRF, TAGGER, "--match", "fair,last-token", "--resamples", 20, "--as", "json").stdout
    )
    assert data["models"] == ["fair", "last-token"]
    wrong = run(path, "score", ENTITIES, CRF, "--match", "last-token", "--last-token-tolerance", "-1", code=2)
    assert wrong.stderr == "evenhand: last_token_tolerance is -1; it must be 0 or more.\n"


def test_a_model_with_measures_of_its_own(path: str, tmp_path: Path) -> None:
    """Tables, JSON, ranks, gates and saved results have them, as they have those of leak."""
    saved = tmp_path / "scores.json"
    run(path, "score", ENTITIES, CRF, TAGGER, "--match", "last-token-rates", "-o", saved)
    scores = json.loads(saved.read_text())["systems"][0]["scores"]["last-token-rates"]
    assert scores["overall"] == {"gold_hits": 192, "gold": 285, "hit_rate": 192 / 285, "miss_rate": 93 / 285}
    assert scores["headline"] == 192 / 285
    code = f"import evenhand as eh; print(eh.Results.from_json({str(saved)!r}))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True
    )
    assert "last-token-rates  hit rate  miss rate" in shown.stdout
    ranked = run(path, "rank", ENTITIES, CRF, TAGGER, "--match", "last-token-rates", "--as", "csv", "--resamples", 0)
    assert f"crf,last-token-rates,{192 / 285}" in ranked.stdout
    failed = run(path, "gate", ENTITIES, CRF, "--floor", "hit_rate=0.7", "--ceiling", "PER:miss_rate=1", code=1)
    assert "hit_rate is 0.6737 (67.37 %); the floor is 0.7 (70 %)." in failed.stdout


def test_a_model_divided_among_processes(path: str) -> None:
    options = ("--match", "last-token", "--as", "json", "-q")
    one, two = (run(path, "score", ENTITIES, CRF, *options, *more).stdout for more in ((), ("--jobs", 2)))
    assert one == two


# A format: one JSON document a file


def test_a_format_is_recognised_converted_and_checked(path: str, tmp_path: Path) -> None:
    target = tmp_path / "crf.jdoc"
    assert "documents" in run(path, "convert", CRF, target).stderr
    assert list(json.loads(target.read_text())) == ["sentences"]
    checked = run(path, "check", target)
    assert "json-document; 87 sentences, 212 spans; no problems" in checked.stdout
    scores = [
        run(path, "score", ENTITIES, file, "--match", "exact", "--as", "value", "-q").stdout for file in (CRF, target)
    ]
    assert scores[0] == scores[1] != ""
    back = tmp_path / "back.conll"
    run(path, "convert", target, back, "--stacked")
    assert run(path, "score", CRF, back, "--match", "exact", "--as", "value", "-q").stdout.split()[0] == "1.0"


def test_a_damaged_file_of_the_format_is_a_sentence(path: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jdoc").write_text('{"sentences": [{"tokens": ["a"], "spans": [[0, 1]]}]}')
    found = run(path, "score", tmp_path / "bad.jdoc", GOLD, code=2)
    assert found.stderr.startswith(f"evenhand: {tmp_path}/bad.jdoc:1: expected a JSON document with sentences")
    assert found.stderr.count("\n") == 1


# A task: one label a sentence


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "value"])
def test_a_task_is_scored(path: str, form: str) -> None:
    found = run(path, "score", GOLD, RULES, "--task", "sentences", "--as", form, "-q").stdout
    assert ("0.5833" if form in ("json", "csv", "value") else "58.33") in found


def test_a_task_is_compared_ranked_and_gated(path: str) -> None:
    task = ("--task", "sentences")
    compared = json.loads(run(path, "compare", GOLD, RULES, MODEL, *task, "--as", "json").stdout)
    (pair,) = compared["pairs"]
    assert (pair["units"], pair["different"], pair["delta"]) == (12, 4, pytest.approx(0.25))
    assert {name: found["count"] for name, found in pair["classes"].items()} == {
        "correction": 3,
        "new_error": 0,
        "changed_error": 1,
    }
    ranked = json.loads(run(path, "rank", GOLD, RULES, MODEL, *task, "--as", "json").stdout)
    assert [system["name"] for system in ranked["systems"]] == ["model", "rules"]
    assert "passed" in run(path, "gate", GOLD, RULES, MODEL, *task).stdout
    assert "failed" in run(path, "gate", GOLD, MODEL, RULES, *task, "--max-drop", 1, code=1).stdout


def test_a_task_has_a_page_with_units_and_links(path: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(path, "report", GOLD, RULES, MODEL, "--task", "sentences", "-o", page)
    text = page.read_text()
    assert 'href="#units?system=rules&amp;' in text
    assert 'href="#units?from=rules&amp;to=model&amp;' in text
    code = (
        "import evenhand as eh; from evenhand.report.html import unit_data;"
        f"report = eh.report({GOLD!r}, [{RULES!r}, {MODEL!r}], task='sentences', trials=0, resamples=0);"
        "data = unit_data(report); print(report.units.total, data['kinds'], len(data['sentences']), data['sentences'][1]['t'])"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True
    )
    words = ("Ada", "waited", "an", "hour", "for", "the", "bill")
    assert outcome.stdout == f"12 ['right', 'wrong', 'missing'] 12 {words}\n"


def test_a_task_in_help_demo_and_check(path: str) -> None:
    assert ", sentences [recognised" in " ".join(run(path, "score", "--help").stdout.split())
    everything = run(path, "score", "--help-all").stdout
    assert "--last-token-tolerance NUMBER" in everything
    assert "json-document" in everything
    assert "58.33" in run(path, "demo", "--task", "sentences").stdout
    assert "json-document; 12 sentences" in run(path, "check", GOLD, "--task", "sentences").stdout


def test_in_python(path: str) -> None:
    code = (
        "import evenhand as eh;"
        f"print(eh.score({GOLD!r}, {RULES!r}, task='sentences')['accuracy'].headline);"
        f"print(eh.score({ENTITIES!r}, {CRF!r}, match='last-token', last_token_tolerance=2)['last-token'].recall);"
        f"print(len(eh.read({GOLD!r})['sentence-labels']));"
        "print(any('last_token_tolerance' in measure.parameters for measure in eh.models('spans')))"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True
    )
    assert outcome.stdout.split() == [str(7 / 12), str(208 / 285), "12", "True"]


# Plug-ins that do not work


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ("nowhere:TASK", "ModuleNotFoundError: No module named 'nowhere'"),
        ("json:JSONDecoder", "TypeError: json:JSONDecoder is not a Task"),
    ],
)
def test_a_broken_plugin_is_a_warning(tmp_path: Path, point: str, reason: str) -> None:
    project = {"name": "broken", "version": "1", "entry-points": {"evenhand.tasks": {"broken": point}}}
    path = os.pathsep.join((str(install(tmp_path, project)), str(ROOT / "src")))
    found = run(path, "score", ENTITIES, CRF, "--match", "exact", "--as", "value", "-q")
    assert found.stderr == f"evenhand: The plug-in 'broken' of broken (evenhand.tasks) is left out: {reason}.\n"
    assert found.stdout != ""


def test_a_plugin_cannot_take_a_name_of_ours(tmp_path: Path) -> None:
    project = {"name": "copy", "version": "1", "entry-points": {"evenhand.formats": {"conll": "json:JSONDecoder"}}}
    path = os.pathsep.join((str(install(tmp_path, project)), str(ROOT / "src")))
    found = run(path, "score", ENTITIES, CRF, "--match", "exact", "--as", "value")
    assert "The plug-in 'conll' of copy (evenhand.formats) is left out: Evenhand has one of that name." in found.stderr


@pytest.mark.long
def test_after_installation_in_a_fresh_environment(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT, PACKAGE], check=True)
    command = [python, "-c", "from evenhand.cli import main; main()", "demo", "--task", "sentences"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "58.33" in found.stdout


# The interface: `evenhand.plugins`


@pytest.mark.parametrize("name", plugins.__all__)
def test_every_name_of_the_interface_is_documented_and_can_be_imported(name: str) -> None:
    assert re.search(rf"^    {name} +\S", plugins.__doc__ or "", re.MULTILINE)
    assert getattr(plugins, name) is not None


def test_unknown_names_of_the_interface_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="has no 'Passage'"):
        plugins.Passage  # noqa: B018


def test_this_package_imports_from_the_interface_only() -> None:
    code = "".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    assert set(re.findall(r"evenhand\.\w+", code)) == {"evenhand.plugins"}
