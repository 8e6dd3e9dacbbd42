"""Graphs: the registered ones, and the graph store."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlencode

from .facts import _media_type
from .results import GraphResult
from .sender import Sender
from .values import Value, value_form

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

    def overlay_create(
        self,
        overlay: str,
        *,
        parent_branch: str | None = None,
        timestamp: str | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """Makes an overlay over a parent (None = ROOT), which it is bound to from then on."""
        return self._write(
            "/overlay/create", overlay=overlay, parent_branch=parent_branch, timestamp=timestamp, actor=actor
        )

    def overlay_write(
        self,
        overlay: str,
        op: str,
        subject: str,
        predicate: str,
        object: Value,
        *,
        timestamp: str | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """op `assert`: the overlay has the triple; `tombstone`: it hides that of the parent; `retract`: neither."""
        fields = {"op": op, "subject": subject, "predicate": predicate, "object": value_form(object)}
        return self._write("/overlay/write", overlay=overlay, **fields, timestamp=timestamp, actor=actor)

    def overlay_compose(
        self,
        overlay: str,
        *,
        precedence: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """The overlay and its parent as one graph. precedence: `nearest` (the overlay wins) or `governed`."""
        return self._ask("/overlay/compose", overlay=overlay, precedence=precedence, limit=limit, offset=offset)

    def project(
        self,
        algorithm: str | None = None,
        *,
        type: str | None = None,
        predicate: str | None = None,
        graph: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        seeds: list[str] | None = None,
        damping: float | None = None,
        max_iters: int | None = None,
        tolerance: float | None = None,
        from_: str | None = None,
        to: str | None = None,
        samples: int | None = None,
        random_seed: int | None = None,
        persist: bool | None = None,
        timestamp: str | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """A graph algorithm over the facts between IRIs: `stats` (the default), `pagerank`, `louvain` and others."""
        ends = {"from": from_, "to": to}
        walk = {"seeds": seeds, "damping": damping, "max_iters": max_iters, "tolerance": tolerance}
        sample = {"samples": samples, "random_seed": random_seed}
        fields = {"algorithm": algorithm, "type": type, "predicate": predicate, "graph": graph} | ends | walk | sample
        page = {"limit": limit, "offset": offset}
        return self._write("/project", **fields, **page, persist=persist, timestamp=timestamp, actor=actor)

    def report(
        self,
        *,
        type: str | None = None,
        predicate: str | None = None,
        hubs: int | None = None,
        surprises: int | None = None,
        questions: int | None = None,
    ) -> dict[str, Any]:
        """Hubs, surprising connections and questions about ROOT."""
        return self._ask("/report", type=type, predicate=predicate, hubs=hubs, surprises=surprises, questions=questions)

    def graph_view(
        self, *, limit: int | None = None, type: str | None = None, include_episodes: bool | None = None
    ) -> dict[str, Any]:
        """The entities of ROOT with the most connections, and the edges between them, to be drawn."""
        return self._ask("/graph", limit=limit, type=type, include_episodes=include_episodes)

    def graph_label(
        self,
        graph: str,
        *,
        timestamp: str | None = None,
        freshness: str | None = None,
        durability: str | None = None,
        kind: str | None = None,
        trust: dict[str, Any] | None = None,
        policy: list[str] | None = None,
        valid_to: str | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """Declares labels of a graph; axes that are not named keep what they say. timestamp: now, if None.

        trust: a dict with iri, chain and rank. policy: tokens of obligations, [] = no obligations.
        valid_to: when the declaration expires.
        """
        return self._write(
            "/graph/label",
            graph=graph,
            timestamp=timestamp or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            freshness=freshness,
            durability=durability,
            kind=kind,
            trust=trust,
            policy=policy,
            valid_to=valid_to,
            actor=actor,
        )
    def graph_freeze(
        self, graph: str, *, timestamp: str, out_dir: str | None = None, actor: str | None = None
    ) -> dict[str, Any]:
        """Moves all rows of a graph into a file of its own; it stays readable by its name, and can't be written."""
        return self._write("/graph/freeze", graph=graph, timestamp=timestamp, out_dir=out_dir, actor=actor)

    def graph_thaw(self, graph: str, *, timestamp: str, actor: str | None = None) -> dict[str, Any]:
        """Puts the rows of a frozen graph back; the file stays."""
        return self._write("/graph/thaw", graph=graph, timestamp=timestamp, actor=actor)

    def import_share(
        self,
        manifest: dict[str, Any] | str,
        export_ntriples: str,
        shapes_turtle: str,
        *,
        source: str,
        actor: str | None = None,
        recheck: bool | None = None,
        signature: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Verifies a share bundle and stages it in a graph of its own; ROOT is not written."""
        return self._write(
            "/import",
            manifest=manifest,
            export_ntriples=export_ntriples,
            shapes_turtle=shapes_turtle,
            source=source,
            actor=actor,
            recheck=recheck,
            signature=signature,
        )

    def import_promote(self, share_id: str, *, actor: str | None = None) -> dict[str, Any]:
        """Brings a staged share into ROOT, but for what ROOT has had and has lost again."""
        return self._write("/import/promote", share_id=share_id, actor=actor)

    def reason(
        self,
        rules: str | None = None,
        *,
        prefix: str | None = None,
        graph: str | None = None,
        timestamp: str | None = None,
    ) -> dict[str, Any]:
        """Runs rules in Turtle, or those stored with shapes; what follows stands in the companion of the graph."""
        return self._write("/reason", rules=rules, prefix=prefix, graph=graph, timestamp=timestamp)

    def embed_backfill(self) -> dict[str, Any]:
        """Makes a vector for every entity that has a text and none: `status`, `entities_embedded`, `remaining`, `failed`."""
        return self._write("/embed_backfill")

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
