"""Build, check and try a release without publishing it (`make release-check`).

Everything is built from the last commit, in new folders. The packages are left in `dist/`, and the release notes in
`build/release-notes.md`; the workflow in `.github/workflows/release.yml` publishes exactly these files.

`python tools/release.py --sbom` writes the software bill of materials, which each wheel contains (PEP 770).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
NOTES = ROOT / "build" / "release-notes.md"
SBOM = "evenhand.cdx.json"
VERSION_FILES = {
    "src/evenhand/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "conda/recipe.yaml": r"^  version: (.+)$",
    "CHANGELOG.md": r"^## ([^\s,]+), .+$",
    SBOM: r'^      "bom-ref": "pkg:pypi/evenhand@(.+)",$',
}
"""Files that state the version, and the pattern whose first match does."""
UNRELEASED = "unreleased"
SDIST_TESTS = (
    "tests/test_files.py",
    "tests/scoring",
    "tests/tasks/test_fair.py",
    "tests/tasks/test_trees.py",
    "tests/formats/test_conll.py",
    "tests/conformance/test_conll2003.py",
    "tests/conformance/test_seqeval.py",
)
"""Tests that run in the unpacked source archive: they need files of the archive, but no published data."""
TEST_TOOLS = ("hypothesis>=6.150", "pytest>=8")


class ReleaseError(Exception):
    """A reason not to release."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--tag", help="the tag of the release, which must be the version with a v: v1.2.3")
    arguments.add_argument("--sbom", action="store_true", help=f"only write {SBOM}")
    options = arguments.parse_args()
    try:
        if options.sbom:
            (ROOT / SBOM).write_text(bill_of_materials(_project(), _version()), encoding="utf-8")
        else:
            check_release(options.tag)
    except ReleaseError as error:
        sys.exit(f"Not ready for a release: {error}")


def check_release(tag: str | None = None) -> None:
    if _git("status", "--porcelain"):
        raise ReleaseError("the working tree has changes, and a release is built from the last commit; commit them.")
    version = consistent_version({name: (ROOT / name).read_text(encoding="utf-8") for name in VERSION_FILES})
    day, notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    check_tag(tag, version, day)
    _report(f"version {version} ({day})", ", ".join(VERSION_FILES))
    if (ROOT / SBOM).read_text(encoding="utf-8") != bill_of_materials(_project(), version):
        raise ReleaseError(f"{SBOM} is out of date; run: python tools/release.py --sbom")
    with tempfile.TemporaryDirectory(prefix="evenhand-release-") as folder:
        wheel, sdist = _build_twice(Path(folder))
        tracked = _git("ls-files").splitlines()
        with zipfile.ZipFile(wheel) as packed:
            check_wheel(packed, tracked, version)
        with tarfile.open(sdist) as archive:
            check_sdist(archive.getnames(), tracked, version)
        _report("contents", "the wheel has the package, licence and SBOM; the source archive has every file in git")
        _run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
        _run(sys.executable, "-m", "check_wheel_contents", wheel)
        _report("metadata", "twine check --strict, check-wheel-contents")
        _try_packages(wheel, sdist, Path(folder))
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for package in (wheel, sdist):
            shutil.copy(package, DIST)
    NOTES.parent.mkdir(exist_ok=True)
    NOTES.write_text(notes, encoding="utf-8")
    print(f"\nRelease notes ({NOTES.relative_to(ROOT)}):\n\n{notes}\nReady to release:")
    for package in sorted(DIST.iterdir()):
        print(f"{_sha256(package)}  {package.relative_to(ROOT)}")


def consistent_version(texts: Mapping[str, str]) -> str:
    """The version that all files state."""
    versions = {}
    for name, text in texts.items():
        stated = re.search(VERSION_FILES[name], text, re.MULTILINE)
        versions[name] = stated[1] if stated else "none"
    if len(set(versions.values())) > 1:
        raise ReleaseError(f"the versions differ: {', '.join(f'{each} in {name}' for name, each in versions.items())}.")
    return versions["CHANGELOG.md"]


def release_notes(changelog: str, version: str) -> tuple[str, str]:
    """Date and text of a version's section. Links lead to files of its tag; lines of a paragraph are joined, because
    GitHub shows each line end of a release note as a line break."""
    section = re.search(rf"^## {re.escape(version)}, ([^\n]+)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None or not section[2].strip():
        raise ReleaseError(f"CHANGELOG.md has no section, or an empty one, for version {version}.")
    parts = re.split(r"(^```.*?^```$)", section[2].strip(), flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"(?<!\n)\n *(?![\s|>#]|[-*] |\d+\. )", " ", part) for part in parts[::2]]
    pages = f"{_project()['urls']['Homepage']}/blob/v{version}/"
    parts[::2] = [re.sub(r"(?<=\]\()(?!https?:)(?=#)", f"{pages}CHANGELOG.md", part) for part in parts[::2]]
    parts[::2] = [re.sub(r"(?<=\]\()(?!https?:)", pages, part) for part in parts[::2]]
    return section[1], f"{''.join(parts)}\n"


def check_tag(tag: str | None, version: str, day: str) -> None:
    """A tagged release has the version of its tag, and a date in CHANGELOG.md."""
    if tag is None:
        return
    if tag != f"v{version}":
        raise ReleaseError(f"the tag is {tag}, but the version is {version}.")
    try:
        date.fromisoformat(day)
    except ValueError:
        raise ReleaseError(f"expected a date such as 2026-11-30 after {version} in CHANGELOG.md, got {day}.") from None


def bill_of_materials(project: Mapping[str, Any], version: str) -> str:
    """The dependencies as CycloneDX 1.7. They are external: the wheel contains only Evenhand itself.

    There is neither a time nor a random serial number, so the same project has the same bill.
    """
    extras = [each for extra, listed in project["optional-dependencies"].items() if extra != "dev" for each in listed]
    scopes = dict.fromkeys(map(_requirement, extras), "optional") | dict.fromkeys(
        map(_requirement, project["dependencies"]), "required"
    )
    own = f"pkg:pypi/{project['name']}@{version}"
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}",
            "name": name,
            "versionRange": f"vers:pypi/{versions}",
            "isExternal": True,
            "scope": scope,
            "purl": f"pkg:pypi/{name}",
        }
        for (name, versions), scope in sorted(scopes.items())
    ]
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.7.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.7",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": project["name"],
                "version": version,
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
                "externalReferences": [{"type": "vcs", "url": project["urls"]["Homepage"]}],
            }
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    return json.dumps(bill, indent=2) + "\n"


def _requirement(written: str) -> tuple[str, str]:
    """Normalised name and versions of a requirement: `fsspec[http]>=2024.2` is fsspec and >=2024.2."""
    parts = re.fullmatch(r"([\w.-]+)(?:\[.+\])?(>=[\d.]+)(?:;.+)?", written.replace(" ", ""))
    if parts is None:
        raise ReleaseError(f"expected a requirement such as numpy>=2.0 in pyproject.toml, got {written}.")
    name, versions = parts.groups()
    return re.sub(r"[-_.]+", "-", name).lower(), versions


def check_wheel(wheel: zipfile.ZipFile, tracked: Iterable[str], version: str) -> None:
    """A wheel has the files of the package that are in git, its metadata, and nothing else."""
    info = f"evenhand-{version}.dist-info"
    own = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", f"sboms/{SBOM}")
    package = {name.removeprefix("src/") for name in tracked if name.startswith("src/evenhand/")}
    _compare("the wheel", wheel.namelist(), package | {f"{info}/{name}" for name in own})
    if wheel.read(f"{info}/sboms/{SBOM}") != (ROOT / SBOM).read_bytes():
        raise ReleaseError(f"the SBOM in the wheel differs from {SBOM}.")


def check_sdist(names: Iterable[str], tracked: Iterable[str], version: str) -> None:
    """A source archive has every file that is in git, its metadata, and nothing else."""
    _compare("the source archive", names, {f"evenhand-{version}/{name}" for name in (*tracked, "PKG-INFO")})


def _compare(place: str, names: Iterable[str], expected: Iterable[str]) -> None:
    stray, missing = sorted({*names} - {*expected}), sorted({*expected} - {*names})
    if stray:
        raise ReleaseError(f"{place} has {len(stray)} stray files, such as {stray[0]}.")
    if missing:
        raise ReleaseError(f"{place} lacks {len(missing)} files, such as {missing[0]}.")


def _build_twice(folder: Path) -> tuple[Path, Path]:
    """Wheel and source archive, built twice with equal bytes. The second time, folder, permissions, time zone, hashes
    and the order of files differ. The wheel that is built from the source archive must have equal bytes, too."""
    epoch = _git("log", "-1", "--format=%ct").strip()
    files = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    first, second, third = folder / "first", folder / "second" / "of another depth", folder / "from sdist"
    kinds = ("--wheel", "--sdist")
    for source, order in ((first, 1), (second, -1)):
        source.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            for member in archive.getmembers()[::order]:
                archive.extract(member, source, filter="data")
    for path in second.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
    packages = _build(first, kinds, {"SOURCE_DATE_EPOCH": epoch, "TZ": "UTC", "PYTHONHASHSEED": "1"})
    others = _build(second, kinds, {"SOURCE_DATE_EPOCH": epoch, "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2"})
    wheel, sdist = packages
    with tarfile.open(sdist) as archive:
        archive.extractall(third, filter="data")
    (unpacked,) = third.iterdir()
    others += _build(unpacked, ("--wheel",), {"SOURCE_DATE_EPOCH": epoch})
    for package, other in zip((*packages, wheel), others, strict=True):
        if package.read_bytes() != other.read_bytes():
            raise ReleaseError(f"two builds of {package.name} differ: {package}, {other}.")
        print(f"{_sha256(package)}  {_sha256(other)}  {package.name}")
    _report("reproducible", f"two builds have equal bytes (SOURCE_DATE_EPOCH={epoch}), also the wheel from the archive")
    return wheel, sdist


def _build(source: Path, kinds: Iterable[str], environment: Mapping[str, str]) -> list[Path]:
    """Packages of a source tree, built by the tools of this environment, whose versions are pinned in the Makefile."""
    target = source / "dist"
    command = (sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", target)
    _run(*command, folder=source, environment=environment)
    return sorted(target.iterdir(), key=lambda package: package.suffix != ".whl")


def _try_packages(wheel: Path, sdist: Path, folder: Path) -> None:
    """Run all demos with the lowest versions of the dependencies and nothing else, then tests of the source archive."""
    environment, empty = folder / "environment", folder / "empty"
    _run(sys.executable, "-m", "venv", environment)
    empty.mkdir()
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    lowest = [each.replace(">=", "==") for each in _project()["dependencies"]]
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run(*install, wheel, *lowest)
    tasks = _run(python, "-c", "from evenhand.tasks.registry import TASKS; print(*TASKS)", folder=empty).split()
    for task in tasks:
        _run(python, "-m", "evenhand", "demo", "--task", task, folder=empty)
    _report("demos", f"{', '.join(tasks)}, with {', '.join(lowest)}")
    _run(*install, *lowest, *TEST_TOOLS)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "tested", filter="data")
    (unpacked,) = (folder / "tested").iterdir()
    # old versions of one package use deprecated functions of another
    tests = (
        "-m",
        "pytest",
        "-q",
        "-W",
        "ignore::DeprecationWarning",
        "-m",
        "not long and not heavy and not property",
        *SDIST_TESTS,
    )
    _report("tests of the source archive", _run(python, *tests, folder=unpacked).splitlines()[-1])


def _run(*command: str | Path, folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> str:
    """Output of a command, which must succeed. It imports installed packages only."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=inherited | {**(environment or {})},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if done.returncode:
        raise ReleaseError(f"a command failed: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def _git(*arguments: str) -> str:
    return _run("git", *arguments)


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def _version() -> str:
    name = "src/evenhand/__init__.py"
    (version,) = re.findall(VERSION_FILES[name], (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return str(version)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _report(step: str, finding: str) -> None:
    print(f"ok  {step}: {finding}", flush=True)


if __name__ == "__main__":
    main()
