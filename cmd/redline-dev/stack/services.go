package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/probe"
	"github.com/redline-svc/redline/cmd/redline-dev/seed"
)

// serviceGrace is longer than REDLINE_SHUTDOWN_TIMEOUT, so that an orderly stop is seen to its end.
const serviceGrace = 40 * time.Second

// migrate brings the service's database to the schema of its program.
func (s *stack) migrate(ctx context.Context) error {
	command := exec.CommandContext(ctx, s.options.Service, "migrate")
	command.Env = s.settings.list()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("redline migrate: %w\n%s", err, out)
	}
	return nil
}

// startServices runs the service's own processes as children of this one, so
// that a test can kill them without the servers.
func (s *stack) startServices(ctx context.Context) error {
	for i, name := range s.options.Services {
		settings := s.settings
		if i > 0 {
			// The first has the known operations port, and the console; the others take any.
			settings = settings.with(environment{"REDLINE_OPS_ADDR": local(s.ports.Block + blockSize - i), "REDLINE_CONSOLE_ADDR": ""})
		}
		process := s.add(&part{
			name: name, grace: serviceGrace,
			launch: func(context.Context) (*child.Process, error) {
				return child.Start(s.spec(name, s.options.Service, settings.list(), name))
			},
			ready: func(ctx context.Context) error {
				return probe.Answers(ctx, reachable(settings["REDLINE_OPS_ADDR"])+"/readyz")
			},
		})
		step := s.console.Begin("Starting redline " + name)
		err := process.start(ctx)
		step.End(err)
		if err != nil {
			return err
		}
	}
	return nil
}

// serving reports whether this stack answers requests.
func (s *stack) serving() bool {
	for _, name := range s.options.Services {
		if name != "worker" {
			return true
		}
	}
	return false
}

// finish seeds a stack that serves, writes the addresses and says so by the file ready.
func (s *stack) finish(ctx context.Context) error {
	demo, err := readEnvironment(s.folder.demoEnv())
	if err != nil {
		return err
	}
	demo = demo.with(s.addresses)
	if s.serving() {
		step := s.console.Begin("Seeding the demo workspace")
		made, err := seed.Run(ctx, seed.Target{
			URL: s.addresses["REDLINE_URL"], ReceiverURL: s.addresses["REDLINE_DEV_RECEIVER_URL"],
			Known: demo, Remember: func(so map[string]string) error { return demo.with(so).write(s.folder.demoEnv()) },
		})
		step.End(err)
		if err != nil {
			return err
		}
		demo = demo.with(made)
	}
	if err := demo.write(s.folder.demoEnv()); err != nil {
		return err
	}
	return os.WriteFile(s.folder.ready(), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600)
}
