"""What is resampled: documents or sentences."""

from __future__ import annotations

from typing import get_args

from evenhand.problems import SettingError
from evenhand.settings import Resampled, choose
from evenhand.tasks.registry import TASKS


def check_resampled(of: Resampled | None, task: str) -> None:
    """Refuse what cannot be resampled, before files are read."""
    choose("of", of, get_args(Resampled), optional=True)
    if TASKS[task].by_document and of == "sentences":
        raise SettingError(f"Scores of {task} are no sums over sentences; resample documents.")


def resampled_groups(of: Resampled | None, task: str, documents: int, sentences: int) -> tuple[Resampled, int]:
    """What is resampled, and how many of them there are.

    Documents, or sentences where there is one document, unless a user says which. Where counts add up over documents
    only, always these.
    """
    if of == "documents" and documents < 2:
        remedy = "leave it out" if TASKS[task].by_document else "resample sentences"
        raise SettingError(f"of is 'documents', but the gold standard has only one document; {remedy}.")
    of = of or ("documents" if documents > 1 or TASKS[task].by_document else "sentences")
    return of, documents if of == "documents" else sentences
