"""Mentions of CorefUD: the numbers that the scorer of CRAC counts with exact matching and zeros matched by their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh


@pytest.mark.parametrize(
    ("response", "matched", "recall"),
    [
        ("gum-a-1", 396, 0.8898876404),
        ("gum-a-2", 352, 0.791011236),
        ("gum-a-3", 289, 0.6494382022),
        ("gum-b-1", 350, 0.9162303665),
        ("gum-b-2", 287, 0.7513089005),
        ("gum-b-3", 247, 0.6465968586),
    ],
)
def test_mentions_with_other_empty_nodes(data: Path, response: str, matched: int, recall: float) -> None:
    """corefud-scorer 1.2, `-x`, `-s`, `--zero-match-method linear`: empty nodes are added, lost and moved."""
    folder = data / "shared_tasks" / "coref" / "gum"
    files = folder / f"{response[:5]}.key", folder / f"{response}.response"
    found = eh.score(*files, match="mentions", mention_match="exact", zeros="linear")["mentions"]
    assert found.overall["common"] == matched
    assert found.recall == pytest.approx(recall, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("TC-ZA", "TC-ZA-2", (0.6667, 0.5, 0.56, 0.72, 0.5)),
        ("TC-ZA", "TC-ZA-4", (0.6154, 0.3333, 0.4683, 0.6286, 0.3636)),
        ("TC-ZB", "TC-ZB-2", (0.6667, 0.5, 0.56, 0.72, 0.5)),
        ("TC-ZF", "TC-ZF-5", (0.9091, 0.8571, 0.8387, 0.9, 0.8)),
        ("TC-ZG", "TC-ZG-3", (0.9091, 0.5714, 0.5946, 0.7333, 0.4286)),
    ],
)
def test_cases_with_zeros(data: Path, key: str, response: str, expected: tuple[float, ...]) -> None:
    folder = data / "shared_tasks" / "coref" / "tests" / "zeros"
    found = eh.score(folder / f"{key}.key", folder / f"{response}.response", mention_match="exact", zeros="linear")
    models = ("mentions", "muc", "b_cubed", "ceaf_e", "lea")
    assert tuple(round(found[model].f1, 4) for model in models) == expected
