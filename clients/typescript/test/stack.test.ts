import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Redline, type WebhookEvent, isNotFound, verify } from "../src/index.js";

const client = new Redline(); // REDLINE_URL, REDLINE_API_KEY, REDLINE_AUTH_TOKEN
const unique = (word: string) => `${word}-${crypto.randomUUID()}`;

/** Sends every call, and loses the answer of one of three. */
function lossy() {
  const count = { calls: 0, lost: 0 };
  const send: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    if (++count.calls % 3 !== 0) return answer;
    await answer.arrayBuffer();
    count.lost++;
    throw new TypeError("the answer is lost");
  };
  return { count, client: new Redline({ fetch: send, retries: 9 }) };
}

async function signOff(): Promise<string> {
  const definitionId = unique("sign-off");
  await client.definitions.create({
    definitionId, name: "Sign-off",
    nodes: [
      { nodeId: "sign-off", type: "human", config: { reviewers: [{ userId: "u_editor", mandatory: true }] } },
      { nodeId: "declined", type: "agent", config: { agentId: "__mock__" } },
    ],
    edges: [{ from: "sign-off", to: "declined", on: "reject" }],
  });
  return definitionId;
}

/** Makes n calls, sixteen at once. */
async function atOnce(n: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < n) await call(next++);
  }));
}

test("a task from dispatch to its end", async () => {
  const definitionId = await signOff();
  const { executionId } = await client.executions.dispatch({ definitionId });
  const { stepId } = await client.waitForStep({ executionId, reviewerId: "u_editor" });
  await client.steps.recordReviewerDecision({ executionId, stepId, reviewerId: "u_editor", decision: "approve" });
  assert.equal((await client.waitForExecution(executionId)).status, "completed");
  await assert.rejects(client.executions.get({ executionId: "nowhere" }), isNotFound);
});

test("lost answers double no dispatch", async () => {
  const definitionId = await signOff();
  const network = lossy();
  const told = new Set<string>();
  await atOnce(1000, async () => told.add((await network.client.executions.dispatch({ definitionId })).executionId));
  assert.ok(network.count.lost > 250);
  let seen = 0;
  for await (const { executionId } of client.executions.listAll({ definitionId, pageSize: 100 })) {
    assert.ok(told.has(executionId));
    seen++;
  }
  assert.equal(seen, 1000);
});

test("lost answers double no annotation", async () => {
  const network = lossy();
  const place = { organizationId: unique("org"), documentId: "d" };
  const from = { userId: "u_ann", name: "Ann" };
  const told = new Map<string, number[]>();
  await atOnce(1000, async () => {
    const added = await network.client.annotations.add({
      ...place, createOrganization: true, createDocument: true,
      commentAnnotations: [{ commentData: [{ from, commentText: "a" }, { from, commentText: "b" }] }],
    });
    for (const [id, one] of Object.entries(added)) told.set(id, one.commentIds);
  });
  assert.ok(network.count.lost > 250);
  let seen = 0;
  for await (const annotation of client.annotations.getAll({ organizationId: place.organizationId, documentIds: ["d"], pageSize: 1000 })) {
    assert.deepEqual(told.get(annotation!.annotationId), annotation!.comments.map((comment) => comment.commentId));
    seen++;
  }
  assert.equal(seen, 1000);
});

test("a receiver verifies what it is sent", async (t) => {
  const came: { headers: Record<string, string | string[] | undefined>; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk)).on("end", () => (came.push({ headers: request.headers, body }), response.end()));
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => receiver.close());
  await client.workspace.updateAdvancedWebhookConfig({ isEnabled: true });
  const { id } = await client.endpoints.create({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
  const { secret } = await client.endpoints.getSecret({ endpointId: id });
  await client.endpoints.test({ endpointId: id, eventType: "comment.add" });
  while (came.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const { headers, body } = came[0]!;
  assert.equal((verify(secret, headers, body) satisfies WebhookEvent).event, "comment.add");
  assert.throws(() => verify(`whsec_${Buffer.alloc(32).toString("base64")}`, headers, body));
  assert.throws(() => verify(secret, headers, `${body} `));
  await client.endpoints.delete({ endpointId: id });
});

test("a file is searchable when its upload returns", async () => {
  const stages: string[] = [];
  const source = await client.upload({
    fileName: "guide.txt", mimeType: "text/plain", content: `# Style ${unique("guide")}\n\nHeadlines must be in sentence case.\n`,
    progress: (progress) => stages.push(progress.stage),
  });
  assert.equal(source.status, "completed");
  assert.ok(stages.length > 0);
});
