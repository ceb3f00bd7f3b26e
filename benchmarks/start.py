"""What it takes to start: help beside `import click`, and a score of a small file beside `import numpy`."""

from __future__ import annotations

import sys
from pathlib import Path

from relations import timed

SMALL = "EU\tB-ORG\nrejects\tO\nGerman\tB-MISC\ncall\tO\n\nPeter\tB-PER\nBlackburn\tI-PER\n"
_COMMAND = "from evenhand.cli import main; main()"


def measure(folder: Path) -> dict[str, float]:
    """CPU seconds of whole processes."""
    folder.mkdir(parents=True, exist_ok=True)
    gold, system = folder / "small-gold.tsv", folder / "small-system.tsv"
    gold.write_text(SMALL)
    system.write_text(SMALL.replace("B-MISC", "B-ORG"))
    score = ["-c", _COMMAND, "score", str(gold), str(system)]
    programs = {
        "import-click": ["-c", "import click"],
        "help": ["-c", _COMMAND, "--help"],
        "import-numpy": ["-c", "import numpy"],
        "score-small": score,
        "score-small-json": [*score, "--as", "json"],
    }
    return {name: timed([sys.executable, *program])[0] for name, program in programs.items()}
