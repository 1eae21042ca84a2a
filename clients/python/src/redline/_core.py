"""What both clients share: a call with its tries, as steps that whoever sends and waits carries out."""

from __future__ import annotations

import copy
import json
import os
import random
import secrets
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from ._error import RedlineError

Data = dict[str, Any]


@dataclass(frozen=True)
class Id:
    """Where an id stands in the data of a call, dotted through its lists."""

    path: str
    integer: bool = False


@dataclass(frozen=True)
class Operation:
    """What a call needs to know beside its shapes, as the document says it."""

    path: str
    workspace: bool = False
    """It is called with the workspace's credentials, not a key's."""
    safe: bool = False
    """A second call changes nothing more. Where it would, ids are made before the first."""
    ids: tuple[Id, ...] = ()
    committed: Callable[[Data], Any] | None = None
    """What a call whose answer was lost is known to have done, once it is refused as done."""


@dataclass(frozen=True)
class Pages:
    """How a list pages: the field that goes on, and where the result has items and what goes on."""

    request: str
    items: str
    next: str
    done: str = ""


@dataclass(frozen=True)
class Reply:
    """An answer as it came."""

    status: int
    headers: Any
    text: str


@dataclass(frozen=True)
class Send:
    """A request to send; it is answered by a Reply, or by the exception of one that was lost."""

    path: str
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class Sleep:
    """A time to wait, in seconds."""

    seconds: float


def pause(attempt: int) -> float:
    """Up to 0.25 s, 0.5 s, 1 s and so on to 8 s, at random: callers refused together come back apart."""
    return random.uniform(0, min(0.25 * 2.0**attempt, 8.0))


@dataclass(frozen=True)
class Settings:
    """Where a client calls, as whom, and how often. What is empty is read from the environment."""

    base_url: str = ""
    api_key: str = ""
    auth_token: str = ""
    workspace_id: str = ""
    workspace_token: str = ""
    timeout: float = 70.0
    retries: int = 4
    pause: Callable[[int], float] = field(default=pause)

    def complete(self) -> Settings:
        """Returns the settings with what the environment has. ValueError: there is no address."""
        filled = Settings(
            base_url=(self.base_url or os.environ.get("REDLINE_URL", "")).rstrip("/"),
            api_key=self.api_key or os.environ.get("REDLINE_API_KEY", ""),
            auth_token=self.auth_token or os.environ.get("REDLINE_AUTH_TOKEN", ""),
            workspace_id=self.workspace_id or os.environ.get("REDLINE_WORKSPACE_ID", ""),
            workspace_token=self.workspace_token or os.environ.get("REDLINE_WORKSPACE_TOKEN", ""),
            timeout=self.timeout,
            retries=self.retries,
            pause=self.pause,
        )
        scheme, _, host = filled.base_url.partition("://")
        if scheme not in ("http", "https") or not host:
            raise ValueError("redline: the address of the service is missing or no http or https: set REDLINE_URL")
        return filled

    def headers(self, operation: Operation) -> dict[str, str]:
        """Returns the credentials of an operation."""
        if operation.workspace:
            named = {"x-svc-workspace-id": self.workspace_id, "x-svc-workspace-auth-token": self.workspace_token}
        else:
            named = {"x-svc-api-key": self.api_key, "x-svc-auth-token": self.auth_token}
        return {"content-type": "application/json", **named}

    def exchange(self, operation: Operation, sent: Any) -> Generator[Send | Sleep, Any, Any]:
        """Makes a call: yields what to send and how long to wait, and returns the result."""
        data = copy.deepcopy(dict(sent or {}))
        found, made = make_ids(operation, data)
        request = Send(operation.path, self.headers(operation), json.dumps({"data": data}))
        lost, attempt = False, 0
        while True:
            answer = yield request
            try:
                return read_result(answer)
            except RedlineError as refused:
                if lost and made and refused.status == "ALREADY_EXISTS" and operation.committed:
                    return operation.committed(data)
                failure: Exception = refused
            except Exception as failed:
                failure = failed
            lost = lost or not isinstance(failure, RedlineError) or failure.http_status >= 500
            wait = wait_before(failure, operation.safe or found, self.pause(attempt))
            if wait is None or attempt >= self.retries:
                raise failure
            attempt += 1
            yield Sleep(wait)


def read_result(answer: Reply | Exception) -> Any:
    """Returns the result of an answer. Raises RedlineError for a refusal, and what was lost as it is."""
    if isinstance(answer, Exception):
        raise answer
    envelope = parse(answer.text)
    if answer.status != 200 or "result" not in envelope:
        raise RedlineError(answer.status, envelope.get("error"), answer.headers)
    return envelope["result"]


def parse(text: str) -> Data:
    """Returns the JSON object that a text is; an empty one for all else."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def wait_before(failure: Exception, repeatable: bool, pause: float) -> float | None:
    """Returns how long to wait before the next try, None where there is none.

    Refused by a limit, a call changed nothing; all else may have had its effect.
    """
    if not isinstance(failure, RedlineError):
        return pause if repeatable else None
    if failure.http_status == 429:
        return max(failure.retry_after, pause) if failure.retry_after else None
    if failure.http_status >= 502 and repeatable:
        return max(failure.retry_after or 0, pause)
    return None


def make_ids(operation: Operation, data: Data) -> tuple[bool, bool]:
    """Makes the ids that are missing; reports whether there is one, and whether all were made here."""
    found, made = False, True
    for one in operation.ids:
        *way, name = one.path.split(".")
        for holder in holders(data, way):
            found = True
            if holder.get(name) is None:
                holder[name] = 1 + secrets.randbits(52) if one.integer else secrets.token_hex(16)
            else:
                made = False
    return found, found and made


def holders(of: Any, way: list[str]) -> Iterator[Data]:
    """Iterates over the objects at the end of a path, through objects and lists."""
    if isinstance(of, list):
        for one in of:
            yield from holders(one, way)
    elif isinstance(of, dict):
        if not way:
            yield of
        elif way[0] in of:
            yield from holders(of[way[0]], way[1:])


def at(of: Any, path: str) -> Any:
    """Returns the value at a dotted path, None where there is none."""
    for name in path.split("."):
        of = of.get(name) if isinstance(of, dict) else None
    return of


def follow(pages: Pages, result: Any) -> tuple[list[Any], Any]:
    """Returns the items of a page and what the next page is asked by, None on the last one."""
    if isinstance(result, list):
        return result, None
    done = at(result, pages.done) is True if pages.done else at(result, "hasMore") is False
    return at(result, pages.items) or [], None if done else at(result, pages.next) or None


_MESSAGE = "added by a call whose answer was lost"


def _comment_ids(of: Data) -> list[int]:
    """The ids of the comments of an object, which stand under one of two names."""
    return [comment["commentId"] for comment in of.get("commentData") or of.get("comments") or []]


def added_annotations(data: Data) -> Any:
    """What an add of annotations did, all of whose ids were made here."""
    added = {
        one["annotationId"]: {
            "success": True,
            "annotationId": one["annotationId"],
            "commentIds": _comment_ids(one),
            "message": _MESSAGE,
        }
        for one in data["commentAnnotations"]
    }
    return {"status": "success", "message": _MESSAGE, "data": added}


def added_comments(data: Data) -> Any:
    """What an add of comments did, all of whose ids were made here."""
    return {"status": "success", "message": _MESSAGE, "data": _comment_ids(data)}


def added_activities(data: Data) -> Any:
    """What an add of activities did, all of whose ids were made here."""
    items = {one["id"]: {"success": True, "id": one["id"], "message": _MESSAGE} for one in data["activities"]}
    return {"status": "success", "message": _MESSAGE, "data": items}
