"""Overrides of the gold standard of WNUT-17: the published figures, and those of files that are corrected by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main
from evenhand.tasks.registry import models_of

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "agreement.json").read_text())["overrides"]
SYSTEMS = ("arcada", "flytxt", "uh_ritual")
MODELS = [model.name for model in models_of("spans")]
Span = tuple[int, int, str]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def gold(data: Path) -> Path:
    return data / FIGURES["gold"]


def systems(data: Path) -> dict[str, Path]:
    return {name: data / "wnut17" / "systems" / f"{name}.conll" for name in SYSTEMS}


def overrides(data: Path, name: str = "wnut17") -> Path:
    return data / "agreement" / "overrides" / f"{name}.jsonl"


def assert_row(row: dict[str, Any], expected: dict[str, Any]) -> None:
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_scores_before_and_after(data: Path) -> None:
    outcome = eh.score(gold(data), systems(data), overrides=overrides(data)).to_dict()
    for system in outcome["systems"]:
        for model in ("exact", "fair"):
            assert_row(system["scores"][model]["overall"], FIGURES["after"][system["name"]][model])
            assert_row(system["before"][model]["overall"], FIGURES["before"][system["name"]][model])
    assert outcome["settings"]["overrides"]["verdicts"] == FIGURES["overrides"]


def test_errors_of_the_gold_standard_as_a_kind(data: Path) -> None:
    found = eh.score(gold(data), systems(data), overrides=overrides(data), overrides_as="kind").to_dict()
    for system in found["systems"]:
        fair = system["scores"]["fair"]
        assert_row(fair["overall"], FIGURES["kind"][system["name"]])
        assert sum(row["GE"] for row in fair["labels"].values()) == FIGURES["kind"][system["name"]]["GE"]
        assert_row(system["before"]["fair"]["overall"], FIGURES["before"][system["name"]]["fair"])


class Sentence:
    """Words and tags in IOB2, read and changed in the simplest way."""

    def __init__(self, block: str) -> None:
        self.lines = [line.split() for line in block.strip("\n").split("\n")]

    @property
    def spans(self) -> list[Span]:
        all_spans = list[Span]()
        for at, (_, tag) in enumerate(self.lines):
            prefix, _, label = tag.partition("-")
            if prefix == "I" and all_spans and all_spans[-1][1:] == (at, label):
                all_spans[-1] = (all_spans[-1][0], at + 1, label)
            elif prefix != "O":
                all_spans.append((at, at + 1, label))
        return all_spans

    def remove(self, span: Span) -> None:
        assert span in self.spans
        for line in self.lines[span[0] : span[1]]:
            line[1] = "O"

    def add(self, start: int, end: int, label: str) -> None:
        for at, line in enumerate(self.lines[start:end]):
            assert line[1] == "O"
            line[1] = f"I-{label}" if at else f"B-{label}"


def sentences(path: Path) -> list[Sentence]:
    return list(map(Sentence, re.split(r"\n\s*\n", path.read_text().strip())))


def write(path: Path, text: list[Sentence]) -> Path:
    path.write_text("\n".join("".join(f"{word}\t{tag}\n" for word, tag in each.lines) for each in text))
    return path


def corrected_by_hand(data: Path, folder: Path) -> tuple[Path, dict[str, Path]]:
    """The gold standard with its overrides, and systems without what overlaps an unclear span and is not gold."""
    text = sentences(gold(data))
    others = {name: sentences(path) for name, path in systems(data).items()}
    lines = [json.loads(line) for line in overrides(data).read_text().splitlines()]
    for line in lines:
        if line["verdict"] in ("spurious", "unclear", "label", "bounds"):
            text[line["sentence"] - 1].remove((line["start"], line["end"], line["label"]))
    for line in lines:
        if "to" in line:
            text[line["sentence"] - 1].add(**{part: {**line, **line["to"]}[part] for part in ("start", "end", "label")})
    for line in lines:
        for other in others.values() if line["verdict"] == "unclear" else ():
            number = line["sentence"] - 1
            for span in other[number].spans:
                if span[0] < line["end"] and line["start"] < span[1] and span not in text[number].spans:
                    other[number].remove(span)
    written = {name: write(folder / f"{name}.conll", other) for name, other in others.items()}
    return write(folder / "gold.conll", text), written


def test_every_figure_is_that_of_files_corrected_by_hand(data: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"match": MODELS, "repair": "begin"}
    outcome = eh.score(gold(data), systems(data), overrides=overrides(data), **options).to_dict()
    by_hand = eh.score(*corrected_by_hand(data, tmp_path), **options).to_dict()
    assert outcome["gold"] == by_hand["gold"]
    for mine, theirs in zip(outcome["systems"], by_hand["systems"], strict=True):
        assert mine["scores"] == theirs["scores"]
        assert mine["labels"] == theirs["labels"]


def test_the_applied_gold_standard_is_the_one_corrected_by_hand(data: Path, tmp_path: Path) -> None:
    by_hand, _ = corrected_by_hand(data, tmp_path)
    eh.adjudicate(gold(data), overrides(data)).apply(tmp_path / "applied.conll")
    found, expected = sentences(tmp_path / "applied.conll"), sentences(by_hand)
    assert [each.lines for each in found] == [each.lines for each in expected]


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("stale", "sentence 199 has no gold span 'nothing' from 1 to 2 (the nearest one is 'location' from 1 to 2)"),
        ("twice", "the span 'location' from 1 to 2 of sentence 199 has another override in line 1"),
    ],
)
def test_files_that_do_not_fit_are_refused(data: Path, name: str, finding: str) -> None:
    path = overrides(data, name)
    result = run("score", gold(data), systems(data)["arcada"], "--overrides", path, "--quiet")
    assert result.exit_code == 2
    assert result.stderr == f"evenhand: {path}:2: {finding}; correct the line, or remove it.\n"


@pytest.mark.parametrize("verdicts", [(), ("right",)])
def test_what_confirms_spans_changes_the_signature_alone(data: Path, tmp_path: Path, verdicts: tuple[str, ...]) -> None:
    lines = overrides(data).read_text().splitlines(keepends=True)
    kept = tmp_path / "right.jsonl"
    kept.write_text("".join(line for line in lines if json.loads(line)["verdict"] in verdicts))
    plain = eh.score(gold(data), systems(data), match=MODELS).to_dict()
    found = eh.score(gold(data), systems(data), match=MODELS, overrides=kept).to_dict()
    for mine, theirs in zip(found["systems"], plain["systems"], strict=True):
        assert mine["scores"] == mine["before"] == theirs["scores"]
        assert mine["signature"].startswith(f"{theirs['signature']}|overrides:")


@pytest.mark.parametrize("command", ["score", "rank"])
def test_several_processes_give_the_same_bytes(data: Path, command: str) -> None:
    files = (gold(data), *systems(data).values(), "--overrides", overrides(data), "--as", "json", "--quiet")
    alone, together = run(command, *files), run(command, *files, "--jobs", "2")
    assert alone.exit_code == together.exit_code == 0
    assert alone.stdout == together.stdout
