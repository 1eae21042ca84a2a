"""Tests against a real service, whose demo workspace the environment names."""

from __future__ import annotations

import asyncio
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from redline import AsyncRedline, Redline, RedlineError, WebhookVerificationError, verify


def unique(word: str) -> str:
    return f"{word}-{uuid.uuid4()}"


@pytest.fixture(scope="module")
def client() -> Any:
    with Redline() as client:  # REDLINE_URL, REDLINE_API_KEY, REDLINE_AUTH_TOKEN
        yield client


class Lossy(httpx.HTTPTransport):
    """Sends every call, and loses the answer of one of three."""

    def __init__(self) -> None:
        super().__init__(limits=httpx.Limits(max_connections=32))
        self.calls = self.lost = 0
        self.lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        with self.lock:
            self.calls += 1
            if self.calls % 3:
                return answer
            self.lost += 1
        answer.read()
        answer.close()
        raise httpx.ReadError("the answer is lost")


def sign_off(client: Redline) -> str:
    definition = client.definitions.create({
        "definitionId": unique("sign-off"),
        "name": "Sign-off",
        "nodes": [
            {"nodeId": "sign-off", "type": "human", "config": {"reviewers": [{"userId": "u_editor", "mandatory": True}]}},
            {"nodeId": "declined", "type": "agent", "config": {"agentId": "__mock__"}},
        ],
        "edges": [{"from": "sign-off", "to": "declined", "on": "reject"}],
    })  # fmt: skip
    return definition["definitionId"]


def test_a_task_from_dispatch_to_its_end(client: Redline) -> None:
    started = client.executions.dispatch({"definitionId": sign_off(client)})
    step = client.wait_for_step({"executionId": started["executionId"], "reviewerId": "u_editor"})
    client.steps.record_reviewer_decision({
        "executionId": started["executionId"], "stepId": step["stepId"], "reviewerId": "u_editor", "decision": "approve",
    })  # fmt: skip
    assert client.wait_for_execution(started["executionId"], within=60)["status"] == "completed"
    with pytest.raises(RedlineError, match="NOT_FOUND"):
        client.executions.get({"executionId": "nowhere"})


def test_the_same_task_awaited(client: Redline) -> None:
    definition = sign_off(client)

    async def run() -> str:
        async with AsyncRedline() as client:
            started = await client.executions.dispatch({"definitionId": definition})
            step = await client.wait_for_step({"executionId": started["executionId"], "reviewerId": "u_editor"})
            await client.steps.record_reviewer_decision({
                "executionId": started["executionId"], "stepId": step["stepId"], "reviewerId": "u_editor", "decision": "approve",
            })  # fmt: skip
            return (await client.wait_for_execution(started["executionId"], within=60))["status"]

    assert asyncio.run(run()) == "completed"


def test_lost_answers_double_no_dispatch(client: Redline) -> None:
    definition, network = sign_off(client), Lossy()
    with Redline(http=httpx.Client(transport=network, timeout=70), retries=9) as unlucky, ThreadPoolExecutor(16) as callers:
        started = list(callers.map(lambda _: unlucky.executions.dispatch({"definitionId": definition}), range(1000)))
    assert network.lost > 250
    told = {one["executionId"] for one in started}
    seen = [one["executionId"] for one in client.executions.list_all({"definitionId": definition, "pageSize": 100})]
    assert len(seen) == 1000
    assert set(seen) == told


def test_lost_answers_double_no_annotation(client: Redline) -> None:
    organization, network = unique("org"), Lossy()
    author: Any = {"userId": "u_ann", "name": "Ann"}

    def add(client: Redline) -> dict[str, list[int]]:
        added = client.annotations.add({
            "organizationId": organization, "documentId": "d", "createOrganization": True, "createDocument": True,
            "commentAnnotations": [{"commentData": [{"from": author, "commentText": "a"}, {"from": author, "commentText": "b"}]}],
        })  # fmt: skip
        return {name: one["commentIds"] for name, one in added.items()}

    told: dict[str, list[int]] = {}
    with Redline(http=httpx.Client(transport=network, timeout=70), retries=9) as unlucky, ThreadPoolExecutor(16) as callers:
        for one in callers.map(lambda _: add(unlucky), range(1000)):
            told |= one
    assert network.lost > 250
    asked: Any = {"organizationId": organization, "documentIds": ["d"], "pageSize": 1000}
    seen = {one["annotationId"]: [comment["commentId"] for comment in one["comments"]] for one in client.annotations.get_all(asked) if one}
    assert seen == told
    assert len(seen) == 1000


def test_a_receiver_verifies_what_it_is_sent(client: Redline) -> None:
    came: list[tuple[dict[str, str], bytes]] = []
    told = threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append((dict(self.headers), self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()
            told.set()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client.workspace.update_advanced_webhook_config({"isEnabled": True})
    endpoint = client.endpoints.create({"url": f"http://127.0.0.1:{server.server_port}/"})
    secret = client.endpoints.get_secret({"endpointId": endpoint["id"]})["secret"]
    client.endpoints.test({"endpointId": endpoint["id"], "eventType": "comment.add"})
    assert told.wait(60)
    headers, body = came[0]
    assert verify(secret, headers, body)["event"] == "comment.add"
    with pytest.raises(WebhookVerificationError):
        verify("whsec_" + "A" * 43 + "=", headers, body)
    with pytest.raises(WebhookVerificationError):
        verify(secret, headers, body + b" ")
    client.endpoints.delete({"endpointId": endpoint["id"]})
    server.shutdown()


def test_a_file_is_searchable_when_its_upload_returns(client: Redline) -> None:
    stages: list[str] = []
    text = f"# Style {unique('guide')}\n\nHeadlines must be in sentence case.\n".encode()
    source = client.upload("guide.txt", "text/plain", text, progress=lambda progress: stages.append(progress["stage"]))
    assert source["status"] == "completed"
    assert stages
