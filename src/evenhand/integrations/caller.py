"""Warnings that name the line of whoever calls, however deep in this package they arise."""

from __future__ import annotations

import sys
import warnings


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn about the first line outside this package that led here."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").startswith("evenhand."):
        depth += 1
    warnings.warn(message, category, stacklevel=depth + 1)
