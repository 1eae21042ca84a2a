package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/disposable"
	"github.com/redline-svc/redline/models"
)

// newAPI puts the interface together.
func newAPI(ctx context.Context, p *parts) (*api.Server, error) {
	domains, err := disposable.New(p.conf.Quotas.DisposableExtraFile, p.conf.Quotas.DisposableAllowFile)
	if err != nil {
		return nil, err
	}
	domains.ReloadOnHangup(ctx, p.log)
	options := api.Options{
		Handlers: handlers(p, domains), Credentials: models.NewCredentials(p.db, p.box), Limiter: p.limiter,
		Refusals: models.NewAudits(p.db), Telemetry: p.metrics, Log: p.log,
		TrustedProxies: p.conf.HTTP.TrustedProxies, PublicURL: p.conf.HTTP.PublicURL,
	}
	if p.conf.HTTP.CORS {
		options.Origins = models.NewDomains(p.db)
	}
	return api.NewServer(options)
}

// handlers gives every area of the interface what it needs.
func handlers(p *parts, domains *disposable.List) api.Handlers {
	keys := models.NewKeys(p.db, p.box, models.KeyQuotas{
		Testing: p.conf.Quotas.KeysTesting, Production: p.conf.Quotas.KeysProduction,
	})
	return api.Handlers{
		Workspaces:  api.NewWorkspaces(models.NewWorkspaces(p.db, p.box), domains, p.limiter),
		APIKeys:     api.NewAPIKeys(keys, p.cursors),
		Definitions: api.NewDefinitions(p.definitions, p.guard, p.cursors),
		Executions:  api.NewExecutions(p.executions, p.guard, p.cursors),
		Deliveries: api.NewDeliveries(struct {
			*models.Deliveries
			*models.Executions
		}{p.deliveries, p.executions}, p.guard, p.cursors),
		Steps:       api.NewSteps(p.executions, p.cursors),
		Judgments:   api.NewJudgments(models.NewJudgments(p.db), p.cursors),
		Settings:    api.NewSettings(models.NewSettings(p.db)),
		Emails:      api.NewEmailSettings(models.NewEmailSettings(p.db, p.box, p.guard, p.conf.SMTP.Addr != "")),
		Users:       api.NewUsers(models.NewUsers(p.db, models.ForgetJudgments, models.ForgetMails)),
		Annotations: api.NewAnnotations(models.NewAnnotations(p.db), models.NewSettings(p.db), p.cursors),
		Webhooks:    api.NewWebhooks(p.webhooks, p.guard, p.limiter, p.cursors),
		Knowledge: api.NewKnowledge(api.KnowledgeParts{
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
