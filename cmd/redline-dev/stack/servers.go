package stack

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/parts"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/cmd/redline-dev/probe"
	"github.com/redline-svc/redline/cmd/redline-dev/receiver"
	"github.com/redline-svc/redline/cmd/redline-dev/temporal"
	"github.com/redline-svc/redline/cmd/redline-dev/weaviate"
	"github.com/redline-svc/redline/internal/embed/ortlib"
)

// database is the service's own database in the local Postgres.
const database = "redline"

// serverGrace is how long a server may take to end in order.
const serverGrace = 10 * time.Second

// ownDatabase reports whether the service uses the local Postgres.
func (s *stack) ownDatabase() bool {
	return s.outside["REDLINE_DATABASE_URL"] == "" && s.outside["REDLINE_DATABASE_URL_FILE"] == ""
}

// ownEngine reports whether the local Temporal is run.
func (s *stack) ownEngine() bool { return s.outside["REDLINE_TEMPORAL_ADDR"] == "" }

// ownVectors reports whether the local Weaviate is run.
func (s *stack) ownVectors() bool { return s.outside["REDLINE_WEAVIATE_ADDR"] == "" }

// obtain fetches and builds what is missing: Postgres over the network while the
// compiler works. What a build would lack is told before anything is begun.
func (s *stack) obtain(ctx context.Context) error {
	var wanted []parts.Part
	if s.ownEngine() {
		wanted = append(wanted, parts.TemporalUI, parts.TemporalServer, parts.TemporalSQL)
	}
	if s.ownVectors() {
		wanted = append(wanted, parts.Weaviate)
	}
	builder := parts.Builder{CacheDir: s.cache, Console: s.console}
	if err := builder.Check(ctx, wanted...); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return builder.Ensure(ctx, wanted...) })
	if (s.ownDatabase() || s.ownEngine()) && !pglocal.Fetched(s.cache) {
		group.Go(func() error {
			step := s.console.Begin("Fetching Postgres " + pglocal.Version + " (15 MB)")
			_, err := pglocal.Fetch(ctx, s.cache)
			step.End(err)
			return err
		})
	}
	s.obtainModel(ctx)
	return group.Wait()
}

// obtainModel finds the library that runs the sentence model. Without one texts
// are compared by their words, which everybody shall see.
func (s *stack) obtainModel(ctx context.Context) {
	if s.outside["REDLINE_EMBEDDER"] != "" || s.outside["REDLINE_ONNXRUNTIME_LIB"] != "" {
		return
	}
	step := s.console.Begin("Finding the runtime of the sentence model")
	library, err := ortlib.Resolve(ctx, "")
	step.End(err)
	s.embedder = environment{"REDLINE_ONNXRUNTIME_LIB": library}
	if err != nil {
		s.console.Sayf("NO SENTENCE MODEL: knowledge is searched by words, not by meaning. Set REDLINE_ONNXRUNTIME_LIB.")
		s.embedder = environment{"REDLINE_EMBEDDER": "lexical"}
	}
}

// add registers a part; it takes the settings that all have in common.
func (s *stack) add(p *part) *part {
	p.log, p.broken = s.folder.log(p.name), s.broken
	if p.signal == 0 {
		p.signal = stopSignal
	}
	if p.grace == 0 {
		p.grace = serverGrace
	}
	s.partsMu.Lock()
	defer s.partsMu.Unlock()
	s.parts = append(s.parts, p)
	return p
}

// disposable is a child that may be killed with this process: what it knows is in the database.
func (s *stack) disposable(name, path string, args ...string) child.Spec {
	spec := s.spec(name, path, nil, args...)
	spec.DeathSignal = syscall.SIGKILL
	return spec
}

// spec is a child of this stack.
func (s *stack) spec(name, path string, env []string, args ...string) child.Spec {
	return child.Spec{
		Path: path, Args: args, Env: env, Dir: string(s.folder),
		Log: s.folder.log(name), PIDFile: s.folder.pidFile(name),
	}
}

// startDatabaseAndTemporal starts Postgres, then what needs it.
func (s *stack) startDatabaseAndTemporal(ctx context.Context) error {
	if s.ownDatabase() || s.ownEngine() {
		if err := s.startPostgres(ctx); err != nil {
			return err
		}
	}
	s.settle()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.migrate(ctx) })
	if s.ownEngine() {
		group.Go(func() error { return s.startEngine(ctx) })
	}
	return group.Wait()
}

// startPostgres starts the server and makes the service's database.
func (s *stack) startPostgres(ctx context.Context) error {
	server := s.add(&part{
		name: "postgres", signal: syscall.SIGINT, grace: 20 * time.Second,
		launch: func(ctx context.Context) (*child.Process, error) {
			started, err := pglocal.Start(ctx, pglocal.Options{
				Dir: s.folder.postgres(), CacheDir: s.cache, Port: s.ports.postgres(), Log: s.folder.log("postgres"),
			})
			if err != nil {
				return nil, err
			}
			if s.postgres == nil {
				// Port and password stay the same when it is started again.
				s.postgres = started
			}
			return started.Process(), nil
		},
		ready: func(context.Context) error { return nil },
	})
	if err := server.start(ctx); err != nil {
		return err
	}
	return s.postgres.CreateDatabase(ctx, database)
}

// settle works out the service's configuration now that the database is known.
func (s *stack) settle() {
	url := ""
	if s.postgres != nil {
		url = s.postgres.URL(database)
	}
	s.settings = profile(s.folder, s.ports, s.keys, url, s.authority.File()).with(s.embedder)
	if !s.ownVectors() {
		// Its second address must come from outside too.
		delete(s.settings, "REDLINE_WEAVIATE_GRPC_ADDR")
	}
	tools := filepath.Join(s.cache, pglocal.ToolsFolder)
	if _, err := os.Stat(tools); err == nil {
		s.settings["REDLINE_POSTGRES_TOOLS"] = tools
	}
	s.settings = s.settings.with(s.outside)
	if s.settings["REDLINE_PUBLIC_BASE_URL"] == "" {
		s.settings["REDLINE_PUBLIC_BASE_URL"] = reachable(s.settings["REDLINE_HTTP_ADDR"])
	}
	s.addresses = addresses(s.ports, s.settings).with(s.outsideAddresses())
}

// outsideAddresses corrects what is not local: without a Temporal of ours there is no UI.
func (s *stack) outsideAddresses() environment {
	changed := environment{}
	if !s.ownEngine() {
		changed["REDLINE_TEMPORAL_UI_URL"] = s.outside["REDLINE_TEMPORAL_UI_URL"]
	}
	return changed
}

// temporalNice lets Temporal give way to the service on full processors: it has
// work for seconds ahead when callers wait for milliseconds. With 5 it gets a third of
// what it would, and dispatches were answered in 15 instead of 23 ms (p50) with 16 callers
// on two cores. With 10 they took 14 ms, but with four more busy processes beside it
// Temporal left calls unanswered for 10 s.
const temporalNice = 5

// startEngine starts Temporal and its UI, and registers the namespace.
func (s *stack) startEngine(ctx context.Context) error {
	settings := temporal.Settings{
		Dir: s.folder.temporal(), DatabasePort: s.ports.postgres(), DatabasePassword: s.postgres.Password(),
		Ports: s.ports.temporal(), UIPort: s.ports.UI, Namespace: namespace,
	}
	if err := temporal.WriteConfig(settings); err != nil {
		return err
	}
	if err := s.prepareEngine(ctx); err != nil {
		return err
	}
	server := s.add(&part{
		name: "temporal",
		launch: func(context.Context) (*child.Process, error) {
			spec := s.disposable("temporal", parts.TemporalServer.Path(s.cache), temporal.ServerArgs(settings.Dir)...)
			spec.Nice = temporalNice
			return child.Start(spec)
		},
		ready: func(ctx context.Context) error {
			return temporal.AwaitNamespace(ctx, local(settings.Ports.Frontend), namespace)
		},
	})
	ui := s.add(&part{
		name: "temporal-ui",
		launch: func(context.Context) (*child.Process, error) {
			return child.Start(s.disposable("temporal-ui", parts.TemporalUI.Path(s.cache), temporal.UIArgs(settings.Dir)...))
		},
		ready: func(ctx context.Context) error { return probe.Answers(ctx, "http://"+local(settings.UIPort)+"/") },
	})
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.start(ctx) })
	group.Go(func() error { return ui.start(ctx) })
	return group.Wait()
}

func (s *stack) prepareEngine(ctx context.Context) error {
	return temporal.Prepare(ctx, s.postgres, parts.TemporalSQL.Path(s.cache), parts.TemporalServer.Version)
}

// emptyTemporal gives the stopped server fresh databases and starts it.
func (s *stack) emptyTemporal(ctx context.Context, server *part) error {
	if err := server.stop(server.signal); err != nil {
		return err
	}
	if err := temporal.Drop(ctx, s.postgres); err != nil {
		return err
	}
	if err := s.prepareEngine(ctx); err != nil {
		return err
	}
	return server.start(ctx)
}

// startWeaviate starts the vector index unless another one is configured.
func (s *stack) startWeaviate(ctx context.Context) error {
	if !s.ownVectors() {
		return nil
	}
	ports := s.ports.weaviate()
	server := s.add(&part{
		name: "weaviate",
		launch: func(context.Context) (*child.Process, error) {
			env := environment{}.list()
			env = append(env, weaviate.Environment(s.folder.weaviate(), ports)...)
			return child.Start(s.spec("weaviate", parts.Weaviate.Path(s.cache), env, weaviate.Args(ports)...))
		},
		ready: func(ctx context.Context) error { return weaviate.AwaitReady(ctx, ports.HTTP) },
	})
	return server.start(ctx)
}

// listen serves what is part of this process: receiver, mail catcher and inbox.
func (s *stack) listen(ctx context.Context) error {
	certificate, err := s.authority.Leaf(receiver.Host)
	if err != nil {
		return err
	}
	requests, mails := receiver.New(), receiver.NewMails()
	inbox := receiver.Handler(requests, mails)
	s.control(inbox)
	for port, serve := range map[int]func(net.Listener) error{
		s.ports.receiver(): func(l net.Listener) error { return requests.Serve(ctx, l, certificate) },
		s.ports.smtp():     func(l net.Listener) error { return mails.Serve(ctx, l) },
		s.ports.inbox():    func(l net.Listener) error { return receiver.ServePage(ctx, l, inbox) },
	} {
		listener, err := net.Listen("tcp", local(port))
		if err != nil {
			return err
		}
		go func() {
			if err := serve(listener); err != nil {
				s.broken <- fmt.Errorf("receiver on port %d: %w", port, err)
			}
		}()
	}
	return nil
}
