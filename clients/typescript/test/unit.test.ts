import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingHttpHeaders, type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Redline, RedlineError, verify, verifySignature } from "../src/index.js";

type Play = RequestListener;
type Data = Record<string, any>;

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Play => (_, response) => {
  response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
};
const result = (of: unknown): Play => answer(200, { result: of });
const refused = (status: number, word: string, headers = {}, details: Data = {}): Play =>
  answer(status, { error: { status: word, message: "no", details: { reason: "r", ...details } } }, headers);
/** Takes the call and ends the connection without an answer. */
const dropped: Play = (request) => request.socket.destroy();

/** Plays a service: each call is kept and answered by the next answer, the last of which goes on. */
async function play(t: { after(fn: () => void): void }, ...answers: Play[]) {
  const calls: { path: string; headers: IncomingHttpHeaders; data: Data }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk)).on("end", () => {
      calls.push({ path: request.url ?? "", headers: request.headers, data: JSON.parse(text).data });
      answers[Math.min(calls.length, answers.length) - 1]!(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = new Redline({ baseUrl, apiKey: "key", authToken: "token", workspaceId: "ws", workspaceToken: "wstoken", pause: () => 0 });
  return { client, calls };
}

const started = { executionId: "ex_1", correlationId: "c" };

test("a result stands without its envelope", async (t) => {
  const { client, calls } = await play(t, result(started), result({ status: "success", message: "m", data: { acme: { success: true } } }));
  assert.equal((await client.executions.dispatch({ definitionId: "editorial" })).executionId, "ex_1");
  assert.equal(calls[0]!.path, "/v2/workflow/executions/dispatch");
  assert.equal(calls[0]!.headers["x-svc-api-key"], "key");
  assert.equal((await client.organizations.add({ organizations: [{ organizationId: "acme" }] }))["acme"]!.success, true);
});

test("keys are managed with the workspace's credentials", async (t) => {
  const { client, calls } = await play(t, result({ status: "success", message: "m", data: null }));
  await client.apiKeys.update({ apiKey: "a", apiKeyName: "n" } as never);
  assert.equal(calls[0]!.headers["x-svc-workspace-id"], "ws");
  assert.equal(calls[0]!.headers["x-svc-api-key"], undefined);
});

test("an error says everything", async (t) => {
  const issues = [{ code: "required", path: ["nodes", "0"], message: "is missing" }];
  const { client } = await play(t, refused(400, "INVALID_ARGUMENT", { "x-request-id": "rq_1" }, { issues }));
  await assert.rejects(client.executions.get({ executionId: "x" }), (error: RedlineError) => {
    assert.deepEqual([error.status, error.reason, error.requestId, error.httpStatus], ["INVALID_ARGUMENT", "r", "rq_1", 400]);
    assert.deepEqual(error.issues, issues);
    return error.message.includes("nodes.0: is missing");
  });
});

test("what is no answer of the service is an error", async (t) => {
  for (const body of ["<html>", "{}", "null", ""]) {
    const { client } = await play(t, answer(200, body));
    await assert.rejects(client.executions.get({ executionId: "x" }), RedlineError);
  }
});

test("a lost answer is asked for again with the same key", async (t) => {
  const { client, calls } = await play(t, dropped, refused(503, "UNAVAILABLE"), result(started));
  assert.equal((await client.executions.dispatch({ definitionId: "editorial" })).executionId, "ex_1");
  const keys = calls.map((call) => call.data["idempotencyKey"]);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.ok(String(keys[0]).length >= 20);
});

test("what is sent is not changed for the caller", async (t) => {
  const { client } = await play(t, result(started));
  const data = { definitionId: "editorial" };
  await client.executions.dispatch(data);
  assert.deepEqual(data, { definitionId: "editorial" });
});

test("what would happen twice is not repeated", async (t) => {
  for (const lost of [dropped, refused(503, "UNAVAILABLE"), answer(504, "")]) {
    const { client, calls } = await play(t, lost);
    await assert.rejects(client.endpoints.rotateSecret({ endpointId: "ep" }));
    assert.equal(calls.length, 1);
  }
});

test("a limit is waited for, a quota is not", async (t) => {
  const limited = await play(t, refused(429, "RESOURCE_EXHAUSTED", { "retry-after": "1" }), result({ status: "success", message: "m", data: {} }));
  const before = Date.now();
  await limited.client.endpoints.rotateSecret({ endpointId: "ep" });
  assert.ok(Date.now() - before >= 990);
  const full = await play(t, refused(429, "RESOURCE_EXHAUSTED"));
  await assert.rejects(full.client.users.get({ organizationId: "acme" }), { httpStatus: 429 });
  assert.equal(full.calls.length, 1);
});

test("tries end", async (t) => {
  const { client, calls } = await play(t, refused(503, "UNAVAILABLE"));
  await assert.rejects(client.users.get({ organizationId: "acme" }), { status: "UNAVAILABLE" });
  assert.equal(calls.length, 5);
});

test("an add whose answer was lost is known by its ids", async (t) => {
  const exists = refused(409, "ALREADY_EXISTS");
  const { client, calls } = await play(t, dropped, exists, dropped, exists, dropped, exists, dropped, exists);
  const from = { userId: "u_ann" };
  const place = { organizationId: "acme", documentId: "d" };
  const added = await client.annotations.add({ ...place, commentAnnotations: [{ commentData: [{ from }, { from }] }] });
  const sent = calls[0]!.data["commentAnnotations"][0];
  assert.deepEqual(added[sent.annotationId]!.commentIds, sent.commentData.map((comment: Data) => comment["commentId"]));
  const ids = await client.comments.add({ ...place, annotationId: "a", commentData: [{ from }] });
  assert.deepEqual(ids, [calls[2]!.data["commentData"][0].commentId]);
  const activity = { featureType: "custom", actionType: "a", actionUser: from, targetEntityId: "t" } as const;
  const items = await client.activities.add({ organizationId: "acme", activities: [activity] });
  assert.equal(items[calls[4]!.data["activities"][0].id]!.success, true);
  await assert.rejects(client.activities.add({ organizationId: "acme", activities: [{ ...activity, id: "mine" }] }), { status: "ALREADY_EXISTS" });
});

test("every way of paging", async (t) => {
  const { client, calls } = await play(t,
    result({ items: [{ executionId: "a" }, { executionId: "b" }], nextCursor: "c1", hasMore: true }),
    result({ items: [{ executionId: "c" }], nextCursor: null, hasMore: false }),
    result({ status: "success", message: "m", data: [{ id: "d" }], nextPageToken: "t1" }),
    result({ status: "success", message: "m", data: [] }),
    result({ status: "success", message: "m", data: { messages: [{ event: "e" }], iterator: "i1", done: false } }),
    result({ status: "success", message: "m", data: { messages: [{ event: "f" }], iterator: "i2", done: true } }),
    result({ executionId: "x", events: [{ seq: 1 }], nextCursor: 2, hasMore: true }),
    result({ executionId: "x", events: [{ seq: 2 }], nextCursor: 3, hasMore: false }),
    result([{ sourceId: "s" }]));
  const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
    const seen: T[] = [];
    for await (const item of items) seen.push(item);
    return seen;
  };
  assert.deepEqual((await all(client.executions.listAll({}))).map((one) => one.executionId), ["a", "b", "c"]);
  assert.equal(calls[1]!.data["cursor"], "c1");
  assert.equal((await all(client.documents.getAll({ organizationId: "acme" })))[0]!.id, "d");
  assert.equal(calls[3]!.data["pageToken"], "t1");
  assert.equal((await all(client.messages.getAll({}))).length, 2);
  assert.equal(calls[5]!.data["iterator"], "i1");
  assert.equal((await all(client.executions.getEventsAll({ executionId: "x" })))[1]!.seq, 2);
  assert.equal(calls[7]!.data["sinceSeq"], 2);
  assert.equal((await all(client.knowledge.listAll({}))).length, 1);
});

test("a signal ends a call and its waiting", async (t) => {
  const { client, calls } = await play(t, refused(429, "RESOURCE_EXHAUSTED", { "retry-after": "60" }));
  await assert.rejects(client.users.get({ organizationId: "acme" }, { signal: AbortSignal.timeout(100) }));
  assert.equal(calls.length, 1);
});

test("a client wants an address", () => {
  for (const baseUrl of ["", "redline.test", "ftp://redline.test", "http://"]) {
    assert.throws(() => new Redline({ baseUrl }), /REDLINE_URL/);
  }
});

test("a webhook is verified", () => {
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const other = `whsec_${Buffer.from("another secret of thirty-two byt").toString("base64")}`;
  const body = JSON.stringify({ event: "comment.add", webhookId: "msg_1", sequence: 7 });
  const headers = (at: Date) => ({
    "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
  });
  const now = headers(new Date());
  assert.equal(verify(secret, now, body).sequence, 7);
  assert.throws(() => verify(other, now, body));
  assert.throws(() => verify(secret, now, `${body} `));
  assert.throws(() => verify(secret, headers(new Date(Date.now() - 3600_000)), body));
});

test("a signature by HMAC is verified", () => {
  const body = "what do ya want for nothing?"; // test case 2 of RFC 4231
  const headers = { "x-svc-signature": "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" };
  assert.equal(createHmac("sha256", "Jefe").update(body).digest("hex"), headers["x-svc-signature"].slice(7));
  assert.ok(verifySignature("Jefe", headers, body));
  assert.ok(!verifySignature("Jeff", headers, body));
  assert.ok(!verifySignature("Jefe", headers, body.slice(1)));
  assert.ok(!verifySignature("Jefe", {}, body));
});
