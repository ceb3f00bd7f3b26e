"""The headline alone, for scripts: a fraction a line, in the order of the systems."""

from __future__ import annotations

from evenhand.problems import SettingError
from evenhand.result.result import Results


def render(results: Results) -> str:
    if len(results.models) > 1:
        models = ", ".join(results.models)
        raise SettingError(f"A bare value needs one match model, but {models} were scored; name one with --match.")
    return "".join(f"{result[results.models[0]].headline}\n" for result in results.values())
