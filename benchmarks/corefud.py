"""CorefUD: GUM ten times, scored by head match under all measures, and a plain program that does the same.

The scorer of CorefUD is in no registry. A program that follows its definitions word by word, with plain objects and
SciPy's assignment, stands in for it: `tests/slow_corefud.py`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from time import process_time

TIMES = 10
_SIDES = {"key": ("gum-a.key", "gum-b.key"), "response": ("gum-a-2.response", "gum-b-2.response")}
_TESTS = Path(__file__).parent.parent / "tests"


def write_gum(data: Path, published: Path) -> tuple[Path, Path] | None:
    """Key and response, each ten times with documents of other names; None without the published data."""
    source = published / "shared_tasks" / "coref" / "gum"
    if not source.is_dir():
        return None
    data.mkdir(parents=True, exist_ok=True)
    paths = []
    for side, names in _SIDES.items():
        path = data / f"gum-{TIMES}-{side}.conllu"
        texts = [(source / name).read_text().rstrip("\n") + "\n\n" for name in names]
        copies = (_renamed("".join(texts), number) for number in range(TIMES))
        path.write_text("".join(copies))
        paths.append(path)
    return paths[0], paths[1]


def _renamed(text: str, number: int) -> str:
    return re.sub(r"^(# newdoc id = .*)$", rf"\1-{number}", text, flags=re.MULTILINE)


def evenhand_corefud(key: str, response: str) -> tuple[float, float]:
    """All scores, from files to the rendered report."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(key, [response], preset="crac2024")
    render(results)
    return process_time() - begin, next(iter(results.values()))["mela"].f1


def plain_corefud(key: str, response: str) -> tuple[float, float]:
    """The same scores but for ARCS, straight from the definitions."""
    sys.path.insert(0, str(_TESTS))
    import slow_corefud

    begin = process_time()
    sides = (slow_corefud.read_corefud(Path(path).read_text()) for path in (key, response))
    found = slow_corefud.scores(*sides, slow_corefud.Way("head", "dependent", singletons=False))
    return process_time() - begin, found["mela"].f1
