package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
)

// desk is an operator's terminal on a database with one workspace.
type desk struct {
	t         *testing.T
	url       string
	keys      [2]secret.Key
	db        *models.DB
	workspace *workspace.Workspace
	// more are further variables.
	more []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, url: pgtest.URL(t), keys: [2]secret.Key{secret.NewKey("e1"), secret.NewKey("h1")}}
	var err error
	d.db, err = models.Open(t.Context(), d.url, models.PoolOptions{Conns: 4})
	require.NoError(t, err)
	t.Cleanup(d.db.Close)
	box := d.box()
	require.NoError(t, workspace.CheckKeys(t.Context(), d.db, box))
	owner, err := email.Parse("owner@example.com")
	require.NoError(t, err)
	d.workspace, err = workspace.NewWorkspaces(d.db, box).Create(t.Context(), workspace.Caller{Operation: "x"}, workspace.NewWorkspace{Email: owner})
	require.NoError(t, err)
	return d
}

func (d *desk) box() *secret.Box {
	d.t.Helper()
	box, err := secret.NewBox([]secret.Key{d.keys[0]}, []secret.Key{d.keys[1]})
	require.NoError(d.t, err)
	return box
}

// types runs the tool with an answer to its question.
func (d *desk) types(answer string, args ...string) (string, error) {
	d.t.Helper()
	var out, asked bytes.Buffer
	a := &admin{in: strings.NewReader(answer), out: &out, asked: &asked, environ: append([]string{
		"REDLINE_DATABASE_URL=" + d.url,
		"REDLINE_ENCRYPTION_KEYS=" + d.keys[0].Encode(),
		"REDLINE_HASH_KEYS=" + d.keys[1].Encode(),
	}, d.more...)}
	err := a.run(d.t.Context(), args)
	return out.String(), err
}

func (d *desk) run(args ...string) string {
	d.t.Helper()
	out, err := d.types("", append([]string{"--yes", "--as", "ann"}, args...)...)
	require.NoError(d.t, err, args)
	return out
}

func (d *desk) json(into any, args ...string) {
	d.t.Helper()
	require.NoError(d.t, json.Unmarshal([]byte(d.run(append(args, "--json")...)), into), args)
}

func (d *desk) show() workspace.Details {
	d.t.Helper()
	var found workspace.Details
	d.json(&found, "workspace", "show", d.workspace.ID)
	return found
}

func TestAdminWorkspace(t *testing.T) {
	d := newDesk(t)
	id := d.workspace.ID
	var list []workspace.Summary
	d.json(&list, "workspace", "list")
	require.Len(t, list, 1)
	assert.Equal(t, id, list[0].ID)
	d.json(&list, "workspace", "list", "--owner", "OTHER@example.com")
	assert.Empty(t, list)
	assert.Contains(t, d.run("workspace", "list", "--owner", "Owner@EXAMPLE.com"), "owner@example.com workspace")

	d.run("workspace", "set-plan", id, "paid")
	assert.Equal(t, "paid", d.show().Plan)
	d.run("workspace", "suspend", id)
	assert.NotNil(t, d.show().SuspendedAt)
	d.run("workspace", "resume", id)
	assert.Nil(t, d.show().SuspendedAt)
	d.run("workspace", "stop", id)
	assert.NotNil(t, d.show().SuspendedAt)
	assert.NotNil(t, d.show().StoppedAt)
	assert.Contains(t, d.run("workspace", "list"), "stopped 2")
	d.run("workspace", "suspend", id)
	assert.NotNil(t, d.show().StoppedAt, "it stays stopped")
	d.run("workspace", "resume", id)
	assert.Nil(t, d.show().SuspendedAt)
	assert.Nil(t, d.show().StoppedAt)

	token := strings.TrimSpace(d.run("workspace", "reset-token", id))
	assert.Regexp(t, `^wst_`, token)
	credentials := workspace.NewCredentials(d.db, d.box())
	_, err := credentials.Workspace(t.Context(), id, token)
	require.NoError(t, err)
	_, err = credentials.Workspace(t.Context(), id, d.workspace.AuthToken)
	require.True(t, fault.Is(err, fault.StatusUnauthenticated))
}

func TestAdminDeletesAWorkspaceWhoseIDIsTypedTwice(t *testing.T) {
	d := newDesk(t)
	id := d.workspace.ID
	for _, answer := range []string{"", "yes\n", "ws_another\n"} {
		_, err := d.types(answer, "workspace", "delete", id)
		require.EqualError(t, err, "nothing was changed")
	}
	for _, args := range [][]string{{"--yes", "workspace", "delete", id}, {"--yes", "workspace", "delete", id, "ws_another"}} {
		_, err := d.types("", args...)
		require.EqualError(t, err, "nothing was changed")
	}
	require.Nil(t, d.show().DeletedAt)
	_, err := d.types(id+"\n", "workspace", "delete", id)
	require.NoError(t, err)
	require.NotNil(t, d.show().DeletedAt)
	_, err = workspace.NewCredentials(d.db, d.box()).Workspace(t.Context(), id, d.workspace.AuthToken)
	require.True(t, fault.Is(err, fault.StatusUnauthenticated))
	for _, args := range [][]string{{"delete", id, id}, {"resume", id}, {"set-plan", id, "paid"}} {
		_, err = d.types("", append([]string{"--yes", "workspace"}, args...)...)
		require.True(t, fault.Is(err, fault.StatusNotFound), args)
	}
	left := map[string]int64{}
	d.json(&left, "workspace", "delete", "--status", id)
	require.Equal(t, map[string]int64{"workspaces": 1, "api_keys": 1, "auth_tokens": 1, "jobs": 1}, left)
	require.Contains(t, d.run("workspace", "delete", "--status", "ws_gone"), "Nothing is left.")
}

func TestAdminKeyAndLimits(t *testing.T) {
	d := newDesk(t)
	keyID := d.workspace.Keys[0].ID
	d.run("apikey", "disable", keyID)
	assert.NotNil(t, d.show().Keys[0].DisabledAt)
	d.run("apikey", "enable", keyID)
	assert.Nil(t, d.show().Keys[0].DisabledAt)
	d.run("limits", "set", d.workspace.ID, "key", "5")
	d.run("limits", "set", d.workspace.ID, workspace.LimitEndpoints, "0")
	assert.Equal(t, map[string]int{"key": 5, workspace.LimitEndpoints: 0}, d.show().Limits)
	assert.Regexp(t, `key +5`, d.run("workspace", "show", d.workspace.ID))
	d.run("limits", "set", d.workspace.ID, "key", "default")
	assert.NotContains(t, d.show().Limits, "key")
}

// A rate that a workspace's calls are held to can be set for one workspace, whichever it is.
func TestEveryRateOfAWorkspaceCanBeSet(t *testing.T) {
	d := newDesk(t)
	others := []limit.Class{limit.Public, limit.Create, limit.EndpointTest} // of an address, or of one endpoint
	for class := range api.Rates(config.Rates{}) {
		if !slices.Contains(others, class) {
			d.run("limits", "set", d.workspace.ID, string(class), "7")
		}
	}
	assert.Len(t, d.show().Limits, len(api.Rates(config.Rates{}))-len(others))
}

func TestAdminPatterns(t *testing.T) {
	d := newDesk(t)
	var made detectable
	d.json(&made, "patterns", "run", "--workspace", d.workspace.ID)
	require.Zero(t, made.Workspaces, "there is nothing to look for")
	modelstest.AddReviews(t, d.db, d.workspace.ID, modelstest.Review{ID: "one", Reviewer: "ann", Review: []float32{1}})
	d.json(&made, "patterns", "detect")
	require.Equal(t, 1, made.Workspaces)
}

func TestAdminAsksBeforeItCloses(t *testing.T) {
	d := newDesk(t)
	id, keyID := d.workspace.ID, d.workspace.Keys[0].ID
	for _, args := range [][]string{
		{"workspace", "suspend", id}, {"workspace", "stop", id}, {"workspace", "reset-token", id}, {"workspace", "release-email", id}, {"apikey", "disable", keyID},
	} {
		for _, answer := range []string{"", "no\n", "\n", "y\n"} {
			_, err := d.types(answer, args...)
			require.EqualError(t, err, "nothing was changed", args)
		}
	}
	found := d.show()
	assert.Nil(t, found.SuspendedAt)
	assert.Nil(t, found.Keys[0].DisabledAt)
	_, err := d.types("yes\n", "workspace", "suspend", id)
	require.NoError(t, err)
	assert.NotNil(t, d.show().SuspendedAt)
}

func TestAdminRefuses(t *testing.T) {
	d := newDesk(t)
	id := d.workspace.ID
	var wrong usageError
	for _, args := range [][]string{
		{"workspace", "show", "ws_unknown"},
		{"workspace", "suspend", "ws_unknown"},
		{"workspace", "release-email", "ws_unknown"},
		{"apikey", "enable", "ak_unknown"},
		{"limits", "set", "ws_unknown", "key", "5"},
		{"workspace", "list", "--as", ""},
		{"patterns", "run", "--workspace", "ws_unknown"},
	} {
		_, err := d.types("", append([]string{"--yes"}, args...)...)
		require.Error(t, err, args)
		require.NotErrorAs(t, err, &wrong, args)
	}
	for _, args := range [][]string{
		{"workspace", "set-plan", id, "golden"},
		{"workspace", "set-plan", id},
		{"workspace", "list", "--owner", "nobody"},
		{"limits", "set", id, "height", "5"},
		{"limits", "set", id, "key", "-1"},
		{"limits", "set", id, "key", "many"},
		{"audit", "--since", "yesterday"},
		{"audit", "--until", "tomorrow"},
		{"workspace", "destroy", id},
		{"workspace", "list", "--frobnicate"},
		{"frobnicate"},
	} {
		_, err := d.types("", append([]string{"--yes"}, args...)...)
		require.ErrorAs(t, err, &wrong, args)
	}
	assert.Contains(t, d.run("workspace"), "set-plan", "without a word it prints help")
	_, err := d.types("", "limits", "set", id)
	require.ErrorContains(t, err, "redline admin limits set <workspace> <limit> <value>|default", "it says how it goes")
}

// Before the migration of its program a command changes nothing.
func TestAdminBeforeTheMigration(t *testing.T) {
	d := newDesk(t)
	for _, statement := range []string{`CREATE TABLE kept_from_other_tests ()`, `DELETE FROM goose_db_version WHERE version_id > 0`} {
		_, err := d.db.Pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	_, err := d.types("", "--as", "ann", "workspace", "suspend", d.workspace.ID)
	require.ErrorIs(t, err, schema.ErrUnmigrated)
	require.ErrorContains(t, err, "run redline migrate")
	var suspended bool
	require.NoError(t, d.db.Pool.QueryRow(t.Context(), `SELECT suspended_at IS NOT NULL FROM workspaces WHERE id = $1`, d.workspace.ID).Scan(&suspended))
	require.False(t, suspended)
}

func TestAdminAuditNamesThePerson(t *testing.T) {
	d := newDesk(t)
	d.run("workspace", "set-plan", d.workspace.ID, "paid")
	d.run("workspace", "set-plan", d.workspace.ID, "free")
	var rows []workspace.Audit
	d.json(&rows, "audit", "--actor", "ann", "--since", "1h")
	require.Len(t, rows, 2)
	assert.Equal(t, "admin workspace set-plan", rows[0].Operation)
	assert.Equal(t, d.workspace.ID, rows[0].TargetID)
	d.json(&rows, "audit", "--limit", "1", "--workspace", d.workspace.ID)
	assert.Len(t, rows, 1)
	d.json(&rows, "audit", "--until", "2020-01-01T00:00:00Z")
	assert.Empty(t, rows)
	assert.Contains(t, d.run("audit", "--operation", "admin workspace set-plan"), "ann")
}

func TestAdminRewrap(t *testing.T) {
	d := newDesk(t)
	older := d.keys
	d.keys = [2]secret.Key{secret.NewKey("e2"), secret.NewKey("h2")}
	_, err := d.types("", "keys", "rewrap")
	require.ErrorIs(t, err, workspace.ErrWrongKeys)

	var out bytes.Buffer
	a := &admin{out: &out, asked: new(bytes.Buffer), environ: []string{
		"REDLINE_DATABASE_URL=" + d.url,
		"REDLINE_ENCRYPTION_KEYS=" + d.keys[0].Encode() + "," + older[0].Encode(),
		"REDLINE_HASH_KEYS=" + d.keys[1].Encode() + "," + older[1].Encode(),
	}}
	require.NoError(t, a.run(t.Context(), []string{"keys", "rewrap", "--look", "--json"}))
	assert.Contains(t, out.String(), `"left": true`)
	out.Reset()
	require.NoError(t, a.run(t.Context(), []string{"keys", "rewrap", "--json"}))
	var counts []workspace.KeyCount
	require.NoError(t, json.Unmarshal(out.Bytes(), &counts))
	require.NotEmpty(t, counts)
	for _, count := range counts {
		assert.False(t, count.Left, count)
	}
	assert.Regexp(t, `auth_tokens.token_sealed +encryption +e2 +1 +0`, d.run("keys", "rewrap"))
	_, err = workspace.NewCredentials(d.db, d.box()).Workspace(t.Context(), d.workspace.ID, d.workspace.AuthToken)
	require.NoError(t, err)
}

func TestAdminNeedsItsConfiguration(t *testing.T) {
	a := &admin{out: new(bytes.Buffer), asked: new(bytes.Buffer)}
	err := a.run(t.Context(), []string{"workspace", "list"})
	require.ErrorContains(t, err, "REDLINE_DATABASE_URL")
	a = &admin{out: new(bytes.Buffer), asked: new(bytes.Buffer), environ: []string{
		"REDLINE_DATABASE_URL=postgres://127.0.0.1:1/none",
		"REDLINE_ENCRYPTION_KEYS=" + secret.NewKey("a").Encode(), "REDLINE_HASH_KEYS=" + secret.NewKey("b").Encode(),
	}}
	require.True(t, fault.Is(a.run(t.Context(), []string{"workspace", "list"}), fault.StatusUnavailable))
}

// A faulty address of the database is reported by its variable, and nothing of it
// is: where it breaks is often in the middle of the password.
func TestAFaultyDatabaseAddressIsNotQuoted(t *testing.T) {
	keys := []string{"REDLINE_ENCRYPTION_KEYS=" + secret.NewKey("a").Encode(), "REDLINE_HASH_KEYS=" + secret.NewKey("b").Encode()}
	for _, address := range []string{"postgres://user:hunter@127.0.0.1:many/x", "host=127.0.0.1 password=hunter port=many", "postgres://127.0.0.1/x?sslmode=hunter"} {
		a := &admin{out: new(bytes.Buffer), asked: new(bytes.Buffer), environ: append(keys, "REDLINE_DATABASE_URL="+address)}
		before := environ
		environ = func() []string { return []string{"REDLINE_DATABASE_URL=" + address} }
		for _, err := range []error{a.run(t.Context(), []string{"workspace", "list"}), runMigrate(t.Context())} {
			require.ErrorContains(t, err, "REDLINE_DATABASE_URL: ")
			assert.NotContains(t, err.Error(), "hunter")
		}
		environ = before
	}
}
