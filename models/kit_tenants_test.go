package models_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
)

// pair gives a workspace and its first key's token.
func (s *tenants) pair(t *testing.T, email string) (*models.Workspace, string) {
	t.Helper()
	w := s.create(t, email)
	tokens, err := s.keys.Tokens(t.Context(), w.ID, owner(w), w.Keys[0].ID)
	require.NoError(t, err)
	return w, tokens[0].Token
}

func boxOf(t *testing.T, encryption, hash []secret.Key) *secret.Box {
	t.Helper()
	box, err := secret.NewBox(encryption, hash)
	require.NoError(t, err)
	return box
}

// rotation is one database seen by processes before, during and after a change
// of both kinds of keys.
type rotation struct {
	db                    *models.DB
	before, during, after *tenants
}

func newRotation(t *testing.T) rotation {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	e1, e2, h1, h2 := secret.NewKey("e1"), secret.NewKey("e2"), secret.NewKey("h1"), secret.NewKey("h2")
	box := func(encryption, hash []secret.Key) *tenants { return tenantsOn(db, boxOf(t, encryption, hash)) }
	return rotation{
		db:     db,
		before: box([]secret.Key{e1}, []secret.Key{h1}),
		during: box([]secret.Key{e2, e1}, []secret.Key{h2, h1}),
		after:  box([]secret.Key{e2}, []secret.Key{h2}),
	}
}

func quiet(models.SealedColumn, int) {}

// many makes n keys with tokens in few statements.
func (s *tenants) many(t *testing.T, w *models.Workspace, n int) map[string]string {
	t.Helper()
	zero := 0
	require.NoError(t, s.operator.SetLimit(t.Context(), w.ID, models.LimitKeysTesting, &zero))
	tokens := map[string]string{}
	for range n {
		keyID, token, err := s.keys.Create(t.Context(), w.ID, owner(w), testingKey(t, strings.Repeat("k", 200)))
		require.NoError(t, err)
		tokens[keyID] = token
	}
	return tokens
}

// tenants are the stores of workspaces over one fresh database.
type tenants struct {
	db          *models.DB
	box         *secret.Box
	workspaces  *models.Workspaces
	keys        *models.Keys
	credentials *models.Credentials
	operator    *models.Operator
	audits      *models.Audits
}

func newBox(t *testing.T) *secret.Box {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e1")}, []secret.Key{secret.NewKey("h1")})
	require.NoError(t, err)
	return box
}

func newTenants(t *testing.T) *tenants {
	t.Helper()
	t.Parallel()
	return tenantsOn(pgtest.New(t), newBox(t))
}

func tenantsOn(db *models.DB, box *secret.Box) *tenants {
	return &tenants{
		db: db, box: box,
		workspaces:  models.NewWorkspaces(db, box),
		keys:        models.NewKeys(db, box, models.KeyQuotas{Testing: 50, Production: 10}),
		credentials: models.NewCredentials(db, box),
		operator:    models.NewOperator(db, box, "ann"),
		audits:      models.NewAudits(db),
	}
}

var stranger = models.Caller{IP: "192.0.2.7", RequestID: "req-1", Operation: "/v2/workspace/create"}

func address(t *testing.T, text string) email.Address {
	t.Helper()
	parsed, err := email.Parse(text)
	require.NoError(t, err)
	return parsed
}

func (s *tenants) create(t *testing.T, owner string) *models.Workspace {
	t.Helper()
	made, err := s.workspaces.Create(t.Context(), stranger, models.NewWorkspace{Email: address(t, owner)})
	require.NoError(t, err)
	return made
}

func (s *tenants) createNamed(t *testing.T, owner, name string) (*models.Workspace, error) {
	t.Helper()
	return s.workspaces.Create(t.Context(), stranger, models.NewWorkspace{Email: address(t, owner), Name: &name})
}

// owner is the caller of the workspace's own operations.
func owner(w *models.Workspace) models.Caller {
	return models.Caller{WorkspaceID: w.ID, IP: "192.0.2.7", RequestID: "req-2", Operation: "/v2/workspace/x"}
}

func requireRefusal(t *testing.T, err error, status fault.Status, reason string) {
	t.Helper()
	require.Error(t, err)
	refused := fault.From(err)
	require.Equal(t, status, refused.Status, err)
	require.Equal(t, reason, refused.Reason)
}

func (s *tenants) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.db.Pool.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// errorsOf runs fn n times side by side and gives the errors.
func errorsOf(n int, fn func(i int) error) []error {
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

func testingKey(t *testing.T, name string) models.NewKey {
	t.Helper()
	return models.NewKey{Owner: address(t, "owner@example.com"), Type: models.KeyTesting, Name: name, WithToken: true}
}
