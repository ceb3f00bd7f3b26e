"""The signature: one line with the version and every setting that can change a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evenhand.formats.registry import FORMATS
from evenhand.settings import Atoms, ReadSettings, ScoreSettings
from evenhand.tasks.registry import TASKS, models_of
from evenhand.text.annotation import Reading
from evenhand.version import __version__


def signature(settings: ScoreSettings, read_as: ReadSettings, atoms: Atoms, gold: Reading, system: Reading) -> str:
    """`key:value` pairs with bars between them; two results with equal signatures can be compared.

    A task says which keys it has. The parameters of match models follow where these are scored, and those parameters of
    the task that are not among its keys where they are set.
    """
    sides = {"gold": gold, "system": system}
    return _spelled(_values(settings, read_as, atoms, sides, TASKS[settings.task].signature))


def agreement_signature(
    settings: ScoreSettings,
    read_as: ReadSettings,
    atoms: Atoms,
    annotators: Iterable[Reading],
    further: Mapping[str, str],
) -> str:
    """The same of annotators, none of whom is the gold standard; `further` settings stand behind."""
    keys = [_AGREED.get(key, key) for key in TASKS[settings.task].signature if key not in _NOT_AGREED]
    each = [_spelled(_values(settings, read_as, atoms, {"annotators": reading}, keys)) for reading in annotators]
    return f"{joint_signature(each)}|{_spelled(further)}"


_AGREED = {"system": "annotators"}
_NOT_AGREED = ("gold", "focus", "macro", "beta")
"""Keys that say nothing of agreement."""


def _values(
    settings: ScoreSettings, read_as: ReadSettings, atoms: Atoms, sides: Mapping[str, Reading], keys: Sequence[str]
) -> dict[str, str]:
    """The values of these keys and of all parameters that count; the last side has the system's format."""
    task, *_, system = TASKS[settings.task], *sides.values()
    known = {
        "align": settings.align,
        "atoms": atoms,
        **{side: _reading(reading) for side, reading in sides.items()},
        "repair": _repair(sides, read_as),
        "offsets": "+".join(dict.fromkeys(each.offsets or str(read_as.convention) for each in sides.values())),
        "functions": "kept" if read_as.functions else "cut",
        "map": ",".join(map(str, settings.maps)) or "none",
        "labels": ",".join(sorted(settings.labels)) or "all",
        "exclude": ",".join(sorted(settings.exclude)) or "none",
        "macro": "gold-labels",
        "beta": f"{settings.beta:g}",
        **task.constants,
    }
    own = {each.signature_key: each for each in task.parameters}
    scored = [model for model in models_of(task.name) if model.name in settings.match]
    of_models = {each.signature_key: each for model in models_of(task.name) for each in model.parameters}
    spelled = {key: each.spell(settings[each.name]) for key, each in (own | of_models).items()}
    found = {"evenhand": __version__, "task": task.name, "match": ",".join(settings.match)}
    found |= {key: known[key] if key in known else spelled[key] for key in keys}
    found |= {each.signature_key: spelled[each.signature_key] for model in scored for each in model.parameters}
    traits = FORMATS[system.format].own_traits if system.format in FORMATS else frozenset()
    found |= {
        key: spelled[key]
        for key, each in own.items()
        if key and key not in found and (each.trait in traits if each.trait else settings[each.name] != each.default)
    }
    return found


def _spelled(values: Mapping[str, str]) -> str:
    return "|".join(f"{key}:{value}" for key, value in values.items())


def joint_signature(signatures: Iterable[str]) -> str:
    """One signature for several systems: where their values differ, all of them with plus signs between.

    A key that only some systems have stands behind those of all.
    """
    found: dict[str, list[str]] = {}
    for signature in dict.fromkeys(signatures):
        for pair in signature.split("|"):
            key, _, value = pair.partition(":")
            found.setdefault(key, []).append(value)
    return "|".join(f"{key}:{'+'.join(dict.fromkeys(values))}" for key, values in found.items())


def _repair(sides: Mapping[str, Reading], read_as: ReadSettings) -> str:
    """What became of ill-formed tags; by side where that differs."""
    found = {side: reading.repair or read_as.repair for side, reading in sides.items()}
    first, *others = found.values()
    same = all(each == first for each in others)
    return first if same else "/".join(f"{side}-{repair}" for side, repair in found.items())


def _reading(reading: Reading) -> str:
    parts = [reading.format, reading.encoding, reading.shape, f"column-{reading.column}" if reading.column else None]
    parts += [f"annotator-{reading.annotator}"] if reading.annotator else []
    return "/".join(part for part in parts if part)
