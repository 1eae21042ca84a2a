package api

import (
	"slices"

	"github.com/redline-svc/redline/internal/limit"
)

// Handlers are the areas of the interface, one struct each. All are pointers:
// the table only names their methods.
type Handlers struct {
	Workspaces  *Workspaces
	APIKeys     *APIKeys
	Definitions *Definitions
	Executions  *Executions
	Deliveries  *Deliveries
	Steps       *Steps
	Judgments   *Judgments
	Settings    *Settings
	Emails      *EmailSettings
	Users       *Users
	Annotations *Annotations
	Knowledge   *Knowledge
	Webhooks    *Webhooks
}

// Routes is the one table of all operations: path, function, and what differs
// from an operation that wants an API key, ignores unknown keys, takes 1 MiB
// and counts under the key's limit.
func Routes(h Handlers) []Route {
	return append(slices.Concat(knowledgeRoutes(h.Knowledge), collaborationRoutes(h), webhookRoutes(h.Webhooks)), []Route{
		Post("/v2/workspace/create", h.Workspaces.Create, Public(), RateClass(limit.None),
			Summary("Create a workspace"),
			Example(`{"ownerEmail":"owner@example.com","name":"John Doe"}`, exampleWorkspace)),
		Post("/v2/workspace/get", h.Workspaces.Get, Workspace(),
			Summary("Read the workspace with its token and keys"), Example(`{}`, exampleWorkspace)),
		Post("/v2/workspace/apikey/create", h.APIKeys.Create, Workspace(), Summary("Create an API key"),
			Example(`{"ownerEmail":"owner@example.com","type":"testing","allowedDomains":["app.example.com"]}`, exampleNewKey)),
		Post("/v2/workspace/apikey/update", h.APIKeys.Update, Workspace(), Summary("Rename an API key"),
			Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","apiKeyName":"Editorial desk"}`,
				`{"status":"success","message":"API key updated.","data":null}`)),
		Post("/v2/workspace/apikeys/get", h.APIKeys.List, Workspace(), Summary("List the API keys, newest first"),
			Example(`{"pageSize":1}`, exampleKeys)),
		Post("/v2/workspace/authtokens/get", h.APIKeys.Tokens, Workspace(), Summary("Read the auth token of an API key"),
			Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, exampleTokens)),
		Post("/v2/workspace/authtoken/reset", h.APIKeys.Reset, Workspace(), Summary("Replace the auth token of an API key"),
			Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, exampleNewToken)),
		Post("/v2/workflow/definitions/create", h.Definitions.Create, Strict(), Documents[DefinitionData](), Summary("Store a definition as version 1"),
			Example(exampleDefinitionData, exampleDefinition)),
		Post("/v2/workflow/definitions/update", h.Definitions.Update, Strict(), Documents[DefinitionUpdate](), Summary("Store the next version of a definition"),
			Example(exampleDefinitionUpdate, exampleDefinition)),
		Post("/v2/workflow/definitions/get", h.Definitions.Get, Strict(), Summary("Read the current version of a definition"),
			Example(`{"definitionId":"editorial-sign-off"}`, exampleDefinition)),
		Post("/v2/workflow/definitions/list", h.Definitions.List, Strict(), Summary("List the active definitions, latest change first"),
			Example(`{"tag":"editorial","pageSize":20}`, `{"items":[`+exampleDefinition+`],"nextCursor":null,"hasMore":false}`)),
		Post("/v2/workflow/definitions/delete", h.Definitions.Delete, Strict(), Summary("Delete a definition, or purge it"),
			Example(`{"definitionId":"editorial-sign-off"}`, `{"deleted":true,"purged":false,"definitionId":"editorial-sign-off"}`)),
		Post("/v2/workflow/definitions/lint", h.Definitions.Lint, Strict(), Documents[DefinitionData](), Summary("Judge a definition without storing it"),
			Example(exampleDefinitionData, `{"valid":true,"issues":[],"warnings":[],"compiled":`+exampleCompiled+`}`)),
		Post("/v2/workflow/definitions/versions/list", h.Definitions.Versions, Strict(), Summary("List the versions of a definition, latest first"),
			Example(`{"definitionId":"editorial-sign-off"}`,
				`{"items":[{"version":1,"name":"Editorial sign-off","createdAt":1767225600000,"nodeCount":2,"edgeCount":1}],"nextCursor":null,"hasMore":false}`)),
		Post("/v2/workflow/definitions/versions/get", h.Definitions.Version, Strict(), Summary("Read one version of a definition"),
			Example(`{"definitionId":"editorial-sign-off","version":1}`, exampleDefinition)),
		Post("/v2/workflow/executions/dispatch", h.Executions.Dispatch, Strict(), Judge(h.Executions.Judge), Summary("Start an execution"),
			Example(`{"definitionId":"editorial-sign-off","idempotencyKey":"article-7","triggerContext":{"title":"Spring"}}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","correlationId":"corr_01kdvm9w00abcdefghjkmnpqrs","deduplicated":false}`)),
		Post("/v2/workflow/executions/list", h.Executions.List, Strict(), Summary("List executions, newest first"),
			Example(`{"definitionId":"editorial-sign-off","status":"completed","pageSize":20}`,
				`{"items":[],"nextCursor":"","hasMore":false}`)),
		Post("/v2/workflow/executions/get", h.Executions.Get, Strict(), Summary("Read an execution with its steps"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4"}`, exampleExecution)),
		Post("/v2/workflow/executions/cancel", h.Executions.Cancel, Strict(), Summary("End an execution"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4","reason":"withdrawn","actorId":"u_editor"}`,
				`{"cancelled":true,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		Post("/v2/workflow/executions/getEvents", h.Executions.Events, Strict(), Summary("Read the events of an execution"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4","sinceSeq":0}`, exampleEvents)),
		Post("/v2/workflow/executions/getDeliveries", h.Deliveries.List, Strict(), Summary("List what an execution's receiver was sent, newest first"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4","status":"pending"}`, exampleDeliveries)),
		Post("/v2/workflow/executions/redeliver", h.Deliveries.Redeliver, Strict(), Judge(h.Deliveries.Judge), Summary("Send events again"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4","eventIds":["evt_01kdvm9w00abcdefghjkmnpqrs"]}`,
				`{"scheduled":1,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		Post("/v2/workflow/steps/list", h.Steps.List, Strict(), Summary("List steps: the inbox of a person"),
			Example(`{"reviewerId":"u_editor"}`, `{"items":[],"nextCursor":null,"hasMore":false}`)),
		Post("/v2/workflow/steps/recordReviewerDecision", h.Steps.Decide, Strict(), Summary("Record what a reviewer decided"),
			Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","reviewerId":"u_editor","decision":"approve"}`,
				`{"recorded":true,"aggregatorStatus":"resolved","resumeScheduled":true}`)),
	}...)
}

// knowledgeRoutes are the operations on sources of knowledge.
func knowledgeRoutes(k *Knowledge) []Route {
	return []Route{
		Post("/v2/memory/knowledge/upload-url", k.UploadURL, Strict(), RateClass(limit.KnowledgeUpload),
			Summary("Mint an address for uploading a file"),
			Example(`{"mimeType":"application/pdf","fileSize":48213,"fileName":"handbook.pdf"}`, exampleUpload)),
		Post("/v2/memory/knowledge/ingest", k.Ingest, Strict(), BodyLimit(FileBodyLimit), RateClass(limit.KnowledgeIngest),
			Summary("Bring a file in as a source of knowledge"),
			Example(`{"source":"inline","file":{"base64":"SGVsbG8=","mimeType":"text/plain","fileName":"hello.txt","fileSize":5}}`, exampleIngest),
			Example(`{"source":"fileRef","fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","mimeType":"application/pdf"}`, exampleIngest)),
		Post("/v2/memory/knowledge/ingest-status", k.Status, Strict(), RateClass(limit.KnowledgeStatus),
			Summary("Tell how the ingestion of a source goes"),
			Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, exampleIngestStatus)),
		Post("/v2/memory/knowledge/search", k.Search, Strict(), RateClass(limit.KnowledgeSearch),
			Summary("Find chunks and rules by meaning"),
			Example(`{"query":"When is an invoice due?","limit":5,"includeRules":true}`, exampleKnowledge),
			Example(`{"query":"When is an invoice due?","sourceId":["src_1","src_2"]}`, exampleKnowledge)),
	}
}

// collaborationRoutes are the operations on people, annotations and what is
// recorded of them.
func collaborationRoutes(h Handlers) []Route {
	return []Route{
		Post("/v2/memory/judgments/query", h.Judgments.Query, RateClass(limit.JudgmentsQuery), Summary("List judgments by what is known about them"),
			Example(`{"decision":"approved","limit":1}`, exampleJudgments)),
		Post("/v2/workspace/apikeyconfig/get", h.Settings.Get, Summary("Read the settings of the workspace"),
			Example(`{}`, exampleSettings)),
		Post("/v2/workspace/apikeyconfig/update", h.Settings.Update, Summary("Change the settings of the workspace"),
			Example(`{"requireAutoOrgUser":false}`, exampleSettings)),
		Post("/v2/workspace/emailconfig/get", h.Emails.Get, Summary("Read how the workspace sends mails"),
			Example(`{}`, exampleEmails)),
		Post("/v2/workspace/emailconfig/update", h.Emails.Update, Summary("Change how the workspace sends mails"),
			Example(`{"useEmailService":true,"emailServiceConfig":{"triggers":{"comment.reply":false}}}`, exampleEmails),
			Example(`{"emailServiceConfig":{"type":"smtp","host":"mail.example.com","port":587,"username":"desk","password":"a password","fromEmail":"desk@example.com"}}`, exampleEmails)),
		Post("/v2/users/add", h.Users.Add, Summary("Add users to an organization, a folder or a document"),
			Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann","email":"ann@example.com"}]}`, exampleUsers)),
		Post("/v2/users/update", h.Users.Update, Summary("Change users"),
			Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann"}]}`, exampleUsers)),
		Post("/v2/users/delete", h.Users.Delete, Summary("Remove users from an organization, a folder or a document"),
			Example(`{"organizationId":"acme","userIds":["u_ann"]}`, exampleRemoved)),
		Post("/v2/commentannotations/add", h.Annotations.Add, Summary("Add annotations to a document"),
			Example(exampleAnnotation, exampleAdded)),
		Post("/v1/commentannotations/get", h.Annotations.Get, Summary("Read annotations of a document, latest change first"),
			Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"]}`, exampleAnnotations)),
		Post("/v1/commentannotations/comments/get", h.Annotations.Comments, Summary("Read the comments of an annotation, oldest first"),
			Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2]}`, exampleComments)),
		Post("/v1/commentannotations/count/get", h.Annotations.Count, Summary("Count the annotations of documents for a user"),
			Example(`{"organizationId":"acme","documentIds":["spring"],"userId":"u_ann"}`,
				`{"status":"success","message":"Annotations counted.","data":{"spring":{"total":3,"unread":1}}}`)),
	}
}

// webhookRoutes are the operations on webhook endpoints.
func webhookRoutes(w *Webhooks) []Route {
	const one = `{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs"}`
	return []Route{
		Post("/v2/workspace/advancedwebhookconfig/get", w.Settings, Summary("Read what is set for all endpoints"),
			Example(`{}`, exampleWebhookSettings)),
		Post("/v2/workspace/advancedwebhookconfig/update", w.UpdateSettings, Summary("Switch webhooks on or off, and change what is set for all endpoints"),
			Example(`{"isEnabled":true}`, exampleWebhookSettings)),
		Post("/v2/workspace/advancedwebhook/endpoints/create", w.Create, Judge(w.JudgeCreate), Summary("Create a webhook endpoint"),
			Example(`{"url":"https://hooks.example.com/redline","description":"Editorial desk","filterTypes":["comment.add"],"channels":["document:spring"],"uid":"desk-1","metadata":{"team":"desk"}}`,
				exampleEndpoint),
			Example(`{"url":"https://hooks.example.com/all"}`, exampleBareEndpoint)),
		Post("/v2/workspace/advancedwebhook/endpoints/get", w.List, Summary("List the endpoints, newest first"),
			Example(`{"includeMetadata":true}`, exampleEndpoints)),
		Post("/v2/workspace/advancedwebhook/endpoints/update", w.Update, Judge(w.JudgeUpdate), Summary("Change an endpoint"),
			Example(`{"endpointId":"desk-1","description":"Editorial desk","rateLimit":null}`, exampleEndpoint)),
		Post("/v2/workspace/advancedwebhook/endpoints/delete", w.Delete, Summary("Delete an endpoint"),
			Example(one, exampleEndpointDeleted)),
		Post("/v2/workspace/advancedwebhook/endpoints/secret/get", w.Secret, Summary("Read the secret that signs what an endpoint is told"),
			Example(one, exampleEndpointSecret)),
		Post("/v2/workspace/advancedwebhook/endpoints/test", w.Test, Summary("Tell an endpoint the sample of an event"),
			Example(`{"endpointId":"desk-1","eventType":"comment.add"}`, exampleEndpointTest)),
		Post("/v2/workspace/advancedwebhook/attempts/get", w.Attempts, Summary("List attempts to tell endpoints, newest first"),
			Example(`{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","after":"2026-01-01T00:00:00Z","before":1798761600000}`, exampleAttempts),
			Example(`{"endpointId":"desk-1","status":"failed","limit":10}`, exampleAttempts)),
		Post("/v2/workspace/advancedwebhook/eventtypes/get", w.EventTypes, Summary("List the types of events"),
			Example(`{}`, exampleEventTypes)),
	}
}
