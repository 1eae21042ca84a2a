package api_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// confirmPage calls the page of a token and returns its code and text.
func confirmPage(env *kit.Env, method, token string, header map[string]string) (int, string) {
	env.T.Helper()
	request, err := http.NewRequestWithContext(env.T.Context(), method, env.Owner.BaseURL+mail.ConfirmPath+token, nil)
	require.NoError(env.T, err)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(env.T, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(env.T, err)
	require.Equal(env.T, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
	require.Equal(env.T, "no-store", answer.Header.Get("Cache-Control"))
	require.Contains(env.T, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	return answer.StatusCode, string(text)
}

// confirmToken is the token that the mail to the owner of a workspace would have, good for so long.
func confirmToken(env *kit.Env, life time.Duration) string {
	env.T.Helper()
	keys, err := secret.ParseKeys(key(2))
	require.NoError(env.T, err)
	sealing, err := secret.ParseKeys(key(1))
	require.NoError(env.T, err)
	box, err := secret.NewBox(sealing, keys)
	require.NoError(env.T, err)
	_, token, _ := strings.Cut(mail.NewAddresses(box, env.Owner.BaseURL).Of(env.Workspace.ID, time.Now().Add(life)), mail.ConfirmPath)
	return token
}

// asksOwner has a mail sent to the owner, where one is needed.
func asksOwner(env *kit.Env) {
	env.T.Helper()
	reply, err := env.Owner.Send(env.T.Context(), kit.PathOf(client.SendConfirmation), []byte(`{"data":{}}`), nil)
	require.NoError(env.T, err)
	require.Equal(env.T, http.StatusOK, reply.HTTP, string(reply.Body))
}

func TestOwnerConfirmation_TheButtonConfirmsAndNothingElse(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	asked := func(env *kit.Env) redline.OwnerConfirmation {
		return kit.Asked[redline.OwnerConfirmation](t, env.Owner, client.GetOwner, map[string]any{})
	}
	require.Nil(t, asked(env).ConfirmedAt)
	require.Nil(t, asked(env).SentAt)
	require.NotEmpty(t, asked(env).OwnerEmail)
	asksOwner(env)
	require.NotNil(t, asked(env).SentAt)
	token := confirmToken(env, time.Hour)
	for range 2 {
		code, text := confirmPage(env, http.MethodGet, token, nil)
		require.Equal(t, http.StatusOK, code)
		require.Contains(t, text, `<form method="post">`)
	}
	require.Nil(t, asked(env).ConfirmedAt, "who only looks changes nothing")
	for _, wrong := range []string{confirmToken(env, -time.Second), token + "x", "x"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			code, text := confirmPage(env, method, wrong, nil)
			require.Equal(t, http.StatusNotFound, code)
			require.Contains(t, text, "Nothing was changed")
			require.NotContains(t, text, "<form")
		}
	}
	require.Nil(t, asked(env).ConfirmedAt)
	code, text := confirmPage(env, http.MethodPost, token, map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "null"})
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "is confirmed.")
	first := asked(env).ConfirmedAt
	require.NotNil(t, first)
	code, text = confirmPage(env, http.MethodPost, token, nil)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "confirmed already")
	require.Equal(t, first, asked(env).ConfirmedAt)
	require.Nil(t, asked(other).ConfirmedAt)
	asksOwner(env) // which is no fault
}

func TestOwnerConfirmation_ACallOfThePageCounts(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_RATE_IP_PER_MIN=20", "REDLINE_RATE_WORKSPACE_PER_MIN=20")
	token := confirmToken(env, time.Hour)
	for name, each := range map[string]string{"wrong": "x", "right": token} {
		codes := map[string]int{}
		for range 40 {
			code, _ := confirmPage(env, http.MethodGet, each, nil)
			codes[strconv.Itoa(code)]++
		}
		require.Positive(t, codes["429"], name)
	}
}

func TestOwnerConfirmation_OwnersCountAsConfirmed(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_OWNERS_CONFIRMED=true")
	found := kit.Asked[redline.OwnerConfirmation](t, env.Owner, client.GetOwner, map[string]any{})
	require.NotNil(t, found.ConfirmedAt)
	asksOwner(env)
	require.Nil(t, kit.Asked[redline.OwnerConfirmation](t, env.Owner, client.GetOwner, map[string]any{}).SentAt, "no mail is sent")
}

func TestOwnerConfirmation_ARelayIsNeeded(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_SMTP_ADDR=", "REDLINE_SMTP_FROM=")
	kit.Declined(t, env.Owner, client.SendConfirmation, map[string]any{}, "FAILED_PRECONDITION", "no-mail-relay")
}

func TestSenderConfirmation_ACodeIsSixDigits(t *testing.T) {
	env := newWorkspace(t)
	for _, wrong := range []any{nil, "", "12345", "1234567", "12345a", 123456} {
		kit.Declined(t, env.Keyed, client.ConfirmSender, map[string]any{"code": wrong}, "INVALID_ARGUMENT", "")
	}
	kit.Declined(t, env.Keyed, client.ConfirmSender, map[string]any{"code": "123456"}, "FAILED_PRECONDITION", "nothing-to-confirm")
}
