import time
import uuid

from redline import Redline

client = Redline()
organization = f"acme-{uuid.uuid4()}"
clause = "The supplier's liability for damages is unlimited."

# [record]
for reviewer in ["u_ann", "u_bob", "u_eve"]:
    client.judgments.record({
        "recordId": str(uuid.uuid4()),  # yours: recording it again changes nothing
        "organizationId": organization, "actionUser": {"userId": reviewer}, "content": clause,
        "decision": "reject", "reasoning": "We never accept unlimited liability.",
    })
# [end]


# [suggest]
def advice(text):
    found = client.memory.suggest({"query": text, "organizationId": organization})
    return found["primary"], found["conflict"]
# [end]


while advice(clause)[0] is None:  # what is recorded is indexed within seconds
    time.sleep(0.25)

# [show]
primary, conflict = advice(clause)
if primary:
    print(f"{primary['recommendation']} ({primary['confidence']:.0%}, {primary['uniqueReviewers']} reviewers)")
    print(*primary["topReasons"], *primary["caveats"], sep="\n")
if conflict:
    print("but others say", conflict["recommendation"])
# [end]
print(primary["recommendation"])
