package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/collaboration/annotation"
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/api/workspace"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/disposable"
	"github.com/redline-svc/redline/internal/provider"
)

// newAPI puts the interface together.
func newAPI(ctx context.Context, p *parts) (*rpc.Server, error) {
	domains, err := disposable.New(p.conf.Quotas.DisposableExtraFile, p.conf.Quotas.DisposableAllowFile)
	if err != nil {
		return nil, err
	}
	domains.ReloadOnHangup(ctx, p.log)
	options := rpc.Options{
		Credentials: p.stores.Credentials, Callbacks: p.stores.Executions, Limiter: p.limiter,
		Refusals: p.stores.Audits, Telemetry: p.metrics, Log: p.log,
		TrustedProxies: p.conf.HTTP.TrustedProxies, PublicURL: p.conf.HTTP.PublicURL,
	}
	if p.conf.HTTP.CORS {
		options.Origins = p.stores.Domains
	}
	return rpc.NewServer(options, api.Routes(handlers(p, domains)))
}

// handlers gives every area of the interface what it needs.
func handlers(p *parts, domains *disposable.List) api.Handlers {
	s := p.stores
	questions := memory.Questions{Generations: s.Knowledge, Models: p.knowledge.models}
	return api.Handlers{
		Workspaces:  workspace.NewWorkspaces(s.Workspaces, domains, p.limiter),
		APIKeys:     workspace.NewAPIKeys(s.Keys, p.cursors),
		Definitions: workflow.NewDefinitions(s.Definitions, s.Agents, p.guard, p.cursors),
		Agents:      workflow.NewAgents(s.Agents, p.guard, p.cursors),
		Executions:  workflow.NewExecutions(s.Executions, s.Views, p.guard, p.cursors),
		Deliveries:  workflow.NewDeliveries(s.Deliveries, s.Executions, p.guard, p.cursors),
		Steps:       workflow.NewSteps(s.Executions, s.Views, p.cursors),
		Inbound:     workflow.NewInbound(s.Definitions, s.Executions),
		Callbacks:   workflow.NewCallbacks(s.Executions),
		Judgments:   memory.NewJudgments(s.Judgments, p.knowledge.index, questions, p.cursors),
		Suggestions: memory.NewSuggestions(memory.SuggestionParts{
			Store: s.Judgments, Updates: s.Knowledge, Index: p.knowledge.index,
			Questions: questions,
		}),
		Answers:       memory.NewAnswers(memory.AnswerParts{Judgments: s.Judgments, Knowledge: s.Searches, Index: p.knowledge.index, Questions: questions}),
		Patterns:      memory.NewPatterns(s.Patterns),
		Domains:       workspace.NewDomains(s.Domains),
		Settings:      workspace.NewSettings(s.Settings),
		Emails:        workspace.NewEmailSettings(s.MailSettings),
		Providers:     workspace.NewProviders(s.Providers, p.guard),
		Users:         collaboration.NewUsers(s.Users, s.UserViews, s.Settings, p.cursors),
		Organizations: collaboration.NewOrganizations(s.Organizations, s.Settings, p.cursors),
		Folders:       collaboration.NewFolders(s.Folders, s.Settings, p.cursors),
		Groups:        collaboration.NewGroups(s.Groups, p.cursors),
		Permissions:   collaboration.NewPermissions(s.Permissions),
		Documents:     collaboration.NewDocuments(s.Documents, s.Settings, p.cursors),
		Migrations:    collaboration.NewMigrations(s.Migrations),
		Annotations:   annotation.NewAnnotations(s.Annotations, s.AnnotationViews, annotation.NewVerifier(s.Providers, s.Documents, provider.New(p.guard)), s.Settings, p.cursors),
		Activities:    collaboration.NewActivities(s.Activities, p.cursors),
		Notifications: collaboration.NewNotifications(s.Notifications, s.Settings, p.cursors),
		Endpoints:     webhook.NewEndpoints(s.Endpoints, p.guard, p.limiter, p.cursors, p.conf.Webhook.PayloadDays),
		Stats:         memory.NewStats(s.Judgments, s.Knowledge, s.Patterns),
		Knowledge: memory.NewKnowledge(memory.KnowledgeParts{
			Store: s.Knowledge, Found: s.Searches, Files: p.knowledge.files, Index: p.knowledge.index, Models: p.knowledge.models,
			Box: p.box, Cursors: p.cursors, PublicURL: p.conf.HTTP.PublicURL, Bucket: p.conf.Blob.Bucket,
		}),
	}
}

// listen opens a listener, with TLS where a certificate is configured.
func listen(ctx context.Context, name, addr string, http config.HTTP) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if http.TLSCertFile == "" {
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(http.TLSCertFile, http.TLSKeyFile)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("REDLINE_TLS_CERT_FILE and REDLINE_TLS_KEY_FILE: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// serveUntilClosed serves a listener; that it was closed in order is no error.
func serveUntilClosed(server *http.Server, listener net.Listener) error {
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	return nil
}
