package api

import (
	"context"
	"log/slog"
	"strings"

	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/api/workspace"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/disposable"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/provider"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/usertoken"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// Parts are what the interface is put together from. All of them are opened and
// closed by the process, which has them in common with its worker.
type Parts struct {
	Conf    config.Config
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	Box     *secret.Box
	Guard   *guard.Guard
	// Stores answer calls, Entry says who calls: over connections of its own, so that a
	// caller is known and refused while calls hold all of theirs.
	Stores, Entry *models.Stores
	Limiter       *limit.Limiter
	Files         *blob.Store
	Index         *vector.Index
	Models        *embed.Models
	// Texts draws from texts of callers, where their cost is theirs alone.
	Texts knowledge.Runner
	// Serving returns an error while nobody is to be answered yet; nil answers at once.
	Serving func(context.Context) error
}

// New puts the interface together. Until ctx ends, the lists of disposable domains
// are read again at every SIGHUP. Error: the configured files of these lists cannot
// be read.
func New(ctx context.Context, p *Parts) (*rpc.Server, error) {
	domains, err := disposable.New(p.Conf.Quotas.DisposableExtraFile, p.Conf.Quotas.DisposableAllowFile)
	if err != nil {
		return nil, err
	}
	domains.ReloadOnHangup(ctx, p.Log)
	options := rpc.Options{
		Credentials: p.Entry.Credentials, Callbacks: p.Entry.Executions, Limiter: p.Limiter,
		Refusals: p.Entry.Audits, Telemetry: p.Metrics, Log: p.Log,
		TrustedProxies: p.Conf.HTTP.TrustedProxies, PublicURL: p.Conf.HTTP.PublicURL, Serving: p.Serving,
	}
	if p.Conf.HTTP.CORS {
		options.Origins = p.Entry.Domains
	}
	return rpc.NewServer(options, Routes(handlers(p, domains)))
}

// handlers makes the handlers of every area with what each needs.
func handlers(p *Parts, domains *disposable.List) Handlers {
	s, cursors := p.Stores, cursor.New(p.Box)
	questions := memory.Questions{Generations: s.Knowledge, Models: p.Models}
	tokens := usertoken.New(p.Box, p.Conf.HTTP.PublicURL)
	signer := signed.Signer{Box: p.Box, PublicURL: strings.TrimSuffix(p.Conf.HTTP.PublicURL, "/")}
	verifier := collaboration.NewVerifier(s.Providers, s.Documents, provider.New(p.Guard))
	persons := collaboration.NewPersons(s.Persons, cursors, signer, p.Files)
	sources := memory.NewKnowledge(memory.KnowledgeParts{
		Store: s.Knowledge, Found: s.Searches, Files: p.Files, Index: p.Index, Models: p.Models,
		Box: p.Box, Drawing: knowledge.Drawing{Runner: p.Texts}, Cursors: cursors, PublicURL: p.Conf.HTTP.PublicURL, Bucket: p.Conf.Blob.Bucket,
	})
	return Handlers{
		Workspaces:  workspace.NewWorkspaces(s.Workspaces, domains, p.Limiter),
		Owners:      workspace.NewOwners(s.Owners),
		APIKeys:     workspace.NewAPIKeys(s.Keys, cursors),
		Definitions: workflow.NewDefinitions(s.Definitions, s.Agents, p.Guard, cursors),
		Agents:      workflow.NewAgents(s.Agents, p.Guard, cursors),
		AgentGroups: workflow.NewAgentGroups(s.Agents),
		AgentRuns:   workflow.NewAgentRuns(s.Executions, s.Views, s.AnnotationViews, cursors),
		AgentLines:  workflow.NewAgentVersions(s.Agents, cursors),
		Executions:  workflow.NewExecutions(s.Executions, s.Views, p.Guard, cursors),
		Deliveries:  workflow.NewDeliveries(s.Deliveries, s.Executions, p.Guard, cursors),
		Steps:       workflow.NewSteps(s.Executions, s.Views, cursors),
		Inbound:     workflow.NewInbound(s.Definitions, s.Executions),
		Callbacks:   workflow.NewCallbacks(s.Executions),
		Judgments:   memory.NewJudgments(s.Judgments, p.Index, questions, cursors),
		Suggestions: memory.NewSuggestions(memory.SuggestionParts{
			Store: s.Judgments, Updates: s.Knowledge, Index: p.Index, Questions: questions, Margins: p.Metrics.SuggestMargin,
		}),
		Answers:              memory.NewAnswers(memory.AnswerParts{Judgments: s.Judgments, Knowledge: s.Searches, Index: p.Index, Questions: questions}),
		Patterns:             memory.NewPatterns(s.Patterns),
		Alerts:               memory.NewAlerts(s.Patterns),
		Domains:              workspace.NewDomains(s.Domains),
		Jobs:                 workspace.NewJobs(s.Jobs, cursors),
		Usage:                workspace.NewUsage(s.Quotas, maxima(&p.Conf)),
		Settings:             workspace.NewSettings(s.Settings),
		Emails:               workspace.NewEmailSettings(s.MailSettings),
		Providers:            workspace.NewProviders(s.Providers, p.Guard),
		ActivitySettings:     workspace.NewActivitySettings(s.Activities),
		NotificationSettings: workspace.NewNotificationSettings(s.Notifications),
		SimpleReceivers:      workspace.NewSimpleReceivers(s.Endpoints, p.Guard),
		Users:                collaboration.NewUsers(s.Users, s.AnnotationViews, s.Settings, cursors),
		Persons:              persons,
		Organizations:        collaboration.NewOrganizations(s.Organizations, s.Settings, cursors),
		Folders:              collaboration.NewFolders(s.Folders, s.Settings, cursors),
		Groups:               collaboration.NewGroups(s.Groups, cursors),
		Permissions:          collaboration.NewPermissions(s.Permissions),
		UserTokens:           collaboration.NewUserTokens(tokens),
		Documents:            collaboration.NewDocuments(s.Documents, s.Settings, cursors),
		Migrations:           collaboration.NewMigrations(s.Migrations),
		Invitations:          collaboration.NewInvitations(s.Invitations, s.Domains, tokens, cursors),
		Annotations:          collaboration.NewAnnotations(s.Annotations, s.AnnotationViews, verifier, s.Settings, cursors),
		Activities:           collaboration.NewActivities(s.Activities, cursors),
		Notifications:        collaboration.NewNotifications(s.Notifications, verifier, s.Settings, cursors),
		Endpoints:            webhook.NewEndpoints(s.Endpoints, p.Guard, p.Limiter, cursors, p.Conf.Webhook.PayloadDays),
		Stats:                memory.NewStats(s.Judgments, s.Knowledge, s.Patterns),
		Knowledge:            sources,
		Downloads:            &signed.Downloads{Signer: signer, Versions: sources, Exports: persons},
	}
}

// maxima are the most that a workspace may have, as the operator has set them.
func maxima(c *config.Config) workspace.Maxima {
	return workspace.Maxima{
		Endpoints: c.Quotas.Endpoints, KeysTestingFree: c.Quotas.KeysTestingFree, KeysTestingPaid: c.Quotas.KeysTestingPaid,
		KeysProduction: c.Quotas.KeysProduction, Sources: knowledge.MaxSources, LiveExecutions: c.Quotas.LiveExecutions,
		MailsRelayed: c.SMTP.FreePerDay, Rates: Rates(c.Rates),
	}
}
