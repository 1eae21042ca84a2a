package api

import (
	"slices"

	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/api/workspace"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
)

// Handlers are the operations of all areas, a struct for each kind of thing. All
// are pointers: the table only names their methods.
type Handlers struct {
	Workspaces *workspace.Workspaces
	APIKeys    *workspace.APIKeys
	Domains    *workspace.Domains
	Settings   *workspace.Settings
	Emails     *workspace.EmailSettings

	Endpoints *webhook.Endpoints

	Definitions *workflow.Definitions
	Agents      *workflow.Agents
	Executions  *workflow.Executions
	Deliveries  *workflow.Deliveries
	Steps       *workflow.Steps
	Inbound     *workflow.Inbound
	Callbacks   *workflow.Callbacks

	Users         *collaboration.Users
	Organizations *collaboration.Organizations
	Folders       *collaboration.Folders
	Permissions   *collaboration.Permissions
	Documents     *collaboration.Documents
	Annotations   *collaboration.Annotations
	Migrations    *collaboration.Migrations

	Judgments   *memory.Judgments
	Suggestions *memory.Suggestions
	Answers     *memory.Answers
	Patterns    *memory.Patterns
	Knowledge   *memory.Knowledge
	Stats       *memory.Stats
}

// Routes is the one table of all operations: path, function, and what differs
// from an operation that wants an API key, ignores unknown keys, takes 1 MiB
// and counts under the key's limit.
func Routes(h Handlers) []rpc.Route {
	return slices.Concat(workspaceRoutes(h), webhookRoutes(h), definitionRoutes(h), executionRoutes(h), stepRoutes(h), agentRoutes(h), collaborationRoutes(h), folderRoutes(h), permissionRoutes(h), memoryRoutes(h))
}

// workspaceRoutes are the operations on workspaces, their keys and settings.
func workspaceRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workspace/create", h.Workspaces.Create, rpc.Public(), rpc.RateClass(limit.None),
			rpc.Summary("Create a workspace"),
			rpc.Example(`{"ownerEmail":"owner@example.com","name":"John Doe"}`, workspace.ExampleWorkspace)),
		rpc.Post("/v2/workspace/get", h.Workspaces.Get, rpc.Workspace(),
			rpc.Summary("Read the workspace with its token and keys"), rpc.Example(`{}`, workspace.ExampleWorkspace)),
		rpc.Post("/v2/workspace/apikey/create", h.APIKeys.Create, rpc.Workspace(), rpc.Summary("Create an API key"),
			rpc.Example(`{"ownerEmail":"owner@example.com","type":"testing","allowedDomains":["app.example.com"]}`, workspace.ExampleNewKey)),
		rpc.Post("/v2/workspace/apikey/update", h.APIKeys.Update, rpc.Workspace(), rpc.Summary("Rename an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","apiKeyName":"Editorial desk"}`,
				`{"status":"success","message":"API key updated.","data":null}`)),
		rpc.Post("/v2/workspace/apikeys/get", h.APIKeys.List, rpc.Workspace(), rpc.Summary("List the API keys, newest first"),
			rpc.Example(`{"pageSize":1}`, workspace.ExampleKeys)),
		rpc.Post("/v2/workspace/authtokens/get", h.APIKeys.Tokens, rpc.Workspace(), rpc.Summary("Read the auth token of an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, workspace.ExampleTokens)),
		rpc.Post("/v2/workspace/authtoken/reset", h.APIKeys.Reset, rpc.Workspace(), rpc.Summary("Replace the auth token of an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, workspace.ExampleNewToken)),
		rpc.Post("/v2/workspace/domains/add", h.Domains.Add, rpc.Summary("Let pages of domains call with the calling key"),
			rpc.Example(`{"domains":["https://app.example.com/start","*.pages.example.com","www.example.com"]}`, workspace.ExampleDomainsAdded)),
		rpc.Post("/v2/workspace/domains/delete", h.Domains.Delete, rpc.Summary("Let pages of domains no longer call with the calling key"),
			rpc.Example(`{"domains":["app.example.com"]}`, workspace.ExampleDomainsRemoved)),
		rpc.Post("/v2/workspace/domains/get", h.Domains.Get, rpc.Summary("List the domains whose pages may call with the calling key"),
			rpc.Example(`{}`, workspace.ExampleDomains)),
		rpc.Post("/v2/workspace/apikeyconfig/get", h.Settings.Get, rpc.Summary("Read the settings of the workspace"),
			rpc.Example(`{}`, workspace.ExampleSettings)),
		rpc.Post("/v2/workspace/apikeyconfig/update", h.Settings.Update, rpc.Summary("Change the settings of the workspace"),
			rpc.Example(`{"requireAutoOrgUser":false}`, workspace.ExampleSettings)),
		rpc.Post("/v2/workspace/emailconfig/get", h.Emails.Get, rpc.Summary("Read how the workspace sends mails"),
			rpc.Example(`{}`, workspace.ExampleEmails)),
		rpc.Post("/v2/workspace/emailconfig/update", h.Emails.Update, rpc.Summary("Change how the workspace sends mails"),
			rpc.Example(`{"useEmailService":true,"emailServiceConfig":{"triggers":{"comment.reply":false}}}`, workspace.ExampleEmails),
			rpc.Example(`{"emailServiceConfig":{"type":"smtp","host":"mail.example.com","port":587,"username":"desk","password":"a password","fromEmail":"desk@example.com"}}`, workspace.ExampleEmails)),
	}
}

// webhookRoutes are the operations on webhook endpoints.
func webhookRoutes(h Handlers) []rpc.Route {
	const one = `{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs"}`
	return []rpc.Route{
		rpc.Post("/v2/workspace/advancedwebhookconfig/get", h.Endpoints.Settings, rpc.Summary("Read what is set for all endpoints"),
			rpc.Example(`{}`, webhook.ExampleWebhookSettings)),
		rpc.Post("/v2/workspace/advancedwebhookconfig/update", h.Endpoints.UpdateSettings, rpc.Summary("Switch webhooks on or off, and change what is set for all endpoints"),
			rpc.Example(`{"isEnabled":true}`, webhook.ExampleWebhookSettings)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/create", h.Endpoints.Create, rpc.Check(h.Endpoints.CheckCreate), rpc.Summary("Create a webhook endpoint"),
			rpc.Example(`{"url":"https://hooks.example.com/redline","description":"Editorial desk","filterTypes":["comment.add"],"channels":["document:spring"],"uid":"desk-1","metadata":{"team":"desk"}}`,
				webhook.ExampleEndpoint),
			rpc.Example(`{"url":"https://hooks.example.com/all"}`, webhook.ExampleBareEndpoint)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/get", h.Endpoints.List, rpc.Summary("List the endpoints, newest first"),
			rpc.Example(`{"includeMetadata":true}`, webhook.ExampleEndpoints)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/update", h.Endpoints.Update, rpc.Check(h.Endpoints.CheckUpdate), rpc.Summary("Change an endpoint"),
			rpc.Example(`{"endpointId":"desk-1","description":"Editorial desk","rateLimit":null}`, webhook.ExampleEndpoint)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/delete", h.Endpoints.Delete, rpc.Summary("Delete an endpoint"),
			rpc.Example(one, webhook.ExampleEndpointDeleted)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/secret/get", h.Endpoints.Secret, rpc.Summary("Read the secret that signs what an endpoint is told"),
			rpc.Example(one, webhook.ExampleEndpointSecret)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/secret/rotate", h.Endpoints.Rotate, rpc.Summary("Give an endpoint a new secret"),
			rpc.Example(`{"endpointId":"desk-1","gracePeriodSeconds":86400}`, webhook.ExampleSecretRotated)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/test", h.Endpoints.Test, rpc.Summary("Tell an endpoint the sample of an event"),
			rpc.Example(`{"endpointId":"desk-1","eventType":"comment.add"}`, webhook.ExampleEndpointTest)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/recover", h.Endpoints.Recover, rpc.Check(h.Endpoints.CheckRecover), rpc.Summary("Send an endpoint what it missed"),
			rpc.Example(`{"endpointId":"desk-1","since":"2026-01-01T00:00:00Z","until":"2026-01-02T00:00:00Z"}`, webhook.ExampleRecovery)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/recover/get", h.Endpoints.Recovery, rpc.Summary("Read how a recovery stands"),
			rpc.Example(`{"recoveryId":"rcv_01kdvm9w00abcdefghjkmnpqrs"}`, webhook.ExampleRecovered)),
		rpc.Post("/v2/workspace/advancedwebhook/messages/get", h.Endpoints.Messages, rpc.Summary("List messages, newest first"),
			rpc.Example(`{"endpointId":"desk-1","status":"pending","after":"2026-01-01T00:00:00Z","limit":10}`, webhook.ExampleMessages),
			rpc.Example(`{"eventTypes":["comment.add"],"channel":"document:spring"}`, webhook.ExampleMessages)),
		rpc.Post("/v2/workspace/advancedwebhook/messages/resend", h.Endpoints.Resend, rpc.Summary("Send an endpoint a message again"),
			rpc.Example(`{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","endpointId":"desk-1"}`, webhook.ExampleResent)),
		rpc.Post("/v2/workspace/advancedwebhook/attempts/get", h.Endpoints.Attempts, rpc.Summary("List attempts to tell endpoints, newest first"),
			rpc.Example(`{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","after":"2026-01-01T00:00:00Z","before":1798761600000}`, webhook.ExampleAttempts),
			rpc.Example(`{"endpointId":"desk-1","status":"failed","limit":10}`, webhook.ExampleAttempts)),
		rpc.Post("/v2/workspace/advancedwebhook/eventtypes/get", h.Endpoints.EventTypes, rpc.Summary("List the types of events"),
			rpc.Example(`{}`, webhook.ExampleEventTypes)),
	}
}

// definitionRoutes are the operations on definitions.
func definitionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/definitions/create", h.Definitions.Create, rpc.Strict(), rpc.Documents[workflow.DefinitionData](), rpc.Summary("Store a definition as version 1"),
			rpc.Example(workflow.ExampleDefinitionData, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/update", h.Definitions.Update, rpc.Strict(), rpc.Documents[workflow.DefinitionUpdate](), rpc.Summary("Store the next version of a definition"),
			rpc.Example(workflow.ExampleDefinitionUpdate, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/get", h.Definitions.Get, rpc.Strict(), rpc.Summary("Read the current version of a definition"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/list", h.Definitions.List, rpc.Strict(), rpc.Summary("List the active definitions, latest change first"),
			rpc.Example(`{"tag":"editorial","pageSize":20}`, `{"items":[`+workflow.ExampleDefinition+`],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/definitions/delete", h.Definitions.Delete, rpc.Strict(), rpc.Summary("Delete a definition, or purge it"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`, `{"deleted":true,"purged":false,"definitionId":"editorial-sign-off"}`)),
		rpc.Post("/v2/workflow/definitions/lint", h.Definitions.Lint, rpc.Strict(), rpc.Documents[workflow.DefinitionData](), rpc.Summary("Judge a definition without storing it"),
			rpc.Example(workflow.ExampleDefinitionData, `{"valid":true,"issues":[],"warnings":[],"compiled":`+workflow.ExampleCompiled+`}`)),
		rpc.Post("/v2/workflow/definitions/versions/list", h.Definitions.Versions, rpc.Strict(), rpc.Summary("List the versions of a definition, latest first"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`,
				`{"items":[{"version":1,"name":"Editorial sign-off","createdAt":1767225600000,"nodeCount":2,"edgeCount":1}],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/definitions/versions/get", h.Definitions.Version, rpc.Strict(), rpc.Summary("Read one version of a definition"),
			rpc.Example(`{"definitionId":"editorial-sign-off","version":1}`, workflow.ExampleDefinition)),
	}
}

// executionRoutes are the operations on executions, and the requests that start them.
func executionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/executions/dispatch", h.Executions.Dispatch, rpc.Strict(), rpc.Check(h.Executions.Check), rpc.Summary("Start an execution"),
			rpc.Example(`{"definitionId":"editorial-sign-off","idempotencyKey":"article-7","triggerContext":{"title":"Spring"}}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","correlationId":"corr_01kdvm9w00abcdefghjkmnpqrs","deduplicated":false}`)),
		rpc.Post("/v2/workflow/executions/list", h.Executions.List, rpc.Strict(), rpc.Summary("List executions, newest first"),
			rpc.Example(`{"definitionId":"editorial-sign-off","status":"completed","pageSize":20}`,
				`{"items":[],"nextCursor":"","hasMore":false}`)),
		rpc.Post("/v2/workflow/executions/get", h.Executions.Get, rpc.Strict(), rpc.Summary("Read an execution with its steps"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4"}`, workflow.ExampleExecution)),
		rpc.Post("/v2/workflow/executions/cancel", h.Executions.Cancel, rpc.Strict(), rpc.Summary("End an execution"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","reason":"withdrawn","actorId":"u_editor"}`,
				`{"cancelled":true,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		rpc.Post("/v2/workflow/executions/retry", h.Executions.Retry, rpc.Strict(), rpc.Summary("Try a failed execution again"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor","reason":"the publisher is back"}`, workflow.ExampleExecution)),
		rpc.Post("/v2/workflow/executions/pause", h.Executions.Pause, rpc.Strict(), rpc.Summary("Keep an execution from going on"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor","reason":"holidays"}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","paused":true,"pausedAt":1767225700000}`)),
		rpc.Post("/v2/workflow/executions/resume", h.Executions.Resume, rpc.Strict(), rpc.Summary("Let a paused execution go on"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor"}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","paused":false,"pausedAt":null}`)),
		rpc.Post("/v2/workflow/executions/getEvents", h.Executions.Events, rpc.Strict(), rpc.Summary("Read the events of an execution"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","sinceSeq":0}`, workflow.ExampleEvents)),
		rpc.Post("/v2/workflow/executions/getDeliveries", h.Deliveries.List, rpc.Strict(), rpc.Summary("List what an execution's receiver was sent, newest first"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","status":"pending"}`, workflow.ExampleDeliveries)),
		rpc.Post("/v2/workflow/executions/redeliver", h.Deliveries.Redeliver, rpc.Strict(), rpc.Check(h.Deliveries.Check), rpc.Summary("Send events again"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","eventIds":["evt_01kdvm9w00abcdefghjkmnpqrs"]}`,
				`{"scheduled":1,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		rpc.Raw("/v2/workflow/webhook-inbound/trigger", h.Inbound.Trigger, rpc.Summary("Start an execution from outside"),
			rpc.Carries[shape.Object]("apiKey", "apiKey", "definitionId", "triggerId"), rpc.Answers[workflow.InboundAccepted]()),
		rpc.Raw("/v2/workflow/webhook-callback/complete", h.Callbacks.Complete, rpc.Summary("Say what became of an asynchronous webhook step"),
			rpc.Carries[workflow.Completion]("callbackToken"), rpc.Answers[workflow.CallbackAnswer]()),
	}
}

// stepRoutes are the operations on steps.
func stepRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/steps/list", h.Steps.List, rpc.Strict(), rpc.Summary("List steps: the inbox of a person"),
			rpc.Example(`{"reviewerId":"u_editor"}`, `{"items":[],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/steps/recordReviewerDecision", h.Steps.Decide, rpc.Strict(), rpc.Summary("Record what a reviewer decided"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","reviewerId":"u_editor","decision":"approve"}`,
				`{"recorded":true,"aggregatorStatus":"resolved","resumeScheduled":true}`)),
		rpc.Post("/v2/workflow/steps/cancel", h.Steps.Cancel, rpc.Strict(), rpc.Summary("End a step without going on from it"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","actorId":"u_chief","reason":"withdrawn"}`,
				`{"cancelled":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab"}`)),
		rpc.Post("/v2/workflow/steps/resolve", h.Steps.Resolve, rpc.Strict(), rpc.Summary("End a step by hand"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","action":"force-approve","actorId":"u_chief","reason":"on leave"}`,
				`{"resolved":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","action":"force-approve"}`)),
		rpc.Post("/v2/workflow/steps/reassign", h.Steps.Reassign, rpc.Strict(), rpc.Summary("Put a person in the place of a reviewer"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","fromReviewerId":"u_editor","toReviewerId":"u_chief","actorId":"u_editor"}`,
				`{"reassigned":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","reviewers":[{"userId":"u_chief","mandatory":true}]}`)),
		rpc.Post("/v2/workflow/steps/recordAgentResolution", h.Steps.RecordResolution, rpc.Strict(), rpc.TakesToken(), rpc.Summary("Record what became of an agent's step"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_ai-check_i1_a1_0123456789ab","responseId":"r1","resolution":"resolved","output":{"score":0.9}}`,
				`{"recorded":true,"aggregatorStatus":"resolved","resumeScheduled":true}`)),
	}
}

// agentRoutes are the operations on the registry of agents.
func agentRoutes(h Handlers) []rpc.Route {
	const one = `{"agentId":"copy-checker"}`
	return []rpc.Route{
		rpc.Post("/v2/agents/create", h.Agents.Create, rpc.Check(h.Agents.CheckCreate), rpc.Summary("Register an agent"),
			rpc.Example(`{"agentId":"copy-checker","name":"Copy checker","url":"https://agents.example.com/copy","secret":"a secret of the agent"}`,
				workflow.ExampleAgent)),
		rpc.Post("/v2/agents/get", h.Agents.Get, rpc.Summary("Read an agent"), rpc.Example(one, workflow.ExampleAgent)),
		rpc.Post("/v2/agents/list", h.Agents.List, rpc.Summary("List the agents, newest first"),
			rpc.Example(`{"disabled":false,"pageSize":20}`, `{"items":[`+workflow.ExampleAgent+`],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/agents/update", h.Agents.Update, rpc.Check(h.Agents.CheckUpdate), rpc.Summary("Change an agent"),
			rpc.Example(`{"agentId":"copy-checker","description":null,"disabled":false}`, workflow.ExampleAgent)),
		rpc.Post("/v2/agents/delete", h.Agents.Delete, rpc.Summary("Remove an agent from the registry"),
			rpc.Example(one, `{"deleted":true,"agentId":"copy-checker"}`)),
	}
}

// collaborationRoutes are the operations on people, organizations, documents and
// annotations.
func collaborationRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/users/add", h.Users.Add, rpc.Summary("Add users to an organization, a folder or a document"),
			rpc.Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann","email":"ann@example.com"}]}`, collaboration.ExampleUsers)),
		rpc.Post("/v2/users/update", h.Users.Update, rpc.Summary("Change users"),
			rpc.Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann"}]}`, collaboration.ExampleUsers)),
		rpc.Post("/v2/users/delete", h.Users.Delete, rpc.Summary("Remove users from an organization, a folder or a document"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_ann"]}`, collaboration.ExampleRemoved)),
		rpc.Post("/v2/organizations/add", h.Organizations.Add, rpc.Summary("Add organizations"),
			rpc.Example(`{"organizations":[{"organizationId":"acme","organizationName":"Acme","accessType":"organizationPrivate","plan":"team"}]}`,
				collaboration.ExampleOrganizationsAdded)),
		rpc.Post("/v2/organizations/get", h.Organizations.Get, rpc.Summary("List the organizations, newest first"),
			rpc.Example(`{"organizationIds":["acme"]}`, collaboration.ExampleOrganizations)),
		rpc.Post("/v2/organizations/update", h.Organizations.Update, rpc.Summary("Change organizations"),
			rpc.Example(`{"organizations":[{"organizationId":"acme","accessType":null,"plan":"firm"}]}`, collaboration.ExampleOrganizationsUpdated)),
		rpc.Post("/v2/organizations/delete", h.Organizations.Delete, rpc.Summary("Delete organizations with everything in them"),
			rpc.Example(`{"organizationIds":["acme"]}`, collaboration.ExampleOrganizationsDeleted)),
		rpc.Post("/v2/organizations/documents/add", h.Documents.Add, rpc.Summary("Add documents"),
			rpc.Example(`{"organizationId":"acme","folderId":"seasons","createFolder":true,"documents":[{"documentId":"spring","documentName":"Spring","pages":12}]}`,
				collaboration.ExampleDocumentsAdded)),
		rpc.Post("/v2/organizations/documents/get", h.Documents.Get, rpc.Summary("List the documents of an organization, newest first"),
			rpc.Example(`{"organizationId":"acme","folderId":"seasons","pageSize":2}`, collaboration.ExampleDocuments)),
		rpc.Post("/v2/organizations/documents/update", h.Documents.Update, rpc.Summary("Change documents"),
			rpc.Example(`{"organizationId":"acme","documents":[{"documentId":"spring","documentName":null,"pages":13}]}`, collaboration.ExampleDocumentsUpdated)),
		rpc.Post("/v2/organizations/documents/delete", h.Documents.Delete, rpc.Summary("Delete documents with everything in them"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"]}`, collaboration.ExampleDocumentsDeleted)),
		rpc.Post("/v2/organizations/documents/access/update", h.Documents.SetAccess, rpc.Summary("Set who may enter documents"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"accessType":"restricted"}`, collaboration.ExampleDocumentsAccess),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"accessType":null}`, collaboration.ExampleDocumentsInherit)),
		rpc.Post("/v2/organizations/documents/move", h.Documents.Move, rpc.Summary("Move documents into a folder"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"folderId":"root"}`, `{"status":"success","message":"Documents moved."}`)),
		rpc.Post("/v2/organizations/documents/migrate", h.Migrations.Migrate, rpc.Summary("Give a document another id, with all that belongs to it"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","newDocumentId":"spring-2027"}`, collaboration.ExampleMigrating)),
		rpc.Post("/v2/organizations/documents/migrate/status", h.Migrations.Status, rpc.Summary("Read how a migration stands"),
			rpc.Example(`{"organizationId":"acme","migrationId":"mig_01kdvm9w00abcdefghjkmnpqrs"}`, collaboration.ExampleMigration)),
		rpc.Post("/v2/commentannotations/add", h.Annotations.Add, rpc.Summary("Add annotations to a document"),
			rpc.Example(collaboration.ExampleAnnotation, collaboration.ExampleAdded)),
		rpc.Post("/v2/commentannotations/delete", h.Annotations.Delete, rpc.Summary("Delete annotations of a document"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"],"actionUser":{"userId":"u_ann"}}`, collaboration.ExampleAnnotationsDeleted)),
		rpc.Post("/v2/commentannotations/comments/add", h.Annotations.AddComments, rpc.Summary("Add comments to an annotation"),
			rpc.Example(collaboration.ExampleReply, `{"status":"success","message":"Comments added.","data":[2]}`)),
		rpc.Post("/v2/commentannotations/comments/update", h.Annotations.UpdateComments, rpc.Summary("Change comments of an annotation"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2],"updatedData":{"commentText":"Which month, {{u_bob}}?",
"context":null},"actionUser":{"userId":"u_ann"},"triggerNotification":true}`, collaboration.ExampleEdited)),
		rpc.Post("/v2/commentannotations/comments/delete", h.Annotations.DeleteComments, rpc.Summary("Delete comments of an annotation, and it with the last one"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2],"actionUser":{"userId":"u_ann"}}`, collaboration.ExampleCommentsDeleted)),
		rpc.Post("/v2/commentannotations/read", h.Annotations.Read, rpc.Summary("Mark annotations as read by a user"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","userId":"u_ann","annotationIds":["a1","a2"]}`, collaboration.ExampleRead)),
		rpc.Post("/v1/commentannotations/get", h.Annotations.Get, rpc.Summary("Read annotations of a document, latest change first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"]}`, collaboration.ExampleAnnotations)),
		rpc.Post("/v1/commentannotations/comments/get", h.Annotations.Comments, rpc.Summary("Read the comments of an annotation, oldest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2]}`, collaboration.ExampleComments)),
		rpc.Post("/v2/commentannotations/comments/get", h.Annotations.WholeComments, rpc.Summary("Read the comments of an annotation with all that is known of them, oldest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","viewerUserId":"u_ann"}`, collaboration.ExampleWholeComments)),
		rpc.Post("/v1/commentannotations/count/get", h.Annotations.Count, rpc.Summary("Count the annotations of documents for a user"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"userId":"u_ann"}`,
				`{"status":"success","message":"Annotations counted.","data":{"spring":{"total":3,"unread":1}}}`)),
	}
}

// folderRoutes are the operations on folders.
func folderRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/organizations/folders/add", h.Folders.Add, rpc.Summary("Add folders to an organization"),
			rpc.Example(`{"organizationId":"acme","folders":[{"folderId":"campaigns","folderName":"Campaigns"},{"folderId":"2026","parentFolderId":"campaigns"}]}`,
				collaboration.ExampleFolders)),
		rpc.Post("/v2/organizations/folders/get", h.Folders.Get, rpc.Summary("Read folders with what stands in them, newest first"),
			rpc.Example(`{"organizationId":"acme","maxDepth":2}`, collaboration.ExampleFolderTree)),
		rpc.Post("/v2/organizations/folders/update", h.Folders.Update, rpc.Summary("Rename and move folders"),
			rpc.Example(`{"organizationId":"acme","folders":[{"folderId":"2026","folderName":"Year 2026","parentFolderId":"root"}]}`, collaboration.ExampleFolders)),
		rpc.Post("/v2/organizations/folders/delete", h.Folders.Delete, rpc.Summary("Delete a folder with all that stands in it"),
			rpc.Example(`{"organizationId":"acme","folderId":"campaigns"}`, `{"status":"success","message":"Folder deleted.","data":null}`)),
		rpc.Post("/v2/organizations/folders/access/update", h.Folders.UpdateAccess, rpc.Summary("Set who may enter folders"),
			rpc.Example(`{"organizationId":"acme","folderIds":["campaigns"],"accessType":"restricted"}`, collaboration.ExampleFolderAccess),
			rpc.Example(`{"organizationId":"acme","folderIds":["campaigns"],"inheritFromParent":true}`, collaboration.ExampleFolderAccess)),
	}
}

// permissionRoutes are the operations on what users are granted.
func permissionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/auth/permissions/add", h.Permissions.Add, rpc.Summary("Grant a user organizations, folders and documents"),
			rpc.Example(`{"user":{"userId":"u_ann"},"permissions":{"resources":[{"type":"folder","id":"campaigns","organizationId":"acme","accessRole":"viewer","expiresAt":1798761600000}]}}`,
				`{"status":"success","message":"Permissions added."}`)),
		rpc.Post("/v2/auth/permissions/get", h.Permissions.Get, rpc.Summary("Read what users may do"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_ann"],"folderIds":["campaigns"],"documentIds":["spring"]}`, collaboration.ExamplePermissions)),
		rpc.Post("/v2/auth/permissions/remove", h.Permissions.Remove, rpc.Summary("Take grants from a user"),
			rpc.Example(`{"userId":"u_ann","permissions":{"resources":[{"type":"organization","id":"acme"}]}}`,
				`{"status":"success","message":"Permissions removed."}`)),
	}
}

// memoryRoutes are the operations on judgments and on sources of knowledge, and
// the signed addresses of their files.
func memoryRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/memory/knowledge/upload-url", h.Knowledge.UploadURL, rpc.Strict(), rpc.RateClass(limit.KnowledgeUpload),
			rpc.Summary("Mint an address for uploading a file"),
			rpc.Example(`{"mimeType":"application/pdf","fileSize":48213,"fileName":"handbook.pdf"}`, memory.ExampleUpload)),
		rpc.Post("/v2/memory/knowledge/ingest", h.Knowledge.Ingest, rpc.Strict(), rpc.BodyLimit(rpc.FileBodyLimit), rpc.RateClass(limit.KnowledgeIngest),
			rpc.Summary("Bring a file in as a source of knowledge"),
			rpc.Example(`{"source":"inline","file":{"base64":"SGVsbG8=","mimeType":"text/plain","fileName":"hello.txt","fileSize":5}}`, memory.ExampleIngest),
			rpc.Example(`{"source":"fileRef","fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","mimeType":"application/pdf"}`, memory.ExampleIngest)),
		rpc.Post("/v2/memory/knowledge/ingest-status", h.Knowledge.Status, rpc.Strict(), rpc.RateClass(limit.KnowledgeStatus),
			rpc.Summary("Tell how the ingestion of a source goes"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleIngestStatus)),
		rpc.Post("/v2/memory/knowledge/update", h.Knowledge.Update, rpc.Strict(), rpc.BodyLimit(rpc.FileBodyLimit), rpc.RateClass(limit.KnowledgeUpdate),
			rpc.Summary("Replace the content of a source, and see which rules changed"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","newContent":"# Payment\n\nBills must be paid within 14 days."}`, memory.ExampleUpdated)),
		rpc.Post("/v2/memory/knowledge/search", h.Knowledge.Search, rpc.Strict(), rpc.RateClass(limit.KnowledgeSearch),
			rpc.Summary("Find chunks and rules by meaning, with hybrid also by words"),
			rpc.Example(`{"query":"When is an invoice due?","limit":5,"includeRules":true}`, memory.ExampleKnowledge),
			rpc.Example(`{"query":"When is an invoice due?","sourceId":["src_1","src_2"]}`, memory.ExampleKnowledge),
			rpc.Example(`{"query":"When is an invoice due?","hybrid":true,"highlights":true}`, memory.ExampleHybrid)),
		rpc.Post("/v2/memory/knowledge/list", h.Knowledge.List, rpc.Strict(), rpc.RateClass(limit.KnowledgeList),
			rpc.Summary("List the sources of knowledge"),
			rpc.Example(`{}`, memory.ExampleSources),
			rpc.Example(`{"status":"completed","organizationId":"acme","pageSize":10}`, memory.ExampleSourcePage)),
		rpc.Post("/v2/memory/knowledge/rules", h.Knowledge.Rules, rpc.Strict(), rpc.RateClass(limit.KnowledgeRules),
			rpc.Summary("List the rules of a source"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleRules)),
		rpc.Post("/v2/memory/knowledge/download", h.Knowledge.Download, rpc.Strict(), rpc.RateClass(limit.KnowledgeDownload),
			rpc.Summary("Read the text of a source"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, `"# Payment\n\nBills must be paid in full.\n"`),
			rpc.Example(`{"sourceId":"src_unknown"}`, `null`)),
		rpc.Post("/v2/memory/knowledge/delete", h.Knowledge.Delete, rpc.Strict(), rpc.RateClass(limit.KnowledgeDelete),
			rpc.Summary("Delete a source with all that was made of it"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","force":true}`, memory.ExampleSourceDeleted)),
		rpc.Post("/v2/memory/knowledge/retry", h.Knowledge.Retry, rpc.Strict(), rpc.RateClass(limit.KnowledgeRetry),
			rpc.Summary("Bring a source in again that failed"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleRetry)),
		rpc.Post("/v2/memory/search", h.Judgments.Search, rpc.RateClass(limit.MemorySearch), rpc.Summary("Find judgments: a thread, the newest of some days, or by meaning"),
			rpc.Example(`{"query":"Are two sources enough?","organizationId":"acme","filters":{"decision":"approved","dateRange":{"start":"2026-01-01"}}}`, memory.ExampleFound),
			rpc.Example(`{"query":"Are two sources enough?","scope":"apiKey","recencyDays":30,"filters":{"excludeDocumentIds":["spring"]}}`, memory.ExampleFound)),
		rpc.Post("/v2/memory/judgments/query", h.Judgments.Query, rpc.RateClass(limit.JudgmentsQuery), rpc.Summary("List judgments by what is known about them"),
			rpc.Example(`{"decision":"approved","limit":1}`, memory.ExampleJudgments)),
		rpc.Post("/v2/memory/judgments/record", h.Judgments.Record, rpc.RateClass(limit.JudgmentsRecord), rpc.Summary("Record judgments that were made elsewhere"),
			rpc.Example(memory.ExampleJudgmentData, memory.ExampleRecorded), rpc.Example(memory.ExampleJudgmentList, memory.ExampleRecorded)),
		rpc.Post("/v2/memory/judgments/delete", h.Judgments.Delete, rpc.RateClass(limit.JudgmentsDelete), rpc.Summary("Delete judgments; the acts behind them stay"),
			rpc.Example(`{"recordIds":["ticket-7","ticket-8"]}`, memory.ExampleJudgmentsDeleted)),
		rpc.Post("/v2/memory/patterns/get", h.Patterns.Get, rpc.RateClass(limit.PatternsGet), rpc.Summary("List what reviewers usually decide"),
			rpc.Example(`{}`, memory.ExamplePatterns)),
		rpc.Post("/v2/memory/suggest", h.Suggestions.Suggest, rpc.RateClass(limit.MemorySuggest), rpc.Summary("Advise how to decide, by what was decided about things like it"),
			rpc.Example(`{"query":"A supplier contract without a cap on liability.","organizationId":"acme"}`, memory.ExampleSuggestion)),
		rpc.Post("/v2/memory/stats/get", h.Stats.Get, rpc.RateClass(limit.MemoryStats), rpc.Summary("Count what the workspace remembers"),
			rpc.Example(`{}`, `{"totalActivities":1204,"totalProfiles":17,"totalPatterns":0,"totalKnowledgeSources":3,"totalChunks":214,"totalRules":38}`)),
		rpc.Post("/v2/memory/profiles/get", h.Judgments.Profile, rpc.RateClass(limit.MemoryProfiles), rpc.Summary("Read what a user's judgments say about them"),
			rpc.Example(`{"targetUserId":"u_ann"}`, memory.ExampleProfile), rpc.Example(`{"targetUserId":"u_nobody"}`, `null`)),
		rpc.Post("/v2/memory/ask", h.Answers.Ask, rpc.RateClass(limit.MemoryAsk), rpc.Summary("Answer a question with sentences of judgments and knowledge"),
			rpc.Example(`{"question":"How high may liability be?","organizationId":"acme","recencyDays":90}`, memory.ExampleAnswer),
			rpc.Example(`{"question":"How high may liability be?","filters":{"reviewerId":"u_ann","decision":"rejected"},"includeKnowledge":false}`, memory.ExampleAnswer)),
		rpc.Upload(memory.FilesPath+"{token}", h.Knowledge.Incoming, rpc.Summary("Take the file of an upload"), rpc.Answers[memory.UploadedFile]()),
		rpc.Download(memory.FilesPath+"{token}", h.Knowledge.Outgoing, rpc.Summary("Give a file of a source")),
	}
}
