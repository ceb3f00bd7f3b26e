"""Coverage by room: lines and branches that the tests execute, and the thresholds (`make coverage`).

`python tests/quality/rooms.py` reads build/coverage/coverage.json, prints a table and the uncovered lines of the judged
rooms, and fails if a share of lines is below its threshold.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "evenhand"
JUDGED = ("scoring", "scorers", "statistics", "alignment", "gate")
"""The rooms that compute figures; mutants are made of their modules."""
LEAST_JUDGED, LEAST = 0.97, 0.95
"""Minimum share of lines in each judged room, and in all rooms together."""
_NOT_SCORERS = ("registry.py", "tables.py", "task.py")
"""Modules of tasks that declare or show and compute no counts."""


def room(path: str) -> str:
    """Return the room of a module by its path in src/evenhand. Scorers and the gate are rooms by themselves."""
    folder, _, name = path.rpartition("/")
    if path == "api/gate.py":
        return "gate"
    if folder.startswith("tasks"):
        return "tasks" if name in _NOT_SCORERS else "scorers"
    return folder.partition("/")[0] or "ground floor"


def judged_modules() -> list[Path]:
    """Return the modules of the judged rooms, in order."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if room(path.relative_to(SOURCE).as_posix()) in JUDGED]


def counts_by_room(files: Mapping[str, Mapping[str, int]]) -> dict[str, Counter[str]]:
    """Add up the summaries of coverage.py by room, in order of names, with those of all rooms last."""
    rooms: dict[str, Counter[str]] = {}
    for path, summary in files.items():
        for name in (room(path), "all"):
            rooms.setdefault(name, Counter()).update(summary)
    return {name: rooms[name] for name in sorted(rooms, key=lambda name: (name == "all", name))}


def share_of_lines(counts: Mapping[str, int]) -> float:
    return counts["covered_lines"] / counts["num_statements"] if counts["num_statements"] else 1.0


def failures(rooms: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return one sentence per threshold that is not reached."""
    limits = {**dict.fromkeys(JUDGED, LEAST_JUDGED), "all": LEAST}
    return [
        f"expected at least {limit:.0%} of the lines of {name}, got {share_of_lines(rooms[name]):.1%}"
        for name, limit in limits.items()
        if share_of_lines(rooms[name]) < limit
    ]


def table(rooms: Mapping[str, Mapping[str, int]]) -> str:
    lines = [f"{'room':<14}{'lines':>8}{'covered':>9}{'branches':>10}{'covered':>9}"]
    for name, counts in rooms.items():
        branches = counts["num_branches"]
        taken = f"{counts['covered_branches'] / branches:.1%}" if branches else "-"
        lines.append(f"{name:<14}{counts['num_statements']:>8}{share_of_lines(counts):>9.1%}{branches:>10}{taken:>9}")
    return "\n".join(lines)


def ranges(numbers: list[int]) -> str:
    """Return line numbers as ranges: `3, 7-9`."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{group[0]}-{group[-1]}" if len(group) > 1 else str(group[0]) for group in groups)


def main() -> int:
    report = json.loads((ROOT / "build" / "coverage" / "coverage.json").read_text())
    files = {Path(name).relative_to("src/evenhand").as_posix(): each for name, each in report["files"].items()}
    keys = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    rooms = counts_by_room({path: {key: each["summary"][key] for key in keys} for path, each in files.items()})
    for path, each in sorted(files.items()):
        if each["missing_lines"] and room(path) in JUDGED:
            print(f"src/evenhand/{path}: {ranges(each['missing_lines'])}")
    print(table(rooms))
    missed = failures(rooms)
    print("\n".join(missed), file=sys.stderr, end="\n" if missed else "")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
