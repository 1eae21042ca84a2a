package collaboration

// ExamplePersonData is the documented result of users/data/get.
const ExamplePersonData = `{"status":"success","message":"Data found.","data":{"comments":[{"commentId":2,"type":"text","status":"added",
"commentText":"July, I think.","commentHtml":"","isCommentTextAvailable":true,"isCommentResolverUsed":false,"context":{},
"from":{"userId":"u_ann","name":"Ann"},"createdAt":1767225600000,"lastUpdated":"2026-01-01T00:00:00.000Z","taggedUserContacts":[],
"annotationId":"a1","documentId":"spring","relation":"author"}],"notifications":[],"activities":[],
"grants":[{"type":"organization","id":"acme","accessRole":"editor","expiresAt":null}]},"nextPageToken":null}`

// ExampleExporting is the documented result of users/data/export.
const ExampleExporting = `{"status":"success","message":"Export accepted.","data":{"jobId":"exp_01kdvm9w00abcdefghjkmnpqrs","status":"pending"}}`

// ExampleExport is the documented result of users/data/export/status.
const ExampleExport = `{"status":"success","message":"Export read.","data":{"jobId":"exp_01kdvm9w00abcdefghjkmnpqrs","status":"completed",
"counts":{"comments":12,"notifications":3,"activities":4,"grants":1},
"downloadUrl":"https://api.example.com/v2/memory/files/eyJ3Ijoid3MifQ.c2lnbmVk","expiresAt":1767312000000}}`

// ExampleErasing is the documented result of users/data/delete.
const ExampleErasing = `{"status":"success","message":"Erasure accepted.","data":{"jobId":"era_01kdvm9w00abcdefghjkmnpqrs","tasksCount":19}}`

// ExampleErasure is the documented result of users/data/delete/status.
const ExampleErasure = `{"status":"success","message":"Erasure read.","data":{"jobId":"era_01kdvm9w00abcdefghjkmnpqrs","status":"in_progress",
"isDeleteCompleted":false,"tasksLeft":12,"lastTaskCompletedTime":1767225600000}}`
