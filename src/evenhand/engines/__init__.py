"""Engines run jobs: `eh.score(…, engine=eh.engines.dask(client))`. Names are loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.registry import set_lazy_attributes

if TYPE_CHECKING:
    from evenhand.engines.dask import dask as dask
    from evenhand.engines.processes import processes as processes
    from evenhand.pipeline.run import Engine as Engine
    from evenhand.pipeline.run import serial as serial
    from evenhand.pipeline.unit_table import recording as recording

_ADDRESSES = {
    "Engine": "evenhand.pipeline.run",
    "dask": "evenhand.engines.dask",
    "processes": "evenhand.engines.processes",
    "recording": "evenhand.pipeline.unit_table",
    "serial": "evenhand.pipeline.run",
}

set_lazy_attributes(__name__, _ADDRESSES)
