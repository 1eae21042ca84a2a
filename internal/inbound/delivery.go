package inbound

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/predicate"
	"github.com/redline-svc/redline/internal/shape"
)

// MaxContext is how long a trigger context may be, in bytes of compact JSON.
const MaxContext = 256 << 10

// ErrBody is a body that is not one JSON object, or lacks the payload that its
// provider promises.
var ErrBody = errors.New("the body is not what the trigger takes")

// Delivery is what a request wants to start.
type Delivery struct {
	// Event is the name of the event, empty where none was found.
	Event string
	// Key is the idempotency key, by which a resend is known; empty where every
	// request is new.
	Key string
	// Signature is the hash of the signature with its trigger, empty where none was sent. It is
	// the same whatever ids a request is sent with.
	Signature string
	// Context is the trigger context, as it was sent but for white space around it.
	Context json.RawMessage
}

// Read takes from a request that has proved itself what the trigger asks for. The
// error is ErrBody.
func Read(t *definition.Trigger, proof Proof, header http.Header, body []byte) (*Delivery, error) {
	if shape.Check(body) != nil {
		return nil, ErrBody
	}
	whole := bytes.TrimSpace(body)
	payload := whole
	if t.Inbound.Provider == definition.ProviderSvc {
		payload = shape.Member(whole, "payload").Value
	}
	if !isObject(whole) || !isObject(payload) {
		return nil, ErrBody
	}
	d := &Delivery{Event: event(t.Inbound, header, whole), Context: bytes.Clone(payload)}
	if t.Inbound.PayloadMapping == definition.WrapSource {
		d.Context = slices.Concat([]byte(`{"source":`), payload, []byte(`}`))
	}
	if source := sourceID(t.Inbound, proof, header, whole); source != "" {
		d.Key = key(t.ID, source)
	}
	if proof.Signature != "" {
		d.Signature = hashed(t.ID + ":" + proof.Signature)
	}
	return d, nil
}

func isObject(text []byte) bool { return len(text) > 0 && text[0] == '{' }

// event is the name of the event: in a header, or of senders that name it there in the body.
func event(t *definition.Inbound, header http.Header, body []byte) string {
	switch {
	case t.EventNameHeader != "":
		return header.Get(t.EventNameHeader)
	case t.Provider == definition.ProviderSvc, t.Provider == definition.ProviderVercel:
		return text(shape.Member(body, "type").Value)
	default:
		return ""
	}
}

// text is a JSON string, empty for anything else.
func text(value []byte) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// sourceID is the sender's id of what it sends: from the header, else from the body.
// Without one it is the hash of the signature, so that a request which somebody has
// recorded starts nothing again.
func sourceID(t *definition.Inbound, proof Proof, header http.Header, body []byte) string {
	if t.IdempotencyHeader != "" {
		if id := header.Get(t.IdempotencyHeader); id != "" {
			return id
		}
	}
	if t.IdempotencyBodyPath != "" {
		if id, there := predicate.Decode(shape.At(body, t.IdempotencyBodyPath)).Text(); there && id != "" {
			return id
		}
	}
	if proof.Signature == "" {
		return ""
	}
	return hashed(proof.Signature)
}

// keyPattern is what an idempotency key may be.
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9:_.-]{1,200}$`)

// key is the idempotency key of a source's id; one that does not fit is replaced by
// its hash, which always fits.
func key(triggerID, source string) string {
	if whole := "trig:" + triggerID + ":" + source; keyPattern.MatchString(whole) {
		return whole
	}
	return "trig:" + triggerID + ":" + hashed(source)
}

// hashed is the SHA-256 in lower-case hex.
func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Passes reports whether the trigger lets the event and its context through.
func (d *Delivery) Passes(t *definition.Trigger) bool {
	if len(t.Inbound.AllowedEvents) > 0 && !slices.Contains(t.Inbound.AllowedEvents, d.Event) {
		return false
	}
	if len(t.Filters) == 0 {
		return true
	}
	sent := shape.TreeOf(d.Context)
	for path, allowed := range t.Filters {
		if !predicate.Decode(sent.At(path).Text()).OneOf(predicate.Decode(allowed)) {
			return false
		}
	}
	return true
}

// Fits reports whether the context is not too long.
func (d *Delivery) Fits() bool {
	if len(d.Context) <= MaxContext {
		return true
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, d.Context) // cannot fail: it was checked
	return compact.Len() <= MaxContext
}

// Names are the ids by which a request names its trigger.
type Names struct{ DefinitionID, TriggerID string }

// Named reads the ids from a body that nobody has proved yet. A body without them,
// or none at all, names nothing.
func Named(body []byte) Names {
	if shape.Check(body) != nil {
		return Names{}
	}
	whole := bytes.TrimSpace(body)
	if !isObject(whole) {
		return Names{}
	}
	return Names{text(shape.Member(whole, "definitionId").Value), text(shape.Member(whole, "triggerId").Value)}
}
