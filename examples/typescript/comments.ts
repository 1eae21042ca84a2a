import { Redline } from "@redline-svc/client";

const client = new Redline();
const organizationId = `acme-${crypto.randomUUID()}`;

// [begin]
const place = { organizationId, documentId: "spring" };
const ann = { userId: "u_ann", name: "Ann" };
const added = await client.annotations.add({
  ...place, createOrganization: true, createDocument: true,
  commentAnnotations: [{ commentData: [{ from: ann, commentText: "Where is the second source?" }] }],
});
const [annotationId] = Object.keys(added) as [string];
// [end]

// [reply]
const bob = { userId: "u_bob", name: "Bob" };
await client.comments.add({ ...place, annotationId, commentData: [{ from: bob, commentText: "Found it." }] });
// [end]

// [resolve]
const status = {
  id: "RESOLVED", name: "Resolved", type: "terminal" as const,
  color: "#0a7", lightColor: "#dfd", iconUrl: "https://example.com/done.svg",
};
await client.annotations.update({ ...place, annotationIds: [annotationId], actionUser: bob, updatedData: { status } });
// [end]

// [read]
for await (const annotation of client.annotations.getAll({ organizationId, documentIds: ["spring"] })) {
  for (const comment of annotation!.comments) console.log(comment.from?.["name"], comment.commentText);
  console.log(annotation!.status?.["name"]);
}
// [end]
