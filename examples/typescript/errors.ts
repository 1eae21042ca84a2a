import { Redline, RedlineError, isNotFound } from "@redline-svc/client";

// [client]
const client = new Redline({ timeout: 20_000, retries: 2 }); // milliseconds for one try; tries after the first
// [end]

// [refused]
try {
  await client.users.get({ organizationId: "x".repeat(201) });
} catch (error) {
  if (!(error instanceof RedlineError)) throw error;
  console.log(error.status, error.reason, error.requestId !== "");
  for (const issue of error.issues) console.log(issue.path.join("."), issue.code, issue.message);
}
// [end]

// [missing]
try {
  await client.executions.dispatch({ definitionId: "nowhere" });
} catch (error) {
  if (!isNotFound(error)) throw error;
  console.log("no such definition");
}
// [end]

// [key]
const order = { definitionId: "editorial-sign-off", idempotencyKey: "order-4711" };
const first = await client.executions.dispatch(order);
const again = await client.executions.dispatch(order);
if (first.executionId !== again.executionId) throw new Error("two executions");
// [end]
console.log("one execution");
