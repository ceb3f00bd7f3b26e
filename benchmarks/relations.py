"""Relations of eHealth-KD 2020 under all match models, with the start of the process, beside the plain loop.

The official scorer is in no registry, so that `ehealthkd_loop.py` stands in for it. It gives one score instead of six,
no verdicts and no errors by line, and needs no libraries.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

HERE = Path(__file__).parent
MODELS = "strict,boundaries,dygie,relaxed,fair,ehealthkd"
NAMES = ("evenhand-relations", "ehealthkd-loop")


def measure(published: Path) -> dict[str, tuple[float, float]] | None:
    """CPU seconds with the start, and the F1 of eHealth-KD, of both contenders; None without the published data."""
    folder = published / "relations" / "ehealthkd-2020"
    files = [str(folder / run / "scenario1-main" / "scenario.ann") for run in ("gold", "Talp-UPC/run1")]
    if not all(map(os.path.exists, files)):
        return None
    evenhand = [sys.executable, "-c", "from evenhand.cli import main; main()", "score", *files, "--task", "relations"]
    evenhand += ["--sentences", "lines", "--unannotated", "skip", "--match", MODELS, "--as", "json", "-q"]
    seconds, output = timed(evenhand)
    (system,) = json.loads(output)["systems"]
    loop, printed = timed([sys.executable, str(HERE / "ehealthkd_loop.py"), *files])
    f1 = system["scores"]["ehealthkd"]["overall"]["f1"]
    return dict(zip(NAMES, ((seconds, f1), (loop, float(printed))), strict=True))


def timed(command: list[str]) -> tuple[float, str]:
    """The CPU seconds of a process, and what it prints."""
    before = getrusage(RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output
