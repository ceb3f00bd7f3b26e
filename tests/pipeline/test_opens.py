"""Each file is opened once to recognise its format and once to read it, whatever is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, BinaryIO

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.formats import read as recognition
from evenhand.formats.source import Source

FOLDER = ROOT / "src" / "evenhand" / "examples"
COMMANDS: dict[str, Callable[..., Any]] = {
    "score": lambda gold, systems, task: eh.score(gold, systems, task=task),
    "rank": lambda gold, systems, task: eh.rank(gold, systems, task=task, resamples=10),
    "compare": lambda gold, systems, task: eh.compare(gold, systems, task=task, trials=0, resamples=0),
    "gate": lambda gold, systems, task: eh.gate(gold, *systems[:2], task=task, max_drop=100),
    "report": lambda gold, systems, task: eh.report(gold, systems, task=task, trials=0, resamples=0).to_html(),
}


@pytest.mark.parametrize("task", list(EXAMPLES))
@pytest.mark.parametrize("command", list(COMMANDS))
def test_files_are_opened_to_recognise_them_and_to_read_them(
    monkeypatch: pytest.MonkeyPatch, command: str, task: str
) -> None:
    opens: Counter[str] = Counter()
    recognised: Counter[str] = Counter()
    opened, recognise = Source._opened, recognition.recognise

    def counted(source: Source) -> BinaryIO:
        opens[source.path.name] += 1
        return opened(source)

    def noted(source: Source, *arguments: Any) -> Any:
        recognised[source.path.name] += 1
        return recognise(source, *arguments)

    monkeypatch.setattr(Source, "_opened", counted)
    monkeypatch.setattr("evenhand.formats.read.recognise", noted)
    folder, gold, systems = EXAMPLES[task]
    files = [FOLDER / folder / name for name in (gold, *systems[: 2 if command == "gate" else 3])]
    COMMANDS[command](files[0], files[1:], task)
    names = [file.name for file in files]
    assert recognised == dict.fromkeys(names, 1)
    assert opens == dict.fromkeys(names, 2)
