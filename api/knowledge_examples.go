package api

// Documented results of the operations on knowledge.
const (
	exampleUpload = `{"uploadUrl":"https://api.example.com/v2/memory/files/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",` +
		`"fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","expiresAt":1767226500000}`
	exampleIngest = `{"status":"processing","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs",` +
		`"message":"The source was accepted and is being brought in."}`
	exampleIngestStatus = `{"status":"completed","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","mimeType":"application/pdf",` +
		`"startedAt":1767225600000,"updatedAt":1767225604000,"version":1,"liveVersion":1,` +
		`"progress":{"stage":"completed","chunksDone":12,"chunksTotal":12},"extractedRulesCount":3,"chunkCount":12,` +
		`"originalDownloadUrl":"https://api.example.com/v2/memory/files/e30.AAAA","canonicalMdDownloadUrl":"https://api.example.com/v2/memory/files/e30.BBBB",` +
		`"metadata":{"pages":4}}`
	exampleKnowledge = `{"results":[{"kind":"chunk","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","text":"Bills are due thirty days after they were sent.","score":0.31},` +
		`{"kind":"rule","ruleId":"rule_01kdvm9w00abcdefghjkmnpqrs","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","text":"Bills must be paid in full.","score":0.42,"category":"Payment"}],` +
		`"recordsSearched":2}`
)
