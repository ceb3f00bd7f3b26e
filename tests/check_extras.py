"""Check that pip can install Evenhand with every extra on all supported versions of Python (`make check-extras`).

pip resolves the requirements of each version without installing anything (`pip install --dry-run --python-version`). It
evaluates environment markers for the running Python, so this script evaluates the markers of pyproject.toml itself and
passes only the requirements that apply.

A requirement without a distribution fails the check. A package index that cannot be reached, or not in time, does not:
the versions that were not checked are listed, and the exit status is 0.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSIONS = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
SECONDS = 600
"""Time limit for each version of Python."""
NETWORK = re.compile(
    r"Retrying \(|Could not fetch URL|ConnectionError|ConnectTimeout|ReadTimeout|NameResolution|ProxyError|SSLError|"
    r"HTTPError|Network is unreachable|connection (?:broken|aborted|reset)|timed out",
    re.IGNORECASE,
)
"""Signs in pip's output that the package index could not be reached."""
Install = Callable[[str, Iterable[str]], tuple[int, str]]
"""Exit status and output of pip for a version of Python and some requirements."""


def requirements(version: str, extra: str | None) -> list[str]:
    """Requirements of an extra, or of Evenhand itself, that apply to a version of Python."""
    listed = PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]
    environment = {"python_version": version, "python_full_version": f"{version}.0"}
    all_requirements = []
    for requirement in map(Requirement, listed):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            requirement.marker = None
            all_requirements.append(str(requirement))
    return all_requirements


def pip(version: str, wanted: Iterable[str]) -> tuple[int, str]:
    """Let pip resolve requirements for a version of Python."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-input", "--timeout", "30"]
        command += ["--retries", "2", "--disable-pip-version-check", "--only-binary=:all:", "--target", folder]
        try:
            done = subprocess.run(
                [*command, "--python-version", version, *wanted],
                check=False,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return 1, f"pip timed out after {SECONDS} seconds"
    return done.returncode, done.stderr


def check(version: str, install: Install = pip) -> Iterator[tuple[bool, str]]:
    """Yield one finding for a version of Python, or one per extra that fails, and whether the check passes."""
    extras = [None, *PROJECT["optional-dependencies"]]
    status, output = install(version, [each for extra in extras for each in requirements(version, extra)])
    if status == 0:
        yield True, f"Python {version}: pip can install all extras ({', '.join(extras[1:])})."
        return
    if NETWORK.search(output):
        yield True, f"Python {version}: NOT CHECKED, because the package index could not be reached."
        return
    together, alone = _errors(output), dict[str, tuple[bool, str]]()
    for extra in extras:
        name = _name(extra)
        status, output = install(version, requirements(version, extra))
        if status and NETWORK.search(output):
            alone[name] = True, f"Python {version}: {name} NOT CHECKED, because the package index could not be reached."
        elif status:
            alone[name] = False, f"Python {version}: pip cannot install {name}.\n{_errors(output)}"
    yield from alone.values()
    if not alone:
        yield False, f"Python {version}: pip can install each extra, but not all of them together.\n{together}"


def _name(extra: str | None) -> str:
    return "evenhand" if extra is None else f"evenhand[{extra}]"


def _errors(output: str) -> str:
    lines = [line for line in output.splitlines() if "WARNING" not in line]
    return "\n".join(f"  {line}" for line in lines[-5:])


def main() -> int:
    passed = True
    with ThreadPoolExecutor() as pool:
        for findings in pool.map(lambda version: list(check(version)), VERSIONS):
            for passes, finding in findings:
                passed &= passes
                sys.stdout.write(f"{finding}\n")
                sys.stdout.flush()
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
