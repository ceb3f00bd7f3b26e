"""A gate for CI servers: JUnit XML, and workflow commands of GitHub Actions."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import evenhand as eh
from conftest import EXAMPLE
from evenhand.report import ci as github
from evenhand.report import ci as junit

GOLD, CRF, TAGGER = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\r\n]*,?)+)::(.*)")
"""What GitHub's runner takes for a command."""


@pytest.fixture(scope="module")
def failed() -> eh.Gate:
    return eh.gate(GOLD, TAGGER, CRF, max_drop=1, max_new_errors=100, floor={"PER:recall": 0.9}, only=True)


@pytest.fixture
def odd(tmp_path: Path) -> eh.Gate:
    """A file whose name and labels have what ends a property, a message or an attribute."""
    folder = tmp_path / "50%,a:b"
    folder.mkdir()
    for name, tag in {"gold": 'B-<"&\x1b>%', "old": 'B-<"&\x1b>%', "new": "O"}.items():
        (folder / f"{name}.conll").write_text(f"a]]>\t{tag}\nb%0A\tO\n")
    sides = [folder / f"{name}.conll" for name in ("gold", "old", "new")]
    return eh.gate(*sides, max_new_errors=0, column=2, encoding="iob2")


def commands(gate: eh.Gate) -> list[tuple[str, dict[str, str], str]]:
    """The commands as GitHub reads them."""
    all_commands = []
    for line in github.render_github(gate).splitlines():
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
        for escape, character in {"%3A": ":", "%2C": ",", "%0A": "\n", "%25": "%"}.items():
            pairs = {key: value.replace(escape, character) for key, value in pairs.items()}
        all_commands.append((match[1], pairs, match[3].replace("%0A", "\n").replace("%25", "%")))
    return all_commands


def test_an_error_for_each_criterion_that_fails(failed: eh.Gate) -> None:
    errors = [(pairs["title"], message) for kind, pairs, message in commands(failed) if kind == "error"]
    assert errors == [
        (
            "evenhand gate: floor PER:recall (crf against tagger)",
            "PER:recall is 0.7463 (74.63 %); the floor is 0.9 (90 %).",
        ),
        ("evenhand gate: max-drop (crf against tagger)", "The score falls by 14.52 points; the limit is 1 point."),
    ]


def test_the_first_new_errors_stand_beside_their_lines(failed: eh.Gate) -> None:
    warnings = [(pairs, message) for kind, pairs, message in commands(failed) if kind == "warning"]
    assert len(warnings) == github.MAX_WARNINGS
    assert warnings[0] == (
        {"file": str(GOLD), "line": "3", "title": "new error"},
        "Silver Gannet: gold standard: MISC, tagger: TP MISC, crf: FN",
    )


def test_notes_are_notices(failed: eh.Gate) -> None:
    left_out, note = [message for kind, _, message in commands(failed) if kind == "notice"]
    assert note == failed.notes[0]
    assert left_out == failed.not_checked[0].sentence


def test_a_gate_that_passes_is_a_notice() -> None:
    gate = eh.gate(GOLD, candidate=CRF, floor={"fair": 0.7})
    assert commands(gate) == [
        ("notice", {"title": "evenhand gate: passed (crf)"}, "fair is 0.7650 (76.50 %); the floor is 0.7 (70 %).")
    ]


def test_text_from_data_ends_no_command(odd: eh.Gate) -> None:
    (warning,) = [each for each in commands(odd) if each[0] == "warning"]
    assert Path(warning[1]["file"]) == Path(odd.pair.new_errors.units()[0].place.rpartition(":")[0])
    assert warning[1]["line"] == "1"
    assert warning[2] == 'a]]>: gold standard: <"&\\x1b>%, old: TP <"&\\x1b>%, new: FN'


def test_a_test_case_for_each_criterion(failed: eh.Gate) -> None:
    suite = ElementTree.fromstring(junit.render(failed).encode())[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "2", "errors": "0", "skipped": "1"
    }  # fmt: skip
    cases = {str(case.get("name")): case.find("failure") for case in suite.iter("testcase")}
    assert list(cases) == [
        f"crf against tagger: {name}" for name in ("floor PER:recall", "max-drop", "max-new-errors", "alpha")
    ]
    assert cases["crf against tagger: max-new-errors"] is None
    failure = cases["crf against tagger: max-drop"]
    assert failure is not None
    assert failure.get("message") == failure.text == "The score falls by 14.52 points; the limit is 1 point."
    assert failure.get("type") == "max-drop"
    (skipped,) = suite.iter("skipped")
    assert skipped.get("message") == failed.not_checked[0].sentence
    assert suite.findtext("system-out") == str(failed)
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties["signature"] == failed.signature
    assert float(properties["fair crf"] or 0) == failed.scores["crf"]


def test_text_from_data_is_well_formed_xml(odd: eh.Gate) -> None:
    suite = ElementTree.fromstring(junit.render(odd).encode())[0]
    assert '<"&\\x1b>%' in (suite.findtext("system-out") or "")
