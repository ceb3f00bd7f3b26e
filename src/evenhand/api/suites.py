"""A suite: a TOML file that names several data sets, each with a gold standard and systems."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from evenhand.formats.addresses import Place, beside, place
from evenhand.formats.folders import files_of
from evenhand.formats.short_text import short_text
from evenhand.pipeline.inputs import unique_names
from evenhand.problems import SettingError


@dataclass(frozen=True)
class DataSet:
    """A gold standard and systems under a name, and how they are read."""

    name: str
    gold: Place
    systems: Mapping[str, Place]
    options: Mapping[str, Any]


def suite(path: str | PathLike[str]) -> list[DataSet]:
    """The data sets of a suite, each with a name of its own."""
    where = place(path)
    text = short_text(where, "suite")
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits and deep brackets, too
        reason = str(error).rstrip(".") if isinstance(error, tomllib.TOMLDecodeError) else "a value is too long or deep"
        raise SettingError(f"{where} is no TOML file ({reason}).") from None
    entries = found.get("data")
    if not isinstance(entries, list) or not entries:
        raise SettingError(f"{where} names no data sets; write a table [[data]] for each, with gold and systems.")
    sets = [_data_set(where, number, entry) for number, entry in enumerate(entries, 1)]
    names = [each.name for each in sets]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise SettingError(f"{where} has two data sets called {name!r}; give them names of their own.")
    return sets


def _data_set(path: Place, number: int, entry: object) -> DataSet:
    where = f"data set {number} of {path}"
    if not isinstance(entry, Mapping):
        raise SettingError(f"{where} is no table; write [[data]], and its gold and systems below.")
    if "gold" not in entry or "systems" not in entry:
        raise SettingError(f"{where} has no {'gold' if 'gold' not in entry else 'systems'}.")
    for key, value in entry.items():
        if key not in _VALUES:
            raise SettingError(f"{where} has the key {key!r}; the keys are {', '.join(_VALUES)}.")
        is_right, expected = _VALUES[key]
        if not is_right(value):
            raise SettingError(f"{where} has another kind of value for {key}; write {expected}.")
    gold, given = beside(path, entry["gold"]), entry["systems"]
    if isinstance(given, Mapping):
        systems = {name: beside(path, file) for name, file in given.items()}
    else:
        pattern = beside(path, given)
        files = [each for each in files_of(pattern) or [pattern] if each != gold]
        systems = dict(zip(unique_names(files), files, strict=True))
    if not systems:
        raise SettingError(f"{where} names no system; systems is a pattern, or a table of names and files.")
    options = {key: value for key, value in entry.items() if key not in ("name", "gold", "systems")}
    return DataSet(entry.get("name", gold.stem), gold, systems, options)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_column(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or _is_text(value)


def _is_table_of(is_right: Callable[[object], bool], value: object, keys: tuple[str, ...] | None = None) -> bool:
    """Whether it is a table with values of one kind and, where they are told, with these keys only."""
    if not isinstance(value, Mapping) or not all(map(is_right, value.values())):
        return False
    return keys is None or set(value) <= set(keys)


def _is_choice(value: object) -> bool:
    return _is_text(value) or _is_table_of(_is_text, value, _SIDES)


def _are_columns(value: object) -> bool:
    return _is_column(value) or (isinstance(value, list) and all(map(_is_column, value)))


_SIDES = ("gold", "system")
_VALUES: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (_is_text, "a text"),
    "gold": (_is_text, "the path of a file"),
    "systems": (
        lambda value: _is_text(value) or _is_table_of(_is_text, value),
        'a pattern such as "english/*.conll", or a table of names and files',
    ),
    "task": (_is_text, "a text"),
    "format": (_is_choice, "a text, or a table with gold and system"),
    "column": (
        lambda value: _are_columns(value) or _is_table_of(_are_columns, value, _SIDES),
        "a number or a name, a list of these, or a table with gold and system",
    ),
    "encoding": (_is_choice, "a text, or a table with gold and system"),
    "align": (_is_text, "a text"),
    "map": (
        lambda value: _is_table_of(_is_text, value) or (isinstance(value, list) and all(map(_is_text, value))),
        'a table of old and new labels, or a list of texts such as "OLD=NEW"',
    ),
}
"""The keys of a data set, which values they have, and how messages call these."""
