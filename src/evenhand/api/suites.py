"""Suites: TOML files that list data sets, each with a gold standard and systems. Also `cite`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.formats.paths import files_of, read_small_file
from evenhand.formats.storage import AnyPath, beside, to_path
from evenhand.parameters import SIDES, Kind, checked_arguments, split_names
from evenhand.pipeline.inputs import unique_names
from evenhand.registry import BibliographyEntry
from evenhand.report.methods import software, sources_of
from evenhand.scoring.measure import Measure
from evenhand.tasks.registry import TASKS, model, model_names, models_of, task_named


@checked_arguments()
def cite(match: str | Sequence[str] = (), *, task: str | None = None) -> str:
    """BibTeX entries for Evenhand and for the papers that define measures.

        >>> print(eh.cite("fair, lea"))

    If several tasks have a measure of this name, it is the first task's unless `task` is specified.
    """
    task = None if task is None else task_named(task)
    measures = {measure.name: measure for name in split_names(match) for measure in _models(name, task)}
    sources = {name: sources_of(measure) for name, measure in measures.items()}
    entries = {reference.key: reference.bibtex for source in sources.values() for reference in source}
    comments = "\n".join(_comment(measure, sources[name]) for name, measure in measures.items())
    return "\n\n".join(filter(None, (comments, software(), *entries.values()))) + "\n"


def _models(name: str, task: str | None) -> list[Measure]:
    """The measures of a name: of the task, or of the first task that has the name."""
    for candidate in [task] if task else TASKS:
        try:
            return [model(candidate, full_name) for full_name in model_names(candidate, [name])]
        except SettingError:
            if task:
                raise
    known = [measure.name for task in TASKS for measure in models_of(task)]
    raise SettingError(unknown(f"Unknown measure {name!r}", name, known, "see evenhand models"))


def _comment(measure: Measure, sources: Sequence[BibliographyEntry]) -> str:
    """The papers that define a measure; BibTeX treats text between entries as comments."""
    papers = ", ".join(source.label for source in sources) or "no paper is named"
    return f"% {measure.name} ({measure.task}): {papers}"


@dataclass(frozen=True)
class DataSet:
    """A named gold standard with systems, and the options for reading them."""

    name: str
    gold: AnyPath
    systems: Mapping[str, AnyPath]
    options: Mapping[str, Any]


def read_toml(path: AnyPath, purpose: str) -> dict[str, Any]:
    """The content of a TOML file; `purpose` names it in messages."""
    text = read_small_file(path, purpose)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers with thousands of digits and deep brackets
        reason = str(error).rstrip(".") if isinstance(error, tomllib.TOMLDecodeError) else "a value is too long or deep"
        raise SettingError(f"{path} is not a TOML file ({reason}).") from None


def suite(path: str | PathLike[str]) -> list[DataSet]:
    path = to_path(path)
    document = read_toml(path, "suite")
    entries = document.get("data")
    if not isinstance(entries, list) or not entries:
        raise SettingError(f"{path} has no data sets; write a table [[data]] for each, with gold and systems.")
    sets = [_data_set(path, number, entry) for number, entry in enumerate(entries, 1)]
    names = [data_set.name for data_set in sets]
    repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if repeated is not None:
        raise SettingError(f"{path} has two data sets called {repeated!r}; give them different names.")
    return sets


def _data_set(path: AnyPath, number: int, entry: object) -> DataSet:
    title = f"data set {number} of {path}"
    if not isinstance(entry, Mapping):
        raise SettingError(f"{title} is not a table; write [[data]], and its gold and systems below.")
    if "gold" not in entry or "systems" not in entry:
        raise SettingError(f"{title} has no {'gold' if 'gold' not in entry else 'systems'}.")
    check_keys(title, entry, _KEYS)
    gold, listed = beside(path, entry["gold"]), entry["systems"]
    if isinstance(listed, Mapping):
        systems = {name: beside(path, file) for name, file in listed.items()}
    else:
        pattern = beside(path, listed)
        files = [file for file in files_of(pattern) or [pattern] if file != gold]
        systems = dict(zip(unique_names(files), files, strict=True))
    if not systems:
        raise SettingError(f"{title} has no systems; systems is a pattern, or a table of names and files.")
    options = {key: value for key, value in entry.items() if key not in ("name", "gold", "systems")}
    return DataSet(entry.get("name", gold.stem), gold, systems, options)


def check_keys(title: str, entry: Mapping[str, Any], keys: Mapping[str, Kind]) -> None:
    """Refuse unknown keys of a table, and values of another kind."""
    for key, value in entry.items():
        if key not in keys:
            raise SettingError(f"{title} has the unknown key {key!r}; the keys are {', '.join(keys)}.")
        if not keys[key].fits(value):
            raise SettingError(f"{title} has the wrong kind of value for {key}; write {keys[key].expected}.")


def _is_column(value: object) -> bool:
    return TEXT.fits(value) or (isinstance(value, int) and not isinstance(value, bool))


def _are_columns(value: object) -> bool:
    return _is_column(value) or (isinstance(value, list) and all(map(_is_column, value)))


def _table(expected: str, of: Kind, keys: Collection[str] | None = None) -> Kind:
    """A table with values of one kind and, if specified, with these keys only."""
    return Kind(
        expected,
        lambda value: (
            isinstance(value, Mapping) and all(map(of.fits, value.values())) and (keys is None or {*value} <= {*keys})
        ),
    )


def _by_side(kind: Kind) -> Kind:
    return kind | _table("a table with gold and system", kind, SIDES)


TEXT = Kind("a text", lambda value: isinstance(value, str) and value != "")
TEXTS = Kind(
    'a list of strings such as "OLD=NEW"', lambda value: isinstance(value, list) and all(map(TEXT.fits, value))
)
READING_KEYS = {
    "task": TEXT,
    "format": _by_side(TEXT),
    "column": _by_side(Kind("a number or a name, a list of these", _are_columns)),
    "encoding": _by_side(TEXT),
    "align": TEXT,
    "map": _table("a table of old and new labels", TEXT) | TEXTS,
}
"""The keys of a data set that are options of `score`, and which values they have."""
_KEYS = {
    "name": TEXT,
    "gold": replace(TEXT, expected="the path of a file"),
    "systems": replace(TEXT, expected='a pattern such as "english/*.conll"')
    | _table("a table of names and files", TEXT),
    **READING_KEYS,
}
"""The keys of a data set, and which values they have."""
