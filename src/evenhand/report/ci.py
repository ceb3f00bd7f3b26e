"""A gate for CI servers: JUnit XML with one test case per criterion, and annotations of GitHub Actions.

The XML follows the schemas of Ant and Jenkins because no standard exists. Some servers show the message of a failure,
others its text, so both have the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evenhand.comparison.units import Unit
from evenhand.errors import WARNING, visible
from evenhand.report.comparison_tables import gold_answer
from evenhand.results.gate import Gate


def render(gate: Gate) -> str:
    """JUnit XML: one suite, with the report as its standard output."""
    skipped = len(gate.not_checked)
    counts = {"tests": len(gate.criteria) + skipped, "failures": len(gate.failures), "errors": 0, "skipped": skipped}
    attributes = {name: str(count) for name, count in counts.items()}
    root = Element("testsuites", attributes)
    suite = SubElement(root, "testsuite", {"name": "evenhand gate", **attributes, "time": "0"})
    properties = SubElement(suite, "properties")
    values = {"signature": gate.signature, **{f"{gate.by} {name}": str(score) for name, score in gate.scores.items()}}
    for name, value in values.items():
        SubElement(properties, "property", {"name": visible(name), "value": visible(value)})
    for criterion in gate.criteria:
        case = _case(suite, gate, criterion.title)
        if not criterion.passed:
            sentence = visible(criterion.sentence)
            SubElement(case, "failure", {"message": sentence, "type": criterion.name}).text = sentence
    for unchecked in gate.not_checked:
        SubElement(_case(suite, gate, unchecked.name), "skipped", {"message": visible(unchecked.sentence)})
    SubElement(suite, "system-out").text = "\n".join(map(visible, str(gate).split("\n")))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _case(suite: Element, gate: Gate, title: str) -> Element:
    """A criterion; its class is the gold standard, by which servers group the cases of all systems."""
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    names = {"classname": f"evenhand.gate.{gate.gold_name}", "name": f"{gate.candidate}{against}: {title}"}
    return SubElement(suite, "testcase", {**{key: visible(text) for key, text in names.items()}, "time": "0"})


# GitHub Actions


MAX_WARNINGS = 10
"""Maximum number of warnings that GitHub shows."""
_LOCATION = re.compile(r"(?P<file>.+):(?P<line>\d+)")


def render_github(gate: Gate) -> str:
    """Workflow commands: failures, notes, and new errors if the gate fails."""
    return "".join(f"{line}\n" for line in _commands(gate))


def _commands(gate: Gate) -> Iterator[str]:
    subject = gate.candidate if gate.compared is None else f"{gate.candidate} against {gate.pair.before}"
    for failure in gate.failures:
        yield _command("error", failure.sentence, title=f"evenhand gate: {failure.title} ({subject})")
    if gate.passed:
        sentences = " ".join(criterion.sentence for criterion in gate.criteria)
        yield _command("notice", sentences, title=f"evenhand gate: passed ({subject})")
    for unchecked in gate.not_checked:
        yield _command("notice", unchecked.sentence, title=f"evenhand gate: {unchecked.name} not checked ({subject})")
    warnings = [note for note in gate.notes if note.startswith(WARNING)]
    for note in gate.notes:
        yield _command("warning" if note in warnings else "notice", note.removeprefix(WARNING), title="evenhand gate")
    for unit in () if gate.passed else new_errors(gate, max(MAX_WARNINGS - len(warnings), 0)):
        location = _LOCATION.fullmatch(unit.place)
        properties = {"file": unit.place} if location is None else location.groupdict()
        yield _command("warning", described(unit), **properties, title="new error")


def _command(name: str, message: str, **properties: str) -> str:
    """A workflow command; characters that end a message or a property are percent-encoded."""
    pairs = {key: _data(value).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    return f"::{name} {','.join(f'{key}={value}' for key, value in pairs.items())}::{_data(message)}"


def _data(text: str) -> str:
    return "%0A".join(visible(line).replace("%", "%25") for line in re.split("\r\n|\r|\n", text))


# New errors


_LINE = re.compile(r":\d+$")


def new_errors(gate: Gate, limit: int) -> list[Unit]:
    """The first new errors, in the order of the text; reads the files again. Empty without a baseline."""
    if gate.compared is None or not gate.pair.new_errors.count:
        return []
    return gate.pair.new_errors.units()[:limit]


def described(unit: Unit) -> str:
    """A unit in one line: its words, its gold label, and the predictions."""
    predictions = ", ".join(f"{name}: {answer}" for name, answer in unit.answers.items())
    words = f"{unit.words}: " if unit.words else ""
    return f"{words}gold standard: {gold_answer(unit) or 'nothing'}, {predictions}"


def whereabouts(unit: Unit) -> str:
    """File and line of a unit; for files without lines, the number of its sentence."""
    return unit.place if _LINE.search(unit.place) else f"{unit.place}, sentence {unit.sentence}"
