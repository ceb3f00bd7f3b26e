"""Which words are left out as punctuation, as a user says it."""

from __future__ import annotations

from typing import Literal

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.problems import SettingError


@dataclass(frozen=True)
class Punctuation:
    """Which words are left out as punctuation: none, or those told by their relation, form, or tags."""

    by: Literal["keep", "relation", "form", "pos"] = "keep"
    tags: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> Punctuation:
        """`keep`, `relation`, `form`, or `pos:TAG,TAG`; with spaces between tags where a comma is one of them."""
        by, _, rest = text.partition(":")
        words = rest.split()
        with_spaces = "," in words or "," not in rest
        tags = tuple(words if with_spaces else (tag.strip() for tag in rest.split(",") if tag.strip()))
        if by == "pos" and tags:
            return Punctuation("pos", tags)
        if text in ("keep", "relation", "form"):
            return Punctuation(text)  # type: ignore[arg-type]  # one of the three
        raise SettingError(f"punctuation is {text!r}; choose keep, relation, form, or list tags: pos:PUNCT,SYM.")

    def __str__(self) -> str:
        return f"pos:{'+'.join(self.tags)}" if self.tags else self.by


PUNCTUATION = Parameter(
    "punctuation",
    "text",
    Punctuation(),
    "Words to leave out as punctuation: none (keep), those with the relation punct (relation), those without letters "
    "and digits (form), or those with these tags (pos:PUNCT,SYM) [keep].",
    metavar="POLICY",
    parse=Punctuation.parse,
    stored=Punctuation,
)
