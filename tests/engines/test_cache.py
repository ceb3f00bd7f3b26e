"""Counts that are kept by file: the same results, and only changed files are scored."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.tasks.registry import TASKS
from shards import cut_example, units


def scored(report: str) -> tuple[int, int]:
    """The number of pairs that were scored, and of all pairs."""
    numbers = re.fullmatch(r"Cache: scored (\d+) of (\d+) pairs? of files; the others have not changed\.", report)
    assert numbers is not None, report
    return int(numbers[1]), int(numbers[2])


class Cached:
    """Scores with a cache, and compares with a score without one."""

    def __init__(self, folder: Path) -> None:
        self.reports: list[str] = []
        self.engine = eh.engines.cached(folder, report=self.reports.append)

    def __call__(self, gold: Any, systems: Any, **options: Any) -> tuple[int, int]:
        found = eh.score(gold, systems, **options, engine=self.engine)
        assert found.to_json() == eh.score(gold, systems, **options).to_json()
        return scored(self.reports[-1])


@pytest.mark.parametrize("task", list(TASKS))
def test_a_file_is_scored_once(task: str, tmp_path: Path) -> None:
    _, (gold, systems) = cut_example(task, tmp_path, seed=0)
    cached, pairs = Cached(tmp_path / "cache"), 3 * len(systems)
    if isinstance(gold, Path):
        pairs = len(systems)
    assert cached(gold, systems, task=task) == (pairs, pairs)
    assert cached(gold, systems, task=task) == (0, pairs)
    summary = eh.summarize(gold, systems, task=task, engine=cached.engine, resamples=20)
    assert scored(cached.reports[-1]) == (0, pairs)
    assert summary.to_json() == eh.summarize(gold, systems, task=task, resamples=20).to_json()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, dict[str, Path]]:
    cut_example("spans", tmp_path, seed=1)
    return tmp_path / "gold", {name: tmp_path / name for name in ("crf", "tagger")}


def test_only_what_changed_is_scored(folders: tuple[Path, dict[str, Path]], tmp_path: Path) -> None:
    gold, systems = folders
    cached = Cached(tmp_path / "cache")
    assert cached(gold, {"crf": systems["crf"]}) == (3, 3)
    assert cached(gold, systems) == (3, 6)
    file = systems["crf"] / "1.conll"
    first = units(file)[0]
    file.write_text(file.read_text().replace(first, re.sub(r"\S+$", "O", first, flags=re.MULTILINE), 1))
    assert cached(gold, systems) == (1, 6)
    assert cached(gold, systems, match="exact,fair,ts") == (6, 6)
    assert cached(gold, systems, repair="discard") == (6, 6)


def test_damaged_counts_are_made_anew(folders: tuple[Path, dict[str, Path]], tmp_path: Path) -> None:
    gold, systems = folders
    cached = Cached(tmp_path / "cache")
    cached(gold, systems)
    for number, path in enumerate(sorted((tmp_path / "cache").iterdir())[:3]):
        path.write_bytes([b"", b"{}", path.read_bytes()[:100]][number])
    assert cached(gold, systems) == (3, 6)


def test_errors_are_those_of_a_run_without_a_cache(folders: tuple[Path, dict[str, Path]], tmp_path: Path) -> None:
    gold, systems = folders
    (systems["crf"] / "1.conll").write_text("one O\n")
    messages = []
    for engine in (None, eh.engines.cached(tmp_path / "cache")):
        with pytest.raises(eh.InputError) as error:
            eh.score(gold, systems, engine=engine)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_other_jobs_run_as_usual(folders: tuple[Path, dict[str, Path]], tmp_path: Path) -> None:
    gold, systems = folders
    reports: list[str] = []
    engine = eh.engines.cached(tmp_path / "cache", report=reports.append)
    sides = eh.read(gold / "0.conll"), eh.read(systems["crf"] / "0.conll")
    assert eh.score(*sides, engine=engine).to_json() == eh.score(*sides).to_json()
    assert reports == ["Nothing was taken from the cache: the files of this job cannot be scored one by one."]
    (tmp_path / "file").write_text("")
    with pytest.raises(
        eh.InputError, match=r"file/cache: cannot be created \(not a directory\); choose another folder"
    ):
        eh.score(gold, systems, engine=eh.engines.cached(tmp_path / "file" / "cache"))
