"""Checks of a release: `tools/release.py`, which `make release-check` runs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import release
from conftest import ROOT
from release import ReleaseError

PROJECT = {
    "name": "evenhand",
    "description": "Evaluate.",
    "license": "MIT",
    "urls": {"Homepage": "https://example.org/evenhand"},
    "dependencies": ["numpy>=2.0"],
    "optional-dependencies": {
        "zstd": ["backports.zstd>=1.0; python_version < '3.14'"],
        "remote": ["fsspec[http]>=2024.2"],
        "dev": ["pytest>=8"],
    },
}
CHANGELOG = """# Changes

## 0.2.0, 2027-01-15

The first paragraph
has two lines ([page](docs/index.md), [below](#upgrading), [site](https://example.org)).

- One item
  with two lines.
- Another.

```sh
one
two
```

## 0.1.0, unreleased

Nothing yet.
"""


def test_the_bill_of_materials_lists_the_dependencies_of_the_project() -> None:
    version = release.consistent_version({name: (ROOT / name).read_text("utf-8") for name in release.VERSION_FILES})
    current = release.bill_of_materials(
        release.tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"], version
    )
    assert (ROOT / release.SBOM).read_text("utf-8") == current, "run: python tools/release.py --sbom"


def test_a_bill_of_materials_has_external_packages_with_their_versions() -> None:
    bill = json.loads(release.bill_of_materials(PROJECT, "0.2.0"))
    assert [(each["name"], each["versionRange"], each["scope"], each["isExternal"]) for each in bill["components"]] == [
        ("backports-zstd", "vers:pypi/>=1.0", "optional", True),
        ("fsspec", "vers:pypi/>=2024.2", "optional", True),
        ("numpy", "vers:pypi/>=2.0", "required", True),
    ]
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/evenhand@0.2.0"
    assert bill["dependencies"] == [
        {
            "ref": "pkg:pypi/evenhand@0.2.0",
            "dependsOn": ["pkg:pypi/backports-zstd", "pkg:pypi/fsspec", "pkg:pypi/numpy"],
        }
    ]


def test_a_bill_of_materials_needs_the_lowest_version_of_a_dependency() -> None:
    with pytest.raises(
        ReleaseError, match=r"expected a requirement such as numpy>=2\.0 in pyproject\.toml, got numpy\."
    ):
        release.bill_of_materials({**PROJECT, "dependencies": ["numpy"]}, "0.2.0")


def test_release_notes_are_the_section_of_the_version() -> None:
    """GitHub shows line ends as line breaks, and links relative to the release."""
    day, notes = release.release_notes(CHANGELOG, "0.2.0")
    files = "https://github.com/evenhand/evenhand/blob/v0.2.0"
    assert day == "2027-01-15"
    assert notes == (
        f"The first paragraph has two lines ([page]({files}/docs/index.md), [below]({files}/CHANGELOG.md#upgrading), "
        "[site](https://example.org)).\n\n"
        "- One item with two lines.\n- Another.\n\n```sh\none\ntwo\n```\n"
    )
    assert release.release_notes(CHANGELOG, "0.1.0") == ("unreleased", "Nothing yet.\n")
    with pytest.raises(ReleaseError, match=r"no section, or an empty one, for version 0\.3\.0"):
        release.release_notes(CHANGELOG, "0.3.0")


def test_all_files_state_the_same_version() -> None:
    texts = {
        "src/evenhand/__init__.py": '__version__ = "0.2.0"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 0.2.0\n",
        "conda/recipe.yaml": "context:\n  version: 0.2.0\n",
        "CHANGELOG.md": CHANGELOG,
        release.SBOM: release.bill_of_materials(PROJECT, "0.2.0"),
    }
    assert release.consistent_version(texts) == "0.2.0"
    for name in texts:
        with pytest.raises(ReleaseError, match=f"0.2.1 in {name}"):
            release.consistent_version({**texts, name: texts[name].replace("0.2.0", "0.2.1")})


def test_a_tag_has_the_version_and_the_changelog_its_date() -> None:
    release.check_tag("v0.2.0", "0.2.0", "2027-01-15")
    release.check_tag(None, "0.2.0", "unreleased")
    with pytest.raises(ReleaseError, match=r"the tag is v0\.2\.1, but the version is 0\.2\.0\."):
        release.check_tag("v0.2.1", "0.2.0", "2027-01-15")
    with pytest.raises(
        ReleaseError, match=r"expected a date such as 2026-11-30 after 0\.2\.0 in CHANGELOG\.md, got unr"
    ):
        release.check_tag("v0.2.0", "0.2.0", "unreleased")


TRACKED = ["Makefile", "src/evenhand/__init__.py", "src/evenhand/py.typed", "tests/conftest.py"]
INFO = "evenhand-0.2.0.dist-info"
WHEEL = {
    "evenhand/__init__.py": b"",
    "evenhand/py.typed": b"",
    **dict.fromkeys((f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")), b""),
    f"{INFO}/licenses/LICENSE": b"",
    f"{INFO}/sboms/{release.SBOM}": (ROOT / release.SBOM).read_bytes(),
}


@pytest.fixture
def check_wheel(tmp_path: Path):
    def check(files: dict[str, bytes]) -> None:
        with zipfile.ZipFile(tmp_path / "wheel.whl", "w") as wheel:
            for name, content in files.items():
                wheel.writestr(name, content)
            release.check_wheel(wheel, TRACKED, "0.2.0")

    return check


def test_a_wheel_has_the_package_its_metadata_and_nothing_else(check_wheel) -> None:
    check_wheel(WHEEL)
    with pytest.raises(ReleaseError, match=r"the wheel has 1 stray files, such as tests/conftest\.py\."):
        check_wheel({**WHEEL, "tests/conftest.py": b""})
    with pytest.raises(ReleaseError, match=r"the wheel lacks 1 files, such as evenhand/py\.typed\."):
        check_wheel({name: content for name, content in WHEEL.items() if name != "evenhand/py.typed"})
    with pytest.raises(ReleaseError, match=r"the SBOM in the wheel differs from evenhand\.cdx\.json\."):
        check_wheel({**WHEEL, f"{INFO}/sboms/{release.SBOM}": b"{}"})


def test_a_source_archive_has_all_files_in_git() -> None:
    names = [f"evenhand-0.2.0/{name}" for name in (*TRACKED, "PKG-INFO")]
    release.check_sdist(names, TRACKED, "0.2.0")
    with pytest.raises(ReleaseError, match=r"the source archive lacks 1 files, such as evenhand-0\.2\.0/Makefile\."):
        release.check_sdist(names[1:], TRACKED, "0.2.0")
    with pytest.raises(
        ReleaseError, match=r"the source archive has 1 stray files, such as evenhand-0\.2\.0/notes\.txt\."
    ):
        release.check_sdist([*names, "evenhand-0.2.0/notes.txt"], TRACKED, "0.2.0")


def test_tests_of_the_source_archive_exist() -> None:
    assert [name for name in release.SDIST_TESTS if not (ROOT / name).exists()] == []
