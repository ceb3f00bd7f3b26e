"""Results in a notebook, executed by a real Jupyter kernel: every cell shows one thing, once."""

from __future__ import annotations

import html
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

nbformat = pytest.importorskip("nbformat", reason="nbconvert is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
CELLS = {
    "imports": "import evenhand as eh\nsystems = ['crf.conll', 'tagger.conll']",
    "result": "result = eh.score('gold.conll', 'crf.conll')\nresult",
    "model": "result['fair']",
    "figure": "result.plot('errors')",
    "ranking": "eh.rank('gold.conll', systems, match='exact', resamples=50)",
    "report": "eh.report('gold.conll', systems, trials=100, resamples=50)",
    "printed": "print(result['exact'])",
    "inline": "%matplotlib inline\nresult.plot('confusion')",
    "kept": "figure = result.plot('errors', path='errors.svg')",
}


def test_the_notebook_of_the_docs(tmp_path: Path) -> None:
    """A frame in, errors as a frame, grouped by metadata, a custom match, a figure: at most 25 lines."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("pyarrow")
    notebook = nbformat.read(ROOT / "docs" / "how-to" / "errors.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(bool(line.strip()) for cell in cells for line in cell.source.splitlines()) <= 25
    executor = nbconvert.preprocessors.ExecutePreprocessor(timeout=60)
    executor.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    frame, result, grouped, custom, figure = (cell.outputs[-1].data for cell in cells)
    assert "text" in frame["text/html"]
    assert "34 spans in 5 documents" in result["text/html"]
    rows = [line.split() for line in grouped["text/plain"].splitlines()]
    assert rows == [
        ["type", "BES", "FN", "FP", "LE"],
        ["kind"],
        ["doctor", "0", "0", "3", "1"],
        ["family", "2", "1", "0", "1"],
    ]
    assert "same_end" in custom["text/html"]
    assert size(figure["image/png"])[0] == 1260


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What each cell shows."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("notebook")
    for path in NER.glob("*.conll"):
        (folder / path.name).write_bytes(path.read_bytes())
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    executor = nbconvert.preprocessors.ExecutePreprocessor(timeout=300)
    executor.preprocess(notebook, {"metadata": {"path": str(folder)}})
    assert (folder / "errors.svg").exists()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def shown(outputs: dict[str, list[Any]], cell: str) -> Any:
    """The one thing that a cell shows, in all its forms."""
    (output,) = outputs[cell]
    assert output.output_type == "execute_result"
    return output.data


def size(image: str) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    data = b64decode(image)
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def test_results_and_rankings_are_tables(outputs: dict[str, list[Any]]) -> None:
    assert "<table" in shown(outputs, "result")["text/html"]
    assert "1 A" in shown(outputs, "ranking")["text/html"]


def test_the_scores_of_a_model_are_one_line(outputs: dict[str, list[Any]]) -> None:
    expected = "ModelScore('fair', f1=0.7650, precision=0.8883, recall=0.6717, labels=4)"
    assert dict(shown(outputs, "model")) == {"text/plain": expected}


def test_a_figure_shows_itself_without_a_command(outputs: dict[str, list[Any]]) -> None:
    (output,) = outputs["figure"]
    width, height = size(output.data["image/png"])
    assert output.metadata["image/png"] == {"width": 630, "height": height // 2}
    assert width == 1260


def test_a_figure_is_shown_once_with_the_command_too(outputs: dict[str, list[Any]]) -> None:
    assert size(shown(outputs, "inline")["image/png"]) > (100, 100)


def test_a_report_is_its_page_in_a_frame(outputs: dict[str, list[Any]]) -> None:
    frame = shown(outputs, "report")["text/html"]
    assert frame.startswith('<iframe title="tagger, crf on gold" srcdoc="')
    page = html.unescape(frame)
    assert '<head><base href="about:srcdoc">' in page
    assert "Changes between systems" in page


def test_what_is_printed_or_kept_is_not_shown_again(outputs: dict[str, list[Any]]) -> None:
    (output,) = outputs["printed"]
    assert (output.output_type, output.text.count("\n")) == ("stream", 1)
    assert outputs["kept"] == outputs["imports"] == []


def test_a_page_that_is_too_large_is_not_kept_in_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    import evenhand as eh
    from evenhand.report import notebook as frame

    monkeypatch.setattr(frame, "MAX_PAGE", 1000)
    shown = eh.report(NER / "gold.conll", NER / "crf.conll", resamples=0)._repr_html_()
    assert "<iframe" not in shown
    assert "<table" in shown
    assert 'too much for a notebook; write it with <code>to_html("report.html")</code>' in shown
