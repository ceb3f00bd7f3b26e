"""Engines run jobs: `eh.score(…, engine=eh.engines.dask(client))`. Names are loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.registry import set_lazy_attributes

if TYPE_CHECKING:
    from evenhand.api.merge import recording_counts as recording_counts
    from evenhand.engines.cache import cached as cached
    from evenhand.engines.dask import dask as dask
    from evenhand.engines.processes import processes as processes
    from evenhand.pipeline.run import Engine as Engine
    from evenhand.pipeline.run import serial as serial
    from evenhand.pipeline.unit_table import recording as recording

_NAMES = {
    "evenhand.api.merge": ("recording_counts",),
    "evenhand.engines.cache": ("cached",),
    "evenhand.engines.dask": ("dask",),
    "evenhand.engines.processes": ("processes",),
    "evenhand.pipeline.run": ("Engine", "serial"),
    "evenhand.pipeline.unit_table": ("recording",),
}

set_lazy_attributes(__name__, _NAMES)
