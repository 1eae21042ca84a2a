package api

// Documented results of the operations on people, settings and judgments.
const (
	exampleSettings = `{"status":"success","message":"Settings found.","data":{"ownerEmail":"owner@example.com","planInfo":{"type":"free"},
"defaultDocumentAccessType":"public","isPrivateCommentsEnabled":true,"requireAutoOrgUser":false,"isAdvancedQueriesEnabled":true}}`
	exampleUsers = `{"status":"success","message":"Users added.","data":{"u_ann":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"User added."}}}`
	exampleRemoved   = `{"status":"success","message":"Users removed.","data":{"u_ann":{"success":true,"message":"User removed."}}}`
	exampleJudgments = `{"results":[{"recordId":"jdg_01kdvm9w00abcdefghjkmnpqrs","reasoning":"Well sourced.","decision":"approve",
"confidence":0.95,"judgeType":"human","contentType":"workflow","actionUser":{"userId":"u_ann","name":"Ann","email":null},
"createdAt":1767225600000,"organizationId":"acme","documentId":null,"agent":null}],"total":1,"nextCursor":null,"hasMore":false}`
)
