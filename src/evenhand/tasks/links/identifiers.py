"""Identifiers that stand for others: tables with an identifier and the one that it stands for, separated by a tab.

`--same-ids FILE` is for both sides, `gold:FILE` and `system:FILE` for one. Blank lines are skipped. Chains of
identifiers are not followed: what stands in the second column is what counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import SIDES


@dataclass(frozen=True)
class SameIds:
    """A table for one side, or for both."""

    path: str
    digest: str
    """The beginning of the digest of its bytes, by which signatures tell tables apart."""
    only: str | None = None

    def __str__(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"{f'{self.only}:' if self.only else ''}{name}#{self.digest}"


def parse(given: str | Sequence[str]) -> tuple[SameIds, ...]:
    """`FILE`, `gold:FILE` or `system:FILE`, one or several."""
    return tuple(map(_parse, [given] if isinstance(given, str) else given))


def _parse(text: str) -> SameIds:
    side, colon, rest = text.partition(":")
    only, path = (side, rest) if colon and side in SIDES else (None, text)
    if not path:
        raise SettingError(f"{text!r} names no table of identifiers; write FILE, gold:FILE or system:FILE.")
    import hashlib  # slow to load, and few name a table

    return SameIds(path, hashlib.sha256(_bytes(path)).hexdigest()[:8], only)


def table(tables: Sequence[SameIds], side: str) -> dict[str, str]:
    """What identifiers of one side (`gold` or `system`) stand for; a later table has the last word."""
    found: dict[str, str] = {}
    for table in tables:
        if table.only in (None, side):
            found |= _pairs(table.path)
    return found


def _bytes(path: str) -> bytes:
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    return Source(to_path(path)).read_whole()


def _pairs(path: str) -> dict[str, str]:
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source, pairs = Source(to_path(path)), {}
    for block in source.blocks(1 << 20, cut_after="line"):
        lines = block.data[: block.size].decode().split("\n")
        for number, line in enumerate(lines, block.first_line):
            cells = [cell.strip() for cell in line.split("\t")]
            if cells == [""]:
                continue
            if len(cells) != 2 or not all(cells):
                remedy = "write an identifier, a tab and the identifier that it stands for"
                raise source.error(number, f"{line.strip()[:80]!r} is no pair of identifiers", remedy)
            pairs[cells[0]] = cells[1]
    return pairs
