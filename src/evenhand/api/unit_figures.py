"""alpha_U and gamma, which are computed of the units themselves, where somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import numpy as np
from msgspec.structs import replace

from evenhand.agreement.alpha_u import Disagreement, alpha_u
from evenhand.agreement.continuum import Continuum
from evenhand.agreement.counts import Counts
from evenhand.agreement.gamma import gamma
from evenhand.agreement.units import Units
from evenhand.dataclass import dataclass
from evenhand.result.agreement_figures import Unitizing

NO_UNITS = "nobody has a span"
NO_CHANCE = "no disagreement is expected by chance"


@dataclass(frozen=True)
class UnitFigures:
    """What is asked, and the units."""

    continuum: Continuum | None
    """The units, for alpha_U."""
    wholes: Continuum | None
    """The spans with their gaps, for gamma."""
    samples: int
    """Of gamma."""
    seed: int

    def added(
        self, found: Unitizing, counts: Counts, annotators: Sequence[int], labels: Sequence[str]
    ) -> tuple[Unitizing, dict[str, str]]:
        """The figures of some annotators with what is asked, and why some are undefined."""
        undefined: dict[str, str] = {}
        if self.continuum is not None:
            found = _with_alpha_u(found, self.continuum, counts, annotators, labels, undefined)
        if self.wholes is not None:
            pairs = [self._gamma(self.wholes, counts, pair) for pair in combinations(annotators, 2)]
            known = [each for each in pairs if each is not None]
            name = "gamma" if len(annotators) == 2 else "gamma_pairs"
            found = replace(found, **{name: float(np.mean(known)) if known else None})
            undefined |= {} if known else {name: _no_gamma(self.wholes, counts, annotators)}
        return found, undefined

    def _gamma(self, wholes: Continuum, counts: Counts, pair: tuple[int, ...]) -> float | None:
        return gamma(_shared(wholes, counts, pair), self.samples, (self.seed, *pair))


def _shared(wholes: Continuum, counts: Counts, pair: tuple[int, ...]) -> Iterator[tuple[Units, Units, int]]:
    """The units in the documents of both."""
    one, other = pair
    return wholes.documents(one, other, counts.has[:, one] & counts.has[:, other])


def _no_gamma(wholes: Continuum, counts: Counts, annotators: Sequence[int]) -> str:
    """Why no pair has a gamma."""
    shared = chain.from_iterable(_shared(wholes, counts, pair) for pair in combinations(annotators, 2))
    return NO_CHANCE if any(len(one) + len(other) for one, other, _ in shared) else NO_UNITS


def _with_alpha_u(
    found: Unitizing,
    continuum: Continuum,
    counts: Counts,
    annotators: Sequence[int],
    labels: Sequence[str],
    undefined: dict[str, str],
) -> Unitizing:
    """The figures with alpha_U, overall and by label."""
    common = np.all(counts.has[:, list(annotators)], axis=1)
    by_label = continuum.labels(annotators, common)
    known = {label: each for label, each in by_label.items() if isinstance(each, Disagreement)}
    stacked = {label: each for label, each in by_label.items() if not isinstance(each, Disagreement)}
    values = {labels[label]: known[label].alpha if label in known else None for label in by_label}
    alpha = None if stacked else alpha_u(known.values())
    reasons = {labels[label]: _overlapping(counts.names[annotator]) for label, annotator in stacked.items()}
    reason = _overlapping(counts.names[min(stacked.values())]) if stacked else NO_CHANCE if known else NO_UNITS
    undefined |= {} if alpha is not None else {"alpha_U": reason}
    undefined |= {
        f"alpha_U_labels.{name}": reasons.get(name, NO_CHANCE) for name, value in values.items() if value is None
    }
    return replace(found, alpha_u=alpha, alpha_u_labels=dict(sorted(values.items())))


def _overlapping(annotator: str) -> str:
    return f"alpha_U needs spans of a label that do not overlap, and some of {annotator} do"
