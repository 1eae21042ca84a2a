package client

// Operations by their paths after /v2/, a block an area.

// Operations on activities.
const (
	ActivitiesAdd    = "activities/add"
	GetActivities    = "activities/get"
	UpdateActivities = "activities/update"
	DeleteActivities = "activities/delete"
)

// Operations on agents.
const (
	CreateAgent = "agents/create"
	DeleteAgent = "agents/delete"
	GetAgent    = "agents/get"
	ListAgents  = "agents/list"
	UpdateAgent = "agents/update"

	UpdateAgentVersion  = "agents/version/update"
	ListAgentVersions   = "agents/versions/list"
	RestoreAgentVersion = "agents/versions/restore"
	RunAgent            = "agents/execution/run"
	GetAgentRun         = "agents/execution/get"
	ListAgentRuns       = "agents/execution/list"
	CountAgentRuns      = "agents/execution/count"
	GetAgentAnalytics   = "agents/analytics/get"

	AddToAgentGroup      = "agents/groups/add-agents"
	CreateAgentGroup     = "agents/groups/create"
	DeleteAgentGroup     = "agents/groups/delete"
	GetAgentGroup        = "agents/groups/get"
	ListAgentGroups      = "agents/groups/list"
	RemoveFromAgentGroup = "agents/groups/remove-agents"
	UpdateAgentGroup     = "agents/groups/update"
)

// Operations on annotations.
const (
	AddAnnotations    = "commentannotations/add"
	CountAnnotations  = "commentannotations/count/get"
	DeleteAnnotations = "commentannotations/delete"
	GetAnnotations    = "commentannotations/get"
	ReadAnnotations   = "commentannotations/read"
	UpdateAnnotations = "commentannotations/update"
)

// Operations on comments.
const (
	AddComments    = "commentannotations/comments/add"
	DeleteComments = "commentannotations/comments/delete"
	GetComments    = "commentannotations/comments/get"
	UpdateComments = "commentannotations/comments/update"
)

// Operations on definitions.
const (
	CreateDefinition = "workflow/definitions/create"
	DeleteDefinition = "workflow/definitions/delete"
	GetDefinition    = "workflow/definitions/get"
	LintDefinition   = "workflow/definitions/lint"
	ListDefinitions  = "workflow/definitions/list"
	UpdateDefinition = "workflow/definitions/update"
	GetVersion       = "workflow/definitions/versions/get"
	ListVersions     = "workflow/definitions/versions/list"
)

// Operations on documents.
const (
	SetAccess        = "organizations/documents/access/update"
	AddDocuments     = "organizations/documents/add"
	CountDocuments   = "organizations/documents/count/get"
	DeleteDocuments  = "organizations/documents/delete"
	DisableDocuments = "organizations/documents/access/disablestate/update"
	GetDocuments     = "organizations/documents/get"
	Migrate          = "organizations/documents/migrate"
	MigrateStatus    = "organizations/documents/migrate/status"
	MoveDocuments    = "organizations/documents/move"
	UpdateDocuments  = "organizations/documents/update"
)

// Operations on the domains of a workspace.
const (
	AddDomains    = "workspace/domains/add"
	DeleteDomains = "workspace/domains/delete"
	GetDomains    = "workspace/domains/get"
)

// Operations on the settings of e-mail.
const (
	GetEmails     = "workspace/emailconfig/get"
	UpdateEmails  = "workspace/emailconfig/update"
	ConfirmSender = "workspace/emailconfig/confirm"
)

// Operations on the owner of a workspace.
const (
	GetOwner         = "workspace/owner/get"
	SendConfirmation = "workspace/owner/send-confirmation"
)

// Operations on webhook endpoints, their messages and the attempts to deliver them.
const (
	GetEventTypes  = "workspace/advancedwebhook/eventtypes/get"
	GetAttempts    = "workspace/advancedwebhook/attempts/get"
	CreateEndpoint = "workspace/advancedwebhook/endpoints/create"
	DeleteEndpoint = "workspace/advancedwebhook/endpoints/delete"
	ListEndpoints  = "workspace/advancedwebhook/endpoints/get"
	RecoverMissed  = "workspace/advancedwebhook/endpoints/recover"
	GetRecovery    = "workspace/advancedwebhook/endpoints/recover/get"
	EndpointSecret = "workspace/advancedwebhook/endpoints/secret/get"
	RotateSecret   = "workspace/advancedwebhook/endpoints/secret/rotate"
	TestEndpoint   = "workspace/advancedwebhook/endpoints/test"
	UpdateEndpoint = "workspace/advancedwebhook/endpoints/update"
	GetMessages    = "workspace/advancedwebhook/messages/get"
	ResendMessage  = "workspace/advancedwebhook/messages/resend"
	GetHooks       = "workspace/advancedwebhookconfig/get"
	GetUsage       = "workspace/usage/get"
	ListJobs       = "workspace/jobs/list"
	SetHooks       = "workspace/advancedwebhookconfig/update"
)

// Operations on executions and their steps.
const (
	CancelExecution  = "workflow/executions/cancel"
	DeleteExecutions = "workflow/executions/delete"
	StartExecution   = "workflow/executions/dispatch"
	GetExecution     = "workflow/executions/get"
	GetDeliveries    = "workflow/executions/getDeliveries"
	GetEvents        = "workflow/executions/getEvents"
	ListExecutions   = "workflow/executions/list"
	PauseExecution   = "workflow/executions/pause"
	Redeliver        = "workflow/executions/redeliver"
	ResumeExecution  = "workflow/executions/resume"
	RetryExecution   = "workflow/executions/retry"
	CancelStep       = "workflow/steps/cancel"
	ListSteps        = "workflow/steps/list"
	ReassignStep     = "workflow/steps/reassign"
	RecordResolution = "workflow/steps/recordAgentResolution"
	RecordDecision   = "workflow/steps/recordReviewerDecision"
	ResolveStep      = "workflow/steps/resolve"
)

// Operations on folders.
const (
	FolderAccess  = "organizations/folders/access/update"
	AddFolders    = "organizations/folders/add"
	DeleteFolder  = "organizations/folders/delete"
	GetFolders    = "organizations/folders/get"
	UpdateFolders = "organizations/folders/update"
)

// Operations on groups of users.
const (
	AddGroups        = "organizations/usergroups/add"
	DeleteGroups     = "organizations/usergroups/delete"
	GetGroups        = "organizations/usergroups/get"
	AddGroupUsers    = "organizations/usergroups/users/add"
	DeleteGroupUsers = "organizations/usergroups/users/delete"
)

// Operations on judgments and what follows from them.
const (
	AskQuestion          = "memory/ask"
	DeleteJudgments      = "memory/judgments/delete"
	QueryJudgments       = "memory/judgments/query"
	RecordJudgments      = "memory/judgments/record"
	ListAlerts           = "memory/alerts/list"
	DismissAlert         = "memory/alerts/dismiss"
	ActOnAlert           = "memory/alerts/action"
	GetAlertConfig       = "memory/alerts/config/get"
	UpdateAlertConfig    = "memory/alerts/config/update"
	TriggerConsolidation = "memory/consolidation/trigger"
	GetPatterns          = "memory/patterns/get"
	GetProfile           = "memory/profiles/get"
	SearchJudgments      = "memory/search"
	GetStats             = "memory/stats/get"
	SuggestDecision      = "memory/suggest"
)

// Operations on notifications and what users want to be notified of.
const (
	GetPreferences      = "notifications/config/get"
	SetPreferences      = "notifications/config/set"
	AddNotification     = "notifications/add"
	DeleteNotifications = "notifications/delete"
	GetNotifications    = "notifications/get"
	UpdateNotifications = "notifications/update"
)

// Operations on organizations.
const (
	AddOrganizations     = "organizations/add"
	DeleteOrganizations  = "organizations/delete"
	DisableOrganizations = "organizations/access/disablestate/update"
	GetOrganizations     = "organizations/get"
	UpdateOrganizations  = "organizations/update"
)

// Operations on permissions and on their provider.
const (
	AddPermissions    = "auth/permissions/add"
	GenerateToken     = "auth/generate_token"
	VerifyToken       = "auth/verify_token"
	GetPermissions    = "auth/permissions/get"
	RemovePermissions = "auth/permissions/remove"
	GetProvider       = "workspace/permissionproviderconfig/get"
	UpdateProvider    = "workspace/permissionproviderconfig/update"
)

// Operations on the sources of knowledge and on their rules.
const (
	DeleteSource    = "memory/knowledge/delete"
	Ingest          = "memory/knowledge/ingest"
	IngestStatus    = "memory/knowledge/ingest-status"
	ReadText        = "memory/knowledge/download"
	ListSources     = "memory/knowledge/list"
	RetrySource     = "memory/knowledge/retry"
	ListRules       = "memory/knowledge/rules"
	SearchKnowledge = "memory/knowledge/search"
	UpdateKnowledge = "memory/knowledge/update"
	UploadAddress   = "memory/knowledge/upload-url"
)

// Operations on users.
const (
	AddUsers    = "users/add"
	DeleteUsers = "users/delete"
	GetUsers    = "users/get"
	GetUserData = "users/data/get"
	// An export is a file with all of it.
	ExportUserData = "users/data/export"
	ExportStatus   = "users/data/export/status"
	// An erasure forgets people.
	EraseUserData              = "users/data/delete"
	ErasureStatus              = "users/data/delete/status"
	UpdateUsers                = "users/update"
	CountUsers                 = "users/count/get"
	GetActivitySettings        = "workspace/activityconfig/get"
	UpdateActivitySettings     = "workspace/activityconfig/update"
	GetNotificationSettings    = "workspace/notificationconfig/get"
	UpdateNotificationSettings = "workspace/notificationconfig/update"
	GetSimpleReceiver          = "workspace/webhookconfig/get"
	UpdateSimpleReceiver       = "workspace/webhookconfig/update"

	AddInvitation     = "users/invite/add"
	RespondInvitation = "users/invite/respond"
	GetInvitations    = "users/invite/get"
	GetInvitationsOf  = "users/invitations/get"
	CountInvitations  = "users/invite/pending/count"
	GetDocumentUsers  = "users/doc/get"
)

// Operations on workspaces, their settings, keys and tokens.
const (
	CreateKey       = "workspace/apikey/create"
	UpdateKey       = "workspace/apikey/update"
	GetSettings     = "workspace/apikeyconfig/get"
	UpdateSettings  = "workspace/apikeyconfig/update"
	ListKeys        = "workspace/apikeys/get"
	CopyKey         = "workspace/apikey/copy"
	EnsureToken     = "workspace/authtoken/ensure"
	ResetToken      = "workspace/authtoken/reset"
	GetTokens       = "workspace/authtokens/get"
	WorkspaceCreate = "workspace/create"
	GetWorkspace    = "workspace/get"
)
