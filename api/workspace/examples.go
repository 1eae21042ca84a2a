package workspace

// The documented results of the operations on workspaces and keys.
const (
	ExampleWorkspace = `{"status":"success","message":"Workspace created.","data":{
	"id":"ws_01jd8p3y5t7c2m0w9x4v6k8r1n","name":"John Doe workspace",
	"owner":{"email":"owner@example.com","id":"usr_01jd8p3y5t7c2m0w9x4v6k8r1p","name":"John Doe","avatar":null},
	"authToken":"wst_Xc8mNq2v5yBxE0hKjRlTnZpQsUwVbGdF1aI3oY7uJ9k",
	"apiKeyList":{"ak_01jd8p3y5t7c2m0w9x4v6k8r1q":{"apiKeyName":"Owner Test API Key","id":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","type":"testing"}},
	"plan":"free","createdAt":"2026-01-31T12:00:00.000Z"}}`

	ExampleNewKey = `{"status":"success","message":"API key created.","data":{
	"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","authToken":"kat_8mNq2v5yBxE0hKjRlTnZpQsUwXcVbGdF1aI3oY7uJ9k"}}`

	ExampleKeys = `{"status":"success","message":"API keys found.",
	"data":[{"apiKeyName":"Owner Test API Key","id":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","type":"testing"}],
	"nextPageToken":"8mNq2v5yBxE0hKjRlTnZpQ"}`

	ExampleTokens = `{"status":"success","message":"Auth tokens found.","data":{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q",
	"authTokens":[{"token":"kat_8mNq2v5yBxE0hKjRlTnZpQsUwXcVbGdF1aI3oY7uJ9k","name":"Default Auth Token","domains":["app.example.com"]}]}}`

	ExampleNewToken = `{"status":"success","message":"Auth token reset.","data":{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q",
	"newAuthToken":{"token":"kat_1aI3oY7uJ9kXcVbGdFRlTnZpQsUw8mNq2v5yBxE0hKj","name":"Default Auth Token","domains":[]}}}`

	ExampleEnsuredToken = `{"status":"success","message":"Auth token found.","data":{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q",
"authToken":"kat_1aI3oY7uJ9kXcVbGdFRlTnZpQsUw8mNq2v5yBxE0hKj","created":false}}`
	ExampleKeyCopied = `{"status":"success","message":"API key copied.","data":{"sourceApiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q",
"targetApiKey":"ak_01kdvm9w00abcdefghjkmnpqrs","copied":["allowedDomains"]}}`

	ExampleDomainsAdded = `{"status":"success","message":"Domains added.","data":{"domainsAdded":["app.example.com","*.pages.example.com"],"skippedDomains":["example.com"]}}`

	ExampleDomainsRemoved = `{"status":"success","message":"Domains removed.","data":{"domainsRemoved":["app.example.com"],"skippedDomains":[]}}`

	ExampleDomains = `{"status":"success","message":"Domains found.","data":{"allowedDomains":["example.com","*.pages.example.com"]}}`

	ExampleSettings = `{"status":"success","message":"Settings found.","data":{"ownerEmail":"owner@example.com","planInfo":{"type":"free"},
"defaultDocumentAccessType":"public","isPrivateCommentsEnabled":true,"requireAutoOrgUser":false,"isAdvancedQueriesEnabled":true}}`
	ExampleOwner  = `{"status":"success","message":"Owner found.","data":{"ownerEmail":"owner@example.com","confirmedAt":null,"sentAt":"2026-01-01T00:00:00.000Z"}}`
	ExampleEmails = `{"status":"success","message":"E-mail settings found.","data":{"useEmailService":true,"emailServiceConfig":{"type":"smtp",
"host":"mail.example.com","port":587,"security":"starttls","username":"desk","hasPassword":true,"fromEmail":"desk@example.com","fromCompany":"Example","senderConfirmed":true,
"triggers":{"comment.mention":true,"comment.reply":false,"comment_annotation.assign":true,"step.awaiting-approval":true,"user.invite":true}},
"lastFailure":{"at":"2026-01-01T00:00:00.000Z","class":"auth"}}}`

	ExampleSimpleReceiver = `{"status":"success","message":"Webhook receiver found.","data":{"useWebhookService":true,"webhookServiceConfig":{
"rawNotificationUrl":"https://hooks.example.com/comments","hasAuthToken":true,"triggers":{"comment_annotation.add":true,"comment_annotation.assign":true,
"comment_annotation.status_change":true,"comment_annotation.priority_change":true,"comment_annotation.update":true,"comment_annotation.suggestion_accept":true,
"comment_annotation.suggestion_reject":false,"comment.add":true,"comment.update":true,"comment.delete":true}},"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs"}}`
	ExampleProvider = `{"status":"success","message":"Permission provider found.","data":{"usePermissionProvider":true,
"permissionProviderConfig":{"permissionProviderUrl":"https://access.example.com/may-write","hasAuthToken":true}}}`
)
