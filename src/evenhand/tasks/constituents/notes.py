"""What a reader of scores of constituents should know about the files behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.problems import WARNING, counted
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.constituents.passage import MENDED
from evenhand.tasks.notes import label_notes
from evenhand.tasks.side_count import SideCount

if TYPE_CHECKING:
    from evenhand.result.result import Gold


def notes(
    gold: Gold, gold_count: SideCount, name: str, side: SideCount, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Sentences that are left out, and files that are odd."""
    errors, skipped = side.noted["error"], side.noted["skip"]
    found = []
    if errors + skipped == gold.sentences:
        found.append(
            f"{WARNING}system {name}: no sentence can be scored ({errors:,} with errors, "
            f"{skipped:,} skipped), so precision, recall and F1 of labeled and the like are undefined."
        )
    elif errors or skipped:
        left = f"{errors:,} with errors and {skipped:,} skipped"
        found.append(
            f"system {name}: of {_sentences(gold.sentences)}, {left} are left out of labeled and the other scores of "
            "EVALB, which may gain by that; labeled-all and the like count them as wrong."
        )
    if mended := side.noted[MENDED]:
        found.append(f"system {name}: in {_sentences(mended)}, quotes were mended (QUOTE_LABEL).")
    if identical:
        found.append(f"system {name}: its brackets are just those of the gold standard; is it the right file?")
    return (*found, *label_notes(gold, name, side.labels, "bracket"))


def setting_notes(settings: ScoreSettings) -> tuple[str, ...]:
    """What a parameter file changes in names of scores."""
    if settings["prm"].labeled:
        return ()
    return (f"{settings['prm'].name} says LABELED 0: labels do not count in labeled, nor in complete.",)


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all brackets are right."""
    tally = next((tallies[name] for name in ("brackets", "brackets-all") if name in tallies), None)
    return tally is not None and bool(len(tally)) and tally.kinds_met <= {"TP"} and not len(tallies["left out"])


def _sentences(count: int) -> str:
    return counted(count, "sentence")
