import { Redline, verifySignature } from "@redline-svc/client";

const client = new Redline();
const agentId = `checker-${crypto.randomUUID()}`;
const secret = "a-secret-of-the-agent";
const reply = Buffer.from('{"agentExecutionId":"run-7"}').toString("base64url");
const path = `/json/${reply}/${agentId}`;
const url = process.env["REDLINE_DEV_RECEIVER_URL"] + path; // the receiver of `make run` stands for the agent

// [register]
await client.agents.create({ agentId, name: "Style check", url, secret });
await client.definitions.create({
  definitionId: agentId, name: "Style check", edges: [],
  nodes: [{ nodeId: "check", type: "agent", config: { agentId } }],
});
// [end]
const { executionId } = await client.executions.dispatch({ definitionId: agentId });
await client.waitForStep({ executionId, nodeType: "agent" });
const inbox = process.env["REDLINE_DEV_INBOX_URL"];
const request = (await (await fetch(`${inbox}?path=${encodeURIComponent(path)}`)).json()).items[0];
const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
const body = await (await fetch(`${inbox}/${request.n}/body`)).text();

// [answer]
/** What the agent's own server does with a call. */
function called(headers: Record<string, string>, body: string): [number, object] {
  if (!verifySignature(secret, headers, body)) return [401, {}];
  return [200, { agentExecutionId: "run-7" }]; // the work goes on; the step waits
}
// [end]

console.log(called(headers, body)[0], called(headers, `${body} `)[0]);

// [resolve]
const { stepId } = await client.waitForStep({ executionId, nodeType: "agent" });
await client.steps.recordAgentResolution({
  executionId, stepId, responseId: "run-7",
  resolution: "resolved", reason: "Nothing to correct.", output: { findings: 0 },
});
// [end]
console.log((await client.waitForExecution(executionId)).status);
