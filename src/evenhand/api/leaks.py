"""Scores with the spans that leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from evenhand.api.results import Systems, scored
from evenhand.arguments import whole_number
from evenhand.pipeline.inputs import Input
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Work
from evenhand.problems import SettingError
from evenhand.result.result import Result, Results
from evenhand.settings import Groups

if TYPE_CHECKING:
    from evenhand.tasks.spans.leaked import LeakedSpan

SHOWN = ("leaked",)
"""What can be listed beside scores."""
_MODEL = "leak"


def scored_with_leaks(gold: Input, systems: Systems, prepared: Prepared, groups: Groups, limit: int | None) -> Results:
    """The results, each with the gold spans that are not covered, or the first ones; in this process."""
    from evenhand.tasks.spans.leaked import LeakWatch

    if _MODEL not in prepared.settings.match:
        raise SettingError("Spans that leak are those of the match model leak; score with it, too.")
    watch = LeakWatch(None if limit is None else whole_number("limit", limit, 0))

    def watched(work: Work) -> Run:
        run = work.run([watch])
        run.settle_groups(work.groups)
        return run

    results = scored(gold, systems, prepared, groups, watched)
    return Results({name: _with_spans(each, watch.found.get(name, [])) for name, each in results.items()})


def _with_spans(result: Result, leaked: Sequence[LeakedSpan]) -> Result:
    score = result[_MODEL].adding("leaked", {"spans": [asdict(each) for each in leaked]})
    return replace(result, scores={**result.scores, _MODEL: score})
