"""`SvcClient`: the store's reads and writes as methods."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from email.message import Message
from typing import Any, Literal
from urllib.parse import urlencode

from .curation import Curation
from .errors import SvcError
from .facts import Facts
from .frames import ARROW, arrow_table, data_frame
from .graphs import Graphs
from .registries import Registries
from .results import EpisodeResult, EpisodeRetractResult, KnotResult, RetractResult, SetResult, UpdateResult
from .searches import Searches
from .transport import CHUNK_BYTES, Transport
from .values import Value, literal_value, moment, value_form

EXPORT_TYPES = {
    "turtle": "text/turtle",
    "ntriples": "application/n-triples",
}


class SvcClient(Curation, Facts, Graphs, Registries, Searches):
    """A server and how to ask it. Usable from several threads.

    base_url: where the server is, `http://127.0.0.1:3030`.
    token: the bearer token, sent with writes; without one no Authorization is sent.
    token_on_reads: sends the token with reads, too, for a server that requires it (server.require_token_for_reads).
    client_id, task_id: who asks and what for, sent as X-Svc-Client and X-Svc-Task.
    principal_chain: on whose behalf it is written, the outermost first; sent with writes as X-Svc-Principal-Chain.
    min_tx: reads see at least this transaction, the `tx_id` of a write for instance (X-Svc-Min-Tx); may be set anew at any
        time. A server that does not have it yet, as a follower may, waits, and answers 503 after its time for queries.
    timeout: seconds without a byte after which a request is given up.
    values: `python` gives decimals as Decimal, dates as date and datetime, and NaN and INF as float; `json` leaves
        them as the server writes them, {"value": "1.50", "datatype": "..."}.

    Every method raises SvcError when the answer is not 2xx or there is none. Arguments that are None
    are left out of the request.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        client_id: str | None = None,
        task_id: str | None = None,
        *,
        timeout: float = 120.0,
        token_on_reads: bool = False,
        principal_chain: Sequence[str] = (),
        min_tx: int | None = None,
        values: Literal["python", "json"] = "python",
    ) -> None:
        if values not in ("python", "json"):
            raise ValueError(f"values is {values!r}; expected 'python' or 'json'")
        self._hook = literal_value if values == "python" else None
        self._transport = Transport(base_url, timeout)
        self._token = token
        self._token_on_reads = token_on_reads
        self._chain = _joined_chain(principal_chain)
        self.min_tx = min_tx
        self._attribution = _present({"X-Svc-Client": client_id, "X-Svc-Task": task_id})

    def __enter__(self) -> SvcClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; the client can be used again."""
        self._transport.close()

    @property
    def min_tx(self) -> int | None:
        """The transaction that reads see at least; None = whatever the server has."""
        return self._min_tx

    @min_tx.setter
    def min_tx(self, tx: int | None) -> None:
        if tx is not None and (isinstance(tx, bool) or not isinstance(tx, int) or tx < 0):
            raise ValueError(f"min_tx is {tx!r}; expected the number of a transaction")
        self._min_tx = tx

    # Reads

    def health(self) -> dict[str, Any]:
        """Whether the server lives: {"status": "ok"}."""
        return self._get("/health")

    def stats(self) -> dict[str, Any]:
        """Numbers of the store: facts, entities, predicates and more."""
        return self._get("/stats")

    def version(self) -> dict[str, Any]:
        """The server's version, commit and features."""
        return self._get("/version")

    def query(
        self,
        query: str,
        *,
        valid_at: str | datetime | None = None,
        tx: int | None = None,
        base: str | None = None,
        graph: str | None = None,
        default_graph_uri: Sequence[str] | None = None,
        named_graph_uri: Sequence[str] | None = None,
        fork: str | None = None,
        include_kinds: Sequence[str] | None = None,
        overlay: str | None = None,
        precedence: str | None = None,
        inferred: bool | None = None,
        verbose: bool | None = None,
        inference: bool | None = None,
        federated: bool | str | None = None,
        timeout_ms: int | None = None,
    ) -> dict[str, Any]:
        """Answers a SPARQL query: `variables` and `rows`, or `triples`, or `result`.

        valid_at: facts that held at this instant (RFC 3339); tx: facts as known after this transaction.
        graph: a graph or a dataset in place of ROOT; include_kinds: with the graphs of these kinds; fork: a fork by its name;
        overlay: its view over its parent, composed by `precedence` (`nearest`, `governed`).
        inferred: with what rules derived from each of these graphs; `inferred` of the answer names the graphs that hold it.
        federated: True or `union`: every configured remote is asked as well; `join`: one query over the facts of all.
        `providers` and `complete` of the answer say what became of them.
        verbose: IRIs in full, never shortened. `labels` of the answer: what its graphs are declared as, together.
        """
        return self._ask(
            "/query",
            query=query,
            valid_at=moment(valid_at),
            tx=tx,
            base=base,
            graph=graph,
            default_graph_uri=default_graph_uri,
            named_graph_uri=named_graph_uri,
            fork=fork,
            include_kinds=include_kinds,
            overlay=overlay,
            precedence=precedence,
            inferred=inferred,
            verbose=verbose,
            inference=inference,
            federated=federated,
            timeout_ms=timeout_ms,
        )

    def query_explain(
        self, query: str, *, analyze: bool | None = None, disabled: Sequence[str] | None = None, **options: Any
    ) -> dict[str, Any]:
        """How a query or an update is answered: its `plan`, and where its time went.

        analyze: run it and tell what happened (`profile` is the same); nothing is written. disabled: rewrites to switch off,
        by name. options: those of `query` that say what is read.
        """
        if isinstance(options.get("valid_at"), datetime):
            options["valid_at"] = moment(options["valid_at"])
        return self._ask("/query/explain", query=query, analyze=analyze, disabled=disabled, **options)

    def query_stream(self, query: str, media_type: str, **options: Any) -> Iterator[bytes]:
        """The answer of a SPARQL query as a document in pieces, in a format of the server.

        media_type: `application/sparql-results+json`, `text/csv`, `application/vnd.apache.arrow.stream`,
        `application/vnd.apache.parquet`, `text/turtle` ... options: those of `query`.
        """
        if isinstance(options.get("valid_at"), datetime):
            options["valid_at"] = moment(options["valid_at"])
        yield from self._document("/query", {"query": query, **options}, media_type)

    def query_bytes(self, query: str, media_type: str, **options: Any) -> bytes:
        """The same as a whole, for example for pyarrow.ipc.open_stream."""
        return b"".join(self.query_stream(query, media_type, **options))

    def query_arrow(self, query: str, **options: Any) -> Any:
        """The rows of a SELECT as a pyarrow.Table, with every column of the Arrow format. Needs pyarrow."""
        return arrow_table(self.query_bytes(query, ARROW, **options))

    def query_frame(self, query: str, **options: Any) -> Any:
        """The rows of a SELECT as a pandas.DataFrame, a column for each variable. Needs pandas and pyarrow.

        A column has typed values where all terms of the variable have one type, and their texts otherwise.
        """
        return data_frame(self.query_bytes(query, ARROW, **options))

    def validate(
        self,
        shapes: str | None,
        data: str,
        *,
        format: str | None = None,
        base: str | None = None,
        valid_at: str | datetime | None = None,
        as_of_tx: int | None = None,
    ) -> dict[str, Any]:
        """Checks data against SHACL shapes without writing; None = the stored shapes, of now or of then.

        Shapes are Turtle, and so are data unless `format` says otherwise; `base` is what their relative IRIs stand below.
        """
        then = {"valid_at": moment(valid_at), "as_of_tx": as_of_tx}
        return self._ask("/validate", shapes=shapes, data=data, format=format, base=base, **then)

    def ask(
        self,
        name: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        graph: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> dict[str, Any]:
        """Runs a stored or built-in query by its name; without one, lists them."""
        return self._ask("/ask", name=name, params=params, graph=graph, limit=limit, offset=offset)

    def export(
        self,
        *,
        graph: str | None = None,
        group_id: str | None = None,
        construct: str | None = None,
        format: str | None = None,
    ) -> str:
        """RDF text of ROOT, of a graph, a group or a CONSTRUCT query; format: `turtle` (default) or `ntriples`."""
        chunks = self.export_stream(graph=graph, group_id=group_id, construct=construct, format=format)
        return b"".join(chunks).decode("utf-8")

    def export_stream(
        self,
        *,
        graph: str | None = None,
        group_id: str | None = None,
        construct: str | None = None,
        format: str | None = None,
    ) -> Iterator[bytes]:
        """The same in pieces, as the server makes them."""
        fields = {"graph": graph, "group_id": group_id, "construct": construct, "format": format}
        yield from self._document("/export", fields, EXPORT_TYPES.get(format or "turtle", "*/*"))

    def share(
        self,
        *,
        scope: str | Mapping[str, Any] | None = None,
        shapes: Sequence[str] | None = None,
        no_shapes: bool | None = None,
        parent_share: str | None = None,
        max_bytes: int | None = None,
        turtle_view: bool | None = None,
    ) -> dict[str, Any]:
        """A share bundle of ROOT, or of what `scope` names: canonical triples, shapes and a manifest, as texts."""
        return self._ask(
            "/share",
            scope=scope,
            shapes=shapes,
            no_shapes=no_shapes,
            parent_share=parent_share,
            max_bytes=max_bytes,
            turtle_view=turtle_view,
        )

    def resolve(
        self,
        name: str,
        *,
        properties: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
    ) -> dict[str, Any]:
        """Which entities a name may mean: `candidates`, each `iri`, `score` from 0 to 1 and `matched_on`."""
        return self._ask("/resolve", name=name, properties=properties, top_k=top_k, threshold=threshold)

    def reconcile(self, queries: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """Matches the cells of a table with entities, a `result` for each query; without queries what the service is."""
        return self._ask("/reconcile", queries=queries)

    def spotlight(self, text: str, *, confidence: float | None = None) -> dict[str, Any]:
        """Mentions of known entities in a text: `annotations` with offsets in code points."""
        return self._ask("/spotlight", text=text, confidence=confidence)

    def void(self) -> str:
        """What the store says of itself as a data set, in Turtle (VoID)."""
        return self._text("/.well-known/void", {}, "text/turtle")

    # Writes

    def update(
        self,
        update: str,
        *,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        using_graph_uri: Sequence[str] | None = None,
        using_named_graph_uri: Sequence[str] | None = None,
        base: str | None = None,
        timeout_ms: int | None = None,
    ) -> UpdateResult:
        """Runs a SPARQL update as one transaction: all of it, or nothing."""
        parameters = {
            "timestamp": moment(timestamp),
            "actor": actor,
            "using_graph_uri": using_graph_uri,
            "using_named_graph_uri": using_named_graph_uri,
            "base": base,
            "timeout_ms": timeout_ms,
        }
        headers = {"Accept": "application/json", "Content-Type": "application/sparql-update"}
        target = _target("/update", parameters)
        _, _, content = self._write_document("POST", target, headers, update.encode("utf-8"))
        return UpdateResult.of(self._parsed(content, "/update"))

    def knot(
        self,
        turtle: str,
        *,
        shapes: str | None = None,
        timestamp: str | datetime | None = None,
        valid_from: str | datetime | None = None,
        actor: str | None = None,
        source: str | None = None,
        replace_snapshot: bool | None = None,
        snapshot: str | None = None,
        graph: str | None = None,
        blank_node_scope: str | None = None,
    ) -> KnotResult:
        """Writes the triples of a Turtle document as one transaction.

        valid_from: since when they hold (RFC 3339). snapshot with replace_snapshot: what an earlier
        document of the same key said and this one does not is retracted.
        """
        return KnotResult.of(
            self._write(
                "/knot",
                turtle=turtle,
                shapes=shapes,
                timestamp=moment(timestamp),
                valid_from=moment(valid_from),
                actor=actor,
                source=source,
                replace_snapshot=replace_snapshot,
                snapshot=snapshot,
                graph=graph,
                blank_node_scope=blank_node_scope,
            )
        )

    def episode(
        self,
        name: str,
        *,
        episode_body: str | None = None,
        source: str | None = None,
        group_id: str | None = None,
        nodes: Sequence[Mapping[str, Any]] | None = None,
        edges: Sequence[Mapping[str, Any]] | None = None,
        timestamp: str | datetime | None = None,
        replace_snapshot: bool | None = None,
        graph: str | None = None,
        shapes: str | None = None,
        base_ns: str | None = None,
    ) -> EpisodeResult:
        """Writes an episode: its text, nodes and edges."""
        return EpisodeResult.of(
            self._write(
                "/episode",
                name=name,
                episode_body=episode_body,
                source=source,
                group_id=group_id,
                nodes=nodes,
                edges=edges,
                timestamp=moment(timestamp),
                replace_snapshot=replace_snapshot,
                graph=graph,
                shapes=shapes,
                base_ns=base_ns,
            )
        )

    def episodes_complete(
        self,
        name: str,
        *,
        episode_body: str | None = None,
        group_id: str | None = None,
        source_description: str | None = None,
        timestamp: str | datetime | None = None,
    ) -> EpisodeResult:
        """Writes an episode that is a text alone."""
        return EpisodeResult.of(
            self._write(
                "/episodes/complete",
                name=name,
                episode_body=episode_body,
                group_id=group_id,
                source_description=source_description,
                timestamp=moment(timestamp),
            )
        )

    def retract_episode(
        self,
        episode: str,
        *,
        on_orphan: str | None = None,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
    ) -> EpisodeRetractResult:
        """Takes back what an episode wrote; `on_orphan` is `preserve`, `refuse` or `allow`."""
        return EpisodeRetractResult.of(
            self._write(
                "/episode/retract",
                episode=episode,
                on_orphan=on_orphan,
                timestamp=moment(timestamp),
                actor=actor,
            )
        )

    def set(
        self,
        entity: str,
        predicate: str,
        value: Value,
        *,
        valid_from: str | datetime | None = None,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
    ) -> SetResult:
        """Makes a value the only current one of an entity's predicate; it begins, and others end, at `valid_from`."""
        return SetResult.of(
            self._write(
                "/set",
                entity=entity,
                predicate=predicate,
                value=value_form(value),
                valid_from=moment(valid_from),
                timestamp=moment(timestamp),
                actor=actor,
            )
        )

    def retract(
        self,
        entity: str,
        predicate: str | None = None,
        value: Value | None = None,
        *,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
        allow_orphan: bool | None = None,
    ) -> RetractResult:
        """Retracts current facts of an entity: all, those of a predicate, or those with a value."""
        return RetractResult.of(
            self._write(
                "/retract",
                entity=entity,
                predicate=predicate,
                value=None if value is None else value_form(value),
                timestamp=moment(timestamp),
                actor=actor,
                allow_orphan=allow_orphan,
            )
        )

    def retract_source(
        self,
        source: str,
        repair: str,
        *,
        apply: bool | None = None,
        expect: int | None = None,
        graph: str | None = None,
        timestamp: str | datetime | None = None,
        actor: str | None = None,
    ) -> dict[str, Any]:
        """What a source owns: `planned` and a `sample`; with `apply` it is taken back.

        expect: refuse when another number is planned.
        """
        return self._write(
            "/retract/source",
            source=source,
            repair=repair,
            apply=apply,
            expect=expect,
            graph=graph,
            timestamp=moment(timestamp),
            actor=actor,
        )

    # How they are sent

    def _get(self, path: str, **parameters: Any) -> dict[str, Any]:
        headers = self._headers("application/json")
        with self._transport.send("GET", _target(path, parameters), headers, None, True) as response:
            return self._parsed(response.read(), path)

    def _ask(self, path: str, **fields: Any) -> dict[str, Any]:
        headers = self._headers("application/json", "application/json")
        with self._transport.send("POST", path, headers, _json(fields), True) as response:
            return self._parsed(response.read(), path)

    def _write(self, path: str, **fields: Any) -> dict[str, Any]:
        headers = self._headers("application/json", "application/json", writes=True)
        with self._transport.send("POST", path, headers, _json(fields), False) as response:
            return self._parsed(response.read(), path)

    def _text(
        self, path: str, parameters: Mapping[str, Any], media_type: str, headers: Mapping[str, str] | None = None
    ) -> str:
        sent = {**self._headers(media_type), **(headers or {})}
        with self._transport.send("GET", _target(path, parameters), sent, None, True) as response:
            return response.read().decode("utf-8")

    def _write_document(
        self, method: str, target: str, headers: Mapping[str, str | bytes], body: bytes | None
    ) -> tuple[int, Message, bytes]:
        sent: dict[str, Any] = {**self._headers("*/*", writes=True), **headers}
        with self._transport.send(method, target, sent, body, False) as response:
            content = response.read()
            return response.status, response.headers, content

    def _document(self, path: str, fields: Mapping[str, Any], media_type: str) -> Iterator[bytes]:
        headers = self._headers(media_type, "application/json")
        with self._transport.send("POST", path, headers, _json(fields), True) as response:
            while chunk := response.read1(CHUNK_BYTES):
                yield chunk
            if response.length:
                raise SvcError(None, None, f"the answer to POST {path} broke off: {response.length} bytes are missing")

    def _parsed(self, content: bytes, path: str) -> dict[str, Any]:
        try:
            body = json.loads(content, object_hook=self._hook)
        except ValueError as error:
            text = content[:200].decode("utf-8", "replace")
            raise SvcError(None, text, f"the answer to {path} is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise SvcError(None, body, f"the answer to {path} is JSON, but no object")
        return body

    def _headers(self, accept: str, content_type: str | None = None, writes: bool = False) -> dict[str, Any]:
        sent = self._token if writes or self._token_on_reads else None
        bearer = None if sent is None else f"Bearer {sent}"
        chain = self._chain if writes else None
        least = None if writes or self._min_tx is None else str(self._min_tx)
        fields = {"Content-Type": content_type, "Authorization": bearer, "X-Svc-Principal-Chain": chain}
        return {**self._attribution, "Accept": accept, **_present({**fields, "X-Svc-Min-Tx": least})}


def _joined_chain(chain: Sequence[str]) -> bytes | None:
    if isinstance(chain, str):
        raise ValueError("principal_chain is a text; expected a list of principals")
    for principal in chain:
        if principal.strip() == "" or "," in principal:
            raise ValueError(f"principal_chain: {principal!r} is no principal: it is empty or holds a comma")
    return ",".join(chain).encode("utf-8") if chain else None


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _target(path: str, parameters: Mapping[str, Any]) -> str:
    present = _present(parameters)
    return f"{path}?{urlencode(present, doseq=True)}" if present else path


def _json(fields: Mapping[str, Any]) -> bytes:
    present = _present(fields)
    try:
        try:
            return json.dumps(present, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except UnicodeEncodeError:
            # Half a surrogate pair has no UTF-8, but an escape.
            return json.dumps(present, allow_nan=False).encode("ascii")
    except ValueError as error:
        place = None if "ircular" in str(error) else _not_finite(present, "")
        if place is None:
            raise
        message = f"field '{place}' is infinite or no number (NaN), which JSON can't hold"
        raise ValueError(message) from error


def _not_finite(value: Any, place: str) -> str | None:
    """Where in a request the first number stands that is infinite or NaN."""
    if isinstance(value, float):
        return None if math.isfinite(value) else place
    if isinstance(value, Mapping):
        entries = [(f"{place}.{key}" if place else str(key), one) for key, one in value.items()]
    elif isinstance(value, (list, tuple)):
        entries = [(f"{place}[{at}]", one) for at, one in enumerate(value)]
    else:
        return None
    return next((found for name, one in entries if (found := _not_finite(one, name)) is not None), None)
