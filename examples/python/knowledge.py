import uuid

from redline import Redline

client = Redline()
text = f"# Style guide {uuid.uuid4()}\n\nHeadlines must be in sentence case.\n".encode()

# [ingest]
source = client.upload("guide.txt", "text/plain", text, progress=lambda p: print(p["stage"]))
assert source["status"] == "completed", source["failureMessage"]
# [end]

# [search]
found = client.knowledge.search({"query": "How are headlines written?", "sourceId": source["sourceId"], "hybrid": True, "limit": 3})
for hit in found["results"]:
    print(hit["text"])
# [end]

# [ask]
said = client.memory.ask({"question": "How are headlines written?"})
for sentence, citation in zip(said["answer"].splitlines(), said["citations"]):
    print(sentence, citation["kind"])
# [end]
client.knowledge.delete({"sourceId": source["sourceId"]})
print("found" if "Headlines must be in sentence case." in found["results"][0]["text"] else "missed")
