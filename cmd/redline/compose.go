package main

import (
	"context"
	"fmt"
	"log/slog"

	sending "github.com/redline-svc/redline/activities/delivery"
	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/notifier"
)

// parts are what both roles use: the database with its stores, the keys, the
// guard of outgoing connections.
type parts struct {
	conf    config.Config
	log     *slog.Logger
	metrics *telemetry.Metrics
	pools   pools
	gate    *gate
	box     *secret.Box
	guard   *guard.Guard
	limiter *limit.Limiter
	// stores are those of the role's own work, entry those by which callers are known,
	// calls those that answer them; calls is nil in a worker.
	stores, entry, calls *models.Stores
	notifier             *notifier.Notifier

	knowledge knowledge
	// sending is the worker's part of deliveries; nil in an API process.
	sending *sending.Activities
}

// open makes the parts. Nothing has to answer yet.
func open(ctx context.Context, role config.Role, conf config.Config, log *slog.Logger) (*parts, error) {
	p := &parts{conf: conf, log: log, metrics: telemetry.NewMetrics()}
	var err error
	if p.box, err = secret.NewBox(conf.Keys.Encryption, conf.Keys.Hash); err != nil {
		return nil, fmt.Errorf("REDLINE_ENCRYPTION_KEYS and REDLINE_HASH_KEYS: %w", err)
	}
	if p.guard, err = p.newGuard(); err != nil {
		return nil, err
	}
	if p.pools, err = openPools(ctx, role, conf.Database, telemetry.NewQueryTimer(p.metrics)); err != nil {
		return nil, databaseFault(err)
	}
	p.gate = &gate{db: p.pools.entry, log: log}
	p.openStores()
	p.limiter = api.NewLimiter(p.entry, conf.Rates, p.metrics)
	if p.knowledge, err = openKnowledge(ctx, p); err != nil {
		return nil, err
	}
	return p, p.metrics.Register(poolInUse(p.pools))
}

// openStores makes the stores over the pools. What any of them commits is notified.
func (p *parts) openStores() {
	o := models.Configured(p.conf, p.guard)
	p.entry = models.NewStores(p.pools.entry, p.box, o)
	if p.pools.calls != nil {
		p.calls = models.NewStores(p.pools.calls, p.box, o)
		p.calls.Annotations.OnDropped(func(n int) { p.metrics.NotificationsDropped.Add(float64(n)) })
		p.stores = p.calls
	}
	if p.pools.work != nil {
		p.stores = models.NewStores(p.pools.work, p.box, o)
	}
	for _, db := range p.pools.all() {
		db.SetGate(p.stores.Quotas)
	}
	p.notifier = notifier.New(p.pools.all()...)
}

// db is the pool of the role's own work.
func (p *parts) db() *models.DB { return p.pools.all()[0] }

func (p *parts) close() {
	p.pools.close()
}

// newGuard makes the guard of all outgoing connections.
func (p *parts) newGuard() (*guard.Guard, error) {
	e := p.conf.Egress
	if len(e.AllowCIDRs)+len(e.AllowHosts)+len(e.WorkflowAllowCIDRs) > 0 {
		p.log.Warn("outgoing connections to addresses that are usually refused are allowed by the configuration")
	}
	options := e.Guard()
	options.OnRefused = func(ctx context.Context, kind guard.Kind, rule string) {
		p.metrics.EgressRefused.WithLabelValues(rule).Inc()
		p.log.WarnContext(ctx, "an address is refused", "kind", kind.String(), "rule", rule, "trace_id", telemetry.TraceID(ctx))
	}
	return guard.New(options)
}

// clearAtOnce is how many rows of a kind one statement removes: few enough that
// it takes some tenths of a second.
const clearAtOnce = 2000

// background runs what both roles need beside their work, until ctx ends.
func (p *parts) background(ctx context.Context) []func() {
	return []func(){
		func() { p.notifier.Run(ctx) },
		func() { p.limiter.Run(ctx) },
		p.gate.behind(ctx, p.stores.Quotas.Run),
	}
}

// clear removes what is too old, until ctx ends. Workers do, so that a process
// that answers callers has nothing else to do; several of them take different rows.
func (p *parts) clear(ctx context.Context) {
	clearing := poll.New(p.conf.Database.ClearEvery)
	clearing.Notify() // a process that is often restarted clears too
	clearing.Run(ctx, func(ctx context.Context) (more bool) {
		for _, old := range p.old() {
			if err := old.remove(ctx); err != nil && ctx.Err() == nil {
				p.log.Warn("old "+old.what+" could not be removed", "error", err)
			}
		}
		return false
	})
}

// aged are rows that go by their age.
type aged struct {
	what   string
	remove func(context.Context) error
}

func (p *parts) old() []aged {
	hooks := p.conf.Webhook
	return []aged{
		{"limits", func(ctx context.Context) error { return p.stores.RateLimits.Clear(ctx, clearAtOnce) }},
		{"audit rows", func(ctx context.Context) error {
			_, err := p.stores.Audits.Expire(ctx, clearAtOnce)
			return err
		}},
		{"attempts", func(ctx context.Context) error {
			_, err := p.stores.Deliveries.ExpireAttempts(ctx, hooks.AttemptDays, clearAtOnce)
			return err
		}},
		{"notifications", func(ctx context.Context) error {
			_, err := p.stores.Notifications.Expire(ctx, p.conf.Notifications.Days, clearAtOnce)
			return err
		}},
		{"jobs", func(ctx context.Context) error {
			_, err := p.stores.Jobs.Expire(ctx, clearAtOnce)
			return err
		}},
		{"exports", func(ctx context.Context) error {
			_, err := p.stores.Persons.ExpireExports(ctx, clearAtOnce)
			return err
		}},
		{"mails", func(ctx context.Context) error {
			_, err := p.stores.Mails.Expire(ctx, hooks.AttemptDays, clearAtOnce)
			return err
		}},
		{"messages", func(ctx context.Context) error {
			if err := p.stores.Deliveries.ExpireMessages(ctx, hooks.PayloadDays, hooks.AttemptDays, clearAtOnce); err != nil {
				return err
			}
			return p.stores.Endpoints.Expire(ctx, hooks.AttemptDays, clearAtOnce)
		}},
	}
}
