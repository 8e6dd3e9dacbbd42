"""`AsyncSvcClient`: the methods of `SvcClient` for asyncio, each in a thread of a pool."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from .client import SvcClient

THREADS = 8
_END = object()


class AsyncSvcClient:
    """A `SvcClient` whose methods are awaited, and whose streams are read with `async for`.

    It takes what `SvcClient` takes, and `threads`: how many requests may be under way at a time. A task that is cancelled
    does not wait any longer, but the request goes on in its thread: a write may take place.
    """

    def __init__(self, *arguments: Any, threads: int = THREADS, **options: Any) -> None:
        self._client = SvcClient(*arguments, **options)
        self._threads = ThreadPoolExecutor(threads, "svc-client")

    async def __aenter__(self) -> AsyncSvcClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for what is under way, and closes the connections; the client can't be used any more."""
        await asyncio.to_thread(self._threads.shutdown)
        self._client.close()

    @property
    def min_tx(self) -> int | None:
        """The transaction that reads see at least; None = whatever the server has."""
        return self._client.min_tx

    @min_tx.setter
    def min_tx(self, tx: int | None) -> None:
        self._client.min_tx = tx

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def _run(self, work: Callable[..., Any], *arguments: Any, **options: Any) -> asyncio.Future[Any]:
        call = functools.partial(work, *arguments, **options)
        return asyncio.get_running_loop().run_in_executor(self._threads, call)


def _awaited(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: AsyncSvcClient, *arguments: Any, **options: Any) -> Any:
        return await self._run(getattr(self._client, name), *arguments, **options)

    return call


def _streamed(name: str, method: Callable[..., Iterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
    @functools.wraps(method)
    async def stream(self: AsyncSvcClient, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        items = getattr(self._client, name)(*arguments, **options)
        step: asyncio.Future[Any] | None = None
        try:
            while True:
                step = self._run(next, items, _END)
                item = await asyncio.shield(step)
                if item is _END:
                    return
                yield item
        finally:
            # Leaves the connection to others, once the thread that reads it is done with its piece.
            if step is not None and not step.done():
                await asyncio.wait([step])
            await self._run(items.close)

    return stream


for _name, _method in inspect.getmembers(SvcClient, inspect.isfunction):
    if not _name.startswith("_") and _name != "close":
        _make = _streamed if inspect.isgeneratorfunction(_method) else _awaited
        setattr(AsyncSvcClient, _name, _make(_name, _method))
