"""Every method against a live server; the addresses come from the environment.

SVC_TEST_OPEN: a server that anybody may write to. SVC_TEST_GUARDED: one whose token is SVC_TEST_TOKEN.
SVC_TEST_READ_ONLY: one that writes nothing.
"""

from __future__ import annotations

import os
import threading
import unittest
from datetime import UTC, date, datetime
from decimal import Decimal

from svc_client import SvcClient, SvcError

EX = "http://ex.org/"
ENVIRONMENT = ("SVC_TEST_OPEN", "SVC_TEST_GUARDED", "SVC_TEST_TOKEN", "SVC_TEST_READ_ONLY")


def setUpModule() -> None:
    missing = [name for name in ENVIRONMENT if name not in os.environ]
    if missing:
        raise unittest.SkipTest(f"no live server: {', '.join(missing)} not set")


def refused(test: unittest.TestCase, status: int | None, call, *arguments, **options) -> SvcError:
    with test.assertRaises(SvcError) as caught:
        call(*arguments, **options)
    test.assertEqual(caught.exception.status, status, caught.exception)
    return caught.exception


class Open(unittest.TestCase):
    def setUp(self) -> None:
        self.client = SvcClient(os.environ["SVC_TEST_OPEN"], client_id="python-test", task_id="t-1")
        self.addCleanup(self.client.close)

    def test_server(self) -> None:
        self.assertEqual(self.client.health(), {"status": "ok"})
        self.assertIn("version", self.client.version())
        self.assertIsInstance(self.client.stats()["facts"], int)

    def test_write_and_read(self) -> None:
        name = f"{EX}write/ann"
        result = self.client.knot(
            f'<{name}> a <{EX}Person> ; <{EX}name> "Ann é猫" .', valid_from="2026-01-01T02:00:00+02:00", actor="me"
        )
        self.assertEqual((result.count, result.new_facts, result.conforms), (2, 2, True))
        self.assertEqual(result.valid_from, "2026-01-01T00:00:00Z")
        self.assertGreater(result.tx_id, 0)
        self.assertEqual(result.raw["violations"], [])
        answer = self.client.query(f"SELECT ?name WHERE {{ <{name}> <{EX}name> ?name }}")
        self.assertEqual(answer["rows"], [{"name": "Ann é猫"}])
        self.assertEqual(self.client.query(f"ASK {{ <{name}> ?p ?o }}", valid_at="2025-12-31T00:00:00Z")["result"], False)
        self.assertEqual(self.client.query(f"ASK {{ <{name}> ?p ?o }}", tx=result.tx_id)["result"], True)

    def test_set_and_retract(self) -> None:
        entity = f"{EX}set/it"
        self.client.knot(f'<{entity}> a <{EX}Thing> ; <{EX}size> 1 , 2 .')
        done = self.client.set(entity, f"{EX}size", 7, actor="me")
        self.assertEqual((done.retracted, done.asserted, done.entity, done.predicate), (2, 1, entity, f"{EX}size"))
        for value, shown in [
            (True, True),
            (1.5, 1.5),
            ("text", "text"),
            ({"iri": f"{EX}other"}, f"{EX}other"),
            ({"value": "chat", "lang": "fr"}, {"value": "chat", "lang": "fr"}),
            (-(2**70), -(2**70)),
        ]:
            self.client.set(entity, f"{EX}size", value)
            rows = self.client.query(f"SELECT ?o WHERE {{ <{entity}> <{EX}size> ?o }}")["rows"]
            self.assertEqual(rows, [{"o": shown}])
        gone = self.client.retract(entity, f"{EX}size", -(2**70))
        self.assertEqual((gone.retracted, gone.entity), (1, entity))
        nothing = self.client.retract(entity, f"{EX}size")
        self.assertEqual((nothing.tx_id, nothing.retracted), (0, 0))

    def test_values_of_python(self) -> None:
        entity = f"{EX}values/it"
        self.client.knot(f"<{entity}> a <{EX}Thing> .")
        for value in (Decimal("12.50"), date(2026, 3, 1), datetime(2026, 3, 1, 8, tzinfo=UTC), 2.5, float("inf")):
            self.client.set(entity, f"{EX}v", value)
            [row] = self.client.query(f"SELECT ?v {{ <{entity}> <{EX}v> ?v }}")["rows"]
            self.assertEqual((row["v"], type(row["v"])), (value, type(value)))
        self.assertEqual(self.client.retract(entity, f"{EX}v", float("inf")).retracted, 1)

    def test_update(self) -> None:
        entity = f"{EX}update/it"
        done = self.client.update(f"INSERT DATA {{ <{entity}> <{EX}p> 1 , 2 }}", actor="me", timestamp=datetime.now(UTC))
        self.assertEqual((done.inserted, done.deleted, done.graphs), (2, 0, ["urn:svc:graph:root"]))
        named = self.client.update("INSERT { <urn:u> <urn:o> ?o } WHERE { ?s ?p ?o }", using_graph_uri=["urn:none", "urn:no"])
        self.assertEqual(named.inserted, 0)
        self.assertEqual(self.client.update("DELETE WHERE { <urn:nothing> ?p ?o }").tx_id, 0)
        error = refused(self, 400, self.client.update, "INSERT DATA { <urn:a> }")
        self.assertEqual(error.code, "parse_error")

    def test_facts_and_their_past(self) -> None:
        entity = f"{EX}past/it"
        first = self.client.knot(f'<{entity}> a <{EX}Past> ; <{EX}price> 1.5 .', actor="me").tx_id
        self.client.set(entity, f"{EX}price", Decimal("2.5"))
        self.assertEqual(self.client.entity(entity)["price"]["@value"], "2.5")
        self.assertEqual(self.client.entity(entity, tx=first)["price"]["@value"], "1.5")
        self.assertIn("@id", self.client.entity(entity, expanded=False))
        self.assertIn("2.5", self.client.entity_text(entity))
        self.assertIn("<html", self.client.entity_text(entity, "html"))
        refused(self, 404, self.client.entity, f"{EX}past/nobody")
        self.assertEqual(self.client.preview(entity)["types"], [f"{EX}Past"])
        history = self.client.entity_history(entity)["history"]
        prices = [(entry["op"], entry["value"]) for entry in history if entry["predicate"] == f"{EX}price"]
        self.assertIn(("retract", Decimal("1.5")), prices)
        self.assertEqual([one["iri"] for one in self.client.cord(f"{EX}Past")["entities"]], [entity])
        self.assertEqual(self.client.fragments(entity, f"{EX}price")["triples"][0]["object"], Decimal("2.5"))
        self.assertGreater(self.client.unravel(tx=first, limit=1)["count"], 0)
        mine = [one for one in self.client.all_transactions(first - 1) if one["id"] == first]
        self.assertEqual((len(mine), mine[0]["actor"]), (1, "me"))
        changed = self.client.changes(since=first, capture="old_and_new_values")["changes"]
        self.assertIn(Decimal("2.5"), [change["new_value"] for change in changed if change["entity"] == entity])
        self.assertIn("void#", self.client.void())
        self.assertIn("total", self.client.event_refusals())

    def test_graphs(self) -> None:
        graph = f"{EX}graphs/one"
        made = self.client.graph_put(graph, f"<{graph}> <{EX}p> 1 .", actor="Zoë 猫")
        [by] = self.client.transactions(since=made.tx_id - 1, limit=1)["transactions"]
        self.assertEqual(by["actor"], "Zoë 猫")
        self.assertEqual((made.created, made.tx_id > 0), (True, True))
        self.assertEqual(self.client.graph_post(graph, f"<{graph}> <{EX}p> 2 .".encode()).created, False)
        self.assertEqual(len(self.client.graph_get(graph, "ntriples").splitlines()), 2)
        [listed] = [one for one in self.client.graphs()["graphs"] if one["graph"] == graph]
        self.assertEqual(listed["facts"], 2)
        self.assertEqual(self.client.query("SELECT ?o { ?s ?p ?o }", default_graph_uri=[graph])["rows"], [{"o": 1}, {"o": 2}])
        frozen = self.client.graph_freeze(graph, timestamp="2026-06-01T00:00:00Z")
        self.assertEqual((frozen["lifecycle"], frozen["facts"]), ("frozen", 2))
        with self.assertRaises(SvcError):
            self.client.graph_post(graph, f"<{graph}> <{EX}p> 3 .")
        self.assertEqual(self.client.graph_thaw(graph, timestamp="2026-07-01T00:00:00Z")["lifecycle"], None)
        self.client.graph_delete(graph)
        refused(self, 404, self.client.graph_get, graph)
        self.assertEqual(self.client.graph_create(f"{EX}graphs/two")["created"], True)
        labelled = self.client.graph_label(f"{EX}graphs/two", freshness="fresh", policy=[], timestamp="2026-01-01")
        self.assertGreater(labelled["tx_id"], 0)
        [listed] = [one for one in self.client.graphs()["graphs"] if one["graph"] == f"{EX}graphs/two"]
        self.assertEqual((listed["labels"]["freshness"], listed["labels"]["policy"]), ("fresh", []))
        refused(self, 400, self.client.graph_label, f"{EX}graphs/two", kind="Archive")

    def test_impact(self) -> None:
        package, container, service = f"{EX}impact/package", f"{EX}impact/container", f"{EX}impact/service"
        lines = f"<{package}> <{EX}in> <{container}> . <{container}> <{EX}runs> <{service}> ."
        self.client.knot(lines)
        found = self.client.impact(package, predicates=[f"{EX}in", f"{EX}runs"], rank_by_ppr=True)
        self.assertEqual([one["iri"] for one in found["reached"]], [package, container, service])
        self.assertGreater(found["reached"][0]["ppr"], found["reached"][1]["ppr"])
        self.assertEqual(self.client.impact(package, hops=1)["reached_count"], 1)
        gone = self.client.impact(package, remove=True, timestamp="2026-01-01")
        self.assertEqual((gone["reached_count"], gone["lost"]), (0, sorted([container, service])))
        with self.assertRaises(SvcError):
            self.client.impact(f"{EX}impact/nobody")

    def test_overlays(self) -> None:
        graph, overlay = f"{EX}overlays/base", f"{EX}overlays/what-if"
        self.client.graph_put(graph, f"<{EX}o> <{EX}p> 1, 2 .")
        made = self.client.overlay_create(overlay, parent_branch=graph)
        self.assertEqual((made["overlay"], made["parent"]), (overlay, graph))
        self.client.overlay_write(overlay, "tombstone", f"{EX}o", f"{EX}p", 1)
        self.client.overlay_write(overlay, "assert", f"{EX}o", f"{EX}p", 3)
        seen = self.client.overlay_compose(overlay)["triples"]
        self.assertEqual([(one["object"], one["from"]) for one in seen], [(2, "parent"), (3, "overlay")])
        governed = self.client.overlay_compose(overlay, precedence="governed", limit=2)
        self.assertEqual(([one["object"] for one in governed["triples"]], governed["truncated"]), ([1, 2], True))
        self.assertEqual(self.client.overlay_write(overlay, "retract", f"{EX}o", f"{EX}p", 7)["tx_id"], 0)

    def test_datasets(self) -> None:
        name, graph = f"{EX}datasets/all", f"{EX}datasets/one"
        self.client.graph_create(graph)
        made = self.client.datasets("create", name, ["urn:svc:graph:root", {"graph": graph, "ord": 1}])
        self.assertEqual(made, {"created": name, "members": 2, "unregistered": []})
        self.assertIn(name, self.client.dataset_list()["datasets"])
        self.assertEqual([one["ord"] for one in self.client.dataset_list(name)["members"]], [1, None])
        self.assertEqual(self.client.datasets("remove", name), {"removed": True})

    def test_stored_queries(self) -> None:
        template = f"SELECT ?o {{ <{EX}queries/it> <{EX}p> ?o }} LIMIT {{limit}}"
        params = [{"name": "limit", "type": "int", "default": 5}]
        self.client.knot(f"<{EX}queries/it> <{EX}p> 1.5 .")
        self.client.queries("load", "of-it", template, description="values of it", params=params)
        self.assertEqual(self.client.ask("of-it", {"limit": 1})["rows"], [{"o": Decimal("1.5")}])
        self.assertEqual(self.client.queries("remove", "of-it")["removed"], True)

    def test_searches(self) -> None:
        label = "<http://www.w3.org/2000/01/rdf-schema#label>"
        self.client.knot(f'<{EX}search/it> {label} "Zyzzyva" ; <{EX}p> <{EX}search/other> .')
        found = self.client.unified_search("zyzzyva", limit=5, explain=True)
        self.assertEqual([one["relevance"] for one in found["results"]], ["Direct", "Linked"])
        self.assertEqual(found["results"][0]["explain"]["text"]["kind"], "label")
        self.assertEqual(self.client.context("zyzzyva", expand_links=False)["summary"]["total_entities"], 1)
        self.assertEqual(self.client.search_nodes("search/other")["count"], 1)
        self.assertEqual(self.client.search_facts("search/other", max_results=3)["facts"][0]["source"], f"{EX}search/it")
        self.assertEqual(self.client.node_search("zyzzyva")["nodes"], [{"iri": f"{EX}search/it", "name": "Zyzzyva"}])
        self.assertEqual(self.client.search(embedding=[1.0])["results"], [])
        for call in (self.client.search, self.client.hybrid_search):
            self.assertIn("embedding", refused(self, 400, call, "x").body["error"])

    def test_episodes(self) -> None:
        nodes = [{"name": "my app", "type": "App", "properties": {"port": 8080}}, {"name": "kota"}]
        edges = [{"source": "my app", "target": "kota", "relation": "runs_on"}]
        written = self.client.episode("deploy-py", nodes=nodes, edges=edges, source="python")
        self.assertEqual((written.outcome, written.count, written.episode), ("created", 11, "deploy-py"))
        again = self.client.episode("deploy-py", nodes=nodes, edges=edges, source="python")
        self.assertEqual((again.outcome, again.tx_id), ("unchanged", 0))
        self.assertEqual(self.client.episodes_complete("note-py", episode_body="x").count, 4)
        with self.assertRaises(SvcError) as raised:
            self.client.episode("deploy-py", nodes=[{"name": "a", "type": "A,B"}])
        self.assertEqual(raised.exception.status, 400)
        gone = self.client.retract_episode("deploy-py")
        self.assertEqual((gone.retracted, gone.identity_orphans, gone.raw["truncated"]), (11, 0, False))
        self.assertEqual(self.client.retract_episode("deploy-py").tx_id, 0)

    def test_names(self) -> None:
        self.client.episode("names-py", nodes=[{"name": "Traefik py"}])
        found = self.client.resolve("traefic py", top_k=1, threshold=0.9)
        self.assertEqual((found["count"], found["candidates"][0]["matched_on"][:24]), (1, "canonical_name:jaro_wink"))
        queries = {"q": {"query": "Traefik py", "limit": 1}}
        self.assertTrue(self.client.reconcile(queries)["q"]["result"][0]["match"])
        self.assertEqual(self.client.reconcile()["versions"], ["0.2"])
        said = self.client.spotlight("on traefik py now", confidence=0.9)["annotations"]
        self.assertEqual([(one["surface"], one["offset"]) for one in said], [("traefik py", 3)])

    def test_shapes(self) -> None:
        turtle = f"@prefix sh: <http://www.w3.org/ns/shacl#> . <{EX}S> a sh:NodeShape ; sh:targetClass <{EX}Py> ; sh:nodeKind sh:Literal ."
        self.assertEqual(self.client.shapes("load", "python", turtle)["shapes"], 1)
        try:
            self.assertIn("python", [one["name"] for one in self.client.shapes()["shapes"]])
            self.assertEqual(self.client.shapes("get", "python")["turtle"], turtle)
            self.assertIn("python", [one["name"] for one in self.client.shape_list()["shapes"]])
            self.assertEqual(self.client.shape_set("python")["turtle"], turtle)
            self.assertEqual(self.client.query_list()["truncated"], False)
            refusal = refused(self, 400, self.client.knot, f"<{EX}py> a <{EX}Py> .", actor="python")
            self.assertEqual(refusal.body["code"], "refused_shacl")
        finally:
            self.assertTrue(self.client.shapes("remove", "python")["found"])
        last = self.client.events(types=["write.refused"], limit=10_000)["events"][-1]
        self.assertEqual((last["payload"]["gate"], last["payload"]["actor"]), ("shacl", "python"))

    def test_events(self) -> None:
        begin = self.client.events(since=0, limit=10_000)["next_offset"]
        self.client.knot(f"<{EX}e1> <{EX}p> <{EX}e2> .", source="python-events")
        self.assertEqual(self.client.commit_events("c & py", begin)["committed_offset"], begin)
        page = self.client.events(consumer="c & py", types=["edge.added"], limit=1)
        self.assertEqual((page["committed_offset"], page["events"][0]["subject"]), (begin, f"{EX}e1"))
        made = self.client.subscriptions("create", "sub-py", "http://192.0.2.1/x", types=["graph.created"], since=begin)
        self.assertEqual(made["consumer_id"], "sub-py")
        listed = [one for one in self.client.subscriptions()["subscriptions"] if one["consumer_id"] == "sub-py"]
        self.assertEqual((listed[0]["types"], listed[0]["committed_offset"]), (["graph.created"], begin))
        self.assertTrue(self.client.subscriptions("delete", "sub-py")["found"])
        plan = self.client.retract_source("python-events", "T-1", expect=1)
        self.assertEqual((plan["planned"], plan["applied"]), (1, False))
        self.assertEqual(self.client.retract_source("python-events", "T-1", apply=True)["retracted"], 1)

    def test_validate(self) -> None:
        shapes = f"@prefix sh: <http://www.w3.org/ns/shacl#> . <{EX}S> sh:targetNode <{EX}v> ; sh:class <{EX}C> ."
        answer = self.client.validate(shapes, f"<{EX}v> <{EX}p> 1 .")
        self.assertFalse(answer["conforms"])
        self.assertEqual(answer["violations"][0]["component"], "ClassConstraintComponent")
        self.assertTrue(self.client.validate(shapes, f"<{EX}v> a <{EX}C> .")["conforms"])

    def test_ask(self) -> None:
        self.assertIn("entity_facts", [query["name"] for query in self.client.ask()["queries"]])
        self.client.knot(f"<{EX}ask/a> <{EX}to> <{EX}ask/b> .")
        answer = self.client.ask("service_deps", {"entity": f"{EX}ask/a"})
        self.assertEqual(answer["rows"], [{"p": f"{EX}to", "o": f"{EX}ask/b"}])

    def test_export(self) -> None:
        self.client.knot(f'<{EX}export/a> <{EX}says> "schön" .')
        construct = f"CONSTRUCT WHERE {{ <{EX}export/a> ?p ?o }}"
        text = self.client.export(construct=construct, format="ntriples")
        self.assertEqual(text, f'<{EX}export/a> <{EX}says> "schön" .\n')
        self.assertIn("schön", self.client.export(construct=construct))
        error = refused(self, 400, self.client.export, graph=f"{EX}g", construct=construct)
        self.assertIn("construct", str(error))

    def test_documents(self) -> None:
        csv = self.client.query_bytes("SELECT (1 AS ?one) {}", "text/csv")
        self.assertEqual(csv, b"one\r\n1\r\n")
        arrow = self.client.query_bytes("SELECT (1 AS ?one) {}", "application/vnd.apache.arrow.stream")
        self.assertEqual(arrow[:4], b"\xff\xff\xff\xff")

    def test_stream_left_early_and_others_meanwhile(self) -> None:
        turtle = "".join(f"<{EX}many/{n}> <{EX}number> {n} .\n" for n in range(20000))
        self.assertEqual(self.client.knot(turtle).count, 20000)
        query = f"SELECT * {{ ?s <{EX}number> ?n }}"
        pieces = self.client.query_stream(query, "text/csv")
        first = next(pieces)
        self.assertTrue(first.startswith(b"s,n\r\n"))
        # While one answer is being read, others can be asked for.
        self.assertEqual(self.client.query("ASK {}")["result"], True)
        pieces.close()
        whole = self.client.query_bytes(query, "text/csv")
        self.assertEqual(whole.count(b"\r\n"), 20001)

    def test_threads(self) -> None:
        answers: list[int] = []

        def work(number: int) -> None:
            for _ in range(20):
                answers.append(self.client.query(f"SELECT ({number} AS ?n) {{}}")["rows"][0]["n"] - number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [0] * 160)

    def test_errors(self) -> None:
        error = refused(self, 400, self.client.query, "SELECT ?s WHERE { ?s ?p")
        self.assertEqual(error.code, "parse_error")
        self.assertEqual(error.reason, error.body["error"])
        missing = refused(self, 400, self.client.set, f"{EX}nobody", f"{EX}p", "x")
        self.assertRegex(str(missing), f"400: .*entity not found: {EX}nobody")
        guarded = refused(self, 400, self.client.retract, f"{EX}set/it", f"{EX}p", "http://looks.like/an-iri")
        self.assertIn("{iri:", guarded.reason.replace('"', ""))
        slow = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(4)) + " }"
        late = refused(self, 408, self.client.query, slow, timeout_ms=1)
        self.assertEqual(late.code, "query_timeout")
        with self.assertRaises(ValueError):
            self.client.set(f"{EX}set/it", f"{EX}p", Decimal("NaN"))


class Guarded(unittest.TestCase):
    def test_token_is_needed_for_writes_alone(self) -> None:
        base = os.environ["SVC_TEST_GUARDED"]
        with SvcClient(base) as stranger:
            error = refused(self, 401, stranger.knot, "")
            self.assertEqual(error.reason, "missing_or_invalid_bearer_token")
            self.assertEqual(error.body["endpoint"], "/knot")
            self.assertEqual(stranger.query("ASK {}")["result"], True)
        with SvcClient(base, "wrong") as liar:
            self.assertEqual(refused(self, 401, liar.knot, "").reason, "missing_or_invalid_bearer_token")
            self.assertEqual(liar.query("ASK {}")["result"], True)
        with SvcClient(base, os.environ["SVC_TEST_TOKEN"]) as friend:
            self.assertEqual(friend.knot(f"<{EX}a> <{EX}b> <{EX}c> .").count, 1)

    def test_read_only(self) -> None:
        with SvcClient(os.environ["SVC_TEST_READ_ONLY"], "any") as client:
            error = refused(self, 403, client.knot, "")
            self.assertEqual((error.reason, error.code), ("server_is_read_only", "read_only"))


if __name__ == "__main__":
    unittest.main()
