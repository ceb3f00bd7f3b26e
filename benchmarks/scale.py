"""Two processes: their throughput beside that of two runs at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import corpus
from promises import bounded

SIZE = 20_000_000
ROUNDS = 5


def processes(folder: Path) -> list[dict[str, Any]]:
    """The throughput of two processes on one corpus, by that of two serial runs side by side on half of it each."""
    half, whole = corpus.write(folder, SIZE), corpus.write(folder, 2 * SIZE)
    ratios = []
    for _ in range(ROUNDS):
        side_by_side = _seconds(half, [], times=2)
        ratios.append(side_by_side / _seconds(whole, ["--jobs", "2"], times=1))
    ratio = sorted(ratios)[ROUNDS // 2]
    return [bounded("throughput of --jobs 2 : two serial runs at once", ratio, floor=0.85)]


def _seconds(files: tuple[Path, Path], options: list[str], times: int) -> float:
    """The time on the clock until so many runs that began together have ended."""
    program = str(Path(sys.executable).with_name("evenhand"))
    command = [program, "score", *map(str, files), "--as", "json", "--quiet", *options]
    begin = perf_counter()
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(times)]
    if any(process.wait() for process in started):
        sys.exit(f"failed: {' '.join(command)}")
    return perf_counter() - begin
