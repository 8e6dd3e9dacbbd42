"""Requests over connections that are kept.

A request takes a connection for as long as its answer is read, so that another request, of the same
thread or not, may be sent meanwhile. A server may close a connection that has been idle, so a kept
one is looked at before it is used again. Only a read is sent a second time when its connection
breaks: of a write it is not known whether it took place.
"""

from __future__ import annotations

import http.client
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from .errors import SvcError, error_of

CHUNK_BYTES = 64 * 1024
IDLE_MAX = 8

BROKEN = (OSError, http.client.HTTPException)


class Transport:
    def __init__(self, base_url: str, timeout: float) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url is {base_url!r}; expected http://host:port or https://host:port")
        if parts.query or parts.fragment or parts.username:
            raise ValueError(f"base_url is {base_url!r}; it holds more than scheme, host, port and path")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    @contextmanager
    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None, repeatable: bool
    ) -> Iterator[http.client.HTTPResponse]:
        """A 2xx answer, to be read within the block; any other raises SvcError."""
        target = self._prefix + path
        connection, response = self._exchange(method, target, headers, body, repeatable)
        try:
            if not 200 <= response.status < 300:
                raise error_of(response.status, response.reason, response.read())
            yield response
        except BROKEN as error:
            raise SvcError(None, None, f"the answer to {method} {target} broke off: {_told(error)}") from error
        finally:
            # What is left unread would be taken for the answer to the next request.
            if response.isclosed():
                self._give(connection)
            else:
                connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _exchange(
        self, method: str, target: str, headers: dict[str, str], body: bytes | None, repeatable: bool
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        while True:
            connection, is_kept = self._take()
            try:
                connection.request(method, target, body, headers)
                return connection, connection.getresponse()
            except BROKEN as error:
                connection.close()
                if is_kept and repeatable and isinstance(error, ConnectionError):
                    continue
                where = f"{self._host}:{connection.port}"
                raise SvcError(None, None, f"{where} gave no answer to {method} {target}: {_told(error)}") from error

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it has been used before."""
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
                return kind(self._host, self._port, timeout=self._timeout), False
            if not _is_stale(kept):
                return kept, True
            kept.close()

    def _give(self, connection: http.client.HTTPConnection) -> None:
        """Keeps a connection whose answer has been read to its end."""
        with self._lock:
            if connection.sock is not None and len(self._idle) < IDLE_MAX:
                self._idle.append(connection)
                return
        connection.close()


def _is_stale(connection: http.client.HTTPConnection) -> bool:
    """True when there is something to read between two answers: the end of the connection."""
    try:
        return bool(select.select([connection.sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
