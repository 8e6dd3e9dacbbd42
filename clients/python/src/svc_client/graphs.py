"""Graphs: the registered ones, and the graph store."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlencode

from .facts import _media_type
from .results import GraphResult
from .sender import Sender

GRAPH_TYPES = {"turtle": "text/turtle", "ntriples": "application/n-triples"}
STORE = "/rdf-graph-store"


class Graphs(Sender):
    """Whole graphs in, out, and away."""

    def graphs(
        self,
        *,
        kind: str | None = None,
        lifecycle: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """The registered graphs, each with its class, its labels and its number of facts."""
        return self._get("/graphs", kind=kind, lifecycle=lifecycle, limit=limit, offset=offset)

    def graph_create(self, graph: str, *, timestamp: str | None = None, actor: str | None = None) -> dict[str, Any]:
        """Registers an empty graph; one that is there stays as it is, and `created` is false."""
        return self._write("/graph/create", graph=graph, timestamp=timestamp, actor=actor)

    def graph_freeze(
        self, graph: str, *, timestamp: str, out_dir: str | None = None, actor: str | None = None
    ) -> dict[str, Any]:
        """Moves all rows of a graph into a file of its own; it stays readable by its name, and can't be written."""
        return self._write("/graph/freeze", graph=graph, timestamp=timestamp, out_dir=out_dir, actor=actor)

    def graph_thaw(self, graph: str, *, timestamp: str, actor: str | None = None) -> dict[str, Any]:
        """Puts the rows of a frozen graph back; the file stays."""
        return self._write("/graph/thaw", graph=graph, timestamp=timestamp, actor=actor)

    def graph_get(self, graph: str | None = None, format: str = "turtle", *, at: datetime | None = None) -> str:
        """A graph as `turtle` or `ntriples`; None = ROOT. at: as it was at this instant."""
        headers = {}
        if at is not None:
            if at.utcoffset() is None:
                raise ValueError(f"{at!r} has no time zone: pass one with tzinfo")
            headers["Accept-Datetime"] = format_datetime(at.astimezone(UTC), usegmt=True)
        return self._text(STORE, _target(graph), _media_type(GRAPH_TYPES, format), headers)

    def graph_put(
        self, graph: str | None, document: str | bytes, format: str = "turtle", *, actor: str | None = None
    ) -> GraphResult:
        """Makes a document all that a graph holds; None = ROOT."""
        return self._graph_write("PUT", graph, document, format, actor)

    def graph_post(
        self, graph: str | None, document: str | bytes, format: str = "turtle", *, actor: str | None = None
    ) -> GraphResult:
        """Adds a document to a graph."""
        return self._graph_write("POST", graph, document, format, actor)

    def graph_delete(self, graph: str | None, *, actor: str | None = None) -> GraphResult:
        """Takes a graph away with all its facts, which stay readable in the past; of ROOT the facts only."""
        return self._graph_write("DELETE", graph, None, None, actor)

    def _graph_write(
        self, method: str, graph: str | None, document: str | bytes | None, format: str | None, actor: str | None
    ) -> GraphResult:
        headers: dict[str, str | bytes] = {} if actor is None else {"X-Svc-Actor": actor.encode("utf-8")}
        if format is not None:
            headers["Content-Type"] = _media_type(GRAPH_TYPES, format)
        body = document.encode("utf-8") if isinstance(document, str) else document
        status, answered, _ = self._write_document(method, f"{STORE}?{urlencode(_target(graph))}", headers, body)
        return GraphResult(tx_id=int(answered.get("X-Svc-Tx", 0)), created=status == 201)


def _target(graph: str | None) -> dict[str, str]:
    return {"default": ""} if graph is None else {"graph": graph}
