package collaboration

// Examples of activities.
const (
	ExampleActivity = `{"organizationId":"acme","documentId":"spring","activities":[{"id":"act-1","featureType":"custom","actionType":"page.printed",
"actionUser":{"userId":"u_ann","name":"Ann"},"targetEntityId":"page-3","changes":{"copies":{"from":0,"to":2}},
"displayMessageTemplate":"{{actionUser.name}} printed {{page.title}}","displayMessageTemplateData":{"page":{"title":"Roses"}},"timestamp":1767225600000}]}`
	ExampleActivities = `{"status":"success","message":"Activities found.","data":[{"id":"act-1","featureType":"custom","actionType":"page.printed",
"actionUser":{"userId":"u_ann","name":"Ann"},"targetEntityId":"page-3","targetSubEntityId":null,"changes":{"copies":{"from":0,"to":2}},"entityData":{},"entityTargetData":{},"immutable":false,
"displayMessageTemplate":"{{actionUser.name}} printed {{page.title}}","displayMessageTemplateData":{"page":{"title":"Roses"}},
"displayMessage":"Ann printed Roses","actionIcon":"","metadata":{"organizationId":"acme","documentId":"spring","folderId":null},"timestamp":1767225600000}]}`
	ExampleActivitiesUpdated = `{"status":"success","message":"Activities updated.","data":{"act-1":{"success":true,"id":"act-1","message":"Activity updated."}}}`
	ExampleActivitiesDeleted = `{"status":"success","message":"Activities deleted.","data":{"act-1":{"success":true,"id":"act-1","message":"Activity deleted."}},
"immutableKept":0,"hasMore":false}`
)
