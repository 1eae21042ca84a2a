package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/webhook"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/api/workspace"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/disposable"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/mail"
	workspaces "github.com/redline-svc/redline/models/workspace"
)

// newAPI puts the interface together.
func newAPI(ctx context.Context, p *parts) (*rpc.Server, error) {
	domains, err := disposable.New(p.conf.Quotas.DisposableExtraFile, p.conf.Quotas.DisposableAllowFile)
	if err != nil {
		return nil, err
	}
	domains.ReloadOnHangup(ctx, p.log)
	options := rpc.Options{
		Credentials: workspaces.NewCredentials(p.db, p.box), Limiter: p.limiter,
		Refusals: workspaces.NewAudits(p.db), Telemetry: p.metrics, Log: p.log,
		TrustedProxies: p.conf.HTTP.TrustedProxies, PublicURL: p.conf.HTTP.PublicURL,
	}
	if p.conf.HTTP.CORS {
		options.Origins = workspaces.NewDomains(p.db)
	}
	return rpc.NewServer(options, api.Routes(handlers(p, domains)))
}

// handlers gives every area of the interface what it needs.
func handlers(p *parts, domains *disposable.List) api.Handlers {
	keys := workspaces.NewKeys(p.db, p.box, workspaces.KeyQuotas{
		Testing: p.conf.Quotas.KeysTesting, Production: p.conf.Quotas.KeysProduction,
	})
	return api.Handlers{
		Workspaces:  workspace.NewWorkspaces(workspaces.NewWorkspaces(p.db, p.box), domains, p.limiter),
		APIKeys:     workspace.NewAPIKeys(keys, p.cursors),
		Definitions: workflow.NewDefinitions(p.definitions, p.guard, p.cursors),
		Executions:  workflow.NewExecutions(p.executions, p.guard, p.cursors),
		Deliveries:  workflow.NewDeliveries(p.deliveries, p.executions, p.guard, p.cursors),
		Steps:       workflow.NewSteps(p.executions, p.cursors),
		Judgments:   memory.NewJudgments(judgment.New(p.db), p.cursors),
		Settings:    workspace.NewSettings(workspaces.NewSettings(p.db)),
		Emails:      workspace.NewEmailSettings(mail.NewSettingsStore(p.db, p.box, p.guard, p.conf.SMTP.Addr != "")),
		Users:       collaboration.NewUsers(directory.NewUsers(p.db, judgment.ForgetUsers, mail.ForgetUsers)),
		Annotations: collaboration.NewAnnotations(annotation.New(p.db), workspaces.NewSettings(p.db), p.cursors),
		Endpoints:   webhook.NewEndpoints(p.webhooks, p.guard, p.limiter, p.cursors),
		Knowledge: memory.NewKnowledge(memory.KnowledgeParts{
			Store: p.knowledge.rows, Files: p.knowledge.files, Index: p.knowledge.index, Models: p.knowledge.models,
			Box: p.box, PublicURL: p.conf.HTTP.PublicURL, Bucket: p.conf.Blob.Bucket,
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
