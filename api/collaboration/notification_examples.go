package collaboration

// Examples of the operations on notifications.
const (
	ExampleNotifications = `{"status":"success","message":"Notifications found.","data":[{"id":"ntf_01kdvm9w00abcdefghjkmnpqrs","notificationSource":"comment",
"reason":"mention","actionUser":{"userId":"u_ann","name":"Ann","initial":"A"},"notificationSourceData":{"annotationId":"a1","commentId":1,"documentId":"spring"},
"displayHeadlineMessage":"Ann mentioned you in “Spring”","displayBodyMessage":"Which month, {{u_bob}}?",
"metadata":{"organizationId":"acme","documentId":"spring","folderId":null},"timestamp":1798761600000,
"recipients":[{"userId":"u_bob","reason":"mention","readAt":null}],"isRead":false}]}`
	ExampleNotificationsUpdated = `{"status":"success","message":"Notifications updated.","data":{
"ntf_01kdvm9w00abcdefghjkmnpqrs":{"success":true,"id":"ntf_01kdvm9w00abcdefghjkmnpqrs","message":"Notification updated."}}}`
	ExampleNotificationsDeleted = `{"status":"success","message":"Notifications deleted.","data":{
"ntf_01kdvm9w00abcdefghjkmnpqrs":{"success":false,"id":"ntf_01kdvm9w00abcdefghjkmnpqrs","message":"There is no such notification.","code":"not-found"}}}`
	ExamplePreferencesSet = `{"status":"success","message":"Preferences set.","data":{"u_bob":{"success":true,"userId":"u_bob","documentIds":["spring"],
"message":"Preference set."}}}`
	ExamplePreferences = `{"status":"success","message":"Preferences found.","data":[{"config":{"inbox":"ALL","email":"MINE"},
"metadata":{"organizationId":"acme","documentId":"spring","userId":"u_bob"}}]}`
)
