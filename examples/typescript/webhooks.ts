import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Redline, type WebhookEvent, verify } from "@redline-svc/client";
import { Webhook } from "standardwebhooks";

const client = new Redline();
let told = (_: WebhookEvent) => {};
const first = new Promise<WebhookEvent>((resolve) => (told = resolve));
const handle = (event: WebhookEvent, _id: unknown) => told(event);

// [receiver]
const server = createServer(async (request, response) => {
  const body = await text(request); // the very text that came
  response.writeHead(receive(request, body)).end();
});

function receive(request: IncomingMessage, body: string): number {
  let event;
  try {
    event = verify(secret, request.headers, body);
  } catch {
    return 400;
  }
  handle(event, request.headers["webhook-id"]);
  return 204;
}
// [end]

await once(server.listen(0, "127.0.0.1"), "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

// [register]
await client.workspace.updateAdvancedWebhookConfig({ isEnabled: true });
const { id: endpointId } = await client.endpoints.create({ url: address, filterTypes: ["comment.add", "execution.completed"] });
const { secret } = await client.endpoints.getSecret({ endpointId });
await client.endpoints.test({ endpointId, eventType: "comment.add" });
// [end]
const { event } = await first;
await client.endpoints.delete({ endpointId });

/** Sends what somebody else might send; the answer's status. */
async function sends(key: string, at: Date, signed: string, body: string): Promise<number> {
  const answer = await fetch(address, {
    method: "POST", body,
    headers: {
      "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": new Webhook(key).sign("msg_1", at, signed),
    },
  });
  return answer.status;
}

const now = new Date(), hourAgo = new Date(Date.now() - 3_600_000), sent = '{"event":"comment.add"}';
const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
console.log(
  event, await sends(secret, now, sent, sent), await sends(other, now, sent, sent),
  await sends(secret, hourAgo, sent, sent), await sends(secret, now, sent, `${sent} `),
);
server.close();
