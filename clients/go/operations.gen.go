// Code generated from the published document. DO NOT EDIT.

package redline

import (
	"context"
	"iter"
)

// resources are the resources of a Client.
type resources struct {
	Activities    ActivitiesOperations
	Agents        AgentsOperations
	Alerts        AlertsOperations
	Annotations   AnnotationsOperations
	APIKeys       APIKeysOperations
	Attempts      AttemptsOperations
	Auth          AuthOperations
	AuthTokens    AuthTokensOperations
	Comments      CommentsOperations
	Consolidation ConsolidationOperations
	Definitions   DefinitionsOperations
	Documents     DocumentsOperations
	Domains       DomainsOperations
	Endpoints     EndpointsOperations
	EventTypes    EventTypesOperations
	Executions    ExecutionsOperations
	Folders       FoldersOperations
	Jobs          JobsOperations
	Judgments     JudgmentsOperations
	Knowledge     KnowledgeOperations
	Memory        MemoryOperations
	Messages      MessagesOperations
	Notifications NotificationsOperations
	Organizations OrganizationsOperations
	Owner         OwnerOperations
	Patterns      PatternsOperations
	Permissions   PermissionsOperations
	Profiles      ProfilesOperations
	Stats         StatsOperations
	Steps         StepsOperations
	Usage         UsageOperations
	UserGroups    UserGroupsOperations
	Users         UsersOperations
	Workspace     WorkspaceOperations
}

func newResources(c *Client) resources {
	return resources{
		Activities:    ActivitiesOperations{c},
		Agents:        AgentsOperations{c},
		Alerts:        AlertsOperations{c},
		Annotations:   AnnotationsOperations{c},
		APIKeys:       APIKeysOperations{c},
		Attempts:      AttemptsOperations{c},
		Auth:          AuthOperations{c},
		AuthTokens:    AuthTokensOperations{c},
		Comments:      CommentsOperations{c},
		Consolidation: ConsolidationOperations{c},
		Definitions:   DefinitionsOperations{c},
		Documents:     DocumentsOperations{c},
		Domains:       DomainsOperations{c},
		Endpoints:     EndpointsOperations{c},
		EventTypes:    EventTypesOperations{c},
		Executions:    ExecutionsOperations{c},
		Folders:       FoldersOperations{c},
		Jobs:          JobsOperations{c},
		Judgments:     JudgmentsOperations{c},
		Knowledge:     KnowledgeOperations{c},
		Memory:        MemoryOperations{c},
		Messages:      MessagesOperations{c},
		Notifications: NotificationsOperations{c},
		Organizations: OrganizationsOperations{c},
		Owner:         OwnerOperations{c},
		Patterns:      PatternsOperations{c},
		Permissions:   PermissionsOperations{c},
		Profiles:      ProfilesOperations{c},
		Stats:         StatsOperations{c},
		Steps:         StepsOperations{c},
		Usage:         UsageOperations{c},
		UserGroups:    UserGroupsOperations{c},
		Users:         UsersOperations{c},
		Workspace:     WorkspaceOperations{c},
	}
}

// ActivitiesOperations are the calls about them.
type ActivitiesOperations struct{ c *Client }

// AgentsOperations are the calls about them.
type AgentsOperations struct{ c *Client }

// AlertsOperations are the calls about them.
type AlertsOperations struct{ c *Client }

// AnnotationsOperations are the calls about them.
type AnnotationsOperations struct{ c *Client }

// APIKeysOperations are the calls about them.
type APIKeysOperations struct{ c *Client }

// AttemptsOperations are the calls about them.
type AttemptsOperations struct{ c *Client }

// AuthOperations are the calls about them.
type AuthOperations struct{ c *Client }

// AuthTokensOperations are the calls about them.
type AuthTokensOperations struct{ c *Client }

// CommentsOperations are the calls about them.
type CommentsOperations struct{ c *Client }

// ConsolidationOperations are the calls about them.
type ConsolidationOperations struct{ c *Client }

// DefinitionsOperations are the calls about them.
type DefinitionsOperations struct{ c *Client }

// DocumentsOperations are the calls about them.
type DocumentsOperations struct{ c *Client }

// DomainsOperations are the calls about them.
type DomainsOperations struct{ c *Client }

// EndpointsOperations are the calls about them.
type EndpointsOperations struct{ c *Client }

// EventTypesOperations are the calls about them.
type EventTypesOperations struct{ c *Client }

// ExecutionsOperations are the calls about them.
type ExecutionsOperations struct{ c *Client }

// FoldersOperations are the calls about them.
type FoldersOperations struct{ c *Client }

// JobsOperations are the calls about them.
type JobsOperations struct{ c *Client }

// JudgmentsOperations are the calls about them.
type JudgmentsOperations struct{ c *Client }

// KnowledgeOperations are the calls about them.
type KnowledgeOperations struct{ c *Client }

// MemoryOperations are the calls about them.
type MemoryOperations struct{ c *Client }

// MessagesOperations are the calls about them.
type MessagesOperations struct{ c *Client }

// NotificationsOperations are the calls about them.
type NotificationsOperations struct{ c *Client }

// OrganizationsOperations are the calls about them.
type OrganizationsOperations struct{ c *Client }

// OwnerOperations are the calls about them.
type OwnerOperations struct{ c *Client }

// PatternsOperations are the calls about them.
type PatternsOperations struct{ c *Client }

// PermissionsOperations are the calls about them.
type PermissionsOperations struct{ c *Client }

// ProfilesOperations are the calls about them.
type ProfilesOperations struct{ c *Client }

// StatsOperations are the calls about them.
type StatsOperations struct{ c *Client }

// StepsOperations are the calls about them.
type StepsOperations struct{ c *Client }

// UsageOperations are the calls about them.
type UsageOperations struct{ c *Client }

// UserGroupsOperations are the calls about them.
type UserGroupsOperations struct{ c *Client }

// UsersOperations are the calls about them.
type UsersOperations struct{ c *Client }

// WorkspaceOperations are the calls about them.
type WorkspaceOperations struct{ c *Client }

var (
	opActivitiesAdd                           = operation{path: "/v2/activities/add", ids: []idField{{path: "activities.id"}}}
	opActivitiesDelete                        = operation{path: "/v2/activities/delete", safe: true}
	opActivitiesGet                           = operation{path: "/v2/activities/get", safe: true}
	opActivitiesUpdate                        = operation{path: "/v2/activities/update", safe: true}
	opAgentsCreate                            = operation{path: "/v2/agents/create", safe: true}
	opAgentsCreateGroups                      = operation{path: "/v2/agents/groups/create"}
	opAgentsDelete                            = operation{path: "/v2/agents/delete", safe: true}
	opAgentsDeleteGroups                      = operation{path: "/v2/agents/groups/delete", safe: true}
	opAgentsExecutionCount                    = operation{path: "/v2/agents/execution/count", safe: true}
	opAgentsExecutionRun                      = operation{path: "/v2/agents/execution/run", ids: []idField{{path: "idempotencyKey"}}}
	opAgentsGet                               = operation{path: "/v2/agents/get", safe: true}
	opAgentsGetAnalytics                      = operation{path: "/v2/agents/analytics/get", safe: true}
	opAgentsGetExecution                      = operation{path: "/v2/agents/execution/get", safe: true}
	opAgentsGetGroups                         = operation{path: "/v2/agents/groups/get", safe: true}
	opAgentsGroupsAddAgents                   = operation{path: "/v2/agents/groups/add-agents", safe: true}
	opAgentsGroupsRemoveAgents                = operation{path: "/v2/agents/groups/remove-agents", safe: true}
	opAgentsList                              = operation{path: "/v2/agents/list", safe: true}
	opAgentsListExecution                     = operation{path: "/v2/agents/execution/list", safe: true}
	opAgentsListGroups                        = operation{path: "/v2/agents/groups/list", safe: true}
	opAgentsListVersions                      = operation{path: "/v2/agents/versions/list", safe: true}
	opAgentsUpdate                            = operation{path: "/v2/agents/update", safe: true}
	opAgentsUpdateGroups                      = operation{path: "/v2/agents/groups/update", safe: true}
	opAgentsUpdateVersion                     = operation{path: "/v2/agents/version/update"}
	opAgentsVersionsRestore                   = operation{path: "/v2/agents/versions/restore", ids: []idField{{path: "version", integer: true}}}
	opAlertsAction                            = operation{path: "/v2/memory/alerts/action", safe: true}
	opAlertsDismiss                           = operation{path: "/v2/memory/alerts/dismiss", safe: true}
	opAlertsGetConfig                         = operation{path: "/v2/memory/alerts/config/get", safe: true}
	opAlertsList                              = operation{path: "/v2/memory/alerts/list", safe: true}
	opAlertsUpdateConfig                      = operation{path: "/v2/memory/alerts/config/update", safe: true}
	opAnnotationsAdd                          = operation{path: "/v2/commentannotations/add", ids: []idField{{path: "commentAnnotations.annotationId"}, {path: "commentAnnotations.commentData.commentId", integer: true}, {path: "commentAnnotations.comments.commentId", integer: true}}}
	opAnnotationsDelete                       = operation{path: "/v2/commentannotations/delete", safe: true}
	opAnnotationsGet                          = operation{path: "/v2/commentannotations/get", safe: true}
	opAnnotationsGetCount                     = operation{path: "/v2/commentannotations/count/get", safe: true}
	opAnnotationsGetCountV1                   = operation{path: "/v1/commentannotations/count/get", safe: true}
	opAnnotationsGetV1                        = operation{path: "/v1/commentannotations/get", safe: true}
	opAnnotationsRead                         = operation{path: "/v2/commentannotations/read", safe: true}
	opAnnotationsUpdate                       = operation{path: "/v2/commentannotations/update", safe: true}
	opAPIKeysCopy                             = operation{path: "/v2/workspace/apikey/copy", workspace: true, safe: true}
	opAPIKeysCreate                           = operation{path: "/v2/workspace/apikey/create", workspace: true}
	opAPIKeysGet                              = operation{path: "/v2/workspace/apikeys/get", workspace: true, safe: true}
	opAPIKeysUpdate                           = operation{path: "/v2/workspace/apikey/update", workspace: true, safe: true}
	opAttemptsGet                             = operation{path: "/v2/workspace/advancedwebhook/attempts/get", safe: true}
	opAuthGenerateToken                       = operation{path: "/v2/auth/generate_token", safe: true}
	opAuthVerifyToken                         = operation{path: "/v2/auth/verify_token", safe: true}
	opAuthTokensEnsure                        = operation{path: "/v2/workspace/authtoken/ensure", workspace: true, safe: true}
	opAuthTokensGet                           = operation{path: "/v2/workspace/authtokens/get", workspace: true, safe: true}
	opAuthTokensReset                         = operation{path: "/v2/workspace/authtoken/reset", workspace: true}
	opCommentsAdd                             = operation{path: "/v2/commentannotations/comments/add", ids: []idField{{path: "commentData.commentId", integer: true}, {path: "comments.commentId", integer: true}}}
	opCommentsDelete                          = operation{path: "/v2/commentannotations/comments/delete", safe: true}
	opCommentsGet                             = operation{path: "/v2/commentannotations/comments/get", safe: true}
	opCommentsGetV1                           = operation{path: "/v1/commentannotations/comments/get", safe: true}
	opCommentsUpdate                          = operation{path: "/v2/commentannotations/comments/update", safe: true}
	opConsolidationTrigger                    = operation{path: "/v2/memory/consolidation/trigger", safe: true}
	opDefinitionsCreate                       = operation{path: "/v2/workflow/definitions/create", safe: true}
	opDefinitionsDelete                       = operation{path: "/v2/workflow/definitions/delete", safe: true}
	opDefinitionsGet                          = operation{path: "/v2/workflow/definitions/get", safe: true}
	opDefinitionsGetVersions                  = operation{path: "/v2/workflow/definitions/versions/get", safe: true}
	opDefinitionsLint                         = operation{path: "/v2/workflow/definitions/lint", safe: true}
	opDefinitionsList                         = operation{path: "/v2/workflow/definitions/list", safe: true}
	opDefinitionsListVersions                 = operation{path: "/v2/workflow/definitions/versions/list", safe: true}
	opDefinitionsUpdate                       = operation{path: "/v2/workflow/definitions/update"}
	opDocumentsAdd                            = operation{path: "/v2/organizations/documents/add", safe: true}
	opDocumentsDelete                         = operation{path: "/v2/organizations/documents/delete", safe: true}
	opDocumentsGet                            = operation{path: "/v2/organizations/documents/get", safe: true}
	opDocumentsGetCount                       = operation{path: "/v2/organizations/documents/count/get", safe: true}
	opDocumentsMigrate                        = operation{path: "/v2/organizations/documents/migrate", safe: true}
	opDocumentsMigrateStatus                  = operation{path: "/v2/organizations/documents/migrate/status", safe: true}
	opDocumentsMove                           = operation{path: "/v2/organizations/documents/move", safe: true}
	opDocumentsUpdate                         = operation{path: "/v2/organizations/documents/update", safe: true}
	opDocumentsUpdateAccess                   = operation{path: "/v2/organizations/documents/access/update", safe: true}
	opDocumentsUpdateAccessDisableState       = operation{path: "/v2/organizations/documents/access/disablestate/update", safe: true}
	opDomainsAdd                              = operation{path: "/v2/workspace/domains/add", safe: true}
	opDomainsDelete                           = operation{path: "/v2/workspace/domains/delete", safe: true}
	opDomainsGet                              = operation{path: "/v2/workspace/domains/get", safe: true}
	opEndpointsCreate                         = operation{path: "/v2/workspace/advancedwebhook/endpoints/create", ids: []idField{{path: "uid"}}}
	opEndpointsDelete                         = operation{path: "/v2/workspace/advancedwebhook/endpoints/delete", safe: true}
	opEndpointsGet                            = operation{path: "/v2/workspace/advancedwebhook/endpoints/get", safe: true}
	opEndpointsGetRecover                     = operation{path: "/v2/workspace/advancedwebhook/endpoints/recover/get", safe: true}
	opEndpointsGetSecret                      = operation{path: "/v2/workspace/advancedwebhook/endpoints/secret/get", safe: true}
	opEndpointsRecover                        = operation{path: "/v2/workspace/advancedwebhook/endpoints/recover"}
	opEndpointsRotateSecret                   = operation{path: "/v2/workspace/advancedwebhook/endpoints/secret/rotate"}
	opEndpointsTest                           = operation{path: "/v2/workspace/advancedwebhook/endpoints/test"}
	opEndpointsUpdate                         = operation{path: "/v2/workspace/advancedwebhook/endpoints/update", safe: true}
	opEventTypesGet                           = operation{path: "/v2/workspace/advancedwebhook/eventtypes/get", safe: true}
	opExecutionsCancel                        = operation{path: "/v2/workflow/executions/cancel", safe: true}
	opExecutionsDelete                        = operation{path: "/v2/workflow/executions/delete", safe: true}
	opExecutionsDispatch                      = operation{path: "/v2/workflow/executions/dispatch", ids: []idField{{path: "idempotencyKey"}}}
	opExecutionsGet                           = operation{path: "/v2/workflow/executions/get", safe: true}
	opExecutionsGetDeliveries                 = operation{path: "/v2/workflow/executions/getDeliveries", safe: true}
	opExecutionsGetEvents                     = operation{path: "/v2/workflow/executions/getEvents", safe: true}
	opExecutionsList                          = operation{path: "/v2/workflow/executions/list", safe: true}
	opExecutionsPause                         = operation{path: "/v2/workflow/executions/pause", safe: true}
	opExecutionsRedeliver                     = operation{path: "/v2/workflow/executions/redeliver"}
	opExecutionsResume                        = operation{path: "/v2/workflow/executions/resume", safe: true}
	opExecutionsRetry                         = operation{path: "/v2/workflow/executions/retry"}
	opFoldersAdd                              = operation{path: "/v2/organizations/folders/add", safe: true}
	opFoldersDelete                           = operation{path: "/v2/organizations/folders/delete", safe: true}
	opFoldersGet                              = operation{path: "/v2/organizations/folders/get", safe: true}
	opFoldersUpdate                           = operation{path: "/v2/organizations/folders/update", safe: true}
	opFoldersUpdateAccess                     = operation{path: "/v2/organizations/folders/access/update", safe: true}
	opJobsList                                = operation{path: "/v2/workspace/jobs/list", safe: true}
	opJudgmentsDelete                         = operation{path: "/v2/memory/judgments/delete", safe: true}
	opJudgmentsQuery                          = operation{path: "/v2/memory/judgments/query", safe: true}
	opJudgmentsRecord                         = operation{path: "/v2/memory/judgments/record", ids: []idField{{path: "judgments.recordId"}}}
	opKnowledgeDelete                         = operation{path: "/v2/memory/knowledge/delete", safe: true}
	opKnowledgeDownload                       = operation{path: "/v2/memory/knowledge/download", safe: true}
	opKnowledgeIngest                         = operation{path: "/v2/memory/knowledge/ingest"}
	opKnowledgeIngestStatus                   = operation{path: "/v2/memory/knowledge/ingest-status", safe: true}
	opKnowledgeList                           = operation{path: "/v2/memory/knowledge/list", safe: true}
	opKnowledgeRetry                          = operation{path: "/v2/memory/knowledge/retry"}
	opKnowledgeRules                          = operation{path: "/v2/memory/knowledge/rules", safe: true}
	opKnowledgeSearch                         = operation{path: "/v2/memory/knowledge/search", safe: true}
	opKnowledgeUpdate                         = operation{path: "/v2/memory/knowledge/update", safe: true}
	opKnowledgeUploadURL                      = operation{path: "/v2/memory/knowledge/upload-url", safe: true}
	opMemoryAsk                               = operation{path: "/v2/memory/ask", safe: true}
	opMemorySearch                            = operation{path: "/v2/memory/search", safe: true}
	opMemorySuggest                           = operation{path: "/v2/memory/suggest", safe: true}
	opMessagesGet                             = operation{path: "/v2/workspace/advancedwebhook/messages/get", safe: true}
	opMessagesResend                          = operation{path: "/v2/workspace/advancedwebhook/messages/resend"}
	opNotificationsAdd                        = operation{path: "/v2/notifications/add", ids: []idField{{path: "notificationId"}}}
	opNotificationsDelete                     = operation{path: "/v2/notifications/delete", safe: true}
	opNotificationsGet                        = operation{path: "/v2/notifications/get", safe: true}
	opNotificationsGetConfig                  = operation{path: "/v2/notifications/config/get", safe: true}
	opNotificationsSetConfig                  = operation{path: "/v2/notifications/config/set", safe: true}
	opNotificationsUpdate                     = operation{path: "/v2/notifications/update", safe: true}
	opOrganizationsAdd                        = operation{path: "/v2/organizations/add", safe: true}
	opOrganizationsDelete                     = operation{path: "/v2/organizations/delete", safe: true}
	opOrganizationsGet                        = operation{path: "/v2/organizations/get", safe: true}
	opOrganizationsUpdate                     = operation{path: "/v2/organizations/update", safe: true}
	opOrganizationsUpdateAccessDisableState   = operation{path: "/v2/organizations/access/disablestate/update", safe: true}
	opOwnerGet                                = operation{path: "/v2/workspace/owner/get", workspace: true, safe: true}
	opOwnerSendConfirmation                   = operation{path: "/v2/workspace/owner/send-confirmation", workspace: true}
	opPatternsGet                             = operation{path: "/v2/memory/patterns/get", safe: true}
	opPermissionsAdd                          = operation{path: "/v2/auth/permissions/add", safe: true}
	opPermissionsGet                          = operation{path: "/v2/auth/permissions/get", safe: true}
	opPermissionsRemove                       = operation{path: "/v2/auth/permissions/remove", safe: true}
	opProfilesGet                             = operation{path: "/v2/memory/profiles/get", safe: true}
	opStatsGet                                = operation{path: "/v2/memory/stats/get", safe: true}
	opStepsCancel                             = operation{path: "/v2/workflow/steps/cancel", safe: true}
	opStepsList                               = operation{path: "/v2/workflow/steps/list", safe: true}
	opStepsReassign                           = operation{path: "/v2/workflow/steps/reassign", safe: true}
	opStepsRecordAgentResolution              = operation{path: "/v2/workflow/steps/recordAgentResolution", safe: true}
	opStepsRecordReviewerDecision             = operation{path: "/v2/workflow/steps/recordReviewerDecision", safe: true}
	opStepsResolve                            = operation{path: "/v2/workflow/steps/resolve", safe: true}
	opUsageGet                                = operation{path: "/v2/workspace/usage/get", safe: true}
	opUserGroupsAdd                           = operation{path: "/v2/organizations/usergroups/add", safe: true}
	opUserGroupsAddUsers                      = operation{path: "/v2/organizations/usergroups/users/add", safe: true}
	opUserGroupsDelete                        = operation{path: "/v2/organizations/usergroups/delete", safe: true}
	opUserGroupsDeleteUsers                   = operation{path: "/v2/organizations/usergroups/users/delete", safe: true}
	opUserGroupsGet                           = operation{path: "/v2/organizations/usergroups/get", safe: true}
	opUsersAdd                                = operation{path: "/v2/users/add", safe: true}
	opUsersAddInvite                          = operation{path: "/v2/users/invite/add", safe: true}
	opUsersDataDeleteStatus                   = operation{path: "/v2/users/data/delete/status", safe: true}
	opUsersDataExport                         = operation{path: "/v2/users/data/export", safe: true}
	opUsersDataExportStatus                   = operation{path: "/v2/users/data/export/status", safe: true}
	opUsersDelete                             = operation{path: "/v2/users/delete", safe: true}
	opUsersDeleteData                         = operation{path: "/v2/users/data/delete", safe: true}
	opUsersGet                                = operation{path: "/v2/users/get", safe: true}
	opUsersGetCount                           = operation{path: "/v2/users/count/get", safe: true}
	opUsersGetData                            = operation{path: "/v2/users/data/get", safe: true}
	opUsersGetDoc                             = operation{path: "/v2/users/doc/get", safe: true}
	opUsersGetInvitations                     = operation{path: "/v2/users/invitations/get", safe: true}
	opUsersGetInvite                          = operation{path: "/v2/users/invite/get", safe: true}
	opUsersInvitePendingCount                 = operation{path: "/v2/users/invite/pending/count", safe: true}
	opUsersInviteRespond                      = operation{path: "/v2/users/invite/respond", safe: true}
	opUsersUpdate                             = operation{path: "/v2/users/update", safe: true}
	opWorkspaceCreate                         = operation{path: "/v2/workspace/create"}
	opWorkspaceEmailConfigConfirm             = operation{path: "/v2/workspace/emailconfig/confirm", safe: true}
	opWorkspaceGet                            = operation{path: "/v2/workspace/get", workspace: true, safe: true}
	opWorkspaceGetActivityConfig              = operation{path: "/v2/workspace/activityconfig/get", safe: true}
	opWorkspaceGetAdvancedWebhookConfig       = operation{path: "/v2/workspace/advancedwebhookconfig/get", safe: true}
	opWorkspaceGetAPIKeyConfig                = operation{path: "/v2/workspace/apikeyconfig/get", safe: true}
	opWorkspaceGetEmailConfig                 = operation{path: "/v2/workspace/emailconfig/get", safe: true}
	opWorkspaceGetNotificationConfig          = operation{path: "/v2/workspace/notificationconfig/get", safe: true}
	opWorkspaceGetPermissionProviderConfig    = operation{path: "/v2/workspace/permissionproviderconfig/get", safe: true}
	opWorkspaceGetWebhookConfig               = operation{path: "/v2/workspace/webhookconfig/get", safe: true}
	opWorkspaceUpdateActivityConfig           = operation{path: "/v2/workspace/activityconfig/update", safe: true}
	opWorkspaceUpdateAdvancedWebhookConfig    = operation{path: "/v2/workspace/advancedwebhookconfig/update", safe: true}
	opWorkspaceUpdateAPIKeyConfig             = operation{path: "/v2/workspace/apikeyconfig/update", safe: true}
	opWorkspaceUpdateEmailConfig              = operation{path: "/v2/workspace/emailconfig/update", safe: true}
	opWorkspaceUpdateNotificationConfig       = operation{path: "/v2/workspace/notificationconfig/update", safe: true}
	opWorkspaceUpdatePermissionProviderConfig = operation{path: "/v2/workspace/permissionproviderconfig/update", safe: true}
	opWorkspaceUpdateWebhookConfig            = operation{path: "/v2/workspace/webhookconfig/update", safe: true}
)

// Add: Keep a record of what was done.
func (r ActivitiesOperations) Add(ctx context.Context, in AddActivitiesRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opActivitiesAdd, in, options)
	return result.Data, err
}

// Delete: Delete records that are not immutable.
func (r ActivitiesOperations) Delete(ctx context.Context, in DeleteActivitiesRequest, options ...CallOption) (DeletedActivities, error) {
	return call[DeletedActivities](ctx, r.c, &opActivitiesDelete, in, options)
}

// Get: List what was done in an organization, newest first.
func (r ActivitiesOperations) Get(ctx context.Context, in GetActivitiesRequest, options ...CallOption) (ActivityListResult, error) {
	return call[ActivityListResult](ctx, r.c, &opActivitiesGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r ActivitiesOperations) GetAll(ctx context.Context, in GetActivitiesRequest, options ...CallOption) iter.Seq2[Activity, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Activity](ctx, r.c, &opActivitiesGet, way, in, options)
}

// Update: Change records that are not immutable.
func (r ActivitiesOperations) Update(ctx context.Context, in UpdateActivitiesRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opActivitiesUpdate, in, options)
	return result.Data, err
}

// Create: Register an agent.
func (r AgentsOperations) Create(ctx context.Context, in CreateAgentRequest, options ...CallOption) (Agent, error) {
	return call[Agent](ctx, r.c, &opAgentsCreate, in, options)
}

// CreateGroups: Make a group of agents.
func (r AgentsOperations) CreateGroups(ctx context.Context, in CreateAgentGroupRequest, options ...CallOption) (OneAgentGroup, error) {
	result, err := call[OneAgentGroupResult](ctx, r.c, &opAgentsCreateGroups, in, options)
	return result.Data, err
}

// Delete: Remove an agent from the registry.
func (r AgentsOperations) Delete(ctx context.Context, in DeleteAgentRequest, options ...CallOption) (DeletedAgent, error) {
	return call[DeletedAgent](ctx, r.c, &opAgentsDelete, in, options)
}

// DeleteGroups: Delete a group, not its agents.
func (r AgentsOperations) DeleteGroups(ctx context.Context, in DeleteAgentGroupRequest, options ...CallOption) (DeletedAgentGroup, error) {
	result, err := call[DeletedAgentGroupResult](ctx, r.c, &opAgentsDeleteGroups, in, options)
	return result.Data, err
}

// ExecutionCount: Count executions of agents.
func (r AgentsOperations) ExecutionCount(ctx context.Context, in CountAgentRunsRequest, options ...CallOption) (AgentRunCounts, error) {
	result, err := call[AgentRunCountsResult](ctx, r.c, &opAgentsExecutionCount, in, options)
	return result.Data, err
}

// ExecutionRun: Let an agent look at a page.
func (r AgentsOperations) ExecutionRun(ctx context.Context, in RunAgentRequest, options ...CallOption) (StartedRun, error) {
	result, err := call[StartedRunResult](ctx, r.c, &opAgentsExecutionRun, in, options)
	return result.Data, err
}

// Get: Read an agent, or list registered and built-in ones.
func (r AgentsOperations) Get(ctx context.Context, in GetAgentRequest, options ...CallOption) (FoundAgents, error) {
	return call[FoundAgents](ctx, r.c, &opAgentsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r AgentsOperations) GetAll(ctx context.Context, in GetAgentRequest, options ...CallOption) iter.Seq2[CatalogAgent, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[CatalogAgent](ctx, r.c, &opAgentsGet, way, in, options)
}

// GetAnalytics: Count what became of the steps of agents.
func (r AgentsOperations) GetAnalytics(ctx context.Context, in GetAgentAnalyticsRequest, options ...CallOption) (AgentAnalytics, error) {
	result, err := call[AgentAnalyticsResult](ctx, r.c, &opAgentsGetAnalytics, in, options)
	return result.Data, err
}

// GetExecution: Read an execution of an agent, with what it found.
func (r AgentsOperations) GetExecution(ctx context.Context, in GetAgentRunRequest, options ...CallOption) (OneAgentRun, error) {
	result, err := call[OneAgentRunResult](ctx, r.c, &opAgentsGetExecution, in, options)
	return result.Data, err
}

// GetGroups: Read a group of agents.
func (r AgentsOperations) GetGroups(ctx context.Context, in GetAgentGroupRequest, options ...CallOption) (OneAgentGroup, error) {
	result, err := call[OneAgentGroupResult](ctx, r.c, &opAgentsGetGroups, in, options)
	return result.Data, err
}

// GroupsAddAgents: Put agents into a group.
func (r AgentsOperations) GroupsAddAgents(ctx context.Context, in AgentGroupMembersRequest, options ...CallOption) (OneAgentGroup, error) {
	result, err := call[OneAgentGroupResult](ctx, r.c, &opAgentsGroupsAddAgents, in, options)
	return result.Data, err
}

// GroupsRemoveAgents: Take agents out of a group.
func (r AgentsOperations) GroupsRemoveAgents(ctx context.Context, in AgentGroupMembersRequest, options ...CallOption) (OneAgentGroup, error) {
	result, err := call[OneAgentGroupResult](ctx, r.c, &opAgentsGroupsRemoveAgents, in, options)
	return result.Data, err
}

// List: List the agents, newest first.
func (r AgentsOperations) List(ctx context.Context, in ListAgentsRequest, options ...CallOption) (AgentPage, error) {
	return call[AgentPage](ctx, r.c, &opAgentsList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r AgentsOperations) ListAll(ctx context.Context, in ListAgentsRequest, options ...CallOption) iter.Seq2[Agent, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Agent](ctx, r.c, &opAgentsList, way, in, options)
}

// ListExecution: List executions of agents, newest first.
func (r AgentsOperations) ListExecution(ctx context.Context, in ListAgentRunsRequest, options ...CallOption) (AgentRunListResult, error) {
	return call[AgentRunListResult](ctx, r.c, &opAgentsListExecution, in, options)
}

// ListExecutionAll walks over all items of ListExecution, page by page.
func (r AgentsOperations) ListExecutionAll(ctx context.Context, in ListAgentRunsRequest, options ...CallOption) iter.Seq2[AgentRun, error] {
	way := pages{request: "pageToken", items: "data.executions", next: "nextPageToken", done: ""}
	return walk[AgentRun](ctx, r.c, &opAgentsListExecution, way, in, options)
}

// ListGroups: List the groups of agents, newest first.
func (r AgentsOperations) ListGroups(ctx context.Context, in ListAgentGroupsRequest, options ...CallOption) (AgentGroupList, error) {
	result, err := call[AgentGroupListResult](ctx, r.c, &opAgentsListGroups, in, options)
	return result.Data, err
}

// ListVersions: List the versions of an agent's behaviour, newest first.
func (r AgentsOperations) ListVersions(ctx context.Context, in ListAgentVersionsRequest, options ...CallOption) (AgentVersionListResult, error) {
	return call[AgentVersionListResult](ctx, r.c, &opAgentsListVersions, in, options)
}

// ListVersionsAll walks over all items of ListVersions, page by page.
func (r AgentsOperations) ListVersionsAll(ctx context.Context, in ListAgentVersionsRequest, options ...CallOption) iter.Seq2[AgentVersion, error] {
	way := pages{request: "pageToken", items: "data.versions", next: "nextPageToken", done: ""}
	return walk[AgentVersion](ctx, r.c, &opAgentsListVersions, way, in, options)
}

// Update: Change an agent.
func (r AgentsOperations) Update(ctx context.Context, in UpdateAgentRequest, options ...CallOption) (Agent, error) {
	return call[Agent](ctx, r.c, &opAgentsUpdate, in, options)
}

// UpdateGroups: Change the name or the description of a group of agents.
func (r AgentsOperations) UpdateGroups(ctx context.Context, in UpdateAgentGroupRequest, options ...CallOption) (OneAgentGroup, error) {
	result, err := call[OneAgentGroupResult](ctx, r.c, &opAgentsUpdateGroups, in, options)
	return result.Data, err
}

// UpdateVersion: Change the behaviour of an agent, which makes a version.
func (r AgentsOperations) UpdateVersion(ctx context.Context, in UpdateAgentVersionRequest, options ...CallOption) (AgentVersionNumber, error) {
	result, err := call[AgentVersionNumberResult](ctx, r.c, &opAgentsUpdateVersion, in, options)
	return result.Data, err
}

// VersionsRestore: Go back to a version of an agent's behaviour.
func (r AgentsOperations) VersionsRestore(ctx context.Context, in RestoreAgentVersionRequest, options ...CallOption) (AgentVersionNumber, error) {
	result, err := call[AgentVersionNumberResult](ctx, r.c, &opAgentsVersionsRestore, in, options)
	return result.Data, err
}

// Action: Note that something was done about an alert.
func (r AlertsOperations) Action(ctx context.Context, in SettleAlertRequest, options ...CallOption) (AlertSettled, error) {
	return call[AlertSettled](ctx, r.c, &opAlertsAction, in, options)
}

// Dismiss: Note that an alert is of no use.
func (r AlertsOperations) Dismiss(ctx context.Context, in SettleAlertRequest, options ...CallOption) (AlertSettled, error) {
	return call[AlertSettled](ctx, r.c, &opAlertsDismiss, in, options)
}

// GetConfig: Read what is set for alerts.
func (r AlertsOperations) GetConfig(ctx context.Context, in GetAlertConfigRequest, options ...CallOption) (AlertConfig, error) {
	return call[AlertConfig](ctx, r.c, &opAlertsGetConfig, in, options)
}

// List: List what stands out in what reviewers decide.
func (r AlertsOperations) List(ctx context.Context, in ListAlertsRequest, options ...CallOption) ([]Alert, error) {
	return call[[]Alert](ctx, r.c, &opAlertsList, in, options)
}

// UpdateConfig: Change what is set for alerts.
func (r AlertsOperations) UpdateConfig(ctx context.Context, in UpdateAlertConfigRequest, options ...CallOption) (AlertConfig, error) {
	return call[AlertConfig](ctx, r.c, &opAlertsUpdateConfig, in, options)
}

// Add: Add annotations to a document.
func (r AnnotationsOperations) Add(ctx context.Context, in AddAnnotationsRequest, options ...CallOption) (map[string]AddedAnnotation, error) {
	result, err := call[AddedAnnotationByIDResult](ctx, r.c, &opAnnotationsAdd, in, options)
	return result.Data, err
}

// Delete: Delete annotations of a document.
func (r AnnotationsOperations) Delete(ctx context.Context, in DeleteAnnotationsRequest, options ...CallOption) (DeletedAnnotations, error) {
	return call[DeletedAnnotations](ctx, r.c, &opAnnotationsDelete, in, options)
}

// Get: Read annotations of documents with all that is known of them, by their latest change.
func (r AnnotationsOperations) Get(ctx context.Context, in FindAnnotationsRequest, options ...CallOption) (WholeAnnotationListResult, error) {
	return call[WholeAnnotationListResult](ctx, r.c, &opAnnotationsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r AnnotationsOperations) GetAll(ctx context.Context, in FindAnnotationsRequest, options ...CallOption) iter.Seq2[*WholeAnnotation, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[*WholeAnnotation](ctx, r.c, &opAnnotationsGet, way, in, options)
}

// GetCount: Count the annotations of documents for a user.
func (r AnnotationsOperations) GetCount(ctx context.Context, in CountAnnotationsRequest, options ...CallOption) (map[string]Count, error) {
	result, err := call[CountByIDResult](ctx, r.c, &opAnnotationsGetCount, in, options)
	return result.Data, err
}

// GetCountV1: Count the annotations of documents for a user.
func (r AnnotationsOperations) GetCountV1(ctx context.Context, in CountAnnotationsRequest, options ...CallOption) (map[string]Count, error) {
	result, err := call[CountByIDResult](ctx, r.c, &opAnnotationsGetCountV1, in, options)
	return result.Data, err
}

// GetV1: Read annotations of a document, latest change first.
func (r AnnotationsOperations) GetV1(ctx context.Context, in GetAnnotationsRequest, options ...CallOption) (AnnotationBySlotResult, error) {
	return call[AnnotationBySlotResult](ctx, r.c, &opAnnotationsGetV1, in, options)
}

// GetV1All walks over all items of GetV1, page by page.
func (r AnnotationsOperations) GetV1All(ctx context.Context, in GetAnnotationsRequest, options ...CallOption) iter.Seq2[*Annotation, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[*Annotation](ctx, r.c, &opAnnotationsGetV1, way, in, options)
}

// Read: Mark annotations as read by a user.
func (r AnnotationsOperations) Read(ctx context.Context, in ReadAnnotationsRequest, options ...CallOption) (ReadResult, error) {
	return call[ReadResult](ctx, r.c, &opAnnotationsRead, in, options)
}

// Update: Change annotations of a document.
func (r AnnotationsOperations) Update(ctx context.Context, in UpdateAnnotationsRequest, options ...CallOption) (ItemByIDResult, error) {
	return call[ItemByIDResult](ctx, r.c, &opAnnotationsUpdate, in, options)
}

// Copy: Make the allowed domains of an API key those of another.
func (r APIKeysOperations) Copy(ctx context.Context, in CopyAPIKeyRequest, options ...CallOption) (CopiedAPIKey, error) {
	result, err := call[CopiedAPIKeyResult](ctx, r.c, &opAPIKeysCopy, in, options)
	return result.Data, err
}

// Create: Create an API key.
func (r APIKeysOperations) Create(ctx context.Context, in CreateAPIKeyRequest, options ...CallOption) (CreatedAPIKey, error) {
	result, err := call[CreatedAPIKeyResult](ctx, r.c, &opAPIKeysCreate, in, options)
	return result.Data, err
}

// Get: List the API keys, newest first.
func (r APIKeysOperations) Get(ctx context.Context, in ListAPIKeysRequest, options ...CallOption) (APIKeyListResult, error) {
	return call[APIKeyListResult](ctx, r.c, &opAPIKeysGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r APIKeysOperations) GetAll(ctx context.Context, in ListAPIKeysRequest, options ...CallOption) iter.Seq2[APIKey, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[APIKey](ctx, r.c, &opAPIKeysGet, way, in, options)
}

// Update: Rename an API key.
func (r APIKeysOperations) Update(ctx context.Context, in UpdateAPIKeyRequest, options ...CallOption) error {
	_, err := call[JSON](ctx, r.c, &opAPIKeysUpdate, in, options)
	return err
}

// Get: List attempts to tell endpoints, newest first.
func (r AttemptsOperations) Get(ctx context.Context, in ListAttemptsRequest, options ...CallOption) (AttemptList, error) {
	result, err := call[AttemptListResult](ctx, r.c, &opAttemptsGet, in, options)
	return result.Data, err
}

// GetAll walks over all items of Get, page by page.
func (r AttemptsOperations) GetAll(ctx context.Context, in ListAttemptsRequest, options ...CallOption) iter.Seq2[EndpointAttempt, error] {
	way := pages{request: "iterator", items: "data.attempts", next: "data.iterator", done: "data.done"}
	return walk[EndpointAttempt](ctx, r.c, &opAttemptsGet, way, in, options)
}

// GenerateToken: Make a token that says who a user is.
func (r AuthOperations) GenerateToken(ctx context.Context, in GenerateTokenRequest, options ...CallOption) (Token, error) {
	result, err := call[TokenResult](ctx, r.c, &opAuthGenerateToken, in, options)
	return result.Data, err
}

// VerifyToken: Check a token that says who a user is.
func (r AuthOperations) VerifyToken(ctx context.Context, in VerifyTokenRequest, options ...CallOption) (TokenState, error) {
	result, err := call[TokenStateResult](ctx, r.c, &opAuthVerifyToken, in, options)
	return result.Data, err
}

// Ensure: Read the auth token of an API key, made if it has none.
func (r AuthTokensOperations) Ensure(ctx context.Context, in EnsureAuthTokenRequest, options ...CallOption) (EnsuredAuthToken, error) {
	result, err := call[EnsuredAuthTokenResult](ctx, r.c, &opAuthTokensEnsure, in, options)
	return result.Data, err
}

// Get: Read the auth token of an API key.
func (r AuthTokensOperations) Get(ctx context.Context, in GetAuthTokensRequest, options ...CallOption) (KeyTokens, error) {
	result, err := call[KeyTokensResult](ctx, r.c, &opAuthTokensGet, in, options)
	return result.Data, err
}

// Reset: Replace the auth token of an API key.
func (r AuthTokensOperations) Reset(ctx context.Context, in ResetAuthTokenRequest, options ...CallOption) (NewAuthToken, error) {
	result, err := call[NewAuthTokenResult](ctx, r.c, &opAuthTokensReset, in, options)
	return result.Data, err
}

// Add: Add comments to an annotation.
func (r CommentsOperations) Add(ctx context.Context, in AddCommentsRequest, options ...CallOption) ([]int64, error) {
	result, err := call[Int64ListResult](ctx, r.c, &opCommentsAdd, in, options)
	return result.Data, err
}

// Delete: Delete comments of an annotation, and it with the last one.
func (r CommentsOperations) Delete(ctx context.Context, in DeleteCommentsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opCommentsDelete, in, options)
	return result.Data, err
}

// Get: Read the comments of an annotation with all that is known of them, oldest first.
func (r CommentsOperations) Get(ctx context.Context, in GetWholeCommentsRequest, options ...CallOption) (WholeCommentPage, error) {
	return call[WholeCommentPage](ctx, r.c, &opCommentsGet, in, options)
}

// GetV1: Read the comments of an annotation, oldest first.
func (r CommentsOperations) GetV1(ctx context.Context, in GetCommentsRequest, options ...CallOption) (ThreadCommentPage, error) {
	return call[ThreadCommentPage](ctx, r.c, &opCommentsGetV1, in, options)
}

// Update: Change comments of an annotation.
func (r CommentsOperations) Update(ctx context.Context, in UpdateCommentsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opCommentsUpdate, in, options)
	return result.Data, err
}

// Trigger: Have patterns and alerts looked for now.
func (r ConsolidationOperations) Trigger(ctx context.Context, in TriggerConsolidationRequest, options ...CallOption) (Consolidation, error) {
	return call[Consolidation](ctx, r.c, &opConsolidationTrigger, in, options)
}

// Create: Store a definition as version 1.
func (r DefinitionsOperations) Create(ctx context.Context, in DefinitionRequest, options ...CallOption) (Definition, error) {
	return call[Definition](ctx, r.c, &opDefinitionsCreate, in, options)
}

// Delete: Delete a definition, or purge it.
func (r DefinitionsOperations) Delete(ctx context.Context, in DeleteDefinitionRequest, options ...CallOption) (DeletedDefinition, error) {
	return call[DeletedDefinition](ctx, r.c, &opDefinitionsDelete, in, options)
}

// Get: Read the current version of a definition.
func (r DefinitionsOperations) Get(ctx context.Context, in GetDefinitionRequest, options ...CallOption) (Definition, error) {
	return call[Definition](ctx, r.c, &opDefinitionsGet, in, options)
}

// GetVersions: Read one version of a definition.
func (r DefinitionsOperations) GetVersions(ctx context.Context, in GetVersionRequest, options ...CallOption) (Definition, error) {
	return call[Definition](ctx, r.c, &opDefinitionsGetVersions, in, options)
}

// Lint: Judge a definition without storing it.
func (r DefinitionsOperations) Lint(ctx context.Context, in DefinitionRequest, options ...CallOption) (LintResult, error) {
	return call[LintResult](ctx, r.c, &opDefinitionsLint, in, options)
}

// List: List the active definitions, latest change first.
func (r DefinitionsOperations) List(ctx context.Context, in ListDefinitionsRequest, options ...CallOption) (DefinitionList, error) {
	return call[DefinitionList](ctx, r.c, &opDefinitionsList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r DefinitionsOperations) ListAll(ctx context.Context, in ListDefinitionsRequest, options ...CallOption) iter.Seq2[Definition, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Definition](ctx, r.c, &opDefinitionsList, way, in, options)
}

// ListVersions: List the versions of a definition, latest first.
func (r DefinitionsOperations) ListVersions(ctx context.Context, in ListVersionsRequest, options ...CallOption) (VersionPage, error) {
	return call[VersionPage](ctx, r.c, &opDefinitionsListVersions, in, options)
}

// ListVersionsAll walks over all items of ListVersions, page by page.
func (r DefinitionsOperations) ListVersionsAll(ctx context.Context, in ListVersionsRequest, options ...CallOption) iter.Seq2[Version, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Version](ctx, r.c, &opDefinitionsListVersions, way, in, options)
}

// Update: Store the next version of a definition.
func (r DefinitionsOperations) Update(ctx context.Context, in DefinitionUpdateRequest, options ...CallOption) (Definition, error) {
	return call[Definition](ctx, r.c, &opDefinitionsUpdate, in, options)
}

// Add: Add documents.
func (r DocumentsOperations) Add(ctx context.Context, in AddDocumentsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opDocumentsAdd, in, options)
	return result.Data, err
}

// Delete: Delete documents with everything in them.
func (r DocumentsOperations) Delete(ctx context.Context, in DeleteDocumentsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opDocumentsDelete, in, options)
	return result.Data, err
}

// Get: List the documents of an organization, newest first.
func (r DocumentsOperations) Get(ctx context.Context, in GetDocumentsRequest, options ...CallOption) (DocumentListResult, error) {
	return call[DocumentListResult](ctx, r.c, &opDocumentsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r DocumentsOperations) GetAll(ctx context.Context, in GetDocumentsRequest, options ...CallOption) iter.Seq2[Document, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Document](ctx, r.c, &opDocumentsGet, way, in, options)
}

// GetCount: Count the documents of an organization.
func (r DocumentsOperations) GetCount(ctx context.Context, in CountDocumentsRequest, options ...CallOption) (DocumentCount, error) {
	result, err := call[DocumentCountResult](ctx, r.c, &opDocumentsGetCount, in, options)
	return result.Data, err
}

// Migrate: Give a document another id, with all that belongs to it.
func (r DocumentsOperations) Migrate(ctx context.Context, in MigrateDocumentRequest, options ...CallOption) (MigrationID, error) {
	result, err := call[MigrationIDResult](ctx, r.c, &opDocumentsMigrate, in, options)
	return result.Data, err
}

// MigrateStatus: Read how a migration stands.
func (r DocumentsOperations) MigrateStatus(ctx context.Context, in MigrationStatusRequest, options ...CallOption) (Migration, error) {
	result, err := call[MigrationResult](ctx, r.c, &opDocumentsMigrateStatus, in, options)
	return result.Data, err
}

// Move: Move documents into a folder.
func (r DocumentsOperations) Move(ctx context.Context, in MoveDocumentsRequest, options ...CallOption) (Moved, error) {
	return call[Moved](ctx, r.c, &opDocumentsMove, in, options)
}

// Update: Change documents.
func (r DocumentsOperations) Update(ctx context.Context, in UpdateDocumentsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opDocumentsUpdate, in, options)
	return result.Data, err
}

// UpdateAccess: Set who may enter documents.
func (r DocumentsOperations) UpdateAccess(ctx context.Context, in SetDocumentsAccessRequest, options ...CallOption) (map[string]DocumentAccess, error) {
	result, err := call[DocumentAccessByIDResult](ctx, r.c, &opDocumentsUpdateAccess, in, options)
	return result.Data, err
}

// UpdateAccessDisableState: Switch access to documents off or on.
func (r DocumentsOperations) UpdateAccessDisableState(ctx context.Context, in DisableDocumentsRequest, options ...CallOption) (map[string]Disabled, error) {
	result, err := call[DisabledByIDResult](ctx, r.c, &opDocumentsUpdateAccessDisableState, in, options)
	return result.Data, err
}

// Add: Let pages of domains call with the calling key.
func (r DomainsOperations) Add(ctx context.Context, in AddDomainsRequest, options ...CallOption) (AddedDomains, error) {
	result, err := call[AddedDomainsResult](ctx, r.c, &opDomainsAdd, in, options)
	return result.Data, err
}

// Delete: Let pages of domains no longer call with the calling key.
func (r DomainsOperations) Delete(ctx context.Context, in DeleteDomainsRequest, options ...CallOption) (RemovedDomains, error) {
	result, err := call[RemovedDomainsResult](ctx, r.c, &opDomainsDelete, in, options)
	return result.Data, err
}

// Get: List the domains whose pages may call with the calling key.
func (r DomainsOperations) Get(ctx context.Context, in GetDomainsRequest, options ...CallOption) (AllowedDomains, error) {
	result, err := call[AllowedDomainsResult](ctx, r.c, &opDomainsGet, in, options)
	return result.Data, err
}

// Create: Create a webhook endpoint.
func (r EndpointsOperations) Create(ctx context.Context, in CreateEndpointRequest, options ...CallOption) (Endpoint, error) {
	result, err := call[EndpointResult](ctx, r.c, &opEndpointsCreate, in, options)
	return result.Data, err
}

// Delete: Delete an endpoint.
func (r EndpointsOperations) Delete(ctx context.Context, in DeleteEndpointRequest, options ...CallOption) (DeletedEndpoint, error) {
	result, err := call[DeletedEndpointResult](ctx, r.c, &opEndpointsDelete, in, options)
	return result.Data, err
}

// Get: List the endpoints, newest first.
func (r EndpointsOperations) Get(ctx context.Context, in ListEndpointsRequest, options ...CallOption) (EndpointList, error) {
	result, err := call[EndpointListResult](ctx, r.c, &opEndpointsGet, in, options)
	return result.Data, err
}

// GetAll walks over all items of Get, page by page.
func (r EndpointsOperations) GetAll(ctx context.Context, in ListEndpointsRequest, options ...CallOption) iter.Seq2[Endpoint, error] {
	way := pages{request: "iterator", items: "data.endpoints", next: "data.iterator", done: "data.done"}
	return walk[Endpoint](ctx, r.c, &opEndpointsGet, way, in, options)
}

// GetRecover: Read how a recovery stands.
func (r EndpointsOperations) GetRecover(ctx context.Context, in GetRecoveryRequest, options ...CallOption) (Recovery, error) {
	result, err := call[RecoveryResult](ctx, r.c, &opEndpointsGetRecover, in, options)
	return result.Data, err
}

// GetSecret: Read the secret that signs what an endpoint is told.
func (r EndpointsOperations) GetSecret(ctx context.Context, in GetEndpointSecretRequest, options ...CallOption) (EndpointSecret, error) {
	result, err := call[EndpointSecretResult](ctx, r.c, &opEndpointsGetSecret, in, options)
	return result.Data, err
}

// Recover: Send an endpoint what it missed.
func (r EndpointsOperations) Recover(ctx context.Context, in RecoverEndpointRequest, options ...CallOption) (StartedRecovery, error) {
	result, err := call[StartedRecoveryResult](ctx, r.c, &opEndpointsRecover, in, options)
	return result.Data, err
}

// RotateSecret: Give an endpoint a new secret.
func (r EndpointsOperations) RotateSecret(ctx context.Context, in RotateEndpointSecretRequest, options ...CallOption) (RotatedSecret, error) {
	result, err := call[RotatedSecretResult](ctx, r.c, &opEndpointsRotateSecret, in, options)
	return result.Data, err
}

// Test: Tell an endpoint the sample of an event.
func (r EndpointsOperations) Test(ctx context.Context, in TestEndpointRequest, options ...CallOption) (TestedEndpoint, error) {
	result, err := call[TestedEndpointResult](ctx, r.c, &opEndpointsTest, in, options)
	return result.Data, err
}

// Update: Change an endpoint.
func (r EndpointsOperations) Update(ctx context.Context, in UpdateEndpointRequest, options ...CallOption) (Endpoint, error) {
	result, err := call[EndpointResult](ctx, r.c, &opEndpointsUpdate, in, options)
	return result.Data, err
}

// Get: List the types of events.
func (r EventTypesOperations) Get(ctx context.Context, in ListEventTypesRequest, options ...CallOption) (EventTypeList, error) {
	result, err := call[EventTypeListResult](ctx, r.c, &opEventTypesGet, in, options)
	return result.Data, err
}

// Cancel: End an execution.
func (r ExecutionsOperations) Cancel(ctx context.Context, in CancelExecutionRequest, options ...CallOption) (CancelResult, error) {
	return call[CancelResult](ctx, r.c, &opExecutionsCancel, in, options)
}

// Delete: Delete executions that have ended.
func (r ExecutionsOperations) Delete(ctx context.Context, in DeleteExecutionsRequest, options ...CallOption) (ExecutionsDeleted, error) {
	return call[ExecutionsDeleted](ctx, r.c, &opExecutionsDelete, in, options)
}

// Dispatch: Start an execution.
func (r ExecutionsOperations) Dispatch(ctx context.Context, in DispatchRequest, options ...CallOption) (DispatchResult, error) {
	return call[DispatchResult](ctx, r.c, &opExecutionsDispatch, in, options)
}

// Get: Read an execution with its steps.
func (r ExecutionsOperations) Get(ctx context.Context, in GetExecutionRequest, options ...CallOption) (Execution, error) {
	return call[Execution](ctx, r.c, &opExecutionsGet, in, options)
}

// GetDeliveries: List what an execution's receiver was sent, newest first.
func (r ExecutionsOperations) GetDeliveries(ctx context.Context, in ListDeliveriesRequest, options ...CallOption) (DeliveryPage, error) {
	return call[DeliveryPage](ctx, r.c, &opExecutionsGetDeliveries, in, options)
}

// GetDeliveriesAll walks over all items of GetDeliveries, page by page.
func (r ExecutionsOperations) GetDeliveriesAll(ctx context.Context, in ListDeliveriesRequest, options ...CallOption) iter.Seq2[Delivery, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Delivery](ctx, r.c, &opExecutionsGetDeliveries, way, in, options)
}

// GetEvents: Read the events of an execution.
func (r ExecutionsOperations) GetEvents(ctx context.Context, in GetEventsRequest, options ...CallOption) (EventList, error) {
	return call[EventList](ctx, r.c, &opExecutionsGetEvents, in, options)
}

// GetEventsAll walks over all items of GetEvents, page by page.
func (r ExecutionsOperations) GetEventsAll(ctx context.Context, in GetEventsRequest, options ...CallOption) iter.Seq2[Event, error] {
	way := pages{request: "sinceSeq", items: "events", next: "nextCursor", done: ""}
	return walk[Event](ctx, r.c, &opExecutionsGetEvents, way, in, options)
}

// List: List executions, newest first.
func (r ExecutionsOperations) List(ctx context.Context, in ListExecutionsRequest, options ...CallOption) (ExecutionList, error) {
	return call[ExecutionList](ctx, r.c, &opExecutionsList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r ExecutionsOperations) ListAll(ctx context.Context, in ListExecutionsRequest, options ...CallOption) iter.Seq2[Execution, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Execution](ctx, r.c, &opExecutionsList, way, in, options)
}

// Pause: Keep an execution from going on.
func (r ExecutionsOperations) Pause(ctx context.Context, in ExecutionActRequest, options ...CallOption) (PauseResult, error) {
	return call[PauseResult](ctx, r.c, &opExecutionsPause, in, options)
}

// Redeliver: Send events again.
func (r ExecutionsOperations) Redeliver(ctx context.Context, in RedeliverRequest, options ...CallOption) (RedeliverResult, error) {
	return call[RedeliverResult](ctx, r.c, &opExecutionsRedeliver, in, options)
}

// Resume: Let a paused execution go on.
func (r ExecutionsOperations) Resume(ctx context.Context, in ExecutionActRequest, options ...CallOption) (PauseResult, error) {
	return call[PauseResult](ctx, r.c, &opExecutionsResume, in, options)
}

// Retry: Try a failed execution again.
func (r ExecutionsOperations) Retry(ctx context.Context, in RetryExecutionRequest, options ...CallOption) (Execution, error) {
	return call[Execution](ctx, r.c, &opExecutionsRetry, in, options)
}

// Add: Add folders to an organization.
func (r FoldersOperations) Add(ctx context.Context, in AddFoldersRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opFoldersAdd, in, options)
	return result.Data, err
}

// Delete: Delete a folder with all that stands in it.
func (r FoldersOperations) Delete(ctx context.Context, in DeleteFolderRequest, options ...CallOption) error {
	_, err := call[JSON](ctx, r.c, &opFoldersDelete, in, options)
	return err
}

// Get: Read folders with what stands in them, newest first.
func (r FoldersOperations) Get(ctx context.Context, in GetFoldersRequest, options ...CallOption) (FolderListResult, error) {
	return call[FolderListResult](ctx, r.c, &opFoldersGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r FoldersOperations) GetAll(ctx context.Context, in GetFoldersRequest, options ...CallOption) iter.Seq2[Folder, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Folder](ctx, r.c, &opFoldersGet, way, in, options)
}

// Update: Rename and move folders.
func (r FoldersOperations) Update(ctx context.Context, in UpdateFoldersRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opFoldersUpdate, in, options)
	return result.Data, err
}

// UpdateAccess: Set who may enter folders.
func (r FoldersOperations) UpdateAccess(ctx context.Context, in UpdateFolderAccessRequest, options ...CallOption) (map[string]FolderAccess, error) {
	result, err := call[FolderAccessByIDResult](ctx, r.c, &opFoldersUpdateAccess, in, options)
	return result.Data, err
}

// List: List the jobs of the workspace, newest first.
func (r JobsOperations) List(ctx context.Context, in ListJobsRequest, options ...CallOption) (JobListResult, error) {
	return call[JobListResult](ctx, r.c, &opJobsList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r JobsOperations) ListAll(ctx context.Context, in ListJobsRequest, options ...CallOption) iter.Seq2[Job, error] {
	way := pages{request: "pageToken", items: "data.items", next: "nextPageToken", done: ""}
	return walk[Job](ctx, r.c, &opJobsList, way, in, options)
}

// Delete: Delete judgments; the acts behind them stay.
func (r JudgmentsOperations) Delete(ctx context.Context, in DeleteJudgmentsRequest, options ...CallOption) (JudgmentsDeleted, error) {
	return call[JudgmentsDeleted](ctx, r.c, &opJudgmentsDelete, in, options)
}

// Query: List judgments by what is known about them.
func (r JudgmentsOperations) Query(ctx context.Context, in QueryJudgmentsRequest, options ...CallOption) (JudgmentList, error) {
	return call[JudgmentList](ctx, r.c, &opJudgmentsQuery, in, options)
}

// QueryAll walks over all items of Query, page by page.
func (r JudgmentsOperations) QueryAll(ctx context.Context, in QueryJudgmentsRequest, options ...CallOption) iter.Seq2[Judgment, error] {
	way := pages{request: "cursor", items: "results", next: "nextCursor", done: ""}
	return walk[Judgment](ctx, r.c, &opJudgmentsQuery, way, in, options)
}

// Record: Record judgments that were made elsewhere.
func (r JudgmentsOperations) Record(ctx context.Context, in RecordJudgmentsRequest, options ...CallOption) (JudgmentsRecorded, error) {
	return call[JudgmentsRecorded](ctx, r.c, &opJudgmentsRecord, in, options)
}

// Delete: Delete a source with all that was made of it.
func (r KnowledgeOperations) Delete(ctx context.Context, in DeleteSourceRequest, options ...CallOption) (SourceDeleted, error) {
	return call[SourceDeleted](ctx, r.c, &opKnowledgeDelete, in, options)
}

// Download: Read the text of a source.
func (r KnowledgeOperations) Download(ctx context.Context, in NamedSourceRequest, options ...CallOption) (*string, error) {
	return call[*string](ctx, r.c, &opKnowledgeDownload, in, options)
}

// Ingest: Bring a file in as a source of knowledge.
func (r KnowledgeOperations) Ingest(ctx context.Context, in IngestRequest, options ...CallOption) (IngestResult, error) {
	return call[IngestResult](ctx, r.c, &opKnowledgeIngest, in, options)
}

// IngestStatus: Tell how the ingestion of a source goes.
func (r KnowledgeOperations) IngestStatus(ctx context.Context, in IngestStatusRequest, options ...CallOption) (IngestStatus, error) {
	return call[IngestStatus](ctx, r.c, &opKnowledgeIngestStatus, in, options)
}

// List: List the sources of knowledge.
func (r KnowledgeOperations) List(ctx context.Context, in ListSourcesRequest, options ...CallOption) ([]Source, error) {
	return call[[]Source](ctx, r.c, &opKnowledgeList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r KnowledgeOperations) ListAll(ctx context.Context, in ListSourcesRequest, options ...CallOption) iter.Seq2[Source, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[Source](ctx, r.c, &opKnowledgeList, way, in, options)
}

// Retry: Bring a source in again that failed.
func (r KnowledgeOperations) Retry(ctx context.Context, in NamedSourceRequest, options ...CallOption) (IngestResult, error) {
	return call[IngestResult](ctx, r.c, &opKnowledgeRetry, in, options)
}

// Rules: List the rules of a source.
func (r KnowledgeOperations) Rules(ctx context.Context, in NamedSourceRequest, options ...CallOption) ([]Rule, error) {
	return call[[]Rule](ctx, r.c, &opKnowledgeRules, in, options)
}

// Search: Find chunks and rules by meaning, with hybrid also by words.
func (r KnowledgeOperations) Search(ctx context.Context, in KnowledgeSearchRequest, options ...CallOption) (KnowledgeResults, error) {
	return call[KnowledgeResults](ctx, r.c, &opKnowledgeSearch, in, options)
}

// Update: Replace the content of a source, and see which rules changed.
func (r KnowledgeOperations) Update(ctx context.Context, in UpdateRequest, options ...CallOption) (UpdateResult, error) {
	return call[UpdateResult](ctx, r.c, &opKnowledgeUpdate, in, options)
}

// UploadURL: Mint an address for uploading a file.
func (r KnowledgeOperations) UploadURL(ctx context.Context, in UploadURLRequest, options ...CallOption) (UploadURLResult, error) {
	return call[UploadURLResult](ctx, r.c, &opKnowledgeUploadURL, in, options)
}

// Ask: Answer a question with sentences of judgments and knowledge.
func (r MemoryOperations) Ask(ctx context.Context, in AskRequest, options ...CallOption) (AskResult, error) {
	return call[AskResult](ctx, r.c, &opMemoryAsk, in, options)
}

// Search: Find judgments: a thread, the newest of some days, or by meaning.
func (r MemoryOperations) Search(ctx context.Context, in SearchJudgmentsRequest, options ...CallOption) (JudgmentsFound, error) {
	return call[JudgmentsFound](ctx, r.c, &opMemorySearch, in, options)
}

// Suggest: Advise how to decide, by what was decided about things like it.
func (r MemoryOperations) Suggest(ctx context.Context, in SuggestRequest, options ...CallOption) (SuggestResult, error) {
	return call[SuggestResult](ctx, r.c, &opMemorySuggest, in, options)
}

// Get: List messages, newest first.
func (r MessagesOperations) Get(ctx context.Context, in ListMessagesRequest, options ...CallOption) (MessageList, error) {
	result, err := call[MessageListResult](ctx, r.c, &opMessagesGet, in, options)
	return result.Data, err
}

// GetAll walks over all items of Get, page by page.
func (r MessagesOperations) GetAll(ctx context.Context, in ListMessagesRequest, options ...CallOption) iter.Seq2[Message, error] {
	way := pages{request: "iterator", items: "data.messages", next: "data.iterator", done: "data.done"}
	return walk[Message](ctx, r.c, &opMessagesGet, way, in, options)
}

// Resend: Send an endpoint a message again.
func (r MessagesOperations) Resend(ctx context.Context, in ResendMessageRequest, options ...CallOption) (ResentMessage, error) {
	result, err := call[ResentMessageResult](ctx, r.c, &opMessagesResend, in, options)
	return result.Data, err
}

// Add: Notify users of something that is about no comment.
func (r NotificationsOperations) Add(ctx context.Context, in AddNotificationRequest, options ...CallOption) (AddedNotification, error) {
	result, err := call[AddedNotificationResult](ctx, r.c, &opNotificationsAdd, in, options)
	return result.Data, err
}

// Delete: Delete notifications, or the entries of a user.
func (r NotificationsOperations) Delete(ctx context.Context, in DeleteNotificationsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opNotificationsDelete, in, options)
	return result.Data, err
}

// Get: List notifications, newest first.
func (r NotificationsOperations) Get(ctx context.Context, in GetNotificationsRequest, options ...CallOption) (NotificationListResult, error) {
	return call[NotificationListResult](ctx, r.c, &opNotificationsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r NotificationsOperations) GetAll(ctx context.Context, in GetNotificationsRequest, options ...CallOption) iter.Seq2[Notification, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Notification](ctx, r.c, &opNotificationsGet, way, in, options)
}

// GetConfig: Read what a user wants to be told of.
func (r NotificationsOperations) GetConfig(ctx context.Context, in GetPreferencesRequest, options ...CallOption) ([]Preference, error) {
	result, err := call[PreferenceListResult](ctx, r.c, &opNotificationsGetConfig, in, options)
	return result.Data, err
}

// SetConfig: Set what users want to be told of.
func (r NotificationsOperations) SetConfig(ctx context.Context, in SetPreferencesRequest, options ...CallOption) (map[string]PreferenceSet, error) {
	result, err := call[PreferenceSetByIDResult](ctx, r.c, &opNotificationsSetConfig, in, options)
	return result.Data, err
}

// Update: Mark notifications as read, and change what a caller says in those that it added.
func (r NotificationsOperations) Update(ctx context.Context, in UpdateNotificationsRequest, options ...CallOption) (UpdatedNotifications, error) {
	return call[UpdatedNotifications](ctx, r.c, &opNotificationsUpdate, in, options)
}

// Add: Add organizations.
func (r OrganizationsOperations) Add(ctx context.Context, in ChangedOrganizationsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opOrganizationsAdd, in, options)
	return result.Data, err
}

// Delete: Delete organizations with everything in them.
func (r OrganizationsOperations) Delete(ctx context.Context, in DeleteOrganizationsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opOrganizationsDelete, in, options)
	return result.Data, err
}

// Get: List the organizations, newest first.
func (r OrganizationsOperations) Get(ctx context.Context, in GetOrganizationsRequest, options ...CallOption) (OrganizationListResult, error) {
	return call[OrganizationListResult](ctx, r.c, &opOrganizationsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r OrganizationsOperations) GetAll(ctx context.Context, in GetOrganizationsRequest, options ...CallOption) iter.Seq2[Organization, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Organization](ctx, r.c, &opOrganizationsGet, way, in, options)
}

// Update: Change organizations.
func (r OrganizationsOperations) Update(ctx context.Context, in ChangedOrganizationsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opOrganizationsUpdate, in, options)
	return result.Data, err
}

// UpdateAccessDisableState: Switch access to organizations off or on.
func (r OrganizationsOperations) UpdateAccessDisableState(ctx context.Context, in DisableOrganizationsRequest, options ...CallOption) (map[string]Disabled, error) {
	result, err := call[DisabledByIDResult](ctx, r.c, &opOrganizationsUpdateAccessDisableState, in, options)
	return result.Data, err
}

// Get: Read whether the owner has confirmed the e-mail address.
func (r OwnerOperations) Get(ctx context.Context, in GetOwnerRequest, options ...CallOption) (OwnerConfirmation, error) {
	result, err := call[OwnerConfirmationResult](ctx, r.c, &opOwnerGet, in, options)
	return result.Data, err
}

// SendConfirmation: Send the owner a mail that asks to confirm the e-mail address.
func (r OwnerOperations) SendConfirmation(ctx context.Context, in SendOwnerConfirmationRequest, options ...CallOption) (ConfirmationAsked, error) {
	return call[ConfirmationAsked](ctx, r.c, &opOwnerSendConfirmation, in, options)
}

// Get: List what reviewers usually decide.
func (r PatternsOperations) Get(ctx context.Context, in GetPatternsRequest, options ...CallOption) ([]Pattern, error) {
	return call[[]Pattern](ctx, r.c, &opPatternsGet, in, options)
}

// Add: Grant a user organizations, folders and documents.
func (r PermissionsOperations) Add(ctx context.Context, in AddPermissionsRequest, options ...CallOption) (Done, error) {
	return call[Done](ctx, r.c, &opPermissionsAdd, in, options)
}

// Get: Read what users may do.
func (r PermissionsOperations) Get(ctx context.Context, in GetPermissionsRequest, options ...CallOption) (map[string]UserPermissions, error) {
	result, err := call[UserPermissionsByIDResult](ctx, r.c, &opPermissionsGet, in, options)
	return result.Data, err
}

// Remove: Take grants from a user.
func (r PermissionsOperations) Remove(ctx context.Context, in RemovePermissionsRequest, options ...CallOption) (Done, error) {
	return call[Done](ctx, r.c, &opPermissionsRemove, in, options)
}

// Get: Read what a user's judgments say about them.
func (r ProfilesOperations) Get(ctx context.Context, in GetProfileRequest, options ...CallOption) (*Profile, error) {
	return call[*Profile](ctx, r.c, &opProfilesGet, in, options)
}

// Get: Count what the workspace remembers.
func (r StatsOperations) Get(ctx context.Context, in GetStatsRequest, options ...CallOption) (Stats, error) {
	return call[Stats](ctx, r.c, &opStatsGet, in, options)
}

// Cancel: End a step without going on from it.
func (r StepsOperations) Cancel(ctx context.Context, in CancelStepRequest, options ...CallOption) (CancelStepResult, error) {
	return call[CancelStepResult](ctx, r.c, &opStepsCancel, in, options)
}

// List: List steps: the inbox of a person.
func (r StepsOperations) List(ctx context.Context, in ListStepsRequest, options ...CallOption) (ListedStepPage, error) {
	return call[ListedStepPage](ctx, r.c, &opStepsList, in, options)
}

// ListAll walks over all items of List, page by page.
func (r StepsOperations) ListAll(ctx context.Context, in ListStepsRequest, options ...CallOption) iter.Seq2[ListedStep, error] {
	way := pages{request: "cursor", items: "items", next: "nextCursor", done: ""}
	return walk[ListedStep](ctx, r.c, &opStepsList, way, in, options)
}

// Reassign: Put a person in the place of a reviewer.
func (r StepsOperations) Reassign(ctx context.Context, in ReassignStepRequest, options ...CallOption) (ReassignResult, error) {
	return call[ReassignResult](ctx, r.c, &opStepsReassign, in, options)
}

// RecordAgentResolution: Record what became of an agent's step.
func (r StepsOperations) RecordAgentResolution(ctx context.Context, in AgentResolutionRequest, options ...CallOption) (DecideResult, error) {
	return call[DecideResult](ctx, r.c, &opStepsRecordAgentResolution, in, options)
}

// RecordReviewerDecision: Record what a reviewer decided.
func (r StepsOperations) RecordReviewerDecision(ctx context.Context, in DecideStepRequest, options ...CallOption) (DecideResult, error) {
	return call[DecideResult](ctx, r.c, &opStepsRecordReviewerDecision, in, options)
}

// Resolve: End a step by hand.
func (r StepsOperations) Resolve(ctx context.Context, in ResolveStepRequest, options ...CallOption) (ResolveResult, error) {
	return call[ResolveResult](ctx, r.c, &opStepsResolve, in, options)
}

// Get: Read what the workspace keeps and has, and what it may.
func (r UsageOperations) Get(ctx context.Context, in GetUsageRequest, options ...CallOption) (Usage, error) {
	result, err := call[UsageResult](ctx, r.c, &opUsageGet, in, options)
	return result.Data, err
}

// Add: Add user groups to an organization, or rename them.
func (r UserGroupsOperations) Add(ctx context.Context, in AddGroupsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opUserGroupsAdd, in, options)
	return result.Data, err
}

// AddUsers: Add members of the organization to a user group.
func (r UserGroupsOperations) AddUsers(ctx context.Context, in AddGroupUsersRequest, options ...CallOption) (map[string]GroupUser, error) {
	result, err := call[GroupUserByIDResult](ctx, r.c, &opUserGroupsAddUsers, in, options)
	return result.Data, err
}

// Delete: Delete user groups, not the users.
func (r UserGroupsOperations) Delete(ctx context.Context, in DeleteGroupsRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opUserGroupsDelete, in, options)
	return result.Data, err
}

// DeleteUsers: Take users out of a user group.
func (r UserGroupsOperations) DeleteUsers(ctx context.Context, in DeleteGroupUsersRequest, options ...CallOption) (map[string]GroupUser, error) {
	result, err := call[GroupUserByIDResult](ctx, r.c, &opUserGroupsDeleteUsers, in, options)
	return result.Data, err
}

// Get: List the user groups of an organization, newest first.
func (r UserGroupsOperations) Get(ctx context.Context, in GetGroupsRequest, options ...CallOption) (GroupListResult, error) {
	return call[GroupListResult](ctx, r.c, &opUserGroupsGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r UserGroupsOperations) GetAll(ctx context.Context, in GetGroupsRequest, options ...CallOption) iter.Seq2[Group, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Group](ctx, r.c, &opUserGroupsGet, way, in, options)
}

// Add: Add users to an organization, a folder or a document.
func (r UsersOperations) Add(ctx context.Context, in AddUsersRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opUsersAdd, in, options)
	return result.Data, err
}

// AddInvite: Invite somebody by e-mail into an organization, a folder or a document.
func (r UsersOperations) AddInvite(ctx context.Context, in AddInvitationRequest, options ...CallOption) (Invitation, error) {
	result, err := call[InvitationResult](ctx, r.c, &opUsersAddInvite, in, options)
	return result.Data, err
}

// DataDeleteStatus: Read how an erasure stands.
func (r UsersOperations) DataDeleteStatus(ctx context.Context, in PersonJobRequest, options ...CallOption) (Erasure, error) {
	result, err := call[ErasureResult](ctx, r.c, &opUsersDataDeleteStatus, in, options)
	return result.Data, err
}

// DataExport: Write what is kept of a person into a file.
func (r UsersOperations) DataExport(ctx context.Context, in ExportPersonRequest, options ...CallOption) (ExportAccepted, error) {
	result, err := call[ExportAcceptedResult](ctx, r.c, &opUsersDataExport, in, options)
	return result.Data, err
}

// DataExportStatus: Read how an export stands, and where its file is.
func (r UsersOperations) DataExportStatus(ctx context.Context, in PersonJobRequest, options ...CallOption) (Export, error) {
	result, err := call[ExportResult](ctx, r.c, &opUsersDataExportStatus, in, options)
	return result.Data, err
}

// Delete: Remove users from an organization, a folder or a document.
func (r UsersOperations) Delete(ctx context.Context, in DeleteUsersRequest, options ...CallOption) (map[string]RemovedUser, error) {
	result, err := call[RemovedUserByIDResult](ctx, r.c, &opUsersDelete, in, options)
	return result.Data, err
}

// DeleteData: Forget people, everywhere or in some organizations.
func (r UsersOperations) DeleteData(ctx context.Context, in ErasePersonsRequest, options ...CallOption) (ErasureAccepted, error) {
	result, err := call[ErasureAcceptedResult](ctx, r.c, &opUsersDeleteData, in, options)
	return result.Data, err
}

// Get: List the users of an organization, a folder, a document or of all documents, newest first.
func (r UsersOperations) Get(ctx context.Context, in GetUsersRequest, options ...CallOption) (UserListResult, error) {
	return call[UserListResult](ctx, r.c, &opUsersGet, in, options)
}

// GetAll walks over all items of Get, page by page.
func (r UsersOperations) GetAll(ctx context.Context, in GetUsersRequest, options ...CallOption) iter.Seq2[User, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[User](ctx, r.c, &opUsersGet, way, in, options)
}

// GetCount: Count the users of an organization, of a document or of all documents.
func (r UsersOperations) GetCount(ctx context.Context, in CountUsersRequest, options ...CallOption) (CountOf, error) {
	result, err := call[CountOfResult](ctx, r.c, &opUsersGetCount, in, options)
	return result.Data, err
}

// GetData: Read what is kept of a person, page by page.
func (r UsersOperations) GetData(ctx context.Context, in GetPersonRequest, options ...CallOption) (PersonDataPage, error) {
	return call[PersonDataPage](ctx, r.c, &opUsersGetData, in, options)
}

// GetDoc: List who was added to documents, with these, newest first.
func (r UsersOperations) GetDoc(ctx context.Context, in GetDocumentUsersRequest, options ...CallOption) (DocumentUsersResult, error) {
	return call[DocumentUsersResult](ctx, r.c, &opUsersGetDoc, in, options)
}

// GetDocAll walks over all items of GetDoc, page by page.
func (r UsersOperations) GetDocAll(ctx context.Context, in GetDocumentUsersRequest, options ...CallOption) iter.Seq2[User, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[User](ctx, r.c, &opUsersGetDoc, way, in, options)
}

// GetInvitations: List the invitations of one e-mail, newest first.
func (r UsersOperations) GetInvitations(ctx context.Context, in GetInvitationsOfRequest, options ...CallOption) (InvitationListResult, error) {
	return call[InvitationListResult](ctx, r.c, &opUsersGetInvitations, in, options)
}

// GetInvitationsAll walks over all items of GetInvitations, page by page.
func (r UsersOperations) GetInvitationsAll(ctx context.Context, in GetInvitationsOfRequest, options ...CallOption) iter.Seq2[Invitation, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Invitation](ctx, r.c, &opUsersGetInvitations, way, in, options)
}

// GetInvite: List the invitations of an organization, newest first.
func (r UsersOperations) GetInvite(ctx context.Context, in GetInvitationsRequest, options ...CallOption) (InvitationListResult, error) {
	return call[InvitationListResult](ctx, r.c, &opUsersGetInvite, in, options)
}

// GetInviteAll walks over all items of GetInvite, page by page.
func (r UsersOperations) GetInviteAll(ctx context.Context, in GetInvitationsRequest, options ...CallOption) iter.Seq2[Invitation, error] {
	way := pages{request: "pageToken", items: "data", next: "nextPageToken", done: ""}
	return walk[Invitation](ctx, r.c, &opUsersGetInvite, way, in, options)
}

// InvitePendingCount: Count the pending invitations of a kind.
func (r UsersOperations) InvitePendingCount(ctx context.Context, in CountInvitationsRequest, options ...CallOption) (CountOf, error) {
	result, err := call[CountOfResult](ctx, r.c, &opUsersInvitePendingCount, in, options)
	return result.Data, err
}

// InviteRespond: Accept, reject or withdraw an invitation.
func (r UsersOperations) InviteRespond(ctx context.Context, in RespondInvitationRequest, options ...CallOption) (Invitation, error) {
	result, err := call[InvitationResult](ctx, r.c, &opUsersInviteRespond, in, options)
	return result.Data, err
}

// Update: Change users.
func (r UsersOperations) Update(ctx context.Context, in UpdateUsersRequest, options ...CallOption) (map[string]Item, error) {
	result, err := call[ItemByIDResult](ctx, r.c, &opUsersUpdate, in, options)
	return result.Data, err
}

// Create: Create a workspace.
func (r WorkspaceOperations) Create(ctx context.Context, in CreateWorkspaceRequest, options ...CallOption) (Workspace, error) {
	result, err := call[WorkspaceResult](ctx, r.c, &opWorkspaceCreate, in, options)
	return result.Data, err
}

// EmailConfigConfirm: Confirm the sender of mails with the code that was sent to it.
func (r WorkspaceOperations) EmailConfigConfirm(ctx context.Context, in ConfirmSenderRequest, options ...CallOption) (EmailSettings, error) {
	result, err := call[EmailSettingsResult](ctx, r.c, &opWorkspaceEmailConfigConfirm, in, options)
	return result.Data, err
}

// Get: Read the workspace with its token and keys.
func (r WorkspaceOperations) Get(ctx context.Context, in GetWorkspaceRequest, options ...CallOption) (Workspace, error) {
	result, err := call[WorkspaceResult](ctx, r.c, &opWorkspaceGet, in, options)
	return result.Data, err
}

// GetActivityConfig: Read what is set for activities.
func (r WorkspaceOperations) GetActivityConfig(ctx context.Context, in GetActivitySettingsRequest, options ...CallOption) (ActivitySettings, error) {
	result, err := call[ActivitySettingsResult](ctx, r.c, &opWorkspaceGetActivityConfig, in, options)
	return result.Data, err
}

// GetAdvancedWebhookConfig: Read what is set for all endpoints.
func (r WorkspaceOperations) GetAdvancedWebhookConfig(ctx context.Context, in GetWebhookSettingsRequest, options ...CallOption) (WebhookSettings, error) {
	result, err := call[WebhookSettingsResult](ctx, r.c, &opWorkspaceGetAdvancedWebhookConfig, in, options)
	return result.Data, err
}

// GetAPIKeyConfig: Read the settings of the workspace.
func (r WorkspaceOperations) GetAPIKeyConfig(ctx context.Context, in GetSettingsRequest, options ...CallOption) (Settings, error) {
	result, err := call[SettingsResult](ctx, r.c, &opWorkspaceGetAPIKeyConfig, in, options)
	return result.Data, err
}

// GetEmailConfig: Read how the workspace sends mails.
func (r WorkspaceOperations) GetEmailConfig(ctx context.Context, in GetEmailSettingsRequest, options ...CallOption) (EmailSettings, error) {
	result, err := call[EmailSettingsResult](ctx, r.c, &opWorkspaceGetEmailConfig, in, options)
	return result.Data, err
}

// GetNotificationConfig: Read what is set for notifications.
func (r WorkspaceOperations) GetNotificationConfig(ctx context.Context, in GetNotificationSettingsRequest, options ...CallOption) (NotificationSettings, error) {
	result, err := call[NotificationSettingsResult](ctx, r.c, &opWorkspaceGetNotificationConfig, in, options)
	return result.Data, err
}

// GetPermissionProviderConfig: Read which permission provider is asked.
func (r WorkspaceOperations) GetPermissionProviderConfig(ctx context.Context, in GetProviderRequest, options ...CallOption) (Provider, error) {
	result, err := call[ProviderResult](ctx, r.c, &opWorkspaceGetPermissionProviderConfig, in, options)
	return result.Data, err
}

// GetWebhookConfig: Read the simple receiver of what happens to comments.
func (r WorkspaceOperations) GetWebhookConfig(ctx context.Context, in GetSimpleReceiverRequest, options ...CallOption) (SimpleReceiver, error) {
	result, err := call[SimpleReceiverResult](ctx, r.c, &opWorkspaceGetWebhookConfig, in, options)
	return result.Data, err
}

// UpdateActivityConfig: Change what is set for activities.
func (r WorkspaceOperations) UpdateActivityConfig(ctx context.Context, in UpdateActivitySettingsRequest, options ...CallOption) (ActivitySettings, error) {
	result, err := call[ActivitySettingsResult](ctx, r.c, &opWorkspaceUpdateActivityConfig, in, options)
	return result.Data, err
}

// UpdateAdvancedWebhookConfig: Switch webhooks on or off, and change what is set for all endpoints.
func (r WorkspaceOperations) UpdateAdvancedWebhookConfig(ctx context.Context, in UpdateWebhookSettingsRequest, options ...CallOption) (WebhookSettings, error) {
	result, err := call[WebhookSettingsResult](ctx, r.c, &opWorkspaceUpdateAdvancedWebhookConfig, in, options)
	return result.Data, err
}

// UpdateAPIKeyConfig: Change the settings of the workspace.
func (r WorkspaceOperations) UpdateAPIKeyConfig(ctx context.Context, in UpdateSettingsRequest, options ...CallOption) (Settings, error) {
	result, err := call[SettingsResult](ctx, r.c, &opWorkspaceUpdateAPIKeyConfig, in, options)
	return result.Data, err
}

// UpdateEmailConfig: Change how the workspace sends mails.
func (r WorkspaceOperations) UpdateEmailConfig(ctx context.Context, in UpdateEmailSettingsRequest, options ...CallOption) (EmailSettings, error) {
	result, err := call[EmailSettingsResult](ctx, r.c, &opWorkspaceUpdateEmailConfig, in, options)
	return result.Data, err
}

// UpdateNotificationConfig: Change what is set for notifications.
func (r WorkspaceOperations) UpdateNotificationConfig(ctx context.Context, in UpdateNotificationSettingsRequest, options ...CallOption) (NotificationSettings, error) {
	result, err := call[NotificationSettingsResult](ctx, r.c, &opWorkspaceUpdateNotificationConfig, in, options)
	return result.Data, err
}

// UpdatePermissionProviderConfig: Change which permission provider is asked.
func (r WorkspaceOperations) UpdatePermissionProviderConfig(ctx context.Context, in UpdateProviderRequest, options ...CallOption) (Provider, error) {
	result, err := call[ProviderResult](ctx, r.c, &opWorkspaceUpdatePermissionProviderConfig, in, options)
	return result.Data, err
}

// UpdateWebhookConfig: Change the simple receiver of what happens to comments.
func (r WorkspaceOperations) UpdateWebhookConfig(ctx context.Context, in UpdateSimpleReceiverRequest, options ...CallOption) (SimpleReceiver, error) {
	result, err := call[SimpleReceiverResult](ctx, r.c, &opWorkspaceUpdateWebhookConfig, in, options)
	return result.Data, err
}
