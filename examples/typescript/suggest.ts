import { setTimeout } from "node:timers/promises";
import { Redline } from "@redline-svc/client";

const client = new Redline();
const organizationId = `acme-${crypto.randomUUID()}`;
const clause = "The supplier's liability for damages is unlimited.";

// [record]
for (const userId of ["u_ann", "u_bob", "u_eve"]) {
  await client.judgments.record({
    recordId: crypto.randomUUID(), // yours: recording it again changes nothing
    organizationId, actionUser: { userId }, content: clause,
    decision: "reject", reasoning: "We never accept unlimited liability.",
  });
}
// [end]

// [suggest]
const advice = (query: string) => client.memory.suggest({ query, organizationId });
// [end]

while ((await advice(clause)).primary === null) await setTimeout(250); // what is recorded is indexed within seconds

// [show]
const { primary, conflict } = await advice(clause);
if (primary) {
  console.log(`${primary.recommendation} (${Math.round(100 * primary.confidence)} %, ${primary.uniqueReviewers} reviewers)`);
  console.log([...primary.topReasons, ...primary.caveats].join("\n"));
}
if (conflict) console.log("but others say", conflict.recommendation);
// [end]
console.log(primary!.recommendation);
