"""A plug-in for pytest: the fixture `evenhand_gate` fails a test if a system is not good enough.

pytest finds it through the entry point `pytest11` and loads it in every run, so nothing else is imported before a test
requests the fixture. `-p no:evenhand` disables it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from evenhand.pipeline.inputs import Input
    from evenhand.results.gate import Gate

MAX_ERRORS = 20
"""Maximum number of new errors in a failure message."""


class EvenhandGate(Protocol):
    """The fixture: `evenhand.gate`, which raises an AssertionError if the candidate does not pass."""

    def __call__(
        self, gold: Input, baseline: Input | None = None, candidate: Input | None = None, **criteria: Any
    ) -> Gate: ...


@pytest.fixture(scope="session")
def evenhand_gate() -> EvenhandGate:
    """Score and assert: evenhand_gate(gold, candidate=…, floor={"fair": 0.85}), with the keywords of evenhand.gate.

    With a baseline, evenhand_gate(gold, baseline, candidate, max_drop=0.5), a failure lists the new errors.
    """
    return _assert_passed


def _assert_passed(gold: Input, baseline: Input | None = None, candidate: Input | None = None, **criteria: Any) -> Gate:
    __tracebackhide__ = True
    import evenhand

    gate = evenhand.gate(gold, baseline, candidate, **criteria)
    if not gate.passed:
        raise AssertionError("\n".join(_failure(gate)))
    return gate


def _failure(gate: Gate) -> Iterator[str]:
    """Lines with the failed criteria, the scores, the new errors, and the settings."""
    from evenhand.errors import announced, visible
    from evenhand.report.ci import described, new_errors, whereabouts

    against = "" if gate.compared is None else f" against {gate.pair.before}"
    yield visible(f"{gate.candidate}{against} on the gold standard {gate.gold_name} does not pass:")
    for criterion in gate.failures:
        yield visible(f"  {criterion.title}: {criterion.sentence}")
    for unchecked in gate.not_checked:
        yield visible(f"  {unchecked.name} (not checked): {unchecked.sentence}")
    yield visible("scores: " + ", ".join(f"{name} {gate.by} {100 * score:.2f}" for name, score in gate.scores.items()))
    errors = new_errors(gate, MAX_ERRORS)
    if errors:
        count = gate.pair.new_errors.count
        yield f"new errors: {count:,}" + (f", of which the first {len(errors)}:" if count > len(errors) else ":")
    for unit in errors:
        yield visible(f"  {whereabouts(unit)}: {described(unit)}")
    yield from (visible(announced(note)) for note in gate.notes)
    yield visible(gate.signature)
