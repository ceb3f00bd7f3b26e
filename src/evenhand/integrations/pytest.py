"""A plug-in for pytest: the fixture `evenhand_gate` lets a test fail where a system is not good enough.

pytest finds it through the entry point `pytest11` and loads it in every run, so nothing else is imported before a test
asks for the fixture. `-p no:evenhand` switches it off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from evenhand.pipeline.inputs import Input
    from evenhand.results.gate import Gate

MOST_ERRORS = 20
"""How many new errors a failure lists."""


class EvenhandGate(Protocol):
    """What the fixture is: `evenhand.gate`, which raises an AssertionError where the candidate does not pass."""

    def __call__(
        self, gold: Input, baseline: Input | None = None, candidate: Input | None = None, **criteria: Any
    ) -> Gate: ...


@pytest.fixture(scope="session")
def evenhand_gate() -> EvenhandGate:
    """Score and assert: evenhand_gate(gold, candidate=…, floor={"fair": 0.85}), with the keywords of evenhand.gate.

    With a baseline, evenhand_gate(gold, baseline, candidate, max_drop=0.5), a failure lists the new errors.
    """
    return _passing


def _passing(gold: Input, baseline: Input | None = None, candidate: Input | None = None, **criteria: Any) -> Gate:
    """The gate, if the candidate passes."""
    __tracebackhide__ = True
    import evenhand

    found = evenhand.gate(gold, baseline, candidate, **criteria)
    if not found.passed:
        raise AssertionError("\n".join(_failure(found)))
    return found


def _failure(gate: Gate) -> Iterator[str]:
    """What failed, the scores, the new errors, and the settings, as lines."""
    from evenhand.errors import announced, visible
    from evenhand.report.ci import described, new_errors, whereabouts

    against = "" if gate.compared is None else f" against {gate.pair.before}"
    yield visible(f"{gate.candidate}{against} on the gold standard {gate.gold_name} does not pass:")
    for criterion in gate.failures:
        yield visible(f"  {criterion.title}: {criterion.sentence}")
    for unchecked in gate.not_checked:
        yield visible(f"  {unchecked.name} (not checked): {unchecked.sentence}")
    yield visible("scores: " + ", ".join(f"{name} {gate.by} {100 * score:.2f}" for name, score in gate.scores.items()))
    shown = new_errors(gate, MOST_ERRORS)
    if shown:
        count = gate.pair.new_errors.count
        yield f"new errors: {count:,}" + (f", of which the first {len(shown)}:" if count > len(shown) else ":")
    for unit in shown:
        yield visible(f"  {whereabouts(unit)}: {described(unit)}")
    yield from (visible(announced(note)) for note in gate.notes)
    yield visible(gate.signature)
