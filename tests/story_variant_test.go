package tests

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/stack"
)

// The variants of the service that several stories want. Where one wants a further setting,
// it goes into a variant that is there.
var (
	// wordsAsModel has a model that takes no time: it knows which words are the same.
	wordsAsModel = &variant{name: "words", roles: []string{"serve", "api"}, settings: fixed("REDLINE_EMBEDDER=lexical")}
	// lettersAsModel has a model behind an address, which counts letters.
	lettersAsModel = &variant{name: "letters", roles: []string{"serve"}, settings: lettersServed}
	// fastWebhooks tries each message twice more, a second after the try before, and mails
	// often, and removes what is too old soon.
	fastWebhooks = &variant{name: "webhooks", roles: []string{"serve"}, settings: fixed(
		"REDLINE_WEBHOOK_SCHEDULE=1s,1s", "REDLINE_MAIL_SCHEDULE="+strings.Repeat("2s,", 99)+"2s", "REDLINE_CLEAR_EVERY=1s")}
	// tight has small limits of a workspace, and of a run's history.
	tight = &variant{name: "tight", roles: []string{"serve"}, settings: fixed(
		"REDLINE_SMTP_FREE_PER_DAY=2", "REDLINE_STEP_CALLS=2", "REDLINE_MAX_LIVE_EXECUTIONS=8", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")}
	// turnedPrivate takes addresses that its worker may not call.
	turnedPrivate = &variant{name: "private", roles: []string{"api", "worker"}, settings: fixed(), further: map[string][]string{
		"worker": {"REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS=", "REDLINE_EGRESS_ALLOW_CIDRS="},
	}}
	// onceAgain tries each message once more, at once.
	onceAgain = &variant{name: "again", roles: []string{"serve"}, settings: fixed("REDLINE_WEBHOOK_SCHEDULE=0s")}
	// twoProcesses share all work.
	twoProcesses = &variant{name: "two", roles: []string{"serve", "serve"}, settings: fixed()}
	// undriven has nobody who works on what is promised.
	undriven = &variant{name: "undriven", roles: []string{"api"}, settings: fixed()}
)

// variant is the service with settings of its own: processes with a database and a namespace
// on the shared servers. The first story that wants it starts it, all share it, each in
// workspaces of its own, and it ends with the run. So a story must neither kill nor change
// it, and what it reads beside its workspaces may be another story's.
type variant struct {
	name  string
	roles []string
	// settings are NAME=value. What they start is closed by stop, which may be nil.
	settings func() (values []string, stop func())
	// further are those of the processes of a role alone.
	further map[string][]string

	once      sync.Once
	lab       *stack.Lab
	processes []*stack.Service
	close     []func(keep bool) error
	err       error
}

func fixed(values ...string) func() ([]string, func()) {
	return func() ([]string, func()) { return values, nil }
}

// lettersServed runs the model that counts letters.
func lettersServed() ([]string, func()) {
	model := httptest.NewServer(countingLetters(new(atomic.Int32)))
	return lettersAt(model.URL), model.Close
}

// lettersAt are the settings for a model of letters at an address.
func lettersAt(address string) []string {
	return []string{"REDLINE_EMBEDDER=http", "REDLINE_EMBED_URL=" + address, "REDLINE_EMBED_MODEL=letters", "REDLINE_EMBED_DIMENSIONS=32"}
}

// started are the variants that have to be stopped.
var started struct {
	sync.Mutex
	variants []*variant
}

// beginAt makes the scene of a story at the first process of a variant. The lab is the
// variant's own: it may be looked at, its processes are all stories'.
func beginAt(t *testing.T, v *variant) (*scene, *lab) {
	t.Helper()
	t.Parallel()
	settleIn(t, ordinary)
	v.once.Do(v.start)
	require.NoError(t, v.err)
	l := &lab{Lab: v.lab, t: t, trusted: authority}
	s := l.begin(v.processes[0])
	l.workspaceID = s.workspace.ID
	return s, l
}

// start runs the processes. Their contexts are those of no story.
func (v *variant) start() {
	started.Lock()
	started.variants = append(started.variants, v)
	started.Unlock()
	v.err = v.run(context.Background())
}

func (v *variant) run(ctx context.Context) error {
	namespace, err := namespaces.Claim(ctx, unique("lab"))
	if err != nil {
		return err
	}
	v.close = append(v.close, func(keep bool) error {
		if keep {
			return namespace.Discard(ctx)
		}
		return namespace.Return(ctx)
	})
	if v.lab, err = shared.Lab(ctx, strings.ReplaceAll(unique(v.name), "-", "_"), namespace.Name); err != nil {
		return err
	}
	v.close = append(v.close, v.closeLab)
	values, stop := v.settings()
	if stop != nil {
		v.close = append(v.close, func(bool) error { stop(); return nil })
	}
	for _, role := range v.roles {
		process, err := v.lab.Start(ctx, role, variables(append(values, v.further[role]...)))
		if err != nil {
			return err
		}
		v.processes = append(v.processes, process)
	}
	return nil
}

func (v *variant) closeLab(keep bool) error {
	err := v.lab.Close()
	if !keep && os.Getenv("REDLINE_TEST_KEEP") != "1" {
		err = errors.Join(err, v.lab.RemoveRows(context.Background()))
	}
	return err
}

// stopVariants ends what stories have started, the last first. Their rows and runs are kept
// where somebody wants to see why one failed.
func stopVariants(keep bool) (err error) {
	for _, v := range started.variants {
		for i := len(v.close) - 1; i >= 0; i-- {
			err = errors.Join(err, v.close[i](keep))
		}
	}
	return err
}

// beside runs one more process of the interface on the shared rows, with further settings,
// and returns the same workspace reached by it.
func (s *scene) beside(settings ...string) *scene {
	s.t.Helper()
	process, err := shared.Service(s.ctx, unique("beside"), "api", variables(settings))
	require.NoError(s.t, err)
	s.t.Cleanup(process.Kill)
	return s.through(process.URL)
}

// variables takes NAME=value apart.
func variables(settings []string) map[string]string {
	found := map[string]string{}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		found[name] = value
	}
	return found
}
