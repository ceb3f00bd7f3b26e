"""What helps people help: targets of make, fast tests, the versions of Python that are tested."""

from __future__ import annotations

import re
import tomllib

from conftest import ROOT, SLOW

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_make_help_lists_every_target() -> None:
    (targets,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE) == targets.split()


def test_slow_tests_are_files_and_folders_that_exist() -> None:
    names = {path.stem for path in (ROOT / "tests").rglob("*") if path.suffix == ".py" or path.is_dir()}
    assert SLOW - names == set()


def test_every_supported_version_of_python_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in workflow
    assert project["requires-python"] == f">={versions[0]}"


def test_the_version_to_cite_is_the_version() -> None:
    from evenhand.version import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
