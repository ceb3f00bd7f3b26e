"""How much memory a process has had at most, in MB.

What `getrusage` says of a process begins with that of the one that started it, which may be large; Linux knows better.
"""

from __future__ import annotations

import re
from pathlib import Path

STATUS = Path("/proc/self/status")
PEAK = f"""
import re
from pathlib import Path
found = re.search(r"VmHWM:\\s*(\\d+) kB", Path("{STATUS}").read_text()) if Path("{STATUS}").exists() else None
if found is None:
    import resource
print((int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024)
"""
"""The end of a script that prints it."""


def peak() -> float:
    """That of this process."""
    found = re.search(r"VmHWM:\s*(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    if found is None:
        import resource
    return (int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024
