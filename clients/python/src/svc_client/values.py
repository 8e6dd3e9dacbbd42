"""Values of Python for literals, both ways.

A literal that JSON has no form for comes as {"value": text, "datatype": IRI}. Decimals, dates, times with their
day, and doubles that are no numbers become Python's where those can hold them; every other one stays as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

XSD = "http://www.w3.org/2001/XMLSchema#"
# Larger integers are no JSON numbers for every reader.
EXACT_MAX = 2**53 - 1

Value = str | int | float | bool | Decimal | date | datetime | Mapping[str, Any]
"""An object of a fact: text, a number, a truth value, a date or a datetime is a literal, a mapping is one of the forms of
the API: {"iri": "http://..."}, {"value": "chat", "lang": "fr"}, {"value": "2026-01", "datatype": "..."}."""

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?")
_SPECIAL = {"NaN": math.nan, "INF": math.inf, "+INF": math.inf, "-INF": -math.inf}


def _special(text: str) -> float:
    return _SPECIAL[text]


_READERS: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    f"{XSD}decimal": (_DECIMAL, Decimal),
    f"{XSD}date": (_DATE, date.fromisoformat),
    f"{XSD}dateTime": (_DATE_TIME, datetime.fromisoformat),
    f"{XSD}double": (re.compile(r"NaN|[+-]?INF"), _special),
    f"{XSD}float": (re.compile(r"NaN|[+-]?INF"), _special),
}


def literal_value(form: dict[str, Any]) -> Any:
    """The value of Python for a literal of an answer; any other object as it is."""
    if len(form) != 2 or "value" not in form or "datatype" not in form:
        return form
    pattern, read = _READERS.get(form["datatype"], (None, None))
    text = form["value"]
    if pattern is None or read is None or not isinstance(text, str) or not pattern.fullmatch(text):
        return form
    try:
        return read(text)
    except ValueError:
        # A day that there is not, or a year that Python has not.
        return form


def value_form(value: Value) -> Any:
    """The form of the API for a value of Python."""
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value} if abs(value) <= EXACT_MAX else _literal(str(value), "integer")
    if isinstance(value, float):
        if math.isfinite(value):
            return {"float": value}
        return _literal("NaN" if math.isnan(value) else "INF" if value > 0 else "-INF", "double")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no xsd:decimal")
        return _literal(format(value, "f"), "decimal")
    if isinstance(value, datetime):
        return _literal(instant_text(value), "dateTime")
    if isinstance(value, date):
        return _literal(value.isoformat(), "date")
    return value


def instant_text(instant: datetime) -> str:
    """RFC 3339, UTC as Z; a datetime without a zone has none."""
    text = instant.isoformat()
    return text.removesuffix("+00:00") + "Z" if instant.utcoffset() == UTC.utcoffset(None) else text


def moment(instant: str | datetime | None) -> str | None:
    """An instant as the API takes it: a text as it is, a datetime with its zone."""
    if not isinstance(instant, datetime):
        return instant
    if instant.utcoffset() is None:
        raise ValueError(f"{instant!r} has no time zone: pass one with tzinfo, or a text in RFC 3339")
    return instant_text(instant)


def _literal(text: str, datatype: str) -> dict[str, str]:
    return {"value": text, "datatype": XSD + datatype}
