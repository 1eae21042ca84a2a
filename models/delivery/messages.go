package delivery

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Message is a message with what has become of it at each endpoint.
type Message struct {
	ID, Event  string
	Tags       []string
	Sequence   int64
	CreatedAt  time.Time
	Deliveries []MessageDelivery
	// Payload is nil where it was not asked for or is gone.
	Payload []byte
}

// MessageDelivery is how a message stands at one endpoint. Class is that of the last
// attempt that ended; NextAttemptAt is nil while one is under way.
type MessageDelivery struct {
	EndpointID    string     `json:"endpoint_id"`
	State         string     `json:"state"`
	Attempts      int        `json:"attempts"`
	Class         *string    `json:"class"`
	LastAttemptAt *time.Time `json:"last_attempt_at"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

// Statuses of a delivery, with the states of its row.
var deliveryStates = map[string][]string{
	"pending":   {Pending, Sending},
	"succeeded": {Delivered},
	"failed":    {Dead, Refused},
}

// Status is that of the delivery for callers.
func (d MessageDelivery) Status() string {
	for status, states := range deliveryStates {
		if slices.Contains(states, d.State) {
			return status
		}
	}
	return d.State
}

// MessageFilter narrows a list of messages; an empty field matches all. Status is
// that of the delivery to EndpointID.
type MessageFilter struct {
	EndpointID, Status, Channel string
	EventTypes, IDs             []string
	// After and Before are the bounds of CreatedAt, both left out themselves.
	After, Before *time.Time
}

// messageVisits is how many messages the read of one page looks at, however few of
// them the filter keeps: a page that is short for that leads on.
const messageVisits = 10_000

// deliveredIDs finds messages by the deliveries of an endpoint, in their order. The
// workspace is compared so that no index of it is used: that would give them unsorted.
const deliveredIDs = `SELECT x.message_id AS id FROM deliveries x WHERE x.workspace_id || '' = $1 AND x.message_id IS NOT NULL`

// walk is the statement of the ids that the read of a page visits. They are read by an
// index: of the endpoint's deliveries, of the workspace or of the ids themselves.
func (f MessageFilter) walk(q *pg.Conditions, from *list.TwoWayPosition, back bool, visits int) string {
	text, key := `SELECT x.id FROM messages x WHERE x.workspace_id = $1`, "x.id"
	switch {
	case len(f.IDs) > 0:
		q.And("x.id = ANY(%s)", f.IDs)
	case f.EndpointID != "":
		text, key = deliveredIDs, "x.message_id"
		q.And("x.destination_id = %s", f.EndpointID)
	}
	if f.After != nil {
		q.And(key+" >= %s", id.First(id.Message, f.After.Add(-idSlack)))
	}
	if f.Before != nil {
		q.And(key+" < %s", id.First(id.Message, f.Before.Add(idSlack)))
	}
	order := messageOrder(key, back)
	if from != nil && from.Front != back {
		order.From(q, from.ID)
	} else if from != nil {
		order.After(q, from.ID)
	}
	return order.First(q, text, visits-1)
}

func messageOrder(key string, back bool) list.Order {
	if back {
		return list.Ascending(key)
	}
	return list.Descending(key)
}

// keep adds what is asked of each message m that is visited.
func (f MessageFilter) keep(q *pg.Conditions) {
	if len(f.EventTypes) > 0 {
		q.And("m.event = ANY(%s)", f.EventTypes)
	}
	if f.Channel != "" {
		q.And("%s = ANY(m.tags)", f.Channel)
	}
	if f.After != nil {
		q.And("m.created_at > %s", *f.After)
	}
	if f.Before != nil {
		q.And("m.created_at < %s", *f.Before)
	}
	switch {
	case f.Status != "":
		q.And(`EXISTS (SELECT FROM deliveries d WHERE d.message_id = m.id AND d.destination_id = %s AND d.state = ANY(%s) OFFSET 0)`,
			f.EndpointID, deliveryStates[f.Status])
	case f.EndpointID != "" && len(f.IDs) > 0:
		q.And(`EXISTS (SELECT FROM deliveries d WHERE d.message_id = m.id AND d.destination_id = %s OFFSET 0)`, f.EndpointID)
	}
}

// messageColumns are those of a message, with its deliveries as they are at the same
// moment.
const (
	messageColumns = `
SELECT m.id, m.event, m.tags, m.sequence, m.created_at, (
    SELECT coalesce(json_agg(json_build_object('endpoint_id', d.destination_id, 'state', d.state, 'attempts', d.attempt, 'class', d.class,
           'last_attempt_at', d.begun_at, 'next_attempt_at', CASE WHEN w.locked_until = '-infinity' THEN w.due_at END) ORDER BY d.destination_id), '[]')
    FROM deliveries d LEFT JOIN open_deliveries w ON w.id = d.id WHERE d.message_id = m.id), `
	noPayload  = `NULL::bytea`
	anyPayload = `(SELECT b.body FROM message_bodies b WHERE b.message_id = m.id)`
)

// Messages returns messages, newest first, with their payloads if these are asked for.
// Ids that are not known have none. Errors: the gate.
func (w *Endpoints) Messages(ctx context.Context, workspaceID string, f MessageFilter, payload bool, from *list.TwoWayPosition, size int) (*list.TwoWayPage[Message], error) {
	if err := requireEnabled(ctx, w.db.Gorm, workspaceID); err != nil {
		return nil, pg.Translate(err)
	}
	if f.EndpointID != "" {
		endpointID, err := w.endpointNamed(ctx, workspaceID, f.EndpointID)
		if err != nil {
			return nil, pg.Translate(err)
		}
		f.EndpointID = endpointID
	}
	back := from != nil && from.Back
	read := messageRead{f, workspaceID, payload, back}
	found, err := read.page(ctx, w.db, from, size)
	if err != nil {
		return nil, err
	}
	stopped := ""
	if !found.More() {
		if stopped, err = read.stopped(ctx, w.db, from, size); err != nil {
			return nil, err
		}
	}
	found.Cut(size)
	if back {
		slices.Reverse(found.Items)
	}
	return messagePage(found.Items, found.More(), stopped, from), nil
}

// messageRead is the read of one page.
type messageRead struct {
	MessageFilter

	workspaceID   string
	payload, back bool
}

// visits is how many messages it looks at.
func (r messageRead) visits(size int) int {
	var q pg.Conditions
	if r.keep(&q); len(q.Parts) == 0 {
		return size + 1
	}
	return messageVisits
}

// page reads one message more than the page has.
func (r messageRead) page(ctx context.Context, db *pg.DB, from *list.TwoWayPosition, size int) (found list.Found[Message, string], err error) {
	q := pg.NewConditions(r.workspaceID)
	walk := r.walk(q, from, r.back, r.visits(size))
	kept := &pg.Conditions{Args: q.Args}
	r.keep(kept)
	body := noPayload
	if r.payload {
		body = anyPayload
	}
	query := messageOrder("v.id", r.back).First(kept, messageColumns+body+`
FROM (`+walk+`) v CROSS JOIN LATERAL (SELECT * FROM messages WHERE id = v.id OFFSET 0) m WHERE true`, size)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(pg.InOrder)
	b.Queue(query, kept.Args...).Query(found.Collect(scanMessage))
	return found, pg.Translate(db.Pool.SendBatch(ctx, b).Close())
}

func scanMessage(row pgx.CollectableRow) (m Message, at string, err error) {
	var deliveries []byte
	if err = row.Scan(&m.ID, &m.Event, &m.Tags, &m.Sequence, &m.CreatedAt, &deliveries, &m.Payload); err == nil {
		err = json.Unmarshal(deliveries, &m.Deliveries)
	}
	return m, m.ID, err
}

// stopped returns the last message that the read has visited; empty where that was the
// last one there is.
func (r messageRead) stopped(ctx context.Context, db *pg.DB, from *list.TwoWayPosition, size int) (last string, err error) {
	visits := r.visits(size)
	q := pg.NewConditions(r.workspaceID)
	walk := r.walk(q, from, r.back, visits)
	end := `min(id)`
	if r.back {
		end = `max(id)`
	}
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(pg.InOrder)
	b.Queue(`SELECT CASE WHEN count(*) = `+q.Value(visits)+` THEN `+end+` ELSE '' END FROM (`+walk+`) v`, q.Args...).
		QueryRow(func(row pgx.Row) error { return row.Scan(&last) })
	return last, pg.Translate(db.Pool.SendBatch(ctx, b).Close())
}

// messagePage makes the page of messages that are newest first. Where the walk goes
// on is behind the last of them, or where it stopped; on the side from which it came
// there is a page.
func messagePage(items []Message, more bool, stopped string, from *list.TwoWayPosition) *list.TwoWayPage[Message] {
	first, last := messageEdges(items, from)
	back := from != nil && from.Back
	goes := &list.TwoWayPosition{ID: stopped, Front: back, Back: back}
	switch {
	case more && back:
		goes = first
	case more:
		goes = last
	case stopped == "":
		goes = nil
	}
	page := &list.TwoWayPage[Message]{Items: items, Next: goes}
	if page.Items == nil {
		page.Items = []Message{}
	}
	if back {
		page.Next, page.Prev = last, goes
	} else if from != nil {
		page.Prev = first
	}
	return page
}

// messageEdges are the positions at both ends of a page; those of an empty one are
// where it was looked for.
func messageEdges(items []Message, from *list.TwoWayPosition) (first, last *list.TwoWayPosition) {
	if len(items) > 0 {
		return &list.TwoWayPosition{ID: items[0].ID, Front: true, Back: true}, &list.TwoWayPosition{ID: items[len(items)-1].ID}
	}
	if from == nil {
		return nil, nil
	}
	return &list.TwoWayPosition{ID: from.ID, Front: from.Front, Back: true}, &list.TwoWayPosition{ID: from.ID, Front: from.Front}
}
