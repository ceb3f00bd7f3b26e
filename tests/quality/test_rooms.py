"""Coverage by room: sums, shares and thresholds."""

from __future__ import annotations

from quality import rooms


def summary(lines: int, covered: int) -> dict[str, int]:
    return {"num_statements": lines, "covered_lines": covered, "num_branches": 4, "covered_branches": 1}


def test_scorers_are_the_modules_of_tasks_that_compute_counts() -> None:
    assert rooms.room("tasks/spans/fair.py") == "scorers"
    assert rooms.room("tasks/spans/task.py") == rooms.room("tasks/tables.py") == "tasks"
    assert rooms.room("api/gate.py") == "gate"
    assert rooms.room("api/score.py") == "api"
    assert rooms.room("errors.py") == "ground floor"


def test_every_judged_room_has_modules() -> None:
    paths = [path.relative_to(rooms.SOURCE).as_posix() for path in rooms.judged_modules()]
    assert {rooms.room(path) for path in paths} == set(rooms.JUDGED)
    assert "statistics/bootstrap.py" in paths
    assert "report/text.py" not in paths


def test_a_room_below_its_threshold_fails() -> None:
    paths = ("scoring/prf.py", "tasks/tags.py", "statistics/power.py", "alignment/parts.py", "api/gate.py")
    files = {path: summary(100, 97) for path in paths}
    assert rooms.failures(rooms.counts_by_room(files)) == []
    files["api/gate.py"] = summary(1000, 969)
    files["cli/score.py"] = summary(1000, 900)
    assert rooms.failures(rooms.counts_by_room(files)) == [
        "expected at least 97% of the lines of gate, got 96.9%",
        "expected at least 95% of the lines of all, got 94.0%",
    ]


def test_a_room_without_lines_is_covered() -> None:
    assert rooms.share_of_lines(summary(0, 0)) == 1


def test_uncovered_lines_are_shown_as_ranges() -> None:
    assert rooms.ranges([3, 7, 8, 9, 12]) == "3, 7-9, 12"


def test_the_table_ends_with_all_rooms() -> None:
    counts = rooms.counts_by_room({"scoring/prf.py": summary(50, 49), "cli/score.py": summary(50, 48)})
    assert rooms.table(counts).splitlines()[1:] == [
        "cli                 50    96.0%         4    25.0%",
        "scoring             50    98.0%         4    25.0%",
        "all                100    97.0%         8    25.0%",
    ]
