package redline

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const body = `{"event":"comment.add","actionType":"add","source":"comment","webhookId":"msg_1","sequence":7,"data":{"n":1}}`

func signed(t *testing.T, secret string, at time.Time) http.Header {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	equal(t, nil, err)
	signature, err := signer.Sign("msg_1", at, []byte(body))
	equal(t, nil, err)
	header := http.Header{}
	header.Set("webhook-id", "msg_1")
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return header
}

func TestVerify(t *testing.T) {
	t.Parallel()
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another secret of thirty-two byt"))
	header := signed(t, secret, time.Now())
	event, err := Verify(secret, header, []byte(body))
	equal(t, nil, err)
	equal(t, "comment.add msg_1", event.Event+" "+event.WebhookID)
	equal(t, int64(7), event.Sequence)
	_, err = Verify(other, header, []byte(body))
	equal(t, true, errors.Is(err, ErrSignature))
	_, err = Verify(secret, header, []byte(body+" "))
	equal(t, true, errors.Is(err, ErrSignature))
	_, err = Verify(secret, signed(t, secret, time.Now().Add(-time.Hour)), []byte(body))
	equal(t, true, errors.Is(err, ErrSignature))
}

func TestVerifySignature(t *testing.T) {
	t.Parallel()
	// Test case 2 of RFC 4231.
	header := http.Header{"X-Svc-Signature": {"sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}}
	message := []byte("what do ya want for nothing?")
	equal(t, nil, VerifySignature("Jefe", header, message))
	equal(t, ErrSignature, VerifySignature("Jeff", header, message))
	equal(t, ErrSignature, VerifySignature("Jefe", header, message[1:]))
	equal(t, ErrSignature, VerifySignature("Jefe", http.Header{}, message))
}
