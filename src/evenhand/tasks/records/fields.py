"""Fields of records: paths without indexes (`items[].price`), and their options from `--field` or a JSON schema.

| option | meaning |
| --- | --- |
| `compare` | the comparator: `exact`, `number`, `currency`, `date`, `boolean`, `relaxed`, `anls` or `token-f1` |
| `normalise` | before it, in order: `case`, `spaces`, `nfkc`, `accents`, `punctuation`, `articles`, `underscores` |
| `tolerance`, `relative` | numbers: the largest difference, absolute or as a share of the gold value |
| `decimal` | numbers: `point`, or `comma` for 1.234,50 |
| `first` | dates: `day` or `month` in 3/4/2020, which is not a date otherwise |
| `threshold` | `anls` and `token-f1`: the least similarity of right values [0.5] |
| `key` | records of a list are paired if this field is equal, and never if it differs |
| `order` | a list whose order matters |
| `weight` | the weight of the field's leaves in scores [1] |
| `ignore` | the field is removed from both sides |
| `ground` | `false`: values need not be in the text |

A JSON schema has the options of a field under `x-evenhand`. Of its other keywords, only `properties`, `items`, `$ref`,
`anyOf`, `oneOf`, `allOf`, `enum` and `const` are read, to find the fields; values are not validated.

Source: Evenhand's own rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass
from evenhand.errors import LABEL, InputError, LimitError, SettingError, nearest
from evenhand.parameters import quote

if TYPE_CHECKING:
    from evenhand.data.vocabulary import StringIndex
    from evenhand.formats.source import Source

COMPARATORS = ("exact", "number", "currency", "date", "boolean", "relaxed", "anls", "token-f1")
NORMALISERS = ("case", "spaces", "nfkc", "accents", "punctuation", "articles", "underscores")
ROOT = "$"
"""The field of a document that is one scalar."""
ITEMS = "[]"
"""The step into a list."""
Path = tuple[str, ...]
"""Steps of a field: keys, with a dot before each, and `[]`."""
_STEP = re.compile(r'\[\]|\["((?:[^"\\]|\\.)*)"\]|\.?([^.\[\]"]+)')
_SPECIAL = re.compile(r'[.\[\]"]')
_CHOICES = {
    "compare": COMPARATORS,
    "normalise": NORMALISERS,
    "decimal": ("point", "comma"),
    "first": ("day", "month"),
}
_FLAGS = ("key", "order", "ignore", "ground")
_MAX_FIELDS = 100_000


@dataclass(frozen=True)
class FieldOptions:
    """The options of a field."""

    compare: str = "exact"
    normalise: tuple[str, ...] = ()
    tolerance: float = 0.0
    relative: float = 0.0
    decimal: str = "point"
    first: str | None = None
    threshold: float = 0.5
    key: bool = False
    order: bool = False
    weight: float = 1.0
    ignore: bool = False
    ground: bool = True

    def __str__(self) -> str:
        """The comparator, with the options that differ from the default in brackets."""
        options = [
            f"{field.name}={'+'.join(value) if isinstance(value, tuple) else _text(value)}"
            for field in dataclass_fields(self)
            if field.name != "compare" and (value := getattr(self, field.name)) != field.default
        ]
        return self.compare + (f"({','.join(options)})" if options else "")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


FieldTable = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]
"""Fields and their options, as a value that can be saved."""


def parse_fields(value: str | Sequence[str] | Mapping[str, Mapping[str, Any]]) -> FieldTable:
    """Parse fields from a mapping, or from texts `FIELD:OPTION=VALUE,…`."""
    if isinstance(value, Mapping):
        return tuple((name, checked_options(options, name)) for name, options in value.items())
    return tuple(map(_parse_field, [value] if isinstance(value, str) else value))


def _parse_field(text: str) -> tuple[str, tuple[tuple[str, Any], ...]]:
    name, colon, options = text.rpartition(":")
    while colon and "=" not in name and name.count('"') % 2:  # the colon is in a quoted key
        name, colon, _ = name.rpartition(":")
        options = text[len(name) + 1 :]
    pairs = [part.partition("=") for part in options.split(",") if part.strip()]
    if not name or not pairs:
        raise SettingError(f"{text!r} is not a field with options; write FIELD:OPTION=VALUE, such as price:weight=2.")
    values: dict[str, Any] = {key.strip(): value.strip() if equals else True for key, equals, value in pairs}
    return name, checked_options(values, name)


def checked_options(options: Any, name: str) -> tuple[tuple[str, Any], ...]:
    """The options of a field, converted and checked."""
    if not isinstance(options, Mapping):
        raise SettingError(f"The options of {name} are {quote(options)}; use a mapping such as {{'weight': 2}}.")
    known = tuple(field.name for field in dataclass_fields(FieldOptions))
    values = {}
    for key, value in options.items():
        key = "normalise" if key == "normalize" else key
        if key not in known:
            raise SettingError(unknown_value("option of a field", key, known))
        values[key] = _checked(key, value)
    return tuple(sorted(values.items()))


def _checked(name: str, value: Any) -> Any:
    if name in _CHOICES:
        several = name == "normalise"
        names = value.replace("+", " ").split() if several and isinstance(value, str) else value if several else [value]
        for choice in names:
            if choice not in _CHOICES[name]:
                raise SettingError(unknown_value(name, choice, _CHOICES[name]))
        return tuple(names) if several else value
    if name in _FLAGS:
        flag = {"true": True, "false": False}.get(str(value).lower())
        if flag is None:
            raise SettingError(f"{name}: expected true or false, got {value}.")
        return flag
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    is_share = name == "threshold"
    if not (0 < number <= 1 if is_share else 0 <= number < float("inf")):
        expected = "above 0 and at most 1" if is_share else "from 0 on"
        raise SettingError(f"{name}: expected a number {expected}, got {value}.")
    return number


def unknown_value(what: str, value: object, choices: Sequence[str]) -> str:
    return f"Unknown value {quote(value)} for {what}. Choose one of {', '.join(choices)}."


def spell_fields(table: FieldTable) -> str:
    """Fields as the signature has them: `items[].price:number(tolerance=0.01)`."""
    return "+".join(f"{name}:{FieldOptions(**dict(options))}" for name, options in sorted(table)) or "none"


# Paths


def parse_path(name: str) -> Path:
    """The steps of a field as users write it: `items[].price`, `["a.b"]`."""
    if name == ROOT:
        return ()
    steps, end = list[str](), 0
    while match := _STEP.match(name, end):
        end = match.end()
        key = match[1].replace('\\"', '"').replace("\\\\", "\\") if match[1] is not None else match[2]
        steps.append(ITEMS if key is None else f".{key}")
    if end != len(name) or not steps:
        remedy = 'write items[].price, and ["a.b"] for keys with special characters'
        raise SettingError(f"{name!r} is not a field; {remedy}.")
    return tuple(steps)


def path_text(steps: Sequence[str | int]) -> str:
    """A path or a field as users see it; a key begins with a dot, and a list index is a number."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step == ITEMS:
            text += ITEMS
        elif not step[1:] or _SPECIAL.search(step, 1):
            quoted = step[1:].replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
        else:
            text += step if text else step[1:]
    return text or ROOT


class Field:
    """A field of the documents of a run, with its options; fields form a tree."""

    def __init__(self, path: Path, name: str, label: int, slot: int, options: FieldOptions) -> None:
        self.path, self.name, self.label, self.slot, self.options = path, name, label, slot, options
        """`label` is the code of the name; `slot` is the same for `t` and `t[]`, unless shapes are strict."""
        self.children: dict[str | None, Field] = {}
        """The fields of keys, and the field of the elements of a list under None."""
        self.is_default = options.compare == "exact" and not options.normalise and not options.ignore
        is_similar = options.compare in ("relaxed", "anls", "token-f1")
        self.has_keys = not (is_similar or options.tolerance or options.relative)
        """Whether equal keys decide about right values: neither tolerances nor similarities."""


class Fields:
    """All fields of a run: declared ones, and those found in documents."""

    def __init__(
        self, labels: StringIndex[str], table: FieldTable, schema: FieldTable, default: str, *, strict: bool
    ) -> None:
        """`labels` has the names of all fields; `default` is the comparator of fields without one.

        `strict` distinguishes `t` from `t[]`.
        """
        self._labels = labels
        self.declared = {parse_path(name): name for name, _ in table}
        self.in_schema = {parse_path(name) for name, _ in schema}
        self._default = FieldOptions(compare=default)
        self._options: dict[Path, FieldOptions] = {}
        for name, options in (*schema, *table):
            path = self._slot_path(parse_path(name))
            self._options[path] = replace(self._options.get(path, self._default), **dict(options))
        self._strict = strict
        self._slots: dict[Path, int] = {}
        self.all: list[Field] = []
        self.root = self._new(())
        self.key_paths = [path for path, options in self._options.items() if options.key]

    @staticmethod
    def _slot_path(path: Path) -> Path:
        return tuple(step for step in path if step != ITEMS)

    def _slot(self, path: Path) -> int:
        return self._slots.setdefault(path if self._strict else self._slot_path(path), len(self._slots))

    def _new(self, path: Path) -> Field:
        name, options = path_text(path), self._options.get(self._slot_path(path), self._default)
        self.all.append(Field(path, name, self._labels.code(name), self._slot(path), options))
        return self.all[-1]

    def child(self, field: Field, key: str | None) -> Field:
        """The field of a key of an object, or of the elements of a list."""
        if key is not None and len(key) > LABEL.value:
            raise LimitError(f"a key has {len(key):,} characters", LABEL.remedy)
        child = field.children[key] = self._new((*field.path, ITEMS if key is None else f".{key}"))
        return child

    def known_slots(self) -> frozenset[int]:
        """The slots of all fields so far, and of those in the schema."""
        return frozenset((*(field.slot for field in self.all), *map(self._slot, self.in_schema)))

    def keys_of(self, record: Field) -> list[Path]:
        """The steps from a record to its key fields, without lists."""
        prefix = self._slot_path(record.path)
        return [path[len(prefix) :] for path in self.key_paths if path[: len(prefix)] == prefix and path != prefix]

    def check_declared(self) -> None:
        """Raise `SettingError` for a declared field that is neither among all fields so far nor in the schema."""
        seen = {*(field.path for field in self.all), *self.in_schema}
        places = {self._slot_path(path[:size]) for path in seen for size in range(len(path) + 1)}
        for path, name in self.declared.items():
            if self._slot_path(path) not in places:
                close = nearest(name, sorted(map(path_text, seen)))
                hint = f" Did you mean {close!r}?" if close else ""
                raise SettingError(f"Unknown field {name!r}: not in gold and not in the schema.{hint}")


# Schemas


def parse_schema(value: Any) -> Schema:
    """A schema from the path of a file, a mapping, or a pydantic model."""
    if isinstance(value, Schema):
        return value
    if hasattr(value, "model_json_schema"):
        return schema_of(value.model_json_schema(), getattr(value, "__name__", "schema"))
    if isinstance(value, Mapping):
        return schema_of(value, "schema")
    source, _, decoded = read_json(value, "a JSON schema")
    return schema_of(decoded, source.display_name)


def read_json(path: Any, what: str) -> tuple[Source, bytes, Any]:
    """A JSON file, its bytes and its decoded value."""
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source = Source(to_path(path))
    data = source.read_whole()
    try:
        return source, data, json.loads(data)
    except (ValueError, RecursionError) as error:
        raise source.error(getattr(error, "lineno", None), "invalid JSON", f"use {what}") from None


@dataclass(frozen=True)
class Schema:
    """The fields of a JSON schema that have options or limited values, and the digest of the schema."""

    name: str
    digest: str
    fields: FieldTable

    def __str__(self) -> str:
        return f"{self.name.replace(chr(92), '/').rpartition('/')[2]}#{self.digest}".lower()


def schema_of(schema: Any, name: str) -> Schema:
    """The fields of a decoded schema."""
    import hashlib  # slow to load

    if not isinstance(schema, Mapping):
        raise InputError(name, None, f"expected a JSON schema, got {quote(schema)}", "pass an object")
    text = json.dumps(schema, sort_keys=True, default=str)
    table: dict[str, dict[str, Any]] = {}
    for number, (field, options) in enumerate(_schema_fields(schema, schema, (), name, ())):
        if number > _MAX_FIELDS:
            raise InputError(name, None, f"the schema has more than {_MAX_FIELDS:,} fields", "use a smaller schema")
        table.setdefault(field, {}).update(options)
    fields = tuple((field, tuple(sorted(options.items()))) for field, options in table.items())
    return Schema(name, hashlib.sha256(text.encode()).hexdigest()[:8], fields)


def _schema_fields(
    root: Mapping[str, Any], schema: Any, path: Path, name: str, open_refs: tuple[str, ...]
) -> Iterator[tuple[str, tuple[tuple[str, Any], ...]]]:
    if not isinstance(schema, Mapping) or len(path) > 100:
        return
    if isinstance(ref := schema.get("$ref"), str):
        if ref in open_refs:
            finding = f"$ref {ref!r} refers to itself"
            raise InputError(name, None, finding, "recursive schemas are not supported")
        yield from _schema_fields(root, _resolve(root, ref, name), path, name, (*open_refs, ref))
    for keyword in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(keyword) or ():
            yield from _schema_fields(root, part, path, name, open_refs)
    options = dict(checked_options(schema.get("x-evenhand") or {}, path_text(path)))
    if "enum" in schema or "const" in schema:
        options.setdefault("ground", False)
    yield path_text(path), tuple(options.items())
    properties = schema.get("properties")
    for key, part in properties.items() if isinstance(properties, Mapping) else ():
        yield from _schema_fields(root, part, (*path, f".{key}"), name, open_refs)
    yield from _schema_fields(root, schema.get("items"), (*path, ITEMS), name, open_refs)


def _resolve(root: Mapping[str, Any], ref: str, name: str) -> Any:
    target: Any = root
    for step in ref.removeprefix("#").strip("/").split("/") if ref != "#" else ():
        step = step.replace("~1", "/").replace("~0", "~")
        if not ref.startswith("#") or not isinstance(target, Mapping) or step not in target:
            raise InputError(name, None, f"$ref {ref!r} has no target", "refer to $defs or definitions of the schema")
        target = target[step]
    return target
