"""Messages about data of 10,000 characters: they quote 80 of them, whatever the format and wherever the data stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main
from evenhand.errors import brief
from fuzz.seeds import CHAINS, MANIFESTS, SUITE, TAGS, TEXTS, WEIGHTS, WORDS, companions, write

LONG = "xY" * 5_000
SPACED = "x y" * 3_333
FILES = {**TEXTS, **WORDS, **TAGS, **CHAINS}
CELL = re.compile(r"[^\s\"|()\[\]{},:=]+")


def messages(path: Path, good: Path) -> list[str]:
    """What reading, scoring and checking say of a file."""
    found = []
    for arguments in (("score", str(good), str(path)), ("check", str(path), "--against", str(good))):
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), arguments
        text = result.stderr if arguments[0] == "score" else result.stdout
        if result.exit_code:
            found += [line.replace(str(path), "").replace(str(good), "") for line in text.splitlines()]
    return found


QUICK = ("spans.tsv", "words.conllu")
"""The files that are damaged in every run of the tests."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in FILES]
)
def test_every_cell_in_turn(name: str, tmp_path: Path) -> None:
    """Each cell of a valid file becomes long; some are right then, and the others have short messages."""
    text = FILES[name]
    write(tmp_path, {f"good/{name}": text.encode()})
    said = 0
    for cell in list(CELL.finditer(text))[:: max(1, len(text) // 40)]:
        for data in (LONG, SPACED):
            path = tmp_path / name
            path.write_text(text[: cell.start()] + data + text[cell.end() :], encoding="utf-8")
            for message in messages(path, tmp_path / "good" / name):
                said += 1
                assert len(message) < 500, message
    assert said


@pytest.mark.parametrize("name", [*MANIFESTS, "suite.toml", "weights.txt"])
def test_manifests_suites_and_weights(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, companions())
    text = {**MANIFESTS, "suite.toml": SUITE, "weights.txt": WEIGHTS}[name]
    arguments = {
        "suite.toml": ("rank", "--suite", name, "--resamples", "0"),
        "weights.txt": ("score", "gold.conll", "crf.conll", "--weights", name),
    }.get(name, ("score", "--manifest", name))
    said = 0
    for cell in CELL.finditer(text):
        (tmp_path / name).write_text(text[: cell.start()] + LONG + text[cell.end() :])
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if result.exit_code:
            said += 1
            assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
            assert len(result.stderr) < 500, result.stderr
    assert said


def test_quotes_are_cut_at_80_characters() -> None:
    assert brief(f"the tag {LONG!r} is unknown") == f"the tag '{LONG[:79]}…' is unknown"
    quote = "it's " * 30
    assert brief(f"found {quote!r} here") == f'found "{quote[:79]}…" here'
    assert brief(f"found {'a' * 80!r} here") == f"found {'a' * 80!r} here"
    prose = "the gold standard's tokens, which are not the systems' tokens, and which go on for more than 80 letters"
    assert brief(prose) == prose
    assert brief(f"the keys are {LONG}") == f"the keys are {LONG[:80]}…"
    assert len(brief("word " * 1000)) == 1000


def test_labels_in_options(tmp_path: Path) -> None:
    with pytest.raises(eh.SettingError) as raised:
        eh.score(eh.tags([["O"]]), eh.tags([["O"]]), supertag="=" + LONG)
    assert len(str(raised.value)) < 200
