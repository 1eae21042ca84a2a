package redline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// ErrSignature is why a request was not sent by the service, or not with this secret.
var ErrSignature = errors.New("redline: the signature does not match")

// WebhookEvent is what a webhook endpoint is sent. Sort by Sequence: the order of arrival is not promised.
type WebhookEvent struct {
	Event      string          `json:"event"`
	ActionType string          `json:"actionType"`
	Source     string          `json:"source"`
	WebhookID  string          `json:"webhookId"`
	Timestamp  string          `json:"timestamp"`
	Sequence   int64           `json:"sequence"`
	Data       json.RawMessage `json:"data"`
}

// Verify checks a request to a webhook endpoint by the endpoint's secret (whsec_…) and returns
// what it says. The body is the very bytes that came. It refuses another secret, a changed body
// and a timestamp further than five minutes from this machine's clock.
func Verify(secret string, header http.Header, body []byte) (WebhookEvent, error) {
	var event WebhookEvent
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return event, err
	}
	if err := verifier.Verify(body, header); err != nil {
		return event, errors.Join(ErrSignature, err)
	}
	return event, json.Unmarshal(body, &event)
}

// VerifySignature checks the header x-svc-signature of a call to an agent or of a webhook step:
// "sha256=" and the HMAC of the body in lower-case hex, keyed by the secret as it was set.
func VerifySignature(secret string, header http.Header, body []byte) error {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(want), []byte(header.Get("X-Svc-Signature"))) {
		return ErrSignature
	}
	return nil
}
