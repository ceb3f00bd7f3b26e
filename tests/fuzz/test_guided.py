"""Targets of coverage-guided fuzzing: their seeds are no findings, and anything but a documented error is one."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from fuzz import guided

SEEDS = guided.seeds_of_targets()


@pytest.mark.parametrize("name", list(guided.targets()))
def test_seeds_are_no_findings(name: str) -> None:
    run = guided.targets()[name]()
    assert SEEDS[name]
    for content in SEEDS[name][:5]:
        assert guided.problem_of(run, content) is None


def fails(error: Exception) -> guided.Run:
    def run(data: bytes) -> None:
        guided.accepted(lambda: (_ for _ in ()).throw(error))

    return run


def test_only_errors_of_one_sentence_are_documented() -> None:
    assert guided.problem_of(fails(eh.InputError("x.conll", 3, "this is wrong", "mend it")), b"") is None
    assert "KeyError" in str(guided.problem_of(fails(KeyError("x")), b""))
    assert "several lines" in str(guided.problem_of(fails(eh.SettingError("one\ntwo")), b""))


def test_a_finding_is_kept_once_with_its_shortest_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided, "ROOT", tmp_path)
    monkeypatch.setattr(guided, "FOLDER", tmp_path / "build" / "fuzz")
    problem = str(guided.problem_of(fails(KeyError("x")), b""))
    paths = {guided.note("weights", content, problem) for content in (b"long", b"x", b"longer")}
    (path,) = paths
    assert path.read_bytes() == b"x"
    command = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()[0]
    assert command == f"python tests/fuzz/guided.py --target weights --input build/fuzz/findings/weights/{path.name}"
