"""A report in a notebook: its page in a frame."""

from __future__ import annotations

import html

from evenhand.report.fragment import render as fragment
from evenhand.report.html import render as page
from evenhand.result.report import Report

LARGEST = 8 * 2**20
"""How many characters a page may have to be kept in a notebook; browsers and Git cannot bear much more."""
_HEIGHT = 640
_BASE = '<base href="about:srcdoc">'
"""Lets links within the page lead to the page, not to the notebook around it."""


def framed(report: Report) -> str:
    """The page in a frame, whose scripts see nothing of the notebook; if it is too large, its tables and what to do."""
    found = page(report)
    if len(found) > LARGEST:
        size = f"The page has {len(found) / 2**20:.0f} MB, too much for a notebook"
        return f'{fragment(report.shown)}<p>{size}; write it with <code>to_html("report.html")</code>.</p>\n'
    text = html.escape(found.replace("<head>", f"<head>{_BASE}", 1), quote=True)
    style = f"width:100%;height:{_HEIGHT}px;border:1px solid rgba(128,128,128,.5);background:#fff"
    title = html.escape(report.title, quote=True)
    return f'<iframe title="{title}" srcdoc="{text}" sandbox="allow-scripts" style="{style}"></iframe>\n'
