package webhook

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// signatures are those of a request, in their order.
func signatures(request receiver.Request) []string {
	return strings.Split(request.Header.Get("webhook-signature"), " ")
}

// signedBy proves that a request carries one signature by each of the secrets, in
// their order, and that a verifier with any one of them accepts it as it is.
func signedBy(t *testing.T, request receiver.Request, secrets ...string) {
	t.Helper()
	found := signatures(request)
	require.Len(t, found, len(secrets))
	for i, secret := range secrets {
		require.NoError(t, receiver.VerifyMessage(request, secret), "secret %d", i)
		alone := request
		alone.Header = request.Header.Clone()
		alone.Header.Set("webhook-signature", found[i])
		require.NoError(t, receiver.VerifyMessage(alone, secret), "signature %d is by secret %d", i, i)
	}
}

// next lets an endpoint get one message more and returns how it came.
func next(env *kit.Env, path string) receiver.Request {
	env.T.Helper()
	before := len(env.Receiver().Requests(path))
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	return env.Arrived(path, receiver.Count(before+1))[before]
}

func TestSecretRotate_1and5_EveryLiveSecretSignsNewestFirst(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted, map[string]any{"uid": "desk-1"})
	first := kit.SecretOf(env, e.ID)
	before := time.Now()
	second := kit.Rotate(env, "desk-1")
	require.Equal(t, e.ID, second.EndpointID)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, second.Secret)
	require.Equal(t, second.Secret, kit.SecretOf(env, e.ID), "the newest is the one that is read")
	require.WithinRange(t, instant(t, *second.PreviousSecretsExpireAt), before.Add(23*time.Hour), time.Now().Add(25*time.Hour))
	signedBy(t, next(env, "/told"), second.Secret, first)
	third := kit.Rotate(env, e.ID)
	signedBy(t, next(env, "/told"), third.Secret, second.Secret, first)
}

func TestSecretRotate_2_AfterTheGracePeriodTheOldSignatureIsGone(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	first := kit.SecretOf(env, e.ID)
	second := kit.Rotate(env, e.ID, kit.Grace(2))
	third := kit.Rotate(env, e.ID, kit.Grace(604800)) // which gives the first one no more time
	var request receiver.Request
	kit.RequireEventually(t, "the first signature is gone", func() bool {
		request = next(env, "/told")
		return len(signatures(request)) == 2
	})
	signedBy(t, request, third.Secret, second.Secret)
	require.Error(t, receiver.VerifyMessage(request, first))
	require.False(t, request.At.Before(instant(t, *second.PreviousSecretsExpireAt).Truncate(time.Second)), "and not before its time")
}

// Without a grace period nothing of before signs any more, not even what still had
// a week.
func TestSecretRotate_3_WithoutGraceOneSignatureIsLeft(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	first := kit.SecretOf(env, e.ID)
	second := kit.Rotate(env, e.ID, kit.Grace(604800))
	third := kit.Rotate(env, e.ID, kit.Grace(0))
	require.Nil(t, third.PreviousSecretsExpireAt)
	request := next(env, "/told")
	signedBy(t, request, third.Secret)
	for _, former := range []string{first, second.Secret} {
		require.Error(t, receiver.VerifyMessage(request, former))
	}
}

func TestSecretRotate_4_ARetryIsSignedByTheSecretsOfItsTime(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, _ := failing(env, "/told")
	first := kit.SecretOf(env, e.ID)
	second := kit.Rotate(env, e.ID)
	requests := env.Arrived("/told", receiver.Count(2))
	require.Equal(t, requests[0].Header.Get("webhook-id"), requests[1].Header.Get("webhook-id"))
	signedBy(t, requests[0], first)
	signedBy(t, requests[1], second.Secret, first)
}

func TestSecretRotate_FiveAreLiveAtMost(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	secrets := []string{kit.SecretOf(env, e.ID)}
	for range 6 {
		secrets = append([]string{kit.Rotate(env, e.ID).Secret}, secrets...)
	}
	request := next(env, "/told")
	signedBy(t, request, secrets[:5]...)
	for _, ended := range secrets[5:] {
		require.Error(t, receiver.VerifyMessage(request, ended), "the oldest ends first")
	}
}

func TestSecretRotate_ManyAtOnce(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.Concurrently(8, func(int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.RotateSecret, kit.Of(e.ID))
		kit.NoError(t, err)
	})
	request := next(env, "/told")
	require.Len(t, signatures(request), 5)
	require.NoError(t, receiver.VerifyMessage(request, kit.SecretOf(env, e.ID)))
}
