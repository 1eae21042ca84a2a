package models

import (
	"time"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/annotation"
	annotationview "github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/group"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/person"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/workspace"
)

// Options are what the operator sets about the stores; the zero value has each
// store's own defaults.
type Options struct {
	Keys       workspace.KeyQuotas
	Executions execution.Options
	// WorkLock is for how long work is locked at most that was claimed; zero is as its kind says.
	WorkLock   time.Duration
	Deliveries delivery.Rules
	// Endpoints is how many endpoints a workspace has at most, 0 is no limit.
	Endpoints int
	// MailHosts checks the mail hosts that workspaces name; HasRelay says that the
	// operator has a relay, FreeMails how many recipients a day it serves for
	// workspaces of the free plan, and which of them.
	MailHosts mail.HostChecker
	HasRelay  bool
	FreeMails mail.RelayTerms
	// PublicURL is under which callers reach the service.
	PublicURL string
	// Storage is how many bytes workspaces may keep.
	Storage quota.Limits
}

// Configured are the options as they are configured; hosts checks the mail hosts that
// workspaces name.
func Configured(c config.Config, hosts mail.HostChecker) Options {
	return Options{
		Keys:       workspace.KeyQuotas{TestingFree: c.Quotas.KeysTestingFree, TestingPaid: c.Quotas.KeysTestingPaid, Production: c.Quotas.KeysProduction},
		Executions: execution.Options{StepCalls: c.Workflow.StepCalls, Live: c.Quotas.LiveExecutions},
		WorkLock:   c.Workflow.Lock,
		Deliveries: delivery.Rules{
			Limit: c.Webhook.AttemptTimeout, Delays: c.Webhook.Schedule,
			MailLimit: c.SMTP.Timeout, MailDelays: c.SMTP.Schedule,
		},
		Endpoints: c.Quotas.Endpoints,
		MailHosts: hosts, HasRelay: c.SMTP.Addr != "", PublicURL: c.HTTP.PublicURL,
		FreeMails: mail.RelayTerms{Own: c.SMTP.FreePerDay, Total: c.SMTP.FreeTotal, OwnersConfirmed: c.SMTP.OwnersConfirmed},
		Storage:   Storage(c.Quotas),
	}
}

// Storage is how many bytes workspaces may keep, as it is configured.
func Storage(c config.Quotas) quota.Limits {
	return quota.Limits{
		quota.Files:    {Free: c.FilesFree, Paid: c.FilesPaid},
		quota.Rows:     {Free: c.RowsFree, Paid: c.RowsPaid},
		quota.Messages: {Free: c.MessagesFree, Paid: c.MessagesPaid},
	}
}

// Stores are all stores over one database, each of a package of its own.
type Stores struct {
	Workspaces  *workspace.Workspaces
	Keys        *workspace.Keys
	Credentials *workspace.Credentials
	Domains     *workspace.Domains
	Settings    *workspace.Settings
	Limits      *workspace.Limits
	RateLimits  *workspace.RateLimits
	Audits      *workspace.Audits
	Providers   *workspace.Providers
	Figures     *workspace.Figures

	Users *directory.Users
	// Persons is what is kept of people, across all of these.
	Persons       *person.Persons
	Organizations *directory.Organizations
	Folders       *directory.Folders
	Permissions   *directory.Permissions
	Groups        *group.Groups
	Documents     *directory.Documents
	Migrations    *directory.Migrations
	Invitations   *directory.Invitations
	Deleted       *directory.Deleted
	Annotations   *annotation.Annotations
	Activities    *activity.Activities
	// AnnotationViews are annotations and comments as callers read them.
	AnnotationViews *annotationview.Views
	Notifications   *notification.Notifications

	Agents      *agent.Agents
	Definitions *definition.Definitions
	Executions  *execution.Executions
	// Views are executions, their steps and events as callers read them.
	Views      *view.Views
	Deliveries *delivery.Deliveries
	Endpoints  *delivery.Endpoints

	Mails        *mail.Mails
	MailSettings *mail.SettingsStore
	Owners       *mail.Owners

	Judgments *judgment.Judgments
	Knowledge *knowledge.Knowledge
	Searches  *search.Searches
	Patterns  *pattern.Patterns

	Jobs      *job.Jobs
	Deletions *deletion.Deletions
	// Queue is what commits leave to do for a worker.
	Queue *queue.Queue
	// Quotas is what workspaces keep, and may.
	Quotas *quota.Quotas
}

// NewStores makes the stores. box opens and seals their secrets.
func NewStores(db *DB, box *secret.Box, o Options) *Stores {
	definitions, sources, addresses := definition.New(db, box), knowledge.New(db), mail.NewAddresses(box, o.PublicURL)
	return &Stores{
		Workspaces:      workspace.NewWorkspaces(db, box),
		Keys:            workspace.NewKeys(db, box, o.Keys),
		Credentials:     workspace.NewCredentials(db, box),
		Domains:         workspace.NewDomains(db),
		Settings:        workspace.NewSettings(db),
		Limits:          workspace.NewLimits(db),
		RateLimits:      workspace.NewRateLimits(db),
		Audits:          workspace.NewAudits(db),
		Providers:       workspace.NewProviders(db, box),
		Figures:         workspace.NewFigures(db),
		Users:           directory.NewUsers(db, judgment.ForgetUsers, mail.ForgetUsers, notification.ForgetUsers),
		Persons:         person.New(db, mail.ForgetUsers, notification.ForgetUsers),
		Organizations:   directory.NewOrganizations(db),
		Folders:         directory.NewFolders(db),
		Permissions:     directory.NewPermissions(db, group.ForgetUsers),
		Groups:          group.New(db),
		Documents:       directory.NewDocuments(db),
		Migrations:      directory.NewMigrations(db),
		Invitations:     directory.NewInvitations(db, mail.QueueInvitation),
		Deleted:         directory.NewDeleted(db),
		Annotations:     annotation.New(db),
		Activities:      activity.New(db),
		AnnotationViews: annotationview.New(db),
		Notifications:   notification.New(db),
		Agents:          agent.New(db, box),
		Definitions:     definitions,
		Executions:      execution.New(db, box, definitions, o.Executions),
		Views:           view.New(db),
		Deliveries:      delivery.New(db, box, o.Deliveries, mail.DeliveryRows),
		Endpoints:       delivery.NewEndpoints(db, box, o.Endpoints),
		Mails:           mail.New(db, box, addresses, o.FreeMails),
		Owners:          mail.NewOwners(db, addresses, o.HasRelay, o.FreeMails.OwnersConfirmed),
		MailSettings:    mail.NewSettingsStore(db, box, o.MailHosts, o.HasRelay),
		Judgments:       judgment.New(db),
		Knowledge:       sources,
		Searches:        search.New(db, sources),
		Patterns:        pattern.New(db),
		Jobs:            job.New(db),
		Deletions:       deletion.New(db),
		Queue:           queue.New(db).LockingFor(o.WorkLock),
		Quotas:          quota.New(db, o.Storage),
	}
}
