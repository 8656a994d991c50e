"""Rows of expectations as JUnit's XML, which servers of continuous integration show."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document(rows: Sequence[dict], name: str) -> bytes:
    """Return a suite for each expectation with a case for each of its rows.

    An expectation that nothing was held against is an error; the text of a failure names records.
    """
    suites: dict[str, list[dict]] = {}
    for row in rows:
        suites.setdefault(row["expectation"], []).append(row)
    root = ElementTree.Element("testsuites", {"name": name, **_numbers(rows)})
    for expectation, cases in suites.items():
        attributes = {"name": _plain(expectation), **_numbers(cases), "skipped": "0"}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for row in cases:
            names = [str(row[key]) for key in ("system", "kind") if row[key] is not None]
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=_plain(expectation),
                name=_plain(" ".join(names) or "all"),
            )
            if row["holds"]:
                continue
            if not row["n"]:
                ElementTree.SubElement(case, "error", message=_plain(row["note"]))
                continue
            message = (
                f"{row['passed']} of {row['n']} passed ({row['rate']:.4g} %), "
                f"{row['failed']} failed, {row['missing']} without a number"
            )
            failure = ElementTree.SubElement(case, "failure", message=message)
            lines = list(row["failures"])
            if unnamed := row["n"] - row["passed"] - len(lines):
                lines.append(f"and {unnamed:,} more")
            failure.text = _plain("\n".join(lines))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _numbers(rows: Sequence[dict]) -> dict[str, str]:
    errors = sum(not row["n"] for row in rows)
    failures = sum(not row["holds"] for row in rows) - errors
    return {"tests": str(len(rows)), "failures": str(failures), "errors": str(errors)}


def _plain(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
