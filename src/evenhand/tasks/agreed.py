"""How a task measures the agreement of annotators: by which scores, and whether there are codes and units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass

if TYPE_CHECKING:
    from evenhand.text.annotation import Annotation


@dataclass(frozen=True)
class Agreed:
    """What `agree` asks of a task."""

    by: tuple[str, ...]
    """The match models by which pairs of annotators are compared, the exact one first."""
    as_spans: Callable[..., Annotation] | None = None
    """Gives an annotation the spans whose labels are codes of atoms: (annotation, read settings, settings, vocabulary).

    None where nothing has a code; each annotator is then the key for all others.
    """
    from_spans: Callable[[Annotation], Annotation] = lambda annotation: annotation
    """The way back, for an annotation that a vote made."""
    is_unitized: bool = False
    """Whether annotators choose where units are, so that some atoms have none and may all agree on that.

    Else each atom has a code of its own, and the score of a pair is the share of equal ones.
    """
    verdicts: str | None = None
    """The match model whose verdicts on a pair are counted."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that are other than those of `score`, unless a user gives them."""

    @property
    def has_codes(self) -> bool:
        return self.as_spans is not None
