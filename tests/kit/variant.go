package kit

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/stack"
)

// The variants of the service that several tests want. Where one wants a further setting,
// it goes into a variant that is there.
var (
	// WordsAsModel has a model that takes no time: it knows which words are the same.
	WordsAsModel = &Variant{Name: "words", Roles: []string{"serve", "api"}, Settings: fixed("REDLINE_EMBEDDER=lexical")}
	// LettersAsModel are two processes that share all work, with a model behind an address, which
	// counts letters.
	LettersAsModel = &Variant{Name: "letters", Roles: []string{"serve", "serve"}, Settings: lettersServed}
	// FastWebhooks tries each message twice more, a second after the try before, and mails
	// often, and removes what is too old soon.
	FastWebhooks = &Variant{Name: "webhooks", Roles: []string{"serve"}, Settings: fixed(
		"REDLINE_WEBHOOK_SCHEDULE=1s,1s", "REDLINE_MAIL_SCHEDULE="+strings.Repeat("2s,", 99)+"2s", "REDLINE_CLEAR_EVERY=1s")}
	// Tight has small limits of a workspace, and of a run's history.
	Tight = &Variant{Name: "tight", Roles: []string{"serve"}, Settings: fixed(
		"REDLINE_SMTP_FREE_PER_DAY=2", "REDLINE_STEP_CALLS=2", "REDLINE_MAX_LIVE_EXECUTIONS=8", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")}
	// TurnedPrivate takes addresses that its worker may not call.
	TurnedPrivate = &Variant{Name: "private", Roles: []string{"api", "worker"}, Settings: fixed(), Further: map[string][]string{
		"worker": {"REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS=", "REDLINE_EGRESS_ALLOW_CIDRS="},
	}}
	// OnceAgain tries each message once more, at once.
	OnceAgain = &Variant{Name: "again", Roles: []string{"serve"}, Settings: fixed("REDLINE_WEBHOOK_SCHEDULE=0s")}
	// TwoProcesses share all work.
	TwoProcesses = &Variant{Name: "two", Roles: []string{"serve", "serve"}, Settings: fixed()}
)

// Variant is the service with settings of its own: processes with a database and a namespace
// on the shared servers. The first test that wants it starts it, all share it, each in
// workspaces of its own, and it ends with the run. So a test must neither kill nor change
// it, and what it reads beside its workspaces may be another test's.
type Variant struct {
	Name  string
	Roles []string
	// Settings are NAME=value. What they start is closed by stop, which may be nil.
	Settings func() (values []string, stop func())
	// Further are those of the processes of a role alone.
	Further map[string][]string

	// Once starts the variant; what follows is set by that. Close is called last first.
	Once      sync.Once
	Isolated  *stack.Isolated
	Processes []*stack.Service
	Close     []func(keep bool) error
	Err       error
}

func fixed(values ...string) func() ([]string, func()) {
	return func() ([]string, func()) { return values, nil }
}

// lettersServed runs the model that counts letters.
func lettersServed() ([]string, func()) {
	model := httptest.NewServer(CountingLetters(new(atomic.Int32)))
	return LettersAt(model.URL), model.Close
}

// LettersAt returns the settings for a model of letters at an address.
func LettersAt(address string) []string {
	return []string{"REDLINE_EMBEDDER=http", "REDLINE_EMBED_URL=" + address, "REDLINE_EMBED_MODEL=letters", "REDLINE_EMBED_DIMENSIONS=32"}
}

// started are the variants that have to be stopped.
var started struct {
	sync.Mutex
	variants []*Variant
}

// NewVariantWorkspace makes the workspace of a test at the first process of a variant and
// returns it with the isolated stack of the variant: that may be looked at, but its processes
// are those of all tests.
func NewVariantWorkspace(t *testing.T, v *Variant) (*Env, *IsolatedStack) {
	t.Helper()
	t.Parallel()
	TakeSlot(t, SharedSlots)
	v.Once.Do(v.start)
	require.NoError(t, v.Err)
	isolated := &IsolatedStack{Isolated: v.Isolated, T: t, Trusted: authority}
	env := isolated.NewWorkspace(v.Processes[0])
	isolated.WorkspaceID = env.Workspace.ID
	return env, isolated
}

// start runs the processes. Their contexts are those of no test.
func (v *Variant) start() {
	started.Lock()
	started.variants = append(started.variants, v)
	started.Unlock()
	v.Err = v.run(context.Background())
}

func (v *Variant) run(ctx context.Context) error {
	namespace, err := namespaces.Claim(ctx, Unique("isolated"))
	if err != nil {
		return err
	}
	v.Close = append(v.Close, func(keep bool) error {
		if keep {
			return namespace.Discard(ctx)
		}
		return namespace.Return(ctx)
	})
	if v.Isolated, err = Shared.Isolate(ctx, strings.ReplaceAll(Unique(v.Name), "-", "_"), namespace.Name); err != nil {
		return err
	}
	v.Close = append(v.Close, v.closeIsolated)
	v.Isolated.Set(withoutModel)
	values, stop := v.Settings()
	if stop != nil {
		v.Close = append(v.Close, func(bool) error { stop(); return nil })
	}
	for _, role := range v.Roles {
		process, err := v.Isolated.Start(ctx, role, variables(slices.Concat(values, v.Further[role])))
		if err != nil {
			return err
		}
		v.Processes = append(v.Processes, process)
	}
	return nil
}

func (v *Variant) closeIsolated(keep bool) error {
	err := v.Isolated.Close()
	if !keep && os.Getenv("REDLINE_TEST_KEEP") != "1" {
		err = errors.Join(err, v.Isolated.RemoveRows(context.Background()))
	}
	return err
}

// stopVariants ends what tests have started, the last first. Their rows and runs are kept
// where somebody wants to see why one failed.
func stopVariants(keep bool) (err error) {
	for _, v := range started.variants {
		for _, end := range slices.Backward(v.Close) {
			err = errors.Join(err, end(keep))
		}
	}
	return err
}

// Beside runs one more process of the interface on the shared rows, with further settings,
// and returns it with the same workspace reached by it.
func Beside(env *Env, settings ...string) (*Env, *stack.Service) {
	env.T.Helper()
	process, err := Shared.Service(env.Ctx, Unique("beside"), "api", variables(settings))
	require.NoError(env.T, err)
	env.T.Cleanup(process.Kill)
	return env.Through(process.URL), process
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
