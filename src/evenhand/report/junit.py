"""A gate as JUnit XML, which CI servers show as test results: a test case for each criterion.

There is no standard but the schemas of Ant and Jenkins, which this keeps to. Some servers show the message of a
failure, others its text, so both have the sentence.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evenhand.problems import visible
from evenhand.result.gate import Criterion, Gate


def render(gate: Gate) -> str:
    """One suite, with the report as its standard output."""
    counts = {"tests": len(gate.criteria), "failures": len(gate.failures), "errors": 0, "skipped": 0}
    numbers = {name: str(count) for name, count in counts.items()}
    root = Element("testsuites", numbers)
    suite = SubElement(root, "testsuite", {"name": "evenhand gate", **numbers, "time": "0"})
    properties = SubElement(suite, "properties")
    for name, value in {"signature": gate.signature, **gate.scores}.items():
        shown = {"name": name if name == "signature" else f"{gate.by} {name}", "value": str(value)}
        SubElement(properties, "property", {key: visible(text) for key, text in shown.items()})
    for criterion in gate.criteria:
        _case(suite, gate, criterion)
    SubElement(suite, "system-out").text = _lines(str(gate))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _case(suite: Element, gate: Gate, criterion: Criterion) -> None:
    """A criterion; its class is the gold standard, below which servers list the cases of all systems."""
    against = "" if gate.compared is None else f" against {gate.pair.before}"
    names = {"classname": f"evenhand.gate.{gate.gold_name}", "name": f"{gate.candidate}{against}: {criterion.title}"}
    case = SubElement(suite, "testcase", {**{key: visible(text) for key, text in names.items()}, "time": "0"})
    if not criterion.passed:
        sentence = visible(criterion.sentence)
        SubElement(case, "failure", {"message": sentence, "type": criterion.name}).text = sentence


def _lines(text: str) -> str:
    """Lines without what XML does not allow."""
    return "\n".join(map(visible, text.split("\n")))
