"""Searches: by text, by meaning, by what is linked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from .errors import SvcError
from .sender import Sender
from .values import moment


class Searches(Sender):
    """Entities and facts by text and by vectors.

    Every method takes `valid_at`, to find what held at an instant, and `tx`, to find what was known after a transaction.
    """

    def search(
        self,
        query: str | None = None,
        *,
        embedding: Sequence[float] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        group_ids: Sequence[str] | None = None,
        entity_type: str | None = None,
        verbose: bool | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """Entities near to a text, where the server has a provider of embeddings, or to a vector: `results`, the nearest first.

        group_ids: only what episodes of one of these groups wrote; entity_type: only instances of this class.
        """
        return self._ask_if_there(
            "/search",
            query=query,
            embedding=embedding,
            limit=limit,
            offset=offset,
            group_ids=group_ids,
            entity_type=entity_type,
            verbose=verbose,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def hybrid_search(
        self,
        query: str | None = None,
        *,
        sparql: str | None = None,
        embedding: Sequence[float] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        verbose: bool | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """The entities that the first variable of a SELECT gives, by their nearness to a text or a vector."""
        return self._ask_if_there(
            "/hybrid_search",
            query=query,
            sparql=sparql,
            embedding=embedding,
            limit=limit,
            offset=offset,
            verbose=verbose,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def unified_search(
        self,
        query: str,
        *,
        embedding: Sequence[float] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        expand_links: bool | None = None,
        max_facts_per_entity: int | None = None,
        group_ids: Sequence[str] | None = None,
        entity_type: str | None = None,
        verbose: bool | None = None,
        ranking: str | None = None,
        explain: bool | None = None,
        fact_order: str | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """Entities by text, by links from what is found and, where there are embeddings, by meaning: `results` and `summary`.

        ranking: `default`, `reciprocal`, `convex`, `mmr` or `ppr`; explain: with the parts of every score;
        fact_order: `predicate` (default), or `telling`: the most telling first.
        """
        return self._ask_if_there(
            "/unified_search",
            query=query,
            embedding=embedding,
            limit=limit,
            offset=offset,
            expand_links=expand_links,
            max_facts_per_entity=max_facts_per_entity,
            group_ids=group_ids,
            entity_type=entity_type,
            verbose=verbose,
            ranking=ranking,
            explain=explain,
            fact_order=fact_order,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def context(
        self,
        query: str,
        *,
        max_entities: int | None = None,
        expand_links: bool | None = None,
        ppr_rerank: bool | None = None,
        ranking: str | None = None,
        explain: bool | None = None,
        fact_order: str | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """What the store knows around a text: `entities` with their facts, and `summary`.

        ppr_rerank: in the order of PageRank that restarts at what is found; the others are those of `unified_search`.
        """
        return self._ask_if_there(
            "/context",
            query=query,
            max_entities=max_entities,
            expand_links=expand_links,
            ppr_rerank=ppr_rerank,
            ranking=ranking,
            explain=explain,
            fact_order=fact_order,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def search_nodes(
        self,
        query: str,
        *,
        group_ids: Sequence[str] | None = None,
        max_results: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        entity_type_filter: str | None = None,
        verbose: bool | None = None,
        explain: bool | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """Entities with a text in their IRIs, their literals, or the IRIs that they point at: `nodes`, the best first."""
        return self._ask_if_there(
            "/search_nodes",
            query=query,
            group_ids=group_ids,
            max_results=max_results,
            limit=limit,
            offset=offset,
            entity_type_filter=entity_type_filter,
            verbose=verbose,
            explain=explain,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def search_facts(
        self,
        query: str,
        *,
        group_ids: Sequence[str] | None = None,
        max_results: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        verbose: bool | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """Facts with a text in their predicates or values: `facts`, by source, predicate and target."""
        return self._ask_if_there(
            "/search_facts",
            query=query,
            group_ids=group_ids,
            max_results=max_results,
            limit=limit,
            offset=offset,
            verbose=verbose,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def node_search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        entity_type_filter: str | None = None,
        group_ids: Sequence[str] | None = None,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
    ) -> dict[str, Any]:
        """Entities by their names with their properties, in the shape of /search/nodes; entity_type_filter: a part of an IRI."""
        return self._ask_if_there(
            "/search/nodes",
            query=query,
            max_results=max_results,
            limit=limit,
            offset=offset,
            entity_type_filter=entity_type_filter,
            group_ids=group_ids,
            valid_at=moment(valid_at),
            tx=tx,
        )

    def _ask_if_there(self, path: str, **fields: Any) -> dict[str, Any]:
        """A read whose route not every server has."""
        try:
            return self._ask(path, **fields)
        except SvcError as error:
            if error.status != 404:
                raise
            reason = f"this server has no {path}: it can't do what {path[1:]} asks for (see version()['features'])"
            raise SvcError(error.status, error.body, reason) from error
