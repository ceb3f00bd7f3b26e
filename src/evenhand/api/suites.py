"""A suite: a TOML file that names several data sets, each with a gold standard and systems."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from evenhand.arguments import SIDES, Kind
from evenhand.dataclass import dataclass
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
        if key not in _KEYS:
            raise SettingError(f"{where} has the key {key!r}; the keys are {', '.join(_KEYS)}.")
        if not _KEYS[key].fits(value):
            raise SettingError(f"{where} has another kind of value for {key}; write {_KEYS[key].expected}.")
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


def _is_column(value: object) -> bool:
    return _TEXT.fits(value) or (isinstance(value, int) and not isinstance(value, bool))


def _are_columns(value: object) -> bool:
    return _is_column(value) or (isinstance(value, list) and all(map(_is_column, value)))


def _table(expected: str, of: Kind, keys: Collection[str] | None = None) -> Kind:
    """A table with values of one kind and, where they are told, with these keys only."""
    return Kind(
        expected,
        lambda value: (
            isinstance(value, Mapping) and all(map(of.fits, value.values())) and (keys is None or {*value} <= {*keys})
        ),
    )


def _by_side(kind: Kind) -> Kind:
    return kind | _table("a table with gold and system", kind, SIDES)


_TEXT = Kind("a text", lambda value: isinstance(value, str) and value != "")
_TEXTS = Kind(
    'a list of texts such as "OLD=NEW"', lambda value: isinstance(value, list) and all(map(_TEXT.fits, value))
)
_KEYS = {
    "name": _TEXT,
    "gold": replace(_TEXT, expected="the path of a file"),
    "systems": replace(_TEXT, expected='a pattern such as "english/*.conll"')
    | _table("a table of names and files", _TEXT),
    "task": _TEXT,
    "format": _by_side(_TEXT),
    "column": _by_side(Kind("a number or a name, a list of these", _are_columns)),
    "encoding": _by_side(_TEXT),
    "align": _TEXT,
    "map": _table("a table of old and new labels", _TEXT) | _TEXTS,
}
"""The keys of a data set, and which values they have."""
