"""`agree`: several annotators in, how far they agree out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from evenhand.agreement.codes import CODINGS, Coding
from evenhand.agreement.continuum import Continuum
from evenhand.api.agreement_run import AgreementRun
from evenhand.api.annotator_layouts import TWO, annotators_in
from evenhand.api.comparison_run import without_effect
from evenhand.api.significance import Resampling
from evenhand.api.unit_figures import UnitFigures
from evenhand.arguments import SIDES, checked_arguments, whole_number
from evenhand.pipeline.inputs import Input, named
from evenhand.pipeline.options import Prepared, by_side, content_for, known_options, prepare
from evenhand.problems import SettingError
from evenhand.result.agreement import Agreement
from evenhand.settings import PickedAnnotator, ReadSettings, choose, own_key, system_settings
from evenhand.suggestion import unknown
from evenhand.tasks.registry import TASKS, all_parameters
from evenhand.tasks.task import Task

MOST_SAMPLES = 1_000_000
BLOCK = 1 << 17
"""How many bytes of each file are read at a time: fewer than elsewhere, as all annotators are in memory together."""


@checked_arguments(known_options)
def agree(
    annotators: Input | Sequence[Input] | Mapping[str, Input],
    *,
    coding: Coding = "label",
    annotator: str | None = None,
    alpha_u: bool = False,
    gamma: bool = False,
    samples: int = 100,
    by: Literal["document"] | None = None,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Agreement:
    """Measure how far annotators agree, in one pass over their files; nobody is the gold standard.

    annotators files or annotations, as a list or by name: {"ana": "ana.conll", "ben": "ben.conll"}; or one input with
               several annotators: a folder with a folder or a file for each, JSON lines with a field that names
               them (also those of Prodigy and doccano), or an export of Label Studio
    annotator  the field of records that names annotators, where it has another name than in these tools
    coding     the codes of atoms: "label", the label that covers each, or "iob2", tags with B- and I-
    alpha_u    whether to compute Krippendorff's alpha_U as well, for which all spans are kept in memory
    gamma      whether to compute gamma of pairs, for which all spans are kept, too
    samples    of gamma, in each document
    by         "document": tables list documents, too
    resamples  of the bootstrap over documents, for intervals; 0 for none
    level      confidence level of intervals
    seed       of the random numbers: the same seed and files give the same figures

    Documents go together by their names; without names, all annotators must have the same text. A document that an
    annotator does not have is missing data, one without spans is an answer. The other keywords are those of `score`
    that say how files are read and which labels count.
    """
    if annotators is None or (isinstance(annotators, list | tuple | Mapping) and not annotators):
        raise SettingError(TWO)
    given = named(annotators) or {}
    choose("coding", coding, CODINGS)
    choose("by", by, ("document",), optional=True)
    resampling = Resampling.checked(0, resamples, "percentile", level, seed)
    sides, prepared = _prepared(given, options, annotator)
    _check_asked(prepared.task, {"coding": coding != "label", "alpha-u": alpha_u, "gamma": gamma})
    asked, drawn = None, whole_number("samples", samples, 1, MOST_SAMPLES)
    if alpha_u or gamma:
        units, wholes = (Continuum(len(sides)) if wanted else None for wanted in (alpha_u, gamma))
        asked = UnitFigures(units, wholes, drawn, resampling.seed)
    run = AgreementRun(sides, prepared, coding, asked)
    return Agreement(run.figures(resampling), by, run)


def _prepared(
    sides: Mapping[str, Input], options: Mapping[str, Any], field: str | None
) -> tuple[Mapping[str, Input], Prepared]:
    """The annotators and the settings; options that change nothing here are refused."""
    idle = [each.name for each in all_parameters().values() if each.effect != "scores"]
    for name in (*without_effect(), *idle, "beta"):
        if name in options:
            raise SettingError(f"{name.replace('_', '-')} does nothing where annotators are compared; leave it out.")
    first, *others = sides.values()
    picked: Mapping[str, PickedAnnotator] = {}
    if not others:
        settings = ReadSettings(by_side(options.get("format"), "system"), task=options.get("task"))
        sides, picked = annotators_in(first, settings, field)
        first, *_ = sides.values()
    elif field is not None:
        raise SettingError("annotator names a field of one file with several annotators; give this file alone.")
    content = content_for(first, options)
    agreed = TASKS[content.task].agreed
    if agreed is None:
        known = ", ".join(each.name for each in TASKS.values() if each.agreed)
        raise SettingError(f"Agreement is measured on {known}, and not on {content.task}; name the --task.")
    own = {name: value for name, value in agreed.settings.items() if options.get(name) is None}
    prepared = prepare(first, sides, {**options, **own, "match": agreed.by}, content)
    for each in prepared.settings.maps:
        if each.only is not None and each.only not in sides:
            raise SettingError(unknown(f"map has no annotator {each.only!r}", each.only, list(sides), _known(sides)))
        if each.only in SIDES:  # an annotator's name, but elsewhere the name of a side
            remedy = f"rename the annotator, as in ana=FILE, and write ana:{each.old}={each.new}"
            raise SettingError(f"map: {each.only!r} is the name of a side, not only of an annotator; {remedy}.")
    read_as = {
        own_key(name): replace(system_settings(prepared.read_as, name), annotator=picked.get(name), block_size=BLOCK)
        for name in sides
    }
    return sides, replace(prepared, read_as={**prepared.read_as, **read_as})


def _known(sides: Mapping[str, Input]) -> str:
    return f"the annotators are {', '.join(sides)}"


def _check_asked(task: Task, asked: Mapping[str, bool]) -> None:
    """Refuse what is for spans only, where there are none."""
    for name, is_asked in asked.items():
        if is_asked and not (task.agreed and task.agreed.is_unitized):
            known = ", ".join(each.name for each in TASKS.values() if each.agreed and each.agreed.is_unitized)
            raise SettingError(f"{name} is for {known}, and does nothing for {task.name}; leave it out.")
