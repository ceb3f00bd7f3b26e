"""A gate as JUnit XML, which CI servers show as test results: one test case per criterion.

There is no standard but the schemas of Ant and Jenkins, which this keeps to. Some servers show the message of a
failure, others its text, so both have the sentence.
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
    """One suite, with the report as its standard output."""
    skipped = len(gate.not_checked)
    counts = {"tests": len(gate.criteria) + skipped, "failures": len(gate.failures), "errors": 0, "skipped": skipped}
    numbers = {name: str(count) for name, count in counts.items()}
    root = Element("testsuites", numbers)
    suite = SubElement(root, "testsuite", {"name": "evenhand gate", **numbers, "time": "0"})
    properties = SubElement(suite, "properties")
    for name, value in {"signature": gate.signature, **gate.scores}.items():
        shown = {"name": name if name == "signature" else f"{gate.by} {name}", "value": str(value)}
        SubElement(properties, "property", {key: visible(text) for key, text in shown.items()})
    for criterion in gate.criteria:
        case = _case(suite, gate, criterion.title)
        if not criterion.passed:
            sentence = visible(criterion.sentence)
            SubElement(case, "failure", {"message": sentence, "type": criterion.name}).text = sentence
    for unchecked in gate.not_checked:
        SubElement(_case(suite, gate, unchecked.name), "skipped", {"message": visible(unchecked.sentence)})
    SubElement(suite, "system-out").text = _lines(str(gate))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _case(suite: Element, gate: Gate, title: str) -> Element:
    """A criterion; its class is the gold standard, under which servers list the cases of all systems."""
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    names = {"classname": f"evenhand.gate.{gate.gold_name}", "name": f"{gate.candidate}{against}: {title}"}
    return SubElement(suite, "testcase", {**{key: visible(text) for key, text in names.items()}, "time": "0"})


def _lines(text: str) -> str:
    """Lines without what XML does not allow."""
    return "\n".join(map(visible, text.split("\n")))


# == report/new_errors.py: The new errors of a gate, one line each, for logs and failur


_LINE = re.compile(r":\d+$")


def new_errors(gate: Gate, most: int) -> list[Unit]:
    """The first new errors, in the order of the text; the files are read again. None without a baseline."""
    if gate.compared is None or not gate.pair.new_errors.count:
        return []
    return gate.pair.new_errors.units()[:most]


def described(unit: Unit) -> str:
    """A unit in one line: its words, what the gold standard says, and what each system says."""
    answers = ", ".join(f"{name}: {answer}" for name, answer in unit.answers.items())
    words = f"{unit.words}: " if unit.words else ""
    return f"{words}gold standard: {gold_answer(unit) or 'nothing'}, {answers}"


def whereabouts(unit: Unit) -> str:
    """File and line of a unit or, where there are no lines, the number of its sentence."""
    return unit.place if _LINE.search(unit.place) else f"{unit.place}, sentence {unit.sentence}"


# == report/github.py: A gate as workflow commands of GitHub Actions: an error for


MOST_WARNINGS = 10
"""How many warnings GitHub shows."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


def render_github(gate: Gate) -> str:
    """The commands: what fails, what is to say of the files, and some new errors where the gate fails."""
    return "".join(f"{line}\n" for line in _commands(gate))


def _commands(gate: Gate) -> Iterator[str]:
    subject = gate.candidate if gate.compared is None else f"{gate.candidate} against {gate.pair.before}"
    for failure in gate.failures:
        yield _command("error", failure.sentence, title=f"evenhand gate: {failure.title} ({subject})")
    if gate.passed:
        kept = " ".join(each.sentence for each in gate.criteria)
        yield _command("notice", kept, title=f"evenhand gate: passed ({subject})")
    for unchecked in gate.not_checked:
        yield _command("notice", unchecked.sentence, title=f"evenhand gate: {unchecked.name} not checked ({subject})")
    warnings = [note for note in gate.notes if note.startswith(WARNING)]
    for note in gate.notes:
        kind = "warning" if note in warnings else "notice"
        yield _command(kind, note.removeprefix(WARNING), title="evenhand gate")
    if not gate.passed:
        yield from map(_new_error, new_errors(gate, max(MOST_WARNINGS - len(warnings), 0)))


def _new_error(unit: Unit) -> str:
    """A new error, beside its line in the gold standard."""
    place = _PLACE.fullmatch(unit.place)
    where = {"file": unit.place} if place is None else place.groupdict()
    return _command("warning", described(unit), **where, title="new error")


def _command(name: str, message: str, **properties: str) -> str:
    """A workflow command; what would end a message or a property is spelled with a percent sign."""
    pairs = {key: _data(value).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    return f"::{name} {','.join(f'{key}={value}' for key, value in pairs.items())}::{_data(message)}"


def _data(text: str) -> str:
    lines = re.split("\r\n|\r|\n", text)
    return "%0A".join(visible(line).replace("%", "%25") for line in lines)
