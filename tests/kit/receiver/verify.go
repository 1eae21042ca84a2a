package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Delivery is the published body of an execution's event.
type Delivery struct {
	Event             string          `json:"event"`
	EventID           string          `json:"eventId"`
	ExecutionID       string          `json:"executionId"`
	DefinitionID      string          `json:"definitionId"`
	DefinitionVersion int             `json:"definitionVersion"`
	StepID            *string         `json:"stepId"`
	Status            *string         `json:"status"`
	Seq               int64           `json:"seq"`
	Timestamp         string          `json:"timestamp"`
	CorrelationID     string          `json:"correlationId"`
	Data              json.RawMessage `json:"data"`
}

// Read decodes the body of a delivery.
func (r Request) Read() (Delivery, error) {
	var body Delivery
	err := json.Unmarshal(r.Body, &body)
	return body, err
}

// Verify returns an error unless both signatures of a request are right, its ids agree and it
// was signed when it arrived.
func Verify(r Request, secret string) error {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(r.Body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); r.Header.Get("x-svc-signature") != want {
		return fmt.Errorf("x-svc-signature is %q, not %q", r.Header.Get("x-svc-signature"), want)
	}
	if r.Header.Get("webhook-id") != r.Header.Get("x-svc-event-id") {
		return errors.New("webhook-id and x-svc-event-id differ")
	}
	hook, err := verifier(secret)
	if err != nil {
		return err
	}
	if err := hook.VerifyIgnoringTimestamp(r.Body, r.Header); err != nil {
		return err
	}
	return fresh(r)
}

// VerifyMessage returns an error unless a request to an endpoint passes the official library, as
// any customer would check it, and carries no header of ours beside the standard's.
func VerifyMessage(r Request, secret string) error {
	for name := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-") || strings.HasPrefix(lower, "trace") {
			return fmt.Errorf("the header %s does not belong to the standard", name)
		}
	}
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	if err := hook.VerifyIgnoringTimestamp(r.Body, r.Header); err != nil {
		return err
	}
	return fresh(r)
}

// Message is the published body of a message to an endpoint.
type Message struct {
	Event      string          `json:"event"`
	ActionType string          `json:"actionType"`
	Source     string          `json:"source"`
	WebhookID  string          `json:"webhookId"`
	Timestamp  string          `json:"timestamp"`
	Sequence   int64           `json:"sequence"`
	Data       json.RawMessage `json:"data"`
}

// Message decodes the body of a request to an endpoint.
func (r Request) Message() (Message, error) {
	var body Message
	err := json.Unmarshal(r.Body, &body)
	return body, err
}

// tolerance is what receivers commonly accept either way.
const tolerance = 5 * time.Minute

// fresh judges the time of the signature by that of the arrival, as a receiver
// does, and not by that of the check, which may be much later.
func fresh(r Request) error {
	seconds, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return fmt.Errorf("webhook-timestamp: %w", err)
	}
	if age := r.At.Sub(time.Unix(seconds, 0)); age.Abs() > tolerance {
		return fmt.Errorf("signed %s before it arrived", age)
	}
	return nil
}

// verifier is the official one. Only a secret that is whsec_ and base64 is
// decoded; any other is taken by its bytes.
func verifier(secret string) (*standardwebhooks.Webhook, error) {
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if _, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return standardwebhooks.NewWebhook(secret)
		}
	}
	return standardwebhooks.NewWebhookRaw([]byte(secret))
}
