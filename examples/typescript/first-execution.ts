import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Redline, verify } from "@redline-svc/client";

const client = new Redline();
const server = createServer(async (request, response) => {
  console.log("received", verify(secret, request.headers, await text(request)).event);
  response.writeHead(204).end(() => server.close());
});
await once(server.listen(0, "127.0.0.1"), "listening");
await client.workspace.updateAdvancedWebhookConfig({ isEnabled: true });
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const endpoint = await client.endpoints.create({ url, filterTypes: ["execution.completed"] });
const { secret } = await client.endpoints.getSecret({ endpointId: endpoint.id });
const { executionId } = await client.executions.dispatch({ definitionId: "editorial-sign-off" });
const { stepId } = await client.waitForStep({ executionId, reviewerId: "u_editor" });
await client.steps.recordReviewerDecision({ executionId, stepId, reviewerId: "u_editor", decision: "approve" });
await once(server, "close");
await client.endpoints.delete({ endpointId: endpoint.id });
