"""The reference of the Python interface, from docstrings and type hints."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from types import FunctionType
from typing import Any

from website.docstrings import fields, markdown, table

GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "functions": (
        "Functions that evaluate",
        (
            *(
                "score",
                "summarize",
                "slices",
                "leakage",
                "errors",
                "compare",
                "rank",
                "rank_suite",
                "gate",
                "power",
                "causes",
                "suspects",
                "merge",
                "confidence",
                "accept",
                "agree",
                "adjudicate",
            ),
            *("evaluate", "report", "leaderboard", "check_task", "germeval", "ground", "cite", "models", "formats"),
        ),
    ),
    "inputs": (
        "Inputs",
        (
            *("read", "tags", "spans", "trees", "constituents", "chains", "relations", "links", "records"),
            *("extractions", "docs", "manifest", "Annotation", "Span"),
        ),
    ),
    "results": (
        "Results",
        (
            *("Result", "Results", "Layers", "Summary", "Metric", "scoring.scores:MeasureScore", "scoring.scores:Row"),
            *(
                "Comparison",
                "Ranking",
                "Leaderboard",
                "Gate",
                "Power",
                "Causes",
                "Suspects",
                "Leakage",
                "Confidence",
                "Acceptance",
                "Agreement",
                "Adjudication",
                "Report",
                "GermEval",
            ),
            *("Table", "Tally", "Verdict"),
        ),
    ),
    "errors": ("Errors", ("EvenhandError", "InputError", "SettingError", "EvenhandWarning")),
    "engines": ("Engines", ("engines",)),
}
"""The pages: file, title, public names, and the classes of results by module."""
SHARED = "evenhand.results.display"
"""The module whose methods several results have."""


def api_pages() -> dict[str, str]:
    """The pages of the interface, by file name."""
    written = {f"{file}.md": _page(title, names) for file, (title, names) in GROUPS.items()}
    rows = [(f"[{title}]({file}.md)", _listed(file, names)) for file, (title, names) in GROUPS.items()]
    head = "# Python interface\n\nEverything that `import evenhand as eh` offers, from the docstrings and type hints.\n"
    return {"index.md": f"{head}\n{table(('page', 'names'), rows)}\n", **written}


def _listed(file: str, names: tuple[str, ...]) -> str:
    return ", ".join(f"[`{_short(name)}`]({file}.md#{_short(name).lower()})" for name in names)


def _short(name: str) -> str:
    return name.rpartition(":")[2]


def _page(title: str, names: tuple[str, ...]) -> str:
    shared: dict[str, FunctionType] = {}
    for name in names:
        value = _resolved(name)
        if inspect.isclass(value):
            shared |= _methods(value)[1]
    common = ("## Methods that results share", *(_method(*each) for each in shared.items())) if shared else ()
    return "\n\n".join((f"# {title}", *map(_entry, names), *common)) + "\n"


def _resolved(name: str) -> Any:
    return resolve_name(f"evenhand.{name}" if ":" in name else f"evenhand:{name}")


def _entry(name: str) -> str:
    """A function, a class or a module with its members."""
    value, name = _resolved(name), _short(name)
    heading = f"## {name}"
    if isinstance(value, FunctionType):
        return f"{heading}\n\n{_described(f'evenhand.{name}', value)}"
    if inspect.isclass(value):
        return "\n\n".join((heading, markdown(value.__doc__), *_members(value)))
    members = ((each, getattr(value, each)) for each in value.__all__)
    functions = (_method(each, member) for each, member in members if isinstance(member, FunctionType))
    return "\n\n".join((heading, markdown(value.__doc__), *functions))


def _members(kind: type) -> Iterator[str]:
    """The fields and properties of a class, its methods, and the names of those that it shares with others."""
    own, shared = _methods(kind)
    attributes = _attributes(kind)
    if attributes:
        hints = _hints(kind)
        rows = ((f"`{name}`", _code(hints.get(name, "")), text) for name, text in attributes.items())
        yield table(("attribute", "type", ""), rows)
    if shared:
        yield "Also " + ", ".join(f"[`{name}`](#{name})" for name in shared) + "."
    for name, function in own.items():
        yield f"**`{name}`**\n\n" + _described(name, function)


def _attributes(kind: type) -> dict[str, str]:
    """What fields and properties are, by name."""
    all_attributes: dict[str, str] = {}
    for each in _lineage(kind):
        all_attributes |= fields(each)
        for name, value in vars(each).items():
            if isinstance(value, property) and not name.startswith("_"):
                all_attributes[name] = " ".join((value.__doc__ or "").split())
    return all_attributes


def _methods(kind: type) -> tuple[dict[str, FunctionType], dict[str, FunctionType]]:
    """The methods of a class by name: its own, and those that several results share."""
    own: dict[str, FunctionType] = {}
    shared: dict[str, FunctionType] = {}
    for item in _lineage(kind):
        for name, value in vars(item).items():
            function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            if isinstance(function, FunctionType) and not name.startswith("_"):
                (shared if item.__module__ == SHARED else own)[name] = function
    return own, {name: function for name, function in shared.items() if name not in own}


def _lineage(kind: type) -> list[type]:
    """A class and its parents in Evenhand, the first one last."""
    return [each for each in reversed(kind.__mro__) if each.__module__.startswith("evenhand")]


def _hints(kind: type) -> dict[str, str]:
    """The types of fields and properties, as the code writes them."""
    all_hints: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        all_hints |= inspect.get_annotations(each)
        for name, value in vars(each).items():
            if isinstance(value, property) and value.fget is not None:
                all_hints[name] = value.fget.__annotations__.get("return", "")
    return all_hints


def _method(name: str, function: FunctionType) -> str:
    return f"### {name}\n\n" + _described(name, function)


def _described(name: str, function: FunctionType) -> str:
    return f"{_signature(name, function)}\n\n{markdown(function.__doc__)}"


def _signature(name: str, function: FunctionType) -> str:
    """The call with its type hints, with one parameter per line if it is long."""
    signature = inspect.signature(function)
    parameters = _parameters(signature)
    line = f"{name}({', '.join(parameters)}) -> {signature.return_annotation}"
    if len(line) > 100:
        lines = "".join(f"    {each},\n" for each in parameters)
        line = f"{name}(\n{lines}) -> {signature.return_annotation}"
    return f"```python\n{line}\n```"


def _parameters(signature: inspect.Signature) -> list[str]:
    """The parameters as the code writes them, with a star before the first keyword."""
    all_parameters: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in all_parameters:
            all_parameters.append("*")
        stars = (
            "*"
            if parameter.kind is parameter.VAR_POSITIONAL
            else "**"
            if parameter.kind is parameter.VAR_KEYWORD
            else ""
        )
        default = "" if parameter.default is parameter.empty else f" = {_spelled(parameter.default)}"
        all_parameters.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    return all_parameters


def _spelled(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
