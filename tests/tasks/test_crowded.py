"""Where so many spans lie on one token that pairs are not listed, the figures are those of listed pairs."""

from __future__ import annotations

from contextlib import ExitStack
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.tasks.spans import crowded_pairs, fair, pairs

MODELS = "exact,fair,ts,t,overlap,contain,constrained,iou,semeval"
LABELS = ("A", "B", "C")
SPANS = st.tuples(st.sampled_from(LABELS), st.integers(0, 12), st.integers(1, 12)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
SIDE = st.lists(st.lists(SPANS, max_size=14), min_size=2, max_size=2)


def annotation(sentences: list[list[tuple[str, int, int]]]) -> eh.Annotation:
    return eh.spans([sorted(each, key=lambda span: span[1]) for each in sentences], end="exclusive", lengths=[24, 24])


def scored(gold: eh.Annotation, system: eh.Annotation, *, listed: bool, few: int = -1, **options: object) -> object:
    """All counts and scores; without listing, every pair is one too many."""
    with ExitStack() as patched:
        if not listed:
            for module, names in ((pairs, ("MOST", "FEW")), (fair, ("MOST",)), (crowded_pairs, ("FEW",))):
                for name in names:
                    patched.enter_context(patch.object(module, name, few if name == "FEW" else 0))
        found = eh.score(gold, system, **{"match": MODELS, **options})  # type: ignore[typeddict-item]
        return {name: tally.cells() for name, tally in found.tallies.items()} | {
            name: score.labels for name, score in found.scores.items()
        }


@given(SIDE, SIDE, st.sampled_from((0.01, 0.2, 1 / 3, 0.5, 0.55, 0.8, 1.0)), st.integers(0, 3), st.integers(0, 3))
def test_every_model_counts_the_same(
    one: list[list[tuple[str, int, int]]],
    other: list[list[tuple[str, int, int]]],
    iou: float,
    spurious: int,
    missing: int,
) -> None:
    gold, system = annotation(one), annotation(other)
    options = {"iou": iou, "spurious": spurious, "missing": missing}
    expected = scored(gold, system, listed=True, **options)
    assert scored(gold, system, listed=False, **options) == expected
    assert scored(gold, system, listed=False, few=-100, **options) == expected


@pytest.mark.parametrize("few", [-1, -100, 20])
def test_a_pile_of_spans(few: int) -> None:
    """All spans around one token, all from one token on, all over a bound, all with the same bounds."""
    piles = (
        ([(n, 120 - n) for n in range(50)], [(n, 119 - n + n % 3) for n in range(50)]),
        ([(n, 51) for n in range(50)], [(50, 52 + n) for n in range(50)]),
        ([(2 * n, 2 * n + 60) for n in range(50)], [(2 * n + 1, 2 * n + 60) for n in range(50)]),
        ([(5, 8)] * 50, [(5, 8)] * 40 + [(5, 9)] * 9),
    )
    for mine, theirs in piles:
        gold = eh.spans([[(LABELS[n % 3], *bounds) for n, bounds in enumerate(mine)]], end="exclusive")
        system = eh.spans([[(LABELS[n * 2 // 3 % 3], *bounds) for n, bounds in enumerate(theirs)]], end="exclusive")
        assert scored(gold, system, listed=False, few=few) == scored(gold, system, listed=True)
