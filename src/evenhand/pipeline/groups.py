"""What is resampled: documents or sentences."""

from __future__ import annotations

from typing import get_args

from evenhand.problems import SettingError
from evenhand.settings import Resampled, Task, choose


def check_resampled(of: Resampled | None, task: Task) -> None:
    """Refuse what cannot be resampled, before files are read."""
    choose("of", of, get_args(Resampled), optional=True)
    if task == "chains" and of == "sentences":
        raise SettingError("Chains cross sentences, so their scores are no sums over sentences; resample documents.")


def resampled_groups(of: Resampled | None, task: Task, documents: int, sentences: int) -> tuple[Resampled, int]:
    """What is resampled, and how many of them there are.

    Documents, or sentences where there is one document, unless a user says which. Of chains, always documents.
    """
    if of == "documents" and documents < 2:
        remedy = "leave it out" if task == "chains" else "resample sentences"
        raise SettingError(f"of is 'documents', but the gold standard has only one document; {remedy}.")
    of = of or ("documents" if documents > 1 or task == "chains" else "sentences")
    return of, documents if of == "documents" else sentences
