"""What a user can set where single spans of the gold standard are overridden."""

from __future__ import annotations

from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.settings import ScoreSettings
from evenhand.text.overrides import OverrideFile

CORRECTED, KIND = "corrected", "kind"
_WITH_KINDS = ("exact", "fair", "weighted")
"""The match models that give every span a verdict."""

OVERRIDES = (
    Parameter(
        "overrides",
        "file",
        None,
        "File of overrides of the gold standard, JSON lines: wrong, missing and unclear spans.",
        metavar="FILE",
        parse=late("evenhand.formats.override_lines:read_overrides"),
        stored=OverrideFile | None,
        optional=True,
        effect="gold",
    ),
    Parameter(
        "overrides_as",
        "text",
        CORRECTED,
        "Score the corrected gold standard, or count its errors as a kind of error, GE.",
        choices=(CORRECTED, KIND),
        effect="gold",
    ),
)


def as_kind(settings: ScoreSettings) -> bool:
    """Whether errors of the gold standard are a kind of error."""
    return settings["overrides"] is not None and settings["overrides_as"] == KIND


def check_overrides(settings: ScoreSettings) -> None:
    """Refuse settings that do nothing without overrides, and match models that have no kinds of errors."""
    if settings["overrides"] is None and settings["overrides_as"] != CORRECTED:
        raise SettingError("overrides-as does nothing without overrides; name a file of these.")
    if not as_kind(settings):
        if "weighted" in settings.match and settings["weights"].weighs_gold_errors:
            raise SettingError("GE in the weights does nothing unless overrides-as is kind; leave it out.")
        return
    others = [name for name in settings.match if name not in _WITH_KINDS]
    if others:
        names = ", ".join(_WITH_KINDS)
        finding = f"overrides-as is 'kind', but {others[0]} gives spans no verdicts of which GE could be one"
        raise SettingError(f"{finding}; choose match models from {names}, or overrides-as corrected.")
