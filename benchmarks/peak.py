"""How much memory a contender takes."""

from __future__ import annotations

import re
import resource
from pathlib import Path


def peak_mb() -> float:
    """The most memory that this process has had, in megabytes.

    What `getrusage` says of a process begins with that of the one that started it, and the corpora are made there.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
