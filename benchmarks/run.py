"""`make bench`: Evenhand side by side with its peers, on the same files, as ratios in one run.

Machines are noisy, so absolute times mean little; contenders take turns, and the ratio of medians is what counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import corpus

HERE = Path(__file__).parent
ROUNDS = 3


@dataclass(frozen=True)
class Promise:
    """A ratio that Evenhand promises: `slow` takes at least (or at most) so many times what `fast` takes."""

    what: str
    slow: str
    fast: str
    floor: float | None = None
    ceiling: float | None = None


PROMISES = (
    Promise("file to report, seqeval : exact + fair", "seqeval", "evenhand", floor=40),
    Promise("file to report, nervaluate : exact + fair", "nervaluate", "evenhand", floor=25),
    Promise("file to report, seqscore : exact + fair", "seqscore", "evenhand"),
    Promise("file to report, conlleval loop : exact", "conlleval-loop", "evenhand-exact", floor=5),
    Promise("lists to report, seqeval : exact + fair", "seqeval-lists", "evenhand-lists", floor=15),
    Promise("JSON lines to layer, json.loads : Evenhand", "json-loads", "evenhand-jsonl", floor=3),
    Promise("rank of 16 systems, 1,000 resamples : score of one", "evenhand-rank", "evenhand-four", ceiling=12),
    Promise("CPU per token, 10 million : 1 million", "evenhand-10M", "evenhand", ceiling=1.25),
    Promise("file to 13 metrics of CoNLL 2018, udtools : Evenhand", "udtools", "evenhand-conll18", floor=10),
    Promise("the same, CPU per word, 4 million : 1 million", "evenhand-conll18-4M", "evenhand-conll18", ceiling=1.25),
    Promise("time of `evenhand --help` : `import click`", "help", "import-click", ceiling=2),
)


def main() -> None:
    data = HERE / "data"
    print("making the corpora ...", file=sys.stderr)
    million = [str(path) for path in corpus.write(data, 1_000_000)]
    ten_million = [str(path) for path in corpus.write(data, 10_000_000)]
    json_lines = str(corpus.write_json_lines(data, 50_000))
    published = Path(os.environ.get("EVENHAND_DATA", HERE.parent.parent / "shared" / "data"))
    repeated = corpus.write_repeated(data, published)
    treebanks = [corpus.write_treebank(data, published, times) for times in (47, 189)]
    seconds: dict[str, list[float]] = {}
    f1: dict[str, float] = {}
    peak: dict[str, float] = {}
    for turn in range(ROUNDS):
        for name in ("evenhand", "evenhand-exact", "evenhand-lists", "conlleval-loop"):
            _run(name, million, seconds, f1, peak, repeat=3)
        slow = ("seqscore", "nervaluate", "seqeval", "seqeval-lists")
        for name in slow if turn == 0 else ():
            _run(name, million, seconds, f1, peak)
        for name in ("evenhand-jsonl", "json-loads") * 3:
            _run(name, [json_lines, json_lines], seconds, f1, peak, repeat=7)
        if repeated is not None:
            gold, systems = str(repeated[0]), [str(path) for path in repeated[1]]
            for system in systems[turn * 5 : turn * 5 + 5]:
                _run("evenhand-four", [gold, system], seconds, f1, peak, repeat=3)
            _run("evenhand-rank", [gold, str(repeated[0].parent)], seconds, f1, peak, repeat=2)
        _run("evenhand-10M", ten_million, seconds, f1, peak)
        for name, treebank in zip(("evenhand-conll18", "evenhand-conll18-4M"), treebanks, strict=True):
            if treebank is not None:
                _run(name, [str(path) for path in treebank], seconds, f1, peak, repeat=3)
        if turn == 0 and treebanks[0] is not None:
            _run("udtools", [str(path) for path in treebanks[0]], seconds, f1, peak)
        _start_up(seconds)
    per_million = {name: median(times) for name, times in seconds.items()}
    per_million["evenhand-10M"] /= 10
    if "udtools" in per_million:
        per_million["evenhand-conll18-4M"] *= 47 / 189
        _check_same({name: f1.pop(name) for name in ("evenhand-conll18", "udtools")})
    _check_same({name: f1.pop(name) for name in ("evenhand-jsonl", "json-loads")})
    for name in ("evenhand-four", "evenhand-rank"):
        f1.pop(name, None)
    _check_same(f1)
    measured = [promise for promise in PROMISES if promise.slow in per_million]
    if len(measured) < len(PROMISES):
        print("without the published data (EVENHAND_DATA), rankings and parsers are not measured", file=sys.stderr)
    table = [_row(promise, per_million) for promise in measured]
    _print(per_million, peak, table)
    (HERE / "results").mkdir(exist_ok=True)
    saved = {"seconds": per_million, "peak_mb": peak, "ratios": table}
    (HERE / "results" / "bench.json").write_text(json.dumps(saved, indent=2) + "\n")
    if not all(row["kept"] for row in table):
        sys.exit(1)


def _run(
    name: str,
    files: list[str],
    seconds: dict[str, list[float]],
    f1: dict[str, float],
    peak: dict[str, float],
    repeat: int = 1,
) -> None:
    print(f"  {name} ...", file=sys.stderr)
    contender = name.removesuffix("-10M").removesuffix("-4M")
    command = [sys.executable, str(HERE / "contenders.py"), contender, *files, str(repeat)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    # The first repetition warms caches up and is dropped where there are others.
    seconds.setdefault(name, []).extend(found["seconds"][1:] or found["seconds"])
    peak[name] = max(found["peak_mb"], peak.get(name, 0))
    if not name.endswith(("-10M", "-4M")):
        f1[name] = found["f1"]


def _start_up(seconds: dict[str, list[float]], times: int = 10) -> None:
    commands = {
        "import-click": [sys.executable, "-c", "import click"],
        "help": [str(Path(sys.executable).with_name("evenhand")), "--help"],
    }
    for _ in range(times):
        for name, command in commands.items():
            begin = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.setdefault(name, []).append(perf_counter() - begin)


def _check_same(f1: dict[str, float]) -> None:
    """All contenders must have done the same work: the same micro F1, or as many spans."""
    if max(f1.values()) - min(f1.values()) > 1e-5:
        sys.exit(f"the contenders disagree: {f1}")


def _row(promise: Promise, seconds: dict[str, float]) -> dict[str, Any]:
    ratio = seconds[promise.slow] / seconds[promise.fast]
    kept = ratio >= (promise.floor or 0) and ratio <= (promise.ceiling or float("inf"))
    wanted = f">= {promise.floor}" if promise.floor else f"<= {promise.ceiling}" if promise.ceiling else ""
    return {"what": promise.what, "ratio": ratio, "wanted": wanted, "kept": kept}


def _print(seconds: dict[str, float], peak: dict[str, float], table: list[dict[str, Any]]) -> None:
    print(f"{'contender':<20} {'CPU s / million tokens':>22} {'peak MB':>8}")
    for name, value in sorted(seconds.items(), key=lambda item: item[1]):
        if name in peak:
            print(f"{name:<20} {value:>22.3f} {peak[name]:>8.0f}")
    print()
    print(f"{'ratio':<52} {'measured':>9} {'wanted':>8}")
    for row in table:
        mark = "" if row["kept"] else "  MISSED"
        print(f"{row['what']:<52} {row['ratio']:>9.2f} {row['wanted']:>8}{mark}")


if __name__ == "__main__":
    main()
