from redline import Redline, RedlineError

# [client]
client = Redline(timeout=20, retries=2)  # seconds for one try; tries after the first
# [end]

# [refused]
try:
    client.users.get({"organizationId": "x" * 201})
except RedlineError as refused:
    print(refused.status, refused.reason, refused.request_id != "")
    for issue in refused.issues:
        print(".".join(issue["path"]), issue["code"], issue["message"])
# [end]

# [missing]
try:
    client.executions.dispatch({"definitionId": "nowhere"})
except RedlineError as refused:
    if refused.status != "NOT_FOUND":
        raise
    print("no such definition")
# [end]

# [key]
order = {"definitionId": "editorial-sign-off", "idempotencyKey": "order-4711"}
first, again = client.executions.dispatch(order), client.executions.dispatch(order)
assert first["executionId"] == again["executionId"]
# [end]
print("one execution")
