"""The one error of the client."""

from __future__ import annotations

import json
from typing import Any


class SvcError(Exception):
    """The server answered with another status than 2xx, or could not be asked.

    status: the HTTP status; None when there was no whole answer.
    body: the answer, parsed when it is JSON, text otherwise; None when there was none.
    reason: why. The stable `reason` of a refusal (`missing_or_invalid_bearer_token`,
        `server_is_read_only`), else the `error` text of the body, else what HTTP or the system says.
    """

    def __init__(self, status: int | None, body: Any, reason: str) -> None:
        super().__init__(f"{status}: {_account(body, reason)}" if status is not None else reason)
        self.status = status
        self.body = body
        self.reason = reason

    @property
    def code(self) -> str | None:
        """The stable token of the kind of error, for example `not_found_in_store`."""
        code = self.body.get("code") if isinstance(self.body, dict) else None
        return code if isinstance(code, str) else None

    @property
    def hint(self) -> str | None:
        """What to do instead, where the server says so."""
        hint = self.body.get("hint") if isinstance(self.body, dict) else None
        return hint if isinstance(hint, str) else None


def _account(body: Any, reason: str) -> str:
    text = body.get("error") if isinstance(body, dict) else None
    return text if isinstance(text, str) else reason


def error_of(status: int, phrase: str, content: bytes) -> SvcError:
    """The error that an answer of the server is."""
    text = content.decode("utf-8", "replace")
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = text
    reason = None
    if isinstance(body, dict):
        reason = body.get("reason") or body.get("error")
    return SvcError(status, body, reason if isinstance(reason, str) else phrase)
