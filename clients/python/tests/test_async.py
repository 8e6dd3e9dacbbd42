"""The client of asyncio: the same methods, awaited; and frames, where their packages are."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import os
import unittest

from svc_client import AsyncSvcClient, SvcClient, SvcError

EX = "http://ex.org/async/"
OPEN = os.environ.get("SVC_TEST_OPEN")


def client(**options) -> AsyncSvcClient:
    return AsyncSvcClient(OPEN, client_id="python-test", task_id="t-1", **options)


class Methods(unittest.TestCase):
    def test_all_of_them(self) -> None:
        for name, method in inspect.getmembers(SvcClient, inspect.isfunction):
            if name.startswith("_"):
                continue
            awaited = getattr(AsyncSvcClient, name)
            self.assertTrue(inspect.iscoroutinefunction(awaited) or inspect.isasyncgenfunction(awaited), name)
            if name != "close":
                self.assertEqual(inspect.signature(awaited), inspect.signature(method), name)


@unittest.skipIf(OPEN is None, "no live server: SVC_TEST_OPEN not set")
class Live(unittest.IsolatedAsyncioTestCase):
    async def test_many_at_a_time(self) -> None:
        async with client(threads=4) as svc:
            await asyncio.gather(*(svc.knot(f"<{EX}{n}> <{EX}n> {n} .") for n in range(12)))
            counts = await asyncio.gather(*(svc.query(f"ASK {{ <{EX}{n}> <{EX}n> {n} }}") for n in range(12)))
            self.assertTrue(all(count["result"] for count in counts))
            with self.assertRaises(SvcError):
                await svc.query("SELECT ?s WHERE { ?s ?p }")

    async def test_streams(self) -> None:
        async with client() as svc:
            await svc.knot(f"<{EX}s> <{EX}of> {', '.join(str(n) for n in range(500))} .")
            ask = f"SELECT ?o {{ <{EX}s> <{EX}of> ?o }}"
            content = b"".join([piece async for piece in svc.query_stream(ask, "text/csv")])
            self.assertEqual(len(content.splitlines()), 501)
            async for _ in svc.query_stream(ask, "text/csv"):
                break
            ids = [transaction["id"] async for transaction in svc.all_transactions()]
            self.assertEqual(ids, sorted(set(ids)))

    async def test_a_cancelled_task(self) -> None:
        async with client() as svc:
            # Enough work to be under way when it is cancelled.
            await svc.knot(f"<{EX}c> <{EX}c> {', '.join(str(n) for n in range(300))} .")
            triple = f"<{EX}c> <{EX}c>"
            slow = svc.query(f"SELECT (COUNT(*) AS ?n) {{ {triple} ?a, ?b, ?c FILTER(?a * ?b = ?c) }}", timeout_ms=1000)
            task = asyncio.create_task(slow)
            await asyncio.sleep(0.05)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual((await svc.health())["status"], "ok")

    async def test_frames(self) -> None:
        query = f"SELECT ?name ?price {{ ?s <{EX}name> ?name OPTIONAL {{ ?s <{EX}price> ?price }} }} ORDER BY ?name"
        async with client() as svc:
            await svc.knot(f'<{EX}f1> <{EX}name> "a" ; <{EX}price> 1.5 . <{EX}f2> <{EX}name> "b" .')
            for package, method in (("pyarrow", svc.query_arrow), ("pandas", svc.query_frame)):
                if any(importlib.util.find_spec(name) is None for name in ("pyarrow", package)):
                    with self.assertRaises(ImportError) as caught:
                        await method(query)
                    self.assertIn("svc-client[frames]", str(caught.exception))
                    continue
                answer = await method(query)
                if package == "pyarrow":
                    self.assertEqual(answer.column("name").to_pylist(), ["a", "b"])
                else:
                    self.assertEqual(list(answer.columns), ["name", "price"])
                    self.assertEqual((answer["price"][0], answer["price"].isna().tolist()), (1.5, [False, True]))


if __name__ == "__main__":
    unittest.main()
