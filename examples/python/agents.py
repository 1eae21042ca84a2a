import os
import uuid
from base64 import urlsafe_b64encode

import httpx

from redline import Redline, verify_signature

client = Redline()
name = f"checker-{uuid.uuid4().hex}"
secret = "a-secret-of-the-agent"
reply = urlsafe_b64encode(b'{"agentExecutionId":"run-7"}').decode().rstrip("=")
path = f"/json/{reply}/{name}"
address = os.environ["REDLINE_DEV_RECEIVER_URL"] + path  # the receiver of `make run` stands for the agent

# [register]
client.agents.create({"agentId": name, "name": "Style check", "url": address, "secret": secret})
client.definitions.create({
    "definitionId": name, "name": "Style check", "edges": [],
    "nodes": [{"nodeId": "check", "type": "agent", "config": {"agentId": name}}],
})
# [end]
execution = client.executions.dispatch({"definitionId": name})["executionId"]
client.wait_for_step({"executionId": execution, "nodeType": "agent"})
request = httpx.get(os.environ["REDLINE_DEV_INBOX_URL"], params={"path": path}).json()["items"][0]
headers = {key: value if isinstance(value, str) else value[0] for key, value in request["headers"].items()}
body = httpx.get(f"{os.environ['REDLINE_DEV_INBOX_URL']}/{request['n']}/body").content


# [answer]
def called(headers, body):
    """What the agent's own server does with a call."""
    if not verify_signature(secret, headers, body):
        return 401, {}
    return 200, {"agentExecutionId": "run-7"}  # the work goes on; the step waits
# [end]


print(called(headers, body)[0], called(headers, body + b" ")[0])

# [resolve]
step = client.wait_for_step({"executionId": execution, "nodeType": "agent"})
client.steps.record_agent_resolution({
    "executionId": execution, "stepId": step["stepId"], "responseId": "run-7",
    "resolution": "resolved", "reason": "Nothing to correct.", "output": {"findings": 0},
})
# [end]
print(client.wait_for_execution(execution)["status"])
