"""The arithmetic of match models that count words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import CommandLine, Conversion, Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import Formula, WeightedCounts
from evenhand.settings import ScoreSettings

# == tasks/words/kinds.py: The verdicts on words.


MISSING, EXTRA, ABSENT = "missing", "extra", "absent"
"""A unit of the gold standard that the system lacks, one that only the system has, and one that other systems add."""
TAG_KINDS = ("right", "wrong")
TREE_KINDS = ("right", "wrong_head", "wrong_relation", "both")
TAG_ERRORS = {"wrong": "wrong tag", MISSING: "missing"}
TREE_ERRORS = {
    "wrong_head": "wrong head",
    "wrong_relation": "wrong relation",
    "both": "wrong head and relation",
    MISSING: "missing",
    EXTRA: "extra",
}
"""What errors are called."""
ENHANCED = ("elas", "eulas")
"""Scores of enhanced dependencies, whose units are edges of words."""
RIGHT = {
    "uas": ("right", "wrong_relation"),
    "ls": ("right", "wrong_head"),
    "las": ("right",),
    "elas": ("right", ABSENT),
    "eulas": ("right", ABSENT),
}
"""The verdicts that are right under each score."""


# == tasks/words/models.py (primary)


def by_label(
    name: str,
    judge: str,
    kinds: Iterable[str],
    right: Iterable[str],
    settings: ScoreSettings,
    *,
    confuses: bool,
) -> Formula:
    """A model that counts some verdicts of a judge as right; what labels differ in counts on either side.

    `confuses` says whether labels are all that it looks at, so that it has a confusion matrix.
    """

    def on(side: str, chosen: Iterable[str]) -> WeightedCounts:
        return {f"{prefix}{kind}": 1.0 for prefix in ("", side) for kind in chosen}

    met, correct = on("gold.", right), on("system.", right)
    wanted, found = {**on("gold.", kinds), MISSING: 1.0}, {**on("system.", kinds), EXTRA: 1.0}
    counts = {"correct": met, "gold": wanted, "system": found}
    further = lazy(
        "evenhand.tasks.words.scores:with_confusion" if confuses else "evenhand.tasks.words.scores:with_sentences"
    )
    sums = (correct, found, met, wanted)
    return Formula(name, judge, counts, *sums, headline="accuracy", beta=settings.beta, further=further)


# == tasks/words/punctuation_policy.py: Which words are left out as punctuation, as a user says it.


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
    conversion=Conversion(parse=Punctuation.parse, stored=Punctuation),
    cli=CommandLine(metavar="POLICY"),
)
