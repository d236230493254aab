"""Why a text is no document that we read, in words that say what to do."""

from __future__ import annotations

from typing import Any

import yaml

DEPTH_LIMIT = 64


class DocumentError(Exception):
    """Why a text is no document that we read. ``line`` and ``column`` count from 1; 0 means the whole file."""

    def __init__(self, problem: str, *, hint: str, line: int = 0, column: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.hint, self.line, self.column = problem, hint, line, column

    def located(self, source: str) -> str:
        """The problem as a sentence that starts with where it is."""
        place = f", line {self.line}" if self.line else ""
        place += f", column {self.column}" if self.column else ""
        return f"{source}{place}: {self.problem}"


def fault_at(text: str, offset: int, problem: str, hint: str) -> DocumentError:
    """Return a fault at an offset of the text."""
    start = text.rfind("\n", 0, offset) + 1
    return DocumentError(problem, hint=hint, line=text.count("\n", 0, offset) + 1, column=offset - start + 1)


def position_of(event: Any) -> tuple[int, int]:
    """Return line and column of an event, from 1."""
    return event.start_mark.line + 1, event.start_mark.column + 1


def fault(event: Any, problem: str, hint: str) -> DocumentError:
    """Return a fault where an event starts."""
    line, column = position_of(event)
    return DocumentError(problem, hint=hint, line=line, column=column)


_HINTS = {
    "mapping values are not allowed": (
        "a colon stands where no key can be.",
        "Quote a text that holds `: `, or check the indentation of this line and the one above.",
    ),
    "could not find expected ':'": (
        "a key without a colon.",
        "Write `key: value`, and check the indentation of this line and the one above.",
    ),
    "did not find expected '-' indicator": ("an item of a list without its dash.", "Start each item with `- `, all indented alike."),
    "did not find expected key": (
        "the indentation does not fit, or a quote or bracket is open.",
        "Indent the keys of one mapping alike, and close what is open above.",
    ),
    "found unexpected end of stream": ("a quote is not closed before the end of the file.", "Close the quote."),
    "did not find expected ',' or": (
        "a bracket is not closed, or a comma is missing.",
        "Close the [ or {, or separate its items by commas.",
    ),
    "did not find expected node content": ("a value is missing, or a bracket is not closed.", "Close the [ or {, or write the value."),
    "exceeded maximum nesting depth": (f"values are nested deeper than {DEPTH_LIMIT} levels.", "Make the file flatter."),
}


def explain(error: yaml.MarkedYAMLError, text: str, line: int) -> tuple[str, str]:
    """Return the parser's complaint in words that say what to do."""
    written = text.splitlines()[line - 1] if 0 < line <= len(text.splitlines()) else ""
    if "\t" in written[: len(written) - len(written.lstrip())]:
        return "the line is indented with a tab.", "Indent with spaces: YAML allows no tabs there."
    complaint = " ".join(str(part) for part in (error.problem, error.context) if part)
    for phrase, explanation in _HINTS.items():
        if phrase in complaint:
            return explanation
    if "cannot start any token" in complaint:
        return "a value starts with a character that YAML reserves (@, `, % or a tab).", "Quote the value."
    return f"{complaint}.", "Correct the YAML of this line, or the one above it."
