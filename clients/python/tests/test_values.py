"""Literals and values of Python, both ways."""

from __future__ import annotations

import json
import math
import unittest
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

from svc_client import SvcClient
from svc_client.values import XSD, literal_value, moment, value_form


def literal(text: str, datatype: str) -> dict[str, str]:
    return {"value": text, "datatype": XSD + datatype}


class Values(unittest.TestCase):
    def test_both_ways(self) -> None:
        for form, value in [
            (literal("1.50", "decimal"), Decimal("1.50")),
            (literal("-0.001", "decimal"), Decimal("-0.001")),
            (literal("2026-02-28", "date"), date(2026, 2, 28)),
            (literal("2026-01-01T12:30:00Z", "dateTime"), datetime(2026, 1, 1, 12, 30, tzinfo=UTC)),
            (literal("2026-01-01T12:30:00", "dateTime"), datetime(2026, 1, 1, 12, 30)),
            (literal("2026-01-01T12:30:00.123456+02:00", "dateTime"),
             datetime(2026, 1, 1, 12, 30, 0, 123456, timezone(timedelta(hours=2)))),
            (literal("INF", "double"), math.inf),
            (literal("-INF", "double"), -math.inf),
        ]:  # fmt: skip
            self.assertEqual(literal_value(form), value)
            self.assertIs(type(literal_value(form)), type(value))
            self.assertEqual(value_form(value), form)
        self.assertTrue(math.isnan(literal_value(literal("NaN", "float"))))
        self.assertEqual(value_form(math.nan), literal("NaN", "double"))
        self.assertEqual(value_form(Decimal("1E+3")), literal("1000", "decimal"))
        self.assertRaises(ValueError, value_form, Decimal("NaN"))

    def test_what_python_can_not_hold_stays(self) -> None:
        for form in [
            literal("2026-02-30", "date"),
            literal("2026-02-28Z", "date"),
            literal("12026-01-01", "date"),
            literal("-0001-01-01T00:00:00Z", "dateTime"),
            literal("2026-01-01T24:00:00Z", "dateTime"),
            literal("2026-01-01T00:00:00.1234567Z", "dateTime"),
            literal("20260101", "date"),
            literal("2026-01-01", "dateTime"),
            literal("1e3", "decimal"),
            literal("abc", "double"),
            literal("P1D", "duration"),
            {"value": "chat", "lang": "fr"},
            {"value": "1.5", "datatype": XSD + "decimal", "more": 1},
            {"value": 1.5, "datatype": XSD + "decimal"},
            {},
        ]:
            self.assertIs(literal_value(form), form)

    def test_instants(self) -> None:
        self.assertEqual(moment("as it is"), "as it is")
        self.assertEqual(moment(datetime(2026, 1, 1, tzinfo=UTC)), "2026-01-01T00:00:00Z")
        self.assertIsNone(moment(None))
        self.assertRaises(ValueError, moment, datetime(2026, 1, 1))

    def test_a_client_that_leaves_them(self) -> None:
        content = json.dumps({"rows": [{"o": literal("1.5", "decimal")}]}).encode()
        for values, seen in (("python", Decimal("1.5")), ("json", literal("1.5", "decimal"))):
            client = SvcClient("http://127.0.0.1:1", values=values)
            self.assertEqual(client._parsed(content, "/query"), {"rows": [{"o": seen}]})
        self.assertRaises(ValueError, SvcClient, "http://127.0.0.1:1", values="numpy")


if __name__ == "__main__":
    unittest.main()
