"""How many threads NumPy has."""

from __future__ import annotations

import os
import sys

_NUMBER = "OPENBLAS_NUM_THREADS"


def start_no_threads() -> None:
    """Have OpenBLAS, which NumPy comes with, start no threads, for processes that only Evenhand works in.

    To start them takes as long as to load all else of NumPy. Matrix products are the smallest part of what Evenhand
    does, and `--jobs` says how many processors it may use. If the environment names a number, it stays.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault(_NUMBER, "1")
