"""Mutation testing: mutated modules are loaded from memory, and only code with an effect is mutated."""

from __future__ import annotations

import signal
from importlib import util
from pathlib import Path

import pytest

from quality import mutants
from quality.mutants import Mutant, MutatedModule, Outcome


def test_annotations_are_not_mutated() -> None:
    source = "def f(a: int | None, b=1 | 2) -> str | int:\n    x: 'é' | None = 3 | 4\n    return x\n"
    assert set(mutants.without_effect(source)) == {((1, 9), (1, 19)), ((1, 33), (1, 42)), ((2, 7), (2, 17))}


def test_a_mutated_module_is_loaded_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = Mutant("src/evenhand/scoring/prf.py", "", "", 0, 1)
    monkeypatch.setattr(mutants, "mutated", lambda mutant: "NAME = __name__")
    loader = MutatedModule(mutant)
    assert loader.find_spec("evenhand.scoring.tally") is None
    spec = loader.find_spec("evenhand.scoring.prf")
    assert spec is not None
    module = util.module_from_spec(spec)
    loader.exec_module(module)
    assert module.NAME == "evenhand.scoring.prf"
    assert Path(str(spec.origin)) == mutants.ROOT / mutant.path


class Recorded:
    """A recording with two tests of each line."""

    seconds = {"a": 1.0, "b": 2.0}  # noqa: RUF012

    def tests_of(self, path: str, line: int) -> list[str]:
        return ["a", "b"] if line else []


@pytest.mark.parametrize(
    ("runs", "outcome"),
    [
        ([(0, "")], Outcome(False, "", 2)),
        ([(1, "b"), (0, "")], Outcome(True, "b", 2)),
        ([(1, "a"), (1, "a"), (0, "")], Outcome(False, "", 2)),
        ([(4, ""), (0, "")], Outcome(True, "import", 2)),
        ([(-signal.SIGXCPU, "")], Outcome(True, "time limit", 2)),
        ([(-signal.SIGSEGV, "")], Outcome(True, "SIGSEGV", 2)),
    ],
    ids=["survived", "killed", "test-fails-without-mutant", "import", "time", "signal"],
)
def test_outcomes(runs: list[tuple[int, str]], outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    mutants.passes_alone.cache_clear()
    monkeypatch.setattr(mutants, "run", lambda *arguments: runs.pop(0))
    mutant = Mutant("src/evenhand/scoring/prf.py", "", "", 0, 1)
    assert mutants.outcome_of(mutant, Recorded()) == outcome  # type: ignore[arg-type]
    assert runs == []


def test_tests_that_never_start_kill_no_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    mutants.passes_alone.cache_clear()
    monkeypatch.setattr(mutants, "run", lambda *arguments: (4, ""))
    mutant = Mutant("src/evenhand/scoring/prf.py", "", "", 0, 1)
    with pytest.raises(SystemExit, match=r"do not start without a mutant; see build/mutants/output\.txt"):
        mutants.outcome_of(mutant, Recorded())  # type: ignore[arg-type]


def test_a_mutant_of_a_line_without_tests_survives() -> None:
    mutant = Mutant("src/evenhand/scoring/prf.py", "", "", 0, 0)
    assert mutants.outcome_of(mutant, Recorded()) == Outcome(False, "no test", 0)  # type: ignore[arg-type]
