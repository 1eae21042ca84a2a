package modelstest

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

// Pair returns a workspace and its first key's token.
func (s *Tenants) Pair(t *testing.T, email string) (*workspace.Workspace, string) {
	t.Helper()
	w := s.Create(t, email)
	tokens, err := s.Keys.Tokens(t.Context(), w.ID, Owner(w), w.Keys[0].ID)
	require.NoError(t, err)
	return w, tokens[0].Token
}

// BoxOf makes a box with these keys, the first of each kind in use.
func BoxOf(t *testing.T, encryption, hash []secret.Key) *secret.Box {
	t.Helper()
	box, err := secret.NewBox(encryption, hash)
	require.NoError(t, err)
	return box
}

// Rotation is one database seen by processes before, during and after a change
// of both kinds of keys.
type Rotation struct {
	DB                    *pg.DB
	Before, During, After *Tenants
}

// NewRotation makes a Rotation over a fresh database.
func NewRotation(t *testing.T) Rotation {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	e1, e2, h1, h2 := secret.NewKey("e1"), secret.NewKey("e2"), secret.NewKey("h1"), secret.NewKey("h2")
	box := func(encryption, hash []secret.Key) *Tenants { return TenantsOn(db, BoxOf(t, encryption, hash)) }
	return Rotation{
		DB:     db,
		Before: box([]secret.Key{e1}, []secret.Key{h1}),
		During: box([]secret.Key{e2, e1}, []secret.Key{h2, h1}),
		After:  box([]secret.Key{e2}, []secret.Key{h2}),
	}
}

// Quiet ignores the progress of a rewrap.
func Quiet(workspace.SealedColumn, int) {}

// Many makes n keys with tokens in few statements.
func (s *Tenants) Many(t *testing.T, w *workspace.Workspace, n int) map[string]string {
	t.Helper()
	zero := 0
	require.NoError(t, s.Operator.SetLimit(t.Context(), w.ID, workspace.LimitKeysTesting, &zero))
	tokens := map[string]string{}
	for range n {
		keyID, token, err := s.Keys.Create(t.Context(), w.ID, Owner(w), TestingKey(t, strings.Repeat("k", 200)))
		require.NoError(t, err)
		tokens[keyID] = token
	}
	return tokens
}

// Tenants are the stores of workspaces over one fresh database.
type Tenants struct {
	DB          *pg.DB
	Box         *secret.Box
	Workspaces  *workspace.Workspaces
	Keys        *workspace.Keys
	Credentials *workspace.Credentials
	Operator    *workspace.Operator
	Audits      *workspace.Audits
}

// NewBox makes a box with one key of each kind.
func NewBox(t testing.TB) *secret.Box {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e1")}, []secret.Key{secret.NewKey("h1")})
	require.NoError(t, err)
	return box
}

// NewTenants makes the stores over a fresh database, in a test that runs in parallel.
func NewTenants(t *testing.T) *Tenants {
	t.Helper()
	t.Parallel()
	return TenantsOn(pgtest.New(t), NewBox(t))
}

// TenantsOn makes the stores over a database.
func TenantsOn(db *pg.DB, box *secret.Box) *Tenants {
	return &Tenants{
		DB: db, Box: box,
		Workspaces:  workspace.NewWorkspaces(db, box),
		Keys:        workspace.NewKeys(db, box, workspace.KeyQuotas{TestingFree: 20, TestingPaid: 50, Production: 10}),
		Credentials: workspace.NewCredentials(db, box),
		Operator:    workspace.NewOperator(db, box, "ann"),
		Audits:      workspace.NewAudits(db),
	}
}

// Anonymous is a caller without credentials.
var Anonymous = workspace.Caller{IP: "192.0.2.7", RequestID: "req-1", Operation: "/v2/workspace/create"}

// Address reads an e-mail address.
func Address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	require.NoError(t, err)
	return parsed
}

// Create makes a workspace of an owner.
func (s *Tenants) Create(t *testing.T, owner string) *workspace.Workspace {
	t.Helper()
	made, err := s.Workspaces.Create(t.Context(), Anonymous, workspace.NewWorkspace{Email: Address(t, owner)})
	require.NoError(t, err)
	return made
}

// CreateNamed makes a workspace with a name.
func (s *Tenants) CreateNamed(t *testing.T, owner, name string) (*workspace.Workspace, error) {
	t.Helper()
	return s.Workspaces.Create(t.Context(), Anonymous, workspace.NewWorkspace{Email: Address(t, owner), Name: &name})
}

// Owner is the caller of the workspace's own operations.
func Owner(w *workspace.Workspace) workspace.Caller {
	return workspace.Caller{WorkspaceID: w.ID, IP: "192.0.2.7", RequestID: "req-2", Operation: "/v2/workspace/x"}
}

// RequireRefusal asserts the status and the reason of an error.
func RequireRefusal(t *testing.T, err error, status fault.Status, reason string) {
	t.Helper()
	require.Error(t, err)
	refused := fault.From(err)
	require.Equal(t, status, refused.Status, err)
	require.Equal(t, reason, refused.Reason)
}

// Count runs a query that returns one number.
func (s *Tenants) Count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.DB.Pool.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// ErrorsOf runs fn n times side by side and returns the errors.
func ErrorsOf(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wait.Wait()
	return errs
}

// TestingKey is a new testing key with a token.
func TestingKey(t *testing.T, name string) workspace.NewKey {
	t.Helper()
	return workspace.NewKey{Owner: Address(t, "owner@example.com"), Type: workspace.KeyTesting, Name: name, WithToken: true}
}
