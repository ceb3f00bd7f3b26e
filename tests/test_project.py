"""What helps people help, and packages: targets of make, fast tests, versions that are tested, what packages need."""

from __future__ import annotations

import re
import tomllib

from conftest import ROOT, SLOW

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")


def test_make_help_lists_every_target() -> None:
    (targets,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE) == targets.split()


def test_slow_tests_are_files_and_folders_that_exist() -> None:
    names = {path.stem for path in (ROOT / "tests").rglob("*") if path.suffix == ".py" or path.is_dir()}
    assert SLOW - names == set()


def test_every_supported_version_of_python_is_tested() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert 'python: ["3.11", "3.12", "3.13", "3.14"]' in workflow
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_version_to_cite_is_the_version() -> None:
    from evenhand.version import __version__

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
    assert copied == set(kept) == {"pyproject.toml", PROJECT["readme"], *PROJECT["license-files"], "src"}
    (extras,) = set(re.findall(r"\[([a-z,]+)\]", dockerfile))
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()
