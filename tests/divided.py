"""Work in parts, one after the other in this process: what several processes do, without them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.pipeline.partition import Joining, parts
from evenhand.pipeline.run import Job, Run, serial
from evenhand.settings import ReadSettings


class Divided:
    """An engine that divides even the smallest files; the more `jobs`, the more parts there are."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.parts = 0
        self.whole = False
        """Whether the parts did not fit together."""

    def __call__(self, work: Job) -> Run:
        try:
            joining = Joining(work)
            for part in parts(work, self.jobs, smallest=1):
                sent = pickle.loads(pickle.dumps(part))
                joining.add(pickle.loads(pickle.dumps(sent.run())))
                self.parts += 1
            return joining.finish()
        except eh.EvenhandError:
            self.whole = True
            return serial(work)


def check_same(gold: Any, systems: Any, jobs: int, **options: Any) -> Divided:
    """The results of a run in parts are those of a run in one go: all figures, notes and tallies."""
    engine = Divided(jobs)
    expected = eh.score(gold, systems, **options)
    found = eh.score(gold, systems, **options, engine=engine)
    assert found.to_json() == expected.to_json()
    pairs = zip(results(expected), results(found), strict=True)
    for one, other in pairs:
        assert one.tallies == other.tallies
        assert one.notes == other.notes
    return engine


@contextmanager
def small_blocks(size: int) -> Iterator[pytest.MonkeyPatch]:
    """Read files in blocks of this many bytes."""
    defaults, usual = ReadSettings.__init__.__defaults__ or (), ReadSettings().block_size
    with pytest.MonkeyPatch.context() as patch:
        changed = tuple(size if value == usual else value for value in defaults)
        patch.setattr(ReadSettings.__init__, "__defaults__", changed)
        yield patch


def results(found: eh.Result | eh.Results) -> list[eh.Result]:
    return list(found.values()) if isinstance(found, eh.Results) else [found]


def write(folder: Path, name: str, lines: Sequence[str], end: str = "\n", begin: str = "") -> Path:
    path = folder / name
    path.write_bytes((begin + "".join(f"{line}{end}" for line in lines)).encode())
    return path
