package api

import (
	"net/http"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workspace"
	"github.com/redline-svc/redline/internal/limit"
)

// workspaceRoutes are the operations on workspaces, their keys and settings.
func workspaceRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workspace/create", h.Workspaces.Create, rpc.Public(), rpc.RateClass(limit.None),
			rpc.Once(), rpc.Summary("Create a workspace"),
			rpc.Example(`{"ownerEmail":"owner@example.com","name":"John Doe"}`, workspace.ExampleWorkspace)),
		rpc.Post("/v2/workspace/get", h.Workspaces.Get, rpc.Workspace(),
			rpc.Summary("Read the workspace with its token and keys"), rpc.Example(`{}`, workspace.ExampleWorkspace)),
		rpc.Post("/v2/workspace/owner/get", h.Owners.Get, rpc.Workspace(), rpc.Summary("Read whether the owner has confirmed the e-mail address"),
			rpc.Example(`{}`, workspace.ExampleOwner)),
		rpc.Post("/v2/workspace/owner/send-confirmation", h.Owners.Send, rpc.Workspace(), rpc.Once(), rpc.PastQuota(), rpc.Summary("Send the owner a mail that asks to confirm the e-mail address"),
			rpc.Example(`{}`, `{"status":"success","message":"A mail to the owner is on its way."}`)),
		rpc.PageAt(http.MethodGet, workspace.ConfirmPath+"{token}", h.Owners.Ask, rpc.Summary("Show the page on which an owner confirms the e-mail address")),
		rpc.PageAt(http.MethodPost, workspace.ConfirmPath+"{token}", h.Owners.Confirm, rpc.PastQuota(), rpc.Summary("Confirm the e-mail address of an owner")),
		rpc.Post("/v2/workspace/apikey/create", h.APIKeys.Create, rpc.Workspace(), rpc.Once(), rpc.Summary("Create an API key"),
			rpc.Example(`{"ownerEmail":"owner@example.com","type":"testing","allowedDomains":["app.example.com"]}`, workspace.ExampleNewKey)),
		rpc.Post("/v2/workspace/apikey/update", h.APIKeys.Update, rpc.Workspace(), rpc.Summary("Rename an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","apiKeyName":"Editorial desk"}`,
				`{"status":"success","message":"API key updated.","data":null}`)),
		rpc.Post("/v2/workspace/apikeys/get", h.APIKeys.List, rpc.Workspace(), rpc.Summary("List the API keys, newest first"),
			rpc.Example(`{"pageSize":1}`, workspace.ExampleKeys)),
		rpc.Post("/v2/workspace/authtokens/get", h.APIKeys.Tokens, rpc.Workspace(), rpc.Summary("Read the auth token of an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, workspace.ExampleTokens)),
		rpc.Post("/v2/workspace/authtoken/reset", h.APIKeys.Reset, rpc.Workspace(), rpc.Once(), rpc.Summary("Replace the auth token of an API key"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, workspace.ExampleNewToken)),
		rpc.Post("/v2/workspace/authtoken/ensure", h.APIKeys.Ensure, rpc.Workspace(), rpc.Summary("Read the auth token of an API key, made if it has none"),
			rpc.Example(`{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q"}`, workspace.ExampleEnsuredToken)),
		rpc.Post("/v2/workspace/apikey/copy", h.APIKeys.Copy, rpc.Workspace(), rpc.Summary("Make the allowed domains of an API key those of another"),
			rpc.Example(`{"sourceApiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","targetApiKey":"ak_01kdvm9w00abcdefghjkmnpqrs"}`, workspace.ExampleKeyCopied)),
		rpc.Post("/v2/workspace/domains/add", h.Domains.Add, rpc.Summary("Let pages of domains call with the calling key"),
			rpc.Example(`{"domains":["https://app.example.com/start","*.pages.example.com","www.example.com"]}`, workspace.ExampleDomainsAdded)),
		rpc.Post("/v2/workspace/domains/delete", h.Domains.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Let pages of domains no longer call with the calling key"),
			rpc.Example(`{"domains":["app.example.com"]}`, workspace.ExampleDomainsRemoved)),
		rpc.Post("/v2/workspace/domains/get", h.Domains.Get, page, rpc.Summary("List the domains whose pages may call with the calling key"),
			rpc.Example(`{}`, workspace.ExampleDomains)),
		rpc.Post("/v2/workspace/apikeyconfig/get", h.Settings.Get, rpc.Summary("Read the settings of the workspace"),
			rpc.Example(`{}`, workspace.ExampleSettings)),
		rpc.Post("/v2/workspace/apikeyconfig/update", h.Settings.Update, rpc.Summary("Change the settings of the workspace"),
			rpc.Example(`{"requireAutoOrgUser":false}`, workspace.ExampleSettings)),
		rpc.Post("/v2/workspace/usage/get", h.Usage.Get, rpc.Summary("Read what the workspace keeps and has, and what it may"),
			rpc.Example(`{}`, workspace.ExampleUsage)),
		rpc.Post("/v2/workspace/jobs/list", h.Jobs.List, page, rpc.Lists(), rpc.Summary("List the jobs of the workspace, newest first"),
			rpc.Example(`{"kinds":["migration"],"status":"completed"}`, workspace.ExampleJobs)),
	}
}

// settingRoutes are the settings of activities, notifications, mails and the simple receiver, and of who is asked for permissions.
func settingRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workspace/activityconfig/get", h.ActivitySettings.Get, rpc.Summary("Read what is set for activities"),
			rpc.Example(`{}`, workspace.ExampleActivitySettings)),
		rpc.Post("/v2/workspace/activityconfig/update", h.ActivitySettings.Update, rpc.Strict(), rpc.Summary("Change what is set for activities"),
			rpc.Example(`{"activityServiceConfig":{"triggers":{"comment.add":false}}}`, workspace.ExampleActivitySettings)),
		rpc.Post("/v2/workspace/notificationconfig/get", h.NotificationSettings.Get, rpc.Summary("Read what is set for notifications"),
			rpc.Example(`{}`, workspace.ExampleNotificationSettings)),
		rpc.Post("/v2/workspace/notificationconfig/update", h.NotificationSettings.Update, rpc.Strict(), rpc.Summary("Change what is set for notifications"),
			rpc.Example(`{"notificationServiceConfig":{"delayConfig":{"isEnabled":true,"delaySeconds":60}}}`, workspace.ExampleNotificationSettings)),
		rpc.Post("/v2/workspace/emailconfig/get", h.Emails.Get, rpc.Summary("Read how the workspace sends mails"),
			rpc.Example(`{}`, workspace.ExampleEmails)),
		rpc.Post("/v2/workspace/emailconfig/update", h.Emails.Update, rpc.Summary("Change how the workspace sends mails"),
			rpc.Example(`{"useEmailService":true,"emailServiceConfig":{"triggers":{"comment.reply":false}}}`, workspace.ExampleEmails),
			rpc.Example(`{"emailServiceConfig":{"type":"smtp","host":"mail.example.com","port":587,"username":"desk","password":"a password","fromEmail":"desk@example.com"}}`, workspace.ExampleEmails)),
		rpc.Post("/v2/workspace/emailconfig/confirm", h.Emails.Confirm, rpc.PastQuota(), rpc.Summary("Confirm the sender of mails with the code that was sent to it"),
			rpc.Example(`{"code":"042317"}`, workspace.ExampleEmails)),
		rpc.Post("/v2/workspace/webhookconfig/get", h.SimpleReceivers.Get, rpc.Summary("Read the simple receiver of what happens to comments"),
			rpc.Example(`{}`, workspace.ExampleSimpleReceiver)),
		rpc.Post("/v2/workspace/webhookconfig/update", h.SimpleReceivers.Update, rpc.Strict(), rpc.Check(h.SimpleReceivers.CheckUpdate), rpc.Summary("Change the simple receiver of what happens to comments"),
			rpc.Example(`{"useWebhookService":true,"webhookServiceConfig":{"rawNotificationUrl":"https://hooks.example.com/comments","authToken":"b3BlbjpzZXNhbWU=","triggers":{"comment_annotation.suggestion_accept":true}}}`,
				workspace.ExampleSimpleReceiver)),
		rpc.Post("/v2/workspace/permissionproviderconfig/get", h.Providers.Get, rpc.Summary("Read which permission provider is asked"),
			rpc.Example(`{}`, workspace.ExampleProvider)),
		rpc.Post("/v2/workspace/permissionproviderconfig/update", h.Providers.Update, rpc.Check(h.Providers.CheckUpdate), rpc.Summary("Change which permission provider is asked"),
			rpc.Example(`{"usePermissionProvider":true,"permissionProviderConfig":{"permissionProviderUrl":"https://access.example.com/may-write","authToken":"open-sesame"}}`, workspace.ExampleProvider)),
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
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/create", h.Endpoints.Create, rpc.Check(h.Endpoints.CheckCreate), rpc.Once("uid"), rpc.Summary("Create a webhook endpoint"),
			rpc.Example(`{"url":"https://hooks.example.com/redline","description":"Editorial desk","filterTypes":["comment.add"],"channels":["document:spring"],"uid":"desk-1","metadata":{"team":"desk"}}`,
				webhook.ExampleEndpoint),
			rpc.Example(`{"url":"https://hooks.example.com/all"}`, webhook.ExampleBareEndpoint)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/get", h.Endpoints.List, page, rpc.Summary("List the endpoints, newest first"),
			rpc.Example(`{"includeMetadata":true}`, webhook.ExampleEndpoints)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/update", h.Endpoints.Update, rpc.Check(h.Endpoints.CheckUpdate), rpc.Summary("Change an endpoint"),
			rpc.Example(`{"endpointId":"desk-1","description":"Editorial desk","rateLimit":null}`, webhook.ExampleEndpoint)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/delete", h.Endpoints.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete an endpoint"),
			rpc.Example(one, webhook.ExampleEndpointDeleted)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/secret/get", h.Endpoints.Secret, rpc.Summary("Read the secret that signs what an endpoint is told"),
			rpc.Example(one, webhook.ExampleEndpointSecret)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/secret/rotate", h.Endpoints.Rotate, rpc.Once(), rpc.Summary("Give an endpoint a new secret"),
			rpc.Example(`{"endpointId":"desk-1","gracePeriodSeconds":86400}`, webhook.ExampleSecretRotated)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/test", h.Endpoints.Test, rpc.Once(), rpc.Summary("Tell an endpoint the sample of an event"),
			rpc.Example(`{"endpointId":"desk-1","eventType":"comment.add"}`, webhook.ExampleEndpointTest)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/recover", h.Endpoints.Recover, rpc.Check(h.Endpoints.CheckRecover), rpc.Once(), rpc.Summary("Send an endpoint what it missed"),
			rpc.Example(`{"endpointId":"desk-1","since":"2026-01-01T00:00:00Z","until":"2026-01-02T00:00:00Z"}`, webhook.ExampleRecovery)),
		rpc.Post("/v2/workspace/advancedwebhook/endpoints/recover/get", h.Endpoints.Recovery, rpc.Summary("Read how a recovery stands"),
			rpc.Example(`{"recoveryId":"rcv_01kdvm9w00abcdefghjkmnpqrs"}`, webhook.ExampleRecovered)),
		rpc.Post("/v2/workspace/advancedwebhook/messages/get", h.Endpoints.Messages, page, rpc.Lists(), rpc.Summary("List messages, newest first"),
			rpc.Example(`{"endpointId":"desk-1","status":"pending","after":"2026-01-01T00:00:00Z","limit":10}`, webhook.ExampleMessages),
			rpc.Example(`{"eventTypes":["comment.add"],"channel":"document:spring"}`, webhook.ExampleMessages)),
		rpc.Post("/v2/workspace/advancedwebhook/messages/resend", h.Endpoints.Resend, rpc.Once(), rpc.Summary("Send an endpoint a message again"),
			rpc.Example(`{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","endpointId":"desk-1"}`, webhook.ExampleResent)),
		rpc.Post("/v2/workspace/advancedwebhook/attempts/get", h.Endpoints.Attempts, page, rpc.Lists(), rpc.Summary("List attempts to tell endpoints, newest first"),
			rpc.Example(`{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","after":"2026-01-01T00:00:00Z","before":1798761600000}`, webhook.ExampleAttempts),
			rpc.Example(`{"endpointId":"desk-1","status":"failed","limit":10}`, webhook.ExampleAttempts)),
		rpc.Post("/v2/workspace/advancedwebhook/eventtypes/get", h.Endpoints.EventTypes, rpc.Summary("List the types of events"),
			rpc.Example(`{}`, webhook.ExampleEventTypes)),
	}
}
