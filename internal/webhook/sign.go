package webhook

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Names of the headers that a receiver reads.
const (
	HeaderSignature = "x-svc-signature"
	HeaderEventID   = "x-svc-event-id"
	HeaderAttempt   = "x-svc-attempt"
)

// userAgent names the sender, the same for everything that is signed.
const userAgent = "svc-webhooks/1"

// secretPrefix marks a secret whose rest is the key in base64.
const secretPrefix = "whsec_"

// Headers signs one attempt. id is the event's (or, for a call of a step, the
// step's) and the same in every attempt; attempt counts from 0; at is the time
// of this attempt; secret is the receiver's as it was given.
func Headers(secret []byte, id string, attempt int, at time.Time, body []byte) http.Header {
	return AgentHeaders([][]byte{secret}, id, attempt, at, body)
}

// AgentHeaders is Headers where former secrets sign beside the present one, which is the
// first: the standard's header has a signature of each, the other one of the present.
func AgentHeaders(secrets [][]byte, id string, attempt int, at time.Time, body []byte) http.Header {
	h := Unsigned(id, attempt)
	h.Set(HeaderSignature, "sha256="+hex.EncodeToString(mac(secrets[0], body)))
	sign(h, secrets, id, at, body)
	return h
}

// EndpointHeaders signs one attempt at an endpoint: once with each of its
// secrets, in their order, and with nothing but the standard's headers.
func EndpointHeaders(secrets [][]byte, id string, at time.Time, body []byte) http.Header {
	h := http.Header{}
	h.Set("content-type", "application/json")
	h.Set("user-agent", userAgent)
	sign(h, secrets, id, at, body)
	return h
}

// sign sets the standard's headers, with a signature by each secret.
func sign(h http.Header, secrets [][]byte, id string, at time.Time, body []byte) {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signatures[i] = standardSignature(Key(secret), id, at, body)
	}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
}

// Unsigned returns the headers of an attempt that carries no signature.
func Unsigned(id string, attempt int) http.Header {
	h := http.Header{}
	h.Set("content-type", "application/json")
	h.Set("user-agent", userAgent)
	h.Set(HeaderEventID, id)
	h.Set(HeaderAttempt, strconv.Itoa(attempt))
	return h
}

// Key returns the key of the standard signature: the bytes behind whsec_ when
// they are base64, else the secret's own bytes.
func Key(secret []byte) []byte {
	encoded, ok := strings.CutPrefix(string(secret), secretPrefix)
	if !ok {
		return secret
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return secret
	}
	return key
}

// nodeKeySize is the length of a node's key in bytes.
const nodeKeySize = 32

// NodeKey derives the signing secret of a webhook node from the execution's
// receiver secret. What a step sends can be chosen by others, so it is never
// signed with the receiver's own secret: that would be a forged event.
func NodeKey(secret []byte, nodeID string) string {
	key, err := hkdf.Key(sha256.New, secret, nil, "webhook-node:"+nodeID, nodeKeySize)
	if err != nil {
		panic("webhook: a key of 32 bytes is always derivable: " + err.Error())
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}

// standardSignature signs id, timestamp and body by the official library, whose
// calls give errors only for form's sake.
func standardSignature(key []byte, id string, at time.Time, body []byte) string {
	signer, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		panic("webhook: a raw key is always accepted: " + err.Error())
	}
	signature, err := signer.Sign(id, at, body)
	if err != nil {
		panic("webhook: signing never fails: " + err.Error())
	}
	return signature
}
