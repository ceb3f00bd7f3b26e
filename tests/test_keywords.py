"""The typed keywords of the public functions are the keywords that they accept."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import evenhand as eh
from evenhand import keywords
from evenhand.api.errors import QUERY
from evenhand.formats.read import _read_parameters
from evenhand.parameters import Parameter
from evenhand.pipeline.inputs import READING, known_options
from evenhand.tasks.registry import TASKS, all_parameters, parameters_of

TYPES = {
    "number": "float",
    "whole": "int",
    "flag": "bool",
    "text": "str",
    "names": "Names",
    "column": "ColumnName",
    "percent": "int | str",
    "file": "str | PathLike[str]",
    "thresholds": "float | Sequence[float | str] | Mapping[str, float] | str",
    "fields": "str | Mapping[str, Any]",
    "schema": "str | Mapping[str, Any]",
}
"""The type of each kind of parameter."""
DECLARED = all_parameters()
OPTIONAL = {parameter.name for task in TASKS for parameter in parameters_of(task) if parameter.allowed.optional}
"""Tasks may share a parameter; None is accepted if one of them accepts it."""
FORMER = {name for parameter in DECLARED.values() for name in parameter.former}
"""Former names are accepted, but not shown to type checkers."""
FUNCTIONS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "score": (eh.score, known_options()),
    "compare": (eh.compare, known_options()),
    "rank": (eh.rank, known_options()),
    "rank_suite": (eh.rank_suite, known_options()),
    "gate": (eh.gate, known_options()),
    "report": (eh.report, known_options()),
    "evaluate": (eh.evaluate, known_options()),
    "agree": (eh.agree, known_options()),
    "power": (eh.power, known_options()),
    "causes": (eh.causes, known_options()),
    "confidence": (eh.confidence, known_options()),
    "accept": (eh.accept, known_options()),
    "errors": (eh.errors, {*known_options(), *QUERY} - {"groups", "jobs", "engine"}),
    "adjudicate": (eh.adjudicate, set(READING)),
    "read": (eh.read, set(_read_parameters())),
}
"""The functions with typed keywords, and the keywords that each passes on."""


def annotations(name: str) -> dict[str, str]:
    """The keywords of a typed dictionary with their types, as they are written."""
    typed = getattr(keywords, name).__annotations__
    return {key: getattr(kind, "__forward_arg__", kind) for key, kind in typed.items()}


@pytest.mark.parametrize("parameter", DECLARED.values(), ids=lambda parameter: parameter.name)
def test_every_declared_parameter_has_its_type(parameter: Parameter) -> None:
    expected = TYPES[parameter.kind] + (" | None" if parameter.name in OPTIONAL else "")
    assert annotations("TaskKeywords")[parameter.name] == expected


def test_no_other_parameter_is_typed() -> None:
    assert set(annotations("TaskKeywords")) == set(DECLARED)
    assert set(annotations("ReadParameters")) == set(_read_parameters())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_accepts_its_typed_keywords(name: str) -> None:
    function, passed_on = FUNCTIONS[name]
    parameters = inspect.signature(function).parameters.values()
    explicit = {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY}
    (others,) = (parameter for parameter in parameters if parameter.kind is inspect.Parameter.VAR_KEYWORD)
    typed = set(annotations(others.annotation.removeprefix("Unpack[").removesuffix("]")))
    assert not typed & explicit
    assert typed | explicit == (passed_on | explicit) - FORMER


def test_the_overloads_of_score_have_all_keywords() -> None:
    parameters = inspect.signature(eh.score).parameters.values()
    explicit = {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY}
    assert set(annotations("ScoreKeywords")) == explicit | set(DECLARED)


def test_the_help_of_score_begins_with_ten_parameters() -> None:
    """The docstring explains the first ten in the order of the signature, and states where the others are."""
    first = list(inspect.signature(eh.score).parameters)[2:12]
    document = inspect.getdoc(eh.score) or ""
    listed, _, further = document.partition("Further keywords:")
    assert [line.partition("  ")[0] for line in listed.splitlines() if line.partition("  ")[0] in first] == first
    assert "evenhand score --help-all" in further
    assert len(document.splitlines()) < 60
