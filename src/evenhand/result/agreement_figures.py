"""The figures of an agreement, in the form of their JSON. None stands for what is undefined."""

from __future__ import annotations

import msgspec


class Coefficients(msgspec.Struct, frozen=True):
    """Agreement over the codes of atoms."""

    atoms: int
    """How many atoms two annotators have at least."""
    observed: float | None = None
    kappa: float | None = None
    fleiss: float | None = None
    alpha: float | None = None
    ac1: float | None = None


class Unitizing(msgspec.Struct, frozen=True):
    """Agreement on units, in documents that all annotators have."""

    atoms: int
    u_alpha: float | None = None
    u_alpha_binary: float | None = None
    cu_alpha: float | None = None
    ku_alpha: dict[str, float | None] = {}
    alpha_u: float | None = msgspec.field(default=None, name="alpha_U")
    alpha_u_labels: dict[str, float | None] = msgspec.field(default_factory=dict, name="alpha_U_labels")
    gamma: float | None = None
    gamma_pairs: float | None = None
    """The mean of the pairs' gammas, of more than two annotators."""


class Spread(msgspec.Struct, frozen=True):
    """The mean over pairs, and the population standard deviation."""

    mean: float | None
    sd: float | None


class LabelAgreement(msgspec.Struct, frozen=True):
    """Agreement on one label: binary codes, and exact F1 of pairs that use it."""

    kappa: float | None
    fleiss: float | None
    alpha: float | None
    f1: Spread


class Verdicts(msgspec.Struct, frozen=True):
    """The verdicts on a pair, as `score` has them with the first annotator as the gold standard."""

    counts: dict[str, int]
    """How many spans have which verdict; FN: only the first annotator has it, FP: only the second."""
    confusion: dict[str, dict[str, int]]
    """What is no TP, by the labels of the first and of the second annotator; "" stands for no span."""


class PairAgreement(msgspec.Struct, frozen=True):
    """Two annotators."""

    a: str
    b: str
    documents: int
    """How many documents both have."""
    codes: dict[str, Coefficients]
    """Over `all` atoms, over those that `any` of the two labels, and over those that `every` one labels."""
    f1: dict[str, float | None]
    labels: dict[str, float | None]
    """Exact F1 by label."""
    unitizing: Unitizing
    confusion: dict[str, dict[str, int]]
    """How many atoms have a code of the one and a code of the other annotator."""
    verdicts: Verdicts | None = None
    """None where the two have no document in common, and where spans are not compared."""


class DocumentAgreement(msgspec.Struct, frozen=True):
    """One document: how many annotators have it, their mean exact F1, and alpha."""

    name: str
    annotators: int
    exact: float | None
    alpha: float | None


class Annotator(msgspec.Struct, frozen=True):
    """What one annotator has."""

    name: str
    documents: int
    units: int
    labels: dict[str, int]


class Coverage(msgspec.Struct, frozen=True):
    """How many documents so many annotators have, and each annotator."""

    by_number: dict[str, int]
    by_annotator: dict[str, int]


class Interval(msgspec.Struct, frozen=True):
    low: float
    high: float


class Resampling(msgspec.Struct, frozen=True):
    """How intervals were made."""

    resamples: int
    of: str
    level: float
    seed: int


class Figures(msgspec.Struct, frozen=True):
    """All figures of an agreement, in the form of their JSON."""

    task: str
    signature: str
    notes: list[str]
    coding: str | None
    """What the codes of spans are; None where there are no spans."""
    annotators: list[Annotator]
    coverage: Coverage
    codes: dict[str, Coefficients]
    f1: dict[str, Spread]
    unitizing: Unitizing
    labels: dict[str, LabelAgreement]
    pairs: list[PairAgreement]
    documents: list[DocumentAgreement]
    undefined: dict[str, str]
    """Why a figure is undefined, by its path (`codes.all.alpha`)."""
    intervals: dict[str, Interval]
    resampling: Resampling
