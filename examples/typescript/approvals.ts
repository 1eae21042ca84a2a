import { Redline } from "@redline-svc/client";

const client = new Redline();
const definitionId = `release-${crypto.randomUUID()}`;

// [define]
const reviewers = [{ userId: "u_legal", mandatory: true }, { userId: "u_brand", mandatory: false }];
await client.definitions.create({
  definitionId,
  name: "Release",
  nodes: [
    { nodeId: "sign-off", type: "human", config: { reviewers } },
    { nodeId: "publish", type: "agent", config: { agentId: "__mock__" } }, // stands for your systems
    { nodeId: "author", type: "agent", config: { agentId: "__mock__" } },
  ],
  edges: [
    { from: "sign-off", to: "publish", on: "approve" },
    { from: "sign-off", to: "author", on: "reject" },
  ],
});
// [end]
const { executionId } = await client.executions.dispatch({ definitionId });
const { stepId } = await client.waitForStep({ executionId, reviewerId: "u_legal" });

// [reassign]
await client.steps.reassign({
  executionId, stepId, fromReviewerId: "u_legal", toReviewerId: "u_deputy", actorId: "u_admin", reason: "on leave",
});
// [end]

// [decide]
for await (const waiting of client.steps.listAll({ reviewerId: "u_deputy", definitionId })) {
  await client.steps.recordReviewerDecision({
    executionId: waiting.executionId, stepId: waiting.stepId, reviewerId: "u_deputy",
    decision: "reject", reason: "The second source is missing.",
  });
}
// [end]

// [read]
const ended = await client.waitForExecution(executionId);
for (const step of ended.steps) console.log(step.nodeId, step.status);
// [end]
