# Generated from _sync.py. Do not edit.
from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import httpx

from . import types as t
from ._core import Data, Operation, Pages, Reply, Settings, Sleep, follow
from ._error import RedlineError
from ._operations_async import Resources as AsyncResources

T = TypeVar("T")


class Caller:
    """Makes calls by a client of HTTP that is awaited."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient) -> None:
        self.settings, self.client = settings, client

    async def call(self, operation: Operation, data: Any) -> Any:
        """Makes a call and returns its result."""
        steps = self.settings.exchange(operation, data)
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as ended:
                return ended.value
            if isinstance(step, Sleep):
                await asyncio.sleep(step.seconds)
                answer = None
                continue
            try:
                came = await self.client.post(self.settings.base_url + step.path, headers=step.headers, content=step.body)
                answer = Reply(came.status_code, came.headers, came.text)
            except httpx.HTTPError as lost:
                answer = lost

    async def walk(self, operation: Operation, pages: Pages, data: Any) -> AsyncIterator[Any]:
        """Iterates over all items of a list, page by page."""
        asked = dict(data or {})
        while True:
            items, following = follow(pages, await self.call(operation, asked))
            for item in items:
                yield item
            if following is None:
                return
            asked[pages.request] = following


class AsyncRedline(AsyncResources):
    """Calls one service with one caller's credentials. It may be used from many threads."""

    def __init__(self, *, http: httpx.AsyncClient | None = None, **settings: Any) -> None:
        """Without arguments: the service and the caller that the environment names (see Settings)."""
        complete = Settings(**settings).complete()
        self._caller = Caller(complete, http or httpx.AsyncClient(timeout=complete.timeout))
        super().__init__(self._caller)

    async def __aenter__(self) -> AsyncRedline:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._caller.client.aclose()

    async def call(self, path: str, data: Data) -> Any:
        """Makes any call: for shapes that have no type here. It is made again only where it was refused for now."""
        return await self._caller.call(Operation(path), data)

    async def wait_for_step(self, data: t.ListStepsRequest, *, within: float | None = None) -> t.ListedStep:
        """Returns the first step of a list of steps, once there is one. TimeoutError after so many seconds."""

        async def look() -> t.ListedStep | None:
            page = await self.steps.list(data)
            return page["items"][0] if page["items"] else None

        return await _until(within, look)

    async def wait_for_execution(self, execution_id: str, *, within: float | None = None) -> t.Execution:
        """Returns an execution once it has ended, well or not (see its status). It may wait for people."""

        async def look() -> t.Execution | None:
            seen = await self.executions.get({"executionId": execution_id})
            return None if seen["status"] in ("pending", "running") else seen

        return await _until(within, look)

    async def wait_for_ingestion(
        self,
        source_id: str,
        *,
        within: float | None = None,
        progress: Callable[[t.IngestProgress], None] | None = None,
    ) -> t.IngestStatus:
        """Returns the state of a source once its newest version is searchable or has failed."""

        async def look() -> t.IngestStatus | None:
            seen = await self.knowledge.ingest_status({"sourceId": source_id})
            if progress:
                progress(seen["progress"])
            return None if seen["status"] == "processing" else seen

        return await _until(within, look)

    async def wait_for_migration(self, organization_id: str, migration_id: str, *, within: float | None = None) -> t.Migration:
        """Returns a migration of a document once it has ended, well or not."""

        async def look() -> t.Migration | None:
            seen = await self.documents.migrate_status({"organizationId": organization_id, "migrationId": migration_id})
            return seen if seen["status"] in ("completed", "failed") else None

        return await _until(within, look)

    async def upload(
        self,
        file_name: str,
        mime_type: Any,
        content: bytes,
        *,
        place: Data | None = None,
        progress: Callable[[t.IngestProgress], None] | None = None,
    ) -> t.IngestStatus:
        """Brings a file into the knowledge base and returns its source once it is searchable or has failed.

        place is organizationId and documentId, where it belongs to one.
        """
        wanted: Any = {"fileName": file_name, "mimeType": mime_type, "fileSize": len(content), **(place or {})}
        address = await self.knowledge.upload_url(wanted)
        answer = await self._caller.client.put(address["uploadUrl"], content=content, headers={"content-type": mime_type})
        if answer.status_code != 200:
            raise RedlineError(answer.status_code, answer.json().get("error"), answer.headers)
        brought: Any = {"source": "fileRef", "fileRef": address["fileRef"], "mimeType": mime_type, **(place or {})}
        taken = await self.knowledge.ingest(brought)
        return await self.wait_for_ingestion(taken["sourceId"], progress=progress)


async def _until(within: float | None, look: Callable[[], Awaitable[T | None]]) -> T:
    """Looks again and again, with pauses that double to 2 s, until it sees something."""
    wait, deadline = 0.25, None if within is None else time.monotonic() + within
    while (seen := await look()) is None:
        if deadline is not None and time.monotonic() + wait > deadline:
            raise TimeoutError
        await asyncio.sleep(wait)
        wait = min(2 * wait, 2.0)
    return seen
