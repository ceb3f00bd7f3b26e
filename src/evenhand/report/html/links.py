"""Which units stand behind the cells of tables, as fragments of the page's address."""

from __future__ import annotations

from urllib.parse import quote

from evenhand.result.result import Result
from evenhand.tasks.chains.kinds import ARCS_KINDS
from evenhand.tasks.spans.kinds import KINDS
from evenhand.tasks.words.kinds import RIGHT

_MATCHED = "LE,BES,BEL,BEO,LBE"


def units(**wanted: str | int | None) -> str:
    """The address of some units: `#units?system=crf&kind=LE&gold=PER`; what is None is left out.

    A trailing underscore keeps names apart from words of Python (`from_`).
    """
    named = ((name.rstrip("_"), value) for name, value in wanted.items() if value is not None)
    return "#units?" + "&".join(f"{name}={quote(str(value), safe='')}" for name, value in named)


def of_count(result: Result, model: str, by: str, label: str | None, column: str) -> str | None:
    """The units behind a cell in the row of a label (None: of all), under a match model; `by` is that of the units.

    None where the page does not carry just these: mentions under another kind of ARCS, mentions that nobody resolves,
    and words that only the system has.
    """
    task, system = result.settings.task, result.name
    if task == "spans":
        return _of_spans(system, model, label, column, by_system=result.settings["focus"] == "system")
    if task == "chains":
        if model != by or column == "tn":
            return None
        return units(system=system, kind=column if column in ARCS_KINDS else None, gold=label)
    if column in ("found", "system"):
        if has_extra(result):
            return None
        return units(system=system, of="system", predicted=label)
    if column == "correct":
        return units(system=system, kind=",".join(RIGHT.get(model, ("right",))), gold=label)
    return units(system=system, gold=label) if column == "gold" else units(system=system, label=label)


def _of_spans(system: str, model: str, label: str | None, column: str, *, by_system: bool) -> str:
    if column == "gold":
        return units(system=system, of="gold", gold=label)
    if model == "exact" and column == "FN":
        return units(system=system, of="gold", kind=f"{_MATCHED},FN", gold=label)
    if model == "exact" and column == "FP":
        return units(system=system, of="system", kind=f"{_MATCHED},FP", predicted=label)
    if column == "FP" or (by_system and column in ("LE", "LBE")):
        return units(system=system, kind=column, predicted=label)
    if column in KINDS:
        return units(system=system, kind=column, gold=label)
    return units(system=system, label=label)


def has_extra(result: Result) -> bool:
    """Whether a system has words that the gold standard has not."""
    tally = result.tallies.get(result.settings.task)
    return tally is not None and "extra" in tally.kinds and bool((tally.kind == tally.kinds.index("extra")).any())


def of_confusion(result: Result, gold: str, predicted: str) -> str:
    """The errors of a cell of a confusion matrix; the empty string is "no label".

    The labels of words tell, whatever their heads are; spans with the right label may have a wrong boundary.
    """
    wrong = 0 if result.settings.task == "spans" else None
    return units(system=result.name, right=wrong, gold=gold, predicted=predicted)
