package tests

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/proxy"
	"github.com/redline-svc/redline/tests/stack"
)

// someKey is a key in the form of the configuration.
func someKey(id string) string {
	bytes := make([]byte, 32)
	_, _ = rand.Read(bytes)
	return id + ":" + base64.StdEncoding.EncodeToString(bytes)
}

// keyring is the configuration of keys in which the first ones write.
type keyring struct{ encryption, hash []string }

func (k keyring) variables() []string {
	return []string{"REDLINE_ENCRYPTION_KEYS=" + strings.Join(k.encryption, ","), "REDLINE_HASH_KEYS=" + strings.Join(k.hash, ",")}
}

// tool runs a command on the lab's database, past the proxy, with those keys.
func (l *lab) tool(ctx context.Context, keys keyring, args ...string) (string, error) {
	return l.Stack.Run(ctx, l.with(keys, l.DatabaseURL), args...)
}

func (l *lab) with(keys keyring, databaseURL string) map[string]string {
	env := map[string]string{"REDLINE_DATABASE_URL": databaseURL}
	for _, variable := range keys.variables() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return env
}

// rotation is a lab whose keys are replaced, with tokens and an execution from
// before, and the keyrings of every stage.
type rotation struct {
	*lab
	s      *scene
	r      *run
	tokens map[string]string
	itemID string

	before, readsBoth, writesNew, after keyring
}

func newRotation(t *testing.T) *rotation {
	t.Helper()
	e1, e2, h1, h2 := someKey("e1"), someKey("e2"), someKey("h1"), someKey("h2")
	return &rotation{
		lab: newLab(t), tokens: map[string]string{},
		before:    keyring{[]string{e1}, []string{h1}},
		readsBoth: keyring{[]string{e1, e2}, []string{h1, h2}},
		writesNew: keyring{[]string{e2, e1}, []string{h2, h1}},
		after:     keyring{[]string{e2}, []string{h2}},
	}
}

// fill leaves an execution that waits for a person, and 21 keys with tokens.
func (o *rotation) fill(service *stack.Service) {
	o.t.Helper()
	o.s = o.begin(service)
	o.r = o.s.dispatch(o.s.signOff(), o.s.withReceiver("/events"))
	o.r.waitsAt("review")
	o.tokens[o.s.workspace.APIKey] = o.s.workspace.AuthToken
	for range 20 {
		key := o.s.newKey(nil)
		o.tokens[key.APIKey] = *key.AuthToken
	}
	o.itemID = o.item()
}

// item gives the service's own id of a user.
func (o *rotation) item() string {
	o.t.Helper()
	return o.s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann")})["ann"].ID
}

// works proves that every token opens and can be read, and that ids are as before.
func (o *rotation) works(service *stack.Service) {
	o.t.Helper()
	o.s = o.s.through(service.URL)
	o.r = o.r.through(o.s)
	for key, token := range o.tokens {
		require.True(o.t, opens(o.t, keySession(o.s.keyed, key, token)))
		require.Equal(o.t, token, o.s.tokens(key)[0].Token)
	}
	require.Equal(o.t, o.itemID, o.item())
}

// killRewrap kills `keys rewrap` before the first row of its second table.
func (o *rotation) killRewrap() {
	o.t.Helper()
	killed, kill := context.WithCancel(o.t.Context())
	held := o.Rows.HoldRequest(proxy.Says("UPDATE auth_tokens SET token_sealed"))
	ended := make(chan error, 1)
	proxied := o.with(o.writesNew, strings.Replace(o.DatabaseURL, hostOf(o.t, o.DatabaseURL), o.Rows.Addr(), 1))
	go func() {
		_, err := o.Stack.Run(killed, proxied, "admin", "--as", "story", "keys", "rewrap")
		ended <- err
	}()
	reached(o.t, "the first row of a second table", held.Reached())
	kill()
	require.Error(o.t, <-ended)
	held.Release()
}

// rewrap runs to its end and leaves no row under an old key.
func (o *rotation) rewrap() {
	o.t.Helper()
	printed, err := o.tool(o.t.Context(), o.writesNew, "admin", "--as", "story", "keys", "rewrap", "--json")
	require.NoError(o.t, err)
	var counts []struct {
		Table string `json:"table"`
		KeyID string `json:"keyId"`
		Rows  int    `json:"rows"`
		Left  bool   `json:"left"`
	}
	begin := strings.Index(printed, "[")
	require.GreaterOrEqual(o.t, begin, 0, printed)
	require.NoError(o.t, json.Unmarshal([]byte(printed[begin:]), &counts))
	require.NotEmpty(o.t, counts)
	for _, count := range counts {
		require.False(o.t, count.Left, "%+v", count)
	}
}

// fits tells whether the keys open the canary row.
func (o *rotation) fits(keys keyring) bool {
	o.t.Helper()
	_, err := o.tool(o.t.Context(), keys, "admin", "--as", "story", "keys", "rewrap", "--look")
	if err != nil {
		require.ErrorContains(o.t, err, "canary")
	}
	return err == nil
}

// TestSecurity_4_RotationOfAllKeys goes through every stage of a rotation with
// running processes; the rewrap is killed half-way and started again.
func TestSecurity_4_RotationOfAllKeys(t *testing.T) {
	o := newRotation(t)
	service := o.start("serve", o.before.variables()...)
	o.fill(service)
	for _, keys := range []keyring{o.readsBoth, o.writesNew} {
		service.Kill()
		service = o.start("serve", keys.variables()...)
		o.works(service)
	}
	o.killRewrap()
	o.works(service)
	require.True(t, o.fits(o.before))
	require.False(t, o.fits(o.after), "the old keys may not be dropped yet")
	o.rewrap()
	o.works(service)
	require.False(t, o.fits(o.before))

	service.Kill()
	service = o.start("serve", o.after.variables()...)
	o.works(service)
	o.r.decide("review", "ann", "approve")
	o.r.ends("completed")
	o.r.delivered()
	o.atRest()
}

func hostOf(t *testing.T, databaseURL string) string {
	t.Helper()
	conf, err := pgx.ParseConfig(databaseURL)
	require.NoError(t, err)
	return fmt.Sprintf("%s:%d", conf.Host, conf.Port)
}

func TestSecurity_StartsOnlyWithTheRightKeys(t *testing.T) {
	lab := newLab(t)
	right := keyring{[]string{someKey("e")}, []string{someKey("h")}}
	lab.start("api", right.variables()...).Kill()
	short := base64.StdEncoding.EncodeToString([]byte("short"))
	for name, wrong := range map[string]struct {
		keys  keyring
		names string
	}{
		"another encryption key":  {keyring{[]string{someKey("e")}, right.hash}, "canary"},
		"another hash key":        {keyring{right.encryption, []string{someKey("h")}}, "canary"},
		"no key":                  {keyring{nil, right.hash}, "REDLINE_ENCRYPTION_KEYS"},
		"no hash key":             {keyring{right.encryption, nil}, "REDLINE_HASH_KEYS"},
		"a short key":             {keyring{[]string{"e:" + short}, right.hash}, "REDLINE_ENCRYPTION_KEYS"},
		"no base64":               {keyring{right.encryption, []string{"h:&&&"}}, "REDLINE_HASH_KEYS"},
		"one key for both":        {keyring{right.encryption, []string{"h" + right.encryption[0]}}, "REDLINE_ENCRYPTION_KEYS"},
		"a mistyped trailing key": {keyring{append(right.encryption[:1:1], "x"), right.hash}, "REDLINE_ENCRYPTION_KEYS"},
	} {
		for _, role := range []string{"api", "worker"} {
			printed, err := lab.tool(t.Context(), wrong.keys, role)
			require.Error(t, err, "%s with %s: %s", role, name, printed)
			assert.Contains(t, err.Error(), wrong.names, name)
			for _, key := range append(wrong.keys.encryption, wrong.keys.hash...) {
				if _, value, found := strings.Cut(key, ":"); found {
					assert.NotContains(t, err.Error(), value, "no error quotes a key")
				}
			}
		}
	}
}

// rows is a connection to the lab's database.
func (l *lab) rows() *pgx.Conn {
	l.t.Helper()
	conn, err := pgx.Connect(l.t.Context(), l.DatabaseURL)
	require.NoError(l.t, err)
	l.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestSecurity_NoTokenStandsInClearInAnyRow(t *testing.T) {
	lab := newLab(t)
	api := lab.start("api")
	s := lab.begin(api)
	s.dispatch(s.signOff(), s.withReceiver("/events"))
	conn := lab.rows()
	tables, err := conn.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, names, "auth_tokens")
	for _, name := range names {
		for _, value := range []string{s.workspace.Token, s.workspace.AuthToken, secret} {
			var n int
			// bytea is shown as hex, so both spellings are looked for.
			query := fmt.Sprintf(`SELECT count(*) FROM %s r WHERE position($1 IN r::text) > 0 OR position(encode($1::bytea, 'hex') IN r::text) > 0`, pgx.Identifier{name}.Sanitize())
			require.NoError(t, conn.QueryRow(t.Context(), query, value).Scan(&n))
			assert.Zero(t, n, "%s has it", name)
		}
	}
}

// auditRow is a row as `redline admin audit --json` prints it.
type auditRow struct {
	ID            string   `json:"id"`
	At            string   `json:"at"`
	WorkspaceID   string   `json:"workspaceId"`
	Actor         string   `json:"actor"`
	IP            string   `json:"ip"`
	Operation     string   `json:"operation"`
	TargetID      string   `json:"targetId"`
	ChangedFields []string `json:"changedFields"`
	RequestID     string   `json:"requestId"`
	Outcome       string   `json:"outcome"`
}

func audited(t *testing.T, printed string) []auditRow {
	t.Helper()
	var rows []auditRow
	require.NoError(t, json.Unmarshal([]byte(printed), &rows), printed)
	return rows
}

func TestAudit_EveryChangeAndEveryReadOfASecret(t *testing.T) {
	s := begin(t)
	key := s.workspace.APIKey
	asked[workspaceView](t, s.owner, getWorkspace, map[string]any{})
	made := s.newKey(nil)
	asked[any](t, s.owner, updateKey, map[string]any{"apiKey": key, "apiKeyName": "Desk"})
	s.keyPage(map[string]any{})
	s.tokens(key)
	session := s.owner.With(maps.Clone(s.owner.Headers))
	session.Headers["x-request-id"] = "the-reset"
	asked[tokenReset](t, session, resetToken, map[string]any{"apiKey": key})
	operate(t, "apikey", "disable", made.APIKey)
	declined(t, keySession(s.keyed, made.APIKey, *made.AuthToken), "workflow/definitions/list", map[string]any{}, "PERMISSION_DENIED", "")
	operate(t, "workspace", "suspend", s.workspace.ID)
	declined(t, s.owner, getWorkspace, map[string]any{}, "PERMISSION_DENIED", "")

	type line struct{ actor, operation, target, fields, outcome string }
	var got []line
	rows := audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID))
	for _, row := range rows {
		got = append([]line{{row.Actor, row.Operation, row.TargetID, strings.Join(row.ChangedFields, ","), row.Outcome}}, got...)
		assert.Regexp(t, `^aud_[0-9a-z]{26}$`, row.ID)
		assert.Equal(t, s.workspace.ID, row.WorkspaceID)
		if row.Actor != "story" {
			assert.Equal(t, "127.0.0.1", row.IP)
			assert.NotEmpty(t, row.RequestID)
		}
		if row.Operation == "/v2/workspace/authtoken/reset" {
			assert.Equal(t, "the-reset", row.RequestID)
		}
	}
	id := s.workspace.ID
	require.Equal(t, []line{
		{id, "/v2/workspace/create", id, "workspace,apiKey,authToken", "success"},
		{id, "/v2/workspace/authtokens/get", key, "", "success"},
		{id, "/v2/workspace/get", id, "", "success"},
		{id, "/v2/workspace/apikey/create", made.APIKey, "apiKey,authToken", "success"},
		{id, "/v2/workspace/apikey/update", key, "apiKeyName", "success"},
		{id, "/v2/workspace/authtokens/get", key, "", "success"},
		{id, "/v2/workspace/authtoken/reset", key, "authToken", "success"},
		{"story", "admin apikey disable", made.APIKey, "disabledAt", "success"},
		{"story", "admin workspace suspend", id, "suspended_at", "success"},
		{id, "/v2/workspace/get", "", "", "denied"},
	}, got)
}

func TestSuspension_ClosesTheInterfaceOnly(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))}), s.withReceiver("/events"))
	operate(t, "workspace", "suspend", s.workspace.ID)
	for _, session := range []*client.Session{s.owner, s.keyed} {
		operation := map[bool]string{true: getWorkspace, false: listExecutions}[session == s.owner]
		failure := declined(t, session, operation, map[string]any{}, "PERMISSION_DENIED", "permission-denied")
		require.Equal(t, 403, failure.HTTP)
	}
	declined(t, keySession(s.keyed, s.workspace.APIKey, "kat_wrong"), listExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	operate(t, "workspace", "resume", s.workspace.ID)
	r.ends("completed")
	r.delivered()
}

func TestSuspension_ADisabledKeyClosesItselfOnly(t *testing.T) {
	s := begin(t)
	made := s.newKey(nil)
	second := keySession(s.keyed, made.APIKey, *made.AuthToken)
	require.True(t, opens(t, second))
	operate(t, "apikey", "disable", made.APIKey)
	declined(t, second, listExecutions, map[string]any{}, "PERMISSION_DENIED", "")
	fresh := s.reset(made.APIKey)
	second = keySession(s.keyed, made.APIKey, fresh.Token)
	declined(t, second, listExecutions, map[string]any{}, "PERMISSION_DENIED", "")
	require.True(t, opens(t, s.keyed), "the other key")
	asked[workspaceView](t, s.owner, getWorkspace, map[string]any{})
	operate(t, "apikey", "enable", made.APIKey)
	require.True(t, opens(t, second))
}

func TestOperator_ResetsTheTokenOfAWorkspace(t *testing.T) {
	s := begin(t)
	printed := strings.TrimSpace(operate(t, "workspace", "reset-token", s.workspace.ID))
	require.Regexp(t, `^wst_[A-Za-z0-9_-]{43}$`, printed)
	declined(t, s.owner, getWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	session := s.owner.With(map[string]string{"x-svc-workspace-id": s.workspace.ID, "x-svc-workspace-auth-token": printed})
	require.Equal(t, printed, asked[workspaceView](t, session, getWorkspace, map[string]any{}).AuthToken)
	require.True(t, opens(t, s.keyed))
}
