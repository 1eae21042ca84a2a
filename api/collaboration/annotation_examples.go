package collaboration

// Documented calls and results of the operations.
const (
	ExampleAnnotation = `{"organizationId":"acme","documentId":"spring","createOrganization":true,"createDocument":true,
"commentAnnotations":[{"annotationId":"a1","location":{"id":"page-2","locationName":"Page 2"},
"targetElement":{"elementId":"intro","targetText":"the first day of spring","occurrence":1},
"commentData":[{"commentId":1,"commentText":"Which year, {{u_bob}}?","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"taggedUserContacts":[{"userId":"u_bob","contact":{"userId":"u_bob","name":"Bob","email":"bob@example.com"}}],"triggerNotification":true}]}]}`
	ExampleAdded = `{"status":"success","message":"Annotations added.","data":{"a1":{"success":true,"annotationId":"a1",
"commentIds":[1],"message":"Annotation added."}}}`
	ExampleReply = `{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentData":[{"commentId":2,
"commentText":"This one.","from":{"userId":"u_bob","name":"Bob","email":"bob@example.com"},"triggerNotification":true}]}`
	ExampleRead = `{"status":"success","message":"Annotations marked.","updated":1,"data":{"a1":{"success":true,"id":"a1","message":"Annotation marked."},
"a2":{"success":false,"id":"a2","message":"The document has no such annotation that the user may see.","code":"not-found"}}}`
	ExampleEdited = `{"status":"success","message":"Comments updated.","data":{"1":{"success":true,"id":"1","message":"Comment updated."},
"2":{"success":false,"id":"2","message":"The annotation has no such comment.","code":"not-found"}}}`
	ExampleCommentsDeleted = `{"status":"success","message":"Comments deleted.","data":{"1":{"success":true,"id":"1","message":"Comment deleted."},
"2":{"success":false,"id":"2","message":"The annotation has no such comment.","code":"not-found"}}}`
	ExampleAnnotationsUpdated = `{"status":"success","message":"Annotations updated.","data":{"a1":{"success":true,"id":"a1","message":"Annotation updated."},
"a2":{"success":false,"id":"a2","message":"The document has no such annotation.","code":"not-found"}}}`
	ExampleAnnotationsDeleted = `{"status":"success","message":"Annotations deleted.","data":{"a1":{"success":true,"id":"a1","message":"Annotation deleted."},
"a2":{"success":false,"id":"a2","message":"The document has no such annotation.","code":"not-found"}},"hasMore":false}`
	ExampleCounts      = `{"status":"success","message":"Annotations counted.","data":{"spring":{"total":3,"unread":1}}}`
	ExampleAnnotations = `{"status":"success","message":"Annotations found.","data":[{"annotationId":"a1","comments":[{"commentId":1,
"commentText":"Which year?","commentHtml":"","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"lastUpdated":"2026-01-01T00:00:00.000Z","type":"text"}],"from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},
"color":"#625DF5","createdAt":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:00:00.000Z",
"status":{"id":"OPEN","name":"Open","color":"#625DF5","type":"default"}},null]}`
	ExampleWholeAnnotations   = `{"status":"success","message":"Annotations found.","data":[` + exampleWholeAnnotation + `]}`
	ExampleGroupedAnnotations = `{"status":"success","message":"Annotations found.","data":{"spring":[` + exampleWholeAnnotation + `]}}`
	exampleWholeAnnotation    = `{"annotationId":"a1","organizationId":"acme","documentId":"spring","folderId":"seasons","type":"comment",
"commentType":"manual","sourceType":"rest-api","createdAt":1767225600000,"lastUpdated":1767225600000,
"from":{"userId":"u_ann","name":"Ann","email":"ann@example.com","initial":"A"},
"status":{"id":"OPEN","name":"Open","type":"default","color":"#625DF5","lightColor":"#E7E8FA","svg":"<svg/>"},"visibility":{"type":"public"},
"comments":[{"commentId":1,"type":"text","status":"added","commentText":"Which year, {{u_bob}}?","commentHtml":"",
"isCommentTextAvailable":true,"isCommentResolverUsed":false,"context":{},
"from":{"userId":"u_ann","name":"Ann","email":"ann@example.com","initial":"A"},"createdAt":1767225600000,
"lastUpdated":"2026-01-01T00:00:00.000Z","taggedUserContacts":[]}],"commentCount":1,"location":null,"targetElement":null,"context":{},
"mentionedUserIds":["u_bob"]}`
	ExampleComments = `{"status":"success","message":"Comments found.","data":[{"commentId":1,"commentText":"Which year?",
"commentHtml":"","from":{"userId":"u_ann","name":"Ann","email":"ann@example.com"},"lastUpdated":"2026-01-01T00:00:00.000Z",
"type":"text","status":"added"},null]}`
	ExampleWholeComments = `{"status":"success","message":"Comments found.","data":[{"commentId":1,"type":"text","status":"added",
"commentText":"Which year?","commentHtml":"","isCommentTextAvailable":true,"isCommentResolverUsed":false,"context":{},
"from":{"userId":"u_ann","name":"Ann","email":"ann@example.com","initial":"A"},"createdAt":1767225600000,
"lastUpdated":"2026-01-01T00:00:00.000Z","taggedUserContacts":[]}]}`
)
