"""A report in a notebook's frame: its links lead to the units, not to the notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import evenhand as eh
from pages import until


def test_a_figure_in_the_frame_leads_to_its_units(
    browser: Any, example_reports: dict[str, eh.Report], tmp_path: Path
) -> None:
    (tmp_path / "notebook.html").write_text(f"<h1>notebook</h1>{example_reports['spans']._repr_html_()}", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#differences td.number a").first.click()
    frame.locator("#rows .unit").first.wait_for()
    assert "Units are being unpacked" not in frame.locator("#status").inner_text()
    inner = page.frames[1]
    until(page, lambda: inner.url.startswith("about:srcdoc#units?from="))
    assert inner.title() == example_reports["spans"].title
    page.close()
