package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/shape"
)

// MaxBody is how large a body may be as it is sent, in bytes.
const MaxBody = 256 << 10

// timeForm is ISO-8601 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// Time writes a time as bodies have it.
func Time(at time.Time) string { return at.UTC().Format(timeForm) }

// Message is what endpoints get of one event.
type Message struct {
	ID, Event string
	// At is the time of the change.
	At       time.Time
	Sequence int64
	// Data is the event's own object, as anything that is written as one.
	Data any
	// Metadata is written behind it; empty where nothing applies.
	Metadata Metadata
}

// Heavy is data whose comments may say many times as much as a body can: fifty events of one thread would each be written whole
// first, and cut then. What is left of it is the same.
type Heavy interface {
	// Said is how many bytes its comments say: written, it takes more.
	Said() int
	// Silent is the data with comments that say nothing, Alone that with no comments but the one that it is about.
	Silent() any
	Alone() any
}

// Metadata says where a change happened and who made it. Organization and
// Document are objects, nil where the event has none.
type Metadata struct {
	APIKey       string          `json:"apiKey,omitempty"`
	Organization json.RawMessage `json:"organization,omitempty"`
	Document     json.RawMessage `json:"document,omitempty"`
}

func (m Metadata) empty() bool { return m.APIKey == "" && m.Organization == nil && m.Document == nil }

// Describe is the object of an organization, a folder or a document: its id, its name and its other keys, as far
// as they are known; nil without an id.
func Describe(idKey, id, nameKey string, name, extra *string) json.RawMessage {
	if id == "" {
		return nil
	}
	members := []shape.Pair{{Name: idKey, Value: mustEncode(id)}}
	if name != nil {
		members = append(members, shape.Pair{Name: nameKey, Value: mustEncode(*name)})
	}
	if extra != nil {
		for _, own := range shape.MembersOf([]byte(*extra)) {
			if own.Name != idKey && own.Name != nameKey {
				members = append(members, own)
			}
		}
	}
	return shape.AppendMembers([]byte("{}"), members)
}

// wire is a body in the order of its fields.
type wire struct {
	Event      string          `json:"event"`
	ActionType string          `json:"actionType"`
	Source     string          `json:"source"`
	WebhookID  string          `json:"webhookId"`
	Timestamp  string          `json:"timestamp"`
	Sequence   int64           `json:"sequence"`
	Data       json.RawMessage `json:"data"`
}

// cuts are what is left out of a body that is too large, one after the other until
// it fits: the comments beside the one that it is about, everything but ids, then
// lists and ids that are long themselves, and in the end all of it. A change must
// not fail because of its message, and the last one is short whatever was sent.
var cuts = []func(json.RawMessage) json.RawMessage{withoutOtherComments, onlyIDs, onlyShortIDs, nothing}

// shorterIDs are those that follow where only ids are there.
var shorterIDs = cuts[2:]

// Body returns the bytes to send. One that would be larger than MaxBody loses as much
// as it must, and says so in data.truncated. An event that is not in the list is a
// mistake of the program.
func (m Message) Body(form Form) ([]byte, error) {
	body, err := m.fitted(form)
	if err != nil {
		return nil, err
	}
	return form.pack(body)
}

// fitted is the body before it is encoded or encrypted, cut where it must be.
func (m Message) fitted(form Form) (json.RawMessage, error) {
	m, cut := m.lightened(form)
	data, err := m.data()
	if err != nil {
		return nil, err
	}
	if form.Protected {
		data = withoutPersonal(data)
	}
	left := cuts
	switch {
	case cut:
		data, left = truncated(data), cuts[1:]
	case form.IDsOnly:
		data, left = truncated(onlyIDs(data)), shorterIDs
	}
	body, err := m.write(data)
	for ; err == nil && form.size(len(body)) > MaxBody && len(left) > 0; left = left[1:] {
		data = left[0](data)
		body, err = m.write(truncated(data))
	}
	return body, err
}

// lightened is the message without what the form leaves out in any case, or, cut, what is too much for a body.
func (m Message) lightened(form Form) (light Message, cut bool) {
	heavy, mayBe := m.Data.(Heavy)
	switch {
	case !mayBe:
	case form.Protected || form.IDsOnly:
		m.Data = heavy.Silent()
	case heavy.Said() > MaxBody:
		m.Data, cut = heavy.Alone(), true
	}
	return m, cut
}

// data is the event's object with the metadata.
func (m Message) data() (json.RawMessage, error) {
	data, err := encode(m.Data)
	if err != nil {
		return nil, fmt.Errorf("the data of event %s: %w", m.Event, err)
	}
	if m.Metadata.empty() {
		return data, nil
	}
	return shape.AppendMembers(data, []shape.Pair{{Name: "metadata", Value: mustEncode(m.Metadata)}}), nil
}

func (m Message) write(data json.RawMessage) ([]byte, error) {
	event, known := byName[m.Event]
	if !known {
		return nil, fmt.Errorf("no event type %q", m.Event)
	}
	return encode(wire{m.Event, ActionType(m.Event), event.Source, m.ID, Time(m.At), m.Sequence, data})
}

// ActionType is the last part of an event's name in camelCase.
func ActionType(event string) string {
	words := strings.FieldsFunc(event[strings.LastIndexByte(event, '.')+1:], func(r rune) bool { return r == '_' || r == '-' })
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// encode writes JSON without escaping what only matters inside HTML.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
