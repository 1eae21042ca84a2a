import { Redline } from "@redline-svc/client";

const client = new Redline();
const run = `nightly-${crypto.randomUUID()}`;
for (let i = 0; i < 5; i++) await client.executions.dispatch({ definitionId: "editorial-sign-off", correlationId: run });

// [all]
for await (const execution of client.executions.listAll({ correlationId: run, pageSize: 2 })) {
  console.log(execution.executionId, execution.status);
}
// [end]

// [page]
const page = await client.executions.list({ correlationId: run, pageSize: 2 });
let further;
if (page.hasMore) {
  further = await client.executions.list({ correlationId: run, pageSize: 2, cursor: page.nextCursor });
}
// [end]
console.log(page.items.length + further!.items.length);
