import { Redline } from "@redline-svc/client";

const client = new Redline();

// [own]
const organizationId = `test-${crypto.randomUUID()}`; // an organization of its own: no test sees another's
await client.documents.add({ organizationId, createOrganization: true, documents: [{ documentId: "spring" }] });
// [end]

// [receiver]
const path = `/ok/${crypto.randomUUID()}`;
const { executionId } = await client.executions.dispatch({
  definitionId: "editorial-sign-off", organizationId, documentId: "spring",
  webhookUrl: process.env["REDLINE_DEV_RECEIVER_URL"] + path, webhookSecret: "a-secret-of-the-test",
});
await client.waitForStep({ executionId, reviewerId: "u_editor" }, { signal: AbortSignal.timeout(60_000) });
const came = await (await fetch(`${process.env["REDLINE_DEV_INBOX_URL"]}?path=${path}`)).json();
// [end]
console.log(came.items.length > 0 ? "received" : "nothing");
