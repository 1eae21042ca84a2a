import uuid

from redline import Redline

client = Redline()
organization = f"acme-{uuid.uuid4()}"

# [begin]
place = {"organizationId": organization, "documentId": "spring"}
ann = {"userId": "u_ann", "name": "Ann"}
added = client.annotations.add({
    **place, "createOrganization": True, "createDocument": True,
    "commentAnnotations": [{"commentData": [{"from": ann, "commentText": "Where is the second source?"}]}],
})
thread = next(iter(added))
# [end]

# [reply]
bob = {"userId": "u_bob", "name": "Bob"}
client.comments.add({**place, "annotationId": thread, "commentData": [{"from": bob, "commentText": "Found it."}]})
# [end]

# [resolve]
done = {
    "id": "RESOLVED", "name": "Resolved", "type": "terminal",
    "color": "#0a7", "lightColor": "#dfd", "iconUrl": "https://example.com/done.svg",
}
client.annotations.update({**place, "annotationIds": [thread], "actionUser": bob, "updatedData": {"status": done}})
# [end]

# [read]
for annotation in client.annotations.get_all({"organizationId": organization, "documentIds": ["spring"]}):
    for comment in annotation["comments"]:
        print(comment["from"]["name"], comment["commentText"])
    print(annotation["status"]["name"])
# [end]
