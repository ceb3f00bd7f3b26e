"""Saved results as they were: reads what `to_json` and `--as json` wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from evenhand.arguments import check_file, check_path
from evenhand.problems import InputError, SettingError
from evenhand.result.agreement import Agreement
from evenhand.result.agreement_figures import Figures
from evenhand.result.comparison import Comparison
from evenhand.result.load_scores import results_of
from evenhand.result.ranking import Ranking
from evenhand.result.result import Result, Results
from evenhand.result.saved_comparison import SavedComparison, comparison_of
from evenhand.result.saved_ranking import SavedRanking, ranking_of
from evenhand.result.schema import Head, SavedResults
from evenhand.tasks.registry import TASKS
from evenhand.version import __version__

Saved = TypeVar("Saved")
Loaded = TypeVar("Loaded")
_LOADED_BY = {
    "score": "Results.from_json",
    "rank": "Ranking.from_json",
    "compare": "Comparison.from_json",
    "agree": "Agreement.from_json",
}


def load_result(source: str | Path) -> Result:
    """The only result there is."""
    results = load_results(source)
    if len(results) > 1:
        many = f"the results of {len(results)} systems ({', '.join(results)})"
        raise SettingError(f"There are {many} in it; load them with Results.from_json.")
    return next(iter(results.values()))


def load_results(source: str | Path) -> Results:
    return _load(source, "score", SavedResults, results_of)


def load_ranking(source: str | Path) -> Ranking:
    return _load(source, "rank", SavedRanking, ranking_of)


def load_comparison(source: str | Path) -> Comparison:
    return _load(source, "compare", SavedComparison, comparison_of)


def load_agreement(source: str | Path) -> Agreement:
    return _load(source, "agree", Figures, Agreement)


def _load(source: str | Path, command: str, form: type[Saved], build: Callable[[Saved], Loaded]) -> Loaded:
    """What a command saved, in this form; what is wrong with it is one sentence."""
    name, text = _read(source)
    try:
        head = msgspec.json.decode(text, type=Head)
        _check(name, head, command)
        return build(msgspec.json.decode(text, type=form))
    except InputError:
        raise
    except KeyError as error:
        raise _broken(name, command, f"{error.args[0]!r} is missing") from None
    except (msgspec.MsgspecError, RecursionError, LookupError, TypeError, ValueError) as error:
        raise _broken(name, command, str(error).rstrip(".")) from None


def _read(source: str | Path) -> tuple[str, bytes]:
    """The name and the bytes of a file, or of a text that begins like JSON."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "the saved text", source.encode("utf-8", "surrogatepass")
    if not isinstance(source, str):
        check_file(source)
    check_path(str(source))
    try:
        return str(source), Path(source).read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(str(source), None, f"cannot be read ({reason})", "give a saved result, or its text") from None


def _check(name: str, head: Head, command: str) -> None:
    """Refuse results of other commands, and of versions that may have saved what this one does not know."""
    if head.command != command:
        loader = _LOADED_BY.get(head.command)
        remedy = f"load it with {loader}" if loader else f"give one of evenhand {command}"
        raise InputError(name, None, f"is a result of evenhand {head.command}, not of {command}", remedy)
    if _release(head.evenhand) > _release(__version__):
        finding = f"was saved by Evenhand {head.evenhand}, which is newer than this one ({__version__})"
        raise InputError(name, None, finding, "update Evenhand")
    if head.task is not None and head.task not in TASKS:
        finding = f"has the task {head.task!r}, which is not known here ({', '.join(TASKS)})"
        raise InputError(name, None, finding, "install the package that adds the task")


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at the end."""
    found = re.match(r"\d+(\.\d+)*", version)
    if found is None:
        raise ValueError(f"{version!r} is no version")
    return tuple(map(int, re.sub(r"(\.0+)+$", "", found[0]).split(".")))


def _broken(name: str, command: str, detail: str) -> InputError:
    remedy = f"give what evenhand {command} --as json or to_json wrote"
    return InputError(name, None, f"is no saved result of evenhand {command} ({detail})", remedy)
