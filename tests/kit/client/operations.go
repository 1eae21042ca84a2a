package client

import ()

const (
	ActivitiesAdd = "activities/add"
	GetActivities = "activities/get"
)

const DeleteAnnotations = "commentannotations/delete"

const (
	AddAnnotations = "commentannotations/add"
)

const UpdateAnnotations = "commentannotations/update"

const AddComments = "commentannotations/comments/add"

const DeleteComments = "commentannotations/comments/delete"

const UpdateComments = "commentannotations/comments/update"

const (
	AddDocuments    = "organizations/documents/add"
	GetDocuments    = "organizations/documents/get"
	UpdateDocuments = "organizations/documents/update"
	DeleteDocuments = "organizations/documents/delete"
	SetAccess       = "organizations/documents/access/update"
	MoveDocuments   = "organizations/documents/move"
)

const (
	AddFolders    = "organizations/folders/add"
	GetFolders    = "organizations/folders/get"
	UpdateFolders = "organizations/folders/update"
	DeleteFolder  = "organizations/folders/delete"
	FolderAccess  = "organizations/folders/access/update"
)

const (
	AddGroups        = "organizations/usergroups/add"
	GetGroups        = "organizations/usergroups/get"
	DeleteGroups     = "organizations/usergroups/delete"
	AddGroupUsers    = "organizations/usergroups/users/add"
	DeleteGroupUsers = "organizations/usergroups/users/delete"
)

const (
	GetEmails    = "workspace/emailconfig/get"
	UpdateEmails = "workspace/emailconfig/update"
)

const (
	Migrate       = "organizations/documents/migrate"
	MigrateStatus = "organizations/documents/migrate/status"
)

const (
	GetNotifications    = "notifications/get"
	UpdateNotifications = "notifications/update"
	DeleteNotifications = "notifications/delete"
	SetPreferences      = "notifications/config/set"
	GetPreferences      = "notifications/config/get"
)

const (
	AddOrganizations    = "organizations/add"
	GetOrganizations    = "organizations/get"
	UpdateOrganizations = "organizations/update"
	DeleteOrganizations = "organizations/delete"
)

const (
	AddPermissions    = "auth/permissions/add"
	GetPermissions    = "auth/permissions/get"
	RemovePermissions = "auth/permissions/remove"
)

const (
	GetProvider    = "workspace/permissionproviderconfig/get"
	UpdateProvider = "workspace/permissionproviderconfig/update"
)

const ReadAnnotations = "commentannotations/read"

const GetUsers = "users/get"

const AskQuestion = "memory/ask"

const SearchJudgments = "memory/search"

const QueryJudgments = "memory/judgments/query"

const GetPatterns = "memory/patterns/get"

// UploadAddress is the operation that returns an address to upload to.
const UploadAddress = "memory/knowledge/upload-url"

const (
	RecordJudgments = "memory/judgments/record"
	DeleteJudgments = "memory/judgments/delete"
)

const (
	DeleteSource = "memory/knowledge/delete"
	RetrySource  = "memory/knowledge/retry"
)

const (
	ListSources = "memory/knowledge/list"
	ListRules   = "memory/knowledge/rules"
	ReadText    = "memory/knowledge/download"
)

const (
	GetStats   = "memory/stats/get"
	GetProfile = "memory/profiles/get"
)

const SuggestDecision = "memory/suggest"

const UpdateKnowledge = "memory/knowledge/update"

const (
	AddDomains    = "workspace/domains/add"
	DeleteDomains = "workspace/domains/delete"
	GetDomains    = "workspace/domains/get"
)

const (
	GetSettings    = "workspace/apikeyconfig/get"
	UpdateSettings = "workspace/apikeyconfig/update"
)

// Operations on workspaces, keys and tokens, by their paths after /v2/.
const (
	WorkspaceCreate = "workspace/create"
	GetWorkspace    = "workspace/get"
	CreateKey       = "workspace/apikey/create"
	UpdateKey       = "workspace/apikey/update"
	ListKeys        = "workspace/apikeys/get"
	GetTokens       = "workspace/authtokens/get"
	ResetToken      = "workspace/authtoken/reset"
)

const (
	GetHooks       = "workspace/advancedwebhookconfig/get"
	SetHooks       = "workspace/advancedwebhookconfig/update"
	CreateEndpoint = "workspace/advancedwebhook/endpoints/create"
	ListEndpoints  = "workspace/advancedwebhook/endpoints/get"
	UpdateEndpoint = "workspace/advancedwebhook/endpoints/update"
	DeleteEndpoint = "workspace/advancedwebhook/endpoints/delete"
	EndpointSecret = "workspace/advancedwebhook/endpoints/secret/get"
	RotateSecret   = "workspace/advancedwebhook/endpoints/secret/rotate"
	TestEndpoint   = "workspace/advancedwebhook/endpoints/test"
	GetAttempts    = "workspace/advancedwebhook/attempts/get"
	RecoverMissed  = "workspace/advancedwebhook/endpoints/recover"
	GetRecovery    = "workspace/advancedwebhook/endpoints/recover/get"
	GetMessages    = "workspace/advancedwebhook/messages/get"
	ResendMessage  = "workspace/advancedwebhook/messages/resend"
)

const RecordResolution = "workflow/steps/recordAgentResolution"

const (
	CreateAgent = "agents/create"
	GetAgent    = "agents/get"
	ListAgents  = "agents/list"
	UpdateAgent = "agents/update"
	DeleteAgent = "agents/delete"
)

const RecordDecision = "workflow/steps/recordReviewerDecision"

const (
	CreateDefinition = "workflow/definitions/create"
	UpdateDefinition = "workflow/definitions/update"
	GetDefinition    = "workflow/definitions/get"
	ListDefinitions  = "workflow/definitions/list"
	DeleteDefinition = "workflow/definitions/delete"
	LintDefinition   = "workflow/definitions/lint"
	ListVersions     = "workflow/definitions/versions/list"
	GetVersion       = "workflow/definitions/versions/get"
)

const ListExecutions = "workflow/executions/list"

const (
	CancelStep  = "workflow/steps/cancel"
	ResolveStep = "workflow/steps/resolve"
)

const (
	PauseExecution  = "workflow/executions/pause"
	ResumeExecution = "workflow/executions/resume"
)

const ReassignStep = "workflow/steps/reassign"

const RetryExecution = "workflow/executions/retry"
