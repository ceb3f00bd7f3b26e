"""Weight tables: error types as mixtures of TP, FP and FN, from which precision and recall follow.

TP, FP and FN count 1 each. The weights of errors:

- `fair` (eq. 5; the measure `fair`): LE = BE = LBE = 0.5 FP + 0.5 FN
- `lenient` (eq. 6): BE = 0.5 TP + 0.25 FP + 0.25 FN
- `boundaries` (eq. 7; the default of the measure `weighted`):
  BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, BEO = 0.5 TP + 0.25 FP + 0.25 FN
- `as-fp`: LE = BE = LBE = 1 FP (proposed by Ortmann 2021)
- `as-fn`: LE = BE = LBE = 1 FN (proposed by Read et al. 2012)
- a formula, or a file with a formula: `LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.25 FP + 0.25 FN`. Asterisks are
  optional, and `BE` covers BES, BEL and BEO unless they are named. Numbers are at most 1,000,000. With
  `--overrides-as kind`, `GE = 1 TP` is the weight of errors of the gold standard.

Errors that are not named count by eq. 5, except that GE counts nothing. `fair`, `as-fp` and `as-fn` have the same F1,
which depends only on the numbers of TP and errors (eq. 4). Exact match cannot be written as a weight table: a match of
pass 2 or 3 uses up only one new span, while exact match counts two errors for some and one for others.

Source: Ortmann 2022, section 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError

ERRORS = ("LE", "BES", "BEL", "BEO", "LBE")
GOLD_ERROR = "GE"
"""An error of the gold standard, which counts nothing unless it is named."""
Mixture = tuple[float, float, float]
"""The shares of TP, FP and FN that one unit counts."""

_FIXED: dict[str, Mixture] = {"TP": (1, 0, 0), "FP": (0, 1, 0), "FN": (0, 0, 1)}
_HALF_AND_HALF: Mixture = (0, 0.5, 0.5)
_NOTHING: Mixture = (0, 0, 0)
_FORMULA_EXAMPLE = "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"
_TERM = re.compile(r"\s*+(\d++(?:\.\d*+)?|\.\d++)?+\s*+\*?+\s*+(TP|FP|FN)\s*+")
"""A number and TP, FP or FN. Without backtracking, so the time is linear in the length."""
_LARGEST = 1_000_000
"""Maximum weight, to keep sums of weighted counts finite."""


@dataclass(frozen=True)
class Weights:
    """The weights of error types. Types that are not named count by eq. 5: half FP, half FN."""

    mixtures: Mapping[str, Mixture]

    def __getitem__(self, kind: str) -> Mixture:
        return _FIXED.get(kind) or self.mixtures.get(kind, _NOTHING if kind == GOLD_ERROR else _HALF_AND_HALF)

    def __str__(self) -> str:
        kinds = (*ERRORS, GOLD_ERROR) if self.weighs_gold_errors else ERRORS
        return ",".join(f"{kind}={_mixture_text(self[kind])}" for kind in kinds)

    @property
    def weighs_gold_errors(self) -> bool:
        """Whether errors of the gold standard are named."""
        return GOLD_ERROR in self.mixtures


def _mixture_text(mixture: Mixture) -> str:
    return "+".join(f"{value:g}{name}" for value, name in zip(mixture, _FIXED, strict=True) if value) or "0TP"


PRESETS = {
    "fair": Weights({}),
    "lenient": Weights(dict.fromkeys(("BES", "BEL", "BEO"), (0.5, 0.25, 0.25))),
    "boundaries": Weights({"BES": (0.5, 0.0, 0.5), "BEL": (0.5, 0.5, 0.0), "BEO": (0.5, 0.25, 0.25)}),
    "as-fp": Weights(dict.fromkeys(ERRORS, (0.0, 1.0, 0.0))),
    "as-fn": Weights(dict.fromkeys(ERRORS, (0.0, 0.0, 1.0))),
}
"""eq. 5; eq. 6; eq. 7; and the two earlier proposals of section 2.2, which give the F1 of eq. 5."""


def parse_weights(text: str) -> Weights:
    """A preset's name, or a formula: `LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.25 FP + 0.25 FN`.

    Asterisks are optional, a missing number is 1, and `BE` covers BES, BEL and BEO unless they are named. Equations are
    separated by commas, semicolons or line ends; text after a `#` is a comment.
    """
    if text.strip() in PRESETS:
        return PRESETS[text.strip()]
    lines = (line.partition("#")[0] for line in text.splitlines())
    equations = [part for line in lines for part in re.split("[,;]", line) if part.strip()]
    if not equations:
        raise SettingError(f"The weights are empty; name one of {', '.join(PRESETS)}, or write {_FORMULA_EXAMPLE!r}.")
    named: dict[str, Mixture] = {}
    for equation in equations:
        kind, equals, mixture = (part.strip() for part in equation.partition("="))
        if not equals or kind not in (*ERRORS, "BE", GOLD_ERROR):
            raise _error(equation, f"name one of {', '.join((*ERRORS, 'BE', GOLD_ERROR))} before an equals sign")
        if kind in named:
            raise _error(equation, f"{kind} is given twice")
        named[kind] = _parse_mixture(equation, mixture)
    if "BE" in named:
        both = named.pop("BE")
        named = {**dict.fromkeys(("BES", "BEL", "BEO"), both), **named}
    return Weights(named)


def _parse_mixture(equation: str, text: str) -> Mixture:
    sums = dict.fromkeys(_FIXED, 0.0)
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if match is None:
            raise _error(equation, "write numbers of TP, FP and FN with plus signs between them")
        sums[match[2]] += float(match[1] or 1)
    if max(sums.values()) > _LARGEST:
        raise _error(equation, f"write numbers of at most {_LARGEST:,}")
    return sums["TP"], sums["FP"], sums["FN"]


def _error(equation: str, remedy: str) -> SettingError:
    return SettingError(f"{equation.strip()!r} in the weights: {remedy}, as in {_FORMULA_EXAMPLE!r}.")
