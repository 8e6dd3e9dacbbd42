"""What groups of methods need of the client: ways to send a request."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import Message
from typing import Any


class Sender:
    """Implemented by `SvcClient`."""

    def _get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """A read by its address."""
        raise NotImplementedError

    def _ask(self, path: str, **fields: Any) -> dict[str, Any]:
        """A read by a body."""
        raise NotImplementedError

    def _write(self, path: str, **fields: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _text(
        self, path: str, parameters: Mapping[str, Any], media_type: str, headers: Mapping[str, str] | None = None
    ) -> str:
        """A document by its address."""
        raise NotImplementedError

    def _write_document(
        self, method: str, target: str, headers: Mapping[str, str | bytes], body: bytes | None
    ) -> tuple[int, Message, bytes]:
        """A write of a document: status, headers and body of the answer."""
        raise NotImplementedError
