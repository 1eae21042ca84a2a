import { Redline } from "@redline-svc/client";

const client = new Redline();
const content = `# Style guide ${crypto.randomUUID()}\n\nHeadlines must be in sentence case.\n`;

// [ingest]
const source = await client.upload({
  fileName: "guide.txt", mimeType: "text/plain", content, progress: (progress) => console.log(progress.stage),
});
if (source.status !== "completed") throw new Error(source.failureMessage);
// [end]

// [search]
const found = await client.knowledge.search({ query: "How are headlines written?", sourceId: source.sourceId, hybrid: true, limit: 3 });
for (const hit of found.results) console.log(hit.text);
// [end]

// [ask]
const said = await client.memory.ask({ question: "How are headlines written?" });
said.answer.split("\n").forEach((sentence, i) => console.log(sentence, said.citations[i]?.kind));
// [end]
await client.knowledge.delete({ sourceId: source.sourceId });
console.log(found.results[0]!.text.includes("Headlines must be in sentence case.") ? "found" : "missed");
