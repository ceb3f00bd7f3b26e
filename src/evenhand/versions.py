"""The versions with which every signature begins: of Evenhand, and of the numbers that it computes.

The numbers version is raised whenever Evenhand computes another figure from the same input and settings. `NUMBERS.md`
lists what changed in each of them; `tests/frozen` checks that no figure changes without it.
"""

from __future__ import annotations

from collections.abc import Mapping

from evenhand import __version__

FIRST_RELEASES = {1: "0.1.0"}
"""The first version of Evenhand that computes each numbers version."""
NUMBERS = max(FIRST_RELEASES)
"""The numbers version that this Evenhand computes."""


def signed(settings: Mapping[str, str]) -> str:
    """The signature of these settings: `key:value` pairs, joined by bars, after the versions."""
    values = {"evenhand": __version__, "numbers": str(NUMBERS), **settings}
    return "|".join(f"{key}:{value}" for key, value in values.items())


def numbers_of(signature: str) -> str:
    """The numbers version of a signature; those without this key were written by the first one."""
    return dict(pair.partition(":")[::2] for pair in signature.split("|")).get("numbers", "1")
