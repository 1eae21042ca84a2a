package usertoken_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/usertoken"
)

var now = time.Unix(1_800_000_000, 0)

func signer(t *testing.T, hashKeys ...secret.Key) *usertoken.Signer {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("seal")}, hashKeys)
	require.NoError(t, err)
	return usertoken.New(box, "https://redline.test")
}

func signed(t *testing.T, s *usertoken.Signer) string {
	t.Helper()
	name := "Ann"
	token, err := s.Sign("ws_1", usertoken.Claims{UserID: "ann", Name: &name, Resources: json.RawMessage(`[{"n":1.10}]`)}, now, now.Add(time.Minute))
	require.NoError(t, err)
	return token
}

func TestATokenSaysWhatWasSigned(t *testing.T) {
	t.Parallel()
	s := signer(t, secret.NewKey("one"))
	claims, reason := s.Verify("ws_1", signed(t, s), now.Add(59*time.Second))
	require.Empty(t, reason)
	require.Equal(t, "ann", claims.UserID)
	require.Equal(t, "https://redline.test", claims.Issuer)
	require.Equal(t, `[{"n":1.10}]`, string(claims.Resources))
	require.True(t, strings.HasPrefix(claims.ID, "utk_"))
}

func TestWhyATokenIsNotValid(t *testing.T) {
	t.Parallel()
	key := secret.NewKey("one")
	s := signer(t, key)
	token := signed(t, s)
	parts := strings.Split(token, ".")
	header := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	// The last character of 32 bytes has four bits of them, so there are others that decode alike.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	changed := func(at int) string {
		now := []byte(token)
		now[at] = alphabet[strings.IndexByte(alphabet, now[at])^1]
		return string(now)
	}
	for name, given := range map[string]struct{ workspace, token, reason string }{
		"no token":             {"ws_1", "a.b", usertoken.Malformed},
		"no JSON":              {"ws_1", "a.b.c", usertoken.Malformed},
		"alg none":             {"ws_1", header(`{"alg":"none"}`) + "." + parts[1] + ".", usertoken.Algorithm},
		"RS256":                {"ws_1", header(`{"alg":"RS256","kid":"one"}`) + "." + parts[1] + "." + parts[2], usertoken.Algorithm},
		"a changed character":  {"ws_1", changed(len(token) - 10), usertoken.BadSignature},
		"a changed last one":   {"ws_1", changed(len(token) - 1), usertoken.BadSignature},
		"no such character":    {"ws_1", token[:len(token)-10] + "*" + token[len(token)-9:], usertoken.BadSignature},
		"another claim":        {"ws_1", parts[0] + "." + header(`{"sub":"eve","aud":"ws_1","exp":9999999999}`) + "." + parts[2], usertoken.BadSignature},
		"another workspace's":  {"ws_2", token, usertoken.Workspace},
		"one of another key":   {"ws_1", signed(t, signer(t, secret.NewKey("two"))), usertoken.BadSignature},
		"one of an equal name": {"ws_1", signed(t, signer(t, secret.NewKey("one"))), usertoken.BadSignature},
	} {
		claims, reason := s.Verify(given.workspace, given.token, now)
		require.Equal(t, given.reason, reason, name)
		require.Nil(t, claims, name)
	}
	_, reason := s.Verify("ws_1", token, now.Add(time.Minute))
	require.Equal(t, usertoken.Expired, reason)
	claims, reason := signer(t, secret.NewKey("new"), key).Verify("ws_1", token, now)
	require.Empty(t, reason, "a key that signs no more still counts while it is listed")
	require.Equal(t, "ann", claims.UserID)
}
