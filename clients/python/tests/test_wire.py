"""What goes over the wire, seen by a server that records it; and servers that misbehave."""

from __future__ import annotations

import json
import socket
import threading
import unittest
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from svc_client import SvcClient, SvcError

Behaviour = Callable[[BaseHTTPRequestHandler], None]


def say(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, length: int | None = None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


class Wire(unittest.TestCase):
    def serve(self, behave: Behaviour = lambda handler: say(handler, b'{"tx_id": 1}')) -> str:
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen.append((self.command, self.path, headers, body))
                behave(self)

            do_GET = do_POST = do_PUT = do_DELETE = handle_one

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def client(self, base: str, *arguments, **options) -> SvcClient:
        client = SvcClient(base, *arguments, **options)
        self.addCleanup(client.close)
        return client

    def test_token_on_writes_only_and_nothing_null(self) -> None:
        client = self.client(self.serve(), "secret", "me", "job-7")
        reads = [
            client.health,
            client.stats,
            client.version,
            lambda: client.query("ASK {}"),
            lambda: client.validate("s", "d"),
            lambda: client.search("x"),
            lambda: client.hybrid_search("x"),
            lambda: client.context("x"),
            client.ask,
            client.export,
            client.share,
            lambda: client.resolve("n"),
            client.reconcile,
            lambda: client.spotlight("t"),
            lambda: client.unified_search("x"),
            lambda: client.search_nodes("x"),
            lambda: client.search_facts("x"),
            lambda: client.node_search("x"),
            client.events,
            client.event_refusals,
            lambda: client.entity("i"),
            lambda: client.entity_text("i"),
            lambda: client.preview("i"),
            lambda: client.entity_history("i"),
            lambda: client.explain("s", "p", "o"),
            lambda: client.unravel(tx=1),
            lambda: client.impact("e"),
            client.cord,
            client.fragments,
            client.transactions,
            client.changes,
            client.timeline,
            client.graphs,
            client.graph_get,
            client.void,
            client.shape_list,
            lambda: client.shape_set("a/b"),
            client.dataset_list,
            client.query_list,
            client.queries_running,
            lambda: client.query_explain("ASK {}", analyze=True),
            client.proposals,
            lambda: client.align_propose("l", "r"),
            lambda: client.align_decide("l", "r", "v", []),
            lambda: client.path_cone("t"),
            lambda: client.path_backtest("t"),
            lambda: client.cooccurrence("w"),
            lambda: client.policy_check("t", claim="c"),
            lambda: client.verifier_authorized("v", "p"),
            lambda: client.verdict_verify("p", "t", "o", "h", "v", "s"),
        ]
        writes = [
            lambda: client.update("u"),
            lambda: client.queries_cancel(7),
            lambda: client.propose("class", "t", "d", "p"),
            lambda: client.proposal_accept(1),
            lambda: client.proposal_reject(1, "no"),
            lambda: client.align_apply("l", "r", "v", []),
            client.datasets,
            client.queries,
            lambda: client.graph_create("g"),
            lambda: client.overlay_create("o"),
            lambda: client.overlay_write("o", "assert", "s", "p", 1),
            lambda: client.graph_label("g", kind="archive"),
            lambda: client.graph_freeze("g", timestamp="2026-01-01"),
            lambda: client.graph_thaw("g", timestamp="2026-01-01"),
            lambda: client.import_share({}, "", "", source="s"),
            lambda: client.import_promote("sha256:0"),
            lambda: client.reason("r"),
            client.embed_backfill,
            lambda: client.graph_put("g", "t"),
            lambda: client.graph_post("g", "t"),
            lambda: client.graph_delete("g"),
            lambda: client.knot("t"),
            lambda: client.episode("e"),
            lambda: client.episodes_complete("e"),
            lambda: client.retract_episode("e"),
            lambda: client.set("e", "p", "v"),
            lambda: client.retract_source("s", "r"),
            client.shapes,
            lambda: client.commit_events("c", 0),
            client.subscriptions,
            lambda: client.retract("e"),
        ]
        for call in [*reads, *writes]:
            call()
        self.assertEqual(len(self.seen), 81)
        self.assertIn("/shapes/a%2Fb", [path for _, path, _, _ in self.seen])
        for number, (_, path, headers, body) in enumerate(self.seen):
            expected = "Bearer secret" if number >= len(reads) else None
            self.assertEqual(headers.get("authorization"), expected, path)
            self.assertEqual((headers["x-svc-client"], headers["x-svc-task"]), ("me", "job-7"))
            self.assertNotIn(b"null", body, path)
        self.assertEqual([path for _, path, _, _ in self.seen[:3]], ["/health", "/stats", "/version"])
        self.assertEqual(json.loads(self.seen[3][3]), {"query": "ASK {}"})
        self.assertEqual(json.loads(self.seen[8][3]), {})
        self.assertEqual(json.loads(self.seen[-1][3]), {"entity": "e"})

    def test_token_on_reads_where_asked_for(self) -> None:
        client = self.client(self.serve(), "secret", token_on_reads=True)
        for call in (client.health, client.events, lambda: client.query("ASK {}"), client.export, lambda: client.knot("t")):
            call()
        self.assertEqual([headers["authorization"] for _, _, headers, _ in self.seen], ["Bearer secret"] * 5)

    def test_principal_chain_on_writes(self) -> None:
        client = self.client(self.serve(), principal_chain=["alice", "bot-é"])
        client.stats()
        client.set("e", "p", "v")
        client.update("INSERT DATA { <e> <p> 1 }")
        sent = [headers.get("x-svc-principal-chain") for _, _, headers, _ in self.seen]
        self.assertEqual(sent, [None, *["alice,bot-é".encode().decode("latin-1")] * 2])
        for wrong in ("alice", ["a,b"], ["a", " "]):
            with self.assertRaises(ValueError):
                SvcClient("http://127.0.0.1:1", principal_chain=wrong)

    def test_reads_that_need_a_transaction(self) -> None:
        client = self.client(self.serve(), min_tx=7)
        client.stats()
        client.set("e", "p", "v")
        client.min_tx = 8
        client.query("ASK {}")
        client.min_tx = None
        client.query("ASK {}")
        sent = [headers.get("x-svc-min-tx") for _, _, headers, _ in self.seen]
        self.assertEqual(sent, ["7", None, "8", None])
        for wrong in (-1, "8", True, 1.5):
            with self.assertRaises(ValueError):
                client.min_tx = wrong  # type: ignore[assignment]

    def test_routes_that_a_server_has_not(self) -> None:
        def absent(handler: BaseHTTPRequestHandler) -> None:
            say(handler, b'{"error": "there is no route", "code": "not_found"}', 404)

        client = self.client(self.serve(absent))
        for call, path in ((client.search, "/search"), (client.hybrid_search, "/hybrid_search"), (client.context, "/context")):
            with self.assertRaises(SvcError) as caught:
                call("x")
            self.assertEqual((caught.exception.status, caught.exception.code), (404, "not_found"))
            self.assertIn(f"this server has no {path}", caught.exception.reason)

    def test_graphs_by_their_addresses(self) -> None:
        client = self.client(self.serve())
        client.graph_put("http://ex.org/a b", "x", "ntriples", actor="é")
        client.graph_delete(None)
        client.graph_get("urn:g", at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))))
        self.assertEqual(
            [(method, path) for method, path, _, _ in self.seen],
            [
                ("PUT", "/rdf-graph-store?graph=http%3A%2F%2Fex.org%2Fa+b"),
                ("DELETE", "/rdf-graph-store?default="),
                ("GET", "/rdf-graph-store?graph=urn%3Ag"),
            ],
        )
        _, _, headers, body = self.seen[0]
        self.assertEqual((headers["content-type"], headers["x-svc-actor"], body), ("application/n-triples", "é".encode().decode("latin-1"), b"x"))
        self.assertEqual(self.seen[2][2]["accept-datetime"], "Fri, 02 Jan 2026 01:04:05 GMT")
        for call in (lambda: client.graph_get("g", "rdfxml"), lambda: client.graph_get("g", at=datetime(2026, 1, 1))):
            self.assertRaises(ValueError, call)
        self.assertEqual(len(self.seen), 3)

    def test_without_names_and_token(self) -> None:
        client = self.client(self.serve())
        client.knot("t")
        _, _, headers, _ = self.seen[0]
        for name in ("authorization", "x-svc-client", "x-svc-task"):
            self.assertNotIn(name, headers)

    def test_prefix_of_the_address(self) -> None:
        client = self.client(f"{self.serve()}/kg/")
        client.health()
        self.assertEqual(self.seen[0][1], "/kg/health")

    def test_addresses_that_are_none(self) -> None:
        for base in ("127.0.0.1:3030", "ftp://host", "http://", "http://host?x=1", "http://user@host", ""):
            with self.assertRaises(ValueError, msg=base):
                SvcClient(base)

    def test_text_of_every_kind(self) -> None:
        client = self.client(self.serve())
        for text in ("é猫😀", "\x00\n\\\"", "\ud863", "'; DROP"):
            client.knot(text)
            self.assertEqual(json.loads(self.seen[-1][3]), {"turtle": text})

    def test_numbers_that_json_has_not(self) -> None:
        client = SvcClient(self.serve())
        for number in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, r"field 'embedding\[1\]' is infinite or no number"):
                client.search(embedding=[0.5, number])
        self.assertEqual(self.seen, [])

    def test_a_closed_connection_is_noticed(self) -> None:
        closed = threading.Semaphore(0)

        def close_after(handler: BaseHTTPRequestHandler) -> None:
            say(handler, b'{"tx_id": 1}')
            # Without saying so, as a server does whose patience with idle connections is over.
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            closed.release()

        client = self.client(self.serve(close_after))
        for _ in range(5):
            client.health()
            closed.acquire()
            client.knot("t")
            closed.acquire()
        self.assertEqual(len(self.seen), 10)

    def test_a_write_is_not_sent_twice(self) -> None:
        def vanish(handler: BaseHTTPRequestHandler) -> None:
            if handler.command == "GET":
                say(handler, b"{}")
                return
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True

        client = self.client(self.serve(vanish))
        client.health()
        with self.assertRaises(SvcError) as caught:
            client.knot("t")
        self.assertIsNone(caught.exception.status)
        self.assertIn("gave no answer to POST /knot", str(caught.exception))
        self.assertEqual(sum(path == "/knot" for _, path, _, _ in self.seen), 1)

    def test_nobody_listens(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with self.assertRaises(SvcError) as caught:
            SvcClient(f"http://127.0.0.1:{port}").health()
        self.assertEqual((caught.exception.status, caught.exception.body), (None, None))
        self.assertIn(f"127.0.0.1:{port}", caught.exception.reason)

    def test_a_server_that_says_nothing(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)
        client = self.client(self.serve(lambda _: release.wait(10) and None), timeout=0.2)
        with self.assertRaises(SvcError) as caught:
            client.health()
        self.assertIn("timed out", str(caught.exception))

    def test_answers_that_break_off(self) -> None:
        def half(handler: BaseHTTPRequestHandler) -> None:
            say(handler, b'{"tx', length=1000)
            handler.close_connection = True

        client = self.client(self.serve(half))
        for call in (client.health, lambda: client.knot("t"), client.export):
            with self.assertRaises(SvcError) as caught:
                call()
            self.assertIsNone(caught.exception.status)
            self.assertIn("broke off", str(caught.exception))

    def test_answers_that_are_no_json(self) -> None:
        for body in (b"<html>", b"\xff\xfe", b"", b"[1]"):
            client = self.client(self.serve(lambda handler, body=body: say(handler, body)))
            with self.assertRaises(SvcError) as caught:
                client.stats()
            self.assertIn("JSON", str(caught.exception))

    def test_errors_of_others(self) -> None:
        for body, reason in ((b"Bad Gateway", "Bad Gateway"), (b'{"error": "why"}', "why"), (b'{"error": 1}', "Bad Gateway")):
            client = self.client(self.serve(lambda handler, body=body: say(handler, body, 502)))
            with self.assertRaises(SvcError) as caught:
                client.stats()
            self.assertEqual((caught.exception.status, caught.exception.reason), (502, reason))


if __name__ == "__main__":
    unittest.main()
