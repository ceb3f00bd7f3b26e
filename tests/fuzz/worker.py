"""Runs some cases in one process: `python worker.py SEED FIRST LAST FOLDER`, with the folder of these tests in PYTHONPATH.

What went wrong is printed as a JSON line a case, and its files stay. `FOLDER/current` says which case runs: where the
process dies, that is the one.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import sys
import time
import traceback
import warnings
from pathlib import Path

from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from fuzz.cases import ITSELF, Case, Cases
from fuzz.seeds import NAMED_TASKS, write
from peaks import peak

SECONDS = 10
"""How much time of the processor a case may take."""
MEGABYTES = 500
_MOST = 8 << 30
"""How many bytes a process may ask for, so that a case that wants them all does no harm to others."""
_SILENCE = 60
"""After how many seconds a case is taken to hang, on a machine that may have other work."""


def problem_of(case: Case, at_first: float) -> str | None:
    """What goes wrong in a case, which runs in the folder with its files; the process had so many MB at first."""
    started, before = time.process_time(), peak()
    try:
        if case.loads:
            problem = _load(case.loads)
        elif case.arguments[0] == ITSELF:
            problem = _itself(*case.arguments[1:])
        else:
            problem = _run(case.arguments)
    except MemoryError:
        problem = f"more than {MEGABYTES} MB"
    except BaseException:
        problem = traceback.format_exc()
    if problem is None and time.process_time() - started > SECONDS:
        problem = f"{time.process_time() - started:.0f} s"
    if problem is None and peak() > max(before, at_first + MEGABYTES):
        problem = f"{peak() - at_first:.0f} MB"
    return problem


def _load(kind: str) -> str | None:
    try:
        loaded = getattr(eh, kind).from_json(Path("saved.json"))
        str(loaded)
    except eh.EvenhandError as error:
        return problem_of_message(str(error))
    return None


def _itself(path: str, task: str, form: str) -> str | None:
    """A file scored against itself has no errors."""
    try:
        annotation = eh.read(path, format=form or None, task=task if task in NAMED_TASKS else None)
        result = eh.score(annotation, annotation)
    except eh.EvenhandError as error:
        return problem_of_message(str(error))
    exact = next((model for model in ("exact", "all", "strict") if model in result.scores), None)
    if exact is not None:
        overall = result[exact].overall
        is_right = overall.counts.get("FP", 0) == overall.counts.get("FN", 0) == 0
    elif (whole := next((model for model in ("mentions", "labeled") if model in result.scores), None)) is None:
        overall = result["las" if "las" in result.scores else "accuracy"].overall
        is_right = overall["correct"] == overall["gold"] == overall["system"]
    else:
        f1 = result[whole].f1  # undefined if the file has no unit
        is_right = f1 in (0.0, 1.0) or f1 != f1
    return None if is_right else f"errors against itself: {result}"


def _run(arguments: tuple[str, ...]) -> str | None:
    result = CliRunner().invoke(main, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception))
    allowed = {"check": (0, 1, 2), "gate": (0, 1, 2)}.get(arguments[0], (0, 2))
    if result.exit_code not in allowed:
        return f"status {result.exit_code}: {result.stderr}"
    if result.exit_code != 2:
        return None
    *readings, message = result.stderr.splitlines(keepends=True) or [""]
    if not message.startswith("evenhand: ") or any(line.startswith("evenhand: ") for line in readings):
        return f"no single sentence: {result.stderr}"
    return problem_of_message(message)


def problem_of_message(message: str) -> str | None:
    if "\n" in message.rstrip("\n"):
        return f"several lines: {message}"
    return f"a message of {len(message)} characters: {message}" if len(message) > 1000 else None


def run(seed: int, first: int, last: int, folder: Path) -> None:
    cases, at_first = Cases(seed), peak()
    for number in range(first, last):
        case = cases[number]
        (folder / "current").write_text(f"{number} {json.dumps(case.arguments or case.loads)}")
        path = folder / str(number)
        path.mkdir()
        write(path, case.files)
        os.chdir(path)
        faulthandler.dump_traceback_later(_SILENCE, exit=True)
        problem = problem_of(case, at_first)
        faulthandler.cancel_dump_traceback_later()
        os.chdir(folder)
        if problem is None:
            shutil.rmtree(path)
        else:
            row = {"number": number, "command": case.arguments or case.loads, "problem": problem[-3000:]}
            sys.__stdout__.write(json.dumps(row) + "\n")  # type: ignore[union-attr]
            sys.__stdout__.flush()  # type: ignore[union-attr]
    (folder / "current").write_text("")


if __name__ == "__main__":
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (_MOST, resource.RLIM_INFINITY))
    run(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
