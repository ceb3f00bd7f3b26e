"""The numbers version: in every signature, and required by `--numbers` and `numbers`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE
from evenhand import versions
from evenhand.cli import main

GOLD, CRF, TAGGER, SCORED = (
    str(EXAMPLE / name) for name in ("gold.conll", "crf.conll", "tagger.conll", "scored.jsonl")
)
FAST = ("--resamples", "0", "--trials", "0")
COMMANDS = {
    "score": (GOLD, CRF),
    "errors": (GOLD, CRF, "--as", "csv"),
    "rank": (GOLD, CRF, TAGGER, "--resamples", "0"),
    "compare": (GOLD, CRF, TAGGER, *FAST),
    "agree": (GOLD, CRF, "--resamples", "0"),
    "gate": (GOLD, CRF, "--floor", "fair=0.1"),
    "confidence": (GOLD, SCORED, "--resamples", "0"),
    "accept": (GOLD, SCORED, "--risk", "0.2"),
    "causes": (GOLD, CRF, "--of", "sentences"),
    "power": (GOLD, CRF, TAGGER, "--by-sentence"),
    "suspects": (GOLD, CRF, TAGGER),
}
"""Commands that compute figures, with the least arguments."""
NEWER = (
    f"numbers is 2, but Evenhand {eh.__version__} computes numbers version 1; install a newer Evenhand, "
    "or remove numbers."
)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, arguments, prog_name="evenhand")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_with_this_numbers_version_is_unchanged(command: str) -> None:
    arguments = (command, *COMMANDS[command], "--quiet")
    required = run(*arguments, "--numbers", "1")
    assert required.exit_code == 0
    assert required.stdout == run(*arguments).stdout
    assert f"evenhand:{eh.__version__}|numbers:1|task:spans|" in required.stdout


@pytest.mark.parametrize("command", [*COMMANDS, "merge", "germeval", "leaderboard", "report"])
def test_a_command_refuses_another_numbers_version(command: str) -> None:
    result = run(command, "--numbers", "2")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {NEWER}\n")


FUNCTIONS: dict[str, Callable[[int], Any]] = {
    "score": lambda numbers: eh.score(GOLD, CRF, numbers=numbers),
    "compare": lambda numbers: eh.compare(GOLD, [CRF, TAGGER], numbers=numbers, resamples=0, trials=0),
    "rank": lambda numbers: eh.rank(GOLD, [CRF, TAGGER], numbers=numbers, resamples=0),
    "gate": lambda numbers: eh.gate(GOLD, candidate=CRF, floor={"fair": 0.1}, numbers=numbers),
    "summarize": lambda numbers: eh.summarize(GOLD, [CRF, TAGGER], numbers=numbers, resamples=0, trials=0),
    "agree": lambda numbers: eh.agree([GOLD, CRF], numbers=numbers, resamples=0),
    "confidence": lambda numbers: eh.confidence(GOLD, SCORED, numbers=numbers, resamples=0),
    "accept": lambda numbers: eh.accept(GOLD, SCORED, risk=0.2, numbers=numbers),
    "causes": lambda numbers: eh.causes(GOLD, CRF, of="sentences", numbers=numbers),
    "power": lambda numbers: eh.power(GOLD, CRF, TAGGER, of="sentences", numbers=numbers),
    "suspects": lambda numbers: eh.suspects(GOLD, [CRF, TAGGER], numbers=numbers),
    "errors": lambda numbers: eh.errors(GOLD, CRF, numbers=numbers),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_the_numbers_version(name: str) -> None:
    assert FUNCTIONS[name](1).signature.startswith(f"evenhand:{eh.__version__}|numbers:1|task:spans|")
    with pytest.raises(eh.SettingError, match=f"^{re.escape(NEWER)}$"):
        FUNCTIONS[name](2)


@pytest.mark.parametrize("value", [0, -1, True])
def test_odd_numbers_versions_are_refused(value: int) -> None:
    with pytest.raises(eh.SettingError, match="it must be a whole number, 1 or more"):
        eh.score(GOLD, CRF, numbers=value)


def test_a_former_numbers_version_names_the_versions_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "FIRST_RELEASES", {1: "0.1.0", 2: "0.3.0", 3: "0.4.0"})
    monkeypatch.setattr(versions, "NUMBERS", 3)
    result = run("score", GOLD, CRF, "--numbers", "2")
    message = (
        f"numbers is 2, but Evenhand {eh.__version__} computes numbers version 3; install evenhand>=0.3.0,<0.4.0, "
    )
    assert (result.exit_code, result.stderr) == (2, f"evenhand: {message}or remove numbers.\n")
    assert eh.score(GOLD, CRF, numbers=3).signature.startswith(f"evenhand:{eh.__version__}|numbers:3|")


def test_a_signature_without_a_numbers_version_has_the_first_one() -> None:
    assert versions.numbers_of("evenhand:0.1.0|task:spans") == "1"
    assert versions.numbers_of("evenhand:0.9.0|numbers:4|task:spans") == "4"


def test_the_numbers_version_is_that_of_a_release() -> None:
    def parts(version: str) -> list[int]:
        return list(map(int, version.split(".")))

    assert list(versions.FIRST_RELEASES) == list(range(1, versions.NUMBERS + 1))
    releases = [parts(release) for release in versions.FIRST_RELEASES.values()]
    assert releases == sorted(releases)


def test_counts_are_kept_by_numbers_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache does not return counts of another numbers version."""
    engine = eh.engines.cached(tmp_path)
    first = eh.score(GOLD, CRF, engine=engine)
    kept = set(tmp_path.rglob("*"))
    monkeypatch.setattr(versions, "NUMBERS", 2)
    assert eh.score(GOLD, CRF, engine=engine)["fair"].f1 == first["fair"].f1
    assert len([path for path in tmp_path.rglob("*") if path.is_file() and path not in kept]) == 1
