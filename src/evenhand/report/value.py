"""The headline alone, for scripts: one fraction per line, in the order of the systems; `null` if it is undefined."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from evenhand.problems import SettingError
from evenhand.result.result import Results


def check_models(models: Sequence[str]) -> None:
    """Refuse several match models, whose values could not be told apart."""
    if len(models) > 1:
        named = ", ".join(models)
        raise SettingError(f"A bare value needs one match model, but {named} were scored; name one with --match.")


def render(results: Results) -> str:
    check_models(results.models)
    headlines = (result[results.models[0]].headline for result in results.values())
    return "".join("null\n" if isnan(value) else f"{value}\n" for value in headlines)
