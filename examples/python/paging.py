import uuid

from redline import Redline

client = Redline()
run = f"nightly-{uuid.uuid4()}"
for _ in range(5):
    client.executions.dispatch({"definitionId": "editorial-sign-off", "correlationId": run})

# [all]
for execution in client.executions.list_all({"correlationId": run, "pageSize": 2}):
    print(execution["executionId"], execution["status"])
# [end]

# [page]
page = client.executions.list({"correlationId": run, "pageSize": 2})
if page["hasMore"]:
    further = client.executions.list({"correlationId": run, "pageSize": 2, "cursor": page["nextCursor"]})
# [end]
print(len(page["items"]) + len(further["items"]))
