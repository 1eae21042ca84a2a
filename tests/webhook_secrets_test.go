package tests

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

type rotatedView struct {
	EndpointID, Secret      string
	PreviousSecretsExpireAt *string
}

// rotate gives an endpoint a new secret.
func (s *scene) rotate(endpointID string, more ...map[string]any) rotatedView {
	s.t.Helper()
	var rotated client.Wrapped[rotatedView]
	s.call(rotateSecret, merged(of(endpointID), more...), &rotated)
	return rotated.Data
}

func grace(seconds int) map[string]any { return map[string]any{"gracePeriodSeconds": seconds} }

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

// next lets an endpoint get one message more and gives how it came.
func (s *scene) next(path string) receiver.Request {
	s.t.Helper()
	before := len(s.receiver().Requests(path))
	s.dispatch(s.instant()).ends("completed")
	return s.arrived(path, receiver.Count(before+1))[before]
}

func TestSecretRotate_1and5_EveryLiveSecretSignsNewestFirst(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted, map[string]any{"uid": "desk-1"})
	first := s.secretOf(e.ID)
	before := time.Now()
	second := s.rotate("desk-1")
	require.Equal(t, e.ID, second.EndpointID)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, second.Secret)
	require.Equal(t, second.Secret, s.secretOf(e.ID), "the newest is the one that is read")
	require.WithinRange(t, instant(t, *second.PreviousSecretsExpireAt), before.Add(23*time.Hour), time.Now().Add(25*time.Hour))
	signedBy(t, s.next("/told"), second.Secret, first)
	third := s.rotate(e.ID)
	signedBy(t, s.next("/told"), third.Secret, second.Secret, first)
}

func TestSecretRotate_2_AfterTheGracePeriodTheOldSignatureIsGone(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	first := s.secretOf(e.ID)
	second := s.rotate(e.ID, grace(2))
	third := s.rotate(e.ID, grace(604800)) // which gives the first one no more time
	var request receiver.Request
	eventually(t, "the first signature is gone", func() bool {
		request = s.next("/told")
		return len(signatures(request)) == 2
	})
	signedBy(t, request, third.Secret, second.Secret)
	require.Error(t, receiver.VerifyMessage(request, first))
	require.False(t, request.At.Before(instant(t, *second.PreviousSecretsExpireAt).Truncate(time.Second)), "and not before its time")
}

// Without a grace period nothing of before signs any more, not even what still had
// a week.
func TestSecretRotate_3_WithoutGraceOneSignatureIsLeft(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	first := s.secretOf(e.ID)
	second := s.rotate(e.ID, grace(604800))
	third := s.rotate(e.ID, grace(0))
	require.Nil(t, third.PreviousSecretsExpireAt)
	request := s.next("/told")
	signedBy(t, request, third.Secret)
	for _, former := range []string{first, second.Secret} {
		require.Error(t, receiver.VerifyMessage(request, former))
	}
}

func TestSecretRotate_4_ARetryIsSignedByTheSecretsOfItsTime(t *testing.T) {
	s := begin(t).hooked()
	e, _ := s.failing("/told")
	first := s.secretOf(e.ID)
	second := s.rotate(e.ID)
	requests := s.arrived("/told", receiver.Count(2))
	require.Equal(t, requests[0].Header.Get("webhook-id"), requests[1].Header.Get("webhook-id"))
	signedBy(t, requests[0], first)
	signedBy(t, requests[1], second.Secret, first)
}

func TestSecretRotate_FiveAreLiveAtMost(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	secrets := []string{s.secretOf(e.ID)}
	for range 6 {
		secrets = append([]string{s.rotate(e.ID).Secret}, secrets...)
	}
	request := s.next("/told")
	signedBy(t, request, secrets[:5]...)
	for _, ended := range secrets[5:] {
		require.Error(t, receiver.VerifyMessage(request, ended), "the oldest ends first")
	}
}

func TestSecretRotate_ManyAtOnce(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	together(8, func(int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, rotateSecret, of(e.ID))
		fine(t, err)
	})
	request := s.next("/told")
	require.Len(t, signatures(request), 5)
	require.NoError(t, receiver.VerifyMessage(request, s.secretOf(e.ID)))
}
