"""What systems are judged on in one portion: the gold standard, with overrides or as it was read."""

from __future__ import annotations

from evenhand.dataclass import dataclass
from evenhand.tasks.spans.portion import Portion, SideSpans
from evenhand.tasks.spans.values import Values
from evenhand.text.layers import Spans


@dataclass(frozen=True)
class Reference:
    """Gold spans with the labels that count, and what judges need beside them."""

    side: SideSpans
    values: Values | None
    """The values of its spans, where somebody asks what leaks."""
    targets: Spans | None = None
    """What the gold standard should have, where its errors are a kind."""

    @property
    def spans(self) -> Spans:
        return self.side.spans

    @staticmethod
    def of(portion: Portion, side: SideSpans, values: Values | None, targets: Spans | None = None) -> Reference:
        """That of the next portion, whose values are entered."""
        if values is not None:
            values.enter(portion.values(side.spans, values.gold))
        return Reference(side, values, targets)
