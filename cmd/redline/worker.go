package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"github.com/redline-svc/redline/activities/delivery"
	"github.com/redline-svc/redline/activities/execution"
	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/activities/ingestion"
	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/job"
	knowledgerows "github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/worker"
)

// newWorker puts the work together: what drives executions and deliveries.
func newWorker(p *parts) (*worker.Worker, error) {
	secure, err := temporalTLS(p.conf.Temporal)
	if err != nil {
		return nil, err
	}
	traces, err := temporalTraces(p.conf.Telemetry)
	if err != nil {
		return nil, err
	}
	mails, err := newMails(p)
	if err != nil {
		return nil, err
	}
	p.sending = delivery.New(p.stores.Deliveries, p.guard, delivery.Options{
		Slots: p.conf.Webhook.Slots, Pace: p.guard.Pace(), Dispatchers: worker.MaxDispatchers, Linger: p.conf.Workflow.Linger,
		Mailer:  mails,
		Notify:  func(ids ...string) { p.db().Notify(notifier.Destinations, ids...) },
		Metrics: p.metrics, Log: p.log,
	})
	p.notifier.On(notifier.Destinations, p.sending.Notified)
	return worker.New(worker.Options{
		Address: p.conf.Temporal.Addr, Namespace: p.conf.Temporal.Namespace, TLS: secure,
		Interceptors: traces,
		Queue:        p.stores.Queue,
		Executions:   p.stores.Executions, Destinations: p.stores.Deliveries, Notifier: p.notifier,
		ExecutionActivities: execution.New(
			p.stores.Executions, execution.NewCallers(p.guard, p.conf.HTTP.PublicURL, mails), p.conf.Workflow.ContinueAsNewEvents),
		DeliveryActivities: p.sending,
		Versions:           p.stores.Knowledge,
		IngestionActivities: ingestion.New(ingestion.Parts{
			Rows: p.stores.Knowledge, Judgments: p.stores.Judgments, Files: p.knowledge.files, Index: p.knowledge.index, Lost: p.lost, Models: p.knowledge.models,
			Converters:  convertersBy(p.knowledge.confined),
			Drawing:     knowledgerows.Drawing{Runner: p.knowledge.confined},
			RemoteModel: p.conf.Embed.Provider == "http",
			Patience:    p.conf.Workflow.IngestionPatience,
		}),
		Jobs: p.stores.Jobs,
		JobActivities: jobs.New(p.stores.Jobs, map[string]jobs.Handler{
			job.Migration:    jobs.Migrate(p.stores.Migrations),
			job.Recovery:     jobs.Recover(p.stores.Endpoints),
			job.Fanout:       jobs.FanOut(p.stores.Endpoints),
			job.Erasure:      jobs.Erase(p.stores.Persons, jobs.Temporal{}),
			job.Export:       jobs.Export(p.stores.Persons, p.stores.Quotas, p.stores.Knowledge, p.knowledge.files),
			job.Notification: jobs.Notify(p.stores.Notifications),
			job.Removal:      jobs.Remove(p.stores.Deleted, p.stores.Annotations, p.stores.Groups, p.stores.Executions, p.stores.Judgments, p.stores.Knowledge, p.stores.Notifications),
			job.WorkspaceRemoval: (&jobs.WorkspaceRemoval{
				Rows: p.stores.Deletions, Runs: jobs.Temporal{}, Index: p.knowledge.index, Generations: p.stores.Knowledge, Files: p.knowledge.files,
				Deleted: p.stores.Deleted, Contents: p.stores.Annotations,
			}).Remove,
			job.Detection: jobs.Detect(p.stores.Patterns, p.categoryOfNearestRule, p.servingModel),
		}, p.metrics),
		Schedules:          p.stores.Definitions,
		ScheduleActivities: execution.NewSchedules(p.stores.Definitions, p.stores.Executions),
		Detections:         p.stores.Patterns,
		JudgmentIndexing: &indexing.Judgments{
			Rows: p.stores.Judgments, Generations: p.stores.Knowledge, Index: p.knowledge.index, Models: p.knowledge.models, Lost: p.lost,
		},
		StartsInFlight: p.conf.Workflow.StartsInFlight, Sticky: p.conf.Workflow.Sticky, StopTimeout: p.conf.Stop.Timeout,
		Metrics: p.metrics, Log: p.log,
	})
}

// categoryOfNearestRule returns that of the rule nearest to a text. Error: UNAVAILABLE where
// the model of the vectors cannot be had or the index does not answer.
func (p *parts) categoryOfNearestRule(ctx context.Context, workspaceID, text string, q search.NearRule) (string, error) {
	g, err := p.stores.Knowledge.Serving(ctx, true)
	if err != nil || g == nil {
		return "", err
	}
	model, err := p.knowledge.models.For(ctx, g.Identity, g.Probe)
	if err != nil {
		return "", fault.Unavailable(err)
	}
	vectors, err := model.Embed(ctx, []string{text}, embed.Passage)
	if err != nil {
		return "", fault.Unavailable(err)
	}
	q.Vector = vectors[0]
	return p.stores.Searches.CategoryOfNearestRule(ctx, workspaceID, p.knowledge.index, q)
}

// servingModel is the model of the vectors that the index serves; the zero one before there
// are any.
func (p *parts) servingModel(ctx context.Context) (embed.Identity, error) {
	g, err := p.stores.Knowledge.Serving(ctx, true)
	if err != nil || g == nil {
		return embed.Identity{}, err
	}
	return embed.ParseIdentity(g.Identity), nil
}

// drive works until ctx ends, then lets the deliveries under way end.
func (p *process) drive(ctx context.Context) error {
	if !p.gate.wait(ctx) {
		return nil
	}
	err := p.worker.Run(ctx)
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.conf.Stop.Timeout)
	defer cancel()
	p.sending.Wait(own)
	return err
}

// temporalTraces makes runs and activities part of traces, where anybody collects
// them; otherwise they would only cost.
func temporalTraces(t config.Telemetry) ([]interceptor.ClientInterceptor, error) {
	if t.OTLPEndpoint == "" {
		return nil, nil
	}
	traces, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{})
	if err != nil {
		return nil, fmt.Errorf("traces of Temporal: %w", err)
	}
	return []interceptor.ClientInterceptor{traces}, nil
}

// temporalTLS returns the TLS settings of the connection to Temporal, nil for a
// plain one.
func temporalTLS(t config.Temporal) (*tls.Config, error) {
	if t.TLSCertFile == "" && t.TLSCAFile == "" && t.TLSServerName == "" {
		return nil, nil //nolint:nilnil // plain is a valid answer
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.TLSServerName}
	if t.TLSCertFile != "" {
		pair, err := tls.LoadX509KeyPair(t.TLSCertFile, t.TLSKeyFile)
		if err != nil {
			return nil, fmt.Errorf("REDLINE_TEMPORAL_TLS_CERT_FILE and REDLINE_TEMPORAL_TLS_KEY_FILE: %w", err)
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	if t.TLSCAFile != "" {
		pem, err := os.ReadFile(t.TLSCAFile)
		if err != nil {
			return nil, fmt.Errorf("REDLINE_TEMPORAL_TLS_CA_FILE: %w", err)
		}
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("REDLINE_TEMPORAL_TLS_CA_FILE: has no certificate")
		}
	}
	return secure, nil
}
