"""Where the tests find the published data, and what happens where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "src" / "evenhand" / "examples" / "ner"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published gold standards and system outputs: EVENHAND_DATA, or beside the project."""
    folder = Path(os.environ.get("EVENHAND_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the published data is not at {folder}; name its folder in EVENHAND_DATA")
    return folder


@pytest.fixture
def example() -> Path:
    return EXAMPLE
