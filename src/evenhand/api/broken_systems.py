"""Systems that cannot be scored: who they are, why, and the results of the others."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.api.results import scored
from evenhand.pipeline.inputs import Input
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.work import Engine
from evenhand.problems import WARNING, EvenhandError, SettingError, counted
from evenhand.result.result import Results
from evenhand.settings import Groups


def scored_if_sound(
    gold: Input, systems: Mapping[str, Input], prepared: Prepared, groups: Groups, engine: Engine
) -> tuple[Results, dict[str, str]]:
    """The results of the systems that can be scored, and for each of the others the sentence of its error.

    If all of them can, they are read once. If not, each is read by itself to find those that cannot, and then the
    others together. An error that no system has by itself, and one that all have, are raised.
    """
    try:
        return scored(gold, systems, prepared, groups, engine), {}
    except EvenhandError as error:
        reasons = _reasons(gold, systems, prepared, engine)
        if not reasons or (set(reasons.values()) == {str(error)} and len(reasons) == len(systems)):
            raise
    if len(reasons) == len(systems):
        listed = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise SettingError(f"None of the {counted(len(systems), 'system')} can be ranked. {listed}")
    sound = {name: side for name, side in systems.items() if name not in reasons}
    return scored(gold, sound, prepared, groups, engine), reasons


def _reasons(gold: Input, systems: Mapping[str, Input], prepared: Prepared, engine: Engine) -> dict[str, str]:
    found = {}
    for name, side in systems.items():
        try:
            scored(gold, {name: side}, prepared, "total", engine)
        except EvenhandError as error:
            found[name] = str(error)
    return found


def notes_on_skipped(skipped: Mapping[str, str], ranked: int) -> tuple[str, ...]:
    """A warning that systems are missing, and why each of them is."""
    if not skipped:
        return ()
    verb = "is" if len(skipped) == 1 else "are"
    warning = f"{WARNING}{len(skipped)} of {len(skipped) + ranked} systems {verb} not ranked; the notes say why."
    return (warning, *(f"not ranked: {name}: {reason}" for name, reason in skipped.items()))
