"""Fair evaluation written straight from the definition, one sentence at a time, with no thought of speed."""

from __future__ import annotations

from collections.abc import Callable

Unit = tuple[int, int, str, int]
"""Target (or -1), system span (or -1), kind and pass."""


class Span:
    def __init__(self, row: int, cells: tuple) -> None:
        self.row = row
        self.label, self.first, self.last = cells[:3]
        self.all = frozenset(cells[3] if len(cells) > 3 else range(self.first, self.last + 1))
        self.left = set(self.all)

    def same_bounds(self, other: Span) -> bool:
        return (self.first, self.last) == (other.first, other.last)

    def overlaps(self, other: Span) -> bool:
        return self.first <= other.last and other.first <= self.last and not self.same_bounds(other)


def fair(target_rows: list, system_rows: list) -> list[Unit]:
    targets = [Span(i, row) for i, row in enumerate(target_rows)]
    systems = [Span(i, row) for i, row in enumerate(system_rows)]
    units: list[Unit] = []

    def one_to_one(kind: str, fits: Callable[[Span, Span], bool]) -> None:
        for t in list(targets):
            s = next((s for s in systems if fits(t, s)), None)
            if s is not None:
                units.append((t.row, s.row, kind, 0))
                targets.remove(t)
                systems.remove(s)

    one_to_one("TP", lambda t, s: t.label == s.label and t.same_bounds(s) and t.all == s.all)
    one_to_one("LE", lambda t, s: t.label != s.label and t.same_bounds(s))
    targets.sort(key=lambda span: span.last - span.first)
    systems.sort(key=lambda span: span.last - span.first)
    matched_targets: list[Span] = []
    matched_systems: list[Span] = []
    for same_label in (True, False):

        def most_similar(span: Span, candidates: list[Span], same: bool, share: bool) -> Span | None:
            fitting = [
                c
                for c in candidates
                if (c.label == span.label) == same and c.overlaps(span) and (not share or c.left & span.left)
            ]
            return min(
                fitting,
                key=lambda c: (-len(c.left & span.left), len(c.left - span.left), c.last - c.first),
                default=None,
            )

        def match(t: Span, s: Span, step: int, same: bool) -> None:
            units.append((t.row, s.row, _boundary_kind(t, s) if same else "LBE", step))
            shared = t.left & s.left
            t.left -= shared
            s.left -= shared

        for t in list(targets):
            s = most_similar(t, systems, same_label, share=False)
            if s is not None:
                match(t, s, 1, same_label)
                targets.remove(t)
                systems.remove(s)
                matched_targets.append(t)
                matched_systems.append(s)
        for t in list(targets):
            s = most_similar(t, matched_systems, same_label, share=True)
            if s is not None:
                match(t, s, 2, same_label)
                targets.remove(t)
                matched_targets.append(t)
        for s in list(systems):
            t = most_similar(s, matched_targets, same_label, share=True)
            if t is not None:
                match(t, s, 3, same_label)
                systems.remove(s)
                matched_systems.append(s)
    units += [(t.row, -1, "FN", 0) for t in targets]
    units += [(-1, s.row, "FP", 0) for s in systems]
    return units


def _boundary_kind(t: Span, s: Span) -> str:
    if t.first <= s.first and s.last <= t.last:
        return "BES"
    if s.first <= t.first and t.last <= s.last:
        return "BEL"
    return "BEO"
