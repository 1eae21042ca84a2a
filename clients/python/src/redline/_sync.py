from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx

from . import types as t
from ._core import Data, Operation, Pages, Reply, Settings, Sleep, follow
from ._error import RedlineError
from ._operations import Resources

T = TypeVar("T")


class Caller:
    """Makes calls by a client of HTTP that waits for them."""

    def __init__(self, settings: Settings, client: httpx.Client) -> None:
        self.settings, self.client = settings, client

    def call(self, operation: Operation, data: Any) -> Any:
        """Makes a call and returns its result."""
        steps = self.settings.exchange(operation, data)
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as ended:
                return ended.value
            if isinstance(step, Sleep):
                time.sleep(step.seconds)
                answer = None
                continue
            try:
                came = self.client.post(self.settings.base_url + step.path, headers=step.headers, content=step.body)
                answer = Reply(came.status_code, came.headers, came.text)
            except httpx.HTTPError as lost:
                answer = lost

    def walk(self, operation: Operation, pages: Pages, data: Any) -> Iterator[Any]:
        """Iterates over all items of a list, page by page."""
        asked = dict(data or {})
        while True:
            items, following = follow(pages, self.call(operation, asked))
            for item in items:
                yield item
            if following is None:
                return
            asked[pages.request] = following


class Redline(Resources):
    """Calls one service with one caller's credentials. It may be used from many threads."""

    def __init__(self, *, http: httpx.Client | None = None, **settings: Any) -> None:
        """Without arguments: the service and the caller that the environment names (see Settings)."""
        complete = Settings(**settings).complete()
        self._caller = Caller(complete, http or httpx.Client(timeout=complete.timeout))
        super().__init__(self._caller)

    def __enter__(self) -> Redline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._caller.client.close()

    def call(self, path: str, data: Data) -> Any:
        """Makes any call: for shapes that have no type here. It is made again only where it was refused for now."""
        return self._caller.call(Operation(path), data)

    def wait_for_step(self, data: t.ListStepsRequest, *, within: float | None = None) -> t.ListedStep:
        """Returns the first step of a list of steps, once there is one. TimeoutError after so many seconds."""

        def look() -> t.ListedStep | None:
            page = self.steps.list(data)
            return page["items"][0] if page["items"] else None

        return _until(within, look)

    def wait_for_execution(self, execution_id: str, *, within: float | None = None) -> t.Execution:
        """Returns an execution once it has ended, well or not (see its status). It may wait for people."""

        def look() -> t.Execution | None:
            seen = self.executions.get({"executionId": execution_id})
            return None if seen["status"] in ("pending", "running") else seen

        return _until(within, look)

    def wait_for_ingestion(
        self,
        source_id: str,
        *,
        within: float | None = None,
        progress: Callable[[t.IngestProgress], None] | None = None,
    ) -> t.IngestStatus:
        """Returns the state of a source once its newest version is searchable or has failed."""

        def look() -> t.IngestStatus | None:
            seen = self.knowledge.ingest_status({"sourceId": source_id})
            if progress:
                progress(seen["progress"])
            return None if seen["status"] == "processing" else seen

        return _until(within, look)

    def wait_for_migration(self, organization_id: str, migration_id: str, *, within: float | None = None) -> t.Migration:
        """Returns a migration of a document once it has ended, well or not."""

        def look() -> t.Migration | None:
            seen = self.documents.migrate_status({"organizationId": organization_id, "migrationId": migration_id})
            return seen if seen["status"] in ("completed", "failed") else None

        return _until(within, look)

    def upload(
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
        address = self.knowledge.upload_url(wanted)
        answer = self._caller.client.put(address["uploadUrl"], content=content, headers={"content-type": mime_type})
        if answer.status_code != 200:
            raise RedlineError(answer.status_code, answer.json().get("error"), answer.headers)
        brought: Any = {"source": "fileRef", "fileRef": address["fileRef"], "mimeType": mime_type, **(place or {})}
        taken = self.knowledge.ingest(brought)
        return self.wait_for_ingestion(taken["sourceId"], progress=progress)


def _until(within: float | None, look: Callable[[], T | None]) -> T:
    """Looks again and again, with pauses that double to 2 s, until it sees something."""
    wait, deadline = 0.25, None if within is None else time.monotonic() + within
    while (seen := look()) is None:
        if deadline is not None and time.monotonic() + wait > deadline:
            raise TimeoutError
        time.sleep(wait)
        wait = min(2 * wait, 2.0)
    return seen
