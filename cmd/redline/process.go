package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
	"github.com/redline-svc/redline/worker"
)

// process is a running serve, api or worker.
type process struct {
	*parts
	role   config.Role
	ops    *ops.Server
	opsRun *http.Server
	face   *rpc.Server
	public *http.Server
	// pages are the console's; nil where it has no address.
	pages  *http.Server
	worker *worker.Worker
	// requests end with cancelRequests, the work with stopWork, the rest with stopRest.
	cancelRequests, stopWork, stopRest context.CancelFunc
	work, rest                         sync.WaitGroup
	failed                             chan error
	// serving reports that callers may have been told of this process.
	serving bool
}

// runProcess runs a role until a signal, or until it cannot go on.
func runProcess(ctx context.Context, role config.Role) error {
	conf, log, err := configure(role)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	flush, err := telemetry.StartTracing(ctx, conf.Telemetry.OTLPEndpoint, conf.Telemetry.TraceRatio, string(role))
	if err != nil {
		return fmt.Errorf("REDLINE_OTLP_ENDPOINT: %w", err)
	}
	p, err := open(ctx, role, conf, log)
	if err != nil {
		return err
	}
	proc := &process{parts: p, role: role, failed: make(chan error, 8)}
	err = proc.start(ctx)
	if err == nil {
		select {
		case <-ctx.Done():
			stop() // before it says that it is stopping, which is when somebody may send the second signal
		case err = <-proc.failed:
		}
	}
	return errors.Join(err, proc.stop(flush))
}

// start brings everything up; what was started before an error is stopped by stop.
func (p *process) start(ctx context.Context) error {
	life := context.WithoutCancel(ctx)
	requests, cancelRequests := context.WithCancel(life)
	work, stopWork := context.WithCancel(life)
	rest, stopRest := context.WithCancel(life)
	p.cancelRequests, p.stopWork, p.stopRest = cancelRequests, stopWork, stopRest
	probes := []ops.Probe{p.postgres(), p.weaviate(), p.embedding()}
	options := ops.Options{Metrics: p.metrics, Pprof: p.conf.HTTP.Pprof, Hosts: p.conf.HTTP.OpsHosts}
	if p.role != config.API {
		var err error
		if p.worker, err = newWorker(p.parts); err != nil {
			return err
		}
		probes = append(probes, ops.Probe{Name: partTemporal, Required: p.role == config.Worker, Look: p.worker.Check})
	}
	if p.role != config.Worker {
		face, err := newAPI(rest, p.parts)
		if err != nil {
			return err
		}
		options.Document = face.Document
		if p.conf.HTTP.OpsTry {
			options.Interface = face
		}
		p.face, p.public = face, face.Listener(requests)
		if p.pages, err = newPages(requests, p.conf, face, p.log); err != nil {
			return err
		}
	}
	options.Probes = probes
	p.ops = ops.New(options)
	if err := p.gate.look(ctx); errors.Is(err, schema.ErrUnserved) {
		return err
	}
	if err := p.checkKeys(ctx); err != nil {
		return err
	}
	return p.run(ctx, rest, work)
}

// run opens the listeners and sets the work going. The interface is open before
// the operations listener can say that the process is ready.
func (p *process) run(ctx, rest, work context.Context) error {
	if err := p.open(ctx); err != nil {
		return err
	}
	p.opsRun = p.ops.Listener()
	listener, err := listen(ctx, "REDLINE_OPS_ADDR", p.conf.HTTP.OpsAddr, config.HTTP{})
	if err != nil {
		return err
	}
	p.goUntil(&p.rest, func() error { return serveUntilClosed(p.opsRun, listener) })
	p.log.Info("the operations listener is open", "addr", listener.Addr().String())
	for _, fn := range p.background(rest) {
		p.rest.Go(fn)
	}
	p.rest.Go(func() { p.ops.Watch(rest) })
	if p.worker != nil {
		for _, fn := range []func(context.Context){p.count, p.clear, p.countStorage} {
			p.rest.Go(p.gate.behind(rest, fn))
		}
		p.goUntil(&p.work, func() error { return p.drive(work) })
	}
	return nil
}

// open opens the interface, in roles that have one.
func (p *process) open(ctx context.Context) error {
	if p.public == nil {
		return nil
	}
	public, err := listen(ctx, "REDLINE_HTTP_ADDR", p.conf.HTTP.Addr, p.conf.HTTP)
	if err != nil {
		return err
	}
	p.serving = true
	p.goUntil(&p.rest, func() error { return serveUntilClosed(p.public, public) })
	p.log.Info("the interface is open", "addr", public.Addr().String())
	if p.pages == nil {
		return nil
	}
	pages, err := listen(ctx, "REDLINE_CONSOLE_ADDR", p.conf.Console.Addr, p.conf.HTTP)
	if err != nil {
		return err
	}
	p.goUntil(&p.rest, func() error { return serveUntilClosed(p.pages, pages) })
	p.log.Info("the console is open", "addr", pages.Addr().String())
	return nil
}

// goUntil runs fn beside the rest; its error ends the process.
func (p *process) goUntil(group *sync.WaitGroup, fn func() error) {
	group.Go(func() {
		if err := fn(); err != nil {
			p.failed <- err
		}
	})
}

// keyCheck is how long the start waits for the database to look at the keys.
const keyCheck = 5 * time.Second

// checkKeys refuses to start with keys that are not those of the database. A
// database that is away now is looked at again in the background.
func (p *process) checkKeys(ctx context.Context) error {
	if err := p.lookAtKeys(ctx); err == nil || errors.Is(err, workspace.ErrWrongKeys) {
		return err
	}
	p.log.Warn("the database does not answer, or has no schema yet; going on without it")
	p.rest.Go(func() {
		for ctx.Err() == nil {
			err := p.lookAtKeys(ctx)
			if errors.Is(err, workspace.ErrWrongKeys) {
				p.failed <- err
			}
			if err == nil || errors.Is(err, workspace.ErrWrongKeys) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(keyRetry):
			}
		}
	})
	return nil
}

// keyRetry is the pause between two looks at a database that is away.
const keyRetry = time.Second

func (p *process) lookAtKeys(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keyCheck)
	defer cancel()
	return workspace.CheckKeys(ctx, p.db(), p.box)
}
