package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestWorkspaceCreate_DefaultNames(t *testing.T) {
	env := newWorkspace(t)
	tag := kit.Unique("t")
	for local, want := range map[string]struct{ name, workspace, key string }{
		"owner-" + tag:             {"", "owner-" + tag + "@tests.example.com workspace", "Owner-" + tag + " Test API Key"},
		"john-" + tag:              {"John Doe", "John Doe workspace", "John-" + tag + " Test API Key"},
		"john.doe+" + tag:          {"", "john.doe+" + tag + "@tests.example.com workspace", "John.doe+" + tag + " Test API Key"},
		"MARIA" + tag:              {"", "MARIA" + tag + "@tests.example.com workspace", "MARIA" + tag + " Test API Key"},
		"élodie" + tag:             {"Élo", "Élo workspace", "Élodie" + tag + " Test API Key"},
		"李雷" + tag:                 {"", "李雷" + tag + "@tests.example.com workspace", "李雷" + tag + " Test API Key"},
		"7up" + tag:                {"", "7up" + tag + "@tests.example.com workspace", "7up" + tag + " Test API Key"},
		"named-" + tag + ".o'neil": {"", "", ""},
	} {
		data := map[string]any{"ownerEmail": kit.OwnerEmail(local)}
		if want.name != "" {
			data["name"] = want.name
		}
		if want.workspace == "" {
			data["workspaceName"], want.workspace, want.key = "Desk", "Desk", "Named-"+tag+".o'neil Test API Key"
		}
		made := kit.Asked[kit.WorkspaceView](t, kit.Public(env), client.WorkspaceCreate, data)
		assert.Equal(t, want.workspace, made.Name)
		assert.Equal(t, want.key, made.Keys(t)[0].APIKeyName)
	}
}

func TestWorkspaceCreate_1_NamesEmptyBlankAndLong(t *testing.T) {
	env := newWorkspace(t)
	for _, field := range []string{"name", "workspaceName"} {
		for _, bad := range []any{"", "  ", "\u2003", strings.Repeat("é", 201), 7, []string{"x"}} {
			failure := kit.Declined(t, kit.Public(env), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o")), field: bad}, "INVALID_ARGUMENT", "")
			require.Equal(t, []string{field}, failure.Issues[0].Path, "%v", bad)
		}
	}
	emoji := strings.Repeat("😀", 200)
	made := kit.Asked[kit.WorkspaceView](t, kit.Public(env), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o")), "name": emoji})
	require.Equal(t, emoji+" workspace", made.Name)
	require.Len(t, []rune(made.Name), 210)
}

func TestWorkspaceCreate_ShapeFaultsAreReportedAtOnce(t *testing.T) {
	env := newWorkspace(t)
	failure := kit.Declined(t, kit.Public(env), client.WorkspaceCreate, map[string]any{
		"ownerEmail": "nobody", "name": " ", "workspaceName": 1, "avatar": "ftp://example.com/a",
	}, "INVALID_ARGUMENT", "")
	var paths []string
	for _, issue := range failure.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	require.ElementsMatch(t, []string{"ownerEmail", "name", "workspaceName", "avatar"}, paths)
	for _, bad := range []any{
		"", "@", "a@b", "a b@example.com", "a@@example.com", " a@example.com", "a@example.com ", ".a@example.com", `"a"@example.com`,
		"a@example", "a@127.0.0.1", "a@example.1", "a@-x.com", strings.Repeat("a", 65) + "@example.com",
		strings.Repeat("a", 60) + "@" + strings.Repeat("b.", 100) + "com", nil, 7, "a\u0000@example.com",
	} {
		kit.Declined(t, kit.Public(env), client.WorkspaceCreate, map[string]any{"ownerEmail": bad}, "INVALID_ARGUMENT", "")
	}
	for _, bad := range []any{"", "example.com/a.png", "//example.com", "javascript:alert(1)", "https://", "https://e.com/" + strings.Repeat("a", 1990)} {
		failure := kit.Declined(t, kit.Public(env), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o")), "avatar": bad}, "INVALID_ARGUMENT", "")
		require.Equal(t, []string{"avatar"}, failure.Issues[0].Path)
	}
}

func TestWorkspaceCreate_2_NullIsAbsence(t *testing.T) {
	env := newWorkspace(t)
	email := kit.OwnerEmail(kit.Unique("null"))
	made := kit.Asked[kit.WorkspaceView](t, kit.Public(env), client.WorkspaceCreate, map[string]any{"ownerEmail": email, "name": nil, "workspaceName": nil, "avatar": nil})
	require.Equal(t, email+" workspace", made.Name)
	require.Equal(t, email, made.Owner.Name)
	require.Nil(t, made.Owner.Avatar)
}

func TestWorkspaceCreate_3_DisposableDomainsInEverySpelling(t *testing.T) {
	env := newWorkspace(t)
	for _, domain := range []string{"mailinator.com", "MAILINATOR.com", "a.b.mailinator.com", "Mailinator。com", "me.33mail.com", "säkerhetsväst.se", "xn--skerhetsvst-l8ai.se"} {
		data := map[string]any{"ownerEmail": kit.Unique("o") + "@" + domain}
		kit.Declined(t, kit.Public(env), client.WorkspaceCreate, data, "INVALID_ARGUMENT", "disposable-domain")
	}
}

func TestWorkspaceCreate_CredentialsAreNotLookedAt(t *testing.T) {
	env := newWorkspace(t)
	for _, session := range []*client.Session{env.Owner, env.Keyed, kit.KeySession(env.Keyed, "ak_wrong", "kat_wrong")} {
		made := kit.Asked[kit.WorkspaceView](t, session, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o"))})
		require.NotEqual(t, env.Workspace.ID, made.ID)
	}
}

func TestWorkspaceCreate_LimitOfAnAddress(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_RATE_CREATE_PER_HOUR=3", "REDLINE_TRUSTED_PROXIES=127.0.0.0/8")
	at := func(ip string) *client.Session { return kit.Forwarded(kit.Public(env), ip) }
	const ip, other = "198.51.100.7", "198.51.100.8"
	mine := kit.OwnerEmail(kit.Unique("limited"))

	for range 5 {
		kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": "x"}, "INVALID_ARGUMENT", "")
		kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": "x@mailinator.com"}, "INVALID_ARGUMENT", "disposable-domain")
	}
	kit.Asked[kit.WorkspaceView](t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": mine})
	kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": mine}, "ALREADY_EXISTS", "workspace-exists")
	kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": mine, "workspaceName": "x"}, "PERMISSION_DENIED", "plan-required")
	failure := kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("late"))}, "RESOURCE_EXHAUSTED", "ip-limit")
	require.Equal(t, 429, failure.HTTPStatus)
	require.Greater(t, failure.RetryAfter, 50*time.Minute, "an hour from the first of them")
	require.LessOrEqual(t, failure.RetryAfter, time.Hour)
	kit.Declined(t, at(ip), client.WorkspaceCreate, map[string]any{"ownerEmail": "x@mailinator.com"}, "INVALID_ARGUMENT", "disposable-domain")
	kit.Asked[kit.WorkspaceView](t, at(other), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("free"))})

	for _, host := range []string{"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2:1:2:3:4"} {
		kit.Asked[kit.WorkspaceView](t, at(host), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("six"))})
	}
	kit.Declined(t, at("2001:db8:1:2:9::9"), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("six"))}, "RESOURCE_EXHAUSTED", "ip-limit")
	kit.Asked[kit.WorkspaceView](t, at("2001:db8:1:3::9"), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("six"))})
}
