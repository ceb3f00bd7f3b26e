"""Where work is done: `eh.score(…, engine=eh.engines.dask(client))`. Names are loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.names import load_late

if TYPE_CHECKING:
    from evenhand.engines.dask import dask as dask
    from evenhand.engines.processes import processes as processes
    from evenhand.engines.recording import recording as recording
    from evenhand.pipeline.work import Engine as Engine
    from evenhand.pipeline.work import serial as serial

_HOMES = {
    "Engine": "evenhand.pipeline.work",
    "dask": "evenhand.engines.dask",
    "processes": "evenhand.engines.processes",
    "recording": "evenhand.engines.recording",
    "serial": "evenhand.pipeline.work",
}

load_late(__name__, _HOMES)
