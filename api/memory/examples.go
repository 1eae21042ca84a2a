package memory

// Documented requests and results.
const (
	ExampleUpload = `{"uploadUrl":"https://api.example.com/v2/memory/files/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",` +
		`"fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","expiresAt":1767226500000}`
	ExampleIngest = `{"status":"processing","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs",` +
		`"message":"The source was accepted and is being brought in."}`
	ExampleIngestStatus = `{"status":"completed","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","fileName":"handbook.pdf","mimeType":"application/pdf",` +
		`"startedAt":1767225600000,"updatedAt":1767225604000,"version":1,"liveVersion":1,` +
		`"progress":{"stage":"completed","chunksDone":12,"chunksTotal":12},"extractedRulesCount":3,"chunkCount":12,` +
		`"originalDownloadUrl":"https://api.example.com/v2/memory/files/e30.AAAA","canonicalMdDownloadUrl":"https://api.example.com/v2/memory/files/e30.BBBB",` +
		`"metadata":{"pages":4}}`
	ExampleUpdated   = `{"diff":{"added":["Bills must be paid within 14 days."],"removed":["Bills must be paid in full."],"unchanged":3},"newVersion":2}`
	ExampleKnowledge = `{"results":[{"kind":"chunk","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","text":"Bills are due thirty days after they were sent.","score":0.31},` +
		`{"kind":"rule","ruleId":"rule_01kdvm9w00abcdefghjkmnpqrs","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","text":"Bills must be paid in full.","score":0.42,"category":"Payment"}],` +
		`"recordsSearched":2}`
	ExampleHybrid = `{"results":[{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","text":"Bills are due thirty days after they were sent.","score":0.31,` +
		`"fusedScore":0.032786885245901641,"highlights":[{"start":0,"end":49}]}],"recordsSearched":1}`
	ExampleJudgments = `{"results":[{"recordId":"jdg_01kdvm9w00abcdefghjkmnpqrs","reasoning":"Well sourced.","decision":"approve",
"confidence":0.95,"judgeType":"human","contentType":"workflow","actionUser":{"userId":"u_ann","name":"Ann","email":null},
"createdAt":1767225600000,"organizationId":"acme","documentId":null,"agent":null}],"total":1,"nextCursor":null,"hasMore":false}`
	ExampleSuggestion = `{"primary":{"recommendation":"reject","confidence":0.71,"basedOn":4,"uniqueReviewers":3,
"topReasons":["Liability must be capped at the fees of a year."],"scope":"organization","scopeLabel":"This organization","caveats":[]},"conflict":null}`
	ExampleFound = `{"results":[{"recordId":"jdg_01kdvm9w00abcdefghjkmnpqrs","reasoning":"Well sourced.","decision":"approve","confidence":0.95,
"actionUser":{"name":"Ann"},"createdAt":1767225600000,"similarity":0.83,"scope":"organization","agent":null}],"totalInScope":1,"searchLatencyMs":12}`
	ExampleProfile = `{"userId":"u_ann","name":"Ann","email":"ann@example.com","totalJudgments":5,"approvalRate":0.75,
"topFlags":[{"issue":"sources","count":1}],"contentTypes":["article","general"],
"orgBreakdown":{"acme":{"judgments":2,"approvals":1,"approvalRate":1}},"lastActive":1767225600000}`
	ExampleAnswer = `{"answer":"Liability must be capped at the fees of a year.\nThe cap is mutual.","citations":[
{"kind":"judgment","recordId":"ticket-7","snippet":"Liability must be capped at the fees of a year."},
{"kind":"rule","sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","ruleId":"rule_01kdvm9w00abcdefghjkmnpqrs","snippet":"The cap is mutual."}],
"confidence":0.712,"recordsSearched":21}`
	ExampleJudgmentData = `{"recordId":"ticket-7","decision":"approved","reasoning":"Well sourced.","content":"The spring article.",
"contentType":"article","category":"sources","organizationId":"acme","documentId":"spring","actionUser":{"userId":"u_ann","name":"Ann"}}`
	ExampleJudgmentList = `{"judgments":[{"recordId":"ticket-7","decision":"reject","actionUser":{"userId":"style-check"},"judgeType":"agent",
"agent":{"agentName":"Style check","agentFields":{"rule":"serial comma"}},"confidence":0.8,"createdAt":1767225600000,"replace":true}]}`
	ExampleRecorded         = `{"results":[{"recordId":"ticket-7","created":true}]}`
	ExampleJudgmentsDeleted = `{"results":{"ticket-7":{"success":true,"message":"Judgment deleted."},"ticket-8":{"success":false,"message":"It does not exist."}}}`
)
