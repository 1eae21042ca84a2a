import os
import uuid

import httpx

from redline import Redline

client = Redline()

# [own]
organization = f"test-{uuid.uuid4()}"  # an organization of its own: no test sees another's
client.documents.add({"organizationId": organization, "createOrganization": True, "documents": [{"documentId": "spring"}]})
# [end]

# [receiver]
path = f"/ok/{uuid.uuid4()}"
execution = client.executions.dispatch({
    "definitionId": "editorial-sign-off", "organizationId": organization, "documentId": "spring",
    "webhookUrl": os.environ["REDLINE_DEV_RECEIVER_URL"] + path, "webhookSecret": "a-secret-of-the-test",
})["executionId"]
client.wait_for_step({"executionId": execution, "reviewerId": "u_editor"}, within=60)
came = httpx.get(os.environ["REDLINE_DEV_INBOX_URL"], params={"path": path}).json()["items"]
# [end]
assert came
print("received")
