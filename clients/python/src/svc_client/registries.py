"""What a server keeps besides facts: its events and who is told of them, sets of shapes, queries, running requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from .sender import Sender
from .values import moment


class Registries(Sender):
    """Events and subscriptions, stored shapes, datasets and queries, running requests."""

    def events(
        self,
        *,
        since: int | None = None,
        consumer: str | None = None,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        group: str | None = None,
    ) -> dict[str, Any]:
        """A page of the event log: `events`, `next_offset` and `lag`.

        since: only events after this offset; without it a consumer goes on after what it has committed.
        """
        names = None if types is None else ",".join(types)
        return self._get("/events", since=since, consumer=consumer, limit=limit, types=names, group=group)

    def event_refusals(self) -> dict[str, Any]:
        """How many writes each gate has refused: `refusals` and `total`."""
        return self._get("/events/refusals")

    def commit_events(self, consumer_id: str, offset: int) -> dict[str, Any]:
        """Notes how far a consumer has read the events; a lower offset replays."""
        return self._write("/events/commit", consumer_id=consumer_id, offset=offset)

    def subscriptions(
        self,
        action: str | None = None,
        consumer_id: str | None = None,
        webhook_url: str | None = None,
        *,
        types: Sequence[str] | None = None,
        group: str | None = None,
        mode: str | None = None,
        batch_size: int | None = None,
        batch_window_s: float | None = None,
        since: int | None = None,
        secret: str | None = None,
        reader: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Endpoints that events are pushed to; `action` is `list` (default), `create` or `delete`."""
        return self._write(
            "/subscriptions",
            action=action,
            consumer_id=consumer_id,
            webhook_url=webhook_url,
            types=types,
            group=group,
            mode=mode,
            batch_size=batch_size,
            batch_window_s=batch_window_s,
            since=since,
            secret=secret,
            reader=reader,
            limit=limit,
            offset=offset,
        )

    def shapes(
        self,
        action: str | None = None,
        name: str | None = None,
        turtle: str | None = None,
        *,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Sets of SHACL shapes that judge every write; `action` is `list` (default), `load`, `get` or `remove`."""
        return self._write(
            "/shapes",
            action=action,
            name=name,
            turtle=turtle,
            timestamp=moment(timestamp),
            actor=actor,
            limit=limit,
            offset=offset,
        )

    def shape_list(self, *, limit: int | None = None, offset: int | None = None) -> dict[str, Any]:
        """The stored sets of SHACL shapes; no token is needed."""
        return self._get("/shapes", limit=limit, offset=offset)

    def shape_set(self, name: str) -> dict[str, Any]:
        """A stored set of SHACL shapes as it was loaded."""
        return self._get(f"/shapes/{quote(name, safe='')}")

    def ontology(
        self,
        action: str | None = None,
        name: str | None = None,
        turtle: str | None = None,
        *,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Ontologies and what they entail; `action` is `list` (default), `load`, `materialize` or `remove`."""
        return self._write(
            "/ontology",
            action=action,
            name=name,
            turtle=turtle,
            timestamp=moment(timestamp),
            actor=actor,
            limit=limit,
            offset=offset,
        )

    def ontology_list(self, *, limit: int | None = None, offset: int | None = None) -> dict[str, Any]:
        """The loaded ontologies; no token is needed."""
        return self._get("/ontology", limit=limit, offset=offset)

    def datasets(
        self,
        action: str | None = None,
        name: str | None = None,
        members: Sequence[str | Mapping[str, Any]] | None = None,
        *,
        allow_unregistered: bool | None = None,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Named lists of graphs; `action` is `list` (default), `create`, `show` or `remove`.

        members: IRIs of graphs, or `{"graph": ..., "ord": ...}`.
        """
        return self._write(
            "/datasets",
            action=action,
            name=name,
            members=members,
            allow_unregistered=allow_unregistered,
            timestamp=moment(timestamp),
            actor=actor,
            limit=limit,
            offset=offset,
        )

    def dataset_list(
        self, name: str | None = None, *, limit: int | None = None, offset: int | None = None
    ) -> dict[str, Any]:
        """The names of the datasets, or the members of one; no token is needed."""
        return self._get("/datasets", name=name, limit=limit, offset=offset)

    def queries(
        self,
        action: str | None = None,
        name: str | None = None,
        template: str | None = None,
        *,
        description: str | None = None,
        dataset: str | None = None,
        params: Sequence[Mapping[str, Any]] | None = None,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Stored queries, which `ask` runs; `action` is `list` (default), `load`, `get` or `remove`."""
        return self._write(
            "/queries",
            action=action,
            name=name,
            template=template,
            description=description,
            dataset=dataset,
            params=params,
            timestamp=moment(timestamp),
            actor=actor,
            limit=limit,
            offset=offset,
        )

    def query_list(
        self, name: str | None = None, *, limit: int | None = None, offset: int | None = None
    ) -> dict[str, Any]:
        """The stored queries, or one with its template."""
        return self._get("/queries", name=name, limit=limit, offset=offset)

    def queries_running(self) -> dict[str, Any]:
        """The requests that the server is answering: {"running": [{"id", "operation", "text", ...}], "count"}."""
        return self._get("/queries/running")

    def queries_cancel(self, id: int) -> dict[str, Any]:
        """Ends a running request; a server with tokens wants one for this."""
        return self._write("/queries/cancel", id=id)
