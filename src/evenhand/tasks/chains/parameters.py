"""What a user can set of coreference chains, and what the shared tasks set."""

from __future__ import annotations

from typing import Any

from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.tasks.chains.kinds import HEADS
from evenhand.tasks.task import Content

PRESETS: dict[str, dict[str, Any]] = {
    "crac2022": {"mention_match": "partial", "singletons": False, "zeros": "linear"},
    "crac2023": {"mention_match": "head", "singletons": False, "zeros": "linear"},
    "crac2024": {"mention_match": "head", "singletons": False, "zeros": "dependent"},
}
"""What the shared tasks on multilingual coreference resolution used, year by year."""

PARAMETERS = (
    Parameter(
        "mention_match",
        "text",
        None,
        "What counts as the same mention: head: the same head, paired by the words in common; partial: words of the "
        "key's mention with its head; exact: the same words [head for CorefUD, else exact].",
        choices=("head", "partial", "exact"),
        metavar="HOW",
        optional=True,
        trait=HEADS,
        hints={"-x": "--mention-match exact", "--exact-match": "--mention-match exact", "-m": "--match"},
    ),
    Parameter(
        "zeros",
        "text",
        None,
        "How zeros of CorefUD are matched: dependent: by the parents and relations of their empty nodes, wherever "
        "these stand; linear: by their place [dependent].",
        choices=("dependent", "linear"),
        metavar="HOW",
        former=("zero_match_method",),
        optional=True,
        trait=HEADS,
    ),
    Parameter(
        "singletons",
        "flag",
        None,
        "Keep chains of one mention [kept].",
        former=("keep_singletons",),
        hints={"-s": "--singletons"},
        spell=lambda kept: "kept" if kept else "removed",
        has_opposite=True,
    ),
    Parameter(
        "repeats",
        "text",
        None,
        "Which chain has a mention that several have: the first, and no other, as in CoNLL-2012; the last, while all "
        "copies count, as the scorer of CorefUD has it [last for CorefUD, else first].",
        choices=("first", "last"),
        metavar="CHAIN",
        spell=lambda chain: f"{chain}-chain",
        optional=True,
    ),
    Parameter(
        "preset",
        "text",
        None,
        "The settings of a shared task: crac2022 (partial), crac2023 (head) or crac2024 (head, dependent zeros), all "
        "without singletons.",
        choices=tuple(PRESETS),
        metavar="NAME",
        key="",
        optional=True,
    ),
)


def settle(values: dict[str, Any], content: Content) -> None:
    """Give parameters their values that depend on the format or on a preset."""
    has_heads, preset = HEADS in content.traits, values["preset"]
    for name, value in PRESETS.get(preset, {}).items():
        if values[name] not in (None, value):
            option = name.replace("_", "-")
            raise SettingError(f"preset {preset} has another value for {option}; leave out one of the two.")
        values[name] = value
    defaults = {
        "mention_match": "head" if has_heads else "exact",
        "zeros": "dependent" if has_heads else None,
        "singletons": True,
        "repeats": "last" if has_heads else "first",
    }
    for name, value in defaults.items():
        values[name] = value if values[name] is None else values[name]
