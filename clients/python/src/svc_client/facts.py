"""Reads of entities, their history, transactions and changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from .sender import Sender
from .values import moment

ENTITY_TYPES = {"json": "application/json", "turtle": "text/turtle", "html": "text/html"}


class Facts(Sender):
    """What the store says of entities, now and before."""

    def entity(
        self,
        iri: str,
        *,
        expanded: bool | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """The facts of an entity as JSON-LD; `expanded` without a context. One that is unknown raises SvcError 404."""
        return self._get("/entity", iri=iri, expanded=_flag(expanded), valid_at=moment(valid_at), tx=tx)

    def entity_text(
        self,
        iri: str,
        format: str = "turtle",
        *,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> str:
        """The same as a document: `turtle`, `json` (JSON-LD) or `html`."""
        parameters = {"iri": iri, "valid_at": moment(valid_at), "tx": tx}
        return self._text("/entity", parameters, _media_type(ENTITY_TYPES, format))

    def preview(self, iri: str) -> dict[str, Any]:
        """A card of an entity: `label`, `types`, `description` and some `properties`."""
        return self._get(f"/preview/{quote(iri, safe='')}")

    def entity_history(
        self, iri: str, *, graph: str | None = None, limit: int | None = None, offset: int | None = None
    ) -> dict[str, Any]:
        """Every assertion and retraction of an entity's facts: `history`, oldest first."""
        return self._ask("/entity_history", iri=iri, graph=graph, limit=limit, offset=offset)

    def explain(self, s: str, p: str, o: str, *, depth: int | None = None) -> dict[str, Any]:
        """Why a fact stands: `derivation` is None for a base fact, else its rule or axioms with the premises as `support`.

        o: an absolute IRI, `_:label`, or the text of a literal. depth: derivations to follow, one below the other; default 5.
        """
        return self._ask("/explain", s=s, p=p, o=o, depth=depth)

    def unravel(
        self,
        *,
        tx: int | None = None,
        valid_at: str | datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """The facts of ROOT with their times, as known after a transaction, at an instant, or both."""
        return self._ask("/unravel", tx=tx, valid_at=moment(valid_at), limit=limit, offset=offset)

    def cord(
        self,
        type: str | None = None,
        predicate: str | None = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Entities of a type, or with a predicate, with their facts."""
        return self._ask("/cord", type=type, predicate=predicate, limit=limit, offset=offset)

    def impact(
        self,
        entity: str,
        *,
        remove: bool | None = None,
        hops: int | None = None,
        predicates: Sequence[str] | None = None,
        rank_by_ppr: bool | None = None,
        timestamp: str | datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """What is `reached` from an entity over the facts of ROOT, at most `hops` facts away.

        remove: as if its facts were gone, from `timestamp` on; `lost` is what is reached now and would not be. Nothing is
        written. rank_by_ppr: by personalised PageRank, told as `ppr`.
        """
        return self._ask(
            "/impact",
            entity=entity,
            remove=remove,
            hops=hops,
            predicates=predicates,
            rank_by_ppr=rank_by_ppr,
            timestamp=moment(timestamp),
            limit=limit,
            offset=offset,
        )

    def fragments(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        *,
        page: int | None = None,
        page_size: int | None = None,
    ) -> dict[str, Any]:
        """A page of the triples of a pattern: `triples` and `totalCount`."""
        return self._get("/fragments", subject=subject, predicate=predicate, object=object, page=page, pageSize=page_size)

    def transactions(self, *, since: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Transactions, oldest first: those after `since`; read on from `next_since`."""
        return self._get("/transactions", since=since, limit=limit)

    def changes(
        self, *, since: int | None = None, capture: str | None = None, graph: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """What transactions after `since` changed, a row each; read on from `next_tx`.

        capture: `new_values` (default), `old_and_new_values` or `new_row`.
        """
        return self._get("/changes", since=since, capture=capture, graph=graph, limit=limit)

    def timeline(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        source_type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        order: str | None = None,
        buckets: int | None = None,
    ) -> dict[str, Any]:
        """Episodes and transactions by time: `items`, `next_cursor` to read on from, and with `buckets` their counts by intervals.

        since, until: only time labels from the one, and before the other. order: `asc` (default) or `desc`.
        """
        parameters = {"from": since, "to": until, "source_type": source_type, "limit": limit}
        return self._get("/timeline", **parameters, cursor=cursor, order=order, buckets=buckets)

    def all_transactions(self, since: int = 0) -> Iterator[dict[str, Any]]:
        """Each transaction after `since`, page by page."""
        following: int | None = since
        while following is not None:
            page = self.transactions(since=following)
            yield from page["transactions"]
            following = page["next_since"]


def _flag(given: bool | None) -> str | None:
    return None if given is None else str(given).lower()


def _media_type(types: dict[str, str], format: str) -> str:
    if format not in types:
        raise ValueError(f"format is {format!r}; expected one of {', '.join(types)}")
    return types[format]
