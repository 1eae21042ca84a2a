import uuid

from redline import Redline

client = Redline()
definition = f"release-{uuid.uuid4().hex}"

# [define]
reviewers = [{"userId": "u_legal", "mandatory": True}, {"userId": "u_brand", "mandatory": False}]
client.definitions.create({
    "definitionId": definition,
    "name": "Release",
    "nodes": [
        {"nodeId": "sign-off", "type": "human", "config": {"reviewers": reviewers}},
        {"nodeId": "publish", "type": "agent", "config": {"agentId": "__mock__"}},  # stands for your systems
        {"nodeId": "author", "type": "agent", "config": {"agentId": "__mock__"}},
    ],
    "edges": [
        {"from": "sign-off", "to": "publish", "on": "approve"},
        {"from": "sign-off", "to": "author", "on": "reject"},
    ],
})
# [end]
execution = client.executions.dispatch({"definitionId": definition})["executionId"]
step = client.wait_for_step({"executionId": execution, "reviewerId": "u_legal"})["stepId"]

# [reassign]
client.steps.reassign({
    "executionId": execution, "stepId": step, "fromReviewerId": "u_legal", "toReviewerId": "u_deputy",
    "actorId": "u_admin", "reason": "on leave",
})
# [end]

# [decide]
for waiting in client.steps.list_all({"reviewerId": "u_deputy", "definitionId": definition}):
    client.steps.record_reviewer_decision({
        "executionId": waiting["executionId"], "stepId": waiting["stepId"], "reviewerId": "u_deputy",
        "decision": "reject", "reason": "The second source is missing.",
    })
# [end]

# [read]
ended = client.wait_for_execution(execution)
for one in ended["steps"]:
    print(one["nodeId"], one["status"])
# [end]
