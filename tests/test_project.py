"""The project's files: targets of make, CI, versions of Python and packages, extras, README, plain English."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import check_extras
from conftest import DATA, ROOT, SLOW, DataPath

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECIPE = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")


TARGETS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_make_help_lists_every_target() -> None:
    (targets,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert targets.split() == TARGETS


def test_readme_starts_with_commands_that_work_in_a_clone() -> None:
    """Not with `pip install evenhand`, which needs a published version."""
    commands = re.findall(r"^```sh\n(.+?)^```", README, re.MULTILINE | re.DOTALL)[0].splitlines()
    assert [command.partition("#")[0].strip() for command in commands] == ["make demo", "make test", "pip install ."]
    assert {"demo", "test"} <= set(TARGETS)
    assert "pip install evenhand" not in README


def test_every_target_that_a_page_names_exists() -> None:
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        named = re.findall(r"(?:^|`)make ([a-z-]+)", page, re.MULTILINE)
        assert named
        assert set(named) <= set(TARGETS)


def test_ci_runs_all_checks() -> None:
    assert re.findall(r"^make (\S+)$", CI, re.MULTILINE) == ["check", "test"]
    for target in ("check", "check-extras", "test", "test-fast", "test-lowest", "test-integrations", "release-check"):
        assert re.search(rf"run: make {target}\b(?!-)", WORKFLOW), target


def test_tests_with_the_lowest_versions_use_the_lowest_versions() -> None:
    (tools,) = re.findall("^LOWEST_TOOLS := (.+)$", MAKEFILE, re.MULTILINE)
    pinned = dict(re.findall(r'"([a-z]+)==([\d.]+)"', tools))
    extras = PROJECT["optional-dependencies"]
    floors = dict(each.split(">=") for each in (*extras["plot"], *extras["dev"]))
    assert {name: floors[name] for name in ("matplotlib", "pandas", "scipy")} == {
        name: pinned[name] for name in ("matplotlib", "pandas", "scipy")
    }


def test_a_pinned_torch_keeps_the_tests_of_integrations_reproducible() -> None:
    assert re.search(r"^TORCH \?= torch==\d+\.\d+\.\d+$", MAKEFILE, re.MULTILINE)
    assert re.search(r"^TOOLS := .* \$\(TORCH\) ", MAKEFILE, re.MULTILINE)


def test_zstd_needs_no_package_where_the_standard_library_has_it() -> None:
    assert check_extras.requirements("3.13", "zstd") == ["backports.zstd>=1.0"]
    assert check_extras.requirements("3.14", "zstd") == []


def pip_that_lacks(package: str, output: str = "No matching distribution found") -> check_extras.Install:
    return lambda version, wanted: (1, output) if any(each.startswith(package) for each in wanted) else (0, "")


def test_an_extra_that_pip_cannot_install_fails_the_check() -> None:
    (passed,) = check_extras.check("3.14", pip_that_lacks("nothing"))
    assert passed == (
        True,
        "Python 3.14: pip can install all extras (arrow, dask, excel, plot, remote, spacy, zstd, dev).",
    )
    (failed,) = check_extras.check("3.13", pip_that_lacks("backports.zstd"))
    assert failed == (False, "Python 3.13: pip cannot install evenhand[zstd].\n  No matching distribution found")


def test_extras_are_not_checked_without_a_network() -> None:
    retries = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'"
    (found,) = check_extras.check("3.14", pip_that_lacks("numpy", retries))
    assert found == (True, "Python 3.14: NOT CHECKED, because the package index could not be reached.")


def test_tests_without_their_data_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "wnut17").mkdir()
    assert DataPath(tmp_path) / "wnut17" / "gold.conll" == tmp_path / "wnut17" / "gold.conll"
    with pytest.raises(pytest.skip.Exception, match=r"lacks .*conll2003; see docs/how-to/conformance-data.md"):
        DataPath(tmp_path) / "conll2003"
    with pytest.raises(pytest.skip.Exception, match=r"lacks .*target; see"):
        DataPath(tmp_path) / "faireval/target/ner_spans.tsv"


def test_a_page_lists_the_source_of_every_data_set() -> None:
    page = (ROOT / "docs" / "how-to" / "conformance-data.md").read_text(encoding="utf-8")
    folders = set(re.findall(r"^\| `([a-z0-9_]+)/", page, re.MULTILINE))
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    used = set(re.findall(r'\bdata / f?"([a-z0-9_]+)', code))
    assert used
    assert used <= folders
    assert DATA.name not in folders


def test_the_repository_names_no_folder_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=False, capture_output=True, encoding="utf-8")
    for name in listed.stdout.split("\n"):
        if name.endswith((".md", ".toml", ".yml", "Makefile", "run")):
            assert not re.search(r"/(?:work|root|home/\w+)/", (ROOT / name).read_text(encoding="utf-8")), name


def test_slow_tests_are_files_and_folders_that_exist() -> None:
    paths = [path.with_suffix("") for path in (ROOT / "tests").rglob("*") if path.suffix == ".py" or path.is_dir()]
    assert SLOW - {path.name for path in paths} - {f"{path.parent.name}/{path.name}" for path in paths} == set()


def test_every_supported_version_of_python_is_tested() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in WORKFLOW
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in WORKFLOW
    assert versions == check_extras.VERSIONS
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_version_to_cite_is_the_version() -> None:
    from evenhand import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n  version: {__version__}\n" in RECIPE


def test_the_conda_package_needs_what_the_wheel_needs() -> None:
    run = RECIPE.partition("  run:\n")[2].partition("\n\n")[0]
    needed = [
        f"python {PROJECT['requires-python']}",
        *(re.sub("(?=>=)", " ", each) for each in PROJECT["dependencies"]),
    ]
    assert re.findall("- (.+)", run) == needed


def test_the_image_has_all_that_the_wheel_is_built_from() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE) for name in line.split()}
    kept = re.findall("^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    bills = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["sbom-files"]
    assert copied == set(kept) == {"pyproject.toml", PROJECT["readme"], *PROJECT["license-files"], *bills, "src"}
    (extras,) = set(re.findall(r"\[([a-z,]+)\]", dockerfile))
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()


PHRASES = {
    "is no": (r"\b(?:is|are|was|were) no\b(?! longer)", 200, 4),
    "stand": (r"\bstands?\b", 345, 0),
    "behind": (r"\bbehind\b", 490, 0),
    "met": (r"\bmet\b", 165, 8),
    "somebody": (r"\b(?:some|no|every|any)body\b|\bwhoever\b", 119, 0),
    "so that": (r"\bso that\b", 160, 0),
    "a row a unit": (r"\b[Aa]n? (?!few|lot)[a-z]+ an? [a-z]+\b", 104, 0),
    "whatever": (r"\bwhatever\b|\bhowever many\b|\bwherever\b|\bas far as\b|\bif any\b", 143, 0),
}
"""Phrases that English-speaking maintainers would avoid: pattern, and at most how many in src and docs. Write "is not a",
"is" or "precedes", "after", "found", a name or the passive, "so", "per" and "any" instead. Lower a number when you can."""


@cache
def prose(folder: str, ending: str) -> str:
    """All text of a folder except pages written from templates and docstrings in src."""
    paths = sorted((ROOT / folder).rglob(f"*.{ending}"))
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if not path.with_suffix(".in.md").exists())


@pytest.mark.parametrize("phrase", PHRASES)
def test_awkward_phrases_become_fewer(phrase: str) -> None:
    pattern, *limits = PHRASES[phrase]
    assert re.fullmatch(str(pattern), phrase)
    for folder, ending, limit in zip(("src", "docs"), ("py", "md"), limits, strict=True):
        count = len(re.findall(str(pattern), prose(folder, ending)))
        assert count <= limit, f"{folder} has {count} phrases such as {phrase!r}, at most {limit}; rephrase yours"


# How these tests are run: property tests with the same examples every time, and a line for each kind of sk


EXAMPLES = """
import sys

from hypothesis import given
from hypothesis import strategies as st

for name in sys.argv[2:]:
    __import__(name)
sys.path.insert(0, sys.argv[1])
import conftest
conftest.forget_local_constants()
found = []

@given(st.text(max_size=20), st.integers(), st.sets(st.text(max_size=3)))
def collect(text, number, words):
    found.append((text, number, *sorted(words)))

collect()
print(ascii(found))
"""
SKIPPING = """
import pytest

@pytest.mark.skipif(True, reason="no browser is installed")
@pytest.mark.parametrize("number", range(3))
def test_pages(number):
    pass

def test_data():
    pytest.skip("the published data is absent")

def test_more():
    pytest.skip("the published data is absent")
"""


def examples(folder: Path, hash_seed: str, *loaded: str) -> str:
    script = folder / "examples.py"
    script.write_text(EXAMPLES)
    command = [sys.executable, str(script), str(ROOT / "tests"), *loaded]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_examples_do_not_depend_on_hashes_or_on_what_is_loaded(tmp_path: Path) -> None:
    once = examples(tmp_path, "1")
    assert len(once) > 2000
    assert once == examples(tmp_path, "2", "evenhand.formats.conllu", "evenhand.report.latex", "evenhand.settings")


@pytest.mark.parametrize(
    "processes",
    [pytest.param((), id="one process"), pytest.param(("-n", "2"), id="two processes", marks=pytest.mark.long)],
)
def test_what_is_skipped_is_said_in_one_line_a_reason(tmp_path: Path, processes: tuple[str, ...]) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(SKIPPING)
    (tmp_path / "test_whole.py").write_text('import pytest\npytest.importorskip("absent", reason="no absent")\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *processes, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith(("Skipped", "SKIPPED"))] == [
        "Skipped 1 file: no absent",
        "Skipped 3 tests: no browser is installed",
        "Skipped 2 tests: the published data is absent",
    ]
