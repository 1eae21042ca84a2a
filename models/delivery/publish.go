package delivery

import (
	"context"
	"crypto/rsa"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// Event is a change that is published to the endpoints of a workspace.
type Event struct {
	// Event is the name of the event type, one of package envelope's list.
	Event string
	// At is the time of the change; the zero value stands for that of FanOut.
	At time.Time
	// APIKeyID is the calling key's, empty for the service's own changes.
	APIKeyID string
	// OrganizationID, DocumentID and DefinitionID are where it happened, in the
	// callers' ids; empty where the event has none. They are its tags, and the
	// first two its metadata with what is known of them.
	OrganizationID, DocumentID, DefinitionID string
	// Data is the event's own object, as anything that is written as one.
	Data any
	// Except is the endpoint that the event is about: it does not get it.
	Except string
	// Aside keeps it from the simple receiver, which is told of the same change by another event, or of no such change.
	Aside bool
}

// simple reports whether the simple receiver is told of the event.
func (e Event) simple() bool { return !e.Aside && envelope.IsSimple(e.Event) }

// Tags of a message begin with what they name.
const (
	organizationTag = "organization:"
	documentTag     = "document:"
	definitionTag   = "definition:"
)

// tags are what endpoints' channels are compared with.
func (e Event) tags() []string {
	tags := []string{}
	for _, t := range []struct{ prefix, id string }{
		{organizationTag, e.OrganizationID}, {documentTag, e.DocumentID}, {definitionTag, e.DefinitionID},
	} {
		if t.id != "" {
			tags = append(tags, t.prefix+t.id)
		}
	}
	return tags
}

// Publish stores the messages of events, with their deliveries, in the transaction
// of the change. Events of one object are published in the order of its changes
// while its row is locked, so that their sequence follows that order.
//
// A workspace that never switched webhooks on costs one read and stores nothing.
// While they are off messages are stored without deliveries. A message that no endpoint
// matches, a disabled one neither, is stored without its body; one of a workspace whose quota of
// bodies is used up for the day has ids only, and so have those beyond mostBodies of one change. Beyond
// MostDeliveries of the events a job makes the deliveries.
func Publish(ctx context.Context, tx *pg.Tx, workspaceID string, events ...Event) error {
	fanout, err := FanOut(ctx, tx, workspaceID, events...)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	if err := fanout.Queue(ctx, tx, b); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// Fanout is what FanOut read. Matched has an entry for each question, and is empty
// where the workspace never switched webhooks on.
type Fanout struct {
	workspaceID string
	events      []Event
	// questions says which entry of Matched each of the events has.
	questions []int
	form      envelope.Form
	now       time.Time
	// first is the number of the first message; the others follow.
	first     int64
	Matched   []recipients
	Locations map[Location]envelope.Metadata
	Cause     string
	// MessageIDs are those that Queue made, in the order of the events.
	MessageIDs []string
}

// recipients are the endpoints that get a message. Its body is
// stored where an endpoint matches it, or would if it were not disabled; simple says that the
// simple receiver is such a one.
type recipients struct {
	Endpoints      []string
	wanted, simple bool
}

// Location is an organization or a document in it, in the callers' ids.
type Location struct{ organizationID, documentID string }

// tagSeparator joins tags in a parameter; a caller's id has no control characters.
const tagSeparator = "\x1f"

// mostBodies is how many bytes the bodies of one change have before those that follow have ids only: each
// may describe a document of 32 KiB, and a change may have more than a thousand of them.
const mostBodies = 16 << 20

// question is what of an event decides who gets it, and where it happened.
type question struct {
	event, definitionID, except string
	at                          Location
	simple                      bool
}

// ask returns an event of each question, and which of these each event has. A change may have thousands of events, and a
// workspace many endpoints with long filters: whatever their numbers, a question is asked once.
func ask(events []Event) (asked []Event, questions []int) {
	known := map[question]int{}
	questions = make([]int, len(events))
	for i, e := range events {
		q := question{e.Event, e.DefinitionID, e.Except, e.location(), e.simple()}
		n, ok := known[q]
		if !ok {
			n = len(asked)
			known[q], asked = n, append(asked, e)
		}
		questions[i] = n
	}
	return asked, questions
}

//go:embed match_events.sql
var matchEvents string

// FanOut is the first half of Publish, for a transaction that gathers its writes
// in a batch: it reads which endpoints get the events. Queue is the second half.
func FanOut(ctx context.Context, tx pg.Batcher, workspaceID string, events ...Event) (*Fanout, error) {
	r := &Fanout{workspaceID: workspaceID, events: events, Locations: map[Location]envelope.Metadata{}, Cause: causeSchedule}
	if len(events) == 0 {
		return r, nil
	}
	asked, questions := ask(events)
	r.questions = questions
	n := len(asked)
	types, tags, except, organizations, documents := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	described, simples := make([]bool, n), make([]bool, n)
	seen := map[Location]bool{}
	for i, e := range asked {
		types[i], tags[i], except[i] = e.Event, strings.Join(e.tags(), tagSeparator), e.Except
		organizations[i], documents[i] = e.OrganizationID, e.DocumentID
		described[i], simples[i] = !seen[e.location()], e.simple()
		seen[e.location()] = true
	}
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys) // planning matchEvents each time would take four times as long as running it
	b.Queue(matchEvents, pgx.NamedArgs{
		"workspace": workspaceID, "events": types, "tags": tags, "abouts": except, "organizations": organizations, "documents": documents, "described": described, "simples": simples,
	}).Query(func(rows pgx.Rows) error {
		for i := 0; rows.Next(); i++ {
			if err := r.scan(rows, asked[i].location(), described[i]); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return r, tx.SendBatch(ctx, b).Close()
}

func (e Event) location() Location { return Location{e.OrganizationID, e.DocumentID} }

func (r *Fanout) scan(rows pgx.Rows, at Location, described bool) error {
	var enabled, encrypted bool
	var key string
	var m recipients
	var known knownLocation
	err := rows.Scan(&enabled, &encrypted, &r.form.Encoded, &r.form.Protected, &key, &r.now, &r.form.IDsOnly, &r.first, &m.Endpoints, &m.wanted, &m.simple,
		&known.organizationName, &known.organizationExtra, &known.documentName, &known.documentExtra)
	if err != nil {
		return err
	}
	if encrypted && r.form.Key == nil {
		if r.form.Key, err = readKey(key); err != nil {
			return err
		}
	}
	r.Matched = append(r.Matched, m)
	if described {
		r.Locations[at] = known.metadata(at)
	}
	return nil
}

// readKey reads a key that was checked when it was stored.
func readKey(text string) (*rsa.PublicKey, error) {
	key, _, err := envelope.ParseKey(text)
	if err != nil {
		return nil, fault.Internal(fmt.Errorf("the stored public key: %w", err))
	}
	return key, nil
}

// knownLocation is what the rows hold of a location; nil where there is no row.
type knownLocation struct {
	organizationName, organizationExtra, documentName, documentExtra *string
}

func (k knownLocation) metadata(at Location) envelope.Metadata {
	return envelope.Metadata{
		Organization: envelope.Describe("organizationId", at.organizationID, "organizationName", k.organizationName, k.organizationExtra),
		Document:     envelope.Describe("documentId", at.documentID, "documentName", k.documentName, k.documentExtra),
	}
}

//go:embed insert_messages.sql
var insertMessages string

// written are messages with what of them is stored, in columns; a delivery is made of each of
// delivered to the endpoint beside it in to.
type written struct {
	ids, events, tags, abouts []string
	sequences                 []int64
	simples                   []bool
	bodied                    []string
	bodies, simpleBodies      [][]byte
	delivered, to             []string
}

func (w *written) add(messageID string, e Event, sequence int64, simple bool) {
	w.ids, w.events, w.sequences, w.simples = append(w.ids, messageID), append(w.events, e.Event), append(w.sequences, sequence), append(w.simples, simple)
	w.tags, w.abouts = append(w.tags, strings.Join(e.tags(), tagSeparator)), append(w.abouts, e.Except)
}

func (w *written) deliver(messageID string, endpoints []string) {
	w.delivered, w.to = append(w.delivered, slices.Repeat([]string{messageID}, len(endpoints))...), append(w.to, endpoints...)
}

func (w *written) queue(b *pgx.Batch, r *Fanout) {
	if len(w.ids) == 0 {
		return
	}
	b.Queue(insertMessages, pgx.NamedArgs{
		"workspace": r.workspaceID, "at": r.now, "test": r.Cause == causeTest, "ids": w.ids, "sequences": w.sequences, "events": w.events,
		"tags": w.tags, "abouts": w.abouts, "simples": w.simples, "bodied": w.bodied, "bodies": w.bodies, "simple_bodies": w.simpleBodies,
	})
	if len(w.to) > 0 {
		enqueueMessages(b, r.workspaceID, w.delivered, w.to, r.Cause)
	}
}

// Queue is the second half of Publish: it adds the writes to the batch.
func (r *Fanout) Queue(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	if len(r.Matched) == 0 {
		return nil
	}
	if endpoints := r.endpoints(); len(endpoints) > 0 {
		enqueueDestinations(b, r.workspaceID, endpoints)
		tx.Notify(notifier.Destinations, endpoints...)
	}
	var rest rest
	var w written
	room, bytes := MostDeliveries, 0
	r.MessageIDs = id.Series(id.Message, r.now, len(r.events))
	for i, e := range r.events {
		messageID, sequence, m := r.MessageIDs[i], r.first+int64(i), r.Matched[r.questions[i]]
		// Of a body that is encrypted none for the simple receiver can be made later.
		w.add(messageID, e, sequence, e.simple() && (m.simple || r.form.Key == nil))
		if m.wanted || r.Cause == causeTest {
			size, err := w.say(r, r.message(e, messageID, sequence), m.simple)
			if err != nil {
				return err
			}
			bytes += size
			r.form.IDsOnly = r.form.IDsOnly || bytes > mostBodies
		}
		switch room -= len(m.Endpoints); {
		case len(m.Endpoints) == 0:
		case room < 0:
			rest.add(messageID, m.Endpoints)
		default:
			w.deliver(messageID, m.Endpoints)
		}
	}
	w.queue(b, r)
	return rest.queue(ctx, tx, r.workspaceID)
}

// endpoints are the endpoints that get any of the messages, each once.
func (r *Fanout) endpoints() []string {
	var endpoints []string
	for _, m := range r.Matched {
		endpoints = append(endpoints, m.Endpoints...)
	}
	slices.Sort(endpoints)
	return slices.Compact(endpoints)
}

// say adds the body of a message, for the simple receiver too if that is one who gets it, and returns how many bytes that is.
func (w *written) say(r *Fanout, message envelope.Message, simply bool) (size int, err error) {
	body, err := message.Body(r.form)
	if err != nil {
		return 0, fault.Internal(err)
	}
	var simple []byte
	if r.form.Key != nil && simply {
		if simple, err = message.SimpleBody(r.form); err != nil {
			return 0, fault.Internal(err)
		}
	}
	w.bodied, w.bodies, w.simpleBodies = append(w.bodied, message.ID), append(w.bodies, body), append(w.simpleBodies, simple)
	return len(body) + len(simple), nil
}

// message is what endpoints get of an event.
func (r *Fanout) message(e Event, messageID string, sequence int64) envelope.Message {
	at := e.At
	if at.IsZero() {
		at = r.now
	}
	metadata := r.Locations[e.location()]
	metadata.APIKey = e.APIKeyID
	return envelope.Message{ID: messageID, Event: e.Event, At: at, Sequence: sequence, Data: e.Data, Metadata: metadata}
}
