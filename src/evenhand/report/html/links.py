"""Queries for units, as fragments of the page's address."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from urllib.parse import quote

from evenhand.table import Query

_NAMES = {field.name: field.name.rstrip("_") for field in fields(Query) if field.name != "by"}


@lru_cache(1 << 14)
def address(query: Query | None, by: str) -> str | None:
    """The address of some units (`#units?system=crf&kind=LE&gold=PER`) in a page that shows the verdicts of a score.

    None where the page does not have them.
    """
    if query is None or (query.by is not None and by not in query.by.split(",")):
        return None
    asked = ((name, getattr(query, field)) for field, name in _NAMES.items())
    return "#units?" + "&".join(f"{name}={_spelled(value)}" for name, value in asked if value is not None)


@lru_cache(1 << 14)
def _spelled(value: str | bool) -> str:
    return quote(str(int(value)) if isinstance(value, bool) else value, safe="")
