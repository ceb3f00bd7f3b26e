"""A gate as JUnit XML, which CI servers show as test results: one test case per criterion.

There is no standard but the schemas of Ant and Jenkins, which this keeps to. Some servers show the message of a
failure, others its text, so both have the sentence.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evenhand.problems import visible
from evenhand.result.gate import Gate


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
