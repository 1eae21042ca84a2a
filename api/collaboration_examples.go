package api

// Documented results of the operations on people, settings and judgments.
const (
	exampleSettings = `{"status":"success","message":"Settings found.","data":{"ownerEmail":"owner@example.com","planInfo":{"type":"free"},
"defaultDocumentAccessType":"public","isPrivateCommentsEnabled":true,"requireAutoOrgUser":false,"isAdvancedQueriesEnabled":true}}`
	exampleEmails = `{"status":"success","message":"E-mail settings found.","data":{"useEmailService":true,"emailServiceConfig":{"type":"smtp",
"host":"mail.example.com","port":587,"security":"starttls","username":"desk","hasPassword":true,"fromEmail":"desk@example.com","fromCompany":"Example",
"triggers":{"comment.mention":true,"comment.reply":false,"comment_annotation.assign":true,"step.awaiting-approval":true}},
"lastFailure":{"at":"2026-01-01T00:00:00.000Z","class":"auth"}}}`
	exampleUsers = `{"status":"success","message":"Users added.","data":{"u_ann":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"User added."}}}`
	exampleRemoved   = `{"status":"success","message":"Users removed.","data":{"u_ann":{"success":true,"message":"User removed."}}}`
	exampleJudgments = `{"results":[{"recordId":"jdg_01kdvm9w00abcdefghjkmnpqrs","reasoning":"Well sourced.","decision":"approve",
"confidence":0.95,"judgeType":"human","contentType":"workflow","actionUser":{"userId":"u_ann","name":"Ann","email":null},
"createdAt":1767225600000,"organizationId":"acme","documentId":null,"agent":null}],"total":1,"nextCursor":null,"hasMore":false}`
	exampleAnnotation = `{"organizationId":"acme","documentId":"spring","createOrganization":true,"createDocument":true,
"commentAnnotations":[{"annotationId":"a1","location":{"id":"page-2","locationName":"Page 2"},
"targetElement":{"elementId":"intro","targetText":"the first day of spring","occurrence":1},
"commentData":[{"commentId":1,"commentText":"Which year, {{u_bob}}?","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"taggedUserContacts":[{"userId":"u_bob","contact":{"userId":"u_bob","name":"Bob","email":"bob@example.com"}}],"triggerNotification":true}]}]}`
	exampleAdded = `{"status":"success","message":"Annotations added.","data":{"a1":{"success":true,"annotationId":"a1",
"commentIds":[1],"message":"Annotation added."}}}`
	exampleAnnotations = `{"status":"success","message":"Annotations found.","data":[{"annotationId":"a1","comments":[{"commentId":1,
"commentText":"Which year?","commentHtml":"","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"lastUpdated":"2026-01-01T00:00:00.000Z","type":"text"}],"from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"color":"#625DF5","createdAt":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:00:00.000Z",
"status":{"id":"OPEN","name":"Open","color":"#625DF5","type":"default"}},null]}`
	exampleComments = `{"status":"success","message":"Comments found.","data":[{"commentId":1,"commentText":"Which year?",
"commentHtml":"","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},"lastUpdated":"2026-01-01T00:00:00.000Z",
"type":"text","status":"added"},null]}`
)
