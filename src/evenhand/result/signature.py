"""The signature: one line with the version and every setting that can change a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evenhand.scores.weights import Weights
from evenhand.settings import Atoms, ReadSettings, ScoreSettings
from evenhand.text.annotation import Reading
from evenhand.version import __version__


def signature(
    settings: ScoreSettings, read_as: ReadSettings, weights: Weights, atoms: Atoms, gold: Reading, system: Reading
) -> str:
    """`key:value` pairs with bars between them; two results with equal signatures can be compared."""
    if settings.task == "chains":
        return _joined(_of_chains(settings, gold, system))
    if settings.task != "spans":
        return _joined(_of_words(settings, read_as, gold, system))
    found = {
        "evenhand": __version__,
        "task": "spans",
        "match": ",".join(settings.match),
        "align": settings.align,
        "atoms": atoms,
        "scope": "sentence",
        "levels": settings.levels,
        "gold": _reading(gold),
        "system": _reading(system),
        "repair": read_as.repair,
        "offsets": read_as.offsets,
        "functions": "kept" if read_as.functions else "cut",
        "map": ",".join(map(str, settings.maps)) or "none",
        "labels": ",".join(sorted(settings.labels)) or "all",
        "exclude": ",".join(sorted(settings.exclude)) or "none",
        "focus": settings.focus,
        "macro": "gold-labels",
        "beta": f"{settings.beta:g}",
    }
    return _joined(found | _of_models(settings, weights))


def _of_words(settings: ScoreSettings, read_as: ReadSettings, gold: Reading, system: Reading) -> dict[str, str]:
    """The settings that can change a number where words are scored."""
    found = {
        "evenhand": __version__,
        "task": settings.task,
        "match": ",".join(settings.match),
        "align": settings.align,
        "gold": _reading(gold),
        "system": _reading(system),
        "repair": read_as.repair,
        "map": ",".join(map(str, settings.maps)) or "none",
        "labels": ",".join(sorted(settings.labels)) or "all",
        "exclude": ",".join(sorted(settings.exclude)) or "none",
        "punctuation": str(settings.punctuation),
        "subtypes": "kept" if settings.subtypes else "cut",
        "macro": "gold-labels",
        "beta": f"{settings.beta:g}",
    }
    if settings.task == "tags":
        found.pop("subtypes")
    return found


def _of_chains(settings: ScoreSettings, gold: Reading, system: Reading) -> dict[str, str]:
    """The settings that can change a number where chains are scored."""
    return {
        "evenhand": __version__,
        "task": settings.task,
        "match": ",".join(settings.match),
        "align": settings.align,
        "gold": _reading(gold),
        "system": _reading(system),
        "singletons": "kept" if settings.singletons else "removed",
        "repeats": "first-chain",
        "nominal": "+".join(settings.nominal),
        "beta": f"{settings.beta:g}",
    }


def _joined(settings: Mapping[str, str]) -> str:
    return "|".join(f"{key}:{value}" for key, value in settings.items())


def _of_models(settings: ScoreSettings, weights: Weights) -> dict[str, str]:
    """The settings that only some match models know, where these are scored."""
    found = {}
    if "weighted" in settings.match:
        found["weights"] = str(weights)
    if "ts" in settings.match:
        found["separators"] = f"{settings.separator_weight:g}"
    if "ts" in settings.match or "t" in settings.match:
        found["token-weights"] = "none" if settings.token_weight is None else f"column-{settings.token_weight}"
    if "constrained" in settings.match:
        found |= {"spurious": str(settings.spurious), "missing": str(settings.missing)}
    if "iou" in settings.match:
        found["iou"] = f"{settings.iou:g}"
    if settings.supertags:
        found["supertags"] = ",".join(map(str, settings.supertags))
    return found


def joint_signature(signatures: Iterable[str]) -> str:
    """One signature for several systems: where their values differ, all of them with plus signs between."""
    columns = zip(*(each.split("|") for each in dict.fromkeys(signatures)), strict=True)
    found = []
    for column in columns:
        key = column[0].partition(":")[0]
        found.append(f"{key}:" + "+".join(dict.fromkeys(pair.partition(":")[2] for pair in column)))
    return "|".join(found)


def _reading(reading: Reading) -> str:
    parts = [reading.format, reading.encoding, f"column-{reading.column}" if reading.column else None]
    return "/".join(part for part in parts if part)
