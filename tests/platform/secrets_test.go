package platform

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
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

// tool runs a command on the isolated stack's database, past the proxy, with those keys.
func tool(isolated *kit.IsolatedStack, ctx context.Context, keys keyring, args ...string) (string, error) {
	return isolated.Stack.Run(ctx, with(isolated, keys, isolated.DatabaseURL), args...)
}

func with(isolated *kit.IsolatedStack, keys keyring, databaseURL string) map[string]string {
	env := map[string]string{"REDLINE_DATABASE_URL": databaseURL}
	for _, variable := range keys.variables() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return env
}

// rotation is an isolated stack whose keys are replaced, with tokens and an execution from
// before, and the keyrings of every stage.
type rotation struct {
	*kit.IsolatedStack
	s      *kit.Env
	r      *kit.Run
	tokens map[string]string
	itemID string

	before, readsBoth, writesNew, after keyring
}

func newRotation(t *testing.T) *rotation {
	t.Helper()
	e1, e2, h1, h2 := someKey("e1"), someKey("e2"), someKey("h1"), someKey("h2")
	return &rotation{
		IsolatedStack: kit.NewIsolatedStack(t), tokens: map[string]string{},
		before:    keyring{[]string{e1}, []string{h1}},
		readsBoth: keyring{[]string{e1, e2}, []string{h1, h2}},
		writesNew: keyring{[]string{e2, e1}, []string{h2, h1}},
		after:     keyring{[]string{e2}, []string{h2}},
	}
}

// fill leaves an execution that waits for a person, and as many keys with tokens as a
// workspace may have.
func (o *rotation) fill(service *stack.Service) {
	o.T.Helper()
	o.s = o.NewWorkspace(service)
	o.r = kit.Dispatch(o.s, kit.SignOff(o.s), kit.WithReceiver(o.s, "/events"))
	o.r.WaitsAt("review")
	o.tokens[o.s.Workspace.APIKey] = o.s.Workspace.AuthToken
	for range 19 {
		key := kit.NewKey(o.s, nil)
		o.tokens[key.APIKey] = *key.AuthToken
	}
	o.itemID = o.item()
}

// item returns the service's own id of a user.
func (o *rotation) item() string {
	o.T.Helper()
	return kit.Items(o.s, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann")})["ann"].ID
}

// works proves that every token opens and can be read, and that ids are as before.
func (o *rotation) works(service *stack.Service) {
	o.T.Helper()
	o.s = o.s.Through(service.URL)
	o.r = o.r.Through(o.s)
	for key, token := range o.tokens {
		require.True(o.T, kit.Opens(o.T, kit.KeySession(o.s.Keyed, key, token)))
		require.Equal(o.T, token, kit.Tokens(o.s, key)[0].Token)
	}
	require.Equal(o.T, o.itemID, o.item())
}

// killRewrap kills `keys rewrap` before the first row of its second table.
func (o *rotation) killRewrap() {
	o.T.Helper()
	killed, kill := context.WithCancel(o.T.Context())
	held := o.Rows.HoldRequest(proxy.Says("UPDATE auth_tokens SET token_sealed"))
	ended := make(chan error, 1)
	proxied := with(o.IsolatedStack, o.writesNew, strings.Replace(o.DatabaseURL, hostOf(o.T, o.DatabaseURL), o.Rows.Addr(), 1))
	go func() {
		_, err := o.Stack.Run(killed, proxied, "admin", "--as", "test", "keys", "rewrap")
		ended <- err
	}()
	kit.RequireReached(o.T, "the first row of a second table", held.Reached())
	kill()
	require.Error(o.T, <-ended)
	held.Release()
}

// rewrap runs to its end and leaves no row under an old key.
func (o *rotation) rewrap() {
	o.T.Helper()
	printed, err := tool(o.IsolatedStack, o.T.Context(), o.writesNew, "admin", "--as", "test", "keys", "rewrap", "--json")
	require.NoError(o.T, err)
	var counts []struct {
		Table string `json:"table"`
		KeyID string `json:"keyId"`
		Rows  int    `json:"rows"`
		Left  bool   `json:"left"`
	}
	begin := strings.Index(printed, "[")
	require.GreaterOrEqual(o.T, begin, 0, printed)
	require.NoError(o.T, json.Unmarshal([]byte(printed[begin:]), &counts))
	require.NotEmpty(o.T, counts)
	for _, count := range counts {
		require.False(o.T, count.Left, "%+v", count)
	}
}

// fits reports whether the keys open the canary row.
func (o *rotation) fits(keys keyring) bool {
	o.T.Helper()
	_, err := tool(o.IsolatedStack, o.T.Context(), keys, "admin", "--as", "test", "keys", "rewrap", "--look")
	if err != nil {
		require.ErrorContains(o.T, err, "canary")
	}
	return err == nil
}

// TestSecurity_4_RotationOfAllKeys goes through every stage of a rotation with
// running processes; the rewrap is killed half-way and started again.
func TestSecurity_4_RotationOfAllKeys(t *testing.T) {
	o := newRotation(t)
	service := o.StartProcess("serve", o.before.variables()...)
	o.fill(service)
	for _, keys := range []keyring{o.readsBoth, o.writesNew} {
		service.Kill()
		service = o.StartProcess("serve", keys.variables()...)
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
	service = o.StartProcess("serve", o.after.variables()...)
	o.works(service)
	o.r.Decide("review", "ann", "approve")
	o.r.Ends("completed")
	o.r.Delivered()
	o.AtRest()
}

func hostOf(t *testing.T, databaseURL string) string {
	t.Helper()
	conf, err := pgx.ParseConfig(databaseURL)
	require.NoError(t, err)
	return fmt.Sprintf("%s:%d", conf.Host, conf.Port)
}

func TestSecurity_StartsOnlyWithTheRightKeys(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	right := keyring{[]string{someKey("e")}, []string{someKey("h")}}
	isolated.StartProcess("api", right.variables()...).Kill()
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
			printed, err := tool(isolated, t.Context(), wrong.keys, role)
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

func TestSuspension_ClosesTheInterfaceOnly(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))}), kit.WithReceiver(env, "/events"))
	kit.Operate(t, "workspace", "suspend", env.Workspace.ID)
	for _, session := range []*client.Session{env.Owner, env.Keyed} {
		operation := map[bool]string{true: client.GetWorkspace, false: client.ListExecutions}[session == env.Owner]
		failure := kit.Declined(t, session, operation, map[string]any{}, "PERMISSION_DENIED", "permission-denied")
		require.Equal(t, 403, failure.HTTPStatus)
	}
	kit.Declined(t, kit.KeySession(env.Keyed, env.Workspace.APIKey, "kat_wrong"), client.ListExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	kit.Operate(t, "workspace", "resume", env.Workspace.ID)
	r.Ends("completed")
	r.Delivered()
}

// What an execution waits for still comes in, by tokens of its own.
func TestSuspension_CallbacksAndResolutionsAreTaken(t *testing.T) {
	env := kit.NewWorkspace(t)
	called := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}))
	o := kit.CalledAt(env, "/cms")
	kit.Register(env, "checker", map[string]any{"url": env.Receiver().URL("/agent")})
	asked := kit.AsksAgent(env, client.Agent("check", "checker"))
	call := kit.CalledAgent(env, "/agent")
	asked.WaitsAt("check")
	resolved := asked.Resolves("check", "r1", "resolved")
	kit.Operate(t, "workspace", "suspend", env.Workspace.ID)
	kit.Declined(t, env.Keyed, client.RecordResolution, resolved, "PERMISSION_DENIED", "")
	o.Accepted(map[string]any{"status": "completed"})
	answer, err := client.Call[redline.DecideResult](env.Ctx, env.Keyed.With(map[string]string{"x-svc-callback-token": call.Callback.Token}), client.RecordResolution, resolved)
	require.NoError(t, err)
	require.True(t, answer.Recorded)
	kit.Operate(t, "workspace", "resume", env.Workspace.ID)
	called.Ends("completed")
	asked.Ends("completed")
}
