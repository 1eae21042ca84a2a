package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEmailSettings_DefaultsAndChanges(t *testing.T) {
	env := newWorkspace(t)
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.GetEmails, map[string]any{})
	require.NoError(t, err)
	var fresh struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(raw, &fresh))
	require.JSONEq(t, `{"useEmailService":false,"emailServiceConfig":{"type":"default","host":"","port":587,"security":"starttls","username":"",
"hasPassword":false,"fromEmail":"","fromCompany":"","senderConfirmed":true,"triggers":{"comment.mention":true,"comment.reply":true,"comment_annotation.assign":true,
"step.awaiting-approval":true,"user.invite":true}},"lastFailure":null}`, string(fresh.Data))
	after := kit.MailBy(env, map[string]any{
		"type": "smtp", "host": "Mail.Example.com", "port": 465, "security": "tls", "username": "desk", "password": "secret",
		"fromEmail": "jörg@bücher.example", "fromCompany": "Bücher & Söhne",
	})
	require.Equal(t, after, kit.Emails(env))
	require.Equal(t, []any{redline.EmailServiceConfigTypeSMTP, "Mail.Example.com", int64(465), redline.EmailServiceConfigSecurityTLS, "desk", true, "jörg@bücher.example", "Bücher & Söhne"}, []any{
		after.EmailServiceConfig.Type, after.EmailServiceConfig.Host, after.EmailServiceConfig.Port, after.EmailServiceConfig.Security, after.EmailServiceConfig.Username, after.EmailServiceConfig.HasPassword,
		after.EmailServiceConfig.FromEmail, after.EmailServiceConfig.FromCompany,
	})
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"type": "default", "fromCompany": nil, "security": nil, "password": nil}}, nil)
	after = kit.Emails(env)
	require.Equal(t, []any{true, redline.EmailServiceConfigTypeDefault, redline.EmailServiceConfigSecurityStarttls, "", "", false}, []any{
		after.UseEmailService, after.EmailServiceConfig.Type, after.EmailServiceConfig.Security, after.EmailServiceConfig.FromCompany, after.EmailServiceConfig.Username, after.EmailServiceConfig.HasPassword,
	})
}

func TestEmailSettingsGet_1_ThePasswordNeverAppears(t *testing.T) {
	env := newWorkspace(t)
	password := kit.Unique("password")
	for operation, data := range map[string]string{
		client.UpdateEmails: `{"emailServiceConfig":{"host":"mail.example.com","username":"desk","password":"` + password + `"}}`, client.GetEmails: `{}`,
	} {
		reply, err := env.Keyed.Send(env.Ctx, "/v2/"+operation, []byte(`{"data":`+data+`}`), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, reply.HTTP)
		require.NotContains(t, string(reply.Body), password)
		require.NotContains(t, string(reply.Body), `"password"`)
	}
}

func TestEmailSettingsGet_3_EveryKeyReadsTheSame(t *testing.T) {
	env := newWorkspace(t)
	kit.MailBy(env, map[string]any{"fromCompany": "One"})
	second := kit.SecondKey(env)
	seen, err := client.Call[redline.EmailSettingsResult](env.Ctx, second, client.GetEmails, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, kit.Emails(env), seen.Data)
	_, err = client.Call[json.RawMessage](env.Ctx, second, client.UpdateEmails, map[string]any{"useEmailService": false})
	require.NoError(t, err)
	require.False(t, kit.Emails(env).UseEmailService)
}

func TestEmailSettingsUpdate_1_OneTriggerKeepsTheRest(t *testing.T) {
	env := newWorkspace(t)
	kit.MailBy(env, map[string]any{"fromCompany": "One", "triggers": map[string]any{"comment.reply": false}})
	names := []string{"comment.mention", "comment_annotation.assign", "step.awaiting-approval"}
	kit.Concurrently(len(names), func(i int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.UpdateEmails,
			map[string]any{"emailServiceConfig": map[string]any{"triggers": map[string]any{names[i]: i == 1}}})
		kit.NoError(t, err)
	})
	after := kit.Emails(env)
	require.Equal(t, redline.MailTriggers{CommentAnnotationAssign: true, UserInvite: true}, after.EmailServiceConfig.Triggers)
	require.Equal(t, []any{true, "One", redline.EmailServiceConfigTypeDefault}, []any{after.UseEmailService, after.EmailServiceConfig.FromCompany, after.EmailServiceConfig.Type})
}

func TestEmailSettingsUpdate_2_AnotherHostDropsThePassword(t *testing.T) {
	env := newWorkspace(t)
	kit.MailBy(env, map[string]any{"type": "smtp", "host": "a.example.com", "port": 587, "fromEmail": "a@example.com", "username": "desk", "password": "secret"})
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"host": "a.example.com", "port": 465}}, nil)
	require.True(t, kit.Emails(env).EmailServiceConfig.HasPassword, "it is the same host")
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"host": "b.example.com"}}, nil)
	require.False(t, kit.Emails(env).EmailServiceConfig.HasPassword)
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"password": "again"}}, nil)
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"host": "c.example.com", "password": "third"}}, nil)
	require.True(t, kit.Emails(env).EmailServiceConfig.HasPassword, "it was sent for this host")
}

func TestEmailSettingsUpdate_4and6_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	before := kit.Emails(env)
	own := func(more map[string]any) map[string]any {
		config := map[string]any{"type": "smtp", "host": "mail.example.com", "port": 587, "fromEmail": "a@example.com"}
		maps.Copy(config, more)
		return map[string]any{"emailServiceConfig": config}
	}
	for path, data := range map[string]map[string]any{
		"":                                            {},
		"useEmailService":                             {"useEmailService": nil, "emailServiceConfig": map[string]any{}},
		"emailServiceConfig.fromCompany":              own(map[string]any{"fromCompany": "a\r\nBcc: x@example.com"}),
		"emailServiceConfig.fromEmail":                own(map[string]any{"fromEmail": "nobody"}),
		"emailServiceConfig.port":                     own(map[string]any{"port": 26}),
		"emailServiceConfig.host":                     own(map[string]any{"host": " "}),
		"emailServiceConfig.type":                     own(map[string]any{"type": "imap"}),
		"emailServiceConfig.security":                 own(map[string]any{"security": "ssl"}),
		"emailServiceConfig.password":                 own(map[string]any{"username": "desk"}),
		"emailServiceConfig.username":                 own(map[string]any{"password": "secret"}),
		"emailServiceConfig.username ":                own(map[string]any{"username": strings.Repeat("é", 513), "password": "x"}),
		"emailServiceConfig.fromCompany ":             own(map[string]any{"fromCompany": strings.Repeat("é", 201)}),
		"emailServiceConfig.triggers.comment.mention": {"emailServiceConfig": map[string]any{"triggers": map[string]any{"comment.mention": "yes"}}},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateEmails, data)
		require.NotEmpty(t, failure.Issues, path)
		require.Equal(t, strings.TrimSpace(path), strings.Join(failure.Issues[0].Path, "."))
	}
	missing := env.RefusedAs("INVALID_ARGUMENT", client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"type": "smtp"}})
	require.Len(t, missing.Issues, 3, "host, port and fromEmail at once")
	require.Equal(t, before, kit.Emails(env))
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.UpdateEmails, []byte(`{"data":{"useEmailService":true,"emailServiceConfig":{"other":1}}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.Equal(t, "emailServiceConfig.other", reply.Header.Get("x-svc-ignored-fields"))
	longest := own(map[string]any{"username": strings.Repeat("é", 512), "password": strings.Repeat("é", 512), "fromCompany": strings.Repeat("é", 200)})
	env.Call(client.UpdateEmails, longest, nil)
}

// The operator lists no host and set no relay.
func TestEmailSettingsUpdate_3_HostsThatMayNotBeConnectedTo(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_EGRESS_ALLOW_CIDRS=", "REDLINE_EGRESS_ALLOW_HOSTS=", "REDLINE_SMTP_ADDR=")
	before := kit.Emails(env)
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "169.254.169.254", "metadata.google.internal", "10.0.0.25", "mail", "[::1]", "127.1", "0x7f000001",
		"１２７.0.0.1", "user@mail.example.com", "mail.example.com/x", "mail .example.com", "mail.svc.cluster.local", "[fd00:ec2::254]",
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateEmails, map[string]any{
			"emailServiceConfig": map[string]any{"type": "smtp", "host": host, "port": 587, "fromEmail": "a@example.com"},
		})
		require.Len(t, failure.Issues, 1, host)
		require.Equal(t, "address-refused", failure.Issues[0].Code, host)
		require.Equal(t, []string{"emailServiceConfig", "host"}, failure.Issues[0].Path)
	}
	anybody := env.RefusedAs("INVALID_ARGUMENT", client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{
		"type": "smtp", "host": "mail.example.com", "port": 25, "fromEmail": "a@example.com",
	}})
	require.Len(t, anybody.Issues, 2)
	require.Equal(t, []string{"emailServiceConfig", "port"}, anybody.Issues[0].Path)
	require.Equal(t, []string{"emailServiceConfig", "username"}, anybody.Issues[1].Path)
	bare := env.RefusedAs("INVALID_ARGUMENT", client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{
		"type": "smtp", "host": "mail.example.com", "port": 587, "fromEmail": "a@example.com", "security": "none", "username": "desk", "password": "secret",
	}})
	require.Equal(t, []string{"emailServiceConfig", "security"}, bare.Issues[0].Path)
	require.Equal(t, before, kit.Emails(env))
	failure := env.RefusedAs("FAILED_PRECONDITION", client.UpdateEmails, map[string]any{"useEmailService": true})
	require.Equal(t, redline.ErrorDetailsReasonNoMailRelay, failure.Reason)
	kit.MailBy(env, map[string]any{"type": "smtp", "host": "mail.example.com", "port": 587, "fromEmail": "a@example.com", "username": "desk", "password": "secret"})
	failure = env.RefusedAs("FAILED_PRECONDITION", client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"type": "default"}})
	require.Equal(t, redline.ErrorDetailsReasonNoMailRelay, failure.Reason)
}
