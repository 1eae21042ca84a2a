package api

import (
	"slices"

	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/api/workspace"
)

// Handlers are the operations of all areas, a struct for each kind of thing. All
// are pointers: the table only names their methods.
type Handlers struct {
	Workspaces *workspace.Workspaces
	Owners     *workspace.Owners
	APIKeys    *workspace.APIKeys
	Domains    *workspace.Domains
	Settings   *workspace.Settings
	Emails     *workspace.EmailSettings
	Providers  *workspace.Providers

	ActivitySettings     *workspace.ActivitySettings
	NotificationSettings *workspace.NotificationSettings
	SimpleReceivers      *workspace.SimpleReceivers

	Jobs  *workspace.Jobs
	Usage *workspace.Usage

	Endpoints *webhook.Endpoints

	Definitions *workflow.Definitions
	Agents      *workflow.Agents
	AgentGroups *workflow.AgentGroups
	AgentRuns   *workflow.AgentRuns
	AgentLines  *workflow.AgentVersions
	Executions  *workflow.Executions
	Deliveries  *workflow.Deliveries
	Steps       *workflow.Steps
	Inbound     *workflow.Inbound
	Callbacks   *workflow.Callbacks

	Users         *collaboration.Users
	Persons       *collaboration.Persons
	Invitations   *collaboration.Invitations
	Organizations *collaboration.Organizations
	Folders       *collaboration.Folders
	Groups        *collaboration.Groups
	Permissions   *collaboration.Permissions
	UserTokens    *collaboration.UserTokens
	Documents     *collaboration.Documents
	Annotations   *collaboration.Annotations
	Notifications *collaboration.Notifications
	Migrations    *collaboration.Migrations
	Activities    *collaboration.Activities

	Judgments   *memory.Judgments
	Suggestions *memory.Suggestions
	Answers     *memory.Answers
	Patterns    *memory.Patterns
	Alerts      *memory.Alerts
	Knowledge   *memory.Knowledge
	Stats       *memory.Stats

	Downloads *signed.Downloads
}

// Routes is the one table of all operations: path, function, and what differs
// from an operation that wants an API key, ignores unknown keys, takes 1 MiB
// and counts under the key's limit. The lines of each area stand in its own file, routes_workspace.go
// and so on.
func Routes(h Handlers) []rpc.Route {
	return slices.Concat(workspaceRoutes(h), settingRoutes(h), webhookRoutes(h),
		definitionRoutes(h), executionRoutes(h), stepRoutes(h), agentRoutes(h), agentVersionRoutes(h), agentRunRoutes(h), agentGroupRoutes(h),
		organizationRoutes(h), personRoutes(h), invitationRoutes(h), groupRoutes(h), documentRoutes(h), folderRoutes(h), permissionRoutes(h), annotationRoutes(h), activityRoutes(h),
		notificationRoutes(h),
		knowledgeRoutes(h), memoryRoutes(h), alertRoutes(h))
}

// What operations have in memory that read much: a page of a list, which ends where its items
// have 8 MiB, with what it is written from; and threads of comments, of which a call changes
// 16 MiB at most. A search, which may wait for the index, reads less than any of them.
var (
	page    = rpc.Reads(24 << 20)
	hits    = rpc.Reads(8 << 20)
	threads = rpc.Reads(32 << 20)
)
