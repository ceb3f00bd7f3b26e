"""The tables of a result as one HTML page that needs no other file: what a notebook shows, with all rows.

The page with the units behind the figures is in `report/html`.
"""

from __future__ import annotations

import sys

from evenhand.report import fragment
from evenhand.result.display import Shown

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evenhand</title>
<style>:root {{ color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }} body {{ margin: 2em }}</style>
{body}</html>
"""


def render(subject: Shown) -> str:
    """The page."""
    return _PAGE.format(body=fragment.render(subject, most=sys.maxsize))
