from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from redline import AsyncRedline, Redline, RedlineError, WebhookVerificationError, verify, verify_signature

Play = Callable[[httpx.Request], httpx.Response]
STARTED = {"executionId": "ex_1", "correlationId": "c"}
FROM = {"userId": "u_ann"}
SETTINGS: dict[str, Any] = {
    "base_url": "http://redline.test/",
    "api_key": "key",
    "auth_token": "token",
    "workspace_id": "ws",
    "workspace_token": "wstoken",
    "pause": lambda _: 0.0,
}


def answer(status: int, body: Any, **headers: str) -> Play:
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(status, text=text, headers=named)


def result(of: Any) -> Play:
    return answer(200, {"result": of})


def done(data: Any, **more: Any) -> Play:
    return result({"status": "success", "message": "m", "data": data, **more})


def refused(status: int, word: str, issues: list[Any] | None = None, **headers: str) -> Play:
    details = {"reason": "r"} | ({"issues": issues} if issues else {})
    return answer(status, {"error": {"status": word, "message": "no", "details": details}}, **headers)


def dropped(_: httpx.Request) -> httpx.Response:
    raise httpx.RemoteProtocolError("the answer is lost")


class Service:
    """Plays a service: each call is kept and answered by the next answer, the last of which goes on."""

    def __init__(self, *answers: Play) -> None:
        self.answers = answers
        self.calls: list[httpx.Request] = []
        self.data: list[Any] = []
        self.client = Redline(http=httpx.Client(transport=httpx.MockTransport(self.handle)), **SETTINGS)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.calls.append(request)
        self.data.append(json.loads(request.content)["data"])
        return self.answers[min(len(self.calls), len(self.answers)) - 1](request)


def test_a_result_stands_without_its_envelope() -> None:
    s = Service(result(STARTED), done({"acme": {"success": True}}))
    assert s.client.executions.dispatch({"definitionId": "editorial"})["executionId"] == "ex_1"
    assert s.calls[0].url == "http://redline.test/v2/workflow/executions/dispatch"
    assert s.calls[0].headers["x-svc-api-key"] == "key"
    assert s.client.organizations.add({"organizations": [{"organizationId": "acme"}]})["acme"]["success"]


def test_keys_are_managed_with_the_workspaces_credentials() -> None:
    s = Service(done(None))
    s.client.api_keys.update({"apiKey": "a", "apiKeyName": "n"})
    assert s.calls[0].headers["x-svc-workspace-id"] == "ws"
    assert "x-svc-api-key" not in s.calls[0].headers


def test_an_error_says_everything() -> None:
    issues = [{"code": "required", "path": ["nodes", "0"], "message": "is missing"}]
    s = Service(refused(400, "INVALID_ARGUMENT", issues, x_request_id="rq_1"))
    with pytest.raises(RedlineError, match="nodes.0: is missing") as caught:
        s.client.executions.get({"executionId": "x"})
    error = caught.value
    assert [error.status, error.reason, error.request_id, error.http_status, error.issues] == [
        "INVALID_ARGUMENT", "r", "rq_1", 400, issues,
    ]  # fmt: skip


@pytest.mark.parametrize("body", ["<html>", "{}", "null", ""])
def test_what_is_no_answer_of_the_service_is_an_error(body: str) -> None:
    with pytest.raises(RedlineError):
        Service(answer(200, body)).client.executions.get({"executionId": "x"})


def test_a_lost_answer_is_asked_for_again_with_the_same_key() -> None:
    s = Service(dropped, refused(503, "UNAVAILABLE"), result(STARTED))
    data: Any = {"definitionId": "editorial"}
    assert s.client.executions.dispatch(data)["executionId"] == "ex_1"
    assert data == {"definitionId": "editorial"}
    assert len(s.data) == 3
    assert len({one["idempotencyKey"] for one in s.data}) == 1


@pytest.mark.parametrize("lost", [dropped, refused(503, "UNAVAILABLE"), answer(504, "")])
def test_what_would_happen_twice_is_not_repeated(lost: Play) -> None:
    s = Service(lost)
    with pytest.raises((RedlineError, httpx.HTTPError)):
        s.client.endpoints.rotate_secret({"endpointId": "ep"})
    assert len(s.calls) == 1


def test_a_limit_is_waited_for_a_quota_is_not() -> None:
    limited = Service(refused(429, "RESOURCE_EXHAUSTED", retry_after="1"), done({}))
    before = time.monotonic()
    limited.client.endpoints.rotate_secret({"endpointId": "ep"})
    assert time.monotonic() - before >= 1
    full = Service(refused(429, "RESOURCE_EXHAUSTED"))
    with pytest.raises(RedlineError):
        full.client.users.get({"organizationId": "acme"})
    assert len(full.calls) == 1


def test_tries_end() -> None:
    s = Service(refused(503, "UNAVAILABLE"))
    with pytest.raises(RedlineError, match="UNAVAILABLE"):
        s.client.users.get({"organizationId": "acme"})
    assert len(s.calls) == 5


def test_an_add_whose_answer_was_lost_is_known_by_its_ids() -> None:
    s = Service(*[dropped, refused(409, "ALREADY_EXISTS")] * 4)
    place: Any = {"organizationId": "acme", "documentId": "d"}
    added = s.client.annotations.add({**place, "commentAnnotations": [{"commentData": [{"from": FROM}, {"from": FROM}]}]})
    sent = s.data[0]["commentAnnotations"][0]
    assert added[sent["annotationId"]]["commentIds"] == [one["commentId"] for one in sent["commentData"]]
    ids = s.client.comments.add({**place, "annotationId": "a", "commentData": [{"from": FROM}]})
    assert ids == [s.data[2]["commentData"][0]["commentId"]]
    activity: Any = {"featureType": "custom", "actionType": "a", "actionUser": FROM, "targetEntityId": "t"}
    items = s.client.activities.add({"organizationId": "acme", "activities": [activity]})
    assert items[s.data[4]["activities"][0]["id"]]["success"]
    with pytest.raises(RedlineError, match="ALREADY_EXISTS"):
        s.client.activities.add({"organizationId": "acme", "activities": [{**activity, "id": "mine"}]})


def test_every_way_of_paging() -> None:
    s = Service(
        result({"items": [{"executionId": "a"}, {"executionId": "b"}], "nextCursor": "c1", "hasMore": True}),
        result({"items": [{"executionId": "c"}], "nextCursor": None, "hasMore": False}),
        done([{"id": "d"}], nextPageToken="t1"),
        done([]),
        done({"messages": [{"event": "e"}], "iterator": "i1", "done": False}),
        done({"messages": [{"event": "f"}], "iterator": "i2", "done": True}),
        result({"executionId": "x", "events": [{"seq": 1}], "nextCursor": 2, "hasMore": True}),
        result({"executionId": "x", "events": [{"seq": 2}], "nextCursor": 3, "hasMore": False}),
        result([{"sourceId": "s"}]),
    )
    assert [one["executionId"] for one in s.client.executions.list_all({})] == ["a", "b", "c"]
    assert s.data[1]["cursor"] == "c1"
    assert [one["id"] for one in s.client.documents.get_all({"organizationId": "acme"})] == ["d"]
    assert s.data[3]["pageToken"] == "t1"
    assert len(list(s.client.messages.get_all({}))) == 2
    assert s.data[5]["iterator"] == "i1"
    assert [one["seq"] for one in s.client.executions.get_events_all({"executionId": "x"})] == [1, 2]
    assert s.data[7]["sinceSeq"] == 2
    assert len(list(s.client.knowledge.list_all({}))) == 1


def test_the_same_is_awaited() -> None:
    s = Service(dropped, result(STARTED), result({"items": [{"executionId": "a"}], "nextCursor": None, "hasMore": False}))

    async def run() -> tuple[str, list[str]]:
        async with AsyncRedline(http=httpx.AsyncClient(transport=httpx.MockTransport(s.handle)), **SETTINGS) as client:
            started = await client.executions.dispatch({"definitionId": "editorial"})
            return started["executionId"], [one["executionId"] async for one in client.executions.list_all({})]

    assert asyncio.run(run()) == ("ex_1", ["a"])
    assert s.data[0]["idempotencyKey"] == s.data[1]["idempotencyKey"]


@pytest.mark.parametrize("address", ["", "redline.test", "ftp://redline.test", "http://"])
def test_a_client_wants_an_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDLINE_URL", address)
    with pytest.raises(ValueError, match="REDLINE_URL"):
        Redline()


def test_a_webhook_is_verified() -> None:
    secret, other = ("whsec_" + base64.b64encode(key * 32).decode() for key in (b"a", b"b"))
    body = json.dumps({"event": "comment.add", "webhookId": "msg_1", "sequence": 7})

    def headers(at: datetime) -> dict[str, str]:
        signature = Webhook(secret).sign("msg_1", at, body)
        return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(int(at.timestamp())), "Webhook-Signature": signature}

    now = datetime.now(tz=timezone.utc)
    assert verify(secret, headers(now), body)["sequence"] == 7
    for wrong in [(other, headers(now), body), (secret, headers(now), body + " "), (secret, headers(now - timedelta(hours=1)), body)]:
        with pytest.raises(WebhookVerificationError):
            verify(*wrong)


def test_a_signature_by_hmac_is_verified() -> None:
    body = b"what do ya want for nothing?"  # test case 2 of RFC 4231
    headers = {"X-Svc-Signature": "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}
    assert verify_signature("Jefe", headers, body)
    assert not verify_signature("Jeff", headers, body)
    assert not verify_signature("Jefe", headers, body[1:])
    assert not verify_signature("Jefe", {}, body)
